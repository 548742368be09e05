"""A database of each kind, without tables."""

from contextlib import ExitStack
from itertools import count

import pytest

from pbem.store.engine import open_engine
from tests.postgresql import cluster, other


@pytest.fixture(scope="session")
def new_postgresql():
    """Makes databases in a cluster of PostgreSQL, and gives their addresses."""
    with cluster() as folder:
        numbers = count()
        yield lambda: other(folder, f"either{next(numbers)}")


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.full)])
def either(request, tmp_path):
    """An engine of SQLite, then one of PostgreSQL."""
    with ExitStack() as stack:
        where = f"sqlite:///{tmp_path}/either.db"
        if request.param == "postgresql":
            where = request.getfixturevalue("new_postgresql")()
        engine = open_engine(where)
        stack.callback(engine.dispose)
        yield engine
