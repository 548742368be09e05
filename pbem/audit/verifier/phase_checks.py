"""What was closed: one list a segment, with the last orders of every seat, on the round that was fixed before."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from pbem.audit import beacon, leaves, sealing
from pbem.audit.blocks import Slate
from pbem.audit.bundle import OpenedOrders
from pbem.audit.note import decode64
from pbem.audit.verifier.log_checks import Keys
from pbem.audit.verifier.proof import Output
from pbem.audit.verifier.record import Board, Letter, Phase, Record, Seen

__all__ = ["check_phases"]

_ATTEMPT = re.compile(r"(.+)~([1-9][0-9]*)")

Proven = Callable[[bytes, bytes], bytes | None]
"""The secret of an input and its proof, None if that is false; by the VRF key of the log."""


class _Closed(NamedTuple):
    """A segment that was closed: its phase, the leaf that says so, and the list."""

    game: str
    phase: Phase
    close: Seen
    slate: Slate

    @property
    def at(self) -> str:
        return f"{self.game} {self.phase.name}"


def check_phases(record: Record, board: Board, keys: Keys, output: Output) -> None:
    """Check closes, orders, rounds of every phase, and each opened order against what was closed."""
    for (game, name), phase in sorted(record.phases.items()):
        at = f"{game} {name}"
        _attempt(record, board, game, phase)
        _sequence(board, at, phase)
        _again(record, board, game, phase)
        for close in phase.of("close"):
            found = record.slates.get(close.leaf("slate"))
            if found is None:
                board.cannot("close", f"{at}: the slate of segment {close.leaf('segment')} is in no letter here")
                continue
            closed = _Closed(game, phase, close, found[0])
            _slate(board, closed)
            _seats(record, board, closed)
            _round(record, board, closed, keys)
    _strays(record, board)
    proven = partial(output, keys.vrf) if keys.vrf is not None else None
    for letter in record.letters:
        _reader(record, board, letter)
        for opened in letter.bundle.orders:
            _own(record, board, letter, opened, proven)
    _invented(record, board)


def _attempt(record: Record, board: Board, game: str, phase: Phase) -> None:
    """An attempt is the first, or follows the one before: a phase that was reopened shows how often."""
    found = _ATTEMPT.fullmatch(phase.name)
    at = f"{game} {phase.name}"
    if not board.hold("close", found is not None, f"{at}: the phase does not say which attempt it is") or not found:
        return
    board.hold("close", len(phase.opens) < 2, f"{at}: it was opened twice")
    before = record.phases.get((game, f"{found[1]}~{int(found[2]) - 1}"))
    for opened in phase.opens if int(found[2]) > 1 else ():
        if before is not None and before.opens:
            later = before.opens[0].leaf.seq < opened.leaf.seq
            board.hold("close", later, f"{at}: it was opened before the attempt before it")
        elif record.gapless(game, 0, opened.leaf.seq):
            board.hold("close", False, f"{at}: there was no attempt before it")
        else:
            board.cannot("close", f"{at}: the attempt before it is in no letter here")


def _sequence(board: Board, at: str, phase: Phase) -> None:
    """Opened, closed, rolled, answered, closed again, rolled again: nothing early, late, or twice."""
    opened = phase.opens[0].leaf.seq if phase.opens else -1
    board.hold(
        "close", all(seen.leaf.seq > opened for seen in phase.rest), f"{at}: something came before it was opened"
    )
    segments = sorted({seen.leaf.number("segment") for kind in ("close", "roll") for seen in phase.of(kind)})
    for segment in segments:
        closes, rolls = phase.of("close", segment), phase.of("roll", segment)
        board.hold("close", len(closes) < 2, f"{at}: segment {segment} was closed {len(closes)} times")
        board.hold("close", len(rolls) < 2, f"{at}: segment {segment} was rolled {len(rolls)} times")
        if rolls and phase.opens:
            good = bool(closes) and closes[0].leaf.seq < rolls[0].leaf.seq
            board.hold("close", good, f"{at}: segment {segment} was rolled before it was closed")
        if segment > 1 and closes and phase.opens:
            before = phase.of("roll", segment - 1)
            good = bool(before) and before[0].leaf.seq < closes[0].leaf.seq
            board.hold("close", good, f"{at}: segment {segment} was closed before the one before it was rolled")
    for result in phase.of("result"):
        good = all(seen.leaf.seq < result.leaf.seq for kind in ("close", "roll") for seen in phase.of(kind))
        board.hold("close", good, f"{at}: something was closed or rolled after the result")


def _again(record: Record, board: Board, game: str, phase: Phase) -> None:
    """A phase comes out a second time only where a ruling has it resolved once more, and the log says so before."""
    at, results, agains = f"{game} {phase.name}", phase.of("result"), phase.of("again")
    for number, result in enumerate(results):
        said = sum(again.leaf.seq < result.leaf.seq for again in agains)
        board.hold("close", said == number, f"{at}: it came out {number + 1} times, resolved once more {said} times")
    for again in agains:
        before = sum(result.leaf.seq < again.leaf.seq for result in results)
        right = again.leaf.number("run") == before + 1
        board.hold("close", right, f"{at}: resolved once more as run {again.leaf('run')}, after {before} results")
        ruling, history = again.leaf("ruling"), record.history(game)
        if any(seen.leaf.kind == "ruling" and seen.leaf("number") == ruling for seen in history):
            board.hold("close", True, "")
        else:
            board.cannot("close", f"{at}: ruling {ruling}, by which it is resolved once more, is in no letter here")


def _slate(board: Board, closed: _Closed) -> None:
    _, phase, close, slate = closed
    at = closed.at
    segment = close.leaf.number("segment")
    said = (close.leaf.game, phase.name, segment)
    board.hold("close", (slate.game, slate.phase, slate.segment) == said, f"{at}: the slate is of another phase")
    before = phase.close_of(segment - 1) if segment > 1 else None
    if segment > 1 and before is None:
        board.cannot("close", f"{at}: the close of segment {segment - 1} is in no letter here")
    else:
        previous = before.leaf("slate") if before else "-"
        board.hold("close", slate.previous == previous, f"{at}: the slate does not follow that of the segment before")
    for opened in phase.opens:
        same = (slate.edition, slate.state) == (opened.leaf("edition"), opened.leaf("state"))
        board.hold("close", same, f"{at}: the slate has another edition or state than the phase was opened with")
        seats = " ".join(sorted(slate.seats)) == opened.leaf("seats")
        board.hold("close", seats, f"{at}: the slate has other seats than the phase was opened with")
    if not phase.opens:
        board.cannot("close", f"{at}: the leaf that opened the phase is in no letter here")


def _strays(record: Record, board: Board) -> None:
    """A slate that no close names was closed by nobody."""
    named = {close.leaf("slate") for phase in record.phases.values() for close in phase.of("close")}
    for digest, (slate, _) in sorted(record.slates.items()):
        board.hold("close", digest in named, f"{slate.game} {slate.phase}: a slate that was never closed")


def _seats(record: Record, board: Board, closed: _Closed) -> None:
    """Each seat's revision and commitment are those of its last orders, or answer, before the close."""
    game, phase, close, slate = closed
    at, segment = closed.at, slate.segment
    opened = phase.opens[0].leaf.seq if phase.opens else None
    if opened is None or not record.gapless(game, opened, close.leaf.seq):
        board.cannot("orders", f"{at}: not all leaves between opening and closing are in letters here")
        return
    if segment == 1:
        due = _deadline(phase, close, 1)
        for order in phase.of("order"):
            late = order.leaf.seq > close.leaf.seq or order.leaf.number("recv") > due.leaf.number("D")
            board.hold("orders", not late, f"{at}: orders of {order.leaf('seat')} were taken after the close")
    for seat, sealed in sorted(slate.seats.items()):
        last = [seen for seen in _given(phase, segment, seat) if seen.leaf.seq < close.leaf.seq]
        revisions = [seen.leaf.number("rev") for seen in last if segment == 1]
        # Orders that are taken back leave revision 0: standing orders alone.
        sent = [one for one in revisions if one]
        board.hold("orders", sent == sorted(sent), f"{at}: the revisions of {seat} go back")
        if segment == 1:
            right = sealed.revision == (revisions[-1] if revisions else 0)
            board.hold("orders", right, f"{at}: the slate has revision {sealed.revision} of {seat}, the log another")
        if last:
            same = _commit(last[-1]) == sealed.commit
            board.hold("orders", same, f"{at}: what was closed for {seat} is not what was logged last")
    if segment > 1:
        _answers(board, at, phase, close, segment)


