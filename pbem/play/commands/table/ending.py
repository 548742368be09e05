"""End a game early by its players or its moderator; RESIGN gives a seat up.

Each command asks for a code first. CONCEDE counts when all players of a side send it in one phase, DRAW
when all players of the game do. CLAIM is for the last player left, and for a side that can no longer lose.
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
from pbem.letters.commands import CommandForm, CommandLine
from pbem.letters.content import Mistake
from pbem.mail import CODE_PATTERN
from pbem.play import log_entries, outcome, phase_states, revealed_orders, war_progress
from pbem.play.commands import command_records
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.command_records import LetterCommand, RateLimit
from pbem.play.commands.seats import takeover
from pbem.play.war_progress import WarProgress
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import Act, ActKind, Transaction
from pbem.store import hot_statements, queries, tables

# Commands that cannot be taken back: each is answered with a code first, and done when it comes with the code.
#
# `phrase` is the command in the words of its reader.


CODE = re.compile(rf"(?:(?:code|codigo)(?: (?P<code>{CODE_PATTERN}))?)?")
"""Argument of each of these commands: nothing, or the mailed code; the word alone is answered with a code again."""


def is_confirmed(answer: SeatAnswer, command: CommandLine, phrase: str, question: Msg, title: Msg) -> bool:
    """Return whether the command has its code; else the answer asks for it."""
    match = CODE.fullmatch(command.rest)
    if match is not None and match["code"]:
        return True
    code = codes.valid_codes(answer.server, *_request(answer, command))[0]
    code_word = Asker("", answer.seat.language).code_word
    request = codes.ask_to_confirm([question], title, f"{phrase} {code_word} {code}")
    answer.say(request.kind, *request.sentences)
    answer.blocks += request.blocks
    return False


def confirmation_code_mistake(answer: SeatAnswer, command: CommandLine, phrase: str) -> Mistake | None:
    """Return the mistake of an expired code; None if the code is valid or absent."""
    match = CODE.fullmatch(command.rest)
    if match and match["code"] and not codes.is_valid_code(answer.server, match["code"], *_request(answer, command)):
        return command.wrong(codes.invalid_code(phrase))
    return None


def _request(answer: SeatAnswer, command: CommandLine) -> tuple[str, ...]:
    email = queries.persons.email_of(answer.session, answer.seat.person_id) or ""
    return (command.name, answer.game.id, answer.seat.name, str(answer.seat.generation), email)


RESIGN = "RESIGN"
"""The line that gives a seat up, also offered as the List-Unsubscribe of letters."""


def resign_seat(answer: SeatAnswer, command: CommandLine) -> None:
    """Give the seat up.

    Its standing orders apply until somebody takes it over.
    """
    question = msg("You want to give up the seat {seat} of {game}.", seat=answer.seat.name, game=answer.game.id)
    if (table := queries.tournaments.board_of(answer.session, answer.game.id)) is not None:
        question = msg(
            "{question} It is a game of {event}: you leave that too, until RETURN. CONCEDE ends this game alone.",
            question=question,
            event=table[0].id,
        )
    if not is_confirmed(
        answer, command, _command_phrase(answer, command), question, msg("The line that gives the seat up")
    ):
        return
    answer.seat.person_id, answer.seat.missed = None, 0
    answer.session.add(answer.seat)
    answer.session.flush()
    answer.say("settings", msg("You have given up your seat. Thank you for playing."))
    name = answer.seat.name

    def write_notice(zone: str) -> Sequence[Msg]:
        return (
            msg("{seat} has been given up by its player.", seat=name),
            msg("Until somebody takes it over, its forces only follow standing orders."),
        )

    answer.announce(write_notice, f"resign {answer.inbox.id}")
    takeover.offer_seat(answer, answer.game, answer.seat)


def concede_game(answer: SeatAnswer, command: CommandLine) -> None:
    """Concede the game for a side, once all its players agree."""
    question = msg("You want to concede {game} for {side}.", game=answer.game.id, side=answer.seat.side)
    if not is_confirmed(
        answer, command, _command_phrase(answer, command), question, msg("The line that concedes the game")
    ):
        return
    side = [seat for seat in answer.seats if seat.side == answer.seat.side]
    if record_agreement(answer, "concede", side):
        reason = msg("{side} has conceded the game.", side=answer.seat.side)
        end_and_answer(answer, reason, f"concede {answer.seat.side}")
        return
    answer.say("settings", msg("Your side concedes once all its players have said so in this phase."))


def offer_draw(answer: SeatAnswer, command: CommandLine) -> None:
    """Offer or accept a draw; all players have to agree in one phase."""
    question = msg("You want {game} to end in a draw.", game=answer.game.id)
    if not is_confirmed(
        answer, command, _command_phrase(answer, command), question, msg("The line that offers or accepts the draw")
    ):
        return
    if record_agreement(answer, "draw", answer.seats):
        end_and_answer(answer, msg("All have agreed on a draw."), "draw")
        return
    answer.say("settings", msg("Your offer is passed on. It lapses when this phase closes."))
    name = answer.seat.name

    def write_notice(zone: str) -> Sequence[Msg]:
        offer = msg("{seat} offers a draw.", seat=name)
        return offer, msg("DRAW accepts it. It lapses when this phase closes; nothing has to be done to refuse it.")

    answer.announce(write_notice, f"draw {answer.inbox.id}", may_wait=False)


def claim_game(answer: SeatAnswer, command: CommandLine) -> None:
    """Claim the game that the others have left, or that they cannot win any more."""
    question = msg("You want to claim {game}, which the others have left.", game=answer.game.id)
    reason = msg("{side} has claimed the game: the others have left it.", side=answer.seat.side)
    if _is_safe(answer):
        question = msg("You want to claim {game}, which you cannot lose any more.", game=answer.game.id)
        reason = msg("{side} has claimed the game, which it could not lose any more.", side=answer.seat.side)
    if is_confirmed(answer, command, _command_phrase(answer, command), question, msg("The line that claims the game")):
        end_and_answer(answer, reason, f"claim {answer.seat.side}")


def _is_safe(answer: SeatAnswer) -> bool:
    """Return whether the writer's side wins whatever happens from now on."""
    position = answer.here
    if position is None or position.rules.scored is None:
        return False
    leader = outcome.certain_winner(position)
    return bool(leader) and position.rules.scored.party(position.state, answer.seat.side) == leader


