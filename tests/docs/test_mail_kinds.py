"""docs/mail-kinds.md names tests that there are, and each of them once."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAMED = re.findall(r"\| `(tests/[\w/]+\.py)::(test_\w+)` \|$", (ROOT / "docs/mail-kinds.md").read_text("utf-8"), re.M)


def test_each_kind_has_a_test():
    rows = [line for line in (ROOT / "docs/mail-kinds.md").read_text("utf-8").split("\n") if line.startswith("| ")]
    assert len(rows) - 1 == len(NAMED) == len(set(NAMED))


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_the_test_is_there(file, name):
    assert re.search(rf"^(?:async )?def {name}\(", (ROOT / file).read_text("utf-8"), re.M)
