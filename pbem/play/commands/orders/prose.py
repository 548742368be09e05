"""Match prose with order form lines, and offer them for confirmation by code.

"I would like the Cuenca battalion to attack Cresta" comes back as a block. ``CONFIRM code`` makes that block
the orders of the letter that has the line. The block is read from the question as it was mailed. Its code
follows from the block, the phase and the revision of the seat's queued orders, and is valid for nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from pbem.engine.data.canon import Json, dumps, loads
from pbem.engine.data.languages import pick_phrase
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders import block as bounds
from pbem.engine.orders.lex import tokens
from pbem.engine.terms import NO_ENDIF
from pbem.letters import codes, content
from pbem.letters.command_lines import OrderBlock, ParsedLetter
from pbem.letters.commands import CommandForm, CommandLine
from pbem.letters.content import Mistake
from pbem.mail import CODE_PATTERN
from pbem.mail.address import strike_tokens
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.command_records import LetterCommand
from pbem.play.commands.orders import order_block
from pbem.play.commands.orders.prose_matching import MatchedSentence, OrderForm
from pbem.play.commands.orders.prose_words import is_question, split_sentences
from pbem.store import queries

CONFIRM = ("CONFIRM", "CONFIRMAR")
_NAME = "confirm-orders"
_KEY = "orders"
"""Key of the question's block under which the offered orders are stored, as canonical text."""
# Bounds of what is read and answered. A choice: a letter with more is no order in plain words.
_MOST_SENTENCES, _MOST_OFFERED, _MOST_UNUSED, _SHOWN = 12, 4, 8, 120


def offer_orders_from_prose(answer: SeatAnswer) -> bool:
    """Offer orders that a prose letter may mean; return False if it names nothing."""
    form = order_form(answer)
    if form is None:
        return False
    texts = split_sentences(answer.letter.text)
    questions = [text_part for text_part in texts if is_question(text_part)]
    texts = [text_part for text_part in texts if text_part not in questions]
    sentences = [form.read(text_part) for text_part in texts[:_MOST_SENTENCES]]
    sentences += [
        MatchedSentence(text_part, unused=(text_part,))
        for text_part in texts[_MOST_SENTENCES:]
        if form.names_in(text_part)
    ]
    fitting, unused = form.without_forbidden(sentences)
    if not fitting:
        if not unused or "?" in answer.letter.text or questions:
            return False
        _show_form(answer, unused, form.unreached)
        return True
    unused = [*unused, *(" ".join(text_part.split()) for text_part in questions)]
    text = form.whole([offers[0] for offers in fitting]) if all(len(offers) == 1 for offers in fitting) else ""
    if text:
        _ask(answer, text, _unused_block(unused, form.unreached))
    else:
        _show_choices(
            answer,
            [choice for offers in fitting for choice in offers[:_MOST_OFFERED]],
            _unused_block(unused, form.unreached),
        )
    return True


def suggest_orders_for_refused_lines(answer: SeatAnswer, block: OrderBlock) -> None:
    """Suggest, for refused lines, the only order with all their names and their verb."""
    lines = dict(_action_lines(block))
    present = {_words(line) for line in lines.values()}
    form: OrderForm | None = None
    for index, error in enumerate(answer.errors[:_MOST_SENTENCES]):
        rejected, line = error.rejected, lines.get(error.rejected.line, "").strip()
        if rejected.suggestions or not line or rejected.why == NO_ENDIF:
            continue
        form = form or order_form(answer)
        groups = [] if form is None else form.possible_offers(line)
        if form is None or len(groups) != 1 or len(groups[0]) != 1 or not form.says_all(line, groups[0][0]):
            continue
        *head, order = groups[0][0].splitlines()
        missing = [
            line_before for line_before in head if present.isdisjoint(map(_words, form.in_each_language(line_before)))
        ]
        better = "; ".join([*missing, order])
        if _words(line) in map(_words, form.in_each_language(better)):
            continue
        if _is_possible(form, lines, rejected.line, better):
            corrected = content.make_mistake(rejected.line, error.text, error.text.strip(), rejected.why, (better,))
            answer.errors[index] = corrected._replace(rejected=corrected.rejected._replace(rule=rejected.rule))


def _is_possible(form: OrderForm, lines: Mapping[int, str], number: int, better: str) -> bool:
    """Return whether a corrected line is accepted in its block."""
    position = form.here
    text = "\n".join(better if index == number else line for index, line in lines.items())
    reading = position.rules.parse(text, form.view, form.seat)
    refused = (*reading.rejected, *position.rules.check(form.view, form.seat, reading.orders, position.begun))
    return [*lines].index(number) + 1 not in {rejected.line for rejected in refused}


def _action_lines(block: OrderBlock) -> Iterator[tuple[int, str]]:
    """Yield action lines by number, without standing orders and conditional lines."""
    standing = False
    for number, line in enumerate(block.lines, block.first):
        bare = bounds.bare(line)
        standing = (standing or bounds.after_standing(bare) is not None) and not bounds.ends_standing(bare)
        if not standing and not _CONDITION.match(bare):
            yield number, line


# Lines of conditions and of standing orders, which may have a number in front.
_CONDITION = re.compile(r"\W*(?:\d|if\b|si\b|else\b|sino\b|endif\b|finsi\b|stop\b|parar\b|alto\b|when\b|cuando\b)")


def _words(line: str) -> str:
    return " ".join(token.key for token in tokens(line))


