"""What a server could try, and the check that says so, in the product and in the file that players get."""

import pytest

from pbem.verifier.mailbox import LetterToCheck as Letter
from pbem.verifier.record import Findings
from pbem.verifier.verification import status_by_check, verdict_of, verify_epochs
from tests.audit import (
    attacks_on_bots,
    attacks_on_dice,
    attacks_on_draws,
    attacks_on_lists,
    attacks_on_lots,
    attacks_on_rounds,
    attacks_on_rules,
    attacks_on_teams,
    attacks_on_wars,
    standalone,
)
from tests.audit.attacks import ATTACKS, DOUBTS, HONEST
from tests.audit.checked import QUICK, judge, reader
from tests.audit.simulated import whole
from tests.audit.small_server import FIRST, GAME, check_proof, check_signature


def verdict(case):
    items, pin, witnesses, quorum = case
    return judge(items, pin=pin, witnesses=witnesses, quorum=quorum)


def judge_case(make):
    """The verdict on a case, of which the file without libraries says the same."""
    case = make()
    result = verdict(case)
    assert standalone.statuses(*case) == status_by_check(result)
    return result


@pytest.mark.parametrize("part", range(4))
def test_the_check_that_says_so(part, subtests):
    for name in [*ATTACKS][part::4]:
        with subtests.test(name):
            check, make = ATTACKS[name]
            result = judge_case(make)
            assert status_by_check(result)[check] == "FALSE"
            assert result.code == 1


def test_what_proves_less_than_it_claims_is_not_checked(subtests):
    for name, (check, grade, make) in DOUBTS.items():
        with subtests.test(name):
            result = judge_case(make)
            assert status_by_check(result)[check] == "NOT CHECKED"
            assert result.code == 2
            assert {phase.grade for phase in result.phases} == {grade}


@pytest.mark.full
def test_what_honest_letters_give(subtests):
    for name, (wanted, make) in HONEST.items():
        with subtests.test(name):
            result = judge_case(make)
            assert {check: status for check, status in status_by_check(result).items() if status != "ok"} == wanted
            assert result.code == (2 if wanted else 0)


def test_two_phases_of_letters_make_a_chain_of_all_leaves():
    server, items = whole()
    assert [leaf.kind for leaf in server.leaves].count("close") == 3
    assert sum(line.held for line in judge(items).lines) > 150
    assert check_signature.cache_info().hits
    assert check_proof.cache_info().hits


def test_a_value_of_another_round_is_found():
    """Round 1000's signature under round 123: the proof is over it, so that only the pairing tells."""
    *_, make = ATTACKS["the value of another round"]
    assert {check for check, status in status_by_check(verdict(make())).items() if status == "FALSE"} == {"beacon"}


def by_the_rules(case, *phases):
    """What is said of letters when full mode has found that the rules roll what was listed of these phases."""
    board = Findings()
    letters = [Letter(*item) for item in case.items]
    return verdict_of(board, *verify_epochs(board, letters, reader(), QUICK, lambda course, keys: frozenset(phases)))


def test_full_mode_proves_where_a_phase_is_left_off_and_what_its_rolls_are_called():
    _, make = HONEST["labels as the game has them"]
    assert status_by_check(by_the_rules(make()))["labels"] == "NOT CHECKED"
    assert status_by_check(by_the_rules(make(), (GAME, FIRST)))["labels"] == "ok"
    parted = attacks_on_rules.in_two_segments(1)
    assert [phase.grade for phase in by_the_rules(parted).phases] == ["C"]
    assert [phase.grade for phase in by_the_rules(parted, (GAME, FIRST)).phases] == ["B"]
    assert status_by_check(by_the_rules(parted, (GAME, FIRST)))["timing"] == "ok"


def test_by_which_key_a_salt_is_made_is_not_guessed_where_the_leaf_that_says_so_is_missing():
    """The key of the newest phase in letters would call an honest salt false."""
    result = judge_case(attacks_on_wars.cut_short)
    reasons = {(finding.truth, finding.why) for line in result.lines for finding in line.found}
    assert (False, "the salt of its edition does not follow from the key of the dice") not in reasons
    unknown = "whether its salt follows from the key of the dice is not known: add the letters of the games before"
    assert (None, unknown) in reasons


def test_a_jury_that_is_never_drawn_before_another_about_its_table_is_named():
    case = attacks_on_lots.after_draw(attacks_on_lots.juries)
    reasons = [finding.sentence for line in judge_case(lambda: case).lines for finding in line.found]
    assert len([reason for reason in reasons if "lots jury/D1/cup60-r1-01a were never drawn" in reason]) == 1
    assert len([reason for reason in reasons if "were never drawn" in reason]) == 1


def test_both_tables_are_tried():
    assert attacks_on_bots.away(back=True).items
    assert attacks_on_dice.FREE.revision == 0
    assert attacks_on_draws.LIST
    assert attacks_on_teams.LINE_UPS
    assert attacks_on_wars.war().items
    assert len(attacks_on_lists.PEOPLES) > 30
    assert attacks_on_lots.NAMES
    assert attacks_on_rounds.ROUND
    assert attacks_on_rules.left(came_out=True).items
    assert len(ATTACKS) >= 140
    assert len(DOUBTS) >= 18
    assert len(HONEST) >= 45
