"""What came of a phase in a few lines: of each fight who won and who lost what, dice last; who was taken, who fell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg, by_number, msg
from pbem.games.africa1860.setup.edition import SIDES
from pbem.games.africa1860.state import State
from pbem.games.africa1860.telling.tell import SIDE_NAMES, over


@dataclass
class _Fight:
    """A fight as it goes: steps lost and units gone by side, the dice of the shock and what they came to."""

    lost: dict[str, int] = field(default_factory=lambda: dict.fromkeys(SIDES, 0))
    gone: dict[str, list[str]] = field(default_factory=lambda: {side: [] for side in SIDES})
    dice: Sequence[int] = ()
    totals: Sequence[int] = ()


def came_of(seen: Sequence[tuple[Event, State]]) -> list[Msg]:
    """Return a line for each fight, each capture, each leader who fell and each side that broke, in their order."""
    lines: list[Msg] = []
    fights: list[_Fight] = []
    for happened, before in seen:
        data = happened.data
        if happened.kind == "assault":
            fights.append(_Fight())
        elif happened.kind == "assault over":
            fight = fights.pop() if fights else _Fight()
            if before.fight is not None and data["winner"]:
                lines.append(_told(fight, data, before))
        elif happened.kind == "captured":
            lines.append(msg("{side} took {units}.", side=SIDE_NAMES[data["side"]], units=tuple(data["units"])))
        elif happened.kind == "casualty":
            lines.append(msg("{side} lost the leader {unit}.", side=SIDE_NAMES[data["side"]], unit=data["unit"]))
        elif happened.kind == "breaks":
            lines.append(msg("{side} breaks.", side=SIDE_NAMES[data["side"]]))
        elif happened.kind == "game over":
            lines.append(over(data, before))
        if fights:
            _note(fights[-1], happened, before)
    return lines


def _note(fight: _Fight, happened: Event, before: State) -> None:
    """Add to a fight what an event in it tells."""
    data = happened.data
    if happened.kind == "loses":
        fight.lost[data["side"]] += data["steps"]
        if not data["left"]:
            fight.gone[data["side"]].append(data["unit"])
    elif happened.kind in ("casualty", "eliminated", "captured"):
        for ident in data.get("units") or [data["unit"]]:
            if ident in before.units:
                fight.gone[before.units[ident].side].append(ident)
    elif happened.kind == "dice":
        fight.dice = data["dice"]
    elif happened.kind == "shock":
        fight.totals = data["totals"]


def _told(fight: _Fight, data: Mapping[str, Any], before: State) -> Msg:
    won = msg(
        "{space} was assaulted from {origin}: {side} won.",
        space=before.fight.target if before.fight else "",
        origin=before.fight.origin if before.fight else "",
        side=SIDE_NAMES[data["winner"]],
    )
    lost = tuple(_lost(fight, side) for side in SIDES if fight.lost[side] or fight.gone[side])
    told = msg("{fight} Lost: {lost}.", fight=won, lost=lost or msg("nothing"))
    if not (fight.totals and fight.dice):
        return told
    (a, b), (x, y) = fight.totals, fight.dice
    return msg("{fight} Shock {a} to {b} (dice {x} and {y}).", fight=told, a=a, b=b, x=x, y=y)


def _lost(fight: _Fight, side: str) -> Msg:
    steps = fight.lost[side]
    many = msg("{side} {steps} steps", side=SIDE_NAMES[side], steps=steps)
    told = by_number(steps, msg("{side} 1 step", side=SIDE_NAMES[side]), many)
    gone = tuple(dict.fromkeys(fight.gone[side]))
    if not steps:
        told = msg("{side}", side=SIDE_NAMES[side])
    return msg("{lost} (out of play: {units})", lost=told, units=gone) if gone else told
