"""Send letters of the outbox until the server accepts or refuses them.

Each letter is rendered once. The luck that it promises is computed before that, outside of any transaction.

The bytes are stored before they are first sent; a letter sent again after a crash is the same letter. `on_step` is
called between the steps with the name of the point reached: ``read``; ``rendering``, while the transaction that
stores the bytes is open, and ``render``; ``sent``; ``recording``, in the transaction, and ``recorded``.

With several workers, each reserves letters for a while, and renews this for those that it has not sent yet. The
letters of a worker that has ended are sent by others after that time. A worker whose reservation has expired still
records its tries, but changes nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple, Protocol, TypeVar

from sqlmodel import Session

from pbem.engine.data.messages import msg
from pbem.lazy import Logger
from pbem.letters import outbox
from pbem.log import log_health
from pbem.mail.delivery import DeliveryFailure
from pbem.mail.smtp import GIVE_UP_AFTER, Envelope, OnReply, SmtpReply, next_try
from pbem.play import attachment
from pbem.runtime.clock import DAY
from pbem.runtime.transaction import WORKER_PREFIX, Server, Transaction
from pbem.server import bounces, rendering
from pbem.server.drawing import PictureCollector, all_need_pictures, needs_pictures, split_due_letters
from pbem.store import changes, queries, tables

# The circuit breaker for sending: a mail server that refuses us, whatever the recipient.
#
# Refused for policy (enhanced status 5.7.x, RFC 3463) or at MAIL FROM, a letter says nothing about its recipient:
# perhaps the account may not send as our address, or its domain is not trusted, or we are on a blocklist. Such a letter
# is delayed, not given up; after three refusals without a success, one letter is tried every few minutes, until one is
# accepted. Then all go on. Only a letter that is refused again while others are accepted is at fault itself.


PROBE_INTERVAL = timedelta(minutes=5)
"""The time between two tries while a mail server refuses all our letters: short against the hours that letters would
wait otherwise, and long enough not to be blocked for trying."""

_IN_A_ROW = 3
"""Refusals of us as sender in a row, whatever the recipient, before only single letters are tried: one or two may be
about those letters."""
_SENDER = "MAIL FROM: "
# A refusal by policy (RFC 3463, X.7); a detail has up to three digits (RFC 3463, 2).
_POLICY = re.compile(r"\b5\.7\.\d{1,3}\b")


class StandingRefusal(NamedTuple):
    """A mail server's refusal of all our letters.

    It has its start, the server's last code and words, and the id of the last try `after` which it began.
    """

    since: datetime
    code: int
    text: str
    after: int


def refuses_our_sender(reply: SmtpReply) -> bool:
    """Return whether a reply refuses us as the sender, and not the recipient."""
    return _refuses_sender(reply.code, refusal_words(reply))


def refusal_words(reply: SmtpReply) -> str:
    """Return the server's words as stored, with the stage if it refuses us."""
    # A choice: room for a reply of several lines. The log has less: the beginning says what is wrong.
    return (f"{_SENDER}{reply.text}" if reply.stage == "sender" else reply.text)[:500]


def find_standing_refusal(session: Session) -> StandingRefusal | None:
    """Return the present refusal of all our letters, or None."""
    last_accepted = queries.outbox.last_accepted_try(session)
    tries = [
        attempt
        for attempt in queries.outbox.refused_tries(session, last_accepted)
        if _refuses_sender(attempt.code, attempt.text)
    ]
    if len(tries) < _IN_A_ROW:
        return None
    return StandingRefusal(tries[0].at, tries[-1].code, tries[-1].text, last_accepted)


def is_probe_pause(session: Session, now: datetime) -> bool:
    """Return whether the last try is less than `PROBE_INTERVAL` ago.

    It is asked only during a standing refusal.
    """
    last_tries = queries.outbox.last_tries(session, 1)
    return bool(last_tries) and last_tries[0].at > now - PROBE_INTERVAL


def fails_alone(session: Session, row: tables.Outbox) -> bool:
    """Return whether only this letter fails: others went out since its first try."""
    first_try = queries.outbox.first_try(session, row)
    return first_try is not None and queries.outbox.last_accepted_try(session) > first_try


