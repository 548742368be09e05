"""The way in: look into the mailbox, take letters in, commit, then move them away, a batch at a time.

What has been taken is known by the database alone; a letter found again after a crash is merely moved. `at` is called
between the steps with the name of the point reached: ``connected`` if that was needed, ``fetched``; for each letter
``taken``, while its transaction is still open, and ``committed``; then ``polled``, if all that is waited for is in, and
``moved`` for each folder. What may take long and is no transaction, such as asking the DNS, is done before, here.
"""

from __future__ import annotations

import hashlib
import traceback
from bisect import insort
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime, timedelta
from functools import partial
from itertools import takewhile, zip_longest
from typing import NamedTuple, Protocol, TypeVar

from sqlmodel import Session

from pbem.engine.data.messages import msg
from pbem.lazy import Logger
from pbem.letters import outbox
from pbem.mail.address import OwnAddresses, find_addresses
from pbem.mail.imap import LOOKED_AT, TOO_BIG, Fetched, ImapSettings, MailboxDown, NotMoved, Waiting, backoff
from pbem.play import outage_guard
from pbem.runtime.limits import Excess, TooMuch
from pbem.runtime.transaction import TRANSIENT_ERRORS, Server
from pbem.runtime.transaction import Transaction as Work
from pbem.server import deduplicate, intake
from pbem.server.intake import Outcome, Received
from pbem.server.outbox_sender import nowhere
from pbem.store import changes, hot_statements, queries, tables
from pbem.store.queries.inbox import Place

# What waits in a mailbox, and in which order it is taken.
#
# A few letters are taken in the order in which they came. Where many wait, those to the seats of games come first, then
# what came since the last whole look into the mailbox, or in the last days. What lay there before comes last, be it a
# hundred thousand letters of a mailbox that somebody else had before. Within each of these the order of arrival
# holds, so that of two letters of one player the older one is the first.


BATCH = 100
"""Letters that are fetched, taken and moved together."""

OCTETS = 4_000_000
"""What they may have together, so that a process holds no more at once."""

RECIPIENTS = 65_536
"""Octets of the fields that say whom a letter is for which are looked at: as many as are read of a header at all."""

_OLD = 2
"""Letters of this rank and above are old: nobody waits for them."""


class Backlog:
    """The letters of one folder that are not done; `own` says which addresses are those of seats."""

    def __init__(self, own: OwnAddresses) -> None:
        self._own = own
        self._letters: dict[int, tuple[int, Waiting]] = {}
        self._order: list[tuple[int, int]] = []
        self._looks: list[tuple[datetime, int]] = []

    def __len__(self) -> int:
        return len(self._letters)

    def __contains__(self, uid: object) -> bool:
        return uid in self._letters

    def keep(self, uids: Iterable[int]) -> None:
        """Forget all letters but these."""
        there = set(uids)
        self._letters = {uid: one for uid, one in self._letters.items() if uid in there}
        self._order = [(rank, uid) for rank, uid in self._order if uid in self._letters]

    def add(self, letters: Iterable[Waiting], since: datetime) -> None:
        """Add letters that wait; those that came before `since` are old."""
        for letter in letters:
            rank = 2 * (letter.internaldate < since) + (not self._to_a_seat(letter))
            self._letters[letter.uid] = (rank, letter._replace(recipients=b""))
            insort(self._order, (rank, letter.uid))

    def looked(self, begun: datetime, last: int) -> None:
        """Note that a look into the mailbox, which began at `begun`, found everything up to the UID `last`."""
        self._looks.append((begun, last))

    def batch(self) -> list[Waiting]:
        """The letters to be taken next."""
        few = len(self._letters) <= BATCH
        uids = sorted(self._letters) if few else [uid for _, uid in self._order[:BATCH]]
        chosen: list[Waiting] = []
        octets = 0
        for uid in uids:
            letter = self._letters[uid][1]
            octets += min(letter.size, TOO_BIG)
            if chosen and octets > OCTETS:
                break
            chosen.append(letter)
        return chosen

    def done(self, uids: Sequence[int]) -> None:
        """Strike out letters that are taken, or gone."""
        there = set(uids)
        for uid in there:
            self._letters.pop(uid, None)
        # They stand at the beginning, or there are few at all.
        head = [entry for entry in self._order[: 2 * BATCH] if entry[1] not in there]
        self._order[: 2 * BATCH] = head

    def whole(self) -> datetime | None:
        """Return when the last look began whose letters, but for old ones, are all taken; None if told before."""
        first = min((uid for _, uid in takewhile(lambda entry: entry[0] < _OLD, self._order)), default=None)
        over = [begun for begun, last in self._looks if first is None or last < first]
        self._looks = self._looks[len(over) :]
        return over[-1] if over else None

    def _to_a_seat(self, letter: Waiting) -> bool:
        text = letter.recipients[:RECIPIENTS].decode("ascii", "replace")
        return any(self._own.seat(address) for address in find_addresses(text))


