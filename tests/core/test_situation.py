"""What the positions of all games have in common."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from pbem.engine.data.situation import NOTHING, Situation, nothing, parts_of, tuples
from pbem.games import africa1860, peninsular


@dataclass(slots=True)
class Camped(Situation):
    edition: str
    turn: int = 1
    units: Mapping[str, int] = field(default_factory=nothing)
    _camps: str | None = field(default=None, repr=False, compare=False)


def test_a_copy_has_all_fields_and_is_another():
    one = Camped("e", 3, {"a": 1})
    one._camps = "found"
    two = one.copy()
    assert (two, two._camps) == (one, "found")
    assert two is not one
    assert two.units is one.units


def test_a_change_leaves_the_first_as_it_was_and_forgets_the_camps_with_the_units():
    one = Camped("e", 3)
    one._camps = "found"
    assert (one.change(turn=4).turn, one.change(turn=4)._camps) == (4, "found")
    assert one.change(units={"b": 2})._camps is None
    assert (one.turn, one._camps) == (3, "found")


def test_what_was_found_out_is_no_part_of_a_position():
    one, two = Camped("e"), Camped("e")
    two._camps = "found"
    assert one == two
    assert parts_of(Camped) == ("turn", "units")
    assert one.parts() == (1, NOTHING)
    assert Camped("e", units={"a": 1}).key() == (1, (("a", 1),))


def test_nobody_writes_into_the_units_of_an_empty_position():
    with pytest.raises(TypeError):
        Camped("e").units["a"] = 1  # type: ignore[index]


def test_lists_of_json_become_tuples():
    assert tuples([1, ["a", []], {"b": [2]}]) == (1, ("a", ()), {"b": [2]})


@pytest.mark.parametrize("game", [africa1860.GAME, peninsular.GAME], ids=lambda game: game.name)
def test_a_field_that_a_game_does_not_have_cannot_be_written(game):
    start = game.start(game.edition(sorted(game.editions())[0], {}, {}))
    with pytest.raises(AttributeError):
        start.change(wether="rain")
    assert start.change(turn=7) != start
    assert start.change(turn=7).change(turn=start.turn) == start
