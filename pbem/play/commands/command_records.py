"""What a command is: how it is written, what it does, what can be wrong with it, what HELP tells of it.

Each stands below its functions, in the tuple at the end of their file; `catalogue` has all of them in order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple

from pbem.engine.data.messages import Msg, by_number, msg
from pbem.engine.orders import block as bounds
from pbem.engine.orders.lex import tokens
from pbem.engine.war import chain
from pbem.letters import codes
from pbem.letters.codes import Asker, Said
from pbem.letters.command_lines import Block, Understood
from pbem.letters.commands import Form, Forms, Left, Line, Surroundings, outside
from pbem.letters.content import Mistake, mistake, shortened
from pbem.mail.address import base_address
from pbem.play.commands.answer import SeatAnswer
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import Transaction
from pbem.store import hot_statements, queries, tables

Visit = Callable[[Transaction, Asker, Line], Said]
"""What a command does for somebody without a seat, and says of it."""


class Often(NamedTuple):
    """How often a command may be used: in a letter; by one seat in a phase, in the game, in a day. 0 is no limit."""

    letter: int = 1
    phase: int = 0
    seat: int = 0
    day: int = 0


ONCE = Often()
"""The default: once in a letter, and as many letters as one likes."""


@dataclass(frozen=True)
class Command:
    """One command of a player's letter.

    `check` says what is wrong with it that only the game or the world knows, and is asked before anything is done.
    `visit` is what it does for somebody without a seat; one without it needs a seat. `help` is what HELP commands
    tells of it. `costly` marks a question that runs the rules. `often` says how often it may be used. HELP lists it
    where the game at hand `fits` it and it is `served` here. One `after_orders` is carried out when the orders of its
    letter are in, wherever it stands. `names` gives the
    address in a line of it that is written to because it stands there, or nothing.
    """

    form: Form
    do: Callable[[SeatAnswer, Line], None]
    check: Callable[[SeatAnswer, Line], Mistake | None] | None = None
    visit: Visit | None = None
    help: tuple[Msg, ...] = ()
    costly: bool = False
    often: Often = ONCE
    fits: Callable[[SeatAnswer], bool] | None = None
    served: Callable[[Transaction], bool] | None = None
    after_orders: bool = False
    names: Callable[[Line], str] | None = None


def for_seat(visit: Visit) -> Callable[[SeatAnswer, Line], None]:
    """Make of what a command does for visitors what it does for a seat: the asker is the seat's registered address."""

    def do(answer: SeatAnswer, line: Line) -> None:
        said = visit(answer, _asker(answer), line)
        answer.say(said.kind, *said.sentences)
        answer.blocks += said.blocks

    return do


def _asker(answer: SeatAnswer) -> Asker:
    """The player of the seat that wrote; LookupError if the seat has none."""
    email = queries.persons.email_of(answer.session, answer.seat.person_id)
    if email is None:
        raise LookupError(f"nobody has the seat {answer.seat.name} of {answer.game.id}")
    return Asker(email, answer.seat.language, answer.seat.zone, vouched=True)


# What the game at hand must have for a command, and this server: HELP lists none that could only be refused.


def is_offered(work: Transaction, command: Command) -> bool:
    """Return whether HELP lists a command: for a seat by its game and this server, else by this server alone."""
    if command.served is not None and not command.served(work):
        return False
    return not isinstance(work, SeatAnswer) or command.fits is None or command.fits(work)


def terms_of(answer: SeatAnswer) -> Terms:
    """Return the terms of the game."""
    return Terms.read(answer.game.terms)


def has_opponent(answer: SeatAnswer) -> bool:
    """Return whether anybody else plays, other than bots."""
    return any(seat.id != answer.seat.id and not seat.bot for seat in answer.seats)


def has_press(answer: SeatAnswer) -> bool:
    """Return whether letters are passed on to anybody."""
    return has_opponent(answer) and terms_of(answer).press != "none"


def has_camp(answer: SeatAnswer) -> bool:
    """Return whether peace can be made: in the camps of a war alone."""
    return answer.game.system == chain.CAMP


def has_forecast(answer: SeatAnswer) -> bool:
    """Return whether the game reckons odds."""
    return answer.server.rules_of(answer.game).forecast is not None


def has_tournament(work: Transaction) -> bool:
    """Return whether the game is of a tournament; for others, whether one goes on here."""
    if isinstance(work, SeatAnswer):
        return queries.tournaments.board_of(work.session, work.game.id) is not None
    return queries.tournaments.next_wake(work.session) is not None


def founds_games(work: Transaction) -> bool:
    """Return whether games are set up by letter here."""
    return work.server.settings.play.who != "off"


# How often a command may be used, as its record says: in a letter, a phase, a game, a day; and whom it reaches.
#
# What stands in a letter once too often is told and not done, and so is what cannot be done any more once the lines
# above it were carried out: each command is held against the game again where another of its kind came before it.


