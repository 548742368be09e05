"""Read letters from an IMAP folder (RFC 3501, with RFC 6851 and RFC 4315).

The two extensions are MOVE and UIDPLUS. A mailbox is read by UID and changed only by `move`; the caller's database,
and not a flag, records which letters are done. Every failure is `MailboxDown`; the caller waits `retry_delay` seconds
and connects again.
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

from pbem.mail import RAW_OCTETS
from pbem.mail.address import RECIPIENT_FIELDS
from pbem.mail.oauth import AccessTokens
from pbem.mail.trust import certificate_error

LARGEST_FETCHED = RAW_OCTETS
"""Octets above which only the header of a letter is fetched, since its text would not be read."""
LONGEST_IDLE = 540.0
"""Seconds an IDLE may last. RFC 2177 recommends to renew it after 29 minutes; routers forget silent connections long
before."""
LETTERS_PER_COMMAND = 500
"""Letters of one command: an answer about more could exceed the timeout."""
# Letters fetched in one command, and their octets: a choice that limits memory and what a lost connection costs.
_BATCH, _BATCH_OCTETS = 100, 4_000_000
_RECIPIENTS = f"HEADER.FIELDS ({' '.join(RECIPIENT_FIELDS).upper()})"


class MailboxDown(Exception):
    """The server or the connection failed; the result of the request is not known."""


class NotMoved(Exception):
    """The server refuses to move letters, as for a full mailbox; the session goes on."""


@dataclass(frozen=True, kw_only=True)
class ImapSettings:
    """The mailbox to read; missing folders `processed` and `poison` are made.

    `timeout` in seconds is for the connection and for each answer. `tls` replaces the context that checks
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
    token: AccessTokens | None = field(default=None, repr=False)


class FetchedLetter(NamedTuple):
    """A letter of the folder: whole, or only the header if it is `too_big`.

    `internaldate` is when the server received it, in UTC; `size` is its octets on the server.
    """

    uid: int
    uidvalidity: int
    internaldate: datetime
    raw: bytes
    size: int
    too_big: bool = False


class WaitingLetter(NamedTuple):
    """A letter in the folder, not fetched: octets, arrival, recipients.

    `recipients` are the raw header fields that name recipients.
    """

    uid: int
    size: int
    internaldate: datetime
    recipients: bytes


def retry_delay(attempt: int, jitter: float) -> float:
    """Return the seconds to wait before connection attempt number `attempt`.

    Attempt 0 is the first one after a failure. The wait doubles from 1 second to 5 minutes; `jitter`, in 0..1,
    shortens it by up to half, so that not all clients reconnect at once.
    """
    # 2 ** 20 is far above the 5 minutes; without this limit a float would overflow after a thousand attempts.
    return max(1.0, min(300.0, 2.0 ** min(attempt, 20)) * (1.0 - 0.5 * jitter))


