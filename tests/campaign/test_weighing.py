"""What attacks are worth: told in receipts, VERIFY and ODDS, bounded, reckoned once, and never in the way."""

import json

import pytest
from sqlmodel import select

from pbem.engine.data.memory import IdentityKey
from pbem.engine.data.messages import msg
from pbem.engine.rehearsal import rehearse_attack
from pbem.engine.terms import OrderOdds
from pbem.play.commands.questions import odds
from pbem.play.positions import read_position
from pbem.server import outbox_sender
from pbem.store import tables
from tests.harness import toygame
from tests.harness.game import PlayedGame
from tests.harness.server import open_server
from tests.harness.toygame import Forecast

WORTH = "Odds of your attacks:\n"
DOCTRINE = "Exact, if your opponent has no standing orders.\n"
ORDERS = "ORDERS T1\nMOVE Ant TO s2\nMOVE Bee TO s3\nEND\n"


@pytest.fixture
def asked(monkeypatch):
    """What the game had to weigh, in order."""
    weighings = []
    weighed = toygame._weighed

    def count(steps, step):
        weighings.append(steps)
        return weighed(steps, step)

    monkeypatch.setattr("tests.harness.toygame._weighed", count)
    return weighings


def test_no_odds_are_reckoned_while_a_letter_is_taken_in(house, asked):
    assert house.write("north", ORDERS).outcome == "receipt"
    assert asked == []
    assert house.answer().endswith(f"END\n{WORTH}Ant: wins 83 %\nBee: wins 83 %\n{DOCTRINE}")
    assert asked == [1, 9_000]


def test_verifying_and_then_ordering_costs_once(house, asked):
    house.write("north", ORDERS.replace("ORDERS", "VERIFY"))
    answer = house.answer()
    house.write("north", ORDERS)
    assert f"{WORTH}Ant: wins 83 %\nBee: wins 83 %\n{DOCTRINE}" in answer
    assert f"{WORTH}Ant: wins 83 %\nBee: wins 83 %\n{DOCTRINE}" in house.answer()
    assert asked == [1, 9_000]


def test_a_block_may_cost_so_much_and_no_more_whatever_is_remembered(house, asked):
    block = "ORDERS T1\nMOVE Bee TO s3\nMOVE Bee TO s1\nMOVE Ant TO s2\nEND\n"
    answers = []
    for _ in range(2):
        house.write("north", block)
        answers.append(house.answer().partition(WORTH)[2])
        house.write("north", "ODDS MOVE Bee TO s1")
        assert "Bee: wins 83 %\n" in house.answer()
    assert answers[0] == answers[1]
    assert answers[0] == (
        f"Bee: wins 83 %\nAnt: wins 83 %\n{DOCTRINE}"
        "Too much to compute in one letter; ask for these one at a time:\n"
        "  ODDS MOVE Bee TO s1\n"
    )


def test_a_question_has_its_bound_too(house, monkeypatch):
    monkeypatch.setitem(toygame.STEPS, "Bee", 10**12)
    house.write("north", "ODDS MOVE Bee TO s3")
    answer = house.answer()
    assert "This attack has too many possible results to compute. Try it with fewer guns or units.\n" in answer
    assert "wins" not in answer


def test_what_is_worth_nothing_is_not_told(house):
    house.write("north", "ORDERS T1\nPASS\nEND")
    assert "worth" not in house.answer()


def test_the_position_is_that_of_the_letter_though_the_phase_is_over(tmp_path, monkeypatch):
    house = PlayedGame(tmp_path, undo_minutes=0)
    places = []

    def where(self, view, seat, orders, purse, begun):
        places.append([view.at(move.unit) for move in orders.actions])
        return OrderOdds(((1, msg("weighed")),))

    monkeypatch.setattr(Forecast, "odds", where)
    house.write("north", ORDERS)
    assert house.tick() == 1
    house.write("south", "ORDERS T1\nMOVE Cat TO s4\nEND\n")
    assert house.tick() == 1
    receipts = [row.message_id for row in house.sent() if row.kind == "receipt"]
    assert len(outbox_sender.render(house.server, receipts)) == 2
    assert places == [[1, 2], [5]]
    house.server.engine.dispose()


def test_a_bug_in_the_odds_does_not_cost_the_receipt(house, monkeypatch):
    monkeypatch.setattr(Forecast, "odds", lambda *args: 1 // 0)
    house.write("north", ORDERS)
    answer = house.answer()
    assert "Your orders are in: revision 1.\n" in answer
    assert "The odds could not be reckoned; the operator can read why in the log.\n" in answer


def test_letters_without_a_promise_stay_as_they_are(house):
    house.write("north", "STATUS")
    (row,) = house.sent()
    letter = json.loads(row.model)
    assert odds.fulfil_odds_promises(house.server, [letter], [True]) == [letter]


def test_standing_orders_are_held_against_an_attack(house):
    house.write("north", "STANDING FOR Ant\nFLEE\nENDSTANDING")
    house.sent()
    house.write("north", "TEST STANDING Ant BY Cat")
    answer = house.answer()
    assert "What your standing orders would do: Ant BY Cat:\n" in answer
    assert "left out" in answer
    house.write("south", "PROBAR DOCTRINA Emu POR Cat")
    assert "no such counter [T1]" in house.answer()


def test_an_attack_with_too_many_ways_is_not_rehearsed(house, monkeypatch):
    monkeypatch.setattr(odds, "PER_QUESTION", 2)
    house.write("north", "TEST STANDING Ant BY Cat")
    assert "This attack has too many possible results to compute" in house.answer()


def test_what_was_tried_is_tried_again_once_the_position_is_another(house, monkeypatch):
    """A phase that is taken back comes again under the same number, perhaps in another position."""
    tried = []

    def noted(rules, seat, attack, *rest):
        tried.append(attack)
        return rehearse_attack(rules, seat, attack, *rest)

    monkeypatch.setattr(odds, "rehearse_attack", noted)
    for _ in range(2):
        house.write("north", "TEST STANDING Ant BY Cat")
        house.answer()
    assert len(tried) == 1
    with house.server.session() as session:
        kept = session.exec(select(tables.Snapshot)).one()
        kept.body = kept.body.replace('["Ant","north",1]', '["Ant","north",3]')
        session.add(kept)
    house.write("north", "TEST STANDING Ant BY Cat")
    house.answer()
    assert len(tried) == 2


def test_orders_read_back_just_now_are_weighed_like_those_that_another_process_reads(house, tmp_path):
    house.write("north", ORDERS)
    (row,) = house.sent()
    other = open_server(tmp_path)
    (letter_here,), (there,) = (
        odds.fulfil_odds_promises(server, [json.loads(row.model)], [True]) for server in (house.server, other)
    )
    other.engine.dispose()
    assert letter_here == there
    with house.server.work() as work:
        state = read_position(work, house.game()).state
    (orders,) = house.all(tables.QueuedOrders)
    assert house.server.caches.proven.find((IdentityKey(state), "north", orders.text)) is not None
    assert other.caches.proven.find((IdentityKey(state), "north", orders.text)) is None
