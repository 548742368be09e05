"""The slate of a draw, public bytes from which its lots follow, and the lots themselves.

::

    pbemdice/v1/draw
    game event/cup60
    round r2
    attempt 1
    rules sha256:...
    beacon none
    entrant e3 1500 24 60 0 - 1          strength, pace in hours, zone in minutes, halves brought along, team, since
    away e5 e7
    barred e3-e7

Entrants stand in the order of their seeds. ``beta = SECRET(alpha(slate, beacon, "draw"))``, and the lot of a label is
one die of 2**32 faces of the stream of beta, less one. From rules, slate and earlier results anybody draws the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from pbem.audit import blocks, dice
from pbem.audit.signing import Secrets
from pbem.campaign.base.server import Work
from pbem.campaign.chain import keyring
from pbem.store import queries
from pbem.tournament.entrants import Entrant, Lots, Result
from pbem.tournament.pairing.drawn import Field, Manner

__all__ = ["DrawSlate", "Listed", "field_of", "lots_of", "no_lots", "proof_of", "read_slate"]

_FACES = 2**32


class Listed(NamedTuple):
    """An entrant as a slate lists him."""

    number: int
    strength: int
    pace: int
    zone: int
    start: int
    team: str
    since: int

    def text(self) -> str:
        """The value of his line."""
        return f"e{self.number} {self.strength} {self.pace} {self.zone} {self.start} {self.team or '-'} {self.since}"


class DrawSlate(NamedTuple):
    """The list of a round as it was shut; `beacon` is ``none``, or the chain and the number of its round."""

    event: str
    round: str
    attempt: int
    rules: str
    beacon: str
    entrants: tuple[Listed, ...]
    away: frozenset[int]
    barred: frozenset[tuple[int, int]]

    def block(self) -> bytes:
        """The bytes that are hashed."""
        lines = [
            ("game", f"event/{self.event}"),
            ("round", self.round),
            ("attempt", str(self.attempt)),
            ("rules", self.rules),
            ("beacon", self.beacon),
            *(("entrant", one.text()) for one in self.entrants),
            ("away", _names(f"e{one}" for one in sorted(self.away))),
            ("barred", _names(f"e{a}-e{b}" for a, b in sorted(self.barred))),
        ]
        return blocks.block("draw", lines)


def _names(names: Iterable[str]) -> str:
    return " ".join(names) or "-"


def read_slate(text: str) -> DrawSlate:
    """Read the block of a slate; Malformed if it is none."""
    kind, pairs = blocks.parse(text.encode("utf-8"))
    said = dict(pairs)
    if kind != "draw":
        raise blocks.Malformed(f"no slate of a draw: {kind}")
    listed = tuple(_listed(value) for key, value in pairs if key == "entrant")
    away = frozenset(int(one[1:]) for one in said["away"].split() if one != "-")
    barred = frozenset(_pair(one) for one in said["barred"].split() if one != "-")
    return DrawSlate(
        said["game"].removeprefix("event/"), said["round"], int(said["attempt"]), said["rules"], said["beacon"],
        listed, away, barred,
    )  # fmt: skip


def _listed(value: str) -> Listed:
    name, strength, pace, zone, start, team, since = value.split(" ")
    return Listed(
        int(name[1:]), int(strength), int(pace), int(zone), int(start), "" if team == "-" else team, int(since)
    )


def _pair(text: str) -> tuple[int, int]:
    a, _, b = text.partition("-")
    return int(a[1:]), int(b[1:])


def field_of(slate: DrawSlate, within: int, results: tuple[Result, ...], manner: Manner) -> Field:
    """What a slate asks to be drawn: round `within` of its stage, after these results of the stage."""
    barred = {one.number: frozenset(b if a == one.number else a for a, b in slate.barred if one.number in (a, b))
              for one in slate.entrants}  # fmt: skip
    entrants = tuple(
        Entrant(one.number, one.strength, one.team, barred[one.number], one.pace, one.zone, one.since)
        for one in slate.entrants
    )
    return Field(within, entrants, results, slate.away, {one.number: one.start for one in slate.entrants}, manner)


def proof_of(work: Work, chain: str, slate: bytes, sig: bytes | None) -> bytes:
    """The proof of a draw's secret, by the key that was in force when its list was shut: 80 bytes.

    Whoever changes the key between the list and the draw draws no other lots by it.
    """
    return _in_force(work, chain).prove(blocks.alpha(slate, sig, "draw"))


def _in_force(work: Work, chain: str) -> Secrets:
    now = work.server.secrets
    shut = queries.log.last_of(work.session, chain, "shut")
    if not now.former or shut is None or shut.number is None:
        # Nothing is signed between a change of keys and the next leaf: what has no number yet came after it.
        return now
    before = sum(number < shut.number for number in keyring.rekeyed(work))
    return [*now.former, now][before]


def lots_of(beta: bytes) -> Lots:
    """The lots of a draw by its secret of 64 bytes."""
    stream = dice.Stream(beta)
    return lambda label: stream.roll(label, 1, _FACES)[0] - 1


def no_lots(label: str) -> int:
    """The lots before anything was drawn: all alike."""
    return 0
