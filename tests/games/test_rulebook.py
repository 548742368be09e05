"""The full rulebooks: every rule has its text in both languages, with numbers that are those of charts and code.

A number that the engine uses stands in the text as what is looked up, so that a changed chart or constant changes the
paragraph. Examples are rule cases told by the engine; they are run again here and compared.
"""

import ast
import inspect
import re
from functools import cache
from importlib import import_module
from numbers import Rational

import pytest

from pbem.cli.rulebooks import game_by_name
from pbem.engine.book import NumberSources, braced_gaps, read_book, read_errata, read_examples
from pbem.engine.data.sources import SourceError
from pbem.engine.map.charts import read_chart
from pbem.engine.testing.checks import rule_list
from pbem.engine.testing.mutants import swap
from tests.games.rule_examples import LANGUAGES, SHELVES, path_of, written
from tests.games.test_citations import cited

BOOKS = ["africa1860", "peninsular", "camp"]
SHARED = {"africa1860": ("engine.couriers",), "peninsular": (), "camp": ("engine.war.file", "engine.war.chain")}
"""Modules of the engine whose constants are rules of a game."""
LITERAL = {
    "africa1860": {
        "O9": "0/0 -2",
        "C4": "1",
        "C6": "0",
        "K6": "1",
    },
    "peninsular": {
        **dict.fromkeys(("S3", "S5", "S7", "S11", "T2.8", "K6", "R4", "R7"), "1"),
        **dict.fromkeys(("T2.1", "T9.1"), "0 1"),
        **dict.fromkeys(("T5", "T6"), "1 2"),
        "S13": "0",
    },
    "camp": {"K1.2": "0/0 -2", "K8": "1"},
}
"""Figures that no chart and no constant holds: words of the procedure, by rule."""
UNTOLD = {
    "africa1860": {
        "edition._DIE": "the faces of a die",
        "scenario.SPACE_LIMITS": "read from the chart of C5",
        "edition.MOST_HEADS": "how far a chart laid over the shipped one is looked at",
        "edition.WIDEST_DIFFERENCE": "likewise",
        "apply._MOST_TAKEN": "how many steps an event may tell at once",
        "shock.MOST_UNITS_SHOWN": "how many units a forecast names",
        "engine.couriers.AT_ONCE": "a word of the code for what the text says in words",
        "engine.couriers.NEXT": "likewise",
        "engine.couriers.LATER": "likewise",
        "engine.couriers._SUCCESSORS": "more than any leader has",
    },
    "peninsular": {
        "edition._DIE": "the totals that a chart has to answer",
        "paths._TURN 0": "who does not turn",
        "apply._MOST_FATIGUE": "what a moderator may set",
        "apply._BEST_MORALE": "likewise",
        "apply._MOST_DEAD": "likewise",
        "assault.MOST_AT_RISK_SHOWN": "how many counters a forecast names",
        "movement._ENDLESS": "more MP than any way costs",
        "paths._NO_END": "likewise",
        "paths._MOST_WAYS": "ways that are kept",
        "terrain._MOST_SORTS": "likewise",
        "choices._NEAR": "what a form offers",
        "choices._MOST_WAYS": "likewise",
        "choices.MOST_HEXES": "likewise",
        "choices._THREAT": "likewise",
        "form._PLACES": "likewise",
        "form._TARGETS": "likewise",
        "units._GRADES": "the order of the letters of wills",
        "morale.LONGEST_RETREAT": "more than any map is wide",
        "victory._SIDES": "the faces of a die",
    },
    "camp": {"engine.war.file.LEAST": "how far behind a war's file may let a side win"},
}
"""Constants of the code that are no rule, and why."""
SPELLED = {
    "africa1860": {"O3.3": "three things that cavalry does", "O7": "three ways to fire"},
    "peninsular": {"S3": "three sides of a turn"},
    "camp": {"K1": "three states of a unit"},
}
"""Rules with a number above two in words, and what it counts."""
WORDS = re.compile(
    r"\b(?:three|four|five|six|seven|eight|nine|ten|twelve|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|doce)\b", re.I
)
MARK = re.compile(r"^(?:\[Q\]|\(\*\))")
"""What an erratum begins with that is about a doubtful cell, or changes how a game comes out."""
RULE = re.compile(r"\b[A-Z]\d+(?:\.\d+)*[a-z]?\b")


def text_of(name: str, language: str) -> dict[str, str]:
    """The text of each rule as written."""
    texts = SHELVES[name].texts(language)
    return {number: "\n".join(line for _, line in lines) for number, lines in texts.items()}


def shown(name: str, number: str, charts) -> str:
    """The text of a rule with its numbers, by these charts."""
    shelf = SHELVES[name]
    return "\n".join(line for _, line in shelf.full_text(number, "en", charts))


