"""Define the orders as data, their words, and reading and writing them (S2-S7).

An order's `line` is its line in the text read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from pbem.engine.commanders.holding import other_owner, seats_to_notify
from pbem.engine.commanders.orders import Assign, Cover, March, Relieve, Show, Wait, command_forms, command_slot
from pbem.engine.data.events import Event
from pbem.engine.data.languages import read_display_names
from pbem.engine.data.messages import Msg, msg
from pbem.engine.deployment import Deploy
from pbem.engine.map.hexes import DIRECTIONS, is_hex
from pbem.engine.orders import grammar, refusals, speech
from pbem.engine.orders.cursor import Reader
from pbem.engine.orders.grammar import CitedRules, Grammar, Ids, ReadingContext, Slot, place, unit, units, word
from pbem.engine.orders.lex import COMMON, Token, Vocabulary
from pbem.engine.orders.names import Names
from pbem.engine.orders.parser import Frame, Languages, Parser, index
from pbem.engine.orders.refusals import Giver, Refusal
from pbem.engine.orders.standing import Idiom, If, Lexicon, Pass, Stop
from pbem.engine.terms import Orders, ParsedBlock
from pbem.games.peninsular.edition import Edition, alliance_of
from pbem.games.peninsular.state import State
from pbem.games.peninsular.units import DIVISION_ORDERS, reinforcement_groups


class Order(NamedTuple):
    """A division's order: ATTACK, MANOEUVRE, HOLD, REORGANISE, or NONE (S2)."""

    line: int
    division: str
    order: str


class Move(NamedTuple):
    """A move along hexes or by the cheapest path, then a facing or formation.

    Rule: S4.
    """

    line: int
    units: Ids
    path: Ids = ()
    to: str = ""
    face: str = ""
    form: str = ""


class Form(NamedTuple):
    """A change of formation of infantry or cavalry (T8)."""

    line: int
    units: Ids
    form: str


class Limber(NamedTuple):
    """An order to batteries; `verb` is LIMBER or UNLIMBER (T8)."""

    line: int
    units: Ids
    verb: str


class Face(NamedTuple):
    """A turn in place (S3)."""

    line: int
    units: Ids
    face: str


class Fire(NamedTuple):
    """Counters that fire at a hex in turn (S7)."""

    line: int
    units: Ids
    at: str


class Assault(NamedTuple):
    """An assault (`verb` ASSAULT) or a charge (CHARGE) on a hex (S5).

    M2.2 `joint` is the command whose set holds the other line of a joint assault; `jointly` names both after the
    lines are joined.
    """

    line: int
    verb: str
    target: str
    units: Ids
    leader: str = ""
    joint: str = ""
    jointly: Ids = ()


Given = Order | Move | Form | Limber | Face | Fire | Assault | Deploy | Pass | Stop
Action = Given | March | Wait | Show | Assign | Relieve | Cover | If["Action"]

