"""Read a game's source files: errors in them, rules and briefs by language."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from importlib.resources.abc import Traversable
from string import ascii_lowercase

from pbem.engine.data import languages


class SourceError(ValueError):
    """Raised for a game file that cannot be used: file, line, reason.

    Lines count from 1; 0 is the file as a whole.
    """

    def __init__(self, file: str, line: int, reason: str) -> None:
        where = f"{file}:{line}" if line else file
        super().__init__(f"{where}: {reason}")
        self.file = file
        self.line = line
        self.reason = reason
        self.others: tuple[SourceError, ...] = ()

    def with_others(self, others: Iterable[SourceError]) -> SourceError:
        """Return this error together with others of the same file."""
        self.others = tuple(others)
        return self


def line_number_of(text: str, part: str) -> int:
    """Return the number of a source's first line with `part`, or 0."""
    return next((number for number, line in enumerate(text.split("\n"), start=1) if part in line), 0)


def read_rules(folder: Traversable, language: str) -> str:
    """Return a game's ``rules.txt`` in a language, else in English.

    The file of a language is ``rules.es.txt``. The rules in a language's folder, ``GAME.rules.txt``, come first.
    """
    file = folder.joinpath(f"rules.{language}.txt")
    text = (file if file.is_file() else folder.joinpath("rules.txt")).read_text(encoding="utf-8")
    own_text = languages.language_file_text(language, f"{folder.name}.rules.txt")
    if own_text is None:
        return text
    own_lines = {line.split()[0]: line for line in own_text.splitlines() if line.strip()}
    return "\n".join(own_lines.get(line.split()[0], line) if line.strip() else line for line in text.splitlines())


def read_brief(folder: Traversable, scenario: str, language: str) -> Mapping[str, str]:
    """Return a scenario's brief in a language.

    It has a ``line``, the ``battle``, and each side's part. The parts are by the side's name; empty if there is
    no brief. The text of a language's folder, a table ``[SCENARIO]`` of ``GAME.briefs.toml``, comes first.
    """
    file = folder.joinpath("briefs", f"{scenario}.toml")
    if not file.is_file():
        return {}
    briefs = tomllib.loads(file.read_text(encoding="utf-8"))
    own_text = languages.language_file_text(language, f"{folder.name}.briefs.toml")
    own_brief = tomllib.loads(own_text).get(scenario, {}) if own_text else {}
    return {**briefs.get(language, briefs["en"]), **own_brief}


def contents_of(text: str) -> tuple[str, ...]:
    """Return the lines of a ``rules.txt`` for rules that are part of no other rule."""
    lines = tuple(filter(str.strip, text.splitlines()))
    numbers = {line.split()[0] for line in lines}
    return tuple(line for line in lines if not _is_part(line.split()[0], numbers))


def _is_part(number: str, numbers: set[str]) -> bool:
    """Return whether a number is below another: O7.1.1 below O7, R22a below R22."""
    parts = number.rstrip(ascii_lowercase).split(".")
    above = {".".join(parts[:n]) for n in range(1, len(parts) + 1)} - {number}
    return bool(above & numbers)


def rule_lines(text: str, number: str) -> tuple[str, ...]:
    """Return the lines of a ``rules.txt`` for a rule and the rules below it.

    It may be empty. A line begins with its number; below ``R22`` are ``R22.1`` and ``R22a``. A number without its
    letter, ``8.4``, matches those of every letter.
    """
    wanted = number.casefold().strip(".")
    matches = []
    for line in filter(str.strip, text.splitlines()):
        name = line.split()[0].casefold()
        bare = name.lstrip(ascii_lowercase) if wanted[:1].isdigit() else name
        rest = bare.removeprefix(wanted)
        if wanted and (bare == wanted or (rest != bare and (rest[0] == "." or rest.isalpha()))):
            matches.append(line)
    return tuple(matches)
