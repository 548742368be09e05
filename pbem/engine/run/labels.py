"""Labels of rolls, and labels in words.

A label depends on the event and never on time. Examples: ``B>C/shock attacker``, ``B>C.2/fire Nizam >
Leon`` (second assault on the pair), ``end/recover Nizam``, ``B>C/target C#2`` (the same roll again inside
one address). A die found by its label is the same die however many other rolls a ruling adds or takes away.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from pbem.engine.data.messages import Msg, msg

# A number is written from 2 on, so that each roll has one label.
_TEXT = re.compile(r"(?P<where>[^/]+)/(?P<what>.+?)(?:#(?P<nth>[2-9]|[1-9][0-9]+))?", re.DOTALL)


class Label(NamedTuple):
    """The name of a roll: address of the event, the roll in words, and its number.

    The number counts equal rolls within one address, from 1.
    """

    where: str
    what: str
    nth: int = 1

    def __str__(self) -> str:
        again = f"#{self.nth}" if self.nth > 1 else ""
        return f"{self.where}/{self.what}{again}"

    @classmethod
    def parse(cls, text: str) -> Label:
        """Read ``ADDRESS/ROLL``, split at the first ``/``.

        Raise ValueError for other text.
        """
        match = _TEXT.fullmatch(text)
        if match is None:
            raise ValueError(f"a label reads ADDRESS/ROLL, got {text!r}")
        return cls(match["where"], match["what"], int(match["nth"] or 1))


# Rolls in words, for people: ``Nudos>Cresta/shock attacker``; the label itself is for checking dice.


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
# The labels of dice rolls: about two units; and about a way between places, with its number if there are several.
_TWO = re.compile(r"(?P<verb>\w+) (?P<one>.+) > (?P<other>.+)")
_WHERE = re.compile(r"(?P<start>[^>.]+)>(?P<to>[^>.]+)(?:\.(?P<nth>\d+))?")


def in_words(label: str) -> Msg:
    """Return a roll and its place in words; an unknown label unchanged."""
    parsed = Label.parse(label)
    roll = what_in_words(parsed.what)
    if roll is None:
        return msg("{label}", label=label)
    sentence = msg("{what}, {where}", what=roll, where=place_in_words(parsed.where))
    return sentence if parsed.nth == 1 else msg("{roll}, roll {number}", roll=sentence, number=parsed.nth)


def what_in_words(what: str) -> Msg | None:
    """Return a roll's purpose in words, or None if it is unknown."""
    if what in _WHOLE:
        return _WHOLE[what]
    match = _TWO.fullmatch(what)
    if match is not None and match["verb"] in _OF_TWO:
        names = tuple(match["one"].split("+"))
        return msg(_OF_TWO[match["verb"]].text, one=names, other=match["other"])
    verb, _, name = what.partition(" ")
    return msg(_OF_ONE[verb].text, one=name) if name and verb in _OF_ONE else None


def place_in_words(where: str) -> Msg:
    """Return a roll's place in words: an edge, a place, or the end of a turn."""
    if where == "end":
        return msg("end of the turn")
    if where == "camp":
        return msg("in the camp")
    match = _WHERE.fullmatch(where)
    if match is None:
        return msg("in {place}", place=where)
    sentence = msg("from {start} to {to}", start=match["start"], to=match["to"])
    return msg("{way}, time {number}", way=sentence, number=int(match["nth"])) if match["nth"] else sentence
