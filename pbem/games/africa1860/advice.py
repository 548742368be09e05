"""Summarize a set of orders, and filter a bot's plan before a person sees it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from pbem.engine import advice, parts
from pbem.engine.advice import EVEN_CHANCE, AttackOdds, PlannedAttack
from pbem.engine.couriers import old_report_warning
from pbem.engine.data.messages import Msg, decimal, msg
from pbem.engine.orders.standing import If
from pbem.engine.run.odds import PLAYS, Reckoning, StepBudget
from pbem.engine.run.steps import Rules
from pbem.engine.terms import Orders
from pbem.games.africa1860.doctrine import Doctrine
from pbem.games.africa1860.forecast import FOG_NOTICE, AssaultInTurn, PhaseOrders, odds_in_turn
from pbem.games.africa1860.form import position_for_orders, space_offers
from pbem.games.africa1860.orders import Action, Activate, Assault, Fire, Move, Retire, orders_by_space
from pbem.games.africa1860.refusals import refuse_action
from pbem.games.africa1860.sequence import RULES
from pbem.games.africa1860.shock import Attack, assault_odds, chance_alone
from pbem.games.africa1860.state import INFANTRY, State, enemy_of
from pbem.games.africa1860.view import sightings_by_space

COMPARISON_PLAYS = 100
"""Plays for a comparison only: fewer than for odds that are shown, since the best of it are played more closely."""
LIKELIER_BY = 0.05
"""By how much another attack must be likelier to be named. A choice: the standard error of `COMPARISON_PLAYS` at even
odds."""
MOST_COMPARED = 2
"""Attacks computed closely, of those that look likelier by few plays. A choice: each takes time."""


class AssaultOdds(NamedTuple):
    """An assault of the orders with its odds at its turn; `about` if simulated."""

    one: AssaultInTurn
    about: bool


def attackers_text(order: Assault, space: str) -> Msg:
    """Return the attackers, their space and leader."""
    if order.leader:
        return msg("{units} from {space} led by {leader}", units=order.units, space=space, leader=order.leader)
    return msg("{units} from {space}", units=order.units, space=space)


class OddsBasis(NamedTuple):
    """The basis for odds: rules, view, orders, doctrine and step budget."""

    rules: Rules[State]
    view: State
    ordered: PhaseOrders
    own: Doctrine
    purse: StepBudget

    def in_turn(self) -> dict[int, AssaultOdds]:
        """Return the assaults by line, each at its turn; the costly ones are simulated."""
        counted, whole = odds_in_turn(self.rules, self.ordered, self.own, self.purse)
        result = {turn_odds.line: AssaultOdds(turn_odds, about=False) for turn_odds in counted}
        if not whole:
            played, _ = odds_in_turn(self.rules, self.ordered, self.own, _large_budget(), PLAYS)
            result |= {
                turn_odds.line: AssaultOdds(turn_odds, about=True)
                for turn_odds in played
                if turn_odds.line not in result
            }
        return result

    def closer(self, blow: PlannedAttack, order: Action, space: str) -> PlannedAttack:
        """Return the main attack with its chance alone.

        If it fails more often than not, a likelier attack is added.
        """
        if blow.odds is None or not isinstance(order, Assault):
            return blow
        now = position_for_orders(self.view, self.view.phase, self.ordered.begun)
        alone = self._alone(now, order, space)
        if alone is not None and f"{alone:.2f}" != f"{blow.odds.win:.2f}" and not blow.odds.about:
            blow = blow._replace(odds=blow.odds._replace(alone=alone))
        if blow.odds is None or blow.odds.win >= EVEN_CHANCE:
            return blow
        rivals = [
            attack
            for attack in self._attacks_on(now, order.target)
            if _attack_key(*attack) != _attack_key(order, space)
        ]
        # By chance alone: equally likely ones stay in the order of the form.
        ranked = sorted(((self._about(now, *attack), attack) for attack in rivals), key=lambda each: -each[0])
        for few, rival in ranked[:MOST_COMPARED]:
            clearly = blow.odds.win + LIKELIER_BY
            if few >= clearly and (chance := self._closely(now, *rival)) >= clearly:
                return blow._replace(better=(_with_guns(*rival), chance))
        return blow

    def _attacks_on(self, now: State, target: str) -> Iterator[tuple[Assault, str]]:
        """Yield the form's attacks on a space."""
        for space in now.camping(now.phase):
            for offer in space_offers(now, space)[0]:
                if isinstance(offer.action, Assault) and offer.action.target == target:
                    yield offer.action, space

    def _alone(self, now: State, order: Assault, space: str) -> float | None:
        """Return how often an assault alone wins, as in the form."""
        state = now.change(used=(*now.used, space))
        if refuse_action(state, order, space) is not None:
            return None
        return chance_alone(self.rules, now, Attack(order, space), self.own, self.purse)

    def _about(self, now: State, order: Assault, space: str, plays: int = COMPARISON_PLAYS) -> float:
        """Return the chance by few simulations; the best of several is too high."""
        state = now.change(used=(*now.used, space))
        return float(assault_odds(self.rules, state, Attack(order, space), self.own, Reckoning(plays=plays)).hold)

    def _closely(self, now: State, order: Assault, space: str) -> float:
        """Return the form's chance, or one by the full number of simulations."""
        alone = self._alone(now, order, space)
        return self._about(now, order, space, PLAYS) if alone is None else alone


