"""M2 Carry out a side's sets in turn; M4 transfer units; M2.2 joint assaults."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pbem.engine.commanders.holding import (
    CommandedPosition,
    cover_refusal,
    is_asked_for_orders,
    side_and_seats,
    units_of_command,
)
from pbem.engine.commanders.orders import Assign, Cover, March, Relieve, Show, Wait, split_head
from pbem.engine.couriers import believed_units, march_in_force, send_errand, uses_couriers
from pbem.engine.data.events import Data, Event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.situation import lists_to_tuples
from pbem.engine.orders.refusals import Giver, Refusal, not_carried_out
from pbem.engine.orders.standing import flat
from pbem.engine.run.steps import Did, Outcome, Task
from pbem.engine.terms import Orders

_WRITES = "writes"
"""M4 An argument added to the task of COVER if the covered command has sent orders of its own."""
TASK_NAMES: Mapping[type, str] = {
    Assign: "assign order",
    Relieve: "assign order",
    March: "head of a set",
    Wait: "head of a set",
    Show: "head of a set",
    Cover: "cover order",
}
"""The names of the tasks of the orders that only commanders write, by type of order."""


def ordered_march(seats: Sequence[str], orders: Mapping[str, Orders]) -> tuple[str, ...]:
    """M2 Return the commands in the chief's ORDER OF MARCH, if there is one."""
    first = split_head(orders[seats[0]].actions)[0] if seats[0] in orders else ()
    return next((action.commands for action in first if isinstance(action, March)), ())


def order_of_sets(seats: Sequence[str], orders: Mapping[str, Orders], march: Sequence[str]) -> tuple[str, ...]:
    """M2 Return a side's seats in the order of their sets; `seats` are by rank.

    Commands in an order of march come first. M2.1 A command that waits for another comes after it; if commands wait
    for one another, the highest in rank comes first.
    """
    waits: dict[str, str] = {}
    for seat in seats:
        for action in split_head(orders[seat].actions)[0] if seat in orders else ():
            if isinstance(action, Wait):
                waits[seat] = action.command
    remaining = [*dict.fromkeys((*march, *seats))]
    sequence: list[str] = []
    while remaining:
        free = [seat for seat in remaining if waits.get(seat, "") not in remaining]
        next_seat = free[0] if free else min(remaining, key=seats.index)
        remaining.remove(next_seat)
        sequence.append(next_seat)
    return tuple(sequence)


