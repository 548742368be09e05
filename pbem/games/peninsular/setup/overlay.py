"""What is looked up in each chart, and what the rules can read there: a chart laid over it must answer that."""

from __future__ import annotations

from collections.abc import Mapping

from pbem.engine.map.overlays import Codes, Wanted
from pbem.games.peninsular.ground.hexmap import TERRAINS

_DIE = (-40, -20, *range(-10, 16), 40)
"""Dice with their modifiers; both ends must be open."""
_WILLS = tuple("ABCDEF")
_SIDES = ("river", "stream", "bridge", "ford", "ravine", "slope up", "slope down", "impassable slope up")
_LINES = ("impassable slope down", "siege lines front", "siege lines behind")
_MP = Codes(r"\+?\d{1,2}[A-K]*|PH?", "MP with or without + and letters, P or PH")
_NUMBER = Codes("[1-9]|1[0-9]", "a number of 1 to 19")
_LIMIT = Codes(r"\d{1,2}|unit|yes|no", "a number, unit, yes or no")
_CHANGE = Codes("[0-9]", "MP of 0 to 9")
_FORMATIONS = ("inf formed", "inf skirmish", "inf square", "cav formed", "cav skirmish", "unlimbered", "limbered")

WANTED: Mapping[str, Wanted] = {
    "terrain": Wanted(
        (*TERRAINS, "road", *_SIDES, *_LINES),
        ("inf", "cav", "art", "fire", "shock"),
        _MP,
        {"fire": Codes("[-ABG]", "-, A, B or G"), "shock": Codes("[-AB]|PL?", "-, A, B, P or PL")},
    ),
    "will": Wanted(_DIE, _WILLS, Codes("SE|DE?", "SE, D or DE")),
    "stacking": Wanted(
        (*(name for name in TERRAINS if name != "sea"), "siege lines"),
        ("inf", "square", "skirmish", "cav", "riders", "alone", "with"),
        _LIMIT,
        {
            "skirmish": Codes("yes|no", "yes or no"),
            "riders": Codes("yes|no|dismounted", "yes, no or dismounted"),
        },
    ),
    "division": Wanted(_DIE, tuple("654321"), Codes("H|RE|SE", "H, RE or SE")),
    "fire": Wanted(_DIE, tuple(range(1, 13)), Codes(r"SE|[PMR]|[1-9][PMR]?", "SE, or PF with or without P, M, R")),
    "shock": Wanted(_DIE, (), Codes(r"SE|AB|BM|[AD]R[1-9]|DB[2-9]?", "SE, AB, BM, AR, DR or DB with its number")),
    "allowance": Wanted(
        ("infantry", "skirmishers", "cavalry", "heavy cavalry", "artillery", "horse artillery", "commanders"),
        ("spanish", "british", "portuguese", "french"),
        _NUMBER,
    ),
    "formation": Wanted(
        _FORMATIONS,
        ("formed", "skirmish", "square", "limbered", "unlimbered"),
        Codes("[0-9]|no", "MP of 0 to 9, or no"),
        {("unlimbered", "limbered"): _CHANGE, ("limbered", "unlimbered"): _CHANGE},
    ),
    "control": Wanted(_DIE, _WILLS, Codes("C|NC", "C or NC")),
    "range": Wanted(("light", "medium", "heavy"), ("range",), _NUMBER),
    "factor": Wanted(tuple(range(1, 20)), ("alone", "square"), Codes(r"x\d(/[1-9])?", "a multiple such as x3/2")),
}
"""By the name of the chart."""
