"""Months of play as text: who wrote what and when, and every letter that went out.

The first line of a file says its point. Then come parts::

    -- with ladder=standby --                    before anything: terms, zone, fog, a moderator's language
    -- in spain 2030-01-07T12:30Z --             a letter arrives; the clock is set, and what is due before is done
    -- in eve@players.example 2030-01-07T12:30Z --        the same from somebody without a seat, to the server's address
    -- in eve@players.example as moderator 2030-01-07T12:30Z --    the same to the moderator's address
    -- in false moderator 2030-01-07T12:30Z --   the same from the moderator's own, by its mail server's word not truly
    -- at 2030-01-08T20:00Z --                   the clock goes on, and what is due is done
    -- rule PROCESS T1.spain BECAUSE ... --      a ruling from the command line
    -- round 2030-01-08T20:10Z --                the beacon's round that is waited for has come out
    -- watch 2030-01-08T20:02Z --                the witness's program looks into his mailbox, and its answers arrive
    -- out morocco --                            what he was sent since the last part, letter by letter

Reports are cut down to their subject, what stands above their own title, and what a ruling adds below them. A code is
shown as ``********``; in a letter that stands for the code that its writer was sent last, and ``****address****`` for
the code that this address was sent. Writing a new story: leave the answers out, run ``python -m tests.sessions``, and
read them.
"""

from __future__ import annotations

import email.policy
import json
import re
from collections.abc import Callable, Sequence
from datetime import datetime
from email import message_from_bytes
from email.message import EmailMessage
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import structlog
from sqlmodel import select

from pbem.audit.signing import LogSecrets
from pbem.cli.rulebooks import game_by_name
from pbem.cli.witness_cosigner import Cosigner, MailServers, open_witness_home
from pbem.data import data
from pbem.letters.text import TextLetters
from pbem.mail.html import SENTINEL
from pbem.mail.smtp import Envelope, SmtpReply
from pbem.play import beacons, seating
from pbem.play.commands.table import founding
from pbem.play.rulings import appointment, ruling_lines
from pbem.runtime.clock import Pace
from pbem.runtime.limits import LIMITS
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import Server
from pbem.server import outbox_sender
from pbem.server.intake import ReceivedLetter
from pbem.server.mailbox_poller import take_and_commit
from pbem.server.scheduler import run_due_jobs
from pbem.store import tables
from tests.cli.test_witness import Mailbox
from tests.harness.clock import START_2030, Clock
from tests.harness.server import STORIES, make_once, open_server

SEATS = {"spain": ("ana@players.example", "es"), "morocco": ("idris@players.example", "en")}
MODERATOR = "mo@players.example"
WITNESS = "friend@players.example"
PEOPLE = {address: seat for seat, (address, _) in SEATS.items()} | {
    "op@games.example": "operator",
    MODERATOR: "moderator",
}
_PART = re.compile(r"^-- ((?:with|in|at|rule|round|watch|end|out) .+?) --\n", re.MULTILINE)
_CODE = re.compile(r"\b(CODE|CODIGO|CONFIRM|CONFIRMAR|second code:|segundo código:) ([a-z2-7]{8})\b")
_CODE_OF = re.compile(r"\*{4}([^*\s]+)\*{4}")
_TOKEN = re.compile(r"-[a-z2-7]{16}@")
_SENTINEL = re.compile(r"^##-.*-##$", re.MULTILINE)
_NONCE = re.compile(r"(T\d+) #\w{4}\b")


class Part(NamedTuple):
    """A part of a story: what its line says, and the text below it."""

    head: str
    text: str = ""


class Killed(BaseException):
    """The process ends here."""


FAR = LIMITS.with_changes({"deadline_days": 366})
"""A story may go from winter to autumn, where the clocks are changed."""


def read(path: Path) -> tuple[str, list[Part]]:
    """The point of a story and its parts."""
    head, *parts = _PART.split(path.read_text("utf-8"))
    return head.strip(), [Part(*pair) for pair in zip(parts[::2], parts[1::2], strict=True)]


def written(point: str, parts: list[Part]) -> str:
    return f"{point}\n" + "".join(f"-- {part.head} --\n{part.text}" for part in parts)


