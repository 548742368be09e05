"""What a player of the demo has in his head: he reads letters as text, and says what his forces shall do.

The demo's player (`pbem/cli/demo/player.py`) hands whole letters over and mails what comes back. A letter holds nearly
all that is used here: the forces of both sides, and the order form with each space that can be activated, who stands
there, where they may go and whom they may attack. The rest anybody knows who has the map on his table: where
he wants to go, and which ways are footpaths (`battles.toml`). Of a battle that stands not there he goes by what letters
have shown him: towards the enemy.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

MINE = re.compile(r"Your forces|Sus fuerzas")
THEIRS = re.compile(r"The enemy|El enemigo")
PLACE = re.compile(r"  (\w+) \((.+)\)")
UNIT = re.compile(
    r" {4}(\S+) (IR|NZ|IL|CAB|ART|CNV) (?:fire|fuego) (\d+) (?:assault|asalto) (\d+) (?:morale|moral) \d+, (\d+)/"
)
LEADER = re.compile(r" {4}(\S+) (?:leader|líder) (\d+)/\d+")
SHAKEN = re.compile(r"\b(?:demoralised|desmoralizada)\b")
SPENT = re.compile(r"\b(?:activated|activada)\b")
ACTIVATE = re.compile(r"(?:# )?(?:ACTIVATE|ACTIVAR) (\w+)")
MOVE = re.compile(r"# (?:MOVE|MOVER) (.+) (?:TO|A) (.+)")
FIRE = re.compile(r"# (?:FIRE|FUEGO|CARACOLE|CARACOLA) (.+) (?:AT|A) (.+)")
ASSAULT = re.compile(r"# (?:ASSAULT|ASALTAR) (\w+) (?:WITH|CON) (.+)")
CHARGE = re.compile(r"# (?:CHARGE|CARGAR) (.+?) (?:AT|A) (\w+)")
NAMES = re.compile(r", |\+| (?:WITH|CON|LED BY|AL MANDO DE|SUPPORT|APOYO) ")
RETIRE = re.compile(r"# (?:RETIRE|REPLEGAR) (\S+)")
NO_LEADER = re.compile(r"LED BY|AL MANDO DE")

FOOT = frozenset({"IR", "NZ", "IL"})
LIGHT = frozenset({"IL", "CAB"})
OPEN = frozenset({"clear", "beach", "despejado", "playa"})
MOST_UNITS, MOST_GUNS = 8, 4
BOLDNESS: Mapping[str, float] = {"spain": 1.1, "morocco": 1.0}
"""How many steps of infantry for each of the enemy's make an assault worth while."""

SPANISH: Mapping[str, str] = {
    "ACTIVATE": "ACTIVAR",
    "MOVE": "MOVER",
    "FIRE": "FUEGO",
    "ASSAULT": "ASALTAR",
    "CHARGE": "CARGAR",
    "CARACOLE": "CARACOLA",
    "RETIRE": "REPLEGAR",
    "PASS": "PASAR",
    "WITH": "CON",
    "TO": "A",
    "AT": "A",
    "LED BY": "AL MANDO DE",
    "VANGUARD": "VANGUARDIA",
    "SCREEN": "CORTINA",
    "LOSSES": "BAJAS",
    "SUPPORT": "APOYO",
    "IF SPACE": "SI ESPACIO",
    "ENEMY": "ENEMIGO",
    "ENDIF": "FINSI",
}

