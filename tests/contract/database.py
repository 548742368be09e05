"""What commands print with ``--json`` of one small server: a battle, a war, a tournament played, one of teams begun.

The server is built by commands and letters at moments that its clock's file holds, with keys that are always the same.
"""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

from pbem.cli.assembly import open_for_command
from pbem.cli.main import main
from pbem.store import queries
from tests.audit.simulated import first_phase
from tests.audit.small_server import Server
from tests.contract.interface import commands
from tests.contract.kept import Texts
from tests.harness.clock import Clock
from tests.harness.letters import PlainLetters
from tests.harness.server import changed, empty_database
from tests.harness.tournament import PlayedTournament, names
from tests.tournaments.test_event_ratings import month_passes

SERVER = "pbem@example.org"
START = datetime(2030, 1, 7, 12, tzinfo=UTC)
# Moment and rules are the contract's own: what other tests begin with may change.
CUP = """
title = "Castillejos Cup"
zone = "Europe/Madrid"
[entry]
places = 16
waiting = 8
closes = "2030-02-01"
late_rounds = 2
[table]
scenario = "drill"
[round]
days = 30
[[stage]]
format = "swiss"
rounds = 3
[unfinished]
order = ["points:4", "draw"]
[prizes]
1 = "Book"
"best:<1600" = "Print"
"""
TEAMS = CUP.replace("waiting = 8", "waiting = 0").replace("[prizes]", "[teams]\nboards = 2\n[prizes]")
ORDERS = "ORDERS T1\nACTIVATE Nudos\nASSAULT Cresta WITH Cuenca, Vergara LED BY Orozco\nEND\n"
ASKED: Sequence[str] = (
    "game list",
    "game show ceuta-1",
    "campaign list",
    "campaign show w60",
    "event list",
    "event show cup60",
    "event show duo60",
    "event standings cup60",
    "event standings duo60",
    "event times cup60",
    "rating list",
    "rating list main",
    "rating replay",
    "mail queue",
    "doctor --alive",
)
"""Commands about the server, each asked for JSON."""
TURN = Path(__file__).resolve().parents[1] / "games" / "africa1860" / "golden" / "assaults"
RESOLVED = f"adjudicate {TURN}/state.json --orders spain={TURN}/spain.txt --beta {(TURN / 'beta').read_text().strip()}"
ANYWHERE: Sequence[str] = ("scenarios", "chart C6", RESOLVED)
"""Commands that need no server."""


def json_texts() -> Texts:
    """Return what commands print with ``--json``, and the leaves of the log below it."""
    with TemporaryDirectory() as place:
        folder = Path(place)
        _build(folder)
        config = str(folder / "pbem.toml")
        texts = {f"pbem {words} --json": printed(*words.split(), "--json", "--config", config) for words in ASKED}
        texts |= {f"pbem {words} --json": printed(*words.split(), "--json") for words in ANYWHERE}
        with open_for_command(folder / "pbem.toml") as server, server.reading() as work:
            chains = [name for name, _ in queries.log.count_by_game(work.session)]
            for chain in chains:
                rows = queries.log.leaves(work.session, chain)
                texts[f"leaves of {chain}"] = "".join(f"{_plain(row.body)}{_plain(row.says)}" for row in rows)
        letters = folder / "letters"
        letters.mkdir()
        for number, item in enumerate(first_phase(Server(public=False))):
            (letters / f"{number}.txt").write_bytes(item.data)
        texts["pbem verify --json"] = printed("verify", str(letters), "--json")
        return {_named(name): text.replace(place, "FOLDER") for name, text in texts.items()}


def _named(name: str) -> str:
    return "pbem adjudicate --json" if "adjudicate" in name else name


def answered() -> set[str]:
    """Return the words of the commands that are asked for JSON here."""
    asked = [words.split() for words in (*ASKED, *ANYWHERE, "verify")]
    return {" ".join(words) for words, _ in commands() for call in asked if words and call[: len(words)] == [*words]}


def _plain(block: bytes | None) -> str:
    return block.decode("utf-8") if block else ""