@dataclass(frozen=True)
class OrderSets:
    """The sets of one game: tasks and lines of orders, M2.2 joining of assaults."""

    task_of: Callable[[Any], Task]
    lines_of: Callable[[Any], Sequence[str]]
    assault: Callable[..., Any]

    def line_of(self, action: object) -> str:
        """Return the first line of an order."""
        return self.lines_of(action)[0]

    def tasks(self, state: CommandedPosition, seats: Sequence[str], orders: Mapping[str, Orders]) -> tuple[Task, ...]:
        """M2 Return the tasks of a side's orders: of its one commander, or set after set.

        `seats` are those of the side by rank. A set is empty where a seat sent nothing.
        """
        actions = {seat: orders[seat].actions if seat in orders else () for seat in seats}
        if not any(seat in state.edition.commands for seat in seats):
            return tuple(self.task_of(action) for seat in seats for action in actions[seat])
        march, rides = march_in_force(state, seats, ordered_march(seats, orders))
        turn = order_of_sets(seats, orders, march)
        tasks = [Task("order of march", (turn, rides))]
        for seat in turn:
            if actions[seat]:
                tasks += [
                    Task("begin set", (seat,)),
                    *self.own(actions[seat]),
                    *self._show_task(state, seat, actions[seat]),
                ]
        # M4 A commander who sends orders is not covered.
        tasks = [
            Task(task.name, (*task.args, _WRITES))
            if task.name == "cover order" and actions[task.args[0].command]
            else task
            for task in tasks
        ]
        silent = tuple(seat for seat in seats if not actions[seat] and is_asked_for_orders(state, seat))
        # When looking ahead, hidden sets are unknown: lines may still meet others in them.
        unknown = tuple(seat for seat in seats if not actions[seat]) if state.commanding else ()
        return (*tasks, Task("sets over", (turn, silent, unknown)))

    def own(self, actions: Sequence[object]) -> tuple[Task, ...]:
        """Return the tasks of one set by itself."""
        return tuple(map(self.task_of, actions))

    def march(self, state: CommandedPosition, task: Task) -> Outcome:
        """M2 Notify the side of the order of its sets; M6 send an order of march.

        Arguments: the seats, and those that an order names which must be sent first.
        """
        turn, rides = task.args
        side, seats = side_and_seats(state, turn[0])
        order_event = Event("order of march", state.edition.ON_COMMANDERS.sets, {"side": side, "seats": [*turn]}, seats)
        return Did(
            (order_event, send_errand(state, seats[0], "march", (), rides))
            if rides and uses_couriers(state)
            else (order_event,)
        )

    def _show_task(self, state: CommandedPosition, seat: str, actions: Sequence[object]) -> tuple[Task, ...]:
        """M6 Return the task that adds a shown set to the next reports, under couriers."""
        first, rest = split_head(actions)
        if not uses_couriers(state) or not any(isinstance(action, Show) for action in first):
            return ()
        return (Task("show set", (seat, tuple(line for action in rest for line in self.lines_of(action)))),)

    def show(self, state: CommandedPosition, task: Task) -> Outcome:
        """M6 Put a set into the reports of its command. Arguments: the seat, its lines."""
        seat, lines = task.args
        side, _ = side_and_seats(state, seat)
        data = {"side": side, "seat": seat, "lines": [*lines]}
        return Did((Event("shows", state.edition.ON_COMMANDERS.together, data, (seat,)),))

    def begin(self, state: CommandedPosition, task: Task) -> Outcome:
        """M2 Begin a set: spaces can be activated again, and an earlier STOP IF ends.

        Argument: the seat.
        """
        (seat,) = task.args
        side, seats = side_and_seats(state, seat)
        return Did((Event("set begins", state.edition.ON_COMMANDERS.sets, {"side": side, "seat": seat}, seats),))

    def head(self, state: object, task: Task) -> Outcome:
        """M2 Do nothing: ORDER OF MARCH and WAIT FOR took effect before the first set."""
        return Did()

    def end_sets(self, state: CommandedPosition, task: Task) -> Outcome:
        """M2 End the sets; M2.2 refuse joint lines that met no other.

        Only the commands that gave them are notified. Arguments: the seats, the seats that sent nothing, and the
        seats whose sets are unknown.
        """
        turn, silent, unknown = task.args
        side, seats = side_and_seats(state, turn[0])
        events: list[Event] = []
        for seat, other, _, row in state.joining:
            if other in unknown:
                continue
            order = self.assault(*row)
            why = msg(
                "{seat} has no line that joins this one: from the same place, at the same target, JOINT WITH {own}",
                seat=other,
                own=seat,
            )
            refusal = Refusal((state.edition.ON_COMMANDERS.joint,), why, other)
            events.append(not_carried_out(order.line, self.line_of(order), refusal, Giver(side, (seat,))))
        return Did(
            (
                *events,
                Event("sets over", state.edition.ON_COMMANDERS.together, {"side": side, "seats": [*silent]}, seats),
            )
        )

    def cover(self, state: CommandedPosition, task: Task) -> Outcome:
        """M4 Let another commander cover an absent one, and notify the side.

        It is refused if the absent one sent a set.
        """
        order: Cover = task.args[0]
        side, seats = side_and_seats(state, state.commanding)
        why = cover_refusal(state, state.commanding, order.command)
        if _WRITES in task.args[1:]:
            why = msg("{command} has sent orders of his own", command=order.command)
        if why is not None:
            refusal = Refusal((state.edition.ON_COMMANDERS.gives,), why, order.command)
            giver = Giver(side, (state.commanding,))
            return Did((not_carried_out(order.line, self.line_of(order), refusal, giver),))
        data = {"side": side, "seat": order.command, "by": state.commanding}
        return Did((Event("covered", state.edition.ON_COMMANDERS.gives, data, seats),))

    def assign(self, state: CommandedPosition, task: Task) -> Outcome:
        """M4 Assign or relieve commanders from the next turn on.

        Notifies the side's commanders.
        """
        order: Assign | Relieve = task.args[0]
        side, seats = side_and_seats(state, state.commanding)
        relieves = isinstance(order, Relieve)
        if state.edition.rank(state.commanding) != 1:
            refusal = Refusal(
                (state.edition.ON_COMMANDERS.gives,),
                msg("only the commander-in-chief, {seat}, orders this", seat=seats[0]),
            )
            giver = Giver(side, (state.commanding,))
            return Did((not_carried_out(order.line, self.line_of(order), refusal, giver),))
        to = state.commanding if relieves else order.command
        if uses_couriers(state):
            units = order.units if isinstance(order, Assign) else believed_units(state, state.commanding, order.command)
            return Did((send_errand(state, state.commanding, "assign", units, (to,)),) if units else ())
        units = order.units if isinstance(order, Assign) else units_of_command(state, order.command)
        present = [unit for unit in units if unit in state.units]
        events: list[Event] = []
        for unit in units:
            if unit not in state.units:
                refusal = Refusal(
                    (state.edition.ON_COMMANDERS.gives,), msg("{unit} is no longer in play", unit=unit), unit
                )
                giver = Giver(side, (state.commanding,))
                events.append(not_carried_out(order.line, self.line_of(order), refusal, giver))
        if present:
            events.append(
                Event(
                    "assigned", state.edition.ON_COMMANDERS.gives, {"side": side, "units": present, "seat": to}, seats
                )
            )
        return Did(tuple(events))


# Handlers of events


def _begin_set(draft: CommandedPosition, data: Data) -> None:
    draft.commanding, draft.stopped, draft.covered = data["seat"], False, ()
    if hasattr(draft, "used"):
        draft.used = ()


