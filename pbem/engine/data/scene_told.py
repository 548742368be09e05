"""A scene in a sentence, for whoever does not see the picture of it: of the scene alone, so that it tells no more."""

from __future__ import annotations

from collections import Counter

from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.scene import Scene


def alt_text(scene: Scene) -> Msg:
    """Return what the picture of a scene is of: the battle, the moment, how many counters of each nation it shows."""
    many = Counter(piece.side for piece in scene.pieces)
    camps = tuple(
        msg("{number} of {nation}", nation=camp.name, number=many[camp.id]) for camp in scene.camps if many[camp.id]
    )
    told = msg("Map: {battle}. {moment}.", battle=scene.heading, moment=scene.moment)
    if camps and scene.unseen:
        told = msg("{map} Counters in sight: {camps}.", map=told, camps=camps)
    elif camps:
        told = msg("{map} Counters: {camps}.", map=told, camps=camps)
    return msg("{map} All of it stands in words below.", map=told)
