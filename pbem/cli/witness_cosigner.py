"""Watch a log by letter: each checkpoint is cosigned if it goes on from the last, or refused.

The order is the whole of it: what is signed is kept before the answer leaves, the answer leaves before the letter is
counted as read. After a crash in between the letter is read again, and gets the same answer. The watch looks into the
mailbox again and again, whatever fails.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple, Protocol

from pbem.audit import sees, signing, witness, witnessing
from pbem.audit.blocks import Malformed
from pbem.audit.note import Key, parse_key
from pbem.audit.witness import FILE, Asked, Refused, Saw
from pbem.audit.witnessing import Held, Looked, Witness
from pbem.cli.clocks import SystemClock
from pbem.cli.exit_codes import FINDING, FINE, Stop
from pbem.cli.log_output import Log, open_log
from pbem.cli.mail_servers import imap_settings, smtp_settings
from pbem.cli.witness_home import SEEN, Home, open_home
from pbem.mail.address import OwnAddresses, author_address, base_address
from pbem.mail.attached import attached
from pbem.mail.imap import Fetched, ImapMailbox, MailboxDown, backoff
from pbem.mail.inbound import read_header
from pbem.mail.mime import read_fields
from pbem.mail.outbound import Matter, OutgoingLetter, compose, message_id
from pbem.mail.smtp import Envelope, Reply, send_all
from pbem.runtime.clock import Clock

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

    asked: Asked
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
                    refused += [found.why] if isinstance(found, Refused) and found.why in _ALARMS else []
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
        return _Wanted(asked, reply_to, head.message_id) if isinstance(asked, Asked) else None

    def _may_answer(self) -> bool:
        now = int(self.clock.now().timestamp())
        lately = tuple(at for at in self.state.sent if now - _HOUR < at <= now)
        self.state = self.state._replace(sent=lately)
        if len(lately) < self.home.told.witness.answers_an_hour:
            return True
        self.log.warning("as many letters as within an hour were answered; the others wait", answered=len(lately))
        return False

    def _answer(self, letter: Fetched, wanted: _Wanted) -> Saw | Refused | None:
        """Judge what a letter shows, keep what is signed, and answer it; None if it was not worth an answer."""
        pinned, shown = self._log(), wanted.asked
        if pinned is not None and pinned != shown.log:
            self.log.error("a letter names another log than the one that is watched", named=shown.log.text)
            return None
        now = int(self.clock.now().timestamp())
        try:
            by = Witness(self.home.key, self.home.sign, signing.verify)
            found = witnessing.look(shown, Held(self.state.seen, self.lists.find), by, now)
        except Malformed as wrong:
            self.log.warning("a letter shows what the log has not signed", uid=letter.uid, why=str(wrong))
            return None
        self.at("looked")
        answer, state = witnessing.answer(found, self.home.key), self.state._replace(log=shown.log.text)
        if isinstance(found, Looked):
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

    def _send(self, letter: Fetched, wanted: _Wanted, answer: Saw | Refused) -> None:
        own = self.home.told.witness.address
        raw = self._composed(letter, wanted, answer)
        # A refusal is told to the witness himself too: the server may have reasons to keep it to itself.
        alarm = isinstance(answer, Refused) and answer.why in _ALARMS
        replies = self.send([Envelope(own, to, raw) for to in (wanted.reply_to, *([own] if alarm else []))])
        size = answer.size if isinstance(answer, Saw) else 0
        if isinstance(answer, Refused):
            (self.log.error if alarm else self.log.warning)(
                "NOT COSIGNED", why=_WHY[answer.why], held=answer.note.decode()
            )
        if any(reply.verdict == "again" for reply in replies):
            raise _NotTaken(f"the answer was not taken: {replies[0].code} {replies[0].text}")
        if any(reply.verdict == "failed" for reply in replies):
            self.log.error("the answer was refused", code=replies[0].code, text=replies[0].text)
        elif size:
            self.log.info("cosigned", leaves=size)

    def _composed(self, letter: Fetched, wanted: _Wanted, answer: Saw | Refused) -> bytes:
        """The answer, the same bytes for the same letter every time."""
        told, text = self.home.told.witness, witness.write(answer).decode("ascii")
        if isinstance(answer, Saw):
            subject = f"Witness: {answer.size} leaves seen"
            said = f"I have seen {answer.size} leaves, and cosigned them."
            date = datetime.fromtimestamp(answer.at, UTC)
            if answer.sees:
                closes = len(sees.read(answer.sees).said.closes)
                said += f"\nOf {closes} closed lists I was shown the leaf, and I have seen no other of their segments."
        else:
            subject, said = f"WITNESS REFUSES: {answer.why}", f"{_WHY[answer.why]}. What I hold is attached."
            date = letter.internaldate
        kind = "saw" if isinstance(answer, Saw) else "refuses"
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
