"""Letters made of what people write and of how clients quote, and how much of either is told apart wrongly.

`samples` makes every client in seven languages answer in several habits, above, below and between the quoted lines.
What is quoted has lost the line by which our letters are known, and holds an older block of orders. `measured` reads
them all and counts letters with a quoted line left in them, letters with a line of the author's gone, and letters whose
older block would be carried out. Nothing here knows how letters are read.

``python -m tests.mail.corpus`` prints the figures, ``-v`` what went wrong.
"""

from __future__ import annotations

import html
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

from tests.mail.clients import LANGUAGES, SIGNED, Quoting, quotings
from tests.mail.replies import PLAYER, SEAT, wrapped

JUDGE = {
    "en": "The Judge",
    "es": "El juez",
    "de": "Jörg Richter",
    "fr": "Le juge",
    "it": "Il giudice",
    "pt": "O juiz",
    "nl": "Jan de Rechter",
}

OLD = "ORDERS T3\nACTIVATE Old\nMOVE Old TO Valle\nEND"
NEW = "ORDERS T3\nACTIVATE Ceuta\nMOVE Cordoba TO Otero\nEND"

# What people write: prose with what makes readers of quotes stumble, commands, a block.
PROSE = {
    "en": (
        "Thanks, that was quick!",
        "On Tuesday I am away until 10:00.",
        "From Leon we go on to the pass: all of us.",
    ),
    "es": ("Gracias, ha sido rápido.", "El martes no estoy hasta las 10:00.", "De León seguimos al puerto: todos."),
    "de": ("Danke, das ging schnell.", "Am Dienstag bin ich bis 10:00 weg.", "Von Leon ziehen wir weiter: alle."),
    "fr": ("Merci, c'était rapide !", "Le mardi je suis absent jusqu'à 10:00.", "De Leon on continue : tous."),
    "it": ("Grazie, molto rapido.", "Il martedì sono via fino alle 10:00.", "Da Leon proseguiamo: tutti."),
    "pt": ("Obrigado, foi rápido.", "Na terça estou fora até às 10:00.", "De Leon seguimos: todos."),
    "nl": ("Dank, dat was snel.", "Op dinsdag ben ik weg tot 10:00.", "Van Leon gaan we verder: allemaal."),
}
LETTER = {
    "en": ("Hello Ana,", "your orders came in time, and I have put them into the queue; here they are once more:"),
    "es": ("Hola, Ana:", "sus órdenes llegaron a tiempo y están en la cola; aquí las tiene una vez más:"),
    "de": ("Hallo Ana,", "deine Befehle kamen zur rechten Zeit und stehen in der Reihe; hier sind sie noch einmal:"),
    "fr": ("Bonjour Ana,", "vos ordres sont arrivés à temps et attendent dans la file ; les voici encore une fois :"),
    "it": ("Ciao Ana,", "i tuoi ordini sono arrivati in tempo e aspettano in coda; eccoli ancora una volta:"),
    "pt": ("Olá Ana,", "as suas ordens chegaram a tempo e estão na fila; aqui estão outra vez:"),
    "nl": ("Hallo Ana,", "je bevelen kwamen op tijd en staan in de rij; hier zijn ze nog een keer:"),
}
AFTER = ("Nizam was assaulted at dawn. [O8]", "    Prim leads [O8.1]", "", "Until Monday,", "J.")
PRESS = ("PRESS TO morocco", "Enviado con mi mejor jinete", "> as you said", "", "-- ", "my answer: no", "ENDPRESS")


class Sample(NamedTuple):
    """A letter: its name, its bytes, the lines of its author's, and the lines that nobody minds (footers)."""

    name: str
    raw: bytes
    own: tuple[str, ...]
    either: tuple[str, ...] = ()


class Habit(NamedTuple):
    """What somebody writes above, between and below a quote."""

    top: tuple[str, ...] = ()
    between: tuple[str, ...] = ()
    bottom: tuple[str, ...] = ()
    footer: bool = False


def habits(language: str) -> dict[str, Habit]:
    prose, block = PROSE[language], tuple(NEW.split("\n"))
    status = ("ESTADO",) if language == "es" else ("STATUS",)
    return {
        "prose": Habit((*prose, "", "Ana")),
        "one line": Habit(prose[:1]),
        "command": Habit(status),
        "footer": Habit((*prose[:2],), footer=True),
        "orders": Habit((prose[0], "", *block)),
        "press": Habit(PRESS),
        "between": Habit(prose[:1], between=prose[1:]),
        "bottom": Habit((), bottom=(prose[0], "", *block)),
    }


def quoted(language: str, twice: bool) -> list[str]:
    """A letter without our first line, with an older block of orders, and in it, `twice`, a letter before."""
    first, second = LETTER[language]
    lines = [first, "", second, "", *OLD.split("\n"), "", *AFTER]
    return [*lines, "", f"> {second}", *(f"> {line}" for line in OLD.split("\n"))] if twice else lines


