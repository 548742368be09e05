"""What happened in a game, chapter by chapter, for pages about it: from what is stored, through the gate of the game.

While a game goes on that is what everybody may see, or what one seat sees; once it is over, all of it. Addresses and
codes are no part of it, and of letters between players those alone whose authors let them be shown (PUBLISH PRESS).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from pbem.engine.data.canon import dumps, loads
from pbem.engine.data.chronicle import Chapter, Chronicle, Ordered, Passed, Thrown
from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.game import AnyGame
from pbem.engine.orders import luck
from pbem.engine.reasons import labels_of
from pbem.engine.run.runners import trace
from pbem.engine.terms import ONLOOKER
from pbem.play import adjudication, history, phases, publicity
from pbem.play.positions import Position
from pbem.runtime.terms import ACTIVATION, Terms
from pbem.runtime.transaction import Transaction, UserError
from pbem.store import queries, tables

Happened = Sequence[tuple[Event, object]]
"""Events, each with the position before it."""


class NoChronicle(ValueError):
    """What must not be told, or cannot, and why."""


class Eyes(NamedTuple):
    """By whose eyes a game is seen: those of a seat, or of everybody; of a game that is `over` they see everything."""

    rules: AnyGame
    seat: str = ONLOOKER
    over: bool = False

    def view(self, state: object) -> object:
        """Return the position as it is known; None if nothing of it is."""
        return state if self.over else self.rules.view(state, self.seat)

    def seen(self, happened: Iterable[tuple[Event, object]]) -> tuple[tuple[int, Event, object], ...]:
        """Return the events that are known as far as they are, each with its place and with the view before it."""
        if self.over:
            return tuple((place, *one) for place, one in enumerate(happened))
        found = []
        for place, (one, before) in enumerate(happened):
            shown = self.rules.see(one, self.seat, before)
            if shown is not None:
                found.append((place, shown, self.rules.view(before, self.seat)))
        return tuple(found)


def chapter(eyes: Eyes, name: tuple[str, int, str], before: object, happened: Happened, after: object) -> Chapter:
    """Return what is known of what happened between two positions; `name` is its name, its turn, its phase."""
    told = tuple((one, view) for _, one, view in eyes.seen(happened))
    return Chapter(*name, eyes.view(before), told, eyes.view(after), numbers=_numbers(eyes, happened))


def _numbers(eyes: Eyes, happened: Happened) -> Mapping[str, tuple[int, ...]]:
    """Under which number each seat's letter told each event, of a game that is over: a gap would tell something."""
    if not eyes.over or not happened:
        return MappingProxyType({})
    found = {}
    for seat in eyes.rules.seats(happened[0][1]):
        seen = Eyes(eyes.rules, seat).seen(happened)
        numbers = [0] * len(happened)
        entries = eyes.rules.telling.grouped([(one, view) for _, one, view in seen])
        for number, (_, places) in enumerate(entries, 1):
            for place in places:
                numbers[seen[place][0]] = number
        found[seat] = tuple(numbers)
    return found


class Part(NamedTuple):
    """A phase as it is stored, or what a ruling corrected: its name, turn and phase, what happened, and around it.

    Of a phase also how it is `run` again, None where it cannot be, its rolls as they are stored, all orders.
    """

    name: tuple[str, int, str]
    before: object
    happened: Happened
    after: object
    run: adjudication.Run | None = None
    rolls: str | None = None
    orders: tuple[Ordered, ...] = ()


class Gathered(NamedTuple):
    """All that a chronicle is made of: whose eyes, the game's name and its edition, the position it began with."""

    eyes: Eyes
    game: str
    edition: str
    start: object
    parts: tuple[Part, ...]
    result: tuple[Msg, ...] = ()
    scenario: str = ""
    letters: tuple[Passed, ...] = ()


def gather(work: Transaction, name: str, seat: str = ONLOOKER, own: bool = False) -> Gathered:
    """Read what is known of a game: to everybody, or to a seat; once it is over, all of it.

    Where it is a seat's `own` it is what that seat got by letter, whatever is hidden from others, and when it is over
    no more.

    Broken for a game that is not there, NoChronicle for one that has not begun, has no map, or hides what is asked.
    """
    game = work.session.get(tables.Game, name)
    if game is None:
        raise UserError(msg("There is no game {game}.", game=name))
    rules = work.server.rules_of(game)
    if game.state == "forming":
        raise NoChronicle(f"{name} has not begun: there is nothing to tell yet")
    if rules.pictured is None:
        raise NoChronicle(f"{rules.name} has no map that can be drawn")
    start = history.state_after(work, game, 0)
    own = own and seat != ONLOOKER
    eyes = Eyes(rules, seat, game.state == "over" and not own)
    _let(eyes, name, start, own)
    edition, letters = work.server.edition_of(work.session, game), Terms.read(game.terms).pace == ACTIVATION
    found, states = [], {0: start}
    for step in history.line_of_play(work.session, game):
        before = states[step.after if isinstance(step, tables.Basis) else step.number - 1]
        events = history.corrections(step) if isinstance(step, tables.Basis) else history.events_of(work.session, step)
        happened, state = [], before
        for one in events:
            happened.append((one, state))
            state = rules.rules.apply(state, one)
        states[step.number] = state
        if isinstance(step, tables.Phase):
            run = _run(work, Position(game, rules, edition, before, step.number - 1, letters), step)
            called = (history.name_of(step), step.turn, step.name)
            found.append(Part(called, before, happened, state, run, step.rolls, tuple(_orders(work, step))))
        elif happened:
            now = rules.phase(before)
            found.append(Part((f"M{step.ruling}", now[1] if now else 0, ""), before, happened, state))
    result = (Msg.from_json(loads(game.result)),) if game.result else ()
    passed = tuple(_letters(work, name)) if eyes.over else ()
    return Gathered(eyes, name, game.edition_digest, start, tuple(found), result, game.scenario, passed)


