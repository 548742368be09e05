"""Poll the mailbox, take letters in, commit, then move them, a batch at a time.

Only the database knows which letters are taken; a letter found again after a crash is only moved. `on_step`
is called between the steps with the name of the point reached: ``connected`` if that was needed, ``fetched``;
for each letter ``taken``, while its transaction is still open, and ``committed``; then ``polled``, if all
current letters are in, and ``moved`` for each folder. Slow steps outside of transactions, such as asking the
DNS, are done before, here.
"""

from __future__ import annotations

import hashlib
import traceback
from bisect import insort
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from functools import partial
from itertools import takewhile, zip_longest
from typing import NamedTuple, Protocol, TypeVar

from sqlmodel import Session

from pbem.engine.data.messages import msg
from pbem.lazy import Logger
from pbem.letters import outbox
from pbem.mail.address import OwnAddresses, find_addresses
from pbem.mail.imap import (
    LARGEST_FETCHED,
    LETTERS_PER_COMMAND,
    FetchedLetter,
    ImapSettings,
    MailboxDown,
    NotMoved,
    WaitingLetter,
    retry_delay,
)
from pbem.play import outage_guard
from pbem.runtime.clock import DAY
from pbem.runtime.limits import ExceededLimit, LetterLimitExceeded
from pbem.runtime.transaction import TRANSIENT_ERRORS, Server
from pbem.runtime.transaction import Transaction as Work
from pbem.server import deduplicate, intake
from pbem.server.intake import LetterOutcome, ReceivedLetter
from pbem.server.outbox_sender import ignore_point
from pbem.store import changes, hot_statements, queries, tables
from pbem.store.queries.inbox import MailboxPlace
from pbem.tournaments import clocks

# Letters that wait in a mailbox, and the order in which they are taken.
#
# A few letters are taken in the order of arrival. If many wait, those to seats of games come first, then those since
# the last complete poll, or of the last days. Older letters come last, even a hundred thousand in a mailbox that
# somebody else had before. Within each of these groups the order of arrival
# holds, so that of two letters of one player the older one is the first.


BATCH_LETTERS = 100
"""Letters that are fetched, taken and moved together: a command of IMAP for each would cost more, and after a crash
a batch is fetched again."""

BATCH_OCTETS = 4_000_000
"""Octets of a batch in total, to limit the memory of the process."""

RECIPIENT_OCTETS = 65_536
"""Octets of recipient fields that are inspected: as many as are read of any header."""

_OLD = 2
"""The rank of a waiting letter from which on it is old: nobody waits for it."""


