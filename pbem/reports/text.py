"""Letters as text: a letter's model laid out in the reader's language by the templates of `templates/`.

The model is the plain JSON value that the campaign stores; the same model gives the same bytes for ever. What must be
done and by when comes first, the order template last::

    ##- please write above this line -##

    The title - ceuta - T3.spain
    ...
    #4 Nizam fires at Saboya: 3 heads of 4. [C6]
        coins 4, fire 4, steps 6
    ...
    ORDERS T3 #k7q2
    # MOVE Saboya, Leon WITH Prim TO C3
    END
    pbem+ceuta-spain-...@example.org - HELP lists the commands.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property
from typing import Any, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from pbem.core.canon import Json
from pbem.core.messages import Msg, msg
from pbem.core.report import PLAIN, Block, Report
from pbem.data import data
from pbem.reports.catalogue import Catalogue, load
from pbem.reports.layout import LINES, WIDTH, clean, excerpt, tidy, wrap

__all__ = ["TextLetters", "environment"]


class Cut(NamedTuple):
    """How much of each part a letter shows at most; None shows all of it, `bare` leaves out what is drawn."""

    details: int | None = None
    entries: int | None = None
    errors: int | None = None
    lines: int | None = None
    bare: bool = False


LADDER = (
    Cut(),
    Cut(details=3),
    Cut(details=1),
    Cut(details=0),
    Cut(details=0, errors=15),
    Cut(details=0, errors=15, lines=30),
    Cut(details=0, errors=15, lines=30, entries=40),
    Cut(details=0, errors=8, lines=30, entries=25, bare=True),
    Cut(details=0, errors=8, lines=12, entries=25, bare=True),
    Cut(details=0, errors=4, lines=5, entries=12, bare=True),
)
"""Tried in order until the letter is short enough: arithmetic and dice go first, happenings last."""


class Place(NamedTuple):
    """A refused line as it is shown: the excerpt, the carets under it, and what is said of it."""

    line: int
    text: str
    caret: str
    why: str
    suggestions: tuple[str, ...]


class Happening(NamedTuple):
    """A numbered event as it is shown, with the details that stay."""

    text: str
    details: tuple[Msg, ...]


class TextLetters:
    """Renders models as text; `sentinel` is the English first line of a letter, below which replies are cut."""

    def __init__(self, sentinel: str) -> None:
        self._sentinel = sentinel

    def subject(self, model: Json, language: str) -> str:
        """Return the subject, one line; ValueError for a language that is not spoken here."""
        words = load(language, model["rules"])
        return " ".join(clean(words.say(Msg.from_json(model["subject"]))).split())

    def letter(self, model: Json, language: str) -> str:
        """Return the text, LF lines, the last one ended; at most `LINES` lines unless its template alone is longer.

        ValueError for a language that is not spoken here.
        """
        words = load(language, model["rules"])
        page = _Page(words, environment(words))
        lines: list[str] = []
        for cut in LADDER:
            lines = page.lines(model, self._sentinel, cut)
            if len(lines) <= LINES:
                break
        return "\n".join(lines) + "\n"


@cache
def environment(words: Catalogue) -> Environment:
    """Return the templates' surroundings: `_` says an English sentence, filters `say` and `wrap` do what they say.

    One for each catalogue, kept with its templates: compiling them takes longer than filling them ten times.
    Statements stand on lines of their own behind ``%%``: a text letter's line feeds then are those one sees.
    """
    made = Environment(
        loader=FileSystemLoader(data("templates")),
        undefined=StrictUndefined,
        autoescape=select_autoescape(["html", "html.j2", "svg", "svg.j2"]),
        line_statement_prefix="%%",
        keep_trailing_newline=True,
    )
    made.globals["_"] = lambda text, **gaps: words.say(msg(text, **gaps))
    made.filters["say"] = words.say
    made.globals["rule"] = "-" * WIDTH
    made.filters["wrap"] = wrap
    made.filters["nested"] = nested
    return made


def nested(text: str, depth: int) -> str:
    """A line of a block, wrapped at its depth; what is drawn stands as it is."""
    return text if depth == PLAIN else wrap(text, 2 + 2 * depth, 4 + 2 * depth)


def drawn(block: Block) -> bool:
    """Whether a block is a drawing, such as a map, of which a part is worth nothing."""
    return any(depth == PLAIN for depth, _ in block.lines)


class _Page:
    """One letter in one language."""

    def __init__(self, words: Catalogue, templates: Environment) -> None:
        self.words = words
        self.templates = templates

    @cached_property
    def body(self) -> Any:
        return self.templates.get_template("letter.txt.j2")

    @cached_property
    def foot(self) -> Any:
        return self.templates.get_template("footer.txt.j2")

    def lines(self, model: Json, sentinel: str, cut: Cut) -> list[str]:
        """The whole letter; the order template stands as it came, byte for byte."""
        body = self.body.render(
            sentinel=self.words.word(sentinel),
            heading=self.heading(model),
            opening=[Msg.from_json(m) for m in model["opening"]],
            report=None if model["report"] is None else self.report(Report.from_json(model["report"]), cut),
            shortened=cut.details is not None and model["report"] is not None,
            **self.listed("errors", [self.place(e) for e in model["errors"]], cut.errors),
            **self.listed("warnings", [self.warning(w) for w in model["warnings"]], cut.errors),
            blocks=[self.block(b, cut.lines) for b in model["blocks"]],
            closing=[Msg.from_json(m) for m in model["closing"]],
        )
        foot = self.foot.render(address=model["address"])
        out = tidy(clean(body).split("\n"))
        if model["template"]:
            out += ["", *model["template"]]
        return [*out, *([] if model["template"] else [""]), *tidy(clean(foot).split("\n"))]

    def heading(self, model: Json) -> str:
        title = "" if model["title"] is None else self.words.say(Msg.from_json(model["title"]))
        return " - ".join(part for part in (title, model["game"], model["phase"].removesuffix("~1")) if part)

    def report(self, report: Report, cut: Cut) -> dict[str, Any]:
        """A report cut to size: numbers stay those of the whole, what is left out is counted."""
        happenings = [
            Happening(f"#{number} {self.cited(entry.text, entry.rule)}", entry.details[: cut.details])
            for number, entry in enumerate(report.entries, 1)
        ]
        return {
            "title": report.title,
            "summary": report.summary,
            **self.ends(happenings, cut.entries),
            "blocks": [
                {"title": b.title, **self.listed("lines", b.lines, None if drawn(b) else cut.lines)}
                for b in report.blocks
                if b.lines and not (cut.bare and drawn(b))
            ],
        }

    def cited(self, text: Msg, rule: str) -> str:
        """The sentence with its rule behind it in brackets."""
        return self.words.say(text) + (f" [{rule}]" if rule else "")

    def listed(self, name: str, items: Sequence[Any], most: int | None) -> dict[str, Any]:
        """The first `most` items under `name`, and under ``more_<name>`` how many are left out."""
        shown = items[:most]
        return {name: shown, f"more_{name}": len(items) - len(shown)}

    def ends(self, items: Sequence[Any], most: int | None) -> dict[str, Any]:
        """The first and the last of `most` items under ``head`` and ``tail``, and under ``left`` how many are not."""
        if most is None or len(items) <= most:
            return {"head": items, "tail": (), "left": 0}
        after = most // 2
        return {"head": items[: most - after], "tail": items[len(items) - after :], "left": len(items) - most}

    def place(self, error: Json) -> Place:
        text, column = excerpt(error["text"], error["column"], 60)
        caret = " " * column + "^" * max(1, min(error["width"], len(text) - column))
        why = self.cited(Msg.from_json(error["why"]), error["rule"])
        return Place(error["line"], text, caret, why, tuple(error["suggestions"]))

    def warning(self, warning: Json) -> str:
        why = self.cited(Msg.from_json(warning["why"]), warning["rule"])
        line = warning["line"]
        return self.words.say(msg("line {line}: {why}", line=line, why=why)) if line else why

    def block(self, block: Json, most: int | None) -> dict[str, Any]:
        """Plain lines stand as they came, sentences are said and wrapped."""
        lines = [line if isinstance(line, str) else self.sentence(*line) for line in block["lines"]]
        return {"title": Msg.from_json(block["title"]), **self.ends(lines, most)}

    def sentence(self, depth: int, said: Json) -> str:
        return nested(self.words.say(Msg.from_json(said)), depth)
