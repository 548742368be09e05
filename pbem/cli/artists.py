"""Who draws the pictures of letters: games tell what is seen, the catalogue how it is said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pbem.cli.rulebooks import lay_beside, registry
from pbem.engine.data.languages import at_hand, lay

if TYPE_CHECKING:
    from pbem.engine.data.canon import Json
    from pbem.maps.worker_pool import Inline, Studio
    from pbem.runtime.page_makers import Commission


class Subject(NamedTuple):
    """A picture as a letter keeps it, in the words of `language`, of a game whose rules are called so."""

    picture: Json
    language: str
    rules: str


def painted(folder: Path | None, subject: Subject, edition: Any, locale: Path | None = None) -> bytes:
    """Return a picture as PNG, on the ground of an edition; `folder` and `locale` are those of the server.

    A studio calls it, in processes that know nothing of this one.
    """
    from pbem.engine.data.scene import Scene
    from pbem.letters.catalogue import load
    from pbem.letters.own_languages import read_languages
    from pbem.maps.drawn_on import Style
    from pbem.maps.grounds import ready
    from pbem.maps.palette import DARK, LIGHT
    from pbem.maps.png import fitted

    lay_beside(folder)
    lay(read_languages(locale))
    rules, words = registry(subject.rules), load(at_hand(subject.language), subject.rules)
    if rules.pictured is None:
        raise LookupError(f"{subject.rules} has no pictures any more")
    scene = Scene.from_json(subject.picture["scene"])
    ground = ready(rules.pictured.ground(edition), scene, edition.digest)
    return fitted(scene, ground, Style(words.say, words.called.written, DARK if subject.picture["dark"] else LIGHT))


class Draughtsman:
    """Draws what letters show, in a studio."""

    def __init__(self, studio: Studio | Inline) -> None:
        self._studio = studio

    def draw(self, wanted: Sequence[Commission], until: datetime) -> Sequence[bytes | None]:
        """Return each as PNG; None for one that cannot be drawn, which is logged, or is not there in time."""
        from pbem.maps.worker_pool import Wanted

        grounds = {one.edition.digest: one.edition for one in wanted}
        subjects = [Wanted(Subject(one.picture, one.language, one.rules), one.edition.digest) for one in wanted]
        return self._studio.draw(subjects, grounds, until)

    def close(self) -> None:
        """End the processes that draw, if there are any."""
        self._studio.close()


def artist(now: Callable[[], datetime], folder: Path | None = None, locale: Path | None = None) -> Draughtsman | None:
    """Return who draws; None where the libraries that make pictures are not installed."""
    from pbem.maps.png import missing
    from pbem.maps.worker_pool import Studio

    return None if missing() else Draughtsman(Studio(partial(painted, folder, locale=locale), now, _tell))


def _tell(fault: str) -> None:
    import structlog

    structlog.get_logger(__name__).error("a picture cannot be drawn", why=fault)
