"""`pbem monitor`: read every leaf of a log from the files that it shows to all, and report a fork."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from pbem.audit.blocks import Malformed
from pbem.audit.note import parse_key
from pbem.cli.exit_codes import FINDING, FINE, USAGE, Stop
from pbem.cli.terminal import on_one_line
from pbem.lazy import lazily
from pbem.mail.address import check_address

with lazily():
    from pbem.audit import monitor as log_monitor
    from pbem.audit import signing
    from pbem.cli import log_files


if TYPE_CHECKING:
    from pbem.audit.monitor import Known
    from pbem.cli.log_files import Record, Source

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
    before = log_files.load_record(state) if state else None
    found = look(log_files.Source(log_files.open_files(where), lambda: time.monotonic() < end), _known(log_key, before))
    lines = [on_one_line(line) for line in _lines(found, before)]
    if mail:
        if found.code:
            typer.echo(_letter(mail, where, lines))
    else:
        for line in lines:
            typer.echo(line)
    if state and found.record:
        log_files.keep_record(state, found.record)
    raise typer.Exit(found.code)


def _known(log_key: str, before: Record | None) -> log_monitor.Known:
    known = before.known if before else log_monitor.Known()
    try:
        return known._replace(key=parse_key(log_key)) if log_key else known
    except Malformed as wrong:
        raise Stop(f"--log-key: {wrong}") from None


def look(source: Source, known: Known) -> Look:
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
    record = log_files.Record(watch.chain[0].text, watch.genesis, _text(signed)) if tree and not findings else None
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
