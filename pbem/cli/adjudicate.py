"""The command `pbem adjudicate`: one phase resolved for a moderator, without server, mail or database.

A phase is a file of a position (see `pbem.core.position`; ``--new GAME/SCENARIO`` prints a first one) or one rule case
of a file of cases, a file of orders for each seat, and the dice: thrown by hand and written down as in cases, or
derived from 64 bytes as the server does. Lines that are refused are reported, and the others are carried out.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pbem.cli.cases import case_game, read_cases
from pbem.cli.ends import FINDING, Stop
from pbem.cli.stepping import Step, as_json, as_text
from pbem.cli.wiring import find_game, registry
from pbem.core.canon import dumps
from pbem.core.cases import CaseFailed, ScriptedDice, listed
from pbem.core.events import Event
from pbem.core.game import Game, Orders, Rejected
from pbem.core.lex import fold
from pbem.core.messages import Msg, plain
from pbem.core.position import Position, Unreadable, read_position, write_position
from pbem.core.runners import Dice, Done, walk
from pbem.core.steps import Ask, Did, Rolled, World

__all__ = ["Wanted", "adjudicate", "first_position"]

_HEADER = re.compile(r"\W{0,3}(?:orders?|ordenes)(?:\s+t\s?(?P<turn>\d{1,4}))?\s*:?(?:\s*#.*)?\s*")
_BYTES = 64


class Wanted(NamedTuple):
    """What was asked for on the command line: files, the dice in one of two ways, and the form of the answer."""

    position: Path
    case: str
    orders: Sequence[str]
    standing: Sequence[str]
    dice: Path | None
    beta: str
    as_json: bool
    state_out: Path | None
    language: str
    step: bool = False


class Phase(NamedTuple):
    """A phase as read from a file: what it is played by, letters and dice that stand there too, the step to take."""

    position: Position
    active: tuple[str, ...]
    turn: int | None
    letters: Mapping[str, str]
    standing: Mapping[str, str]
    dice: tuple[str, ...]
    case: Mapping[str, Any] | None = None

    def world(self, orders: Mapping[str, Orders]) -> World[Any]:
        game = self.position.game
        if self.case is None or game.cased is None:
            return game.world(self.position.state, orders)
        return game.cased.world(self.position.state, orders, self.case["phase"])


class Refused(NamedTuple):
    """A line of a seat's file that is not carried out."""

    seat: str
    line: int
    text: str
    why: str
    rule: str


def first_position(name: str, options: Mapping[str, str]) -> str:
    """Return the file of a scenario's first position; Stop lists what there is."""
    game_name, slash, scenario = name.partition("/")
    game = find_game(game_name)
    if not slash or scenario not in game.editions():
        raise Stop(f"--new wants {game_name}/SCENARIO; the scenarios are: {', '.join(sorted(game.editions()))}")
    try:
        edition = game.edition(scenario, options, {})
    except ValueError as wrong:
        raise Stop(str(wrong)) from None
    return write_position(Position(game, edition, game.start(edition)))


def adjudicate(wanted: Wanted) -> None:
    """Resolve the phase and print it; SystemExit with a finding if a line was refused or dice were left over."""
    phase = _phase(wanted)
    game = phase.position.game
    seats = tuple(game.seats(phase.position.state))
    letters = {**phase.letters, **_files(wanted.orders, "--orders", seats)}
    standing = {**phase.standing, **_files(wanted.standing, "--standing", seats)}
    dice = _dice(wanted, phase)
    orders, refused = _read(phase, letters, standing)
    steps, done = _resolve(phase, orders, dice)
    refused += _not_carried_out(done.events, letters)
    if wanted.step:
        print("\n".join((as_json if wanted.as_json else as_text)(steps)))
    elif wanted.as_json:
        print("\n".join(dumps(happened.to_json()) for happened in done.events))
    else:
        print("\n".join(_told(phase.position, done, wanted.language)))
    if wanted.state_out is not None:
        _write(wanted.state_out, write_position(phase.position._replace(state=done.state)))
    for line in refused:
        where = f"{line.seat}, line {line.line}" if line.line else line.seat
        print(f"refused: {where}: {line.text.strip()}: {line.why} [{line.rule}]", file=sys.stderr)
    unused = dice.unused if isinstance(dice, ScriptedDice) else ()
    if unused:
        print(f"dice that nobody asked for: {', '.join(unused)}", file=sys.stderr)
    if refused or unused:
        raise SystemExit(FINDING)


