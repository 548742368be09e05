"""When a witness cosigns, and when he does not; what he and a server write to each other, byte by byte."""

import pytest

from pbem.audit import checkpoint, merkle, note, signing, witness, witnessing
from pbem.audit.blocks import Malformed
from pbem.audit.checkpoint import Checkpoint
from pbem.audit.note import COSIGNATURE
from pbem.audit.witness import WitnessAnswer, WitnessRefusal, WitnessRequest
from pbem.audit.witnessing import WitnessResult, WitnessState

LOG, SIGN = signing.make_signer("example.com/pbem", b"l" * 32)
KEY, SECRET = signing.make_signer("friend.example.net/witness", b"w" * 32, COSIGNATURE)
TREE = merkle.Tree([b"leaf %d" % number for number in range(20)])
FORK = merkle.Tree([b"leaf %d" % (number % 7) for number in range(20)])
"""The same up to its eighth leaf."""


def noted(size, tree=TREE, secret=SIGN):
    return checkpoint.sign(Checkpoint(LOG.name, size, merkle.tree_root(tree.node, size)), LOG, secret)


def asked(size, old=0, tree=TREE):
    path = merkle.prove_consistency(tree.node, old, size) if 0 < old <= size else ()
    return WitnessRequest(LOG, old, path, noted(size, tree))


def look(what, seen=(), moment=100):
    result = witnessing.examine_request(
        what, WitnessState(seen), witnessing.Witness(KEY, SECRET, signing.verify), moment
    )
    return result.note if isinstance(result, WitnessResult) else result


def cosigned(size, moment=100):
    return checkpoint.cosign(noted(size), KEY, SECRET, moment)


SEEN = (cosigned(3), cosigned(9))


def test_the_first_tree_is_believed_and_the_next_if_it_goes_on():
    first = look(asked(5))
    assert checkpoint.cosigning_times(first, [KEY], signing.verify) == {KEY.name: 100}
    second = look(asked(9, 5), (first,), 160)
    assert checkpoint.cosigning_times(second, [KEY], signing.verify) == {KEY.name: 160}
    assert checkpoint.read_signed(second, LOG, signing.verify).size == 9


def test_what_was_cosigned_is_given_again_whatever_the_time():
    assert look(asked(9, 3), SEEN, 999) == SEEN[1]
    assert look(asked(3), SEEN, 999) == SEEN[0]


@pytest.mark.parametrize(
    ("name", "what", "why"),
    [
        ("another tree of its size", asked(9, 3, FORK), "fork"),
        (
            "another tree of an earlier size",
            WitnessRequest(LOG, 0, (), noted(3, merkle.Tree([b"a", b"b", b"c"]))),
            "fork",
        ),
        ("a larger tree that does not go on", asked(12, 9, FORK), "fork"),
        ("a larger tree without a proof", asked(12, 9)._replace(path=()), "fork"),
        ("a tree that goes back", asked(5), "smaller"),
        ("a tree that goes back, with a proof", asked(5, 3), "smaller"),
        ("a proof from an earlier tree", asked(12, 3), "gap"),
        ("a proof from nothing", asked(12), "gap"),
        ("a proof from a tree that it never saw", asked(12, 11), "gap"),
    ],
)
def test_what_a_witness_refuses(name, what, why):
    assert look(what, SEEN) == WitnessRefusal(KEY, why, SEEN[-1])


@pytest.mark.parametrize(
    "note_",
    [
        noted(12, secret=signing.make_signer("example.com/pbem", b"o" * 32)[1]),
        checkpoint.sign(Checkpoint("example.com/other", 12, bytes(32)), LOG, SIGN),
        checkpoint.sign(Checkpoint(LOG.name, 0, merkle.EMPTY_ROOT), LOG, SIGN),
    ],
)
def test_what_the_log_has_not_signed_is_not_worth_an_answer(note_):
    with pytest.raises(Malformed):
        look(WitnessRequest(LOG, 9, (), note_), SEEN)


TOLD = (
    asked(12, 9),
    asked(12),
    witnessing.answer(WitnessResult(SEEN[-1]), KEY),
    WitnessRefusal(KEY, "fork", SEEN[-1]),
)


@pytest.mark.parametrize("letter", TOLD, ids=["ask", "first", "saw", "refuses"])
def test_both_letters_are_read_back(letter):
    data = witness.write(letter)
    assert witness.parse(data) == letter
    assert data.isascii()
    for index in range(len(data)):
        changed = data[:index] + bytes([data[index] ^ 1]) + data[index + 1 :]
        try:
            other = witness.parse(changed)
        except Malformed:
            continue
        assert other != letter


def test_an_answer_holds_key_and_cosignature():
    saw = witnessing.answer(WitnessResult(SEEN[-1]), KEY)
    assert isinstance(saw, WitnessAnswer)
    assert (saw.key, saw.size, saw.at) == (KEY, 9, 100)
    lines = (*note.parse(noted(9)).signatures, saw.line)
    assert note.write(note.parse(noted(9))._replace(signatures=lines)) == SEEN[-1]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"/saw\n", b"/ask\n"),
        (b"/saw\n", b"/cosigned\n"),
        (b"size 9", b"size 09"),
        (b"size 9", b"size -9"),
        (b"size 9\n", b""),
        (b"root ", b"root A"),
        (b"by friend", b"by enemy"),
        (b"key ", b"key x"),
        (b"size 9\n", b"size 9\nsize 9\n"),
    ],
)
def test_there_is_one_way_to_write_an_answer(old, new):
    data = witness.write(TOLD[2])
    assert old in data
    with pytest.raises(Malformed):
        witness.parse(data.replace(old, new, 1))


def test_nobody_reads_a_long_text():
    long = witness.write(asked(12, 9)._replace(path=(bytes(32),) * 400))
    with pytest.raises(Malformed, match="longer"):
        witness.parse(long)