# Letters that crash the server: each is noted as begun before it is read, and after two crashes it is not read.
#
# A process that is killed for the memory or the time that a letter takes meets it again when it is started, and nobody
# behind it is answered. So each letter has a row from before anything of it is read; the transaction that takes the
# letter strikes it out, and the end of the poll those of letters that are gone. The row knows the letter by its bytes
# as well as by its place, which another may have after a mail store was put back. A life is a run of the server, from
# start to end. In its third life a letter is taken by its header alone; if the server ended at that too, it is moved
# away unread.
#
# The first letter of a batch is noted in a transaction of its own; each other by the one that takes the letter before
# it, if that one is told of the letter that follows. Whether the server still goes on is asked there, and not again:
# what is noted is begun. A server that is killed between the two has charged a letter with a life that it did not end.
# It cannot do so twice: only a letter that has no row is noted in this way, and who has one is counted when it is
# begun.


LIVES = 2
"""How many lives of the server a letter may end before it is set aside."""


class Lives:
    """The letters of a mailbox that this life of the server has begun and not taken yet; `going` while it may begin.

    What it has noted is remembered here once that is committed, and is not counted again: neither for the letter that
    is begun next nor for one that the database, gone away in between, kept from being taken.
    """

    def __init__(self, server: Server, going: Callable[[], bool]) -> None:
        self._server = server
        self._going = going
        self._check_starts: dict[Place, tuple[bytes, int]] = {}

    def of(self, received: Received) -> int:
        """In how many lives a letter was begun and not taken, with this one; 0 if it is not noted in this one."""
        raw, lives = self._check_starts.get(received.place, (b"", 0))
        return lives if raw == received.raw else 0

    def begin(self, received: Received) -> None:
        """Note that a letter is begun, in a transaction of its own."""
        with self._server.session() as session:
            lives = 1 if _note_new(session, received) else _note_again(session, received)
        self._check_starts[received.place] = (received.raw, lives)

    @contextmanager
    def taking(self, received: Received, following: Received | None) -> Iterator[Work]:
        """The transaction that takes a letter: it strikes it out, and notes the one that is begun next, if any is."""
        with self._server.work() as tx:
            yield tx
            hot_statements.end_begun(tx.session, received.place._asdict())
            noted = following is not None and self._going() and _note_new(tx.session, following)
        self._check_starts.pop(received.place, None)
        if following is not None and noted:
            self._check_starts[following.place] = (following.raw, 1)

    def set_aside(self, received: Received, following: Received | None) -> Outcome:
        """Take a letter by its header alone, and tell author and operator; if that failed too, tell the operator."""
        lives = self.of(received)
        fault = f"begun {lives - 1} times and never ended: {received.folder} {received.uidvalidity} {received.uid}"
        if lives > LIVES + 1:
            with self._server.work() as tx:
                _tell_of_place(tx, received, fault)
            return Outcome(0, "fault", "unread")
        with self.taking(received, following) as tx:
            return intake.take_as_fault(tx, received, fault, intake.UNREAD)

    def forget(self) -> None:
        """The poll is over, and with it the rows of its letters."""
        self._check_starts.clear()


def _note_new(session: Session, received: Received) -> bool:
    """Note that a letter is begun for the first time; False, and nothing is noted, if one of its place has a row."""
    return hot_statements.add_new(session, tables.Begun, **received.place._asdict(), lives=1, sha256=_digest(received))


