"""The score of a game, as data and in words.

It has goals, points, changes, arrivals and armies. A game makes it from one seat's view (`Reporting.stakes`).
Sides are named as the game names them; `UNSEEN_HOLDER` replaces a holder that the rules hide from the seat.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.report import Block, Line

UNSEEN_HOLDER = "?"
"""The holder of a place that is out of sight."""


class ScoredPoints(NamedTuple):
    """A reason for points that count now, and the side that gets them.

    `amount` is how much is counted (steps lost, guns taken), `units` are the units counted.
    """

    side: str
    kind: str
    what: str
    points: int
    amount: int = 0
    units: tuple[str, ...] = ()


class Goal(NamedTuple):
    """Ground that counts: places, worth, and the side that holds it, empty if none.

    `kind` is ``place`` for a held place, else the game's word. `manned` is True if the holder has a unit there.
    """

    kind: str
    places: tuple[str, ...]
    worth: int
    holder: str
    manned: bool = True


class PointSource(NamedTuple):
    """Another source of points, by the game's word: points for `each` so many things.

    If `units` are named, only they count.
    """

    kind: str
    points: int
    each: int = 1
    units: tuple[str, ...] = ()


class Score(NamedTuple):
    """A side's points, its winning lead, and the points it lacks.

    The winning lead is the least lead that wins at the end; it may be negative. A value is None if the seat may not
    know it, or the scenario does not define it.
    """

    side: str
    points: int
    lead: int | None = None
    lacks: int | None = None


class Gain(NamedTuple):
    """A change of the count in a phase: points by side, and the reason.

    For a place, its holder before (`was`) and after (`now`); for counted things, the increase (`more`), the
    number now (`total`), and the `units` that were added.
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
    """Reinforcements of a side: first turn, places, and the die of `needs` or more.

    With `late` they were due before and could not enter.
    """

    side: str
    turn: int
    units: tuple[str, ...]
    places: tuple[str, ...]
    name: str = ""
    needs: int = 1
    late: bool = False


