"""M2 The sets of a side's commanders, one after another; M4 who is given to whom; M2.2 the assault of two commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pbem.engine.commanders.holding import Commanded, asked, side_and_seats, uncovered, units_of
from pbem.engine.commanders.orders import Assign, Cover, March, Relieve, Show, Wait, headed
from pbem.engine.couriers import in_force, known_under, send_errand, under_couriers
from pbem.engine.data.events import Data, Event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.situation import tuples
from pbem.engine.orders.refusals import Giver, Refusal, not_carried_out
from pbem.engine.orders.standing import flat
from pbem.engine.run.steps import Did, Outcome, Task
from pbem.engine.terms import Orders

_WRITES = "writes"
"""M4 What is added to the task of COVER where that command has sent a set of its own."""
TASKS: Mapping[type, str] = {
    Assign: "assign order",
    Relieve: "assign order",
    March: "head of a set",
    Wait: "head of a set",
    Show: "head of a set",
    Cover: "cover order",
}
"""The tasks of the orders that commanders write besides their game's."""


def ordered_march(seats: Sequence[str], orders: Mapping[str, Orders]) -> tuple[str, ...]:
    """M2 Return the commands that the commander-in-chief's ORDER OF MARCH names, none if there is none."""
    first = headed(orders[seats[0]].actions)[0] if seats[0] in orders else ()
    return next((action.commands for action in first if isinstance(action, March)), ())


def in_turn(seats: Sequence[str], orders: Mapping[str, Orders], march: Sequence[str]) -> tuple[str, ...]:
    """M2 Return a side's seats in the order in which their sets are carried out; `seats` are by rank.

    What an order of march names goes first; M2.1 who waits for a command goes behind it, and where commands wait for
    one another the highest of them in rank goes on.
    """
    waits: dict[str, str] = {}
    for seat in seats:
        for action in headed(orders[seat].actions)[0] if seat in orders else ():
            if isinstance(action, Wait):
                waits[seat] = action.command
    left = [*dict.fromkeys((*march, *seats))]
    done: list[str] = []
    while left:
        free = [seat for seat in left if waits.get(seat, "") not in left]
        chosen = free[0] if free else min(left, key=seats.index)
        left.remove(chosen)
        done.append(chosen)
    return tuple(done)


