"""The sentences that a deployment is told in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.report import Block, Line
from pbem.engine.deployment.rules import DEPLOYMENT

Data = Mapping[str, Any]
KINDS = ("deploys", "makes room", "not deployed", "seen deployed")
"""The kinds of event that are told."""


def phases(sides: Mapping[str, Msg]) -> Mapping[str, Msg]:
    """Return what phases are called that are those of the sides, and this one."""
    return {**sides, DEPLOYMENT: msg("deployment")}


def agreed(rule: str) -> Msg:
    """Return what the option means."""
    return msg("Deployment: before turn 1 both sides say at once where they stand in their zones [{rule}].", rule=rule)


def blocks(view: Any, sides: Mapping[str, Msg], rule: str) -> tuple[Block, ...]:
    """Return the zones of both sides while units are deployed, which anybody may know; else nothing."""
    if view.phase != DEPLOYMENT:
        return ()
    whose = {words[2]: words[0] for words in map(str.split, view.edition.scenario["units"])}
    lines = tuple(
        (0, msg("{side}: {places}", side=sides[whose[zone.units[0]]], places=zone.places))
        for zone in view.edition.zones
    )
    return (Block(msg("Zones, where units may be deployed [{rule}]", rule=rule), lines, whole=True),)


def on_map(view: Any, sides: Mapping[str, Msg], rule: str) -> tuple[Line, ...]:
    """Return the same as lines below a map."""
    found = blocks(view, sides, rule)
    return tuple(line for block in found for line in ((0, block.title), *((1, text) for _, text in block.lines)))


def heads(sides: Mapping[str, Msg]) -> Mapping[str, Callable[[Data, Any], Msg]]:
    """Return what tells each kind of event, sides being called so."""

    def deploys(data: Data, before: Any) -> Msg:
        side, units = sides[data["side"]], tuple(data["units"])
        return msg("Deployment of {side} in {to}: {units}.", side=side, to=data["to"], units=units)

    def makes_room(data: Data, before: Any) -> Msg:
        unit, start, to = data["unit"], data["from"], data["to"]
        return msg("{unit} finds no room in {start} and stands in {to}.", unit=unit, start=start, to=to)

    def not_deployed(data: Data, before: Any) -> Msg:
        side = sides[data["side"]]
        return msg("{side}: nobody is deployed; all stand where the scenario has them.", side=side)

    def seen(data: Data, before: Any) -> Msg:
        return msg("The scouts of {side} have seen this: it deploys now.", side=sides[data["side"]])

    return dict(zip(KINDS, (deploys, makes_room, not_deployed, seen), strict=True))
