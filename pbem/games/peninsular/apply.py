"""What each kind of event does to the position: the only place where it changes. And what a moderator may correct.

Events that only tell (rolls, refusals) have no entry and leave the state as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise

from pbem.engine.commanders.sequence import HANDLERS as SETS
from pbem.engine.commanders.sequence import hand_over_units
from pbem.engine.data.canon import Json
from pbem.engine.data.events import Data, Handlers
from pbem.engine.data.messages import Msg, msg
from pbem.engine.edits import AWARD, CORRECTED, Fact, Kind, choice, number, points, read, tell, yes
from pbem.engine.map.hexes import DIRECTIONS, direction
from pbem.engine.terms import Correction
from pbem.games.peninsular.edition import SIDES, camp
from pbem.games.peninsular.state import State
from pbem.games.peninsular.units import DISORDERED, NORMAL, ROUTED, Unit, read_unit
from pbem.games.peninsular.victory import awards


def _each(draft: State, ids: Iterable[str], /, **what: object) -> None:
    units = draft.units
    draft.put({i: units[i].but(**what) for i in ids if i in units})


def _half_begins(draft: State, data: Data) -> None:
    ours = camp(data["side"])
    units: dict[str, Unit] = {}
    for ident, unit in draft.units.items():
        if unit.camp == ours:
            if _untouched(unit):
                continue
            units[ident] = unit.but(
                start=unit.at,
                base=unit.formation,
                used=0,
                offroad=False,
                zoned=False,
                halted=False,
                run=("", 0),
                assault="",
                charge=0,
                pursuits=0,
            )
        elif unit.start != unit.at or unit.halted:
            units[ident] = unit.but(start=unit.at, halted=False)
    draft.put(units)
    draft.shots, draft.assaults, draft.stopped = (), (), False


def _untouched(unit: Unit) -> bool:
    """Whether a counter is as one that a half has just begun for."""
    noted = unit.start == unit.at and unit.base == unit.formation
    return noted and not (
        unit.used
        or unit.offroad
        or unit.zoned
        or unit.halted
        or unit.assault
        or unit.charge
        or unit.pursuits
        or unit.run != ("", 0)
    )


def _ordered(draft: State, data: Data) -> None:
    division = draft.divisions[data["division"]]
    if data["now"]:
        division = division._replace(order=data["order"], pending="")
    else:
        division = division._replace(pending=data["order"] or "NONE")
    draft.divisions = {**draft.divisions, division.name: division}


def _moves(draft: State, data: Data) -> None:
    way = [data["from"], *data["path"]]
    facing, last = data["facing"], 0
    for a, b in reversed(list(pairwise(way))):
        if direction(a, b) != facing:
            break
        last += 1
    changed = {}
    for ident in data["units"]:
        unit = draft.units[ident]
        # One path in several orders is one path.
        run = last + (unit.run[1] if last == len(data["path"]) and unit.run[0] == facing else 0)
        changed[ident] = unit.but(
            at=data["to"],
            used=unit.used + data["costs"][ident],
            offroad=unit.offroad or data["offroad"],
            zoned=data["zoned"],
            run=(facing, run),
            stirred=True,
        )
    _turned(draft, changed, data["to"], data["side"], facing)


def _turned(draft: State, changed: dict[str, Unit], at: str, side: str, facing: str) -> None:
    """S3 Put counters in place that have come to a hex or turned in it: all there share the last arrival's facing.

    S3a Those of them who have no facing turn nobody else.
    """
    turns = any(unit.faces for unit in changed.values()) or not draft.edition.reread
    there = ({unit.id: unit for unit in draft.fighting(at, side)} if turns else {}) | changed
    turned = {i: unit.but(facing=facing) for i, unit in there.items() if unit.facing != facing and unit.kind != "cmd"}
    draft.put(changed | turned)


def _deploys(draft: State, data: Data) -> None:
    """K6 Counters stand elsewhere; where a facing is named those of them that have a front face so."""
    _placed(draft, data["units"], data["to"], data.get("face", ""))
    draft.deployed = (*draft.deployed, *data["units"])


def _makes_room(draft: State, data: Data) -> None:
    _placed(draft, (data["unit"],), data["to"])


def _placed(draft: State, ids: Iterable[str], at: str, face: str = "") -> None:
    units = [draft.units[ident] for ident in ids]
    draft.put({u.id: u.but(at=at, facing=face if face and u.faces else u.facing) for u in units})


def _faces(draft: State, data: Data) -> None:
    changed = {i: draft.units[i].but(used=draft.units[i].used + cost) for i, cost in data["costs"].items()}
    _turned(draft, changed, data["at"], data["side"], data["facing"])


def _forms(draft: State, data: Data) -> None:
    """T8 A counter forms anew; S3a who has a front from now on has the facing of those who had one there before."""
    unit = draft.units[data["unit"]]
    formed = unit.but(formation=data["formation"], used=unit.used + data["cost"])
    if formed.faces and not unit.faces and draft.edition.reread:
        mates = [mate for mate in draft.fighting(unit.at, unit.side) if mate.faces and mate.id != unit.id]
        formed = formed.but(facing=mates[0].facing) if mates else formed
    draft.put({unit.id: formed})


def _limbers(draft: State, data: Data) -> None:
    unit = draft.units[data["unit"]]
    _each(draft, [unit.id], limbered=data["limbered"], used=unit.used + data["cost"])


def _fire_ordered(draft: State, data: Data) -> None:
    draft.shots = (*draft.shots, (tuple(data["units"]), data["at"], data["line"]))


def _assault(draft: State, data: Data) -> None:
    _each(draft, data["units"], assault=data["at"], stirred=True)
    draft.put({i: draft.units[i].but(charge=n) for i, n in data["charges"].items()})
    if not any(target == data["at"] for target, _ in draft.assaults):
        draft.assaults = (*draft.assaults, (data["at"], data["unit"]))


def _fires(draft: State, data: Data) -> None:
    _each(draft, [data["unit"]], fired=True, stirred=True)


def _shaken(draft: State, data: Data) -> None:
    _each(draft, [data["unit"]], state=data["state"], assault="", charge=0)


def _routed(draft: State, data: Data) -> None:
    _each(draft, [data["unit"]], state=ROUTED, assault="", charge=0)
    draft.shaken = True


def _halted(draft: State, data: Data) -> None:
    _each(draft, data["units"], halted=True)
    _each(draft, [data["target"]], assault="", charge=0)


def _gives_way(draft: State, data: Data) -> None:
    _each(draft, [data["unit"]], assault="", charge=0)


def _no_fire(draft: State, data: Data) -> None:
    _each(draft, [data["unit"]], nofire=data["until"])


def _goes(draft: State, data: Data) -> None:
    draft.put(_gone_to(draft, data))


def _gone_to(draft: State, data: Data) -> dict[str, Unit]:
    units = draft.units
    return {i: units[i].but(at=data["to"], stirred=True) for i in data["units"] if i in units}


def _falls(draft: State, data: Data) -> None:
    """S3 Whoever retreats keeps his facing, and who has a front gives it to those he comes to."""
    unit = draft.units[data["units"][0]]
    if unit.faces:
        _turned(draft, _gone_to(draft, data), data["to"], data["side"], unit.facing)
    else:
        _goes(draft, data)


def _advances(draft: State, data: Data) -> None:
    _turned(draft, _gone_to(draft, data), data["to"], data["side"], data["facing"])


def _pursues(draft: State, data: Data) -> None:
    ident = data["units"][0]
    _each(draft, [ident], pursuits=draft.units[ident].pursuits + 1)
    _advances(draft, data)


def _loses(draft: State, data: Data) -> None:
    unit = draft.units[data["unit"]]
    draft.dead = _more(draft.dead, unit.side, data["pf"])
    if data["left"] > 0:
        _each(draft, [unit.id], pf=data["left"])
    else:
        _gone(draft, [unit.id], "eliminated")


def _more(table: Mapping[str, int], side: str, n: int) -> dict[str, int]:
    return {**table, side: table.get(side, 0) + n}


def _gone(draft: State, ids: list[str], how: str) -> None:
    fighters = [unit for ident in ids if (unit := draft.units.get(ident)) is not None and unit.is_combat]
    for unit in fighters:
        draft.toll = _more(draft.toll, unit.side, 1)
    draft.shaken = draft.shaken or bool(fighters)
    draft.gone = {**draft.gone, **dict.fromkeys(ids, how)}
    draft.take_off(ids)


def _eliminated(draft: State, data: Data) -> None:
    for unit in (draft.units[ident] for ident in data["units"] if ident in draft.units):
        # Friends of several sides may be lost together.
        draft.dead = _more(draft.dead, unit.side, unit.pf)
    _gone(draft, data["units"], "eliminated")


def _captured(draft: State, data: Data) -> None:
    draft.fallen += tuple(tuple(draft.units[i]) for i in data["units"] if i in draft.units)
    _gone(draft, data["units"], "captured")


def _commander_lost(draft: State, data: Data) -> None:
    draft.fallen += (tuple(draft.units[data["unit"]]),)
    _gone(draft, [data["unit"]], "casualty")


def _shock(draft: State, data: Data) -> None:
    _each(draft, [*data["attackers"], *data["defenders"]], stirred=True)


def _fatigue(draft: State, data: Data) -> None:
    _each(draft, [data["unit"]], fatigue=data["level"])


def _rallies(draft: State, data: Data) -> None:
    _each(draft, [data["unit"]], state=data["state"])


def _half_over(draft: State, data: Data) -> None:
    marked = [i for i, u in draft.units.items() if u.assault or u.charge or u.halted]
    _each(draft, marked, assault="", charge=0, halted=False)
    draft.shots, draft.assaults = (), ()


def _falls_back(draft: State, data: Data) -> None:
    division = draft.divisions[data["division"]]._replace(order="HOLD", pending="")
    draft.divisions = {**draft.divisions, division.name: division}


def _replaced(draft: State, data: Data) -> None:
    row = next(row for row in draft.fallen if row[0] == data["unit"])
    old = Unit(*row)
    new = old.but(at=data["at"], morale=0, shock=0, start="", stirred=False)
    draft.put({new.id: new})
    draft.gone = {ident: how for ident, how in draft.gone.items() if ident != old.id}
    draft.fallen = tuple(row for row in draft.fallen if row[0] != old.id)


def _arrives(draft: State, data: Data) -> None:
    """S1, S3a Reinforcements come in, one after another: who has a front gives his facing to those he comes to."""
    for text, at in data["counters"]:
        unit = read_unit(text).but(at=at)
        if draft.edition.reread:
            _turned(draft, {unit.id: unit}, at, unit.side, unit.facing)
        else:
            draft.put({unit.id: unit})


def _turn_over(draft: State, data: Data) -> None:
    draft.put(
        {
            i: u.but(fired=False, stirred=False, nofire=abs(u.nofire) if abs(u.nofire) > data["turn"] else 0)
            for i, u in draft.units.items()
            if u.fired or u.stirred or u.nofire
        }
    )
    draft.divisions = {
        name: d._replace(order="" if d.pending == "NONE" else d.pending, pending="") if d.pending else d
        for name, d in draft.divisions.items()
    }
    draft.shaken, draft.uses = False, {}
    hand_over_units(draft)


def _corrected(draft: State, data: Data) -> None:
    """S3 A counter that is put elsewhere, or turned, gives its facing to those it stands with."""
    ident, new = data["id"], data["new"]
    if data["what"] == "side":
        if "dead" in new:
            draft.dead = {**draft.dead, ident: new["dead"]}
        if "awarded" in new:
            draft.awards = {**draft.awards, ident: new["awarded"]}
    elif data["what"] == "division":
        draft.divisions = {**draft.divisions, ident: draft.divisions[ident]._replace(**new)}
    else:
        unit = draft.units[ident].but(**new)
        if unit.faces and not {"at", "facing"}.isdisjoint(new):
            _turned(draft, {ident: unit}, unit.at, unit.side, unit.facing)
        else:
            draft.put({ident: unit})


def _over(draft: State, data: Data) -> None:
    draft.phase, draft.turn, draft.deployed = data["next"], data["turn"], ()


def _stopped(draft: State, data: Data) -> None:
    draft.stopped = True


def _victory(draft: State, data: Data) -> None:
    draft.points = dict(data["points"])


def _game_over(draft: State, data: Data) -> None:
    draft.winner, draft.phase = data["winner"], "over"


HANDLERS: Handlers[State] = {
    CORRECTED: _corrected,
    **SETS,
    "deploys": _deploys,
    "makes room": _makes_room,
    "half begins": _half_begins,
    "ordered": _ordered,
    "moves": _moves,
    "faces": _faces,
    "forms": _forms,
    "limbers": _limbers,
    "fire ordered": _fire_ordered,
    "assault": _assault,
    "charge": _assault,
    "fires": _fires,
    "shaken": _shaken,
    "routed": _routed,
    "halted": _halted,
    "gives way": _gives_way,
    "no fire": _no_fire,
    "retreats": _falls,
    "withdraws": _falls,
    "follows": _goes,
    "advances": _advances,
    "pursues": _pursues,
    "loses": _loses,
    "eliminated": _eliminated,
    "captured": _captured,
    "commander lost": _commander_lost,
    "shock": _shock,
    "fatigue": _fatigue,
    "rested": _fatigue,
    "rallies": _rallies,
    "half over": _half_over,
    "falls back": _falls_back,
    "replaced": _replaced,
    "arrives": _arrives,
    "turn over": _turn_over,
    "phase over": _over,
    "breaks off": _stopped,
    "victory": _victory,
    "game over": _game_over,
}


# What a moderator may correct: of a counter its hex, PF, state and formation, of a division its morale.
#
# Orders of divisions are secret and are no part of it.


_WORDS: Mapping[str, Msg] = {
    "at": msg("hex"),
    "pf": msg("PF"),
    "state": msg("state"),
    "fatigue": msg("fatigue"),
    "facing": msg("facing"),
    "formation": msg("formation"),
    "limbered": msg("limbered"),
    "fired": msg("fired"),
    "morale": msg("morale"),
    "dead": msg("PF lost"),
    "awarded": msg("points awarded"),
}
_SPANISH: Mapping[str, str] = {
    "estado": "STATE",
    "fatiga": "FATIGUE",
    "frente": "FACING",
    "formacion": "FORM",
    "formada": "FORMED",
    "guerrilla": "SKIRMISH",
    "cuadro": "SQUARE",
    "enganchada": "LIMBERED",
    "disparado": "FIRED",
    "moral": "MORALE",
    "bajas": "DEAD",
}
_FORMATIONS = {"inf": ("formed", "skirmish", "square"), "cav": ("formed", "skirmish")}
_MOST_FATIGUE, _BEST_MORALE, _MOST_DEAD = 3, 6, 999


def edit(state: State, text: str) -> Correction:
    """Read a correction: ``UNIT 1/54 AT 0507 PF 4 STATE D``, ``DIVISION Leval MORALE 3``, ``SIDE french DEAD 12``.

    A counter out of play is brought back by no correction: what took it is resolved again or played again.
    """
    ground = state.edition.map

    def hexagon(unit: object, word: str) -> Json | Msg:
        return word if word in ground else msg("{word} is no hex of this map", word=word)

    units = {
        "AT": Fact("at", hexagon),
        "PF": number("pf", 1, lambda unit: unit.full if unit.is_combat else 0),
        "STATE": choice(
            "state", lambda unit: {s.upper(): s for s in (NORMAL, DISORDERED, ROUTED)} if unit.is_combat else {}
        ),
        "FATIGUE": number("fatigue", 0, lambda unit: _MOST_FATIGUE if unit.is_combat else -1),
        "FACING": choice("facing", lambda unit: {side: side for side in DIRECTIONS} if unit.faces else {}),
        "FORM": choice("formation", lambda unit: {word.upper(): word for word in _FORMATIONS.get(unit.kind, ())}),
        "LIMBERED": yes("limbered", lambda unit: unit.kind == "art"),
        "FIRED": yes("fired", lambda unit: unit.is_combat),
    }
    divisions = {name: {"id": name, "side": d.side, "morale": d.morale} for name, d in state.divisions.items()}
    given = {side: {"awarded": had} for side, had in awards(state).items()}
    sides = {side: {"id": side, "side": side, "dead": state.dead.get(side, 0), **given.get(side, {})} for side in SIDES}
    of_a_side = {"DEAD": number("dead", 0, lambda side: _MOST_DEAD), AWARD: points("awarded")}
    kinds = {
        "UNIT": Kind(state.units, lambda unit: unit.side, units),
        "DIVISION": Kind(divisions, lambda d: d["side"], {"MORALE": number("morale", 1, lambda d: _BEST_MORALE)}),
        "SIDE": Kind(sides, lambda side: side["id"], of_a_side),
    }
    return read(text, kinds, _SPANISH)


def words_of(data: Data, values: Mapping[str, Msg]) -> Msg:
    """The correction as a sentence; `values` say what states and formations are called."""
    return tell(data, _WORDS, values)
