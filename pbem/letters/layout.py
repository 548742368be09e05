"""Lines of text: seventy-two columns, words kept whole, at most a hundred and fifty lines a letter.

Addresses, order lines and long names are never broken: a line with one of those may be longer.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Arg, Msg, msg
from pbem.engine.data.report import PLAIN, Block, Entry, Line, Report, Table, runs
from pbem.letters.catalogue import Catalogue, capital

WIDTH = 72
"""Columns of a letter; what mail programs quote twice without breaking."""
READABLE = 65
"""Lines of a report up to which arithmetic and dice stay in it: what is read on one screen or two."""
LINES = 150
"""Lines of a letter at most."""
SPARE = 50
"""Lines more that it may have if it cannot be brought to `LINES` anyway: for forces, outcomes and a long form."""
ONCE = 30
"""Lines that the first and the last letter of a game may have besides."""


def clean(text: str) -> str:
    """Return `text` without control characters; tabs and odd blanks become blanks, line feeds stay."""
    return text if all(map(str.isprintable, text.split("\n"))) else text.translate(_CLEAN)


class _Clean(dict[int, str]):
    """What each character is shown as, worked out when it is first met."""

    def __missing__(self, code: int) -> str:
        c = chr(code)
        self[code] = shown = c if c == "\n" or c.isprintable() else " " if c.isspace() else ""
        return shown


_CLEAN = _Clean()


def wrap(text: str, indent: int = 0, hang: int | None = None) -> str:
    """Return `text` as one paragraph, indented by `indent` columns and by `hang` from its second line on."""
    bare = " ".join(text.split())
    if bare and indent + len(bare) <= WIDTH:
        return " " * indent + bare
    return textwrap.fill(
        bare,
        WIDTH,
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent if hang is None else hang),
        break_long_words=False,
        break_on_hyphens=False,
    )


def unbroken(text: str, indent: int = 0, hang: int | None = None) -> str:
    """Return `text` for a screen reader: its own lines, none of them broken or indented."""
    return "\n".join(" ".join(line.split()) for line in text.split("\n"))


def excerpt(line: str, column: int, width: int = WIDTH) -> tuple[str, int]:
    """Return the part of `line` around `column` that fits in `width`, and the column in that part.

    A long line is cut on the sides, with ``...`` for what is missing.
    """
    line = line.replace("\t", " ")
    column = max(0, min(column, len(line)))
    if len(line) <= width:
        return line, column
    start = max(0, min(column - width // 2, len(line) - width + 3))
    head = "..." if start else ""
    room = width - len(head)
    rest = line[start:]
    shown = rest if len(rest) <= room else rest[: room - 3] + "..."
    return head + shown, column - start + len(head)


def tidy(lines: Iterable[str]) -> list[str]:
    """Return the lines without trailing blanks, never two empty ones in a row, none at the ends."""
    out: list[str] = []
    for line in lines:
        bare = line.rstrip()
        if bare or (out and out[-1]):
            out.append(bare)
    while out and not out[-1]:
        out.pop()
    return out


# What of a letter is shown, in words: all of it, or as much as a letter has room for.
#
# The templates put it into lines or into cells; what they get is the same. For a screen reader nothing is drawn, and
# what the eye takes from columns, carets and brackets is said.


class Cut(NamedTuple):
    """How much of each part a letter shows at most; None shows all of it, `bare` leaves out what is drawn, and tables.

    `fruitful` keeps the details of those happenings alone that something came of, `outcomes` no others at all; `spare`
    is for the lines of parts that can be had elsewhere, such as charts.
    """

    details: int | None = None
    errors: int | None = None
    lines: int | None = None
    bare: bool = False
    fruitful: bool = False
    outcomes: bool = False
    spare: int | None = None


LADDER = (
    Cut(),
    Cut(fruitful=True),
    Cut(details=2, fruitful=True),
    Cut(details=1, fruitful=True),
    Cut(details=0),
    Cut(details=0, outcomes=True),
    Cut(details=0, outcomes=True, spare=12),
    Cut(details=0, outcomes=True, spare=3),
    Cut(details=0, outcomes=True, errors=15, spare=3),
    Cut(details=0, outcomes=True, errors=15, lines=30, spare=3),
    Cut(details=0, outcomes=True, errors=8, lines=30, bare=True, spare=3),
    Cut(details=0, outcomes=True, errors=8, lines=12, bare=True, spare=3),
    Cut(details=0, outcomes=True, errors=4, lines=5, bare=True, spare=3),
)
"""Cuts that are tried in order until the letter is short enough: arithmetic and dice go first, then charts, which can
be had by themselves, then what was asked and ordered, happenings last.

