"""The alert rules and the dashboard in config/: they name what the server exports, and fire when they should."""

from __future__ import annotations

import json
import operator
import re
import shutil
import subprocess
from datetime import timedelta
from itertools import combinations
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from pbem.cli.metrics import ServerFigures, Timings, metrics_text
from pbem.data import data
from pbem.server.health import read_health
from pbem.store import tables
from tests.harness.game import PlayedGame
from tests.needed import need

RULES: dict[str, dict[str, Any]] = {
    rule["alert"]: rule
    for group in yaml.safe_load(data("config", "prometheus-rules.yml").read_text("utf-8"))["groups"]
    for rule in group["rules"]
}
DASHBOARD = json.loads(data("config", "grafana-dashboard.json").read_text("utf-8"))
HOURS = 6
"""Hours after which it is looked at what fires; there is a sample each minute."""
STEPS = 60 * HOURS

# By rule a series, and its samples, that make it fire: "7x360" is 7 for six hours, "0+5x360" rises by 5 a minute.
PLANTED: dict[str, dict[str, str]] = {
    "PbemDown": {"up": f"0x{STEPS}"},
    "PbemMailboxNotRead": {"pbem_poll_age_seconds": f"1801x{STEPS}"},
    "PbemMailboxAway": {'pbem_trouble{trouble="mailbox"}': f"1x{STEPS}"},
    "PbemDatabaseAway": {'pbem_trouble{trouble="database"}': f"1x{STEPS}"},
    "PbemLogNotSigned": {'pbem_trouble{trouble="log"}': f"1x{STEPS}"},
    # Seen once before it ended, ten minutes ago.
    "PbemClaimLost": {'pbem_trouble{trouble="claim"}': f"0x{STEPS - 11} 1 stale"},
    "PbemRestarts": {"pbem_start_timestamp_seconds": f"0x{STEPS - 50} 1x9 2x9 3x40"},
    "PbemLetterWaits": {"pbem_queue_oldest_seconds": f"0+60x{STEPS}"},
    "PbemQueueGrows": {"pbem_queue_letters": f"0+1x{STEPS}"},
    "PbemRefused": {"pbem_sender_refused": f"1x{STEPS}"},
    "PbemLettersGivenUp": {"pbem_letters_given_up": f"1x{STEPS}"},
    "PbemLettersNotMoved": {"pbem_mailbox_unmoved_letters": f"1x{STEPS}"},
    "PbemGameHeld": {'pbem_games{state="held"}': f"1x{STEPS}"},
    "PbemOverdue": {"pbem_dues_overdue": f"1x{STEPS}"},
    "PbemBeaconLate": {"pbem_rounds_late_seconds": f"0+60x{STEPS}"},
    "PbemChoreFails": {'pbem_chore_failures{chore="site"}': f"3x{STEPS}"},
    "PbemBackupOld": {"pbem_last_backup_timestamp_seconds": f"0x{STEPS}"},
    "PbemDiskNearlyFull": {"pbem_disk_free_bytes": f"1999999999x{STEPS}"},
    "PbemDiskFills": {"pbem_disk_free_bytes": f"100000000000-20000000x{STEPS}"},
    "PbemDatabaseLarge": {"pbem_database_bytes": f"60000000000x{STEPS}"},
    "PbemMailboxNearlyFull": {"pbem_mailbox_used_ratio": f"0.81x{STEPS}"},
    "PbemSlow": {
        f'pbem_turn_seconds_bucket{{le="{bound}"}}': f"0+{rise}x{STEPS}"
        for bound, rise in (("60.0", 1), ("120.0", 3), ("+Inf", 3))
    },
}
NOT_SIMPLE = {"PbemClaimLost", "PbemRestarts", "PbemQueueGrows", "PbemBackupOld", "PbemDiskFills"} | {
    "PbemDatabaseLarge",
    "PbemSlow",
}
"""Rules that Prometheus alone can evaluate; of all others thresholds are compared here."""


@pytest.fixture(scope="module")
def exported(tmp_path_factory) -> str:
    """The metrics of a healthy server: a game goes on, a letter waits, there is a backup, and its disk is not full."""
    house = PlayedGame(tmp_path_factory.mktemp("house"))
    house.write("north", "STATUS")
    house.poll()
    house.clock.forward(seconds=90)
    now = house.clock.now()
    with house.server.session() as session:
        for row in house.all(tables.Outbox):
            session.add(tables.Attempt(outbox_id=row.id, at=now, code=250, text="taken"))
        session.flush()
        health = read_health(session, now)
    figures = ServerFigures(
        now, now - timedelta(days=1), health, (), {"site": 2}, used=0.5, last_backup=now, database_size=10**8
    )
    timings = Timings()
    for histogram in (timings.turn, timings.poll, timings.send):
        histogram.observe(2)
    text = metrics_text(figures._replace(disk_size=2 * 10**11, disk_free=10**11), timings)
    house.server.engine.dispose()
    return text


def samples(text: str) -> dict[str, float]:
    """The value of each series."""
    lines = (line.rpartition(" ") for line in text.splitlines() if not line.startswith("#"))
    return {series: float(value) for series, _, value in lines}


def names_in(expression: str) -> set[str]:
    return set(re.findall(r"\b((?:pbem|process)_[a-z_]+|up)\b(?!\()", expression))


def panels() -> list[tuple[str, str]]:
    return [(panel["title"], target["expr"]) for panel in DASHBOARD["panels"] for target in panel["targets"]]