class Army(NamedTuple):
    """The state of a side: combat units, strength, guns, leaders, shaken.

    Strength is present and at the start. If it is not `whole`, only units in sight are counted.
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


class ScoreSheet(NamedTuple):
    """The score of a game.

    `turns` is 0 without a limit; `left` counts the present turn. `leader` is the side that would win if the game
    ended now, or has won (`over`); ``draw`` if nobody would win, empty if the seat may not know. `counted` are the
    reasons of the points, `hidden` the points of places out of sight. `cite` is the rule by which a game ended.
    """

    turn: int = 1
    turns: int = 0
    left: int = 0
    over: bool = False
    leader: str = ""
    goals: tuple[Goal, ...] = ()
    tallies: tuple[PointSource, ...] = ()
    scores: tuple[Score, ...] = ()
    counted: tuple[ScoredPoints, ...] = ()
    gains: tuple[Gain, ...] = ()
    expected: tuple[Arrival, ...] = ()
    armies: tuple[Army, ...] = ()
    hidden: int = 0
    cite: str = ""

    def to_json(self) -> Json:
        """Return a JSON value: every record an object with its field names."""
        rows = {name: value for name, value in self._asdict().items() if isinstance(value, tuple)}
        plain = {name: value for name, value in self._asdict().items() if name not in rows}
        return {**plain, **{name: [_row(record) for record in value] for name, value in rows.items()}}


def _row(record: NamedTuple) -> Json:
    """Return a record as an object; points by side are an object too."""
    row: dict[str, Json] = {}
    for name, value in record._asdict().items():
        if name == "points" and isinstance(value, tuple):
            row[name] = dict(value)
        else:
            row[name] = list(value) if isinstance(value, tuple) else value
    return row


def sum_points(counted: Iterable[ScoredPoints], sides: Iterable[str]) -> dict[str, int]:
    """Return the points of each side."""
    points = dict.fromkeys(sides, 0)
    for item in counted:
        points[item.side] += item.points
    return points


def point_changes(before: Sequence[ScoredPoints], after: Sequence[ScoredPoints]) -> tuple[Gain, ...]:
    """Return the changes between two counts, in the order of the later one.

    Together they are the difference of the points. Reasons are compared by kind and name: the holder of a place
    may change, other amounts grow.
    """
    earlier = {(item.kind, item.what): item for item in before}
    later = {(item.kind, item.what): item for item in after}
    changes = []
    for key in dict.fromkeys((*later, *earlier)):
        old, new = earlier.get(key), later.get(key)
        if old == new:
            continue
        points = _difference(old, new)
        more = (new.amount if new else 0) - (old.amount if old else 0)
        if points or more:
            added = tuple(unit for unit in (new.units if new else ()) if old is None or unit not in old.units)
            removed = tuple(unit for unit in (old.units if old else ()) if new is None or unit not in new.units)
            total = new.amount if new else 0
            holders = (old.side if old else "", new.side if new else "")
            changes.append(Gain(*key, points, *holders, more=more, total=total, units=added or removed))
    return tuple(changes)


def _difference(old: ScoredPoints | None, new: ScoredPoints | None) -> tuple[tuple[str, int], ...]:
    """Return the difference in points by side, the gainer first."""
    points: dict[str, int] = {}
    for item, sign in ((new, 1), (old, -1)):
        if item is not None:
            points[item.side] = points.get(item.side, 0) + sign * item.points
    return tuple((side, n) for side, n in points.items() if n)


def scores(points: Mapping[str, int], leads: Mapping[str, int], known: bool = True) -> tuple[Score, ...]:
    """Return the score of two sides, given the lead that each of them needs.

    Unless it is `known`, the points lacking are None.
    """
    side_scores = []
    for side, mine in points.items():
        theirs = sum(n for other, n in points.items() if other != side)
        lead = leads.get(side)
        # A side beyond the lead that it needs lacks nothing.
        lacks = None if lead is None or not known else max(0, lead - (mine - theirs))
        side_scores.append(Score(side, mine, lead, lacks))
    return tuple(side_scores)


# In words: the situation at the head of a report, what wins, and where the points came from.


class ScoreWords(NamedTuple):
    """A game's words: sides, reasons of points, arrivals, armies, other counts.

    Points of the kinds of `losses` are not among the changes of a phase: reports list losses separately.
    """

    sides: Mapping[str, Msg]
    kinds: Mapping[str, Msg]
    gain: Callable[[Gain], Msg]
    arrival: Callable[[Sequence[Arrival]], Msg]
    army: Callable[[Army], Msg]
    tally: Callable[[PointSource], Msg]
    losses: Collection[str]


class AccountStep(NamedTuple):
    """A step of a game's account: turn, phase (None for a ruling), and changes."""

    turn: int
    phase: Msg | None
    gains: tuple[Gain, ...]


def situation_block(sheet: ScoreSheet, words: ScoreWords) -> Block:
    """Return the situation of a report: turn, points, goals, arrivals and armies."""
    lines = [*_points(sheet, words, reasons=sheet.over), *_goals(sheet, words)]
    changes = tuple(_gain_line(gain, words) for gain in sheet.gains if gain.points and gain.kind not in words.losses)
    if changes:
        lines.append(msg("Changed in this phase: {changes}.", changes=join_parts(changes)))
    turn = min((arrival.turn for arrival in sheet.expected if arrival.turn <= sheet.turn + 1), default=0)
    lines += _next_arrivals([arrival for arrival in sheet.expected if arrival.turn == turn], words)
    if sheet.armies:
        lines.append(msg("In the field: {armies}.", armies=join_parts(tuple(map(words.army, sheet.armies)))))
    return Block(_time(sheet), tuple((0, line) for line in lines))


def no_events_text(seen: Sequence[object], first: bool) -> tuple[Msg, ...]:
    """Return the sentence for a report without events, if there is one."""
    if seen:
        return (msg("Nothing happened in this phase that you could see."),)
    return (msg("No phase has been played yet."),) if first else ()


def victory_block(sheet: ScoreSheet, words: ScoreWords) -> Block:
    """Return the uncut explanation of points and victory, for the brief."""
    lines: list[Line] = [(0, line) for line in _goals(sheet, words)]
    if sheet.tallies:
        lines.append((0, msg("Other points: {rows}.", rows=join_parts(tuple(map(words.tally, sheet.tallies))))))
    lines += [(0, line) for line in _terms(sheet, words)]
    lines += [(1, line) for line in _points(sheet, words, reasons=True)]
    lines += _arrival_lines(sheet.expected, words)
    return Block(msg("How to win"), tuple(lines))


def join_parts(parts: Sequence[Msg]) -> Msg:
    """Join parts with semicolons."""
    line, *rest = parts
    for part in rest:
        line = msg("{a}; {b}", a=line, b=part)
    return line


