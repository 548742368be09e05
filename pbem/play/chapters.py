"""Read a game chapter by chapter, for pages, as a seat or everybody sees it.

While a game goes on that is the public view, or a seat's view; once it is over, everything. Addresses and
codes are left out, and letters between players unless their authors let them be shown (PUBLISH PRESS).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from pbem.engine.data.canon import dumps, loads
from pbem.engine.data.chronicle import Chapter, Chronicle, PressLetter, SeatOrders, ThrownDice
from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.game import AnyGame
from pbem.engine.orders import luck
from pbem.engine.reasons import roll_labels
from pbem.engine.run.runners import trace
from pbem.engine.terms import ONLOOKER
from pbem.play import adjudication, history, phases, publicity
from pbem.play.positions import Position
from pbem.runtime.terms import ACTIVATION_PACE, Terms
from pbem.runtime.transaction import Transaction, UserError
from pbem.store import queries, tables

Happened = Sequence[tuple[Event, object]]
"""Events, each with the position before it."""


class ChronicleRefused(ValueError):
    """The reason why a game must not or cannot be shown."""


class Viewer(NamedTuple):
    """The viewer: a seat or everybody; in an `over` game they see everything."""

    rules: AnyGame
    seat: str = ONLOOKER
    over: bool = False

    def view(self, state: object) -> object:
        """Return the visible position; None if nothing of it is visible."""
        return state if self.over else self.rules.view(state, self.seat)

    def see_events(self, events: Iterable[tuple[Event, object]]) -> tuple[tuple[int, Event, object], ...]:
        """Return the visible events, each with its index and the view before."""
        if self.over:
            return tuple((place, *pair) for place, pair in enumerate(events))
        visible = []
        for place, (event, state_before) in enumerate(events):
            seen_event = self.rules.see(event, self.seat, state_before)
            if seen_event is not None:
                visible.append((place, seen_event, self.rules.view(state_before, self.seat)))
        return tuple(visible)


def make_chapter(
    viewer: Viewer, name: tuple[str, int, str], state_before: object, events: Happened, state_after: object
) -> Chapter:
    """Return the visible events between two positions.

    `name` has the chapter's name, turn and phase.
    """
    seen_events = tuple((event, view) for _, event, view in viewer.see_events(events))
    return Chapter(
        *name, viewer.view(state_before), seen_events, viewer.view(state_after), numbers=_numbers(viewer, events)
    )


def _numbers(viewer: Viewer, events: Happened) -> Mapping[str, tuple[int, ...]]:
    """Return the number of each event in each seat's letter, for a game that is over.

    Before that a gap in the numbers would reveal something.
    """
    if not viewer.over or not events:
        return MappingProxyType({})
    numbers_by_seat = {}
    for seat in viewer.rules.seats(events[0][1]):
        seen_events = Viewer(viewer.rules, seat).see_events(events)
        numbers = [0] * len(events)
        entries = viewer.rules.telling.grouped([(event, view) for _, event, view in seen_events])
        for number, (_, places) in enumerate(entries, 1):
            for place in places:
                numbers[seen_events[place][0]] = number
        numbers_by_seat[seat] = tuple(numbers)
    return numbers_by_seat


class ChroniclePart(NamedTuple):
    """A stored phase, or a ruling's correction: its name, events, and states.

    A phase also has its rerun in `run`, None where that is impossible, its stored rolls, and all orders.
    """

    name: tuple[str, int, str]
    before: object
    happened: Happened
    after: object
    run: adjudication.PhaseRun | None = None
    rolls: str | None = None
    orders: tuple[SeatOrders, ...] = ()


class ChronicleInput(NamedTuple):
    """The input of a chronicle: viewer, game, edition, first position, parts."""

    eyes: Viewer
    game: str
    edition: str
    start: object
    parts: tuple[ChroniclePart, ...]
    result: tuple[Msg, ...] = ()
    scenario: str = ""
    letters: tuple[PressLetter, ...] = ()


def gather_chronicle(tx: Transaction, name: str, seat: str = ONLOOKER, is_own: bool = False) -> ChronicleInput:
    """Read the visible part of a game; once it is over, everything.

    `is_own`: read what that seat received by letter, even in a game that hides its positions, and nothing more
    once it is over. Raise UserError for an unknown game, and NoChronicle for one that has not begun or has no map,
    or hides its positions while it is played.
    """
    game = tx.session.get(tables.Game, name)
    if game is None:
        raise UserError(msg("There is no game {game}.", game=name))
    rules = tx.server.rules_of(game)
    if game.state == "forming":
        raise ChronicleRefused(f"{name} has not begun: there is nothing to tell yet")
    if rules.pictured is None:
        raise ChronicleRefused(f"{rules.name} has no map that can be drawn")
    start = history.state_after(tx, game, 0)
    is_own = is_own and seat != ONLOOKER
    viewer = Viewer(rules, seat, game.state == "over" and not is_own)
    _check_viewer(viewer, name, start, is_own)
    edition, letters = tx.server.edition_of(tx.session, game), Terms.read(game.terms).pace == ACTIVATION_PACE
    parts, states = [], {0: start}
    for step in history.line_of_play(tx.session, game):
        state_before = states[step.after if isinstance(step, tables.Basis) else step.number - 1]
        events = history.corrections_at(step) if isinstance(step, tables.Basis) else history.events_of(tx.session, step)
        events_with_states, state = [], state_before
        for event in events:
            events_with_states.append((event, state))
            state = rules.rules.apply(state, event)
        states[step.number] = state
        if isinstance(step, tables.Phase):
            run = _run(tx, Position(game, rules, edition, state_before, step.number - 1, letters), step)
            part_name = (history.phase_label(step), step.turn, step.name)
            parts.append(
                ChroniclePart(
                    part_name, state_before, events_with_states, state, run, step.rolls, tuple(_orders(tx, step))
                )
            )
        elif events_with_states:
            phase = rules.phase(state_before)
            parts.append(
                ChroniclePart(
                    (f"M{step.ruling}", phase[1] if phase else 0, ""), state_before, events_with_states, state
                )
            )
    result = (Msg.from_json(loads(game.result)),) if game.result else ()
    passed_letters = tuple(_letters(tx, name)) if viewer.over else ()
    return ChronicleInput(viewer, name, game.edition_digest, start, tuple(parts), result, game.scenario, passed_letters)


def make_chronicle(gathered: ChronicleInput) -> Chronicle:
    """Return the chronicle of a game read before; it needs no transaction."""
    viewer, game, edition, start, parts, *_ = gathered
    # The first four fields of a part are what `make_chapter` takes.
    all_chapters = tuple(_add_records(make_chapter(viewer, *part[:4]), viewer, part) for part in parts)
    result = Chronicle(game, viewer.rules.name, viewer.over, viewer.seat, viewer.view(start), all_chapters, edition)
    return result._replace(result=gathered.result, scenario=gathered.scenario, letters=gathered.letters)


def _check_viewer(viewer: Viewer, name: str, start: object, is_own: bool) -> None:
    """Raise ChronicleRefused if the viewer must not see the game."""
    seats = tuple(viewer.rules.seats(start))
    if viewer.seat != ONLOOKER and viewer.seat not in seats:
        raise ChronicleRefused(f"{name} has no seat {viewer.seat!r}; there are {', '.join(seats)}")
    if is_own:
        return
    if viewer.over and viewer.seat != ONLOOKER:
        raise ChronicleRefused(f"{name} is over: its page shows everything, and needs no seat")
    if not viewer.over and viewer.rules.view(start, ONLOOKER) is None:
        raise ChronicleRefused(f"{name} hides its positions while it is played: there is a page of it when it is over")


class _Rerun(NamedTuple):
    """A phase run again: its events' orders, segments' keys, labels' segments."""

    origins: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    segments: Mapping[str, int] = MappingProxyType({})


