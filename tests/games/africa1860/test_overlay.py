"""C0 Charts laid over the shipped ones: every number may change, what cannot be played by is refused."""

import pytest

from pbem.engine.autoplay import bot_orders
from pbem.engine.bots import DiceFromSeed
from pbem.engine.data.messages import plain_english
from pbem.engine.data.sources import SourceError
from pbem.engine.run.runners import play
from pbem.games.africa1860 import GAME, fire
from pbem.games.africa1860.edition import CHART_NAMES, GAME_FILES
from pbem.games.africa1860.legality import retreat_spaces
from pbem.games.africa1860.shock import ShockFacts, _modifiers
from pbem.games.africa1860.state import read_unit

FIRE = GAME_FILES.charts({})["fire"].text


def edition(**overlay: str):
    return GAME.edition("castillejos", {}, overlay)


@pytest.mark.parametrize("name", CHART_NAMES)
def test_every_shipped_chart_can_be_laid_over_itself(name):
    text = GAME_FILES.charts({})[name].text
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
    limits = GAME_FILES.charts({})["stacking"].text.replace("ART\n", "ART  CNV\n").replace("4\n\n", "4    4\n\n")
    with pytest.raises(SourceError, match="column CNV means nothing here"):
        edition(stacking=limits)


def test_there_is_no_such_chart():
    with pytest.raises(ValueError, match="unknown chart 'weather'; there are moves, morale"):
        edition(weather="W1  Weather\n")


# Fire by one die, as many boxed games have it.

BY_DIE = """C6  Fire action                            (one die; points of fire, after modifiers)
    row: die    column: points of fire

  die  |  1     2     3-4   5+
  -----+-----------------------
  1-2  |  none  none  none  M
  3-4  |  none  M     M     1
  5    |  M     1     1M    1M
  6    |  1     1M    2     2M

  none  no effect
  M     morale check
  1     one step lost
  1M    one step lost and a morale check
  2     two steps lost
  2M    two steps lost and a morale check

""" + "\n".join(line for line in FIRE.splitlines() if line.startswith("  C6."))


def by_die():
    """The volleys of a game between bots by that chart, each with the position before its phase and its sentences."""
    volleys = []
    state = GAME.start(GAME.edition("drill", {}, {"fire": BY_DIE}))
    while GAME.phase(state) is not None:
        orders = {}
        for seat in GAME.active(state):
            view = GAME.view(state, seat)
            plan = bot_orders(GAME, "forward", seat, view)
            assert plan.against == ""
            orders[seat] = plan.orders
        done = play(
            GAME.rules,
            GAME.world(state, orders),
            DiceFromSeed(f"{GAME.phase(state)}"),
            GAME.decisions(state, orders, {}),
        )
        for happened in done.events:
            if happened.kind == "volley":
                detail_lines = (
                    fire.DETAIL_SENTENCES["volley"](happened.data, state),
                    *fire.explain_coins(happened.data, state),
                )
                volleys.append((state, happened, detail_lines))
        state = done.state
    return volleys


def test_fire_goes_by_one_die_if_the_chart_laid_over_does():
    volleys = by_die()
    assert len(volleys) > 5
    for state, happened, volley_lines in volleys:
        data = happened.data
        assert 1 <= data["die"] <= 6 <= 6 * data["points"]
        assert data["cell"] == state.edition.chart("fire").cell(data["die"], data["points"])
        assert "coins" not in data
        read = fire.CHART_READS["volley"](state.edition, data)
        assert [state.edition.chart("fire").cells[cell] for cell in read.cells] == [data["cell"]]
        assert plain_english(volley_lines[0]).startswith(
            f"the die shows {data['die']}, points of fire {data['points']}"
        )


