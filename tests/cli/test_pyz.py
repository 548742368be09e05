"""verify.pyz: one file, the same bytes each time, that bare Python runs over letters and rules."""

import io
import subprocess
import sys
import zipfile

import pytest
from typer.testing import CliRunner

from pbem.cli import letter_checks
from pbem.cli.main import app
from pbem.cli.verify import verifier_archive
from tests.audit.simulated import first_phase
from tests.audit.small_server import Server

ITEMS = first_phase(Server(public=False))


@pytest.fixture
def letters(tmp_path):
    folder = tmp_path / "letters"
    folder.mkdir()
    for number, item in enumerate(ITEMS):
        (folder / f"{number}.txt").write_bytes(item.data)
    return folder


def bare(file, *arguments):
    """Python without site packages, environment or anything of ours in reach."""
    command = [sys.executable, "-I", "-S", str(file), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={}, cwd=file.parent)


def test_the_bytes_are_the_same_each_time(tmp_path):
    assert verifier_archive() == verifier_archive()
    for name in ("one.pyz", "two.pyz"):
        assert CliRunner().invoke(app, ["verify", "--pyz", str(tmp_path / name)]).exit_code == 0
    assert (tmp_path / "one.pyz").read_bytes() == (tmp_path / "two.pyz").read_bytes() == verifier_archive()


def test_what_is_in_it():
    with zipfile.ZipFile(io.BytesIO(verifier_archive())) as packed:
        names = packed.namelist()
        assert packed.testzip() is None
        assert {entry.date_time[0] for entry in packed.infolist()} == {1980}
    assert names[0] == "__main__.py"
    assert names[1:] == sorted(names[1:])
    assert {"pbem/engine/run/steps.py", "pbem/games/africa1860/charts/fire.txt"} <= set(names)
    assert not [name for name in names if "__pycache__" in name or name.endswith((".pyc", ".po"))]
    assert not [name for name in names if name.startswith(("pbem/mail", "pbem/store", "pbem/letters"))]


@pytest.mark.full
def test_bare_python_runs_it_in_an_empty_environment(tmp_path, letters):
    file = tmp_path / "verify.pyz"
    file.write_bytes(verifier_archive())
    done = bare(file, letters)
    assert (done.returncode, done.stderr) == (2, "")
    statuses = [line.split()[0] for line in done.stdout.splitlines() if line.startswith(("ok", "FALSE", "NOT"))]
    # What the other was closed with, and what rolls of the toy are called; below the checks what none of them is about.
    assert sorted(statuses) == ["NOT"] * 4 + ["ok"] * 20
    result = bare(file, "--full", letters)
    assert (result.returncode, result.stderr) == (2, "")
    assert "\nNOT CHECKED    rules" in result.stdout
    assert "none of ours" in result.stdout
    assert bare(file, letters, "--log-key", Server(secret=b"o" * 32).log.text).returncode == 1
    lost = bare(file, tmp_path / "none")
    assert (lost.returncode, lost.stdout) == (2, "")
    assert "there is no" in lost.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["letters", "verify.pyz"]


def test_it_says_what_the_command_says(letters, capsys):
    with pytest.raises(SystemExit) as ended:
        letter_checks.main(["--full", str(letters)])
    assert ended.value.code == 2
    done = CliRunner().invoke(app, ["verify", "--full", str(letters)])
    assert (done.exit_code, done.output) == (2, capsys.readouterr().out)
