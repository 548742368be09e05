"""What a seat's letter does: its commands, and the orders.

A letter is all or nothing: its effects are made only when no line of it is wrong. Commands write rows and gather
what the answer says; the one answer is made at the end.
"""

from __future__ import annotations

from collections.abc import Sequence

from pbem.engine.data.messages import by_number, msg
from pbem.engine.terms import Orders
from pbem.letters.command_lines import Block, Understood
from pbem.letters.commands import Line
from pbem.letters.content import Mistake
from pbem.play import war_progress
from pbem.play.commands import command_records
from pbem.play.commands.answer import Answer
from pbem.play.commands.orders import cancel, later, order_block, prose, suggested_corrections
from pbem.play.commands.questions import help
from pbem.runtime import limits
from pbem.server.catalogue import BY_NAME, COMMANDS, FORMS, QUESTIONS, is_question, offered_in


def carry_out(answer: Answer, said: Understood) -> None:
    """Do what the letter says, or nothing of it, and fill in the answer.

    Commands above the block are carried out first, so that CANCEL and new orders in one letter leave the new ones;
    those below it come after it.
    """
    if said.excess is not None:
        answer.say("refusal", *limits.told(said.excess))
        return
    if answer.game.state == "over" and (heir := war_progress.heir_of(answer, answer.seat)) is not None:
        address = answer.server.seat_address(heir)
        answer.opening.append(
            msg("The war goes on in {game}; there you write to {address}.", game=heir.game_id, address=address)
        )
    if answer.letter.quoted_block and cancel.takes_back(said.commands):
        # Whoever takes orders back does not mean those that his letter merely quotes.
        said = said._replace(block=None)
    letter = prose.confirmed(answer, said)
    by_code, said = letter is not said, letter
    gathered = suggested_corrections.gathered(answer, said, FORMS)
    headless = gathered.block is not None and said.block is None
    gathered = suggested_corrections.without_farewell(answer, gathered, FORMS)
    said = suggested_corrections.made_whole(answer, later.now_due(answer, gathered))
    kept_commands, told = command_records.commands_within(said.commands, BY_NAME)
    said = said._replace(commands=kept_commands)
    answer.opening += told
    answer.has_block, answer.has_later = said.block is not None, bool(said.later)
    answer.errors += [*said.wrong, *command_records.order_mistakes(answer, said)]
    objections = [(one, wrong) for one in said.commands if (wrong := _objection(answer, one)) is not None]
    answer.errors += [wrong for _, wrong in objections]
    asked = _without_wrong_questions(said, [command for command, _ in objections]) if answer.errors else None
    said = asked or said
    answer.look()
    wanted, kept = None, []
    replace = by_code or cancel.replaces(said.commands)
    if said.block is not None:
        wanted = order_block.hold_against_game(answer, said.block, replace=replace)
    if not answer.kind:
        kept = later.check_blocks(answer, said.later, replace=replace)
    if answer.kind:
        if said.block is not None and said.later:
            answer.opening.append(msg("What you wrote for later was not kept either: send it by itself."))
        return
    if headless:
        answer.opening.append(msg("Your letter has orders, but ORDERS and the turn must stand above them, END below."))
    if answer.errors or headless:
        blocks = [*([said.block] if said.block is not None else []), *said.later]
        if not (blocks or said.commands) and prose.offer(answer):
            answer.errors.clear()
            return
        command_records.place_commands(answer, blocks, FORMS)
        if said.block is not None:
            prose.suggest(answer, said.block)
        else:
            prose.suggest_odds(answer)
        answer.errors.sort(key=lambda wrong: wrong.rejected.line)
        speak = answer.server.rules_of(answer.game).telling.spoken
        answer.errors = [offered_in(answer.seat.language, speak, wrong) for wrong in answer.errors]
    if headless or (answer.errors and asked is None):
        suggested_corrections.refuse(answer, blocks, said.commands)
        return
    if answer.errors:
        count = len(answer.errors)
        answer.opening.append(
            by_number(
                count,
                msg("I could not answer one line of your letter; it stands below with the reason."),
                msg("I could not answer {count} lines of your letter; they stand below with the reasons.", count=count),
            )
        )
    if said.block is not None and wanted is not None and not replace:
        said, wanted = _without_older(answer, said, said.block, wanted)
    # How letters are written holds for the whole of this one, wherever it stands.
    settings = tuple(one for one in said.commands if one.name in _SETTINGS)
    first, last = (
        tuple(one for one in some if one not in settings)
        for some in (command_records.commands_above(said), command_records.commands_below(said))
    )
    done = set[str]()
    if said.block is not None and not said.block.verify:
        last = (*(one for one in first if BY_NAME[one.name].after_orders), *last)
        first = tuple(one for one in first if not BY_NAME[one.name].after_orders)
    if not _do(answer, (*settings, *first), done, more=bool(last) or answer.has_block or answer.has_later):
        return
    if said.block is not None and wanted is not None:
        put = order_block.verify if said.block.verify else order_block.queue
        put(answer, said.block, wanted)
    later.keep(answer, kept)
    if not _do(answer, last, done):
        return
    answer.opening += command_records.tell_of_left(said.left)
    if said.empty and not answer.kind:
        if not prose.offer(answer):
            help.nothing(answer, COMMANDS)
    elif said.block is None:
        order_block.say_what_was_left(answer)


def _without_wrong_questions(said: Understood, refused: Sequence[Line]) -> Understood | None:
    """Return a letter of questions alone without its wrong lines; None if it does more, or if none is left.

    All or nothing is for what is done: a question that cannot be answered does not keep the others from it.
    """
    left = tuple(command for command in said.commands if command not in refused)
    asks = all(one.name in QUESTIONS for one in said.commands) and all(map(is_question, said.wrong))
    if said.block is not None or said.later or not left or not asks:
        return None
    return said._replace(commands=left, wrong=())


_SETTINGS = ("language", "zone", "format", "map shown")


def _without_older(answer: Answer, said: Understood, block: Block, wanted: Orders) -> tuple[Understood, Orders | None]:
    """The letter without its block if that was sent before and is asked about; the answer says so."""
    if not order_block.was_sent(answer, block, wanted):
        return said, wanted
    said, answer.has_block = said._replace(block=None), answer.letter.quoted_block is False
    if said.empty and not answer.letter.quoted_block:
        answer.say("refusal")
        order_block.say_what_is_queued(answer)
    return said, None


def _objection(answer: Answer, command: Line) -> Mistake | None:
    answer.look()
    return command_records.objection(answer, BY_NAME[command.name], command)


def _do(answer: Answer, said: Sequence[Line], done: set[str], *, more: bool = False) -> bool:
    """Carry the commands out, in their order; False once one of them has ended the game or given the seat up.

    `done` are the names of those that were, `more` tells whether there is something to be done after the last.
    """
    over, holder = answer.game.state == "over", answer.seat.person_id
    for command in said:
        answer.look()
        record = BY_NAME[command.name]
        # What came before it may have used up what it needs; questions use nothing up.
        again = command.name in done and not record.costly
        if again and (wrong := command_records.objection(answer, record, command)) is not None:
            answer.say("answer", command_records.refused_after(command, wrong))
            continue
        record.do(answer, command)
        command_records.count_command(answer, record, command)
        done.add(command.name)
        if (answer.game.state == "over") is not over or answer.seat.person_id != holder:
            if command is not said[-1] or more:
                line = command.line
                answer.opening.append(msg("What your letter says below line {line} was not carried out.", line=line))
            return False
    return True
