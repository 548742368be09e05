"""The way out: letters of the outbox, rendered once, sent until the server has taken them or refused them for good.

What a letter promises to weigh is weighed before it is rendered, in no transaction.

The bytes are stored before they are first sent; a letter sent again after a crash is the same letter. `at` is called
between the steps with the name of the point reached: ``read``; ``rendering``, while the transaction that stores the
bytes is open, and ``render``; ``sent``; ``recording``, in the transaction, and ``recorded``.

Where several workers send, each takes letters on for a while, and goes on to hold those that it has not sent yet. What
one held that is gone others send when that time is over; who was given up so tells what he did, and changes no more.
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
from pbem.mail.delivery import Failure
from pbem.mail.smtp import Envelope, Reply, Told, next_try
from pbem.play import attachment
from pbem.runtime.transaction import WORKER, Server, Transaction
from pbem.server import bounces, rendering
from pbem.server.drawing import Drawing, all_wait, made_now, shows
from pbem.store import changes, queries, tables

# The breaker of the way out: a mail server that refuses us, whoever a letter is for.
#
# Refused for policy (enhanced status 5.7.x, RFC 3463) or at MAIL FROM, a letter says nothing of its recipient: perhaps
# the account may not send as our address, or its domain is not believed, or we are on a list. Such a letter is put off,
# not given up; when three were refused and none was taken since, one alone is tried every few minutes, until one is
# taken. Then all go on. Only a letter that is refused again while others are taken is refused for itself.


PROBE = timedelta(minutes=5)
"""The time between two tries while we are refused."""

_IN_A_ROW = 3
_SENDER = "MAIL FROM: "
_POLICY = re.compile(r"\b5\.7\.\d{1,3}\b")


class Refused(NamedTuple):
    """That a mail server refuses us: since when, its last code and words, and the last try `after` which it began."""

    since: datetime
    code: int
    text: str
    after: int


def refuses_us(reply: Reply) -> bool:
    """Whether a reply refuses us as the sender, and not the recipient."""
    return _of_us(reply.code, refusal_words(reply))


def refusal_words(reply: Reply) -> str:
    """The server's words as they are written down, with the stage at which they tell of us."""
    return (f"{_SENDER}{reply.text}" if reply.stage == "sender" else reply.text)[:500]


def standing_refusal(session: Session) -> Refused | None:
    """Whether we are refused now."""
    taken = queries.outbox.last_taken(session)
    tries = [one for one in queries.outbox.refused_since(session, taken) if _of_us(one.code, one.text)]
    if len(tries) < _IN_A_ROW:
        return None
    return Refused(tries[0].at, tries[-1].code, tries[-1].text, taken)


def rests(session: Session, now: datetime) -> bool:
    """Whether the last try is less than `PROBE` ago, so that none is made now; asked while we are refused."""
    last = queries.outbox.last_tries(session, 1)
    return bool(last) and last[0].at > now - PROBE


def fails_alone(session: Session, row: tables.Outbox) -> bool:
    """Whether the fault is in this letter: others were taken since it was first tried."""
    first = queries.outbox.first_try(session, row)
    return first is not None and queries.outbox.last_taken(session) > first


def tell_of_refusal(tx: Transaction, refused: Refused) -> None:
    """Tell the operator, once; the letter waits with all others, and so it is in the log and in `pbem doctor` too."""
    log.error("the mail server refuses us", code=refused.code, reply=refused.text[:200], since=str(refused.since))
    what = msg(
        "The mail server refuses what this server sends, whoever it is for. Letters wait; one is tried every "
        "{minutes} minutes, and when it is taken all others follow.",
        minutes=PROBE // timedelta(minutes=1),
    )
    title = msg("letters are refused")
    said = f"{refused.code} {refused.text}"
    outbox.to_operator_once(tx, outbox.Notice(what, said, cause=f"refused after {refused.after}", title=title))


def wake_letters(tx: Transaction) -> None:
    """A letter was taken: those that were put off need not wait any longer."""
    for row in queries.outbox.put_off(tx.session):
        row.next_try = tx.now
        tx.session.add(row)


def _of_us(code: int, text: str) -> bool:
    return 500 <= code <= 599 and (text.startswith(_SENDER) or _POLICY.search(text) is not None)


log = Logger(__name__)

POINTS = ("read", "rendering", "rendered", "sent", "recording", "recorded")

Send = Callable[[Sequence[Envelope], Told], Awaitable[object]]
"""Hands letters in, in order, and tells one reply for each as soon as it is known; never raises for what a server does.
"""

T = TypeVar("T")

HELD = timedelta(minutes=2)
"""For how long a worker takes letters on; it does so anew whenever it has written down what became of some."""

