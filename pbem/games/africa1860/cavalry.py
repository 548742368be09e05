"""Resolve the defender's cavalry, ordered caracoles and cavalry combat.

Rules: O8.4, O3.3, C8.
"""

from __future__ import annotations

from collections.abc import Mapping

from pbem.engine.data.events import Data, Event, event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.refusals import Refusal
from pbem.engine.reasons import ChartRead, Reads, Teller, fill_gaps, sentence_teller
from pbem.engine.run.steps import Ask, Did, Outcome, Roll, Task, Window, choice, die
from pbem.games.africa1860.assault import units_in_fight
from pbem.games.africa1860.doctrine import default_notice
from pbem.games.africa1860.edition import Edition
from pbem.games.africa1860.fire import GroupShot, marking_event
from pbem.games.africa1860.legality import (
    IntendedAction,
    fallback_spaces,
    may_fall_back,
    no_enemy_text,
    not_carried_out,
    refuse_units,
)
from pbem.games.africa1860.morale import loss_events
from pbem.games.africa1860.movement import weakest_unit
from pbem.games.africa1860.orders import Caracole
from pbem.games.africa1860.state import CAVALRY, INFANTRY, LIGHT, Fight, State, Unit, best_unit, enemy_of


def caracole_order(state: State, task: Task) -> Outcome:
    """Carry out CARACOLE unit by unit: fire, answer, back to friends (O3.3)."""
    order: Caracole
    order, space = task.args
    refusal = refuse_caracole(state, order, space)
    if refusal is not None:
        return Did((not_carried_out(state, order, refusal),))
    mark_event = marking_event(order.units, "R3", "activated", "acted")
    next_tasks: tuple[Task, ...] = ()
    for ident in order.units:
        back = order.back
        if not back:
            options = fallback_spaces(state, state.units[ident], order.at)
            back = space if space in options else options[0]
        next_tasks += (Task("caracole", (ident, order.at)), Task("fall back", (ident, order.at, back)))
    caracoles_event = event("caracoles", "O3.3", side=state.phase, units=[*order.units], space=order.at)
    return Did((mark_event, caracoles_event), next_tasks)


def fire_caracole(state: State, task: Task) -> Outcome:
    """Fire at the defender's screen, else his vanguard, and take its answer; no guns.

    Rule: O3.3.

    Arguments: cavalry unit, space. Without a combat unit there the caracole meets leader, guns or convoy.
    """
    ident, space = task.args
    rider = state.units.get(ident)
    enemies = state.own(space, enemy_of(state.phase))
    if rider is None or not enemies:
        return Did()
    address = f"{rider.at}>{space}"
    combat = [unit for unit in enemies if unit.is_combat]
    if not combat:
        only = GroupShot((ident,), weakest_unit(enemies).id, caracoles=True)
        return Did((), (Task("volley", (address, "O3.3", (only,))),))
    seat = state.answering(space, enemies[0].side)
    steady = [unit for unit in combat if not unit.demoralised] or combat
    if not task.got:
        return Ask(Window(address, "target vanguard", seat, ident, tuple(unit.id for unit in steady)))
    vanguard = choice(task, 0)
    if len(task.got) == 1:
        able = [u for u in combat if u.code in (LIGHT, CAVALRY) and not u.demoralised and u.id != vanguard.value[0]]
        return Ask(Window(address, "target screen", seat, ident, (*(unit.id for unit in able), "NONE")))
    screen_answer = choice(task, 1)
    chosen = vanguard if screen_answer.value[0] == "NONE" else screen_answer
    target, by = chosen.value[0], chosen.by
    meets_event = event("meets", "O3.3", side=enemies[0].side, unit=target, by=by)
    default_events = default_notice(state, seat, vanguard, screen_answer)
    shots = (GroupShot((ident,), target, caracoles=True), GroupShot((target,), ident, bare=True))
    return Did((*default_events, meets_event), (Task("volley", (address, "O3.3", shots)),))


