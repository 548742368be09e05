"""What hands of a studio are made to do in tests: each subject is a word, and perhaps how often it goes on so."""

import os
import signal
import time
from pathlib import Path

CALLED: list[str] = []


class Asks:
    """What a cache holds, and what fills it while it is pickled, as another thread's question would."""

    def __init__(self, cache):
        self.cache = cache

    def __reduce__(self):
        """Fill the cache, and be pickled as a word."""
        self.cache["found"] = "another way"
        return str, ("a question",)


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
