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
from pbem.games.peninsular.apply import EVENT_HANDLERS
from pbem.games.peninsular.doctrine import CONDITIONS
from pbem.games.peninsular.edition import Edition, alliance_of
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


DEPLOYMENT = Deployment("K6", "K6.1", PlacementRules("T3", _has_room, _distance, line_of, alliance_of), _first_side)


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
TASKS_AFTER_ORDERS = ("lone", "charges", "defensive fire", "offensive fire", "shocks", "rallies", "lone", "half over")
"""S1 The tasks that follow the orders of a half."""
END_OF_TURN_TASKS = ("division morale", "lone", "turn end", "victory", "arrivals")
"""S1, S11 The tasks at the end of a turn."""


def task_of(action: Action) -> Task:
    """Return the task that carries out an action."""
    return Task(_TASKS[type(action)], (action,))


ORDER_SETS = OrderSets(task_of, lines_of, Assault)
"""M2 The sets of a side's commanders."""


WRITING_SEATS = WritingSeats(moving=lambda state: () if state.phase == "over" else state.edition.seats_of(state.phase))
"""S1 The seats that write: those of a camp, in its half."""


def phase_world(
    state: State, orders: Mapping[str, Orders], letters: Sequence[Sequence[Action]] | None = None
) -> World[State]:
    """Return the half that `state` waits for, with its side's orders (S1).

    It never goes on letter by letter: fire and shock follow all movement.
    """
    if state.phase == DEPLOYMENT_PHASE:
        return DEPLOYMENT.world(state, orders)
    after = (
        (*TASKS_AFTER_ORDERS, *END_OF_TURN_TASKS)
        if alliance_of(state.phase) == alliance_of(state.edition.phases[1])
        else TASKS_AFTER_ORDERS
    )
    tasks = (
        *procedure(("half begins",)),
        *ORDER_SETS.tasks(state, state.edition.seats_of(state.phase), orders),
        *procedure((*after, "close phase")),
    )
    return World(state, tasks)


def end_world(state: State) -> World[State]:
    """S1 Return the end of a turn alone."""
    return World(state, procedure(END_OF_TURN_TASKS))


def begin_half(state: State, task: Task) -> Outcome:
    """Begin a half (S1)."""
    return Did((event("half begins", "S1", side=state.phase, turn=state.turn),))


def end_half(state: State, task: Task) -> Outcome:
    """Remove assault and P markers (S1)."""
    return Did((event("half over", "S1", side=state.phase),))


def close_half(state: State, task: Task) -> Outcome:
    """Go on to the other side's half or the next turn (S1)."""
    if state.phase == "over":
        return Did()
    first, second = state.edition.phases
    last = alliance_of(state.phase) == alliance_of(second)
    turn = state.turn + 1 if last else state.turn
    return Did((event("phase over", "S1", side=state.phase, next=first if last else second, turn=turn),))


def do_nothing(state: State, task: Task) -> Outcome:
    """Carry out PASS."""
    return Did((event("passes", "S1", side=state.phase),))


def try_condition(state: State, task: Task) -> Outcome:
    """Test an IF condition at its turn."""
    return Did((), tuple(map(task_of, CONDITIONS.branch(state, task.args[0], state.phase))))


def stop_if_true(state: State, task: Task) -> Outcome:
    """Cancel the following orders if a STOP IF condition holds."""
    return CONDITIONS.stop_if(state, task.args[0], state.phase, "S1")


STEP_FUNCTIONS: Table[State] = {
    # K6 deployment
    "deploy order": DEPLOYMENT.order,
    "not deployed": DEPLOYMENT.rest,
    "deployment over": DEPLOYMENT.close,
    # S1 sequence
    "half begins": begin_half,
    "half over": end_half,
    "close phase": close_half,
    "pass": do_nothing,
    "if": try_condition,
    "stop": stop_if_true,
    # M2, M4 several commanders
    "order of march": ORDER_SETS.march,
    "head of a set": ORDER_SETS.head,
    "begin set": ORDER_SETS.begin,
    "sets over": ORDER_SETS.end_sets,
    "assign order": ORDER_SETS.assign,
    "cover order": ORDER_SETS.cover,
    # S2-S5 orders, movement, markers
    "division order": movement.division_order,
    "move order": movement.move_order,
    "form order": movement.form_order,
    "limber order": movement.limber_order,
    "face order": movement.face_order,
    "hold fire": fire.store_fire_order,
    "assault order": assault.assault_order,
    # T2, S12, S13 morale, retreats, commanders
    "test": morale.roll_for_will,
    "commander": morale.roll_for_commander,
    "retreat": morale.retreat,
    "withdraw": morale.withdraw,
    "bereft": morale.capture_commanders,
    "lone": morale.check_lone_commanders,
    # S6, S7 charges and fire
    "charges": assault.queue_charge_tests,
    "charged": assault.try_receivers,
    "charging": assault.try_charge,
    "defensive fire": fire.queue_defensive_fire,
    "defend": fire.fire_defensively,
    "offensive fire": fire.queue_offensive_fire,
    "fire order": fire.fire_order,
    "fire at": fire.fire_at,
    "shot": fire.roll_shot,
    "struck": fire.apply_fire_result,
    # T6, S8, S9 shock, advance, control
    "shocks": shock.queue_shocks,
    "shock": shock.resolve_shock,
    "bleed": shock.lose_from_stack,
    "advance": cavalry.advance_attackers,
    "control": cavalry.roll_for_control,
    "pursue": cavalry.pursue,
    "spent": cavalry.spend_cavalry,
    # S10-S14 rally and the end of the turn
    "rallies": end_phase.queue_rallies,
    "rally": end_phase.try_rally,
    "division morale": end_phase.queue_division_tests,
    "division": end_phase.test_division,
    "turn end": end_phase.end_turn,
    "arrivals": end_phase.queue_arrivals,
    "arrival": end_phase.bring_reinforcements,
    "victory": victory.count_points,
}

RULES = Chapters(STEP_FUNCTIONS, EVENT_HANDLERS, ORDER_TASKS)
