"""What the letters of a side are read with: the names that it may use, and what was read with them before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, Generic, NamedTuple, Protocol, TypeVar
from weakref import WeakKeyDictionary

from pbem.engine.commanders.holding import Commanded, under_others
from pbem.engine.edition import Edition
from pbem.engine.orders.names import Names
from pbem.engine.orders.standing import Idiom, Lexicon, Rule, Scope

E = TypeVar("E", bound=Edition[Any])


class Sided(Protocol):
    """A unit, as far as its name is concerned."""

    @property
    def side(self) -> str:
        """Whose it is."""
        ...


class Language(NamedTuple):
    """The names, and the standing orders that were read with them before.

    Standing orders come again with every phase; the lines that could be read are kept, by their text and scope, and
    the scopes by the lines that open them.
    """

    lexicon: Lexicon
    rules: dict[tuple[str, Scope], Rule]
    scopes: dict[str, Scope]


class _Muster(NamedTuple):
    """Of an edition the side of each unit, in play or not, and the language of each side and what joined it."""

    sides: Mapping[str, str]
    known: dict[tuple[object, ...], Language]


@lru_cache(maxsize=256)
def index(entries: tuple[tuple[str, tuple[str, ...]], ...]) -> Names:
    """Return an index of ids with their further names, the same one for the same names."""
    return Names(dict(entries))


class Languages(Generic[E]):
    """The languages of a game, made once for each edition and side."""

    def __init__(
        self,
        idiom: Idiom,
        sides: Callable[[E], Mapping[str, str]],
        spaces: Callable[[E], Names],
        party: Callable[[str], str] = str,
    ) -> None:
        """Take what says the side of each unit of an edition, its places, and who may order the units of a side."""
        self._idiom = idiom
        self._sides = sides
        self._spaces = spaces
        self._party = party
        self._musters: WeakKeyDictionary[E, _Muster] = WeakKeyDictionary()

    def of(self, edition: E, units: Mapping[str, Sided], side: str, view: Commanded | None = None) -> Language:
        """Return the language of a side: places, its own units, and all units of the scenario and of the position.

        M1 Where a command of the side looks, in whose `view` it is, it knows which units others order.
        """
        muster = self._musters.get(edition)
        if muster is None:
            muster = self._musters[edition] = _Muster(self._sides(edition), {})
        joined: tuple[tuple[str, str], ...] = ()
        if not units.keys() <= muster.sides.keys():
            joined = tuple(sorted((i, unit.side) for i, unit in units.items() if i not in muster.sides))
        held = (view.commanding, *sorted(view.assigned.items())) if view is not None and view.commanding else ()
        key = (self._party(side), joined, held)
        found = muster.known.get(key)
        if found is None:
            lexicon = self._lexicon(edition, {**muster.sides, **dict(joined)}, side)
            if held and view is not None:
                lexicon = lexicon._replace(others=under_others(view), others_rule=edition.ON_COMMANDERS.own)
            found = muster.known[key] = Language(lexicon, {}, {})
        return found

    def _lexicon(self, edition: E, sides: Mapping[str, str], side: str) -> Lexicon:
        full = edition.names

        def named(ids: Iterable[str]) -> Names:
            return index(tuple((i, (full[i],) if i in full else ()) for i in sorted(ids)))

        mine = named(ident for ident, holder in sides.items() if self._party(holder) == self._party(side))
        return Lexicon(self._idiom, named(sides), self._spaces(edition), mine)
