"""Every story comes out as it is written, and also when the process is killed within every transaction."""

from pathlib import Path

import pytest

from tests.contract.kept import assert_kept
from tests.contract.letters import recorded, shown
from tests.harness.session import play, read, written

STORIES = sorted(Path(__file__).parent.glob("*.txt"))


@pytest.mark.parametrize("killed", [False, True], ids=["whole", "killed"])
@pytest.mark.parametrize("path", STORIES, ids=lambda path: path.stem)
def test_a_story_goes_as_written(path, killed):
    point, parts = read(path)
    assert point.endswith(".")
    assert any(part.head.startswith("out ") for part in parts)
    with recorded() as letters:
        assert written(point, play(parts, killed)) == path.read_text("utf-8")
    if not killed:
        assert_kept("sessions", path.stem, shown(letters))
