"""`pbem monitor`: read every leaf of a log from the files that it shows to all, and report a fork."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from pbem.audit import checkpoint, note, tiles
from pbem.audit.blocks import Malformed
from pbem.audit.monitor import TrustedState
from pbem.audit.note import parse_key
from pbem.audit.tiles import CHECKPOINT, LONGEST_LEAF, WIDTH, Tile, rotate_name
from pbem.cli import web
from pbem.cli.exit_codes import FINDING, FINE, USAGE, Stop, on_one_line
from pbem.cli.web import Line
from pbem.lazy import lazily
from pbem.mail.address import check_address
from pbem.store import durable

with lazily():
    from pbem.audit import monitor as log_monitor
    from pbem.audit import signing


app = typer.Typer()

MOST = 1000
"""So many findings are told one by one."""


class Look(NamedTuple):
    """What a look gave: how many leaves were read, what is wrong, what is worth knowing, why it was broken off.

    `record` is what the next look is held against, None unless all of the log was read and is as it should be.
    """

    leaves: int
    findings: tuple[str, ...]
    notes: tuple[str, ...] = ()
    broken: str = ""
    record: Record | None = None
    note: str = ""

    @property
    def code(self) -> int:
        """How the command ends."""
        return FINDING if self.findings else USAGE if self.broken else FINE


@app.command()
def monitor(
    where: Annotated[str, typer.Argument(metavar="DIR|URL", help="The log's files, in a folder or behind https.")],
    state: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where to keep what was seen, for the next time.")
    ] = None,
    log_key: Annotated[str, typer.Option(metavar="KEY", help="The log's key, if you know it from elsewhere.")] = "",
    minutes: Annotated[int, typer.Option(min=1, help="How long it may take.")] = 60,
    mail: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Print findings as a letter to you, for sendmail -t; else nothing.")
    ] = "",
) -> None:
    """Read every leaf of a log: chains whole, no list closed twice, no fork. Ends with 1 if not so, 2 if unread."""
    end = time.monotonic() + 60 * minutes
    before = load_record(state) if state else None
    found = look(Source(open_files(where), lambda: time.monotonic() < end), _known(log_key, before))
    lines = [on_one_line(line) for line in _lines(found, before)]
    if mail:
        if found.code:
            typer.echo(_letter(mail, where, lines))
    else:
        for line in lines:
            typer.echo(line)
    if state and found.record:
        keep_record(state, found.record)
    raise typer.Exit(found.code)


def _known(log_key: str, before: Record | None) -> log_monitor.TrustedState:
    known = before.known if before else log_monitor.TrustedState()
    try:
        return known._replace(key=parse_key(log_key)) if log_key else known
    except Malformed as wrong:
        raise Stop(f"--log-key: {wrong}") from None


def look(source: Source, known: TrustedState) -> Look:
    """Read a log from its first leaf on, and hold it against what is known."""
    findings: list[str] = []
    count = [0]
    watch = log_monitor.Monitor(known, source.vouched, signing.verify, _bounded(findings, count))
    signed = b""
    try:
        signed = source.checkpoint()
        for leaf in source.leaves(signed):
            watch.take(leaf)
        tree = watch.end(signed)
    except (OSError, Malformed) as wrong:
        return Look(watch.tree.size, tuple(findings), tuple(watch.notes), str(wrong), note=_text(signed))
    if count[0] > MOST:
        findings.append(f"and {count[0] - MOST} more")
    record = Record(watch.chain[0].text, watch.genesis, _text(signed)) if tree and not findings else None
    return Look(watch.tree.size, tuple(findings), tuple(watch.notes), record=record, note=_text(signed))


def _bounded(findings: list[str], count: list[int]) -> Callable[[str], None]:
    def found(what: str) -> None:
        count[0] += 1
        if count[0] <= MOST:
            findings.append(what)

    return found


def _text(signed: bytes) -> str:
    return signed.decode("utf-8", "replace")


def _lines(found: Look, before: Record | None) -> list[str]:
    out = [f"FALSE        {one}" for one in found.findings]
    out += [f"note         {one}" for one in found.notes]
    if found.broken:
        out.append(f"NOT CHECKED  the log cannot be read to its end: {found.broken}")
    if found.findings:
        shown = found.note.splitlines()
        seen = before.note.splitlines() if before else []
        out += ["The checkpoint as it is shown now:", *shown, *(["and as it was seen before:"] if seen else []), *seen]
    if found.record:
        origin, size, root = found.note.splitlines()[:3]
        out.append(f"ok           {size} leaves of {origin}, root {root}")
        out.append(f"             log key {found.record.key}")
    return out


def _letter(to: str, where: str, lines: list[str]) -> str:
    try:
        check_address(to)
    except ValueError as wrong:
        raise Stop(f"--mail: {wrong}") from None
    head = [f"To: {to}", "Subject: pbem monitor: the log is not as it should be", "MIME-Version: 1.0"]
    head += [
        "Content-Type: text/plain; charset=utf-8",
        "Content-Transfer-Encoding: 8bit",
        "Auto-Submitted: auto-generated",
    ]
    return "\n".join([*head, "", on_one_line(where), "", *lines])


# Read the static files of a log (`pbem.audit.tiles`), in a folder or behind an address; nothing in them is believed.
#
# Between two looks a record keeps the key that the log was begun with, and the tree that was seen last.


Read = Callable[[str, int], bytes]
"""A name below the log's address and the most octets -> the bytes; FileNotFoundError, or OSError for other troubles."""

