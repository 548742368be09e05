"""Check that an idle worker looks for work as soon as it is woken."""

import asyncio

import pytest

from pbem.mail.smtp import SmtpReply
from pbem.runtime.transaction import WORKER_PREFIX
from pbem.server.worker import WorkerTools, work_until
from pbem.store.coordination import WakeUps, wake_others
from tests.harness.game import ANN, BOB
from tests.harness.server import changed
from tests.postgresql import cluster, url
from tests.workers.run import Where, prepared

pytestmark = pytest.mark.full

NEVER = 3600.0
"""Seconds between two looks of its own: longer than any test."""


@pytest.fixture
def house(tmp_path):
    with cluster() as folder:
        house = prepared(Where(tmp_path, url(folder)), 1)
        yield house
        house.server.close()


async def sent_when_woken(house):
    """Return to whom an idle worker sends after a wake-up."""
    server = changed(house.server, owner=f"{WORKER_PREFIX}1", shared=True)
    idle, done, stopped = asyncio.Event(), asyncio.Event(), asyncio.Event()
    sent = []

    async def send(envelopes, on_reply):
        for envelope in envelopes:
            sent.append(envelope.recipient)
            await on_reply(SmtpReply(250, "taken", "sent", "data"))
        if {ANN, BOB} <= set(sent):
            done.set()

    async def worker(task):
        """Run a task; the first turn ends when no letter is found."""
        result = task()
        if server.settings.owner in looked and not result:
            idle.set()
        looked.add(server.settings.owner)
        return result

    looked = set()
    day = asyncio.ensure_future(
        work_until(
            server,
            WorkerTools(send, worker, look=NEVER, wake_ups=WakeUps(server.engine, server.settings.owner)),
            stopped,
        )
    )
    await asyncio.wait_for(idle.wait(), 20)
    house.clock.forward(hours=2)
    house.poll()
    wake_others(server.engine, "host:1")
    await asyncio.wait_for(done.wait(), 20)
    stopped.set()
    await asyncio.wait_for(day, 20)
    return sent


def test_a_wake_up_comes_long_before_the_next_look(house):
    house.sent()
    assert sorted(set(asyncio.run(sent_when_woken(house)))) == [ANN, BOB]
