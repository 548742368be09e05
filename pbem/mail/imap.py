"""The way in: letters from a folder of an IMAP server (RFC 3501, MOVE of RFC 6851, UIDPLUS of RFC 4315).

A mailbox is read by UID and never changed but by `move`: which letters are done is for the caller's database to know,
not for flags. Whatever goes wrong is `MailboxDown`; the caller waits `backoff` seconds and connects again.
"""

from __future__ import annotations

import selectors
import socket
import ssl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any, Literal, NamedTuple

from imapclient import IMAPClient
from imapclient.exceptions import IMAPClientAbortError, IMAPClientError, LoginError

from pbem.mail.address import RECIPIENT_FIELDS
from pbem.mail.oauth import Tokens
from pbem.mail.trust import mistrust

TOO_BIG = 1_000_000
"""Octets above which only a letter's header is fetched."""
LONGEST_WAIT = 540.0
"""Seconds an IDLE may last: routers forget silent connections long before the 29 minutes of RFC 2177."""
LOOKED_AT = 500
"""Letters that one command is about: an answer about more could take a server longer than is waited for."""
_BATCH, _BATCH_OCTETS = 100, 4_000_000
_RECIPIENTS = f"HEADER.FIELDS ({' '.join(RECIPIENT_FIELDS).upper()})"


class MailboxDown(Exception):
    """The server or the way to it is out of order; what was asked for is not known to have happened."""


class NotMoved(Exception):
    """The server refuses to move letters, for example because the mailbox is full; the session goes on."""


@dataclass(frozen=True, kw_only=True)
class ImapSettings:
    """The mailbox to read; `processed` and `poison` are folders made when they are missing.

    `timeout` in seconds holds for the connection and for each answer. `tls` replaces the context that checks
    certificates against the system's store. With `token` the login is by XOAUTH2.
    """

    host: str
    port: int
    security: Literal["none", "starttls", "tls"] = "tls"
    user: str
    password: str = field(default="", repr=False)
    folder: str = "INBOX"
    processed: str = "Processed"
    poison: str = "Poison"
    timeout: float = 30.0
    tls: ssl.SSLContext | None = field(default=None, repr=False)
    token: Tokens | None = field(default=None, repr=False)


class Fetched(NamedTuple):
    """A letter as it lies in the folder: `raw` is all of it, or the header alone if it is `too_big`.

    `internaldate` is when the server received it, aware UTC; `size` its octets on the server.
    """

    uid: int
    uidvalidity: int
    internaldate: datetime
    raw: bytes
    size: int
    too_big: bool = False


class Waiting(NamedTuple):
    """A letter that lies in the folder, not fetched: its octets, when the server received it, whom it was sent to.

    `recipients` are the fields of its header that say so, as they stand.
    """

    uid: int
    size: int
    internaldate: datetime
    recipients: bytes


def backoff(attempt: int, jitter: float) -> float:
    """Return the seconds to wait before connection attempt number `attempt` (0 = the first after a failure).

    Doubles from 1 second to 5 minutes; `jitter`, in 0..1, takes away up to half, so that not all come back at once.
    """
    return max(1.0, min(300.0, 2.0 ** min(attempt, 20)) * (1.0 - 0.5 * jitter))


