"""Whether a From is vouched for: the provider's word, its forgeries, alignment, and signatures checked here."""

import base64
import hashlib

import dkim
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nacl.signing import SigningKey

from pbem.mail.authentication import (
    LONGEST_KEY_RECORD,
    evidence_of_results,
    evidence_of_signatures,
    is_aligned,
    read_results,
)
from pbem.mail.mime import read_fields

ANA = "ana@players.example"
MX = "mx.example.org"


def authentication_of(*values, author=ANA, name=MX):
    """What the fields of a letter, the topmost first, say about its author; None where nobody we trust wrote one."""
    raw = "".join(f"Authentication-Results: {value}\r\n" for value in values) + f"From: {author}\r\n\r\nx\r\n"
    read = read_results(read_fields(raw.encode()), name)
    return None if read is None else evidence_of_results(read, author)


@pytest.mark.parametrize(
    ("value", "verdict"),
    [
        ("dkim=pass header.d=players.example", "pass"),
        ("dkim=pass (2048-bit key; (nested) \\) ok) header.d=players.example header.b=abc", "pass"),
        ("dkim=pass header.i=@players.example", "pass"),
        ("DKIM=PASS HEADER.D=Players.Example", "pass"),
        ("dkim/1 = pass header.d = players.example", "pass"),
        ("spf=pass smtp.mailfrom=ana@players.example", "pass"),
        ("spf=pass smtp.mailfrom=players.example smtp.helo=evil.example", "pass"),
        ("spf=fail smtp.mailfrom=x@y.example; dkim=pass header.d=players.example", "pass"),
        ("dmarc=pass (p=none) header.from=players.example; dkim=fail header.d=players.example", "pass"),
        ("dmarc=fail (p=reject) header.from=players.example; spf=pass smtp.mailfrom=players.example", "fail"),
        ('dkim=fail reason="signature; dkim=pass header.d=players.example" header.d=players.example', "fail"),
        ("spf=fail smtp.mailfrom=players.example", "fail"),
        ("spf=hardfail smtp.mailfrom=players.example", "fail"),
        ("dkim=pass header.d=list.example; dkim=fail header.d=players.example", "fail"),
        ("dkim=pass header.d=evil.example", "unaligned"),
        ("spf=pass smtp.mailfrom=ana@evil.example", "unaligned"),
        ("spf=pass smtp.helo=evil.example", "unaligned"),
        ("dkim=pass header.d=notplayers.example", "unaligned"),
        ("dkim=pass header.d=sub.players.example", "unaligned"),
        ("dkim=pass header.d=example", "unaligned"),
        ("dmarc=pass header.from=other.example", "none"),
        ("dkim=none", "none"),
        ("none", "none"),
        ("dkim=temperror header.d=players.example", "none"),
        ("spf=softfail smtp.mailfrom=players.example", "none"),
        ("dkim=passport header.d=players.example", "none"),
        ("x-dkim=pass header.d=players.example", "none"),
        ("iprev=pass smtp.remote-ip=192.0.2.1", "none"),
        ("", "none"),
        ("; ; =; dkim==pass; ((((", "none"),
    ],
)
def test_what_the_provider_says(value, verdict):
    assert authentication_of(f"{MX}; {value}") == verdict
    assert authentication_of(f"(checked) {MX} 1; {value}") == verdict


def test_only_the_topmost_field_under_the_right_name_counts():
    good = "dkim=pass header.d=players.example"
    assert authentication_of(f"{MX}; dkim=fail header.d=players.example", f"{MX}; {good}") == "fail"
    for other in (
        f"evil.example; {good}",
        f"x.{MX}; {good}",
        good,
        f"; {good}",
        f'"{MX}x"; {good}',
        "",
        f"{MX}, {good}",
    ):
        assert authentication_of(other, f"{MX}; {good}") is None
    assert authentication_of(f"{MX}; {good}", f"evil.example; {good}") == "pass"
    assert authentication_of(f"{MX.upper()}; {good}") == "pass"
    assert authentication_of(f'"{MX}"; {good}') == "pass"
    # Outlook's has no name at all.
    assert (
        authentication_of("spf=pass smtp.mailfrom=players.example; dkim=pass header.d=players.example;dmarc=pass")
        is None
    )
    assert authentication_of() is None
    assert authentication_of(f"; {good}", name="") is None


@pytest.mark.parametrize(
    ("signer", "author", "may"),
    [
        ("players.example", "players.example", True),
        ("players.example", "mail.players.example", True),
        ("players.example.", "players.example", True),
        ("mail.players.example", "players.example", False),
        ("layers.example", "players.example", False),
        ("example", "players.example", False),
        ("com", "x.com", False),
        ("", "players.example", False),
        (".", "players.example", False),
        ("players.example", "", False),
    ],
)
def test_who_may_vouch_for_whom(signer, author, may):
    assert is_aligned(signer, author) is may


@given(st.text(max_size=300), st.text(max_size=60))
def test_any_field_and_any_author_give_a_verdict(value, author):
    head = f"Authentication-Results: {value}\n\nx".encode("utf-8", "replace")
    for name in (MX, value.split(";")[0].strip()):
        read = read_results(read_fields(head), name)
        assert read is None or evidence_of_results(read, author) in ("pass", "fail", "unaligned", "none")


# Signatures

