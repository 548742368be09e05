"""The demo as a visitor meets it: one command, a game, letters in a folder; and a line where it cannot be."""

import signal
import subprocess
import sys
from typing import Any

import pytest

from pbem.cli.demo import run_demo
from pbem.cli.ends import Stop

pytestmark = pytest.mark.integration


@pytest.mark.slow
def test_two_turns_are_played_by_mail(tmp_path):
    out = tmp_path / "out"
    command = [sys.executable, "-m", "pbem.cli", "demo", "--out", str(out)]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    for who, subject in (("ana", "Turno 3, spain"), ("idris", "Turn 3, morocco")):
        assert f"pbem@demo.test -> {who}@demo.test: [demo-1] {subject}\n" in found.stdout
        assert f"To: {who}@demo.test\nSubject: [demo-1] {subject}\n" in found.stdout
        assert len(list((out / "letters" / f"{who}@demo.test").glob("*.eml"))) == 8
    assert "\nORDENES T3 #" in found.stdout
    assert f"All letters, as they were mailed: {out / 'letters'}\n" in found.stdout
    log = (out / "serve.log").read_text()
    assert "uid=" in log
    assert "code=250" in log
    assert log.splitlines()[-1].split()[-1] == "stopped"
    replayed = [sys.executable, "-m", "pbem.cli", "replay", "demo-1", "--config", str(out / "pbem.toml")]
    again = subprocess.run(replayed, capture_output=True, text=True, check=False)
    assert (again.returncode, again.stdout) == (0, "demo-1: 4 phases resolved again, all the same\n")


@pytest.mark.slow
def test_an_interrupted_demo_leaves_nobody_behind(tmp_path):
    out = tmp_path / "out"
    command = [sys.executable, "-m", "pbem.cli", "demo", "--out", str(out), "--turns", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as demo:
        assert demo.stdout is not None
        for line in demo.stdout:
            if "Turno 1, spain" in line:
                break
        demo.terminate()
        demo.communicate(timeout=60)
    assert demo.returncode == 128 + signal.SIGTERM
    assert (out / "serve.log").read_text().splitlines()[-1].split()[-1] == "stopped"


def refusal(**told: Any) -> Stop:
    with pytest.raises(Stop) as stopped:
        run_demo(**{"game": "africa1860", "turns": 2, "seconds": 60, **told})
    return stopped.value


def test_a_folder_that_is_in_use_is_left_alone(tmp_path):
    (tmp_path / "mine").write_text("mine")
    stop = refusal(out=tmp_path)
    assert (stop.code, str(stop)) == (2, f"{tmp_path} is not empty: name another folder, or remove it")
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_a_game_without_a_demo(tmp_path):
    stop = refusal(out=tmp_path / "out", game="chess")
    assert (stop.code, str(stop)) == (2, "no game is called 'chess'; there are: africa1860")


def test_the_time_is_limited(tmp_path):
    stop = refusal(out=tmp_path / "out", seconds=0)
    assert stop.code == 1
    assert str(stop) == f"the demo failed: the time was up before Ana's last report (see {tmp_path / 'out'})"
