"""What helps to write a camp's orders: holding them against the position, the form, and a bot."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from pbem.engine.bots import Pick
from pbem.engine.data.events import Event
from pbem.engine.data.messages import msg
from pbem.engine.orders import refusals
from pbem.engine.orders.wrapped import begins
from pbem.engine.parts import AS_IT_IS, Aids, FormTerms
from pbem.engine.run.steps import Did, Rolled, Task
from pbem.engine.terms import Orders, OrderWarning, RejectedLine
from pbem.engine.war.ledger import BROKEN, LEADER, of_side
from pbem.games.camp.orders import GRAMMAR, VOCABULARY, Action, Rebuild, spoken
from pbem.games.camp.state import State
from pbem.games.camp.steps import RULES, SEEN, by_default, price


def check(view: State, seat: str, orders: Orders, begun: bool = False) -> tuple[RejectedLine, ...]:
    """K3, K4 Return the lines of a side that are not carried out even if its fleet comes."""
    side = view.edition.seats[seat]
    more = view.points[side] + view.edition.war.fleet.get(side, 0)
    state = view.change(points={**view.points, side: more})
    told: list[Event] = []
    for action in orders.actions:
        happened = _carried(state, action, side)
        told += happened
        for one in happened:
            state = RULES.apply(state, one)
    return tuple(sorted((line for _, line in refusals.refused_lines(told)), key=lambda line: line.line))


def _carried(state: State, action: Action, side: str) -> tuple[Event, ...]:
    """What comes of a line; scouts are taken to see."""
    outcome = RULES.step(state, Task("order", (action, side)))
    if not isinstance(outcome, Did):
        label = f"camp/scout {side}"
        outcome = RULES.step(state, Task("order", (action, side), (Rolled(label, 1, 6, (SEEN,)),)))
    return outcome.events if isinstance(outcome, Did) else ()


def form(view: State, side: str) -> tuple[str, ...]:
    """Return canonical lines that can all be paid: the best broken units rebuilt, then what lacks most fed."""
    return tuple(GRAMMAR.line_of(action) for action in _plan(view, side))


def _plan(view: State, side: str) -> Iterator[Action]:
    """REBUILD for units that lost everything, the largest first, while there is enough for it; REFIT with the rest."""
    left, price = view.points[side], view.edition.war.prices["REBUILD"]
    broken = [unit for unit in of_side(view.units, side) if unit.standing == BROKEN and unit.role != LEADER]
    for unit in sorted(broken, key=lambda one: (-one.full, one.id)):
        if left < price or unit.full < 2 * price:
            break
        yield Rebuild(0, unit.id)
        left -= price
    yield from by_default(view.change(points={**view.points, side: left}), side)


def review(view: State, seat: str, orders: Orders, begun: bool = False) -> tuple[OrderWarning, ...]:
    """K3 Return what the lines of a side cost together, and what is lacking if its fleet does not come."""
    side = view.edition.seats[seat]
    cost, points = sum(price(view, action) for action in orders.actions), view.points[side]
    said = msg("all of it costs {cost} of your {points} points", cost=cost, points=points)
    if cost <= points:
        return (OrderWarning(0, said, "K3"),)
    lacks = msg("without the fleet {count} points are lacking, and lines are left out", count=cost - points)
    return OrderWarning(0, said, "K3"), OrderWarning(0, lacks, "K3")


def thrifty(view: State, seat: str, pick: Pick) -> str:
    """Return the orders of a bot: M2 those of the form for whoever commands in chief, else PASS."""
    return "\n".join(_paid(view, seat)) or "PASS"


def template(view: State, seat: str, language: str, terms: FormTerms = AS_IT_IS) -> tuple[str, ...]:
    """Return the lines that are paid by the points, in the words of a language."""
    if view.phase == "over":
        return ()
    return tuple(f"# {spoken(line, language)}" for line in _paid(view, seat) or ("PASS",))


def _paid(view: State, seat: str) -> tuple[str, ...]:
    """M2 Whoever commands in chief is offered what the points of his side pay; the others add to it."""
    side = view.edition.seats[seat]
    return form(view, side) if seat == view.edition.seats_of(side)[0] else ()


AIDS: Aids[State] = Aids(
    template=template,
    review=review,
    begins=partial(begins, verbs=GRAMMAR.verbs, vocabulary=VOCABULARY),
)
