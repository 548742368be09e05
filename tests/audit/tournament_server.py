"""A tournament in small: the server of `small_server` with the chain of a tournament, and two tables of one board."""

from __future__ import annotations

from typing import Any

from pbem.audit import beacon, blocks, boards, bundle, bundle_parts, draws, rolls, vrf
from pbem.audit.blocks import ClosedOrders, sha256_hex
from pbem.audit.boards import BoardBlock, BoardName
from pbem.audit.draws import DrawList, ListedEntrant
from pbem.audit.merkle import leaf_hash
from pbem.engine.data.canon import dumps
from tests.audit.simulated import ORDERS
from tests.audit.small_server import FIRST, ROUNDS, THROWS, Item, Server, closing
from tests.harness.leaf_chain import LeafChain

EVENT = "event/cup60"
RULES = dumps({"stage": [{"format": "swiss", "rounds": 4}], "title": "Castillejos Cup"})
TABLES = ("cup60-r1-01a", "cup60-r1-01b")
BOARD = BoardName("cup60-r1-01", FIRST, 1)
ENTRANTS = (
    ListedEntrant(1, 1600),
    ListedEntrant(2, 1580, team="lions"),
    ListedEntrant(4, 1500, team="lions"),
    ListedEntrant(3, 1490),
)
DUE = closing(123)
OUT = DUE + 601
"""When the round comes out that lots, and the dice of a board, wait for."""


class TournamentServer(Server):
    """A server that runs a tournament; its table is the first of TABLES."""

    version, rules_text = 1, RULES

    def __init__(self, **how: Any) -> None:
        super().__init__(game=TABLES[0], **how)
        self.chains |= {EVENT: LeafChain(EVENT), TABLES[1]: LeafChain(TABLES[1])}
        self.texts: list[bundle_parts.OpenedText] = []
        self.draws: list[bytes] = []
        self.boards: list[bytes] = []
        self.bound: bytes | None = None
        self.dice = "own"

    def tell(self, kind: str, **says: object) -> None:
        """Say something of the tournament."""
        self.act(kind, ((key, str(value)) for key, value in says.items()), game=EVENT)

    # A tournament.

    def found(self) -> None:
        self.opens(self.rules_text)
        later = {"version": self.version} if self.version > 1 else {}
        self.tell("found", rules=f"sha256:{sha256_hex(self.rules_text.encode())}", name="cup60", **later)
        for entrant in sorted(ENTRANTS):
            self.enter(entrant.number, entrant.strength)

    def opens(self, text: str) -> None:
        """Open the text of the next leaf."""
        self.texts.append(bundle_parts.OpenedText(EVENT, len(self.chains[EVENT].leaves), text))

    def enter(self, number: int, strength: int, since: int = 1) -> None:
        none = "0" * 64
        person, accepted = f"hmac:{none}", f"sha256:{none}"
        self.tell("enter", entrant=f"e{number}", person=person, accepted=accepted, strength=strength, round=since)

    def list_of(self, attempt: int = 1, **other: Any) -> DrawList:
        rules, beacon_round = f"sha256:{sha256_hex(self.rules_text.encode())}", f"{beacon.QUICKNET.hash} 123"
        waits = beacon_round if self.chain != "none" else "none"
        return DrawList(EVENT, 1, attempt, 1, rules, waits, ENTRANTS)._replace(**other)

    def shut(self, closed: DrawList, **other: object) -> bytes:
        slate = draws.write_draw(closed)
        self.draws.append(slate)
        chain, _, number = closed.beacon.partition(" ")
        fields = {"slate": sha256_hex(slate), "chain": chain, "beacon": number or "0"}
        self.tell("shut", round=f"r{closed.round}", attempt=closed.attempt, **(fields | other))
        return slate

    def lot(self, slate: bytes, **other: object) -> None:
        closed = draws.parse_draw(slate)
        number = int(closed.beacon.partition(" ")[2] or 0)
        sig = ROUNDS[number] if number else None
        proof = vrf.prove(self.vrf, blocks.vrf_input(slate, sig, "draw"))
        fields = {"sig": sig.hex() if sig else "none", "group": f"draw {proof.hex()}"}
        self.tell("lot", round=f"r{closed.round}", attempt=closed.attempt, **(fields | other))

    def pair(self, board: int, first: str, second: str = "-", table: str = "-", attempt: int = 1) -> None:
        self.tell("pair", round="r1", attempt=attempt, board=board, first=first, second=second, table=table)

    def score(self, board: int, table: str, leaf: str, **other: object) -> None:
        fields = {"halves": "2 0", "margin": "3", "how": "played" if table != "-" else "bye"}
        where = {"round": "r1", "board": board, "table": table}
        self.tell("score", **where, **(fields | other), leaf=leaf)

    def last(self, game: str) -> str:
        """The hash of the last leaf of a game."""
        return leaf_hash([leaf.data for leaf in self.leaves if leaf.leaf.game == game][-1]).hex()

    # A board of two tables.

    def other_slate(self, state: str = "b") -> bytes:
        """The closed list of the other table."""
        seats = {seat: blocks.Commitment(0, state[:1].encode() * 32, b"-" * 32) for seat in ("morocco", "spain")}
        rest = (f"sha256:{'0' * 64}", f"hmac:{'1' * 64}", f"{self.chain} 123" if self.chain != "none" else "none")
        return blocks.closed_orders_block(
            ClosedOrders(TABLES[1], FIRST, 1, "-", *rest, seats, dice=f"board {boards.write_name(BOARD)}")
        )

    def close_other(self, slate: bytes) -> None:
        head = (("phase", FIRST), ("segment", "1"), ("groups", "all"))
        self.act("close", (*head, ("slate", sha256_hex(slate)), ("seen", "-")), game=TABLES[1])

    def slate(self, *args: Any, **how: Any) -> bytes:
        made = super().slate(*args, **how)
        return blocks.closed_orders_block(rolls.parse_closed_orders(made)._replace(dice=self.dice))

    def bind(self, **other: Any) -> bytes:
        """Bind the board on the lists of both tables; `other` is said of it instead."""
        lists = {TABLES[0]: sha256_hex(self.slates[FIRST, 1]), TABLES[1]: sha256_hex(self.other_slate())}
        waits = f"{self.chain} 123" if self.chain != "none" else "none"
        made = boards.board_block(BoardBlock(EVENT, BOARD, tuple(lists.items()), waits)._replace(**other))
        self.boards.append(made)
        self.bound = self.bound or made
        chain, _, number = boards.parse_board(made).beacon.partition(" ")
        name = boards.write_name(boards.parse_board(made).name)
        self.tell("bind", board=name, slate=sha256_hex(made), chain=chain, beacon=number or "0")
        return made

    def alpha(self, phase: str, segment: int, group: str = "all") -> bytes:
        if self.bound is None or self.dice == "own":
            return super().alpha(phase, segment, group)
        return blocks.vrf_input(self.bound, self.signature(phase, segment), "dup")

    def deal(self, made: bytes | None = None) -> None:
        made = made or self.bound or b""
        sig = ROUNDS[123] if self.chain != "none" else None
        proof = vrf.prove(self.vrf, blocks.vrf_input(made, sig, "dup"))
        name = boards.write_name(boards.parse_board(made).name)
        self.tell("deal", board=name, sig=sig.hex() if sig else "none", group=f"dup {proof.hex()}")

    # Letters.

    def post(self, received: int | None = None, letter: str = "tournament", **more: Any) -> Item:
        """A letter of the tournament to him who plays spain, with all leaves that he has not seen."""
        parts = {"draws": tuple(self.draws), "opens": tuple(self.texts), **more}
        made = self.bundle("spain", letter, **parts)._replace(game=EVENT, seat="e1")
        return Item(f"e1-{len(self.leaves)}", received, bundle.write(made))


