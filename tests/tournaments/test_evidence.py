"""What a juror is shown of the game that he judges: what both sides know, and nothing that is hidden from one."""

import json
from dataclasses import replace

import pytest

from pbem.engine.data.canon import dumps, loads
from pbem.play.positions import read_position
from pbem.store import tables
from tests.harness.tournament import CUP
from tests.tournaments.test_disputes import PEOPLE, begun, board, disputes, raised

JURY = CUP.replace('"points:4", "draw"', '"jury"')


def asked(hall):
    """The letters that ask for a vote."""
    hall.forward(hours=80)
    assert disputes(hall)[-1].state == "jury"
    return [row for row in hall.sent() if "you are asked to judge" in row.model]


def words(row):
    return json.dumps(json.loads(row.model)["blocks"])


@pytest.fixture
def hall(tmp_path):
    made = begun(tmp_path, JURY)
    yield made
    made.server.engine.dispose()


@pytest.mark.full
def test_a_juror_is_shown_how_a_game_ended_who_missed_what_and_the_position(hall):
    raised(hall)
    letters = asked(hall)
    assert len(letters) == 3
    for row in letters:
        assert "What both sides know" in words(row)
        assert "is over." in words(row)
        assert "deadlines missed" in words(row)
        assert "as anybody may see it." in words(row)
        assert json.loads(row.model)["report"]["head"]


@pytest.mark.full
def test_of_a_game_that_goes_on_he_is_told_whom_it_waits_for_and_how_he_may_watch_it(hall):
    first = board(hall)
    who = next(person for person in PEOPLE if hall.number(person) == first.first)
    hall.say(who, f"DISPUTE {first.game_id} He writes to me outside.")
    letter = asked(hall)[0]
    assert "is being played, turn {turn}: orders are awaited" in words(letter)
    assert "OBSERVE {game} brings you what comes." in words(letter)
    assert json.loads(letter.model)["report"] is not None


@pytest.mark.full
def test_of_a_game_that_hides_something_a_juror_is_shown_no_position(hall, monkeypatch):
    raised(hall)

    def foggy(work, game):
        position = read_position(work, game)
        return position._replace(rules=replace(position.rules, view=lambda state, seat: None))

    monkeypatch.setattr("pbem.tournaments.evidence.read_position", foggy)
    letter = asked(hall)[0]
    assert json.loads(letter.model)["report"] is None
    assert "Of the positions you are shown nothing" in words(letter)
    assert "deadlines missed" in words(letter)


@pytest.mark.full
def test_where_other_tables_have_the_same_dice_a_juror_is_shown_no_position(hall):
    first = board(hall)
    with hall.server.work() as work:
        game = work.session.get_one(tables.Game, first.game_id)
        game.terms = dumps({**loads(game.terms), "board": "cup60-r1-01"})
        work.session.add(game)
    who = next(person for person in PEOPLE if hall.number(person) == first.first)
    hall.say(who, f"DISPUTE {first.game_id} He writes to me outside.")
    letter = asked(hall)[0]
    assert json.loads(letter.model)["report"] is None