def _answers(board: Board, at: str, phase: Phase, close: Seen, segment: int) -> None:
    rolled = phase.of("roll", segment - 1)
    for answer in phase.of("answer", segment):
        good = bool(rolled) and rolled[-1].leaf.seq < answer.leaf.seq < close.leaf.seq
        board.hold("orders", good, f"{at}: an answer of {answer.leaf('seat')} was not given between roll and close")


def _given(phase: Phase, segment: int, seat: str) -> Iterator[Seen]:
    found = phase.of("order") if segment == 1 else phase.of("answer", segment)
    return (seen for seen in found if seen.leaf("seat") == seat)


def _commit(seen: Seen) -> bytes:
    return decode64(seen.leaf("commit"))


def _deadline(phase: Phase, close: Seen, segment: int) -> Seen:
    """The leaf that last said when a segment closes; of a later segment it stands after the roll before."""
    since = max((seen.leaf.seq for seen in phase.of("roll", segment - 1)), default=-1) if segment > 1 else -1
    found = [seen for seen in phase.of("deadline") if since < seen.leaf.seq < close.leaf.seq]
    return found[-1] if found else phase.opens[0]


def _round(record: Record, board: Board, closed: _Closed, keys: Keys) -> None:
    """The beacon's round is the first at or after the closing and the delay, as it was said before."""
    at, (_, phase, close, slate) = closed.at, closed
    if not phase.opens:
        board.cannot("round", f"{at}: the leaf that opened the phase is in no letter here")
        return
    opened = phase.opens[0].leaf
    if keys.chains is not None:
        known = opened("chain") in keys.chains | {"none"}
        board.hold("round", known, f"{at}: the phase has another chain than the server")
    first = next(one.opens[0].leaf for (game, _), one in record.phases.items() if game == opened.game and one.opens)
    board.hold("round", opened("chain") == first("chain"), f"{at}: the phase has another chain than its game")
    board.hold("round", slate.chain == opened("chain"), f"{at}: the slate has another chain than the phase")
    said = _deadline(phase, close, slate.segment)
    if opened("chain") == "none":
        none = {slate.round, said.leaf.number("round"), opened.number("round")} == {0}
        board.hold("round", none, f"{at}: there is a round, but no beacon")
        return
    chain = beacon.KNOWN.get(opened("chain"))
    if chain is None:
        board.cannot("round", f"{at}: the chain {opened('chain')} is not a public one")
        return
    if slate.segment > 1:
        board.hold("round", said.leaf.kind == "deadline", f"{at}: no round was fixed for segment {slate.segment}")
    board.hold("round", slate.round == said.leaf.number("round"), f"{at}: the slate has another round than was said")
    for seen in (*phase.opens, *phase.of("deadline")):
        right = beacon.at_or_after(chain, seen.leaf.number("D") + opened.number("delta"))
        board.hold("round", seen.leaf.number("round") == right, f"{at}: leaf {seen.leaf.seq} has a wrong round")


