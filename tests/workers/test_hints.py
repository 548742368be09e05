"""A worker that has nothing to do looks at once when somebody else has found something."""

import asyncio

import pytest

from pbem.mail.smtp import Reply
from pbem.runtime.transaction import WORKER
from pbem.server.worker import Tools, work_until
from pbem.store.coordination import Hints, send_hint
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


async def hinted(house):
    """What a worker sends that was told after it had looked and found nothing."""
    server = changed(house.server, owner=f"{WORKER}1", shared=True)
    idle, done, stopped = asyncio.Event(), asyncio.Event(), asyncio.Event()
    sent = []

    async def send(envelopes, told):
        for one in envelopes:
            sent.append(one.recipient)
            await told(Reply(250, "taken", "sent", "data"))
        if {ANN, BOB} <= set(sent):
            done.set()

    async def worker(task):
        """All that is done, one thing after the other; the first turn ends with a look for letters that finds none."""
        result = task()
        if server.settings.owner in looked and not result:
            idle.set()
        looked.add(server.settings.owner)
        return result

    looked = set()
    day = asyncio.ensure_future(
        work_until(server, Tools(send, worker, look=NEVER, hints=Hints(server.engine, server.settings.owner)), stopped)
    )
    await asyncio.wait_for(idle.wait(), 20)
    house.clock.forward(hours=2)
    house.poll()
    send_hint(server.engine, "host:1")
    await asyncio.wait_for(done.wait(), 20)
    stopped.set()
    await asyncio.wait_for(day, 20)
    return sent


def test_a_hint_wakes_it_long_before_its_next_look(house):
    house.sent()
    assert sorted(set(asyncio.run(hinted(house)))) == [ANN, BOB]
