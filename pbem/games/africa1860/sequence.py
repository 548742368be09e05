"""Define the sequence of play and the activation of spaces (O1-O6)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pbem.engine import standard as turns
from pbem.engine.commanders.holding import other_owner
from pbem.engine.commanders.sequence import TASK_NAMES as SET_TASKS
from pbem.engine.commanders.sequence import OrderSets
from pbem.engine.data.events import Data, event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.deployment import DEPLOYMENT_PHASE, Deploy, Deployment, PlacementRules
from pbem.engine.orders import speech
from pbem.engine.orders.refusals import Refusal
from pbem.engine.orders.standing import If, Pass, Stop
from pbem.engine.reasons import Teller, fill_gaps, stop_if_notice
from pbem.engine.run.steps import (
    BROKEN_OFF,
    DONE,
    LETTER,
    MORE,
    Ask,
    Chapters,
    Did,
    Outcome,
    Table,
    Task,
    Window,
    World,
    choice,
    procedure,
)
from pbem.engine.terms import Orders
from pbem.games.africa1860 import assault, cavalry, end_phase, fire, morale, movement, shock, victory
from pbem.games.africa1860.apply import EVENT_HANDLERS
from pbem.games.africa1860.doctrine import CONDITIONS
from pbem.games.africa1860.edition import SIDES, Edition
from pbem.games.africa1860.legality import explain_absence, not_carried_out
from pbem.games.africa1860.orders import (
    Action,
    Activate,
    Assault,
    Caracole,
    Fire,
    Move,
    Retire,
    line_of,
    lines_of,
    translate_orders,
)
from pbem.games.africa1860.state import State, Unit, count_crowd, of_side
from pbem.games.africa1860.view import COURIERS


def _has_room(edition: Edition, space: str, units: Sequence[Unit]) -> bool:
    """C5 Return whether these units of a side may stand together."""
    combat, guns = count_crowd(units)
    return combat <= edition.stacking[0] and guns <= edition.stacking[1]


def _distance(edition: Edition, start: str, end: str) -> int:
    """Return the number of steps between two spaces."""
    return edition.map.distances((start,)).get(end, len(edition.map.spaces))


def _is_stuck(edition: Edition, unit: Unit, space: str) -> bool:
    """C11 Return whether no edge of a space lets such a unit pass.

    Guns and trains cannot use paths.
    """
    area = edition.map
    return not any((area.edge(space, near).kind, unit.code) in edition.passes for near in area.neighbours(space))


def _first(state: State) -> str:
    return SIDES[0]


DEPLOYMENT = Deployment(
    "K6", "K6.1", PlacementRules("C5", _has_room, _distance, line_of, stuck=_is_stuck, on_ways="C11"), _first
)


NEXT_SIDE = {"spain": "morocco", "morocco": "spain"}
PHASE_RULE = {"spain": "O1", "morocco": "O5"}
_TASKS: Mapping[type, str] = {
    Activate: "activate",
    Move: "move order",
    Fire: "fire order",
    Assault: "assault order",
    Caracole: "caracole order",
    Retire: "retire order",
    Pass: "pass",
    If: "if",
    Stop: "stop",
    Deploy: "deploy order",
    **SET_TASKS,
}
ORDER_TASKS = frozenset(_TASKS.values())
TASKS_AFTER_ORDERS = ("breaking", "recovery", "couriers", "close phase", "next letter")
"""The tasks that may follow the orders of a phase or of a letter."""
END_PHASE_TASKS = ("recovery", "reinforcements", "replacements", "markers off", "victory")
"""O6 The end phase in its order; the victory check closes the turn."""


def task_of(action: Action, space: str = "") -> Task:
    """Return the task that carries out an action of a space's activation."""
    return Task(_TASKS[type(action)], (action, space), ())


ORDER_SETS = OrderSets(task_of, lines_of, Assault)
"""M2 The sets of a side's commanders."""


def waiting_phase(state: State) -> tuple[str, int] | None:
    """Return the phase that waits for orders.

    K6 A side that sees the enemy's deployment deploys in a phase of its own.
    """
    return (
        (f"{DEPLOYMENT_PHASE}2", state.turn) if state.second and state.phase != "over" else turns.waiting_phase(state)
    )


# K6 All seats deploy at once, but where one side's scouts saw how the other does.
WRITING_SEATS = turns.WritingSeats(at_once=DEPLOYMENT.seats)


