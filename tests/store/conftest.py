"""A database of each kind, without tables."""

from contextlib import ExitStack

import pytest

from pbem.store.engine import open_engine
from tests.postgresql import cluster, url


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.full)])
def either(request, tmp_path):
    """An engine of SQLite, then one of PostgreSQL."""
    with ExitStack() as stack:
        where = f"sqlite:///{tmp_path}/either.db"
        if request.param == "postgresql":
            where = url(stack.enter_context(cluster()))
        engine = open_engine(where)
        stack.callback(engine.dispose)
        yield engine