def _attack_key(order: Assault, space: str) -> tuple[object, ...]:
    """Return the features that tell attacks apart: units, spaces, leader and guns."""
    return space, frozenset(order.units), order.leader, frozenset(gun for group in order.support for gun in group)


def _with_guns(order: Assault, space: str) -> Msg:
    guns = tuple(gun for group in order.support for gun in group)
    if not guns:
        return attackers_text(order, space)
    return msg("{who}, supported by {guns}", who=attackers_text(order, space), guns=guns)


def _large_budget() -> StepBudget:
    """Return a step budget that is never exceeded by these simulations."""
    return StepBudget(10**9)


# The sentences: the main assault with its odds, the reserve, what is guarded.


def summarize_orders(rules: Rules[State], view: State, seat: str, orders: Orders, purse: StepBudget) -> tuple[Msg, ...]:
    """Return a seat's orders in summary.

    A second wave is described by its effect if the first fails. Under fog a fourth sentence says what the odds
    leave out.
    """
    placed_orders = tuple(_certain_orders(orders.actions))
    scales = OddsBasis(rules, view, PhaseOrders(view, orders), Doctrine({seat: orders.standing}), purse)
    odds_by_line = scales.in_turn()
    assaulting = [step for step in placed_orders if isinstance(step.action, Assault)]
    blows = [_blow(view, step, odds_by_line.get(step.action.line)) for step in assaulting]
    if blows:
        main = advice.sort_attacks(blows)[0]
        index = blows.index(main)
        blows[index] = scales.closer(main, assaulting[index].action, assaulting[index].space)
    side = view.edition.seats[seat]
    sentences = advice.plan_sentences(
        blows, _fire(placed_orders), _moves(view, placed_orders), _posts(view, side, placed_orders)
    )
    all_sentences = (*sentences, *_unguarded_notes(view, side, placed_orders))
    return (
        all_sentences
        if view.edition.options["fog"] == "off"
        else (*all_sentences, FOG_NOTICE, *old_report_warning(sightings_by_space(view, seat)))
    )


class _PlacedOrder(NamedTuple):
    """An order, and the space activated for it."""

    space: str
    action: Action


def _certain_orders(actions: Iterable[Action], space: str = "") -> Iterator[_PlacedOrder]:
    """Yield the orders that are certainly carried out; of an IF the first branch."""
    for action in actions:
        if isinstance(action, If):
            yield from _certain_orders(action.then, space)
        elif isinstance(action, Activate):
            yield from _certain_orders(action.actions, action.space)
        else:
            yield _PlacedOrder(space, action)