def notify_of_refusal(tx: Transaction, refused: StandingRefusal) -> None:
    """Notify the operator, once.

    The notice waits in the outbox like all letters, so that the refusal is also in the server's log and in `pbem
    doctor`.
    """
    log.error("the mail server refuses us", code=refused.code, reply=refused.text[:200], since=str(refused.since))
    sentence = msg(
        "The mail server refuses what this server sends, whoever it is for. Letters wait; one is tried every "
        "{minutes} minutes, and when it is taken all others follow.",
        minutes=PROBE_INTERVAL // timedelta(minutes=1),
    )
    title = msg("letters are refused")
    reply_text = f"{refused.code} {refused.text}"
    outbox.write_to_operator_once(
        tx, outbox.OperatorNotice(sentence, reply_text, cause=f"refused after {refused.after}", title=title)
    )


def wake_letters(tx: Transaction) -> None:
    """Make all delayed letters due now, after one was accepted."""
    for row in queries.outbox.delayed_letters(tx.session):
        row.next_try = tx.now
        tx.session.add(row)


def _refuses_sender(code: int, text: str) -> bool:
    return 500 <= code <= 599 and (text.startswith(_SENDER) or _POLICY.search(text) is not None)


log = Logger(__name__)

SENDING_POINTS = ("read", "rendering", "rendered", "sent", "recording", "recorded")

Send = Callable[[Sequence[Envelope], OnReply], Awaitable[object]]
"""Sends letters in order, and passes one reply for each as soon as it is known; it never raises because of a mail
server."""

T = TypeVar("T")

RESERVATION_TIME = timedelta(minutes=2)
"""How long a worker reserves letters; it renews that whenever it has stored some results. After a crash letters wait
so long for another worker. A choice: shorter, and a slow mail server would have letters sent twice."""

_BATCH = 50
"""Letters that are taken from the queue together: a connection sends them one after another. A choice: answers that
come meanwhile wait for one batch at most."""
_RESULTS_AT_ONCE = 5
"""Letters whose results are stored together: after a crash at most so many are sent twice."""
_LONGEST_OUTAGE_WAIT = timedelta(minutes=5)
"""Longest wait while the mail server is away or refuses us: as with `PROBE_INTERVAL`, sending should resume soon."""
_LATER_OUTAGE_WAIT = timedelta(hours=1)
"""The same for a letter of more than a day whose server is away: with a try each five minutes an outage of five days
would leave 1,440 rows of attempts for each letter, now 385. RFC 5321, 4.5.4.1, asks for half an hour at least."""


class RunBlocking(Protocol):
    """A runner of blocking work off the event loop."""

    async def __call__(self, function: Callable[[], T], /) -> T:
        """Return the function's result."""
        ...


async def run_inline(function: Callable[[], T], /) -> T:
    """Run the function here, on the event loop: for tests and one-off commands."""
    return function()


def ignore_point(point: str) -> None:
    """Do nothing at a point that is reached."""


async def send_due_letters(
    server: Server,
    send: Send,
    worker: RunBlocking = run_inline,
    on_step: Callable[[str], None] = ignore_point,
    between: Callable[[], object] | None = None,
) -> int:
    """Send everything that is due, and return how many letters the server took.

    `between` is called after each batch, while pictures of the next are drawn.
    """
    sent, collector = 0, PictureCollector(server, server.clock.now())
    try:
        while batch := await worker(lambda: _next_batch(server, collector, on_step)):
            progress = _BatchProgress(server, [row for row, _ in batch], worker, on_step)
            envelopes = [Envelope(row.envelope_sender, row.recipient, body) for row, body in batch]
            await send(envelopes, progress.note_reply)
            await progress.record()
            sent += progress.sent
            if between is not None:
                await worker(between)
    finally:
        collector.close()
    return sent


class _BatchProgress:
    """A batch being sent, whose results are stored a few at a time."""

    def __init__(
        self, server: Server, batch: Sequence[tables.Outbox], worker: RunBlocking, on_step: Callable[[str], None]
    ) -> None:
        self._server, self._worker, self._at = server, worker, on_step
        self._rest = list(batch)
        self._pairs: list[tuple[tables.Outbox, SmtpReply]] = []
        self.sent = 0

    async def note_reply(self, reply: SmtpReply) -> None:
        """Note the reply to the next letter of the batch."""
        self._pairs.append((self._rest.pop(0), reply))
        self.sent += reply.verdict == "sent"
        self._at("sent")
        if len(self._pairs) == _RESULTS_AT_ONCE:
            await self.record()

    async def record(self) -> None:
        """Store the known results that are not stored yet."""
        pairs, self._pairs = self._pairs, []
        if pairs:
            await self._worker(lambda: _record(self._server, pairs, self._rest, self._at))
            self._at("recorded")


