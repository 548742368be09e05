"""What the positions of all games have in common."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from pbem.engine.data.situation import EMPTY_MAPPING, Situation, empty_mapping, field_names, lists_to_tuples
from pbem.games import africa1860, peninsular


@dataclass(slots=True)
class Camped(Situation):
    edition: str
    turn: int = 1
    units: Mapping[str, int] = field(default_factory=empty_mapping)
    _camps: str | None = field(default=None, repr=False, compare=False)


def test_a_copy_has_all_fields_and_is_another():
    camped = Camped("e", 3, {"a": 1})
    camped._camps = "found"
    two = camped.copy()
    assert (two, two._camps) == (camped, "found")
    assert two is not camped
    assert two.units is camped.units


def test_a_change_leaves_the_first_as_it_was_and_forgets_the_camps_with_the_units():
    camped = Camped("e", 3)
    camped._camps = "found"
    assert (camped.change(turn=4).turn, camped.change(turn=4)._camps) == (4, "found")
    assert camped.change(units={"b": 2})._camps is None
    assert (camped.turn, camped._camps) == (3, "found")


def test_what_was_found_out_is_no_part_of_a_position():
    first, two = Camped("e"), Camped("e")
    two._camps = "found"
    assert first == two
    assert field_names(Camped) == ("turn", "units")
    assert first.parts() == (1, EMPTY_MAPPING)
    assert Camped("e", units={"a": 1}).key() == (1, (("a", 1),))


def test_nobody_writes_into_the_units_of_an_empty_position():
    with pytest.raises(TypeError):
        Camped("e").units["a"] = 1  # type: ignore[index]


def test_lists_of_json_become_tuples():
    assert lists_to_tuples([1, ["a", []], {"b": [2]}]) == (1, ("a", ()), {"b": [2]})


@pytest.mark.parametrize("game", [africa1860.GAME, peninsular.GAME], ids=lambda game: game.name)
def test_a_field_that_a_game_does_not_have_cannot_be_written(game):
    start = game.start(game.edition(sorted(game.editions())[0], {}, {}))
    with pytest.raises(AttributeError):
        start.change(wether="rain")
    assert start.change(turn=7) != start
    assert start.change(turn=7).change(turn=start.turn) == start
