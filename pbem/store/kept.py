"""What a session has found and need not ask for once more: forgotten when any of its work is rolled back."""

from __future__ import annotations

from typing import Any

from sqlalchemy import event
from sqlalchemy.orm import Session

_KEPT = "kept"


def kept(session: Session, what: str) -> dict[str, Any]:
    """What is kept of some kind, to be read and written."""
    found: dict[str, Any] = session.info.setdefault(_KEPT, {}).setdefault(what, {})
    return found


def _forget(session: Session, *_: Any) -> None:
    session.info.pop(_KEPT, None)


# To a savepoint as well: what was written since is gone, and what was read may have been of it.
event.listen(Session, "after_soft_rollback", _forget)
