"""Letters sent once more, letters overtaken, letters given up."""

import email
import email.policy
import re
from datetime import timedelta

import pytest

from pbem.play.commands.table import founding, resend
from pbem.runtime.transaction import UserError
from pbem.server.outbox_sender import send_due_letters
from pbem.store import tables
from tests.campaign.test_postman import BUSY, NOBODY, ORDERS, Mta
from tests.harness.game import ANN, BOB

REPORT = ("report", ANN)


def kind_of(raw):
    """What stands in a Message-ID of ours: game, phase, kind, seat, mac."""
    name = email.message_from_bytes(raw)["Message-ID"]
    return name.partition("@")[0].split(".")[-3]


def reports(mta):
    return [letter for letter in mta.got if kind_of(letter.raw) == "report"]


@pytest.fixture
async def sent(tmp_path):
    """A house whose letters have been sent as bytes."""
    from tests.harness.game import PlayedGame

    made = PlayedGame(tmp_path, started=False)
    made.invite("north", ANN)
    made.invite("south", "bob@players.example")
    with made.server.work() as work:
        founding.start_game(work, "g1")
    await send_due_letters(made.server, Mta())
    yield made
    made.server.engine.dispose()


async def test_a_report_is_sent_again_as_the_same_letter(sent):
    (first,) = [row for row in sent.all(tables.Outbox) if (row.kind, row.recipient) == REPORT]
    sent.clock.forward(hours=5)
    sent.write("north", "RESEND")
    mta = Mta()
    assert await send_due_letters(sent.server, mta) == 2
    (again,) = reports(mta)
    assert (again.recipient, again.raw) == (ANN, first.body)
    (answer,) = [answer_got for answer_got in mta.got if answer_got != again]
    assert b"Your report is on its way to you once more, as it was sent." in answer.raw
    sent.write("north", "REENVIAR T1")
    mta = Mta()
    await send_due_letters(sent.server, mta)
    assert [report.raw for report in reports(mta)] == [first.body]


async def test_what_there_is_not_is_not_sent_again(sent):
    sent.write("north", "RESEND T7")
    mta = Mta()
    await send_due_letters(sent.server, mta)
    assert b"There is no report of yours for turn 7 that could be sent again." in mta.got[0].raw
    assert reports(mta) == []


async def test_a_predecessors_reports_are_not_passed_on(sent):
    """They show his address, and end in one that is worthless now."""
    sent.invite("north", "cat@players.example")
    sent.write("north", "RESEND")
    mta = Mta()
    await send_due_letters(sent.server, mta)
    assert reports(mta) == []
    assert b"There is no report of yours yet" in mta.got[-1].raw
    with sent.server.work() as work, pytest.raises(UserError, match="no such report of north in g1"):
        resend.resend_to_seat(work, "g1", "north")
    with sent.server.work() as work, pytest.raises(UserError, match="no seat west in g1"):
        resend.resend_to_seat(work, "g1", "west")


async def test_letters_given_up_are_listed_and_sent_again(house):
    house.write("north", ORDERS)
    house.write("south", "HELP")
    await send_due_letters(house.server, Mta(NOBODY, BUSY))
    with house.server.session() as session:
        undelivered = resend.undelivered_letters(session)
    given_up, waits = [row for row in undelivered if row.to != "op@games.example"]
    assert (given_up.to, given_up.given_up, given_up.last_reply) == (ANN, True, "550 5.1.1 no such user")
    assert (waits.given_up, waits.tries, waits.next_try) == (False, 1, house.clock.now() + timedelta(minutes=1))
    with house.server.work() as work:
        assert resend.retry_failed(work) == 1
    mta = Mta()
    assert await send_due_letters(house.server, mta) == 1
    assert mta.got[0].recipient == ANN


async def test_of_two_status_letters_the_newer_one_is_sent(house):
    house.write("north", "STATUS")
    house.write("south", "STATUS")
    house.write("north", ORDERS)
    house.write("north", "STATUS")
    mta = Mta()
    await send_due_letters(house.server, mta)
    kinds = [(letter.recipient, kind_of(letter.raw)) for letter in mta.got]
    assert kinds == [(BOB, "status"), (ANN, "receipt"), (ANN, "status")]
    dropped = next(row for row in house.all(tables.Outbox) if row.last_text.startswith("overtaken by <g1."))
    assert (dropped.state, dropped.attempts, dropped.body) == ("failed", 0, None)
    with house.server.work() as work:
        assert resend.undelivered_letters(work.session) == ()
        assert resend.retry_failed(work) == 0


async def test_receipts_are_sent_however_many_there_are(house):
    for _ in range(3):
        house.write("north", ORDERS)
    mta = Mta()
    assert await send_due_letters(house.server, mta) == 3


async def test_the_headers_of_a_games_letters(house):
    house.write("north", ORDERS)
    mta = Mta()
    await send_due_letters(house.server, mta)
    letter = email.message_from_bytes(mta.got[0].raw, policy=email.policy.default)
    button = letter["List-Unsubscribe"]
    assert re.fullmatch(r"<mailto:pbem\+g1-north-[a-z2-7]{16}@games\.example>", button)
    assert house.addresses["north"] not in button
    assert letter["List-Id"] == "<g1.games.example>"
    first, cause = letter["References"].split()
    assert ".report.north." in first
    assert cause == letter["In-Reply-To"]