class Backlog:
    """The letters of one folder that are not taken yet; `own` detects seat addresses."""

    def __init__(self, own: OwnAddresses) -> None:
        self._own = own
        self._letters: dict[int, tuple[int, WaitingLetter]] = {}
        self._order: list[tuple[int, int]] = []
        self._looks: list[tuple[datetime, int]] = []

    def __len__(self) -> int:
        return len(self._letters)

    def __contains__(self, uid: object) -> bool:
        return uid in self._letters

    def keep(self, uids: Iterable[int]) -> None:
        """Drop all letters except these."""
        present = set(uids)
        self._letters = {uid: entry for uid, entry in self._letters.items() if uid in present}
        self._order = [(rank, uid) for rank, uid in self._order if uid in self._letters]

    def add(self, letters: Iterable[WaitingLetter], since: datetime) -> None:
        """Add waiting letters; those that came before `since` are old."""
        for letter in letters:
            rank = 2 * (letter.internaldate < since) + (not self._to_a_seat(letter))
            self._letters[letter.uid] = (rank, letter._replace(recipients=b""))
            insort(self._order, (rank, letter.uid))

    def note_look(self, begun: datetime, last_uid: int) -> None:
        """Note a look into the mailbox, its start and the last UID it found."""
        self._looks.append((begun, last_uid))

    def batch(self) -> list[WaitingLetter]:
        """Return the letters to take next."""
        is_short = len(self._letters) <= BATCH_LETTERS
        uids = sorted(self._letters) if is_short else [uid for _, uid in self._order[:BATCH_LETTERS]]
        chosen: list[WaitingLetter] = []
        octets = 0
        for uid in uids:
            letter = self._letters[uid][1]
            octets += min(letter.size, LARGEST_FETCHED)
            if chosen and octets > BATCH_OCTETS:
                break
            chosen.append(letter)
        return chosen

    def remove(self, uids: Sequence[int]) -> None:
        """Remove letters that are taken, or gone."""
        finished = set(uids)
        for uid in finished:
            self._letters.pop(uid, None)
        # They are at the beginning, or there are only a few.
        kept = [entry for entry in self._order[: 2 * BATCH_LETTERS] if entry[1] not in finished]
        self._order[: 2 * BATCH_LETTERS] = kept

    def whole(self) -> datetime | None:
        """Return when the last look began whose letters are all taken, except old ones.

        None if there is no newer one since the last call.
        """
        first_uid = min((uid for _, uid in takewhile(lambda entry: entry[0] < _OLD, self._order)), default=None)
        finished = [begun for begun, last_uid in self._looks if first_uid is None or last_uid < first_uid]
        self._looks = self._looks[len(finished) :]
        return finished[-1] if finished else None

    def _to_a_seat(self, letter: WaitingLetter) -> bool:
        text = letter.recipients[:RECIPIENT_OCTETS].decode("ascii", "replace")
        return any(self._own.seat(address) for address in find_addresses(text))


# Letters that crash the server: each is noted as begun before it is read, and after two crashes it is not read.
#
# A process that is killed for the memory or the time of a letter meets it again after a restart, and no letter behind
# it is answered. So each letter has a row before any of it is read; the transaction that takes the letter deletes it,
# and the end of the poll deletes the rows of vanished letters. The row identifies the letter by its bytes as well as by
# its place, which another may have after a restore of the mail store. In the third run of the server (from start to
# end) a letter is taken by its header only; if the server ended at that too, it is moved away unread, or given back.
#
# The first letter of a batch is noted in a transaction of its own; each other by the transaction of the letter before
# it, if that knows the next letter. Whether the server is to stop is checked there, and not again: a noted letter is
# begun. A server that is killed between the two has charged a letter with a run that it did not end. It cannot do so
# twice: only a letter without a row is noted in this way; one with a row is counted when it is begun.


MOST_ENDED_RUNS = 2
"""Runs of the server that may end during one letter before it is set aside: the first may have had another cause."""


