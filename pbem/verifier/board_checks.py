"""Check boards: tables of a tournament that share their dice.

No table may know these dice before all tables have closed.
"""

from __future__ import annotations

from .bundles import ClosedList, Leaf
from .later_checks import check_beacon_and_vrf_proof, vrf_input_of_list
from .log_checks import LogKeys
from .record import Findings, LogPlace, LogView, Phase
from .tournament_lists import BoardList, is_table_of_board


def check_boards(view: LogView, findings: Findings, keys: LogKeys) -> None:
    """Check every board that was bound or dealt, and every list that names one."""
    for name in sorted({leaf["board"] for leaf in view.bound}):
        check_binding(view, findings, keys, name)
    for _, phase in sorted(view.phases.items()):
        for close in phase.of("close"):
            slate = view.closed_list(close)
            if slate is not None and slate.block["dice"] != "own":
                check_list_names_board(view, findings, phase, slate)


def dealt_secret(view: LogView, keys: LogKeys, name: str, rolled: tuple[str, bytes]) -> bytes | None:
    """Return the secret dealt to a board, or None.

    `rolled` are the signature and proof with which a table rolled; the result is also None if the deal has others.
    """
    binds, deals = view.bindings(name, "bind"), view.bindings(name, "deal")
    if not binds or not deals or (deals[0]["sig"], deals[0].groups[0][1]) != rolled:
        return None
    key = keys.vrf_at(binds[0].at)
    alpha = vrf_input_of_list("dup", binds[0]["slate"], rolled[0])
    return keys.means.output(key, alpha, rolled[1]) if key is not None else None


def check_binding(view: LogView, findings: Findings, keys: LogKeys, name: str) -> None:
    """Check that a board is bound once, then dealt once.

    The binding has the lists of all its tables.
    """
    binds, deals = view.bindings(name, "bind"), view.bindings(name, "deal")
    place = LogPlace(f"{(binds or deals)[0].game} {name}")
    findings.say("close", len(binds) < 2, place, "the board was bound {} times", len(binds))
    findings.say("close", len(deals) < 2, place, "the board was dealt {} times", len(deals))
    if not binds:
        game, last = deals[0].game, deals[0].seq
        truth = False if view.gapless(game, 0, last) else None
        findings.say("close", truth, place, "the board was dealt before it was bound")
        return
    bind = binds[0]
    if deals:
        same = deals[0].game == bind.game and bind.seq < deals[0].seq
        findings.say("close", same, place, "the board was dealt before it was bound")
        check_beacon_and_vrf_proof(keys, findings, place, (bind, "dup", deals[0]))
    bound = view.boards.get(bind["slate"])
    if bound is None:
        findings.say("close", None, place, "the board that was bound is in no letter")
        return
    block, beacon = bound.block, "none" if bind["chain"] == "none" else f"{bind['chain']} {bind['beacon']}"
    same = (block["game"], block["board"]) == (bind.game, name)
    findings.say("close", same, place, "the board that was bound is another")
    findings.say("round", block["beacon"] == beacon, place, "the list has another round than was said")
    if keys.chains is not None:
        findings.say("round", bind["chain"] in keys.chains | {"none"}, place, "it has another beacon than the server")
    check_tables(view, findings, place, (bind, bound))
    for table, digest in bound.tables.items():
        if digest == "-":
            check_table_that_left(view, findings, place, (bind, bound, table))
        else:
            check_table_closed_before_binding(view, findings, place, (bind, bound, table))


def check_tables(view: LogView, findings: Findings, place: LogPlace, bound: tuple[Leaf, BoardList]) -> None:
    """Check that a board has exactly the paired tables of its name."""
    bind, listed = bound
    if not view.gapless(bind.game, 0, bind.seq):
        why = "leaves of the tournament are in no letter: which tables the board has is not known"
        findings.say("close", None, place, why)
        return
    pairs = [leaf for leaf in view.history(bind.game) if leaf.kind == "pair" and leaf.known and leaf.seq < bind.seq]
    # By attempt: the last of a round comes last, and stays.
    newest = {leaf["round"]: leaf["attempt"] for leaf in sorted(pairs, key=lambda leaf: leaf.num("attempt"))}
    newest_pairs = [leaf for leaf in pairs if newest[leaf["round"]] == leaf["attempt"]]
    names = {table for leaf in newest_pairs for table in leaf["table"].split(" ")}
    wanted = {name for name in names if is_table_of_board(name, listed.name)}
    wrong = ", ".join(sorted(wanted ^ set(listed.tables)))
    findings.say("close", not wrong, place, "the board leaves out a table that was paired, or has another: {}", wrong)


def leaves_that_close_table(view: LogView, board_list: BoardList, table: str) -> list[Leaf]:
    key = (table, board_list.phase)
    phase = view.phases.get(key) or view.others.get(key)
    return [leaf for leaf in phase.of("close") if leaf.known] if phase is not None else []


def check_table_closed_before_binding(
    view: LogView, findings: Findings, place: LogPlace, checked: tuple[Leaf, BoardList, str]
) -> None:
    """Check that a table closed its list before the board was bound."""
    bind, board_list, table = checked
    closes = leaves_that_close_table(view, board_list, table)
    if not closes:
        findings.say("close", None, place, "no letter shows that {} had closed", table)
        return
    named = closes[0]["slate"] == board_list.tables[table]
    findings.say("close", named, place, "{} closed another list than the board has", table)
    findings.say("close", closes[0].at < bind.at, place, "{} closed after the board was bound", table)


def check_table_that_left(
    view: LogView, findings: Findings, place: LogPlace, checked: tuple[Leaf, BoardList, str]
) -> None:
    """Check a table that has left its board.

    Its game is over, or it plays a phase again.
    """
    bind, board_list, table = checked
    slates = [view.closed_list(leaf) for leaf in leaves_that_close_table(view, board_list, table)]
    if any(slate is not None and slate.block["dice"] == f"board {board_list.block['board']}" for slate in slates):
        findings.say("close", False, place, "the board leaves out {}, which closed for it", table)
        return
    scored = any(
        leaf.kind == "score" and leaf.known and leaf["table"] == table and leaf.seq < bind.seq
        for leaf in view.history(bind.game)
    )
    replayed = any(
        phase.game == table and phase.attempt > 1 and phase.opening is not None and phase.opening.at < bind.at
        for phase in view.phases.values()
    )
    why = "that {} was no longer one of the board is in no letter"
    findings.say("close", scored or replayed or None, place, why, table)


def check_list_names_board(view: LogView, findings: Findings, phase: Phase, slate: ClosedList) -> None:
    """Check that a list that names a board is of its phase and in the board."""
    place, name = phase.place, slate.block["dice"].partition(" ")[2]
    same_phase = name.split("/")[1:] == [phase.name, slate.block["segment"]] and is_table_of_board(
        phase.game, name.split("/")[0]
    )
    findings.say("close", same_phase, place, "its dice are those of a board of other tables, or of another phase")
    findings.say("attempts", phase.attempt == 1, place, "a phase that is played again has dice of its own")
    bind = next(iter(view.bindings(name, "bind")), None)
    bound = view.boards.get(bind["slate"]) if bind is not None else None
    if bind is None or bound is None:
        if phase.of("roll"):
            findings.say("close", None, place, "no letter shows that its board was bound, and on which lists")
        return
    listed = bound.tables.get(phase.game) == slate.digest
    findings.say("close", listed, place, "its list is not the one that its board has")
    same_beacon = bind["chain"] == slate.chain and bind.num("beacon") >= slate.round
    findings.say("round", same_beacon, place, "its board has another beacon than its list, or an earlier round")
