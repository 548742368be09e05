"""What conditions come to, on a little position: rafts of two colours on a river in fog."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import pytest

from pbem.engine.data.events import event
from pbem.engine.orders.conditions import Conditions, Scene
from pbem.engine.orders.standing import If, Stop
from pbem.engine.run.steps import Did


class Raft(NamedTuple):
    id: str
    side: str
    at: str
    crew: int = 2
    wet: bool = False


class River(NamedTuple):
    turn: int
    units: Mapping[str, Raft]
    fog: tuple[str, ...] = ()

    def holder(self, place: str) -> str:
        return next((raft.side for raft in self.units.values() if raft.at == place), "")


class Asked(Conditions[River, Raft]):
    measure = "CREW"
    counts = {"CREW": lambda raft: raft.crew, "RAFTS": lambda raft: 1}  # noqa: RUF012

    def seen(self, state: River, side: str) -> River:
        units = {i: unit for i, unit in state.units.items() if unit.side == side or unit.at not in state.fog}
        return state._replace(units=units)

    def sides(self, state: River, side: str) -> tuple[tuple[Raft, ...], tuple[Raft, ...]]:
        rafts = state.units.values()
        return tuple(r for r in rafts if r.side == side), tuple(r for r in rafts if r.side != side)

    def fits(self, unit: Raft, how: str) -> bool:
        return unit.wet if how == "WET" else not unit.wet

    def points(self, state: River, side: str) -> int:
        return {"red": 3, "blue": -1}[side]


RAFTS = (Raft("Ash", "red", "Ford"), Raft("Elm", "red", "Weir", 1, wet=True), Raft("Yew", "blue", "Mill", 4))
RIVER = River(5, {raft.id: raft for raft in RAFTS})
HERE = Scene("Ford", RAFTS[:1], RAFTS[2:], "Mill")
YES, NO = ("turn", "EXACTLY", 5), ("turn", "EXACTLY", 6)


@pytest.mark.parametrize(
    ("condition", "true"),
    [
        ((), True),
        (YES, True),
        (("not", YES), False),
        (("and", YES, NO), False),
        (("and", NO, YES), False),
        (("or", YES, NO), True),
        (("or", NO, YES), True),
        (("vp", "AT LEAST", 3), True),
        (("vp", "MORE THAN", 3), False),
        (("space", "Ford", "MINE"), True),
        (("space", "Mill", "ENEMY"), True),
        (("space", "Isle", "EMPTY"), True),
        (("count", "MY", "RAFTS", "EXACTLY", 2), True),
        (("count", "ENEMY", "CREW", "EXACTLY", 4), True),
        (("odds", "AT LEAST", 4, 3), True),
        (("odds", "AT LEAST", 3, 2), False),
        (("leader", "Yew"), True),
        (("leader", "Ash"), False),
        (("from", "Mill"), False),
        (("unit", "Elm", "WET"), True),
        (("unit", "Ash", "WET"), False),
        (("unit", "Oak", "DRY"), False),
        (("unit", "Elm", "HERE"), True),
    ],
)
def test_a_condition_is_true_or_not(condition, true):
    assert Asked().holds(RIVER, condition, "red") is true


@pytest.mark.parametrize(
    ("condition", "true"),
    [
        (("count", "MY", "RAFTS", "EXACTLY", 1), True),
        (("odds", "AT LEAST", 2, 1), True),
        (("from", "Mill"), True),
        (("unit", "Ash", "HERE"), True),
        (("unit", "Elm", "HERE"), False),
    ],
)
def test_in_a_scene_what_is_there_counts(condition, true):
    assert Asked().holds(RIVER, condition, "red", HERE) is true


def test_what_fog_hides_does_not_count():
    foggy = RIVER._replace(fog=("Mill",))
    assert not Asked().holds(foggy, ("space", "Mill", "ENEMY"), "red")
    assert Asked().holds(foggy, ("space", "Mill", "MINE"), "blue")
    assert Asked().values(foggy, ("count", "ENEMY", "CREW", "AT LEAST", 9), "red") == ("ENEMY CREW 0",)


def test_what_a_condition_asks_of_is_told_with_its_value():
    parts = ("or", ("odds", "AT LEAST", 2, 1), ("and", ("space", "Mill", "MINE"), ("vp", "EXACTLY", 1)))
    assert Asked().values(RIVER, ("or", parts, YES), "red") == ("ODDS 4:3", "SPACE Mill ENEMY", "VP 3", "TURN 5")


def test_of_an_if_one_branch_is_done():
    assert Asked().branch(RIVER, If(1, YES, ("go",), ("stay",)), "red") == ("go",)
    assert Asked().branch(RIVER, If(1, NO, ("go",), ("stay",)), "red") == ("stay",)


def test_a_stop_that_strikes_tells_what_it_saw():
    assert Asked().stop_if(RIVER, Stop(3, NO), "red", "R4") == Did()
    breaking_off = event("breaks off", "R4", side="red", line=3, order="STOP IF TURN 5", values=["TURN 5"])
    assert Asked().stop_if(RIVER, Stop(3, YES), "red", "R4") == Did((breaking_off,))
