"""The tables as the migrations make them: nothing missing, what must hold held by the database itself."""

import subprocess
import threading
from datetime import UTC, datetime, timedelta, timezone
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.script import ScriptDirectory
from sqlalchemy import inspect, text
from sqlalchemy.exc import IntegrityError, StatementError
from sqlmodel import Session, select

from pbem.store import migrations, tables
from pbem.store.engine import open_engine
from pbem.store.migrations import runner
from tests.postgresql import cluster, url

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.fixture
def engine(tmp_path):
    engine = open_engine(f"sqlite:///{tmp_path}/pbem.db")
    migrations.upgrade(engine)
    yield engine
    engine.dispose()


def add_game(session, name="g1"):
    if session.get(tables.Edition, "sha256:0") is None:
        session.add(tables.Edition(digest="sha256:0", system="toy", text="{}"))
        session.flush()
    session.add(
        tables.Game(
            id=name,
            system="toy",
            scenario="s",
            edition_digest="sha256:0",
            scheme="pbemdice/v1",
            root="<r@x>",
            created=NOON,
        )
    )
    session.flush()


def make_phase(number=1, state="open"):
    return tables.Phase(game_id="g1", number=number, turn=number, name="north", state=state, opened=NOON, deadline=NOON)


def add_event(session):
    add_game(session)
    phase = make_phase()
    session.add(phase)
    session.flush()
    session.add(tables.Event(phase_id=phase.id, number=1, kind="moved", cite="1.1", body="{}"))
    session.flush()


def test_migrations_make_the_tables_of_the_code(engine):
    runner.check_migrations(engine)
    assert set(inspect(engine).get_table_names()) == {*tables.metadata().tables, "alembic_version"}


def test_every_constraint_has_the_name_by_which_a_migration_can_change_it():
    constraints = [
        (table.name, constraint) for table in tables.metadata().tables.values() for constraint in table.constraints
    ]
    assert [(table, str(constraint)) for table, constraint in constraints if constraint.name is None] == []


def test_scripts_are_named_after_their_versions():
    scripts = ScriptDirectory.from_config(runner.alembic_config())
    assert [Path(revision.path).name[:5] for revision in scripts.walk_revisions()] == [
        f"{revision.revision}_" for revision in scripts.walk_revisions()
    ]
    assert migrations.newest_version() == scripts.get_current_head()


def test_upgrading_twice_changes_nothing(engine):
    with Session(engine) as session, session.begin():
        add_event(session)
    migrations.upgrade(engine)
    with Session(engine) as session:
        assert len(session.exec(select(tables.Event)).all()) == 1


def test_down_and_up_again(engine):
    settings = runner.alembic_config()
    with engine.begin() as connection:
        settings.attributes["connection"] = connection
        command.downgrade(settings, "base")
    assert inspect(engine).get_table_names() == ["alembic_version"]
    migrations.upgrade(engine)
    runner.check_migrations(engine)


@pytest.mark.parametrize("statement", ["UPDATE event SET kind = 'lost'", "DELETE FROM event"])
def test_events_are_append_only(engine, statement):
    with Session(engine) as session, session.begin():
        add_event(session)
    with pytest.raises(IntegrityError, match="event is append-only"), engine.begin() as connection:
        connection.execute(text(statement))
    with Session(engine) as session:
        assert session.exec(select(tables.Event)).one().kind == "moved"


@pytest.mark.parametrize("statement", ["UPDATE basis SET ruling = 2", "DELETE FROM basis"])
def test_what_rulings_made_is_append_only(engine, statement):
    with Session(engine) as session, session.begin():
        add_game(session)
        session.add(tables.Basis(game_id="g1", number=2, ruling=1, after=0))
    with pytest.raises(IntegrityError, match="basis is append-only"), engine.begin() as connection:
        connection.execute(text(statement))


