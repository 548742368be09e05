"""Lay out text: 72 columns, whole words, at most 150 lines a letter.

Addresses, order lines and long names are never broken: a line with one of those may be longer.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from functools import lru_cache
from itertools import groupby
from typing import Any, NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Arg, msg
from pbem.engine.data.report import DRAWING_DEPTH, number_ranges
from pbem.letters.catalogue import Catalogue, capitalize_first

LETTER_COLUMNS = 72
"""Columns of a letter: a line of 72 stays within 80 when mail programs quote it twice (RFC 5322, 2.1.1, recommends
78)."""
READABLE_LINES = 50
"""Lines of a report up to which it keeps arithmetic and dice, and the map for readers who only wait: one screen."""
MOST_LETTER_LINES = 150
"""Lines of a letter at most: three screens or printed pages; a longer one is not read to its end."""
SPARE_LINES = 50
"""Further lines that a letter may have if it cannot be brought to `MOST_LETTER_LINES` anyway: for forces, outcomes and
a long form, since nothing that decides is left out."""
TERMS_LINES = 30
"""Further lines of the first and the last letter of a game: for terms and goals, result and standings."""


def strip_controls(text: str) -> str:
    """Return `text` without control characters; tabs and odd blanks become spaces."""
    return text if all(map(str.isprintable, text.split("\n"))) else text.translate(_CLEAN)


class _Clean(dict[int, str]):
    """The replacement of each character, computed when it first occurs."""

    def __missing__(self, code: int) -> str:
        c = chr(code)
        self[code] = shown = c if c == "\n" or c.isprintable() else " " if c.isspace() else ""
        return shown


_CLEAN = _Clean()


@lru_cache(4096)
def wrap(text: str, indent: int = 0, hang: int | None = None) -> str:
    """Return `text` as one indented paragraph.

    From its second line on the indent is `hang`.
    """
    words = text.split()
    if not words:
        return ""
    lines, line = [], " " * indent + words[0]
    margin = line[:indent] if hang is None else " " * hang
    for word in words[1:]:
        if len(line) + 1 + len(word) <= LETTER_COLUMNS:
            line += " " + word
        else:
            lines.append(line)
            line = margin + word
    return "\n".join((*lines, line))


def keep_lines(text: str, indent: int = 0, hang: int | None = None) -> str:
    """Return `text` for a screen reader: lines are neither broken nor indented."""
    return "\n".join(" ".join(line.split()) for line in text.split("\n"))


def excerpt(line: str, column: int, width: int = LETTER_COLUMNS) -> tuple[str, int]:
    """Return the part of `line` around `column` that fits in `width`.

    The column in that part is returned too. A long line is cut on the sides, with ``...`` for the missing text.
    """
    line = line.replace("\t", " ")
    # A fault may be behind the end, where something is missing; never outside of the line.
    column = max(0, min(column, len(line)))
    if len(line) <= width:
        return line, column
    # The fault in the middle, but no text left unused at either end; 3 is the length of the dots at the front.
    start = max(0, min(column - width // 2, len(line) - width + 3))
    head = "..." if start else ""
    room = width - len(head)
    rest = line[start:]
    visible = rest if len(rest) <= room else rest[: room - 3] + "..."
    return head + visible, column - start + len(head)


def tidy_lines(lines: Iterable[str]) -> list[str]:
    """Return the lines without trailing blanks, double empty lines, and empty ends."""
    result: list[str] = []
    for line in lines:
        bare = line.rstrip()
        if bare or (result and result[-1]):
            result.append(bare)
    while result and not result[-1]:
        result.pop()
    return result


# The shown parts of a letter in words, cut to size.
#
# The templates put it into lines or into cells; what they get is the same. For a screen reader nothing is drawn, and
# what the eye takes from columns, carets and brackets is said.


class LengthCut(NamedTuple):
    """The most of each part in a letter; None shows all of it.

    `bare` omits drawings and tables. `fruitful` keeps details only of events with results; `spare` limits lines
    that a command shows, such as charts.
    """

    details: int | None = None
    errors: int | None = None
    lines: int | None = None
    bare: bool = False
    fruitful: bool = False
    outcomes: bool = False
    spare: int | None = None


CUTS = (
    LengthCut(),
    LengthCut(fruitful=True, bare=True),
    LengthCut(fruitful=True, outcomes=True, bare=True),
    LengthCut(details=0, outcomes=True, bare=True),
    LengthCut(details=0, outcomes=True, bare=True, spare=12),
    LengthCut(details=0, outcomes=True, bare=True, spare=3),
    LengthCut(details=0, outcomes=True, bare=True, errors=15, spare=3),
    LengthCut(details=0, outcomes=True, bare=True, errors=15, lines=30, spare=3),
    LengthCut(details=0, outcomes=True, errors=8, lines=30, bare=True, spare=3),
    LengthCut(details=0, outcomes=True, errors=8, lines=12, bare=True, spare=3),
    LengthCut(details=0, outcomes=True, errors=4, lines=5, bare=True, spare=3),
)
"""Cuts that are tried in order until the letter is short enough: first arithmetic and dice go, then charts, which a
command shows, then echoed questions and orders, events last. What came of an event, such as the winner and the losses,
is never cut, however long the letter then is. The numbers are choices, each about half of the one before."""


MILD_CUTS = CUTS[:3]
"""The cuts that leave out only arithmetic and dice; a report that is still longer than `READABLE_LINES` shows only
outcomes."""


LAST_CUT = LengthCut(details=0, outcomes=True, errors=15, lines=30, bare=True, spare=3)
"""The last cut, for a letter whose uncuttable parts alone are too long: the one of `CUTS` before those that shorten the
answers to the reader's own lines further, since no more is cut than brings the letter near the limit."""


