"""DICE: every roll of a turn that a seat saw, under the happening that it was thrown for, and what hung on it.

Of several turns together only what hung on their dice is told.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pbem.engine.data.canon import loads
from pbem.engine.data.messages import Msg, msg
from pbem.engine.run.labels import in_words
from pbem.letters import content, outbox
from pbem.letters.command_words import TURNS, Form
from pbem.letters.content import Mistake
from pbem.letters.unparsed_lines import Line
from pbem.log import grades
from pbem.play.commands.answer import Answer
from pbem.play.commands.command import Command, Often
from pbem.play.commands.questions import forecast, luck_letter, why
from pbem.play.positions import Position
from pbem.store import queries, tables


def dice(answer: Answer, command: Line) -> None:
    """Tell the rolls of a turn, phase by phase; without one those of the last in which something is over."""
    done = queries.phases.resolved(answer.session, answer.game.id)
    if answer.here is None or not done:
        answer.say("answer", msg("There is no history yet: nothing has happened."))
        return
    first, last = _turns(command, done)
    rows = [phase for phase in done if first <= phase.turn <= last]
    answer.say("answer")
    if first == last:
        _tell(answer, answer.here, rows)
    if answer.here.rules.scored is not None:
        _tell_luck(answer, answer.here, rows, first, last)
    if first == last:
        answer.closing.append(msg("WHY and the number of a happening takes its dice apart."))


def dice_wrong(answer: Answer, command: Line) -> Mistake | None:
    """Turns of which nothing is over yet; several, in a game whose dice cannot be weighed."""
    done = queries.phases.resolved(answer.session, answer.game.id)
    if not command.rest or not done or answer.here is None:
        return None
    first, last = _turns(command, done)
    if not any(first <= phase.turn <= last for phase in done):
        told = msg("Nothing is over of those turns; the last that can be told is turn {turn}.", turn=done[-1].turn)
        return command.wrong(told, f"{command.phrase} T{done[-1].turn}", word=command.said)
    if first < last and answer.here.rules.scored is None:
        told = msg("This game does not say what its dice are worth: their rolls are told turn by turn.")
        return command.wrong(told, f"{command.phrase} T{last}", word=command.said)
    return None


def _turns(command: Line, done: Sequence[tables.Phase]) -> tuple[int, int]:
    turns = sorted(int(number) for number in re.findall(r"\d+", command.rest)) or [done[-1].turn]
    return turns[0], turns[-1]


def _tell(answer: Answer, here: Position, rows: Sequence[tables.Phase]) -> None:
    """The rolls of a turn."""
    sides: set[int] = set()
    for phase in rows:
        title = msg("Dice of turn {turn}, {phase}", turn=phase.turn, phase=phase.name)
        lines = _happenings(answer, here, phase, sides)
        lines = lines or [(0, msg("No dice that you saw."))]
        answer.blocks.append(content.sentences(title, [*lines, *_grade(answer, phase)]))
    if 2 in sides:
        answer.closing.append(msg("A coin is a die of two sides: 2 is heads, 1 is tails."))


def _tell_luck(answer: Answer, here: Position, rows: Sequence[tables.Phase], first: int, last: int) -> None:
    """What hung on the dice, which is reckoned later, and what it is reckoned from."""
    title = msg("What hung on the dice of turn {turn}", turn=first)
    if first < last:
        title = msg("What hung on the dice of turns {first} to {last}", first=first, last=last)
    answer.blocks.append(luck_letter.promise(title, rows, answer.seat.name))
    answer.closing.append(_EXPLAINED)
    if answer.game.state != "over":
        answer.closing.append(_FROM_WHAT_YOU_SAW)


_EXPLAINED = msg(
    "Luck is what a throw brought less what it was to bring on the average, in victory points, yours less the enemy's; "
    "losses count in fractions of a point. The deviation says how much hung on it. HELP dice tells more."
)
_FROM_WHAT_YOU_SAW = msg(
    "It is reckoned from what you saw and ordered, as if the others kept to the default of the rules."
)


def _happenings(answer: Answer, here: Position, phase: tables.Phase, sides: set[int]) -> list[tuple[int, Msg]]:
    """Each happening that the seat saw dice of, as its report numbers it, and the dice; what `sides` they had."""
    rolls = {label: (n, sides, values) for label, n, sides, values in loads(phase.rolls or "[]")}
    what, number, lines = why.look(answer, here, phase), 1, list[tuple[int, Msg]]()
    while (because := why.because_of(answer, here, what, number)) is not None:
        if because.labels:
            lines += forecast.as_lines([because.entry], details=False, first=number)
            lines += [(1, _roll(label, rolls)) for label in because.labels]
            sides.update(rolls[label][1] for label in because.labels)
        number += 1
    return lines


def _grade(answer: Answer, phase: tables.Phase) -> list[tuple[int, Msg]]:
    """How well it is proven that nobody chose or foresaw the dice of a phase."""
    grade = grades.grade(answer.session, answer.game, str(outbox.phase_of(phase))).claim
    return [(0, msg("Grade {grade}, as HELP dice has it.", grade=grade))]


def _roll(label: str, rolls: Mapping[str, tuple[int, int, list[int]]]) -> Msg:
    n, sides, values = rolls[label]
    shown = " ".join(map(str, values))
    return msg("{roll}: {n}d{sides} = {values}", roll=in_words(label), n=n, sides=sides, values=shown)


COMMANDS = (
    Command(
        Form("dice", ("DICE", "DADOS"), TURNS, "DICE T1", "DADOS T1"),
        dice,
        check=dice_wrong,
        costly=True,
        help=(
            msg(
                "DICE, DICE T3: every roll that you saw in that turn, what hung on it. DICE T1-T5: how lucky you were."
            ),
        ),
        often=Often(letter=3),
    ),
)
