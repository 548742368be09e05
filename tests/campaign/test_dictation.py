"""The text of a moderator's letter: rulings, questions and codes, as mail programs leave them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.engine.data.messages import plain
from pbem.engine.orders.lex import fold
from pbem.letters.catalogue import load
from pbem.play.rulings import briefing, ruling_lines
from pbem.play.rulings import ruling_context as ruling_words
from pbem.play.rulings.ruling_context import SPANISH
from pbem.play.rulings.rulings import RULINGS
from pbem.runtime.limits import Excess

LONG = "ANNOUNCE The next phase gets a day more, since so many of you have"


def lines(text):
    return [ruled.order.line for ruled in ruling_lines.read_letter(text).rulings]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Dear server,\n\nHOLD BECAUSE of the map\n", ["HOLD BECAUSE of the map"]),
        (
            "hold because of the map\nwarn spain to be civil because of it\n",
            ["HOLD BECAUSE of the map", "WARN spain to be civil BECAUSE of it"],
        ),
        (
            "DETENER PORQUE llueve\nDecisión A2 El mar no se cruza.\n",
            ["HOLD BECAUSE llueve", "RULING A2 El mar no se cruza."],
        ),
        (
            f"{LONG}\nwritten that you are away.\nHOLD BECAUSE of it\n",
            [f"{LONG} written that you are away.", "HOLD BECAUSE of it"],
        ),
        (f"{LONG}\nruling what they like.\n", [f"{LONG} ruling what they like."]),
        (f"{LONG}\n#12 stands.\n", [f"{LONG} #12 stands."]),
        ("HOLD BECAUSE of the map\n# a remark\n// another\nEND\nRESUME BECAUSE no\n", ["HOLD BECAUSE of the map"]),
        ("HOLD BECAUSE of the map\n\nBest regards,\nMo\n", ["HOLD BECAUSE of the map"]),
        ("HOLD BECAUSE of the map\n-- \nMo\nRESUME BECAUSE no\n", ["HOLD BECAUSE of the map"]),
        ("How are you all?\n", []),
    ],
)
def test_rulings_are_found(text, found):
    assert lines(text) == found
    assert ruling_lines.read_letter(text).wrong == ()


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("PROCES T1.spain BECAUSE x\n", 1, "is no moderator's line"),
        ("HOLD BECAUSE of it\nand so on\n", 2, "is no moderator's line"),
        (f"{LONG}\n\nwritten that you are away.\n", 3, "is no moderator's line"),
        (f"{LONG}\nPROCES T1.spain BECAUSE x\n", 2, "is no moderator's line"),
        ("\nHOLD\n", 2, "A ruling has a reason: HOLD ... BECAUSE and why."),
        ("CODE abc\n", 1, "A code has 8 letters and digits"),
        ("CODE abcdefgh\nCODE abcdefgi\n", 2, "One code a letter"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text, line, why):
    (wrong,) = ruling_lines.read_letter(text).wrong
    assert wrong.rejected.line == line
    assert why in plain(wrong.rejected.why)


def test_questions_and_codes():
    said = ruling_lines.read_letter("Estado\nHISTORY T1-T3\ncódigo: abcd2345.\n")
    assert [(one.word, one.rest) for one in said.questions] == [("STATUS", ""), ("HISTORY", "t1-t3")]
    assert [one.rest for one in said.codes] == ["abcd2345"]


def test_a_letter_of_too_many_lines_is_not_read():
    assert ruling_lines.read_letter("HOLD BECAUSE x\n" * 5000) == ruling_lines.Dictation(excess=Excess("lines", 4000))


@given(st.text(alphabet="HOLDAWRN because A1\n-#.;é", max_size=300))
def test_whatever_is_written_can_be_written_again(text):
    for ruled in ruling_lines.read_letter(text).rulings:
        assert ruling_lines.read_line(ruled.order.line) == ruled.order


def test_both_languages_have_a_word_for_everything_and_no_two_the_same():
    spanish = [SPANISH[word] for word in RULINGS] + [word for word, _ in ruling_lines.QUESTIONS.values()]
    assert "" not in spanish
    words = [*RULINGS, *ruling_lines.QUESTIONS, *spanish]
    assert len(set(words)) == len(words)
    assert all(fold(word).upper() == word for word in words)
    assert all(ruling_lines.word(SPANISH[word]) == word for word in RULINGS)


def test_help_has_a_line_for_everything():
    told = "\n".join(briefing.help_()["lines"])
    for word in RULINGS:
        assert word in told
        assert SPANISH[word] in told
    assert max(map(len, told.split("\n"))) <= 76


@pytest.mark.parametrize("word", ["EXPORT", "EXPORTAR", "PREDICT", "PREVER"])
@pytest.mark.parametrize("sign", [";", ",", ";EXPORT", "-x", "(3)"])
def test_a_question_with_a_sign_at_its_end_is_no_ruling(word, sign):
    found = ruling_lines.read_letter(f"{word}{sign}")
    assert (found.rulings, [one.word for one in found.questions]) == (
        (),
        ["EXPORT" if word.startswith("EXP") else "PREDICT"],
    )


@pytest.mark.parametrize("word", RULINGS)
def test_a_ruling_is_told_in_the_words_of_its_reader_and_read_back(word):
    order = ruling_lines.read_line(f"{word} {RULINGS[word].form} BECAUSE why".replace("  ", " "))
    told = {
        language: load(language, "africa1860").say(ruling_words.ruling_line(order.text)) for language in ("en", "es")
    }
    assert told["es"].split()[0] == SPANISH[word]
    assert told["en"].split()[0] == word
    for line in told.values():
        assert ruling_lines.read_line(f"{line} PORQUE why").word == word


def test_a_moderator_names_seats_as_letters_do():
    say = load("es", "africa1860").say
    assert say(ruling_words.ruling_line("FORBID PRESS morocco")) == "PROHIBIR PRENSA Marruecos"
    assert say(ruling_words.ruling_line("SUBSTITUTE spain BY ...")) == "SUSTITUIR España POR ..."
    assert say(ruling_words.ruling_line("WARN morocco PRESS is no place for insults", "he went on")) == (
        "ADVERTIR Marruecos PRESS is no place for insults PORQUE he went on"
    )
    assert load("en", "africa1860").say(ruling_words.ruling_line("FORBID PRENSA morocco")) == "FORBID PRESS Morocco"
