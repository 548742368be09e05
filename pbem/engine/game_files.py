"""Read the files of a game: those of its package, and those of the server.

They are charts, maps, scenarios, briefs and rules.

::

    charts/NAME.txt   maps/NAME...   scenarios/NAME.toml   briefs/NAME.toml   wars/NAME.toml   rules.txt   rules.es.txt
    errata.txt   errata.es.txt   book/O.txt   book/O.es.txt   book/examples.jsonl   book/examples.es.jsonl

The full text of the rules has a file for each letter, and so has that of each language.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from importlib import resources
from importlib.resources.abc import Traversable

from pbem.engine.book import Line, NumberSources, read_book, read_errata, read_examples
from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Msg
from pbem.engine.data.sources import SourceError, contents_of, read_brief, read_rules, rule_lines
from pbem.engine.map.charts import Chart, ChartNeeds, Facts, check_cells, check_overlay, read_chart
from pbem.engine.orders.lex import fold

# The line number in a message of the TOML parser.
# The parser tells it nowhere else (before Python 3.14).
_AT = re.compile(r"at line (?P<line>\d+)")


def _toml(file: Traversable, name: str) -> tuple[Mapping[str, Json], str]:
    """Return a TOML file as data and as text.

    Raise KeyError if there is none, SourceError if it is broken.
    """
    text = _text(file, name)
    return _data(text, name), text


def _text(file: Traversable, name: str) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        # An unknown name, as any look-up tells it.
        raise KeyError(name) from None
    except UnicodeDecodeError:
        raise SourceError(file.name, 0, "it is not text in UTF-8") from None


@lru_cache(maxsize=256)
def _title(text: str, name: str) -> str:
    """Return the title in a scenario's text; cached, since lists ask for all of them."""
    return str(_data(text, name)["title"])


def _data(text: str, name: str) -> Mapping[str, Json]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        match = _AT.search(str(error))
        raise SourceError(f"{name}.toml", int(match["line"]) if match else 0, str(error)) from None


def _lines(folder: Traversable, language: str) -> tuple[str, ...]:
    return tuple(filter(str.strip, read_rules(folder, language).splitlines()))


def _speaks(line: str, wanted: Sequence[str]) -> bool:
    """Return whether each word, in lower case, begins a word of a line of the rules."""
    words = _WORD.findall(fold(line))[1:]
    return bool(wanted) and all(any(word.startswith(prefix) for word in words) for prefix in wanted)


# With dots, which numbers of rules have.
_WORD = re.compile(r"[\w.]+")
_SHORT = 4
"""Letters of a word that may end in `s` without being a plural, such as `bus` or `mes`: only longer ones are taken for
plurals."""


def _ids(folder: Traversable, kind: str = "scenarios") -> frozenset[str]:
    """Return the scenarios or wars in a folder, by the names of their files."""
    directory = folder.joinpath(kind)
    names = [file.name for file in directory.iterdir()] if directory.is_dir() else []
    return frozenset(name.removesuffix(".toml") for name in names if name.endswith(".toml"))


