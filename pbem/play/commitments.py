"""What seats are played by, sealed in the log: orders with the standing orders in force, and answers."""

from __future__ import annotations

from typing import NamedTuple

from pbem.audit import sealing
from pbem.audit.note import encode64
from pbem.engine.data.canon import dumps, loads
from pbem.letters import outbox
from pbem.log import keyring, sequencer
from pbem.log.sequencer import AtHand
from pbem.play.adjudication import ClosedOrders, commitment_of
from pbem.play.dice_segments import SeatAnswers
from pbem.runtime.transaction import Work
from pbem.store import tables

NO_LETTER = ("-", "0")
"""What is said of orders that no letter brought: those of a seat that was silent."""


def orders_of(revision: int, opens: str) -> ClosedOrders:
    """The orders that a leaf has sealed, by what is kept with it."""
    text, rules = loads(opens)
    return ClosedOrders(revision, text, tuple(rules))


class Seal(NamedTuple):
    """Seals orders of a phase in the log, at a moment."""

    work: Work
    game: tables.Game
    phase: str

    def __call__(self, known: AtHand, seat: str, orders: ClosedOrders, came: tuple[str, str]) -> AtHand:
        """Log what a seat would be played by, unless that is what was logged last; what is known then.

        `came` are the digest of the letter and the second in which it came.
        """
        secret, game = keyring.secret_of(self.work, self.game), self.game.id
        sealed = commitment_of(secret, sealing.salt(game=game, phase=self.phase, seat=seat), orders)
        says = (
            ("phase", self.phase),
            ("seat", seat),
            ("rev", str(sealed.revision)),
            ("orders", encode64(sealed.orders)),
            ("standing", encode64(sealed.standing)),
        )
        last = known.newest("order", seat=seat)
        if last is not None and all(last(key) == value for key, value in says):
            return known
        by, opens = (("eml", came[0]), ("recv", came[1])), dumps([orders.text, list(orders.standing)])
        row = sequencer.append(self.work, sequencer.Note("order", (*says, *by), game, opens), after=known.rows[-1])
        return known.and_then(row)


def seal_answers(work: Work, row: tables.Phase, segment: int, seat: str, answers: SeatAnswers) -> None:
    """Seal what a seat has answered, unless that is what was logged last."""
    game, phase = row.game_id, str(outbox.phase_of(row))
    secret = keyring.secret_of(work, work.session.get_one(tables.Game, game))
    sealed = commitment_of(secret, sealing.salt(game=game, phase=f"{phase}/{segment}", seat=seat), answers)
    says = (
        ("phase", phase),
        ("segment", str(segment)),
        ("seat", seat),
        ("rev", str(sealed.revision)),
        ("commit", encode64(sealed.orders)),
    )
    known = sequencer.at_hand(work.session, game, phase)
    last = known.newest("answer", seat=seat)
    if last is None or not all(last(key) == value for key, value in says):
        sequencer.append(work, sequencer.Note("answer", says, game, answers.text), after=known.rows[-1])
