"""What the campaign asks of whoever lays order desks, makes pages of games, or reviews games: the command line hands in
who can.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from pbem.engine.data.canon import Json, dumps
from pbem.engine.data.chronicle import Chronicle
from pbem.engine.parts import FormTerms


class Workplace(NamedTuple):
    """Whose desk it is: the name of the rules, the seat and what it sees, its language; where its orders go.

    `turn` and `code` stand in the first line of its orders, `subject` above its letter; `terms` are those of the form
    that its report has.
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


class Joiner(Protocol):
    """Lays order desks, blocking while it does."""

    def lay(self, place: Workplace) -> Sequence[tuple[str, str]]:
        """Return the files of a desk by their names: the page, and its data for a page that is kept elsewhere."""
        ...


class Bookbinder(Protocol):
    """Makes the pages of games, blocking while it does."""

    def bind(self, told: Chronicle, language: str) -> tuple[str, str]:
        """Return the page of a game as a file, in a language first: its name, its text."""
        ...


class Reviewer(Protocol):
    """Reviews games that are over, beside whatever the server does."""

    def look(self, game: str) -> Json:
        """Return the lines of a game's review, each with its depth and as JSON; None as long as they are not there.

        Whoever looks has it begun, or wait its turn. ValueError if it cannot be made, and why.
        """
        ...

    def close(self) -> None:
        """End what is at work."""
        ...


# What the campaign asks of whoever draws its pictures: the command line hands in somebody who can.


class Commission(NamedTuple):
    """A picture of a letter (`engine.data.scene`), in the words of `language`, on the ground of its edition.

    `rules` is the name of the game's rules.
    """

    picture: Json
    language: str
    rules: str
    edition: Any

    @property
    def digest(self) -> str:
        """SHA-256 in hex of all that the picture depends on: what is drawn once is kept under it."""
        drawn = {name: value for name, value in self.picture.items() if name != "alt"}
        return hashlib.sha256(dumps([drawn, self.language, self.rules]).encode("utf-8")).hexdigest()


class Artist(Protocol):
    """Draws pictures, blocking while it does."""

    def draw(self, wanted: Sequence[Commission], until: datetime) -> Sequence[bytes | None]:
        """Return each as PNG of a size that letters may bring, by a moment of the server's clock.

        None stands for one that cannot be drawn, and why is noted, or that is not there by then.
        """
        ...

    def close(self) -> None:
        """End whatever draws; nothing more will be asked for."""
        ...
