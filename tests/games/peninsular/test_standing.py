"""Standing orders and conditions in this game's own words, and what is written back."""

import pytest

from pbem.engine.data.messages import plain_english
from pbem.games.peninsular import GAME

STATE = GAME.start(GAME.edition("barrosa", {}, {}))
VIEW = GAME.view(STATE, "british")


def read(text):
    return GAME.parse(text, VIEW, "british")


def rule(line):
    reading = read(f"STANDING FOR ALL\n{line}\nENDSTANDING")
    assert reading.rejected == ()
    return GAME.canon(reading.orders).splitlines()[1]


@pytest.mark.parametrize("rank", ["CAV.PF>=2", "CAB.FUERZA>=2", "cav.strength\u22652", "CAV.STEPS>=2", "CAB.PASOS>=2"])
def test_a_counter_is_chosen_by_its_strength_points(rank):
    assert rule(f"WHEN ASSAULTED THEN LED BY {rank}") == "1. WHEN ASSAULTED THEN LED BY CAV.PF>=2"


@pytest.mark.parametrize("word", ["DISORDERED", "DESORDENADA", "DEMORALISED"])
def test_a_counter_that_is_not_steady_is_disordered(word):
    assert rule(f"WHEN ASSAULTED IF MY 2/87 {word} THEN STAND") == "1. WHEN ASSAULTED IF MY 2/87 DISORDERED THEN STAND"


def test_what_a_condition_can_ask_of_a_counter_is_told_in_this_game_s_words():
    (refused,) = read("STOP IF MY 2/87 TIRED").rejected
    assert (refused.rule, refused.word) == ("S1", "TIRED")
    assert plain_english(refused.why) == "expected HERE, FRESH, DISORDERED or SPENT here"
