"""C10 What an answer is said to be worth, against playing on from it."""

import random
from collections import defaultdict

import pytest

from pbem.engine.run.odds import StepBudget
from pbem.engine.run.questions import Asks, knowable
from pbem.engine.run.runners import Paused, advance, answer, play
from pbem.engine.run.steps import Choice, World
from pbem.engine.terms import Orders
from pbem.games.africa1860 import GAME
from pbem.games.africa1860.bots import BOTS
from pbem.games.africa1860.doctrine import Doctrine
from pbem.games.africa1860.forecast import FORECAST
from tests.games.odds_held import z_of_mean

PLAYS = 300


class Luck:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def roll(self, label, n, sides):
        return tuple(self.random.randint(1, sides) for _ in range(n))


def pauses(count):
    """Phases of bots' games at the first question to a defender, with all questions of it."""
    seed = count_found = 0
    while count_found < count:
        seed += 1
        state, luck = GAME.start(GAME.edition("castillejos", {}, {})), Luck(seed)
        for _ in range(8):
            if GAME.phase(state) is None:
                break
            (seat,) = GAME.active(state)
            view = GAME.view(state, seat)
            orders = GAME.parse(BOTS["forward"](view, seat, luck.random.randrange), view, seat).orders
            everybody = {name: Orders() for name in GAME.seats(state)} | {seat: Orders(orders.actions)}
            enemy = next(name for name in GAME.seats(state) if name != seat)
            decisions = GAME.decisions(state, everybody, {}, Asks(frozenset((enemy,))))
            met = play(GAME.rules, GAME.world(state, everybody), luck, decisions)
            if isinstance(met, Paused):
                asked = knowable(
                    GAME.rules, met.world, decisions, lambda state, w, s: GAME.telling.question(state, w, s), ()
                )
                count_found += 1
                yield met.world, asked
            world = GAME.world(state, everybody)
            while world.agenda:
                world = advance(GAME.rules, world, luck, Doctrine({})).world
            state = world.state


@pytest.mark.parametrize("count", [4, pytest.param(14, marks=pytest.mark.long)])
def test_each_answer_is_worth_what_playing_on_gives(count):
    held = 0
    for world, asked in pauses(count):
        rows = FORECAST.answer_stakes(world, asked, (), StepBudget(50_000))
        side = world.state.edition.seats[asked[0].window.seat]
        for option, value_text in zip(asked[0].question.options, rows[0] if rows else (), strict=False):
            if value_text is None or world.state.fight is None:
                continue
            args = dict(value_text.args)
            after = answer(world, asked[0].window, Choice(option.value, "answer"))
            ours, lost = 0, defaultdict(list)
            for number in range(PLAYS):
                end = fought(after, Luck(number))
                ours += end.holder(world.state.fight.target) == side
                lost[side].append(steps(world.state, side) - steps(end, side))
            share = int(str(args["share"])) / 100
            # What is told is rounded to a hundredth.
            assert abs(ours / PLAYS - share) < 0.006 + 5 * (share * (1 - share) / PLAYS + 1e-4) ** 0.5
            assert abs(z_of_mean(number_of(args["own"]), lost[side])) < 5 + 12 * (PLAYS**0.5) * 0.05
            held += 1
    assert held > 20 * count // 14


def number_of(sentence):
    parts = dict(sentence.args)
    return float(f"{parts['sign']}{parts['whole']}.{parts['part']}")


def fought(world, luck):
    """The position when the fight is over and all that follows from it is done."""
    world = World(world.state, world.agenda[: rest_of(world)], world.used)
    while world.agenda:
        world = advance(GAME.rules, world, luck, Doctrine({})).world
    return world.state


FIGHT = {
    "name roles",
    "cavalry",
    "screens",
    "support",
    "defending guns",
    "defending vanguard",
    "shock",
    "give way",
    "victorious leader",
    "intercept",
    "check",
    "lose",
    "retreat",
}


def rest_of(world):
    """Where in the agenda the fight ends: behind the last task of one that is not preceded by another."""
    return next(
        (index for index, task in enumerate(world.agenda) if index and task.name not in FIGHT), len(world.agenda)
    )


def steps(state, side):
    return sum(unit.steps for unit in state.units.values() if unit.side == side)


@pytest.mark.parametrize("count", [1, pytest.param(3, marks=pytest.mark.full)])
def test_the_orders_that_are_still_to_come_are_not_told(count):
    """Phases that differ behind the fight alone give the same figures."""
    for world, asked in pauses(count):
        bare = World(world.state, world.agenda[: rest_of(world)], world.used)
        rows = [FORECAST.answer_stakes(each, asked, (), StepBudget(50_000)) for each in (world, bare)]
        assert rows[0] == rows[1]


SEALED = (" VANGUARD Vergara SCREEN NONE", " VANGUARD Cuenca SCREEN NONE", " LOSSES Vergara, Cuenca")


def at_the_question(sealed):
    """What Morocco sees, is asked and is told its answers are worth, the attacker's order having more behind it."""
    state = GAME.start(GAME.edition("castillejos", {}, {}))
    state = state.with_units({"Bujari": state.units["Bujari"].gone_to("Cresta")})
    text = f"ACTIVATE Nudos\nASSAULT Cresta WITH Cuenca, Vergara LED BY Orozco{sealed}\n"
    orders = {"spain": Orders(GAME.parse(text, state, "spain").orders.actions), "morocco": Orders()}
    decisions = GAME.decisions(state, orders, {}, Asks(frozenset(("morocco",))))
    met = play(GAME.rules, GAME.world(state, orders), Luck(1), decisions)
    assert isinstance(met, Paused)
    asked = knowable(GAME.rules, met.world, decisions, lambda state, w, s: GAME.telling.question(state, w, s), ())
    view = GAME.view(met.world.state, "morocco")
    rows = FORECAST.answer_stakes(met.world._replace(state=view), asked, (), StepBudget(50_000))
    seen = [GAME.see(event, "morocco", state) for event in met.events]
    return view, [entry for entry in seen if entry], rows


@pytest.mark.parametrize("many", [1, pytest.param(len(SEALED), marks=pytest.mark.full)])
def test_what_the_attacker_keeps_sealed_cannot_be_felt_out(many):
    """O8.2, O8.3 Vanguards and screens are named at once: who is asked for his sees nothing of the other's."""
    plain_view, *plain = at_the_question("")
    for sealed in SEALED[:many]:
        view, *option_texts = at_the_question(sealed)
        assert view.key() == plain_view.key()
        assert option_texts == plain
    assert len(plain[1]) == 2
