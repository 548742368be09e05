"""Letters read: headers, charsets, signs of machines, limits, and bytes that nobody should have sent."""

import hashlib
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.mail import TEXT_LINES, TEXT_OCTETS, imap
from pbem.mail.address import RECIPIENT_FIELDS, OwnAddresses
from pbem.mail.html import html_to_text
from pbem.mail.inbound import read_letter
from pbem.mail.mime import clean_text, decode_text
from pbem.mail.quoting import block_fingerprint

OWN = OwnAddresses("judge", "war.test")
SEAT = "judge+wt-042-spain-abcdefghijklmnop@war.test"
HEAD = f"From: Ana <ana@players.test>\r\nTo: {SEAT}\r\nMessage-ID: <a@b>\r\n".encode()
ORDERS = b"ORDERS T3\r\nPASS\r\nEND\r\n"


def letter(extra=b"", body=ORDERS):
    return HEAD + extra + b"\r\n" + body


def test_a_letter():
    raw = letter(
        b"Subject: =?utf-8?q?=C2=A1Adelante!?=\r\nDate: Sat, 21 Nov 2026 10:00:00 -0500\r\n"
        + b"References: <r@x>\r\n <s@x>\r\n"
    )
    incoming = read_letter(raw, OWN)
    assert incoming.message_id == "<a@b>"
    assert incoming.sender == "ana@players.test"
    assert incoming.recipients == (SEAT,)
    assert incoming.seat is not None
    assert (incoming.seat.game, incoming.seat.seat, incoming.seat.token) == ("wt-042", "spain", "abcdefghijklmnop")
    assert incoming.date == datetime(2026, 11, 21, 15, tzinfo=UTC)
    assert incoming.subject == "¡Adelante!"
    assert incoming.references == ("<r@x>", "<s@x>")
    assert incoming.text == "ORDERS T3\nPASS\nEND"
    assert (incoming.refusal, incoming.reason) == (None, "")


@pytest.mark.parametrize("line", [b"", b"Message-ID:\r\n", b"Message-ID: no brackets\r\n", b"Message-ID: <a b>\r\n"])
def test_a_letter_without_an_id_is_named_by_its_bytes(line):
    raw = b"From: a@b.c\r\n" + line + b"\r\nx\r\n"
    assert read_letter(raw, OWN).message_id == f"<{hashlib.sha256(raw).hexdigest()}@missing>"


def test_the_envelope_comes_before_what_the_author_wrote():
    other = SEAT.replace("spain", "morocco")
    lines = f"Cc: c@x.y\r\nEnvelope-To: e@x.y\r\nX-Original-To: {other}\r\nDelivered-To: Judge@war.test\r\n".encode()
    incoming = read_letter(letter(lines), OWN)
    assert incoming.recipients == ("judge@war.test", other, "e@x.y", SEAT, "c@x.y")
    assert incoming.seat is not None
    assert incoming.seat.seat == "morocco"


@pytest.mark.parametrize("field", RECIPIENT_FIELDS)
def test_a_seat_is_found_in_each_field_that_names_a_recipient(field):
    head = f"From: ana@players.test\nTo: list@players.test\nMessage-ID: <a@b>\n{field.title()}: Ana <{SEAT}>\n"
    incoming = read_letter(f"{head}\nSTATUS\n".encode(), OWN)
    assert incoming.seat is not None
    assert f"{incoming.seat.game}-{incoming.seat.seat}" in SEAT
    assert field.upper() in imap._RECIPIENTS, "it is asked for where many letters wait"


def test_a_seat_of_another_server_is_no_seat():
    assert read_letter(letter().replace(b"@war.test", b"@elsewhere.test"), OWN).seat is None


def test_a_bounce_address_names_the_letter_that_bounced():
    incoming = read_letter(b"From: MAILER-DAEMON\r\nTo: judge+bounce-k3f7q2zz@war.test\r\n\r\nno such user\r\n", OWN)
    assert (incoming.refusal, incoming.bounced, incoming.text) == ("bounce", "k3f7q2zz", "")


