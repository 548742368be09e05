"""A tournament, fresh for each test."""

import os

import pytest

from tests.harness.tournament import CUP, PlayedTournament


@pytest.fixture(autouse=True)
def states(request, tmp_path_factory):
    """What tests begin with is made once for all workers, but not where a test may change the program first."""
    if "monkeypatch" not in request.fixturenames:
        base = tmp_path_factory.getbasetemp()
        PlayedTournament.states = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "states"
        PlayedTournament.states.mkdir(exist_ok=True)
    yield
    PlayedTournament.states = None


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
    for world in made:
        world.server.engine.dispose()


@pytest.fixture
def hall(halls):
    return halls()
