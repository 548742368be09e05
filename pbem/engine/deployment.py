"""Deployment: a phase before turn 1 in which both sides place units.

They do so at once and secretly. A scenario names zones; an option of the edition decides whether they are
used::

    deployment = [{ zone = ["Tarajal", "Playa"] }, { zone = ["Valle"], units = ["Nizam", "Bujari"] }]

A game supplies its rule numbers, its stacking rule and the distances between places (`PlacementRules`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, Self, TypeVar

from pbem.engine.bots import Bot, Luck, Pick
from pbem.engine.data.canon import Json
from pbem.engine.data.events import Data, Event, event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.report import Block, Line
from pbem.engine.data.sources import SourceError, line_number_of
from pbem.engine.orders import refusals
from pbem.engine.orders.refusals import Giver, Refusal
from pbem.engine.orders.standing import Pass
from pbem.engine.run.steps import Did, Outcome, Rules, Task, World
from pbem.engine.terms import Orders, RejectedLine

# Zones: the places of a scenario between which units may be shifted before turn 1.


DEPLOY_VALUES = ("off", "on")
"""The values of an edition's option `deploy`, the default first."""
_KEY = "deployment"


class Zone(NamedTuple):
    """Places, and the units that may be put into them, in the order of the file."""

    places: tuple[str, ...]
    units: tuple[str, ...]


def zones_of(scenario: Mapping[str, Json]) -> tuple[Zone, ...]:
    """Return the zones of a scenario's data.

    The scenario's rows of units read ``SIDE KIND ID ... at PLACE``. A zone that names no units is for the units
    that start in its places.
    """
    starts = {words[2]: words[-1] for words in map(str.split, scenario.get("units", ()))}
    return tuple(
        Zone(
            tuple(row["zone"]),
            tuple(row.get("units") or (unit for unit, place in starts.items() if place in row["zone"])),
        )
        for row in scenario.get(_KEY, ())
    )


def drop_unused_zones(scenario: Mapping[str, object], options: Mapping[str, str]) -> Mapping[str, Json]:
    """Return a scenario's data, without its zones unless the option is on.

    An edition without deployment is therefore the same as before its scenario had zones. Raise ValueError if
    the option is on and there are no zones.
    """
    if options.get("deploy", DEPLOY_VALUES[0]) == DEPLOY_VALUES[0]:
        return {key: value for key, value in scenario.items() if key != _KEY}
    if not scenario.get(_KEY):
        raise ValueError("deploy = on: the scenario names no zones, so that there is nothing to deploy")
    return scenario


def check_zones(
    data: Mapping[str, Json],
    stand: Mapping[str, tuple[str, str]],
    places: Collection[str],
    party: Callable[[str], str],
    source: tuple[str, str],
) -> None:
    """Raise SourceError for an invalid zone of a scenario.

    Zones of two parties share no place and hold no enemy, so that no order of one side affects the other.
    `stand` has side and place of each unit at the start, `source` the text of the file and its name.
    """
    text, file = source
    owner: dict[str, str] = {}
    zoned: set[str] = set()
    rows = data.get(_KEY, ())
    for row in rows:
        _check_row(row, stand, places, source)
    for zone in zones_of(data):
        line = line_number_of(text, f'"{zone.places[0]}"') or line_number_of(text, _KEY)
        parties = {party(stand[unit][0]) for unit in zone.units}
        if len(parties) != 1:
            raise SourceError(file, line, "a zone is for units of one side, and has at least one")
        if repeated := sorted(zoned.intersection(zone.units)):
            raise SourceError(file, line, f"{repeated[0]} is in two zones")
        zoned.update(zone.units)
        for place in zone.places:
            if owner.setdefault(place, *parties) not in parties:
                raise SourceError(file, line, f"{place} is in zones of both sides")
    for unit, (side, start) in stand.items():
        if owner.get(start, party(side)) != party(side):
            raise SourceError(file, line_number_of(text, f" {unit} "), f"{unit} stands in a zone of the enemy")


