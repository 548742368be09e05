"""VERIFY: everything that ORDERS does but the doing."""

import pytest

from pbem.engine.data.messages import msg
from pbem.engine.terms import OrderWarning
from pbem.store import tables
from tests.harness.game import ANN, PlayedGame
from tests.harness.letters import mail
from tests.harness.toygame import Aids

WANTED = "You have no orders in. They are due by Tuesday 5 May 2026, 20:00 UTC.\n"
CHECKED = (
    "kind: verified (en)\n"
    "I only checked these orders; they are not entered. To give them, send the block with ORDERS above it.\n"
)


def kept(house):
    """What only orders may change."""
    return (
        [(row.seat_id, row.revision, row.state, row.text) for row in house.all(tables.QueuedOrders)],
        [(row.seat_id, row.scope, row.text) for row in house.all(tables.StandingOrders)],
        [(row.at, row.cause) for row in house.all(tables.Due)],
    )


def test_a_good_block_is_echoed_and_not_queued(house):
    before = kept(house)
    assert house.write("north", "Verificar t1\nmover ANT a S2\nfin").outcome == "verified"
    assert house.answer() == (
        f"{CHECKED}{WANTED}Your orders as I understand them:\nORDERS T1\nMOVE Ant TO s2\nEND\n"
        "Odds of your attacks:\nAnt: wins 83 %\n"
        "Exact, if your opponent has no standing orders.\n"
        "The dice decide from the start.\n"
    )
    assert kept(house) == before


def test_nothing_happens_by_passing(house):
    house.write("north", "VERIFY T1\nPASS\nEND")
    assert house.answer().endswith("ORDERS T1\nPASS\nEND\nNothing will happen.\n")


def test_what_is_held_stays_and_is_told(house):
    house.write("north", "ORDERS T1\nMOVE Bee TO s3\nEND")
    house.sent()
    before = kept(house)
    house.clock.forward(minutes=5)
    house.write("north", "VERIFY T1\nMOVE Ant TO s2\nEND")
    assert "The orders you sent before still stand (revision 1).\n" in house.answer()
    assert kept(house) == before


def test_standing_orders_are_shown_as_they_would_be_and_not_kept(house):
    house.write("south", "STANDING FOR Dog\nFLEE\nENDSTANDING")
    house.sent()
    before = kept(house)
    house.write("south", "VERIFY T1\nSTANDING FOR Cat\nSTAND\nENDSTANDING\nEND")
    assert house.answer() == (
        f"{CHECKED}Its standing orders were only looked at too: those in force stay.\n"
        "Your standing orders as they would be:\n"
        "STANDING FOR Cat\n  STAND\nENDSTANDING\nSTANDING FOR Dog\n  FLEE\nENDSTANDING\n"
    )
    assert kept(house) == before


def test_what_orders_would_refuse_is_refused_in_the_same_words(house):
    before = kept(house)
    for word in ("ORDERS", "VERIFY"):
        house.write("north", f"{word} T1\nMOVE Elk TO s3\nMOVE Bea TO s3\nEND")
    given, verified = (row.model for row in house.sent())
    assert given == verified.replace("VERIFY", "ORDERS")
    assert kept(house) == before


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("VERIFY T2\nPASS\nEND", "These orders are for turn 2; it is turn 1. [] ['VERIFY T1']"),
        (
            "VERIFICAR\nPASS\nEND",
            "A block of orders begins with ORDERS and the turn, such as ORDERS T3. [] ['VERIFICAR T1']",
        ),
        (
            "VERIFY T1\nPASS",
            "END is missing on a line of its own below the orders. Perhaps the letter was cut short. [] []",
        ),
        (
            "VERIFY T1\nPASS\nEND\nORDERS T1\nPASS\nEND",
            "There are two different blocks of orders, in lines 1 and 4. Send only the one you want. [] []",
        ),
    ],
)
def test_what_is_no_block(house, text, why):
    assert house.write("north", text).outcome == "refusal"
    assert f"{why}\n" in house.answer()


def test_a_letter_that_overtook_another_may_be_verified(house):
    house.write("north", "ORDERS T1\nPASS\nEND")
    house.sent()
    older = house.clock.now().replace(year=2025)
    assert house.write("north", "VERIFY T1\nPASS\nEND", Date=older).outcome == "verified"


