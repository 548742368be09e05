"""Read a game's position, and its map as a seat sees it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlmodel import Session

from pbem.engine.data.canon import Json
from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.scene import PictureStyle, Scene, alt_text, picture_to_json
from pbem.engine.game import AnyGame, view_events
from pbem.engine.map.sheets import Grounds
from pbem.engine.terms import ONLOOKER
from pbem.play import history
from pbem.runtime.terms import ACTIVATION_PACE, Terms
from pbem.runtime.transaction import (
    HTML,
    MAP_DARK,
    MAP_OFF,
    MAP_SYMBOLS,
    MAP_WIDE,
    Server,
    Transaction,
    UserError,
    base_format,
)
from pbem.store import queries, tables
from pbem.store.queries.phases import StoredState


class Position(NamedTuple):
    """A game at a moment: row, rules, edition, state, number of phases done.

    `letters` is whether letters of orders are executed one by one, `begun` whether one was in the open phase.
    """

    game: tables.Game
    rules: AnyGame
    edition: Any
    state: Any
    number: int
    letters: bool = False
    begun: bool = False

    @property
    def by_letter(self) -> bool:
        """Return whether letters of orders are executed at once.

        In a phase that asks both sides they never are.
        """
        return self.letters and not self.rules.together(self.state)

    @property
    def active(self) -> tuple[str, ...]:
        """Return the seats that the open phase asks for orders."""
        return self.rules.active(self.state)

    @property
    def commanders(self) -> tuple[str, ...]:
        """Return the seats of the open phase with units of their own.

        It is empty if one seat leads its side.
        """
        return self.rules.commanders(self.state)


def lock_game(session: Session, name: str) -> tables.Game:
    """Return the row of a game, locked.

    Raise UserError if there is none of that name.
    """
    game = queries.games.game(session, name)
    if game is None:
        raise UserError(msg("There is no game {game}.", game=name))
    return game


def read_position(tx: Transaction, game: tables.Game, kept: StoredState | None = None) -> Position:
    """Read a game's state, after executed letters of the open phase.

    Raise LookupError before the game began. `kept` is the last state stored, which is looked up if not given.
    """
    position = position_before_phase(tx, game, kept)
    if position.by_letter and (midway := queries.phases.midway_state(tx.session, game.id)) is not None:
        return position._replace(state=tx.server.state_of(tx.session, game, midway), begun=True)
    return position


def position_before_phase(tx: Transaction, game: tables.Game, kept: StoredState | None = None) -> Position:
    """Read a game's state before the open phase.

    Raise LookupError before the game began.
    """
    snapshot = kept or queries.phases.latest_snapshot(tx.session, game.id)
    if snapshot is None:
        raise LookupError(f"game {game.id} has not begun")
    number, text = snapshot
    rules, edition = tx.server.rules_of(game), tx.server.edition_of(tx.session, game)
    letters = Terms.read(game.terms).pace == ACTIVATION_PACE
    return Position(game, rules, edition, tx.server.state_of(tx.session, game, text), number, letters)


def last_moment(game: tables.Game, phase: tables.Phase) -> datetime:
    """Return until when letters for the phase are taken: deadline and late minutes."""
    return phase.deadline + timedelta(minutes=Terms.read(game.terms).late_minutes)


def game_titles(server: Server, game: tables.Game) -> tuple[Msg | str, Msg | str]:
    """Return the names of a game's rules and scenario.

    They are ids if the rules are not installed.
    """
    try:
        rules = server.rules_of(game)
    except KeyError:
        return game.system, game.scenario
    return rules.title, rules.editions().get(game.scenario, game.scenario)


# The map as a seat sees it: now, or when a phase that is over had been resolved; and as its letters show it.


class ShownScene(NamedTuple):
    """A scene, its ground, and its game."""

    scene: Scene
    ground: Grounds
    game: str


class PictureRefused(ValueError):
    """The reason why something cannot be drawn."""


def scene_for_letter(
    tx: Transaction, position: Position, seat: tables.Seat, view: object, events: Sequence[tuple[Event, object]] = ()
) -> Json | None:
    """Return the map for a seat's letter after its events; None if it shows no map."""
    if not _shows_map(tx, position, seat, view):
        return None
    return _picture_of(position, seat, position.rules.pictured.picture(view, seat.name, events))  # type: ignore[union-attr]


