"""Help: one style of placeholders in all of it, the manual page made of it, and what a terminal shows meanwhile."""

import io
import re
from functools import cache
from pathlib import Path

import pytest
import typer

from pbem.cli.main import FIRST, ElapsedTime, app, every_command, main, show_patience, tidy_command_and_below
from tests.pages.manual import page

ROOT = Path(__file__).resolve().parents[2]
STYLE = re.compile(r"[A-Z][A-Z-]*(?:[=:/|][A-Z-]+)*(?:\.\.\.)?")


@cache
def commands():
    """Every command and group by its words."""
    return {
        words: command for words, command in every_command(tidy_command_and_below(typer.main.get_command(app))) if words
    }


def test_what_is_taken_is_told_in_capitals_and_flags_take_nothing(subtests):
    assert len(commands()) > 70
    for words, command in commands().items():
        with subtests.test(" ".join(words)):
            for param in command.params:
                if getattr(param, "is_flag", False):
                    assert param.metavar == ""
                else:
                    assert STYLE.fullmatch(param.metavar), f"{param.name}: {param.metavar}"
                assert param.help, param.name


def test_every_command_has_h_and_names_no_type_of_python(subtests, capsys):
    for words in commands():
        with subtests.test(" ".join(words)):
            with pytest.raises(SystemExit) as ended:
                main([*words, "-h"])
            output = capsys.readouterr().out
            assert ended.value.code == 0
            assert "Usage: pbem" in output
            assert not re.search(r"<\w+>|\{[A-Z]", output)


def test_the_manual_page_is_that_of_these_commands():
    made = page()
    assert (ROOT / "docs" / "pbem.1").read_text("utf-8") == made, "make man writes it anew"
    for words, command in commands().items():
        if not hasattr(command, "commands"):
            assert f".SS pbem {' '.join(words)}".replace("-", "\\-") in made


def test_how_commands_end_is_told(capsys):
    with pytest.raises(SystemExit):
        main(["-h"])
    output = " ".join(capsys.readouterr().out.split())
    assert "end with 0 if all is well, 1 if they found something wrong, 2 if they could not be carried out" in output


def test_a_terminal_shows_how_long_it_takes_and_is_wiped():
    terminal, waited = io.StringIO(), []

    def over(seconds):
        waited.append(seconds)
        return len(waited) == 4

    ElapsedTime(terminal, over).run()
    assert waited == [FIRST, 1, 1, 1]
    assert terminal.getvalue() == "\r\x1b[K... 2 s\r\x1b[K... 3 s\r\x1b[K... 4 s\r\x1b[K"


def test_what_is_done_within_two_seconds_shows_nothing():
    terminal = io.StringIO()
    ElapsedTime(terminal, lambda seconds: True).run()
    assert terminal.getvalue() == ""


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_whatever_is_written_wipes_it_away(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", terminal)
    monkeypatch.setattr("sys.stderr", terminal)
    with show_patience():
        print("a line")
    assert terminal.getvalue() == "a line\n"


def test_no_terminal_shows_anything(monkeypatch, capsys):
    with show_patience():
        print("a line")
    assert capsys.readouterr() == ("a line\n", "")
