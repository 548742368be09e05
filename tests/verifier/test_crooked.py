"""Whatever a server signs, the three verifiers say the same of it, and none of them breaks."""

from collections import Counter

import pytest

from tests.audit import simulated, standalone
from tests.verifier.browser import REMEMBER, statuses
from tests.verifier.crooked import Crooked

SEEDS = 60


def said(items):
    """What the command says without the library of the beacon, which the others do not have."""
    return simulated.statuses(simulated.judge(items, check=lambda *_: None))


def test_the_command_and_the_file():
    found: Counter[tuple[str, str]] = Counter()
    for seed in range(SEEDS):
        items = Crooked(seed).run()
        ours = said(items)
        assert standalone.statuses(items) == ours, seed
        found.update(ours.items())
    # The faults are of many kinds, and not all servers have one.
    for check in ("close", "orders", "own", "round", "dice", "manifest", "opened", "timing"):
        assert found[check, "FALSE"] > 0, check
        assert found[check, "ok"] > 0, check


@pytest.mark.integration
def test_the_page(plain):
    plain.evaluate(REMEMBER)
    for seed in range(SEEDS, 2 * SEEDS):
        items = Crooked(seed).run()
        assert statuses(plain, items) == said(items), seed
