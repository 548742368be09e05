"""All checks over the letters of a mailbox: each line is true, false, or not checked, and never left unsaid."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from .board_checks import check_boards
from .bundles import Letter
from .contest_checks import check_contests
from .fields import Bad, TooMuch
from .log_checks import Keys, check_log, find_keys
from .mailbox import Item
from .notes import COSIGNATURE, LogKey, Means, log_key
from .order_checks import check_orders
from .phase_checks import check_phases
from .record import CHECKS, FALSE, NOT_CHECKED, Board, Course, Finding, Place
from .recovery import Epoch, check_recovery, epochs_of
from .roll_checks import Rolls
from .timing_checks import Standing, Timing
from .war_checks import check_wars


class Reader(NamedTuple):
    """Whom the reader believes: the key of the log, if he knows it from elsewhere, witnesses, and how many of them."""

    pin: LogKey | None = None
    witnesses: tuple[LogKey, ...] = ()
    quorum: int = 1


Rules = Callable[[Course, Keys], frozenset[tuple[str, str]]]
"""Game and name of the phases of which the rules, run again, roll what was listed, in the segments of it."""


class Line(NamedTuple):
    """A check: its name, OK, FALSE or NOT_CHECKED, how many facts it held true, and what was found otherwise."""

    check: str
    status: str
    held: int
    found: tuple[Finding, ...]

    @property
    def why(self) -> tuple[str, ...]:
        """What was found otherwise, in English."""
        return tuple(dict.fromkeys(one.told for one in self.found))


class PhaseVerdict(NamedTuple):
    """What the letters prove of a phase that was rolled: what it is worth, its attempts, and what was found of it."""

    game: str
    name: str
    worth: Standing
    attempts: int
    found: tuple[Finding, ...]

    @property
    def grade(self) -> str:
        """Its grade, or FALSE."""
        return FALSE if any(one.truth is False for one in self.found) else self.worth.grade


class Verdict(NamedTuple):
    """All lines, the phases, what is to be compared with the others (log key, size, root), and one die by hand."""

    lines: tuple[Line, ...]
    phases: tuple[PhaseVerdict, ...]
    compare: tuple[str, int, str] | None
    by_hand: str

    @property
    def code(self) -> int:
        """0 if all is true, 1 if something is false, 2 if something could not be checked."""
        found = {line.status for line in self.lines}
        return 1 if FALSE in found else 2 if NOT_CHECKED in found else 0


def read_letters(items: Iterable[Item], board: Board) -> list[Letter]:
    """The letters that can be read; of each other one a line says why not."""
    letters: list[Letter] = []
    seen: set[tuple[int | None, bytes]] = set()
    found = 0
    for item in items:
        found += 1
        place = Place(item.where)
        if item.trouble:
            why, *said = item.trouble
            board.say("form", None, place, str(why), *said)
        elif (item.received, item.data) not in seen:
            seen.add((item.received, item.data))
            try:
                letters.append(Letter(item))
                board.say("form", True, place, "")
            except Bad as bad:
                board.say("form", None if isinstance(bad, TooMuch) else False, place, bad.why, *bad.said)
    if not found:
        board.say("form", None, Place(""), "there is no pbemdice.txt here")
    return letters


def judge(items: Iterable[Item], reader: Reader | None = None, means: Means | None = None) -> Verdict:
    """Hold letters of one server against each other."""
    board = Board()
    return verdict_of(board, *judged(board, items, reader or Reader(), means or Means()))


def judged(
    board: Board, items: Iterable[Item], reader: Reader, means: Means, rules: Rules | None = None
) -> tuple[Course, dict[tuple[str, str], Standing], Keys]:
    """Judge all courses of the log; return the one that goes on, what its phases are worth, and its keys.

    `rules` says of which phases the rules, run again, roll what was listed: what only full mode can tell.
    """
    known: list[tuple[Epoch, Course]] = []
    worth: dict[tuple[str, str], Standing] = {}
    keys = Keys(reader.pin, means)
    for epoch in epochs_of(read_letters(items, board)):
        course = Course(epoch.letters, board)
        keys = find_keys(course, board, reader.pin, means)
        if rules is not None and keys.vrfs:
            course.rerun = rules(course, keys)
        check_log(course, board, keys)
        check_wars(course, board, keys)
        check_contests(course, board, keys)
        check_boards(course, board, keys)
        check_phases(course, board, keys)
        check_orders(course, board, keys)
        Rolls(course, board, keys).check()
        timing = Timing(course, board, keys)
        timing.believe(reader.witnesses, reader.quorum)
        timing.earlier = [before for _, before in known]
        worth = timing.check()
        known.append((epoch, course))
    check_recovery(known, board)
    return known[-1][1], worth, keys


def verdict_of(board: Board, course: Course, worth: dict[tuple[str, str], Standing], keys: Keys) -> Verdict:
    """What was found, put together."""
    lines = []
    for check in CHECKS:
        found = sorted((one for one in board.found if one.check == check), key=lambda one: one.truth is None)
        lines.append(Line(check, board.status(check), board.held[check], tuple(dict.fromkeys(found))))
    phases = []
    order = sorted(worth, key=lambda key: (key[0], seq_of(course, key)))
    for game, name in order:
        phase = course.phases[game, name]
        attempts = sum(1 for other in course.phases.values() if (other.game, other.stem) == (game, phase.stem))
        mine = tuple(dict.fromkeys(one for one in board.found if one.place[1:] == (game, name)))
        phases.append(PhaseVerdict(game, name, worth[game, name], max(attempts, phase.attempt), mine))
    newest = course.letters[-1] if course.letters else None
    compare = (keys.logs[-1].text if keys.logs else "", newest.size, newest.root.hex()) if newest else None
    return Verdict(tuple(lines), tuple(phases), compare, board.by_hand)


def seq_of(course: Course, key: tuple[str, str]) -> int:
    opened = course.phases[key].opened
    return opened.seq if opened is not None else 0


def statuses(found: Verdict) -> dict[str, str]:
    """The status of each check, by name."""
    return {line.check: line.status for line in found.lines}


def keys_of(texts: Sequence[str]) -> tuple[LogKey, ...]:
    """The keys of witnesses as they are told; Bad if one is none."""
    keys = tuple(dict.fromkeys(map(log_key, texts)))
    if any(key.kind != COSIGNATURE for key in keys):
        raise Bad("a key after --witness is no witness's: its owner prints the right one with `pbem witness key`")
    return keys
