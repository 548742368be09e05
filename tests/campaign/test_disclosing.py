"""A game that is over is opened: one letter a seat, enough to check all and to play it again without the server."""

import json

import pytest

from pbem.audit import blocks, bundle, leaves, rolls, sealing, vrf
from pbem.engine.data.canon import digest, dumps
from pbem.engine.terms import Phase
from pbem.play import adjudication
from pbem.play.adjudication import ClosedOrders, PhaseInput, Resolution, SeatAnswers
from pbem.verifier.mailbox import LetterToCheck as Item
from pbem.verifier.record import FALSE, NOT_CHECKED, OK
from tests.audit import standalone
from tests.audit.checked import verify
from tests.campaign.test_recorded import ASK, Recorded, acts, both_ways
from tests.harness import toygame
from tests.harness.game import ANN, BOB
from tests.harness.server import SECRETS, make_once


@pytest.fixture
def house(tmp_path):
    house = make_once(tmp_path, Recorded)
    yield house
    house.server.engine.dispose()


def conceded(house):
    """South gives up, after its code."""
    house.write("south", "CONCEDE\n")
    code = house.answer().split("CODE ")[1].split()[0]
    house.write("south", f"CONCEDE CODE {code}\n")
    house.sent()


def asked(house):
    """A turn in which south is asked by letter and answers."""
    house.write("south", ASK.format(unit="Cat"))
    house.sent()
    house.orders("north", 1, "CREEP Bee TO s3", "CREEP Bee TO s4", "CREEP Bee TO s5")
    house.tick()
    house.write("south", "1A\n")
    house.sent()
    house.tick()


def disclosure(house, who=ANN):
    (disclosed,) = [read for read in house.shown(who) if read.letter == "disclosure"]
    return disclosed


def alone(made, pin=SECRETS.log):
    """What both verifiers say of one attachment, given the log's key."""
    items_alone = [Item("alone", None, bundle.write(made))]
    verdict = verify(items_alone, pin=pin)
    statuses_by_check = {line.check: line.status for line in verdict.lines}
    assert standalone.statuses(items_alone, pin, ()) == statuses_by_check
    return statuses_by_check


def test_nothing_is_opened_while_the_game_goes_on(house):
    both_ways(house, ["MOVE Ant TO s2"], ["MOVE Dog TO s7"])
    assert "disclose" not in acts(house)
    for seat, who in (("north", ANN), ("south", BOB)):
        assert not [read for read in house.shown(who) if read.reveals or read.edition]
        assert {order.seat for read in house.shown(who) for order in read.orders} == {seat}


def not_proven(house, who):
    return {line.check: line.status for line in house.judge(who).lines if line.status != OK}


def test_that_nothing_was_chosen_later_for_the_other_seat_is_proven_when_it_is_over(house):
    """What the toy may call its rolls no verifier knows: of that alone nothing is ever said."""
    both_ways(house, ["MOVE Ant TO s2"], ["CREEP Dog TO s7"])
    for who in (ANN, BOB):
        assert not_proven(house, who) == {"others": NOT_CHECKED, "labels": NOT_CHECKED}
    conceded(house)
    for who in (ANN, BOB):
        assert not_proven(house, who) == {"labels": NOT_CHECKED}


def test_the_letter_opens_all_and_is_true_by_itself(house):
    asked(house)
    conceded(house)
    assert acts(house).count("disclose") == acts(house).count("open") == 2
    for who in (ANN, BOB):
        assert set(alone(disclosure(house, who)).values()) == {OK}
        assert house.judge(who).code == 0
    made = disclosure(house)
    assert {(order.phase, order.segment, order.seat) for order in made.orders} == {
        ("T1.north~1", segment, seat) for segment in (1, 2) for seat in ("north", "south")
    }
    rules = [rule for order in made.orders if (order.seat, order.segment) == ("south", 1) for rule in order.rules]
    assert [rule.split("\n")[:2] for rule in rules] == [["STANDING FOR Cat", "  ASK"], ["STANDING FOR Cat", "  FLEE"]]
    assert [reveal.phase for reveal in made.reveals] == ["T1.north~1", "T1.south~1"]
    assert digest(json.loads(made.edition.text)) == house.game().edition_digest


