"""The demo of a tournament: its world on a moved clock, and the whole of it."""

from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from typer.testing import CliRunner

from pbem.cli.demo.tournament import (
    PLACES,
    DemoPerson,
    DemoWorld,
    LetterWriters,
    ManualClock,
    TournamentCorrespondent,
    demo_entrants,
)
from pbem.cli.main import app
from pbem.play.commands.table.founding import NewGame, new_game, start_game
from pbem.play.seating import Invitation, invite_seat
from pbem.runtime.clock import Pace
from pbem.store import queries

BEGINS = datetime(2030, 1, 7, 9, tzinfo=UTC)
BOTH = (DemoPerson("Ana", "es", "Europe/Madrid"), DemoPerson("Idris"))


def test_a_clock_of_the_hand_never_goes_back():
    clock = ManualClock(BEGINS)
    clock.move(BEGINS + timedelta(hours=1))
    clock.move(BEGINS)
    assert clock.now() == BEGINS + timedelta(hours=1)


@pytest.mark.full
def test_two_play_a_game_by_mail_to_its_end_while_nobody_waits(tmp_path):
    clock = ManualClock(BEGINS)
    with DemoWorld(tmp_path, [player.address for player in BOTH], clock) as world:
        with world.server.work() as work:
            new_game(work, NewGame("g1", "africa1860", "drill", pace=Pace(undo_minutes=0)))
            for seat, who in zip(("spain", "morocco"), BOTH, strict=True):
                invite_seat(work, Invitation("g1", seat, who.address, person=who.name, language=who.language))
            start_game(work, "g1")
        members = [TournamentCorrespondent(world, who, Random(who.name)) for who in BOTH]
        while (moment := world.next_moment()) is not None:
            clock.move(moment)
            world.rest()
            for member in members:
                for letter in member.reads():
                    member.consider(letter)
        with world.server.reading() as work:
            game = queries.games.game(work.session, "g1")
    assert game is not None
    assert game.state == "over"
    assert clock.now() > BEGINS + timedelta(days=1)
    assert len(list(world.letters("ana@demo.test").glob("*.eml"))) > 12


def test_everybody_of_the_cast_has_a_name_of_his_own_and_each_part_somebody(tmp_path):
    names = [entrant.name for entrant in demo_entrants()]
    assert len({*names}) == len(names) == PLACES + 3
    clock = ManualClock(BEGINS)
    with DemoWorld(tmp_path, [entrant.address for entrant in demo_entrants()], clock) as world:
        parts = [LetterWriters(world, seed).parts for seed in (1, 2)]
    assert {*parts[0].values()} == {*parts[1].values()}
    assert parts[0] != parts[1]
    assert {*parts[0]} <= {*names[:PLACES]}


@pytest.mark.long
def test_a_tournament_goes_from_join_to_its_prizes_without_anybodys_help(tmp_path):
    done = CliRunner().invoke(app, ["demo-event", "--out", str(tmp_path / "cup"), "--seconds", "1800"])
    assert done.exit_code == 0, done.output
    assert "round 6 closed" in done.output
    assert "all over; the log is as it was signed" in done.output
    assert "A book on the war of 1860: " in done.output
