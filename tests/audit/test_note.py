"""Signed notes: the published example, several signatures, and what is refused."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.audit import signing
from pbem.audit.blocks import Malformed
from pbem.audit.note import (
    COSIGNATURE,
    Key,
    Note,
    Signature,
    decode64,
    encode64,
    parse,
    parse_key,
    valid_signers,
    write,
)
from pbem.verifier.curve import is_ed25519_signature_valid as verify

EXAMPLE = json.loads((Path(__file__).parent / "vectors.json").read_text("utf-8"))["signed_note"]
NOTE = EXAMPLE["note"].encode("utf-8")
KEY = parse_key(EXAMPLE["vkey"])
OTHER, SECRET = signing.make_signer("example.com/other", bytes(32))


def signed(text: str = "a text\n") -> Note:
    return Note(text, (Signature(OTHER.name, OTHER.id, SECRET(text.encode())),))


def test_the_published_example():
    note = parse(NOTE)
    assert note.text == "This is an example message.\n"
    assert KEY.text == EXAMPLE["vkey"]
    assert write(note) == NOTE
    for by in (verify, signing.verify):
        assert valid_signers(note, [KEY], by) == (KEY,)


def test_several_signatures_and_unknown_keys():
    note = parse(NOTE)
    both = note._replace(signatures=(*note.signatures, *signed(note.text).signatures))
    again = parse(write(both))
    assert valid_signers(again, [OTHER, KEY], verify) == (OTHER, KEY)
    assert valid_signers(again, [KEY], verify) == (KEY,)
    assert valid_signers(again, [], verify) == ()
    renamed = Key("example.com/foo2", KEY.public)
    assert valid_signers(again, [renamed], verify) == ()


def test_a_false_signature_of_a_known_key_condemns_the_note():
    note = parse(NOTE)
    changed = note._replace(text="This is another message.\n")
    for by in (verify, signing.verify):
        with pytest.raises(match="false"):
            valid_signers(changed, [KEY], by)
    twice = note._replace(signatures=(*note.signatures, Signature(KEY.name, KEY.id, bytes(64))))
    with pytest.raises(Malformed, match="false"):
        valid_signers(twice, [KEY], verify)


def test_every_flipped_byte_of_the_example_is_noticed():
    """A flip either breaks the format, or the signature, or takes the key's name or id away."""
    for index in range(len(NOTE)):
        flipped = NOTE[:index] + bytes([NOTE[index] ^ 1]) + NOTE[index + 1 :]
        try:
            keys = valid_signers(parse(flipped), [KEY], verify)
        except Malformed:
            continue
        assert keys == ()


def test_the_text_may_hold_blank_lines():
    text = "one\n\n\u2014 example.com/foo AAAAAAA=\n\ntwo\n"
    assert parse(write(signed(text))) == signed(text)
    assert valid_signers(parse(write(signed(text))), [OTHER], verify) == (OTHER,)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"text\n",
        b"text\n\n",
        NOTE[:-1],
        NOTE + b"\n",
        NOTE + "— example.com/foo\n".encode(),
        NOTE.replace("—".encode(), b"-"),
        NOTE.replace(b"example.com/foo", b"example.com+foo"),
        NOTE.replace(b"example.com/foo", "example.com\u00a0foo".encode()),
        NOTE.replace(b"M=\n", b"N=\n"),
        NOTE.replace(b"M=\n", b"M\n"),
        NOTE.replace(b"M=\n", b"M= \n"),
        NOTE.replace(b"message.", b"mess\tage."),
        NOTE.replace(b"message.", b"mess\xff."),
        NOTE.replace(b"message.\n", b"message.\r\n"),
        b"text\n\n" + "— a AAAAAA==\n".encode(),
        b"text\n\n" + NOTE.split(b"\n\n")[1] * 65,
        b"\n\n" + NOTE.split(b"\n\n")[1],
    ],
)
def test_what_is_no_note(data):
    with pytest.raises(Malformed):
        parse(data)


def test_what_would_be_read_otherwise_is_not_written():
    for bad in (signed("no line end"), signed("a\n")._replace(signatures=()), signed("tab\there\n")):
        with pytest.raises(Malformed):
            write(bad)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "example.com/foo",
        EXAMPLE["vkey"].replace("530d903a", "530d903b"),
        EXAMPLE["vkey"].replace("530d903a", "530D903A"),
        EXAMPLE["vkey"].replace("example.com/foo", "example.com/fop"),
        EXAMPLE["vkey"][:-4],
        EXAMPLE["vkey"] + " ",
        "a+00000000+CQ==",
    ],
)
def test_what_is_no_key(text):
    with pytest.raises(Malformed):
        parse_key(text)


def test_the_id_depends_on_name_algorithm_and_key():
    ids = {KEY.id, KEY._replace(kind=COSIGNATURE).id, KEY._replace(name="x").id, KEY._replace(public=bytes(32)).id}
    assert len(ids) == 4
    assert parse_key(KEY._replace(kind=COSIGNATURE).text).kind == COSIGNATURE


@given(st.binary(max_size=80))
def test_base64_has_one_way_of_writing(data):
    assert decode64(encode64(data)) == data


@pytest.mark.parametrize("text", ["QQ", "QR==", "QQ==\n", " QQ==", "Q-==", "QQ=", "é==="])
def test_other_ways_of_writing_base64(text):
    with pytest.raises(Malformed):
        decode64(text)
