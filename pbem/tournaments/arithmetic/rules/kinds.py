"""Define the types of values in a rules file: how each is read, written, refused."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any, NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Msg, msg
from pbem.tournaments.arithmetic.rules.records import Prize, UnfinishedGameMethod


class InvalidValue(Exception):
    """An invalid value, with the fault and the advice."""

    def __init__(self, fault: Msg, advice: Msg) -> None:
        super().__init__(fault, advice)
        self.what, self.way = fault, advice


class ValueKind(NamedTuple):
    """A kind of value: its reader (may raise InvalidValue) and writer to JSON."""

    read: Callable[[Any], Any]
    write: Callable[[Any], Json]
    says: str


class TableKey(NamedTuple):
    """A key of a table: kind, default (None if it is required) and meaning."""

    name: str
    kind: ValueKind
    default: Any
    means: str


def text_kind(most: int = 200, least: int = 0, pattern: str = r"[^\x00-\x1f\x7f]*", says: str = "text") -> ValueKind:
    """Return the kind of a line of text."""

    def read(value: object) -> str:
        if not isinstance(value, str):
            raise InvalidValue(msg("this is no text"), msg("put it in quotation marks"))
        if not least <= len(value) <= most or not re.fullmatch(pattern, value):
            advice = msg("write {least} to {most} characters, as {example}", least=least, most=most, example=says)
            # A choice, here and below: enough of a value to find it again.
            raise InvalidValue(msg("{value} will not do", value=repr(value[:60])), advice)
        return value

    return ValueKind(read, str, says)


def names_kind(pattern: str) -> ValueKind:
    """Return the kind of a list of names; one may stand in it twice."""
    name = text_kind(60, 1, pattern)

    def read(value: object) -> tuple[str, ...]:
        if not isinstance(value, list | tuple):
            raise InvalidValue(msg("this is no list"), msg("write {line}", line='["name", "name"]'))
        return tuple(name.read(item) for item in value)

    return ValueKind(read, list, "names")


def integer_kind(low: int, high: int) -> ValueKind:
    """Return the kind of a whole number from `low` to `high`."""

    def read(value: object) -> int:
        if type(value) is not int:
            advice = msg("write it without quotation marks or a point, from {low} to {high}", low=low, high=high)
            raise InvalidValue(msg("this is no whole number"), advice)
        if not low <= value <= high:
            raise InvalidValue(
                msg("{n} is impossible", n=value), msg("write a number from {low} to {high}", low=low, high=high)
            )
        return value

    return ValueKind(read, int, f"{low}-{high}")


def _read_flag(value: object) -> bool:
    if type(value) is not bool:
        raise InvalidValue(
            msg("this is neither {yes} nor {no}", yes="true", no="false"),
            msg("write {yes} or {no}, without quotation marks", yes="true", no="false"),
        )
    return value


flag = ValueKind(_read_flag, bool, "true/false")


def word_kind(*choices: str) -> ValueKind:
    """Return the kind of one of a few words."""

    def read(value: object) -> str:
        return _check_choice(value, choices)

    return ValueKind(read, str, "/".join(repr(choice)[1:-1] or "-" for choice in choices))


def words_kind(*choices: str, joined: str = "", repeated: bool = False) -> ValueKind:
    """Return the kind of a list of words, different ones unless `repeated`.

    Their order is kept. If `joined` is given, one text with that between the words is also valid.
    """

    def read(value: object) -> tuple[str, ...]:
        if joined and isinstance(value, str):
            value = value.split(joined)
        if not isinstance(value, list | tuple):
            raise InvalidValue(msg("this is no list"), msg("write some of {words} in brackets", words=choices))
        chosen_words = tuple(_check_choice(item, choices) for item in value)
        for index, item in enumerate(chosen_words):
            if item in chosen_words[:index] and not repeated:
                raise InvalidValue(msg("{word} stands here twice", word=item), msg("leave the second out"))
        return chosen_words

    return ValueKind(read, list, ", ".join(choices))


def closest_word(written: str, choices: Iterable[str]) -> str:
    """Return the most similar word; empty if none is similar."""
    return next(iter(get_close_matches(written, list(choices), n=1, cutoff=0.6)), "")


def did_you_mean(word: str) -> Msg:
    """Return the advice after a misspelt word."""
    return msg("did you mean {word}?", word=word)


def _check_choice(value: object, choices: tuple[str, ...]) -> str:
    if isinstance(value, str) and value in choices:
        return value
    close = closest_word(value, choices) if isinstance(value, str) else ""
    choice_texts = tuple(choice or '""' for choice in choices)
    advice = did_you_mean(close) if close else msg("write one of: {words}", words=choice_texts)
    raise InvalidValue(msg("{value} is not known here", value=repr(value)[:60]), advice)


def _read_percent(value: object) -> int:
    match = re.fullmatch(r"(\d{1,3})%", value) if isinstance(value, str) else None
    if not match or int(match[1]) > 100:
        raise InvalidValue(msg("this is no share"), msg('write a whole share, from "0%" to "100%"'))
    return int(match[1])


percent = ValueKind(_read_percent, lambda value: f"{value}%", "0%-100%")
_HALVES = {"0": 0, "0.0": 0, "0.5": 1, "1": 2, "1.0": 2}


def _read_halves(value: object) -> int:
    if isinstance(value, bool) or str(value) not in _HALVES:
        raise InvalidValue(msg("points are counted by halves"), msg("write 0, 0.5 or 1"))
    return _HALVES[str(value)]


halves = ValueKind(_read_halves, lambda value: ("0", "0.5", "1")[value], "0/0.5/1")


def _read_moment(value: object) -> str:
    if isinstance(value, dt.datetime | dt.date):
        # To the minute, and without a zone: all dates are in that of the tournament.
        value = value.isoformat()[:16]
    advice = msg('write a date, as "2030-02-01", or one with an hour, as "2030-02-01T20:00"')
    if not isinstance(value, str) or (value and not re.fullmatch(r"\d{4}-\d\d-\d\d(T\d\d:\d\d)?", value)):
        raise InvalidValue(msg("this is no date"), advice)
    try:
        dt.datetime.fromisoformat(value or "2000-01-01")
    except ValueError:
        raise InvalidValue(msg("the calendar has no {date}", date=value), advice) from None
    return value


moment = ValueKind(_read_moment, str, "date")


def _read_day(value: object) -> str:
    text = _read_moment(value)
    if len(text) != len("2030-02-01"):
        raise InvalidValue(msg("this is no day"), msg('write a date without an hour, as "2030-12-24"'))
    return text


day = ValueKind(_read_day, str, "date")


# Values that are lists or tables: ways to decide unfinished games, terms, prizes.


_WAY = re.compile(r"points:(?P<margin>\d{1,6})|continue:(?P<games>\d{1,4}):(?P<share>\d{1,3})%|(?P<word>jury|draw)")
"""A way to decide an unfinished game; the numbers are checked one by one below."""
_LEAST, _MOST = 10, 1000
"""The fewest and the most continuations of a position: fewer tell nothing, more cost minutes."""
_PRIZE = re.compile(
    r"(?P<place>[1-9]\d{0,3})|best:(<(?P<below>\d{1,4})|>=(?P<above>\d{1,4})|(?P<low>\d{1,4})-(?P<high>\d{1,4}))"
)


def _read_ways(value: object) -> tuple[UnfinishedGameMethod, ...]:
    advice = msg("write some of {words} in brackets", words=('"points:4"', '"continue:200:75%"', '"jury"', '"draw"'))
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        raise InvalidValue(msg("this is no list"), advice)
    ways_read: list[UnfinishedGameMethod] = []
    for item in value:
        match = _WAY.fullmatch(item)
        if not match:
            raise InvalidValue(msg("{value} decides nothing", value=repr(item)[:60]), advice)
        ways_read.append(_way(match))
        if ways_read[-1].word in [earlier.word for earlier in ways_read[:-1]]:
            raise InvalidValue(msg("{word} stands here twice", word=ways_read[-1].word), msg("leave the second out"))
        if ways_read[-1].word == "draw" and len(ways_read) < len(value):
            raise InvalidValue(msg("nothing comes after a {word}", word="draw"), msg("put {word} last", word="draw"))
    return tuple(ways_read)


def _way(match: re.Match[str]) -> UnfinishedGameMethod:
    if match["word"]:
        return UnfinishedGameMethod(match["word"])
    if match["margin"]:
        if not int(match["margin"]):
            raise InvalidValue(
                msg("{n} is impossible", n=0), msg("a lead of 0 is none: write {word} or more", word="points:1")
            )
        return UnfinishedGameMethod("points", int(match["margin"]))
    games, share = int(match["games"]), int(match["share"])
    if not _LEAST <= games <= _MOST:
        raise InvalidValue(
            msg("{n} is impossible", n=games), msg("write a number from {low} to {high}", low=_LEAST, high=_MOST)
        )
    if not 50 < share <= 100:
        raise InvalidValue(
            msg("{n} is impossible", n=share), msg("write a number from {low} to {high}", low=51, high=100)
        )
    return UnfinishedGameMethod("continue", games, share)


def _write_way(way: UnfinishedGameMethod) -> str:
    if way.word == "points":
        return f"points:{way.number}"
    return f"continue:{way.number}:{way.percent}%" if way.word == "continue" else way.word


ways = ValueKind(_read_ways, lambda value: [_write_way(way) for way in value], "points:N, continue:N:P%, jury, draw")


def _read_terms(value: object) -> Mapping[str, str]:
    advice = msg("write names with texts below {table}, as they would be given to pbem game new", table="[table.terms]")
    if not isinstance(value, Mapping):
        raise InvalidValue(msg("this is no table"), advice)
    for name, item in value.items():
        if not re.fullmatch(r"[a-z][a-z0-9_-]{0,39}", name) or not isinstance(item, str | int) or len(str(item)) > 200:
            raise InvalidValue(msg("{value} will not do", value=f"{name} = {item!r}"[:60]), advice)
    # A number or a flag is taken as the text that one would type.
    return MappingProxyType({name: _as_typed(value[name]) for name in sorted(value)})


def _as_typed(value: str | int) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


TERMS = ValueKind(_read_terms, dict, "names")


def read_prize(name: str, value: object) -> Prize:
    """Read ``1 = "Book"`` or ``"best:<1500" = "Print"``.

    Raise InvalidValue if the name or value is neither.
    """
    match = _PRIZE.fullmatch(name)
    if not match:
        advice = msg(
            "write a place or whom it is for, as 1, {below}, {above} or {between}",
            below='"best:<1500"',
            above='"best:>=1800"',
            between='"best:1500-1800"',
        )
        raise InvalidValue(msg("there is no prize {name}", name=name[:60]), advice)
    if not isinstance(value, str) or not 1 <= len(value) <= 200 or not value.isprintable():
        raise InvalidValue(msg("this is no text"), msg("put it in quotation marks"))
    above, below = int(match["above"] or match["low"] or 0), int(match["below"] or match["high"] or 0)
    if below and above >= below:
        raise InvalidValue(
            msg("nobody is between {low} and {high}", low=above, high=below), msg("write the lower one first")
        )
    return Prize(int(match["place"] or 0), above, below, value)


def write_prize(prize: Prize) -> str:
    """Return the name of a prize as `read_prize` reads it."""
    if prize.place:
        return str(prize.place)
    if prize.above and prize.below:
        return f"best:{prize.above}-{prize.below}"
    return f"best:>={prize.above}" if prize.above else f"best:<{prize.below}"
