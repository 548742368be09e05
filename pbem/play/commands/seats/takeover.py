"""STANDBY and TAKEOVER: a seat that its player has left goes on with somebody else.

Whoever stands by is written to when a seat needs somebody; the first who takes it and confirms that has it, with a
new address, the report of the position, and all that his predecessor had queued.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pbem.engine.data.languages import chosen
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.speech import meant
from pbem.letters import codes, content, moderators, outbox
from pbem.letters.codes import Asker, Said
from pbem.letters.commands import Form, Line
from pbem.letters.content import Head
from pbem.play import deadlines, phase_reports, seating
from pbem.play.commands.command_records import Command, for_seat
from pbem.play.phase_reports import PhaseReport
from pbem.play.positions import position, titles
from pbem.runtime.transaction import Act, Kind, Transaction, UserError
from pbem.store import queries, tables

_WAITING = re.compile(
    r"(?P<stop>stop|fin)"
    r"|(?:(?!(?:code|codigo)\b)(?P<game>[a-z0-9-]{1,20}) ?)?(?:(?:code|codigo) (?P<code>[a-z2-7]{8}))?"
)
"""What follows STANDBY: perhaps a game, perhaps the code that was mailed back; or STOP."""
_WHICH = re.compile(
    r"(?P<game>[a-z0-9-]{1,20})(?: (?:as|como) (?P<seat>[a-z][a-z0-9]{0,11}))?"
    r"(?: (?:code|codigo) (?P<code>[a-z2-7]{8}))?"
)
"""What follows TAKEOVER: the game, perhaps the seat, perhaps the code that was mailed back."""


def stand_by(work: Transaction, asker: Asker, command: Line) -> Said:
    """Have somebody written to when a seat of a game, or of any, needs a player; or no longer."""
    wanted = _WAITING.fullmatch(command.rest)
    if wanted is None:
        raise ValueError(f"not what follows STANDBY: {command.rest!r}")
    person = queries.persons.person_by_email(work.session, asker.email)
    if wanted["stop"]:
        rows = queries.persons.standing_by(work.session, person.id if person else None)
        for row in rows:
            work.session.delete(row)
        return _no(msg("You do not stand by any more.") if rows else msg("You were not standing by."))
    game = wanted["game"]
    if game is not None and queries.games.game(work.session, game) is None:
        return _no(msg("There is no game {game}; LIST tells which there are.", game=game))
    if any(row.game_id == game for row in queries.persons.standing_by(work.session, person.id if person else None)):
        return _no(msg("You stand by already. STANDBY STOP ends it."))
    request = ("standby", game or "", asker.email.casefold())
    if wanted["code"] is None:
        words = [command.phrase, *([game] if game else []), asker.code_word, codes.codes(work.server, *request)[0]]
        asked = msg("Your address was given to be told when a seat needs somebody.")
        return codes.please([asked], msg("The line that puts you on the list"), " ".join(words))
    if not codes.good(work.server, wanted["code"], *request):
        return _no(codes.stale(command.phrase))
    who = seating.person_of(work.session, asker.email, language=asker.language, zone=asker.zone)
    work.session.add(tables.Standby(person_id=who.id or 0, game_id=game))
    work.session.flush()
    return _no(msg("You stand by: I write to you when a seat needs somebody. STANDBY STOP ends it."))


def take_over(work: Transaction, asker: Asker, command: Line) -> Said:
    """Take a seat that needs somebody, once that is confirmed."""
    wanted = _WHICH.fullmatch(command.rest)
    if wanted is None:
        raise ValueError(f"not what follows TAKEOVER: {command.rest!r}")
    game = queries.games.game(work.session, wanted["game"])
    if game is None:
        return _no(msg("There is no game {game}; LIST tells which there are.", game=wanted["game"]))
    if queries.tournaments.board_of(work.session, game.id) is not None:
        return _no(msg("No such seat of {game} needs somebody now.", game=game.id))
    seats = queries.games.seats(work.session, game.id)
    person = queries.persons.person_by_email(work.session, asker.email)
    if person is not None and any(seat.person_id == person.id for seat in seats):
        return _no(msg("You have a seat in {game} already.", game=game.id))
    if barred := moderators.why_barred(work.session, game.id, asker.email):
        return _no(barred)
    free = [seat for seat in seats if game.state in ("running", "held") and deadlines.is_offered(game, seat, work.now)]
    name = wanted["seat"] and meant(wanted["seat"], work.server.rules_of(game).telling.called)
    found = [seat for seat in free if name in (None, seat.name)]
    if not found:
        return _no(msg("No such seat of {game} needs somebody now.", game=game.id))
    seat = found[0]
    request = ("takeover", game.id, seat.name, str(seat.generation), asker.email.casefold())
    if wanted["code"] is None:
        as_ = chosen(asker.language, "AS", "COMO")
        code = codes.codes(work.server, *request)[0]
        asked = msg("You want to take over the seat {seat} of {game}.", seat=seat.name, game=game.id)
        line = f"{command.phrase} {game.id} {as_} {seat.name} {asker.code_word} {code}"
        return codes.please([asked], msg("The line that takes the seat"), line)
    if not codes.good(work.server, wanted["code"], *request):
        return _no(codes.stale(command.phrase))
    hand_over(work, game, seat, asker)
    return Said(
        "joined",
        (
            msg(
                "The seat {seat} in {game} is yours. Its own letter, with the address to write to, is on its way.",
                seat=seat.name,
                game=game.id,
            ),
        ),
    )


def hand_over(work: Transaction, game: tables.Game, seat: tables.Seat, asker: Asker) -> None:
    """Give a seat of a running game to somebody else, tell him how things stand, and all others that he came."""
    before = queries.persons.email_of(work.session, seat.person_id)
    if before is not None:
        told = msg("Your seat {seat} in {game} was taken over by somebody else.", seat=seat.name, game=game.id)
        letter = content.Letter("announcement", Head(game.id, game.system), opening=(told,)).to_json()
        cause = f"taken over {seat.name} {seat.generation}"
        outbox.queue(work, letter, outbox.Envelope(before, seat.language, game=game), cause)
    seating.invite_seat(
        work,
        seating.Invitation(game=game.id, seat=seat.name, email=asker.email, language=asker.language, zone=asker.zone),
    )
    # Whom the one before did not want to read, and what was ruled of his own letters, is not the new player's matter.
    deadlines.note_presence(work, seat)
    seat.missed, seat.muted, seat.press_forbidden = 0, "", False
    seat.published = seat.pen_name = ""
    work.session.add(seat)
    work.session.flush()
    phase = queries.phases.played_phase(work.session, game.id)
    cause = f"hand-over {seat.generation}"
    phase_reports.write(work, seat, PhaseReport(position(work, game), phase, notes=(_LEFT,), cause=cause, brief=True))

    def opening(zone: str) -> Sequence[Msg]:
        return (msg("{seat} is in other hands from now on.", seat=seat.name),)

    cause = f"hand-over {seat.generation}"
    outbox.to_all(work, game, phase, outbox.Circular(opening, cause=cause, but=seat, may_wait=True))


def vacate_seat(work: Transaction, name: str, seat_name: str) -> str:
    """Take a seat from its player, and tell him, the others and those who stand by; who he was. Broken if nobody sits.

    What he has queued stays, as after RESIGN; his address speaks for the seat no more.
    """
    game, seat = seating.seat_named(work.session, name, seat_name)
    before = queries.persons.email_of(work.session, seat.person_id)
    if before is None:
        raise UserError(msg("Nobody sits at: {seats}.", seats=(seat_name,)))
    told = msg("Your seat {seat} in {game} was taken from you by whoever runs this server.", seat=seat.name, game=name)
    letter = content.Letter("announcement", Head(name, game.system), opening=(told,)).to_json()
    cause = f"vacated {seat.name} {seat.generation}"
    outbox.queue(work, letter, outbox.Envelope(before, seat.language, game=game), cause)
    seating.rotate(work.session, seat)
    seat.person_id, seat.missed = None, 0
    work.session.add(seat)
    work.session.flush()
    if game.state not in ("running", "held"):
        return before
    left, alone = seat.name, msg("Until somebody takes it over, its forces follow their standing orders alone.")

    def opening(zone: str) -> Sequence[Msg]:
        return msg("{seat} has no player any more.", seat=left), alone

    phase = queries.phases.played_phase(work.session, name)
    outbox.to_all(work, game, phase, outbox.Circular(opening, cause=cause, but=seat))
    offer(work, game, seat)
    return before


_LEFT = msg("You take this seat over. STATUS shows the orders and standing orders that were left to you.")


def offer(work: Transaction, game: tables.Game, seat: tables.Seat) -> None:
    """Write to all who stand by that a seat needs somebody; of a tournament's table its rules say who is asked."""
    work.tell(Act(Kind.VACANT, game))
    if queries.tournaments.board_of(work.session, game.id) is not None:
        return
    playing = {one.person_id for one in queries.games.seats(work.session, game.id)}
    waiting = queries.persons.waiting_for(work.session, game.id)
    title, scenario = titles(work.server, game)
    for who in dict.fromkeys(row.person_id for row in waiting):
        person, email = work.session.get_one(tables.Person, who), queries.persons.email_of(work.session, who)
        if who in playing or email is None:
            continue
        line = chosen(person.language, f"TAKEOVER {game.id} AS {seat.name}", f"RELEVAR {game.id} COMO {seat.name}")
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
            Head(game.id, game.system, address=work.server.address),
            opening=opening,
            blocks=(content.block(msg("The line that asks for the seat"), [line]),),
        ).to_json()
        cause = f"offer {seat.name} {seat.generation} {work.now.isoformat()} {who}"
        outbox.queue(work, letter, outbox.Envelope(email, person.language, game=game), cause)


def _no(why: Msg) -> Said:
    return Said("answer", (why,))


COMMANDS = (
    Command(
        Form("standby", ("STANDBY", "RESERVA"), _WAITING, "STANDBY", "RESERVA"),
        for_seat(stand_by),
        visit=stand_by,
    ),
    Command(
        Form("takeover", ("TAKEOVER", "RELEVAR"), _WHICH, "TAKEOVER game", "RELEVAR partida"),
        for_seat(take_over),
        visit=take_over,
    ),
)
