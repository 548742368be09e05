"""Stories of letters as text, so that a reader sees what a player wrote and what came back.

The first line of a file says its point; then come letters in, ``-- in spain --`` or, if it was long on its way, ``--
in spain, written 20 minutes ago --``, each followed by the whole answer, ``-- out --``. After ``-- mail spain --``
comes a letter with header fields of its own (Content-Type and the like), a blank line, and the body. ``-- wait 31
minutes --`` moves the clock and lets be done what is due; after ``-- wait 31 minutes, read spain --`` comes the last
letter that this sent to the seat. A story is set in Castillejos, seats spain and morocco, unless it begins with
``-- table peninsular barrosa french british deploy=on hints=on --``: the game, the scenario and its seats, of which the
first writes Spanish; options of the edition and terms may follow. ``-- war drill fog=on --`` begins a war instead.
After ``-- rule w60-1 --`` comes a line of whoever runs the server about a game, answered by what all are told of it. In
letters NONCE stands for the mark of the seat's template, ASKED for the code that was asked for last and TOKEN for the
mark of its address, as they do in answers, and there ROOT and MARK for what is said of the log.

Writing a new story: leave the answers empty, run ``python -m tests.letters.stories``, and read them.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from pbem.engine.data.messages import plain_english
from pbem.play.rulings import ruling_lines
from pbem.runtime.terms import Terms
from tests.harness.battle import PlayedBattle
from tests.harness.war import PlayedWar

OPTIONS = ("commands", "couriers", "deploy", "fog")
STORIES = Path(__file__).with_name("stories")
_PART = re.compile(
    r"^-- ((?:table|war) [\w= ]+|rule [\w-]+|in \w+(?:, written \d+ minutes ago)?|mail \w+|out"
    r"|wait \d+ minutes(?:, read \w+)?) --\n",
    re.MULTILINE,
)
_CODE = re.compile(r"\b(CODE|CODIGO|CONFIRM|CONFIRMAR) ([a-z2-7]{8})\b")


class Exchange(NamedTuple):
    """A letter and its answer, or a wait, which has neither."""

    head: str
    letter: str = ""
    answer: str = ""

    @property
    def seat(self) -> str:
        return self.head.split()[1].strip(",")


def read(path: Path) -> tuple[str, list[Exchange]]:
    """The point of a story and its exchanges."""
    head, *parts = _PART.split(path.read_text("utf-8"))
    exchanges: list[Exchange] = []
    for kind, text in zip(parts[::2], parts[1::2], strict=True):
        if kind == "out":
            exchanges[-1] = exchanges[-1]._replace(answer=text)
        else:
            exchanges.append(Exchange(kind, text))
    return head.strip(), exchanges


def written(point: str, exchanges: list[Exchange]) -> str:
    return f"{point}\n" + "".join(
        f"-- {e.head} --\n{e.letter}" + (f"-- out --\n{e.answer}" if e.letter or "read" in e.head else "")
        for e in exchanges
    )


def play(exchanges: list[Exchange]) -> list[Exchange]:
    """The same letters with the answers they get now."""
    with TemporaryDirectory() as folder:
        table = laid(Path(folder), exchanges[0].head)
        played = [e._replace(answer=answered(table, e)) for e in exchanges]
        table.server.engine.dispose()
        return played


def laid(folder: Path, head: str) -> PlayedBattle:
    """The table that a story is set at."""
    if head.startswith("war "):
        return PlayedWar(folder, *head.split()[2:], war=head.split()[1])
    if not head.startswith("table "):
        return PlayedBattle(folder)
    _, game, scenario, *words = head.split()
    seats = tuple(word for word in words if "=" not in word)
    options = tuple(word for word in words if word.partition("=")[0] in OPTIONS)
    terms = Terms.from_words(dict(word.split("=") for word in words if word not in (*options, *seats)))
    return PlayedBattle(folder, scenario=scenario, game=game, seats=seats, terms=terms, options=options)


def answered(table: PlayedBattle, exchange: Exchange) -> str:
    """The one answer to a letter; to a wait or a table none, or the letter that is to be read."""
    kind, seat, *words = exchange.head.replace(",", "").split()
    if kind in ("table", "war"):
        return ""
    if kind == "rule":
        with table.server.work() as work:
            made = ruling_lines.make_ruling(work, seat, ruling_lines.read_line(exchange.letter.strip()))
        if isinstance(table, PlayedWar):
            table.sit()
        return "".join(f"{plain_english(sentence)}\n" for sentence in made.sentences)
    if kind == "wait":
        table.wait(int(seat))
        reader = exchange.head.partition("read ")[2]
        return masked(table, table.last_to(reader)) if reader else ""
    text = exchange.letter.replace("NONCE", table.nonce(seat)).replace("TOKEN", token(table.addresses[seat]))
    text = text.replace("ASKED", table.code)
    if kind == "mail":
        return masked(table, table.answer_to(table.bare(seat, text)))
    answer = table.answer(seat, text, minutes_ago=int(words[1]) if words else 0)
    match = _CODE.search(answer)
    table.code = match[2] if match else table.code
    return masked(table, answer)


def token(address: str) -> str:
    return address.split("@")[0].rpartition("-")[2]


def masked(table: PlayedBattle, text: str) -> str:
    """The answer without the marks that the server's key makes, tokens and nonces, and what follows from them."""
    for address in table.known():
        text = text.replace(token(address), "TOKEN")
    text = _CODE.sub(r"\1 ASKED", text)
    text = re.sub(r"^# SEEN (\d+) \S+ \S+$", r"# SEEN \1 ROOT MARK", text, flags=re.MULTILINE)
    return re.sub(r"^( *(?:ORDERS|ORDENES|VERIFY|VERIFICAR) T\d+) #\w{4}$", r"\1 #NONCE", text, flags=re.MULTILINE)


if __name__ == "__main__":
    for story in [Path(name) for name in sys.argv[1:]] or sorted(STORIES.glob("*.txt")):
        head, letters = read(story)
        story.write_text(written(head, play(letters)), "utf-8")
