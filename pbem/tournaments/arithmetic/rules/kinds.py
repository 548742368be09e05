"""What the value of a key may be: how it is read, how written, what is said against one that is none."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import Any, NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Msg, msg


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

    def read(value: Any) -> str:
        if not isinstance(value, str):
            raise Wrong(msg("this is no text"), msg("put it in quotation marks"))
        if not least <= len(value) <= most or not re.fullmatch(pattern, value):
            way = msg("write {least} to {most} characters, as {example}", least=least, most=most, example=says)
            raise Wrong(msg("{value} will not do", value=repr(value[:60])), way)
        return value

    return Kind(read, str, says)


def whole(low: int, high: int) -> Kind:
    """A whole number."""

    def read(value: Any) -> int:
        if type(value) is not int:
            way = msg("write it without quotation marks or a point, from {low} to {high}", low=low, high=high)
            raise Wrong(msg("this is no whole number"), way)
        if not low <= value <= high:
            raise Wrong(
                msg("{n} is impossible", n=value), msg("write a number from {low} to {high}", low=low, high=high)
            )
        return value

    return Kind(read, int, f"{low}-{high}")


def _read_flag(value: Any) -> bool:
    if type(value) is not bool:
        raise Wrong(
            msg("this is neither {yes} nor {no}", yes="true", no="false"),
            msg("write {yes} or {no}, without quotation marks", yes="true", no="false"),
        )
    return value


flag = Kind(_read_flag, bool, "true/false")


def word(*choices: str) -> Kind:
    """One of a few words."""

    def read(value: Any) -> str:
        return _chosen(value, choices)

    return Kind(read, str, "/".join(repr(one)[1:-1] or "-" for one in choices))


def words(*choices: str, joined: str = "") -> Kind:
    """Some of a few words in an order, none twice; where `joined` is given, one text with it between them will do."""

    def read(value: Any) -> tuple[str, ...]:
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


def _chosen(value: Any, choices: tuple[str, ...]) -> str:
    if isinstance(value, str) and value in choices:
        return value
    close = near(value, choices) if isinstance(value, str) else ""
    shown = tuple(one or '""' for one in choices)
    way = did_you_mean(close) if close else msg("write one of: {words}", words=shown)
    raise Wrong(msg("{value} is not known here", value=repr(value)[:60]), way)


def _read_percent(value: Any) -> int:
    found = re.fullmatch(r"(\d{1,3})%", value) if isinstance(value, str) else None
    if not found or int(found[1]) > 100:
        raise Wrong(msg("this is no share"), msg('write a whole share, from "0%" to "100%"'))
    return int(found[1])


percent = Kind(_read_percent, lambda value: f"{value}%", "0%-100%")
_HALVES = {"0": 0, "0.0": 0, "0.5": 1, "1": 2, "1.0": 2}


def _read_halves(value: Any) -> int:
    if isinstance(value, bool) or str(value) not in _HALVES:
        raise Wrong(msg("points are counted by halves"), msg("write 0, 0.5 or 1"))
    return _HALVES[str(value)]


halves = Kind(_read_halves, lambda value: ("0", "0.5", "1")[value], "0/0.5/1")


def _read_moment(value: Any) -> str:
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
