"""LESSON: short guided turns by letter, played in both games and both languages through the engine."""

import pytest

from pbem.cli.rulebooks import game_by_name
from pbem.engine.lessons import lessons_of
from pbem.runtime.transaction import BotGamePolicy
from pbem.store import queries
from tests.harness.battle import PlayedBattle, readable
from tests.harness.server import changed

GAMES = ("africa1860", "peninsular")
LANGUAGES = ("en", "es")
WORDS = {"en": ("LESSON", "ORDERS", "END", "SOLUTION"), "es": ("LECCION", "ORDENES", "FIN", "SOLUCION")}
RIGHT, NOT_YET = {"en": "Right.", "es": "Correcto."}, {"en": "Not yet", "es": "Todavía no"}
EVERY = [(game, number) for game in GAMES for number in range(1, 6)]
LINES, WIDTH = 60, 72

SLIPS: dict[tuple[str, int], dict[str, str | int]] = {
    ("africa1860", 1): {
        "ACTIVATE A\nMOVE Cordoba, Bateria WITH Prim TO C": "O3.1",
        "ACTIVATE A\nMOVE Cordoba WITH Prim TO C": "O3.2",
        "ACTIVATE A\nMOVE Cordoba TO B": 1,
        "ACTIVATE A\nMOVE Cordoba, Bateria TO B": 2,
    },
    ("africa1860", 2): {
        "ACTIVATE B\nFIRE Bateria AT E": "O3.1",
        "ACTIVATE B\nFIRE Cordoba AT C": "O3.1",
        "ACTIVATE B\nMOVE Bateria TO A": 0,
        "ACTIVATE B\nFIRE Bateria AT C\nMOVE Cordoba TO A": 1,
    },
    ("africa1860", 3): {
        "ACTIVATE B\nASSAULT C WITH Cordoba, Vergara SUPPORT Bateria": "O8.1",
        "ACTIVATE B\nMOVE Cordoba, Vergara WITH Prim TO C": "R2",
        "ACTIVATE B\nFIRE Bateria AT C": 0,
        "ACTIVATE B\nASSAULT C WITH Vergara LED BY Prim": 1,
    },
    ("africa1860", 4): {
        "STANDING FOR SPACE B\n1. WHEN ASSAULTED THEN CAVALRY STAY\nENDSTANDING": 0,
        "ACTIVATE B\nMOVE Husares TO A": "phase",
    },
    ("africa1860", 5): {"WHY 3": 1, "WHY ?": 0, "6": 0},
    ("peninsular", 1): {
        "MOVE 1/28 WITH Graham TO 0402": "T7",
        "MOVE 1/28 WITH Graham TO 0403": "T7",
        "MOVE 1/28 TO 0405": 1,
        "MOVE Graham TO 0405": 0,
    },
    ("peninsular", 2): {
        "FIRE 1/28 AT 0602\nFIRE Duncan AT 0403": 0,
        "FIRE Duncan AT 0403": 0,
        "FIRE 1/28 AT 0403": 1,
    },
    ("peninsular", 3): {
        "MOVE 2/1Guards TO 0403": "T7",
        "ASSAULT 0402 WITH 2/1Guards": "S5",
        "MOVE 2/67 TO 0305": 0,
    },
    ("peninsular", 4): {
        "STANDING FOR ALL\n1. FIRE ASSAULTERS\nENDSTANDING": 0,
        "MOVE 1/28 TO 0404": "phase",
    },
    ("peninsular", 5): {"WHY 1": 1, "WHY 99": 0},
}
"""Wrong answers by game and lesson: the rule that refuses each, or the place of what it is told to lack."""
SLIPS_ = [(*which, text, wrong) for which, slips in SLIPS.items() for text, wrong in slips.items()]


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    made = PlayedBattle(tmp_path_factory.mktemp("lessons"))
    made.server = changed(made.server, play=BotGamePolicy("any", GAMES))
    yield made
    made.server.engine.dispose()


_STRANGERS = iter(range(1, 1000))


def write(table, text, sender=""):
    """The answer to somebody without a seat, each time another unless he is named; empty if there is none."""
    number = next(_STRANGERS)
    sender = sender or f"eva@forum{number}.example"
    letter = table.letter("nobody", f"{text}\n", sender=sender, to="pbem@games.example")
    table.wait(60 * 24)
    answers = table.deliver(letter).answers
    return readable(answers[0]) if answers else ""


def lesson_of(game, number):
    return lessons_of(game_by_name(game))[number - 1]


def answered(table, game, number, language, lines):
    word, orders, end, _ = WORDS[language]
    return write(table, "\n".join([f"{word} {game} {number} {orders}", *lines, end]))


def flat(text):
    return " ".join(text.split())


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("game", "number"), EVERY)
def test_a_lesson_fits_a_letter_and_its_model_answer_is_right(table, game, number, language):
    lesson = lesson_of(game, number)
    words = lesson.words(language)
    shown = write(table, f"{WORDS[language][0]} {game} {number}")
    assert words["title"] in shown
    assert flat(words["task"]) in flat(shown)
    right = answered(table, game, number, language, lesson.lines("model", language))
    assert f"{RIGHT[language]} {flat(words['well'])}" in flat(right)
    for lines in (shown.splitlines(), right.splitlines()):
        assert max(map(len, lines)) <= WIDTH
    assert len(shown.splitlines()) <= LINES
    if number < len(lessons_of(lesson.game)):
        assert flat(lesson_of(game, number + 1).words(language)["task"]) in flat(right)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("game", "number", "text", "wrong"), SLIPS_)
