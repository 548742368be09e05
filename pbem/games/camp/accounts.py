"""What lies open in a camp: the ledger of a side, in lines and as a table, and what can be had at which price."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pbem.engine.data.languages import in_each
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.report import Block, Line, Table
from pbem.engine.war.chain import changes
from pbem.engine.war.file import Formation
from pbem.engine.war.ledger import AWAY, BROKEN, LEADER, READY, Entry, of_side
from pbem.games.camp.state import State
from pbem.games.camp.vocabulary import spoken


def said(order: str) -> Msg:
    """Return a canonical line for the gap of a sentence, in the reader's words."""
    return in_each(lambda language: spoken(order, language))


_HEADS = (msg("Unit"), msg("Type"), msg("Full"), msg("Now"), msg("Come back"))
_STANDS = {BROKEN: msg("broken"), AWAY: msg("away")}
_GUNS = msg("Guns and trains")


def ledger(view: State, side: str) -> Block:
    """K1 Return a side's ledger, formation by formation: steps now of how many, and how many of them came back."""
    here: list[Line] = [(0, msg("Steps now of all, in brackets those that came back [K2]:"))]
    groups: list[tuple[Msg, tuple[tuple[Any, ...], ...]]] = []
    units = [unit for unit in of_side(view.units, side) if unit.role != LEADER]
    for formation in dict.fromkeys((*view.edition.war.formations, "")):
        rows = [unit for unit in units if unit.formation == formation]
        come = tuple(_told(view, unit) for unit in rows if unit.standing != AWAY)
        head = msg("{formation}", formation=formation) if formation else _GUNS
        if come:
            here.append((1, msg("{formation}: {units}", formation=head, units=come)))
        if rows:
            groups.append((head, tuple(_row(view, unit) for unit in rows)))
    away = tuple(
        msg("{unit} {code} {full}", unit=unit.id, code=unit.code, full=unit.full)
        for unit in units
        if unit.standing == AWAY
    )
    if away:
        here.append((0, msg("Away and whole, to REPLACE others or to be brought [K1.1, K4]: {units}", units=away)))
    here += [(0, line) for line in _leaders(view, side)]
    here.append((0, msg("{points} {points:|point|points} left", points=view.points.get(side, 0))))
    return Block(msg("The ledger: {side}", side=side), tuple(here), whole=True, table=Table(_HEADS, tuple(groups)))


def _told(view: State, unit: Entry) -> Msg:
    gaps = {"unit": unit.id, "code": unit.code, "now": unit.now, "full": unit.full}
    if unit.standing == BROKEN:
        return msg("{unit} {code} 0/{full} broken", unit=unit.id, code=unit.code, full=unit.full)
    if back := view.fed.get(unit.id, 0):
        return msg("{unit} {code} {now}/{full} (+{back})", **gaps, back=back)
    return msg("{unit} {code} {now}/{full}", **gaps)


def _row(view: State, unit: Entry) -> tuple[Any, ...]:
    return (unit.id, unit.code, unit.full, unit.now, view.fed.get(unit.id, 0), _STANDS.get(unit.standing, ""))


def _leaders(view: State, side: str) -> Iterator[Msg]:
    """K1.2 Who leads in the next battle, with those who stand in for leaders that were lost."""
    edition = view.edition
    listed = [one for one in edition.listed if one.role == LEADER and one.side == side]
    own = [one for one in edition.listed if one.side == side]
    found = changes(edition.war, edition.number + 1, own, view.units, view.works).successors
    led = []
    for one in listed:
        if view.units[one.id].standing == READY:
            led.append(msg("{unit} {factors}", unit=one.id, factors=one.factors))
        else:
            name, _, gifts = found[one.id].partition(" ")
            led.append(msg("{new} {factors} in place of {unit}", new=name, factors=gifts, unit=one.id))
    if led:
        yield msg("Leaders: {units}", units=tuple(led))


def offers(view: State, sides: Sequence[str]) -> Block:
    """K3, K4 Return what those sides can have in the camp, and what it costs."""
    war, edition = view.edition.war, view.edition
    lines = [
        (0, msg("REFIT unit number: {price} a step", price=war.prices["REFIT"])),
        (0, msg("REBUILD unit: {price}, for half its steps", price=war.prices["REBUILD"])),
        (0, msg("REPLACE unit WITH unit: {price}", price=war.prices["REPLACE"])),
    ]
    mine = [one for one in war.formations.values() if one.side in sides]
    if any(one.sickness for one in mine):
        lines.append((0, msg("HOSPITAL formation: {price}", price=war.prices["HOSPITAL"])))
    lines += [(0, _brought(view, one)) for one in mine if edition.number in one.enters]
    camp = edition.camp
    if camp.entrenches in sides and camp.spaces:
        lines.append(
            (
                0,
                msg(
                    "ENTRENCH space: {price}; at most {most} of {spaces}",
                    price=war.prices["ENTRENCH"],
                    most=camp.most,
                    spaces=camp.spaces,
                ),
            )
        )
    if camp.builds in sides and camp.edges:
        lines.append(
            (
                0,
                msg(
                    "ROAD space TO space: {price}; {ways}",
                    price=war.prices["ROAD"],
                    ways=tuple(_way(edge) for edge in camp.edges),
                ),
            )
        )
    if edition.deploys:
        lines.append((0, msg("SCOUT: {price}", price=war.prices["SCOUT"])))
    for side in sides:
        if more := war.fleet.get(side, 0):
            lines.append(
                (0, msg("{side} has {more} more if the fleet comes: a die of 3 or more [K3]", side=side, more=more))
            )
    return Block(msg("What can be had, and its price in points [K4]"), tuple(lines))


def _brought(view: State, one: Formation) -> Msg:
    at, turn = one.enters[view.edition.number]
    units = tuple(msg("{unit} {full}", unit=unit, full=view.units[unit].full) for unit in one.units)
    return msg(
        "{order}: {price}; it comes on turn {turn} at {space}: {units}",
        order=said(f"BRING {one.id}"),
        price=one.price,
        turn=turn,
        space=at,
        units=units,
    )


def _way(edge: str) -> Msg:
    start, _, end = edge.partition("-")
    return msg("{start}-{end}", start=start, end=end)
