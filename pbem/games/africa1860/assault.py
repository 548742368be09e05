"""Resolve the assault from naming vanguards to the fire before the shock (O8).

The shock itself is in shock.py. `ASSAULT_TASKS` lists the procedure by rule number. Each step examines the current
fight; after an early end (R16) the remaining steps find no fight and do nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

from pbem.engine.commanders.holding import seat_of_unit
from pbem.engine.commanders.sequence import join_lines, joined_event, waiting_event
from pbem.engine.data.events import Data, Event, event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.refusals import Refusal
from pbem.engine.reasons import Teller, sentence_teller
from pbem.engine.run.steps import Ask, Did, Outcome, Task, Window, choice, procedure
from pbem.games.africa1860.doctrine import default_notice, default_screen, default_vanguard, notice_of_default
from pbem.games.africa1860.fire import GroupShot, fire_tasks, group_event, is_gun_ready, marking_event
from pbem.games.africa1860.legality import (
    ANY_SPACE,
    MOVE_RULE,
    IntendedAction,
    bars_to_gun,
    no_enemy_text,
    not_carried_out,
    refuse_river,
    refuse_units,
    space_between,
    spaces_between,
)
from pbem.games.africa1860.orders import Assault
from pbem.games.africa1860.state import (
    CAVALRY,
    COMBAT_CODES,
    INFANTRY,
    LIGHT,
    Fight,
    State,
    Unit,
    best_unit,
    enemy_of,
    fight_from_json,
    of_side,
)

ASSAULT_TASKS = ("name roles", "cavalry", "screens", "support", "defending guns", "defending vanguard", "shock")
"""O8.1-O8.8 The tasks of an assault, in order."""

NO_SUCH_LEADER = msg("{unit} is not in {space} to lead").text


def assault_order(state: State, task: Task) -> Outcome:
    """Carry out ASSAULT and CHARGE: mark the units.

    A long charge enters the space between. Rules: O8, O3.3.

    C10a The default doctrine fills in an omitted vanguard or screen; SCREEN NONE means none.
    """
    order: Assault
    order, space = task.args
    refusal = refuse_assault(state, order, space)
    if refusal is not None:
        return Did((not_carried_out(state, order, refusal),))
    if order.joint:
        return _jointly(state, order, space)
    stack = tuple(sorted({*order.units, *((order.leader,) if order.leader else ())}))
    units = [state.units[i] for i in stack]
    near = state.edition.map.adjacent(space, order.target) and not order.via
    between = "" if near else space_between(state, space, order.target, units, order.via)
    vanguard = order.vanguard or default_vanguard([u for u in units if u.is_combat], frozenset())
    screen = order.screen or default_screen(units, vanguard)
    fight = Fight(
        "",
        order.verb.lower(),
        state.phase,
        space,
        order.target,
        stack,
        order.leader,
        between,
        order.support,
        order.detach,
        order.losses,
        vanguard,
        "" if screen == "NONE" else screen,
    )
    remaining: tuple[Event, ...] = ()
    if state.edition.reread and not (order.vanguard and order.screen):
        remaining = notice_of_default(state, state.commanding or state.edition.seat_of(state.phase), "C10a")
    guns = tuple(sorted(gun for group in order.support for gun in group))
    marks = [marking_event(stack, "R3", "activated", "acted")]
    marks += [marking_event(guns, "R3", "activated", "acted")] if guns else []
    next_tasks: tuple[Task, ...] = (Task("begin", (fight,)),)
    if between:
        next_tasks = (Task("enter", (stack, space, (between,), True)), *next_tasks)
    return Did((*marks, *remaining), next_tasks)


def _jointly(state: State, order: Assault, space: str) -> Outcome:
    """Hold a line of a joint assault until the other line joins it as one assault.

    Rule: M2.2.
    """
    both = join_lines(state, order, space)
    if both is None:
        return Did((waiting_event(state, order, space),))
    return Did((joined_event(state, both),), (Task("assault order", (both, space)),))


def begin_assault(state: State, task: Task) -> Outcome:
    """Begin the assault with the remaining attackers (O8).

    The task's argument is the fight as ordered. An interception before it may have removed the vanguard of a
    charge, or all attackers.
    """
    fight: Fight = Fight(*task.args[0])
    start = fight.between or fight.origin
    known = state.units
    alive = [known[ident] for ident in fight.stack if ident in known and known[ident].at == start]
    combat = [unit for unit in alive if unit.is_combat]
    if not combat:
        ids = [unit.id for unit in alive if unit.at != fight.origin]
        back = event("returns", "R16", side=fight.side, units=ids, from_=start, to=fight.origin)
        return Did((back,) if ids else ())
    stack = tuple([unit.id for unit in alive])
    vanguard = fight.vanguard if fight.vanguard in stack else default_vanguard(combat, frozenset())
    screen = fight.screen if fight.screen in stack and fight.screen != vanguard else ""
    if screen and state.units[screen].demoralised:
        screen = ""
    pair = f"{fight.origin}>{fight.target}"
    bout = state.bouts.get(pair, 0) + 1
    fight = fight._replace(
        address=pair if bout == 1 else f"{pair}.{bout}",
        stack=stack,
        leader=fight.leader if fight.leader in stack else "",
        vanguard=vanguard,
        screen=screen,
    )
    cite = "O4" if fight.kind == "interception" else "O3.3" if fight.kind == "charge" else "O8"
    events: list[Event] = [event("assault", cite, side=fight.side, fight=list(fight))]
    if fight.leader:
        events.append(event("leads", "O8.1", side=fight.side, unit=fight.leader))
    return Did(tuple(events), procedure(ASSAULT_TASKS))


def units_in_fight(state: State, fight: Fight, side: str) -> list[Unit]:
    """Return a side's combat units.

    The attacker's stack, or all defenders in the space.
    """
    if side == fight.side:
        units = state.units
        return [units[ident] for ident in fight.stack if ident in units and units[ident].code in COMBAT_CODES]
    return [unit for unit in state.own(fight.target, side) if unit.code in COMBAT_CODES]


def name_roles(state: State, task: Task) -> Outcome:
    """Name both vanguards and optional screens; the attacker's are in his order.

    Rules: O8.2, O8.3.
    """
    fight = state.fight
    if fight is None:
        return Did()
    enemy = enemy_of(fight.side)
    if len(task.got) < 2:
        defenders = units_in_fight(state, fight, enemy)
        if defenders:
            return _ask_for_roles(state, fight, defenders, task)
    events: list[Event] = [event("vanguard", "O8.2", side=fight.side, unit=fight.vanguard)]
    if fight.screen:
        events.append(event("screen", "O8.3", side=fight.side, unit=fight.screen))
    if not task.got:
        return Did(tuple(events))
    vanguard, screen_answer = choice(task, 0), choice(task, 1)
    events.append(event("vanguard", "O8.2", side=enemy, unit=vanguard.value[0], by=vanguard.by))
    if screen_answer.value[0] != "NONE":
        events.append(event("screen", "O8.3", side=enemy, unit=screen_answer.value[0], by=screen_answer.by))
    return Did((*events, *default_notice(state, state.answering(fight.target, enemy), vanguard, screen_answer)))


def _ask_for_roles(state: State, fight: Fight, defenders: list[Unit], task: Task) -> Ask:
    """Ask for the defender's vanguard, then his screen; the demoralised lead last.

    Rules: O8.2, O8.3, R1.
    """
    seat = state.answering(fight.target, enemy_of(fight.side))
    if not task.got:
        steady = [unit.id for unit in defenders if not unit.demoralised] or [unit.id for unit in defenders]
        return Ask(Window(fight.address, "vanguard", seat, "", tuple(steady)))
    first = choice(task, 0).value[0]
    able = [u.id for u in defenders if u.code in (LIGHT, CAVALRY) and not u.demoralised and u.id != first]
    return Ask(Window(fight.address, "screen", seat, "", (*able, "NONE")))


def replace_vanguard(state: State, task: Task) -> Outcome:
    """Replace a lost vanguard by the stack's best combat unit, or end the assault.

    Rule: R16.

    Demoralised units are chosen last (R1). A screen that is chosen rejoins the stack first.
    """
    fight = state.fight
    if fight is None:
        return Did()
    events: list[Event] = []
    for side, vanguard, screen in (
        (fight.side, fight.vanguard, fight.screen),
        (enemy_of(fight.side), fight.enemy_vanguard, fight.enemy_screen),
    ):
        if not vanguard or vanguard in state.units:
            continue
        remaining = units_in_fight(state, fight, side)
        best = best_unit(remaining, lambda unit: not unit.demoralised) or best_unit(remaining)
        if best is None and side == fight.side:
            return Did(break_off(state, fight, "R16"))
        if best is not None and best.id == screen:
            events.append(event("rejoins", "R16", side=side, unit=screen))
        events.append(event("vanguard", "R16", side=side, unit="" if best is None else best.id))
    return Did(tuple(events))


def break_off(state: State, fight: Fight, cite: str) -> tuple[Event, ...]:
    """End the assault; the remaining stack goes back without checks (R16)."""
    away = [ident for ident in fight.stack if ident in state.units and state.units[ident].at != fight.origin]
    back = event("returns", cite, side=fight.side, units=away, from_=fight.last_from, to=fight.origin)
    over = event("assault over", cite, side=fight.side, winner="")
    return (*((back,) if away else ()), over)


def fire_supporting_guns(state: State, task: Task) -> Outcome:
    """Fire the attacker's supporting guns at the defending vanguard, group by group.

    Rules: O8.7, R22.

    R22a The origin's guns fire first, then other spaces' by id.
    """
    fight = state.fight
    if fight is None:
        return Did()
    guns = sorted(gun for group in fight.support for gun in group if gun in state.units)
    support_events = [event("supports", "R22", side=fight.side, units=guns)] if guns else []
    away = [gun for gun in guns if state.units[gun].at != fight.origin]
    if away:
        support_events.append(event("supports", "R22a", side=fight.side, units=away))
    groups = sorted(fight.support, key=lambda group: _rank(state, fight, group)) if away else fight.support
    return Did(tuple(support_events), tuple(Task("support fire", (group,)) for group in groups))


def _rank(state: State, fight: Fight, group: tuple[str, ...]) -> str:
    """Return a group's place in the fire, its origin first.

    A lost group does not fire. Rule: R22a.
    """
    places = {state.units[gun].at for gun in group if gun in state.units}
    return "" if fight.origin in places else min(places, default="")


def fire_support_group(state: State, task: Task) -> Outcome:
    """Fire a group of guns, the argument, at the enemy's vanguard (O7.1.5)."""
    fight = state.fight
    guns = tuple(gun for gun in task.args[0] if gun in state.units)
    if fight is None or not fight.enemy_vanguard or not guns:
        return Did()
    next_tasks = (*fire_tasks(state, fight.address, "O8.7", GroupShot(guns, fight.enemy_vanguard)), Task("settle"))
    aimed = event("aim", "O7.1.5", side=fight.side, units=list(guns), unit=fight.enemy_vanguard)
    return Did((marking_event(guns, "O7.1.1", "fired"), *group_event(guns), aimed), next_tasks)


