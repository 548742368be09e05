"""MOVES: what the units of a space could be ordered to do now, in words; and where a side has units."""

from __future__ import annotations

from pbem.engine.data.messages import Msg, msg
from pbem.games.africa1860.orders.choices import able, leading, shut
from pbem.games.africa1860.orders.offers import about_to_order
from pbem.games.africa1860.state import State


def moves(view: State, side: str, space: str, begun: bool = False) -> tuple[Msg, ...]:
    """Return, for each unit of the side in the space, where it may move, what it may attack and fire at.

    Each unit is looked at by itself; an assault by infantry is shown where a leader of the space could lead it. What is
    asked between one's own phases is about the next of them (C12).
    """
    state = about_to_order(view, side, begun)
    own, refused = state.own(space, side), shut(state, space)
    lines = [msg("{space} cannot be activated: {why}", space=space, why=refused.why)] if refused else []
    leaders = leading(own)
    for unit in own:
        may = able(state, unit, space, leaders, refused is not None)
        lines += [msg(said.text, unit=unit.id, spaces=may[verb]) for verb, said in _SAID.items() if verb in may]
        if unit.demoralised and not may:
            lines.append(msg("{unit} is demoralised and finds no way to retire", unit=unit.id))
    return tuple(lines) or (msg("you have no unit in {space}", space=space),)


def places(view: State, side: str) -> tuple[Msg, ...]:
    """Return, for each space where a side has units, which they are."""
    return tuple(
        msg("{space}: {units}", space=space, units=view.camp(space, side))
        for space in sorted(view.edition.map.spaces)
        if view.camp(space, side)
    )


_SAID = {
    "RETIRE": msg("{unit}: RETIRE to {spaces}"),
    "MOVE": msg("{unit}: MOVE to {spaces}"),
    "FIRE": msg("{unit}: FIRE at {spaces}"),
    "SUPPORT": msg("{unit}: SUPPORT an assault on {spaces}"),
    "ASSAULT": msg("{unit}: ASSAULT {spaces}"),
    "CHARGE": msg("{unit}: CHARGE {spaces}"),
    "CARACOLE": msg("{unit}: CARACOLE at {spaces}"),
}