class ShownFault(NamedTuple):
    """A refused line as shown: the excerpt, the line under it, and the reason."""

    line: int
    text: str
    under: str
    why: str
    suggestions: tuple[str, ...]


class Happening(NamedTuple):
    """A numbered event as shown, in words, with the details that stay.

    Each detail has a flag for a result; `outcome` is True if the event or one of its details is a result, `elsewhere`
    if another part of the report tells it.
    """

    number: int
    said: str
    rule: str
    text: str
    details: tuple[tuple[bool, str], ...]
    outcome: bool
    elsewhere: bool


class Row(NamedTuple):
    """A line of a block: depth and text.

    The depth is `DRAWING_DEPTH` for an unchanged line; a `drawn` line is not wrapped.
    """

    depth: int
    text: str
    drawn: bool = False


class ReadAloud(Catalogue):
    """A language for screen readers: each item of a long list begins a line."""

    _SHORT = 8

    def _join_values(self, values: Sequence[Arg]) -> str:
        return (",\n" if len(values) > self._SHORT else ", ").join(self.fill(value) for value in values)


class LetterParts:
    """The parts of letters in one language, cut to size.

    `aloud` is for a screen reader, without drawings. With `paged` pictures and tables replace the lines with the
    same content.
    """

    def __init__(self, words: Catalogue, cut: LengthCut = CUTS[0], aloud: bool = False, paged: bool = False) -> None:
        self.words, self.cut, self.aloud, self.paged = words, cut, aloud, paged
        # By identity of what is stored; each value holds its key's object, so that no other object gets that identity.
        self._said: dict[int, tuple[Json, str]] = {}
        self._rows: dict[tuple[int, bool], tuple[Json, list[Row]]] = {}

    def cut_to(self, cut: LengthCut, paged: bool = False) -> LetterParts:
        """Return the same parts for another cut, or for a page, sharing what is in words."""
        other = copy(self)
        other.cut, other.paged = cut, paged
        return other

    def letter(self, letter: Json) -> dict[str, Any]:
        """Return the data of a letter's templates, except its first and last lines."""
        report, cut = letter["report"], self.cut
        opening, wanted = [self.say(sentence) for sentence in letter["opening"]], letter.get("wanted", 0)
        return {
            "news": capitalize_first(self.say(letter["news"])) if "news" in letter else "",
            "heading": self.heading(letter),
            "opening": opening,
            "wanted": opening[:wanted],
            "besides": opening[wanted:],
            "picture": self.picture(letter),
            # Who is to move needs the map, and the first and last letter show it to everybody.
            "report": report
            and self.report(report, drawn_too=bool(letter["template"] or len(report.get("head", ())) > 1)),
            "shortened": report is not None and any(map(self.is_shortened, report["entries"])),
            **_first_items("errors", [self.place(e) for e in letter["errors"]], cut.errors),
            **_first_items("warnings", [self.warning(w) for w in letter["warnings"]], cut.errors),
            "blocks": [self.block(b) for b in letter["blocks"]],
            "several": letter["kind"] == "answer" and len(letter["blocks"]) > 1,
            "closing": [self.say(sentence) for sentence in letter["closing"]],
            "buttons": self.buttons(letter),
        }

    def say(self, stored: Json) -> str:
        """Return a stored sentence in words, said once for all cuts."""
        if id(stored) not in self._said:
            self._said[id(stored)] = stored, self.words.say(stored)
        return self._said[id(stored)][1]

    def _rows_of(self, block: Json, drawn_too: bool = True) -> list[Row]:
        """Return the lines of a block, rendered once for all cuts."""
        key = id(block), drawn_too
        if key not in self._rows:
            self._rows[key] = block, self.rows(line for line in block["lines"] if drawn_too or not _is_drawn(line))
        return self._rows[key][1]

    def heading(self, letter: Json) -> str:
        """Return title, game and phase."""
        report = letter["report"]
        title = self.say(report["title"] if report else letter["title"]) if report or letter["title"] else ""
        return " - ".join(
            part
            for part in (title, letter["game"], capitalize_first(self.words.phase(letter["phase"].removesuffix("~1"))))
            if part
        )

    def picture(self, part: Json) -> dict[str, Any] | None:
        """Return the picture of a letter or block; None where a page has none."""
        stored = part.get("picture") if self.paged else None
        return {**stored, "alt": self.say(stored["alt"])} if stored and "cid" in stored else None

    def report(self, report: Json, drawn_too: bool = False) -> dict[str, Any]:
        """Return a stored report cut to size: numbers stay, omitted entries are counted.

        `drawn_too`: drawings stay in any cut, because the side to move needs the map.
        """
        say, cut = self.say, self.cut
        happenings = [
            Happening(
                number,
                (sentence := say(entry["text"])),
                entry["rule"],
                f"#{number} {self.with_rule(sentence, entry['rule'])}",
                self.below(entry),
                _has_result(entry),
                entry.get("elsewhere", False),
            )
            for number, entry in enumerate(report["entries"], report.get("first", 1))
        ]
        return {
            "title": say(report["title"]),
            "standing": [
                {"title": self.title(block["title"]), **_first_items("lines", self._rows_of(block), None)}
                for block in report.get("head", ())
            ],
            "summary": [say(line) for line in report["summary"]],
            **_select_happenings(happenings, cut.outcomes),
            "blocks": [
                self._report_block(block, is_drawing(block))
                for block in report["blocks"]
                if (block["lines"] or (self.paged and "table" in block))
                and (block.get("whole") or drawn_too or not (cut.bare and is_drawing(block)))
            ],
        }

    def _report_block(self, block: Json, drawn: bool) -> dict[str, Any]:
        """Return a block of a report; a drawing is never cut in part."""
        is_whole = drawn or block.get("whole")
        return {
            "title": self.title(block["title"]),
            "drawn": drawn,
            "table": self.table(block["table"]) if self.paged and "table" in block and not self.cut.bare else None,
            **_first_items("lines", self._rows_of(block), None if is_whole else self.cut.lines),
        }

    def below(self, entry: Json) -> tuple[tuple[bool, str], ...]:
        """Return the lines below an event, each with a flag for a result.

        If only results stay, they form one line.
        """
        is_brief = self.most(entry) == 0 and not self.aloud and not self.paged
        details, kept, joined = entry["details"], entry["kept"], entry.get("joined", ())
        lines = tuple(
            (
                index in kept and index not in joined,
                self.say(_without_rule(details[index]) if is_brief else details[index]),
            )
            for index in _shown_details(entry, self.most(entry))
        )
        return ((True, "; ".join(text for _, text in lines)),) if is_brief and len(lines) > 1 else lines

    def is_shortened(self, entry: Json) -> bool:
        """Return whether lines below a happening are omitted."""
        return len(_shown_details(entry, self.most(entry))) < len(entry["details"])

    def most(self, entry: Json) -> int | None:
        """Return how many lines besides results stay below an event; None for all."""
        return 0 if self.cut.fruitful and not _has_result(entry) else self.cut.details

    def with_rule(self, sentence: str, rule: str) -> str:
        """Return a sentence with its rule, in brackets or, read aloud, in words."""
        if self.aloud and rule:
            return f"{sentence} {self.words.say(msg('Rule {number}', number=rule))}."
        return sentence + (f" [{rule}]" if rule else "")

    def place(self, error: Json) -> ShownFault:
        """Return a refused line with its fault marked by carets, or by the word itself."""
        why = self.with_rule(self.say(error["why"]), error["rule"])
        # A choice: with the indent of the template it stays within `LETTER_COLUMNS`.
        text, column = excerpt(error["text"], error["column"], 60)
        # At least one caret, and none beyond what is left of the line.
        width = max(1, min(error["width"], len(text) - column))
        under = " " * column + "^" * width
        if self.aloud:
            word = text[column : column + width].strip()
            under = self.words.say(msg("It is about: {word}", word=word)) if word else ""
        return ShownFault(error["line"], text, under, why, tuple(error["suggestions"]))

    def warning(self, warning: Json) -> str:
        """Return a warning, with its line if there is one."""
        why = self.with_rule(self.say(warning["why"]), warning["rule"])
        line = warning["line"]
        return self.words.say(msg("line {line}: {why}", line=line, why=why)) if line else why

    def block(self, block: Json) -> dict[str, Any]:
        """Return a block: plain lines unchanged, sentences in words."""
        most = None if block.get("whole") else self.cut.spare if block.get("spare") else self.cut.lines
        picture = self.picture(block)
        return {
            "title": self.title(block["title"]),
            "picture": picture,
            "buttons": self.buttons(block),
            **_ends(self._rows_of(block, drawn_too=picture is None), most, block.get("kept", ())),
        }

    def buttons(self, part: Json) -> list[tuple[str, str]]:
        """Return the buttons of a letter or block: label, and the letter it opens."""
        return [(self.say(label), body) for label, body in part.get("buttons", ())]

    def table(self, table: Json) -> dict[str, Any]:
        """Return a table in the reader's language: headings, and rows by group."""
        fill = self.words.fill
        groups = [(self.say(title), [_cells([*map(fill, row)]) for row in rows]) for title, rows in table["groups"]]
        return {"heads": [self.say(head) for head in table["heads"]], "groups": groups}

    def title(self, title: Json) -> str:
        """Return the title of a block; read aloud, with a colon."""
        return _with_colon(self.say(title)) if self.aloud else self.say(title)

    def rows(self, lines: Iterable[Json]) -> list[Row]:
        """Return lines in the reader's language.

        Read aloud they have no drawings, and headings end with a colon.
        """
        drawn_rows = [self.row(line) for line in lines]
        if not self.aloud:
            return [row for row, _ in drawn_rows]
        result: list[Row] = []
        for is_drawn, group in groupby(drawn_rows, key=lambda item: item[1]):
            result += [Row(0, self.words.say(_UNDRAWN))] if is_drawn else [row for row, _ in group]
        pairs = zip(result, [*result[1:], Row(DRAWING_DEPTH, "")], strict=True)
        return [
            row._replace(text=_with_colon(row.text)) if 0 <= row.depth < after.depth else row for row, after in pairs
        ]

    def row(self, line: Json) -> tuple[Row, bool]:
        """Return a line as a row, and whether it belongs to a drawing such as a map.

        Unchanged text such as orders is no drawing.
        """
        if isinstance(line, str):
            return Row(DRAWING_DEPTH, line), False
        if isinstance(line, dict):
            text = self.say(line)
            # Such as the head of a chart; the rows of its columns are never broken.
            if len(text) > LETTER_COLUMNS and "|" not in text and not self.aloud:
                hang = " " * (len(text) - len(text.lstrip()) + 4)
                text = textwrap.fill(
                    text, LETTER_COLUMNS, subsequent_indent=hang, break_long_words=False, break_on_hyphens=False
                )
            return Row(DRAWING_DEPTH, text), False
        depth, sentence = line
        return Row(depth, self.say(sentence), depth == DRAWING_DEPTH), depth == DRAWING_DEPTH


