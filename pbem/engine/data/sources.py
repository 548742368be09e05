"""The files a game is made of, rules, charts, maps, scenarios: errors in them, and what is looked up in every game."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from importlib.resources.abc import Traversable
from string import ascii_lowercase

from pbem.engine.data import languages


class SourceError(ValueError):
    """A game file that cannot be used: which file, which line (from 1; 0 = the file as a whole), and why."""

    def __init__(self, file: str, line: int, reason: str) -> None:
        where = f"{file}:{line}" if line else file
        super().__init__(f"{where}: {reason}")
        self.file = file
        self.line = line
        self.reason = reason
        self.others: tuple[SourceError, ...] = ()

    def with_others(self, others: Iterable[SourceError]) -> SourceError:
        """Return this error with those that were found beside it."""
        self.others = tuple(others)
        return self


def line_of(text: str, part: str) -> int:
    """Return the number of the first line of a source that holds `part`, 0 if none does."""
    return next((number for number, line in enumerate(text.split("\n"), start=1) if part in line), 0)


def rules_in(folder: Traversable, language: str) -> str:
    """Return a game's ``rules.txt`` in a language, ``rules.es.txt``; the English one where there is none.

    The rules that a language's folder has, in ``GAME.rules.txt``, come first.
    """
    file = folder.joinpath(f"rules.{language}.txt")
    text = (file if file.is_file() else folder.joinpath("rules.txt")).read_text(encoding="utf-8")
    laid = languages.lines_of(language, f"{folder.name}.rules.txt")
    if laid is None:
        return text
    own = {line.split()[0]: line for line in laid.splitlines() if line.strip()}
    return "\n".join(own.get(line.split()[0], line) if line.strip() else line for line in text.splitlines())


def brief_in(folder: Traversable, scenario: str, language: str) -> Mapping[str, str]:
    """Return what is told of a scenario before it begins, in a language: a ``line``, the ``battle``, and what each side
    is told by its name; empty if nothing is. What a language's folder says, a table ``[SCENARIO]`` of
    ``GAME.briefs.toml``, comes first."""
    file = folder.joinpath("briefs", f"{scenario}.toml")
    if not file.is_file():
        return {}
    found = tomllib.loads(file.read_text(encoding="utf-8"))
    laid = languages.lines_of(language, f"{folder.name}.briefs.toml")
    own = tomllib.loads(laid).get(scenario, {}) if laid else {}
    return {**found.get(language, found["en"]), **own}


def contents_of(text: str) -> tuple[str, ...]:
    """Return the lines of a ``rules.txt`` that stand below no other: those of numbers without parts."""
    lines = tuple(filter(str.strip, text.splitlines()))
    numbers = {line.split()[0] for line in lines}
    return tuple(line for line in lines if not _is_part(line.split()[0], numbers))


def _is_part(number: str, numbers: set[str]) -> bool:
    """Whether a number stands below another: O7.1.1 below O7, R22a below R22."""
    parts = number.rstrip(ascii_lowercase).split(".")
    above = {".".join(parts[:n]) for n in range(1, len(parts) + 1)} - {number}
    return bool(above & numbers)


def rules_of(text: str, number: str) -> tuple[str, ...]:
    """Return the lines of a ``rules.txt`` for a rule number and those below it, empty if there is none.

    A line begins with its number; below ``R22`` are ``R22.1`` and ``R22a``. One without its letter, ``8.4``, stands for
    those of every letter.
    """
    wanted = number.casefold().strip(".")
    found = []
    for line in filter(str.strip, text.splitlines()):
        name = line.split()[0].casefold()
        bare = name.lstrip(ascii_lowercase) if wanted[:1].isdigit() else name
        rest = bare.removeprefix(wanted)
        if wanted and (bare == wanted or (rest != bare and (rest[0] == "." or rest.isalpha()))):
            found.append(line)
    return tuple(found)
