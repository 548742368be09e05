"""The same letters on SQLite and on PostgreSQL leave the same rows, letters and events behind."""

import asyncio
from typing import Any

import pytest
from sqlalchemy import func, select

from pbem.mail.smtp import OnReply, SmtpReply
from pbem.play.replay import replay
from pbem.server.outbox_sender import send_due_letters
from pbem.server.scheduler import run_due_jobs
from pbem.store import migrations, tables
from pbem.store.engine import open_engine
from pbem.store.migrations import runner
from tests.harness import letters as houses
from tests.harness.game import ANN, BOB, PlayedGame
from tests.harness.letters import mail
from tests.harness.moderated_game import ModeratedGame
from tests.postgresql import cluster, url

pytestmark = pytest.mark.full

NUMBERED = ("id", "_id", "copy_of")
"""How columns end that hold a row's number: PostgreSQL leaves numbers out where a row was there already."""


class Database:
    """Puts off every third letter once."""

    def __init__(self) -> None:
        self.count = 0
        self.got: list[bytes] = []

    async def __call__(self, envelopes: Any, on_reply: OnReply) -> None:
        for envelope in envelopes:
            self.count += 1
            away = self.count % 3 == 0
            self.got += [] if away else [envelope.raw]
            await on_reply(SmtpReply(451, "later", "again", "data") if away else SmtpReply(250, "ok", "sent", "data"))


RULED = ("HOLD", "RESUME", "EXTEND 48h", "EDIT UNIT Cat AT s9", "REOPEN T2.north", "PROCESS T2.north")
"""What the moderator rules by letter at the end."""


def ruled(house: ModeratedGame) -> None:
    """Every ruling in a letter of its own, and its code in the next."""
    house.sent()
    for line in RULED:
        code = house.asked(f"{line} BECAUSE it was read wrongly\n")
        assert house.dictate(f"CODE {code}\n").outcome == "ruled", line
        house.tick()
        house.sent()
    assert house.rulings() == list(RULED)


def flow(house: ModeratedGame) -> list[bytes]:
    """Letters good, late, wrong, twice and out of turn; phases closed by consent and by the clock; all answered.

    At the end the moderator rules by letter, phases are played anew, and the game replays.
    """
    database = Database()
    house.write("north", "ORDERS T1\nMOVE Ant TO s2\nEND\n")
    house.write("north", "ORDERS T1\nMOVE Bee TO s3\nEND\n")
    house.write("north", "ORDERS T1\nMOVE Nobody TO s3\nEND\n")
    house.write("north", "CANCEL")
    house.write("south", "STANDING FOR Cat\nFLEE\nENDSTANDING\n")
    house.write("south", "ORDERS T1\nMOVE Cat TO s4\nEND\n")
    asyncio.run(send_due_letters(house.server, database))
    twice = mail(
        ANN, house.addresses["north"], "ORDERS T1\nMOVE Bee TO s3\nEND\n", Message_ID="<twice@players.example>"
    )
    for uid in (70, 71):
        house.receive(twice, uid=uid)
    house.receive(mail("eve@elsewhere.example", "pbem@games.example", "HELP", Message_ID="<eve@elsewhere.example>"))
    house.clock.forward(minutes=30)
    assert house.tick() == 1
    house.write("south", "STATUS\nHISTORY T1")
    house.clock.forward(days=3)
    house.poll()
    assert run_due_jobs(house.server) >= 1
    house.write("north", "VERIFY T2\nMOVE Ant TO s2\nEND\n")
    house.write("north", "ORDERS T2\nMOVE Ant TO s2\nEND\n")
    house.clock.forward(minutes=30)
    assert house.tick() >= 1
    for _ in range(3):
        asyncio.run(send_due_letters(house.server, database))
        house.clock.forward(minutes=5)
    ruled(house)
    with house.server.work() as work:
        done = replay(work, "g1")
    assert done.phases >= 3
    assert done.difference is None
    return database.got


def rows(house: PlayedGame) -> dict[str, list[dict[str, Any]]]:
    """Every row of every table in the order in which they were made, without their numbers."""
    rows_by_table: dict[str, list[dict[str, Any]]] = {}
    with house.server.session() as session:
        for name, table in sorted(tables.metadata().tables.items()):
            order = list(table.primary_key.columns)
            columns = [
                column for column in table.columns if not column.name.endswith(NUMBERED) or column.name == "game_id"
            ]
            for row in session.connection().execute(select(*columns).order_by(*order)):
                rows_by_table.setdefault(name, []).append(dict(row._mapping))
    return rows_by_table


def test_the_same_letters_leave_the_same_behind(tmp_path, monkeypatch):
    with cluster() as folder:
        outcomes = []
        for name, engine in (("sqlite", None), ("postgresql", open_engine(url(folder)))):
            monkeypatch.setattr(houses, "COUNT", iter(range(1, 1_000)))
            (tmp_path / name).mkdir()
            if engine is not None:
                migrations.upgrade(engine)
                runner.check_migrations(engine)
            house = ModeratedGame(tmp_path / name, engine=engine)
            outcomes.append((flow(house), rows(house)))
            with house.server.session() as session:
                assert session.connection().dialect.name == name
                count = session.connection().execute(select(func.count()).select_from(_table("inbox"))).scalar_one()
            assert count > 10
            house.server.engine.dispose()
    (sent, first_rows), (again, other) = outcomes
    assert {BOB, ANN} <= {row["recipient"] for row in first_rows["outbox"]}
    assert sent == again
    assert first_rows.keys() == other.keys()
    for name, first_of_table in first_rows.items():
        assert first_of_table == other[name], name


def _table(name: str) -> Any:
    return tables.metadata().tables[name]