def check_claim(answer: SeatAnswer, command: CommandLine) -> Mistake | None:
    """Refuse a claim while another side plays, unless it cannot win any more.

    Each seat of the other sides must be free or have missed several deadlines in a row.
    """
    if fault := check_ending(answer, command):
        return fault
    if _is_safe(answer):
        return None
    limit = Terms.read(answer.game.terms).claim_after
    others = [seat for seat in answer.seats if seat.side != answer.seat.side]
    playing = tuple(seat.name for seat in others if not seat.is_free and not (limit and seat.missed >= limit))
    if not playing:
        return None
    if not limit:
        reason = msg(
            "A game of these terms can be claimed only once the others have given up; playing: {seats}.", seats=playing
        )
        return command.wrong(reason)
    reason = msg(
        "A game can be claimed when the others have missed {count} deadlines in a row or given up; playing: {seats}.",
        count=limit,
        seats=playing,
    )
    return command.wrong(reason)


def check_ending(answer: SeatAnswer, command: CommandLine) -> Mistake | None:
    """Refuse a game not being played, a camp, or an expired code."""
    if answer.current is None or answer.game.state == "over":
        return command.wrong(msg("The game is not being played; there is nothing to end."))
    if answer.game.system == chain.CAMP and command.name != "resign":
        reason = msg("Nothing is fought over in a camp. SUE FOR PEACE offers the enemy to end the war.")
        return command.wrong(reason)
    return confirmation_code_mistake(answer, command, _command_phrase(answer, command))


class GameEnd(NamedTuple):
    """The reason why a game ends, its word, and the seat notified in an answer.

    The word includes its side, as ``concede spain``, if that is known.
    """

    why: Msg
    how: str = ""
    but: tables.Seat | None = None


def end_and_answer(answer: SeatAnswer, reason: Msg, word: str) -> None:
    """End the game and notify everybody, the writer in the answer.

    What follows from the end, as the next battle of a war, follows once the answer is queued.
    """
    letter, act = _end(answer, answer.game, answer.current, GameEnd(reason, word, answer.seat))
    sentences = (*letter.opening(answer.seat.zone), *letter.enclosed.sentences)
    answer.say("over", *sentences, blocks=(*letter.blocks, *letter.enclosed.blocks))
    answer.news = letter.what
    answer.following.append(act)


