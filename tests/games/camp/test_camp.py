"""K3 to K5: a camp's orders, what they cost, and what happens besides."""

import pytest

from pbem.engine.war.ledger import AWAY, READY
from pbem.games.camp.order_help import bot_orders, form_lines
from pbem.games.camp.orders import GRAMMAR, parse
from pbem.games.camp.state import State, starting_position
from tests.kit.war.small_war import FILE, camp, data_of, ordered, played, refused

LINES = """REFIT Ash 2
REBUILD Elm
REPLACE Ash WITH Oak
BRING Line
HOSPITAL Guards
ROAD Ford TO Hill
SCOUT
PASS
"""
ENGLISH_AND_SPANISH = [
    ("REFIT Ash 2", "REPONER Ash 2"),
    ("REBUILD Elm", "REHACER Elm"),
    ("REPLACE Ash WITH Oak", "RELEVAR Ash CON Oak"),
    ("BRING Line", "TRAER Line"),
    ("HOSPITAL Guards", "HOSPITAL Guards"),
    ("ROAD Ford TO Hill", "CALZADA Ford A Hill"),
    ("ROAD Ford TO Hill", "calzada Ford-Hill"),
    ("ROAD Ford TO Hill", "ROAD Ford - Hill"),
    ("SCOUT", "EXPLORAR"),
    ("PASS", "PASAR"),
]
PLAIN = {**FILE, "back": "0/1", "floor": "0/1"}
"""The war without anybody who comes back by himself."""


def test_what_is_read_is_written_in_one_way_and_read_so_again():
    orders = parse(LINES, camp(), "blue").orders
    assert GRAMMAR.canon(orders) == LINES
    assert parse(GRAMMAR.canon(orders), camp(), "blue").orders == orders


@pytest.mark.parametrize(("english", "spanish"), ENGLISH_AND_SPANISH)
def test_spanish_lines_are_the_same_orders(english, spanish):
    assert parse(spanish, camp(), "blue").orders == parse(english, camp(), "blue").orders


def test_what_came_back_is_there_when_the_camp_begins_and_is_told():
    state = camp({"Ash": 1, "Hawk": 0})
    assert (state.units["Ash"].now, state.units["Hawk"].now, state.units["Hawk"].standing) == (3, 2, READY)
    events, _, _ = played(state, blue="PASS", red="PASS")
    assert data_of(events, "returned") == [
        {"side": "blue", "units": {"Ash": 2}, "steps": 2},
        {"side": "red", "units": {"Hawk": 2}, "steps": 2},
    ]


def test_the_fleet_brings_two_points_unless_there_is_a_storm():
    for rolled, points in ((1, 6), (2, 6), (3, 8), (6, 8)):
        events, state, _ = played(camp(), {"fleet": rolled}, blue="PASS", red="PASS")
        assert [data["points"] for data in data_of(events, "points")] == [points, 6]
        assert state.points == {"blue": points, "red": 6}


def test_lines_are_paid_one_after_another_and_what_cannot_be_paid_is_passed_over():
    state = camp({"Ash": 1, "Elm": 0, "Fir": 4}, file=PLAIN)
    text = "REFIT Ash 3\nREBUILD Elm\nHOSPITAL Guards\nREFIT Elm 1\nREPLACE Fir WITH Oak\n"
    events, end, _ = played(state, {"fleet": 1}, blue=text, red="PASS")
    assert end.points["blue"] == 0
    assert (end.units["Ash"].now, end.units["Elm"].now) == (4, 2)
    (missed, last) = data_of(events, "not carried out")
    assert (missed["line"], missed["rules"], missed["order"]) == (4, ["K3", "K4"], "REFIT Elm 1")
    assert last["line"] == 5


def test_a_line_that_only_the_fleet_could_pay_is_not_refused_beforehand():
    state = camp({"Ash": 1, "Elm": 1}, file=PLAIN)
    assert refused(state, "blue", "REFIT Ash 3\nREFIT Elm 3\nROAD Ford TO Hill") == []
    more = refused(state, "blue", "REFIT Ash 3\nREFIT Elm 3\nROAD Ford TO Hill\nHOSPITAL Guards")
    assert more == [(4, "K3", "it costs 1 point, and 0 are left")]


