"""Check a letter: refused lines, lines no outcome makes possible, warnings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from pbem.engine.data.messages import Msg, msg
from pbem.engine.deployment import DEPLOYMENT_PHASE
from pbem.engine.orders.lex import tokens
from pbem.engine.orders.refusals import Refusal, refused_lines
from pbem.engine.orders.standing import ASK, If, Rule, flat
from pbem.engine.reasons import standing_order_in_words
from pbem.engine.run.runners import Foresight, foresee
from pbem.engine.run.steps import Rules, World
from pbem.engine.terms import Orders, OrderWarning, RejectedLine
from pbem.games.africa1860.doctrine import Doctrine, default_screen, default_vanguard
from pbem.games.africa1860.legality import ANY_SPACE, IntendedAction, explain_absence, refuse_unit
from pbem.games.africa1860.orders import (
    VOCABULARY,
    Action,
    Activate,
    Assault,
    Caracole,
    Fire,
    Move,
    Retire,
    line_of,
    orders_by_space,
    orders_under,
    spaces_of,
)
from pbem.games.africa1860.refusals import RefusedAction, elsewhere_text, refuse_action, why_in_full
from pbem.games.africa1860.sequence import DEPLOYMENT, ORDER_SETS
from pbem.games.africa1860.state import INFANTRY, State, enemy_of
from pbem.games.africa1860.view import sightings_by_space


class CertainOutcome(NamedTuple):
    """The position before the orders, and its certain outcome.

    `passed` holds the lines that led there.
    """

    start: State
    known: Foresight[State]
    passed: frozenset[int]


def certain_effects(rules: Rules[State], view: State, side: str, orders: Orders, begun: bool = False) -> CertainOutcome:
    """Return the certain outcome of orders; if `begun`, earlier letters count too."""
    start = view if view.phase == side else view.change(phase=side)
    own = [seat for seat, holds in start.edition.seats.items() if holds == side and view.commanding in ("", seat)]
    tasks = ORDER_SETS.own(orders.actions)
    foresight = foresee(
        rules, World(start.change(stopped=False) if begun else _start_of_phase(start), tasks), Doctrine({}), own
    )
    lines = (task.args[0].line for task in foresight.done if task.args and hasattr(task.args[0], "line"))
    return CertainOutcome(start, foresight, frozenset(lines))


def _start_of_phase(state: State) -> State:
    units = {ident: unit._replace(acted=False) for ident, unit in state.units.items()}
    return state.change(units=units, used=(), bouts={}, stopped=False, fight=None)


# Lines behind the first die that no outcome can make possible: warned of, where before it they would be refused.
#
# In its own phase a side's units move by its orders alone, and who has moved has acted (R3): what stands against a unit
# that is to act there, where it is among it, stays so. Who else is in a space may change, but only through a line above
# that is aimed at it; what may come of such a line is taken to go the writer's way.


def impossible_lines(
    rules: Rules[State], view: State, side: str, orders: Orders, begun: bool = False
) -> tuple[OrderWarning, ...]:
    """Return legal orders that no dice can make possible: reason and remedy.

    Lines under such an ACTIVATE fail with it and are not listed again.
    """
    return tuple(_warning(*impossible) for impossible in _impossible(rules, view, side, orders, begun))


class _Impossible(NamedTuple):
    """A line that no dice can make possible, the reason, and the remedy."""

    line: _Line
    refusal: Refusal
    way: Msg


def _impossible(
    rules: Rules[State], view: State, side: str, orders: Orders, begun: bool = False
) -> Iterator[_Impossible]:
    known = certain_effects(rules, view, side, orders, begun).known
    # Of an IF that was certain the other case is not among them.
    remaining = {line.action.line for task in known.world.agenda if task.args for line in _lines_of(task.args[0])}
    all_lines = tuple(_all_lines(orders.actions))
    lost_lines: set[int] = set()
    for index, line in enumerate(all_lines):
        if line.action.line not in remaining or line.under in lost_lines:
            continue
        lasting = _lasting_refusal(known.state, line, all_lines[:index])
        if lasting is not None:
            lost_lines |= {line.action.line} if isinstance(line.action, Activate) else set()
            refusal, way = lasting
            yield _Impossible(line, refusal._replace(why=explain_absence(known.state, refusal.why)), way)


class _Line(NamedTuple):
    """An order, its activated space, and the activating line, 0 for none."""

    action: Action
    space: str
    under: int


def _lines_of(ordered: object) -> Iterator[_Line]:
    """Yield the lines of a task's order, if any."""
    return (
        _all_lines((ordered,))
        if isinstance(ordered, Activate | Assault | Caracole | Fire | If | Move | Retire)
        else iter(())
    )


