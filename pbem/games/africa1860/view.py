"""Decide what a seat may know: reports, forms, odds and bots use only this.

The printed game hides no counters; what is hidden is the choice behind an act: whether the enemy followed a
standing order, and his orders that failed. Under the option `fog` a seat sees its own units, the spaces next to
them, and whatever fights; everything else of the enemy is hidden, and so are the victory points until the game is
over. Then nothing is public, because an observer could tell a friend who plays. Under couriers a command sees by
itself, and its own side is hidden from it as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from pbem.engine.commanders.holding import event_for_commander, is_count_of_seat, seat_of_unit, without_enemy_commands
from pbem.engine.couriers import (
    AT_ONCE,
    Couriers,
    LastKnownPositions,
    Sighting,
    knowledge_of_seat,
    letter_delay,
    other_commands,
)
from pbem.engine.data.canon import Json
from pbem.engine.data.events import Data, Event
from pbem.engine.deployment import DEPLOYMENT_PHASE
from pbem.engine.edits import CORRECTED_EVENT
from pbem.engine.run.steps import BROKEN_OFF
from pbem.engine.terms import ONLOOKER
from pbem.games.africa1860.edition import SIDES
from pbem.games.africa1860.state import Fight, State, Unit, enemy_of, fight_from_json, roster

UNSEEN_MARK = "?"
"""Replaces a space or a unit out of sight in an event that is seen in part."""


def hears_by_couriers(state: State, seat: str) -> bool:
    """M6 Return whether a seat learns of the others of its side by couriers."""
    return state.known is not None and seat in state.edition.commands


def courier_delay(state: State, seat: str, other: str) -> int | None:
    """M6 Return the delay of letters between commanders; None without couriers."""
    sides = state.edition.seats
    if state.phase == "over" or not hears_by_couriers(state, seat) or sides[seat] != sides[other]:
        return None
    return letter_delay(state, seat, other)


def seen_spaces(state: State, seat: str) -> frozenset[str]:
    """Return the spaces that a seat or side sees under fog.

    They are those of its units and those next to them. K6 A side whose scouts saw how the enemy deployed sees all
    spaces while it deploys. M6 Under couriers a command sees what its own units see, and the units whose leader is in
    the next space. If it sees part of a fight, it sees the whole field.
    """
    side = state.edition.seats.get(seat, seat)
    if state.second and side == state.edition.sees:
        return frozenset(state.edition.map.spaces)
    if not hears_by_couriers(state, seat):
        return _around(state, (unit.at for unit in state.units.values() if unit.side == side))
    seen = spaces_watched_by(state, seat).union(_through_others(state, seat))
    field = spaces_of_fight(state, state.fight)
    return seen | field if field & seen else seen


def spaces_watched_by(state: State, seat: str) -> frozenset[str]:
    """M6 Return the spaces that a command's own units see."""
    side = state.edition.seats[seat]
    return _around(
        state, (unit.at for unit in state.units.values() if unit.side == side and seat_of_unit(state, unit.id) == seat)
    )


def _around(state: State, places: Iterable[str]) -> frozenset[str]:
    own = frozenset(places)
    return own.union(*map(state.edition.map.neighbours, own))


def _through_others(state: State, seat: str) -> Iterable[str]:
    """M6 Return the sight of commanders whose leader is next to this one's.

    In a view it is what they saw when the view was made, since their units are not in it.
    """
    if state.known is not None and state.known.eyes is not None:
        return state.known.eyes if state.commanding == seat else ()
    near = (other for other in other_commands(state, seat) if letter_delay(state, seat, other) == AT_ONCE)
    return frozenset().union(*(spaces_watched_by(state, other) for other in near))


def spaces_of_fight(state: State, fight: Fight | None) -> frozenset[str]:
    """Return the spaces of a fight, including those of its guns."""
    if fight is None:
        return frozenset()
    guns = (state.units[gun].at for group in fight.support for gun in group if gun in state.units)
    return frozenset({fight.origin, fight.target, fight.between or fight.target, *guns})


