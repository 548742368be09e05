"""Check before signing and sending that the stored log is the one signed last.

A database that was restored from a backup lacks the newest leaves; signing it would show another log than players
have in their mailboxes. The restore is noticed by a record outside the database (`signed_tree`), and by trees with
our own mark that players send back in their letters. Then nothing is signed, no letter with proofs is sent, and no
phase closes, until the log is begun anew (`recovery`); letters are still taken in.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from typing import TYPE_CHECKING, NamedTuple

from sqlmodel import Session

from pbem.audit import checkpoint, epoch_names, merkle, note
from pbem.audit.blocks import Malformed
from pbem.audit.checkpoint import Checkpoint
from pbem.engine.data.messages import Msg, msg
from pbem.lazy import Logger, lazily
from pbem.log import sequencer
from pbem.runtime import tokens
from pbem.runtime.signed_tree import RecordedTrees, SignedTreeRecord, tree_line
from pbem.runtime.transaction import Server, Transaction
from pbem.store import queries, tables
from pbem.store.tables import log as t

with lazily():
    from pbem.letters import moderators, outbox
    from pbem.mail import seen

if TYPE_CHECKING:
    from pbem.mail.seen import ShownTree

log = Logger(__name__)

_LATER = 3
"""Epochs after those in a restored database that are recognised. A choice: each needs new keys, which are rare."""


class Trouble(NamedTuple):
    """The reason to sign nothing, the database's tree, and the newest known."""

    why: Msg
    here: Checkpoint
    known: Checkpoint | None


def stored_tree(tx: Transaction) -> Checkpoint:
    """Return the newest signed tree in the database; an empty tree before the first."""
    head = sequencer.head(tx.session)
    if head is None:
        return Checkpoint(tx.server.keys.secrets.log.name, 0, merkle.EMPTY_ROOT)
    return checkpoint.parse_checkpoint(note.parse(head.note))


def begin(server: Server) -> None:
    """Record the newest signed tree of a server that has not recorded any."""
    signed = server.keys.signed
    if signed is not None and not _is_begun(signed):
        with server.work() as tx:
            if not queries.log.is_newest_recorded(tx.session):
                signed.keep(stored_tree(tx), None)


def _is_begun(signed: SignedTreeRecord) -> bool:
    try:
        return signed.read() is not None
    # There is a record, and it is damaged: a new one in its place would hide what was signed.
    except Malformed:
        return True


def sign(server: Server) -> int:
    """Number and sign what waits, as `sequencer.sign`, unless there is trouble."""
    return sequencer.sign(server, lambda tx: trouble(tx) is None)


def trouble(tx: Transaction) -> Trouble | None:
    """Return why nothing may be signed or shown; None if all is well.

    If all is well, the newest tree is recorded. A transaction may see an older state of the database, without what
    another process has signed meanwhile: so trouble counts only if a new transaction sees it too.
    """
    signed = tx.server.keys.signed
    if signed is None or _record_or_trouble(tx, signed) is None:
        return None
    with tx.server.reading(tx.now) as present:
        return _record_or_trouble(present, signed)


def _record_or_trouble(tx: Transaction, signed: SignedTreeRecord) -> Trouble | None:
    """Return the trouble; without any, record the newest tree."""
    while True:
        fault, known, stored = _look(tx, signed)
        if fault is not None or (known is not None and known.tree == stored) or signed.keep(stored, known):
            return fault


def look(tx: Transaction) -> Trouble | None:
    """Return the trouble as `trouble` does, but write nothing."""
    signed = tx.server.keys.signed
    if signed is None or _look(tx, signed)[0] is None:
        return None
    with tx.server.reading(tx.now) as present:
        return _look(present, signed)[0]


class _Looked(NamedTuple):
    """The trouble, if any, the recorded trees, and the newest tree of the database."""

    found: Trouble | None
    known: RecordedTrees | None
    mine: Checkpoint


def _look(tx: Transaction, signed: SignedTreeRecord) -> _Looked:
    # The record is read before the database: a tree signed in between is then missing in the record, which is no
    # trouble. The other way round it would look as if the database had lost it.
    try:
        known = signed.read()
    except Malformed as wrong:
        stored, why = stored_tree(tx), msg("What was signed last is not known: {why}.", why=str(wrong))
        return _Looked(Trouble(why, stored, None), None, stored)
    stored = stored_tree(tx)
    if known is not None:
        return _Looked(_compare(tx, stored, known), known, stored)
    if queries.log.is_newest_recorded(tx.session):
        lost = msg("What was signed last is not known: {file} is gone.", file=signed.place)
        return _Looked(Trouble(lost, stored, None), None, stored)
    return _Looked(None, None, stored)


