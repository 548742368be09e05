"""Corrections of a position by a moderator: ``UNIT Leon AT Sierra STEPS 2 ; SIDE spain CAPTURES 1``.

A game says of what kinds of things (UNIT, SIDE) which facts may be corrected, and how the word after a fact is read;
reading the line, and what all games refuse alike, is here. What comes of it is one event for each thing corrected:
``Event("corrected", "", {"what": "unit", "id": "Leon", "side": "spain", "old": {"at": "Playa", "steps": 3}, "new":
{"at": "Sierra", "steps": 2}})``. Whoever made the ruling puts its name where events cite their rule.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.events import Event, event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.lex import Token, fold, tokens
from pbem.engine.orders.names import Names
from pbem.engine.terms import Edited, Rejected

CORRECTED = "corrected"
"""The kind of the event."""

AWARD = "AWARD"
"""Of a SIDE: victory points that its moderator gives it, in a game that has such points."""

_MOST_AWARDED = 99
_AWARD = re.compile(r"(?P<side>\S+)\s+(?P<points>[-+]?\d{1,2})\s*(?:vp|pv|points?|puntos?)?\.?")

_SPANISH: Mapping[str, str] = MappingProxyType(
    {"unidad": "UNIT", "bando": "SIDE", "a": "AT", "en": "AT", "si": "YES", "otorgar": "AWARD"}
)
_ENGLISH: Mapping[str, str] = MappingProxyType({})
_AS_THEY_STAND: Mapping[str, Msg] = MappingProxyType({})

Read = Callable[[Any, str], Json | Msg]
"""The thing and the word written for a fact -> its value, or a sentence that says why it cannot be."""


class Fact(NamedTuple):
    """What may be corrected: the name of the field, and how a word for it is read."""

    field: str
    read: Read


class Kind(NamedTuple):
    """A kind of thing: those there are by id, how the side of one is told, and its facts by their word."""

    things: Mapping[str, Any]
    side: Callable[[Any], str]
    facts: Mapping[str, Fact]


def number(field: str, least: int, most: Callable[[Any], int]) -> Fact:
    """A fact that is a number, from `least` to what `most` says of the thing."""

    def read_number(thing: Any, word: str) -> Json | Msg:
        top = most(thing)
        if word.isdecimal() and least <= int(word) <= top:
            return int(word)
        if top < least:
            return msg("{unit} has none.", unit=_id(thing))
        return msg("it is a number from {least} to {most}", least=least, most=top)

    return Fact(field, read_number)


def points(field: str) -> Fact:
    """A fact that is a sum of points, to which so many are given, or taken where the number is less than nothing."""

    def read_points(thing: Any, word: str) -> Json | Msg:
        if isinstance(thing, Mapping) and field not in thing:
            return msg("{unit} has none.", unit=_id(thing))
        total = _get(thing, field) + int(word) if word.removeprefix("-").isdecimal() else _MOST_AWARDED + 1
        if abs(total) <= _MOST_AWARDED:
            return int(total)
        return msg("in all it is a number from {least} to {most}", least=-_MOST_AWARDED, most=_MOST_AWARDED)

    return Fact(field, read_points)


def award(text: str) -> tuple[str, int] | None:
    """Read what follows AWARD, ``spain 2``: the side and the points, less than nothing to take some; else None."""
    found = _AWARD.fullmatch(fold(text).strip())
    points = int(found["points"]) if found else 0
    return (found["side"], points) if found and points else None


def yes(field: str, fits: Callable[[Any], bool] = lambda thing: True) -> Fact:
    """A fact that is YES or NO, of things that it fits."""

    def read_yes(thing: Any, word: str) -> Json | Msg:
        if not fits(thing):
            return msg("{unit} has none.", unit=_id(thing))
        return {"yes": True, "no": False}.get(word.casefold(), msg("it is YES or NO"))

    return Fact(field, read_yes)


def choice(field: str, words: Callable[[Any], Mapping[str, Json]]) -> Fact:
    """A fact that is one of some words, each with the value it stands for."""

    def read_choice(thing: Any, word: str) -> Json | Msg:
        known = words(thing)
        for name, value in known.items():
            if name.casefold() == word.casefold():
                return value
        if not known:
            return msg("{unit} has none.", unit=_id(thing))
        return msg("it is one of: {words}", words=tuple(known))

    return Fact(field, read_choice)


def read(text: str, kinds: Mapping[str, Kind], spanish: Mapping[str, str] = _ENGLISH) -> Edited:
    """Read what follows EDIT; `kinds` by their word. Nothing of it happens if anything is refused.

    `spanish` are a game's words in Spanish, as `lex.fold` writes them, each with the English one.
    """
    spanish = {**_SPANISH, **spanish}
    events: list[Event] = []
    rejected: list[Rejected] = []
    clause: list[Token] = []
    for token in (*tokens(text), Token(";", ";", len(text))):
        if token.text != ";":
            clause.append(token)
        elif clause:
            got = _one(clause, kinds, spanish)
            (events if isinstance(got, Event) else rejected).append(got)  # type: ignore[arg-type]
            clause = []
    if not events and not rejected:
        rejected.append(_wrong(Token(text, text, 0), _form(kinds)))
    return Edited(() if rejected else tuple(events), tuple(rejected))


def tell(data: Mapping[str, Json], words: Mapping[str, Msg], values: Mapping[str, Msg] = _AS_THEY_STAND) -> Msg:
    """The sentence of a correction; `words` name the fields that it may be about, `values` what words stand for."""

    def said(value: Json) -> Msg | Json:
        if isinstance(value, bool):
            return msg("yes") if value else msg("no")
        return values.get(value, value) if isinstance(value, str) else value

    facts = tuple(
        msg("{fact} {now} (was {old})", fact=words[field], now=said(value), old=said(data["old"][field]))
        for field, value in data["new"].items()
    )
    return msg("The moderator corrects {thing}: {facts}.", thing=data["id"], facts=facts)


def _one(clause: list[Token], kinds: Mapping[str, Kind], spanish: Mapping[str, str]) -> Event | Rejected:
    word, *rest = clause
    named = spanish.get(word.key, word.text.upper())
    kind = kinds.get(named)
    if kind is None or not rest:
        return _wrong(word, _form(kinds))
    name, *facts = rest
    found = Names({ident: () for ident in kind.things}).find(name.text)
    if found.id is None:
        return _wrong(name, msg("There is no such {kind} in play.", kind=named), *found.ids)
    thing = kind.things[found.id]
    if not facts or len(facts) % 2:
        return _wrong(name, msg("Say what is to be corrected: {facts}, each with its value.", facts=tuple(kind.facts)))
    old: dict[str, Json] = {}
    new: dict[str, Json] = {}
    for fact, value in zip(facts[::2], facts[1::2], strict=True):
        known = kind.facts.get(spanish.get(fact.key, fact.text.upper()))
        if known is None:
            why = msg(
                "{word} cannot be corrected; of a {kind} there are: {facts}.",
                word=fact.text,
                kind=named,
                facts=tuple(kind.facts),
            )
            return _wrong(fact, why)
        got = known.read(thing, value.text)
        if isinstance(got, Msg) and value.key in spanish:
            got = known.read(thing, spanish[value.key])
        if isinstance(got, Msg):
            return _wrong(value, msg("{fact} of {thing}: {why}", fact=fact.text.upper(), thing=found.id, why=got))
        was = _get(thing, known.field)
        if was != got:
            old[known.field], new[known.field] = was, got
    if not new:
        return _wrong(name, msg("{thing} is so already; nothing would change.", thing=found.id))
    what = named.casefold()
    return event(CORRECTED, "", what=what, id=found.id, side=kind.side(thing), old=old, new=new)


def _get(thing: Any, field: str) -> Json:
    value: Json = thing[field] if isinstance(thing, Mapping) else getattr(thing, field)
    return value


def _id(thing: Any) -> str:
    return str(_get(thing, "id"))


def _form(kinds: Mapping[str, Kind]) -> Msg:
    forms = tuple(f"EDIT {word} NAME {' | '.join(kind.facts)} VALUE ..." for word, kind in kinds.items())
    return msg("A correction reads {forms}; several are parted by semicolons.", forms=forms)


def _wrong(token: Token, why: Msg, *suggestions: str) -> Rejected:
    return Rejected(1, token.column, token.text, why, "", suggestions[:3])
