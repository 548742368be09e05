"""What a moderator may correct at Barrosa."""

import pytest

from pbem.engine.data.messages import plain_english
from pbem.games.peninsular import GAME
from pbem.games.peninsular.apply import edit


@pytest.fixture(scope="module")
def state():
    return GAME.start(GAME.edition("barrosa", {}, {}))


def corrected(state, text):
    edited = edit(state, text)
    assert edited.rejected == ()
    for happened in edited.events:
        state = GAME.rules.apply(state, happened)
    return state


def of_kind(state, kind):
    return min(ident for ident, unit in state.units.items() if unit.kind == kind)


def test_a_counter_is_corrected_in_all_its_facts(state):
    ident = of_kind(state, "inf")
    after = corrected(state, f"UNIT {ident} PF 1 STATE D FATIGUE 2 FORM SKIRMISH FIRED YES")
    unit = after.units[ident]
    assert (unit.pf, unit.state, unit.fatigue, unit.formation, unit.fired) == (1, "D", 2, "skirmish", True)
    assert GAME.decode(GAME.encode(after), after.edition) == after
    (happening_told,) = GAME.telling.happenings([(edit(state, f"UNIT {ident} STATE D").events[0], state)])
    assert plain_english(happening_told.text) == f"The moderator corrects {ident}: state disordered (was steady)."


def test_the_words_may_be_spanish(state):
    ident = of_kind(state, "inf")
    english = f"UNIT {ident} STATE D FORM SQUARE FIRED YES FATIGUE 1"
    assert edit(state, f"UNIDAD {ident} ESTADO D FORMACION CUADRO DISPARADO SI FATIGA 1") == edit(state, english)


def test_a_battery_is_limbered_or_not(state):
    ident = of_kind(state, "art")
    was = state.units[ident].limbered
    assert corrected(state, f"UNIT {ident} LIMBERED {'NO' if was else 'YES'}").units[ident].limbered is not was


def test_a_counter_put_elsewhere_is_found_there_and_shares_its_facing(state):
    """S3 Counters of one hex face the same way."""
    mover, host = sorted(i for i, u in state.units.items() if u.kind == "inf" and u.side == "french")[:2]
    turned = next(way for way in ("N", "NE", "SE") if way != state.units[host].facing)
    before = corrected(state, f"UNIT {mover} FACING {turned}")
    after = corrected(before, f"UNIT {mover} AT {state.units[host].at}")
    units_here = [unit.id for unit in after.at(state.units[host].at)]
    assert {mover, host} <= set(units_here)
    assert after.units[host].facing == turned


def test_divisions_and_losses_are_corrected(state):
    name = min(state.divisions)
    worse = 1 if state.divisions[name].morale > 1 else 2
    assert corrected(state, f"DIVISION {name} MORALE {worse}").divisions[name].morale == worse
    assert corrected(state, "SIDE french DEAD 7").dead["french"] == 7


@pytest.mark.parametrize(
    ("kind", "facts", "why"),
    [
        ("cav", "FORM SQUARE", "it is one of: FORMED, SKIRMISH"),
        ("inf", "LIMBERED YES", "has none."),
        ("inf", "AT 9999", "9999 is no hex of this map"),
        ("inf", "FATIGUE 4", "it is a number from 0 to 3"),
        ("cmd", "PF 2", "has none."),
    ],
)
def test_what_a_counter_cannot_be_is_refused(state, kind, facts, why):
    (bad,) = edit(state, f"UNIT {of_kind(state, kind)} {facts}").rejected
    assert plain_english(bad.why).endswith(why)


def test_orders_of_divisions_are_no_part_of_it(state):
    (bad,) = edit(state, f"DIVISION {min(state.divisions)} ORDER ATTACK").rejected
    assert plain_english(bad.why).startswith("ORDER cannot be corrected")
