"""A mail server that refuses us: letters wait, the operator is told once, and all go on when one is taken."""

from datetime import timedelta

import pytest

from pbem.mail.smtp import SmtpReply
from pbem.server.health import read_health
from pbem.server.outbox_sender import send_due_letters
from pbem.store import tables
from tests.campaign.test_postman import AWAY, NOBODY, TAKEN, Mta
from tests.harness.game import ANN, BOB
from tests.harness.letters import text_of

POLICY = SmtpReply(550, "5.7.1 sender not allowed", "failed", "recipient")
SENDER = SmtpReply(553, "not your address", "failed", "sender")
DATA = SmtpReply(554, "5.7.26 unauthenticated mail is blocked", "failed", "data")


def rows(house):
    return {row.id: row for row in house.all(tables.Outbox) if row.kind == "help"}


def notices(house):
    return [row for row in house.all(tables.Outbox) if row.recipient == "op@games.example"]


def letters(house, count):
    for _ in range(count):
        house.write("north", "HELP")


@pytest.mark.full
@pytest.mark.parametrize("refusal", [POLICY, SENDER, DATA])
async def test_letters_wait_for_days_and_go_when_we_are_taken_again(house, refusal):
    letters(house, 4)
    mta = Mta(refusal)
    assert await send_due_letters(house.server, mta) == 0
    assert {row.state for row in rows(house).values()} == {"queued"}
    for _ in range(40):
        house.clock.forward(hours=2)
        await send_due_letters(house.server, mta)
    assert {row.state for row in rows(house).values()} == {"queued"}
    assert not [seat for seat in house.all(tables.Seat) if seat.bounces]
    (notice,) = notices(house)
    assert text_of(notice).startswith("kind: fault (en)\nThe mail server refuses what this server sends")
    house.clock.forward(hours=2)
    assert await send_due_letters(house.server, Mta()) == 5
    assert {row.state for row in house.all(tables.Outbox)} == {"sent"}


async def test_while_we_are_refused_one_letter_is_tried_in_five_minutes(house):
    letters(house, 8)
    mta = Mta(POLICY)
    await send_due_letters(house.server, mta)
    assert len(mta.got) == 8
    letters(house, 3)
    await send_due_letters(house.server, mta)
    assert len(mta.got) == 8
    house.clock.forward(minutes=5)
    await send_due_letters(house.server, mta)
    assert len(mta.got) == 9
    house.clock.forward(minutes=1)
    await send_due_letters(house.server, mta)
    assert len(mta.got) == 9


async def test_a_line_that_is_cut_in_between_changes_nothing(house):
    letters(house, 3)
    await send_due_letters(house.server, Mta(POLICY))
    for reply in (AWAY, POLICY, AWAY):
        house.clock.forward(minutes=6)
        await send_due_letters(house.server, Mta(reply))
    assert len(notices(house)) == 1
    with house.server.session() as session:
        health = read_health(session, house.clock.now()).refused
    assert health is not None
    assert (health.code, health.text) == (550, "5.7.1 sender not allowed")


async def test_the_next_trouble_is_told_of_again(house):
    for _ in range(2):
        letters(house, 3)
        await send_due_letters(house.server, Mta(POLICY))
        house.clock.forward(minutes=6)
        await send_due_letters(house.server, Mta())
    assert len(notices(house)) == 2


async def test_one_recipient_who_wants_nothing_of_us_is_given_up_while_others_are_written_to(house):
    letters(house, 1)
    house.write("south", "HELP")

    async def mta(envelopes, on_reply):
        for envelope in envelopes:
            await on_reply(POLICY if envelope.recipient == ANN else TAKEN)

    await send_due_letters(house.server, mta)
    assert [row.state for row in rows(house).values()] == ["queued", "sent"]
    house.clock.forward(minutes=6)
    await send_due_letters(house.server, mta)
    assert [row.state for row in rows(house).values()] == ["failed", "sent"]
    assert "could not be delivered" in text_of(notices(house)[0])
    assert BOB in {row.recipient for row in rows(house).values()}


async def test_an_address_that_is_none_is_given_up_at_once(house):
    letters(house, 1)
    await send_due_letters(house.server, Mta(NOBODY))
    assert [row.state for row in rows(house).values()] == ["failed"]
    assert house.clock.now() - rows(house).popitem()[1].created < timedelta(minutes=1)
