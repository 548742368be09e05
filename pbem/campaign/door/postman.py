"""The way out: letters of the outbox, rendered once, sent until the server has taken them or refused them for good.

What a letter promises to weigh is weighed before it is rendered, in no transaction.

The bytes are stored before they are first sent; a letter sent again after a crash is the same letter. `at` is called
between the steps with the name of the point reached: ``read``; ``rendering``, while the transaction that stores the
bytes is open, and ``render``; ``sent``; ``recording``, in the transaction, and ``recorded``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence, Set
from contextlib import contextmanager
from datetime import timedelta
from typing import Protocol, TypeVar

import structlog
from sqlalchemy.exc import TimeoutError as Crowded
from sqlmodel import Session

from pbem.audit import witness
from pbem.audit.bundle import FILE
from pbem.campaign.base.server import HTML, READER, WEATHER, Server, Work, look_of
from pbem.campaign.commands.questions import luck_letter, odds
from pbem.campaign.commands.seats import observe
from pbem.campaign.commands.table import ending
from pbem.campaign.door import bounces, refusals
from pbem.campaign.people import outbox, witnesses
from pbem.campaign.proofs import attachment, guard, testimony
from pbem.campaign.turn import report_data
from pbem.core.data.canon import Json, loads
from pbem.core.data.messages import msg
from pbem.mail.delivery import Failure
from pbem.mail.outbound import AutoSubmitted, OutgoingLetter, compose
from pbem.mail.seen import with_line
from pbem.mail.smtp import Envelope, Reply, Told, next_try
from pbem.store import queries, tables, writes

__all__ = ["POINTS", "Send", "Worker", "drain", "inline", "nowhere", "render"]

log = structlog.get_logger(__name__)

POINTS = ("read", "rendering", "rendered", "sent", "recording", "recorded")

Send = Callable[[Sequence[Envelope], Told], Awaitable[object]]
"""Hands letters in, in order, and tells one reply for each as soon as it is known; never raises for what a server does.
"""

T = TypeVar("T")

_OVERTAKEN_BY = {
    "status": ("status",),
    "reminder": ("reminder", "receipt", "report"),
    "waiting": ("waiting", "question", "report"),
}
"""Kinds of letters that are worth nothing once a newer one of these is there. All other letters are always sent."""

_BATCH = 50
_AT_ONCE = 5
"""Letters whose fate is written down together: as many at most go out a second time after a crash."""
_GIVE_UP = timedelta(days=2)
_LONGEST_OUTAGE_WAIT = timedelta(minutes=5)


class Worker(Protocol):
    """Runs blocking work off the event loop."""

    async def __call__(self, work: Callable[[], T], /) -> T:
        """Return what `work` returns."""
        ...


async def inline(work: Callable[[], T], /) -> T:
    """Run the work here and now, on the event loop: for tests and one-off commands."""
    return work()


def nowhere(point: str) -> None:
    """Do nothing at a point that is reached."""


async def drain(server: Server, send: Send, worker: Worker = inline, at: Callable[[str], None] = nowhere) -> int:
    """Send everything that is due, and return how many letters the server took."""
    sent = 0
    while batch := await worker(lambda: _ready(server, at)):
        tried = _Tried(server, batch, worker, at)
        envelopes = [Envelope(row.envelope_sender, row.recipient, row.body or b"") for row in batch]
        await send(envelopes, tried.told)
        await tried.record()
        sent += tried.sent
    return sent


class _Tried:
    """A batch on its way: what became of its letters is written down a few at a time, while the others go out."""

    def __init__(
        self, server: Server, batch: Sequence[tables.Outbox], worker: Worker, at: Callable[[str], None]
    ) -> None:
        self._server, self._worker, self._at = server, worker, at
        self._batch = iter(batch)
        self._pairs: list[tuple[tables.Outbox, Reply]] = []
        self.sent = 0

    async def told(self, reply: Reply) -> None:
        """Note the reply to the next letter of the batch."""
        self._pairs.append((next(self._batch), reply))
        self.sent += reply.verdict == "sent"
        self._at("sent")
        if len(self._pairs) == _AT_ONCE:
            await self.record()

    async def record(self) -> None:
        """Write down what is known so far and is not written down yet."""
        pairs, self._pairs = self._pairs, []
        if pairs:
            await self._worker(lambda: _record(self._server, pairs, self._at))
            self._at("recorded")


def render(server: Server, message_ids: Sequence[str]) -> tuple[bytes, ...]:
    """The bytes of these letters in order, rendered and stored now if they were not; sending is left to `drain`."""
    with server.session() as session:
        found = queries.outbox.by_names(session, message_ids)
    _render(server, found, nowhere)
    bodies = {row.message_id: row.body for row in _reread(server, found)}
    return tuple(body for name in message_ids if (body := bodies.get(name)) is not None)


def _ready(server: Server, at: Callable[[str], None]) -> Sequence[tables.Outbox]:
    """The next letters that are due, each with its bytes."""
    now = server.clock.now()
    with server.work() as work:
        bare = attachment.PROVABLE if guard.trouble(work) is not None else ()
        refused = refusals.standing(work.session)
        if refused is not None and refusals.rest(work.session, now):
            return ()
        due = queries.outbox.due(work.session, now, _BATCH if refused is None else 1, bare)
        worth = [row for row in due if not _overtaken(work.session, row)]
    if not worth:
        return _ready(server, at) if due else ()
    at("read")
    _render(server, worth, at)
    at("rendered")
    tried = _reread(server, worth)
    ready = [row for row in tried if row.body is not None and row.state == "queued"]
    # All of them failed to render: the next ones may be better. Those that only have to wait would be found again.
    failed = any(row.state != "queued" or row.next_try > now for row in tried)
    return ready if ready or not failed else _ready(server, at)


def _overtaken(session: Session, row: tables.Outbox) -> bool:
    """Drop a letter that only told how things stood if a newer one to the same seat tells it better."""
    by = _OVERTAKEN_BY.get(row.kind)
    # A notice that was rendered may carry proofs, which then are in no other letter.
    if by is None or row.seat_id is None or (row.kind == "waiting" and row.body is not None):
        return False
    name = queries.outbox.newer(session, row, by)
    if name is None:
        return False
    row.state, row.last_code, row.last_text = "failed", None, f"{outbox.OVERTAKEN}{name}"
    session.add(row)
    log.info("letter dropped", message_id=row.message_id, kind=row.kind, overtaken_by=name)
    return True


def _render(server: Server, rows: Sequence[tables.Outbox], at: Callable[[str], None]) -> None:
    """Make and store the bytes of those that have none. A letter that cannot be rendered is put off alone."""
    bodies: dict[int, bytes] = {}
    faults: dict[int, str] = {}
    fresh: Sequence[tables.Outbox] = [row for row in rows if row.body is None]
    if fresh:
        # What a letter is to prove has been noted, and must be in the log by now.
        guard.sign(server)
    fresh, proven, put_off = _proven(server, fresh, faults)
    shown = _attach_logs(server, fresh)
    whole = luck_letter.fulfil(server, odds.fulfil(server, [loads(row.model) for row in fresh]))
    for row, letter in zip(fresh, whole, strict=True):
        if row.kind == "report" and row.id in put_off:
            letter["closing"] = [*letter["closing"], _LATER.to_json()]
        if row.id not in faults:
            with _alone(row, faults):
                bodies[row.id or 0] = _bytes(server, row, letter, proven.get(row.id or 0), shown.get(row.id or 0))
    if not fresh:
        return
    with server.work() as work:
        writes.keep_bodies(work.session, bodies)
        attachment.keep(work.session, [made for row_id, made in proven.items() if row_id in bodies])
        testimony.keep(work.session, [made for row_id, made in shown.items() if row_id in bodies])
        for row_id, said in faults.items():
            _fail(work, row_id, said)
        at("rendering")


_LATER = msg(
    "Nothing is attached to this report: another to you was written before it went out, and its attachment proves both."
)


def _proven(
    server: Server, rows: Sequence[tables.Outbox], faults: dict[int, str]
) -> tuple[Sequence[tables.Outbox], dict[int, attachment.Made], Set[int | None]]:
    """The letters that can be made now, the proofs of those that carry any, by row, and those whose proofs come later.

    Each is told on from what the one before it showed its seat. Nothing of the log leaves before the file beside the
    keys knows of it; as long as the log stands still letters with proofs wait.
    """
    made: dict[int, attachment.Made] = {}
    if not rows:
        return rows, made, frozenset()
    with server.work() as work:
        if guard.trouble(work) is not None:
            return (
                [row for row in rows if not (attachment.carries(row) or row.kind in witnesses.KINDS)],
                made,
                frozenset(),
            )
        batch = attachment.Batch(work, rows)
        for row in rows:
            with _alone(row, faults):
                one = batch.make(row)
                if one is not None:
                    made[row.id or 0] = one
    return rows, made, batch.put_off


def _attach_logs(server: Server, rows: Sequence[tables.Outbox]) -> dict[int, testimony.Attached]:
    """What letters to witnesses show of the log, by row."""
    if all(row.kind not in witnesses.KINDS for row in rows):
        return {}
    with server.work() as work:
        return testimony.show(work, rows)


@contextmanager
def _alone(row: tables.Outbox, faults: dict[int, str]) -> Iterator[None]:
    """A letter that cannot be made fails alone, and why is noted under its row.

    What passes is no fault of the letter: a database that is busy, a disk that is full. All are tried again.
    """
    try:
        yield
    except (*WEATHER, Crowded, OSError, MemoryError):
        raise
    except Exception as fault:
        log.exception("a letter cannot be rendered", outbox=row.id, kind=row.kind)
        faults[row.id or 0] = f"{type(fault).__name__}: {fault}"


def _fail(work: Work, row_id: int, fault: str) -> None:
    """Put off a letter that cannot be rendered, unless another process has rendered it; after two days give it up.

    The fault is ours, and may be mended until then. The operator is told when it shows, and when it is too late.
    """
    row = work.session.get_one(tables.Outbox, row_id)
    if row.body is None:
        row.attempts += 1
        row.last_text = fault[:500]
        wait = next_try(row.attempts) if work.now - row.created <= _GIVE_UP else None
        what = msg("A letter could not be written (outbox row {row}); it is tried again for two days.", row=row_id)
        if wait is None:
            row.state = "failed"
            what = msg("A letter could not be written (outbox row {row}).", row=row_id)
        else:
            row.next_try = work.now + wait
        if row.recipient != work.server.operator:
            cause = f"render {row_id}" if wait else f"render {row_id} over"
            outbox.to_operator_once(work, outbox.Notice(what, fault, cause=cause))
    work.session.add(row)


def _bytes(
    server: Server,
    row: tables.Outbox,
    letter: Json,
    proven: attachment.Made | None = None,
    shown: testimony.Attached | None = None,
) -> bytes:
    to_all = row.reply_to == server.address
    if proven is not None and letter["template"]:
        seen = attachment.seen_of(server, proven.tree)
        letter = {**letter, "template": with_line(letter["template"], seen)}
    look = look_of(row.format)
    replied: AutoSubmitted = "auto-replied" if row.in_reply_to else "auto-generated"
    return compose(
        OutgoingLetter(
            message_id=row.message_id,
            sender=server.address,
            sender_name=server.name,
            recipient=row.recipient,
            reply_to=row.reply_to,
            subject=server.renderer.subject(letter, row.language),
            text=server.renderer.letter(letter, row.language, look == READER),
            html=server.renderer.page(letter, row.language) if look == HTML else "",
            date=row.created,
            in_reply_to=row.in_reply_to,
            references=tuple(row.references.split()),
            auto_submitted=replied,
            loop=server.address,
            list_id=f"{row.game_id}.{server.domain}" if row.game_id else "",
            # A moderator leaves by the command line: nothing that he could write would end his letters.
            list_unsubscribe=row.reply_to if row.game_id and (row.seat_id or to_all) else "",
            unsubscribe_by=ending.RESIGN if row.seat_id else f"{observe.STOP} {row.game_id}",
            envelope_sender=row.envelope_sender,
            attachments=tuple(_attachments(letter, proven, shown)),
        )
    )


def _attachments(
    letter: Json, proven: attachment.Made | None, shown: testimony.Attached | None
) -> Iterator[tuple[str, str]]:
    """The files that go with a letter, by name: proofs, the log, what its blocks hold, and the report as data."""
    if proven is not None:
        yield FILE, proven.text.decode("ascii")
    elif shown is not None:
        yield witness.FILE, shown.text
    yield from ((block["file"], block["text"]) for block in letter["blocks"] if "file" in block)
    if "data" in letter:
        yield report_data.FILE, report_data.text(letter["data"])


def _reread(server: Server, rows: Sequence[tables.Outbox]) -> Sequence[tables.Outbox]:
    ids = [row.id for row in rows]
    with server.session() as session:
        return queries.outbox.by_ids(session, ids)


def _record(server: Server, pairs: Sequence[tuple[tables.Outbox, Reply]], at: Callable[[str], None]) -> None:
    """Write down each try, and when the next one is, or that there is none."""
    now = server.clock.now()
    with server.work(now) as work:
        rows = {row.id: row for row in queries.outbox.by_ids(work.session, [tried.id for tried, _ in pairs])}
        before = refusals.standing(work.session)
        for tried, reply in pairs:
            row = rows[tried.id]
            text = refusals.noted(reply)
            row.attempts += 1
            _judge(work, row, reply)
            row.last_code, row.last_text = reply.code, text
            work.session.add(tables.Attempt(outbox_id=row.id or 0, at=now, code=reply.code, text=text))
            if row.state == "failed" and reply.stage == "recipient" and 500 <= reply.code <= 599:
                bounces.count(work, row, Failure("5.0.0", True, f"{reply.code} {reply.text}"), seen=True)
            if row.state == "failed" and row.recipient != server.operator:
                what = msg("A letter to {recipient} could not be delivered.", recipient=row.recipient)
                detail = f"{reply.code} {reply.text}"
                title = msg("a letter was not delivered")
                outbox.to_operator(work, outbox.Notice(what, detail, cause=f"undelivered {row.id}", title=title))
            work.session.add(row)
            log.info("letter tried", message_id=row.message_id, kind=row.kind, code=reply.code, reply=reply.text[:200])
        refused = refusals.standing(work.session)
        if refused is not None:
            refusals.tell(work, refused)
        elif before is not None:
            refusals.wake(work)
        at("recording")


def _judge(work: Work, row: tables.Outbox, reply: Reply) -> None:
    """What is to become of a letter after a try."""
    now = work.now
    ours = refusals.of_us(reply)
    if reply.verdict != "again" and not (ours and not refusals.by_itself(work.session, row)):
        row.state = reply.verdict
        return
    wait = next_try(row.attempts)
    if reply.stage == "connection" or ours:
        # The server was away, or does not want us: the queue should not sleep for hours when it is back.
        wait = min(wait or _LONGEST_OUTAGE_WAIT, _LONGEST_OUTAGE_WAIT)
    if not ours and (wait is None or now - row.created > _GIVE_UP):
        row.state = "failed"
    else:
        row.next_try = now + (wait or _LONGEST_OUTAGE_WAIT)
