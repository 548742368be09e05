"""The static files of a log, by the examples of C2SP tlog-tiles."""

from collections import Counter

import pytest

from pbem.audit import tiles
from pbem.audit.blocks import Malformed
from pbem.audit.tiles import Tile


@pytest.mark.parametrize(
    ("tile", "name"),
    [
        (Tile(0, 1234067), "tile/0/x001/x234/067"),
        (Tile(None, 1234067, 17), "tile/entries/x001/x234/067.p/17"),
        (Tile(0, 0), "tile/0/000"),
        (Tile(1, 999, 1), "tile/1/999.p/1"),
        (Tile(1, 1000), "tile/1/x001/000"),
        (Tile(63, 1_000_000), "tile/63/x001/x000/000"),
    ],
)
def test_a_tile_is_found_by_its_index_in_threes(tile, name):
    assert tile.name == name


def test_seventy_thousand_leaves_as_the_specification_counts_them():
    all_tiles = list(tiles.new_tiles(70_000))
    assert Counter((tile.level, tile.width) for tile in all_tiles) == {
        (None, 256): 273,
        (None, 112): 1,
        (0, 256): 273,
        (0, 112): 1,
        (1, 256): 1,
        (1, 17): 1,
        (2, 1): 1,
    }


def test_a_full_tile_has_a_partial_one_above_it():
    assert [tile.name for tile in tiles.new_tiles(256)] == ["tile/entries/000", "tile/0/000", "tile/1/000.p/1"]
    assert list(tiles.new_tiles(0)) == []


@pytest.mark.parametrize("before", [0, 1, 17, 255, 256, 257, 511, 512, 65_535, 65_536, 70_000])
def test_what_is_new_and_what_was_there_before_are_all_that_there_is(before):
    whole, old = set(tiles.new_tiles(70_001)), set(tiles.new_tiles(before))
    new = list(tiles.new_tiles(70_001, before))
    assert len(new) == len(set(new))
    assert set(new) == whole - old


def test_leaves_come_back_as_they_went_in():
    leaves = [b"", b"x" * tiles.LONGEST_LEAF, b"one\n"]
    assert list(tiles.leaves_in(tiles.leaf_bundle(leaves), 3)) == leaves
    with pytest.raises(ValueError, match="at most"):
        tiles.leaf_bundle([b"x" * 65_536])


@pytest.mark.parametrize(
    ("data", "width"), [(b"", 1), (b"\0", 1), (b"\0\2x", 1), (b"\0\1x", 2), (b"\0\1x\0", 1), (b"\0\1xx", 1)]
)
def test_a_bundle_that_is_cut_short_or_too_long_is_none(data, width):
    with pytest.raises(Malformed):
        list(tiles.leaves_in(data, width))
