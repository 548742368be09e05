"""A game's orders altogether: its words, its forms, the rules cited; and their canonical text.

Canonical order text v1: English keywords, ids, one order a line. It is what is committed, stored, replayed and echoed;
reading it gives the same orders again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, NamedTuple, TypeVar

from pbem.engine.orders import canonical
from pbem.engine.orders.actions import If, Pass, Stop
from pbem.engine.orders.forms import Form, form
from pbem.engine.orders.lex import Token, Vocabulary
from pbem.engine.orders.slots import condition
from pbem.engine.orders.standing import Idiom
from pbem.engine.terms import Orders

S = TypeVar("S")
A = TypeVar("A")


class Cited(NamedTuple):
    """The numbers of a game's rules that are cited: of its words, and of IF and what belongs to it."""

    words: str
    blocks: str


def _nothing(action: Any) -> Iterable[Any]:
    return ()


def _never(words: Sequence[Token]) -> bool:
    return False


@dataclass(frozen=True)
class Grammar(Generic[S, A]):
    """The orders of a game. `forms` stand in the order in which they are told; PASS comes with them.

    So do IF and STOP IF, if orders may hang on a condition (`branching`). `under` says what stands under an order that
    heads others. A word that is `apart` is never the second word of a name. A line that is `bare` belongs to standing
    orders although no block of them was begun.
    """

    vocabulary: Vocabulary
    idiom: Idiom
    cited: Cited
    forms: Sequence[Form[S, Any]]
    under: Callable[[A], Iterable[A]] = _nothing
    apart: Callable[[Token], bool] | None = None
    bare: Callable[[Sequence[Token]], bool] = _never
    branching: bool = True

    @cached_property
    def by_verb(self) -> Mapping[str, Form[S, Any]]:
        """Forms by their verb."""
        given: list[Form[S, Any]] = [*self.forms, form("PASS", Pass, {}, self.vocabulary)]
        if self.branching:
            given.append(form("STOP IF {condition:condition}", Stop, {"condition": condition()}, self.vocabulary))
        return {one.verb: one for one in given}

    @cached_property
    def verbs(self) -> tuple[str, ...]:
        """What an order begins with."""
        return (*self.by_verb, "IF", "ELSE", "ENDIF") if self.branching else (*self.by_verb,)

    @cached_property
    def _by_record(self) -> Mapping[object, Form[S, Any]]:
        """Forms by what they make: a kind of record, or a kind and a verb where the record has one."""
        found: dict[object, Form[S, Any]] = {}
        for verb, one in self.by_verb.items():
            found[one.kind] = found[one.kind, verb] = one
        return found

    def canon(self, orders: Orders) -> str:
        """Return the canonical text of a seat's orders, lines ending in LF; empty for no orders at all."""
        return canonical.canon(orders, self._lines)

    def line_of(self, action: A) -> str:
        """Return the first line of an action's canonical text."""
        return next(self._lines(action, ""))

    def lines_of(self, action: A) -> tuple[str, ...]:
        """Return all lines of an action's canonical text."""
        return tuple(self._lines(action, ""))

    def _lines(self, action: A, indent: str) -> Iterator[str]:
        if isinstance(action, If):
            yield from canonical.branches(action, self._lines, indent)
            return
        verb = getattr(action, "verb", "")
        yield indent + self._by_record[(type(action), verb) if verb else type(action)].write(action)
        for item in self.under(action):
            yield from self._lines(item, indent)
