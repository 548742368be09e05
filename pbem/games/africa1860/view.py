"""What a seat may know: the one gate before reports, templates, suggestions, odds and bots.

The printed game hides no counters; what is hidden is the choice behind an act: whether the enemy followed a standing
order, and his orders that came to nothing. Under the option `fog` a seat sees its own units, the spaces next to them,
and whatever fights; everything else of the enemy is hidden, and so are the victory points until the game is over.
Then nothing is public: an onlooker could tell a friend at the table. Under couriers a command sees by itself, and its
own side is hidden from it as well (`hearsay`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pbem.engine.commanders.gate import among_commands, closed_to, used_by
from pbem.engine.commanders.holding import command_of
from pbem.engine.couriers.known import Hearsay
from pbem.engine.data.events import Event
from pbem.engine.edits import CORRECTED
from pbem.engine.run.followed import BROKEN_OFF
from pbem.engine.terms import ONLOOKER
from pbem.games.africa1860.hearsay import as_known, heard
from pbem.games.africa1860.setup.units import other
from pbem.games.africa1860.sight import UNSEEN, by_couriers, sight
from pbem.games.africa1860.state import Fight, State, fight_from


def fogged(view: State, seat: str) -> bool:
    """Whether something may be hidden from whoever has this view; onlookers get none under fog (`view`)."""
    return view.edition.options["fog"] == "on" and view.phase != "over" and seat != ONLOOKER


def in_sight(view: State, seat: str) -> frozenset[str]:
    """Return the spaces that a seat sees: all where nothing is hidden."""
    return sight(view, seat) if fogged(view, seat) else frozenset(view.edition.map.spaces)


def view(state: State, seat: str) -> State | None:
    """Return what `seat` may know of the position; a seat sees how often its own standing orders were used.

    The onlooker sees the counters on the map, nothing under fog. That orders were broken off only who gave them knows.
    """
    if seat == ONLOOKER:
        return closed_to(state.change(uses={}, stopped=False), "") if _public(state) else None
    side = state.edition.seats[seat]
    own = {key: n for key, n in state.uses.items() if key.startswith(f"{side} ") and used_by(key, seat)}
    if own != state.uses:
        state = state.change(uses=own)
    if state.stopped and (state.phase != side or state.commanding not in ("", seat)):
        # Only his own report tells that a condition of his broke his orders off.
        state = state.change(stopped=False)
    fight = state.fight
    if fight is not None and _sealed(state, fight, seat) and not fight.enemy_vanguard and _to_be_named(state):
        state = state.change(fight=_closed(fight))
    if by_couriers(state, seat) and not _public(state):
        return as_known(state, seat)
    return as_seen(closed_to(state, seat), side)


def _sealed(state: State, fight: Fight, seat: str) -> bool:
    """O8.2 Whether the attacker's order is sealed to a seat: the enemy's, M6 under couriers another command's."""
    if fight.side != state.edition.seats[seat]:
        return True
    return by_couriers(state, seat) and all(command_of(state, unit) != seat for unit in fight.stack)


def _to_be_named(state: State) -> bool:
    """O8.2 Whether the defender still has a vanguard to name: until then nobody but its owner knows the other's."""
    fight = state.fight
    return fight is not None and any(unit.is_combat for unit in state.own(fight.target, other(fight.side)))


def _closed(fight: Fight) -> Fight:
    """O8.2, O8.3, O8.4.4, R17 A fight without what is sealed in the attacker's order."""
    return fight._replace(vanguard="", screen="", detach=(), losses=())


def _public(state: State) -> bool:
    return state.edition.options["fog"] == "off" or state.phase == "over"


def as_seen(state: State, side: str) -> State:
    """Return the position without what fog hides from a side; without fog the position itself.

    M6 Under couriers it is what the commanding seat knows.
    """
    if _public(state):
        return state
    if by_couriers(state, state.commanding) and state.edition.seats[state.commanding] == side:
        return as_known(state, state.commanding)
    seen = sight(state, side)
    fighting = state.fight.stack if state.fight is not None else ()
    units = {i: u for i, u in state.units.items() if u.side == side or u.at in seen or i in fighting}
    waiting = tuple(text for text in state.waiting if text.startswith(f"{side} "))
    used = state.used if state.phase == side else ()
    known = None if state.known is None else Hearsay(eyes=())
    return state.change(units=units, waiting=waiting, used=used, points={}, known=known)


