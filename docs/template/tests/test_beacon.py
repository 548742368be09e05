"""What pbem promises its players of every game, held against this one."""

from pathlib import Path

import pytest
from beacon_game.game import GAME, SHELF, WORDS

from pbem.engine.testing import Proof, checks, laws

PROOF = Proof(laws(GAME, WORDS, SHELF), "beacon_game:GAME", SHELF, Path(__file__).parent / "cases")


@pytest.mark.parametrize("check", checks(PROOF), ids=str)
def test_beacon(check):
    check()
