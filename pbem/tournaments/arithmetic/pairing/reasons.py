"""Why two meet, as data: what was owed, points, floats, halves, and the lots that stood to choose between."""

from __future__ import annotations

from collections.abc import Mapping

from pbem.tournaments.arithmetic.entrants import Lots, name_of
from pbem.tournaments.arithmetic.pairing.costs import Standing, lot_label
from pbem.tournaments.arithmetic.pairing.drawn import Cost, Reason

_OTHERS = 3


def reasons_of_pair(a: Standing, b: Standing, cost: Cost, others: Mapping[tuple[int, int], Cost]) -> tuple[Reason, ...]:
    """Return why these two: a line for each field that says something; `others` are the pairs `a` was weighed in.

    E4.7 is cited where others cost the same but for the lot, with the lots of up to three of them.
    """
    mine, his = name_of(a.number), name_of(b.number)
    found = []
    if cost.forbidden:
        found.append(Reason("E4.1", "opened", {"met": a.met.get(b.number, 0), "team": a.entrant.team, "with": his}))
    if a.owed or b.owed:
        found.append(Reason("E4.2", "both owed" if cost.sides else "owed", {mine: a.owed, his: b.owed}))
    found.append(Reason("E4.3", "points", {mine: a.tally.halves, his: b.tally.halves}))
    if cost.points:
        found.append(Reason("E4.4", "floated" if cost.floats else "floats", {"again": cost.floats}))
    if cost.halves:
        found.append(Reason("E4.5", "one half", {mine: int(a.upper), his: int(b.upper)}))
    if cost.pace:
        found.append(Reason("E4.6", "pace", {"apart": cost.pace}))
    alike = sorted((other.lot, pair) for pair, other in others.items() if other[:-1] == cost[:-1])
    pair = (min(a.number, b.number), max(a.number, b.number))
    rivals = [(lot, one) for lot, one in alike if one != pair][:_OTHERS]
    if rivals:
        found.append(Reason("E4.7", "lots", {lot_label(*one): lot for lot, one in ((cost.lot, pair), *rivals)}))
    return tuple(found)


def reasons_of_bye(one: Standing, lots: Lots) -> tuple[Reason, ...]:
    """Return why this one rests: points, byes before, and the lot among those alike."""
    label = f"bye/{name_of(one.number)}"
    values = {"points": one.tally.halves, "before": one.tally.byes, label: lots(label)}
    return (Reason("E4.8", "bye", values),)
