"""C0 Charts laid over the shipped ones: every number may change, what cannot be played by is refused."""

import pytest

from pbem.engine.data.sources import SourceError
from pbem.games.africa1860 import GAME
from pbem.games.africa1860.edition import CHARTS, SHELF

FIRE = SHELF.charts({})["fire"].text


def edition(**overlay: str):
    return GAME.edition("castillejos", {}, overlay)


@pytest.mark.parametrize("name", CHARTS)
def test_every_shipped_chart_can_be_laid_over_itself(name):
    text = SHELF.charts({})[name].text
    assert edition(**{name: text}).digest == edition().digest


def test_a_changed_number_makes_another_edition():
    changed = edition(fire=FIRE.replace("C6.3  -1", "C6.3  -2"))
    assert changed.chart("fire").modifier("C6.3").value == -2
    assert changed.digest != edition().digest


@pytest.mark.parametrize(
    ("old", "new", "line", "why"),
    [
        ("C6  Fire", "C7  Fire", 1, "this is chart C7, and fire is C6"),
        ("C6.5  -1", "C6.9  -1", 19, "modifier C6.9 is unknown to the rules"),
        ("  C6.2  -1  target in a fortified space\n", "", 0, "modifier C6.2 (target in a fortified space) is missing"),
        ("2M", "7Z", 6, "row effect, column 5+: 7Z cannot be read; it is none, M, or steps with"),
        ("5+", "5", 0, "there is no column for 6"),
        ("effect |  none", "effect |      ", 6, "row effect has 5 cells, there are 6 columns"),
        ("  M     morale check\n", "", 6, "code M has no line of legend"),
    ],
)
def test_what_cannot_be_played_by_is_refused_with_its_line(old, new, line, why):
    with pytest.raises(SourceError) as refused:
        edition(fire=FIRE.replace(old, new))
    assert (refused.value.file, refused.value.line) == ("fire.txt", line)
    assert refused.value.reason.startswith(why)


def test_a_column_that_nobody_reads_is_refused():
    limits = SHELF.charts({})["stacking"].text.replace("ART\n", "ART  CNV\n").replace("4\n\n", "4    4\n\n")
    with pytest.raises(SourceError, match="column CNV means nothing here"):
        edition(stacking=limits)


def test_there_is_no_such_chart():
    with pytest.raises(ValueError, match="unknown chart 'weather'; there are moves, morale"):
        edition(weather="W1  Weather\n")
