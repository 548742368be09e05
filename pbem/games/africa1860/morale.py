"""Resolve morale checks, losses (C4), and results of the shock.

Rules: O8.8.4-O8.8.8, C9.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pbem.engine.data.events import Data, Event, event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.reasons import ChartRead, Reads, Teller, fill_gaps, sentence_teller
from pbem.engine.run.steps import Ask, Did, Outcome, Roll, Task, Window, choice, die
from pbem.games.africa1860.edition import Edition
from pbem.games.africa1860.legality import retreat_spaces
from pbem.games.africa1860.state import Fight, State, Unit, enemy_of, of_side
from pbem.games.africa1860.view import UNSEEN_MARK

# C4 Morale checks, and the losses of steps that every chapter shares.


def loss_events(unit: Unit, steps: int, cite: str) -> tuple[Event, ...]:
    """Return a loss of up to `steps` steps; a unit without steps is eliminated."""
    steps_lost = min(steps, unit.steps)
    if steps_lost <= 0:
        return ()
    return (event("loses", cite, unit=unit.id, side=unit.side, steps=steps_lost, left=unit.steps - steps_lost),)


def check_tasks(address: str, units: Iterable[Unit]) -> tuple[Task, ...]:
    """Return the checks of units by id, leaders last so their bonus still counts.

    Rule: R20.
    """
    ordered = sorted(units, key=lambda unit: (unit.is_leader, unit.id))
    return tuple([Task("check", (address, unit.id)) for unit in ordered])


def check_morale(state: State, task: Task) -> Outcome:
    """Check a unit's morale; a leader who fails is a casualty (C4, O8.8.7).

    Arguments: address, unit. A lost unit does not throw.
    """
    address, ident = task.args
    unit = state.units.get(ident)
    if unit is None:
        return Did()
    if not task.got:
        return Roll(address, f"morale {ident}", 1, 6)
    label, value = die(task, 0)
    leads = unit.is_leader
    bonus = 0 if leads else state.leader_bonus(unit)
    verdict = state.edition.chart("morale").cell(value, "check")
    has_passed = verdict == "pass" or (verdict == "test" and value <= unit.morale + bonus)
    cite = "O8.8.7" if leads else "C4"
    check_event = event(
        "check",
        cite,
        unit=ident,
        side=unit.side,
        label=label,
        die=value,
        morale=unit.morale,
        bonus=bonus,
        cell=verdict,
        passed=has_passed,
    )
    if has_passed:
        return Did((check_event,))
    if leads:
        return Did((check_event, event("casualty", "O8.8.7", unit=ident, side=unit.side)))
    if unit.demoralised:
        return Did((check_event, *loss_events(unit, 1, "C4")))
    return Did((check_event, event("demoralised", "C4", unit=ident, side=unit.side)))


# O8.8.4-O8.8.8, C9 What follows the shock: going back, retreating, capture, occupation, the checks.


def give_way(state: State, task: Task) -> Outcome:
    """O8.8.4, O8.8.5 Send the beaten stack back, then check each of its units.

    Arguments: the side that gives way, and ``loses`` (a shock) or ``falls`` (R16: no combat unit was left to meet
    the attack, so that no unit checks).
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
        destination, by = choice(task, 0).value[0], choice(task, 0).by
    else:
        options = retreat_spaces(state, side, fight.target, (fight.origin, fight.between), goers)
        if goers and len(options) > 1:
            return Ask(Window(fight.address, "fallback", state.answering(fight.target, side), "", options))
        destination, by = options[0] if options else "", ""
    gives_way_event = event("gives way", "O8.8.5" if how == "loses" else "R16", side=side, space=fight.target)
    events: list[Event] = [gives_way_event, *_capture(units, fight, side)]
    gone, lost = _leave(state, goers, fight, destination, by)
    events += lost
    stack = [ident for ident in fight.stack if ident in state.units]
    if stack:
        events.append(event("occupies", "R18", side=fight.side, units=stack, from_=fight.last_from, to=fight.target))
    events.append(event("assault over", "O8.8.5", side=fight.side, winner=fight.side))
    if how != "loses":
        return Did(tuple(events))
    return Did((*events, *_leaders_last(gone)), check_tasks(fight.address, gone))


def _leaders_last(units: list[Unit]) -> tuple[Event, ...]:
    """R20 Return the event on the order of checks, if leaders are among others."""
    leaders = [unit.id for unit in units if unit.is_leader]
    if not leaders or len(leaders) == len(units):
        return ()
    return (event("leaders last", "R20", side=units[0].side, units=leaders),)


def _attacker_returns(state: State, fight: Fight) -> Outcome:
    """O8.8.4 Send the stack back to its origin, then check each unit's morale."""
    units = [unit for ident in fight.stack if (unit := state.units.get(ident)) is not None]
    back = event(
        "returns", "O8.8.4", side=fight.side, units=[u.id for u in units], from_=fight.last_from, to=fight.origin
    )
    over = event("assault over", "O8.8.4", side=fight.side, winner=enemy_of(fight.side))
    return Did((back, over, *_leaders_last(units)), check_tasks(fight.address, units))


