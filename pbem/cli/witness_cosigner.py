"""Watch a log by letter: cosign each checkpoint that extends it, or refuse.

The order matters: signatures are stored before the answer is sent, and the answer is sent before the letter counts
as read. After a crash in between, the letter is read again and gets the same answer. The witness polls the mailbox
again and again, whatever fails.
"""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, NamedTuple, Protocol

from pydantic import AfterValidator, Field
from pydantic_settings import SettingsConfigDict

from pbem.audit import signing, witness, witness_statement, witnessing
from pbem.audit.blocks import Malformed
from pbem.audit.note import COSIGNATURE, ED25519, Key, Sign, decode64, encode64, parse_key
from pbem.audit.signing import make_signer
from pbem.audit.witness import WITNESS_FILE, ProvenList, ShownList, WitnessAnswer, WitnessRefusal, WitnessRequest
from pbem.audit.witnessing import WitnessedList, WitnessResult, WitnessState
from pbem.cli.exit_codes import FINDING, FINE, CommandError
from pbem.cli.log_output import Log, open_log
from pbem.cli.mail_servers import imap_settings, smtp_settings
from pbem.cli.setting_files import Misconfigured, read_key, read_settings
from pbem.cli.settings import MailSettings, SettingsSection, SystemClock, with_mail_files
from pbem.mail.address import OwnAddresses, author_address, base_address, check_address
from pbem.mail.attached import read_attachment
from pbem.mail.imap import FetchedLetter, ImapMailbox, MailboxDown, retry_delay
from pbem.mail.inbound import read_header
from pbem.mail.mime import read_fields
from pbem.mail.outbound import LetterTopic, OutgoingLetter, compose, message_id
from pbem.mail.smtp import Envelope, SmtpReply, send_all
from pbem.runtime.clock import Clock
from pbem.store import durable
from pbem.store.durable import UnwritableFile

POINTS = ("looked", "kept", "sent", "read")
"""The points that a letter reaches: it is checked; signatures are stored; the answer was accepted; it is not read
again."""

FIRST = 200
"""Letters of a mailbox that are read at the first look, the last ones: an older request was answered or repeated, and
old mailboxes hold thousands."""
_BIGGEST = 65_536
"""Octets of a letter with a request: its text has 16 KB at most (`witness.LONGEST_TEXT`), a third more in base64, and
headers."""
_HOUR = 3600
"""Seconds of the window in which answers are counted against the limit."""
_ALARMS = ("fork", "smaller", "doubled")


class WatchedMailbox(Protocol):
    """The part of `pbem.mail.imap.ImapMailbox` that a witness uses."""

    uidvalidity: int

    @property
    def is_connected(self) -> bool:
        """Return whether it can be asked."""
        ...

    def connect(self) -> None:
        """Log in; raise MailboxDown."""
        ...

    def new_uids(self, after_uid: int = 0, /) -> list[int]:
        """Return the UIDs of the letters after a UID; raise MailboxDown."""
        ...

    def fetch_new(self, after_uid: int, /) -> list[FetchedLetter]:
        """Return the letters after a UID; raise MailboxDown."""
        ...

    def wait(self, seconds: float, /) -> bool:
        """Wait for a letter, at most for some seconds; raise MailboxDown."""
        ...


class MailServers(NamedTuple):
    """The incoming and the outgoing mail server."""

    mailbox: WatchedMailbox
    send: Callable[[Sequence[Envelope]], Sequence[SmtpReply]]


class LookResult(NamedTuple):
    """The result of one look into the mailbox: letters answered, refusals, an outage."""

    answered: int = 0
    refused: tuple[str, ...] = ()
    down: str = ""


class _Request(NamedTuple):
    """A letter of the server: its request, the reply address, its Message-ID."""

    asked: WitnessRequest
    reply_to: str
    name: str


class _AnswerNotSent(Exception):
    """Raised if the answer cannot be sent now."""


