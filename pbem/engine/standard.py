"""Functions that games share: turns, rulebook from files, reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypedDict, TypeVar

from pbem.engine.commanders.holding import is_asked_for_orders
from pbem.engine.commanders.orders import Show
from pbem.engine.data.canon import Json
from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg
from pbem.engine.data.report import Entry
from pbem.engine.data.situation import Position
from pbem.engine.deployment import DEPLOYMENT_PHASE
from pbem.engine.edition import Edition
from pbem.engine.game_files import GameFiles
from pbem.engine.orders.doctrine import Doctrine
from pbem.engine.parts import Entries, Rulebook, Seen
from pbem.engine.reasons import ChartRead, build_explanation, marked_charts
from pbem.engine.run.questions import Asks
from pbem.engine.terms import Explanation, Orders, Seat

S = TypeVar("S")
C = TypeVar("C")
E = TypeVar("E")
Pinned = TypeVar("Pinned", bound=Edition[Any])
Place = TypeVar("Place", bound=Position)
Help = Mapping[str, tuple[tuple[int, Msg], ...]]


# Whose turn it is in a game whose state is a `Position`: its phase is ``over`` when the game is.


def waiting_phase(state: Any) -> tuple[str, int] | None:
    """Return the waiting phase and its turn; None when the game is over."""
    return None if state.phase == "over" else (state.phase, state.turn)


def ordered_show_side(orders: Orders) -> bool:
    """M5 Return whether a seat ordered SHOW SIDE."""
    return any(isinstance(action, Show) for action in orders.actions)


def all_seats(state: Any) -> tuple[Seat, ...]:
    """Return all seats of a game."""
    return (*state.edition.seats,)


def seats_of_phase(state: Any) -> tuple[Seat, ...]:
    """Return the seats of the side that gives the phase its name."""
    return tuple(seat for seat, side in state.edition.seats.items() if side == state.phase)


@dataclass(frozen=True, kw_only=True)
class WritingSeats:
    """The seats that write in a phase: `at_once` if it is `shared`, else `moving`."""

    at_once: Callable[[Any], tuple[Seat, ...]] = all_seats
    moving: Callable[[Any], tuple[Seat, ...]] = seats_of_phase
    shared: frozenset[str] = frozenset({DEPLOYMENT_PHASE})

    def together(self, state: Any) -> bool:
        """Return whether both sides write at once."""
        return state.phase in self.shared

    def active(self, state: Any) -> tuple[Seat, ...]:
        """Return the seats of the side whose phase it is, or all in a phase of both.

        M1 A commander is asked if he has units in play, the commander-in-chief always.
        """
        seats = self.at_once(state) if self.together(state) else self.moving(state)
        return tuple(seat for seat in seats if is_asked_for_orders(state, seat)) if state.edition.commands else seats

    def commanders(self, state: Any) -> tuple[Seat, ...]:
        """M5 Return the commanders of the side whose phase it is."""
        if self.together(state) or not state.edition.commands:
            return ()
        return tuple(seat for seat in self.active(state) if seat in state.edition.commands)


ALTERNATING_SIDES = WritingSeats()
"""Two sides move one after the other, and deploy at once."""


class RecordFields(TypedDict, Generic[S, E]):
    """The fields of a game's record that come from files, edition and position."""

    shelf: GameFiles
    editions: Callable[[], Mapping[str, Msg]]
    edition_from_json: Callable[[Json], E]
    brought_by: Callable[[str, str], None]
    decode: Callable[[Json, E], S]


def record_fields(files: GameFiles, pinned: type[Pinned], position: type[Place]) -> RecordFields[Place, Pinned]:
    """Return the record's fields that come from a game's files, edition and position.

    Use: ``Game(**record_fields(SHELF, Edition, State))``
    """
    return {
        "shelf": files,
        "editions": files.editions,
        "edition_from_json": pinned.from_json,
        "brought_by": pinned.brought_by,
        "decode": position.decode,
    }


def standard_decisions(
    doctrine: Callable[[Mapping[str, Sequence[Any]], Mapping[str, Sequence[str]], Asks | None], Doctrine[S, C]],
    state: S,
    orders: Mapping[Seat, Orders],
    answers: Mapping[str, Sequence[str]],
    asks: Asks | None = None,
) -> Doctrine[S, C]:
    """Return decisions by answers, standing orders, and defaults.

    Use: ``decisions=partial(standard_decisions, Doctrine)``
    """
    return doctrine({seat: seat_orders.standing for seat, seat_orders in orders.items()}, answers, asks)


def winner_of(worth: Callable[[S], Mapping[str, object]], state: Any) -> str:
    """Return the winner by the rules, of the sides that have points."""
    return state.winner if state.winner in worth(state) else ""


def make_rulebook(
    files: GameFiles,
    helped: Help,
    presets: Mapping[str, str],
    agreed: Callable[[E], tuple[Msg, ...]] = lambda edition: (),
) -> Rulebook[E]:
    """Return the rulebook in a game's files.

    `helped` is the help on its orders, `presets` its standing orders.
    """

    def find_chart(name: str, edition: Any = None) -> str | None:
        wanted = name.casefold()
        for file, chart in (edition.charts if edition else files.charts({})).items():
            if wanted in (file, chart.rule.casefold(), chart.name.casefold()):
                text: str = chart.text
                return text
        return None

    def full_text(number: str, language: str = "en", edition: Any = None) -> tuple[tuple[int, str], ...]:
        return files.full_text(number, language, edition.charts if edition is not None else None)

    return Rulebook(
        ground=lambda edition: edition.map.described(),
        chart=find_chart,
        charts=lambda: tuple(f"{chart.rule} {file}" for file, chart in files.charts({}).items()),
        rule=files.rule,
        full_text=full_text,
        example=files.example,
        errata=files.errata,
        words=files.index,
        about=files.about,
        mentions=files.mentions,
        contents=files.contents,
        brief=files.brief,
        agreed=agreed,
        help=lambda topic: helped.get(topic, ()),
        preset=lambda name: presets.get(name.casefold()),
    )


# Reports of a game that tells its events one by one, each in a sentence.

Tell = Callable[[Event], Entry | None]
"""Words an event as an entry of the report; None if it is not reported."""
Read = Callable[[Event], tuple[str, tuple[str, str]] | None]
"""Names the chart, and the row and column of the cell, that an event read; None if it read none."""


def entry_per_event(tell: Tell, seen: Seen[S]) -> Entries:
    """Return the entries of the report on events.

    Use: ``grouped=partial(entry_per_event, tell)``
    """
    return tuple((entry, (place,)) for place, (happened, _) in enumerate(seen) if (entry := tell(happened)) is not None)


def explain_entry(
    tell: Tell, read: Read, view: Any, seat: Seat, seen: Seen[object], number: int, orders: Orders
) -> Explanation | None:
    """Return the explanation of a happening, with the charts read and their cells.

    Use: ``why=partial(why, tell, read)``
    """

    def charts(events: Sequence[Event]) -> tuple[str, ...]:
        cells_read = filter(None, map(read, events))
        return marked_charts(view.edition, (ChartRead(chart, (cell,)) for chart, cell in cells_read))

    return build_explanation(entry_per_event(tell, seen), seen, number, orders, charts)
