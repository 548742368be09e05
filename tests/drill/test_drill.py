"""A small drill: nothing is lost by kills, and each of three known bugs is found by them."""

import pytest

from tests.drill.plants import PLANTS
from tests.drill.run import POINTS, Drill, Plan
from tests.needed import need
from tests.servers.real import missing

pytestmark = pytest.mark.full


def test_killed_at_every_point_and_over_bad_lines(tmp_path):
    plan = Plan(letters=50, kills=len(POINTS) + 4, games=4, seed=3, limit=120)
    found = Drill(tmp_path, plan).play()
    assert found.troubles == [], "\n".join(found.lines())
    assert set(found.hits) == set(POINTS)
    assert sum(found.hits.values()) >= plan.kills
    assert found.letters + found.copies >= plan.letters
    assert found.orders > 0
    assert found.phases > 0
    assert found.reports == 2 * (found.phases + plan.games)


def test_between_dovecot_and_exim(tmp_path):
    need(missing())
    plan = Plan(letters=20, kills=10, games=3, seed=4, limit=120, real=True)
    found = Drill(tmp_path, plan).play()
    assert found.troubles == [], "\n".join(found.lines())
    assert sum(found.hits.values()) >= plan.kills
    assert found.orders > 0
    assert found.answers > 0


FOUND = {
    "move-before-commit": "was never taken in",
    "send-before-commit": "different letters",
    "no-deduplication": "twice: ",
}


@pytest.mark.parametrize(
    "plant", [one if one == "no-deduplication" else pytest.param(one, marks=pytest.mark.long) for one in PLANTS]
)
def test_a_planted_bug_is_found(tmp_path, plant):
    # What is not known again is done twice after almost any kill.
    kills = 5 if plant == "no-deduplication" else 14
    plan = Plan(letters=10, kills=kills, games=2, seed=5, plant=plant, points=("taken", "committed", "sent"), limit=60)
    found = Drill(tmp_path, plan).play()
    assert any(FOUND[plant] in trouble for trouble in found.troubles), "\n".join(found.lines())
