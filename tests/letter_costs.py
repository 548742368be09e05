"""What a letter costs in a place that reads letters (letter_places.py), in a process of its own that is measured.

`measure` makes a letter of a text and hands it to a server in a child process, which is ended when it takes far too
much, and tells the processor time and the memory that the letter took: what the child used at the end less what it
was begun with.
"""

from __future__ import annotations

import os
import resource
import shutil
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from tests.letter_places import House, Place

SECONDS, MEGABYTES = 2.0, 200
"""What a letter of a megabyte may cost."""
LARGEST = 1_000_000
_PATIENCE = 20
"""Seconds after which a child is ended: it has failed long before."""
_MEMORY = 1_500 << 20


class Cost(NamedTuple):
    """What a letter took: seconds of processor time, megabytes, how it ended, and how large its answers are."""

    seconds: float
    megabytes: float
    outcome: str
    answer: int


def measure(house: House, place: Place, text: str) -> Cost:
    """Take a letter in and put its answers into words in a child, and tell what that took."""
    raw = place.letter(house, text)[:LARGEST]
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 70
        try:
            os.close(read)
            code = _child(house, place, raw, write)
        finally:
            os._exit(code)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        output = pipe.read().decode()
    _, status = os.waitpid(pid, 0)
    ended = os.waitstatus_to_exitcode(status)
    if ended != 0 or not output:
        return Cost(float(_PATIENCE), 0.0, f"ENDED {ended}", 0)
    seconds, megabytes, answer, outcome = output.split("\t")
    return Cost(float(seconds), float(megabytes), outcome, int(answer))


def _child(house: House, place: Place, raw: bytes, write: int) -> int:
    resource.setrlimit(resource.RLIMIT_CPU, (_PATIENCE, _PATIENCE))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY + _virtual(), _MEMORY + _virtual()))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    folder = Path(tempfile.mkdtemp())
    shutil.copy(house.folder / "pbem.db", folder / "pbem.db")
    server = house.serve(folder)
    place.before(server, raw)
    with server.session():
        pass
    before, spent = _resident(), time.process_time()
    try:
        outcome, answer = place.read(server, raw)
    except BaseException as wrong:
        outcome, answer = f"RAISED {type(wrong).__name__}", 0
    took = time.process_time() - spent
    os.write(write, f"{took}\t{_peak() - before}\t{answer}\t{outcome}".encode())
    server.engine.dispose()
    shutil.rmtree(folder)
    return 0


def _virtual() -> int:
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def _resident() -> float:
    """Megabytes in use now; from here on the kernel counts the most that is in use anew."""
    Path("/proc/self/clear_refs").write_text("5")
    return _peak()


def _peak() -> float:
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024
