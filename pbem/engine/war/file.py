"""Read a war's file: legs, formations, offers of the camps.

::

    title = "The war of 1860"
    legs = ["coast", "plain", "pass"]
    turns = { plain = 8 }           # K0.1 the last turn of a leg, where it is not that of its scenario
    needs = { plain = { spain = 8, morocco = -6 } }     # K0 the lead needed there, if not the scenario's
    back = "3/4"                    # K2 of the steps lost
    floor = "7/10"                  # K5.1 of the steps listed
    points = { spain = 6, morocco = 6 }
    fleet = { spain = 2 }           # K3 more of them, unless the sea is against it
    prices = { REBUILD = 3 }        # K4 where they are not the usual ones

    [formations.Reserve]            # K1, K5
    side = "spain"
    units = ["Principe", "Cuenca"]
    sickness = "cholera"            # or "harvest", or left out

    [formations.Guard]              # K4 BRING
    side = "morocco"
    units = ["AbidDos"]
    price = 3
    camps = { 2 = { at = "Fondak", turn = 4 } }

    [successors]                    # K1.2
    Prim = "Makenna 1/1"

    [chiefs]                        # K1.2 commanders-in-chief in order; the first one present commands
    spain = ["Prim", "Zabala"]

    [[camps]]                       # one between two legs
    sick = 2                        # K5 cholera strikes up to this
    entrench = { side = "morocco", spaces = ["Aldea"], most = 2 }
    roads = { side = "spain", edges = ["Camino-Ribera"] }
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.sources import SourceError, line_number_of
from pbem.engine.war.ledger import AWAY, COMBAT, LEADER, READY, Entry, Ledger, ListedUnit

# Parts of a war's file, each checked for what it may be; whatever is wrong is told with the line that it stands in.


# A share written as a fraction, whose denominator is not 0.
_SHARE = re.compile(r"[0-9]+/[1-9][0-9]*")


class Source(NamedTuple):
    """A file being read: its text, and its name. `part` locates the line of an error."""

    text: str
    name: str

    def wrong(self, part: str, reason: str) -> SourceError:
        """Return the error for a part of the file."""
        return SourceError(self.name, line_number_of(self.text, part), reason)

    def table(
        self, part: str, value: object, known: Collection[str] = (), needed: Collection[str] = ()
    ) -> Mapping[str, Json]:
        """Check that a value is a table with only `known` keys, if any, and all `needed`."""
        if not isinstance(value, Mapping):
            raise self.wrong(part, f"{part} is a table of names and values, not {value!r}")
        for key in needed:
            if key not in value:
                raise self.wrong(part, f"{key} of {part} is missing")
        for key in value:
            if known and key not in known:
                raise self.wrong(part, f"{key} is nothing that {part} has; there are {', '.join(known)}")
        return value

    def rows(self, part: str, value: object) -> list[object]:
        """Check that a value is a list, and return it."""
        if not isinstance(value, list | tuple):
            raise self.wrong(part, f"{part} is a list, not {value!r}")
        return [*value]

    def names(self, part: str, value: object) -> tuple[str, ...]:
        """Check that a value is a list of names, and return it."""
        return tuple(self.word(part, name) for name in self.rows(part, value))

    def word(self, part: str, value: object) -> str:
        """Check that a value is a word or a sentence, and return it."""
        if not isinstance(value, str) or not value.strip():
            raise self.wrong(part, f"{part} holds words in quotes, not {value!r}")
        return value

    def number(self, part: str, value: object, least: int = 0) -> int:
        """Check that a value is a whole number from `least`, and return it."""
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise self.wrong(part, f"{part} is a whole number from {least}, not {value!r}")
        return value

    def one_of(self, part: str, value: Any, known: Collection[str], what: str) -> str:
        """Check that a value is in `known`, described by `what`, and return it."""
        if value not in known:
            raise self.wrong(part, f"{value!r} is no {what}; there are {', '.join(filter(None, known))}")
        word: str = value
        return word

    def share(self, part: str, value: object) -> Fraction:
        """Check that a value is a share of one, and return it."""
        if not isinstance(value, str) or not _SHARE.fullmatch(value) or Fraction(value) > 1:
            raise self.wrong(part, f"{part} is a share such as 3/4, not {value!r}")
        return Fraction(value)


_SICKNESS = ("", "cholera", "harvest")
_WANTED = ("title", "legs", "points", "formations", "camps")
_KNOWN = (*_WANTED, "turns", "needs", "back", "floor", "fleet", "prices", "successors", "chiefs")
# A choice: two digits, against slips in typing.
LEAST = 99
"""K0 The largest lead of the enemy at which a side may still be set to win a leg."""
BACK, FLOOR = "3/4", "7/10"
"""K2, K5.1 The share of lost steps that returns, and the least share with which a side begins a leg, unless the file
says otherwise."""
SICK, TRENCHES = 2, 2
"""K5, K4 The highest die on which cholera strikes, and the most spaces entrenched, unless the file says otherwise."""
PRICES = {"REFIT": 1, "REBUILD": 2, "REPLACE": 1, "HOSPITAL": 1, "ENTRENCH": 3, "ROAD": 2, "SCOUT": 2}
"""K4 The prices of the lines of a camp, unless the file says otherwise; a formation has a price of its own."""


class Leg(NamedTuple):
    """A scenario of a war: id, listed units, spaces, edges, last turn, needs.

    Edges are by ``A-B`` with their kinds. The last turn is 0 where it is not given. `needs` is the least lead with
    which each side wins the scenario alone. The record of a war has neither of these two.
    """

    scenario: str
    listed: tuple[ListedUnit, ...]
    spaces: tuple[str, ...] = ()
    edges: Mapping[str, str] = {}
    turns: int = 0
    needs: Mapping[str, int] = {}


class Formation(NamedTuple):
    """Units that fall sick together, and are brought together.

    `price` is 0 if they cannot be brought. `enters` gives by camp, from 1, the place and turn of the next leg where
    it enters.
    """

    id: str
    side: str
    units: tuple[str, ...]
    sickness: str = ""
    price: int = 0
    enters: Mapping[int, tuple[str, int]] = {}


class Camp(NamedTuple):
    """The offers of one camp: die of cholera, entrenchments, roads.

    `spaces` may be entrenched by the side `entrenches`, at most `most`; ways in `edges` may be made roads by
    `builds`.
    """

    sick: int = SICK
    entrenches: str = ""
    spaces: tuple[str, ...] = ()
    most: int = TRENCHES
    builds: str = ""
    edges: tuple[str, ...] = ()


class War(NamedTuple):
    """A war.

    `share` of lost steps comes back, `floor` is the least that a side begins a leg with. `successors` are
    leaders as their game writes them, name first, by the leader they replace; `chiefs` those who may command in
    chief, by side and in order; `turns` the last turn of legs, `needs` the least lead with which each side wins
    one, where they are not those of their scenarios.
    """

    title: str
    legs: tuple[str, ...]
    units: Mapping[str, Entry]
    formations: Mapping[str, Formation]
    camps: tuple[Camp, ...]
    points: Mapping[str, int]
    fleet: Mapping[str, int]
    prices: Mapping[str, int]
    share: Fraction
    floor: Fraction
    successors: Mapping[str, str]
    chiefs: Mapping[str, tuple[str, ...]] = {}
    turns: Mapping[str, int] = {}
    needs: Mapping[str, Mapping[str, int]] = {}

    def opening(self) -> Ledger:
        """Return the ledger before the first leg, with all units whole."""
        return dict(self.units)


def read_war(data: Mapping[str, object], text: str, name: str, legs: Sequence[Leg]) -> War:
    """Return the war of a file, whose `legs` were read by their ids.

    Raise SourceError, with file and line, for missing or unknown parts, and for a unit that differs in two
    legs.
    """
    file = Source(text, name)
    scenarios = _legs(file, data)
    camps = file.rows("camps", data["camps"])
    if len(camps) != len(scenarios) - 1:
        raise file.wrong("[[camps]]", f"between {len(scenarios)} legs there are {len(scenarios) - 1} camps")
    units = dict(_units(file, legs))
    formation_list = [
        _formation(file, *row, units, legs) for row in file.table("formations", data["formations"]).items()
    ]
    formations = {formation.id: formation for formation in formation_list}
    units = _assign_formations(file, units, formations)
    sides = sorted({entry.side for entry in units.values()})
    if len(sides) != 2:
        raise file.wrong("legs", f"a war has two sides, not {len(sides)}: {', '.join(sides)}")
    first_units = {listed.id for listed in legs[0].listed}
    return War(
        title=file.word("title", data["title"]),
        legs=scenarios,
        units={ident: e._replace(standing=READY if ident in first_units else AWAY) for ident, e in units.items()},
        formations=formations,
        camps=tuple(_camp(file, row, leg, sides) for row, leg in zip(camps, legs[1:], strict=True)),
        points=_counts(file, "points", data, sides),
        fleet=_counts(file, "fleet", data, sides),
        prices=_prices(file, data),
        share=file.share("back", data.get("back", BACK)),
        floor=file.share("floor", data.get("floor", FLOOR)),
        successors=dict(_successors(file, data, units)),
        chiefs=dict(_chiefs(file, data, units)),
        turns=_turns(file, data, scenarios),
        needs=dict(_needs(file, data, scenarios, sides)),
    )


def scenarios_of(data: Mapping[str, object], text: str, name: str) -> tuple[str, ...]:
    """K0 Return the ids of a war's scenarios; raise SourceError if they are missing."""
    return _legs(Source(text, name), data)