def _all_lines(actions: Iterable[Action], space: str = "", under: int = 0) -> Iterator[_Line]:
    """Yield all possible actions as written, with ACTIVATE."""
    for action in actions:
        if isinstance(action, If):
            yield from _all_lines((*action.then, *action.otherwise), space, under)
        elif isinstance(action, Activate):
            yield _Line(action, action.space, under)
            yield from _all_lines(action.actions, action.space, action.line)
        else:
            yield _Line(action, space, under)


def _warning(line: _Line, refusal: Refusal, way: Msg) -> OrderWarning:
    why = msg("whatever the dice bring, this cannot be carried out: {why}; {way}", why=refusal.why, way=way)
    if isinstance(line.action, Activate):
        text = "whatever the dice bring, neither this nor what stands under it can be carried out: {why}; {way}"
        why = msg(text, why=refusal.why, way=way)
    return OrderWarning(line.action.line, why, refusal.rules[0])


_LEAVE = msg("leave it out")


def _lasting_refusal(state: State, line: _Line, above: Sequence[_Line]) -> tuple[Refusal, Msg] | None:
    """Return a line's lasting refusal and its remedy."""
    action, space, _ = line
    if isinstance(action, Activate):
        return _refuse_space(state, action, above)
    refusal = refuse_units(state, action, space)
    if refusal is not None:
        return refusal, _other_space(state, refusal, space)
    wanted = action.to if isinstance(action, Move) else action.back if isinstance(action, Caracole) else ""
    refusal = refuse_action(state, action, space) if wanted else None
    if refusal is None or refusal.word != wanted:
        return None
    if _stays_occupied(state, wanted, above):
        return refusal, msg("assault {space} in a line above, or leave this out", space=wanted)
    # R4 A caracole falls back to friends: fire may empty a space, but brings nobody to it.
    comes = not isinstance(action, Caracole) or any(_may_reach(state, other, wanted) for other in above)
    return None if comes else (refusal, msg("lead somebody there in a line above, or leave it out"))


def _other_space(state: State, refusal: Refusal, space: str) -> Msg:
    unit = state.units.get(refusal.word)
    if unit is None or unit.side != state.phase or unit.at == space or unit.acted or unit.demoralised:
        return _LEAVE
    return msg("order it below ACTIVATE {space}, or leave it out", space=unit.at)


def refuse_units(state: State, action: Action, space: str) -> Refusal | None:
    """Return why an action's units cannot act in a space for the whole phase.

    R3 A unit that arrives in this phase has acted in it; R1 a demoralised one recovers only at its end.
    """
    for ident, acting in _acting(state, action, space):
        if (refusal := refuse_unit(state, ident, acting)) is not None:
            return refusal
    return None


def _acting(state: State, action: Action, space: str) -> Iterator[tuple[str, IntendedAction]]:
    """Yield an action's units and how they act."""
    if isinstance(action, Move):
        yield from ((ident, IntendedAction(space, moving=True)) for ident in (*action.units, *action.leaders))
    elif isinstance(action, Fire):
        yield from ((gun, IntendedAction(space)) for group in action.shots for gun in group)
    elif isinstance(action, Caracole):
        yield from ((ident, IntendedAction(space)) for ident in action.units)
    elif isinstance(action, Assault):
        stack = (*action.units, *((action.leader,) if action.leader else ()))
        yield from ((ident, IntendedAction(space, extra=("O8",))) for ident in stack)
        where = IntendedAction(ANY_SPACE if state.edition.reread else space, extra=("R22",))
        yield from ((gun, where) for group in action.support for gun in group)