class Cosigner:
    """A witness at work; `at` is called with each point that a letter reaches."""

    def __init__(
        self,
        home: WitnessHome,
        post: MailServers,
        clock: Clock,
        log: Log,
        at_point: Callable[[str], None] = lambda point: None,
    ) -> None:
        self.home, self.mailbox, self.send, self.clock, self.log, self.at = home, *post, clock, log, at_point
        self.state, self.lists = home.load(), home.lists()

    def step(self) -> LookResult:
        """Look into the mailbox once; an outage is returned, never raised."""
        answered, refused = 0, []
        try:
            if not self.mailbox.is_connected:
                self.mailbox.connect()
            for letter in self.mailbox.fetch_new(self._begin()):
                request = self._request_in(letter)
                if request is not None:
                    if not self._may_answer():
                        break
                    answer = self._answer(letter, request)
                    answered += answer is not None
                    refused += [answer.why] if isinstance(answer, WitnessRefusal) and answer.why in _ALARMS else []
                self.state = self.state._replace(uid=letter.uid)
        except (MailboxDown, _AnswerNotSent) as outage:
            # Letters up to here are done; the one at hand is read again after the outage.
            self.home.keep(self.state)
            return LookResult(answered, tuple(refused), str(outage))
        self.home.keep(self.state)
        self.at("read")
        return LookResult(answered, tuple(refused))

    def _begin(self) -> int:
        """Return the last UID read; in a new mailbox, one a little before its end."""
        if self.state.uidvalidity != self.mailbox.uidvalidity:
            uids = self.mailbox.new_uids()
            first = uids[-FIRST - 1] if len(uids) > FIRST else 0
            self.state = self.state._replace(uidvalidity=self.mailbox.uidvalidity, uid=first)
        return self.state.uid

    def _request_in(self, letter: FetchedLetter) -> _Request | None:
        """Return the request in a letter of the server; None for any other letter."""
        if letter.too_big or len(letter.raw) > _BIGGEST:
            return None
        server = self.home.told.witness.server.casefold()
        local, _, domain = server.rpartition("@")
        head = read_header(letter.raw, OwnAddresses(local, domain))
        reply_to = author_address(read_fields(letter.raw).first("reply-to"))
        if head.sender != server or base_address(reply_to) != server:
            return None
        text = read_attachment(letter.raw, WITNESS_FILE, witness.LONGEST_TEXT)
        try:
            request = witness.parse(text) if text is not None else None
        except Malformed as wrong:
            self.log.warning("a letter of the server cannot be read", uid=letter.uid, why=str(wrong))
            return None
        return _Request(request, reply_to, head.message_id) if isinstance(request, WitnessRequest) else None

    def _may_answer(self) -> bool:
        now = int(self.clock.now().timestamp())
        recent = tuple(sent_at for sent_at in self.state.sent if now - _HOUR < sent_at <= now)
        self.state = self.state._replace(sent=recent)
        if len(recent) < self.home.told.witness.answers_an_hour:
            return True
        self.log.warning("as many letters as within an hour were answered; the others wait", answered=len(recent))
        return False

    def _answer(self, letter: FetchedLetter, request: _Request) -> WitnessAnswer | WitnessRefusal | None:
        """Check a request, store what is signed, and answer it.

        Returns None if the request must not be answered.
        """
        pinned, asked = self._log_key(), request.asked
        if pinned is not None and pinned != asked.log:
            self.log.error("a letter names another log than the one that is watched", named=asked.log.text)
            return None
        now = int(self.clock.now().timestamp())
        try:
            witness_ = witnessing.Witness(self.home.key, self.home.sign, signing.verify)
            result = witnessing.examine_request(asked, WitnessState(self.state.seen, self.lists.find), witness_, now)
        except Malformed as wrong:
            self.log.warning("a letter shows what the log has not signed", uid=letter.uid, why=str(wrong))
            return None
        self.at("looked")
        answer, state = witnessing.answer(result, self.home.key), self.state._replace(log=asked.log.text)
        if isinstance(result, WitnessResult):
            self.lists.keep(result.new)
            if result.note not in state.seen:
                state = state._replace(seen=(*state.seen, result.note)[-SEEN:])
        self.state = state._replace(sent=(*state.sent, now))
        self.home.keep(self.state)
        self.at("kept")
        self._send(letter, request, answer)
        self.at("sent")
        return answer

    def _log_key(self) -> Key | None:
        """Return the key of the watched log: by the settings, else by the first letter."""
        text = self.home.told.witness.log or self.state.log
        return parse_key(text) if text else None

    def _send(self, letter: FetchedLetter, request: _Request, answer: WitnessAnswer | WitnessRefusal) -> None:
        address = self.home.told.witness.address
        raw = self._compose(letter, request, answer)
        # A refusal is told to the witness himself too: the server may have reasons to keep it to itself.
        alarm = isinstance(answer, WitnessRefusal) and answer.why in _ALARMS
        replies = self.send([Envelope(address, to, raw) for to in (request.reply_to, *([address] if alarm else []))])
        size = answer.size if isinstance(answer, WitnessAnswer) else 0
        if isinstance(answer, WitnessRefusal):
            (self.log.error if alarm else self.log.warning)(
                "NOT COSIGNED", why=_WHY[answer.why], held=answer.note.decode()
            )
        if any(reply.verdict == "again" for reply in replies):
            raise _AnswerNotSent(f"the answer was not taken: {replies[0].code} {replies[0].text}")
        if any(reply.verdict == "failed" for reply in replies):
            self.log.error("the answer was refused", code=replies[0].code, text=replies[0].text)
        elif size:
            self.log.info("cosigned", leaves=size)

    def _compose(self, letter: FetchedLetter, request: _Request, answer: WitnessAnswer | WitnessRefusal) -> bytes:
        """Compose the answer, the same bytes for the same letter every time."""
        settings, text = self.home.told.witness, witness.write(answer).decode("ascii")
        if isinstance(answer, WitnessAnswer):
            subject = f"Witness: {answer.size} leaves seen"
            sentence = f"I have seen {answer.size} leaves, and cosigned them."
            date = datetime.fromtimestamp(answer.at, UTC)
            if answer.sees:
                closes = len(witness_statement.read(answer.sees).said.closes)
                sentence += (
                    f"\nOf {closes} closed lists I was shown the leaf, and I have seen no other of their segments."
                )
        else:
            subject, sentence = f"WITNESS REFUSES: {answer.why}", f"{_WHY[answer.why]}. What I hold is attached."
            date = letter.internaldate
        kind = "saw" if isinstance(answer, WitnessAnswer) else "refuses"
        domain = settings.address.rpartition("@")[2]
        key = hashlib.sha256(b"pbem/witness/message-id" + self.home.secret).digest()
        name = message_id(key, LetterTopic("witness", "", kind, "", f"{request.name} {text}"), domain)
        return compose(
            OutgoingLetter(
                message_id=name,
                sender=settings.address,
                recipient=request.reply_to,
                subject=subject,
                text=f"{sentence}\n\n{settings.name}\n",
                date=date,
                in_reply_to=request.name,
                auto_submitted="auto-replied",
                loop=settings.address,
                attachments=((WITNESS_FILE, text),),
            )
        )


