"""Play to win: advance on goals, fire before closing, assault where it pays.

Each half the bot gives every division a goal and an order, withdraws shaken units, brings guns into action,
plans assaults that gain more than they cost, marches the rest to the most valuable hexes and keeps
commanders with their troops. It carries out its orders on its own view by the rules, so each order is legal
when it is written.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pbem.engine.bots import Planner
from pbem.engine.deployment import DEPLOYMENT_PHASE
from pbem.engine.map.hexes import DIRECTIONS, FRONT, direction, distance, front, neighbours, sector, towards, within
from pbem.engine.orders.standing import Reaction, Rule, Scope
from pbem.engine.run.steps import Did
from pbem.games.peninsular.assault import ORDERS_WITHOUT_SHOCK
from pbem.games.peninsular.choices import possible_hexes, start_of_half
from pbem.games.peninsular.edition import alliance_of
from pbem.games.peninsular.fire import fire_points, may_fire
from pbem.games.peninsular.orders import Action, Assault, Face, Fire, Form, Limber, Move, Order, canon
from pbem.games.peninsular.paths import reachable_hexes
from pbem.games.peninsular.sequence import RULES, STEP_FUNCTIONS, task_of
from pbem.games.peninsular.shock import ShockFacts, modifier_sum, shock_strengths
from pbem.games.peninsular.state import State
from pbem.games.peninsular.terrain import has_line_of_fire, has_room, in_zone
from pbem.games.peninsular.units import NORMAL, ROUTED, Unit, best_unit, is_square, will_rank

# The position as the bot thinks of it: what its orders so far make of it, what a hex, fire and a shock are worth.


LAST_TURNS = 2
"""The last turns of a game, in which ground counts double. A choice: points are for who holds it at the end."""


def _has_turned_away(unit: Unit) -> bool:
    """Return whether an assaulting counter no longer faces its target (S3, S1).

    Units that join its hex turn it, and all marches come before any assault, in whatever order they are written.
    """
    return bool(unit.assault) and unit.faces and sector(unit.at, unit.facing, unit.assault) != FRONT


class HalfPlan:
    """One half of a side; `state` is the position after the `actions` written so far."""

    def __init__(self, view: State, side: str) -> None:
        self.state = start_of_half(view, side)
        self.side, self.camp = side, alliance_of(side)
        self.actions: list[Action] = []
        rules = view.edition.scenario.get("victory", {})
        self.owner: dict[str, str] = rules.get("owner", {})
        self.late = view.turn + LAST_TURNS > view.edition.scenario.get("turns", 0)
        self.prizes: dict[str, int] = {hex_id: n * (1 + self.late) for hex_id, n in rules.get("hexes", {}).items()}
        self.foes = [unit for unit in view.units.values() if unit.camp != self.camp and unit.is_combat]

    def own(self, *kinds: str) -> list[Unit]:
        units = [unit for _, unit in sorted(self.state.units.items()) if unit.camp == self.camp]
        return [unit for unit in units if unit.kind in kinds] if kinds else [u for u in units if u.is_combat]

    def gap(self, hex_id: str) -> int:
        """Return the number of hexes to the nearest enemy."""
        return min((distance(hex_id, foe.at) for foe in self.foes), default=99)

    def do(self, action: Action) -> bool:
        """Add an order if it is legal, and apply it to the planned position."""
        task = task_of(action)
        outcome = RULES.step(self.state, task)
        events = outcome.events if isinstance(outcome, Did) else ()
        if not events or any(event.kind == "not carried out" for event in events):
            return False
        state = self.state
        for event in events:
            state = RULES.apply(state, event)
        if any(_has_turned_away(unit) for unit in state.units.values()):
            return False
        self.state = state
        self.actions.append(action)
        return True

    def horse_near(self, unit: Unit) -> bool:
        return any(foe.kind == "cav" and foe.state == NORMAL and distance(foe.at, unit.at) <= 4 for foe in self.foes)

    def value(self, unit: Unit, hex_id: str, goal: str) -> float:
        """Rate a hex for a counter: nearness to the goal, cover, friends, odds."""
        ground = self.state.edition.map
        worth = -2.0 * distance(hex_id, goal)
        held = self.state.fighting(hex_id, self.side)
        if hex_id in self.prizes and not any(mate.id != unit.id for mate in held):
            worth += 2.0 * self.prizes[hex_id]
        gap = self.gap(hex_id)
        if gap <= 3:
            worth += {"light wood": 1.0, "village": 2.0, "strong buildings": 2.0}.get(ground.terrain(hex_id), 0.0)
            worth += 1.0 * ground.level(hex_id)
        around = [mate for near in neighbours(hex_id) for mate in self.state.fighting(near, self.side)]
        friends = sum(mate.pf for mate in (*around, *held) if mate.id != unit.id and mate.kind == "inf")
        worth += min(2.0, friends / 6)  # at most worth one hex nearer, the next one and a half
        if unit.kind == "inf" and gap <= 6:
            worth += min(3.0, sum(mate.pf for mate in held if mate.kind == "inf" and mate.id != unit.id) / 3)
        foes = [foe for foe in self.foes if distance(foe.at, hex_id) == 1 and foe.state != ROUTED]
        if foes:
            against = sum(foe.pf for foe in foes)
            ours = unit.pf + friends / 2
            worth += 1.5 if unit.kind == "inf" else -4.0
            worth -= max(0.0, against - ours) * (0.5 if self.late else 1.0)  # superior force is no gain by itself
            worth -= 3.0 * max(0.0, self.odds_against(hex_id) - 1.0)  # even odds cost nothing
        elif unit.kind == "cav" and gap <= 2:
            worth -= 2.0
        return worth

    def odds_against(self, hex_id: str) -> float:
        """Return the enemy's PF divided by ours within 3 hexes."""
        theirs = sum(foe.pf for foe in self.foes if foe.state != ROUTED and distance(foe.at, hex_id) <= 3)
        ours = sum(unit.pf for unit in self.own() if unit.state == NORMAL and distance(unit.at, hex_id) <= 3)
        return theirs / (ours or 1)

    def facing(self, unit: Unit, hex_id: str) -> str:
        """Return the facing with most enemies in front, near ones counting more."""
        weight = dict.fromkeys(DIRECTIONS, 0.0)
        for foe in self.foes:
            for side in towards(hex_id, foe.at):
                index = DIRECTIONS.index(side)
                share = foe.pf / (distance(hex_id, foe.at) ** 3 or 1)
                for turn, part in ((0, 1.0), (1, 0.8), (5, 0.8)):
                    weight[DIRECTIONS[(index + turn) % 6]] += part * share
        return max(DIRECTIONS, key=lambda side: (weight[side], side == unit.facing))


