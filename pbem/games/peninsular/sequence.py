"""Define the sequence of play: all steps, the tasks of a half, the end of a turn.

Rule: S1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pbem.engine.commanders.sequence import TASK_NAMES as SET_TASKS
from pbem.engine.commanders.sequence import OrderSets
from pbem.engine.data.events import event
from pbem.engine.deployment import DEPLOYMENT_PHASE, Deploy, Deployment, PlacementRules
from pbem.engine.map.hexes import distance
from pbem.engine.orders.standing import If, Pass, Stop
from pbem.engine.run.steps import Chapters, Did, Outcome, Table, Task, World, procedure
from pbem.engine.standard import WritingSeats
from pbem.engine.terms import Orders
from pbem.games.peninsular import (
    assault,
    cavalry,
    end_phase,
    fire,
    morale,
    movement,
    shock,
    victory,
)
from pbem.games.peninsular.apply import HANDLERS
from pbem.games.peninsular.doctrine import CONDITIONS
from pbem.games.peninsular.edition import Edition, camp
from pbem.games.peninsular.orders import Action, Assault, Face, Fire, Form, Limber, Move, Order, line_of, lines_of
from pbem.games.peninsular.state import State
from pbem.games.peninsular.terrain import may_stand
from pbem.games.peninsular.units import Unit


def _has_room(edition: Edition, ident: str, units: Sequence[Unit]) -> bool:
    """Return whether units of a camp may stand together (T3).

    Commanders need no room.
    """
    fighting = [unit for unit in units if unit.is_combat]
    return not fighting or may_stand(edition, ident, fighting)


def _distance(edition: Edition, start: str, end: str) -> int:
    """Return the distance between two hexes."""
    return distance(start, end)


def _first_side(state: State) -> str:
    return state.edition.phases[0]


DEPLOYING = Deployment("K6", "K6.1", PlacementRules("T3", _has_room, _distance, line_of, camp), _first_side)


_TASKS: Mapping[type, str] = {
    Order: "division order",
    Move: "move order",
    Form: "form order",
    Limber: "limber order",
    Face: "face order",
    Fire: "hold fire",
    Assault: "assault order",
    Pass: "pass",
    If: "if",
    Stop: "stop",
    Deploy: "deploy order",
    **SET_TASKS,
}
ORDER_TASKS = frozenset(_TASKS.values())
AFTER = ("lone", "charges", "defensive fire", "offensive fire", "shocks", "rallies", "lone", "half over")
"""S1 The tasks that follow the orders of a half."""
END = ("division morale", "lone", "turn end", "victory", "arrivals")
"""S1, S11 The tasks at the end of a turn."""


def task_of(action: Action) -> Task:
    """Return the task that carries out an action."""
    return Task(_TASKS[type(action)], (action,))


SETS = OrderSets(task_of, lines_of, Assault)
"""M2 The sets of a side's commanders."""


TURNS = WritingSeats(moving=lambda state: () if state.phase == "over" else state.edition.seats_of(state.phase))
"""S1 The seats that write: those of a camp, in its half."""


def phase_world(
    state: State, orders: Mapping[str, Orders], letters: Sequence[Sequence[Action]] | None = None
) -> World[State]:
    """Return the half that `state` waits for, with its side's orders (S1).

    It never goes on letter by letter: fire and shock follow all movement.
    """
    if state.phase == DEPLOYMENT_PHASE:
        return DEPLOYING.world(state, orders)
    after = (*AFTER, *END) if camp(state.phase) == camp(state.edition.phases[1]) else AFTER
    tasks = (
        *procedure(("half begins",)),
        *SETS.tasks(state, state.edition.seats_of(state.phase), orders),
        *procedure((*after, "close phase")),
    )
    return World(state, tasks)


def end_world(state: State) -> World[State]:
    """S1 Return the end of a turn alone."""
    return World(state, procedure(END))


def begin(state: State, task: Task) -> Outcome:
    """Begin a half (S1)."""
    return Did((event("half begins", "S1", side=state.phase, turn=state.turn),))


def half_over(state: State, task: Task) -> Outcome:
    """Remove assault and P markers (S1)."""
    return Did((event("half over", "S1", side=state.phase),))


def close(state: State, task: Task) -> Outcome:
    """Go on to the other side's half or the next turn (S1)."""
    if state.phase == "over":
        return Did()
    first, second = state.edition.phases
    last = camp(state.phase) == camp(second)
    turn = state.turn + 1 if last else state.turn
    return Did((event("phase over", "S1", side=state.phase, next=first if last else second, turn=turn),))


def do_nothing(state: State, task: Task) -> Outcome:
    """Carry out PASS."""
    return Did((event("passes", "S1", side=state.phase),))


def branch(state: State, task: Task) -> Outcome:
    """Test an IF condition at its turn."""
    return Did((), tuple(map(task_of, CONDITIONS.branch(state, task.args[0], state.phase))))


def stop(state: State, task: Task) -> Outcome:
    """Cancel the following orders if a STOP IF condition holds."""
    return CONDITIONS.stop_if(state, task.args[0], state.phase, "S1")


STEPS: Table[State] = {
    # K6 deployment
    "deploy order": DEPLOYING.order,
    "not deployed": DEPLOYING.rest,
    "deployment over": DEPLOYING.close,
    # S1 sequence
    "half begins": begin,
    "half over": half_over,
    "close phase": close,
    "pass": do_nothing,
    "if": branch,
    "stop": stop,
    # M2, M4 several commanders
    "order of march": SETS.march,
    "head of a set": SETS.head,
    "begin set": SETS.begin,
    "sets over": SETS.end_sets,
    "assign order": SETS.assign,
    "cover order": SETS.cover,
    # S2-S5 orders, movement, markers
    "division order": movement.division_order,
    "move order": movement.move_order,
    "form order": movement.form_order,
    "limber order": movement.limber_order,
    "face order": movement.face_order,
    "hold fire": fire.hold_fire,
    "assault order": assault.assault_order,
    # T2, S12, S13 morale, retreats, commanders
    "test": morale.try_will,
    "commander": morale.commander,
    "retreat": morale.retreat,
    "withdraw": morale.withdraw,
    "bereft": morale.capture_commanders,
    "lone": morale.check_lone_commanders,
    # S6, S7 charges and fire
    "charges": assault.charges,
    "charged": assault.receive_charge,
    "charging": assault.try_charge,
    "defensive fire": fire.defensive_fire,
    "defend": fire.defend,
    "offensive fire": fire.offensive_fire,
    "fire order": fire.fire_order,
    "fire at": fire.fire_at,
    "shot": fire.shot,
    "struck": fire.apply_fire_result,
    # T6, S8, S9 shock, advance, control
    "shocks": shock.shocks,
    "shock": shock.shock,
    "bleed": shock.lose_from_stack,
    "advance": cavalry.advance,
    "control": cavalry.control,
    "pursue": cavalry.pursue,
    "spent": cavalry.spend_cavalry,
    # S10-S14 rally and the end of the turn
    "rallies": end_phase.rallies,
    "rally": end_phase.rally,
    "division morale": end_phase.division_morale,
    "division": end_phase.test_division,
    "turn end": end_phase.turn_end,
    "arrivals": end_phase.arrivals,
    "arrival": end_phase.arrival,
    "victory": victory.victory,
}

RULES = Chapters(STEPS, HANDLERS, ORDER_TASKS)
