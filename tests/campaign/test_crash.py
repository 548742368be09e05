"""Killed at every step of both pumps, started again: nothing lost, nothing done twice.

A child process pumps letters from a folder through the database into a spool, and dies at the named point by
os._exit, which flushes and closes nothing. Another child then runs to the end, and what is on disk is looked at.
"""

import asyncio
import email
import json
import os
from collections import Counter
from typing import Any

import pytest
from sqlmodel import select

from pbem.mail.smtp import SmtpReply
from pbem.server import mailbox_poller, outbox_sender
from pbem.server import scheduler as ticker
from pbem.server.scheduler import run_due_jobs
from pbem.store import tables
from tests.harness.game import ANN, BOB, PlayedGame
from tests.harness.letters import mail
from tests.harness.mailbox import FolderMailbox
from tests.harness.server import open_server
from tests.harness.toygame import Telling

KILLED = 9
LETTERS = 5
TIMES = {"taken": range(1, LETTERS + 1), "committed": range(1, LETTERS + 1), "read": [1, 2], "rendered": [1, 2]}
TIMES |= {"rendering": [1, 2], "sent": range(1, 7), "recording": [1, 2], "recorded": [1, 2]}
POINTS = (*mailbox_poller.POLL_POINTS, *outbox_sender.SENDING_POINTS, *ticker.JOB_POINTS)
CASES = [
    # The first tier kills at each point once, by turns at the first and at the last time that it is reached.
    pytest.param(point, time, marks=[] if time == TIMES.get(point, [1])[-(number % 2)] else [pytest.mark.full])
    for number, point in enumerate(POINTS)
    for time in TIMES.get(point, [1])
]


class Killer:
    """Ends the process when a point is reached for the given time."""

    def __init__(self, point, time):
        self.point, self.left = point, time

    def __call__(self, point):
        if point == self.point:
            self.left -= 1
            if self.left == 0:
                os._exit(KILLED)


def spool(folder):
    """A server that takes every letter, on disk before it says so."""

    async def send(envelopes, on_reply):
        for envelope in envelopes:
            path = folder / "spool" / f"{len(list((folder / 'spool').iterdir())):03}.eml"
            path.write_bytes(envelope.raw)
            await on_reply(SmtpReply(250, "ok", "sent", "data"))

    return send


def run(folder, crash_point):
    """What the daemon does until there is nothing left to do: poll, send, tick, send."""
    server = open_server(folder)
    mailbox_poller.MailboxPoller(server, FolderMailbox(folder / "mail"), crash_point).step()
    asyncio.run(outbox_sender.send_due_letters(server, spool(folder), on_step=crash_point))
    run_due_jobs(server, crash_point)
    asyncio.run(outbox_sender.send_due_letters(server, spool(folder), on_step=crash_point))
    server.engine.dispose()


def child(folder, crash_point):
    """Run in a process of its own; its exit code."""
    pid = os.fork()
    if pid == 0:
        code = 70
        try:
            run(folder, crash_point)
            code = 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


@pytest.fixture
def folder(tmp_path):
    """Five letters lie in the mailbox; the two players' last orders close the phase without delay."""
    house = PlayedGame(tmp_path, scenario="both", undo_minutes=0)
    (tmp_path / "spool").mkdir()
    box = FolderMailbox(tmp_path / "mail")
    north, south = house.addresses["north"], house.addresses["south"]
    first = mail(ANN, north, "ORDERS T1\nMOVE Ant TO s2\nEND\n", Message_ID="<1@x.example>")
    for raw in (
        first,
        mail(ANN, north, "ORDERS T1\nMOVE Bee TO s3\nEND\n", Message_ID="<2@x.example>"),
        mail("eve@x.example", "pbem@games.example", "hello", Message_ID="<3@x.example>"),
        first,
        mail(BOB, south, "ORDERS T1\nMOVE Dog TO s7\nEND\n", Message_ID="<5@x.example>"),
    ):
        box.put(raw)
    assert len(list(box.root.rglob("*.eml"))) == LETTERS
    house.server.engine.dispose()
    return tmp_path


