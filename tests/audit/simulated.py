"""A game of two phases as the server in small plays it, and the letters that came of it."""

from __future__ import annotations

from typing import Any

from tests.audit.small_server import (
    FIRST,
    SECOND,
    THROWS,
    Item,
    Server,
    closing,
)

ORDERS = {"spain": (2, "LUCK salamanca 7\nASSAULT Cresta WITH Cuenca\n"), "morocco": (0, "")}
ANSWERS = {"spain": (0, ""), "morocco": (1, "RETREAT TO Valle\n")}


def first_phase(server: Server, *, number: int = 123, received: bool = True) -> list[Item]:
    """Phase one of a game: opened, two revisions of Spain's orders, closed, rolled in one segment. Spain's letters."""
    due = closing(number)
    number = number if server.chain != "none" else 0
    grade = "B" if number else "C"
    server.open(FIRST, due)
    out = [server.send("spain", "welcome", FIRST)]
    for rev, text in ((1, "HOLD\n"), ORDERS["spain"]):
        server.order(FIRST, "spain", rev, text, due - 100 + rev)
        out.append(server.send("spain", "receipt", FIRST, orders=(server.opened(FIRST, 1, "spain", rev, text),)))
    slate = server.slate(FIRST, 1, ORDERS, number)
    server.close(FIRST, 1, slate)
    out.append(server.send("spain", "closed", FIRST, "-", due + 30 if received else None, slates=(slate,)))
    manifest = server.throw(FIRST, 1, THROWS)
    server.roll(FIRST, 1, manifest)
    server.result(FIRST)
    more = {"slates": (slate,), "manifests": (manifest,), "orders": server.own("spain", FIRST), **server.of_both(FIRST)}
    out.append(server.send("spain", "report", FIRST, grade, due + 700, **more))
    return out


def second_phase(server: Server) -> list[Item]:
    """Phase two, of two segments, with an answer between them. Spain's letters and Morocco's last."""
    due, later = closing(1000), closing(657413)
    public = server.chain != "none"
    first, second = (1000, 657413) if public else (0, 0)
    server.open(SECOND, due, state="after")
    slate = server.slate(SECOND, 1, {"spain": (0, ""), "morocco": (0, "")}, first, "after")
    server.close(SECOND, 1, slate)
    out = [server.send("spain", "closed", SECOND, "-", due + 5, slates=(slate,), orders=server.own("spain", SECOND))]
    manifest = server.throw(SECOND, 1, THROWS[:1])
    server.roll(SECOND, 1, manifest)
    server.deadline(SECOND, later)
    server.answer(SECOND, 2, *("morocco", ANSWERS["morocco"][1]))
    answered = server.slate(SECOND, 2, ANSWERS, second, "after")
    server.close(SECOND, 2, answered)
    out.append(server.send("spain", "closed", SECOND, "-", later + 5, slates=(answered,)))
    last = server.throw(SECOND, 2, THROWS[1:], first=2)
    server.roll(SECOND, 2, last)
    server.result(SECOND, "over")
    shown: dict[str, Any] = {"slates": (slate, answered), "manifests": (manifest, last), **server.of_both(SECOND)}
    for seat in ("spain", "morocco"):
        own = server.own(seat, SECOND)
        out.append(server.send(seat, "report", SECOND, "C", later + 700, **shown, orders=own))
    return out


def whole(*, public: bool = True) -> tuple[Server, list[Item]]:
    server = Server(public=public)
    return server, [*first_phase(server), *second_phase(server)]


def disclosed(*, public: bool = True, **instead: Any) -> list[Item]:
    """A whole game and the letter that opens all of it; `instead` are parts told in the place of the honest ones."""
    server, items = whole(public=public)
    parts = {**server.disclose(), **instead}
    return [*items, server.send("spain", "disclosure", **parts)]
