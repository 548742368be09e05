"""S5, S6, S7 What an answer is said to be worth, against playing on from it; and that nothing sealed is in it."""

import pytest

from pbem.engine.data.situation import field_names
from pbem.engine.map.hexes import direction, front, neighbours
from pbem.engine.run.odds import Experiment, StepBudget, apart, spread
from pbem.engine.run.questions import Asks, knowable
from pbem.engine.run.runners import Paused, answer, play
from pbem.engine.run.steps import Choice, Task, World
from pbem.engine.terms import Orders
from pbem.games.peninsular import GAME
from pbem.games.peninsular.doctrine import Doctrine
from pbem.games.peninsular.edition import alliance_of
from pbem.games.peninsular.forecast import FORECAST
from pbem.games.peninsular.state import State
from tests.games.odds_held import Luck

START = GAME.start(GAME.edition("training", {}, {}))
SEAT, ENEMY = sorted(
    GAME.seats(START), key=lambda seat: alliance_of(GAME.seats(START)[seat]) != alliance_of(START.phase)
)


def facing(kind, defenders, guns=False):
    """One counter of a kind, perhaps with guns, before so many infantry counters of the other side, nobody else on the
    map, no orders."""
    ours = [u for u in START.units.values() if u.camp == alliance_of(START.phase) and u.kind == kind]
    foes = [u for u in START.units.values() if u.camp != alliance_of(START.phase) and u.kind == "inf"][:defenders]
    target = foes[0].at
    near = neighbours(target)[0]
    faces = direction(near, target)
    assert target in front(near, faces)
    own = ours[0]._replace(at=near, facing=faces)
    there = {
        own.id: own,
        **{foe.id: foe._replace(at=target, pf=min(foe.pf, 3), facing=direction(target, near)) for foe in foes},
    }
    if guns:
        battery = next(u for u in START.units.values() if u.camp == own.camp and u.kind == "art")
        there[battery.id] = battery._replace(at=near, facing=faces, limbered=False)
    return START.change(units=there), own, target


def asked_of(state, text, seed=1):
    """Each pause for the defender with these dice, where he keeps silent before, and what he is asked."""
    orders = {SEAT: Orders(GAME.parse(text, state, SEAT).orders.actions), ENEMY: Orders()}
    assert not GAME.check(state, SEAT, orders[SEAT])
    decisions, luck = GAME.decisions(state, orders, {}, Asks(frozenset((ENEMY,)))), Luck(seed)
    met = play(GAME.rules, GAME.world(state, orders), luck, decisions)
    while isinstance(met, Paused):
        asked = knowable(GAME.rules, met.world, decisions, lambda state, w, s: GAME.telling.question(state, w, s), ())
        yield met, asked
        met = play(GAME.rules, answer(met.world, asked[0].window, asked[0].silence), luck, decisions)


def pauses():
    """Questions to the defenders of one hex: whether to fire, who leads, whether to form square."""
    for kind, defenders, guns in (("inf", 2, 0), ("cav", 2, 0), ("inf", 1, 0), ("cav", 1, 0), ("inf", 2, 1)):
        state, own, target = facing(kind, defenders, bool(guns))
        verb = f"CHARGE {own.id} AT {target}" if kind == "cav" else f"ASSAULT {target} WITH {own.id}"
        for seed in range(6):
            for met, asked in asked_of(state, f"ORDER {own.division} ATTACK\n{verb}\n", seed):
                yield (kind, defenders, guns, asked[0].window.what), target, met, asked


@pytest.fixture(scope="module")
def met():
    return {name: pause for name, *pause in pauses()}


