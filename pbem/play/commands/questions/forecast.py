"""What will happen as far as no die decides: told of a block that is only looked at, and of one that is queued.

It is run on what the seat sees, so that nothing hidden can come through.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.report import Entry
from pbem.engine.orders import luck
from pbem.engine.run.questions import Asks
from pbem.engine.run.runners import Foreseen, foresee
from pbem.engine.run.steps import Ask, Roll
from pbem.engine.terms import Orders
from pbem.lazy import Logger
from pbem.letters import content
from pbem.play import adjudication, history
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.questions import odds
from pbem.play.positions import Position
from pbem.runtime.terms import INTERRUPT, Terms
from pbem.store import queries

# What a commander sees of the others of his side before a phase closes: the sets that they show, and nothing else.


def shared_sets(answer: SeatAnswer, here: Position) -> Mapping[str, Orders]:
    """The sets that other commanders of the seat's side have queued and show, by seat; none to anybody else."""
    return {seat: orders for seat, (_, orders) in _shown(answer, here).items()}


def show(answer: SeatAnswer, here: Position) -> None:
    """Add to the answer each set that is shown to its seat."""
    for seat, (text, _) in _shown(answer, here).items():
        title = msg("The set of {seat}, as it stands", seat=seat)
        answer.blocks.append(content.block(title, answer.echoed(text.splitlines())))


def _shown(answer: SeatAnswer, here: Position) -> Mapping[str, tuple[str, Orders]]:
    """The texts of such sets, and what they say; where couriers ride those of who is next to the reader alone."""
    phase, own = answer.phase, answer.seat
    if phase is None or own.name not in here.commanders:
        return {}
    found: dict[str, tuple[str, Orders]] = {}
    for seat in answer.seats:
        if seat.name == own.name or seat.name not in here.commanders or seat.side != own.side:
            continue
        if here.rules.rides(here.state, seat.name, own.name):
            # It would not be there before the phase closes.
            continue
        queued = queries.orders.queued(answer.session, phase, seat)
        if queued is None or queued.waits:
            continue
        _, text = luck.apart(queued.sealed)
        orders = adjudication.parse_closed(here.rules, here.state, seat.name, text)
        if here.rules.shares(orders):
            found[seat.name] = (text, orders)
    return found


log = Logger(__name__)


def foretell(answer: SeatAnswer, here: Position, wanted: Orders, standing: Sequence[str], *, queued: bool) -> None:
    """Tell what the orders lead to before the first die, and promise what their attacks are worth.

    If nothing happens before the first die, what decides from there on is told only of orders that are not `queued`.
    """
    seat, rules = answer.seat.name, here.rules
    view = rules.view(here.state, seat)
    promised = [odds.promise(here, rules.canon(wanted), standing)] if wanted.actions else []
    shown = shared_sets(answer, here)
    if rules.active(here.state) != (seat,) and seat not in here.commanders:
        answer.blocks += promised
        others = msg("Others give orders for this phase too: what happens depends on theirs as well.")
        at_once = msg("Both sides give orders for this phase: what you order nobody else hears of before it is closed.")
        answer.closing.append(at_once if rules.together(here.state) else others)
        return
    orders = wanted._replace(standing=odds.in_force(rules, view, seat, standing))
    everybody = {name: shown.get(name, Orders()) for name in rules.seats(here.state)} | {seat: orders}
    own = here.commanders or (seat,)
    asks = Asks(frozenset((seat,)) if Terms.read(answer.game.terms).reactions == INTERRUPT else frozenset())
    try:
        found = foresee(rules.rules, rules.world(view, everybody), rules.decisions(view, everybody, {}, asks), own)
        seen = history.view_events(rules, seat, found.events)
        entries, provided = rules.telling.happenings(seen), rules.telling.provided(seat, seen)
    except Exception:
        # A fault of the rules holds the game when the phase is resolved; till then no letter must be lost by it.
        log.exception("orders cannot be foreseen", game=answer.game.id, seat=seat)
        answer.closing.append(msg("What will happen could not be foreseen; the operator can read why in the log."))
        return
    if entries:
        title = msg("What will happen, as far as you see") if provided else msg("What will happen")
        answer.blocks.append(content.sentences(title, [*as_lines(entries), *((0, line) for line in provided)]))
    answer.blocks += promised
    if len(here.commanders) > 1:
        answer.closing.append(_beside(here, seat, tuple(shown)))
    if entries or not queued:
        hidden = len(here.commanders) > 1 + len(shown)
        answer.closing.append(_ending(found, bool(entries), bool(provided) or hidden))


def _beside(here: Position, seat: str, shown: tuple[str, ...]) -> Msg:
    """Which sets of the other commanders were taken in."""
    hidden = tuple(name for name in here.commanders if name not in (seat, *shown))
    if not shown:
        return msg("No set of another commander is shown to you: what happens depends on theirs as well.")
    if hidden:
        return msg(
            "Taken in are the sets of {shown}; those of {hidden} are not shown to you.", shown=shown, hidden=hidden
        )
    return msg("Taken in are the sets of {shown}.", shown=shown)


def _ending(found: Foreseen[object], told: bool, dim: bool) -> Msg:
    """What decides from here on; what is `dim` rests on what is not seen."""
    if isinstance(found.stop, Roll):
        return msg("From here on the dice decide.") if told else msg("The dice decide from the start.")
    if isinstance(found.stop, Ask):
        return msg("From here on the dice decide, and how {seat} reacts.", seat=found.stop.window.seat)
    if dim:
        return msg("No die decides in this.")
    return msg("No die decides in this: what is told here will happen.") if told else msg("Nothing will happen.")


def as_lines(entries: Sequence[Entry], details: bool = True, first: int = 1) -> list[tuple[int, Msg]]:
    """Happenings of a report as the lines of a block, numbered as in the report; without `details` what came of them is
    kept."""
    lines: list[tuple[int, Msg]] = []
    for number, entry in enumerate(entries, first):
        if entry.rule:
            lines.append((0, msg("#{number} {text} [{rule}]", number=number, text=entry.text, rule=entry.rule)))
        else:
            lines.append((0, msg("#{number} {text}", number=number, text=entry.text)))
        kept = range(len(entry.details)) if details else entry.kept
        lines += [(1, entry.details[at]) for at in kept]
    return lines
