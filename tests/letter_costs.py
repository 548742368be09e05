"""What letters cost: one place after another that reads them, each in a process of its own that is measured.

A `Place` makes a whole letter of a text. `measure` hands it to a server in a child process, which is ended when it
takes far too much, and tells the processor time and the memory that the letter took: what the child used at the end
less what it was begun with.
"""

from __future__ import annotations

import os
import resource
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from pbem.campaign.base.terms import Terms
from pbem.campaign.door import service
from pbem.campaign.moderator import appointment
from tests.letters.table import ANA, Table

__all__ = ["MEGABYTES", "PLACES", "SECONDS", "SEEDS", "Cost", "House", "Place", "measure", "opened"]

SECONDS, MEGABYTES = 2.0, 200
"""What a letter of a megabyte may cost."""
LARGEST = 1_000_000
_PATIENCE = 20
"""Seconds after which a child is ended: it has failed long before."""
_MEMORY = 1_500 << 20

PENINSULAR = ("british", "french")
MODERATOR, EVE = "mo@rulings.example", "eve@elsewhere.example"


class Cost(NamedTuple):
    """What a letter took: seconds of processor time, megabytes, how it ended, and how large its answers are."""

    seconds: float
    megabytes: float
    outcome: str
    answer: int


class House(NamedTuple):
    """A table with a game, and the addresses that letters may be written to."""

    table: Table
    folder: Path
    addresses: Mapping[str, str]


class Place(NamedTuple):
    """A place that reads letters: the game it is in, and a letter to it made of a text."""

    game: str
    letter: Callable[[House, str], bytes]