@pytest.mark.parametrize(
    "head",
    [
        "From: Post office <relay@mx.example>\r\nTo: judge+bounce-k3f7q2zz@war.test",
        "From: a@b.example\r\nPrecedence: list\r\nTo: judge+bounce-k3f7q2zz@war.test",
        "From: a@b.example\r\nAuto-Submitted: auto-replied\r\nTo: judge+bounce-k3f7q2zz@war.test",
        f"From: a@b.example\r\nDelivered-To: judge+bounce-k3f7q2zz@war.test\r\nTo: {SEAT}",
    ],
)
def test_what_comes_to_the_sender_of_an_envelope_is_a_bounce_whatever_its_header_says(head):
    incoming = read_letter(f"{head}\r\n\r\nSTATUS\r\n".encode(), OWN)
    assert (incoming.refusal, incoming.bounced, incoming.text) == ("bounce", "k3f7q2zz", "")


def test_a_letter_that_came_to_a_seat_is_none_though_a_copy_went_to_an_envelopes_sender():
    incoming = read_letter(
        f"From: a@b.c\r\nTo: {SEAT}\r\nCc: judge+bounce-k3f7q2zz@war.test\r\n\r\nSTATUS\r\n".encode(), OWN
    )
    assert (incoming.refusal, incoming.text) == (None, "STATUS")


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("Auto-Submitted: auto-replied", "auto"),
        ("Auto-Submitted: Auto-Generated; x=y", "auto"),
        ("Auto-Submitted: auto-notified (away)", "auto"),
        ("Return-Path: <>", "bounce"),
        ("Precedence: bulk", "auto"),
        ("Precedence: Junk", "auto"),
        ("Precedence: auto_reply", "auto"),
        ("Precedence: list", "list"),
        ("List-Id: <x.y>", "list"),
        ("List-Unsubscribe: <mailto:x@y.z>", "list"),
        ("X-Autoreply: yes", "auto"),
        ("X-Autorespond: away", "auto"),
        ("X-Loop: judge@war.test", "loop"),
        ("X-Loop: <JUDGE+wt@War.Test>", "loop"),
        ("Content-Type: multipart/report; report-type=delivery-status; boundary=x", "bounce"),
        ("Content-Type: multipart/report; report-type=disposition-notification; boundary=x", "auto"),
    ],
)
def test_machines_are_never_obeyed_and_never_answered(line, kind):
    incoming = read_letter(letter(line.encode() + b"\r\n"), OWN)
    assert (incoming.refusal, incoming.text) == (kind, "")
    assert incoming.reason


@pytest.mark.parametrize(
    "sender",
    ["MAILER-DAEMON", "<MAILER-DAEMON>", "postmaster@x.y", "Mail Delivery <MAILER-DAEMON@x.y>", "judge@war.test", SEAT],
)
def test_daemons_and_ourselves_are_not_answered(sender):
    incoming = read_letter(f"From: {sender}\r\nTo: {SEAT}\r\n\r\nPASS\r\n".encode(), OWN)
    assert incoming.refusal == ("loop" if "judge" in sender else "bounce")


@pytest.mark.parametrize(
    "line",
    [
        "Auto-Submitted: no",
        "X-Auto-Response-Suppress: All",
        "Return-Path: <ana@players.test>",
        "X-Loop: other@x.y",
        "X-Autoreply: no",
        "Precedence: normal",
        "Subject: Automatic reply: I mean it",
        "Auto-Submitted:",
    ],
)
def test_what_stands_on_peoples_letters_is_no_sign(line):
    assert read_letter(letter(line.encode() + b"\r\n"), OWN).refusal is None


CHARSETS = [
    ("utf-8", "utf-8"),
    ("iso-8859-1", "iso-8859-1"),
    ("iso-8859-15", "iso-8859-15"),
    ("windows-1252", "windows-1252"),
    ("utf-16", "utf-16"),
    ("utf-16-le", "utf-16le"),
    ("mac-roman", "macintosh"),
    ("utf-8", "us-ascii"),
    ("utf-8", "iso-8859-1"),
    ("utf-8", "windows-1251"),
    ("utf-8", "utf-16"),
    ("utf-8", "no-such-charset"),
    ("utf-8", "rot13"),
    ("utf-8", "idna"),
    ("utf-8", "x" * 200),
    ("utf-8-sig", "utf-8"),
    ("cp1252", "utf-8"),
    ("cp1252", "us-ascii"),
    ("cp1252", ""),
]


