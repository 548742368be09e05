"""M2, M4 Orders that only commanders write: order of sets, waiting, transfers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from pbem.engine.commanders.holding import Command, RuleNumbers, commands_of_side, cover_refusal, seat_of_unit
from pbem.engine.data.messages import msg
from pbem.engine.orders.cursor import Reader, Wrong
from pbem.engine.orders.grammar import Form, Ids, ReadingContext, Slot, form
from pbem.engine.orders.lex import Vocabulary
from pbem.engine.orders.names import Names
from pbem.engine.orders.standing import flat
from pbem.engine.terms import RejectedLine


class March(NamedTuple):
    """M2 ORDER OF MARCH: these commands' sets first, then the others by rank."""

    line: int
    commands: Ids


class Wait(NamedTuple):
    """M2.1 WAIT FOR: carry out one's own set after that of another command."""

    line: int
    command: str


class Show(NamedTuple):
    """M5 SHOW SIDE: let the side's other commanders see the set.

    They see it before the phase closes.
    """

    line: int


class Assign(NamedTuple):
    """M4 ASSIGN: put units under another command from the next turn on."""

    line: int
    units: Ids
    command: str


class Relieve(NamedTuple):
    """M4 RELIEVE: take a commander's units away; the commander-in-chief gets them."""

    line: int
    command: str


class Cover(NamedTuple):
    """M4 COVER: order moves and retreats of a command that sent no orders last phase."""

    line: int
    command: str


_FIRST = (March, Wait, Show, Cover)
_COVERED = ("Move", "Retire")
"""The orders that the covering commander may give to units of the covered command."""


def _rule(numbers: RuleNumbers, kind: type) -> str:
    return {March: numbers.sets, Wait: numbers.waits, Show: numbers.together}.get(kind, numbers.gives)


def _command(reader: Reader, known: ReadingContext[Any]) -> str:
    """Read a command of one's side by its seat or its leader."""
    beside = commands_of_side(known.view, known.view.commanding)
    if not beside:
        raise reader.wrong(
            msg("in this game one commander orders all units of your side"), known.view.edition.ON_COMMANDERS.own
        )
    names = Names(
        {member.seat: (member.leader, known.view.edition.names.get(member.leader, member.leader)) for member in beside}
    )
    seats = tuple(member.seat for member in beside)
    return reader.name(names, lambda word: msg("{word} is no command of your side: {seats}", word=word, seats=seats))


def _show(reader: Reader, known: ReadingContext[Any]) -> Show:
    if not known.view.commanding:
        raise reader.wrong(
            msg("in this game one commander orders all units of your side"), known.view.edition.ON_COMMANDERS.own
        )
    return Show(reader.line)


def _cover(reader: Reader, known: ReadingContext[Any]) -> Cover:
    seat, view = _command(reader, known), known.view
    if seat == view.commanding:
        raise reader.wrong(msg("this is your own command"), view.edition.ON_COMMANDERS.gives)
    if why := cover_refusal(view, view.commanding, seat):
        raise reader.wrong(why, view.edition.ON_COMMANDERS.gives)
    return Cover(reader.line, seat)


def command_slot() -> Slot[Any]:
    """Return the slot for a command of one's side."""
    return Slot(_command)


def or_partner_units(slot: Slot[object]) -> Slot[Any]:
    """M2.2 Return a slot that also reads units of the joint partner's command."""

    def read(reader: Reader, known: ReadingContext[object]) -> Any:
        others = known.lexicon.others
        if not others:
            return slot.read(reader, known)
        partner = _partner(reader, known)
        remaining = {ident: holder for ident, holder in others.items() if holder != partner}
        return slot.read(reader, known._replace(lexicon=known.lexicon._replace(others=remaining)))

    return slot._replace(read=read)


def _partner(reader: Reader, known: ReadingContext[object]) -> str:
    """Return the command after JOINT WITH, anywhere in the line; empty if none."""
    start, partner = reader.at, ""
    for index in range(len(reader.words)):
        reader.at = index
        if reader.accept("JOINT WITH"):
            with suppress(Wrong):
                partner = _command(reader, known)
            break
    reader.at = start
    return partner


def _commands(reader: Reader, known: ReadingContext[object]) -> Ids:
    commands = [_command(reader, known)]
    while reader.mark(","):
        commands.append(_command(reader, known))
    return tuple(commands)