_TABLE: Mapping[str, tuple[str, ...]] = {
    "ORDER": ("ORDER", "ORDEN"),
    "ATTACK": ("ATTACK", "ATAQUE", "ATACAR"),
    "MANOEUVRE": ("MANOEUVRE", "MANIOBRA", "MANIOBRAR", "MANEUVER"),
    "HOLD": ("HOLD", "MANTENER"),
    "REORGANISE": ("REORGANISE", "REORGANIZAR", "REORGANIZE"),
    "MOVE": ("MOVE", "MOVER"),
    "FACE": ("FACE", "FRENTE", "ENCARAR"),
    "FORM": ("FORM", "FORMAR"),
    "FORMED": ("FORMED", "LINEA", "FORMADA", "FORMADO", "REGULAR", "LINE"),
    "SKIRMISH": ("SKIRMISH", "GUERRILLA"),
    "SQUARE": ("SQUARE", "CUADRO"),
    "LIMBER": ("LIMBER", "ENGANCHAR"),
    "UNLIMBER": ("UNLIMBER", "DESPLEGAR"),
    "FIRE": ("FIRE", "FUEGO", "DISPARAR"),
    "ASSAULT": ("ASSAULT", "ASALTAR"),
    "CHARGE": ("CHARGE", "CARGAR"),
    "N": ("N",),
    "NE": ("NE",),
    "SE": ("SE",),
    "S": ("S",),
    "SW": ("SW", "SO"),
    "NW": ("NW", "NO"),
    "LED BY": ("LED BY", "AL MANDO DE"),
    "FIRE HOLD": ("FIRE HOLD", "ALTO EL FUEGO", "HOLD FIRE"),
    "SPACE": ("SPACE", "ESPACIO", "HEX", "HEXAGONO"),
    "ASSAULTED": ("ASSAULTED", "ASALTADO", "ASALTADA"),
    "CHARGED": ("CHARGED", "CARGADO", "CARGADA"),
    "SHELLED": ("SHELLED", "BOMBARDEADO", "BOMBARDEADA"),
    "STAND": ("STAND", "RESISTIR"),
    "RETREAT": ("RETREAT", "RETROCEDER"),
    "1": ("1",),
    "2": ("2",),
    "ADVANCE": ("ADVANCE", "AVANZAR"),
    "RALLY": ("RALLY", "REHACERSE"),
    "AT WILL": ("AT WILL", "A DISCRECION", "WILL", "DISCRECION"),
    "ASSAULTERS": ("ASSAULTERS", "ASALTANTES"),
    "NEAREST": ("NEAREST", "MASCERCANO"),
    "INF": ("INF",),
    "CAV": ("CAV", "CAB"),
    "ART": ("ART",),
    "PF": ("PF", "FUERZA", "STRENGTH", "STEPS", "PASOS"),
    "FRESH": ("FRESH", "FRESCA", "FRESCO"),
    "DISORDERED": ("DISORDERED", "DESORDENADA", "DESORDENADO", "DEMORALISED"),
    "SPENT": ("SPENT", "AGOTADA", "AGOTADO"),
}
SHARED_PHRASES: Mapping[str, tuple[str, ...]] = {
    "si": ("IF", "YES"),
    "no": ("NO", "NOT", "NW"),
    "en": ("TO", "WITHIN"),
    "desplegar": ("DEPLOY", "UNLIMBER"),
}
"""Phrases that mean several keywords, in lower case without accents."""

_SHOWN: Mapping[str, tuple[str, str]] = {"SPACE": ("HEX", "HEX"), "PF": ("PF", "PF")}
"""Keywords shown in other words: the spaces of this game are hexes, and its points are called PF in both languages."""

VOCABULARY = Vocabulary({**COMMON, **_TABLE}, _SHOWN)
DISPLAY_NAMES = read_display_names(Path(__file__).resolve().parent / "locale" / "names.toml")


def translate_orders(text: str, language: str) -> str:
    """Return canonical orders in a language, with its names."""
    return speech.translate(text, VOCABULARY, language, DISPLAY_NAMES)


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
STANDING_EVENTS = ("ASSAULTED", "CHARGED", "SHELLED", "")
COUNT_KEYWORDS = ("PF", "UNITS", "CAV", "INF", "ART")
STATE_KEYWORDS = ("HERE", "FRESH", "DISORDERED", "SPENT")
BRANCH_KEYWORDS = ("INF", "CAV", "ART")
GAME_KEYWORDS = Idiom(
    "S1", STANDING_EVENTS, REACTIONS, COUNT_KEYWORDS, STATE_KEYWORDS, BRANCH_KEYWORDS, "PF", ("FIRE HOLD",)
)
_BARE = frozenset({"WHEN", "RETREAT", "ADVANCE", "RALLY", "SQUARE", "STAND", "FIRE HOLD"})
"""Keywords with which only a standing order begins."""


def _read_division(reader: Reader, context: ReadingContext[State]) -> str:
    view = context.view
    own = sorted(
        division.name
        for division in view.divisions.values()
        if alliance_of(division.side) == alliance_of(context.side) and not other_owner(view, division.commander)
    )

    def unknown(written: str) -> Msg:
        why = msg("{name} is no division of yours", name=written)
        names = tuple(division for division in own if view.divisions[division].commander in view.units)
        return msg("{why}; yours are {divisions}", why=why, divisions=names) if names else why

    return reader.name(index(tuple((ident, ()) for ident in own)), unknown, "S2")


_UNITS: Slot[State] = units(ordered=True, plus=True)
_SET: Slot[State] = units(plus=True)
SLOTS: Mapping[str, Slot[State]] = {
    "command": command_slot(),
    "division": Slot(_read_division),
    "order": word(*DIVISION_ORDERS, "NONE"),
    "hex": place(unknown=lambda written: msg("{hex} is not on the map", hex=written)),
    "unit": unit(),
    "units": _UNITS,
    "set": _SET._replace(write=_UNITS.write),
    "facing": word(*DIRECTIONS),
    "formation": word(*FORMATIONS),
}


