"""What a player of the demo has in his head: he reads letters as text, and says what his battalions shall do.

The demo's player (`pbem/cli/demo/player.py`) hands whole letters over and mails what comes back. A report holds nearly
all that is used here: the map as it is drawn, the forces of both sides, and the order form with who has how many MP,
and whom one can fire at or assault before anybody moves. The rest anybody knows who has the map on his table: where
the hollow is, and where he wants to go (`battles.toml`). Where nothing of that is known he goes for the nearest enemy.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any, NamedTuple

MINE = re.compile(r"Your forces|Sus fuerzas")
THEIRS = re.compile(r"The enemy|El enemigo")
MAP = re.compile(r"(?:The map|El mapa) \(.*\)")
UNIT = re.compile(
    r"(?P<id>\S+) (?P<kind>inf|cav|cab|art) (?:factor \d+ )?(?P<pf>\d+)/\d+ (?P<will>[A-F]) (?P<at>\d{4})(?P<marks>.*)"
)
CHIEF = re.compile(r"(?P<id>\S+) (?:cmd|jefe) \d+/\d+ (?:range|alcance) \d+ (?P<at>\d{4})")
GROUND = {
    "w": re.compile(r"light wood|bosque ligero"),
    "T": re.compile(r"strong buildings|edificios fuertes"),
    "m": re.compile(r"marsh|marisma"),
}
SHAKEN = re.compile(r"\b(?:disordered|routed|desordenada|derrotada)\b")
SQUARE = re.compile(r"\b(?:in square|en cuadro)\b")
LIMBERED = re.compile(r"\b(?:limbered|enganchada)\b")
DIVISION = re.compile(r"(?P<name>\S+) \((?:morale|moral) \d; (?P<order>[^;)]*)")
ORDER = re.compile(r"# (?:ORDER|ORDEN) (\S+) ")
MOVE = re.compile(r"# (?:MOVE|MOVER) (.+?) (?:TO|A) .+?  # (\d{4}), (\d+) ")
FIRE = re.compile(r"# (?:FIRE|FUEGO) (\S+) (?:AT|A) (.+)")
ASSAULT = re.compile(
    r"# (?:ASSAULT|ASALTAR) (\d{4}) (?:WITH|CON) (.+?)(?: (?:LED BY|AL MANDO DE) \S+)?(?:  # .*)?$", re.M
)
FOLDED = re.compile(r"\n#     ")
EXPLAINED = re.compile(r"\n##    ")
NO_HEX = re.compile(r"is not on the map|no está en el mapa")

DIRECTIONS = ("N", "NE", "SE", "S", "SW", "NW")
COSTS: Mapping[str, int] = {".": 1, "b": 1, ",": 1, "w": 2, "T": 2, "v": 2}
"""MP of foot by the sign of the map; where there is none it does not go."""
MOST = 24
"""PF of a side that stand together in the open; in woods and buildings one battalion."""
BOLDNESS: Mapping[str, float] = {"british": 1.2, "french": 1.0}
"""How many PF for each of the enemy's make an assault worth while."""

SPANISH: Mapping[str, str] = {
    "ORDER": "ORDEN",
    "ATTACK": "ATAQUE",
    "MANOEUVRE": "MANIOBRA",
    "MOVE": "MOVER",
    "TO": "A",
    "AT": "A",
    "FACE": "FRENTE",
    "FIRE": "FUEGO",
    "ASSAULT": "ASALTAR",
    "WITH": "CON",
    "LED BY": "AL MANDO DE",
    "PASS": "PASAR",
    "UNLIMBER": "DESPLEGAR",
    "FORM": "FORMAR",
    "FORMED": "LINEA",
}
ATTACK = ("Attack", "Ataque")
STANDING: Mapping[str, tuple[str, ...]] = {
    "british": (
        "DOCTRINA PARA TODOS",
        "1. CUANDO CARGADO ENTONCES CUADRO",
        "2. FUEGO A DISCRECION",
        "3. CUANDO ASALTADO ENTONCES AL MANDO DE INF.MASFUERTE",
        "FINDOCTRINA",
    ),
    "french": (
        "STANDING FOR ALL",
        "1. WHEN CHARGED THEN SQUARE",
        "2. FIRE AT WILL",
        "3. WHEN ASSAULTED THEN LED BY INF.FRESHEST",
        "4. RETREAT 1",
        "ENDSTANDING",
    ),
}


