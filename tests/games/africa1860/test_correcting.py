"""What a moderator may correct in Castillejos, and what the other side sees of it under fog."""

import pytest

from pbem.engine.data.messages import plain_english
from pbem.games.africa1860 import GAME
from pbem.games.africa1860.apply import edit


@pytest.fixture(scope="module")
def state():
    return GAME.start(GAME.edition("castillejos", {"fog": "on"}, {}))


def corrected(state, text):
    edited = edit(state, text)
    assert edited.rejected == ()
    for happened in edited.events:
        state = GAME.rules.apply(state, happened)
    return state


def seen(state, seat, text):
    """What a seat is told of a correction: the sentences of its report."""
    events = edit(state, text).events
    seen_events = [(shown, GAME.view(state, seat)) for event in events if (shown := GAME.see(event, seat, state))]
    return [plain_english(entry.text) for entry in GAME.telling.happenings(seen_events)]


def test_a_unit_is_put_elsewhere_and_counted_there(state):
    state.camp("Loma", "spain")
    after = corrected(state, "UNIT Cuenca AT Campamento STEPS 1 DEMORALISED YES ACTIVATED YES FIRED YES")
    unit = after.units["Cuenca"]
    assert (unit.at, unit.steps, unit.demoralised, unit.activated, unit.fired) == ("Campamento", 1, True, True, True)
    assert "Cuenca" in after.camp("Campamento", "spain")
    assert "Cuenca" not in after.camp("Nudos", "spain")
    assert GAME.decode(GAME.encode(after), after.edition) == after


def test_what_a_side_has_taken_is_corrected(state):
    assert corrected(state, "SIDE morocco CAPTURES 2").captures == {"morocco": 2}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("UNIT Orozco STEPS 2", "STEPS of Orozco: Orozco has none."),
        ("UNIT Orozco DEMORALISED YES", "DEMORALISED of Orozco: Orozco has none."),
        ("UNIT Cuenca STEPS 5", "STEPS of Cuenca: it is a number from 1 to 4"),
        ("UNIT Cuenca AT Narnia", "AT of Cuenca: Narnia is not a place on this map"),
    ],
)
def test_what_no_unit_of_its_kind_has_is_refused(state, text, why):
    (bad,) = edit(state, text).rejected
    assert plain_english(bad.why) == why


def test_the_words_may_be_spanish(state):
    spanish = "UNIDAD Cuenca EN Campamento PASOS 1 DESMORALIZADA SI ; BANDO spain CAPTURAS 1"
    english = "UNIT Cuenca AT Campamento STEPS 1 DEMORALISED YES ; SIDE spain CAPTURES 1"
    assert edit(state, spanish) == edit(state, english)


def test_both_sides_in_one_space_are_no_position(state):
    assert GAME.invariants(corrected(state, "UNIT Cuenca AT Loma")) == ("both sides stand in Loma",)


def test_its_own_side_sees_all_of_it(state):
    assert seen(state, "morocco", "UNIT Nizam AT Garganta STEPS 2") == [
        "The moderator corrects Nizam: space Garganta (was Campamento), steps 2 (was 4)."
    ]


@pytest.mark.parametrize(
    ("text", "seen_events"),
    [
        ("UNIT Nizam STEPS 2", []),
        ("UNIT Nizam AT Garganta STEPS 2", []),
        ("UNIT AngheraUno STEPS 2", ["The moderator corrects AngheraUno: steps 2 (was 3)."]),
        ("UNIT Nizam AT Cresta STEPS 2", ["The moderator corrects Nizam: space Cresta (was ?)."]),
        ("UNIT AngheraUno AT Campamento STEPS 1", ["The moderator corrects AngheraUno: space ? (was Cresta)."]),
        ("SIDE morocco CAPTURES 2", ["The moderator corrects morocco: guns and convoys taken 2 (was 0)."]),
    ],
    ids=["out of sight", "moved out of sight", "in sight", "coming into sight", "leaving it", "points"],
)
def test_under_fog_the_other_side_sees_what_comes_into_its_sight_and_no_more(state, text, seen_events):
    assert seen(state, "spain", text) == seen_events


def test_without_fog_everybody_sees_it():
    state = GAME.start(GAME.edition("castillejos", {}, {}))
    assert seen(state, "spain", "UNIT Nizam STEPS 2") == ["The moderator corrects Nizam: steps 2 (was 4)."]
