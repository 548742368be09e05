"""Resolve one phase without server, mail or database: read its files, carry it out, tell what happened.

With ``--step`` the phase is told a step at a time, as the rules take it::

    3 losses spain, 2
      asks morocco A>B/losses morocco (Nizam, Kabila): as the rules have it, by default
    4 losses spain, 2
      basis [R24] {"basis":"defender-stack","halves":[2,2],"side":"spain"}
      then give way; victorious leader

A step says what it does, rolls, or asks; rolled or answered it is taken again with the result. As JSON each step is an
object with ``step``, ``task``, ``args``, and one of ``roll``, ``window``, or ``events`` and ``then``.
"""

from __future__ import annotations

import itertools
import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pbem.audit.dice import Stream
from pbem.cli.exit_codes import FINDING, Stop
from pbem.cli.rulebooks import find_game, registry
from pbem.engine.cases import CaseFailed, ScriptedDice, split, unknown_keys
from pbem.engine.data.canon import Json, dumps
from pbem.engine.data.events import Event
from pbem.engine.data.languages import known
from pbem.engine.data.messages import Msg, plain
from pbem.engine.game import AnyGame
from pbem.engine.orders import luck
from pbem.engine.orders.block import bare, ends, header
from pbem.engine.parts import Cased
from pbem.engine.run.runners import Dice, Done, Moment, walk
from pbem.engine.run.steps import Ask, Choice, Did, Rolled, Task, Window, World
from pbem.engine.saved_position import SavedPosition, Unreadable, read_position, write_position
from pbem.engine.terms import Orders, Rejected
from pbem.letters.catalogue import load

Table = Mapping[str, Any]


def read_cases(path: Path, name: str = "") -> tuple[AnyGame, Cased[Any], Table]:
    """Read a file of cases and find its game, `name` if it names none, with the part that plays cases.

    Stop says why it cannot be, and names the line of each key that means nothing.
    """
    try:
        text = path.read_text("utf-8")
        file = tomllib.loads(text)
    except OSError as wrong:
        raise Stop(f"cannot read {path}: {wrong.strerror}") from None
    except UnicodeDecodeError:
        raise Stop(f"cannot read {path}: it is not UTF-8 text") from None
    except tomllib.TOMLDecodeError as wrong:
        raise Stop(f"cannot read {path} as TOML: {wrong}") from None
    cases = file.get("case", [])
    if not isinstance(cases, list) or not all(isinstance(case, dict) for case in cases):
        raise Stop(f"cannot read {path}: each case begins with [[case]]")
    game, cased = _game(str(file.get("game", name)), path)
    unknown = [
        f"line {_line(text, number, key)}: {key} means nothing here"
        for number, table in enumerate((file, *cases))
        for key in unknown_keys(cased, table, file=number == 0)
    ]
    if unknown:
        raise Stop(f"{path}: {'; '.join(unknown)} (docs/rule-cases.md has the keys)")
    return game, cased, file


def _line(text: str, number: int, key: str) -> int:
    """The line of a key in the case of that number, or above all cases (0)."""
    case = 0
    for line, words in enumerate(text.splitlines(), start=1):
        case += words.strip() == "[[case]]"
        if case == number and re.match(rf"\s*\[*(case\.)?['\"]?{re.escape(key)}['\"]?\s*[].=]", words):
            return line
    return 0


def _game(name: str, path: Path) -> tuple[AnyGame, Cased[Any]]:
    """Find the game of a file of cases, with its part that plays them; Stop if it is not there or plays no cases."""
    if not name:
        raise Stop(f'{path} names no game: write game = "NAME" at its top, or give --game NAME')
    game = find_game(name)
    if game.cased is None:
        raise Stop(f"{name} plays no cases")
    return game, game.cased


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


def coins(game: AnyGame) -> Callable[[str], bool]:
    """Which rolls throw coins, by their labels; none in a game that plays no cases."""
    return game.cased.coins if game.cased is not None else lambda what: False


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
    return write_position(SavedPosition(game, edition, game.start(edition)))


def read_phase(wanted: Wanted) -> Phase:
    """The phase that is to be resolved; Stop if its file holds none."""
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
    game, cased, file = read_cases(path)
    cases = [(title, case) for title, case in split(file) if "phase" in case]
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
    every, both = game.seats(state), game.together(state)
    active = tuple(seat for seat, side in every.items() if both or case["phase"] in (seat, side))
    letters = {seat: text.removeprefix("\n") for seat, text in case.get("orders", {}).items()}
    standing = {seat: text.removeprefix("\n") for seat, text in case.get("standing", {}).items()}
    position = SavedPosition(game, state.edition, state)
    return Phase(position, active, None, letters, standing, tuple(case.get("dice", ())), case)


def seat_files(pairs: Iterable[str], option: str, seats: Sequence[str]) -> dict[str, str]:
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


def dice_of(wanted: Wanted, phase: Phase) -> Dice:
    """The dice that were thrown by hand, written down in a case, or follow from the bytes that were given."""
    if wanted.dice is not None and wanted.beta:
        raise Stop("--dice and --beta are two ways to the same dice: give one")
    if wanted.beta:
        if not re.fullmatch(r"[0-9a-fA-F]{128}", wanted.beta):
            raise Stop(f"--beta is {_BYTES} bytes in hex, {2 * _BYTES} digits; openssl rand -hex {_BYTES} makes one")
        return Stream(bytes.fromhex(wanted.beta))
    lines = phase.dice
    if wanted.dice is not None:
        lines = tuple(line for line in (line.split("#")[0].strip() for line in _text(wanted.dice).split("\n")) if line)
    try:
        return ScriptedDice(lines, coins(phase.position.game))
    except CaseFailed as wrong:
        raise Stop(f"{wanted.dice or wanted.position}: {wrong}") from None