STANDING: Mapping[str, tuple[str, ...]] = {
    "spain": (
        "DOCTRINA",
        "1. CUANDO ASALTADO SI PROPORCION AL MENOS 2:1 ENTONCES VANGUARDIA INF.MASFRESCA ; CABALLERIA PERMANECER",
        "2. CUANDO ASALTADO ENTONCES VANGUARDIA INF.MASFUERTE ; CORTINA LIGERA.MASFRESCA ; CABALLERIA CONTRACARGA",
        "3. CUANDO APROXIMADO SI ENEMIGO INF 0 ENTONCES APROXIMACION CARGAR LIMITE 3",
        "FINDOCTRINA",
    ),
    "morocco": (
        "STANDING FOR ALL",
        "1. WHEN ASSAULTED IF ODDS AT LEAST 2:1 THEN VANGUARD INF.WEAKEST ; SCREEN NONE ; CAVALRY CARACOLE SHELTER",
        "2. WHEN ASSAULTED THEN VANGUARD INF.STRONGEST ; SCREEN LIGHT.FRESHEST ; CAVALRY COUNTERCHARGE",
        "3. WHEN APPROACHED IF ENEMY STEPS AT MOST 4 THEN APPROACH CHARGE LIMIT 4 ELSE APPROACH CARACOLE",
        "ENDSTANDING",
    ),
}


class Unit(NamedTuple):
    """A line of the forces; a leader is of the type OF and has no steps."""

    id: str
    code: str
    fire: int
    assault: int
    steps: int
    shaken: bool = False
    spent: bool = False


class Letter(NamedTuple):
    """What a report holds: units by space, the ground of each; of the order form where each unit may go, who can act in
    a space, whom they could shoot or assault from there, whom they could charge, and stragglers."""

    mine: Mapping[str, list[Unit]]
    theirs: Mapping[str, list[Unit]]
    ground: Mapping[str, str]
    reach: Mapping[str, set[str]]
    able: Mapping[str, set[str]]
    enemies: Mapping[str, set[str]]
    charges: Mapping[str, set[str]]
    stragglers: tuple[str, ...]

    def enemy_steps(self, space: str) -> int:
        """Steps of the enemy's infantry and cavalry in a space."""
        return sum(unit.steps for unit in self.theirs.get(space, ()) if unit.code in FOOT | {"CAB"})


def read(text: str) -> Letter:
    """Read a report; what does not stand in it is empty."""
    forces: tuple[dict[str, list[Unit]], dict[str, list[Unit]]] = ({}, {})
    ground: dict[str, str] = {}
    side, space = None, ""
    for line in re.sub(r"\n {8,}", " ", text).splitlines():
        place = PLACE.fullmatch(line)
        unit = UNIT.match(line) or LEADER.match(line)
        if not line.startswith(" "):
            side = forces[0] if MINE.fullmatch(line) else forces[1] if THEIRS.fullmatch(line) else None
        elif side is not None and place:
            space = place[1]
            side[space], ground[space] = [], place[2]
        elif side is not None and unit:
            code, fire, assault, steps = unit.groups()[1:] if unit.re is UNIT else ("OF", "0", unit[2], "0")
            marks = (SHAKEN.search(line) is not None, SPENT.search(line) is not None)
            side[space].append(Unit(unit[1], code, int(fire), int(assault), int(steps), *marks))
    reach, able, enemies, charges, stragglers = _form(text)
    return Letter(*forces, ground, reach, able, enemies, charges, stragglers)


Sets = dict[str, set[str]]


def _form(text: str) -> tuple[Sets, Sets, Sets, Sets, tuple[str, ...]]:
    """The order form: where each unit may go; by space who can act there, whom they could fight next to it, and whom
    they could charge; units that can only retire."""
    reach: Sets = {}
    able: Sets = {}
    enemies: Sets = {}
    charges: Sets = {}
    stragglers, space = [], ""
    for line in re.sub(r"\n#     ", " ", text).splitlines():
        order = line.partition("  # ")[0]
        if begun := ACTIVATE.fullmatch(order):
            space = begun[1]
            able[space], enemies[space], charges[space] = set(), set(), set()
        elif retire := RETIRE.match(order):
            stragglers.append(retire[1])
        elif move := MOVE.fullmatch(order):
            for unit in NAMES.split(move[1]):
                able[space].add(unit)
                reach.setdefault(unit, set()).update(move[2].split(" | "))
        elif shot := FIRE.fullmatch(order):
            able[space].update(NAMES.split(shot[1]))
            enemies[space].update(shot[2].split(" | "))
        elif fight := ASSAULT.fullmatch(order):
            able[space].update(NAMES.split(fight[2]))
            enemies[space].add(fight[1])
        elif charge := CHARGE.match(order):
            able[space].update(NAMES.split(charge[1]))
            charges[space].add(charge[2])
    return reach, able, enemies, charges, tuple(stragglers)


