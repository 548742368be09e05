"""Servers that lie about one value, each once: verifier and page find it as the table of provenance says."""

import pytest

from tests.audit.fuzzing import UNTOLD, find_differences, judge_both, tell_lie
from tests.audit.provenance import read_rows
from tests.audit.small_server import Item
from tests.verifier.browser import other_says, page_says

FIELDS = [field for field in read_rows() if field not in UNTOLD]
PARTS = 12


@pytest.mark.full
@pytest.mark.parametrize("part", range(PARTS))
def test_the_page(plain, part, subtests):
    for field in FIELDS[part::PARTS]:
        with subtests.test(field):
            story, letters = tell_lie(field)
            verdicts = judge_both(story, letters)
            assert find_differences(field, story, verdicts) == []
            assert page_says(plain, [Item(*letter[:3]) for letter in letters]) == other_says(verdicts[0])