def sightings_by_space(view: State, seat: str) -> dict[str, Sighting]:
    """M6 Return what a seat last heard of each space out of its sight.

    Empty without couriers.
    """
    if not hears_by_couriers(view, seat) or view.known is None or view.phase == "over":
        return {}
    visible = seen_spaces(view, seat)
    return {
        sighting.place: sighting
        for sighting in view.known.seen
        if sighting.seat == seat and sighting.place not in visible
    }


COURIERS = Couriers(SIDES, spaces_watched_by, seen_spaces)
"""M6 The couriers of this game."""


def share_knowledge(state: State) -> State:
    """M6 Return a position in which each command knows all of its side.

    It knows where the other commands are and what each of them sees.
    """
    bare = state.change(known=LastKnownPositions())
    return bare.change(known=COURIERS.council(bare))


# M6 What a command knows under couriers: the position as it takes it to be, and what it sees happen.
#
# Both go by its own sight. Of what is out of sight it knows what it last saw or was told, be it still so or not; of an
# event it is told what touches a space in its sight, and names out of sight are left out.


def believed_position(state: State, seat: str) -> State:
    """Return the position as a command believes it to be.

    It has what the command sees, and of the rest what it last heard.
    """
    known, side = state.known or LastKnownPositions(), state.edition.seats[seat]
    visible = seen_spaces(state, seat)
    commanding = state.commanding == seat
    own = knowledge_of_seat(known, seat, visible - spaces_watched_by(state, seat), visible)
    lost = frozenset(unit for _, unit in own.gone)
    units = {ident: unit for ident, unit in state.units.items() if unit.at in visible}
    # The newest first: a unit stands where it was last seen, and older sightings of it change nothing.
    for sighting in sorted(own.seen, key=lambda sighting: (-sighting.when, sighting.place)):
        for row in sighting.units:
            unit = Unit(*row)
            if unit.id not in lost:
                units.setdefault(unit.id, unit)
    gone = {ident: how for ident, how in state.gone.items() if ident in lost}
    fight = state.fight if spaces_of_fight(state, state.fight) & visible else None
    mine = _holders(state, seat, own)
    return state.change(
        units=units,
        gone=gone,
        fight=fight,
        known=own,
        commanding=seat,
        joining=(),
        covered=(),
        assigned=mine,
        transfers={unit: to for unit, to in state.transfers.items() if (seat, unit, to) in own.given},
        silent=tuple(silent_seat for silent_seat in state.silent if silent_seat == seat),
        lost=tuple(loss for loss in state.lost if loss[0] == side and seat_of_unit(state, loss[1]) == seat),
        waiting=tuple(text for text in state.waiting if _comes(state, text, seat, visible)),
        deployed=tuple(unit for unit in state.deployed if unit in units and seat_of_unit(state, unit) == seat),
        used=state.used if commanding and state.phase == side else (),
        bouts={pair: n for pair, n in state.bouts.items() if fight and pair == f"{fight.origin}>{fight.target}"},
        captures=_captures(state, gone),
        dead=_dead(state, units, gone),
        taken={},
        points={},
    )


def _holders(state: State, seat: str, own: LastKnownPositions) -> Mapping[str, str]:
    """Return the holders of units that were given away, as a command knows them.

    It is certain about its own units; of others it knows what reports told.
    """
    homes, heard_of = state.edition.homes, {unit: holder for _, unit, holder in own.given}
    result: dict[str, str] = {}
    for unit in {*state.assigned, *heard_of}:
        holder = seat if seat_of_unit(state, unit) == seat else heard_of.get(unit, homes.get(unit, ""))
        if holder != homes.get(unit, ""):
            result[unit] = holder
    return result


