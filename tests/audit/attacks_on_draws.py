"""What a server could try with the draws, scores and boards of a tournament; rows of the tables in `attacks`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pbem.audit import blocks, bundle, checkpoint, draws, merkle, vrf
from pbem.audit.blocks import sha256_hex
from pbem.audit.bundle import IncludedLeaf
from pbem.audit.draws import ListedEntrant
from tests.audit.attacks import Case, attack, doubt, honest
from tests.audit.small_server import FIRST, ROUNDS, THROWS, WITNESS, WITNESS_SECRET, Item
from tests.audit.tournament_server import (
    ENTRANTS,
    EVENT,
    OUT,
    TABLES,
    TournamentServer,
    drawn,
    paired,
    played,
    reported,
    send_closed_lists,
    standing,
)

NOT_SEEN = {"draws": "NOT CHECKED"}
"""What cannot be checked without full mode: that pairs are the cheapest."""


def ended(server: TournamentServer, items: Sequence[Item], **more: Any) -> Case:
    return Case([*items, server.post(OUT + 99, **more)])


@honest("a round that was shut, drawn and paired", **NOT_SEEN)
def _() -> Case:
    server, items = paired()
    standing(server)
    return ended(server, items)


@honest("a round of an odd field, with one who rests, one who left and one who comes later", **NOT_SEEN)
def _() -> Case:
    server = TournamentServer()
    server.found()
    items = [server.post(letter="welcome")]
    server.enter(5, 1400, 2)
    server.tell("leave", entrant="e4", round=1, why="rest")
    server.tell("leave", entrant="e3", round=1, why="withdrew")
    listed = (*ENTRANTS[:3], ListedEntrant(5, 1400, since=2))
    slate = server.shut(server.list_of(entrants=listed, away=(4, 5)))
    items.append(server.post(OUT - 100))
    server.lot(slate)
    server.pair(1, "e1", "e2", TABLES[0])
    server.pair(2, "e4")
    server.tell("leave", entrant="e4", round=2, why="return")
    server.score(2, "-", "-", how="half-bye", halves="1 0")
    return ended(server, items)


@honest("a round that was drawn again by a verdict", **NOT_SEEN, timing="NOT CHECKED")
def _() -> Case:
    server, items = paired()
    items.append(server.post(OUT + 10))
    server.tell("verdict", number=1, text="sha256:" + "0" * 64)
    slate = server.shut(server.list_of(attempt=2, beacon="none"))
    server.lot(slate)
    server.pair(1, "e1", "e4", "cup60-r1b-01", 2)
    server.pair(2, "e2", "e3", "cup60-r1b-02", 2)
    return ended(server, items)


@honest("a round in which one takes another's place, and one never comes", **NOT_SEEN)
def _() -> Case:
    server, items = paired()
    server.enter(5, 1400)
    server.pair(2, "e5", "e3", "cup60-r1-02")
    server.tell("leave", entrant="e4", round=2, why="replaced")
    server.pair(2, "e5", "-", "cup60-r1-02")
    server.score(2, "-", "-")
    server.pair(3, "e3")
    server.score(3, "-", "-", how="absent", halves="0 0")
    server.tell("leave", entrant="e3", round=2, why="silent")
    return ended(server, items)


@honest("two rounds of a stage, and the first list of another", **NOT_SEEN)
def _() -> Case:
    server, items = paired(entrants=tuple(sorted(ENTRANTS)))
    items.append(server.post(OUT + 10))
    server.enter(5, 1700, 2)
    server.shut(server.list_of(round=2, entrants=(*sorted(ENTRANTS), ListedEntrant(5, 1700, since=2)), beacon="none"))
    server.shut(server.list_of(round=3, stage=2, entrants=ENTRANTS[1:3], beacon="none"))
    return ended(server, items)


Challenged = tuple[tuple[int, int], ...]


def challenged(listed: Challenged, accepted: Challenged = ((3, 2),), **other: Any) -> Case:
    """A round of a ladder in whose list stand challenges, after a leaf for each that was accepted."""
    server = TournamentServer()
    server.found()
    items = [server.post(letter="welcome")]
    for challenger, other_one in accepted:
        server.tell("challenge", round="r1", challenger=f"e{challenger}", challenged=f"e{other_one}")
    slate = server.shut(server.list_of(challenges=listed, **other))
    items.append(server.post(OUT - 100))
    server.lot(slate)
    server.pair(1, "e2", "e3", TABLES[0])
    server.pair(2, "e1", "e4", "cup60-r1-02")
    return ended(server, items)


@honest("a challenge that was accepted", **NOT_SEEN)
def _() -> Case:
    return challenged(((3, 2),))


@honest("of two that were accepted, one whose challenger is barred", **NOT_SEEN)
def _() -> Case:
    return challenged(((3, 2),), ((4, 1), (3, 2)), barred=((1, 4),))


attack("a challenge in the list that nobody accepted", "draws")(lambda: challenged(((3, 2),), ()))
attack("a challenge the other way round", "draws")(lambda: challenged(((2, 3),)))
attack("a challenge by another", "draws")(lambda: challenged(((1, 2),)))


@attack("a challenge that was accepted for another round", "draws")
def _() -> Case:
    server = TournamentServer()
    server.found()
    items = [server.post(letter="welcome")]
    server.tell("challenge", round="r2", challenger="e3", challenged="e2")
    server.shut(server.list_of(challenges=((3, 2),)))
    return ended(server, items)


@attack("a challenge that is accepted after the list is shut", "draws")
def _() -> Case:
    server = TournamentServer()
    server.found()
    items = [server.post(letter="welcome")]
    server.shut(server.list_of(challenges=((3, 2),)))
    server.tell("challenge", round="r1", challenger="e3", challenged="e2")
    return ended(server, items)


@doubt("a challenge that is left out of the list, by the ladder or not", "draws", "B")
def _() -> Case:
    server = TournamentServer()
    server.found()
    items = [server.post(letter="welcome")]
    server.tell("challenge", round="r1", challenger="e3", challenged="e2")
    slate = server.shut(server.list_of())
    items.append(server.post(OUT - 100))
    server.lot(slate)
    server.pair(1, "e1", "e2", " ".join(TABLES))
    server.pair(2, "e4", "e3", "cup60-r1-02")
    played(server, items)
    server.deal()
    return Case(reported(server, items))


def twice(kind: str) -> Case:
    """A draw that is repeated under the same attempt."""
    server, items = drawn()
    slate = server.draws[0]
    if kind == "shut":
        slate = server.shut(server.list_of(entrants=(ENTRANTS[0]._replace(pace=25), *ENTRANTS[1:])))
    server.lot(slate)
    server.pair(1, "e1", "e2", TABLES[0])
    server.pair(2, "e4", "e3", "cup60-r1-02")
    return ended(server, items)


attack("a list that is shut again under the same attempt", "draws")(lambda: twice("shut"))
attack("lots that are drawn again under the same attempt", "draws")(lambda: twice("lot"))


@attack("a round that is paired again under the same attempt", "draws")
def _() -> Case:
    server, items = paired()
    server.pair(1, "e1", "e4", TABLES[0])
    server.pair(2, "e2", "e3", "cup60-r1-02")
    return ended(server, items)


@attack("a round that is drawn again without a verdict", "draws")
def _() -> Case:
    server, items = paired()
    slate = server.shut(server.list_of(attempt=2))
    server.lot(slate)
    return ended(server, items)


@attack("a draw whose first attempt is not to be seen", "draws")
def _() -> Case:
    server, items = drawn(attempt=2)
    return ended(server, items)


def listed(
    change: Callable[[tuple[ListedEntrant, ...]], tuple[ListedEntrant, ...]], **other: Any
) -> Callable[[], Case]:
    """A round whose list is another than the log says."""

    def make() -> Case:
        server, items = paired(entrants=change(ENTRANTS), **other)
        return ended(server, items)

    return make


attack("a list that leaves an entrant out", "draws")(listed(lambda some: some[:3]))
attack("a list with one who never entered", "draws")(listed(lambda some: (*some, ListedEntrant(9, 1300))))
attack("a list with another strength", "draws")(listed(lambda some: (some[0]._replace(strength=1700), *some[1:])))
attack("a list in another order", "draws")(listed(lambda some: (some[1], some[0], *some[2:])))
attack("a list in which somebody is away who plays", "draws")(listed(lambda some: some, away=(3,)))


@doubt("a place that is given to another without a word", "draws", "B")
def _() -> Case:
    server, items = paired()
    server.enter(5, 1400)
    server.pair(2, "e5", "e3", "cup60-r1-02")
    played(server, items)
    server.deal()
    return Case(reported(server, items))


@doubt("seeds in another order than before", "draws", "B")
def _() -> Case:
    server, items = paired()
    server.shut(server.list_of(round=2, entrants=(ENTRANTS[1], ENTRANTS[0], *ENTRANTS[2:]), beacon="none"))
    played(server, items)
    server.deal()
    return Case(reported(server, items))


@attack("seeds in another order in the third round", "draws")
def _() -> Case:
    server, items = paired()
    server.shut(server.list_of(round=2, beacon="none"))
    server.shut(server.list_of(round=3, entrants=(ENTRANTS[1], ENTRANTS[0], *ENTRANTS[2:]), beacon="none"))
    return ended(server, items)


@attack("one who went on into a stage and is left out of its second list", "draws")
def _() -> Case:
    server, items = paired()
    server.shut(server.list_of(round=2, stage=2, beacon="none"))
    server.shut(server.list_of(round=3, stage=2, entrants=ENTRANTS[:3], beacon="none"))
    return ended(server, items)


@attack("a place that is taken by one who sits elsewhere", "draws")
def _() -> Case:
    server, items = paired()
    server.pair(2, "e1", "e3", "cup60-r1-02")
    server.tell("leave", entrant="e4", round=2, why="replaced")
    return ended(server, items)


@attack("both at a board changed at once", "draws")
def _() -> Case:
    server, items = paired()
    server.enter(5, 1400)
    server.enter(6, 1400)
    server.pair(2, "e5", "e6", "cup60-r1-02")
    return ended(server, items)


attack("a list by other rules", "draws")(listed(lambda some: some, rules="sha256:" + "1" * 64))


@attack("a list of one who had left", "draws")
def _() -> Case:
    server = TournamentServer()
    server.found()
    server.tell("leave", entrant="e3", round=1, why="withdrew")
    items = [server.post(letter="welcome")]
    slate = server.shut(server.list_of())
    items.append(server.post(OUT - 100))
    server.lot(slate)
    return ended(server, items)


@attack("a list of another tournament", "draws")
def _() -> Case:
    server, items = drawn(game="event/cup61")
    return ended(server, items)


@attack("a list of another round", "draws")
def _() -> Case:
    server = TournamentServer()
    server.alter["shut"] = lambda fields: (("round", "r1"), *fields[1:])
    server, items = drawn(server, round=2)
    return ended(server, items)


@attack("a list that waits for another round than was said", "round")
def _() -> Case:
    server = TournamentServer()
    server.found()
    server.shut(server.list_of(), beacon=1000)
    return ended(server, [server.post(letter="welcome")])


@attack("a list that was never shut", "draws")
def _() -> Case:
    server, items = paired()
    server.draws.append(server.draws[0].replace(b" 1490 24 ", b" 1490 48 "))
    return ended(server, items)


@attack("lots before the list is shut", "draws")
def _() -> Case:
    server = TournamentServer()
    server.found()
    items = [server.post(letter="welcome")]
    server.lot(draws.write_draw(server.list_of()))
    server.shut(server.list_of())
    return ended(server, items)


@attack("pairs before lots", "draws")
def _() -> Case:
    server = TournamentServer()
    server.found()
    slate = server.shut(server.list_of())
    items = [server.post(letter="welcome")]
    server.pair(1, "e1", "e2", TABLES[0])
    server.lot(slate)
    return ended(server, items)


@attack("pairs without lots", "draws")
def _() -> Case:
    server = TournamentServer()
    server.found()
    server.shut(server.list_of())
    items = [server.post(letter="welcome")]
    server.pair(1, "e1", "e2", TABLES[0])
    server.pair(2, "e4", "e3", "cup60-r1-02")
    return ended(server, items)


def proven(slate: bytes, group: str) -> Case:
    """Lots whose proof is of another list, or of another group."""
    server = TournamentServer()
    proof = vrf.prove(server.vrf, blocks.vrf_input(slate, ROUNDS[123], group))
    server.alter["lot"] = lambda fields: (*[*fields][:3], ("group", f"draw {proof.hex()}"))
    server, items = paired(server)
    return ended(server, items)


LIST = draws.write_draw(TournamentServer().list_of())
attack("lots of another list", "vrf")(lambda: proven(LIST.replace(b" 1490 24 ", b" 1490 48 "), "draw"))
attack("lots of a group of dice", "vrf")(lambda: proven(LIST, "all"))


@attack("lots by another round of the beacon", "beacon")
def _() -> Case:
    server = TournamentServer()
    server.alter["lot"] = lambda fields: (*fields[:2], ("sig", ROUNDS[1000].hex()), fields[3])
    server, items = paired(server)
    return ended(server, items)


def pairs(*some: tuple[Any, ...]) -> Callable[[], Case]:
    def make() -> Case:
        server, items = drawn()
        for pair in some:
            server.pair(*pair)
        standing(server)
        return ended(server, items)

    return make


GOOD = ((1, "e1", "e2", TABLES[0]), (2, "e4", "e3", "cup60-r1-02"))
attack("an entrant without a pair", "draws")(pairs(GOOD[0]))
attack("an entrant with two pairs", "draws")(pairs(GOOD[0], (2, "e1", "e3", "cup60-r1-02"), (3, "e4")))
attack("a board with two pairs", "draws")(pairs(GOOD[0], (1, "e4", "e3", "cup60-r1-01")))
attack("a pair with a stranger", "draws")(pairs(GOOD[0], (2, "e4", "e9", "cup60-r1-02"), (3, "e3")))
attack("a pair at a table of another tournament", "draws")(pairs(GOOD[0], (2, "e4", "e3", "cup61-r1-02")))
attack("a pair at a table of another board", "draws")(pairs(GOOD[0], (2, "e4", "e3", "cup60-r1-03")))
attack("a pair at a table of a later draw", "draws")(pairs(GOOD[0], (2, "e4", "e3", "cup60-r1z-02")))
attack("a pair at a table with another number of zeros", "draws")(pairs(GOOD[0], (2, "e4", "e3", "cup60-r1-00002")))


@attack("a tournament that is founded under another name", "draws")
def _() -> Case:
    server = TournamentServer()
    server.alter["found"] = lambda fields: (fields[0], ("name", "cup61"))
    server, items = paired(server)
    return ended(server, items)


@attack("a tournament that is founded twice", "draws")
def _() -> Case:
    server, items = paired()
    server.tell("found", rules="sha256:" + "0" * 64, name="cup60")
    return ended(server, items)


@attack("other rules than those of the founding", "opened")
def _() -> Case:
    server, items = paired()
    changed = (server.texts[0]._replace(text=server.texts[0].text.replace("swiss", "robin")),)
    return ended(server, items, opens=changed)


def over() -> tuple[TournamentServer, list[Item]]:
    """A table that has been opened, for its score."""
    server, items = paired()
    server.open(FIRST, OUT)
    server.result(FIRST)
    return server, items


@honest("a score whose table is in letters", **NOT_SEEN, others="NOT CHECKED", labels="NOT CHECKED")
def _() -> Case:
    server, items = paired()
    played(server, items)
    server.deal()
    reported(server, items)
    server.score(1, TABLES[0], server.last(TABLES[0]))
    return ended(server, items)


@honest("a score whose table is in no letter", **NOT_SEEN)
def _() -> Case:
    server, items = paired()
    server.score(1, TABLES[1], "1" * 64)
    server.score(2, "cup60-r1-02", "-", how="forfeit")
    return ended(server, items)


def scored(*what: Any, **other: Any) -> Callable[[], Case]:
    def make() -> Case:
        server, items = over()
        board, table, leaf = what
        server.score(board, table, server.last(leaf) if leaf != "-" else leaf, **other)
        return ended(server, items)

    return make


attack("a score by a leaf of another game", "draws")(scored(1, TABLES[0], EVENT))
attack("a score of a board that was not paired", "draws")(scored(3, TABLES[0], TABLES[0]))
attack("a score of a table of another board", "draws")(scored(2, TABLES[0], TABLES[0]))
attack("a score of a bye that was none", "draws")(scored(2, "-", "-"))


@attack("a score by a leaf that was not the last", "draws")
def _() -> Case:
    server, items = over()
    named = server.last(TABLES[0])
    server.ruling(FIRST, 1, "CONCEDE")
    server.score(1, TABLES[0], named)
    return ended(server, items)


@attack("a score that is changed, and nothing came of it", "draws")
def _() -> Case:
    server, items = over()
    named = server.last(TABLES[0])
    server.score(1, TABLES[0], named)
    server.score(1, TABLES[0], named, halves="0 2")
    return ended(server, items)


@honest("a score that is changed by a verdict", **NOT_SEEN)
def _() -> Case:
    server, items = paired()
    server.score(2, "cup60-r1-02", "1" * 64)
    server.tell("verdict", number=1, text="sha256:" + "0" * 64)
    server.score(2, "cup60-r1-02", "1" * 64, halves="0 2")
    return ended(server, items)


@doubt("two who are not to meet", "draws", "B")
def _() -> Case:
    server, items = paired(barred=((1, 2),))
    played(server, items)
    server.deal()
    return Case(reported(server, items))


@honest("a list that came too late", **NOT_SEEN, timing="NOT CHECKED")
def _() -> Case:
    server = TournamentServer()
    server.found()
    items = [server.post(letter="welcome")]
    slate = server.shut(server.list_of())
    items.append(server.post(OUT + 5))
    server.lot(slate)
    server.pair(*GOOD[0])
    server.pair(*GOOD[1])
    return ended(server, items)


@honest("lots without a beacon", **NOT_SEEN, timing="NOT CHECKED")
def _() -> Case:
    server, items = paired(TournamentServer(public=False))
    return ended(server, items)


# Boards.


def board(**how: Any) -> tuple[TournamentServer, list[Item]]:
    server, items = paired()
    played(server, items, **how)
    return server, items


@honest("a board of two tables", others="NOT CHECKED", labels="NOT CHECKED", draws="NOT CHECKED")
def _() -> Case:
    server, items = board()
    server.deal()
    return Case(reported(server, items))


@honest(
    "a board without a beacon", others="NOT CHECKED", labels="NOT CHECKED", draws="NOT CHECKED", timing="NOT CHECKED"
)
def _() -> Case:
    server, items = paired(TournamentServer(public=False))
    played(server, items)
    server.deal()
    return Case(reported(server, items, "C"))


@honest("a board one of whose tables is over", others="NOT CHECKED", labels="NOT CHECKED", draws="NOT CHECKED")
def _() -> Case:
    server, items = paired()
    server.score(1, TABLES[1], "1" * 64)
    played(server, items, bind=False, close_other=False)
    server.bind(tables=((TABLES[0], sha256_hex(server.slates[FIRST, 1])), (TABLES[1], "-")))
    send_closed_lists(server, items)
    server.deal()
    return Case(reported(server, items))


@attack("a table that closes after the board is dealt", "close")
def _() -> Case:
    server, items = board(close_other=False)
    server.deal()
    server.close_other(server.other_slate())
    return Case(reported(server, items))


@attack("a table that closes another list than the board has", "close")
def _() -> Case:
    server, items = board(close_other=False, bind=False)
    server.close_other(server.other_slate("x"))
    server.bind()
    send_closed_lists(server, items)
    server.deal()
    return Case(reported(server, items))


@attack("a board that leaves out a table", "close")
def _() -> Case:
    server, items = board(bind=False)
    server.bind(tables=((TABLES[0], sha256_hex(server.slates[FIRST, 1])),))
    send_closed_lists(server, items)
    server.deal()
    return Case(reported(server, items))


@doubt("a board that says a table plays no more, without a reason", "close", "B")
def _() -> Case:
    server, items = board(bind=False, close_other=False)
    server.bind(tables=((TABLES[0], sha256_hex(server.slates[FIRST, 1])), (TABLES[1], "-")))
    send_closed_lists(server, items)
    server.deal()
    return Case(reported(server, items))


@attack("a board that is bound twice", "close")
def _() -> Case:
    server, items = board(bind=False)
    server.bind(tables=((TABLES[0], sha256_hex(server.slates[FIRST, 1])), (TABLES[1], "-")))
    server.bind()
    send_closed_lists(server, items)
    server.deal()
    return Case(reported(server, items))


@attack("a board that is dealt twice", "close")
def _() -> Case:
    server, items = board()
    server.deal()
    server.deal()
    return Case(reported(server, items))


@attack("a board that is dealt before it is bound", "close")
def _() -> Case:
    server, items = board(bind=False)
    made = TournamentServer.bind(server)
    server, items = board(bind=False)
    server.deal(made)
    server.bind()
    send_closed_lists(server, items)
    return Case(reported(server, items))


@attack("dice of a table by its own list", "vrf")
def _() -> Case:
    server, items = board()
    server.deal()
    server.bound = None
    server.dice = "own"
    return Case(reported(server, items))


@attack("a board with another list of the reader's table", "close")
def _() -> Case:
    server, items = board(bind=False)
    server.bind(tables=((TABLES[0], "1" * 64), (TABLES[1], sha256_hex(server.other_slate()))))
    send_closed_lists(server, items)
    server.deal()
    return Case(reported(server, items))


@attack("a board that waits for no beacon while its tables do", "round")
def _() -> Case:
    server, items = board(bind=False)
    server.bind(beacon="none")
    send_closed_lists(server, items)
    server.deal()
    return Case(reported(server, items))


@attack("a board of another tournament", "close")
def _() -> Case:
    server, items = board(bind=False)
    server.bind(game="event/cup61")
    send_closed_lists(server, items)
    server.deal()
    return Case(reported(server, items))


@doubt("a board whose leaves are in no letter", "vrf", "C")
def _() -> Case:
    server, items = board()
    server.deal()
    case = Case(reported(server, items))
    return Case([_without(item) for item in case.items[2:]], case.pin)


def _without(item: Item) -> Item:
    """A letter without the leaves of the tournament."""
    read = bundle.parse(item.data)
    kept = tuple(leaf for leaf in read.leaves if b"\ngame event/" not in leaf.data)
    return item._replace(data=bundle.write(read._replace(leaves=kept, boards=(), draws=(), opens=())))


@doubt("a board that was bound when the round was out", "timing", "C")
def _() -> Case:
    server, items = board(bind=False)
    items.append(server.send("spain", "closed", FIRST, "-", OUT - 500, slates=(server.slates[FIRST, 1],)))
    server.bind()
    server.deal()
    return Case(reported(server, items))


def witnessed(*, bound: bool) -> Case:
    """A board of grade A: a witness saw the log with the leaf that binds it, or only with the list of the table."""
    server, items = paired()
    played(server, items, bind=False)
    index = [leaf.kind for leaf in server.leaves].index("close")
    note = checkpoint.cosign(server.signed(), WITNESS, WITNESS_SECRET, OUT - 60)
    server.bind()
    if bound:
        index = len(server.leaves) - 1
        note = checkpoint.cosign(server.signed(), WITNESS, WITNESS_SECRET, OUT - 60)
    send_closed_lists(server, items)
    server.deal()
    manifest = server.throw(FIRST, 1, THROWS)
    server.roll(FIRST, 1, manifest)
    server.result(FIRST)
    parts = {
        "slates": (server.slates[FIRST, 1],),
        "boards": tuple(server.boards),
        "manifests": (manifest,),
        "orders": server.own("spain", FIRST),
        **server.of_both(FIRST),
        "witnessed": (server.watched(note, index),),
    }
    made = server.bundle("spain", "report", FIRST, "A", **parts)
    # What a witness saw is shown again beside the rest of the phase.
    shown = {leaf.at for leaf in made.leaves}
    size = server.head().size
    placed = IncludedLeaf(
        server.leaves[index].data,
        index,
        merkle.prove_inclusion(server.tree.node, index, size),
        server.leaves[index].body,
    )
    whole = made.leaves if index in shown else (*made.leaves, placed)
    items.append(Item("spain-report", OUT + 99, bundle.write(made._replace(leaves=whole))))
    return Case(items, witnesses=(WITNESS,))


honest("a board that a witness saw bound", others="NOT CHECKED", labels="NOT CHECKED", draws="NOT CHECKED")(
    lambda: witnessed(bound=True)
)
doubt("a board of which a witness saw the list of one table, and not that it was bound", "timing", "B")(
    lambda: witnessed(bound=False)
)
