"""What a condition of orders came to: each thing that it asks of, with its value at the moment it was looked at.

``STOP IF MY STEPS LESS THAN 20 OR TURN 9`` struck at ``MY STEPS 18, TURN 4``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pbem.engine.orders.standing import Condition


def measured(condition: Condition, value: Callable[[Condition], str]) -> tuple[str, ...]:
    """Return what a condition asks of and its `value`, in the words of orders; what has none is left out."""
    found = (f"{_name(one)} {value(one)}".strip() for one in _single(condition) if value(one))
    return tuple(dict.fromkeys(found))


def _single(condition: Condition) -> Iterator[Condition]:
    """The conditions that one of AND, OR and NOT is made of."""
    if not condition:
        return
    if condition[0] in ("and", "or", "not"):
        for inner in condition[1:]:
            yield from _single(inner)
    else:
        yield condition


def _name(condition: Condition) -> str:
    kind = condition[0]
    if kind == "count":
        return f"{condition[1]} {condition[2]}"
    if kind == "unit":
        return f"MY {condition[1]}"
    return f"SPACE {condition[1]}" if kind == "space" else str(kind).upper()
