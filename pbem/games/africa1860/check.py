"""Checking a letter against the position: what is refused, what no outcome can make possible, and second thoughts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pbem.engine.data.messages import Msg, msg
from pbem.engine.deployment import DEPLOYMENT, Deploy, too_late
from pbem.engine.orders.lex import tokens
from pbem.engine.orders.refusals import Refusal, refused_lines
from pbem.engine.orders.standing import ASK, If, Rule, flat
from pbem.engine.reasons import place_of
from pbem.engine.run.runners import Foresight, foresee
from pbem.engine.run.steps import Rules, World
from pbem.engine.terms import Orders, OrderWarning, RejectedLine
from pbem.games.africa1860 import assault, cavalry, fire, movement, sequence
from pbem.games.africa1860.doctrine import Doctrine, default_screen, default_vanguard
from pbem.games.africa1860.legality import ANYWHERE, Acting, actor
from pbem.games.africa1860.orders import (
    VOCABULARY,
    Action,
    Activate,
    Assault,
    Caracole,
    Fire,
    Move,
    Retire,
    placed,
    spaces_of,
    under,
)
from pbem.games.africa1860.sequence import DEPLOYING, SETS
from pbem.games.africa1860.state import INFANTRY, State, other
from pbem.games.africa1860.view import dated

REFUSALS: Mapping[type, Callable[[State, Any, str, bool], Refusal | None]] = {
    Activate: sequence.refuse_activate,
    Move: movement.refuse_move,
    Fire: fire.refuse_fire,
    Assault: assault.refuse_assault,
    Caracole: cavalry.refuse_caracole,
    Retire: movement.refuse_retire,
    Deploy: lambda state, order, space, fixed: too_late("K6"),
}
"""What stands against an order of each kind, by its chapter."""


def problem(state: State, action: Action, space: str, fixed: bool = False) -> Refusal | None:
    """Return what stands against an action of the space's activation; with `fixed` only what no event can mend."""
    refuse = REFUSALS.get(type(action))
    return None if refuse is None else refuse(state, action, space, fixed)


class Certain(NamedTuple):
    """The position in which the orders are given, what is certain to come of them, and the lines that it comes of."""

    start: State
    known: Foresight[State]
    passed: frozenset[int]


def foreseen(rules: Rules[State], view: State, side: str, orders: Orders, begun: bool = False) -> Certain:
    """Return what is certain of a side's orders; where its phase has `begun`, what letters before did counts too."""
    start = view if view.phase == side else view.change(phase=side)
    own = [seat for seat, holds in start.edition.seats.items() if holds == side and view.commanding in ("", seat)]
    tasks = SETS.own(orders.actions)
    known = foresee(rules, World(start.change(stopped=False) if begun else _fresh(start), tasks), Doctrine({}), own)
    lines = (task.args[0].line for task in known.done if task.args and hasattr(task.args[0], "line"))
    return Certain(start, known, frozenset(lines))


def _fresh(state: State) -> State:
    units = {ident: unit._replace(acted=False) for ident, unit in state.units.items()}
    return state.change(units=units, used=(), bouts={}, stopped=False, fight=None)


# Lines behind the first die that no outcome can make possible: warned of, where before it they would be refused.
#
# In its own phase a side's units move by its orders alone, and who has moved has acted (R3): what stands against a unit
# that is to act there, where it is among it, stays so. Who else is in a space may change, but only through a line above
# that is aimed at it; what may come of such a line is taken to go the writer's way.


def hopeless(
    rules: Rules[State], view: State, side: str, orders: Orders, begun: bool = False
) -> tuple[OrderWarning, ...]:
    """Return the lines of legal orders that cannot be carried out whatever the dice bring: why, and the way out.

    What stands under an ACTIVATE that is among them falls with it and is not told again.
    """
    known = foreseen(rules, view, side, orders, begun).known
    # Of an IF that was certain the other case is not among them.
    left = {line.action.line for task in known.world.agenda if task.args for line in _of(task.args[0])}
    written = tuple(_written(orders.actions))
    told: list[OrderWarning] = []
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


def _warned(line: _Line, found: Refusal, way: Msg) -> OrderWarning:
    why = msg("whatever the dice bring, this cannot be carried out: {why}; {way}", why=found.why, way=way)
    if isinstance(line.action, Activate):
        text = "whatever the dice bring, neither this nor what stands under it can be carried out: {why}; {way}"
        why = msg(text, why=found.why, way=way)
    return OrderWarning(line.action.line, why, found.rules[0])


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


# Everything up to the first die, then what no die can change.


