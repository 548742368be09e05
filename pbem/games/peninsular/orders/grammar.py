"""S2-S7 The orders of this game: how each is read, and how it is written in canonical text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pbem.engine.commanders.holding import anothers
from pbem.engine.commanders.orders import command, command_forms
from pbem.engine.data.messages import msg
from pbem.engine.deployment.rules import Deploy
from pbem.engine.map.hexes import DIRECTIONS, is_hex
from pbem.engine.orders import forms
from pbem.engine.orders.cursor import Reader
from pbem.engine.orders.grammar import Cited, Grammar
from pbem.engine.orders.languages import index
from pbem.engine.orders.lex import Token
from pbem.engine.orders.names import Names
from pbem.engine.orders.slots import Known, Slot, name, place, unit, units, word
from pbem.engine.orders.standing import Idiom
from pbem.games.peninsular.orders.actions import Action, Assault, Face, Fire, Form, Limber, Move, Order
from pbem.games.peninsular.orders.vocabulary import VOCABULARY
from pbem.games.peninsular.setup.edition import Edition, camp
from pbem.games.peninsular.setup.roster import ORDERS
from pbem.games.peninsular.state import State

FORMATIONS = ("FORMED", "SKIRMISH", "SQUARE")
REACTIONS: Mapping[str, str] = {
    "SQUARE": "",
    "STAND": "",
    "FIRE": "ASSAULTERS|NEAREST|AT WILL|HOLD",
    "RETREAT": "1|2",
    "ADVANCE": "YES|NO",
    "RALLY": "YES|NO",
    "LED BY": "+prefs",
}
EVENTS = ("ASSAULTED", "CHARGED", "SHELLED", "")
COUNTS = ("PF", "UNITS", "CAV", "INF", "ART")
STATES = ("HERE", "FRESH", "DISORDERED", "SPENT")
KINDS = ("INF", "CAV", "ART")
IDIOM = Idiom("S1", EVENTS, REACTIONS, COUNTS, STATES, KINDS, "PF", ("FIRE HOLD",))
_BARE = frozenset({"WHEN", "RETREAT", "ADVANCE", "RALLY", "SQUARE", "STAND", "FIRE HOLD"})
"""What only a standing order begins with."""


def _divisions(known: Known[State]) -> Names:
    view = known.view
    own = [
        d.name for d in view.divisions.values() if camp(d.side) == camp(known.side) and not anothers(view, d.commander)
    ]
    return index(tuple((ident, ()) for ident in sorted(own)))


_UNITS: Slot[State] = units(ordered=True, plus=True)
_SET: Slot[State] = units(plus=True)
SLOTS: Mapping[str, Slot[State]] = {
    "command": command(),
    "division": name(_divisions, lambda written: msg("{name} is no division of yours", name=written), "S2"),
    "order": word(*ORDERS, "NONE"),
    "hex": place(unknown=lambda written: msg("{hex} is not on the map", hex=written)),
    "unit": unit(),
    "units": _UNITS,
    "set": _SET._replace(write=_UNITS.write),
    "facing": word(*DIRECTIONS),
    "formation": word(*FORMATIONS),
}


def _is_hex(token: Token) -> bool:
    return is_hex(token.text)


def _read_move(reader: Reader, known: Known[State]) -> Move:
    """S4 A path is as many hexes as follow one another, with commas or without."""
    named, hexagon = SLOTS["units"].read, SLOTS["hex"].read
    moving = named(reader, known)
    if reader.accept("WITH"):
        moving = (*moving, *named(reader, known))
    to = hexagon(reader, known) if reader.accept("TO") else ""
    path: list[str] = []
    while reader.token is not None and _is_hex(reader.token) and not to:
        path.append(hexagon(reader, known))
        reader.mark(",")
    face = form = ""
    while not reader.done:
        clause = reader.expect(*(("FACE", "FORM") if path or to else ("TO", "FACE", "FORM")))
        if clause == "FACE":
            face = reader.expect(*DIRECTIONS)
        elif clause == "FORM":
            form = reader.expect(*FORMATIONS)
    if not (path or to or face or form):
        raise reader.wrong(msg("where to? A move names hexes, or TO and one hex"))
    return Move(reader.line, tuple(sorted(moving)), tuple(path), to, face, form)


def _write_move(move: Move) -> str:
    way = f" TO {move.to}" if move.to else "".join(f" {ident}" for ident in move.path)
    face = f" FACE {move.face}" if move.face else ""
    form = f" FORM {move.form}" if move.form else ""
    return f"MOVE {SLOTS['units'].write(move.units)}{way}{face}{form}"


FORMS: Sequence[forms.Form[State, Any]] = (
    forms.form("ORDER {division:division} {order:order}", Order, SLOTS, VOCABULARY, "S2"),
    forms.Form("MOVE", Move, _read_move, _write_move, "S4"),
    forms.form("FORM {units:units} {form:formation}", Form, SLOTS, VOCABULARY, "T8"),
    forms.form("LIMBER {units:units}", Limber, SLOTS, VOCABULARY, "T8"),
    forms.form("UNLIMBER {units:units}", Limber, SLOTS, VOCABULARY, "T8"),
    forms.form("FACE {units:units} {face:facing}", Face, SLOTS, VOCABULARY, "S3"),
    forms.form("FIRE {units:units} AT {at:hex}", Fire, SLOTS, VOCABULARY, "S7"),
    forms.form(
        "ASSAULT {target:hex} WITH {units:set} [LED BY {leader:unit} JOINT WITH {joint:command}]",
        Assault,
        SLOTS,
        VOCABULARY,
        "S5",
    ),
    forms.form(
        "CHARGE {units:set} AT {target:hex} [LED BY {leader:unit} JOINT WITH {joint:command}]",
        Assault,
        SLOTS,
        VOCABULARY,
        "S5",
    ),
    forms.form("DEPLOY {units:set} TO {to:hex} [FACE {face:facing}]", Deploy, SLOTS, VOCABULARY, "K6"),
    *command_forms(VOCABULARY, Edition.ON_COMMANDERS),
)


def _bare(words: Sequence[Token]) -> bool:
    """Whether a line outside a block is of one: its end, and what is no order: a line with WHEN, most reactions.

    In a text of standing orders the block's first and last lines may be missing.
    """
    start = 1 if words and words[0].text.isdigit() else 0
    said = VOCABULARY.lengths(words, start)
    if not _BARE.isdisjoint(said) or VOCABULARY.length(words, 0, "ENDSTANDING"):
        return True
    after = start + said.get("FIRE", 0)
    return after > start and any(VOCABULARY.length(words, after, word) for word in REACTIONS["FIRE"].split("|"))


GRAMMAR: Grammar[State, Action] = Grammar(VOCABULARY, IDIOM, Cited("S1", "S1"), FORMS, apart=_is_hex, bare=_bare)
canon = GRAMMAR.canon
line_of = GRAMMAR.line_of
lines_of = GRAMMAR.lines_of
