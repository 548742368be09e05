"""Every rule of the tournament has a case, and every case holds."""

from tests.tournament.runner import RULES, cases, wrong

CASES = cases()
NOT_BY_ARITHMETIC = {
    "E6": "rounds shut and close by clocks and letters",
    "E8": "dice of several tables are the log's",
    "E7.12": "rulings give points; test_awards adds them up",
}
"""Rules that arithmetic alone does not decide, each with what does."""


def numbers():
    return [line.split()[0] for line in RULES.read_text("utf-8").splitlines() if line.strip()]


def test_a_case_holds(subtests):
    for title in CASES:
        with subtests.test(title):
            assert wrong(CASES[title]) == []


def test_every_number_has_a_case_or_is_decided_elsewhere():
    cased = {title.split()[0] for title in CASES}
    assert sorted(set(numbers()) - cased - NOT_BY_ARITHMETIC.keys()) == []
    assert sorted((cased | NOT_BY_ARITHMETIC.keys()) - set(numbers())) == []
    assert cased.isdisjoint(NOT_BY_ARITHMETIC)


def test_a_wrong_case_is_seen():
    case = CASES["E3.1 not fewer"]
    assert wrong({**case, "expect": ["1-2"], "cite": []}) == [
        "cite is no key of a case",
        "expect: ['1-4', '2-3'], not ['1-2']",
    ]
