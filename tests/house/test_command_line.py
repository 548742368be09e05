"""Check that a command's words name its file, and that each group says what it holds."""

import ast
from collections.abc import Iterator
from functools import cache
from keyword import iskeyword
from typing import Any

import typer

from pbem.cli.main import app
from tests.house.sources import below
from tests.house.test_size import declares


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


def test_a_command_is_in_the_file_of_its_name(subtests):
    found = commands_by_words()
    assert len(found) > 25
    for words, command in found.items():
        with subtests.test(command=" ".join(words)):
            *group, file = command.callback.__module__.removeprefix("pbem.cli.").split(".")
            # A word of Python has an underscore at its end.
            assert file == words[-1].replace("-", "_") + "_" * iskeyword(words[-1])
            assert len(group) == 1
            if len(words) > 1:
                assert group == [words[0]]


def test_a_file_has_one_command_at_most():
    # Each plan of a demo is a script that runs alone.
    declared = {
        source.name: [each.name for each in source.functions if declares(each)]
        for source in below("cli", without=("cli/demo/games",))
    }
    assert {name: found for name, found in declared.items() if len(found) > 1} == {}
    assert sum(map(len, declared.values())) > 25


def test_a_group_says_in_a_few_lines_what_is_in_it():
    groups = [source for source in below("cli") if source.is_package and source.name.count("/") == 3]
    assert len(groups) > 8
    for source in groups:
        assert source.text.count("\n") <= 10, source.name
        (said,) = source.tree.body
        assert isinstance(said, ast.Expr), source.name
        assert "import" in source.text.lower(), source.name
