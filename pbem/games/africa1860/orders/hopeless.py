"""Lines behind the first die that no outcome can make possible: warned of, where before it they would be refused.

In its own phase a side's units move by its orders alone, and who has moved has acted (R3): what stands against a unit
that is to act there, where it is among it, stays so. Who else is in a space may change, but only through a line above
that is aimed at it; what may come of such a line is taken to go the writer's way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.actions import If
from pbem.engine.orders.refusals import Refusal
from pbem.engine.run.steps import Rules
from pbem.engine.terms import Orders, Warned
from pbem.games.africa1860.orders.actions import Action, Activate, Assault, Caracole, Fire, Move, Retire
from pbem.games.africa1860.orders.actors import ANYWHERE, Acting, actor
from pbem.games.africa1860.orders.foreseen import foreseen
from pbem.games.africa1860.orders.legality import problem
from pbem.games.africa1860.setup.units import INFANTRY, other
from pbem.games.africa1860.state import State


def hopeless(rules: Rules[State], view: State, side: str, orders: Orders, begun: bool = False) -> tuple[Warned, ...]:
    """Return the lines of legal orders that cannot be carried out whatever the dice bring: why, and the way out.

    What stands under an ACTIVATE that is among them falls with it and is not told again.
    """
    known = foreseen(rules, view, side, orders, begun).known
    # Of an IF that was certain the other case is not among them.
    left = {line.action.line for task in known.world.agenda if task.args for line in _of(task.args[0])}
    written = tuple(_written(orders.actions))
    told: list[Warned] = []
    lost: set[int] = set()
    for at, line in enumerate(written):
        if line.action.line not in left or line.under in lost:
            continue
        found = _against(known.state, line, written[:at])
        if found is not None:
            lost |= {line.action.line} if isinstance(line.action, Activate) else set()
            told.append(_warned(line, *found))
    return tuple(told)


class _Line(NamedTuple):
    """An order, the space that is activated for it, and the line that activates it, 0 for none."""

    action: Action
    space: str
    under: int


def _of(ordered: object) -> Iterator[_Line]:
    """What is ordered in a task, if it is of an order."""
    return (
        _written((ordered,))
        if isinstance(ordered, Activate | Assault | Caracole | Fire | If | Move | Retire)
        else iter(())
    )


def _written(actions: Iterable[Action], space: str = "", under: int = 0) -> Iterator[_Line]:
    """All that might be done, in the order written, ACTIVATE among it."""
    for action in actions:
        if isinstance(action, If):
            yield from _written((*action.then, *action.otherwise), space, under)
        elif isinstance(action, Activate):
            yield _Line(action, action.space, under)
            yield from _written(action.actions, action.space, action.line)
        else:
            yield _Line(action, space, under)


def _warned(line: _Line, found: Refusal, way: Msg) -> Warned:
    why = msg("whatever the dice bring, this cannot be carried out: {why}; {way}", why=found.why, way=way)
    if isinstance(line.action, Activate):
        text = "whatever the dice bring, neither this nor what stands under it can be carried out: {why}; {way}"
        why = msg(text, why=found.why, way=way)
    return Warned(line.action.line, why, found.rules[0])


_LEAVE = msg("leave it out")


def _against(state: State, line: _Line, above: Sequence[_Line]) -> tuple[Refusal, Msg] | None:
    """What stands for good against a line, and the way out of it."""
    action, space, _ = line
    if isinstance(action, Activate):
        return _shut(state, action, above)
    found = barred(state, action, space)
    if found is not None:
        return found, _elsewhere(state, found, space)
    if isinstance(action, Move) and _stays_held(state, action.to, above):
        found = problem(state, action, space)
        if found is not None and found.word == action.to:
            return found, msg("assault {space} in a line above, or leave this out", space=action.to)
    return None


def _elsewhere(state: State, found: Refusal, space: str) -> Msg:
    unit = state.units.get(found.word)
    if unit is None or unit.side != state.phase or unit.at == space or unit.acted or unit.demoralised:
        return _LEAVE
    return msg("order it below ACTIVATE {space}, or leave it out", space=unit.at)


def barred(state: State, action: Action, space: str) -> Refusal | None:
    """Return what stands against the units of an action, who are to act in a space: it will be so to the phase's end.

    R3 Who comes there in this phase has acted in it; R1 who is demoralised recovers only at its end.
    """
    for ident, acting in _acting(state, action, space):
        if (found := actor(state, ident, acting)) is not None:
            return found
    return None


def _acting(state: State, action: Action, space: str) -> Iterator[tuple[str, Acting]]:
    """Who is to act in an action, and how."""
    if isinstance(action, Move):
        yield from ((ident, Acting(space, moving=True)) for ident in (*action.units, *action.leaders))
    elif isinstance(action, Fire):
        yield from ((gun, Acting(space)) for group in action.shots for gun in group)
    elif isinstance(action, Caracole):
        yield from ((ident, Acting(space)) for ident in action.units)
    elif isinstance(action, Assault):
        stack = (*action.units, *((action.leader,) if action.leader else ()))
        yield from ((ident, Acting(space, extra=("O8",))) for ident in stack)
        where = Acting(ANYWHERE if state.edition.reread else space, extra=("R22",))
        yield from ((gun, where) for group in action.support for gun in group)


def _shut(state: State, action: Activate, above: Sequence[_Line]) -> tuple[Refusal, Msg] | None:
    """O2, O5 A space that is activated already, or that nobody stands in and nobody comes to, or no leader (O5)."""
    found, space = problem(state, action, ""), action.space
    if found is None:
        return None
    if space in state.used:
        return found, _LEAVE
    if not state.own(space, state.phase):
        comes = any(_comes(state, line, space) for line in above)
        return None if comes else (found, msg("lead somebody there in a line above, or leave it out"))
    leads = any(_comes(state, line, space) and _leads(state, line.action) for line in above)
    return None if leads else (found, msg("bring a leader there in a line above, or leave it out"))


def _leads(state: State, action: Action) -> bool:
    """Whether a leader is among those who an action may move."""
    ids = (ident for ident, _ in _acting(state, action, "")) if not isinstance(action, Retire) else iter(action.units)
    return any(ident in state.units and state.units[ident].is_leader for ident in ids)


def _comes(state: State, line: _Line, space: str) -> bool:
    """Whether a line may bring somebody to a space: by its order, or on the flight from whoever intercepts it (C9)."""
    action, area = line.action, state.edition.map
    if isinstance(action, Retire | Caracole):
        return True
    if isinstance(action, Move):
        straight = area.adjacent(line.space, action.to) and not action.via
        return action.to == space or not straight or (not state.holder(action.to) and area.adjacent(action.to, space))
    if isinstance(action, Assault):
        return action.target == space or bool(action.via) or not area.adjacent(line.space, action.target)
    return False


def _stays_held(state: State, space: str, above: Sequence[_Line]) -> bool:
    """Whether an enemy stays in a space: foot, at whom no line above is aimed."""
    if not any(unit.code in INFANTRY for unit in state.own(space, other(state.phase))):
        return False
    aimed = (line.action for line in above)
    return not any(
        (isinstance(one, Assault) and one.target == space) or (isinstance(one, Fire | Caracole) and one.at == space)
        for one in aimed
    )
