"""Who lays the order desks of letters: the game says what may be done, the catalogue how it is called."""

from __future__ import annotations

from functools import cache

from pbem.core.data.messages import Msg
from pbem.pages.desk import desk_page
from pbem.pages.desk.words import worded
from pbem.reports.catalogue import load

__all__ = ["desk_page", "page_words", "says"]


def says(game: str, language: str, sentence: Msg) -> str:
    """Return a sentence of the house or of a game, as a language has it."""
    return load(language, game).say(sentence)


@cache
def page_words() -> dict[str, list[str]]:
    """Return all that the page says, in both languages."""
    return worded(lambda language, sentence: says("", language, sentence))
