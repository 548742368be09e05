"""What a server could try, and the check that says so, in the product and in the file that players get."""

import pytest

from tests.audit import attacks_on_dice, standalone
from tests.audit.attacks import ATTACKS, DOUBTS, HONEST
from tests.audit.checked import judge, statuses
from tests.audit.simulated import check_proof, check_signature, whole


def verdict(case):
    items, pin, witnesses, quorum = case
    return judge(items, pin=pin, witnesses=witnesses, quorum=quorum)


@pytest.mark.parametrize("name", ATTACKS)
def test_the_check_that_says_so(name):
    check, make = ATTACKS[name]
    found = verdict(make())
    assert statuses(found)[check] == "FALSE"
    assert found.code == 1


@pytest.mark.parametrize("name", DOUBTS)
def test_what_proves_less_than_it_claims_is_not_checked(name):
    check, grade, make = DOUBTS[name]
    found = verdict(make())
    assert statuses(found)[check] == "NOT CHECKED"
    assert found.code == 2
    assert {one.grade for one in found.phases} == {grade}


@pytest.mark.parametrize("name", HONEST)
def test_what_honest_letters_give(name):
    wanted, make = HONEST[name]
    found = verdict(make())
    assert {check: status for check, status in statuses(found).items() if status != "ok"} == wanted
    assert found.code == (2 if wanted else 0)


@pytest.mark.parametrize("name", [*ATTACKS, *DOUBTS, *HONEST])
def test_the_file_without_libraries_says_the_same(name):
    *_, make = (ATTACKS | DOUBTS | HONEST)[name]
    case = make()
    assert standalone.statuses(*case) == statuses(verdict(case))


def test_two_phases_of_letters_make_a_chain_of_all_leaves():
    server, items = whole()
    assert [one.kind for one in server.leaves].count("close") == 3
    assert sum(line.held for line in judge(items).lines) > 150
    assert check_signature.cache_info().hits
    assert check_proof.cache_info().hits


def test_a_value_of_another_round_is_found():
    """Round 1000's signature under round 123: the proof is over it, so that only the pairing tells."""
    *_, make = ATTACKS["the value of another round"]
    assert {check for check, status in statuses(verdict(make())).items() if status == "FALSE"} == {"beacon"}


def test_both_tables_are_tried():
    assert attacks_on_dice.FREE.revision == 0
    assert len(ATTACKS) >= 88
    assert len(DOUBTS) >= 12
    assert len(HONEST) >= 28