def _capture(units: list[Unit], fight: Fight, side: str) -> tuple[Event, ...]:
    """Capture artillery and convoys, which cannot retreat (O8.8.6)."""
    taken = [unit.id for unit in units if unit.code in ("ART", "CNV")]
    return (event("captured", "O8.8.6", side=fight.side, units=taken, space=fight.target),) if taken else ()


def _leave(state: State, goers: list[Unit], fight: Fight, destination: str, by: str) -> tuple[list[Unit], list[Event]]:
    """C9 Return the units that got away, and the events of leaving.

    A unit without a way is eliminated, a leader is a casualty.
    """
    passes = state.edition.passes
    kind = state.edition.map.edge(fight.target, destination).kind if destination else ""
    away = [unit for unit in goers if destination and (kind, unit.code) in passes]
    stay = [unit for unit in goers if unit not in away]
    events: list[Event] = []
    if away:
        side = away[0].side
        more = {"by": by} if by else {}
        ids = [unit.id for unit in away]
        events.append(event("retreats", "C9", side=side, units=ids, from_=fight.target, to=destination, **more))
    dead = [unit.id for unit in stay if not unit.is_leader]
    if dead:
        events.append(event("eliminated", "C9", side=stay[0].side, units=dead, space=fight.target))
    events += [event("casualty", "C9", unit=unit.id, side=unit.side) for unit in stay if unit.is_leader]
    return away, events


def roll_for_leader(state: State, task: Task) -> Outcome:
    """O8.8.8, R19 Roll for the winner's leader; the worst cell is a casualty.

    Arguments: address, leader.
    """
    address, ident = task.args
    leader = state.units.get(ident)
    if leader is None:
        return Did()
    if not task.got:
        return Roll(address, f"leader {ident}", 1, 6)
    label, value = die(task, 0)
    cell = state.edition.chart("leader").cell(value, "fate")
    leader_throws_event = event(
        "leader throws", "O8.8.8", side=leader.side, unit=ident, label=label, die=value, cell=cell
    )
    if cell == "safe":
        return Did((leader_throws_event,))
    return Did((leader_throws_event, event("casualty", "O8.8.8", unit=ident, side=leader.side)))


# What reports say of it, and the charts that WHY shows.


def destination_teller(sentence: Msg) -> Teller:
    """Return a teller of units and the space that they go to.

    M6 If the space is out of sight, the sentence says that they are gone.
    """
    return lambda data, before: fill_gaps(_GONE if data["to"] == UNSEEN_MARK else sentence, data)


_GONE = msg("out of sight: {units}")


def single_die_reader(name: str, column: str) -> Reads:
    """Return a reader of the chart cell that a single die was looked up in."""

    def read(edition: Edition, data: Data) -> ChartRead:
        return ChartRead(name, ((edition.chart(name).row(data["die"]), column),), data.get("modifiers", ()))

    return read


def _check_text(data: Data, before: State) -> Msg:
    sentence = msg("{unit} checks morale: {die} against {morale}+{bonus}, {result}")
    return fill_gaps(sentence, data, result=msg("holds") if data["passed"] else msg("fails"))


def _loss_text(data: Data, before: State) -> Msg:
    some, all_of_it = msg("{unit} loses {steps}, {left} left"), msg("{unit} loses {steps} and is eliminated")
    return fill_gaps(some if data["left"] else all_of_it, data)


def _return_text(data: Data, before: State) -> Msg:
    some, nobody = msg("Back to {to}: {units}."), msg("Nobody is left to go back to {to}.")
    return fill_gaps(some if data["units"] else nobody, data)


def _throw_text(data: Data, before: State) -> Msg:
    fate = Msg(before.edition.chart("leader").legend[data["cell"]])
    return fill_gaps(msg("{unit} has won the shock and rolls {die} for his own safety: {fate}"), data, fate=fate)


ENTRY_SENTENCES: Mapping[str, Teller] = {
    "gives way": of_side(msg("{side} gives up {space}.")),
    "returns": _return_text,
}
DETAIL_SENTENCES: Mapping[str, Teller] = {
    "check": _check_text,
    "loses": _loss_text,
    "demoralised": sentence_teller(msg("{unit} is demoralised")),
    "casualty": sentence_teller(msg("{unit} is a casualty")),
    "captured": of_side(msg("{side} captures {units}")),
    "retreats": destination_teller(msg("retreat to {to}: {units}")),
    "eliminated": sentence_teller(msg("no way out, eliminated: {units}")),
    "occupies": destination_teller(msg("{to} is occupied: {units}")),
    "leader throws": _throw_text,
}
OUTCOME_KINDS = frozenset({*ENTRY_SENTENCES, *DETAIL_SENTENCES} - {"check", "leader throws"})
CHART_READS: Mapping[str, Reads] = {
    "check": single_die_reader("morale", "check"),
    "leader throws": single_die_reader("leader", "fate"),
}
