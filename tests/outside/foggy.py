"""What the stranger adds to his game: bands out of sight are hidden, rules have cases, and a player wanders about."""

from __future__ import annotations

from pathlib import Path

from tests.outside.stranger import change

FOG = """
def sight(state: State, seat: str) -> set[str]:
    own = set(state.own(seat).values())
    return own.union(*(state.edition.map.neighbours(at) for at in own))


def wander(view: State, seat: str, pick: Any) -> str:
    own = view.own(seat)
    near = [(band, to) for band, at in own.items() for to in view.edition.map.neighbours(at) if to not in own.values()]
    return MARCH.write(March(0, *near[pick(len(near))])) if near and view.phase == seat else ""


class Tried(Cased):
    def state(self, file: Any, case: Any) -> State:
        return start(read_edition("dusk", {}, {})).change(phase=case["phase"], places=case["bands"], turn=case["turn"])

    def world(self, state: State, orders: Any, phase: str) -> World[Any]:
        return GAME.world(state, orders)

    def holds(self, phrase: str, state: State) -> bool:
        band, at = phrase.split(" at ")
        return state.places[band] == at

    def lookup(self, phrase: str) -> bool:
        return looked_up(SHELF, phrase)

    def coins(self, what: str) -> bool:
        return False


class Beacon(Standard):
    bots, cased = {"random": wander}, Tried()
"""
HEAD = "    def view(self, state: State, seat: str) -> State:\n"
VIEW = """        return state
"""
HIDDEN = """        seen = sight(state, seat)
        return state.change(places={band: at if at in seen else "" for band, at in state.places.items()})
"""
SEE = """        if "by" not in happened.data or"""
UNSEEN = """        if happened.kind == "moved" and BANDS[happened.data["band"]] != seat:
            if happened.data["to"] not in sight(before, seat):
                return None
        if "by" not in happened.data or"""
CASES = """
lookup = ["B5 die 3 column fate = stays", "B5 die 4 column fate = leaves"]

[[case]]
title = "B2 a band marches to a place next to its own"
phase = "north"
turn = 1
bands = { Owl = "Mill", Fox = "Wood", Gull = "Quay", Seal = "Dune" }
orders.north = "MARCH Owl TO Hill"
expect = ["Owl at Hill", "cited B2"]

[[case]]
title = "B4 who yields goes to the first free place"
phase = "north"
turn = 1
bands = { Owl = "Mill", Fox = "Wood", Gull = "Hill", Seal = "Dune" }
orders.north = "MARCH Owl TO Hill"
orders.south = '''
STANDING FOR ALL
1. WHEN ATTACKED THEN YIELD
ENDSTANDING
'''
expect = ["Owl at Hill", "Gull at Quay", "cited B4"]

[[case]]
title = "B1 after the last turn the game is over"
phase = "south"
turn = 3
bands = { Owl = "Hill", Fox = "Wood", Gull = "Quay", Seal = "Dune" }
orders.south = "PASS"
expect = ["Owl at Hill", "cited B1"]
"""
PROOF = """
import random
from pathlib import Path

import pytest

from lantern_game.game import BANDS, GAME, SHELF, WORDS, sight
from pbem.kit.testing import Proof, checks, laws


def twin(state, seat, luck):
    seen = sight(state, seat)
    hidden = [band for band, at in state.places.items() if at and at not in seen]
    empty = sorted(set(state.edition.map.spaces) - seen - set(state.places.values()))
    luck.shuffle(empty)
    moved = dict(zip(hidden, empty))
    return state.change(places={**state.places, **moved}) if moved else None


def wider(before, after, seat):
    return not sight(after, seat) <= sight(before, seat)


CASES = Path(__file__).parent / "cases"
PROOF = Proof(laws(GAME, WORDS, SHELF), "lantern_game:GAME", SHELF, CASES, twin, wider)


@pytest.mark.parametrize("check", checks(PROOF), ids=str)
def test_lantern(check):
    check()
"""


def hide(folder: Path) -> None:
    """Hide in the stranger's game what is out of sight, and lay his cases and his test beside it."""
    head, members = FOG.split("class Beacon(Standard):\n")
    change(folder, "class Beacon(Standard):\n", f"{head.lstrip()}class Beacon(Standard):\n{members}")
    change(folder, HEAD + VIEW, HEAD + HIDDEN)
    change(folder, SEE, UNSEEN)
    change(
        folder,
        "from pbem.kit.answers",
        "from pbem.core.parts import Cased\nfrom pbem.kit.cases import looked_up\nfrom pbem.kit.answers",
    )
    (folder.parent / "cases").mkdir()
    (folder.parent / "cases" / "all.toml").write_text(CASES, "utf-8")
    (folder.parent / "test_lantern.py").write_text(PROOF, "utf-8")
