"""Let pytest record which tests reach which faults, or run chosen tests until one fails.

Recording runs every test file in a process forked after collection: nothing that another file has cached hides that
a file reaches a fault.
"""

from __future__ import annotations

import builtins
import faulthandler
import itertools
import json
import os
import resource
import signal
import sys
import time
from pathlib import Path

import pytest

LONGEST = 1800
"""Seconds of one test file, while it is recorded."""
START = 300
"""Seconds to collect tests, or to end."""
MEMORY = 6 * 2**30
"""Bytes of a process with a fault in it; some would take all there is."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("faults")
    group.addoption("--faults-record", type=Path, help="write one line of JSON a test to this file")
    group.addoption("--faults-workers", type=int, default=2)
    group.addoption(
        "--faults-tests", type=Path, help="run the tests of this JSON object, each with its limit in seconds"
    )
    group.addoption("--faults-found", type=Path, help="write there the test that runs, then the test that failed")


def pytest_configure(config: pytest.Config) -> None:
    if config.option.faults_record:
        config.pluginmanager.register(Recorder(config.option.faults_record, config.option.faults_workers))
    if config.option.faults_tests:
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        tests = json.loads(config.option.faults_tests.read_text("utf-8"))
        config.pluginmanager.register(Chosen(tests, config.option.faults_found))


class Recorder:
    """Runs test files in forked processes and records outcome, costs and faults reached of each test."""

    def __init__(self, record: Path, workers: int) -> None:
        self.record, self.workers = record, workers
        self.reached = Path(os.environ["FAULTS_REACHED"])
        self.running: dict[int, float] = {}
        self.outcomes: set[str] = set()

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        with self.record.open(encoding="utf-8") as lines:
            known = {json.loads(line).get("test") for line in lines}
        # What importing has reached says nothing about a single test: it has an empty name.
        self.write("", False, 0, 0)
        for _, group in itertools.groupby(session.items, key=lambda item: item.path):
            items = list(group)
            if known.issuperset(item.nodeid for item in items):
                continue
            self.wait_for_fewer_than(self.workers)
            if child := os.fork():
                self.running[child] = time.monotonic()
            else:
                self.run_file(items)
        self.wait_for_fewer_than(1)
        with self.record.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"ended": True}) + "\n")
        return True

    def wait_for_fewer_than(self, count: int) -> None:
        """Wait until fewer children run; kill those that take too long."""
        while len(self.running) >= count:
            for child, began in list(self.running.items()):
                if os.waitpid(child, os.WNOHANG)[0]:
                    del self.running[child]
                elif time.monotonic() - began > LONGEST:
                    os.killpg(child, signal.SIGKILL)
            time.sleep(0.02)

    def run_file(self, items: list[pytest.Item]) -> None:
        """Run the tests of a file in this process, which then ends."""
        os.setsid()
        self.reached = self.reached.with_name(f"reached.{os.getpid()}")
        os.environ["FAULTS_REACHED"] = str(self.reached)
        try:
            for item, following in itertools.zip_longest(items, items[1:]):
                vars(builtins)["__reached__"].seen.clear()
                self.outcomes.clear()
                cpu, wall = read_cpu(), time.monotonic()
                item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
                passed = self.outcomes == {"passed"}
                self.write(item.nodeid, passed, read_cpu() - cpu, time.monotonic() - wall)
        finally:
            sys.stdout.flush()
            os._exit(0)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.outcomes.add(report.outcome)
        if report.failed:
            print(f"\nFAILED {report.nodeid}\n{report.longreprtext}")

    def write(self, test: str, passed: bool, cpu: float, wall: float) -> None:
        reached = sorted({int(line) for line in self.reached.read_text().split()}) if self.reached.exists() else []
        self.reached.unlink(missing_ok=True)
        line = {"test": test, "passed": passed, "cpu": round(cpu, 3), "wall": round(wall, 3), "reached": reached}
        with self.record.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


class Chosen:
    """Runs chosen tests in the order given; a test that takes longer than its limit ends the process."""

    def __init__(self, tests: dict[str, float], report_path: Path) -> None:
        self.tests, self.found = tests, report_path
        self.failed = False
        faulthandler.dump_traceback_later(START, exit=True)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        places = {test: place for place, test in enumerate(self.tests)}
        items[:] = sorted((item for item in items if item.nodeid in places), key=lambda item: places[item.nodeid])

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.write("not collected", report.nodeid)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item):
        self.write("no end", item.nodeid)
        faulthandler.dump_traceback_later(self.tests[item.nodeid], exit=True)
        ended = yield
        faulthandler.dump_traceback_later(START, exit=True)
        return ended

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.write("failed", report.nodeid)

    def write(self, what: str, test: str) -> None:
        """Write what happened to a test, unless one has failed."""
        if not self.failed:
            self.found.write_text(json.dumps([what, test]), "utf-8")
        self.failed = what != "no end" or self.failed


def read_cpu() -> float:
    """Return the CPU seconds of this process and of its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)
