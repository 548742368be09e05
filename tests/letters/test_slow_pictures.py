"""A flood of reports and somebody who draws slowly: reports wait for no picture for long, and none is lost."""

import asyncio
import email
import email.policy
from datetime import timedelta

import pytest
from sqlmodel import select

from pbem.engine.data.canon import dumps, loads
from pbem.mail.smtp import SmtpReply
from pbem.server import outbox_sender
from pbem.server.drawing import LONGEST_QUEUED, LONGEST_RENDERING
from pbem.store import tables
from tests.harness.battle import PlayedBattle
from tests.letters.test_maps import ORDERS, drawing

SORRY = "A map of this letter could not be drawn in time: MAP brings it."


class Sent:
    """The letters that went out, each with how long after noon."""

    def __init__(self, clock):
        self.clock, self.letters, self.begun = clock, [], clock.at

    async def __call__(self, envelopes, report):
        for envelope in envelopes:
            letter = email.message_from_bytes(envelope.raw, policy=email.policy.default)
            self.letters.append((letter, self.clock.at - self.begun))
            await report(SmtpReply(250, "taken", "sent", "data"))


def flood(table, count):
    """Make so many reports due, each with a map of its own; what is due but them has gone out before."""
    table.answer("spain", ORDERS)
    table.wait(31)
    with table.server.work() as work:
        row = work.session.exec(select(tables.Outbox).where(tables.Outbox.kind == "report")).all()[-1]
        fields = row.model_dump(exclude={"id", "message_id"})
        model = loads(row.model)
    asyncio.run(outbox_sender.send_due_letters(table.server, Sent(table.clock)))
    table.server.plugins.artist.asked.clear()
    with table.server.work() as work:
        for number in range(count):
            model["picture"]["scene"]["unseen"] = [str(number)]
            name = row.message_id.replace("<", f"<{number}.")
            says = tables.Content(model=dumps(model))
            work.session.add(tables.Outbox(**fields | {"message_id": name, "created": work.now}, content=says))


def pictured(letter):
    return any(part.get_content_type() == "image/png" for part in letter.walk())


def words(letter):
    return " ".join(letter.get_body(("plain",)).get_content().split())


@pytest.mark.full
@pytest.mark.parametrize(
    ("count", "seconds", "drawn"),
    [
        # All that are due at once are drawn within four minutes, two of which are enough here.
        (20, 2.0, range(20, 21)),
        pytest.param(60, 2.0, range(60, 61), marks=pytest.mark.full),
        # Each letter waits a minute at most, and of those that wait together so many can be drawn by then.
        (20, 9.0, range(6, 13)),
        pytest.param(40, 9.0, range(12, 25), marks=pytest.mark.full),
        pytest.param(1000, 0.3, range(700, 900), marks=pytest.mark.long),
    ],
)
def test_reports_wait_minutes_at_most_and_the_late_go_without(tmp_path, count, seconds, drawn):
    table = PlayedBattle(tmp_path)
    drawing(table, seconds=seconds)
    flood(table, count)
    sent = Sent(table.clock)
    assert asyncio.run(outbox_sender.send_due_letters(table.server, sent)) == count
    assert len({letter["Message-ID"] for letter, _ in sent.letters}) == count
    # Those after a letter may be drawn already while it goes out.
    assert max(waited for _, waited in sent.letters) <= LONGEST_QUEUED + 2 * LONGEST_RENDERING
    assert sum(pictured(letter) for letter, _ in sent.letters) in drawn
    for letter, _ in sent.letters:
        assert (SORRY in words(letter)) is not pictured(letter)
    table.server.engine.dispose()


@pytest.mark.parametrize(("count", "seconds"), [(20, 2.0), pytest.param(60, 2.0, marks=pytest.mark.full)])
def test_a_letter_without_a_picture_does_not_wait_for_those_with_one(tmp_path, count, seconds):
    table = PlayedBattle(tmp_path)
    drawing(table, seconds=seconds)
    flood(table, count)
    with table.server.work() as work:
        last = work.session.exec(select(tables.Outbox)).all()[-1]
        model = loads(last.model)
        del model["picture"]
        fields = last.model_dump(exclude={"id"}) | {"message_id": last.message_id.replace("<", "<plain.")}
        work.session.add(tables.Outbox(**fields | {"kind": "status"}, content=tables.Content(model=dumps(model))))
    sent = Sent(table.clock)
    asyncio.run(outbox_sender.send_due_letters(table.server, sent))
    (waited,) = (waited for letter, waited in sent.letters if "plain." in letter["Message-ID"])
    assert waited <= timedelta(seconds=20)
    table.server.engine.dispose()