class ImapMailbox:
    """A connection to a mailbox for one thread; only `wake` is safe from another.

    Every method that asks the server raises MailboxDown if it fails or the connection is lost.
    """

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
    def is_connected(self) -> bool:
        """Return whether `connect` succeeded and nothing failed since."""
        return self._client is not None

    @property
    def abilities(self) -> frozenset[str]:
        """Return the server's capabilities, such as ``IDLE``."""
        with self._weather():
            return frozenset(word.decode("ascii", "replace") for word in self._ready().capabilities())

    def new_uids(self, after_uid: int = 0) -> list[int]:
        """Return the UIDs above `after_uid` in the folder, in order."""
        with self._weather():
            uids = self._above(self._ready(), after_uid)
            self._last = max(self._last, *uids, after_uid)
            return uids

    def look(self, uids: Sequence[int]) -> list[WaitingLetter]:
        """Return sizes, times and recipients of letters by UID.

        Vanished letters are left out.
        """
        with self._weather():
            client = self._ready()
            answers: dict[int, Any] = {}
            for start in range(0, len(uids), LETTERS_PER_COMMAND):
                group = list(uids[start : start + LETTERS_PER_COMMAND])
                answers |= self._fetch_data(client, group, ["RFC822.SIZE", "INTERNALDATE", f"BODY.PEEK[{_RECIPIENTS}]"])
            return [
                WaitingLetter(
                    uid, int(data[b"RFC822.SIZE"]), _utc(data[b"INTERNALDATE"]), _part(data, b"BODY[HEADER.FIELDS")
                )
                for uid, data in sorted(answers.items())
            ]

    def fetch(self, letters: Sequence[WaitingLetter]) -> list[FetchedLetter]:
        """Return these letters by UID, without marking them as seen.

        Vanished letters are left out.
        """
        with self._weather():
            client = self._ready()
            sizes = {letter.uid: letter.size for letter in letters}
            return sorted(letter for batch in _batches(sizes) for letter in self._fetch(client, batch, sizes))

    def connect(self) -> None:
        """Log in, make the folders, select one and note its `uidvalidity`."""
        self._hang_up()
        self._last = 0
        settings = self.settings
        with self._weather():
            self._client = client = IMAPClient(
                settings.host,
                settings.port,
                ssl=settings.security == "tls",
                ssl_context=settings.tls,
                timeout=settings.timeout,
            )
            client.normalise_times = False
            # Commands go out in pieces, and no piece should wait for the acknowledgement of the one before (RFC 896).
            client.socket().setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if settings.security == "starttls":
                client.starttls(settings.tls)
            if settings.token is None:
                client.login(settings.user, settings.password)
            else:
                settings.token.log_in(lambda token: client.oauth2_login(settings.user, token), LoginError)
            self._folders = {name for _, _, name in client.list_folders()}
            self._prefix = _personal_prefix(client)
            for folder in (settings.processed, settings.poison):
                self._make(client, folder)
            answer = client.select_folder(self.full_name(settings.folder))
            if b"UIDVALIDITY" not in answer:
                # RFC 9051, 6.3.2: without it a UID may belong to another letter by now.
                self._hang_up()
                raise MailboxDown(f"the mail server gives no UIDVALIDITY of {settings.folder}, which RFC 9051 demands")
            self.uidvalidity = int(answer[b"UIDVALIDITY"])

    def fetch_new(self, after_uid: int) -> list[FetchedLetter]:
        """Return the letters with a UID above `after_uid`, by UID.

        It is for folders with few letters.
        """
        return self.fetch(self.look(self.new_uids(after_uid)))

    @property
    def prefix(self) -> str:
        """Return the prefix of the account's folders, such as ``INBOX.``; may be empty."""
        return self._prefix

    def fetch_since(self, day: date) -> Iterator[FetchedLetter]:
        """Yield the letters of a day or later, by UID within a batch."""
        with self._weather():
            uids = sorted(self._ready().search(["SINCE", day, "UNDELETED"]))
        for start in range(0, len(uids), _BATCH):
            with self._weather():
                client = self._ready()
                answers = self._fetch_data(client, uids[start : start + _BATCH], ["RFC822.SIZE"])
                sizes = {uid: int(data[b"RFC822.SIZE"]) for uid, data in answers.items()}
                letters = [letter for batch in _batches(sizes) for letter in self._fetch(client, batch, sizes)]
            yield from sorted(letters)

    def move(self, uids: Sequence[int], folder: str) -> None:
        """Move letters to `folder`, which is made if missing; ignore vanished UIDs.

        Raise NotMoved if the server refuses.
        """
        if not uids:
            return
        with self._weather():
            client = self._ready()
            for start in range(0, len(uids), LETTERS_PER_COMMAND):
                group = [int(uid) for uid in uids[start : start + LETTERS_PER_COMMAND]]
                try:
                    self._move(client, group, folder)
                # Before its parent class: an abort is a lost connection, any other error is the server's refusal.
                except IMAPClientAbortError:
                    raise
                except IMAPClientError as error:
                    raise NotMoved(str(error)) from None

    def _move(self, client: IMAPClient, uids: list[int], folder: str) -> None:
        move = client.move if client.has_capability("MOVE") else client.copy
        name = self._make(client, folder)
        try:
            move(uids, name)
        # TRYCREATE is the server's word for a folder that is missing (RFC 9051, 7.1); anything else is the caller's.
        except IMAPClientError as error:
            if "TRYCREATE" not in str(error).upper():
                raise
            # Somebody has deleted the folder in between.
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
        """Return the used part of the quota, if known (RFC 9208)."""
        # Non-standard answers are ignored; a lost connection is noticed next.
        with self._weather(), suppress(IMAPClientError, ValueError, TypeError, IndexError):
            quotas = self._ready().get_quota_root(self.settings.folder)[1]
            return max((quota.usage / quota.limit for quota in quotas if quota.limit), default=None)
        return None

    def folders(self) -> set[str]:
        """Return the names of all folders."""
        with self._weather():
            return {str(name) for _, _, name in self._ready().list_folders()}

    def put_folder(self, folder: str, *, there: bool) -> bool:
        """Create or remove a folder; return whether the server allows it."""
        with self._weather():
            client = self._ready()
            try:
                (client.create_folder if there else client.delete_folder)(self.full_name(folder))
            # As in `move`: a lost connection is no answer of the server.
            except IMAPClientAbortError:
                raise
            except IMAPClientError:
                return False
            return True

    def wait(self, seconds: float) -> bool:
        """Wait for the server, `wake` or `seconds` (at most 540).

        Returns False if only the time has passed. Letters must then be fetched by other methods.
        """
        with self._weather():
            client = self._ready()
            # What came since `fetch_new` may have been announced in answer to another command, and is not said again.
            if self._above(client, self._last):
                return True
            idle = client.has_capability("IDLE")
            if idle:
                client.idle()
            is_woken = self._has_pushed_line(client) or self._listen(client, min(seconds, LONGEST_IDLE))
            if idle:
                # A dead connection is silent here; the end of IDLE needs an answer and so detects it.
                client.idle_done()
        return is_woken

    def wake(self) -> None:
        """End the present `wait`, or else the next one."""
        with suppress(OSError):
            self._bell.send(b"!")

    def close(self) -> None:
        """Log out and release everything; the mailbox cannot be used again."""
        if self._client is not None:
            with suppress(Exception):
                self._client.logout()
        self._hang_up()
        self._bell.close()
        self._ear.close()

    def _fetch(self, client: IMAPClient, uids: list[int], sizes: dict[int, int]) -> Iterator[FetchedLetter]:
        too_big = sizes[uids[0]] > LARGEST_FETCHED
        part = "HEADER" if too_big else ""
        answers = self._fetch_data(client, uids, ["INTERNALDATE", f"BODY.PEEK[{part}]"])
        for uid, data in answers.items():
            raw = data.get(f"BODY[{part}]".encode("ascii"))
            if raw is not None:
                yield FetchedLetter(uid, self.uidvalidity, _utc(data[b"INTERNALDATE"]), raw, sizes[uid], too_big)

    def _fetch_data(self, client: IMAPClient, uids: list[int], parts: list[str]) -> dict[int, Any]:
        """Return the server's data of these letters, without vanished ones."""
        while True:
            try:
                return dict(client.fetch(uids, parts))
            except IMAPClientError as error:
                # Of a letter expunged since the search some servers say NO for all that were asked for (RFC 5530).
                if "EXPUNGEISSUED" not in str(error).upper():
                    raise
                if not (vanished := set(uids) - set(self._above(client, uids[0] - 1))):
                    raise
                if not (uids := [uid for uid in uids if uid not in vanished]):
                    return {}

    def _above(self, client: IMAPClient, uid: int) -> list[int]:
        """Return the UIDs above `uid` now, in order, without letters marked as deleted."""
        # Servers may announce new letters only in answer to a command.
        client.noop()
        # "n:*" always holds the last letter, whatever its UID (RFC 3501, 6.4.8).
        return sorted(number for number in client.search(["UID", f"{uid + 1}:*", "UNDELETED"]) if number > uid)

    def _has_pushed_line(self, client: IMAPClient) -> bool:
        """Return whether a line waits in the library, sent with the answer to IDLE."""
        connection, buffer = client._imap.sock, getattr(client._imap, "_readbuf", None)
        if buffer is not None:  # From Python 3.14 on: what the file looked at then would be lost to the library.
            return any(buffer) or (isinstance(connection, ssl.SSLSocket) and connection.pending() > 0)
        connection.settimeout(0)
        try:
            return bool(client._imap.file.peek(1))
        # Nothing has come: on a plain connection the first is raised, by TLS the second.
        except (BlockingIOError, ssl.SSLWantReadError):
            return False
        finally:
            connection.settimeout(self.settings.timeout)

    def _listen(self, client: IMAPClient, seconds: float) -> bool:
        with selectors.DefaultSelector() as selector:
            selector.register(client.socket(), selectors.EVENT_READ)
            selector.register(self._ear, selectors.EVENT_READ)
            # A caller whose time has passed only looks.
            ready = selector.select(max(0.0, seconds))
        with suppress(BlockingIOError):
            self._ear.recv(1024)
        return bool(ready)

    def _make(self, client: IMAPClient, folder: str) -> str:
        """Make a folder if it is missing; return its name on the server.

        If all folders must be below another one (RFC 2342), that is put before the name: ``INBOX.Processed``.
        """
        name = self.full_name(folder)
        if name not in self._folders:
            if not client.folder_exists(name):
                client.create_folder(name)
            self._folders.add(name)
        return name

    def full_name(self, folder: str) -> str:
        """Return a folder's name on the server; needs a connection."""
        is_complete = folder.upper() == "INBOX" or folder in self._folders or folder.startswith(self._prefix)
        return folder if is_complete else self._prefix + folder

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
        # Both say already what happened: a refusal leaves the connection as it was.
        except (MailboxDown, NotMoved):
            raise
        except Exception as error:
            self._hang_up()
            raise MailboxDown(certificate_error(error, self.settings.host) or _reason(error)) from error


