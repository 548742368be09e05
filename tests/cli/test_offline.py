"""Cases and single phases from the command line, without server or database."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from pbem.cli.main import main

CASE = '''
[[case]]
title = "{title}"
phase = "spain"
units = [
  "spain OF Ros 1/1 at B", "spain IR Leon fire 2 assault 1 steps 4 morale 4 at B",
  "morocco NZ Nizam fire 2 assault 2 steps 4 morale 4 at C",
]
orders.spain = """
ACTIVATE B
ASSAULT C WITH Leon LED BY Ros VANGUARD Leon
CHARGE Leon AT C
END
"""
dice = [
  "fire Nizam > Leon: 0 0", "shock attacker: 2", "shock defender: 2", "morale Leon: 3", "morale Ros: {ros}",
]
expect = ["Leon at B", "Leon steps {steps}", "rejected 3 O3.3", "cited O8.8.4"]
'''
GOOD = CASE.format(title="O8.8.1 a tie", ros=2, steps=2)
BAD = CASE.format(title="O8.8.3 wrong on purpose", ros=6, steps=3)
BETA = bytes(range(64)).hex()


@pytest.fixture
def pbem(capsys):
    """Run the command in this process: exit code, standard output, standard error."""

    def run(*arguments):
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        output = capsys.readouterr()
        return ended.value.code or 0, output.out, output.err

    return run


@pytest.fixture
def write(tmp_path):
    """Write a file and return its path."""

    def written(name, text):
        path = tmp_path / name
        path.write_text(text, "utf-8")
        return path

    return written


# pbem cases


def test_cases_that_hold(pbem, write):
    file = write("good.toml", 'game = "africa1860"\n' + GOOD)
    assert pbem("cases", file) == (0, "1 passed, 0 failed\n", "")


def test_a_case_that_fails_is_named_with_what_is_not_so(pbem, write):
    good, bad = write("good.toml", GOOD), write("bad.toml", GOOD + BAD)
    code, out, err = pbem("cases", bad, good, "--game", "africa1860")
    assert (code, err) == (1, "")
    assert out == "FAILED bad.toml: O8.8.3 wrong on purpose: not so: Leon steps 3\n2 passed, 1 failed\n"


@pytest.mark.parametrize("game", ["africa1860", "peninsular"])
def test_a_key_that_means_nothing_is_refused_with_its_line_before_any_case_runs(pbem, write, game):
    text = f'game = "{game}"\nerratum = ""\n[[case]]\nphase = "end"\nexpect = []\n[[case]]\nunit = ["errata = 1"]\n'
    text += "orders.spain = ''\n[case.option]\nbreaking = 1\n"
    code, out, err = pbem("cases", write("odd.toml", text))
    assert (code, out) == (2, "")
    for fault in ("line 2: erratum", "line 7: unit means nothing here", "line 9: option"):
        assert fault in err
    code, out, err = pbem("adjudicate", write("lone.toml", f'game = "{game}"\nphase = "end"\nunit = []\nexpect = []\n'))
    assert (code, "line 3: unit" in err) == (2, True)


@pytest.mark.parametrize(
    ("errata", "why"),
    [("2999-01-01", "there are no errata of 2999-01-01; the latest are of"), ("soon", 'errata is a date such as "20')],
)
@pytest.mark.parametrize("game", ["africa1860", "peninsular"])
def test_errata_of_a_case_are_a_date_that_there_is(pbem, write, game, errata, why):
    file = write("dated.toml", f'game = "{game}"\n[[case]]\nphase = "end"\nerrata = "{errata}"\nexpect = []\n')
    code, out, _ = pbem("cases", file)
    assert (code, why in out) == (1, True)


def test_each_look_up_is_a_case(pbem, write):
    text = 'game = "africa1860"\nlookup = ["C6 die effect column 1 = M", "C6 die effect column 7 = 2M"]\n'
    inside = '[[case]]\nlookup = ["C4 die 6 column check = fail", "C4 die 6 column check = pass"]\n'
    code, out, _ = pbem("cases", write("charts.toml", text + inside))
    assert (code, out.splitlines()[-1]) == (1, "3 passed, 1 failed")
    assert "C4 die 6 column check = pass" in out.splitlines()[0]


@pytest.mark.parametrize(
    ("case", "why"),
    [
        ('title = "x"\nexpect = []', "x: the case has no phase"),
        ('title = "x"\nphase = "spain"', "x: the case has no expect"),
        ('title = "x"\nphase = "italy"\nexpect = []', "x: a phase is spain, morocco, deployment or end, not 'italy'"),
        ('phase = "spain"\nexpect = ["Leon sleeps"]', "case 1: 'Leon sleeps' is no expectation"),
        ('phase = "spain"\nexpect = []\ndice = ["a: b"]', "case 1: dice read LABEL: VALUES, got 'a: b'"),
        ('phase = "spain"\nexpect = []\ndice = ["a: 1"]', "case 1: dice given for 'a' were not used"),
        (
            'phase = "spain"\nexpect = []\nunits = 3',
            "case 1: it cannot be run: TypeError: 'int' object is not iterable",
        ),
    ],
)
def test_a_case_that_is_none_fails_and_the_others_run(pbem, write, case, why):
    code, out, _ = pbem("cases", write("odd.toml", f'game = "africa1860"\n[[case]]\n{case}\n{GOOD}'))
    assert (code, out) == (1, f"FAILED odd.toml: {why}\n1 passed, 1 failed\n")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[[case", "cannot read {path} as TOML: "),
        ("case = 3", "cannot read {path}: each case begins with [[case]]"),
        (GOOD, '{path} names no game: write game = "NAME" at its top, or give --game NAME'),
        ('game = "chess"', "no game is called 'chess'; there are: africa1860"),
    ],
)
def test_a_file_that_cannot_be_read_ends_with_two(pbem, write, text, why):
    path = write("broken.toml", text)
    code, out, err = pbem("cases", path)
    assert (code, out) == (2, "")
    assert err.startswith(f"pbem: {why.format(path=path)}")


def test_files_that_are_not_there_or_no_text(pbem, tmp_path, write):
    assert pbem("cases", tmp_path / "no.toml")[::2] == (
        2,
        f"pbem: cannot read {tmp_path / 'no.toml'}: No such file or directory\n",
    )
    path = tmp_path / "picture.toml"
    path.write_bytes(b"\xff\xd8")
    assert pbem("cases", path)[::2] == (2, f"pbem: cannot read {path}: it is not UTF-8 text\n")


# pbem adjudicate


@pytest.fixture
def start(pbem, write):
    """The first position of the drill."""
    code, out, err = pbem("adjudicate", "--new", "africa1860/drill")
    assert (code, err) == (0, "")
    return write("state.json", out)


def test_a_phase_from_a_position_orders_and_bytes(pbem, write, start, tmp_path):
    letter = write("spain.txt", "\nÓRDENES T1 #k7q2\nACTIVAR A\nMOVER Cordoba, Vergara CON Prim A B\nFIN\n")
    after = tmp_path / "next.json"
    code, out, err = pbem("adjudicate", start, "--orders", f"spain={letter}", "--beta", BETA, "--state-out", after)
    assert (code, err) == (0, "")
    assert out == "#1 Spain activates A. [O2]\n#2 Cordoba, Vergara, Prim: from A to B. [O3.2]\n"
    moved = json.loads(after.read_text())
    assert moved["state"]["phase"] == "morocco"
    assert {row[0]: row[3] for row in moved["state"]["units"]}["Prim"] == "B"
    assert pbem("adjudicate", after, "--beta", BETA)[0] == 0


@pytest.mark.parametrize(
    ("head", "end"),
    [
        ("ORDERS T1 #k7q2 # final", "END"),
        ("ORDERS T1 //final", "*END*"),
        ("*VERIFY T1*", "END. # of it"),
        ("LATER T1 # as planned", "FIN"),
    ],
)
def test_a_block_is_taken_as_it_is_by_letter(pbem, write, start, head, end):
    letter = write("spain.txt", f"{head}\nACTIVATE A\n{end}\nsee you soon\n")
    code, out, err = pbem("adjudicate", start, "--orders", f"spain={letter}", "--beta", BETA)
    assert (code, out, err) == (0, "#1 Spain activates A. [O2]\n", "")


def test_the_same_bytes_give_the_same_phase_and_other_bytes_another(pbem, start):
    orders = [f"{start.parent}/o.txt"]
    Path(orders[0]).write_text("ACTIVATE A\nMOVE Husares TO C VIA B\n")
    first, again = (pbem("adjudicate", start, "--orders", f"spain={orders[0]}", "--beta", BETA) for _ in range(2))
    assert first == again


def test_json_gives_one_event_a_line(pbem, start):
    code, out, _ = pbem("adjudicate", start, "--json")
    events = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert [happened["kind"] for happened in events] == ["phase begins", "phase over"]
    assert events[0] == {"cite": "O1", "data": {"side": "spain", "turn": 1}, "kind": "phase begins"}


def test_each_step_is_shown_as_it_is_taken(pbem, write, tmp_path):
    file = write("cases.toml", 'game = "africa1860"\n' + GOOD)
    whole = pbem("adjudicate", file, "--json")
    code, out, err = pbem("adjudicate", file, "--step", "--json")
    assert (code, err) == (whole[0], whole[2])
    steps = [json.loads(line) for line in out.splitlines()]
    assert [step["step"] for step in steps] == list(range(1, len(steps) + 1))
    events = [happened for step in steps for happened in step.get("events", ())]
    assert events == [json.loads(line) for line in whole[1].splitlines()]
    rolls = [step["roll"] for step in steps if "roll" in step]
    assert {name: value for name, value in rolls[1].items() if name != "values"} == {
        "label": "B>C/shock attacker",
        "n": 1,
        "sides": 6,
    }
    assert all({"roll", "window", "events"} & step.keys() for step in steps)
    asked = next(step["window"] for step in steps if "window" in step)
    assert (asked["id"], asked["seat"], asked["by"]) == ("B>C/vanguard morocco", "morocco", "default")
    code, out, _ = pbem("adjudicate", file, "--step")
    lines = out.splitlines()
    assert len([line for line in lines if not line.startswith(" ")]) == len(steps)
    assert any(line.startswith("  rolls B>C/shock attacker: 1d6 = ") for line in lines)
    assert any(line.startswith("  asks morocco B>C/vanguard morocco (Nizam): Nizam, by default") for line in lines)
    assert any(line.startswith("  assault [O8] {") for line in lines)


def test_refused_lines_are_reported_and_the_others_run(pbem, write, start):
    letter = write("spain.txt", "ACTIVATE A\nMOVE Cordoba TO E\nMOOVE Vergara TO\nMOVE Vergara TO B\n")
    code, out, err = pbem("adjudicate", start, "--orders", f"spain={letter}")
    assert code == 1
    assert "Vergara: from A to B. [O3.2]" in out
    lines = err.splitlines()
    assert lines[0].startswith("refused: spain, line 3: MOOVE Vergara TO: ")
    assert lines[1:] == ["refused: spain, line 2: MOVE Cordoba TO E: Cordoba cannot reach E from A in one move [O3.2]"]


def test_a_case_is_a_phase_with_its_letters_and_dice(pbem, write, tmp_path):
    file = write("cases.toml", 'game = "africa1860"\n' + GOOD + BAD)
    after = tmp_path / "after.json"
    code, out, err = pbem("adjudicate", file, "--case", "2", "--state-out", after)
    assert code == 1
    assert err == "refused: spain, line 3: CHARGE Leon AT C: only cavalry charges, Leon is none [O3.3]\n"
    assert "Ros checks morale: 6 against 5+0, fails [O8.8.7]" in out
    assert out.endswith(
        "# Dice\nfire Nizam > Leon: 0 0\nshock attacker: 2\nshock defender: 2\nmorale Leon: 3\nmorale Ros: 6\n"
    )
    assert json.loads(after.read_text())["state"]["gone"] == {"Ros": "casualty"}
    by_title = pbem("adjudicate", file, "--case", "O8.8.1")
    assert "Ros checks morale: 2 against 5+0, holds [O8.8.7]" in by_title[1]


def test_dice_thrown_by_hand_one_at_a_time(pbem, write, tmp_path):
    file = write("case.toml", 'game = "africa1860"\n' + GOOD.split("dice = [")[0] + "expect = []\n")
    dice = tmp_path / "dice.txt"
    thrown = ["fire Nizam > Leon: 0 0", "shock attacker: 2   # seen by both", "shock defender: 2", "morale Leon: 3"]
    asked = []
    for count in range(len(thrown) + 1):
        dice.write_text("\n".join(thrown[:count]), "utf-8")
        code, out, err = pbem("adjudicate", file, "--dice", dice)
        assert (code, out) == (2, "")
        asked.append(err.split("'")[1])
    assert asked == ["fire Nizam > Leon", "shock attacker", "shock defender", "morale Leon", "morale Ros"]
    dice.write_text("\n".join([*thrown, "morale Ros: 1", "leader Ros: 6"]), "utf-8")
    code, out, err = pbem("adjudicate", file, "--dice", dice)
    assert code == 1
    assert "dice that nobody asked for: leader Ros\n" in err


def test_standing_orders_of_the_other_side(pbem, write):
    file = write(
        "case.toml",
        'game = "africa1860"\n'
        + GOOD.replace('"morocco NZ', '"morocco IL Haus fire 1 assault 1 steps 2 morale 3 at C", "morocco NZ'),
    )
    doctrine = write("d.txt", "STANDING\nWHEN ASSAULTED THEN VANGUARD Haus ; SCREEN NONE\nENDSTANDING\n")
    code, out, _ = pbem("adjudicate", file, "--standing", f"morocco={doctrine}", "--beta", BETA)
    assert "Morocco: vanguard Haus [O8.2]" in out
    code, _, err = pbem("adjudicate", file, "--orders", f"morocco={write('o.txt', 'PASS')}", "--beta", BETA)
    assert code == 2
    assert "this phase waits for spain: of morocco it takes standing orders alone, with --standing" in err


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ("", "which position? A first one: pbem adjudicate --new GAME/SCENARIO > state.json"),
        ("--new africa1860", "--new wants africa1860/SCENARIO; the scenarios are: brigades, castillejos"),
        ("--new africa1860/nowhere", "--new wants africa1860/SCENARIO; the scenarios are: brigades, castillejos"),
        ("--new chess/opening", "no game is called 'chess'; there are: africa1860"),
        ("--new africa1860/drill --option loss=1", "unknown option 'loss'; there are loss_basis"),
        ("--new africa1860/drill --option loss", "an option reads NAME=VALUE, got 'loss'"),
        (
            "--new africa1860/drill state.json",
            "--new prints a first position and resolves nothing: leave the file away",
        ),
        ("state.json --option a=b", "--option goes with --new: the position has its options already"),
        ("no.json", "cannot read no.json: No such file or directory"),
        (
            "notes.json",
            "notes.json is no position: it is no JSON: Expecting value: line 1 column 1 (char 0). Make one: ",
        ),
        ("list.json", "list.json is no position: a position holds game, edition and state. Make one: "),
        ("chess.json", "chess.json is no position: no game is called 'chess'. Make one: "),
        ("empty.json", "empty.json is no position: edition or state do not fit africa1860: 'game'. Make one: "),
        (
            "state.json --orders italy=o.txt",
            "--orders reads SEAT=FILE with a seat of spain, morocco, got 'italy=o.txt'",
        ),
        ("state.json --orders o.txt", "--orders reads SEAT=FILE with a seat of spain, morocco, got 'o.txt'"),
        ("state.json --orders spain=no.txt", "cannot read no.txt: No such file or directory"),
        ("state.json --orders spain=o.txt --orders spain=o.txt", "--orders spain is given twice"),
        ("state.json --orders spain=t9.txt", "the orders of spain are for turn 9, this is turn 1"),
        ("state.json --beta 00", "--beta is 64 bytes in hex, 128 digits; openssl rand -hex 64 makes one"),
        (f"state.json --beta {BETA} --dice o.txt", "--dice and --beta are two ways to the same dice: give one"),
        ("state.json --dice o.txt", "o.txt: dice read LABEL: VALUES, got 'PASS'"),
        ("state.json --dice picture", "cannot read picture: it is not UTF-8 text"),
        ("state.json --orders spain=picture", "cannot read picture: it is not UTF-8 text"),
        ("picture", "cannot read picture: it is not UTF-8 text"),
        ("state.json --language fr", "--language is one of en, es"),
        ("state.json --state-out no/next.json", "cannot write no/next.json: No such file or directory"),
        ("two.toml", "two.toml holds 2 cases; choose one by its number with --case:\n  1  O8.8.1 a tie\n  2  O8.8.3"),
        ("two.toml --case 3", "two.toml holds 2 cases; choose one by its number with --case:"),
    ],
)
def test_what_cannot_be_done_names_the_way_out(pbem, start, monkeypatch, arguments, why):
    monkeypatch.chdir(start.parent)
    files = {
        "notes.json": "notes",
        "list.json": "[]",
        "chess.json": '{"game": "chess", "edition": {}, "state": {}}',
        "empty.json": '{"game": "africa1860", "edition": {}, "state": {}}',
        "o.txt": "PASS",
        "t9.txt": "ORDERS T9\nPASS\nEND",
        "two.toml": 'game = "africa1860"\n' + GOOD + BAD,
    }
    for name, text in files.items():
        Path(name).write_text(text, "utf-8")
    Path("picture").write_bytes(b"\xff\xd8")
    code, _, err = pbem("adjudicate", *arguments.split())
    assert code == 2
    assert err.startswith(f"pbem: {why}")


def test_a_game_that_is_over_has_no_phase(pbem, start):
    value = json.loads(start.read_text())
    value["state"]["phase"] = "over"
    start.write_text(json.dumps(value))
    assert pbem("adjudicate", start)[::2] == (2, f"pbem: {start}: the game is over\n")


def test_options_make_another_edition(pbem):
    plain = json.loads(pbem("adjudicate", "--new", "africa1860/drill")[1])
    other = json.loads(pbem("adjudicate", "--new", "africa1860/drill", "--option", "loss_basis=opponent-stack")[1])
    assert plain["edition"]["options"] == {"loss_basis": "defender-stack", "fog": "off"}
    assert other["edition"]["options"] == {"loss_basis": "opponent-stack", "fog": "off"}


def test_neither_command_loads_the_database(write):
    file = write("good.toml", 'game = "africa1860"\n' + GOOD)
    script = (
        "import sys; from pbem.cli.main import main\n"
        f"try: main(['adjudicate', {str(file)!r}])\n"
        "except SystemExit: print({'sqlmodel', 'alembic', 'sqlalchemy'} & sys.modules.keys())"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.endswith("\nset()\n")