def fire_defending_guns(state: State, task: Task) -> Outcome:
    """Fire the defender's guns in the space at the attacking vanguard, first.

    Rules: O8.7, R23.

    R9 In the Moroccan phase Spanish guns may fire even if activated or fired.
    """
    fight = state.fight
    if fight is None:
        return Did()
    enemy = enemy_of(fight.side)
    freed = state.phase == "morocco" and enemy == "spain"
    guns = [u for u in state.own(fight.target, enemy) if u.code == "ART" and not u.demoralised]
    guns = [unit for unit in guns if freed or is_gun_ready(unit)]
    if not guns:
        return Did()
    if not task.got:
        return Ask(Window(fight.address, "guns", state.answering(fight.target, enemy), "", ("FIRE", "KEEP")))
    answer = choice(task, 0)
    if answer.value[0] == "KEEP":
        return Did()
    ids = tuple(unit.id for unit in guns)
    again = any(unit.activated or unit.fired for unit in guns)
    events = (
        *default_notice(state, state.answering(fight.target, enemy), answer),
        marking_event(ids, "R9" if again else "O7.1.1", "activated", "fired", side=enemy, by=answer.by),
        event("guns first", "R23", side=enemy, units=list(ids)),
        *group_event(ids),
        event("aim", "O7.1.5", side=enemy, units=list(ids), unit=fight.vanguard),
    )
    return Did(
        events, (*fire_tasks(state, fight.address, "O8.7", GroupShot(ids, fight.vanguard, bare=True)), Task("settle"))
    )


