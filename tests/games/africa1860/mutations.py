"""The workshop of this game: its rulings turned round, its refusals taken back, its procedures exchanged.

Charts are changed cell by cell by `pbem.engine.testing.mutants` itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

import pbem.games.africa1860 as package
from pbem.engine.map.charts import Chart
from pbem.engine.testing.mutants import Mutant, Workshop, exchange_steps, replace_everywhere, swap, withdraw_refusals
from pbem.games.africa1860 import GAME, assault, cavalry, edition, end_phase, fire, legality, movement, sequence, shock
from pbem.games.africa1860.edition import GAME_FILES
from pbem.games.africa1860.state import ROOM_TAKEN, State, Unit
from tests.games.africa1860.rulings import RULINGS


@contextmanager
def with_charts(charts: Mapping[str, Chart]) -> Iterator[None]:
    """Cases are played by these charts."""
    with ExitStack() as change:
        change.enter_context(swap(GAME_FILES, "charts", lambda _overlay: charts))
        yield


def predicate(rule: str, holds: Callable[[Any], bool], says: str) -> Mutant:
    """A modifier of the shock that holds at other times."""
    return Mutant(f"{rule} {says}", lambda: swap(shock.SHOCK_MODIFIERS, rule, holds))


def helped(says: str, helps: Callable[[State, Unit, Unit], bool], best: Any = max, number: str = "bonus") -> Mutant:
    """C4 A best leader's bonus that is reckoned otherwise; `helps` says which leaders count for a unit."""

    def leader_bonus(state: State, unit: Unit) -> int:
        numbers = [getattr(other, number) for other in state.units.values() if helps(state, other, unit)]
        return int(best(numbers, default=0))

    return Mutant(
        f"C4 leader's bonus: {says}",
        lambda: replace_everywhere(package.__name__, vars(State)["leader_bonus"], leader_bonus),
    )


def _leads(state: State, other: Unit, unit: Unit) -> bool:
    is_home = state.home(other) == state.home(unit)
    return other.is_leader and other.side == unit.side and other.id != unit.id and is_home


CHECKS = (legality, sequence, movement, fire, assault, cavalry)
"""The chapters that refuse orders."""
OTHERS = [
    helped(
        "enemy leaders help too",
        lambda state, other, unit: other.is_leader and state.home(other) == state.home(unit) and other.id != unit.id,
    ),
    helped("leaders help everywhere", lambda state, other, unit: other.is_leader and other.side == unit.side),
    helped("the worst leader counts", _leads, best=min),
    helped("the assault factor helps morale", _leads, number="assault"),
    Mutant("C5 state.ROOM: leaders take room", lambda: swap(ROOM_TAKEN, "OF", (1, 0))),
    *(mutant for chapter in CHECKS for mutant in withdraw_refusals(package.__name__, chapter, "O3")),
    *exchange_steps("O8", assault, "ASSAULT_TASKS"),
    Mutant("O9 a leader comes after one turn", lambda: swap(end_phase, "TURNS_TO_NEW_LEADER", 1)),
    Mutant("O9 a leader comes after three turns", lambda: swap(end_phase, "TURNS_TO_NEW_LEADER", 3)),
    *(
        Mutant(
            f"C0 loss_basis is {other} unless told",
            lambda other=other: swap(  # type: ignore[misc]
                edition.Edition, "OPTIONS", {**edition.OPTIONS, "loss_basis": (other, *edition.OPTIONS["loss_basis"])}
            ),
        )
        for other in edition.OPTIONS["loss_basis"][1:]
    ),
    predicate("C8.1.2", lambda c: 2 * c.enemy_steps < c.steps < 3 * c.enemy_steps, "exactly twice is not enough"),
    predicate("C8.1.2", lambda c: 2 * c.enemy_steps <= c.steps, "three times counts as twice too"),
    predicate("C8.1.3", lambda c: c.steps > 3 * c.enemy_steps, "exactly three times is not enough"),
    predicate(
        "C8.1.2", lambda c: c.attacks and 2 * c.enemy_steps <= c.steps < 3 * c.enemy_steps, "for attackers alone"
    ),
    predicate("C8.1.3", lambda c: c.attacks and c.steps >= 3 * c.enemy_steps, "for attackers alone"),
    predicate("C8.1.7", lambda c: not c.attacks and c.slope, "a slope counts on heights too"),
    predicate("C8.1.1", lambda c: c.attacks and c.vanguard.demoralised, "for attackers alone"),
]

ONE_PHASE = "a case is one phase; test_engine plays two"
NO_ARRIVALS = "nothing but reinforcements brings guns where there are four; test_engine has them"
LEFT_OUT = "whoever asks has left out the demoralised already"
EQUAL: Mapping[str, str] = {
    "C10 doctrine.default_screen: the demoralised screen": LEFT_OUT,
    "C10 doctrine.default_vanguard: the demoralised lead (R1)": LEFT_OUT,
    "C4 1 check: pass -> test": "nobody's morale is below one",
    "C4 leader's bonus: enemy leaders help too": "no two sides share a space when somebody checks",
    "C5 legality.lacking_room: foot is kept out by guns": "no space holds more than four guns",
    "C5 legality.lacking_room: three batteries": NO_ARRIVALS,
    "C5 legality.lacking_room: who does not fight is kept out of a full space": "no space holds more than eight",
    "C6 fire.resolve_volley: checks in the opposite order": "the two targets of an exchange are of different sides",
    "C6 fire.resolve_volley: the eliminated check": "who is gone does not throw",
    "C9 morale._leave: every edge may be used": "the chart stops guns and trains alone, which are captured",
    "O3 OF spaces: 2 -> 3": "no order leads farther than two spaces",
    "O4 movement._charge: units that charge through have terrain": "who intercepts has neither screen nor guns",
    "O6 apply._markers_off: acting stays": "the next phase begins with nobody having acted; test_engine plays two",
    "O8.4.4 cavalry._detachable_cavalry: DETACH does not matter": "who is detached is looked for in DETACH again",
    "O8.6 assault.fire_screens: a lone screen screens on": "after the skirmish nobody asks who screened",
    "O8.6.1 assault._damage: shaken before is damage": "the demoralised do not screen",
    "O8.6.3 assault.compare_screens: they never rejoin": "after the skirmish nobody asks who screened",
    "O9 apply._casualty: a leader is lost a turn before": ONE_PHASE,
    "O9 end_phase.bring_replacements: with factors": "no expectation speaks of factors; test_engine looks at them",
    "R16 assault.replace_vanguard: a screen that takes over screens on": "screens rejoin before a vanguard can fall",
    "R2 refuse_unit: allowed although unit.side != state.phase": "such a line is refused when it is read",
    "R2 refuse_retire: allowed although unit.side != state.phase": "such a line is refused when it is read",
    "R2 apply._begin: activated spaces stay so in the next phase": ONE_PHASE,
    "R3 apply._begin: acting lasts for two phases": ONE_PHASE,
    "R5 legality.space_between: every edge leads between": "the chart stops guns and trains alone, which go one space",
}
"""Mutants that no case can tell from the game, and why."""

WORKSHOP = Workshop(
    package.__name__,
    GAME,
    GAME_FILES.charts({}),
    with_charts,
    RULINGS,
    OTHERS,
    EQUAL,
)