_WHY = {
    "fork": "This log is not the one that I have seen before: it was forked",
    "smaller": "This log is smaller than the one that I have seen: leaves were taken out of it",
    "gap": "This letter does not begin at the log that I hold",
    "doubled": "This log closed one segment with two lists: both are attached, each in a tree that it has signed",
}


def look_into_mailbox_repeatedly(
    cosigner: Cosigner, poll: float, once: bool, sleep: Callable[[float], None] = time.sleep
) -> int:
    """Look into the mailbox once, or again and again.

    Returns FINDING as soon as a log was forked or made smaller. Raise CommandError if the only look failed.
    """
    failures = 0
    while True:
        step = cosigner.step()
        if step.refused:
            return FINDING
        if once and step.down:
            raise CommandError(f"the mail servers are out of reach: {step.down}")
        if once:
            return FINE
        if step.down:
            wait = retry_delay(failures, 0.0)
            cosigner.log.warning("mail servers out of reach", why=step.down, retry_in=wait)
            sleep(wait)
            failures += 1
            continue
        failures = 0
        with suppress(MailboxDown):
            cosigner.mailbox.wait(poll)


def watch_server(config: Path, once: bool, clock: Clock | None = None) -> int:
    """Watch by the settings until a log is forked or somebody ends it.

    Returns the exit code. The machine's own clock is used unless another is given.
    """
    home = open_witness_home(config)
    log = open_log(home.told.log.format, home.told.log.level)
    imap, smtp = imap_settings(home.told), smtp_settings(home.told)
    # Nothing is ever moved, so that no folder for it has to be made.
    mailbox = ImapMailbox(replace(imap, processed=imap.folder, poison=imap.folder))
    with home.alone():
        post = MailServers(mailbox, lambda letters: asyncio.run(send_all(smtp, letters)))
        cosigner = Cosigner(home, post, clock or SystemClock(), log)
        log.info("watching", server=home.told.witness.server, name=home.told.witness.name)
        try:
            return look_into_mailbox_repeatedly(cosigner, home.told.imap.poll, once)
        except KeyboardInterrupt:
            return FINE
        finally:
            mailbox.close()