def _legs(file: Source, data: Mapping[str, object]) -> tuple[str, ...]:
    for key in _WANTED:
        if key not in data:
            raise SourceError(file.name, 0, f"{key} is missing")
    for key in data:
        if key not in _KNOWN:
            raise file.wrong(key, f"{key} is nothing that a war has; there are {', '.join(_KNOWN)}")
    legs = file.names("legs", data["legs"])
    if not legs:
        raise file.wrong("legs", "a war has a leg at least")
    return legs


def _units(file: Source, legs: Sequence[Leg]) -> Iterator[tuple[str, Entry]]:
    """K1 Yield every unit of a leg.

    The same id must have the same numbers everywhere.
    """
    seen: dict[str, tuple[ListedUnit, str]] = {}
    for leg in legs:
        for unit in leg.listed:
            first_listing, where = seen.setdefault(unit.id, (unit, leg.scenario))
            if _unit_summary(unit) != _unit_summary(first_listing):
                raise file.wrong(
                    f'"{leg.scenario}"',
                    f"{unit.id} is not the same in {where} and in {leg.scenario}: "
                    f"{_unit_summary(first_listing)} there, {_unit_summary(unit)} here",
                )
            yield unit.id, Entry(unit.id, unit.side, unit.code, unit.role, "", unit.full, unit.full)


