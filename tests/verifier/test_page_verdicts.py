"""The page says what the other verifier says, word by word: of attacks, honest letters, flipped bytes, hostile mail."""

import json
from pathlib import Path

import pytest

from pbem.verifier.record import CHECKS
from pbem.verifier.verification import verify_letters as judge_letters
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
    make_vectors,
)
from tests.audit import test_second_attack as second
from tests.audit.attacks import ATTACKS, DOUBTS, HONEST
from tests.audit.checked import QUICK, items, judge, reader
from tests.audit.hostile_letters import HEAVY, hostile, kept, letter
from tests.audit.once_more import ONCE_MORE
from tests.audit.recovered import RECOVERED
from tests.audit.simulated import disclosed
from tests.audit.small_server import FIRST, ROUNDS, WITNESS, Item
from tests.audit.test_flips import ITEMS, LETTERS, flipped
from tests.audit.witnessed import CASES as WITNESSED
from tests.verifier.browser import other_says, page_says, page_says_of_files
from tests.verifier.mangled import mangled

pytestmark = pytest.mark.full

VECTORS = json.loads(Path(make_vectors.__file__).with_name("vectors.json").read_text("utf-8"))["pbemdice_v1"]


def both(tab, letters, pin=None, witnesses=(), quorum=1):
    """What both say of letters, if it is the same."""
    expected = other_says(judge(letters, pin=pin, witnesses=witnesses, quorum=quorum))
    assert page_says(tab, letters, pin, witnesses, quorum) == expected
    return {check: status for check, status, *_ in expected["en"]["lines"]}


def test_all_tables_are_tried():
    assert attacks_on_bots.away(back=True).items
    assert attacks_on_dice.FREE.revision == 0
    assert attacks_on_draws.LIST
    assert attacks_on_teams.LINE_UPS
    assert attacks_on_wars.war().items
    assert len(attacks_on_lists.PEOPLES) > 30
    assert attacks_on_lots.NAMES
    assert attacks_on_rounds.ROUND
    assert attacks_on_rules.LATER
    assert len(ATTACKS) >= 99


@pytest.mark.parametrize("name", ATTACKS)
def test_every_attack_is_seen_by_the_page(plain, name):
    check, make = ATTACKS[name]
    assert both(plain, *make())[check] == "FALSE"


@pytest.mark.parametrize("name", DOUBTS)
def test_what_proves_less_than_it_claims(plain, name):
    check, _, make = DOUBTS[name]
    assert both(plain, *make())[check] == "NOT CHECKED"


@pytest.mark.parametrize("name", attacks_on_lots.PUT_BACK)
def test_what_of_a_tournament_is_otherwise_after_a_restore(plain, name):
    both(plain, *attacks_on_lots.put_back(*attacks_on_lots.PUT_BACK[name]))


def test_one_jury_after_another(plain):
    both(plain, *attacks_on_lots.after_draw(attacks_on_lots.juries))


def test_a_war_whose_first_phase_is_in_no_letter(plain):
    both(plain, *attacks_on_wars.cut_short())


@pytest.mark.parametrize("name", HONEST)
def test_honest_letters(plain, name):
    wanted, make = HONEST[name]
    assert {check: status for check, status in both(plain, *make()).items() if status != "ok"} == wanted


@pytest.mark.parametrize("name", WITNESSED)
def test_a_claimed_witness(plain, name):
    check, status, make = WITNESSED[name]
    assert both(plain, *make())[check] == status


@pytest.mark.parametrize(
    "make",
    [
        second.left_as_it_was,
        second.put_off_unsaid,
        second.opened_anew,
        lambda: second.opened_anew(known=True),
        lambda: second.kept_back("roll"),
        lambda: second.kept_back("result"),
        second.opened_unsaid,
        second.without_manifest,
        second.closed_as_silent,
        lambda: second.closed_as_silent(letter=True),
        second.invented,
        second.not_all_opened,
        lambda: second.told_in_passing("receipt", FIRST),
        lambda: second.told_in_passing("report", "-"),
        second.sealed_by_a_later_key,
        second.of_two_names,
        second.second_list_left_out,
        second.put_off_before_a_witness,
    ],
)
def test_the_second_attack(plain, make):
    both(plain, *make())


