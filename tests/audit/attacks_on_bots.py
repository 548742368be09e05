"""Bots' orders: what a server could try with a seat that a program may write for, and what both verifiers must say."""

from __future__ import annotations

from tests.audit.attacks import DUE, SEALED, Case, attack, begun, closed, ended, honest
from tests.audit.simulated import ORDERS
from tests.audit.small_server import FIRST, Server

WROTE = (1, "HOLD\n")


def written(seat: str, named: str, *revisions: tuple[int, str]) -> Case:
    """A phase that names bots as `named`, in which orders for a seat came by no letter."""
    server = Server()
    server.terms["bots"] = named
    server.standing["morocco"] = ()
    server, out = begun(server)
    for rev, text in revisions:
        server.order(FIRST, seat, rev, text, 0)
    last = revisions[-1]
    closed(server, out, server.slate(FIRST, 1, {**ORDERS, seat: last}, 123))
    own = (server.opened(FIRST, 1, seat, *last),) if seat == "spain" else server.own("spain", FIRST)
    return ended(server, out, "C", orders=own)


@honest("a bot writes, without a letter, in the seat that it holds")
def _() -> Case:
    return written("morocco", "morocco:forward", WROTE)


@attack("a bot writes in a seat that the opening does not name", "orders")
def _() -> Case:
    return written("morocco", "spain:forward", WROTE)


@attack("orders that came by no letter where no bot plays", "orders")
def _() -> Case:
    return written("morocco", "-", WROTE)


@attack("a bot writes in the place of somebody whose letter was in", "orders")
def _() -> Case:
    return written("spain", "spain:forward", (3, "PASS\n"))


def away(*, back: bool) -> Case:
    """A bot may write for Spain, and does; what its player sends then counts."""
    server = Server()
    server.terms["bots"] = "spain:forward"
    server.open(FIRST, DUE)
    out = [server.send("spain", "welcome", FIRST)]
    server.order(FIRST, "spain", 1, "PASS\n", 0)
    sent = {"spain": (1, "PASS\n"), "morocco": (0, "")}
    if back:
        sent["spain"] = (2, "HOLD\n")
        server.order(FIRST, "spain", 2, "HOLD\n", DUE - 50)
    own = (server.opened(FIRST, 1, "spain", *sent["spain"]),)
    out.append(server.send("spain", "receipt", FIRST, orders=own))
    closed(server, out, server.slate(FIRST, 1, sent, 123))
    return ended(server, out, "C", orders=own)


@honest("a bot wrote for the reader, who alone knows whether he was away", own="NOT CHECKED", **SEALED)
def _() -> Case:
    return away(back=False)


@honest("a bot wrote for the reader, and his letter took its place", own="NOT CHECKED", **SEALED)
def _() -> Case:
    return away(back=True)
