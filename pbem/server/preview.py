"""A stored letter as it would be made now: for whoever changes templates. Nothing is stored, nothing is sent."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import NamedTuple

from pbem.engine.data.canon import loads
from pbem.engine.data.languages import at_hand
from pbem.engine.data.scene import pictures_of, without
from pbem.runtime.transaction import READER, Server, look_of
from pbem.server.drawing import Drawing
from pbem.server.rendering import reckoned
from pbem.store import queries, tables

_NAMED = 5
"""Letters that are named where one was not found."""


class NoLetter(LookupError):
    """There is no such letter; the message names some that there are."""


class Preview(NamedTuple):
    """A letter in words, as text and as a page for a browser, which holds its pictures."""

    subject: str
    text: str
    page: str


def preview(server: Server, name: str = "", kind: str = "", game: str = "", language: str = "") -> Preview:
    """Return a letter by its Message-ID, or the last one of a kind, of a game, as templates make it now; NoLetter.

    `language` is another than that in which it was written.
    """
    with server.reading() as work:
        found = queries.outbox.last_ones(work.session, f"<{name.strip('<>')}>" if name else "", kind, game, 1)
        if not found or not found[0].model:
            some = queries.outbox.last_ones(work.session, "", "", game, _NAMED)
            raise NoLetter(_named(name, kind, game, some))
    # A row of nobody's: what is changed in it is stored nowhere.
    row = tables.Outbox(**found[0].model_dump())
    row.language = language or at_hand(row.language)
    drawing = Drawing(server, server.clock.now())
    (drawn,) = drawing.show([row], [loads(found[0].model)])
    (letter,) = reckoned(server, [drawn.letter])
    page = server.renderer.page(letter, row.language)
    for picture in drawn.pictures:
        data = base64.b64encode(drawing.png(picture.digest)).decode("ascii")
        page = page.replace(f"cid:{picture.cid}", f"data:image/png;base64,{data}")
    text = server.renderer.letter(letter, row.language, look_of(row.format) == READER)
    return Preview(server.renderer.subject(letter, row.language), text, page)


def text_of(server: Server, row: tables.Outbox) -> tuple[str, str]:
    """Return the subject and the text of a letter that is not made yet; nothing is drawn, stored or sent."""
    model = loads(row.model)
    (letter,) = reckoned(server, [without(model, [None] * len(pictures_of(model)))])
    language = at_hand(row.language)
    return server.renderer.subject(letter, language), server.renderer.letter(
        letter, language, look_of(row.format) == READER
    )


def _named(name: str, kind: str, game: str, some: Sequence[tables.Outbox]) -> str:
    """What was looked for, and what there is."""
    wanted = f"letter {name!r}" if name else f"letter of the kind {kind!r}" if kind else "letter"
    about = f" about {game}" if game else ""
    if not some:
        return f"there is no {wanted}{about}, and no other{about}"
    listed = "".join(f"\n  {row.kind}  {row.message_id}" for row in some)
    return f"there is no {wanted}{about}; the last ones{about}, by kind and Message-ID:{listed}"