def _note_again(session: Session, received: Received) -> int:
    """Count this life for the letter that lies where one was begun; in how many that is, if it is the same letter."""
    row, sha256 = queries.inbox.begun(session, received.place), _digest(received)
    row.lives = row.lives + 1 if row.sha256 in ("", sha256) else 1
    row.sha256 = sha256
    session.add(row)
    return row.lives


def _digest(received: Received) -> str:
    return hashlib.sha256(received.raw).hexdigest()


def _tell_of_place(tx: Work, received: Received, fault: str) -> None:
    what = msg("A letter has ended this server several times, and lies unread in the folder for what cannot be read.")
    cause = f"unread {received.account} {received.folder} {received.uidvalidity} {received.uid}"
    outbox.to_operator(tx, outbox.Notice(what, fault, cause=cause))


log = Logger(__name__)

T = TypeVar("T")

Transaction = Callable[[], AbstractContextManager[Work]]
"""Begins a transaction, which is committed when its block ends and rolled back when it raises."""

_DAY = timedelta(days=1)

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

    def arrived(self, after_uid: int = 0) -> list[int]:
        """The UIDs of what lies in the folder, above one; MailboxDown."""
        ...

    def look(self, uids: Sequence[int]) -> list[Waiting]:
        """What lies there, not fetched; MailboxDown."""
        ...

    def fetch(self, letters: Sequence[Waiting]) -> list[Fetched]:
        """Letters themselves; MailboxDown."""
        ...

    def move(self, uids: Sequence[int], folder: str) -> None:
        """Move letters away; NotMoved, MailboxDown."""
        ...


class Transact(Protocol):
    """Runs a function that makes a transaction where transactions are to be made, and waits for it."""

    def __call__(self, tx: Callable[[], T], /) -> T:
        """Return what `work` returns; what it raises passes."""
        ...


def at_once(tx: Callable[[], T], /) -> T:
    """Run the function here and now, in this thread."""
    return tx()


class Step(NamedTuple):
    """What a poll gave: letters taken, and the seconds to wait before the next try if the mailbox was down."""

    taken: int
    retry_in: float | None = None


class Polling(NamedTuple):
    """How a mailbox is polled.

    `jitter` gives numbers in 0..1 that spread out reconnections; `transact` runs the transactions, perhaps elsewhere.
    With `guarded` a mailbox that was out of reach for hours puts deadlines off (outage_guard.py); where the clock is
    moved by hand it may not be. `alive` is called as the work goes on, however much of it there is. No letter is begun
    when it is no more `going`: the end of a server waits for one letter, and not for a batch of them. `claim` is called
    before each look and raises Claimed if another server takes this mailbox's letters (mailbox_lock.py).
    """

    jitter: Callable[[], float] = lambda: 0.0
    transact: Transact = at_once
    guarded: bool = False
    alive: Callable[[], None] = lambda: None
    going: Callable[[], bool] = lambda: True
    claim: Callable[[], None] = lambda: None