def _done(*words: str) -> str:
    """Return what a command prints, which goes well."""
    output = printed(*words)
    assert "ends with" not in output, output
    return output


def printed(*words: str) -> str:
    """Return what a command prints, however it ends."""
    with contextlib.redirect_stdout(io.StringIO()) as printed, contextlib.redirect_stderr(io.StringIO()) as wrong:
        try:
            main(words)
        except SystemExit as ended:
            code = ended.code
    return printed.getvalue() + (f"ends with {code}: {wrong.getvalue()}" if code else "")


def _build(folder: Path) -> None:
    """Make the server, and let happen what its commands are asked about."""
    _done("init", str(folder))
    for number, name in enumerate(("pbem", "log", "dice")):
        (folder / f"{name}.key").write_text(bytes([number + 1] * 32).hex())
    settings = (folder / "pbem.toml").read_text("utf-8")
    settings = settings.replace('source = "system"', 'source = "file:clock"')
    (folder / "pbem.toml").write_text(re.sub("(?ms)^relays = .*?]$", "relays = []", settings), "utf-8")
    (folder / "data").mkdir(mode=0o700)
    (folder / "data" / "pbem.sqlite3").write_bytes(empty_database())
    _set(folder, START)
    _set(folder, _tournament(folder))
    _games(folder)


def _set(folder: Path, moment: datetime) -> None:
    (folder / "clock").write_text(moment.isoformat())


def _tournament(folder: Path) -> datetime:
    """Play a round of a tournament whose results are rated, and return when its month is over."""
    with open_for_command(folder / "pbem.toml") as server:
        clock = Clock(START)
        there = changed(server, clock=clock, renderer=PlainLetters())
        # One round is enough to be rated by, and costs a third.
        rules = CUP.replace("rounds = 3", "rounds = 1").replace("[prizes]", '[rating]\npool = "main"\n[prizes]')
        cup = PlayedTournament.beside(SimpleNamespace(server=there, clock=clock, folder=folder), rules, "cup60")
        people = names(4)
        for number, who in enumerate(people):
            cup.enter(who, f"NAME Name{number}")
        cup.until("playing", 1)
        cup.play(1)
        cup.until("closed", 1)
        month_passes(cup)
        cup.say(people[1], "SET RATING PUBLIC")
        return cup.clock.at


def _games(folder: Path) -> None:
    """Begin a battle in which one side has written, a war, and a tournament of teams with its first team."""
    own = ("--config", str(folder / "pbem.toml"))
    _done("game", "new", "ceuta-1", "--scenario", "castillejos", *own)
    spain = _done("seat", "invite", "ceuta-1", "spain", "ana@players.test", "--language", "es", *own).strip()
    _done("seat", "invite", "ceuta-1", "morocco", "idris@players.test", "--name", "Idris", *own)
    _done("game", "start", "ceuta-1", *own)
    _deliver(folder, 1, spain, ORDERS)
    _done("campaign", "new", "--id", "w60", "--war", "drill", *own)
    (folder / "duo60.toml").write_text(TEAMS.replace("2030-02-01", "2030-12-01"))
    (folder / "conduct.txt").write_text("Be kind.\n")
    _done("event", "new", "duo60", "--file", str(folder / "duo60.toml"), "--director", "rosa@players.test", *own)
    asked = _deliver(folder, 2, SERVER, 'JOIN duo60 TEAM "Los Tercios" NAME Ana\n')
    (line,) = [line for line in asked.splitlines() if line.startswith("UNIRSE A duo60 EQUIPO")]
    _deliver(folder, 3, SERVER, f"{line}\n")


def _deliver(folder: Path, number: int, to: str, text: str) -> str:
    """Hand in a letter, and return the answer."""
    letter = folder / f"{number}.eml"
    head = f"From: ana@players.test\nTo: {to}\nMessage-ID: <{number}@players.test>\n\n"
    letter.write_bytes((head + text).replace("\n", "\r\n").encode())
    return _done("mail", "deliver", str(letter), "--config", str(folder / "pbem.toml"))