def ask_cavalry(state: State, task: Task) -> Outcome:
    """Ask each defending cavalry unit to stay, caracole or counter-charge.

    All are asked before any of them acts. Rule: O8.4.

    Not asked are the vanguard, the screen, and cavalry without infantry for shelter; R14 activated units, but R9
    lifts that for the Spanish in the Moroccan phase; R1 demoralised units.
    """
    fight = state.fight
    if fight is None:
        return Did()
    enemy = enemy_of(fight.side)
    freed = state.phase == "morocco" and enemy == "spain"
    defenders = units_in_fight(state, fight, enemy)
    foot = any(unit.code in INFANTRY for unit in defenders)
    roles = (fight.enemy_vanguard, fight.enemy_screen)
    riders = [u for u in defenders if u.code == CAVALRY and u.id not in roles and not u.demoralised and foot]
    able = [unit for unit in riders if freed or not unit.activated]
    events = [event("cavalry", "O8.4", side=enemy, units=[unit.id for unit in riders])] if riders else []
    events += [event("stays", "R14", side=enemy, unit=unit.id) for unit in riders if unit not in able]
    if len(task.got) < len(able):
        unit = able[len(task.got)]
        options = ("STAY", "CARACOLE", "COUNTERCHARGE")
        return Ask(Window(fight.address, "cavalry", state.answerer(unit), unit.id, options))
    sallies: list[Task] = []
    charging: list[str] = []
    for index, unit in enumerate(able):
        answer = choice(task, index)
        if answer.value[0] == "STAY":
            events.append(event("shelters", "O8.4.1", side=enemy, unit=unit.id, by=answer.by))
            continue
        caracoles = answer.value[0] == "CARACOLE"
        cite = "R9" if unit.activated else "O8.4.2" if caracoles else "O8.4.3"
        events.append(marking_event((unit.id,), cite, "activated", side=enemy, by=answer.by))
        if caracoles:
            back = answer.value[1] if len(answer.value) > 1 else "SHELTER"
            sallies.append(Task("sally", (unit.id, back)))
        else:
            charging.append(unit.id)
    charge = (Task("countercharge", (tuple(charging),)),) if charging else ()
    return Did(tuple(events), (*sallies, *charge))


def _target(fight: Fight) -> str:
    """Return the enemy's screen, else his vanguard (O8.4.4)."""
    return fight.screen or fight.vanguard


def caracole_at_attackers(state: State, task: Task) -> Outcome:
    """Caracole at the attackers: mutual fire, then to friends or shelter (O8.4.2).

    Arguments: cavalry unit, space to fall back to or SHELTER.
    """
    fight = state.fight
    ident, back = task.args
    if fight is None or ident not in state.units:
        return Did()
    target = _target(fight)
    shots = (GroupShot((target,), ident, bare=True), GroupShot((ident,), target, caracoles=True, bare=True))
    sallies_event = event("sallies", "O8.4.2", side=enemy_of(fight.side), unit=ident, target=target)
    aimed = event("opposed", "O8.4.4", side=fight.side, unit=target)
    next_tasks = (
        Task("volley", (fight.address, "O8.4.2", shots)),
        Task("screen hit"),
        Task("settle"),
        Task("fall back", (ident, fight.target, back)),
    )
    return Did((sallies_event, aimed), next_tasks)


def rejoin_hit_screen(state: State, task: Task) -> Outcome:
    """Rejoin a screen that cavalry demoralised or eliminated, so that none remains.

    Rule: O8.5.
    """
    fight = state.fight
    if fight is None or not fight.screen:
        return Did()
    screen = state.units.get(fight.screen)
    if screen is not None and not screen.demoralised:
        return Did()
    return Did((event("rejoins", "O8.5", side=fight.side, unit=fight.screen),))


def _detachable_cavalry(state: State, fight: Fight) -> list[Unit]:
    """Return the attacker's cavalry that may meet a counter-charge (O8.4.4, R21).

    It is steady, neither vanguard nor screen. An order that detaches some fixes the others.
    """
    units = (state.units.get(ident) for ident in fight.detach or fight.stack)
    roles = (fight.vanguard, fight.screen)
    return [u for u in units if u is not None and u.code == CAVALRY and not u.demoralised and u.id not in roles]


