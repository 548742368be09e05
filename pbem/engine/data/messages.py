"""Sentences for people, kept apart from their language.

A `Msg` is an English sentence with ``{named}`` gaps and what fills them. The reports layer finds the sentence in the
reader's catalogue and fills the gaps; here only the plain English rendering exists, for tests and logs.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from pbem.engine.data.canon import Json

Arg = Any
"""What fills a gap: str, int, another Msg, or a tuple of those (rendered as a list with commas)."""


class Msg(NamedTuple):
    """An English sentence (the key of the catalogues) and the values of its gaps, sorted by name."""

    text: str
    args: tuple[tuple[str, Arg], ...] = ()

    def to_json(self) -> Json:
        """Return a JSON value that `from_json` reads back."""
        return {"text": self.text, "args": {name: arg_to_json(value) for name, value in self.args}}

    @classmethod
    def from_json(cls, value: Json) -> Msg:
        """Read what `to_json` wrote."""
        return msg(value["text"], **{name: arg_from_json(arg) for name, arg in value["args"].items()})


def msg(text: str, /, **args: Arg) -> Msg:
    """Make a Msg; `text` is a literal in the source, so that the catalogues can be checked against the code."""
    return Msg(text, tuple(sorted(args.items())) if args else ())


def by_number(number: int, one: Msg, many: Msg) -> Msg:
    """Return what is said of `number` things: `one` of a single one, else `many`, as English and Spanish have it."""
    return one if number == 1 else many


def decimal(value: float, places: int = 1, *, signed: bool = False) -> Msg:
    """Return a number with so many `places`, at least one, for a gap: each language has its own mark before them.

    `signed`, what is above zero has its sign too.
    """
    whole, part = f"{abs(value):.{places}f}".split(".")
    sign = "" if not int(whole + part) else "-" if value < 0 else "+" if signed else ""
    return msg("{sign}{whole}.{part}", sign=sign, whole=int(whole), part=part)


def percent(share: Any) -> str:
    """Return a probability as whole percent, for a gap; what is a trifle below zero by rounding is none."""
    return f"{max(0.0, 100 * float(share)):.0f}"


class Counted(str):
    """What fills a gap, which knows of how many it speaks: ``{n} {n:|step|steps}``, ``{units:|holds|hold}``.

    Behind the colon stand the word for one and that for several, each after a bar. ``{effects:A}`` begins a sentence.
    """

    __slots__ = ("number",)
    number: int

    def __new__(cls, text: str, number: int) -> Counted:
        """Make it of the text and of how many."""
        made = super().__new__(cls, text)
        made.number = number
        return made

    def __format__(self, spec: str) -> str:
        """Return the text or, if words are given, that of the number."""
        if spec == "A":
            return self[:1].upper() + self[1:]
        if not spec.startswith("|"):
            return super().__format__(spec)
        _, one, several = spec.split("|")
        return one if abs(self.number) == 1 else several


def count_of(value: Arg) -> int:
    """Return of how many a gap speaks: a number of so many, several things of theirs, anything else of one."""
    if isinstance(value, int):
        return value
    return len(value) if isinstance(value, tuple | list) else 1


def plain(message: Msg) -> str:
    """Render `message` in English, as a log line or a test wants it."""
    gaps = {name: Counted(_plain_arg(value), count_of(value)) for name, value in message.args}
    return message.text.format(**gaps)


def _plain_arg(value: Arg) -> str:
    if isinstance(value, Msg):
        return plain(value)
    if isinstance(value, str | int):
        return str(value)
    if isinstance(value, Iterable):
        return ", ".join(_plain_arg(item) for item in value)
    raise TypeError(f"a gap takes text, a number, a message or several of them, got {value!r}")


def arg_to_json(value: Arg) -> Json:
    """Return what fills a gap as a JSON value that `arg_from_json` reads back."""
    if isinstance(value, Msg):
        return {"msg": value.to_json()}
    if isinstance(value, tuple | list):
        return [arg_to_json(item) for item in value]
    return value


def arg_from_json(value: Json) -> Arg:
    """Read what `arg_to_json` wrote."""
    if isinstance(value, dict):
        return Msg.from_json(value["msg"])
    if isinstance(value, list):
        return tuple(arg_from_json(item) for item in value)
    return value
