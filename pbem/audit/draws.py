"""Write and read the list of a draw: all input of its lots except the beacon.

It is public before the lots are drawn::

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

With teams, the entrants are teams. Below them come the number of boards of a match and the line-up of each team, in
the order of its boards, ``-`` for none::

    boards 2
    lineup e3 e4 e9
    lineup e7 -

Each entrant who plays on has a line `entrant`, in the order of the stage's seeds: name, strength, hours between
letters, minutes east of Greenwich, half points brought along, team, and the first round in which he may be paired.
Each pair of a ladder that meets by a challenge has a line `challenge`, the challenger first. Everything in the list
was either asked for by an entrant or written in an earlier leaf, so nobody can vary it to vary the lots.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from pbem.audit import blocks
from pbem.audit.blocks import ID_PATTERN, Malformed
from pbem.audit.tournament_leaves import is_chain

_HEAD = ("game", "round", "attempt", "stage", "rules", "beacon")
_COUNT = "[1-9][0-9]{0,8}"
_NUMBER = "(?:0|[1-9][0-9]{0,8})"
# The lines of a draw. Each pattern allows one way only to write a value, so that equal draws have equal digests.
_BEACON = re.compile(rf"none|[0-9a-f]{{64}} {blocks.COUNT_PATTERN}")
_RULES = re.compile("sha256:[0-9a-f]{64}")
_ENTRANT = re.compile(rf"e({_COUNT}) ({_NUMBER}) ({_NUMBER}) (0|-?{_COUNT}) ({_NUMBER}) ({ID_PATTERN}) ({_COUNT})")
_AWAY = re.compile(rf"-|e{_COUNT}(?: e{_COUNT})*")
_LINEUP = re.compile(rf"e({_COUNT}) (-|e{_COUNT}(?: e{_COUNT})*)")
_BARRED = re.compile(rf"-|e{_COUNT}-e{_COUNT}(?: e{_COUNT}-e{_COUNT})*")
_CHALLENGE = re.compile(rf"e({_COUNT}) e({_COUNT})")


class ListedEntrant(NamedTuple):
    """An entrant in the list of a draw.

    `pace` is in hours between letters, `zone` in minutes east of Greenwich; `halves` are the half points brought
    along, `team` is empty without a team, `since` the first round, over all stages, in which he may be paired.
    """

    number: int
    strength: int = 1500
    pace: int = 24
    zone: int = 0
    halves: int = 0
    team: str = ""
    since: int = 1


class DrawList(NamedTuple):
    """The list of a round's draw.

    `rules` is the digest of the rules, `beacon` ``none`` or chain and round. `entrants` are in the order of their
    seeds; `away` has numbers, `barred` pairs of numbers, the lower first. `challenges` are the accepted ones, the
    challenger first, sorted by challenger. With teams, `boards` is the number a match has, and `lineups` are each
    team with its members in the order of boards.
    """

    game: str
    round: int
    attempt: int
    stage: int
    rules: str
    beacon: str
    entrants: tuple[ListedEntrant, ...]
    away: tuple[int, ...] = ()
    barred: tuple[tuple[int, int], ...] = ()
    challenges: tuple[tuple[int, int], ...] = ()
    boards: int = 0
    lineups: tuple[tuple[int, tuple[int, ...]], ...] = ()


def entrant_name(number: int) -> str:
    """Return an entrant's name in leaves: ``e3``."""
    return f"e{number}"


def write_draw(record: DrawList) -> bytes:
    """Write the list of a draw as its block; raise Malformed if it would not be read."""
    lines = [
        ("game", record.game),
        ("round", f"r{record.round}"),
        ("attempt", str(record.attempt)),
        ("stage", str(record.stage)),
        ("rules", record.rules),
        ("beacon", record.beacon),
        *(("entrant", _line(entrant)) for entrant in record.entrants),
        ("away", " ".join(map(entrant_name, record.away)) or "-"),
        ("barred", " ".join(f"{entrant_name(a)}-{entrant_name(b)}" for a, b in record.barred) or "-"),
        *(("challenge", f"{entrant_name(a)} {entrant_name(b)}") for a, b in record.challenges),
        *((("boards", str(record.boards)),) if record.boards else ()),
        *(
            ("lineup", f"{entrant_name(team)} {' '.join(map(entrant_name, members)) or '-'}")
            for team, members in record.lineups
        ),
    ]
    data = _block(lines)
    if _read(lines) != record:
        raise Malformed("the list of a draw says more than its lines do")
    return data


def _block(lines: Sequence[tuple[str, str]]) -> bytes:
    try:
        return blocks.block("draw", lines)
    # A text with a line end in it: `block` refuses it.
    except ValueError as wrong:
        raise Malformed(f"no list of a draw: {wrong}") from None


def _line(entrant: ListedEntrant) -> str:
    number, *values, team, since = entrant
    return " ".join([entrant_name(number), *map(str, values), team or "-", str(since)])


def parse_draw(data: bytes) -> DrawList:
    """Parse the closed list of a draw; raise Malformed unless it is canonical."""
    kind, pairs = blocks.parse(data)
    if kind != "draw":
        raise Malformed(f"this is a block of {kind}, and no list of a draw")
    return _read(pairs)


