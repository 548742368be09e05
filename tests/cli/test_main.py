"""The command line: help, first files, exit codes."""

import stat
import subprocess
import sys

import pytest

from benchmarks import start_up
from pbem import __version__
from pbem.cli import exit_codes
from pbem.cli.main import main
from pbem.cli.setting_files import read_key
from pbem.cli.settings import load


@pytest.fixture
def pbem(capsys):
    """Run the command in this process: exit code, standard output, standard error."""

    def run(*arguments):
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        output = capsys.readouterr()
        return ended.value.code, output.out, output.err

    return run


COMMANDS = (
    *("", "init", "serve", "demo", "simulate", "chart", "replay", "mail", "mail deliver", "seat", "seat invite"),
    *("game", "game new", "game list", "game show", "game start"),
)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(pbem, command):
    code, out, err = pbem(*command.split(), "--help")
    assert (code, err) == (0, "")
    assert "Usage: pbem" in out


def test_it_says_which_version_it_is(pbem):
    assert pbem("--version") == (0, f"pbem {__version__}\n", "")


SLOW = ("sqlmodel", "sqlalchemy", "alembic", "apscheduler", "structlog", "nacl", "jinja2", "lxml", "babel")


@pytest.mark.parametrize("words", [["--help"], ["-V"], ["game", "--help"], ["game", "new", "--help"], ["mail", "-h"]])
def test_help_loads_neither_the_database_nor_another_slow_library(words):
    script = f"""import sys; from pbem.cli.main import main
try: main({words})
finally: print({{*{SLOW}}} & {{*sys.modules}})"""
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout.splitlines()[-1]) == (0, "set()")


@pytest.mark.parametrize(("words", "most"), [(("--help",), 12), (("game", "list"), 150), (("event", "list"), 200)])
def test_a_command_reads_few_modules_of_ours(hand, words, most):
    assert 4 < start_up.modules(words, hand.folder) <= most


def test_init_writes_settings_that_load_and_a_key_for_its_owner_alone(pbem, tmp_path):
    code, out, err = pbem("init", tmp_path / "server")
    assert (code, err) == (0, "")
    for name in ("pbem.toml", "pbem.key", "log.key", "dice.key"):
        path = tmp_path / "server" / name
        assert str(path) in out
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert load(tmp_path / "server" / "pbem.toml").server.keys == tmp_path / "server" / "pbem.key"
    keys = {read_key(tmp_path / "server" / name) for name in ("pbem.key", "log.key", "dice.key")}
    assert [len(key) for key in keys] == [32, 32, 32]


def test_two_servers_have_two_keys(pbem, tmp_path):
    pbem("init", tmp_path / "a")
    pbem("init", tmp_path / "b")
    assert read_key(tmp_path / "a" / "pbem.key") != read_key(tmp_path / "b" / "pbem.key")


@pytest.mark.parametrize("name", ["pbem.toml", "pbem.key", "log.key", "dice.key"])
def test_init_overwrites_nothing(pbem, tmp_path, name):
    (tmp_path / name).write_text("mine")
    code, out, err = pbem("init", tmp_path)
    assert (code, out, err) == (2, "", f"pbem: {tmp_path / name} exists already, and is left as it is\n")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["mine"]


@pytest.mark.parametrize("command", ["serve", "game list", "game show x", "game start x", "replay x"])
def test_without_settings_a_command_says_how_to_get_some(pbem, tmp_path, command):
    path = tmp_path / "pbem.toml"
    code, out, err = pbem(*command.split(), "--config", path)
    assert (code, out) == (2, "")
    assert err == f"pbem: there is no {path}: write one with `pbem init`, or say where yours is with --config FILE\n"


@pytest.mark.parametrize("command", ["nonsense", "game nonsense", "game show", "chart", "demo --turns 0"])
def test_wrong_usage_ends_with_two(pbem, command):
    code, out, err = pbem(*command.split())
    assert (code, out) == (2, "")
    assert "Usage: pbem" in err


def test_a_bug_ends_with_seventy_and_says_so(capsys):
    def broken():
        raise RuntimeError("a wrong turn")

    with pytest.raises(SystemExit) as ended:
        exit_codes.run(broken)
    assert ended.value.code == exit_codes.BUG == 70
    assert "RuntimeError: a wrong turn" in capsys.readouterr().err