def see(happened: Event, seat: str, before: State) -> Event | None:
    """Return what `seat` may know of an event, None if it is not for its eyes."""
    if happened.seen_by is not None and seat not in happened.seen_by:
        return None
    if happened.kind == "assault" and (seat == ONLOOKER or _sealed(before, fight_from(happened.data["fight"]), seat)):
        happened = happened._replace(data={**happened.data, "fight": list(_closed(fight_from(happened.data["fight"])))})
    if seat == ONLOOKER and not _public(before):
        return None
    if by_couriers(before, seat) and not _public(before):
        return _by_courier(happened, seat, before)
    side = before.edition.seats.get(seat)
    if side is None or happened.data.get("side") != side:
        if happened.kind == BROKEN_OFF:
            return None
        if happened.data.get("by"):
            happened = happened._replace(data={key: value for key, value in happened.data.items() if key != "by"})
        if side and before.edition.options["fog"] == "on" and happened.kind in _HIDDEN:
            return _HIDDEN[happened.kind](happened, before, sight(before, side))
        return happened
    return among_commands(happened, seat, before.commanding)


def _by_courier(happened: Event, seat: str, before: State) -> Event | None:
    """M6 What a command may know of an event: what it sees of it, of an enemy no reason, of its side no secret."""
    own = happened.data.get("side") == before.edition.seats[seat]
    if happened.kind == CORRECTED:
        mine = happened.data["what"] != "side" and command_of(before, happened.data["id"]) == seat
        return happened if mine else _as_it_shows(happened, before, sight(before, seat))
    if not own and happened.data.get("by"):
        happened = happened._replace(data={key: value for key, value in happened.data.items() if key != "by"})
    found = heard(happened, seat, before) if own or happened.kind != BROKEN_OFF else None
    return among_commands(found, seat, before.commanding) if own and found is not None else found


def _never(happened: Event, before: State, seen: frozenset[str]) -> Event | None:
    return None


def _in_space(happened: Event, before: State, seen: frozenset[str]) -> Event | None:
    return happened if happened.data["space"] in seen else None


def _of_units(happened: Event, before: State, seen: frozenset[str]) -> Event | None:
    """Seen if the units are; those that fight always are."""
    ids = happened.data["units"] if "units" in happened.data else [happened.data["unit"]]
    fighting = before.fight.stack if before.fight is not None else ()
    units = [i for i in ids if i in fighting or (i in before.units and before.units[i].at in seen)]
    if "unit" in happened.data:
        return happened if units else None
    return happened._replace(data={**happened.data, "units": units}) if units else None


def _on_the_way(happened: Event, before: State, seen: frozenset[str]) -> Event | None:
    """A move is seen as far as it begins or ends in sight."""
    data: dict[str, Any] = dict(happened.data)
    ends = {key: data[key] if data[key] in seen else UNSEEN for key in ("from", "to")}
    return None if set(ends.values()) == {UNSEEN} else happened._replace(data={**data, **ends})


def _as_it_shows(happened: Event, before: State, seen: frozenset[str]) -> Event | None:
    """A correction of the enemy's is seen where the unit is seen; one that comes into sight shows no more than that."""
    data = happened.data
    if data["what"] == "side":
        return happened
    start = before.units[data["id"]].at
    old, new = {**data["old"]}, {**data["new"]}
    if "at" in new:
        old, new = {"at": start}, {"at": new["at"]}
    if {start, new.get("at", start)} <= seen:
        return happened
    ends = [{"at": place["at"] if place.get("at") in seen else UNSEEN} for place in (old, new)]
    return happened._replace(data={**data, "old": ends[0], "new": ends[1]}) if ends[0] != ends[1] else None


_HIDDEN: Mapping[str, Callable[[Event, State, frozenset[str]], Event | None]] = {
    CORRECTED: _as_it_shows,
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
"""Kinds of event of the enemy that fog hides or dims; all the others belong to fights, or tell nothing."""