def _read(pairs: Sequence[tuple[str, str]]) -> DrawList:
    """Parse the lines of a list."""
    team_start = next((index for index, (key, _) in enumerate(pairs) if key == "boards"), len(pairs))
    pairs, teams = pairs[:team_start], pairs[team_start:]
    challenges = tuple(_challenge(value) for key, value in pairs if key == "challenge")
    count = len(pairs) - len(challenges)
    head, entrant_lines, rest = pairs[: len(_HEAD)], pairs[len(_HEAD) : count - 2], pairs[max(count - 2, len(_HEAD)) :]
    keys = tuple(key for key, _ in (*head, *rest)), {key for key, _ in entrant_lines}
    if keys != ((*_HEAD, "away", "barred", *["challenge"] * len(challenges)), {"entrant"}):
        raise Malformed(f"a list of a draw says {' '.join(_HEAD)}, an entrant or more, away, barred and challenges")
    game, round_, attempt, stage, rules, beacon = (value for _, value in head)
    if not is_chain(game) or not re.fullmatch(f"r{_COUNT}", round_) or _RULES.fullmatch(rules) is None:
        raise Malformed("a list of a draw names a tournament, a round r1, r2, ... and the digest of the rules")
    if not re.fullmatch(_COUNT, attempt) or not re.fullmatch(_COUNT, stage) or _BEACON.fullmatch(beacon) is None:
        raise Malformed("a list of a draw has an attempt and a stage from 1, and a beacon with its round, or none")
    entrants = tuple(_entrant(value) for _, value in entrant_lines)
    numbers = {entrant.number for entrant in entrants}
    away, barred = _away(rest[0][1]), _parse_barred_pairs(rest[1][1])
    if len(numbers) < len(entrants):
        raise Malformed("an entrant stands in the list of a draw twice")
    if not {*away, *(number for pair in barred for number in pair)} <= numbers:
        raise Malformed("somebody is away from a draw, or barred in it, who is not in its list")
    challenged = [number for pair in challenges for number in pair]
    if (
        len(challenged) > len({*challenged} - {*away})
        or not {*challenged} <= numbers
        or [*challenges] != sorted(challenges)
    ):
        raise Malformed("challenges of a draw stand in the order of challengers, nobody in two, and nobody who is away")
    team_fields = _teams(teams, entrants)
    head_ = (game, int(round_[1:]), int(attempt), int(stage), rules, beacon)
    return DrawList(*head_, entrants, away, barred, challenges, *team_fields)


def _teams(
    lines: Sequence[tuple[str, str]], entrants: Sequence[ListedEntrant]
) -> tuple[int, tuple[tuple[int, tuple[int, ...]], ...]]:
    """Return the boards of a match and each team's line-up; (0, ()) without teams."""
    if not lines:
        return 0, ()
    (_, boards), *rest = lines
    matches = [_LINEUP.fullmatch(value) if key == "lineup" else None for key, value in rest]
    if re.fullmatch(_COUNT, boards) is None or None in matches:
        raise Malformed("below the list of teams stand the boards of a match and a line-up for each team")
    lineups = tuple(
        (int(match[1]), tuple(int(name[1:]) for name in match[2].split(" ") if name != "-"))
        for match in matches
        if match is not None
    )
    members = [member for _, lineup in lineups for member in lineup]
    if [team for team, _ in lineups] != [entrant.number for entrant in entrants]:
        raise Malformed("every team of a list has a line-up, in the order of the list")
    if len(set(members)) < len(members) or max(len(lineup) for _, lineup in lineups) > int(boards):
        raise Malformed("nobody is lined up twice, and no team lines up more than there are boards")
    return int(boards), lineups


def _entrant(value: str) -> ListedEntrant:
    match = _ENTRANT.fullmatch(value)
    if match is None:
        # Whoever wrote it chose its length, so that messages show no more than the beginning.
        raise Malformed(f"an entrant has a number, strength, pace, zone, halves, team and round: {value[:80]!r}")
    number, strength, pace, zone, halves = map(int, match.groups()[:5])
    return ListedEntrant(number, strength, pace, zone, halves, "" if match[6] == "-" else match[6], int(match[7]))


def _away(value: str) -> tuple[int, ...]:
    numbers = [int(name[1:]) for name in value.split(" ")] if _AWAY.fullmatch(value) and value != "-" else []
    if (not numbers and value != "-") or numbers != sorted(set(numbers)):
        raise Malformed(f"who is away stands in the order of numbers, each once: {value[:80]!r}")
    return tuple(numbers)


def _parse_barred_pairs(value: str) -> tuple[tuple[int, int], ...]:
    words = value.split(" ") if _BARRED.fullmatch(value) and value != "-" else []
    pairs = [(int(low[1:]), int(high[1:])) for low, _, high in (word.partition("-") for word in words)]
    if (not pairs and value != "-") or pairs != sorted(set(pairs)) or any(low >= high for low, high in pairs):
        raise Malformed(f"who is barred from whom stands in the order of numbers, the lower first: {value[:80]!r}")
    return tuple(pairs)


def _challenge(value: str) -> tuple[int, int]:
    match = _CHALLENGE.fullmatch(value)
    if match is None:
        raise Malformed(f"a challenge of a draw names who challenges, and whom: {value[:80]!r}")
    return int(match[1]), int(match[2])
