"""Define command records: syntax, action, check and help of each command.

Each record is below its functions, in the tuple at the end of their file; `catalogue` has all of them in
order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple

from pbem.engine.data.messages import Msg, by_number, msg
from pbem.engine.game import AnyGame
from pbem.engine.orders import block as bounds
from pbem.engine.orders.lex import tokens
from pbem.engine.war import chain
from pbem.letters import codes
from pbem.letters.codes import Asker, CommandReply
from pbem.letters.command_lines import OrderBlock, ParsedLetter, begins_standing_orders
from pbem.letters.commands import CommandForm, CommandForms, CommandLine, LinePlace, UnparsedLine, read_outside_lines
from pbem.letters.content import Mistake, make_mistake, shorten_gaps
from pbem.mail.address import base_address
from pbem.play.commands.answer import SeatAnswer
from pbem.runtime.clock import DAY
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import Transaction
from pbem.store import hot_statements, queries, tables

Visit = Callable[[Transaction, Asker, CommandLine], CommandReply]
"""A command's action for a person without a seat, and its reply."""


class RateLimit(NamedTuple):
    """A command's limits: per letter; per seat in a phase, game, day. 0 is none.

    Each number is a choice: more than players need, and few enough that nobody floods the others with letters or
    the server with games.
    """

    letter: int = 1
    phase: int = 0
    seat: int = 0
    day: int = 0


ONCE = RateLimit()
"""The default: once in a letter, and in any number of letters."""


@dataclass(frozen=True)
class LetterCommand:
    """One command of a player's letter.

    `check` returns a mistake that syntax does not show, such as an unknown unit, before anything is done. `visit`
    is the action for somebody without a seat; a command without it needs a seat. `help` is its text in HELP
    commands. `costly` marks a question that runs the rules. `often` limits its use. HELP lists it where it `fits`
    the game and is `served` here. A command with `after_orders` is executed when the orders of its letter are
    queued, wherever it is in the letter. `names` returns the address in a line to which the command mails, or
    nothing.
    """

    form: CommandForm
    do: Callable[[SeatAnswer, CommandLine], None]
    check: Callable[[SeatAnswer, CommandLine], Mistake | None] | None = None
    visit: Visit | None = None
    help: tuple[Msg, ...] = ()
    costly: bool = False
    often: RateLimit = ONCE
    fits: Callable[[SeatAnswer], bool] | None = None
    served: Callable[[Transaction], bool] | None = None
    after_orders: bool = False
    names: Callable[[CommandLine], str] | None = None


def visit_as_seat_command(visit: Visit) -> Callable[[SeatAnswer, CommandLine], None]:
    """Turn an action for anonymous senders into one for seats.

    The asker is then the seat's address.
    """

    def do(answer: SeatAnswer, line: CommandLine) -> None:
        reply = visit(answer, _asker(answer), line)
        answer.say(reply.kind, *reply.sentences)
        answer.blocks += reply.blocks

    return do


def _asker(answer: SeatAnswer) -> Asker:
    """Return the player of the seat as asker; raise LookupError if it has none."""
    email = queries.persons.email_of(answer.session, answer.seat.person_id)
    if email is None:
        raise LookupError(f"nobody has the seat {answer.seat.name} of {answer.game.id}")
    return Asker(email, answer.seat.language, answer.seat.zone, vouched=True)


# Conditions of game and server for a command: HELP lists none that could only be refused.


def is_offered(tx: Transaction, command: LetterCommand) -> bool:
    """Return whether HELP lists a command, by game and server, or by server alone."""
    if command.served is not None and not command.served(tx):
        return False
    return not isinstance(tx, SeatAnswer) or command.fits is None or command.fits(tx)


def terms_of(answer: SeatAnswer) -> Terms:
    """Return the terms of the game."""
    return Terms.read(answer.game.terms)


def has_opponent(answer: SeatAnswer) -> bool:
    """Return whether anybody else plays, other than bots."""
    return any(seat.id != answer.seat.id and not seat.bot for seat in answer.seats)


def has_press(answer: SeatAnswer) -> bool:
    """Return whether letters are passed on to anybody."""
    return has_opponent(answer) and terms_of(answer).press != "none"


def is_camp(answer: SeatAnswer) -> bool:
    """Return whether the game is a camp, where peace can be made."""
    return answer.game.system == chain.CAMP


