"""A disk that is full, a database that is closed to writing, one that is damaged: nothing is taken, nothing is lost.

A letter that cannot be stored stays where it is, in the inbox; when the cause is mended the server goes on by itself.
"""

import asyncio
import errno
import os
import sqlite3
from contextlib import closing

import pytest
from sqlalchemy import event

from pbem.audit.checkpoint import Checkpoint
from pbem.log import log_health
from pbem.mail.smtp import SmtpReply
from pbem.runtime.signed_tree import SignedTreeRecord
from pbem.runtime.transaction import TRANSIENT_ERRORS
from pbem.server import outbox_sender
from pbem.server.mailbox_poller import MailboxPoller
from pbem.server.scheduler import run_due_jobs
from pbem.store import tables
from pbem.store.external_record import FileRecord
from tests.harness.game import ANN, BOB
from tests.harness.letters import mail
from tests.harness.mailbox import FolderMailbox
from tests.harness.server import changed

ORDERS = "ORDERS T1\nMOVE Ant TO s2\nEND\n"


@pytest.fixture
def box(tmp_path):
    return FolderMailbox(tmp_path / "mail")


class Disk:
    """The disk under a house's database, on which `ill` is a pragma that every connection begins with."""

    def __init__(self, house):
        self.ill = ""
        event.listen(house.server.engine, "checkout", self.look)
        self.house = house

    def look(self, driver, record, proxy):
        driver.execute("PRAGMA query_only = OFF")
        driver.execute("PRAGMA max_page_count = 1073741823")
        if self.ill:
            driver.execute(self.ill)

    def fill(self):
        with closing(sqlite3.connect(self.house.folder / "pbem.db")) as opened:
            (pages,) = opened.execute("PRAGMA page_count").fetchone()
        self.ill = f"PRAGMA max_page_count = {pages}"


@pytest.fixture
def disk(house):
    return Disk(house)


def leave(house):
    """What goes out now."""
    went = []

    async def send(envelopes, on_reply):
        for envelope in envelopes:
            went.append(envelope.recipient)
            await on_reply(SmtpReply(250, "2.0.0 queued", "sent", "data"))

    asyncio.run(outbox_sender.send_due_letters(house.server, send))
    return went


def test_a_full_disk_takes_no_letter_and_loses_none(house, box, disk):
    body = ORDERS + "".join(f"; {number:060}\n" for number in range(1000))
    for _ in range(3):
        box.put(mail(ANN, house.addresses["north"], body))
    disk.fill()
    pump = MailboxPoller(house.server, box)
    steps = [pump.step() for _ in range(3)]
    assert [step.retry_in for step in steps] == [1, 2, 4]
    assert (box.uids("INBOX"), box.uids("Poison")) == ([1, 2, 3], [])
    disk.ill = ""
    assert pump.step().retry_in is None
    assert (box.uids("INBOX"), box.uids("Processed"), box.uids("Poison")) == ([], [1, 2, 3], [])
    assert [row.outcome for row in house.all(tables.Inbox)] == ["receipt"] * 3
    assert [row.revision for row in house.all(tables.QueuedOrders)] == [1, 2, 3]
    assert leave(house) == [ANN] * 3


def test_a_phase_does_not_close_halfway_on_a_full_disk(house, box, disk):
    house.write("north", ORDERS)
    house.poll()
    house.clock.forward(hours=1)
    house.poll()
    disk.ill = "PRAGMA query_only = ON"
    with pytest.raises(TRANSIENT_ERRORS):
        run_due_jobs(house.server)
    disk.ill = ""
    assert [row.state for row in house.all(tables.Phase)] == ["open"]
    assert house.game().state == "running"
    assert run_due_jobs(house.server) >= 1
    assert [row.state for row in house.all(tables.Phase)] == ["resolved", "open"]


def test_a_letter_is_not_sent_twice_for_a_disk_that_is_full_when_its_fate_is_noted(house, box, disk):
    """It has its bytes and its name before it leaves: what goes out again is the same letter."""
    house.write("north", ORDERS)
    names = []

    async def send(envelopes, on_reply):
        for envelope in envelopes:
            names.append(envelope.raw.split(b"Message-ID: ")[1].split(b"\r\n")[0])
            disk.ill = "PRAGMA query_only = ON"
            await on_reply(SmtpReply(250, "2.0.0 queued", "sent", "data"))

    async def again(envelopes, on_reply):
        for envelope in envelopes:
            names.append(envelope.raw.split(b"Message-ID: ")[1].split(b"\r\n")[0])
            await on_reply(SmtpReply(250, "2.0.0 queued", "sent", "data"))

    with pytest.raises(TRANSIENT_ERRORS):
        asyncio.run(outbox_sender.send_due_letters(house.server, send))
    disk.ill = ""
    asyncio.run(outbox_sender.send_due_letters(house.server, again))
    assert len(names) == 2
    assert len(set(names)) == 1


def test_a_database_that_is_closed_to_writing_is_waited_for(house, box, disk):
    box.put(mail(ANN, house.addresses["north"], ORDERS))
    disk.ill = "PRAGMA query_only = ON"
    pump = MailboxPoller(house.server, box)
    assert pump.step().retry_in == 1
    assert (box.uids("INBOX"), box.uids("Poison")) == ([1], [])
    disk.ill = ""
    assert pump.step().taken == 1


def test_letters_are_not_set_aside_for_a_database_that_is_damaged(house, box):
    """They would lie in Poison, unanswered, and no restore would bring them back."""
    for seat, sender in (("north", ANN), ("south", BOB)):
        box.put(mail(sender, house.addresses[seat], "STATUS\n"))
    house.server.engine.dispose()
    path = house.folder / "pbem.db"
    kept = path.read_bytes()
    path.write_bytes(kept[:4096] + os.urandom(len(kept) - 4096))
    pump = MailboxPoller(house.server, box)
    assert pump.step().retry_in == 1
    assert (box.uids("INBOX"), box.uids("Processed"), box.uids("Poison")) == ([1, 2], [], [])
    house.server.engine.dispose()
    for ending in ("-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
    path.write_bytes(kept)
    assert pump.step().taken == 2
    assert box.uids("Processed") == [1, 2]


def test_a_file_beside_the_keys_that_cannot_be_written_is_waited_for(house, box, tmp_path, monkeypatch):
    """It has to know a tree before that leaves: with no room for it a letter waits, and none is set aside."""
    house.server = changed(house.server, signed=SignedTreeRecord(FileRecord(tmp_path / "log.signed")))
    log_health.begin(house.server)
    real = os.open

    def full(path, *rest):
        if str(path).endswith(".new"):
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(path, *rest)

    def shown(work, game, raw):
        work.server.keys.signed.add(Checkpoint("games.example/pbem", 4711, bytes(32)))

    house.write("north", ORDERS)
    box.put(mail(ANN, house.addresses["north"], "STATUS\n"))
    pump = MailboxPoller(house.server, box)
    with monkeypatch.context() as disk:
        disk.setattr("pbem.store.durable.os.open", full)
        disk.setattr(log_health, "note_shown_trees", shown)
        with pytest.raises(TRANSIENT_ERRORS):
            leave(house)
        assert pump.step().retry_in == 1
    assert (box.uids("INBOX"), box.uids("Poison")) == ([1], [])
    assert pump.step().taken == 1
    assert leave(house) == [ANN, ANN]
