"""TEST STANDING: what is made up, what is refused, and that nothing hidden comes through."""

from typing import Any

import pytest

from pbem.engine.data.messages import plain_english
from pbem.engine.rehearsal import rehearse_attack
from pbem.games.africa1860 import GAME
from pbem.games.africa1860.forecast import read_attack

ANY: Any = GAME
START = GAME.start(GAME.edition("castillejos", {}, {}))
STANDING = """STANDING FOR SPACE Cresta
1. WHEN ASSAULTED IF ENEMY INF AT LEAST 3 THEN VANGUARD INF.WEAKEST
2. WHEN ASSAULTED IF ENEMY FROM Playa THEN VANGUARD INF.STRONGEST
3. WHEN CHARGED THEN SCREEN NONE
ENDSTANDING
"""
RULES = GAME.parse(STANDING, START, "morocco").orders.standing


def answers(force, standing=RULES):
    """Questions with what answers them, by the first word of the reason."""
    attack = read_attack(f"Cresta BY {force}", START, "morocco")
    assert attack.rejected == ()
    window_answers = rehearse_attack(ANY, "morocco", attack, standing)
    return {(plain_english(asked.question).rpartition(". ")[2], asked.by) for asked in window_answers}


def lines(texts):
    return {by for _, by in texts if by.startswith("standing")}


def test_the_line_that_fits_the_force_answers():
    assert lines(answers("3 INF")) == {"standing SPACE Cresta 1"}
    assert lines(answers("2 INF FROM Nudos")) == set()
    assert lines(answers("2 CAV FROM Nudos")) == {"standing SPACE Cresta 3"}
    assert all(by == "default" for _, by in answers("3 INF", ()))


def test_an_attack_opens_all_windows_on_its_ways():
    asked = {question for question, _ in answers("Cuenca, Vergara, Orozco")}
    assert {"Which unit of yours is the vanguard?", "Who takes losses first, after the vanguard?"} <= asked


@pytest.mark.parametrize(
    ("text", "word", "why"),
    [
        ("Cresta BY Bujari", "Bujari", "this is no unit of the enemy that you see"),
        ("Cresta BY 0 INF", "0", "a number from 1 to {most} stands here"),
        ("Cresta BY 9 CAV", "9", "a number from 1 to {most} stands here"),
        ("Cresta BY 2 STEPS", "STEPS", "expected {words} or {last} here"),
        ("Cresta BY Orozco", "Cresta", "an attack needs infantry or cavalry"),
        ("Nudos BY Cuenca", "Nudos", "none of your units stands in {space}"),
        ("Cresta BY Cuenca FROM Ceuta", "Ceuta", "{word} is not a place on this map"),
        ("Cresta WITH Cuenca", "WITH", "expected {word} here"),
        ("Nowhere BY Cuenca", "Nowhere BY", "{word} is not a place on this map"),
    ],
)
def test_what_cannot_be_is_refused_with_its_word(text, word, why):
    (bad,) = read_attack(text, START, "morocco").rejected
    assert (bad.why.text, text[bad.column :].startswith(word.split()[0])) == (why, True)
    assert bad.rule


def test_under_fog_only_what_is_seen_can_be_named():
    hidden = START.change(edition=GAME.edition("castillejos", {"fog": "on"}, {}))
    view = GAME.view(hidden, "morocco")
    unseen = sorted(i for i, u in START.units.items() if u.side == "spain" and i not in view.units)
    assert unseen
    (bad,) = read_attack(f"Cresta BY {unseen[0]}", view, "morocco").rejected
    assert bad.why.text == "this is no unit of the enemy that you see"