def _end_sets(draft: CommandedPosition, data: Data) -> None:
    own_seats = {seat for seat, command in draft.edition.commands.items() if command.side == data["side"]}
    draft.silent = (*(seat for seat in draft.silent if seat not in own_seats), *data["seats"])
    draft.commanding, draft.joining, draft.covered = "", (), ()


def _add_joining_line(draft: CommandedPosition, data: Data) -> None:
    draft.joining = (*draft.joining, (data["seat"], data["other"], data["at"], lists_to_tuples(data["order"])))


def _drop_joining_line(draft: CommandedPosition, data: Data) -> None:
    seat, other = data["seats"]
    target = data["at"]
    draft.joining = tuple(
        line for line in draft.joining if (line[0], line[1]) != (other, seat) or target not in line[3]
    )


def _cover_command(draft: CommandedPosition, data: Data) -> None:
    draft.covered = (*draft.covered, data["seat"])


def _transfer_units(draft: CommandedPosition, data: Data) -> None:
    draft.transfers = {**draft.transfers, **{unit: data["seat"] for unit in data["units"]}}


def hand_over_units(draft: CommandedPosition) -> None:
    """M4 Put transferred units under their new commands; changes a draft."""
    if draft.transfers:
        draft.assigned, draft.transfers = {**draft.assigned, **draft.transfers}, {}


SET_EVENT_HANDLERS: Mapping[str, Callable[[CommandedPosition, Data], None]] = {
    "set begins": _begin_set,
    "sets over": _end_sets,
    "joins": _add_joining_line,
    "joined": _drop_joining_line,
    "assigned": _transfer_units,
    "covered": _cover_command,
}


# M2.2 One assault of two commands: their lines wait for each other, and are carried out as one.


def join_lines(state: CommandedPosition, order: Any, origin: str) -> Any | None:
    """M2.2 Return one assault made of two joint lines, or None.

    The lines are the order and the line that waits for it. The senior's line decides the vanguard, the screen and
    all else; the junior's line adds units, and a leader who goes with them.
    """
    seat = state.commanding
    for partner, partner_of_line, place, row in state.joining:
        waiting = type(order)(*row)
        if (partner, partner_of_line, place, waiting.target, waiting.verb) != (
            order.joint,
            seat,
            origin,
            order.target,
            order.verb,
        ):
            continue
        is_senior = state.edition.rank(partner) < state.edition.rank(seat)
        lead, following = (waiting, order) if is_senior else (order, waiting)
        along = {following.leader} - {"", *lead.units, lead.leader}
        units = tuple(sorted({*lead.units, *following.units, *along}))
        return lead._replace(line=order.line, units=units, joint="", jointly=(seat, partner))
    return None


def waiting_event(state: CommandedPosition, order: Any, origin: str) -> Event:
    """M2.2 Return the event that a line waits for the other command's set."""
    side, _ = side_and_seats(state, state.commanding)
    data = {"side": side, "seat": state.commanding, "other": order.joint, "at": origin, "order": [*order]}
    return Event("joins", state.edition.ON_COMMANDERS.joint, data, (state.commanding,))


def joined_event(state: CommandedPosition, order: Any) -> Event:
    """M2.2 Return the event that two lines are carried out as one."""
    side, seats = side_and_seats(state, state.commanding)
    data = {"side": side, "seats": [*order.jointly], "at": order.target, "units": [*order.units]}
    return Event("joined", state.edition.ON_COMMANDERS.joint, data, seats)


def split_joint_lines(actions: Sequence[Any]) -> tuple[Any, ...]:
    """M2.2 Return orders with joint lines split, to compute the odds of each alone."""

    def without_partner(action: Any) -> Any:
        if hasattr(action, "then"):
            return action._replace(then=split_joint_lines(action.then), otherwise=split_joint_lines(action.otherwise))
        if hasattr(action, "actions"):
            return action._replace(actions=split_joint_lines(action.actions))
        return _without_partner(action) if getattr(action, "joint", "") else action

    return tuple(map(without_partner, actions))


def _without_partner(order: Any) -> Any:
    """Return a line without its partner and the partner's units."""
    own_units = {*order.units, order.leader, "NONE", ""}
    single_units = {name: getattr(order, name) for name in ("vanguard", "screen") if hasattr(order, name)}
    lists = {name: getattr(order, name) for name in ("losses", "detach") if hasattr(order, name)}
    changes = {name: ident if ident in own_units else "" for name, ident in single_units.items()}
    changes |= {name: tuple(ident for ident in idents if ident in own_units) for name, idents in lists.items()}
    return order._replace(joint="", **changes)


def joint_line_notes(actions: Sequence[Any]) -> tuple[tuple[int, Msg], ...]:
    """M2.2 Return a note, with its line, that each joint line is evaluated alone."""
    lines = flat(actions, lambda order: getattr(order, "actions", ()))
    return tuple(
        (line.line, msg("joint with {seat}: odds without his line", seat=line.joint))
        for line in lines
        if getattr(line, "joint", "")
    )
