"""How many coins a fire throws, and what a die is held against: the sums behind them, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pbem.engine.data.messages import Msg, msg
from pbem.games.africa1860.setup.units import Unit
from pbem.games.africa1860.state import State


def coins(label: str, before: State, modifiers: Sequence[Sequence[Any]]) -> tuple[Msg, ...]:
    """C6 Return where the coins of a fire come from, where steps count instead of fire, or one falls at least."""
    firers = label.partition("/fire ")[2].partition(" > ")[0].split("+")
    if any(ident not in before.units for ident in firers):
        return ()
    units = [before.units[ident] for ident in firers]
    thrown = sum(min(unit.fire, unit.steps) for unit in units) + sum(row[1] for row in modifiers)
    if thrown > 0 and all(unit.steps >= unit.fire for unit in units):
        return ()
    told, more = tuple(map(_each, units)), "".join(f"{row[1]:+d}" for row in modifiers)
    if not more:
        return (msg("coins: {units}", units=told),)
    if thrown < 1:
        return (msg("coins: {units}; with {more} one at least", units=told, more=more),)
    return (msg("coins: {units}; with {more} it is {n}", units=told, more=more, n=thrown),)


def _each(unit: Unit) -> Msg:
    if unit.steps < unit.fire:
        return msg("{unit} {n} by its steps (fire {fire})", unit=unit.id, n=unit.steps, fire=unit.fire)
    return msg("{unit} {n}", unit=unit.id, n=unit.fire)


def with_modifiers(value: int, modifiers: Sequence[Sequence[Any]]) -> str:
    """C7 Return what the modifiers make of a sum, `+1-1 = 6`; nothing where there are none."""
    if not modifiers:
        return ""
    values = [row[1] for row in modifiers]
    return f"{''.join(f'{one:+d}' for one in values)} = {value + sum(values)}"