class PoisonLetterGuard:
    """The letters that this run of the server has begun and not taken yet.

    `going` is called before each letter, which may begin while it returns True. Committed notes are remembered, so
    that a letter is counted once in a run, even if it could not be taken because the database was away.
    """

    def __init__(
        self, server: Server, going: Callable[[], bool], transact: RunTransaction, on_step: Callable[[str], None]
    ) -> None:
        self._server, self._going, self._transact, self._at = server, going, transact, on_step
        self._check_starts: dict[MailboxPlace, tuple[bytes, int]] = {}

    def of(self, received: ReceivedLetter) -> int:
        """Return in how many runs a letter was begun and not taken.

        0 if it was not begun in this run.
        """
        raw, lives = self._check_starts.get(received.mailbox_place, (b"", 0))
        return lives if raw == received.raw else 0

    def begin(self, received: ReceivedLetter) -> None:
        """Note that a letter is begun, in a transaction of its own."""
        with self._server.session() as session:
            lives = 1 if _note_new(session, received) else _note_again(session, received)
        self._check_starts[received.mailbox_place] = (received.raw, lives)

    @contextmanager
    def taking(self, received: ReceivedLetter, following: ReceivedLetter | None) -> Iterator[Work]:
        """Open the transaction that takes a letter.

        It removes the letter's note, and notes the next letter if that is begun.
        """
        with self._server.work() as tx:
            yield tx
            hot_statements.delete_begun(tx.session, received.mailbox_place._asdict())
            is_noted = following is not None and self._going() and _note_new(tx.session, following)
        self._check_starts.pop(received.mailbox_place, None)
        if following is not None and is_noted:
            self._check_starts[following.mailbox_place] = (following.raw, 1)

    def take(self, received: ReceivedLetter, following: ReceivedLetter | None) -> LetterOutcome:
        """Take a letter in, or set it aside if reading it ended two runs of the server."""
        if not self.of(received):
            self._transact(lambda: self.begin(received))
        if (runs := self.of(received)) > MOST_ENDED_RUNS:
            log.error("a letter is set aside unread", uid=received.uid, lives=runs)
            return self._transact(lambda: self.set_aside(received, following))
        checked, taking = add_evidence(self._server, received), partial(self.taking, received, following)
        return self._transact(lambda: take_and_commit(self._server, checked, self._at, taking))

    def set_aside(self, received: ReceivedLetter, following: ReceivedLetter | None) -> LetterOutcome:
        """Take only the header of a letter, and notify author and operator.

        If even that fails, notify the operator.
        """
        lives = self.of(received)
        fault = f"begun {lives - 1} times and never ended: {received.folder} {received.uidvalidity} {received.uid}"
        if lives > MOST_ENDED_RUNS + 1:
            with self._server.work() as tx:
                _notify_of_place(tx, received, fault)
            return LetterOutcome(0, "fault", "unread")
        with self.taking(received, following) as tx:
            return intake.set_letter_aside(tx, received, fault, intake.ENDED_RUNS_FAULT)

    def forget(self) -> None:
        """Forget, at the end of a poll, which letters were begun; stored notes stay."""
        self._check_starts.clear()


def _note_new(session: Session, received: ReceivedLetter) -> bool:
    """Note a letter that is begun for the first time.

    Return False if its place has a row.
    """
    return hot_statements.insert_if_new(
        session, tables.Begun, **received.mailbox_place._asdict(), lives=1, sha256=_digest(received)
    )


def _note_again(session: Session, received: ReceivedLetter) -> int:
    """Count this run for the letter at a place; return the number of runs.

    Another letter at that place starts at 1.
    """
    row, sha256 = queries.inbox.begun_letter(session, received.mailbox_place), _digest(received)
    row.lives = row.lives + 1 if row.sha256 in ("", sha256) else 1
    row.sha256 = sha256
    session.add(row)
    return row.lives


def _digest(received: ReceivedLetter) -> str:
    return hashlib.sha256(received.raw).hexdigest()


def _notify_of_place(tx: Work, received: ReceivedLetter, fault: str) -> None:
    sentence = msg(
        "A letter has ended this server several times, and lies unread in the folder for what cannot be read."
    )
    if not received.folder:
        sentence = msg("A letter has ended this server several times, and went back to its sender unread.")
    cause = f"unread {received.account} {received.folder} {received.uidvalidity} {received.uid}"
    outbox.write_to_operator_once(tx, outbox.OperatorNotice(sentence, fault, cause=cause))


log = Logger(__name__)

T = TypeVar("T")

BeginTransaction = Callable[[], AbstractContextManager[Work]]
"""Begins a transaction, which is committed when its block ends and rolled back when it raises."""


POLL_POINTS = ("connected", "fetched", "taken", "committed", "polled", "moved")


