"""A refusal names what its writer can order instead, and what it names is not refused."""

import re
from pathlib import Path

import pytest

from pbem.engine.data.messages import plain_english
from pbem.games.africa1860 import GAME, refusals
from pbem.games.africa1860.state import State

STATE = GAME.start(GAME.edition("castillejos", {}, {}))


def moved(**places: str) -> State:
    """The first position with units elsewhere."""
    moved_units = {ident: STATE.units[ident]._replace(at=space) for ident, space in places.items()}
    return STATE.change(units={**STATE.units, **moved_units})


def refused(text, seat="spain", state=STATE):
    read = GAME.parse(text, state, seat)
    assert read.rejected == ()
    return [plain_english(line.why) for line in GAME.check(state.change(phase=seat), seat, read.orders)]


NUDOS, TARAJAL = "ACTIVATE Nudos\n", "ACTIVATE Tarajal\n"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            NUDOS + "FIRE Montana1 AT Mochilas",
            "Mochilas is not next to Nudos; the enemy in Cresta, Loma can be reached from Nudos",
        ),
        (
            NUDOS + "ASSAULT Mochilas WITH Cuenca LED BY Orozco",
            "Mochilas is not next to Nudos; the enemy in Cresta, Loma can be reached from Nudos",
        ),
        (
            NUDOS + "FIRE Montana1 AT Playa",
            "there is no enemy in Playa; the enemy in Cresta, Loma can be reached from Nudos",
        ),
        (
            TARAJAL + "CARACOLE Husares1 AT Cresta",
            "Cresta is not next to Tarajal; no enemy is next to Tarajal",
        ),
        (
            NUDOS + "MOVE Cuenca TO Cresta",
            "Cresta is held by the enemy: a move never enters it; it takes ASSAULT Cresta WITH Cuenca LED BY Orozco",
        ),
        (
            NUDOS + "MOVE Montana1 TO Cresta",
            "Cresta is held by the enemy: a move never enters it; it can go to Playa, Tarajal",
        ),
        (TARAJAL + "MOVE Prim TO Tarajal", "Prim is in Tarajal already: leave it out"),
        (
            NUDOS + "ASSAULT Cresta WITH Cuenca",
            "infantry assaults only under a leader of its space: LED BY names him; leaders there: Orozco",
        ),
        (
            NUDOS + "ASSAULT Cresta WITH Cuenca, Vergara LED BY Orozco SCREEN Cuenca",
            "the screen is light infantry or cavalry of the assault, Cuenca is none; it can be Vergara",
        ),
        (
            NUDOS + "ASSAULT Cresta WITH Cuenca LED BY Orozco SCREEN Cuenca",
            "the screen is light infantry or cavalry of the assault, Cuenca is none: leave SCREEN Cuenca out",
        ),
        (
            NUDOS + "ASSAULT Cresta WITH Cuenca, Vergara LED BY Orozco VANGUARD Principe",
            "the vanguard is a combat unit of the assault, Principe is none; it can be Cuenca, Vergara",
        ),
        (
            NUDOS + "ASSAULT Cresta WITH Cuenca LED BY Orozco LOSSES Vergara",
            "LOSSES names combat units of the assault, Vergara is none; it can be Cuenca",
        ),
        (
            NUDOS + "ASSAULT Cresta WITH Cuenca LED BY Orozco SUPPORT Vergara",
            "Vergara is no artillery; guns that can: Montana1",
        ),
        (
            NUDOS + "CHARGE Cuenca AT Cresta",
            "only cavalry charges, Cuenca is none; it takes ASSAULT Cresta WITH Cuenca ",
        ),
        (TARAJAL + "CARACOLE Luchana AT Cresta", "only cavalry caracoles, Luchana is none; cavalry there: Husares1, "),
        (NUDOS + "FIRE Cuenca AT Cresta", "Cuenca is no artillery; guns that can: Montana1"),
        (NUDOS + "ASSAULT Cresta WITH Montana1 LED BY Orozco", "Montana1 never assaults: SUPPORT lets it fire there"),
        ("ACTIVATE Loma\nMOVE Cuenca TO Playa", "you have no unit in Loma; these can be activated: Nudos, Tarajal"),
        (
            NUDOS + "MOVE Cuenca TO Playa\nMOVE Cuenca TO Tarajal",
            "Cuenca has acted already in this phase; an order above makes it act: MOVE Cuenca TO Playa",
        ),
        (
            NUDOS + "MOVE Orozco TO Playa\nASSAULT Cresta WITH Cuenca LED BY Orozco",
            "Orozco is not in Nudos to lead; an order above makes it act: MOVE Orozco TO Playa",
        ),
        (
            TARAJAL + "MOVE Cuenca TO Playa\n" + NUDOS + "FIRE Montana1 AT Cresta",
            "Cuenca is in Nudos, not in Tarajal; order it below ACTIVATE Nudos",
        ),
    ],
)
def test_a_refusal_says_what_can_be_ordered_instead(text, why):
    sentences = refused(text)
    assert [sentence[: len(why)] for sentence in sentences[:1]] == [why]