def _reason(error: Exception) -> str:
    """Return a failure in words, or the required field that the answer lacks."""
    if isinstance(error, KeyError) and error.args and isinstance(error.args[0], bytes):
        return f"the server's answer has no {error.args[0].decode('ascii', 'replace')}"
    return f"{type(error).__name__}: {error}"


def _batches(sizes: dict[int, int]) -> Iterator[list[int]]:
    """Split UIDs into batches with limits in number and octets.

    Letters that are too big are in batches of their own.
    """
    batch: list[int] = []
    octets = 0
    # By kind, so that each kind fills its batches; by UID, the order in which letters came.
    for uid, size in sorted(sizes.items(), key=lambda item: (item[1] > LARGEST_FETCHED, item[0])):
        is_other_kind = batch and (size > LARGEST_FETCHED) != (sizes[batch[0]] > LARGEST_FETCHED)
        if batch and (is_other_kind or len(batch) == _BATCH or octets + size > _BATCH_OCTETS):
            yield batch
            batch, octets = [], 0
        batch.append(uid)
        octets += min(size, LARGEST_FETCHED)
    if batch:
        yield batch


def _part(data: dict[bytes, Any], prefix: bytes) -> bytes:
    """Return a letter's part whose name has a prefix; servers vary the rest of it."""
    return next((bytes(value) for name, value in data.items() if name.upper().startswith(prefix) and value), b"")


def _personal_prefix(client: IMAPClient) -> str:
    """Return the prefix of the account's folders, such as ``INBOX.``, or empty."""
    if not client.has_capability("NAMESPACE"):
        return ""
    personal = client.namespace().personal
    return str(personal[0][0] or "") if personal else ""


def _utc(date: object) -> datetime:
    if not isinstance(date, datetime):
        raise ValueError(f"not an INTERNALDATE: {date!r}")
    return date.replace(tzinfo=UTC) if date.tzinfo is None else date.astimezone(UTC)