# What a witness has on his machine: settings, a key, trees that he has cosigned, closed lists that he has seen.
#
# The trees are in one file, written whole beside the old one and put in its place: a crash leaves one or the other.
# What was signed is written there before anybody is told.
#
# The closed lists are in another file, to which lines are added and nothing else. A line is on the disk before anything
# is said of its list, and has the proof that the log signed it. What a crash left of a line without its end was said to
# nobody, and is cut off.


Where = tuple[str, str, int]


class SeenLists:
    """The closed lists in a file, indexed in memory by their places in the file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._places: dict[Where, int] = {}
        self._end = 0
        try:
            with path.open("rb") as file:
                for line in file:
                    if not line.endswith(b"\n"):
                        break
                    self._places[witness_statement.closed_list_of(_parse_line(line).proven.shown.data).where] = (
                        self._end
                    )
                    self._end += len(line)
        # Nothing was cosigned before.
        except FileNotFoundError:
            pass
        except (OSError, ValueError, KeyError, TypeError) as wrong:
            raise CommandError(
                f"{path} cannot be read, and a witness who forgot may see a second list: {wrong}"
            ) from None

    def find(self, key: Where) -> WitnessedList | None:
        """Return the list of a segment, if one was seen."""
        place = self._places.get(key)
        if place is None:
            return None
        with self.path.open("rb") as file:
            file.seek(place)
            return _parse_line(file.readline())

    def keep(self, new: Iterable[WitnessedList]) -> None:
        """Store lists durably; raise Unwritten if that fails; none is then stored."""
        lines = [(witness_statement.closed_list_of(held.proven.shown.data).where, _line_of(held)) for held in new]
        if not lines:
            return
        try:
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
            with os.fdopen(descriptor, "r+b") as file:
                file.truncate(self._end)
                file.seek(self._end)
                file.write(b"".join(line for _, line in lines))
                file.flush()
                os.fsync(descriptor)
        except OSError as wrong:
            raise UnwritableFile(wrong.errno, wrong.strerror, str(self.path)) from wrong
        for key, line in lines:
            self._places[key] = self._end
            self._end += len(line)


def _line_of(held: WitnessedList) -> bytes:
    shown = held.proven.shown
    record = {
        "at": held.at,
        "number": shown.at,
        "leaf": encode64(shown.data),
        "path": [encode64(part) for part in shown.path],
        "note": held.proven.note.decode("utf-8"),
    }
    return json.dumps(record, ensure_ascii=False).encode("utf-8") + b"\n"


def _parse_line(line: bytes) -> WitnessedList:
    record = json.loads(line)
    shown = ShownList(record["number"], decode64(record["leaf"]), tuple(decode64(part) for part in record["path"]))
    return WitnessedList(record["at"], ProvenList(shown, record["note"].encode("utf-8")))


SEEN = 64
"""The last cosigned trees that are kept, so that a repeated letter gets the same answer: servers repeat only their
newest requests."""


def _check_name(text: str) -> str:
    try:
        if not text.isascii() or not text.isprintable():
            raise Malformed("it is not plain ASCII")
        parse_key(Key(text, bytes(32), COSIGNATURE).text)
    except Malformed:
        raise ValueError("a name is ASCII without blanks and plus; one is example.net/friend") from None
    return text


def _check_log_key(text: str) -> str:
    try:
        if text and parse_key(text).kind != ED25519:
            raise Malformed("it is of another kind")
    except Malformed as wrong:
        raise ValueError(f"not the key of a log: {wrong}") from None
    return text


class Witness(SettingsSection):
    """The settings of the witness: his name, the watched server, and his files."""

    name: Annotated[str, AfterValidator(_check_name)]
    address: Annotated[str, AfterValidator(check_address)]
    server: Annotated[str, AfterValidator(check_address)]
    log: Annotated[str, AfterValidator(_check_log_key)] = ""
    key: Path = Path("witness.key")
    state: Path = Path("witness.json")
    answers_an_hour: Annotated[int, Field(ge=1, le=100_000)] = 60


class WitnessSettings(MailSettings):
    """All settings of a witness."""

    model_config = SettingsConfigDict(env_prefix="PBEM_WITNESS_")

    witness: Witness


class StoredWitnessState(NamedTuple):
    """The state of a witness: log key, cosigned notes, and how far he has read.

    The newest note is last. `sent` are the unix seconds of the answers of the last hour.
    """

    log: str = ""
    seen: tuple[bytes, ...] = ()
    uidvalidity: int = 0
    uid: int = 0
    sent: tuple[int, ...] = ()


class WitnessHome(NamedTuple):
    """Settings, key, and the file of the state."""

    told: WitnessSettings
    key: Key
    sign: Sign
    secret: bytes
    path: Path

    def lists(self) -> SeenLists:
        """Return the closed lists seen, from a file; raise CommandError if unreadable."""
        return SeenLists(self.path.with_suffix(".closes"))

    def load(self) -> StoredWitnessState:
        """Return the stored state; raise CommandError if it is unreadable.

        An unreadable state is not replaced, because the witness would forget what it signed.
        """
        try:
            stored = json.loads(self.path.read_text("utf-8"))
            seen = tuple(note.encode("utf-8") for note in stored["seen"])
            return StoredWitnessState(stored["log"], seen, stored["uidvalidity"], stored["uid"], tuple(stored["sent"]))
        except FileNotFoundError:
            return StoredWitnessState()
        except (OSError, ValueError, KeyError, TypeError) as wrong:
            raise CommandError(
                f"{self.path} cannot be read, and a witness who forgot may sign a fork: {wrong}"
            ) from None

    def keep(self, state: StoredWitnessState) -> None:
        """Store the state durably."""
        record = state._asdict() | {"seen": [note.decode("utf-8") for note in state.seen[-SEEN:]]}
        durable.replace_file(self.path, json.dumps(record, ensure_ascii=False, indent=1).encode("utf-8"))

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold the state for this process; raise CommandError if another uses it."""
        with self.path.with_suffix(".lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise CommandError(
                    "another process is this witness already: two might sign what one would not"
                ) from None
            yield


def open_witness_home(path: Path) -> WitnessHome:
    """Read settings and key; raise CommandError if they are wrong."""
    folder = path.resolve().parent
    try:
        settings = read_settings(WitnessSettings, path, "pbem witness init")
        settings = settings.model_copy(update=with_mail_files(settings, folder))
        secret = read_key(folder / settings.witness.key)
    except Misconfigured as wrong:
        raise CommandError(str(wrong)) from None
    key, sign = make_signer(settings.witness.name, secret, COSIGNATURE)
    return WitnessHome(settings, key, sign, secret, folder / settings.witness.state)
