"""Render letters in the reader's language, by the templates of `templates/`.

A letter is the plain JSON value that the outbox stores; the same letter always gives the same bytes. What
must be done and by when comes first, then the results of the phase and the order form, then the rest::

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

A page of HTML shows the same parts with the same words, for mail programs that show it. To be read aloud, a
letter has a line for each fact, however long, and no drawings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple
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
from pbem.engine.data.messages import msg
from pbem.engine.data.report import DRAWING_DEPTH
from pbem.letters.catalogue import Catalogue, load_catalogue
from pbem.letters.layout import (
    CUTS,
    LAST_CUT,
    LETTER_COLUMNS,
    MILD_CUTS,
    MOST_LETTER_LINES,
    READABLE_LINES,
    SPARE_LINES,
    TERMS_LINES,
    LetterParts,
    ReadAloud,
    count_lines,
    group_lines,
    indent_row,
    keep_lines,
    strip_controls,
    tidy_lines,
    wrap,
)

# The links of a page that open letters of the reader's: to whom, about what, and with their whole text in them.
#
# What stands in it is written as RFC 6068 has it, and nothing else can: every character but letters and digits is
# escaped, line ends are CRLF.


LONGEST_LINK = 1_900
"""Characters of a link at most: mail programs and systems cut or refuse longer ones."""


class LetterLink(NamedTuple):
    """The target of a button: a letter with all of its text."""

    to: str
    filled: bool = True


def letter_link(address: str, subject: str, body: str) -> LetterLink | None:
    """Return the link to a letter with this text.

    Return None without text, or if the link would be too long.
    """
    url = f"mailto:{_escape(address)}?subject={_escape(f'Re: {subject}')}&body={_escape(body)}%0D%0A"
    return LetterLink(url) if body and len(url) <= LONGEST_LINK else None


def _escape(text: str) -> str:
    """Return the text escaped for a link; @ stays for some programs."""
    return quote(text.replace("\n", "\r\n"), safe="@")


MOST_PAGE_OCTETS = 90_000
"""Octets of a page at most: what mail programs show without asking."""
SENTINEL_WITHIN = 2_000
"""Characters of a letter within which the sentinel has to come: a page has a head above it; an answer below a quote
has more before it."""
MOST_ORDER_BUTTONS = 5
"""Buttons for single orders of a form that is too long for one button: each is a link of up to two thousand
characters."""
Own = tuple[tuple[str, str], ...]
"""Templates of a server's own, name and text, in order."""