def fire_defending_vanguard(state: State, task: Task) -> Outcome:
    """Fire the defending vanguard at the attacking one (O8.7)."""
    fight = state.fight
    if fight is None or not fight.enemy_vanguard:
        return Did()
    shot = GroupShot((fight.enemy_vanguard,), fight.vanguard, bare=True)
    return Did((), (Task("volley", (fight.address, "O8.7", (shot,))), Task("settle")))


# O8.6 Screens: the skirmish before the vanguards meet.


Health = tuple[int, bool]
"""A unit's steps, and whether it is demoralised."""


def fire_screens(state: State, task: Task) -> Outcome:
    """Exchange fire of two screens; a lone one fires at the vanguard and rejoins.

    Rules: O8.6, O8.6.1.
    """
    fight = state.fight
    if fight is None:
        return Did()
    ours = fight.screen if fight.screen in state.units else ""
    theirs = fight.enemy_screen if fight.enemy_screen in state.units else ""
    if ours and theirs:
        shots = (GroupShot((ours,), theirs), GroupShot((theirs,), ours, bare=True))
        before = tuple((state.units[i].steps, state.units[i].demoralised) for i in (ours, theirs))
        return Did(
            (), (Task("volley", (fight.address, "O8.6", shots)), Task("compare screens", (ours, theirs, before)))
        )
    if not (ours or theirs):
        return Did()
    shot = GroupShot((ours,), fight.enemy_vanguard) if ours else GroupShot((theirs,), fight.vanguard, bare=True)
    next_tasks = (Task("volley", (fight.address, "O8.6.1", (shot,))), Task("rejoin", ("O8.6.1",)), Task("settle"))
    return Did((), next_tasks)


