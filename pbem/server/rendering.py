"""Render the letters of the outbox to bytes, each once, and store them.

The luck that a letter promises is computed, and its pictures are drawn, before that, outside of any transaction.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import contextmanager
from typing import NamedTuple

from sqlalchemy.exc import TimeoutError as Crowded

from pbem.audit import witness
from pbem.audit.bundle import BUNDLE_FILE
from pbem.engine.data.canon import Json, loads
from pbem.engine.data.languages import available_language
from pbem.engine.data.messages import msg
from pbem.engine.data.scene import letter_pictures, with_drawn_pictures
from pbem.lazy import Logger
from pbem.letters import outbox
from pbem.log import log_health, witnesses
from pbem.mail.outbound import (
    MISSING_PICTURE,
    AutoSubmitted,
    InlinePicture,
    OutgoingLetter,
    compose,
    insert_pictures,
    picture_digests,
)
from pbem.mail.seen import add_seen_line
from pbem.mail.smtp import GIVE_UP_AFTER, next_try
from pbem.play import attachment, phase_reports
from pbem.play.commands.questions import dice_luck, odds, order_help
from pbem.runtime.transaction import HTML, READER, TRANSIENT_ERRORS, Server, Transaction, base_format
from pbem.server import archive_attachments, bounces
from pbem.server.drawing import PictureCollector
from pbem.store import changes, queries, tables
from pbem.tournaments import proofs

log = Logger(__name__)


class RenderBatch(NamedTuple):
    """Letters to render, the collector of their pictures, and the letters after them."""

    rows: Sequence[tables.Outbox]
    drawing: PictureCollector
    then: Sequence[tables.Outbox] = ()


def render(server: Server, turn: RenderBatch, on_step: Callable[[str], None]) -> None:
    """Render and store letters without bytes; one that fails is delayed alone."""
    bodies: dict[int, bytes] = {}
    faults: dict[int, str] = {}
    unmade: Sequence[tables.Outbox] = [row for row in turn.rows if row.body is None]
    collector = turn.drawing
    illustrated = {
        row.id: letter
        for row, letter in zip(unmade, collector.show(unmade, [loads(row.model) for row in unmade]), strict=True)
    }
    collector.go_on(turn.then)
    if unmade:
        # The proofs of a letter have been noted, and must be in the log by now.
        log_health.sign(server)
    unmade, proofs_by_row, put_off = _attach_proofs(server, unmade, faults)
    logs_by_row = _attach_logs(server, unmade)
    tournament_parts = _attach_tournaments(server, unmade, faults)
    pages = [base_format(row.format) == HTML for row in unmade]
    letters = fulfil_promises(server, [illustrated[row.id].letter for row in unmade], pages)
    languages = [available_language(row.language) for row in unmade]
    letters = archive_attachments.attach_pages(server, order_help.fulfil_desks(server, letters, languages), languages)
    for row, letter in zip(unmade, letters, strict=True):
        if row.kind == "report" and row.id in put_off:
            lines = [_OPENS_LATER if line == phase_reports.OPENS.to_json() else line for line in letter["closing"]]
            letter["closing"] = [_LATER.to_json(), *lines]
        if row.id not in faults:
            with _note_faults(row, faults):
                row_key = row.id or 0
                enclosures = _Enclosures(
                    proofs_by_row.get(row_key),
                    logs_by_row.get(row_key),
                    illustrated[row.id].pictures,
                    tournament_parts.get(row_key, b""),
                )
                bodies[row.id or 0] = compose_letter(server, row, letter, enclosures)
    if not unmade:
        return
    with server.work() as tx:
        changes.store_bodies(tx.session, bodies, {row.id or 0: row.model for row in unmade})
        collector.keep(tx.session)
        attachment.store_shown_marks(tx.session, [proof for row_id, proof in proofs_by_row.items() if row_id in bodies])
        witnesses.note_shown(tx.session, [log_part for row_id, log_part in logs_by_row.items() if row_id in bodies])
        for row_id, fault in faults.items():
            _fail(tx, row_id, fault)
        on_step("rendering")


_OPENS_LATER = msg("It shows every side's orders for this phase.").to_json()
_LATER = msg("The proof for this report comes with the next one.")


def _attach_proofs(
    server: Server, rows: Sequence[tables.Outbox], faults: dict[int, str]
) -> tuple[Sequence[tables.Outbox], dict[int, attachment.Attachment], Set[int | None]]:
    """Return the renderable letters, their proofs by row, and delayed rows.

    A delayed row's proofs come with a later letter. Each proof continues the last one to the same seat. No part of
    the log is sent before it is recorded outside the database; while the log must not be signed, letters with
    proofs wait.
    """
    attachments: dict[int, attachment.Attachment] = {}
    if not rows:
        return rows, attachments, frozenset()
    with server.work() as tx:
        # First their tree, then whether it is remembered: another worker may sign in between.
        batch = attachment.AttachmentBatch(tx, rows)
        if log_health.trouble(tx) is not None:
            return (
                [row for row in rows if not _shows_log(row)],
                attachments,
                frozenset(),
            )
        for row in rows:
            with _note_faults(row, faults):
                proof = batch.make(row)
                if proof is not None:
                    attachments[row.id or 0] = proof
    return rows, attachments, batch.put_off


def _shows_log(row: tables.Outbox) -> bool:
    """Return whether a letter has parts of the log, and waits while that is blocked."""
    return attachment.is_provable(row) or row.kind in witnesses.KINDS or proofs.window_in_letter(row.model) is not None


def _attach_tournaments(server: Server, rows: Sequence[tables.Outbox], faults: dict[int, str]) -> dict[int, bytes]:
    """Return the attachments of letters about tournaments, by row.

    Letters with equal contents share theirs.
    """
    letters = {row.id or 0: (row, loads(row.model)) for row in rows if proofs.window_in_letter(row.model)}
    attachments: dict[int, bytes] = {}
    if not letters:
        return attachments
    cache: proofs.PartsCache = {}
    with server.work() as tx:
        for row, letter in letters.values():
            with _note_faults(row, faults):
                text = proofs.attachment_of_letter(tx, letter, cache)
                if text is not None:
                    attachments[row.id or 0] = text
    return attachments


def _attach_logs(server: Server, rows: Sequence[tables.Outbox]) -> dict[int, witnesses.Attached]:
    """Return the parts of the log for letters to witnesses, by row."""
    if all(row.kind not in witnesses.KINDS for row in rows):
        return {}
    with server.work() as tx:
        attachments = witnesses.attach_logs(tx, rows)
        return {} if log_health.trouble(tx) is not None else attachments


@contextmanager
def _note_faults(row: tables.Outbox, faults: dict[int, str]) -> Iterator[None]:
    """Let a letter that cannot be rendered fail alone; note the reason under its row.

    A busy database or a full disk is not the letter's fault: these errors are passed on, and all letters are tried
    again.
    """
    try:
        yield
    except (*TRANSIENT_ERRORS, Crowded, OSError, MemoryError):
        raise
    except Exception as fault:
        log.exception("a letter cannot be rendered", outbox=row.id, kind=row.kind)
        faults[row.id or 0] = f"{type(fault).__name__}: {fault}"


def _fail(tx: Transaction, row_id: int, fault: str) -> None:
    """Delay a letter that cannot be rendered; give it up after five days.

    Nothing is done if another process has rendered it. The fault is in this program or its files, and may be
    corrected within the five days. The operator is notified when it occurs and when the letter is given up.
    """
    row = tx.session.get_one(tables.Outbox, row_id)
    if row.body is None:
        row.attempts += 1
        # As much as of a mail server's reply.
        row.last_text = fault[:500]
        wait = next_try(row.attempts) if tx.now - row.created <= GIVE_UP_AFTER else None
        sentence = msg("A letter could not be written (outbox row {row}); it is tried again for five days.", row=row_id)
        if wait is None:
            row.state = "failed"
            sentence = msg("A letter could not be written (outbox row {row}).", row=row_id)
        else:
            row.next_try = tx.now + wait
        if row.recipient != tx.server.settings.operator:
            cause = f"render {row_id}" if wait else f"render {row_id} over"
            outbox.write_to_operator_once(tx, outbox.OperatorNotice(sentence, fault, cause=cause))
    tx.session.add(row)


class _Enclosures(NamedTuple):
    """The enclosures of a letter: its proofs or log parts, and its pictures.

    `told` is the attachment to a letter about a tournament.
    """

    proven: attachment.Attachment | None = None
    shown: witnesses.Attached | None = None
    pictures: tuple[InlinePicture, ...] = ()
    told: bytes = b""


_NOTHING = _Enclosures()


def compose_letter(server: Server, row: tables.Outbox, letter: Json, enclosures: _Enclosures = _NOTHING) -> bytes:
    """Return a letter as stored, in its row's language and format, without pictures."""
    proof = enclosures.proven
    if proof is not None and letter["template"]:
        tree_line = attachment.shown_tree_of(server, proof.tree)
        letter = {**letter, "template": add_seen_line(letter["template"], tree_line)}
    letter = {**letter, "reply": row.reply_to}
    look = base_format(row.format)
    language, references = available_language(row.language), tuple(row.references.split())
    auto_submitted: AutoSubmitted = "auto-replied" if row.in_reply_to else "auto-generated"
    return compose(
        OutgoingLetter(
            message_id=row.message_id,
            sender=server.address,
            sender_name=server.settings.name,
            recipient=row.recipient,
            reply_to=row.reply_to,
            subject=server.plugins.renderer.subject(letter, language),
            text=server.plugins.renderer.letter(letter, language, look == READER),
            html=server.plugins.renderer.page(letter, language) if look == HTML else "",
            date=row.created,
            in_reply_to=row.in_reply_to or next(iter(references), ""),
            references=references,
            auto_submitted=auto_submitted,
            loop=server.address,
            list_id=f"{row.game_id}.{server.settings.domain}" if row.game_id else "",
            list_unsubscribe=bounces.unsubscribe_address(server, row),
            envelope_sender=row.envelope_sender,
            pictures=enclosures.pictures if look == HTML else (),
            attachments=tuple(_attachments(letter, enclosures)),
        )
    )


