"""Games made before the errata are played as they were: two phases that the program of that time resolved.

`golden/before-spain` and `golden/before-morocco` hold what it made of a field where each changed reading matters. They
come out to the byte (`tests/test_golden.py`), and would not if any of those readings held for all games.
"""

from dataclasses import replace
from pathlib import Path

import pytest

import pbem.games.africa1860
from pbem.engine.saved_position import read_position
from pbem.engine.testing.mutants import Rewrite, apply_rewrite
from pbem.games.africa1860.edition import LAST_ERRATUM_DATE, Edition
from tests.games.africa1860.rulings import RULINGS
from tests.golden import find_game, made

PACKAGE = pbem.games.africa1860.__name__
FOLDERS = sorted((Path(__file__).parent / "golden").glob("before-*"))
ALWAYS = [
    *(rewrite for rewrite in RULINGS if "before the errata too" in rewrite.says),
    Rewrite(
        "R22a",
        "assault._refuse_support",
        "if anywhere else ()",
        "if True else ()",
        "who has fired, before the errata too",
    ),
]


def changed(folder: Path) -> bool:
    return any((folder / name).read_text("utf-8") != text for name, text in made(folder).items())


def test_every_changed_reading_has_its_branch():
    assert {rewrite.rule for rewrite in ALWAYS} == {"C10a", "C11.1", "O4a", "O4b", "O9a", "R8", "R8a", "R22a"}
    assert [folder.name for folder in FOLDERS] == ["before-morocco", "before-spain"]
    assert not any(map(changed, FOLDERS))


@pytest.mark.parametrize("rewrite", ALWAYS, ids=lambda rewrite: f"{rewrite.rule} {rewrite.where}")
def test_a_reading_that_held_for_all_games_would_change_an_old_one(rewrite):
    with apply_rewrite(PACKAGE, rewrite):
        assert any(map(changed, FOLDERS))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_same_phase_of_a_new_game_is_played_by_the_new_readings(folder):
    game, edition, state = read_position((folder / "state.json").read_text("utf-8"), find_game)
    assert isinstance(edition, Edition)
    assert (edition.errata, edition.reread) == ("", False)
    assert "errata" not in edition.to_json()
    new = replace(edition, errata=LAST_ERRATUM_DATE)
    assert (new.reread, new.digest == edition.digest) == (True, False)
    seat = state.phase
    letter = (folder / f"{seat}.txt").read_text("utf-8")
    old, now = (
        game.check(view, seat, game.parse(letter, view, seat).orders) for view in (state, state.change(edition=new))
    )
    assert [wrong.rule for wrong in now] != [wrong.rule for wrong in old]
