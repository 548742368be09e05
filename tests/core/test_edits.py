"""Corrections of a position: read whole or not at all, each thing one event, everything else a refusal."""

import pytest

from pbem.engine.data.messages import msg, plain_english
from pbem.engine.edits import (
    CORRECTED_EVENT,
    CorrectableFact,
    CorrectableKind,
    choice_fact,
    correction_text,
    number_fact,
    read_correction,
    yes_no_fact,
)

CUPS = {"red": {"id": "red", "owner": "ann", "at": "shelf", "sips": 3, "full": 5, "hot": False, "lid": "none"}}
KINDS = {
    "CUP": CorrectableKind(
        CUPS,
        lambda cup: str(cup["owner"]),
        {
            "AT": CorrectableFact(
                "at", lambda cup, word: word if word in ("shelf", "table") else msg("there is no such place")
            ),
            "SIPS": number_fact("sips", 1, lambda cup: int(cup["full"])),
            "HOT": yes_no_fact("hot"),
            "LID": choice_fact("lid", lambda cup: {"NONE": "none", "TIN": "tin"}),
        },
    )
}


def test_a_correction_is_one_event_for_each_thing_with_what_was_and_what_is():
    (happened,) = read_correction("cup Red at table sips 4 HOT yes lid tin", KINDS).events
    assert (happened.kind, happened.cite) == (CORRECTED_EVENT, "")
    assert happened.data == {
        "what": "cup",
        "id": "red",
        "side": "ann",
        "old": {"at": "shelf", "sips": 3, "hot": False, "lid": "none"},
        "new": {"at": "table", "sips": 4, "hot": True, "lid": "tin"},
    }


def test_spanish_words_mean_the_same():
    spanish = {"taza": "CUP", "sorbos": "SIPS", "caliente": "HOT", "tapa": "LID", "lata": "TIN"}
    (english,) = read_correction("CUP red AT table SIPS 4 HOT YES LID TIN", KINDS).events
    assert read_correction("TAZA red EN table SORBOS 4 CALIENTE SÍ TAPA LATA", KINDS, spanish).events == (english,)


def test_what_is_so_already_is_left_out():
    (happened,) = read_correction("CUP red AT shelf SIPS 5", KINDS).events
    assert happened.data["new"] == {"sips": 5}


def test_several_are_parted_by_semicolons():
    assert [event.data["new"] for event in read_correction("CUP red SIPS 5; CUP red HOT YES ;", KINDS).events] == [
        {"sips": 5},
        {"hot": True},
    ]


@pytest.mark.parametrize(
    ("text", "word", "why"),
    [
        ("", "", "A correction reads EDIT CUP NAME AT | SIPS | HOT | LID VALUE ...; several are parted by semicolons."),
        ("POT red SIPS 5", "POT", "A correction reads EDIT CUP"),
        ("CUP", "CUP", "A correction reads EDIT CUP"),
        ("CUP blue SIPS 5", "blue", "There is no such CUP in play."),
        ("CUP red", "red", "Say what is to be corrected: AT, SIPS, HOT, LID, each with its value."),
        ("CUP red SIPS", "red", "Say what is to be corrected"),
        ("CUP red COLOUR blue", "COLOUR", "COLOUR cannot be corrected; of a CUP there are: AT, SIPS, HOT, LID."),
        ("CUP red SIPS 6", "6", "SIPS of red: it is a number from 1 to 5"),
        ("CUP red SIPS 0", "0", "SIPS of red: it is a number from 1 to 5"),
        ("CUP red SIPS two", "two", "SIPS of red: it is a number from 1 to 5"),
        ("CUP red HOT maybe", "maybe", "HOT of red: it is YES or NO"),
        ("CUP red LID wood", "wood", "LID of red: it is one of: NONE, TIN"),
        ("CUP red AT cellar", "cellar", "AT of red: there is no such place"),
        ("CUP red SIPS 3", "red", "red is so already; nothing would change."),
    ],
)
def test_what_cannot_be_is_refused_with_the_word_and_the_reason(text, word, why):
    correction = read_correction(text, KINDS)
    assert correction.events == ()
    assert correction.rejected[0].word == word
    assert plain_english(correction.rejected[0].why).startswith(why)


def test_one_wrong_part_undoes_all_and_all_wrong_parts_are_told():
    correction = read_correction("CUP red SIPS 4; CUP red SIPS 9; CUP blue HOT YES", KINDS)
    assert correction.events == ()
    assert [bad.word for bad in correction.rejected] == ["9", "blue"]


def test_a_thing_that_has_no_such_number_says_so():
    kinds = {"CUP": CorrectableKind(CUPS, lambda cup: "ann", {"SIPS": number_fact("sips", 1, lambda cup: 0)})}
    (bad,) = read_correction("CUP red SIPS 1", kinds).rejected
    assert plain_english(bad.why) == "SIPS of red: red has none."


def test_a_correction_is_told_with_the_words_of_its_game():
    (happened,) = read_correction("CUP red LID tin HOT yes", KINDS).events
    words = {"lid": msg("cover"), "hot": msg("hot")}
    sentence = correction_text(happened.data, words, {"tin": msg("of tin"), "none": msg("none at all")})
    assert plain_english(sentence) == "The moderator corrects red: cover of tin (was none at all), hot yes (was no)."
