"""Whether the log in the database is the one that was signed last: before each signing, and before anything leaves.

A database that was put back from a backup lacks the newest leaves; to sign it would be to show another log than players
have in their mailboxes. It is found out by what is remembered outside of it (`signed_tree`), and by the trees that
players send back in their letters with our own mark. Then nothing is signed, no letter that carries proofs leaves, and
no phase closes, until the log is begun anew (`recovery`); letters are taken in as ever.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from typing import TYPE_CHECKING, NamedTuple

from sqlmodel import Session

from pbem.audit import checkpoint, epochs, merkle, note
from pbem.audit.blocks import Malformed
from pbem.audit.checkpoint import Checkpoint
from pbem.engine.data.messages import Msg, msg
from pbem.lazy import Logger, lazily
from pbem.log import sequencer
from pbem.runtime import tokens
from pbem.runtime.signed_tree import Known, Signed, line_of
from pbem.runtime.transaction import Server, Work
from pbem.store import queries, tables
from pbem.store.tables import log as t

with lazily():
    from pbem.letters import moderators, outbox
    from pbem.mail import seen

if TYPE_CHECKING:
    from pbem.mail.seen import Seen

log = Logger(__name__)

_LATER = 3
"""Epochs that a database may not know of: it was put back to before they were begun."""


class Trouble(NamedTuple):
    """Why nothing is signed: in words, the tree of the database, and the newest that is known of, if one is."""

    why: Msg
    here: Checkpoint
    known: Checkpoint | None


def here(work: Work) -> Checkpoint:
    """The newest tree that was signed, by the database; one without leaves before the first."""
    head = sequencer.head(work.session)
    if head is None:
        return Checkpoint(work.server.keys.secrets.log.name, 0, merkle.EMPTY)
    return checkpoint.body(note.parse(head.note))


def begin(server: Server) -> None:
    """Let a server remember what was signed that has not done so yet."""
    signed = server.keys.signed
    if signed is not None and not _is_begun(signed):
        with server.work() as work:
            if not queries.log.newest_is_kept(work.session):
                signed.keep(here(work), None)


def _is_begun(signed: Signed) -> bool:
    try:
        return signed.read() is not None
    except Malformed:
        return True


def sign(server: Server) -> int:
    """Number and sign what waits, as `sequencer.sign`; nothing as long as there is trouble."""
    return sequencer.sign(server, lambda work: trouble(work) is None)


def trouble(work: Work) -> Trouble | None:
    """Why nothing may be signed or shown; None if all is well, and then the newest tree is remembered.

    A work may see an older moment of the database, in which what another has signed meanwhile is not there yet: trouble
    is what is still there at the present one.
    """
    signed = work.server.keys.signed
    if signed is None or _settled(work, signed) is None:
        return None
    with work.server.reading(work.now) as present:
        return _settled(present, signed)


def _settled(work: Work, signed: Signed) -> Trouble | None:
    """The trouble; if there is none the newest tree is remembered in the place of the one that it was held against."""
    while True:
        found, known, mine = _look(work, signed)
        if found is not None or (known is not None and known.tree == mine) or signed.keep(mine, known):
            return found


def look(work: Work) -> Trouble | None:
    """Return what `trouble` returns, and write nothing."""
    signed = work.server.keys.signed
    if signed is None or _look(work, signed)[0] is None:
        return None
    with work.server.reading(work.now) as present:
        return _look(present, signed)[0]


class _Looked(NamedTuple):
    """The trouble, if there is any, what is remembered, and the newest tree of the database."""

    found: Trouble | None
    known: Known | None
    mine: Checkpoint


def _look(work: Work, signed: Signed) -> _Looked:
    # What is remembered was in the database before: asked for in this order a tree that is signed meanwhile is known.
    try:
        known = signed.read()
    except Malformed as wrong:
        mine, why = here(work), msg("What was signed last is not known: {why}.", why=str(wrong))
        return _Looked(Trouble(why, mine, None), None, mine)
    mine = here(work)
    if known is not None:
        return _Looked(_against(work, mine, known), known, mine)
    if queries.log.newest_is_kept(work.session):
        lost = msg("What was signed last is not known: {file} is gone.", file=signed.place)
        return _Looked(Trouble(lost, mine, None), None, mine)
    return _Looked(None, None, mine)


def _against(work: Work, mine: Checkpoint, known: Known) -> Trouble | None:
    """The tree of the database against all trees that are known to have been signed."""
    if not _is_part(work, mine, known.tree):
        what = msg(
            "{size} leaves of the log were signed, and the database does not have this log.", size=known.tree.size
        )
        return Trouble(what, mine, known.tree)
    for tree in known.shown:
        if not _is_part(work, mine, tree):
            what = msg(
                "A player was shown {size} leaves of the log, and the database does not have this log.", size=tree.size
            )
            return Trouble(what, mine, max(known.shown, key=lambda one: one.size))
    return None


def _is_part(work: Work, mine: Checkpoint, tree: Checkpoint) -> bool:
    """Whether a tree that was signed is one that the log of the database began with, or has admitted to have lost."""
    if tree == mine or tree.size == 0:
        return True
    end = _end(work, tree.origin)
    if end is None:
        return tree.origin == mine.origin and tree.size <= mine.size and _root(work.session, tree.size) == tree.root
    at, size = end
    return tree.size <= size or (tree.size <= at and _root(work.session, tree.size) == tree.root)


def _end(work: Work, name: str) -> tuple[int, int] | None:
    """Where an epoch ended by the database: the number of the leaf that says so, and what it admits to."""
    base = work.server.keys.secrets.log.name
    for row, leaf in sequencer.rotates(work.session):
        if epochs.number_of(sequencer.epoch(leaf), base) > epochs.number_of(name, base):
            # Keys are changed by a leaf that the epoch before still signs, and nothing is lost.
            number = row.number or 0
            return (number + 1, 0) if leaf("why") == "keys" else (number, leaf.number("size"))
    return None


def _root(session: Session, size: int) -> bytes:
    row = session.get(t.Checkpoint, size)
    return checkpoint.body(note.parse(row.note)).root if row else sequencer.root(session, size)


def mark(server: Server, tree: Checkpoint) -> str:
    """Return the mark by which the server recognises a line of its own that names a tree it showed (`mail.seen`)."""
    mac = hmac.digest(tokens.purpose(server.keys.key, "seen"), line_of(tree).encode("ascii"), hashlib.sha256)
    return base64.urlsafe_b64encode(mac[:6]).decode("ascii")


def note_shown_trees(work: Work, game: tables.Game, raw: bytes) -> None:
    """Check the trees of the log that a player's letter says he was shown: those of lines with our mark must be ours.

    A line that somebody made up stops nobody: it has no mark.
    """
    if work.server.keys.signed is None:
        return
    told = {one for one in seen.read_all(raw) if one.mark} if b"SEEN" in raw or b"base64" in raw.lower() else set()
    if not told:
        return
    mine, base = here(work), work.server.keys.secrets.log.name
    for one in told:
        tree = _ours(work.server, one, base, epochs.number_of(mine.origin, base) + _LATER)
        if tree is not None and not _is_part(work, mine, tree):
            log.warning("a player was shown another log", game=game.id, size=tree.size)
            work.server.keys.signed.add(tree)


def _ours(server: Server, told: Seen, base: str, newest: int) -> Checkpoint | None:
    """The tree that a line of ours is about, of any epoch up to the newest; None if the line is not ours."""
    names = (epochs.name_of(base, number) for number in range(newest, 0, -1))
    trees = (Checkpoint(name, told.size, told.root) for name in names)
    return next((tree for tree in trees if tokens.same(mark(server, tree), told.mark)), None)


def alarm(work: Work, found: Trouble) -> None:
    """Write to the operator and to the moderators of games that the log stands still, once each start."""
    mine, known = line_of(found.here), line_of(found.known) if found.known else ""
    cause = f"log stopped {mine} {known or None}"
    if work.server.keys.signed is None or cause in work.server.keys.signed.alarmed:
        return
    work.server.keys.signed.alarmed.add(cause)
    what = found.why
    log.error("the log stands still", here=mine, known=known)
    then = msg(
        "It looks as if the database was put back from a backup. Nothing is signed, letters with proofs wait, and no "
        "phase closes until `pbem log recover` has been run; letters are taken in meanwhile, and none is lost."
    )
    title = msg("the log stands still")
    outbox.to_operator(work, outbox.Notice(what, f"{mine}\n{known}\n", cause=cause, title=title))
    for game in queries.games.unfinished(work.session):
        moderators.notify(work, game, moderators.Memo((what, then), cause=cause))