_BATCH = 50
_AT_ONCE = 5
"""Letters whose fate is written down together: as many at most go out a second time after a crash."""
_LONGEST_OUTAGE_WAIT = timedelta(minutes=5)


class Worker(Protocol):
    """Runs blocking work off the event loop."""

    async def __call__(self, tx: Callable[[], T], /) -> T:
        """Return what `work` returns."""
        ...


async def inline(tx: Callable[[], T], /) -> T:
    """Run the work here and now, on the event loop: for tests and one-off commands."""
    return tx()


def nowhere(point: str) -> None:
    """Do nothing at a point that is reached."""


async def drain(
    server: Server,
    send: Send,
    worker: Worker = inline,
    at: Callable[[str], None] = nowhere,
    between: Callable[[], object] | None = None,
) -> int:
    """Send everything that is due, and return how many letters the server took.

    `between` is done after each batch, while pictures of the next are drawn.
    """
    sent, drawing = 0, Drawing(server, server.clock.now())
    try:
        while batch := await worker(lambda: _ready(server, drawing, at)):
            tried = _Tried(server, [row for row, _ in batch], worker, at)
            envelopes = [Envelope(row.envelope_sender, row.recipient, body) for row, body in batch]
            await send(envelopes, tried.told)
            await tried.record()
            sent += tried.sent
            if between is not None:
                await worker(between)
    finally:
        drawing.close()
    return sent


class _Tried:
    """A batch on its way: what became of its letters is written down a few at a time, while the others go out."""

    def __init__(
        self, server: Server, batch: Sequence[tables.Outbox], worker: Worker, at: Callable[[str], None]
    ) -> None:
        self._server, self._worker, self._at = server, worker, at
        self._rest = list(batch)
        self._pairs: list[tuple[tables.Outbox, Reply]] = []
        self.sent = 0

    async def told(self, reply: Reply) -> None:
        """Note the reply to the next letter of the batch."""
        self._pairs.append((self._rest.pop(0), reply))
        self.sent += reply.verdict == "sent"
        self._at("sent")
        if len(self._pairs) == _AT_ONCE:
            await self.record()

    async def record(self) -> None:
        """Write down what is known so far and is not written down yet."""
        pairs, self._pairs = self._pairs, []
        if pairs:
            await self._worker(lambda: _record(self._server, pairs, self._rest, self._at))
            self._at("recorded")


def render(server: Server, message_ids: Sequence[str]) -> tuple[bytes, ...]:
    """The bytes of these letters in order, rendered and stored now if they were not; sending is left to `drain`."""
    with server.reading() as tx:
        found = queries.outbox.by_names(tx.session, message_ids)
    drawing = Drawing(server, server.clock.now())
    rendering.render(server, rendering.Turn(found, drawing), nowhere)
    made = [row for row in rendering.reread(server, found) if row.body is not None]
    bodies = dict(zip((row.message_id for row in made), rendering.posted(server, made), strict=True))
    return tuple(bodies[name] for name in message_ids if name in bodies)


def _ready(server: Server, drawing: Drawing, at: Callable[[str], None]) -> Sequence[tuple[tables.Outbox, bytes]]:
    """The next letters that are due, each with the bytes that are sent."""
    now = server.clock.now()
    with server.reading() as tx:
        if not queries.outbox.is_due(tx.session, now):
            return ()
    with server.work() as tx:
        bare = attachment.PROVABLE if log_health.trouble(tx) is not None else ()
        refused = standing_refusal(tx.session)
        if refused is not None and rests(tx.session, now):
            return ()
        most = _BATCH if refused is None else 1
        due = queries.outbox.due(tx.session, now, most, bare)
        if all_wait(server, due):
            # Whoever has asked for something is answered before reports of a whole evening are drawn.
            asked = queries.outbox.due(tx.session, now, most, bare, but="report")
            others = queries.outbox.due(tx.session, now, most, bare, but=queries.outbox.YIELDING)
            due = list({row.id: row for row in (*asked, *others, *due)}.values())[:most]
        yielding = queries.games.asked_for(
            tx.session, {row.game_id for row in due if row.game_id and shows(server, row)}
        )
        worth = [row for row in due if not _overtaken(tx.session, row)]
        if server.settings.shared:
            changes.take_on(tx.session, [row.id or 0 for row in worth], server.settings.owner, now + HELD)
    if not worth:
        return _ready(server, drawing, at) if due else ()
    at("read")
    now_made, then = made_now(server, worth, yielding)
    rendering.render(server, rendering.Turn(now_made, drawing, then), at)
    at("rendered")
    tried = rendering.reread(server, now_made)
    ready = [row for row in tried if row.body is not None and row.state == "queued" and _is_ours(server, row)]
    _let_go(server, worth, ready)
    # All of them failed to render: the next ones may be better. Those that only have to wait would be found again.
    failed = any(row.state != "queued" or row.next_try > now for row in tried)
    if failed and not ready:
        return _ready(server, drawing, at)
    return list(zip(ready, rendering.posted(server, ready), strict=True))