class Plan:
    """A player's plan for the whole game."""

    def __init__(self, seat: str, language: str, knows: Mapping[str, Any]) -> None:
        self.seat = seat
        self.language = language
        self.known: Mapping[str, int] = knows.get("aims", {}).get(seat, {})
        self.footpaths = frozenset(knows.get("footpaths", ()))
        self.prizes = frozenset(knows.get("prizes", ()))
        self.ways: Sets = {}
        self.aims = self.known
        self.last = read("")

    def standing(self) -> tuple[str, ...]:
        """The standing orders for the whole game."""
        return STANDING[self.seat]

    def orders(self, text: str) -> list[str]:
        """The lines of orders that answer a report: what is nearest to the aim moves first and makes room."""
        self.last = at = read(text)
        self.aims = self.known or self._towards_the_enemy(at)
        lines = [f"{self.say('RETIRE')} {unit}" for unit in at.stragglers]
        turn = _Turn(
            Counter({space: sum(u.code in FOOT | {"CAB"} for u in units) for space, units in at.mine.items()}),
            Counter({space: sum(u.code == "ART" for u in units) for space, units in at.mine.items()}),
            set(),
        )
        for space in sorted(at.able, key=lambda space: (-self.aims.get(space, 0), space)):
            lines += _Space(self, at, space, turn).lines()
        return lines or [self.say("PASS")]

    def _towards_the_enemy(self, at: Letter) -> dict[str, int]:
        """The nearer the enemy by the ways that letters have shown so far the better; where nobody has been, he may be
        three ways off."""
        stands = {unit.id: space for space, units in at.mine.items() for unit in units}
        shown = [(stands[unit], way) for unit, ways in at.reach.items() if unit in stands for way in ways]
        shown += [(space, foe) for space, foes in at.enemies.items() for foe in foes]
        for one, other in shown:
            self.ways.setdefault(one, set()).add(other)
        ends = {way for ways in self.ways.values() for way in ways}
        gaps = {**dict.fromkeys(ends - self.ways.keys(), 3), **dict.fromkeys(filter(at.enemy_steps, at.theirs), 0)}
        for _ in self.ways:
            for one, ways in self.ways.items():
                gaps[one] = min(gaps.get(one, 99), 1 + min(gaps.get(way, 99) for way in ways))
        return {space: 100 - gap for space, gap in gaps.items()}

    def early(self) -> list[str]:
        """Orders for a phase that is not ours, from memory: some unit moves where it could have moved last time."""
        for space, able in sorted(self.last.able.items()):
            for unit in sorted(able & self.last.reach.keys()):
                way = min(self.last.reach[unit])
                return [f"{self.say('ACTIVATE')} {space}", f"{self.say('MOVE')} {unit} {self.say('TO')} {way}"]
        return [self.say("PASS")]

    def slip(self, kind: str, block: Sequence[str]) -> list[str] | None:
        """The block with a mistake of that kind in it; None if it has no place for one."""
        lines = list(block)
        for number, line in enumerate(lines[1:-1], 1):
            if line.startswith("#"):
                continue
            if kind == "two readings" and (found := self._two_readings(line)):
                lines[number] = found
            elif kind == "no leader" and (led := re.search(r" LED BY \S+", line)):
                lines[number] = line.replace(led[0], "")
            elif kind == "misspelt order" and line.startswith("MOVE "):
                lines[number] = line.replace("MOVE", "MOEV", 1)
            else:
                continue
            return lines
        return None

    def _two_readings(self, line: str) -> str | None:
        """A line in which a unit is written so that it can be another one as well."""
        own = sorted(unit.id for units in self.last.mine.values() for unit in units)
        for unit in own:
            shared = max((_shared(unit, other) for other in own if other != unit), key=len, default="")
            if len(shared) > 3 and shared not in own and re.search(rf"\b{unit}\b", line):
                return re.sub(rf"\b{unit}\b", shared, line, count=1)
        return None

    def mended(self, block: Sequence[str], number: int, word: str, why: str, readings: Sequence[str]) -> str | None:
        """A wrong line of the corrected block, mended by what the answer says of it; None leaves it out."""
        line = block[number].removeprefix("# ")
        space = next((found[1] for one in reversed(block[:number]) if (found := ACTIVATE.fullmatch(one))), "")
        here = self.last.able.get(space, set())
        if meant := [reading for reading in readings if reading in here]:
            return re.sub(rf"\b{re.escape(word)}\b", meant[0], line, count=1)
        leaders = [unit for unit in self.last.mine.get(space, ()) if unit.code == "OF"]
        if NO_LEADER.search(why) and leaders:
            return f"{line} {self.say('LED BY')} {_best(leaders).id}"
        return None

    def say(self, words: str) -> str:
        """The words of an order in the player's language."""
        return SPANISH[words] if self.language == "es" else words


