"""The odds of a half against playing it: all of its fire, charges and shocks count, or it is said that they do not."""

import random
from functools import cache
from typing import Any

import pytest

from pbem.campaign.commands.questions.odds import PER_LETTER
from pbem.core.game import Orders
from pbem.core.run.foresight import foresee
from pbem.core.run.odds import Purse, Reckoning
from pbem.core.run.runners import advance
from pbem.core.run.steps import Task, World, procedure
from pbem.games.peninsular import GAME
from pbem.games.peninsular.battle.doctrine import Doctrine
from pbem.games.peninsular.battle.forecast import half_odds
from pbem.games.peninsular.bots import BOTS
from pbem.games.peninsular.orders.actions import Assault
from pbem.games.peninsular.phase.sequence import task_of
from tests.games.odds_held import Counted, Together, hold

POSITIONS = 40
PLAYS = 100
AFTER = procedure(("lone", "charges", "defensive fire", "offensive fire", "shocks"))


class Luck:
    """Dice that are thrown anew each time."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def roll(self, label, n, sides):
        return tuple(self.random.randint(1, sides) for _ in range(n))


@cache
def positions(count=POSITIONS):
    """Positions of bots' games with a half in which one hex is assaulted, and its orders."""
    found: list[tuple[Any, str, Orders]] = []
    seed = 0
    while len(found) < count:
        seed += 1
        state, luck = GAME.start(GAME.edition("training", {}, {})), Luck(seed)
        while GAME.phase(state) is not None and len(found) < count:
            (seat,) = GAME.active(state)
            view = GAME.view(state, seat)
            text = BOTS["forward"](view, seat, luck.random.randrange)
            orders = GAME.parse(text, view, seat).orders
            hexes = {action.target for action in orders.actions if isinstance(action, Assault)}
            if hexes and not GAME.check(view, seat, orders):
                found.append((view, seat, orders))
            world = GAME.world(state, {name: Orders() for name in GAME.seats(state)} | {seat: orders})
            while world.agenda:
                world = advance(GAME.rules, world, luck, Doctrine({})).world
            state = world.state
    return found


def before_the_first_die(view, seat, orders):
    tasks = (Task("half begins"), *(task_of(action) for action in orders.actions))
    return foresee(GAME.rules, World(view, tasks), Doctrine({seat: orders.standing}), (seat,))


def counted(seen, seat, orders, plays, luck):
    """What came of the assaults of a half that was played so often, by their hexes."""
    own, marked = Doctrine({seat: orders.standing}), seen.state
    found = {target: Counted(plays) for target, _ in marked.assaults}
    for _ in range(plays):
        world = World(seen.world.state, (*seen.world.agenda, *AFTER))
        while world.agenda:
            world = advance(GAME.rules, world, luck, own).world
        for target, one in found.items():
            fighters = {"ours": marked.marked(target), "theirs": marked.foes(target, marked.phase)}
            lost = [
                sum(unit.pf - (now.pf if (now := world.state.units.get(unit.id)) else 0) for unit in fighters[who])
                for who in ("ours", "theirs")
            ]
            one.add(not world.state.foes(target, marked.phase), lost)
    return found


@pytest.mark.parametrize("part", range(4))
def test_the_odds_of_a_half_are_what_playing_it_gives(part):
    told, together = 0, Together()
    for number, (view, seat, orders) in enumerate(positions()[part::4]):
        seen = before_the_first_die(view, seat, orders)
        if not seen.state.assaults:
            continue
        half = World(seen.world.state, (*seen.world.agenda, *AFTER))
        own = Doctrine({seat: orders.standing})
        odds = Purse(PER_LETTER).pay("", lambda step: weighed(half, seen.state, own, step))  # noqa: B023
        if odds is None:
            continue
        for target, held in counted(seen, seat, orders, PLAYS, Luck(number)).items():
            one = odds[target]
            ours = seen.state.marked(target)[0].camp
            theirs = "french" if ours == "allied" else "allied"
            figures = 1.0, one.win, [one.losses[ours], one.losses[theirs]]
            hold(figures, held)
            together.add(figures, held)
            told += 1
    assert told >= 2
    assert abs(together.z) < 4


def weighed(half, marked, own, step):
    return half_odds(GAME.rules, half, marked, own, Reckoning(step=step))
