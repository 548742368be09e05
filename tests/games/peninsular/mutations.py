"""The workshop of this game: its rulings turned round, its refusals taken back, its lists and numbers changed.

Charts are changed cell by cell by `pbem.engine.testing.mutants`, and here each number in a cell by one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from typing import Any, cast

import pbem.games.peninsular as package
from pbem.engine.map.charts import Chart
from pbem.engine.map.hexes import distance, sector
from pbem.engine.testing.mutants import Mutant, Workshop, exchange_steps, replace_everywhere, swap, withdraw_refusals
from pbem.games.peninsular import (
    GAME,
    assault,
    cavalry,
    end_phase,
    fire,
    morale,
    movement,
    orders,
    paths,
    sequence,
    shock,
    terrain,
)
from pbem.games.peninsular.edition import GAME_FILES
from pbem.games.peninsular.movement import commander_in_chief
from pbem.games.peninsular.units import will_rank
from tests.games.peninsular.rulings import RULINGS

NAME = package.__name__
CHARTS = GAME_FILES.charts({})


@contextmanager
def with_charts(charts: Mapping[str, Chart]) -> Iterator[None]:
    """Cases are played by these charts."""
    with swap(GAME_FILES, "charts", lambda _overlay: charts):
        yield


def numbered(file: str) -> Iterator[Mutant]:
    """The number in each cell of a chart one more and one less, where it stands among letters or words."""
    chart = CHARTS[file]
    for (row, column), code in chart.cells.items():
        match = re.search(r"\d+", code)
        for n in (int(match[0]) - 1, int(match[0]) + 1) if match else ():
            other = code.replace(match[0], str(n), 1) if match and n >= 0 else code
            changed = chart._replace(cells={**chart.cells, (row, column): other})
            name = f"{chart.rule} {row} {column}: {code} by one to {other}"
            if other != code:
                yield Mutant(name, lambda changed=changed: with_charts({**CHARTS, file: changed}))  # type: ignore[misc]


def number(rule: str, holder: Any, name: str) -> Iterator[Mutant]:
    """A number of the rules that no chart holds, one less and one more."""
    value = getattr(holder, name)
    for other in (value - 1, value + 1):
        mutant_name = f"{rule} {holder.__name__.rpartition('.')[2]} {name}: {value} -> {other}"
        yield Mutant(mutant_name, lambda other=other: swap(holder, name, other))  # type: ignore[misc]


def each_left_out(rule: str, holder: Any, name: str) -> Iterator[Mutant]:
    """A list or set of words with each of them missing."""
    words = getattr(holder, name)
    for word in sorted(words):
        left = type(words)(item for item in words if item != word)
        yield Mutant(f"{rule} {name} without {word}", lambda left=left: replace_everywhere(NAME, words, left))  # type: ignore[misc]


def predicate(table: dict[str, Any], rule: str, holds: Callable[[Any], Any], says: str) -> Mutant:
    """A modifier that holds at other times."""
    return Mutant(f"{rule} {says}", lambda: swap(table, rule, holds))


def divided(letter: str, by: Fraction) -> Mutant:
    """T1 A letter that divides by another number."""
    return Mutant(f"R4 {letter} divides by {by}", lambda: swap(terrain.LETTER_DIVISORS, letter, by))


FIRE, SHOCK = cast("dict[str, Any]", fire.FIRE_MODIFIERS), cast("dict[str, Any]", shock.SHOCK_MODIFIERS)
WILL, CONTROL = cast("dict[str, Any]", morale.WILL_MODIFIERS), cast("dict[str, Any]", cavalry.CONTROL_MODIFIERS)
DIVISION = cast("dict[str, Any]", end_phase.DIVISION_MODIFIERS)


def _apart(muster: end_phase.DivisionFacts) -> bool:
    """T4.2 for a chief who does not command the division besides."""
    chief = commander_in_chief(muster.state, muster.division.side)
    if chief is None or chief.id == muster.division.commander:
        return False
    return all(distance(chief.at, unit.at) <= chief.range for unit in muster.units)


MODIFIERS = [
    predicate(FIRE, "T5.2", lambda a: a.target.formation == "skirmish" and a.target.kind == "inf", "for foot alone"),
    predicate(FIRE, "T5.3", lambda a: a.target.kind == "art", "limbered too"),
    predicate(FIRE, "T5.4", lambda a: a.firer.size == "light", "for light horse too"),
    predicate(FIRE, "T5.5", lambda a: a.firer.size == "heavy", "for heavy horse too"),
    predicate(FIRE, "T5.6", lambda a: will_rank(a.firer.will) < will_rank("B"), "A alone"),
    predicate(FIRE, "T5.6", lambda a: will_rank(a.firer.will) <= will_rank("C"), "C too"),
    predicate(FIRE, "T5.7", lambda a: will_rank(a.firer.will) > will_rank("E"), "F alone"),
    predicate(FIRE, "T5.7", lambda a: will_rank(a.firer.will) >= will_rank("D"), "D too"),
    predicate(FIRE, "T5.8", lambda a: a.firer.kind == "inf" and a.firer.nation == "british", "whatever the will"),
    predicate(FIRE, "T5.8", lambda a: a.firer.nation == "british" and a.firer.will in "ABC", "guns too"),
    predicate(FIRE, "T5.8", lambda a: a.firer.kind == "inf" and a.firer.will in "ABC", "other nations too"),
    predicate(
        FIRE, "T5.8", lambda a: a.firer.kind == "inf" and a.firer.side == "british" and a.firer.will in "ABC", "KGL too"
    ),
    predicate(FIRE, "T5.9", lambda a: bool(a.firer.fatigue), "once for all levels"),
    predicate(FIRE, "T5.9", lambda a: a.target.fatigue, "the target's"),
    predicate(FIRE, "T5.12", lambda a: a.nth == 2, "the third alone"),
    predicate(
        SHOCK, "T6.2", lambda c: max(0, will_rank(c.defender.will) - will_rank(c.attacker.will)), "never takes off"
    ),
    predicate(SHOCK, "T6.3", lambda c: any(c.state.order_of(u) == "ATTACK" for u in c.attackers), "any attacker's"),
    predicate(SHOCK, "T6.4", lambda c: any(u.kind == "cav" for u in c.attackers) and c.squared, "any attacker"),
    predicate(
        SHOCK,
        "T6.6",
        lambda c: c.attacker.kind == "inf" and c.defender.kind == "inf" and c.defender.skirmishing,
        "skirmishers too",
    ),
    predicate(SHOCK, "T6.6", lambda c: shock._is_formed(c.attacker) and c.defender.skirmishing, "against horse too"),
    predicate(SHOCK, "T6.7", lambda c: c.attacker.kind == "inf" and c.squared, "skirmishers too"),
    predicate(
        SHOCK,
        "T6.8",
        lambda c: [sector(c.target, c.defender.facing, u.at) for u in c.attackers if c.defender.faces].count("flank"),
        "for each flank",
    ),
    predicate(WILL, "T2.6", lambda t: t.unit.full - t.unit.pf, "from the first"),
    predicate(WILL, "T2.6", lambda t: t.unit.full - t.unit.pf > 1, "once for all"),
    predicate(WILL, "T2.9", lambda t: t.why in ("after charge", "receives"), "receiving one too"),
    predicate(WILL, "T2.10", lambda t: bool(t.unit.fatigue), "once for all levels"),
    predicate(CONTROL, "T9.2", lambda r: r.unit.charge > 0, "out of control too"),
    predicate(CONTROL, "T9.3", lambda r: r.unit.side == "british", "KGL too"),
    predicate(CONTROL, "T9.5", lambda r: bool(r.unit.pursuits), "once for all"),
    predicate(DIVISION, "T4.3", lambda m: any(u.state == "DE" for u in m.units), "once for all"),
    predicate(DIVISION, "T4.2", _apart, "T4a not if he commands the division besides"),
]

OTHERS = [
    *numbered("terrain"),
    *numbered("stacking"),
    *numbered("formation"),
    *MODIFIERS,
    *withdraw_refusals(NAME, orders, "S5"),
    *withdraw_refusals(NAME, movement, "S4"),
    *withdraw_refusals(NAME, assault, "S5"),
    *withdraw_refusals(NAME, paths, "S4"),
    *withdraw_refusals(NAME, fire, "S7"),
    *exchange_steps("S1", sequence, "TASKS_AFTER_ORDERS"),
    *exchange_steps("S1", sequence, "END_OF_TURN_TASKS"),
    *number("T1", paths, "_BY_ROAD"),
    *number("R1", paths, "_ALL_MANOEUVRE"),
    *number("T4.4", end_phase, "ROUT_RANGE"),
    *number("S8", cavalry, "MOST_PURSUITS"),
    *number("S9", morale, "MOST_FATIGUE"),
    *number("S6", shock, "ROUTED_RETREAT_HEXES"),
    *number("S6", morale, "ROUT_HEXES"),
    *number("S6", end_phase, "ROUT_HEXES"),
    *each_left_out("S5", assault, "NO_CHARGE_TERRAIN"),
    *each_left_out("S5", assault, "NO_CHARGE_HEXSIDES"),
    *each_left_out("S2", assault, "ORDERS_WITHOUT_SHOCK"),
    *each_left_out("S7", terrain, "_BLOCKS"),
    *each_left_out("T2.2", terrain, "STEADYING_TERRAIN"),
    *each_left_out("T1", terrain, "_BY_ROAD"),
    divided("A", Fraction(3, 2)),
    divided("B", Fraction(2)),
    divided("B", Fraction(1)),
    *(
        Mutant(f"S13 lost by {how} on {n}", lambda how=how, n=n: swap(morale.COMMANDER_LOST_AT, how, n))  # type: ignore[misc]
        for how, right in sorted(morale.COMMANDER_LOST_AT.items())
        for n in (right - 1, right + 1)
    ),
]

ONE_PHASE = "a case is one phase; test_turns plays several"
READ = "such a line is refused when it is read"
NO_STEP = "what is not next to a hex is no step out of it either: refused all the same, in other words"
LABELS = "each of these dice has its own label, and one throw does not touch the next"
EQUAL: Mapping[str, str] = {
    "S1 apply._half_begins: MP are not given anew": ONE_PHASE,
    "S1 apply._half_begins: a zone stops for ever": ONE_PHASE,
    "S1 apply._half_begins: pursuits are never forgotten": ONE_PHASE,
    "S1 apply._half_over: markers stay": ONE_PHASE,
    "S1 apply._turn_over: fire is for ever": ONE_PHASE,
    "S1 apply._turn_over: orders wait for ever": ONE_PHASE,
    "S1 half over before lone": "markers do not matter to a commander who is alone",
    "S1 turn end before lone": "a new commander joins counters, and is never alone",
    "S1 victory before turn end": "the end of a turn changes no hex held, counter or loss; golden turns hold the order",
    "S10 end_phase.queue_rallies: ties go to the highest id": LABELS,
    "S11 end_phase.queue_division_tests: every turn": "a case of the end is a turn in which somebody was routed",
    "S13 apply._bring_back: with his morale factor": "commanders whom a case has lost have no factors; test_turns",
    "S13 apply._bring_back: with his shock factor": "commanders whom a case has lost have no factors; test_turns",
    "S14 victory.count_points: a turn more": "no expectation tells the winner; test_turns",
    "S14 victory.verdict: exactly the margin is not enough": "no expectation tells the winner; test_turns",
    "S14 victory.verdict: exactly the other margin is not enough": "no expectation tells the winner; test_turns",
    "S2 refuse_order: allowed although division is None or alliance_of(division.side) != alliance_of(state.phase)": (
        READ
    ),
    "S2 apply._gives_order: an order in force leaves the old one waiting": ONE_PHASE,
    "S2 apply._gives_order: an order that waits is forgotten": ONE_PHASE,
    "S2 assault._meets_target: HOLD: where the enemy stands now counts": "no enemy moves before assaults are ordered",
    "S3a apply._forms: who has a front already takes that of others": "T8 knows no way from one front to another",
    "S4 _refuse_path: allowed although b not in hexes": READ,
    "S4 _refuse_path: allowed although b not in neighbours(a)": NO_STEP,
    "S4 paths._refuse_path: jumps": NO_STEP,
    "S4 paths._refuse_path: off the map": READ,
    "S5 refuse_actors: allowed although unit is None": "before a die of a case nobody is out of play; test_turns",
    "S5 refuse_actors: allowed although unit.camp != alliance_of(state.phase)": READ,
    "S5 _assailant: allowed although unit.assault and not joins_earlier": "its hex is taken, or not in its front",
    "S3 apply._falls: routed skirmishers turn others": "who has no facing turns nobody whichever way he comes (S3a)",
    "S5 apply._moves: marching is rest": ONE_PHASE,
    "S5 apply._rout: a routed counter keeps its marker": "only the steady assault (S5), marker or not",
    "S5 shock.remaining_attackers: the shaken shock": "who is shaken has lost his marker",
    'S7 refuse_any_fire: allowed although unit.kind == "cmd"': "such fire is refused when it is ordered",
    'S7 refuse_fire: allowed although unit.kind == "cmd"': "such fire is refused again when its turn comes",
    "S7a apply._turn_over: the second P of a battery is forgotten": ONE_PHASE,
    "S7a apply._turn_over: the sign of who was halted twice stays": "in that turn it is barred either way",
    "S7a fire._halt: who is halted again may fire in this turn": ONE_PHASE,
    "S7a fire._is_silenced: who is barred and halted again may fire": ONE_PHASE,
    "S7 fire.refuse_any_fire: halted guns fire": ONE_PHASE,
    "S7 fire.refuse_any_fire: halted guns fire in the next turn": ONE_PHASE,
    "S8 cavalry._reach: leaving a zone costs nothing": "whoever is in a zone has the nearest enemy beside him",
    "S8 cavalry.advance_attackers: commanders who are left are not captured": "they followed, or are captured already",
    "S9 end_phase.end_turn: who moved rests": ONE_PHASE,
    "T3 terrain.has_room: commanders take room": "they are neither foot nor horse nor guns",
    'T5 refuse_any_fire: allowed although unit.kind == "art" and _is_silenced(state, unit)': ONE_PHASE,
    "T5 fire._halt: P: for this turn alone": ONE_PHASE,
    "T5 fire._halt: P: for two turns": ONE_PHASE,
    "T5 fire._halt: P: guns may fire in the next turn": ONE_PHASE,
}
"""Mutants that no case can tell from the game, and why."""

WORKSHOP = Workshop(NAME, GAME, CHARTS, with_charts, RULINGS, OTHERS, EQUAL)
