"""Print for an operator: tables, JSON, times, and letters as they read.

A row is a NamedTuple that defines both outputs. Its fields are those of the JSON; a field with a heading is also a
column, and a number after the heading changes the column's place::

    class RatingLine(NamedTuple):
        pool: Annotated[str, "POOL"]
        log_name: Annotated[str, "IN THE LOG", 9]      # the last column
        public: bool                                   # in JSON alone

What commands print with ``--json`` is explained in docs/json.md. Each object names its ``schema``; the number after
the slash rises when a field is removed or changes its meaning, and stays when one is added. Moments are RFC 3339 in
UTC; a missing value is null, and a dash in a table.
"""

from __future__ import annotations

import email
import email.policy
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, get_type_hints

import typer

from pbem.cli.exit_codes import escape_unprintable, on_one_line
from pbem.lazy import lazily

with lazily():
    from pbem.letters import layout
    from pbem.mail import mime

AsJson = Annotated[bool, typer.Option("--json", help="Print it as JSON; docs/json.md tells the fields.")]


def print_json(schema: str, whole: object = None, **parts: object) -> None:
    """Print an object: the fields of a row, or given parts, or both.

    Letters beyond ASCII are printed as they are, control characters escaped as JSON has it.
    """
    fields = {"schema": schema, **(_plain(whole) if whole is not None else {}), **_plain(parts)}
    print(json.dumps(fields, ensure_ascii=False, indent=2).replace("\x7f", "\\u007f"))


def _plain(value: object) -> Any:
    """Return a value as JSON represents it."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    if hasattr(value, "_fields"):
        return {name: _plain(getattr(value, name)) for name in value._fields}
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def print_rows(kind: type[object], rows: Sequence[object]) -> None:
    """Print rows of a kind as a table, with its headings."""
    columns = []
    for place, (name, hint) in enumerate(get_type_hints(kind, include_extras=True).items()):
        if column := getattr(hint, "__metadata__", ()):
            columns.append(((*column[1:], place)[0], column[0], name))
    _, headings, names = zip(*sorted(columns), strict=True)
    print_table([headings, *(tuple(table_cell(getattr(row, name)) for name in names) for row in rows)])


def table_cell(value: object) -> str:
    """Return a value as a table shows it."""
    if isinstance(value, datetime):
        return moment_as_cell(value)
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {item}" for name, item in value.items()) or "-"
    if isinstance(value, tuple):
        return " ".join(value) or "-"
    return "-" if value is None or value == "" else str(value)


def moment_as_cell(time_shown: datetime | None) -> str:
    """Return a moment as a table shows it."""
    return "-" if time_shown is None else f"{time_shown:%Y-%m-%d %H:%M} UTC"


def print_table(rows: Sequence[tuple[str, ...]]) -> None:
    """Print rows in columns as wide as they must be.

    Names and addresses come from other people, so that characters which control a terminal are left out.
    """
    rows = [tuple(layout.strip_controls(cell.replace("\n", " ")) for cell in row) for row in rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def letter_text(raw: bytes) -> str:
    """Return a letter as text: recipient, subject, body."""
    letter = email.message_from_bytes(raw, policy=email.policy.default)
    body = letter.get_body(("plain",))
    text = "" if body is None else str(body.get_content()).replace("\r\n", "\n")
    fields = mime.read_fields(raw)
    recipient, subject = (mime.decode_words(fields.first(name)) for name in ("to", "subject"))
    return format_letter(recipient, subject, text)


def format_letter(to: str, subject: str, text: str) -> str:
    """Return recipient, subject and text, without terminal control characters."""
    return escape_unprintable(f"To: {on_one_line(to)}\nSubject: {on_one_line(subject)}\n\n{text}")
