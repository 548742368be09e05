"""Stories of letters as text, so that a reader sees what a player wrote and what came back.

The first line of a file says its point; then come letters in, ``-- in spain --``, each followed by the whole answer,
``-- out --``. Writing a new story: leave the answers empty, run ``python -m tests.letters.stories``, and read them.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tests.letters.table import Table

STORIES = Path(__file__).with_name("stories")
_PART = re.compile(r"^-- (in \w+|out) --\n", re.MULTILINE)


class Exchange(NamedTuple):
    seat: str
    letter: str
    answer: str


def read(path: Path) -> tuple[str, list[Exchange]]:
    """The point of a story and its exchanges."""
    head, *parts = _PART.split(path.read_text("utf-8"))
    pairs = list(zip(parts[::2], parts[1::2], strict=True))
    return head.strip(), [
        Exchange(pairs[n][0].removeprefix("in "), pairs[n][1], pairs[n + 1][1]) for n in range(0, len(pairs), 2)
    ]


def written(point: str, exchanges: list[Exchange]) -> str:
    return f"{point}\n" + "".join(f"-- in {e.seat} --\n{e.letter}-- out --\n{e.answer}" for e in exchanges)


def play(exchanges: list[Exchange]) -> list[Exchange]:
    """The same letters with the answers they get now."""
    with TemporaryDirectory() as folder:
        table = Table(Path(folder))
        played = [e._replace(answer=masked(table, table.answer(e.seat, e.letter))) for e in exchanges]
        table.office.engine.dispose()
        return played


def masked(table: Table, text: str) -> str:
    """The answer without the marks that the server's key makes: tokens and nonces."""
    for address in table.addresses.values():
        token = address.split("@")[0].rpartition("-")[2]
        text = text.replace(token, "TOKEN")
    return re.sub(r"^(ORDERS|ORDENES) (T\d+) #\w{4}$", r"\1 \2 #NONCE", text, flags=re.MULTILINE)


if __name__ == "__main__":
    for story in [Path(name) for name in sys.argv[1:]] or sorted(STORIES.glob("*.txt")):
        said, letters = read(story)
        story.write_text(written(said, play(letters)), "utf-8")
