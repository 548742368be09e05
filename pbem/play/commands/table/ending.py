"""A game ended by its players or its moderator before its last turn: RESIGN gives a seat up, the others end the game.

Each asks for a code first. CONCEDE counts when all who sit on a side say it in one phase, DRAW when all who sit at
the table do; CLAIM is for who is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from pbem.engine.data.canon import dumps, loads
from pbem.engine.data.messages import Msg, msg
from pbem.engine.war import chain
from pbem.engine.war.chain import CAMP
from pbem.letters import codes, outbox
from pbem.letters.codes import Asker
from pbem.letters.commands import Form, Line
from pbem.letters.content import Mistake
from pbem.play import log_entries, outcome, phase_states, war_progress
from pbem.play.commands import command_records
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.command_records import Command, Often
from pbem.play.commands.seats import takeover
from pbem.play.war_progress import Course
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import Act, Kind, Transaction
from pbem.store import hot_statements, queries, tables

# Commands that cannot be taken back: each is answered with a code first, and done when it comes with the code.
#
# `phrase` is the command in the words of its reader.


CODE = re.compile(r"(?:(?:code|codigo) (?P<code>[a-z2-7]{8}))?")
"""What follows each of them: nothing, or the code that was mailed back."""


def is_confirmed(answer: SeatAnswer, command: Line, phrase: str, asked: Msg, title: Msg) -> bool:
    """Return True if the command bears its code; else the answer asks for it."""
    found = CODE.fullmatch(command.rest)
    if found is not None and found["code"]:
        return True
    code = codes.codes(answer.server, *_request(answer, command))[0]
    word = Asker("", answer.seat.language).code_word
    said = codes.please([asked], title, f"{phrase} {word} {code}")
    answer.say(said.kind, *said.sentences)
    answer.blocks += said.blocks
    return False


def code_mistake(answer: SeatAnswer, command: Line, phrase: str) -> Mistake | None:
    """Return the mistake of a code that is not good any more, if there is one."""
    found = CODE.fullmatch(command.rest)
    if found and found["code"] and not codes.good(answer.server, found["code"], *_request(answer, command)):
        return command.wrong(codes.stale(phrase))
    return None


def _request(answer: SeatAnswer, command: Line) -> tuple[str, ...]:
    email = queries.persons.email_of(answer.session, answer.seat.person_id) or ""
    return (command.name, answer.game.id, answer.seat.name, str(answer.seat.generation), email)


RESIGN = "RESIGN"
"""The line that gives a seat up, as mail programs are told it."""


def resign(answer: SeatAnswer, command: Line) -> None:
    """Give the seat up; the game goes on by its standing orders until somebody takes it over."""
    asked = msg("You want to give up the seat {seat} of {game}.", seat=answer.seat.name, game=answer.game.id)
    if not is_confirmed(answer, command, _phrase(answer, command), asked, msg("The line that gives the seat up")):
        return
    answer.seat.person_id, answer.seat.missed = None, 0
    answer.session.add(answer.seat)
    answer.session.flush()
    answer.say("settings", msg("You have given up your seat. Thank you for playing."))
    name = answer.seat.name

    def told(zone: str) -> Sequence[Msg]:
        return (
            msg("{seat} has been given up by its player.", seat=name),
            msg("Until somebody takes it over, its forces follow their standing orders alone."),
        )

    answer.announce(told, f"resign {answer.inbox.id}")
    takeover.offer(answer, answer.game, answer.seat)


def concede(answer: SeatAnswer, command: Line) -> None:
    """Give the game up for one's side, once all who sit on it agree."""
    asked = msg("You want to concede {game} for {side}.", game=answer.game.id, side=answer.seat.side)
    if not is_confirmed(answer, command, _phrase(answer, command), asked, msg("The line that concedes the game")):
        return
    side = [seat for seat in answer.seats if seat.side == answer.seat.side]
    if agree(answer, "concede", side):
        why = msg("{side} has conceded the game.", side=answer.seat.side)
        end_by(answer, why, f"concede {answer.seat.side}")
        return
    answer.say("settings", msg("Your side concedes once all its players have said so in this phase."))


def draw(answer: SeatAnswer, command: Line) -> None:
    """Offer a draw, or accept the one that is offered; all who sit at the table have to agree in one phase."""
    asked = msg("You want {game} to end in a draw.", game=answer.game.id)
    if not is_confirmed(
        answer, command, _phrase(answer, command), asked, msg("The line that offers or accepts the draw")
    ):
        return
    if agree(answer, "draw", answer.seats):
        end_by(answer, msg("All have agreed on a draw."), "draw")
        return
    answer.say("settings", msg("Your offer is passed on. It lapses when this phase closes."))
    name = answer.seat.name

    def told(zone: str) -> Sequence[Msg]:
        offered = msg("{seat} offers a draw.", seat=name)
        return offered, msg("DRAW accepts it. It lapses when this phase closes; nothing has to be done to refuse it.")

    answer.announce(told, f"draw {answer.inbox.id}", may_wait=False)


