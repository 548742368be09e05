"""A game that is over, told by its turning points on the command line."""

import re

import pytest

from tests.harness.command_line import MOROCCO, SPAIN


@pytest.fixture
def given_up(hand, begun):
    """A game of one phase: then Morocco conceded."""
    hand.deliver(SPAIN, begun["spain"], "ORDERS T1\nACTIVATE Nudos\nFIRE Montana1 AT Cresta\nEND\n")
    _, asked, _ = hand.deliver(MOROCCO, begun["morocco"], "CONCEDE\n")
    (line,) = re.findall(r"^ *(CONCEDE CODE \w+)$", asked, re.MULTILINE)
    hand.deliver(MOROCCO, begun["morocco"], f"{line}\n")
    return begun


@pytest.mark.long
def test_it_is_told_alike_each_time(hand, given_up):
    first, again = (hand.fine("review", "ceuta-1", "--plays", 10) for _ in range(2))
    assert first == again


@pytest.mark.parametrize("played", [False, pytest.param(True, marks=pytest.mark.full)])
def test_it_is_told_in_either_language(hand, given_up, monkeypatch, played):
    if not played:
        # Each game is over where it would begin: 220 games played on take twelve seconds.
        monkeypatch.setattr("pbem.engine.review.play_on", lambda how, state: state)
    output = hand.fine("review", "ceuta-1", "--plays", 10)
    assert "when the bot forward plays on for both sides" in output
    assert "Each position was played 10 times" in output
    assert "La medida es el bot" in hand.fine("review", "ceuta-1", "--plays", 10, "--language", "es")


def test_a_game_that_goes_on_or_is_not_there_is_refused(hand, begun):
    refusal = "pbem: The game is not over: what is hidden in it would show in a review.\n"
    assert hand("review", "ceuta-1") == (2, "", refusal)
    code, out, err = hand("review", "nowhere")
    assert code
    assert (out, "nowhere" in err) == ("", True)


def test_there_are_two_languages(hand, given_up):
    code, out, err = hand("review", "ceuta-1", "--language", "fr")
    assert code
    assert (out, "in en or es" in err) == ("", True)
