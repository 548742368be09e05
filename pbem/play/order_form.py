"""The lines of an order form as letters show them: in their reader's words, none so long that a client breaks it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pbem.engine.data.canon import Json
from pbem.engine.data.languages import chosen, known
from pbem.engine.game import Game
from pbem.engine.orders import speech
from pbem.engine.orders.block import ORDERS
from pbem.engine.orders.wrapped import fold_form
from pbem.engine.parts import FormTerms
from pbem.play.positions import Position


def lines(rules: Game, view: Any, seat: str, language: str, terms: FormTerms) -> list[str]:
    """Return what a game offers a seat, without header and END; nothing if it offers none now."""
    offered = rules.aids.template(view, seat, language, terms)
    return fold_form(speech.echoed(offered, rules.telling.spoken, language))


def promise(here: Position, template: Sequence[str], standing: Sequence[str]) -> Json:
    """What the odds of a form in a letter are reckoned from: the position, its language, the seat's standing orders.

    None if there is no form.
    """
    if not template:
        return None
    begun = {f"{chosen(one, *ORDERS)} ": one for one in reversed(known())}
    language = next((one for word, one in begun.items() if template[0].startswith(word)), "en")
    made = {"after": here.number, "language": language, "standing": list(standing)}
    if here.begun:
        # Letters of the phase were carried out: the position after them is nowhere else once another comes.
        made["midway"] = here.rules.encode(here.state)
    return made


def filled(template: Sequence[str], bare: Sequence[str], lines: Sequence[str]) -> list[str] | None:
    """A form with other lines in the place of those that it was made of; None if they are not in it."""
    many = len(bare)
    for at in range(1, len(template) - many) if many else ():
        if list(template[at : at + many]) == list(bare):
            return [*template[:at], *lines, *template[at + many :]]
    return None