# What fire and a shock promise, in strength points: every face of the die, read from the edition's own charts.


# A cell of the fire chart: steps lost, then one letter for the effect on morale.
_FIRE = re.compile(r"(?P<lost>\d?)(?P<effect>[PMR]?)")
_STOPS = {"": 0.0, "P": 1.0, "M": 0.4, "R": 1.0}
_EFFECT = {"": 0.0, "P": 0.4, "M": 0.5, "R": 1.0}
_SHOCK = {"AB": -1.0, "AR1": -2.5, "AR2": -4.0, "SE": -0.2, "BM": 0.0, "DR1": 2.5, "DR2": 3.5}
"""The value of each result, in PF: a retreat costs what its morale test puts out of the fight for a while."""
DIE_FACES = range(1, 7)
"""The faces of a die."""


class FireEffect(NamedTuple):
    """The average effect of fire: PF lost, disorder, and how often it stops shock."""

    harm: float = 0.0
    stops: float = 0.0


def fire_effect(state: State, firer: Unit, hex_id: str) -> FireEffect:
    """Return the mean effect of a counter's fire at a hex (T5); zero if empty."""
    foes = state.foes(hex_id, firer.side)
    target = best_unit(foes)
    if target is None:
        return FireEffect()
    shift = (will_rank(firer.will) <= will_rank("B")) - (will_rank(firer.will) >= will_rank("E"))
    shift += firer.kind == "inf" and firer.nation == "british" and will_rank(firer.will) <= will_rank("C")
    shift += 2 * target.square - 2 * target.skirmishing - target.is_unlimbered
    shift += 2 * (target.faces and sector(hex_id, target.facing, firer.at) != FRONT)
    chart = state.edition.chart("fire")
    column = min(state.edition.most_points, fire_points(state, firer, hex_id))
    harm = stops = 0.0
    for face in DIE_FACES:
        match = _FIRE.fullmatch(chart.cell(face + shift, column))
        if match is not None:
            harm += min(target.pf, int(match["lost"] or 0)) + _EFFECT[match["effect"]]
            stops += _STOPS[match["effect"]]
    return FireEffect(harm / len(DIE_FACES), stops / len(DIE_FACES))


