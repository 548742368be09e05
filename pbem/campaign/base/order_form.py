"""The lines of an order form as letters show them: in their reader's words, none so long that a client breaks it."""

from __future__ import annotations

from typing import Any

from pbem.core.game import Game
from pbem.core.orders import speech
from pbem.core.orders.wrapped import fold_form
from pbem.core.parts import FormTerms

__all__ = ["lines"]


def lines(rules: Game, view: Any, seat: str, language: str, terms: FormTerms) -> list[str]:
    """Return what a game offers a seat, without header and END; nothing if it offers none now."""
    offered = rules.aids.template(view, seat, language, terms)
    return fold_form(speech.echoed(offered, rules.telling.spoken, language))
