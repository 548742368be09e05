"""Letters built at random, part in part, each field a lie: reading them gives a verdict and nothing else.

Some hundred of each kind here; `make fuzz-mail` goes on for as long as it is told.
"""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pbem.mail import TEXT_OCTETS, inbound, mime
from pbem.mail.html import HtmlText
from tests import fuzz_mail
from tests.fuzz_mail import PIECES, loop, mutate, seeds, verdict

KINDS = [
    *("text/plain", "text/html", "text/markdown", "text/enriched", "multipart/mixed", "multipart/alternative"),
    *("multipart/related", "multipart/digest", "multipart/signed", "multipart/report", "message/rfc822"),
    *("message/delivery-status", "message/partial", "application/octet-stream", "TEXT/Plain", "text", "/", ""),
]
CHARSETS = [
    *(
        "utf-8",
        "iso-8859-1",
        "utf-16",
        "utf-7",
        "utf-32",
        "iso-2022-jp",
        "big5",
        "hz",
        "idna",
        "unicode_escape",
        "rot13",
    ),
    *("zlib", "base64", "undefined", "x" * 300, "\0", "us-ascii*=", "utf-8''x"),
]
ENCODINGS = ["7bit", "8bit", "base64", "quoted-printable", "x-uuencode", "binary", "nonsense", ""]
BOUNDARIES = ["b", "", "b b", "=_b", "--", "b" * 200, 'b"', "\u00e9", "*"]
TEXTS = [
    *("ORDERS T3 #k7q2\r\nMOVE Leon TO Sierra\r\nEND\r\n", "> ORDERS T3\r\n> PASS\r\n> END\r\n", "STATUS\r\n"),
    *(
        "##- x -##\r\n",
        "-- \r\nAna\r\n",
        "On 1 Jan 2026, 10:00, A <a@b.c> wrote:\r\n",
        "From: a\r\nSent: 1.1.26\r\nTo: b\r\n",
    ),
    *("<div class=gmail_quote><blockquote>x</div>", "<pre>" * 30, "</div>" * 30, "&#0;&#x110000;", "<![CDATA[", "<!--"),
    *("=\r\n=3D=", "AAAA====", "begin 644 x\r\n#AAAA\r\nend", "\0\x1b[2J", "\u202e\u2066", "a \r\n" * 20, "\xff\xfe"),
]
SURROGATES = st.text(st.characters(), max_size=30)
SEEDS = seeds()


@st.composite
def field(draw):
    name = draw(st.sampled_from(["From", "To", "Subject", "Date", "Message-ID", "Return-Path", "X-Loop", "References"]))
    value = draw(
        st.one_of(
            SURROGATES,
            st.sampled_from(
                ["a@b.c", "<>", "=?utf-8?b?!?=", "=?x?q?=00?=", "Mon, 99 Jan 99999 99:99 +9999", "\t", "(" * 60]
            ),
        )
    )
    return f"{name}: {value}\r\n"


@st.composite
def part(draw, depth=0):
    kind = draw(st.sampled_from(KINDS))
    lines = [f"Content-Type: {kind}"]
    if draw(st.booleans()):
        lines.append(f"; charset={draw(st.sampled_from(CHARSETS))}")
    if draw(st.booleans()):
        lines.append(
            draw(st.sampled_from(["; format=flowed", "; format=flowed; delsp=yes", "; format*0*=x''flow", "; name=x"]))
        )
    boundary = draw(st.sampled_from(BOUNDARIES))
    if kind.lower().startswith("multipart"):
        lines.append(f'; boundary="{boundary}"' if draw(st.booleans()) else f"; boundary={boundary}")
    head = "".join(lines) + "\r\n"
    if draw(st.booleans()):
        head += f"Content-Transfer-Encoding: {draw(st.sampled_from(ENCODINGS))}\r\n"
    if draw(st.integers(0, 5)) == 0:
        head += draw(
            st.sampled_from(["Content-Disposition: attachment\r\n", "Content-Disposition: inline; filename=x\r\n"])
        )
    if kind.lower().startswith("multipart") and depth < 4:
        inner = draw(st.lists(part(depth=depth + 1), max_size=3))
        body = "".join(f"--{boundary}\r\n{part}\r\n" for part in inner) + draw(
            st.sampled_from([f"--{boundary}--\r\n", ""])
        )
    else:
        body = "".join(draw(st.lists(st.one_of(st.sampled_from(TEXTS), SURROGATES), max_size=4)))
    return f"{head}\r\n{body}"