def claim(answer: SeatAnswer, command: Line) -> None:
    """Take the game that the others have left."""
    asked = msg("You want to claim {game}, which the others have left.", game=answer.game.id)
    if is_confirmed(answer, command, _phrase(answer, command), asked, msg("The line that claims the game")):
        why = msg("{side} has claimed the game: the others have left it.", side=answer.seat.side)
        end_by(answer, why, f"claim {answer.seat.side}")


def claim_wrong(answer: SeatAnswer, command: Line) -> Mistake | None:
    """Nobody of another side may be playing: each of its seats is empty or has missed deadlines in a row."""
    if wrong := ending_wrong(answer, command):
        return wrong
    after = Terms.read(answer.game.terms).claim_after
    others = [seat for seat in answer.seats if seat.side != answer.seat.side]
    playing = tuple(s.name for s in others if not s.is_free and not (after and s.missed >= after))
    if not playing:
        return None
    why = msg(
        "A game can be claimed when the others have missed {count} deadlines in a row or given up; playing: {seats}.",
        count=after,
        seats=playing,
    )
    return command.wrong(why)


def ending_wrong(answer: SeatAnswer, command: Line) -> Mistake | None:
    """A game that is not being played, a camp, where nothing is fought over, or a code that is not good any more."""
    if answer.current is None or answer.game.state == "over":
        return command.wrong(msg("The game is not being played; there is nothing to end."))
    if answer.game.system == chain.CAMP and command.name != "resign":
        why = msg("Nothing is fought over in a camp. SUE FOR PEACE offers the enemy to end the war.")
        return command.wrong(why)
    return code_mistake(answer, command, _phrase(answer, command))


class End(NamedTuple):
    """Why a game ends; by which word and whose, as ``concede spain``, if that is known; who is told in an answer."""

    why: Msg
    how: str = ""
    but: tables.Seat | None = None


def end_by(answer: SeatAnswer, why: Msg, how: str) -> None:
    """End the game and tell everybody, the writer in the answer."""
    said = end_game(answer, answer.game, answer.current, End(why, how, answer.seat))
    answer.say("over", *said)
    answer.blocks += outcome.account_block(answer, answer.game)


def end_game(work: Transaction, game: tables.Game, phase: tables.Phase | None, end: End) -> tuple[Msg, ...]:
    """End a game for a reason that is kept with it, and tell everybody but one; nothing of it is due any more.

    Return what they are told.
    """
    phase_states.end_game(work.session, game, dumps(end.why.to_json()))
    if phase is not None:
        phase_states.break_off(work, phase)
    work.session.flush()
    war_progress.ended(work, game, end.how)
    said = (end.why, *outcome.result(work, game, end.how), *outcome.farewell(work, game))
    blocks = outcome.account_block(work, game)
    circular = outbox.Circular(lambda zone: said, kind="over", cause="end", but=end.but, blocks=blocks)
    outbox.to_all(work, game, phase, circular)
    log_entries.note_disclosure(work, game)
    work.tell(Act(Kind.OVER, game, phase, cause=end.how))
    return said


def result(game: tables.Game) -> list[Msg]:
    """How a game ended that did not come to its last turn."""
    return [Msg.from_json(loads(game.result))] if game.result else []


def agree(answer: SeatAnswer, word: str, seats: Sequence[tables.Seat]) -> bool:
    """Note that this seat wants to end the phase's game so, and return whether all of these who are taken do."""
    session, phase = answer.session, answer.current
    if phase is None:
        return False
    session.flush()
    said = queries.orders.proposers(session, phase, word)
    if answer.seat.id not in said:
        hot_statements.add(session, tables.Proposal, phase_id=phase.id, seat_id=answer.seat.id, word=word)
    return {seat.id for seat in seats if seat.person_id is not None} <= {*said, answer.seat.id}


def _phrase(answer: SeatAnswer, command: Line) -> str:
    """The command in the words of its reader."""
    return next(one.form.phrase(answer.seat.language) for one in COMMANDS if one.form.name == command.name)


# K7.1 Peace in a camp: SUE FOR PEACE offers the other side to end the war, ACCEPT takes that up before the deadline.
#
# Each asks for a code first, and is a side's word once all its commanders have said it (M5). A side may sue once in a
# camp; silence is no. If both sue, the war is drawn.


_SUES, _ACCEPTS = "concede", "draw"
"""What a commander who wants so is kept to have proposed (`tables.Proposal`)."""
_SUE = Form("sue", ("SUE FOR PEACE", "PEDIR LA PAZ"), CODE, "SUE FOR PEACE", "PEDIR LA PAZ")
_ACCEPT = Form("accept", ("ACCEPT", "ACEPTAR"), CODE, "ACCEPT", "ACEPTAR")


