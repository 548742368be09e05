"""What a witness answers by HTTP (C2SP tlog-witness): every status, and what it must not sign."""

import pytest

from pbem.audit import checkpoint, merkle, note, signing, submission
from pbem.audit.blocks import Malformed
from pbem.audit.checkpoint import Checkpoint
from pbem.audit.submission import SIZE_TYPE, Submission
from pbem.audit.witness import LONGEST_TEXT
from pbem.audit.witnessing import Witness
from tests.audit.test_witness import FORK, KEY, LOG, SECRET, SIGN, TREE, cosigned, noted

ELSE = signing.make_signer("example.com/x", b"l" * 32)
BY = Witness(KEY, SECRET, signing.verify)


def submitted(size, old=0, tree=TREE, secret=SIGN):
    path = merkle.prove_consistency(tree.node, old, size) if 0 < old < size else ()
    return Submission(old, path, noted(size, tree, secret))


def judge(request, seen=(), moment=100):
    data = request if isinstance(request, bytes) else submission.write(request)
    return submission.answer(data, LOG, seen, BY, moment)


def test_a_tree_that_goes_on_is_cosigned_and_kept():
    first = judge(submitted(5))
    assert (first.status, checkpoint.cosigning_times(first.kept, [KEY], signing.verify)) == (200, {KEY.name: 100})
    second = judge(submitted(9, 5), (first.kept,), 160)
    line = submission.parse_cosignature(second.body.encode(), KEY)
    assert checkpoint.cosigning_times(note.add_signatures(noted(9), line), [KEY], signing.verify) == {KEY.name: 160}


def test_the_tree_that_is_held_gets_the_line_that_it_has():
    seen = (cosigned(9),)
    again = judge(submitted(9, 9), seen, 999)
    assert (again.status, again.kept) == (200, None)
    assert checkpoint.cosigning_times(
        note.add_signatures(noted(9), submission.parse_cosignature(again.body.encode(), KEY)), [KEY], signing.verify
    ) == {KEY.name: 100}


@pytest.mark.parametrize("old", [0, 3, 8, 10, 11])
def test_another_old_size_than_the_one_held_is_told_which_it_is(old):
    verdict = judge(submitted(12, old), (cosigned(3), cosigned(9)))
    assert (verdict.status, verdict.body, verdict.kind, verdict.kept) == (409, "9\n", SIZE_TYPE, None)


def test_a_second_tree_of_the_size_that_is_held_is_a_fork_and_shown_to_whoever_runs_the_witness():
    tree = merkle.Tree([b"other"] * 9)
    for old in (0, 9):
        verdict = judge(submitted(9, old, tree), (cosigned(9),))
        assert (verdict.status, verdict.body, verdict.fork, verdict.kept) == (409, "9\n", cosigned(9), None)


@pytest.mark.parametrize(
    ("name", "submitted", "seen", "status"),
    [
        ("a fork", submitted(12, 9, FORK), (cosigned(9),), 422),
        ("no proof", submitted(12, 9)._replace(path=()), (cosigned(9),), 422),
        ("a proof from nothing", submitted(12)._replace(path=(bytes(32),)), (), 422),
        ("a proof to itself", submitted(9, 9)._replace(path=(bytes(32),)), (cosigned(9),), 422),
        (
            "an empty log",
            Submission(0, (), checkpoint.sign(Checkpoint(LOG.name, 0, merkle.EMPTY_ROOT), LOG, SIGN)),
            (),
            422,
        ),
        ("an old tree that is larger", submitted(5)._replace(old=6), (), 400),
        ("a false signature", submitted(5, secret=signing.make_signer("x", b"o" * 32)[1]), (), 403),
        (
            "no signature of the log",
            Submission(0, (), checkpoint.sign(Checkpoint(LOG.name, 5, bytes(32)), *ELSE)),
            (),
            403,
        ),
        ("another log", Submission(0, (), checkpoint.sign(Checkpoint("example.com/x", 5, bytes(32)), *ELSE)), (), 404),
        ("nothing", b"", (), 400),
        ("no blank line", b"old 0\n" + noted(5), (), 400),
        ("a leading zero", b"old 00\n\n" + noted(5), (), 400),
        ("a line too much", b"old 0\nx y\n\n" + noted(5), (), 400),
        ("64 hashes", submitted(5)._replace(path=(bytes(32),) * 64), (), 400),
        ("a hash of 31 bytes", submitted(5)._replace(path=(bytes(31),)), (), 400),
        ("too long", b"old 0\n\n" + b"x" * LONGEST_TEXT, (), 400),
        ("no UTF-8", b"old 0\n\n\xff", (), 400),
    ],
)
def test_what_is_not_cosigned(name, submitted, seen, status):
    verdict = judge(submitted, seen)
    assert (verdict.status, verdict.kept) == (status, None)


def test_what_others_have_signed_is_not_kept():
    other, secret = signing.make_signer("other.example.net/w", b"x" * 32)
    more = checkpoint.sign(Checkpoint(LOG.name, 5, merkle.tree_root(TREE.node, 5)), other, secret)
    signed = note.add_signatures(noted(5), *note.parse(more).signatures)
    kept = judge(Submission(0, (), signed)).kept
    assert [signature.name for signature in note.parse(kept).signatures] == [LOG.name, KEY.name]


@pytest.mark.parametrize("body", [b"", b"\xff\n", b"no\n", b"\xe2\x80\x94 x AAAAAAA=\n", b"9\n"])
def test_an_answer_without_his_line_is_worth_nothing(body):
    with pytest.raises(Malformed):
        submission.parse_cosignature(body, KEY)


def test_a_request_is_written_as_the_specification_has_it():
    request = submitted(9, 5)
    assert submission.parse_submission(submission.write(request)) == request
    assert submission.write(request).startswith(b"old 5\n")
