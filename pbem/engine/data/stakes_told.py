"""How a game stands, in words: the situation at the head of a report, what wins, and where the points came from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from pbem.engine.data.messages import Msg, by_number, msg
from pbem.engine.data.report import Block, Line
from pbem.engine.data.stakes import UNSEEN, Army, Arrival, Gain, Goal, Score, Stakes, Tally

AHEAD = 3
"""So many turns with reinforcements are told in the situation; the brief tells all."""


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
    """Return the block at the head of a report."""
    lines: list[Line] = [(0, line) for line in (*_time(stakes), *_points(stakes, words), *_goals(stakes, words))]
    if stakes.gains:
        lines.append((0, msg("Changed in this phase:")))
        lines += [(1, _gained(gain, words)) for gain in stakes.gains]
    lines += _expected(stakes.expected, words, AHEAD)
    if stakes.armies and not stakes.over:
        lines.append((0, msg("Armies:")))
    lines += [(1 - stakes.over, words.army(army)) for army in stakes.armies]
    return Block(msg("The situation"), tuple(lines))


def uneventful(seen: Sequence[object], first: bool) -> tuple[Msg, ...]:
    """Return what is said where there is no happening to tell: as a game begins, or of a quiet phase."""
    if seen:
        return (msg("Nothing happened in this phase that you could see."),)
    return (msg("Nothing has happened yet."),) if first else ()


def winning(stakes: Stakes, words: Wording) -> Block:
    """Return what counts and how one wins, whole: for the brief."""
    lines: list[Line] = [(0, line) for line in _goals(stakes, words)]
    if stakes.tallies:
        lines.append((0, msg("Points besides: {rows}.", rows=_row(tuple(map(words.tally, stakes.tallies))))))
    lines += [(0, line) for line in (*_terms(stakes, words), *_points(stakes, words))]
    lines += _expected(stakes.expected, words)
    return Block(msg("What counts, and how one wins"), tuple(lines))


def _row(parts: Sequence[Msg]) -> Msg:
    """Parts with semicolons between them."""
    said, *rest = parts
    for part in rest:
        said = msg("{a}; {b}", a=said, b=part)
    return said


def account(start: Sequence[Score], phases: Iterable[Account], words: Wording) -> Block:
    """Return where the points of a game came from, phase by phase; phases that brought none are left out."""
    lines: list[Line] = [(0, msg("At the beginning: {points}.", points=_scored(start, words)))]
    for turn, phase, gained in phases:
        telling = [gain for gain in gained if gain.points]
        if telling:
            lines.append((0, msg("Turn {turn}, {phase}:", turn=turn, phase=phase) if phase else _ruled(turn)))
            lines += [(1, _gained(gain, words)) for gain in telling]
    return Block(msg("Where the points came from"), tuple(lines))


def _ruled(turn: int) -> Msg:
    return msg("Before turn {turn}, by a ruling:", turn=turn)


def _time(stakes: Stakes) -> Iterable[Msg]:
    if not stakes.turns or stakes.over:
        return
    if not stakes.turn:
        yield msg("Before turn 1 of {turns}.", turns=stakes.turns)
    elif stakes.left == 1:
        yield msg("Turn {turn} of {turns}: the last.", turn=stakes.turn, turns=stakes.turns)
    else:
        yield msg(
            "Turn {turn} of {turns}: {left} turns to play, with this one.",
            turn=stakes.turn,
            turns=stakes.turns,
            left=stakes.left,
        )


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
            "Points, as far as you can see: {points}; those of what is out of sight: {n}.",
            points=points,
            n=stakes.hidden,
        )
        return
    yield msg("Points: {points}.", points=points)
    lacking = tuple(msg("{side} {n}", side=words.sides[one.side], n=one.lacks) for one in stakes.scores if one.lacks)
    if any(one.lead is None for one in stakes.scores):
        return
    told = msg("If it ended now: a draw.")
    if stakes.leader in words.sides:
        told = msg("If it ended now: victory for {side}.", side=words.sides[stakes.leader])
    if lacking:
        told = msg("{told} Points lacking to win: {lacking}.", told=told, lacking=lacking)
    yield told


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
        yield msg("Margin: none, both have as many points.")
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
            yield msg("Goals that nobody holds: {goals}.", goals=goals)
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


def _expected(arrivals: Sequence[Arrival], words: Wording, most: int = 0) -> list[Line]:
    """Who is to come, a line for each turn; with `most`, for so many turns."""
    turns = sorted({one.turn for one in arrivals})
    shown = turns[: most or None]
    if not shown:
        return []
    lines: list[Line] = [(0, msg("Expected:"))]
    lines += [(1, words.arrival([one for one in arrivals if one.turn == turn])) for turn in shown]
    if rest := len(turns) - len(shown):
        lines.append((1, by_number(rest, msg("more in a later turn (BRIEF)"), msg("more in later turns (BRIEF)"))))
    return lines


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
