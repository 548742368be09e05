"""Everything the documents show is tried: orders against the position, standing orders, commands, settings, cases.

A fenced block says by its first words what it is:

- ``orders GAME/SCENARIO SEAT [after WHAT] [refused RULE]``: taken, or refused under that rule, in the first position or
  in the one after WHAT, ``deploying`` before turn 1 of a game with deployment;
- ``standing GAME/SCENARIO SEAT``: standing orders;
- ``answers``: lines that answer questions;
- ``python FILE``: lines that stand in that file;
- ``sh``: command lines; ``toml pbem.toml``: settings; ``toml cases``: rule cases that pass;
  ``toml castillejos``: what a scenario may have; ``toml cup60.toml``: the rules of a tournament.

A block without a word is what somebody sees, and is not tried.
"""

import re
import shlex
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typer

from pbem import installed
from pbem.cli.main import app
from pbem.cli.rulebooks import game_by_name
from pbem.cli.rules import run_cases
from pbem.cli.settings import load
from pbem.engine.scenarios import ScenarioFile
from pbem.engine.terms import Orders
from pbem.games.africa1860.edition import GAME_FILES, shipped_map
from pbem.games.africa1860.scenario import check_scenario
from pbem.letters import command_lines
from pbem.play.rulings.moderator_letter import QUESTIONS as MODERATORS_QUESTIONS
from pbem.play.rulings.ruling_lines import RULINGS
from pbem.server.catalogue import COMMAND_FORMS, COMMANDS
from pbem.tournaments.arithmetic.rules.reading import read_rules
from pbem.tournaments.commands.entrant_letter import KNOWN as ENTRANTS
from pbem.tournaments.rulings import RULINGS as DIRECTORS_RULINGS