def has_forecast(answer: SeatAnswer) -> bool:
    """Return whether the game computes odds."""
    return answer.server.rules_of(answer.game).forecast is not None


def can_try_standing_orders(rules: AnyGame) -> bool:
    """Return whether standing orders of a game can be put to the test."""
    return rules.forecast is not None and rules.forecast.trial is not None


def has_tournament(tx: Transaction) -> bool:
    """Return whether the game is in a tournament; without a game, if one runs."""
    if isinstance(tx, SeatAnswer):
        return queries.tournaments.board_of(tx.session, tx.game.id) is not None
    return queries.tournaments.next_wake(tx.session) is not None


def creates_games(tx: Transaction) -> bool:
    """Return whether games can be created by letter here."""
    return tx.server.settings.play.who != "off"


# How often a command may be used, as its record says: in a letter, a phase, a game, a day; and whom it reaches.
#
# What stands in a letter once too often is told and not done, and so is what cannot be done any more once the lines
# above it were carried out: each command is held against the game again where another of its kind came before it.


MOST_COSTLY = 3
"""Maximum questions of a letter that run the rules: each takes as long as a hundred others."""
_LINES = 10
"""Surplus lines of one kind named in an answer; the rest is counted, so that an answer is not as long as the letter."""


def apply_letter_limits(
    all_lines: Sequence[CommandLine], commands: dict[str, LetterCommand]
) -> tuple[tuple[CommandLine, ...], tuple[Msg, ...]]:
    """Return a letter's commands within their limits, and sentences on those beyond.

    Questions that run the rules are counted together.
    """
    counts: Counter[str] = Counter()
    allowed: list[CommandLine] = []
    refused: dict[str, list[CommandLine]] = {}
    for line in all_lines:
        costly = commands[line.name].costly
        kind = _COSTLY if costly else line.name
        counts[kind] += 1
        if counts[kind] > (MOST_COSTLY if costly else most_in_a_letter(commands[line.name])):
            refused.setdefault(kind, []).append(line)
        else:
            allowed.append(line)
    sentences = [
        _too_many_costly(refused_lines) if kind == _COSTLY else _repeat_mistake(commands[kind], refused_lines)
        for kind, refused_lines in refused.items()
    ]
    return tuple(allowed), tuple(sentences)


_COSTLY = "costly"
"""Counter key of questions that run the rules; no command has that name."""


def _too_many_costly(lines: Sequence[CommandLine]) -> Msg:
    """Return the sentence on costly questions beyond the limit of a letter."""
    return msg(
        "ODDS, HINT, WHY, DICE and TEST: {count} in a letter, all told. Not answered here, by line: {lines}. "
        "Ask again.",
        count=MOST_COSTLY,
        lines=_numbers(lines),
    )


def _numbers(lines: Sequence[CommandLine]) -> tuple[int | str, ...]:
    numbers = tuple(dict.fromkeys(line.line for line in lines))
    return numbers if len(numbers) <= _LINES else (*numbers[:_LINES], "...")


def most_in_a_letter(command: LetterCommand) -> int:
    """Return a command's limit per letter."""
    return command.often.letter


def _repeat_mistake(command: LetterCommand, lines: Sequence[CommandLine]) -> Msg:
    numbers = _numbers(lines)
    name = _name(lines[0], command)
    once = msg("{command} counts once in a letter; not carried out once more: {lines}.", command=name, lines=numbers)
    several = msg(
        "{command} counts {count} times in a letter; not carried out any more: {lines}.",
        command=name,
        count=command.often.letter,
        lines=numbers,
    )
    return by_number(command.often.letter, once, several)


def command_mistake(answer: SeatAnswer, command: LetterCommand, line: CommandLine) -> Mistake | None:
    """Return a command's mistake: its own check, or a limit reached."""
    fault = command.check(answer, line) if command.check is not None else None
    if fault is not None:
        return fault
    reason = _limit_reached(answer, command, line) or _address_limit_reached(answer, command, line)
    return None if reason is None else line.wrong(reason)


