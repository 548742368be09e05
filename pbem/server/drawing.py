"""The pictures of letters that are made now: looked for among those that were drawn before, or drawn.

A letter whose turn has come waits for its pictures no longer than `PATIENCE`; and where many letters wait for one
another, they do so no longer than `QUEUE` for the sake of pictures. Then they go without, and say how they can be had.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlmodel import Session

from pbem.engine.data.canon import Json, loads
from pbem.engine.data.messages import msg
from pbem.engine.data.scene import Placed, pictures_of, without
from pbem.lazy import load_all
from pbem.mail.outbound import InlinePicture, content_id, size
from pbem.runtime.page_makers import Commission
from pbem.runtime.transaction import Server
from pbem.store import hot_statements, queries, tables

PATIENCE = timedelta(seconds=60)
"""How long a letter waits for its pictures once it is being made."""
QUEUE = timedelta(minutes=4)
"""How long letters may have waited for their turn, since they were written or since letters are sent again, whose
pictures are still begun: on an evening on which a thousand games end their phases at once, nearly all have theirs."""
AT_ONCE = 16
"""Letters whose pictures are drawn together, before any of them goes out."""
AT_ONCE_YIELDING = 4
"""The same of games that yield to others."""
_WIDEST = 720
"""Pixels of a page that a picture takes at most."""
_LATE = msg("A map of this letter could not be drawn in time: MAP brings it.")


class Drawn(NamedTuple):
    """A letter with what became of its pictures in their place, and those that it brings, in their order."""

    letter: Json
    pictures: tuple[InlinePicture, ...] = ()


def made_now(
    server: Server, rows: Sequence[tables.Outbox], yielding: Collection[str] = ()
) -> tuple[Sequence[tables.Outbox], Sequence[tables.Outbox]]:
    """Of letters that are due those to be made and sent first: those that need no picture, else the first that do; and
    those after them that do. Those of games that are `yielding` come behind all others, and a few at once, so
    that whoever comes while they are drawn need not wait long.
    """
    plain: list[tables.Outbox] = []
    drawn: list[tables.Outbox] = []
    for row in rows:
        (drawn if shows(server, row) else plain).append(row)
    drawn.sort(key=lambda row: row.game_id in yielding)
    ours = sum(row.game_id not in yielding for row in drawn)
    here = 0 if plain else min(ours, AT_ONCE) or AT_ONCE_YIELDING
    there = here + (AT_ONCE if ours > here else AT_ONCE_YIELDING)
    return plain or drawn[:here], drawn[here:there]


def all_wait(server: Server, rows: Sequence[tables.Outbox]) -> bool:
    """Whether there are letters, and pictures are to be had for all of them first."""
    return bool(rows) and all(shows(server, row) for row in rows)


def shows(server: Server, row: tables.Outbox) -> bool:
    """Whether a letter is still to be made, with pictures."""
    return server.plugins.artist is not None and row.body is None and bool(pictures_of(loads(row.model)))


class _Ahead(NamedTuple):
    """What is drawn for letters to come, by digest, and what comes of it."""

    wanted: Mapping[str, Commission]
    drawn: Future[dict[str, bytes]]


class Drawing:
    """The pictures of letters that are made since `begun`, batch by batch; what was drawn is stored by `keep`.

    Pictures of the letters after a batch are drawn while those of the batch are made: `close` ends that.
    """

    def __init__(self, server: Server, begun: datetime) -> None:
        self._server, self._check_starts = server, begun
        self._new: dict[str, bytes] = {}
        self._shown: Mapping[str, bytes] = {}
        self._thread: ThreadPoolExecutor | None = None
        self._ahead: _Ahead | None = None

    def show(self, rows: Sequence[tables.Outbox], letters: Sequence[Json]) -> Sequence[Drawn]:
        """Return the letters in their order, with their pictures, or without those that could not be had."""
        ahead, self._ahead = self._ahead, None
        self._new |= ahead.drawn.result() if ahead is not None else {}
        tried = ahead.wanted if ahead is not None else ()
        wanted = self._wanted(rows, letters)
        if not any(wanted):
            return [Drawn(without(letter, [None] * len(pictures_of(letter)))) for letter in letters]
        found = self._found(one.digest for some in wanted for one in some)
        # What was not there in time when it was drawn ahead has had its minute.
        if in_time := {name: one for name, one in self._missing(rows, wanted, found).items() if name not in tried}:
            self._new |= self._draw(in_time)
        self._shown = found = {**found, **self._new}
        return [_shown(row, some, letter, found) for row, some, letter in zip(rows, wanted, letters, strict=True)]

    def go_on(self, rows: Sequence[tables.Outbox]) -> None:
        """Begin to draw what the letters after these show, beside whatever is done now."""
        rows = [row for row in rows if row.body is None]
        wanted = self._wanted(rows, [loads(row.model) for row in rows])
        if not any(wanted):
            return
        if missing := self._missing(rows, wanted, self._found(one.digest for some in wanted for one in some)):
            load_all()
            self._thread = self._thread or ThreadPoolExecutor(1, "pictures")
            self._ahead = _Ahead(missing, self._thread.submit(self._draw, missing))

    def keep(self, session: Session) -> None:
        """Store what was drawn, unless it is there."""
        now = self._server.clock.now()
        for digest, png in self._new.items():
            hot_statements.add_new(session, tables.Picture, digest=digest, png=png, made=now)
        self._new = {}

    def png(self, digest: str) -> bytes:
        """Return a picture that a letter of the batch was shown with."""
        return self._shown[digest]

    def close(self) -> None:
        """Begin nothing more; nobody waits for what is being drawn ahead."""
        if self._thread is not None:
            self._thread.shutdown(wait=False, cancel_futures=True)

    def _waited(self, row: tables.Outbox) -> timedelta:
        """How long a letter has waited for its turn."""
        return self._server.clock.now() - max(row.created, self._check_starts)

    def _found(self, digests: Iterable[str]) -> dict[str, bytes]:
        """Those that were drawn before."""
        with self._server.reading() as tx:
            kept = queries.outbox.pictures(tx.session, list(dict.fromkeys(digests)))
        return {**kept, **self._new}

    def _missing(
        self, rows: Sequence[tables.Outbox], wanted: Sequence[Sequence[Commission]], found: Mapping[str, bytes]
    ) -> Mapping[str, Commission]:
        """What is not there and may still be begun, each once."""
        return {
            one.digest: one
            for row, some in zip(rows, wanted, strict=True)
            for one in some
            if one.digest not in found and self._waited(row) <= QUEUE
        }

    def _wanted(self, rows: Sequence[tables.Outbox], letters: Sequence[Json]) -> Sequence[Sequence[Commission]]:
        """What each letter shows; nothing where nobody can draw."""
        asked = [pictures_of(letter) for letter in letters]
        if self._server.plugins.artist is None or not any(asked):
            return [[] for _ in rows]
        with self._server.reading() as tx:
            names = {row.game_id for row, some in zip(rows, asked, strict=True) if some and row.game_id is not None}
            games = {name: tx.session.get_one(tables.Game, name) for name in names}
            editions = {name: self._server.edition_of(tx.session, game) for name, game in games.items()}
        return [
            [Commission(one, row.language, games[row.game_id].system, editions[row.game_id]) for one in some]
            if row.game_id is not None
            else []
            for row, some in zip(rows, asked, strict=True)
        ]

    def _draw(self, fresh: Mapping[str, Commission]) -> dict[str, bytes]:
        """What of it is there in time."""
        if self._server.plugins.artist is None:
            return {}
        made = self._server.plugins.artist.draw(list(fresh.values()), self._server.clock.now() + PATIENCE)
        return {digest: png for digest, png in zip(fresh, made, strict=True) if png is not None}


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
