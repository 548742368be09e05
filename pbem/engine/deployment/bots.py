"""What bots deploy."""

from __future__ import annotations

from typing import Any

from pbem.engine.bots import Luck
from pbem.engine.deployment.rules import Deploy, Deployment
from pbem.engine.orders.actions import Pass


def deployed_at_random(deployment: Deployment, view: Any, side: str, luck: Luck) -> tuple[Any, ...]:
    """Return orders for about half of a side's units, each to any place of its zone, as far as they are legal."""
    orders: list[Any] = []
    party = deployment.ways.party
    for zone in view.edition.zones:
        own = [unit for unit in zone.units if unit in view.units and party(view.units[unit].side) == party(side)]
        for unit in luck.shuffled(own) if own else ():
            order = Deploy(0, (unit,), luck.one(zone.places))
            if luck.chance(2) and deployment.problem(_after(view, orders), order, party(side)) is None:
                orders.append(order)
    return tuple(orders) or (Pass(0),)


def _after(view: Any, orders: list[Deploy]) -> Any:
    """Return the position with those orders carried out."""
    places = {unit: order.to for order in orders for unit in order.units}
    units = {ident: unit._replace(at=places.get(ident, unit.at)) for ident, unit in view.units.items()}
    return view.change(units=units, deployed=(*places,))
