"""The words of the orders, in English and in Spanish at once; a letter may mix them.

The first phrase of a keyword is the canonical one, the second the Spanish one. TO covers AT as well. Some phrases are
shared on purpose: SI is IF and YES, NO is NO and NOT, POR is VIA and BY; the grammar knows which it can use.
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
    "ACTIVATE": ("ACTIVATE", "ACTIVAR"),
    "MOVE": ("MOVE", "MOVER"),
    "ASSAULT": ("ASSAULT", "ASALTAR"),
    "FIRE": ("FIRE", "FUEGO", "DISPARAR"),
    "CHARGE": ("CHARGE", "CARGAR"),
    "CARACOLE": ("CARACOLE", "CARACOLA"),
    "RETIRE": ("RETIRE", "REPLEGAR"),
    "PASS": ("PASS", "PASAR"),
    "WITH": ("WITH", "CON"),
    "TO": ("TO", "A", "AT", "EN"),
    "LED BY": ("LED BY", "AL MANDO DE"),
    "VANGUARD": ("VANGUARD", "VANGUARDIA"),
    "SCREEN": ("SCREEN", "CORTINA"),
    "SUPPORT": ("SUPPORT", "APOYO"),
    "DETACH": ("DETACH", "DESTACAR"),
    "LOSSES": ("LOSSES", "BAJAS"),
    "BACK TO": ("BACK TO", "VUELTA A"),
    "VIA": ("VIA", "POR"),
    "BY": ("BY", "POR"),
    "NONE": ("NONE", "NADA", "NINGUNA"),
    "ALL": ("ALL", "Todos", "Todo", "Toda"),
    "STANDING": ("STANDING", "DOCTRINA"),
    "ENDSTANDING": ("ENDSTANDING", "FINDOCTRINA"),
    "FOR": ("FOR", "PARA"),
    "SPACE": ("SPACE", "ESPACIO"),
    "LEADER": ("LEADER", "LIDER"),
    "UNIT": ("UNIT", "UNIDAD"),
    "WHEN": ("WHEN", "CUANDO"),
    "ASSAULTED": ("ASSAULTED", "ASALTADO"),
    "APPROACHED": ("APPROACHED", "APROXIMADO"),
    "SHELLED": ("SHELLED", "BOMBARDEADO"),
    "CHARGED": ("CHARGED", "CARGADO"),
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
    "ASK": ("ASK", "CONSULTAR"),
    "WITHIN": ("WITHIN", "EN"),
    "LIMIT": ("LIMIT", "LIMITE"),
    "STRONGEST": ("STRONGEST", "MASFUERTE"),
    "WEAKEST": ("WEAKEST", "MASDEBIL"),
    "FRESHEST": ("FRESHEST", "MASFRESCA"),
    "INF": ("INF",),
    "LIGHT": ("LIGHT", "LIGERA"),
    "CAV": ("CAV", "CAB"),
    "ART": ("ART",),
    "MINE": ("MINE", "MIO"),
    "ENEMY": ("ENEMY", "ENEMIGO"),
    "EMPTY": ("EMPTY", "VACIO"),
    "FROM": ("FROM", "DESDE"),
    "MY": ("MY", "MI", "MIS"),
    "STEPS": ("STEPS", "PASOS"),
    "UNITS": ("UNITS", "UNIDADES"),
    "TURN": ("TURN", "TURNO"),
    "VP": ("VP", "PV"),
    "HERE": ("HERE", "AQUI"),
    "FRESH": ("FRESH", "FRESCA"),
    "DEMORALISED": ("DEMORALISED", "DESMORALIZADA"),
    "SPENT": ("SPENT", "AGOTADA"),
    "YES": ("YES", "SI"),
    "NO": ("NO",),
    "END": ("END", "FIN"),
}
SHARED: Mapping[str, tuple[str, ...]] = {
    "si": ("IF", "YES"),
    "no": ("NO", "NOT"),
    "en": ("TO", "WITHIN"),
    "por": ("BY", "VIA"),
}
"""Phrases that say two keywords, folded."""

VOCABULARY = Vocabulary(_TABLE)
CALLED = read_called(Path(__file__).resolve().parent.parent / "locale" / "names.toml")


def spoken(text: str, language: str) -> str:
    """Return canonical orders in the words of a language, names as it writes them."""
    return speech.spoken(text, VOCABULARY, language, CALLED)