def _blow(view: State, placed: _PlacedOrder, weighed: AssaultOdds | None) -> PlannedAttack:
    order = placed.action
    if not isinstance(order, Assault):
        raise TypeError(f"no assault: {order}")
    return PlannedAttack(
        order.target, attackers_text(order, placed.space), _steps(view, order.units), _shown_odds(view, weighed)
    )


def _shown_odds(view: State, assault_odds: AssaultOdds | None) -> AttackOdds | None:
    if assault_odds is None or assault_odds.one.odds is None:
        return None
    turn_odds, odds = assault_odds.one, assault_odds.one.odds
    own, enemy = (_in_steps(odds.losses[side]) for side in (view.phase, enemy_of(view.phase)))
    return AttackOdds(odds.hold, own, enemy, turn_odds.share, assault_odds.about)


def _in_steps(number: float) -> Msg:
    return msg("{number} steps", number=decimal(number))


def _steps(view: State, ids: Iterable[str]) -> int:
    return sum(view.units[ident].steps for ident in ids if view.units[ident].is_combat)


def _fire(done: Sequence[_PlacedOrder]) -> Msg | None:
    shots = [step.action for step in done if isinstance(step.action, Fire)]
    if not shots:
        return None
    guns = tuple(gun for shot in shots for group in shot.shots for gun in group)
    targets = tuple(dict.fromkeys(shot.at for shot in shots))
    return msg("{guns} {guns:|fires|fire} at {targets}", guns=guns, targets=targets)


def _moves(view: State, done: Sequence[_PlacedOrder]) -> list[Msg]:
    """Return moves by destination, strongest first, retreats last."""
    going: dict[str, list[str]] = {}
    back: list[str] = []
    for step in done:
        if isinstance(step.action, Move):
            going.setdefault(step.action.to, []).extend((*step.action.units, *step.action.leaders))
        elif isinstance(step.action, Retire):
            back.extend(step.action.units)
    ranked = sorted(going.items(), key=lambda each: (-_steps(view, each[1]), each[0]))
    falling = [msg("the rear ({units})", units=advice.unit_list(back))] if back else []
    return [*(msg("{space} ({units})", units=advice.unit_list(ids), space=to) for to, ids in ranked), *falling]


def _posts(view: State, side: str, done: Sequence[_PlacedOrder]) -> list[Msg]:
    """Return the spaces for units that do not attack.

    They are the spaces that count, by points, then those near the enemy.
    """
    points: Mapping[str, int] = view.edition.scenario.get("victory", {}).get("spaces", {})
    units_by_space = _steady_units(view, side, done)
    held_spaces = [space for space in units_by_space if space in points or _is_next_to_enemy(view, space, side)]
    held_spaces.sort(key=lambda space: (-points.get(space, 0), -_steps(view, units_by_space[space]), space))
    return [
        msg("{space} ({units})", space=space, units=advice.unit_list(units_by_space[space])) for space in held_spaces
    ]


def _unguarded_notes(view: State, side: str, done: Sequence[_PlacedOrder]) -> Iterator[Msg]:
    """Yield guns and trains left unguarded near the enemy; attackers may return.

    Rule: O8.8.6.
    """
    guarded_spaces = {
        *_steady_units(view, side, done),
        *(step.space for step in done if isinstance(step.action, Assault)),
    }
    remaining = tuple(
        msg("{unit} in {space}", unit=ident, space=space)
        for ident, space in sorted(_ends(view, side, done).items())
        if view.units[ident].code in ("ART", "CNV")
        and space not in guarded_spaces
        and _is_next_to_enemy(view, space, side)
    )
    if remaining:
        yield msg(
            "Left alone beside the enemy, who takes guns and trains that nobody guards: {units}.", units=remaining
        )


def _steady_units(view: State, side: str, done: Sequence[_PlacedOrder]) -> dict[str, list[str]]:
    """Return the steady combat units that do not attack, by final space."""
    units_by_space: dict[str, list[str]] = {}
    for ident, space in sorted(_ends(view, side, done).items()):
        if view.units[ident].is_combat and not view.units[ident].demoralised:
            units_by_space.setdefault(space, []).append(ident)
    return units_by_space