def _attachments(letter: Json, enclosures: _Enclosures) -> Iterator[tuple[str, str]]:
    """Yield a letter's files by name: proofs, log, files of blocks, report data."""
    if enclosures.proven is not None:
        yield BUNDLE_FILE, enclosures.proven.text.decode("ascii")
    elif enclosures.shown is not None:
        yield witness.WITNESS_FILE, enclosures.shown.text
    if enclosures.told:
        yield BUNDLE_FILE, enclosures.told.decode("ascii")
    yield from ((block["file"], block["text"]) for block in letter["blocks"] if "file" in block)
    yield from ((name, text) for block in letter["blocks"] if "files" in block for name, text in block["files"])
    if "data" in letter:
        yield phase_reports.REPORT_FILE, phase_reports.report_text(letter["data"])


def fulfil_promises(server: Server, letters: Sequence[Json], pages: Sequence[bool]) -> Sequence[Json]:
    """Return letters with hints, odds and luck; `pages`: which also have a page."""
    return dice_luck.fulfil_luck_promises(
        server, odds.fulfil_odds_promises(server, order_help.fulfil_hints(server, letters), pages)
    )


def bytes_to_send(server: Server, rows: Sequence[tables.Outbox]) -> Sequence[bytes]:
    """Return the bytes of letters as they are sent: rendered, with their pictures."""
    digests = {digest for row in rows for digest in picture_digests(row.body or b"")}
    if not digests:
        return [row.body or b"" for row in rows]
    with server.reading() as tx:
        pictures = queries.outbox.pictures(tx.session, digests)
    if len(pictures) < len(digests):
        pictures |= _redraw(
            server, [row for row in rows if not pictures.keys() >= set(picture_digests(row.body or b""))]
        )
    return [insert_pictures(row.body or b"", lambda digest: pictures.get(digest, MISSING_PICTURE)) for row in rows]


