"""How a game stands, as plain data and in words: goals and who holds them, points, what is lacking to win, what changed
and why, who is still to come, the state of each army.

A game makes it of what one seat may see (`Telling.stakes`). Sides are named as the game names them; `UNSEEN` stands
where the rules hide from the seat who holds something.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.report import Block, Line

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


# In words: the situation at the head of a report, what wins, and where the points came from.


class Wording(NamedTuple):
    """What a game says itself: the names of its sides, what its points are for, why some came, who is to come, how an
    army is, what else counts."""

    sides: Mapping[str, Msg]
    kinds: Mapping[str, Msg]
    gain: Callable[[Gain], Msg]
    arrival: Callable[[Sequence[Arrival]], Msg]
    army: Callable[[Army], Msg]
    tally: Callable[[Tally], Msg]


class Account(NamedTuple):
    """A step of the account of a game: its turn, whose phase it was, None of a ruling, and what changed in it."""

    turn: int
    phase: Msg | None
    gains: tuple[Gain, ...]


def situation(stakes: Stakes, words: Wording) -> Block:
    """Return the situation of a report: turn, points, goals, changes that gave points, arrivals and armies."""
    lines = [*_points(stakes, words), *_goals(stakes, words)]
    changed = tuple(_gained(gain, words) for gain in stakes.gains if gain.points)
    if changed:
        lines.append(msg("Changed in this phase: {changes}.", changes=_one_line(changed)))
    lines += _next_arrivals(stakes.expected, words)
    lines += map(words.army, stakes.armies)
    return Block(_time(stakes), tuple((0, line) for line in lines))


def uneventful(seen: Sequence[object], first: bool) -> tuple[Msg, ...]:
    """Return what is said where there is no happening to tell: as a game begins, or of a quiet phase."""
    if seen:
        return (msg("You saw nothing happen in this phase."),)
    return (msg("No phase has been played yet."),) if first else ()


def winning(stakes: Stakes, words: Wording) -> Block:
    """Return what counts and how one wins, for the brief; what a first letter may leave out is deeper."""
    lines: list[Line] = [(0, line) for line in _goals(stakes, words)]
    if stakes.tallies:
        lines.append((0, msg("Other points: {rows}.", rows=_one_line(tuple(map(words.tally, stakes.tallies))))))
    lines += [(0, line) for line in _terms(stakes, words)]
    lines += [(1, line) for line in _points(stakes, words)]
    lines += _expected(stakes.expected, words)
    return Block(msg("How to win"), tuple(lines))


def _one_line(parts: Sequence[Msg]) -> Msg:
    """Parts with semicolons between them."""
    said, *rest = parts
    for part in rest:
        said = msg("{a}; {b}", a=said, b=part)
    return said


def account_for(start: Sequence[Score], phases: Iterable[Account], words: Wording) -> Block:
    """Return where the points of a game came from, phase by phase; phases that brought none are left out."""
    lines: list[Line] = [(0, msg("At the beginning: {points}.", points=_scored(start, words)))]
    for turn, phase, gained in phases:
        telling = [gain for gain in gained if gain.points]
        if telling:
            lines.append((0, msg("Turn {turn}, {phase}:", turn=turn, phase=phase) if phase else _ruled(turn)))
            lines += [(1, _gained(gain, words)) for gain in telling]
    return Block(msg("Where the points came from"), tuple(lines))


def _ruled(turn: int) -> Msg:
    return msg("Before turn {turn}, by the moderator's ruling:", turn=turn)


def _time(stakes: Stakes) -> Msg:
    """Return the turn of how many."""
    if not stakes.turns or stakes.over:
        return msg("The situation")
    if not stakes.turn:
        return msg("Before turn 1 of {turns}", turns=stakes.turns)
    if stakes.left == 1:
        return msg("Turn {turn} of {turns}, the last", turn=stakes.turn, turns=stakes.turns)
    return msg("Turn {turn} of {turns}", turn=stakes.turn, turns=stakes.turns)


def _points(stakes: Stakes, words: Wording) -> Iterable[Msg]:
    """Points, who wins by them, and what the others lack."""
    if not stakes.scores:
        return
    points = _made_of(stakes, words)
    if stakes.over:
        yield from _outcome(stakes, words)
        return
    if not stakes.leader and not stakes.hidden:
        yield msg("Points, as far as you can see: {points}.", points=points)
        return
    if not stakes.leader:
        yield msg(
            "Points, as far as you can see: {points}; out of sight: {n}.",
            points=points,
            n=stakes.hidden,
        )
        return
    yield msg("Points: {points}.", points=points)
    needs = tuple(
        msg("{n} more {n:|point|points} would win it for {side}", side=words.sides[score.side], n=score.lacks)
        for score in stakes.scores
        if score.lacks
    )
    if any(one.lead is None for one in stakes.scores):
        return
    told = msg("If it ended now: a draw")
    if stakes.leader in words.sides:
        told = msg("If it ended now: victory for {side}", side=words.sides[stakes.leader])
    yield msg("{sentence}.", sentence=_one_line((told, *needs)))


def _outcome(stakes: Stakes, words: Wording) -> Iterable[Msg]:
    """The end: winner, margin, and by what terms."""
    first, second = stakes.scores
    points, rule = _made_of(stakes, words), stakes.cite
    if stakes.leader in words.sides:
        yield msg(
            "The game is over: victory for {side} [{rule}]: {points}.",
            side=words.sides[stakes.leader],
            points=points,
            rule=rule,
        )
    else:
        yield msg("The game is over: a draw [{rule}]: {points}.", points=points, rule=rule)
    ahead = first if first.points >= second.points else second
    margin = abs(first.points - second.points)
    if margin:
        yield msg("Margin: {n} for {side}.", n=margin, side=words.sides[ahead.side])
    else:
        yield msg("Margin: none, both have the same points.")
    yield from _terms(stakes, words)


def _terms(stakes: Stakes, words: Wording) -> Iterable[Msg]:
    """The lead that each side wins by, and what is a draw."""
    leads = [(words.sides[one.side], one.lead) for one in stakes.scores if one.lead is not None]
    if len(leads) < len(stakes.scores) or not leads:
        return
    (first, high), (second, low) = leads
    wins = (_wins(first, second, high), _wins(second, first, low))
    yield msg("When turn {turn} has been played: {one}; {two}.", turn=stakes.turns, one=wins[0], two=wins[1])
    drawn = _drawn((first, second), 1 - low, high - 1)
    if drawn:
        yield msg("A draw: {cases}.", cases=drawn)


def _wins(side: Msg, other: Msg, lead: int) -> Msg:
    """The least lead that wins; a side may win from behind."""
    if lead > 0:
        return msg("victory for {side} with {n} or more ahead of {other}", side=side, n=lead, other=other)
    if lead == 0:
        return msg("victory for {side} if level with {other} or ahead", side=side, other=other)
    return msg("victory for {side} if no more than {n} behind {other}", side=side, n=-lead, other=other)


def _drawn(sides: tuple[Msg, Msg], least: int, most: int) -> tuple[Msg, ...]:
    """The leads of the first side, from `least` to `most`, at which nobody wins."""
    if least > most:
        return ()
    cases = []
    if least <= 0 <= most:
        cases.append(msg("both level"))
    for side, low, high in ((sides[0], least, most), (sides[1], -most, -least)):
        low = max(low, 1)
        if low == high:
            cases.append(msg("{side} ahead by {n}", side=side, n=low))
        elif low < high:
            cases.append(msg("{side} ahead by {low} to {high}", side=side, low=low, high=high))
    return tuple(cases)


def _goals(stakes: Stakes, words: Wording) -> Iterable[Msg]:
    """A line for each that has goals, with their points; then those that nobody has, and those out of sight."""
    for holder in (*words.sides, "", UNSEEN):
        held = [goal for goal in stakes.goals if goal.holder == holder and goal.kind == "place"]
        if not held:
            continue
        goals = tuple(map(_goal, held))
        if holder == UNSEEN:
            yield msg("Goals out of sight (?): {goals}.", goals=goals)
        elif not holder:
            yield msg("Goals held by nobody: {goals}.", goals=goals)
        else:
            yield msg("Goals held by {side}: {goals}.", side=words.sides[holder], goals=goals)


def _goal(goal: Goal) -> Msg:
    """Where and what for; and whether it is held though nobody stands there."""
    text = msg("{place} {n}", place=goal.places[0], n=goal.worth)
    return text if goal.manned or goal.holder in ("", UNSEEN) else msg("{goal} (empty)", goal=text)


def _gained(gain: Gain, words: Wording) -> Msg:
    """Why, then whom it gave and took how many points."""
    points = tuple(msg("{side} {n}", side=words.sides[side], n=f"{n:+d}") for side, n in gain.points)
    if not points:
        return msg("{why} (no point yet)", why=words.gain(gain))
    return msg("{why}: {points}", why=words.gain(gain), points=points)


def _expected(arrivals: Sequence[Arrival], words: Wording) -> list[Line]:
    """Return all arrivals, a line for each turn; those of later turns are deeper."""
    turns = sorted({arrival.turn for arrival in arrivals})
    first = [(0, line) for line in _next_arrivals(arrivals, words)]
    return [*first, *((1, _arriving(arrivals, turn, words)) for turn in turns[1:])]


def _next_arrivals(arrivals: Sequence[Arrival], words: Wording) -> Iterable[Msg]:
    """Return a line on the next turn with arrivals, and whether there are later ones."""
    turns = sorted({arrival.turn for arrival in arrivals})
    if turns:
        first = msg("Expected {arrivals}", arrivals=_arriving(arrivals, turns[0], words))
        yield msg("{first}; more later (BRIEF)", first=first) if turns[1:] else first


def _arriving(arrivals: Sequence[Arrival], turn: int, words: Wording) -> Msg:
    return words.arrival([arrival for arrival in arrivals if arrival.turn == turn])


def _scored(found: Sequence[Score], words: Wording) -> tuple[Msg, ...]:
    return tuple(msg("{side} {n}", side=words.sides[one.side], n=one.points) for one in found)


def _made_of(stakes: Stakes, words: Wording) -> tuple[Msg, ...]:
    """The points of each side, with what they are for."""
    told = []
    for score in stakes.scores:
        parts: dict[str, int] = {}
        for one in stakes.counted:
            if one.side == score.side and one.points:
                parts[one.kind] = parts.get(one.kind, 0) + one.points
        what = tuple(msg("{what} {n}", what=words.kinds[kind], n=n) for kind, n in parts.items())
        gaps = {"side": words.sides[score.side], "n": score.points}
        told.append(msg("{side} {n} ({what})", what=what, **gaps) if what else msg("{side} {n}", **gaps))
    return tuple(told)