def _refuse_space(state: State, action: Activate, above: Sequence[_Line]) -> tuple[Refusal, Msg] | None:
    """Refuse a space already activated, empty for good, or without a leader (O2, O5)."""
    refusal, space = refuse_action(state, action, ""), action.space
    if refusal is None:
        return None
    if space in state.used:
        return refusal, _LEAVE
    if not state.own(space, state.phase):
        comes = any(_may_reach(state, line, space) for line in above)
        return None if comes else (refusal, msg("lead somebody there in a line above, or leave it out"))
    leads = any(_may_reach(state, line, space) and _moves_leader(state, line.action) for line in above)
    return None if leads else (refusal, msg("bring a leader there in a line above, or leave it out"))


def _moves_leader(state: State, action: Action) -> bool:
    """Return whether an action may move a leader."""
    ids = (ident for ident, _ in _acting(state, action, "")) if not isinstance(action, Retire) else iter(action.units)
    return any(ident in state.units and state.units[ident].is_leader for ident in ids)


def _may_reach(state: State, line: _Line, space: str) -> bool:
    """Return whether a line may bring units to a space, by order or flight (C9)."""
    action, area = line.action, state.edition.map
    if isinstance(action, Retire | Caracole):
        return True
    if isinstance(action, Move):
        straight = area.adjacent(line.space, action.to) and not action.via
        return action.to == space or not straight or (not state.holder(action.to) and area.adjacent(action.to, space))
    if isinstance(action, Assault):
        return action.target == space or bool(action.via) or not area.adjacent(line.space, action.target)
    return False


def _stays_occupied(state: State, space: str, above: Sequence[_Line]) -> bool:
    """Return whether enemy infantry stays in a space, since no line above attacks it."""
    if not any(unit.code in INFANTRY for unit in state.own(space, enemy_of(state.phase))):
        return False
    earlier_actions = (line.action for line in above)
    return not any(
        (isinstance(earlier, Assault) and earlier.target == space)
        or (isinstance(earlier, Fire | Caracole) and earlier.at == space)
        for earlier in earlier_actions
    )


# Everything up to the first die, then what no die can change.


def check_orders(
    rules: Rules[State], view: State, seat: str, orders: Orders, begun: bool = False
) -> tuple[RejectedLine, ...]:
    """Return the refused lines of a side's orders.

    Until a roll or another player's answer the position is known and every rule counts; after that only types,
    owners and the map. Lines under a refused ACTIVATE fail with it. If the phase has `begun`, earlier letters count
    too. M6 A line is not refused if only an old report of enemies speaks against it.
    """
    side = view.edition.seats[seat]
    if view.phase == DEPLOYMENT_PHASE:
        return DEPLOYMENT.check(rules, view, side, orders)
    result = _refused_lines(rules, view, side, orders, begun)
    older = sightings_by_space(view, view.commanding)
    if not result or not older:
        return result
    seen = view.change(units={ident: unit for ident, unit in view.units.items() if unit.at not in older})
    stands = {item.line for item in _refused_lines(rules, seen, side, orders, begun)}
    return tuple(item for item in result if item.line in stands)