def test_an_edition_by_one_die_is_stored_whole_and_its_chart_is_shown():
    stored = edition(fire=BY_DIE)
    again = GAME.edition_from_json(stored.to_json())
    assert (again.digest, again.chart("fire").text) == (stored.digest, BY_DIE)
    assert GAME.rulebook.chart("C6", again) == BY_DIE
    assert GAME_FILES.full_text("C6", "en", again.charts) == GAME_FILES.full_text("C6", "en")
    assert stored.digest != edition().digest


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("1-2  |", "2    |", "there is no row for 1"),
        ("5+\n", "5\n", "there is no column for 6"),
        ("  C6.5  ", "  C6.9  ", "modifier C6.9 is unknown to the rules"),
    ],
)
def test_a_chart_by_one_die_answers_every_die_and_all_points(old, new, why):
    with pytest.raises(SourceError) as refused:
        edition(fire=BY_DIE.replace(old, new))
    assert refused.value.reason.startswith(why)


SHOCK = GAME_FILES.charts({})["shock"].text.rstrip("\n")


def clash(**more):
    """A defending regular regiment in a camp, behind a road; or what is told of it otherwise."""
    vanguard = read_unit("morocco NZ Nizam fire 2 assault 2 steps 4 morale 4 at B")
    facts = {"attacks": False, "vanguard": vanguard, "steps": 4, "enemy_steps": 4, "terrain": "camp", "edge": "road"}
    return ShockFacts(**{**facts, "slope": False, "parapet": False, **more})


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("ground is camp", True),
        ("ground is camp and side is attacker", False),
        ("ground is camp and side is defender and edge is not ford", True),
        ("vanguard is NZ and side is morocco", True),
        ("vanguard is not NZ", False),
        ("side is demoralised", False),
    ],
)
def test_a_modifier_of_the_shock_may_be_added_with_what_it_depends_on(condition, holds):
    made = edition(shock=f"{SHOCK}\n  C8.1.20  +2  behind tents if {condition}\n")
    again = GAME.edition_from_json(made.to_json())
    assert again.digest == made.digest != edition().digest
    assert [modifier.value for modifier in _modifiers(again).of(clash()) if modifier.rule == "C8.1.20"] == [2] * holds


def test_an_added_modifier_that_nobody_can_judge_is_refused():
    for words, why in (("tents", "has no condition"), ("tents if ground is mud", "'ground is mud' is no fact here")):
        with pytest.raises(SourceError, match=why):
            edition(shock=f"{SHOCK}\n  C8.1.20  +2  {words}\n")
    with pytest.raises(SourceError, match=r"modifier C6\.9 is unknown to the rules"):
        edition(fire=f"{FIRE}  C6.9  +1  x if ground is camp\n")


RETREAT = """C9  Retreat
    row: what decides     column: its place

  by      | place
  --------+------
  friends |  {friends}
  rear    |  {rear}
  leader  |  {leader}
  cover   |  0

  0  not looked at
  1  first
  2  second
"""


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        ({"friends": 1, "rear": 2, "leader": 0}, ("Garganta", "Playa")),
        ({"friends": 0, "rear": 1, "leader": 2}, ("Condesa", "Playa", "Garganta", "Mochilas")),
        ({"friends": 2, "rear": 0, "leader": 1}, ("Playa",)),
    ],
)
def test_what_decides_a_retreat_may_be_laid_over(places, expected):
    made = edition(retreat=RETREAT.format(**places))
    assert GAME.edition_from_json(made.to_json()).retreat_by == made.retreat_by
    state = GAME.start(made)
    units = {
        "A": read_unit("morocco NZ A fire 2 assault 2 steps 4 morale 4 at Valle"),
        "B": read_unit("morocco NZ B fire 2 assault 2 steps 4 morale 4 at Garganta"),
        "C": read_unit("morocco OF C 1/1 at Playa"),
        "D": read_unit("spain IR D fire 2 assault 2 steps 4 morale 4 at Cresta"),
        "E": read_unit("spain IR E fire 2 assault 2 steps 4 morale 4 at Morabito"),
    }
    state = state.change(units=units)
    assert retreat_spaces(state, "morocco", "Valle", ("Cresta",), [units["A"]]) == expected
