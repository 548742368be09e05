"""The house has rooms: folders that one can look over, each saying what lives in it."""

import ast
from collections import Counter
from pathlib import Path

import pytest

import pbem

PBEM = Path(pbem.__file__).parent
MOST = 25
LINES = 10
APART = ("store/migrations/versions", "cli/demo/games")
"""Migrations are read one by one, and the demo's players are no part of the program."""


def modules(folder: Path) -> int:
    return sum(1 for path in folder.glob("*.py") if path.name != "__init__.py")


def rooms(top: Path = PBEM) -> list[Path]:
    found = sorted({path.parent for path in top.rglob("*.py")})
    return [room for room in found if not room.relative_to(top).as_posix().startswith(APART)]


def said(room: Path) -> str:
    """What a room says of itself; empty if nothing."""
    return ast.get_docstring(ast.parse((room / "__init__.py").read_text("utf-8"))) or ""


def label(room: Path) -> str:
    return room.relative_to(PBEM).as_posix()


def test_no_folder_has_more_files_than_can_be_looked_over():
    assert {label(room): count for room in rooms() if (count := modules(room)) > MOST} == {}


def test_the_rooms_of_the_campaign_are_all_there_and_nothing_lies_beside_them():
    below = {"base", "people", "chain", "turn", "proofs", "contest"}
    wanted = below | {"commands", "moderator", "wars", "tournaments", "door"}
    assert {path.name for path in (PBEM / "campaign").iterdir() if path.suffix == "" and path.name[0] != "_"} == wanted
    assert modules(PBEM / "campaign") == 0


@pytest.mark.parametrize("room", [r for part in ("campaign", "core") for r in rooms() if part in r.parts], ids=label)
def test_a_room_says_in_a_few_lines_what_lives_there_and_what_it_may_import(room):
    text = said(room)
    assert 1 <= len(text.splitlines()) <= LINES
    assert "May import" in text or room.name in ("campaign", "core")


def test_no_module_of_the_campaign_has_the_name_of_another():
    names = Counter(path.stem for path in (PBEM / "campaign").rglob("*.py") if path.stem != "__init__")
    assert {name for name, count in names.items() if count > 1} == set()


def test_this_test_counts(tmp_path):
    for number in range(MOST + 1):
        (tmp_path / f"m{number}.py").touch()
    (tmp_path / "__init__.py").touch()
    assert modules(tmp_path) == MOST + 1
