"""Check that a command stands in the file of its group, and that each package says what it holds."""

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import typer

from pbem.cli.main import COMMANDS, app
from tests.house.sources import below
from tests.house.test_size import declares

NAMED = re.compile(r"`pbem ([\w-]+)")


def commands(group: Any, *words: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command below a group, by its words."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, *words, name)
        else:
            yield (*words, name), command


@cache
def modules_by_words() -> dict[tuple[str, ...], str]:
    return {words: command.callback.__module__ for words, command in commands(typer.main.get_command(app))}


def misplaced(commands: Mapping[tuple[str, ...], str]) -> list[str]:
    """List the commands that are not in the file of their group, or without a group in that of another."""
    groups = {words[0] for words in commands if len(words) > 1}
    return [
        " ".join(words)
        for words, module in commands.items()
        if (module != f"pbem.cli.{words[0]}" if len(words) > 1 else module.rpartition(".")[2] in groups)
    ]


def wrongly_named(commands: Mapping[tuple[str, ...], str], headings: Mapping[str, str]) -> list[str]:
    """List the files of commands whose heading names others than their group, or their single commands."""
    held: dict[str, set[str]] = {}
    for words, module in commands.items():
        held.setdefault(module, set()).add(words[0])
    return [module for module, first in held.items() if set(NAMED.findall(headings[module])) != first]


def test_a_command_stands_in_the_file_of_its_group():
    modules = modules_by_words()
    assert len(modules) > 25
    assert misplaced(modules) == []


def test_the_heading_of_a_file_names_its_commands():
    headings = {source.module: "\n".join(source.docstring.split("\n\n")[:2]) for source in below("cli")}
    assert wrongly_named(modules_by_words(), headings) == []


def test_the_help_says_of_each_command_what_its_file_says():
    whole: Any = typer.main.get_command(app)
    for name, listed in COMMANDS.items():
        command = whole.commands[name]
        assert listed.line == " ".join(command.help.split("\n\n")[0].split()), name
        below_it = [command, *getattr(command, "commands", {}).values()]
        assert {command.callback.__module__ for command in below_it if command.callback} == {f"pbem.cli.{listed.file}"}


def test_every_command_that_is_declared_is_one_of_the_program():
    # Each plan of a demo is a script that runs alone.
    declared = Counter(source.module for source in below("cli") for each in source.functions if declares(each))
    assert declared == Counter(modules_by_words().values())


def test_what_is_misplaced_or_wrongly_named_is_seen():
    commands = {("game", "list"): "pbem.cli.game", ("game", "new"): "pbem.cli.make", ("map",): "pbem.cli.game"}
    assert misplaced(commands) == ["game new", "map"]
    headings = {"pbem.cli.game": "`pbem game` and `pbem map`: games.", "pbem.cli.make": "Make: `pbem site`."}
    assert wrongly_named(commands, headings) == ["pbem.cli.make"]


def test_a_group_says_in_a_few_lines_what_is_in_it():
    groups = [source for source in below("cli") if source.is_package and source.name.count("/") == 3]
    assert groups
    for source in groups:
        assert source.text.count("\n") <= 10, source.name
        (docstring,) = source.tree.body
        assert isinstance(docstring, ast.Expr), source.name
