"""Deployment: a phase before turn 1 in which both sides say at once, sealed, where their units stand.

A scenario names zones, by an option of the edition they are played::

    deployment = [{ zone = ["Tarajal", "Playa"] }, { zone = ["Valle"], units = ["Nizam", "Bujari"] }]

A game brings its rule numbers, who may stand together, and how far it is from place to place (`Ways`).
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
from pbem.engine.data.sources import SourceError, line_of
from pbem.engine.orders import refusals
from pbem.engine.orders.refusals import Giver, Refusal
from pbem.engine.orders.standing import Pass
from pbem.engine.run.steps import Did, Outcome, Rules, Task, World
from pbem.engine.terms import Orders, Rejected

# Zones: the places of a scenario between which units may be shifted before turn 1.


OPTION = ("off", "on")
"""The values of an edition's option `deploy`, the default first."""
_KEY = "deployment"


class Zone(NamedTuple):
    """Places, and the units that may be put into them, both in the order of the file."""

    places: tuple[str, ...]
    units: tuple[str, ...]


def zones_of(scenario: Mapping[str, Json]) -> tuple[Zone, ...]:
    """Return the zones of a scenario's data; its rows of units read ``SIDE KIND ID ... at PLACE``.

    A zone that names no units is for those who stand in its places at the start.
    """
    stand = {words[2]: words[-1] for words in map(str.split, scenario.get("units", ()))}
    return tuple(
        Zone(tuple(row["zone"]), tuple(row.get("units") or (one for one, at in stand.items() if at in row["zone"])))
        for row in scenario.get(_KEY, ())
    )


def as_played(scenario: Mapping[str, object], options: Mapping[str, str]) -> Mapping[str, Json]:
    """Return a scenario's data without its zones unless they are played; ValueError if there are none to be played.

    So an edition without deployment is what it was before its scenario named any.
    """
    if options.get("deploy", OPTION[0]) == OPTION[0]:
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
    """SourceError for what cannot be among a scenario's zones; `stand` has side and place of each unit at the start.

    Zones of two parties share no place and hold no enemy, so that nothing that one side orders bears on the other.
    `source` is the text of the file, and its name.
    """
    text, file = source
    owner: dict[str, str] = {}
    zoned: set[str] = set()
    rows = data.get(_KEY, ())
    for row in rows:
        _check_row(row, stand, places, source)
    for zone in zones_of(data):
        line = line_of(text, f'"{zone.places[0]}"') or line_of(text, _KEY)
        parties = {party(stand[unit][0]) for unit in zone.units}
        if len(parties) != 1:
            raise SourceError(file, line, "a zone is for units of one side, and has at least one")
        if again := sorted(zoned.intersection(zone.units)):
            raise SourceError(file, line, f"{again[0]} is in two zones")
        zoned.update(zone.units)
        for place in zone.places:
            if owner.setdefault(place, *parties) not in parties:
                raise SourceError(file, line, f"{place} is in zones of both sides")
    for unit, (side, at) in stand.items():
        if owner.get(at, party(side)) != party(side):
            raise SourceError(file, line_of(text, f" {unit} "), f"{unit} stands in a zone of the enemy")


def _check_row(row: object, stand: Mapping[str, object], places: Collection[str], source: tuple[str, str]) -> None:
    text, file = source
    line = line_of(text, _KEY)
    if not isinstance(row, Mapping) or not row.get("zone") or not {*row} <= {"zone", "units"}:
        raise SourceError(file, line, "a row of deployment has a zone, which is a list of places, and perhaps units")
    for key, known, what in (("zone", places, "no place of the map"), ("units", stand, "no unit at the start")):
        names: Sequence[str] = row.get(key, ())
        if wrong := [name for name in names if name not in known]:
            raise SourceError(file, line_of(text, f'"{wrong[0]}"') or line, f"{wrong[0]!r} is {what}")


# What DEPLOY does and what is against it: the phase before turn 1.
#
# Lines are carried out in the order written; when all are, whoever was not deployed stands where the scenario has him,
# and gives way to those who were where room is short. No line is carried out that leaves anybody without a place, so
# that a phase that is over is sound.


DEPLOYMENT = "deployment"
"""The phase of turn 0, in which all seats are active."""


class Deploy(NamedTuple):
    """Units to a place of their zone; where units have a front, towards where."""

    line: int
    units: tuple[str, ...]
    to: str
    face: str = ""


def _free(edition: object, unit: object, place: str) -> bool:
    """Nobody is ever stuck."""
    return False


