"""AWARD: points that a moderator gives count like all others, are told to all, and are replayed."""

import re
from typing import Any

import pytest
from sqlmodel import col, select

from pbem.cli.rulebooks import find_game
from pbem.engine.data.canon import dumps
from pbem.engine.data.messages import plain_english
from pbem.play.replay import replay
from pbem.play.rulings import moderator_letter, ruling_lines
from pbem.runtime.transaction import UserError
from pbem.store import tables
from tests.harness.battle import IDRIS, PlayedBattle

SCORE = re.compile(r"Points: Spain (-?\d+)(?: \([^)]*\))?, Morocco (-?\d+)")


@pytest.fixture
def table(tmp_path):
    made = PlayedBattle(tmp_path, undo=0)
    yield made
    made.server.engine.dispose()


def rule(table, line):
    with table.server.work() as work:
        order = ruling_lines.read_line(line + " BECAUSE of a fault of the server")
        return [plain_english(sentence) for sentence in ruling_lines.make_ruling(work, "g1", order).sentences]


def passed(table, seat, turn):
    table.answer(seat, f"ORDERS T{turn}\nPASS\nEND\n")
    table.wait(1)


def score(table):
    match = SCORE.search(" ".join(table.last_to("morocco").split()))
    # The first letter leaves the points to its subject and to BRIEF.
    match = match or SCORE.search(" ".join(table.answer("morocco", "BRIEF").split()))
    assert match is not None
    return int(match[1]), int(match[2])


def test_points_are_told_before_the_report_and_count(table):
    spain, morocco = score(table)
    assert rule(table, "AWARD spain 3 VP")[:2] == [
        "Ruling M1 of the moderator: AWARD spain 3 VP",
        "Victory points awarded to spain: 3; by awards it then has 3.",
    ]
    assert score(table) == (spain + 3, morocco)
    with table.server.session() as session:
        sent = select(tables.Outbox.kind).where(tables.Outbox.recipient == IDRIS).order_by(col(tables.Outbox.id))
        assert session.exec(sent).all()[-2:] == ["announcement", "report"]
    assert "points awarded 3 (was 0)" in table.last_to("morocco")
    rule(table, "AWARD spain \u22121")
    rule(table, "OTORGAR Marruecos 2 puntos")
    assert score(table) == (spain + 2, morocco + 2)


def test_points_given_are_told_among_what_changed(table):
    rule(table, "AWARD spain 3")
    assert "  Changed in this phase: given by the moderator: Spain +3.\n" in table.last_to("morocco")
    assert "  Cambios de esta fase: por decisión del moderador: España +3.\n" in table.last_to("spain")
    rule(table, "AWARD spain -1")
    assert "given by the moderator: Spain -1" in table.last_to("morocco")
    assert "given by the moderator:" not in passed_and_told(table)


def passed_and_told(table):
    passed(table, "spain", 1)
    return table.last_to("morocco")


def test_awards_are_replayed_and_taken_along(table):
    spain, morocco = score(table)
    passed(table, "spain", 1)
    rule(table, "AWARD morocco 2")
    passed(table, "morocco", 1)
    passed(table, "spain", 2)
    assert score(table) == (spain, morocco + 2)
    with table.server.work() as work:
        assert replay(work, "g1").difference is None
        assert moderator_letter.export_game(work.session, "g1")["rulings"][0]["line"] == "AWARD morocco 2"
    rule(table, "REOPEN T1.spain")
    assert score(table) == (spain, morocco)
    with table.server.work() as work:
        assert replay(work, "g1").difference is None


def test_a_phase_resolved_once_more_keeps_the_awards_but_those_left_out(table):
    spain, morocco = score(table)
    passed(table, "spain", 1)
    rule(table, "AWARD morocco 2 VP")
    rule(table, "AWARD morocco 3")
    assert score(table) == (spain, morocco + 5)
    rule(table, "READJUDICATE T1.spain WITHOUT M1")
    assert score(table) == (spain, morocco + 3)
    with table.server.work() as work:
        assert replay(work, "g1").difference is None


def test_orders_that_were_in_still_stand(table):
    table.answer("spain", "WAIT\nORDERS T1\nPASS\nEND\n")
    rule(table, "AWARD spain 1")
    assert "revision 1" in table.answer("spain", "SET LANG en\nSTATUS")


@pytest.mark.parametrize("rest", ["", "spain", "spain 0", "france 2", "spain many", "spain 200"])
def test_what_is_no_award_says_what_is(table, rest):
    before = table.kept()
    with pytest.raises(UserError, match=r"AWARD spain 2, or -2\. The sides are: spain, morocco"):
        rule(table, f"AWARD {rest}")
    assert table.kept() == before


def test_more_than_can_be_given_is_refused(table):
    rule(table, "AWARD spain 99")
    with pytest.raises(UserError, match="in all it is a number from -99 to 99"):
        rule(table, "AWARD spain 1")


@pytest.mark.parametrize(("name", "scenario"), [("africa1860", "castillejos"), ("peninsular", "barrosa")])
def test_a_position_without_awards_is_written_as_before_there_were_any(name, scenario):
    rules: Any = find_game(name)
    edition = rules.edition(scenario, {}, {})
    state = rules.start(edition)
    assert "awards" not in rules.encode(state)
    side = next(iter(rules.awards(state)))
    (event,) = rules.edit(state, f"SIDE {side} AWARD -4").events
    after = rules.rules.apply(state, event)
    assert rules.encode(after)["awards"] == {side: -4}
    assert dumps(rules.encode(rules.decode(rules.encode(after), edition))) == dumps(rules.encode(after))
    assert rules.awards(after)[side] == -4
    assert rules.invariants(after) == ()


def test_points_are_counted_for_a_side_and_not_for_each_of_its_armies():
    rules: Any = find_game("peninsular")
    state = rules.start(rules.edition("barrosa", {}, {}))
    assert set(rules.awards(state)) == {"british", "french"}
    (wrong,) = rules.edit(state, "SIDE spanish AWARD 2").rejected
    assert plain_english(wrong.why) == "AWARD of spanish: spanish has none."