def _check_row(row: object, stand: Mapping[str, object], places: Collection[str], source: tuple[str, str]) -> None:
    text, file = source
    line = line_number_of(text, _KEY)
    if not isinstance(row, Mapping) or not row.get("zone") or not {*row} <= {"zone", "units"}:
        raise SourceError(file, line, "a row of deployment has a zone, which is a list of places, and perhaps units")
    for key, allowed, reason in (("zone", places, "no place of the map"), ("units", stand, "no unit at the start")):
        names: Sequence[str] = row.get(key, ())
        if unknown := [name for name in names if name not in allowed]:
            raise SourceError(file, line_number_of(text, f'"{unknown[0]}"') or line, f"{unknown[0]!r} is {reason}")


# Effects and refusals of DEPLOY: the phase before turn 1.
#
# Lines are carried out in the order written; then undeployed units are where the scenario has them,
# and give way to deployed ones where room is short. A line that leaves a unit without a place is refused, so
# that the phase always ends in a legal position.


DEPLOYMENT_PHASE = "deployment"
"""The phase of turn 0, in which all seats are active."""


class Deploy(NamedTuple):
    """An order: units to a place of their zone and, where units have one, a facing."""

    line: int
    units: tuple[str, ...]
    to: str
    face: str = ""


def _never_stuck(edition: object, unit: object, place: str) -> bool:
    """Return False: in this game no unit can get stuck."""
    return False


class PlacementRules(NamedTuple):
    """A game's rules about places: stacking and distances.

    `room` returns whether units of one side may stack in a place of an edition, `far` the distance of two places;
    `party` returns the party that orders the units of a side; `tree_line` writes an order; `stacking` is the number
    of the stacking rule. `stuck` returns whether a unit could never leave a place, by the rule `on_ways`.
    """

    stacking: str
    room: Callable[[Any, str, Sequence[Any]], bool]
    far: Callable[[Any, str, str], int]
    line_of: Callable[[Any], str]
    party: Callable[[str], str] = str
    stuck: Callable[[Any, Any, str], bool] = _never_stuck
    on_ways: str = ""


class DeploymentPosition(Protocol):
    """A position in which units may be deployed.

    `deployed` are the units already deployed. If the edition names a side in `sees`, that side deploys after the
    other and sees the other's deployment; `second` is True while it deploys.
    """

    edition: Any
    turn: int
    phase: str
    units: Mapping[str, Any]
    deployed: tuple[str, ...]

    @property
    def second(self) -> bool:
        """Return whether it is the turn of the side that sees."""
        ...

    def change(self, **what: object) -> Self:
        """Return a copy with the fields given."""
        ...


P = TypeVar("P", bound=DeploymentPosition)


def deploy_too_late(rule: str) -> Refusal:
    """Return the refusal of DEPLOY once turn 1 has begun."""
    return Refusal((rule,), msg("DEPLOY belongs to the phase before turn 1, which is over or not played here"))


def no_zone_text(unit: str) -> Msg:
    """Return a sentence that a unit cannot be deployed."""
    return msg("{unit} has no zone: it stands where the scenario has it", unit=unit)


def _outside(place: str, unit: str, zone: Zone) -> Msg:
    return msg("{place} is not in the zone of {unit}: {places}", place=place, unit=unit, places=zone.places)


def refuse_before_turn_1(rule: str) -> Refusal:
    """Return the refusal of any other order before turn 1."""
    return Refusal((rule,), msg("before turn 1 orders read DEPLOY unit, unit TO place, or PASS"))


