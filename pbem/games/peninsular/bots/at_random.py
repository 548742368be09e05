"""Give random legal orders, to test the rules and to practise against."""

from __future__ import annotations

from pbem.engine.bots import Luck, Pick
from pbem.engine.commanders.holding import other_owner
from pbem.engine.deployment import with_random_deployment
from pbem.engine.map.hexes import DIRECTIONS, distance
from pbem.games.peninsular.choices import possible_hexes, start_of_half
from pbem.games.peninsular.edition import alliance_of
from pbem.games.peninsular.orders import canon
from pbem.games.peninsular.sequence import DEPLOYMENT
from pbem.games.peninsular.state import State
from pbem.games.peninsular.terrain import nearest_enemy
from pbem.games.peninsular.units import Unit

STANDING = (
    "WHEN CHARGED THEN STAND",
    "WHEN ASSAULTED THEN FIRE NEAREST",
    "WHEN ASSAULTED IF ODDS AT LEAST 1:1 THEN FIRE HOLD ELSE FIRE ASSAULTERS LIMIT 2",
    "FIRE AT WILL",
    "RETREAT 2",
    "ADVANCE NO",
    "WHEN ASSAULTED THEN LED BY INF.WEAKEST",
)


def _wander(view: State, seat: str, pick: Pick) -> str:
    """Return legal orders for some counters, and sometimes standing orders."""
    luck = Luck(pick)
    side = view.edition.seats[seat]
    lines: list[str] = []
    if alliance_of(view.phase) == alliance_of(side):
        state = start_of_half(view, side)
        for name, division in sorted(state.divisions.items()):
            if (
                alliance_of(division.side) == alliance_of(side)
                and not other_owner(state, division.commander)
                and luck.chance(4)
            ):
                lines.append(f"ORDER {name} {luck.one(('ATTACK', 'MANOEUVRE', 'HOLD', 'REORGANISE'))}")
        own_units = [
            unit
            for _, unit in sorted(state.units.items())
            if unit.camp == alliance_of(side) and not other_owner(state, unit.id)
        ]
        for unit in luck.shuffle(own_units):
            lines += _orders(state, unit, luck)
    if luck.chance(3):
        rules = luck.some(STANDING)
        lines += ["STANDING FOR ALL", *(f"{n}. {rule}" for n, rule in enumerate(rules, start=1)), "ENDSTANDING"]
    return "\n".join(lines)


random_orders = with_random_deployment(DEPLOYMENT, canon, _wander)


# `luck.chance(n)` is one chance in `n`. The values are chosen so that every kind of order occurs in a short game.
def _orders(state: State, unit: Unit, luck: Luck) -> list[str]:
    lines = []
    if unit.kind == "art":
        verb = "UNLIMBER" if unit.limbered else "LIMBER"
        if luck.chance(3):
            return [f"{verb} {unit.id}"]
    if unit.kind in ("inf", "cav") and luck.chance(8):
        lines.append(f"FORM {unit.id} {luck.one(('FORMED', 'SKIRMISH', 'SQUARE'))}")
    for verb in luck.shuffle(("FIRE", "ASSAULT", "CHARGE")):
        hexes = possible_hexes(state, unit, verb)
        if hexes and luck.chance(2):
            hex_id = luck.one(hexes)
            lines.append(f"ASSAULT {hex_id} WITH {unit.id}" if verb == "ASSAULT" else f"{verb} {unit.id} AT {hex_id}")
            return lines
    hexes = possible_hexes(state, unit, "MOVE")
    if hexes and not luck.chance(3):
        destination = luck.one(hexes if luck.chance(3) else _forward(state, unit, hexes))
        face = f" FACE {luck.one(DIRECTIONS)}" if luck.chance(5) else ""
        lines.append(f"MOVE {unit.id} TO {destination}{face}")
        foe = nearest_enemy(state, destination, unit.side)
        if (
            unit.kind in ("inf", "cav")
            and foe is not None
            and distance(destination, foe.at) == 1
            and not luck.chance(4)
        ):
            charge = unit.kind == "cav"
            lines.append(f"CHARGE {unit.id} AT {foe.at}" if charge else f"ASSAULT {foe.at} WITH {unit.id}")
    elif unit.faces and luck.chance(4):
        lines.append(f"FACE {unit.id} {luck.one(DIRECTIONS)}")
    return lines


def _forward(state: State, unit: Unit, hexes: tuple[str, ...]) -> tuple[str, ...]:
    """Return the hexes nearest to the enemy."""
    foes = sorted({foe.at for foe in state.units.values() if foe.camp != unit.camp and foe.is_combat})
    ranked_hexes = sorted(hexes, key=lambda hex_id: (min((distance(hex_id, foe) for foe in foes), default=0), hex_id))
    # An eighth of them, at least one: a choice, so that its moves go forward and still differ.
    return tuple(ranked_hexes[: max(1, len(ranked_hexes) // 8)])
