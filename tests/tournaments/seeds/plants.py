"""Faults that are put in on purpose, to see that the seeds find them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

from pbem.mail.smtp import Envelope
from pbem.tournaments import draw as event_drawing
from pbem.tournaments import no_shows
from pbem.tournaments.arithmetic import absence
from pbem.tournaments.arithmetic.pairing.draw import draw
from tests.tournaments.seeds.town import Handed


def _all(envelope: Envelope) -> bool:
    return True


@contextmanager
def _stuck_offer() -> Iterator[Handed]:
    """Offers whose time is up stay open."""
    with mock.patch.object(no_shows, "withdraw_expired_offers", return_value=False):
        yield _all


@contextmanager
def _paired_twice() -> Iterator[Handed]:
    """The first of the first board sits at the last one too."""
    before = draw

    def wrong(*arguments: Any) -> Any:
        drawn = before(*arguments)
        whole = [pair for pair in drawn.pairs if pair.second]
        if len(whole) < 2:
            return drawn
        last = whole[-1]._replace(first=whole[0].first)
        return drawn._replace(pairs=tuple(last if pair == whole[-1] else pair for pair in drawn.pairs))

    with mock.patch.object(event_drawing, "draw_round", wrong):
        yield _all


@contextmanager
def _lost_letter() -> Iterator[Handed]:
    """The hundredth letter is taken, and comes nowhere."""
    numbers = itertools.count(1)
    yield lambda envelope: next(numbers) != 100


@contextmanager
def _one_seat() -> Iterator[Handed]:
    """Of two who are silent the first seat alone is looked at."""
    with mock.patch.object(absence, "decide_about_silent_seat", return_value=absence.USUAL):
        yield _all


@contextmanager
def _nothing() -> Iterator[Handed]:
    yield _all


PLANTS = {
    "stuck-offer": _stuck_offer,
    "paired-twice": _paired_twice,
    "lost-letter": _lost_letter,
    "one-seat": _one_seat,
}


@contextmanager
def planted(name: str) -> Iterator[Handed]:
    """Put a fault in, or none; which letters arrive."""
    with PLANTS.get(name, _nothing)() as arrives:
        yield arrives
