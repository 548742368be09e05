"""Several workers on one PostgreSQL, killed at random: each phase once, each letter once, the log without a gap."""

import pytest

from tests.postgresql import cluster, other, url
from tests.workers.run import Plan, Where, digests, play, prepared

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """What one server without workers makes of the same letters."""
    house = prepared(Where(tmp_path_factory.mktemp("alone")), 12)
    assert house.tick() == 12
    return digests(house.server)


@pytest.mark.parametrize(("workers", "between", "apart"), [(2, 0.25, False), (4, 0.0, True)])
def test_workers_do_everything_once(tmp_path, alone, workers, between, apart):
    """Those `apart` share nothing but two databases, as on several machines; the others share a file too."""
    with cluster() as folder:
        where = Where(tmp_path, url(folder), other(folder, "kept") if apart else "")
        house = prepared(where, 12)
        results = play(Plan(12, workers, between), house, where)
        house.server.close()
    assert results.faults(12) == []
    assert results.digests == alone
    assert (results.kills > 0) == (between > 0)
    assert (tmp_path / "log.signed").exists() != apart
