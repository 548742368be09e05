"""The workload of a server with a year behind it is what it says it is."""

import re

import pytest

from benchmarks import idle


@pytest.mark.full
def test_a_small_past_is_written_and_measured(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["idle", "4", "3"])
    monkeypatch.setattr(idle, "TIMES", 2)
    assert idle.main() == 0
    output = capsys.readouterr().out
    assert output.startswith("4 games, 12 letters in, 24 out: ")
    costs = re.findall(r"^  a (turn|look|letter) .* ms alone, .* times$", output, re.MULTILINE)
    assert costs == ["turn", "look", "letter"]
