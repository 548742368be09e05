"""Give random legal orders: every verb, clause, condition and standing order.

Orders are legal in the present position; after dice they may fail, like any player's.
"""

from __future__ import annotations

from collections.abc import Iterable

from pbem.engine.bots import Luck, Pick
from pbem.engine.deployment import with_random_deployment
from pbem.engine.orders.standing import OPERATORS, Condition, If, Pass, Reaction, Rule, Scope, Stop
from pbem.engine.terms import Orders
from pbem.games.africa1860.doctrine import CONDITIONS, WINDOWS
from pbem.games.africa1860.legality import fallback_spaces, retire_path
from pbem.games.africa1860.orders import (
    BRANCH_KEYWORDS,
    COUNT_KEYWORDS,
    REACTIONS,
    STANDING_EVENTS,
    Action,
    Activate,
    Assault,
    Caracole,
    Fire,
    Move,
    Retire,
    canon,
)
from pbem.games.africa1860.refusals import refuse_action
from pbem.games.africa1860.sequence import DEPLOYMENT
from pbem.games.africa1860.state import CAVALRY, LIGHT, State, Unit

RANKS = ("STRONGEST", "WEAKEST", "FRESHEST", "STEPS>=2", "STEPS>=3")
PROPOSALS_PER_SPACE = 9
"""Proposals for each activated space; proposals that the rules refuse are dropped. A choice: more than the combat
units that a space holds (C5)."""


def _wander(view: State, seat: str, pick: Pick) -> str:
    """Return orders in the seat's phase, and standing orders every second time."""
    side = view.edition.seats[seat]
    wanderer = _Wanderer(view, side, Luck(pick))
    actions = wanderer.phase() if view.phase == side else ()
    return canon(Orders(actions, wanderer.standing() if wanderer.luck.chance(2) else ()))


random_orders = with_random_deployment(DEPLOYMENT, canon, _wander)


def after_certain_effects(state: State, action: Action) -> State:
    """Return the position after an order's certain effects: markers and safe moves."""
    if isinstance(action, Activate):
        return state.change(used=(*state.used, action.space))
    if isinstance(action, Move):
        return _mark_acted(state, (*action.units, *action.leaders), action.to)
    if isinstance(action, Retire):
        for ident in action.units:
            state = _mark_acted(state, (ident,), retire_path(state, state.units[ident], action.to)[-1])
        return state
    if isinstance(action, Fire):
        guns = [gun for group in action.shots for gun in group]
        return _mark_acted(state, guns, fired=True)
    if isinstance(action, Assault):
        guns = [gun for group in action.support for gun in group]
        stack = (*action.units, *((action.leader,) if action.leader else ()))
        return _mark_acted(_mark_acted(state, stack), guns, fired=True)
    if isinstance(action, Caracole):
        return _mark_acted(state, action.units)
    return state


def _mark_acted(state: State, ids: Iterable[str], destination: str = "", fired: bool = False) -> State:
    units = {
        ident: state.units[ident]._replace(
            activated=True, acted=True, at=destination or state.units[ident].at, fired=fired or state.units[ident].fired
        )
        for ident in ids
    }
    return state.with_units(units)