def _redraw(server: Server, rows: Sequence[tables.Outbox]) -> dict[str, bytes]:
    """Draw pictures again that are no longer stored.

    The result has them by their former names. Pictures that cannot be drawn now are left out.
    """
    collector = PictureCollector(server, server.clock.now())
    # An emptied row no longer tells its pictures.
    with_model = [row for row in rows if row.model]
    pictures: dict[str, bytes] = {}
    for row, illustrated in zip(
        with_model, collector.show(with_model, [loads(row.model) for row in with_model]), strict=True
    ):
        pngs = [collector.png(picture.digest) for picture in illustrated.pictures]
        pictures |= dict(zip(picture_digests(row.body or b""), pngs, strict=False))
    with server.work() as tx:
        collector.keep(tx.session)
    return pictures


def reread_rows(server: Server, rows: Sequence[tables.Outbox]) -> Sequence[tables.Outbox]:
    """Return some rows as they are in the database now."""
    ids = [row.id for row in rows]
    with server.reading() as tx:
        return queries.outbox.letters_by_ids(tx.session, ids)


# A stored letter as it would be rendered now: for editors of templates. Nothing is stored or sent.


_NAMED = 5
"""Letters named in the message that one was not found, so that a slip in its number is noticed."""


class NoSuchLetter(LookupError):
    """There is no such letter; the message names some others."""


