"""What the other side keeps to itself changes no byte of an answer."""

import re

import pytest

from pbem.play.rulings import appointment
from tests.harness.battle import PlayedBattle
from tests.letters.stories import masked

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
    table = PlayedBattle(folder)
    for secret in secrets:
        table.answer("morocco", secret)
    replies = [masked(table, table.answer("spain", letter)) for letter in LETTERS]
    table.server.engine.dispose()
    return replies


@pytest.mark.parametrize("secret", DOCTRINES)
def test_standing_orders_of_the_other_side_cannot_be_felt_out(tmp_path, secret):
    assert answers(tmp_path / "with", secret) == answers(tmp_path / "without")


MODERATOR = "mo@players.example"
DICTATED = ("STATUS\nHISTORY\nPREDICT", "PROCESS T1.morocco BECAUSE x", "PROCESS T1.spain BECAUSE both asked", "HELP")


def moderated(folder, *secrets):
    """All that Spain and the moderator are written while the moderator closes Spain's phase."""
    folder.mkdir()
    table = PlayedBattle(folder)
    with table.server.work() as work:
        moderator = appointment.appoint(work, appointment.Appointment(game="g1", email=MODERATOR))
    for secret in secrets:
        table.answer("morocco", secret)
    replies = [table.answer("", text, to=moderator, sender=MODERATOR) for text in DICTATED]
    code = re.search(r"^CODE \w{8}$", replies[2], re.MULTILINE)
    assert code is not None
    replies += [table.answer("", text, to=moderator, sender=MODERATOR) for text in (code[0], "STATUS\nHISTORY")]
    replies += [table.last_to("spain"), table.answer("spain", "HISTORIA")]
    table.server.engine.dispose()
    return [masked(table, text) for text in replies]


@pytest.mark.parametrize("secret", DOCTRINES)
def test_standing_orders_do_not_come_through_the_moderator(tmp_path, secret):
    assert moderated(tmp_path / "with", secret) == moderated(tmp_path / "without")