@pytest.mark.parametrize(("true", "declared"), CHARSETS)
def test_a_charset_that_lies_or_is_unknown_does_no_harm(true, declared):
    body = "MOVER Cañón, Mérida A Ávila".encode(true)
    kind = f'Content-Type: text/plain; charset="{declared}"\r\nContent-Transfer-Encoding: 8bit\r\n'.encode()
    assert read_letter(letter(kind, body), OWN).text == "MOVER Cañón, Mérida A Ávila"


def test_every_byte_decodes_somehow():
    assert decode_text(bytes(range(256)), "utf-8")
    assert decode_text(b"\x81\xff", "cp1252") == "\x81ÿ"
    assert decode_text(b"\x1b$B8=:_\x1b(B", "iso-2022-jp") == "現在"


def test_text_comes_out_composed_and_without_controls():
    text = "\ufeffA\u0301vila\x00\x1b[0m\u202e\r\rx\u2028y\ud7ff\u200bz\n"
    raw = letter(b"Content-Type: text/plain; charset=utf-8\r\n", text.encode())
    assert read_letter(raw, OWN).text == "Ávila[0m\n\nx\ny\ud7ffz"
    assert len(clean_text("a" + "\u0301\u0323" * 5000)) < 100


ZALGO = "e" + "\u0301\u0316" * 60_000


def multipart(count, nested=False):
    kind = b"Content-Type: multipart/mixed; boundary="
    if nested:
        body = b"".join(b"--b%d\r\n%sb%d\r\n\r\n" % (n, kind, n + 1) for n in range(count))
        return letter(kind + b"b0\r\n", body + b"--b%d\r\n\r\nPASS\r\n" % count)
    return letter(kind + b"b\r\n", b"--b\r\n\r\nPASS\r\n" * count + b"--b--\r\n")


POISON = {
    "header": HEAD + b"X: " + b"y" * 70_000 + b"\r\n\r\nPASS\r\n",
    "header without end": HEAD + b"X: y\r\n" * 20_000,
    "parts": multipart(501),
    "depth": multipart(12, nested=True),
    "multiparts": multipart(400, nested=True),
    "letters": letter(b"Content-Type: message/rfc822\r\n", b"Content-Type: message/rfc822\r\n\r\n" * 8),
    "global letters": letter(b"Content-Type: message/global\r\n", b"Content-Type: message/global\r\n\r\n" * 30),
    "content field": letter(b'Content-Type: text/plain; x="' + b";" * 60_000 + b"\r\n"),
    "folded content field": letter(b"Content-Type: text/plain;\r\n" + b" a=b;\r\n" * 1000),
    "content fields": letter(
        b"Content-Type: multipart/mixed; boundary=b\r\n",
        b"--b\r\nContent-Type: text/plain%s\r\n\r\nPASS\r\n" % (b"; a=b" * 600) * 240 + b"--b--\r\n",
    ),
}


@pytest.mark.parametrize("name", POISON)
def test_bombs_do_not_reach_the_parser(name):
    incoming = read_letter(POISON[name], OWN)
    assert (incoming.refusal, incoming.text) == ("poison", "")
    assert incoming.reason
    assert incoming.sender == "ana@players.test"


def page(html):
    return letter(b"Content-Type: text/html\r\n", html)


TOO_LONG = {
    "lines": letter(body=b"PASS\r\n" * 10_000),
    "just too many lines": letter(body=b"x\r\n" * 4_001),
    "octets": letter(body=b"word " * 60_000),
    "raw lines": letter(body=b"\r\n" * 60_000),
    "html": page(b"<p>word</p>" * 4_100),
    "attributes": page(b"<p " + b" ".join(b"a%d=x" % number for number in range(9_000)) + b">x"),
    "attributes without blanks": page(b"<p " + b"".join(b'a%d="<>"' % number for number in range(9_000)) + b">x"),
    "attributes without values": page(b"<p " + b" ".join(b"a%d" % number for number in range(9_000)) + b">x"),
    "crossing selectors": page(
        b"<style>%s</style>x" % b"".join(b".c%d, p{text-decoration:line-through}" % number for number in range(9_000))
    ),
    "marks": letter(b"Content-Type: text/plain; charset=utf-8\r\n", (ZALGO * 2).encode()),
}