What came of a happening, such as who won and who lost what, is never cut, however long the letter then is.
"""


SHORTER = LADDER[:5]
"""The cuts that leave out arithmetic and dice alone; a report that is not `READABLE` by them tells outcomes alone."""


NEAREST = Cut(details=0, outcomes=True, errors=15, lines=30, bare=True, spare=3)
"""The cut of a letter that none of those makes short enough, for what is never cut is too long."""


class Place(NamedTuple):
    """A refused line as it is shown: the excerpt, what stands under it, and what is said of it."""

    line: int
    text: str
    under: str
    why: str
    suggestions: tuple[str, ...]


class Happening(NamedTuple):
    """A numbered event as it is shown, and said in full, with the details that stay.

    Each of these has with it whether it tells by itself what came of the event; with `outcome` the event does, or one
    of them.
    """

    number: int
    said: str
    rule: str
    text: str
    details: tuple[tuple[bool, str], ...]
    outcome: bool


class Row(NamedTuple):
    """A line of a block: its depth of indentation, or `PLAIN` if it stands as it is; what is `drawn` is not wrapped."""

    depth: int
    text: str
    drawn: bool = False


class Aloud(Catalogue):
    """A language as it is read aloud: of a long list each item begins a line."""

    _SHORT = 8

    def _listed(self, values: Sequence[Arg]) -> str:
        return (",\n" if len(values) > self._SHORT else ", ").join(self.fill(value) for value in values)


class Shown:
    """The parts of letters in one language, cut to size; what is to be read `aloud` has nothing drawn in it.

    `paged`, pictures and tables stand in the place of the lines that say the same.
    """

    def __init__(self, words: Catalogue, cut: Cut, aloud: bool = False, paged: bool = False) -> None:
        self.words, self.cut, self.aloud, self.paged = words, cut, aloud, paged
        # By identity; each value holds its key's object, so that no other object gets that identity.
        self._rows: dict[int, tuple[object, list[Row]]] = {}
        self._report: dict[int, tuple[Json, Report]] = {}
        self._sentences: dict[int, tuple[Msg, str]] = {}

    def cut_to(self, cut: Cut) -> Shown:
        """The same for another cut of the same letter: what was read and said of it is not read and said again."""
        other = Shown(self.words, cut, self.aloud, self.paged)
        other._rows, other._report, other._sentences = self._rows, self._report, self._sentences
        return other

    def letter(self, letter: Json) -> dict[str, Any]:
        """What the templates of a letter are filled with, but for its first and its last lines."""
        report = None if letter["report"] is None else self._read_report(letter["report"])
        cut = self.cut
        opening, wanted = [self.said(one) for one in letter["opening"]], letter.get("wanted", 0)
        return {
            "news": capital(self.said(letter["news"])) if "news" in letter else "",
            "heading": self.heading(letter),
            "opening": opening,
            "wanted": opening[:wanted],
            "besides": opening[wanted:],
            "picture": self.picture(letter),
            "report": None if report is None else self.report(report, drawn_too=bool(letter["template"])),
            "shortened": report is not None and any(map(self.shortened, report.entries)),
            **_listed("errors", [self.place(e) for e in letter["errors"]], cut.errors),
            **_listed("warnings", [self.warning(w) for w in letter["warnings"]], cut.errors),
            "blocks": [self.block(b) for b in letter["blocks"]],
            "several": letter["kind"] == "answer" and len(letter["blocks"]) > 1,
            "closing": [self.said(one) for one in letter["closing"]],
            "buttons": self.buttons(letter),
        }

    def _read_report(self, stored: Json) -> Report:
        """Read a report once for all cuts."""
        if id(stored) not in self._report:
            self._report[id(stored)] = stored, Report.from_json(stored)
        return self._report[id(stored)][1]

    def _say(self, sentence: Msg) -> str:
        """Say a sentence of the report once for all cuts."""
        if id(sentence) not in self._sentences:
            self._sentences[id(sentence)] = sentence, self.words.say(sentence)
        return self._sentences[id(sentence)][1]

    def _rows_of(self, block: Json | Block, lines: Iterable[Json | Line]) -> list[Row]:
        """Say the lines of a block once for all cuts."""
        if id(block) not in self._rows:
            self._rows[id(block)] = block, self.rows(lines)
        return self._rows[id(block)][1]

    def said(self, stored: Json) -> str:
        """A stored sentence."""
        return self.words.say(Msg.from_json(stored))

    def heading(self, letter: Json) -> str:
        """Return title, game and phase; a report's title is that of its battle."""
        report = letter["report"]
        title = self.said(report["title"] if report else letter["title"]) if report or letter["title"] else ""
        return " - ".join(
            part
            for part in (title, letter["game"], capital(self.words.phase(letter["phase"].removesuffix("~1"))))
            if part
        )

    def picture(self, shown: Json) -> dict[str, Any] | None:
        """The picture of a letter or of one of its blocks; None where a page has none to show."""
        came = shown.get("picture") if self.paged else None
        return {**came, "alt": self.said(came["alt"])} if came and "cid" in came else None

    def report(self, report: Report, drawn_too: bool = False) -> dict[str, Any]:
        """A report cut to size: numbers stay those of the whole, what is left out is counted.

        With `drawn_too` what is drawn stays, however bare the cut: who is to move needs the map.
        """
        say, cut = self._say, self.cut
        happenings = [
            Happening(
                number,
                say(entry.text),
                entry.rule,
                f"#{number} {self.cited(say(entry.text), entry.rule)}",
                self.below(entry),
                bool(entry.outcomes),
            )
            for number, entry in enumerate(report.entries, report.first)
        ]
        return {
            "title": say(report.title),
            "standing": [
                {"title": self.title(block.title), **_listed("lines", self._rows_of(block, block.lines), None)}
                for block in report.head
            ],
            "summary": [say(line) for line in report.summary],
            **_happened(happenings, cut.outcomes),
            "blocks": [
                {
                    "title": self.title(b.title),
                    "drawn": drawn(b),
                    "table": self.table(b.table) if self.paged and b.table and not cut.bare else None,
                    **_listed("lines", self._rows_of(b, b.lines), None if drawn(b) or b.whole else cut.lines),
                }
                for b in report.blocks
                if (b.lines or (self.paged and b.table)) and (b.whole or drawn_too or not (cut.bare and drawn(b)))
            ],
        }

    def below(self, entry: Entry) -> tuple[tuple[bool, str], ...]:
        """Return the lines below a happening, each with whether it is an outcome; one line if only outcomes stay."""
        lines = tuple(
            (at in entry.kept and at not in entry.joined, self._say(entry.details[at]))
            for at in entry.shown(self.most(entry))
        )
        if self.most(entry) == 0 and len(lines) > 1 and not self.aloud and not self.paged:
            return ((True, "; ".join(said for _, said in lines)),)
        return lines

    def shortened(self, entry: Entry) -> bool:
        """Whether there is no room for all that stands below a happening."""
        return len(entry.shown(self.most(entry))) < len(entry.details)

    def most(self, entry: Entry) -> int | None:
        """How much besides what came of it may stand below a happening; None for all of it."""
        return 0 if self.cut.fruitful and not entry.outcomes else self.cut.details

    def cited(self, said: str, rule: str) -> str:
        """A sentence in words with its rule behind it in brackets, or said."""
        if self.aloud and rule:
            return f"{said} {self.words.say(msg('Rule {number}', number=rule))}."
        return said + (f" [{rule}]" if rule else "")

    def place(self, error: Json) -> Place:
        """A refused line, with carets under what is wrong in it, or with that word."""
        why = self.cited(self.said(error["why"]), error["rule"])
        text, column = excerpt(error["text"], error["column"], 60)
        width = max(1, min(error["width"], len(text) - column))
        under = " " * column + "^" * width
        if self.aloud:
            word = text[column : column + width].strip()
            under = self.words.say(msg("It is about: {word}", word=word)) if word else ""
        return Place(error["line"], text, under, why, tuple(error["suggestions"]))

    def warning(self, warning: Json) -> str:
        """A warning, with its line if it is about one."""
        why = self.cited(self.said(warning["why"]), warning["rule"])
        line = warning["line"]
        return self.words.say(msg("line {line}: {why}", line=line, why=why)) if line else why

    def block(self, block: Json) -> dict[str, Any]:
        """Plain lines stand as they came, sentences are said."""
        most = None if block.get("whole") else self.cut.spare if block.get("spare") else self.cut.lines
        picture = self.picture(block)
        said = self._rows_of(block, (line for line in block["lines"] if picture is None or not _is_drawn(line)))
        title = self.title(Msg.from_json(block["title"]))
        return {"title": title, "picture": picture, "buttons": self.buttons(block), **_ends(said, most)}

    def buttons(self, shown: Json) -> list[tuple[str, str]]:
        """Return the buttons of a letter or of one of its blocks: what each says, and the letter that it opens."""
        return [(self.said(label), body) for label, body in shown.get("buttons", ())]

    def table(self, table: Table) -> dict[str, Any]:
        """A table in the reader's language: its heads, and under the title of each group its rows."""
        say, fill = self.words.say, self.words.fill
        groups = [(say(title), [_cells(tuple(map(fill, row))) for row in rows]) for title, rows in table.groups]
        return {"heads": [say(head) for head in table.heads], "groups": groups}

    def title(self, title: Msg) -> str:
        """The title of a block; to be read aloud, it says that something follows."""
        return _followed(self.words.say(title)) if self.aloud else self.words.say(title)

    def rows(self, lines: Iterable[Json | Line]) -> list[Row]:
        """Lines said in the reader's language; to be read aloud, without what is drawn, and with what they head."""
        found = [self.row(line) for line in lines]
        if not self.aloud:
            return [row for row, _ in found]
        told: list[Row] = []
        for is_drawn, some in groupby(found, key=lambda one: one[1]):
            told += [Row(0, self.words.say(_UNDRAWN))] if is_drawn else [row for row, _ in some]
        pairs = zip(told, [*told[1:], Row(PLAIN, "")], strict=True)
        return [row._replace(text=_followed(row.text)) if 0 <= row.depth < after.depth else row for row, after in pairs]

    def row(self, line: Json | Line) -> tuple[Row, bool]:
        """A line, and whether it is drawn: lines of text that stand as they are, such as orders, are not."""
        if isinstance(line, str):
            return Row(PLAIN, line), False
        if isinstance(line, dict):
            return Row(PLAIN, self.words.say(Msg.from_json(line))), False
        depth, said = line
        text = self.words.say(said if isinstance(said, Msg) else Msg.from_json(said))
        return Row(depth, text, depth == PLAIN), depth == PLAIN