def sue(answer: SeatAnswer, command: Line) -> None:
    """Offer peace to the other side; if that has sued already, the war is over and drawn."""
    side, course = answer.seat.side, _course(answer)
    asked = msg(
        "You want to sue for peace for {side}. If the other side accepts, the war is over, and it gets a point of war.",
        side=side,
    )
    if not is_confirmed(answer, command, _SUE.phrase(answer.seat.language), asked, msg("The line that sues for peace")):
        return
    if not agree(answer, _SUES, _side(answer)):
        answer.say("settings", msg("Your side sues for peace once all its commanders have said so in this camp."))
        return
    sued = [*course.war.sued.split(), side]
    if len(sued) > 1:
        end_by(answer, msg("Both sides have sued for peace."), " ".join((war_progress.PEACE, *sued)))
        return
    course.war.sued = side
    answer.session.add(course.war)
    answer.session.flush()
    answer.say("settings", msg("Your offer is passed on. If it is not accepted by the deadline, the war goes on."))

    def told(zone: str) -> Sequence[Msg]:
        return (
            msg("{side} sues for peace [K7.1].", side=side),
            msg(
                "ACCEPT ends the war as it stands, with a point of war more for you, and nobody wins it decisively. "
                "Nothing has to be done to refuse: with the deadline the offer lapses."
            ),
        )

    answer.announce(told, f"sue {answer.inbox.id}", may_wait=False)


def accept(answer: SeatAnswer, command: Line) -> None:
    """Take the offered peace: the war is over."""
    asked = msg("You want to accept the peace that is offered: the war is over then.")
    if is_confirmed(
        answer, command, _ACCEPT.phrase(answer.seat.language), asked, msg("The line that accepts the peace")
    ):
        if not agree(answer, _ACCEPTS, _side(answer)):
            answer.say("settings", msg("Your side accepts the peace once all its commanders have said so."))
            return
        sued = _course(answer).war.sued
        why = msg("{side} has accepted the peace that {other} sued for.", side=answer.seat.side, other=sued)
        end_by(answer, why, f"{war_progress.PEACE} {sued}")


def _side(answer: SeatAnswer) -> list[tables.Seat]:
    return [seat for seat in answer.seats if seat.side == answer.seat.side]


def _course(answer: SeatAnswer) -> Course:
    found = war_progress.course_of(answer, answer.game.id)
    if found is None:
        raise LookupError(f"the camp {answer.game.id} belongs to no war")
    return found


def sue_wrong(answer: SeatAnswer, command: Line) -> Mistake | None:
    """There is no camp, or this side has sued in it."""
    if wrong := _no_camp(answer, command):
        return wrong
    if answer.seat.side in _course(answer).war.sued.split():
        return command.wrong(msg("Your side has sued for peace in this camp; it may once."))
    return code_mistake(answer, command, _SUE.phrase(answer.seat.language))


def accept_wrong(answer: SeatAnswer, command: Line) -> Mistake | None:
    """There is no camp, or nobody else has sued in it."""
    if wrong := _no_camp(answer, command):
        return wrong
    if not {*_course(answer).war.sued.split()} - {answer.seat.side}:
        return command.wrong(msg("The other side has not sued for peace: there is nothing to accept."))
    return code_mistake(answer, command, _ACCEPT.phrase(answer.seat.language))


def _no_camp(answer: SeatAnswer, command: Line) -> Mistake | None:
    if answer.game.system != CAMP:
        return command.wrong(msg("Peace is made in the camps between the battles of a war."))
    if answer.current is None or answer.current.state != "open" or answer.game.state == "over":
        return command.wrong(msg("This camp is over."))
    return None


COMMANDS = (
    Command(
        Form("draw", ("DRAW", "TABLAS"), CODE, "DRAW", "TABLAS"),
        draw,
        check=ending_wrong,
        often=Often(phase=6),
    ),
    Command(Form("concede", ("CONCEDE", "RENDIRSE"), CODE, "CONCEDE", "RENDIRSE"), concede, check=ending_wrong),
    Command(Form("resign", (RESIGN, "ABANDONAR"), CODE, RESIGN, "ABANDONAR"), resign, check=ending_wrong),
    Command(
        Form("claim", ("CLAIM", "RECLAMAR"), CODE, "CLAIM", "RECLAMAR"),
        claim,
        check=claim_wrong,
        fits=lambda answer: command_records.has_opponent(answer) and command_records.terms_of(answer).claim_after > 0,
    ),
    Command(_SUE, sue, check=sue_wrong, fits=command_records.has_camp),
    Command(_ACCEPT, accept, check=accept_wrong, fits=command_records.has_camp),
)
