"""What IF, STOP IF and standing orders can ask of the position, from one side's point of view."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from pbem.engine.data.events import event
from pbem.engine.orders.canonical import canon_condition
from pbem.engine.orders.standing import Condition, If, Stop, compare
from pbem.engine.run.steps import Did


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


class Piece(Protocol):
    """A unit, as far as conditions are concerned."""

    @property
    def id(self) -> str:
        """What it is called."""
        ...

    @property
    def at(self) -> str:
        """Where it stands."""
        ...


class Scenery(Protocol):
    """A position, as far as conditions are concerned."""

    @property
    def turn(self) -> int:
        """The turn."""
        ...

    @property
    def units(self) -> Mapping[str, Any]:
        """Units in play by id."""
        ...

    def holder(self, at: str, /) -> str:
        """The side that holds a place, empty if nobody does."""
        ...


S = TypeVar("S", bound=Scenery)
U = TypeVar("U", bound=Piece)
A = TypeVar("A")


class Scene(NamedTuple, Generic[U]):
    """Where a standing order is looked at: the place, the units of both sides, where the enemy comes from."""

    place: str
    mine: tuple[U, ...]
    enemy: tuple[U, ...]
    origin: str = ""


class Conditions(ABC, Generic[S, U]):
    """The conditions of a game.

    `counts` says what one unit adds to what MY and ENEMY can count; ODDS compare what is counted by `measure`.
    """

    counts: Mapping[str, Callable[[U], int]]
    measure: str

    def holds(self, state: S, condition: Condition, side: str, scene: Scene[U] | None = None) -> bool:
        """Return whether a condition is true for `side`, as far as it sees.

        With no scene MY and ENEMY count everything.
        """
        return not condition or self._holds(self.seen(state, side), condition, side, scene)

    def chosen(self, state: S, order: If[A], side: str) -> tuple[A, ...]:
        """IF: what is done, the condition being looked at when its turn comes."""
        return order.then if self.holds(state, order.condition, side) else order.otherwise

    def stopped(self, state: S, order: Stop, side: str, rule: str) -> Did:
        """STOP IF: that what follows is not carried out, by a rule; nothing if the condition does not hold."""
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
            return bool(condition[2] == self._held(state, condition[1], side))
        return self._test(state, condition, side, scene or self._everywhere(state, side))

    def _test(self, state: S, condition: Condition, side: str, scene: Scene[U]) -> bool:
        kind = condition[0]
        if kind == "odds":
            _, op, a, b = condition
            return compare(op, self._sum(scene.enemy, self.measure) * b, self._sum(scene.mine, self.measure) * a)
        if kind == "count":
            _, whose, what, op, n = condition
            return compare(op, self._counted(scene, whose, what), n)
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
        """MY unit HERE, or as the game has it."""
        _, ident, how = condition
        unit: U | None = state.units.get(ident)
        if unit is None:
            return False
        if how == "HERE":
            return not scene.place or unit.at == scene.place
        return self.fits(unit, how)

    def _counted(self, scene: Scene[U], whose: str, what: str) -> int:
        return self._sum(scene.mine if whose == "MY" else scene.enemy, what)

    def _sum(self, units: Iterable[U], what: str) -> int:
        return sum(map(self.counts[what], units))

    def _held(self, state: S, place: str, side: str) -> str:
        holder = state.holder(place)
        return "EMPTY" if not holder else "MINE" if self.friends(holder, side) else "ENEMY"

    def _everywhere(self, state: S, side: str) -> Scene[U]:
        mine, enemy = self.sides(state, side)
        return Scene("", mine, enemy)

    def values(self, state: S, condition: Condition, side: str) -> tuple[str, ...]:
        """Return what the parts of a condition come to for `side`, as far as it sees, each as orders write it."""
        state = self.seen(state, side)
        scene = self._everywhere(state, side)

        def value(one: Condition) -> str:
            if one[0] == "space":
                return self._held(state, one[1], side)
            if one[0] == "count":
                return str(self._counted(scene, one[1], one[2]))
            if one[0] == "odds":
                return f"{self._sum(scene.enemy, self.measure)}:{self._sum(scene.mine, self.measure)}"
            return str(state.turn) if one[0] == "turn" else str(self.points(state, side)) if one[0] == "vp" else ""

        return measured(condition, value)

    # What a game says

    def seen(self, state: S, side: str) -> S:
        """The position without what is hidden from a side."""
        return state

    def friends(self, one: str, other: str) -> bool:
        """Whether what one side holds is the other's own."""
        return one == other

    @abstractmethod
    def sides(self, state: S, side: str) -> tuple[tuple[U, ...], tuple[U, ...]]:
        """The units of a side and of its enemies, wherever they are."""

    @abstractmethod
    def fits(self, unit: U, how: str) -> bool:
        """Whether a unit is FRESH, SPENT, or whatever else the game's orders can ask of it."""

    @abstractmethod
    def points(self, state: S, side: str) -> int:
        """The victory points of a side."""