# Reading


def _phase(wanted: Wanted) -> Phase:
    path = wanted.position
    if path.suffix == ".toml":
        return _case_phase(path, wanted.case)
    try:
        position = read_position(_text(path), registry)
    except Unreadable as wrong:
        raise Stop(
            f"{path} is no position: {wrong}. Make one: pbem adjudicate --new GAME/SCENARIO > {path.stem}.json"
        ) from None
    name = position.game.phase(position.state)
    if name is None:
        raise Stop(f"{path}: the game is over")
    return Phase(position, tuple(position.game.active(position.state)), name[1], {}, {}, ())


def _case_phase(path: Path, wanted: str) -> Phase:
    """One case of a file, by its number or the beginning of its title; a file without [[case]] is one itself."""
    file = read_cases(path)
    game, cased = case_game(str(file.get("game", "")), path)
    cases = [(title, case) for title, case in listed(file) if "phase" in case]
    cases = cases or ([("", file)] if "phase" in file else [])
    chosen = [case for n, (title, case) in enumerate(cases, 1) if wanted in ("", str(n)) or title.startswith(wanted)]
    if len(chosen) != 1:
        titles = "".join(f"\n  {n}  {title}" for n, (title, _) in enumerate(cases, 1))
        raise Stop(f"{path} holds {len(cases)} cases; choose one by its number with --case:{titles}")
    case = chosen[0]
    try:
        state = cased.state(file, case)
    except (ValueError, KeyError, TypeError) as wrong:
        raise Stop(f"{path}: {wrong}") from None
    active = tuple(seat for seat, side in game.seats(state).items() if case["phase"] in (seat, side))
    letters = {seat: text.removeprefix("\n") for seat, text in case.get("orders", {}).items()}
    standing = {seat: text.removeprefix("\n") for seat, text in case.get("standing", {}).items()}
    position = Position(game, state.edition, state)
    return Phase(position, active, None, letters, standing, tuple(case.get("dice", ())), case)


def _files(pairs: Iterable[str], option: str, seats: Sequence[str]) -> dict[str, str]:
    """Read SEAT=FILE options."""
    found: dict[str, str] = {}
    for pair in pairs:
        seat, equals, name = pair.partition("=")
        if not equals or seat not in seats:
            raise Stop(f"{option} reads SEAT=FILE with a seat of {', '.join(seats)}, got {pair!r}")
        if seat in found:
            raise Stop(f"{option} {seat} is given twice")
        found[seat] = _text(Path(name))
    return found


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except OSError as wrong:
        raise Stop(f"cannot read {path}: {wrong.strerror}") from None
    except UnicodeDecodeError:
        raise Stop(f"cannot read {path}: it is not UTF-8 text") from None


def _dice(wanted: Wanted, phase: Phase) -> Dice:
    if wanted.dice is not None and wanted.beta:
        raise Stop("--dice and --beta are two ways to the same dice: give one")
    if wanted.beta:
        from pbem.audit.dice import Stream

        if not re.fullmatch(r"[0-9a-fA-F]{128}", wanted.beta):
            raise Stop(f"--beta is {_BYTES} bytes in hex, {2 * _BYTES} digits; openssl rand -hex {_BYTES} makes one")
        return Stream(bytes.fromhex(wanted.beta))
    lines = phase.dice
    if wanted.dice is not None:
        lines = tuple(line for line in (line.split("#")[0].strip() for line in _text(wanted.dice).split("\n")) if line)
    try:
        return ScriptedDice(lines, _coins(phase.position.game))
    except CaseFailed as wrong:
        raise Stop(f"{wanted.dice or wanted.position}: {wrong}") from None


def _read(
    phase: Phase, letters: Mapping[str, str], standing: Mapping[str, str]
) -> tuple[dict[str, Orders], list[Refused]]:
    """Read letters and standing orders; refused lines are reported and left out."""
    game, _, state = phase.position
    orders: dict[str, Orders] = {}
    refused: list[Refused] = []
    for seat in game.seats(state):
        rules: tuple[Any, ...] = ()
        actions: tuple[Any, ...] = ()
        for text in (standing.get(seat, ""), letters.get(seat, "")):
            body = _body(text, seat, phase.turn)
            reading = game.parse(body, game.view(state, seat), seat)
            refused += [_refused(seat, body, item) for item in reading.rejected]
            actions, rules = reading.orders.actions, reading.orders.standing or rules
        if actions and seat not in phase.active:
            who = ", ".join(phase.active) or "nobody"
            raise Stop(f"this phase waits for {who}: of {seat} it takes standing orders alone, with --standing")
        orders[seat] = Orders(actions, rules)
    return orders, refused


