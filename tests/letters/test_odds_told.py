"""What letters say of odds: nothing that is not so, and what was left out in words."""

import pytest

from pbem.runtime.terms import Terms
from tests.harness.battle import PlayedBattle

ASSAULT = "ASSAULT Cresta WITH Cuenca, Vergara LED BY Orozco"
FIRST = "The other side moves first: what it does by then is not counted."
EXACT = "The odds are exact"


@pytest.fixture
def table(tmp_path):
    made = PlayedBattle(tmp_path, terms=Terms(pace="activation"))
    yield made
    made.server.engine.dispose()


def flat(text):
    return " ".join(text.split())


def asked(table, seat, text):
    return flat(table.answer(seat, text))


def test_an_attack_asked_about_while_the_other_side_moves_is_not_called_exact(table):
    answer = asked(table, "morocco", "ODDS CHARGE Bujari FROM Loma AT Nudos\nODDS FROM Cresta CHARGE Bujari AT Nudos")
    assert "lines are wrong" in answer
    answer = asked(table, "morocco", "ODDS FROM Cresta ASSAULT Nudos WITH AngheraUno LED BY Caid")
    assert FIRST in answer
    assert EXACT not in answer


def test_who_has_acted_in_a_letter_of_the_phase_is_refused_with_the_rule(table):
    assert "ocupa Cresta 78 %" in asked(table, "spain", f"ODDS {ASSAULT}")
    table.answer("spain", "ORDERS T1\nACTIVATE Nudos\nMOVE Vergara TO Playa\nEND")
    table.wait(0)
    answer = asked(table, "spain", f"ODDS FROM Nudos {ASSAULT}")
    assert "[R2]" in answer
    assert "ocupa" not in answer


def test_under_fog_nothing_is_said_of_what_is_not_seen(tmp_path):
    foggy = PlayedBattle(tmp_path, fog=True)
    answer = asked(foggy, "spain", "ODDS FROM Loma ASSAULT Morabito WITH Cuenca LED BY Orozco")
    assert "no ve enemigo en Morabito: lo oculta la niebla" in answer
    answer = asked(foggy, "spain", f"ODDS {ASSAULT}")
    assert "Hay niebla: no se cuentan los enemigos que usted no ve." in answer
    assert "Las probabilidades son exactas" not in answer
    foggy.server.engine.dispose()
