"""Questions of a seat: map, moves, rules, charts, history. They are answered from its view and change nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches

from pbem.campaign.base import history, letters
from pbem.campaign.base.command_lines import Command
from pbem.campaign.base.letters import Mistake
from pbem.campaign.base.positions import Position
from pbem.campaign.commands.answer import Desk
from pbem.campaign.commands.questions import forecast, prediction
from pbem.campaign.commands.table import press
from pbem.campaign.turn import attempts
from pbem.core.data.messages import msg, plain
from pbem.core.data.report import Entry
from pbem.core.game import Game
from pbem.store import queries, tables

__all__ = [
    "chart",
    "chart_wrong",
    "map_wrong",
    "moves",
    "rule",
    "rule_wrong",
    "show_map",
    "told_past",
    "told_past_wrong",
]

_ROOM = 90
"""Lines that a history may take before its arithmetic is left out."""


def show_map(desk: Desk, command: Command) -> None:
    """The map as it is now, or as it was when a turn began."""
    here = _begun(desk)
    if here is None:
        return
    turn, seat = _turns(command.rest)[0] if command.rest else None, desk.seat.name
    title, state = msg("The map now"), here.state
    phase = queries.phases.first_of_turn(desk.session, desk.game.id, turn) if turn is not None else None
    if phase is not None:
        state = history.state_after(desk.session, desk.office, desk.game, phase.number - 1)
        title = msg("The map as turn {turn} began", turn=phase.turn)
    desk.say("answer")
    desk.blocks.append(letters.told(title, here.rules.telling.text_map(here.rules.view(state, seat), seat)))


def map_wrong(desk: Desk, command: Command) -> Mistake | None:
    """A turn that has not begun has no map."""
    if not command.rest or desk.here is None:
        return None
    turn = _turns(command.rest)[0]
    if queries.phases.first_of_turn(desk.session, desk.game.id, turn) is not None:
        return None
    return command.wrong(msg("There was no turn {turn} so far.", turn=turn), command.phrase, word=command.said)


def moves(desk: Desk, command: Command) -> None:
    """What the seat's units in a place could be ordered to do."""
    here = _begun(desk)
    if here is None:
        return
    seat = desk.seat.name
    said = here.rules.aids.moves(here.rules.view(here.state, seat), seat, command.said)
    desk.say("answer")
    title = msg("What could be ordered in {place}", place=command.said)
    desk.blocks.append(letters.told(title, [(0, line) for line in said]))


def rule(desk: Desk, command: Command) -> None:
    """A rule and those below it, one line each."""
    desk.say("answer")
    title = msg("Rule {number}", number=command.rest.upper())
    desk.blocks.append(letters.block(title, _rules(desk).rulebook.rule(command.rest.upper(), desk.seat.language)))


def rule_wrong(desk: Desk, command: Command) -> Mistake | None:
    """A number that no rule has."""
    if _rules(desk).rulebook.rule(command.rest.upper()):
        return None
    return command.wrong(msg("There is no rule {number} in this game.", number=command.rest.upper()), word=command.said)


def chart(desk: Desk, command: Command) -> None:
    """A chart as it stands in this game's edition, or the names of all."""
    desk.say("answer")
    edition = desk.office.edition_of(desk.session, desk.game)
    text = _rules(desk).rulebook.chart(command.rest, edition) if command.rest else None
    if text is None:
        desk.blocks.append(letters.block(msg("The charts of this game"), _rules(desk).rulebook.charts()))
    else:
        lines = text.rstrip("\n").split("\n")
        desk.blocks.append(letters.block(msg("Chart {name}", name=command.said), lines))


def chart_wrong(desk: Desk, command: Command) -> Mistake | None:
    """A name that no chart has; those that look like it are offered."""
    rules = _rules(desk)
    if not command.rest or rules.rulebook.chart(command.rest) is not None:
        return None
    names = {word.casefold(): word for name in rules.rulebook.charts() for word in name.split()}
    near = [f"{command.phrase} {names[word]}" for word in get_close_matches(command.rest, names, n=3)]
    return command.wrong(
        msg("There is no chart {name}; CHART alone lists them all.", name=command.said), *near, word=command.said
    )


def told_past(desk: Desk, command: Command) -> None:
    """What the seat saw happen in some turns, by phase; without turns, in the last one that something happened in."""
    here = _begun(desk)
    if here is None:
        return
    done = queries.phases.resolved(desk.session, desk.game.id)
    ruled = prediction.told(desk.session, desk.game, *_ruled_in(command, done))
    if not done and not ruled:
        desk.say("answer", msg("There is no history yet: nothing has happened."))
        return
    first, last = _asked(command, done)
    told = [
        (phase, history.told(desk.session, desk.office, desk.game, phase, desk.seat.name)[0])
        for phase in done
        if first <= phase.turn <= last
    ]
    desk.say("answer")
    whole = _lines(told, details=True) <= _ROOM
    if not whole:
        desk.opening.append(msg("Arithmetic and dice are shortened to keep this letter readable."))
    for phase, entries in told:
        title = msg("Turn {turn}, {phase}", turn=phase.turn, phase=phase.name)
        lines = forecast.as_lines(entries, whole) or [(0, msg("Nothing that you saw."))]
        desk.blocks.append(letters.told(title, lines))
    desk.blocks += attempts.told_past(desk, here, first, last)
    desk.blocks += [
        press.shown(desk.session, row) for row in press.heard(desk.session, desk.game, desk.seat, first, last)
    ]
    desk.blocks += [letters.told(msg("Rulings"), ruled)] if ruled else []


def _asked(command: Command, done: Sequence[tables.Phase]) -> tuple[int, int]:
    """The first and the last turn that a history is asked of; without any the last in which something is over."""
    return _span(command.rest) if command.rest else (done[-1].turn, done[-1].turn) if done else (0, 0)


def _ruled_in(command: Command, done: Sequence[tables.Phase]) -> tuple[int, int]:
    """The turns whose rulings belong to it: those of the first also from before, and without turns all since."""
    first, last = _asked(command, done)
    return first if first > 1 else 0, last if command.rest else prediction.EVER


def told_past_wrong(desk: Desk, command: Command) -> Mistake | None:
    """Turns of which nothing is over yet."""
    done = queries.phases.resolved(desk.session, desk.game.id)
    if not command.rest or not done:
        return None
    first, last = _span(command.rest)
    if any(first <= phase.turn <= last for phase in done):
        return None
    why = msg("Nothing is over of those turns; the last that can be told is turn {turn}.", turn=done[-1].turn)
    return command.wrong(why, f"{command.phrase} T{done[-1].turn}", word=command.said)


def _lines(told: Sequence[tuple[tables.Phase, Sequence[Entry]]], details: bool) -> int:
    """About how many lines a history takes."""
    said = [line for _, entries in told for _, line in forecast.as_lines(entries, details)]
    return 2 * len(told) + sum(1 + len(plain(line)) // 62 for line in said)


def _begun(desk: Desk) -> Position | None:
    if desk.here is None:
        desk.say("answer", msg("The game has not begun."))
    return desk.here


def _rules(desk: Desk) -> Game:
    return desk.office.rules_of(desk.game)


def _turns(rest: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", rest)]


def _span(rest: str) -> tuple[int, int]:
    turns = sorted(_turns(rest))
    return turns[0], turns[-1]
