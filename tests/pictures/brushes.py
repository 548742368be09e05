"""What hands of a studio are made to do in tests: each subject is a word, and perhaps how often it goes on so."""

import os
import signal
import time
from pathlib import Path

CALLED: list[str] = []


def paint(subject, ground):
    """Draw a line of text, fail, die, hang, or remember where it was drawn."""
    what, rest = subject
    if what == "broken":
        raise ValueError(rest)
    if what == "dies":
        os.kill(os.getpid(), signal.SIGKILL)
    if what == "dies once" and not Path(rest).exists():
        Path(rest).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    if what == "slow":
        time.sleep(rest)
    if what == "big":
        bytearray(rest)
    if what == "pid":
        return str(os.getpid()).encode()
    return f"{rest} on {ground}".encode()
