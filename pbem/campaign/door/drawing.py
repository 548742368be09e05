"""The pictures of letters that are made now: looked for among those that were drawn before, or drawn.

A letter waits for its pictures no longer than `PATIENCE` after it was written, or since letters are sent again: then it
goes without them, and says how they can be had.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlmodel import Session

from pbem.campaign.base.pictures import Commission
from pbem.campaign.base.server import Server
from pbem.core.data.canon import Json, loads
from pbem.core.data.messages import msg
from pbem.core.data.picture import Placed, pictures_of, without
from pbem.mail.outbound import InlinePicture, content_id, size
from pbem.store import queries, tables, writes

__all__ = ["AT_ONCE", "BEGUN", "PATIENCE", "Drawing", "all_wait", "made_now"]

BEGUN = timedelta(seconds=50)
"""How long a letter may have waited whose picture is still begun."""
PATIENCE = timedelta(seconds=60)
"""How long it waits for one that was begun."""
AT_ONCE = 8
"""Letters whose pictures are drawn together, before any of them goes out."""
_WIDEST = 720
"""Pixels of a page that a picture takes at most."""
_LATE = msg("A map of this letter could not be drawn in time: MAP brings it.")


class Drawn(NamedTuple):
    """A letter with what became of its pictures in their place, and those that it brings, in their order."""

    letter: Json
    pictures: tuple[InlinePicture, ...] = ()


def made_now(server: Server, rows: Sequence[tables.Outbox]) -> Sequence[tables.Outbox]:
    """Of letters that are due those to be made and sent first: those that need no picture, else the first that do."""
    return [row for row in rows if not _shows(server, row)] or rows[:AT_ONCE]


def all_wait(server: Server, rows: Sequence[tables.Outbox]) -> bool:
    """Whether there are letters, and pictures are to be had for all of them first."""
    return bool(rows) and all(_shows(server, row) for row in rows)


def _shows(server: Server, row: tables.Outbox) -> bool:
    return server.artist is not None and row.body is None and bool(pictures_of(loads(row.model)))


class Drawing:
    """The pictures of the letters of a batch, which is made since `begun`; what was drawn for it is kept by `keep`."""

    def __init__(self, server: Server, begun: datetime) -> None:
        self._server, self._begun = server, begun
        self._new: dict[str, bytes] = {}
        self._shown: dict[str, bytes] = {}

    def show(self, rows: Sequence[tables.Outbox], letters: Sequence[Json]) -> Sequence[Drawn]:
        """Return the letters in their order, with their pictures, or without those that could not be had."""
        wanted = self._wanted(rows, letters)
        if not any(wanted):
            return [Drawn(without(letter, [None] * len(pictures_of(letter)))) for letter in letters]
        digests = list(dict.fromkeys(one.digest for some in wanted for one in some))
        with self._server.session() as session:
            found = queries.outbox.pictures(session, digests)
        in_time = [
            (row, one)
            for row, some in zip(rows, wanted, strict=True)
            for one in some
            if one.digest not in found and self._waits(row) <= BEGUN
        ]
        if in_time:
            longest = max(self._waits(row) for row, _ in in_time)
            self._draw({one.digest: one for _, one in in_time}, self._server.clock.now() + PATIENCE - longest)
        found |= self._new
        self._shown |= found
        return [_shown(row, some, letter, found) for row, some, letter in zip(rows, wanted, letters, strict=True)]

    def keep(self, session: Session) -> None:
        """Store what was drawn, unless it is there."""
        now = self._server.clock.now()
        for digest, png in self._new.items():
            writes.add_new(session, "picture", digest=digest, png=png, made=now)

    def png(self, digest: str) -> bytes:
        """Return a picture that a letter was shown with."""
        return self._shown[digest]

    def _waits(self, row: tables.Outbox) -> timedelta:
        """How long a letter has waited to be made."""
        return self._server.clock.now() - max(row.created, self._begun)

    def _wanted(self, rows: Sequence[tables.Outbox], letters: Sequence[Json]) -> Sequence[Sequence[Commission]]:
        """What each letter shows; nothing where nobody can draw."""
        asked = [pictures_of(letter) for letter in letters]
        if self._server.artist is None or not any(asked):
            return [[] for _ in rows]
        with self._server.session() as session:
            names = {row.game_id for row, some in zip(rows, asked, strict=True) if some and row.game_id is not None}
            games = {name: session.get_one(tables.Game, name) for name in names}
            editions = {name: self._server.edition_of(session, game) for name, game in games.items()}
        return [
            [Commission(one, row.language, games[row.game_id].system, editions[row.game_id]) for one in some]
            if row.game_id is not None
            else []
            for row, some in zip(rows, asked, strict=True)
        ]

    def _draw(self, fresh: Mapping[str, Commission], until: datetime) -> None:
        if self._server.artist is None:
            return
        made = self._server.artist.draw(list(fresh.values()), until)
        self._new |= {digest: png for digest, png in zip(fresh, made, strict=True) if png is not None}


def _shown(row: tables.Outbox, wanted: Sequence[Commission], letter: Json, found: Mapping[str, bytes]) -> Drawn:
    if not wanted:
        return Drawn(without(letter, [None] * len(pictures_of(letter))))
    places: list[Placed | None] = []
    brought: list[InlinePicture] = []
    for one in wanted:
        png = found.get(one.digest)
        if png is None:
            places.append(None)
            continue
        cid = content_id(row.message_id, len(brought) + 1)
        brought.append(InlinePicture(cid, one.digest))
        places.append(Placed(cid, *_on_page(*size(png))))
    letter = without(letter, places)
    if not all(places):
        letter = {**letter, "closing": [*letter["closing"], _LATE.to_json()]}
    return Drawn(letter, tuple(brought))


def _on_page(wide: int, high: int) -> tuple[int, int]:
    """How large a picture is shown where there is room."""
    shown = min(wide, _WIDEST)
    return shown, round(high * shown / wide)