def _anyones(reader: Reader, known: ReadingContext[object]) -> Ids:
    """M4 Read units of the side under any commander."""
    return tuple(sorted(reader.names(known.lexicon.mine, lambda word: msg("{unit} is not yours", unit=word))))


_SLOTS: Mapping[str, Slot[Any]] = {
    "command": command_slot(),
    "commands": Slot(_commands, ", ".join),
    "units": Slot(_anyones, ", ".join),
}


def command_forms(words: Vocabulary, numbers: RuleNumbers) -> Sequence[Form[Any, Any]]:
    """Return the forms of these orders in a game's words and rule numbers."""
    return (
        form("ORDER OF MARCH {commands:commands}", March, _SLOTS, words, numbers.sets),
        Form("SHOW SIDE", Show, _show, lambda show: "SHOW SIDE", numbers.together),
        form("WAIT FOR {command:command}", Wait, _SLOTS, words, numbers.waits),
        form("ASSIGN {units:units} TO {command:command}", Assign, _SLOTS, words, numbers.gives),
        form("RELIEVE {command:command}", Relieve, _SLOTS, words, numbers.gives),
        Form("COVER", Cover, _cover, lambda cover: f"COVER {cover.command}", numbers.gives),
    )


def _beyond_cover(view: Any, actions: Sequence[Any]) -> Iterator[RejectedLine]:
    """M4 Yield refused lines: orders to covered units other than move and retire."""
    covered = {action.command for action in actions if isinstance(action, Cover)}
    if not covered:
        return
    for action in flat(actions, lambda order: getattr(order, "actions", ())):
        if type(action).__name__ in (*_COVERED, "Assign"):
            continue
        for unit in _words_of(action):
            if (holder := seat_of_unit(view, unit)) in covered:
                why = msg(
                    "{unit} is under {command}, whom you cover: his units move and retire, and do nothing else",
                    unit=unit,
                    command=holder,
                )
                yield RejectedLine(action.line, 0, unit, why, view.edition.ON_COMMANDERS.gives)
                break


def _words_of(part: object) -> Iterator[str]:
    """Yield the words of an order, including its units, without orders within it."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, tuple):
        for item in part:
            if not hasattr(item, "line"):
                yield from _words_of(item)


def split_head(actions: Sequence[object]) -> tuple[Sequence[Any], Sequence[Any]]:
    """Return the head of a set (ORDER OF MARCH, WAIT FOR ...) and the other lines."""
    index = next((place for place, action in enumerate(actions) if not isinstance(action, _FIRST)), len(actions))
    return actions[:index], actions[index:]


def misplaced_lines(view: Any, actions: Sequence[Any]) -> Iterator[RejectedLine]:
    """Yield a set's misplaced lines, and those reserved for the commander-in-chief."""
    seat: str = getattr(view, "commanding", "")
    if not seat:
        return
    numbers: RuleNumbers = view.edition.ON_COMMANDERS
    first, rest = split_head(actions)
    for action in flat(rest, lambda order: getattr(order, "actions", ())):
        if isinstance(action, _FIRST):
            yield RejectedLine(
                action.line, 0, "", msg("this line stands above all other orders"), _rule(numbers, type(action))
            )
    commands: Mapping[str, Command] = view.edition.commands
    own = commands[seat]
    for action in flat(actions, lambda order: getattr(order, "actions", ())):
        if not isinstance(action, (*_FIRST, Assign, Relieve)):
            continue
        rule, among = _rule(numbers, type(action)), commands_of_side(view, seat)
        if own.rank != 1 and isinstance(action, March | Assign | Relieve):
            why = msg("only the commander-in-chief, {seat}, orders this", seat=among[0].seat)
            yield RejectedLine(action.line, 0, "", why, rule)
        elif isinstance(action, Wait | Relieve) and action.command == seat:
            yield RejectedLine(action.line, 0, seat, msg("this is your own command"), rule)
    yield from _beyond_cover(view, actions)
    first = [action for action in first if not isinstance(action, Cover)]
    if len({type(action) for action in first}) < len(first):
        yield RejectedLine(first[-1].line, 0, "", msg("this line stands twice"), _rule(numbers, type(first[-1])))
