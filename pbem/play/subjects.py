"""The subject of a report: what is wanted of its reader, by when, and how the points stand.

``[ceuta-1] T5 your move by Mon 20:00, 10-10`` or ``[ceuta-1] T5 waiting for Morocco, 10-10``.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from pbem.engine.data.messages import Msg, msg
from pbem.engine.war import chain
from pbem.play.positions import Position
from pbem.runtime.transaction import Work
from pbem.store import tables

_DAYS = (msg("Mon"), msg("Tue"), msg("Wed"), msg("Thu"), msg("Fri"), msg("Sat"), msg("Sun"))
_NEAR = timedelta(days=6)
"""So far ahead a day of the week alone is no other week's."""

_FAR = timedelta(days=180)
"""So far ahead a date is taken for one of this year, and its hour matters to nobody."""


def over(here: Position, seat: str, view: Any, *, goes_on: bool = False) -> Msg:
    """A game that has ended, with its points, or a part of a war that goes on."""
    ended = msg("the game is over")
    if goes_on:
        ended = msg("this camp is over") if here.game.system == chain.CAMP else msg("this battle is over")
    return _with_points(ended, here, seat, view)


def wanted(
    work: Work, here: Position, phase: tables.Phase, seat: tables.Seat, missing: Sequence[str] | None = None
) -> Msg:
    """What an open phase wants of a seat; `missing` are those whose orders it waits for if nothing is wanted of it."""
    if phase.state == "closed":
        told = msg("waiting for a player")
    elif seat.name in here.active and missing is None:
        told = msg("your move by {when}", when=_soon(phase.deadline, seat.zone, work.now))
    else:
        told = _waiting(here, missing or ())
    return _with_points(told, here, seat.name, here.rules.view(here.state, seat.name))


def _waiting(here: Position, missing: Sequence[str]) -> Msg:
    """Whom the phase waits for."""
    missing = tuple(missing)
    if not missing and not here.begun:
        return msg("all orders are in")
    return msg("waiting for {seats}", seats=missing or here.active)


def _soon(at: datetime, zone: str, now: datetime) -> Msg:
    """A moment of these days as briefly as can be; a later one with its date, and one far ahead with its year."""
    local = at.astimezone(ZoneInfo(zone))
    day, hour = _DAYS[local.weekday()], f"{local:%H:%M}"
    if at - now < _NEAR:
        return msg("{day} {hour}", day=day, hour=hour)
    if at - now > _FAR:
        return msg("{number}/{month}/{year}", number=local.day, month=local.month, year=str(local.year))
    return msg("{day} {number}/{month} {hour}", day=day, number=local.day, month=local.month, hour=hour)


def _with_points(told: Msg, here: Position, seat: str, view: Any) -> Msg:
    """What the report says of the points: as far as the seat sees them, and how many it does not."""
    stakes = here.rules.telling.stakes(view, seat, ())
    points = "-".join(str(one.points) for one in stakes.scores)
    if points and stakes.hidden:
        return msg("{what}, {points} ({n} unseen)", what=told, points=points, n=stakes.hidden)
    return msg("{what}, {points}", what=told, points=points) if points else told