def test_each_answer_is_worth_what_playing_on_gives(met):
    """Where nobody else is on the map the whole half comes to what the assault alone is said to come to."""
    assert {what for *_, what in met} >= {"fire", "square", "defence"}
    for target, pause, asked in met.values():
        view = GAME.view(pause.world.state, ENEMY)
        world = pause.world._replace(state=view)
        (row, *_) = FORECAST.answer_stakes(world, asked, (), StepBudget(50_000))
        for option, value_text in zip(asked[0].question.options, row, strict=True):
            assert value_text is not None
            args = dict(value_text.args)
            after = answer(world, asked[0].window, Choice(option.value, "answer"))
            ends = fought(after)
            share = weighed(ends, lambda state, held=target: bool(state.foes(held, START.phase)))
            assert int(args["share"]) == pytest.approx(100 * share, abs=0.51)
            for gap, side in (("own", False), ("enemy", True)):
                lost = pf(view, side) - weighed(ends, lambda state, side=side: pf(state, side))
                assert number_of(args[gap]) == pytest.approx(lost, abs=0.051)


def weighed(ends, what):
    return sum(weight * what(world.state) for world, weight in ends)


def number_of(sentence):
    parts = dict(sentence.args)
    return float(f"{parts['sign']}{parts['whole']}.{parts['part']}")


def fought(world):
    """The worlds in which all assaults are over, of all that is still to be done in the half."""
    course = Experiment(
        world, apart(world.state, field_names(State)), lambda world_now: world_now.agenda[0].name == "rallies"
    )
    return spread(GAME.rules, course, Doctrine({}))


def pf(state, moving):
    return sum(unit.pf for unit in state.units.values() if (unit.camp == alliance_of(START.phase)) is moving)


def test_what_the_other_side_keeps_sealed_cannot_be_felt_out():
    """S2, S7 Orders of divisions and fire that is still to come: neither what he sees nor what he is told has them."""
    state, own, target = facing("inf", 2)
    gun = next(u for u in START.units.values() if u.kind == "art" and u.camp == own.camp)
    gun = gun._replace(at=own.at, facing=own.facing, limbered=False)
    state = state.change(units={**state.units, gun.id: gun})
    text = f"ORDER {own.division} ATTACK\nASSAULT {target} WITH {own.id}\n"
    texts = []
    for more in ("", f"FIRE {gun.id} AT {target}\n"):
        met, asked = next(asked_of(state, text + more))
        view = GAME.view(met.world.state, ENEMY)
        rows = FORECAST.answer_stakes(met.world._replace(state=view), asked, (), StepBudget(50_000))
        texts.append((view.key(), asked, rows))
    assert texts[0] == texts[1]
    assert any(texts[0][2][0])


def test_fire_that_is_ordered_and_not_yet_given_is_left_out_while_the_rest_of_it_is_given():
    state, own, target = facing("inf", 2)
    gun = next(u for u in START.units.values() if u.kind == "art" and u.camp == own.camp)
    state = state.change(units={**state.units, gun.id: gun._replace(at=own.at, facing=own.facing, limbered=False)})
    met, asked = next(asked_of(state, f"ORDER {own.division} ATTACK\nASSAULT {target} WITH {own.id}\n"))
    first, *rest = met.world.agenda
    to_come = Task("fire at", (gun.id, target, 2, "")), Task("fire order", ((gun.id,), target, 1))
    view = GAME.view(met.world.state, ENEMY)
    worlds = [World(view, (first, *more, *rest), met.world.used) for more in ((), to_come)]
    rows = [FORECAST.answer_stakes(world, asked, (), StepBudget(50_000)) for world in worlds]
    assert rows[0] == rows[1]


def test_who_moves_is_told_nothing_of_what_a_defender_may_do(met):
    """His own answers hang on orders of his that lie sealed, and are not weighed."""
    for _, pause, asked in met.values():
        mine = [question._replace(window=question.window._replace(seat=SEAT)) for question in asked]
        assert FORECAST.answer_stakes(pause.world, mine, (), StepBudget(50_000)) == ()


def test_what_takes_too_long_has_no_figure(met):
    _, pause, asked = next(iter(met.values()))
    world = World(GAME.view(pause.world.state, ENEMY), pause.world.agenda, pause.world.used)
    assert set(FORECAST.answer_stakes(world, asked, (), StepBudget(0))[0]) == {None}
