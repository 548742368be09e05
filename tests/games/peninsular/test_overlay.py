"""Charts laid over the shipped ones: every number may change, what cannot be played by is refused."""

from dataclasses import replace

import pytest

from pbem.engine.data.sources import SourceError
from pbem.games.peninsular import GAME
from pbem.games.peninsular.edition import CHART_NAMES, GAME_FILES, Edition
from pbem.games.peninsular.fire import FireFacts
from pbem.games.peninsular.morale import retreat_path
from pbem.games.peninsular.units import read_unit
from tests.games.peninsular.test_turns import half, start

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
    text, (old, new) = GAME_FILES.charts({})[name].text, CHANGES[name]
    assert text.count(old) >= 1
    text = text.replace(old, new, 1).replace(UNUSED.get(name) or "\0", "")
    return text + LEGENDS.get(name, "")


@pytest.mark.parametrize("name", CHART_NAMES)
def test_every_shipped_chart_can_be_laid_over_itself(name):
    text = GAME_FILES.charts({})[name].text
    assert edition(**{name: text}).digest == edition().digest


@pytest.mark.parametrize("name", CHART_NAMES)
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
    text = GAME_FILES.charts({})[name].text
    assert old in text
    with pytest.raises(SourceError) as refused:
        edition(**{name: text.replace(old, new, 1)})
    assert refused.value.reason.startswith(why)
    assert (refused.value.file, refused.value.line) == (f"{name}.txt", line)


@pytest.mark.parametrize(
    ("name", "code", "other", "reason"),
    [
        ("terrain", "PL", "PX", "-, A, B, P or PL"),
        ("stacking", "dismounted", "walking", "yes, no or dismounted"),
        ("formation", "no", "never", "MP of 0 to 9"),
        ("factor", "x1/4", "quarter", "a multiple such as x3/2"),
        ("control", "NC", "WILD", "C or NC"),
        ("division", "RE", "RUN", "H, RE or SE"),
    ],
)
def test_a_code_that_nobody_can_read_is_refused(name, code, other, reason):
    text = GAME_FILES.charts({})[name].text
    with pytest.raises(SourceError, match="cannot be read; it is") as refused:
        edition(**{name: text.replace(code, other)})
    assert reason in refused.value.reason


def test_there_is_no_such_chart():
    with pytest.raises(ValueError, match="unknown chart 'weather'; there are terrain, will"):
        edition(weather="W1  Weather\n")


# What a boxed game's own charts may be besides other numbers.


def narrow(last: str) -> str:
    """T5 with the columns 1 to 6, the last under this head."""
    lines = GAME_FILES.charts({})["fire"].text.split("\n")
    row = next(number for number, line in enumerate(lines) if "|" in line)
    cells = {line.split("|")[0].strip(): line.split("|")[1].split()[:6] for line in lines[row + 2 : row + 10]}
    grid = [f"  die | {' '.join(map(str, range(1, 6)))} {last}", "  ----+------"]
    used = sorted({code for row in cells.values() for code in row})
    modifiers = [line for line in lines if line.startswith("  T5.")]
    legend = [f"  {code}  words" for code in used]
    rows = [f"  {die} | {' '.join(row)}" for die, row in cells.items()]
    return "\n".join([*lines[:3], *grid, *rows, "", *legend, "", *modifiers, ""])


FIRERS = ("british inf A pf 15 will C nation portuguese facing N at 0505", "french inf F pf 9 will C facing S at 0504")


def columns_of(chart: str, rolls: int) -> list[int]:
    """The columns that fire of 15 points is read in, with this chart for T5."""
    state = start(*FIRERS)
    state = state.change(edition=replace(state.edition, charts=edition(fire=chart).charts))
    _, events = half(state, "FIRE A AT 0504", *["fire A > F: 1"] * rolls)
    return [event.data["column"] for event in events if event.kind == "volley"]