def phase_world(
    state: State, orders: Mapping[str, Orders], letters: Sequence[Sequence[Action]] | None = None
) -> World[State]:
    """O1, O5 Return the phase as it begins: position, and tasks by the orders.

    The orders are of the side that moves. With `letters` the phase goes on letter by letter; after each a task asks
    whether another comes.
    """
    if state.phase == DEPLOYMENT_PHASE:
        return DEPLOYMENT.world(state, orders)
    seats = [seat for seat, side in state.edition.seats.items() if side == state.phase]
    tasks = (Task("begin phase"), *ORDER_SETS.tasks(state, seats, orders))
    if letters is not None:
        return World(state, (*tasks, Task("next letter", tuple(map(tuple, letters)))))
    return World(state, (*tasks, *_closing(state)))


def _closing(state: State) -> tuple[Task, ...]:
    """O5, O6 Return the tasks that follow a phase's orders.

    C12 Breaking is checked first. M6 Couriers ride last.
    """
    breaking = ("breaking",) if state.edition.breaking else ()
    riders = ("couriers",) if state.known is not None else ()
    return procedure((*breaking, *(END_PHASE_TASKS if state.phase == "morocco" else ()), *riders, "close phase"))


def next_letter(state: State, task: Task) -> Outcome:
    """O2 Return the world for the next letter of a phase: more activations.

    A STOP IF ends only its own letter.

    Arguments: the actions of each letter that came after this.
    """
    if not task.got:
        return Ask(Window("phase", LETTER, state.edition.seat_of(state.phase), "", (MORE, DONE)))
    if choice(task, 0).value[0] == DONE:
        return Did((), _closing(state))
    actions, *later = task.args
    events = (event("goes on", "O2", side=state.phase),) if state.stopped else ()
    return Did(events, (*(task_of(action) for action in actions), Task("next letter", tuple(later))))


def end_world(state: State) -> World[State]:
    """O6 Return the end phase alone."""
    return World(state, procedure(END_PHASE_TASKS))


def begin_phase(state: State, task: Task) -> Outcome:
    """O1, O5 Begin a phase: nobody has acted, no space is activated."""
    return Did((event("phase begins", PHASE_RULE[state.phase], side=state.phase, turn=state.turn),))


def close_phase(state: State, task: Task) -> Outcome:
    """O5, O6 End a phase: the other side's follows, or the next turn."""
    if state.phase == "over":
        return Did()
    turn = state.turn + 1 if state.phase == "morocco" else state.turn
    rule = "O5" if state.phase == "spain" else "O6"
    return Did((event("phase over", rule, side=state.phase, next=NEXT_SIDE[state.phase], turn=turn),))


def activate_space(state: State, task: Task) -> Outcome:
    """O2 Activate a space and act with its units; R2 a refusal drops their actions."""
    order: Activate = task.args[0]
    refusal = refuse_activate(state, order)
    if refusal is not None:
        return Did(
            (not_carried_out(state, order, refusal),),
            tuple(task_of(action) for action in _unaffected_actions(order.actions)),
        )
    rule = "O2" if state.phase == "spain" else "O5"
    activates_event = event("activates", rule, side=state.phase, space=order.space)
    return Did((activates_event,), tuple([task_of(action, order.space) for action in order.actions]))


def _unaffected_actions(actions: Iterable[Action]) -> Iterator[Action]:
    """R2 Return the actions below a refused ACTIVATE that are still carried out.

    They are RETIRE (R8), STOP IF, and other activations behind an IF.
    """
    for action in actions:
        if isinstance(action, Retire | Stop | Activate):
            yield action
        elif isinstance(action, If):
            yield action._replace(
                then=tuple(_unaffected_actions(action.then)), otherwise=tuple(_unaffected_actions(action.otherwise))
            )


def do_nothing(state: State, task: Task) -> Outcome:
    """Carry out PASS."""
    return Did((event("passes", "O2", side=state.phase),))


def try_condition(state: State, task: Task) -> Outcome:
    """Test an IF condition at its turn."""
    order, space = task.args
    return Did((), tuple([task_of(action, space) for action in CONDITIONS.branch(state, order, state.phase)]))


def stop_if_true(state: State, task: Task) -> Outcome:
    """Cancel the following orders if a STOP IF condition holds."""
    return CONDITIONS.stop_if(state, task.args[0], state.phase, "O2")


