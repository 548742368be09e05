"""K4 Read and write the orders of a camp, in both languages.

REFIT Cordoba 2 REPONER Cordoba 2 steps to a unit that is ready REBUILD Luchana REHACER Luchana a broken unit comes
back REPLACE Cuenca WITH Infante RELEVAR Cuenca CON Infante one that is away takes another's place BRING Guard TRAER
Guard a formation comes to the next leg HOSPITAL Reserve HOSPITAL Reserve a formation's sick are cared for ENTRENCH
Amsal ATRINCHERAR Amsal a space of the next leg is fortified ROAD Camino TO Ribera CALZADA Camino A Ribera a path of
it is a road SCOUT EXPLORAR the enemy's deployment is seen first
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from pbem.engine.data.languages import read_display_names
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders import speech
from pbem.engine.orders.grammar import CitedRules, Grammar, ReadingContext, Slot, form, name, place, unit
from pbem.engine.orders.lex import COMMON, Vocabulary
from pbem.engine.orders.names import Names
from pbem.engine.orders.parser import Frame, Languages, Parser, index
from pbem.engine.orders.standing import Idiom, Pass
from pbem.engine.terms import ParsedBlock
from pbem.games.camp.state import Edition, State

VOCABULARY = Vocabulary(
    {
        **COMMON,
        "REFIT": ("REFIT", "REPONER"),
        "REBUILD": ("REBUILD", "REHACER"),
        "REPLACE": ("REPLACE", "RELEVAR"),
        "BRING": ("BRING", "TRAER"),
        "HOSPITAL": ("HOSPITAL",),
        "ENTRENCH": ("ENTRENCH", "ATRINCHERAR"),
        "ROAD": ("ROAD", "CALZADA"),
        "SCOUT": ("SCOUT", "EXPLORAR"),
    }
)
DISPLAY_NAMES = read_display_names(Path(__file__).parent / "locale" / "names.toml")


def translate_orders(text: str, language: str) -> str:
    """Return canonical orders in the words of a language, names as it writes them."""
    return speech.translate(text, VOCABULARY, language, DISPLAY_NAMES)


# K4 The orders of a camp as records, each with the line of the letter it stands in.


class Refit(NamedTuple):
    """An order of steps for a ready unit."""

    line: int
    unit: str
    steps: int


class Rebuild(NamedTuple):
    """An order to restore a broken unit at half strength."""

    line: int
    unit: str


class Replace(NamedTuple):
    """An order to replace a unit of the same type by one that is away."""

    line: int
    unit: str
    new: str


class Bring(NamedTuple):
    """An order to bring a formation to the next leg."""

    line: int
    formation: str


class Hospital(NamedTuple):
    """An order to care for a formation's sick."""

    line: int
    formation: str


class Entrench(NamedTuple):
    """An order to fortify a space of the next leg."""

    line: int
    space: str


class Road(NamedTuple):
    """An order to make a path of the next leg a road."""

    line: int
    start: str
    end: str


class Scout(NamedTuple):
    """An order to see the enemy's deployment before deploying."""

    line: int


Action = Refit | Rebuild | Replace | Bring | Hospital | Entrench | Road | Scout | Pass


def _formations(context: ReadingContext[State]) -> Names:
    war = context.view.edition.war
    own = (formation.id for formation in war.formations.values() if formation.side == context.side)
    return index(tuple((ident, tuple(_formation_names(ident))) for ident in own))


def _formation_names(formation: str) -> Iterator[str]:
    """Yield a formation's names in other languages."""
    return (names.names[formation] for names in DISPLAY_NAMES.values() if formation in names.names)


def _no_formation(words: str) -> Msg:
    return msg("there is no formation {formation} of yours", formation=words)


SLOTS: Mapping[str, Slot[State]] = {
    "unit": unit("K4"),
    "number": Slot(lambda reader, known: reader.number()),
    "formation": name(_formations, _no_formation, "K4"),
    "space": place("K4"),
}
GRAMMAR: Grammar[State, Action] = Grammar(
    VOCABULARY,
    Idiom("K3", (), {}),
    CitedRules("K3", "K3"),
    (
        form("REFIT {unit:unit} {steps:number}", Refit, SLOTS, VOCABULARY),
        form("REBUILD {unit:unit}", Rebuild, SLOTS, VOCABULARY),
        form("REPLACE {unit:unit} WITH {new:unit}", Replace, SLOTS, VOCABULARY),
        form("BRING {formation:formation}", Bring, SLOTS, VOCABULARY),
        form("HOSPITAL {formation:formation}", Hospital, SLOTS, VOCABULARY),
        form("ENTRENCH {space:space}", Entrench, SLOTS, VOCABULARY),
        form("ROAD {start:space} TO {end:space}", Road, SLOTS, VOCABULARY),
        form("SCOUT", Scout, SLOTS, VOCABULARY),
    ),
    apart=lambda token: token.text.isdigit(),
    branching=False,
)


def _sides(edition: Edition) -> Mapping[str, str]:
    return {ident: entry.side for ident, entry in edition.war.units.items()}


def _spaces(edition: Edition) -> Names:
    """Return the spaces of the next leg."""
    return index(tuple((space, ()) for space in edition.scenario["legs"][edition.number][2]))


SIDE_LANGUAGES: Languages[Edition] = Languages(GRAMMAR.idiom, _sides, _spaces)


def parse(text: str, view: State, seat: str) -> ParsedBlock:
    """Read a side's block as orders; every mistake becomes a refused line."""
    side = view.edition.seats[seat]
    frame: Callable[..., Frame[Action]] = Frame
    return Parser(GRAMMAR, SIDE_LANGUAGES.of(view.edition, {}, side), view, side, frame).read(
        _EDGE.sub(r"\1 TO ", text)
    )


_EDGE = re.compile(r"^(\s*(?:ROAD|CALZADA)\s+[^\s-]+) ?- ?(?=\S)", re.IGNORECASE | re.MULTILINE)
"""A road as reports name it, ``Camino-Ribera``; it is read like ``Camino TO Ribera``."""