def test_a_fire_chart_has_as_many_columns_as_the_box_has():
    assert columns_of(GAME_FILES.charts({})["fire"].text, 2) == [12, 3]
    assert columns_of(narrow("6"), 3) == [6, 6, 3]
    assert columns_of(narrow("6+"), 1) == [15]
    (_, text), *_ = GAME.rulebook.full_text("S7a", "en", edition(fire=narrow("6")))
    assert "More than 6 points are rolls of 6 and" in text
    with pytest.raises(SourceError, match="the first column is 2; it begins with 1"):
        edition(fire=narrow("6").replace("die | 1 2 3", "die | 2 3 4").replace("4 5 6\n", "5 6 7\n"))


ADDED = "  T6.20  +2  French columns if attacker is french and defender is not square\n"
SHOCK = GAME_FILES.charts({})["shock"].text


@pytest.mark.parametrize(("side", "enemy", "applied"), [("french", "british", 1), ("british", "french", 0)])
def test_a_modifier_may_be_added_with_what_it_depends_on(side, enemy, applied):
    state = start(
        f"{side} inf A pf 6 will C facing N at 0505", f"{enemy} inf D pf 6 will C facing S at 0504", phase=side
    )
    state = state.change(edition=replace(state.edition, charts=edition(shock=SHOCK + ADDED).charts))
    after = ["morale D: 6"] * applied
    _, events = half(state, "ASSAULT 0504 WITH A", "fire D > A: 1", "shock A > D: 4", *after)
    (shock,) = [event for event in events if event.kind == "shock"]
    assert [rule for rule, *_ in shock.data["modifiers"]].count("T6.20") == applied
    assert shock.data["total"] == 4 + 2 * applied


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("  T6.20  +1  French columns\n", "modifier T6.20 is unknown to the rules and has no condition"),
        ("  T5.20  +1  x if attacker is french\n", "modifier T5.20 does not begin with T6."),
        ("  T6.20  +1  x if attacker is brave\n", "'attacker is brave' is no fact here; there are attacker is british"),
    ],
)
def test_an_added_modifier_that_nobody_can_judge_is_refused(line, why):
    with pytest.raises(SourceError) as refused:
        edition(shock=SHOCK + line)
    assert refused.value.reason.startswith(why)
    assert refused.value.line == len(SHOCK.split("\n"))


def test_every_fact_of_a_counter_can_be_judged():
    aim = FireFacts(
        read_unit("british inf A pf 5 will B at 0505"), read_unit("french cav B pf 5 will C size heavy at 0504")
    )
    facts = GAME_FILES.facts["fire"]
    assert [fact for fact in facts if facts[fact](aim)] == [
        "firer is british",
        "firer is infantry",
        "firer is formed",
        "target is french",
        "target is cavalry",
        "target is heavy",
        "target is formed",
    ]


RETREAT = """S12  Retreat
    row: what decides     column: its place; 0: not looked at

  by      | place
  --------+------
  edge    |  {edge}
  mp      |  0
  far     |  0
  friends |  {friends}
  cover   |  0

  0  not looked at
  1  first
  2  second
"""


@pytest.mark.parametrize(("edge", "friends", "to"), [(1, 2, "0506"), (2, 1, "0405")])
def test_what_decides_a_retreat_may_be_laid_over(edge, friends, to):
    made = edition(retreat=RETREAT.format(edge=edge, friends=friends))
    again = Edition.from_json(made.to_json())
    assert (again.digest, again.retreat_by) == (made.digest, made.retreat_by)
    assert made.digest != edition().digest
    state = start(
        "british inf A pf 5 will C facing N at 0505",
        "british inf M pf 5 will C facing N at 0405",
        "french inf F pf 5 will C facing S at 0504",
    )
    state = state.change(
        edition=replace(state.edition, charts={**state.edition.charts, "retreat": made.charts["retreat"]})
    )
    assert retreat_path(state, state.units["A"], 1, "0504") == (to,)


def test_a_chart_of_retreats_is_checked():
    for old, new, why in (
        ("S12  Retreat", "S13  Retreat", "retreat is chart S12, without modifiers"),
        ("  cover   |  0\n", "", "there is no row for cover"),
        ("mp      |  0", "mp      |  7", "code 7 has no line of legend"),
    ):
        with pytest.raises(SourceError, match=why):
            edition(retreat=RETREAT.format(edge=1, friends=2).replace(old, new))