def refuse_activate(state: State, order: Activate, _: str = "", lasting_only: bool = False) -> Refusal | None:
    """Return why ACTIVATE is refused (O2, O5)."""
    side, space = state.phase, order.space
    if lasting_only:
        return None
    if space in state.used:
        return Refusal(("R2",), msg("{space} was activated already in this phase", space=space), space)
    own_units = state.own(space, side)
    if own_units and all(other_owner(state, unit.id) for unit in own_units):
        return Refusal(("M1", "R2"), msg("no unit of your command is in {space}", space=space), space)
    if not own_units:
        rules = ("O5", "O2") if side == "morocco" else ("O2", "O3")
        return Refusal(rules, msg("you have no unit in {space}", space=space), space)
    place = state.has_flag(space, "locality") or state.terrain(space) == "camp"
    if side == "morocco" and not (place or any(unit.is_leader for unit in own_units)):
        why = msg("{space} holds no Moroccan locality, camp or leader: a leader must come first", space=space)
        return Refusal(("O5",), why, space)
    return None


# The table of steps: what carries out each task, chapter by chapter.


STEP_FUNCTIONS: Table[State] = {
    # K6 deployment
    "deploy order": DEPLOYMENT.order,
    "not deployed": DEPLOYMENT.rest,
    "deployment over": DEPLOYMENT.close,
    # O1-O6 sequence
    "begin phase": begin_phase,
    "close phase": close_phase,
    "activate": activate_space,
    "next letter": next_letter,
    "pass": do_nothing,
    "if": try_condition,
    "stop": stop_if_true,
    # M2, M4 several commanders
    "order of march": ORDER_SETS.march,
    "head of a set": ORDER_SETS.head,
    "begin set": ORDER_SETS.begin,
    "sets over": ORDER_SETS.end_sets,
    "assign order": ORDER_SETS.assign,
    "show set": ORDER_SETS.show,
    # M6 couriers
    "couriers": COURIERS.step,
    "cover order": ORDER_SETS.cover,
    # O3, O4 movement and interception
    "move order": movement.move_order,
    "retire order": movement.retire_order,
    "enter": movement.enter_space,
    "intercept": movement.intercept,
    "fall back": movement.fall_back,
    # C4, C6, O7 morale and fire
    "check": morale.check_morale,
    "volley": fire.resolve_volley,
    "fire order": fire.fire_order,
    "shot": fire.fire_shot,
    "counterbattery": fire.answer_fire,
    # O8 assault
    "assault order": assault.assault_order,
    "begin": assault.begin_assault,
    "name roles": assault.name_roles,
    "cavalry": cavalry.ask_cavalry,
    "sally": cavalry.caracole_at_attackers,
    "screen hit": cavalry.rejoin_hit_screen,
    "countercharge": cavalry.countercharge,
    "caracole order": cavalry.caracole_order,
    "caracole": cavalry.fire_caracole,
    "screens": assault.fire_screens,
    "compare screens": assault.compare_screens,
    "rejoin": assault.rejoin_screens,
    "support": assault.fire_supporting_guns,
    "support fire": assault.fire_support_group,
    "defending guns": assault.fire_defending_guns,
    "defending vanguard": assault.fire_defending_vanguard,
    "settle": assault.replace_vanguard,
    "shock": shock.resolve_shock,
    "losses": shock.take_losses,
    "give way": morale.give_way,
    "victorious leader": morale.roll_for_leader,
    # O6, O9, C12 end phase
    "breaking": victory.break_sides,
    "recovery": end_phase.queue_recovery,
    "recover": end_phase.recover,
    "reinforcements": end_phase.bring_reinforcements,
    "replacements": end_phase.bring_replacements,
    "markers off": end_phase.remove_markers,
    "victory": victory.count_points,
}

RULES = Chapters(STEP_FUNCTIONS, EVENT_HANDLERS, ORDER_TASKS)


# What reports say of it.


def _refusal_text(data: Data, before: State) -> Msg:
    sentence, why = msg("Not carried out: {order}. {why}."), explain_absence(before, Msg.from_json(data["why"]))
    return fill_gaps(sentence, data, order=speech.order_text(data["order"], translate_orders), why=why)


ENTRY_SENTENCES: Mapping[str, Teller] = {
    "activates": of_side(msg("{side} activates {space}.")),
    "not carried out": _refusal_text,
    BROKEN_OFF: lambda data, before: stop_if_notice(data, translate_orders),
}
OUTCOME_KINDS = frozenset({"not carried out", BROKEN_OFF})