def scene_with_moves(tx: Transaction, position: Position, seat: tables.Seat, view: object, place: str) -> Json | None:
    """Return the map with the moves and attacks of a seat's counters in a place.

    The place is named in the player's words. The map also shows the places that leaders among the counters reach
    beyond those of the units. None where `scene_for_letter` returns None.
    """
    if not _shows_map(tx, position, seat, view):
        return None
    scene: Scene = position.rules.pictured.picture(view, seat.name, ())  # type: ignore[union-attr]
    aids = position.rules.aids
    place_id = aids.place(view, seat.name, place)
    pieces = {piece.id: piece for piece in scene.pieces if piece.place == place_id} if place_id else {}
    leaders = {unit for unit, piece in pieces.items() if piece.branch == "leader"}
    choices = aids.choices(view, seat.name, position.begun)
    reach, targets, far = set[str](), set[str](), set[str]()
    for verb in choices.verbs:
        for unit in pieces:
            is_leader_alone = unit in leaders and len(leaders) < len(pieces)
            places = targets if verb.attack else far if is_leader_alone else reach
            places.update(choices.offers.get(unit, {}).get(verb.verb, ()))
    marked = scene._replace(
        reach=tuple(sorted(reach - targets)),
        targets=tuple(sorted(targets)),
        asked=(place_id,) if place_id else (),
        far=tuple(sorted(far - reach - targets)),
    )
    return _picture_of(position, seat, marked)


def _shows_map(tx: Transaction, position: Position, seat: tables.Seat, view: object) -> bool:
    """Return whether letters of a seat show a map, and one can be drawn."""
    drawable = tx.server.plugins.artist is not None and position.rules.pictured is not None and view is not None
    return drawable and base_format(seat.format) == HTML and seat.map.partition("+")[0] != MAP_OFF


def _picture_of(position: Position, seat: tables.Seat, scene: Scene) -> Json:
    colours, *wishes = seat.map.split("+")
    made_for = PictureStyle(colours == MAP_DARK, MAP_WIDE in wishes, MAP_SYMBOLS in wishes)
    return picture_to_json(scene, position.edition.digest, alt_text(scene), made_for)


def scene_of(tx: Transaction, name: str, seat: str, turn: int | None = None, phase: str = "") -> ShownScene:
    """Return what a seat sees on the map after a phase, and the map itself.

    Turn and name choose the phase; without them it is the last. Raise UserError for an unknown game, NoPicture for an
    unknown seat or phase, or if nothing is visible.
    """
    game = lock_game(tx.session, name)
    rules = tx.server.rules_of(game)
    if rules.pictured is None:
        raise PictureRefused(f"{rules.name} has no pictures")
    row = _phase(tx, game, turn, phase)
    state = history.state_after(tx, game, row.number if row else 0)
    if seat not in (*rules.seats(state), ONLOOKER):
        raise PictureRefused(f"{name} has no seat {seat!r}; there are {', '.join(rules.seats(state))}")
    view = rules.view(state, seat)
    if view is None:
        raise PictureRefused(f"{name} shows its onlookers nothing")
    events = history.events_with_states(tx, game, row) if row else ()
    seen_events = view_events(rules, seat, events)
    return ShownScene(rules.pictured.picture(view, seat, seen_events), rules.pictured.ground(state.edition), rules.name)


def _phase(tx: Transaction, game: tables.Game, turn: int | None, name: str) -> tables.Phase | None:
    """Return the wanted resolved phase; None before the first."""
    resolved = [row for row in queries.phases.resolved_phases(tx.session, game.id) if turn is None or row.turn == turn]
    matching = [row for row in resolved if not name or row.name == name]
    if not matching and (turn is not None or name):
        all_resolved = queries.phases.resolved_phases(tx.session, game.id)
        last_text = f"; the last is T{all_resolved[-1].turn}.{all_resolved[-1].name}" if all_resolved else ""
        wanted_text = f"T{turn}{f'.{name}' if name else ''}" if turn is not None else name
        raise PictureRefused(f"nothing of {wanted_text} is over in {game.id}{last_text}")
    return matching[-1] if matching else None