def _without_rule(line: Json) -> Json:
    """Return a result without its rule in brackets, which WHY tells."""
    text = line["args"].get("text")
    return text["msg"] if line["text"] == "{text} [{rule}]" and isinstance(text, dict) else line


def _has_result(entry: Json) -> bool:
    """Return whether an event or one of the lines below it is a result."""
    return bool(entry["outcome"] or entry["kept"])


def _shown_details(entry: Json, most: int | None) -> Sequence[int]:
    """Return the places of the lines below an event to show, in order.

    They are all in ``kept``, and at most `most` others.
    """
    kept, joined = entry["kept"], entry.get("joined", ())
    if most is None:
        return range(len(entry["details"]))
    groups: list[list[int]] = []
    for index in (place for place in range(len(entry["details"])) if place not in kept):
        if index in joined and groups and groups[-1][-1] == index - 1:
            groups[-1].append(index)
        else:
            groups.append([index])
    return sorted((*kept, *(place for group in groups[:most] for place in group)))


_UNDRAWN = msg("A map is drawn here in letters of another format.")


def indent_row(row: Row, lay: Callable[[str, int, int], str] = wrap) -> str:
    """Return a line of a block at its depth; drawings are unchanged."""
    return row.text if row.depth == DRAWING_DEPTH else lay(row.text, 2 + 2 * row.depth, 4 + 2 * row.depth)