def _unit_summary(unit: ListedUnit) -> str:
    """Return the values that must be the same wherever a unit is listed."""
    return f"{unit.side} {unit.code} of {unit.full} steps{unit.factors and f', {unit.factors}'}"


def _formation(file: Source, ident: str, row: object, units: Mapping[str, Entry], legs: Sequence[Leg]) -> Formation:
    head = f"[formations.{ident}]"
    row = file.table(head, row, ("side", "units", "sickness", "price", "camps"), ("side", "units"))
    side = file.one_of(head, row["side"], sorted({entry.side for entry in units.values()}), "side")
    members = file.names(head, row["units"])
    for unit in members:
        if unit not in units:
            raise file.wrong(head, f"{ident} has {unit}, which no leg lists")
        if units[unit].side != side:
            raise file.wrong(head, f"{ident} has {unit}, which is of {units[unit].side}")
    sickness = file.one_of(head, row.get("sickness", ""), _SICKNESS, "sickness")
    price = file.number(head, row.get("price", 0))
    enters = dict(_enters(file, head, row, legs))
    if enters and not price:
        raise file.wrong(head, f"{ident} can be brought, and has no price")
    if price and not enters:
        raise file.wrong(head, f"{ident} has a price, and no camp from which it can be brought")
    return Formation(ident, side, members, sickness, price, enters)


def _enters(
    file: Source, head: str, row: Mapping[str, object], legs: Sequence[Leg]
) -> Iterator[tuple[int, tuple[str, int]]]:
    """K4 Yield the camps from which a formation comes.

    Each has the place and turn of its entry in the next leg.
    """
    for camp, where in file.table(head, row.get("camps", {})).items():
        if camp not in map(str, range(1, len(legs))):
            raise file.wrong(head, f"{camp!r} is no camp of the war, which has {len(legs) - 1}")
        where = file.table(head, where, ("at", "turn"), ("at", "turn"))
        leg = legs[int(camp)]
        if where["at"] not in leg.spaces:
            raise file.wrong(head, f"{where['at']} is no space of {leg.scenario}")
        turn = file.number(head, where["turn"], 1)
        if leg.turns and turn > leg.turns:
            raise file.wrong(head, f"{leg.scenario} has no turn {turn}: its last is {leg.turns}")
        yield int(camp), (where["at"], turn)


