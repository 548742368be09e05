"""What a moderator may correct: of a counter its hex, PF, state and formation, of a division its morale.

Orders of divisions are secret and are no part of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Msg, msg
from pbem.engine.edits import AWARD, Fact, Kind, choice, number, points, read, tell, yes
from pbem.engine.map.hexes import DIRECTIONS
from pbem.engine.terms import Edited
from pbem.games.peninsular.phase.victory import awards
from pbem.games.peninsular.setup.edition import SIDES
from pbem.games.peninsular.setup.units import DISORDERED, NORMAL, ROUTED
from pbem.games.peninsular.state import State

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


def edit(state: State, text: str) -> Edited:
    """Read a correction: ``UNIT 1/54 AT 0507 PF 4 STATE D``, ``DIVISION Leval MORALE 3``, ``SIDE french DEAD 12``.

    A counter out of play is brought back by no correction: what took it is resolved again or played again.
    """
    ground = state.edition.map

    def hexagon(unit: Any, word: str) -> Json | Msg:
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


def words_of(data: Mapping[str, Any], values: Mapping[str, Msg]) -> Msg:
    """The correction as a sentence; `values` say what states and formations are called."""
    return tell(data, _WORDS, values)