class ImapMailbox:
    """A connection to a mailbox. Use it from one thread; `wake` alone may be called from another."""

    def __init__(self, settings: ImapSettings) -> None:
        self.settings = settings
        self.uidvalidity = 0
        self._client: IMAPClient | None = None
        self._folders: set[str] = set()
        self._prefix = ""
        self._last = 0
        self._bell, self._ear = socket.socketpair()
        self._bell.setblocking(False)
        self._ear.setblocking(False)

    @property
    def connected(self) -> bool:
        """Whether `connect` succeeded and nothing failed since."""
        return self._client is not None

    @property
    def abilities(self) -> frozenset[str]:
        """What the server says it can do beyond the necessary, such as ``IDLE``; MailboxDown."""
        with self._weather():
            return frozenset(word.decode("ascii", "replace") for word in self._ready().capabilities())

    def arrived(self, after_uid: int = 0) -> list[int]:
        """The UIDs above `after_uid` of the letters that lie in the folder now, in order; MailboxDown."""
        with self._weather():
            found = self._above(self._ready(), after_uid)
            self._last = max(self._last, *found, after_uid)
            return found

    def look(self, uids: Sequence[int]) -> list[Waiting]:
        """Sizes, times and recipients of the letters with these UIDs, by UID; those gone are left out. MailboxDown."""
        with self._weather():
            client = self._ready()
            found: dict[int, Any] = {}
            for start in range(0, len(uids), LOOKED_AT):
                some = list(uids[start : start + LOOKED_AT])
                found |= self._fetched(client, some, ["RFC822.SIZE", "INTERNALDATE", f"BODY.PEEK[{_RECIPIENTS}]"])
            return [
                Waiting(uid, int(data[b"RFC822.SIZE"]), _utc(data[b"INTERNALDATE"]), _part(data, b"BODY[HEADER.FIELDS"))
                for uid, data in sorted(found.items())
            ]

    def fetch(self, letters: Sequence[Waiting]) -> list[Fetched]:
        """These letters, by UID; nothing is marked as seen. One that has vanished is left out; MailboxDown."""
        with self._weather():
            client = self._ready()
            sizes = {letter.uid: letter.size for letter in letters}
            return sorted(one for batch in _batches(sizes) for one in self._fetch(client, batch, sizes))

    def connect(self) -> None:
        """Log in, make the folders, select the one to read and note its `uidvalidity`; MailboxDown."""
        self._hang_up()
        self._last = 0
        want = self.settings
        with self._weather():
            self._client = client = IMAPClient(
                want.host, want.port, ssl=want.security == "tls", ssl_context=want.tls, timeout=want.timeout
            )
            client.normalise_times = False
            # Commands go out in pieces, and no piece is to wait until the one before it is acknowledged (RFC 896).
            client.socket().setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if want.security == "starttls":
                client.starttls(want.tls)
            if want.token is None:
                client.login(want.user, want.password)
            else:
                want.token.let_in(lambda token: client.oauth2_login(want.user, token), LoginError)
            self._folders = {name for _, _, name in client.list_folders()}
            self._prefix = _personal_prefix(client)
            for folder in (want.processed, want.poison):
                self._make(client, folder)
            selected = client.select_folder(self.full_name(want.folder))
            if b"UIDVALIDITY" not in selected:
                # RFC 9051, 6.3.2: without it nobody knows whether a UID is still the same letter's.
                self._hang_up()
                raise MailboxDown(f"the mail server gives no UIDVALIDITY of {want.folder}, which RFC 9051 demands")
            self.uidvalidity = int(selected[b"UIDVALIDITY"])

    def fetch_new(self, after_uid: int) -> list[Fetched]:
        """Return the letters with a UID above `after_uid`, by UID; MailboxDown. For folders that hold few."""
        return self.fetch(self.look(self.arrived(after_uid)))

    @property
    def prefix(self) -> str:
        """What the names of the account's own folders begin with, such as ``INBOX.``; empty where that is nothing."""
        return self._prefix

    def fetch_since(self, day: date) -> Iterator[Fetched]:
        """The letters in the folder that came on a day or later, as `fetch_new` gives them, a batch at a time."""
        with self._weather():
            uids = sorted(self._ready().search(["SINCE", day, "UNDELETED"]))
        for start in range(0, len(uids), _BATCH):
            with self._weather():
                client = self._ready()
                found = self._fetched(client, uids[start : start + _BATCH], ["RFC822.SIZE"])
                sizes = {uid: int(data[b"RFC822.SIZE"]) for uid, data in found.items()}
                letters = [letter for batch in _batches(sizes) for letter in self._fetch(client, batch, sizes)]
            yield from sorted(letters)

    def move(self, uids: Sequence[int], folder: str) -> None:
        """Move letters to `folder`, which is made if it is missing; UIDs that are gone do not matter.

        NotMoved if the server says no; MailboxDown.
        """
        if not uids:
            return
        with self._weather():
            client = self._ready()
            for start in range(0, len(uids), LOOKED_AT):
                some = [int(uid) for uid in uids[start : start + LOOKED_AT]]
                try:
                    self._move(client, some, folder)
                except IMAPClientAbortError:
                    raise
                except IMAPClientError as refused:
                    raise NotMoved(str(refused)) from None

    def _move(self, client: IMAPClient, uids: list[int], folder: str) -> None:
        move = client.move if client.has_capability("MOVE") else client.copy
        name = self._make(client, folder)
        try:
            move(uids, name)
        except IMAPClientError as refused:
            if "TRYCREATE" not in str(refused).upper():
                raise
            # Somebody has deleted the folder since it was seen last.
            self._folders.discard(name)
            move(uids, self._make(client, folder))
        if client.has_capability("MOVE"):
            return
        client.delete_messages(uids, silent=True)
        if client.has_capability("UIDPLUS"):
            client.uid_expunge(uids)
        elif set(client.search("DELETED")) <= set(uids):
            # A plain EXPUNGE takes all that is marked. Where others have marked letters, ours stay, marked and unseen.
            client.expunge()

    def fullness(self) -> float | None:
        """Which part of its room the account has used, as far as the server says (RFC 9208); MailboxDown."""
        # What a server says in a way of its own is not known; that a connection is gone is found out next.
        with self._weather(), suppress(IMAPClientError, ValueError, TypeError, IndexError):
            quotas = self._ready().get_quota_root(self.settings.folder)[1]
            return max((one.usage / one.limit for one in quotas if one.limit), default=None)
        return None

    def folders(self) -> set[str]:
        """Return the names of all folders; MailboxDown."""
        with self._weather():
            return {str(name) for _, _, name in self._ready().list_folders()}

    def put_folder(self, folder: str, *, there: bool) -> bool:
        """Make a folder, or remove it; whether the server allows that. MailboxDown."""
        with self._weather():
            client = self._ready()
            try:
                (client.create_folder if there else client.delete_folder)(self.full_name(folder))
            except IMAPClientAbortError:
                raise
            except IMAPClientError:
                return False
            return True

    def wait(self, seconds: float) -> bool:
        """Wait until the server says something, `wake` is called or `seconds` have passed; MailboxDown.

        Returns whether it was one of the first two. It only wakes: what there is, `fetch_new` says. At most 540 s.
        """
        with self._weather():
            client = self._ready()
            # What came since `fetch_new` may have been announced in answer to another command, and is not said again.
            if self._above(client, self._last):
                return True
            idle = client.has_capability("IDLE")
            if idle:
                client.idle()
            woken = self._heard(client) or self._listen(client, min(seconds, LONGEST_WAIT))
            if idle:
                # A dead connection is silent here; the end of IDLE needs an answer and so finds it out.
                client.idle_done()
        return woken

    def wake(self) -> None:
        """End the `wait` that is going on, or else the next one."""
        with suppress(OSError):
            self._bell.send(b"!")

    def close(self) -> None:
        """Log out and let go of everything; the mailbox cannot be used again."""
        if self._client is not None:
            with suppress(Exception):
                self._client.logout()
        self._hang_up()
        self._bell.close()
        self._ear.close()

    def _fetch(self, client: IMAPClient, uids: list[int], sizes: dict[int, int]) -> Iterator[Fetched]:
        too_big = sizes[uids[0]] > TOO_BIG
        part = "HEADER" if too_big else ""
        found = self._fetched(client, uids, ["INTERNALDATE", f"BODY.PEEK[{part}]"])
        for uid, data in found.items():
            raw = data.get(f"BODY[{part}]".encode("ascii"))
            if raw is not None:
                yield Fetched(uid, self.uidvalidity, _utc(data[b"INTERNALDATE"]), raw, sizes[uid], too_big)

    def _fetched(self, client: IMAPClient, uids: list[int], parts: list[str]) -> dict[int, Any]:
        """What the server has of these letters; those that somebody else took away in between are left out."""
        while True:
            try:
                return dict(client.fetch(uids, parts))
            except IMAPClientError as refused:
                # Of a letter expunged since the search some servers say NO for all that were asked for (RFC 5530).
                if "EXPUNGEISSUED" not in str(refused).upper():
                    raise
                if not (gone := set(uids) - set(self._above(client, uids[0] - 1))):
                    raise
                if not (uids := [uid for uid in uids if uid not in gone]):
                    return {}

    def _above(self, client: IMAPClient, uid: int) -> list[int]:
        """Return the UIDs above `uid` now, in order, without letters marked as deleted."""
        # Servers may announce new letters only in answer to a command.
        client.noop()
        # "n:*" always holds the last letter, whatever its UID (RFC 3501, 6.4.8).
        return sorted(found for found in client.search(["UID", f"{uid + 1}:*", "UNDELETED"]) if found > uid)

    def _heard(self, client: IMAPClient) -> bool:
        """Whether a line came in one piece with the answer to IDLE, and so waits in the library, not in the socket."""
        wire, read = client._imap.sock, getattr(client._imap, "_readbuf", None)
        if read is not None:  # From Python 3.14 on: what the file looked at then would be lost to the library.
            return any(read) or (isinstance(wire, ssl.SSLSocket) and wire.pending() > 0)
        wire.settimeout(0)
        try:
            return bool(client._imap.file.peek(1))
        except (BlockingIOError, ssl.SSLWantReadError):
            return False
        finally:
            wire.settimeout(self.settings.timeout)

    def _listen(self, client: IMAPClient, seconds: float) -> bool:
        with selectors.DefaultSelector() as selector:
            selector.register(client.socket(), selectors.EVENT_READ)
            selector.register(self._ear, selectors.EVENT_READ)
            ready = selector.select(max(0.0, seconds))
        with suppress(BlockingIOError):
            self._ear.recv(1024)
        return bool(ready)

    def _make(self, client: IMAPClient, folder: str) -> str:
        """Make a folder if it is missing; return its name on the server.

        Where all folders lie below another one (RFC 2342), that one is put before its name: ``INBOX.Processed``.
        """
        name = self.full_name(folder)
        if name not in self._folders:
            if not client.folder_exists(name):
                client.create_folder(name)
            self._folders.add(name)
        return name

    def full_name(self, folder: str) -> str:
        """Return a folder's name on the server, as soon as that is connected."""
        known = folder.upper() == "INBOX" or folder in self._folders or folder.startswith(self._prefix)
        return folder if known else self._prefix + folder

    def _ready(self) -> IMAPClient:
        if self._client is None:
            raise MailboxDown("not connected")
        return self._client

    def _hang_up(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            with suppress(Exception):
                client.shutdown()

    @contextmanager
    def _weather(self) -> Iterator[None]:
        """Turn every failure into MailboxDown and drop the connection.

        A client library that reads garbage fails in many ways (IMAP4.error, OSError, ValueError, IndexError ...), and
        after any of them the state of the session is not known.
        """
        try:
            yield
        except (MailboxDown, NotMoved):
            raise
        except Exception as error:
            self._hang_up()
            raise MailboxDown(mistrust(error, self.settings.host) or _reason(error)) from error


def _reason(error: Exception) -> str:
    """Return what failed; of an answer without a field that it must have, which one it is."""
    if isinstance(error, KeyError) and error.args and isinstance(error.args[0], bytes):
        return f"the server's answer has no {error.args[0].decode('ascii', 'replace')}"
    return f"{type(error).__name__}: {error}"


def _batches(sizes: dict[int, int]) -> Iterator[list[int]]:
    """Split UIDs into runs that are fetched at once: all big or all not, bounded in number and octets."""
    batch: list[int] = []
    octets = 0
    for uid, size in sorted(sizes.items(), key=lambda item: (item[1] > TOO_BIG, item[0])):
        apart = batch and (size > TOO_BIG) != (sizes[batch[0]] > TOO_BIG)
        if batch and (apart or len(batch) == _BATCH or octets + size > _BATCH_OCTETS):
            yield batch
            batch, octets = [], 0
        batch.append(uid)
        octets += min(size, TOO_BIG)
    if batch:
        yield batch


def _part(data: dict[bytes, Any], begins: bytes) -> bytes:
    """The part of a letter under a name that begins so: servers write the names of fields each in their own way."""
    return next((bytes(value) for name, value in data.items() if name.upper().startswith(begins) and value), b"")


def _personal_prefix(client: IMAPClient) -> str:
    """Return what the names of the account's own folders begin with, such as ``INBOX.``; empty if not told."""
    if not client.has_capability("NAMESPACE"):
        return ""
    personal = client.namespace().personal
    return str(personal[0][0] or "") if personal else ""


def _utc(date: object) -> datetime:
    if not isinstance(date, datetime):
        raise ValueError(f"not an INTERNALDATE: {date!r}")
    return date.replace(tzinfo=UTC) if date.tzinfo is None else date.astimezone(UTC)