def chronicle(read: Gathered) -> Chronicle:
    """Return how a game went, of what was read; no transaction need wait for it."""
    eyes, game, edition, start, parts, *_ = read
    found = tuple(_with_records(chapter(eyes, *part[:4]), eyes, part) for part in parts)
    told = Chronicle(game, eyes.rules.name, eyes.over, eyes.seat, eyes.view(start), found, edition)
    return told._replace(result=read.result, scenario=read.scenario, letters=read.letters)


def _let(eyes: Eyes, name: str, start: object, own: bool) -> None:
    """Let nobody look who must not."""
    seats = tuple(eyes.rules.seats(start))
    if eyes.seat != ONLOOKER and eyes.seat not in seats:
        raise NoChronicle(f"{name} has no seat {eyes.seat!r}; there are {', '.join(seats)}")
    if own:
        return
    if eyes.over and eyes.seat != ONLOOKER:
        raise NoChronicle(f"{name} is over: its page shows everything, and needs no seat")
    if not eyes.over and eyes.rules.view(start, ONLOOKER) is None:
        raise NoChronicle(f"{name} hides its positions while it is played: there is a page of it when it is over")


class _Rerun(NamedTuple):
    """A phase carried out once more: what led to each event, the keys of its segments, the segment of each label."""

    origins: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    segments: Mapping[str, int] = MappingProxyType({})


def _with_records(made: Chapter, eyes: Eyes, part: Part) -> Chapter:
    """A phase with its rolls, as they are stored, and with its orders, as far as they are known."""
    again = _again(eyes.rules, part)
    if not eyes.over and eyes.rules.view(part.before, ONLOOKER) is None:
        # With the key of a phase the dice of what is hidden could be worked out.
        again = _Rerun(again.origins)
    known = None if eyes.over else {label for one, _ in made.seen for label in labels_of(one.data)}
    throws = {
        label: Thrown(n, sides, tuple(values), again.segments.get(label, -1))
        for label, n, sides, values in loads(part.rolls or "[]")
        if known is None or label in known
    }
    own = tuple(one for one in part.orders if eyes.over or one.seat == eyes.seat)
    return made._replace(orders=own, throws=throws, keys=again.keys, origins=again.origins if eyes.over else ())


def _run(work: Transaction, here: Position, row: tables.Phase) -> adjudication.Run | None:
    """A phase about to be carried out again; None where its orders cannot be read any more."""
    try:
        return adjudication.run_of(phases.input_of(work, here, row))
    except adjudication.Unsound:
        return None


def _again(rules: AnyGame, part: Part) -> _Rerun:
    """Carry a phase out again; nothing comes of it where the rules of today make something else of it."""
    run = part.run
    if run is None:
        return _Rerun()
    try:
        traced = trace(rules.rules, run.world, run.dice, run.dice, rules.telling.order_line)
    except Exception:
        return _Rerun()
    if dumps([one.event.to_json() for one in traced]) != dumps([one.to_json() for one, _ in part.happened]):
        return _Rerun()
    keys = tuple(one.hex() for one in run.betas)
    return _Rerun(tuple(one.origin for one in traced), keys, dict(run.dice.segment_of))


def _orders(work: Transaction, row: tables.Phase) -> Iterator[Ordered]:
    """What every seat was played by, without the word that it gave for the dice; later what it answered or wrote."""
    for seat, closed in adjudication.read_closed(row.orders).items():
        yield Ordered(seat, luck.apart(closed.text)[1], closed.standing)
    for segment, pause in enumerate(history.pauses(work.session, row), 2):
        for seat, said in pause.items():
            if said.text:
                yield Ordered(seat, luck.apart(said.text)[1], segment=segment)


def _letters(work: Transaction, name: str) -> Iterator[Passed]:
    """What players wrote to one another, of those who let it be shown, where all let the game be shown.

    Who had a seat before its player did not agree to anything: what did not come from an address of his is left out.
    """
    session = work.session
    seats = queries.games.seats(session, name)
    if not publicity.agreed(seats):
        return
    agreed = {
        seat.id: (seat.name, {one.email.casefold() for one in queries.persons.addresses(session, seat.person_id)})
        for seat in seats
        if seat.published == publicity.PRESS and seat.person_id is not None
    }
    for row in queries.outbox.press_of_writers(session, name, [seat for seat, _ in agreed.values()]):
        seat, own = agreed[row.seat_id]
        if session.get_one(tables.Inbox, row.inbox_id).sender.casefold() in own:
            yield Passed(row.turn, seat, tuple(row.to.split()), _ADDRESS.sub("...", row.text))


_ADDRESS = re.compile(r"[^\s<>,;:]+[@\uff20\ufe6b][^\s<>,;:]+")
"""What may be an address of somebody, and is nobody's to show."""
