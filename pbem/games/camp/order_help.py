"""Help to write a camp's orders: checks, the form and a bot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from pbem.engine.bots import Pick
from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders import refusals
from pbem.engine.orders.speech import order_text
from pbem.engine.orders.wrapped import begins
from pbem.engine.parts import DEFAULT_FORM_TERMS, FormTerms, OrderHelp
from pbem.engine.run.steps import Did, Rolled, Task
from pbem.engine.terms import Orders, OrderWarning, RejectedLine
from pbem.engine.war.ledger import AWAY, BROKEN, LEADER, READY, of_side
from pbem.games.camp.orders import GRAMMAR, VOCABULARY, Action, Bring, Rebuild, Refit, Replace, translate_orders
from pbem.games.camp.state import State
from pbem.games.camp.steps import RULES, SEEN_LEAST, default_orders, price


def check_orders(view: State, seat: str, orders: Orders, begun: bool = False) -> tuple[RejectedLine, ...]:
    """Return the lines that fail even if the side's fleet arrives (K3, K4)."""
    side = view.edition.seats[seat]
    more = view.points[side] + view.edition.war.fleet.get(side, 0)
    state = view.change(points={**view.points, side: more})
    lines: list[RejectedLine] = []
    for index, action in enumerate(orders.actions):
        events = _order_events(state, action, side)
        for _, line in refusals.refused_lines(events):
            lines.append(line._replace(why=_why_in_full(state, side, action, orders.actions[:index], line.why)))
        for camp_event in events:
            state = RULES.apply(state, camp_event)
    # In the order of the letter, whatever they are refused for.
    return tuple(sorted(lines, key=lambda line: line.line))


def _why_in_full(state: State, side: str, action: Action, above: Sequence[Action], why: Msg) -> Msg:
    """Return the reason of a refusal with what the line may name instead.

    Events keep the sentence without this, so that camps under way replay to the byte.
    """
    units = [unit for unit in of_side(state.units, side) if unit.role != LEADER]
    if why.text == "{unit} is away, where it is made whole for nothing":
        for earlier in above:
            if isinstance(earlier, Replace) and earlier.unit == dict(why.args)["unit"]:
                used = order_text(GRAMMAR.line_of(earlier), translate_orders)
                return msg("{why}; an order above sends it there: {order}", why=why, order=used)
    named: tuple[str, ...] = ()
    if isinstance(action, Refit) and why.text == "{unit} lacks nothing":
        named = tuple(unit.id for unit in units if unit.standing == READY and unit.lacks)
    elif isinstance(action, Rebuild) and why.text == "{unit} is not broken":
        named = tuple(unit.id for unit in units if unit.standing == BROKEN)
    elif isinstance(action, Replace) and action.new == dict(why.args).get("new", dict(why.args).get("unit")):
        code = state.units[action.unit].code
        named = tuple(unit.id for unit in units if unit.standing == AWAY and unit.code == code)
    elif isinstance(action, Bring) and "formation" in dict(why.args):
        formations = [formation.id for formation in state.edition.war.formations.values() if formation.side == side]
        tried = {ident: RULES.step(state, Task("order", (Bring(0, ident), side))) for ident in formations}
        named = tuple(ident for ident, did in tried.items() if isinstance(did, Did) and did.events[0].kind == "brought")
    else:
        return why
    return (
        msg("{why}; the line can name {names}", why=why, names=named)
        if named
        else msg("{why}; the line can name none of yours", why=why)
    )


def _order_events(state: State, action: Action, side: str) -> tuple[Event, ...]:
    """Return the events of a line; scouts are assumed to see."""
    outcome = RULES.step(state, Task("order", (action, side)))
    if not isinstance(outcome, Did):
        label = f"camp/scout {side}"
        outcome = RULES.step(state, Task("order", (action, side), (Rolled(label, 1, 6, (SEEN_LEAST,)),)))
    return outcome.events if isinstance(outcome, Did) else ()


def form_lines(view: State, side: str) -> tuple[str, ...]:
    """Return affordable lines: the best broken units rebuilt, the weakest refitted."""
    return tuple(GRAMMAR.line_of(action) for action in _plan(view, side))


def _plan(view: State, side: str) -> Iterator[Action]:
    """Yield REBUILD for lost units, the largest first, then REFIT with the rest."""
    remaining, price = view.points[side], view.edition.war.prices["REBUILD"]
    broken = [unit for unit in of_side(view.units, side) if unit.standing == BROKEN and unit.role != LEADER]
    # The price is the same for all: the largest brings most steps. Those that bring fewer steps than they cost, at half
    # strength, are left.
    for unit in sorted(broken, key=lambda candidate: (-candidate.full, candidate.id)):
        if remaining < price or unit.full < 2 * price:
            break
        yield Rebuild(0, unit.id)
        remaining -= price
    yield from default_orders(view.change(points={**view.points, side: remaining}), side)


def review_orders(view: State, seat: str, orders: Orders, begun: bool = False) -> tuple[OrderWarning, ...]:
    """Warn of the total cost, and the shortfall if the fleet does not arrive (K3)."""
    side = view.edition.seats[seat]
    cost, points = sum(price(view, action) for action in orders.actions), view.points[side]
    sentence = msg("all of it costs {cost} of your {points} points", cost=cost, points=points)
    if cost <= points:
        return (OrderWarning(0, sentence, "K3"),)
    lacks = msg("without the fleet {count} points are lacking, and lines are left out", count=cost - points)
    return OrderWarning(0, sentence, "K3"), OrderWarning(0, lacks, "K3")


def bot_orders(view: State, seat: str, pick: Pick) -> str:
    """Return a bot's orders: the form's for the commander-in-chief, else PASS (M2)."""
    return "\n".join(_affordable_lines(view, seat)) or "PASS"


def write_form(view: State, seat: str, language: str, terms: FormTerms = DEFAULT_FORM_TERMS) -> tuple[str, ...]:
    """Return affordable lines in a language."""
    if view.phase == "over":
        return ()
    return tuple(f"# {translate_orders(line, language)}" for line in _affordable_lines(view, seat) or ("PASS",))


def _affordable_lines(view: State, seat: str) -> tuple[str, ...]:
    """Return the affordable lines for the commander-in-chief; others add to them.

    Rule: M2.
    """
    side = view.edition.seats[seat]
    return form_lines(view, side) if seat == view.edition.seats_of(side)[0] else ()


ORDER_HELP: OrderHelp[State] = OrderHelp(
    template=write_form,
    review=review_orders,
    begins=partial(begins, verbs=GRAMMAR.verbs, vocabulary=VOCABULARY),
)
