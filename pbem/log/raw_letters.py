"""The letters that brought orders, as they came, held against the digests by which the log and the tables name them."""

from __future__ import annotations

from typing import NamedTuple

from pbem.mail.inbound import read_header
from pbem.runtime.transaction import Server
from pbem.store import queries


class Letters(NamedTuple):
    """How many letters are as they came, how many were erased and cannot be checked, and which are something else."""

    whole: int
    erased: int
    wrong: tuple[str, ...]


def check(server: Server) -> Letters:
    """Read every letter of orders that is kept, a game at a time; nothing is changed."""
    with server.reading() as work:
        games = queries.games.begun(work.session)
    whole = erased = 0
    wrong: list[str] = []
    for game in games:
        with server.reading() as work:
            found = [(row.id, row.sha256, raw) for row, raw in queries.inbox.that_ordered(work.session, game)]
        for number, digest, raw in found:
            if not raw:
                erased += 1
            elif read_header(raw, server.own).content == digest:
                whole += 1
            else:
                wrong.append(f"letter {number}, with orders for {game}, is not as it came")
    return Letters(whole, erased, tuple(wrong))