def _comes(state: State, text: str, seat: str, visible: frozenset[str]) -> bool:
    """O6 Return whether a command knows of a barred reinforcement.

    It knows of its own units, and of those whose entry it sees.
    """
    words = text.split()
    own_side = words[0] == state.edition.seats[seat]
    return own_side and (seat_of_unit(state, words[2]) == seat or words[-1] in visible)


def _captures(state: State, gone: Mapping[str, str]) -> Mapping[str, int]:
    """O8.8.6 Return the guns and trains that each side is known to have taken."""
    sides = {ident: unit.side for ident, unit in roster(state).items()}
    counts: dict[str, int] = {}
    for ident, how in gone.items():
        if how == "captured" and ident in sides:
            taker = enemy_of(sides[ident])
            counts[taker] = counts.get(taker, 0) + 1
    return {side: counts[side] for side in SIDES if side in counts}


def _dead(state: State, units: Mapping[str, Unit], gone: Mapping[str, str]) -> Mapping[str, int]:
    """Return the steps that each side is known to have lost."""
    losses = dict.fromkeys(SIDES, 0)
    for ident, unit in roster(state).items():
        if unit.is_leader or gone.get(ident) == "captured":
            continue
        if ident in gone:
            losses[unit.side] += unit.steps
        elif ident in units:
            # None below 0: a correction may give a unit more steps than it began with.
            losses[unit.side] += max(0, unit.steps - units[ident].steps)
    return {side: steps for side, steps in losses.items() if steps}


# What is seen of an event


def command_seen_event(event: Event, seat: str, before: State) -> Event | None:
    """Return what a command sees of an event; None if nothing.

    An event that names the command is seen.
    """
    if event.kind in _TO_ALL or event.kind == CORRECTED_EVENT:
        return event
    if event.kind in _OWN:
        return event if before.commanding == seat else None
    if event.kind in _BY_SEAT:
        return _as_sent(event) if event.data["seat"] == seat else None
    if event.kind == "errand done":
        return _as_sent(event) if seat in event.data["readers"] else None
    if event.seen_by == (seat,):
        return event
    eyes = _Eyes(before, seat, seen_spaces(before, seat))
    if event.kind in _NEVER or (before.phase == DEPLOYMENT_PHASE and not eyes.mine(event.data)):
        return None
    if event.kind == "sets over":
        silent = [silent_seat for silent_seat in event.data["seats"] if silent_seat == seat]
        return event._replace(data={**event.data, "seats": silent})
    return eyes.of(event)


def _as_sent(event: Event) -> Event:
    """Return the order that a courier carries as its giver knows it.

    Readers and delay are left out.
    """
    return event._replace(data={key: event.data[key] for key in event.data if key not in ("readers", "late")})


_TO_ALL = frozenset({"phase begins", "phase over", "markers off", "game over", "breaks", "seen deployed"})
_OWN = frozenset({"passes", "goes on", BROKEN_OFF, "not carried out", "joins"})
"""Kinds of event that only the command sees whose set is carried out."""
_BY_SEAT = frozenset({"set begins", "errand rides", "shows"})
_NEVER = frozenset({"order of march", "victory"})
_WAYS = frozenset({"moves", "retreats", "returns", "occupies", "falls back"})
"""Kinds of event in which units go from a space to another."""
_AIMED = frozenset({"volley", "target", "drawn from", "grouped", "aim"})
"""Kinds of event about fire that only a command which sees both firer and target may see."""
_HIS_OWN = frozenset({"leader waits", "no way in", "waits", "enters"})
"""Kinds of event that the command of the arriving units sees, wherever they are."""