def compare_screens(state: State, task: Task) -> Outcome:
    """Let the unhurt screen that hit fire at the vanguard, then rejoin both.

    Rules: O8.6.2-O8.6.3, R15.

    Arguments: the attacker's screen, the defender's, the health of both before the exchange.
    """
    fight = state.fight
    ours, theirs, before = task.args
    if fight is None:
        return Did()
    taken = tuple(_damage(state, ident, health) for ident, health in zip((ours, theirs), before, strict=True))
    hurt = tuple(damage != (0, False) for damage in taken)
    if hurt == (False, True) and fight.enemy_vanguard:
        shot = GroupShot((ours,), fight.enemy_vanguard)
    elif hurt == (True, False):
        shot = GroupShot((theirs,), fight.vanguard, bare=True)
    else:
        alike = taken[0] == taken[1] or (taken[0][1] and taken[1][1])
        return Did((), (Task("rejoin", ("O8.6.2" if alike else "R15",)), Task("settle")))
    fired = Task("volley", (fight.address, "O8.6.3", (shot,)))
    return Did((), (fired, Task("rejoin", ("O8.6.3",)), Task("settle")))


def _damage(state: State, ident: str, before: Health) -> Health:
    """Return the steps lost and new demoralisation in this exchange (O8.6.1)."""
    unit = state.units.get(ident)
    if unit is None:
        return before[0], False
    return before[0] - unit.steps, unit.demoralised and not before[1]


def rejoin_screens(state: State, task: Task) -> Outcome:
    """Return both screens to their stacks; argument: the rule cited (O8.6.1-3)."""
    fight: Fight | None = state.fight
    if fight is None:
        return Did()
    sides = ((fight.side, fight.screen), (enemy_of(fight.side), fight.enemy_screen))
    events: list[Event] = [event("rejoins", task.args[0], side=side, unit=unit) for side, unit in sides if unit]
    return Did(tuple(events))


# What an order of assault may not do.
_SCREENS = frozenset({LIGHT, CAVALRY})


_RIDERS = frozenset({CAVALRY})