def test_it_is_answered_with_what_else_the_letter_asks(house):
    house.write("north", "STATUS; CHART T1\nVERIFY T1\nPASS\nEND")
    answer = house.answer()
    assert answer.startswith("kind: verified (en)\nTurn 1. Waiting for orders from: north.")
    assert answer.index("Chart T1:\n") < answer.index("Your orders as I understand them:\n")


def test_where_several_give_orders_nothing_is_foretold(tmp_path):
    house = PlayedGame(tmp_path, scenario="both")
    house.write("north", "VERIFY T1\nMOVE Ant TO s2\nEND")
    assert house.answer().endswith("Others give orders in this phase too, and the result depends on theirs as well.\n")
    house.server.engine.dispose()


def test_the_template_edited_to_verify_is_verified_where_it_is_quoted(house):
    template = house.all(tables.Seat)[0].template.replace("# MOVE Ant", "MOVE Ant").replace("ORDERS", "VERIFY")
    house.write("north", "So?\n\n" + "".join(f"> {line}\n" for line in template.split("\n")))
    answer = house.answer()
    assert answer.startswith("kind: verified (en)\n")
    assert "They were read from the quoted part of your letter, because you changed the block there.\n" in answer
    assert house.all(tables.QueuedOrders) == []


# Second thoughts


@pytest.fixture
def thoughtful(house, monkeypatch):
    def review(self, view, seat, orders, begun=False):
        warnings = [OrderWarning(move.line, msg("{unit} moves.", unit=move.unit), "T1") for move in orders.actions]
        return (
            *warnings,
            *(OrderWarning(0, msg("{unit} may wait long.", unit=item.unit), "T3") for item in orders.standing),
        )

    monkeypatch.setattr(Aids, "review", review)
    return house


@pytest.mark.parametrize("word", ["ORDERS", "VERIFY"])
def test_second_thoughts_count_lines_in_the_letter_and_cover_all_standing_orders(thoughtful, word):
    thoughtful.write("north", "STANDING FOR Bee\nFLEE\nENDSTANDING")
    assert "warning, line 0: Bee may wait long.\n" in thoughtful.answer()
    thoughtful.write("north", f"Hi\n\n{word} T1\nMOVE Ant TO s2\nSTANDING FOR Ant\nSTAND\nENDSTANDING\nEND")
    assert [line for line in thoughtful.answer().split("\n") if line.startswith("warning")] == [
        "warning, line 4: Ant moves.",
        "warning, line 0: Ant may wait long.",
        "warning, line 0: Bee may wait long.",
    ]


def test_a_refused_letter_has_no_second_thoughts(thoughtful):
    thoughtful.write("north", "ORDERS T1\nMOVE Ant TO s2\nMOVE Elk TO s1\nEND")
    assert "warning" not in thoughtful.answer()


def test_a_standing_order_that_cannot_be_read_any_more_is_told(house):
    house.write("north", "STANDING FOR Bee\nFLEE\nENDSTANDING")
    house.sent()
    (row,) = house.all(tables.StandingOrders)
    with house.server.session() as session:
        session.get_one(tables.StandingOrders, row.id).text = "STANDING FOR Elk\n  FLEE\nENDSTANDING\n"
    house.write("north", "ORDERS T1\nPASS\nEND")
    assert (
        "warning, line 0: This standing order cannot be read any more and will be left out: STANDING FOR Elk\n"
        in house.answer()
    )


def test_taking_orders_back_does_not_carry_out_those_quoted(house):
    template = house.all(tables.Seat)[0].template.replace("# MOVE Ant", "MOVE Ant")
    quoted = "".join(f"> {line}\n" for line in template.split("\n"))
    house.write("north", "Here:\n\n" + quoted)
    house.sent()
    house.receive(mail(ANN, house.addresses["north"], "CANCEL\n\n" + quoted, Date=house.clock.now()))
    assert house.answer().startswith("kind: cancelled")
    assert [row.state for row in house.all(tables.QueuedOrders)] == ["cancelled"]
