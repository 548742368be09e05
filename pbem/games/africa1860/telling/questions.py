"""C10 Windows put into words for their owner, who is asked by letter: what happens, and what he can answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from pbem.engine.data.messages import Msg, msg
from pbem.engine.run.questions import Option, Question
from pbem.engine.run.steps import Choice, Window
from pbem.games.africa1860.phase.paths import fallbacks
from pbem.games.africa1860.setup.units import CAVALRY, LIGHT
from pbem.games.africa1860.state import State
from pbem.games.africa1860.telling.report import standing_at

_WORDS: Mapping[str, Msg] = {
    "NONE": msg("none"),
    "YES": msg("yes"),
    "NO": msg("no"),
    "FIRE": msg("they fire"),
    "KEEP": msg("they keep silent"),
    "IGNORE": msg("it lets them pass"),
    "CHARGE": msg("it charges"),
    "STAY": msg("it stays with the infantry"),
    "CARACOLE": msg("it caracoles"),
    "COUNTERCHARGE": msg("it counter-charges"),
}


def question(view: State, window: Window, silence: Choice) -> Question:
    """Return the window in words; what holds in silence is an answer like the others."""
    origin, _, target = window.where.partition(".")[0].partition(">")
    ask, more = _ASKED[window.what]
    gaps = {"origin": origin, "space": target, "unit": window.subject}
    text = msg(ask.text, **{name: value for name, value in gaps.items() if f"{{{name}}}" in ask.text})
    values = dict.fromkeys((*more(view, window), silence.value))
    ways = (value[0] for value in values if value and value[0] in view.edition.map.spaces)
    places = dict.fromkeys((origin, target, *ways))
    scene = tuple(line for place in places if place for line in standing_at(view, place))
    return Question(text, tuple(Option(value, _said(value)) for value in values), scene, _also(view, window))


def _also(view: State, window: Window) -> tuple[Window, ...]:
    """O8.3, O8.8.2 Screen and losses can be ordered with the vanguard, as far as the units are known then."""
    if window.what != "vanguard" or view.fight is None:
        return ()
    side = view.edition.seats[window.seat]
    units = [unit for unit in view.own(view.fight.target, side) if unit.is_combat]
    able = [unit.id for unit in units if unit.code in (LIGHT, CAVALRY) and not unit.demoralised]
    screen = Window(window.where, "screen", window.seat, "", (*able, "NONE"))
    losses = Window(window.where, "losses", window.seat, "", tuple(unit.id for unit in units))
    return (*((screen,) if able else ()), *((losses,) if len(units) > 1 else ()))


def _said(value: tuple[str, ...]) -> Msg:
    """An answer in words; none at all leaves it to the rules."""
    if not value:
        return msg("as the rules have it")
    if value[0] == "CARACOLE" and len(value) == 2:
        if value[1] == "SHELTER":
            return msg("it caracoles and takes shelter")
        return msg("it caracoles and falls back to {space}", space=value[1])
    if len(value) > 1:
        return msg("{units}, in this order", units=value)
    return _WORDS.get(value[0]) or msg("{name}", name=value[0])


def _each(view: State, window: Window) -> Iterable[tuple[str, ...]]:
    return ((word,) for word in window.options)


def _or_none(view: State, window: Window) -> Iterable[tuple[str, ...]]:
    return (*_each(view, window), ("NONE",))


def _or_rules(view: State, window: Window) -> Iterable[tuple[str, ...]]:
    return (*_each(view, window), ())


def _ways_out(view: State, window: Window) -> Iterable[tuple[str, ...]]:
    """O8.4 A caracole ends in shelter or at friends within reach."""
    target = window.where.partition(".")[0].partition(">")[2]
    for word in window.options:
        if word == "CARACOLE":
            yield from (("CARACOLE", to) for to in ("SHELTER", *fallbacks(view, view.units[window.subject], target)))
        else:
            yield (word,)


_ASKED: Mapping[str, tuple[Msg, Callable[[State, Window], Iterable[tuple[str, ...]]]]] = {
    "vanguard": (msg("{space} is attacked from {origin}. Which unit of yours is the vanguard?"), _each),
    "screen": (msg("{space} is attacked from {origin}. Which unit of yours screens the vanguard?"), _each),
    "cavalry": (msg("{space} is attacked from {origin}. What does {unit} do?"), _ways_out),
    "guns": (msg("{space} is attacked from {origin}. What do your guns there do?"), _each),
    "losses": (msg("{space} is attacked from {origin}. Who takes losses first, after the vanguard?"), _or_rules),
    "fallback": (msg("{space} is lost to {origin}. Where do your units retreat to?"), _each),
    "detach": (msg("Cavalry in {space} counter-charges. Which cavalry of yours meets it?"), _or_none),
    "target vanguard": (msg("Cavalry from {origin} caracoles at {space}. Which unit of yours is the vanguard?"), _each),
    "target screen": (
        msg("Cavalry from {origin} caracoles at {space}. Which unit of yours screens the vanguard?"),
        _each,
    ),
    "counterbattery": (msg("Guns have fired from {origin} at {space}. Does {unit} answer them?"), _each),
    "approach": (msg("The enemy enters {space}, next to {unit}. What does it do?"), _each),
}
"""Each window's question, and the answers it offers."""