@pytest.mark.full
@settings(max_examples=250, suppress_health_check=list(HealthCheck), deadline=None)
@given(st.lists(field(), max_size=5), part())
def test_any_letter_of_parts_gives_a_verdict(fields, body):
    verdict("".join([*fields, body]).encode("utf-8", "surrogatepass"))


@settings(max_examples=250, suppress_health_check=list(HealthCheck), deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(SEEDS))
def test_any_wound_of_a_letter_gives_a_verdict(seed, raw):
    verdict(mutate(raw, SEEDS, random.Random(seed)))


@settings(max_examples=250, deadline=None)
@given(st.lists(st.one_of(st.binary(max_size=40), st.sampled_from(PIECES)), max_size=40))
def test_any_bytes_give_a_verdict(pieces):
    verdict(b"".join(pieces))


@pytest.mark.full
def test_the_fuzzer_finds_what_is_wrong(monkeypatch):
    wrongs = []
    lines = list(loop(120, 60, 3, lambda raw, wrong: wrongs.append(wrong)))
    assert wrongs == []
    assert lines[-1].startswith("120 letters, ")
    real = inbound.read_letter

    def broken(raw, *arguments):
        if b"STATUS" in raw:
            raise RecursionError("planted")
        return real(raw, *arguments)

    monkeypatch.setattr(fuzz_mail, "read_letter", broken)
    list(loop(120, 60, 3, lambda raw, wrong: wrongs.append(wrong)))
    assert {str(wrong) for wrong in wrongs} == {"planted"}


def test_the_fuzzer_keeps_what_reaches_further():
    trace = fuzz_mail.Trace()
    assert trace.reaches_more(b"From: a@b.c\r\n\r\nSTATUS\r\n")
    assert not trace.reaches_more(b"From: a@b.c\r\n\r\nSTATUS\r\n")
    assert trace.reaches_more(b"From: a@b.c\r\nContent-Type: text/html\r\n\r\n<blockquote>x</blockquote>")


@pytest.mark.parametrize(
    ("raw", "limit"),
    [
        (b"X: " + b"y" * 70_000 + b"\r\n\r\nx", "header"),
        (b"X: y\r\n" * 12_000 + b"\r\nx", "header"),
        (b"Content-Type: multipart/mixed; boundary=b\r\n\r\n" + b"--b\r\n\r\n" * 600, "boundary"),
        (b"Content-Type: multipart/mixed; boundary=b\r\n\r\n" + b"--b" * 200_000, ""),
        (
            b"".join(b"Content-Type: multipart/mixed; boundary=%d\r\n\r\n--%d\r\n" % (n, n) for n in range(300)),
            "multiparts",
        ),
        (b"Content-Type: message/rfc822\r\n\r\n" * 300, "letters inside"),
        (b"Content-Type: message/partial\r\n\r\n" * 300, "messages inside"),
        (b"Content-Type: text/plain" + b"; a=b" * 2000 + b"\r\n\r\nx", "Content field"),
        (b"\r\n\r\n" + b"x\r\n" * 60_000, "50000 lines"),
        (b"\r\n\r\n" + b"x" * 300_000, "256 KB"),
        (b"Content-Type: text/html\r\n\r\n" + b"<p>" * 90_000, "30000 tags"),
        (b"Content-Type: text/html\r\n\r\n" + b"<p>" * 30_000, ""),
        (
            b"Content-Type: multipart/mixed; boundary=b\r\n\r\n"
            + (b"--b\r\nContent-Type: text/html\r\n\r\n" + b"<p>x" * 10_001 + b"\r\n") * 3,
            "30000 tags",
        ),
    ],
    ids=range(13),
)
def test_every_bomb_meets_a_limit_with_a_name(raw, limit):
    outcome = verdict(b"From: a@b.c\r\n" + raw)
    assert limit in outcome.reason
    assert (outcome.refusal is not None) == bool(limit)
    assert len(outcome.text) <= TEXT_OCTETS


def test_a_text_that_is_asked_for_again_is_not_made_again(monkeypatch):
    made = []

    def counted(page):
        made.append(page)
        return HtmlText("STATUS")

    monkeypatch.setattr(mime, "html_to_text", counted)
    raw = b"From: a@b.c\r\nContent-Type: text/html\r\n\r\n<p>never seen before"
    for _ in range(3):
        assert mime.body_text(raw) == "STATUS"
    assert len(made) == 1
