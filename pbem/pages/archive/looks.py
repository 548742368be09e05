"""Frames as a page keeps them: every look once, and from moment to moment only what changes."""

from __future__ import annotations

from collections.abc import Callable

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.scene import Camp, Piece, Scene
from pbem.maps.drawn_on import Ground, Style
from pbem.maps.frames import LAYERS, Known, Part, frame
from pbem.maps.legend import BRANCHES

WHOLE = 20
"""Every so many moments all that lies on the map is told anew: no moment is farther from one that is."""


class Looks:
    """The looks that a game's moments need, numbered as they come.

    `drawn` are the looks; `captions` what counters are in words, by the number of their look; `keys` the things on the
    map, each with the number of its layer.
    """

    def __init__(self, ground: Ground, style: Style, both: Callable[[Msg], list[str]], size: float) -> None:
        self.drawn: list[str] = []
        self.captions: dict[str, Json] = {}
        self.keys: list[list[Json]] = []
        self._ground, self._style, self._both, self._size = ground, style, both, size
        self._looks: dict[str, int] = {}
        self._keys: dict[tuple[str, str], int] = {}
        self._now: dict[int, list[Json]] = {}
        self._known: Known = {}
        self._moment = 0

    def step(self, scene: Scene) -> Json:
        """Return what the next moment changes: ``[key, look, x, y, place]`` of each thing, ``[key]`` of one that goes.

        Of counters alone the place is told. Every `WHOLE` moments it is all there is.
        """
        camps = {camp.id: camp for camp in scene.camps}
        parts = frame(scene, self._ground, self._style, self._size, self._known)
        then = {self._key(part): self._laid(part, camps) for part in parts}
        before = {} if self._moment % WHOLE == 0 else self._now
        self._now, self._moment = then, self._moment + 1
        gone: list[Json] = [[key] for key in before if key not in then]
        return gone + [[key, *laid] for key, laid in then.items() if before.get(key) != laid]

    def _key(self, part: Part) -> int:
        known = (part.layer, part.key)
        if known not in self._keys:
            self._keys[known] = len(self.keys)
            self.keys.append([LAYERS.index(part.layer), part.key])
        return self._keys[known]

    def _laid(self, part: Part, camps: dict[str, Camp]) -> list[Json]:
        look = self._looks.get(part.look)
        if look is None:
            look = self._looks[part.look] = len(self.drawn)
            self.drawn.append(part.look)
        place: list[Json] = []
        if part.piece is not None:
            if str(look) not in self.captions:
                self.captions[str(look)] = self._told(part.piece, camps[part.piece.side])
            place = [part.piece.place]
        return [look, round(part.at[0], 1), round(part.at[1], 1), *place]

    def _told(self, piece: Piece, camp: Camp) -> Json:
        """A counter in words, without its name and its place."""
        strong = msg("strength {strength}", strength=piece.strength) if piece.strength else msg("{f}", f=piece.factors)
        parts = (camp.name, BRANCHES[piece.branch], strong, *piece.states)
        return self._both(msg("{parts}", parts=parts))
