"""A lazily imported module is read at the first use of a name in it; what starting a command costs is measured."""

import logging
import sys
from importlib import import_module

import pytest
from structlog.testing import capture_logs

import pbem
from benchmarks import start_up
from pbem import lazy


@pytest.mark.full
def test_what_it_costs_to_start_is_measured(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["start_up", "1"])
    start_up.main()
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(": ")[0] for line in lines] == [f"pbem {' '.join(row.words)}" for row in start_up.ROWS]


PLANT = """from pbem import plants
plants.READ.append(__name__)
NAME = 1
"""


@pytest.fixture
def plants(tmp_path, monkeypatch):
    """Modules of ours that tell when they are read."""
    (tmp_path / "plants.py").write_text("READ = []\n")
    for name in ("plant_one", "plant_two"):
        (tmp_path / f"{name}.py").write_text(PLANT)
    (tmp_path / "plant_bare.py").write_text("import a_library_that_nobody_has\n")
    monkeypatch.setattr(pbem, "__path__", [*pbem.__path__, str(tmp_path)])
    yield import_module("pbem.plants")
    for name in [name for name in sys.modules if name.startswith("pbem.plant")]:
        del sys.modules[name]
        delattr(pbem, name.removeprefix("pbem."))


def test_a_module_is_read_when_a_name_in_it_is_used(plants, monkeypatch):
    monkeypatch.setattr(lazy, "_NAMES", [])
    finders = [*sys.meta_path]
    with lazy.lazily():
        first, second = (import_module(f"pbem.plant_{name}") for name in ("one", "two"))
    assert (sys.meta_path, plants.READ) == (finders, [])
    assert first.NAME == 1
    assert plants.READ == ["pbem.plant_one"]
    lazy.load_all()
    assert plants.READ == ["pbem.plant_one", "pbem.plant_two"]
    assert second.NAME == 1


def test_a_library_that_is_missing_is_missed_when_the_module_is_loaded(plants):
    with lazy.lazily():
        bare = import_module("pbem.plant_bare")
    with pytest.raises(ModuleNotFoundError, match="a_library_that_nobody_has"):
        lazy.load(bare)


@pytest.fixture
def set_up(monkeypatch):
    """The log as a command of which nothing was logged yet has it; what is set up is noted."""
    done = []
    monkeypatch.setattr(lazy, "_SET_UP", [(logging.WARNING, lambda: done.append("set up"))])
    return done


def test_the_log_is_set_up_with_the_first_line_that_is_logged(set_up):
    log = lazy.Logger(__name__)
    log.info("not logged", uid=7)
    log.debug("not logged")
    assert set_up == []
    with capture_logs() as lines:
        log.warning("logged", uid=7)
        log.exception("logged")
    assert set_up == ["set up"]
    assert [(line["log_level"], line["event"]) for line in lines] == [("warning", "logged"), ("error", "logged")]


def test_a_log_that_was_read_already_is_set_up_at_once(set_up):
    lazy.set_up_log(logging.INFO, lambda: set_up.append("anew"))
    assert set_up == ["anew"]
