"""Letters in: polled, taken, committed, moved; bad weather is waited out."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import event
from sqlalchemy.exc import OperationalError

from pbem.server import intake
from pbem.server.catalogue import COMMANDS_BY_NAME
from pbem.server.mailbox_poller import MailboxPoller, PollOptions, PollResult
from pbem.server.scheduler import run_due_jobs
from pbem.store import tables
from tests.harness.game import ANN
from tests.harness.letters import mail
from tests.harness.mailbox import FolderMailbox

ORDERS = "ORDERS T1\nMOVE Ant TO s2\nEND\n"


@pytest.fixture
def box(tmp_path):
    return FolderMailbox(tmp_path / "mail")


def test_a_poll_takes_letters_in_and_moves_them_away(house, box):
    box.put(mail(ANN, house.addresses["north"], ORDERS))
    box.put(mail(ANN, house.addresses["north"], "STATUS", Precedence="bulk"))
    points: list[str] = []
    pump = MailboxPoller(house.server, box, points.append)
    assert pump.step() == PollResult(2)
    assert points == ["connected", "fetched", "taken", "committed", "taken", "committed", "polled", "moved"]
    assert (box.uids("INBOX"), box.uids("Processed")) == ([], [1, 2])
    assert [(row.account, row.uidvalidity, row.uid) for row in house.all(tables.Inbox)] == [
        ("pbem@mail.example", 7, 1),
        ("pbem@mail.example", 7, 2),
    ]
    assert pump.step() == PollResult(0)


def test_a_poll_is_written_down_when_all_of_it_is_in(house, box):
    MailboxPoller(house.server, box).step()
    (row,) = house.all(tables.Poll)
    assert (row.account, row.folder, row.begun) == ("pbem@mail.example", "INBOX", house.clock.now())
    house.clock.forward(minutes=1)
    box.down = True
    MailboxPoller(house.server, box).step()
    assert house.all(tables.Poll)[0].begun < house.clock.now()


def other_box(root, **changed):
    made = FolderMailbox(root)
    made.settings = replace(made.settings, **changed)
    return made


def last_phase(house):
    return max(house.all(tables.Phase), key=lambda row: row.number)


def test_phases_wait_for_the_mailbox_that_is_read_and_for_no_former_one(house, tmp_path):
    """Another host, another folder: what was read before is not polled any more."""
    MailboxPoller(house.server, other_box(tmp_path / "former", host="former.example")).step()
    for box in (other_box(tmp_path / "folder", folder="Games"), FolderMailbox(tmp_path / "mail")):
        before = last_phase(house)
        house.clock.set(before.deadline)
        MailboxPoller(house.server, box).step()
        (row,) = house.all(tables.Poll)
        assert (row.folder, row.begun) == (box.settings.folder, house.clock.now())
        run_due_jobs(house.server)
        assert last_phase(house).number == before.number + 1


def test_the_time_between_two_mailboxes_counts_as_an_outage(house, box, tmp_path):
    MailboxPoller(house.server, other_box(tmp_path / "former", host="former.example")).step()
    house.clock.set(last_phase(house).deadline + timedelta(hours=5))
    MailboxPoller(house.server, box, polling=PollOptions(guarded=True)).step()
    assert last_phase(house).deadline > house.clock.now()


def test_a_mailbox_that_is_down_is_waited_for_longer_and_longer(house, box):
    box.down = True
    pump = MailboxPoller(house.server, box)
    assert [pump.step().retry_in for _ in range(5)] == [1, 2, 4, 8, 16]
    box.down = False
    box.put(mail(ANN, house.addresses["north"], ORDERS))
    assert pump.step() == PollResult(1)
    box.down = True
    assert pump.step().retry_in == 1


def test_the_connection_breaks_before_the_move(house, box):
    """What was taken stays taken; the letter is moved by the next poll and answered once."""
    box.put(mail(ANN, house.addresses["north"], ORDERS))

    def cut(point):
        box.down = point == "polled"

    assert MailboxPoller(house.server, box, cut).step() == PollResult(1, 1.0)
    assert box.uids("INBOX") == [1]
    box.down = False
    assert MailboxPoller(house.server, box).step() == PollResult(0)
    assert box.uids("Processed") == [1]
    assert len(house.sent()) == len(house.all(tables.QueuedOrders)) == 1


def test_a_database_that_is_away_leaves_the_letter_where_it_is(house, box, monkeypatch):
    box.put(mail(ANN, house.addresses["north"], ORDERS))

    def away(*args):
        raise OperationalError("BEGIN", {}, Exception("locked"))

    with monkeypatch.context() as patched:
        patched.setattr("pbem.server.intake.take_letter", away)
        assert MailboxPoller(house.server, box).step().retry_in == 1
    assert box.uids("INBOX") == [1]
    assert MailboxPoller(house.server, box).step() == PollResult(1)
    assert len(house.sent()) == 1


def test_a_letter_of_which_no_row_can_be_made_is_left_in_poison(house, box, monkeypatch):
    box.put(mail(ANN, house.addresses["north"], "HELP"))
    box.put(mail(ANN, house.addresses["north"], ORDERS))
    row = intake._new_row

    def fail(received, letter, now):
        if received.uid == 1:
            raise UnicodeEncodeError("utf-8", "x", 0, 1, "surrogates")
        return row(received, letter, now)

    monkeypatch.setattr("pbem.server.intake._new_row", fail)
    assert MailboxPoller(house.server, box).step() == PollResult(2)
    assert (box.uids("Poison"), box.uids("Processed")) == ([1], [2])
    assert [row.kind for row in house.sent()] == ["receipt"]


def test_a_letter_that_our_code_fails_on_goes_to_poison_and_the_next_is_taken(house, box, monkeypatch):
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    box.put(mail(ANN, house.addresses["north"], "HELP"))
    box.put(mail(ANN, house.addresses["north"], ORDERS))
    monkeypatch.setitem(COMMANDS_BY_NAME, "help", replace(COMMANDS_BY_NAME["help"], do=fail))
    assert MailboxPoller(house.server, box).step() == PollResult(2)
    assert (box.uids("Poison"), box.uids("Processed")) == ([1], [2])
    assert [row.kind for row in house.sent()] == ["fault", "fault", "receipt"]


def test_transactions_are_made_where_they_are_told_to_be(house, box):
    box.put(mail(ANN, house.addresses["north"], ORDERS))
    begun: list[str] = []
    event.listen(house.server.engine, "begin", lambda connection: begun.append(threading.current_thread().name))
    with ThreadPoolExecutor(1, thread_name_prefix="transactions") as worker:
        pump = MailboxPoller(house.server, box, polling=PollOptions(transact=lambda work: worker.submit(work).result()))
        assert pump.step() == PollResult(1)
    assert begun == ["transactions_0"] * 3


def test_what_a_transaction_raises_elsewhere_is_bad_weather_all_the_same(house, box, monkeypatch):
    box.put(mail(ANN, house.addresses["north"], ORDERS))

    def away(*args):
        raise OperationalError("BEGIN", {}, Exception("locked"))

    monkeypatch.setattr("pbem.server.intake.take_letter", away)
    with ThreadPoolExecutor(1) as worker:
        polling = PollOptions(transact=lambda work: worker.submit(work).result())
        assert MailboxPoller(house.server, box, polling=polling).step().retry_in == 1
    assert box.uids("INBOX") == [1]
