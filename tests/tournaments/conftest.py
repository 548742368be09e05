"""A tournament, fresh for each test."""

import pytest

from tests.tournaments.hall import CUP, Hall


@pytest.fixture
def halls(tmp_path):
    """A maker of halls by their rules."""
    made: list[Hall] = []

    def make(rules: str = CUP) -> Hall:
        folder = tmp_path / str(len(made))
        folder.mkdir()
        made.append(Hall(folder, rules))
        return made[-1]

    yield make
    for one in made:
        one.server.engine.dispose()


@pytest.fixture
def hall(halls):
    return halls()
