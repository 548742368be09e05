"""Answer LIST and JOIN, from seats and from anybody.

OBSERVE is answered in the same way (observe.py).

A seat goes only to a reader of the mail at the address that asks for it: JOIN is answered with a code, and JOIN
with that code takes the seat. Nothing is stored in between; the code follows from the request and the day.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlmodel import Session

from pbem.engine.data.languages import pick_phrase
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.speech import id_of_name
from pbem.letters import codes, content, moderators
from pbem.letters.codes import Asker, CommandReply
from pbem.letters.commands import NO_ARGUMENT, CommandForm, CommandLine
from pbem.mail import CODE_PATTERN
from pbem.mail.address import GAME_ID, SEAT_ID
from pbem.play.commands.command_records import LetterCommand, RateLimit, visit_as_seat_command
from pbem.play.commands.seats import play, seek
from pbem.play.positions import game_titles
from pbem.play.seating import Invitation, invite_seat
from pbem.runtime.transaction import Transaction
from pbem.store import queries, tables
from pbem.tournaments.commands import joining

# Of the digest of a code of conduct four digits suffice, and 64 are all.
_WHICH = re.compile(
    rf"(?P<game>{GAME_ID})(?: (?:as|como) (?P<seat>{SEAT_ID}))?"
    rf"(?P<wishes>{joining.WISHES})"
    rf"(?: (?:code|codigo) (?P<code>{CODE_PATTERN}))?(?: (?:accept|acepto) (?P<digest>[0-9a-f]{{4,64}}))?"
)
"""The text after JOIN: the game, perhaps the seat or side, perhaps the mailed code. The name may be that of a
tournament, followed by the wishes for it."""


def answer_list(tx: Transaction, asker: Asker, command: CommandLine) -> CommandReply:
    """Answer LIST: games with free seats, waiting opponents, battles to play."""
    games = queries.games.all_games(tx.session)
    events = [
        (0, line)
        for event in queries.tournaments.all_tournaments(tx.session)
        if (line := joining.tournament_list_line(tx, event))
    ]
    if events:
        sentence = msg("RULES to {address} sends their rules; RULES E3.10 one of them.", address=tx.server.address)
        events.append((0, sentence))
    blocks = [content.sentence_block(msg("Tournaments on this server"), events)] if events else []
    lines = [line for game in games for line in _line(tx, game)]
    if lines:
        blocks.append(content.sentence_block(msg("Games on this server"), lines))
    opening = () if blocks else (msg("There are no games on this server yet."),)
    return CommandReply("answer", opening, (*blocks, *seek.open_offers_block(tx), *play.battle_blocks(tx)))


def _line(tx: Transaction, game: tables.Game) -> list[tuple[int, Msg]]:
    title, scenario = game_titles(tx.server, game)
    lines = [(0, msg("{game}: {title}, {scenario}", game=game.id, title=title, scenario=scenario))]
    free = tuple(seat.name for seat in queries.games.seats(tx.session, game.id) if seat.is_free)
    if game.state == "forming" and game.open_seats and free:
        return [*lines, (1, msg("Open to all. Free seats: {seats}.", seats=free))]
    if game.state == "forming" and free:
        return [*lines, (1, msg("Being set up by invitation. Free seats: {seats}.", seats=free))]
    return [*lines, (1, _STATES[game.state])]


_STATES = {
    "forming": msg("Being set up; no seat is free."),
    "running": msg("Being played."),
    "held": msg("Being played, and held at the moment."),
    "over": msg("Over."),
}


def answer_join(tx: Transaction, asker: Asker, command: CommandLine) -> CommandReply:
    """Ask for a free seat of an open game, or confirm the request with its code."""
    wanted = _WHICH.fullmatch(command.rest)
    if wanted is None:
        raise ValueError(f"not what follows JOIN: {command.rest!r}")
    game = queries.games.game(tx.session, wanted["game"])
    if game is None and joining.is_tournament(tx, wanted["game"]):
        return joining.join_tournament(tx, asker, wanted["game"], command)
    if game is None:
        reason = msg("There is no game and no tournament {game}; LIST tells which there are.", game=wanted["game"])
        return CommandReply("answer", (reason,))
    if wanted["wishes"] or wanted["digest"]:
        reason = msg("{game} is a game and no tournament: JOIN {game} AS seat asks for a seat.", game=game.id)
        return CommandReply("answer", (reason,))
    seats = queries.games.seats(tx.session, game.id)
    if objection := _objection(tx.session, game, seats, asker):
        return CommandReply("answer", (objection,))
    free = [seat for seat in seats if seat.is_free]
    name = wanted["seat"] and id_of_name(wanted["seat"], tx.server.rules_of(game).telling.called)
    matching = [seat for seat in free if name in (None, seat.name, seat.side)]
    if not matching:
        names = tuple(seat.name for seat in free)
        reason = msg(
            "No seat {seat} is free in {game}; free are: {seats}.", seat=wanted["seat"], game=game.id, seats=names
        )
        return CommandReply("answer", (reason,))
    return _confirm(tx, asker, game, matching[0], wanted["code"])


def _objection(session: Session, game: tables.Game, seats: Sequence[tables.Seat], asker: Asker) -> Msg | None:
    """Return why this sender cannot take a seat by letter; None if he can."""
    person = queries.persons.person_by_email(session, asker.email)
    own_seats = [seat.name for seat in seats if person is not None and seat.person_id == person.id]
    if own_seats:
        return msg("You have the seat {seat} in {game} already.", seat=own_seats[0], game=game.id)
    if barred := moderators.why_barred(session, game.id, asker.email):
        return barred
    if game.state != "forming":
        return msg("The game {game} has begun; its seats cannot be taken any more.", game=game.id)
    if not game.open_seats:
        return msg("The game {game} is not open to all: whoever runs it gives its seats away.", game=game.id)
    if not any(seat.is_free for seat in seats):
        return msg("All seats of {game} are taken.", game=game.id)
    return None


def _confirm(tx: Transaction, asker: Asker, game: tables.Game, seat: tables.Seat, code: str | None) -> CommandReply:
    request = ("join", game.id, seat.name, str(seat.generation), asker.email.casefold())
    if code is None:
        today = codes.valid_codes(tx.server, *request)[0]
        line = pick_phrase(
            asker.language,
            f"JOIN {game.id} AS {seat.name} CODE {today}",
            f"UNIRSE {game.id} COMO {seat.name} CODIGO {today}",
        )
        title, _ = game_titles(tx.server, game)
        request_sentence = msg(
            "The seat {seat} in {game} ({title}) was asked for with your address.",
            seat=seat.name,
            game=game.id,
            title=title,
        )
        return codes.ask_to_confirm([request_sentence], msg("The line that takes the seat"), line)
    if not codes.is_valid_code(tx.server, code, *request):
        return CommandReply(
            "answer",
            (msg("This code is not valid for that seat, or has expired. JOIN without a code gets a new one."),),
        )
    person = queries.persons.person_by_email(tx.session, asker.email)
    language, zone = (person.language, person.zone) if person else (asker.language, asker.zone)
    invite_seat(tx, Invitation(game=game.id, seat=seat.name, email=asker.email, language=language, zone=zone))
    sentence = msg(
        "The seat {seat} in {game} is yours. Its own letter, with the address to write to, is on its way.",
        seat=seat.name,
        game=game.id,
    )
    return CommandReply("joined", (sentence,))


LIST_COMMAND = LetterCommand(
    CommandForm("list", ("LIST", "LISTA"), NO_ARGUMENT, "LIST", "LISTA"),
    visit_as_seat_command(answer_list),
    visit=answer_list,
    help=(
        msg(
            "LIST: the games and battles here. JOIN game AS seat: take a free seat. PLAY battle AS seat: against a "
            "bot, at once."
        ),
    ),
    often=RateLimit(day=20),
)

COMMANDS = (
    LIST_COMMAND,
    LetterCommand(
        CommandForm("join", ("JOIN", "UNIRSE A", "UNIRSE"), _WHICH, "JOIN game AS seat", "UNIRSE partida COMO puesto"),
        visit_as_seat_command(answer_join),
        visit=answer_join,
    ),
)
