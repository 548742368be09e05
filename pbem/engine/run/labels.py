"""Labels: the name of a roll, fixed by what happens and never by when; and what it is in words, for people.

Examples: ``B>C/shock attacker``, ``B>C.2/fire Nizam > Leon`` (second assault on the pair), ``end/recover Nizam``,
``B>C/target C#2`` (the same roll again inside one address). A die found by its label is the same die however many
other rolls a ruling adds or takes away.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from pbem.engine.data.messages import Msg, msg

_TEXT = re.compile(r"(?P<where>[^/]+)/(?P<what>.+?)(?:#(?P<nth>[2-9]|[1-9][0-9]+))?", re.DOTALL)


class Label(NamedTuple):
    """Address of the event, the roll in the words of the rules, and its count inside the address (1 = first)."""

    where: str
    what: str
    nth: int = 1

    def __str__(self) -> str:
        again = f"#{self.nth}" if self.nth > 1 else ""
        return f"{self.where}/{self.what}{again}"

    @classmethod
    def parse(cls, text: str) -> Label:
        """Read the text form; ValueError unless it holds an address and a roll, split by the first ``/``."""
        found = _TEXT.fullmatch(text)
        if found is None:
            raise ValueError(f"a label reads ADDRESS/ROLL, got {text!r}")
        return cls(found["where"], found["what"], int(found["nth"] or 1))


# Rolls in words: what ``Nudos>Cresta/shock attacker`` is, for people; the label itself is for those who check dice.


_WHOLE: Mapping[str, Msg] = {
    "shock attacker": msg("the attacker's die for the shock"),
    "shock defender": msg("the defender's die for the shock"),
    "fleet": msg("whether the fleet comes"),
}
_OF_TWO: Mapping[str, Msg] = {
    "fire": msg("fire of {one} at {other}"),
    "shock": msg("shock of {one} against {other}"),
}
_OF_ONE: Mapping[str, Msg] = {
    "target": msg("who is hit in {one}"),
    "morale": msg("morale of {one}"),
    "recover": msg("recovery of {one}"),
    "charge": msg("charge of {one}"),
    "leader": msg("what becomes of the leader {one}"),
    "commander": msg("what becomes of the commander {one}"),
    "control": msg("control of {one}"),
    "rally": msg("rally of {one}"),
    "division": msg("morale of the division {one}"),
    "arrival": msg("arrival of {one}"),
    "cholera": msg("cholera in {one}"),
    "harvest": msg("harvest of {one}"),
    "scout": msg("scouts of {one}"),
}
_TWO = re.compile(r"(?P<verb>\w+) (?P<one>.+) > (?P<other>.+)")
_WHERE = re.compile(r"(?P<start>[^>.]+)>(?P<to>[^>.]+)(?:\.(?P<nth>\d+))?")


def in_words(label: str) -> Msg:
    """Return what a roll is for and where; a label of another kind as it stands."""
    read = Label.parse(label)
    what = what_in_words(read.what)
    if what is None:
        return msg("{label}", label=label)
    told = msg("{what}, {where}", what=what, where=place_in_words(read.where))
    return told if read.nth == 1 else msg("{roll}, roll {number}", roll=told, number=read.nth)


def what_in_words(what: str) -> Msg | None:
    """Return what a roll decides, None if these words know nothing of it."""
    if what in _WHOLE:
        return _WHOLE[what]
    both = _TWO.fullmatch(what)
    if both is not None and both["verb"] in _OF_TWO:
        names = tuple(both["one"].split("+"))
        return msg(_OF_TWO[both["verb"]].text, one=names, other=both["other"])
    verb, _, one = what.partition(" ")
    return msg(_OF_ONE[verb].text, one=one) if one and verb in _OF_ONE else None


def place_in_words(where: str) -> Msg:
    """Return where a roll is thrown: on the way from one place to another, in a place, or at the end of a turn."""
    if where == "end":
        return msg("end of the turn")
    if where == "camp":
        return msg("in the camp")
    found = _WHERE.fullmatch(where)
    if found is None:
        return msg("in {place}", place=where)
    told = msg("from {start} to {to}", start=found["start"], to=found["to"])
    return msg("{way}, time {number}", way=told, number=int(found["nth"])) if found["nth"] else told
