"""Trees submitted to witnesses who are asked by HTTP (`audit.submission`), and what they have cosigned of them.

Such a witness belongs to no game. He is asked when something stands in the log that has to be seen in time: a closed
list, or a closing that was moved. His line says that the tree holds it, and nothing of what else the tree may hold.
"""

from __future__ import annotations

from typing import NamedTuple

from sqlmodel import Session

from pbem.audit import checkpoint, note, signing, submission
from pbem.audit.blocks import Malformed
from pbem.audit.note import Key
from pbem.audit.submission import Submission
from pbem.log import log_health, sequencer
from pbem.runtime.transaction import Work
from pbem.store import queries
from pbem.store.tables import log as t
from pbem.store.tables.log import WebCosignature


class Ask(NamedTuple):
    """What is submitted: the size of the tree, the body of the request."""

    size: int
    body: bytes


def held(session: Session, key: Key) -> int:
    """The size of the largest tree that a witness is known to hold."""
    return queries.log.web_size(session, key.text)


def ask(work: Work, old: int) -> Ask | None:
    """What to submit to a witness who holds the tree of `old` leaves; None if there is nothing that he has to see.

    Malformed if he holds more than there is: then this log was made smaller.
    """
    head = sequencer.head(work.session)
    size = head.size if head else 0
    if old > size:
        raise Malformed(f"a witness holds {old} leaves of the log, and there are {size}")
    if head is None or old == size or not queries.log.says_since(work.session, old, "close", "deadline"):
        return None
    if log_health.trouble(work) is not None:
        return None
    grown = sequencer.grown(work.session, old, size)
    return Ask(size, submission.write(Submission(old, grown.path if grown else (), head.note)))


def take(work: Work, key: Key, size: int, body: bytes) -> None:
    """Verify and keep what a witness has answered with 200; Malformed if it is not his cosignature of that tree."""
    line = submission.cosignature(body, key)
    signed = note.signed_by(work.session.get_one(t.Checkpoint, size).note, line)
    at = checkpoint.witnessed(signed, [key], signing.verify).get(key.name)
    if at is None or key.public in (work.server.secrets.log.public, work.server.secrets.dice.public):
        raise Malformed("the cosignature is of another key, or of the server's own")
    if held(work.session, key) < size:
        work.session.add(WebCosignature(key=key.text, size=size, by=line.text, at=at, came=work.now))
        work.session.flush()
