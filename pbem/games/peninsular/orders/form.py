"""The order form: for each division its orders, and what each of its counters could be told to do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pbem.games.peninsular.ground.paths import left
from pbem.games.peninsular.orders.options import able, fresh, mobile
from pbem.games.peninsular.orders.vocabulary import VOCABULARY
from pbem.games.peninsular.setup.edition import camp
from pbem.games.peninsular.setup.roster import ORDERS
from pbem.games.peninsular.state import State, Unit, best

__all__ = ["template"]


def template(view: State, seat: str, language: str) -> tuple[str, ...]:
    """Return order lines to be edited, all of them comments, so that a form sent back as it came orders nothing.

    Division by division the order it may get, then where its counters stand and what MP they have; a commander goes
    with a counter of his hex. Then the arms of a hex that could go together (S4a). Last the fire and the assaults that
    are possible before anybody moves, and the exit (S14).
    """
    if view.phase == "over":
        return ()
    side = view.edition.seats[seat]
    form = _Form(fresh(view, side), side, language)
    return tuple(f"# {line}" for line in form.lines())


class _Form:
    def __init__(self, state: State, side: str, language: str) -> None:
        self.state, self.side, self.language = state, side, language
        self.own = [unit for _, unit in sorted(state.units.items()) if unit.camp == camp(side)]

    def say(self, keyword: str) -> str:
        return VOCABULARY.word(keyword, self.language)

    def lines(self) -> Iterator[str]:
        orders = " | ".join(self.say(name) for name in ORDERS)
        chiefs = {d.commander: name for name, d in self.state.divisions.items()}
        names = {unit.id: unit.division or chiefs.get(unit.id, "") for unit in self.own}
        for name in sorted(set(names.values()), key=lambda name: (not name, name)):
            if name in self.state.divisions:
                yield f"{self.say('ORDER')} {name} {orders}"
            yield from self.going([unit for unit in self.own if names[unit.id] == name])
        yield from self.together()
        yield from self.fire()
        yield from self.assaults()
        yield from self.way_out()

    def going(self, units: Sequence[Unit]) -> Iterator[str]:
        """A line for each counter; a commander rides with the strongest of his hex."""
        chiefs = [unit for unit in units if unit.kind == "cmd"]
        led: dict[str, list[str]] = {}
        for chief in chiefs:
            mate = best([unit for unit in units if unit.at == chief.at and unit.is_combat])
            if mate is not None:
                led.setdefault(mate.id, []).append(chief.id)
        along = {ident for ids in led.values() for ident in ids}
        for unit in units:
            if unit.id not in along:
                yield self.move(unit, led.get(unit.id, []))

    def move(self, unit: Unit, chiefs: Sequence[str]) -> str:
        points = "PM" if self.language == "es" else "MP"
        where = f"   # {unit.at}, {left(self.state, unit)} {points}"
        if unit.unlimbered:
            return f"{self.say('LIMBER')} {unit.id}{where}"
        if unit.square:
            return f"{self.say('FORM')} {unit.id} {self.say('FORMED')}{where}"
        along = f" {self.say('WITH')} {', '.join(chiefs)}" if chiefs else ""
        ready = f"; {self.say('UNLIMBER')} {unit.id}" if unit.kind == "art" else ""
        return f"{self.say('MOVE')} {unit.id}{along} {self.say('TO')} ...{ready}{where}"

    def together(self) -> Iterator[str]:
        """S4a A line for each hex in which several arms could go together, and with them their commanders."""
        for at in sorted({unit.at for unit in self.own}) if self.state.edition.reread else ():
            units = mobile(self.state, [unit for unit in self.own if unit.at == at])
            if len({unit.kind for unit in units if unit.is_combat}) > 1:
                ids, points = ", ".join(unit.id for unit in units), min(left(self.state, unit) for unit in units)
                said = f"{points} PM, juntas" if self.language == "es" else f"{points} MP, together"
                yield f"{self.say('MOVE')} {ids} {self.say('TO')} ...   # {at}, {said}"

    def way_out(self) -> Iterator[str]:
        """S14 The exit of one's own side, where the scenario counts it."""
        found = self.state.edition.scenario.get("victory", {}).get("exit", {})
        if found and camp(found["side"]) == camp(self.side):
            hexes, n, points = ", ".join(found["hexes"]), found["battalions"], found["points"]
            if self.language == "es":
                yield f"salida: {n} batallones firmes en {hexes} al final dan {points} puntos"
            else:
                yield f"exit: {n} steady battalions in {hexes} at the end give {points} points"

    def fire(self) -> Iterator[str]:
        for unit in self.own:
            hexes = able(self.state, unit, "FIRE") if unit.is_combat else ()
            if hexes:
                yield f"{self.say('FIRE')} {unit.id} {self.say('TO')} {' | '.join(hexes)}"

    def assaults(self) -> Iterator[str]:
        """A line for each hex that can be assaulted, with all who could, under the strongest."""
        against: dict[str, list[Unit]] = {}
        for unit in self.own:
            for at in able(self.state, unit, "ASSAULT") if unit.kind in ("inf", "cav") else ():
                against.setdefault(at, []).append(unit)
        for at, units in sorted(against.items()):
            lead = best(units)
            ids = ", ".join(unit.id for unit in units)
            head = f" {self.say('LED BY')} {lead.id}" if lead is not None else ""
            yield f"{self.say('ASSAULT')} {at} {self.say('WITH')} {ids}{head}"
