"""Watch a log by letter: each checkpoint is cosigned if it goes on from the last, or refused.

The order is the whole of it: what is signed is kept before the answer leaves, the answer leaves before the letter is
counted as read. After a crash in between the letter is read again, and gets the same answer. The watch looks into the
mailbox again and again, whatever fails.
"""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import json
import logging
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

from pbem.audit import sees, signing, witness, witnessing
from pbem.audit.blocks import Malformed
from pbem.audit.note import COSIGNATURE, ED25519, Key, Sign, decode64, encode64, parse_key
from pbem.audit.signing import signer
from pbem.audit.witness import FILE, Proven, ShownList, WitnessAnswer, WitnessRefusal, WitnessRequest
from pbem.audit.witnessing import HeldList, WitnessResult, WitnessState
from pbem.cli.exit_codes import FINDING, FINE, Stop
from pbem.cli.log_output import Log, open_log
from pbem.cli.mail_servers import imap_settings, smtp_settings
from pbem.cli.setting_files import Misconfigured, read_key, read_settings
from pbem.cli.settings import Mailing, Section, SystemClock, authorities
from pbem.mail.address import OwnAddresses, author_address, base_address, check_address
from pbem.mail.attached import attached
from pbem.mail.imap import Fetched, ImapMailbox, MailboxDown, backoff
from pbem.mail.inbound import read_header
from pbem.mail.mime import read_fields
from pbem.mail.outbound import Matter, OutgoingLetter, compose, message_id
from pbem.mail.smtp import Envelope, Reply, send_all
from pbem.runtime.clock import Clock
from pbem.store import durable
from pbem.store.durable import Unwritten

POINTS = ("looked", "kept", "sent", "read")
"""Where a letter is: judged; what was signed is written down; the answer was taken; it will not be read again."""

FIRST = 200
"""Letters that lie in a mailbox when it is looked into for the first time: the last so many of them."""
_BIGGEST = 65_536
_HOUR = 3600
_ALARMS = ("fork", "smaller", "doubled")


class WatchedMailbox(Protocol):
    """What `pbem.mail.imap.ImapMailbox` does of which a witness makes use."""

    uidvalidity: int

    @property
    def connected(self) -> bool:
        """Whether it can be asked."""
        ...

    def connect(self) -> None:
        """Log in; MailboxDown."""
        ...

    def arrived(self, after_uid: int = 0, /) -> list[int]:
        """The letters that are there; MailboxDown."""
        ...

    def fetch_new(self, after_uid: int, /) -> list[Fetched]:
        """The letters behind one; MailboxDown."""
        ...

    def wait(self, seconds: float, /) -> bool:
        """Wait for a letter, so long at most; MailboxDown."""
        ...


class Post(NamedTuple):
    """The way in, and the way out."""

    mailbox: WatchedMailbox
    send: Callable[[Sequence[Envelope]], Sequence[Reply]]


class Step(NamedTuple):
    """What one look into the mailbox gave: letters answered, why any was refused, and whether the weather was bad."""

    answered: int = 0
    refused: tuple[str, ...] = ()
    down: str = ""


class _Wanted(NamedTuple):
    """A letter of the server: what it shows, where the answer goes, its own name."""

    asked: WitnessRequest
    reply_to: str
    name: str


class _NotTaken(Exception):
    """The answer could not be handed in now."""


