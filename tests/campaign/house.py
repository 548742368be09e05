"""A house to test in: a database on disk, a clock that is set, letters in plain English, a mailbox in a folder."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from sqlalchemy import Engine
from sqlmodel import select

from pbem.audit.signing import secrets_of
from pbem.campaign.base.clock import Pace
from pbem.campaign.base.server import Server
from pbem.campaign.base.terms import Terms
from pbem.campaign.commands.questions import odds
from pbem.campaign.commands.table import founding
from pbem.campaign.door.due import tick
from pbem.campaign.door.intake import Outcome, Received
from pbem.campaign.door.listeners import LISTENERS
from pbem.campaign.door.pump import take_in
from pbem.campaign.people import seating
from pbem.core.data.messages import Msg, plain
from pbem.core.game import Game
from pbem.mail import mime
from pbem.mail.imap import Fetched, ImapSettings, MailboxDown, Waiting
from pbem.store import migrations, tables
from pbem.store.engine import open_engine
from tests.campaign import toygame

KEY = bytes(range(64))
LOG, DICE = b"l" * 32, b"dice of tests 470".ljust(32, b".")
"""Keys that nobody else has."""
SECRETS = secrets_of("games.example/pbem", LOG, DICE)
STUCK = secrets_of("games.example/pbem", LOG, b"dice of tests 728".ljust(32, b"."))
"""The same: with this key of the dice Ant is stuck at first, and Bee gets as far as Cat."""
STORIES = secrets_of("games.example/pbem", LOG, b"dice of tests 122".ljust(32, b"."))
SESSIONS = secrets_of("games.example/pbem", LOG, b"dice of tests 115".ljust(32, b"."))
"""The same for stories of Castillejos: with this key of the dice the assault on Cresta leaves somebody to retreat."""
CALM = Terms(reminder_hours=0)
START = datetime(2026, 5, 4, 12, tzinfo=UTC)  # a Monday
ANN, BOB = "ann@players.example", "bob@players.example"


def registry(name: str) -> Game:
    if name == "beacon":
        # The template of a game lies on the path of pytest alone; benches and drills, which come here too, play none.
        from beacon_game import GAME

        return GAME
    return toygame.registry(name)


class Hands:
    """A clock that stands still until it is set; kept in a file, so that a process begun later reads the same."""

    def __init__(self, path: Path) -> None:
        self.path = path
        if not path.exists():
            self.set(START)

    def now(self) -> datetime:
        return datetime.fromisoformat(self.path.read_text())

    def set(self, moment: datetime) -> datetime:
        self.path.write_text(moment.isoformat())
        return moment

    def forward(self, **much: float) -> datetime:
        return self.set(self.now() + timedelta(**much))


class PlainLetters:
    """Letters as a list of everything they hold, in English."""

    def subject(self, letter: Any, language: str) -> str:
        return plain(Msg.from_json(letter["subject"]))

    def letter(self, letter: Any, language: str, aloud: bool = False) -> str:
        lines = [f"kind: {letter['kind']} ({language}{', aloud' if aloud else ''})", *map(said, letter["opening"])]
        if letter["report"]:
            lines += [f"#{n} {said(e['text'])} [{e['rule']}]" for n, e in enumerate(letter["report"]["entries"], 1)]
        for error in letter["errors"]:
            lines += [f"line {error['line']}: {error['text']}", " " * error["column"] + "^" * error["width"]]
            lines += [f"{said(error['why'])} [{error['rule']}] {error['suggestions']}"]
        lines += [f"warning, line {w['line']}: {said(w['why'])}" for w in letter["warnings"]]
        for block in letter["blocks"]:
            lines += [said(block["title"]) + ":", *map(shown, block["lines"])]
        return "\n".join([*lines, *map(said, letter["closing"]), *letter["template"]]) + "\n"

    def page(self, letter: Any, language: str) -> str:
        return f"<pre>{self.letter(letter, language)}</pre>\n"


def shown(line: Any) -> str:
    if isinstance(line, dict):
        return said(line)
    return line if isinstance(line, str) else "  " * line[0] + said(line[1])


def said(value: Any) -> str:
    return plain(Msg.from_json(value))


def open_server(folder: Path, renderer: Any = None, engine: Engine | None = None) -> Server:
    """The server over the database in a folder, which is made if there is none, or over another one."""
    if engine is None:
        database = folder / "pbem.db"
        if not database.exists():
            database.write_bytes(empty_database())
        engine = open_engine(f"sqlite:///{database}")
    clock = Hands(folder / "clock")
    letters = renderer or PlainLetters()
    return Server(
        engine, registry, clock, letters, KEY, "pbem", "games.example", "op@games.example", SECRETS, LISTENERS
    )


@cache
def empty_database() -> bytes:
    """A database fresh from the migrations, which are run once for all tests."""
    with TemporaryDirectory() as folder:
        engine = open_engine(f"sqlite:///{folder}/pbem.db")
        migrations.upgrade(engine)
        engine.dispose()
        return Path(folder, "pbem.db").read_bytes()


class Plan(NamedTuple):
    """What a game is begun with: all that tells one beginning from another."""

    scenario: str
    started: bool
    terms: Terms
    game: str
    options: tuple[tuple[str, str], ...]
    pace: tuple[tuple[str, Any], ...]


class House:
    """The server and what a test does with it; games begun alike are begun once and copied."""

    def __init__(
        self,
        folder: Path,
        scenario: str = "turns",
        started: bool = True,
        terms: Terms = CALM,
        engine: Engine | None = None,
        game: str = "toy",
        options: Mapping[str, str] | None = None,
        **pace: Any,
    ) -> None:
        self.folder = folder
        self.uid = 0
        plan = Plan(scenario, started, terms, game, tuple((options or {}).items()), tuple(pace.items()))
        if engine is None and not any(folder.iterdir()):
            database, addresses = begun(plan)
            (folder / "pbem.db").write_bytes(database)
            self.server, self.addresses = open_server(folder), dict(addresses)
        else:
            self.server = open_server(folder, engine=engine)
            self.addresses = begin(self.server, plan)
        if started:
            self.sent()

    @property
    def clock(self) -> Hands:
        clock = self.server.clock
        assert isinstance(clock, Hands)
        return clock

    def invite(self, seat: str, email: str, **more: str) -> str:
        with self.server.work() as work:
            self.addresses[seat] = seating.invite_seat(
                work, seating.Invitation(game="g1", seat=seat, email=email, **more)
            )
        return self.addresses[seat]

    def write(self, seat: str, text: str, **headers: Any) -> Outcome:
        """A letter from a seat's player comes in now."""
        sender = {"north": ANN, "south": BOB}[seat]
        return self.receive(mail(sender, self.addresses[seat], text, **{"Date": self.clock.now(), **headers}))

    def receive(self, raw: bytes, uid: int | None = None, at: datetime | None = None) -> Outcome:
        if uid is None:
            self.uid += 1
            uid = self.uid
        return take_in(self.server, Received("box", "INBOX", 1, uid, at or self.clock.now(), raw))

    def poll(self) -> None:
        """A poll of the mailbox that found nothing more, begun now."""
        with self.server.session() as session:
            session.merge(tables.Poll(account="box", folder="INBOX", begun=self.clock.now()))

    def tick(self) -> int:
        self.poll()
        return tick(self.server)

    def sent(self) -> list[tables.Outbox]:
        """The letters queued since the last call, in order; they count as sent."""
        with self.server.session() as session:
            rows = session.exec(
                select(tables.Outbox).where(tables.Outbox.state == "queued").order_by(tables.Outbox.id)  # type: ignore[arg-type]
            ).all()
            for row in rows:
                row.state = "sent"
        return list(rows)

    def answer(self) -> str:
        """The one letter queued since the last call, as text."""
        (row,) = self.sent()
        (letter,) = odds.fulfil(self.server, [json.loads(row.model)])
        return PlainLetters().letter(letter, row.language)

    def all(self, table: Any) -> list[Any]:
        with self.server.session() as session:
            return list(session.exec(select(table)).all())

    def game(self) -> tables.Game:
        (game,) = self.all(tables.Game)
        assert isinstance(game, tables.Game)
        return game


