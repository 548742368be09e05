"""Resolve one phase from files, without server, mail or database.

With ``--step`` the phase is printed a step at a time, as the rules take it::

    3 losses spain, 2
      asks morocco A>B/losses morocco (Nizam, Kabila): as the rules have it, by default
    4 losses spain, 2
      basis [R24] {"basis":"defender-stack","halves":[2,2],"side":"spain"}
      then give way; victorious leader

A step prints its events, its roll, or its question; after a roll or an answer the same step is taken again with the
result. As JSON each step is an object with ``step``, ``task``, ``args``, and one of ``roll``, ``window``, or
``events`` and ``then``.
"""

from __future__ import annotations

import itertools
import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pbem.audit.dice import DiceStream
from pbem.cli.exit_codes import FINDING, CommandError
from pbem.cli.rulebooks import find_game, game_by_name
from pbem.engine.cases import CaseFailed, ScriptedDice, split_cases, unknown_keys
from pbem.engine.data.canon import Json, dumps
from pbem.engine.data.events import Event
from pbem.engine.data.languages import supported_languages
from pbem.engine.data.messages import Msg, plain_english
from pbem.engine.game import AnyGame
from pbem.engine.orders import luck
from pbem.engine.orders.block import bare, ends, header
from pbem.engine.parts import RuleCases
from pbem.engine.run.runners import Dice, Done, Moment, walk
from pbem.engine.run.steps import Ask, Choice, Did, Rolled, Task, Window, World
from pbem.engine.saved_position import SavedPosition, UnreadablePosition, read_position, write_position
from pbem.engine.terms import Orders, RejectedLine
from pbem.letters.catalogue import load_catalogue

Table = Mapping[str, Any]


def read_cases(path: Path, name: str = "") -> tuple[AnyGame, RuleCases[Any], Table]:
    """Read a file of cases; return its game, the game's cases, and the file's data.

    `name` is the game if the file names none. Raise CommandError if the file is unreadable; it names the line of
    each unknown key.
    """
    try:
        text = path.read_text("utf-8")
        file = tomllib.loads(text)
    except OSError as wrong:
        raise CommandError(f"cannot read {path}: {wrong.strerror}") from None
    except UnicodeDecodeError:
        raise CommandError(f"cannot read {path}: it is not UTF-8 text") from None
    except tomllib.TOMLDecodeError as wrong:
        raise CommandError(f"cannot read {path} as TOML: {wrong}") from None
    cases = file.get("case", [])
    if not isinstance(cases, list) or not all(isinstance(case, dict) for case in cases):
        raise CommandError(f"cannot read {path}: each case begins with [[case]]")
    game, cased = _game(str(file.get("game", name)), path)
    unknown = [
        f"line {_line(text, number, key)}: {key} means nothing here"
        for number, table in enumerate((file, *cases))
        for key in unknown_keys(cased, table, file=number == 0)
    ]
    if unknown:
        raise CommandError(f"{path}: {'; '.join(unknown)} (docs/rule-cases.md has the keys)")
    return game, cased, file


def _line(text: str, number: int, key: str) -> int:
    """Return the line of a key in a case by its number, or above all cases (0)."""
    case = 0
    for line, words in enumerate(text.splitlines(), start=1):
        case += words.strip() == "[[case]]"
        if case == number and re.match(rf"\s*\[*(case\.)?['\"]?{re.escape(key)}['\"]?\s*[].=]", words):
            return line
    return 0


def _game(name: str, path: Path) -> tuple[AnyGame, RuleCases[Any]]:
    """Find the game of a file of cases; raise CommandError if it plays none."""
    if not name:
        raise CommandError(f'{path} names no game: write game = "NAME" at its top, or give --game NAME')
    game = find_game(name)
    if game.cased is None:
        raise CommandError(f"{name} plays no cases")
    return game, game.cased


_BYTES = 64
"""Bytes of the secret from which dice derive: those of a VRF output (RFC 9381, 5.5: a SHA-512 hash)."""


class CommandInput(NamedTuple):
    """The input of the command line: files, dice in one of two ways, output form."""

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


class PhaseFromFile(NamedTuple):
    """A phase read from a file: position, letters, dice and the step to take."""

    position: SavedPosition
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


def coin_label_test(game: AnyGame) -> Callable[[str], bool]:
    """Return the test for labels of coin throws; false for games without cases."""
    return game.cased.coins if game.cased is not None else lambda label: False


