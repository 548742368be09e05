"""What waits costs nothing: an idle turn, deadlines that fell while the mailbox was away, rounds that have not come."""

import asyncio
import threading
from datetime import UTC, datetime

import pytest
from sqlalchemy import event
from sqlalchemy.exc import DBAPIError

from pbem.audit.beacon import QUICKNET
from pbem.play import beacons
from pbem.play.commands.table import founding
from pbem.runtime import transaction
from pbem.server import scheduler
from pbem.server.outbox_sender import send_due_letters
from pbem.server.scheduler import run_due_jobs
from pbem.store import hot_statements, queries, tables
from pbem.store.engine import open_engine, read_only_engine
from tests.campaign.past import grow
from tests.campaign.test_breakers import many
from tests.campaign.test_statements import counted
from tests.harness.game import PlayedGame
from tests.postgresql import cluster, url


async def nobody(envelopes, on_reply):
    raise AssertionError("nothing is to be sent")


@pytest.fixture
def house(tmp_path):
    return PlayedGame(tmp_path)


def turn(house):
    """What a turn of the clock asks, and how many of its transactions may write."""
    with counted(house) as asked:
        assert run_due_jobs(house.server) == 0
        assert asyncio.run(send_due_letters(house.server, nobody)) == 0
    return len(asked), sum(word == "BEGIN" for word in asked)


def test_a_turn_with_nothing_to_do_asks_four_things_and_begins_nothing_that_writes(house):
    house.tick()
    house.sent()
    asked, writing = turn(house)
    assert (asked - writing, writing) == (4, 3)


@pytest.mark.parametrize("count", [2, 12])
def test_deadlines_wait_for_the_mailbox_at_no_cost_however_many_they_are(house, count):
    many(house, count)
    house.sent()
    run_due_jobs(house.server)
    house.sent()
    idle = turn(house)
    house.poll()
    house.clock.forward(days=2)
    assert turn(house) == idle
    assert len(house.all(tables.Due)) == count
    assert house.tick() >= count


def test_rounds_that_have_not_come_are_not_looked_at(house):
    run_due_jobs(house.server)
    house.sent()
    idle = turn(house)
    with house.server.session() as session:
        hot_statements.schedule_job(
            session, "g1", beacons.ROUND, beacons.beacon_due_cause("chain", 7), house.clock.now()
        )
    assert turn(house) == idle
    house.server.caches.rounds["chain", 7] = b"came"
    assert run_due_jobs(house.server) == 1


def test_a_server_that_runs_for_months_names_its_last_rounds_alone(house):
    """A statement takes so many values and no more, and each look for what is due would name all."""
    for number in range(40_000):
        beacons.store_beacon_round(house.server, QUICKNET, number, b"came", lambda *_: True)
    known = house.server.caches.rounds
    assert (len(known), list(known)[-1]) == (beacons.MOST_KEPT_ROUNDS, (QUICKNET.hash, 39_999))
    house.tick()


def test_editions_of_many_wars_are_not_all_kept(house, monkeypatch):
    monkeypatch.setattr(transaction, "MOST_CACHED_EDITIONS", 2)
    for turns in range(3, 8):
        with house.server.work() as work:
            name = f"g{turns}"
            founding.new_game(work, founding.NewGame(name, "toy", "both", options={"turns": str(turns)}))
            edition = house.server.edition_of(work.session, work.session.get_one(tables.Game, name))
            assert edition.digest == list(house.server.caches.editions)[-1]
    assert len(house.server.caches.editions) == 2


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.full)])
def served(request, tmp_path):
    if request.param == "sqlite":
        yield PlayedGame(tmp_path)
        return
    from pbem.store import migrations

    with cluster() as folder:
        engine = open_engine(url(folder))
        migrations.upgrade(engine)
        yield PlayedGame(tmp_path, engine=engine)
        engine.dispose()


def test_who_reads_locks_nobody_sees_one_moment_and_cannot_write(served):
    server = served.server
    with server.reading() as work:
        before = work.session.get(tables.Game, "g1")
        assert before is not None
        done = threading.Thread(target=_hold, args=[server])
        done.start()
        done.join(20)
        assert not done.is_alive()
        work.session.expire_all()
        assert work.session.get_one(tables.Game, "g1").state == "running"
    with pytest.raises(DBAPIError, match=r"(?i)read.?only"), server.reading() as work:
        hot_statements.schedule_job(work.session, "g1", "close", "never", work.now)
    with server.reading() as work:
        assert work.session.get_one(tables.Game, "g1").state == "held"
    assert read_only_engine(server.engine) is read_only_engine(server.engine)


def _hold(server):
    with server.session() as session:
        session.get_one(tables.Game, "g1").state = "held"


def looked_at(house):
    """How many rows of what is due a turn reads that runs a few of them."""
    seen = []

    def note(row, context):
        seen.append(row)

    event.listen(tables.Due, "load", note)
    try:
        assert run_due_jobs(house.server, limit=4) == 4
    finally:
        event.remove(tables.Due, "load", note)
    return len(seen)


def test_a_turn_reads_as_much_of_an_evening_of_any_size(house, monkeypatch):
    """A thousand games due at once are not read anew for every few of them that are played."""
    monkeypatch.setattr(scheduler, "_ROWS_AT_ONCE", 8)
    grow(house.server.engine, 200, 1)
    house.clock.set(datetime(2031, 1, 1, tzinfo=UTC))
    house.poll()
    assert run_due_jobs(house.server, limit=4) == 4
    assert looked_at(house) == looked_at(house) <= 3 * 8


def test_what_cannot_be_done_now_holds_up_nothing_behind_it(house, monkeypatch):
    """However many rows come first whose games somebody else has at the moment."""
    monkeypatch.setattr(scheduler, "_ROWS_AT_ONCE", 2)
    many(house, 12)
    house.sent()
    house.clock.forward(days=2)
    house.poll()
    real, taken = queries.games.free_game, [row.game_id for row in house.all(tables.Due)][:-1]
    monkeypatch.setattr(
        queries.games, "free_game", lambda session, name: None if name in taken else real(session, name)
    )
    assert run_due_jobs(house.server, limit=1) == 1
