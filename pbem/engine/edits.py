"""Read and word corrections of a position by a moderator.

Example: ``UNIT Leon AT Sierra STEPS 2 ; SIDE spain CAPTURES 1``. A game lists its kinds of things (UNIT,
SIDE), the facts that may be corrected, and how the word after a fact is read; this module reads the line
and makes the checks common to all games. Each corrected thing gives one event: ``Event("corrected", "",
{"what": "unit", "id": "Leon", "side": "spain", "old": {"at": "Playa", "steps": 3}, "new": {"at": "Sierra",
"steps": 2}})``. The author of the ruling puts its name in the place of the cited rule.
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
from pbem.engine.terms import Correction, RejectedLine

CORRECTED_EVENT = "corrected"
"""The kind of the event."""

AWARD_WORD = "AWARD"
"""A fact of a SIDE: victory points that a moderator gives, in games that have such points."""

_MOST_AWARDED = 99
"""Victory points that a moderator may have given in all, either way: two digits, as the line is read. More would be a
slip in typing."""
# Points awarded to a side by a ruling: at most 99 either way.
_AWARD = re.compile(r"(?P<side>\S+)\s+(?P<points>[-+]?\d{1,2})\s*(?:vp|pv|points?|puntos?)?\.?")

_SPANISH: Mapping[str, str] = MappingProxyType(
    {"unidad": "UNIT", "bando": "SIDE", "a": "AT", "en": "AT", "si": "YES", "otorgar": "AWARD"}
)
_ENGLISH: Mapping[str, str] = MappingProxyType({})
_AS_THEY_STAND: Mapping[str, Msg] = MappingProxyType({})

Read = Callable[[Any, str], Json | Msg]
"""A function from a thing and the written word to the value of a fact; or to a sentence with the reason of a refusal.
"""


class CorrectableFact(NamedTuple):
    """A fact that may be corrected: field name, and how a word for it is read."""

    field: str
    read: Read


class CorrectableKind(NamedTuple):
    """A kind of thing: its things by id, how to get a thing's side, facts by word."""

    things: Mapping[str, Any]
    side: Callable[[Any], str]
    facts: Mapping[str, CorrectableFact]


def number_fact(field: str, least: int, most: Callable[[Any], int]) -> CorrectableFact:
    """Return a fact that is a number, between `least` and `most` of the thing."""

    def read_number(thing: Any, word: str) -> Json | Msg:
        top = most(thing)
        if word.isdecimal() and least <= int(word) <= top:
            return int(word)
        if top < least:
            return msg("{unit} has none.", unit=_id(thing))
        return msg("it is a number from {least} to {most}", least=least, most=top)

    return CorrectableFact(field, read_number)


def points_fact(field: str) -> CorrectableFact:
    """Return a fact that is a sum of points, to which a signed number is added."""

    def read_points(thing: Any, word: str) -> Json | Msg:
        if isinstance(thing, Mapping) and field not in thing:
            return msg("{unit} has none.", unit=_id(thing))
        total = _get(thing, field) + int(word) if word.removeprefix("-").isdecimal() else _MOST_AWARDED + 1
        if abs(total) <= _MOST_AWARDED:
            return int(total)
        return msg("in all it is a number from {least} to {most}", least=-_MOST_AWARDED, most=_MOST_AWARDED)

    return CorrectableFact(field, read_points)


def read_award(text: str) -> tuple[str, int] | None:
    """Read the text after AWARD, ``spain 2``: the side and the points.

    Negative points are taken away. None for any other text.
    """
    match = _AWARD.fullmatch(fold(text).strip())
    points = int(match["points"]) if match else 0
    return (match["side"], points) if match and points else None


def yes_no_fact(field: str, fits: Callable[[Any], bool] = lambda thing: True) -> CorrectableFact:
    """Return a fact that is YES or NO, for things that it fits."""

    def read_yes(thing: Any, word: str) -> Json | Msg:
        if not fits(thing):
            return msg("{unit} has none.", unit=_id(thing))
        return {"yes": True, "no": False}.get(word.casefold(), msg("it is YES or NO"))

    return CorrectableFact(field, read_yes)


def choice_fact(field: str, words: Callable[[Any], Mapping[str, Json]]) -> CorrectableFact:
    """Return a fact that is one of some words, each with its value."""

    def read_choice(thing: Any, word: str) -> Json | Msg:
        values = words(thing)
        for name, value in values.items():
            if name.casefold() == word.casefold():
                return value
        if not values:
            return msg("{unit} has none.", unit=_id(thing))
        return msg("it is one of: {words}", words=tuple(values))

    return CorrectableFact(field, read_choice)


