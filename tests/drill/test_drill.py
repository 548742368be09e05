"""A small drill: nothing is lost by kills, and each of some known bugs is found by them."""

import pytest

from tests.drill.run import LMTP_POINTS, POINTS, Drill, Plan
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


def test_killed_while_letters_are_handed_over_by_lmtp(tmp_path):
    plan = Plan(letters=40, kills=len(LMTP_POINTS) + 4, games=4, seed=6, points=LMTP_POINTS, limit=200, lmtp=True)
    findings = Drill(tmp_path, plan).play()
    assert findings.troubles == [], "\n".join(findings.lines())
    assert set(findings.hits) == set(LMTP_POINTS)
    assert sum(findings.hits.values()) >= plan.kills
    assert findings.letters + findings.copies >= plan.letters
    assert findings.faults["LMTP no reply heard"] > 0
    assert findings.orders > 0
    assert findings.reports == 2 * (findings.phases + plan.games)


FOUND = {
    "move-before-commit": "was never taken in",
    "send-before-commit": "different letters",
    "no-deduplication": "twice: ",
}
BY_LMTP = {"no-deduplication": "twice: ", "reply-before-storing": "was never taken in"}


@pytest.mark.parametrize(
    "plant", [plant if plant == "no-deduplication" else pytest.param(plant, marks=pytest.mark.long) for plant in FOUND]
)
def test_a_planted_bug_is_found(tmp_path, plant):
    # What is not known again is done twice after almost any kill.
    kills = 5 if plant == "no-deduplication" else 14
    plan = Plan(letters=10, kills=kills, games=2, seed=5, plant=plant, points=("taken", "committed", "sent"), limit=60)
    findings = Drill(tmp_path, plan).play()
    assert any(FOUND[plant] in trouble for trouble in findings.troubles), "\n".join(findings.lines())


@pytest.mark.parametrize("plant", BY_LMTP)
def test_a_planted_bug_is_found_where_letters_are_handed_over(tmp_path, plant):
    points = ("handed over", "taken", "committed")
    plan = Plan(letters=12, kills=6, games=2, seed=5, plant=plant, points=points, limit=60, lmtp=True)
    findings = Drill(tmp_path, plan).play()
    assert any(BY_LMTP[plant] in trouble for trouble in findings.troubles), "\n".join(findings.lines())