class Cosigner:
    """A witness at work. `at` is told each point that a letter reaches."""

    def __init__(
        self, home: Home, post: Post, clock: Clock, log: Log, at: Callable[[str], None] = lambda point: None
    ) -> None:
        self.home, self.mailbox, self.send, self.clock, self.log, self.at = home, *post, clock, log, at
        self.state, self.lists = home.load(), home.lists()

    def step(self) -> Step:
        """Look into the mailbox once; never raises for bad weather."""
        answered, refused = 0, []
        try:
            if not self.mailbox.connected:
                self.mailbox.connect()
            for letter in self.mailbox.fetch_new(self._begin()):
                wanted = self._wanted(letter)
                if wanted is not None:
                    if not self._may_answer():
                        break
                    found = self._answer(letter, wanted)
                    answered += found is not None
                    refused += [found.why] if isinstance(found, WitnessRefusal) and found.why in _ALARMS else []
                self.state = self.state._replace(uid=letter.uid)
        except (MailboxDown, _NotTaken) as weather:
            self.home.keep(self.state)
            return Step(answered, tuple(refused), str(weather))
        self.home.keep(self.state)
        self.at("read")
        return Step(answered, tuple(refused))

    def _begin(self) -> int:
        """The last letter that was read; of a mailbox that is new here, one a little before its end."""
        if self.state.uidvalidity != self.mailbox.uidvalidity:
            uids = self.mailbox.arrived()
            first = uids[-FIRST - 1] if len(uids) > FIRST else 0
            self.state = self.state._replace(uidvalidity=self.mailbox.uidvalidity, uid=first)
        return self.state.uid

    def _wanted(self, letter: Fetched) -> _Wanted | None:
        """What a letter of the server shows; None for any other letter, of which nothing is said."""
        if letter.too_big or len(letter.raw) > _BIGGEST:
            return None
        server = self.home.told.witness.server.casefold()
        local, _, domain = server.rpartition("@")
        head = read_header(letter.raw, OwnAddresses(local, domain))
        reply_to = author_address(read_fields(letter.raw).first("reply-to"))
        if head.sender != server or base_address(reply_to) != server:
            return None
        text = attached(letter.raw, FILE, witness.LONGEST)
        try:
            asked = witness.parse(text) if text is not None else None
        except Malformed as wrong:
            self.log.warning("a letter of the server cannot be read", uid=letter.uid, why=str(wrong))
            return None
        return _Wanted(asked, reply_to, head.message_id) if isinstance(asked, WitnessRequest) else None

    def _may_answer(self) -> bool:
        now = int(self.clock.now().timestamp())
        lately = tuple(at for at in self.state.sent if now - _HOUR < at <= now)
        self.state = self.state._replace(sent=lately)
        if len(lately) < self.home.told.witness.answers_an_hour:
            return True
        self.log.warning("as many letters as within an hour were answered; the others wait", answered=len(lately))
        return False

    def _answer(self, letter: Fetched, wanted: _Wanted) -> WitnessAnswer | WitnessRefusal | None:
        """Judge what a letter shows, keep what is signed, and answer it; None if it was not worth an answer."""
        pinned, shown = self._log(), wanted.asked
        if pinned is not None and pinned != shown.log:
            self.log.error("a letter names another log than the one that is watched", named=shown.log.text)
            return None
        now = int(self.clock.now().timestamp())
        try:
            by = witnessing.Witness(self.home.key, self.home.sign, signing.verify)
            found = witnessing.look(shown, WitnessState(self.state.seen, self.lists.find), by, now)
        except Malformed as wrong:
            self.log.warning("a letter shows what the log has not signed", uid=letter.uid, why=str(wrong))
            return None
        self.at("looked")
        answer, state = witnessing.answer(found, self.home.key), self.state._replace(log=shown.log.text)
        if isinstance(found, WitnessResult):
            self.lists.keep(found.new)
            if found.note not in state.seen:
                state = state._replace(seen=(*state.seen, found.note)[-SEEN:])
        self.state = state._replace(sent=(*state.sent, now))
        self.home.keep(self.state)
        self.at("kept")
        self._send(letter, wanted, answer)
        self.at("sent")
        return answer

    def _log(self) -> Key | None:
        """The key of the log that is watched: as the settings have it, else as the first letter had it."""
        text = self.home.told.witness.log or self.state.log
        return parse_key(text) if text else None

    def _send(self, letter: Fetched, wanted: _Wanted, answer: WitnessAnswer | WitnessRefusal) -> None:
        own = self.home.told.witness.address
        raw = self._composed(letter, wanted, answer)
        # A refusal is told to the witness himself too: the server may have reasons to keep it to itself.
        alarm = isinstance(answer, WitnessRefusal) and answer.why in _ALARMS
        replies = self.send([Envelope(own, to, raw) for to in (wanted.reply_to, *([own] if alarm else []))])
        size = answer.size if isinstance(answer, WitnessAnswer) else 0
        if isinstance(answer, WitnessRefusal):
            (self.log.error if alarm else self.log.warning)(
                "NOT COSIGNED", why=_WHY[answer.why], held=answer.note.decode()
            )
        if any(reply.verdict == "again" for reply in replies):
            raise _NotTaken(f"the answer was not taken: {replies[0].code} {replies[0].text}")
        if any(reply.verdict == "failed" for reply in replies):
            self.log.error("the answer was refused", code=replies[0].code, text=replies[0].text)
        elif size:
            self.log.info("cosigned", leaves=size)

    def _composed(self, letter: Fetched, wanted: _Wanted, answer: WitnessAnswer | WitnessRefusal) -> bytes:
        """The answer, the same bytes for the same letter every time."""
        told, text = self.home.told.witness, witness.write(answer).decode("ascii")
        if isinstance(answer, WitnessAnswer):
            subject = f"Witness: {answer.size} leaves seen"
            said = f"I have seen {answer.size} leaves, and cosigned them."
            date = datetime.fromtimestamp(answer.at, UTC)
            if answer.sees:
                closes = len(sees.read(answer.sees).said.closes)
                said += f"\nOf {closes} closed lists I was shown the leaf, and I have seen no other of their segments."
        else:
            subject, said = f"WITNESS REFUSES: {answer.why}", f"{_WHY[answer.why]}. What I hold is attached."
            date = letter.internaldate
        kind = "saw" if isinstance(answer, WitnessAnswer) else "refuses"
        domain = told.address.rpartition("@")[2]
        key = hashlib.sha256(b"pbem/witness/message-id" + self.home.secret).digest()
        name = message_id(key, Matter("witness", "", kind, "", f"{wanted.name} {text}"), domain)
        return compose(
            OutgoingLetter(
                message_id=name,
                sender=told.address,
                recipient=wanted.reply_to,
                subject=subject,
                text=f"{said}\n\n{told.name}\n",
                date=date,
                in_reply_to=wanted.name,
                auto_submitted="auto-replied",
                loop=told.address,
                attachments=((FILE, text),),
            )
        )