def shock_value(state: State, units: Sequence[Unit], hex_id: str, prize: float) -> float:
    """Return the expected gain of a shock from the attackers' positions (T6).

    It is the enemy's PF losses less their own, plus `prize` if the hex is won, less the effect of fire; -99 at odds
    without a shock, so that no assault is planned at them.
    """
    defence = _defence(state, hex_id, units[0].side)
    if defence is None:
        return prize + 1.0
    head = best_unit(list(units))
    assert head is not None  # noqa: S101 - there are attackers
    clash = ShockFacts(state, tuple(units), head, defence.foes, defence.leader, hex_id, defence.squared)
    chart = state.edition.chart("shock")
    try:
        column = chart.odds(*shock_strengths(clash))
    except KeyError:
        return -99.0
    shift = modifier_sum(clash)
    total = 0.0
    for face in DIE_FACES:
        total += _shock(chart.cell(face + shift, column), defence.strength, defence.squared, prize)
    through, suffered, stacks = 1.0, 0.0, len({unit.at for unit in units})
    for foe in defence.firing:
        key = ("volley", foe.id, head.at)
        shot = state.cache.get(key) or state.cache.setdefault(key, fire_effect(state, foe, head.at))
        through *= 1.0 - shot.stops / stacks
        suffered += shot.harm
    return through * total / len(DIE_FACES) - suffered


class _Defence(NamedTuple):
    """The defenders of a hex: units in order, leader, square or not, PF, firers."""

    foes: tuple[Unit, ...]
    leader: Unit
    squared: bool
    strength: int
    firing: tuple[Unit, ...]


def _defence(state: State, hex_id: str, side: str) -> _Defence | None:
    known, key = state.cache, ("defence", hex_id, alliance_of(side))
    if key not in known:
        foes = tuple(foe for foe in state.foes(hex_id, side) if foe.state != ROUTED)
        leader = best_unit(foes)
        firing = tuple(foe for foe in foes if not (foe.fired or foe.limbered or foe.kind == "cav"))
        known[key] = leader and _Defence(foes, leader, is_square(list(foes)), sum(foe.pf for foe in foes), firing)
    cached: _Defence | None = known[key]
    return cached


def _shock(cell: str, strength: int, squared: bool, prize: float) -> float:
    if cell.startswith("DB"):
        lost = min(strength, int(cell[2:] or 1))
        return lost + (prize if lost == strength else 0.0)
    if squared and cell.startswith("DR"):
        return float(cell == "DR2")
    return _SHOCK[cell] + (prize if cell.startswith("DR") else 0.0)


# The plan of a half: goals and orders of divisions, then guns, assaults, marches and standing orders.


HEXES_A_TURN = 2
"""Hexes that a battalion advances in a turn on average, through woods and past the enemy."""


def exit_moves(state: State, side: str) -> Mapping[str, str]:
    """Return the nearest steady battalions' moves to the exit, none if one is late."""
    way_out = state.edition.scenario.get("victory", {}).get("exit", {})
    if not way_out or alliance_of(way_out["side"]) != alliance_of(side):
        return {}
    reach = HEXES_A_TURN * (state.edition.scenario.get("turns", 0) - state.turn + 1)
    steady = [unit for unit in state.counters(side) if unit.kind == "inf" and unit.state == NORMAL]
    ways = sorted(
        (*min((distance(unit.at, hex_id), hex_id) for hex_id in way_out["hexes"]), unit.id) for unit in steady
    )
    going = [(ident, hex_id) for far, hex_id, ident in ways[: way_out["battalions"]] if far <= reach]
    return dict(going) if len(going) == way_out["battalions"] else {}


MANOEUVRE_DISTANCE = 5
"""Hexes from the enemy within which a division is no longer to manoeuvre. A choice: nearer, the fight decides."""
LEAST_GAIN = 0.4
"""The least gain that an assault must promise, in PF. A choice: an estimate near 0 may be a loss."""
EXIT_VALUE = 8.0
"""The value of an exit hex to a battalion on its way out, on the scale of `HalfPlan.value`."""


