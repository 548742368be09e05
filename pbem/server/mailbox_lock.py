"""Whose letters a mailbox holds: the one server that takes them has a folder in it, which is its claim.

Two servers with a database each would share the letters of one mailbox out between them, and no lock of a database
sees that. IMAP has no locks; folders are what every server of mail has and every account may make. The claim's name
ends with a token that is another one in each life of a server. Which claims were its own it keeps in a file that is in
no backup: so whoever is started with a database put up on another machine is told. Of a folder that was copied while
its server ran the copy goes on, if it is started, and the original stops. A claim of an earlier life is still its
server's, for the mailbox may have been put back from a backup.
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


KEPT = 200
"""So many claims of earlier lives are known."""


class Claimed(Exception):
    """Another server takes the letters of this mailbox; the text says so to whoever runs this one."""


class Folders(Protocol):
    """What a claim wants of `mail.imap.ImapMailbox`."""

    @property
    def settings(self) -> ImapSettings:
        """Account and folders."""
        ...

    def folders(self) -> set[str]:
        """The names of all folders; MailboxDown."""
        ...

    def full_name(self, folder: str) -> str:
        """Return a folder's name on the server."""
        ...

    def put_folder(self, folder: str, *, there: bool) -> bool:
        """Make one, or remove it; whether the mail server allows that. MailboxDown."""
        ...


class MailboxClaim:
    """The claim of one server on its mailbox; `path` is the file of its tokens."""

    def __init__(self, path: Path, mailbox: Folders) -> None:
        self._path = path
        self._mailbox = mailbox
        self._held = ""

    @property
    def held(self) -> bool:
        """Whether this life of the server has claimed the mailbox."""
        return bool(self._held)

    def hold(self) -> None:
        """Claim the mailbox, once in a life, and from then on see that nobody else does; Claimed.

        MailboxDown if it is out of reach, Unwritten if the file cannot be written.
        """
        found = self._found()
        if others := sorted(found - {*self._known(), self._held}):
            raise Claimed(_words(self._mailbox.settings, others))
        if not self._held:
            self._take(found)
        elif self._held not in found and self._mailbox.put_folder(self._held, there=True):
            log.warning("the claim on the mailbox was gone", folder=self._held)

    def take_over(self) -> list[str]:
        """Claim the mailbox whoever else does; the claims of others, which are gone then."""
        found = self._found()
        others = sorted(found - {*self._known()})
        if others:
            self._take(found)
        return others

    def others(self) -> list[str]:
        """The claims of others; MailboxDown."""
        return sorted(self._found() - {*self._known()})

    def _found(self) -> set[str]:
        """All claims on the folder of the mailbox that letters are taken from."""
        pattern = re.compile(rf"(?:.*[./\\])?{_name(self._mailbox.settings)[1]}[a-z0-9]*-[0-9a-f]{{12}}")
        return {name for name in self._mailbox.folders() if pattern.fullmatch(name)}

    def _take(self, found: Collection[str]) -> None:
        """Make a claim and remove those that were found; after a crash in between all that are left are known."""
        beside, head = _name(self._mailbox.settings)
        fresh = self._mailbox.full_name(f"{beside}{head}{_here()}-{secrets.token_hex(6)}")
        known = dict.fromkeys([*self._known(), *sorted(found), fresh])
        durable.put(self._path, f"{json.dumps([*known][-KEPT:])}\n".encode())
        if self._mailbox.put_folder(fresh, there=True):
            if others := sorted(self._found() - {*found, fresh}):
                # Two began at once: neither goes on, and whoever is started first again has it.
                self._mailbox.put_folder(fresh, there=False)
                raise Claimed(_words(self._mailbox.settings, others))
        else:
            log.warning("the mailbox cannot be claimed: its server makes no folder", folder=fresh)
        for folder in found:
            self._mailbox.put_folder(folder, there=False)
        self._held = fresh

    def _known(self) -> list[str]:
        """The claims that were this server's; none if there was none yet, or the file is no such file."""
        try:
            said = json.loads(self._path.read_text("utf-8"))
        except (OSError, ValueError):
            return []
        return [one for one in said if isinstance(one, str)] if isinstance(said, list) else []


def _name(settings: ImapSettings) -> tuple[str, str]:
    """Where a claim lies, which is beside what is done, and how its name begins, apart for each folder that is read."""
    beside = re.match(r"(?:.*[./\\])?", settings.processed)
    digest = hashlib.sha256(settings.folder.upper().encode()).hexdigest()[:6]
    return beside[0] if beside else "", f"pbem-server-{digest}-"


def _here() -> str:
    """The name of this machine, as far as every mail server takes it in a folder's name."""
    return re.sub(r"[^a-z0-9]", "", platform.node().casefold())[:20]


def _words(settings: ImapSettings, others: list[str]) -> str:
    return (
        f"another server takes the letters of {settings.user} at {settings.host} (its claim is the folder "
        f"{', '.join(others)} there), and of two servers each would get a part of them. Stop the other one; "
        f"if there is none, as after a move to another machine: pbem mail claim"
    )
