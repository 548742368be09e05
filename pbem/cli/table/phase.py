"""A phase as it was asked for on the command line, and read from its files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pbem.cli.exit_codes import Stop
from pbem.cli.rulebooks import find_game, registry
from pbem.cli.table.case_files import read_cases
from pbem.engine.cases import CaseFailed, ScriptedDice, split
from pbem.engine.game import Game
from pbem.engine.run.runners import Dice
from pbem.engine.run.steps import World
from pbem.engine.saved_position import SavedPosition, Unreadable, read_position, write_position
from pbem.engine.terms import Orders

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


def coins(game: Game) -> Callable[[str], bool]:
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
        from pbem.audit.dice import Stream

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