def count_lines(content: dict[str, Any], form: Sequence[str]) -> int:
    """Return how many lines a letter of this content has at least.

    Sentences and rows are counted, and the form; titles, blank lines and remarks come on top.
    """
    report = content["report"] or {"standing": (), "blocks": (), "entries": ()}
    shown = [*form, *map(wrap, content["opening"]), *map(wrap, content["closing"])]
    for happening in report["entries"]:
        shown += (wrap(happening.text, 0, 4), *(wrap(text, 4, 6) for _, text in happening.details))
    for block in (*report["standing"], *report["blocks"]):
        shown += map(indent_row, block["lines"])
    for block in content["blocks"]:
        shown += map(indent_row, (*block["head"], *block["tail"]))
    return sum(not line.isspace() and line != "" for text in shown for line in text.split("\n"))


def group_lines(lines: Iterable[Row]) -> list[tuple[bool, list[Row]]]:
    """Group lines into runs, each with whether it is unchanged."""
    return [(plain, list(run)) for plain, run in groupby(lines, key=lambda row: row.depth == DRAWING_DEPTH)]


def is_drawing(block: Json) -> bool:
    """Return whether a block is a drawing, such as a map, which is never cut in part."""
    return any(map(_is_drawn, block["lines"]))


def _is_drawn(line: Json) -> bool:
    return isinstance(line, list) and line[0] == DRAWING_DEPTH


