"""Whatever a server signs, both verifiers say the same of it, and neither of them breaks."""

from collections import Counter

import pytest

from pbem.verifier.record import CHECKS
from pbem.verifier.verification import status_by_check
from tests.audit.checked import judge
from tests.verifier.browser import other_says, page_says
from tests.verifier.crooked import Crooked

SEEDS = 60

NEVER_FALSE = {"form", "keys", "signature", "inclusion", "recovery", "vrf", "draws"}
"""What these servers do rightly: their letters are well-formed, and every proof of the log is true.

They run no tournament.
"""


@pytest.mark.full
def test_the_faults_are_of_many_kinds():
    counts: Counter[tuple[str, str]] = Counter()
    for seed in range(SEEDS):
        counts.update(status_by_check(judge(Crooked(seed).run())).items())
    for check in CHECKS:
        assert counts[check, "FALSE"] > 0 or check in NEVER_FALSE | {"consistency", "beacon", "chain", "labels"}, check
        assert counts[check, "ok"] > 0 or check in {"others", "labels"}, check


@pytest.mark.full
@pytest.mark.parametrize("count", [20, pytest.param(SEEDS, marks=pytest.mark.long)])
def test_the_page(plain, count):
    for seed in range(SEEDS, SEEDS + count):
        items = Crooked(seed).run()
        assert page_says(plain, items) == other_says(judge(items)), seed
