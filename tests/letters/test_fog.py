"""What the other side keeps to itself changes no byte of an answer."""

import pytest

from tests.letters.stories import masked
from tests.letters.table import Table

DOCTRINES = (
    "STANDING AGGRESSIVE",
    "STANDING FOR SPACE Cresta\nWHEN ASSAULTED THEN VANGUARD AngheraUno ; SCREEN NONE\nENDSTANDING",
)
LETTERS = (
    "VERIFY T1\nACTIVATE Nudos\nASSAULT Cresta WITH Cuenca, Vergara LED BY Orozco\nEND",
    "STATUS; MAP; MOVES Nudos; HISTORY",
    "ORDERS T1\nACTIVATE Nudos\nFIRE Montana1 AT Cresta\nEND",
    "HELP; LIST",
    "ODDS ASSAULT Cresta WITH Cuenca, Vergara LED BY Orozco",
)


def answers(folder, *secrets):
    folder.mkdir()
    table = Table(folder)
    for secret in secrets:
        table.answer("morocco", secret)
    said = [masked(table, table.answer("spain", letter)) for letter in LETTERS]
    table.office.engine.dispose()
    return said


@pytest.mark.parametrize("secret", DOCTRINES)
def test_standing_orders_of_the_other_side_cannot_be_felt_out(tmp_path, secret):
    assert answers(tmp_path / "with", secret) == answers(tmp_path / "without")
