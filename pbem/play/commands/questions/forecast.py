"""What will happen as far as no die decides: told of a block that is only looked at, and of one that is queued.

It is run on what the seat sees, so that nothing hidden can come through.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import structlog
from sqlmodel import Session

from pbem.engine.data.canon import Json, loads
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.report import Entry
from pbem.engine.orders import luck
from pbem.engine.run.questions import Asks
from pbem.engine.run.runners import Foreseen, foresee
from pbem.engine.run.steps import Ask, Roll
from pbem.engine.terms import Orders
from pbem.letters import content, outbox
from pbem.play import adjudication, deadlines, history
from pbem.play.commands.answer import Answer
from pbem.play.commands.questions import odds
from pbem.play.positions import Position, game_named, position
from pbem.play.rulings import ruling_context
from pbem.play.rulings.ruling_context import PRIVATE, context_of, name_of
from pbem.runtime.terms import INTERRUPT, Terms
from pbem.runtime.transaction import Work
from pbem.store import queries, tables

# What a commander sees of the others of his side before a phase closes: the sets that they show, and nothing else.


def shared_sets(answer: Answer, here: Position) -> Mapping[str, Orders]:
    """The sets that other commanders of the seat's side have queued and show, by seat; none to anybody else."""
    return {seat: orders for seat, (_, orders) in _shown(answer, here).items()}


def show(answer: Answer, here: Position) -> None:
    """Add to the answer each set that is shown to its seat."""
    for seat, (text, _) in _shown(answer, here).items():
        title = msg("The set of {seat}, as it stands", seat=seat)
        answer.blocks.append(content.block(title, answer.echoed(text.splitlines())))


def _shown(answer: Answer, here: Position) -> Mapping[str, tuple[str, Orders]]:
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


log = structlog.get_logger(__name__)


def foretell(answer: Answer, here: Position, wanted: Orders, standing: Sequence[str], *, queued: bool) -> None:
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


# What a moderator may look at: PREDICT, how a phase will close, EXPORT, all of a game, and what was ruled on it.


EVER = 10_000
"""A turn later than any that a game reaches: the open end of a range."""


def look(work: Work, name: str) -> tuple[Msg, ...]:
    """PREDICT: when the open phase closes as things stand, and who is awaited."""
    context = context_of(work, name)
    if context.phase is None:
        return (msg("No phase of {game} is open.", game=name),)
    here = position(work, context.game)
    zone, at = context.game.zone, queries.dues.closing(work.session, context.game.id)
    missing = deadlines.waiting(work.session, here, context.phase)
    known = msg("Orders are in from all who are asked.")
    if missing:
        known = msg("Orders are still awaited from: {seats}.", seats=missing)
    closes = msg("Nothing is planned: the game is {state}.", state=context.game.state)
    if at is not None:
        closes = msg("The phase {phase} closes on {when}.", phase=name_of(context.phase), when=content.when(at, zone))
    return closes, known


def export(session: Session, name: str) -> Json:
    """EXPORT: all that a game is made of and that its players may know once it is over, as plain JSON.

    Edition, resolved phases with their closed orders, slates, rolls and events, void ones too, rulings. Nobody's
    address, no token and no key.
    """
    game = game_named(session, name)
    rows = queries.phases.every(session, name)
    return {
        "game": {"id": game.id, "system": game.system, "scenario": game.scenario, "scheme": game.scheme},
        "state": game.state,
        "terms": loads(game.terms),
        "result": loads(game.result) if game.result else None,
        "edition": loads(session.get_one(tables.Edition, game.edition_digest).text),
        "seats": {seat.name: seat.side for seat in queries.games.seats(session, name)},
        "phases": [_export_phase(session, row) for row in rows if row.events_digest is not None],
        "rulings": [
            {"number": r.number, "at": r.at.isoformat(), "phase": r.phase, "line": r.line, "reason": r.reason}
            for r in queries.rulings.rulings(session, game.id)
        ],
    }


def rulings(session: Session, game: tables.Game, first: int, last: int) -> list[tuple[int, Msg]]:
    """What was ruled in the turns from `first` to `last`, 0 being before the game, each line with its depth."""
    lines: list[tuple[int, Msg]] = []
    for row in queries.rulings.rulings(session, game.id):
        turn = _TURN.match(row.phase)
        if first <= (int(turn[1]) if turn else 0) <= last:
            lines.append((0, sentence(row)))
            lines += [(1, reason(row.reason))] if row.reason else []
    return lines


def sentence(row: tables.Ruling) -> Msg:
    """A ruling as everybody is told it."""
    return msg(
        "Ruling {number} of the moderator: {text}",
        number=f"M{row.number}",
        text=ruling_context.ruling_line(text_of(row)),
    )


def text_of(row: tables.Ruling) -> str:
    """The line of a ruling, as far as everybody may know it."""
    word = row.line.partition(" ")[0]
    return word if word in PRIVATE else row.line


def reason(text: str) -> Msg:
    """Why it was made."""
    return msg("Reason: {reason}", reason=text)


_TURN = re.compile(r"T(\d+)\.")


def _export_phase(session: Session, row: tables.Phase) -> Json:
    return {
        "phase": str(outbox.phase_of(row)),
        "run": row.run,
        "void": f"M{row.void_by}" if row.void_by else None,
        "opened": row.opened.isoformat(),
        "closed": row.closed.isoformat() if row.closed else None,
        "orders": loads(row.orders or "{}"),
        "slate": row.slate,
        "rolls": loads(row.rolls or "[]"),
        "events": [happened.to_json() for happened in history.events_of(session, row)],
        "state": row.state_digest,
    }