def _refused_lines(
    rules: Rules[State], view: State, side: str, orders: Orders, begun: bool
) -> tuple[RejectedLine, ...]:
    start, known, passed = certain_effects(rules, view, side, orders, begun)
    lines_by_order = {
        (line.line, order): _in_full(_refused_action(before, orders.actions, line.line, order), line)
        for event, before in known.events
        for order, line in refused_lines([event])
    }
    later = [item for item in _fixed_refusals(start, known.state, orders.actions) if item.line not in passed]
    refused = [*lines_by_order.values(), *later]
    if not refused:
        return ()
    # What no dice make possible is only warned of; beside other mistakes it would come back as if it were right.
    besides = {item.line for item in refused} | {warning.line for warning in warn_of_repeats(orders.actions)}
    impossible = (
        item for item in _impossible(rules, view, side, orders, begun) if item.line.action.line not in besides
    )
    refused += [_hopeless(item) for item in impossible]
    # In the order of the letter, whichever check found them.
    refused = sorted(
        (item._replace(why=explain_absence(start, item.why)) for item in refused), key=lambda item: item.line
    )
    return tuple(_offer_activation(start, orders.actions, refused))


def _hopeless(impossible: _Impossible) -> RejectedLine:
    refusal = impossible.refusal
    return refusal._replace(why=msg("{why}; {way}", why=refusal.why, way=impossible.way)).to_line(
        impossible.line.action.line
    )


def _offer_activation(
    start: State, actions: Sequence[Action], refused_lines: Iterable[RejectedLine]
) -> Iterator[RejectedLine]:
    """Offer the missing ACTIVATE above an order in a space that no line activates.

    Rule: O2.

    Later orders for the same space need no second ACTIVATE, and are not refused.
    """
    given = tuple(flat(actions, orders_under))
    active = {*start.used, *(action.space for action in given if isinstance(action, Activate))}
    spaces = {
        action.line: candidates
        for action in given
        if len(candidates := spaces_of(start, action)) == 1
        and refuse_action(start, Activate(0, candidates[0]), "") is None
        and refuse_action(start, action, candidates[0]) is None
    }
    offered = ""
    for bad in refused_lines:
        (space,) = spaces.get(bad.line, ("",))
        if bad.why.text != "{unit} is in {at}, not in {space}":
            offered = ""
            yield bad
        elif not space or space in active:
            offered = ""
            yield bad._replace(why=elsewhere_text(start, bad.why))
        elif space != offered:
            offered = space
            why = msg("{why}: ACTIVATE {space} is missing above this line", why=bad.why, space=space)
            yield bad._replace(column=0, word="", why=why, suggestions=(f"ACTIVATE {space};",))


def _refused_action(before: State, actions: Iterable[Action], number: int, order: str) -> RefusedAction:
    """Return the action that a refused order was, with the orders above it."""
    ordered = [*_all_lines(actions)]
    index = next(
        index for index, line in enumerate(ordered) if line.action.line == number and line_of(line.action) == order
    )
    return RefusedAction(before, *ordered[index][:2], [line.action for line in ordered[:index]])


def _in_full(refused: RefusedAction, line: RejectedLine) -> RejectedLine:
    """Return a refused line with what can be ordered instead."""
    why = why_in_full(refused, line.why)
    # Of a way with a step missing the space between is at fault, not the goal.
    via = getattr(refused.action, "via", "")
    return line._replace(why=why, word=via if via and dict(why.args).get("to") == via else line.word)


def _fixed_refusals(start: State, known: State, actions: Iterable[Action]) -> Iterator[RejectedLine]:
    """Yield refusals that hold whatever the dice; absence of units first."""
    for space, action in orders_by_space(actions):
        refusal = refuse_action(start, action, space, lasting_only=True)
        if refusal is not None:
            line = (refuse_units(known, action, space) or refusal).to_line(action.line)
            yield _in_full(RefusedAction(start, action, space), line)
        elif (refusal := _refuse_unarrived(start, action, space)) is not None:
            yield refusal.to_line(action.line)


def _refuse_unarrived(start: State, action: Action, space: str) -> Refusal | None:
    """O6 Refuse own units that have not come.

    They come only at the end of a turn, so that no die of the phase matters.
    """
    for ident, acting in _acting(start, action, space):
        refusal = refuse_unit(start, ident, acting) if ident not in start.units else None
        if refusal is not None and explain_absence(start, refusal.why) != refusal.why:
            return refusal
    return None