def drawn(server: TournamentServer | None = None, **other: Any) -> tuple[TournamentServer, list[Item]]:
    """A tournament whose first round is shut, told, drawn and paired; `other` is said of the list."""
    server = server or TournamentServer()
    server.found()
    items = [server.post(letter="welcome")]
    slate = server.shut(server.list_of(**other))
    items.append(server.post(OUT - 100))
    server.lot(slate)
    return server, items


def paired(server: TournamentServer | None = None, **other: Any) -> tuple[TournamentServer, list[Item]]:
    server, items = drawn(server, **other)
    server.pair(1, "e1", "e2", " ".join(TABLES))
    server.pair(2, "e4", "e3", "cup60-r1-02")
    return server, items


def standing(server: TournamentServer) -> None:
    """Say how it stands."""
    table = dumps([["e1", 2], ["e2", 0]])
    server.texts.append(bundle_parts.OpenedText(EVENT, len(server.chains[EVENT].leaves), table))
    server.tell("standing", round="r1", table=f"sha256:{sha256_hex(table.encode())}")


def played(server: TournamentServer, items: list[Item], *, bind: bool = True, close_other: bool = True) -> None:
    """Play a phase at the table up to the bound board; its letters go to spain."""
    server.dice = f"board {boards.write_name(BOARD)}"
    server.open(FIRST, DUE)
    items.append(server.send("spain", "welcome", FIRST))
    for rev, text in ((1, "HOLD\n"), ORDERS["spain"]):
        server.order(FIRST, "spain", rev, text, DUE - 100 + rev)
        items.append(server.send("spain", "receipt", FIRST, orders=(server.opened(FIRST, 1, "spain", rev, text),)))
    server.close(FIRST, 1, server.slate(FIRST, 1, ORDERS, 123 if server.chain != "none" else 0))
    if close_other:
        server.close_other(server.other_slate())
    if bind:
        server.bind()
        send_closed_lists(server, items)


def send_closed_lists(server: TournamentServer, items: list[Item], received: int | None = DUE + 30) -> None:
    """The letter with the closed lists."""
    slates = (server.slates[FIRST, 1],)
    items.append(server.send("spain", "closed", FIRST, "-", received, slates=slates, boards=tuple(server.boards)))


def reported(server: TournamentServer, items: list[Item], grade: str = "B", **more: Any) -> list[Item]:
    """Rolled, resolved and reported."""
    manifest = server.throw(FIRST, 1, THROWS)
    server.roll(FIRST, 1, manifest)
    server.result(FIRST)
    shown = {
        "slates": (server.slates[FIRST, 1],),
        "boards": tuple(server.boards),
        "draws": tuple(server.draws),
        "manifests": (manifest,),
        "orders": server.own("spain", FIRST),
        **server.of_both(FIRST),
        **more,
    }
    items.append(server.send("spain", "report", FIRST, grade, OUT + 99, **shown))
    return items