_NOTE = 65_536
_LEAF = 4_096
"""A leaf that everybody may see has not so many octets: what has more is none of ours."""
_BUNDLE = WIDTH * (LONGEST_LEAF + 2)


def open_files(where: str) -> Read:
    """How the files of a folder or of an address are read; Stop if it is neither."""
    if "://" not in where:
        return _in_folder(Path(where))
    try:
        line = Line(web.check_address(where))
    except ValueError as wrong:
        raise Stop(str(wrong)) from None

    def read(name: str, most: int) -> bytes:
        answer = line.get(name, most)
        if answer.status == 404:
            raise FileNotFoundError(f"there is no {name}")
        if answer.status != 200:
            raise OSError(f"{name}: HTTP {answer.status}")
        return answer.body

    return read


def _in_folder(folder: Path) -> Read:
    if not folder.is_dir():
        raise Stop(f"{folder} is no folder; an address begins with https://")

    def read(name: str, most: int) -> bytes:
        with (folder / name).open("rb") as file:
            data = file.read(most + 1)
        if len(data) > most:
            raise OSError(f"{name} has more than {most} octets")
        return data

    return read


class Source:
    """A log as its files have it: the signed tree first, then what that has."""

    def __init__(self, read: Read, goes_on: Callable[[], bool] = lambda: True) -> None:
        self._read, self._goes_on = read, goes_on

    def checkpoint(self) -> bytes:
        """The note of the newest tree; OSError."""
        return self._read(CHECKPOINT, _NOTE)

    def vouched(self, number: int) -> bytes:
        """The note by which the key before vouched for the leaf `rotate` with this number; OSError."""
        return self._read(rotate_name(number), _NOTE)

    def leaves(self, signed: bytes) -> Iterator[bytes]:
        """Every leaf of that tree, in order; OSError for what is not there, Malformed for what is no bundle."""
        size = checkpoint.body(note.parse(signed)).size
        for first in range(0, size, WIDTH):
            if not self._goes_on():
                raise OSError("it takes too long")
            yield from self._bundle(Tile(None, first // WIDTH, min(WIDTH, size - first)))

    def _bundle(self, tile: Tile) -> Iterator[bytes]:
        try:
            found, width = self._read(tile.name, _BUNDLE), tile.width
        except FileNotFoundError:
            if tile.width == WIDTH:
                raise
            # It has become full since, and the partial one was taken away.
            found, width = self._read(tile._replace(width=WIDTH).name, _BUNDLE), WIDTH
        for at, leaf in enumerate(tiles.leaves_in(found, width)):
            if len(leaf) > _LEAF:
                raise Malformed(f"leaf {tile.first + at} has {len(leaf)} octets")
            if at < tile.width:
                yield leaf


class Record(NamedTuple):
    """The log's first key, the hash of its first leaf in hex, and the note of the newest tree."""

    key: str
    genesis: str
    note: str

    @property
    def known(self) -> TrustedState:
        """What the next look is held against."""
        return TrustedState(parse_key(self.key), checkpoint.body(note.parse(self.note.encode("utf-8"))), self.genesis)


def load_record(path: Path) -> Record | None:
    """What was kept last; None if nothing was. Stop if it cannot be read: to begin anew would be to forget it."""
    try:
        found = Record(**json.loads(path.read_text("utf-8")))
        _ = found.known
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, Malformed) as wrong:
        raise Stop(f"{path} cannot be read, and without it a fork is not seen: {wrong}") from None
    return found


def keep_record(path: Path, record: Record) -> None:
    """Write it down for good; Stop if that cannot be."""
    try:
        durable.put(path, json.dumps(record._asdict(), ensure_ascii=False, indent=1).encode("utf-8"))
    except OSError as wrong:
        raise Stop(f"cannot write {path}: {wrong.strerror}") from None
