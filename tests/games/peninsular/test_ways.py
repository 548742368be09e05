"""S4a MOVE TO against every path there is: what somebody can go by some path he can go by naming its end alone."""

import random
from collections.abc import Iterator

import pytest

from pbem.engine.map.hexes import DIRECTIONS, neighbours
from pbem.games.peninsular.edition import GAME_FILES, Edition
from pbem.games.peninsular.hexmap import TERRAINS, make_open_ground
from pbem.games.peninsular.movement import LegalMove, find_move
from pbem.games.peninsular.orders import Move
from pbem.games.peninsular.paths import PathCost, path_cost
from pbem.games.peninsular.state import State
from pbem.games.peninsular.units import Division, Unit, read_unit

CHARTS = GAME_FILES.charts({})
SIZE = 4
"""Columns and rows of the map."""
START = "0202"
HEXES = [f"{column:02}{row:02}" for column in range(1, SIZE + 1) for row in range(1, SIZE + 1)]
PAIRS = [(a, b) for a in HEXES for b in neighbours(a) if b in HEXES and a < b]
SIDES = ("road", "road", "bridge", "stream", "ravine", "slope", "river", "ford")
ARMS = (
    "british inf I pf 3 will B division Dilkes facing {facing} at 0202",
    "british inf L pf 2 will B division Dilkes formation skirmish facing {facing} at 0202",
    "british cav C pf 3 will B division Dilkes facing {facing} at 0202",
    "british art G pf 1 fire 4 division Dilkes limbered facing {facing} at 0202",
    "british art H pf 1 fire 4 size horse division Other limbered facing {facing} at 0202",
    "british inf D pf 3 will B state D division Dilkes facing {facing} at 0202",
    "british cmd M morale 1 shock 1 range 3 division Dilkes at 0202",
)
FOES = ("french inf F pf 3 will C facing {facing} at {at}", "french cmd V morale 1 shock 1 range 3 at {at}")


def position(luck: random.Random) -> State:
    """Some counters of any arms in one hex of a small map, perhaps under a Manoeuvre order, and an enemy somewhere."""
    kinds = {hex_id: luck.choice(TERRAINS) for hex_id in HEXES if hex_id != START and luck.random() < 0.4}
    sides = {pair: luck.choice(SIDES) for pair in PAIRS if luck.random() < 0.35}
    lines = [f"{hex_id} {kind}" for hex_id, kind in kinds.items()] + [
        f"{a}-{b} {side}" for (a, b), side in sides.items()
    ]
    facing, used = luck.choice(DIRECTIONS), luck.choice((0, 0, 1))
    texts = [text.format(facing=facing) for text in luck.sample(ARMS, luck.choice((1, 2, 2, 3)))]
    ours = [read_unit(text).but(used=used) for text in texts]
    foe = read_unit(luck.choice(FOES).format(facing=luck.choice(DIRECTIONS), at=luck.choice(HEXES[8:])))
    order = luck.choice(("", "MANOEUVRE"))
    divisions = {"Dilkes": Division("Dilkes", "british", order=order), "Other": Division("Other", "british")}
    edition = Edition(make_open_ground(lines, SIZE, SIZE), CHARTS)
    return State(edition, 1, "british", {unit.id: unit for unit in (*ours, foe)}, divisions=divisions)


def ways_of(state: State, units: list[Unit]) -> Iterator[tuple[str, ...]]:
    """Every path without a hex twice that the counters can pay, each asked for as it is written."""
    waiting: list[tuple[str, ...]] = [()]
    while waiting:
        way = waiting.pop()
        for near in neighbours((START, *way)[-1]):
            longer = (*way, near)
            if near in HEXES and near not in (START, *way) and isinstance(path_cost(state, units, longer), PathCost):
                waiting.append(longer)
                yield longer


@pytest.mark.parametrize("seed", range(12))
def test_the_end_of_a_way_is_enough_wherever_there_is_a_way_that_all_can_pay(seed):
    luck = random.Random(seed)
    for _ in range(12):
        state = position(luck)
        units = [unit for unit in state.units.values() if unit.side == "british"]
        face, form = luck.choice(("", *DIRECTIONS)), luck.choice(("", "", "", "SKIRMISH"))
        order = Move(0, tuple(unit.id for unit in units), face=face, form=form)
        sums: dict[str, dict[tuple[str, ...], int]] = {}
        for way in ways_of(state, units):
            refusal = find_move(state, order._replace(path=way))
            if isinstance(refusal, LegalMove):
                sums.setdefault(way[-1], {})[way] = sum(refusal.walked.costs.values())
        for to in set(HEXES) - {START}:
            refusal = find_move(state, order._replace(to=to))
            assert isinstance(refusal, LegalMove) is (to in sums), f"{to} by {sums.get(to)}: {refusal}"
            if isinstance(refusal, LegalMove) and not refusal.walked.bonus:
                assert sums[to][refusal.path] == min(sums[to].values()), f"{to} by {sums[to]}: {refusal.path}"
            elif isinstance(refusal, LegalMove):
                assert refusal.path in sums[to]