# Second thoughts on a letter that is legal.
#
# Who is ordered to act twice, what no die can make possible, what is left to the default, and standing orders that
# cannot matter.


def review_orders(
    rules: Rules[State], view: State, seat: str, orders: Orders, begun: bool = False
) -> tuple[OrderWarning, ...]:
    """Return warnings in the order of the lines.

    Lines of standing orders count as 0.
    """
    side = view.edition.seats[seat]
    again = warn_of_repeats(orders.actions)
    twice = {warning.line for warning in again}
    lost = (
        lost_line for lost_line in impossible_lines(rules, view, side, orders, begun) if lost_line.line not in twice
    )
    # In the order of the letter, whichever check found them; standing orders come last.
    warnings = sorted([*lost, *_warn_of_defaults(view, orders.actions), *again], key=lambda warning: warning.line)
    return (*warnings, *_warn_of_standing(view, side, orders.standing))


def warn_of_repeats(actions: Iterable[Action]) -> list[OrderWarning]:
    """Warn of each line whose unit acts in a line above."""
    warnings: list[OrderWarning] = []
    _warn_of_repeats(actions, frozenset(), warnings)
    return warnings


def _warn_of_repeats(
    actions: Iterable[Action], ordered_ids: frozenset[str], warnings: list[OrderWarning]
) -> frozenset[str]:
    """Warn of units ordered to act twice (R3, O7.1.1).

    Without a die between the orders the second is refused; otherwise it is useful if the first fails. Orders in the
    two branches of an IF are no repetition. Returns all units ordered to act.
    """
    for action in actions:
        if isinstance(action, If):
            ordered_ids = _warn_of_repeats(action.then, ordered_ids, warnings) | _warn_of_repeats(
                action.otherwise, ordered_ids, warnings
            )
        elif isinstance(action, Activate):
            ordered_ids = _warn_of_repeats(action.actions, ordered_ids, warnings)
        else:
            units, guns = _named_units(action)
            for ident in (*units, *guns):
                if ident in ordered_ids:
                    why = msg(
                        "{unit} acts in an order above: if it does that, nothing of this one is carried out; leave it "
                        "out of one of them",
                        unit=ident,
                    )
                    warnings.append(OrderWarning(action.line, why, "O7.1.1" if ident in guns else "R3"))
            ordered_ids |= {*units, *guns}
    return ordered_ids


def _named_units(action: Action) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the units that an order makes act, and the guns that it makes fire."""
    if isinstance(action, Assault):
        lead = (action.leader,) if action.leader and action.leader not in action.units else ()
        return (*action.units, *lead), tuple(gun for group in action.support for gun in group)
    if isinstance(action, Fire):
        return (), tuple(gun for group in action.shots for gun in group)
    if isinstance(action, Move):
        return (*action.units, *action.leaders), ()
    return (action.units, ()) if isinstance(action, Caracole | Retire) else ((), ())


def _warn_of_defaults(view: State, actions: Iterable[Action]) -> Iterator[OrderWarning]:
    """Warn of the attacker's choices left to the default doctrine (C10a)."""
    for action in flat(actions, orders_under):
        if not isinstance(action, Assault):
            continue
        units = [view.units[ident] for ident in action.units if ident in view.units]
        vanguard = action.vanguard or default_vanguard([unit for unit in units if unit.is_combat], frozenset())
        screen = action.screen or default_screen(units, vanguard)
        if not action.vanguard and len(units) > 1:
            why = msg("vanguard left to the default: {unit}, as things stand", unit=vanguard)
            yield OrderWarning(action.line, why, "C10a")
        if not action.screen and screen != "NONE":
            why = msg("screen left to the default: {unit}, as things stand", unit=screen)
            yield OrderWarning(action.line, why, "C10a")


