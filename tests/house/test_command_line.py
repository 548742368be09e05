"""Check that a command stands in the file of its group, and that each package says what it holds."""

import ast
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

import typer

from pbem.cli.main import app
from tests.house.sources import below


def commands(group: Any, *words: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command below a group, by its words."""
    for name, found in group.commands.items():
        if hasattr(found, "commands"):
            yield from commands(found, *words, name)
        else:
            yield (*words, name), found


@cache
def commands_by_words() -> dict[tuple[str, ...], Any]:
    return dict(commands(typer.main.get_command(app)))


def test_a_command_stands_in_a_file_that_names_it(subtests):
    found = commands_by_words()
    assert len(found) > 25
    for words, command in found.items():
        with subtests.test(command=" ".join(words)):
            assert f"`pbem {words[0]}" in (sys.modules[command.callback.__module__].__doc__ or "")


def test_a_group_says_in_a_few_lines_what_is_in_it():
    groups = [source for source in below("cli") if source.is_package and source.name.count("/") == 3]
    assert groups
    for source in groups:
        assert source.text.count("\n") <= 10, source.name
        (said,) = source.tree.body
        assert isinstance(said, ast.Expr), source.name