class Unit(NamedTuple):
    """A counter as the report lists it; a commander has no PF."""

    id: str
    kind: str
    at: str
    pf: int = 0
    division: str = ""
    ground: str = "."
    shaken: bool = False
    square: bool = False
    limbered: bool = False


class Letter(NamedTuple):
    """What a report holds: counters of both sides by id, signs and levels of the map, divisions and their orders, and
    of the form MP by counter, who can fire where, and who can assault what."""

    mine: Mapping[str, Unit]
    theirs: Mapping[str, Unit]
    signs: Mapping[str, str]
    levels: Mapping[str, int]
    orders: Mapping[str, str]
    mp: Mapping[str, int]
    fire: Mapping[str, tuple[str, ...]]
    assaults: Mapping[str, tuple[str, ...]]

    def against(self, at: str) -> int:
        """PF of the enemy in a hex."""
        return sum(unit.pf for unit in self.theirs.values() if unit.at == at)

    def gap(self, at: str) -> int:
        """Hexes to the nearest enemy who can fight."""
        return min((distance(at, unit.at) for unit in self.theirs.values() if unit.pf), default=99)


def cube(at: str) -> tuple[int, int, int]:
    """A hex in three coordinates with sum 0."""
    x = int(at[:2]) - 1
    z = int(at[2:]) - 1 - x // 2
    return x, -x - z, z


def distance(a: str, b: str) -> int:
    """How many hexes b is from a."""
    return max(abs(m - n) for m, n in zip(cube(a), cube(b), strict=True))


def neighbours(at: str) -> list[str]:
    """The hexes around a hex, clockwise from N; those beyond the map among them."""
    column, row = int(at[:2]), int(at[2:])
    up, down = (-1, 0) if column % 2 else (0, 1)
    around = ((0, -1), (1, up), (1, down), (0, 1), (-1, down), (-1, up))
    return [f"{column + dx:02}{row + dy:02}" for dx, dy in around]


def bearing(a: str, b: str) -> str:
    """The side of `a` that looks most towards `b`."""
    return min(zip(neighbours(a), DIRECTIONS, strict=True), key=lambda item: distance(item[0], b))[1]


def read(text: str) -> Letter:
    """Read a report; what does not stand in it is empty."""
    mine: dict[str, Unit] = {}
    theirs: dict[str, Unit] = {}
    orders: dict[str, str] = {}
    side: dict[str, Unit] | None = None
    for line in re.sub(r"\n {4,}(?=\S)", " ", text).splitlines():
        if not line.startswith("  "):
            side = mine if MINE.fullmatch(line) else theirs if THEIRS.fullmatch(line) else None
        elif side is not None:
            head, _, units = line.strip().partition(": ")
            led = DIVISION.match(head)
            if led is not None:
                orders[led["name"]] = led["order"]
            name = led["name"] if led is not None else "" if " " in head else head
            side.update({unit.id: unit for unit in map(_unit, units.split(", "), [name] * len(units)) if unit})
    signs, levels = _drawn(text)
    for unit in (*mine.values(), *theirs.values()):
        if unit.kind != "cmd" or signs.get(unit.at) in tuple("BFPS"):
            signs[unit.at] = unit.ground
    text = EXPLAINED.sub("  # ", FOLDED.sub(" ", text))
    mp = {ident: int(found[3]) for found in MOVE.finditer(text) for ident in re.split(", | WITH | CON ", found[1])}
    fire = {found[1]: tuple(found[2].split(" | ")) for found in FIRE.finditer(text)}
    assaults = {found[1]: tuple(found[2].split(", ")) for found in ASSAULT.finditer(text)}
    return Letter(mine, theirs, signs, levels, orders, mp, fire, assaults)