class _Eyes:
    """What a command sees in a position."""

    def __init__(self, before: State, seat: str, visible: frozenset[str]) -> None:
        self.before, self.seat, self.seen = before, seat, visible

    def mine(self, data: Mapping[str, object]) -> bool:
        """Return whether an event is about units of the command."""
        return any(seat_of_unit(self.before, ident) == self.seat for ident in _units(data))

    def of(self, event: Event) -> Event | None:
        """Return the part of an event that is seen, or None."""
        if event.kind == "assault":
            return event if spaces_of_fight(self.before, fight_from_json(event.data["fight"])) & self.seen else None
        if event.kind in _HIS_OWN:
            return event if self.mine(event.data) or event.data.get("space") in self.seen else None
        if event.kind in _WAYS:
            return self._on_the_way(event)
        if event.kind == "fires":
            return self._fires(event)
        return self._somewhere(event)

    def _somewhere(self, event: Event) -> Event | None:
        """Return an event about a space or units in sight.

        Units out of sight are left out of it.
        """
        data: dict[str, Json] = dict(event.data)
        units = _units(data)
        shown = [ident for ident in units if self._can_see(ident)]
        if data.get("space", next(iter(self.seen), "")) not in self.seen or (units and not shown):
            return None
        if not units and "space" not in data and not self.field_seen():
            return None
        if event.kind in _AIMED and not (self._all_in(data) or self._is_involved(data)):
            return None
        if isinstance(data.get("units"), list) and len(shown) < len(data["units"]):
            data["units"] = [ident for ident in data["units"] if ident in shown]
        for key in ("label", "where"):
            if key in data and not (self._all_in(data[key]) or self._is_involved(data)):
                data.pop(key)
        return event._replace(data=data)

    def field_seen(self) -> bool:
        """Return whether there is a fight in sight."""
        return bool(spaces_of_fight(self.before, self.before.fight) & self.seen)

    def _fires(self, event: Event) -> Event | None:
        """Return fire with its firers or target, as far as they are seen."""
        data: dict[str, Json] = dict(event.data)
        firers = [ident for ident in data["firers"] if self._can_see(ident)]
        target = data["target"] if self._can_see(data["target"]) else UNSEEN_MARK
        if not firers and target == UNSEEN_MARK:
            return None
        if len(firers) < len(data["firers"]) or target == UNSEEN_MARK:
            data |= {"firers": firers or [UNSEEN_MARK], "target": target}
        if not self._all_in(data["where"]):
            data["where"] = UNSEEN_MARK
        return event._replace(data=data)

    def _on_the_way(self, event: Event) -> Event | None:
        """Return a move with only those ends that are in sight; None without any."""
        data: dict[str, Json] = dict(event.data)
        ends = {key: data[key] if data[key] in self.seen else UNSEEN_MARK for key in ("from", "to")}
        return None if set(ends.values()) == {UNSEEN_MARK} else event._replace(data={**data, **ends})

    def _is_involved(self, data: Data) -> bool:
        """Return whether a command's units fire or are fired at.

        The command sees those dice even if their address is out of sight.
        """
        names = {*_units(data), *_NAME.findall(data.get("label", "")), data.get("target", "")}
        return any(name in self.before.units and seat_of_unit(self.before, name) == self.seat for name in names)

    def _can_see(self, ident: str) -> bool:
        unit = self.before.units.get(ident)
        return unit is not None and unit.at in self.seen

    def _all_in(self, value: object) -> bool:
        """Return whether every space and unit named in the event is in sight."""
        if isinstance(value, Mapping):
            return all(map(self._all_in, value.values()))
        if isinstance(value, list | tuple):
            return all(map(self._all_in, value))
        words: Iterable[str] = _NAME.findall(value) if isinstance(value, str) else ()
        spaces, units = self.before.edition.map.spaces, self.before.units
        return all(word in self.seen if word in spaces else word not in units or self._can_see(word) for word in words)


# A name without the signs that separate the parts of labels.
_NAME = re.compile(r"[^\s>+/.,:]+")


def _units(data: Data) -> list[str]:
    """Return the units that an event is about; for newcomers the id."""
    units = [*data.get("units", ()), *([data["unit"]] if data.get("unit") else ())]
    if "id" in data:
        return [data["id"]]
    return [text.split()[2] if len(text.split()) > 2 else text for text in units]


