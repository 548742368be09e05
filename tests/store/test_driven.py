"""Statements handed to the driver as it takes them do what the same statements do otherwise."""

from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest
import sqlmodel
from sqlalchemy import Select, bindparam, literal, select, union_all
from sqlmodel import Session

from pbem.store import compiled_statements, hot_statements, migrations, tables
from pbem.store.engine import open_engine

TABLES = tables.Raw.metadata.tables
DUE, RAW = TABLES["due"], TABLES["raw"]
ANN: dict[str, Any] = {"name": "Ann", "language": "en", "zone": "UTC", "rating_public": False}
NOON = datetime(2030, 1, 7, 12, tzinfo=UTC)
ADD = RAW.insert()
ASKED = union_all(
    select(literal(True).label("here"), RAW.c.sha256, RAW.c.body).where(RAW.c.sha256 == bindparam("one")),
    select(literal(False), RAW.c.sha256, RAW.c.body).where(RAW.c.sha256 != bindparam("one")),
).limit(3)
ZONES = select(TABLES["person"].c.zone)
MOMENTS: Select[Any] = select(literal(NOON, DUE.c.at.type).label("at"), bindparam("name").label("name")).where(
    bindparam("name") == "a"
)


@pytest.fixture
def connection(tmp_path):
    engine = open_engine(f"sqlite:///{tmp_path}/pbem.db")
    migrations.upgrade(engine)
    with engine.begin() as connection:
        yield connection
    engine.dispose()


def test_values_go_in_and_come_out_as_they_were(connection):
    for name in ("a", "b"):
        assert compiled_statements.execute(connection, ADD, {"sha256": name, "body": name.encode()}).rowcount == 1
    rows = compiled_statements.select_rows(connection, ASKED, {"one": "b"})
    assert rows == [(True, "b", b"b"), (False, "a", b"a")] == list(connection.execute(ASKED, {"one": "b"}))
    assert rows[0][0] is True


def test_what_a_statement_says_itself_is_not_asked_for(connection):
    assert compiled_statements.select_rows(connection, MOMENTS, {"name": "a"}) == [(NOON, "a")]
    assert compiled_statements.select_rows(connection, MOMENTS, {"name": "b"}) == []


def test_a_value_that_is_wanted_and_not_given(connection):
    with pytest.raises(KeyError, match="one"):
        compiled_statements.select_rows(connection, ASKED, {})


def test_what_is_written_since_a_savepoint_is_taken_back(either):
    migrations.upgrade(either)
    with Session(either) as session, session.begin():
        hot_statements.insert_numbered(session, tables.Person, **ANN)
        with suppress(ZeroDivisionError), session.begin_nested():
            hot_statements.insert_numbered(session, tables.Person, **{**ANN, "name": "Bob"})
            raise ZeroDivisionError
        hot_statements.insert_numbered(session, tables.Person, **{**ANN, "name": "Cid"})
        assert [row.name for row in session.exec(sqlmodel.select(tables.Person))] == ["Ann", "Cid"]


def test_an_updated_object_is_taken_back_with_its_savepoint(either):
    migrations.upgrade(either)
    with Session(either) as session, session.begin():
        ann = tables.Person(**ANN)
        session.add(ann)
        hot_statements.update_row(session, ann, zone="Europe/Madrid")
        with suppress(ZeroDivisionError), session.begin_nested():
            hot_statements.update_row(session, ann, zone="Asia/Tokyo")
            raise ZeroDivisionError
        assert (ann.name, ann.zone) == ("Ann", "Europe/Madrid")
        assert session.exec(sqlmodel.select(tables.Person.zone)).all() == ["Europe/Madrid"]


def test_a_change_of_another_table_stays_pending_and_one_of_the_same_does_not(either):
    migrations.upgrade(either)
    with Session(either) as session, session.begin():
        ann = hot_statements.new_row(tables.Person, **ANN)
        hot_statements.add_row(session, ann)
        ann.zone = "Europe/Madrid"
        assert hot_statements.insert_if_new(session, tables.Raw, sha256="a", body=b"")
        assert [*session.dirty] == [ann]
        assert compiled_statements.read_rows(session, ZONES) == [("Europe/Madrid",)]
        assert [*session.dirty] == []
        hot_statements.delete_row(session, ann)
        assert compiled_statements.read_rows(session, ZONES) == []


def test_the_number_of_a_new_row(connection):
    person = TABLES["person"].insert()
    first, second = (
        compiled_statements.inserted_key(compiled_statements.execute(connection, person, ANN)) for _ in range(2)
    )
    assert second == first + 1
