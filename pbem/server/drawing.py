"""Collect the pictures of letters, from earlier drawings or drawn now.

A letter waits for its pictures no longer than `LONGEST_RENDERING`; a queue of letters waits no longer than
`LONGEST_QUEUED` for pictures. After that letters go without them and say how to get them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlmodel import Session

from pbem.engine.data.canon import Json, loads
from pbem.engine.data.messages import msg
from pbem.engine.data.scene import PlacedPicture, letter_pictures, with_drawn_pictures
from pbem.lazy import load_all
from pbem.mail.outbound import InlinePicture, content_id, png_size
from pbem.runtime.page_makers import PictureRequest
from pbem.runtime.transaction import Server
from pbem.store import hot_statements, queries, tables

LONGEST_RENDERING = timedelta(seconds=60)
"""How long a letter waits for its pictures while it is rendered: each takes up to 15 s of processor time
(`worker_pool`), and an answer without pictures is better than a late one."""
LONGEST_QUEUED = timedelta(minutes=4)
"""How long letters may have waited, since they were written or since sending resumed, before their pictures are no
longer started: on an evening on which a thousand games end their phases at once, nearly all have theirs."""
LETTERS_AT_ONCE = 16
"""Letters whose pictures are drawn together, before any of them goes out: enough for the drawing processes to be
busy; with more the first would wait for the last."""
YIELDING_LETTERS_AT_ONCE = 4
"""The same for games that yield to others: fewer, since a letter that comes meanwhile waits until they are drawn."""
_WIDEST, _NARROW = 720, 390
"""Pixels of a picture on a page, at most: for a wide screen, as wide as the page's text (`templates/letter.html.j2`),
and for a phone, as wide as the usual screen."""
_LATE = msg("A map of this letter could not be drawn in time: MAP brings it.")


class IllustratedLetter(NamedTuple):
    """A letter with its pictures, or a note for each missing one, in order."""

    letter: Json
    pictures: tuple[InlinePicture, ...] = ()


def split_due_letters(
    server: Server, rows: Sequence[tables.Outbox], yielding: Collection[str] = ()
) -> tuple[Sequence[tables.Outbox], Sequence[tables.Outbox]]:
    """Split due letters into those to render now and those to prefetch.

    Letters without pictures come first; if there are none, the first letters with pictures. Letters of `yielding`
    games come after all others, a few at once, so that later letters need not wait long.
    """
    plain: list[tables.Outbox] = []
    with_pictures: list[tables.Outbox] = []
    for row in rows:
        (with_pictures if needs_pictures(server, row) else plain).append(row)
    with_pictures.sort(key=lambda row: row.game_id in yielding)
    preferred = sum(row.game_id not in yielding for row in with_pictures)
    end_now = 0 if plain else min(preferred, LETTERS_AT_ONCE) or YIELDING_LETTERS_AT_ONCE
    end_next = end_now + (LETTERS_AT_ONCE if preferred > end_now else YIELDING_LETTERS_AT_ONCE)
    return plain or with_pictures[:end_now], with_pictures[end_now:end_next]


def all_need_pictures(server: Server, rows: Sequence[tables.Outbox]) -> bool:
    """Return whether there are letters and all of them still need pictures."""
    return bool(rows) and all(needs_pictures(server, row) for row in rows)


def needs_pictures(server: Server, row: tables.Outbox) -> bool:
    """Return whether a letter is still to be rendered and has pictures."""
    return server.plugins.artist is not None and row.body is None and bool(letter_pictures(loads(row.model)))


class _Prefetch(NamedTuple):
    """Pictures being drawn for later letters, by digest, and the finished ones."""

    wanted: Mapping[str, PictureRequest]
    drawn: Future[dict[str, bytes]]


class PictureCollector:
    """The pictures of the letters of one rendering, batch by batch.

    The rendering began at `begun`. `keep` stores new pictures. Pictures of the following letters are drawn while a
    batch is rendered; `close` ends that.
    """

    def __init__(self, server: Server, begun: datetime) -> None:
        self._server, self._check_starts = server, begun
        self._new: dict[str, bytes] = {}
        self._shown: Mapping[str, bytes] = {}
        self._thread: ThreadPoolExecutor | None = None
        self._ahead: _Prefetch | None = None

    def show(self, rows: Sequence[tables.Outbox], letters: Sequence[Json]) -> Sequence[IllustratedLetter]:
        """Return the letters in order, with the pictures that are available."""
        ahead, self._ahead = self._ahead, None
        self._new |= ahead.drawn.result() if ahead is not None else {}
        tried = ahead.wanted if ahead is not None else ()
        wanted = self._pictures_of(rows, letters)
        if not any(wanted):
            return [
                IllustratedLetter(with_drawn_pictures(letter, [None] * len(letter_pictures(letter))))
                for letter in letters
            ]
        available = self._stored_pictures(commission.digest for group in wanted for commission in group)
        # A picture that was not ready when it was prefetched has had its minute.
        if in_time := {
            digest: commission
            for digest, commission in self._select_missing(rows, wanted, available).items()
            if digest not in tried
        }:
            self._new |= self._draw(in_time)
        self._shown = available = {**available, **self._new}
        return [
            _place_pictures(row, group, letter, available)
            for row, group, letter in zip(rows, wanted, letters, strict=True)
        ]

    def go_on(self, rows: Sequence[tables.Outbox]) -> None:
        """Start to draw the pictures of later letters in the background."""
        rows = [row for row in rows if row.body is None]
        wanted = self._pictures_of(rows, [loads(row.model) for row in rows])
        if not any(wanted):
            return
        if missing := self._select_missing(
            rows, wanted, self._stored_pictures(commission.digest for group in wanted for commission in group)
        ):
            load_all()
            self._thread = self._thread or ThreadPoolExecutor(1, "pictures")
            self._ahead = _Prefetch(missing, self._thread.submit(self._draw, missing))

    def keep(self, session: Session) -> None:
        """Store the new pictures that are not stored yet."""
        now = self._server.clock.now()
        for digest, png in self._new.items():
            hot_statements.insert_if_new(session, tables.Picture, digest=digest, png=png, made=now)
        self._new = {}

    def png(self, digest: str) -> bytes:
        """Return a picture of the last batch of letters."""
        return self._shown[digest]

    def close(self) -> None:
        """Stop drawing; do not wait for pictures that are being drawn."""
        if self._thread is not None:
            self._thread.shutdown(wait=False, cancel_futures=True)

    def _waiting_time(self, row: tables.Outbox) -> timedelta:
        """Return how long a letter has waited for its turn."""
        return self._server.clock.now() - max(row.created, self._check_starts)

    def _stored_pictures(self, digests: Iterable[str]) -> dict[str, bytes]:
        """Return the pictures that were drawn before."""
        with self._server.reading() as tx:
            stored = queries.outbox.pictures(tx.session, list(dict.fromkeys(digests)))
        return {**stored, **self._new}

    def _select_missing(
        self, rows: Sequence[tables.Outbox], wanted: Sequence[Sequence[PictureRequest]], available: Mapping[str, bytes]
    ) -> Mapping[str, PictureRequest]:
        """Return missing pictures that may still be drawn, each once."""
        return {
            commission.digest: commission
            for row, group in zip(rows, wanted, strict=True)
            for commission in group
            if commission.digest not in available and self._waiting_time(row) <= LONGEST_QUEUED
        }

    def _pictures_of(
        self, rows: Sequence[tables.Outbox], letters: Sequence[Json]
    ) -> Sequence[Sequence[PictureRequest]]:
        """Return each letter's pictures; none if the server has no renderer."""
        specs_by_letter = [letter_pictures(letter) for letter in letters]
        if self._server.plugins.artist is None or not any(specs_by_letter):
            return [[] for _ in rows]
        with self._server.reading() as tx:
            names = {
                row.game_id
                for row, specs in zip(rows, specs_by_letter, strict=True)
                if specs and row.game_id is not None
            }
            games = {name: tx.session.get_one(tables.Game, name) for name in names}
            editions = {name: self._server.edition_of(tx.session, game) for name, game in games.items()}
        return [
            [PictureRequest(spec, row.language, games[row.game_id].system, editions[row.game_id]) for spec in specs]
            if row.game_id is not None
            else []
            for row, specs in zip(rows, specs_by_letter, strict=True)
        ]

    def _draw(self, missing: Mapping[str, PictureRequest]) -> dict[str, bytes]:
        """Return the pictures that were drawn in time."""
        if self._server.plugins.artist is None:
            return {}
        pictures = self._server.plugins.artist.draw(
            list(missing.values()), self._server.clock.now() + LONGEST_RENDERING
        )
        return {digest: png for digest, png in zip(missing, pictures, strict=True) if png is not None}


def _place_pictures(
    row: tables.Outbox, wanted: Sequence[PictureRequest], letter: Json, available: Mapping[str, bytes]
) -> IllustratedLetter:
    if not wanted:
        return IllustratedLetter(with_drawn_pictures(letter, [None] * len(letter_pictures(letter))))
    places: list[PlacedPicture | None] = []
    pictures: list[InlinePicture] = []
    for commission in wanted:
        png = available.get(commission.digest)
        if png is None:
            places.append(None)
            continue
        cid = content_id(row.message_id, len(pictures) + 1)
        pictures.append(InlinePicture(cid, commission.digest))
        places.append(
            PlacedPicture(cid, *_size_on_page(*png_size(png), _WIDEST if commission.picture.get("wide") else _NARROW))
        )
    letter = with_drawn_pictures(letter, places)
    if not all(places):
        letter = {**letter, "closing": [*letter["closing"], _LATE.to_json()]}
    return IllustratedLetter(letter, tuple(pictures))


def _size_on_page(wide: int, high: int, widest: int) -> tuple[int, int]:
    """Return the width and height at which a page shows a picture."""
    page_width = min(wide, widest)
    return page_width, round(high * page_width / wide)