def _body(text: str, seat: str, turn: int | None) -> str:
    """The lines of a file with its header, if it has one, made empty, so that lines keep their numbers."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if not line.strip():
            continue
        found = _HEADER.fullmatch(fold(line).strip())
        if found is None:
            break
        if found["turn"] and turn is not None and int(found["turn"]) != turn:
            raise Stop(f"the orders of {seat} are for turn {found['turn']}, this is turn {turn}")
        lines[number] = ""
        break
    return "\n".join(lines)


def _refused(seat: str, body: str, item: Rejected) -> Refused:
    lines = body.split("\n")
    text = lines[item.line - 1] if 0 < item.line <= len(lines) else item.word
    return Refused(seat, item.line, text, plain(item.why), item.rule)


def _not_carried_out(events: Iterable[Event], letters: Mapping[str, str]) -> list[Refused]:
    """Lines that the position stood against, as the game's events tell them."""
    found: list[Refused] = []
    for happened in events:
        if happened.kind == "not carried out":
            data = happened.data
            seat = next((seat for seat in happened.seen_by or () if seat in letters), data["side"])
            found.append(Refused(seat, data["line"], data["order"], plain(Msg.from_json(data["why"])), happened.cite))
    return found


# Resolving and telling


def _resolve(phase: Phase, orders: Mapping[str, Orders], dice: Dice) -> tuple[list[Step], Done[Any]]:
    """Every step of the phase, and what they come to."""
    game, _, state = phase.position
    world = phase.world(orders)
    steps: list[Step] = []
    try:
        for step in walk(game.rules, world, dice, game.decisions(state, orders, {})):
            steps.append(step)
    except CaseFailed as missing:
        raise Stop(
            f"{missing}. Throw it and add a line LABEL: VALUES to a file given with --dice; --beta HEX throws all"
        ) from None
    events = tuple(event for _, moment in steps if isinstance(moment.outcome, Did) for event in moment.outcome.events)
    rolls = tuple(moment.rolled for _, moment in steps if moment.rolled is not None)
    last = steps[-1][1] if steps else None
    if last is not None and isinstance(last.outcome, Ask) and last.choice is None:
        raise Stop(f"the phase waits for an answer: {last.outcome.window.id}")
    return steps, Done(events, last.world.state if last is not None else world.state, rolls)


def _told(position: Position, done: Done[Any], language: str) -> list[str]:
    """Everything that happened, numbered, as the reports tell it; then the dice, as --dice takes them."""
    from pbem.reports.catalogue import LANGUAGES, load

    if language not in LANGUAGES:
        raise Stop(f"--language is one of {', '.join(LANGUAGES)}")
    game: Game = position.game
    states = [position.state]
    for happened in done.events:
        states.append(game.rules.apply(states[-1], happened))
    seat = next(iter(game.seats(position.state)))
    report = game.telling.report(done.state, seat, list(zip(done.events, states, strict=False)))
    words = load(language, game.name)
    lines: list[str] = []
    for number, entry in enumerate(report.entries, 1):
        lines.append(f"#{number} {words.say(entry.text)} [{entry.rule}]")
        lines += [f"    {words.say(detail)}" for detail in entry.details]
    lines += ["", "# Dice", *(_thrown(position, roll) for roll in done.rolls)] if done.rolls else []
    return lines or ["# Nothing happened."]


def _coins(game: Game) -> Callable[[str], bool]:
    """Which rolls throw coins, by their labels; none in a game that plays no cases."""
    return game.cased.coins if game.cased is not None else lambda what: False


def _thrown(position: Position, roll: Rolled) -> str:
    """``shock attacker: 3``; coins are 1 for heads and 0 for tails."""
    what = roll.label.partition("/")[2].partition("#")[0]
    values = [value - 1 for value in roll.values] if _coins(position.game)(what) else roll.values
    return f"{what}: {' '.join(map(str, values))}"


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, "utf-8")
    except OSError as wrong:
        raise Stop(f"cannot write {path}: {wrong.strerror}") from None