MOST_COSTLY = 3
"""Questions of a letter that run the rules: each of them takes as long as a hundred others."""
_DAY = timedelta(days=1)
_LINES = 10
"""How many of the surplus lines of one kind an answer names."""


def commands_within(said: Sequence[Line], commands: dict[str, Command]) -> tuple[tuple[Line, ...], tuple[Msg, ...]]:
    """The commands of a letter that may be in it together, and what is told of those that stand there too often.

    Questions that run the rules are counted together, whatever they ask.
    """
    times: Counter[str] = Counter()
    kept: list[Line] = []
    left: dict[str, list[Line]] = {}
    for line in said:
        costly = commands[line.name].costly
        kind = _COSTLY if costly else line.name
        times[kind] += 1
        if times[kind] > (MOST_COSTLY if costly else most_in_a_letter(commands[line.name])):
            left.setdefault(kind, []).append(line)
        else:
            kept.append(line)
    told = [_ask_again(lines) if kind == _COSTLY else _too_often(commands[kind], lines) for kind, lines in left.items()]
    return tuple(kept), tuple(told)


_COSTLY = "costly"
"""Under what the questions that run the rules are counted; no command has that name."""


def _ask_again(lines: Sequence[Line]) -> Msg:
    """What is told of questions past the number that one letter answers of those that take long."""
    return msg(
        "ODDS, HINT, WHY, DICE and TEST: {count} in a letter, all told. Not answered here, by line: {lines}. "
        "Ask again.",
        count=MOST_COSTLY,
        lines=_numbers(lines),
    )


def _numbers(lines: Sequence[Line]) -> tuple[int | str, ...]:
    numbers = tuple(dict.fromkeys(line.line for line in lines))
    return numbers if len(numbers) <= _LINES else (*numbers[:_LINES], "...")


def most_in_a_letter(command: Command) -> int:
    """How often a command counts in one letter."""
    return command.often.letter


def _too_often(command: Command, lines: Sequence[Line]) -> Msg:
    shown = _numbers(lines)
    name = _name(lines[0], command)
    once = msg("{command} counts once in a letter; not carried out once more: {lines}.", command=name, lines=shown)
    often = msg(
        "{command} counts {count} times in a letter; not carried out any more: {lines}.",
        command=name,
        count=command.often.letter,
        lines=shown,
    )
    return by_number(command.often.letter, once, often)


def objection(answer: SeatAnswer, command: Command, line: Line) -> Mistake | None:
    """What is wrong with a command as the game stands, or because it was used so often."""
    wrong = command.check(answer, line) if command.check is not None else None
    if wrong is not None:
        return wrong
    why = _used_up(answer, command, line) or _written_enough(answer, command, line)
    return None if why is None else line.wrong(why)


def _used_up(answer: SeatAnswer, command: Command, line: Line) -> Msg | None:
    often = command.often
    if not (often.phase or often.seat or often.day):
        return None
    answer.session.flush()
    used = queries.inbox.uses(answer.session, answer.seat, line.name, answer.now - _DAY)
    phase = used.get(str(answer.current.id), 0) if answer.current is not None else 0
    name = _name(line, command)
    if often.phase and phase >= often.phase:
        return msg("{command} was used as often as it may be in one phase: {count}.", command=name, count=often.phase)
    if often.seat and used["seat"] >= often.seat:
        return msg("{command} was used as often as it may be in one game: {count}.", command=name, count=often.seat)
    if often.day and used["day"] >= often.day:
        return msg("{command} was used as often as it may be in one day: {count}.", command=name, count=often.day)
    return None


def _written_enough(answer: SeatAnswer, command: Command, line: Line) -> Msg | None:
    """Return why no further address that this player names is written to; None if one may be."""
    whom = _whom(command, line)
    if not whom:
        return None
    session, limits, now = answer.session, answer.server.settings.limits, answer.now
    session.flush()
    open_ = queries.inbox.strangers_of(session, answer.seat.person_id, now - timedelta(days=codes.DAYS))
    if open_ >= limits.named_by_one:
        return msg(
            "I have written to {count} addresses for you within {days} days, and write to no more of them for now.",
            count=limits.named_by_one,
            days=codes.DAYS,
        )
    at_domain = queries.inbox.strangers_since(session, now - _DAY, whom.rpartition("@")[2])
    if at_domain >= limits.named_at_domain or queries.inbox.strangers_since(session, now - _DAY) >= limits.named:
        return msg("I have written to as many addresses that players named as I do in a day; try it tomorrow.")
    return None


