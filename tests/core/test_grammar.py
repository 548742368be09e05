"""Reading one command: what is accepted, and what is said of what is not."""

import pytest

from pbem.engine.data.messages import msg
from pbem.engine.orders.cursor import Reader, Wrong
from pbem.engine.orders.lex import Statement, Vocabulary, tokens
from pbem.engine.orders.names import Names
from pbem.engine.terms import RejectedLine
from pbem.letters.catalogue import load_catalogue

WORDS = Vocabulary(
    {
        "MOVE": ("MOVE", "MOVER"),
        "TO": ("TO", "A"),
        "WITH": ("WITH", "CON"),
        "AND": ("AND", "Y"),
        "LED BY": ("LED BY", "AL MANDO DE"),
        "NONE": ("NONE", "NADA"),
    }
)
UNITS = Names({"Leon": ("León",), "Leonor": (), "Saboya": (), "Nizam": (), "Nizam2": (), "Abbas": ("Muley el-Abbas",)})
SPACES = Names({"A": (), "Loma": ("Loma de la derecha",), "Lomas": ("Lomas del camino",)})


def reader(line, rule="O3"):
    return Reader(Statement(4, tokens(line)), WORDS, rule)


def unknown(word):
    return msg("{word} is unknown", word=word)


def refusal(read):
    with pytest.raises(Wrong) as error:
        read()
    assert str(error.value) == error.value.rejected.why.text
    return error.value.rejected


def test_the_cursor():
    it = reader("MOVE Leon")
    assert not it.is_at_end
    assert it.token.text == "MOVE"
    assert it.peek("MOVE")
    assert not it.peek("TO")
    assert it.accept("TO", "MOVE") == "MOVE"
    assert it.accept("MOVE") == ""
    assert it.name(UNITS, unknown) == "Leon"
    assert it.is_at_end
    assert it.token is None
    assert not it.peek("MOVE")
    it.finish()


def test_the_first_keyword_asked_for_wins():
    words = Vocabulary({"IF": ("IF", "SI"), "YES": ("YES", "SI")})
    statement = Statement(1, tokens("si"))
    assert Reader(statement, words, "").accept("YES", "IF") == "YES"
    assert Reader(statement, words, "").accept("IF", "YES") == "IF"


def test_a_keyword_of_several_words_is_read_whole():
    it = reader("al mando de Leon")
    assert it.accept("LED BY") == "LED BY"
    assert it.name(UNITS, unknown) == "Leon"


def test_expected_keywords_are_told_as_each_language_has_them():
    rejected = refusal(lambda: reader("MOVE").expect("WITH", "TO", "LED BY"))
    assert rejected[:3] == (4, 0, "MOVE")
    assert load_catalogue("en").say(rejected.why) == "expected WITH, TO or LED BY here"
    assert load_catalogue("es").say(rejected.why) == "aquí se esperaba CON, A o AL MANDO DE"
    assert (
        load_catalogue("es").say(refusal(lambda: reader("MOVE").expect("LED BY")).why) == "aquí se esperaba AL MANDO DE"
    )


@pytest.mark.parametrize(
    ("written", "suggested"),
    [("NONNE", ("NONE",)), ("NADDA", ("NONE",)), ("MOVER", ()), ("AL", ()), ("LED", ()), ("NOVA", ())],
)
def test_where_a_keyword_is_expected_only_what_a_slip_explains_is_suggested(written, suggested):
    rejected = refusal(lambda: reader(written).expect("NONE", "LED BY"))
    assert rejected.suggestions == suggested


def test_what_begins_with_no_verb_at_all_is_told_where_all_of_them_are():
    wrong = reader("CABALGAR Leon").no_order(("MOVE",)).rejected
    assert (
        load_catalogue("es").say(wrong.why) == "CABALGAR no es una orden de este juego; AYUDA ORDENES las enumera todas"
    )
    assert reader("MOEV Leon").no_order(("MOVE",)).rejected[1:5:2] == (0, msg("{word} is not an order", word="MOEV"))


@pytest.mark.parametrize(
    ("written", "alike"),
    [
        ("MOEV", ("MOVE",)),
        ("movier", ("MOVE",)),
        ("MO", ("MOVE",)),
        ("NADE", ("NONE",)),
        ("ELSP", ()),
        ("MOVR", ("MOVE",)),
        ("CABALGAR", ()),
        (",", ()),
    ],
)
def test_words_like_a_misspelt_one_are_told_in_canonical_words(written, alike):
    assert reader(written).alike(("MOVE", "NONE")) == alike


def test_marks():
    it = reader("(Leon)")
    assert it.mark("(")
    assert not it.mark("(")
    it.name(UNITS, unknown)
    assert it.mark(")")
    assert not it.mark(")")


