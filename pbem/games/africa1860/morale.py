"""C4 Morale checks and losses of steps; O8.8.4-O8.8.8, C9 what follows the shock: retreat, capture, occupation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pbem.engine.data.events import Data, Event, event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.reasons import ChartRead, Reads, Teller, fill_gaps, says
from pbem.engine.run.steps import Ask, Did, Outcome, Roll, Task, Window, choice, die
from pbem.games.africa1860.edition import Edition
from pbem.games.africa1860.legality import retreats
from pbem.games.africa1860.state import Fight, State, Unit, of_side, other
from pbem.games.africa1860.view import UNSEEN

# C4 Morale checks, and the losses of steps that every chapter shares.


def lose(unit: Unit, steps: int, cite: str) -> tuple[Event, ...]:
    """Return the loss of up to `steps` steps by a unit, none if it is zero; a unit with none left is eliminated."""
    taken = min(steps, unit.steps)
    if taken <= 0:
        return ()
    return (event("loses", cite, unit=unit.id, side=unit.side, steps=taken, left=unit.steps - taken),)


def checks(where: str, units: Iterable[Unit]) -> tuple[Task, ...]:
    """R20 Return a check for each unit, in id order, leaders last so that their bonus still counts for the others."""
    ordered = sorted(units, key=lambda unit: (unit.is_leader, unit.id))
    return tuple([Task("check", (where, unit.id)) for unit in ordered])


def check(state: State, task: Task) -> Outcome:
    """C4 A unit throws against its morale; O8.8.7 a leader who fails is a casualty.

    Arguments: address, unit. A unit that is gone by then does not throw.
    """
    where, ident = task.args
    unit = state.units.get(ident)
    if unit is None:
        return Did()
    if not task.got:
        return Roll(where, f"morale {ident}", 1, 6)
    label, value = die(task, 0)
    leads = unit.is_leader
    bonus = 0 if leads else state.leader_bonus(unit)
    verdict = state.edition.chart("morale").cell(value, "check")
    passed = verdict == "pass" or (verdict == "test" and value <= unit.morale + bonus)
    cite = "O8.8.7" if leads else "C4"
    told = event(
        "check",
        cite,
        unit=ident,
        side=unit.side,
        label=label,
        die=value,
        morale=unit.morale,
        bonus=bonus,
        cell=verdict,
        passed=passed,
    )
    if passed:
        return Did((told,))
    if leads:
        return Did((told, event("casualty", "O8.8.7", unit=ident, side=unit.side)))
    if unit.demoralised:
        return Did((told, *lose(unit, 1, "C4")))
    return Did((told, event("demoralised", "C4", unit=ident, side=unit.side)))


# O8.8.4-O8.8.8, C9 What follows the shock: going back, retreating, capture, occupation, the checks.


def give_way(state: State, task: Task) -> Outcome:
    """O8.8.4 A beaten attacker goes back, O8.8.5 a beaten defender retreats; then every unit of the stack checks.

    Arguments: the side that gives way, and ``loses`` (a shock) or ``falls`` (R16: no combat unit was left to meet
    the attack, so nobody checks).
    """
    fight = state.fight
    if fight is None:
        return Did()
    side, how = task.args
    if side == fight.side:
        return _attacker_returns(state, fight)
    units = state.own(fight.target, side)
    goers = [unit for unit in units if unit.code not in ("ART", "CNV")]
    if task.got:
        to, by = choice(task, 0).value[0], choice(task, 0).by
    else:
        options = retreats(state, side, fight.target, (fight.origin, fight.between), goers)
        if goers and len(options) > 1:
            return Ask(Window(fight.address, "fallback", state.answering(fight.target, side), "", options))
        to, by = options[0] if options else "", ""
    told = event("gives way", "O8.8.5" if how == "loses" else "R16", side=side, space=fight.target)
    events: list[Event] = [told, *_capture(units, fight, side)]
    gone, lost = _leave(state, goers, fight, to, by)
    events += lost
    stack = [ident for ident in fight.stack if ident in state.units]
    if stack:
        events.append(event("occupies", "R18", side=fight.side, units=stack, from_=fight.last_from, to=fight.target))
    events.append(event("assault over", "O8.8.5", side=fight.side, winner=fight.side))
    if how != "loses":
        return Did(tuple(events))
    return Did((*events, *_leaders_last(gone)), checks(fight.address, gone))


def _leaders_last(units: list[Unit]) -> tuple[Event, ...]:
    """R20 Return the event of the order of the checks, where it matters: leaders among others."""
    leaders = [unit.id for unit in units if unit.is_leader]
    if not leaders or len(leaders) == len(units):
        return ()
    return (event("leaders last", "R20", side=units[0].side, units=leaders),)


def _attacker_returns(state: State, fight: Fight) -> Outcome:
    """O8.8.4 The stack goes back to its origin and every unit of it checks morale."""
    units = [unit for ident in fight.stack if (unit := state.units.get(ident)) is not None]
    back = event(
        "returns", "O8.8.4", side=fight.side, units=[u.id for u in units], from_=fight.last_from, to=fight.origin
    )
    over = event("assault over", "O8.8.4", side=fight.side, winner=other(fight.side))
    return Did((back, over, *_leaders_last(units)), checks(fight.address, units))


def _capture(units: list[Unit], fight: Fight, side: str) -> tuple[Event, ...]:
    """O8.8.6 Artillery and convoys cannot retreat."""
    taken = [unit.id for unit in units if unit.code in ("ART", "CNV")]
    return (event("captured", "O8.8.6", side=fight.side, units=taken, space=fight.target),) if taken else ()


def _leave(state: State, goers: list[Unit], fight: Fight, to: str, by: str) -> tuple[list[Unit], list[Event]]:
    """C9 Return who got away and the events of leaving; who finds no way is eliminated, leaders are casualties."""
    passes = state.edition.passes
    kind = state.edition.map.edge(fight.target, to).kind if to else ""
    away = [unit for unit in goers if to and (kind, unit.code) in passes]
    stay = [unit for unit in goers if unit not in away]
    events: list[Event] = []
    if away:
        side = away[0].side
        more = {"by": by} if by else {}
        ids = [unit.id for unit in away]
        events.append(event("retreats", "C9", side=side, units=ids, from_=fight.target, to=to, **more))
    dead = [unit.id for unit in stay if not unit.is_leader]
    if dead:
        events.append(event("eliminated", "C9", side=stay[0].side, units=dead, space=fight.target))
    events += [event("casualty", "C9", unit=unit.id, side=unit.side) for unit in stay if unit.is_leader]
    return away, events


def victorious_leader(state: State, task: Task) -> Outcome:
    """O8.8.8, R19 The winner's leader throws; on the chart's worst he is a casualty. Arguments: address, leader."""
    where, ident = task.args
    leader = state.units.get(ident)
    if leader is None:
        return Did()
    if not task.got:
        return Roll(where, f"leader {ident}", 1, 6)
    label, value = die(task, 0)
    cell = state.edition.chart("leader").cell(value, "fate")
    told = event("leader throws", "O8.8.8", side=leader.side, unit=ident, label=label, die=value, cell=cell)
    if cell == "safe":
        return Did((told,))
    return Did((told, event("casualty", "O8.8.8", unit=ident, side=leader.side)))


# What reports say of it, and the charts that WHY shows.


def goes(sentence: Msg) -> Teller:
    """Tell of units and the space that they go to; M6 of a space that is out of sight, that they are gone."""
    return lambda data, before: fill_gaps(_GONE if data["to"] == UNSEEN else sentence, data)


_GONE = msg("out of sight: {units}")


def by_die(name: str, column: str) -> Reads:
    """Tell the cell of a chart that one die was looked up in."""

    def read(edition: Edition, data: Data) -> ChartRead:
        return ChartRead(name, ((edition.chart(name).row(data["die"]), column),), data.get("modifiers", ()))

    return read


def _tell_check(data: Data, before: State) -> Msg:
    sentence = msg("{unit} checks morale: {die} against {morale}+{bonus}, {result}")
    return fill_gaps(sentence, data, result=msg("holds") if data["passed"] else msg("fails"))


def _tell_loss(data: Data, before: State) -> Msg:
    some, all_of_it = msg("{unit} loses {steps}, {left} left"), msg("{unit} loses {steps} and is eliminated")
    return fill_gaps(some if data["left"] else all_of_it, data)


def _tell_return(data: Data, before: State) -> Msg:
    some, nobody = msg("Back to {to}: {units}."), msg("Nobody is left to go back to {to}.")
    return fill_gaps(some if data["units"] else nobody, data)


def _tell_throw(data: Data, before: State) -> Msg:
    fate = Msg(before.edition.chart("leader").legend[data["cell"]])
    return fill_gaps(msg("{unit} has won and throws {die}: {fate}"), data, fate=fate)


HEADS: Mapping[str, Teller] = {
    "gives way": of_side(msg("{side} gives up {space}.")),
    "returns": _tell_return,
}
DETAILS: Mapping[str, Teller] = {
    "check": _tell_check,
    "loses": _tell_loss,
    "demoralised": says(msg("{unit} is demoralised")),
    "casualty": says(msg("{unit} is a casualty")),
    "captured": of_side(msg("{side} captures {units}")),
    "retreats": goes(msg("retreat to {to}: {units}")),
    "eliminated": says(msg("no way out, eliminated: {units}")),
    "occupies": goes(msg("{to} is occupied: {units}")),
    "leader throws": _tell_throw,
}
OUTCOMES = frozenset({*HEADS, *DETAILS} - {"check"})
READ: Mapping[str, Reads] = {
    "check": by_die("morale", "check"),
    "leader throws": by_die("leader", "fate"),
}