class Ways(NamedTuple):
    """What a game says of its places: by what rule units stand together, whether they may, and how far it is.

    `room` is asked about units of one side in a place of an edition, `far` about two places of one; `party` says who
    orders the units of a side; `line_of` writes an order. `stuck` is asked whether no way leads a unit of an edition
    out of a place, by the rule `on_ways`.
    """

    stacking: str
    room: Callable[[Any, str, Sequence[Any]], bool]
    far: Callable[[Any, str, str], int]
    line_of: Callable[[Any], str]
    party: Callable[[str], str] = str
    stuck: Callable[[Any, Any, str], bool] = _free
    on_ways: str = ""


class Deploying(Protocol):
    """A position in which units may be deployed; `deployed` are those that were by now.

    Where the edition says of a side that it `sees`, it deploys after the other, in sight of what that did: `second` is
    whether it is its turn.
    """

    edition: Any
    turn: int
    phase: str
    units: Mapping[str, Any]
    deployed: tuple[str, ...]

    @property
    def second(self) -> bool:
        """Whether it is the turn of the side that sees."""
        ...

    def change(self, **what: object) -> Self:
        """Return a copy with the fields given."""
        ...


P = TypeVar("P", bound=Deploying)


def too_late(rule: str) -> Refusal:
    """Return why nobody is deployed once turn 1 has begun."""
    return Refusal((rule,), msg("DEPLOY belongs to the phase before turn 1, which is over or not played here"))


def no_zone(unit: str) -> Msg:
    """Return that a unit cannot be deployed."""
    return msg("{unit} has no zone: it stands where the scenario has it", unit=unit)


def _outside(place: str, unit: str, zone: Zone) -> Msg:
    return msg("{place} is not in the zone of {unit}: {places}", place=place, unit=unit, places=zone.places)


def not_before_turn_1(rule: str) -> Refusal:
    """Return why nothing else is ordered before turn 1."""
    return Refusal((rule,), msg("before turn 1 orders read DEPLOY unit, unit TO place, or PASS"))


