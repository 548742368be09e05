"""A table is read with its file when it is asked for; what each file has is what the package says."""

from importlib import import_module
from inspect import getmembers, isclass

import pytest
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.schema import CreateIndex
from sqlmodel import SQLModel

from pbem.store import tables


@pytest.mark.parametrize("file", tables._FILES)
def test_each_table_is_in_the_file_that_it_is_looked_for_in(file):
    module = import_module(f"pbem.store.tables.{file}")
    own = {name for name, member in getmembers(module, isclass) if member.__module__ == module.__name__}
    assert own == {*tables._FILES[file].split()}
    assert all(issubclass(getattr(tables, name), SQLModel) for name in own)


def test_a_name_of_no_table():
    with pytest.raises(AttributeError, match="has no attribute 'Gmae'"):
        _ = tables.Gmae  # type: ignore[attr-defined]


@pytest.mark.parametrize("dialect", [sqlite.dialect(), postgresql.dialect()], ids=lambda dialect: dialect.name)
def test_an_index_over_some_rows_says_which(dialect):
    made = {str(index.name): index for table in tables.metadata().tables.values() for index in table.indexes}
    sql = str(CreateIndex(made["ix_phase_one_open"]).compile(dialect=dialect))
    assert sql == "CREATE UNIQUE INDEX ix_phase_one_open ON phase (game_id) WHERE state = 'open'"
