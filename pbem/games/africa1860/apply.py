"""Apply each kind of event to the position; define what may be corrected.

The position changes here only. Events that only inform (rolls, totals, refusals) have no entry and leave it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from pbem.engine.commanders.sequence import SET_EVENT_HANDLERS as SETS
from pbem.engine.commanders.sequence import hand_over_units
from pbem.engine.data.canon import Json
from pbem.engine.data.events import Data, Handlers
from pbem.engine.data.messages import Msg, msg
from pbem.engine.deployment import DEPLOYMENT_PHASE
from pbem.engine.edits import (
    AWARD_WORD,
    CORRECTED_EVENT,
    CorrectableFact,
    CorrectableKind,
    correction_text,
    number_fact,
    points_fact,
    read_correction,
    yes_no_fact,
)
from pbem.engine.orders.standing import unknown_space
from pbem.engine.reasons import Teller
from pbem.engine.terms import Correction
from pbem.games.africa1860.edition import SIDES
from pbem.games.africa1860.orders import lexicon
from pbem.games.africa1860.state import State, Unit, fight_from_json, read_unit
from pbem.games.africa1860.victory import awards
from pbem.games.africa1860.view import COURIERS, share_knowledge, spaces_of_fight

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
"""Captures that a ruling may set: two digits, more than any battle has."""


def edit(state: State, text: str) -> Correction:
    """Read a moderator's correction.

    Examples: ``UNIT Leon AT Sierra STEPS 2 DEMORALISED YES``, ``SIDE spain CAPTURES 1``. No correction brings back
    a unit out of play: resolve again, or reopen, the phase that removed it.
    """
    spaces = lexicon(state, SIDES[0]).spaces

    def space(unit: object, word: str) -> Json | Msg:
        return spaces.find(word).id or unknown_space(word)

    units = {
        "AT": CorrectableFact("at", space),
        "STEPS": number_fact("steps", 1, lambda unit: unit.full if not unit.is_leader else 0),
        "DEMORALISED": yes_no_fact("demoralised", lambda unit: not unit.is_leader),
        "ACTIVATED": yes_no_fact("activated"),
        "FIRED": yes_no_fact("fired", lambda unit: unit.fire > 0),
    }
    sides = {
        side: {"id": side, "captures": state.captures.get(side, 0), "awarded": given}
        for side, given in awards(state).items()
    }
    of_a_side = {"CAPTURES": number_fact("captures", 0, lambda side: _MOST_TAKEN), AWARD_WORD: points_fact("awarded")}
    kinds = {
        "UNIT": CorrectableKind(state.units, lambda unit: unit.side, units),
        "SIDE": CorrectableKind(sides, lambda side: side["id"], of_a_side),
    }
    return read_correction(text, kinds, _SPANISH)


def apply_correction(draft: State, data: Data) -> None:
    """Apply a correction to an owned copy of the position."""
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


def correction_sentence(data: Data) -> Msg:
    """Return the correction as a sentence."""
    return correction_text(data, _WORDS)


def _begin(draft: State, data: Data) -> None:
    acted_units = [unit for unit in draft.units.values() if unit.acted]
    _replace_units(draft, [unit.with_markers(unit.activated, unit.fired, acted=False) for unit in acted_units])
    draft.used, draft.bouts, draft.stopped = (), {}, False


def _replace_units(draft: State, changed: Iterable[Unit]) -> None:
    """Replace units that stay in their spaces."""
    units = dict(draft.units)
    for unit in changed:
        units[unit.id] = unit
    draft.units = units


def _activate(draft: State, data: Data) -> None:
    draft.used = (*draft.used, data["space"])


def _move(draft: State, data: Data) -> None:
    draft.settle(data["units"], data["to"])


def _deploys(draft: State, data: Data) -> None:
    draft.settle(data["units"], data["to"])
    draft.deployed = (*draft.deployed, *data["units"])


def _begin_second_deployment(draft: State, data: Data) -> None:
    draft.second = True


def _makes_room(draft: State, data: Data) -> None:
    draft.settle((data["unit"],), data["to"])


def _mark(draft: State, data: Data) -> None:
    marks = data["marks"]
    activated, fired, acted = "activated" in marks, "fired" in marks, "acted" in marks
    units = draft.units = dict(draft.units)
    for ident in data["units"]:
        unit = units[ident]
        units[ident] = unit.with_markers(activated or unit.activated, fired or unit.fired, acted or unit.acted)


def _loses(draft: State, data: Data) -> None:
    unit = draft.units[data["unit"]]
    _count_dead(draft, unit.side, unit.steps - data["left"])
    if data["left"] > 0:
        _replace_units(draft, (unit.left_with(data["left"]),))
    else:
        _record_losses(draft, [unit.id], "eliminated")


def _count_dead(draft: State, side: str, steps: int) -> None:
    draft.dead = {**draft.dead, side: draft.dead.get(side, 0) + steps}


def _record_losses(draft: State, ids: list[str], how: str) -> None:
    if draft.known is not None:
        for ident in ids:
            draft.known = draft.known.learns(COURIERS.witnesses(draft, (draft.units[ident].at,)), (ident,))
    draft.settle(ids, "")
    draft.gone = {**draft.gone, **dict.fromkeys(ids, how)}


def _demoralise(draft: State, data: Data) -> None:
    _replace_units(draft, (draft.units[data["unit"]].with_morale(True),))


def _recover(draft: State, data: Data) -> None:
    _replace_units(draft, (draft.units[data["unit"]].with_morale(False),))


def _casualty(draft: State, data: Data) -> None:
    unit = draft.units[data["unit"]]
    _record_losses(draft, [unit.id], "casualty")
    draft.lost = (*draft.lost, (unit.side, unit.id, draft.turn))


def _eliminate(draft: State, data: Data) -> None:
    steps = sum(draft.units[ident].steps for ident in data["units"])
    _record_losses(draft, data["units"], "eliminated")
    _count_dead(draft, data["side"], steps)


def _capture(draft: State, data: Data) -> None:
    worth = len(data["units"])
    if draft.edition.breaking:
        lost = [draft.units[ident] for ident in data["units"]]
        side = lost[0].side
        draft.taken = {**draft.taken, side: draft.taken.get(side, 0) + sum(unit.steps for unit in lost)}
    draft.captures = {**draft.captures, data["side"]: draft.captures.get(data["side"], 0) + worth}
    _record_losses(draft, data["units"], "captured")


def _breaks(draft: State, data: Data) -> None:
    draft.broken = {**draft.broken, data["side"]: data["turn"]}


def _assault(draft: State, data: Data) -> None:
    fight = draft.fight = fight_from_json(data["fight"])
    pair = f"{fight.origin}>{fight.target}"
    draft.bouts = {**draft.bouts, pair: draft.bouts.get(pair, 0) + 1}


def _role_setter(role: str) -> Callable[[State, Data], None]:
    def name(draft: State, data: Data) -> None:
        if draft.fight is not None:
            draft.fight = draft.fight.with_role(role, data["side"], data["unit"])

    return name


def _rejoins(draft: State, data: Data) -> None:
    if draft.fight is not None:
        draft.fight = draft.fight.with_role("screen", data["side"], "")


def _assault_over(draft: State, data: Data) -> None:
    fight = draft.fight
    if draft.known is not None and fight is not None:
        field = spaces_of_fight(draft, fight)
        seats = COURIERS.witnesses(draft, field)
        bout = ("fight", fight.target, fight.origin, data["winner"])
        news = tuple((seat, bout) for seat in seats if data["winner"])
        draft.known = COURIERS.remember(draft, seats, field)
        draft.known = draft.known._replace(news=(*draft.known.news, *news))
    draft.fight = None


def _stop(draft: State, data: Data) -> None:
    draft.stopped = True


def _goes_on(draft: State, data: Data) -> None:
    draft.stopped = False


def _enters(draft: State, data: Data) -> None:
    unit: Unit = read_unit(data["unit"])
    draft.join(unit)
    draft.lost = tuple(item for item in draft.lost if item[1] != data.get("replaces"))
    draft.waiting = tuple(text for text in draft.waiting if text != data["unit"])


def _waits(draft: State, data: Data) -> None:
    draft.waiting = (*draft.waiting, *data["units"])


def _leader_waits(draft: State, data: Data) -> None:
    """Delay the leader's replacement by a turn (O9)."""
    draft.lost = tuple((side, ident, turn + (ident == data["unit"])) for side, ident, turn in draft.lost)