@dataclass(frozen=True)
class Deployment:
    """The phase of one game: the numbers of its rule and of that on who is not deployed, and the phase that follows."""

    rule: str
    rest_rule: str
    ways: Ways
    begins: Callable[[Any], str]

    def zone(self, state: Deploying, unit: str) -> Zone | None:
        """Return the zone of a unit; None if it has none."""
        return next((zone for zone in state.edition.zones if unit in zone.units), None)

    def world(self, state: P, orders: Mapping[str, Orders]) -> World[P]:
        """Return the phase with the orders of all seats, party by party in the order of play."""
        parties: dict[str, list[str]] = {}
        for seat in self.seats(state):
            parties.setdefault(self.ways.party(state.edition.seats[seat]), []).append(seat)
        tasks: list[Task] = []
        for party, seats in parties.items():
            given = (one for seat in seats for one in _actions(orders, seat))
            tasks += self._tasks(party, given)
        return World(state, (*tasks, Task("deployment over")))

    def seats(self, state: Deploying) -> tuple[str, ...]:
        """Return the seats that deploy now: all, or those who do so before or after the others."""
        last = state.edition.sees
        return tuple(seat for seat, side in state.edition.seats.items() if not last or (side == last) == state.second)

    def _tasks(self, party: str, actions: Iterable[object]) -> list[Task]:
        return [*(Task("deploy order", (action, party)) for action in actions), Task("not deployed", (party,))]

    def foreseen(self, rules: Rules[P], view: P, side: str, actions: Iterable[object]) -> tuple[Event, ...]:
        """Return what comes of a side's orders: nothing is rolled or asked, so that all of it is certain."""
        events: list[Event] = []
        for task in self._tasks(self.ways.party(side), actions):
            outcome = rules.step(view, task)
            for happened in outcome.events if isinstance(outcome, Did) else ():
                events.append(happened)
                view = rules.apply(view, happened)
        return tuple(events)

    def check(self, rules: Rules[P], view: P, side: str, orders: Orders) -> tuple[Rejected, ...]:
        """Return the refused lines of a side's orders."""
        told = refusals.refused(self.foreseen(rules, view, side, orders.actions))
        return tuple(sorted((line for _, line in told), key=lambda line: line.line))

    def order(self, state: Deploying, task: Task) -> Outcome:
        """A line is carried out, or told to its side alone why not. Arguments: the action, the party."""
        action, party = task.args[0], task.args[-1]
        if state.phase == DEPLOYMENT:
            found = self.problem(state, action, party)
        else:
            found, party = too_late(self.rule), self.ways.party(state.phase)
        if found is not None:
            line = self.ways.line_of(action)
            return Did((refusals.not_carried_out(action.line, line, found, Giver(party, self._seats(state, party))),))
        if not isinstance(action, Deploy):
            return Did()
        side = state.units[action.units[0]].side
        units, face = [*action.units], {"face": action.face} if action.face else {}
        return Did((event("deploys", self.rule, side=side, units=units, to=action.to, **face),))

    def rest(self, state: Deploying, task: Task) -> Outcome:
        """Who was not deployed stands where the scenario has him, or as near to it as there is room."""
        (party,) = task.args
        aside, _ = self.settled(state, party)
        told = [
            event("makes room", self.rest_rule, side=unit.side, unit=unit.id, to=to, **{"from": unit.at})
            for unit, to in ((state.units[ident], to) for ident, to in aside.items())
        ]
        if not any(self.ways.party(state.units[unit].side) == party for unit in state.deployed):
            told.append(event("not deployed", self.rest_rule, side=self._side(state, party)))
        return Did(tuple(told))

    def close(self, state: Deploying, task: Task) -> Outcome:
        """Turn 1 begins, or the side deploys that saw how the other did."""
        if state.edition.sees and not state.second:
            return Did((event("seen deployed", self.rule, side=state.edition.sees),))
        return Did((event("phase over", self.rule, side=state.phase, next=self.begins(state), turn=state.turn + 1),))

    def problem(self, state: Deploying, action: Any, party: str) -> Refusal | None:
        """Return what is against an order of a party, None if nothing is."""
        if isinstance(action, Pass):
            return None
        if not isinstance(action, Deploy):
            return not_before_turn_1(self.rule)
        for unit in action.units:
            zone = self.zone(state, unit) if unit in state.units else None
            if zone is None:
                return Refusal((self.rule,), no_zone(unit), unit)
            if action.to not in zone.places:
                return Refusal((self.rule,), _outside(action.to, unit, zone), action.to)
            if unit in state.deployed:
                return Refusal((self.rule,), msg("{unit} is deployed by an order above", unit=unit), unit)
        return self._no_room(state, action, party)

    def _no_room(self, state: Deploying, order: Deploy, party: str) -> Refusal | None:
        rules, before = (self.ways.stacking, self.rule), self._deployed(state)
        placed = {**before, **dict.fromkeys(order.units, order.to)}
        if not self.ways.room(state.edition, order.to, self._fixed(state, party, placed)[order.to]):
            return Refusal(rules, msg("{place} has no room for {units}", place=order.to, units=order.units), order.to)
        _, left = self.settled(state, party, placed)
        if left and (new := [unit for unit in left if unit not in self.settled(state, party, before)[1]]):
            why = msg(
                "with {units} in {place} there is no room left in the zone for {unit}",
                units=order.units,
                place=order.to,
                unit=new[0],
            )
            return Refusal(rules, why, order.to)
        return None

    def settled(
        self, state: Deploying, party: str, placed: Mapping[str, str] | None = None
    ) -> tuple[Mapping[str, str], tuple[str, ...]]:
        """Return who of those not deployed has to stand elsewhere than he does and where, and who finds no room.

        `placed` are the places of those who are deployed, those of the position if it is not given.
        """
        placed = self._deployed(state) if placed is None else placed
        filled = self._fixed(state, party, placed)
        aside: dict[str, str] = {}
        left = [
            unit for unit in self._undeployed(state, party, placed) if not self._takes(state, filled, unit, unit.at)
        ]
        nowhere = []
        for unit in left:
            place = next((one for one in self._nearest(state, unit) if self._takes(state, filled, unit, one)), "")
            if place:
                aside[unit.id] = place
            else:
                nowhere.append(unit.id)
        return aside, tuple(nowhere)

    def _takes(self, state: Deploying, filled: dict[str, list[object]], unit: object, place: str) -> bool:
        """Put a unit into a place if there is room; return whether there was."""
        there = [*filled.get(place, ()), unit]
        if self.ways.room(state.edition, place, there):
            filled[place] = there
            return True
        return False

    def _nearest(self, state: Deploying, unit: Any) -> list[str]:
        """The places of a unit's zone, the nearest first, then by id."""
        zone = self.zone(state, unit.id)
        places = zone.places if zone is not None else ()
        return sorted(places, key=lambda place: (self.ways.far(state.edition, unit.at, place), place))

    def _deployed(self, state: Deploying) -> dict[str, str]:
        return {ident: state.units[ident].at for ident in state.deployed}

    def _fixed(self, state: Deploying, party: str, placed: Mapping[str, str]) -> dict[str, list[Any]]:
        """Those of a party, by place, who have their place by now: deployed, or in no zone."""
        found: dict[str, list[Any]] = {}
        for ident, unit in sorted(state.units.items()):
            if self.ways.party(unit.side) == party and (ident in placed or self.zone(state, ident) is None):
                found.setdefault(placed.get(ident, unit.at), []).append(unit)
        return found

    def _undeployed(self, state: Deploying, party: str, placed: Mapping[str, str]) -> Iterator[Any]:
        for zone in state.edition.zones:
            for ident in zone.units:
                unit = state.units.get(ident)
                if unit is not None and ident not in placed and self.ways.party(unit.side) == party:
                    yield unit

    def _seats(self, state: Deploying, party: str) -> tuple[str, ...]:
        return tuple(seat for seat, side in state.edition.seats.items() if self.ways.party(side) == party)

    def _side(self, state: Deploying, party: str) -> str:
        side: str = state.edition.seats[self._seats(state, party)[0]]
        return side