class Refused(NamedTuple):
    """A line of a seat's file that is not carried out."""

    seat: str
    line: int
    text: str
    why: str
    rule: str


def read_orders(
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
    """The lines of a file up to its end, with a header and LUCK made empty: lines keep their numbers."""
    lines = text.split("\n")
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    said = header(bare(lines[first]))
    if said is not None:
        if said.turn is not None and turn is not None and said.turn != turn:
            raise Stop(f"the orders of {seat} are for turn {said.turn}, this is turn {turn}")
        lines[first] = ""
    lines = ["" if luck.given(line) is not None else line for line in lines]
    return "\n".join(itertools.takewhile(lambda line: not ends(bare(line)), lines))


def _refused(seat: str, body: str, item: Rejected) -> Refused:
    lines = body.split("\n")
    text = lines[item.line - 1] if 0 < item.line <= len(lines) else item.word
    return Refused(seat, item.line, text, plain(item.why), item.rule)


def not_carried_out(events: Iterable[Event], letters: Mapping[str, str]) -> list[Refused]:
    """Lines that the position stood against, as the game's events tell them."""
    found: list[Refused] = []
    for happened in events:
        if happened.kind == "not carried out":
            data = happened.data
            seat = next((seat for seat in happened.seen_by or () if seat in letters), data["side"])
            found.append(Refused(seat, data["line"], data["order"], plain(Msg.from_json(data["why"])), happened.cite))
    return found


Step = tuple[Task, Moment[Any]]


def as_text(steps: list[Step]) -> Iterator[str]:
    """Lines for people."""
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
                yield f"  then {'; '.join(one.name for one in outcome.then)}"


def as_json(steps: list[Step]) -> Iterator[str]:
    """A JSON object a step."""
    for number, (task, moment) in enumerate(steps, 1):
        said: dict[str, Json] = {"step": number, "task": task.name, "args": _json(task.args)}
        outcome: Any = moment.outcome
        if moment.rolled is not None:
            said["roll"] = _rolled(moment.rolled)
        elif moment.choice is not None:
            said["window"] = _asked(outcome.window, moment.choice)
        else:
            said["events"] = [happened.to_json() for happened in outcome.events]
            said["then"] = [one.name for one in outcome.then]
        yield dumps(said)


def _rolled(rolled: Rolled) -> Json:
    return {"label": rolled.label, "n": rolled.n, "sides": rolled.sides, "values": list(rolled.values)}


def _asked(window: Window, choice: Choice) -> Json:
    return {
        "id": window.id,
        "seat": window.seat,
        "options": list(window.options),
        "chosen": list(choice.value),
        "by": choice.by,
    }


def _plain(arg: object) -> str:
    """An argument in short: words as they are, all else as JSON."""
    return str(arg) if isinstance(arg, str | int) else dumps(_json(arg))


def _json(arg: object) -> Json:
    """Plain data of an argument; orders are named tuples, whose names are left away."""
    return [_json(part) for part in arg] if isinstance(arg, list | tuple) else arg


def resolve(wanted: Wanted) -> None:
    """Resolve the phase and print it; SystemExit with a finding if a line was refused or dice were left over."""
    phase = read_phase(wanted)
    game = phase.position.game
    seats = tuple(game.seats(phase.position.state))
    letters = {**phase.letters, **seat_files(wanted.orders, "--orders", seats)}
    standing = {**phase.standing, **seat_files(wanted.standing, "--standing", seats)}
    dice = dice_of(wanted, phase)
    orders, refused = read_orders(phase, letters, standing)
    steps, done = _walked(phase, orders, dice)
    refused += not_carried_out(done.events, letters)
    if wanted.step:
        print("\n".join((as_json if wanted.as_json else as_text)(steps)))
    elif wanted.as_json:
        print("\n".join(dumps(happened.to_json()) for happened in done.events))
    else:
        print("\n".join(_told(phase.position, done, wanted.language)))
    if wanted.state_out is not None:
        _write_files(wanted.state_out, write_position(phase.position._replace(state=done.state)))
    for line in refused:
        where = f"{line.seat}, line {line.line}" if line.line else line.seat
        print(f"refused: {where}: {line.text.strip()}: {line.why} [{line.rule}]", file=sys.stderr)
    unused = dice.unused if isinstance(dice, ScriptedDice) else ()
    if unused:
        print(f"dice that nobody asked for: {', '.join(unused)}", file=sys.stderr)
    if refused or unused:
        raise SystemExit(FINDING)


def _walked(phase: Phase, orders: Mapping[str, Orders], dice: Dice) -> tuple[list[Step], Done[Any]]:
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


def _told(position: SavedPosition, done: Done[object], language: str) -> list[str]:
    """Everything that happened, numbered, as the reports tell it; then the dice, as --dice takes them."""
    if language not in known():
        raise Stop(f"--language is one of {', '.join(known())}")
    game: AnyGame = position.game
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


def _thrown(position: SavedPosition, roll: Rolled) -> str:
    """``shock attacker: 3``; coins are 1 for heads and 0 for tails."""
    what = roll.label.partition("/")[2].partition("#")[0]
    values = [value - 1 for value in roll.values] if coins(position.game)(what) else roll.values
    return f"{what}: {' '.join(map(str, values))}"


def _write_files(path: Path, text: str) -> None:
    try:
        path.write_text(text, "utf-8")
    except OSError as wrong:
        raise Stop(f"cannot write {path}: {wrong.strerror}") from None
