"""Letters as bytes: the same ones every time, safe in any header, readable by the standard parser."""

import email
import email.policy
import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.mail.outbound import (
    InlinePicture,
    LetterTopic,
    OutgoingLetter,
    compose,
    content_id,
    insert_pictures,
    message_id,
    picture_digests,
    png_size,
    read_message_id,
)

ID = message_id(b"key", LetterTopic("wt-042", "T3.spain~1", "report", "spain", "letter 17"), "war.test")


def letter(**changes):
    fields: dict[str, Any] = {
        "message_id": ID,
        "sender": "judge@war.test",
        "recipient": "ana@players.test",
        "reply_to": "judge+wt-042-spain-abcdefghijklmnop@war.test",
        "subject": "Castillejos T3",
        "text": "Hello\n",
        "date": datetime(2026, 11, 21, 11, 0, tzinfo=timezone(timedelta(hours=1))),
        "loop": "judge@war.test",
        "list_id": "wt-042.war.test",
    }
    return OutgoingLetter(**(fields | changes))


def body_of(raw: bytes) -> str:
    payload = email.message_from_bytes(raw).get_payload(decode=True)
    assert isinstance(payload, bytes)
    return payload.decode("utf-8").replace("\r\n", "\n")


def test_a_plain_letter_byte_for_byte():
    raw = compose(letter(references=("<root@war.test>", "<last@war.test>"), in_reply_to="<last@war.test>"))
    assert raw == (
        b"From: judge@war.test\r\n"
        b"To: ana@players.test\r\n"
        b"Reply-To: judge+wt-042-spain-abcdefghijklmnop@war.test\r\n"
        b"Subject: Castillejos T3\r\n"
        b"Date: Sat, 21 Nov 2026 10:00:00 +0000\r\n"
        b"Message-ID: <wt-042.T3.spain~1.report.spain.gzxq3vfi@war.test>\r\n"
        b"In-Reply-To: <last@war.test>\r\n"
        b"References: <root@war.test> <last@war.test>\r\n"
        b"Auto-Submitted: auto-generated\r\n"
        b"X-Loop: judge@war.test\r\n"
        b"List-Id: <wt-042.war.test>\r\n"
        b"MIME-Version: 1.0\r\n"
        b'Content-Type: text/plain; charset="utf-8"\r\n'
        b"Content-Transfer-Encoding: 7bit\r\n"
        b"\r\n"
        b"Hello\r\n"
    )


def test_a_letter_id_holds_what_it_is_for_and_cannot_be_foretold():
    assert message_id(b"key", LetterTopic("wt-042", "T3.spain~1", "report", "spain", "letter 17"), "war.test") == ID
    others = [
        message_id(b"other", LetterTopic("wt-042", "T3.spain~1", "report", "spain", "letter 17"), "war.test"),
        message_id(b"key", LetterTopic("wt-042", "T3.spain~1", "report", "spain", "letter 18"), "war.test"),
        message_id(b"key", LetterTopic("wt-042", "T3.spain~1", "receipt", "spain", "letter 17"), "war.test"),
        message_id(b"key", LetterTopic("wt-042", "T3.spain~1", "report", "morocco", "letter 17"), "war.test"),
    ]
    macs = {text.partition("@")[0].rpartition(".")[2] for text in [ID, *others]}
    assert len(macs) == 5
    assert message_id(b"key", LetterTopic("", "", "unknown", "", "x"), "war.test").startswith("<-.-.unknown.-.")


@pytest.mark.parametrize("phase", ["T3.spain~1", "T1.camp~2", "T12"])
def test_phase_and_kind_are_read_from_a_letter_id(phase):
    topic = LetterTopic("wt-042", phase, "report", "spain", "letter 17")
    assert read_message_id(message_id(b"key", topic, "mail.war.test")) == (phase, "report")
    assert read_message_id("<17.ab@war.test>") == read_message_id("") == ("", "")