def _add_records(bare_chapter: Chapter, viewer: Viewer, part: ChroniclePart) -> Chapter:
    """Return a chapter with its stored rolls and its orders, as far as visible."""
    rerun = _rerun(viewer.rules, part)
    if not viewer.over and viewer.rules.view(part.before, ONLOOKER) is None:
        # With the key of a phase hidden dice could be computed.
        rerun = _Rerun(rerun.origins)
    visible_labels = (
        None if viewer.over else {label for event, _ in bare_chapter.seen for label in roll_labels(event.data)}
    )
    throws = {
        label: ThrownDice(count, sides, tuple(values), rerun.segments.get(label, -1))
        for label, count, sides, values in loads(part.rolls or "[]")
        if visible_labels is None or label in visible_labels
    }
    visible_orders = tuple(order for order in part.orders if viewer.over or order.seat == viewer.seat)
    return bare_chapter._replace(
        orders=visible_orders, throws=throws, keys=rerun.keys, origins=rerun.origins if viewer.over else ()
    )


def _run(tx: Transaction, position: Position, row: tables.Phase) -> adjudication.PhaseRun | None:
    """Return a phase ready to run again; None if its orders cannot be read any more."""
    try:
        return adjudication.prepare_run(phases.phase_input_of(tx, position, row))
    except adjudication.InvalidResult:
        return None