def render(server: Server, message_ids: Sequence[str]) -> tuple[bytes, ...]:
    """Return the bytes of some letters, in order.

    Letters without bytes are rendered and stored now, though not sent; `send_due_letters` sends them.
    """
    with server.reading() as tx:
        rows = queries.outbox.letters_by_names(tx.session, message_ids)
    collector = PictureCollector(server, server.clock.now())
    rendering.render(server, rendering.RenderBatch(rows, collector), ignore_point)
    finished = [row for row in rendering.reread_rows(server, rows) if row.body is not None]
    bodies = dict(zip((row.message_id for row in finished), rendering.bytes_to_send(server, finished), strict=True))
    return tuple(bodies[name] for name in message_ids if name in bodies)


def _next_batch(
    server: Server, collector: PictureCollector, on_step: Callable[[str], None]
) -> Sequence[tuple[tables.Outbox, bytes]]:
    """Return the next due letters with their bytes."""
    now = server.clock.now()
    with server.reading() as tx:
        if not queries.outbox.is_due(tx.session, now):
            return ()
    with server.work() as tx:
        unprovable = attachment.PROVABLE if log_health.trouble(tx) is not None else ()
        refused = find_standing_refusal(tx.session)
        if refused is not None and is_probe_pause(tx.session, now):
            return ()
        limit = _BATCH if refused is None else 1
        due = queries.outbox.due_letters(tx.session, now, limit, unprovable)
        if all_need_pictures(server, due):
            # Answers to requests come before the reports of a whole evening are drawn.
            answers = queries.outbox.due_letters(tx.session, now, limit, unprovable, except_kind="report")
            others = queries.outbox.due_letters(tx.session, now, limit, unprovable, except_kind=queries.outbox.YIELDING)
            due = list({row.id: row for row in (*answers, *others, *due)}.values())[:limit]
        yielding = queries.games.yielding_games(
            tx.session, {row.game_id for row in due if row.game_id and needs_pictures(server, row)}
        )
        current = [row for row in due if not _drop_overtaken(tx.session, row)]
        if server.settings.shared:
            changes.reserve_letters(
                tx.session, [row.id or 0 for row in current], server.settings.owner, now + RESERVATION_TIME
            )
    if not current:
        return _next_batch(server, collector, on_step) if due else ()
    on_step("read")
    to_render, to_prefetch = split_due_letters(server, current, yielding)
    rendering.render(server, rendering.RenderBatch(to_render, collector, to_prefetch), on_step)
    on_step("rendered")
    rendered = rendering.reread_rows(server, to_render)
    ready = [row for row in rendered if row.body is not None and row.state == "queued" and _is_reserved(server, row)]
    _release_others(server, current, ready)
    # All of them failed to render: the next ones may be better. Letters that only have to wait would be found again.
    some_failed = any(row.state != "queued" or row.next_try > now for row in rendered)
    if some_failed and not ready:
        return _next_batch(server, collector, on_step)
    return list(zip(ready, rendering.bytes_to_send(server, ready), strict=True))


def _is_reserved(server: Server, row: tables.Outbox) -> bool:
    """Return whether this worker still has a letter reserved."""
    if not server.settings.shared:
        return True
    return row.owner == server.settings.owner and row.until is not None and row.until > server.clock.now()


def _release_others(server: Server, reserved: Sequence[tables.Outbox], ready: Sequence[tables.Outbox]) -> None:
    """Renew the reservation of letters to send, and release the others."""
    if not server.settings.shared:
        return
    ids = [row.id or 0 for row in ready]
    with server.work() as tx:
        changes.reserve_letters(tx.session, ids, server.settings.owner, tx.now + RESERVATION_TIME)
        held = queries.outbox.reserved_letters(tx.session, server.settings.owner, [row.id for row in reserved])
        changes.reserve_letters(tx.session, [row for row in held if row not in ids], "", None)


def release_all(server: Server) -> None:
    """Release all letters reserved by an earlier run of this server, which has ended."""
    if server.settings.shared:
        with server.work() as tx:
            changes.release_letters(tx.session, WORKER_PREFIX)