def may_hide(view: State, seat: str) -> bool:
    """Return whether something may be hidden from the reader of this view.

    Onlookers get no view under fog (see `seat_view`).
    """
    return view.edition.options["fog"] == "on" and view.phase != "over" and seat != ONLOOKER


def visible_spaces(view: State, seat: str) -> frozenset[str]:
    """Return the spaces that a seat sees: all where nothing is hidden."""
    return seen_spaces(view, seat) if may_hide(view, seat) else frozenset(view.edition.map.spaces)


def seat_view(state: State, seat: str) -> State | None:
    """Return the position as `seat` may know it.

    A seat sees how often its own standing orders were used.

    The observer sees the counters on the map; under fog, nothing. Only the giver of orders knows that a STOP IF
    ended them.
    """
    if seat == ONLOOKER:
        return without_enemy_commands(state.change(uses={}, stopped=False), "") if _public(state) else None
    side = state.edition.seats[seat]
    own = {key: n for key, n in state.uses.items() if key.startswith(f"{side} ") and is_count_of_seat(key, seat)}
    if own != state.uses:
        state = state.change(uses=own)
    if state.stopped and (state.phase != side or state.commanding not in ("", seat)):
        # Only his own report tells that a condition of his broke his orders off.
        state = state.change(stopped=False)
    fight = state.fight
    if fight is not None and _is_sealed(state, fight, seat) and not fight.enemy_vanguard and _to_be_named(state):
        state = state.change(fight=_without_sealed_parts(fight))
    if hears_by_couriers(state, seat) and not _public(state):
        return believed_position(state, seat)
    return position_seen_by(without_enemy_commands(state, seat), side)


def _is_sealed(state: State, fight: Fight, seat: str) -> bool:
    """O8.2 Return whether the attacker's order is sealed to a seat.

    The enemy's is; M6 under couriers so is another command's.
    """
    if fight.side != state.edition.seats[seat]:
        return True
    return hears_by_couriers(state, seat) and all(seat_of_unit(state, unit) != seat for unit in fight.stack)


def _to_be_named(state: State) -> bool:
    """O8.2 Return whether the defender has a vanguard to name.

    Until then only the attacker knows his own vanguard.
    """
    fight = state.fight
    return fight is not None and any(unit.is_combat for unit in state.own(fight.target, enemy_of(fight.side)))


def _without_sealed_parts(fight: Fight) -> Fight:
    """O8.2, O8.3, O8.4.4, R17 Return a fight without its attacker's sealed choices."""
    return fight._replace(vanguard="", screen="", detach=(), losses=())


def _public(state: State) -> bool:
    return state.edition.options["fog"] == "off" or state.phase == "over"


def position_seen_by(state: State, side: str) -> State:
    """Return the position without what fog hides from a side.

    Without fog it is the position itself.

    M6 Under couriers it is what the commanding seat knows.
    """
    if _public(state):
        return state
    if hears_by_couriers(state, state.commanding) and state.edition.seats[state.commanding] == side:
        return believed_position(state, state.commanding)
    visible = seen_spaces(state, side)
    fighting = state.fight.stack if state.fight is not None else ()
    units = {
        ident: unit
        for ident, unit in state.units.items()
        if unit.side == side or unit.at in visible or ident in fighting
    }
    waiting = tuple(text for text in state.waiting if text.startswith(f"{side} "))
    used = state.used if state.phase == side else ()
    known = None if state.known is None else LastKnownPositions(eyes=())
    return state.change(units=units, waiting=waiting, used=used, points={}, known=known)


