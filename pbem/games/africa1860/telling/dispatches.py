"""M6 What a courier brought, line by line: who was where, who fell, what was fought, what was ordered.

And fire of which a command sees one end alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pbem.engine.couriers.known import Hearsay
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.speech import told as told_order
from pbem.games.africa1860.orders.vocabulary import spoken
from pbem.games.africa1860.setup.edition import SIDES
from pbem.games.africa1860.setup.units import Unit
from pbem.games.africa1860.sight import UNSEEN, sight
from pbem.games.africa1860.state import State


def dispatch(data: Mapping[str, Any], before: State) -> tuple[Msg, ...]:
    """Return the lines of a report that arrives; of what its reader sees himself, or saw later, nothing is told."""
    known = before.known or Hearsay()
    seen = sight(before, data["to"]) | {one.place for one in known.seen if one.when >= data["when"]}
    places = [(place, [Unit(*row) for row in rows]) for place, rows in data["places"] if place not in seen]
    lines = [_held(place, units) for place, units in places if units]
    if empty := tuple(place for place, units in places if not units):
        lines.append(msg("nobody in {spaces}", spaces=empty))
    if gone := tuple(ident for ident in data["gone"] if ident not in before.gone):
        lines.append(msg("out of play: {units}", units=gone))
    lines += [line for one in data["news"] for line in _news(one)]
    return tuple(lines) or (msg("nothing new to you"),)


def _held(place: str, units: Sequence[Unit]) -> Msg:
    """``Mochilas held by Morocco: 2 IL (5 steps)``."""
    side = _SIDES[units[0].side]
    kinds = Counter(unit.code for unit in units if not unit.is_leader)
    leaders = tuple(unit.id for unit in units if unit.is_leader)
    parts: list[Msg | str] = [
        msg("{n} {code}", n=n, code=msg("{code}", code=code)) for code, n in sorted(kinds.items(), key=_foot_first)
    ]
    steps = sum(unit.steps for unit in units if not unit.is_leader)
    told = msg("{place} held by {side}: {force}", place=place, side=side, force=(*parts, *leaders))
    return msg("{told} ({steps} {steps:|step|steps})", told=told, steps=steps) if steps else told


def _foot_first(one: tuple[str, int]) -> int:
    return ("IR", "NZ", "IL", "CAB", "ART", "CNV").index(one[0])


_SIDES: Mapping[str, Msg] = dict(zip(SIDES, (msg("Spain"), msg("Morocco")), strict=True))


def _news(one: Sequence[str]) -> Iterable[Msg]:
    kind, *words = one
    if kind == "fight":
        target, origin, winner = words
        yield msg("{space} was assaulted from {origin}: {side} won.", space=target, origin=origin, side=_SIDES[winner])
    elif kind == "set":
        yield from (msg("ordered: {order}", order=told_order(line, spoken)) for line in words)


def gone(data: Mapping[str, Any]) -> Msg | None:
    """Who went where a command does not see; None if it is seen."""
    return msg("out of sight: {units}", units=tuple(data["units"])) if data["to"] == UNSEEN else None


def fire(data: Mapping[str, Any]) -> Msg:
    """Who fires at whom, as far as it is seen."""
    if data["firers"] == [UNSEEN]:
        return msg("Fire from out of sight at {target}.", target=data["target"])
    if data["target"] == UNSEEN:
        return msg("Fire of {firers} at somebody out of sight.", firers=tuple(data["firers"]))
    return msg("Fire of {firers} at {target}.", firers=tuple(data["firers"]), target=data["target"])
