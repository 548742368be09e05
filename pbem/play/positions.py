"""A game as it stands: what letters are checked against, what phases are resolved from, the map that a seat sees."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlmodel import Session

from pbem.engine.data.canon import Json
from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.scene import Scene, alt_text, picture
from pbem.engine.game import AnyGame
from pbem.engine.map.sheets import Grounds
from pbem.engine.terms import ONLOOKER
from pbem.play import history
from pbem.runtime.terms import ACTIVATION, Terms
from pbem.runtime.transaction import DARK, HTML, OFF, Server, Transaction, UserError, look_of
from pbem.store import queries, tables
from pbem.store.queries.phases import StoredState


class Position(NamedTuple):
    """A game at this moment: its row, its rules and edition, the state, and how many phases are behind it.

    `letters` is True where letters of orders are carried out one by one, `begun` once one of the open phase was.
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
        """Whether each letter of orders is carried out at once; never where both sides are asked at once."""
        return self.letters and not self.rules.together(self.state)

    @property
    def active(self) -> tuple[str, ...]:
        """The seats that the open phase asks for orders."""
        return self.rules.active(self.state)

    @property
    def commanders(self) -> tuple[str, ...]:
        """The seats of the open phase that each order units of their own; none where one orders a whole side."""
        return self.rules.commanders(self.state)


def game_named(session: Session, name: str) -> tables.Game:
    """The row of a game, locked; Broken if there is none of that name."""
    found = queries.games.game(session, name)
    if found is None:
        raise UserError(msg("There is no game {game}.", game=name))
    return found


def position(work: Transaction, game: tables.Game, kept: StoredState | None = None) -> Position:
    """Read a game's state, after the letters of the open phase that were carried out; LookupError before it began.

    `kept` is the last state stored, which is looked up if it is not given.
    """
    here = before(work, game, kept)
    if here.by_letter and (midway := queries.phases.midway(work.session, game.id)) is not None:
        return here._replace(state=work.server.state_of(work.session, game, midway), begun=True)
    return here


def before(work: Transaction, game: tables.Game, kept: StoredState | None = None) -> Position:
    """Read a game's state before the open phase; LookupError before the game was started."""
    snapshot = kept or queries.phases.latest_snapshot(work.session, game.id)
    if snapshot is None:
        raise LookupError(f"game {game.id} has not begun")
    number, text = snapshot
    rules, edition = work.server.rules_of(game), work.server.edition_of(work.session, game)
    letters = Terms.read(game.terms).pace == ACTIVATION
    return Position(game, rules, edition, work.server.state_of(work.session, game, text), number, letters)


def last_moment(game: tables.Game, phase: tables.Phase) -> datetime:
    """Until when letters for the phase are taken: its deadline, and what the terms of the game give late ones."""
    return phase.deadline + timedelta(minutes=Terms.read(game.terms).late_minutes)


def titles(server: Server, game: tables.Game) -> tuple[Msg | str, Msg | str]:
    """What a game and its scenario are called; their ids if this server has lost the rules."""
    try:
        rules = server.rules_of(game)
    except KeyError:
        return game.system, game.scenario
    return rules.title, rules.editions().get(game.scenario, game.scenario)


# The map as a seat sees it: now, or when a phase that is over had been resolved; and as its letters show it.


class ShownScene(NamedTuple):
    """A scene, the ground that it is drawn on, and whose game it is."""

    scene: Scene
    ground: Grounds
    game: str


class NoPicture(ValueError):
    """What cannot be drawn, and why."""


def scene_for_letter(
    work: Transaction, here: Position, seat: tables.Seat, view: object, seen: Sequence[tuple[Event, object]] = ()
) -> Json | None:
    """Return the map for a seat's letter, after the events that it saw; None if its letters show none, or none can."""
    if not _shows(work, here, seat, view):
        return None
    return _kept(here, seat, here.rules.pictured.picture(view, seat.name, seen))  # type: ignore[union-attr]


def scene_asked_about(work: Transaction, here: Position, seat: tables.Seat, view: object, place: str) -> Json | None:
    """Return the map with all that counters of the seat in a place, as he names it, could be ordered to go to and
    attack, and what leaders among them reach beyond that; None where `for_letter` has none.
    """
    if not _shows(work, here, seat, view):
        return None
    scene: Scene = here.rules.pictured.picture(view, seat.name, ())  # type: ignore[union-attr]
    aids = here.rules.aids
    at = aids.place(view, seat.name, place)
    asked = {piece.id: piece for piece in scene.pieces if piece.place == at} if at else {}
    led = {unit for unit, piece in asked.items() if piece.branch == "leader"}
    chosen = aids.choices(view, seat.name, here.begun)
    reach, targets, far = set[str](), set[str](), set[str]()
    for verb in chosen.verbs:
        for unit in asked:
            alone = unit in led and len(led) < len(asked)
            places = targets if verb.attack else far if alone else reach
            places.update(chosen.offers.get(unit, {}).get(verb.verb, ()))
    told = scene._replace(
        reach=tuple(sorted(reach - targets)),
        targets=tuple(sorted(targets)),
        asked=(at,) if at else (),
        far=tuple(sorted(far - reach - targets)),
    )
    return _kept(here, seat, told)


def _shows(work: Transaction, here: Position, seat: tables.Seat, view: object) -> bool:
    """Whether letters of a seat show a map, and one can be drawn."""
    drawable = work.server.plugins.artist is not None and here.rules.pictured is not None and view is not None
    return drawable and look_of(seat.format) == HTML and seat.map != OFF


def _kept(here: Position, seat: tables.Seat, scene: Scene) -> Json:
    return picture(scene, here.edition.digest, alt_text(scene), seat.map == DARK)


def scene_of(work: Transaction, name: str, seat: str, turn: int | None = None, phase: str = "") -> ShownScene:
    """Return what a seat saw after the last phase, or after one of a turn, by name or the last; and its ground.

    Broken for a game that is not there, NoPicture for a seat or phase that is not, or for nothing to see.
    """
    game = game_named(work.session, name)
    rules = work.server.rules_of(game)
    if rules.pictured is None:
        raise NoPicture(f"{rules.name} has no pictures")
    done = _phase(work, game, turn, phase)
    state = history.state_after(work, game, done.number if done else 0)
    if seat not in (*rules.seats(state), ONLOOKER):
        raise NoPicture(f"{name} has no seat {seat!r}; there are {', '.join(rules.seats(state))}")
    view = rules.view(state, seat)
    if view is None:
        raise NoPicture(f"{name} shows its onlookers nothing")
    happened = history.events_with_states(work, game, done) if done else ()
    seen = history.view_events(rules, seat, happened)
    return ShownScene(rules.pictured.picture(view, seat, seen), rules.pictured.ground(state.edition), rules.name)


def _phase(work: Transaction, game: tables.Game, turn: int | None, name: str) -> tables.Phase | None:
    """The resolved phase that is meant; None before the first."""
    done = [row for row in queries.phases.resolved(work.session, game.id) if turn is None or row.turn == turn]
    found = [row for row in done if not name or row.name == name]
    if not found and (turn is not None or name):
        last = queries.phases.resolved(work.session, game.id)
        upto = f"; the last is T{last[-1].turn}.{last[-1].name}" if last else ""
        wanted = f"T{turn}{f'.{name}' if name else ''}" if turn is not None else name
        raise NoPicture(f"nothing of {wanted} is over in {game.id}{upto}")
    return found[-1] if found else None
