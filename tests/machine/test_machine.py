"""A server, and everything that may happen to it in any order; and what would be noticed if it were wrong."""

import subprocess
import sys
from pathlib import Path

import pytest

from pbem.letters.ruling_records import Ruling
from pbem.server.catalogue import COMMANDS_BY_ROLE
from tests.machine.plants import PLANTS
from tests.machine.play import Play
from tests.machine.roles import LINES, QUESTIONS
from tests.machine.rules import run

pytestmark = pytest.mark.full


@pytest.mark.parametrize("examples", [2, pytest.param(7, marks=pytest.mark.long)])
def test_whatever_happens_to_a_server(examples):
    run(examples=examples, steps=18)


@pytest.mark.parametrize("name", PLANTS)
def test_a_planted_bug_is_found(tmp_path, monkeypatch, name):
    plant = PLANTS[name]
    sound = Play(tmp_path / "sound")
    plant.happens(sound)
    sound.close()
    broken = Play(tmp_path / "broken")
    plant.put_in(monkeypatch)
    with pytest.raises(AssertionError, match=plant.found):
        plant.happens(broken)
    broken.close()


def test_every_role_takes_part():
    """A seat's letters are those of the game itself, and a stranger's what asks to be let in."""
    assert {"seat", *QUESTIONS} == {*COMMANDS_BY_ROLE}
    assert {*LINES} == {
        role for role, every in COMMANDS_BY_ROLE.items() if any(isinstance(act, Ruling) for act in every)
    }


def test_by_hand():
    """The command of `make fuzz-server` runs, and says what it found."""
    command = [sys.executable, "-m", "tests.machine", "--machines", "1", "--steps", "3"]
    ran = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (0, "1 servers kept what they promise\n"), ran.stderr
