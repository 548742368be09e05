"""The words of the orders, in English and in Spanish at once; a letter may mix them.

The first phrase of a keyword is the canonical one, the second the Spanish one. TO covers AT as well. Shared on purpose:
SI is IF and YES, NO is NO, NOT and the Spanish north-west; the grammar knows which it can use.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pbem.engine.data.called import read_called
from pbem.engine.orders import speech
from pbem.engine.orders.lex import Vocabulary
from pbem.engine.orders.words import COMMON

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
SHARED: Mapping[str, tuple[str, ...]] = {
    "si": ("IF", "YES"),
    "no": ("NO", "NOT", "NW"),
    "en": ("TO", "WITHIN"),
    "desplegar": ("DEPLOY", "UNLIMBER"),
}
"""Phrases that say several keywords, folded."""

_SHOWN: Mapping[str, tuple[str, str]] = {"SPACE": ("HEX", "HEX"), "PF": ("PF", "PF")}
"""The spaces of this game are hexes, and its points are called PF in both languages."""

VOCABULARY = Vocabulary({**COMMON, **_TABLE}, _SHOWN)
CALLED = read_called(Path(__file__).resolve().parent.parent / "locale" / "names.toml")


def spoken(text: str, language: str) -> str:
    """Return canonical orders in the words of a language, names as it writes them."""
    return speech.spoken(text, VOCABULARY, language, CALLED)
