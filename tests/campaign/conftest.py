"""The house, fresh for each test."""

import pytest

from tests.harness.game import PlayedGame
from tests.harness.moderated_game import ModeratedGame
from tests.harness.server import STUCK, make_once


@pytest.fixture
def house(tmp_path):
    """A game of turns, north to move, both seats taken, the first reports sent."""
    made = PlayedGame(tmp_path)
    yield made
    made.server.engine.dispose()


@pytest.fixture
def moderated(tmp_path):
    """The same game with a moderator."""
    made = make_once(tmp_path, ModeratedGame)
    yield made
    made.server.engine.dispose()


@pytest.fixture
def stuck(monkeypatch):
    """The dice of games that are made from now on: Ant is stuck at first, and Bee gets as far as Cat."""
    monkeypatch.setattr("tests.harness.server.SECRETS", STUCK)
