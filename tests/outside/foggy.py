"""What the stranger adds to his game: bands out of sight are hidden, rules have cases, and a player wanders about."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.outside.stranger import TEMPLATE, change

FOG = """
def sight(state: State, seat: str) -> set[str]:
    own = set(state.own(seat).values())
    return own.union(*(state.edition.map.neighbours(at) for at in own))


def wander(view: State, seat: str, pick: Any) -> str:
    own = view.own(seat)
    near = [(band, to) for band, at in own.items() for to in view.edition.map.neighbours(at) if to not in own.values()]
    return MARCH.write(March(0, *near[pick(len(near))])) if near and view.phase == seat else ""


def view(state: State, seat: str) -> State:
    seen = sight(state, seat)
    return state.change(places={band: at if at in seen else "" for band, at in state.places.items()})


"""
VIEW = "    view=lambda state, seat: state,\n"
HIDDEN = """    view=view,
    bots={"random": wander},
"""
SEE = """    if "by" not in happened.data or"""
UNSEEN = """    if happened.kind == "moved" and BANDS[happened.data["band"]] != seat:
        if happened.data["to"] not in sight(before, seat):
            return None
    if "by" not in happened.data or"""
PROOF = """
import random
from pathlib import Path

import pytest

from lantern_game.game import BANDS, GAME, SHELF, WORDS, sight
from pbem.engine.testing import Proof, checks, laws


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
    change(folder, "GAME: Game[State, Edition]", f"{FOG.lstrip()}GAME: Game[State, Edition]")
    change(folder, VIEW, HIDDEN)
    change(folder, SEE, UNSEEN)
    shutil.copytree(TEMPLATE / "tests" / "cases", folder.parent / "cases")
    (folder.parent / "test_lantern.py").write_text(PROOF, "utf-8")