def _warn_of_standing(view: State, side: str, rules: Iterable[Rule]) -> Iterator[OrderWarning]:
    """Warn of standing orders for lost units or behind a rule that always matches."""
    earlier: list[Rule] = []
    for rule in rules:
        place = f"{rule.scope.kind} {rule.scope.id} {rule.number}".replace("  ", " ")
        if view.known is not None and any(reaction.keyword == ASK for reaction in (*rule.reactions, *rule.otherwise)):
            why = msg(
                "{order}: where couriers ride nobody is asked in time, ASK is passed over",
                order=standing_order_in_words(place),
            )
            yield OrderWarning(0, why, "M6")
        for ident in _units_in_rule(rule):
            if ident not in view.units:
                absent = explain_absence(view.change(phase=side), msg("{unit} is no longer in play", unit=ident))
                why = msg("{order}: {why}", order=standing_order_in_words(place), why=absent)
                yield OrderWarning(0, why, "C10")
        if any(_covers_rule(old, rule) for old in earlier):
            why = msg("{order} never comes to be used: one before it always does", order=standing_order_in_words(place))
            yield OrderWarning(0, why, "C10")
        earlier.append(rule)


def _units_in_rule(rule: Rule) -> tuple[str, ...]:
    """Return the units named in a rule's scope and preferences."""
    words = [
        word for reaction in (*rule.reactions, *rule.otherwise) for word in _units(reaction.keyword, reaction.words)
    ]
    scope = [rule.scope.id] if rule.scope.kind in ("UNIT", "LEADER") else []
    return tuple(dict.fromkeys([*scope, *words]))


def _units(keyword: str, words: tuple[str, ...]) -> tuple[str, ...]:
    if keyword in (ASK, "CAVALRY", "ARTILLERY", "APPROACH", "FALLBACK"):
        return ()
    return tuple(word for word in words if "." not in word and word not in ("NONE", "YES", "NO"))


def _covers_rule(old: Rule, new: Rule) -> bool:
    """Return whether an earlier rule of the same scope always answers first.

    It has no condition, no limit, and a reaction that is always possible.
    """
    if old.scope != new.scope or old.event != new.event or old.condition or old.limit:
        return False
    answered_words = {reaction.keyword for reaction in old.reactions if _always(reaction.words)}
    return {reaction.keyword for reaction in (*new.reactions, *new.otherwise)} <= answered_words


def _always(words: tuple[str, ...]) -> bool:
    """Return whether a reaction is possible in any position."""
    return words[-1] in ("NONE", "YES", "NO", "STAY", "IGNORE", "FIRE", "KEEP")


# O2 What a refused ACTIVATE takes with it: in a letter given back, the orders that would act for another space.


_ACTS = frozenset({"MOVE", "FIRE", "ASSAULT", "CHARGE", "CARACOLE"})
_NEST = frozenset({"IF", "ELSE", "ENDIF"})


def lines_under(lines: Sequence[str], index: int) -> tuple[int, ...]:
    """Return the lines in the space of a refused ACTIVATE line; none if it is none.

    They end with the next ACTIVATE, or with the branch of the IF that contains the refused one; within a branch
    below, an ACTIVATE of that branch ends them. RETIRE needs no activation.
    """
    if "ACTIVATE" not in _keywords(lines[index]):
        return ()
    is_lost, collected = [True], []
    for number, line in enumerate(lines[index + 1 :], index + 1):
        keywords = _keywords(line)
        if len(is_lost) == 1 and keywords & {"ACTIVATE", "ELSE", "ENDIF"}:
            break
        if keywords & _NEST:
            is_lost = [*is_lost, is_lost[-1]] if "IF" in keywords else is_lost[:-1]
            is_lost = [*is_lost, is_lost[-1]] if "ELSE" in keywords else is_lost
        elif "ACTIVATE" in keywords:
            is_lost[-1] = False
        elif keywords & _ACTS and is_lost[-1]:
            collected.append(number)
    return tuple(collected)


def _keywords(line: str) -> frozenset[str]:
    """Return a line's opening keywords."""
    return frozenset(VOCABULARY.lengths(tokens(line), 0))