def end_game(tx: Transaction, game: tables.Game, phase: tables.Phase | None, end: GameEnd) -> outbox.Announcement:
    """End a game for a stored reason; return what is sent to all.

    Its due rows are dropped, and one seat, answered elsewhere, gets no letter.
    """
    circular, act = _end(tx, game, phase, end)
    tx.notify_listeners(act)
    return circular


def _end(
    tx: Transaction, game: tables.Game, phase: tables.Phase | None, end: GameEnd
) -> tuple[outbox.Announcement, Act]:
    """End a game; return what all are told, and the act for listeners."""
    phase_states.end_game(tx.session, game, dumps(end.why.to_json()))
    if phase is not None:
        phase_states.break_off(tx, phase)
    tx.session.flush()
    war_progress.store_ending(tx, game, end.how)
    sentences = (end.why, *outcome.result_sentences(tx, game, end.how), *outcome.farewell_sentences(tx, game))
    blocks = outcome.points_account_block(tx, game)
    part = war_progress.ended_part_text(tx, game)
    enclosed = revealed_orders.describe_disclosure(tx, game)
    circular = outbox.Announcement(
        lambda zone: sentences, kind="over", cause="end", but=end.but, blocks=blocks, what=part, enclosed=enclosed
    )
    outbox.announce_to_all(tx, game, phase, circular)
    log_entries.record_disclosure(tx, game)
    return circular, Act(ActKind.OVER, game, phase, cause=end.how)


def stored_result(game: tables.Game) -> list[Msg]:
    """Return how a game ended that did not reach its last turn."""
    return [Msg.from_json(loads(game.result))] if game.result else []


def record_agreement(answer: SeatAnswer, word: str, seats: Sequence[tables.Seat]) -> bool:
    """Store this seat's wish for an ending; return whether all `seats` agree."""
    session, phase = answer.session, answer.current
    if phase is None:
        return False
    session.flush()
    proposers = queries.orders.proposers(session, phase, word)
    if answer.seat.id not in proposers:
        hot_statements.insert_numbered(session, tables.Proposal, phase_id=phase.id, seat_id=answer.seat.id, word=word)
    return {seat.id for seat in seats if seat.person_id is not None} <= {*proposers, answer.seat.id}


def _command_phrase(answer: SeatAnswer, command: CommandLine) -> str:
    """Return the command in the reader's language."""
    return next(record.form.phrase(answer.seat.language) for record in COMMANDS if record.form.name == command.name)


# K7.1 Peace in a camp: SUE FOR PEACE offers the other side to end the war, ACCEPT takes that up before the deadline.
#
# Each asks for a code first, and is a side's word once all its commanders have said it (M5). A side may sue once in a
# camp; silence is no. If both sue, the war is drawn.


_SUES, _ACCEPTS = "concede", "draw"
"""Words stored as a commander's proposal (`tables.Proposal`)."""
_SUE = CommandForm("sue", ("SUE FOR PEACE", "PEDIR LA PAZ"), CODE, "SUE FOR PEACE", "PEDIR LA PAZ")
_ACCEPT = CommandForm("accept", ("ACCEPT", "ACEPTAR"), CODE, "ACCEPT", "ACEPTAR")


def sue_for_peace(answer: SeatAnswer, command: CommandLine) -> None:
    """Offer peace to the other side; end the war in a draw if that has sued already."""
    side, course = answer.seat.side, _war_progress_of(answer)
    question = msg(
        "You want to sue for peace for {side}. If the other side accepts, the war is over, and it gets a point of war.",
        side=side,
    )
    if not is_confirmed(
        answer, command, _SUE.phrase(answer.seat.language), question, msg("The line that sues for peace")
    ):
        return
    if not record_agreement(answer, _SUES, _seats_of_side(answer)):
        answer.say("settings", msg("Your side sues for peace once all its commanders have said so in this camp."))
        return
    sued = [*course.war.sued.split(), side]
    if len(sued) > 1:
        end_and_answer(answer, msg("Both sides have sued for peace."), " ".join((war_progress.PEACE, *sued)))
        return
    course.war.sued = side
    answer.session.add(course.war)
    answer.session.flush()
    answer.say("settings", msg("Your offer is passed on. If it is not accepted by the deadline, the war goes on."))

    def write_notice(zone: str) -> Sequence[Msg]:
        return (
            msg("{side} sues for peace [K7.1].", side=side),
            msg(
                "ACCEPT ends the war as it stands, with a point of war more for you, and nobody wins it decisively. "
                "Nothing has to be done to refuse: with the deadline the offer lapses."
            ),
        )

    answer.announce(write_notice, f"sue {answer.inbox.id}", may_wait=False)


