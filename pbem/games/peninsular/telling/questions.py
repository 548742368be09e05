"""Windows put into words for their owner, who is asked by letter: what happens, and what he can answer."""

from __future__ import annotations

from collections.abc import Mapping

from pbem.core.data.messages import Msg, msg
from pbem.core.run.questions import Option, Question
from pbem.core.run.steps import Choice, Window
from pbem.games.peninsular.state import State
from pbem.games.peninsular.telling.report import standing_at

__all__ = ["question"]

_ASKED: Mapping[str, Msg] = {
    "square": msg("{unit} in {hex} is charged from {origin}. What does it do?"),
    "fire": msg("{unit} can fire; the nearest enemy is in {hex}. At whom does it fire?"),
    "retreat": msg("{unit} in {hex} must give way to the fire from {origin}. How many hexes?"),
    "defence": msg("{hex} is assaulted from {origin}. Which counter of yours leads the defence?"),
    "rally": msg("{unit} in {origin} is disordered. Does it try to rally?"),
    "advance": msg("{hex} is free. Does {unit} advance into it from {origin}?"),
}
_WORDS: Mapping[str, Msg] = {
    "SQUARE": msg("it forms square"),
    "STAND": msg("it stands as it is"),
    "ASSAULTERS": msg("at those who assault it, else at nobody"),
    "NEAREST": msg("at the nearest"),
    "AT WILL": msg("at those who assault it, else at the nearest"),
    "HOLD": msg("at nobody"),
    "YES": msg("yes"),
    "NO": msg("no"),
}


def question(view: State, window: Window, silence: Choice) -> Question:
    """Return the window in words; what holds in silence is an answer like the others."""
    ask = _ASKED[window.what]
    origin, _, target = window.where.partition(">")
    gaps = {"origin": origin, "hex": target, "unit": window.subject}
    text = msg(ask.text, **{name: value for name, value in gaps.items() if f"{{{name}}}" in ask.text})
    values = dict.fromkeys((*((word,) for word in window.options), silence.value))
    scene = tuple(line for place in (origin, target) if place for line in standing_at(view, place))
    return Question(
        text, tuple(Option(value, _WORDS.get(value[0]) or msg("{name}", name=value[0])) for value in values), scene
    )
