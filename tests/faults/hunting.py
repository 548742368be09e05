"""Run the tests that reach a fault, tier by tier, until one fails.

Each tier is first run once without faults, to record which tests reach which fault. Then only those tests are run with
a fault, the cheap ones first. What was learnt is kept in a folder: a run that was broken off goes on there.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from tests.faults.planting import Fault, read_words, write_fault, write_probes

INJECTED = Path(__file__).with_name("injected")
TIERS = {1: "not full and not long", 2: "full and not long"}
FIRST_BATCH = (15, 10)
"""Files and CPU seconds. Most faults are caught by these, and what is not collected costs nothing."""
OPTIONS = ("--ignore=tests/house", "--ignore=tests/faults", "--hypothesis-seed=0")


class Test(NamedTuple):
    """What is known of a test that passes without a fault."""

    name: str
    cpu: float
    wall: float
    reached: frozenset[int]

    @property
    def file(self) -> str:
        return self.name.split("::")[0]


class Outcome(NamedTuple):
    """What a tier said of a fault: nothing is in ``what`` if it did not catch it."""

    fault: int
    tier: int
    what: str = ""
    test: str = ""
    tests: int = 0
    all_tests: int = 0


@dataclass
class Hunt:
    """Runs the tests of a project with faults in its package."""

    root: Path
    sources: dict[str, str]
    faults: Sequence[Fault]
    folder: Path
    """Where what was learnt is kept."""
    scratch: Path
    tests: Sequence[str] = ()
    """Files and folders of tests; those that pytest finds if none are named."""
    workers: int = 2
    patience: float = 60
    """CPU seconds of tests, for one fault in one tier."""
    limit: float = 30
    """Seconds that a test may take longer than ten times what it took without a fault."""
    options: Sequence[str] = OPTIONS
    read: dict[int, tuple[list[Test], frozenset[int]]] = field(default_factory=dict)
    spoiled: set[str] = field(default_factory=set)
    """Tests that fail by themselves when they are chosen."""

    def open_record(self) -> None:
        """Begin the record, or go on with one of the same faults, sources and tests."""
        plan = json.dumps([list(map(str, self.faults)), list(self.tests), sorted(self.sources.items())])
        digest, file = hashlib.sha256(plan.encode()).hexdigest(), self.folder / "plan"
        if file.exists() and file.read_text() != digest:
            raise ValueError(f"{self.folder} is of other faults or sources; name another folder, or remove it")
        self.folder.mkdir(parents=True, exist_ok=True)
        file.write_text(digest)

    def read_lines(self, name: str) -> list[dict[str, Any]]:
        file = self.folder / f"{name}.jsonl"
        file.touch()
        return [json.loads(line) for line in file.read_text("utf-8").splitlines()]

    def append_line(self, name: str, line: dict[str, Any]) -> None:
        with (self.folder / f"{name}.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def run_pytest(self, tier: int, scratch: Path, *more: str | Path) -> int:
        """Run pytest with the modules changed that lie in the scratch folder; end what its tests left running."""
        (scratch / "t").mkdir()
        # Servers that tests start as another user have folders in there.
        for folder in (self.scratch, scratch, scratch / "t"):
            folder.chmod(0o711)
        changed = {
            # No setting of pbem: those begin with PBEM_, and what is none of them is refused.
            "FAULTS_CODE": scratch / "code",
            "FAULTS_REACHED": scratch / "reached",
            "PYTHONPATH": os.pathsep.join(filter(None, [str(INJECTED), os.environ.get("PYTHONPATH")])),
            "TMPDIR": scratch / "t",
            "HYPOTHESIS_STORAGE_DIRECTORY": scratch / "hypothesis",
        }
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        command = [sys.executable, "-m", "pytest", "-q", "-p", "faults_plugin", "-p", "no:faulthandler"]
        command += ["-p", "no:cacheprovider", "-m", TIERS[tier], *self.options, *map(str, more)]
        with (scratch / "log").open("wb") as log:
            process = subprocess.Popen(
                command,
                cwd=self.root,
                env=kept | {name: str(value) for name, value in changed.items()},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
            try:
                return process.wait()
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                kill_all_with(f"FAULTS_CODE={scratch / 'code'}")

    def record_tier(self, tier: int) -> None:
        """Run a tier without faults, unless it has been, and record what its tests reach."""
        if {"ended": True} in self.read_lines(f"tier{tier}"):
            return
        print(f"tier {tier}: recording which tests reach which fault", file=sys.stderr)
        with tempfile.TemporaryDirectory(dir=self.scratch, ignore_cleanup_errors=True) as scratch:
            write_probes(Path(scratch, "code"), self.root, self.sources, self.faults)
            record = ("--faults-record", self.folder / f"tier{tier}.jsonl", "--faults-workers", str(self.workers))
            code = self.run_pytest(tier, Path(scratch), "--capture=no", *record, *self.tests)
            shutil.copy(Path(scratch, "log"), self.folder / f"tier{tier}.log")
        if {"ended": True} not in self.read_lines(f"tier{tier}"):
            raise ValueError(f"tier {tier} cannot be run without a fault ({code}): see {self.folder}/tier{tier}.log")
        others = sum(line.get("passed") is False and line["test"] != "" for line in self.read_lines(f"tier{tier}"))
        print(
            f"tier {tier}: {len(self.read_tier(tier)[0])} tests passed, {others} failed or were skipped",
            file=sys.stderr,
        )

    def read_tier(self, tier: int) -> tuple[list[Test], frozenset[int]]:
        """Return the tests of a tier that passed, and the faults that importing test files reaches."""
        if tier in self.read:
            return self.read[tier]
        tests, imported = dict[str, Test](), set[int]()
        for line in self.read_lines(f"tier{tier}"):
            if line.get("passed"):
                tests[line["test"]] = Test(line["test"], line["cpu"], line["wall"], frozenset(line["reached"]))
            elif line.get("test") == "":
                imported.update(line["reached"])
        return self.read.setdefault(tier, (list(tests.values()), frozenset(imported)))

    def choose_tests(self, number: int, tier: int) -> tuple[list[Test], int]:
        """Return the tests to run with a fault, as many as patience allows, and how many there would be.

        Those that reach it come first, then the others of their files, which may see what those have cached. What
        happens at import may matter to any test.
        """
        (tests, imported), names = self.read_tier(tier), self.faults[number].names
        tests = [test for test in tests if test.name not in self.spoiled]
        naming = {file for file in {test.file for test in tests} if names and names & read_words(self.root / file)}
        reaching = [test for test in tests if number in test.reached or test.file in naming]
        files, reached = {test.file for test in reaching}, {test.name for test in reaching}
        others = [
            test for test in tests if test.name not in reached and (test.file in files or names or number in imported)
        ]
        # The cheapest that reaches it is run whatever it costs.
        chosen, left = list[Test](), max([self.patience, *sorted(test.cpu for test in reaching)[:1]])
        for part in (reaching, others):
            cheap = list(take_cheap(part, left))
            left -= sum(test.cpu for test in cheap)
            chosen += group_by_file(cheap)
        return chosen, len(reaching) + len(others)

    def hunt(self, number: int, tier: int) -> Outcome:
        """Run the tests of a tier with a fault until one fails.

        What fails in the second tier is run once more: its servers may fail by themselves on a busy machine.
        """
        waiting, count = self.choose_tests(number, tier)
        sizes, tests = [first_batch(waiting), len(waiting)], len(waiting)
        while waiting:
            batch = waiting[: sizes.pop(0) if len(sizes) > 1 else sizes[0]]
            what, failed = self.run_tests(number, tier, batch)
            names = [test.name for test in waiting]
            if not what:
                waiting = waiting[len(batch) :]
            elif tier == 1 or failed not in names or self.run_tests(number, tier, [waiting[names.index(failed)]])[0]:
                return Outcome(number, tier, what, failed, tests, count)
            else:
                waiting = waiting[names.index(failed) + 1 :]
        return Outcome(number, tier, "", "", tests, count)

    def run_tests(self, number: int | None, tier: int, tests: Sequence[Test]) -> tuple[str, str]:
        """Run tests with a fault or without; return what went wrong and in which test, or two empty texts."""
        with tempfile.TemporaryDirectory(dir=self.scratch, ignore_cleanup_errors=True) as folder:
            scratch = Path(folder)
            (scratch / "code").mkdir()
            if number is not None:
                write_fault(scratch / "code", self.root, self.faults[number])
            (scratch / "tests").write_text(json.dumps({test.name: self.limit + 10 * test.wall for test in tests}))
            chosen = ("-x", "--faults-tests", scratch / "tests", "--faults-found", scratch / "found")
            code = self.run_pytest(tier, scratch, *chosen, *sorted({test.file for test in tests}))
            if code in (0, 5):
                return "", ""
            output_folder = scratch / "found"
            what, test = json.loads(output_folder.read_text("utf-8")) if output_folder.exists() else ("not started", "")
            return what, test

    def hunt_all(self) -> list[Outcome]:
        """Ask both tiers about every fault: the second about those that the first does not catch."""
        self.open_record()
        for tier in TIERS:
            while left := self.find_left(tier):
                self.record_tier(tier)
                pool = ThreadPoolExecutor(self.workers)
                try:
                    for done in as_completed([pool.submit(self.hunt, number, tier) for number in left]):
                        outcome = done.result()
                        self.append_line("outcomes", outcome._asdict())
                        outcome_text = f"{outcome.what} {outcome.test}" if outcome.what else "not caught"
                        print(f"tier {tier}, fault {outcome.fault}: {outcome_text}", file=sys.stderr)
                finally:
                    pool.shutdown(cancel_futures=True)
        return self.read_outcomes()

    def read_outcomes(self) -> list[Outcome]:
        """Return the outcomes so far, without those of tests that fail by themselves."""
        outcomes = [Outcome(**line) for line in self.read_lines("outcomes")]
        return [outcome for outcome in outcomes if outcome.test not in self.spoiled]

    def find_left(self, tier: int) -> list[int]:
        """Return the faults that a tier has to be asked about."""
        self.find_spoiled(tier)
        outcomes = self.read_outcomes()
        done = {outcome.fault for outcome in outcomes if outcome.what or outcome.tier == tier}
        return [number for number in range(len(self.faults)) if number not in done]

    def find_spoiled(self, tier: int) -> None:
        """Run the tests that caught something once more, without a fault: those that fail then prove nothing."""
        checked = {line["test"]: line["sound"] for line in self.read_lines("checked")}
        caught = {outcome.test for outcome in self.read_outcomes() if outcome.tier == tier} - checked.keys()
        tests = [test for test in self.read_tier(tier)[0] if test.name in caught] if caught else []
        while tests:
            what, failed = self.run_tests(None, tier, tests)
            if what and failed not in caught:
                raise ValueError(f"without a fault: {what} {failed}")
            ended = [test.name for test in tests if not what or test.name == failed]
            for name in ended:
                self.append_line("checked", {"test": name, "sound": not what})
            tests = [test for test in tests if test.name not in ended]
        self.spoiled = {line["test"] for line in self.read_lines("checked") if not line["sound"]}


def kill_all_with(variable: str) -> None:
    """Kill the processes that have a variable in their environment: servers that left the group of their test.

    Looks again while any are found: one that was just being started has no environment to be read yet.
    """
    any_killed = True
    while any_killed:
        any_killed = False
        for environment in Path("/proc").glob("[0-9]*/environ"):
            with suppress(OSError):
                if variable.encode() in environment.read_bytes().split(b"\0"):
                    os.kill(int(environment.parent.name), signal.SIGKILL)
                    any_killed = True


def take_cheap(tests: Iterable[Test], seconds: float) -> Iterator[Test]:
    """Yield the cheapest tests that together take so long."""
    for test in sorted(tests, key=lambda test: test.cpu):
        seconds -= test.cpu
        if seconds < 0:
            return
        yield test


def group_by_file(tests: Iterable[Test]) -> list[Test]:
    """Return tests file by file, cheap files first."""
    files = defaultdict[str, list[Test]](list)
    for test in tests:
        files[test.file].append(test)
    return [test for file in sorted(files.values(), key=lambda file: sum(test.cpu for test in file)) for test in file]


def first_batch(tests: Sequence[Test]) -> int:
    """Return how many tests are run before the others are collected."""
    files, seconds = set[str](), 0.0
    for count, test in enumerate(tests):
        files.add(test.file)
        seconds += test.cpu
        if count and (len(files) > FIRST_BATCH[0] or seconds > FIRST_BATCH[1]):
            return count
    return len(tests)