def points_account(start: Sequence[Score], phases: Iterable[AccountStep], words: ScoreWords) -> Block:
    """Return the sources of a game's points by phase, without phases that had none."""
    lines: list[Line] = [(0, msg("At the beginning: {points}.", points=_score_list(start, words)))]
    for turn, phase, phase_gains in phases:
        counted_gains = [gain for gain in phase_gains if gain.points]
        if counted_gains:
            lines.append((0, msg("Turn {turn}, {phase}:", turn=turn, phase=phase) if phase else _ruling_head(turn)))
            lines += [(1, _gain_line(gain, words)) for gain in counted_gains]
    return Block(msg("Where the points came from"), tuple(lines))


def _ruling_head(turn: int) -> Msg:
    return msg("Before turn {turn}, by the moderator's ruling:", turn=turn)


def _time(sheet: ScoreSheet) -> Msg:
    """Return the turn and the number of turns."""
    if not sheet.turns or sheet.over:
        return msg("The situation")
    if not sheet.turn:
        return msg("Before turn 1 of {turns}", turns=sheet.turns)
    if sheet.left == 1:
        return msg("Turn {turn} of {turns}, the last", turn=sheet.turn, turns=sheet.turns)
    return msg("Turn {turn} of {turns}", turn=sheet.turn, turns=sheet.turns)


def _points(sheet: ScoreSheet, words: ScoreWords, reasons: bool) -> Iterable[Msg]:
    """Yield points, perhaps with their reasons, the leader, and what others lack."""
    if not sheet.scores:
        return
    points = _points_by_side(sheet, words) if reasons else _score_list(sheet.scores, words)
    if sheet.over:
        yield from _outcome(sheet, words)
        return
    if not sheet.leader and not sheet.hidden:
        yield msg("Points, as far as you can see: {points}.", points=points)
        return
    if not sheet.leader:
        yield msg(
            "Points, as far as you can see: {points}; out of sight: {n}.",
            points=points,
            n=sheet.hidden,
        )
        return
    points_line = msg("Points: {points}.", points=points)
    needs = tuple(
        msg("{n} more {n:|point|points} would win it for {side}", side=words.sides[score.side], n=score.lacks)
        for score in sheet.scores
        if score.lacks
    )
    if any(score.lead is None for score in sheet.scores):
        yield points_line
        return
    verdict = msg("If it ended now: a draw")
    if sheet.leader in words.sides:
        verdict = msg("If it ended now: victory for {side}", side=words.sides[sheet.leader])
    yield msg("{points} {sentence}.", points=points_line, sentence=join_parts((verdict, *needs)))