@cache
def begun(plan: Plan) -> tuple[bytes, dict[str, str]]:
    """The database of a game that has been begun at START, its first letters unsent, and the addresses of its seats."""
    with TemporaryDirectory() as folder:
        server = open_server(Path(folder))
        addresses = begin(server, plan)
        server.engine.dispose()
        return Path(folder, "pbem.db").read_bytes(), addresses


def begin(server: Server, plan: Plan) -> dict[str, str]:
    """Make the game and, if it is to be started, invite both players, whose addresses are returned."""
    with server.work() as work:
        founding.new_game(
            work,
            founding.NewGame(
                name="g1",
                game=plan.game,
                scenario=plan.scenario,
                options=dict(plan.options),
                pace=Pace(**{"hour": 20} | dict(plan.pace)),
                terms=plan.terms,
            ),
        )
    if not plan.started:
        return {}
    addresses = {}
    for seat, email in (("north", ANN), ("south", BOB)):
        with server.work() as work:
            addresses[seat] = seating.invite_seat(work, seating.Invitation(game="g1", seat=seat, email=email))
    with server.work() as work:
        founding.start_game(work, "g1")
    return addresses


def text_of(row: tables.Outbox) -> str:
    return PlainLetters().letter(json.loads(row.model), row.language)


COUNT = iter(range(1, 1_000_000))


def mail(sender: str, recipient: str, text: str, **headers: Any) -> bytes:
    """A letter as bytes; every one has a Message-ID of its own unless one is given."""
    given: dict[str, Any] = {
        "From": sender,
        "To": recipient,
        "Subject": "orders",
        "Message-ID": f"<{next(COUNT)}@players.example>",
    }
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    if isinstance(given.get("Date"), datetime):
        given["Date"] = given["Date"].strftime("%a, %d %b %Y %H:%M:%S +0000")
    given |= {"MIME-Version": "1.0", "Content-Type": "text/plain; charset=utf-8", "Content-Transfer-Encoding": "8bit"}
    head = "".join(f"{name}: {value}\n" for name, value in given.items() if value is not None)
    return (head + "\n" + text).replace("\n", "\r\n").encode("utf-8")


class FolderMailbox:
    """A mailbox whose folders are directories, so that it outlives the process that reads it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.settings = ImapSettings(host="mail.example", port=1, user="pbem", password="x")
        self.connected = False
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
        self.connected = True

    def arrived(self, after_uid: int = 0) -> list[int]:
        self._weather()
        return [uid for uid in self.uids("INBOX") if uid > after_uid]

    def look(self, uids: Sequence[int]) -> list[Waiting]:
        self._weather()
        at = Hands(self.root.parent / "clock").now()
        found = [(uid, self._raw(uid)) for uid in uids if uid in self.uids("INBOX")]
        return [Waiting(uid, len(raw), at, mime.header(raw)) for uid, raw in found]

    def fetch(self, letters: Sequence[Waiting]) -> list[Fetched]:
        self._weather()
        there = [letter for letter in letters if letter.uid in self.uids("INBOX")]
        return [Fetched(one.uid, self.uidvalidity, one.internaldate, self._raw(one.uid), one.size) for one in there]

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
            self.connected = False
            raise MailboxDown("BYE")
