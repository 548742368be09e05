"""What a refusal says beyond that it is one: the numbers it hangs on, who is in the way, the order above it."""

import pytest

from pbem.engine.data.messages import plain_english
from pbem.engine.map.hexes import DIRECTIONS, towards
from pbem.games.peninsular import GAME
from pbem.games.peninsular.state import State
from pbem.games.peninsular.units import DISORDERED, ROUTED
from tests.games.peninsular.test_turns import start

BARROSA = GAME.start(GAME.edition("barrosa", {}, {}))


def refused(state: State, text: str, seat: str = "british") -> list[tuple[int, str]]:
    reading = GAME.parse(text, state, seat)
    refusals = [*reading.rejected, *GAME.check(state, seat, GAME.aids.in_order(reading.orders))]
    return [(bad.line, plain_english(bad.why)) for bad in refusals]


def test_a_way_that_the_order_of_the_division_makes_too_dear_says_so_with_its_numbers():
    assert refused(BARROSA, "MOVE 2/95 TO 1514") == []
    ((line, reason),) = refused(BARROSA, "ORDER Dilkes ATTACK\nMOVE 2/95 TO 1514")
    assert line == 2
    assert reason.startswith("2/95 has 5 MP, the way to 1514 costs ")
    assert reason.endswith("; its division in Manoeuvre, it would get there")


def test_a_way_that_is_too_far_under_any_order_says_what_it_costs_and_whom():
    state = start("british inf A pf 5 will B facing N at 0508", "british cmd Chief morale 2 shock 1 range 4 at 0508")
    ((_, reason),) = refused(state, "MOVE A, Chief TO 0501")
    assert reason == "A has 4 MP, the way to 0501 costs 7; on this way it can end in 0504"


def test_a_hex_that_no_way_leads_to_says_that():
    state = start("british inf A pf 5 will B facing N at 0508", "french inf F pf 5 will B facing S at 0507")
    ((_, reason),) = refused(state, "MOVE A TO 0507")
    assert reason == "no way leads A to 0507: enemies stand there, whom an assault may drive out"


def test_no_room_says_who_is_there_and_how_much_the_hex_takes():
    state = start(
        "british inf A pf 10 will B facing N at 0508",
        "british inf B pf 9 will B facing N at 0507",
        "british inf C pf 8 will B facing N at 0507",
    )
    ((_, reason),) = refused(state, "MOVE A TO 0507")
    assert reason == (
        "there is no room for A in 0507: with B, C there it would be 27 PF, and the hex takes 24; "
        "there is room in 0506, 0606, 0607"
    )
    guns = start(
        "british art G pf 2 fire 6 will C limbered facing N at 0508",
        "british inf B pf 9 will B facing N at 0507",
        "british art H pf 2 fire 6 will C limbered facing N at 0507",
    )
    ((_, reason),) = refused(guns, "MOVE G TO 0507")
    assert reason == "there is no room for G in 0507 beside B, H; there is room in 0506, 0606, 0607"


def test_what_hangs_on_a_refused_move_says_so():
    state = start("british inf A pf 5 will B facing N at 0508", "french inf F pf 5 will B facing S at 0501")
    refusals = refused(state, "MOVE A TO 0502\nASSAULT 0501 WITH A")
    assert refusals[1] == (2, "A is not next to 0501; another order for A is refused")


def test_fire_that_hangs_on_a_refused_move_is_refused_with_it():
    units = ("british inf A pf 5 will B facing N at 0508", "french inf F pf 5 will B facing S at 0501")
    other = ("british inf B pf 5 will B facing N at 1205", "french inf G pf 5 will B facing S at 1204")
    # The assault's die comes first: what fire may find is not known, but A is not there to give it.
    refusals = refused(start(*units, *other), "MOVE A TO 0502\nFIRE A AT 0501\nASSAULT 1204 WITH B")
    assert [line for line, _ in refusals] == [1, 2]
    assert refusals[1][1] == "0501 is out of range of A; another order for A is refused"