class Preview(NamedTuple):
    """A letter as text and as a page for a browser, with its pictures."""

    subject: str
    text: str
    page: str


def preview(server: Server, name: str = "", kind: str = "", game: str = "", language: str = "") -> Preview:
    """Return a letter by Message-ID, or the last one of a kind or game.

    Raise NoLetter if there is none. It is rendered by the present templates. `language` replaces the one in which
    it was written.
    """
    with server.reading() as tx:
        matches = queries.outbox.last_letters(tx.session, f"<{name.strip('<>')}>" if name else "", kind, game, 1)
        if not matches or not matches[0].model:
            others = queries.outbox.last_letters(tx.session, "", "", game, _NAMED)
            raise NoSuchLetter(_no_letter_text(name, kind, game, others))
    # A row outside the session: changes to it are not stored.
    row = tables.Outbox(**matches[0].model_dump())
    row.language = language or available_language(row.language)
    collector = PictureCollector(server, server.clock.now())
    (illustrated,) = collector.show([row], [loads(matches[0].model)])
    (letter,) = fulfil_promises(server, [illustrated.letter], [True])
    page = server.plugins.renderer.page(letter, row.language)
    for picture in illustrated.pictures:
        data = base64.b64encode(collector.png(picture.digest)).decode("ascii")
        page = page.replace(f"cid:{picture.cid}", f"data:image/png;base64,{data}")
    text = server.plugins.renderer.letter(letter, row.language, base_format(row.format) == READER)
    return Preview(server.plugins.renderer.subject(letter, row.language), text, page)


def preview_text(server: Server, row: tables.Outbox) -> tuple[str, str]:
    """Return subject and text of a letter not rendered yet; draw and store nothing."""
    model = loads(row.model)
    (letter,) = fulfil_promises(server, [with_drawn_pictures(model, [None] * len(letter_pictures(model)))], [False])
    language = available_language(row.language)
    return server.plugins.renderer.subject(letter, language), server.plugins.renderer.letter(
        letter, language, base_format(row.format) == READER
    )


def _no_letter_text(name: str, kind: str, game: str, others: Sequence[tables.Outbox]) -> str:
    """Return the message of NoLetter: the query, and some letters."""
    wanted = f"letter {name!r}" if name else f"letter of the kind {kind!r}" if kind else "letter"
    suffix = f" about {game}" if game else ""
    if not others:
        return f"there is no {wanted}{suffix}, and no other{suffix}"
    list_lines = "".join(f"\n  {row.kind}  {row.message_id}" for row in others)
    return f"there is no {wanted}{suffix}; the last ones{suffix}, by kind and Message-ID:{list_lines}"