def _markers_off(draft: State, data: Data) -> None:
    marked_units = [unit for unit in draft.units.values() if unit.activated or unit.fired or unit.acted]
    _replace_units(draft, [unit.with_markers(activated=False, fired=False, acted=False) for unit in marked_units])


def _over(draft: State, data: Data) -> None:
    if data["turn"] != draft.turn:
        draft.uses = {}
        hand_over_units(draft)
    was_deployment = draft.phase == DEPLOYMENT_PHASE
    draft.phase, draft.turn, draft.deployed, draft.second = data["next"], data["turn"], (), False
    if was_deployment and draft.known is not None:
        draft.known = share_knowledge(draft).known


def _victory(draft: State, data: Data) -> None:
    draft.points = dict(data["points"])


def _game_over(draft: State, data: Data) -> None:
    draft.winner, draft.phase = data["winner"], "over"


EVENT_HANDLERS: Handlers[State] = {
    CORRECTED_EVENT: apply_correction,
    **SETS,
    **COURIERS.handlers(),
    "deploys": _deploys,
    "seen deployed": _begin_second_deployment,
    "makes room": _makes_room,
    "phase begins": _begin,
    "activates": _activate,
    "moves": _move,
    "retreats": _move,
    "returns": _move,
    "occupies": _move,
    "falls back": _move,
    "marked": _mark,
    "loses": _loses,
    "demoralised": _demoralise,
    "recovers": _recover,
    "casualty": _casualty,
    "eliminated": _eliminate,
    "captured": _capture,
    "breaks": _breaks,
    "assault": _assault,
    "vanguard": _role_setter("vanguard"),
    "screen": _role_setter("screen"),
    "rejoins": _rejoins,
    "assault over": _assault_over,
    "breaks off": _stop,
    "goes on": _goes_on,
    "enters": _enters,
    "waits": _waits,
    "leader waits": _leader_waits,
    "markers off": _markers_off,
    "phase over": _over,
    "victory": _victory,
    "game over": _game_over,
}


ENTRY_SENTENCES: Mapping[str, Teller] = {CORRECTED_EVENT: lambda data, before: correction_text(data, _WORDS)}
"""The sentences of corrections in reports."""
