"""The rule numbers are one spine: the list of rules, the code, the charts, events and cases carry the same ones."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from importlib.resources.abc import Traversable

from pbem.engine.shelf import Shelf
from pbem.engine.testing.mutants import Case

_LINE = re.compile(r"(?P<number>[A-Z]\d+(?:\.\d+)*[a-z]?)  (?P<words>\S.*)")
_NAMED = re.compile(r"\b(?P<number>[A-Z]\d+(?:\.\d+)*[a-z]?)(?:-(?P<last>\d+)\b)?")
_NUMBER = re.compile(r"[A-Z]\d+(?:\.\d+)*[a-z]?")


def listed(shelf: Shelf, language: str = "en") -> dict[str, str]:
    """Return the rules of rules.txt in a language: their words by number; ValueError for a line that is none."""
    found: dict[str, str] = {}
    file = "rules.txt" if language == "en" else f"rules.{language}.txt"
    for at, line in enumerate(shelf.text(file).splitlines(), 1):
        read = _LINE.fullmatch(line)
        if read is None or read["number"] in found:
            raise ValueError(f"{file}:{at}: a line reads NUMBER, two blanks, words, each number once: {line!r}")
        found[read["number"]] = read["words"]
    return found


def numbers_of(shelf: Shelf) -> frozenset[str]:
    """Return the numbers that stand in rules.txt."""
    return frozenset(listed(shelf))


def of_charts(shelf: Shelf) -> frozenset[str]:
    """Return the numbers of the modifiers in the charts."""
    return frozenset(item.rule for chart in shelf.charts({}).values() for item in chart.modifiers)


def named_by(text: str) -> frozenset[str]:
    """Return the numbers that a text names; ``O8.8.2-3`` names two."""
    found = set()
    for match in _NAMED.finditer(text):
        stem, _, first = match["number"].rpartition(".")
        if match["last"] and first.isdigit():
            found |= {f"{stem}.{n}" for n in range(int(first), int(match["last"]) + 1)}
        else:
            found.add(match["number"])
    return frozenset(found)


def uncovered(shelf: Shelf, cases: Iterable[Case]) -> tuple[str, ...]:
    """Return the rules and modifiers that the title of no case names, nor a look-up."""
    covered = {number for title, _, _ in cases for number in named_by(title)}
    return tuple(sorted((numbers_of(shelf) | of_charts(shelf)) - covered))


def cited_in_code(folder: Traversable) -> frozenset[str]:
    """Return the numbers that stand as whole string literals in the code, which comments and docstrings do not."""
    return frozenset(
        node.value
        for text in _sources(folder)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _NUMBER.fullmatch(node.value)
    )


def _sources(folder: Traversable) -> Iterator[str]:
    for file in folder.iterdir():
        if file.is_dir():
            yield from _sources(file)
        elif file.name.endswith(".py"):
            yield file.read_text(encoding="utf-8")


def unlisted(shelf: Shelf, cases: Iterable[Case]) -> tuple[str, ...]:
    """Return what code, charts and titles of cases speak of by number and rules.txt does not have."""
    letters = {number[0] for number in numbers_of(shelf)}
    heads = {chart.rule for chart in shelf.charts({}).values()}
    named = {number for title, _, _ in cases for number in named_by(title)} | cited_in_code(shelf.folder)
    known = numbers_of(shelf) | of_charts(shelf)
    return tuple(sorted({*heads, *(number for number in named if number[0] in letters)} - known))