def check(rules: Rules[State], view: State, seat: str, orders: Orders, begun: bool = False) -> tuple[RejectedLine, ...]:
    """Return the refused lines of a side's orders.

    Until something must be rolled or somebody else asked the position is known, and every rule counts; after that
    only types, owners and the map do. Lines under a refused ACTIVATE fall with it. Where the phase has `begun`, what
    letters before did in it counts too. M6 What was only reported refuses no line.
    """
    side = view.edition.seats[seat]
    if view.phase == DEPLOYMENT:
        return DEPLOYING.check(rules, view, side, orders)
    found = _refused(rules, view, side, orders, begun)
    older = dated(view, view.commanding)
    if not found or not older:
        return found
    seen = view.change(units={ident: unit for ident, unit in view.units.items() if unit.at not in older})
    stands = {item.line for item in _refused(rules, seen, side, orders, begun)}
    return tuple(item for item in found if item.line in stands)


def _refused(rules: Rules[State], view: State, side: str, orders: Orders, begun: bool) -> tuple[RejectedLine, ...]:
    start, known, passed = foreseen(rules, view, side, orders, begun)
    told = {(line.line, order): line for order, line in refused_lines([happened for happened, _ in known.events])}
    by_line = {action.line: action for action in orders.actions}
    told = {at: _in_full(start, by_line.get(line.line), line) for at, line in told.items()}
    later = [item for item in _fixed(start, known.state, orders.actions) if item.line not in passed]
    found = sorted([*told.values(), *later], key=lambda item: item.line)
    return tuple(_activated(start, orders.actions, found))


def _activated(start: State, actions: Sequence[Action], found: Iterable[RejectedLine]) -> Iterator[RejectedLine]:
    """O2 Offer the ACTIVATE that an order lacks whose units stand in a space that no other line activates.

    Orders for the same space that follow would do with it, and are not refused beside it.
    """
    given = tuple(flat(actions, under))
    active = {*start.used, *(action.space for action in given if isinstance(action, Activate))}
    spaces = {
        action.line: at
        for action in given
        if len(at := spaces_of(start, action)) == 1 and problem(start, action, at[0]) is None
    }
    offered = ""
    for bad in found:
        (space,) = spaces.get(bad.line, ("",))
        if bad.why.text != "{unit} is in {at}, not in {space}" or not space or space in active:
            offered = ""
            yield bad
        elif space != offered:
            offered = space
            why = msg("{why}: ACTIVATE {space} is missing above this line", why=bad.why, space=space)
            yield bad._replace(column=0, word="", why=why, suggestions=(f"ACTIVATE {space};",))


def _in_full(state: State, action: Action | None, bad: RejectedLine) -> RejectedLine:
    """A charge that is refused for the way that it names: which step of that way there is not."""
    if bad.why.text != "{to} is more than two spaces from {space}" or not isinstance(action, Assault) or not action.via:
        return bad
    area, space = state.edition.map, str(dict(bad.why.args)["space"])
    for start, end in ((space, action.via), (action.via, action.target)):
        if not area.adjacent(start, end):
            why = msg("{to} is not next to {space}", to=action.via, space=space if end == action.via else action.target)
            return bad._replace(why=why, word=action.via, column=-1)
    return bad


def _fixed(start: State, known: State, actions: Iterable[Action]) -> Iterator[RejectedLine]:
    """Refusals that hold whatever the dice bring; where its units cannot be there at all, that is what is said."""
    for space, action in placed(actions):
        found = problem(start, action, space, fixed=True)
        if found is not None:
            yield (barred(known, action, space) or found).rejected(action.line)


# Second thoughts on a letter that is legal.
#
# Who is ordered to act twice, what no die can make possible, what is left to the default, and standing orders that
# cannot matter.


def review(
    rules: Rules[State], view: State, seat: str, orders: Orders, begun: bool = False
) -> tuple[OrderWarning, ...]:
    """Return what a player may not have meant, in the order of his lines; lines of standing orders count as 0."""
    side = view.edition.seats[seat]
    again: list[OrderWarning] = []
    _twice(orders.actions, frozenset(), again)
    twice = {one.line for one in again}
    lost = (one for one in hopeless(rules, view, side, orders, begun) if one.line not in twice)
    told = sorted([*lost, *_assaults(view, orders.actions), *again], key=lambda one: one.line)
    return (*told, *_standing(view, side, orders.standing))


def _twice(actions: Iterable[Action], spent: frozenset[str], told: list[OrderWarning]) -> frozenset[str]:
    """R3, O7.1.1 Who is to act after an order to act: refused where no die lies between, else of use if that fails.

    Of the two cases of an IF only one is done. Returns all who have been ordered to act.
    """
    for action in actions:
        if isinstance(action, If):
            spent = _twice(action.then, spent, told) | _twice(action.otherwise, spent, told)
        elif isinstance(action, Activate):
            spent = _twice(action.actions, spent, told)
        else:
            units, guns = _named_units(action)
            for ident in (*units, *guns):
                if ident in spent:
                    why = msg("{unit} acts in an order above: it does this only if it could not do that", unit=ident)
                    told.append(OrderWarning(action.line, why, "O7.1.1" if ident in guns else "R3"))
            spent |= {*units, *guns}
    return spent