def _limit_reached(answer: SeatAnswer, command: LetterCommand, line: CommandLine) -> Msg | None:
    often = command.often
    if not (often.phase or often.seat or often.day):
        return None
    answer.session.flush()
    used = queries.inbox.count_uses(answer.session, answer.seat, line.name, answer.now - DAY)
    phase = used.get(str(answer.current.id), 0) if answer.current is not None else 0
    name = _name(line, command)
    if often.phase and phase >= often.phase:
        return msg("You have used {command} as often as one phase allows: {count}.", command=name, count=often.phase)
    if often.seat and used["seat"] >= often.seat:
        return msg("You have used {command} as often as one game allows: {count}.", command=name, count=often.seat)
    if often.day and used["day"] >= often.day:
        return msg("You have used {command} as often as one day allows: {count}.", command=name, count=often.day)
    return None


def _address_limit_reached(answer: SeatAnswer, command: LetterCommand, line: CommandLine) -> Msg | None:
    """Return the reason why no further named address is written to.

    None if one may be.
    """
    address = _address_in(command, line)
    if not address:
        return None
    session, limits, now = answer.session, answer.server.settings.limits, answer.now
    session.flush()
    address_count = queries.inbox.count_addresses_of(
        session, answer.seat.person_id, now - timedelta(days=codes.CODE_DAYS)
    )
    if address_count >= limits.named_by_one:
        return msg(
            "I have written to {count} addresses for you within {days} days, and write to no more of them for now.",
            count=limits.named_by_one,
            days=codes.CODE_DAYS,
        )
    at_domain = queries.inbox.count_letters_to_named(session, now - DAY, address.rpartition("@")[2])
    if at_domain >= limits.named_at_domain or queries.inbox.count_letters_to_named(session, now - DAY) >= limits.named:
        return msg("I have written to as many addresses that players named as I do in a day; try it tomorrow.")
    return None


def count_command(answer: SeatAnswer, command: LetterCommand, line: CommandLine) -> None:
    """Count an executed command, if it is limited."""
    address, limits = _address_in(command, line), command.often
    if address or limits.phase or limits.seat or limits.day:
        hot_statements.insert_numbered(
            answer.session,
            tables.Use,
            command=line.name,
            seat_id=answer.seat.id,
            person_id=answer.seat.person_id,
            phase_id=answer.current.id if answer.current is not None else None,
            about=base_address(address) if address else "",
            at=answer.now,
        )


def refusal_after(line: CommandLine, fault: Mistake) -> Msg:
    """Return the sentence on a command made impossible by those above it."""
    return shorten_gaps(
        msg(
            "Line {line}, {text}: not carried out. {why}",
            line=line.line,
            text=line.text.strip() or line.phrase,
            why=fault.rejected.why,
        )
    )


def _address_in(command: LetterCommand, line: CommandLine) -> str:
    return command.names(line) if command.names is not None else ""


def _name(line: CommandLine, command: LetterCommand) -> str:
    return line.phrase or command.form.example.split()[0]


# Lines above or below a block of orders: executed, refused, or reported as unparsed.
#
# Whoever writes below END means it as much as what is above. Commands there are carried out after the orders; an order
# that stands outside of its block, and a CANCEL below new orders, are asked about, and nothing of the letter is done.


_TAKE_BACK = ("cancel", "cancel-later", "cancel-standing")


def commands_above(parsed: ParsedLetter) -> tuple[CommandLine, ...]:
    """Return the commands that are executed before the block."""
    return tuple(command for command in parsed.commands if not _is_below(parsed, command.line))


def commands_below(parsed: ParsedLetter) -> tuple[CommandLine, ...]:
    """Return the commands that are executed after the block is queued."""
    return tuple(command for command in parsed.commands if _is_below(parsed, command.line))


def mistakes_outside_blocks(answer: SeatAnswer, parsed: ParsedLetter) -> list[Mistake]:
    """Return lines outside a block that contradict it or belong into it, as mistakes."""
    blocks = _block_lines(parsed)
    if not blocks:
        return []
    ambiguity = msg(
        "Below orders of the same letter this could mean those or older ones. Above them it takes back what you sent "
        "before; without them it takes back all."
    )
    mistakes = [command.wrong(ambiguity) for command in commands_below(parsed) if command.name in _TAKE_BACK]
    reason = msg("This is an order, and stands outside of the block: put it between ORDERS and END.")
    return mistakes + [
        make_mistake(unparsed.line, unparsed.text, unparsed.text.strip(), reason)
        for unparsed in parsed.left
        if _is_order_line(answer, unparsed)
    ]


