"""O2-O8 The orders of this game: how each is read, and how it is written in canonical text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pbem.engine.commanders.orders import command, command_forms, or_partners
from pbem.engine.deployment.rules import Deploy
from pbem.engine.orders.cursor import Reader
from pbem.engine.orders.forms import Form, form
from pbem.engine.orders.grammar import Cited, Grammar
from pbem.engine.orders.slots import Known, Slot, either, groups, place, unit, units
from pbem.engine.orders.standing import Idiom
from pbem.games.africa1860.orders.actions import Action, Activate, Assault, Caracole, Fire, Move, Retire, under
from pbem.games.africa1860.orders.vocabulary import VOCABULARY
from pbem.games.africa1860.setup.edition import Edition
from pbem.games.africa1860.state import State

REACTIONS: Mapping[str, str] = {
    "VANGUARD": "+prefs",
    "SCREEN": "+prefs",
    "CAVALRY": "STAY|COUNTERCHARGE|CARACOLE>SHELTER",
    "ARTILLERY": "FIRE|KEEP",
    "COUNTERBATTERY": "YES|NO+prefs",
    "APPROACH": "IGNORE|CHARGE|CARACOLE",
    "DETACH": "+prefs",
    "LOSSES": "+prefs",
    "FALLBACK": "spaces",
}
EVENTS = ("ASSAULTED", "APPROACHED", "SHELLED", "CHARGED")
COUNTS = ("STEPS", "UNITS", "CAV", "INF", "ART")
STATES = ("HERE", "FRESH", "DEMORALISED", "SPENT")
KINDS = ("INF", "LIGHT", "CAV", "ART")
IDIOM = Idiom("C10", EVENTS, REACTIONS, COUNTS, STATES, KINDS, "STEPS")

SLOTS: Mapping[str, Slot[State]] = {
    "space": place("O2"),
    "unit": unit("R2"),
    "set": units("R2"),
    "list": units("R2", ordered=True),
    "guns": groups(),
    "screen": or_partners(either("NONE", unit("R2"), "NONE")),
    "support": either("NONE", groups(), ()),
    "command": command(),
    "detached": or_partners(either("NONE", units("R2"), ())),
    "anyone": or_partners(unit("R2")),
    "anyones": or_partners(units("R2", ordered=True)),
}
_CLAUSES = """(LED BY {leader:unit} | VANGUARD {vanguard:anyone} | SCREEN {screen:screen} | SUPPORT {support:support}
    | DETACH {detach:detached} | LOSSES {losses:anyones} | VIA {via:space} | JOINT WITH {joint:command})"""


def _read_move(reader: Reader, known: Known[State]) -> Move:
    """Units and leaders are told apart, however they are named."""
    named = list(SLOTS["list"].read(reader, known))
    if reader.accept("WITH"):
        named += SLOTS["list"].read(reader, known)
    reader.expect("TO")
    to = SLOTS["space"].read(reader, known)
    via = SLOTS["space"].read(reader, known) if reader.accept("VIA") else ""
    there = known.view.units
    leaders = tuple(sorted(i for i in named if i in there and there[i].is_leader))
    return Move(reader.line, tuple(sorted(i for i in named if i not in leaders)), leaders, to, via)


def _write_move(move: Move) -> str:
    write = SLOTS["set"].write
    leaders = f" WITH {write(move.leaders)}" if move.units and move.leaders else ""
    via = f" VIA {move.via}" if move.via else ""
    return f"MOVE {write(move.units or move.leaders)}{leaders} TO {move.to}{via}"


FORMS: Sequence[Form[State, Any]] = (
    form("ACTIVATE {space:space}", Activate, SLOTS, VOCABULARY),
    Form("MOVE", Move, _read_move, _write_move),
    form("FIRE {shots:guns} AT {at:space}", Fire, SLOTS, VOCABULARY),
    form(f"ASSAULT {{target:space}} WITH {{units:set}} {_CLAUSES}", Assault, SLOTS, VOCABULARY),
    form(f"CHARGE {{units:set}} AT {{target:space}} {_CLAUSES}", Assault, SLOTS, VOCABULARY),
    form("CARACOLE {units:list} AT {at:space} [BACK TO {back:space}]", Caracole, SLOTS, VOCABULARY),
    form("RETIRE {units:set} [TO {to:space}]", Retire, SLOTS, VOCABULARY),
    form("DEPLOY {units:set} TO {to:space}", Deploy, SLOTS, VOCABULARY, "K6"),
    *command_forms(VOCABULARY, Edition.ON_COMMANDERS),
)

GRAMMAR: Grammar[State, Action] = Grammar(VOCABULARY, IDIOM, Cited("O3", "O2"), FORMS, under)
canon = GRAMMAR.canon
line_of = GRAMMAR.line_of
lines_of = GRAMMAR.lines_of
