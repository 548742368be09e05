"""Apply each kind of event to the position; define what may be corrected.

The position changes here only. Events that only inform (rolls, refusals) have no entry and leave it as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise

from pbem.engine.commanders.sequence import SET_EVENT_HANDLERS as SETS
from pbem.engine.commanders.sequence import hand_over_units
from pbem.engine.data.canon import Json
from pbem.engine.data.events import Data, Handlers
from pbem.engine.data.messages import Msg, msg
from pbem.engine.edits import (
    AWARD_WORD,
    CORRECTED_EVENT,
    CorrectableFact,
    CorrectableKind,
    choice_fact,
    correction_text,
    number_fact,
    points_fact,
    read_correction,
    yes_no_fact,
)
from pbem.engine.map.hexes import DIRECTIONS, direction
from pbem.engine.terms import Correction
from pbem.games.peninsular.edition import SIDES, alliance_of
from pbem.games.peninsular.state import State
from pbem.games.peninsular.units import DISORDERED, NORMAL, ROUTED, Unit, read_unit
from pbem.games.peninsular.victory import awards


def _change_each(draft: State, ids: Iterable[str], /, **what: object) -> None:
    units = draft.units
    draft.put({ident: units[ident].but(**what) for ident in ids if ident in units})


def _half_begins(draft: State, data: Data) -> None:
    ours = alliance_of(data["side"])
    units: dict[str, Unit] = {}
    for ident, unit in draft.units.items():
        if unit.camp == ours:
            if _is_untouched(unit):
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


def _is_untouched(unit: Unit) -> bool:
    """Return whether a counter is in its state at the start of a half."""
    is_at_start = unit.start == unit.at and unit.base == unit.formation
    return is_at_start and not (
        unit.used
        or unit.offroad
        or unit.zoned
        or unit.halted
        or unit.assault
        or unit.charge
        or unit.pursuits
        or unit.run != ("", 0)
    )


def _gives_order(draft: State, data: Data) -> None:
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
    _share_facing(draft, changed, data["to"], data["side"], facing)


def _share_facing(draft: State, changed: dict[str, Unit], hex_id: str, side: str, facing: str) -> None:
    """Put counters that came to a hex or turned in it in place, all facing alike.

    Rule: S3.

    All counters there take the facing of the last arrival. S3a Counters without a facing turn nobody else.
    """
    turns = any(unit.faces for unit in changed.values()) or not draft.edition.reread
    there = ({unit.id: unit for unit in draft.fighting(hex_id, side)} if turns else {}) | changed
    turned = {i: unit.but(facing=facing) for i, unit in there.items() if unit.facing != facing and unit.kind != "cmd"}
    draft.put(changed | turned)


def _deploys(draft: State, data: Data) -> None:
    """Put deployed counters in their hexes, with the facing if one is named (K6)."""
    _place(draft, data["units"], data["to"], data.get("face", ""))
    draft.deployed = (*draft.deployed, *data["units"])


def _makes_room(draft: State, data: Data) -> None:
    _place(draft, (data["unit"],), data["to"])


def _place(draft: State, ids: Iterable[str], hex_id: str, face: str = "") -> None:
    units = [draft.units[ident] for ident in ids]
    draft.put({unit.id: unit.but(at=hex_id, facing=face if face and unit.faces else unit.facing) for unit in units})


def _faces(draft: State, data: Data) -> None:
    changed = {i: draft.units[i].but(used=draft.units[i].used + cost) for i, cost in data["costs"].items()}
    _share_facing(draft, changed, data["at"], data["side"], data["facing"])


def _forms(draft: State, data: Data) -> None:
    """Change a counter's formation; a new front takes the facing of the hex.

    Rules: T8, S3a.
    """
    unit = draft.units[data["unit"]]
    formed = unit.but(formation=data["formation"], used=unit.used + data["cost"])
    if formed.faces and not unit.faces and draft.edition.reread:
        mates = [mate for mate in draft.fighting(unit.at, unit.side) if mate.faces and mate.id != unit.id]
        formed = formed.but(facing=mates[0].facing) if mates else formed
    draft.put({unit.id: formed})


def _limbers(draft: State, data: Data) -> None:
    unit = draft.units[data["unit"]]
    _change_each(draft, [unit.id], limbered=data["limbered"], used=unit.used + data["cost"])


def _fire_ordered(draft: State, data: Data) -> None:
    draft.shots = (*draft.shots, (tuple(data["units"]), data["at"], data["line"]))


def _assault(draft: State, data: Data) -> None:
    _change_each(draft, data["units"], assault=data["at"], stirred=True)
    draft.put({ident: draft.units[ident].but(charge=n) for ident, n in data["charges"].items()})
    if not any(target == data["at"] for target, _ in draft.assaults):
        draft.assaults = (*draft.assaults, (data["at"], data["unit"]))


def _fires(draft: State, data: Data) -> None:
    _change_each(draft, [data["unit"]], fired=True, stirred=True)


def _shake(draft: State, data: Data) -> None:
    _change_each(draft, [data["unit"]], state=data["state"], assault="", charge=0)


def _rout(draft: State, data: Data) -> None:
    _change_each(draft, [data["unit"]], state=ROUTED, assault="", charge=0)
    draft.shaken = True


def _halt(draft: State, data: Data) -> None:
    _change_each(draft, data["units"], halted=True)
    _change_each(draft, [data["target"]], assault="", charge=0)


def _gives_way(draft: State, data: Data) -> None:
    _change_each(draft, [data["unit"]], assault="", charge=0)


def _no_fire(draft: State, data: Data) -> None:
    _change_each(draft, [data["unit"]], nofire=data["until"])


def _goes(draft: State, data: Data) -> None:
    draft.put(_units_at_destination(draft, data))


def _units_at_destination(draft: State, data: Data) -> dict[str, Unit]:
    units = draft.units
    return {ident: units[ident].but(at=data["to"], stirred=True) for ident in data["units"] if ident in units}


def _falls(draft: State, data: Data) -> None:
    """Move retreating counters, keeping their facing, which their new hex takes (S3)."""
    unit = draft.units[data["units"][0]]
    if unit.faces:
        _share_facing(draft, _units_at_destination(draft, data), data["to"], data["side"], unit.facing)
    else:
        _goes(draft, data)


def _advances(draft: State, data: Data) -> None:
    _share_facing(draft, _units_at_destination(draft, data), data["to"], data["side"], data["facing"])


def _pursues(draft: State, data: Data) -> None:
    ident = data["units"][0]
    _change_each(draft, [ident], pursuits=draft.units[ident].pursuits + 1)
    _advances(draft, data)


def _loses(draft: State, data: Data) -> None:
    unit = draft.units[data["unit"]]
    draft.dead = _add_to_side(draft.dead, unit.side, data["pf"])
    if data["left"] > 0:
        _change_each(draft, [unit.id], pf=data["left"])
    else:
        _record_losses(draft, [unit.id], "eliminated")


def _add_to_side(table: Mapping[str, int], side: str, number: int) -> dict[str, int]:
    return {**table, side: table.get(side, 0) + number}


def _record_losses(draft: State, ids: list[str], how: str) -> None:
    fighters = [unit for ident in ids if (unit := draft.units.get(ident)) is not None and unit.is_combat]
    for unit in fighters:
        draft.toll = _add_to_side(draft.toll, unit.side, 1)
    draft.shaken = draft.shaken or bool(fighters)
    draft.gone = {**draft.gone, **dict.fromkeys(ids, how)}
    draft.take_off(ids)


def _eliminate(draft: State, data: Data) -> None:
    for unit in (draft.units[ident] for ident in data["units"] if ident in draft.units):
        # Friends of several sides may be lost together.
        draft.dead = _add_to_side(draft.dead, unit.side, unit.pf)
    _record_losses(draft, data["units"], "eliminated")


def _capture(draft: State, data: Data) -> None:
    draft.fallen += tuple(tuple(draft.units[ident]) for ident in data["units"] if ident in draft.units)
    _record_losses(draft, data["units"], "captured")


def _commander_lost(draft: State, data: Data) -> None:
    draft.fallen += (tuple(draft.units[data["unit"]]),)
    _record_losses(draft, [data["unit"]], "casualty")


def _shock(draft: State, data: Data) -> None:
    _change_each(draft, [*data["attackers"], *data["defenders"]], stirred=True)


def _fatigue(draft: State, data: Data) -> None:
    _change_each(draft, [data["unit"]], fatigue=data["level"])


def _rallies(draft: State, data: Data) -> None:
    _change_each(draft, [data["unit"]], state=data["state"])


def _half_over(draft: State, data: Data) -> None:
    marked = [i for i, u in draft.units.items() if u.assault or u.charge or u.halted]
    _change_each(draft, marked, assault="", charge=0, halted=False)
    draft.shots, draft.assaults = (), ()


def _falls_back(draft: State, data: Data) -> None:
    division = draft.divisions[data["division"]]._replace(order="HOLD", pending="")
    draft.divisions = {**draft.divisions, division.name: division}


def _bring_back(draft: State, data: Data) -> None:
    row = next(row for row in draft.fallen if row[0] == data["unit"])
    old = Unit(*row)
    new = old.but(at=data["at"], morale=0, shock=0, start="", stirred=False)
    draft.put({new.id: new})
    draft.gone = {ident: how for ident, how in draft.gone.items() if ident != old.id}
    draft.fallen = tuple(row for row in draft.fallen if row[0] != old.id)


def _arrives(draft: State, data: Data) -> None:
    """Bring in reinforcements one after another; fronts give the hex their facing.

    Rules: S1, S3a.
    """
    for text, hex_id in data["counters"]:
        unit = read_unit(text).but(at=hex_id)
        if draft.edition.reread:
            _share_facing(draft, {unit.id: unit}, hex_id, unit.side, unit.facing)
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


def _correct(draft: State, data: Data) -> None:
    """Apply a correction; a counter moved or turned gives its hex its facing (S3)."""
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
            _share_facing(draft, {ident: unit}, unit.at, unit.side, unit.facing)
        else:
            draft.put({ident: unit})


def _over(draft: State, data: Data) -> None:
    draft.phase, draft.turn, draft.deployed = data["next"], data["turn"], ()


def _stops(draft: State, data: Data) -> None:
    draft.stopped = True


def _victory(draft: State, data: Data) -> None:
    draft.points = dict(data["points"])


def _game_over(draft: State, data: Data) -> None:
    draft.winner, draft.phase = data["winner"], "over"


EVENT_HANDLERS: Handlers[State] = {
    CORRECTED_EVENT: _correct,
    **SETS,
    "deploys": _deploys,
    "makes room": _makes_room,
    "half begins": _half_begins,
    "ordered": _gives_order,
    "moves": _moves,
    "faces": _faces,
    "forms": _forms,
    "limbers": _limbers,
    "fire ordered": _fire_ordered,
    "assault": _assault,
    "charge": _assault,
    "fires": _fires,
    "shaken": _shake,
    "routed": _rout,
    "halted": _halt,
    "gives way": _gives_way,
    "no fire": _no_fire,
    "retreats": _falls,
    "withdraws": _falls,
    "follows": _goes,
    "advances": _advances,
    "pursues": _pursues,
    "loses": _loses,
    "eliminated": _eliminate,
    "captured": _capture,
    "commander lost": _commander_lost,
    "shock": _shock,
    "fatigue": _fatigue,
    "rested": _fatigue,
    "rallies": _rallies,
    "half over": _half_over,
    "falls back": _falls_back,
    "replaced": _bring_back,
    "arrives": _arrives,
    "turn over": _turn_over,
    "phase over": _over,
    "breaks off": _stops,
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
# The bounds of the values that a ruling may set: fatigue and morale by the rules; the dead by their three digits.
_MOST_FATIGUE, _BEST_MORALE, _MOST_DEAD = 3, 6, 999


def edit(state: State, text: str) -> Correction:
    """Read a moderator's correction.

    Examples: ``UNIT 1/54 AT 0507 PF 4 STATE D``, ``DIVISION Leval MORALE 3``, ``SIDE french DEAD 12``. No
    correction brings back a counter out of play: resolve again, or reopen, the phase that removed it.
    """
    ground = state.edition.map

    def hexagon(unit: object, word: str) -> Json | Msg:
        return word if word in ground else msg("{word} is no hex of this map", word=word)

    units = {
        "AT": CorrectableFact("at", hexagon),
        "PF": number_fact("pf", 1, lambda unit: unit.full if unit.is_combat else 0),
        "STATE": choice_fact(
            "state", lambda unit: {s.upper(): s for s in (NORMAL, DISORDERED, ROUTED)} if unit.is_combat else {}
        ),
        "FATIGUE": number_fact("fatigue", 0, lambda unit: _MOST_FATIGUE if unit.is_combat else -1),
        "FACING": choice_fact("facing", lambda unit: {side: side for side in DIRECTIONS} if unit.faces else {}),
        "FORM": choice_fact("formation", lambda unit: {word.upper(): word for word in _FORMATIONS.get(unit.kind, ())}),
        "LIMBERED": yes_no_fact("limbered", lambda unit: unit.kind == "art"),
        "FIRED": yes_no_fact("fired", lambda unit: unit.is_combat),
    }
    divisions = {
        name: {"id": name, "side": division.side, "morale": division.morale}
        for name, division in state.divisions.items()
    }
    given = {side: {"awarded": had} for side, had in awards(state).items()}
    sides = {side: {"id": side, "side": side, "dead": state.dead.get(side, 0), **given.get(side, {})} for side in SIDES}
    of_a_side = {"DEAD": number_fact("dead", 0, lambda side: _MOST_DEAD), AWARD_WORD: points_fact("awarded")}
    kinds = {
        "UNIT": CorrectableKind(state.units, lambda unit: unit.side, units),
        "DIVISION": CorrectableKind(
            divisions, lambda d: d["side"], {"MORALE": number_fact("morale", 1, lambda d: _BEST_MORALE)}
        ),
        "SIDE": CorrectableKind(sides, lambda side: side["id"], of_a_side),
    }
    return read_correction(text, kinds, _SPANISH)


def correction_sentence(data: Data, values: Mapping[str, Msg]) -> Msg:
    """Return the correction as a sentence; `values` names states and formations."""
    return correction_text(data, _WORDS, values)
