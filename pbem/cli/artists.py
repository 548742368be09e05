"""Who draws the pictures of letters: games tell what is seen, the catalogue how it is said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import structlog

from pbem.cli.rulebooks import registry

if TYPE_CHECKING:
    from pbem.campaign.base.pictures import Commission

__all__ = ["Draughtsman", "artist"]

log = structlog.get_logger(__name__)


class Draughtsman:
    """Draws one picture after another, in the thread that asks."""

    def draw(self, wanted: Sequence[Commission]) -> Sequence[bytes | None]:
        """Return each as PNG; None for one that cannot be drawn, which is logged."""
        return [self._one(one) for one in wanted]

    def _one(self, one: Commission) -> bytes | None:
        from pbem.core.data.scene import Scene
        from pbem.pictures.drawing import Style
        from pbem.pictures.fitted import fitted
        from pbem.pictures.grounds import ready
        from pbem.pictures.palette import DARK, LIGHT
        from pbem.reports.catalogue import load

        try:
            rules, words = registry(one.rules), load(one.language, one.rules)
            scene = Scene.from_json(one.picture["scene"])
            if rules.pictured is None:
                return None
            ground = ready(rules.pictured.ground(one.edition), scene, one.edition.digest)
            style = Style(words.say, words.called.written, DARK if one.picture["dark"] else LIGHT)
            return fitted(scene, ground, style)
        except Exception:
            log.exception("a picture cannot be drawn", rules=one.rules, language=one.language)
            return None


def artist() -> Draughtsman | None:
    """Return who draws; None where the libraries that make pictures are not installed."""
    from pbem.pictures.png import missing

    return None if missing() else Draughtsman()