def _rerun(rules: AnyGame, part: ChroniclePart) -> _Rerun:
    """Run a phase again.

    Returns None if today's rules give another result.
    """
    run = part.run
    if run is None:
        return _Rerun()
    try:
        traced = trace(rules.rules, run.world, run.dice, run.dice, rules.telling.order_line)
    except Exception:
        # Today's rules may fail in an old phase: its chapter goes without what a rerun would add.
        return _Rerun()
    if dumps([step.event.to_json() for step in traced]) != dumps([pair.to_json() for pair, _ in part.happened]):
        return _Rerun()
    keys = tuple(segment_key.hex() for segment_key in run.betas)
    return _Rerun(tuple(event.origin for event in traced), keys, dict(run.dice.segment_of))


def _orders(tx: Transaction, row: tables.Phase) -> Iterator[SeatOrders]:
    """Yield all orders without LUCK words, then later answers and letters."""
    for seat, closed in adjudication.closed_orders_from_json(row.orders).items():
        yield SeatOrders(seat, luck.apart(closed.text)[1], closed.standing)
    for segment, pause in enumerate(history.answers_of_pauses(tx.session, row), 2):
        for seat, answers in pause.items():
            if answers.text:
                yield SeatOrders(seat, luck.apart(answers.text)[1], segment=segment)


def _letters(tx: Transaction, name: str) -> Iterator[PressLetter]:
    """Yield the press of players who let it be shown, if all let the game be shown.

    A seat's former player did not agree: letters from addresses other than the present player's are left out.
    """
    session = tx.session
    seats = queries.games.seats(session, name)
    if not publicity.is_publication_agreed(seats):
        return
    publishing = {
        seat.id: (
            seat.name,
            {address_row.email.casefold() for address_row in queries.persons.addresses(session, seat.person_id)},
        )
        for seat in seats
        if seat.published == publicity.PRESS and seat.person_id is not None
    }
    for row in queries.outbox.press_of_writers(session, name, [seat for seat, _ in publishing.values()]):
        seat, own_addresses = publishing[row.seat_id]
        if session.get_one(tables.Inbox, row.inbox_id).sender.casefold() in own_addresses:
            yield PressLetter(row.turn, seat, tuple(row.to.split()), _ADDRESS.sub("...", row.text))


_ADDRESS = re.compile(r"[^\s<>,;:]+[@\uff20\ufe6b][^\s<>,;:]+")
"""Text that may be an e-mail address, and is never shown. Unicode has other signs for @ too."""