@dataclass(frozen=True)
class Sets:
    """The sets of one game: how an order is carried out and written, and M2.2 the record of an assault."""

    task_of: Callable[[Any], Task]
    lines_of: Callable[[Any], Sequence[str]]
    assault: Callable[..., Any]

    def line_of(self, action: object) -> str:
        """Return the first line of an order."""
        return self.lines_of(action)[0]

    def tasks(self, state: Commanded, seats: Sequence[str], orders: Mapping[str, Orders]) -> tuple[Task, ...]:
        """M2 Return the tasks of a side's orders: those of its one commander, or set after set.

        `seats` are those of the side by rank. A set is empty where a seat sent nothing.
        """
        given = {seat: orders[seat].actions if seat in orders else () for seat in seats}
        if not any(seat in state.edition.commands for seat in seats):
            return tuple(self.task_of(action) for seat in seats for action in given[seat])
        march, rides = in_force(state, seats, ordered_march(seats, orders))
        turn = in_turn(seats, orders, march)
        tasks = [Task("order of march", (turn, rides))]
        for seat in turn:
            if given[seat]:
                tasks += [Task("begin set", (seat,)), *self.own(given[seat]), *self._shown(state, seat, given[seat])]
        # M4 Who writes himself is covered by nobody.
        tasks = [
            Task(one.name, (*one.args, _WRITES)) if one.name == "cover order" and given[one.args[0].command] else one
            for one in tasks
        ]
        silent = tuple(seat for seat in seats if not given[seat] and asked(state, seat))
        # Who looks ahead does not know the sets that are not shown to him: his lines may well meet others in them.
        unknown = tuple(seat for seat in seats if not given[seat]) if state.commanding else ()
        return (*tasks, Task("sets over", (turn, silent, unknown)))

    def own(self, actions: Sequence[object]) -> tuple[Task, ...]:
        """Return the tasks of one set by itself."""
        return tuple(map(self.task_of, actions))

    def march(self, state: Commanded, task: Task) -> Outcome:
        """M2 The side learns in which order its sets are carried out; M6 an order of march may have to ride first.

        Arguments: the seats, and those that an order names which rides.
        """
        turn, rides = task.args
        side, seats = side_and_seats(state, turn[0])
        told = Event("order of march", state.edition.ON_COMMANDERS.sets, {"side": side, "seats": [*turn]}, seats)
        return Did(
            (told, send_errand(state, seats[0], "march", (), rides)) if rides and under_couriers(state) else (told,)
        )

    def _shown(self, state: Commanded, seat: str, actions: Sequence[object]) -> tuple[Task, ...]:
        """M6 Under couriers a set that is shown is told in the reports that leave after it."""
        first, rest = headed(actions)
        if not under_couriers(state) or not any(isinstance(action, Show) for action in first):
            return ()
        return (Task("show set", (seat, tuple(line for action in rest for line in self.lines_of(action)))),)

    def show(self, state: Commanded, task: Task) -> Outcome:
        """M6 A set is put into the reports of its command. Arguments: the seat, its lines."""
        seat, lines = task.args
        side, _ = side_and_seats(state, seat)
        data = {"side": side, "seat": seat, "lines": [*lines]}
        return Did((Event("shows", state.edition.ON_COMMANDERS.together, data, (seat,)),))

    def begin(self, state: Commanded, task: Task) -> Outcome:
        """M2 A set begins: spaces can be activated again, and what STOP IF struck was another's. Argument: the seat."""
        (seat,) = task.args
        side, seats = side_and_seats(state, seat)
        return Did((Event("set begins", state.edition.ON_COMMANDERS.sets, {"side": side, "seat": seat}, seats),))

    def head(self, state: object, task: Task) -> Outcome:
        """M2 ORDER OF MARCH, WAIT FOR and SHOW SIDE were looked at before the first set."""
        return Did()

    def over(self, state: Commanded, task: Task) -> Outcome:
        """M2 All sets are carried out; M2.2 but for joint lines that met no other, which their commands alone are told.

        Arguments: the seats, those of them that sent nothing, and those whose sets are not known.
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
            found = Refusal((state.edition.ON_COMMANDERS.joint,), why, other)
            events.append(not_carried_out(order.line, self.line_of(order), found, Giver(side, (seat,))))
        return Did(
            (
                *events,
                Event("sets over", state.edition.ON_COMMANDERS.together, {"side": side, "seats": [*silent]}, seats),
            )
        )

    def cover(self, state: Commanded, task: Task) -> Outcome:
        """M4 COVER: told to the side's commanders; of no force if that commander has sent a set."""
        order: Cover = task.args[0]
        side, seats = side_and_seats(state, state.commanding)
        why = uncovered(state, state.commanding, order.command)
        if _WRITES in task.args[1:]:
            why = msg("{command} has sent orders of his own", command=order.command)
        if why is not None:
            found = Refusal((state.edition.ON_COMMANDERS.gives,), why, order.command)
            giver = Giver(side, (state.commanding,))
            return Did((not_carried_out(order.line, self.line_of(order), found, giver),))
        data = {"side": side, "seat": order.command, "by": state.commanding}
        return Did((Event("covered", state.edition.ON_COMMANDERS.gives, data, seats),))

    def assign(self, state: Commanded, task: Task) -> Outcome:
        """M4 ASSIGN and RELIEVE: from the next turn on, told to the side's commanders."""
        order: Assign | Relieve = task.args[0]
        side, seats = side_and_seats(state, state.commanding)
        relieves = isinstance(order, Relieve)
        if state.edition.rank(state.commanding) != 1:
            found = Refusal(
                (state.edition.ON_COMMANDERS.gives,),
                msg("only the commander-in-chief, {seat}, orders this", seat=seats[0]),
            )
            giver = Giver(side, (state.commanding,))
            return Did((not_carried_out(order.line, self.line_of(order), found, giver),))
        to = state.commanding if relieves else order.command
        if under_couriers(state):
            units = order.units if isinstance(order, Assign) else known_under(state, state.commanding, order.command)
            return Did((send_errand(state, state.commanding, "assign", units, (to,)),) if units else ())
        units = order.units if isinstance(order, Assign) else units_of(state, order.command)
        given = [unit for unit in units if unit in state.units]
        events: list[Event] = []
        for unit in units:
            if unit not in state.units:
                found = Refusal(
                    (state.edition.ON_COMMANDERS.gives,), msg("{unit} is no longer in play", unit=unit), unit
                )
                giver = Giver(side, (state.commanding,))
                events.append(not_carried_out(order.line, self.line_of(order), found, giver))
        if given:
            events.append(
                Event("assigned", state.edition.ON_COMMANDERS.gives, {"side": side, "units": given, "seat": to}, seats)
            )
        return Did(tuple(events))


# What becomes of the position


def _begins(draft: Commanded, data: Data) -> None:
    draft.commanding, draft.stopped, draft.covered = data["seat"], False, ()
    if hasattr(draft, "used"):
        draft.used = ()