def _is_ours(server: Server, row: tables.Outbox) -> bool:
    """Whether nobody else may have taken a letter on since we did."""
    if not server.settings.shared:
        return True
    return row.owner == server.settings.owner and row.until is not None and row.until > server.clock.now()


def _let_go(server: Server, worth: Sequence[tables.Outbox], ready: Sequence[tables.Outbox]) -> None:
    """Hold those letters on that are sent now, and let go of the others."""
    if not server.settings.shared:
        return
    going = [row.id or 0 for row in ready]
    with server.work() as tx:
        changes.take_on(tx.session, going, server.settings.owner, tx.now + HELD)
        rest = queries.outbox.held_by(tx.session, server.settings.owner, [row.id for row in worth])
        changes.take_on(tx.session, [row for row in rest if row not in going], "", None)


def take_back(server: Server) -> None:
    """Let go of what a server before this one took on: there is one at a time, so that it is dead, as no worker is."""
    if server.settings.shared:
        with server.work() as tx:
            changes.take_back(tx.session, WORKER)


def _overtaken(session: Session, row: tables.Outbox) -> bool:
    """Drop a letter that only told how things stood if a newer one to the same seat tells it better."""
    by = outbox.OVERTAKEN_BY.get(row.kind)
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


def _record(
    server: Server,
    pairs: Sequence[tuple[tables.Outbox, Reply]],
    rest: Sequence[tables.Outbox],
    at: Callable[[str], None],
) -> None:
    """Write down each try, and when the next one is, or that there is none; the `rest` is still to be sent."""
    now = server.clock.now()
    with server.work(now) as tx:
        rows = {row.id: row for row in queries.outbox.by_ids(tx.session, [tried.id for tried, _ in pairs])}
        if server.settings.shared:
            changes.take_on(tx.session, [row.id or 0 for row in rest], server.settings.owner, now + HELD)
        before = standing_refusal(tx.session)
        for tried, reply in pairs:
            row = rows[tried.id]
            text = refusal_words(reply)
            if _is_lost(server, row, tried) and reply.verdict != "sent":
                tx.session.add(tables.Attempt(outbox_id=row.id or 0, at=now, code=reply.code, text=text))
                continue
            row.owner, row.until = "", None
            row.attempts += 1
            _judge(tx, row, reply)
            row.last_code, row.last_text = reply.code, text
            tx.session.add(tables.Attempt(outbox_id=row.id or 0, at=now, code=reply.code, text=text))
            if row.state == "failed" and reply.stage == "recipient" and 500 <= reply.code <= 599:
                bounces.count(tx, row, Failure("5.0.0", True, f"{reply.code} {reply.text}"), seen=True)
            if row.state == "failed" and row.recipient != server.settings.operator:
                what = msg("A letter to {recipient} could not be delivered.", recipient=row.recipient)
                detail = f"{reply.code} {reply.text}"
                title = msg("a letter was not delivered")
                outbox.to_operator(tx, outbox.Notice(what, detail, cause=f"undelivered {row.id}", title=title))
            tx.session.add(row)
            log.info("letter tried", message_id=row.message_id, kind=row.kind, code=reply.code, reply=reply.text[:200])
        refused = standing_refusal(tx.session)
        if refused is not None:
            tell_of_refusal(tx, refused)
        elif before is not None:
            wake_letters(tx)
        at("recording")


def _is_lost(server: Server, row: tables.Outbox, tried: tables.Outbox) -> bool:
    """Whether another worker has taken a letter on since this one began to send it."""
    return server.settings.shared and (
        row.owner != server.settings.owner or row.attempts != tried.attempts or row.state != "queued"
    )


def _judge(tx: Transaction, row: tables.Outbox, reply: Reply) -> None:
    """What is to become of a letter after a try."""
    now = tx.now
    ours = refuses_us(reply)
    if reply.verdict != "again" and not (ours and not fails_alone(tx.session, row)):
        row.state = reply.verdict
        return
    wait = next_try(row.attempts)
    if reply.stage == "connection" or ours:
        # The server was away, or does not want us: the queue should not sleep for hours when it is back.
        wait = min(wait or _LONGEST_OUTAGE_WAIT, _LONGEST_OUTAGE_WAIT)
    if not ours and (wait is None or now - row.created > rendering.GIVE_UP):
        row.state = "failed"
    else:
        row.next_try = now + (wait or _LONGEST_OUTAGE_WAIT)
