"""T3 What may stand together in a hex."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pbem.games.peninsular.setup.edition import Edition
from pbem.games.peninsular.setup.units import Unit
from pbem.games.peninsular.state import State


def row_of(edition: Edition, ident: str) -> str:
    """Return the row of T3 for a hex."""
    return "siege lines" if edition.map.lines(ident) else edition.map.terrain(ident)


def dismounted(state: State, unit: Unit) -> bool:
    """T3 Whether cavalry skirmishes on foot: where T3 lets it skirmish only so."""
    if unit.kind != "cav" or not unit.skirmishing:
        return False
    return state.edition.chart("stacking").cell(row_of(state.edition, unit.at), "riders") == "dismounted"


def fits(state: State, ident: str, coming: Iterable[Unit]) -> bool:
    """T3 Whether counters that come may end in a hex, with those of their camp that are there already."""
    units = [unit for unit in coming if unit.is_combat]
    if not units:
        return True
    there = state.fighting(ident, units[0].side)
    if there:
        ids = {unit.id for unit in units}
        units = [*[unit for unit in there if unit.id not in ids], *units]
    return stands(state.edition, ident, units)


def stands(edition: Edition, ident: str, units: Sequence[Unit]) -> bool:
    """T3, S4 Whether these counters may stand together in a hex.

    Formed and skirmishing counters count together, against the infantry's limit if there is infantry; the cavalry
    among them also against its own; squares against theirs. S4b Where that limit is a battalion, it is one that does
    not skirmish, and the cavalry does not count with it.
    """
    row, known = row_of(edition, ident), edition.remembered
    key = ("stands", row, *[(unit.kind, unit.formation, unit.pf) for unit in units])
    if key not in known:
        known[key] = _stands(edition, row, units)
    return bool(known[key])


def _stands(edition: Edition, row: str, units: Sequence[Unit]) -> bool:
    cells = edition.chart("stacking").cells
    if (row, "inf") not in cells:
        return False
    foot = [unit for unit in units if unit.kind == "inf"]
    horse = [unit for unit in units if unit.kind == "cav"]
    guns = [unit for unit in units if unit.kind == "art"]
    squares = [unit for unit in foot if unit.square]
    if cells[row, "skirmish"] == "no" and any(unit.skirmishing for unit in foot):
        return False
    if cells[row, "riders"] == "no" and any(unit.skirmishing for unit in horse):
        return False
    if squares and not _within(cells[row, "square"], squares):
        return False
    battalions = edition.reread and cells[row, "inf"] == "unit"
    together = [unit for unit in foot if not unit.skirmishing] if battalions else [*foot, *horse]
    if foot and not _within(cells[row, "inf"], together):
        return False
    if horse and not _within(cells[row, "cav"], horse):
        return False
    return not guns or _within(cells[row, "with" if foot or horse else "alone"], guns, batteries=True)


def _within(cell: str, units: list[Unit], batteries: bool = False) -> bool:
    if cell in ("yes", "no"):
        return cell == "yes"
    if cell == "unit":
        return len(units) <= 1
    return (len(units) if batteries else sum([unit.pf for unit in units])) <= int(cell)
