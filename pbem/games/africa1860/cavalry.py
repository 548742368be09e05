"""O8.4 The defender's cavalry: caracole, counter-charge, shelter; O3.3 the caracole ordered; C8 cavalry combat."""

from __future__ import annotations

from collections.abc import Mapping

from pbem.engine.data.events import Data, Event, event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.refusals import Refusal
from pbem.engine.reasons import ChartRead, Reads, Teller, fill_gaps, says
from pbem.engine.run.steps import Ask, Did, Outcome, Roll, Task, Window, choice, die
from pbem.games.africa1860.assault import fighters
from pbem.games.africa1860.doctrine import defaulted
from pbem.games.africa1860.edition import Edition
from pbem.games.africa1860.fire import Shot, mark
from pbem.games.africa1860.legality import Acting, actors, fallbacks, falls_back, nobody, not_carried_out
from pbem.games.africa1860.morale import lose
from pbem.games.africa1860.movement import weakest_point
from pbem.games.africa1860.orders import Caracole
from pbem.games.africa1860.state import CAVALRY, INFANTRY, LIGHT, Fight, State, Unit, best_unit, other


def caracole_order(state: State, task: Task) -> Outcome:
    """O3.3 CARACOLE: each unit apart, fire and answer, then back to friends."""
    order: Caracole
    order, space = task.args
    found = refuse_caracole(state, order, space)
    if found is not None:
        return Did((not_carried_out(state, order, found),))
    marked = mark(order.units, "R3", "activated", "acted")
    then: tuple[Task, ...] = ()
    for ident in order.units:
        back = order.back
        if not back:
            options = fallbacks(state, state.units[ident], order.at)
            back = space if space in options else options[0]
        then += (Task("caracole", (ident, order.at)), Task("fall back", (ident, order.at, back)))
    told = event("caracoles", "O3.3", side=state.phase, units=[*order.units], space=order.at)
    return Did((marked, told), then)


def caracole(state: State, task: Task) -> Outcome:
    """O3.3 Cavalry fires at the defender's screen, else at his vanguard, and takes that unit's answer; no guns.

    Arguments: cavalry unit, space. Where no combat unit stands the caracole meets leader, guns or convoy.
    """
    ident, space = task.args
    rider = state.units.get(ident)
    enemies = state.own(space, other(state.phase))
    if rider is None or not enemies:
        return Did()
    where = f"{rider.at}>{space}"
    combat = [unit for unit in enemies if unit.is_combat]
    if not combat:
        only = Shot((ident,), weakest_point(enemies).id, caracoles=True)
        return Did((), (Task("volley", (where, "O3.3", (only,))),))
    seat = state.answering(space, enemies[0].side)
    steady = [unit for unit in combat if not unit.demoralised] or combat
    if not task.got:
        return Ask(Window(where, "target vanguard", seat, ident, tuple(unit.id for unit in steady)))
    vanguard = choice(task, 0)
    if len(task.got) == 1:
        able = [u for u in combat if u.code in (LIGHT, CAVALRY) and not u.demoralised and u.id != vanguard.value[0]]
        return Ask(Window(where, "target screen", seat, ident, (*(unit.id for unit in able), "NONE")))
    screen = choice(task, 1)
    chosen = vanguard if screen.value[0] == "NONE" else screen
    target, by = chosen.value[0], chosen.by
    told = event("meets", "O3.3", side=enemies[0].side, unit=target, by=by)
    left = defaulted(state, seat, vanguard, screen)
    shots = (Shot((ident,), target, caracoles=True), Shot((target,), ident, bare=True))
    return Did((*left, told), (Task("volley", (where, "O3.3", shots)),))


