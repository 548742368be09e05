"""Count the time in which deadlines run, without pauses, holidays and outages.

::

    stopped = read_spans(game.stopped)             spans of moments, in order, none touching another
    add_time(now, timedelta(hours=48), stopped)    the moment after 48 hours in which deadlines run
    shift_by_stops(deadline, now, before, after)   a deadline that leaves as much time as before
"""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import lru_cache

from pbem.engine.data.canon import dumps, loads
from pbem.runtime.clock import Pace

Span = tuple[datetime, datetime]
Spans = tuple[Span, ...]


@lru_cache(maxsize=256)
def read_spans(text: str) -> Spans:
    """Return the spans in a column; an empty one means that nothing was stopped."""
    return tuple((datetime.fromisoformat(begins), datetime.fromisoformat(ends)) for begins, ends in loads(text or "[]"))


def write_spans(spans: Spans) -> str:
    """Return spans as a column stores them."""
    return dumps([[begins.isoformat(), ends.isoformat()] for begins, ends in spans]) if spans else ""


def join_spans(*spans: Span) -> Spans:
    """Return spans in order, merging those that overlap or touch."""
    joined: list[Span] = []
    for begins, ends in sorted(spans):
        if joined and begins <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(ends, joined[-1][1]))
        elif begins < ends:
            joined.append((begins, ends))
    return tuple(joined)


def cut_spans(spans: Spans, moment: datetime) -> Spans:
    """Return the spans without the part after a moment of the span that contains it."""
    return join_spans(*((begins, moment if begins <= moment < ends else ends) for begins, ends in spans))


def end_of_stop(moment: datetime, stopped: Spans) -> datetime:
    """Return when deadlines run again; `moment` itself if they run then."""
    return next((ends for begins, ends in stopped if begins <= moment < ends), moment)


def add_time(start: datetime, time: timedelta, stopped: Spans) -> datetime:
    """Return the moment up to which so much time runs from `start` on."""
    for begins, ends in stopped:
        if start < ends and start + time > begins:
            time -= max(begins - start, timedelta())
            start = ends
    return start + time


def running_time(start: datetime, end: datetime, stopped: Spans) -> timedelta:
    """Return how much time runs between two moments."""
    overlaps = (min(end, ends) - max(start, begins) for begins, ends in stopped)
    return end - start - sum((overlap for overlap in overlaps if overlap > timedelta()), timedelta())


def shift_by_stops(moment: datetime, now: datetime, before: Spans, after: Spans) -> datetime:
    """Return a coming moment moved so that as much running time is left as before.

    `before` and `after` are the old and the new spans. Past moments stay.
    """
    return moment if moment <= now else add_time(now, running_time(now, moment, before), after)


def deadline_of(pace: Pace, opened: datetime, stopped: Spans, hours: int | None = None) -> datetime:
    """Return the deadline of a phase by its pace; it never falls into a stop.

    It lasts at least `hours` in which deadlines run, or as many as the pace has.
    """
    earliest = add_time(opened, timedelta(hours=pace.grace_hours if hours is None else hours), stopped)
    deadline = pace.deadline(earliest, 0)
    while (runs := end_of_stop(deadline, stopped)) > deadline:
        deadline = pace.deadline(runs, 0)
    return deadline