class Mailbox(Protocol):
    """The methods of `mail.imap.ImapMailbox` that the poller uses."""

    @property
    def settings(self) -> ImapSettings:
        """Return account and folders."""

    @property
    def is_connected(self) -> bool:
        """Return whether the connection is open."""

    def connect(self) -> None:
        """Log in; raise MailboxDown if that fails."""

    def new_uids(self, after_uid: int = 0) -> list[int]:
        """Return the UIDs in the folder above one.

        Raise MailboxDown.
        """

    def look(self, uids: Sequence[int]) -> list[WaitingLetter]:
        """Return waiting letters without fetching them; raise MailboxDown."""

    def fetch(self, letters: Sequence[WaitingLetter]) -> list[FetchedLetter]:
        """Return the letters themselves; raise MailboxDown."""

    def move(self, uids: Sequence[int], folder: str) -> None:
        """Move letters away; raise NotMoved or MailboxDown."""


class RunTransaction(Protocol):
    """A runner of functions that need a transaction, perhaps in another thread."""

    def __call__(self, function: Callable[[], T], /) -> T:
        """Return the result of the function; pass its errors."""
        ...


def run_inline(function: Callable[[], T], /) -> T:
    """Run the function here and now, in this thread."""
    return function()


class PollResult(NamedTuple):
    """The result of a poll: letters taken, and seconds to wait after a failure."""

    taken: int
    retry_in: float | None = None


class PollOptions(NamedTuple):
    """The options for polling a mailbox.

    `jitter` gives numbers in 0..1 that spread out reconnections; `transact` runs the transactions, perhaps in
    another thread. With `guarded` deadlines move after an outage of hours (outage_guard.py); not where the clock is
    moved by hand. `alive` is called again and again during the work, as a sign of life. No letter is begun once
    `going` is False: a stopping server waits for one letter, and not for a batch of them. `claim` is called before
    each look and raises MailboxTaken if another server takes this mailbox's letters (mailbox_lock.py).
    """

    jitter: Callable[[], float] = lambda: 0.0
    transact: RunTransaction = run_inline
    guarded: bool = False
    alive: Callable[[], None] = lambda: None
    going: Callable[[], bool] = lambda: True
    claim: Callable[[], None] = lambda: None