@contextmanager
def opened(game: str) -> Iterator[House]:
    """A game in its first phase, with a moderator."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if game == "peninsular":
            table = Table(folder, "barrosa", game=game, seats=PENINSULAR)
        else:
            table = Table(folder, terms=Terms(beacon="none"))
        with table.server.work() as work:
            moderator = appointment.appoint(work, appointment.Appointment("g1", MODERATOR))
        table.server.engine.dispose()
        yield House(table, folder, {**table.addresses, "moderator": moderator, "server": table.server.address})
        table.server.engine.dispose()


def plain(to: str, who: str = ANA, head: str = "", tail: str = "") -> Callable[[House, str], bytes]:
    """Letters of text alone, between a beginning and an end that are always there."""

    def letter(house: House, text: str) -> bytes:
        body = f"{head}{text}{tail}".replace("\r", "").replace("\n", "\r\n")
        return _headed(house, house.addresses[to], who, "Content-Type: text/plain; charset=utf-8") + body.encode(
            "utf-8", "replace"
        )

    return letter


def _headed(house: House, to: str, who: str, content: str) -> bytes:
    house.table.count += 1
    lines = (
        f"From: {who}", f"To: {to}", "Subject: x", f"Message-ID: <{house.table.count}@players.example>",
        "MIME-Version: 1.0", content, "Content-Transfer-Encoding: 8bit",
    )  # fmt: skip
    return ("\r\n".join(lines) + "\r\n\r\n").encode("utf-8")


def page(house: House, text: str) -> bytes:
    return _headed(house, house.addresses["spain"], ANA, "Content-Type: text/html; charset=utf-8") + text.encode()


def parts(house: House, text: str) -> bytes:
    """The whole body as it comes, below a header that says it has parts."""
    return _headed(house, house.addresses["spain"], ANA, "Content-Type: multipart/mixed; boundary=b") + text.encode()


def bounce(house: House, text: str) -> bytes:
    content = "Content-Type: multipart/report; report-type=delivery-status; boundary=b"
    return _headed(house, house.addresses["server"], "MAILER-DAEMON@mx.example", content) + text.encode()


PLACES: Mapping[str, Place] = {
    "commands": Place("africa1860", plain("spain")),
    "orders": Place("africa1860", plain("spain", head="ORDERS T1\n", tail="\nEND\n")),
    "orders, peninsular": Place("peninsular", plain("british", head="ORDERS T1\n", tail="\nEND\n")),
    "later": Place("africa1860", plain("spain", head="LATER T3\n", tail="\nEND\n")),
    "later, peninsular": Place("peninsular", plain("british", head="LATER T3\n", tail="\nEND\n")),
    "standing": Place("africa1860", plain("spain", head="STANDING ALL\n", tail="\nENDSTANDING\n")),
    "standing, peninsular": Place("peninsular", plain("british", head="STANDING ALL\n", tail="\nENDSTANDING\n")),
    "odds": Place("africa1860", plain("spain", head="ODDS ")),
    "odds, peninsular": Place("peninsular", plain("british", head="ODDS ")),
    "trial": Place("africa1860", plain("spain", head="TEST STANDING ")),
    "why": Place("peninsular", plain("british", head="WHY #")),
    "press": Place("africa1860", plain("spain", head="PRESS TO ALL\n", tail="\nENDPRESS\n")),
    "visitor": Place("africa1860", plain("server", EVE)),
    "player elsewhere": Place("africa1860", plain("server", ANA)),
    "moderator": Place("africa1860", plain("moderator", MODERATOR)),
    "bounce": Place("africa1860", bounce),
    "page": Place("africa1860", page),
    "parts": Place("africa1860", parts),
}

N = LARGEST


def _filled(piece: str, most: int = 250_000) -> str:
    return piece * (most // len(piece))


SEEDS: tuple[str, ...] = (
    "STATUS\n" + _filled("xq;"),
    _filled("STATUS;"),
    "STATUS\n" + "xq nothing of this\n" * 3_900,
    "MOVE Nobody TO Nowhere\n" * 3_900,
    _filled("HELP;"),
    _filled("LIST;"),
    "ODDS ASSAULT Cresta WITH Leon\n" * 3_900,
    _filled("ODDS ASSAULT Cresta WITH Leon;"),
    _filled("PASS;"),
    "PASS\n" * 3_900,
    _filled("WHY #1;"),
    "WHY #1 T1\n" * 3_900,
    _filled("xq;"),
    _filled("Leon,"),
    _filled("a"),
    _filled("\u00e9\u0301"),
    _filled("\u2026"),
    _filled("MOVE Leon TO Sierra;"),
    "MOVE Leon TO Sierra\n" * 3_900,
    _filled("IF x;"),
    _filled("STANDING ALL;"),
    "STANDING ALL\nWHEN ASSAULTED STAND\nENDSTANDING\n" * 1_300,
    "WHEN ASSAULTED VANGUARD Leon\n" * 3_900,
    "LATER T4\nxq\nEND\n" * 1_300,
    "HISTORY\n" * 3_900,
    "MAP\n" * 3_900,
    "RULES 8\n" * 3_900,
    _filled("1A "),
    "EXTEND 1h\n" * 3_900,
    "ADDRESS x@y.example\n" * 3_900,
    "".join(f"ADDRESS x{n}@y.example\n" for n in range(3_900)),
    "SAY hello\n" * 3_900,
    "PRESS TO ALL\nx\nENDPRESS\n" * 1_300,
    "JOIN g1\n" * 3_900,
    "OBSERVE g1\n" * 3_900,
    "HOLD BECAUSE x\n" * 3_900,
    "PREDICT\n" * 3_900,
    "EXPORT\n" * 3_900,
    "ANNOUNCE " + _filled("word "),
    "ANNOUNCE x\n" + ("word " * 12 + "\n") * 3_900,
    "nothing\n" * 3_900,
    "PASS\n" * 390,
    "ACTIVATE Nudos\nMOVE Cuenca, Montana1, Orozco, Vergara TO Loma\n" * 195,
    "ACTIVATE Nudos\n" + "ASSAULT Cresta WITH Cuenca, Montana1, Vergara LED BY Orozco\n" * 380,
    "IF TURN 1\n" * 11 + "MOVE 2/95 TO 1312\n" * 350 + "ENDIF\n" * 11,
    "MOVE 2/95 TO 1312\n" * 390,
    "MOVE DuncanA TO 1211; UNLIMBER DuncanA\n" * 190,
    "FIRE DuncanA TO 1312\n" * 390,
    "ASSAULT 1312 WITH 2/95, 1/28, Coldstream\n" * 390,
    "ASSAULT Cresta WITH Cuenca, Montana1, Vergara LED BY Orozco\n"
    + "ODDS ASSAULT Cresta WITH Cuenca, Montana1, Vergara LED BY Orozco\n" * 2,
    "ASSAULT 1312 WITH 2/95, 1/28\nODDS ASSAULT 1312 WITH 2/95\nODDS ASSAULT 1312 WITH 1/28\n",
    "WHEN ASSAULTED AND (MY STEPS LESS THAN 2 OR ENEMY STEPS MORE THAN 3): FALLBACK Nudos\n" * 390,
    "ACTIVATE Cresta\n" * 390,
    "MOVE Leon TO Sierra;" * 390,
    "IF TURN 1\nPASS\nENDIF\n" * 130,
    "WHEN ASSAULTED STAND\n" * 390,
    "MOVE " + "Leon, " * 300 + "TO Sierra\n",
    ("MOVE " + "Leon, " * 300 + "TO Sierra\n") * 100,
    "".join(f"{word}\n" for word in ("STATUS", "HELP", "MAP", "HISTORY", "LIST", "CHART", "RULES 1", "RULES 8")),
    "".join(f"HELP {word}\n" for word in ("orders", "standing", "dice", "commands", "later")),
    "".join(f"LATER T{turn}\nPASS\nEND\n" for turn in range(2, 22)),
    "<b>x</b>" * 14_900,
    "<p class=" + "x" * 40 + ">y" * 1,
    ("<p class=" + "x" * 25 + ">y") * 25_000,
    "<blockquote>x</blockquote>" * 14_900,
    "<div>" * 29_900,
    "<table><tr><td>x</td></tr></table>" * 4_900,
    _filled("<div>x", N),
    _filled("<b>x</b>", N // 4),
    _filled("<blockquote>x</blockquote>", N),
    _filled("<table><tr><td>x</td></tr></table>", N),
    "<pre>" + _filled("x\n", 8_000) + "</pre>",
    "<p>" + _filled("x ", N) + "</p>",
    _filled("&lt;", N),
    "".join(f"--b\r\nContent-Type: text/plain\r\n\r\n{'x' * 3_900}\r\n" for n in range(240)) + "--b--\r\n",
    "--b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n" + _filled("\u0301", N // 4),
    "--b\r\nContent-Type: text/plain\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n" + _filled("=41", N),
    "--b\r\nContent-Type: text/plain\r\nContent-Transfer-Encoding: base64\r\n\r\n" + _filled("QUJD\r\n", 290_000),
    "--b\r\nContent-Type: message/delivery-status\r\n\r\n" + _filled("Action: x\r\n\r\n", 500_000),
    _filled("5.1.1 ", N),
    _filled("\r\nmessage-id: ", N),
    _filled("pbem+g1-spain-abcdefghijklmnop@games.example "),
)


def measure(house: House, place: Place, text: str) -> Cost:
    """Take a letter in and put its answers into words in a child, and tell what that took."""
    raw = place.letter(house, text)[:LARGEST]
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 70
        try:
            os.close(read)
            code = _child(house, raw, write)
        finally:
            os._exit(code)
    os.close(write)
    with os.fdopen(read, "rb") as told:
        said = told.read().decode()
    _, status = os.waitpid(pid, 0)
    ended = os.waitstatus_to_exitcode(status)
    if ended != 0 or not said:
        return Cost(float(_PATIENCE), 0.0, f"ENDED {ended}", 0)
    seconds, megabytes, answer, outcome = said.split("\t")
    return Cost(float(seconds), float(megabytes), outcome, int(answer))


def _child(house: House, raw: bytes, write: int) -> int:
    resource.setrlimit(resource.RLIMIT_CPU, (_PATIENCE, _PATIENCE))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY + _virtual(), _MEMORY + _virtual()))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    table, folder = house.table, Path(tempfile.mkdtemp())
    shutil.copy(house.folder / "pbem.db", folder / "pbem.db")
    server = _over(table, folder)
    with server.session():
        pass
    before, spent = _resident(), time.process_time()
    try:
        done = service.deliver(server, raw)
        outcome, answer = f"{done.verdict}: {done.outcome}", sum(map(len, done.answers))
    except BaseException as wrong:
        outcome, answer = f"RAISED {type(wrong).__name__}", 0
    took = time.process_time() - spent
    os.write(write, f"{took}\t{_peak() - before}\t{answer}\t{outcome}".encode())
    server.engine.dispose()
    shutil.rmtree(folder)
    return 0


def _over(table: Table, folder: Path) -> Any:
    from tests.letters.table import _server

    return _server(folder, table.clock)


def _virtual() -> int:
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def _resident() -> float:
    """Megabytes in use now; from here on the kernel counts the most that is in use anew."""
    Path("/proc/self/clear_refs").write_text("5")
    return _peak()


def _peak() -> float:
    found = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(found.split()[1]) / 1024
