"""Letters in the reader's language: each laid out by the templates of `templates/`.

A letter is the plain JSON value that the outbox stores; the same letter always gives the same bytes. What must be done
and by when comes first, then what came of the phase and the order form, then the rest::

    ##- please write above this line -##

    The title - ceuta - T3.spain
    Cresta was assaulted from Nudos: Spain won.

    ORDERS T3 #k7q2
    # MOVE Saboya, Leon WITH Prim TO C3
    END

    #4 Nizam fires at Saboya: 3 heads of 4. [C6]
        Saboya loses 1 step
    ...
    pbem+ceuta-spain-...@example.org - HELP lists the commands.

A page of HTML shows the same parts with the same words, for mail programs that show it. To be read aloud, a letter has
a line for each fact, however long, and nothing that is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import quote

from jinja2 import (
    ChoiceLoader,
    DictLoader,
    Environment,
    FileSystemLoader,
    StrictUndefined,
    TemplateError,
    select_autoescape,
)
from jinja2.sandbox import ImmutableSandboxedEnvironment

from pbem.data import data
from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.report import PLAIN
from pbem.letters.catalogue import Catalogue, load
from pbem.letters.layout import (
    LADDER,
    LINES,
    NEAREST,
    ONCE,
    READABLE,
    SHORTER,
    SPARE,
    WIDTH,
    Aloud,
    Row,
    Shown,
    clean,
    rows,
    tidy,
    unbroken,
    wrap,
)

# The links of a page that open letters of the reader's: to whom, about what, and with their whole text in them.
#
# What stands in it is written as RFC 6068 has it, and nothing else can: every character but letters and digits is
# escaped, line ends are CRLF.


LONGEST = 1_900
"""Characters of a link at most: mail programs and systems cut or refuse longer ones."""


class Link(NamedTuple):
    """Where a button leads: a letter that has all of its text in it."""

    to: str
    filled: bool = True


def link(address: str, subject: str, body: str) -> Link | None:
    """Return the link to a letter with this text; None where there is none, or where it makes the link too long."""
    whole = f"mailto:{_escaped(address)}?subject={_escaped(f'Re: {subject}')}&body={_escaped(body)}%0D%0A"
    return Link(whole) if body and len(whole) <= LONGEST else None


def _escaped(text: str) -> str:
    """The text in a link. The sign of an address stays: some programs take no other for it."""
    return quote(text.replace("\n", "\r\n"), safe="@")


OCTETS = 90_000
"""Octets of a page at most: what mail programs show without asking."""
SOON = 2_000
"""Where in a letter the sentinel has to have come: a page has a head before it."""
FEW = 5
"""Buttons for orders out of a form that is too long for a button of its own."""
Own = tuple[tuple[str, str], ...]
"""Templates of a server's own, name and text, in order."""


