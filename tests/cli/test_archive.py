"""Games as pages on the command line, and the list of them."""

import re

import pytest

from pbem.maps.frames import LAYERS
from tests.pages.archives import held


def test_a_game_that_goes_on_shows_what_everybody_may_see(hand, begun):
    out = hand.folder / "www"
    assert hand.fine("archive", "ceuta-1", "--out", out) == f"{out / 'ceuta-1.html'}\n"
    data = held((out / "ceuta-1.html").read_text("utf-8"))
    assert not data["over"]
    assert [step["at"] for step in data["steps"]] == ["start"]
    assert '<a href="ceuta-1.html">Castillejos, 1 January 1860</a>' in (out / "index.html").read_text("utf-8")


def test_the_list_keeps_what_was_on_it_and_is_there(hand, begun):
    out = hand.folder / "www"
    hand.fine("archive", "ceuta-1", "--out", out)
    hand.fine(
        "game", "new", "melilla", "--scenario", "castillejos", "--bot", "spain=forward", "--bot", "morocco=random"
    )
    hand.fine("game", "start", "melilla")
    hand.fine("archive", "melilla", "--out", out, "--language", "es")
    listed = (out / "index.html").read_text("utf-8")
    assert "ceuta-1.html" in listed
    assert "melilla, hasta el turno 0" in listed
    (out / "ceuta-1.html").unlink()
    hand.fine("archive", "melilla", "--out", out)
    assert "ceuta-1" not in (out / "index.html").read_text("utf-8")


def test_a_seats_own_page_has_a_name_that_nobody_guesses_and_is_on_no_list(hand, begun):
    out = hand.folder / "www"
    outputs = [hand.fine("archive", "ceuta-1", "--out", out, "--seat", seat) for seat in ("spain", "morocco", "spain")]
    assert outputs[0] == outputs[2] != outputs[1]
    assert re.fullmatch(rf"{out}/[a-z2-7]{{26}}\.html\n", outputs[0])
    assert not (out / "index.html").exists()
    assert not (out / "ceuta-1.html").exists()


FOG = "pbem: melilla hides its positions while it is played: there is a page of it when it is over\n"


@pytest.mark.parametrize("more", [(), ("--seat", "spain")])
def test_under_fog_there_is_none(hand, begun, more):
    bots = ("--bot", "spain=forward", "--bot", "morocco=random")
    hand.fine("game", "new", "melilla", "--scenario", "castillejos", "--option", "fog=on", *bots)
    hand.fine("game", "start", "melilla")
    assert hand("archive", "melilla", "--out", hand.folder / "www", *more) == (2, "", FOG)
    assert not (hand.folder / "www").exists()


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (("ceuta-1", "--seat", "x"), "pbem: ceuta-1 has no seat 'x'; there are spain, morocco\n"),
        (("ceuta-1", "--language", "fr"), "pbem: letters are written in en or es, not in 'fr'\n"),
        (("nowhere",), "pbem: There is no game nowhere.\n"),
        (("index",), "pbem: index.html is the list of games: a game of that name cannot have a page beside it\n"),
    ],
)
def test_what_cannot_be_written_is_told(hand, begun, asked, message):
    assert hand("archive", *asked, "--out", hand.folder / "www") == (2, "", message)


def test_a_game_that_has_not_begun_has_no_page(hand):
    hand.fine("game", "new", "melilla", "--scenario", "castillejos")
    refusal = "pbem: melilla has not begun: there is nothing to tell yet\n"
    assert hand("archive", "melilla", "--out", hand.folder / "www") == (2, "", refusal)


def test_what_a_ruling_corrected_is_a_chapter_and_how_it_ended_is_told(hand, begun):
    hand.fine("game", "rule", "ceuta-1", "EDIT UNIT Luchana AT Playa BECAUSE it was set up wrongly")
    hand.fine("game", "rule", "ceuta-1", "ADJUDICATE a draw BECAUSE the players agreed")
    out = hand.folder / "www"
    hand.fine("archive", "ceuta-1", "--out", out)
    data = held((out / "ceuta-1.html").read_text("utf-8"))
    assert data["over"]
    assert [step["at"] for step in data["steps"]] == ["start", "M1.1"]
    assert data["chapters"][0]["title"] == ["What is corrected by ruling M1", "Lo que corrige la decisión M1"]
    moved = [part for part in data["steps"][1]["parts"] if data["keys"][part[0]] == [LAYERS.index("units"), "Luchana"]]
    assert [part[4] for part in moved] == ["Playa"]
    assert len(data["result"]) == 1
    assert "over after turn 1" in (out / "index.html").read_text("utf-8")
