"""Windows put into words for their owner, who is asked by letter: what happens, and what he can answer.

Of a shock he is told all who attack, from where, and for each who could lead the defence the strengths and the column;
of fire what each answer comes to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pbem.engine.data.messages import Msg, msg
from pbem.engine.run.questions import Option, Question, letter_of
from pbem.engine.run.steps import Choice, Window
from pbem.games.peninsular.battle.assault import aimed_at
from pbem.games.peninsular.battle.fire import in_sight
from pbem.games.peninsular.battle.shock import attackers, foreseen, mixed
from pbem.games.peninsular.setup.units import Unit
from pbem.games.peninsular.state import State
from pbem.games.peninsular.telling.report import standing_at

_ASKED: Mapping[str, Msg] = {
    "square": msg("{unit} in {hex} is charged by {units}. What does it do?"),
    "fire": msg("{unit} in {hex} can fire; the nearest enemy is in {origin}. At whom does it fire?"),
    "retreat": msg("{unit} in {hex} must give way to the fire from {origin}. How many hexes?"),
    "defence": msg("{hex} is assaulted by {units}. Which counter of yours leads the defence?"),
    "rally": msg("{unit} in {origin} is disordered. Does it try to rally?"),
    "advance": msg("{hex} is free. Does {unit} advance into it from {origin}?"),
}
_ASSAULTED = msg(
    "{unit} in {hex} can fire; it is assaulted by {units}, and the nearest enemy is in {origin}. At whom does it fire?"
)
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
    origin, _, target = window.where.partition(">")
    values = tuple(dict.fromkeys((*((word,) for word in window.options), silence.value)))
    options = tuple(Option(value, _WORDS.get(value[0]) or msg("{name}", name=value[0])) for value in values)
    if window.what == "fire":
        origin, target = target, origin
    bold = _bold(view, window, target)
    ask = _ASSAULTED if window.what == "fire" and bold else _ASKED[window.what]
    coming = tuple(msg("{unit} from {origin}", unit=unit.id, origin=unit.at) for unit in bold)
    gaps = {"origin": origin, "hex": target, "unit": window.subject, "units": coming}
    text = msg(ask.text, **{name: value for name, value in gaps.items() if f"{{{name}}}" in ask.text})
    if window.what == "fire":
        text, options = _aims(view, window, text, options)
    elif window.what == "defence":
        text = msg("{asked} An Attack order of theirs, which you do not see, adds 1 to the die.", asked=text)
        options = tuple(_leads(view, target, bold, option) for option in options)
    places = dict.fromkeys((*sorted({unit.at for unit in bold}), origin, target))
    scene = tuple(line for place in places if place for line in standing_at(view, place))
    return Question(text, options, scene)


def _bold(view: State, window: Window, target: str) -> tuple[Unit, ...]:
    """Who assaults or charges the hex that a question is about."""
    if window.what == "defence":
        # Cavalry that rides on attacks without a marker.
        return attackers(view, target, ()) or tuple(view.fighting(window.where.partition(">")[0], view.phase))
    if window.what in ("fire", "square"):
        return tuple(unit for unit in view.marked(target) if unit.charge or window.what == "fire")
    return ()


def _leads(view: State, target: str, bold: Sequence[Unit], option: Option) -> Option:
    """T6 What the shock would be under a leader of the defence: strengths, column, what is added to the die."""
    found = foreseen(view, target, bold, option.value[0]) if option.value else None
    if found is None:
        return option
    told = msg(
        "{name}: {a} PF to {b}, column {column}, {n} to the die",
        name=option.value[0],
        a=mixed(found.attack),
        b=mixed(found.defence),
        column=found.column,
        n=f"{found.modifier:+d}",
    )
    return option._replace(text=told)


def _aims(view: State, window: Window, text: Msg, options: Sequence[Option]) -> tuple[Msg, tuple[Option, ...]]:
    """S7 What each answer comes to as things stand, and which come to the same."""
    unit = view.units[window.subject]
    seen = in_sight(view, unit)
    aims = [tuple(aimed_at(unit, option.value[0], seen)) for option in options]
    told = tuple(
        option._replace(
            text=msg("{answer} (now {hexes})", answer=option.text, hexes=hexes)
            if hexes
            else msg("{answer} (now nobody)", answer=option.text)
            if option.value[0] != "HOLD"
            else option.text
        )
        for option, hexes in zip(options, aims, strict=True)
    )
    for same in _alike(aims):
        letters = tuple(letter_of(place) for place in same)
        text = msg("{asked} {answers} come to the same now.", asked=text, answers=letters)
    return text, told


def _alike(aims: Sequence[tuple[str, ...]]) -> Iterator[list[int]]:
    """The places of the answers that come to the same, where there are several."""
    for one in dict.fromkeys(aims):
        places = [place for place, other in enumerate(aims) if other == one]
        if len(places) > 1:
            yield places