@cache
def constants(name: str) -> dict[str, object]:
    """The numbers and shares that modules of a game keep under a name in capitals, by that name; of tables by entry."""
    numbers_by_rule: dict[str, object] = {}
    folder = SHELVES[name].folder
    modules = {path.name.removesuffix(".py") for path in folder.iterdir() if path.name.endswith(".py")}
    own = sorted(modules - {"__init__", "odds", "forecast", "advice", "stakes", "report", "tell", "picture"})
    for path in (*own, *SHARED[name]):
        module = import_module(full(name, path))
        tree = ast.parse(inspect.getsource(module))
        targets = [target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets]
        targets += [node.target for node in tree.body if isinstance(node, ast.AnnAssign)]
        names = [node for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)]
        for word in (name.id for name in names if name.id.isupper()):
            value = getattr(module, word)
            rows = dict(enumerate(value)) if isinstance(value, tuple) else {"": value}
            table = value if isinstance(value, dict) else rows
            if all(is_number(value) for value in table.values()):
                numbers_by_rule |= {f"{path}.{word} {key}".rstrip(): number for key, number in table.items()}
    return numbers_by_rule


def full(name: str, path: str) -> str:
    return f"pbem.{path}" if path.startswith("engine.") else f"pbem.games.{name}.{path}"


def is_number(value: object) -> bool:
    """Whether a value is a number, or a share such as 3/4."""
    if isinstance(value, str):
        return re.fullmatch(r"\d+/\d+", value) is not None
    return isinstance(value, Rational) and not isinstance(value, bool)


def another(value):
    """Another number than one, another share than one."""
    return f"1{value}" if isinstance(value, str) else value + 1


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", BOOKS)
def test_every_rule_has_its_text_and_no_other_has_one(name, language):
    assert [*text_of(name, language)] == [*rule_list(SHELVES[name], language)]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", BOOKS)
def test_every_number_that_is_cited_has_its_text(name, language):
    numbers = cited(name) if name != "camp" else rule_list(SHELVES[name])
    assert [number for number in numbers if not game_by_name(name).rulebook.full_text(number, language)] == []


@pytest.mark.parametrize("name", BOOKS)
def test_both_languages_look_up_the_same(name):
    english, spanish = (text_of(name, language) for language in LANGUAGES)
    assert [
        (number, braced_gaps(english[number]), braced_gaps(spanish[number]))
        for number in english
        if sorted(braced_gaps(english[number])) != sorted(braced_gaps(spanish[number]))
    ] == []
    assert [number for number in english if english[number] == spanish[number]] == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", BOOKS)
def test_the_rules_that_a_text_names_are_rules(name, language):
    known = {*rule_list(SHELVES[name])}
    wrong = {
        number: {*RULE.findall(re.sub(r"\{[^}]*\}", "", text))} - known
        for number, text in text_of(name, language).items()
    }
    assert {number: rules_found - {"D6"} for number, rules_found in wrong.items() if rules_found - {"D6"}} == {}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", BOOKS)
def test_no_figure_is_written_out_that_could_be_looked_up(name, language):
    wrong = {}
    for number, text in text_of(name, language).items():
        bare = RULE.sub("", re.sub(r"\{[^}]*\}", "", text))
        left = {*re.findall(r"[-+]?\d+(?:[/:]\d+)?", bare)} - {*LITERAL[name].get(number, "").split()}
        if left:
            wrong[number] = left
    assert wrong == {}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", BOOKS)
def test_no_number_hides_in_a_word(name, language):
    words_found = {number: words for number, text in text_of(name, language).items() if (words := WORDS.findall(text))}
    assert {number: words for number, words in words_found.items() if number not in SPELLED[name]} == {}
    assert {*SPELLED[name]} >= {*words_found}


@pytest.mark.parametrize("name", BOOKS)
def test_a_changed_modifier_changes_the_text_of_its_rule(name, subtests):
    charts = SHELVES[name].charts({})
    for file, chart in charts.items():
        for item in chart.modifiers:
            with subtests.test(item.rule):
                more = tuple(
                    modifier._replace(value=modifier.value + 1) if modifier is item else modifier
                    for modifier in chart.modifiers
                )
                changed = {**charts, file: chart._replace(modifiers=more)}
                assert shown(name, item.rule, changed) != shown(name, item.rule, charts)


@pytest.mark.parametrize("name", BOOKS)
def test_a_rule_that_heads_a_chart_shows_all_of_it(name):
    game = game_by_name(name)
    for chart in SHELVES[name].charts({}).values():
        text = game.rulebook.chart(chart.rule) or ""
        read = read_chart(text, chart.file)
        assert (read.cells, read.modifiers) == (chart.cells, chart.modifiers)
        assert game.rulebook.full_text(chart.rule)