STANDING = (
    Rule(Scope(), 1, "CHARGED", (), (Reaction("SQUARE", ()),)),
    Rule(Scope(), 2, "", (), (Reaction("FIRE", ("AT WILL",)),)),
    Rule(Scope(), 3, "", (), (Reaction("RETREAT", ("1",)),)),
    Rule(Scope(), 4, "", (), (Reaction("ADVANCE", ("YES",)),)),
)
"""Infantry forms square against cavalry, and fires at any enemy that comes near."""
PLANNER: Planner[State] = Planner(
    lambda view, side: view.phase != DEPLOYMENT_PHASE and alliance_of(view.phase) == alliance_of(side), STANDING, canon
)


class _Plan(NamedTuple):
    """A profitable assault: its value, the hex, and each unit with its starting hex."""

    worth: float
    at: str
    who: tuple[tuple[str, str], ...]


class PlayStyle(NamedTuple):
    """The tactics of one half-turn.

    `pays` is the least gain (PF) of an assault, `spared` are hexes never assaulted, `aim` is a hex that all divisions
    make for. With `stay` nobody marches or assaults; with `fires` infantry fires in its own half too.
    """

    pays: float = LEAST_GAIN
    spared: frozenset[str] = frozenset()
    aim: str = ""
    stay: bool = False
    fires: bool = False


