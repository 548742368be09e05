"""What the value of a key may be: how it is read, how written, what is said against one that is none."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any, NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Msg, msg
from pbem.tournaments.arithmetic.rules.records import Prize, Way


class Wrong(Exception):
    """A value that is none of its kind: what is wrong, and the way out."""

    def __init__(self, what: Msg, way: Msg) -> None:
        super().__init__(what, way)
        self.what, self.way = what, way


class Kind(NamedTuple):
    """How a value is read from TOML or JSON (Wrong if it cannot be), and written to JSON."""

    read: Callable[[Any], Any]
    write: Callable[[Any], Json]
    says: str


class Key(NamedTuple):
    """A key of a table: its kind, what holds where it is not given (None: it must be), and what it means."""

    name: str
    kind: Kind
    default: Any
    means: str


def text(most: int = 200, least: int = 0, pattern: str = r"[^\x00-\x1f\x7f]*", says: str = "text") -> Kind:
    """A line of text."""

    def read(value: object) -> str:
        if not isinstance(value, str):
            raise Wrong(msg("this is no text"), msg("put it in quotation marks"))
        if not least <= len(value) <= most or not re.fullmatch(pattern, value):
            way = msg("write {least} to {most} characters, as {example}", least=least, most=most, example=says)
            raise Wrong(msg("{value} will not do", value=repr(value[:60])), way)
        return value

    return Kind(read, str, says)


def whole(low: int, high: int) -> Kind:
    """A whole number."""

    def read(value: object) -> int:
        if type(value) is not int:
            way = msg("write it without quotation marks or a point, from {low} to {high}", low=low, high=high)
            raise Wrong(msg("this is no whole number"), way)
        if not low <= value <= high:
            raise Wrong(
                msg("{n} is impossible", n=value), msg("write a number from {low} to {high}", low=low, high=high)
            )
        return value

    return Kind(read, int, f"{low}-{high}")


def _read_flag(value: object) -> bool:
    if type(value) is not bool:
        raise Wrong(
            msg("this is neither {yes} nor {no}", yes="true", no="false"),
            msg("write {yes} or {no}, without quotation marks", yes="true", no="false"),
        )
    return value


flag = Kind(_read_flag, bool, "true/false")


def word(*choices: str) -> Kind:
    """One of a few words."""

    def read(value: object) -> str:
        return _chosen(value, choices)

    return Kind(read, str, "/".join(repr(one)[1:-1] or "-" for one in choices))


def words(*choices: str, joined: str = "") -> Kind:
    """Some of a few words in an order, none twice; where `joined` is given, one text with it between them will do."""

    def read(value: object) -> tuple[str, ...]:
        if joined and isinstance(value, str):
            value = value.split(joined)
        if not isinstance(value, list | tuple):
            raise Wrong(msg("this is no list"), msg("write some of {words} in brackets", words=choices))
        found = tuple(_chosen(one, choices) for one in value)
        for at, one in enumerate(found):
            if one in found[:at]:
                raise Wrong(msg("{word} stands here twice", word=one), msg("leave the second out"))
        return found

    return Kind(read, list, ", ".join(choices))


def near(written: str, known: Iterable[str]) -> str:
    """Return the word that is most like what was written; empty if none is."""
    return next(iter(get_close_matches(written, list(known), n=1, cutoff=0.6)), "")


def did_you_mean(word: str) -> Msg:
    """Return what is said of a slip of the pen."""
    return msg("did you mean {word}?", word=word)


def _chosen(value: object, choices: tuple[str, ...]) -> str:
    if isinstance(value, str) and value in choices:
        return value
    close = near(value, choices) if isinstance(value, str) else ""
    shown = tuple(one or '""' for one in choices)
    way = did_you_mean(close) if close else msg("write one of: {words}", words=shown)
    raise Wrong(msg("{value} is not known here", value=repr(value)[:60]), way)


def _read_percent(value: object) -> int:
    found = re.fullmatch(r"(\d{1,3})%", value) if isinstance(value, str) else None
    if not found or int(found[1]) > 100:
        raise Wrong(msg("this is no share"), msg('write a whole share, from "0%" to "100%"'))
    return int(found[1])


percent = Kind(_read_percent, lambda value: f"{value}%", "0%-100%")
_HALVES = {"0": 0, "0.0": 0, "0.5": 1, "1": 2, "1.0": 2}


def _read_halves(value: object) -> int:
    if isinstance(value, bool) or str(value) not in _HALVES:
        raise Wrong(msg("points are counted by halves"), msg("write 0, 0.5 or 1"))
    return _HALVES[str(value)]


halves = Kind(_read_halves, lambda value: ("0", "0.5", "1")[value], "0/0.5/1")


def _read_moment(value: object) -> str:
    if isinstance(value, dt.datetime | dt.date):
        value = value.isoformat()[:16]
    way = msg('write a date, as "2030-02-01", or one with an hour, as "2030-02-01T20:00"')
    if not isinstance(value, str) or (value and not re.fullmatch(r"\d{4}-\d\d-\d\d(T\d\d:\d\d)?", value)):
        raise Wrong(msg("this is no date"), way)
    try:
        dt.datetime.fromisoformat(value or "2000-01-01")
    except ValueError:
        raise Wrong(msg("the calendar has no {date}", date=value), way) from None
    return value


moment = Kind(_read_moment, str, "date")


# Values that are lists or tables of their own: ways to decide what is unfinished, terms, prizes.


_WAY = re.compile(r"points:(?P<margin>\d{1,6})|continue:(?P<games>\d{1,4}):(?P<share>\d{1,3})%|(?P<word>jury|draw)")
_LEAST, _MOST = 10, 1000
"""Continuations of a position: fewer tell nothing, more cost minutes."""
_PRIZE = re.compile(
    r"(?P<place>[1-9]\d{0,3})|best:(<(?P<below>\d{1,4})|>=(?P<above>\d{1,4})|(?P<low>\d{1,4})-(?P<high>\d{1,4}))"
)


def _read_ways(value: object) -> tuple[Way, ...]:
    way = msg("write some of {words} in brackets", words=('"points:4"', '"continue:200:75%"', '"jury"', '"draw"'))
    if not isinstance(value, list | tuple) or not all(isinstance(one, str) for one in value):
        raise Wrong(msg("this is no list"), way)
    found: list[Way] = []
    for one in value:
        read = _WAY.fullmatch(one)
        if not read:
            raise Wrong(msg("{value} decides nothing", value=repr(one)[:60]), way)
        found.append(_way(read))
        if found[-1].word in [before.word for before in found[:-1]]:
            raise Wrong(msg("{word} stands here twice", word=found[-1].word), msg("leave the second out"))
        if found[-1].word == "draw" and len(found) < len(value):
            raise Wrong(msg("nothing comes after a {word}", word="draw"), msg("put {word} last", word="draw"))
    return tuple(found)


def _way(read: re.Match[str]) -> Way:
    if read["word"]:
        return Way(read["word"])
    if read["margin"]:
        if not int(read["margin"]):
            raise Wrong(
                msg("{n} is impossible", n=0), msg("a lead of 0 is none: write {word} or more", word="points:1")
            )
        return Way("points", int(read["margin"]))
    games, share = int(read["games"]), int(read["share"])
    if not _LEAST <= games <= _MOST:
        raise Wrong(
            msg("{n} is impossible", n=games), msg("write a number from {low} to {high}", low=_LEAST, high=_MOST)
        )
    if not 50 < share <= 100:
        raise Wrong(msg("{n} is impossible", n=share), msg("write a number from {low} to {high}", low=51, high=100))
    return Way("continue", games, share)


def _write_way(way: Way) -> str:
    if way.word == "points":
        return f"points:{way.number}"
    return f"continue:{way.number}:{way.percent}%" if way.word == "continue" else way.word


ways = Kind(_read_ways, lambda value: [_write_way(one) for one in value], "points:N, continue:N:P%, jury, draw")


def _read_terms(value: object) -> Mapping[str, str]:
    way = msg("write names with texts below {table}, as they would be given to pbem game new", table="[table.terms]")
    if not isinstance(value, Mapping):
        raise Wrong(msg("this is no table"), way)
    for name, one in value.items():
        if not re.fullmatch(r"[a-z][a-z0-9_-]{0,39}", name) or not isinstance(one, str | int) or len(str(one)) > 200:
            raise Wrong(msg("{value} will not do", value=f"{name} = {one!r}"[:60]), way)
    # A number or true is meant as it would be typed.
    return MappingProxyType({name: _typed(value[name]) for name in sorted(value)})


def _typed(value: str | int) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


TERMS = Kind(_read_terms, dict, "names")


def read_prize(name: str, value: object) -> Prize:
    """Read ``1 = "Book"`` or ``"best:<1500" = "Print"``; Wrong if it is neither."""
    read = _PRIZE.fullmatch(name)
    if not read:
        way = msg(
            "write a place or whom it is for, as 1, {below}, {above} or {between}",
            below='"best:<1500"',
            above='"best:>=1800"',
            between='"best:1500-1800"',
        )
        raise Wrong(msg("there is no prize {name}", name=name[:60]), way)
    if not isinstance(value, str) or not 1 <= len(value) <= 200 or not value.isprintable():
        raise Wrong(msg("this is no text"), msg("put it in quotation marks"))
    above, below = int(read["above"] or read["low"] or 0), int(read["below"] or read["high"] or 0)
    if below and above >= below:
        raise Wrong(msg("nobody is between {low} and {high}", low=above, high=below), msg("write the lower one first"))
    return Prize(int(read["place"] or 0), above, below, value)


def write_prize(prize: Prize) -> str:
    """Return the name of a prize as `read_prize` reads it."""
    if prize.place:
        return str(prize.place)
    if prize.above and prize.below:
        return f"best:{prize.above}-{prize.below}"
    return f"best:>={prize.above}" if prize.above else f"best:<{prize.below}"
