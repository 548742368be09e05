"""M2, M4 What commanders write besides their game's orders: who goes first, who waits, who gets a unit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from pbem.engine.commanders.holding import Command, Numbers, command_of, commands_beside, uncovered
from pbem.engine.data.messages import msg
from pbem.engine.orders.cursor import Reader, Wrong
from pbem.engine.orders.grammar import Form, Ids, Known, Slot, form
from pbem.engine.orders.lex import Vocabulary
from pbem.engine.orders.names import Names
from pbem.engine.orders.standing import flat
from pbem.engine.terms import Rejected


class March(NamedTuple):
    """M2 ORDER OF MARCH: the sets of these commands first and in this order, then the others by rank."""

    line: int
    commands: Ids


class Wait(NamedTuple):
    """M2.1 WAIT FOR: one's set behind that of another command."""

    line: int
    command: str


class Show(NamedTuple):
    """M5 SHOW SIDE: the other commanders of the side may see one's set before the phase closes."""

    line: int


class Assign(NamedTuple):
    """M4 ASSIGN: units under another command from the next turn on."""

    line: int
    units: Ids
    command: str


class Relieve(NamedTuple):
    """M4 RELIEVE: all units of a command under the commander-in-chief from the next turn on."""

    line: int
    command: str


class Cover(NamedTuple):
    """M4 COVER: in one's own set units of a command that sent nothing in its last phase move and retire."""

    line: int
    command: str


_FIRST = (March, Wait, Show, Cover)
_COVERED = ("Move", "Retire")
"""The orders that a unit may be given by who covers its command."""


def _rule(numbers: Numbers, kind: type) -> str:
    return {March: numbers.sets, Wait: numbers.waits, Show: numbers.together}.get(kind, numbers.gives)


def _command(reader: Reader, known: Known[Any]) -> str:
    """Read a command of one's side by its seat or its leader."""
    beside = commands_beside(known.view, known.view.commanding)
    if not beside:
        raise reader.wrong(
            msg("in this game one commander orders all units of your side"), known.view.edition.ON_COMMANDERS.own
        )
    names = Names({one.seat: (one.leader, known.view.edition.names.get(one.leader, one.leader)) for one in beside})
    seats = tuple(one.seat for one in beside)
    return reader.name(names, lambda word: msg("{word} is no command of your side: {seats}", word=word, seats=seats))


def _show(reader: Reader, known: Known[Any]) -> Show:
    if not known.view.commanding:
        raise reader.wrong(
            msg("in this game one commander orders all units of your side"), known.view.edition.ON_COMMANDERS.own
        )
    return Show(reader.line)


def _cover(reader: Reader, known: Known[Any]) -> Cover:
    found, view = _command(reader, known), known.view
    if found == view.commanding:
        raise reader.wrong(msg("this is your own command"), view.edition.ON_COMMANDERS.gives)
    if why := uncovered(view, view.commanding, found):
        raise reader.wrong(why, view.edition.ON_COMMANDERS.gives)
    return Cover(reader.line, found)


def command() -> Slot[Any]:
    """A command of one's side."""
    return Slot(_command)


def or_partners(slot: Slot[object]) -> Slot[Any]:
    """M2.2 Read what a slot reads, which may also name units of the command that the line says it is joint with."""

    def read(reader: Reader, known: Known[object]) -> Any:
        others, partner = known.lexicon.others, _partner(reader, known)
        left = {ident: holder for ident, holder in others.items() if holder != partner}
        return slot.read(reader, known._replace(lexicon=known.lexicon._replace(others=left)))

    return slot._replace(read=read)


def _partner(reader: Reader, known: Known[object]) -> str:
    """The command that a line names behind JOINT WITH, wherever that stands; empty if it names none."""
    back, found = reader.at, ""
    for at in range(len(reader.words)):
        reader.at = at
        if reader.accept("JOINT WITH"):
            with suppress(Wrong):
                found = _command(reader, known)
            break
    reader.at = back
    return found


def _commands(reader: Reader, known: Known[object]) -> Ids:
    found = [_command(reader, known)]
    while reader.mark(","):
        found.append(_command(reader, known))
    return tuple(found)