def count_command(answer: SeatAnswer, command: Command, line: Line) -> None:
    """Count a command that was carried out, if it is counted."""
    whom, often = _whom(command, line), command.often
    if whom or often.phase or often.seat or often.day:
        hot_statements.add(
            answer.session,
            tables.Use,
            command=line.name,
            seat_id=answer.seat.id,
            person_id=answer.seat.person_id,
            phase_id=answer.current.id if answer.current is not None else None,
            about=base_address(whom) if whom else "",
            at=answer.now,
        )


def refused_after(line: Line, wrong: Mistake) -> Msg:
    """What is told of a command that could be when the letter came, and could not once those above it were done."""
    return shortened(
        msg(
            "Line {line}, {text}: not carried out. {why}",
            line=line.line,
            text=line.text.strip() or line.phrase,
            why=wrong.rejected.why,
        )
    )


def _whom(command: Command, line: Line) -> str:
    return command.names(line) if command.names is not None else ""


def _name(line: Line, command: Command) -> str:
    return line.phrase or command.form.example.split()[0]


# What stands beside a block of orders, above its first line or below its END: done, refused, or told of as left.
#
# Whoever writes below END means it as much as what is above. Commands there are carried out after the orders; an order
# that stands outside of its block, and a CANCEL below new orders, are asked about, and nothing of the letter is done.


_TAKE_BACK = ("cancel", "cancel-later", "cancel-standing")


def commands_above(said: Understood) -> tuple[Line, ...]:
    """The commands that are carried out before the block."""
    return tuple(command for command in said.commands if not _is_below(said, command.line))


def commands_below(said: Understood) -> tuple[Line, ...]:
    """The commands that are carried out when the block is queued."""
    return tuple(command for command in said.commands if _is_below(said, command.line))


def order_mistakes(answer: SeatAnswer, said: Understood) -> list[Mistake]:
    """Lines beside a block that contradict it, or that belong into it."""
    blocks = _blocks(said)
    if not blocks:
        return []
    taking = msg(
        "Below orders of the same letter this could mean those or older ones. Above them it takes back what you sent "
        "before; without them it takes back all."
    )
    wrong = [command.wrong(taking) for command in commands_below(said) if command.name in _TAKE_BACK]
    belongs = msg("This is an order, and stands outside of the block: put it between ORDERS and END.")
    return wrong + [mistake(one.line, one.text, one.text.strip(), belongs) for one in said.left if _orders(answer, one)]


def place_commands(answer: SeatAnswer, blocks: Sequence[Block], forms: Forms) -> None:
    """Say of refused lines within blocks that are commands where commands stand; none of them is made an order."""
    inside = {number: line for block in blocks for number, line in enumerate(block.lines, block.first)}
    placed: dict[int, Mistake] = {}
    for error in answer.errors:
        line = inside.get(error.rejected.line, "").strip()
        first = next(iter(tokens(line)), None)
        bare = bounds.bare(line)
        if first is None or error.rejected.line in placed or bounds.done(bare) or bounds.standing(bare) is not None:
            continue
        found = outside([(1, line)], forms, answer.server.settings.limits, Surroundings()).said
        why: Msg | None = None
        if found:
            phrase = " ".join(line.split()[: len(found[0].phrase.split())])
            why = _command_within(phrase.upper())
        elif first.text == error.rejected.word and forms.begin(bare):
            why = msg(
                "{command} is a command, but what follows it is not understood; it stands above ORDERS or below END",
                command=first.text.upper(),
            )
        if why is not None:
            placed[error.rejected.line] = mistake(error.rejected.line, line, line, why)
    errors = [one for one in answer.errors if one.rejected.line not in placed]
    answer.errors = [*errors, *placed.values()]


def _command_within(command: str) -> Msg:
    return msg("{command} is a command: put it above ORDERS or below END", command=command)


COMMAND_WITHIN = _command_within("").text
"""What is said of a whole command within a block: the letter given back has it above."""


def tell_of_left(lines: Iterable[Left]) -> list[Msg]:
    """A sentence for each line that looks like a command and was not carried out."""
    return [
        msg(
            "Line {line} was not carried out: {text}. If it is meant as a command, send it by itself.",
            line=one.line,
            text=one.text.strip()[:_SHOWN].rstrip(" .!"),
        )
        for one in lines
        if one.meant
    ]


_SHOWN = 60


def _blocks(said: Understood) -> list[int]:
    return [block.line for block in (said.block, *said.later) if block is not None]


def _is_below(said: Understood, line: int) -> bool:
    return any(line > at for at in _blocks(said))


def _orders(answer: SeatAnswer, one: Left) -> bool:
    """Whether a line begins with the word of an order, in capitals as orders are shown."""
    words = one.text.split()
    here = answer.here
    return (
        here is not None
        and not one.meant
        and len(words) > 1
        and words[0].isupper()
        and here.rules.aids.begins(one.text.strip(), False)
    )