def _assign_formations(
    file: Source, units: Mapping[str, Entry], formations: Mapping[str, Formation]
) -> dict[str, Entry]:
    """K1 Return the units with their formations; every combat unit has one."""
    entries = dict(units)
    for formation in formations.values():
        for unit in formation.units:
            if entries[unit].formation:
                raise file.wrong(f"[formations.{formation.id}]", f"{unit} is of {entries[unit].formation} already")
            entries[unit] = entries[unit]._replace(formation=formation.id)
    for ident, entry in sorted(entries.items()):
        if entry.role == COMBAT and not entry.formation:
            raise file.wrong("formations", f"{ident} belongs to no formation")
    return entries


def _camp(file: Source, row: object, leg: Leg, sides: Sequence[str]) -> Camp:
    row = file.table("[[camps]]", row, ("sick", "entrench", "roads"))
    trenches = file.table("entrench", row.get("entrench", {}), ("side", "spaces", "most"))
    roads = file.table("roads", row.get("roads", {}), ("side", "edges"))
    spaces = file.names("entrench", trenches.get("spaces", ()))
    edges = file.names("roads", roads.get("edges", ()))
    for space in spaces:
        if space not in leg.spaces:
            raise file.wrong(f'"{space}"', f"{space} is no space of {leg.scenario}")
    for edge in edges:
        if leg.edges.get(edge) != "path":
            raise file.wrong(edge, f"{edge} is no path of {leg.scenario}")
    return Camp(
        file.number("sick =", row.get("sick", SICK)),
        file.one_of("entrench", trenches.get("side", ""), ("", *sides)[bool(spaces) :], "side"),
        spaces,
        file.number("entrench", trenches.get("most", TRENCHES)),
        file.one_of("roads", roads.get("side", ""), ("", *sides)[bool(edges) :], "side"),
        edges,
    )


def _counts(file: Source, key: str, data: Mapping[str, object], sides: Sequence[str]) -> Mapping[str, int]:
    row = file.table(key, data.get(key, {}))
    return {file.one_of(key, side, sides, "side"): file.number(key, count) for side, count in row.items()}


def _prices(file: Source, data: Mapping[str, object]) -> Mapping[str, int]:
    prices = file.table("prices", data.get("prices", {}), tuple(PRICES))
    return {**PRICES, **{verb: file.number(f"{verb} =", price, 1) for verb, price in prices.items()}}


def _turns(file: Source, data: Mapping[str, object], legs: Sequence[str]) -> Mapping[str, int]:
    turns = file.table("turns", data.get("turns", {}), legs)
    return {leg: file.number("turns", turn, 1) for leg, turn in turns.items()}


def _needs(
    file: Source, data: Mapping[str, object], legs: Sequence[str], sides: Sequence[str]
) -> Iterator[tuple[str, Mapping[str, int]]]:
    """K0 Yield the least winning lead of each side by leg; it may be negative."""
    for leg, row in file.table("needs", data.get("needs", {}), legs).items():
        row = file.table("needs", row, sides, sides)
        least = {side: file.number("needs", row[side], -LEAST) for side in sides}
        if sum(least.values()) < 1:
            raise file.wrong(
                "needs",
                f"both would win {leg} at once, the one from {least[sides[0]]} on and the other from {least[sides[1]]}",
            )
        yield leg, least


def _successors(file: Source, data: Mapping[str, object], units: Mapping[str, Entry]) -> Iterator[tuple[str, str]]:
    for old, new in file.table("successors", data.get("successors", {})).items():
        if old not in units or units[old].role != LEADER:
            raise file.wrong(f"{old} =", f"{old} leads in no leg")
        if file.word(f"{old} =", new).split()[0] in units:
            raise file.wrong(f"{old} =", f"{new!r} names somebody who stands in a leg himself")
        yield old, new


def _chiefs(
    file: Source, data: Mapping[str, object], units: Mapping[str, Entry]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    sides = sorted({entry.side for entry in units.values()})
    for side, row in file.table("chiefs", data.get("chiefs", {})).items():
        file.one_of("[chiefs]", side, sides, "side")
        leaders = file.names(f"{side} =", row)
        for leader in leaders:
            if leader not in units or (units[leader].role, units[leader].side) != (LEADER, side):
                raise file.wrong(f'"{leader}"', f"{leader} leads for {side} in no leg")
        yield side, leaders