@pytest.mark.parametrize("name", BOOKS)
def test_a_changed_constant_changes_a_text(name, subtests):
    texts = text_of(name, "en")
    for path, value in constants(name).items():
        with subtests.test(path):
            rules = [number for number, text in texts.items() if path in braced_gaps(text)]
            if {path, path.partition(" ")[0]} & {*UNTOLD[name]}:
                assert rules == []
                continue
            assert rules, f"no rule tells {path}"
            charts = SHELVES[name].charts({})
            before = [shown(name, number, charts) for number in rules]
            where, _, key = path.partition(" ")
            module, _, constant = where.rpartition(".")
            holder = import_module(full(name, module))
            kept = getattr(holder, constant)
            if isinstance(kept, tuple):
                index = int(key)
                changed = swap(holder, constant, (*kept[:index], another(value), *kept[index + 1 :]))
            else:
                changed = swap(kept, key, another(value)) if key else swap(holder, constant, another(value))
            with changed:
                after = [shown(name, number, charts) for number in rules]
            assert all(earlier != other for earlier, other in zip(before, after, strict=True))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", BOOKS)
def test_every_rule_has_an_example_that_the_engine_tells(name, language):
    assert path_of(name, language).read_text("utf-8") == written(name, language), "`make examples` writes them anew"
    assert [*read_examples(path_of(name, language).read_text("utf-8"))] == [*rule_list(SHELVES[name])]


@pytest.mark.parametrize("name", ["africa1860", "peninsular"])
def test_errata_are_dated_belong_to_a_rule_and_are_in_both_languages(name):
    texts = [SHELVES[name].text(file) for file in ("errata.txt", "errata.es.txt")]
    heads = [
        [(erratum.date, erratum.rule, MARK.findall(erratum.text)) for erratum in read_errata(text)] for text in texts
    ]
    assert heads[0] == heads[1]
    dated = [(date, rule) for date, rule, _ in heads[0] if date]
    assert len(dated) == len(re.findall(r"^\d", texts[0], re.MULTILINE)) > 30
    assert {rule for _, rule in dated} <= {*rule_list(SHELVES[name])}
    assert {erratum.text for erratum in read_errata(texts[0])}.isdisjoint(
        erratum.text for erratum in read_errata(texts[1])
    )
    assert all(len(line) <= 120 for text in texts for line in text.splitlines())


READINGS = {
    "africa1860": {"O3.3": "caballería", "O7.1.5": "vecinos"},
    "peninsular": {"T3": "notas 2 y 3", "T4": "interpoladas", "T5": "más de 12 puntos", "S3a": "guerrilla"},
}
"""Readings that had no ruling, decided on this day, and a word of each in Spanish; T3 is two of them."""


@pytest.mark.parametrize("name", READINGS)
def test_readings_that_had_no_ruling_have_one(name):
    rulebook = game_by_name(name).rulebook
    for rule, word in READINGS[name].items():
        dated = [line for _, line in rulebook.errata(rule, "es") if line.startswith("2026-11-28")]
        assert any(word in line for line in dated), rule
        assert len(dated) == len([line for _, line in rulebook.errata(rule) if line.startswith("2026-11-28")])


def test_what_cannot_be_looked_up_is_an_error():
    shelf = SHELVES["africa1860"]
    sources = NumberSources(shelf.charts({}), "pbem.games.africa1860")
    assert sources.fill("{C6.1} {size C6.1} {moves CAB spaces} {rows leader fate lost}") == "-1 1 2 6"
    assert sources.fill("{columns edges path no} {end_phase.TURNS_TO_NEW_LEADER}") == "ART, CNV 2"
    for gap in (
        *("C77.1", "moves CAB hexes", "end_phase.NOTHING", "nowhere.AT_ALL", "rows leader", "moves CAB"),
        *(
            "size",
            "size C6.1 C6.1",
            "end_phase.TURNS_TO_NEW_LEADER 9",
            "morale.DRIVEN_OFF x",
            "engine.orders.block.DONE 9",
        ),
    ):
        with pytest.raises(SourceError, match="there is nothing called"):
            sources.fill(f"{{{gap}}}")


def test_a_text_is_read_by_paragraphs_and_items():
    book_read = read_book("## A1\nOne\nline.\n\nTwo.\n\n- item\nof two\n-- below\n\n## A1.1\nLast.\n", "book.txt")
    assert book_read == {
        "A1": ((0, "One line."), (0, "Two."), (1, "item of two"), (2, "below")),
        "A1.1": ((0, "Last."),),
    }
    for wrong in ("words\n", "## A1\nx\n## A1\ny\n"):
        with pytest.raises(SourceError):
            read_book(wrong, "book.txt")
