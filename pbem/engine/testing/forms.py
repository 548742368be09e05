"""A player for any game: he sends what stands in his order form."""

from __future__ import annotations

from typing import Any

from pbem.engine.bots import Bot, Bots, Pick
from pbem.engine.game import Game


def players(game: Game) -> Bots:
    """Return the game's own bots; for one without, a player who sends a line of his form, or now and then none."""
    return game.bots or {"random": _by_form(game)}


def _by_form(game: Game) -> Bot:
    def write(view: Any, seat: str, pick: Pick) -> str:
        if seat not in game.active(view):
            return ""
        lines = [line.removeprefix("# ") for line in game.aids.template(view, seat, "en") if line.startswith("# ")]
        may = [line for line in (_one(words, pick) for words in lines) if _can_be_sent(game, view, seat, line)]
        return may[pick(len(may))] if may and pick(6) else ""

    return write


def _one(words: str, pick: Pick) -> str:
    """Of words among which a player chooses, one."""
    offered = words.split(" | ")
    first = offered[0].split(" ")
    rest = [first[-1], *offered[1:]]
    return " ".join([*first[:-1], rest[pick(len(rest))]])


def _can_be_sent(game: Game, view: Any, seat: str, line: str) -> bool:
    reading = game.parse(line, view, seat)
    return not reading.rejected and not game.check(view, seat, reading.orders)
