"""Draw pictures in worker processes beside the server.

A worker draws the subjects that come through its pipe, until none comes or the pipe is closed. The end of the
server, for any reason, closes the pipe: then the worker ends too. A worker reports a picture that it cannot
draw; a crash of it concerns one picture.
"""

from __future__ import annotations

import pickle
import resource
import signal
import subprocess
import sys
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from multiprocessing.connection import Connection, Pipe, wait
from threading import Lock, Thread
from traceback import format_exc
from typing import Any, NamedTuple

NEEDED = ("resvg_py", "PIL")
"""The libraries of the extra, one to draw and one to compress."""

TAKEN, DONE, BAD, GROUND = "taken", "done", "bad", "ground"
"""A worker's messages: it has begun the task; here is the picture; the task cannot be drawn, and why; its ground is
missing."""

IDLE = 120.0
"""Seconds without work after which a worker ends: its memory is worth more than the second that it takes to start one.
"""
PICTURE_SECONDS = 15.0
"""Seconds of processor time for one picture. After them a signal ends the worker, even inside a library."""
GROUNDS = 8
"""Grounds that a worker caches. A choice: they take memory, and a dropped one is asked for again."""
LARGEST = 1 << 30
"""Bytes of memory that a worker may use; it needs a tenth of them."""
PICTURES = 500
"""The number of pictures after which a worker ends, to release memory that libraries have leaked."""


def main(handle: int) -> None:
    """Draw until it is time to end; `handle` is this end of the pipe."""
    # A signal to the group must end only the server: it may need pictures for its last letters.
    for signal_number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signal_number, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_AS, (LARGEST, LARGEST))
    with Connection(handle) as pipe:
        try:
            _serve(pipe)
        except (EOFError, BrokenPipeError, ConnectionResetError):
            # The server has closed its end or has died: nobody waits for pictures.
            return


def _serve(pipe: Connection) -> None:
    draw, grounds = pipe.recv(), OrderedDict[str, Any]()
    remaining = PICTURES
    while remaining and pipe.poll(IDLE):
        subject, name = pipe.recv()
        pipe.send((TAKEN, None))
        if name not in grounds:
            pipe.send((GROUND, name))
            grounds[name] = pipe.recv()
            if len(grounds) > GROUNDS:
                grounds.popitem(last=False)
        grounds.move_to_end(name)
        signal.setitimer(signal.ITIMER_PROF, PICTURE_SECONDS)
        try:
            message = (DONE, draw(subject, grounds[name]))
        except Exception:
            # Whatever it is, the server reports it, and this worker can draw others.
            message = (BAD, format_exc())
        signal.setitimer(signal.ITIMER_PROF, 0)
        pipe.send(message)
        remaining -= 1


# A worker seen from the server: a process, and its present work.


_LEAVE = 2.0
"""Seconds that a worker has to end before it is killed. A choice: an idle one ends at once, one that draws need not
finish."""


class WorkerGone(Exception):
    """The process of a worker has ended."""


