"""Check own battles: new files can be played, mistakes are named by line, maps drawn, the guide's commands run."""

import re
import shlex
from pathlib import Path

import pytest

from pbem.cli import scenario
from pbem.cli.main import main
from pbem.cli.rulebooks import game_by_name, use_folder
from pbem.cli.try_ import LocalServers

DOCS = Path(__file__).resolve().parents[2] / "docs"
GUIDES = ("own-battle.en.md", "batalla-propia.es.md")
GAMES = {"drill": "africa1860", "training": "peninsular"}


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    """Work in an empty folder; afterwards no game has battles beside it."""
    monkeypatch.chdir(tmp_path)
    yield
    use_folder(None)
    for game in GAMES.values():
        game_by_name(game)


def run(capsys, *words):
    """Run a command; return its exit code, and what it printed, errors last."""
    with pytest.raises(SystemExit) as ended:
        main([*words])
    out, err = capsys.readouterr()
    return ended.value.code, out + err


def begun(capsys, like):
    """A new battle: its file."""
    assert run(capsys, "scenario", "new", "mine", "--like", like)[0] == 0
    return Path("battles", GAMES[like], "scenarios", "mine.toml")


@pytest.mark.parametrize("like", ["drill", "castillejos", "training", "barrosa"])
def test_a_new_battle_is_on_a_map_of_its_own_and_sound(like, capsys):
    assert run(capsys, "scenario", "new", "mine", "--like", like)[0] == 0
    code, out = run(capsys, "scenario", "check", "mine", "--games", "0")
    assert (code, out.startswith("mine can be played: ")) == (0, True), out
    (file,) = Path("battles").glob("*/scenarios/mine.toml")
    assert 'map = "mine"' in file.read_text("utf-8")
    edition, shipped = (game_by_name(file.parts[1]).edition(name, {}, {}).to_json() for name in ("mine", like))
    names = {"name": None}
    assert edition["map"] | names == shipped["map"] | names
    assert edition["scenario"] | {"title": "", "map": ""} == shipped["scenario"] | {"title": "", "map": ""}


def test_a_battle_of_ones_own_is_listed_played_by_bots_and_changes_no_shipped_map(capsys):
    shipped = game_by_name("africa1860").edition("drill", {}, {}).digest
    begun(capsys, "drill")
    Path("battles/africa1860/maps/drill.spaces.csv").write_text("nonsense", "utf-8")
    code, out = run(capsys, "scenario", "check", "mine", "--games", "1")
    assert code == 0
    assert re.search(r"^Test games between bots \(forward\): (spain|morocco|drawn) 1$", out, re.MULTILINE)
    assert game_by_name("africa1860").edition("drill", {}, {}).digest == shipped


def test_the_list_of_battles_has_ones_own_those_with_mistakes_and_the_wars(capsys):
    begun(capsys, "drill").with_name("broken.toml").write_text("title = [", "utf-8")
    code, out = run(capsys, "scenarios")
    assert code == 0
    assert re.search(r"^africa1860 +mine +6 +spain, morocco ", out, re.MULTILINE)
    assert re.search(r"^africa1860 +broken +- +it has mistakes: pbem scenario check broken$", out, re.MULTILINE)
    assert re.search(r"^Wars of africa1860, .* pbem campaign new --war: .*\bwar$", out, re.MULTILINE)
    assert "Wars of" not in run(capsys, "scenarios", "--game", "peninsular")[1]


