"""What a moderator may correct: of a unit its space, steps and markers, of a side what it has taken or was awarded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Msg, msg
from pbem.engine.edits import AWARD, Fact, Kind, number, points, read, tell, yes
from pbem.engine.orders.standing import unknown_space
from pbem.engine.terms import Edited
from pbem.games.africa1860.orders.reading import lexicon
from pbem.games.africa1860.phase.victory import awards
from pbem.games.africa1860.setup.edition import SIDES
from pbem.games.africa1860.state import State

_WORDS: Mapping[str, Msg] = {
    "at": msg("space"),
    "steps": msg("steps"),
    "demoralised": msg("demoralised"),
    "activated": msg("activated"),
    "fired": msg("fired"),
    "captures": msg("guns and convoys taken"),
    "awarded": msg("points awarded"),
}
_SPANISH: Mapping[str, str] = {
    "pasos": "STEPS",
    "desmoralizada": "DEMORALISED",
    "activada": "ACTIVATED",
    "disparado": "FIRED",
    "capturas": "CAPTURES",
}
_MOST_TAKEN = 99


def edit(state: State, text: str) -> Edited:
    """Read a correction: ``UNIT Leon AT Sierra STEPS 2 DEMORALISED YES``, ``SIDE spain CAPTURES 1``.

    A unit out of play is brought back by no correction: what took it is resolved again or played again.
    """
    spaces = lexicon(state, SIDES[0]).spaces

    def space(unit: Any, word: str) -> Json | Msg:
        return spaces.find(word).id or unknown_space(word)

    units = {
        "AT": Fact("at", space),
        "STEPS": number("steps", 1, lambda unit: unit.full if not unit.is_leader else 0),
        "DEMORALISED": yes("demoralised", lambda unit: not unit.is_leader),
        "ACTIVATED": yes("activated"),
        "FIRED": yes("fired", lambda unit: unit.fire > 0),
    }
    sides = {
        side: {"id": side, "captures": state.captures.get(side, 0), "awarded": given}
        for side, given in awards(state).items()
    }
    of_a_side = {"CAPTURES": number("captures", 0, lambda side: _MOST_TAKEN), AWARD: points("awarded")}
    kinds = {
        "UNIT": Kind(state.units, lambda unit: unit.side, units),
        "SIDE": Kind(sides, lambda side: side["id"], of_a_side),
    }
    return read(text, kinds, _SPANISH)


def apply_correction(draft: State, data: Mapping[str, Any]) -> None:
    """Change what was corrected; only in a copy of one's own."""
    new = dict(data["new"])
    if data["what"] == "side":
        if "captures" in new:
            draft.captures = {**draft.captures, data["id"]: new["captures"]}
        if "awarded" in new:
            draft.awards = {**draft.awards, data["id"]: new["awarded"]}
        return
    unit = draft.units[data["id"]]._replace(**new)
    draft.units = {**draft.units, unit.id: unit}
    draft.forget_camps()


def told(data: Mapping[str, Any]) -> Msg:
    """The correction as a sentence."""
    return tell(data, _WORDS)
