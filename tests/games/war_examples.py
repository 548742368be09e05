"""What an example tells of a case of a war besides what the engine tells: what went before, what must be true then."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

Say = Callable[[str], str]
"""What a side is called."""
_PHRASES: Mapping[str, tuple[str, str]] = {
    r"(?P<side>spain|morocco) legs (?P<n>\d+)": ("{side}: points of war {n}", "{side}: puntos de guerra {n}"),
    r"(?P<side>spain|morocco) margins (?P<n>\d+)": ("{side}: sum of margins {n}", "{side}: suma de márgenes {n}"),
    r"(?P<side>spain|morocco) leads decisively": ("{side} leads decisively", "{side} va ganando de modo decisivo"),
    r"(?P<side>spain|morocco) leads": ("{side} leads", "{side} va ganando"),
    r"nobody leads": ("nobody leads", "no va ganando nadie"),
    r"(?P<side>spain|morocco) points (?P<n>\d+)": ("{side} has {n} points left", "a {side} le quedan {n} puntos"),
    r"(?P<side>spain|morocco) needs (?P<n>-?\d+)": (
        "{side} needs a lead of {n}",
        "{side} necesita una ventaja de {n}",
    ),
    r"(?P<side>spain|morocco) led by (?P<a>\S+)": ("{a} commands {side}", "manda a {side} {a}"),
    r"(?P<side>spain|morocco) form (?P<a>.+)": ("the form of {side} has {a}", "el formulario de {side} trae «{a}»"),
    r"(?P<side>spain|morocco) pays (?P<n>\d+) of (?P<m>\d+) (?P<a>.+)": (
        "{side} pays {n} of {m} points for {a}",
        "{side} paga {n} de {m} puntos por «{a}»",
    ),
    r"part (?P<n>\d+) voids (?P<a>[\d ]+)": (
        "taken up again, part {n} makes void: {a}",
        "si se reanuda la parte {n}, quedan nulas: {a}",
    ),
    r"part (?P<n>\d+) stays": ("part {n} is not taken up again", "la parte {n} no se reanuda"),
    r"turns (?P<n>\d+)": ("the next battle has {n} turns", "la próxima batalla tiene {n} turnos"),
    r"(?P<a>\S+) for (?P<b>\S+)": ("{a} comes in the place of {b}", "{a} viene en el lugar de {b}"),
    r"(?P<a>\S+) not comes": ("{a} does not come", "{a} no viene"),
    r"(?P<a>\S+) comes": ("{a} comes", "{a} viene"),
    r"(?P<a>\S+) steps (?P<n>\d+)": ("{a} has {n} of its steps", "{a} tiene {n} de sus pasos"),
    r"(?P<a>\S+) back (?P<n>\d+)": ("steps that come back to {a}: {n}", "pasos que vuelven a {a}: {n}"),
    r"(?P<a>\S+) broken": ("{a} is broken", "{a} está deshecha"),
    r"(?P<a>\S+) ready": ("{a} is ready", "{a} está lista"),
    r"(?P<a>\S+) away": ("{a} is away", "{a} está ausente"),
}
_BATTLES = {
    "fought": ("Battle {place}: {result}.", "Batalla {place}: {result}."),
    "won": ("won by {side}, by {n} more than it needed", "la gana {side}, por {n} más de lo que necesitaba"),
    "given": ("given up to {side}", "abandonada en favor de {side}"),
    "draw": ("drawn", "en empate"),
    "sued": ("{side} sues for peace.", "{side} pide la paz."),
    "left": (
        "At the end of the battle {unit} has {n} of its steps left.",
        "Al acabar la batalla a {unit} le quedan {n} pasos.",
    ),
    "taken": ("The enemy has taken {unit}.", "El enemigo ha tomado {unit}."),
    "part": ("Part {place}: {state}.", "Parte {place}: {state}."),
    "over": ("over", "acabada"),
    "open": ("open", "abierta"),
    "turn": ("in turn {n}", "en el turno {n}"),
    "true": ("Afterwards: {lines}.", "Después: {lines}."),
}


def _word(key: str, language: str, **values: Any) -> str:
    return _BATTLES[key][language != "en"].format(**values)


def before(case: Mapping[str, Any], language: str, say: Say) -> Iterator[str]:
    """Yield what a case says went before."""
    for place, row in enumerate(case.get("fought", ()), 1):
        side, *rest = row.split()
        key = "draw" if side == "draw" else "given" if "conceded" in rest else "won"
        result = _word(key, language, **({} if side == "draw" else {"side": say(side), "n": rest[0]}))
        yield _word("fought", language, place=place, result=result)
    for side in case.get("sued", ()):
        yield _word("sued", language, side=say(side))
    for unit, steps in case.get("left", {}).items():
        yield _word("left", language, unit=unit, n=steps)
    for unit in case.get("taken", ()):
        yield _word("taken", language, unit=unit)
    for place, state in enumerate(case.get("course", ()), 1):
        key, _, number = state.partition(" ")
        yield _word("part", language, place=place, state=_word(key, language, n=number))


def after(case: Mapping[str, Any], language: str, say: Say) -> Iterator[str]:
    """Yield what a case says is true afterwards, as far as it is more than what is cited or refused."""
    told_lines = [line for phrase in case["expect"] if (line := _told(phrase, language, say))]
    if told_lines:
        yield _word("true", language, lines="; ".join(told_lines))


def _told(phrase: str, language: str, say: Say) -> str:
    for pattern, words in _PHRASES.items():
        if match := re.fullmatch(pattern, phrase):
            values = {key: say(value) if key == "side" else value for key, value in match.groupdict().items()}
            return words[language != "en"].format(**values)
    return ""