def test_who_sends_nothing_has_what_lacks_most_fed():
    events, end, _ = played(camp({"Ash": 1, "Elm": 2}, file=PLAIN), {"fleet": 1}, red="PASS")
    assert data_of(events, "nothing ordered") == [{"side": "blue"}]
    assert [(data["unit"], data["steps"]) for data in data_of(events, "refitted")] == [("Ash", 3), ("Elm", 2)]
    assert end.points["blue"] == 1


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("REFIT Elm 1", "Elm is broken: REBUILD brings it back"),
        ("REFIT Ash 4", "Ash lacks 3 steps"),
        ("REFIT Ash 0", "Ash lacks 3 steps"),
        ("REFIT Oak 1", "Oak is away, where it is made whole for nothing"),
        ("REFIT Duke 1", "Duke leads, and is none of those that are fed or relieved"),
        ("REBUILD Ash", "Ash is not broken; the line can name Elm"),
        ("REPLACE Ash WITH Elm", "Elm is not away; the line can name Oak"),
        ("REPLACE Bombard WITH Oak", "Oak is no ART as Bombard is; the line can name none of yours"),
        ("BRING Guards", "Guards cannot come to the next leg; the line can name Line"),
        ("HOSPITAL Line", "nothing befalls Line"),
        ("ENTRENCH Hill", "no space may be entrenched by your side"),
        ("ROAD Hill TO Pass", "no road can be built there; between Ford-Hill it can"),
        ("SCOUT", "the next leg begins without a deployment: there is nothing to be scouted"),
    ],
)
def test_what_cannot_be_done_is_refused_with_its_reason(line, why):
    ((number, rule, reason),) = refused(camp({"Ash": 1, "Elm": 0}, file=PLAIN), "blue", line)
    assert (number, rule, reason) == (1, "K4", why)


def test_a_unit_that_a_line_above_sends_away_is_refused_with_that_line():
    ((number, _, why),) = refused(camp(), "blue", "REPLACE Ash WITH Oak\nREFIT Ash 1")
    assert number == 2
    assert why.endswith("; an order above sends it there: REPLACE Ash WITH Oak")


def test_what_costs_too_much_is_not_told_with_other_names():
    state = camp()
    poor = state.change(points=dict.fromkeys(state.points, -9))
    ((_, _, why),) = refused(poor, "blue", "BRING Line")
    assert why.startswith("it costs ")
    assert "can be" not in why


def test_nothing_is_done_twice():
    twice = ("REPLACE Ash WITH Oak", "REPLACE Oak WITH Ash", "HOSPITAL Guards", "HOSPITAL Guards")
    blue = "\n".join((*twice, "ROAD Ford TO Hill", "ROAD Hill TO Ford"))
    assert [line for line, _, _ in refused(camp(), "blue", blue)] == [2, 4, 6]
    assert [line for line, _, _ in refused(camp(), "red", "ENTRENCH Hill\nENTRENCH Hill\nENTRENCH Pass")] == [2, 3]


def test_somebody_else_s_unit_is_no_word_of_yours():
    for line, why in (
        ("REFIT Hawk 1", "{unit} is not yours"),
        ("BRING Crows", "there is no formation {formation} of yours"),
    ):
        (bad,) = parse(line, camp(), "blue").rejected
        assert (bad.rule, bad.why.text) == ("K4", why)


def test_a_unit_takes_another_s_place_and_that_is_away():
    _, end, _ = played(camp({"Elm": 0}, file=PLAIN), blue="REPLACE Elm WITH Oak", red="PASS")
    assert [(end.units[ident].now, end.units[ident].standing) for ident in ("Elm", "Oak")] == [(4, AWAY), (4, READY)]
    assert end.works.replaced == {"Elm": "Oak"}


def test_a_formation_is_brought_at_its_own_price():
    _, end, _ = played(camp(), {"fleet": 1}, blue="BRING Line", red="PASS")
    assert (end.points["blue"], end.works.brought, end.units["Oak"].standing) == (4, ("Line",), READY)


def test_what_is_built_is_known_by_the_names_of_the_file():
    _, end, _ = played(camp(), blue="ROAD Hill TO Ford", red="ENTRENCH Pass")
    assert (end.works.roads, end.works.trenches, end.points["red"]) == (("Ford-Hill",), ("Pass",), 3)


def test_scouts_see_on_a_four_where_the_next_leg_begins_with_a_deployment():
    for rolled, seen in ((3, False), (4, True)):
        events, end, asked = played(camp(deploys=True), {"scout blue": rolled}, blue="SCOUT", red="PASS")
        assert (end.scouted, "camp/scout blue" in asked) == ({"blue": seen}, True)
        (only,) = [event for event in events if event.kind == "scouted"]
        assert only.seen_by == ("blue",)


