"""From letters of the outbox to the bytes that are sent: made once, each alone, and stored before they first go out.

What a letter promises to weigh is weighed before, and what it shows is drawn, in no transaction.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import contextmanager
from datetime import timedelta
from typing import NamedTuple

from sqlalchemy.exc import TimeoutError as Crowded

from pbem.audit import witness
from pbem.audit.bundle import FILE
from pbem.engine.data.canon import Json, loads
from pbem.engine.data.languages import at_hand
from pbem.engine.data.messages import msg
from pbem.engine.data.scene import pictures_of, without
from pbem.lazy import Logger
from pbem.letters import outbox
from pbem.log import log_health, witnesses
from pbem.mail.outbound import NO_PICTURE, AutoSubmitted, InlinePicture, OutgoingLetter, compose, filled, named
from pbem.mail.seen import with_line
from pbem.mail.smtp import next_try
from pbem.play import attachment, phase_reports
from pbem.play.commands.questions import dice_luck, odds, order_help
from pbem.runtime.transaction import HTML, READER, TRANSIENT_ERRORS, Server, Transaction, look_of
from pbem.server import archive_attachments, bounces
from pbem.server.drawing import Drawing
from pbem.store import changes, queries, tables
from pbem.tournaments import proofs

log = Logger(__name__)

GIVE_UP = timedelta(days=2)
"""How long a letter that cannot be made, or taken nowhere, is tried."""


class Turn(NamedTuple):
    """Letters to be made, what draws their pictures, and the letters after them."""

    rows: Sequence[tables.Outbox]
    drawing: Drawing
    then: Sequence[tables.Outbox] = ()


def render(server: Server, turn: Turn, at: Callable[[str], None]) -> None:
    """Make and store the bytes of those that have none. A letter that cannot be rendered is put off alone."""
    bodies: dict[int, bytes] = {}
    faults: dict[int, str] = {}
    fresh: Sequence[tables.Outbox] = [row for row in turn.rows if row.body is None]
    drawing = turn.drawing
    drawn = {
        row.id: one for row, one in zip(fresh, drawing.show(fresh, [loads(row.model) for row in fresh]), strict=True)
    }
    drawing.go_on(turn.then)
    if fresh:
        # What a letter is to prove has been noted, and must be in the log by now.
        log_health.sign(server)
    fresh, proven, put_off = _proven(server, fresh, faults)
    shown = _attach_logs(server, fresh)
    told = _attach_tournaments(server, fresh, faults)
    whole = reckoned(server, [drawn[row.id].letter for row in fresh])
    languages = [at_hand(row.language) for row in fresh]
    whole = archive_attachments.lay(server, order_help.fulfil_desks(server, whole, languages), languages)
    for row, letter in zip(fresh, whole, strict=True):
        if row.kind == "report" and row.id in put_off:
            lines = [_OPENS_LATER if line == phase_reports.OPENS.to_json() else line for line in letter["closing"]]
            letter["closing"] = [_LATER.to_json(), *lines]
        if row.id not in faults:
            with _alone(row, faults):
                mine = row.id or 0
                bring = _Brought(proven.get(mine), shown.get(mine), drawn[row.id].pictures, told.get(mine, b""))
                bodies[row.id or 0] = composed(server, row, letter, bring)
    if not fresh:
        return
    with server.work() as tx:
        changes.keep_bodies(tx.session, bodies)
        drawing.keep(tx.session)
        attachment.store_marks(tx.session, [made for row_id, made in proven.items() if row_id in bodies])
        witnesses.note_shown(tx.session, [made for row_id, made in shown.items() if row_id in bodies])
        for row_id, said in faults.items():
            _fail(tx, row_id, said)
        at("rendering")


_OPENS_LATER = msg("It shows every side's orders for this phase.").to_json()
_LATER = msg("This report has no attachment; the next report's attachment covers both.")


def _proven(
    server: Server, rows: Sequence[tables.Outbox], faults: dict[int, str]
) -> tuple[Sequence[tables.Outbox], dict[int, attachment.Attachment], Set[int | None]]:
    """The letters that can be made now, the proofs of those that carry any, by row, and those whose proofs come later.

    Each is told on from what the one before it showed its seat. Nothing of the log leaves before it is remembered
    outside the database; as long as the log stands still letters with proofs wait.
    """
    made: dict[int, attachment.Attachment] = {}
    if not rows:
        return rows, made, frozenset()
    with server.work() as tx:
        # First the tree that they show, then whether it is remembered: another worker may sign in between.
        batch = attachment.Batch(tx, rows)
        if log_health.trouble(tx) is not None:
            return (
                [row for row in rows if not _shows_log(row)],
                made,
                frozenset(),
            )
        for row in rows:
            with _alone(row, faults):
                one = batch.make(row)
                if one is not None:
                    made[row.id or 0] = one
    return rows, made, batch.put_off


def _shows_log(row: tables.Outbox) -> bool:
    """Whether a letter shows anything of the log, so that it waits as long as that stands still."""
    return attachment.is_provable(row) or row.kind in witnesses.KINDS or proofs.window_of(row.model) is not None


def _attach_tournaments(server: Server, rows: Sequence[tables.Outbox], faults: dict[int, str]) -> dict[int, bytes]:
    """What letters of tournaments show of their chains, by row: the same for all who are told the same."""
    letters = {row.id or 0: (row, loads(row.model)) for row in rows if proofs.window_of(row.model)}
    made: dict[int, bytes] = {}
    if not letters:
        return made
    known: proofs.PartsCache = {}
    with server.work() as tx:
        for row, letter in letters.values():
            with _alone(row, faults):
                text = proofs.attachment_of(tx, letter, known)
                if text is not None:
                    made[row.id or 0] = text
    return made


def _attach_logs(server: Server, rows: Sequence[tables.Outbox]) -> dict[int, witnesses.Attached]:
    """What letters to witnesses show of the log, by row."""
    if all(row.kind not in witnesses.KINDS for row in rows):
        return {}
    with server.work() as tx:
        shown = witnesses.attach_logs(tx, rows)
        return {} if log_health.trouble(tx) is not None else shown


@contextmanager
def _alone(row: tables.Outbox, faults: dict[int, str]) -> Iterator[None]:
    """A letter that cannot be made fails alone, and why is noted under its row.

    What passes is no fault of the letter: a database that is busy, a disk that is full. All are tried again.
    """
    try:
        yield
    except (*TRANSIENT_ERRORS, Crowded, OSError, MemoryError):
        raise
    except Exception as fault:
        log.exception("a letter cannot be rendered", outbox=row.id, kind=row.kind)
        faults[row.id or 0] = f"{type(fault).__name__}: {fault}"


def _fail(tx: Transaction, row_id: int, fault: str) -> None:
    """Put off a letter that cannot be rendered, unless another process has rendered it; after two days give it up.

    The fault is ours, and may be mended until then. The operator is told when it shows, and when it is too late.
    """
    row = tx.session.get_one(tables.Outbox, row_id)
    if row.body is None:
        row.attempts += 1
        row.last_text = fault[:500]
        wait = next_try(row.attempts) if tx.now - row.created <= GIVE_UP else None
        what = msg("A letter could not be written (outbox row {row}); it is tried again for two days.", row=row_id)
        if wait is None:
            row.state = "failed"
            what = msg("A letter could not be written (outbox row {row}).", row=row_id)
        else:
            row.next_try = tx.now + wait
        if row.recipient != tx.server.settings.operator:
            cause = f"render {row_id}" if wait else f"render {row_id} over"
            outbox.to_operator_once(tx, outbox.Notice(what, fault, cause=cause))
    tx.session.add(row)


class _Brought(NamedTuple):
    """What goes with a letter: its proofs, or what it shows of the log; and the pictures of its page.

    `told` is the attachment of a letter of a tournament.
    """

    proven: attachment.Attachment | None = None
    shown: witnesses.Attached | None = None
    pictures: tuple[InlinePicture, ...] = ()
    told: bytes = b""


_NOTHING = _Brought()


def composed(server: Server, row: tables.Outbox, letter: Json, brought: _Brought = _NOTHING) -> bytes:
    """Return a letter as it is kept, in the words and the format of its row; its pictures are put in later."""
    proven = brought.proven
    if proven is not None and letter["template"]:
        seen = attachment.tree_line_of(server, proven.tree)
        letter = {**letter, "template": with_line(letter["template"], seen)}
    look = look_of(row.format)
    language, references = at_hand(row.language), tuple(row.references.split())
    replied: AutoSubmitted = "auto-replied" if row.in_reply_to else "auto-generated"
    return compose(
        OutgoingLetter(
            message_id=row.message_id,
            sender=server.address,
            sender_name=server.settings.name,
            recipient=row.recipient,
            reply_to=row.reply_to,
            subject=server.plugins.renderer.subject(letter, language),
            text=server.plugins.renderer.letter(letter, language, look == READER),
            html=server.plugins.renderer.page({**letter, "reply": row.reply_to}, language) if look == HTML else "",
            date=row.created,
            in_reply_to=row.in_reply_to or next(iter(references), ""),
            references=references,
            auto_submitted=replied,
            loop=server.address,
            list_id=f"{row.game_id}.{server.settings.domain}" if row.game_id else "",
            list_unsubscribe=bounces.address_for(server, row),
            envelope_sender=row.envelope_sender,
            pictures=brought.pictures if look == HTML else (),
            attachments=tuple(_attachments(letter, brought)),
        )
    )


def _attachments(letter: Json, brought: _Brought) -> Iterator[tuple[str, str]]:
    """The files that go with a letter, by name: proofs, the log, what its blocks hold, and the report as data."""
    if brought.proven is not None:
        yield FILE, brought.proven.text.decode("ascii")
    elif brought.shown is not None:
        yield witness.FILE, brought.shown.text
    elif brought.told:
        yield FILE, brought.told.decode("ascii")
    yield from ((block["file"], block["text"]) for block in letter["blocks"] if "file" in block)
    yield from ((name, text) for block in letter["blocks"] if "files" in block for name, text in block["files"])
    if "data" in letter:
        yield phase_reports.REPORT_FILE, phase_reports.report_text(letter["data"])


def reckoned(server: Server, letters: Sequence[Json]) -> Sequence[Json]:
    """Return letters with what was asked about and is reckoned only now: hints, odds, luck."""
    return dice_luck.fulfil(server, odds.fulfil(server, order_help.fulfil_hints(server, letters)))


def posted(server: Server, rows: Sequence[tables.Outbox]) -> Sequence[bytes]:
    """Return the bytes of letters that were made, as they are sent: with the pictures of their pages."""
    digests = {digest for row in rows for digest in named(row.body or b"")}
    if not digests:
        return [row.body or b"" for row in rows]
    with server.reading() as tx:
        found = queries.outbox.pictures(tx.session, digests)
    if len(found) < len(digests):
        found |= _drawn_anew(server, [row for row in rows if not found.keys() >= set(named(row.body or b""))])
    return [filled(row.body or b"", lambda digest: found.get(digest, NO_PICTURE)) for row in rows]


def _drawn_anew(server: Server, rows: Sequence[tables.Outbox]) -> dict[str, bytes]:
    """The pictures of letters that were made when they were there, and are not kept any more, by the names of then.

    What cannot be drawn now is left out.
    """
    drawing = Drawing(server, server.clock.now())
    # What was emptied says no more what it showed.
    told = [row for row in rows if row.model]
    found: dict[str, bytes] = {}
    for row, shown in zip(told, drawing.show(told, [loads(row.model) for row in told]), strict=True):
        pngs = [drawing.png(one.digest) for one in shown.pictures]
        found |= dict(zip(named(row.body or b""), pngs, strict=False))
    with server.work() as tx:
        drawing.keep(tx.session)
    return found


def reread(server: Server, rows: Sequence[tables.Outbox]) -> Sequence[tables.Outbox]:
    """Return the rows as they are now."""
    ids = [row.id for row in rows]
    with server.reading() as tx:
        return queries.outbox.by_ids(tx.session, ids)


# A stored letter as it would be made now: for whoever changes templates. Nothing is stored, nothing is sent.


_NAMED = 5
"""Letters that are named where one was not found."""


class NoLetter(LookupError):
    """There is no such letter; the message names some that there are."""


class Preview(NamedTuple):
    """A letter in words, as text and as a page for a browser, which holds its pictures."""

    subject: str
    text: str
    page: str


def preview(server: Server, name: str = "", kind: str = "", game: str = "", language: str = "") -> Preview:
    """Return a letter by its Message-ID, or the last one of a kind, of a game, as templates make it now; NoLetter.

    `language` is another than that in which it was written.
    """
    with server.reading() as tx:
        found = queries.outbox.last_ones(tx.session, f"<{name.strip('<>')}>" if name else "", kind, game, 1)
        if not found or not found[0].model:
            some = queries.outbox.last_ones(tx.session, "", "", game, _NAMED)
            raise NoLetter(_named(name, kind, game, some))
    # A row of nobody's: what is changed in it is stored nowhere.
    row = tables.Outbox(**found[0].model_dump())
    row.language = language or at_hand(row.language)
    drawing = Drawing(server, server.clock.now())
    (drawn,) = drawing.show([row], [loads(found[0].model)])
    (letter,) = reckoned(server, [drawn.letter])
    page = server.plugins.renderer.page(letter, row.language)
    for picture in drawn.pictures:
        data = base64.b64encode(drawing.png(picture.digest)).decode("ascii")
        page = page.replace(f"cid:{picture.cid}", f"data:image/png;base64,{data}")
    text = server.plugins.renderer.letter(letter, row.language, look_of(row.format) == READER)
    return Preview(server.plugins.renderer.subject(letter, row.language), text, page)


def preview_text(server: Server, row: tables.Outbox) -> tuple[str, str]:
    """Return the subject and the text of a letter that is not made yet; nothing is drawn, stored or sent."""
    model = loads(row.model)
    (letter,) = reckoned(server, [without(model, [None] * len(pictures_of(model)))])
    language = at_hand(row.language)
    return server.plugins.renderer.subject(letter, language), server.plugins.renderer.letter(
        letter, language, look_of(row.format) == READER
    )


def _named(name: str, kind: str, game: str, some: Sequence[tables.Outbox]) -> str:
    """What was looked for, and what there is."""
    wanted = f"letter {name!r}" if name else f"letter of the kind {kind!r}" if kind else "letter"
    about = f" about {game}" if game else ""
    if not some:
        return f"there is no {wanted}{about}, and no other{about}"
    listed = "".join(f"\n  {row.kind}  {row.message_id}" for row in some)
    return f"there is no {wanted}{about}; the last ones{about}, by kind and Message-ID:{listed}"
