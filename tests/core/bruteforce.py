"""All that dice can do, one path after another: what the luck of throws is held against."""

from fractions import Fraction
from itertools import product

from pbem.engine.run.runners import walk


class Short(Exception):
    """A path that has no dice left for this roll."""

    def __init__(self, n, sides):
        super().__init__(n, sides)
        self.n, self.sides = n, sides


class Path:
    """Dice that show what was written down, roll after roll."""

    def __init__(self, rolls):
        self.rolls, self.at = rolls, 0

    def roll(self, label, n, sides):
        if self.at == len(self.rolls):
            raise Short(n, sides)
        self.at += 1
        return self.rolls[self.at - 1]


def all_paths(rules, world, decisions, over=lambda world: False, rolls=(), weight=Fraction(1)):
    """Every path of the dice from `world` until `over`, or to the end, with its weight and the state it ends in."""
    dice = Path(rolls)
    state = world.state
    try:
        world_now = world
        for _, moment in walk(rules, world, dice, decisions):
            world_now, state = moment.world, moment.world.state
            if over(world_now):
                break
    except Short as short:
        total = short.sides**short.n
        for values in product(range(1, short.sides + 1), repeat=short.n):
            yield from all_paths(rules, world, decisions, over, (*rolls, values), weight / total)
        return
    yield rolls, weight, state


class First:
    """The dice of a path as long as it goes; then ones."""

    def __init__(self, rolls):
        self.path = Path(rolls)

    def roll(self, label, n, sides):
        try:
            return self.path.roll(label, n, sides)
        except Short:
            return (1,) * n
