"""A phase resolved: every step of it, what happened as the reports tell it, and what was refused."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pbem.cli.exit_codes import FINDING, Stop
from pbem.cli.table.order_files import not_carried_out, read_orders
from pbem.cli.table.phase import Phase, Wanted, coins, dice_of, read_phase, seat_files
from pbem.cli.table.steps import Step, as_json, as_text
from pbem.engine.cases import CaseFailed, ScriptedDice
from pbem.engine.data.canon import dumps
from pbem.engine.data.languages import known
from pbem.engine.game import Game
from pbem.engine.run.runners import Dice, Done, walk
from pbem.engine.run.steps import Ask, Did, Rolled
from pbem.engine.saved_position import SavedPosition, write_position
from pbem.engine.terms import Orders


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
        _write(wanted.state_out, write_position(phase.position._replace(state=done.state)))
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


def _told(position: SavedPosition, done: Done[Any], language: str) -> list[str]:
    """Everything that happened, numbered, as the reports tell it; then the dice, as --dice takes them."""
    from pbem.letters.catalogue import load

    if language not in known():
        raise Stop(f"--language is one of {', '.join(known())}")
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


def _thrown(position: SavedPosition, roll: Rolled) -> str:
    """``shock attacker: 3``; coins are 1 for heads and 0 for tails."""
    what = roll.label.partition("/")[2].partition("#")[0]
    values = [value - 1 for value in roll.values] if coins(position.game)(what) else roll.values
    return f"{what}: {' '.join(map(str, values))}"


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, "utf-8")
    except OSError as wrong:
        raise Stop(f"cannot write {path}: {wrong.strerror}") from None
