"""The log outlives whatever stands in for standard error."""

import io
import sys

import pytest
import structlog

from benchmarks import letters
from pbem.cli.log_output import open_log


@pytest.mark.parametrize("style", ["console", "json"])
def test_what_is_logged_goes_to_the_standard_error_of_the_moment(monkeypatch, style):
    first, second = io.StringIO(), io.StringIO()
    monkeypatch.setattr(sys, "stderr", first)
    log = open_log(style)
    log.warning("the first")
    monkeypatch.setattr(sys, "stderr", second)
    assert "the first" in first.getvalue()
    first.close()
    log.warning("the second")
    structlog.get_logger("of a module").warning("the third")
    assert all(line in second.getvalue() for line in ("the second", "the third"))


def test_a_benchmark_of_letters_leaves_the_log_as_it_found_it():
    open_log()
    before = structlog.get_config()
    letters.take_letters(1)(0.0)
    assert structlog.get_config() == before