def _named_units(action: Action) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The units that an order has act, and the guns that it has fire."""
    if isinstance(action, Assault):
        lead = (action.leader,) if action.leader and action.leader not in action.units else ()
        return (*action.units, *lead), tuple(gun for group in action.support for gun in group)
    if isinstance(action, Fire):
        return (), tuple(gun for group in action.shots for gun in group)
    if isinstance(action, Move):
        return (*action.units, *action.leaders), ()
    return (action.units, ()) if isinstance(action, Caracole | Retire) else ((), ())


def _assaults(view: State, actions: Iterable[Action]) -> Iterator[OrderWarning]:
    """C10a Windows of the attacker left to the default doctrine."""
    for action in flat(actions, under):
        if not isinstance(action, Assault):
            continue
        units = [view.units[ident] for ident in action.units if ident in view.units]
        vanguard = action.vanguard or default_vanguard([u for u in units if u.is_combat], frozenset())
        screen = action.screen or default_screen(units, vanguard)
        if not action.vanguard and len(units) > 1:
            why = msg("vanguard left to the default: {unit}, as things stand", unit=vanguard)
            yield OrderWarning(action.line, why, "C10a")
        if not action.screen and screen != "NONE":
            why = msg("screen left to the default: {unit}, as things stand", unit=screen)
            yield OrderWarning(action.line, why, "C10a")


def _standing(view: State, side: str, rules: Iterable[Rule]) -> Iterator[OrderWarning]:
    """Standing orders that name units out of play, or that an earlier one of their scope always forestalls."""
    earlier: list[Rule] = []
    for rule in rules:
        place = f"{rule.scope.kind} {rule.scope.id} {rule.number}".replace("  ", " ")
        if view.known is not None and any(one.keyword == ASK for one in (*rule.reactions, *rule.otherwise)):
            why = msg("{order}: where couriers ride nobody is asked in time, ASK is passed over", order=place_of(place))
            yield OrderWarning(0, why, "M6")
        for ident in _named(rule):
            if ident not in view.units:
                why = msg("{order}: {unit} is not in play now", order=place_of(place), unit=ident)
                yield OrderWarning(0, why, "C10")
        if any(_forestalls(old, rule) for old in earlier):
            why = msg("{order} never comes to be used: one before it always does", order=place_of(place))
            yield OrderWarning(0, why, "C10")
        earlier.append(rule)


def _named(rule: Rule) -> tuple[str, ...]:
    """The units a rule names, in its scope and its preferences."""
    words = [
        word for reaction in (*rule.reactions, *rule.otherwise) for word in _units(reaction.keyword, reaction.words)
    ]
    scope = [rule.scope.id] if rule.scope.kind in ("UNIT", "LEADER") else []
    return tuple(dict.fromkeys([*scope, *words]))


def _units(keyword: str, words: tuple[str, ...]) -> tuple[str, ...]:
    if keyword in (ASK, "CAVALRY", "ARTILLERY", "APPROACH", "FALLBACK"):
        return ()
    return tuple(word for word in words if "." not in word and word not in ("NONE", "YES", "NO"))


def _forestalls(old: Rule, new: Rule) -> bool:
    """An earlier rule of the same scope and event, without condition or limit, that answers all the new one would."""
    if old.scope != new.scope or old.event != new.event or old.condition or old.limit:
        return False
    answered = {reaction.keyword for reaction in old.reactions if _always(reaction.words)}
    return {reaction.keyword for reaction in (*new.reactions, *new.otherwise)} <= answered


def _always(words: tuple[str, ...]) -> bool:
    """Whether a reaction can be carried out whatever the position."""
    return words[-1] in ("NONE", "YES", "NO", "STAY", "IGNORE", "FIRE", "KEEP")


# O2 What a refused ACTIVATE takes with it: in a letter given back, the orders that would act for another space.


_ACTS = frozenset({"MOVE", "FIRE", "ASSAULT", "CHARGE", "CARACOLE"})
_NEST = frozenset({"IF", "ELSE", "ENDIF"})


def fallen(lines: Sequence[str], at: int) -> tuple[int, ...]:
    """Return which lines of a block act in the space that the refused line `at` activates; none if it is no ACTIVATE.

    They end with the next ACTIVATE, or with the case of an IF that the line stands in; within a case that begins below
    it, an ACTIVATE of that case ends them. RETIRE needs no activation.
    """
    if "ACTIVATE" not in _said(lines[at]):
        return ()
    lost, found = [True], []
    for number, line in enumerate(lines[at + 1 :], at + 1):
        said = _said(line)
        if len(lost) == 1 and said & {"ACTIVATE", "ELSE", "ENDIF"}:
            break
        if said & _NEST:
            lost = [*lost, lost[-1]] if "IF" in said else lost[:-1]
            lost = [*lost, lost[-1]] if "ELSE" in said else lost
        elif "ACTIVATE" in said:
            lost[-1] = False
        elif said & _ACTS and lost[-1]:
            found.append(number)
    return tuple(found)


def _said(line: str) -> frozenset[str]:
    """The keywords that a line begins with."""
    return frozenset(VOCABULARY.lengths(tokens(line), 0))
