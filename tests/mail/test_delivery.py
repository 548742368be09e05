"""Reports of non-delivery: those that follow the standard, those that do not, and those that are none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.mail.address import OwnAddresses
from pbem.mail.delivery import DeliveryFailure, read_failure, returned_message_ids
from pbem.mail.inbound import read_letter

OWN = OwnAddresses("pbem", "games.example")
RETURNED = "<g1.T1.report.north.abc@games.example>"
TO = "pbem+bounce-k3f7q2zz@games.example"


def dsn(*recipients, text="Your message could not be delivered."):
    """A report as postfix, exim and the big providers write it: words, the status, the header that came back."""
    blocks = "".join(f"\r\nFinal-Recipient: rfc822; ann@players.example\r\n{fields}\r\n" for fields in recipients)
    return (
        f"Return-Path: <>\r\nFrom: MAILER-DAEMON@mx.example\r\nTo: {TO}\r\nAuto-Submitted: auto-replied\r\n"
        "Message-ID: <report@mx.example>\r\nMIME-Version: 1.0\r\n"
        'Content-Type: multipart/report; report-type=delivery-status; boundary="b"\r\n\r\n'
        f"--b\r\nContent-Type: text/plain\r\n\r\n{text}\r\n"
        f"--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example\r\n{blocks}"
        f"--b\r\nContent-Type: text/rfc822-headers\r\n\r\nMessage-ID: {RETURNED}\r\n--b--\r\n"
    ).encode()


def plain(text):
    return f"Return-Path: <>\r\nFrom: MAILER-DAEMON@mx.example\r\nTo: {TO}\r\n\r\n{text}\r\n".encode()


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ("Action: failed\r\nStatus: 5.1.1", DeliveryFailure("5.1.1", True, "")),
        ("Action: FAILED\r\nStatus: 5.7.26 (policy)", DeliveryFailure("5.7.26", True, "")),
        (
            "Action: failed\r\nStatus: 5.2.2\r\nDiagnostic-Code: smtp; 552\r\n  mailbox\r\n full",
            DeliveryFailure("5.2.2", True, "smtp; 552 mailbox full"),
        ),
        ("Action: failed\r\nStatus: 4.4.7", DeliveryFailure("4.4.7", False, "")),
        ("Action: failed", DeliveryFailure("5.0.0", True, "")),
        ("Action: delayed\r\nStatus: 4.4.1", None),
        ("Action: delivered\r\nStatus: 2.0.0", None),
        ("Action: relayed\r\nStatus: 2.1.9", None),
        ("Status: 5.1.1", None),
    ],
)
def test_the_status_part_is_the_truth(fields, expected):
    assert read_failure(dsn(fields, text="550 5.9.9 whatever the words say")) == expected


def test_of_several_recipients_the_first_that_failed_counts():
    report = dsn(
        "Action: delivered\r\nStatus: 2.0.0", "Action: failed\r\nStatus: 5.1.2", "Action: failed\r\nStatus: 4.0.0"
    )
    assert read_failure(report) == DeliveryFailure("5.1.2", True, "")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<ann@players.example>: host mx said: 550 5.1.1 User unknown", DeliveryFailure("5.1.1", True, "")),
        ("Remote host said: 554 no such user", DeliveryFailure("5.0.0", True, "")),
        ("Sorry, no mailbox here by that name. (#5.1.1)", DeliveryFailure("5.1.1", True, "")),
        ("452 too busy; will try again", DeliveryFailure("4.0.0", False, "")),
        ("remote said:550, no mailbox by that name", DeliveryFailure("5.0.0", True, "")),
        ("Remote host refused it (554: spam)", DeliveryFailure("5.0.0", True, "")),
        ("This is a permanent error; I've given up.", DeliveryFailure("5.0.0", True, "")),
        ("Delivery to the following recipient failed\r\npermanently:", DeliveryFailure("5.0.0", True, "")),
        ("Error permanente: el buzón no existe", DeliveryFailure("5.0.0", True, "")),
        ("4.2.2 mailbox full", DeliveryFailure("4.2.2", False, "")),
        ("It could not be delivered.", DeliveryFailure("4.0.0", False, "")),
        ("Version 2.0.0 of 1.2.3.4 sent 5501 letters", DeliveryFailure("4.0.0", False, "")),
    ],
)
def test_servers_without_a_status_part_are_read_by_their_words(text, expected):
    assert read_failure(plain(text)) == expected
    assert read_failure(plain(text).replace(b"\r\n", b"\n")) == expected


ENCODED = {
    "quoted-printable": "The server said: 550=205.1.=\r\n1 no such user",
    "base64": "VGhlIHNlcnZlciBzYWlkOiA1NTAgNS4xLjEgbm8gc3VjaCB1c2Vy",
}


@pytest.mark.parametrize("encoding", ENCODED)
def test_words_are_read_as_they_were_before_they_were_encoded(encoding):
    head = f"MIME-Version: 1.0\r\nContent-Type: text/plain\r\nContent-Transfer-Encoding: {encoding}\r\n\r\n".encode()
    raw = plain(ENCODED[encoding]).replace(b"\r\n\r\n", b"\r\n" + head, 1)
    assert read_failure(raw) == DeliveryFailure("5.1.1", True, "")
    wrapped = b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n" + head + ENCODED[encoding].encode()
    raw = plain("").split(b"\r\n\r\n")[0] + b"\r\n" + wrapped + b"\r\n--b--\r\n"
    assert read_failure(raw) == DeliveryFailure("5.1.1", True, "")


def test_which_letter_came_back_is_told_by_the_address_or_by_its_name():
    assert read_letter(dsn("Action: failed"), OWN).bounced == "k3f7q2zz"
    assert returned_message_ids(dsn("Action: failed")) == (RETURNED,)
    assert returned_message_ids(plain("no such user")) == ()


@pytest.mark.parametrize("raw", [b"", b"\r\n\r\n", b"Content-Type: message/delivery-status\r\n\r\n", b"\0" * 5000])
def test_what_is_no_report_is_no_hard_failure(raw):
    failure = read_failure(raw)
    assert failure is None or not failure.hard


@given(st.binary(max_size=400), st.integers(0, 700))
def test_whatever_the_bytes_there_is_a_verdict(wound, index):
    raw = dsn("Action: failed\r\nStatus: 5.1.1")
    for letter in (wound, raw[:index] + wound + raw[index + len(wound) :]):
        failure = read_failure(letter)
        assert failure is None or (failure.hard == failure.status.startswith("5") and failure.text.isprintable())
        assert len(returned_message_ids(letter)) <= 5
