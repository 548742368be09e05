"""Kept texts: a section is a set of named texts in one file ``NAME.txt.xz``, sorted by name, each below a line::

    ======== pbem game list

Show one with ``xzcat tests/contract/help.txt.xz``. What is compared are the texts, never the compressed bytes, which
may differ from one version of the library to the next.
"""

from __future__ import annotations

import difflib
import lzma
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent
MOST = 200
"""How many lines of a difference are printed a section."""
_NAME = re.compile(r"^={8} (.+)\n", re.MULTILINE)
_LINES_OF_CONTEXT = 2

Texts = Mapping[str, str]
"""Texts by their names; each ends with a line feed."""


class Difference(NamedTuple):
    """What differs in a section: a line that sums it up, and the lines of the unified differences of its texts."""

    summary: str
    lines: tuple[str, ...]

    def shown(self, most: int = MOST) -> list[str]:
        """Return the summary and the first lines, with a count of the rest."""
        rest = len(self.lines) - most
        return [self.summary, *self.lines[:most], *([f"({rest} lines more)"] if rest > 0 else [])]


def path_of(section: str) -> Path:
    """Return the file of a section."""
    return FOLDER / f"{section}.txt.xz"


@cache
def read(section: str) -> Texts:
    """Return the kept texts of a section; none if there is no file yet."""
    path = path_of(section)
    return unpacked(path.read_bytes()) if path.exists() else {}


def write(section: str, texts: Texts) -> None:
    """Keep the texts of a section; a file that holds them already is left alone."""
    if not path_of(section).exists() or read(section) != texts:
        path_of(section).write_bytes(packed(texts))
        read.cache_clear()


def packed(texts: Texts) -> bytes:
    """Return the bytes of a section's file; ValueError for a text that could not be read back."""
    whole = "".join(f"======== {name}\n{text}" for name, text in sorted(texts.items()))
    if _split(whole) != texts:
        raise ValueError("a text ends with a line feed, and no line of it looks like a name")
    return lzma.compress(whole.encode("utf-8"), preset=9 | lzma.PRESET_EXTREME)


def unpacked(data: bytes) -> Texts:
    """Return the texts of a section's file."""
    return _split(lzma.decompress(data).decode("utf-8"))


def _split(whole: str) -> Texts:
    _, *parts = _NAME.split(whole)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def compare(section: str, before: Texts, now: Texts) -> Difference | None:
    """Return what differs between the texts of a section; None if nothing does."""
    names = sorted(name for name in {*before, *now} if before.get(name) != now.get(name))
    if not names:
        return None
    # Of a section that nothing was kept of there is nothing to compare with.
    lines = tuple(_lines(before, now, names)) if before else ()
    added, gone = (sum(line.startswith(sign) for line in lines) for sign in "+-")
    counts = f"texts new {len({*now} - {*before})}, gone {len({*before} - {*now})}"
    counts += f", changed {len({*names} & {*before} & {*now})}; lines +{added} -{gone}"
    return Difference(f"Contract: {section}: {counts}", lines)


def _lines(before: Texts, now: Texts, names: Iterable[str]) -> Iterator[str]:
    """Yield the lines of all differences; a text that is new or gone is named, and its lines are not repeated."""
    for name in names:
        if name not in before or name not in now:
            yield f"{'+' if name in now else '-'}======== {name}"
            continue
        old, new = (text.removesuffix("\n").split("\n") for text in (before[name], now[name]))
        for line in [*difflib.unified_diff(old, new, n=_LINES_OF_CONTEXT, lineterm="")][2:]:
            # Where in its text a line stands says less than which text it is, and moves with every line above it.
            yield f"@@ {name}" if line.startswith("@@") else line.rstrip()


def assert_kept(section: str, name: str, now: str) -> None:
    """Fail with the difference if one text of a section is not as it was kept."""
    before = read(section)
    difference = compare(section, {name: before[name]} if name in before else {}, {name: now})
    assert difference is None, advised(section, difference)


def advised(section: str, difference: Difference, most: int = 60) -> str:
    """Return the first lines of a difference, and what shows the rest."""
    text = "\n".join(difference.shown(most))
    return f"\n{text}\n\n`python -m tests.contract {section}` shows more, and says what to do"
