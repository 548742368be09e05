"""Words of a letter: how they are compared, where they begin, what says a keyword."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.engine.orders.lex import Statement, Vocabulary, column_of, fold, split, statements, tokens

SOFT_HYPHEN, ZERO_WIDTH, NO_BREAK, ACUTE = "\u00ad", "\u200b", "\u00a0", "\u0301"
# Characters that mail programs put in: accents of both kinds, dashes, quotes, marks nobody sees, ligatures.
SEEN_IN_MAIL = (
    "aeLn1 /,;:+()#.\"'\táñÜß—–“”‘’«»…ªº½¾ﬁ；，：／"
    + SOFT_HYPHEN
    + ZERO_WIDTH
    + NO_BREAK
    + ACUTE
    + "\ufeff\u200f\ufe0f"
)


def words(line):
    return [token.text for token in tokens(line)]


def columns(line):
    return [token.column for token in tokens(line)]


# Folding


def test_no_character_becomes_more_than_six_and_none_of_a_name_is_lost():
    """NFKD makes eighteen of one."""
    grows = [char for char in map(chr, range(0x110000)) if len(unicodedata.normalize("NFKD", char)) > 1]
    assert max(len(fold(char)) for char in grows) == len("rad/s2")
    assert (fold("\ufdfa"), fold("ﬃ"), fold("㎏"), fold("½")) == ("\ufffd", "ffi", "kg", " 1/2 ")


@pytest.mark.parametrize(
    ("written", "folded"),
    [
        ("MOVER", "mover"),
        ("León", "leon"),
        ("Leo" + "n\u0301", "leon"),
        ("LEÓN", "leon"),
        ("Ñuño", "nuno"),
        ("Straße", "strasse"),
        ("Wad–Ras", "wad-ras"),
        ("Wad\u2011Ras", "wad-ras"),
        ("el‑Abbas", "el-abbas"),
        ("O’Donnell", "o'donnell"),
        ("«Ceuta»", '"ceuta"'),
        ("El Serrallo".replace(" ", NO_BREAK), "el serrallo"),
        ("Ser" + SOFT_HYPHEN + "rallo", "serrallo"),
        ("Serrallo" + ZERO_WIDTH, "serrallo"),
        ("\u200eSerrallo\u200f", "serrallo"),
        ("oﬃcer", "officer"),
        ("1.ª", "1.a"),
        ("5.º", "5.o"),
        ("½", " 1/2 "),
        ("1⁄54", "1/54"),
        ("…", "..."),
        ("Ａrt１", "art1"),
        ("İstanbul", "istanbul"),
    ],
)
def test_fold(written, folded):
    assert fold(written) == folded


@given(st.text())
def test_folding_twice_changes_nothing_more(text):
    assert fold(fold(text)) == fold(text)


@given(st.text())
def test_neither_case_nor_accents_count(text):
    # The upper case of some letters is another letter to Unicode; those the folding need not know.
    plain = "".join(char for char in text if char.lower() == char.upper().lower() and len(char.upper()) == 1)
    assert fold(plain.upper()) == fold(plain.lower()) == fold(plain)


# Words and marks


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("MOVE Saboya, Leon WITH Prim TO Serrallo", ["MOVE", "Saboya", ",", "Leon", "WITH", "Prim", "TO", "Serrallo"]),
        ("FIRE Art1+Art2 AT Sierra", ["FIRE", "Art1", "+", "Art2", "AT", "Sierra"]),
        ("ODDS AT LEAST 2:1", ["ODDS", "AT", "LEAST", "2", ":", "1"]),
        ("VANGUARD Saboya/INF.STRONGEST", ["VANGUARD", "Saboya", "/", "INF.STRONGEST"]),
        ("CAV.STEPS>=2 / Leon", ["CAV.STEPS>=2", "/", "Leon"]),
        ("IF NOT (SPACE C ENEMY)", ["IF", "NOT", "(", "SPACE", "C", "ENEMY", ")"]),
        ("MOVE 1/54, 2/54 TO 0506", ["MOVE", "1/54", ",", "2/54", "TO", "0506"]),
        ("LOSSES 1/54/2/54", ["LOSSES", "1/54", "/", "2/54"]),
        ("PASS ; ACTIVATE B", ["PASS", ";", "ACTIVATE", "B"]),
        ("MOVE Leon TO B.", ["MOVE", "Leon", "TO", "B"]),
        ("MOVE Leon TO B!!", ["MOVE", "Leon", "TO", "B"]),
        ('MOVE "Leon" TO `B`', ["MOVE", "Leon", "TO", "B"]),
        ("MOVE “Leon” TO ‘B’.", ["MOVE", "Leon", "TO", "B"]),
        ('MOVE "Leon." TO B', ["MOVE", "Leon", "TO", "B"]),
        ("O'Donnell TO el-Abbas", ["O'Donnell", "TO", "el-Abbas"]),
        ("1. WHEN", ["1", "WHEN"]),
        ("1.ª batería", ["1.ª", "batería"]),
        ("... !", ["...", "!"]),
        ("   \t  ", []),
        ("", []),
    ],
)
def test_words(line, expected):
    assert words(line) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("MOVE Leon TO B # to the hill", ["MOVE", "Leon", "TO", "B"]),
        ("MOVE Leon TO B // to the hill", ["MOVE", "Leon", "TO", "B"]),
        ("# nothing", []),
        ("// nothing", []),
        ("MOVE 1/54 TO B", ["MOVE", "1/54", "TO", "B"]),
    ],
)
def test_comments_say_nothing(line, expected):
    assert words(line) == expected


def test_a_mark_is_no_word():
    words = tokens("A,B;C+D(E)F/G:H")
    assert "".join(token.text for token in words if token.is_word) == "ABCDEFGH"
    assert "".join(token.text for token in words if not token.is_word) == ",;+()/:"


# Columns


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("MOVE Leon TO B", [0, 5, 10, 13]),
        ("  MOVE\tLeon", [2, 7]),
        ("MOVER León, Rey A Serrallo", [0, 6, 10, 12, 16, 18]),
        # An accent of its own is a character of the line.
        ("MOVER Leo\u0301n, Rey A Serrallo", [0, 6, 11, 13, 17, 19]),
        # Characters that fold to several.
        ("Straße TO B", [0, 7, 10]),
        ("oﬃcer TO B", [0, 6, 9]),
        ("…A… TO B", [0, 4, 7]),
        ("½ TO B", [0, 2, 5]),
        # Characters that fold to nothing: before, within and after a word.
        ("\ufeffMOVE Leon TO B", [1, 6, 11, 14]),
        (f"MO{SOFT_HYPHEN}VE Le{ZERO_WIDTH}on TO B", [0, 6, 12, 15]),
        ("MOVE \u200eLeon\u200f TO B", [0, 6, 12, 15]),
        ("MOVE✔\ufe0f Leon", [0, 7]),
        # Quotes belong to the line, not to the word.
        ('MOVE "Leon" TO B', [0, 6, 12, 15]),
        ("MOVE «Leon» TO B", [0, 6, 12, 15]),
        (f"MOVE{NO_BREAK}Leon{NO_BREAK}TO B", [0, 5, 10, 13]),
    ],
)
def test_columns_are_those_of_the_line_as_written(line, expected):
    assert columns(line) == expected


def test_a_fraction_is_a_word_of_its_own():
    assert words("MOVE 2½, L½ TO ½") == ["MOVE", "2", "1/2", ",", "L", "1/2", "TO", "1/2"]


def test_a_mark_nobody_sees_does_not_part_a_word():
    assert words(f"MO{SOFT_HYPHEN}VE Sabo{ZERO_WIDTH}ya") == ["MOVE", "Saboya"]
    assert words(f"{ZERO_WIDTH}{SOFT_HYPHEN}") == []


@given(st.text(st.sampled_from(SEEN_IN_MAIL)))
def test_columns_rise_and_stand_on_the_first_letter(line):
    last = -1
    for token in tokens(line):
        # Only a character that stands for several can begin several words.
        assert last < token.column or (last == token.column and len(fold(line[last])) > 1)
        # An accent that nothing stands before is part of the word, and of no weight.
        assert token.key[:1] in (fold(line[token.column]) or token.key)
        last = token.column


@given(st.text())
def test_no_line_is_too_odd_to_be_read(line):
    for token in tokens(line):
        assert token.text
        assert token.key == fold(token.text)
        assert 0 <= token.column < len(line)


@given(st.lists(st.from_regex(r"[A-Za-z]{1,8}[0-9]?", fullmatch=True)))
def test_an_ascii_line_and_its_typographic_twin_read_alike(some):
    line = " ".join(some)
    assert tokens(line.replace(" ", NO_BREAK)) == tokens(line)
    twin = "".join(f"{SOFT_HYPHEN}{char}" for char in line)
    assert [token.text for token in tokens(twin)] == some


@pytest.mark.parametrize(
    ("line", "word", "expected"),
    [
        ("ACTIVATE A", "A", 9),
        ("MOVER León, Rey A Serrallo", "serrallo", 18),
        ("MOVER Leo\u0301n A «El Serrallo»", "El Serrallo", 15),
        (f"MO{SOFT_HYPHEN}VE … Leon TO B", "Leon", 8),
        ("MOVE Leonor TO B", "Leon", 0),
        ("MOVE Leon TO B", "", 0),
        ("", "Leon", 0),
    ],
)
def test_where_a_word_stands(line, word, expected):
    assert column_of(line, word) == expected


# Lines and commands


def test_statements_are_numbered_by_line_and_empty_lines_say_nothing():
    parsed_statements = list(statements("\nPASS\n\n# aside\n  ACTIVATE B ; PASS\r\n"))
    assert [(s.line, [t.text for t in s.tokens]) for s in parsed_statements] == [
        (2, ["PASS"]),
        (5, ["ACTIVATE", "B", ";", "PASS"]),
    ]


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("PASS", [["PASS"]]),
        ("ACTIVATE B ; PASS", [["ACTIVATE", "B"], ["PASS"]]),
        (";; PASS ;", [["PASS"]]),
        ("ACTIVATE B； PASS", [["ACTIVATE", "B"], ["PASS"]]),
        (";", []),
    ],
)
def test_commands_are_parted_by_semicolons(line, parts):
    statements = list(split(Statement(7, tokens(line))))
    assert [[t.text for t in s.tokens] for s in statements] == parts
    assert {s.line for s in statements} <= {7}


def test_a_command_keeps_its_columns():
    (_, second) = split(Statement(1, tokens("ACTIVATE B ; PASS")))
    assert second.tokens[0].column == 13


# Vocabulary

WORDS = Vocabulary(
    {
        "TO": ("TO", "AT", "A"),
        "AT LEAST": ("AT LEAST", "AL MENOS"),
        "LED BY": ("LED BY", "AL MANDO DE"),
        "IF": ("IF", "SI"),
        "STOP IF": ("STOP IF", "PARAR SI"),
        "YES": ("YES", "SÍ"),
    }
)


@pytest.mark.parametrize(
    ("line", "keyword", "length"),
    [
        ("TO B", "TO", 1),
        ("a B", "TO", 1),
        ("AT B", "TO", 1),
        ("at least 2", "AT LEAST", 2),
        ("AL MENOS 2", "AT LEAST", 2),
        ("al mando de Prim", "LED BY", 3),
        ("AL MANDO", "LED BY", 0),
        ("AL", "AT LEAST", 0),
        ("Parar Sí 2", "STOP IF", 2),
        ("STOP", "STOP IF", 0),
        ("si", "IF", 1),
        ("sí", "YES", 1),
        ("", "TO", 0),
    ],
)
def test_how_many_words_say_a_keyword(line, keyword, length):
    assert WORDS.length(tokens(line), 0, keyword) == length


def test_what_words_can_say_the_longest_phrase_first():
    assert WORDS.keywords_at(tokens("AT LEAST 2"), 0) == ("AT LEAST", "TO")
    assert WORDS.keywords_at(tokens("AT B"), 0) == ("TO",)
    assert WORDS.keywords_at(tokens("SI"), 0) == ("IF", "YES")
    assert WORDS.keywords_at(tokens("Leon"), 0) == ()
    assert WORDS.keywords_at(tokens("Leon AT B"), 1) == ("TO",)
    assert WORDS.keywords_at(tokens("Leon"), 1) == ()


def test_collisions_are_told():
    assert WORDS.collisions() == {"si": ("IF", "YES")}


def test_a_keyword_needs_words():
    with pytest.raises(ValueError, match=re.escape("keyword X has an empty phrase")):
        Vocabulary({"X": ("x", " ")})
