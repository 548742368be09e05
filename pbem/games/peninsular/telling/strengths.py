"""S5, T6 How the strengths of a shock came about, hex by hex: what was divided, doubled, halved; and its modifiers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pbem.engine.data.messages import Msg, decimal, msg
from pbem.games.peninsular.battle.assault import squares
from pbem.games.peninsular.battle.shock import Clash, Stack, mixed, stacks
from pbem.games.peninsular.setup.units import DISORDERED, Unit
from pbem.games.peninsular.state import State


def clash_of(data: Mapping[str, Any], before: State) -> Clash | None:
    """Return the shock that an event tells, of the position before it; None if not all of it stands there any more."""
    named = (*data["attackers"], *data["defenders"], data["unit"], data["target"])
    if not all(ident in before.units for ident in named):
        return None
    ours = tuple(before.units[ident] for ident in data["attackers"])
    theirs = tuple(before.units[ident] for ident in data["defenders"])
    lead, led = before.units[data["unit"]], before.units[data["target"]]
    return Clash(before, ours, lead, theirs, led, data["at"], squares(list(theirs)))


def made_of(clash: Clash) -> Iterator[Msg]:
    """Return a line for the attack and one for the defence, where it is more than a sum of PF that changes nothing."""
    attack = stacks(clash)
    if len(attack) > 1 or any(stack.strength != stack.pf for stack in attack):
        yield msg("attack: {parts}", parts=_row(list(map(_stack, attack))))
    if any(unit.state == DISORDERED for unit in clash.defenders):
        yield msg("defence: {parts}", parts=_row(list(map(_defender, clash.defenders))))


def _row(parts: Sequence[Msg]) -> Msg:
    said, *rest = parts
    for part in rest:
        said = msg("{a}; {b}", a=said, b=part)
    return said


def _stack(stack: Stack) -> Msg:
    gaps: dict[str, Any] = {"at": stack.at, "pf": stack.pf}
    if stack.strength == stack.pf and not stack.rear:
        return msg("{pf} PF from {at}", **gaps)
    said = msg("{pf} PF from {at} (the rear), doubled to {a}")
    if stack.divisor != 1:
        gaps["by"] = decimal(float(stack.divisor)) if stack.divisor.denominator > 1 else int(stack.divisor)
        said = msg("{pf} PF from {at}, divided by {by} for the ground to {a}")
        if stack.rear:
            said = msg("{pf} PF from {at} (the rear), divided by {by} for the ground and doubled to {a}")
    return msg(said.text, a=mixed(stack.strength), **gaps)


def _defender(unit: Unit) -> Msg:
    if unit.state == DISORDERED:
        return msg("{unit} {pf} PF, disordered, counts half", unit=unit.id, pf=unit.pf)
    return msg("{unit} {pf} PF", unit=unit.id, pf=unit.pf)


_WORSE: Mapping[str, Msg] = {
    "T6.1": msg("each point by which the defender's commander has the better shock factor"),
    "T6.2": msg("each grade of will by which the defender's leading unit is better"),
}
"""What modifiers are for that are told as the attacker's and turn against him."""


def worded(modifiers: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Return modifiers as an event lists them, each in words that suit its sign; what adds nothing is left out."""
    told = [item for item in modifiers if item[1]]
    return [[rule, n, _WORSE[rule].text if n < 0 and rule in _WORSE else words] for rule, n, words in told]