def _over(draft: Commanded, data: Data) -> None:
    own = {seat for seat, one in draft.edition.commands.items() if one.side == data["side"]}
    draft.silent = (*(seat for seat in draft.silent if seat not in own), *data["seats"])
    draft.commanding, draft.joining, draft.covered = "", (), ()


def _joins(draft: Commanded, data: Data) -> None:
    draft.joining = (*draft.joining, (data["seat"], data["other"], data["at"], tuples(data["order"])))


def _joined(draft: Commanded, data: Data) -> None:
    seat, other = data["seats"]
    target = data["at"]
    draft.joining = tuple(one for one in draft.joining if (one[0], one[1]) != (other, seat) or target not in one[3])


def _covered(draft: Commanded, data: Data) -> None:
    draft.covered = (*draft.covered, data["seat"])


def _assigned(draft: Commanded, data: Data) -> None:
    draft.transfers = {**draft.transfers, **{unit: data["seat"] for unit in data["units"]}}


def handed_over(draft: Commanded) -> None:
    """M4 A turn is over: who was assigned is under his new command; for a copy of one's own alone."""
    if draft.transfers:
        draft.assigned, draft.transfers = {**draft.assigned, **draft.transfers}, {}


HANDLERS: Mapping[str, Callable[[Commanded, Data], None]] = {
    "set begins": _begins,
    "sets over": _over,
    "joins": _joins,
    "joined": _joined,
    "assigned": _assigned,
    "covered": _covered,
}


# M2.2 One assault of two commands: their lines wait for each other, and are carried out as one.


def met(state: Commanded, order: Any, origin: str) -> Any | None:
    """M2.2 Return one assault made of an order and of the line that waits for it; None if none does.

    It is led as the senior says: with the vanguard, screen and whatever else his line names. The junior's line
    names units, and a leader who goes along.
    """
    seat = state.commanding
    for one, other, at, row in state.joining:
        waits = type(order)(*row)
        if (one, other, at, waits.target, waits.verb) != (order.joint, seat, origin, order.target, order.verb):
            continue
        older = state.edition.rank(one) < state.edition.rank(seat)
        lead, led = (waits, order) if older else (order, waits)
        along = {led.leader} - {"", *lead.units, lead.leader}
        units = tuple(sorted({*lead.units, *led.units, *along}))
        return lead._replace(line=order.line, units=units, joint="", jointly=(seat, one))
    return None


def waits(state: Commanded, order: Any, origin: str) -> Event:
    """M2.2 Return the event that a line waits for the other command's, in whose set it is carried out."""
    side, _ = side_and_seats(state, state.commanding)
    data = {"side": side, "seat": state.commanding, "other": order.joint, "at": origin, "order": [*order]}
    return Event("joins", state.edition.ON_COMMANDERS.joint, data, (state.commanding,))


def joined(state: Commanded, order: Any) -> Event:
    """M2.2 Return the event that two lines are carried out as one."""
    side, seats = side_and_seats(state, state.commanding)
    data = {"side": side, "seats": [*order.jointly], "at": order.target, "units": [*order.units]}
    return Event("joined", state.edition.ON_COMMANDERS.joint, data, seats)


def alone(actions: Sequence[Any]) -> tuple[Any, ...]:
    """M2.2 Return orders with each joint line as if it stood by itself, to be weighed where the other is not known."""

    def one(action: Any) -> Any:
        if hasattr(action, "then"):
            return action._replace(then=alone(action.then), otherwise=alone(action.otherwise))
        if hasattr(action, "actions"):
            return action._replace(actions=alone(action.actions))
        return _by_itself(action) if getattr(action, "joint", "") else action

    return tuple(map(one, actions))


def _by_itself(order: Any) -> Any:
    """A line without the other, and without what it says of units that the other names."""
    own = {*order.units, order.leader, "NONE", ""}
    named = {name: getattr(order, name) for name in ("vanguard", "screen") if hasattr(order, name)}
    lists = {name: getattr(order, name) for name in ("losses", "detach") if hasattr(order, name)}
    kept = {name: ident if ident in own else "" for name, ident in named.items()}
    kept |= {name: tuple(ident for ident in idents if ident in own) for name, idents in lists.items()}
    return order._replace(joint="", **kept)


def notes(actions: Sequence[Any]) -> tuple[tuple[int, Msg], ...]:
    """M2.2 Return, for each joint line, that it is weighed without the other, with its line."""
    lines = flat(actions, lambda one: getattr(one, "actions", ()))
    return tuple(
        (one.line, msg("joint with {seat}: odds without his line", seat=one.joint))
        for one in lines
        if getattr(one, "joint", "")
    )
