"""Values that are lists or tables of their own: ways to decide what is unfinished, terms, prizes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from pbem.engine.data.messages import msg
from pbem.tournaments.arithmetic.rules.kinds import Kind, Wrong
from pbem.tournaments.arithmetic.rules.records import Prize, Way

_WAY = re.compile(r"points:(?P<margin>\d{1,6})|continue:(?P<games>\d{1,4}):(?P<share>\d{1,3})%|(?P<word>jury|draw)")
_LEAST, _MOST = 10, 1000
"""Continuations of a position: fewer tell nothing, more cost minutes."""
_PRIZE = re.compile(
    r"(?P<place>[1-9]\d{0,3})|best:(<(?P<below>\d{1,4})|>=(?P<above>\d{1,4})|(?P<low>\d{1,4})-(?P<high>\d{1,4}))"
)


def _read_ways(value: Any) -> tuple[Way, ...]:
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


def _read_terms(value: Any) -> Mapping[str, str]:
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


def read_prize(name: str, value: Any) -> Prize:
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
