"""A tournament, fresh for each test."""

import pytest

from tests.harness.tournament import CUP, PlayedTournament


@pytest.fixture
def halls(tmp_path):
    """A maker of halls by their rules."""
    made: list[PlayedTournament] = []

    def make(rules: str = CUP) -> PlayedTournament:
        folder = tmp_path / str(len(made))
        folder.mkdir()
        made.append(PlayedTournament(folder, rules))
        return made[-1]

    yield make
    for one in made:
        one.server.engine.dispose()


@pytest.fixture
def hall(halls):
    return halls()