def cavalry(state: State, task: Task) -> Outcome:
    """O8.4 Each cavalry unit in the assaulted space stays, caracoles or counter-charges; all choose before any acts.

    Not the vanguard nor the screen, nor where there is no infantry to shelter it; R14 not if activated already, but
    R9 lifts that for the Spanish in the Moroccan phase; R1 not if demoralised.
    """
    fight = state.fight
    if fight is None:
        return Did()
    enemy = other(fight.side)
    freed = state.phase == "morocco" and enemy == "spain"
    defenders = fighters(state, fight, enemy)
    foot = any(unit.code in INFANTRY for unit in defenders)
    roles = (fight.enemy_vanguard, fight.enemy_screen)
    riders = [u for u in defenders if u.code == CAVALRY and u.id not in roles and not u.demoralised and foot]
    able = [unit for unit in riders if freed or not unit.activated]
    told = [event("cavalry", "O8.4", side=enemy, units=[unit.id for unit in riders])] if riders else []
    told += [event("stays", "R14", side=enemy, unit=unit.id) for unit in riders if unit not in able]
    if len(task.got) < len(able):
        unit = able[len(task.got)]
        options = ("STAY", "CARACOLE", "COUNTERCHARGE")
        return Ask(Window(fight.address, "cavalry", state.answerer(unit), unit.id, options))
    sallies: list[Task] = []
    charging: list[str] = []
    for index, unit in enumerate(able):
        chosen = choice(task, index)
        if chosen.value[0] == "STAY":
            told.append(event("shelters", "O8.4.1", side=enemy, unit=unit.id, by=chosen.by))
            continue
        caracoles = chosen.value[0] == "CARACOLE"
        cite = "R9" if unit.activated else "O8.4.2" if caracoles else "O8.4.3"
        told.append(mark((unit.id,), cite, "activated", side=enemy, by=chosen.by))
        if caracoles:
            back = chosen.value[1] if len(chosen.value) > 1 else "SHELTER"
            sallies.append(Task("sally", (unit.id, back)))
        else:
            charging.append(unit.id)
    charge = (Task("countercharge", (tuple(charging),)),) if charging else ()
    return Did(tuple(told), (*sallies, *charge))


def _target(fight: Fight) -> str:
    """O8.4.4 The unit that screens the enemy vanguard, else the vanguard."""
    return fight.screen or fight.vanguard


def sally(state: State, task: Task) -> Outcome:
    """O8.4.2 A caracole at the attackers: mutual fire, then away to friends or into shelter.

    Arguments: cavalry unit, space to fall back to or SHELTER.
    """
    fight = state.fight
    ident, back = task.args
    if fight is None or ident not in state.units:
        return Did()
    target = _target(fight)
    shots = (Shot((target,), ident, bare=True), Shot((ident,), target, caracoles=True, bare=True))
    told = event("sallies", "O8.4.2", side=other(fight.side), unit=ident, target=target)
    aimed = event("opposed", "O8.4.4", side=fight.side, unit=target)
    then = (
        Task("volley", (fight.address, "O8.4.2", shots)),
        Task("screen hit"),
        Task("settle"),
        Task("fall back", (ident, fight.target, back)),
    )
    return Did((told, aimed), then)


def screen_hit(state: State, task: Task) -> Outcome:
    """O8.5 A screen demoralised or eliminated by charge or caracole rejoins: the vanguard is unscreened."""
    fight = state.fight
    if fight is None or not fight.screen:
        return Did()
    screen = state.units.get(fight.screen)
    if screen is not None and not screen.demoralised:
        return Did()
    return Did((event("rejoins", "O8.5", side=fight.side, unit=fight.screen),))


def _detachable(state: State, fight: Fight) -> list[Unit]:
    """O8.4.4, R21 The attacker's cavalry that may meet a counter-charge: steady, neither vanguard nor screen.

    An order that detaches some leaves no choice about the others.
    """
    units = (state.units.get(ident) for ident in fight.detach or fight.stack)
    roles = (fight.vanguard, fight.screen)
    return [u for u in units if u is not None and u.code == CAVALRY and not u.demoralised and u.id not in roles]


