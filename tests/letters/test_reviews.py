"""Reviews by letter: asked for when a game is over, worked out beside the server, written when they are there."""

import re

import pytest
from sqlmodel import select

from pbem.engine.data.messages import msg
from pbem.engine.luck import Combat, EvaluatedRoll
from pbem.engine.review import PlayCounts
from pbem.play.commands.questions import review
from pbem.server.scheduler import run_due_jobs
from pbem.store import tables
from tests.harness.battle import PlayedBattle
from tests.harness.server import changed

LINES = [[0, msg("No phase changed that by more than the error of so few games.").to_json()]]


class Clerk:
    """Reviews games after being looked at so often; one who is `ill` never will."""

    def __init__(self, patience, ill=False):
        self.left, self.ill = patience, ill

    def look(self, game):
        self.left -= 1
        if self.ill:
            raise ValueError("no wits left")
        return LINES if self.left < 0 else None

    def close(self):
        self.left = 0


@pytest.fixture
def table(tmp_path):
    made = PlayedBattle(tmp_path, undo=0)
    made.server = changed(made.server, reviewer=Clerk(1))
    yield made
    made.server.engine.dispose()


def give_up(table):
    """One phase is played, then Morocco concedes."""
    table.answer("spain", "ORDERS T1\nPASS\nEND\n")
    table.wait(60 * 24 * 3)
    asked = table.answer("morocco", "CONCEDE\n")
    (line,) = re.findall(r"CONCEDE CODE \w+", asked)
    table.answer("morocco", f"{line}\n")


def reviews(table):
    """The reviews that were written, by language."""
    with table.server.session() as session:
        return {row.language: row for row in session.exec(select(tables.Outbox).where(tables.Outbox.kind == "review"))}


def due(table):
    with table.server.session() as session:
        return [row.cause for row in session.exec(select(tables.Due).where(tables.Due.kind == "review"))]


def test_a_game_that_goes_on_is_not_reviewed(table):
    assert "no ha terminado" in " ".join(table.answer("spain", "REPASO\n").split())
    assert "not over" in " ".join(table.answer("morocco", "REVIEW\n").split())
    assert due(table) == []


def test_who_asks_when_it_is_over_is_written_to_when_it_is_there(table):
    give_up(table)
    assert "en una carta aparte" in " ".join(table.answer("spain", "REPASO\n").split())
    run_due_jobs(table.server)
    assert reviews(table) == {}
    assert due(table) == ["spain"]
    table.wait(1)
    assert set(reviews(table)) == {"es"}
    assert due(table) == []
    letter = " ".join(table.last_to("spain").split())
    assert "Los momentos decisivos" in letter
    assert "Ninguna fase lo cambió más que el error de tan pocas partidas." in letter


def test_each_seat_that_asks_has_it_in_its_language_and_the_same_again(table):
    give_up(table)
    table.answer("spain", "REVIEW\n")
    table.answer("morocco", "REVIEW\n")
    table.wait(1)
    table.wait(1)
    assert set(reviews(table)) == {"en", "es"}
    first = table.last_to("morocco")
    assert "The turning points" in first
    table.answer("morocco", "REVIEW\n")
    table.wait(2)
    assert table.last_to("morocco") == first
    with table.server.session() as session:
        # A letter of its own, which mail programs take for no copy of the first.
        rows = session.exec(select(tables.Outbox).where(tables.Outbox.kind == "review")).all()
        assert len({row.message_id for row in rows}) == 3


def test_what_cannot_be_worked_out_is_said(table):
    table.server = changed(table.server, reviewer=Clerk(0, ill=True))
    give_up(table)
    table.answer("morocco", "REVIEW\n")
    table.wait(1)
    assert "It could not be worked out" in " ".join(table.last_to("morocco").split())
    assert due(table) == []


def test_without_anybody_who_reviews_it_is_refused(table):
    table.server = changed(table.server, reviewer=None)
    give_up(table)
    assert "(pbem review)" in table.answer("morocco", "REVIEW\n")
    assert due(table) == []


def test_it_is_counted_by_the_day(table):
    give_up(table)
    replies = [table.answer("morocco", "REVIEW\n") for _ in range(4)]
    assert "one day allows: 3" in " ".join(replies[-1].split())


def test_a_game_in_which_nothing_was_played_has_nothing_to_review(tmp_path):
    table = PlayedBattle(tmp_path)
    table.server = changed(table.server, reviewer=Clerk(0))
    asked = table.answer("morocco", "CONCEDE\n")
    (line,) = re.findall(r"CONCEDE CODE \w+", asked)
    table.answer("morocco", f"{line}\n")
    assert "Nothing was played" in " ".join(table.answer("morocco", "REVIEW\n").split())
    table.server.engine.dispose()


def test_fire_at_a_place_and_the_assault_on_it_are_told_as_one():
    def combat(where, *values):
        nothing = (0.0, 0.0)
        rolls = tuple(EvaluatedRoll("", (1,), (value, -value), nothing, nothing, nothing) for value in values)
        return Combat(where, rolls)

    fights = [combat("B>C", 0.25), combat("A>C", 0.5), combat("B>C", 0.25, 0.5), combat("D>C", -1.0)]
    assert review.luck_by_place(fights, 0) == [("B>C", 1.0), ("A>C", 0.5), ("D>C", -1.0)]
    assert review.luck_by_place(fights, 1)[0] == ("D>C", 1.0)


@pytest.mark.full
def test_a_real_one_is_the_same_in_whatever_process_it_is_made(table):
    give_up(table)
    plays = PlayCounts(4, 4, looked_at=1)
    made = []
    for _ in range(2):
        with table.server.work() as work:
            game = work.session.get_one(tables.Game, "g1")
            asked = review.gather_review(work, game)
        result = review.compute_review(asked, plays, lambda done, total: None)
        made.append([line.to_json() for _, line in review.review_lines(table.server, asked, result, plays)])
    assert made[0] == made[1]
    assert made[0][0] == msg("{side} has conceded the game.", side="morocco").to_json()
