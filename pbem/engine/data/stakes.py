"""How a game stands, as plain data: goals and who holds them, points, what is lacking to win, what changed and why,
who is still to come, the state of each army.

A game makes it of what one seat may see (`Telling.stakes`); a report puts it into words (`stakes_told`). Sides are
named as the game names them; `UNSEEN` stands where the rules hide from the seat who holds something.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from pbem.engine.data.canon import Json

UNSEEN = "?"
"""The holder of what is out of sight."""


class Earned(NamedTuple):
    """Something that points are counted for now, and the side that gets them.

    `amount` is how much of it there is (steps lost, guns taken), `units` are those it is counted of.
    """

    side: str
    kind: str
    what: str
    points: int
    amount: int = 0
    units: tuple[str, ...] = ()


class Goal(NamedTuple):
    """Ground that counts: where it is, what it is worth, and the side that has it, empty if none has.

    `kind` is ``place`` for one that is held, else the game's word. `manned` says whether anybody of it is there.
    """

    kind: str
    places: tuple[str, ...]
    worth: int
    holder: str
    manned: bool = True


class Tally(NamedTuple):
    """What else gives points, by the game's word for it: so many points for each so many of it, of `units` alone if any
    are named."""

    kind: str
    points: int
    each: int = 1
    units: tuple[str, ...] = ()


class Score(NamedTuple):
    """A side's points, the least lead at the end with which it wins, and how many points it lacks for that now.

    The lead may be below zero. What a seat may not know, and what no scenario says, is None.
    """

    side: str
    points: int
    lead: int | None = None
    lacks: int | None = None


class Gain(NamedTuple):
    """A change of what is counted, in a phase: whom it gave or took how many points, and why.

    Of a place, who had it (`was`) and has it (`now`); of what is counted by number, how many came to it (`more`) and
    how many there are now (`total`), and `units`, those that came to it.
    """

    kind: str
    what: str
    points: tuple[tuple[str, int], ...]
    was: str = ""
    now: str = ""
    more: int = 0
    total: int = 0
    units: tuple[str, ...] = ()


class Arrival(NamedTuple):
    """Reinforcements of a side: from which turn on they may come and where, by a die of `needs` or more.

    `late` ones were due before and had no way in.
    """

    side: str
    turn: int
    units: tuple[str, ...]
    places: tuple[str, ...]
    name: str = ""
    needs: int = 1
    late: bool = False


class Army(NamedTuple):
    """The state of a side: units that fight, their strength now and as they began, guns, leaders, and who is shaken.

    Of one that is not `whole` only what is in sight is counted.
    """

    side: str
    units: int
    strength: int
    full: int
    guns: int
    leaders: int
    shaken: tuple[str, ...] = ()
    routed: tuple[str, ...] = ()
    whole: bool = True


class Stakes(NamedTuple):
    """All of it. `turns` is 0 where no scenario says how long is played; `left` counts the turn that is on.

    `leader` is the side that would win if it ended now, or has won (`over`); ``draw`` if none would, empty if the seat
    may not know. `counted` is what the points are made of, `hidden` the points of places out of sight. `cite` is the
    rule by which a game ended.
    """

    turn: int = 1
    turns: int = 0
    left: int = 0
    over: bool = False
    leader: str = ""
    goals: tuple[Goal, ...] = ()
    tallies: tuple[Tally, ...] = ()
    scores: tuple[Score, ...] = ()
    counted: tuple[Earned, ...] = ()
    gains: tuple[Gain, ...] = ()
    expected: tuple[Arrival, ...] = ()
    armies: tuple[Army, ...] = ()
    hidden: int = 0
    cite: str = ""

    def to_json(self) -> Json:
        """Return it as a JSON value: every record an object with the names of its fields."""
        rows = {name: value for name, value in self._asdict().items() if isinstance(value, tuple)}
        plain = {name: value for name, value in self._asdict().items() if name not in rows}
        return {**plain, **{name: [_row(one) for one in value] for name, value in rows.items()}}


def _row(one: NamedTuple) -> Json:
    """A record as an object; points by side are an object of their own."""
    found: dict[str, Json] = {}
    for name, value in one._asdict().items():
        if name == "points" and isinstance(value, tuple):
            found[name] = dict(value)
        else:
            found[name] = list(value) if isinstance(value, tuple) else value
    return found


def summed(counted: Iterable[Earned], sides: Iterable[str]) -> dict[str, int]:
    """Return the points of each side."""
    points = dict.fromkeys(sides, 0)
    for one in counted:
        points[one.side] += one.points
    return points


def gains(before: Sequence[Earned], after: Sequence[Earned]) -> tuple[Gain, ...]:
    """Return what changed between two counts, in the order of the later; together it is the difference of the points.

    What is counted once is told by its kind and by what it is: of places the holder may change, the rest grows.
    """
    was = {(one.kind, one.what): one for one in before}
    now = {(one.kind, one.what): one for one in after}
    found = []
    for key in dict.fromkeys((*now, *was)):
        old, new = was.get(key), now.get(key)
        if old == new:
            continue
        points = _difference(old, new)
        more = (new.amount if new else 0) - (old.amount if old else 0)
        if points or more:
            came = tuple(one for one in (new.units if new else ()) if old is None or one not in old.units)
            gone = tuple(one for one in (old.units if old else ()) if new is None or one not in new.units)
            total = new.amount if new else 0
            holders = (old.side if old else "", new.side if new else "")
            found.append(Gain(*key, points, *holders, more=more, total=total, units=came or gone))
    return tuple(found)


def _difference(old: Earned | None, new: Earned | None) -> tuple[tuple[str, int], ...]:
    """The points by which the sides differ, the gainer first."""
    points: dict[str, int] = {}
    for one, sign in ((new, 1), (old, -1)):
        if one is not None:
            points[one.side] = points.get(one.side, 0) + sign * one.points
    return tuple((side, n) for side, n in points.items() if n)


def scores(points: Mapping[str, int], leads: Mapping[str, int], known: bool = True) -> tuple[Score, ...]:
    """Return the score of two sides, given the lead that each of them needs; what is not `known` lacks nothing told."""
    found = []
    for side, mine in points.items():
        theirs = sum(n for other, n in points.items() if other != side)
        lead = leads.get(side)
        lacks = None if lead is None or not known else max(0, lead - (mine - theirs))
        found.append(Score(side, mine, lead, lacks))
    return tuple(found)