def test_every_metric_that_is_named_is_exported(exported):
    known = {series.partition("{")[0] for series in samples(exported)} | {"up"}
    for rule in RULES.values():
        assert names_in(rule["expr"]) <= known, rule["alert"]
        assert names_in(rule["expr"]), rule["alert"]
    for title, expression in panels():
        assert names_in(expression) <= known, title
        assert names_in(expression), title
    own = {name for name in known if name.startswith("pbem_") and not name.endswith(("_created", "_sum", "_count"))}
    shown = set().union(*(names_in(expression) for _, expression in panels()))
    asked = set().union(*(names_in(rule["expr"]) for rule in RULES.values()))
    assert own - shown - asked == {"pbem_build_info", "pbem_dues", "pbem_disk_size_bytes"}


def test_every_label_that_is_named_is_exported(exported):
    series = samples(exported)
    for rule in RULES.values():
        for label, value in re.findall(r'(\w+)="([^"]*)"', rule["expr"]):
            if (label, value) not in {("job", "pbem"), ("state", "held")}:
                assert any(f'{label}="{value}"' in name for name in series), rule["alert"]


def test_each_rule_has_a_planted_state_a_severity_and_words():
    assert set(PLANTED) == set(RULES)
    for rule in RULES.values():
        assert rule["labels"]["severity"] in ("page", "warning")
        assert len(rule["annotations"]["summary"]) > 20


@pytest.mark.parametrize("name", sorted(set(RULES) - NOT_SIMPLE - {"PbemDown"}))
def test_a_threshold_is_passed_by_the_planted_state_and_not_by_a_healthy_one(exported, name):
    metric, compared, limit = re.findall(r"^(\S+) (==|>=|>|<) ([\d.e]+)$", RULES[name]["expr"])[0]
    passes = {"==": operator.eq, ">=": operator.ge, ">": operator.gt, "<": operator.lt}[compared]
    ((series, planted),) = PLANTED[name].items()
    assert series.startswith(metric.rstrip("}"))
    first, rise, steps = re.findall(r"^([\d.]+)(?:\+(\d+))?x(\d+)$", planted)[0]
    assert passes(float(first) + int(rise or 0) * int(steps), float(limit))
    healthy = [value for key, value in samples(exported).items() if key.startswith(metric.rstrip("}"))]
    assert healthy or name == "PbemGameHeld"
    assert not any(passes(value, float(limit)) for value in healthy)


def series_of(series: str) -> str:
    """The series as Prometheus stores it, with the labels of where it was read."""
    name, _, labels = series.partition("{")
    return f"{name}{{{','.join(filter(None, (labels.rstrip('}'), INSTANCE)))}}}"


INSTANCE = 'instance="games:9464",job="pbem"'


def alerts_of(name: str, planted: dict[str, str]) -> list[dict[str, Any]]:
    """What is to fire: its labels are those of its series that the expression leaves, and those of the rule."""
    labels = dict(re.findall(r'(\w+)="([^"]*)"', series_of(next(iter(planted)))))
    labels.pop("le", None)
    rule = RULES[name]
    return [{"exp_labels": labels | rule["labels"], "exp_annotations": rule["annotations"]}]


@pytest.mark.full
@pytest.mark.parametrize("planted", [None, *sorted(RULES)])
def test_a_rule_fires_on_its_planted_state_and_on_nothing_else(exported, tmp_path, planted):
    """By promtool, of Debian's package prometheus."""
    need([] if shutil.which("promtool") else ["promtool"])
    healthy = {series: f"{value:g}x{STEPS}" for series, value in samples(exported).items() if value == value}
    healthy |= {"up": f"1x{STEPS}", "pbem_last_backup_timestamp_seconds": f"0+60x{STEPS}"}
    states = healthy | (PLANTED[planted] if planted else {})
    also = {name for name in RULES if name != planted and set(PLANTED[name]) & set(PLANTED.get(planted or "", {}))}
    looked_at = [name for name in RULES if name not in also]
    test = {
        "rule_files": [str(data("config", "prometheus-rules.yml"))],
        "evaluation_interval": "1m",
        "tests": [
            {
                "interval": "1m",
                "input_series": [{"series": series_of(key), "values": value} for key, value in states.items()],
                "alert_rule_test": [
                    {
                        "eval_time": f"{HOURS}h",
                        "alertname": name,
                        "exp_alerts": alerts_of(name, PLANTED[name]) if name == planted else [],
                    }
                    for name in looked_at
                ],
            }
        ],
    }
    file = tmp_path / "test.yml"
    file.write_text(yaml.safe_dump(test))
    done = subprocess.run(["promtool", "test", "rules", str(file)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.full
def test_the_dashboard_has_expressions_that_prometheus_reads(tmp_path):
    need([] if shutil.which("promtool") else ["promtool"])
    expressions = [expression.replace("$job", "pbem") for _, expression in panels()]
    rules = [{"record": f"panel:{number}", "expr": expression} for number, expression in enumerate(expressions)]
    file = tmp_path / "rules.yml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": rules}]}))
    done = subprocess.run(["promtool", "check", "rules", str(file)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_panels_of_the_dashboard_lie_beside_one_another():
    boxes = [panel["gridPos"] for panel in DASHBOARD["panels"]]
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(boxes)
    assert all(box["x"] + box["w"] <= 24 for box in boxes)
    for box, beside in combinations(boxes, 2):
        apart = (
            box["x"] + box["w"] <= beside["x"]
            or beside["x"] + beside["w"] <= box["x"]
            or box["y"] + box["h"] <= beside["y"]
            or beside["y"] + beside["h"] <= box["y"]
        )
        assert apart, (box, beside)
