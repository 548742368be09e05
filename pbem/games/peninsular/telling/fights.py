"""What came of a half turn in a few lines: of each shock who won and who lost what, dice last; who was routed or fell.

A division that gives ground is told with where each of its counters went.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg, msg
from pbem.games.peninsular.battle.shock import mixed
from pbem.games.peninsular.phase.victory import party
from pbem.games.peninsular.setup.edition import camp
from pbem.games.peninsular.state import State
from pbem.games.peninsular.telling.prizes import SIDE_NAMES, over
from pbem.games.peninsular.telling.tell import arrived, does_not_charge, happenings

Seen = Sequence[tuple[Event, State]]

_YIELDS = ("retreats", "withdraws", "routed", "eliminated")
_TAKES = ("advances", "pursues")
"""What tells that a side did not stand in a shock, and that the other side took its hex."""


def came_of(seen: Seen) -> list[Msg]:
    """Return a line for each shock, each division that gave way, each rout and loss besides, each commander who fell,
    each group that came; first what fire cost."""
    lines: list[Msg] = []
    shot: dict[str, int] = {}
    for _, places in happenings(seen):
        told = [seen[place] for place in sorted(places)]
        first = seen[places[0]][0]
        for happened, before in told:
            data = happened.data
            if happened.kind == "shock":
                lines.append(_shock(happened, before, told))
            elif happened.kind == "loses" and first.kind == "fires":
                shot[data["unit"]] = shot.get(data["unit"], 0) + data["pf"]
            elif happened.kind in _ONE_LINE:
                lines.append(_ONE_LINE[happened.kind](data))
            elif happened.kind == "falls back":
                lines.append(_division(msg("Division {division} gave ground: {units}."), data["division"], told))
            elif happened.kind == "arrives":
                lines.append(arrived(data, before))
            elif happened.kind == "test" and does_not_charge(first, happened, before):
                lines.append(msg("{unit} did not charge: it failed its test.", unit=data["unit"]))
        lines += _fates(told, fought=first.kind == "shock")
    if shot:
        lost = tuple(msg("{unit} {pf}", unit=unit, pf=pf) for unit, pf in shot.items())
        lines.insert(0, msg("PF lost by fire: {units}.", units=lost))
    return lines


_ONE_LINE: Mapping[str, Callable[[Mapping[str, Any]], Msg]] = {
    "no shock": lambda data: msg("{hex}: no assault, the attackers are too weak.", hex=data["at"]),
    "commander lost": lambda data: msg("The commander {unit} fell.", unit=data["unit"]),
    "game over": over,
}


def _fates(told: Seen, fought: bool) -> list[Msg]:
    """Who was routed, eliminated or captured in a happening: all of a division at once, or each by himself.

    Of a shock the line on it tells already who is out of play.
    """
    routed = tuple(dict.fromkeys(happened.data["unit"] for happened, _ in told if happened.kind == "routed"))
    gone = () if fought else _lost_to(told, ("eliminated",))
    shot = () if fought else tuple(one.data["unit"] for one, _ in told if one.kind == "loses" and not one.data["left"])
    lines = []
    tested = [happened.data["division"] for happened, _ in told if happened.kind == "division"]
    if routed and tested:
        lines.append(msg("Division {division} was routed: {units}.", division=tested[0], units=routed))
        routed = ()
    for unit in routed:
        lines.append(
            msg("{unit} was routed and eliminated.", unit=unit)
            if unit in gone
            else msg("{unit} was routed.", unit=unit)
        )
    rest = tuple(dict.fromkeys(unit for unit in (*shot, *gone) if unit not in routed))
    if rest and not any(happened.kind == "falls back" for happened, _ in told):
        lines.append(msg("{units} {units:|was|were} eliminated.", units=rest))
    taken = () if fought else _lost_to(told, ("captured",))
    if taken:
        lines.append(msg("{units} {units:|was|were} captured.", units=taken))
    return lines


def _lost_to(told: Seen, kinds: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(unit for one, _ in told if one.kind in kinds for unit in one.data["units"]))


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
    won = msg("{hex} was assaulted by {side}, without a decision.", hex=data["at"], side=_name(before, ours))
    if winner:
        won = msg("{hex} was assaulted: {side} won.", hex=data["at"], side=_name(before, winner))
    attack, defence = data["strengths"]
    dice = msg(
        "Shock {a} to {b}, die {die}: {effect}.",
        a=mixed(attack),
        b=mixed(defence),
        die=data["die"],
        effect=Msg(before.edition.chart("shock").legend[data["cell"]]),
    )
    lost = tuple(_lost(side, told, before) for side in dict.fromkeys((ours, theirs)) if side and _hurt(side, told))
    return msg("{fight} Lost in the shock: {lost}. {dice}", fight=won, lost=lost or msg("nothing"), dice=dice)


def _name(state: State, side: str) -> Msg:
    """What the side is called that a side counts its points for: one name for all friends (S14)."""
    return SIDE_NAMES[party(state, side) or side]


def _yields(happened: Event) -> bool:
    return happened.kind in _YIELDS or (happened.kind == "loses" and not happened.data["left"])


def _hurt(side: str, told: Seen) -> bool:
    return bool(_steps(side, told) or _gone(side, told))


def _steps(side: str, told: Seen) -> int:
    """S14 The PF that a camp lost, those of counters eliminated or captured among them."""
    pf = 0
    for one, before in told:
        if one.kind == "loses" and camp(one.data["side"]) == camp(side):
            pf += one.data["pf"]
        elif one.kind == "eliminated" and camp(one.data["side"]) == camp(side):
            pf += sum(before.units[ident].pf for ident in one.data["units"] if ident in before.units)
    return pf


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


def _lost(side: str, told: Seen, before: State) -> Msg:
    pf, gone, name = _steps(side, told), _gone(side, told), _name(before, side)
    lost = msg("{side} {pf} PF", side=name, pf=pf) if pf else msg("{side}", side=name)
    return msg("{lost} (out of play: {units})", lost=lost, units=gone) if gone else lost
