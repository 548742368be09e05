"""For all tests: the summary names what was left out for want of a program."""

from __future__ import annotations

from collections import Counter

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """A green run on a machine that lacks a server must not pass for one on a machine that has it."""
    left_out: Counter[str] = Counter()
    for report in terminalreporter.stats.get("skipped", ()):
        reason = str(report.longrepr[2]) if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if "not installed here" in reason:
            left_out[reason.removeprefix("Skipped: ")] += 1
    for reason, tests in sorted(left_out.items()):
        terminalreporter.write_line(f"NOT RUN: {tests} tests ({reason})", yellow=True)