class TextLetters:
    """Renders letters; `sentinel` is the English first line of a letter, below which replies are cut.

    `own` are templates of the server's own, by name (`pbem.letters.own_languages`), which stand in for the shipped ones
    as long as a letter comes out of them: it begins with the sentinel and names its address. Where it does not, it is
    laid out as shipped, and `complain` is told.
    """

    def __init__(
        self, sentinel: str, own: Mapping[str, str] = MappingProxyType({}), complain: Callable[[str], None] = print
    ) -> None:
        self._sentinel = sentinel
        self._own = tuple(sorted(own.items()))
        self._complain = complain

    def subject(self, letter: Json, language: str) -> str:
        """Return the subject, one line; ValueError for a language that is not spoken here."""
        return self._subject(letter, load(language, letter["rules"]))

    def _subject(self, letter: Json, words: Catalogue) -> str:
        return " ".join(clean(words.say(Msg.from_json(letter["subject"]))).split())

    def letter(self, letter: Json, language: str, aloud: bool = False) -> str:
        """Return the text, LF lines, the last one ended; at most `LINES` lines unless what is never cut is longer.

        `aloud`, it is one for a screen reader. ValueError for a language that is not spoken here.
        """
        words = load(language, letter["rules"], Aloud if aloud else Catalogue)
        return self._fit(letter, words, self._text)

    def _text(self, letter: Json, words: Catalogue, own: Own) -> str:
        """The text by these templates."""
        most, drawn, lines = LINES + _once(letter), _map_lines(letter), [""]
        whole = Shown(words, LADDER[0], isinstance(words, Aloud))
        for cut in LADDER:
            lines = self._lines(letter, whole.cut_to(cut), own)
            wanted = READABLE + _once(letter) if letter["report"] and cut in SHORTER else most
            if len(lines) <= wanted + (drawn if cut.bare else 0):
                break
        else:
            # What is never cut is too long by itself: no more is taken away than brings it near.
            near = self._lines(letter, whole.cut_to(NEAREST), own)
            lines = near if len(near) <= most + drawn + SPARE else lines
        return "\n".join(lines) + "\n"

    def page(self, letter: Json, language: str) -> str:
        """Return the letter as HTML that needs nothing from elsewhere; at most `OCTETS` in UTF-8, if a cut can do it.

        ValueError for a language that is not spoken here.
        """
        return self._fit(letter, load(language, letter["rules"]), self._page)

    def _fit(self, letter: Json, words: Catalogue, lay: Callable[[Json, Catalogue, Own], str]) -> str:
        """A letter by the server's own templates, or if none comes of them by those that are shipped."""
        if self._own:
            try:
                made = lay(letter, words, self._own)
                # A page begins with its body: what stands before it is for the program that shows it.
                begins = max(made.find("<body"), 0) if made.lstrip().startswith("<") else 0
                if words.word(self._sentinel) in made[begins : begins + SOON] and letter["address"] in made:
                    return made
                self._complain("templates: a letter has to begin with the sentinel and name its address")
            except (TemplateError, ArithmeticError, LookupError, TypeError, ValueError, AttributeError) as wrong:
                self._complain(f"templates: {wrong}")
        return lay(letter, words, ())

    def _page(self, letter: Json, words: Catalogue, own: Own) -> str:
        """The page by these templates."""
        page = environment(words, own).get_template("letter.html.j2")
        first = {"language": words.language, "sentinel": words.word(self._sentinel), "kind": letter["kind"]}
        form, address = "\n".join(letter["template"]), letter["address"]
        to, subject = clean(letter.get("reply") or address), self._subject(letter, words)

        def opens(body: str) -> Link | None:
            return link(to, subject, clean(body)) if to else None

        last = {"address": address, "template": form, "link": opens(form), "opens": opens}
        last["asks"] = bool(address and (form or letter["kind"] == "question"))
        if last["link"] is None:
            letter = {**letter, "buttons": _few(letter.get("buttons", ()))}
        html, whole = "", Shown(words, LADDER[0], paged=True)
        for cut in LADDER:
            html = clean(page.render(**first, **last, **whole.cut_to(cut).letter(letter)))
            if len(html.encode("utf-8")) <= OCTETS:
                break
        return html

    def _lines(self, letter: Json, shown: Shown, own: Own) -> list[str]:
        """Return all lines of the letter, the order form as it came."""
        words = shown.words
        templates = environment(words, own)
        form = letter["template"]
        body = templates.get_template("letter.txt.j2").render(
            sentinel=words.word(self._sentinel), form=form, **shown.letter(letter)
        )
        foot = templates.get_template("footer.txt.j2").render(address=letter["address"], kind=letter["kind"])
        out = tidy(clean(body).split("\n"))
        if form and "\n".join(form) not in "\n".join(out):  # A template of the server's own may leave it out.
            out += ["", *form]
        return [*out, *([] if form and out[-1] == form[-1] else [""]), *tidy(clean(foot).split("\n"))]


def _few(buttons: Sequence[Json]) -> list[Json]:
    """Return the first few buttons with orders, and all that write a command."""
    orders = [body for _, body in buttons if "\n" in body][FEW:]
    return [button for button in buttons if button[1] not in orders]


def _map_lines(letter: Json) -> int:
    """Return by how many lines a letter may be longer that has a form, and so its map however bare it is cut."""
    if not letter["report"] or not letter["template"]:
        return 0
    blocks = [block["lines"] for block in letter["report"]["blocks"]]
    return sum(len(lines) + _LEGEND for lines in blocks if any(line[0] == PLAIN for line in lines))


_LEGEND = 6
"""Lines of the title of a map and of what its signs mean."""


def _once(letter: Json) -> int:
    """Lines by which a letter may be longer that tells besides how things stand what is told once: a brief, an account
    of the game."""
    return ONCE if letter["report"] and len(letter["report"].get("head", ())) > 1 else 0


@cache
def environment(words: Catalogue, own: Own = ()) -> Environment:
    """Return the templates' surroundings: `_` says an English sentence, filters lay out what is said.

    One for each catalogue, kept with its templates: compiling them takes longer than filling them ten times.
    Statements stand on lines of their own behind ``%%``: a text letter's line feeds then are those one sees.
    """
    made = ImmutableSandboxedEnvironment(
        loader=ChoiceLoader([DictLoader(dict(own)), FileSystemLoader(data("templates"))]),
        undefined=StrictUndefined,
        autoescape=select_autoescape(["html", "html.j2", "svg", "svg.j2"]),
        line_statement_prefix="%%",
        keep_trailing_newline=True,
    )
    aloud = isinstance(words, Aloud)
    made.globals["_"] = lambda text, **gaps: words.say(msg(text, **gaps))
    made.globals["rule"] = "" if aloud else "-" * WIDTH
    made.filters["wrap"] = unbroken if aloud else wrap
    made.filters["nested"] = lambda row: _nested(row, made.filters["wrap"])
    made.filters["rows"] = rows
    return made


def _nested(row: Row, lay: Callable[[str, int, int], str]) -> str:
    """A line of a block, laid out at its depth; what is drawn stands as it is."""
    return row.text if row.depth == PLAIN else lay(row.text, 2 + 2 * row.depth, 4 + 2 * row.depth)
