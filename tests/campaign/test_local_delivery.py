"""Letters that a mail server hands over are taken as those of a mailbox: once, in time, and never lost."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
from sqlalchemy.exc import OperationalError

from pbem.mail.trace import with_envelope
from pbem.server import intake, mailbox_poller
from pbem.server.local_delivery import SETTLE, LocalDelivery, NeverStored, NotStored, store_letter
from pbem.server.scheduler import run_due_jobs
from pbem.store import queries, tables
from tests.harness.game import ANN, BOB, PlayedGame
from tests.harness.letters import mail
from tests.harness.mailbox import FolderMailbox

ORDERS = "ORDERS T1\nGO north\nEND\n"


@pytest.fixture
def house(tmp_path):
    made = PlayedGame(tmp_path)
    yield made
    made.server.engine.dispose()


def handed_over(house, seat, text, received=None, **headers):
    """A letter with its envelope, and when the mail server says that it came."""
    sender, moment = {"north": ANN, "south": BOB}[seat], received or house.clock.now()
    trace = f"Received: from players.example by mx.games.example with ESMTP id q7; {moment:%a, %d %b %Y %H:%M:%S +0000}"
    raw = mail(sender, "pbem@games.example", text, **{"Date": moment, **headers})
    return with_envelope(f"{trace}\r\n".encode() + raw, sender, house.addresses[seat])


def delivery(house, **settings):
    return LocalDelivery(house.server, **settings)


def test_the_same_letter_handed_over_again_is_known_and_nothing_is_done_twice(house):
    raw, taking = handed_over(house, "north", "STATUS"), delivery(house)
    first = taking.take(raw, house.clock.now())
    assert (first.verdict, first.outcome) == ("seat", "status")
    house.sent()
    # The sender has not heard of it, and tries again later; a daemon was started meanwhile.
    house.clock.at += timedelta(hours=3)
    again = delivery(house).take(raw, house.clock.now())
    assert (again.verdict, again.inbox_id) == ("known", first.inbox_id)
    assert store_letter(house.server, raw).verdict == "known"
    assert house.sent() == []
    assert len(house.all(tables.Inbox)) == 1


def test_a_copy_that_came_in_another_way_gets_the_answer_again(house):
    name = "<1@players.example>"
    now = house.clock.now()
    first, second = (
        handed_over(house, "north", "STATUS", moment, Message_ID=name, Date=now)
        for moment in (now, now + timedelta(minutes=5))
    )
    store_letter(house.server, first)
    sent = [row.message_id for row in house.sent()]
    assert store_letter(house.server, second).verdict == "copy"
    assert [row.message_id for row in house.sent()] == sent


def test_one_letter_on_two_connections_at_once_is_carried_out_once(house):
    raw, taking = handed_over(house, "north", "STATUS"), delivery(house)
    outcomes = []

    def hand_over(take):
        outcomes.append(take(raw, house.clock.now()).verdict)

    takes = (taking.take, delivery(house).take, taking.take)
    threads = [threading.Thread(target=hand_over, args=(take,)) for take in takes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["known", "known", "seat"]
    assert len(house.sent()) == 1


def test_a_letter_counts_as_received_when_the_mail_server_got_it(house):
    """As with a mailbox, it is in time if it came by the deadline, however long it waited in the queue."""
    (phase,) = house.all(tables.Phase)
    house.clock.at = phase.deadline + timedelta(minutes=20)
    in_time = handed_over(house, "north", "STATUS", phase.deadline - timedelta(seconds=1))
    store_letter(house.server, in_time)
    store_letter(house.server, handed_over(house, "south", "STATUS", house.clock.now() + timedelta(hours=1)))
    store_letter(house.server, handed_over(house, "south", "HELP", house.clock.now() - timedelta(days=900)))
    ages = [house.clock.now() - row.internaldate for row in house.all(tables.Inbox)]
    assert ages == [timedelta(minutes=20, seconds=1), timedelta(), timedelta(days=5)]


def test_no_phase_closes_while_letters_may_wait_in_the_queue_of_the_mail_server(house):
    (phase,) = house.all(tables.Phase)
    house.clock.at = phase.deadline - timedelta(minutes=1)
    taking = delivery(house)

    def note():
        taking.note(house.clock.now(), guarded=False)
        run_due_jobs(house.server)
        with house.server.reading() as tx:
            return queries.inbox.last_poll(tx.session)

    assert note() is None
    house.clock.at += SETTLE - timedelta(seconds=1)
    assert note() is None
    assert [row.state for row in house.all(tables.Phase)] == ["open"]
    house.clock.at += timedelta(seconds=1)
    assert note() == house.clock.now()
    assert [row.state for row in house.all(tables.Phase)] == ["resolved", "open"]


def test_after_a_letter_that_was_put_off_phases_wait_for_it(house, monkeypatch):
    taking = delivery(house, settle=timedelta(minutes=10))
    house.clock.at += timedelta(minutes=10)
    raw = handed_over(house, "north", "STATUS")

    def busy(*arguments):
        raise OperationalError("", {}, Exception("database is locked"))

    with monkeypatch.context() as patched:
        patched.setattr(intake, "take_letter", busy)
        with pytest.raises(OperationalError):
            taking.take(raw, house.clock.now())
    taking.note(house.clock.now(), guarded=False)
    assert house.all(tables.Poll) == []
    assert taking.take(raw, house.clock.now()).outcome == "status"
    house.clock.at += timedelta(minutes=10)
    taking.note(house.clock.now(), guarded=False)
    assert [row.begun for row in house.all(tables.Poll)] == [house.clock.now()]


def test_a_letter_that_no_row_can_be_made_for_is_put_off_and_holds_up_no_game(house, monkeypatch):
    taking = delivery(house, settle=timedelta())

    def broken(*arguments):
        raise LookupError("a bug")

    monkeypatch.setattr(intake, "take_letter", broken)
    monkeypatch.setattr(intake, "set_letter_aside", broken)
    with pytest.raises(NotStored):
        taking.take(handed_over(house, "north", "STATUS"), house.clock.now())
    with pytest.raises(NotStored):
        store_letter(house.server, handed_over(house, "north", "STATUS"))
    taking.note(house.clock.now(), guarded=False)
    assert len(house.all(tables.Poll)) == 1


def test_a_letter_that_ended_the_server_again_and_again_is_set_aside_and_then_given_back(house, monkeypatch):
    raw = handed_over(house, "north", "STATUS")

    class Ended(BaseException):
        """The process was killed."""

    def ends(*arguments):
        raise Ended

    outcomes = []
    with monkeypatch.context() as patched:
        patched.setattr(intake, "take_letter", ends)
        patched.setattr(intake, "set_letter_aside", ends)
        for _ in range(3):
            with pytest.raises(Ended):
                delivery(house).take(raw, house.clock.now())
        house.sent()
        told_addresses = []
        for _ in range(3):
            with pytest.raises(NeverStored):
                delivery(house).take(raw, house.clock.now())
            told_addresses += [row.recipient for row in house.sent()]
        assert told_addresses == [house.server.settings.operator]
    other = handed_over(house, "south", "STATUS")
    with monkeypatch.context() as patched:
        patched.setattr(intake, "take_letter", ends)
        for _ in range(2):
            with pytest.raises(Ended):
                delivery(house).take(other, house.clock.now())
        outcomes.append(delivery(house).take(other, house.clock.now()).outcome)
    assert outcomes == ["unread"]


def test_the_author_of_a_letter_above_the_limit_of_a_pipe_is_told(house):
    outcome = store_letter(house.server, handed_over(house, "north", "STATUS\n" + "x " * 600_000))
    assert outcome.verdict == "seat"
    assert "It has more than 1000 KB in all." in house.answer()


def test_deadlines_move_after_an_outage_before_letters_are_taken(house):
    (phase,) = house.all(tables.Phase)
    house.clock.at = phase.deadline - timedelta(hours=5)
    house.poll()
    house.clock.at = phase.deadline - timedelta(hours=1)
    taking = delivery(house)
    taking.note(house.clock.now(), guarded=True)
    (moved,) = house.all(tables.Phase)
    assert moved.deadline - phase.deadline == timedelta(hours=4)
    house.clock.at += SETTLE
    taking.note(house.clock.now(), guarded=True)
    assert house.all(tables.Phase)[0].deadline == moved.deadline


@pytest.mark.parametrize("way", ["local", "another mailbox"])
def test_phases_close_after_the_way_in_has_changed(house, tmp_path, way):
    """What the way before left behind is not waited for."""
    house.poll()
    (phase,) = house.all(tables.Phase)
    house.clock.at = phase.deadline + timedelta(hours=1)
    if way == "local":
        delivery(house, settle=timedelta()).note(house.clock.now(), guarded=False)
    else:
        (tmp_path / "mail").mkdir()
        mailbox_poller.MailboxPoller(house.server, FolderMailbox(tmp_path / "mail")).step()
    run_due_jobs(house.server)
    assert [row.state for row in house.all(tables.Phase)] == ["resolved", "open"]
    assert len(house.all(tables.Poll)) == 1
