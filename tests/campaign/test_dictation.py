"""The text of a moderator's letter: rulings, questions and codes, as mail programs leave them."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.engine.data.messages import plain_english
from pbem.engine.orders.lex import fold
from pbem.letters.catalogue import load_catalogue
from pbem.letters.rulings import ParsedRulings
from pbem.play.rulings import moderator_letter
from pbem.runtime.limits import ExceededLimit
from pbem.tournaments import director_letter

KNOWN = moderator_letter.KNOWN

LONG = "ANNOUNCE The next phase gets a day more, since so many of you have"


ROLES: tuple[Any, ...] = (moderator_letter.KNOWN, director_letter.KNOWN)


def message_of(line, because=""):
    return replace(KNOWN.read_line(f"{line} BECAUSE x"), because=because).message()


def lines(text):
    return [ruled.order.line for ruled in KNOWN.read_letter(text).rulings]


@pytest.mark.parametrize(
    ("text", "rulings"),
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
def test_rulings_are_found(text, rulings):
    assert lines(text) == rulings
    assert KNOWN.read_letter(text).wrong == ()


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("PROCES T1.spain BECAUSE x\n", 1, "PROCES is no ruling. Did you mean PROCESS? "),
        ("HOLD BECAUSE of it\nand so on\n", 2, "A ruling begins with one of: "),
        (f"{LONG}\n\nwritten that you are away.\n", 3, "A ruling begins with one of: "),
        (f"{LONG}\nPROCES T1.spain BECAUSE x\n", 2, "PROCES is no ruling. Did you mean PROCESS? "),
        ("\nHOLD\n", 2, "A ruling says why: HOLD BECAUSE ...."),
        ("CODE abc\n", 1, "A code has 8 letters and digits"),
        ("CODE abcdefgh\nCODE abcdefgi\n", 2, "One code a letter"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text, line, why):
    (wrong,) = KNOWN.read_letter(text).wrong
    assert wrong.rejected.line == line
    assert why in plain_english(wrong.rejected.why)


def test_questions_and_codes():
    parsed = KNOWN.read_letter("Estado\nHISTORY T1-T3\ncódigo: abcd2345.\n")
    assert [(question.name, question.rest) for question in parsed.questions] == [("status", ""), ("history", "t1-t3")]
    assert parsed.code == "abcd2345"


def test_a_letter_of_too_many_lines_is_not_read():
    assert KNOWN.read_letter("HOLD BECAUSE x\n" * 5000) == ParsedRulings(excess=ExceededLimit("lines", 4000))


@given(st.text(alphabet="HOLDAWRN because A1\n-#.;é", max_size=300))
def test_whatever_is_written_can_be_written_again(text):
    for known in ROLES:
        for ruled in known.read_letter(text).rulings:
            assert known.read_line(ruled.order.line) == ruled.order


SAID = st.sampled_from(
    [form.example_in(language) for known in ROLES for form in known.by_word.values() for language in ("en", "es")]
)
REASONS = st.sampled_from(["", " BECAUSE of it", " PORQUE llueve", " because x; y", " BECAUSE", " BECAUSE because"])
OTHERS = st.sampled_from(["Dear server,", "STATUS", "CODE abcdefgh", "Regards", "-- ", "# BECAUSE", "", "x" * 60])


@given(st.lists(st.one_of(st.tuples(SAID, REASONS).map("".join), OTHERS), max_size=6))
def test_lines_of_either_role_are_read_or_told_to_be_wrong(lines):
    """Nothing that begins as a ruling gets lost: it is read, is part of a line above it, or is told to be wrong."""
    for known in ROLES:
        parsed = known.read_letter("\n".join(lines))
        for ruled in parsed.rulings:
            assert known.read_line(ruled.order.line) == ruled.order
        lines_read = {entry.rejected.line for entry in parsed.wrong} | {
            entry.line for entry in (*parsed.rulings, *parsed.questions)
        }
        if not any(line.startswith(("Regards", "-- ")) or len(line) > 50 for line in lines):
            meant = {index for index, line in enumerate(lines, 1) if known.ruling_of(line.split(" ")[0])}
            assert meant <= lines_read


@pytest.mark.parametrize("known", ROLES, ids=["moderator", "director"])
def test_both_languages_have_a_word_for_everything_and_no_two_the_same(known):
    words = [word for form in known.by_word.values() for word in (form.word, form.spanish)]
    words += [phrase for question in known.questions.values() for phrase in question.form.phrases]
    assert "" not in words
    assert len(set(words)) == len(words)
    assert all(fold(word).upper() == word for word in words)
    assert all(known.ruling_of(form.spanish) is known.ruling_of(form.word) is form for form in known.by_word.values())


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("known", ROLES, ids=["moderator", "director"])
def test_help_has_a_line_for_everything(known, language):
    lines = [line for block in known.help(language) for line in block["lines"]]
    assert max(map(len, lines)) <= 76
    written = [(form.example_in("en"), form.example_in("es")) for form in known.by_word.values()]
    written += [(question.form.example, question.form.spanish) for question in known.questions.values()]
    assert len(lines) == len(written)
    for english, spanish in written:
        first, second = (english, spanish) if language == "en" else (spanish, english)
        assert sum(line.startswith(f"{first} ") and line.endswith(f" {second}") for line in lines) == 1


@pytest.mark.parametrize("word", ["EXPORT", "EXPORTAR", "PREDICT", "PREVER"])
@pytest.mark.parametrize("sign", [";", ",", ";EXPORT", "-x", "(3)"])
def test_a_question_with_a_sign_at_its_end_is_no_ruling(word, sign):
    parsed = KNOWN.read_letter(f"{word}{sign}")
    name = "export" if word.startswith("EXP") else "predict"
    asked = {";EXPORT": [name, "export"], ";": [name], ",": [name]}.get(sign, [])
    assert (parsed.rulings, [question.name for question in parsed.questions]) == ((), asked)
    assert bool(parsed.wrong) is not bool(asked)


@pytest.mark.parametrize("known", ROLES, ids=["moderator", "director"])
def test_a_ruling_is_told_in_the_words_of_its_reader_and_read_back(known):
    for ruling in known.by_word.values():
        order = known.read_line(f"{ruling.word} {ruling.example} BECAUSE why".replace("  ", " "))
        words = {
            language: load_catalogue(language, "africa1860").say(known.message_of(order.text))
            for language in ("en", "es")
        }
        assert words["es"].split()[0] == ruling.spanish
        assert words["en"].split()[0] == ruling.word
        for line in words.values():
            assert known.read_line(f"{line} PORQUE why").ruling is ruling
        if ruling.spelling != "as written":
            assert known.read_line(order.line_in("es")) == known.read_line(order.line_in("en")) == order


HOLDS: dict[str, Any] = {"moderator": moderator_letter.KNOWN, "director": director_letter.KNOWN}
"""Roles that have a ruling HOLD and a question STATUS."""


@pytest.mark.parametrize("role", HOLDS)
@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("HOLD", "A ruling says why: HOLD BECAUSE ...."),
        ("HOLD BECAUSE", "A ruling says why: HOLD BECAUSE ...."),
        ("HOLD BECAUSE \u200b", "A ruling says why: HOLD BECAUSE ...."),
        ("FROBNICATE {0} BECAUSE x", "A ruling begins with one of: "),
        ("STATUS please", "STATUS is a command, but I do not understand what follows it."),
        ("HOLDING BECAUSE x", "A ruling begins with one of: "),
        ("HOLD BECAUSE " + "x" * 2000, "may have 2000 characters."),
    ],
)
def test_every_role_is_told_alike_what_is_wrong(role, line, why):
    parsed = HOLDS[role].read_letter(f"Dear server,\n\n{line}\n")
    assert parsed.rulings == parsed.questions == ()
    (wrong,) = parsed.wrong
    assert why in plain_english(wrong.rejected.why)
    assert wrong.rejected.line == 3


@pytest.mark.parametrize("role", HOLDS)
def test_what_is_written_in_a_reason_is_only_said(role):
    reason = "{0} %s {seat} <b>x</b> $(rm -rf) '; DROP TABLE game; -- \\N{BELL}"
    (ruled,) = HOLDS[role].read_letter(f"HOLD PORQUE {reason}\n").rulings
    assert ruled.order.because == reason
    for language in ("en", "es"):
        assert reason in load_catalogue(language).say(ruled.order.message())


@pytest.mark.parametrize("role", HOLDS)
def test_fifty_lines_are_too_many_and_none_of_them_counts(role):
    assert HOLDS[role].read_letter("HOLD BECAUSE x\n" * 50) == ParsedRulings(excess=ExceededLimit("commands", 40))


@pytest.mark.parametrize("known", ROLES, ids=["moderator", "director"])
def test_languages_may_be_mixed_in_one_line(known):
    for ruling in known.by_word.values():
        lines = [
            f"{word} {ruling.translate_rest(ruling.example, language)} {because} x".replace("  ", " ")
            for word in (ruling.word, ruling.spanish)
            for language in ("en", "es")
            for because in ("BECAUSE", "PORQUE")
        ]
        assert len({ruling.translate_rest(known.read_line(line).text, "en") for line in lines}) == 1


def test_a_moderator_names_seats_as_letters_do():
    say = load_catalogue("es", "africa1860").say
    assert say(message_of("FORBID PRESS morocco")) == "PROHIBIR PRENSA Marruecos"
    assert say(message_of("SUBSTITUTE spain BY ...")) == "SUSTITUIR España POR ..."
    assert say(message_of("WARN morocco PRESS is no place for insults", "he went on")) == (
        "ADVERTIR Marruecos PRESS is no place for insults PORQUE he went on"
    )
    assert load_catalogue("en", "africa1860").say(message_of("FORBID PRENSA morocco")) == "FORBID PRESS Morocco"
