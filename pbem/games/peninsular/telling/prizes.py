"""S14 Colours, guns and the way out in words: as they are won, and what they come to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg, msg
from pbem.games.peninsular.phase.victory import party, prizes
from pbem.games.peninsular.setup.edition import camp
from pbem.games.peninsular.setup.units import Unit
from pbem.games.peninsular.state import State

SIDE_NAMES: Mapping[str, Msg] = {
    "british": msg("the British"),
    "spanish": msg("the Spanish"),
    "portuguese": msg("the Portuguese"),
    "french": msg("the French"),
}
_WON = {
    "colour": msg("{side} have taken colours and eagles, {a} points: {units}"),
    "battery": msg("{side} have taken guns, {a} points: {units}"),
    "exit": msg("{side} at the exit, {a} points, {n} battalions are needed: {units}"),
}


def over(data: Mapping[str, Any]) -> Msg:
    """Who has won."""
    if data["winner"] == "draw":
        return msg("The game is over: a draw.")
    return msg("The game is over: {side} win.", side=SIDE_NAMES[data["winner"]])


def won(view: State) -> Iterator[Msg]:
    """Return a line for each kind of prize that a side has."""
    needed = view.edition.scenario.get("victory", {}).get("exit", {}).get("battalions", 0)
    for kind, side, units, points in prizes(view):
        more = {"n": needed} if kind == "exit" else {}
        ids = tuple(unit.id for unit in units)
        yield msg(_WON[kind].text, side=SIDE_NAMES[side], a=points, units=ids, **more)


def taken(happened: Event, before: State) -> Iterator[Msg]:
    """Return a line for each colour and each battery that is lost in an event, where the scenario counts them."""
    rules, data = before.edition.scenario.get("victory", {}), happened.data
    lost = data["units"] if happened.kind == "eliminated" else ()
    if happened.kind == "loses" and not data["left"]:
        lost = [data["unit"]]
    for unit in (before.units[ident] for ident in lost if ident in before.units):
        if rules.get("colour") and unit.id in rules["colours"]:
            yield _pays(
                msg("{unit} has lost its colour or eagle: {a} points for {side}"), unit, rules["colour"], before
            )
        if rules.get("battery") and unit.kind == "art":
            yield _pays(msg("the guns of {unit} are taken: {a} points for {side}"), unit, rules["battery"], before)


def _pays(sentence: Msg, unit: Unit, points: int, before: State) -> Msg:
    enemy = next(side for side in before.edition.phases if camp(side) != camp(unit.side))
    return msg(sentence.text, unit=unit.id, a=points, side=SIDE_NAMES[party(before, enemy)])
