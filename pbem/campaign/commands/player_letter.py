"""What a seat's letter does: one handler a command, and the orders.

A letter is all or nothing: its effects are made only when no line of it is wrong. Handlers write rows and gather
what the answer says; the one answer is made at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pbem.campaign.base.codes import Asker, Said
from pbem.campaign.base.command_lines import Command, Understood
from pbem.campaign.base.letters import SHUT, Mistake
from pbem.campaign.base.positions import Position
from pbem.campaign.base.terms import last_moment
from pbem.campaign.commands.answer import Answer
from pbem.campaign.commands.orders import done, later, order_block, quotes, repeats, respond, standing, verify
from pbem.campaign.commands.questions import dice, help, odds, views, why
from pbem.campaign.commands.seats import address, digest, join, observe, settings, takeover, witness
from pbem.campaign.commands.table import appeals, ending, press, resend, time
from pbem.campaign.turn import attempts, deadlines, ladder, pauses
from pbem.core.data.messages import by_number, msg
from pbem.store import queries, tables

__all__ = ["MOST_COSTLY", "carry_out"]

MOST_COSTLY = 3
"""Questions of a letter that run the rules: each of them takes as long as a hundred others."""

_COSTLY = ("dice", "odds", "trial", "why")


def carry_out(answer: Answer, said: Understood) -> None:
    """Do what the letter says, or nothing of it, and fill in the answer.

    Commands stand above the block and are carried out first: CANCEL and new orders in one letter leave the new ones.
    """
    if said.too_long:
        answer.say("refusal", msg("Your letter has more lines than I read; nothing in it was carried out."))
        return
    if answer.letter.quoted_block and any(command.name == "cancel" for command in said.commands):
        # Whoever takes orders back does not mean those that his letter merely quotes.
        said = said._replace(block=None)
    said = later.now_due(answer, said)
    answer.has_block, answer.has_later = said.block is not None, bool(said.later)
    answer.errors += said.wrong
    answer.errors += _too_many(said.commands) or [
        wrong for command in said.commands if (wrong := _objection(answer, command)) is not None
    ]
    wanted, kept = None, []
    replace = any(command.name == "replace" for command in said.commands)
    if said.block is not None and not said.wrong:
        wanted = order_block.hold_against_game(answer, said.block, replace=replace)
    if not said.wrong and not answer.kind:
        kept = later.hold(answer, said.later, replace=replace)
    if answer.kind:
        if said.block is not None and said.later:
            answer.opening.append(msg("What you wrote for later was not kept either: send it by itself."))
        return
    if answer.errors:
        answer.errors.sort(key=lambda wrong: wrong.rejected.line)
        order_block.refuse(answer, [*([said.block] if said.block is not None else []), *said.later])
        return
    if said.block is not None and wanted is not None and quotes.sent_before(answer, said.block):
        said, wanted, answer.has_block = said._replace(block=None), None, False
    for command in said.commands:
        _HANDLERS[command.name](answer, command)
    if said.block is not None and wanted is not None:
        put = verify.verify if said.block.verify else order_block.queue
        put(answer, said.block, wanted)
    later.keep(answer, kept)
    if said.empty:
        help.nothing(answer)
    elif said.block is None:
        quotes.say_what_was_left(answer)


def _too_many(said: Sequence[Command]) -> list[Mistake]:
    """Questions past the number that one letter may ask of those that take long to answer."""
    told = msg("A letter may hold {count} of these questions; put the others into another one.", count=MOST_COSTLY)
    costly = [command for command in said if command.name in _COSTLY]
    return [one.wrong(told) for one in costly[MOST_COSTLY:]]


def _objection(answer: Answer, command: Command) -> Mistake | None:
    check = _OBJECTIONS.get(command.name)
    return check(answer, command) if check is not None else None


def _status(answer: Answer, command: Command) -> None:
    if answer.game.state == "over":
        answer.say("status", *ending.result(answer.game), msg("The game is over."))
        return
    if answer.closed is not None:
        _say_waits(answer, answer.closed)
        return
    if answer.here is None or answer.phase is None:
        answer.say("status", msg("The game has not begun."))
        return
    _say_status(answer, answer.here, answer.phase)


def _say_waits(answer: Answer, phase: tables.Phase) -> None:
    """How things stand while a phase waits for answers: the questions to whoever asks, and nothing of any other."""
    segment = queries.pauses.asking(answer.session, phase)
    if segment is None:
        answer.say("status", SHUT)
    else:
        answer.say("status", msg("Turn {turn}. Orders are closed, and the dice have begun to roll.", turn=phase.turn))
    if answer.game.state == "held":
        answer.opening.append(msg("The game is held; the moderator has been told and you will hear when it goes on."))
    asked = pauses.put_to(answer.session, segment, answer.seat) if segment is not None else []
    if segment is None:
        pass
    elif all(put.row.answer is not None for put in asked):
        answer.opening.append(msg("The phase waits for the reaction of a player; you are not asked anything more now."))
    else:
        when = answer.when(segment.deadline or answer.now)
        answer.opening.append(msg("The phase waits for you: you are asked. Answer by {when}.", when=when))
    answer.opening.append(msg("Deadlines you have missed so far: {count}.", count=answer.seat.strikes))
    answer.opening += attempts.told(answer.session, phase)
    if segment is not None and asked:
        respond.echo(answer, segment)
    if not answer.has_block:
        repeats.echo(answer, None)
        standing.echo(answer)
    if not answer.has_later:
        later.echo(answer)


def _say_status(answer: Answer, here: Position, phase: tables.Phase) -> None:
    missing = deadlines.waiting(answer.session, here, phase)
    turn, deadline = phase.turn, answer.when(phase.deadline)
    closing = queries.dues.closing(answer.session, answer.game.id)
    if here.by_letter:
        sentence = msg(
            "Turn {turn}. {seats} to move, one letter at a time, until DONE or the deadline: {when}.",
            turn=turn,
            seats=here.active,
            when=deadline,
        )
    elif missing:
        sentence = msg(
            "Turn {turn}. Orders are awaited from: {seats}. Deadline: {when}.", turn=turn, seats=missing, when=deadline
        )
    elif closing is not None:
        sentence = msg(
            "Turn {turn}. All orders are in: the dice are rolled on {when}, and until then orders can be changed.",
            turn=turn,
            when=answer.when(closing),
        )
    else:
        sentence = msg("Turn {turn}. All orders are in. Deadline: {when}.", turn=turn, when=deadline)
    answer.say("status", sentence)
    if answer.game.state == "held":
        answer.opening.append(msg("The game is held; the moderator has been told and you will hear when it goes on."))
    answer.opening.append(msg("Deadlines you have missed so far: {count}.", count=answer.seat.strikes))
    answer.opening += [*ladder.clock_told(answer.game, answer.seat), *attempts.told(answer.session, phase)]
    if not answer.has_block:
        held = queries.orders.queued_set(answer.session, phase, answer.seat)
        if held is not None:
            answer.opening.append(msg("I hold revision {revision} of your orders.", revision=held.revision))
        elif answer.active and not here.by_letter:
            answer.opening.append(msg("I hold no orders of yours."))
        _say_where_from(answer, held)
        order_block.echo(answer, here, phase, held)
    if not answer.has_later:
        later.echo(answer)


def _say_where_from(answer: Answer, held: tables.OrderSet | None) -> None:
    """Orders that came of themselves are told from those that came in a letter of this turn."""
    if held is None or held.origin == "letter":
        return
    if held.origin == "later":
        answer.opening.append(msg("They are those that you kept for this turn with LATER, and count as sent."))
    elif held.waits:
        answer.opening.append(msg("They are the lines that you repeat. GO says that they are all you want."))
    if held.origin == "later" and held.waits:
        answer.opening.append(
            msg("As the phase opened, not all of them could be: it waits for you. GO leaves it at them.")
        )


def _cancel(answer: Answer, command: Command) -> None:
    if answer.closed is not None:
        order_block.in_time(answer)
        return
    held = queries.orders.queued_set(answer.session, answer.phase, answer.seat) if answer.phase else None
    if held is None or answer.phase is None or answer.here is None:
        answer.say("cancelled", msg("I hold no orders of yours; there was nothing to cancel."))
        return
    if answer.inbox.internaldate > last_moment(answer.game, answer.phase):
        answer.say(
            "closed",
            msg(
                "Your letter came after the deadline; your orders stand (revision {revision}).", revision=held.revision
            ),
        )
        return
    held.state = "cancelled"
    answer.session.add(held)
    answer.session.flush()
    if answer.game.state == "running":
        deadlines.await_close(answer, answer.here, answer.phase)
    answer.say(
        "cancelled",
        msg("Your orders (revision {revision}) are cancelled. I hold none of yours now.", revision=held.revision),
        msg("Orders are wanted by {when}.", when=answer.when(answer.phase.deadline)),
    )
    if answer.seat.repeats:
        answer.opening.append(msg("That holds for this turn; CANCEL @ ends the repeating."))
    answer.template = True


def _cancel_standing(answer: Answer, command: Command) -> None:
    held = queries.orders.standing(answer.session, answer.seat)
    for row in held:
        answer.session.delete(row)
    answer.session.flush()
    if held:
        many = msg("Your {count} blocks of standing orders are cancelled.", count=len(held))
        answer.say("cancelled", by_number(len(held), msg("Your standing orders are cancelled."), many))
    else:
        answer.say("cancelled", msg("I hold no standing orders of yours; there was nothing to cancel."))


def _replace(answer: Answer, command: Command) -> None:
    if not (answer.has_block or answer.has_later):
        answer.say("help", msg("REPLACE stands above a block of orders; there was none in your letter."))


def _list(answer: Answer, command: Command) -> None:
    _pass_on(answer, join.list_(answer))


def _join(answer: Answer, command: Command) -> None:
    _pass_on(answer, join.join(answer, _asker(answer), command))


def _observe(answer: Answer, command: Command) -> None:
    _pass_on(answer, observe.observe(answer, _asker(answer), command))


def _stand_by(answer: Answer, command: Command) -> None:
    _pass_on(answer, takeover.stand_by(answer, _asker(answer), command))


def _take_over(answer: Answer, command: Command) -> None:
    _pass_on(answer, takeover.take_over(answer, _asker(answer), command))


def _asker(answer: Answer) -> Asker:
    """Whoever sits here, by his registered address, from wherever he wrote."""
    email = queries.people.email_of(answer.session, answer.seat.person_id)
    if email is None:
        raise LookupError(f"nobody has the seat {answer.seat.name} of {answer.game.id}")
    return Asker(email, answer.seat.language, answer.seat.zone)


def _pass_on(answer: Answer, said: Said) -> None:
    answer.say(said.kind, *said.sentences)
    answer.blocks += said.blocks


_HANDLERS: Mapping[str, Callable[[Answer, Command], None]] = {
    "status": _status,
    "help": help.help_,
    "cancel": _cancel,
    "cancel-standing": _cancel_standing,
    "respond": respond.respond,
    "done": done.done,
    "replace": _replace,
    "preset": settings.preset,
    "language": settings.language,
    "zone": settings.zone,
    "format": settings.format_,
    "notify": digest.notify,
    "witness": witness.set_,
    "map": views.show_map,
    "moves": views.moves,
    "rule": views.rule,
    "chart": views.chart,
    "history": views.told_past,
    "odds": odds.odds,
    "trial": odds.trial,
    "why": why.why,
    "dice": dice.dice,
    "list": _list,
    "join": _join,
    "observe": _observe,
    "cancel-later": later.cancel_later,
    "cancel-repeated": repeats.cancel_repeated,
    "wait": time.wait,
    "no-wait": time.no_wait,
    "go": time.go,
    "extend": time.extend,
    "vacation": time.vacation,
    "press": press.press,
    "say": press.say,
    "appeal": appeals.appeal,
    "standby": _stand_by,
    "takeover": _take_over,
    "draw": ending.draw,
    "concede": ending.concede,
    "resign": ending.resign,
    "claim": ending.claim,
    "resend": resend.resend_command,
    "address": address.address,
    "rotate": settings.rotate,
}

_OBJECTIONS: Mapping[str, Callable[[Answer, Command], Mistake | None]] = {
    "respond": respond.respond_wrong,
    "done": done.done_wrong,
    "preset": settings.preset_wrong,
    "zone": settings.zone_wrong,
    "witness": witness.set_wrong,
    "map": views.map_wrong,
    "rule": views.rule_wrong,
    "chart": views.chart_wrong,
    "history": views.told_past_wrong,
    "odds": odds.odds_wrong,
    "trial": odds.trial_wrong,
    "why": why.why_wrong,
    "dice": dice.dice_wrong,
    "wait": time.phase_wrong,
    "no-wait": time.phase_wrong,
    "go": time.phase_wrong,
    "extend": time.extend_wrong,
    "vacation": time.vacation_wrong,
    "press": press.press_wrong,
    "say": press.press_wrong,
    "appeal": appeals.appeal_wrong,
    "draw": ending.ending_wrong,
    "concede": ending.ending_wrong,
    "resign": ending.ending_wrong,
    "claim": ending.claim_wrong,
    "address": address.address_wrong,
}
"""What can be wrong with a command that only the game or the world knows; asked before anything is done."""
