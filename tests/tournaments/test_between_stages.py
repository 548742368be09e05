"""Who leaves or comes back around the end of a stage, and what whoever verifies says of those who go on."""

import pytest

from pbem.tournaments import closing
from tests.harness.tournament import PlayedTournament
from tests.tournaments.test_event_letters import TWO, play_on, render, verdict
from tests.tournaments.test_event_rulings import rule


def wrongs(hall: PlayedTournament, who: str) -> list[str]:
    """What both verifiers find false in the letters of somebody."""
    result, came = verdict(hall, who)
    plain = [f"{line.check}: {line.why}" for line in result.lines if line.status == "FALSE"]
    return [*plain, *(finding.why for finding in came if finding.truth is False)]


def listed(hall: PlayedTournament, number: int) -> tuple[set[int], set[int]]:
    """The entrants in the list of a round, and those away in it."""
    lines = next(round_.slate for round_ in hall.rounds() if round_.number == number).splitlines()
    entrants = {int(line.split()[1][1:]) for line in lines if line.startswith("entrant ")}
    away = next(line.split()[1:] for line in lines if line.startswith("away "))
    return entrants, {int(name[1:]) for name in away if name != "-"}


def last_of_stage(hall: PlayedTournament) -> list[str]:
    """Play the first stage but for its last round, which has begun."""
    people = hall.fill(6)
    play_on(hall, 1)
    hall.until("playing", 2)
    return people


def finish_stage(hall: PlayedTournament) -> None:
    hall.play(2)
    render(hall)
    hall.run()
    render(hall)


def between(hall: PlayedTournament) -> list[str]:
    """Play the first stage; its best four are chosen, and the list of the next is open."""
    people = last_of_stage(hall)
    finish_stage(hall)
    assert [round_.state for round_ in hall.rounds()] == ["closed", "closed", "planned"]
    return people


def play_next(hall: PlayedTournament) -> None:
    """Play the first round of the second stage."""
    for state in ("shut", "playing"):
        hall.until(state, 3)
        render(hall)
    hall.play(3)
    render(hall)


@pytest.mark.parametrize(
    ("leave", "away"),
    [
        (lambda hall: hall.confirm("p1@players.example", "WITHDRAW"), {1}),
        pytest.param(lambda hall: rule(hall, "EXPEL 1 BECAUSE rude"), {1}, marks=pytest.mark.full),
        pytest.param(lambda hall: rule(hall, "EXPEL 6 BECAUSE rude"), set(), marks=pytest.mark.full),
    ],
    ids=["withdraws", "is expelled", "was not chosen"],
)
def test_who_leaves_between_the_stages_is_listed_as_away_and_nothing_is_false(halls, leave, away):
    hall = halls(TWO)
    people = between(hall)
    leave(hall)
    play_next(hall)
    entrants, listed_away = listed(hall, 3)
    assert (len(entrants), listed_away) == (4, away)
    assert wrongs(hall, people[1]) == []


@pytest.mark.full
def test_who_says_that_he_leaves_in_the_next_stage_goes_on_into_it(halls):
    hall = halls(TWO)
    people = last_of_stage(hall)
    for who in people[:3]:
        hall.confirm(who, "WITHDRAW AFTER R3")
    finish_stage(hall)
    play_next(hall)
    entrants, away = listed(hall, 3)
    assert entrants & {1, 2, 3}
    assert away == set()
    assert wrongs(hall, people[1]) == []


@pytest.mark.full
def test_who_comes_back_between_the_stages_does_not_go_on(halls):
    hall = halls(TWO)
    people = last_of_stage(hall)
    hall.confirm(people[0], "WITHDRAW")
    finish_stage(hall)
    assert "has begun without you" in hall.say(people[0], "RETURN")
    rule(hall, "EXPEL 6 BECAUSE rude")
    play_next(hall)
    assert 1 not in listed(hall, 3)[0]
    assert wrongs(hall, people[1]) == []


@pytest.mark.full
@pytest.mark.parametrize("before", ["", "CORRECT cup60-r2-03 morocco BECAUSE it was so"], ids=["", "corrected"])
@pytest.mark.parametrize("bent", ["one who had left goes on", "one who had not left does not"])
def test_a_server_that_chooses_others_is_called_false(halls, monkeypatch, bent, before):
    """The best leaves before the stage is over, another one before the list: only the best is out."""
    hall = halls(TWO)
    people = last_of_stage(hall)
    best, second, third = (board.first for board in hall.boards(2))
    honest = closing._active_numbers

    def active(tx, event):
        numbers = honest(tx, event)
        return (
            [*numbers, best]
            if bent == "one who had left goes on"
            else [number for number in numbers if number != second]
        )

    monkeypatch.setattr(closing, "_active_numbers", active)
    for board in hall.boards(2):
        hall.end(board.game_id, "concede morocco")
    rule(hall, f"EXPEL {best} BECAUSE rude")
    finish_stage(hall)
    if before:
        rule(hall, before)
        render(hall)
    rule(hall, f"EXPEL {third} BECAUSE rude")
    play_next(hall)
    # The plain verifier holds the list against the table that was sent, full mode against all scores counted anew.
    by_table, by_scores = wrongs(hall, people[1])
    assert "event/cup60 r3~1: by the table before it others go on, or as other seeds: " in by_table
    assert by_scores == "event/cup60 r3~1: others go on into stage 2, or with other points"