def countercharge(state: State, task: Task) -> Outcome:
    """O8.4.3, C8 Counter-charging cavalry against the screen, the vanguard, or cavalry detached to meet it (O8.4.4).

    Argument: the charging units. The best unit of each side throws; the higher total wins, a tie is the charged
    side's.
    """
    fight = state.fight
    if fight is None:
        return Did()
    charger = best_unit([state.units[i] for i in task.args[0] if i in state.units])
    if charger is None:
        return Did()
    free = _detachable(state, fight)
    if free and not task.got:
        seat = state.answering_for(fighters(state, fight, fight.side), fight.side)
        return Ask(Window(fight.address, "detach", seat, "", tuple(unit.id for unit in free)))
    wanted = fight.detach or (choice(task, 0).value if free else ())
    met = best_unit([unit for unit in free if unit.id in wanted])
    charged = met or state.units[_target(fight)]
    rolled = len(task.got) - bool(free)
    if rolled < 2:
        return Roll(fight.address, f"charge {(charger, charged)[rolled].id}", 1, 6)
    labels, faces = zip(*(die(task, index + bool(free)) for index in range(2)), strict=True)
    totals = (charger.assault + faces[0], charged.assault + faces[1])
    chart = state.edition.chart("charge")
    apart = abs(totals[0] - totals[1])
    winner, loser = (charger, charged) if totals[0] > totals[1] else (charged, charger)
    hits = (int(chart.cell(apart, "loser")), int(chart.cell(apart, "winner")))
    by = choice(task, 0).by if met and not fight.detach else ""
    events: list[Event] = [
        event("detached", "O8.4.4", side=fight.side, unit=charged.id, by=by)
        if met
        else event("opposed", "O8.4.4", side=fight.side, unit=charged.id),
        event(
            "charge",
            "C8",
            side=charger.side,
            units=[charger.id, charged.id],
            labels=list(labels),
            dice=list(faces),
            factors=[charger.assault, charged.assault],
            totals=list(totals),
            winner=winner.id,
            losses=list(hits),
        ),
        *lose(loser, hits[0], "C8"),
        *lose(winner, hits[1], "C8"),
    ]
    if loser.id == fight.screen:
        events.append(event("rejoins", "O8.5", side=fight.side, unit=loser.id))
    then = (Task("check", (fight.address, loser.id)), Task("screen hit"), Task("settle"))
    return Did(tuple(events), then)


def refuse_caracole(state: State, order: Caracole, space: str, fixed: bool = False) -> Refusal | None:
    """O3.3 Return what stands against CARACOLE."""
    for ident in order.units:
        unit = state.units.get(ident)
        if unit is not None and unit.side == state.phase and unit.code != CAVALRY:
            return Refusal(("O3.3",), msg("only cavalry caracoles, {unit} is none", unit=ident), ident)
    found = actors(state, order.units, Acting(space, fixed))
    if found is not None:
        return found
    if not state.edition.map.adjacent(space, order.at):
        return Refusal(("O3.3",), msg("{to} is not next to {space}", to=order.at, space=space), order.at)
    if fixed:
        return None
    if state.holder(order.at) in ("", state.phase):
        return Refusal(("O3.3", "R2"), nobody(state, order.at), order.at)
    for ident in order.units:
        unit = state.units[ident]
        if not (falls_back(state, unit, order.at, order.back) if order.back else fallbacks(state, unit, order.at)):
            why = msg("{unit} has no friends to fall back on in {to}", unit=ident, to=order.back or order.at)
            return Refusal(("R4", "O3.3"), why, order.back or order.at)
    return None


# What reports say of it, and the chart that WHY shows.


def _tell_charge(data: Data, before: State) -> Msg:
    (a, b), (x, y), (p, q), (m, n) = (data[key] for key in ("units", "dice", "factors", "totals"))
    sentence = msg("{a} charges {b}: {x}+{p} = {m} against {y}+{q} = {n}; {winner} wins.")
    return fill_gaps(sentence, data, a=a, b=b, x=x, y=y, p=p, q=q, m=m, n=n)


def _read(edition: Edition, data: Data) -> ChartRead:
    row = edition.chart("charge").row(abs(data["totals"][0] - data["totals"][1]))
    return ChartRead("charge", ((row, "loser"), (row, "winner")))


HEADS: Mapping[str, Teller] = {
    "charge": _tell_charge,
    "caracoles": says(msg("Caracole at {space}: {units}.")),
    "sallies": says(msg("{unit} caracoles at {target}.")),
}
DETAILS: Mapping[str, Teller] = {
    "stays": says(msg("{unit} was activated already and stays")),
    "opposed": says(msg("{unit} meets it")),
    "detached": says(msg("{unit} is detached to meet it")),
    "meets": says(msg("{unit} meets it")),
}
OUTCOMES = frozenset({"charge", "caracoles"})
READ: Mapping[str, Reads] = {"charge": _read}