class TextLetters:
    """Renders letters; replies are cut below `sentinel`.

    The sentinel is the first line of an English letter. `own` are templates of the server's own, by name
    (`pbem.letters.own_languages`), which replace the shipped ones as long as their letters begin with the sentinel
    and name the address. Otherwise the letter is laid out as shipped, and `complain` is called.
    """

    def __init__(
        self, sentinel: str, own: Mapping[str, str] = MappingProxyType({}), complain: Callable[[str], None] = print
    ) -> None:
        self._sentinel = sentinel
        self._own = tuple(sorted(own.items()))
        self._complain = complain
        self._last: tuple[Json, LetterParts] | None = None

    def subject(self, letter: Json, language: str) -> str:
        """Return the subject, one line; raise ValueError for an unavailable language."""
        return self._subject(letter, load_catalogue(language, letter["rules"]))

    def _subject(self, letter: Json, words: Catalogue) -> str:
        return " ".join(strip_controls(words.say(letter["subject"])).split())

    def letter(self, letter: Json, language: str, aloud: bool = False) -> str:
        """Return the text of a letter, usually of at most `MOST_LETTER_LINES` lines.

        Lines end with LF, the last one too.

        Uncut parts may make it longer. `aloud` is for a screen reader. Raise ValueError for an unavailable
        language.
        """
        return self._fit(letter, self._parts(letter, language, aloud), self._text)

    def _parts(self, letter: Json, language: str, aloud: bool = False) -> LetterParts:
        """Return the parts of a letter, which its text and its page share."""
        last, rules = self._last, letter["rules"]
        words = load_catalogue(language, rules, ReadAloud) if aloud else load_catalogue(language, rules)
        if last is None or last[0] is not letter or last[1].words is not words:
            self._last = last = letter, LetterParts(words, aloud=aloud)
        return last[1]

    def _text(self, letter: Json, parts: LetterParts, own: Own) -> str:
        """Return the text by these templates."""
        most, map_lines, lines = MOST_LETTER_LINES + _extra_lines(letter), _map_lines(letter), [""]
        for cut in CUTS:
            content = parts.cut_to(cut).letter(letter)
            wanted = READABLE_LINES + _extra_lines(letter) if letter["report"] and cut in MILD_CUTS else most
            wanted += map_lines if cut.bare else 0
            # Only templates of the server's own may leave rows out; the last cut is laid out in any case.
            if own or parts.aloud or cut is CUTS[-1] or count_lines(content, letter["template"]) <= wanted:
                lines = self._lines(letter, parts.words, content, own)
                if len(lines) <= wanted:
                    break
        else:
            # The uncut parts are too long by themselves: cut only as much as brings the letter near the limit.
            nearest = self._lines(letter, parts.words, parts.cut_to(LAST_CUT).letter(letter), own)
            lines = nearest if len(nearest) <= most + map_lines + SPARE_LINES else lines
        return "\n".join(lines) + "\n"

    def page(self, letter: Json, language: str) -> str:
        """Return the letter as self-contained HTML.

        It has at most `MOST_PAGE_OCTETS` in UTF-8, if a cut can do it. Raise ValueError for an unavailable language.
        """
        return self._fit(letter, self._parts(letter, language), self._page)

    def _fit(self, letter: Json, parts: LetterParts, lay: Callable[[Json, LetterParts, Own], str]) -> str:
        """Return a letter by the server's own templates, or if they fail by shipped ones."""
        if self._own:
            try:
                rendered = lay(letter, parts, self._own)
                # A page begins with its body: what stands before it is for the program that shows it.
                # A template of one's own may have no body: then all of it counts.
                begins = max(rendered.find("<body"), 0) if rendered.lstrip().startswith("<") else 0
                if (
                    parts.words.word(self._sentinel) in rendered[begins : begins + SENTINEL_WITHIN]
                    and letter["address"] in rendered
                ):
                    return rendered
                self._complain("templates: a letter has to begin with the sentinel and name its address")
            # What a template of one's own may do wrong: its syntax, its numbers, names that do not exist. Players still
            # get a letter.
            except (TemplateError, ArithmeticError, LookupError, TypeError, ValueError, AttributeError) as error:
                self._complain(f"templates: {error}")
        return lay(letter, parts, ())

    def _page(self, letter: Json, parts: LetterParts, own: Own) -> str:
        """Return the page by these templates."""
        words = parts.words
        page = template_environment(words, own).get_template("letter.html.j2")
        first = {"language": words.language, "sentinel": words.word(self._sentinel), "kind": letter["kind"]}
        form, address = "\n".join(letter["template"]), letter["address"]
        to, subject = strip_controls(letter.get("reply") or address), self._subject(letter, words)

        def opens(body: str) -> LetterLink | None:
            return letter_link(to, subject, strip_controls(body)) if to else None

        last = {"address": address, "template": form, "link": opens(form), "opens": opens}
        last["asks"] = bool(address and (form or letter["kind"] == "question"))
        if last["link"] is None:
            letter = {**letter, "buttons": _few_buttons(letter.get("buttons", ()))}
        html = ""
        for cut in CUTS:
            html = strip_controls(page.render(**first, **last, **parts.cut_to(cut, paged=True).letter(letter)))
            if len(html.encode("utf-8")) <= MOST_PAGE_OCTETS:
                break
        return html

    def _lines(self, letter: Json, words: Catalogue, content: dict[str, Any], own: Own) -> list[str]:
        """Return all lines of the letter, with the order form unchanged."""
        templates = template_environment(words, own)
        form = letter["template"]
        body = templates.get_template("letter.txt.j2").render(
            sentinel=words.word(self._sentinel), form=form, kind=letter["kind"], **content
        )
        foot = templates.get_template("footer.txt.j2").render(address=letter["address"], kind=letter["kind"])
        result = tidy_lines(strip_controls(body).split("\n"))
        if form and "\n".join(form) not in "\n".join(result):  # A template of the server's own may leave it out.
            result += ["", *form]
        return [
            *result,
            *([] if form and result[-1] == form[-1] else [""]),
            *tidy_lines(strip_controls(foot).split("\n")),
        ]


def _few_buttons(buttons: Sequence[Json]) -> list[Json]:
    """Return the first few buttons with orders, and all that write a command."""
    orders = [body for _, body in buttons if "\n" in body][MOST_ORDER_BUTTONS:]
    return [button for button in buttons if button[1] not in orders]


def _map_lines(letter: Json) -> int:
    """Return the extra lines for the map of a letter with a form."""
    if not letter["report"] or not letter["template"]:
        return 0
    blocks = [block["lines"] for block in letter["report"]["blocks"]]
    return sum(len(lines) + _LEGEND for lines in blocks if any(line[0] == DRAWING_DEPTH for line in lines))


_LEGEND = 6
"""Lines of the title of a map and of the legend below it: an estimate, since they are not laid out yet."""


def _extra_lines(letter: Json) -> int:
    """Return the extra lines of a letter with a part that comes only once.

    Such a part is a brief, or an account of the game.
    """
    return TERMS_LINES if letter["report"] and len(letter["report"].get("head", ())) > 1 else 0


@cache
def template_environment(words: Catalogue, own: Own = ()) -> Environment:
    """Return the environment of templates.

    `_` translates a sentence, filters lay it out. There is one for each catalogue, cached with its templates:
    compiling them takes longer than filling them ten times. Statements are on lines of their own after ``%%``,
    so that line feeds in a text letter are as they look. Templates of a server's own reach nothing but the letter.
    """
    env = (ImmutableSandboxedEnvironment if own else Environment)(
        loader=ChoiceLoader([DictLoader(dict(own)), FileSystemLoader(data("templates"))]),
        undefined=StrictUndefined,
        autoescape=select_autoescape(["html", "html.j2", "svg", "svg.j2"]),
        line_statement_prefix="%%",
        keep_trailing_newline=True,
        # Shipped files do not change while the server runs.
        auto_reload=False,
    )
    aloud = isinstance(words, ReadAloud)
    env.globals["_"] = lambda text, **gaps: words.say(msg(text, **gaps))
    env.globals["rule"] = "" if aloud else "-" * LETTER_COLUMNS
    env.filters["wrap"] = keep_lines if aloud else wrap
    env.filters["nested"] = lambda row: indent_row(row, env.filters["wrap"])
    env.filters["rows"] = group_lines
    return env