class GameFiles:
    """The files of a game.

    `charts` are their file names, `wanted` the rows, columns and codes that the rules need in an overlay, `facts`
    what modifiers that an overlay adds to a chart may depend on. `extra` maps names of charts that are not shipped,
    and that an overlay may add, to their rules.
    """

    def __init__(
        self,
        package: str,
        charts: tuple[str, ...],
        wanted: Mapping[str, ChartNeeds],
        facts: Mapping[str, Facts] | None = None,
        extra: Mapping[str, str] | None = None,
    ) -> None:
        self.names = charts
        self._package = package
        self._wanted, self.facts, self._extra = wanted, facts or {}, extra or {}
        self._beside: Traversable | None = None

    def add_folder(self, folder: Traversable | None) -> None:
        """Add the scenarios and briefs of a folder to the shipped ones."""
        self._beside = folder

    @cached_property
    def folder(self) -> Traversable:
        """Return the folder of the files."""
        return resources.files(self._package)

    def text(self, *path: str) -> str:
        """Return the text of a file; raise FileNotFoundError if there is none."""
        return self.folder.joinpath(*path).read_text(encoding="utf-8")

    def charts(self, overlay: Mapping[str, str]) -> Mapping[str, Chart]:
        """Read the charts by file name, with those of `overlay` laid over them.

        Raise ValueError for an unknown name, SourceError for a chart that the rules cannot use.
        """
        known = (*self.names, *self._extra)
        for name in overlay:
            if name not in known:
                raise ValueError(f"unknown chart {name!r}; there are {', '.join(known)}")
        charts = {name: read_chart(self.text("charts", f"{name}.txt"), f"{name}.txt") for name in self.names}
        for name, text in overlay.items():
            overlay_chart = read_chart(text, f"{name}.txt")
            if name in self._extra:
                self._check_extra(name, overlay_chart)
            else:
                check_overlay(name, overlay_chart, charts[name], self._wanted.get(name), self.facts.get(name))
            charts[name] = overlay_chart
        return charts

    def _check_extra(self, name: str, chart: Chart) -> None:
        if chart.rule != self._extra[name] or chart.modifiers:
            raise SourceError(chart.file, 1, f"{name} is chart {self._extra[name]}, without modifiers")
        check_cells(chart, self._wanted[name])

    def map(self, *files: str) -> list[str]:
        """Return the texts of a map's files; raise KeyError if one is missing."""
        return [_text(self._map_file(file), file.partition(".")[0]) for file in files]

    def _map_file(self, name: str) -> Traversable:
        """Return a file of a map.

        Shipped files come first, so that no folder changes a shipped battle.
        """
        shipped = self.folder.joinpath("maps", name)
        return shipped if self._beside is None or shipped.is_file() else self._beside.joinpath("maps", name)

    def scenarios(self) -> tuple[str, ...]:
        """Return the ids of the scenarios, in id order."""
        return tuple(sorted({*_ids(self.folder), *(_ids(self._beside) if self._beside else ())}))

    def editions(self) -> Mapping[str, Msg]:
        """Return the scenarios and their titles."""
        titles = {}
        for name in self.scenarios():
            try:
                titles[name] = Msg(self.title(name))
            except (SourceError, KeyError):
                # A shipped one is whole; an added one reports its error when it is played.
                if self.own(name) is None:
                    raise
        return titles

    def own(self, scenario: str) -> Traversable | None:
        """Return the server's folder if a scenario is only in it; else None."""
        return self._beside if scenario not in _ids(self.folder) else None

    def scenario(self, name: str) -> tuple[Mapping[str, Json], str]:
        """Return a scenario as TOML data and text; raise KeyError or SourceError."""
        return _toml(self._scenario(name), name)

    def title(self, name: str) -> str:
        """Return a scenario's title; raise KeyError or, if it is broken, SourceError."""
        return _title(_text(self._scenario(name), name), name)

    def _scenario(self, name: str) -> Traversable:
        return (self.own(name) or self.folder).joinpath("scenarios", f"{name}.toml")

    def wars(self) -> tuple[str, ...]:
        """Return the ids of the wars, in id order."""
        return tuple(sorted(_ids(self.folder, "wars")))

    def war(self, name: str) -> tuple[Mapping[str, Json], str]:
        """Return a war's file as TOML data and text; raise KeyError or SourceError."""
        return _toml(self.folder.joinpath("wars", f"{name}.toml"), name)

    def lessons(self) -> Mapping[str, Json]:
        """Return the lessons of the game as TOML data; empty if it has none."""
        file = self.folder.joinpath("lessons.toml")
        return _toml(file, "lessons")[0] if file.is_file() else {}

    def brief(self, scenario: str, language: str = "en") -> Mapping[str, str]:
        """Return the brief of a scenario, which is no part of an edition."""
        return read_brief(self.own(scenario) or self.folder, scenario, language)

    def rule(self, number: str, language: str = "en") -> tuple[str, ...]:
        """Return the lines of rules.txt for a number, and those below it.

        The number may lack its letter.
        """
        return rule_lines(read_rules(self.folder, language), number)

    def full_text(
        self, number: str, language: str = "en", charts: Mapping[str, Chart] | None = None
    ) -> tuple[Line, ...]:
        """Return the paragraphs of a rule with numbers filled in.

        Numbers are from an edition's charts, or from the shipped ones. The text is English where the language has
        none; empty if there is no such rule.
        """
        lines = self.texts(language).get(number, ())
        sources = NumberSources(self.charts({}) if charts is None else charts, self._package)
        return tuple((depth, sources.fill(text)) for depth, text in lines)

    def example(self, number: str, language: str = "en") -> tuple[Line, ...]:
        """Return the worked example of a rule, made from a case; empty if none."""
        for ending in (f"{language}.", ""):
            file = self.folder.joinpath("book", f"examples.{ending}jsonl")
            if file.is_file():
                return read_examples(file.read_text(encoding="utf-8")).get(number, ())
        return ()

    def errata(self, number: str = "", language: str = "en") -> tuple[Line, ...]:
        """Return the dated rulings on a rule, or all of them.

        All come with the text between them; empty without a file.
        """
        files = map(self.folder.joinpath, (f"errata.{language}.txt", "errata.txt"))
        file = next((file for file in files if file.is_file()), None)
        rulings = read_errata(file.read_text(encoding="utf-8")) if file else ()
        if number:
            return tuple((0, f"{erratum.date}: {erratum.text}") for erratum in rulings if erratum.rule == number)
        return tuple(
            (1, f"{erratum.date} [{erratum.rule}]: {erratum.text}") if erratum.rule else (0, erratum.text)
            for erratum in rulings
        )

    def texts(self, language: str = "en") -> Mapping[str, tuple[Line, ...]]:
        """Return the full text of every rule as written.

        A file without a translation is in English.
        """
        paragraphs: dict[str, tuple[Line, ...]] = {}
        for letter in dict.fromkeys(line[0] for line in _lines(self.folder, "en")):
            names = (f"{letter}.{language}.txt", f"{letter}.txt")
            files = [file for file in map(self.folder.joinpath("book").joinpath, names) if file.is_file()]
            paragraphs |= read_book(files[0].read_text(encoding="utf-8"), files[0].name) if files else {}
        return paragraphs

    def index(self, language: str = "en") -> tuple[str, ...]:
        """Return the words that the index of the rules lists; empty without an index."""
        for ending in (f"{language}.", ""):
            file = self.folder.joinpath("book", f"index.{ending}txt")
            if file.is_file():
                return tuple(file.read_text(encoding="utf-8").split("\n")[:-1])
        return ()

    def about(self, words: str, language: str = "en") -> tuple[str, ...]:
        """Return the lines of rules.txt that mention all these words.

        The words may be of another language. A word matches those that it begins, ``assault`` for ``assaulted``,
        and a plural its singular.
        """
        return self._matching_lines(words, language, lambda other: _lines(self.folder, other))

    def mentions(self, words: str, language: str = "en") -> tuple[str, ...]:
        """Return the lines of those rules whose full text mentions all these words."""
        return self._matching_lines(words, language, self._rule_lines)

    def _rule_lines(self, language: str) -> tuple[str, ...]:
        """Return the full text of each rule on one line."""
        texts = self.texts(language).items()
        return tuple(f"{number} {' '.join(line for _, line in text)}" for number, text in texts)

    def _matching_lines(self, words: str, language: str, lines_in: Callable[[str], Sequence[str]]) -> tuple[str, ...]:
        wanted = [word.removesuffix("s") if len(word) > _SHORT else word for word in _WORD.findall(fold(words))]
        for other in dict.fromkeys((language, "en", "es")):
            numbers = {line.split()[0] for line in lines_in(other) if _speaks(line, wanted)}
            if numbers:
                return tuple(line for line in _lines(self.folder, language) if line.split()[0] in numbers)
        return ()

    def contents(self, language: str = "en") -> tuple[str, ...]:
        """Return the lines of the top-level rules in rules.txt, in a language."""
        return contents_of(read_rules(self.folder, language))
