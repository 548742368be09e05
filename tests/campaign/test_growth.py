"""What a letter, a phase and a look at a server cost stays the same, however many games and letters there are.

Counted are the steps of SQLite's machine, which are the same everywhere and however busy one is.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from pbem.mail.smtp import SmtpReply
from pbem.server import outbox_sender
from pbem.server.health import read_health, update_tallies
from pbem.store import tables
from tests.campaign.past import grow
from tests.campaign.test_statements import counted
from tests.harness.game import PlayedGame
from tests.plans import listening

GAMES, EACH = 400, 50
"""Games beside the one that is looked at, and rows of each that grows with what was written."""
GROWS = 1.2


@contextmanager
def steps(house) -> Iterator[list[int]]:
    """Counts the steps of SQLite's machine in the block."""
    made = [0]

    def step():
        made[0] += 1

    def checkout(connection, record, proxy):
        connection.set_progress_handler(step, 1)

    def checkin(connection, record):
        if connection is not None:
            connection.set_progress_handler(None, 1)

    with listening(house.server.engine, checkout=checkout, checkin=checkin):
        yield made


def orders(house, turn):
    house.write("north", f"ORDERS T{turn}\nMOVE Ant TO s{turn + 1}\nEND\n")


def close(house):
    house.clock.forward(minutes=31)
    assert house.tick() == 1


async def taken(envelopes, on_reply):
    for _ in envelopes:
        await on_reply(SmtpReply(250, "ok", "sent", "data"))


def send(house):
    assert asyncio.run(outbox_sender.send_due_letters(house.server, taken)) > 0


def idle(house):
    assert house.tick() == 0


def look(house):
    with house.server.reading() as work:
        read_health(work.session, work.now)


ACTS = {"a letter": lambda house: orders(house, 1), "a phase": close, "sending": send, "idle": idle, "a look": look}
LATEST = {"a look": 12_000}
"""What is counted anew each time costs: a few hundred rows of letters, what is due, the states of games."""


def costs(house):
    sizes = {}
    for name, act in ACTS.items():
        with steps(house) as made:
            act(house)
        sizes[name] = made[0]
    return sizes


@pytest.mark.full
def test_costs_do_not_grow_with_what_was_played_and_written_before(tmp_path):
    small, large = (PlayedGame(tmp_path / name) for name in ("small", "large") if (tmp_path / name).mkdir() is None)
    grow(large.server.engine, GAMES, EACH)
    update_tallies(large.server)
    before, after = costs(small), costs(large)
    assert sum(row.count for row in large.all(tables.Tally) if row.word and row.about == "inbox") > 0.9 * GAMES * EACH
    assert [name for name, cost in after.items() if cost > GROWS * before[name] + LATEST.get(name, 0)] == []


def test_a_phase_is_closed_by_so_many_statements_and_no_more(tmp_path):
    """They are those of two seats; among them six leaves of the log."""
    house = PlayedGame(tmp_path, undo_minutes=0)
    for _ in range(2):
        turn = house.all(tables.Phase)[-1].turn
        house.write("north" if len(house.all(tables.Phase)) % 2 else "south", f"ORDERS T{turn}\nPASS\nEND\n")
        with counted(house) as asked:
            assert house.tick() == 1
        assert len(asked) <= 47