def first_position(name: str, options: Mapping[str, str]) -> str:
    """Return the file of a scenario's first position; raise CommandError if unknown."""
    game_name, slash, scenario = name.partition("/")
    game = find_game(game_name)
    if not slash or scenario not in game.editions():
        raise CommandError(f"--new wants {game_name}/SCENARIO; the scenarios are: {', '.join(sorted(game.editions()))}")
    try:
        edition = game.edition(scenario, options, {})
    except ValueError as wrong:
        raise CommandError(str(wrong)) from None
    return write_position(SavedPosition(game, edition, game.start(edition)))


def read_phase(request: CommandInput) -> PhaseFromFile:
    """Read the phase to be resolved; raise CommandError if the file has none."""
    path = request.position
    if path.suffix == ".toml":
        return _case_phase(path, request.case)
    try:
        position = read_position(_text(path), game_by_name)
    except UnreadablePosition as wrong:
        raise CommandError(
            f"{path} is no position: {wrong}. Make one: pbem adjudicate --new GAME/SCENARIO > {path.stem}.json"
        ) from None
    name = position.game.phase(position.state)
    if name is None:
        raise CommandError(f"{path}: the game is over")
    return PhaseFromFile(position, tuple(position.game.active(position.state)), name[1], {}, {}, ())


def _case_phase(path: Path, wanted: str) -> PhaseFromFile:
    """Read one case of a file, by its number or the beginning of its title.

    A file without [[case]] is one case.
    """
    game, cased, file = read_cases(path)
    cases = [(title, case) for title, case in split_cases(file) if "phase" in case]
    cases = cases or ([("", file)] if "phase" in file else [])
    chosen = [case for n, (title, case) in enumerate(cases, 1) if wanted in ("", str(n)) or title.startswith(wanted)]
    if len(chosen) != 1:
        titles = "".join(f"\n  {n}  {title}" for n, (title, _) in enumerate(cases, 1))
        raise CommandError(f"{path} holds {len(cases)} cases; choose one by its number with --case:{titles}")
    case = chosen[0]
    try:
        state = cased.state(file, case)
    except (ValueError, KeyError, TypeError) as wrong:
        # Somebody wrote the case by hand: what it lacks, or has of another kind, is a mistake of his and not a bug.
        raise CommandError(f"{path}: {wrong}") from None
    sides, together = game.seats(state), game.together(state)
    active = tuple(seat for seat, side in sides.items() if together or case["phase"] in (seat, side))
    letters = {seat: text.removeprefix("\n") for seat, text in case.get("orders", {}).items()}
    standing = {seat: text.removeprefix("\n") for seat, text in case.get("standing", {}).items()}
    position = SavedPosition(game, state.edition, state)
    return PhaseFromFile(position, active, None, letters, standing, tuple(case.get("dice", ())), case)


def seat_files(pairs: Iterable[str], option: str, seats: Sequence[str]) -> dict[str, str]:
    """Read SEAT=FILE options."""
    texts: dict[str, str] = {}
    for pair in pairs:
        seat, equals, name = pair.partition("=")
        if not equals or seat not in seats:
            raise CommandError(f"{option} reads SEAT=FILE with a seat of {', '.join(seats)}, got {pair!r}")
        if seat in texts:
            raise CommandError(f"{option} {seat} is given twice")
        texts[seat] = _text(Path(name))
    return texts


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except OSError as wrong:
        raise CommandError(f"cannot read {path}: {wrong.strerror}") from None
    except UnicodeDecodeError:
        raise CommandError(f"cannot read {path}: it is not UTF-8 text") from None


def requested_dice(request: CommandInput, phase: PhaseFromFile) -> Dice:
    """Return the dice: thrown by hand, written in a case, or from the given bytes."""
    if request.dice is not None and request.beta:
        raise CommandError("--dice and --beta are two ways to the same dice: give one")
    if request.beta:
        if not re.fullmatch(r"[0-9a-fA-F]{128}", request.beta):
            raise CommandError(
                f"--beta is {_BYTES} bytes in hex, {2 * _BYTES} digits; openssl rand -hex {_BYTES} makes one"
            )
        return DiceStream(bytes.fromhex(request.beta))
    lines = phase.dice
    if request.dice is not None:
        lines = tuple(line for line in (line.split("#")[0].strip() for line in _text(request.dice).split("\n")) if line)
    try:
        return ScriptedDice(lines, coin_label_test(phase.position.game))
    except CaseFailed as wrong:
        raise CommandError(f"{request.dice or request.position}: {wrong}") from None


class RefusedLine(NamedTuple):
    """A line of a seat's file that is not executed."""

    seat: str
    line: int
    text: str
    why: str
    rule: str