ROOT = Path(__file__).resolve().parents[2]
NAMED = ("README", "CONTRIBUTING", "SECURITY")
DOCUMENTS = sorted([*(ROOT / "docs").glob("*.md"), *(ROOT / f"{name}.md" for name in NAMED)])
FENCE = re.compile(r"^```(?P<info>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
KINDS = {"orders", "standing", "answers", "sh", "toml", "python", "text", ""}


class Example(NamedTuple):
    """A fenced block: where it stands, the words behind the fence, and what is in it."""

    where: str
    words: tuple[str, ...]
    text: str


def examples(kind: str) -> list[Any]:
    out = []
    for path in DOCUMENTS:
        text = path.read_text("utf-8")
        for fence in FENCE.finditer(text):
            words = tuple(fence["info"].split())
            if words[:1] == (kind,):
                where = f"{path.name}:{text[: fence.start()].count(chr(10)) + 1}"
                out.append(pytest.param(Example(where, words, fence["text"]), id=where))
    return out


def test_no_block_is_of_an_unknown_kind():
    infos = {fence["info"] for path in DOCUMENTS for fence in FENCE.finditer(path.read_text("utf-8"))}
    assert {(info.split() or [""])[0] for info in infos} <= KINDS


# Positions other than the first


def _moved(state: Any, *units: str, to: str) -> Any:
    """The position with some units elsewhere."""
    return state.change(units={i: u._replace(at=to) if i in units else u for i, u in state.units.items()})


def _shaken(state: Any, unit: str) -> Any:
    return state.change(units={**state.units, unit: state.units[unit]._replace(demoralised=True)})


def _on_the_crest(state: Any) -> Any:
    """Browne and the Guards below the crest, which a battalion of Ruffin's holds, guns behind, horse to the south."""
    places = {"2/1Guards": "1612", "BrowneBn": "1612", "Browne": "1612", "2/3Guards": "1512", "KGL": "1516"}
    places |= {"1/24": "1713", "DuncanA": "1511"}
    units = {i: u._replace(at=places[i]) if i in places else u for i, u in state.units.items()}
    units["KGL"] = units["KGL"]._replace(facing="SE")
    units["DuncanA"] = units["DuncanA"]._replace(facing="SE", limbered=False)
    return state.change(
        units=units, divisions={**state.divisions, "Dilkes": state.divisions["Dilkes"]._replace(order="")}
    )


AFTER: dict[str, Callable[[Any], Any]] = {
    "horse-at-playa": lambda state: _moved(state, "Husares1", "Husares4", to="Playa"),
    "vergara-shaken": lambda state: _shaken(state, "Vergara"),
    "on-the-crest": _on_the_crest,
    "drill-b": lambda state: _moved(state, "Bateria", "Cordoba", "Husares", "Vergara", "Prim", to="B"),
}


def position(words: tuple[str, ...]) -> tuple[Any, Any, str]:
    """Game, view and seat of a block of orders."""
    name, _, scenario = words[1].partition("/")
    game, seat = game_by_name(name), words[2]
    state = game.start(game.edition(scenario, {"deploy": "on"} if "deploying" in words else {}, {}))
    if "after" in words:
        state = AFTER[words[words.index("after") + 1]](state)
    return game, game.view(state, seat), seat


def block(text: str) -> str:
    """What the game reads of a letter with these lines; lines without a header get one."""
    whole = text if re.match(r"(?i)orders|ordenes", text) else f"ORDERS T1\n{text}END\n"
    parsed = command_lines.parse_letter(whole, COMMAND_FORMS)
    assert parsed.wrong == ()
    assert parsed.block is not None
    return parsed.block.text


@pytest.mark.parametrize("example", examples("orders"))
def test_orders_are_taken_or_refused_as_the_document_says(example):
    game, view, seat = position(example.words)
    read = game.parse(block(example.text), view, seat)
    refused = read.rejected or game.check(view, seat, read.orders)
    wanted = example.words[example.words.index("refused") + 1 :] if "refused" in example.words else ()
    assert tuple(wrong.rule for wrong in refused) == wanted
    if not refused:
        assert game.canon(game.parse(game.canon(read.orders), view, seat).orders) == game.canon(read.orders) != ""
        # One of its lines does not stop another.
        warnings = [warned.why.text for warned in game.aids.review(view, seat, read.orders)]
        assert [text for text in warnings if "not carried out" in text or "nothing of this one" in text] == []


@pytest.mark.parametrize("example", examples("standing"))
def test_standing_orders_are_understood(example):
    game, view, seat = position(example.words)
    parsed = command_lines.parse_letter(example.text, COMMAND_FORMS)
    assert parsed.wrong == ()
    assert parsed.block is not None
    assert parsed.block.standing
    read = game.parse(parsed.block.text, view, seat)
    assert read.rejected == ()
    assert read.orders.actions == ()
    assert len(read.orders.standing) == len(re.findall(r"^\d+\. ", example.text, re.MULTILINE)) > 0
    text = game.canon(Orders((), read.orders.standing))
    assert game.canon(game.parse(text, view, seat).orders) == text
    # Nothing in it is dead, and nobody is missing.
    assert [warned for warned in game.aids.review(view, seat, read.orders) if "standing order" in warned.why.text] == []


@pytest.mark.parametrize("example", examples("answers"))
def test_answers_are_read_with_and_without_their_first_word(example):
    for text in (example.text, example.text.partition(" ")[2]):
        parsed = command_lines.parse_letter(text, COMMAND_FORMS)
        assert parsed.wrong == ()
        assert [(command.name, command.rest.split()[-2:]) for command in parsed.commands] == [("respond", ["1a", "2c"])]


COMMAND_GUIDES = ("commands.en.md", "comandos.es.md")
ENTRANT_GUIDES = ("entrants.en.md", "torneo.es.md")


def command_cells(document: str) -> Iterator[Any]:
    """Yield the code in the first two cells of the rows of a guide's tables of commands."""
    text = (ROOT / "docs" / document).read_text("utf-8")
    for row in re.findall(r"^\| (`.*?) \|$", text, re.MULTILINE):
        for cell in row.split(" | ")[:2]:
            yield from re.findall(r"`([^`]+)`", cell)


@pytest.mark.parametrize("document", COMMAND_GUIDES)
def test_every_command_of_a_guide_is_one(document):
    commands = list(command_cells(document))
    assert len(commands) > 25
    for command in commands:
        parsed = command_lines.parse_letter(
            f"{command}\n" + ("ORDERS T1\nPASS\nEND\n" if command in ("REPLACE", "REEMPLAZAR") else ""), COMMAND_FORMS
        )
        assert parsed.wrong == (), command
        assert len(parsed.commands) == 1, command


@pytest.mark.parametrize("document", COMMAND_GUIDES)
def test_a_guide_shows_every_command(document):
    shown = {command_lines.parse_letter(line, COMMAND_FORMS).commands[0].name for line in command_cells(document)}
    assert shown >= {form.name for form in COMMAND_FORMS.every if form.example and not form.enclosed} - {"format"}


@pytest.mark.parametrize("document", COMMAND_GUIDES)
def test_a_guide_gives_the_limits_of_commands(document):
    """A command without a row counts once in a letter."""
    shown: dict[str, dict[str, int]] = {}
    periods = {"letter": "letter", "carta": "letter", "phase": "phase", "fase": "phase", "day": "day", "día": "day"}
    periods |= {"game": "seat", "partida": "seat"}
    by_word = {word: command.form.name for command in COMMANDS for word in command.form.phrases}
    by_word |= {"PRESS": "press", "PRENSA": "press"}
    for count, period, cell in re.findall(
        r"^\| (\d+) (?:in a|por|al) (\w+) \| (.*) \|$", (ROOT / "docs" / document).read_text("utf-8"), re.MULTILINE
    ):
        for word in re.findall(r"`([^`]+)`", cell):
            shown.setdefault(by_word[word], {})[periods[period]] = int(count)
    limits = {
        command.form.name: {
            period: count for period, count in command.often._asdict().items() if count > (period == "letter")
        }
        for command in COMMANDS
    }
    assert shown == {name: counts for name, counts in limits.items() if counts}


@pytest.mark.parametrize("document", ENTRANT_GUIDES)
def test_a_guide_shows_an_entrant_all_that_he_may_write(document):
    shown = set()
    rows = re.findall(r"^\| (`.*?) \| .* \|$", (ROOT / "docs" / document).read_text("utf-8"), re.MULTILINE)
    for line in (line for row in rows for line in re.findall(r"`([^`]+)`", row)):
        parsed = command_lines.parse_letter(line, ENTRANTS.forms)
        assert parsed.wrong == (), line
        (command,) = parsed.commands
        shown.add(command.name)
    assert shown == set(ENTRANTS.by_name)


MODERATORS_WORDS = [(ruling.word, ruling.spanish) for ruling in RULINGS]
MODERATORS_WORDS += [(question.form.phrases[0], question.form.phrases[1]) for question in MODERATORS_QUESTIONS]
DIRECTORS_WORDS = [(ruling.word, ruling.spanish) for ruling in DIRECTORS_RULINGS]


@pytest.mark.parametrize(
    ("document", "english", "words"),
    [
        ("moderators.en.md", 0, MODERATORS_WORDS),
        ("moderadores.es.md", 1, MODERATORS_WORDS),
        ("tournaments.md", 0, DIRECTORS_WORDS),
    ],
)
def test_a_guide_shows_all_rulings(document, english, words):
    text = (ROOT / "docs" / document).read_text("utf-8")
    rows = re.findall(r"^\| (`.*?`) \| (`.*?`) \| .* \|$", text, re.MULTILINE)
    columns = [[word for row in rows for word in re.findall(r"`([A-Z]+)", row[column])] for column in (0, 1)]
    assert set(zip(columns[english], columns[1 - english], strict=True)) == set(words)


# Command lines


@pytest.mark.parametrize("example", examples("sh"))
def test_command_lines_exist(example):
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    for line in example.text.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        if words[:1] == ["make"]:
            assert words[1] in targets, line
        for index, word in enumerate(words):
            if (
                Path(word).name == "pbem"
                and words[index + 1 : index + 2]
                and (index == 0 or words[index + 1] in GROUP.commands)
            ):
                known(words[index + 1 :], line)


GROUP: Any = typer.main.get_command(app)


def known(words: list[str], line: str) -> None:
    """A command line of pbem: its commands, its options, and how many arguments stand there."""
    command, words = GROUP, list(words)
    while hasattr(command, "commands"):
        assert words, line
        assert words[0] in command.commands, line
        command = command.commands[words.pop(0)]
    options = {name: parameter for parameter in command.params for name in parameter.opts}
    # What follows belongs to the shell.
    words = words[: min([words.index(mark) for mark in ("|", ">", ">>", "&&") if mark in words], default=None)]
    count = 0
    while words:
        word = words.pop(0)
        if word.startswith("-"):
            assert word in options, line
            if not options[word].is_flag:
                assert words.pop(0), line
        else:
            count += 1
    arguments = [parameter for parameter in command.params if parameter.param_type_name == "argument"]
    assert sum(argument.required for argument in arguments) <= count, line
    assert any(argument.nargs < 0 for argument in arguments) or count <= len(arguments), line


@pytest.mark.parametrize("document", [path.name for path in DOCUMENTS])
def test_commands_in_the_text_exist(document):
    text = next(path for path in DOCUMENTS if path.name == document).read_text("utf-8")
    for line in re.findall(r"`pbem ([^`]+)`", text):
        words, command = line.split(), GROUP
        while hasattr(command, "commands") and words and re.fullmatch(r"[a-z]+", words[0]):
            assert words[0] in command.commands, line
            command = command.commands[words.pop(0)]
        options = {name for parameter in command.params for name in parameter.opts}
        assert {word for word in words if word.startswith("--")} <= options | {"--help", "--version"}, line


# Files


def in_section(settings: str, example: str) -> str:
    """The shipped settings with the lines of an example in place of those of its section."""
    (section,) = re.findall(r"^\[\w+\]$", example, re.MULTILINE)
    before, _, after = settings.partition(f"\n{section}\n")
    return f"{before}\n{example}\n[{after.partition(chr(10) + '[')[2]}"


@pytest.mark.parametrize("example", examples("toml"))
def test_files_are_what_they_are_called(example, tmp_path, capsys):
    if example.words[1] == "pbem.toml":
        path = tmp_path / "pbem.toml"
        whole = (ROOT / "config/pbem.toml").read_text("utf-8")
        path.write_text(example.text if "[server]" in example.text else in_section(whole, example.text))
        (tmp_path / "mail.password").write_text("secret\n")
        (tmp_path / "mail.password").chmod(0o600)
        load(path)
    elif example.words[1] == "cup60.toml":
        assert read_rules(example.text, "cup60.toml").table.scenario == "castillejos"
    elif example.words[1] == "castillejos":
        scenario, text = GAME_FILES.scenario("castillejos")
        changed = {**scenario, **tomllib.loads(example.text)}
        check_scenario(ScenarioFile(changed, text, "castillejos.toml"), shipped_map("castillejos"))
    elif example.words[1] == "pyproject.toml":
        brings = tomllib.loads(example.text)["project"]["entry-points"]
        assert [*brings] == [installed.GROUP]
        assert all(re.fullmatch(r"\w+:GAME", value) for value in brings[installed.GROUP].values())
    else:
        path = tmp_path / "cases.toml"
        path.write_text(example.text)
        run_cases([path], "")
        assert re.fullmatch(r"[1-9]\d* passed, 0 failed\n", capsys.readouterr().out)


@pytest.mark.parametrize("document", [path.name for path in DOCUMENTS])
def test_links_lead_somewhere(document):
    path = next(path for path in DOCUMENTS if path.name == document)
    text = path.read_text("utf-8")
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in link:
            continue
        file, _, anchor = link.partition("#")
        target = (path.parent / file) if file else path
        assert target.exists(), link
        if anchor:
            heads = re.findall(r"^#+ (.*)$", target.read_text("utf-8"), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}, link


@pytest.mark.parametrize("document", [path.name for path in DOCUMENTS])
def test_files_that_are_named_are_there(document):
    text = next(path for path in DOCUMENTS if path.name == document).read_text("utf-8")
    for name in re.findall(r"`((?:pbem|tests|docs|config|templates|benchmarks)/[\w./-]+)`", text):
        # A word in capitals stands for whatever fits there.
        if not re.search(r"\b[A-Z]{3,}\b", name):
            assert (ROOT / name).exists(), name


@pytest.mark.parametrize("example", examples("python"))
def test_python_stands_in_the_file_it_names(example):
    (path,) = example.words[1:]
    assert example.text in (ROOT / path).read_text("utf-8"), example.where
