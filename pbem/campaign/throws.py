"""DICE: every roll of a turn that a seat saw, under the happening that it was thrown for."""

from __future__ import annotations

from collections.abc import Mapping

from pbem.campaign import foretelling, letters, past, why
from pbem.campaign.desk import Desk
from pbem.campaign.letters import Mistake
from pbem.campaign.positions import Position
from pbem.campaign.reading import Command
from pbem.core.canon import loads
from pbem.core.messages import Msg, msg
from pbem.store import tables

__all__ = ["dice", "dice_wrong"]


def dice(desk: Desk, command: Command) -> None:
    """Tell the rolls of a turn, phase by phase; without one those of the last in which something is over."""
    done = past.resolved(desk.session, desk.game)
    if desk.here is None or not done:
        desk.say("answer", msg("There is no history yet: nothing has happened."))
        return
    turn = _turn(command) or done[-1].turn
    desk.say("answer")
    sides: set[int] = set()
    for phase in done:
        if phase.turn == turn:
            title = msg("Dice of turn {turn}, {phase}", turn=turn, phase=phase.name)
            lines = _told(desk, desk.here, phase, sides)
            desk.blocks.append(letters.told(title, lines or [(0, msg("No dice that you saw."))]))
    if 2 in sides:
        desk.closing.append(msg("A coin is a die of two sides: 2 is heads, 1 is tails."))
    desk.closing.append(msg("WHY and the number of a happening takes its dice apart."))


def dice_wrong(desk: Desk, command: Command) -> Mistake | None:
    """A turn of which nothing is over yet."""
    done = past.resolved(desk.session, desk.game)
    turn = _turn(command)
    if not turn or not done or any(phase.turn == turn for phase in done):
        return None
    told = msg("Nothing is over of those turns; the last that can be told is turn {turn}.", turn=done[-1].turn)
    return command.wrong(told, f"{command.phrase} T{done[-1].turn}", word=command.said)


def _turn(command: Command) -> int:
    return int("".join(c for c in command.rest if c.isdigit()) or 0)


def _told(desk: Desk, here: Position, phase: tables.Phase, sides: set[int]) -> list[tuple[int, Msg]]:
    """Each happening that the seat saw dice of, as its report numbers it, and the dice; what `sides` they had."""
    rolls = {label: (n, sides, values) for label, n, sides, values in loads(phase.rolls or "[]")}
    what, number, lines = why.look(desk, here, phase), 1, list[tuple[int, Msg]]()
    while (because := why.because_of(desk, here, what, number)) is not None:
        if because.labels:
            lines += foretelling.as_lines([because.entry], details=False, first=number)
            lines += [(1, _roll(label, rolls)) for label in because.labels]
            sides.update(rolls[label][1] for label in because.labels)
        number += 1
    return lines


def _roll(label: str, rolls: Mapping[str, tuple[int, int, list[int]]]) -> Msg:
    n, sides, values = rolls[label]
    shown = " ".join(map(str, values))
    return msg("{label}: {n}d{sides} = {values}", label=label, n=n, sides=sides, values=shown)
