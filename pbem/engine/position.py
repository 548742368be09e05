"""Positions that can be stored: a dataclass whose fields, but the edition, are written as JSON and read back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING
from typing import Any, ClassVar, Self

from pbem.engine.data.canon import Json
from pbem.engine.data.situation import Situation, parts_of, tuples

COMMANDED = ("commanding", "assigned", "transfers", "joining", "silent", "covered")
"""M The fields of a position in which a side may have several commanders; they came later."""


class Position(Situation):
    """A position, a value (see `Situation`), with `edition`, `turn`, `phase` and `units` by id among its fields.

    `ROWS` names the fields that hold records by their first field, and how one is read from its row; `READ` how other
    fields are read, unless they are None, that are not plain values, tuples or mappings; of the fields `LATER` nothing
    is said while they hold nothing: what was stored before there were such stays as it is.
    """

    __slots__ = ()

    ROWS: ClassVar[Mapping[str, Callable[..., Any]]] = {}
    READ: ClassVar[Mapping[str, Callable[[Json], Any]]] = {}
    LATER: ClassVar[tuple[str, ...]] = ()

    def encode(self) -> Json:
        """Return the position as JSON without its edition; `decode` reads it back."""
        kind: Any = type(self)
        named = zip(parts_of(kind), self.parts(), strict=True)
        return {name: self._stored(name, part) for name, part in named if part or name not in self.LATER}

    def _stored(self, name: str, part: Any) -> Json:
        if name in self.ROWS:
            return [_plain(part[ident]) for ident in sorted(part)]
        return _plain(part)

    @classmethod
    def decode(cls, value: Json, edition: Any) -> Self:
        """Read what `encode` wrote."""
        kind: Any = cls
        new: Self = kind(edition, **{name: cls._read(name, value) for name in parts_of(kind)})
        return new

    @classmethod
    def _read(cls, name: str, value: Json) -> Any:
        if name in cls.LATER and name not in value:
            return _empty(cls, name)
        part = value[name]
        if name in cls.ROWS:
            return {row[0]: cls.ROWS[name](*map(tuples, row)) for row in part}
        return cls.READ[name](part) if name in cls.READ and part is not None else tuples(part)


def _empty(kind: Any, name: str) -> Any:
    """Return what a field holds where nothing is said of it."""
    field = kind.__dataclass_fields__[name]
    return field.default if field.default is not MISSING else field.default_factory()


def _plain(value: Any) -> Json:
    """Return a part as JSON: tuples and records as lists."""
    if isinstance(value, Mapping):
        return dict(value)
    return [_plain(one) for one in value] if isinstance(value, tuple) else value