def read_orders(
    phase: PhaseFromFile, letters: Mapping[str, str], standing: Mapping[str, str]
) -> tuple[dict[str, Orders], list[RefusedLine]]:
    """Read letters and standing orders; refused lines are returned and left out."""
    game, _, state = phase.position
    orders: dict[str, Orders] = {}
    refused: list[RefusedLine] = []
    for seat in game.seats(state):
        rules: tuple[Any, ...] = ()
        actions: tuple[Any, ...] = ()
        for text in (standing.get(seat, ""), letters.get(seat, "")):
            body = _body(text, seat, phase.turn)
            reading = game.parse(body, game.view(state, seat), seat)
            refused += [_refused_line(seat, body, item) for item in reading.rejected]
            actions, rules = reading.orders.actions, reading.orders.standing or rules
        if actions and seat not in phase.active:
            active = ", ".join(phase.active) or "nobody"
            raise CommandError(
                f"this phase waits for {active}: of {seat} it takes standing orders alone, with --standing"
            )
        orders[seat] = Orders(actions, rules)
    return orders, refused


def _body(text: str, seat: str, turn: int | None) -> str:
    """Return the lines of a file up to its end, with header and LUCK made empty.

    Lines keep their numbers.
    """
    lines = text.split("\n")
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    heading = header(bare(lines[first]))
    if heading is not None:
        if heading.turn is not None and turn is not None and heading.turn != turn:
            raise CommandError(f"the orders of {seat} are for turn {heading.turn}, this is turn {turn}")
        lines[first] = ""
    lines = ["" if luck.word_of_line(line) is not None else line for line in lines]
    return "\n".join(itertools.takewhile(lambda line: not ends(bare(line)), lines))


def _refused_line(seat: str, body: str, item: RejectedLine) -> RefusedLine:
    lines = body.split("\n")
    text = lines[item.line - 1] if 0 < item.line <= len(lines) else item.word
    return RefusedLine(seat, item.line, text, plain_english(item.why), item.rule)


def unexecuted_lines(events: Iterable[Event], letters: Mapping[str, str]) -> list[RefusedLine]:
    """Return the lines that the position made impossible, from the game's events."""
    lines: list[RefusedLine] = []
    for happened in events:
        if happened.kind == "not carried out":
            data = happened.data
            seat = next((seat for seat in happened.seen_by or () if seat in letters), data["side"])
            lines.append(
                RefusedLine(seat, data["line"], data["order"], plain_english(Msg.from_json(data["why"])), happened.cite)
            )
    return lines


Step = tuple[Task, Moment[Any]]


def steps_as_text(steps: list[Step]) -> Iterator[str]:
    """Return the steps as lines for people."""
    for number, (task, moment) in enumerate(steps, 1):
        args = ", ".join(_plain(arg) for arg in task.args)
        yield f"{number} {task.name} {args}".rstrip()
        outcome: Any = moment.outcome
        if moment.rolled is not None:
            label, n, sides, values = moment.rolled
            yield f"  rolls {label}: {n}d{sides} = {' '.join(map(str, values))}"
        elif moment.choice is not None:
            window: Window = outcome.window
            options = f" ({', '.join(window.options)})" if window.options else ""
            chosen = " ".join(moment.choice.value) or "nothing"
            yield f"  asks {window.seat} {window.id}{options}: {chosen}, by {moment.choice.by}"
        else:
            for happened in outcome.events:
                yield f"  {happened.kind} [{happened.cite}] {dumps(happened.to_json()['data'])}"
            if outcome.then:
                yield f"  then {'; '.join(next_task.name for next_task in outcome.then)}"


def steps_as_json(steps: list[Step]) -> Iterator[str]:
    """Return the steps as JSON, an object each."""
    for number, (task, moment) in enumerate(steps, 1):
        record: dict[str, Json] = {"step": number, "task": task.name, "args": _json(task.args)}
        outcome: Any = moment.outcome
        if moment.rolled is not None:
            record["roll"] = _roll_json(moment.rolled)
        elif moment.choice is not None:
            record["window"] = _window_json(outcome.window, moment.choice)
        else:
            record["events"] = [happened.to_json() for happened in outcome.events]
            record["then"] = [next_task.name for next_task in outcome.then]
        yield dumps(record)


def _roll_json(rolled: Rolled) -> Json:
    return {"label": rolled.label, "n": rolled.n, "sides": rolled.sides, "values": list(rolled.values)}


def _window_json(window: Window, choice: Choice) -> Json:
    return {
        "id": window.id,
        "seat": window.seat,
        "options": list(window.options),
        "chosen": list(choice.value),
        "by": choice.by,
    }


