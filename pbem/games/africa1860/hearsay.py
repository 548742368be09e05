"""M6 What a command knows under couriers: the position as it takes it to be, and what it sees happen.

Both go by its own sight. Of what is out of sight it knows what it last saw or was told, be it still so or not; of an
event it is told what touches a space in its sight, and names out of sight are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from pbem.engine.commanders.holding import command_of
from pbem.engine.couriers.known import Hearsay, of_seat
from pbem.engine.data.events import Event
from pbem.engine.deployment.rules import DEPLOYMENT
from pbem.engine.edits import CORRECTED
from pbem.engine.run.followed import BROKEN_OFF
from pbem.games.africa1860.phase.victory import roster
from pbem.games.africa1860.setup.edition import SIDES
from pbem.games.africa1860.setup.units import Unit, other
from pbem.games.africa1860.sight import UNSEEN, field_of, sight, watched
from pbem.games.africa1860.state import State, fight_from


def as_known(state: State, seat: str) -> State:
    """Return the position as a command takes it to be: what it sees, and of the rest what it last heard."""
    known, side = state.known or Hearsay(), state.edition.seats[seat]
    seen = sight(state, seat)
    commanding = state.commanding == seat
    own = of_seat(known, seat, seen - watched(state, seat), seen)
    lost = frozenset(unit for _, unit in own.gone)
    units = {ident: unit for ident, unit in state.units.items() if unit.at in seen}
    for one in sorted(own.seen, key=lambda one: (-one.when, one.place)):
        for row in one.units:
            unit = Unit(*row)
            if unit.id not in lost:
                units.setdefault(unit.id, unit)
    gone = {ident: how for ident, how in state.gone.items() if ident in lost}
    fight = state.fight if field_of(state, state.fight) & seen else None
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
        silent=tuple(one for one in state.silent if one == seat),
        lost=tuple(one for one in state.lost if one[0] == side and command_of(state, one[1]) == seat),
        waiting=tuple(text for text in state.waiting if _comes(state, text, seat, seen)),
        deployed=tuple(unit for unit in state.deployed if unit in units and command_of(state, unit) == seat),
        used=state.used if commanding and state.phase == side else (),
        bouts={pair: n for pair, n in state.bouts.items() if fight and pair == f"{fight.origin}>{fight.target}"},
        captures=_captures(state, gone),
        dead=_dead(state, units, gone),
        taken={},
        points={},
    )


def _holders(state: State, seat: str, own: Hearsay) -> Mapping[str, str]:
    """Whose units are that were given away, as far as a command knows: its own for certain, of others what it heard."""
    homes, heard_of = state.edition.homes, {unit: holder for _, unit, holder in own.given}
    found: dict[str, str] = {}
    for unit in {*state.assigned, *heard_of}:
        holder = seat if command_of(state, unit) == seat else heard_of.get(unit, homes.get(unit, ""))
        if holder != homes.get(unit, ""):
            found[unit] = holder
    return found


def _comes(state: State, text: str, seat: str, seen: frozenset[str]) -> bool:
    """O6 Whether a command knows of a reinforcement that was barred: its own, or where it sees the way in."""
    words = text.split()
    own_side = words[0] == state.edition.seats[seat]
    return own_side and (command_of(state, words[2]) == seat or words[-1] in seen)


def _captures(state: State, gone: Mapping[str, str]) -> Mapping[str, int]:
    """O8.8.6 The guns and trains that each side is known to have taken."""
    sides = {ident: unit.side for ident, unit in roster(state).items()}
    found: dict[str, int] = {}
    for ident, how in gone.items():
        if how == "captured" and ident in sides:
            taker = other(sides[ident])
            found[taker] = found.get(taker, 0) + 1
    return {side: found[side] for side in SIDES if side in found}


def _dead(state: State, units: Mapping[str, Unit], gone: Mapping[str, str]) -> Mapping[str, int]:
    """The steps that each side is known to have lost."""
    found = dict.fromkeys(SIDES, 0)
    for ident, unit in roster(state).items():
        if unit.is_leader or gone.get(ident) == "captured":
            continue
        if ident in gone:
            found[unit.side] += unit.steps
        elif ident in units:
            found[unit.side] += max(0, unit.steps - units[ident].steps)
    return {side: steps for side, steps in found.items() if steps}


# What is seen of an event


def heard(happened: Event, seat: str, before: State) -> Event | None:
    """Return what a command sees of an event, None if nothing; what it is asked or told by name it is told."""
    if happened.kind in _TO_ALL or happened.kind == CORRECTED:
        return happened
    if happened.kind in _OWN:
        return happened if before.commanding == seat else None
    if happened.kind in _BY_SEAT:
        return _as_sent(happened) if happened.data["seat"] == seat else None
    if happened.kind == "errand done":
        return _as_sent(happened) if seat in happened.data["readers"] else None
    if happened.seen_by == (seat,):
        return happened
    eyes = _Eyes(before, seat, sight(before, seat))
    if happened.kind in _NEVER or (before.phase == DEPLOYMENT and not eyes.mine(happened.data)):
        return None
    if happened.kind == "sets over":
        silent = [one for one in happened.data["seats"] if one == seat]
        return happened._replace(data={**happened.data, "seats": silent})
    return eyes.of(happened)


def _as_sent(happened: Event) -> Event:
    """An order that rides as its giver knows it: not to whom it has to go, nor how far."""
    return happened._replace(data={key: happened.data[key] for key in happened.data if key not in ("readers", "late")})


_TO_ALL = frozenset({"phase begins", "phase over", "markers off", "game over", "breaks", "seen deployed"})
_OWN = frozenset({"passes", "goes on", BROKEN_OFF, "not carried out", "joins"})
"""Kinds of event that are for the command alone whose set is carried out."""
_BY_SEAT = frozenset({"set begins", "errand rides", "shows"})
_NEVER = frozenset({"order of march", "victory"})
_WAYS = frozenset({"moves", "retreats", "returns", "occupies", "falls back"})
"""Kinds of event in which units go from a space to another."""
_AIMED = frozenset({"volley", "target", "drawn from", "grouped", "aim"})
"""Kinds of event that tell of fire what only he can tell who sees both ends of it."""
_HIS_OWN = frozenset({"leader waits", "no way in", "waits", "enters"})
"""Kinds of event that the command of those who come is told, wherever they are."""


class _Eyes:
    """What a command sees in a position."""

    def __init__(self, before: State, seat: str, seen: frozenset[str]) -> None:
        self.before, self.seat, self.seen = before, seat, seen

    def mine(self, data: Mapping[str, Any]) -> bool:
        """Whether an event is about units of the command."""
        return any(command_of(self.before, ident) == self.seat for ident in _units(data))

    def of(self, happened: Event) -> Event | None:
        """The event as far as it is seen."""
        if happened.kind == "assault":
            return happened if field_of(self.before, fight_from(happened.data["fight"])) & self.seen else None
        if happened.kind in _HIS_OWN:
            return happened if self.mine(happened.data) or happened.data.get("space") in self.seen else None
        if happened.kind in _WAYS:
            return self._on_the_way(happened)
        if happened.kind == "fires":
            return self._fires(happened)
        return self._somewhere(happened)

    def _somewhere(self, happened: Event) -> Event | None:
        """What happens to units or in a space is told if that is in sight, of several units of those that are."""
        data: dict[str, Any] = dict(happened.data)
        units = _units(data)
        shown = [ident for ident in units if self._sees(ident)]
        if data.get("space", next(iter(self.seen), "")) not in self.seen or (units and not shown):
            return None
        if not units and "space" not in data and not self.field_seen():
            return None
        if happened.kind in _AIMED and not (self._all_in(data) or self._involved(data)):
            return None
        if isinstance(data.get("units"), list) and len(shown) < len(data["units"]):
            data["units"] = [ident for ident in data["units"] if ident in shown]
        for key in ("label", "where"):
            if key in data and not (self._all_in(data[key]) or self._involved(data)):
                data.pop(key)
        return happened._replace(data=data)

    def field_seen(self) -> bool:
        """Whether there is a fight, and in sight."""
        return bool(field_of(self.before, self.before.fight) & self.seen)

    def _fires(self, happened: Event) -> Event | None:
        """Fire is told as far as firers or target are seen."""
        data: dict[str, Any] = dict(happened.data)
        firers = [ident for ident in data["firers"] if self._sees(ident)]
        target = data["target"] if self._sees(data["target"]) else UNSEEN
        if not firers and target == UNSEEN:
            return None
        if len(firers) < len(data["firers"]) or target == UNSEEN:
            data |= {"firers": firers or [UNSEEN], "target": target}
        if not self._all_in(data["where"]):
            data["where"] = UNSEEN
        return happened._replace(data=data)

    def _on_the_way(self, happened: Event) -> Event | None:
        """Units that go are seen where they come from and where they come to, each as far as it is in sight."""
        data: dict[str, Any] = dict(happened.data)
        ends = {key: data[key] if data[key] in self.seen else UNSEEN for key in ("from", "to")}
        return None if set(ends.values()) == {UNSEEN} else happened._replace(data={**data, **ends})

    def _involved(self, data: Mapping[str, Any]) -> bool:
        """Whether units of the command fire, or are fired at: their dice it sees whatever their address says."""
        names = {*_units(data), *_NAME.findall(data.get("label", "")), data.get("target", "")}
        return any(name in self.before.units and command_of(self.before, name) == self.seat for name in names)

    def _sees(self, ident: str) -> bool:
        unit = self.before.units.get(ident)
        return unit is not None and unit.at in self.seen

    def _all_in(self, said: Any) -> bool:
        """Whether every space and unit that is named anywhere in it is in sight."""
        if isinstance(said, Mapping):
            return all(map(self._all_in, said.values()))
        if isinstance(said, list | tuple):
            return all(map(self._all_in, said))
        words: Iterable[str] = _NAME.findall(said) if isinstance(said, str) else ()
        spaces, units = self.before.edition.map.spaces, self.before.units
        return all(word in self.seen if word in spaces else word not in units or self._sees(word) for word in words)


_NAME = re.compile(r"[^\s>+/.,:]+")


def _units(data: Mapping[str, Any]) -> list[str]:
    """The units that an event is about; of those who come the id."""
    found = [*data.get("units", ()), *([data["unit"]] if data.get("unit") else ())]
    if "id" in data:
        return [data["id"]]
    return [text.split()[2] if len(text.split()) > 2 else text for text in found]
