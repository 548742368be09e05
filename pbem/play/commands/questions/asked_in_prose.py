"""Suggest lines that answer the questions that players ask in prose.

"Would Cuenca take Cresta?" is no order: it is answered with the line ``ODDS ASSAULT Cresta WITH Cuenca``.
"""

from __future__ import annotations

from collections.abc import Sequence

from pbem.letters.commands import CommandForm
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.orders import prose
from pbem.play.commands.orders.prose_matching import OrderForm
from pbem.play.commands.orders.prose_words import is_question, split_sentences
from pbem.play.commands.questions import odds, views

_ODDS, _MOVES = odds.COMMANDS[0].form, next(record.form for record in views.COMMANDS if record.do is views.show_moves)
_ATTACKS = ("ASSAULT", "CHARGE")
_MOST = 3
"""Refused lines and questions of a letter that are looked at: each costs a search of the whole form."""


def suggest_odds(answer: SeatAnswer) -> None:
    """Suggest, for refused odds questions, the only attack with all their names."""
    form: OrderForm | None = None
    for index, error in enumerate(answer.errors):
        phrase, _, attack_text = error.text.strip().partition(" ")
        if phrase.upper() not in _ODDS.phrases or error.rejected.suggestions:
            continue
        form = form or prose.order_form(answer)
        groups = [] if form is None else form.possible_offers(attack_text)
        attacks = _attacks(groups)
        if len(groups) == 1 and len(groups[0]) == 1 and attacks:
            line = f"{_ODDS.phrase(answer.seat.language)} {answer.echo_lines(attacks)[0]}"
            answer.errors[index] = error._replace(rejected=error.rejected._replace(suggestions=(line,)))


def answerable_questions(answer: SeatAnswer) -> list[tuple[str, str]]:
    """Return lines that answer questions about attacks and units, in both languages."""
    asked = [text for text in split_sentences(answer.letter.text) if is_question(text)][:_MOST]
    form = prose.order_form(answer) if asked else None
    if form is None or form.here.rules.forecast is None:
        return []
    speak = form.here.rules.telling.spoken
    attacks = [attack for text in asked for attack in _attacks(form.read(text).found)][:_MOST]
    lines = [_in_both(_ODDS, f" {attack}", f" {speak(attack, 'es')}") for attack in dict.fromkeys(attacks)]
    names_units = any(form.names_in(text) - form.places for text in asked)
    return [*lines, *([_in_both(_MOVES)] if names_units else [])]


def _in_both(form: CommandForm, english: str = "", spanish: str = "") -> tuple[str, str]:
    return form.phrase("en") + english, form.phrase("es") + spanish


def _attacks(groups: Sequence[Sequence[str]]) -> list[str]:
    """Return the attacks among offers of the order form, without their guns' support."""
    orders = [offer.splitlines()[-1] for offers in groups for offer in offers]
    return [order for order in orders if order.startswith(_ATTACKS)]
