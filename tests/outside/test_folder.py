"""Scenarios and charts in a folder of the server's: played like those shipped, refused by line, stored whole."""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import pbem.games.africa1860 as africa
from pbem.cli.rulebooks import game_by_name, use_folder

ANN, BOB = "ann@players.test", "bob@players.test"
SHIPPED = Path(africa.__file__).parent


@pytest.fixture
def own(hand):
    """A folder of the server's with the drill under another title and name; the settings name it."""
    folder = hand.folder / "own"
    (folder / "africa1860" / "scenarios").mkdir(parents=True)
    text = (SHIPPED / "scenarios" / "drill.toml").read_text("utf-8")
    lines = ['title = "Muster at dawn"' if line.startswith("title") else line for line in text.splitlines()]
    (folder / "africa1860" / "scenarios" / "muster.toml").write_text("\n".join(lines) + "\n", "utf-8")
    settings = hand.folder / "pbem.toml"
    text = settings.read_text("utf-8")
    assert 'folder = ""' in text
    settings.write_text(text.replace('folder = ""', 'folder = "own"'), "utf-8")
    yield folder / "africa1860"
    use_folder(None)
    game_by_name("africa1860")


def edition(hand):
    with closing(sqlite3.connect(hand.folder / "data" / "pbem.sqlite3")) as database:
        return database.execute("SELECT digest, text FROM edition").fetchall()


def begin(hand, *words):
    output = hand.fine("game", "new", "one", "--undo", "0", *words)
    spain = hand.fine("seat", "invite", "one", "spain", ANN).strip()
    hand.fine("seat", "invite", "one", "morocco", BOB)
    hand.fine("game", "start", "one")
    assert ("It is played by charts from" in output) == (hand.folder / "own" / "africa1860" / "charts").exists()
    return spain


def chart(own, was, now):
    text = (SHIPPED / "charts" / "fire.txt").read_text("utf-8")
    assert was in text
    (own / "charts").mkdir()
    (own / "charts" / "fire.txt").write_text(text.replace(was, now, 1), "utf-8")


@pytest.mark.full
def test_a_scenario_is_played_by_letter_and_replayed_after_the_folder_went(hand, own):
    spain = begin(hand, "--scenario", "muster")
    assert "Muster at dawn" in hand.fine("mail", "read", ANN)
    ((digest, text),) = edition(hand)
    assert json.loads(text)["scenario"]["title"] == "Muster at dawn"
    assert digest != game_by_name("africa1860").edition("drill", {}, {}).digest
    shutil.rmtree(own)
    code, _, err = hand.deliver(ANN, spain, "ORDERS T1\nPASS\nEND\n")
    assert (code, err) == (0, "")
    assert "the same" in hand.fine("replay", "one")


def test_a_chart_is_laid_over_the_shipped_one_in_new_games_and_covered_by_the_digest(hand, own):
    chart(own, "C6.1  -1", "C6.1  -2")
    laid = (own / "charts" / "fire.txt").read_text("utf-8")
    begin(hand, "--scenario", "drill")
    ((digest, text),) = edition(hand)
    assert json.loads(text)["charts"]["fire"] == laid
    assert digest == game_by_name("africa1860").edition("drill", {}, {"fire": laid}).digest
    assert digest != game_by_name("africa1860").edition("drill", {}, {}).digest
    shutil.rmtree(own)
    assert "the same" in hand.fine("replay", "one")


BROKEN = [
    ("turns", "turns = 0", "muster.toml:{line}: turns is a whole number from 1, not 0"),
    ("map", 'map = "atlantis"', "muster.toml:{line}: unknown map 'atlantis'"),
    ("map", "map = ", "muster.toml:{line}: Invalid value"),
]


@pytest.mark.parametrize(("key", "line", "message"), BROKEN)
def test_a_scenario_that_cannot_be_played_is_refused_with_file_line_and_reason(hand, own, key, line, message):
    path = own / "scenarios" / "muster.toml"
    lines = path.read_text("utf-8").splitlines()
    row = next(n for n, text in enumerate(lines) if text.split() and text.split()[0] == key)
    lines[row] = line
    path.write_text("\n".join(lines), "utf-8")
    code, out, err = hand("game", "new", "one", "--scenario", "muster")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"pbem: {path.parent}/{message.format(line=row + 1)}")
    assert hand("game", "new", "two", "--scenario", "castillejos")[0] == 0


def test_a_chart_that_cannot_be_played_by_is_refused_with_file_line_and_reason(hand, own):
    chart(own, "C6.1", "C6.9")
    code, out, err = hand("game", "new", "one", "--scenario", "drill")
    assert (code, out) == (2, "")
    assert err.startswith(f"pbem: {own}/charts/fire.txt:")
    assert "modifier C6.9 is unknown to the rules" in err


def test_a_shipped_scenario_stays_what_it_is(hand, own):
    digest = game_by_name("africa1860").edition("drill", {}, {}).digest
    shutil.copy(own / "scenarios" / "muster.toml", own / "scenarios" / "drill.toml")
    begin(hand, "--scenario", "drill")
    assert edition(hand)[0][0] == digest