def accept_peace(answer: SeatAnswer, command: CommandLine) -> None:
    """Accept the offered peace, which ends the war."""
    question = msg("You want to accept the peace that is offered: the war is over then.")
    if is_confirmed(
        answer, command, _ACCEPT.phrase(answer.seat.language), question, msg("The line that accepts the peace")
    ):
        if not record_agreement(answer, _ACCEPTS, _seats_of_side(answer)):
            answer.say("settings", msg("Your side accepts the peace once all its commanders have said so."))
            return
        sued = _war_progress_of(answer).war.sued
        reason = msg("{side} has accepted the peace that {other} sued for.", side=answer.seat.side, other=sued)
        end_and_answer(answer, reason, f"{war_progress.PEACE} {sued}")


def _seats_of_side(answer: SeatAnswer) -> list[tables.Seat]:
    return [seat for seat in answer.seats if seat.side == answer.seat.side]


def _war_progress_of(answer: SeatAnswer) -> WarProgress:
    progress = war_progress.war_progress_of(answer, answer.game.id)
    if progress is None:
        raise LookupError(f"the camp {answer.game.id} belongs to no war")
    return progress


def check_sue(answer: SeatAnswer, command: CommandLine) -> Mistake | None:
    """Refuse an offer outside of a camp, or a side's second one."""
    if fault := _check_camp(answer, command):
        return fault
    if answer.seat.side in _war_progress_of(answer).war.sued.split():
        return command.wrong(msg("Your side has sued for peace in this camp; it may once."))
    return confirmation_code_mistake(answer, command, _SUE.phrase(answer.seat.language))


def check_accept(answer: SeatAnswer, command: CommandLine) -> Mistake | None:
    """Refuse an acceptance outside of a camp, or without an offer."""
    if fault := _check_camp(answer, command):
        return fault
    if not {*_war_progress_of(answer).war.sued.split()} - {answer.seat.side}:
        return command.wrong(msg("The other side has not sued for peace: there is nothing to accept."))
    return confirmation_code_mistake(answer, command, _ACCEPT.phrase(answer.seat.language))


def _check_camp(answer: SeatAnswer, command: CommandLine) -> Mistake | None:
    if answer.game.system != CAMP:
        return command.wrong(msg("Peace is made in the camps between the battles of a war."))
    if answer.current is None or answer.current.state != "open" or answer.game.state == "over":
        return command.wrong(msg("This camp is over."))
    return None


COMMANDS = (
    LetterCommand(
        CommandForm("draw", ("DRAW", "TABLAS"), CODE, "DRAW", "TABLAS"),
        offer_draw,
        check=check_ending,
        often=RateLimit(phase=6),
    ),
    LetterCommand(
        CommandForm("concede", ("CONCEDE", "RENDIRSE"), CODE, "CONCEDE", "RENDIRSE"), concede_game, check=check_ending
    ),
    LetterCommand(
        CommandForm("resign", (RESIGN, "ABANDONAR"), CODE, RESIGN, "ABANDONAR"), resign_seat, check=check_ending
    ),
    LetterCommand(
        CommandForm("claim", ("CLAIM", "RECLAMAR"), CODE, "CLAIM", "RECLAMAR"),
        claim_game,
        check=check_claim,
        fits=lambda answer: command_records.has_opponent(answer) and command_records.terms_of(answer).claim_after > 0,
    ),
    LetterCommand(_SUE, sue_for_peace, check=check_sue, fits=command_records.is_camp),
    LetterCommand(_ACCEPT, accept_peace, check=check_accept, fits=command_records.is_camp),
)