@pytest.mark.parametrize(
    ("unit", "why"),
    [
        ("british inf A pf 5 will B facing N fired at 0505", "A has fired already in this turn"),
        ("british art A pf 2 fire 6 will C limbered facing N at 0505", "A is limbered: it takes UNLIMBER A"),
    ],
)
def test_fire_that_no_die_can_mend_is_refused_whatever_comes_before_it(unit, why):
    state = start(
        unit,
        "french inf F pf 5 will B facing S at 0504",
        "british inf B pf 5 will B facing N at 1205",
        "french inf G pf 5 will B facing S at 1204",
    )
    assert refused(state, "FIRE A AT 0504\nASSAULT 1204 WITH B") == [(1, why)]
    assert refused(state, "FIRE A AT 0504\nASSAULT 1204 WITH B\nSTOP IF TURN AT LEAST 1") == [(1, why)]


def test_orders_are_carried_out_as_a_half_goes_and_not_as_they_are_written():
    state = start("british inf A pf 5 will B facing N at 0508", "french inf F pf 5 will B facing S at 0505")
    text = "ASSAULT 0505 WITH A\nFIRE A AT 0505\nMOVE A 0507 0506"
    assert refused(state, "ASSAULT 0505 WITH A\nMOVE A 0507 0506") == []
    orders = GAME.parse(text, state, "british").orders
    assert GAME.canon(GAME.aids.in_order(orders)) == "MOVE A 0507 0506\nASSAULT 0505 WITH A\nFIRE A AT 0505\n"


def test_what_was_written_down_is_read_back_as_it_stands():
    state = start("british inf A pf 5 will B facing N at 0508", "french inf F pf 5 will B facing S at 0505")
    stored = "ASSAULT 0505 WITH A\nMOVE A 0507 0506\n"
    assert GAME.canon(GAME.parse(stored, state, "british").orders) == stored


def test_nothing_is_moved_across_a_condition():
    state = start("british inf A pf 5 will B facing N at 0508", "french inf F pf 5 will B facing S at 0505")
    text = "FIRE A AT 0505\nSTOP IF TURN AT LEAST 9\nASSAULT 0505 WITH A\nMOVE A 0507\nIF HEX 0507 MINE\nPASS\nENDIF\n"
    written = GAME.canon(GAME.aids.in_order(GAME.parse(text, state, "british").orders)).splitlines()
    assert [line.split()[0] for line in written[:4]] == ["FIRE", "STOP", "MOVE", "ASSAULT"]


def test_a_front_that_another_order_turned_away_is_told_with_that_order():
    units = "british inf A pf 4 will C facing N at 0505", "french inf F pf 4 will B facing S at 0504"
    state = start(*units, "british cav K pf 4 will C facing NE at 0507")
    assert refused(state, "ASSAULT 0504 WITH A") == []
    ((line, reason),) = refused(state, "MOVE K TO 0505 FACE SE\nASSAULT 0504 WITH A")
    assert line == 2
    assert reason == "0504 is not in front of A: it takes FACE A N; the orders for K turned A to SE"
    ((_, reason),) = refused(state, "FACE A SE\nASSAULT 0504 WITH A")
    assert reason == "0504 is not in front of A: it takes FACE A N"


@pytest.mark.parametrize("target", ["0502", "0608", "0704"])
def test_guns_that_look_elsewhere_are_told_how_to_turn_to_a_target_that_is_not_next_to_them(target):
    facing = DIRECTIONS[DIRECTIONS.index(towards("0505", target)[0]) - 3]
    state = start(
        f"british art A pf 2 fire 6 will C facing {facing} at 0505",
        f"french inf F pf 4 will B facing S at {target}",
    )
    ((_, reason),) = refused(state, f"FIRE A AT {target}")
    why, turn = reason.split(": it takes ")
    assert why == f"{target} is not in front of A"
    assert refused(state, f"{turn}\nFIRE A AT {target}") == []


def test_an_attack_names_the_order_that_makes_it_possible_and_that_order_does():
    units = "british inf A pf 5 will B facing N at 0508", "french inf F pf 5 will B facing S at 0505"
    state = start(*units)
    ((_, reason),) = refused(state, "ASSAULT 0505 WITH A")
    assert reason == "A is not next to 0505: it takes MOVE A TO 0506"
    assert refused(state, "MOVE A TO 0506\nASSAULT 0505 WITH A") == []
    ((_, reason),) = refused(state, "CHARGE A AT 0505")
    assert reason == "only cavalry charges, A is none: it takes ASSAULT 0505 WITH A"


