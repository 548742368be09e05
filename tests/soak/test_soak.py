"""Two weeks of a server: nothing is lost and nothing grows, and each of three planted faults is found."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long
FOUND = {
    "leak": "ReceivedLetter grew",
    "scan": "steps of SQLite of sending grew",
    "lost": "did not arrive",
}


def lived(folder, weeks, games, plant=""):
    """The exit code of a run, and what it printed."""
    command = [sys.executable, "-m", "tests.soak", "--weeks", str(weeks), "--games", str(games), "--plant", plant]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    root = Path(__file__).parents[2]
    ran = subprocess.run(
        [*command, "--out", str(folder / "year")],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return ran.returncode, ran.stdout + ran.stderr


def test_two_weeks_lose_nothing_and_nothing_grows(tmp_path):
    code, output = lived(tmp_path, 2, 12)
    assert code == 0, output
    assert "2 upgrades" in output
    assert "nothing lost, nothing grown" in output


@pytest.mark.parametrize("plant", FOUND)
def test_a_planted_fault_is_found(tmp_path, plant):
    code, output = lived(tmp_path, 1, 5, plant)
    assert code == 1, output
    assert FOUND[plant] in output
