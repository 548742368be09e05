"""Refusals told in full: the numbers that a way hangs on, who takes up the room, the order above that was refused.

What is written down of a game says shortly why an order was not carried out; whoever wrote it is told more, while he
can still mend it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.refusals import Refusal
from pbem.engine.orders.speech import told
from pbem.games.peninsular.ground.paths import cheapest, left, walk
from pbem.games.peninsular.ground.stacking import row_of
from pbem.games.peninsular.orders.actions import Action, Assault, Move
from pbem.games.peninsular.orders.legality import NO_CHARGE, NO_CHARGE_ACROSS
from pbem.games.peninsular.orders.vocabulary import spoken
from pbem.games.peninsular.phase.movement import chief
from pbem.games.peninsular.setup.units import Division, Unit
from pbem.games.peninsular.state import State

_ENDLESS = 10_000
"""More MP than any way costs."""


def in_full(state: State, action: Action, why: Msg, late: Mapping[str, Msg]) -> Msg:
    """Why an action is refused in a position, with all that helps to mend it; `why` if there is no more to say.

    `late` says of divisions ordered to attack above why the order counts from next turn only.
    """
    if isinstance(action, Assault) and why.text == "the orders of {unit} forbid a shock":
        division = state.units[str(dict(why.args)["unit"])].division
        if not division:
            return why
        if division in late:
            return msg("{why}: {late}", why=why, late=late[division])
        return msg("{why}: it takes {order}", why=why, order=told(f"ORDER {division} ATTACK", spoken))
    if isinstance(action, Assault) and why.text == "{hex} cannot be charged from {at}":
        return _uncharged(state, *(str(dict(why.args)[gap]) for gap in ("hex", "at")))
    if not isinstance(action, Move):
        return why
    if why.text == "{unit} has {mp} MP, and needs {cost}" and (action.face or action.form):
        both = msg("a turn and a change of formation") if action.face and action.form else None
        what = both or (
            msg("the turn, FACE {facing}", facing=action.face) if action.face else msg("the change of formation")
        )
        return msg("{why}, with {what} at the end", why=why, what=what)
    units = [state.units[ident] for ident in action.units if ident in state.units]
    if why.text == "no way to {hex} is within the MP of {unit}":
        return _no_way(state, units, action.to)
    if why.text == "there is no room for {unit} in {hex}":
        return no_room(state, units, str(dict(why.args)["hex"]))
    return why


def _uncharged(state: State, at: str, start: str) -> Msg:
    """S5 What ground keeps cavalry from a charge."""
    ground = state.edition.map
    why = msg("{hex} cannot be charged from {at}", hex=at, at=start)
    terrain = ground.terrain(at)
    if terrain in NO_CHARGE:
        return msg("{why}: no charge goes into {terrain}", why=why, terrain=Msg(terrain))
    sides = [SIDE_WORDS[row] for row in ground.sides(start, at) if row in NO_CHARGE_ACROSS]
    return msg("{why}: no charge goes {sides}", why=why, sides=tuple(sides)) if sides else why


SIDE_WORDS = {"stream": msg("across a stream"), "ravine": msg("across a ravine"), "slope up": msg("up a slope")}


def hanging(why: Msg, units: Collection[str], refused: Collection[str]) -> Msg:
    """Why an order is refused whose counters were to be elsewhere by orders that are refused too."""
    stayed = sorted(set(units) & set(refused))
    return msg("{why}; an order above for {units} is refused", why=why, units=tuple(stayed)) if stayed else why


def out_of_reach(state: State, division: Division) -> Msg:
    """S2 Say why the order of a division counts from next turn: who does not reach whom."""
    head, leader = chief(state, division.side), state.units.get(division.commander)
    if head is None or leader is None:
        return msg(
            "the order of division {division} counts from next turn: a commander is missing", division=division.name
        )
    return msg(
        "the order of division {division} counts from next turn: at this line {chief} ({at}, range {range}) does not "
        "reach {leader} ({hex})",
        division=division.name,
        chief=head.id,
        at=head.at,
        range=head.range,
        leader=leader.id,
        hex=leader.at,
    )


def _no_way(state: State, units: Sequence[Unit], to: str) -> Msg:
    """T7 What the cheapest way costs, and whether it would be cheaper in Manoeuvre (S2)."""
    rich = [unit.but(used=unit.used - _ENDLESS) for unit in units]
    path = cheapest(state, rich, to)
    walked = walk(state, rich, path) if path else None
    if walked is None or isinstance(walked, Refusal):
        return msg("no way leads {units} to {hex}", units=tuple(unit.id for unit in units), hex=to)
    short = [unit for unit in units if walked.costs[unit.id] > left(state, unit)] or list(units)
    unit = max(short, key=lambda one: walked.costs[one.id] - left(state, one))
    mp, cost = left(state, unit), walked.costs[unit.id]
    why = msg("{unit} has {mp} MP, the way to {hex} costs {cost}", unit=unit.id, mp=mp, hex=to, cost=cost)
    divisions = {ident: d._replace(order="MANOEUVRE") for ident, d in state.divisions.items()}
    if state.order_of(unit) != "MANOEUVRE" and cheapest(state.change(divisions=divisions), units, to):
        return msg("{why}; its division in Manoeuvre, it would get there", why=why)
    return why


def no_room(state: State, units: Sequence[Unit], at: str) -> Msg:
    """T3 Who stands there already, and how much the hex takes of all of them."""
    coming = [unit for unit in units if unit.is_combat]
    ids = {unit.id for unit in coming}
    there = [unit for unit in state.fighting(at, coming[0].side) if unit.id not in ids]
    names, others = tuple(unit.id for unit in coming), tuple(unit.id for unit in there)
    pf = sum(unit.pf for unit in (*coming, *there) if unit.kind in ("inf", "cav"))
    room = state.edition.chart("stacking").cells.get((row_of(state.edition, at), "inf"), "")
    if room.isdigit() and pf > int(room):
        if not others:
            return msg(
                "there is no room for {units} in {hex}: they are {pf} PF, and the hex takes {room}",
                units=names,
                hex=at,
                pf=pf,
                room=room,
            )
        return msg(
            "there is no room for {units} in {hex}: with {others} there it would be {pf} PF, and the hex takes {room}",
            units=names,
            hex=at,
            others=others,
            pf=pf,
            room=room,
        )
    told = msg("there is no room for {units} in {hex}", units=names, hex=at)
    if others:
        told = msg("there is no room for {units} in {hex} beside {others}", units=names, hex=at, others=others)
    if room == "unit" and any(unit.kind == "inf" for unit in coming):
        return msg("{why}: {terrain} takes one battalion", why=told, terrain=Msg(row_of(state.edition, at)))
    return told