@pytest.mark.parametrize(
    ("rolled", "care", "left"), [(2, "PASS", 3), (3, "PASS", 4), (2, "HOSPITAL Guards", 4), (1, "HOSPITAL Guards", 3)]
)
def test_cholera_takes_a_step_of_the_largest_unit_and_of_equals_of_the_last(rolled, care, left):
    events, end, _ = played(camp(file=PLAIN), {"cholera Guards": rolled}, blue=care, red="PASS")
    assert [end.units[ident].now for ident in ("Ash", "Elm", "Fir")] == [4, 4, left]
    assert [event.cite for event in events if event.kind == "cholera"] == ["K5"]


def test_in_a_winter_cholera_strikes_on_a_three():
    winter = {**PLAIN, "camps": [{"sick": 3}]}
    _, end, _ = played(camp(file=winter), {"cholera Guards": 3}, blue="PASS", red="PASS")
    assert end.units["Fir"].now == 3


def test_cholera_spares_the_last_step_and_formations_of_two():
    few = {**PLAIN, "formations": {**FILE["formations"], "Guards": {**FILE["formations"]["Guards"]}}}
    _, _, asked = played(camp({"Elm": 0}, file=few), {"cholera Guards": 1}, blue="PASS", red="PASS")
    assert "camp/cholera Guards" not in asked
    legs = camp({"Ash": 1, "Elm": 1}, file=few)
    legs = legs.change(units={**legs.units, "Fir": legs.units["Fir"].left_with(1)})
    events, end, _ = played(legs, {"cholera Guards": 1, "fleet": 1}, blue="PASS", red="PASS")
    assert [end.units[ident].now for ident in ("Ash", "Elm", "Fir")] == [1, 1, 1]
    assert "unit" not in data_of(events, "cholera")[0]


def test_the_harvest_breaks_the_smallest_unit_of_the_levies_on_a_one():
    _, end, _ = played(camp({"Kite": 2}, file=PLAIN), {"harvest Birds": 1}, blue="PASS", red="PASS")
    assert [end.units[ident].now for ident in ("Hawk", "Kite", "Wren")] == [3, 0, 3]
    _, end, _ = played(camp({"Kite": 2}, file=PLAIN), {"harvest Birds": 2}, blue="PASS", red="PASS")
    assert end.units["Kite"].now == 2


def test_who_would_come_with_too_little_is_fed_after_the_sickness():
    thin = {**FILE, "back": "0/1"}
    events, end, _ = played(camp({"Hawk": 0, "Kite": 2}, file=thin), {"harvest Birds": 1}, blue="PASS", red="PASS")
    # Nine steps are listed, seven of them wanted: Kite is broken by the harvest, three are left.
    (fed,) = data_of(events, "fed")
    assert (fed["side"], fed["steps"]) == ("red", 4)
    assert sum(end.units[ident].now for ident in ("Hawk", "Kite", "Wren")) == 7


def test_under_fog_nobody_is_told_of_the_other_s_camp():
    events, _, _ = played(camp(fog=True), blue="HOSPITAL Guards", red="ENTRENCH Hill")
    for happened in events:
        if side := happened.data.get("side"):
            assert happened.seen_by == (side,)


def test_nothing_that_a_side_orders_changes_what_the_other_s_orders_do():
    def red(blue):
        events, end, _ = played(camp({"Ash": 1, "Hawk": 1}, file=PLAIN), blue=blue, red="REFIT Hawk 2\nENTRENCH Hill")
        return [event.data for event in events if event.data.get("side") == "red"], end.points["red"], end.units["Hawk"]

    assert red("PASS") == red("REFIT Ash 3\nROAD Ford TO Hill") == red("BRING Line")


def test_a_camp_is_stored_and_read_as_it_was():
    state = camp({"Ash": 1, "Elm": 0}, taken=("Bombard",))
    edition = type(state.edition).from_json(state.edition.to_json())
    assert edition.digest == state.edition.digest
    assert starting_position(edition).encode() == state.encode()
    assert State.decode(state.encode(), edition).encode() == state.encode()
    _, end, _ = played(state, blue=LINES, red="ENTRENCH Hill")
    assert State.decode(end.encode(), edition).encode() == end.encode()


@pytest.mark.parametrize("left", [{}, {"Ash": 1, "Elm": 0}, {"Ash": 0, "Elm": 0, "Bombard": 0}, {"Duke": 0, "Ash": 3}])
def test_all_that_the_form_offers_can_be_sent_at_once(left):
    state = camp(left, file=PLAIN)
    text = "\n".join(form_lines(state, "blue")) or "PASS"
    assert refused(state, "blue", text) == []
    assert ordered(state, blue=bot_orders(state, "blue", lambda below: 0))["blue"].actions
    _, end, _ = played(state, {"fleet": 1}, blue=text, red="PASS")
    assert end.points["blue"] >= 0
