"""The words of a camp's orders, in English and in Spanish at once."""

from __future__ import annotations

from pathlib import Path

from pbem.engine.data.languages import read_called
from pbem.engine.orders import speech
from pbem.engine.orders.lex import COMMON, Vocabulary

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
CALLED = read_called(Path(__file__).parent / "locale" / "names.toml")


def spoken(text: str, language: str) -> str:
    """Return canonical orders in the words of a language, names as it writes them."""
    return speech.spoken(text, VOCABULARY, language, CALLED)
