"""A small drill: nothing is lost by kills, and each of three known bugs is found by them."""

import pytest

from tests.drill.plants import PLANTS
from tests.drill.run import POINTS, Drill, Plan
from tests.needed import need
from tests.servers.real import missing

pytestmark = pytest.mark.full


def test_killed_at_every_point_and_over_bad_lines(tmp_path):
    plan = Plan(letters=50, kills=len(POINTS) + 4, games=4, seed=3, limit=120)
    findings = Drill(tmp_path, plan).play()
    assert findings.troubles == [], "\n".join(findings.lines())
    assert set(findings.hits) == set(POINTS)
    assert sum(findings.hits.values()) >= plan.kills
    assert findings.letters + findings.copies >= plan.letters
    assert findings.orders > 0
    assert findings.phases > 0
    assert findings.reports == 2 * (findings.phases + plan.games)


def test_between_dovecot_and_exim(tmp_path):
    need(missing())
    plan = Plan(letters=20, kills=10, games=3, seed=4, limit=120, real=True)
    findings = Drill(tmp_path, plan).play()
    assert findings.troubles == [], "\n".join(findings.lines())
    assert sum(findings.hits.values()) >= plan.kills
    assert findings.orders > 0
    assert findings.answers > 0


FOUND = {
    "move-before-commit": "was never taken in",
    "send-before-commit": "different letters",
    "no-deduplication": "twice: ",
}


@pytest.mark.parametrize(
    "plant", [plant if plant == "no-deduplication" else pytest.param(plant, marks=pytest.mark.long) for plant in PLANTS]
)
def test_a_planted_bug_is_found(tmp_path, plant):
    # What is not known again is done twice after almost any kill.
    kills = 5 if plant == "no-deduplication" else 14
    plan = Plan(letters=10, kills=kills, games=2, seed=5, plant=plant, points=("taken", "committed", "sent"), limit=60)
    findings = Drill(tmp_path, plan).play()
    assert any(FOUND[plant] in trouble for trouble in findings.troubles), "\n".join(findings.lines())
