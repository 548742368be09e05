"""Charts laid over the shipped ones: every number may change, what cannot be played by is refused."""

import pytest

from pbem.engine.data.sources import SourceError
from pbem.games.peninsular import GAME
from pbem.games.peninsular.edition import CHARTS, SHELF, Edition

CHANGES = {
    "terrain": ("village               | 2D ", "village               | 4D "),
    "will": ("   2  | SE  SE  D ", "   2  | SE  D   D "),
    "stacking": ("24    18      yes", "30    18      yes"),
    "division": ("T4.3  -1", "T4.3  -2"),
    "fire": ("3P [Q: or 3] ", "3            "),
    "shock": ("DR2 [Q]", "DR3    "),
    "allowance": ("4 [Q]", "5    "),
    "formation": ("1 [Q]", "2    "),
    "control": ("T9.1  +1", "T9.1  +2"),
    "range": ("heavy  | 5", "heavy  | 7"),
    "factor": ("x1/2  half\n", "x1/2  half as much\n"),
}
"""A number of each chart, and another one; where a code is new it gets its line of legend below."""
LEGENDS = {
    "terrain": "  4D     4 MP (D)\n",
    "stacking": "  30          30 strength points\n",
    "fire": "  3   3 PF lost\n",
    "shock": "  DR3  the defenders retreat 3 hexes and test\n",
    "range": "  7  7 hexes\n",
}
UNUSED = {"stacking": "", "range": "  5  5 hexes\n"}


def edition(**overlay: str) -> Edition:
    return GAME.edition("training", {}, overlay)


def changed(name: str) -> str:
    """A chart with one number changed."""
    text, (old, new) = SHELF.charts({})[name].text, CHANGES[name]
    assert text.count(old) >= 1
    text = text.replace(old, new, 1).replace(UNUSED.get(name) or "\0", "")
    return text + LEGENDS.get(name, "")


@pytest.mark.parametrize("name", CHARTS)
def test_every_shipped_chart_can_be_laid_over_itself(name):
    text = SHELF.charts({})[name].text
    assert edition(**{name: text}).digest == edition().digest


@pytest.mark.parametrize("name", CHARTS)
def test_a_changed_number_of_any_chart_makes_another_edition_that_is_stored_whole(name):
    other = edition(**{name: changed(name)})
    assert other.digest != edition().digest
    again = Edition.from_json(other.to_json())
    assert again.digest == other.digest
    assert again.chart(name).text == changed(name)


def test_numbers_of_another_edition_are_played_by():
    near = edition(range=changed("range"), terrain=changed("terrain"))
    assert near.chart("range").cell("heavy", "range") == "7"
    assert near.cells["village", "inf"] == "4D"
    assert edition().cells["village", "inf"] == "2D"


@pytest.mark.parametrize(
    ("name", "old", "new", "line", "why"),
    [
        ("fire", "T5  Fire", "T6  Fire", 1, "this is chart T6, and fire is T5"),
        ("fire", "  T5.2   -2", "  T5.20  -2", 29, "modifier T5.20 is unknown to the rules"),
        ("will", "  T2.10  -1  each fatigue level\n", "", 0, "modifier T2.10 (each fatigue level) is missing"),
        ("fire", " 8+ |", " 8  |", 0, "there is no row for 9"),
        ("will", "  <=0 |", "   0  |", 0, "there is no row for -40"),
        ("allowance", "horse artillery |", "horse batteries |", 0, "there is no row for horse artillery"),
        ("shock", "  BM   both", "  BX   both", 6, "code BM has no line of legend"),
    ],
)
def test_what_cannot_be_played_by_is_refused_with_its_line(name, old, new, line, why):
    text = SHELF.charts({})[name].text
    assert old in text
    with pytest.raises(SourceError) as refused:
        edition(**{name: text.replace(old, new, 1)})
    assert refused.value.reason.startswith(why)
    assert (refused.value.file, refused.value.line) == (f"{name}.txt", line)


@pytest.mark.parametrize(
    ("name", "code", "other", "said"),
    [
        ("terrain", "PL", "PX", "-, A, B, P or PL"),
        ("stacking", "dismounted", "walking", "yes, no or dismounted"),
        ("formation", "no", "never", "MP of 0 to 9"),
        ("factor", "x1/4", "quarter", "a multiple such as x3/2"),
        ("control", "NC", "WILD", "C or NC"),
        ("division", "RE", "RUN", "H, RE or SE"),
    ],
)
def test_a_code_that_nobody_can_read_is_refused(name, code, other, said):
    text = SHELF.charts({})[name].text
    with pytest.raises(SourceError, match="cannot be read; it is") as refused:
        edition(**{name: text.replace(code, other)})
    assert said in refused.value.reason


def test_there_is_no_such_chart():
    with pytest.raises(ValueError, match="unknown chart 'weather'; there are terrain, will"):
        edition(weather="W1  Weather\n")
