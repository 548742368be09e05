"""A little game's orders, to test the kit by: rafts on a river, their crews, and a tow that heads others."""

from __future__ import annotations

from typing import NamedTuple

from pbem.engine.orders.grammar import CitedRules, Grammar, Ids, Slot, either, form, groups, place, unit, units, word
from pbem.engine.orders.lex import COMMON, Vocabulary
from pbem.engine.orders.names import Names
from pbem.engine.orders.parser import Frame, Language, Parser
from pbem.engine.orders.standing import Idiom, If, Lexicon, Pass, Stop

PHRASES = "TOW REMOLCAR,LOAD CARGAR,DROP SOLTAR,VIA POR,SLOW LENTO,FAST,MET,WAVE SALUDAR"
WORDS = Vocabulary({**COMMON, **{phrases.split()[0]: phrases.split() for phrases in PHRASES.split(",")}})
IDIOM = Idiom("R9", ("MET",), {"WAVE": ""}, ("UNITS",))


class Tow(NamedTuple):
    line: int
    verb: str
    units: Ids
    to: str
    pace: str
    via: str = ""


class Load(NamedTuple):
    line: int
    crews: tuple[Ids, ...]
    at: str
    helped: Ids = ()
    led: str = ""


Action = Tow | Load | Pass | Stop | If["Action"]
SLOTS: dict[str, Slot[str]] = {
    "reach": place("R2"),
    "raft": unit("R3"),
    "rafts": units("R3", ordered=True, plus=True),
    "set": units("R3"),
    "crews": groups(),
    "helpers": either("NONE", units("R3"), ()),
    "pace": word("SLOW", "FAST"),
}
FORMS = (
    form("TOW {units:rafts} TO {to:reach} {pace:pace} [VIA {via:reach}]", Tow, SLOTS, WORDS, "R5"),
    form("DROP {units:set} AT {to:reach} {pace:pace}", Tow, SLOTS, WORDS),
    form("LOAD {crews:crews} AT {at:reach} (WITH {helped:helpers} | FOR {led:raft})", Load, SLOTS, WORDS),
)
GRAMMAR: Grammar[str, Action] = Grammar(WORDS, IDIOM, CitedRules("R1", "R4"), FORMS)
MINE = ("Ash", "Elm", "Oak", "Rowan")


def _names() -> tuple[Names, Names, Names]:
    units, spaces, mine = (Names(dict.fromkeys(ids, ())) for ids in ((*MINE, "Yew"), ("Ford", "Weir"), MINE))
    return units, spaces, mine


def lexicon() -> Lexicon:
    return Lexicon(IDIOM, *_names())


def parser(language: Language | None = None) -> Parser[str, Action, Frame[Action]]:
    return Parser(GRAMMAR, language or Language(lexicon(), {}, {}), "", "red", Frame)