@pytest.mark.parametrize("part", ["a b", "a\r\nb", "ñ", ".a", "a..b", "x" * 65, "a@b", "<"])
def test_a_letter_id_is_refused_for_what_would_break_it(part):
    with pytest.raises(ValueError, match="Message-ID"):
        message_id(b"key", LetterTopic(part, "T3", "report", "spain", ""), "war.test")


INJECTIONS = ["a\r\nBcc: x@y.z", "a\nb", "a\rb", "a\0b", "a\u2028b", "a\x85b", "a\x7fb"]


@pytest.mark.parametrize("value", INJECTIONS)
@pytest.mark.parametrize(
    "field",
    (
        [
            "subject",
            "sender_name",
            "sender",
            "recipient",
            "reply_to",
            "message_id",
            "in_reply_to",
            "loop",
            "list_id",
            "list_unsubscribe",
        ]
    ),
)
def test_no_header_takes_a_line_break(field, value):
    with pytest.raises(ValueError, match=r"."):
        compose(letter(**{field: value}))
    with pytest.raises(ValueError, match="Message-ID"):
        compose(letter(references=("<good@id>", value)))


def test_a_date_needs_a_zone():
    with pytest.raises(ValueError, match="zone"):
        compose(letter(date=datetime(2026, 11, 21)))  # noqa: DTZ001


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("plain\n", "7bit"),
        ("x" * 998, "7bit"),
        ("x" * 999, "quoted-printable"),
        ("España\n", "quoted-printable"),
        ("\nFrom here on\n", "quoted-printable"),
        ("From here on, " + "y" * 100, "quoted-printable"),
        (".\n..\n", "7bit"),
    ],
)
def test_the_encoding_is_the_simplest_that_will_do(text, encoding):
    raw = compose(letter(text=text))
    assert email.message_from_bytes(raw)["Content-Transfer-Encoding"] == encoding
    assert body_of(raw) == text.removesuffix("\n") + "\n"
    assert b"\r\nFrom " not in raw.partition(b"\r\n\r\n")[2]


@given(
    st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"]), max_size=300),
    st.text(
        alphabet=st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp", "Z"], include_characters=" "), max_size=200
    ),
    st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc", "Z"], include_characters=' "\\,'), max_size=60),
)
def test_any_text_arrives_and_every_line_is_legal(text, subject, name):
    raw = compose(letter(text=text, subject=subject, sender_name=name))
    assert raw == compose(letter(text=text, subject=subject, sender_name=name))
    raw.decode("ascii")
    assert max(map(len, raw.split(b"\r\n"))) <= 998
    assert b"\n" not in raw.replace(b"\r\n", b"")
    message = email.message_from_bytes(raw, policy=email.policy.default)
    body = message.get_content().replace("\r\n", "\n")
    assert body.rstrip("\n") == text.rstrip("\n")
    assert message["To"] == "ana@players.test"
    assert [address.addr_spec for address in message["From"].addresses] == ["judge@war.test"]
    if subject == subject.strip():
        assert message["Subject"] == subject


def test_control_characters_of_a_text_do_not_leave_the_house():
    raw = compose(letter(text="a\0b\x1b[31m\r\nc\rd\ud800"))
    assert body_of(raw) == "a\ufffdb\ufffd[31m\nc\nd\ufffd\n"


@pytest.mark.parametrize(
    ("text", "encoding", "charset"),
    [
        ("one\ntwo\n", "7bit", "us-ascii"),
        ("x" * 998 + "\n", "7bit", "us-ascii"),
        ("x" * 999 + "\n", "quoted-printable", "us-ascii"),
        ("ñ\n", "quoted-printable", "utf-8"),
    ],
)
def test_a_file_arrives_as_it_is_and_every_line_is_legal(text, encoding, charset):
    raw = compose(letter(attachments=(("g1.txt", text),)))
    (part,) = email.message_from_bytes(raw, policy=email.policy.default).iter_attachments()
    assert str(part["Content-Transfer-Encoding"]) == encoding
    assert (part.get_content_charset(), part.get_filename()) == (charset, "g1.txt")
    assert part.get_content().replace("\r\n", "\n") == text
    assert max(map(len, raw.split(b"\r\n"))) <= 998
    assert "Hello" in str(email.message_from_bytes(raw, policy=email.policy.default).get_body())