@pytest.mark.parametrize("name", TOO_LONG)
def test_too_long_a_letter_is_refused_by_a_limit_with_a_name(name):
    incoming = read_letter(TOO_LONG[name], OWN)
    assert (incoming.refusal, incoming.text) == ("too-long", "")
    limits = ("4000 lines", "256 KB", "50000 lines", "2000 attributes", "50 crossing")
    assert any(number in incoming.reason for number in limits)
    assert incoming.reading.limit is not None
    assert incoming.reason.endswith(incoming.reading.limit.name)
    assert incoming.seat is not None


WIDE = ("padding-left", "margin-top", "margin-bottom", "-webkit-padding-start", "margin-left", "text-indent")


@pytest.mark.parametrize("style", WIDE)
@pytest.mark.parametrize("inside", ["x<br>", "<p style='{style}:99999em'>x</p>"])
def test_a_style_does_not_blow_up_the_text(style, inside):
    inner = inside.format(style=style) * 300
    text = html_to_text(f"<div style='{style}:90000em'>{inner}</div>")
    assert text.text.split() == ["x"] * 300
    assert len(text.text) <= 6 * 300


def test_a_page_with_as_many_attributes_as_a_picture_may_have_is_read():
    data = "QUJD" * 60_000
    html = f'<p title="{"a b=c / " * 3_000}">STATUS</p><img alt=x src="data:image/png;base64,{data}">'
    assert html_to_text(html).text.strip() == "STATUS"


def test_the_last_line_and_the_last_octet_are_still_read():
    assert read_letter(letter(body=b"x\r\n" * 3_999), OWN).text.count("\n") == 3_998
    assert read_letter(letter(body=b"a" * 262_144), OWN).refusal is None


def test_too_big_a_letter_is_known_by_its_header():
    incoming = read_letter(letter(body=b"x" * 1_000_001), OWN)
    assert (incoming.refusal, incoming.sender) == ("too-big", "ana@players.test")
    assert read_letter(letter(), OWN, whole=False).refusal == "too-big"
    assert read_letter(letter(b"Auto-Submitted: auto-replied\r\n"), OWN, whole=False).refusal == "auto"


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\0" * 1000,
        b"\xff\xfe",
        bytes(range(256)) * 100,
        letter(b"Content-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\n", b"AAECAwQ="),
        letter(b"Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n", b"!!!"),
        letter(b"Content-Type: multipart/mixed\r\n"),
        letter(b"Content-Type: text/html\r\n", b"<" * 1000),
        letter(b"Content-Type: text/html\r\n", b"<div>" * 20_000 + b"x"),
        letter(body=b""),
        letter(body=b"\r\n\r\n"),
    ],
    ids=range(11),
)
def test_nothing_is_read_where_nothing_is_written(raw):
    incoming = read_letter(raw, OWN)
    assert incoming.refusal is None
    assert "PASS" not in incoming.text
    assert "ORDERS" not in incoming.text


def test_a_letter_inside_the_letter_is_not_read():
    inner = b"Subject: x\r\n\r\n" + ORDERS
    parts = b"--b\r\nContent-Type: message/rfc822\r\n\r\n" + inner + b"--b\r\n\r\nSTATUS\r\n--b--\r\n"
    incoming = read_letter(letter(b"Content-Type: multipart/mixed; boundary=b\r\n", parts), OWN)
    assert (incoming.text, incoming.orders_only_quoted) == ("STATUS", False)
    # In a digest the parts are letters without being called so (RFC 2046, 5.1.5).
    digest = letter(b"Content-Type: multipart/digest; boundary=b\r\n", b"--b\r\n\r\n" + inner + b"--b--")
    assert read_letter(digest, OWN).text == ""


def test_header_lines_in_a_body_or_a_display_name_deceive_nobody():
    incoming = read_letter(letter(body=b"STATUS\r\n\r\nTo: judge@war.test\r\nX-Loop: judge@war.test\r\n"), OWN)
    assert incoming.refusal is None
    assert incoming.recipients == (SEAT,)
    spoof = b'From: "boss@war.test <judge@war.test>" <eve@x.y>\r\nSubject: =?utf-8?q?a=0D=0ABcc:_x?=\r\n\r\nx\r\n'
    incoming = read_letter(spoof, OWN)
    assert incoming.sender == "eve@x.y"
    assert incoming.subject == "a Bcc: x"


