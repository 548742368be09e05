"""Rulings by letter in a recorded game: what players' letters carry stays true, and the moderator's carry no proofs."""

import re

import pytest

from pbem.play.rulings import appointment
from pbem.store import tables
from pbem.store.tables import log as t
from tests.campaign.test_recorded import Recorded, both_ways
from tests.campaign.test_rewound_log import all_true
from tests.harness.letters import mail, text_of
from tests.harness.server import make_once

MO = "mo@bench.example"


@pytest.fixture
def house(tmp_path):
    house = make_once(tmp_path, Recorded)
    yield house
    house.server.engine.dispose()


def last_to_moderator(house):
    return next(row for row in reversed(house.all(tables.Outbox)) if row.recipient == MO)


def made(house, moderator, line):
    """Have a ruling made by letter and its code."""
    assert house.receive(mail(MO, moderator, line)).outcome == "confirm"
    code = re.search(r"^CODE \w{8}$", text_of(last_to_moderator(house)), re.MULTILINE)
    assert code is not None
    assert house.receive(mail(MO, moderator, code[0])).outcome == "ruled"
    house.tick()


@pytest.mark.parametrize("line", ["PROCESS T2.north", "EDIT UNIT Cat AT s9", "REOPEN T1.north", "EXTEND 48h"])
def test_what_is_ruled_by_letter_is_in_the_log_and_letters_verify(house, line):
    with house.server.work() as work:
        moderator = appointment.appoint(work, appointment.Appointment(game="g1", email=MO))
    both_ways(house, ["MOVE Ant TO s2"], ["MOVE Dog TO s7"])
    made(house, moderator, f"{line} BECAUSE it was read wrongly")
    assert [row.kind for row in house.all(t.Leaf)].count("ruling") == 1
    assert "pbemdice" not in last_to_moderator(house).model
    all_true(house, *(["T2.north~2"] if line.startswith("EDIT") else []))