@pytest.mark.parametrize(
    ("like", "was", "now", "reason"),
    [
        ("drill", "turns = 6", 'turns = 6\nwether = "hail"', "a scenario has no key 'wether'"),
        ("drill", "[victory.spaces]", "[victory.space]", "[victory] has no key 'space': write spaces, or take it out"),
        ("drill", "capture = 1", 'capture = "one"', "capture is a whole number, not 'one'"),
        ("drill", "spain IR Cordoba", "spain XX Cordoba", "unknown type 'XX'"),
        ("drill", "morale 5 at A", "morale 5 at Z", "'Z' is no space of the map mine"),
        ("drill", "morocco OF Muley 2/2 at E", "morocco NZ Muley fire 2 assault 2 steps 4 morale 4 at E", "no leader"),
        ("drill", 'map = "mine"', 'map = "moon"', "unknown map 'moon'"),
        ("drill", "reinforcements = []", 'reinforcements = ["spain"]', "reinforcements is a list, each a table"),
        ("drill", "title =", "title", "Expected '='"),
        ("training", "pf_per_point = 3", "pf_per_points = 3", "write pf_per_point, or take it out"),
        ("training", "turns = 6", 'turns = "six"', "turns is a whole number, not 'six'"),
        ("training", 'british = "Graham"', 'british = "Duncan"', "Duncan is no commander (cmd) of that side"),
        ("training", "first_needs = 4", "", "first_needs is missing"),
        ("training", '"0604" = 3', '"2904" = 3', "'2904' is no hex of the map"),
        ("training", 'sides = ["british", "french"]', 'sides = ["british", "spanish"]', "sides are the French and one"),
        ("training", "[edge]", '[errata]\ndate = "2026-11-22"\n[edge]', "a scenario has no key 'errata'"),
    ],
)
def test_a_mistake_is_named_with_file_line_reason_and_what_to_do(like, was, now, reason, capsys):
    file = begun(capsys, like)
    text = file.read_text("utf-8")
    assert was in text
    changed = text.replace(was, now, 1)
    file.write_text(changed, "utf-8")
    code, out = run(capsys, "scenario", "check", "mine")
    assert code == 1
    (line,) = (line for line in out.splitlines() if reason in line)
    number = int(line.removeprefix("mine.toml:").partition(":")[0])
    differs = [
        n for n, (a, b) in enumerate(zip(text.split("\n"), changed.split("\n"), strict=False), start=1) if a != b
    ]
    assert abs(number - differs[0]) <= 8 if reason in ("no leader", "first_needs is missing") else number in differs[:2]
    assert run(capsys, "scenario", "map", "mine", "--out", "mine.png")[0] == 1


def test_all_mistakes_of_one_sort_are_named_at_once(capsys):
    file = begun(capsys, "training")
    text = file.read_text("utf-8").replace("facing S at 08", "facing S at 99").replace("pf 2", "pf two")
    file.write_text(text, "utf-8")
    code, out = run(capsys, "scenario", "check", "mine")
    assert (code, len(re.findall(r"^mine\.toml:\d+: ", out, re.MULTILINE))) == (1, 4), out


@pytest.mark.parametrize(
    ("like", "name", "was", "now", "reason"),
    [
        ("drill", "mine.spaces.csv", "heights", "hights", "mine.spaces.csv:5: "),
        ("drill", "mine.edges.csv", "C,D,slope", "C,Q,slope", "mine.edges.csv:4: "),
        ("training", "mine.txt", "v  village", "v  vilage", "mine.txt:"),
    ],
)
def test_a_mistake_in_a_map_is_named_too(like, name, was, now, reason, capsys):
    begun(capsys, like)
    file = Path("battles", GAMES[like], "maps", name)
    text = file.read_text("utf-8")
    assert was in text
    file.write_text(text.replace(was, now, 1), "utf-8")
    code, out = run(capsys, "scenario", "check", "mine")
    assert code == 1
    assert reason in out


CHARTS = {"drill": ("C8.1", "shock", "side is attacker"), "training": ("T6", "shock", "attacker is french")}


@pytest.mark.parametrize("guide", GUIDES)
@pytest.mark.parametrize("like", CHARTS)
def test_charts_of_ones_own_are_checked_and_played_by(like, guide, capsys):
    text = (DOCS / guide).read_text("utf-8")
    rule, name, fact = CHARTS[like]
    file = begun(capsys, like)
    folder = file.parents[1] / "charts"
    folder.mkdir()
    shipped = game_by_name(GAMES[like]).rulebook.chart(name) or ""
    added = f"  {rule}.20  +1  more if {fact}\n"
    folder.joinpath(f"{name}.txt").write_text(shipped.rstrip("\n") + "\n" + added, "utf-8")
    if like == "training":
        (row,) = re.findall(r"^  T6\.20 .*$", text, re.MULTILINE)
        (retreat,) = re.findall(r"```text\n(S12  Retreat.*?)```", text, re.DOTALL)
        folder.joinpath(f"{name}.txt").write_text(f"{shipped}{row}\n", "utf-8")
        folder.joinpath("retreat.txt").write_text(retreat, "utf-8")
    code, out = run(capsys, "scenario", "check", "mine", "--games", "1")
    assert code == 0, out
    assert f"Charts of your own: {'retreat, ' if like == 'training' else ''}{name}\n" in out
    folder.joinpath(f"{name}.txt").write_text(f"{shipped.rstrip()}\n{added.replace(fact, 'sun is shining')}", "utf-8")
    code, out = run(capsys, "scenario", "check", "mine", "--games", "0")
    assert code == 1
    assert re.search(rf"shock\.txt:\d+: 'sun is shining' is no fact here; there are .*{fact}", out), out


