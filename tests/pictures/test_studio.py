"""Hands that draw in processes of their own: what is broken fails alone, nobody is waited for too long, none stays."""

import os
import re
import signal
import subprocess
import sys
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import monotonic, sleep

import pytest

from pbem.maps.worker_pool import PICTURES, DrawTask, InlineRenderer, WorkerPool
from tests.pictures.brushes import Asks, paint

NOON = datetime(1860, 1, 1, 12, tzinfo=UTC)
GROUNDS = {"sand": "the beach", "wood": "the pines"}


class Clock:
    """Noon, and a second later each time that it is looked at, if it goes."""

    def __init__(self, step=0):
        self.moment, self.step = NOON, timedelta(seconds=step)

    def now(self):
        self.moment += self.step
        return self.moment


@pytest.fixture
def faults():
    return []


@pytest.fixture(scope="module")
def kept():
    """Hands that tests share, since one costs some tenths of a second; and what they were told."""
    words: list[str] = []
    studio = WorkerPool(paint, lambda: NOON, words.append)
    yield studio, words
    studio.close()


@pytest.fixture(params=["processes", "inline"])
def studio(request, kept, faults):
    if request.param == "inline":
        return InlineRenderer(paint, lambda: NOON, faults.append), faults
    kept[1].clear()
    return kept


def drawn(studio, *subjects, until=None):
    return studio.draw([DrawTask(subject, "sand") for subject in subjects], GROUNDS, until)


def test_pictures_come_back_in_their_order_each_on_its_ground(studio):
    made = studio[0].draw([DrawTask(("", n), "sand" if n % 2 else "wood") for n in range(9)], GROUNDS)
    assert made == [f"{n} on {'the beach' if n % 2 else 'the pines'}".encode() for n in range(9)]


def test_a_broken_picture_fails_alone_and_why_is_told(studio):
    made = drawn(studio[0], ("", 1), ("broken", "no such place"), ("", 2))
    assert made == [b"1 on the beach", None, b"2 on the beach"]
    assert len(studio[1]) == 1
    assert "ValueError: no such place" in studio[1][0]


def test_nothing_is_begun_that_would_be_late(studio):
    assert drawn(studio[0], ("", 1), ("", 2), until=NOON) == [None, None]
    assert drawn(studio[0], ("", 1), until=NOON + timedelta(seconds=1)) == [b"1 on the beach"]


def test_whoever_kills_a_hand_loses_nothing(kept, tmp_path):
    studio, words = kept
    assert drawn(studio, ("", 1), ("dies once", str(tmp_path / "died")), ("", 3))[::2] == [
        b"1 on the beach",
        b"3 on the beach",
    ]
    for pid in studio.hands:
        os.kill(pid, signal.SIGKILL)
    assert drawn(studio, ("", 4), ("", 5)) == [b"4 on the beach", b"5 on the beach"]
    assert words == []


def test_a_picture_that_kills_whoever_draws_it_is_given_up(kept):
    studio, words = kept
    words.clear()
    assert drawn(studio, ("dies", 0), ("", 2), ("", 3)) == [None, b"2 on the beach", b"3 on the beach"]
    assert words == ["a picture cannot be drawn: 2 processes died at it"]


def test_a_ground_that_cannot_be_handed_over_is_told_and_stops_nobody_else(kept):
    studio, words = kept
    words.clear()
    grounds = {"sand": "the beach", "cave": lambda: "dark"}
    made = studio.draw([DrawTask(("", 1), "cave"), DrawTask(("", 2), "sand"), DrawTask(("", 3), "sand")], grounds)
    assert made == [None, b"2 on the beach", b"3 on the beach"]
    assert len(words) == 1
    assert re.search("pickle|local object", words[0])


def test_a_ground_whose_cache_is_filled_meanwhile_is_handed_over_all_the_same(kept):
    studio, words = kept
    words.clear()
    cache: dict[str, object] = {}
    cache |= {"asked": Asks(cache), "known": "a way"}
    assert studio.draw([DrawTask(("", 1), "filling")], {"filling": cache}) == [
        b"1 on {'asked': 'a question', 'known': 'a way', 'found': 'another way'}"
    ]
    assert words == []


def test_hands_are_hired_when_there_is_work_and_stay_for_the_next(faults):
    studio = WorkerPool(paint, lambda: NOON, faults.append)
    assert studio.hands == []
    first = drawn(studio, ("pid", 0))
    assert [str(pid).encode() for pid in studio.hands] == first
    assert drawn(studio, ("pid", 0)) == first
    assert os.getpid() not in studio.hands
    studio.close()
    assert studio.hands == []
    assert not Path(f"/proc/{int(first[0])}").exists()


def test_no_longer_than_until_is_waited_and_what_comes_later_is_nobodys(faults):
    clock = Clock(step=1)
    studio = WorkerPool(paint, clock.now, faults.append, hands=1)
    began = monotonic()
    assert drawn(studio, ("slow", 0.9), ("", 2), until=NOON + timedelta(seconds=2)) == [None, None]
    assert monotonic() - began < 0.9
    clock.step = timedelta(0)
    assert drawn(studio, ("", 3), until=clock.moment + timedelta(seconds=1)) == [b"3 on the beach"]
    studio.close()
    assert faults == []


def test_a_hand_takes_no_more_memory_than_it_may(faults):
    studio = WorkerPool(paint, lambda: NOON, faults.append, hands=1)
    made = drawn(studio, ("big", 2 << 30), ("", 1))
    assert made == [None, b"1 on the beach"]
    assert "MemoryError" in faults[0]
    studio.close()


def test_a_hand_leaves_after_many_pictures_and_another_goes_on(faults):
    studio = WorkerPool(paint, lambda: NOON, faults.append, hands=1)
    by = Counter(drawn(studio, *[("pid", 0)] * (PICTURES + 1)))
    assert list(by.values()) == [PICTURES, 1]
    studio.close()
    assert faults == []


@pytest.mark.full
def test_hands_go_with_the_server_however_it_ends():
    code = """
import os, signal, sys
from collections import Counter
from datetime import UTC, datetime
from pbem.maps.worker_pool import PICTURES
from pbem.maps.worker_pool import DrawTask, WorkerPool
from tests.pictures.brushes import Asks, paint
studio = WorkerPool(paint, lambda: datetime.now(UTC), print)
made = studio.draw([DrawTask(("pid", 0), "a"), DrawTask(("slow", 0.1), "a")], {"a": 0})
print(*studio.hands, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=False)
    pids = done.stdout.split()
    assert len(pids) == 2
    late = monotonic() + 5
    while any(Path(f"/proc/{pid}").exists() for pid in pids) and monotonic() < late:
        sleep(0.02)
    assert [pid for pid in pids if Path(f"/proc/{pid}").exists()] == []
