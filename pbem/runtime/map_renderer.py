"""What the campaign asks of whoever draws its pictures: the command line hands in somebody who can."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from pbem.engine.data.canon import Json, dumps


class Commission(NamedTuple):
    """A picture of a letter (`core.data.picture`), in the words of `language`, on the ground of its edition.

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
