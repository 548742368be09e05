"""Read every leaf of a log from its public files: `pbem monitor` reports forks."""

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
from pbem.audit.tiles import CHECKPOINT_FILE, LONGEST_LEAF, TILE_WIDTH, Tile, rotate_name
from pbem.cli import web
from pbem.cli.exit_codes import FINDING, FINE, USAGE, CommandError, on_one_line
from pbem.cli.web import HttpConnection
from pbem.lazy import lazily
from pbem.mail.address import check_address
from pbem.store import durable

with lazily():
    from pbem.audit import monitor as log_monitor
    from pbem.audit import signing


app = typer.Typer()

MOST_FINDINGS = 1000
"""Findings that are printed one by one, and the rest counted: a log of somebody else could fill the disk with them."""


class LogReading(NamedTuple):
    """The result of reading a log: leaves, findings, notes, and why it broke off.

    `record` is for the next reading; it is None unless the whole log was read and has no fault.
    """

    leaves: int
    findings: tuple[str, ...]
    notes: tuple[str, ...] = ()
    broken: str = ""
    record: LogRecord | None = None
    note: str = ""

    @property
    def code(self) -> int:
        """Return the exit code."""
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
    """Read and check every leaf of a log.

    Chains are whole, no list was closed twice, nothing was forked. Ends with 1 if not so, 2 if unread.
    """
    end = time.monotonic() + 60 * minutes
    last_record = load_log_record(state) if state else None
    reading = read_log(
        LogFiles(open_files(where), lambda: time.monotonic() < end), _trusted_state(log_key, last_record)
    )
    lines = [on_one_line(line) for line in _lines(reading, last_record)]
    if mail:
        if reading.code:
            typer.echo(_letter(mail, where, lines))
    else:
        for line in lines:
            typer.echo(line)
    if state and reading.record:
        store_log_record(state, reading.record)
    raise typer.Exit(reading.code)


def _trusted_state(log_key: str, before: LogRecord | None) -> log_monitor.TrustedState:
    trusted = before.trusted_state if before else log_monitor.TrustedState()
    try:
        return trusted._replace(key=parse_key(log_key)) if log_key else trusted
    except Malformed as wrong:
        raise CommandError(f"--log-key: {wrong}") from None


def read_log(source: LogFiles, known: TrustedState) -> LogReading:
    """Read a log from its first leaf on, and check it against what is known."""
    findings: list[str] = []
    count = [0]
    watch = log_monitor.Monitor(known, source.vouching_note, signing.verify, _bounded_collector(findings, count))
    signed = b""
    try:
        signed = source.checkpoint()
        for leaf in source.leaves(signed):
            watch.take(leaf)
        tree = watch.check_signed_tree(signed)
    except (OSError, Malformed) as wrong:
        # What was found before the log broke off is reported all the same.
        return LogReading(watch.tree.size, tuple(findings), tuple(watch.notes), str(wrong), note=_text(signed))
    if count[0] > MOST_FINDINGS:
        findings.append(f"and {count[0] - MOST_FINDINGS} more")
    record = LogRecord(watch.chain[0].text, watch.genesis, _text(signed)) if tree and not findings else None
    return LogReading(watch.tree.size, tuple(findings), tuple(watch.notes), record=record, note=_text(signed))


def _bounded_collector(findings: list[str], count: list[int]) -> Callable[[str], None]:
    def add_finding(finding: str) -> None:
        count[0] += 1
        if count[0] <= MOST_FINDINGS:
            findings.append(finding)

    return add_finding


def _text(signed: bytes) -> str:
    return signed.decode("utf-8", "replace")


def _lines(reading: LogReading, before: LogRecord | None) -> list[str]:
    lines = [f"FALSE        {finding}" for finding in reading.findings]
    lines += [f"note         {remark}" for remark in reading.notes]
    if reading.broken:
        lines.append(f"NOT CHECKED  the log cannot be read to its end: {reading.broken}")
    if reading.findings:
        checkpoint_lines = reading.note.splitlines()
        earlier_lines = before.note.splitlines() if before else []
        lines += [
            "The checkpoint as it is shown now:",
            *checkpoint_lines,
            *(["and as it was seen before:"] if earlier_lines else []),
            *earlier_lines,
        ]
    if reading.record:
        # The text of a checkpoint begins with these three lines.
        origin, size, root = reading.note.splitlines()[:3]
        lines.append(f"ok           {size} leaves of {origin}, root {root}")
        lines.append(f"             log key {reading.record.key}")
    return lines


