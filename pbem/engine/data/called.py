"""What things are called in each language: seats, phases, units and places, where that is not what orders call them.

A game keeps it in ``locale/names.toml``, beside its sentences and outside its editions: no die hangs on it. Orders,
log and events have the plain ids; whoever reads a letter reads ``Córdoba`` and ``Spain``::

    [en.names]
    spain = "Spain"
    [en.phases]
    spain = "Spanish phase"
    [es.names]
    Cordoba = "Córdoba"

A game that is played with the counters of others says so: ``beside = ["dusk"]`` before its tables; what those
call otherwise it calls so too, unless it says something else.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from pbem.engine.data import languages


class Called(NamedTuple):
    """What is called otherwise in a language, by id: `names` of seats, units and places; `phases`; `codes` of charts.

    `also` is what players may write for a name.
    """

    names: Mapping[str, str]
    phases: Mapping[str, str]
    codes: Mapping[str, str] = MappingProxyType({})
    also: Mapping[str, Sequence[str]] = MappingProxyType({})

    def written(self, line: str) -> str:
        """Return a line with the names in it as the language writes them; what is part of a longer word stays."""
        if not self.names:
            return line
        return _WORD.sub(lambda word: self.names.get(word[0], word[0]), line)

    def read_alike(self, fold: Callable[[str], str]) -> Called:
        """Return these with the names alone that are read as their ids, letters with accents and without being one."""
        return Called({ident: name for ident, name in self.names.items() if fold(ident) == fold(name)}, {})


_WORD = re.compile(r"[\w/]*\w")
NOTHING = Called({}, {})


def read_called(path: Path) -> Mapping[str, Called]:
    """Return what a file says, by language; nothing if there is no such file.

    Languages laid beside those of the house have files of their own, ``GAME.names.toml``, without the language's code
    before its tables. What is returned says what those say that are laid now, whenever it is asked.
    """
    found = _READ.get(path)
    if found is None:
        found = _READ[path] = _read(path)
    return found


_READ: dict[Path, dict[str, Called]] = {}


def _anew() -> None:
    for path, kept in _READ.items():
        kept.clear()
        kept.update(_read(path))


def _read(path: Path) -> dict[str, Called]:
    found = tomllib.loads(path.read_text("utf-8")) if path.is_file() else {}
    for language in languages.known():
        laid = languages.lines_of(language, f"{path.parents[1].name}.names.toml")
        for part, names in tomllib.loads(laid).items() if laid else ():
            found.setdefault(language, {}).setdefault(part, {}).update(names)
    others = [read_called(_beside(path, game)) for game in found.pop("beside", ())]
    own = {language: Called(**{"names": {}, "phases": {}} | part) for language, part in found.items()}
    for language, mine in own.items():
        for one in (other[language] for other in others if language in other):
            mine = Called(
                {**one.names, **mine.names},
                {**one.phases, **mine.phases},
                {**one.codes, **mine.codes},
                {**one.also, **mine.also},
            )
        own[language] = mine
    return own


languages.follow(_anew)


def beside(path: Path) -> tuple[str, ...]:
    """Return the games whose words hold for that of a file too."""
    return tuple(tomllib.loads(path.read_text("utf-8")).get("beside", ())) if path.is_file() else ()


def _beside(path: Path, game: str) -> Path:
    """The file of a game whose folder lies beside that of the file's game."""
    return path.parents[2] / game / path.parent.name / path.name
