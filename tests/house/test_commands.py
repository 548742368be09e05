"""A command or ruling of any role is one record beside its functions: a new one touches one Python file.

What else it touches are catalogues: that of its role, if the file is a new one, and those of the languages.
"""

import ast
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pbem.letters.role_commands import RoleCommand
from pbem.letters.ruling_records import Ruling
from pbem.play.commands.command_records import LetterCommand
from pbem.server.catalogue import COMMANDS_BY_ROLE
from tests.house.sources import ROOT, SERVED, Source, below, package

Record = LetterCommand | RoleCommand[Any] | Ruling[Any]

HEADINGS = {
    "pbem/play/commands/questions/help.py": {"STANDING", "DOCTRINA", "DICE", "DADOS", "LESSON", "LECCION"},
    "pbem/letters/commands.py": {"ACCEPT"},
    "pbem/tournaments/commands/joining.py": {"ACCEPT", "JOIN", "UNIRSE A"},
    "pbem/tournaments/verdicts.py": {"DRAW", "TABLAS", "FORFEIT", "PERDER", "WARN", "ADVERTIR"},
    "pbem/server/rerun.py": {"AWARD", "EDIT", "REOPEN"},
    "pbem/tournaments/cards.py": {"ROUND", "RATING", "CHALLENGE", "DEADLINE"},
    "pbem/server/game_cards.py": {"DEADLINE"},
}
"""Words that are also those of commands: topics of HELP, what follows commands, leaves of a log, heads of columns."""

UNOFFERED = {"confirm-orders": "the answer to a letter in prose shows the whole line, with its code"}
"""Commands that HELP does not list, each with its reason."""


def phrases(record: Record) -> tuple[str, ...]:
    """How it begins in all languages; what is of several lines is known by its example."""
    if isinstance(record, Ruling):
        return record.word, record.spanish
    return record.form.phrases or (record.form.example,)


def name(record: Record) -> str:
    return record.word if isinstance(record, Ruling) else record.form.name