_UNDRAWN = msg("A map is drawn here in letters of another format.")


def rows(lines: Iterable[Row]) -> list[tuple[bool, list[Row]]]:
    """Lines in runs, each with whether it stands as it is."""
    return [(plain, list(run)) for plain, run in groupby(lines, key=lambda row: row.depth == PLAIN)]


def drawn(block: Block) -> bool:
    """Whether a block is a drawing, such as a map, of which a part is worth nothing."""
    return any(depth == PLAIN for depth, _ in block.lines)


def _is_drawn(line: Json) -> bool:
    return isinstance(line, list) and line[0] == PLAIN


def _cells(row: tuple[str, ...]) -> tuple[str, str, tuple[str, ...]]:
    """Who it is, in what state, and the cells between."""
    return row[0], row[-1], row[1:-1]


def _followed(said: str) -> str:
    return said if said[-1:] in ".:?!" else said + ":"


def _listed(name: str, items: Sequence[object], most: int | None) -> dict[str, Any]:
    """The first `most` items under `name`, and under ``more_<name>`` how many are left out."""
    shown = items if most is not None and len(items) == most + 1 else items[:most]
    return {name: shown, f"more_{name}": len(items) - len(shown)}


def _happened(happenings: Sequence[Happening], outcomes: bool) -> dict[str, Any]:
    """Return the happenings under ``entries``, and under ``left`` the numbers of those left out.

    With `outcomes` those without one are left out, unless the game marks none in this report.
    """
    drops = outcomes and any(happening.outcome for happening in happenings)
    gone = [happening.number for happening in happenings if drops and not happening.outcome]
    return {"entries": [happening for happening in happenings if happening.number not in gone], "left": runs(gone)}


def _ends(items: Sequence[object], most: int | None) -> dict[str, Any]:
    """The first and the last of `most` items under ``head`` and ``tail``, and under ``left`` how many are not."""
    if most is None or len(items) <= most + 1:  # In the place of one line that line itself can stand.
        return {"head": items, "tail": (), "left": 0}
    after = most // 2
    return {"head": items[: most - after], "tail": items[len(items) - after :], "left": len(items) - most}
