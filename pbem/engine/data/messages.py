"""Sentences for people, independent of language.

A `Msg` is an English sentence with ``{named}`` gaps and their values. The reports layer finds the sentence
in the reader's catalogue and fills the gaps; here only the plain English rendering exists, for tests and
logs.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from pbem.engine.data.canon import Json

Arg = Any
"""The value of a gap: str, int, another Msg, or a tuple of those (rendered as a list with commas)."""


class Msg(NamedTuple):
    """An English sentence with values for its gaps, sorted by name.

    The sentence is the key of the catalogues.
    """

    text: str
    args: tuple[tuple[str, Arg], ...] = ()

    def to_json(self) -> Json:
        """Return a JSON value that `from_json` reads back."""
        return {"text": self.text, "args": {name: arg_to_json(value) for name, value in self.args}}

    @classmethod
    def from_json(cls, value: Json) -> Msg:
        """Read the output of `to_json`."""
        return msg(value["text"], **{name: arg_from_json(arg) for name, arg in value["args"].items()})


def msg(text: str, /, **args: Arg) -> Msg:
    """Return a Msg.

    `text` is a literal in the source, so that catalogues can be checked against the code.
    """
    return Msg(text, tuple(sorted(args.items())) if args else ())


def by_number(number: int, singular: Msg, many: Msg) -> Msg:
    """Return one of two sentences: `singular` for the number 1, else `many`."""
    return singular if number == 1 else many


def decimal(value: float, places: int = 1, *, signed: bool = False) -> Msg:
    """Return a number with so many `places`, at least one, for a gap.

    Each language has its own decimal mark. With `signed` a number above zero gets a plus.
    """
    whole, part = f"{abs(value):.{places}f}".split(".")
    sign = "" if not int(whole + part) else "-" if value < 0 else "+" if signed else ""
    return msg("{sign}{whole}.{part}", sign=sign, whole=int(whole), part=part)


def percent(share: Any) -> str:
    """Return a probability as whole percent, for a gap; at least 0."""
    # Floating-point sums may end just below 0, which would be shown as -0.
    return f"{max(0.0, 100 * float(share)):.0f}"


class PluralText(str):
    """A gap's text with a number: ``{n} {n:|step|steps}``, ``{units:|holds|hold}``.

    After the colon come the words for one and for several, each after a bar. ``{effects:A}`` begins a sentence.
    """

    __slots__ = ("number",)
    number: int

    def __new__(cls, text: str, number: int) -> PluralText:
        """Return the text with its number."""
        instance = super().__new__(cls, text)
        instance.number = number
        return instance

    def __format__(self, spec: str) -> str:
        """Return the text or, if words are given, the one for the number."""
        if spec == "A":
            return self[:1].upper() + self[1:]
        if not spec.startswith("|"):
            return super().__format__(spec)
        _, singular, plural = spec.split("|")
        return singular if abs(self.number) == 1 else plural


def count_of(value: Arg) -> int:
    """Return a gap's number: an int itself, of several values their count, else 1."""
    if isinstance(value, int):
        return value
    return len(value) if isinstance(value, _SEVERAL) and not isinstance(value, Msg) else 1


# Kept as a constant, because making a union each time is slower than the check.
_SEVERAL = (tuple, list)


def plain_english(message: Msg) -> str:
    """Return `message` in English, for logs and tests."""
    gaps = {name: PluralText(_plain_arg(value), count_of(value)) for name, value in message.args}
    return message.text.format(**gaps)


def _plain_arg(value: Arg) -> str:
    if isinstance(value, Msg):
        return plain_english(value)
    if isinstance(value, str | int):
        return str(value)
    if isinstance(value, Iterable):
        return ", ".join(_plain_arg(item) for item in value)
    raise TypeError(f"a gap takes text, a number, a message or several of them, got {value!r}")


def arg_to_json(value: Arg) -> Json:
    """Return a gap's value as JSON that `arg_from_json` reads back."""
    if isinstance(value, Msg):
        return {"msg": value.to_json()}
    if isinstance(value, tuple | list):
        return [arg_to_json(item) for item in value]
    return value


def arg_from_json(value: Json) -> Arg:
    """Read the output of `arg_to_json`."""
    if isinstance(value, dict):
        return Msg.from_json(value["msg"])
    if isinstance(value, list):
        return tuple(arg_from_json(item) for item in value)
    return value
