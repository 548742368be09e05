"""What came of a half turn in a few lines: of each shock who won and who lost what, dice last; who was routed or fell.

A division that gives ground is told with where each of its counters went.
"""

from __future__ import annotations

from collections.abc import Sequence

from pbem.core.data.events import Event
from pbem.core.data.messages import Msg, msg
from pbem.games.peninsular.setup.edition import camp
from pbem.games.peninsular.state import State
from pbem.games.peninsular.telling.prizes import SIDE_NAMES, over
from pbem.games.peninsular.telling.tell import happenings

__all__ = ["came_of"]

Seen = Sequence[tuple[Event, State]]

_YIELDS = ("retreats", "withdraws", "routed", "eliminated")
_TAKES = ("advances", "pursues")
"""What tells that a side did not stand in a shock, and that the other side took its hex."""


def came_of(seen: Seen) -> list[Msg]:
    """Return a line for each shock, each division that gave way, each rout besides, each commander who fell."""
    lines: list[Msg] = []
    for _, places in happenings(seen):
        told = [seen[place] for place in sorted(places)]
        for happened, before in told:
            data = happened.data
            if happened.kind == "shock":
                lines.append(_shock(happened, before, told))
            elif happened.kind == "no shock":
                lines.append(msg("{hex}: no assault, the attackers are too weak.", hex=data["at"]))
            elif happened.kind == "falls back":
                lines.append(_division(msg("Division {division} gave ground: {units}."), data["division"], told))
            elif happened.kind == "commander lost":
                lines.append(msg("The commander {unit} fell.", unit=data["unit"]))
            elif happened.kind == "game over":
                lines.append(over(data))
        lines += _routed(told)
    return lines


def _routed(told: Seen) -> list[Msg]:
    """Who was routed in a happening: all of a division at once, or each by himself."""
    routed = tuple(dict.fromkeys(happened.data["unit"] for happened, _ in told if happened.kind == "routed"))
    tested = [happened.data["division"] for happened, _ in told if happened.kind == "division"]
    if routed and tested:
        return [msg("Division {division} was routed: {units}.", division=tested[0], units=routed)]
    return [msg("{unit} was routed.", unit=unit) for unit in routed]


def _division(sentence: Msg, name: str, told: Seen) -> Msg:
    """Where the counters of a division went from and to."""
    gone = [happened.data for happened, _ in told if happened.kind == "retreats"]
    back = tuple(msg("{unit} from {start} to {to}", unit=d["units"][0], start=d["from"], to=d["to"]) for d in gone)
    lost = tuple(msg("{unit} eliminated", unit=unit) for unit in _all_gone(told))
    return msg(sentence.text, division=name, units=(*back, *lost) or msg("none"))


def _shock(shock: Event, before: State, told: Seen) -> Msg:
    """Who won and who lost what, then strengths, die and what the chart says."""
    data = shock.data
    ours, sides = data["side"], [before.units[ident].side for ident in data["defenders"] if ident in before.units]
    theirs = sides[0] if sides else ""
    gave = {camp(happened.data["side"]) for happened, _ in told if _yields(happened)}
    taken = any(happened.kind in _TAKES and happened.data["to"] == data["at"] for happened, _ in told)
    winner = ours if taken or camp(theirs or ours) in gave - {camp(ours)} else theirs if camp(ours) in gave else ""
    won = msg("{hex} was assaulted by {side}, without a decision.", hex=data["at"], side=SIDE_NAMES[ours])
    if winner:
        won = msg("{hex} was assaulted: {side} won.", hex=data["at"], side=SIDE_NAMES[winner])
    attack, defence = data["strengths"]
    dice = msg("Shock {a} to {b}, die {die}: {effect}.", a=attack, b=defence, die=data["die"],
               effect=Msg(before.edition.chart("shock").legend[data["cell"]]))  # fmt: skip
    lost = tuple(_lost(side, told) for side in dict.fromkeys((ours, theirs)) if side and _hurt(side, told))
    return msg("{fight} Lost: {lost}. {dice}", fight=won, lost=lost or msg("nothing"), dice=dice)


def _yields(happened: Event) -> bool:
    return happened.kind in _YIELDS or (happened.kind == "loses" and not happened.data["left"])


def _hurt(side: str, told: Seen) -> bool:
    return bool(_steps(side, told) or _gone(side, told))


def _steps(side: str, told: Seen) -> int:
    return sum(one.data["pf"] for one, _ in told if one.kind == "loses" and camp(one.data["side"]) == camp(side))


def _all_gone(told: Seen) -> tuple[str, ...]:
    return tuple(ident for side in ("british", "french") for ident in _gone(side, told))


def _gone(side: str, told: Seen) -> tuple[str, ...]:
    """The counters of a camp that were lost in these events."""
    found: dict[str, None] = {}
    for happened, before in told:
        data = happened.data
        fatal = happened.kind in ("eliminated", "captured") or (happened.kind == "loses" and not data["left"])
        for ident in (data.get("units") or [data["unit"]]) if fatal else ():
            if ident in before.units and camp(before.units[ident].side) == camp(side):
                found[ident] = None
    return tuple(found)


def _lost(side: str, told: Seen) -> Msg:
    pf, gone = _steps(side, told), _gone(side, told)
    lost = msg("{side} {pf} PF", side=SIDE_NAMES[side], pf=pf) if pf else msg("{side}", side=SIDE_NAMES[side])
    return msg("{lost} (out of play: {units})", lost=lost, units=gone) if gone else lost