def _plain(arg: object) -> str:
    """Return an argument in short: words unchanged, all else as JSON."""
    return str(arg) if isinstance(arg, str | int) else dumps(_json(arg))


def _json(arg: object) -> Json:
    """Return an argument as plain data; orders are named tuples without names."""
    return [_json(part) for part in arg] if isinstance(arg, list | tuple) else arg


def resolve_and_print(request: CommandInput) -> None:
    """Resolve the phase and print it.

    Raises SystemExit with a finding if a line was refused or dice were left over.
    """
    phase = read_phase(request)
    game = phase.position.game
    seats = tuple(game.seats(phase.position.state))
    letters = {**phase.letters, **seat_files(request.orders, "--orders", seats)}
    standing = {**phase.standing, **seat_files(request.standing, "--standing", seats)}
    dice = requested_dice(request, phase)
    orders, refused = read_orders(phase, letters, standing)
    steps, result = _run_steps(phase, orders, dice)
    refused += unexecuted_lines(result.events, letters)
    if request.step:
        print("\n".join((steps_as_json if request.as_json else steps_as_text)(steps)))
    elif request.as_json:
        print("\n".join(dumps(happened.to_json()) for happened in result.events))
    else:
        print("\n".join(_report_lines(phase.position, result, request.language)))
    if request.state_out is not None:
        _write_files(request.state_out, write_position(phase.position._replace(state=result.state)))
    for line in refused:
        place = f"{line.seat}, line {line.line}" if line.line else line.seat
        print(f"refused: {place}: {line.text.strip()}: {line.why} [{line.rule}]", file=sys.stderr)
    unused = dice.unused_labels if isinstance(dice, ScriptedDice) else ()
    if unused:
        print(f"dice that nobody asked for: {', '.join(unused)}", file=sys.stderr)
    if refused or unused:
        raise SystemExit(FINDING)


def _run_steps(phase: PhaseFromFile, orders: Mapping[str, Orders], dice: Dice) -> tuple[list[Step], Done[Any]]:
    """Return every step of the phase, and the result."""
    game, _, state = phase.position
    world = phase.world(orders)
    steps: list[Step] = []
    try:
        for step in walk(game.rules, world, dice, game.decisions(state, orders, {})):
            steps.append(step)
    except CaseFailed as missing:
        raise CommandError(
            f"{missing}. Throw it and add a line LABEL: VALUES to a file given with --dice; --beta HEX throws all"
        ) from None
    events = tuple(event for _, moment in steps if isinstance(moment.outcome, Did) for event in moment.outcome.events)
    rolls = tuple(moment.rolled for _, moment in steps if moment.rolled is not None)
    last = steps[-1][1] if steps else None
    if last is not None and isinstance(last.outcome, Ask) and last.choice is None:
        raise CommandError(f"the phase waits for an answer: {last.outcome.window.id}")
    return steps, Done(events, last.world.state if last is not None else world.state, rolls)


def _report_lines(position: SavedPosition, result: Done[object], language: str) -> list[str]:
    """Return everything that happened as reports number it, then the dice for --dice."""
    if language not in supported_languages():
        raise CommandError(f"--language is one of {', '.join(supported_languages())}")
    game: AnyGame = position.game
    states = [position.state]
    for happened in result.events:
        states.append(game.rules.apply(states[-1], happened))
    seat = next(iter(game.seats(position.state)))
    report = game.telling.report(result.state, seat, list(zip(result.events, states, strict=False)))
    words = load_catalogue(language, game.name)
    lines: list[str] = []
    for number, entry in enumerate(report.entries, 1):
        lines.append(f"#{number} {words.say(entry.text)} [{entry.rule}]")
        lines += [f"    {words.say(detail)}" for detail in entry.details]
    lines += ["", "# Dice", *(_dice_line(position, roll) for roll in result.rolls)] if result.rolls else []
    return lines or ["# Nothing happened."]


def _dice_line(position: SavedPosition, roll: Rolled) -> str:
    """Return a line of dice, ``shock attacker: 3``.

    Coins are 1 for heads and 0 for tails.
    """
    label = roll.label.partition("/")[2].partition("#")[0]
    values = [value - 1 for value in roll.values] if coin_label_test(position.game)(label) else roll.values
    return f"{label}: {' '.join(map(str, values))}"


def _write_files(path: Path, text: str) -> None:
    try:
        path.write_text(text, "utf-8")
    except OSError as wrong:
        raise CommandError(f"cannot write {path}: {wrong.strerror}") from None