@pytest.mark.parametrize(
    ("pragma", "value"),
    [("journal_mode", "wal"), ("foreign_keys", 1), ("synchronous", 2), ("busy_timeout", 30_000)],
)
def test_sqlite_is_set_up_to_last(engine, pragma, value):
    with engine.connect() as connection:
        assert connection.exec_driver_sql(f"PRAGMA {pragma}").scalar_one() == value


def test_two_writers_lose_nothing(engine):
    """Each reads the number and writes it one higher: with a deferred BEGIN this fails or loses counts."""
    with Session(engine) as session, session.begin():
        session.add(tables.Person(id=1, name="0"))
    faults = []

    def count(times):
        try:
            for _ in range(times):
                with Session(engine) as session, session.begin():
                    person = session.get_one(tables.Person, 1)
                    person.name = str(int(person.name) + 1)
        except Exception as fault:
            faults.append(fault)

    threads = [threading.Thread(target=count, args=(60,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with Session(engine) as session:
        assert (faults, session.get_one(tables.Person, 1).name) == ([], "120")


@pytest.mark.parametrize(
    "second",
    [
        make_phase(2),
        make_phase(1, "closed"),
        make_phase(2, "ajar"),
        tables.Due(at=NOON, kind="close", game_id="g1", cause="deadline"),
        tables.Due(at=NOON, kind="close", game_id="g2", cause="deadline"),
        tables.Poll(account="a", folder="INBOX", begun=NOON),
    ],
    ids=["two open phases", "one number twice", "no such state", "one cause twice", "no such game", "one box twice"],
)
def test_what_the_database_refuses(engine, second):
    with Session(engine) as session, session.begin():
        add_game(session)
        session.add(make_phase())
        session.add(tables.Due(at=NOON, kind="close", game_id="g1", cause="deadline"))
        session.add(tables.Poll(account="a", folder="INBOX", begun=NOON))
    with Session(engine) as session:
        session.add(second)
        with pytest.raises(IntegrityError):
            session.flush()


def letter(uid, copy_of=None, message_id="<m@x>"):
    return tables.Inbox(
        account="a",
        folder="INBOX",
        uidvalidity=2**32 - 1,
        uid=uid,
        message_id=message_id,
        sha256="0" * 64,
        sender="b@x",
        internaldate=NOON,
        taken=NOON,
        verdict="seat",
        outcome="queued",
        copy_of=copy_of,
    )


def test_a_letter_has_one_original_and_any_number_of_copies(engine):
    with Session(engine) as session, session.begin():
        session.add(tables.Raw(sha256="0" * 64, body=b"raw"))
        session.flush()
        first = letter(1)
        session.add(first)
        session.flush()
        session.add_all([letter(2, first.id), letter(3, first.id), letter(4, message_id="<n@x>")])
    for again in (letter(1, 1, "<o@x>"), letter(5)):
        with Session(engine) as session:
            session.add(again)
            with pytest.raises(IntegrityError):
                session.flush()


def test_rendered_letters_are_stored_compressed_and_those_stored_before_are_read_as_they_are(engine):
    body = b"From: a@x\r\n\r\n" + b"All quiet at Ceuta.\r\n" * 100
    sent: dict[str, Any] = {"kind": "report", "recipient": "a@x", "envelope_sender": "b@x", "language": "en"}
    with Session(engine) as session, session.begin():
        for number in (1, 2, 3):
            row = tables.Outbox(id=number, message_id=f"<{number}@x>", created=NOON, next_try=NOON, **sent)
            row.content = tables.Content(model="{}", body=body if number < 3 else None)
            session.add(row)
    with engine.begin() as connection:
        connection.execute(text("UPDATE content SET body = :body WHERE outbox_id = 2"), {"body": body})
        sizes = connection.execute(text("SELECT length(body) FROM content ORDER BY outbox_id")).scalars().all()
    assert (sizes[0] < len(body) / 10, *sizes[1:]) == (True, len(body), None)
    with Session(engine) as session:
        assert [row.body for row in session.exec(select(tables.Outbox).order_by("id"))] == [body, body, None]


def test_moments_are_aware_and_come_back_in_utc(engine):
    later = NOON.astimezone(timezone(timedelta(hours=2)))
    with Session(engine) as session, session.begin():
        session.add(tables.Poll(account="a", folder="INBOX", begun=later))
    with Session(engine) as session:
        begun = session.get_one(tables.Poll, ("a", "INBOX")).begun
        assert (begun, begun.tzinfo) == (NOON, UTC)
    with Session(engine) as session:
        session.add(tables.Poll(account="b", folder="INBOX", begun=NOON.replace(tzinfo=None)))
        with pytest.raises(StatementError, match="timezone"):
            session.flush()


def postgresql_script() -> str:
    """The migrations as the SQL that PostgreSQL would be sent."""
    settings = runner.alembic_config()
    settings.attributes["dialect"] = "postgresql"
    settings.output_buffer = StringIO()
    command.upgrade(settings, "head", sql=True)
    return settings.output_buffer.getvalue()


def test_postgresql_gets_the_same_tables_and_its_own_trigger():
    script = postgresql_script()
    for table in tables.metadata().tables:
        assert f"CREATE TABLE {table} " in script
    assert "BEFORE UPDATE OR DELETE OR TRUNCATE ON event" in script
    assert "WHERE state = 'open'" in script


@pytest.fixture
def psql():
    """Run a script on a PostgreSQL of its own."""
    with cluster() as folder:
        command = ["psql", "-h", str(folder), "-U", "postgres", "-v", "ON_ERROR_STOP=1", "-q"]
        yield lambda script: subprocess.run(command, input=script, capture_output=True, text=True, check=False)


@pytest.mark.full
def test_postgresql_refuses_to_change_an_event(psql):
    done = psql(postgresql_script())
    assert (done.returncode, done.stderr) == (0, "")
    fill = """
        INSERT INTO edition VALUES ('d', 'toy', '{}');
        INSERT INTO game (id, system, scenario, edition_digest, scheme, state, held_why, zone, weekdays, hour,
            grace_hours, undo_minutes, root, created, open_seats, terms, result)
            VALUES ('g', 'toy', 's', 'd', 'hmac/v0', 'running', '', 'UTC', '0', 1, 1, 1, 'r', now(), false, '{}', '');
        INSERT INTO phase (game_id, number, turn, name, attempt, run, state, opened, deadline)
            VALUES ('g', 1, 1, 'north', 1, 1, 'open', now(), now());
        INSERT INTO event (phase_id, number, kind, cite, body) SELECT id, 1, 'moved', '1.1', '{}' FROM phase;
    """
    assert psql(fill).returncode == 0
    for statement in ("UPDATE event SET kind = 'lost'", "DELETE FROM event", "TRUNCATE event"):
        refused = psql(statement + ";")
        assert refused.returncode != 0
        assert "event is append-only" in refused.stderr
    assert psql("INSERT INTO due (at, kind, game_id, cause) VALUES (now(), 'close', 'none', 'x');").returncode != 0


@pytest.mark.full
def test_two_processes_that_migrate_at_once_do_it_once():
    with cluster() as folder:
        _migrate_twice_at_once(url(folder))


def _migrate_twice_at_once(database):
    engines = [open_engine(database) for _ in range(2)]
    wrong: list[BaseException] = []

    def upgrade(engine):
        try:
            migrations.upgrade(engine)
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=upgrade, args=[engine]) for engine in engines]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert migrations.versions(engines[0])[0] == migrations.newest_version()
    for engine in engines:
        engine.dispose()


def test_a_program_that_works_on_a_database_notices_that_a_newer_one_has_been_at_it(engine):
    migrations.refuse_newer(engine)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(migrations.NewerDatabase, match="9999"):
        migrations.refuse_newer(engine)
