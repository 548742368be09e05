"""A game on paper, or a turn of it: as it was told to whom it is printed for."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.campaign.turn.retold import Retold, Told
from pbem.cli.printing.sections import Desk, Report, block, cited, picture, rules_cited, told
from pbem.core.data.messages import Msg, msg
from pbem.core.game import ONLOOKER
from pbem.core.run.rolls import in_words
from pbem.pages.printed.document import Document, Grid, Heading, Part, Plain
from pbem.reports.catalogue import Catalogue, capital

__all__ = ["document"]


def document(game: Retold, words: Catalogue, paper: str, turn: int | None = None) -> Document:
    """Return the document: each phase with its map, happenings and forces, then the rules that they cite."""
    desk = Desk(game.rules, words)
    parts = list(_phases(desk, game))
    if game.account is not None:
        parts += block(desk, game.account, 1)
    parts += rules_cited(desk, cited(parts))
    title = words.say(desk.rules.editions().get(game.scenario, msg("{name}", name=game.scenario)))
    line = desk.rules.rulebook.brief(game.scenario, words.language).get("line", "")
    under = (line, words.say(_whose(game)))
    contents = words.say(msg("Contents")) if turn is None else ""
    foot = f"pbem · {game.game} · {title}"
    return Document(title, words.language, foot, tuple(parts), tuple(filter(None, under)), contents, paper=paper)


def _whose(game: Retold) -> Msg:
    """Which game it is, and who saw it so."""
    if game.seat != ONLOOKER:
        side = game.rules.telling.side(game.edition.seats[game.seat])
        return msg("Game {name}, as {side} saw it", name=game.game, side=side)
    if game.over:
        return msg("Game {name}, which is over", name=game.game)
    return msg("Game {name}, as onlookers see it", name=game.game)


def _phases(desk: Desk, game: Retold) -> Iterator[Part]:
    """Where it began if nothing is over yet, else every phase."""
    if not game.told:
        yield Heading(desk.words.say(msg("Before the first phase")), 1, True)
        begin = Report(game.seat, game.start)
        yield from picture(desk, begin)
        yield from told(desk, begin)
    for one in game.told:
        yield from _phase(desk, game, one)


def _phase(desk: Desk, game: Retold, one: Told) -> Iterator[Part]:
    words, report = desk.words, Report(game.seat, one.after, one.seen)
    ruling = words.say(msg("Turn {turn}: a ruling corrected the position", turn=one.turn))
    yield Heading(capital(words.phase(f"T{one.turn}.{one.name}")) if one.name else ruling, 1, True)
    yield from picture(desk, report)
    yield from told(desk, report)
    if one.orders:
        yield Heading(words.say(msg("What was ordered")), 2)
    for seat, text in one.orders.items():
        yield Heading(words.say(msg("{side}", side=game.rules.telling.side(game.edition.seats[seat]))), 3)
        yield Plain(game.rules.telling.spoken(text, words.language).rstrip("\n"))
    if one.rolls:
        yield Heading(words.say(msg("The dice")), 2)
        heads = tuple(words.say(head) for head in (msg("Roll"), msg("Dice"), msg("They showed")))
        rows = tuple(
            (words.say(in_words(roll.label)), f"{roll.dice}d{roll.sides}", " ".join(map(str, roll.values)))
            for roll in one.rolls
        )
        yield Grid(heads, (("", rows),), (6, 1, 2))
