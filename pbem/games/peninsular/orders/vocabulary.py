"""The words of the orders, in English and in Spanish at once; a letter may mix them.

The first phrase of a keyword is the canonical one, the second the Spanish one. TO covers AT as well. Shared on purpose:
SI is IF and YES, NO is NO, NOT and the Spanish north-west; the grammar knows which it can use.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pbem.core.data.called import read_called
from pbem.core.orders import speech
from pbem.core.orders.lex import Vocabulary

__all__ = ["CALLED", "SHARED", "VOCABULARY", "spoken"]

_TABLE: Mapping[str, tuple[str, ...]] = {
    "ORDERS": ("ORDERS", "ORDENES"),
    "ORDER": ("ORDER", "ORDEN"),
    "ATTACK": ("ATTACK", "ATAQUE", "ATACAR"),
    "MANOEUVRE": ("MANOEUVRE", "MANIOBRA", "MANIOBRAR", "MANEUVER"),
    "HOLD": ("HOLD", "MANTENER"),
    "REORGANISE": ("REORGANISE", "REORGANIZAR", "REORGANIZE"),
    "MOVE": ("MOVE", "MOVER"),
    "FACE": ("FACE", "FRENTE", "ENCARAR"),
    "FORM": ("FORM", "FORMAR"),
    "FORMED": ("FORMED", "LINEA", "FORMADA", "REGULAR", "LINE"),
    "SKIRMISH": ("SKIRMISH", "GUERRILLA"),
    "SQUARE": ("SQUARE", "CUADRO"),
    "LIMBER": ("LIMBER", "ENGANCHAR"),
    "UNLIMBER": ("UNLIMBER", "DESPLEGAR"),
    "FIRE": ("FIRE", "FUEGO", "DISPARAR"),
    "ASSAULT": ("ASSAULT", "ASALTAR"),
    "CHARGE": ("CHARGE", "CARGAR"),
    "PASS": ("PASS", "PASAR"),
    "N": ("N",),
    "NE": ("NE",),
    "SE": ("SE",),
    "S": ("S",),
    "SW": ("SW", "SO"),
    "NW": ("NW", "NO"),
    "WITH": ("WITH", "CON"),
    "TO": ("TO", "A", "AT", "EN"),
    "LED BY": ("LED BY", "AL MANDO DE"),
    "FIRE HOLD": ("FIRE HOLD", "ALTO EL FUEGO", "HOLD FIRE"),
    "NONE": ("NONE", "NADA", "NINGUNA"),
    "ALL": ("ALL", "Todos", "Todo", "Toda"),
    "STANDING": ("STANDING", "DOCTRINA"),
    "ENDSTANDING": ("ENDSTANDING", "FINDOCTRINA"),
    "FOR": ("FOR", "PARA"),
    "SPACE": ("SPACE", "ESPACIO", "HEX", "HEXAGONO"),
    "LEADER": ("LEADER", "LIDER"),
    "UNIT": ("UNIT", "UNIDAD"),
    "WHEN": ("WHEN", "CUANDO"),
    "ASSAULTED": ("ASSAULTED", "ASALTADO"),
    "CHARGED": ("CHARGED", "CARGADO"),
    "SHELLED": ("SHELLED", "BOMBARDEADO"),
    "IF": ("IF", "SI"),
    "THEN": ("THEN", "ENTONCES"),
    "ELSE": ("ELSE", "SINO"),
    "ENDIF": ("ENDIF", "FINSI"),
    "STOP IF": ("STOP IF", "PARAR SI"),
    "NOT": ("NOT", "NO"),
    "AND": ("AND", "Y"),
    "OR": ("OR", "O"),
    "ODDS": ("ODDS", "PROPORCION"),
    "AT LEAST": ("AT LEAST", "AL MENOS"),
    "AT MOST": ("AT MOST", "COMO MUCHO"),
    "LESS THAN": ("LESS THAN", "MENOS DE"),
    "MORE THAN": ("MORE THAN", "MAS DE"),
    "STAND": ("STAND", "RESISTIR"),
    "RETREAT": ("RETREAT", "RETROCEDER"),
    "1": ("1",),
    "2": ("2",),
    "ADVANCE": ("ADVANCE", "AVANZAR"),
    "RALLY": ("RALLY", "REHACERSE"),
    "AT WILL": ("AT WILL", "A DISCRECION", "WILL", "DISCRECION"),
    "ASSAULTERS": ("ASSAULTERS", "ASALTANTES"),
    "NEAREST": ("NEAREST", "MASCERCANO"),
    "ASK": ("ASK", "CONSULTAR"),
    "WITHIN": ("WITHIN", "EN"),
    "LIMIT": ("LIMIT", "LIMITE"),
    "STRONGEST": ("STRONGEST", "MASFUERTE"),
    "WEAKEST": ("WEAKEST", "MASDEBIL"),
    "FRESHEST": ("FRESHEST", "MASFRESCA"),
    "INF": ("INF",),
    "CAV": ("CAV", "CAB"),
    "ART": ("ART",),
    "MINE": ("MINE", "MIO"),
    "ENEMY": ("ENEMY", "ENEMIGO"),
    "EMPTY": ("EMPTY", "VACIO"),
    "FROM": ("FROM", "DESDE"),
    "MY": ("MY", "MI", "MIS"),
    "PF": ("PF", "FUERZA", "STRENGTH", "STEPS", "PASOS"),
    "UNITS": ("UNITS", "UNIDADES"),
    "TURN": ("TURN", "TURNO"),
    "VP": ("VP", "PV"),
    "HERE": ("HERE", "AQUI"),
    "FRESH": ("FRESH", "FRESCA"),
    "DISORDERED": ("DISORDERED", "DESORDENADA", "DEMORALISED"),
    "SPENT": ("SPENT", "AGOTADA"),
    "YES": ("YES", "SI"),
    "NO": ("NO",),
    "END": ("END", "FIN"),
}
SHARED: Mapping[str, tuple[str, ...]] = {
    "si": ("IF", "YES"),
    "no": ("NO", "NOT", "NW"),
    "en": ("TO", "WITHIN"),
}
"""Phrases that say several keywords, folded."""

_SHOWN: Mapping[str, tuple[str, str]] = {"SPACE": ("HEX", "HEX"), "PF": ("PF", "PF")}
"""The spaces of this game are hexes, and its points are called PF in both languages."""

VOCABULARY = Vocabulary(_TABLE, _SHOWN)
CALLED = read_called(Path(__file__).resolve().parent.parent / "locale" / "names.toml")


def spoken(text: str, language: str) -> str:
    """Return canonical orders in the words of a language, names as it writes them."""
    return speech.spoken(text, VOCABULARY, language, CALLED)
