"""Lots that are needed after a draw: what a server could try with juries and ties; rows for `attacks`."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy

from pbem.audit import beacon, blocks, vrf
from pbem.audit.dice import DiceStream
from tests.audit.attacks import Case, attack, doubt, honest
from tests.audit.attacks_on_draws import NOT_SEEN, ended
from tests.audit.attacks_on_lists import WHO, Stating, in_doubt
from tests.audit.small_server import ROUNDS
from tests.audit.tournament_server import OUT, TABLES, TournamentServer, paired, played

JURY = f"jury/D1/{TABLES[0]}"
ALONE = {**NOT_SEEN, "timing": "NOT CHECKED"}
"""What cannot be checked where lots wait for no beacon."""


class Lots(Stating):
    """A server that needs lots after a draw: a fifth and a sixth have entered."""

    def __init__(self) -> None:
        super().__init__()
        self.needed: dict[str, bytes] = {}

    def need(self, lot: str, first: str = "-", then: str = "-", number: int = 0) -> None:
        chain = beacon.QUICKNET.hash if number else "none"
        self.tell("lot-needed", lot=lot, first=first, then=then, chain=chain, beacon=number)
        self.needed[lot] = self.leaves[-1].data

    def secret_of(self, lot: str, number: int = 0) -> tuple[bytes, bytes]:
        """The secret of lots, and its proof."""
        proof = vrf.prove(self.vrf, blocks.vrf_input(self.needed[lot], ROUNDS[number] if number else None, "later"))
        return vrf.output_of(proof), proof

    def drawn(self, lot: str, asked: str = "-", number: int = 0, **other: object) -> None:
        sig = ROUNDS[number].hex() if number else "none"
        fields = {"asked": asked, "sig": sig, "group": f"later {self.secret_of(lot, number)[1].hex()}"}
        self.tell("lot-drawn", lot=lot, **(fields | other))

    def by_lot(self, lot: str, names: str, number: int = 0) -> list[str]:
        """Names in the order of lots."""
        stream, dispute = DiceStream(self.secret_of(lot, number)[0]), lot.split("/")[1]
        return sorted(names.split(" "), key=lambda name: stream.roll(f"jury/{dispute}/{name}", 1, 2**32))


def after_draw(*acts: Callable[[Lots], None]) -> Case:
    """A round that is drawn, whose first table is disputed, and what the server does then."""
    server = Lots()
    _, items = paired(server, entrants=WHO)
    for act in acts:
        act(server)
    return ended(server, items)


def jury(server: Lots, number: int = 0) -> None:
    server.need(JURY, "e3", "e4", number)


@honest("a jury by lots of this server alone, and ties", **ALONE)
def _() -> Case:
    def act(server: Lots) -> None:
        jury(server)
        server.drawn(JURY, "e3 e4")
        server.need("ties/r1")
        server.drawn("ties/r1")

    return after_draw(act)


@honest("a jury by lots of a round of the beacon, of whom one has left", **NOT_SEEN)
def _() -> Case:
    server = Lots()
    _, items = paired(server, entrants=WHO)
    server.need(JURY, "-", "e3 e4", 123)
    items.append(server.post(OUT - 50))
    juror, other = server.by_lot(JURY, "e3 e4", 123)
    server.tell("leave", entrant=juror, round=2, why="silent")
    server.drawn(JURY, other, 123)
    return ended(server, items)


honest("lots that are needed and never drawn", **NOT_SEEN)(lambda: after_draw(jury))


RULED = "jury/D1/ruling-1"
"""A jury about a ruling that names an entrant, and no table."""


@honest("juries about rulings of the director that name one or two", **ALONE)
def _() -> Case:
    def act(server: Lots) -> None:
        server.rule("1. EXPEL E3 BECAUSE x")
        server.need(RULED, "e1 e2 e4")
        server.drawn(RULED, " ".join(server.by_lot(RULED, "e1 e2 e4")))

    return after_draw(act)


honest("a jury about a ruling that bars two", **NOT_SEEN)(
    lambda: after_draw(lambda server: server.rule("1. BAR 1 4 BECAUSE x"), lambda server: server.need(RULED, "e2 e3"))
)


@honest("a jury about a ruling whose text is in no letter", **NOT_SEEN)
def _() -> Case:
    def act(server: Lots) -> None:
        server.tell("verdict", number=1, text="sha256:" + "0" * 64)
        server.need(RULED, "e1 e2")

    return after_draw(act)


def judging(text: str, jurors: str) -> Callable[[Lots], None]:
    """Have a jury of some judge a ruling."""

    def act(server: Lots) -> None:
        server.rule(text)
        server.need(RULED, jurors)

    return act


def trying(name: str, *acts: Callable[[Lots], None], check: str = "draws") -> None:
    """A row: each of these is done, and the check says FALSE."""
    attack(name, check)(lambda: after_draw(*acts))


def both_silent(server: TournamentServer) -> None:
    server.score(1, TABLES[0], "1" * 64, halves="0 0", margin=0, how="forfeit")


def leaves(name: str) -> Callable[[Lots], None]:
    return lambda server: server.tell("leave", entrant=name, round=2, why="silent")


honest("two silent players who count 0:0", **NOT_SEEN)(lambda: after_draw(leaves("e1"), leaves("e2"), both_silent))
trying("0:0 as if neither player came, and both play on", both_silent)
trying("0:0 as if neither player came, and one of them plays on", leaves("e1"), both_silent)
trying("0:0 as if neither player came, and others left", leaves("e3"), leaves("e4"), both_silent)


@honest("0:0 as if neither player came, where one sent orders", **NOT_SEEN, others="NOT CHECKED")
def _() -> Case:
    server = Lots()
    _, items = paired(server, entrants=WHO)
    played(server, items)
    for name in ("e1", "e2"):
        leaves(name)(server)
    both_silent(server)
    return ended(server, items)


def wrong_order(server: Lots) -> None:
    server.need(JURY, "-", "e3 e4")
    server.drawn(JURY, " ".join(reversed(server.by_lot(JURY, "e3 e4"))))


def passed_over(server: Lots) -> None:
    server.need(JURY, "-", "e3 e4")
    server.drawn(JURY, server.by_lot(JURY, "e3 e4")[1])


trying("a jury in another order than the lots give", wrong_order)
trying("a juror who comes first by lot and is not asked", passed_over)
trying("a juror who is not among those who may be", jury, lambda server: server.drawn(JURY, "e3 e1"))
trying("a jury of one who sits at the table", lambda server: server.need(JURY, "e1 e3", "e4"))
trying("a jury that leaves somebody out", lambda server: server.need(JURY, "e3"))
trying("a jury of one who stands there twice", lambda server: server.need(JURY, "e3", "e3 e4"))
trying("a jury of one who never entered", lambda server: server.need(JURY, "e3 e9", "e4"))
trying("a jury about a table that was not paired", lambda server: server.need("jury/D1/cup60-r1-09", "e3", "e4"))
trying("a juror whom the disputed ruling names", judging("1. WARN E3 BECAUSE x", "e1 e2 e3 e4"))
trying("a jury about a ruling that leaves somebody out", judging("1. AWARD 3 1 BECAUSE x", "e2 e4"))
trying("a jury about a ruling that was not made", judging("2. EXPEL 3 BECAUSE x", "e1 e2 e4"))
trying("a jury about a ruling on a table", judging(f"1. CORRECT {TABLES[0]} spain BECAUSE x", "e3 e4"))
trying("lots that nothing is called by", lambda server: server.need("prize/1"))
trying("lots for ties that are drawn among people", lambda server: server.need("ties/r1", "e3"))
trying("lots that are drawn twice", jury, *[lambda server: server.drawn(JURY)] * 2)
trying("lots that are needed twice", jury, jury)
trying("lots that are needed again though nothing happened", jury, lambda server: server.need(f"{JURY}/2", "e3", "e4"))
trying(
    "lots by the proof of other lots",
    jury,
    lambda server: server.need("ties/r1"),
    lambda server: server.drawn(JURY, group=f"later {server.secret_of('ties/r1')[1].hex()}"),
    check="vrf",
)
trying(
    "lots without the beacon that they wait for",
    lambda server: jury(server, 123),
    lambda server: server.drawn(JURY),
    check="beacon",
)


@attack("lots that are drawn and never needed", "draws")
def _() -> Case:
    def act(server: Lots) -> None:
        server.needed[JURY] = b""
        server.drawn(JURY)

    return after_draw(act)


@attack("lots after the draw in a tournament of version 1", "draws")
def _() -> Case:
    server, items = paired(TournamentServer())
    server.tell("lot-needed", lot="ties/r1", first="-", then="-", chain="none", beacon=0)
    return ended(server, items)


class AskedAgain(Lots):
    def found(self) -> None:
        super().found()
        self.need("ties/r1")
        self.tell("verdict", number=1, text="sha256:" + "0" * 64)
        self.need("ties/r1/2")
        self.drawn("ties/r1/2")


doubt("lots that are needed again after a score", "draws", "B")(lambda: in_doubt(AskedAgain()))


def juries(server: Lots) -> None:
    """One jury after another is asked for about one table, until it pleases."""
    names = [f"jury/D{number}/{TABLES[0]}" for number in (1, 2)]
    for name in names:
        server.need(name, "-", "e3 e4")
    server.drawn(names[-1], server.by_lot(names[-1], "e3 e4")[0])


def put_back(act: Callable[[Lots], None], anew: Callable[[Lots], None]) -> Case:
    """After a draw something is done, and told; then the server is put back to before it, and does it otherwise."""
    server = Lots()
    _, items = paired(server, entrants=WHO)
    items.append(server.post(OUT + 50))
    before = deepcopy(server)
    act(before)
    items.append(before.post(OUT + 60))
    head = before.head()
    server.recover(head.size, head.root)
    anew(server)
    return ended(server, items)


def score(halves: str) -> Callable[[Lots], None]:
    return lambda server: server.score(2, "cup60-r1-02", "1" * 64, halves=halves)


PUT_BACK = {
    "lots that are asked for by another round": (jury, lambda server: jury(server, 1000)),
    "a score the other way round": (score("2 0"), score("0 2")),
}
"""What is taken back by a restore, and done otherwise."""

NAMES = (JURY,)