def countercharge(state: State, task: Task) -> Outcome:
    """Charge the screen, the vanguard, or detached cavalry (O8.4.3, O8.4.4, C8).

    Argument: the charging units. Each side's best unit throws; the higher total wins, a tie goes to the charged side.
    """
    fight = state.fight
    if fight is None:
        return Did()
    charger = best_unit([state.units[i] for i in task.args[0] if i in state.units])
    if charger is None:
        return Did()
    detachable = _detachable_cavalry(state, fight)
    if detachable and not task.got:
        seat = state.answering_for(units_in_fight(state, fight, fight.side), fight.side)
        return Ask(Window(fight.address, "detach", seat, "", tuple(unit.id for unit in detachable)))
    detached_ids = fight.detach or (choice(task, 0).value if detachable else ())
    detached = best_unit([unit for unit in detachable if unit.id in detached_ids])
    defender = detached or state.units[_target(fight)]
    rolled = len(task.got) - bool(detachable)
    if rolled < 2:
        return Roll(fight.address, f"charge {(charger, defender)[rolled].id}", 1, 6)
    labels, faces = zip(*(die(task, index + bool(detachable)) for index in range(2)), strict=True)
    totals = (charger.assault + faces[0], defender.assault + faces[1])
    chart = state.edition.chart("charge")
    apart = abs(totals[0] - totals[1])
    winner, loser = (charger, defender) if totals[0] > totals[1] else (defender, charger)
    hits = (int(chart.cell(apart, "loser")), int(chart.cell(apart, "winner")))
    by = choice(task, 0).by if detached and not fight.detach else ""
    events: list[Event] = [
        event("detached", "O8.4.4", side=fight.side, unit=defender.id, by=by)
        if detached
        else event("opposed", "O8.4.4", side=fight.side, unit=defender.id),
        event(
            "charge",
            "C8",
            side=charger.side,
            units=[charger.id, defender.id],
            labels=list(labels),
            dice=list(faces),
            factors=[charger.assault, defender.assault],
            totals=list(totals),
            winner=winner.id,
            losses=list(hits),
        ),
        *loss_events(loser, hits[0], "C8"),
        *loss_events(winner, hits[1], "C8"),
    ]
    if loser.id == fight.screen:
        events.append(event("rejoins", "O8.5", side=fight.side, unit=loser.id))
    next_tasks = (Task("check", (fight.address, loser.id)), Task("screen hit"), Task("settle"))
    return Did(tuple(events), next_tasks)


def refuse_caracole(state: State, order: Caracole, space: str, lasting_only: bool = False) -> Refusal | None:
    """Return why CARACOLE is refused (O3.3)."""
    for ident in order.units:
        unit = state.units.get(ident)
        if unit is not None and unit.side == state.phase and unit.code != CAVALRY:
            return Refusal(("O3.3",), msg("only cavalry caracoles, {unit} is none", unit=ident), ident)
    refusal = refuse_units(state, order.units, IntendedAction(space, lasting_only))
    if refusal is not None:
        return refusal
    if not state.edition.map.adjacent(space, order.at):
        return Refusal(("O3.3",), msg("{to} is not next to {space}", to=order.at, space=space), order.at)
    if lasting_only:
        return None
    if state.holder(order.at) in ("", state.phase):
        return Refusal(("O3.3", "R2"), no_enemy_text(state, order.at), order.at)
    for ident in order.units:
        unit = state.units[ident]
        if not (
            may_fall_back(state, unit, order.at, order.back) if order.back else fallback_spaces(state, unit, order.at)
        ):
            why = msg("{unit} has no friends to fall back on in {to}", unit=ident, to=order.back or order.at)
            return Refusal(("R4", "O3.3"), why, order.back or order.at)
    return None


# What reports say of it, and the chart that WHY shows.


def _charge_text(data: Data, before: State) -> Msg:
    (a, b), (x, y), (p, q), (m, n) = (data[key] for key in ("units", "dice", "factors", "totals"))
    sentence = msg("{a} charges {b}: {x}+{p} = {m} against {y}+{q} = {n}; {winner} wins.")
    return fill_gaps(sentence, data, a=a, b=b, x=x, y=y, p=p, q=q, m=m, n=n)


def _read(edition: Edition, data: Data) -> ChartRead:
    row = edition.chart("charge").row(abs(data["totals"][0] - data["totals"][1]))
    return ChartRead("charge", ((row, "loser"), (row, "winner")))


ENTRY_SENTENCES: Mapping[str, Teller] = {
    "charge": _charge_text,
    "caracoles": sentence_teller(msg("Caracole at {space}: {units}.")),
    "sallies": sentence_teller(msg("{unit} caracoles at {target}.")),
}
DETAIL_SENTENCES: Mapping[str, Teller] = {
    "stays": sentence_teller(msg("{unit} was activated already and stays")),
    "opposed": sentence_teller(msg("{unit} meets it")),
    "detached": sentence_teller(msg("{unit} is detached to meet it")),
    "meets": sentence_teller(msg("{unit} meets it")),
}
OUTCOME_KINDS = frozenset({"charge", "caracoles"})
CHART_READS: Mapping[str, Reads] = {"charge": _read}
