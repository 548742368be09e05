"""The process beside the server that reviews games."""

import time

import pytest

from pbem.cli.assembly import ReviewProcesses, load_settings
from tests.cli.test_review import given_up  # noqa: F401 - a fixture


@pytest.fixture
def reviewing(hand):
    made = ReviewProcesses(load_settings(hand.folder / "pbem.toml"))
    yield made
    made.close()


def awaited(reviewing, game):
    """What comes of it; five minutes are long enough."""
    for _ in range(3000):
        lines = reviewing.look(game)
        if lines is not None:
            return lines
        time.sleep(0.1)
    raise TimeoutError(game)


@pytest.mark.long
def test_it_leaves_what_the_command_line_tells(hand, reviewing, given_up):  # noqa: F811
    lines = awaited(reviewing, "ceuta-1")
    output = hand.fine("review", "ceuta-1", "--plays", 40)
    assert len(lines) == len(output.splitlines())
    assert any("plays on for both sides" in line["text"] for _, line in lines)
    assert reviewing.look("ceuta-1") == lines


@pytest.mark.full
def test_what_goes_wrong_is_told_and_the_next_one_has_its_turn(hand, reviewing, begun):
    assert reviewing.look("ceuta-1") is None
    assert reviewing.look("nowhere") is None
    with pytest.raises(ValueError, match="not over"):
        awaited(reviewing, "ceuta-1")
    with pytest.raises(ValueError, match="nowhere"):
        awaited(reviewing, "nowhere")


def test_whoever_closes_ends_what_is_at_work(hand, reviewing, given_up):  # noqa: F811
    assert reviewing.look("ceuta-1") is None
    process = reviewing._process
    reviewing.close()
    assert process is not None
    assert process.poll() is not None