def refuse_assault(state: State, order: Assault, space: str, lasting_only: bool = False) -> Refusal | None:
    """Return why ASSAULT or CHARGE is refused (O8, O3.3)."""
    if state.is_broken(state.phase):
        return Refusal(("C12", "O8"), msg("your side is broken: it neither assaults nor charges"), order.target)
    stack = (*order.units, *((order.leader,) if order.leader and order.leader not in order.units else ()))
    result = (
        _refuse_stack(state, order, space, lasting_only)
        or refuse_units(state, stack, IntendedAction(space, lasting_only, extra=("O8",), besides=order.jointly))
        or _refuse_roles(state, order)
        or _refuse_support(state, order, space, lasting_only)
        or _refuse_reach(state, order, space, lasting_only)
    )
    if result is not None or lasting_only:
        return result
    if state.holder(order.target) in ("", state.phase):
        return Refusal(("R2", "O2"), no_enemy_text(state, order.target), order.target)
    return None


def _refuse_stack(state: State, order: Assault, space: str, lasting_only: bool) -> Refusal | None:
    """Refuse unit types that may not assault, and infantry without a leader (O8.1)."""
    units = [unit for ident in order.units if (unit := state.units.get(ident)) is not None]
    for unit in units:
        if unit.code in ("ART", "CNV"):
            return Refusal((MOVE_RULE[unit.code], "O8.2"), msg("{unit} never assaults", unit=unit.id), unit.id)
        if order.verb == "CHARGE" and unit.code != CAVALRY and not unit.is_leader:
            return Refusal(("O3.3",), msg("only cavalry charges, {unit} is none", unit=unit.id), unit.id)
    if units and COMBAT_CODES.isdisjoint([unit.code for unit in units]):
        return Refusal(("O8.2", "O8.1"), msg("an assault needs a combat unit"), order.target)
    leader = state.units.get(order.leader)
    if order.leader and leader is not None and not leader.is_leader:
        return Refusal(("O8.1",), msg("{unit} is no leader", unit=order.leader), order.leader)
    if (
        not lasting_only
        and order.leader
        and (leader is None or leader.at != space)
        and (leader is None or leader.side == state.phase)
    ):
        return Refusal(("O8.1",), msg(NO_SUCH_LEADER, unit=order.leader, space=space), order.leader)
    if not order.leader and not order.joint and not INFANTRY.isdisjoint([unit.code for unit in units]):
        why = msg("infantry assaults only under a leader of its space: LED BY names him")
        return Refusal(("O8.1",), why, order.units[0])
    return None


def _refuse_roles(state: State, order: Assault) -> Refusal | None:
    """Refuse a vanguard, screen or cavalry that is unfit or not in the stack.

    Rules: O8.2-O8.4.

    M2.2 While the other line of a joint assault is unknown, these may be units that it may name.
    """

    def fits(ident: str, codes: frozenset[str]) -> bool:
        joins = bool(order.joint) and seat_of_unit(state, ident) == order.joint
        return (joins or ident in order.units) and ((unit := state.units.get(ident)) is None or unit.code in codes)

    if order.vanguard and not fits(order.vanguard, COMBAT_CODES):
        why = msg("the vanguard is a combat unit of the assault, {unit} is none", unit=order.vanguard)
        return Refusal(("O8.2",), why, order.vanguard)
    if order.screen not in ("", "NONE") and not fits(order.screen, _SCREENS):
        why = msg("the screen is light infantry or cavalry of the assault, {unit} is none", unit=order.screen)
        return Refusal(("O8.3",), why, order.screen)
    if order.screen and order.screen == order.vanguard:
        return Refusal(("O8.3",), msg("{unit} cannot be vanguard and screen at once", unit=order.screen), order.screen)
    for ident in order.detach:
        if not fits(ident, _RIDERS) or ident == order.screen:
            why = msg("{unit} cannot be detached: cavalry of the assault that is not its screen", unit=ident)
            return Refusal(("O8.4.4", *(("R21",) if ident == order.screen else ())), why, ident)
        if ident == order.vanguard:
            return Refusal(("R21", "O8.4.4"), msg("{unit} is the vanguard and cannot be detached", unit=ident), ident)
    for ident in order.losses:
        if not fits(ident, COMBAT_CODES):
            why = msg("LOSSES names combat units of the assault, {unit} is none", unit=ident)
            return Refusal(("R17",), why, ident)
    return None


