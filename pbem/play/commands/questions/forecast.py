"""Forecast the effect of verified or queued orders up to the first die.

It runs on the seat's view, so that nothing hidden can show.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.report import Entry
from pbem.engine.game import view_events
from pbem.engine.orders import luck
from pbem.engine.run.questions import Asks
from pbem.engine.run.runners import Foresight, foresee
from pbem.engine.run.steps import Ask, Roll
from pbem.engine.terms import Orders
from pbem.lazy import Logger
from pbem.letters import content
from pbem.play import adjudication
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.questions import odds
from pbem.play.positions import Position
from pbem.runtime.terms import INTERRUPT_REACTIONS, Terms
from pbem.store import queries

# A commander's view of his side before a phase closes: the sets that other commanders show.


def visible_orders_by_seat(answer: SeatAnswer, position: Position) -> Mapping[str, Orders]:
    """Return the sets of orders that other commanders of the side show to the seat."""
    return {seat: orders for seat, (_, orders) in _shared_texts(answer, position).items()}


def show_shared_orders(answer: SeatAnswer, position: Position) -> None:
    """Add to the answer each set that is shown to its seat."""
    for seat, (text, _) in _shared_texts(answer, position).items():
        title = msg("The set of {seat}, as it stands", seat=seat)
        answer.blocks.append(content.titled_block(title, answer.echo_lines(text.splitlines())))


def _shared_texts(answer: SeatAnswer, position: Position) -> Mapping[str, tuple[str, Orders]]:
    """Return the texts and orders of the sets shown to the seat.

    Where messages go by courier, only sets of commanders next to the reader are shown.
    """
    phase, reader = answer.phase, answer.seat
    if phase is None or reader.name not in position.commanders:
        return {}
    sets: dict[str, tuple[str, Orders]] = {}
    for seat in answer.seats:
        if seat.name == reader.name or seat.name not in position.commanders or seat.side != reader.side:
            continue
        if position.rules.rides(position.state, seat.name, reader.name):
            # The courier would not arrive before the phase closes.
            continue
        queued = queries.orders.queued_orders(answer.session, phase, seat)
        if queued is None or queued.waits:
            continue
        _, text = luck.apart(queued.sealed_text)
        orders = adjudication.parse_closed_orders(position.rules, position.state, seat.name, text)
        if position.rules.shares(orders):
            sets[seat.name] = (text, orders)
    return sets


log = Logger(__name__)


def forecast_orders(
    answer: SeatAnswer, position: Position, orders_sent: Orders, standing: Sequence[str], *, queued: bool
) -> None:
    """Show orders' effect before the first die, and promise attack odds.

    If nothing happens before the first die, the deciding factor after it is shown only for orders that are
    not `queued`.
    """
    seat, rules = answer.seat.name, position.rules
    view = rules.view(position.state, seat)
    odds_blocks = [odds.odds_block(position, rules.canon(orders_sent), standing)] if orders_sent.actions else []
    shared = visible_orders_by_seat(answer, position)
    if rules.active(position.state) != (seat,) and seat not in position.commanders:
        answer.blocks += odds_blocks
        others_notice = msg("Others give orders in this phase too, and the result depends on theirs as well.")
        both_notice = msg(
            "Both sides give orders for this phase: what you order nobody else hears of before it is closed."
        )
        answer.closing.append(both_notice if rules.together(position.state) else others_notice)
        return
    orders = orders_sent._replace(standing=odds.parse_standing_orders(rules, view, seat, standing))
    everybody = {name: shared.get(name, Orders()) for name in rules.seats(position.state)} | {seat: orders}
    own_seats = position.commanders or (seat,)
    asks = Asks(frozenset((seat,)) if Terms.read(answer.game.terms).reactions == INTERRUPT_REACTIONS else frozenset())
    try:
        foreseen = foresee(
            rules.rules, rules.world(view, everybody), rules.decisions(view, everybody, {}, asks), own_seats
        )
        seen_events = view_events(rules, seat, foreseen.events)
        entries, provisos = rules.telling.happenings(seen_events), rules.telling.provided(seat, seen_events)
    except Exception:
        # A fault of the rules holds the game when the phase is resolved; until then it must not lose a letter.
        log.exception("orders cannot be foreseen", game=answer.game.id, seat=seat)
        answer.closing.append(msg("What will happen could not be foreseen; the operator can read why in the log."))
        return
    if entries:
        title = msg("What will happen, as far as you see") if provisos else msg("What will happen")
        answer.blocks.append(
            content.sentence_block(title, [*entries_to_lines(entries), *((0, line) for line in provisos)])
        )
    answer.blocks += odds_blocks
    if len(position.commanders) > 1:
        answer.closing.append(_shared_sets_notice(position, seat, tuple(shared)))
    if entries or not queued:
        hidden = len(position.commanders) > 1 + len(shared)
        answer.closing.append(_ending(foreseen, bool(entries), bool(provisos) or hidden))


def _shared_sets_notice(position: Position, seat: str, shared: tuple[str, ...]) -> Msg:
    """Return which sets of the other commanders were included."""
    hidden = tuple(name for name in position.commanders if name not in (seat, *shared))
    if not shared:
        return msg("No set of another commander is shown to you: what happens depends on theirs as well.")
    if hidden:
        return msg(
            "Taken in are the sets of {shown}; those of {hidden} are not shown to you.", shown=shared, hidden=hidden
        )
    return msg("Taken in are the sets of {shown}.", shown=shared)


def _ending(foreseen: Foresight[object], has_entries: bool, is_uncertain: bool) -> Msg:
    """Return what decides from here on; say so if `is_uncertain` by unseen factors."""
    if isinstance(foreseen.stop, Roll):
        return msg("From here on the dice decide.") if has_entries else msg("The dice decide from the start.")
    if isinstance(foreseen.stop, Ask):
        return msg("From here on the dice decide, and how {seat} reacts.", seat=foreseen.stop.window.seat)
    if is_uncertain:
        return msg("No dice are needed.")
    return msg("No dice are needed: this is what will happen.") if has_entries else msg("Nothing will happen.")


def entries_to_lines(entries: Sequence[Entry], details: bool = True, first: int = 1) -> list[tuple[int, Msg]]:
    """Return events of a report as the lines of a block, numbered as in the report.

    Without `details` only those on the outcome are kept.
    """
    lines: list[tuple[int, Msg]] = []
    for number, entry in enumerate(entries, first):
        if entry.rule:
            lines.append((0, msg("#{number} {text} [{rule}]", number=number, text=entry.text, rule=entry.rule)))
        else:
            lines.append((0, msg("#{number} {text}", number=number, text=entry.text)))
        indexes = range(len(entry.details)) if details else entry.kept
        lines += [(1, entry.details[index]) for index in indexes]
    return lines
