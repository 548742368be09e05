"""A command of a player's letter is one record beside its functions: a new one touches one Python file.

What else it touches are catalogues: that of the commands, if the file is a new one, and those of the languages.
"""

import ast
import importlib
import inspect
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

from pbem.play.commands.command_records import Command
from pbem.server.catalogue import BY_NAME, COMMANDS
from tests.house.sources import ROOT, SERVED, Source, below, package

ANOTHER_LANGUAGE = ("pbem/play/rulings/", "pbem/tournaments/", "pbem/letters/text.py")
"""What moderators, directors and entrants write is read by rules of its own, though some of its words are the same."""

HEADINGS = {
    "pbem/play/commands/questions/help.py": {"STANDING", "DOCTRINA", "DICE", "DADOS"},
    "pbem/letters/commands.py": {"ACCEPT"},
}
"""Words of topics of HELP, and within what follows commands, that are also those of commands."""

UNOFFERED = {"confirm-orders": "the answer to a letter in prose shows the whole line, with its code"}
"""Commands that HELP does not list, each with its reason."""


def read_for_players() -> list[Source]:
    """List the files in which letters of players are read and carried out."""
    return [
        source for source in below(*SERVED) if source.name in records() or not source.name.startswith(ANOTHER_LANGUAGE)
    ]


def phrases(command: Command) -> tuple[str, ...]:
    """How it begins in all languages; what is of several lines is known by its example."""
    return command.form.phrases or (command.form.example,)


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


def places(command: Command, sources: Iterable[Source]) -> list[str]:
    """The files in which one of its phrases stands by itself."""
    wanted = set(phrases(command))
    return [source.name for source in sources if wanted & alone(source)]


def knowing(sources: Iterable[Source]) -> list[str]:
    """The places that ask which command they have before them, but in the file of the command."""
    found = []
    for source in sources:
        for node in (node for kind in ASKING for node in source.nodes(kind)):
            foreign = [one for one in asked(node) if one in BY_NAME and home(BY_NAME[one]) != source.name]
            if foreign:
                found.append(f"{source.name}: {', '.join(foreign)}")
    return found


ASKING = (ast.Compare, ast.Call, ast.Subscript, ast.Dict)


def asked(node: ast.AST) -> list[str]:
    """The names that something is told apart by: compared, made a line of, or keys of a table of functions."""
    if isinstance(node, ast.Compare) and isinstance(node.left, ast.Attribute) and node.left.attr == "name":
        return [one for side in node.comparators for one in strings(side)]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("Line", "Form"):
        return [one for argument in node.args[:1] for one in strings(argument)]
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "BY_NAME":
        return strings(node.slice)
    if isinstance(node, ast.Dict):
        pairs = [(k, v) for k, v in zip(node.keys, node.values, strict=True) if isinstance(v, ast.Name | ast.Attribute)]
        names = [one for key, _ in pairs if key is not None for one in strings(key)]
        # Some keys may be words of something else.
        return names if all(one in BY_NAME for one in names) else []
    return []


def strings(node: ast.AST) -> list[str]:
    return [n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)]


def home(command: Command) -> str:
    """The file in which the record stands."""
    return next(name for name, found in records().items() if command in found)


@cache
def records() -> Mapping[str, tuple[Command, ...]]:
    """What stands in the tuples at the ends of files, by the file; the catalogue's own is the one it adds."""
    found = {}
    for source in below("play/commands", "tournaments/commands", "server"):
        calls = source.nodes(ast.Call)
        if any(call.func.id == "Command" for call in calls if isinstance(call.func, ast.Name)):
            module = importlib.import_module(source.module)
            own = getattr(module, "VISITS", None) or module.COMMANDS
            found[source.name] = own if not source.name.endswith("/catalogue.py") else (module.HELP,)
    return found


def source_of(command: Command) -> str:
    """The file in which its function stands."""
    return Path(inspect.getsourcefile(command.visit or command.do) or "").relative_to(ROOT).as_posix()


def test_a_command_stands_in_one_file_with_its_functions(subtests):
    sources = read_for_players()
    for command in COMMANDS:
        with subtests.test(command=command.form.name):
            assert places(command, sources) == [home(command)]
            assert source_of(command) == home(command)


def test_nothing_else_knows_a_command_by_its_name():
    assert knowing(read_for_players()) == []


def test_all_that_is_written_is_in_the_catalogue_once():
    listed = [command for group in records().values() for command in group]
    assert sorted(one.form.name for one in listed) == sorted(one.form.name for one in COMMANDS) == sorted(BY_NAME)


def test_a_command_is_offered_in_both_languages_or_said_not_to_be(subtests):
    for command in COMMANDS:
        form = command.form
        with subtests.test(command=form.name):
            if form.name in UNOFFERED:
                assert (form.example, form.spanish) == ("", "")
            else:
                assert form.example
                assert form.spanish
                assert form.example.split()[0] != form.spanish.split()[0]


# What is planted is seen


PLANTS = {
    "a second record": 'COMMANDS = (Command(Form("status", ("STATUS", "ESTADO"), NOTHING), show_map),)',
    "a Spanish word": 'if word == "ESTADO":\n    pass',
}


@pytest.mark.parametrize("plant", PLANTS.values(), ids=PLANTS)
def test_a_command_in_a_second_file_is_seen(plant):
    second = "pbem/play/commands/questions/views.py"
    changed = Source(second, f"{package()[second].text}\n{plant}\n")
    sources = [changed if source.name == second else source for source in read_for_players()]
    assert places(BY_NAME["status"], sources) == sorted([home(BY_NAME["status"]), second])


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
