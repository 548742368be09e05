"""Store the frames of a replay: each picture of a counter once, then changes."""

from __future__ import annotations

from collections.abc import Callable

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.scene import Nation, Piece, Scene
from pbem.maps.drawn_on import Ground, Style
from pbem.maps.frames import LAYERS, CounterCache, Part, frame
from pbem.maps.legend import BRANCHES

WHOLE = 20
"""The number of moments after which the whole list is stored again: so a page that jumps back has few changes to
apply."""


class Looks:
    """The pictures of all things on a game's map, numbered as they first occur.

    `drawn` are the pictures; `captions` describe counters in words, by the number of their picture; `keys` are
    the things on the map, each with the number of its layer.
    """

    def __init__(self, ground: Ground, style: Style, both: Callable[[Msg], list[str]], size: float) -> None:
        self.drawn: list[str] = []
        self.captions: dict[str, Json] = {}
        self.keys: list[list[Json]] = []
        self._ground, self._style, self._both, self._size = ground, style, both, size
        self._looks: dict[str, int] = {}
        self._keys: dict[tuple[str, str], int] = {}
        self._now: dict[int, list[Json]] = {}
        self._known: CounterCache = {}
        self._moment = 0

    def step(self, scene: Scene) -> Json:
        """Return the next moment's changes: ``[key, look, x, y, place]``.

        A removed thing is ``[key]``. Only counters have a place. After every `WHOLE` moments the complete list is
        returned instead.
        """
        camps = {camp.id: camp for camp in scene.camps}
        parts = frame(scene, self._ground, self._style, self._size, self._known)
        present = {self._key(part): self._place_part(part, camps) for part in parts}
        earlier = {} if self._moment % WHOLE == 0 else self._now
        self._now, self._moment = present, self._moment + 1
        removed: list[Json] = [[key] for key in earlier if key not in present]
        return removed + [[key, *placed] for key, placed in present.items() if earlier.get(key) != placed]

    def _key(self, part: Part) -> int:
        part_key = (part.layer, part.key)
        if part_key not in self._keys:
            self._keys[part_key] = len(self.keys)
            self.keys.append([LAYERS.index(part.layer), part.key])
        return self._keys[part_key]

    def _place_part(self, part: Part, camps: dict[str, Nation]) -> list[Json]:
        look = self._looks.get(part.look)
        if look is None:
            look = self._looks[part.look] = len(self.drawn)
            self.drawn.append(part.look)
        place: list[Json] = []
        if part.piece is not None:
            if str(look) not in self.captions:
                self.captions[str(look)] = self._describe(part.piece, camps[part.piece.side])
            place = [part.piece.place]
        return [look, round(part.at[0], 1), round(part.at[1], 1), *place]

    def _describe(self, piece: Piece, camp: Nation) -> Json:
        """Return a counter in words, without its name and its place."""
        strength_text = (
            msg("strength {strength}", strength=piece.strength) if piece.strength else msg("{f}", f=piece.factors)
        )
        parts = (camp.name, BRANCHES[piece.branch], strength_text, *piece.states)
        return self._both(msg("{parts}", parts=parts))