class _Turn(NamedTuple):
    """The books of a turn's orders: units and guns by space after them, and the spaces that will be assaulted."""

    room: Counter[str]
    guns: Counter[str]
    attacked: set[str]


class _Space:
    """The orders of one space."""

    def __init__(self, plan: Plan, at: Letter, space: str, turn: _Turn) -> None:
        self.plan, self.at, self.space = plan, at, space
        self.room, self.guns, self.attacked = turn
        self.say = plan.say
        able = [unit for unit in at.mine.get(space, ()) if unit.id in at.able[space]]
        # Who was activated by a reaction may still move, but not fight.
        fresh = [unit for unit in able if not unit.spent]
        self.spent = [unit for unit in able if unit.spent and unit.code in FOOT | {"CAB"}]
        self.leaders = [unit for unit in fresh if unit.code == "OF"]
        self.foot = [unit for unit in fresh if unit.code in FOOT]
        self.horse = [unit for unit in fresh if unit.code == "CAB"]
        self.battery = [unit for unit in fresh if unit.code == "ART"]
        self.enemies = sorted(at.enemies[space])
        self.charges = sorted(at.charges[space])
        self.free = sorted({way for unit in able for way in at.reach.get(unit.id, ())})

    def lines(self) -> list[str]:
        """What is done here, in its order: guns, horse, assault; who did nothing moves up."""
        told = [*self.attack(), *self.move_up()]
        return [f"{self.say('ACTIVATE')} {self.space}", *told] if told else []

    def attack(self) -> list[str]:
        """Fire, charge or caracole, assault; whoever acts is taken from the lists."""
        if not self.enemies:
            return self.ride(assault=False)
        target = min(self.enemies, key=lambda space: (-self.plan.aims.get(space, -1), self.at.enemy_steps(space)))
        assault = self.assault(target)
        fire = []
        if self.battery:
            fire.append(f"{self.say('FIRE')} {'+'.join(_ids(self.battery))} {self.say('AT')} {target}")
            self.battery = []
        return [*self.unless_done(target, fire), *self.ride(bool(assault)), *self.unless_done(target, assault)]

    def unless_done(self, target: str, lines: list[str]) -> list[str]:
        """The lines; if others go for the same space before, only in case the enemy still holds it then."""
        if not lines or target not in self.attacked:
            self.attacked |= {target} if any(line.startswith(self.say("ASSAULT")) for line in lines) else set()
            return lines
        return [f"{self.say('IF SPACE')} {target} {self.say('ENEMY')}", *lines, self.say("ENDIF")]

    def assault(self, target: str) -> list[str]:
        """The foot goes in under its best leader if it is strong enough; a prize is not left empty for it."""
        stack = self.foot
        if self.space in self.plan.aims and self.space in self.plan.prizes:
            stack = sorted(stack, key=lambda unit: -unit.steps)[: max(1, len(stack) - 1)]
        against = self.at.enemy_steps(target)
        if not self.leaders or not stack or sum(u.steps for u in stack) < against * BOLDNESS[self.plan.seat]:
            return []
        leader, vanguard = _best(self.leaders), _best(stack)
        screens = [unit for unit in stack if unit.code in LIGHT and unit != vanguard]
        clauses = [self.say("ASSAULT"), target, self.say("WITH"), ", ".join(_ids(stack))]
        clauses += [self.say("LED BY"), leader.id, self.say("VANGUARD"), vanguard.id]
        if screens:
            clauses += [self.say("SCREEN"), max(screens, key=lambda unit: (unit.fire, unit.steps)).id]
        if len(stack) > 1:
            clauses += [self.say("LOSSES"), ", ".join(_ids(sorted(stack, key=lambda unit: unit.assault)))]
        self.foot = [unit for unit in self.foot if unit not in stack]
        self.leaders.remove(leader)
        return [" ".join(clauses)]

    def ride(self, assault: bool) -> list[str]:
        """The horse charges what is weak on open ground; else it rides by, if friends stay to come back to."""
        if not self.horse:
            return []
        steps = sum(unit.steps for unit in self.horse)
        weak = [s for s in self.charges if self.at.ground.get(s) in OPEN and self.at.enemy_steps(s) <= steps]
        riders = ", ".join(_ids(self.horse))
        stay = len(self.foot) + len(self.leaders) + len(self.battery) > 1
        if weak:
            verb, target = "CHARGE", weak[0]
        elif stay and not assault and self.enemies:
            verb, target = "CARACOLE", self.enemies[0]
        else:
            return []
        self.horse = []
        return self.unless_done(target, [f"{self.say(verb)} {riders} {self.say('AT')} {target}"])

    def move_up(self) -> list[str]:
        """Who has done nothing goes where the side wants to be, as far as there is room; a prize keeps a guard."""
        going = [*self.foot, *self.horse, *self.spent]
        if self.space in self.plan.prizes and self.space in self.plan.aims:
            going = sorted(going, key=lambda unit: -unit.steps)[: max(0, len(going) - 1)]
        if self.enemies and sum(unit.steps for unit in going) < 4:
            going = []
        now = self.plan.aims.get(self.space, 0)
        better = [way for way in self.free if self.plan.aims.get(way, -1) > now]
        for way in sorted(better, key=lambda way: -self.plan.aims[way]):
            fit = self.who_may(going, way)[: max(0, MOST_UNITS - self.room[way])]
            walk = " ".join(sorted((self.space, way))) not in self.plan.footpaths
            pull = (
                self.who_may(self.battery, way)[: max(0, MOST_GUNS - self.guns[way])]
                if walk and (fit or self.room[way])
                else []
            )
            lead = self.who_may(self.leaders, way) if fit or self.at.mine.get(way) else []
            if fit or pull or lead:
                return [self.moved(way, fit, pull, lead)]
        return []

    def who_may(self, units: Sequence[Unit], way: str) -> list[Unit]:
        """Those of some units that the form lets go there."""
        return [unit for unit in units if way in self.at.reach.get(unit.id, ())]

    def moved(self, way: str, fit: Sequence[Unit], pull: Sequence[Unit], lead: Sequence[Unit]) -> str:
        """The order to move, and the books brought up to date."""
        self.room[self.space] -= len(fit)
        self.room[way] += len(fit)
        self.guns[self.space] -= len(pull)
        self.guns[way] += len(pull)
        group, leaders = ", ".join(_ids([*fit, *pull])), ", ".join(_ids(lead))
        who = f" {self.say('WITH')} ".join(part for part in (group, leaders) if part)
        return f"{self.say('MOVE')} {who} {self.say('TO')} {way}"


def _ids(units: Iterable[Unit]) -> list[str]:
    return [unit.id for unit in units]


def _shared(one: str, other: str) -> str:
    """The letters that two names begin with."""
    same = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return one[:same]


def _best(units: Sequence[Unit]) -> Unit:
    return max(units, key=lambda unit: (unit.assault, unit.steps))