class MailboxPoller:
    """A poller of one mailbox from one thread.

    `on_step` is called with each point reached. `waiting` counts letters that are known and not taken yet,
    `unmoved_count` letters that are taken and still in their folder, because the mail server refuses to move them
    for the reason `refused`.
    """

    def __init__(
        self,
        server: Server,
        mailbox: Mailbox,
        on_step: Callable[[str], None] = ignore_point,
        polling: PollOptions | None = None,
    ) -> None:
        self.server = server
        self.mailbox = mailbox
        self.refused = ""
        self._at = on_step
        self._polling = polling or PollOptions()
        self._transact = self._polling.transact
        self._failures = 0
        self._backlog = Backlog(server.own)
        self._seen = 0
        self._validity = 0
        self._done: dict[int, str] = {}
        self._lives = PoisonLetterGuard(server, self._polling.going, self._transact, on_step)

    @property
    def waiting(self) -> int:
        """Return how many letters are known to wait; then step again, at once."""
        return len(self._backlog)

    @property
    def unmoved_count(self) -> int:
        """Return how many letters are taken and could not be moved."""
        return len(self._done) if self.refused else 0

    def step(self) -> PollResult:
        """Take in one batch; raise MailboxTaken, but no transient error."""
        taken = 0
        start = self.server.clock.now()
        settings = self.mailbox.settings
        try:
            if not self.mailbox.is_connected:
                self._seen, self._done = 0, {}
                self.mailbox.connect()
                log.info("mailbox connected", host=settings.host, port=settings.port, folder=settings.folder)
                self._at("connected")
            self._polling.claim()
            self._look(start)
            batch = self._backlog.batch()
            letters = {letter.uid: letter for letter in self.mailbox.fetch(batch)}
            self._at("fetched")
            if self._polling.guarded:
                # Before the letters are taken: those delayed by the outage are not late.
                self._transact(lambda: self._check_outage(start))
            arrived = [self._received_letter(letters[waiting.uid]) for waiting in batch if waiting.uid in letters]
            done = [waiting.uid for waiting in batch if waiting.uid not in letters]
            for received, following in zip_longest(arrived, arrived[1:]):
                if not (self._lives.of(received) or self._polling.going()):
                    break
                taken += self._take(received, following).verdict != "known"
                self._at("committed")
                self._polling.alive()
                done.append(received.uid)
            self._backlog.remove(done)
            self._note_poll(next((letter.uidvalidity for letter in letters.values()), self._validity))
            self._move()
        except (MailboxDown, *TRANSIENT_ERRORS) as error:
            wait = retry_delay(self._failures, self._polling.jitter())
            self._failures += 1
            # A reply may be long, and its beginning says what is wrong.
            log.warning("poll failed", why=str(error)[:300], retry_in=round(wait, 1))
            return PollResult(taken, wait)
        self._failures = 0
        if self.waiting:
            log.info("letters wait", waiting=self.waiting, taken=taken)
        return PollResult(taken)

    def _look(self, start_time: datetime) -> None:
        """Find new letters; if they are many, keep only where each is to go."""
        # Between two batches only new letters are queried: the rest is known.
        after_uid = self._seen if self._backlog else 0
        uids = self.mailbox.new_uids(after_uid)
        if not after_uid:
            self._backlog.keep(uids)
            present = set(uids)
            self._done = {uid: folder for uid, folder in self._done.items() if uid in present}
        new = [uid for uid in uids if uid not in self._backlog and uid not in self._done]
        since = self._since(start_time) if len(new) + len(self._backlog) > BATCH_LETTERS else start_time
        for start in range(0, len(new), LETTERS_PER_COMMAND):
            if start:
                log.info("looking through the mailbox", looked=start, of=len(new))
                self._polling.alive()
            self._backlog.add(self.mailbox.look(new[start : start + LETTERS_PER_COMMAND]), since)
        self._seen = max(self._seen, *uids, 0)  # the 0 since max() does not take a single number
        self._backlog.note_look(start_time, self._seen)

    def _since(self, start_time: datetime) -> datetime:
        """Return the time before which letters are old.

        It is a day before the last complete poll or, without one, two days ago.
        """

        def last() -> datetime | None:
            with self.server.session() as session:
                poll = session.get(tables.Poll, (_account(self.mailbox.settings), self.mailbox.settings.folder))
                return poll.begun if poll is not None else None

        polled = self._transact(last)
        # The mail server's clock may differ.
        return (polled or start_time - DAY) - DAY

    def _received_letter(self, letter: FetchedLetter) -> ReceivedLetter:
        settings = self.mailbox.settings
        return ReceivedLetter(
            _account(settings),
            settings.folder,
            letter.uidvalidity,
            letter.uid,
            letter.internaldate,
            letter.raw,
            not letter.too_big,
        )

    def _take(self, received: ReceivedLetter, following: ReceivedLetter | None) -> LetterOutcome:
        """Take a letter in; note the folder that it is to be moved to."""
        outcome = self._lives.take(received, following)
        is_unreadable = outcome.verdict in ("poison", "fault")
        settings = self.mailbox.settings
        self._done[received.uid] = settings.poison if is_unreadable else settings.processed
        return outcome

    def _move(self) -> None:
        """Move finished letters.

        Letters that the server refuses to move stay, and are tried again when no letter waits.
        """
        if self.refused and self.waiting:
            return
        for folder in sorted(set(self._done.values())):
            uids = [uid for uid, target in self._done.items() if target == folder]
            try:
                self.mailbox.move(uids, folder)
            except NotMoved as refusal:
                if str(refusal) != self.refused:
                    log.warning("letters cannot be moved", count=len(uids), folder=folder, why=str(refusal)[:300])
                self.refused = str(refusal)
                return
            log.info("letters moved", uids=uids, folder=folder)
            self._done = {uid: target for uid, target in self._done.items() if target != folder}
            self._at("moved")
        self.refused = ""

    def _check_outage(self, start_time: datetime) -> None:
        settings = self.mailbox.settings
        with self.server.work() as tx:
            own = tx.session.get(tables.Poll, (_account(settings), settings.folder))
            # Before the first poll of another mailbox that of the former one counts.
            if (last_poll := own.begun if own else queries.inbox.last_poll(tx.session)) is None:
                return
            outage_guard.handle_polling_gap(tx, last_poll, start_time)
        clocks.handle_gap(self.server, last_poll, start_time)

    def _note_poll(self, validity: int) -> None:
        """Store the poll once all letters that were there are taken, moved or not."""
        if (start_time := self._backlog.whole()) is not None:
            self._transact(lambda: self._record_poll(start_time, validity))
            self._lives.forget()
            self._at("polled")

    def _record_poll(self, start_time: datetime, validity: int) -> None:
        account, folder = _account(self.mailbox.settings), self.mailbox.settings.folder
        with self.server.work() as tx:
            changes.finish_poll(tx.session, account, folder, start_time)
            if validity != self._validity:
                deduplicate.check_uidvalidity(tx, MailboxPlace(account, folder, validity, 0))
                self._validity = validity


