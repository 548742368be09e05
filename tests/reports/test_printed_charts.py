"""Charts as letters show them: every word in the reader's language, every number as the edition has it."""

import re

import pytest

from pbem.engine.data.messages import Msg
from pbem.engine.map.charts import mark_cells, read_chart
from pbem.engine.map.printed import lines_of, result_lines, title_of
from pbem.letters.catalogue import load_catalogue
from tests.golden import find_game

GAMES = {name: find_game(name) for name in ("africa1860", "peninsular")}
CHARTS = [(name, chart.split(" ")[-1]) for name, game in GAMES.items() for chart in game.rulebook.charts()]


def text_of(game: str, chart: str) -> str:
    text = GAMES[game].rulebook.chart(chart)
    assert text is not None
    return text


def sentences(message: Msg):
    """Every sentence within one that is no frame of gaps alone."""
    if re.search(r"[a-z]{2}|MP", re.sub(r"\{[^}]*\}", "", message.text)):
        yield message.text
    for _, value in message.args:
        if isinstance(value, Msg):
            yield from sentences(value)


@pytest.mark.parametrize(("game", "chart"), CHARTS)
def test_every_word_of_a_chart_is_spanish(game, chart):
    words = load_catalogue("es", game)
    sentences_told = [sentence for line in lines_of(text_of(game, chart)) for sentence in sentences(line)]
    assert sentences_told
    assert [
        sentence
        for sentence in sentences_told
        if words.word(sentence) == sentence and not re.fullmatch(r"[A-Z]+|inf|no", sentence)
    ] == []
    shown = "\n".join(map(words.say, lines_of(text_of(game, chart))))
    assert not re.search(r"\b(none|safe|lost|yes|check|fire|with|column|row|the)\b|\[Q", shown)


@pytest.mark.parametrize(("game", "chart"), CHARTS)
def test_numbers_and_codes_stand_as_in_the_file(game, chart):
    text = text_of(game, chart)
    before, after = (
        re.findall(r"[A-Z]?[+<>-]?\d[\w.:+]*", re.sub(r" ?\[Q[^\]]*\]|; \[Q\].*", "", lines_told))
        for lines_told in (
            text.split("\n", 1)[1],
            "\n".join(map(load_catalogue("en", game).say, lines_of(text)[1:])),
        )
    )
    assert before == after


def test_the_lines_with_results_and_the_heads_of_their_columns_are_known():
    text = text_of("africa1860", "C6").replace(" M ", "[M]", 1)
    shown = list(map(load_catalogue("en", "africa1860").say, lines_of(text)))
    assert [shown[number].split("|")[0].strip() for number in result_lines(text)] == ["heads", "effect"]
    shock = text_of("africa1860", "C8.1").replace(" -2 ", "[-2]", 1)
    (result,) = result_lines(shock)
    assert "[-2]" in load_catalogue("en", "africa1860").say(lines_of(shock)[result])
    assert result_lines(text_of("africa1860", "C6")) == []


@pytest.mark.parametrize(("game", "chart"), CHARTS)
def test_every_cell_stands_below_its_head_marks_of_doubt_or_not(game, chart):
    shown = [load_catalogue("en", game).say(line) for line in lines_of(text_of(game, chart))]
    heads, *rows = [line.partition("|")[2] for line in shown if "|" in line] or [""]
    starts = [match.start() for match in re.finditer(r"\S+", heads)]
    ends = [*starts[1:], 200]
    for row in rows:
        cells = [match.start() for match in re.finditer(r"\S+", row)]
        assert all(start - 1 <= cell < end for start, cell, end in zip(starts, cells, ends, strict=True)), row


def test_a_cell_that_was_read_stays_marked():
    chart = read_chart(text_of("africa1860", "fire"), "fire")
    shown = list(map(load_catalogue("es", "africa1860").say, lines_of(mark_cells(chart, {("effect", "0")}, {"C6.1"}))))
    assert any(line.lstrip().startswith("efecto") and "[nada]" in line for line in shown)
    assert any("[-1]" in line and line.endswith("blanco en una población") for line in shown)


def test_a_chart_is_listed_by_what_it_is_called():
    assert load_catalogue("es", "peninsular").say(title_of(text_of("peninsular", "will"))) == "Voluntad"


def test_braces_of_an_overlay_open_no_gap():
    grid = "  die | {a}  b\n  ----+-----\n   1  | {x  yes\n"
    text = f"T9  A {{name}}   (of {{nobody}})\n\n{grid}\n  {{x   what {{it}} is\n  yes  that\n"
    shown = [load_catalogue("es", "peninsular").say(line) for line in lines_of(text)]
    assert shown[0] == "T9  A {name}  (of {nobody})"
    assert any("{a}" in line for line in shown)
    assert any("{x" in line and "sí" in line for line in shown)
