"""Golden turns come out as they always did, to the byte."""

import re
import shutil
from pathlib import Path

import pytest

from pbem.engine.data.canon import dumps, loads
from tests.golden import folders, made, main, replay

FOLDERS = folders()


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: f"{folder.parents[1].name}-{folder.name}")
def test_a_golden_turn_comes_out_to_the_byte(folder):
    given = {"state.json", "beta"}
    files = made(folder)
    for name, text in files.items():
        assert (folder / name).read_text("utf-8") == text, f"{name} differs; `make golden` writes it anew"
    left = {path.name for path in folder.iterdir()} - files.keys() - given
    assert all(re.fullmatch(r"[a-z][a-z0-9]*\.txt", name) for name in left)
    assert left


def test_every_game_has_three():
    names = {folder.parents[1].name for folder in FOLDERS}
    assert names
    for name in names:
        assert len([folder for folder in FOLDERS if folder.parents[1].name == name]) >= 3


@pytest.mark.full
def test_nothing_is_written_when_nothing_changed(tmp_path, monkeypatch, capsys):
    """Of copies: a red run that made the turns anew would be green when it is run again."""
    kept = [Path(shutil.copytree(folder, tmp_path / folder.parents[1].name / folder.name)) for folder in FOLDERS]
    monkeypatch.setattr("tests.golden.folders", lambda: kept)
    monkeypatch.setattr("tests.golden.TESTS", tmp_path)
    main()
    assert capsys.readouterr().out == "No rule change\n"


def test_a_change_is_written_and_named(tmp_path, monkeypatch, capsys):
    folder = tmp_path / "games" / "africa1860" / "golden" / "one"
    folder.mkdir(parents=True)
    for name in ("state.json", "beta", "spain.txt"):
        (folder / name).write_text((FOLDERS[0] / name).read_text("utf-8"), "utf-8")
    monkeypatch.setattr("tests.golden.TESTS", tmp_path / "tests")
    monkeypatch.setattr("tests.golden.folders", lambda: [folder])
    monkeypatch.setattr("tests.golden.TESTS", tmp_path / "games")
    main()
    output = capsys.readouterr().out.splitlines()
    assert output[-1] == replay()
    assert re.fullmatch(r"Replay: sha256:[0-9a-f]{64}", output[-1])
    assert len(output) == 6
    events = (folder / "events.jsonl").read_text("utf-8").splitlines()
    assert all(dumps(loads(line)) == line for line in events)
    main()
    assert capsys.readouterr().out == "No rule change\n"
