"""S3 Zones of control, and who stands where: the nearest enemy, lines of sight."""

from __future__ import annotations

from pbem.engine.map.hexes import between, distance
from pbem.games.peninsular.ground.hexmap import Ground
from pbem.games.peninsular.ground.terrain import barred
from pbem.games.peninsular.setup.edition import camp
from pbem.games.peninsular.setup.units import Unit
from pbem.games.peninsular.state import State

_BLOCKS = frozenset({"light wood", "dense wood", "village", "city", "strong buildings"})


def in_zone(state: State, ident: str, unit: Unit) -> bool:
    """S3 Whether a hex is in an enemy zone for the counter; not across sides that are P for it."""
    reached = state.enemy(unit.side).zones.get(ident, ())
    return bool(reached) and any(not barred(state.edition, unit, ident, at) for at in reached)


def nearest(state: State, ident: str, side: str) -> Unit | None:
    """Return the enemy combat counter nearest to a hex: by distance, then hex, then id."""
    known, key = state.remembered, ("nearest", ident, camp(side))
    if key not in known:
        known[key] = _nearest(state, ident, side)
    found: Unit | None = known[key]
    return found


def _nearest(state: State, ident: str, side: str) -> Unit | None:
    foes = [foe for foe in state.enemies(side) if foe.kind != "cmd"]
    return min(foes, key=lambda foe: (distance(ident, foe.at), foe.at, foe.id), default=None)


def sees(state: State, a: str, b: str) -> bool:
    """S7 Whether the line of fire between two hexes is free.

    Wood, villages, cities, buildings and ground higher than both ends block it; along a side both hexes must.
    """
    known, key = state.edition.remembered, ("sees", a, b)
    if key not in known:
        known[key] = _sees(state.edition.map, a, b)
    return bool(known[key])


def _sees(ground: Ground, a: str, b: str) -> bool:
    return not any(all(_blocks(ground, a, b, ident) for ident in passed) for passed in between(a, b))


def _blocks(ground: Ground, a: str, b: str, ident: str) -> bool:
    """Whether a hex between two others is in the way: what grows or stands there, or that it is higher than both."""
    top = max(ground.level(a), ground.level(b))
    return ident in ground and (ground.terrain(ident) in _BLOCKS or ground.level(ident) > top)


def blockers(ground: Ground, a: str, b: str) -> tuple[str, ...]:
    """S7 Return the hexes that block the line of fire between two others, the nearest first; both along a side."""
    ways = [passed for passed in between(a, b) if all(_blocks(ground, a, b, ident) for ident in passed)]
    return tuple(ident for passed in ways for ident in passed)
