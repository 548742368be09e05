"""A game on paper, or a turn of it: as it was told to whom it is printed for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from pbem.cli.printing.sections import Desk, Report, block, cited, picture, rules_cited, told
from pbem.engine.data.chronicle import Chapter, Chronicle, Ordered
from pbem.engine.data.messages import Msg, msg
from pbem.engine.run.labels import in_words
from pbem.engine.terms import ONLOOKER, Step
from pbem.letters.catalogue import capital
from pbem.pages.printed.document import Document, Grid, Heading, Part, Plain


def document(desk: Desk, game: Chronicle, paper: str, turn: int | None = None) -> Document:
    """Return the document: each phase with its map, happenings and forces, then the rules that they cite.

    With a `turn` it is of that alone.
    """
    words, chapters = desk.words, [one for one in game.chapters if turn in (None, one.turn)]
    parts = list(_chapters(desk, game, chapters))
    if game.over and turn is None:
        steps = [Step(one.turn, one.phase, one.before, one.after) for one in chapters]
        parts += block(desk, desk.rules.telling.account(steps), 1)
    parts += rules_cited(desk, cited(parts))
    title = words.say(desk.rules.telling.report(game.start, game.seat, ()).title)
    line = desk.rules.rulebook.brief(game.scenario, words.language).get("line", "")
    under = (line, words.say(_whose(desk, game)), *(words.say(one) for one in game.result))
    contents = words.say(msg("Contents")) if turn is None else ""
    foot = f"pbem · {game.game} · {title}"
    return Document(title, words.language, foot, tuple(parts), tuple(filter(None, under)), contents, paper=paper)


def _whose(desk: Desk, game: Chronicle) -> Msg:
    """Which game it is, and who saw it so."""
    if game.seat != ONLOOKER:
        side = desk.rules.telling.side(desk.rules.seats(game.start)[game.seat])
        return msg("Game {name}, as {side} saw it", name=game.game, side=side)
    if game.over:
        return msg("Game {name}, which is over", name=game.game)
    return msg("Game {name}, as onlookers see it", name=game.game)


def _chapters(desk: Desk, game: Chronicle, chapters: Sequence[Chapter]) -> Iterator[Part]:
    """Where it began if nothing is over yet, else all that happened."""
    if not chapters:
        yield Heading(desk.words.say(msg("Before the first phase")), 1, True)
        begin = Report(game.seat, game.start)
        yield from picture(desk, begin)
        yield from told(desk, begin)
    standing: dict[str, tuple[str, ...]] = {}
    for one in chapters:
        yield from _chapter(desk, game, one)
        yield from _orders(desk, game, one, standing)
        yield from _dice(desk, one)


def _chapter(desk: Desk, game: Chronicle, one: Chapter) -> Iterator[Part]:
    words, report = desk.words, Report(game.seat, one.after, one.seen, one.numbers)
    ruling = words.say(msg("Turn {turn}: a ruling corrected the position", turn=one.turn))
    yield Heading(capital(words.phase(one.name)) if one.phase else ruling, 1, True)
    yield from picture(desk, report)
    yield from told(desk, report)


def _orders(desk: Desk, game: Chronicle, one: Chapter, standing: dict[str, tuple[str, ...]]) -> Iterator[Part]:
    """What was ordered; standing orders where they are not those that the seat had before, which are noted."""
    words, ordered = desk.words, []
    for by in one.orders:
        news = by.standing if by.segment == 1 and by.standing != standing.get(by.seat, ()) else ()
        if by.segment == 1:
            standing[by.seat] = by.standing
        if by.text or news:
            ordered.append((by, by.text + "".join(_joined(news))))
    if ordered:
        yield Heading(words.say(msg("What was ordered")), 2)
    for by, text in ordered:
        side = desk.rules.telling.side(desk.rules.seats(game.start)[by.seat])
        yield Heading(capital(words.say(_by(by, side))), 3)
        yield Plain(desk.rules.telling.spoken(text, words.language).rstrip("\n"))


def _joined(standing: Sequence[str]) -> Iterator[str]:
    """Standing orders, a rule each, those for the same below one line."""
    for _, rules in groupby(standing, key=lambda rule: rule.partition("\n")[0]):
        first, *others = (rule.splitlines(keepends=True) for rule in rules)
        yield from (*first[:-1], *(line for other in others for line in other[1:-1]), first[-1])


def _dice(desk: Desk, one: Chapter) -> Iterator[Part]:
    words = desk.words
    if one.throws:
        yield Heading(words.say(msg("The dice")), 2)
        heads = tuple(words.say(head) for head in (msg("Roll"), msg("Dice"), msg("They showed")))
        rows = tuple(
            (words.say(in_words(label)), f"{roll.n}d{roll.sides}", " ".join(map(str, roll.values)))
            for label, roll in one.throws.items()
        )
        yield Grid(heads, (("", rows),), (6, 1, 2))


def _by(ordered: Ordered, side: Msg) -> Msg:
    """Who ordered it, and whether later than at first."""
    later = msg("{side}, later ({number})", side=side, number=ordered.segment)
    return later if ordered.segment > 1 else msg("{side}", side=side)