def _unit(text: str, division: str) -> Unit | None:
    found = UNIT.match(text)
    if found is None:
        chief = CHIEF.match(text)
        return Unit(chief["id"], "cmd", chief["at"], 0, division) if chief else None
    marks = found["marks"]
    kind = "cav" if found["kind"] == "cab" else found["kind"]
    how = (bool(SHAKEN.search(marks)), bool(SQUARE.search(marks)), bool(LIMBERED.search(marks)))
    ground = next((sign for sign, words in GROUND.items() if words.search(marks)), ".")
    return Unit(found["id"], kind, found["at"], int(found["pf"]), division, ground, *how)


def _drawn(text: str) -> tuple[dict[str, str], dict[str, int]]:
    """The map as it is drawn: the sign of each hex, the level of those that nobody stands in."""
    signs: dict[str, str] = {}
    levels: dict[str, int] = {}
    found = MAP.search(text)
    lines = text[found.end() :].lstrip("\n").split("\n\n")[0].splitlines() if found else []
    heads = {at.start(): at[0] for line in lines[:2] for at in re.finditer(r"\d\d", line)}
    row = ""
    for line in takewhile(lambda line: not line.startswith("  ."), lines[2:]):
        row = line[:2].strip() or row
        for cell in re.finditer(r"\S+", line[3:]):
            column = heads.get(cell.start() + 3)
            if column:
                signs[column + row] = cell[0][0]
                levels[column + row] = int(re.sub(r"\D", "", cell[0]) or 0) if cell[0][0] not in "BFPS" else 0
    return signs, levels


class Plan:
    """A player's plan for the whole game."""

    def __init__(self, seat: str, language: str, knows: Mapping[str, Any]) -> None:
        self.seat = seat
        self.language = language
        self.aims: Mapping[str, str] = knows.get("aims", {}).get(seat, {})
        self.sides: Mapping[str, int] = knows.get("sides", {})
        self.last = read("")
        self.meant = ""

    def say(self, words: str) -> str:
        """The words of an order in the player's language."""
        return SPANISH[words] if self.language == "es" else words

    def standing(self) -> tuple[str, ...]:
        """The standing orders for the whole game."""
        return STANDING[self.seat]

    def orders(self, text: str) -> list[str]:
        """The lines of orders that answer a report."""
        self.last = read(text)
        return _Half(self, self.last).lines() or [self.say("PASS")]

    def early(self) -> list[str]:
        """Orders for a half that is not ours, from memory."""
        unit = min(self.last.mine.values(), key=lambda unit: unit.id, default=None)
        return [f"{self.say('FACE')} {unit.id} N"] if unit is not None else [self.say("PASS")]

    def slip(self, kind: str, block: Sequence[str]) -> list[str] | None:
        """The block with a mistake of that kind in it; None if it has no place for one."""
        lines = list(block)
        for number, line in enumerate(lines[1:-1], 1):
            move = re.match(r"(?:MOVE|MOVER) (\S+?),? .*?(\d{4})", line)
            if move is None or line.startswith("#"):
                continue
            if kind == "two readings" and (meant := re.search(r"\bGren[ABC]\b", line)):
                self.meant, lines[number] = meant[0], line.replace(meant[0], "Gren", 1)
            elif kind == "off the map":
                self.meant, lines[number] = move[2], line.replace(move[2], "9" + move[2][1:], 1)
            elif kind == "misspelt order" and line.startswith("MOVE "):
                lines[number] = line.replace("MOVE", "MOEV", 1)
            else:
                continue
            return lines
        return None

    def mended(self, block: Sequence[str], number: int, word: str, why: str, readings: Sequence[str]) -> str | None:
        """A wrong line of the corrected block, mended by what the answer says of it; None leaves it out."""
        line = block[number].removeprefix("# ")
        if self.meant in readings or (self.meant and NO_HEX.search(why)):
            return line.replace(word, self.meant, 1)
        return None


