"""Run all checks over the letters of a mailbox: true, false or not checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from .board_checks import check_boards
from .bundles import Letter
from .fields import FormatError, LimitExceeded
from .log_checks import LogKeys, check_log, find_keys
from .mailbox import LetterToCheck
from .notes import COSIGNATURE, LogKey, VerifyingFunctions, parse_log_key
from .order_checks import check_orders
from .phase_checks import check_phases
from .record import CHECKS, FALSE, NOT_CHECKED, Finding, Findings, LogPlace, LogView
from .recovery import LogEpoch, check_recovery, epochs_of
from .roll_checks import RollChecks
from .timing_checks import PhaseGrade, TimingChecks
from .tournament_checks import check_tournaments
from .war_checks import check_wars


class Reader(NamedTuple):
    """The reader's trust: the log's key, witnesses, and how many must agree.

    `pin` is the log's key, if the reader knows it from elsewhere.
    """

    pin: LogKey | None = None
    witnesses: tuple[LogKey, ...] = ()
    quorum: int = 1


Rules = Callable[[LogView, LogKeys], frozenset[tuple[str, str]]]
"""Returns the phases, by game and name, whose listed rolls a rerun of the rules confirms."""


class CheckVerdict(NamedTuple):
    """A check: its name, status, number of true facts, and findings.

    The status is OK, FALSE or NOT_CHECKED.
    """

    check: str
    status: str
    held: int
    found: tuple[Finding, ...]

    @property
    def why(self) -> tuple[str, ...]:
        """Return the sentences of its findings, in English."""
        return tuple(dict.fromkeys(finding.sentence for finding in self.found))


class PhaseVerdict(NamedTuple):
    """The verdict on a rolled phase: its grade, attempts and findings."""

    game: str
    name: str
    worth: PhaseGrade
    attempts: int
    found: tuple[Finding, ...]

    @property
    def grade(self) -> str:
        """Return its grade, or FALSE."""
        return FALSE if any(finding.truth is False for finding in self.found) else self.worth.grade


class Verdict(NamedTuple):
    """All checks and phases, and what to compare with the other players.

    `compare` is log key, size and root; `by_hand` is a command that throws one die.
    """

    lines: tuple[CheckVerdict, ...]
    phases: tuple[PhaseVerdict, ...]
    compare: tuple[str, int, str] | None
    by_hand: str

    @property
    def code(self) -> int:
        """Return the exit code.

        0 if all is true, 1 if something is false, 2 if something could not be checked.
        """
        found_statuses = {line.status for line in self.lines}
        return 1 if FALSE in found_statuses else 2 if NOT_CHECKED in found_statuses else 0


def read_letters(items: Iterable[LetterToCheck], findings: Findings) -> list[Letter]:
    """Read the letters, and report those that cannot be read."""
    letters: list[Letter] = []
    seen: set[tuple[int | None, bytes]] = set()
    count = 0
    for item in items:
        count += 1
        place = LogPlace(item.where)
        if item.trouble:
            why, *values = item.trouble
            findings.say("form", None, place, str(why), *values)
        elif (item.received, item.data) not in seen:
            seen.add((item.received, item.data))
            try:
                letters.append(Letter(item))
                findings.say("form", True, place, "")
            # A letter with more than is read here is not checked, and so not false.
            except FormatError as bad:
                findings.say("form", None if isinstance(bad, LimitExceeded) else False, place, bad.why, *bad.said)
    if not count:
        findings.say("form", None, LogPlace(""), "there is no pbemdice.txt here")
    return letters


def verify_letters(
    items: Iterable[LetterToCheck], reader: Reader | None = None, means: VerifyingFunctions | None = None
) -> Verdict:
    """Check letters of one server against each other."""
    findings = Findings()
    return verdict_of(findings, *verify_epochs(findings, items, reader or Reader(), means or VerifyingFunctions()))


def verify_epochs(
    findings: Findings,
    items: Iterable[LetterToCheck],
    reader: Reader,
    means: VerifyingFunctions,
    rules: Rules | None = None,
) -> tuple[LogView, dict[tuple[str, str], PhaseGrade], LogKeys]:
    """Verify all epochs of the log; return the current one, its grades and its keys.

    `rules` returns the phases whose listed rolls a rerun confirms: only full mode knows that.
    """
    known: list[tuple[LogEpoch, LogView]] = []
    grades: dict[tuple[str, str], PhaseGrade] = {}
    keys = LogKeys(reader.pin, means)
    for epoch in epochs_of(read_letters(items, findings)):
        view = LogView(epoch.letters, findings)
        keys = find_keys(view, findings, reader.pin, means)
        if rules is not None and keys.vrfs:
            view.rerun = rules(view, keys)
        check_log(view, findings, keys)
        check_wars(view, findings, keys)
        check_tournaments(view, findings, keys)
        check_boards(view, findings, keys)
        check_phases(view, findings, keys)
        check_orders(view, findings, keys)
        RollChecks(view, findings, keys).check()
        timing = TimingChecks(view, findings, keys)
        timing.believe(reader.witnesses, reader.quorum)
        timing.earlier = [before for _, before in known]
        grades = timing.check()
        known.append((epoch, view))
    check_recovery(known, findings)
    return known[-1][1], grades, keys


def verdict_of(findings: Findings, view: LogView, grades: dict[tuple[str, str], PhaseGrade], keys: LogKeys) -> Verdict:
    """Return the verdict from the findings."""
    lines = []
    for check in CHECKS:
        # What is false comes first: it weighs more than what cannot be checked.
        check_findings = sorted(
            (finding for finding in findings.found if finding.check == check), key=lambda finding: finding.truth is None
        )
        lines.append(
            CheckVerdict(check, findings.status(check), findings.held[check], tuple(dict.fromkeys(check_findings)))
        )
    phases = []
    # By game, then as the phases were opened: their names do not sort so.
    order = sorted(grades, key=lambda key: (key[0], chain_place_of_leaf(view, key)))
    for game, name in order:
        phase = view.phases[game, name]
        attempts = sum(1 for other in view.phases.values() if (other.game, other.stem) == (game, phase.stem))
        phase_findings = tuple(
            dict.fromkeys(finding for finding in findings.found if finding.place[1:] == (game, name))
        )
        phases.append(PhaseVerdict(game, name, grades[game, name], max(attempts, phase.attempt), phase_findings))
    newest = view.letters[-1] if view.letters else None
    compare = (keys.logs[-1].text if keys.logs else "", newest.size, newest.root.hex()) if newest else None
    return Verdict(tuple(lines), tuple(phases), compare, findings.by_hand)


def chain_place_of_leaf(view: LogView, key: tuple[str, str]) -> int:
    opened = view.phases[key].opening
    return opened.seq if opened is not None else 0


def status_by_check(verdict: Verdict) -> dict[str, str]:
    """Return the status of each check, by name."""
    return {line.check: line.status for line in verdict.lines}


def parse_witness_keys(texts: Sequence[str]) -> tuple[LogKey, ...]:
    """Parse the keys of witnesses; raise FormatError if one is not a witness's."""
    keys = tuple(dict.fromkeys(map(parse_log_key, texts)))
    if any(key.kind != COSIGNATURE for key in keys):
        raise FormatError(
            "a key after --witness is no witness's: its owner prints the right one with `pbem witness key`"
        )
    return keys
