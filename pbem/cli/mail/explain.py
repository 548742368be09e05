"""`pbem mail explain`: how a letter in a file is read, for a bug report."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.cli.exit_codes import Stop
from pbem.cli.terminal import harmless, on_one_line

if TYPE_CHECKING:
    from pbem.mail.inbound import IncomingLetter

app = typer.Typer()


@app.command()
def explain(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The letter as it was received.")],
    address: Annotated[str, typer.Option(metavar="ADDRESS", help="The server's own address.")] = "judge@localhost",
) -> None:
    """Show how a letter is read: its parts, what is left out and why, and the text that is left. Nothing is changed."""
    from pbem.mail.address import OwnAddresses, strike
    from pbem.mail.inbound import read

    try:
        raw = file.read_bytes()
    except OSError as wrong:
        raise Stop(f"{file} cannot be read: {wrong.strerror}") from None
    local, _, domain = address.rpartition("@")
    if not local:
        raise Stop(f"no address: {address!r}; write it like judge@example.org")
    for line in _lines(read(raw, OwnAddresses(local, domain)), len(raw)):
        print(strike(harmless(line)))


def _lines(letter: IncomingLetter, octets: int) -> Iterator[str]:
    reading = letter.reading
    yield f"from: {on_one_line(letter.sender) or '(nobody)'}"
    yield f"subject: {on_one_line(letter.subject)}"
    yield f"date: {letter.date.isoformat() if letter.date else '(none)'}"
    yield f"size: {octets} octets"
    yield f"read: {'no, ' + letter.refusal + ': ' + on_one_line(letter.reason) if letter.refusal else 'yes'}"
    for part in reading.parts:
        name = f" {on_one_line(part.name)}" if part.name else ""
        shown = f", {part.disposition}" if part.disposition else ""
        yield f"part: {part.kind}{name}, {part.octets} octets{shown}: {part.unread or 'read'}"
    for piece in reading.struck:
        yield f"crossed out: {on_one_line(piece)}"
    for reason, count in (("armour", reading.armour), ("quoted", reading.quoted)):
        if count:
            yield f"left out: {count} lines ({reason})"
    if reading.encrypted:
        yield "encrypted: there is no key"
    for name in ("quoted_block", "ambiguous", "orders_only_quoted"):
        if getattr(letter, name):
            yield f"noticed: {name.replace('_', ' ')}"
    yield "text:"
    yield from (f"  {line}" for line in letter.text.split("\n"))