def test_no_order_is_named_where_a_single_one_is_not_enough():
    units = "british inf A pf 5 will B facing N at 0509", "french inf F pf 5 will B facing S at 0502"
    ((_, reason),) = refused(start(*units), "ASSAULT 0502 WITH A")
    assert reason == "A is not next to 0502"


# Where one order mends it, the refusal names that order; where another line of the letter is the cause, that line.


@pytest.mark.parametrize(
    ("units", "text", "why"),
    [
        (
            ("inf A pf 5 will B facing N at 0505",),
            "MOVE A TO 0506",
            "A is in square and does not move: FORM A FORMED",
        ),
        (("inf A pf 5 will B facing N at 0505",), "ASSAULT 0504 WITH A", "A is in square: FORM A FORMED"),
        (
            ("art G pf 2 fire 6 will C facing N at 0507",),
            "MOVE G TO 0508",
            "G is unlimbered and does not move: LIMBER G",
        ),
        (("inf A pf 5 will B facing N at 0507",), "ASSAULT 0506 WITH A", "there is no enemy in 0506: MOVE A TO 0506"),
        (
            ("inf A pf 5 will B facing N at 0507", "inf B pf 5 will B facing N at 0507"),
            "ASSAULT 0504 WITH A, B",
            "A is not next to 0504: MOVE A, B TO 0505",
        ),
    ],
)
def test_a_refusal_names_the_order_that_mends_it_and_it_does(units, text, why):
    state = start(*(f"british {unit}" for unit in units), "french inf F pf 5 will B facing S at 0504")
    if "square" in why:
        state = state.change(units=dict(state.units) | {"A": state.units["A"].but(formation="square")})
    ((_, reason),) = refused(state, text)
    cause, _, order = why.partition(": ")
    assert reason.startswith(f"{cause}: ")
    assert reason.endswith(f" {order}")
    assert refused(state, order if order == "MOVE A TO 0506" else f"{order}\n{text}") == []


def test_a_cause_in_the_same_letter_is_told_and_no_order_against_it():
    state = start("british art G pf 2 fire 6 will C facing N at 0507", "french inf F pf 5 will B facing S at 0504")
    assert refused(state, "FIRE G AT 0504\nLIMBER G") == [(1, "G is limbered, by another order of this letter")]
    state = start(
        "british art G pf 2 fire 6 will C limbered facing N at 0507", "french inf F pf 5 will B facing S at 0504"
    )
    refusals = refused(state, "UNLIMBER G\nMOVE G TO 0508")
    assert refusals == [(2, "G is unlimbered and does not move, by another order of this letter")]


def test_an_assault_on_a_hex_that_is_assaulted_already_is_given_as_one_line():
    units = "british inf A pf 5 will B facing N at 0505", "british inf B pf 5 will B facing NW at 0604"
    state = start(*units, "french inf F pf 5 will B facing S at 0504")
    ((line, reason),) = refused(state, "ASSAULT 0504 WITH A\nASSAULT 0504 WITH B")
    assert (line, reason.partition(", ")[2]) == (2, "ASSAULT 0504 WITH A, B")
    assert refused(state, "ASSAULT 0504 WITH A, B") == []


def test_who_is_disordered_or_routed_is_told_which_and_not_another_order():
    for mark, word in ((DISORDERED, "disordered"), (ROUTED, "routed")):
        state = start("british inf A pf 5 will B facing N at 0505", "french inf F pf 5 will B facing S at 0504")
        state = state.change(units=dict(state.units) | {"A": state.units["A"].but(state=mark)})
        reasons = dict(refused(state, "ASSAULT 0504 WITH A\nMOVE A TO 0501"))
        assert reasons[1] == f"A is {word}: it assaults once it has rallied"


def test_numbers_of_a_range_the_divisions_of_a_side_and_with_behind_to():
    state = start("british art G pf 2 fire 6 will C facing N at 0510", "french inf F pf 5 will B facing S at 0501")
    ((_, reason),) = refused(state, "FIRE G AT 0501")
    assert reason.startswith("0501 is out of range of G: it is 9 hexes away, and the range is ")
    ((_, reason),) = refused(BARROSA, "ORDER Graham ATTACK")
    assert reason == "Graham is no division of yours; yours are Barnard, Dilkes, Wheatley, Whittingham"
    assert refused(BARROSA, "MOVE 2/1Guards TO 1311 WITH Dilkes") == []
