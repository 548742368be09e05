"""The names that a side may use, made once for an edition."""

from __future__ import annotations

import gc
from dataclasses import dataclass
from typing import NamedTuple, Self

from pbem.engine.data.canon import Json
from pbem.engine.edition import CommonValues, Edition
from pbem.engine.orders.names import Names
from pbem.engine.orders.parser import Languages
from tests.kit.orders_of_rafts import IDIOM


class River:
    reaches = ("Ford", "Weir")

    def to_json(self) -> Json:
        return [*self.reaches]

    def described(self) -> Json:
        return self.to_json()

    @classmethod
    def from_json(cls, value: Json) -> Self:
        return cls()


@dataclass(frozen=True, eq=False)
class Rivers(Edition[River]):
    PRINTING, MAP = CommonValues("rafts", "1", ""), River


class Raft(NamedTuple):
    side: str


def edition() -> Rivers:
    return Rivers(River(), {}, {"rafts": {"Ash": "red", "Elm": "pink", "Yew": "blue"}, "names": {"Ash": "The old Ash"}})


def languages() -> Languages[Rivers]:
    return Languages(
        IDIOM,
        lambda edition: edition.scenario["rafts"],
        lambda edition: Names(dict.fromkeys(edition.map.reaches, ())),
        lambda side: "red" if side == "pink" else side,
    )


def test_a_side_orders_its_own_and_its_friends_and_knows_all():
    lexicon = languages().of(edition(), {}, "red").lexicon
    assert [lexicon.mine.find(name).id for name in ("Ash", "Elm", "Yew")] == ["Ash", "Elm", None]
    assert [lexicon.units.find(name).id for name in ("the old ash", "Yew")] == ["Ash", "Yew"]
    assert lexicon.spaces.find("weir").id == "Weir"


def test_it_is_the_same_one_all_game_whoever_of_the_party_asks():
    known, game = languages(), edition()
    first = known.of(game, {"Ash": Raft("red")}, "red")
    assert known.of(game, {}, "red") is first
    assert known.of(game, {}, "pink") is first
    assert known.of(game, {}, "blue") is not first
    assert known.of(edition(), {}, "red") is not first


def test_a_unit_that_the_scenario_does_not_hold_is_known_while_it_is_there():
    known, game = languages(), edition()
    joined = known.of(game, {"Fir": Raft("blue"), "Oak": Raft("red")}, "red").lexicon
    assert (joined.mine.find("Oak").id, joined.mine.find("Fir").id, joined.units.find("Fir").id) == ("Oak", None, "Fir")
    assert known.of(game, {}, "red").lexicon.units.find("Oak").how == "none"


def test_it_goes_with_its_edition():
    known, game = languages(), edition()
    known.of(game, {}, "red")
    assert len(known._musters) == 1
    del game
    gc.collect(1)
    assert len(known._musters) == 0