def seen_event(event: Event, seat: str, before: State) -> Event | None:
    """Return the part of an event that `seat` may know; None if it may know nothing."""
    if event.seen_by is not None and seat not in event.seen_by:
        return None
    if event.kind == "assault" and (seat == ONLOOKER or _is_sealed(before, fight_from_json(event.data["fight"]), seat)):
        event = event._replace(
            data={**event.data, "fight": list(_without_sealed_parts(fight_from_json(event.data["fight"])))}
        )
    if seat == ONLOOKER and not _public(before):
        return None
    if hears_by_couriers(before, seat) and not _public(before):
        return _by_courier(event, seat, before)
    side = before.edition.seats.get(seat)
    if side is None or event.data.get("side") != side:
        if event.kind == BROKEN_OFF:
            return None
        if event.data.get("by"):
            event = event._replace(data={key: value for key, value in event.data.items() if key != "by"})
        if side and before.edition.options["fog"] == "on" and event.kind in _HIDDEN:
            return _HIDDEN[event.kind](event, before, seen_spaces(before, side))
        return event
    return event_for_commander(event, seat, before.commanding)


def _by_courier(event: Event, seat: str, before: State) -> Event | None:
    """M6 Return an event as a command may know it.

    It has what the command sees, without reasons of the enemy or secrets of its side.
    """
    own = event.data.get("side") == before.edition.seats[seat]
    if event.kind == CORRECTED_EVENT:
        mine = event.data["what"] != "side" and seat_of_unit(before, event.data["id"]) == seat
        return event if mine else _as_it_shows(event, before, seen_spaces(before, seat))
    if not own and event.data.get("by"):
        event = event._replace(data={key: value for key, value in event.data.items() if key != "by"})
    seen_event = command_seen_event(event, seat, before) if own or event.kind != BROKEN_OFF else None
    return event_for_commander(seen_event, seat, before.commanding) if own and seen_event is not None else seen_event


def _never(event: Event, before: State, visible: frozenset[str]) -> Event | None:
    return None


def _in_space(event: Event, before: State, visible: frozenset[str]) -> Event | None:
    return event if event.data["space"] in visible else None


def _of_units(event: Event, before: State, visible: frozenset[str]) -> Event | None:
    """Return an event if its units are seen; units that fight always are."""
    ids = event.data["units"] if "units" in event.data else [event.data["unit"]]
    fighting = before.fight.stack if before.fight is not None else ()
    units = [
        ident for ident in ids if ident in fighting or (ident in before.units and before.units[ident].at in visible)
    ]
    if "unit" in event.data:
        return event if units else None
    return event._replace(data={**event.data, "units": units}) if units else None


def _on_the_way(event: Event, before: State, visible: frozenset[str]) -> Event | None:
    """Return a move with only those ends that are in sight; None without any."""
    data: dict[str, Json] = dict(event.data)
    ends = {key: data[key] if data[key] in visible else UNSEEN_MARK for key in ("from", "to")}
    return None if set(ends.values()) == {UNSEEN_MARK} else event._replace(data={**data, **ends})


def _as_it_shows(event: Event, before: State, visible: frozenset[str]) -> Event | None:
    """Return a correction of the enemy's if its unit is in sight.

    A correction that brings a unit into sight shows no more than that.
    """
    data = event.data
    if data["what"] == "side":
        return event
    start = before.units[data["id"]].at
    old, new = {**data["old"]}, {**data["new"]}
    if "at" in new:
        old, new = {"at": start}, {"at": new["at"]}
    if {start, new.get("at", start)} <= visible:
        return event
    ends = [{"at": place["at"] if place.get("at") in visible else UNSEEN_MARK} for place in (old, new)]
    return event._replace(data={**data, "old": ends[0], "new": ends[1]}) if ends[0] != ends[1] else None


_HIDDEN: Mapping[str, Callable[[Event, State, frozenset[str]], Event | None]] = {
    CORRECTED_EVENT: _as_it_shows,
    "activates": _in_space,
    "passes": _never,
    "goes on": _never,
    "moves": _on_the_way,
    "on the way": _of_units,
    "marked": _of_units,
    "recovery": _of_units,
    "recovers": _of_units,
    "enters": _in_space,
    "waits": _never,
    "deploys": _never,
    "makes room": _never,
    "not deployed": _never,
    "victory": _never,
}
"""How fog hides or shortens kinds of the enemy's events; all other kinds belong to fights, or reveal nothing."""