class InboundPump:
    """Polls one mailbox from one thread.

    `at` is told where the pump has come to. `waiting` letters are known and not taken yet, `unmoved` ones are taken
    and lie where they lay because the mail server will not move them, for the reason `refused`.
    """

    def __init__(
        self, server: Server, mailbox: Mailbox, at: Callable[[str], None] = nowhere, polling: Polling | None = None
    ) -> None:
        self.server = server
        self.mailbox = mailbox
        self.refused = ""
        self._at = at
        self._polling = polling or Polling()
        self._transact = self._polling.transact
        self._failures = 0
        self._backlog = Backlog(server.own)
        self._seen = 0
        self._validity = 0
        self._done: dict[int, str] = {}
        self._lives = Lives(server, self._polling.going)

    @property
    def waiting(self) -> int:
        """How many letters are known to wait; step again, at once."""
        return len(self._backlog)

    @property
    def unmoved(self) -> int:
        """How many letters are taken and could not be moved."""
        return len(self._done) if self.refused else 0

    def step(self) -> Step:
        """Take in one batch of what waits; Claimed, and never anything for bad weather of mailbox or database."""
        taken = 0
        begun = self.server.clock.now()
        settings = self.mailbox.settings
        try:
            if not self.mailbox.connected:
                self._seen, self._done = 0, {}
                self.mailbox.connect()
                log.info("mailbox connected", host=settings.host, port=settings.port, folder=settings.folder)
                self._at("connected")
            self._polling.claim()
            self._look(begun)
            batch = self._backlog.batch()
            letters = {letter.uid: letter for letter in self.mailbox.fetch(batch)}
            self._at("fetched")
            if self._polling.guarded:
                # Before the letters are taken: those that come late for this reason are not late.
                self._transact(lambda: self._look_back(begun))
            arrived = [self._received(letters[waiting.uid]) for waiting in batch if waiting.uid in letters]
            done = [waiting.uid for waiting in batch if waiting.uid not in letters]
            for received, following in zip_longest(arrived, arrived[1:]):
                if not (self._lives.of(received) or self._polling.going()):
                    break
                taken += self._take(received, following).verdict != "known"
                self._at("committed")
                self._polling.alive()
                done.append(received.uid)
            self._backlog.done(done)
            self._note_poll(next((letter.uidvalidity for letter in letters.values()), self._validity))
            self._move()
        except (MailboxDown, *TRANSIENT_ERRORS) as weather:
            wait = backoff(self._failures, self._polling.jitter())
            self._failures += 1
            log.warning("poll failed", why=str(weather)[:300], retry_in=round(wait, 1))
            return Step(taken, wait)
        self._failures = 0
        if self.waiting:
            log.info("letters wait", waiting=self.waiting, taken=taken)
        return Step(taken)

    def _look(self, begun: datetime) -> None:
        """Find what has come; of a mailbox with many letters nothing but where each is to go is kept."""
        # Between two batches only what is new is asked for: the rest is known.
        fresh = self._seen if self._backlog else 0
        uids = self.mailbox.arrived(fresh)
        if not fresh:
            self._backlog.keep(uids)
            there = set(uids)
            self._done = {uid: folder for uid, folder in self._done.items() if uid in there}
        new = [uid for uid in uids if uid not in self._backlog and uid not in self._done]
        since = self._since(begun) if len(new) + len(self._backlog) > BATCH else begun
        for start in range(0, len(new), LOOKED_AT):
            if start:
                log.info("looking through the mailbox", looked=start, of=len(new))
                self._polling.alive()
            self._backlog.add(self.mailbox.look(new[start : start + LOOKED_AT]), since)
        self._seen = max(self._seen, *uids, 0)
        self._backlog.looked(begun, self._seen)

    def _since(self, begun: datetime) -> datetime:
        """What came before is old: it was there at the last whole poll, or days ago if there was none."""

        def last() -> datetime | None:
            with self.server.session() as session:
                poll = session.get(tables.Poll, (_account(self.mailbox.settings), self.mailbox.settings.folder))
                return poll.begun if poll is not None else None

        polled = self._transact(last)
        # The mail server's clock may be another one.
        return (polled or begun - _DAY) - _DAY

    def _received(self, letter: Fetched) -> Received:
        settings = self.mailbox.settings
        return Received(
            _account(settings),
            settings.folder,
            letter.uidvalidity,
            letter.uid,
            letter.internaldate,
            letter.raw,
            not letter.too_big,
        )

    def _take(self, received: Received, following: Received | None) -> Outcome:
        """Take a letter in, or set it aside if that ended two lives of the server; note the one that follows."""
        if not self._lives.of(received):
            self._transact(lambda: self._lives.begin(received))
        if (begun := self._lives.of(received)) > LIVES:
            log.error("a letter is set aside unread", uid=received.uid, lives=begun)
            outcome = self._transact(lambda: self._lives.set_aside(received, following))
        else:
            known, taking = examined(self.server, received), partial(self._lives.taking, received, following)
            outcome = self._transact(lambda: take_in(self.server, known, self._at, taking))
        spoilt = outcome.verdict in ("poison", "fault")
        settings = self.mailbox.settings
        self._done[received.uid] = settings.poison if spoilt else settings.processed
        return outcome

    def _move(self) -> None:
        """Move what is done; what the server will not move stays, and is tried again when nothing waits any more."""
        if self.refused and self.waiting:
            return
        for folder in sorted(set(self._done.values())):
            uids = [uid for uid, to in self._done.items() if to == folder]
            try:
                self.mailbox.move(uids, folder)
            except NotMoved as refused:
                if str(refused) != self.refused:
                    log.warning("letters cannot be moved", count=len(uids), folder=folder, why=str(refused)[:300])
                self.refused = str(refused)
                return
            log.info("letters moved", uids=uids, folder=folder)
            self._done = {uid: to for uid, to in self._done.items() if to != folder}
            self._at("moved")
        self.refused = ""

    def _look_back(self, begun: datetime) -> None:
        settings = self.mailbox.settings
        with self.server.work() as tx:
            before = tx.session.get(tables.Poll, (_account(settings), settings.folder))
            if before is not None:
                outage_guard.handle_gap(tx, before.begun, begun)

    def _note_poll(self, validity: int) -> None:
        """All that had arrived when a look began is in, whether or not it can be moved now: write that down."""
        if (whole := self._backlog.whole()) is not None:
            self._transact(lambda: self._polled(whole, validity))
            self._lives.forget()
            self._at("polled")

    def _polled(self, begun: datetime, validity: int) -> None:
        settings = self.mailbox.settings
        account = _account(settings)
        with self.server.work() as tx:
            tx.session.merge(tables.Poll(account=account, folder=settings.folder, begun=begun))
            changes.forget_begun(tx.session, account, settings.folder)
            if validity != self._validity:
                deduplicate.watch_validity(tx, Place(account, settings.folder, validity, 0))
                self._validity = validity


