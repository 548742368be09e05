"""Several workers on one PostgreSQL, killed at random: each phase once, each letter once, the log without a gap."""

import pytest

from tests.postgresql import cluster, url
from tests.workers.run import Plan, digests, play, prepared

pytestmark = [pytest.mark.integration, pytest.mark.slow]


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """What one server without workers makes of the same letters."""
    house = prepared(tmp_path_factory.mktemp("alone"), 12)
    assert house.tick() == 12
    return digests(house.server)


@pytest.mark.parametrize(("workers", "between"), [(2, 0.25), (4, 0.0)])
def test_workers_do_everything_once(tmp_path, alone, workers, between):
    with cluster() as folder:
        house = prepared(tmp_path, 12, url(folder))
        found = play(Plan(12, workers, between), house, url(folder))
        house.server.close()
    assert found.faults(12) == []
    assert found.digests == alone
    assert (found.kills > 0) == (between > 0)
