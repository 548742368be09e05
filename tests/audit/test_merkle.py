"""The tree against the published one, and every proof of every small tree: it holds, and nothing else does."""

import hashlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.audit.merkle import (
    EMPTY_ROOT,
    Tree,
    full_nodes,
    is_extension,
    is_included,
    leaf_hash,
    peaks,
    prove_consistency,
    prove_inclusion,
    tree_root,
)

VECTORS = json.loads((Path(__file__).parent / "vectors.json").read_text("utf-8"))["rfc6962"]
MOST = 64
LEAVES = [f"leaf {number}".encode() for number in range(MOST)]
HASHES = [leaf_hash(leaf) for leaf in LEAVES]
TREE = Tree(LEAVES)
ROOTS = [tree_root(TREE.node, size) for size in range(MOST + 1)]


def by_definition(hashes: list[bytes]) -> bytes:
    """RFC 9162 2.1.1 as it stands there."""
    if not hashes:
        return hashlib.sha256().digest()
    if len(hashes) == 1:
        return hashes[0]
    k = 1
    while k * 2 < len(hashes):
        k *= 2
    return hashlib.sha256(b"\1" + by_definition(hashes[:k]) + by_definition(hashes[k:])).digest()


def test_the_published_tree():
    tree = Tree([bytes.fromhex(leaf) for leaf in VECTORS["leaves"]])
    assert [tree_root(tree.node, size).hex() for size in range(9)] == VECTORS["roots_by_size"]
    assert bytes.fromhex(VECTORS["roots_by_size"][0]) == EMPTY_ROOT


def test_a_root_is_what_the_definition_says(subtests):
    for size in range(MOST + 1):
        with subtests.test(f"{size}"):
            assert ROOTS[size] == by_definition(HASHES[:size])


def test_every_leaf_is_proven_at_its_place_and_at_no_other(subtests):
    for size in range(1, MOST + 1):
        with subtests.test(f"{size}"):
            for index in range(size):
                proof = prove_inclusion(TREE.node, index, size)
                assert len(proof) <= (size - 1).bit_length()
                held = [
                    number for number in range(size + 2) if is_included(HASHES[index], number, size, proof, ROOTS[size])
                ]
                assert held == [index]


def test_every_older_tree_is_proven_and_no_other(subtests):
    for size in range(1, MOST + 1):
        with subtests.test(f"{size}"):
            for old in range(1, size + 1):
                proof = prove_consistency(TREE.node, old, size)
                assert is_extension(old, size, ROOTS[old], ROOTS[size], proof)
                assert not is_extension(old, size, ROOTS[old - 1], ROOTS[size], proof)
                assert not is_extension(old, size, ROOTS[old], ROOTS[size - 1], proof)
                assert not is_extension(old, size, ROOTS[old], ROOTS[size], [*proof, ROOTS[0]])
                for index in range(len(proof)):
                    assert not is_extension(old, size, ROOTS[old], ROOTS[size], proof[:index] + proof[index + 1 :])
                    changed = [*proof[:index], leaf_hash(proof[index]), *proof[index + 1 :]]
                    assert not is_extension(old, size, ROOTS[old], ROOTS[size], changed)


@given(st.data())
def test_a_changed_inclusion_proof_proves_nothing(data):
    size = data.draw(st.integers(2, MOST))
    index = data.draw(st.integers(0, size - 1))
    proof = list(prove_inclusion(TREE.node, index, size))
    place = data.draw(st.integers(0, len(proof) - 1))
    changes = {
        "longer": [*proof, bytes(32)],
        "shorter": proof[:place] + proof[place + 1 :],
        "other": [*proof[:place], leaf_hash(proof[place]), *proof[place + 1 :]],
        "doubled": [*proof[:place], proof[place], *proof[place:]],
    }
    for changed in changes.values():
        assert not is_included(HASHES[index], index, size, changed, ROOTS[size])
    assert not is_included(leaf_hash(b"another"), index, size, proof, ROOTS[size])
    assert not is_included(HASHES[index], index, size, proof, ROOTS[size - 1])


def test_nothing_is_proven_of_the_empty_tree():
    assert not is_included(HASHES[0], 0, 0, (), EMPTY_ROOT)
    assert not is_included(EMPTY_ROOT, 0, 0, (), EMPTY_ROOT)
    assert not is_extension(0, 5, EMPTY_ROOT, ROOTS[5], ())
    assert not is_extension(0, 0, EMPTY_ROOT, EMPTY_ROOT, ())
    assert not is_extension(0, 5, ROOTS[5], ROOTS[5], ())


@pytest.mark.parametrize(("index", "size"), [(0, 0), (5, 5), (-1, 5)])
def test_no_proof_of_a_leaf_that_is_not_there(index, size):
    with pytest.raises(ValueError, match="has no leaf"):
        prove_inclusion(TREE.node, index, size)
    assert not is_included(HASHES[0], index, size, (), ROOTS[1])


@pytest.mark.parametrize(("old", "size"), [(0, 5), (6, 5), (0, 0), (-1, 5)])
def test_no_proof_of_trees_that_do_not_follow(old, size):
    with pytest.raises(ValueError, match="go on from"):
        prove_consistency(TREE.node, old, size)
    assert not is_extension(old, size, ROOTS[5], ROOTS[5], ())


def test_a_tree_is_consistent_with_itself_by_an_empty_proof_alone():
    assert is_extension(7, 7, ROOTS[7], ROOTS[7], ())
    assert not is_extension(7, 7, ROOTS[7], ROOTS[7], (ROOTS[7],))
    assert not is_extension(7, 7, ROOTS[6], ROOTS[7], ())


def test_a_size_of_a_power_of_two_needs_the_old_root_it_was_given():
    """The proof leaves the old root out then, and another one must not pass."""
    proof = prove_consistency(TREE.node, 4, 7)
    assert len(proof) == 1
    assert is_extension(4, 7, ROOTS[4], ROOTS[7], proof)
    assert not is_extension(4, 7, ROOTS[3], ROOTS[7], proof)
    assert not is_extension(4, 7, ROOTS[4], ROOTS[7], ())


def test_a_leaf_is_no_node():
    """The prefix bytes keep 64 bytes of two hashes, offered as a leaf, from being an inner node."""
    assert leaf_hash(HASHES[0] + HASHES[1]) != ROOTS[2]


def test_a_negative_tree():
    with pytest.raises(ValueError, match="no -1 leaves"):
        tree_root(TREE.node, -1)


def test_a_tree_grows_and_is_hashed_from_its_peaks_alone(subtests):
    for size in range(1, 40):
        with subtests.test(f"{size}"):
            tree = Tree([bytes([number]) for number in range(size)])
            known = {peak: tree.node(*peak) for peak in peaks(size)}

            def node(level, index, known=known):
                return known[level, index]

            assert tree_root(node, size) == tree_root(tree.node, size)
            new = leaf_hash(b"next")
            assert list(full_nodes(node, size, new)) == list(full_nodes(tree.node, size, new))
