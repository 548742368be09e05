"""Servers as `pbem init` makes them, and one with a game: made once, and copied for each test."""

from __future__ import annotations

import io
import shutil
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from pbem.cli import assembly
from pbem.cli.assembly import draw_picture_as_png
from pbem.cli.main import main
from pbem.maps.worker_pool import InlineRenderer
from tests.harness.command_line import MOROCCO, SPAIN, CommandLine
from tests.harness.server import empty_database


def command_output(*arguments: object) -> str:
    """What a command prints, which goes well."""
    with redirect_stdout(io.StringIO()) as printed, pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    assert ended.value.code == 0
    return printed.getvalue()


@pytest.fixture(autouse=True)
def drawn_in_this_process(request, monkeypatch) -> None:
    """Draw pictures in the process of the test, but for tests marked full: each command would start two to draw."""
    if request.node.get_closest_marker("full") is None:
        monkeypatch.setattr("pbem.maps.worker_pool.WorkerPool", InlineRenderer)
        monkeypatch.setattr(assembly, "draw_picture_as_png", remembered)


def remembered(folder, subject, edition, locale=None) -> bytes:
    """A picture as PNG: the first of a game in a language stands for all others, as no test here looks into them."""
    asked = (folder, locale, subject.language, subject.rules)
    if asked not in _PAINTED:
        _PAINTED[asked] = draw_picture_as_png(folder, subject, edition, locale)
    return _PAINTED[asked]


_PAINTED: dict[tuple[Any, ...], bytes] = {}


@pytest.fixture(scope="session")
def initialised(tmp_path_factory) -> Path:
    """A server's folder; its tables are those that any command would make first."""
    folder: Path = tmp_path_factory.mktemp("initialised")
    command_output("init", folder)
    (folder / "data").mkdir(mode=0o700)
    (folder / "data" / "pbem.sqlite3").write_bytes(empty_database())
    return folder


@pytest.fixture(scope="session")
def waiting(initialised, tmp_path_factory) -> tuple[Path, dict[str, str]]:
    """The folder of a server with a game that waits for Spain, and the seats' addresses."""
    folder = shutil.copytree(initialised, tmp_path_factory.mktemp("waiting"), dirs_exist_ok=True)
    own = ("--config", folder / "pbem.toml")
    command_output("game", "new", "ceuta-1", "--scenario", "castillejos", "--undo", "0", *own)
    spain = command_output("seat", "invite", "ceuta-1", "spain", SPAIN, "--language", "es", *own)
    morocco = command_output("seat", "invite", "ceuta-1", "morocco", MOROCCO, "--name", "Idris", *own)
    command_output("game", "start", "ceuta-1", *own)
    return folder, {"spain": spain.strip(), "morocco": morocco.strip()}


@pytest.fixture
def hand(initialised, tmp_path, capsys) -> CommandLine:
    """The command line over a server without games."""
    return CommandLine(shutil.copytree(initialised, tmp_path, dirs_exist_ok=True), capsys)


@pytest.fixture
def begun(waiting, hand) -> dict[str, str]:
    """The same with the game that waits for Spain; the seats' addresses by seat."""
    folder, seats = waiting
    shutil.copytree(folder, hand.folder, dirs_exist_ok=True)
    return dict(seats)
