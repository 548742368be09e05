"""Evaluate conditions of IF, STOP IF and standing orders from one side's view."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from pbem.engine.data.events import event
from pbem.engine.orders.canonical import canon_condition
from pbem.engine.orders.standing import Condition, If, Stop, compare
from pbem.engine.run.steps import Did


def condition_values(condition: Condition, value: Callable[[Condition], str]) -> tuple[str, ...]:
    """Return the parts of a condition with their `value`, in the words of orders.

    Parts without a value are left out.
    """
    texts = (f"{_name(part)} {value(part)}".strip() for part in _single(condition) if value(part))
    return tuple(dict.fromkeys(texts))


def _single(condition: Condition) -> Iterator[Condition]:
    """Yield the single conditions within AND, OR and NOT."""
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


class Piece(Protocol):
    """A unit, as far as conditions need it."""

    @property
    def id(self) -> str:
        """Return its id."""
        ...

    @property
    def at(self) -> str:
        """Return its place."""
        ...


class Scenery(Protocol):
    """A position, as far as conditions need it."""

    @property
    def turn(self) -> int:
        """Return the turn."""
        ...

    @property
    def units(self) -> Mapping[str, Any]:
        """Return the units in play by id."""
        ...

    def holder(self, place: str, /) -> str:
        """Return the side that holds a place, or ""."""
        ...


S = TypeVar("S", bound=Scenery)
U = TypeVar("U", bound=Piece)
A = TypeVar("A")


class Scene(NamedTuple, Generic[U]):
    """The situation of a standing order: place, units, origin of the enemy.

    Units are those of both sides.
    """

    place: str
    mine: tuple[U, ...]
    enemy: tuple[U, ...]
    origin: str = ""


class Conditions(ABC, Generic[S, U]):
    """The conditions of a game.

    `counts` returns one unit's share of what MY and ENEMY can count; ODDS compare what is counted by `measure`.
    """

    counts: Mapping[str, Callable[[U], int]]
    measure: str

    def holds(self, state: S, condition: Condition, side: str, scene: Scene[U] | None = None) -> bool:
        """Return whether a condition is true for `side`, as far as it sees.

        Without a scene MY and ENEMY count everything.
        """
        return not condition or self._holds(self.seen(state, side), condition, side, scene)

    def branch(self, state: S, order: If[A], side: str) -> tuple[A, ...]:
        """Return the actions of an IF, by its condition now."""
        return order.then if self.holds(state, order.condition, side) else order.otherwise

    def stop_if(self, state: S, order: Stop, side: str, rule: str) -> Did:
        """Return the event that STOP IF applies; nothing if its condition is false."""
        if not self.holds(state, order.condition, side):
            return Did()
        why = self.values(state, order.condition, side)
        text = f"STOP IF {canon_condition(order.condition)}"
        return Did((event("breaks off", rule, side=side, line=order.line, order=text, values=list(why)),))

    def _holds(self, state: S, condition: Condition, side: str, scene: Scene[U] | None) -> bool:
        kind = condition[0]
        if kind == "and":
            return self._holds(state, condition[1], side, scene) and self._holds(state, condition[2], side, scene)
        if kind == "or":
            return self._holds(state, condition[1], side, scene) or self._holds(state, condition[2], side, scene)
        if kind == "not":
            return not self._holds(state, condition[1], side, scene)
        if kind == "space":
            # Asked of every scene alike: the commonest question needs none.
            return bool(condition[2] == self._holder_word(state, condition[1], side))
        return self._test(state, condition, side, scene or self._everywhere(state, side))

    def _test(self, state: S, condition: Condition, side: str, scene: Scene[U]) -> bool:
        kind = condition[0]
        if kind == "odds":
            _, op, a, b = condition
            return compare(op, self._sum(scene.enemy, self.measure) * b, self._sum(scene.mine, self.measure) * a)
        if kind == "count":
            _, whose, what, op, n = condition
            return compare(op, self._count(scene, whose, what), n)
        if kind == "turn":
            return compare(condition[1], state.turn, condition[2])
        if kind == "vp":
            return compare(condition[1], self.points(state, side), condition[2])
        if kind == "from":
            return bool(scene.origin == condition[1])
        if kind == "leader":
            return any(unit.id == condition[1] for unit in scene.enemy)
        return self._one(state, condition, scene)

    def _one(self, state: S, condition: Condition, scene: Scene[U]) -> bool:
        """Parse ``MY unit HERE``, or the game's own form of it."""
        _, ident, how = condition
        unit: U | None = state.units.get(ident)
        if unit is None:
            return False
        if how == "HERE":
            return not scene.place or unit.at == scene.place
        return self.fits(unit, how)

    def _count(self, scene: Scene[U], whose: str, what: str) -> int:
        return self._sum(scene.mine if whose == "MY" else scene.enemy, what)

    def _sum(self, units: Iterable[U], what: str) -> int:
        return sum(map(self.counts[what], units))

    def _holder_word(self, state: S, place: str, side: str) -> str:
        holder = state.holder(place)
        return "EMPTY" if not holder else "MINE" if self.friends(holder, side) else "ENEMY"

    def _everywhere(self, state: S, side: str) -> Scene[U]:
        mine, enemy = self.sides(state, side)
        return Scene("", mine, enemy)

    def values(self, state: S, condition: Condition, side: str) -> tuple[str, ...]:
        """Return the values of a condition's parts for `side`, as orders write them."""
        state = self.seen(state, side)
        scene = self._everywhere(state, side)

        def value(condition: Condition) -> str:
            if condition[0] == "space":
                return self._holder_word(state, condition[1], side)
            if condition[0] == "count":
                return str(self._count(scene, condition[1], condition[2]))
            if condition[0] == "odds":
                return f"{self._sum(scene.enemy, self.measure)}:{self._sum(scene.mine, self.measure)}"
            return (
                str(state.turn)
                if condition[0] == "turn"
                else str(self.points(state, side))
                if condition[0] == "vp"
                else ""
            )

        return condition_values(condition, value)

    # What a game says

    def seen(self, state: S, side: str) -> S:
        """Return the position without data hidden from a side."""
        return state

    def friends(self, side: str, other: str) -> bool:
        """Return whether one side counts as the other's own."""
        return side == other

    @abstractmethod
    def sides(self, state: S, side: str) -> tuple[tuple[U, ...], tuple[U, ...]]:
        """Return the units of a side and of its enemies, wherever they are."""

    @abstractmethod
    def fits(self, unit: U, how: str) -> bool:
        """Return whether a unit is in a state: FRESH, SPENT, or another of the game."""

    @abstractmethod
    def points(self, state: S, side: str) -> int:
        """Return the victory points of a side."""
