"""Lock a mailbox for the one server that takes its letters, by a folder in it.

Two servers with databases of their own would split the letters of one mailbox, and no lock in a database prevents
that. IMAP has no locks, but every mail server has folders and lets every account make them. The lock's name ends
with a token that is new in each run of a server. The server stores its own tokens in a file that is in no backup:
so a server whose database was restored on another machine is warned. If a folder is copied while its server runs,
the copy gets the lock when it is started, and the original stops. A lock of an earlier run still belongs to its
server, since the mailbox may have been restored from a backup.
"""

from __future__ import annotations

import hashlib
import json
import platform
import re
import secrets
from collections.abc import Collection
from pathlib import Path
from typing import Protocol

from pbem.lazy import Logger
from pbem.mail.imap import ImapSettings
from pbem.store import durable

log = Logger(__name__)


REMEMBERED_LOCKS = 200
"""Earlier locks of this server that are remembered; each start adds one. A choice: forgotten ones would count as
another server's."""


class MailboxTaken(Exception):
    """Another server takes the letters of this mailbox; the text tells the operator."""


class FolderAccess(Protocol):
    """The methods of `mail.imap.ImapMailbox` that a lock uses."""

    @property
    def settings(self) -> ImapSettings:
        """Return account and folders."""
        ...

    def folders(self) -> set[str]:
        """Return the names of all folders."""
        ...

    def full_name(self, folder: str) -> str:
        """Return a folder's name on the server."""
        ...

    def put_folder(self, folder: str, *, there: bool) -> bool:
        """Create or remove a folder; return whether the server allows it."""
        ...


class MailboxLock:
    """The lock of one server on its mailbox; `path` has the names of its locks."""

    def __init__(self, path: Path, mailbox: FolderAccess) -> None:
        self._path = path
        self._mailbox = mailbox
        self._held = ""

    @property
    def is_held(self) -> bool:
        """Return whether this run of the server has locked the mailbox."""
        return bool(self._held)

    def hold(self) -> None:
        """Lock the mailbox, once in a run; later check that no other server has.

        Raise MailboxTaken if another has, and Unwritten if the file cannot be written.
        """
        locks = self._all_locks()
        if others := sorted(locks - {*self._own_locks(), self._held}):
            raise MailboxTaken(_explain_conflict(self._mailbox.settings, others))
        if not self._held:
            self._take(locks)
        elif self._held not in locks and self._mailbox.put_folder(self._held, there=True):
            log.warning("the claim on the mailbox was gone", folder=self._held)

    def take_over(self) -> list[str]:
        """Lock the mailbox and remove all other servers' locks; return those."""
        locks = self._all_locks()
        others = sorted(locks - {*self._own_locks()})
        if others:
            self._take(locks)
        return others

    def others(self) -> list[str]:
        """Return the locks of other servers."""
        return sorted(self._all_locks() - {*self._own_locks()})

    def _all_locks(self) -> set[str]:
        """Return all locks on the mailbox folder that letters are taken from."""
        # A server may list folders below a namespace such as INBOX, with its own separator.
        pattern = re.compile(rf"(?:.*[./\\])?{_lock_name(self._mailbox.settings)[1]}[a-z0-9]*-[0-9a-f]{{12}}")
        return {name for name in self._mailbox.folders() if pattern.fullmatch(name)}

    def _take(self, locks: Collection[str]) -> None:
        """Make a lock and remove others; after a crash in between all of them are known."""
        parent, prefix = _lock_name(self._mailbox.settings)
        fresh = self._mailbox.full_name(f"{parent}{prefix}{_machine_name()}-{secrets.token_hex(6)}")
        known = dict.fromkeys([*self._own_locks(), *sorted(locks), fresh])
        durable.replace_file(self._path, f"{json.dumps([*known][-REMEMBERED_LOCKS:])}\n".encode())
        if self._mailbox.put_folder(fresh, there=True):
            if others := sorted(self._all_locks() - {*locks, fresh}):
                # Two started at once: both stop, and the first one to be restarted gets the lock.
                self._mailbox.put_folder(fresh, there=False)
                raise MailboxTaken(_explain_conflict(self._mailbox.settings, others))
        else:
            log.warning("the mailbox cannot be claimed: its server makes no folder", folder=fresh)
        for folder in locks:
            self._mailbox.put_folder(folder, there=False)
        self._held = fresh

    def _own_locks(self) -> list[str]:
        """Return this server's locks; none without a valid file."""
        try:
            tokens = json.loads(self._path.read_text("utf-8"))
        except (OSError, ValueError):
            return []
        return [token for token in tokens if isinstance(token, str)] if isinstance(tokens, list) else []


def _lock_name(settings: ImapSettings) -> tuple[str, str]:
    """Return the parent folder and the name prefix of the lock for a mailbox folder."""
    parent = re.match(r"(?:.*[./\\])?", settings.processed)
    # Six digits: they only have to tell the few folders of one account apart.
    digest = hashlib.sha256(settings.folder.upper().encode()).hexdigest()[:6]
    return parent[0] if parent else "", f"pbem-server-{digest}-"


def _machine_name() -> str:
    """Return this machine's name in characters that every mail server accepts."""
    # A choice: long enough to know the machine by, and the name of the folder stays short.
    return re.sub(r"[^a-z0-9]", "", platform.node().casefold())[:20]


def _explain_conflict(settings: ImapSettings, others: list[str]) -> str:
    return (
        f"another server takes the letters of {settings.user} at {settings.host} (its claim is the folder "
        f"{', '.join(others)} there), and of two servers each would get a part of them. Stop the other one; "
        f"if there is none, as after a move to another machine: pbem mail claim"
    )