def test_a_game_that_came_to_its_end_is_opened_too(tmp_path):
    house = Recorded(tmp_path, scenario="turns")
    for turn in (1, 2):
        house.orders("north", turn, f"MOVE Bee TO s{2 + turn % 2}")
        house.tick()
        house.orders("south", turn, f"MOVE Dog TO s{6 + turn % 2}")
        house.tick()
    assert house.game().state == "over"
    made = disclosure(house)
    assert {check: status for check, status in alone(made).items() if status != OK} == {"labels": NOT_CHECKED}
    assert [bool(reveal.after) for reveal in made.reveals] == [False] * (len(made.reveals) - 1) + [True]
    house.server.engine.dispose()


def test_played_again_from_the_letter_alone(house):
    """No key and no database: the opened orders, states and proofs give the slates, rolls and states of the log."""
    asked(house)
    conceded(house)
    made = disclosure(house)
    rules = toygame.registry(made.edition.system)
    edition = rules.edition_from_json(json.loads(made.edition.text))
    held = {(order.segment, order.seat): order for order in made.orders}
    (window, value), *_ = (line.split(" = ") for line in held[2, "south"].text.splitlines())
    phase, state = Phase(1, "north", 1), rules.decode(json.loads(made.reveals[0].before), edition)
    closed = {
        seat: ClosedOrders(held[1, seat].rev, held[1, seat].text, held[1, seat].rules) for seat in ("north", "south")
    }
    pauses = [{"south": SeatAnswers(held[2, "south"].rev, ((window, tuple(value.split())),))}]
    inputs = PhaseInput(opened(made).__getitem__, "g1", rules, edition, state, phase, closed, pauses)
    done = adjudication.resolve(inputs)
    assert isinstance(done, Resolution)
    assert done.slates == made.slates
    assert tuple(roll[1:] for part in made.manifests for roll in rolls.parse_manifest(part).rolls) == done.rolls
    assert dumps(rules.encode(done.states[-1])) == made.reveals[1].before


def opened(made):
    """The secrets that a disclosure gives away, by the blocks that they belong to."""
    out = {}
    for order in made.orders:
        phase = order.phase if order.segment == 1 else f"{order.phase}/{order.segment}"
        out[sealing.salt_block(game="g1", phase=phase, seat=order.seat)] = vrf.output_of(order.proof)
    for order in made.reveals:
        out[sealing.blind_block(game="g1", phase=order.phase)] = vrf.output_of(order.proof)
    logged = [leaves.parse(placed.data, placed.body) for placed in made.leaves]
    for slate, roll in zip(made.slates, [leaf for leaf in logged if leaf.kind == "roll"], strict=True):
        out[blocks.vrf_input(slate)] = vrf.output_of(roll.groups[0][1])
    return out


def test_what_is_hidden_in_a_secret_game_is_opened_at_its_end(tmp_path):
    house = Recorded(tmp_path, options={"secret": ""})
    both_ways(house, ["CREEP Bee TO s3"], ["MOVE Dog TO s7"])
    assert not [read for read in house.shown(ANN) if read.manifests]
    assert {line.check for line in house.judge(ANN).lines if line.status != OK} == {"manifest", "vrf", "others"}
    conceded(house)
    made = disclosure(house)
    assert len(made.groups) == len(made.manifests) == 2
    assert {check: status for check, status in alone(made).items() if status != OK} == {"labels": NOT_CHECKED}
    assert not_proven(house, ANN) == {"labels": NOT_CHECKED}
    house.server.engine.dispose()


LIES = {
    "another edition": ("opened", lambda read: read._replace(edition=read.edition._replace(text='{"turns":9}'))),
    "another state": ("opened", lambda read: read._replace(reveals=(read.reveals[0]._replace(before="{}"),))),
    "other orders": ("own", lambda read: read._replace(orders=(read.orders[0]._replace(text="MOVE Ant TO s3\n"),))),
    "orders of another seat": ("own", lambda read: read._replace(orders=(read.orders[0]._replace(seat="south"),))),
}


@pytest.mark.parametrize("lie", LIES)
def test_what_is_opened_falsely_is_found(house, lie):
    check, change = LIES[lie]
    both_ways(house, ["MOVE Ant TO s2"], ["MOVE Dog TO s7"])
    conceded(house)
    assert alone(change(disclosure(house)))[check] == FALSE