@dataclass(frozen=True)
class Deployment:
    """The deployment phase of one game.

    It has the number of its rule and of the rule about undeployed units, and the phase that follows.
    """

    rule: str
    rest_rule: str
    ways: PlacementRules
    begins: Callable[[Any], str]

    def zone(self, state: DeploymentPosition, unit: str) -> Zone | None:
        """Return the zone of a unit, or None."""
        return next((zone for zone in state.edition.zones if unit in zone.units), None)

    def world(self, state: P, orders: Mapping[str, Orders]) -> World[P]:
        """Return the phase with all seats' orders, by party in the order of play."""
        parties: dict[str, list[str]] = {}
        for seat in self.seats(state):
            parties.setdefault(self.ways.party(state.edition.seats[seat]), []).append(seat)
        tasks: list[Task] = []
        for party, seats in parties.items():
            actions = (action for seat in seats for action in _actions(orders, seat))
            tasks += self._tasks(party, actions)
        return World(state, (*tasks, Task("deployment over")))

    def seats(self, state: DeploymentPosition) -> tuple[str, ...]:
        """Return the seats that deploy now: all, or those before or after the others."""
        second_side = state.edition.sees
        return tuple(
            seat
            for seat, side in state.edition.seats.items()
            if not second_side or (side == second_side) == state.second
        )

    def _tasks(self, party: str, actions: Iterable[object]) -> list[Task]:
        return [*(Task("deploy order", (action, party)) for action in actions), Task("not deployed", (party,))]

    def foresee(self, rules: Rules[P], view: P, side: str, actions: Iterable[object]) -> tuple[Event, ...]:
        """Return the events of a side's orders.

        Nothing is rolled or asked, so that all of them are certain.
        """
        events: list[Event] = []
        for task in self._tasks(self.ways.party(side), actions):
            outcome = rules.step(view, task)
            for happened in outcome.events if isinstance(outcome, Did) else ():
                events.append(happened)
                view = rules.apply(view, happened)
        return tuple(events)

    def check(self, rules: Rules[P], view: P, side: str, orders: Orders) -> tuple[RejectedLine, ...]:
        """Return the refused lines of a side's orders."""
        refused = refusals.refused_lines(self.foresee(rules, view, side, orders.actions))
        # In the order of the letter, whatever the order in which they are found.
        return tuple(sorted((line for _, line in refused), key=lambda line: line.line))

    def order(self, state: DeploymentPosition, task: Task) -> Outcome:
        """Carry out a line, or give its side alone the refusal.

        Arguments: the action, the party.
        """
        action, party = task.args[0], task.args[-1]
        if state.phase == DEPLOYMENT_PHASE:
            refusal = self.problem(state, action, party)
        else:
            refusal, party = deploy_too_late(self.rule), self.ways.party(state.phase)
        if refusal is not None:
            line = self.ways.line_of(action)
            return Did((refusals.not_carried_out(action.line, line, refusal, Giver(party, self._seats(state, party))),))
        if not isinstance(action, Deploy):
            return Did()
        side = state.units[action.units[0]].side
        units, face = [*action.units], {"face": action.face} if action.face else {}
        return Did((event("deploys", self.rule, side=side, units=units, to=action.to, **face),))

    def rest(self, state: DeploymentPosition, task: Task) -> Outcome:
        """Leave undeployed units in their places, or as near as there is room."""
        (party,) = task.args
        aside, _ = self.settle(state, party)
        events = [
            event("makes room", self.rest_rule, side=unit.side, unit=unit.id, to=to, **{"from": unit.at})
            for unit, to in ((state.units[ident], to) for ident, to in aside.items())
        ]
        if not any(self.ways.party(state.units[unit].side) == party for unit in state.deployed):
            events.append(event("not deployed", self.rest_rule, side=self._side(state, party)))
        return Did(tuple(events))

    def close(self, state: DeploymentPosition, task: Task) -> Outcome:
        """Begin turn 1, or let the side deploy that sees the first side's deployment."""
        if state.edition.sees and not state.second:
            return Did((event("seen deployed", self.rule, side=state.edition.sees),))
        return Did((event("phase over", self.rule, side=state.phase, next=self.begins(state), turn=state.turn + 1),))

    def problem(self, state: DeploymentPosition, action: Any, party: str) -> Refusal | None:
        """Return the refusal of an order of a party, or None."""
        if isinstance(action, Pass):
            return None
        if not isinstance(action, Deploy):
            return refuse_before_turn_1(self.rule)
        for unit in action.units:
            zone = self.zone(state, unit) if unit in state.units else None
            if zone is None:
                return Refusal((self.rule,), no_zone_text(unit), unit)
            if action.to not in zone.places:
                return Refusal((self.rule,), _outside(action.to, unit, zone), action.to)
            if unit in state.deployed:
                return Refusal((self.rule,), msg("{unit} is deployed by an order above", unit=unit), unit)
        return self._no_room(state, action, party)

    def _no_room(self, state: DeploymentPosition, order: Deploy, party: str) -> Refusal | None:
        rules, before = (self.ways.stacking, self.rule), self._deployed_places(state)
        placed = {**before, **dict.fromkeys(order.units, order.to)}
        if not self.ways.room(state.edition, order.to, self._units_in_place(state, party, placed)[order.to]):
            return Refusal(rules, msg("{place} has no room for {units}", place=order.to, units=order.units), order.to)
        _, unplaced = self.settle(state, party, placed)
        if unplaced and (new := [unit for unit in unplaced if unit not in self.settle(state, party, before)[1]]):
            why = msg(
                "with {units} in {place} there is no room left in the zone for {unit}",
                units=order.units,
                place=order.to,
                unit=new[0],
            )
            return Refusal(rules, why, order.to)
        return None

    def settle(
        self, state: DeploymentPosition, party: str, placed: Mapping[str, str] | None = None
    ) -> tuple[Mapping[str, str], tuple[str, ...]]:
        """Return the undeployed units that must move, and those without room.

        The units that must move are mapped to their new places. `placed` are the places of deployed units, by
        default those of the position.
        """
        placed = self._deployed_places(state) if placed is None else placed
        filled = self._units_in_place(state, party, placed)
        aside: dict[str, str] = {}
        displaced = [
            unit
            for unit in self._units_to_deploy(state, party, placed)
            if not self._place_if_room(state, filled, unit, unit.at)
        ]
        nowhere = []
        for unit in displaced:
            place = next(
                (
                    candidate
                    for candidate in self._nearest(state, unit)
                    if self._place_if_room(state, filled, unit, candidate)
                ),
                "",
            )
            if place:
                aside[unit.id] = place
            else:
                nowhere.append(unit.id)
        return aside, tuple(nowhere)

    def _place_if_room(
        self, state: DeploymentPosition, filled: dict[str, list[object]], unit: object, place: str
    ) -> bool:
        """Put a unit into a place if there is room; return whether there was."""
        units = [*filled.get(place, ()), unit]
        if self.ways.room(state.edition, place, units):
            filled[place] = units
            return True
        return False

    def _nearest(self, state: DeploymentPosition, unit: Any) -> list[str]:
        """Return the places of a unit's zone, the nearest first, then by id."""
        zone = self.zone(state, unit.id)
        places = zone.places if zone is not None else ()
        return sorted(places, key=lambda place: (self.ways.far(state.edition, unit.at, place), place))

    def _deployed_places(self, state: DeploymentPosition) -> dict[str, str]:
        return {ident: state.units[ident].at for ident in state.deployed}

    def _units_in_place(self, state: DeploymentPosition, party: str, placed: Mapping[str, str]) -> dict[str, list[Any]]:
        """Return a party's units, by place, that are deployed or in no zone."""
        units_by_place: dict[str, list[Any]] = {}
        for ident, unit in sorted(state.units.items()):
            if self.ways.party(unit.side) == party and (ident in placed or self.zone(state, ident) is None):
                units_by_place.setdefault(placed.get(ident, unit.at), []).append(unit)
        return units_by_place

    def _units_to_deploy(self, state: DeploymentPosition, party: str, placed: Mapping[str, str]) -> Iterator[Any]:
        for zone in state.edition.zones:
            for ident in zone.units:
                unit = state.units.get(ident)
                if unit is not None and ident not in placed and self.ways.party(unit.side) == party:
                    yield unit

    def _seats(self, state: DeploymentPosition, party: str) -> tuple[str, ...]:
        return tuple(seat for seat, side in state.edition.seats.items() if self.ways.party(side) == party)

    def _side(self, state: DeploymentPosition, party: str) -> str:
        side: str = state.edition.seats[self._seats(state, party)[0]]
        return side