def test_a_unit_whose_space_cannot_be_activated_is_told_why():
    (why,) = refused("ACTIVATE Morabito\nMOVE GuardiaNegra TO Valle", "morocco")
    assert why == (
        "GuardiaNegra is in Garganta, not in Morabito; "
        "Garganta holds no Moroccan locality, camp or leader: a leader must come first"
    )


def test_a_caracole_that_cannot_fall_back_there_is_told_where_it_can():
    state = moved(Husares1="Playa")
    (why,) = refused("ACTIVATE Playa\nCARACOLE Husares1 AT Cresta BACK TO Valle", state=state)
    assert why == "Husares1 has no friends to fall back on in Valle; it can go back to Nudos, Tarajal"


@pytest.mark.parametrize("seat", ["spain", "morocco"])
def test_every_order_that_a_refusal_names_is_legal(seat):
    """Each order of every unit to every space: what the answer names instead is accepted."""
    state, named = moved(Caid="Cresta", Bujari="Cresta"), 0
    verbs = ("MOVE {} TO {}", "ASSAULT {1} WITH {0}", "CHARGE {} AT {}")
    for unit in (unit for unit in state.units.values() if unit.side == seat):
        for to in state.edition.map.spaces:
            for verb in verbs:
                for why in refused(f"ACTIVATE {unit.at}\n{verb.format(unit.id, to)}", seat, state):
                    for order in re.findall(r"; it takes (.*)", why):
                        named += 1
                        assert refused(f"ACTIVATE {unit.at}\n{order}", seat, state) == []
    assert named > 3


def test_each_sentence_with_a_remedy_is_one_of_a_refusal():
    """A remedy whose sentence nobody says any more would never be used."""
    files = (file for file in Path(refusals.__file__).parent.glob("*.py") if file.name != "refusals.py")
    chapters = "".join(file.read_text(encoding="utf-8") for file in files)
    assert [text for text in refusals.REMEDIES if f'"{text}"' not in chapters] == []


def test_an_order_above_its_own_activate_and_those_below_it_are_all_read():
    orders = GAME.parse("FIRE Montana1 AT Cresta\nACTIVATE Nudos\nMOVE Cuenca TO Playa", STATE, "spain")
    assert orders.rejected == ()
    assert GAME.canon(orders.orders).splitlines() == [
        "ACTIVATE Nudos",
        "FIRE Montana1 AT Cresta",
        "MOVE Cuenca TO Playa",
    ]
    assert GAME.check(STATE, "spain", orders.orders) == ()


@pytest.mark.parametrize(
    "text",
    [
        "ACTIVATE Nudos\nASSAULT Cresta WITH Cuenca LED BY Muley",
        "STANDING FOR ALL\nWHEN ASSAULTED THEN VANGUARD Nizam\nENDSTANDING",
        "STANDING FOR UNIT Nizam\nENDSTANDING",
    ],
)
def test_a_unit_of_the_enemy_is_not_said_to_be_none_of_the_game(text):
    (bad,) = GAME.parse(text, STATE, "spain").rejected
    assert plain_english(bad.why).endswith("is not yours")
