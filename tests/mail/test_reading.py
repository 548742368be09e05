"""What a letter's reading record says: parts read or not and why, what was crossed out, armour of signatures."""

import pytest

from pbem.mail.address import OwnAddresses
from pbem.mail.inbound import read_letter

OWN = OwnAddresses("judge", "war.test")
HEAD = "From: ana@players.test\nTo: judge@war.test\nMessage-ID: <a@b>\nMIME-Version: 1.0\n"


def letter(text, kind="text/plain; charset=utf-8", more=""):
    return read_letter(f"{HEAD}Content-Type: {kind}\n{more}\n{text}".encode(), OWN)


def parts(*pairs, kind="mixed"):
    body = "".join(f"--b\n{head}\n\n{text}\n" for head, text in pairs)
    return letter(f"{body}--b--\n", f"multipart/{kind}; boundary=b")


def unread(incoming):
    return [(part.kind, part.name, part.unread) for part in incoming.reading.parts if part.unread]


CROSSED_OUT = [
    "<s>MOVE A</s>",
    "<STRIKE>MOVE A</STRIKE>",
    "<del>MOVE A</del>",
    "<del><div>MOVE A</div></del>",
    '<span style="text-decoration:line-through">MOVE A</span>',
    '<div style="text-decoration: underline LINE-THROUGH red"><b>MOVE A</b></div>',
    '<p style="color:red;text-decoration-line:line-through">MOVE A</p>',
    '<font style="text-decoration : line-through">MOVE A</font>',
    '<style>.gone, b {text-decoration: line-through}</style><p class="x gone">MOVE A</p>',
    "<style>@media all { div p.gone { color:red; text-decoration-line:line-through }}</style><p class=gone>MOVE A</p>",
    "<style>#gone{text-decoration:line-through}</style><span id=gone>MOVE A</span>",
    "M\u0336O\u0336V\u0336E\u0336 A\u0336",
    "M\u0335O\u0335V\u0335E\u0335 A\u0335",
]


@pytest.mark.parametrize("page", CROSSED_OUT)
@pytest.mark.parametrize("beside", ["", "ORDERS\nMOVE A\nHOLD B\nEND"], ids=["page alone", "beside a text"])
def test_what_is_crossed_out_is_left_out_and_named(page, beside):
    html = f"<html><body><div>ORDERS</div><div>{page}</div><div>HOLD B</div><div>END</div></body></html>"
    both = [("Content-Type: text/plain", beside), ("Content-Type: text/html; charset=utf-8", html)]
    incoming = parts(*(both if beside else both[1:]), kind="alternative")
    assert [line for line in incoming.text.split("\n") if line] == ["ORDERS", "HOLD B", "END"]
    assert incoming.reading.struck == ("MOVE A",)


def test_a_piece_of_a_line_is_crossed_out_and_the_rest_is_read():
    incoming = letter("<div>ASSAULT Cresta WITH <s>Cuenca, </s>Vergara</div>", "text/html")
    assert incoming.text == "ASSAULT Cresta WITH Vergara"
    assert incoming.reading.struck == ("Cuenca,",)


def test_what_an_older_letter_crossed_out_is_not_named():
    incoming = letter("<div>STATUS</div><blockquote><s>MOVE A</s></blockquote>", "text/html")
    assert (incoming.text, incoming.reading.struck) == ("STATUS", ())


@pytest.mark.parametrize(
    ("head", "sent"),
    [
        ("Content-Transfer-Encoding: base64 \n", "U1RBVFVT"),
        ("Content-Transfer-Encoding: base64 (by hand)\n", "U1RBVFVT"),
        ("Content-Transfer-Encoding: BASE64;\n", "U1RBVFVT"),
        ("Content-Transfer-Encoding: base64\n", "U1RBVFVTCg"),
        ("Content-Transfer-Encoding: base64\n", "U1RBVFVTCg===="),
        ("Content-Transfer-Encoding: base64\n", "U1RB\nVFU=\nUw=="),
        ("Content-Transfer-Encoding: quoted-printable (soft)\n", "STA=54US"),
    ],
)
def test_transfer_encodings_are_read_as_meant(head, sent):
    assert letter(sent, more=head).text == "STATUS"


@pytest.mark.parametrize("charset", ["idna", "undefined", "no-such-charset", "x" * 200])
def test_base64_with_a_stray_octet_is_read_whatever_charset_it_declares(charset):
    head = f"{HEAD}Content-Type: text/plain; charset={charset}\nContent-Transfer-Encoding: base64\n\n"
    assert read_letter(head.encode() + b"U1RB\xf1\nVFVT\n", OWN).text == "STATUS"


@pytest.mark.parametrize(
    "kind",
    [
        "text/plain charset=utf-8",
        "text/x-unheard-of",
        "text/enriched; charset=utf-8",
        'text/plain; name="message.txt"\nContent-Disposition: inline; filename="message.txt"',
        'text/plain; name="message.txt"\nContent-Disposition: attachment; filename="message.txt"',
        "text",
    ],
)
def test_the_only_text_is_read_whatever_it_is_called(kind):
    incoming = letter("MUÉSTRAME ESTADO", kind)
    assert (incoming.text, unread(incoming)) == ("MUÉSTRAME ESTADO", [])


def test_the_only_text_of_several_parts_is_read_though_attached():
    text = ("Content-Type: text/plain\nContent-Disposition: attachment; filename=a.txt", "STATUS")
    picture = ("Content-Type: image/png; name=a.png", "xx")
    incoming = parts(picture, text)
    assert (incoming.text, unread(incoming)) == ("STATUS", [("image/png", "a.png", "not text")])


def test_a_page_that_was_sent_as_plain_text_is_read_as_a_page():
    assert letter("<html><body><div>STATUS</div><div>MAP</div></body></html>").text == "STATUS\nMAP"


