"""Who lays the order desks of letters: the game says what may be done, the catalogue how it is called."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache, partial
from typing import TYPE_CHECKING

from pbem.cli.rulebooks import registry
from pbem.engine.data.canon import Json
from pbem.engine.data.languages import at_hand, follow
from pbem.engine.data.messages import Msg
from pbem.letters.catalogue import load
from pbem.pages.desk import ATTACHMENT, desk_page
from pbem.pages.desk.data import Desk, Sent, desk_data
from pbem.pages.desk.words import WORDS as DESK_WORDS
from pbem.pages.wording import worded

if TYPE_CHECKING:
    from pbem.runtime.page_makers import Workplace

PAGE = "desk.html"
"""The name under which a letter brings the page."""


class DeskJoiner:
    """Lays one desk after another, in the thread that asks."""

    def lay(self, place: Workplace) -> Sequence[tuple[str, str]]:
        """Return the page with the data in it, and the data alone."""
        data = laid(place)
        return (PAGE, desk_page(page_words(), data)), (ATTACHMENT, json.dumps(data, indent=0) + "\n")


def laid(place: Workplace) -> Json:
    """Return the data of a desk."""
    rules = registry(place.rules)
    if rules.pictured is None:
        raise LookupError(f"{place.rules} has no map that can be drawn")
    return desk_data(
        Desk(
            rules,
            place.view,
            place.seat,
            place.language,
            Sent(place.address, place.subject, place.turn, place.code),
            rules.pictured.picture(place.view, place.seat, ()),
            rules.aids.offers(place.view, place.seat, place.terms),
            place.terms.begun,
        ),
        partial(says, place.rules),
    )


def says(game: str, language: str, sentence: Msg) -> str:
    """Return a sentence of the house or of a game, as a language has it."""
    return load(at_hand(language), game).say(sentence)


@cache
def page_words() -> dict[str, list[str]]:
    """Return all that the page says, in all languages."""
    return worded(partial(says, ""), DESK_WORDS)


follow(page_words.cache_clear)
