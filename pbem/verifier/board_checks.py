"""Boards: tables of a tournament that have one luck, which no table may know before all of them have closed."""

from __future__ import annotations

from .bundles import Leaf, Slate
from .contest_lists import BoardList, belongs
from .later_checks import proven
from .log_checks import Keys
from .record import Board, Course, Phase, Place


def check_boards(course: Course, board: Board, keys: Keys) -> None:
    """Check every board that was bound or dealt, and every closed list that names one."""
    for name in sorted({leaf["board"] for leaf in course.bound}):
        check_binding(course, board, keys, name)
    for _, phase in sorted(course.phases.items()):
        for close in phase.of("close"):
            slate = course.slate(close)
            if slate is not None and slate.block["dice"] != "own":
                check_table(course, board, phase, slate)


def check_binding(course: Course, board: Board, keys: Keys, name: str) -> None:
    """A board is bound once, on the lists of all its tables, and dealt once after it."""
    binds, deals = course.bindings(name, "bind"), course.bindings(name, "deal")
    place = Place(f"{(binds or deals)[0].game} {name}")
    board.say("close", len(binds) < 2, place, "the board was bound {} times", len(binds))
    board.say("close", len(deals) < 2, place, "the board was dealt {} times", len(deals))
    if not binds:
        game, last = deals[0].game, deals[0].seq
        truth = False if course.gapless(game, 0, last) else None
        board.say("close", truth, place, "the board was dealt before it was bound")
        return
    bind = binds[0]
    if deals:
        same = deals[0].game == bind.game and bind.seq < deals[0].seq
        board.say("close", same, place, "the board was dealt before it was bound")
        proven(keys, board, place, (bind, "dup", deals[0]))
    bound = course.boards.get(bind["slate"])
    if bound is None:
        board.say("close", None, place, "the board that was bound is in no letter")
        return
    said, beacon = bound.block, "none" if bind["chain"] == "none" else f"{bind['chain']} {bind['beacon']}"
    same = (said["game"], said["board"]) == (bind.game, name)
    board.say("close", same, place, "the board that was bound is another")
    board.say("round", said["beacon"] == beacon, place, "the list has another round than was said")
    if keys.chains is not None:
        board.say("round", bind["chain"] in keys.chains | {"none"}, place, "it has another beacon than the server")
    check_whole(course, board, place, (bind, bound))
    for table, digest in bound.tables.items():
        if digest == "-":
            check_gone(course, board, place, (bind, bound, table))
        else:
            check_had_closed(course, board, place, (bind, bound, table))


def check_whole(course: Course, board: Board, place: Place, bound: tuple[Leaf, BoardList]) -> None:
    """A board has the tables of its name that were paired, all of them and no other."""
    bind, one = bound
    if not course.gapless(bind.game, 0, bind.seq):
        why = "leaves of the tournament are in no letter: which tables the board has is not known"
        board.say("close", None, place, why)
        return
    pairs = [leaf for leaf in course.history(bind.game) if leaf.kind == "pair" and leaf.known and leaf.seq < bind.seq]
    newest = {leaf["round"]: leaf["attempt"] for leaf in sorted(pairs, key=lambda leaf: leaf.num("attempt"))}
    mine = [leaf for leaf in pairs if newest[leaf["round"]] == leaf["attempt"]]
    names = {table for leaf in mine for table in leaf["table"].split(" ")}
    wanted = {name for name in names if belongs(name, one.name)}
    wrong = ", ".join(sorted(wanted ^ set(one.tables)))
    board.say("close", not wrong, place, "the board leaves out a table that was paired, or has another: {}", wrong)


def closes_of(course: Course, one: BoardList, table: str) -> list[Leaf]:
    key = (table, one.phase)
    phase = course.phases.get(key) or course.others.get(key)
    return [leaf for leaf in phase.of("close") if leaf.known] if phase is not None else []


def check_had_closed(course: Course, board: Board, place: Place, of: tuple[Leaf, BoardList, str]) -> None:
    """A table had closed this list before the board was bound."""
    bind, one, table = of
    closes = closes_of(course, one, table)
    if not closes:
        board.say("close", None, place, "no letter shows that {} had closed", table)
        return
    named = closes[0]["slate"] == one.tables[table]
    board.say("close", named, place, "{} closed another list than the board has", table)
    board.say("close", closes[0].at < bind.at, place, "{} closed after the board was bound", table)


def check_gone(course: Course, board: Board, place: Place, of: tuple[Leaf, BoardList, str]) -> None:
    """A table that plays no more, or that plays a phase again, is no longer one of its board."""
    bind, one, table = of
    slates = [course.slate(leaf) for leaf in closes_of(course, one, table)]
    if any(slate is not None and slate.block["dice"] == f"board {one.block['board']}" for slate in slates):
        board.say("close", False, place, "the board leaves out {}, which closed for it", table)
        return
    scored = any(
        leaf.kind == "score" and leaf.known and leaf["table"] == table and leaf.seq < bind.seq
        for leaf in course.history(bind.game)
    )
    again = any(
        phase.game == table and phase.attempt > 1 and phase.opened is not None and phase.opened.at < bind.at
        for phase in course.phases.values()
    )
    why = "that {} was no longer one of the board is in no letter"
    board.say("close", scored or again or None, place, why, table)


def check_table(course: Course, board: Board, phase: Phase, slate: Slate) -> None:
    """A list that names a board is of its phase, and is the one that the board has."""
    place, name = phase.place, slate.block["dice"].partition(" ")[2]
    own = name.split("/")[1:] == [phase.name, slate.block["segment"]] and belongs(phase.game, name.split("/")[0])
    board.say("close", own, place, "its dice are those of a board of other tables, or of another phase")
    board.say("attempts", phase.attempt == 1, place, "a phase that is played again has dice of its own")
    bind = next(iter(course.bindings(name, "bind")), None)
    bound = course.boards.get(bind["slate"]) if bind is not None else None
    if bind is None or bound is None:
        if phase.of("roll"):
            board.say("close", None, place, "no letter shows that its board was bound, and on which lists")
        return
    listed = bound.tables.get(phase.game) == slate.digest
    board.say("close", listed, place, "its list is not the one that its board has")
    good = bind["chain"] == slate.chain and bind.num("beacon") >= slate.round
    board.say("round", good, place, "its board has another beacon than its list, or an earlier round")
