"""When the closed lists were known, by a mailbox or by a witness, and whether the grade of a report is deserved."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from pbem.audit import beacon, leaves, merkle
from pbem.audit.blocks import Malformed
from pbem.audit.checkpoint import body, read, witnessed
from pbem.audit.cosigned import Cosigned
from pbem.audit.note import Key, parse
from pbem.audit.verifier.log_checks import Keys
from pbem.audit.verifier.record import Board, Letter, Record, Seen
from pbem.audit.verifier.signature import Verify

__all__ = ["check_timing", "check_witnessed"]

SLACK = 120
"""Seconds by which two clocks may differ before one of them is said to have told a lie."""


def check_witnessed(letter: Letter, record: Record, board: Board, keys: Keys, verify: Verify) -> None:
    """Trees that witnesses have seen: each of the same log, with the leaf that closed a list in it. Keep those.

    A witness knows nothing of what is in a tree. Were his not where the letter's begins, a server could show him many
    closed lists, and everybody else the one of them that suits it once the round is out.
    """
    for shown in letter.bundle.witnessed:
        at, tree = f"{letter.where}: what a witness has seen of leaf {shown.at}", body(parse(shown.note))
        good = _signed(shown, board, at, keys.of(tree.origin), verify)
        mine = [placed.data for placed in letter.bundle.leaves if placed.at == shown.at]
        closes = [data for data in mine if leaves.parse(data).kind == "close"]
        inside = [
            merkle.includes(merkle.leaf_hash(data), shown.at, tree.size, shown.path, tree.root) for data in closes
        ]
        good &= board.hold("inclusion", any(inside), f"{at}: the leaf is not proven to be in that tree")
        goes_on = merkle.extends(tree.size, letter.head.size, tree.root, letter.head.root, shown.grown)
        if board.hold("consistency", goes_on, f"{at}: this letter's log does not go on from that tree") and good:
            record.witnessed[closes[0], shown.note] = None


def _signed(shown: Cosigned, board: Board, at: str, log: Key | None, verify: Verify) -> bool:
    if log is None:
        board.cannot("signature", f"{at}: the key of the log is not known")
        return False
    try:
        read(shown.note, log, verify)
    except Malformed as wrong:
        return board.hold("signature", False, f"{at}: {wrong}")
    return board.hold("signature", True, "")


class _Believed(NamedTuple):
    """The keys of the log, whom the reader believes about time, and how signatures are checked."""

    logs: tuple[Key, ...]
    witnesses: tuple[Key, ...]
    verify: Verify


class _Told(NamedTuple):
    """What witnesses say of a closed list: when those that are believed knew it, and which others say something."""

    moments: tuple[int, ...]
    others: tuple[str, ...]


def check_timing(record: Record, board: Board, keys: Keys, witnesses: Iterable[Key], verify: Verify) -> None:
    """Check what each letter claims of who could have known the dice before the orders were closed."""
    by = _Believed(keys.logs, tuple(witnesses), verify)
    for key in by.witnesses:
        if keys.logs and key.public in (keys.logs[0].public, keys.vrf):
            board.hold("timing", False, f"the witness {key.name} has a key of the server itself")
    for letter in record.letters:
        if letter.bundle.grade == "-":
            continue
        phase = record.phases.get((letter.bundle.game, letter.bundle.phase))
        if phase is None or not phase.opens or not phase.of("roll"):
            board.hold("timing", False, f"{letter.where}: it grades {letter.bundle.phase}, and shows no roll of it")
            continue
        for close in phase.of("close"):
            _grade(record, board, letter, close, by)


def _grade(record: Record, board: Board, letter: Letter, close: Seen, by: _Believed) -> None:
    grade, phase = letter.bundle.grade, record.phases[letter.bundle.game, letter.bundle.phase]
    at = f"{phase.name} segment {close.leaf('segment')}"
    opened = phase.opens[0].leaf
    chain = beacon.KNOWN.get(opened("chain"))
    if opened("chain") == "none" or chain is None:
        board.hold("timing", grade == "C", f"{at}: without a public beacon the grade is C, not {grade}")
        return
    # A letter that shows the roll came when everything was known, and proves nothing about before.
    rolled = phase.of("roll", close.leaf.number("segment"))
    before = [one for one in record.letters if _shows(one, close) and not any(_shows(one, roll) for roll in rolled)]
    notes = [letter.bundle.note for letter in before] + [note for leaf, note in record.witnessed if leaf == close.data]
    told = _told(board, at, dict.fromkeys(notes), by)
    came = tuple(one.received for one in before if one.received)
    said = [one for one in phase.of("deadline") if one.leaf.seq < close.leaf.seq]
    due = (said[-1] if said else phase.opens[0]).leaf.number("D")
    early = [moment for moment in (*told.moments, *came) if moment < due - SLACK]
    board.hold("timing", not early, f"{at}: the list was closed before the closing time")
    slate = record.slates.get(close.leaf("slate"))
    if slate is None or slate[0].round < 1 or grade == "C":
        return
    out = beacon.moment(chain, slate[0].round)
    if grade == "A":
        _witnessed(board, at, told, came, out)
    elif not came:
        board.cannot("timing", f"{at}: no letter here shows when a mailbox knew the closed list")
    else:
        board.hold("timing", min(came) < out, f"{at}: a mailbox knew the closed list only after the round was out")


def _witnessed(board: Board, at: str, told: _Told, came: tuple[int, ...], out: int) -> None:
    """Grade A: a witness whom the reader believes knew the list before the round was out."""
    if told.moments:
        board.hold("timing", min(told.moments) < out, f"{at}: a witness knew the closed list only after the round")
    elif not told.others:
        board.hold("timing", False, f"{at}: it claims a witness, and no letter here shows one")
    else:
        grade = "your mailbox proves grade B" if came and min(came) < out else "your mailbox proves no grade B either"
        who = ", ".join(told.others)
        board.cannot("timing", f"{at}: cosigned by {who}, whose key you have not named (--witness); {grade}")


def _shows(letter: Letter, seen: Seen) -> bool:
    return any(placed.data == seen.data for placed in letter.bundle.leaves)


def _told(board: Board, at: str, notes: Iterable[bytes], by: _Believed) -> _Told:
    moments: list[int] = []
    others: list[str] = []
    known = {(key.name, key.id) for key in (*by.witnesses, *by.logs)}
    for note in notes:
        others += [f"{one.name}+{one.id.hex()}" for one in parse(note).signatures if (one.name, one.id) not in known]
        try:
            moments += witnessed(note, by.witnesses, by.verify).values()
        except Malformed as wrong:
            board.hold("timing", False, f"{at}: {wrong}")
    return _Told(tuple(moments), tuple(dict.fromkeys(others)))
