"""Declare the makers of desks, pages, reviews and pictures.

The command line passes them in.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from pbem.engine.data.canon import Json, dumps
from pbem.engine.data.chronicle import Chronicle
from pbem.engine.parts import FormTerms


class DeskRequest(NamedTuple):
    """The seat that an order desk is for: its rules, view, language and address.

    `turn` and `code` are in the first line of its orders, `subject` above its letter; `terms` are those of its report's
    form.
    """

    rules: str
    view: object
    seat: str
    language: str
    address: str
    subject: str
    turn: int
    code: str
    terms: FormTerms


class DeskMaker(Protocol):
    """A maker of order desks; blocks while it works."""

    def lay(self, place: DeskRequest) -> Sequence[tuple[str, str]]:
        """Return a desk's files by name: the page, and data for a page kept elsewhere."""
        ...


class PageMaker(Protocol):
    """A maker of pages of games; blocks while it works."""

    def bind(self, chronicle: Chronicle, language: str) -> tuple[str, str]:
        """Return a game's page as a file, in one language first: its name, its text."""
        ...


class Reviewer(Protocol):
    """A maker of reviews of finished games, which works in the background."""

    def look(self, game: str) -> Json:
        """Return the lines of a game's review, with depths, as JSON; None until ready.

        The first call starts the review or queues it. Raise ValueError, with the reason, if it cannot be made.
        """
        ...

    def close(self) -> None:
        """Stop the work in progress."""
        ...


# What the campaign asks of whoever draws its pictures: the command line hands in somebody who can.


class PictureRequest(NamedTuple):
    """A picture of a letter (`engine.data.scene`): language, rules and edition."""

    picture: Json
    language: str
    rules: str
    edition: Any

    @property
    def digest(self) -> str:
        """Return the SHA-256 in hex of all that the picture depends on, for the cache."""
        values = {name: value for name, value in self.picture.items() if name != "alt"}
        return hashlib.sha256(dumps([values, self.language, self.rules]).encode("utf-8")).hexdigest()


class PictureMaker(Protocol):
    """A maker of pictures; blocks while it works."""

    def draw(self, wanted: Sequence[PictureRequest], until: datetime) -> Sequence[bytes | None]:
        """Draw pictures as PNG, sized for letters, until a moment of the server's clock.

        A picture is None if it cannot be drawn, which is logged, or is not ready by then.
        """
        ...

    def close(self) -> None:
        """Stop the work in progress; nothing more will be requested."""
        ...