@pytest.mark.parametrize("stub", ["This message is in HTML.", "Su programa no muestra HTML", "See the other part"])
def test_a_text_part_that_only_names_the_page_gives_way_to_it(stub):
    page = "<div>ORDERS T1</div><div>HOLD B</div><div>END</div>"
    incoming = parts(("Content-Type: text/plain", stub), ("Content-Type: text/html", page), kind="alternative")
    assert incoming.text == "ORDERS T1\nHOLD B\nEND"
    assert unread(incoming) == [("text/plain", "", "other form")]


def test_a_short_text_part_with_commands_is_no_stub():
    page = "<div>A great page, without what the text says</div>"
    incoming = parts(("Content-Type: text/plain", "STATUS"), ("Content-Type: text/html", page), kind="alternative")
    assert incoming.text == "STATUS"


@pytest.mark.parametrize(
    ("head", "why"),
    [
        ("text/plain\nContent-Disposition: attachment; filename=orders.txt", "attached"),
        ("application/pdf; name=orders.txt", "not text"),
        ("message/rfc822", "letter"),
        ("application/pkcs7-mime; smime-type=enveloped-data", "encrypted"),
        ("application/pkcs7-mime; smime-type=signed-data", "sealed"),
        ("application/pgp-signature", "signature"),
        ("text/calendar; method=REQUEST", "calendar"),
    ],
)
def test_each_part_that_is_not_read_is_listed_with_its_reason(head, why):
    incoming = parts(("Content-Type: text/plain", "STATUS"), (f"Content-Type: {head}", "ORDERS\nHOLD B\nEND"))
    assert incoming.text == "STATUS"
    assert [part.unread for part in incoming.reading.parts] == [None, why]


@pytest.mark.parametrize("hashes", ["Hash: SHA256\n\n", "Hash: SHA256\nCharset: utf-8\n\n", "\n", ""])
def test_inline_signed_pgp_is_read_without_its_armour(hashes):
    signed = (
        f"-----BEGIN PGP SIGNED MESSAGE-----\n{hashes}STATUS\n- -- \nAna\n-----BEGIN PGP SIGNATURE-----\n\niQ\n=Ab\n"
    )
    incoming = letter(f"Look:\n{signed}-----END PGP SIGNATURE-----\n")
    assert incoming.text == "Look:\nSTATUS"
    assert incoming.reading.armour >= 5


def test_what_is_encrypted_is_named():
    armour = "-----BEGIN PGP MESSAGE-----\n\nhQ\n-----END PGP MESSAGE-----"
    assert letter(armour).reading.encrypted
    sealed = parts(
        ("Content-Type: application/pgp-encrypted", "Version: 1"), ("Content-Type: x/y", armour), kind="encrypted"
    )
    assert (sealed.text, sealed.reading.encrypted) == ("", True)


MARKS = ["- ", "* ", "• ", "1. ", "12) ", "a) ", "– ", "  - ", "\t* "]


@pytest.mark.parametrize("mark", MARKS)
def test_the_lines_of_a_list_are_read_without_their_marks(mark):
    incoming = letter(f"{mark}STATUS\nORDERS T1\n{mark}Move Saboya TO Valle\n{mark}HOLD B\nEND\n{mark}MAP\n")
    assert incoming.text == "STATUS\nORDERS T1\nMove Saboya TO Valle\nHOLD B\nEND\nMAP"


@pytest.mark.parametrize(
    "line", ["- my horse is ill", "1. it rains", "--", "# - MOVE A", "3 TO Valle", "1. WHEN ASSAULTED"]
)
def test_other_lines_keep_what_they_begin_with(line):
    assert letter(f"STATUS\n\n{line}\nMAP\n").text.split("\n")[2:3] in ([line], [])


def test_what_is_said_to_others_keeps_its_lists():
    press = "PRESS TO morocco\n- PEACE\n1. NOW\nENDPRESS"
    assert letter(press).text == press


@pytest.mark.parametrize("link", ["https://eur01.safelinks.example/?url=http%3A%2F%2Fnudos%2F", "mailto:a@b.example"])
def test_a_link_behind_a_word_is_no_part_of_it(link):
    assert letter(f"ACTIVATE Nudos<{link}>\n*FIRE*<{link}> A").text == "ACTIVATE Nudos\n*FIRE* A"


def test_quoted_lines_are_counted():
    reading = letter("STATUS\n> MOVE A\n> MOVE B\n").reading
    assert (reading.quoted, reading.armour) == (2, 0)


@pytest.mark.parametrize("method", ["REPLY", '"reply"', "COUNTER", "DECLINECOUNTER", "REFRESH"])
@pytest.mark.parametrize("kind", ["alternative", "mixed"])
def test_an_answer_to_an_appointment_is_written_by_a_program(method, kind):
    calendar = f"Content-Type: text/calendar; charset=utf-8; method={method}"
    incoming = parts(("Content-Type: text/plain", "STATUS"), (calendar, "BEGIN:VCALENDAR"), kind=kind)
    assert (incoming.refusal, incoming.reason, incoming.text) == ("auto", "an answer to an appointment", "")
    alone = letter("BEGIN:VCALENDAR", f"text/calendar; method={method}")
    assert alone.refusal == "auto"


@pytest.mark.parametrize("method", ["; method=REQUEST", "; method=PUBLISH", ""])
def test_an_appointment_that_a_person_sends_along_is_named(method):
    incoming = parts(
        ("Content-Type: text/plain", "STATUS"), (f"Content-Type: text/calendar{method}", "BEGIN:VCALENDAR")
    )
    assert (incoming.refusal, incoming.text) == (None, "STATUS")
    assert unread(incoming) == [("text/calendar", "", "calendar")]
