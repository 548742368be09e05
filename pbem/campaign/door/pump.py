"""The way in: poll the mailbox, take each letter in, commit, then move it away.

What has been taken is known by the database alone; a letter found again after a crash is merely moved. `at` is called
between the steps with the name of the point reached: ``connected`` if that was needed, ``fetched``; for each letter
``taken``, while its transaction is still open, and ``committed``; then ``polled``, and ``moved`` for each folder.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol, TypeVar

import structlog

from pbem.campaign.base.budgets import Excess, TooMuch
from pbem.campaign.base.server import WEATHER, Server
from pbem.campaign.door import intake, lives
from pbem.campaign.door.intake import Outcome, Received
from pbem.campaign.door.postman import nowhere
from pbem.campaign.turn import breakers
from pbem.mail.imap import Fetched, ImapSettings, MailboxDown, backoff
from pbem.store import tables, writes

__all__ = ["POINTS", "InboundPump", "Mailbox", "Polling", "Step", "Transact", "take_in"]

log = structlog.get_logger(__name__)

T = TypeVar("T")

POINTS = ("connected", "fetched", "taken", "committed", "polled", "moved")


class Mailbox(Protocol):
    """What the pump wants of `mail.imap.ImapMailbox`."""

    @property
    def settings(self) -> ImapSettings:
        """Account and folders."""
        ...

    @property
    def connected(self) -> bool:
        """Whether `connect` is not needed."""
        ...

    def connect(self) -> None:
        """Log in; MailboxDown."""
        ...

    def fetch_new(self, after_uid: int) -> list[Fetched]:
        """The letters in the folder; MailboxDown."""
        ...

    def move(self, uids: Sequence[int], folder: str) -> None:
        """Move letters away; MailboxDown."""
        ...


class Transact(Protocol):
    """Runs a function that makes a transaction where transactions are to be made, and waits for it."""

    def __call__(self, work: Callable[[], T], /) -> T:
        """Return what `work` returns; what it raises passes."""
        ...


def at_once(work: Callable[[], T], /) -> T:
    """Run it here and now."""
    return work()


class Step(NamedTuple):
    """What a poll gave: letters taken, and the seconds to wait before the next try if the mailbox was down."""

    taken: int
    retry_in: float | None = None


class Polling(NamedTuple):
    """How a mailbox is polled.

    `jitter` gives numbers in 0..1 that spread out reconnections; `transact` runs the transactions, perhaps elsewhere.
    With `guarded` a mailbox that was out of reach for hours puts deadlines off (breakers.py); where the clock is moved
    by hand it may not be.
    """

    jitter: Callable[[], float] = lambda: 0.0
    transact: Transact = at_once
    guarded: bool = False


class InboundPump:
    """Polls one mailbox from one thread.

    `at` is told where the pump has come to.
    """

    def __init__(
        self, server: Server, mailbox: Mailbox, at: Callable[[str], None] = nowhere, polling: Polling | None = None
    ) -> None:
        self.server = server
        self.mailbox = mailbox
        self._at = at
        self._polling = polling or Polling()
        self._transact = self._polling.transact
        self._failures = 0
        self._met: set[tuple[int, int]] = set()

    def step(self) -> Step:
        """Poll once; never raises for bad weather, be it the mailbox or the database."""
        taken = 0
        begun = self.server.clock.now()
        settings = self.mailbox.settings
        try:
            if not self.mailbox.connected:
                self.mailbox.connect()
                log.info("mailbox connected", host=settings.host, port=settings.port, folder=settings.folder)
                self._at("connected")
            letters = self.mailbox.fetch_new(0)
            self._at("fetched")
            if self._polling.guarded:
                # Before the letters are taken: those that come late for this reason are not late.
                self._transact(lambda: self._look_back(begun))
            done: dict[str, list[int]] = {}
            for letter in letters:
                outcome = self._take(letter)
                taken += outcome.verdict != "known"
                folder = settings.poison if outcome.verdict in ("poison", "fault") else settings.processed
                done.setdefault(folder, []).append(letter.uid)
                self._at("committed")
            # All that had arrived when the poll began is in, whether or not it can be moved now.
            self._transact(lambda: self._polled(begun))
            self._met.clear()
            self._at("polled")
            for folder, uids in done.items():
                self.mailbox.move(uids, folder)
                log.info("letters moved", uids=uids, folder=folder)
                self._at("moved")
        except (MailboxDown, *WEATHER) as weather:
            wait = backoff(self._failures, self._polling.jitter())
            self._failures += 1
            log.warning("poll failed", why=str(weather)[:300], retry_in=round(wait, 1))
            return Step(taken, wait)
        self._failures = 0
        return Step(taken)

    def _take(self, letter: Fetched) -> Outcome:
        settings = self.mailbox.settings
        received = Received(
            _account(settings),
            settings.folder,
            letter.uidvalidity,
            letter.uid,
            letter.internaldate,
            letter.raw,
            not letter.too_big,
        )
        return self._transact(lambda: self._begin(received))

    def _begin(self, received: Received) -> Outcome:
        """Take a letter in, or set it aside if that ended two lives of the server before this one."""
        here = (received.uidvalidity, received.uid)
        begun = lives.begin(self.server, received, met=here in self._met)
        self._met.add(here)
        if begun <= lives.LIVES:
            return take_in(self.server, received, self._at)
        log.error("a letter is set aside unread", uid=received.uid, lives=begun)
        return lives.set_aside(self.server, received, begun)

    def _look_back(self, begun: datetime) -> None:
        settings = self.mailbox.settings
        with self.server.work() as work:
            before = work.session.get(tables.Poll, (_account(settings), settings.folder))
            if before is not None:
                breakers.after_gap(work, before.begun, begun)

    def _polled(self, begun: datetime) -> None:
        settings = self.mailbox.settings
        with self.server.session() as session:
            session.merge(tables.Poll(account=_account(settings), folder=settings.folder, begun=begun))
            writes.forget_begun(session, _account(settings), settings.folder)


def take_in(server: Server, received: Received, at: Callable[[str], None] = nowhere) -> Outcome:
    """Take a letter in and commit; one that our own code fails on is set aside and told of. WEATHER passes."""
    try:
        received = intake.examined(server, received)
        outcome = _taken(server, received, at)
    except WEATHER:
        raise
    except Exception:
        log.exception("a letter is set aside", uid=received.uid)
        outcome = _set_aside(server, received, traceback.format_exc())
    log.info("letter taken", uid=received.uid, verdict=outcome.verdict, outcome=outcome.outcome)
    return outcome


def _taken(server: Server, received: Received, at: Callable[[str], None], excess: Excess | None = None) -> Outcome:
    """Take a letter in, in a transaction of its own; in another one say that it asks for too much, if it does."""
    try:
        with server.work() as work:
            outcome = intake.take(work, received, excess)
            at("taken")
    except TooMuch as much:
        if excess is not None:
            raise
        log.warning("a letter asks for too much", uid=received.uid, limit=much.excess.name, most=much.excess.most)
        return _taken(server, received, at, much.excess)
    return outcome


def _set_aside(server: Server, received: Received, fault: str) -> Outcome:
    try:
        with server.work() as work:
            return intake.take_as_fault(work, received, fault)
    except WEATHER:
        raise
    except Exception:
        # Not even a row can be made of it; the mailbox keeps it, and the others behind it are not held up.
        log.exception("a letter is left in the poison folder alone", uid=received.uid)
        return Outcome(0, "fault", "not noted")


def _account(settings: ImapSettings) -> str:
    return f"{settings.user}@{settings.host}"