def apply_confirmation(answer: SeatAnswer, parsed: ParsedLetter) -> ParsedLetter:
    """Return a letter with the block it confirms; any other letter unchanged."""
    command = next((line for line in parsed.commands if line.name == _NAME), None)
    if command is None or parsed.block is not None or answer.phase is None:
        return parsed
    text = _block_of_code(answer, command.rest) if command.rest else None
    if text is None:
        return parsed
    turn = answer.phase.turn
    block = OrderBlock(command.line, f"ORDERS T{turn}", turn, "", command.line + 1, tuple(text.splitlines()), "END")
    return parsed._replace(block=block, commands=tuple(line for line in parsed.commands if line is not command))


def order_form(answer: SeatAnswer) -> OrderForm | None:
    """Return the sender's order form; None if no orders are expected of him."""
    position = answer.here
    return (
        None if position is None or answer.phase is None or not answer.active else OrderForm(position, answer.seat.name)
    )


def _ask(answer: SeatAnswer, text: str, unused: Sequence[Json]) -> None:
    """Show the offered block, and ask for its code."""
    turn = answer.phase.turn if answer.phase is not None else 0
    code = codes.valid_codes(answer.server, *_request(answer, text))[0]
    line = f"{pick_phrase(answer.seat.language, *CONFIRM)} {code}"
    answer.say(
        "confirm",
        msg("Your letter has no orders that I can carry out. I think you mean the block below."),
        msg("Nothing is ordered yet. If that is what you want, answer with this line alone: {line}", line=line),
        msg("If not, change the block and send it. The line is good for this phase, until you send other orders."),
    )
    lines = answer.echo_lines([f"ORDERS T{turn}", *text.splitlines(), "END"])
    shown_block: dict[str, Json] = loads(dumps(content.titled_block(msg("What I think you mean"), lines)))
    answer.blocks += [{**shown_block, _KEY: text}, *unused]
    confirming = content.titled_block(msg("To confirm them, send this line"), [line])
    answer.blocks.append(content.with_buttons(confirming, [(msg("Send this line"), line)]))


def _unused_block(parts: Sequence[str], unreached: Mapping[str, Sequence[str]]) -> list[Json]:
    """Return a block with the unused parts of a letter.

    `unreached` holds, for some of them, the place out of reach and the units.
    """
    lines: list[str | Msg] = []
    for part in parts[:_MOST_UNUSED]:
        lines.append(quoted := f'"{strike_tokens(part)[:_SHOWN]}"')
        if part in unreached:
            place, *units = unreached[part]
            lines[-1] = msg("{part}: {place} is out of reach of {units}.", part=quoted, place=place, units=tuple(units))
    lines += ["..."] if len(parts) > _MOST_UNUSED else []
    return [content.titled_block(msg("Parts of your letter that I did not use"), lines)] if lines else []


def _show_form(answer: SeatAnswer, unused: Sequence[str], unreached: Mapping[str, Sequence[str]]) -> None:
    """Report that no order matches the letter's names, and show the form."""
    answer.unread = True
    answer.say("help", msg("Nothing was changed: I found no order for what your letter names that can be given now."))
    order_block.report_queued(answer)
    answer.blocks += _unused_block(unused, unreached)
    if answer.seat.template:
        answer.closing.append(msg("The template of your orders, to be edited and sent back:"))
        answer.template = True


def _show_choices(answer: SeatAnswer, texts: Sequence[str], unused: Sequence[Json]) -> None:
    """Show the lines of the form that may be meant, for the player to choose."""
    turn = answer.phase.turn if answer.phase is not None else 0
    answer.unread = True
    answer.say(
        "help",
        msg("Your letter has no orders that I can carry out, and nothing was changed."),
        msg("Several orders may be meant. Delete the # before those that you want, and send the block."),
    )
    lines: list[str] = []
    for text in dict.fromkeys(texts):
        lines += [f"# {line}" for line in text.splitlines() if f"# {line}" not in lines]
    lines = answer.echo_lines([f"ORDERS T{turn}", *lines, "END"])
    choices = content.titled_block(msg("What you may mean"), lines)
    answer.blocks += [content.with_letter_button(choices, lines, content.EDIT_ORDERS), *unused]


def _request(answer: SeatAnswer, text: str) -> tuple[str, ...]:
    """Return what a code is valid for: block, phase, position, orders and seat."""
    queued, phase, seat = answer.queued_orders, answer.phase, answer.seat
    revision = 0 if queued is None else queued.revision
    position_number = 0 if answer.here is None else answer.here.number
    words = (phase.id if phase is not None else 0, revision, position_number, seat.generation)
    return (_NAME, answer.game.id, seat.name, *map(str, words), text)


def _block_of_code(answer: SeatAnswer, code: str) -> str | None:
    """Return the block offered with a code; None if the code is no longer valid."""
    for row in queries.outbox.last_letters_to_seat(answer.session, answer.seat, "confirm"):
        for block in loads(row.model)["blocks"] if row.model else ():
            text = block.get(_KEY)
            if text is not None and codes.is_valid_code(answer.server, code, *_request(answer, text)):
                return str(text)
    return None


def _objection(answer: SeatAnswer, command: CommandLine) -> Mistake | None:
    """Return the reason why a code that `apply_confirmation` left confirms nothing."""
    if answer.has_block:
        return command.wrong(msg("The letter has orders of its own: send the one that counts."))
    if not command.rest:
        reason = msg("{command} needs the code below the block: copy that whole line.", command=command.phrase)
        return command.wrong(reason)
    return command.wrong(
        msg("This code is not good now: a code holds for its phase alone, until you send other orders.")
    )


def _do_nothing(answer: SeatAnswer, command: CommandLine) -> None:
    """Do nothing: `apply_confirmation` has already put the block into the letter."""


COMMANDS = (
    LetterCommand(
        # The code may be missing: `_objection` answers that.
        CommandForm(_NAME, CONFIRM, re.compile(f"(?:{CODE_PATTERN})?")),
        _do_nothing,
        check=_objection,
    ),
)
