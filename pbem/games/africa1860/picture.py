"""What a seat sees on the map, as a scene: counters, what moved, fired and assaulted, goals, what is out of sight."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from pbem.engine.couriers import Sighting, short
from pbem.engine.data.events import Data, Event
from pbem.engine.data.memory import Recent
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.scene import Camp, Mark, Piece, Scene, Stake, fallen, moment
from pbem.engine.data.stakes import Stakes
from pbem.engine.map.sheets import AreaGround, plain, read_sheet
from pbem.engine.parts import Pictured
from pbem.games.africa1860.edition import SHELF, SIDES, Edition
from pbem.games.africa1860.stakes import Seen, stakes
from pbem.games.africa1860.state import SIDE_NAMES, State, Unit
from pbem.games.africa1860.view import UNSEEN, dated, fogged, in_sight

_BRANCH: Mapping[str, str] = {
    "IR": "infantry",
    "NZ": "infantry",
    "IL": "light",
    "CAB": "cavalry",
    "ART": "guns",
    "CNV": "train",
    "OF": "leader",
}
_TONES = {"spain": ("dark", msg("S")), "morocco": ("light", msg("M"))}


_GROUNDS = Recent[str, AreaGround](16)


def ground(edition: Edition) -> AreaGround:
    """Return the map with its sheet; without one that fits, cells around the map's own coordinates."""
    return _GROUNDS.get(edition.digest, lambda: _ground(edition))


def _ground(edition: Edition) -> AreaGround:
    try:
        (sheet,) = SHELF.map(f"{edition.map.name}.sheet.toml")
        return AreaGround(edition.map, read_sheet(sheet, edition.map))
    except (KeyError, ValueError):
        return AreaGround(edition.map, plain(edition.map))


def picture(view: State, seat: str, seen: Seen) -> Scene:
    """Return the scene after the events that a seat saw, each with its view before it."""
    told = stakes(view, seat, seen)
    lost, older = Counter[str](), dated(view, seat)
    for happened, _ in seen:
        if happened.kind == "loses":
            lost[happened.data["unit"]] += happened.data["steps"]
    return Scene(
        Msg(view.edition.scenario.get("title", "Africa 1859-60")),
        moment(told, SIDE_NAMES.get(view.phase)),
        tuple(_camps(told, fogged(view, seat))),
        tuple(_piece(unit, lost[ident], older.get(unit.at)) for ident, unit in sorted(view.units.items(), key=_order)),
        tuple(dict.fromkeys(mark for one in seen for mark in _marks(*one))),
        tuple(Stake(goal.places[0], goal.worth, goal.holder) for goal in told.goals),
        tuple(sorted(set(view.edition.map.spaces) - in_sight(view, seat))),
        tuple(_piece(before.units[i], 0) for one, before in seen for i in fallen(one) if i in before.units),
        (("3-2", msg("fire, assault")), ("2/1", msg("leader: assault, morale"))),
    )


def _camps(told: Stakes, foggy: bool) -> Iterator[Camp]:
    """Both sides with the points that the seat knows of; there may be more where something is out of sight."""
    points = {score.side: score.points for score in told.scores}
    for side in SIDES:
        tone, letter = _TONES[side]
        yield Camp(side, SIDE_NAMES[side], letter, tone, points.get(side), foggy and told.hidden > 0)


def _order(one: tuple[str, Unit]) -> tuple[bool, str]:
    """Leaders come behind those they lead."""
    ident, unit = one
    return unit.is_leader, ident


def _piece(unit: Unit, lost: int, older: Sighting | None = None) -> Piece:
    """A counter; M6 where nobody sees it now it has the turn that it was seen on."""
    leader = unit.is_leader
    states: tuple[Msg, ...] = (msg("SHAKEN"),) if unit.demoralised else ()
    states += (msg("{turn}", turn=short(older)),) if older is not None else ()
    return Piece(
        unit.id,
        unit.id,
        unit.at,
        unit.side,
        _BRANCH[unit.code],
        0 if leader else unit.steps,
        0 if leader else unit.full,
        f"{unit.assault}/{unit.bonus}" if leader else f"{unit.fire}-{unit.assault}",
        states,
        lost=lost,
    )


def _marks(happened: Event, before: State) -> Iterator[Mark]:
    """What an event draws on the map."""
    data: Data = happened.data
    if happened.kind in ("moves", "occupies", "retreats", "falls back"):
        kind = "move" if happened.kind in ("moves", "occupies") else "retreat"
        if UNSEEN not in (data["from"], data["to"]) and data["from"] != data["to"]:
            yield Mark(kind, data["side"], (data["from"], data["to"]))
    elif happened.kind == "deploys":
        yield Mark("arrive", data["side"], (data["to"],))
    elif happened.kind == "enters":
        yield Mark("arrive", data["side"], (data["space"],))
    elif happened.kind == "fires":
        target = before.units.get(data["target"])
        for place in sorted({before.units[ident].at for ident in data["firers"] if ident in before.units}):
            if target is not None and target.at != place:
                yield Mark("fire", data["side"], (place, target.at))
    elif happened.kind == "assault":
        _, _, side, origin, target, _, _, between, *_ = data["fight"]
        yield Mark("assault", side, (origin, between, target) if between else (origin, target))


PICTURED = Pictured(ground=ground, picture=picture)