def test_a_wrong_answer_is_explained(table, game, number, text, wrong, language):
    lesson = lesson_of(game, number)
    lines = lesson.game.telling.spoken(f"{text}\n", language).splitlines()
    answer = flat(answered(table, game, number, language, lines))
    assert NOT_YET[language] in answer
    if wrong == "phase":
        assert {"en": "not your phase", "es": "No es su fase"}[language] in answer
    elif isinstance(wrong, str):
        assert f"[{wrong}]" in answer
        assert flat(lesson.game.rulebook.rule(wrong, language)[0]) in answer
    else:
        assert flat(lesson.words(language)["missing"][wrong]) in answer
    word, *_, solution = WORDS[language]
    shown = write(table, f"{word} {game} {number} {solution}")
    assert all(line in shown for line in lesson.lines("model", language))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("game", "number"), EVERY)
def test_the_form_sent_back_as_it_was_is_answered(table, game, number, language):
    lesson = lesson_of(game, number)
    answer = flat(answered(table, game, number, language, lesson.lines("form", language)))
    assert NOT_YET[language] in answer
    assert lesson.asks_why or "#" in answer


@pytest.mark.parametrize("game", GAMES)
def test_every_lesson_says_the_same_in_both_languages(game):
    lessons = lessons_of(game_by_name(game))
    assert len(lessons) == 5
    for lesson in lessons:
        english, spanish = (lesson.table[language] for language in LANGUAGES)
        assert english.keys() == spanish.keys()
        expected = 2 if lesson.asks_why else len(lesson.table["expect"])
        assert len(english["missing"]) == len(spanish["missing"]) == expected


def test_lessons_are_listed_and_a_number_alone_is_of_the_first_game(table):
    listed = write(table, "LESSON")
    for game, number in EVERY:
        assert f"LESSON {game} {number}: {lesson_of(game, number).words('en')['title']}" in listed
    assert "there are 5" in write(table, "LESSON 6")
    assert "There are no lessons of chess here" in write(table, "LESSON chess 1")
    assert "Lesson 2 of 5, Africa" in write(table, "LESSON 2")
    for named in ("penin", "training", "barrosa"):
        assert "Lesson 2 of 5, Peninsular" in write(table, f"LESSON {named} 2")
    assert "LESSON 2 SOLUTION" in write(table, "HELP LESSON")
    assert "LECCION 2 SOLUCION" in write(table, "AYUDA LECCIÓN")


def test_an_answer_without_its_end_is_refused(table):
    assert "END is missing" in write(table, "LESSON 1 ORDERS\nACTIVATE A")


def test_a_stranger_is_answered_as_often_as_with_other_requests(table):
    sender = "luis@foro.example"
    letters = [table.letter("nobody", f"LESSON {n}\n", sender=sender, to="pbem@games.example") for n in range(1, 7)]
    table.wait(60 * 24)
    answers = [table.deliver(letter).answers for letter in letters]
    assert [bool(answer) for answer in answers] == [True] * 5 + [False]
    with table.server.session() as session:
        assert [game.id for game in queries.games.all_games(session)] == ["g1"]


@pytest.mark.parametrize("game", GAMES)
def test_a_player_learns_beside_his_game_and_nothing_of_it_changes(tmp_path, game):
    scenario, seats = {
        "africa1860": ("drill", ("spain", "morocco")),
        "peninsular": ("training", ("british", "french")),
    }[game]
    table = PlayedBattle(tmp_path, scenario, undo=0, game=game, seats=seats)
    lesson = lesson_of(game, 1)
    before = table.answer(seats[0], "STATUS\n")
    body = "\n".join(["LESSON 1 ORDERS", *lesson.lines("model", "es"), "END\n"])
    answer = flat(table.answer(seats[0], body))
    assert lesson.words("es")["well"] in answer or lesson.words("en")["well"] in answer
    again = flat(table.answer(seats[0], body))
    assert lesson.words("es")["well"] in again or lesson.words("en")["well"] in again, "the same words are judged anew"
    assert table.answer(seats[0], "STATUS\n") == before
    both = flat(table.answer(seats[1], f"{body}WAIT\n"))
    assert lesson.words("en")["well"] in both or lesson.words("es")["well"] in both
    table.server.engine.dispose()


def test_orders_of_the_game_stand_beside_an_answer_to_a_lesson(tmp_path):
    table = PlayedBattle(tmp_path, "drill", undo=30)
    game = "ORDERS T1\nACTIVATE A\nMOVE Husares WITH Prim TO F\nEND\n"
    lesson = "\n".join(["LESSON africa1860 1 ORDERS", *lesson_of("africa1860", 1).lines("model", "en"), "END\n"])
    for text in (lesson + game, game + lesson):
        answer = flat(table.answer("spain", text))
        assert RIGHT["es"] in answer
        assert "MOVER Húsares CON Prim A F" in answer
    table.server.engine.dispose()
