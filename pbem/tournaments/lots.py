"""The lots of a draw: from its list (`audit.contests.draws`) and the beacon, by the key of the dice.

``beta = SECRET(alpha(list, beacon, "draw"))``, and the lot of a label is one die of 2**32 faces of the stream of beta,
less one. From rules, list and the results before it anybody draws the same.
"""

from __future__ import annotations

from pbem.audit import blocks, dice
from pbem.audit.contests.draws import Draw
from pbem.audit.contests.kinds import DRAW
from pbem.log import keyring
from pbem.runtime.transaction import Work
from pbem.store import queries
from pbem.tournaments.arithmetic.entrants import Entrant, Lots, Result
from pbem.tournaments.arithmetic.pairing.drawn import Field, Manner

_FACES = 2**32


def field_of(listed: Draw, within: int, results: tuple[Result, ...], manner: Manner) -> Field:
    """What a list asks to be drawn: round `within` of its stage, after these results of the stage.

    In the list rounds are counted through all stages, in the field within the stage.
    """
    before = listed.round - within
    entrants = tuple(
        Entrant(
            one.number,
            one.strength,
            one.team,
            frozenset(b if a == one.number else a for a, b in listed.barred if one.number in (a, b)),
            one.pace,
            one.zone,
            max(1, one.since - before),
        )
        for one in listed.entrants
    )
    start = {one.number: one.halves for one in listed.entrants}
    return Field(within, entrants, results, frozenset(listed.away), start, manner, listed.challenges)


def proof_of(work: Work, chain: str, listed: bytes, sig: bytes | None) -> bytes:
    """The proof of a draw's secret, by the key that was in force when its list was shut: 80 bytes.

    Whoever changes the key between the list and the draw draws no other lots by it.
    """
    shut = queries.log.last_of(work.session, chain, "shut")
    return keyring.in_force(work, shut.number if shut is not None else None).prove(blocks.alpha(listed, sig, DRAW))


def lots_of(beta: bytes) -> Lots:
    """The lots of a draw by its secret of 64 bytes."""
    stream = dice.Stream(beta)
    return lambda label: stream.roll(label, 1, _FACES)[0] - 1


def no_lots(label: str) -> int:
    """The lots before anything was drawn: all alike."""
    return 0