def add_evidence(server: Server, received: ReceivedLetter) -> ReceivedLetter:
    """Return the letter with the evidence of its signatures; log errors.

    This may wait for the DNS, so that it is done outside of a transaction.
    """
    try:
        return intake.check_signatures(server, received)
    except Exception:
        # Its fault is found again, and stored, when it is taken.
        log.exception("a letter cannot be examined", uid=received.uid)
        return received._replace(evidence="none")


def take_and_commit(
    server: Server,
    received: ReceivedLetter,
    on_step: Callable[[str], None] = ignore_point,
    transaction: BeginTransaction | None = None,
) -> LetterOutcome:
    """Take a letter in and commit; set it aside if our code fails.

    TRANSIENT_ERRORS are passed on. The `transaction` may do more when the letter is taken; by default it does
    nothing more.
    """
    transaction = transaction or server.work
    try:
        if received.evidence is None:
            received = intake.check_signatures(server, received)
        outcome = _take_in_transaction(transaction, received, on_step)
    except TRANSIENT_ERRORS:
        raise
    except Exception:
        log.exception("a letter is set aside", uid=received.uid)
        outcome = _set_aside(transaction, received, traceback.format_exc())
    noted = {name: value for name, value in outcome.noted if value}
    log.info("letter taken", uid=received.uid, verdict=outcome.verdict, outcome=outcome.outcome, **noted)
    return outcome


def _take_in_transaction(
    transaction: BeginTransaction,
    received: ReceivedLetter,
    on_step: Callable[[str], None],
    excess: ExceededLimit | None = None,
) -> LetterOutcome:
    """Take a letter in in one transaction.

    If it exceeds a limit, answer so in another transaction.
    """
    try:
        with transaction() as tx:
            outcome = intake.take_letter(tx, received, excess)
            on_step("taken")
    except LetterLimitExceeded as error:
        if excess is not None:
            raise
        log.warning("a letter asks for too much", uid=received.uid, limit=error.excess.name, most=error.excess.most)
        return _take_in_transaction(transaction, received, on_step, error.excess)
    return outcome


def _set_aside(transaction: BeginTransaction, received: ReceivedLetter, fault: str) -> LetterOutcome:
    try:
        with transaction() as tx:
            return intake.set_letter_aside(tx, received, fault)
    except TRANSIENT_ERRORS:
        raise
    except Exception:
        # Not even a row can be made; the letter stays in the mailbox, and those behind it are not blocked.
        log.exception("a letter is left in the poison folder alone", uid=received.uid)
        return LetterOutcome(0, "fault", "not noted")


def _account(settings: ImapSettings) -> str:
    return f"{settings.user}@{settings.host}"
