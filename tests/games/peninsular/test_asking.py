"""Questions by letter: all who attack, every hex that matters, the strengths, and which answers come to the same."""

from pbem.engine.data.messages import plain_english
from pbem.engine.run.questions import Asks
from pbem.engine.run.runners import Paused, play
from pbem.games.peninsular import GAME
from pbem.letters.catalogue import load_catalogue
from tests.games.peninsular.test_telling import Loaded
from tests.games.peninsular.test_turns import start

SIDES = (
    "french inf A pf 5 will B facing S at 0504",
    "french inf B pf 5 will B facing SW at 0604",
    "french art Guns pf 2 fire 6 facing S at 0604",
    "british inf D pf 6 will A facing N at 0505",
    "british inf E pf 2 will A facing N formation skirmish at 0505",
)


def asked(state, text, what):
    """The first question of a kind that the defender is put."""
    given = {state.phase: GAME.parse(text, state, state.phase).orders}
    (seat,) = (seat for seat in GAME.seats(state) if seat != state.phase)
    answers: dict[str, tuple[str, ...]] = {}
    while True:
        decisions = GAME.decisions(state, given, answers, Asks(frozenset((seat,))))
        result = play(GAME.rules, GAME.world(state, given), Loaded({"fire": 1}), decisions)
        assert isinstance(result, Paused)
        window, view = result.windows[0], GAME.view(result.world.state, seat)
        question = GAME.telling.question(view, window, decisions.silence(view, window))
        if window.what == what:
            return question
        answers[window.id] = decisions.silence(view, window).value


def test_who_leads_the_defence_is_asked_with_all_attackers_hexes_strengths_and_column():
    question = asked(start(*SIDES, phase="french"), "ASSAULT 0505 WITH A, B", "defence")
    assert plain_english(question.text).startswith("0505 is assaulted by A from 0504, B from 0604. Which counter")
    scene = "\n".join(plain_english(line) for _, line in question.scene)
    assert all(
        f"{ident} {kind}" in scene for ident, kind in (("A", "inf"), ("B", "inf"), ("Guns", "art"), ("D", "inf"))
    )
    assert [plain_english(option.text) for option in question.options] == [
        "D: 10 PF to 8, column 1:1, -1 to the die",
        "E: 10 PF to 8, column 1:1, +1 to the die",
    ]
    say = load_catalogue("es", "peninsular").say
    assert say(question.text).startswith("Asaltan 0505: A desde 0504, B desde 0604. ¿Qué ficha suya")
    assert say(question.options[0].text) == "D: 10 PF a 8, columna 1:1, -1 al dado"


def test_at_whom_to_fire_is_asked_with_what_each_answer_comes_to():
    question = asked(start(*SIDES, phase="french"), "ASSAULT 0505 WITH A, B", "fire")
    assert "it is assaulted by A from 0504, B from 0604" in plain_english(question.text)
    assert [plain_english(option.text) for option in question.options] == [
        "at those who assault it, else at nobody (now 0504)",
        "at the nearest (now 0504)",
        "at those who assault it, else at the nearest (now 0504)",
        "at nobody",
    ]
    assert "A, B, C come to the same now." in plain_english(question.text)


def test_who_is_not_assaulted_is_told_which_answers_keep_silent():
    question = asked(start(*SIDES, phase="french"), "PASS", "fire")
    assert plain_english(question.options[0].text) == "at those who assault it, else at nobody (now nobody)"
    text = plain_english(question.text)
    assert "A, D come to the same now." in text
    assert "B, C come to the same now." in text
