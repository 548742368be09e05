"""Find an opponent for a battle (SEEK); two matching requests get a game.

It is confirmed by a code, as JOIN is, so that both have working mail. The first request waits; LIST shows it
without a name. It expires after `DAYS` days.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.languages import in_each_language, pick_phrase
from pbem.engine.data.messages import Msg, msg
from pbem.engine.game import AnyGame
from pbem.letters import codes, content
from pbem.letters.codes import Asker, CommandReply
from pbem.letters.commands import CommandForm, CommandLine
from pbem.letters.content import date_in_words
from pbem.mail import CODE_PATTERN
from pbem.mail.address import SEAT_ID
from pbem.play import seating
from pbem.play.commands import command_records
from pbem.play.commands.command_records import LetterCommand, RateLimit, visit_as_seat_command
from pbem.play.commands.seats import play
from pbem.play.commands.table.founding import NewGame, new_game, start_game
from pbem.play.seating import Invitation, invite_seat
from pbem.runtime.clock import Pace
from pbem.runtime.transaction import Transaction
from pbem.store import queries, tables

DAYS = 30
"""Days after which a request for an opponent expires: who asked a month ago may have left."""
MOST_SOUGHT = 3
"""Open requests of one person: more would fill the list that all others read."""
MOST_GAMES = 3
"""Running games of one person created by SEEK: who leaves several unplayed takes the time of as many opponents."""

_NAME = "match"
_WHICH = re.compile(
    r"(?P<stop>stop|parar|nada)|(?P<scenario>[a-z0-9][a-z0-9-]{0,19})"
    rf"(?: (?:as |como )?(?P<seat>(?!code\b|codigo\b){SEAT_ID}))?(?: (?:code|codigo) (?P<code>{CODE_PATTERN}))?"
)
"""What follows SEEK: STOP, or a scenario, optionally a seat and the mailed code. The lengths are those of the columns;
a code has eight signs (`runtime.tokens`)."""


class _Battle(NamedTuple):
    """A two-seat battle for which an opponent is sought, and the seat.

    The seat is empty if any seat will do.
    """

    rules: AnyGame
    scenario: str
    seats: tuple[str, ...]
    seat: str

    @property
    def title(self) -> Msg:
        """Return the title of the battle."""
        return self.rules.editions()[self.scenario]

    def line(self, language: str) -> str:
        """Return the line that seeks an opponent for the battle."""
        seat_part = f" {play.seat_word(self.rules, self.seat, language)}" if self.seat else ""
        return f"{pick_phrase(language, 'SEEK', 'BUSCO')} {self.scenario}{seat_part}"


def seek_opponent(tx: Transaction, asker: Asker, command: CommandLine) -> CommandReply:
    """Request an opponent, confirm that with the code, or withdraw the request."""
    match = _WHICH.fullmatch(command.rest)
    if match is None:
        raise ValueError(f"not what follows SEEK: {command.rest!r}")
    drop_expired_offers(tx)
    if match["stop"]:
        return _withdraw_requests(tx, asker)
    wanted_battle = _battle(tx, match["scenario"], match["seat"] or "")
    if isinstance(wanted_battle, Msg):
        return CommandReply("answer", (wanted_battle,))
    if objection := play.anonymous_mail_objection(tx, asker) or _limit_objection(tx, asker, wanted_battle):
        return CommandReply("answer", (objection,))
    opponent = _find_opponent(tx, asker, wanted_battle)
    request = ("seek", wanted_battle.scenario, wanted_battle.seat, asker.email.casefold())
    if match["code"] is None:
        sentences = [msg("An opponent for {title} was asked for with your address.", title=wanted_battle.title)]
        if opponent is not None:
            sentences.append(msg("One has waited since {day}: the game begins as you confirm.", day=_day(opponent)))
        line = f"{wanted_battle.line(asker.language)} {asker.code_word} {codes.valid_codes(tx.server, *request)[0]}"
        return codes.ask_to_confirm(sentences, msg("The line that seeks an opponent"), line)
    if not codes.is_valid_code(tx.server, match["code"], *request):
        return CommandReply("answer", (codes.invalid_code("SEEK"),))
    if opponent is not None:
        return _create_game(tx, asker, wanted_battle, opponent)
    return _store_request(tx, asker, wanted_battle)


def open_offers_block(tx: Transaction) -> tuple[Json, ...]:
    """Return a block of battles with waiting requests; empty if nobody waits."""
    lines = []
    for row in queries.persons.all_seekers(tx.session, _expiry_limit(tx)):
        wanted_battle = _battle(tx, row.scenario, row.seat)
        if not isinstance(wanted_battle, Msg):
            seat = (
                in_each_language(partial(play.seat_label, wanted_battle.rules, row.seat))
                if row.seat
                else msg("either side")
            )
            sentence = msg(
                "{name}: {title}; {seat}, since {day}",
                name=row.scenario,
                title=wanted_battle.title,
                seat=seat,
                day=_day(row),
            )
            lines.append((0, sentence))
    title = msg("Waiting for an opponent; SEEK and the battle makes a game with them")
    return (content.sentence_block(title, lines),) if lines else ()


def drop_expired_offers(tx: Transaction) -> None:
    """Delete expired requests for opponents."""
    for row in queries.persons.expired_seekers(tx.session, _expiry_limit(tx)):
        tx.session.delete(row)
    tx.session.flush()


def _expiry_limit(tx: Transaction) -> datetime:
    return tx.now - timedelta(days=DAYS)


def _day(row: tables.Seek) -> Msg:
    return date_in_words(row.at.date())


def _battle(tx: Transaction, scenario: str, seat: str) -> _Battle | Msg:
    """Return the battle of a name, or why two players cannot play it."""
    rules = play.battle_rules(tx, scenario)
    if isinstance(rules, Msg):
        return rules
    seats = play.seats_of_battle(rules, scenario)
    if len(seats) != 2:
        return msg("{name} is not played by two: it has {count} seats.", name=scenario, count=len(seats))
    seat_found = play.find_seat(rules, seats, seat) if seat else ""
    return seat_found if isinstance(seat_found, Msg) else _Battle(rules, scenario, seats, seat_found)


def _limit_objection(tx: Transaction, asker: Asker, wanted_battle: _Battle) -> Msg | None:
    """Return why this player cannot seek another opponent."""
    person = queries.persons.person_by_email(tx.session, asker.email)
    if person is None:
        return None
    sought = [row.scenario for row in queries.persons.searches_of(tx.session, person.id)]
    if len({*sought, wanted_battle.scenario}) > MOST_SOUGHT:
        return msg(
            "You seek opponents for as many battles as one may: {names}. SEEK STOP ends it.", names=tuple(sought)
        )
    own_games = {seat.game_id for seat in queries.persons.seats_of(tx.session, person.id)}
    games = [queries.games.game(tx.session, name) for name in sorted(own_games) if name.startswith(f"{_NAME}-")]
    running = tuple(game.id for game in games if game is not None and game.state != "over")
    if len(running) >= MOST_GAMES:
        return msg("You play as many games found by SEEK as one may at once: {games}.", games=running)
    return None


def _find_opponent(tx: Transaction, asker: Asker, wanted_battle: _Battle) -> tables.Seek | None:
    """Return the longest waiting matching request with a seat left for this player."""
    for row in queries.persons.seekers(tx.session, wanted_battle.scenario, _expiry_limit(tx)):
        email = queries.persons.email_of(tx.session, row.person_id)
        person = queries.persons.person_by_email(tx.session, asker.email)
        is_own = person is not None and person.id == row.person_id
        if email is not None and not is_own and not (row.seat and row.seat == wanted_battle.seat):
            return row
    return None


def _store_request(tx: Transaction, asker: Asker, wanted_battle: _Battle) -> CommandReply:
    """Store a request for an opponent; it replaces one for the same battle."""
    person = seating.find_or_create_person(tx.session, asker.email, language=asker.language, zone=asker.zone)
    for row in queries.persons.searches_of(tx.session, person.id):
        if row.scenario == wanted_battle.scenario:
            tx.session.delete(row)
    tx.session.flush()
    tx.session.add(
        tables.Seek(person_id=person.id or 0, scenario=wanted_battle.scenario, seat=wanted_battle.seat, at=tx.now)
    )
    tx.session.flush()
    expiry = date_in_words((tx.now + timedelta(days=DAYS)).date())
    notice = msg(
        "You wait for an opponent in {title}. When one comes, the game begins and I write to you.",
        title=wanted_battle.title,
    )
    return CommandReply("answer", (notice, msg("I forget it on {day}. SEEK STOP takes it back.", day=expiry)))


def _withdraw_requests(tx: Transaction, asker: Asker) -> CommandReply:
    """Delete a player's requests for opponents."""
    person = queries.persons.person_by_email(tx.session, asker.email)
    rows = queries.persons.searches_of(tx.session, person.id if person is not None else None)
    for row in rows:
        tx.session.delete(row)
    tx.session.flush()
    if not rows:
        return CommandReply("answer", (msg("You were not waiting for an opponent; nothing was changed."),))
    return CommandReply(
        "answer", (msg("You wait for no opponent any more: {names}.", names=tuple(row.scenario for row in rows)),)
    )


