"""Half a year of a server on a moved clock, from a database of 1.0.0 on: what happens when, and what is measured."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from alembic import command
from sqlmodel import Session

from pbem.cli.main import main
from pbem.store.engine import open_engine
from pbem.store.migrations import runner
from tests.harness.clock import Clock
from tests.harness.server import DICE, KEY, LOG
from tests.servers.real import until
from tests.soak.people import OPERATOR, SERVER, STRANGER, Moderator, Person, Player, PostOffice, Town
from tests.soak.service import GAUGES
from tests.store.played import KEPT, moment
from tests.tournaments.seeds.people import People
from tests.tournaments.seeds.season import season
from tests.tournaments.seeds.settings import NAMES, Part, Setting
from tests.tournaments.seeds.town import DIRECTOR, START

DATABASE = "data/pbem.sqlite3"
GAMES: tuple[tuple[str, str, tuple[str, str], int], ...] = (
    ("africa1860", "drill", ("spain", "morocco"), 24),
    ("africa1860", "brigades", ("spain", "morocco"), 14),
    ("peninsular", "training", ("british", "french"), 6),
    ("peninsular", "usagre", ("french", "british"), 2),
    ("africa1860", "castillejos", ("spain", "morocco"), 2),
    ("peninsular", "barrosa", ("british", "french"), 1),
    ("peninsular", "rolica", ("british", "french"), 1),
)
"""What is played, by whom, and how often of fifty times; the large battles take most of the time."""
LADDERS = ("standing/close", "standing/standing/moderator", "standing/standby/close")
PEOPLE = 60
CUPS = {"cup60": "cup70", "cup61": "cup71", "league62": "league72", "team63": "team73"}
"""The tournaments of a season under other names: the database of 1.0.0 has a cup60 of its own."""
POINTS = ("fetched", "taken", "committed", "moved", "closing", "closed", "sent")
WEEK, SHORT = timedelta(days=7), 6
"""A run of fewer weeks is measured every other day, and has one tournament instead of four."""
SETTINGS = """
server = {{ address = "{server}", operator = "{operator}", letters_an_hour = 10000 }}
imap = {{ host = "127.0.0.1", security = "none", port = {imap}, user = "{server}", password = "judge" }}
smtp = {{ host = "127.0.0.1", security = "none", port = {smtp} }}
clock = {{ source = "file:clock" }}
log = {{ tiles = "tiles", format = "json" }}
site = {{ folder = "site" }}
keep = {{ letters = {letters}, pictures = {pictures} }}
alerts = {{ backup_hours = 30 }}
limits = {{ strangers = 10000, at_domain = 10000, requests = 500 }}
"""


class Plan(NamedTuple):
    """How long, how much, by which seed, where, with which fault put in, and for how many seconds at most."""

    weeks: int
    games: int
    seed: int
    folder: Path
    plant: str = ""
    seconds: float = 7200


class Measured(NamedTuple):
    """What was measured at one moment: kB, bytes, counts; of the database tables and what is free in it."""

    week: float
    games: dict[str, int]
    letters: tuple[int, int]
    rss: int
    types: Counter[str]
    descriptors: int
    tables: dict[str, int]
    free: int
    files: int
    mailbox: int
    costs: dict[str, list[int]]
    cpu: float


class Year:
    """The server, its people, and what came of them."""

    def __init__(self, plan: Plan) -> None:
        self.plan, self.folder, self.chance = plan, plan.folder, Random(plan.seed)
        self.config, self.log = self.folder / "pbem.toml", self.folder / "serve.log"
        self.troubles: list[str] = []
        self.happened: Counter[str] = Counter()
        self.measured: list[Measured] = []
        self.letters_in = self.letters_out = self.founded = 0
        self.cpu = 0.0
        self._process: subprocess.Popen[bytes] | None = None
        self._put_release()
        self.clock = Clock(self.begins, self.folder / "clock")
        self.town = Town(self.clock, self.chance, 20 if plan.games > 100 else 3)
        people = [Person(f"soak{number}", "es" if number % 3 == 0 else "en") for number in range(PEOPLE)]
        people += [Person("ana", "es"), Person("idris")]
        for person in people:
            self.town.players[person.address] = Player(self.town, person, Random(f"{plan.seed} {person.name}"))
        for name in ("mo1@rulings.example", "mo2@rulings.example"):
            self.town.players[name] = Moderator(self.town, name, Random(f"{plan.seed} {name}"))
        self.pool = [person.address for person in people[:PEOPLE]]
        names = {*self.town.players, *GAUGES, STRANGER, DIRECTOR, "teo@players.example", OPERATOR, SERVER}
        names |= {f"{name.lower()}@players.example" for name in (*NAMES, "p1", "p2", "p3", "p4", "p5")}
        self.delivers_to = names - {OPERATOR, SERVER}
        self.post = PostOffice({name: "judge" for name in names}, self.clock, plan.plant == "lost")

    # What happens.

    def play(self) -> None:
        """Live through it all; what is wrong is in `troubles`."""
        started, plan = time.monotonic(), self.plan
        with self.post:
            short = plan.weeks < SHORT
            keep = {"letters": 2, "pictures": 1} if short else {"letters": 30, "pictures": 14}
            ports = {"imap": self.post.imap_port, "smtp": self.post.smtp_port}
            self.config.write_text(SETTINGS.format(server=SERVER, operator=OPERATOR, **ports, **keep))
            self._upgrade_release()
            self._serve()
            self._rest()
            ends, look = self.begins + plan.weeks * WEEK, WEEK / (3.5 if short else 1)
            midnight, measure, number = self.begins, self.begins, 0
            happenings = self._happenings(ends)
            due: datetime | None = None
            while self.clock.at < ends and time.monotonic() - started < plan.seconds:
                while happenings and happenings[0][0] <= self.clock.at:
                    happenings.pop(0)[1]()
                if self.clock.at >= midnight:
                    midnight += timedelta(days=1)
                    self._night()
                if self.clock.at >= measure:
                    measure += look
                    number += 1
                    self._measure(number)
                due = self._rest()
                moments = [due, self.town.next_letter(), midnight, measure, happenings[0][0] if happenings else ends]
                coming = min(row for row in moments if row is not None)
                self.clock.set(max(coming, self.clock.at + timedelta(seconds=1)))
            if self.clock.at < ends:
                self.troubles.append(f"the time was up at {self.clock.at:%Y-%m-%d}, {ends - self.clock.at} were left")
            self._measure(number + 1)
            self._rest()
            self._end_service()
            self.mailbox = {name: self._lying(name) for name in ("INBOX", "Processed", "Poison")}

    def _happenings(self, ends: datetime) -> list[tuple[datetime, Any]]:
        """What happens at which moment: games, tournaments, wars, restarts, an upgrade."""
        plan, span, rows = self.plan, ends - self.begins, list[tuple[datetime, Any]]()
        for number in range(plan.games):
            # The first come at once, so that the server is as busy from the beginning as it is later.
            share = max(0.0, 1.04 * number / plan.games - 0.04)
            rows.append((self.begins + 0.94 * share * span, lambda number=number: self._new_game(number)))
        rows.append((self.begins, lambda: self._writers("cup60", self._cup_of_release(), 0)))
        for number, share in enumerate((0.02, 0.45) if plan.weeks >= 20 else (0.02,)):
            rows.append((self.begins + share * span, lambda number=number: self._season(number)))
            rows.append((self.begins + share * span, lambda number=number: self._war(number)))
        for share in (0.1, 0.5):
            rows.append((self.begins + share * span, self._restart))
        rows.append((self.begins + 0.35 * span, self._upgrade))
        kills = max(2, plan.weeks // 2)
        for number in range(kills):
            rows.append((self.begins + (0.05 + 0.5 * number / kills) * span, self._kill))
        for number in range(4 * plan.weeks):
            rows.append((self.begins + (number + self.chance.random()) / 4 * WEEK, self.town.strangers_write))
        return sorted(rows, key=lambda row: row[0])

    def _new_game(self, number: int) -> None:
        game, scenario, seats, _ = self.chance.choices(GAMES, [row[3] for row in GAMES])[0]
        name, people = f"s{number}", self.chance.sample(self.pool, 2)
        languages = [self.town.players[who].who.language for who in people]  # type: ignore[union-attr]
        terms = {"ladder": self.chance.choice(LADDERS), "reminder_hours": self.chance.choice(("0", "12"))}
        if self.chance.random() < 0.12:
            self.town.silent[name, self.chance.choice(people)] = self.chance.randrange(1, 5)
        self.ask(
            "found",
            name=name,
            game=game,
            scenario=scenario,
            seats={seat: [who, tongue] for seat, who, tongue in zip(seats, people, languages, strict=True)},
            terms=terms,
            undo=self.chance.choice((0, 0, 30)),
            maps=number % 12 == 5,
            moderator=self.chance.choice(("mo1@rulings.example", "mo2@rulings.example")) if number % 8 == 3 else "",
        )
        self.founded += 1

    def _war(self, number: int) -> None:
        seats = {seat: [who, "en"] for seat, who in zip(("spain", "morocco"), self.pool[1:3], strict=True)}
        war = ("drill", "brigades")[number % 2]
        self.ask("found", name=f"war{number}", game="africa1860", scenario=war, seats=seats, war=True)
        self.happened["wars"] += 1

    def _season(self, number: int) -> None:
        """Two cups, a league and a team event, some weeks from now; one director stops his clock, one hands over."""
        made, shift = season(self.plan.seed + number), self.clock.at.date() - START.date()

        def later(match: re.Match[str]) -> str:
            return (datetime.fromisoformat(match[0]) + shift).strftime("%Y-%m-%d")

        for cup, setting in list(made.cups.items())[: None if self.plan.weeks >= SHORT else 1]:
            name = f"{CUPS[cup]}{'ab'[number]}"
            rules = re.sub(r"\d{4}-\d\d-\d\d", later, setting.rules)
            self.ask("cup", name=name, rules=rules, director=DIRECTOR)
            self._writers(name, setting, number)
            self.happened["tournaments"] += 1

    def _writers(self, cup: str, setting: Setting, number: int) -> None:
        self.town.cups[cup] = People(self.town, cup, setting, f"{self.plan.seed} {number} {cup}")  # type: ignore[arg-type]

    def _cup_of_release(self) -> Setting:
        """Whom the cup of 1.0.0 has: they have joined, and read on; their JOIN is answered as one of an entrant."""
        return Setting("cup60", "", tuple(Part(f"p{number}", "en", "UTC", 1, 12) for number in range(1, 6)), 0.1)

    # Restarts and upgrades.

    def _restart(self) -> None:
        """Stop, let a true `pbem serve` do what is due, stop it by SIGTERM, and start again."""
        self._end_service()
        self._hand_in()
        with self.log.open("ab") as log:
            command_ = [sys.executable, "-m", "pbem.cli", "serve", "--config", str(self.config)]
            process = subprocess.Popen(command_, stdout=log, stderr=log)
        heard = self.log.read_text("utf-8").count('"serving"')
        quiet = until(lambda: self.log.read_text("utf-8").count('"serving"') > heard and not self._waiting(), 600)
        process.terminate()
        if not quiet or process.wait(600):
            self.troubles.append("pbem serve did not do what was due, or did not stop")
        self.happened["stops"] += 1
        self._serve()

    def _kill(self) -> None:
        """Kill the server at some point of what it does next."""
        point, number = self.chance.choice(POINTS), self.chance.choice((1, 1, 2))
        self.ask("die", point=point, count=number)
        self.happened["kills asked for"] += 1

    def _upgrade(self) -> None:
        """Stop; the tables become those of one version before; back up, and start the program of today."""
        self._end_service()
        engine = open_engine(f"sqlite:///{self.folder / DATABASE}")
        settings = runner.alembic_config()
        with engine.begin() as connection:
            settings.attributes["connection"] = connection
            command.downgrade(settings, "-1")
        engine.dispose()
        self._command("backup", str(self.folder / "before-upgrade.sqlite3"))
        self._command("patch")
        self.happened["upgrades"] += 1
        self._serve()

    def _put_release(self) -> None:
        """The database and the keys of 1.0.0."""
        (self.folder / "data").mkdir(parents=True)
        (self.folder / "backups").mkdir()
        with sqlite3.connect(self.folder / DATABASE) as opened:
            opened.executescript((KEPT / "1.0.0.sql").read_text("utf-8"))
            sent = opened.execute("SELECT message_id FROM outbox WHERE state = 'sent'")
            self.sent_before = {message_id for (message_id,) in sent}
        opened.close()
        for name, key in (("pbem", KEY), ("log", LOG), ("dice", DICE)):
            (self.folder / f"{name}.key").touch(0o600)
            (self.folder / f"{name}.key").write_text(key[:32].hex())
        engine = open_engine(f"sqlite:///{self.folder / DATABASE}")
        with Session(engine) as session:
            self.begins = moment(session).replace(minute=0, second=0) + timedelta(hours=1)
        engine.dispose()

    def _upgrade_release(self) -> None:
        """Do what docs/maintenance.md says of an upgrade."""
        self._command("backup", str(self.folder / "before-1.0.0.sqlite3"))
        # That of the tests is longer than a server's may be: all seats get new addresses by letter.
        self._command("server", "rekey", "--yes")
        self._command("patch")
        self.happened["upgrades"] += 1

    # The server's process.

    def _serve(self) -> None:
        read, write = os.pipe()
        code = f"import os; os.dup2({write}, 3); from tests.soak.service import main; main()"
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-c", code, str(self.config), self.plan.plant],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                pass_fds=(write,),
            )
        os.close(write)
        self._answers = os.fdopen(read, "rb")

    def _end_service(self) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self.cpu += self.ask("memory", drop=False)["cpu"]
        self.ask("stop")
        self._process.stdin.close()
        if code := self._process.wait(600):
            self.troubles.append(f"the server ended with {code}")
        self._answers.close()

    def ask(self, do: str, **more: Any) -> Any:
        """Have something done; after a kill the server is started again, and asked again."""
        assert self._process is not None
        assert self._process.stdin is not None
        for _ in range(2):
            self._process.stdin.write(json.dumps({"do": do, **more}).encode() + b"\n")
            self._process.stdin.flush()
            if line := self._answers.readline():
                return json.loads(line)
            code = self._process.wait(600)
            if code != -9:
                break
            self.happened["kills"] += 1
            self._serve()
        raise RuntimeError(f"the server ended with {code} while it should {do}; see {self.log}")

    def _command(self, *words: str) -> str:
        """Run a command of `pbem`; one that fails is a trouble."""
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            try:
                main([*words, "--config", str(self.config)])
            except SystemExit as ended:
                if ended.code:
                    self.troubles.append(
                        f"pbem {' '.join(words[:2])} ended with {ended.code}: {output.getvalue()[-300:]}"
                    )
        return output.getvalue()

    def _hand_in(self) -> None:
        for letter in self.town.due():
            self.post.deliver(letter.to, letter.raw, letter.sender)

    def _rest(self) -> datetime | None:
        """Let the server do all that is due, and its people read."""
        self._hand_in()
        rested = self.ask("rest")
        self.letters_in += rested["taken"]
        came, self.post.came = self.post.came, []
        self.letters_out += self.town.read(came)
        return datetime.fromisoformat(rested["next"]) if rested["next"] else None

    # The night, and what is measured.

    def _night(self) -> None:
        done = self.ask("chores")
        # Held games wait for their moderators; why each is held is looked at in the end.
        for word in {*done["troubles"], *done["failed"]} - {"games"}:
            self.troubles.append(f"trouble on {self.clock.at:%Y-%m-%d}: {word}")
        self._command("backup", str(self.folder / "backups"), "--keep", "3")
        self.happened["backups"] += 1

    def _measure(self, number: int) -> None:
        self._command("log", "check")
        self.happened["checks of the log"] += 1
        costs, memory = self.ask("costs", number=number), self.ask("memory", drop=self._drops())
        with contextlib.closing(self._database()) as opened:
            self.phases = opened.execute("SELECT count(*) FROM phase WHERE state = 'resolved'").fetchone()[0]
            games = dict(opened.execute("SELECT state, count(*) FROM game GROUP BY state"))
            sizes = dict(opened.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name"))
            size, free = (opened.execute(f"PRAGMA {word}").fetchone()[0] for word in ("page_size", "freelist_count"))
        files = sum(len(names) for _, _, names in os.walk(self.folder / "data"))
        week, types, cpu = (self.clock.at - self.begins) / WEEK, Counter(memory["types"]), self.cpu + memory["cpu"]
        database, letters = (sizes, size * free), (self.letters_in, self.letters_out)
        process = memory["rss"], types, memory["descriptors"]
        row = Measured(week, games, letters, *process, *database, files, self._lying("Processed"), costs, cpu)
        self.measured.append(row)
        print(row_of(self.measured[-1]), flush=True)

    def _drops(self) -> bool:
        """Whether bounded caches are emptied before memory is measured: in a short run, and in the last two fifths.

        Until then they fill up to their bounds; what grows without them would grow for ever.
        """
        return self.plan.weeks < SHORT or self.clock.at > self.begins + 0.6 * self.plan.weeks * WEEK

    def _lying(self, folder: str) -> int:
        # The server makes the other two with their first letter.
        with contextlib.suppress(KeyError):
            return len(self.post.letters_in(SERVER, folder))
        return 0

    def _waiting(self) -> int:
        """How many letters wait to be taken in or sent."""
        with contextlib.closing(self._database()) as opened:
            queued = opened.execute("SELECT count(*) FROM outbox WHERE state = 'queued'").fetchone()[0]
        return int(queued) + self._lying("INBOX")

    def _database(self) -> sqlite3.Connection:
        return sqlite3.connect(f"file:{self.folder / DATABASE}?mode=ro", uri=True)


HEAD = (
    "week games run letters in/out      MB objects  fds  MB base free  files    box"
    "  letter     closing    sending    idle (statements/1000 steps)  CPU s"
)


def row_of(row: Measured) -> str:
    """A line of the table; an act's statements and, behind the stroke, thousands of steps of SQLite."""
    costs = "  ".join(f"{statements:3}/{steps / 1000:5.1f}" for statements, steps in row.costs.values())
    size = f"{sum(row.tables.values()) / 1e6:7.1f} {row.free / 1e6:5.1f}"
    process = f"{row.rss / 1024:6.1f} {row.types.total():7} {row.descriptors:4}"
    games = f"{sum(row.games.values()):5} {row.games.get('running', 0):3} {row.letters[0]:7}/{row.letters[1]:<7}"
    return f"{row.week:4.1f} {games} {process} {size} {row.files:5} {row.mailbox:6}  {costs} {row.cpu:7.0f}"