def _letter(to: str, source: str, lines: list[str]) -> str:
    try:
        check_address(to)
    except ValueError as wrong:
        raise CommandError(f"--mail: {wrong}") from None
    head = [f"To: {to}", "Subject: pbem monitor: the log is not as it should be", "MIME-Version: 1.0"]
    head += [
        "Content-Type: text/plain; charset=utf-8",
        "Content-Transfer-Encoding: 8bit",
        "Auto-Submitted: auto-generated",
    ]
    return "\n".join([*head, "", on_one_line(source), "", *lines])


# Read the static files of a log (`pbem.audit.tiles`), in a folder or behind an address; nothing in them is believed.
#
# Between two looks a record keeps the key that the log was begun with, and the tree that was seen last.


Read = Callable[[str, int], bytes]
"""A function from a name below the log's address, and a limit in octets, to the bytes. It raises FileNotFoundError, or
OSError for other troubles."""

_NOTE = 65_536
"""Octets of a note: a checkpoint with the 64 signatures that are read at most (`note.MOST_SIGNATURES`) has some ten
thousand."""
_LEAF = 4_096
"""Octets of a leaf in a public log: any larger leaf was not made by this program."""
_BUNDLE = TILE_WIDTH * (LONGEST_LEAF + 2)
"""Octets of a full bundle of entries: each has a length of two octets before it."""


def open_files(source: str) -> Read:
    """Return a reader for the files of a folder or address; raise CommandError."""
    if "://" not in source:
        return _in_folder(Path(source))
    try:
        line = HttpConnection(web.check_address(source))
    except ValueError as wrong:
        raise CommandError(str(wrong)) from None

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
        raise CommandError(f"{folder} is no folder; an address begins with https://")

    def read(name: str, most: int) -> bytes:
        with (folder / name).open("rb") as file:
            data = file.read(most + 1)
        if len(data) > most:
            raise OSError(f"{name} has more than {most} octets")
        return data

    return read


class LogFiles:
    """A log's files: the signed tree comes first, then its leaves."""

    def __init__(self, read: Read, goes_on: Callable[[], bool] = lambda: True) -> None:
        self._read, self._goes_on = read, goes_on

    def checkpoint(self) -> bytes:
        """Return the note of the newest tree; raise OSError."""
        return self._read(CHECKPOINT_FILE, _NOTE)

    def vouching_note(self, number: int) -> bytes:
        """Return the note by which the former key vouched for a leaf `rotate`.

        Raise OSError.
        """
        return self._read(rotate_name(number), _NOTE)

    def leaves(self, signed: bytes) -> Iterator[bytes]:
        """Return every leaf of a tree, in order; raise OSError or Malformed."""
        size = checkpoint.parse_checkpoint(note.parse(signed)).size
        for first in range(0, size, TILE_WIDTH):
            if not self._goes_on():
                raise OSError("it takes too long")
            yield from self._bundle(Tile(None, first // TILE_WIDTH, min(TILE_WIDTH, size - first)))

    def _bundle(self, tile: Tile) -> Iterator[bytes]:
        try:
            bundle, width = self._read(tile.name, _BUNDLE), tile.width
        except FileNotFoundError:
            if tile.width == TILE_WIDTH:
                raise
            # It has become full since, and the partial one was taken away.
            bundle, width = self._read(tile._replace(width=TILE_WIDTH).name, _BUNDLE), TILE_WIDTH
        for index, leaf in enumerate(tiles.leaves_in(bundle, width)):
            if len(leaf) > _LEAF:
                raise Malformed(f"leaf {tile.first + index} has {len(leaf)} octets")
            if index < tile.width:
                yield leaf


class LogRecord(NamedTuple):
    """The log's first key, its first leaf's hex hash, and the newest tree's note."""

    key: str
    genesis: str
    note: str

    @property
    def trusted_state(self) -> TrustedState:
        """Return the state against which the next reading is checked."""
        return TrustedState(
            parse_key(self.key), checkpoint.parse_checkpoint(note.parse(self.note.encode("utf-8"))), self.genesis
        )


def load_log_record(path: Path) -> LogRecord | None:
    """Return the stored record, or None; raise CommandError if it is unreadable.

    An unreadable record is not replaced, because what it proves would be lost.
    """
    try:
        record = LogRecord(**json.loads(path.read_text("utf-8")))
        _ = record.trusted_state
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, Malformed) as wrong:
        raise CommandError(f"{path} cannot be read, and without it a fork is not seen: {wrong}") from None
    return record


def store_log_record(path: Path, record: LogRecord) -> None:
    """Store the record durably; raise CommandError if that fails."""
    try:
        durable.replace_file(path, json.dumps(record._asdict(), ensure_ascii=False, indent=1).encode("utf-8"))
    except OSError as wrong:
        raise CommandError(f"cannot write {path}: {wrong.strerror}") from None
