"""Carry players, moderator, observers and absences over to the next game (K8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pbem.engine.data.messages import msg
from pbem.engine.game import has_secrets
from pbem.letters import content, moderators, outbox
from pbem.letters.moderators import ModeratorNotice
from pbem.play.rulings import appointment
from pbem.runtime.transaction import Transaction
from pbem.store import queries, tables

_GOES_ON = (
    "person_id",
    "language",
    "zone",
    "format",
    "map",
    "strikes",
    "bounces",
    "unreachable",
    "missed",
    "spent",
    "notify",
    "reminded",
    "muted",
    "press_forbidden",
    "published",
    "pen_name",
)
"""Columns of a seat that are carried over; its address, form and standing orders are new."""


def carry_over(tx: Transaction, before: tables.Game, after: tables.Game, bots: dict[str, str]) -> None:
    """Carry the players of one game over to the next; `bots` names the new bots."""
    old_seats = {seat.name: seat for seat in queries.games.seats(tx.session, before.id)}
    new_ids: dict[int | None, int | None] = {None: None}
    old_names = _match_seats(tx, before, after)
    for new in queries.games.seats(tx.session, after.id):
        old = old_seats[old_names[new.name]]
        for part in _GOES_ON:
            setattr(new, part, getattr(old, part))
        new.bot = bots.get(old.name, "") if old.bot else ""
        tx.session.add(new)
        tx.session.flush()
        new_ids.setdefault(old.id, new.id)
        for absence in queries.persons.absences(tx.session, old):
            tx.session.add(_copy(absence, seat_id=new.id))
    for observer in queries.persons.observers(tx.session, before.id):
        tx.session.add(_copy(observer, game_id=after.id))
    for standby in queries.persons.standbys_for(tx.session, before.id):
        if standby.game_id == before.id:
            tx.session.add(_copy(standby, game_id=after.id))
    for witness in queries.log.active_witnesses(tx.session, before.id):
        tx.session.add(_copy(witness, game_id=after.id, seat_id=new_ids.get(witness.seat_id)))
    tx.session.flush()
    for name in old_seats.keys() - {*old_names.values()}:
        _release_player(tx, before, after, old_seats[name])
    _moderator(tx, before, after)


def _match_seats(tx: Transaction, before: tables.Game, after: tables.Game) -> dict[str, str]:
    """M1 Return for each new seat the seat before: by name, else a free one by rank.

    A free seat must be of the same side. Where a side has more commands than it had players some players get two:
    first those with the fewest, and among these by rank.
    """
    old_sides, new_sides = (_seats(tx, game) for game in (before, after))
    matches = {name: name for name in new_sides if old_sides.get(name) == new_sides[name]}
    for name, side in new_sides.items():
        if name not in matches:
            used = [*matches.values()]
            candidates = [name_before for name_before in old_sides if old_sides[name_before] == side]
            matches[name] = min(candidates, key=lambda candidate: (used.count(candidate), candidates.index(candidate)))
    return matches


def _seats(tx: Transaction, game: tables.Game) -> Mapping[str, str]:
    """Return the seats of a game with their sides, those of a side by rank."""
    rules = tx.server.rules_of(game)
    return rules.seats(rules.start(tx.server.edition_of(tx.session, game)))


def _release_player(tx: Transaction, before: tables.Game, after: tables.Game, seat: tables.Seat) -> None:
    """Notify a player who has no command in the next part.

    The player stands by for a command that falls free, and may watch if the game hides nothing.
    """
    if seat.person_id is None:
        return
    observer_ids = {observer.person_id for observer in queries.persons.observers(tx.session, after.id)}
    rules = tx.server.rules_of(after)
    open_to_all = not has_secrets(rules, rules.start(tx.server.edition_of(tx.session, after)))
    if open_to_all and seat.person_id not in observer_ids:
        tx.session.add(tables.Observer(game_id=after.id, person_id=seat.person_id, language=seat.language))
    if not any(standby.game_id == after.id for standby in queries.persons.standbys_of(tx.session, seat.person_id)):
        tx.session.add(tables.Standby(person_id=seat.person_id, game_id=after.id))
    tx.session.flush()
    sentences = [
        msg(
            "{seat} has no command in {game}, the next part of the war: its side has fewer there.",
            seat=seat.name,
            game=after.id,
        ),
        msg("You stand by for a command of it that needs somebody."),
    ]
    sentences += [msg("You get the reports that all may see; OBSERVE STOP ends them.")] if open_to_all else []
    head = outbox.head_of(tx.server, before, seat, None)
    letter = content.Letter("announcement", head, opening=sentences).to_json()
    outbox.write_to_seat(tx, letter, seat, before, cause=f"no command in {after.id}")


def restore_seats(tx: Transaction, after: tables.Game, before: tables.Game) -> None:
    """K8 Restore the seats of a resumed part of a war to their present players.

    These are the players of the part after it. A seat with another player gets a new address: its former
    player can no longer write for it.
    """
    seats = {seat.name: seat for seat in queries.games.seats(tx.session, after.id)}
    for old_seat in queries.games.seats(tx.session, before.id):
        later_seat = seats[old_seat.name]
        if old_seat.person_id != later_seat.person_id:
            old_seat.generation, old_seat.nonce, old_seat.template, old_seat.last_letter = (
                old_seat.generation + 1,
                "",
                "",
                "",
            )
            old_seat.repeats, old_seat.repeats_from = "", None
        for part in _GOES_ON:
            setattr(old_seat, part, getattr(later_seat, part))
        old_seat.bot = old_seat.bot if later_seat.bot else ""
        tx.session.add(old_seat)
        known_dates = {
            (absence_row.first, absence_row.last) for absence_row in queries.persons.absences(tx.session, old_seat)
        }
        for absence in queries.persons.absences(tx.session, later_seat):
            if (absence.first, absence.last) not in known_dates:
                tx.session.add(_copy(absence, seat_id=old_seat.id))
    observer_ids = {observer_row.person_id for observer_row in queries.persons.observers(tx.session, before.id)}
    for observer in queries.persons.observers(tx.session, after.id):
        if observer.person_id not in observer_ids:
            tx.session.add(_copy(observer, game_id=before.id))
    tx.session.flush()


def _copy(row: Any, **changes: object) -> Any:
    """Return a copy of a row, with an id of its own."""
    values = {name: value for name, value in row.model_dump().items() if name != "id"}
    return type(row)(**{**values, **changes})


def _moderator(tx: Transaction, before: tables.Game, after: tables.Game) -> None:
    """Carry the moderator over, and mail the new address."""
    current = moderators.moderator_of(tx.session, before)
    if current is None:
        return
    tx.session.add(_copy(current.row, game_id=after.id))
    tx.session.flush()
    row = tx.session.get_one(tables.Moderator, after.id)
    welcome = appointment.welcome_sentences(tx.server.moderator_address(row), after.id)
    moderators.notify(tx, after, ModeratorNotice(welcome, kind="chair", cause=f"goes on {after.id}"))