@pytest.mark.parametrize("file", [None, ("g1.txt", "ñ\n")])
def test_a_page_stands_beside_the_text_and_behind_it(file):
    page = f"<p>{'año ' * 400}</p>\nFrom here\n"
    raw = compose(letter(html=page, attachments=(file,) if file else ()))
    message = email.message_from_bytes(raw, policy=email.policy.default)
    kinds = [part.get_content_type() for part in message.walk() if part.get_content_maintype() != "multipart"]
    assert kinds == ["text/plain", "text/html"] + (["text/plain"] if file else [])
    text, shown = message.get_body(("plain",)), message.get_body(("html",))
    assert text is not None
    assert shown is not None
    assert "Hello" in text.get_content()
    assert shown.get_content().replace("\r\n", "\n") == page
    assert max(map(len, raw.split(b"\r\n"))) <= 998
    assert [part.get_filename() for part in message.iter_attachments()] == ([file[0]] if file else [])
    assert raw == compose(letter(html=page, attachments=(file,) if file else ()))


def test_several_files_go_in_order_and_json_by_its_type():
    raw = compose(letter(attachments=(("proof.txt", "one\n"), ("report.json", '{"n": 1}\n'))))
    first, second = email.message_from_bytes(raw, policy=email.policy.default).iter_attachments()
    assert (first.get_content_type(), first.get_filename()) == ("text/plain", "proof.txt")
    assert (second.get_content_type(), second.get_filename()) == ("application/json", "report.json")
    assert json.loads(second.get_content()) == {"n": 1}


def test_many_references_are_folded():
    raw = compose(letter(references=tuple(f"<{number:060d}@war.test>" for number in range(40))))
    assert max(map(len, raw.split(b"\r\n"))) < 100
    assert email.message_from_bytes(raw)["References"].count("@war.test>") == 40
    assert (
        datetime(2026, 11, 21, 10, tzinfo=UTC)
        == email.message_from_bytes(raw, policy=email.policy.default)["Date"].datetime
    )


def test_pictures_are_named_in_a_letter_and_put_in_where_it_is_sent():
    cid, digest = content_id(ID, 1), "ab" * 32
    kept = compose(letter(html=f'<img src="cid:{cid}">', pictures=(InlinePicture(cid, digest),)))
    assert picture_digests(kept) == [digest]
    picture = bytes(range(256)) * 9
    sent = email.message_from_bytes(insert_pictures(kept, {digest: picture}.__getitem__), policy=email.policy.default)
    alternative = list(sent.iter_parts())
    assert [part.get_content_type() for part in alternative] == ["text/plain", "multipart/related"]
    page, shown = alternative[1].iter_parts()
    assert f"cid:{cid}" in page.get_content()
    assert (shown["Content-ID"], shown.get_content()) == (f"<{cid}>", picture)
    assert shown.get_content_disposition() == "inline"
    assert max(map(len, insert_pictures(kept, lambda name: picture).split(b"\r\n"))) <= 998


def test_no_text_can_pass_for_a_picture():
    digest = "cd" * 32
    forged = f"\0{digest}\0"
    kept = compose(letter(text=forged, html=forged, subject="x", attachments=(("a.txt", forged),)))
    assert picture_digests(kept) == []
    assert insert_pictures(kept, lambda name: b"!") == kept
    with pytest.raises(ValueError, match="not a digest"):
        compose(letter(html="x", pictures=(InlinePicture("a@b", forged),)))


@pytest.mark.parametrize("data", [b"", b"GIF89a", b"\x89PNG\r\n\x1a\n0000JUNK"])
def test_what_is_no_png_has_no_size(data):
    with pytest.raises(ValueError, match="not a PNG"):
        png_size(data)