def examined(server: Server, received: Received) -> Received:
    """The letter with what its signatures are worth. This may wait for the DNS, and so is no part of a transaction."""
    try:
        return intake.examine(server, received)
    except Exception:
        # What is wrong with it is found out, and noted, when it is taken.
        log.exception("a letter cannot be examined", uid=received.uid)
        return received._replace(evidence="none")


def take_in(
    server: Server,
    received: Received,
    at: Callable[[str], None] = nowhere,
    transaction: Transaction | None = None,
) -> Outcome:
    """Take a letter in and commit; one that our own code fails on is set aside and told of. WEATHER passes.

    What else is to be done when it is taken, the `transaction` does: the server's own does nothing.
    """
    transaction = transaction or server.work
    try:
        if received.evidence is None:
            received = intake.examine(server, received)
        outcome = _taken(transaction, received, at)
    except TRANSIENT_ERRORS:
        raise
    except Exception:
        log.exception("a letter is set aside", uid=received.uid)
        outcome = _set_aside(transaction, received, traceback.format_exc())
    unread = {"unread": outcome.why} if outcome.why else {}
    log.info("letter taken", uid=received.uid, verdict=outcome.verdict, outcome=outcome.outcome, **unread)
    return outcome


def _taken(
    transaction: Transaction, received: Received, at: Callable[[str], None], excess: Excess | None = None
) -> Outcome:
    """Take a letter in, in a transaction of its own; in another one say that it asks for too much, if it does."""
    try:
        with transaction() as tx:
            outcome = intake.take(tx, received, excess)
            at("taken")
    except TooMuch as much:
        if excess is not None:
            raise
        log.warning("a letter asks for too much", uid=received.uid, limit=much.excess.name, most=much.excess.most)
        return _taken(transaction, received, at, much.excess)
    return outcome


def _set_aside(transaction: Transaction, received: Received, fault: str) -> Outcome:
    try:
        with transaction() as tx:
            return intake.take_as_fault(tx, received, fault)
    except TRANSIENT_ERRORS:
        raise
    except Exception:
        # Not even a row can be made of it; the mailbox keeps it, and the others behind it are not held up.
        log.exception("a letter is left in the poison folder alone", uid=received.uid)
        return Outcome(0, "fault", "not noted")


def _account(settings: ImapSettings) -> str:
    return f"{settings.user}@{settings.host}"
