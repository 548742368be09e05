"""Define the input and output of a draw, with its reasons as data.

A reason is a rule number, a word for the decision, and values: ``PairingReason("E4.3", "points", {"e3": 2, "e7":
2})``. Points in values are half points. Reasons of a draw (sides are 0 and 1; places, seeds and rounds
count from 1):

    E3.2  circle (sides, again)   bye   away (with)
    E3.3  bracket (seeds)  neither  bye   away (with)       E3.4 the same; lower (seeds, met)
    E3.14 third (seeds)     away (with)
    E3.16 replay (game, most, halves)   exchanged
    E3.17 game (game, most, halves)     exchanged
    E3.5  challenge (by, places)   neighbours (places)   bye
    E4.1  opened (met, team, with)         E4.2  owed, both owed (sides owed)     E4.3  points (halves)
    E4.4  floats, floated (again)          E4.5  one half (upper)                 E4.6  pace (apart)
    E4.7  lots (lots by label)             E4.8  bye (points, before, lot)
    E5.1  owed (sides owed)    E5.2  alternate (sides, back)    E5.3  lot, mirror, bid (lot)
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from pbem.tournaments.arithmetic.entrants import NOBODY, Entrant, TableResult

NO_HALVES: Mapping[int, int] = MappingProxyType({})


class PairingManner(NamedTuple):
    """The way a stage is paired, from its rules.

    `sides` is ``balanced``, ``duplicate``, ``mirror``, ``bid`` or ``lot``; `double`: everybody meets
    everybody twice; `challenge`: how a ladder gives places (``swap``, ``half``); `reach`: how far up one may
    be paired or challenge; `divisions`, `moving`: a league's divisions, and how many go up and down; `third`: whether
    the losers of a knockout's semi-finals meet; `deal`: how entrants come into divisions (``rank``, ``snake``);
    `replays`, `best`: how often a drawn tie of a knockout is played again, and its games.
    """

    format: str = "swiss"
    rounds: int = 0
    sides: str = "balanced"
    double: bool = False
    challenge: str = "swap"
    reach: int = 4
    divisions: int = 1
    moving: int = 1
    third: bool = False
    deal: str = "rank"
    replays: int = 0
    best: int = 1


class RoundInput(NamedTuple):
    """The input of a draw: entrants by seed, earlier results, and absentees.

    `start` are half points that entrants bring along; `round`, and the rounds in results, count from 1 within the
    stage. `challenges` were accepted on a ladder for this round, the challenger first.
    """

    round: int
    entrants: tuple[Entrant, ...]
    results: tuple[TableResult, ...] = ()
    away: frozenset[int] = frozenset()
    start: Mapping[int, int] = NO_HALVES
    manner: PairingManner = PairingManner()
    challenges: tuple[tuple[int, int], ...] = ()


class Penalty(NamedTuple):
    """E4 The penalty of a pair, the gravest field first.

    Each field is summed over all pairs before the next one counts.
    """

    forbidden: int = 0
    sides: int = 0
    points: int = 0
    floats: int = 0
    halves: int = 0
    pace: int = 0
    lot: int = 0


class PairingReason(NamedTuple):
    """A reason of a pairing: the rule, the deciding word, and values by name."""

    rule: str
    what: str
    values: Mapping[str, int | str]


class Pair(NamedTuple):
    """A board of the round; `first` has the first side, `second` is NOBODY for a bye.

    On mirrored boards `first` has it at table ``a``; where sides are bid for, `first` bids first on a tie.
    """

    board: int
    first: int
    second: int = NOBODY
    cost: Penalty = Penalty()
    why: tuple[PairingReason, ...] = ()


class RoundDraw(NamedTuple):
    """The draw of a round: boards from 1, byes last, and the sum of all penalties.

    `opened` names forbidden pairs that were unavoidable; `over`: the stage is over, and has no such round.
    """

    round: int
    pairs: tuple[Pair, ...] = ()
    cost: Penalty = Penalty()
    opened: tuple[tuple[int, int], ...] = ()
    over: bool = False
