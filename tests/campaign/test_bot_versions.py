"""The version that a log names with a bot: the same for the same code, and none where the code is not what runs."""

import importlib.util
import io
import os
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest

import pbem
from pbem.cli.rulebooks import game_by_name, games
from pbem.cli.verify import verifier_archive
from pbem.runtime import bot_versions
from pbem.runtime.bot_versions import NamedBot, bots_of_opening

TOP = Path(pbem.__file__).parent


@pytest.fixture
def fresh():
    """The module as the program has it: tests pin what it says."""
    spec: Any = importlib.util.spec_from_file_location("fresh_bot_versions", str(bot_versions.__file__))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_an_opening_is_read_with_versions_and_without():
    assert bots_of_opening("-") == {}
    bots_text = "morocco:forward/0123456789ab spain:plan/1 third:random"
    wanted = {"morocco": NamedBot("forward", "0123456789ab"), "spain": NamedBot("plan/1"), "third": NamedBot("random")}
    assert bots_of_opening(bots_text) == wanted


def test_each_game_has_a_version_of_its_own(fresh):
    versions = {name: fresh.bot_version(game_by_name(name)) for name in (*games(), "camp")}
    assert all(len(version) == 12 for version in versions.values())
    assert len({*versions.values()}) == len(versions)


def package(folder, text="x = 1\n"):
    (folder / "bots").mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    (folder / "bots" / "one.py").write_text(text)
    for path in folder.rglob("*.py"):
        os.utime(path, (1, 1))
    return folder / "__init__.py"


def test_other_code_is_another_version_wherever_it_lies(fresh, tmp_path):
    first, same, other = (
        package(tmp_path / str(index), text) for index, text in enumerate(["x = 1\n", "x = 1\n", "x = 2\n"])
    )
    assert fresh.code_digest((first,)) == fresh.code_digest((same,)) != fresh.code_digest((other,))


def test_code_that_was_changed_since_the_program_began_names_no_version(fresh, tmp_path):
    changed = package(tmp_path / "game")
    os.utime(changed, (time.time() + 9,) * 2)
    assert fresh.code_digest((changed,)) == ""


def test_the_file_for_bare_python_has_the_same_code():
    with zipfile.ZipFile(io.BytesIO(verifier_archive())) as packed:
        names = {name for name in packed.namelist() if name.endswith(".py")}
    for folder in ("engine", *(f"games/{name}" for name in (*games(), "camp"))):
        there = {path.relative_to(TOP.parent).as_posix() for path in (TOP / folder).rglob("*.py")}
        assert {name for name in names if name.startswith(f"pbem/{folder}/")} == there
