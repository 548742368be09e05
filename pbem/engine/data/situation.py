"""Positions: fields and storage common to all games.

A position is a dataclass with slots, and no NamedTuple: a phase reads its fields some thousand times, and slots are
read twice as fast. The fields are listed once, in the class. Fields whose names begin with an underscore are caches
computed from the others; all others but the edition make up the position.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import MISSING, fields
from functools import cache
from operator import attrgetter
from types import MappingProxyType
from typing import Any, ClassVar, Self

from pbem.engine.data.canon import Json

EMPTY_MAPPING: Mapping[str, Any] = MappingProxyType({})
"""An empty mapping that cannot be written to."""


def empty_mapping() -> Mapping[str, Any]:
    """Return NOTHING: the default of a field that is a mapping."""
    return EMPTY_MAPPING


@cache
def field_names(kind: type) -> tuple[str, ...]:
    """Return the names of a position's fields, without edition and caches."""
    return tuple(field.name for field in fields(kind) if field.name != "edition" and not field.name.startswith("_"))


@cache
def _parts(kind: Any) -> attrgetter[tuple[Any, ...]]:
    return attrgetter(*field_names(kind))


@cache
def _fields(kind: Any) -> attrgetter[tuple[Any, ...]]:
    return attrgetter(*(field.name for field in fields(kind)))


def lists_to_tuples(value: Json) -> Any:
    """Return JSON with tuples for its lists, as a position holds them."""
    return tuple(map(lists_to_tuples, value)) if isinstance(value, list | tuple) else value


def position_to_named_json(value: object) -> Json:
    """Return a position as JSON with all fields named, units and fights included.

    This form is for programs that read it; the stored form is `encode`, in rows.
    """
    if isinstance(value, Situation):
        kind: Any = type(value)
        return {name: position_to_named_json(part) for name, part in zip(field_names(kind), value.parts(), strict=True)}
    if isinstance(value, Mapping):
        return {key: position_to_named_json(value[key]) for key in sorted(value)}
    if hasattr(value, "_asdict"):
        return {name: position_to_named_json(part) for name, part in value._asdict().items()}
    return [position_to_named_json(item) for item in value] if isinstance(value, list | tuple) else value


class Situation:
    """A position as a value: it is never changed; changes are made to copies."""

    __slots__ = ()

    _camps: Any
    """The units by place, computed from `units`; None before it is needed."""

    def copy(self) -> Self:
        """Return a copy to be changed by the caller; values of fields are shared."""
        kind: Any = type(self)
        new: Self = kind(*_fields(kind)(self))
        return new

    def change(self, **changes: object) -> Self:
        """Return a copy with the fields given."""
        new = self.copy()
        for name, value in changes.items():
            setattr(new, name, value)
        if "units" in changes:
            new._camps = None
        return new

    def parts(self) -> tuple[Any, ...]:
        """Return the values of all fields but the edition and caches."""
        kind: Any = type(self)
        return _parts(kind)(self)

    def key(self) -> Hashable:
        """Return the position as a key: all that rules and standing orders may use."""
        return tuple([tuple(part.items()) if isinstance(part, Mapping) else part for part in self.parts()])


# Positions that can be stored: a dataclass whose fields, but the edition, are written as JSON and read back.


COMMAND_FIELDS = ("commanding", "assigned", "transfers", "joining", "silent", "covered")
"""M The fields of a position in which a side may have several commanders; they were added later."""


class Position(Situation):
    """A position with `edition`, `turn`, `phase` and `units` by id.

    See `Situation`. `ROWS` maps fields that hold records, keyed by their first field, to the function that reads a
    record from its row. `READ` has the functions for other fields that are no plain values, tuples or mappings;
    None is kept. Fields in `LATER` were added later, and are not stored while empty, so that older positions stay
    the same.
    """

    __slots__ = ()

    ROWS: ClassVar[Mapping[str, Callable[..., Any]]] = {}
    READ: ClassVar[Mapping[str, Callable[[Json], Any]]] = {}
    LATER: ClassVar[tuple[str, ...]] = ()

    def encode(self) -> Json:
        """Return the position as JSON without its edition; `decode` reads it back."""
        kind: Any = type(self)
        items = zip(field_names(kind), self.parts(), strict=True)
        return {name: self._part_to_json(name, part) for name, part in items if part or name not in self.LATER}

    def _part_to_json(self, name: str, part: Any) -> Json:
        if name in self.ROWS:
            return [_plain(part[ident]) for ident in sorted(part)]
        return _plain(part)

    @classmethod
    def decode(cls, value: Json, edition: object) -> Self:
        """Read the output of `encode`."""
        kind: Any = cls
        new: Self = kind(edition, **{name: cls._read(name, value) for name in field_names(kind)})
        return new

    @classmethod
    def _read(cls, name: str, value: Json) -> Any:
        if name in cls.LATER and name not in value:
            return _empty(cls, name)
        part = value[name]
        if name in cls.ROWS:
            return {row[0]: cls.ROWS[name](*map(lists_to_tuples, row)) for row in part}
        return cls.READ[name](part) if name in cls.READ and part is not None else lists_to_tuples(part)


def _empty(kind: Any, name: str) -> Any:
    """Return the default value of a field."""
    field = kind.__dataclass_fields__[name]
    return field.default if field.default is not MISSING else field.default_factory()


def _plain(value: object) -> Json:
    """Return a part as JSON: tuples and records as lists."""
    if isinstance(value, Mapping):
        return dict(value)
    return [_plain(item) for item in value] if isinstance(value, tuple) else value