def play(parts: list[Part], killed: bool = False) -> list[Part]:
    """The same letters with what goes out now; with `killed` the process dies once within every transaction."""
    terms = {}
    if parts and parts[0].head.startswith("with "):
        terms = dict(word.split("=") for word in parts[0].head.split()[1:])
    with TemporaryDirectory() as folder:
        zone, moderator = terms.pop("zone", "UTC"), terms.pop("moderator", "")
        options = {"fog": terms.pop("fog", "off")}
        if event := terms.pop("event", ""):
            from tests.harness.tournament_session import TournamentSession

            scene: PlayedSession = TournamentSession(Path(folder), event, killed)
        else:
            scene = PlayedSession(Path(folder), Terms.from_words(terms), zone, options, killed)
        if moderator:
            scene.appoint(moderator)
        played: list[Part] = []
        for part in parts:
            if part.head.startswith("out "):
                continue
            played.append(part)
            if not part.head.startswith("with "):
                scene.do(part)
            played += scene.sent()
        scene.server.engine.dispose()
        return played


class PlayedSession:
    """A game of Castillejos that has begun, and what happens to it."""

    def __init__(self, folder: Path, terms: Terms, zone: str, options: dict[str, str], killed: bool) -> None:
        begun = make_once(folder, Begun, terms, zone, tuple(sorted(options.items())))
        self.server, self.addresses = begun.server, begun.addresses
        self.killed, self.uid = killed, 0
        self.codes: dict[str, str] = {}
        self.friend = Friend(folder, self.clock) if terms.beacon != "none" else None

    @property
    def clock(self) -> Clock:
        clock = self.server.clock
        assert isinstance(clock, Clock)
        return clock

    def appoint(self, language: str) -> None:
        with self.server.work() as work:
            self.addresses["moderator"] = appointment.appoint(
                work, appointment.Appointment(game="g1", email=MODERATOR, language=language)
            )

    def do(self, part: Part) -> None:
        word, rest = part.head.split(" ", 1)
        if word == "rule":
            self._twice(lambda on_step: self.rule(rest, on_step))
            return
        who, _, when = rest.rpartition(" ")
        self.clock.at = datetime.fromisoformat(when.replace("Z", "+00:00"))
        if word == "in":
            self.arrive(who, part.text)
        if word == "watch" and self.friend is not None:
            for raw in self.friend.answers():
                self._taken(raw)
        if word == "round":
            for chain, number in beacons.missing_rounds(self.server):
                beacons.store_beacon_round(self.server, chain, number, bytes(48), lambda *_: True)
        with self.server.session() as session:
            session.merge(tables.Poll(account="file", folder="", begun=self.clock.at))
        self._twice(lambda on_step: run_due_jobs(self.server, on_step))

    def rule(self, line: str, on_step: Callable[[str], None]) -> None:
        with self.server.work() as work:
            ruling_lines.make_ruling(work, "g1", ruling_lines.read_line(line))
            on_step("taken")

    def arrive(self, who: str, text: str) -> None:
        """A letter comes in; killed, it is found in the mailbox once more, and after that once again."""
        made = EmailMessage(policy=email.policy.SMTP)
        false, who = who.startswith("false "), who.removeprefix("false ")
        who, _, moderator = who.partition(" as ")
        if false:
            made["Authentication-Results"] = "mx.games.example; dkim=fail header.d=players.example"
        made["From"] = MODERATOR if who == "moderator" else SEATS[who][0] if who in SEATS else who
        made["To"] = self._address(moderator or who)
        made["Subject"], made["Date"] = "orders", self.clock.at
        made["Message-ID"] = f"<{self.uid}@players.example>"
        text = _CODE_OF.sub(lambda match: self.codes[match[1]], text)
        made.set_content(text.replace("********", self.codes.get(who, "aaaaaaaa")))
        self._taken(made.as_bytes())

    def _taken(self, raw: bytes) -> None:
        received = ReceivedLetter("file", "", 1, self.uid, self.clock.at, raw)
        self.uid += 1
        self._twice(lambda on_step: take_and_commit(self.server, received, on_step))
        if self.killed:
            assert take_and_commit(self.server, received).verdict == "known"

    def sent(self, whole: bool = False) -> list[Part]:
        """All letters that wait, by reader in the order in which they were queued; they count as sent.

        Reports are cut down, unless they are wanted `whole`.
        """
        with self.server.session() as session:
            rows = session.exec(select(tables.Outbox).where(tables.Outbox.state == "queued")).all()
            for row in rows:
                row.state = "sent"
                session.add(row)
        codes: dict[str, list[str]] = {}
        for row in sorted(rows, key=lambda row: row.id or 0):
            codes.setdefault(PEOPLE.get(row.recipient, row.recipient), []).append(self._shown(row, whole))
        return [Part(f"out {who}", "".join(letters)) for who, letters in sorted(codes.items())]

    def _twice(self, run: Callable[[Callable[[str], None]], Any]) -> None:
        """Run something; killed, once more after it was cut off and nothing of it was left."""
        if self.killed:
            before = self._waiting()
            try:
                run(_kill)
            except Killed:
                assert self._waiting() == before
        run(lambda point: None)

    def _waiting(self) -> list[str]:
        with self.server.session() as session:
            return list(session.exec(select(tables.Outbox.message_id).where(tables.Outbox.state == "queued")))

    def _address(self, seat: str) -> str:
        """Where letters of a seat or of the moderator go now, if their writer knows it; else the server's address."""
        if seat not in SEATS:
            return self.addresses.get(seat, "pbem@games.example")
        with self.server.session() as session:
            row = session.exec(select(tables.Seat).where(tables.Seat.name == seat)).one()
            return self.server.seat_address(row) if row.person_id is None else self.addresses[seat]

    def _shown(self, row: tables.Outbox, whole: bool) -> str:
        """The letter as it is mailed, without what is different each time; of a report what stands above it."""
        (raw,) = outbox_sender.render(self.server, [row.message_id])
        if row.recipient == WITNESS and self.friend is not None:
            self.friend.mailbox.put(raw)
        letter = message_from_bytes(raw, policy=email.policy.default)
        body = letter.get_body(("plain",))
        text = "" if body is None else str(body.get_content()).replace("\r\n", "\n")
        if row.kind == "report" and not whole:
            text = _without_report(row)
        who = PEOPLE.get(row.recipient, row.recipient)
        for _, code in _CODE.findall(text):
            self.codes[who] = code
        text = _NONCE.sub(r"\1 #NONCE", _TOKEN.sub("-TOKEN@", _CODE.sub(r"\1 ********", text)))
        files = "".join(f"\n(attached: {part.get_filename()})" for part in letter.iter_attachments())
        return f"[{letter['Subject']}]\n{_SENTINEL.sub('', text).strip()}{files}\n\n"