def _create_game(tx: Transaction, asker: Asker, wanted_battle: _Battle, request: tables.Seek) -> CommandReply:
    """Create the game of two matching requests, and open its first phase."""
    person = seating.find_or_create_person(tx.session, asker.email, language=asker.language, zone=asker.zone)
    opponent = tx.session.get_one(tables.Person, request.person_id)
    first, second = wanted_battle.seats
    opponent_seat = request.seat or (second if wanted_battle.seat == first else first)
    own_seat = second if opponent_seat == first else first
    notice = msg(
        "Both of you wrote SEEK for this battle, on {first} and on {second}, and so have this game.",
        first=_day(request),
        second=date_in_words(tx.now.date()),
    )
    name = play.unused_game_name(tx, _NAME)
    new_game(tx, NewGame(name, wanted_battle.rules.name, wanted_battle.scenario, pace=Pace(zone=opponent.zone)))
    for player, seat in ((opponent, opponent_seat), (person, own_seat)):
        email = queries.persons.email_of(tx.session, player.id)
        if email is None:
            raise LookupError(f"nobody has the address of person {player.id}")
        invite_seat(tx, Invitation(name, seat, email, language=player.language, zone=player.zone))
    for row in (*queries.persons.searches_of(tx.session, person.id), request):
        if row.scenario == wanted_battle.scenario and row in tx.session:
            tx.session.delete(row)
    tx.session.flush()
    start_game(tx, name, sentences=(notice,))
    mine_called = in_each_language(partial(play.seat_label, wanted_battle.rules, own_seat))
    answer_text = msg(
        "An opponent has waited since {day}: the game {game} has begun, and you play {seat}.",
        day=_day(request),
        game=name,
        seat=mine_called,
    )
    return CommandReply(
        "joined", (answer_text, msg("Its own letters, with the address to write to, are on their way."))
    )


COMMANDS = (
    LetterCommand(
        CommandForm("seek", ("SEEK", "BUSCO", "BUSCAR"), _WHICH, "SEEK battle side", "BUSCO batalla bando"),
        visit_as_seat_command(seek_opponent),
        visit=seek_opponent,
        help=(
            msg(
                "SEEK battle, SEEK battle side: wait for an opponent, at most {days} days; SEEK STOP takes it back.",
                days=DAYS,
            ),
        ),
        often=RateLimit(day=5),
        served=command_records.creates_games,
    ),
)