def _outcome(sheet: ScoreSheet, words: ScoreWords) -> Iterable[Msg]:
    """Yield the end: winner, margin, and terms of victory."""
    first, second = sheet.scores
    points, rule = _points_by_side(sheet, words), sheet.cite
    if sheet.leader in words.sides:
        yield msg(
            "The game is over: victory for {side} [{rule}]: {points}.",
            side=words.sides[sheet.leader],
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
    yield from _terms(sheet, words)


def _terms(sheet: ScoreSheet, words: ScoreWords) -> Iterable[Msg]:
    """Yield the lead that each side wins by, and the leads that draw."""
    leads = [(words.sides[score.side], score.lead) for score in sheet.scores if score.lead is not None]
    if len(leads) < len(sheet.scores) or not leads:
        return
    (first, high), (second, low) = leads
    draw_cases = _draw_cases((first, second), 1 - low, high - 1)
    if min(high, low) < 0:
        # Who wins even behind the other is told last, as the winner of whatever else there is.
        winner, lead, other = (second, low, first) if high < 0 else (first, high, second)
        victory = msg("victory for {side} with a lead of {n} or more", side=winner, n=lead)
        if draw_cases:
            victory = msg("{victory}; a draw: {cases}", victory=victory, cases=draw_cases)
        sentence = msg(
            "At the end of turn {turn}: {one}; else victory for {side}.", turn=sheet.turns, one=victory, side=other
        )
        yield sentence
        return
    wins = (_wins(first, second, high), _wins(second, first, low))
    yield msg("At the end of turn {turn}: {one}; {two}.", turn=sheet.turns, one=wins[0], two=wins[1])
    if draw_cases:
        yield msg("A draw: {cases}.", cases=draw_cases)


def _wins(side: Msg, other: Msg, lead: int) -> Msg:
    """Return the least winning lead in words."""
    if lead > 0:
        return msg("victory for {side} with {n} or more ahead of {other}", side=side, n=lead, other=other)
    return msg("victory for {side} if level with {other} or ahead", side=side, other=other)


def _draw_cases(sides: tuple[Msg, Msg], least: int, most: int) -> tuple[Msg, ...]:
    """Return the first side's leads that draw, from `least` to `most`, in words."""
    if least > most:
        return ()
    cases = []
    if least <= 0 <= most:
        cases.append(msg("both level"))
    for side, low, high in ((sides[0], least, most), (sides[1], -most, -least)):
        # From one ahead on: level is a case of its own, and leads below are the other side's.
        low = max(low, 1)
        if low == high:
            cases.append(msg("{side} ahead by {n}", side=side, n=low))
        elif low < high:
            cases.append(msg("{side} ahead by {low} to {high}", side=side, low=low, high=high))
    return tuple(cases)


def _goals(sheet: ScoreSheet, words: ScoreWords) -> Iterable[Msg]:
    """Yield a line of goals and points by holder; unheld and unseen ones come last."""
    holders = {**words.sides, "": msg("nobody"), UNSEEN_HOLDER: msg("unseen (?)")}
    parts = []
    for holder, name in holders.items():
        goals = tuple(_goal(goal) for goal in sheet.goals if goal.holder == holder and goal.kind == "place")
        if goals:
            parts.append(msg("{side}: {goals}", side=name, goals=goals))
    if parts:
        yield msg("Goals held by {parts}.", parts=join_parts(parts))


def _goal(goal: Goal) -> Msg:
    """Return a goal's place and points, and whether it is held but empty."""
    text = msg("{place} {n}", place=goal.places[0], n=goal.worth)
    return text if goal.manned or goal.holder in ("", UNSEEN_HOLDER) else msg("{goal} (empty)", goal=text)


def _gain_line(gain: Gain, words: ScoreWords) -> Msg:
    """Return the reason of a gain, then the points by side."""
    points = tuple(msg("{side} {n}", side=words.sides[side], n=f"{n:+d}") for side, n in gain.points)
    if not points:
        return msg("{why} (no point yet)", why=words.gain(gain))
    return msg("{why}: {points}", why=words.gain(gain), points=points)


def _arrival_lines(arrivals: Sequence[Arrival], words: ScoreWords) -> list[Line]:
    """Return all arrivals, a line for each turn."""
    turns = sorted({arrival.turn for arrival in arrivals})
    first = [
        (1, line) for line in _next_arrivals([arrival for arrival in arrivals if arrival.turn in turns[:1]], words)
    ]
    return [*first, *((1, _arrivals_in(arrivals, turn, words)) for turn in turns[1:])]


def _next_arrivals(arrivals: Sequence[Arrival], words: ScoreWords) -> Iterable[Msg]:
    """Yield a line on the next turn with arrivals, and on later ones."""
    turns = sorted({arrival.turn for arrival in arrivals})
    if turns:
        first = msg("Expected {arrivals}", arrivals=_arrivals_in(arrivals, turns[0], words))
        yield msg("{first}; more later (BRIEF)", first=first) if turns[1:] else first


def _arrivals_in(arrivals: Sequence[Arrival], turn: int, words: ScoreWords) -> Msg:
    return words.arrival([arrival for arrival in arrivals if arrival.turn == turn])


def _score_list(side_scores: Sequence[Score], words: ScoreWords) -> tuple[Msg, ...]:
    return tuple(msg("{side} {n}", side=words.sides[score.side], n=score.points) for score in side_scores)


def _points_by_side(sheet: ScoreSheet, words: ScoreWords) -> tuple[Msg, ...]:
    """Return the points of each side, with their reasons."""
    lines = []
    for score in sheet.scores:
        parts: dict[str, int] = {}
        for item in sheet.counted:
            if item.side == score.side and item.points:
                parts[item.kind] = parts.get(item.kind, 0) + item.points
        reasons = tuple(msg("{what} {n}", what=words.kinds[kind], n=n) for kind, n in parts.items())
        gaps = {"side": words.sides[score.side], "n": score.points}
        lines.append(msg("{side} {n} ({what})", what=reasons, **gaps) if reasons else msg("{side} {n}", **gaps))
    return tuple(lines)