def open_session_server(folder: Path, secrets: LogSecrets) -> Server:
    """Open the server over the database in a folder, with the real games and wording."""
    return open_server(
        folder,
        TextLetters(SENTINEL),
        clock=Clock(START_2030),
        games=game_by_name,
        key=b"k" * 32,
        secrets=secrets,
        authserv_id="mx.games.example",
        limits=FAR,
    )


class Begun:
    """A game that has begun, its first letters sent, and the addresses of its seats."""

    def __init__(self, folder: Path, terms: Terms, zone: str, options: tuple[tuple[str, str], ...]) -> None:
        self.server, self.addresses = open_session_server(folder, STORIES), dict[str, str]()
        with self.server.work() as work:
            founding.new_game(
                work,
                founding.NewGame(
                    name="g1",
                    game="africa1860",
                    scenario="castillejos",
                    options=dict(options),
                    pace=Pace(zone, hour=20),
                    terms=terms,
                ),
            )
        for seat, (who, language) in SEATS.items():
            with self.server.work() as work:
                self.addresses[seat] = seating.invite_seat(
                    work, seating.Invitation(game="g1", seat=seat, email=who, language=language)
                )
        with self.server.work() as work:
            founding.start_game(work, "g1")
        with self.server.session() as session:
            for row in session.exec(select(tables.Outbox)):
                row.state = "sent"


def _without_report(row: tables.Outbox) -> str:
    """Return the text of a report letter without the report itself and the order form."""
    letter = json.loads(row.model)
    bare = {**letter, "title": letter["report"]["title"], "report": None, "template": []}
    return TextLetters(SENTINEL).letter(bare, row.language)


class Friend:
    """A witness with the real program, whose mailbox is in memory."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        self.mailbox, self.sent = Mailbox(), list[bytes]()
        path = folder / "witness.toml"
        if not path.exists():
            text = data("config", "witness.toml").read_text("utf-8")
            path.write_text(
                text.replace("friend@example.net", WITNESS).replace("pbem@example.org", "pbem@games.example")
            )
            (folder / "witness.key").write_text("77" * 32)
            (folder / "witness.key").chmod(0o600)
        self.one = Cosigner(
            open_witness_home(path), MailServers(self.mailbox, self.send), clock, structlog.get_logger()
        )

    def send(self, letters: Sequence[Envelope]) -> Sequence[SmtpReply]:
        self.sent += [letter.raw for letter in letters]
        return [SmtpReply(250, "", "sent", "data") for _ in letters]

    def answers(self) -> list[bytes]:
        self.sent.clear()
        self.one.step()
        return self.sent


def _kill(point: str) -> None:
    """Die while the transaction of a letter or of a row that is due is still open."""
    if point in ("taken", "closing"):
        raise Killed