class StyledHalfPlan(HalfPlan):
    """One half of a seat; `state` is the position after the orders so far."""

    def __init__(self, view: State, side: str, style: PlayStyle | None = None) -> None:
        super().__init__(view, side)
        self.style = style or PlayStyle()
        self.goals: dict[str, str] = {}
        self.placed: set[str] = set()
        self.leaving = exit_moves(view, side)
        self.reach: dict[str, frozenset[str]] = {}
        self.plans: dict[str, _Plan | None] = {}
        self._begin()
        self.begun = self.state, (*self.actions,), frozenset(self.placed), {**self.plans}

    def _begin(self) -> None:
        """Plan the moves before assaults, which all styles with one aim share."""
        self._aim()
        for name in sorted(self.goals):
            self._command(name)
        for unit in self.own():
            if unit.state != NORMAL:
                self._shelter(unit)
        for unit in self.own("art"):
            self._bring_to_bear(unit)
        bold = [unit for unit in self.own("inf", "cav") if self._can_shock(unit) and unit.id not in self.leaving]
        self.reach = {unit.id: reachable_hexes(self.state, [unit]) for unit in bold}
        self.plans = {hex_id: self._plan(hex_id) for hex_id in sorted({foe.at for foe in self.foes})}

    def orders(self, style: PlayStyle | None = None) -> tuple[Action, ...]:
        """Return the orders of the half; another style must have the same aim."""
        self.style = style or self.style
        self.state, actions, placed, plans = self.begun
        self.actions, self.placed, self.plans = [*actions], {*placed}, {**plans}
        self._assaults()
        for unit in sorted(self.own("inf", "cav"), key=self._from_the_front):  # so those behind find room
            if unit.id not in self.placed and not self.style.stay:
                self._march(unit)
        for unit in self.own("cmd"):
            self._lead(unit)
        for unit in self.own("inf", "art", "cav"):
            self._fire(unit)
        return tuple(self.actions)

    def _from_the_front(self, unit: Unit) -> tuple[int, str]:
        return self.gap(unit.at), unit.id

    # What a division wants

    def _aim(self) -> None:
        """Choose a goal for each division, the strongest first; a taken one counts less."""
        wanted = {spot: 4.0 + 3.0 * n for spot, n in self.prizes.items() if self._is_goal(spot)}
        for foe in self.foes:
            if foe.kind != "cav":
                wanted[foe.at] = max(wanted.get(foe.at, 0.0), 4.0 + foe.pf / 3)
        if self.style.aim:
            wanted = {self.style.aim: 1.0}
        strength = {
            name: [unit for unit in self.own() if unit.division == name]
            for name, division in self.state.divisions.items()
            if alliance_of(division.side) == self.camp
        }
        for name, units in sorted(strength.items(), key=lambda item: (-sum(u.pf for u in item[1]), item[0])):
            if not units or not wanted:
                continue
            middle = min((unit.at for unit in units), key=lambda spot: (sum(distance(spot, u.at) for u in units), spot))
            goal = max(wanted, key=lambda spot: (wanted[spot] / (3 + distance(middle, spot)), spot))
            self.goals[name] = goal
            for spot in wanted:
                if distance(spot, goal) <= 2:
                    wanted[spot] *= 0.6

    def _is_goal(self, hex_id: str) -> bool:
        """Return whether a prize is held by the enemy, or threatened by him."""
        holder = self.state.holder(hex_id) or self.owner.get(hex_id, "")
        return not holder or alliance_of(holder) != self.camp or self.gap(hex_id) <= MANOEUVRE_DISTANCE

    def _goal(self, unit: Unit) -> str:
        """Return a unit's goal: the exit, its division's goal, or the nearest division's."""
        if unit.id in self.leaving:
            return self.leaving[unit.id]
        if unit.division in self.goals:
            return self.goals[unit.division]
        mates = [mate for mate in self.own() if mate.division in self.goals]
        near = min(mates, key=lambda mate: (distance(unit.at, mate.at), mate.id), default=None)
        return self.goals[near.division] if near is not None else unit.at

    def _command(self, name: str) -> None:
        """S2 Order to manoeuvre far from the enemy, reorganise if shaken, else attack."""
        units = [unit for unit in self.own() if unit.division == name]
        shaken = sum(unit.state != NORMAL for unit in units)
        gap = min(self.gap(unit.at) for unit in units)
        order = "REORGANISE" if 2 * shaken > len(units) else "MANOEUVRE" if gap > MANOEUVRE_DISTANCE else "ATTACK"
        division = self.state.divisions[name]
        if order not in (division.order, division.pending):
            self.do(Order(0, name, order))

    # The shaken, and the guns

    def _shelter(self, unit: Unit) -> None:
        """Move a counter out of the enemy's zones; beyond 4 hexes it is safe."""
        if unit.is_unlimbered:
            return
        safety = min(4, self.gap(unit.at)) - 3 * in_zone(self.state, unit.at, unit)
        places = [(min(4, self.gap(spot)) - 3 * in_zone(self.state, spot, unit), spot) for spot in self._reach(unit)]
        worth, to = max(places, default=(safety, unit.at))
        if worth > safety:
            self.do(Move(0, (unit.id,), to=to))
        self.placed.add(unit.id)

    def _reach(self, unit: Unit) -> tuple[str, ...]:
        return possible_hexes(self.state, unit, "MOVE")

    def _bring_to_bear(self, unit: Unit) -> None:
        """Unlimber guns 2 or 3 hexes from the enemy with friends beside, else limber."""
        if unit.state != NORMAL or unit.is_unlimbered:
            if unit.is_unlimbered and not possible_hexes(self.state, unit, "FIRE"):
                aimed = self.facing(unit, unit.at)
                turned = self.state.change(units={**self.state.units, unit.id: unit._replace(facing=aimed)})
                if possible_hexes(turned, turned.units[unit.id], "FIRE"):
                    self.do(Face(0, (unit.id,), aimed))
                elif self.gap(unit.at) > 4:
                    self.do(Limber(0, (unit.id,), "LIMBER"))
            return
        places = [spot for spot in (*self._reach(unit), unit.at) if self.gap(spot) > 1]
        posts = sorted((-self._post(unit, spot), spot) for spot in places)
        for worth, spot in posts[:6]:  # a choice: each takes time to try
            if worth >= 0:
                break
            before = self.state, len(self.actions)
            aimed = self.facing(unit, spot)
            if spot != unit.at and not self.do(Move(0, (unit.id,), to=spot, face=aimed)):
                self.do(Move(0, (unit.id,), to=spot))
            if self.do(Limber(0, (unit.id,), "UNLIMBER")):
                self.do(Face(0, (unit.id,), aimed))
                return
            self.state, self.actions = before[0], self.actions[: before[1]]
        self._follow(unit)

    def _post(self, unit: Unit, spot: str) -> float:
        """Rate a hex by the targets of guns there; 0 if they cannot get ready."""
        seen = [foe for foe in self.foes if distance(spot, foe.at) <= 3 and has_line_of_fire(self.state, spot, foe.at)]
        friends = sum(bool(self.state.fighting(near, self.side)) for near in neighbours(spot))
        close = sum(distance(spot, foe.at) <= 2 for foe in self.foes)
        return max((foe.pf / 2 for foe in seen), default=0.0) and 2.0 + len(seen) + friends - 2.0 * close

    def _follow(self, unit: Unit) -> None:
        """Move guns without targets along with the infantry, not in front of it."""
        goal = self._goal(unit)
        places = [
            (distance(spot, goal), spot)
            for spot in self._reach(unit)
            if self.gap(spot) > 2 and any(self.state.fighting(near, self.side) for near in within(spot, 1))
        ]
        far, to = min(places, default=(99, ""))
        if far < distance(unit.at, goal):
            self.do(Move(0, (unit.id,), to=to))

    # Assaults

    def _assaults(self) -> None:
        """Order the assaults that pay, best first, rating those nearby again after each."""
        tried = {*self.style.spared}
        while True:
            plans = [plan for spot, plan in sorted(self.plans.items()) if plan is not None and spot not in tried]
            plan = max(plans, key=lambda plan: (plan.worth, plan.at), default=None)
            if plan is None or plan.worth < self.style.pays:
                return
            tried.add(plan.at)
            before = {ident: self.state.units[ident].at for ident, _ in plan.who}
            self._carry_out(plan)
            near = {spot for i in before for spot in (before[i], self.state.units[i].at, *self.reach[i])}
            for spot in self.plans:
                if spot not in tried and not near.isdisjoint(neighbours(spot)):
                    self.plans[spot] = self._plan(spot)

    def _can_shock(self, unit: Unit) -> bool:
        division = self.state.divisions.get(unit.division)
        orders = division.order if division is not None else ""
        return unit.state == NORMAL and not unit.square and orders not in (*ORDERS_WITHOUT_SHOCK, "HOLD")

    def _plan(self, hex_id: str) -> _Plan | None:
        """Return the best group against a hex, of the strongest counters that add value."""
        prize = 1.5 + self.prizes.get(hex_id, 0)
        foes = self.state.foes(hex_id, self.side)
        prize += sum(2.0 for foe in foes if foe.kind == "art")
        best_plan: _Plan | None = None
        chosen: list[Unit] = []
        units = [self.state.units[i] for i in self.reach if i not in self.placed and i in self.state.units]
        for unit in sorted(units, key=lambda unit: (-unit.pf, unit.id)):
            if distance(unit.at, hex_id) > 8 or (unit.kind == "cav" and not self._prey(foes)):
                continue
            attacker = self._stand(unit, hex_id, self.reach[unit.id], chosen)
            if attacker is None:
                continue
            worth = shock_value(self.state, [*chosen, attacker], hex_id, prize) - 0.3 * len(chosen)
            if best_plan is None or worth > best_plan.worth:
                chosen.append(attacker)
                best_plan = _Plan(worth, hex_id, tuple((unit.id, unit.at) for unit in chosen))
        return best_plan

    @staticmethod
    def _prey(foes: Sequence[Unit]) -> bool:
        """Return whether cavalry may attack: no foe is formed and in good order."""
        return all(foe.kind != "inf" or foe.state != NORMAL or foe.skirmishing for foe in foes)

    def _stand(self, unit: Unit, hex_id: str, reach: frozenset[str], chosen: Sequence[Unit]) -> Unit | None:
        """Return a counter moved to the best hex from which to assault the target."""
        stands = []
        for near in neighbours(hex_id):
            if near != unit.at and near not in reach:
                continue
            there = [mate for mate in chosen if mate.at == near]
            facing = unit.facing if near == unit.at and hex_id in front(near, unit.facing) else direction(near, hex_id)
            moved = unit._replace(at=near, facing=facing)
            if has_room(self.state, near, [*there, moved]):
                stay = 0.1 if near == unit.at else 0.0
                stands.append((shock_value(self.state, [moved], hex_id, 0.0) + stay, near, moved))
        return max(stands, key=lambda item: item[:2])[2] if stands else None

    def _carry_out(self, plan: _Plan) -> None:
        """Order the march and the assault of all that come to face the target."""
        going: list[str] = []
        for ident, to in plan.who:
            unit = self.state.units[ident]
            order = Assault(0, "ASSAULT", plan.at, (ident,))
            wanted = direction(to, plan.at)
            if to == unit.at and plan.at not in front(to, unit.facing):
                self.do(Face(0, (ident,), wanted))
            elif to != unit.at and not self.do(Move(0, (ident,), to=to, face=wanted)):
                self.do(Move(0, (ident,), to=to))
            moved = self.state.units[ident]
            if moved.at == to or distance(moved.at, plan.at) == 1:
                self.placed.add(ident)
            outcome = STEP_FUNCTIONS["assault order"](self.state, task_of(order))
            if isinstance(outcome, Did) and outcome.events[0].kind == "assault":
                going.append(ident)
        units = [self.state.units[ident] for ident in going]
        if not units or shock_value(self.state, units, plan.at, 1.5 + self.prizes.get(plan.at, 0)) < self.style.pays:
            return
        leader = min(units, key=lambda unit: (unit.will, -unit.pf, unit.id))
        horse = all(unit.kind == "cav" for unit in units)
        verbs = ("CHARGE", "ASSAULT") if horse else ("ASSAULT",)
        any(self.do(Assault(0, verb, plan.at, tuple(sorted(going)), leader.id)) for verb in verbs)

    # The march

    def _march(self, unit: Unit) -> None:
        """Move a counter to the hex of the greatest value to it, facing the enemy."""
        if unit.state != NORMAL:
            return
        if unit.square and not self.horse_near(unit):
            self.do(Form(0, (unit.id,), "FORMED"))
            return
        goal = self._goal(unit)
        value_now = self.value(unit, unit.at, goal) + self._out(unit, unit.at) + 0.3
        places = [(self.value(unit, spot, goal) + self._out(unit, spot), spot) for spot in self._reach(unit)]
        worth, to = max(places, default=(value_now, unit.at))
        self.placed.add(unit.id)
        if worth <= value_now:
            facing = self.facing(unit, unit.at)
            near = [foe for foe in self.foes if distance(foe.at, unit.at) <= 3]
            if near and not any(foe.at in front(unit.at, unit.facing) for foe in near) and facing != unit.facing:
                self.do(Face(0, (unit.id,), facing))
            return
        if not (unit.faces and self.do(Move(0, (unit.id,), to=to, face=self.facing(unit, to)))):
            self.do(Move(0, (unit.id,), to=to))

    def _out(self, unit: Unit, hex_id: str) -> float:
        """S14 Return the value of an exit hex to a battalion that leaves by it."""
        way_out = self.state.edition.scenario.get("victory", {}).get("exit", {})
        return EXIT_VALUE if unit.id in self.leaving and hex_id in way_out["hexes"] else 0.0

    # Commanders and fire

    def _lead(self, chief: Unit) -> None:
        """Move a commander to his best assaulting or foremost unit, or near troops."""
        names = {d.name for d in self.state.divisions.values() if d.commander == chief.id} | {chief.division} - {""}
        men = [unit for unit in self.own() if unit.division in names] or self.own("inf")
        if not men:
            return
        assaulting = [unit for unit in men if unit.assault]
        if names:
            lead = best_unit(assaulting) or min(men, key=lambda unit: (self.gap(unit.at), -unit.pf, unit.id))
            to = lead.at
        else:
            middle = [unit for unit in men if self.gap(unit.at) > 1] or men
            to = min(middle, key=lambda unit: (sum(distance(unit.at, mate.at) for mate in men), unit.id)).at
        if to != chief.at and not self.do(Move(0, (chief.id,), to=to)):
            near = [(distance(spot, to), spot) for spot in self._reach(chief) if self.state.fighting(spot, self.side)]
            if near and min(near)[0] < distance(chief.at, to):
                self.do(Move(0, (chief.id,), to=min(near)[1]))

    def _fire(self, unit: Unit) -> None:
        """Fire guns at the best target, foot only at hexes to be assaulted."""
        if unit.assault or unit.fired:
            return
        targets = {target for target, _ in self.state.assaults}
        hexes = [spot for spot in within(unit.at, 5) if may_fire(self.state, unit, spot) is None]
        hexes = [spot for spot in hexes if unit.kind == "art" or self.style.fires or spot in targets]
        ranked = sorted((-fire_effect(self.state, unit, spot).harm - 0.5 * (spot in targets), spot) for spot in hexes)
        if ranked:
            self.do(Fire(0, (unit.id,), ranked[0][1]))


forward_orders = PLANNER.bot(lambda view, side, luck: StyledHalfPlan(view, side).orders())
