"""The words of the orders, in English and in Spanish at once; a letter may mix them.

The first phrase of a keyword is the canonical one, the second the Spanish one. TO covers AT as well. Some phrases are
shared on purpose: SI is IF and YES, NO is NO and NOT, POR is VIA and BY; the grammar knows which it can use.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pbem.engine.data.called import read_called
from pbem.engine.orders import speech
from pbem.engine.orders.lex import Vocabulary
from pbem.engine.orders.words import COMMON

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
SHARED: Mapping[str, tuple[str, ...]] = {
    "si": ("IF", "YES"),
    "no": ("NO", "NOT"),
    "en": ("TO", "WITHIN"),
    "por": ("BY", "VIA"),
}
"""Phrases that say two keywords, folded."""

VOCABULARY = Vocabulary({**COMMON, **_TABLE})
CALLED = read_called(Path(__file__).resolve().parent.parent / "locale" / "names.toml")


def spoken(text: str, language: str) -> str:
    """Return canonical orders in the words of a language, names as it writes them."""
    return speech.spoken(text, VOCABULARY, language, CALLED)
