"""Write the tables of docs/settings.md from the comments of the settings that are shipped.

``python -m tests.docs.settings`` writes them.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
SHIPPED, DOCUMENT = ROOT / "config/pbem.toml", ROOT / "docs/settings.md"
BEGIN, END = "<!-- settings -->", "<!-- end of settings -->"


def make_tables() -> str:
    """Return a list for each table of the settings file: settings with their defaults, and the comment above them."""
    out, names, comment = [BEGIN], list[str](), list[str]()

    def close_group() -> None:
        if names:
            out.append(f"- {', '.join(names)}: {' '.join(comment)}")
        names.clear()

    for line in SHIPPED.read_text("utf-8").splitlines()[3:]:
        if line.startswith("#"):
            if names:
                close_group()
                comment.clear()
            comment.append(line.removeprefix("# "))
        elif line.startswith("["):
            close_group()
            comment.clear()
            out += ["", f"### {line}", ""]
        elif line:
            names.append(f"`{line}`")
    close_group()
    return re.sub(r" (PBEM_\w+)", r" `\1`", "\n".join([*out, "", END]))


def make_document() -> str:
    """Return the document with its tables as they are to be."""
    before, begin, rest = DOCUMENT.read_text("utf-8").partition(BEGIN)
    if not begin or END not in rest:
        raise LookupError(f"{DOCUMENT.name} has no lines {BEGIN} and {END}")
    return before + make_tables() + rest.partition(END)[2]


if __name__ == "__main__":
    DOCUMENT.write_text(make_document(), "utf-8")