def text_of(language: str, quoting: Quoting, habit: Habit, twice: bool = False) -> str:
    """The text part of a letter."""
    above = quoting.above.format(judge=JUDGE[language], seat=SEAT, player=PLAYER)
    above = wrapped(above, quoting.width) if quoting.width else above
    marked = [f"{quoting.mark}{line}" if line else quoting.mark.rstrip() for line in quoted(language, twice)]
    if habit.between:
        marked[4:4] = ["", habit.between[0], "", *(["" if not quoting.mark.strip() else quoting.mark.rstrip()])]
        marked += ["", *habit.between[1:]]
    top = [*habit.top, *(["", SIGNED[language]] if habit.footer else [])]
    bottom = ["", *habit.bottom] if habit.bottom else []
    return "\n".join([*top, "", *above.split("\n"), *marked, *bottom, ""])


def page_of(language: str, quoting: Quoting, habit: Habit, name: str) -> str:
    """The HTML part: a quote in an element of its own, or all of it one after the other."""
    above = html.escape(quoting.above.format(judge=JUDGE[language], seat=SEAT, player=PLAYER))
    own = "".join(f"<div>{html.escape(line) or '<br>'}</div>" for line in habit.top)
    inside = "<br>\n".join(html.escape(line) for line in quoted(language, False))
    head = "<br>".join(above.strip("\n").split("\n"))
    if name.startswith(("gmx", "webmail")):
        style = 'name="quote" style="margin:10px 5px 5px 10px; border-left:2px solid #C3D9E5;"'
        return f"{own}<br><div {style}><div>{head}</div><div>{inside}</div></div>"
    if name.startswith(("zoho", "fwd-zoho")):
        return f'{own}<br><div class="zmail_extra"><div>{head}</div><blockquote>{inside}</blockquote></div>'
    if quoting.mark == "> ":
        return f'{own}<br><div>{head}</div><blockquote type="cite">{inside}</blockquote>'
    return f"{own}<br><div>{head}</div><br><div>{inside}</div>"


def letter(text: str, kind: str = "text/plain", name: str = "a") -> bytes:
    head = (
        f"From: Ana <{PLAYER}>\nTo: Judge <{SEAT}>\nSubject: Re: wt-042 T3\nDate: Sat, 21 Nov 2026 12:00:00 +0100\n"
        f"Message-ID: <{name}@players.test>\nMIME-Version: 1.0\nContent-Type: {kind}; charset=utf-8\n"
        "Content-Transfer-Encoding: 8bit\n\n"
    )
    return (head + text).encode().replace(b"\n", b"\r\n")


def ends(quoting: Quoting) -> bool:
    """Whether the quote shows where it ends, so that somebody may write below it."""
    return bool(quoting.mark.strip())


def samples() -> Iterator[Sample]:
    """Every client, language and habit."""
    for language in LANGUAGES:
        for client, quoting in quotings(language).items():
            for name, habit in habits(language).items():
                if (habit.between or habit.bottom) and not ends(quoting):
                    continue
                own = (*habit.top, *habit.between, *habit.bottom)
                called = f"{client} {language} {name}"
                either = (SIGNED[language],)
                for twice in (False, True):
                    yield Sample(called, letter(text_of(language, quoting, habit, twice)), own, either)
                if name in ("prose", "command", "orders") and not quoting.width:
                    page = page_of(language, quoting, habit, client)
                    yield Sample(f"{called} html", letter(f"<html><body>{page}</body></html>", "text/html"), own)


class Told(NamedTuple):
    """What a reader makes of a letter: the text that is left, and the orders that would be carried out."""

    text: str
    orders: tuple[str, ...]


class Figures(NamedTuple):
    """How many letters there were, and how many had a quoted line left, a line lost, an older block carried out."""

    letters: int
    leaks: list[str]
    losses: list[str]
    older: list[str]


def measured(read: Callable[[bytes], Told], every: Iterator[Sample]) -> Figures:
    """Read letters and count."""
    letters, leaks, losses, older = 0, [], [], []
    for sample in every:
        letters += 1
        incoming = read(sample.raw)
        left = Counter(_squeezed(line) for line in incoming.text.split("\n") if line.strip())
        own = Counter(_squeezed(line) for line in sample.own if line.strip())
        either = {_squeezed(line) for line in sample.either}
        more = [line for line in left - own if line not in either]
        gone = [line for line in own - left if line not in either]
        if more:
            leaks.append(f"{sample.name}: {more[0]!r} {len(more)}")
        if gone:
            losses.append(f"{sample.name}: {gone[0]!r}")
        if any("Old" in line for line in incoming.orders):
            older.append(sample.name)
    return Figures(letters, leaks, losses, older)


def ours(raw: bytes) -> Told:
    """What the server makes of a letter."""
    from pbem.letters import command_lines
    from pbem.mail.address import OwnAddresses
    from pbem.mail.inbound import read_letter
    from pbem.server import catalogue

    incoming = read_letter(raw, OwnAddresses("judge", "war.test"))
    parsed = command_lines.parse_letter(incoming.text, catalogue.COMMAND_FORMS)
    return Told(incoming.text, parsed.block.lines if parsed.block else ())


def _squeezed(line: str) -> str:
    return "".join(line.split())


def main() -> None:
    """Print the figures."""
    figures = measured(ours, samples())
    for name, wrong in (("leak", figures.leaks), ("loss", figures.losses), ("older carried out", figures.older)):
        print(f"{name}: {len(wrong)} of {figures.letters}, {100 * len(wrong) / figures.letters:.2f} %")
        if "-v" in sys.argv:
            print(*(f"  {line}" for line in wrong), sep="\n")


if __name__ == "__main__":
    main()