def answers(folder):
    """Message-ID -> (what it answers, the different bytes that went out under it)."""
    state_by_table: dict[str, tuple[str | None, set[bytes]]] = {}
    for path in sorted((folder / "spool").iterdir()):
        letter = email.message_from_bytes(path.read_bytes())
        state_by_table.setdefault(letter["Message-ID"], (letter["In-Reply-To"], set()))[1].add(path.read_bytes())
    return state_by_table


def look(folder):
    server = open_server(folder)
    with server.session() as session:
        rows: dict[Any, list[Any]] = {
            table: list(session.exec(select(table)).all())
            for table in (tables.Inbox, tables.QueuedOrders, tables.Outbox, tables.Phase, tables.Event)
        }
    server.engine.dispose()
    return rows


@pytest.mark.parametrize(("point", "time"), CASES)
def test_killed_there_and_started_again(folder, point, time):
    assert child(folder, Killer(point, time)) == KILLED, f"{point} was not reached {time} times"
    assert child(folder, lambda point: None) == 0
    box = FolderMailbox(folder / "mail")
    assert (box.uids("INBOX"), box.uids("Processed")) == ([], [1, 2, 3, 4, 5])
    rows = look(folder)
    # Each letter has one row, each order letter one revision of orders.
    assert sorted(row.uid for row in rows[tables.Inbox]) == [1, 2, 3, 4, 5]
    assert [(row.revision, row.text) for row in rows[tables.QueuedOrders]] == [
        (1, "MOVE Ant TO s2\n"),
        (2, "MOVE Bee TO s3\n"),
        (1, "MOVE Dog TO s7\n"),
    ]
    # The phase was resolved once, with the orders that were queued.
    done, following = rows[tables.Phase]
    assert (done.state, following.state) == ("resolved", "open")
    assert json.loads(done.orders) == {"north": [2, "MOVE Bee TO s3\n", []], "south": [1, "MOVE Dog TO s7\n", []]}
    assert Counter(row.kind for row in rows[tables.Event])["ended"] == 1
    # Everything queued went out, and whatever went out twice was the same letter twice.
    assert {row.state for row in rows[tables.Outbox]} == {"sent"}
    sent = answers(folder)
    assert {row.message_id for row in rows[tables.Outbox] if row.kind != "invitation"} >= set(sent)
    assert all(len(bodies) == 1 for _, bodies in sent.values())
    replied = Counter(reply for reply, _ in sent.values())
    assert replied == {"<1@x.example>": 1, "<2@x.example>": 1, "<3@x.example>": 1, "<5@x.example>": 1, None: 2}


@pytest.mark.parametrize("reports", [1, 2])
def test_killed_in_the_middle_of_a_resolution(folder, monkeypatch, reports):
    """The process dies while it writes the report of the first or the second seat."""
    report = Telling.report
    killer = Killer("report", reports)

    def deadly(*args):
        killer("report")
        return report(*args)

    with monkeypatch.context() as patched:
        patched.setattr(Telling, "report", deadly)
        assert child(folder, lambda point: None) == KILLED
    before = look(folder)
    assert [row.state for row in before[tables.Phase]] == ["open"]
    assert before[tables.Event] == []
    assert child(folder, lambda point: None) == 0
    after = look(folder)
    assert [row.state for row in after[tables.Phase]] == ["resolved", "open"]
    assert Counter(row.kind for row in after[tables.Event])["ended"] == 1
    assert Counter(reply for reply, _ in answers(folder).values())[None] == 2


def test_every_point_is_reached(folder):
    """The list of points is that of a whole run: a new step in a pump must come with a case here."""
    reached: Counter[str] = Counter()

    def note(point):
        reached[point] += 1

    run(folder, note)
    assert reached == Counter({point: len(TIMES.get(point, [1])) for point in POINTS})