def _actions(orders: Mapping[str, Orders], seat: str) -> Iterable[Any]:
    return orders[seat].actions if seat in orders else ()


# Deployment by bots.


def random_deployment(deployment: Deployment, view: DeploymentPosition, side: str, luck: Luck) -> tuple[Any, ...]:
    """Return random legal orders for about half of a side's units."""
    orders: list[Any] = []
    party = deployment.ways.party
    for zone in view.edition.zones:
        units = [unit for unit in zone.units if unit in view.units and party(view.units[unit].side) == party(side)]
        for unit in luck.shuffle(units) if units else ():
            order = Deploy(0, (unit,), luck.one(zone.places))
            if luck.chance(2) and deployment.problem(_after(view, orders), order, party(side)) is None:
                orders.append(order)
    return tuple(orders) or (Pass(0),)


def with_random_deployment(deployment: Deployment, canon: Callable[[Orders], str], bot: Bot) -> Bot:
    """Return a bot that deploys at random, and then plays as another."""

    def deploying_bot(view: Any, seat: str, pick: Pick) -> str:
        if view.phase != DEPLOYMENT_PHASE:
            return bot(view, seat, pick)
        return canon(Orders(random_deployment(deployment, view, view.edition.seats[seat], Luck(pick))))

    return deploying_bot


