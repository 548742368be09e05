"""What tests of letters share: tables of both games in both languages."""

import pytest

from tests.harness.battle import PlayedBattle


@pytest.fixture
def tables_of(tmp_path):
    made = []

    def begin(game, language):
        """A table whose first side to move reads a language, and that side."""
        active, other, scenario = (
            ("spain", "morocco", "castillejos") if game == "africa1860" else ("british", "french", "barrosa")
        )
        seats = (active, other) if language == "es" else (other, active)
        made.append(PlayedBattle(tmp_path / f"{game}-{language}", scenario=scenario, game=game, seats=seats))
        return made[-1], active

    tmp_path.mkdir(exist_ok=True)
    yield begin
    for table in made:
        table.server.engine.dispose()