def _compare(tx: Transaction, stored: Checkpoint, known: RecordedTrees) -> Trouble | None:
    """Compare the database's tree with all trees that are known to have been signed."""
    if not _is_part(tx, stored, known.tree):
        sentence = msg(
            "{size} leaves of the log were signed, and the database does not have this log.", size=known.tree.size
        )
        return Trouble(sentence, stored, known.tree)
    for tree in known.shown:
        if not _is_part(tx, stored, tree):
            sentence = msg(
                "A player was shown {size} leaves of the log, and the database does not have this log.", size=tree.size
            )
            return Trouble(sentence, stored, max(known.shown, key=lambda tree_shown: tree_shown.size))
    return None


def _is_part(tx: Transaction, stored: Checkpoint, tree: Checkpoint) -> bool:
    """Return whether the log contains a signed tree, or admits having lost it."""
    if tree == stored or tree.size == 0:
        return True
    end = _end_of_epoch(tx, tree.origin)
    if end is None:
        return tree.origin == stored.origin and tree.size <= stored.size and _root(tx.session, tree.size) == tree.root
    number, size = end
    return tree.size <= size or (tree.size <= number and _root(tx.session, tree.size) == tree.root)


def _end_of_epoch(tx: Transaction, name: str) -> tuple[int, int] | None:
    """Return the leaf that ends an epoch, and the size stated there, or None."""
    base = tx.server.keys.secrets.log.name
    for row, leaf in sequencer.rotates(tx.session):
        if epoch_names.epoch_number(sequencer.epoch(leaf), base) > epoch_names.epoch_number(name, base):
            # Keys are changed by a leaf that the epoch before still signs, and nothing is lost.
            number = row.number or 0
            return (number + 1, 0) if leaf("why") == "keys" else (number, leaf.number("size"))
    return None


def _root(session: Session, size: int) -> bytes:
    row = session.get(t.Checkpoint, size)
    return checkpoint.parse_checkpoint(note.parse(row.note)).root if row else sequencer.root(session, size)


def mark(server: Server, tree: Checkpoint) -> str:
    """Return the mark by which the server recognises its own line about a tree.

    The mark is 8 characters of a keyed hash (see `mail.seen`).
    """
    mac = hmac.digest(tokens.derive_key(server.keys.key, "seen"), tree_line(tree).encode("ascii"), hashlib.sha256)
    return base64.urlsafe_b64encode(mac[:6]).decode("ascii")


def note_shown_trees(tx: Transaction, game: tables.Game, raw: bytes) -> None:
    """Check the trees that a player's letter says he was shown.

    Lines with our mark must name trees of ours. An invented line has no valid mark, so that it stops nothing.
    """
    if tx.server.keys.signed is None:
        return
    lines = (
        {line for line in seen.all_shown_trees(raw) if line.mark}
        if b"SEEN" in raw or b"base64" in raw.lower()
        else set()
    )
    if not lines:
        return
    stored, base = stored_tree(tx), tx.server.keys.secrets.log.name
    for line in lines:
        tree = _marked_tree(tx.server, line, base, epoch_names.epoch_number(stored.origin, base) + _LATER)
        if tree is not None and not _is_part(tx, stored, tree):
            log.warning("a player was shown another log", game=game.id, size=tree.size)
            tx.server.keys.signed.add(tree)


def _marked_tree(server: Server, line: ShownTree, base: str, newest: int) -> Checkpoint | None:
    """Return the tree of a line with our mark, up to the newest epoch, or None."""
    names = (epoch_names.epoch_name(base, number) for number in range(newest, 0, -1))
    trees = (Checkpoint(name, line.size, line.root) for name in names)
    return next((tree for tree in trees if tokens.is_same_secret(mark(server, tree), line.mark)), None)


def alarm(tx: Transaction, fault: Trouble) -> None:
    """Notify the operator and moderators that the log is stopped, once per start."""
    stored, known = tree_line(fault.here), tree_line(fault.known) if fault.known else ""
    cause = f"log stopped {stored} {known or None}"
    if tx.server.keys.signed is None or cause in tx.server.keys.signed.alarmed:
        return
    tx.server.keys.signed.alarmed.add(cause)
    sentence = fault.why
    log.error("the log stands still", here=stored, known=known)
    advice = msg(
        "It looks as if the database was put back from a backup. Nothing is signed, letters with proofs wait, and no "
        "phase closes until `pbem log recover` has been run; letters are taken in meanwhile, and none is lost."
    )
    title = msg("the log stands still")
    outbox.write_to_operator(tx, outbox.OperatorNotice(sentence, f"{stored}\n{known}\n", cause=cause, title=title))
    for game in queries.games.unfinished_games(tx.session):
        moderators.notify(tx, game, moderators.ModeratorNotice((sentence, advice), cause=cause))