def _is_hex(token: Token) -> bool:
    return is_hex(token.text)


def _read_move(reader: Reader, context: ReadingContext[State]) -> Move:
    """Read a move; a path is hexes in a row, with or without commas (S4)."""
    read_units, hexagon = SLOTS["units"].read, SLOTS["hex"].read
    moving = read_units(reader, context)
    if reader.accept("WITH"):
        moving = (*moving, *read_units(reader, context))
    destination = hexagon(reader, context) if reader.accept("TO") else ""
    path: list[str] = []
    while reader.token is not None and _is_hex(reader.token) and not destination:
        path.append(hexagon(reader, context))
        reader.mark(",")
    face = form = ""
    while not reader.is_at_end:
        if reader.accept("WITH"):
            moving = (*moving, *read_units(reader, context))
            continue
        clause = reader.expect(*(("FACE", "FORM") if path or destination else ("TO", "FACE", "FORM")))
        if clause == "FACE":
            face = reader.expect(*DIRECTIONS)
        elif clause == "FORM":
            form = reader.expect(*FORMATIONS)
    if not (path or destination or face or form):
        raise reader.wrong(msg("where to? A move names hexes, or TO and one hex"))
    return Move(reader.line, tuple(sorted(moving)), tuple(path), destination, face, form)


def _write_move(move: Move) -> str:
    way = f" TO {move.to}" if move.to else "".join(f" {ident}" for ident in move.path)
    face = f" FACE {move.face}" if move.face else ""
    form = f" FORM {move.form}" if move.form else ""
    return f"MOVE {SLOTS['units'].write(move.units)}{way}{face}{form}"


ORDER_FORMS: Sequence[grammar.Form[State, Any]] = (
    grammar.form("ORDER {division:division} {order:order}", Order, SLOTS, VOCABULARY, "S2"),
    grammar.Form("MOVE", Move, _read_move, _write_move, "S4"),
    grammar.form("FORM {units:units} {form:formation}", Form, SLOTS, VOCABULARY, "T8"),
    grammar.form("LIMBER {units:units}", Limber, SLOTS, VOCABULARY, "T8"),
    grammar.form("UNLIMBER {units:units}", Limber, SLOTS, VOCABULARY, "T8"),
    grammar.form("FACE {units:units} {face:facing}", Face, SLOTS, VOCABULARY, "S3"),
    grammar.form("FIRE {units:units} AT {at:hex}", Fire, SLOTS, VOCABULARY, "S7"),
    grammar.form(
        "ASSAULT {target:hex} WITH {units:set} [LED BY {leader:unit} JOINT WITH {joint:command}]",
        Assault,
        SLOTS,
        VOCABULARY,
        "S5",
    ),
    grammar.form(
        "CHARGE {units:set} AT {target:hex} [LED BY {leader:unit} JOINT WITH {joint:command}]",
        Assault,
        SLOTS,
        VOCABULARY,
        "S5",
    ),
    grammar.form("DEPLOY {units:set} TO {to:hex} [FACE {face:facing}]", Deploy, SLOTS, VOCABULARY, "K6"),
    *command_forms(VOCABULARY, Edition.ON_COMMANDERS),
)


def _is_orders_line(words: Sequence[Token]) -> bool:
    """Return whether a line outside a block belongs to standing orders.

    It is the end of their block, a line with WHEN, or most reactions, which are no orders. In a text of standing
    orders the block's first and last lines may be missing.
    """
    start = 1 if words and words[0].text.isdigit() else 0
    lengths = VOCABULARY.lengths(words, start)
    if not _BARE.isdisjoint(lengths) or VOCABULARY.length(words, 0, "ENDSTANDING"):
        return True
    after = start + lengths.get("FIRE", 0)
    return after > start and any(VOCABULARY.length(words, after, word) for word in REACTIONS["FIRE"].split("|"))


GRAMMAR: Grammar[State, Action] = Grammar(
    VOCABULARY, GAME_KEYWORDS, CitedRules("S1", "S1"), ORDER_FORMS, apart=_is_hex, bare=_is_orders_line
)
canon = GRAMMAR.canon
line_of = GRAMMAR.line_of
lines_of = GRAMMAR.lines_of


# Reading orders: blocks of lines in English or Spanish, by the names that a camp may use.


