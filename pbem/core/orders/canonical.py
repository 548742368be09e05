"""Canonical order text v1, as far as it is written alike in every game: conditions and standing orders."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol

from pbem.core.orders.standing import canon_condition, canon_standing
from pbem.core.terms import Orders

__all__ = ["Branch", "branches", "canon", "each_rule"]

Lines = Callable[[Any, str], Iterator[str]]
"""(action, indentation) -> the canonical lines of the action, each beginning with the indentation."""


class Branch(Protocol):
    """An IF: its condition, what is done when it holds, and what otherwise."""

    @property
    def condition(self) -> tuple[Any, ...]:
        """The condition, in plain data."""
        ...

    @property
    def then(self) -> tuple[Any, ...]:
        """Actions."""
        ...

    @property
    def otherwise(self) -> tuple[Any, ...]:
        """Actions."""
        ...


def canon(orders: Orders, lines: Lines) -> str:
    """Return the canonical text of a seat's orders, lines ending in LF; empty for no orders at all."""
    text = [line for action in orders.actions for line in lines(action, "")]
    return "".join(f"{line}\n" for line in (*text, *canon_standing(orders.standing)))


def branches(action: Branch, lines: Lines, indent: str) -> Iterator[str]:
    """Yield the lines of an IF, what it holds two blanks further in."""
    yield f"{indent}IF {canon_condition(action.condition)}"
    for item in action.then:
        yield from lines(item, indent + "  ")
    if action.otherwise:
        yield f"{indent}ELSE"
        for item in action.otherwise:
            yield from lines(item, indent + "  ")
    yield f"{indent}ENDIF"


def each_rule(standing: str) -> tuple[str, ...]:
    """Return a block for each rule of canonical standing orders, with the number that it has in its scope.

    One after the other they read as all of them do together.
    """
    rules, head = [], ""
    for line in standing.splitlines():
        if line.startswith("STANDING "):
            head = line
        elif line != "ENDSTANDING":
            rules.append(f"{head}\n{line}\nENDSTANDING\n")
    return tuple(rules)