_WHY = {
    "fork": "This log is not the one that I have seen before: it was forked",
    "smaller": "This log is smaller than the one that I have seen: leaves were taken out of it",
    "gap": "This letter does not begin at the log that I hold",
    "doubled": "This log closed one segment with two lists: both are attached, each in a tree that it has signed",
}


def watch(one: Cosigner, poll: float, once: bool, rest: Callable[[float], None] = time.sleep) -> int:
    """Look into the mailbox once, or again and again; FINDING as soon as a log was forked or made smaller.

    Stop if the only look came to nothing.
    """
    failures = 0
    while True:
        step = one.step()
        if step.refused:
            return FINDING
        if once and step.down:
            raise Stop(f"the mail servers are out of reach: {step.down}")
        if once:
            return FINE
        if step.down:
            wait = backoff(failures, 0.0)
            one.log.warning("mail servers out of reach", why=step.down, retry_in=wait)
            rest(wait)
            failures += 1
            continue
        failures = 0
        with suppress(MailboxDown):
            one.mailbox.wait(poll)


def watch_server(config: Path, once: bool, clock: Clock | None = None) -> int:
    """Watch with what the settings say, until a log is forked or somebody ends it; the exit code.

    The machine's own clock is looked at, unless another is named.
    """
    home = open_home(config)
    log, found, smtp = open_log(home.told.log.format, logging.INFO), imap_settings(home.told), smtp_settings(home.told)
    # Nothing is ever moved, so that no folder for it has to be made.
    mailbox = ImapMailbox(replace(found, processed=found.folder, poison=found.folder))
    with home.alone():
        post = Post(mailbox, lambda letters: asyncio.run(send_all(smtp, letters)))
        one = Cosigner(home, post, clock or SystemClock(), log)
        log.info("watching", server=home.told.witness.server, name=home.told.witness.name)
        try:
            return watch(one, home.told.imap.poll, once)
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


