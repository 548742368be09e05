"""Letters out: rendered once, sent until taken or refused for good, every try written down."""

import email
import email.policy
from datetime import timedelta

import pytest
from sqlalchemy.exc import OperationalError

from pbem.mail.smtp import SmtpReply
from pbem.server import outbox_sender
from pbem.server.outbox_sender import send_due_letters
from pbem.store import tables
from tests.harness.game import ANN, BOB
from tests.harness.letters import PlainLetters, mail, text_of
from tests.harness.server import open_server

TAKEN = SmtpReply(250, "2.0.0 queued", "sent", "data")
BUSY = SmtpReply(451, "4.7.1 come back", "again", "recipient")
AWAY = SmtpReply(0, "ConnectionRefusedError", "again", "connection")
NOBODY = SmtpReply(550, "5.1.1 no such user", "failed", "recipient")
ORDERS = "ORDERS T1\nMOVE Ant TO s2\nEND\n"


class Mta:
    """Takes letters and answers as it is told; the last answer goes on."""

    def __init__(self, *replies):
        self.replies = list(replies) or [TAKEN]
        self.got = []

    async def __call__(self, envelopes, on_reply):
        for envelope in envelopes:
            self.got.append(envelope)
            await on_reply(self.replies.pop(0) if len(self.replies) > 1 else self.replies[0])


def outbox(house):
    return house.all(tables.Outbox)[-1]


async def test_a_letter_goes_out_once_as_it_was_rendered(house):
    house.write("north", ORDERS)
    mta = Mta()
    assert await send_due_letters(house.server, mta) == 1
    assert await send_due_letters(house.server, mta) == 0
    (envelope,) = mta.got
    row = outbox(house)
    assert (row.state, row.attempts, row.last_code) == ("sent", 1, 250)
    assert (envelope.sender, envelope.recipient, envelope.raw) == (row.envelope_sender, ANN, row.body)
    assert envelope.sender.startswith("pbem+bounce-")
    letter = email.message_from_bytes(envelope.raw, policy=email.policy.default)
    assert letter["Message-ID"] == row.message_id
    assert letter["Subject"] == "[g1] T1"
    assert letter["From"] == "pbem <pbem@games.example>"
    assert letter["List-Id"] == "<g1.games.example>"
    assert letter["X-Loop"] == "pbem@games.example"
    assert ".report.north." in letter["References"].split()[0]
    assert letter["References"].split()[-1] == letter["In-Reply-To"] == house.all(tables.Inbox)[0].message_id
    assert letter["Date"].datetime == house.clock.now()


async def test_letters_go_in_the_order_in_which_they_were_written(house):
    for n in range(3):
        house.write("north", f"HELP {n}")
        house.write("south", f"HELP {n}")
    mta = Mta()
    assert await send_due_letters(house.server, mta) == 6
    assert [envelope.recipient for envelope in mta.got] == [ANN, BOB] * 3


async def test_more_letters_than_one_batch(house, monkeypatch):
    monkeypatch.setattr(outbox_sender, "_BATCH", 2)
    for n in range(5):
        house.write("north", f"HELP {n}")
    mta = Mta()
    assert await send_due_letters(house.server, mta) == 5
    assert len({envelope.raw for envelope in mta.got}) == 5


class Dies(Mta):
    """Takes so many letters, and then the process ends in the middle of the next one."""

    def __init__(self, after):
        super().__init__()
        self.after = after

    async def __call__(self, envelopes, on_reply):
        await super().__call__(envelopes[: self.after], on_reply)
        self.got.append(envelopes[self.after])
        raise KeyboardInterrupt


async def test_after_a_crash_in_the_middle_of_a_batch_few_letters_go_out_again(house):
    for n in range(9):
        house.write("north", f"HELP {n}")
    dying, mta = Dies(7), Mta()
    with pytest.raises(KeyboardInterrupt):
        await send_due_letters(house.server, dying)
    assert [row.state for row in house.all(tables.Outbox)][-9:] == ["sent"] * 5 + ["queued"] * 4
    assert await send_due_letters(house.server, mta) == 4
    assert mta.got[:3] == dying.got[5:]
    assert [row.attempts for row in house.all(tables.Outbox)][-9:] == [1] * 9


