"""Give a seat left by its player to somebody else (STANDBY, TAKEOVER).

Persons standing by receive a letter when a seat is offered. The first who takes it and confirms gets it, with
a new address, the report of the position, and all queued orders of the former player.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pbem.engine.data.languages import pick_phrase
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.speech import id_of_name
from pbem.letters import codes, content, moderators, outbox
from pbem.letters.codes import Asker, CommandReply
from pbem.letters.commands import CommandForm, CommandLine
from pbem.letters.content import LetterHead
from pbem.mail import CODE_PATTERN
from pbem.mail.address import GAME_ID, SEAT_ID
from pbem.play import deadlines, phase_reports, seating
from pbem.play.commands.command_records import LetterCommand, visit_as_seat_command
from pbem.play.phase_reports import PhaseReport
from pbem.play.positions import game_titles, read_position
from pbem.runtime.transaction import Act, ActKind, Transaction, UserError
from pbem.store import queries, tables

_WAITING = re.compile(
    r"(?P<stop>stop|fin)"
    rf"|(?:(?!(?:code|codigo)\b)(?P<game>{GAME_ID}) ?)?(?:(?:code|codigo) (?P<code>{CODE_PATTERN}))?"
)
"""Argument of STANDBY: optionally a game and the mailed code, or STOP."""
_WHICH = re.compile(
    rf"(?P<game>{GAME_ID})(?: (?:as|como) (?P<seat>{SEAT_ID}))?"
    rf"(?: (?:code|codigo) (?P<code>{CODE_PATTERN}))?"
)
"""Argument of TAKEOVER: the game, optionally the seat and the mailed code."""


def stand_by(tx: Transaction, asker: Asker, command: CommandLine) -> CommandReply:
    """Have a person notified when a seat is offered; or end that."""
    match = _WAITING.fullmatch(command.rest)
    if match is None:
        raise ValueError(f"not what follows STANDBY: {command.rest!r}")
    person = queries.persons.person_by_email(tx.session, asker.email)
    if match["stop"]:
        rows = queries.persons.standbys_of(tx.session, person.id if person else None)
        for row in rows:
            tx.session.delete(row)
        return _reply(msg("You do not stand by any more.") if rows else msg("You were not standing by."))
    game = match["game"]
    if game is not None and queries.games.game(tx.session, game) is None:
        return _reply(msg("There is no game {game}; LIST tells which there are.", game=game))
    if any(row.game_id == game for row in queries.persons.standbys_of(tx.session, person.id if person else None)):
        return _reply(msg("You stand by already. STANDBY STOP ends it."))
    request = ("standby", game or "", asker.email.casefold())
    if match["code"] is None:
        words = [command.phrase, *([game] if game else []), asker.code_word, codes.valid_codes(tx.server, *request)[0]]
        sentence = msg("Your address was given to be told when a seat needs somebody.")
        return codes.ask_to_confirm([sentence], msg("The line that puts you on the list"), " ".join(words))
    if not codes.is_valid_code(tx.server, match["code"], *request):
        return _reply(codes.invalid_code(command.phrase))
    player = seating.find_or_create_person(tx.session, asker.email, language=asker.language, zone=asker.zone)
    tx.session.add(tables.Standby(person_id=player.id or 0, game_id=game))
    tx.session.flush()
    return _reply(msg("You stand by: I write to you when a seat needs somebody. STANDBY STOP ends it."))


def take_over(tx: Transaction, asker: Asker, command: CommandLine) -> CommandReply:
    """Take an offered seat, once that is confirmed."""
    match = _WHICH.fullmatch(command.rest)
    if match is None:
        raise ValueError(f"not what follows TAKEOVER: {command.rest!r}")
    game = queries.games.game(tx.session, match["game"])
    if game is None:
        return _reply(msg("There is no game {game}; LIST tells which there are.", game=match["game"]))
    if queries.tournaments.board_of(tx.session, game.id) is not None:
        return _reply(msg("No such seat of {game} needs somebody now.", game=game.id))
    seats = queries.games.seats(tx.session, game.id)
    person = queries.persons.person_by_email(tx.session, asker.email)
    if person is not None and any(seat.person_id == person.id for seat in seats):
        return _reply(msg("You have a seat in {game} already.", game=game.id))
    if objection := moderators.why_barred(tx.session, game.id, asker.email):
        return _reply(objection)
    free = [
        seat for seat in seats if game.state in ("running", "held") and deadlines.is_open_to_others(game, seat, tx.now)
    ]
    name = match["seat"] and id_of_name(match["seat"], tx.server.rules_of(game).telling.called)
    matching = [seat for seat in free if name in (None, seat.name)]
    if not matching:
        return _reply(msg("No such seat of {game} needs somebody now.", game=game.id))
    seat = matching[0]
    request = ("takeover", game.id, seat.name, str(seat.generation), asker.email.casefold())
    if match["code"] is None:
        as_word = pick_phrase(asker.language, "AS", "COMO")
        code = codes.valid_codes(tx.server, *request)[0]
        sentence = msg("You want to take over the seat {seat} of {game}.", seat=seat.name, game=game.id)
        line = f"{command.phrase} {game.id} {as_word} {seat.name} {asker.code_word} {code}"
        return codes.ask_to_confirm([sentence], msg("The line that takes the seat"), line)
    if not codes.is_valid_code(tx.server, match["code"], *request):
        return _reply(codes.invalid_code(command.phrase))
    hand_over(tx, game, seat, asker)
    return CommandReply(
        "joined",
        (
            msg(
                "The seat {seat} in {game} is yours. Its own letter, with the address to write to, is on its way.",
                seat=seat.name,
                game=game.id,
            ),
        ),
    )


def hand_over(tx: Transaction, game: tables.Game, seat: tables.Seat, asker: Asker) -> None:
    """Give a seat of a running game to another player, and notify all."""
    former_email = queries.persons.email_of(tx.session, seat.person_id)
    if former_email is not None:
        notice = msg("Your seat {seat} in {game} was taken over by somebody else.", seat=seat.name, game=game.id)
        letter = content.Letter("announcement", LetterHead(game.id, game.system), opening=(notice,)).to_json()
        cause = f"taken over {seat.name} {seat.generation}"
        outbox.queue_letter(tx, letter, outbox.Recipient(former_email, seat.language, game=game), cause)
    seating.invite_seat(
        tx,
        seating.Invitation(game=game.id, seat=seat.name, email=asker.email, language=asker.language, zone=asker.zone),
    )
    # The former player's mutes, and rulings on his press, do not apply to the new player.
    deadlines.record_presence(tx, seat)
    seat.missed, seat.muted, seat.press_forbidden = 0, "", False
    seat.published = seat.pen_name = ""
    tx.session.add(seat)
    tx.session.flush()
    phase = queries.phases.present_phase(tx.session, game.id)
    cause = f"hand-over {seat.generation}"
    phase_reports.write_report(
        tx, seat, PhaseReport(read_position(tx, game), phase, notes=(_LEFT,), cause=cause, brief=True)
    )

    def opening(zone: str) -> Sequence[Msg]:
        return (msg("Another player takes over {seat} from now on.", seat=seat.name),)

    cause = f"hand-over {seat.generation}"
    outbox.announce_to_all(tx, game, phase, outbox.Announcement(opening, cause=cause, but=seat, may_wait=True))


def vacate_seat(tx: Transaction, name: str, seat_name: str) -> str:
    """Take a seat from its player, notify everybody, return the address.

    Raise UserError if the seat has no player. His queued orders stay, as after RESIGN; his address is no longer
    accepted for the seat.
    """
    game, seat = seating.find_seat(tx.session, name, seat_name)
    former_email = queries.persons.email_of(tx.session, seat.person_id)
    if former_email is None:
        raise UserError(msg("Nobody sits at: {seats}.", seats=(seat_name,)))
    notice = msg(
        "Your seat {seat} in {game} was taken from you by whoever runs this server.", seat=seat.name, game=name
    )
    letter = content.Letter("announcement", LetterHead(name, game.system), opening=(notice,)).to_json()
    cause = f"vacated {seat.name} {seat.generation}"
    outbox.queue_letter(tx, letter, outbox.Recipient(former_email, seat.language, game=game), cause)
    seating.rotate_token(tx.session, seat)
    seat.person_id, seat.missed = None, 0
    tx.session.add(seat)
    tx.session.flush()
    if game.state not in ("running", "held"):
        return former_email
    vacant_name, consequence = (
        seat.name,
        msg("Until somebody takes it over, its forces only follow standing orders."),
    )

    def opening(zone: str) -> Sequence[Msg]:
        return msg("{seat} has no player any more.", seat=vacant_name), consequence

    phase = queries.phases.present_phase(tx.session, name)
    outbox.announce_to_all(tx, game, phase, outbox.Announcement(opening, cause=cause, but=seat))
    offer_seat(tx, game, seat)
    return former_email


_LEFT = msg("You take this seat over. STATUS shows the orders and standing orders that were left to you.")


def offer_seat(tx: Transaction, game: tables.Game, seat: tables.Seat) -> None:
    """Offer a seat to all who stand by.

    At a table of a tournament nobody is asked here: its rules choose the substitute.
    """
    tx.notify_listeners(Act(ActKind.VACANT, game))
    if queries.tournaments.board_of(tx.session, game.id) is not None:
        return
    playing = {other.person_id for other in queries.games.seats(tx.session, game.id)}
    waiting = queries.persons.standbys_for(tx.session, game.id)
    title, scenario = game_titles(tx.server, game)
    for person_id in dict.fromkeys(row.person_id for row in waiting):
        person, email = (
            tx.session.get_one(tables.Person, person_id),
            queries.persons.email_of(tx.session, person_id),
        )
        if person_id in playing or email is None:
            continue
        line = pick_phrase(person.language, f"TAKEOVER {game.id} AS {seat.name}", f"RELEVAR {game.id} COMO {seat.name}")
        opening = (
            msg(
                "The seat {seat} of {game} needs somebody: {title}, {scenario}.",
                seat=seat.name,
                game=game.id,
                title=title,
                scenario=scenario,
            ),
            msg("Who is first has it."),
        )
        letter = content.Letter(
            "announcement",
            LetterHead(game.id, game.system, address=tx.server.address),
            opening=opening,
            blocks=(content.titled_block(msg("The line that asks for the seat"), [line]),),
        ).to_json()
        cause = f"offer {seat.name} {seat.generation} {tx.now.isoformat()} {person_id}"
        outbox.queue_letter(tx, letter, outbox.Recipient(email, person.language, game=game), cause)


def _reply(sentence: Msg) -> CommandReply:
    return CommandReply("answer", (sentence,))


COMMANDS = (
    LetterCommand(
        CommandForm("standby", ("STANDBY", "RESERVA"), _WAITING, "STANDBY", "RESERVA"),
        visit_as_seat_command(stand_by),
        visit=stand_by,
    ),
    LetterCommand(
        CommandForm("takeover", ("TAKEOVER", "RELEVAR"), _WHICH, "TAKEOVER game", "RELEVAR partida"),
        visit_as_seat_command(take_over),
        visit=take_over,
    ),
)