def _after(view: P, orders: list[Deploy]) -> P:
    """Return the position after carrying out those orders."""
    places = {unit: order.to for order in orders for unit in order.units}
    units = {ident: unit._replace(at=places.get(ident, unit.at)) for ident, unit in view.units.items()}
    return view.change(units=units, deployed=(*places,))


# Sentences about deployment.


EVENT_KINDS = ("deploys", "makes room", "not deployed", "seen deployed")
"""The kinds of event in reports."""


def phase_names(sides: Mapping[str, Msg]) -> Mapping[str, Msg]:
    """Return the names of the sides' phases, with that of deployment."""
    return {**sides, DEPLOYMENT_PHASE: msg("deployment")}


def option_text(rule: str) -> Msg:
    """Return a sentence that explains the option."""
    return msg("Deployment: before turn 1 both sides say at once where they stand in their zones [{rule}].", rule=rule)


def zone_blocks(view: DeploymentPosition, sides: Mapping[str, Msg], rule: str) -> tuple[Block, ...]:
    """Return the public zones of both sides during deployment; else nothing."""
    if view.phase != DEPLOYMENT_PHASE:
        return ()
    side_of_unit = {words[2]: words[0] for words in map(str.split, view.edition.scenario["units"])}
    lines = tuple(
        (0, msg("{side}: {places}", side=sides[side_of_unit[zone.units[0]]], places=zone.places))
        for zone in view.edition.zones
    )
    return (Block(msg("Zones, where units may be deployed [{rule}]", rule=rule), lines, whole=True),)


def zone_lines(view: DeploymentPosition, sides: Mapping[str, Msg], rule: str) -> tuple[Line, ...]:
    """Return the zones, as `zone_blocks` does, as lines below a map."""
    blocks = zone_blocks(view, sides, rule)
    return tuple(line for block in blocks for line in ((0, block.title), *((1, text) for _, text in block.lines)))


def event_sentences(sides: Mapping[str, Msg]) -> Mapping[str, Callable[[Data, object], Msg]]:
    """Return the sentences of the kinds of event, using these names of sides."""

    def deploys(data: Data, before: object) -> Msg:
        side, units = sides[data["side"]], tuple(data["units"])
        return msg("Deployment of {side} in {to}: {units}.", side=side, to=data["to"], units=units)

    def makes_room(data: Data, before: object) -> Msg:
        unit, start, to = data["unit"], data["from"], data["to"]
        return msg("{unit} finds no room in {start} and stands in {to}.", unit=unit, start=start, to=to)

    def not_deployed(data: Data, before: object) -> Msg:
        side = sides[data["side"]]
        return msg("{side}: nobody is deployed; all stand where the scenario has them.", side=side)

    def seen_by_scouts(data: Data, before: object) -> Msg:
        return msg("The scouts of {side} have seen this: it deploys now.", side=sides[data["side"]])

    return dict(zip(EVENT_KINDS, (deploys, makes_room, not_deployed, seen_by_scouts), strict=True))
