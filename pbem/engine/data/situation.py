"""The situation: what the positions of all games have in common as values of many fields, and how they are stored.

A position is a dataclass with slots, and no NamedTuple: a phase reads its fields some thousand times, which is twice as
fast so. They are listed once, in its class. Those whose names begin with an underscore hold what was found out about
the others, and make no difference; all others but the edition are what it is made of.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import MISSING, fields
from functools import cache
from operator import attrgetter
from types import MappingProxyType
from typing import Any, ClassVar, Self

from pbem.engine.data.canon import Json

NOTHING: Mapping[str, Any] = MappingProxyType({})
"""An empty mapping that cannot be written to."""


def nothing() -> Mapping[str, Any]:
    """Return NOTHING: the default of a field that is a mapping."""
    return NOTHING


@cache
def parts_of(kind: type) -> tuple[str, ...]:
    """Return the names of all that makes a position of this class but its edition."""
    return tuple(one.name for one in fields(kind) if one.name != "edition" and not one.name.startswith("_"))


@cache
def _parts(kind: Any) -> attrgetter[tuple[Any, ...]]:
    return attrgetter(*parts_of(kind))


@cache
def _fields(kind: Any) -> attrgetter[tuple[Any, ...]]:
    return attrgetter(*(one.name for one in fields(kind)))


def tuples(value: Json) -> Any:
    """Return JSON with tuples for its lists, as a position holds them."""
    return tuple(map(tuples, value)) if isinstance(value, list | tuple) else value


def by_name(value: object) -> Json:
    """Return a position as JSON in which all that has a name bears it: fields of the position, of units, of fights.

    It is for programs that read it; what is stored is `encode`, in rows.
    """
    if isinstance(value, Situation):
        kind: Any = type(value)
        return {name: by_name(part) for name, part in zip(parts_of(kind), value.parts(), strict=True)}
    if isinstance(value, Mapping):
        return {key: by_name(value[key]) for key in sorted(value)}
    if hasattr(value, "_asdict"):
        return {name: by_name(part) for name, part in value._asdict().items()}
    return [by_name(one) for one in value] if isinstance(value, list | tuple) else value


class Situation:
    """A position, a value: who changes it changes a copy, and never what its fields hold."""

    __slots__ = ()

    _camps: Any
    """Who is where, as found out from its `units`; None before anybody asked."""

    def copy(self) -> Self:
        """Return a copy to be changed by whoever asked for it; what the fields hold is shared and stays as it is."""
        kind: Any = type(self)
        new: Self = kind(*_fields(kind)(self))
        return new

    def change(self, **what: object) -> Self:
        """Return a copy with the fields given."""
        new = self.copy()
        for name, value in what.items():
            setattr(new, name, value)
        if "units" in what:
            new._camps = None
        return new

    def parts(self) -> tuple[Any, ...]:
        """Return all that makes a position but its edition."""
        kind: Any = type(self)
        return _parts(kind)(self)

    def key(self) -> Hashable:
        """Return the position as a key: whatever in it a rule or a standing order may look at."""
        return tuple([tuple(part.items()) if isinstance(part, Mapping) else part for part in self.parts()])


# Positions that can be stored: a dataclass whose fields, but the edition, are written as JSON and read back.


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
    def decode(cls, value: Json, edition: object) -> Self:
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


def _plain(value: object) -> Json:
    """Return a part as JSON: tuples and records as lists."""
    if isinstance(value, Mapping):
        return dict(value)
    return [_plain(one) for one in value] if isinstance(value, tuple) else value
