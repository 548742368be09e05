"""What a seat sees on the map, as a scene: counters with fronts and formations, what moved, fired and fought, goals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from pbem.engine.data.events import Data, Event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.scene import Camp, Mark, Piece, Scene, Stake, fallen, moment
from pbem.engine.data.stakes import Stakes
from pbem.engine.map.sheets import HexGround
from pbem.engine.parts import Pictured
from pbem.games.peninsular.edition import SIDES, Edition
from pbem.games.peninsular.state import State
from pbem.games.peninsular.units import DISORDERED, ROUTED, Unit
from pbem.games.peninsular.victory import SIDE_NAMES, Seen, stakes

METRES = 200
"""What a hex is wide."""
_TONES = {
    "british": ("light", msg("B")),
    "spanish": ("light 2", msg("S")),
    "portuguese": ("light 3", msg("P")),
    "french": ("dark", msg("F")),
}
_STATES = {DISORDERED: msg("DISORD."), ROUTED: msg("ROUTED")}
_MOVES = ("moves", "advances", "pursues")
_RETREATS = ("retreats", "withdraws", "follows")


def ground(edition: Edition) -> HexGround:
    """Return the map of hexes."""
    return HexGround(edition.map, METRES)


def picture(view: State, seat: str, seen: Seen) -> Scene:
    """Return the scene after the events that a seat saw, each with its view before it."""
    told = stakes(view, seat, seen)
    lost = Counter[str]()
    for happened, _ in seen:
        if happened.kind == "loses":
            lost[happened.data["unit"]] += happened.data["pf"]
    gone = tuple(_piece(before.units[i], 0) for one, before in seen for i in fallen(one) if i in before.units)
    nations = {_nation(unit) for unit in view.units.values()} | {piece.side for piece in gone}
    return Scene(
        Msg(view.edition.scenario.get("title", "Peninsular")),
        moment(told, SIDE_NAMES.get(view.phase)),
        tuple(_camps(view, told, nations)),
        tuple(_piece(unit, lost[ident]) for ident, unit in sorted(view.units.items(), key=_order)),
        _once(mark for one in seen for mark in _marks(*one)),
        tuple(Stake(place, goal.worth, goal.holder) for goal in told.goals for place in goal.places),
        (),
        gone,
        tuple(_key(view)),
    )


def _key(view: State) -> Iterator[tuple[str, Msg]]:
    """What numbers and letters on counters are, of those that there are."""
    units = view.units.values()
    if any(unit.is_combat for unit in units):
        yield "B", msg("will")
    if any(unit.kind == "art" for unit in units):
        yield "(4)", msg("fire of guns")
    if any(unit.is_combat and 0 < unit.pf < unit.full for unit in units):
        yield "/6", msg("full strength")
    if any(unit.kind == "cmd" for unit in units):
        yield "1/0", msg("commander: morale, shock")


def _once(marks: Iterable[Mark]) -> tuple[Mark, ...]:
    """Of ways that lead from one hex to another the first: who goes with others may have come another way."""
    return tuple({(one.kind, one.side, one.places[0], one.places[-1]): one for one in reversed([*marks])}.values())[
        ::-1
    ]


def _nation(unit: Unit) -> str:
    """Whose colours it has: its nation's if that is a side of the game."""
    return unit.nation if unit.nation in _TONES else unit.side


def _order(one: tuple[str, Unit]) -> tuple[bool, int, str]:
    """In a stack commanders lie uppermost, then what is weaker."""
    ident, unit = one
    return unit.is_combat, unit.pf, ident


def _camps(view: State, told: Stakes, nations: set[str]) -> Iterator[Camp]:
    """The nations that are there; points stand with those that count them."""
    points = {score.side: score.points for score in told.scores}
    for side in SIDES:
        if side in nations or side in view.edition.phases:
            tone, letter = _TONES[side]
            yield Camp(side, SIDE_NAMES[side], letter, tone, points.get(side))


def _piece(unit: Unit, lost: int) -> Piece:
    chief = unit.kind == "cmd"
    branch = {"inf": "infantry", "cav": "heavy" if unit.size == "heavy" else "cavalry", "art": "guns"}
    form = "limbered" if unit.limbered else "unlimbered" if unit.kind == "art" else "" if chief else unit.formation
    return Piece(
        unit.id,
        unit.id,
        unit.at,
        _nation(unit),
        "leader" if chief else branch[unit.kind],
        0 if chief else unit.pf,
        0 if chief else unit.full,
        f"{unit.morale}/{unit.shock}" if chief else f"({unit.fire})" if unit.kind == "art" else unit.will,
        (_STATES[unit.state],) if unit.state in _STATES else (),
        form,
        unit.facing if unit.faces else "",
        lost,
    )


def _marks(happened: Event, before: State) -> Iterator[Mark]:
    """What an event draws on the map."""
    data: Data = happened.data
    if happened.kind in (*_MOVES, *_RETREATS) and {"from", "to"} <= data.keys():
        way = (data["from"], *data.get("path", (data["to"],)))
        yield Mark("move" if happened.kind in _MOVES else "retreat", data["side"], way)
    elif happened.kind == "deploys":
        yield Mark("arrive", data["side"], (data["to"],))
    elif happened.kind == "arrives":
        for place in sorted({at for _, at in data["counters"]}):
            yield Mark("arrive", data["side"], (place,))
    elif happened.kind == "fires":
        unit = before.units.get(data["unit"])
        if unit is not None and unit.at != data["at"]:
            yield Mark("fire", data["side"], (unit.at, data["at"]))
    elif happened.kind == "shock":
        for place in sorted({before.units[ident].at for ident in data["attackers"] if ident in before.units}):
            yield Mark("assault", data["side"], (place, data["at"]))


PICTURED = Pictured(ground=ground, picture=picture)