class _Half:
    """The orders of one half."""

    def __init__(self, plan: Plan, at: Letter) -> None:
        self.plan, self.at, self.say = plan, at, plan.say
        self.where = {unit.id: unit.at for unit in at.mine.values()}
        self.done: set[str] = set()

    def lines(self) -> list[str]:
        """Orders of the divisions, the assaults that can be made where one stands, fire, and the march of the rest."""
        told = self.divisions()
        strike = self.assaults()
        move = [line for unit in sorted(self.at.mine.values(), key=self.nearest) for line in self.march(unit)]
        return [*told, *strike, *move, *self.fire()]

    def nearest(self, unit: Unit) -> tuple[bool, int, str]:
        return unit.kind == "cmd", self.at.gap(unit.at), unit.id

    def divisions(self) -> list[str]:
        """A division attacks once the enemy is near, and marches before."""
        lines = []
        for name, order in sorted(self.at.orders.items()):
            gap = min((self.at.gap(u.at) for u in self.at.mine.values() if u.division == name and u.pf), default=99)
            wanted = "ATTACK" if gap <= 5 else "MANOEUVRE"
            if (order in ATTACK) != (wanted == "ATTACK"):
                lines.append(f"{self.say('ORDER')} {name} {self.say(wanted)}")
        return lines

    def assaults(self) -> list[str]:
        """All who can go in together, where they are enough; the enemy's weakest hex first."""
        lines = []
        for target in sorted(self.at.assaults, key=lambda at: (self.at.against(at), at)):
            units = [self.at.mine[i] for i in self.at.assaults[target] if i in self.at.mine and i not in self.done]
            strong = sum(unit.pf for unit in units)
            if not units or strong < self.at.against(target) * BOLDNESS[self.plan.seat]:
                continue
            if not {unit.division for unit in units} <= self.attacking():
                continue
            leader = max(units, key=lambda unit: (unit.pf, unit.id))
            self.done |= {unit.id for unit in units}
            ids = ", ".join(unit.id for unit in units)
            lines.append(f"{self.say('ASSAULT')} {target} {self.say('WITH')} {ids} {self.say('LED BY')} {leader.id}")
        return lines

    def attacking(self) -> set[str]:
        """Divisions whose orders allow a shock now, and those without orders."""
        return {"", *(name for name, order in self.at.orders.items() if order in ATTACK)}

    def fire(self) -> list[str]:
        """Who neither assaults nor has moved fires at the strongest he can."""
        lines = []
        for ident, hexes in sorted(self.at.fire.items()):
            if ident not in self.done:
                target = max(hexes, key=lambda at: (self.at.against(at), at))
                lines.append(f"{self.say('FIRE')} {ident} {self.say('AT')} {target}")
        return lines

    def march(self, unit: Unit) -> list[str]:
        """Towards the aim of the division; who is next to the enemy stays, and commanders go where their men go."""
        mp = self.at.mp.get(unit.id, 0)
        if unit.id in self.done or unit.shaken or not mp:
            return []
        if unit.square:
            return [f"{self.say('FORM')} {unit.id} {self.say('FORMED')}"] if self.at.gap(unit.at) > 3 else []
        if unit.kind == "art" and self.at.gap(unit.at) in (2, 3):
            return [f"{self.say('UNLIMBER')} {unit.id}"]
        if self.at.gap(unit.at) == 1 and unit.kind != "cmd":
            return []
        to = self.with_men(unit) if unit.kind == "cmd" else self.best(unit, mp)
        if not to or to == unit.at:
            return []
        self.done.add(unit.id)
        self.where[unit.id] = to
        face = f" {self.say('FACE')} {self.front(to)}" if self.faces(unit, to, mp) else ""
        return [f"{self.say('MOVE')} {unit.id} {self.say('TO')} {to}{face}"]

    def faces(self, unit: Unit, to: str, mp: int) -> bool:
        """Whether there is an enemy to face, and an MP to spare for it."""
        return unit.kind == "inf" and self.at.gap(to) <= 3 and self.costs(unit, mp).get(to, mp) < mp

    def front(self, at: str) -> str:
        foe = min((u for u in self.at.theirs.values() if u.pf), key=lambda u: (distance(at, u.at), u.id))
        return bearing(at, foe.at)

    def best(self, unit: Unit, mp: int) -> str:
        """The hex in reach that is nearest to the aim; not next to more than one's equals, guns not next to anybody."""
        aim = self.aim(unit)
        reach = self.costs(unit, mp - (unit.kind == "art"))
        found = [
            (distance(at, aim), -self.beside(at), at) for at in reach if self.room(unit, at) and self.safe(unit, at)
        ]
        here = (distance(unit.at, aim), -self.beside(unit.at), unit.at)
        return min([here, *found])[2] if found else ""

    def aim(self, unit: Unit) -> str:
        """The hex that a unit wants to be at: its division's, else that of the nearest enemy."""
        aims = self.plan.aims
        foes = [foe.at for foe in self.at.theirs.values() if foe.pf]
        nearest = min(foes, key=lambda at: (distance(unit.at, at), at), default=unit.at)
        return aims.get(unit.division, aims.get("", nearest))

    def beside(self, at: str) -> int:
        """PF of friends next to a hex."""
        return sum(u.pf for u in self.at.mine.values() if distance(self.where[u.id], at) == 1)

    def safe(self, unit: Unit, at: str) -> bool:
        near = sum(foe.pf for foe in self.at.theirs.values() if distance(foe.at, at) == 1)
        return not near or (unit.kind == "inf" and near <= 2 * (unit.pf + self.beside(at)))

    def room(self, unit: Unit, at: str) -> bool:
        here = [u for u in self.at.mine.values() if self.where[u.id] == at and u.id != unit.id and u.kind != "cmd"]
        if unit.kind != "inf" or self.at.signs.get(at) not in (".", "b"):
            return not here
        return sum(u.pf for u in here) + unit.pf <= MOST and all(u.kind == "inf" for u in here)

    def costs(self, unit: Unit, mp: int) -> dict[str, int]:
        """The hexes in reach and their MP as far as the map tells; next to the enemy every way ends."""
        held = {foe.at for foe in self.at.theirs.values()}
        costs, waiting = {unit.at: 0}, [(0, unit.at)]
        while waiting:
            cost, here = heapq.heappop(waiting)
            if cost > costs[here] or (self.at.gap(here) == 1 and here != unit.at):
                continue
            for near in neighbours(here):
                sign = self.at.signs.get(near, "")
                step = COSTS.get(sign, 99)
                step += self.plan.sides.get(" ".join(sorted((here, near))), 0) * (1 if unit.kind == "inf" else 99)
                step += max(0, self.at.levels.get(near, 0) - self.at.levels.get(here, 0))
                step += 2 * (unit.kind == "cav") * (sign == "w")
                if cost + step <= mp and cost + step < costs.get(near, 99) and near not in held:
                    costs[near] = cost + step
                    heapq.heappush(waiting, (cost + step, near))
        return {at: cost for at, cost in costs.items() if at != unit.at}

    def with_men(self, chief: Unit) -> str:
        """A commander goes to the strongest of his division who is near, the others to the nearest troops."""
        men = [u for u in self.at.mine.values() if u.pf and (not chief.division or u.division == chief.division)]
        near = [u for u in men if distance(chief.at, self.where[u.id]) <= 2 and self.at.gap(self.where[u.id]) > 1]
        best = max(near, key=lambda u: (u.pf, u.id), default=None)
        return self.where[best.id] if best is not None else ""
