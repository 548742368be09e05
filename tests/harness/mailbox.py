"""Keep a mailbox in a folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pbem.mail import mime
from pbem.mail.imap import FetchedLetter, ImapSettings, MailboxDown, WaitingLetter
from tests.harness.clock import Clock


class FolderMailbox:
    """A mailbox whose folders are directories, so that it outlives the process that reads it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.settings = ImapSettings(host="mail.example", port=1, user="pbem", password="x")
        self.is_connected = False
        self.down = False
        self.uidvalidity = 7
        for folder in ("INBOX", "Processed", "Poison"):
            (root / folder).mkdir(parents=True, exist_ok=True)

    def put(self, raw: bytes) -> int:
        uid = 1 + sum(1 for _ in self.root.rglob("*.eml"))
        (self.root / "INBOX" / f"{uid}.eml").write_bytes(raw)
        return uid

    def uids(self, folder: str) -> list[int]:
        return sorted(int(path.stem) for path in (self.root / folder).glob("*.eml"))

    def connect(self) -> None:
        if self.down:
            raise MailboxDown("connection refused")
        self.is_connected = True

    def new_uids(self, after_uid: int = 0) -> list[int]:
        self._weather()
        return [uid for uid in self.uids("INBOX") if uid > after_uid]

    def look(self, uids: Sequence[int]) -> list[WaitingLetter]:
        self._weather()
        moment = Clock(path=self.root.parent / "clock").now()
        fetched = [(uid, self._raw(uid)) for uid in uids if uid in self.uids("INBOX")]
        return [WaitingLetter(uid, len(raw), moment, mime.raw_header(raw)) for uid, raw in fetched]

    def fetch(self, letters: Sequence[WaitingLetter]) -> list[FetchedLetter]:
        self._weather()
        there = [letter for letter in letters if letter.uid in self.uids("INBOX")]
        return [
            FetchedLetter(letter.uid, self.uidvalidity, letter.internaldate, self._raw(letter.uid), letter.size)
            for letter in there
        ]

    def _raw(self, uid: int) -> bytes:
        return (self.root / "INBOX" / f"{uid}.eml").read_bytes()

    def move(self, uids: Sequence[int], folder: str) -> None:
        self._weather()
        for uid in uids:
            path = self.root / "INBOX" / f"{uid}.eml"
            if path.exists():
                path.rename(self.root / folder / path.name)

    def _weather(self) -> None:
        if self.down:
            self.is_connected = False
            raise MailboxDown("BYE")