def written(tree: ast.AST) -> Iterator[str]:
    """The strings of a file, without the names that it lists as its own."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets):
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        yield from written(node)


@cache
def alone(source: Source) -> frozenset[str]:
    return frozenset(written(source.tree)) - HEADINGS.get(source.name, set())


def places(phrase: str, sources: Iterable[Source]) -> list[str]:
    """The files in which a phrase stands by itself."""
    return [source.name for source in sources if phrase in alone(source)]


def knowing(sources: Iterable[Source]) -> list[str]:
    """The places that ask which command they have before them, but in the file of the command."""
    names = []
    for source in sources:
        for node in (node for kind in ASKING for node in source.nodes(kind)):
            foreign = [name for name in asked(node) if name in names_of() and source.name not in names_of()[name]]
            if foreign:
                names.append(f"{source.name}: {', '.join(foreign)}")
    return names


ASKING = (ast.Compare, ast.Call, ast.Subscript, ast.Dict)


def asked(node: ast.AST) -> list[str]:
    """The names that something is told apart by: compared, made a line of, or keys of a table of functions."""
    if isinstance(node, ast.Compare) and isinstance(node.left, ast.Attribute) and node.left.attr == "name":
        return [text for side in node.comparators for text in strings(side)]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("Line", "Form"):
        return [text for argument in node.args[:1] for text in strings(argument)]
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "BY_NAME":
        return strings(node.slice)
    if isinstance(node, ast.Dict):
        pairs = [(k, v) for k, v in zip(node.keys, node.values, strict=True) if isinstance(v, ast.Name | ast.Attribute)]
        names = [text for key, _ in pairs if key is not None for text in strings(key)]
        # Some keys may be words of something else, and one alone is no table.
        return names if len(names) > 1 and all(name in names_of() for name in names) else []
    return []


def strings(node: ast.AST) -> list[str]:
    return [n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)]


def made(sources: Iterable[Source]) -> set[tuple[str, str]]:
    """The forms and rulings that are written: each with its file and its name."""
    return {
        (source.name, call.args[0].value)
        for source in sources
        for call in source.nodes(ast.Call)
        if isinstance(call.func, ast.Name) and call.func.id in ("Form", "Ruling") and call.args
        if isinstance(call.args[0], ast.Constant) and isinstance(call.args[0].value, str)
    }


@cache
def homes() -> Mapping[tuple[str, str], str]:
    """The file in which the function of each record stands, by its role and name."""
    return {(role, name(record)): source_of(record) for role, record in all_records()}


@cache
def names_of() -> Mapping[str, frozenset[str]]:
    """The files of the records of each name."""
    kinds: dict[str, frozenset[str]] = {}
    for (_, name), file in homes().items():
        kinds[name] = kinds.get(name, frozenset()) | {file}
    return kinds


def source_of(record: Record) -> str:
    """The file in which its function stands."""
    function: Callable[..., object]
    if isinstance(record, Ruling):
        function = record.make
    else:
        function = (record.visit if isinstance(record, LetterCommand) else None) or record.do
    return Path(inspect.getsourcefile(function) or "").relative_to(ROOT).as_posix()


def all_records() -> Iterator[tuple[str, Record]]:
    """Every record with its role."""
    return ((role, record) for role, records in COMMANDS_BY_ROLE.items() for record in records)


def test_all_that_is_written_is_in_the_catalogue_beside_its_function():
    stand = {(file, name) for (_, name), file in homes().items()}
    assert made(below(*SERVED)) <= stand
    assert {(file, name) for file, name in stand if name not in alone(package()[file])} == set()


def test_a_phrase_stands_where_its_records_do_and_nowhere_else(subtests):
    sources = below(*SERVED)
    wanted: dict[str, set[str]] = {}
    for role, record in all_records():
        for phrase in phrases(record):
            wanted.setdefault(phrase, set()).add(homes()[role, name(record)])
    for phrase, files in wanted.items():
        with subtests.test(phrase=phrase):
            assert {*places(phrase, sources)} <= files


def test_nothing_else_knows_a_command_by_its_name():
    assert knowing(below(*SERVED)) == []


def test_no_two_records_of_a_role_begin_alike(subtests):
    for role, records in COMMANDS_BY_ROLE.items():
        with subtests.test(role=role):
            assert len({name(record) for record in records}) == len(records)
            phrases_said = [phrase for record in records for phrase in phrases(record)]
            assert len(set(phrases_said)) == len(phrases_said)


def test_a_command_is_offered_in_both_languages_or_said_not_to_be(subtests):
    for role, record in all_records():
        with subtests.test(role=role, record=name(record)):
            if name(record) in UNOFFERED:
                assert not isinstance(record, Ruling)
                assert (record.form.example, record.form.spanish) == ("", "")
                continue
            english, spanish = (
                (record.example_in("en"), record.example_in("es"))
                if isinstance(record, Ruling)
                else (record.form.example, record.form.spanish)
            )
            assert english.split()[0] != spanish.split()[0]


# What is planted is seen


PLANTS = {
    "a second record": 'COMMANDS = (Command(Form("status", ("STATUS", "ESTADO"), NOTHING), show_map),)',
    "a Spanish word": 'if word == "ESTADO":\n    pass',
}


@pytest.mark.parametrize("role", ["play", "tournaments"])
def test_a_ruling_that_no_list_has_is_seen(role):
    file = f"pbem/{role}/rulings.py"
    ((source_name, word),) = made([Source(file, 'MORE = (Ruling("BANISH", "DESTERRAR", banish),)')])
    assert (source_name, word) not in {(file, name) for (_, name), file in homes().items()}


@pytest.mark.parametrize("plant", PLANTS.values(), ids=PLANTS)
def test_a_command_in_a_second_file_is_seen(plant):
    second = "pbem/play/commands/questions/views.py"
    changed = Source(second, f"{package()[second].text}\n{plant}\n")
    sources = [changed if source.name == second else source for source in below(*SERVED)]
    assert second in places("STATUS", sources) + places("ESTADO", sources)


LADDERS = {
    "a ladder": 'if command.name == "list":\n    pass',
    "several at once": 'known = command.name in ("status", "help")',
    "a table": '_HANDLERS = {"status": status, "help": questions.help_}',
    "a line made": 'Line("respond", 1, "1a")',
    "a look-up": 'BY_NAME["cancel"].do(answer, line)',
}


@pytest.mark.parametrize("plant", LADDERS.values(), ids=LADDERS)
def test_what_tells_commands_apart_is_seen(plant):
    name = "pbem/server/anonymous.py"
    assert len(knowing([Source(name, plant)])) == 1
