"""A tournament that two workers on one PostgreSQL carry on, killed at random: each round, table and letter once."""

import pytest

from tests.postgresql import cluster, other, url
from tests.workers.event_drill import EventPlan, drilled
from tests.workers.run import Where

pytestmark = pytest.mark.full


def test_killed_workers_draw_each_round_once_and_lose_no_letter(tmp_path):
    with cluster() as folder:
        drill = drilled(EventPlan(entrants=5, rounds=1, most=4), Where(tmp_path, url(folder), other(folder, "kept")))
    assert drill.wrong == ()
    assert drill.kills > 0