@lru_cache(maxsize=16)
def _hexes(ids: frozenset[str]) -> Names:
    return Names({ident: () for ident in sorted(ids)})


def _sides(edition: Edition) -> Mapping[str, str]:
    """Return the side of each counter of the scenario, lost and future ones included."""
    scenario = edition.scenario
    texts = (*scenario.get("units", ()), *(text for group in reinforcement_groups(scenario) for text in group["units"]))
    return {words[2]: words[0] for words in map(str.split, texts)}


SIDE_LANGUAGES = Languages(GRAMMAR.idiom, _sides, lambda edition: _hexes(edition.map.hexes), alliance_of)


def lexicon(view: State, side: str) -> Lexicon:
    """Return a seat's names: hexes, counters of its camp, and all counters it sees."""
    return SIDE_LANGUAGES.of(view.edition, view.units, side, view).lexicon


def in_play_order(orders: Orders) -> Orders:
    """Return a letter's orders in the order of a half (S1).

    Fire and assaults follow the moves, which keep their written order. No order is moved across an IF or a STOP IF,
    because earlier orders may decide it.
    """
    return orders._replace(actions=_sort_actions(orders.actions))


def _sort_actions(actions: Sequence[Action]) -> tuple[Action, ...]:
    ordered: list[Action] = []
    later_actions: list[Action] = []
    for action in actions:
        if isinstance(action, If | Stop):
            if isinstance(action, If):
                action = action._replace(then=_sort_actions(action.then), otherwise=_sort_actions(action.otherwise))
            ordered += [*later_actions, action]
            later_actions = []
        else:
            (later_actions if isinstance(action, Fire | Assault) else ordered).append(action)
    return (*ordered, *later_actions)


class _Parser(Parser[State, Action, Frame[Action]]):
    def order(self, reader: Reader, form: grammar.Form[State, object]) -> None:
        """Read DESPLEGAR as UNLIMBER, or as DEPLOY if a TO with a place follows."""
        destination = (
            GRAMMAR.vocabulary.length(reader.words, hex_id, "TO") for hex_id in range(reader.at, len(reader.words))
        )
        super().order(reader, GRAMMAR.by_verb["DEPLOY"] if form.verb == "UNLIMBER" and any(destination) else form)


def parse(text: str, view: State, seat: str) -> ParsedBlock:
    """Read a block of orders for a side up to the first END or FIN line."""
    side = view.edition.seats[seat]
    return _Parser(GRAMMAR, SIDE_LANGUAGES.of(view.edition, view.units, side, view), view, side, Frame).read(text)


def nobody_there_text(state: State, hex_id: str, side: str = "") -> Msg:
    """Return why a hex has no target: no enemy, or only commanders (S13).

    `side` is the side whose enemies count; if empty, the moving side.
    """
    if any(unit.camp != alliance_of(side or state.phase) for unit in state.at(hex_id)):
        return msg("only a commander stands in {hex}, and nobody fights a commander alone", hex=hex_id)
    return msg("there is no enemy in {hex}", hex=hex_id)


def not_carried_out(state: State, action: Action, refusal: Refusal) -> Event:
    """Return the event that an order was not carried out."""
    seats = seats_to_notify(state, state.edition.seats_of(state.phase), getattr(action, "jointly", ()))
    giver = Giver(state.phase, seats)
    return refusals.not_carried_out(action.line, line_of(action), refusal, giver)


def refuse_actors(
    state: State, ids: Sequence[str], lasting_only: bool, rule: str, besides: Sequence[str] = ()
) -> Refusal | None:
    """Refuse units that are absent, another's or named twice.

    `besides` are joint commands.
    """
    for number, ident in enumerate(ids):
        if ident in ids[:number]:
            return Refusal((rule,), msg("{unit} is named twice", unit=ident), ident)
        unit = state.units.get(ident)
        if unit is None and ident not in state.gone:
            return Refusal(("S1", rule), msg("{unit} has not come yet", unit=ident), ident)
        if unit is None:
            if lasting_only:
                continue
            return Refusal((rule,), msg("{unit} is no longer in play", unit=ident), ident)
        if unit.camp != alliance_of(state.phase):
            return Refusal((rule, "S1"), msg("{unit} is not yours", unit=ident), ident)
        holder = other_owner(state, ident, besides)
        if holder:
            return Refusal(("M1",), msg("{unit} is under {command}", unit=ident, command=holder), ident)
    return None
