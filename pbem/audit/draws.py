"""The list of a draw: all that lots depend on besides the beacon, public before they are drawn::

    pbemdice/v1/draw
    game event/cup60
    round r2
    attempt 1
    stage 1
    rules sha256:13d5...
    beacon 52db... 123
    entrant e3 1500 24 60 2 - 1
    entrant e7 1480 48 -300 1 lions 2
    away e7
    barred e3-e9 e4-e7
    challenge e9 e4

Where teams play, the entrants are teams, and below stand how many boards a match has and whom each team lines up, in
the order of its boards, ``-`` where it has nobody::

    boards 2
    lineup e3 e4 e9
    lineup e7 -

A line `entrant` for each who plays on, in the order of the seeds of the stage: name, strength, hours between letters,
minutes east of Greenwich, halves brought along, team, and the first round that he may be paired in. A line
`challenge` for each two of a ladder who meet because one challenged the other, the challenger first. There is nothing
in it that is not either asked for by an entrant or said by an earlier leaf, so that nobody varies it to vary the lots.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from pbem.audit import blocks
from pbem.audit.blocks import ID, Malformed
from pbem.audit.tournament_leaves import is_chain

_HEAD = ("game", "round", "attempt", "stage", "rules", "beacon")
_COUNT = "[1-9][0-9]{0,8}"
_NUMBER = "(?:0|[1-9][0-9]{0,8})"
_BEACON = re.compile(r"none|[0-9a-f]{64} [1-9][0-9]{0,17}")
_RULES = re.compile("sha256:[0-9a-f]{64}")
_ENTRANT = re.compile(rf"e({_COUNT}) ({_NUMBER}) ({_NUMBER}) (0|-?{_COUNT}) ({_NUMBER}) ({ID}) ({_COUNT})")
_AWAY = re.compile(rf"-|e{_COUNT}(?: e{_COUNT})*")
_LINEUP = re.compile(rf"e({_COUNT}) (-|e{_COUNT}(?: e{_COUNT})*)")
_BARRED = re.compile(rf"-|e{_COUNT}-e{_COUNT}(?: e{_COUNT}-e{_COUNT})*")
_CHALLENGE = re.compile(rf"e({_COUNT}) e({_COUNT})")


class Listed(NamedTuple):
    """An entrant of a draw.

    `pace` is hours between letters, `zone` minutes east of Greenwich, `halves` what he brings along, `team` empty where
    he has none, `since` the first round, of all stages, that he may be paired in.
    """

    number: int
    strength: int = 1500
    pace: int = 24
    zone: int = 0
    halves: int = 0
    team: str = ""
    since: int = 1


class Draw(NamedTuple):
    """The closed list of a round; `rules` is the digest of the rules, `beacon` ``none`` or chain and round.

    `entrants` stand in the order of their seeds; `away` and `barred` are numbers, the lower of two first. `challenges`
    are those that stand, the challenger first, in the order of challengers. Where teams play, `boards` is how many a
    match has, and `lineups` are each team with its members in the order of boards.
    """

    game: str
    round: int
    attempt: int
    stage: int
    rules: str
    beacon: str
    entrants: tuple[Listed, ...]
    away: tuple[int, ...] = ()
    barred: tuple[tuple[int, int], ...] = ()
    challenges: tuple[tuple[int, int], ...] = ()
    boards: int = 0
    lineups: tuple[tuple[int, tuple[int, ...]], ...] = ()


def name_of(number: int) -> str:
    """How leaves call an entrant: ``e3``."""
    return f"e{number}"


def draw(closed: Draw) -> bytes:
    """The block of a list; Malformed for what `parse_draw` would not read back."""
    lines = [
        ("game", closed.game),
        ("round", f"r{closed.round}"),
        ("attempt", str(closed.attempt)),
        ("stage", str(closed.stage)),
        ("rules", closed.rules),
        ("beacon", closed.beacon),
        *(("entrant", _line(one)) for one in closed.entrants),
        ("away", " ".join(map(name_of, closed.away)) or "-"),
        ("barred", " ".join(f"{name_of(a)}-{name_of(b)}" for a, b in closed.barred) or "-"),
        *(("challenge", f"{name_of(a)} {name_of(b)}") for a, b in closed.challenges),
        *((("boards", str(closed.boards)),) if closed.boards else ()),
        *(("lineup", f"{name_of(team)} {' '.join(map(name_of, some)) or '-'}") for team, some in closed.lineups),
    ]
    data = _block(lines)
    if _read(lines) != closed:
        raise Malformed("the list of a draw says more than its lines do")
    return data


def _block(lines: Sequence[tuple[str, str]]) -> bytes:
    try:
        return blocks.block("draw", lines)
    except ValueError as wrong:
        raise Malformed(f"no list of a draw: {wrong}") from None


def _line(one: Listed) -> str:
    number, *values, team, since = one
    return " ".join([name_of(number), *map(str, values), team or "-", str(since)])


def parse_draw(data: bytes) -> Draw:
    """Read a list; Malformed unless it is written exactly as `draw` does."""
    kind, pairs = blocks.parse(data)
    if kind != "draw":
        raise Malformed(f"this is a block of {kind}, and no list of a draw")
    return _read(pairs)


def _read(pairs: Sequence[tuple[str, str]]) -> Draw:
    """The list of these lines."""
    lined = next((at for at, (key, _) in enumerate(pairs) if key == "boards"), len(pairs))
    pairs, teams = pairs[:lined], pairs[lined:]
    challenges = tuple(_challenge(value) for key, value in pairs if key == "challenge")
    before = len(pairs) - len(challenges)
    head, listed, rest = pairs[: len(_HEAD)], pairs[len(_HEAD) : before - 2], pairs[max(before - 2, len(_HEAD)) :]
    keys = tuple(key for key, _ in (*head, *rest)), {key for key, _ in listed}
    if keys != ((*_HEAD, "away", "barred", *["challenge"] * len(challenges)), {"entrant"}):
        raise Malformed(f"a list of a draw says {' '.join(_HEAD)}, an entrant or more, away, barred and challenges")
    game, round_, attempt, stage, rules, beacon = (value for _, value in head)
    if not is_chain(game) or not re.fullmatch(f"r{_COUNT}", round_) or _RULES.fullmatch(rules) is None:
        raise Malformed("a list of a draw names a tournament, a round r1, r2, ... and the digest of the rules")
    if not re.fullmatch(_COUNT, attempt) or not re.fullmatch(_COUNT, stage) or _BEACON.fullmatch(beacon) is None:
        raise Malformed("a list of a draw has an attempt and a stage from 1, and a beacon with its round, or none")
    entrants = tuple(_entrant(value) for _, value in listed)
    numbers = {one.number for one in entrants}
    away, barred = _away(rest[0][1]), _barred(rest[1][1])
    if len(numbers) < len(entrants):
        raise Malformed("an entrant stands in the list of a draw twice")
    if not {*away, *(number for pair in barred for number in pair)} <= numbers:
        raise Malformed("somebody is away from a draw, or barred in it, who is not in its list")
    met = [number for two in challenges for number in two]
    if len(met) > len({*met} - {*away}) or not {*met} <= numbers or [*challenges] != sorted(challenges):
        raise Malformed("challenges of a draw stand in the order of challengers, nobody in two, and nobody who is away")
    lined_up = _teams(teams, entrants)
    head_ = (game, int(round_[1:]), int(attempt), int(stage), rules, beacon)
    return Draw(*head_, entrants, away, barred, challenges, *lined_up)


def _teams(
    lines: Sequence[tuple[str, str]], entrants: Sequence[Listed]
) -> tuple[int, tuple[tuple[int, tuple[int, ...]], ...]]:
    """How many boards a match has, and whom each team lines up; neither where everybody plays for himself."""
    if not lines:
        return 0, ()
    (_, boards), *rest = lines
    found = [_LINEUP.fullmatch(value) if key == "lineup" else None for key, value in rest]
    if re.fullmatch(_COUNT, boards) is None or None in found:
        raise Malformed("below the list of teams stand the boards of a match and a line-up for each team")
    lineups = tuple(
        (int(one[1]), tuple(int(name[1:]) for name in one[2].split(" ") if name != "-"))
        for one in found
        if one is not None
    )
    members = [member for _, some in lineups for member in some]
    if [team for team, _ in lineups] != [one.number for one in entrants]:
        raise Malformed("every team of a list has a line-up, in the order of the list")
    if len(set(members)) < len(members) or max(len(some) for _, some in lineups) > int(boards):
        raise Malformed("nobody is lined up twice, and no team lines up more than there are boards")
    return int(boards), lineups


def _entrant(value: str) -> Listed:
    found = _ENTRANT.fullmatch(value)
    if found is None:
        raise Malformed(f"an entrant has a number, strength, pace, zone, halves, team and round: {value[:80]!r}")
    number, strength, pace, zone, halves = map(int, found.groups()[:5])
    return Listed(number, strength, pace, zone, halves, "" if found[6] == "-" else found[6], int(found[7]))


def _away(value: str) -> tuple[int, ...]:
    numbers = [int(name[1:]) for name in value.split(" ")] if _AWAY.fullmatch(value) and value != "-" else []
    if (not numbers and value != "-") or numbers != sorted(set(numbers)):
        raise Malformed(f"who is away stands in the order of numbers, each once: {value[:80]!r}")
    return tuple(numbers)


def _barred(value: str) -> tuple[tuple[int, int], ...]:
    words = value.split(" ") if _BARRED.fullmatch(value) and value != "-" else []
    found = [(int(low[1:]), int(high[1:])) for low, _, high in (word.partition("-") for word in words)]
    if (not found and value != "-") or found != sorted(set(found)) or any(low >= high for low, high in found):
        raise Malformed(f"who is barred from whom stands in the order of numbers, the lower first: {value[:80]!r}")
    return tuple(found)


def _challenge(value: str) -> tuple[int, int]:
    found = _CHALLENGE.fullmatch(value)
    if found is None:
        raise Malformed(f"a challenge of a draw names who challenges, and whom: {value[:80]!r}")
    return int(found[1]), int(found[2])
