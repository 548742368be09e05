"""The house, fresh for each test."""

import pytest

from tests.campaign.house import House


@pytest.fixture
def house(tmp_path):
    """A game of turns, north to move, both seats taken, the first reports sent."""
    made = House(tmp_path)
    yield made
    made.server.engine.dispose()
