"""Take letters that a mail server hands over, by LMTP or by a pipe, each once.

Nothing of such a letter lies in a mailbox: the mail server keeps it until it is told that the letter is stored, and
repeats it if it never hears so. A letter is therefore known by all of its bytes, those of its envelope and of its
Received fields included: the same bytes are the same letter once more. A person's second letter has other ones.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import datetime, timedelta

from pbem.mail import RAW_OCTETS, trace
from pbem.mail.mime import raw_header
from pbem.play import outage_guard
from pbem.runtime.transaction import TRANSIENT_ERRORS, Server
from pbem.server import mailbox_poller
from pbem.server.intake import LetterOutcome, ReceivedLetter
from pbem.server.mailbox_poller import PoisonLetterGuard, RunTransaction, run_inline
from pbem.server.outbox_sender import ignore_point
from pbem.store import changes, queries
from pbem.tournaments import clocks

DELIVERY_POINTS = ("handed over", "taken", "committed", "noted")
SETTLE = timedelta(minutes=15)
"""For how long after a start, or after a letter that was put off, no phase closes: the mail server may hold letters
that came in time, and tries again after some minutes."""
_ACCOUNT = "local"
"""The account, in the tables, of letters that are handed over."""
_LONGEST_QUEUED = timedelta(days=5)
"""How long mail servers keep a letter that they cannot hand over (RFC 5321, 4.5.4.1): none came in earlier."""


class NotStored(Exception):
    """A letter could not be stored, by a fault of ours: the sender is to keep it."""


class NeverStored(Exception):
    """A letter ended the server even as its header was read: it is to go back."""


def letter_handed_over(raw: bytes, now: datetime) -> ReceivedLetter:
    """Return a letter with its envelope as one received when the mail server got it."""
    arrived = trace.received_at(raw) or now
    digest = hashlib.sha256(raw).digest()
    # Two numbers of 31 and 63 bits, as columns are signed.
    validity, uid = int.from_bytes(digest[:4]) >> 1, int.from_bytes(digest[4:12]) >> 1
    is_whole = len(raw) <= RAW_OCTETS
    return ReceivedLetter(
        _ACCOUNT,
        "",
        validity,
        uid,
        max(now - _LONGEST_QUEUED, min(now, arrived)),
        raw if is_whole else raw_header(raw),
        is_whole,
    )


def store_letter(server: Server, raw: bytes) -> LetterOutcome:
    """Take in one letter that came by a pipe; return once it is stored, or raise.

    Its topmost fields show its envelope. NotStored and TRANSIENT_ERRORS mean that it is not.
    """
    received = letter_handed_over(trace.with_topmost_envelope(raw), server.clock.now())
    return _check_stored(mailbox_poller.take_and_commit(server, received))


def _check_stored(outcome: LetterOutcome) -> LetterOutcome:
    if outcome.inbox_id:
        return outcome
    raise NeverStored if outcome.outcome == "unread" else NotStored(outcome.outcome)


class LocalDelivery:
    """Takes letters one after the other, in one thread.

    `on_step` is called with each of DELIVERY_POINTS; `transact` runs the transactions. For `settle` after the start and
    after a letter that was put off, it notes no moment up to which all letters are in.
    """

    def __init__(
        self,
        server: Server,
        on_step: Callable[[str], None] = ignore_point,
        transact: RunTransaction = run_inline,
        settle: timedelta = SETTLE,
    ) -> None:
        self.server = server
        self._at = on_step
        self._transact = transact
        self._settle = settle
        self._waits_until = server.clock.now() + settle
        self._guard = PoisonLetterGuard(server, lambda: True, transact, on_step)

    def take(self, raw: bytes, now: datetime) -> LetterOutcome:
        """Take in a letter that was handed over; return once it is stored.

        Raise NotStored, NeverStored or TRANSIENT_ERRORS if it is not.
        """
        self._at("handed over")
        received = letter_handed_over(raw, now)
        try:
            outcome = _check_stored(self._guard.take(received, None))
        # A letter that is never stored, by a fault of ours, must not hold up all games as long as it is repeated.
        except TRANSIENT_ERRORS:
            self._waits_until = max(self._waits_until, now + self._settle)
            raise
        self._at("committed")
        return outcome

    def note(self, now: datetime, *, guarded: bool) -> None:
        """Note that all letters that came before `now` are in, unless some may wait.

        Raise TRANSIENT_ERRORS. `guarded`: move deadlines after an outage of hours (outage_guard.py).
        """
        self._transact(lambda: self._note(now, guarded))

    def _note(self, now: datetime, guarded: bool) -> None:
        with self.server.reading() as tx:
            last = queries.inbox.last_poll(tx.session)
        if guarded and last is not None and not timedelta(0) <= now - last < outage_guard.OUTAGE:
            with self.server.work() as tx:
                outage_guard.handle_polling_gap(tx, last, now)
            clocks.handle_gap(self.server, last, now)
        if now >= self._waits_until:
            with self.server.work() as tx:
                changes.record_poll(tx.session, _ACCOUNT, "", now)
            self._at("noted")
