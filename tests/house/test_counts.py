"""What a letter, a closing, a report, a map and a command cost has not grown.

Calls, statements and bytes are counted, which are the same on every machine.
``python -m benchmarks.counts tests/house/counts.txt`` writes the kept figures anew. They are those of Python 3.11 and
the locked libraries; with others the test only reports what it counted.
"""

import re
import sys
from importlib.metadata import PackageNotFoundError, version

import pytest

from benchmarks import counts
from benchmarks.counts import Counted
from benchmarks.letters import quiet
from tests.house.sources import ROOT

KEPT = ROOT / "tests/house/counts.txt"
MAY_GROW = 1.05
"""A choice: what other bytes of a letter or another order of a set change is a tenth of that."""
_LINE = re.compile(r"(.+): (\d+) calls, (\d+) statements, (\d+) bytes")
_LOCKED = re.compile(r"^([\w.-]+)==(\S+) \\$", re.MULTILINE)


def read(text: str) -> dict[str, Counted]:
    """Kept figures by act."""
    return {name: Counted(*map(int, figures)) for name, *figures in _LINE.findall(text)}


def grown(kept: dict[str, Counted], counted: dict[str, Counted]) -> list[str]:
    """What takes more than it did, and acts that are kept or counted alone."""
    names = [name for name in {**kept, **counted} if name not in kept or name not in counted]
    return names + [
        f"{name}: {now} {field}, {before} before"
        for name in kept.keys() & counted.keys()
        for field, before, now in zip(Counted._fields, kept[name], counted[name], strict=True)
        if now > MAY_GROW * before
    ]


def others() -> list[str]:
    """What is not as it is locked: Python, and libraries."""
    unlike = [] if sys.version_info[:2] == (3, 11) else ["python"]
    for name, locked in _LOCKED.findall((ROOT / "requirements/runtime.txt").read_text("utf-8")):
        try:
            unlike += [] if version(name) == locked else [name]
        except PackageNotFoundError:
            unlike.append(name)
    return unlike


def hold(counted: dict[str, Counted], commands: bool) -> None:
    """Fail if an act costs more than was kept; skip if it was counted with other libraries."""
    if unlike := others():
        pytest.skip(f"counted with other {', '.join(unlike)} than locked:\n{counts.write(counted)}")
    kept = read(KEPT.read_text("utf-8"))
    assert grown({name: kept[name] for name in kept if name.startswith("pbem ") == commands}, counted) == []


def test_a_letter_a_closing_a_report_and_a_map_cost_no_more_than_they_did(tmp_path):
    with quiet():
        hold(counts.count_all(tmp_path), commands=False)


@pytest.mark.full
def test_commands_cost_no_more_than_they_did(tmp_path):
    hold(counts.count_commands(tmp_path), commands=True)


def test_what_has_grown_is_told():
    kept = read("a letter: 100 calls, 10 statements, 4000 bytes\na closing: 9 calls, 9 statements, 9 bytes\n")
    assert grown(kept, {**kept, "a letter": Counted(105, 11, 3000)}) == ["a letter: 11 statements, 10 before"]
    assert grown(kept, {"a letter": kept["a letter"]}) == ["a closing"]
    assert read(counts.write(kept)) == kept