def _refuse_support(state: State, order: Assault, space: str, lasting_only: bool) -> Refusal | None:
    """Refuse supporting guns that have fired or stand elsewhere (O8.7, R22).

    R22a Another space next to the target is allowed; a group stands in one space (O7.1.3).
    """
    anywhere = state.edition.reread
    rules = ("R22a", "R22") if anywhere else ("R22",)
    for group in order.support:
        places = {unit.at for gun in group if (unit := state.units.get(gun)) is not None}
        for gun in group:
            unit = state.units.get(gun)
            if unit is None or unit.side != state.phase:
                continue
            if unit.code != "ART":
                return Refusal(("O8.7", *rules), msg("{unit} is no artillery", unit=gun), gun)
            if lasting_only:
                continue
            if unit.at != space and not (anywhere and state.edition.map.adjacent(unit.at, order.target)):
                why = msg("{unit} is not in {space}: supporting guns fire from there", unit=gun, space=space)
                if anywhere:
                    why = msg("{unit} is neither in {space} nor next to {to}", unit=gun, space=space, to=order.target)
                return Refusal((*rules, "O8.7", "O7.1.3"), why, gun)
            if len(places) > 1:
                why = msg("{unit} is in another space: guns fire together from one space only", unit=gun)
                return Refusal(("O7.1.3", *rules, "O8.7"), why, gun)
            if unit.fired:
                why = msg("{unit} has fired already in this turn", unit=gun)
                more = (*rules, "O8.7") if anywhere else ()
                return Refusal(("O7.1.1", *bars_to_gun(state, unit, unit.at), *more), why, gun)
    guns = [gun for group in order.support for gun in group]
    return refuse_units(
        state, guns, IntendedAction(ANY_SPACE if anywhere else space, lasting_only, extra=rules, besides=order.jointly)
    )


def _refuse_reach(state: State, order: Assault, space: str, lasting_only: bool) -> Refusal | None:
    """Refuse targets not adjacent; a charge may go two spaces past no enemy.

    Rules: R13, O3.3, R5.
    """
    area = state.edition.map
    if area.adjacent(space, order.target) and not order.via:
        return None
    far = msg("{to} is not next to {space}", to=order.target, space=space)
    units = [unit for ident in order.units if (unit := state.units.get(ident)) is not None]
    if order.verb != "CHARGE":
        return Refusal(("R13", *(("O3.2",) if any(u.code in INFANTRY for u in units) else ())), far, order.target)
    if order.target == space or not spaces_between(state, space, order.target, order.via):
        why = msg("{to} is more than two spaces from {space}", to=order.target, space=space)
        return Refusal(("O3.3", "R13"), why, order.target)
    refusal = refuse_river(state, units, (space, order.target), order.via)
    if refusal is not None:
        return refusal
    if not lasting_only and space_between(state, space, order.target, units, order.via) == "":
        why = msg("the enemy stands between {space} and {to}", space=space, to=order.target)
        return Refusal(("R5",), why, order.target)
    return None


# What reports say of it.


def _assault_text(data: Data, before: State) -> Msg:
    fight = fight_from_json(data["fight"])
    sentence = msg("Charge into {space} from {origin}: {units}.")
    if fight.kind == "assault":
        sentence = msg("Assault on {space} from {origin}: {units}.")
    return msg(sentence.text, units=fight.stack, space=fight.target, origin=fight.origin)


def _vanguard_text(data: Data, before: State) -> Msg:
    named, remaining = msg("{side}: vanguard {unit}"), msg("{side} has no vanguard left")
    return of_side(named if data["unit"] else remaining)(data, before)


ENTRY_SENTENCES: Mapping[str, Teller] = {"assault": _assault_text}
ROLE_SENTENCES: Mapping[str, Teller] = {
    "leads": sentence_teller(msg("{unit} leads")),
    "vanguard": _vanguard_text,
    "screen": of_side(msg("{side}: screen {unit}")),
}
"""Kinds of event that say who fights, and not with what result."""
DETAIL_SENTENCES: Mapping[str, Teller] = {**ROLE_SENTENCES, "rejoins": sentence_teller(msg("{unit} rejoins its stack"))}
OUTCOME_KINDS = frozenset(ROLE_SENTENCES)