@pytest.mark.parametrize("name", [*RECOVERED, *ONCE_MORE])
def test_logs_begun_anew_and_phases_resolved_once_more(plain, name):
    both(plain, (RECOVERED | ONCE_MORE)[name][0]())


def test_the_published_letters(plain):
    report, disclosure = (Item(name, None, VECTORS["bundles"][name].encode()) for name in ("report", "disclosure"))
    for witnesses in ((), (WITNESS,)):
        for letters in ([report], [disclosure], [report, disclosure]):
            assert "FALSE" not in both(plain, letters, witnesses=witnesses).values()


@pytest.mark.parametrize("public", [True, False])
def test_a_game_that_is_over_and_opened(plain, public):
    by_check = both(plain, disclosed(public=public))
    assert {check for check, status in by_check.items() if status != "ok"} <= {"labels"}


@pytest.mark.parametrize("letter", LETTERS)
def test_flipped_bytes(plain, letter):
    for number in range(3, len(ITEMS[LETTERS[letter]].data), 499):
        both(plain, flipped(letter, number))


def test_letters_that_somebody_mangled(plain):
    """Whatever is done to a mail, the page reads what the other reads, and says why it does not."""
    for seed in range(60):
        files = mangled(seed)
        verdict = judge_letters([item for file in files for item in items(*file)], reader(), QUICK)
        assert page_says_of_files(plain, files) == other_says(verdict), seed


@pytest.mark.parametrize("part", range(4))
def test_hostile_letters(plain, part):
    """Those of the corpus, a part of them each; none is left out for its size, if only one of each kind is large."""
    box = [(f"{index}.eml", letter(item.data)) for index, item in enumerate(kept())]
    for name in [name for name in hostile() if name not in HEAVY][part::8]:
        files = [*box, ("hostile.eml", hostile()[name].data)]
        verdict = judge_letters([item for file in files for item in items(*file)], reader(), QUICK)
        assert page_says_of_files(plain, files) == other_says(verdict), name


@pytest.mark.parametrize("name", ["unread: 100,000 leaves", "unread: an attachment of 17 MiB", "a name of 900 pieces"])
def test_large_letters(plain, name):
    assert name in HEAVY
    files = [("hostile.eml", hostile()[name].data)]
    verdict = judge_letters([item for file in files for item in items(*file)], reader(), QUICK)
    assert page_says_of_files(plain, files) == other_says(verdict)


def test_all_checks_have_a_line(plain):
    assert [line[0] for line in page_says(plain, [])["en"]["lines"]] == [*CHECKS]


def test_the_beacon_is_checked(plain):
    """Rounds of quicknet, and what is none: another round's value, a byte changed, a point in its longer form, zero."""
    cases = [(number, ROUNDS[number]) for number in ROUNDS]
    cases += [(124, ROUNDS[123]), (123, ROUNDS[1000]), (123, ROUNDS[123][:-1] + bytes([ROUNDS[123][-1] ^ 1]))]
    cases += [(123, b""), (123, ROUNDS[123] + b"\0" * 48), (123, bytes([0xC0]) + bytes(47)), (123, b"\xff" * 48)]
    cases += [
        (123, bytes([ROUNDS[123][0] ^ 0x20]) + ROUNDS[123][1:]),
        (123, bytes([ROUNDS[123][0] & 0x7F]) + ROUNDS[123][1:]),
    ]
    outputs = plain.evaluate(
        "(cases) => cases.map(([round, value]) => isRound(BigInt(round), unhex(value)))",
        [(number, value.hex()) for number, value in cases],
    )
    assert outputs == [True] * len(ROUNDS) + [False] * (len(cases) - len(ROUNDS))
