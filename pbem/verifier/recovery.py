"""Check a log that was started anew after a restore: its epochs, and lost leaves.

Letters of an epoch are checked against each other, and against those of earlier epochs as far as these are part of
the same tree: up to the leaf `rotate`. Leaves after that in an earlier epoch were signed, and are lost from the
log. Nothing can prove that the server honoured them, so that every such log is reported; but if the log now
contradicts an earlier letter, that is proven, and reported too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .bundles import Leaf, Letter
from .log_checks import epoch_of
from .notes import parse_log_key
from .record import Findings, LogPlace, LogView, Phase

BOUND: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "open": (("phase",), ("edition", "state", "seats")),
    "close": (("phase", "segment"), ("groups", "slate")),
    "roll": (("phase", "segment"), ("groups", "sig", "group", "manifest")),
    "result": (("phase",), ("state", "report")),
    "again": (("phase", "run"), ("state", "manifest")),
    "ruling": (("number",), ("text",)),
    "order": (("phase", "seat"), ("rev", "orders", "standing")),
    "answer": (("phase", "segment", "seat"), ("rev", "commit")),
    "shut": (("round", "attempt"), ("slate", "chain", "beacon")),
    "lot": (("round", "attempt"), ("sig", "group")),
    "pair": (("round", "attempt", "board", "battle"), ("first", "second", "table")),
    "bind": (("board",), ("slate", "chain", "beacon")),
    "deal": (("board",), ("sig", "group")),
    "lot-needed": (("lot",), ("first", "then", "chain", "beacon")),
    "score": (("round", "board", "table"), ("halves", "margin", "how")),
}
"""The values that a restore must not change, by kind of leaf: the keys that identify the act, and the keys that must
be equal."""
MAY_DIFFER = ("lot-needed", "score")
"""Kinds that an honest server may log differently: lots at another time, scores after a ruling."""


class LogEpoch(NamedTuple):
    """The letters of one epoch of the log, and the shared ones of earlier epochs."""

    number: int
    letters: list[Letter]


def first_log_name(letters: Sequence[Letter]) -> str:
    """Return the first name of the log, by its first leaf or its shortest name."""
    for letter in letters:
        for leaf in letter.leaves:
            if leaf.kind == "genesis":
                return parse_log_key(leaf["log"]).name
    return min((letter.origin for letter in letters), key=len, default="")


def leaf_that_ended_epoch(leaves: Iterable[Leaf], epoch: int, name: str) -> Leaf | None:
    """Return the leaf that ended an epoch: the first that begins a later one."""
    later = [
        leaf for leaf in leaves if leaf.kind == "rotate" and epoch_of(parse_log_key(leaf["log"]).name, name) > epoch
    ]
    return min(later, key=lambda leaf: leaf.at, default=None)


def epochs_of(letters: Sequence[Letter]) -> list[LogEpoch]:
    """Return the epochs that the letters show, the current one last.

    Without letters there is one epoch.
    """
    name = first_log_name(letters)
    # A letter of a foreign log is checked with the newest epoch, where it is false.
    last = max((epoch_of(letter.origin, name) for letter in letters), default=1) or 1
    by_number: dict[int, list[Letter]] = {}
    for letter in letters:
        by_number.setdefault(epoch_of(letter.origin, name) or last, []).append(letter)
    epochs = []
    for number in sorted(by_number) or [1]:
        own_letters = by_number.get(number, [])
        shared: list[Letter] = []
        for before in sorted(before for before in by_number if before < number):
            end = leaf_that_ended_epoch([leaf for letter in own_letters for leaf in letter.leaves], before, name)
            shared += [letter for letter in by_number[before] if end is None or letter.size <= end.at]
        epochs.append(LogEpoch(number, [*shared, *own_letters]))
    return epochs


def check_recovery(epochs: Sequence[tuple[LogEpoch, LogView]], findings: Findings) -> None:
    """Report that the log was started anew, and check what was signed before."""
    last = epochs[-1][1]
    server = last.history("-")
    for leaf in (leaf for leaf in server if leaf.kind == "rotate"):
        why = "the log was begun anew: of {} leaves it kept the first {}; what the others said is not proven to be kept"
        findings.say("recovery", None, LogPlace(""), why, leaf["size"], leaf.at)
    name = first_log_name(last.letters)
    for epoch, view in epochs[:-1]:
        end = leaf_that_ended_epoch(server, epoch.number, name)
        if end is None:
            why = "no letter shows by which leaf epoch {} of the log ended"
            findings.say("recovery", None, LogPlace(""), why, epoch.number)
            continue
        for letter in epoch.letters:
            good = letter.size <= max(end.num("size"), end.at)
            good &= letter.size != end.num("size") or letter.root.hex() == end["root"]
            why = "a log of {} leaves that the server denies"
            findings.say("recovery", good, LogPlace(letter.where), why, letter.size)
        for leaf in view.leaves.values():
            if leaf.at >= end.at and leaf.kind in BOUND:
                check_lost_leaf(last, findings, leaf, end)


def values_of_leaf(leaf: Leaf, keys: Sequence[str]) -> list[str]:
    return [" ".join(leaf.more) if key == "group" else leaf.get(key) for key in keys]


def check_lost_leaf(current: LogView, findings: Findings, lost: Leaf, end: Leaf) -> None:
    """Check a lost leaf against the log's present record of the same act."""
    identity, content = BOUND[lost.kind]
    place = LogPlace(" ".join([lost.game, lost.kind, *values_of_leaf(lost, identity)]), lost.game, lost.get("phase"))
    if not lost.known:
        findings.say("recovery", None, place, "signed before the restore, and what it said is withheld")
        return
    history = [leaf for leaf in current.history(lost.game) if leaf.kind == lost.kind and leaf.known]
    repeated = [leaf for leaf in history if values_of_leaf(leaf, identity) == values_of_leaf(lost, identity)]
    may_change = lost.kind in ("order", "answer")
    received = int(lost.get("recv") or 0)
    later = [leaf for leaf in repeated if leaf.at > end.at and int(leaf.get("recv") or received) >= received]
    if any(values_of_leaf(leaf, content) == values_of_leaf(lost, content) for leaf in repeated) or (
        may_change and later
    ):
        findings.say("recovery", True, place, "")
    elif repeated and not may_change:
        truth = None if lost.kind in MAY_DIFFER else False
        findings.say("recovery", truth, place, "the log said otherwise before the restore")
    elif should_have_come_again(current, lost, end):
        findings.say("recovery", False, place, "signed before the restore, and gone from the log")
    else:
        findings.say("recovery", None, place, "signed before the restore, and not in the log again yet")


def should_have_come_again(current: LogView, lost: Leaf, end: Leaf) -> bool:
    """Return whether the log is past the moment when the act should have come again."""
    name, segment = lost.get("phase"), lost.num("segment") if lost.kind == "answer" else 1
    phase = current.phases.get((lost.game, name), Phase(lost.game, name))
    if lost.kind in ("order", "answer") and phase.of("close", segment):
        return True
    after = [leaf for leaf in current.history(lost.game) if leaf.at > end.at and leaf.known]
    return any(
        (leaf.kind == "result" and leaf["phase"] == name) or (leaf.kind == "open" and leaf["phase"] != name)
        for leaf in after
    )
