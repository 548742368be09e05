"""Whatever both sides order, a camp comes to its end: nobody pays more than he has, and the next battle can be made."""

import random

import pytest

from pbem.engine.run.runners import play
from pbem.engine.war.chain import CampData, Outcome, finish_camp, leg_of, open_war
from pbem.engine.war.ledger import READY, LegResult, after_leg, whole
from pbem.games.africa1860 import GAME as AFRICA
from pbem.games.africa1860.war import WAR_PARTS
from pbem.games.camp import GAME
from pbem.games.camp.orders import GRAMMAR, parse
from pbem.games.camp.report import event_entry
from pbem.games.camp.state import camp_edition, starting_position
from pbem.games.camp.steps import RULES, camp_world
from tests.kit.war.small_war import WHOLE
from tests.kit.war.small_war import camp as small_camp

SEATS = {"spain": "spain", "morocco": "morocco"}
WORDS = ("WITH", "TO", "0", "1", "2", "3", "99", "-1", "", "REFIT")


class Chance:
    """Dice of a seed."""

    def __init__(self, pick):
        self.pick = pick

    def roll(self, label, n, sides):
        return tuple(self.pick.randint(1, sides) for _ in range(n))


def lines(pick, state, most):
    """Lines that begin as orders do and go on with units, formations, spaces, numbers and anything."""
    units, war = [*state.units], state.edition.war
    spaces = [*state.edition.scenario["legs"][state.edition.number][2]]

    def word(kind):
        odd = pick.random() < 0.1
        return pick.choice((*units, *war.formations, *spaces, *WORDS) if odd else kind)

    forms = {
        "REFIT": lambda: f"{word(units)} {pick.choice(range(6))}",
        "REBUILD": lambda: word(units),
        "REPLACE": lambda: f"{word(units)} WITH {word(units)}",
        "BRING": lambda: word([*war.formations]),
        "HOSPITAL": lambda: word([*war.formations]),
        "ENTRENCH": lambda: word(spaces),
        "ROAD": lambda: f"{word(spaces)} TO {word(spaces)}",
        "SCOUT": lambda: pick.choice(("", "", "", "Ash")),
        "PASS": lambda: "",
    }
    verbs = pick.choices([*forms], k=pick.randint(0, most))
    return "\n".join(f"{verb} {forms[verb]()}".strip() for verb in verbs)


def played(state, pick, most):
    """The camp with any orders, step by step sound; its end."""
    orders = {seat: parse(lines(pick, state, most), state, seat).orders for seat, side in state.edition.seats.items()}
    for seat, given in orders.items():
        GAME.check(GAME.view(state, seat), seat, given)
    had = {side: points + state.edition.war.fleet.get(side, 0) for side, points in state.points.items()}
    done = play(RULES, camp_world(state, orders), Chance(pick), GAME.decisions(state, orders, {}))
    paid = dict.fromkeys(had, 0)
    now = state
    for happened in done.events:
        now = RULES.apply(now, happened)
        assert GAME.invariants(now) == (), happened
        if "cost" in happened.data:
            paid[happened.data["side"]] += happened.data["cost"]
        event_entry(happened)
    assert all(paid[side] <= had[side] for side in had)
    assert now.encode() == done.state.encode()
    assert now.phase == "over"
    return done.state


def test_there_is_no_word_of_orders_that_is_not_tried():
    pick = random.Random(0)
    tried = {line.split()[0] for _ in range(200) for line in lines(pick, small_camp(), 8).splitlines()}
    assert tried == {*GRAMMAR.verbs, "PASS"}


@pytest.mark.parametrize("seeds", [60, pytest.param(200, marks=pytest.mark.full)])
def test_any_orders_in_a_small_camp(seeds, subtests):
    for seed in range(seeds):
        with subtests.test(f"{seed}"):
            pick = random.Random(seed)
            left = {unit: pick.randint(0, full) for unit, full in WHOLE.items()}
            taken = pick.choice(((), ("Bombard",)))
            state = small_camp(
                {**left, **dict.fromkeys(taken, 0)}, taken, deploys=pick.random() < 0.5, fog=pick.random() < 0.5
            )
            played(state, pick, 12)


def camps(pick, name):
    """The camps of a shipped war one after another, behind battles that left anything; the legs after them."""
    linked = WAR_PARTS
    chain = open_war(linked, name, {})
    for number in range(1, len(chain.legs)):
        before = whole(chain.ledger, (listed.id for listed in chain.legs[number - 1].listed))
        ready = [listed for listed in before.values() if listed.standing == READY]
        steps = {listed.id: pick.randint(0, listed.now) for listed in ready}
        after = after_leg(before, LegResult({ident: count for ident, count in steps.items() if count}))
        between = CampData(chain.file, chain.legs, number, before, after, {"seats": SEATS})
        end = played(starting_position(camp_edition(between)), pick, 20)
        chain = finish_camp(chain._replace(outcomes=(*chain.outcomes, Outcome("draw"))), end.units, end.works)
        yield leg_of(linked, chain)


@pytest.mark.parametrize("seeds", [6, pytest.param(20, marks=pytest.mark.full)])
def test_any_orders_in_the_camps_of_a_shipped_war_make_battles_that_can_be_played(seeds, subtests):
    for seed in range(seeds):
        for name in ["war", "drill"]:
            with subtests.test(f"{seed!r} {name!r}"):
                for edition in camps(random.Random(seed), name):
                    state = AFRICA.start(edition)
                    assert AFRICA.invariants(state) == ()
                    assert {unit.side for unit in state.units.values()} == {"spain", "morocco"}