def test_a_goal_that_nobody_can_reach_is_a_mistake(capsys):
    begun(capsys, "training")
    file = Path("battles/peninsular/maps/mine.txt")
    lines = file.read_text("utf-8").replace("  .  clear\n", "  .  clear\n  s  sea\n", 1).split("\n")
    # The hill is in the sea.
    for row, column in ((4, 8), (4, 9), (4, 10), (5, 8), (5, 10), (6, 9), (6, 8), (6, 10)):
        cells = lines[row + 1].split()
        cells[column] = "s"
        lines[row + 1] = "  " + "  ".join(cells)
    file.write_text("\n".join(lines), "utf-8")
    code, out = run(capsys, "scenario", "check", "mine")
    assert code == 1
    assert "no counter can reach 0806: change the map or take the hex out" in out


@pytest.mark.parametrize("like", [*GAMES])
def test_the_map_of_a_battle_is_drawn(like, capsys):
    begun(capsys, like)
    assert run(capsys, "scenario", "map", "mine", "-o", "mine.png") == (0, "mine.png\n")
    assert Path("mine.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    "words", [("new", "Mine!"), ("new", "drill"), ("new", "x1", "--like", "moon"), ("check", "x1")]
)
def test_what_cannot_be_done_is_said_and_nothing_is_written(words, capsys):
    code, out = run(capsys, "scenario", *words)
    assert (code, out.startswith("pbem: ")) == (2, True)
    assert not Path("battles").exists()


def test_nothing_is_overwritten(capsys):
    file = begun(capsys, "drill")
    file.write_text("mine", "utf-8")
    assert run(capsys, "scenario", "new", "mine")[0] == 2
    assert file.read_text("utf-8") == "mine"


@pytest.mark.parametrize("battles", [None, Path("/srv/battles")])
def test_the_judge_of_try_knows_the_battles_of_ones_own(battles, tmp_path):
    settings = LocalServers(tmp_path, battles=battles)._settings()
    assert ('folder = "/srv/battles"' in settings) is (battles is not None)


def commands(guide):
    """The command lines of a guide, in order."""
    for block in re.findall(r"^```sh\n(.*?)^```$", (DOCS / guide).read_text("utf-8"), re.MULTILINE | re.DOTALL):
        yield from block.splitlines()


@pytest.mark.parametrize("guide", GUIDES)
def test_the_commands_of_the_guide_do_what_it_says(guide, capsys):
    ran = []
    for line in commands(guide):
        words = shlex.split(line, comments=True)
        assert words[0] == "pbem"
        if words[1] == "scenario":
            code, out = run(capsys, *words[1:])
            assert code == 0, (line, out)
            ran.append(words[2])
    assert {*ran} == {"new", "check", "map"}
    written = {line for file in Path("battles").rglob("*.*") for line in file.read_text("utf-8").splitlines()}
    text = (DOCS / guide).read_text("utf-8")
    assert len(text.splitlines()) <= 200
    shown = [block for kind, block in re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL) if not kind]
    assert len(shown) == 4
    assert [line for block in shown for line in block.splitlines() if line not in written] == []


@pytest.mark.parametrize("guide", GUIDES)
def test_the_guide_explains_every_table_of_a_scenario(guide):
    text = (DOCS / guide).read_text("utf-8")
    assert [key for key in scenario._COMMENTS if f"`{key}`" not in text] == []
