"""SEEK: an opponent for a battle; two who seek one another get a game.

It is confirmed by a code, as JOIN is, so that both are people whose mail arrives. The first one waits; LIST shows
that somebody does, and not who. After `DAYS` days it is forgotten.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.languages import chosen, in_each
from pbem.engine.data.messages import Msg, msg
from pbem.engine.game import AnyGame
from pbem.letters import codes, content
from pbem.letters.codes import Asker, Said
from pbem.letters.commands import Form, Line
from pbem.letters.content import date_in_words
from pbem.play import seating
from pbem.play.commands import command_records
from pbem.play.commands.command_records import Command, Often, for_seat
from pbem.play.commands.seats import play
from pbem.play.commands.table.founding import NewGame, new_game, start_game
from pbem.play.seating import Invitation, invite_seat
from pbem.runtime.clock import Pace
from pbem.runtime.transaction import Transaction
from pbem.store import queries, tables

DAYS = 30
"""Days after which it is forgotten that somebody seeks an opponent."""
MOST_SOUGHT = 3
"""Battles that one person may seek an opponent for at once."""
MOST_GAMES = 3
"""Games that were made so and go on, of one person."""

_NAME = "match"
_WHICH = re.compile(
    r"(?P<stop>stop|parar|nada)|(?P<scenario>[a-z0-9][a-z0-9-]{0,19})"
    r"(?: (?:as |como )?(?P<seat>(?!code\b|codigo\b)[a-z][a-z0-9]{0,11}))?(?: (?:code|codigo) (?P<code>[a-z2-7]{8}))?"
)


class _Battle(NamedTuple):
    """A battle of two seats that somebody seeks an opponent for, and his seat; empty if he takes any."""

    rules: AnyGame
    scenario: str
    seats: tuple[str, ...]
    seat: str

    @property
    def title(self) -> Msg:
        """What it is called."""
        return self.rules.editions()[self.scenario]

    def line(self, language: str) -> str:
        """Return the line that seeks an opponent for it."""
        own = f" {play.written(self.rules, self.seat, language)}" if self.seat else ""
        return f"{chosen(language, 'SEEK', 'BUSCO')} {self.scenario}{own}"


def seek(work: Transaction, asker: Asker, command: Line) -> Said:
    """Ask for an opponent, confirm that with the code, or take it back."""
    said = _WHICH.fullmatch(command.rest)
    if said is None:
        raise ValueError(f"not what follows SEEK: {command.rest!r}")
    forget(work)
    if said["stop"]:
        return _stop(work, asker)
    wanted = _battle(work, said["scenario"], said["seat"] or "")
    if isinstance(wanted, Msg):
        return Said("answer", (wanted,))
    if refused := play.objection(work, asker) or _too_many(work, asker, wanted):
        return Said("answer", (refused,))
    waiting = _opponent(work, asker, wanted)
    request = ("seek", wanted.scenario, wanted.seat, asker.email.casefold())
    if said["code"] is None:
        asked = [msg("An opponent for {title} was asked for with your address.", title=wanted.title)]
        if waiting is not None:
            asked.append(msg("One has waited since {day}: the game begins as you confirm.", day=_day(waiting)))
        line = f"{wanted.line(asker.language)} {asker.code_word} {codes.codes(work.server, *request)[0]}"
        return codes.please(asked, msg("The line that seeks an opponent"), line)
    if not codes.good(work.server, said["code"], *request):
        return Said("answer", (codes.stale("SEEK"),))
    if waiting is not None:
        return _begin(work, asker, wanted, waiting)
    return _wait(work, asker, wanted)


def waiting_now(work: Transaction) -> tuple[Json, ...]:
    """Return a block that tells for which battles opponents are sought; none if nobody waits."""
    lines = []
    for row in queries.persons.all_seeking(work.session, _since(work)):
        wanted = _battle(work, row.scenario, row.seat)
        if not isinstance(wanted, Msg):
            seat = in_each(partial(play.called, wanted.rules, row.seat)) if row.seat else msg("either side")
            told = msg(
                "{name}: {title}; {seat}, since {day}", name=row.scenario, title=wanted.title, seat=seat, day=_day(row)
            )
            lines.append((0, told))
    title = msg("Waiting for an opponent; SEEK and the battle makes a game with them")
    return (content.sentences(title, lines),) if lines else ()


def forget(work: Transaction) -> None:
    """Forget who has sought an opponent for too long."""
    for row in queries.persons.sought_before(work.session, _since(work)):
        work.session.delete(row)
    work.session.flush()


def _since(work: Transaction) -> datetime:
    return work.now - timedelta(days=DAYS)


def _day(row: tables.Seek) -> Msg:
    return date_in_words(row.at.date())


def _battle(work: Transaction, scenario: str, seat: str) -> _Battle | Msg:
    """Return the battle that is meant, or why there is none for two."""
    rules = play.battle(work, scenario)
    if isinstance(rules, Msg):
        return rules
    seats = play.seats_in(rules, scenario)
    if len(seats) != 2:
        return msg("{name} is not played by two: it has {count} seats.", name=scenario, count=len(seats))
    found = play.seat_meant(rules, seats, seat) if seat else ""
    return found if isinstance(found, Msg) else _Battle(rules, scenario, seats, found)


def _too_many(work: Transaction, asker: Asker, wanted: _Battle) -> Msg | None:
    """Return why this one cannot seek another opponent."""
    person = queries.persons.person_by_email(work.session, asker.email)
    if person is None:
        return None
    sought = [row.scenario for row in queries.persons.sought_by(work.session, person.id)]
    if len({*sought, wanted.scenario}) > MOST_SOUGHT:
        return msg(
            "You seek opponents for as many battles as one may: {names}. SEEK STOP ends it.", names=tuple(sought)
        )
    own = {seat.game_id for seat in queries.persons.seats_of(work.session, person.id)}
    games = [queries.games.game(work.session, name) for name in sorted(own) if name.startswith(f"{_NAME}-")]
    going = tuple(game.id for game in games if game is not None and game.state != "over")
    if len(going) >= MOST_GAMES:
        return msg("You play as many games found by SEEK as one may at once: {games}.", games=going)
    return None


def _opponent(work: Transaction, asker: Asker, wanted: _Battle) -> tables.Seek | None:
    """Return who has waited longest for such a game, with a seat left for this one."""
    for row in queries.persons.seeking(work.session, wanted.scenario, _since(work)):
        email = queries.persons.email_of(work.session, row.person_id)
        person = queries.persons.person_by_email(work.session, asker.email)
        own = person is not None and person.id == row.person_id
        if email is not None and not own and not (row.seat and row.seat == wanted.seat):
            return row
    return None


def _wait(work: Transaction, asker: Asker, wanted: _Battle) -> Said:
    """Keep that somebody seeks an opponent; a second time for one battle replaces the first."""
    person = seating.person_of(work.session, asker.email, language=asker.language, zone=asker.zone)
    for row in queries.persons.sought_by(work.session, person.id):
        if row.scenario == wanted.scenario:
            work.session.delete(row)
    work.session.flush()
    work.session.add(tables.Seek(person_id=person.id or 0, scenario=wanted.scenario, seat=wanted.seat, at=work.now))
    work.session.flush()
    last = date_in_words((work.now + timedelta(days=DAYS)).date())
    done = msg(
        "You wait for an opponent in {title}. When one comes, the game begins and I write to you.", title=wanted.title
    )
    return Said("answer", (done, msg("I forget it on {day}. SEEK STOP takes it back.", day=last)))


def _stop(work: Transaction, asker: Asker) -> Said:
    """Take back that somebody seeks opponents."""
    person = queries.persons.person_by_email(work.session, asker.email)
    rows = queries.persons.sought_by(work.session, person.id if person is not None else None)
    for row in rows:
        work.session.delete(row)
    work.session.flush()
    if not rows:
        return Said("answer", (msg("You were not waiting for an opponent; nothing was changed."),))
    return Said(
        "answer", (msg("You wait for no opponent any more: {names}.", names=tuple(row.scenario for row in rows)),)
    )


def _begin(work: Transaction, asker: Asker, wanted: _Battle, waiting: tables.Seek) -> Said:
    """Make the game of two who seek one another, and open its first phase."""
    person = seating.person_of(work.session, asker.email, language=asker.language, zone=asker.zone)
    other = work.session.get_one(tables.Person, waiting.person_id)
    first, second = wanted.seats
    theirs = waiting.seat or (second if wanted.seat == first else first)
    mine = second if theirs == first else first
    told = msg(
        "Both of you wrote SEEK for this battle, on {first} and on {second}, and so have this game.",
        first=_day(waiting),
        second=date_in_words(work.now.date()),
    )
    name = play.free_name(work, _NAME)
    new_game(work, NewGame(name, wanted.rules.name, wanted.scenario, pace=Pace(zone=other.zone)))
    for who, seat in ((other, theirs), (person, mine)):
        email = queries.persons.email_of(work.session, who.id)
        if email is None:
            raise LookupError(f"nobody has the address of person {who.id}")
        invite_seat(work, Invitation(name, seat, email, language=who.language, zone=who.zone))
    for row in (*queries.persons.sought_by(work.session, person.id), waiting):
        if row.scenario == wanted.scenario and row in work.session:
            work.session.delete(row)
    work.session.flush()
    start_game(work, name, told=(told,))
    mine_called = in_each(partial(play.called, wanted.rules, mine))
    done = msg(
        "An opponent has waited since {day}: the game {game} has begun, and you play {seat}.",
        day=_day(waiting),
        game=name,
        seat=mine_called,
    )
    return Said("joined", (done, msg("Its own letters, with the address to write to, are on their way.")))


COMMANDS = (
    Command(
        Form("seek", ("SEEK", "BUSCO", "BUSCAR"), _WHICH, "SEEK battle side", "BUSCO batalla bando"),
        for_seat(seek),
        visit=seek,
        help=(
            msg(
                "SEEK battle, SEEK battle side: wait for an opponent, at most {days} days; SEEK STOP takes it back.",
                days=DAYS,
            ),
        ),
        often=Often(day=5),
        served=command_records.founds_games,
    ),
)
