"""A log that was begun anew after a restore: which letters are of which course of it, and what was signed and is gone.

Letters of an epoch are held against each other, and against those of earlier epochs as far as these are part of the
same tree: up to the leaf `rotate`. What came after that in an earlier epoch was signed and is gone from the log.
Nothing can prove that it was kept, so that this is said of every such log; but where the log now says otherwise than a
letter of before, that is proven, and said too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .bundles import Leaf, Letter
from .log_checks import epoch_of
from .notes import log_key
from .record import Board, Course, Phase, Place

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
    "pair": (("round", "attempt", "board"), ("first", "second", "table")),
    "bind": (("board",), ("slate", "chain", "beacon")),
    "deal": (("board",), ("sig", "group")),
    "lot-needed": (("lot",), ("first", "then", "chain", "beacon")),
    "score": (("round", "board", "table"), ("halves", "margin", "how")),
}
"""What must say the same after a restore: by kind of leaf, which act it is, and what it said."""
MAY_DIFFER = ("lot-needed", "score")
"""What an honest server may say otherwise: it asks for lots at another time, and a verdict may have come between."""


class Epoch(NamedTuple):
    """The letters of one course of the log: those of an epoch, and of earlier ones what is part of it."""

    number: int
    letters: list[Letter]


def first_name(letters: Sequence[Letter]) -> str:
    """What the log was called at first: by its first leaf, or by the shortest name that it has."""
    for letter in letters:
        for leaf in letter.leaves:
            if leaf.kind == "genesis":
                return log_key(leaf["log"]).name
    return min((letter.origin for letter in letters), key=len, default="")


def end_of(leaves: Iterable[Leaf], epoch: int, name: str) -> Leaf | None:
    """The leaf by which an epoch ended: the first that begins a later one."""
    later = [leaf for leaf in leaves if leaf.kind == "rotate" and epoch_of(log_key(leaf["log"]).name, name) > epoch]
    return min(later, key=lambda leaf: leaf.at, default=None)


def epochs_of(letters: Sequence[Letter]) -> list[Epoch]:
    """The courses that the letters show, one for each epoch, the one that goes on last; one if there is no letter."""
    name = first_name(letters)
    # A letter of a log that is none of this server's is judged with the newest, and found false there.
    last = max((epoch_of(letter.origin, name) for letter in letters), default=1) or 1
    own: dict[int, list[Letter]] = {}
    for letter in letters:
        own.setdefault(epoch_of(letter.origin, name) or last, []).append(letter)
    found = []
    for now in sorted(own) or [1]:
        mine = own.get(now, [])
        shared: list[Letter] = []
        for before in sorted(before for before in own if before < now):
            end = end_of([leaf for letter in mine for leaf in letter.leaves], before, name)
            shared += [letter for letter in own[before] if end is None or letter.size <= end.at]
        found.append(Epoch(now, [*shared, *mine]))
    return found


def check_recovery(found: Sequence[tuple[Epoch, Course]], board: Board) -> None:
    """Say that the log was begun anew, if it was, and hold what was signed before against what it says now."""
    last = found[-1][1]
    server = last.history("-")
    for leaf in (leaf for leaf in server if leaf.kind == "rotate"):
        why = "the log was begun anew: of {} leaves it kept the first {}; what the others said is not proven to be kept"
        board.say("recovery", None, Place(""), why, leaf["size"], leaf.at)
    name = first_name(last.letters)
    for epoch, course in found[:-1]:
        end = end_of(server, epoch.number, name)
        if end is None:
            why = "no letter shows by which leaf epoch {} of the log ended"
            board.say("recovery", None, Place(""), why, epoch.number)
            continue
        for letter in epoch.letters:
            good = letter.size <= max(end.num("size"), end.at)
            good &= letter.size != end.num("size") or letter.root.hex() == end["root"]
            why = "a log of {} leaves that the server denies"
            board.say("recovery", good, Place(letter.where), why, letter.size)
        for leaf in course.leaves.values():
            if leaf.at >= end.at and leaf.kind in BOUND:
                check_kept(last, board, leaf, end)


def said(leaf: Leaf, keys: Sequence[str]) -> list[str]:
    return [" ".join(leaf.more) if key == "group" else leaf.get(key) for key in keys]


def check_kept(now: Course, board: Board, lost: Leaf, end: Leaf) -> None:
    """Hold a leaf that is gone against what the log says of the same act now."""
    which, what = BOUND[lost.kind]
    place = Place(" ".join([lost.game, lost.kind, *said(lost, which)]), lost.game, lost.get("phase"))
    if not lost.known:
        board.say("recovery", None, place, "signed before the restore, and what it said is withheld")
        return
    history = [leaf for leaf in now.history(lost.game) if leaf.kind == lost.kind and leaf.known]
    again = [leaf for leaf in history if said(leaf, which) == said(lost, which)]
    free = lost.kind in ("order", "answer")
    received = int(lost.get("recv") or 0)
    later = [leaf for leaf in again if leaf.at > end.at and int(leaf.get("recv") or received) >= received]
    if any(said(leaf, what) == said(lost, what) for leaf in again) or (free and later):
        board.say("recovery", True, place, "")
    elif again and not free:
        truth = None if lost.kind in MAY_DIFFER else False
        board.say("recovery", truth, place, "the log said otherwise before the restore")
    elif is_over(now, lost, end):
        board.say("recovery", False, place, "signed before the restore, and gone from the log")
    else:
        board.say("recovery", None, place, "signed before the restore, and not in the log again yet")


def is_over(now: Course, lost: Leaf, end: Leaf) -> bool:
    """Whether the log is past the moment at which the act should have come again."""
    name, segment = lost.get("phase"), lost.num("segment") if lost.kind == "answer" else 1
    phase = now.phases.get((lost.game, name), Phase(lost.game, name))
    if lost.kind in ("order", "answer") and phase.of("close", segment):
        return True
    after = [leaf for leaf in now.history(lost.game) if leaf.at > end.at and leaf.known]
    return any(
        (leaf.kind == "result" and leaf["phase"] == name) or (leaf.kind == "open" and leaf["phase"] != name)
        for leaf in after
    )