def _actions(orders: Mapping[str, Orders], seat: str) -> Iterable[Any]:
    return orders[seat].actions if seat in orders else ()


# What bots deploy.


def deployed_at_random(deployment: Deployment, view: Deploying, side: str, luck: Luck) -> tuple[Any, ...]:
    """Return orders for about half of a side's units, each to any place of its zone, as far as they are legal."""
    orders: list[Any] = []
    party = deployment.ways.party
    for zone in view.edition.zones:
        own = [unit for unit in zone.units if unit in view.units and party(view.units[unit].side) == party(side)]
        for unit in luck.shuffled(own) if own else ():
            order = Deploy(0, (unit,), luck.one(zone.places))
            if luck.chance(2) and deployment.problem(_after(view, orders), order, party(side)) is None:
                orders.append(order)
    return tuple(orders) or (Pass(0),)


def deploying_at_random(deployment: Deployment, canon: Callable[[Orders], str], bot: Bot) -> Bot:
    """Return a bot that deploys at random, and plays as another once all are deployed."""

    def deploys(view: Any, seat: str, pick: Pick) -> str:
        if view.phase != DEPLOYMENT:
            return bot(view, seat, pick)
        return canon(Orders(deployed_at_random(deployment, view, view.edition.seats[seat], Luck(pick))))

    return deploys


def _after(view: P, orders: list[Deploy]) -> P:
    """Return the position with those orders carried out."""
    places = {unit: order.to for order in orders for unit in order.units}
    units = {ident: unit._replace(at=places.get(ident, unit.at)) for ident, unit in view.units.items()}
    return view.change(units=units, deployed=(*places,))


# The sentences that a deployment is told in.


KINDS = ("deploys", "makes room", "not deployed", "seen deployed")
"""The kinds of event that are told."""


def phases(sides: Mapping[str, Msg]) -> Mapping[str, Msg]:
    """Return what phases are called that are those of the sides, and this one."""
    return {**sides, DEPLOYMENT: msg("deployment")}


def agreed(rule: str) -> Msg:
    """Return what the option means."""
    return msg("Deployment: before turn 1 both sides say at once where they stand in their zones [{rule}].", rule=rule)


def blocks(view: Deploying, sides: Mapping[str, Msg], rule: str) -> tuple[Block, ...]:
    """Return the zones of both sides while units are deployed, which anybody may know; else nothing."""
    if view.phase != DEPLOYMENT:
        return ()
    whose = {words[2]: words[0] for words in map(str.split, view.edition.scenario["units"])}
    lines = tuple(
        (0, msg("{side}: {places}", side=sides[whose[zone.units[0]]], places=zone.places))
        for zone in view.edition.zones
    )
    return (Block(msg("Zones, where units may be deployed [{rule}]", rule=rule), lines, whole=True),)


def on_map(view: Deploying, sides: Mapping[str, Msg], rule: str) -> tuple[Line, ...]:
    """Return the same as lines below a map."""
    found = blocks(view, sides, rule)
    return tuple(line for block in found for line in ((0, block.title), *((1, text) for _, text in block.lines)))


def heads(sides: Mapping[str, Msg]) -> Mapping[str, Callable[[Data, object], Msg]]:
    """Return what tells each kind of event, sides being called so."""

    def deploys(data: Data, before: object) -> Msg:
        side, units = sides[data["side"]], tuple(data["units"])
        return msg("Deployment of {side} in {to}: {units}.", side=side, to=data["to"], units=units)

    def makes_room(data: Data, before: object) -> Msg:
        unit, start, to = data["unit"], data["from"], data["to"]
        return msg("{unit} finds no room in {start} and stands in {to}.", unit=unit, start=start, to=to)

    def not_deployed(data: Data, before: object) -> Msg:
        side = sides[data["side"]]
        return msg("{side}: nobody is deployed; all stand where the scenario has them.", side=side)

    def seen(data: Data, before: object) -> Msg:
        return msg("The scouts of {side} have seen this: it deploys now.", side=sides[data["side"]])

    return dict(zip(KINDS, (deploys, makes_room, not_deployed, seen), strict=True))