LETTERS = [path.read_bytes() for path in sorted((Path(__file__).parent / "letters").glob("*.eml"))]
TEMPLATES = {"k7q2": block_fingerprint("ORDERS T3 #k7q2\nEND")}


@given(st.binary(max_size=600))
def test_read_never_raises_on_any_bytes(raw):
    assert read_letter(raw, OWN, TEMPLATES).message_id
    assert read_letter(letter(body=raw), OWN, TEMPLATES).sender == "ana@players.test"


PIECES = [
    *(b"\r\n", b"\n\n", b"\r", b"=?utf-8?b?", b"?=", b"--b", b"> ", b"\0", b"\xff", b"(" * 50, b"<div>", b"</"),
    *(b"Content-Type: multipart/digest; boundary=b\r\n", b"Content-Transfer-Encoding: x-uuencode\r\n"),
    *(b"begin 644 x\r\n", b"charset*0*=''", b"Date: x\r\n", b"From: \r\n"),
    *(b"ORDERS T3 #k7q2\r\nEND\r\n", b"##- x -##"),
]
WOUNDS = st.lists(st.tuples(st.floats(0, 1), st.sampled_from(PIECES), st.integers(0, 40)), max_size=6)


@settings(max_examples=300)
@given(st.sampled_from(LETTERS), WOUNDS)
def test_read_never_raises_on_mutated_letters(raw, wounds):
    for where, piece, gone in wounds:
        cut_at = int(where * len(raw))
        raw = raw[:cut_at] + piece + raw[cut_at + gone :]
    incoming = read_letter(raw, OWN, TEMPLATES)
    assert incoming.text == "" or incoming.refusal is None
    assert "\r" not in incoming.text
    assert all(line.isprintable() or "\t" in line or not line.isascii() for line in incoming.text.split("\n"))


def steps(raw):
    """How many lines of Python `read` runs through: the cost, whatever the clock says."""
    count = 0

    def trace(frame, event, arg):
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        read_letter(raw, OWN, TEMPLATES)
    finally:
        sys.settrace(before)
    return count


GROWING = {
    "heads": b"ORDERS T3 #k7q2\r\n",
    "blocks": b"ORDERS T3 #k7q2\r\nPASS\r\nEND\r\n",
    "quoted blocks": b"> ORDERS T3 #k7q2\r\n> PASS\r\n> END\r\n",
    "attributions": b"On 21 Nov 2026 10:00\r\nthe judge <a@b.c>\r\n:\r\n> x\r\n",
    "colons": b"From:\r\nxxx:\r\n",
    "signatures": b"-- \r\n> x\r\n",
    "flowed": b"a \r\n",
    "deep quotes": b">>>>>>>>>>>>>>>>>>>> x\r\n",
    "accents": "ÓRDENES ñ\u0301\r\n".encode(),
    "footers": b"Sent from my iPhone\r\n",
    "fields": b"From: a@b.c\r\n> x\r\n",
    "bars": b"| x\r\n\r\nP> y\r\nP> z\r\n",
    "rules": b"b ----\r\nc ----\r\n",
    "press": b"PRESS TO x\r\ny\r\nENDPRESS\r\n",
    "html": b"<div>a<blockquote>b</div>",
    "parts": b"--b\r\nContent-Type: text/plain\r\n\r\nx\r\n",
}


@pytest.mark.parametrize("name", GROWING)
def test_twice_the_letter_is_twice_the_work(name):
    kind = {
        "flowed": b"Content-Type: text/plain; format=flowed\r\n",
        "html": b"Content-Type: text/html\r\n",
        "parts": b"Content-Type: multipart/mixed; boundary=b\r\n",
        "accents": b"Content-Type: text/plain; charset=utf-8\r\n",
    }.get(name, b"")
    small, large = (steps(letter(kind, GROWING[name] * times)) for times in (100, 400))
    assert large < 4.3 * small


def test_limits_are_those_that_are_told():
    assert (TEXT_OCTETS, TEXT_LINES) == (256 * 1024, 4_000)