def _reader(record: Record, board: Board, letter: Letter) -> None:
    """The phase that a letter is about is in the log, and the seat that it is to is one of those of the phase.

    A letter about no phase is to a seat of the game.
    """
    phase = record.phases.get((letter.bundle.game, letter.bundle.phase))
    opens = phase.opens if phase else []
    if letter.bundle.phase != "-":
        board.hold("own", phase is not None, f"{letter.where}: no leaf here is about {letter.bundle.phase}")
    else:
        opens = [seen for seen in record.history(letter.bundle.game) if seen.leaf.kind == "open"]
    for opened in opens:
        seated = letter.bundle.seat in opened.leaf("seats").split(" ")
        board.hold("own", seated, f"{letter.where}: {letter.bundle.seat} is no seat of {opened.leaf('phase')}")


def _own(record: Record, board: Board, letter: Letter, opened: OpenedOrders, proven: Proven | None) -> None:
    """Orders in clear are those that were logged, and those that were closed."""
    game = letter.bundle.game
    at = f"{letter.where}: orders of {opened.seat} for {opened.phase}"
    if proven is None:
        board.cannot("own", f"{at}: the VRF key is not known")
        return
    where = opened.phase if opened.segment == 1 else f"{opened.phase}/{opened.segment}"
    secret = proven(sealing.salt(game=game, phase=where, seat=opened.seat), opened.proof)
    if not board.hold("own", secret is not None, f"{at}: the salt is not proven") or secret is None:
        return
    commit = sealing.commit(sealing.order_salt(secret, opened.rev), opened.text)
    phase = record.phases.get((game, opened.phase))
    logged, closed = _bound(record, phase, opened) if phase else ([], [])
    if not logged and not closed:
        known = phase is not None and bool(phase.opens)
        if known:
            board.hold("own", False, f"{at}: revision {opened.rev} is neither in the log nor closed")
        else:
            board.cannot("own", f"{at}: the leaves of the phase are in no letter here")
        return
    board.hold("own", all(one == commit for one in closed), f"{at}: what was closed is not revision {opened.rev}")
    board.hold("own", not logged or commit in logged, f"{at}: what was logged is not revision {opened.rev}")