@pytest.mark.parametrize(("line", "value"), [("0", 0), ("12", 12), ("999999", 999999), ("3.", 3)])
def test_numbers(line, value):
    assert reader(line).number() == value


@pytest.mark.parametrize("line", ["", "x", "-1", "1000000", "1/2", "2nd"])
def test_no_numbers(line):
    assert refusal(lambda: reader(line).number()).why == msg("expected a number here")


# Names


@pytest.mark.parametrize(
    ("line", "ident", "rest"),
    [
        ("Leon TO A", "Leon", "TO"),
        ("Muley el-Abbas TO A", "Abbas", "TO"),
        ("muley TO A", "Abbas", "TO"),
        ("Saboia TO A", "Saboya", "TO"),
        ("Saboia CON Leon", "Saboya", "CON"),
        ("Saboia al mando de Leon", "Saboya", "al"),
        ("Muly el-Abas, Leon", "Abbas", ","),
        ("Nizam 2 TO A", "Nizam", "2"),
        ("Leon Saboya", "Leon", "Saboya"),
    ],
)
def test_a_name_ends_where_it_is_known_or_a_keyword_begins(line, ident, rest):
    it = reader(line)
    assert it.name(UNITS, unknown) == ident
    assert it.token.text == rest


def test_the_longest_name_wins_over_a_shorter_one():
    it = reader("Loma de la derecha")
    assert it.name(SPACES, unknown) == "Loma"
    assert it.is_at_end


def test_a_name_may_be_a_keyword_where_a_name_is_due():
    it = reader("A A")
    assert it.accept("TO") == "TO"
    assert it.name(SPACES, unknown) == "A"


def test_what_was_not_written_out_is_told():
    it = reader("Saboia, Leon, Muley")
    it.names(UNITS, unknown)
    assert it.corrected == [("Saboia", "Saboya"), ("Muley", "Abbas")]


def test_an_unknown_name_is_refused_with_what_may_be_meant():
    rejected = refusal(lambda: reader("MOVE Nizam3 TO A").name(UNITS, unknown))
    assert rejected.word == "MOVE Nizam3"
    it = reader("MOVE Nizam3 TO A")
    it.accept("MOVE")
    rejected = refusal(lambda: it.name(UNITS, unknown, "R2"))
    assert rejected == RejectedLine(4, 5, "Nizam3", msg("{word} is unknown", word="Nizam3"), "R2", ("Nizam", "Nizam2"))


def test_a_name_of_several_is_refused_with_all_of_them():
    rejected = refusal(lambda: reader("Niza").name(UNITS, unknown))
    assert rejected == RejectedLine(
        4, 0, "Niza", msg("{word} can mean several", word="Niza"), "O3", ("Nizam", "Nizam2")
    )


def test_the_column_of_a_refusal_is_that_of_the_line_as_written():
    it = reader("\ufeffMOVER  «Xyz» A Loma")
    it.accept("MOVE")
    rejected = refusal(lambda: it.name(UNITS, unknown))
    assert (rejected.column, rejected.word) == (9, "Xyz")


@pytest.mark.parametrize(
    ("line", "column", "word"), [("", 0, ""), ("MOVE", 4, ""), ("MOVE ,", 5, ","), ("MOVE  (x", 6, "(")]
)
def test_a_name_is_missing(line, column, word):
    it = reader(line)
    it.accept("MOVE")
    assert refusal(lambda: it.name(UNITS, unknown)) == RejectedLine(4, column, word, msg("expected a name here"), "O3")


def test_several_names():
    assert reader("Leon, Saboya Y Abbas and Nizam").names(UNITS, unknown) == ("Leon", "Saboya", "Abbas", "Nizam")
    assert reader("Leon").names(UNITS, unknown) == ("Leon",)
    assert refusal(lambda: reader("Leon,").names(UNITS, unknown)).column == 5


def test_groups_are_joined_by_plus_and_sorted_within():
    it = reader("Saboya+Leon, Nizam TO A")
    assert it.groups(UNITS, unknown) == (("Leon", "Saboya"), ("Nizam",))
    assert it.accept("TO")
    assert refusal(lambda: reader("Leon+").groups(UNITS, unknown)).column == 5


def test_nothing_may_follow_the_end():
    it = reader("MOVE Leon")
    it.accept("MOVE")
    assert refusal(it.finish) == RejectedLine(4, 5, "Leon", msg("remove what follows from here"), "O3")


def test_a_mistake_at_the_end_points_behind_the_last_word():
    it = reader("MOVE Leon  ")
    it.accept("MOVE")
    it.name(UNITS, unknown)
    assert it.wrong(msg("more"), "R1", ("x",)).rejected == RejectedLine(4, 9, "", msg("more"), "R1", ("x",))