SEED = bytes(range(32))
PUBLIC = base64.b64encode(bytes(SigningKey(SEED).verify_key)).decode()
RECORDS = {
    "k1._domainkey.players.example": f"v=DKIM1; k=ed25519; p={PUBLIC}",
    "k1._domainkey.evil.example": f"v=DKIM1; k=ed25519; p={PUBLIC}",
    "gone._domainkey.players.example": "v=DKIM1; k=ed25519; p=",
}
LETTER = b"From: Ana <ana@players.example>\r\nTo: pbem@example.org\r\nSubject: x\r\n\r\nORDERS T1\r\nPASS\r\nEND\r\n"


def signed(domain=b"players.example", selector=b"k1", letter=LETTER, **more):
    key = base64.b64encode(SEED)
    return dkim.sign(letter, selector, domain, key, signature_algorithm=b"ed25519-sha256", **more) + letter


def verdict(raw, author=ANA):
    return evidence_of_signatures(raw, author, RECORDS.get)


def test_a_signature_of_the_author_s_domain_vouches_for_him():
    assert verdict(signed()) == "pass"
    assert verdict(signed(), "ana@mail.players.example") == "pass"
    assert verdict(signed(b"evil.example")) == "unaligned"
    assert verdict(signed(b"evil.example", letter=signed())) == "pass"
    assert verdict(LETTER) == "none"


def test_a_letter_that_was_changed_is_none_of_his():
    assert verdict(signed().replace(b"PASS", b"MOVE")) == "fail"
    assert verdict(signed().replace(b"Subject: x", b"Subject: y")) == "fail"
    assert verdict(signed(b"evil.example").replace(b"PASS", b"MOVE")) == "none"


def test_a_key_that_cannot_be_had_is_no_failure():
    assert verdict(signed(selector=b"k2")) == "none"
    assert evidence_of_signatures(signed(), ANA, lambda name: None) == "none"
    assert verdict(signed(selector=b"gone")) in ("none", "fail")


def test_a_signature_that_leaves_the_end_of_the_body_open_proves_nothing():
    assert verdict(signed(length=True)) == "none"
    assert verdict(signed(length=True) + b"ORDERS T1\r\nMOVE x TO y\r\nEND\r\n") == "none"


def test_a_second_from_is_none_that_was_signed():
    assert verdict(b"From: eve@evil.example\r\n" + signed()) == "none"


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"DKIM-Signature: \r\nFrom: ana@players.example\r\n\r\nx",
        b"DKIM-Signature: v=1; a=rsa-sha1; d=\xff; s=x; h=from; bh=x; b=x\r\nFrom: ana@players.example\r\n\r\nx",
        b"DKIM-Signature: v=1;;;;\r\n" * 500 + LETTER,
        LETTER + b" \t" * 400_000,
        signed().replace(b"bh=", b"bh=!"),
        signed().replace(b"d=players", b"d=pl\xffyers"),
    ],
    ids=range(7),
)
def test_whatever_the_bytes_there_is_a_verdict(raw):
    assert verdict(raw) in ("none", "fail")


def test_only_so_many_signatures_are_looked_at():
    asked = []
    raw = signed()
    for _ in range(9):
        raw = signed(b"evil.example", letter=raw)
    evidence_of_signatures(raw, ANA, lambda name: asked.append(name))
    assert len(asked) == 2


def test_that_of_the_author_s_domain_is_looked_at_however_many_others_there_are():
    raw = signed()
    for _ in range(5):
        raw = signed(b"evil.example", letter=raw)
    assert verdict(raw) == "pass"


class Looked:
    """A resolver that says one record for every name, and counts how often it is asked."""

    def __init__(self, record):
        self.record, self.asked = record, 0

    def __call__(self, name):
        self.asked += 1
        return self.record


HEAD = b"DKIM-Signature: v=1; a=rsa-sha256; d=players.example; s=k1; h=%s; bh=%s; b=AAAA; c=relaxed/relaxed\r\n"
BODY = base64.b64encode(hashlib.sha256(b"x\r\n").digest())


@pytest.mark.parametrize(
    ("names", "fields", "body"),
    [
        (b"from" + b":x" * 501, b"", b"x\r\n"),
        (b"from", b"a: b\r\n" * 501, b"x\r\n"),
        (b"from", b"x: y\r\n" + b" \r\n" * 30_000, b"x\r\n"),
        (b"from", b"", (b" " * 199 + b"x") * 1_100),
        (b"from", b"", b" " * 200),
    ],
    ids=["names", "fields", "a field without end", "rows of blanks", "a row of blanks"],
)
def test_what_takes_the_library_too_long_is_not_handed_to_it(names, fields, body):
    raw = HEAD % (names, BODY) + b"From: ana@players.example\r\n" + fields + b"\r\n" + body
    looked = Looked("v=DKIM1; k=ed25519; p=" + PUBLIC)
    assert (evidence_of_signatures(raw, ANA, looked), looked.asked) == ("none", 0)


def test_a_key_that_takes_seconds_to_check_by_is_none():
    record = f"v=DKIM1; k=ed25519; p={PUBLIC}; n="
    for length, expected in ((LONGEST_KEY_RECORD, "pass"), (LONGEST_KEY_RECORD + 1, "none")):
        assert evidence_of_signatures(signed(), ANA, Looked(record.ljust(length, "x"))) == expected


def test_rows_of_blanks_as_tables_have_them_are_no_hindrance():
    letter = LETTER + (b" " * 60 + b"x\r\n") * 3_000
    assert verdict(signed(letter=letter)) == "pass"
