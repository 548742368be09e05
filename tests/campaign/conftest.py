"""The house, fresh for each test."""

import pytest

from tests.campaign.house import House
from tests.campaign.moderated import ModeratedHouse


@pytest.fixture
def house(tmp_path):
    """A game of turns, north to move, both seats taken, the first reports sent."""
    made = House(tmp_path)
    yield made
    made.server.engine.dispose()


@pytest.fixture
def moderated(tmp_path):
    """The same game with a moderator."""
    made = ModeratedHouse(tmp_path)
    yield made
    made.server.engine.dispose()