def read_correction(
    text: str, kinds: Mapping[str, CorrectableKind], spanish: Mapping[str, str] = _ENGLISH
) -> Correction:
    """Read the text after EDIT; if anything is refused there are no events.

    `kinds` are by their word. `spanish` maps a game's Spanish words, as `lex.fold` writes them, to the English
    ones.
    """
    spanish = {**_SPANISH, **spanish}
    events: list[Event] = []
    rejected: list[RejectedLine] = []
    clause: list[Token] = []
    for token in (*tokens(text), Token(";", ";", len(text))):
        if token.text != ";":
            clause.append(token)
        elif clause:
            outcome = _read_clause(clause, kinds, spanish)
            (events if isinstance(outcome, Event) else rejected).append(outcome)  # type: ignore[arg-type]
            clause = []
    if not events and not rejected:
        rejected.append(_wrong(Token(text, text, 0), _form(kinds)))
    return Correction(() if rejected else tuple(events), tuple(rejected))


def correction_text(
    data: Mapping[str, Json], words: Mapping[str, Msg], values: Mapping[str, Msg] = _AS_THEY_STAND
) -> Msg:
    """Return the sentence of a correction.

    `words` has the name of each field that it may be about, `values` the name of each value that is a code.
    """

    def value_text(value: Json) -> Msg | Json:
        if isinstance(value, bool):
            return msg("yes") if value else msg("no")
        return values.get(value, value) if isinstance(value, str) else value

    facts = tuple(
        msg("{fact} {now} (was {old})", fact=words[field], now=value_text(value), old=value_text(data["old"][field]))
        for field, value in data["new"].items()
    )
    return msg("The moderator corrects {thing}: {facts}.", thing=data["id"], facts=facts)


def _read_clause(
    clause: list[Token], kinds: Mapping[str, CorrectableKind], spanish: Mapping[str, str]
) -> Event | RejectedLine:
    word, *rest = clause
    kind_word = spanish.get(word.key, word.text.upper())
    kind = kinds.get(kind_word)
    if kind is None or not rest:
        return _wrong(word, _form(kinds))
    name, *facts = rest
    match = Names({ident: () for ident in kind.things}).find(name.text)
    if match.id is None:
        return _wrong(name, msg("There is no such {kind} in play.", kind=kind_word), *match.ids)
    thing = kind.things[match.id]
    if not facts or len(facts) % 2:
        return _wrong(name, msg("Say what is to be corrected: {facts}, each with its value.", facts=tuple(kind.facts)))
    old: dict[str, Json] = {}
    new: dict[str, Json] = {}
    for fact, value in zip(facts[::2], facts[1::2], strict=True):
        definition = kind.facts.get(spanish.get(fact.key, fact.text.upper()))
        if definition is None:
            why = msg(
                "{word} cannot be corrected; of a {kind} there are: {facts}.",
                word=fact.text,
                kind=kind_word,
                facts=tuple(kind.facts),
            )
            return _wrong(fact, why)
        new_value = definition.read(thing, value.text)
        if isinstance(new_value, Msg) and value.key in spanish:
            new_value = definition.read(thing, spanish[value.key])
        if isinstance(new_value, Msg):
            return _wrong(value, msg("{fact} of {thing}: {why}", fact=fact.text.upper(), thing=match.id, why=new_value))
        old_value = _get(thing, definition.field)
        if old_value != new_value:
            old[definition.field], new[definition.field] = old_value, new_value
    if not new:
        return _wrong(name, msg("{thing} is so already; nothing would change.", thing=match.id))
    kind_key = kind_word.casefold()
    return event(CORRECTED_EVENT, "", what=kind_key, id=match.id, side=kind.side(thing), old=old, new=new)


def _get(thing: Any, field: str) -> Json:
    value: Json = thing[field] if isinstance(thing, Mapping) else getattr(thing, field)
    return value


def _id(thing: Any) -> str:
    return str(_get(thing, "id"))


def _form(kinds: Mapping[str, CorrectableKind]) -> Msg:
    forms = tuple(f"EDIT {word} NAME {' | '.join(kind.facts)} VALUE ..." for word, kind in kinds.items())
    return msg("A correction reads {forms}; several are parted by semicolons.", forms=forms)


def _wrong(token: Token, why: Msg, *suggestions: str) -> RejectedLine:
    # A choice: three suggestions can be compared at a glance.
    return RejectedLine(1, token.column, token.text, why, "", suggestions[:3])