def _drop_overtaken(session: Session, row: tables.Outbox) -> bool:
    """Drop a status letter if a newer one to the same seat replaces it."""
    newer_kinds = outbox.OVERTAKEN_BY.get(row.kind)
    # A rendered notice may carry proofs that no other letter has.
    if newer_kinds is None or row.seat_id is None or (row.kind == "waiting" and row.body is not None):
        return False
    name = queries.outbox.newer_letter(session, row, newer_kinds)
    if name is None:
        return False
    row.state, row.last_code, row.last_text = "failed", None, f"{outbox.OVERTAKEN}{name}"
    session.add(row)
    log.info("letter dropped", message_id=row.message_id, kind=row.kind, overtaken_by=name)
    return True


def _record(
    server: Server,
    pairs: Sequence[tuple[tables.Outbox, SmtpReply]],
    rest: Sequence[tables.Outbox],
    on_step: Callable[[str], None],
) -> None:
    """Store each try and the next one's time; keep the `rest` reserved."""
    now = server.clock.now()
    with server.work(now) as tx:
        rows = {
            row.id: row for row in queries.outbox.letters_by_ids(tx.session, [attempted.id for attempted, _ in pairs])
        }
        if server.settings.shared:
            changes.reserve_letters(
                tx.session, [row.id or 0 for row in rest], server.settings.owner, now + RESERVATION_TIME
            )
        earlier_refusal = find_standing_refusal(tx.session)
        for attempted, reply in pairs:
            row = rows[attempted.id]
            text = refusal_words(reply)
            if _is_lost(server, row, attempted) and reply.verdict != "sent":
                tx.session.add(tables.Attempt(outbox_id=row.id or 0, at=now, code=reply.code, text=text))
                continue
            row.owner, row.until = "", None
            row.attempts += 1
            _set_next_step(tx, row, reply)
            row.last_code, row.last_text = reply.code, text
            tx.session.add(tables.Attempt(outbox_id=row.id or 0, at=now, code=reply.code, text=text))
            if row.state == "failed" and reply.stage == "recipient" and 500 <= reply.code <= 599:
                bounces.count_failure(
                    tx, row, DeliveryFailure("5.0.0", True, f"{reply.code} {reply.text}"), at_handover=True
                )
            if row.state == "failed" and row.recipient != server.settings.operator:
                sentence = msg("A letter to {recipient} could not be delivered.", recipient=row.recipient)
                detail = f"{reply.code} {reply.text}"
                title = msg("a letter was not delivered")
                outbox.write_to_operator(
                    tx, outbox.OperatorNotice(sentence, detail, cause=f"undelivered {row.id}", title=title)
                )
            tx.session.add(row)
            log.info("letter tried", message_id=row.message_id, kind=row.kind, code=reply.code, reply=reply.text[:200])
        refusal = find_standing_refusal(tx.session)
        if refusal is not None:
            notify_of_refusal(tx, refusal)
        elif earlier_refusal is not None:
            wake_letters(tx)
        on_step("recording")


def _is_lost(server: Server, row: tables.Outbox, attempted: tables.Outbox) -> bool:
    """Return whether another worker has reserved a letter since this one began."""
    return server.settings.shared and (
        row.owner != server.settings.owner or row.attempts != attempted.attempts or row.state != "queued"
    )


def _set_next_step(tx: Transaction, row: tables.Outbox, reply: SmtpReply) -> None:
    """Set the state of a letter, or its next try, after a try."""
    now = tx.now
    is_refusal_of_us = refuses_our_sender(reply)
    if reply.verdict != "again" and not (is_refusal_of_us and not fails_alone(tx.session, row)):
        row.state = reply.verdict
        return
    wait = next_try(row.attempts)
    if reply.stage == "connection" or is_refusal_of_us:
        # The server was away, or refuses us: the queue should not sleep for hours when it is back. A server that
        # refuses us is asked by one letter only, as often as before.
        is_old = now - row.created > DAY and not is_refusal_of_us
        longest = _LATER_OUTAGE_WAIT if is_old else _LONGEST_OUTAGE_WAIT
        wait = min(wait or longest, longest)
    if not is_refusal_of_us and (wait is None or now - row.created > GIVE_UP_AFTER):
        row.state = "failed"
    else:
        row.next_try = now + (wait or _LONGEST_OUTAGE_WAIT)
