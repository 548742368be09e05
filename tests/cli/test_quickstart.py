"""The game by hand of the quick start, done as it is written there."""

import re
import shlex
from pathlib import Path

import pytest

from pbem.cli.main import main

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "quickstart.md"


@pytest.mark.full
def test_the_first_game_by_hand(tmp_path, monkeypatch, capsys):
    chapter = GUIDE.read_text("utf-8").partition("## A game by hand")[2].partition("\n## ")[0]
    setting_up, letter, playing, *_ = re.findall(r"```\n(.*?)```", chapter, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    output = ""
    for line in [*setting_up.splitlines(), *playing.splitlines()]:
        words = shlex.split(line, comments=True)
        if words[0] == "cd":
            monkeypatch.chdir(words[1])
        elif words[0] == "pbem":
            if words[1:3] == ["mail", "deliver"]:
                address = re.findall(r"pbem\+ceuta-1-spain-\w+@example\.org", output)[0]
                sent, changed = re.subn(r"pbem\+ceuta-1-spain-\w+@example\.org", address, letter)
                assert changed == 1
                Path(words[3]).write_text(sent)
            with pytest.raises(SystemExit) as ended:
                main(words[1:])
            # Before the game is over not all can be checked, and it says so.
            assert ended.value.code == (2 if words[1] == "verify" else 0), line
            output += capsys.readouterr().out
    assert "Your orders are in: revision 1." in output
    assert "[ceuta-1] T1" in output
    assert "ceuta-1: 1 phase resolved again, all the same" in output
    assert "\npbem serve\n" in GUIDE.read_text("utf-8")
