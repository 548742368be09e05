"""`pbem.toml` changed by a command: one setting at a time, and everything else as it was written."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path

from pbem.cli.exit_codes import Stop
from pbem.store import durable


def with_setting(text: str, section: str, name: str, value: str | Sequence[str]) -> str:
    """The text of a TOML file with one setting of a section changed, or added at its head; Stop if it cannot be."""
    line = f"{name} = {json.dumps(value if isinstance(value, str) else list(value), ensure_ascii=False)}"
    head = re.search(rf"^\[{re.escape(section)}\][^\n]*\n", text, re.MULTILINE)
    if head is None:
        raise Stop(f"pbem.toml has no section [{section}]: write into it by hand: {line}")
    end = re.compile(r"^\[", re.MULTILINE).search(text, head.end())
    body = text[head.end() : end.start() if end else len(text)]
    old = re.search(rf"^{re.escape(name)}[ \t]*=[^\n]*$", body, re.MULTILINE)
    # A function: what stands in the line is no pattern.
    new = re.sub(rf"^{re.escape(name)}[ \t]*=[^\n]*$", lambda _: line, body, count=1, flags=re.M) if old else body
    made = text[: head.end()] + ("" if old else f"{line}\n") + new + (text[end.start() :] if end else "")
    try:
        found = tomllib.loads(made)[section][name]
    except (tomllib.TOMLDecodeError, KeyError):
        found = None
    if found != (value if isinstance(value, str) else list(value)):
        raise Stop(f"pbem.toml cannot be changed by a command; write into [{section}] by hand: {line}")
    return made


def rewrite(path: Path, text: str) -> None:
    """Put a text in the place of a file at once, as its owner's."""
    owner = path.stat()

    def made(descriptor: int) -> None:
        if os.geteuid() == 0:
            os.fchown(descriptor, owner.st_uid, owner.st_gid)

    try:
        durable.put(path, text.encode("utf-8"), made)
    except OSError as wrong:
        raise Stop(f"{path} cannot be written: {wrong.strerror}") from None
