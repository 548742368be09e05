"""What was: states and events of phases that are behind us, read from what is stored."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from typing import Any

from sqlmodel import Session, col, select

from pbem.campaign.office import Office
from pbem.core.canon import loads
from pbem.core.events import Event
from pbem.core.game import Game
from pbem.core.report import Entry
from pbem.store import queries, tables

__all__ = ["events_of", "first_of_turn", "happened_in", "resolved", "seen", "state_after", "states_after", "told"]


def resolved(session: Session, game: tables.Game) -> Sequence[tables.Phase]:
    """The resolved phases of a game in order."""
    found = select(tables.Phase).where(tables.Phase.game_id == game.id, tables.Phase.state == "resolved")
    return session.exec(found.order_by(col(tables.Phase.number))).all()


def first_of_turn(session: Session, game: tables.Game, turn: int) -> tables.Phase | None:
    """The phase a turn began with, resolved or open; None if it has not begun."""
    found = select(tables.Phase).where(tables.Phase.game_id == game.id, tables.Phase.turn == turn)
    return session.exec(found.order_by(col(tables.Phase.number))).first()


def state_after(session: Session, office: Office, game: tables.Game, number: int) -> Any:
    """The state after phase `number`, 0 being the start: the nearest snapshot and the events since."""
    kept = session.exec(
        select(tables.Snapshot)
        .where(tables.Snapshot.game_id == game.id, col(tables.Snapshot.number) <= number)
        .order_by(col(tables.Snapshot.number).desc())
    ).first()
    if kept is None:
        raise LookupError(f"game {game.id} has no state to begin from")
    rules = office.rules_of(game)
    state = office.state_of(session, game, kept.body)
    if kept.number == number:
        return state
    for phase in resolved(session, game):
        if kept.number < phase.number <= number:
            for happened in events_of(session, phase):
                state = rules.rules.apply(state, happened)
    return state


def states_after(session: Session, office: Office, wanted: Set[tuple[str, int]]) -> dict[tuple[str, int], Any]:
    """States by the game's name and the number of the phase before them; of games that are not there, none."""
    found = {
        (game.id, kept.number): office.state_of(session, game, kept.body)
        for game, kept in queries.states_kept(session, wanted)
    }
    for name, number in sorted(wanted - found.keys()):
        lost = session.get(tables.Game, name)
        if lost is not None:
            found[name, number] = state_after(session, office, lost, number)
    return found


def events_of(session: Session, phase: tables.Phase) -> tuple[Event, ...]:
    """The events of a resolved phase in order."""
    rows = session.exec(
        select(tables.Event).where(tables.Event.phase_id == phase.id).order_by(col(tables.Event.number))
    )
    return tuple(Event.from_json(loads(row.body)) for row in rows)


def happened_in(session: Session, office: Office, game: tables.Game, phase: tables.Phase) -> list[tuple[Event, Any]]:
    """The events of a resolved phase in order, each with the state before it."""
    rules, state = office.rules_of(game), state_after(session, office, game, phase.number - 1)
    found = []
    for one in events_of(session, phase):
        found.append((one, state))
        state = rules.rules.apply(state, one)
    return found


def seen(rules: Game, seat: str, happened: Iterable[tuple[Event, Any]]) -> list[tuple[Event, Any]]:
    """What a seat saw of events given with the states before them: each with its view before it."""
    found = []
    for one, before in happened:
        shown = rules.see(one, seat, before)
        if shown is not None:
            found.append((shown, rules.view(before, seat)))
    return found


def told(
    session: Session, office: Office, game: tables.Game, phase: tables.Phase, seat: str
) -> tuple[tuple[Entry, ...], list[tuple[Event, Any]]]:
    """The entries of a seat's report on a resolved phase, and what it saw: the events that they tell of."""
    rules = office.rules_of(game)
    found = seen(rules, seat, happened_in(session, office, game, phase))
    return rules.happenings(found), found
