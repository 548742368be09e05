"""Faults planted in a package of one module, and the tests that catch them."""

import ast
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.__main__ import report, share
from tests.faults.hunting import Hunt, Outcome, kill_all_with
from tests.faults.planting import choose_faults, find_faults, read_sources

ROOT = Path(__file__).resolve().parents[2]

MODULE = '''\
"""A package to plant faults in."""

LIMIT = 3


def is_full(count: int) -> bool:
    return count >= LIMIT


def count_down(count: int) -> None:
    while count:
        count -= 1


def add(one: int, other: int) -> int:
    return one + other


def never(one: int) -> int:
    return one - 1
'''

TESTS = """\
import os, subprocess, sys
import pytest, toy

def test_three_are_full():
    assert toy.is_full(3)

def test_it_ends():
    toy.count_down(2)

def test_it_fails_whenever_it_is_chosen():
    assert toy.add(1, 1) == 2
    assert "reached." in os.environ["FAULTS_REACHED"]

def test_it_fails_without_a_fault():
    assert toy.never(1) == 1

@pytest.mark.full
def test_sums_in_a_process():
    assert subprocess.run([sys.executable, "-c", "import toy; print(toy.add(2, 2))"], stdout=-1).stdout == b"4\\n"
"""

CHANGES = {
    "a < b": "(a <= b)",
    "a not in b": "(a in b)",
    "a and b": "(a or b)",
    "a + 'ñ'": "(a - 'ñ')",
    "a + 1": "(2)",
    "a['key']": "('key_')",
    "{'key': a}": "('key_')",
    "a if b else c": "(not b)",
    "f(True)": "(False)",
    "[\n    a,\n    1]": "(2)",
}


def read_faults(source: str) -> list[tuple[str, str]]:
    return [(fault.old, fault.new) for fault in find_faults("pbem/x.py", source)]


@pytest.mark.parametrize("source", CHANGES)
def test_an_expression_is_replaced(source):
    assert CHANGES[source] in [new for _, new in read_faults(f"x = {source}")]


def test_a_statement_is_dropped_and_its_lines_are_kept():
    source = "def f(a):\n    a.b = (\n        a\n    )\n    f(\n    )\n    return [a]\n"
    assert read_faults(source) == [
        ("a.b = (\n        a\n    )", "pass\n\n"),
        ("f(\n    )", "pass\n"),
        ("return [a]", "return []"),
    ]


def test_what_nothing_depends_on_is_left_as_it_is():
    source = 'from typing import X\nx: Literal[1]\nif TYPE_CHECKING:\n    f()\n@f(1)\ndef g(): f"{1}"\n'
    assert read_faults(source) == []


def test_what_runs_at_import_is_known_by_the_names_it_defines():
    source = "class A:\n    b = 1\n    c = 2\n    def f(self, d=3): return 4\nx, y = 5, 6\nregister(7)\n"
    names = {fault.old: fault.names for fault in find_faults("pbem/x.py", source)}
    assert names == {
        "1": {"A", "b"},
        "2": {"A", "c"},
        "3": {"A", "f"},
        "4": set(),
        "return 4": set(),
        "5": {"x", "y"},
        "6": {"x", "y"},
        "7": {"register"},
        "register(7)": {"register"},
    }


def test_faults_are_spread_over_the_package_and_compile():
    sources = {
        f"pbem/{name}.py": (ROOT / f"pbem/{name}.py").read_text("utf-8")
        for name in ("data", "installed", "engine/game")
    }
    faults = choose_faults(sources, 20, 1)
    assert faults == choose_faults(sources, 20, 1) != choose_faults(sources, 20, 2)
    assert len({(fault.path, fault.line) for fault in faults}) == 20
    assert {fault.path for fault in faults} == set(sources)
    for fault in faults:
        text = sources[fault.path].encode()
        changed = text[: fault.start] + fault.new.encode() + text[fault.end :]
        assert ast.dump(ast.parse(changed)) != ast.dump(ast.parse(text))
        assert changed.count(b"\n") == text.count(b"\n")


@pytest.mark.full
def test_faults_of_a_toy_are_caught_by_its_tiers(tmp_path, monkeypatch):
    for name, text in {"toy/__init__.py": MODULE, "test_toy.py": TESTS}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = full\n")
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    sources = read_sources(tmp_path, "toy")
    wanted = ["(4)", "pass", "(one - other)", "(one + 1)"]
    faults = [fault for fault in find_faults("toy/__init__.py", MODULE) if fault.new in wanted]
    hunt = Hunt(tmp_path, sources, faults, tmp_path / "record", tmp_path, options=(), limit=0.2)
    outcomes = hunt.hunt_all()
    assert list(report(faults, outcomes)) == [
        "  0  toy/__init__.py:3: 3 -> (4)\n     tier 1: failed test_toy.py::test_three_are_full",
        "  1  toy/__init__.py:12: count -= 1 -> pass\n     tier 1: no end test_toy.py::test_it_ends",
        "  2  toy/__init__.py:16: one + other -> (one - other)\n"
        "     tier 2: failed test_toy.py::test_sums_in_a_process",
        "  3  toy/__init__.py:20: one - 1 -> (one + 1)\n     UNREACHED",
        "4 faults: 0 survived, 1 unreached",
        "caught by either tier: 3; of these by the first: 2 (67 %)",
    ]
    # What is in the record is not run again.
    monkeypatch.setattr(sys, "executable", "/nowhere")
    assert sorted(hunt.hunt_all()) == sorted(outcomes)


def test_what_hinders_collecting_is_caught_by_the_first_tier():
    assert share([Outcome(0, 2, "not collected", "test_x.py"), Outcome(1, 2, "failed", "test_x.py::test")]) == 50


def test_what_survives_is_said_with_the_tests_it_survived():
    fault = next(find_faults("pbem/x.py", "x = 1"))
    report_lines = list(report([fault], [Outcome(0, 1, tests=3, all_tests=5), Outcome(0, 2, tests=2, all_tests=2)]))
    assert report_lines == [
        "  0  pbem/x.py:1: 1 -> (2)\n     SURVIVED: 3 of 5 tests of tier 1, 2 of 2 tests of tier 2",
        "1 faults: 1 survived, 0 unreached",
        "caught by either tier: 0; of these by the first: 0 (0 %)",
    ]


def test_what_a_test_left_running_is_killed():
    environment, pipe = os.environ | {"FAULTS_CODE": "/one"}, subprocess.PIPE
    with subprocess.Popen(["cat"], env=environment, stdin=pipe, stdout=pipe, bufsize=0, start_new_session=True) as cat:
        assert cat.stdin
        assert cat.stdout
        cat.stdin.write(b"started\n")
        assert cat.stdout.readline() == b"started\n"  # a process has no environment until its program runs
        kill_all_with("FAULTS_CODE=/on")
        assert cat.poll() is None
        kill_all_with("FAULTS_CODE=/one")
        assert cat.wait() == -signal.SIGKILL
