"""Names as players write them: read when one thing can be meant, never guessed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.engine.orders.names import NameMatch, Names, distance, near_enough

NAMES = Names(
    {
        "Cordoba": ("Córdoba",),
        "Saboya": (),
        "Leon": ("León",),
        "Leonor": (),
        "Rey": (),
        "Nizam": (),
        "Nizam2": (),
        "MuleyAbbas": ("Muley el-Abbas", "Mulay Abbas"),
        "Art1": ("1.ª batería de montaña",),
        "Art12": (),
        "1/54": (),
        "2/54": (),
        "15/4": ("Voltigeurs",),
        "Loma": ("Loma de la derecha", "Right-hand knoll"),
        "Mochilas": ("Loma de las Mochilas",),
    }
)


@pytest.mark.parametrize(
    ("written", "ident"),
    [
        ("Cordoba", "Cordoba"),
        ("CÓRDOBA", "Cordoba"),
        ("león", "Leon"),
        ("muley el-abbas", "MuleyAbbas"),
        ("Muley  el–Abbas", "MuleyAbbas"),
        ("1.ª batería de montaña", "Art1"),
        ("1ª bateria de montana", None),
        ("1/54", "1/54"),
        ("1⁄54", "1/54"),
        ("Right-hand knoll", "Loma"),
        ("Nizam", "Nizam"),
        ("Art1", "Art1"),
        ("Art_1", None),
        ("", None),
    ],
)
def test_exact(written, ident):
    match = NAMES.exact(written)
    assert (match.ids[0] if match else None) == ident
    if match:
        assert match == NAMES.find(written) == NameMatch((ident,), "exact")
        assert match.id == ident


@pytest.mark.parametrize(
    ("written", "ident"),
    [
        ("Cord", "Cordoba"),
        ("S", "Saboya"),
        ("muley", "MuleyAbbas"),
        ("Right", "Loma"),
        ("Volti", "15/4"),
        ("15", "15/4"),
    ],
)
def test_a_beginning_that_only_one_name_has(written, ident):
    assert NAMES.find(written) == NameMatch((ident,), "prefix")


@pytest.mark.parametrize(
    ("written", "ids"),
    [
        ("Niza", ("Nizam", "Nizam2")),
        ("Leo", ("Leon", "Leonor")),
        ("Art", ("Art1", "Art12")),
        ("Mul", ("MuleyAbbas",)),
        ("Loma de", ("Loma", "Mochilas")),
    ],
)
def test_a_beginning_of_several_is_no_reading(written, ids):
    match = NAMES.find(written)
    assert match.ids == ids
    assert match.how == ("many" if len(ids) > 1 else "prefix")


@pytest.mark.parametrize(
    ("written", "ident"),
    [
        ("Cordova", "Cordoba"),  # changed
        ("Corodba", "Cordoba"),  # swapped
        ("Saboyya", "Saboya"),  # added
        ("Sboya", "Saboya"),  # dropped
        ("Lein", "Leon"),
        ("Voltiguers", "15/4"),
        ("Mulei el Abbas", "MuleyAbbas"),
        ("Nizm2", "Nizam2"),
        ("1-54", "1/54"),
    ],
)
def test_a_slip_of_the_pen(written, ident):
    assert NAMES.find(written) == NameMatch((ident,), "typo")


@pytest.mark.parametrize("written", ["Ray", "Re", "Saba", "Cordella", "Xyz"])
def test_short_or_far_off_is_no_slip(written):
    assert NAMES.find(written).how in ("none", "prefix")
    assert NAMES.find("Ray") == NameMatch(("Rey",), "none")
    assert NAMES.find("Cordella").id is None


@pytest.mark.parametrize("written", ["Bn", "Saxyza", "Cordxxx", "Nudox", "Reyyy"])
def test_nothing_is_suggested_that_lies_further_off_than_a_third_of_the_word(written):
    for ident in NAMES.find(written).ids:
        assert distance(written.lower(), ident.lower()) * 3 <= len(written)


@pytest.mark.parametrize("written", ["Browne Bn", "browne bn", "BROWNE BN", "Duncan A", "Muley 2"])
def test_a_name_is_read_with_a_blank_in_it_too_many(written):
    names = Names({"BrowneBn": (), "DuncanA": (), "DuncanB": (), "Muley2": (), "Muley12": ()})
    assert names.find(written).id == written.title().replace(" ", "").replace("bn", "Bn")


def test_between_two_slips_there_is_no_guess():
    names = Names({"Marta": (), "Maria": ()})
    assert names.find("Marpa") == NameMatch(("Maria", "Marta"), "many")


def test_between_a_nearer_and_a_farther_slip_there_is_no_guess():
    names = Names({"Castillo": (), "Castilla": ()})
    assert names.find("Castille") == NameMatch(("Castilla", "Castillo"), "many")
    names = Names({"Mochilas": (), "Mochuelo": ()})
    assert names.find("Mochiles") == NameMatch(("Mochilas",), "typo")


def test_between_a_beginning_and_a_slip_there_is_no_guess():
    assert NAMES.find("Leono") == NameMatch(("Leon", "Leonor"), "many")


def test_one_name_of_two_things_is_no_reading():
    names = Names({"A": ("Hill",), "B": ("HILL",)})
    assert names.exact("hill") == names.find("hill") == NameMatch(("A", "B"), "many")
    assert names.find("hill").id is None


def test_two_names_of_one_thing_are_one_reading():
    assert NAMES.find("Mulay Abas").id == NAMES.find("Muley el Abas").id == "MuleyAbbas"


@pytest.mark.parametrize(
    "written", ["Nizam3", "Art2", "Art11", "3/54", "1/45", "1/5", "5/14", "45/1", "Art1 2", "1 54/"]
)
def test_digits_are_never_corrected_nor_completed_nor_parted(written):
    assert NAMES.find(written).id is None


def test_a_wrong_digit_is_answered_with_what_there_is():
    assert NAMES.find("3/54") == NameMatch(("1/54", "2/54"), "none")
    assert NAMES.find("1/5").ids[0] == "1/54"


def test_at_most_three_are_suggested_the_likest_first():
    names = Names({ident: () for ident in ("Alfaro", "Algaro", "Altaro", "Albaro", "Beta")})
    assert names.find("Alxyro") == NameMatch(("Albaro", "Alfaro", "Algaro"), "none")


@given(st.text("abcdef", max_size=9), st.lists(st.text("abcdef", min_size=1, max_size=9), max_size=8, unique=True))
def test_names_that_are_not_compared_letter_by_letter_are_none_that_is_near(written, others):
    near = {name for name in others if distance(written, name) * 3 <= len(written)}
    assert {name for name in others if near_enough(written, name)} == near
    match = Names({name: () for name in others}).find(written)
    if match.how == "none":
        assert set(match.ids) <= near
        assert len(match.ids) == min(3, len(near))


def test_nothing_written_is_nothing_meant():
    assert NAMES.find("") == NAMES.find(" . ") == NameMatch((), "none")


def test_an_empty_index_finds_nothing():
    assert Names({}).find("Leon") == NameMatch((), "none")


IDS = st.from_regex(r"[A-Za-z]{1,5}[0-9]{0,2}", fullmatch=True)


@given(st.lists(IDS, min_size=1, unique_by=lambda ident: ident.lower()), st.data())
def test_an_id_is_always_read_as_itself(idents, data):
    ident = data.draw(st.sampled_from(idents))
    assert Names({i: () for i in idents}).find(ident.upper()) == NameMatch((ident,), "exact")


@given(st.lists(IDS, min_size=1, max_size=8), IDS)
def test_a_reading_has_the_numbers_that_were_written_or_more_after_them(idents, written):
    match = Names({i: () for i in idents}).find(written)
    digits = "".join(filter(str.isdigit, written))
    for ident in [match.id] if match.id else []:
        theirs = "".join(filter(str.isdigit, ident))
        assert theirs == digits or (not digits and match.how == "prefix")


@pytest.mark.parametrize(
    ("a", "b", "steps"),
    [
        ("", "", 0),
        ("a", "", 1),
        ("", "abc", 3),
        ("leon", "leon", 0),
        ("leon", "lion", 1),
        ("leon", "len", 1),
        ("leon", "leoon", 1),
        ("leon", "loen", 1),
        ("abcd", "badc", 2),
        ("kitten", "sitting", 3),
    ],
)
def test_distance(a, b, steps):
    assert distance(a, b) == steps


@given(st.text("abc", max_size=6), st.text("abc", max_size=6))
def test_distance_is_symmetric_and_zero_only_between_equals(a, b):
    assert distance(a, b) == distance(b, a)
    assert (distance(a, b) == 0) is (a == b)
    assert abs(len(a) - len(b)) <= distance(a, b) <= max(len(a), len(b))