class _Wanderer:
    """One phase of a seat: the foreseeable position and its orders."""

    def __init__(self, view: State, side: str, luck: Luck) -> None:
        units = {ident: unit._replace(acted=False) for ident, unit in view.units.items()}
        self.state = view.change(units=units, used=(), phase=side)
        self.side = side
        self.luck = luck

    def phase(self) -> tuple[Action, ...]:
        actions: list[Action] = [Pass(0)] if self.luck.chance(20) else []
        held = sorted({unit.at for unit in self._mine()})
        for space in self.luck.shuffle(held):
            if self.luck.chance(8):
                actions += self._retire()
            if not self.luck.chance(6):
                actions += self._activation(space)
        actions += self._retire()
        return tuple(actions)

    def _mine(self) -> list[Unit]:
        return [unit for _, unit in sorted(self.state.units.items()) if unit.side == self.side]

    def _activation(self, space: str) -> list[Action]:
        if refuse_action(self.state, Activate(0, space), "") is not None:
            return []
        before, self.state = self.state, after_certain_effects(self.state, Activate(0, space))
        actions: list[Action] = []
        for _ in range(PROPOSALS_PER_SPACE):
            ready = [unit for unit in self.state.own(space, self.side) if not unit.acted and not unit.demoralised]
            if not ready or self.luck.chance(12):
                break
            action = self._propose(space, ready)
            if action is not None and refuse_action(self.state, action, space) is None:
                actions.append(self._perhaps(action))
        order = Activate(0, space, tuple(actions))
        if not self.luck.chance(25):
            return [order]
        condition = self._condition()
        if not CONDITIONS.holds(before, condition, self.side):
            self.state = before
        return [If(0, condition, (order,))]

    def _perhaps(self, action: Action) -> Action:
        """Apply the action to the plan, sometimes with a condition or a stop."""
        if self.luck.chance(30):
            return Stop(0, self._condition())
        condition = self._condition() if self.luck.chance(15) else ()
        if CONDITIONS.holds(self.state, condition, self.side):
            self.state = after_certain_effects(self.state, action)
        if not condition:
            return action
        other: tuple[Action, ...] = (Pass(0),) if self.luck.chance(2) else ()
        return If(0, condition, (action,), other)

    def _propose(self, space: str, ready: list[Unit]) -> Action | None:
        near = self.state.edition.map.neighbours(space)
        foes = [s for s in near if self.state.holder(s) not in ("", self.side)]
        verb = self.luck.one(("move", "move", "fire", "assault", "assault", "charge", "caracole"))
        if verb == "move":
            return self._move(space, ready)
        if verb == "fire" and foes:
            return self._fire(ready, foes)
        if verb == "assault" and foes:
            return self._assault(ready, foes)
        if verb == "charge":
            return self._charge(space, ready)
        if verb == "caracole" and foes:
            return self._caracole(ready, foes)
        return None

    def _two_off(self, space: str) -> list[str]:
        area = self.state.edition.map
        return sorted({far for near in area.neighbours(space) for far in area.neighbours(near)} - {space})

    def _move(self, space: str, ready: list[Unit]) -> Action:
        units = self.luck.some(ready)
        allowance = min(self.state.edition.allowance[unit.code] for unit in units)
        near = self.state.edition.map.neighbours(space)
        destination = self.luck.one(self._two_off(space) if allowance > 1 and self.luck.chance(2) else near)
        via = self.luck.one(near) if allowance > 1 and self.luck.chance(3) else ""
        leaders = tuple(unit.id for unit in units if unit.is_leader)
        return Move(0, tuple(u.id for u in units if not u.is_leader), leaders, destination, via)

    def _groups(self, guns: list[Unit]) -> tuple[tuple[str, ...], ...]:
        """Group guns of a space or leave them apart (O7.1.2)."""
        chosen_guns = [gun.id for gun in self.luck.some(guns)]
        if self.luck.chance(2):
            return (tuple(chosen_guns),)
        return tuple((gun,) for gun in chosen_guns)

    def _fire(self, ready: list[Unit], foes: list[str]) -> Action | None:
        guns = [unit for unit in ready if unit.code == "ART"]
        return Fire(0, self._groups(guns), self.luck.one(foes)) if guns else None

    def _assault(self, ready: list[Unit], foes: list[str]) -> Action | None:
        units = [unit for unit in ready if unit.is_combat]
        leaders = [unit for unit in ready if unit.is_leader]
        if not units or not leaders:
            return None
        stack = self.luck.some(units)
        if len(leaders) > 1 and self.luck.chance(3):
            stack = tuple(sorted((*stack, leaders[1])))
        order = Assault(0, "ASSAULT", self.luck.one(foes), tuple(u.id for u in stack), self.luck.one(leaders).id)
        return self._clauses(order, list(stack), [unit for unit in ready if unit.code == "ART"])

    def _charge(self, space: str, ready: list[Unit]) -> Action | None:
        riders = [unit for unit in ready if unit.code == CAVALRY]
        area = self.state.edition.map
        reach = sorted({*area.neighbours(space), *self._two_off(space)})
        foes = [s for s in reach if self.state.holder(s) not in ("", self.side)]
        if not riders or not foes:
            return None
        leaders = [unit.id for unit in ready if unit.is_leader]
        stack = self.luck.some(riders)
        leader = self.luck.one(leaders) if leaders and self.luck.chance(2) else ""
        via = self.luck.one(area.neighbours(space)) if self.luck.chance(4) else ""
        order = Assault(0, "CHARGE", self.luck.one(foes), tuple(u.id for u in stack), leader, via=via)
        return self._clauses(order, list(stack), [unit for unit in ready if unit.code == "ART"])

    def _clauses(self, order: Assault, stack: list[Unit], guns: list[Unit]) -> Assault:
        combat = [unit.id for unit in stack if unit.is_combat]
        light = [unit.id for unit in stack if unit.code in (LIGHT, CAVALRY)]
        riders = [unit.id for unit in stack if unit.code == CAVALRY]
        if not self.luck.chance(3):
            order = order._replace(vanguard=self.luck.one(combat))
        if self.luck.chance(2):
            order = order._replace(screen=self.luck.one((*light, "NONE")))
        if guns and self.luck.chance(2):
            order = order._replace(support=self._groups(guns))
        if riders and self.luck.chance(3):
            order = order._replace(detach=self.luck.some(riders))
        if self.luck.chance(3):
            order = order._replace(losses=tuple(self.luck.shuffle(combat)))
        return order

    def _caracole(self, ready: list[Unit], foes: list[str]) -> Action | None:
        riders = [unit for unit in ready if unit.code == CAVALRY]
        if not riders:
            return None
        space = self.luck.one(foes)
        backs = fallback_spaces(self.state, riders[0], space)
        back = self.luck.one(backs) if backs and self.luck.chance(2) else ""
        return Caracole(0, tuple(unit.id for unit in self.luck.some(riders)), space, back)

    def _retire(self) -> list[Action]:
        actions: list[Action] = []
        for unit in self._mine():
            if unit.demoralised and not unit.acted and self.luck.chance(2):
                near = self.state.edition.map.neighbours(unit.at)
                order = Retire(0, (unit.id,), self.luck.one(near) if self.luck.chance(3) else "")
                if refuse_action(self.state, order, "") is None:
                    actions.append(order)
                    self.state = after_certain_effects(self.state, order)
        return actions

    # Conditions and standing orders

    def _condition(self, depth: int = 2) -> Condition:
        if depth and self.luck.chance(4):
            joint = self.luck.one(("and", "or", "not"))
            inner = self._condition(depth - 1)
            return (joint, inner) if joint == "not" else (joint, inner, self._condition(depth - 1))
        luck, op = self.luck, self.luck.one((*OPERATORS, "EXACTLY"))
        kind = luck.one(("odds", "count", "from", "leader", "unit", "space", "turn", "vp"))
        if kind == "odds":
            return (kind, luck.one(OPERATORS), 1 + luck.pick(3), 1 + luck.pick(3))
        if kind == "count":
            return (kind, luck.one(("MY", "ENEMY")), luck.one(COUNT_KEYWORDS), op, luck.pick(8))
        if kind in ("turn", "vp"):
            return (kind, op, luck.pick(14))
        if kind == "leader":
            return (kind, luck.one(sorted(self.state.units)))
        if kind == "unit":
            return (kind, self._own_id(), luck.one(("HERE", "FRESH", "DEMORALISED", "SPENT")))
        space = luck.one(sorted(self.state.edition.map.spaces))
        return (kind, space) if kind == "from" else (kind, space, luck.one(("MINE", "ENEMY", "EMPTY")))

    def _own_id(self) -> str:
        mine = self._mine()
        return self.luck.one(mine).id if mine else self.luck.one(sorted(self.state.units))

    def standing(self) -> tuple[Rule, ...]:
        """Return a few standing orders of every scope."""
        if not self._mine():
            return ()
        rules: list[Rule] = []
        for _ in range(1 + self.luck.pick(4)):
            scope = self._scope()
            number = 1 + sum(rule.scope == scope for rule in rules)
            condition = self._condition() if self.luck.chance(2) else ()
            event = self.luck.one(STANDING_EVENTS)
            otherwise = self._reactions(event) if condition and self.luck.chance(3) else ()
            limit = 1 + self.luck.pick(2) if self.luck.chance(5) else 0
            rules.append(Rule(scope, number, event, condition, self._reactions(event), otherwise, limit))
        return tuple(rules)

    def _scope(self) -> Scope:
        kind = self.luck.one(("ALL", "ALL", "SPACE", "LEADER", "UNIT"))
        if kind == "ALL":
            return Scope()
        return Scope(kind, self.luck.one(sorted(self.state.edition.map.spaces)) if kind == "SPACE" else self._own_id())

    def _reactions(self, event: str) -> tuple[Reaction, ...]:
        """Return reactions to an event, mostly fitting ones."""
        fitting = sorted({asked.reaction for asked in WINDOWS.values() if event in asked.events})
        keywords = sorted(REACTIONS) if self.luck.chance(5) else fitting
        return tuple(self._reaction(self.luck.one(keywords)) for _ in range(1 + self.luck.pick(4)))

    def _reaction(self, keyword: str) -> Reaction:
        luck, spaces = self.luck, sorted(self.state.edition.map.spaces)
        words, _, more = REACTIONS[keyword].partition("+")
        if words == "spaces":
            return Reaction(keyword, tuple(luck.shuffle(spaces)[: 1 + luck.pick(3)]))
        if words and not (more and luck.chance(3)):
            word, _, place = luck.one(words.split("|")).partition(">")
            return Reaction(keyword, (word,), luck.one((*spaces, place)) if place and luck.chance(2) else "")
        return Reaction(keyword, tuple(self._preference() for _ in range(1 + luck.pick(3))))

    def _preference(self) -> str:
        if self.luck.chance(6):
            return "NONE"
        if self.luck.chance(2):
            return self._own_id()
        return f"{self.luck.one(BRANCH_KEYWORDS)}.{self.luck.one(RANKS)}"