def _ends(view: State, side: str, done: Sequence[_PlacedOrder]) -> dict[str, str]:
    """Return each unit's final space, without attackers and retreats."""
    space = {unit.id: unit.at for unit in view.units.values() if unit.side == side}
    for step in done:
        if isinstance(step.action, Move):
            space |= dict.fromkeys((*step.action.units, *step.action.leaders), step.action.to)
        elif isinstance(step.action, Assault | Retire):
            for ident in step.action.units:
                space.pop(ident, None)
    return space


def _is_next_to_enemy(view: State, space: str, side: str) -> bool:
    return any(view.holder(near) == enemy_of(side) for near in view.edition.map.neighbours(space))


# What of a bot's plan is advised to a person: all of it, but for trains that go towards the enemy, guns left alone and
# attacks that hardly ever win: bots attack for what it costs the enemy, and no person follows such advice.
#
# Bots move what they can; a train near the enemy is only there to be captured (O8.6), and a gun without foot with it.


NOT_REACHED = 99
"""The distance of a space that is not reached: farther than any map is wide."""


def without_risky_moves(view: State, seat: str, orders: Orders) -> Orders:
    """Return orders without risky moves.

    Trains that move towards the enemy, guns without infantry and hopeless attacks are left out.
    """
    side = view.edition.seats[seat]
    prudent = _Prudent(view, side, orders, _hopeless(view, seat, orders))
    return orders._replace(actions=tuple(prudent.remaining(orders.actions)))


HOPELESS_CHANCE = 0.05
"""The chance below which an attack is not advised. A choice: the order form gives such attacks no button either."""


def _hopeless(view: State, seat: str, orders: Orders) -> frozenset[int]:
    """Return the lines of attacks that hardly ever win."""
    doctrine = Doctrine({seat: orders.standing})
    weighed, _ = odds_in_turn(RULES, PhaseOrders(view, orders), doctrine, _large_budget(), COMPARISON_PLAYS)
    return frozenset(
        assault.line for assault in weighed if assault.odds is not None and assault.odds.hold < HOPELESS_CHANCE
    )


class _Prudent:
    def __init__(self, view: State, side: str, orders: Orders, hopeless: frozenset[int]) -> None:
        self.units, self.hopeless = view.units, hopeless
        foes = tuple(space for space in sorted(view.edition.map.spaces) if view.holder(space) not in ("", side))
        self.away = view.edition.map.distances(foes)
        done = [action for _, action in orders_by_space(orders.actions) if action.line not in hopeless]
        going = {ident: step.to for step in done if isinstance(step, Move) for ident in step.units}
        fighting = {ident for step in done if isinstance(step, Assault) for ident in step.units}
        self.foot = {
            going.get(unit.id, unit.at)
            for unit in view.units.values()
            if unit.side == side and unit.code in INFANTRY and not unit.demoralised and unit.id not in fighting
        }

    def remaining(self, actions: Iterable[Action]) -> Iterator[Action]:
        """Yield the remaining actions, without those left without units."""
        for action in actions:
            if isinstance(action, If):
                yield action._replace(
                    then=tuple(self.remaining(action.then)), otherwise=tuple(self.remaining(action.otherwise))
                )
            elif isinstance(action, Activate):
                under = tuple(self.remaining(action.actions))
                if under or not action.actions:
                    yield action._replace(actions=under)
            elif isinstance(action, Move):
                units = tuple(ident for ident in action.units if self.may(ident, action.to))
                if units or action.leaders:
                    yield action._replace(units=units)
            elif action.line not in self.hopeless:
                yield action

    def may(self, ident: str, destination: str) -> bool:
        """Return whether it is prudent to move a unit there."""
        unit = self.units[ident]
        if unit.code == "CNV":
            return self.away.get(destination, NOT_REACHED) >= self.away.get(unit.at, NOT_REACHED)
        return unit.code != "ART" or destination in self.foot


ADVICE = parts.Advice(bot="marshal", advised=without_risky_moves, plan=partial(summarize_orders, RULES))
"""Plans of the best bot among those that are fast enough for a letter."""