class Worker:
    """A worker process, which inherits nothing from the server but its import path.

    The constructor raises OSError if no process can be started. `at` is the number of the present task, or None;
    `taken` is True once the worker has begun that task; `known` is True once it has begun any.
    """

    def __init__(self, draw: object) -> None:
        self.at: int | None = None
        self.taken = self.known = False
        self._ground: Any = None
        self._pipe, child_end = Pipe()
        with child_end:
            end = child_end.fileno()
            code = f"import sys; sys.path[:] = {sys.path!r}; from pbem.maps.worker_pool import main; main({end})"
            # A group of its own: Ctrl-C is for the server.
            self._process = subprocess.Popen(  # noqa: S603
                [sys.executable, "-c", code], pass_fds=(end,), stdin=subprocess.DEVNULL, process_group=0
            )
        # It may end at any time, and must be reaped at once.
        Thread(target=self._process.wait, daemon=True, name="studio").start()
        self._send(draw)

    @property
    def pid(self) -> int:
        """Return the id of the process."""
        return self._process.pid

    @property
    def has_ended(self) -> bool:
        """Return whether an idle worker has ended: only its closed pipe can be readable."""
        return self._pipe.poll()

    def fileno(self) -> int:
        """Return the descriptor to wait for."""
        return self._pipe.fileno()

    def begin(self, number: int, wanted: tuple[object, str], ground: object) -> None:
        """Send a task, and keep its ground for the worker's request; raise WorkerGone."""
        self.at, self.taken, self._ground = number, False, ground
        self._send(wanted)

    def receive_message(self) -> tuple[str, Any]:
        """Return the next message; raise WorkerGone."""
        try:
            message: tuple[str, Any] = self._pipe.recv()
        except (EOFError, OSError):
            # An ended process leaves the end of its pipe, a killed one may leave a broken connection.
            raise WorkerGone from None
        return message

    def send_ground(self) -> None:
        """Send the ground of its present work; raise WorkerGone."""
        self._send(self._ground)

    def end_process(self) -> None:
        """Close the pipe, and kill the process if it does not end."""
        self._pipe.close()
        try:
            self._process.wait(_LEAVE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(_LEAVE)

    def _send(self, message: object) -> None:
        data = _pickle(message)
        try:
            self._pipe.send_bytes(data)
        except OSError:
            raise WorkerGone from None


def _pickle(message: object) -> bytes:
    """Return a message as a worker's pipe reads it.

    A ground is an edition of a game, whose caches other threads may fill meanwhile: a dictionary that grows under the
    pickler is a RuntimeError. What is filled stays filled, so that another try gets through.
    """
    for _ in range(_TRIES - 1):
        with suppress(RuntimeError):
            return pickle.dumps(message)
    return pickle.dumps(message)


# A pool: pictures drawn beside the server, by workers that are processes of their own.
#
# The libraries that draw hold Python's lock meanwhile: a thread that draws stops all others. So each worker is
# a process; it is started when there is work, gets its tasks through a pipe, and ends when no task comes for a
# while, after a number of pictures, or when the pipe is closed, for whatever reason the server ends.
#
# The pool does not know what is drawn: it gets a `Draw`, and subjects and grounds that can be pickled.


Draw = Callable[[Any, Any], bytes]
"""Draws a subject on a ground; a function of a module, so that a worker finds it by its name."""
HANDS = 2
"""The number of workers at once. A choice: each takes a processor and memory."""
_DEATHS = 2
"""The number of workers that may crash at a task before its picture is given up. A choice: the first
may have died of something else."""
_TRIES = 20
"""How often a message is pickled whose dictionaries grow meanwhile. A choice: a cache grows by a computation at a time,
each longer than a try."""
_LOOK = 0.25
"""Seconds between two looks at the clock, while the pool waits for workers. A choice: so much later than its deadline a
call may return."""
_NOBODYS = -1
"""Stands for the number of a task that a worker still draws although its caller has stopped waiting."""


class DrawTask(NamedTuple):
    """A subject to draw, and the name of its ground: a worker gets each ground once."""

    subject: Any
    ground: str


class InlineRenderer:
    """A renderer without workers: one picture after another, in the caller's thread."""

    def __init__(self, draw: Draw, now: Callable[[], datetime], tell: Callable[[str], None]) -> None:
        self._draw, self._now, self._report = draw, now, tell

    def draw(
        self, wanted: Sequence[DrawTask], grounds: Mapping[str, object], until: datetime | None = None
    ) -> list[bytes | None]:
        """Return each picture; None for one that failed, with a report, or is too late."""
        return [None if until is not None and self._now() >= until else self._one(task, grounds) for task in wanted]

    def close(self) -> None:
        """Do nothing: there are no workers."""

    def _one(self, task: DrawTask, grounds: Mapping[str, object]) -> bytes | None:
        try:
            return self._draw(task.subject, grounds[task.ground])
        except Exception:
            # As in a worker: a picture that fails stops no other.
            self._report(format_exc())
            return None


class _Batch:
    """The tasks of one caller: waiting numbers, crashes, pictures made."""

    def __init__(self, wanted: Sequence[DrawTask], grounds: Mapping[str, object]) -> None:
        self.wanted, self.grounds = wanted, grounds
        self.waiting = deque(range(len(wanted)))
        self.died = [0] * len(wanted)
        self.made: list[bytes | None] = [None] * len(wanted)


class WorkerPool:
    """A pool of workers that draw at once; none is started before there is work.

    `now` returns the time for deadlines; `tell` gets the reason why a picture cannot be drawn. Any thread may
    call it; simultaneous callers wait for one another.
    """

    def __init__(
        self, draw: Draw, now: Callable[[], datetime], tell: Callable[[str], None], hands: int = HANDS
    ) -> None:
        self._draw, self._now, self._report, self._most = draw, now, tell, hands
        self._hands: list[Worker] = []
        self._lock = Lock()

    def draw(
        self, wanted: Sequence[DrawTask], grounds: Mapping[str, object], until: datetime | None = None
    ) -> list[bytes | None]:
        """Return each picture; None for one that failed (reported) or is late."""
        with self._lock:
            batch = _Batch(wanted, grounds)
            try:
                while until is None or self._now() < until:
                    self._hand_out(batch)
                    if not any(worker.at not in (None, _NOBODYS) for worker in self._hands) and not batch.waiting:
                        break
                    for worker in self._find_ready_workers():
                        self._hear(worker, batch)
            finally:
                # No caller waits any more for their tasks; their messages are read at the next call.
                for worker in self._hands:
                    worker.at = None if worker.at is None else _NOBODYS
            return batch.made

    def close(self) -> None:
        """End all workers, and wait for them."""
        with self._lock:
            for worker in self._hands:
                worker.end_process()
            self._hands.clear()

    @property
    def hands(self) -> list[int]:
        """Return the process ids of the running workers."""
        return [worker.pid for worker in self._hands]

    def _find_ready_workers(self) -> list[Worker]:
        """Wait shortly, and return the busy workers that have sent a message."""
        busy = {worker.fileno(): worker for worker in self._hands if worker.at is not None}
        return [busy[end] for end in wait(list(busy), _LOOK) if isinstance(end, int)]

    def _hand_out(self, batch: _Batch) -> None:
        """Give work to idle workers, and start as many as there is work for."""
        self._hands = [worker for worker in self._hands if worker.at is not None or not worker.has_ended]
        for worker in list(self._hands):
            if worker.at is None and batch.waiting:
                self._begin(worker, batch)
        while batch.waiting and len(self._hands) < self._most:
            try:
                worker = Worker(self._draw)
            except (OSError, WorkerGone) as error:
                # No process could be started, or it ended at once: those that there are go on.
                self._report(f"nobody can be hired to draw: {error}")
                if not self._hands:
                    batch.waiting.clear()
                return
            self._hands.append(worker)
            self._begin(worker, batch)

    def _begin(self, worker: Worker, batch: _Batch) -> None:
        number = batch.waiting.popleft()
        task = batch.wanted[number]
        try:
            worker.begin(number, task, batch.grounds[task.ground])
        except WorkerGone:
            # It may have ended since it was last looked at.
            self._replace_dead(worker, batch)

    def _hear(self, worker: Worker, batch: _Batch) -> None:
        try:
            kind, content = worker.receive_message()
            if kind == GROUND:
                worker.send_ground()
        except WorkerGone:
            self._replace_dead(worker, batch)
            return
        except Exception:
            # A ground of another package's game that cannot be pickled; the worker waits for it in vain.
            self._report(format_exc())
            worker.at = None
            self._replace_dead(worker, batch)
            return
        if kind in (TAKEN, GROUND):
            worker.taken = worker.known = True
            return
        number, worker.at = worker.at, None
        if number is None or number == _NOBODYS:
            return
        if kind == DONE:
            batch.made[number] = content
        else:
            self._report(content)

    def _replace_dead(self, worker: Worker, batch: _Batch) -> None:
        """Remove a dead worker, and put its task back, unless several died at it."""
        self._hands.remove(worker)
        worker.end_process()
        number = worker.at
        if number is None or number == _NOBODYS:
            return
        # A worker that was dead already has not died of this task.
        batch.died[number] += worker.taken or not worker.known
        if batch.died[number] < _DEATHS:
            batch.waiting.appendleft(number)
        else:
            self._report(f"a picture cannot be drawn: {_DEATHS} processes died at it")
