"""Checkpoints, witnesses and proof texts, byte by byte."""

import pytest

from pbem.audit import merkle, signing
from pbem.audit.blocks import Malformed
from pbem.audit.checkpoint import (
    Checkpoint,
    checkpoint_text,
    cosign,
    cosigning_times,
    parse_checkpoint,
    read_signed,
    sign,
)
from pbem.audit.note import COSIGNATURE, parse, write
from pbem.verifier.curve import is_ed25519_signature_valid as verify

LOG, SECRET = signing.make_signer("example.com/pbem", b"l" * 32)
WITNESS, WITNESS_SECRET = signing.make_signer("witness.example.com/w1", b"w" * 32, COSIGNATURE)
TREE = merkle.Tree([b"a", b"b", b"c", b"d", b"e"])
HEAD = Checkpoint("example.com/pbem", 5, merkle.tree_root(TREE.node, 5))
NOTE = sign(HEAD, LOG, SECRET)


def test_the_text_of_a_checkpoint():
    assert checkpoint_text(HEAD) == "example.com/pbem\n5\n" + checkpoint_text(HEAD).split("\n")[2] + "\n"
    assert read_signed(NOTE, LOG, verify) == HEAD
    assert read_signed(NOTE, LOG, signing.verify) == HEAD
    longer = HEAD._replace(extra=("epoch 2",))
    assert read_signed(sign(longer, LOG, SECRET), LOG, verify) == longer


def test_a_checkpoint_of_another_key_or_log():
    other, secret = signing.make_signer("example.com/pbem", b"o" * 32)
    with pytest.raises(Malformed, match="has not signed"):
        read_signed(NOTE, other, verify)
    with pytest.raises(Malformed, match=r"of example\.com/other, not of"):
        read_signed(sign(HEAD._replace(origin="example.com/other"), LOG, SECRET), LOG, verify)
    forged = sign(HEAD, LOG, secret)
    with pytest.raises(Malformed, match="is false"):
        read_signed(forged, LOG, verify)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("\n5\n", "\n05\n"),
        ("\n5\n", "\n+5\n"),
        ("\n5\n", "\n5 \n"),
        ("\n5\n", "\n-5\n"),
        ("\n5\n", "\n\n"),
        ("=\n", "\n"),
    ],
)
def test_a_checkpoint_is_written_in_one_way(old, new):
    text = checkpoint_text(HEAD).replace(old, new, 1)
    with pytest.raises(Malformed):
        parse_checkpoint(parse(NOTE)._replace(text=text))


def test_an_empty_log_has_the_empty_root():
    empty = Checkpoint("example.com/pbem", 0, merkle.EMPTY_ROOT)
    assert read_signed(sign(empty, LOG, SECRET), LOG, verify) == empty
    with pytest.raises(Malformed, match="root"):
        read_signed(sign(empty._replace(root=bytes(32)), LOG, SECRET), LOG, verify)


def test_a_witness_says_when():
    assert cosigning_times(NOTE, [WITNESS], verify) == {}
    seen = cosign(NOTE, WITNESS, WITNESS_SECRET, 1_679_315_147)
    assert cosigning_times(seen, [WITNESS], verify) == {"witness.example.com/w1": 1_679_315_147}
    assert cosigning_times(seen, [], verify) == {}
    assert read_signed(seen, LOG, verify) == HEAD
    line = parse(seen).signatures[1]
    message = f"cosignature/v1\ntime 1679315147\n{checkpoint_text(HEAD)}".encode()
    assert signing.verify(WITNESS.public, message, line.signed[8:])
    assert line.signed[:8] == (1_679_315_147).to_bytes(8, "big")


def test_the_first_of_several_moments_counts():
    seen = cosign(cosign(NOTE, WITNESS, WITNESS_SECRET, 200), WITNESS, WITNESS_SECRET, 100)
    assert cosigning_times(seen, [WITNESS], verify) == {"witness.example.com/w1": 100}


def test_a_cosignature_for_another_moment_is_false():
    seen = parse(cosign(NOTE, WITNESS, WITNESS_SECRET, 100))
    line = seen.signatures[1]
    earlier = seen._replace(
        signatures=(seen.signatures[0], line._replace(signed=(99).to_bytes(8, "big") + line.signed[8:]))
    )
    with pytest.raises(Malformed, match="cosignature of witness"):
        cosigning_times(write(earlier), [WITNESS], verify)


def test_a_cosignature_is_no_signature_of_the_log():
    """The same key as witness and as log has two ids."""
    same, secret = signing.make_signer(LOG.name, b"l" * 32, COSIGNATURE)
    seen = cosign(NOTE, same, secret, 7)
    assert read_signed(seen, LOG, verify) == HEAD
    assert same.id != LOG.id
    with pytest.raises(Malformed, match="has not signed"):
        read_signed(seen, same._replace(kind=1, public=WITNESS.public), verify)