def mark_commands_in_blocks(answer: SeatAnswer, blocks: Sequence[OrderBlock], forms: CommandForms) -> None:
    """Explain, for refused block lines that are commands, where commands go.

    None of them is read as an order.
    """
    inside = {number: line for block in blocks for number, line in enumerate(block.lines, block.first)}
    placed: dict[int, Mistake] = {}
    for error in answer.errors:
        line = inside.get(error.rejected.line, "").strip()
        first = next(iter(tokens(line)), None)
        bare_line = bounds.bare(line)
        if (
            first is None
            or error.rejected.line in placed
            or bounds.says_done(bare_line)
            or begins_standing_orders(bare_line)
        ):
            continue
        parsed_lines = read_outside_lines([(1, line)], forms, answer.server.settings.limits, LinePlace()).said
        reason: Msg | None = None
        if parsed_lines:
            phrase = " ".join(line.split()[: len(parsed_lines[0].phrase.split())])
            reason = _command_within(phrase.upper())
        elif first.text == error.rejected.word and forms.begins_with_command(bare_line):
            reason = msg(
                "{command} is a command, but what follows it is not understood; it stands above ORDERS or below END",
                command=first.text.upper(),
            )
        if reason is not None:
            placed[error.rejected.line] = make_mistake(error.rejected.line, line, line, reason)
    errors = [error_left for error_left in answer.errors if error_left.rejected.line not in placed]
    answer.errors = [*errors, *placed.values()]


def _command_within(command: str) -> Msg:
    return msg("{command} is a command: put it above ORDERS or below END", command=command)


COMMAND_WITHIN = _command_within("").text
"""The mistake of a whole command within a block: the returned letter has it above."""


def unparsed_sentences(answer: SeatAnswer, lines: Iterable[UnparsedLine]) -> list[Msg]:
    """Return sentences on lines that look like commands and were not executed.

    Those below END share one sentence, and so do orders below a farewell.
    """
    lines = list(lines)
    sentences = [
        msg(
            "Line {line} was not carried out: {text}. If it is meant as a command, send it by itself.",
            line=unparsed.line,
            text=_first_characters(unparsed),
        )
        for unparsed in lines
        if unparsed.meant
    ]
    ended = [_first_characters(unparsed) for unparsed in lines if unparsed.ended and _begins_order(answer, unparsed)]
    if ended:
        sentences.append(msg("I read nothing below your farewell: {texts}.", texts=_shorten(ended)))
    below = [_first_characters(unparsed) for unparsed in lines if unparsed.below and not unparsed.meant]
    if below:
        shown = _shorten(below)
        sentences.append(
            msg(
                "Below END I read only commands, one a line, and did not use: {texts}. Send what you meant by it as a "
                "command (HELP lists them), or as an order above END.",
                texts=shown,
            )
        )
    return sentences


def _shorten(texts: Sequence[str]) -> tuple[str, ...]:
    return (*texts[:_MOST_SHOWN], *(["..."] if len(texts) > _MOST_SHOWN else []))


def _first_characters(unparsed: UnparsedLine) -> str:
    return unparsed.text.strip()[:_SHOWN].rstrip(" .!")


_SHOWN, _MOST_SHOWN = 60, 3
"""Characters of a line, and lines, that an answer repeats: enough to find them; the author has the letter."""


def _block_lines(parsed: ParsedLetter) -> list[int]:
    return [block.line for block in (parsed.block, *parsed.later) if block is not None]


def _is_below(parsed: ParsedLetter, line: int) -> bool:
    return any(line > start for start in _block_lines(parsed))


def _is_order_line(answer: SeatAnswer, unparsed: UnparsedLine) -> bool:
    """Return whether a line above a farewell begins with an order's word in capitals."""
    is_upper = unparsed.text.split()[0].isupper()
    return is_upper and not unparsed.ended and _begins_order(answer, unparsed)


def _begins_order(answer: SeatAnswer, unparsed: UnparsedLine) -> bool:
    """Return whether a line of several words begins with an order's word."""
    position, text = answer.here, unparsed.text.strip()
    return position is not None and len(text.split()) > 1 and position.rules.aids.begins(text, False)
