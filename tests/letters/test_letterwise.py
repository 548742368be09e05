"""Castillejos letter by letter: what one letter did binds the next, and the whole comes out again."""

import pytest
from sqlmodel import col, select

from pbem.play.replay import replay
from pbem.runtime.terms import Terms
from pbem.store import tables
from tests.harness.battle import PlayedBattle


@pytest.fixture
def table(tmp_path, request):
    made = PlayedBattle(tmp_path, getattr(request, "param", "castillejos"), terms=Terms(pace="activation"))
    yield made
    made.server.engine.dispose()


def block(*lines):
    return "\n".join(["ORDERS T1", *lines, "END", ""])


def same_again(table):
    with table.server.work() as work:
        assert replay(work, "g1").difference is None


def test_the_rules_of_a_phase_hold_across_letters(table):
    table.answer("spain", block("ACTIVATE Nudos", "FIRE Montana1 AT Cresta"))
    table.wait(0)
    report = table.last_to("morocco")
    assert "A letter of the other side is carried out." in report
    assert "Fire of Montana1 at AngheraUno." in report
    # The space was activated, the gun has fired.
    refused = table.answer("spain", block("ACTIVATE Nudos", "MOVE Cuenca TO Playa"))
    assert "Nudos ya se activó en esta fase" in " ".join(refused.split())
    table.answer("spain", block("ACTIVATE Tarajal", "STOP IF TURN 1", "MOVE Luchana WITH Prim TO Playa"))
    table.wait(0)
    # STOP IF struck the rest of that letter, and of no other.
    moved = table.answer("spain", "LISTO\n" + block("PASS"))
    assert "Se ejecutan ahora y ya no pueden retirarse." in moved
    table.wait(0)
    report = table.last_to("morocco")
    assert "has struck" not in report
    assert "Send your orders by" in report
    same_again(table)
    dice = table.answer("morocco", "DICE T1")
    assert "fire of Montana1 at AngheraUno, from Nudos to Cresta: 1d2" in dice
    assert "What depended on the dice of turn 1\n  No points depended on dice that you saw.\n" in dice


def test_a_letter_after_one_that_broke_off_is_carried_out(table):
    table.answer("spain", block("ACTIVATE Nudos", "STOP IF TURN 1", "MOVE Cuenca TO Playa"))
    table.wait(0)
    table.answer("spain", "DONE\n" + block("ACTIVATE Tarajal", "MOVE Luchana WITH Prim TO Playa"))
    table.wait(0)
    assert "Luchana, Prim: from Tarajal to Playa." in table.last_to("morocco")
    same_again(table)


# Two units hold the hamlet: whatever the dice are, it is asked which of them is the vanguard.
@pytest.mark.parametrize("table", ["wadras"], indirect=True)
def test_a_letter_can_be_asked_about_and_the_next_one_comes(table):
    table.answer("morocco", "STANDING FOR ALL\nWHEN ASSAULTED THEN ASK WITHIN 12\nENDSTANDING\n")
    table.answer("spain", block("ACTIVATE Samsa", "ASSAULT Aldea WITH Iberia, Tercios LED BY Rios"))
    table.wait(0)
    assert "Which unit of yours is the vanguard?" in " ".join(table.last_to("morocco").split())
    for _ in range(4):
        table.wait(12 * 60)
    with table.server.session() as session:
        segments = session.exec(select(tables.Segment).order_by(col(tables.Segment.id))).all()
    # Questions first, then the letter is carried out, and the deadline ends the phase.
    assert segments[0].deadline is not None
    assert [segment.position is not None for segment in segments[-2:]] == [True, False]
    same_again(table)


def test_the_form_ends_with_done_which_may_stand_in_the_block_that_is_the_last(table):
    form = table.last_to("spain").split("ORDENES T1 #")[1]
    assert "\n# LISTO\nFIN\n" in form
    answer = table.answer("spain", block("ACTIVATE Tarajal", "MOVE Luchana TO Playa", "LISTO"))
    assert "Ya no da más órdenes en esta fase" in answer
    table.wait(0)
    form = table.last_to("morocco").split("ORDERS T1 #")[1]
    assert "# DONE\nEND\n" in form
    # Alone it ends the phase as well.
    assert "You give no more orders in this phase" in table.answer("morocco", block("READY"))
    table.wait(0)
    assert "# DONE\nEND\n" not in table.last_to("morocco")
    same_again(table)


def test_what_was_done_in_a_letter_is_not_offered_again(table):
    table.answer("spain", block("ACTIVATE Nudos", "FIRE Montana1 AT Cresta"))
    table.wait(0)
    form = table.last_to("spain").split("ORDENES T1 #")[1]
    assert "# ACTIVAR Tarajal" in form
    assert "Nudos\n" not in form.replace("Nudos | Playa", "")
    assert "Montana1" not in form
    moves = table.answer("spain", "MOVES Nudos")
    assert "Nudos ya se activó en esta fase" in " ".join(moves.split())
