"""The demo as a visitor meets it: one command, a game, letters in a folder; and a line where it cannot be."""

import re
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from pbem.cli.demo import stage
from pbem.cli.demo.demo import demo as run_demo
from pbem.cli.demo.stage import GameProgress
from pbem.cli.exit_codes import CommandError
from pbem.cli.output import letter_text
from pbem.cli.verify import verifier_archive


def demo(out: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pbem.cli", "demo", "--out", str(out), *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def letters(out: Path, who: str) -> list[str]:
    """The letters that somebody got, oldest first, as he reads them."""
    return [letter_text(path.read_bytes()) for path in sorted((out / "letters" / f"{who}@demo.test").glob("*.eml"))]


def checks(folder: Path, mailbox: Path) -> dict[str, list[str]]:
    """What verify.pyz says of a mailbox in an empty environment: the checks of each status."""
    file = folder / "verify.pyz"
    file.write_bytes(verifier_archive())
    command = [sys.executable, "-I", "-S", str(file), "--full", str(mailbox)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={}, cwd=folder)
    assert done.stderr == ""
    out: dict[str, list[str]] = {}
    for status, check in re.findall(r"^(ok|FALSE|NOT CHECKED) +([a-z]+) ", done.stdout, re.MULTILINE):
        out.setdefault(status, []).append(check)
    return out


@pytest.mark.full
def test_two_turns_are_played_by_mail(tmp_path):
    out = tmp_path / "out"
    result = demo(out, "--turns", "2", "--verbose")
    assert result.returncode == 0, result.stdout + result.stderr
    for who, subject in (("ana", "T3\n"), ("idris", "T3\n")):
        assert f"pbem@demo.test -> {who}@demo.test: [demo-1] {subject}" in result.stdout
        assert f"To: {who}@demo.test\nSubject: [demo-1] {subject}" in result.stdout
    assert re.search(r"^  turn  2: Spain \d+, Morocco \d+ ", result.stdout, re.MULTILINE)
    assert re.search(r"^Result: Spain \d+, Morocco \d+$", result.stdout, re.MULTILINE)
    assert "\nORDENES T3 #" in result.stdout
    assert "\ndemo-1: 4 phases resolved again, all the same\n" in result.stdout
    sealed = r"^Ana's letters verify: \d+ facts, every one true; \d+ sealed until the game is over$"
    assert re.search(sealed, result.stdout, re.MULTILINE)
    assert f"All letters, as they were mailed: {out / 'letters'}\n" in result.stdout
    # Nothing but Python and her mailbox: all is true, and what is sealed yet cannot be run again.
    checked = checks(tmp_path, out / "letters" / "ana@demo.test")
    assert set(checked) - {"ok"} == {"NOT CHECKED"}
    # Whether the rules asked for what was rolled full mode tells; in two turns nothing may have been.
    assert [check for check in checked["NOT CHECKED"] if check != "labels"] == ["others", "rules"]
    refused = [letter for letter in letters(out, "idris") if "orders NOT accepted\n" in letter]
    assert refused
    assert result.stdout.count("    - mended, sent again, accepted\n") == len(refused)
    assert f"\nRefused: {len(refused)}, each mended from the answer alone and then accepted\n" in result.stdout
    written = "".join(letters(out, "pbem"))
    assert "\nDOCTRINA EQUILIBRADA\n" in written
    assert "\nSTANDING BALANCED\n" in written
    log = (out / "serve.log").read_text()
    assert "uid=" in log
    assert "code=250" in log
    assert log.splitlines()[-1].split()[-1] == "stopped"


def test_without_its_mail_server_the_demo_says_how_to_get_it(monkeypatch, tmp_path):
    for name in [name for name in sys.modules if name.startswith(("pbem.mail.", "pbem.cli.demo."))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delattr("pbem.cli.demo.stage")
    monkeypatch.setitem(sys.modules, "pymap.user", None)
    anew = import_module("pbem.cli.demo.demo").demo
    with pytest.raises(CommandError, match=r"the demo needs pymap, of its mail server: pip install 'pbem\[embedded\]'"):
        anew(tmp_path)


@pytest.mark.long
def test_five_commanders_play_a_whole_war_by_mail_in_two_languages(tmp_path):
    out = tmp_path / "out"
    result = demo(out, "--war", "brigades", "--seconds", "200")
    assert result.returncode == 0, result.stdout + result.stderr
    for game in ("demo-1-1", "demo-1-c1", "demo-1-2"):
        assert re.search(rf"^{game}: \d phases? resolved again, all the same$", result.stdout, re.MULTILINE)
    assert len(re.findall("every one true, the rules run again", result.stdout)) == 5
    assert [line.split()[0] for line in result.stdout.splitlines() if re.match("  demo-1-", line)] == [
        "demo-1-c1",
        "demo-1-2",
    ]
    assert max(map(int, re.findall(r"^  turn +(\d+): ", result.stdout, re.MULTILINE))) <= 3
    chief, junior = "".join(letters(out, "ana")), "".join(letters(out, "bea"))
    assert "La guerra ha terminado" in chief
    assert "The war is over" in junior
    assert "\nORDERS T1 #" in junior


@pytest.mark.long
def test_a_whole_war_is_played_by_mail(tmp_path):
    out = tmp_path / "out"
    result = demo(out, "--war", "drill")
    assert result.returncode == 0, result.stdout + result.stderr
    for game in ("demo-1-1", "demo-1-c1", "demo-1-2"):
        assert re.search(rf"^{game}: \d phases? resolved again, all the same$", result.stdout, re.MULTILINE)
    assert len(re.findall("every one true, the rules run again", result.stdout)) == 2
    spanish, english = "".join(letters(out, "ana")), "".join(letters(out, "idris"))
    assert "La guerra ha terminado" in spanish
    assert "The war is over" in english
    assert "\nThe ledger: Spain\n" in english
    assert "\nORDENES T1 #" in spanish


@pytest.mark.full
def test_there_is_no_such_war(tmp_path):
    result = demo(tmp_path / "out", "--war", "roses")
    assert result.returncode
    assert "has no war roses" in result.stderr


@pytest.mark.long
def test_the_whole_of_barrosa_is_played_to_its_end(tmp_path):
    out = tmp_path / "out"
    result = demo(out, "--game", "peninsular")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "\n  turn  8: the British " in result.stdout
    assert re.search(r"^Result: (the British win|the French win|a draw)\. the British ", result.stdout, re.MULTILINE)
    assert "\ndemo-1: 16 phases resolved again, all the same\n" in result.stdout
    whys = ("can mean several", "These orders are for turn ", "It is not your phase", "is not on the map", "MOEV is no")
    assert sum(why in result.stdout for why in whys) >= 3
    refused = re.search(
        r"^Refused: (\d+), each mended from the answer alone and then accepted$", result.stdout, re.MULTILINE
    )
    assert refused is not None
    assert int(refused[1]) >= 3
    ours, theirs = "\n".join(letters(out, "ana")), "\n".join(letters(out, "idris"))
    assert "\nEl mapa en torno a las fichas (MAPA: todo)\n" in ours
    assert "\nThe map around the units (MAP: all)\n" in theirs
    assert "\nORDENES T2 #" in ours
    # The dice are new in every game: in half of them no standing order of theirs comes to be asked.
    assert "\nYour standing orders in force\n" in theirs
    for happened in (", facing ", " fires at ", "Shock at ", "The game is over: "):
        assert happened in theirs
    # No outcome, no counter and no line of the form is cut: where all are in contact they take more than is aimed at.
    for letter in (*letters(out, "ana"), *letters(out, "idris")):
        assert len(letter.splitlines()) <= 200


@pytest.mark.long
def test_the_whole_game_is_played_to_its_end(tmp_path):
    out = tmp_path / "out"
    result = demo(out)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "\n  turn 14: Spain " in result.stdout
    assert re.search(
        r"^Result: (Spain wins|Morocco wins|a draw)\. Spain \d+, Morocco \d+$", result.stdout, re.MULTILINE
    )
    assert "\ndemo-1: 28 phases resolved again, all the same\n" in result.stdout
    for who in ("Ana", "Idris"):
        assert re.search(rf"^{who}'s letters verify: \d+ facts, .*, the rules run again$", result.stdout, re.MULTILINE)
    assert list(checks(tmp_path, out / "letters" / "idris@demo.test")) == ["ok"]
    # The mistakes made on purpose were refused for what they are; one may find no place in a game.
    whys = (
        "can mean several",
        "These orders are for turn ",
        "It is not your phase",
        "infantry assaults only under a leader of its space: LED BY names him [O8.1]",
        "MOEV is not an order",
    )
    assert sum(why in result.stdout for why in whys) >= 3
    ours, theirs = "\n".join(letters(out, "ana")), "\n".join(letters(out, "idris"))
    # The dice are new in every game: Spain, who attacks, may never be assaulted where its standing orders hold.
    assert "Su doctrina en vigor" in ours
    assert "Your standing orders in force" in theirs
    for happened in ("Assault on ", "Fire of ", "The game is over: "):
        assert happened in theirs
    with closing(sqlite3.connect(out / "data" / "pbem.sqlite3")) as tables:
        kinds = {kind for (kind,) in tables.execute("SELECT DISTINCT kind FROM event")}
    # New dice each time: of what they bring one may be missing.
    assert len({"assault", "fires", "shock", "retreats", "recovery", "enters"} - kinds) <= 1
    assert "game over" in kinds


@pytest.mark.long
@pytest.mark.parametrize(("battle", "phases"), [("tetuan", 32), ("drill", 12), ("training", 12)])
def test_any_battle_is_played_to_its_end(tmp_path, battle, phases):
    out = tmp_path / "out"
    result = demo(out, "--scenario", battle, *(("--game", "peninsular") if battle == "training" else ()))
    assert result.returncode == 0, result.stdout + result.stderr
    assert re.search(r"^Result: (.* wins?|a draw)\. ", result.stdout, re.MULTILINE)
    resolved = re.search(r"^demo-1: (\d+) phases resolved again, all the same$", result.stdout, re.MULTILINE)
    assert resolved is not None
    assert int(resolved[1]) <= phases
    for who in ("Ana", "Idris"):
        assert re.search(rf"^{who}'s letters verify: \d+ facts, .*, the rules run again$", result.stdout, re.MULTILINE)
    theirs = "\n".join(letters(out, "idris"))
    assert "The game is over: " in theirs


@pytest.mark.full
def test_an_interrupted_demo_leaves_nobody_behind(tmp_path):
    out = tmp_path / "out"
    command = [sys.executable, "-m", "pbem.cli", "demo", "--out", str(out), "--verbose"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as demo:
        assert demo.stdout is not None
        for line in demo.stdout:
            if "ana@demo.test: [demo-1] T1" in line:
                break
        demo.terminate()
        demo.communicate(timeout=60)
    assert demo.returncode == 128 + signal.SIGTERM
    assert (out / "serve.log").read_text().splitlines()[-1].split()[-1] == "stopped"


def refusal(**options: Any) -> CommandError:
    with pytest.raises(CommandError) as stopped:
        run_demo(**{"game": "africa1860", "scenario": "", "turns": None, "seconds": 60, **options})
    return stopped.value


def test_a_folder_that_is_in_use_is_left_alone(tmp_path):
    (tmp_path / "mine").write_text("mine")
    stop = refusal(out=tmp_path)
    assert (stop.code, str(stop)) == (2, f"{tmp_path} is not empty: name another folder, or remove it")
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_a_game_without_a_demo(tmp_path):
    stop = refusal(out=tmp_path / "out", game="chess")
    assert (stop.code, str(stop)) == (2, "no game is called 'chess'; there are: africa1860, peninsular")


def test_a_battle_that_the_game_does_not_have(tmp_path):
    stop = refusal(out=tmp_path / "out", scenario="waterloo")
    assert stop.code == 2
    assert str(stop).startswith("africa1860 has no scenario waterloo; there are: brigades, castillejos, drill, tetuan")


@pytest.mark.full
def test_a_demo_without_letters_is_given_up_and_says_how_far_it_came(tmp_path):
    stop = refusal(out=tmp_path / "out", seconds=0)
    assert stop.code == 1
    assert re.fullmatch(
        r"the demo failed: no letter for 0 seconds while it waited for Ana's last report, after \d+ letters, in turn 1 "
        rf"\(see {re.escape(str(tmp_path / 'out'))}\)",
        str(stop),
    )


def test_a_demo_that_moves_on_is_never_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr(stage, "GLANCE", 0)
    box = tmp_path / "letters" / "pbem@demo.test"
    box.mkdir(parents=True)
    moment = iter(range(0, 1_000_000, 50))
    clock = [0]

    def waits() -> bool:
        """Let 50 seconds go by, and a letter come every 100 for more than an hour."""
        clock[0] = next(moment)
        if clock[0] % 100 == 0 and clock[0] <= 4_000:
            (box / f"{clock[0]:05}.eml").write_bytes(b"From: ana@demo.test\nMessage-ID: <a@b>\n\n")
        return False

    watched = stage.DemoProcesses(tmp_path, stage.DemoGame("africa1860"), 120, GameProgress(), lambda: clock[0])
    with pytest.raises(CommandError, match="no letter for 120 seconds while it waited for the end, after 41 letters"):
        watched.wait(waits, "the end")
    assert clock[0] == 4_150
