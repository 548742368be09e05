"""Every story comes out as it is written, and also when the process is killed within every transaction."""

from pathlib import Path

import pytest

from tests.contract.kept import assert_kept
from tests.contract.letters import recorded, shown
from tests.harness.session import play, read, written

STORIES = sorted(Path(__file__).parent.glob("*.txt"))
KILLED = {"ask-answered", "event-enter", "join", "later", "moderator-process", "press", "rotate", "several-in-one"}
"""The stories in which the process is killed in the first tier too: letters, deadlines, rulings, a tournament."""
CASES = [
    pytest.param(
        path,
        killed,
        id=f"{path.stem}-{'killed' if killed else 'whole'}",
        marks=[pytest.mark.full] if killed and path.stem not in KILLED else [],
    )
    for path in STORIES
    for killed in (False, True)
]


def test_the_stories_that_are_always_killed_are_there():
    assert {path.stem for path in STORIES} >= KILLED


@pytest.mark.parametrize(("path", "killed"), CASES)
def test_a_story_goes_as_written(path, killed):
    point, parts = read(path)
    assert point.endswith(".")
    assert any(part.head.startswith("out ") for part in parts)
    with recorded() as letters:
        went = written(point, play(parts, killed))
    assert went == path.read_text("utf-8"), "python -m tests.sessions writes the sessions anew"
    if not killed:
        assert_kept("sessions", path.stem, shown(letters))