class Lists:
    """The lists in a file, which is read once: in memory is only where each of them stands in it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._places: dict[Where, int] = {}
        self._end = 0
        try:
            with path.open("rb") as file:
                for line in file:
                    if not line.endswith(b"\n"):
                        break
                    self._places[sees.list_of(_read(line).proven.shown.data).where] = self._end
                    self._end += len(line)
        except FileNotFoundError:
            pass
        except (OSError, ValueError, KeyError, TypeError) as wrong:
            raise Stop(f"{path} cannot be read, and a witness who forgot may see a second list: {wrong}") from None

    def find(self, where: Where) -> HeldList | None:
        """The list of a segment, if one was seen."""
        place = self._places.get(where)
        if place is None:
            return None
        with self.path.open("rb") as file:
            file.seek(place)
            return _read(file.readline())

    def keep(self, new: Iterable[HeldList]) -> None:
        """Write lists down for good; Unwritten if that cannot be, and then none of them is kept."""
        lines = [(sees.list_of(one.proven.shown.data).where, _line_of(one)) for one in new]
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
            raise Unwritten(wrong.errno, wrong.strerror, str(self.path)) from wrong
        for where, line in lines:
            self._places[where] = self._end
            self._end += len(line)


def _line_of(one: HeldList) -> bytes:
    shown = one.proven.shown
    told = {
        "at": one.at,
        "number": shown.at,
        "leaf": encode64(shown.data),
        "path": [encode64(part) for part in shown.path],
        "note": one.proven.note.decode("utf-8"),
    }
    return json.dumps(told, ensure_ascii=False).encode("utf-8") + b"\n"


def _read(line: bytes) -> HeldList:
    told = json.loads(line)
    shown = ShownList(told["number"], decode64(told["leaf"]), tuple(decode64(part) for part in told["path"]))
    return HeldList(told["at"], Proven(shown, told["note"].encode("utf-8")))


SEEN = 64
"""So many of the trees that were cosigned last are kept: a letter that comes twice is answered twice alike."""


def _name(text: str) -> str:
    try:
        if not text.isascii() or not text.isprintable():
            raise Malformed("it is not plain ASCII")
        parse_key(Key(text, bytes(32), COSIGNATURE).text)
    except Malformed:
        raise ValueError("a name is ASCII without blanks and plus; one is example.net/friend") from None
    return text


def _log_key(text: str) -> str:
    try:
        if text and parse_key(text).kind != ED25519:
            raise Malformed("it is of another kind")
    except Malformed as wrong:
        raise ValueError(f"not the key of a log: {wrong}") from None
    return text


class Witness(Section):
    """Who the witness is, whom he watches, and where his things lie."""

    name: Annotated[str, AfterValidator(_name)]
    address: Annotated[str, AfterValidator(check_address)]
    server: Annotated[str, AfterValidator(check_address)]
    log: Annotated[str, AfterValidator(_log_key)] = ""
    key: Path = Path("witness.key")
    state: Path = Path("witness.json")
    answers_an_hour: Annotated[int, Field(ge=1, le=100_000)] = 60


class Witnessing(Mailing):
    """Everything a witness is told."""

    model_config = SettingsConfigDict(env_prefix="PBEM_WITNESS_")

    witness: Witness


class State(NamedTuple):
    """What a witness has done: the log's key, the notes that he cosigned (the newest last), and how far he has read.

    `sent` are the unix seconds of the answers of the last hour.
    """

    log: str = ""
    seen: tuple[bytes, ...] = ()
    uidvalidity: int = 0
    uid: int = 0
    sent: tuple[int, ...] = ()


class Home(NamedTuple):
    """Settings, key, and where the state is kept."""

    told: Witnessing
    key: Key
    sign: Sign
    secret: bytes
    path: Path

    def lists(self) -> Lists:
        """The closed lists that were seen, in a file beside the state; Stop if it cannot be read."""
        return Lists(self.path.with_suffix(".closes"))

    def load(self) -> State:
        """What was kept last; Stop if it cannot be read: to begin anew would be to forget what was signed."""
        try:
            found = json.loads(self.path.read_text("utf-8"))
            seen = tuple(one.encode("utf-8") for one in found["seen"])
            return State(found["log"], seen, found["uidvalidity"], found["uid"], tuple(found["sent"]))
        except FileNotFoundError:
            return State()
        except (OSError, ValueError, KeyError, TypeError) as wrong:
            raise Stop(f"{self.path} cannot be read, and a witness who forgot may sign a fork: {wrong}") from None

    def keep(self, state: State) -> None:
        """Write it down for good."""
        told = state._asdict() | {"seen": [one.decode("utf-8") for one in state.seen[-SEEN:]]}
        durable.put(self.path, json.dumps(told, ensure_ascii=False, indent=1).encode("utf-8"))

    @contextmanager
    def alone(self) -> Iterator[None]:
        """While the block runs no other process uses this state; Stop if one does."""
        with self.path.with_suffix(".lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise Stop("another process is this witness already: two might sign what one would not") from None
            yield


def open_home(path: Path) -> Home:
    """Read settings and key; Stop says what is wrong with them."""
    folder = path.resolve().parent
    try:
        told = read_settings(Witnessing, path, "pbem witness init")
        told = told.model_copy(update=authorities(told, folder))
        secret = read_key(folder / told.witness.key)
    except Misconfigured as wrong:
        raise Stop(str(wrong)) from None
    key, sign = signer(told.witness.name, secret, COSIGNATURE)
    return Home(told, key, sign, secret, folder / told.witness.state)
