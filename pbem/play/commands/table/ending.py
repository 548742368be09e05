"""A game ended by its players or its moderator before its last turn: RESIGN gives a seat up, the others end the game.

Each asks for a code first. CONCEDE counts when all who sit on a side say it in one phase, DRAW when all who sit at
the table do; CLAIM is for who is left alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pbem.engine.data.canon import dumps, loads
from pbem.engine.data.messages import Msg, msg
from pbem.engine.war import chain
from pbem.letters import outbox
from pbem.letters.command_words import Form
from pbem.letters.content import Mistake
from pbem.letters.unparsed_lines import Line
from pbem.play import log_entries, outcome, phase_states, war_progress
from pbem.play.commands import fitting
from pbem.play.commands.answer import Answer
from pbem.play.commands.command import Command, Often
from pbem.play.commands.seats import takeover
from pbem.play.commands.table import confirmed
from pbem.runtime.acts import Act, Kind
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import Work
from pbem.store import queries, tables, writes

RESIGN = "RESIGN"
"""The line that gives a seat up, as mail programs are told it."""


def resign(answer: Answer, command: Line) -> None:
    """Give the seat up; the game goes on by its standing orders until somebody takes it over."""
    asked = msg("You want to give up the seat {seat} of {game}.", seat=answer.seat.name, game=answer.game.id)
    if not confirmed.is_so(answer, command, _phrase(answer, command), asked, msg("The line that gives the seat up")):
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


def concede(answer: Answer, command: Line) -> None:
    """Give the game up for one's side, once all who sit on it agree."""
    asked = msg("You want to concede {game} for {side}.", game=answer.game.id, side=answer.seat.side)
    if not confirmed.is_so(answer, command, _phrase(answer, command), asked, msg("The line that concedes the game")):
        return
    side = [seat for seat in answer.seats if seat.side == answer.seat.side]
    if agree(answer, "concede", side):
        why = msg("{side} has conceded the game.", side=answer.seat.side)
        end_by(answer, why, f"concede {answer.seat.side}")
        return
    answer.say("settings", msg("Your side concedes once all its players have said so in this phase."))


def draw(answer: Answer, command: Line) -> None:
    """Offer a draw, or accept the one that is offered; all who sit at the table have to agree in one phase."""
    asked = msg("You want {game} to end in a draw.", game=answer.game.id)
    if not confirmed.is_so(
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


def claim(answer: Answer, command: Line) -> None:
    """Take the game that the others have left."""
    asked = msg("You want to claim {game}, which the others have left.", game=answer.game.id)
    if confirmed.is_so(answer, command, _phrase(answer, command), asked, msg("The line that claims the game")):
        why = msg("{side} has claimed the game: the others have left it.", side=answer.seat.side)
        end_by(answer, why, f"claim {answer.seat.side}")


def claim_wrong(answer: Answer, command: Line) -> Mistake | None:
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


def ending_wrong(answer: Answer, command: Line) -> Mistake | None:
    """A game that is not being played, a camp, where nothing is fought over, or a code that is not good any more."""
    if answer.current is None or answer.game.state == "over":
        return command.wrong(msg("The game is not being played; there is nothing to end."))
    if answer.game.system == chain.CAMP and command.name != "resign":
        why = msg("Nothing is fought over in a camp. SUE FOR PEACE offers the enemy to end the war.")
        return command.wrong(why)
    return confirmed.wrong(answer, command, _phrase(answer, command))


class End(NamedTuple):
    """Why a game ends; by which word and whose, as ``concede spain``, if that is known; who is told in an answer."""

    why: Msg
    how: str = ""
    but: tables.Seat | None = None


def end_by(answer: Answer, why: Msg, how: str) -> None:
    """End the game and tell everybody, the writer in the answer."""
    said = end_game(answer, answer.game, answer.current, End(why, how, answer.seat))
    answer.say("over", *said)
    answer.blocks += outcome.account_block(answer, answer.game)


def end_game(work: Work, game: tables.Game, phase: tables.Phase | None, end: End) -> tuple[Msg, ...]:
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


def agree(answer: Answer, word: str, seats: Sequence[tables.Seat]) -> bool:
    """Note that this seat wants to end the phase's game so, and return whether all of these who are taken do."""
    session, phase = answer.session, answer.current
    if phase is None:
        return False
    session.flush()
    said = queries.orders.proposers(session, phase, word)
    if answer.seat.id not in said:
        writes.add(session, "proposal", phase_id=phase.id, seat_id=answer.seat.id, word=word)
    return {seat.id for seat in seats if seat.person_id is not None} <= {*said, answer.seat.id}


def _phrase(answer: Answer, command: Line) -> str:
    """The command in the words of its reader."""
    return next(one.form.phrase(answer.seat.language) for one in COMMANDS if one.form.name == command.name)


COMMANDS = (
    Command(
        Form("draw", ("DRAW", "TABLAS"), confirmed.CODE, "DRAW", "TABLAS"),
        draw,
        check=ending_wrong,
        often=Often(phase=6),
    ),
    Command(
        Form("concede", ("CONCEDE", "RENDIRSE"), confirmed.CODE, "CONCEDE", "RENDIRSE"), concede, check=ending_wrong
    ),
    Command(Form("resign", (RESIGN, "ABANDONAR"), confirmed.CODE, RESIGN, "ABANDONAR"), resign, check=ending_wrong),
    Command(
        Form("claim", ("CLAIM", "RECLAMAR"), confirmed.CODE, "CLAIM", "RECLAMAR"),
        claim,
        check=claim_wrong,
        fits=lambda answer: fitting.has_opponent(answer) and fitting.terms_of(answer).claim_after > 0,
    ),
)