def _invented(record: Record, board: Board) -> None:
    """Whatever the log says that a seat has sent was opened to it: else it was written by somebody else."""
    opened = {
        (letter.bundle.game, letter.bundle.seat, one.phase, one.segment, one.rev)
        for letter in record.letters
        for one in letter.bundle.orders
        if one.seat == letter.bundle.seat
    }
    answers = {key[:4] for key in opened}
    for letter in record.letters:
        for placed in letter.bundle.leaves if letter.bundle.letter != "disclosure" else ():
            leaf = leaves.parse(placed.data)
            if leaf.kind not in ("order", "answer") or leaf("seat") != letter.bundle.seat:
                continue
            key = (leaf.game, leaf("seat"), leaf("phase"))
            known = (*key, leaf.number("segment")) in answers if leaf.kind == "answer" else False
            known = known or (leaf.kind == "order" and (*key, 1, leaf.number("rev")) in opened)
            board.hold("own", known, f"{letter.where}: leaf {leaf.seq} says you sent what no letter here opens to you")


def _bound(record: Record, phase: Phase, opened: OpenedOrders) -> tuple[list[bytes], list[bytes]]:
    """The commitments of a seat's revision, or answers, in the log, and in the slate if it closed that revision."""
    given = list(_given(phase, opened.segment, opened.seat))
    logged = [_commit(seen) for seen in given if opened.segment > 1 or seen.leaf.number("rev") == opened.rev]
    close = phase.close_of(opened.segment)
    slate = record.slates.get(close.leaf("slate")) if close else None
    sealed = slate[0].seats.get(opened.seat) if slate else None
    return logged, [sealed.commit] if sealed and sealed.revision == opened.rev else []
