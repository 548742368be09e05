"""Seats that go on: who sits where, how he is written to, who moderates, watches and is away (K8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pbem.engine.data.messages import msg
from pbem.engine.game import hides
from pbem.letters import content, moderators, outbox
from pbem.letters.moderators import Memo
from pbem.play.rulings import appointment
from pbem.runtime.transaction import Work
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
"""What of a seat goes on in the next game; its address, its form and its standing orders are new."""


def take_over(work: Work, before: tables.Game, after: tables.Game, bots: dict[str, str]) -> None:
    """Give the seats of a game to who has them in the one before it; `bots` are what bots are called in the new one."""
    olds = {seat.name: seat for seat in queries.games.seats(work.session, before.id)}
    heirs: dict[int | None, int | None] = {None: None}
    handed = _handed(work, before, after)
    for new in queries.games.seats(work.session, after.id):
        old = olds[handed[new.name]]
        for part in _GOES_ON:
            setattr(new, part, getattr(old, part))
        new.bot = bots.get(old.name, "") if old.bot else ""
        work.session.add(new)
        work.session.flush()
        heirs.setdefault(old.id, new.id)
        for absence in queries.persons.absences(work.session, old):
            work.session.add(_copy(absence, seat_id=new.id))
    for watching in queries.persons.observers(work.session, before.id):
        work.session.add(_copy(watching, game_id=after.id))
    for waiting in queries.persons.waiting_for(work.session, before.id):
        if waiting.game_id == before.id:
            work.session.add(_copy(waiting, game_id=after.id))
    for witness in queries.log.active(work.session, before.id):
        work.session.add(_copy(witness, game_id=after.id, seat_id=heirs.get(witness.seat_id)))
    work.session.flush()
    for name in olds.keys() - {*handed.values()}:
        _stand_down(work, before, after, olds[name])
    _moderator(work, before, after)


def _handed(work: Work, before: tables.Game, after: tables.Game) -> dict[str, str]:
    """M1 Whose seat in the part before each seat is: that of its name, else, by rank, of a side that has none there.

    Where a side has more commands than it had players some get two; of those who have fewest the first by rank.
    """
    was, now = (_seats(work, game) for game in (before, after))
    found = {name: name for name in now if was.get(name) == now[name]}
    for name, side in now.items():
        if name not in found:
            given = [*found.values()]
            own = [one for one in was if was[one] == side]
            found[name] = min(own, key=lambda one: (given.count(one), own.index(one)))
    return found


def _seats(work: Work, game: tables.Game) -> Mapping[str, str]:
    """The seats of a game with their sides, those of a side by rank."""
    rules = work.server.rules_of(game)
    return rules.seats(rules.start(work.server.edition_of(work.session, game)))


def _stand_down(work: Work, before: tables.Game, after: tables.Game, seat: tables.Seat) -> None:
    """Tell a player that no command is his in the next part; he may take one that needs somebody, and may watch."""
    if seat.person_id is None:
        return
    watches = {one.person_id for one in queries.persons.observers(work.session, after.id)}
    rules = work.server.rules_of(after)
    open_to_all = not hides(rules, rules.start(work.server.edition_of(work.session, after)))
    if open_to_all and seat.person_id not in watches:
        work.session.add(tables.Observer(game_id=after.id, person_id=seat.person_id, language=seat.language))
    if not any(one.game_id == after.id for one in queries.persons.standing_by(work.session, seat.person_id)):
        work.session.add(tables.Standby(person_id=seat.person_id, game_id=after.id))
    work.session.flush()
    told = [
        msg(
            "{seat} has no command in {game}, the next part of the war: its side has fewer there.",
            seat=seat.name,
            game=after.id,
        ),
        msg("You stand by for a command of it that needs somebody."),
    ]
    told += [msg("You get the reports that all may see; OBSERVE STOP ends them.")] if open_to_all else []
    head = outbox.head_of(work.server, before, seat, None)
    letter = content.Letter("announcement", head, opening=told).to_json()
    outbox.to_seat(work, letter, seat, before, cause=f"no command in {after.id}")


def give_back(work: Work, after: tables.Game, before: tables.Game) -> None:
    """K8 Give the seats of a part of a war that is taken up again to who has them by now, in the part after it.

    A seat that is somebody else's by now gets another address: the one before him does not speak for it any more.
    """
    seats = {seat.name: seat for seat in queries.games.seats(work.session, after.id)}
    for old in queries.games.seats(work.session, before.id):
        now = seats[old.name]
        if old.person_id != now.person_id:
            old.generation, old.nonce, old.template, old.last_letter = old.generation + 1, "", "", ""
            old.repeats, old.repeats_from = "", None
        for part in _GOES_ON:
            setattr(old, part, getattr(now, part))
        old.bot = old.bot if now.bot else ""
        work.session.add(old)
        known = {(one.first, one.last) for one in queries.persons.absences(work.session, old)}
        for absence in queries.persons.absences(work.session, now):
            if (absence.first, absence.last) not in known:
                work.session.add(_copy(absence, seat_id=old.id))
    watching = {one.person_id for one in queries.persons.observers(work.session, before.id)}
    for observer in queries.persons.observers(work.session, after.id):
        if observer.person_id not in watching:
            work.session.add(_copy(observer, game_id=before.id))
    work.session.flush()


def _copy(row: Any, **changed: object) -> Any:
    """A row like another, with a number of its own."""
    kept = {name: value for name, value in row.model_dump().items() if name != "id"}
    return type(row)(**{**kept, **changed})


def _moderator(work: Work, before: tables.Game, after: tables.Game) -> None:
    """Let whoever moderates go on, and write him his new address."""
    found = moderators.moderator_of(work.session, before)
    if found is None:
        return
    work.session.add(_copy(found.row, game_id=after.id))
    work.session.flush()
    row = work.session.get_one(tables.Moderator, after.id)
    welcome = appointment.welcome(work.server.moderator_address(row), after.id)
    moderators.notify(work, after, Memo(welcome, kind="chair", cause=f"goes on {after.id}"))
