"""A letter known again: by place and content, and whatever the servers on its way wrote above it."""

import pytest

from pbem.mail import inbound, trace
from pbem.mail.address import OwnAddresses
from pbem.server.mailbox_poller import MailboxPoller
from pbem.store import tables
from tests.harness.game import ANN
from tests.harness.letters import mail, text_of
from tests.harness.mailbox import FolderMailbox

ORDERS = "ORDERS T1\nMOVE Ant TO s2\nEND\n"
OTHERS = "ORDERS T1\nMOVE Bee TO s3\nEND\n"
NOTE = "PRESS TO south\nHello!\nENDPRESS\n"


def traced(raw: bytes, number: int, seat: str = "") -> bytes:
    """The letter as the server hands it on for the given time."""
    return (
        b"Return-Path: <ann@players.example>\r\n"
        + (f"Delivered-To: {seat}\r\n".encode() if seat else b"")
        + b"Received: from mx.example by mail.example with LMTP id %d;\r\n\tMon, 4 May 2026 12:00:%02d +0000\r\n"
        b"X-Spam-Score: 0.%d\r\nARC-Seal: i=1; a=rsa-sha256; t=%d;\r\n b=abcdef\r\n"
        % (number, number, number, number)
        + raw
    )


def test_a_letter_that_the_server_delivers_twice_counts_once(house):
    raw = mail(ANN, house.addresses["north"], NOTE)
    assert house.receive(traced(raw, 1)).verdict == "seat"
    assert [row.kind for row in house.sent()] == ["press", "answer"]
    assert house.receive(traced(raw, 2)).verdict == "copy"
    assert [row.kind for row in house.sent()] == ["answer"]
    assert len(house.all(tables.Press)) == 1


def test_without_a_message_id_too(house):
    raw = mail(ANN, house.addresses["north"], NOTE, Message_ID=None)
    assert [house.receive(traced(raw, number)).verdict for number in (1, 2)] == ["seat", "copy"]


def test_one_letter_to_two_seats_is_a_letter_to_each(house):
    """The envelope alone shows for which of them a copy is."""
    raw = mail(ANN, "list@players.example", "STATUS")
    verdicts = [house.receive(traced(raw, 1, house.addresses[seat])).verdict for seat in ("north", "south", "south")]
    assert verdicts == ["seat", "seat", "copy"]


def test_a_letter_taken_before_traces_were_left_out_is_known_by_all_its_bytes(house, monkeypatch):
    raw = traced(mail(ANN, house.addresses["north"], ORDERS), 1)
    monkeypatch.setattr(trace, "without_traces", lambda raw: raw)
    house.receive(raw)
    monkeypatch.undo()
    assert house.receive(raw).verdict == "copy"


def test_what_its_author_wrote_tells_letters_apart(house):
    raw = mail(ANN, house.addresses["north"], NOTE, Message_ID="<1@players.example>")
    other = mail(ANN, house.addresses["north"], NOTE.replace("Hello", "Hallo"), Message_ID="<1@players.example>")
    assert [house.receive(copy).verdict for copy in (raw, other)] == ["seat", "seat"]


@pytest.mark.parametrize(
    "raw", [b"", b"\r\n", b"Received: x", b"X-A: 1\n b\nFrom: a@x.example\n\nX-B: stays\n", b"\xff\x00:"]
)
def test_a_digest_is_made_of_anything(raw):
    own = OwnAddresses("pbem", "games.example")
    assert len(inbound.read_header(raw, own).content) == 64
    assert (
        trace.without_traces(b"X-A: 1\n b\nFrom: a@x.example\n\nX-B: stays\n") == b"From: a@x.example\n\nX-B: stays\n"
    )


def test_a_number_that_the_mailbox_gives_twice_hides_no_letter(house):
    """The store was put back from a backup: five letters come under numbers of letters that were taken."""
    for number in range(5):
        house.receive(mail(ANN, house.addresses["north"], "STATUS"), uid=number + 1)
    house.sent()
    fresh = [mail(ANN, house.addresses["north"], text) for text in (ORDERS, OTHERS, "STATUS", "HELP", "STATUS")]
    verdicts = [house.receive(raw, uid=number + 1).verdict for number, raw in enumerate(fresh)]
    assert verdicts == ["seat"] * 5
    letters = house.sent()
    assert [row.kind for row in letters if row.recipient == ANN] == ["receipt", "receipt", "status", "help", "status"]
    (alarm,) = [row for row in letters if row.recipient == "op@games.example"]
    assert "its store was put back from a backup" in text_of(alarm)
    # Each is known at its new place, and the older ones by their bytes.
    assert [house.receive(raw, uid=number + 1).verdict for number, raw in enumerate(fresh)] == ["known"] * 5
    assert len({(row.uidvalidity, row.uid) for row in house.all(tables.Inbox)}) == 10


def test_a_letter_seen_again_at_its_place_is_the_same_even_if_traces_differ(house):
    raw = mail(ANN, house.addresses["north"], ORDERS)
    house.receive(traced(raw, 1), uid=7)
    assert house.receive(traced(raw, 2), uid=7).verdict == "known"
    assert house.receive(raw.replace(b"Bee", b"Ant"), uid=7).verdict == "known"


def test_a_mailbox_made_anew_is_told_of_once(house, tmp_path):
    box = FolderMailbox(tmp_path / "mail")
    pump = MailboxPoller(house.server, box)
    raw = mail(ANN, house.addresses["north"], ORDERS)
    box.put(raw)
    pump.step()
    house.sent()
    box.uidvalidity = 8
    box.put(mail(ANN, house.addresses["north"], "STATUS"))
    box.put(raw)
    MailboxPoller(house.server, box).step()
    box.put(mail(ANN, house.addresses["north"], "HELP"))
    pump.step()
    letters = house.sent()
    (alarm,) = [row for row in letters if row.recipient == "op@games.example"]
    assert "UIDVALIDITY is another one" in text_of(alarm)
    assert [row.verdict for row in house.all(tables.Inbox)] == ["seat", "seat", "copy", "seat"]
    assert len(house.all(tables.QueuedOrders)) == 1