def _anyones(reader: Reader, known: Known[object]) -> Ids:
    """M4 Units of the side, whoever orders them."""
    return tuple(sorted(reader.names(known.lexicon.mine, lambda word: msg("{unit} is not yours", unit=word))))


_SLOTS: Mapping[str, Slot[Any]] = {
    "command": command(),
    "commands": Slot(_commands, ", ".join),
    "units": Slot(_anyones, ", ".join),
}


def command_forms(words: Vocabulary, numbers: Numbers) -> Sequence[Form[Any, Any]]:
    """The forms of these orders in the words of a game, and by the numbers of its rules."""
    return (
        form("ORDER OF MARCH {commands:commands}", March, _SLOTS, words, numbers.sets),
        Form("SHOW SIDE", Show, _show, lambda show: "SHOW SIDE", numbers.together),
        form("WAIT FOR {command:command}", Wait, _SLOTS, words, numbers.waits),
        form("ASSIGN {units:units} TO {command:command}", Assign, _SLOTS, words, numbers.gives),
        form("RELIEVE {command:command}", Relieve, _SLOTS, words, numbers.gives),
        Form("COVER", Cover, _cover, lambda cover: f"COVER {cover.command}", numbers.gives),
    )


def _beyond_cover(view: Any, actions: Sequence[Any]) -> Iterator[Rejected]:
    """M4 Lines that give a unit of a command that is covered another order than to move or to retire."""
    covered = {action.command for action in actions if isinstance(action, Cover)}
    if not covered:
        return
    for action in flat(actions, lambda one: getattr(one, "actions", ())):
        if type(action).__name__ in (*_COVERED, "Assign"):
            continue
        for unit in _named(action):
            if (holder := command_of(view, unit)) in covered:
                why = msg(
                    "{unit} is under {command}, whom you cover: his units move and retire, and do nothing else",
                    unit=unit,
                    command=holder,
                )
                yield Rejected(action.line, 0, unit, why, view.edition.ON_COMMANDERS.gives)
                break


def _named(part: object) -> Iterator[str]:
    """The words of an order, among which its units are, without those of orders within it."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, tuple):
        for one in part:
            if not hasattr(one, "line"):
                yield from _named(one)


def headed(actions: Sequence[object]) -> tuple[Sequence[Any], Sequence[Any]]:
    """Return the lines that head a set, ORDER OF MARCH and WAIT FOR, and what it has carried out."""
    at = next((at for at, action in enumerate(actions) if not isinstance(action, _FIRST)), len(actions))
    return actions[:at], actions[at:]


def misplaced(view: Any, actions: Sequence[Any]) -> Iterator[Rejected]:
    """Yield the lines of a set that stand where they cannot, or that only the commander-in-chief writes."""
    seat: str = getattr(view, "commanding", "")
    if not seat:
        return
    numbers: Numbers = view.edition.ON_COMMANDERS
    first, rest = headed(actions)
    for action in flat(rest, lambda one: getattr(one, "actions", ())):
        if isinstance(action, _FIRST):
            yield Rejected(
                action.line, 0, "", msg("this line stands above all other orders"), _rule(numbers, type(action))
            )
    commands: Mapping[str, Command] = view.edition.commands
    own = commands[seat]
    for action in flat(actions, lambda one: getattr(one, "actions", ())):
        if not isinstance(action, (*_FIRST, Assign, Relieve)):
            continue
        rule, among = _rule(numbers, type(action)), commands_beside(view, seat)
        if own.rank != 1 and isinstance(action, March | Assign | Relieve):
            why = msg("only the commander-in-chief, {seat}, orders this", seat=among[0].seat)
            yield Rejected(action.line, 0, "", why, rule)
        elif isinstance(action, Wait | Relieve) and action.command == seat:
            yield Rejected(action.line, 0, seat, msg("this is your own command"), rule)
    yield from _beyond_cover(view, actions)
    first = [action for action in first if not isinstance(action, Cover)]
    if len({type(action) for action in first}) < len(first):
        yield Rejected(first[-1].line, 0, "", msg("this line stands twice"), _rule(numbers, type(first[-1])))