def _cells(row: Sequence[str]) -> tuple[str, str, Sequence[str]]:
    """Return the name, the state, and the cells between them of a row."""
    return row[0], row[-1], row[1:-1]


def _with_colon(title: str) -> str:
    return title if title[-1:] in ".:?!" else title + ":"


def _first_items(name: str, items: Sequence[object], most: int | None) -> dict[str, Any]:
    """Return the first `most` items under `name`, and the number of others."""
    first_items = items if most is not None and len(items) == most + 1 else items[:most]
    return {name: first_items, f"more_{name}": len(items) - len(first_items)}


_UNMARKED = 40
"""Events that stay in a long report of a game that marks no results: its first screen and a half."""


def _select_happenings(happenings: Sequence[Happening], outcomes: bool) -> dict[str, Any]:
    """Return the events to show, and the numbers of the omitted ones.

    The keys are ``entries`` and ``left``. Events that other parts of the report tell are omitted, and with `outcomes`
    those without a result. If the game marks no results in this report and there are more than `_UNMARKED` events,
    those in the middle are omitted.
    """
    elsewhere = {happening.number for happening in happenings if happening.elsewhere}
    unmarked = [happening.number for happening in happenings if outcomes and not happening.outcome]
    if len(unmarked) == len(happenings):
        unmarked = unmarked[_UNMARKED // 2 : -_UNMARKED // 2]
    omitted = sorted(elsewhere.union(unmarked))
    return {
        "entries": [happening for happening in happenings if happening.number not in omitted],
        "left": number_ranges(omitted),
    }


def _ends(items: Sequence[object], most: int | None, kept: Sequence[int] = ()) -> dict[str, Any]:
    """Return the first and last of the items, and the number of omitted ones.

    At most `most` items stay; if some are to be `kept`, these and the first.
    """
    if most is None or len(items) <= most + 1:  # In the place of one line that line itself can stand.
        return {"head": items, "tail": (), "left": 0}
    if kept:
        head = [item for index, item in enumerate(items) if index in {0, *kept}]
        return {"head": head, "tail": (), "left": len(items) - len(head)}
    after = most // 2
    return {"head": items[: most - after], "tail": items[len(items) - after :], "left": len(items) - most}
