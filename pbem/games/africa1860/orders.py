"""O2-O8 Define the orders: plain data, words, reading and writing.

In an order `line` counts in the text that it was read from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from pbem.engine.commanders.orders import (
    Assign,
    Cover,
    March,
    Relieve,
    Show,
    Wait,
    command_forms,
    command_slot,
    or_partner_units,
)
from pbem.engine.data.languages import read_display_names
from pbem.engine.data.messages import msg
from pbem.engine.deployment import DEPLOYMENT_PHASE, Deploy, refuse_before_turn_1
from pbem.engine.orders import speech
from pbem.engine.orders.cursor import Reader
from pbem.engine.orders.grammar import (
    CitedRules,
    Form,
    Grammar,
    Ids,
    ReadingContext,
    Slot,
    either,
    form,
    groups,
    place,
    unit,
    units,
)
from pbem.engine.orders.lex import COMMON, Statement, Vocabulary, tokens
from pbem.engine.orders.names import Names
from pbem.engine.orders.parser import Frame, Languages, Parser, index
from pbem.engine.orders.standing import Condition, Idiom, If, Lexicon, Pass, Stop, flat
from pbem.engine.terms import OrderWarning, ParsedBlock
from pbem.games.africa1860.edition import Edition
from pbem.games.africa1860.state import State


class Activate(NamedTuple):
    """O2 A space and what its units do, in order."""

    line: int
    space: str
    actions: tuple[Action, ...] = ()


class Move(NamedTuple):
    """O3 Units and leaders to a space.

    `via` is the space between, where more than one way leads to a space two off.
    """

    line: int
    units: Ids
    leaders: Ids
    to: str
    via: str = ""


class Fire(NamedTuple):
    """O7 Shots in the order written, each a group of guns, at a space."""

    line: int
    shots: tuple[Ids, ...]
    at: str


class Assault(NamedTuple):
    """O8 An assault (`verb` ASSAULT) or a charge (CHARGE).

    A vanguard or screen that is not named is empty; the screen NONE means that there is none. M2.2 `joint` is the
    command whose set has the other line of a joint assault, `jointly` are both commands after the two lines are
    joined.
    """

    line: int
    verb: str
    target: str
    units: Ids
    leader: str = ""
    vanguard: str = ""
    screen: str = ""
    support: tuple[Ids, ...] = ()
    detach: Ids = ()
    losses: Ids = ()
    via: str = ""
    joint: str = ""
    jointly: Ids = ()


class Caracole(NamedTuple):
    """O3.3 Cavalry rides to an adjacent space, fires, and rides back to friends.

    Several units caracole one after another.
    """

    line: int
    units: Ids
    at: str
    back: str = ""


class Retire(NamedTuple):
    """O5, R8 Demoralised units towards their nearest rear town.

    Without a space they go as far as they may.
    """

    line: int
    units: Ids
    to: str = ""


Orders = Activate | Move | Fire | Assault | Caracole | Retire | Deploy | Pass | Stop
Action = Orders | March | Wait | Show | Assign | Relieve | Cover | If["Action"]


def orders_under(action: Action) -> tuple[Action, ...]:
    """O2 Return what the units of an activated space do."""
    return action.actions if isinstance(action, Activate) else ()


def orders_by_space(actions: Iterable[Action], space: str = "") -> Iterator[tuple[str, Action]]:
    """Yield every order with its activated space, at first `space`."""
    for action in flat(actions):
        if isinstance(action, Activate):
            yield from orders_by_space(action.actions, action.space)
        else:
            yield space, action


def spaces_of(state: State, action: Action) -> tuple[str, ...]:
    """Return the spaces where the units of an order stand and act."""
    units = chain.from_iterable(action.shots) if isinstance(action, Fire) else getattr(action, "units", ())
    named = (*units, *getattr(action, "leaders", ()))
    return tuple(sorted({state.units[ident].at for ident in named if ident in state.units}))


_TABLE: Mapping[str, tuple[str, ...]] = {
    "ACTIVATE": ("ACTIVATE", "ACTIVAR"),
    "MOVE": ("MOVE", "MOVER"),
    "ASSAULT": ("ASSAULT", "ASALTAR"),
    "FIRE": ("FIRE", "FUEGO", "DISPARAR"),
    "CHARGE": ("CHARGE", "CARGAR"),
    "CARACOLE": ("CARACOLE", "CARACOLA"),
    "RETIRE": ("RETIRE", "REPLEGAR"),
    "LED BY": ("LED BY", "AL MANDO DE"),
    "VANGUARD": ("VANGUARD", "VANGUARDIA"),
    "SCREEN": ("SCREEN", "CORTINA"),
    "SUPPORT": ("SUPPORT", "APOYO"),
    "DETACH": ("DETACH", "DESTACAR"),
    "LOSSES": ("LOSSES", "BAJAS"),
    "BACK TO": ("BACK TO", "VUELTA A"),
    "VIA": ("VIA", "POR"),
    "BY": ("BY", "POR"),
    "ASSAULTED": ("ASSAULTED", "ASALTADO", "ASALTADA"),
    "APPROACHED": ("APPROACHED", "APROXIMADO", "APROXIMADA"),
    "SHELLED": ("SHELLED", "BOMBARDEADO", "BOMBARDEADA"),
    "CHARGED": ("CHARGED", "CARGADO", "CARGADA"),
    "CAVALRY": ("CAVALRY", "CABALLERIA"),
    "STAY": ("STAY", "PERMANECER"),
    "SHELTER": ("SHELTER", "AMPARARSE"),
    "COUNTERCHARGE": ("COUNTERCHARGE", "CONTRACARGA"),
    "ARTILLERY": ("ARTILLERY", "ARTILLERIA"),
    "KEEP": ("KEEP", "GUARDAR"),
    "COUNTERBATTERY": ("COUNTERBATTERY", "CONTRABATERIA"),
    "APPROACH": ("APPROACH", "APROXIMACION"),
    "IGNORE": ("IGNORE", "IGNORAR"),
    "FALLBACK": ("FALLBACK", "RETIRADA"),
    "INF": ("INF",),
    "LIGHT": ("LIGHT", "LIGERA"),
    "CAV": ("CAV", "CAB"),
    "ART": ("ART",),
    "STEPS": ("STEPS", "PASOS"),
    "FRESH": ("FRESH", "FRESCA", "FRESCO"),
    "DEMORALISED": ("DEMORALISED", "DESMORALIZADA", "DESMORALIZADO"),
    "SPENT": ("SPENT", "AGOTADA", "AGOTADO"),
}
SHARED_PHRASES: Mapping[str, tuple[str, ...]] = {
    "si": ("IF", "YES"),
    "no": ("NO", "NOT"),
    "en": ("TO", "WITHIN"),
    "por": ("BY", "VIA"),
}
"""Phrases that mean two keywords, in lower case without accents."""

VOCABULARY = Vocabulary({**COMMON, **_TABLE})
DISPLAY_NAMES = read_display_names(Path(__file__).resolve().parent / "locale" / "names.toml")


def translate_orders(text: str, language: str) -> str:
    """Return canonical orders in the words of a language, names as it writes them."""
    spoken = speech.translate(text, VOCABULARY, language, DISPLAY_NAMES)
    # Shelter is no place in Spanish: nobody caracoles to it.
    return spoken.replace(" A AMPARARSE", " AMPARARSE") if language == "es" else spoken


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
STANDING_EVENTS = ("ASSAULTED", "APPROACHED", "SHELLED", "CHARGED")
COUNT_KEYWORDS = ("STEPS", "UNITS", "CAV", "INF", "ART")
STATE_KEYWORDS = ("HERE", "FRESH", "DEMORALISED", "SPENT")
BRANCH_KEYWORDS = ("INF", "LIGHT", "CAV", "ART")
GAME_KEYWORDS = Idiom("C10", STANDING_EVENTS, REACTIONS, COUNT_KEYWORDS, STATE_KEYWORDS, BRANCH_KEYWORDS, "STEPS")

SLOTS: Mapping[str, Slot[State]] = {
    "space": place("O2"),
    "unit": unit("R2"),
    "set": units("R2"),
    "list": units("R2", ordered=True),
    "guns": groups(),
    "screen": or_partner_units(either("NONE", unit("R2"), "NONE")),
    "support": either("NONE", groups(), ()),
    "command": command_slot(),
    "detached": or_partner_units(either("NONE", units("R2"), ())),
    "anyone": or_partner_units(unit("R2")),
    "anyones": or_partner_units(units("R2", ordered=True)),
}
_CLAUSES = """(LED BY {leader:unit} | VANGUARD {vanguard:anyone} | SCREEN {screen:screen} | SUPPORT {support:support}
    | DETACH {detach:detached} | LOSSES {losses:anyones} | VIA {via:space} | JOINT WITH {joint:command})"""


def _read_move(reader: Reader, context: ReadingContext[State]) -> Move:
    """Read a move; units and leaders are told apart, however they are named."""
    named = list(SLOTS["list"].read(reader, context))
    if reader.accept("WITH"):
        named += SLOTS["list"].read(reader, context)
    reader.expect("TO")
    destination = SLOTS["space"].read(reader, context)
    via = SLOTS["space"].read(reader, context) if reader.accept("VIA") else ""
    there = context.view.units
    leaders = tuple(sorted(ident for ident in named if ident in there and there[ident].is_leader))
    return Move(reader.line, tuple(sorted(ident for ident in named if ident not in leaders)), leaders, destination, via)


def _write_move(move: Move) -> str:
    write = SLOTS["set"].write
    leaders = f" WITH {write(move.leaders)}" if move.units and move.leaders else ""
    via = f" VIA {move.via}" if move.via else ""
    return f"MOVE {write(move.units or move.leaders)}{leaders} TO {move.to}{via}"


ORDER_FORMS: Sequence[Form[State, Any]] = (
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

GRAMMAR: Grammar[State, Action] = Grammar(VOCABULARY, GAME_KEYWORDS, CitedRules("O3", "O2"), ORDER_FORMS, orders_under)
canon = GRAMMAR.canon
line_of = GRAMMAR.line_of
lines_of = GRAMMAR.lines_of


# Reading orders, where this game has its own way: ACTIVATE heads what its units do, and the names that letters use.


def _sides(edition: Edition) -> Mapping[str, str]:
    """Return the side of each unit of the scenario, in play or not."""
    scenario = edition.scenario
    texts = [*scenario.get("units", ()), *(row["unit"] for row in scenario.get("reinforcements", ()))]
    return {words[2]: words[0] for words in map(str.split, texts)}


def _spaces(edition: Edition) -> Names:
    return index(tuple((space.id, (space.en, space.es)) for _, space in sorted(edition.map.spaces.items())))


SIDE_LANGUAGES = Languages(GRAMMAR.idiom, _sides, _spaces)


def lexicon(view: State, side: str) -> Lexicon:
    """Return the names that a seat of `side` may use.

    They are spaces, its own units, and all units it can see.
    """
    return SIDE_LANGUAGES.of(view.edition, view.units, side, view).lexicon


class _Frame(Frame[Action]):
    """The current activation and its space.

    The lines below a refused ACTIVATE are `lost`.
    """

    space: str
    lost: bool
    supplied: bool
    """Whether its ACTIVATE was missing and was added."""

    def __init__(self, around: _Frame | None, line: int = 0, condition: Condition = ()) -> None:
        super().__init__(around, line, condition)
        self.activation: Activate | None = None
        self.begin()

    def begin(self) -> None:
        """Start with the space of the lines around this block."""
        self.space, self.lost = (self.around.space, self.around.lost) if self.around else ("", False)
        self.supplied = False

    def add(self, action: Action) -> None:
        if self.lost and not isinstance(action, Retire | If | Stop):
            return
        if self.activation is None:
            super().add(action)
        else:
            self.activation = self.activation._replace(actions=(*self.activation.actions, action))

    def close(self) -> tuple[Action, ...]:
        """End the activation begun here and return its actions."""
        if self.activation is not None:
            self.items.append(self.activation)
            self.activation = None
        return super().close()

    def turn(self) -> None:
        super().turn()
        self.begin()


class _Parser(Parser[State, Action, _Frame]):
    def __init__(self, view: State, side: str) -> None:
        super().__init__(GRAMMAR, SIDE_LANGUAGES.of(view.edition, view.units, side, view), view, side, _Frame)

    def order(self, reader: Reader, form: Form[State, Any]) -> None:
        frame = self.frames[-1]
        if form.kind is Activate:
            supplied = frame.activation if frame.supplied else None
            frame.close()
            frame.lost, frame.space = True, "?"
            activate: Activate = form.read(reader, self.known)
            reader.finish()
            if supplied is not None and supplied.space == activate.space:
                # An order above its own ACTIVATE: what was added there serves for both.
                activate = supplied
                frame.items.pop()
            frame.lost, frame.space, frame.activation, frame.supplied = False, activate.space, activate, False
            return
        action: Action = form.read(reader, self.known)
        reader.finish()
        self.note_cover(action)
        if not frame.space and not isinstance(
            action, Retire | Deploy | Pass | Stop | March | Wait | Show | Assign | Relieve | Cover
        ):
            if self.known.view.phase == DEPLOYMENT_PHASE:
                reader.at, refusal = 0, refuse_before_turn_1("K6")
                raise reader.wrong(refusal.why, refusal.rules[0])
            self._supply(reader, frame, action)
        elif (
            frame.supplied
            and (spaces := spaces_of(self.known.view, action))
            and len(spaces) == 1
            and spaces != (frame.space,)
        ):
            frame.close()
            self._supply(reader, frame, action)
        frame.add(action)

    def _supply(self, reader: Reader, frame: _Frame, action: Action) -> None:
        """O2 Add the missing ACTIVATE of an order, and say so.

        This is done if its units are all in one space.
        """
        spaces = spaces_of(self.known.view, action)
        if len(spaces) != 1:
            reader.at = 0
            why = msg("no space is activated yet: ACTIVATE comes first")
            if spaces:
                why = msg(
                    "no space is activated yet, and its units stand in {spaces}: ACTIVATE comes first", spaces=spaces
                )
            # Three ways to mend it: a choice, as the reason names all spaces.
            raise reader.wrong(why, "O2", tuple(f"ACTIVATE {space}" for space in spaces[:3]))
        frame.space, frame.supplied = spaces[0], True
        frame.activation = Activate(reader.line, spaces[0])
        why = msg("ACTIVATE {space} was missing above this line; I have put it in", space=spaces[0])
        self.warned.append(OrderWarning(reader.line, why, "O2", now=True))

    def attack(self, reader: Reader) -> None:
        """Read an assault or charge FROM a space, or from where its units stand."""
        space = SLOTS["space"].read(reader, self.known) if reader.accept("FROM") else ""
        form = GRAMMAR.by_verb[reader.expect("ASSAULT", "CHARGE")]
        order = form.read(reader, self.known)
        reader.finish()
        there = self.known.view.units
        places = sorted({there[ident].at for ident in order.units if ident in there})
        if not space and len(places) > 1:
            reader.at = 0
            why = msg("its units stand in {spaces}: say FROM which of them", spaces=tuple(places))
            # Three, as above.
            raise reader.wrong(why, "O8.1", tuple(f"FROM {place} {order.verb}" for place in places[:3]))
        self.frames[0].items.append(Activate(order.line, space or "".join(places), (order,)))


def parse(text: str, view: State, seat: str) -> ParsedBlock:
    """Read a seat's block of orders, up to the first line END or FIN."""
    side = view.edition.seats[seat]
    return _Parser(view, side).read(text)


def parse_attack(text: str, view: State, side: str) -> ParsedBlock:
    """Read the ASSAULT or CHARGE line of a question by its fixed checks.

    ``[FROM space]`` may come before it.
    """
    parser = _Parser(view, side)
    parser.read_guarded(Statement(1, tokens(text)), parser.attack)
    return parser.reading()
