"""What letters said is not kept for ever, and nothing else is lost by that."""

import pytest

from pbem.log import log_check
from pbem.play.privacy import delete_letter_texts
from pbem.play.replay import replay
from pbem.store import tables
from tests.campaign.test_recorded import Recorded
from tests.harness.game import ANN
from tests.harness.letters import mail
from tests.harness.server import make_once

DAYS = 90


@pytest.fixture
def over(tmp_path):
    """A house whose game was played for a phase and is over, and the letter of orders in it."""
    house = make_once(tmp_path, Recorded)
    raw = mail(ANN, house.addresses["north"], "ORDERS T1\nMOVE Ant TO s2\nEND\n", Message_ID="<orders@players.example>")
    assert house.receive(raw).outcome == "receipt"
    house.tick()
    end(house, "over")
    return house, raw


def end(house, state):
    with house.server.session() as session:
        session.get_one(tables.Game, "g1").state = state


def kept(house):
    out = [row for row in house.all(tables.Outbox) if row.model or row.body is not None]
    return len(out), sum(bool(row.body) for row in house.all(tables.Raw))


def test_what_letters_said_goes_so_many_days_after_the_last_and_once(over):
    house, _ = over
    before = kept(house)
    assert min(before) > 0
    house.clock.forward(days=DAYS)
    assert delete_letter_texts(house.server, DAYS) == 0
    house.clock.forward(seconds=1)
    assert delete_letter_texts(house.server, DAYS, lambda: False) == 0
    assert kept(house) == before
    assert [delete_letter_texts(house.server, DAYS), delete_letter_texts(house.server, DAYS)] == [1, 0]
    assert kept(house) == (0, 0)
    assert {row.state for row in house.all(tables.Outbox)} == {"sent"}


def test_a_game_that_goes_on_keeps_its_letters(over):
    house, _ = over
    end(house, "running")
    before = kept(house)
    house.clock.forward(days=2 * DAYS)
    assert delete_letter_texts(house.server, DAYS) == 0
    assert kept(house) == before


def test_the_game_replays_its_log_checks_and_old_letters_bring_no_empty_ones_back(over):
    house, raw = over
    house.clock.forward(days=DAYS, seconds=1)
    delete_letter_texts(house.server, DAYS)
    with house.server.reading() as work:
        assert replay(work, "g1").difference is None
    assert log_check.check(house.server).wrong == ()
    assert house.receive(raw).verdict == "copy"
    (status,) = house.write("north", "STATUS").answers
    assert [row.message_id for row in house.sent()] == [status]
    assert house.write("north", "RESEND T1").outcome != "fault"
    assert all(row.model for row in house.sent())