async def test_what_is_put_off_comes_again_later_with_the_same_bytes(house):
    house.write("north", ORDERS)
    mta = Mta(BUSY, TAKEN)
    assert await send_due_letters(house.server, mta) == 0
    row = outbox(house)
    assert (row.state, row.last_code, row.next_try - house.clock.now()) == ("queued", 451, timedelta(minutes=1))
    assert await send_due_letters(house.server, mta) == 0
    house.clock.forward(minutes=1)
    assert await send_due_letters(house.server, mta) == 1
    assert mta.got[0] == mta.got[1]
    assert [(row.code, row.text) for row in house.all(tables.Attempt)] == [BUSY[:2], TAKEN[:2]]


async def test_the_waits_grow_and_end_after_five_days(house):
    house.write("north", ORDERS)
    begun = house.clock.now()
    mta = Mta(BUSY)
    waits = []
    while outbox_of(house, ANN).state == "queued":
        await send_due_letters(house.server, mta)
        row = outbox_of(house, ANN)
        if row.state == "queued":
            waits.append(int((row.next_try - house.clock.now()).total_seconds() // 60))
            house.clock.set(row.next_try)
    assert waits[:5] == [1, 5, 15, 60, 120]
    assert timedelta(days=4) < house.clock.now() - begun <= timedelta(days=5)
    assert (row.state, row.attempts) == ("failed", len(waits) + 1)
    (warning,) = [row for row in house.all(tables.Outbox) if row.recipient == "op@games.example"]
    assert warning.kind == "fault"


def outbox_of(house, recipient):
    (row,) = [row for row in house.all(tables.Outbox) if row.recipient == recipient and row.kind == "receipt"]
    return row


async def test_a_server_that_is_away_is_tried_every_five_minutes(house):
    house.write("north", ORDERS)
    for _ in range(6):
        await send_due_letters(house.server, Mta(AWAY))
        house.clock.set(outbox(house).next_try)
    assert outbox(house).next_try - house.all(tables.Attempt)[-1].at == timedelta(minutes=5)
    assert await send_due_letters(house.server, Mta()) == 1
    assert [row.code for row in house.all(tables.Attempt)] == [0] * 6 + [250]


async def test_a_server_that_is_away_for_days_is_tried_every_hour_after_the_first(house):
    house.write("north", ORDERS)
    begun = house.clock.now()
    house.clock.set(begun + timedelta(days=1, minutes=1))
    tries = 0
    while outbox_of(house, ANN).state == "queued":
        await send_due_letters(house.server, Mta(*[AWAY] * 10))
        tries += 1
        if outbox_of(house, ANN).state == "queued":
            house.clock.set(outbox_of(house, ANN).next_try)
    assert house.clock.now() - begun > timedelta(days=5)
    # Growing waits of the first hour, then four days of an hour each.
    assert 96 < tries < 105


async def test_a_refusal_is_final_and_the_operator_is_told(house):
    house.write("north", ORDERS)
    house.write("south", "STATUS")
    mta = Mta(NOBODY, TAKEN)
    await send_due_letters(house.server, mta)
    assert outbox_of(house, ANN).state == "failed"
    warning = outbox(house)
    assert (warning.recipient, warning.state) == ("op@games.example", "sent")
    assert f"A letter to {ANN} could not be delivered.".encode() in warning.body
    assert [envelope.recipient for envelope in mta.got] == [ANN, BOB, "op@games.example"]


async def test_an_operator_who_cannot_be_reached_is_not_written_to_about_it(house):
    house.write("north", ORDERS)
    await send_due_letters(house.server, Mta(NOBODY))
    assert [row.state for row in house.all(tables.Outbox) if row.recipient == "op@games.example"] == ["failed"]


async def test_a_letter_that_cannot_be_rendered_waits_alone_and_is_tried_again(house, monkeypatch):
    written = PlainLetters.letter

    def fail(self, letter, language, aloud=False):
        if letter["kind"] == "receipt":
            raise ZeroDivisionError("no words")
        return written(self, letter, language, aloud)

    monkeypatch.setattr(PlainLetters, "letter", fail)
    house.write("north", ORDERS)
    house.write("south", "STATUS")
    mta = Mta()
    assert await send_due_letters(house.server, mta) == 2
    row = outbox_of(house, ANN)
    assert (row.state, row.body, row.last_text) == ("queued", None, "ZeroDivisionError: no words")
    assert [envelope.recipient for envelope in mta.got] == [BOB, "op@games.example"]
    assert await send_due_letters(house.server, mta) == 0
    monkeypatch.setattr(PlainLetters, "letter", written)
    house.clock.forward(minutes=1)
    assert await send_due_letters(house.server, mta) == 1
    assert [envelope.recipient for envelope in mta.got] == [BOB, "op@games.example", ANN]


async def test_a_letter_that_cannot_be_rendered_for_five_days_is_given_up(house, monkeypatch):
    written, tries = PlainLetters.letter, []

    def fail(self, letter, language, aloud=False):
        if letter["kind"] == "receipt":
            tries.append(house.clock.now())
            raise ZeroDivisionError("no words")
        return written(self, letter, language, aloud)

    monkeypatch.setattr(PlainLetters, "letter", fail)
    house.write("north", ORDERS)
    mta = Mta()
    for _ in range(130):
        await send_due_letters(house.server, mta)
        house.clock.forward(hours=1)
    assert outbox_of(house, ANN).state == "failed"
    assert 10 < len(tries) < 20
    assert [envelope.recipient for envelope in mta.got] == ["op@games.example", "op@games.example"]
    first, last = (text_of(row) for row in house.all(tables.Outbox) if row.recipient == "op@games.example")
    assert "it is tried again for five days." in first
    assert "it is tried again" not in last


@pytest.mark.parametrize("passes", [OSError("disk full"), OperationalError("BEGIN", {}, Exception("locked"))])
async def test_what_passes_gives_no_letter_up(house, monkeypatch, passes):
    def fail(self, model, language, aloud=False):
        raise passes

    house.write("north", ORDERS)
    with monkeypatch.context() as patched:
        patched.setattr(PlainLetters, "letter", fail)
        with pytest.raises(type(passes)):
            await send_due_letters(house.server, Mta())
    assert await send_due_letters(house.server, Mta()) == 1


async def test_bytes_once_stored_are_what_is_sent(house, tmp_path):
    """Rendered on one day, sent on another by a server with another wording: still the same letter."""
    house.write("north", ORDERS)
    (body,) = outbox_sender.render(house.server, [outbox(house).message_id])

    class Other(PlainLetters):
        def letter(self, letter, language, aloud=False):
            return "something else\n"

    mta = Mta()
    other = open_server(tmp_path, Other())
    assert await send_due_letters(other, mta) == 1
    other.engine.dispose()
    assert mta.got[0].raw == body


async def test_a_receipt_asked_for_again_is_the_same_letter(house):
    raw = mail(ANN, house.addresses["north"], ORDERS)
    mta = Mta()
    for uid in (1, 2):
        house.receive(raw, uid=uid)
        assert await send_due_letters(house.server, mta) == 1
    assert mta.got[0] == mta.got[1]


async def test_asking_again_does_not_hurry_a_letter_that_waits_for_its_next_try(house):
    raw = mail(ANN, house.addresses["north"], ORDERS)
    house.receive(raw, uid=1)
    await send_due_letters(house.server, Mta(BUSY))
    waiting = outbox(house)
    house.receive(raw, uid=2)
    assert (outbox(house).attempts, outbox(house).next_try) == (1, waiting.next_try)


async def test_the_worker_runs_all_that_blocks(house):
    house.write("north", ORDERS)
    runs = []

    async def worker(work):
        runs.append(work)
        return work()

    assert await send_due_letters(house.server, Mta(), worker) == 1
    assert len(runs) == 3


@pytest.mark.parametrize("ids", [[], ["<none@x>"]])
def test_no_such_letters(house, ids):
    assert outbox_sender.render(house.server, ids) == ()
