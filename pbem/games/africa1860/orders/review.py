"""Second thoughts on a letter that is legal.

Who is ordered to act twice, what no die can make possible, what is left to the default, and standing orders that cannot
matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pbem.engine.data.messages import msg
from pbem.engine.orders.actions import If, flat
from pbem.engine.orders.standing import ASK, Rule
from pbem.engine.reasons import place_of
from pbem.engine.run.steps import Rules
from pbem.engine.terms import Orders, Warned
from pbem.games.africa1860.battle.doctrine import default_screen, default_vanguard
from pbem.games.africa1860.orders.actions import Action, Activate, Assault, Caracole, Fire, Move, Retire, under
from pbem.games.africa1860.orders.hopeless import hopeless
from pbem.games.africa1860.state import State


def review(rules: Rules[State], view: State, side: str, orders: Orders, begun: bool = False) -> tuple[Warned, ...]:
    """Return what a player may not have meant, in the order of his lines; lines of standing orders count as 0."""
    again: list[Warned] = []
    _twice(orders.actions, frozenset(), again)
    twice = {one.line for one in again}
    lost = (one for one in hopeless(rules, view, side, orders, begun) if one.line not in twice)
    told = sorted([*lost, *_assaults(view, orders.actions), *again], key=lambda one: one.line)
    return (*told, *_standing(view, side, orders.standing))


def _twice(actions: Iterable[Action], spent: frozenset[str], told: list[Warned]) -> frozenset[str]:
    """R3, O7.1.1 Who is to act after an order to act: refused where no die lies between, else of use if that fails.

    Of the two cases of an IF only one is done. Returns all who have been ordered to act.
    """
    for action in actions:
        if isinstance(action, If):
            spent = _twice(action.then, spent, told) | _twice(action.otherwise, spent, told)
        elif isinstance(action, Activate):
            spent = _twice(action.actions, spent, told)
        else:
            units, guns = _acting(action)
            for ident in (*units, *guns):
                if ident in spent:
                    why = msg("{unit} acts in an order above: it does this only if it could not do that", unit=ident)
                    told.append(Warned(action.line, why, "O7.1.1" if ident in guns else "R3"))
            spent |= {*units, *guns}
    return spent


def _acting(action: Action) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The units that an order has act, and the guns that it has fire."""
    if isinstance(action, Assault):
        lead = (action.leader,) if action.leader and action.leader not in action.units else ()
        return (*action.units, *lead), tuple(gun for group in action.support for gun in group)
    if isinstance(action, Fire):
        return (), tuple(gun for group in action.shots for gun in group)
    if isinstance(action, Move):
        return (*action.units, *action.leaders), ()
    return (action.units, ()) if isinstance(action, Caracole | Retire) else ((), ())


def _assaults(view: State, actions: Iterable[Action]) -> Iterator[Warned]:
    """C10a Windows of the attacker left to the default doctrine."""
    for action in flat(actions, under):
        if not isinstance(action, Assault):
            continue
        units = [view.units[ident] for ident in action.units if ident in view.units]
        vanguard = action.vanguard or default_vanguard([u for u in units if u.is_combat], frozenset())
        screen = action.screen or default_screen(units, vanguard)
        if not action.vanguard and len(units) > 1:
            why = msg("vanguard left to the default: {unit}, as things stand", unit=vanguard)
            yield Warned(action.line, why, "C10a")
        if not action.screen and screen != "NONE":
            why = msg("screen left to the default: {unit}, as things stand", unit=screen)
            yield Warned(action.line, why, "C10a")


def _standing(view: State, side: str, rules: Iterable[Rule]) -> Iterator[Warned]:
    """Standing orders that name units out of play, or that an earlier one of their scope always forestalls."""
    earlier: list[Rule] = []
    for rule in rules:
        place = f"{rule.scope.kind} {rule.scope.id} {rule.number}".replace("  ", " ")
        if view.known is not None and any(one.keyword == ASK for one in (*rule.reactions, *rule.otherwise)):
            why = msg("{order}: where couriers ride nobody is asked in time, ASK is passed over", order=place_of(place))
            yield Warned(0, why, "M6")
        for ident in _named(rule):
            if ident not in view.units:
                why = msg("{order}: {unit} is not in play now", order=place_of(place), unit=ident)
                yield Warned(0, why, "C10")
        if any(_forestalls(old, rule) for old in earlier):
            why = msg("{order} never comes to be used: one before it always does", order=place_of(place))
            yield Warned(0, why, "C10")
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
