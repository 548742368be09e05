"""Who draws the pictures of letters: games tell what is seen, the catalogue how it is said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pbem.cli.rulebooks import lay_beside, registry
from pbem.engine.data.languages import at_hand, lay
from pbem.engine.data.scene import Scene
from pbem.lazy import Logger, lazily

with lazily():
    from pbem.letters import catalogue, own_languages
    from pbem.maps import drawn_on, palette, png, worker_pool
    from pbem.maps import grounds as map_grounds


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
    lay_beside(folder)
    lay(own_languages.read_languages(locale))
    rules, words = registry(subject.rules), catalogue.load(at_hand(subject.language), subject.rules)
    if rules.pictured is None:
        raise LookupError(f"{subject.rules} has no pictures any more")
    scene = Scene.from_json(subject.picture["scene"])
    ground = map_grounds.ready(rules.pictured.ground(edition), scene, edition.digest)
    return png.fitted(
        scene,
        ground,
        drawn_on.Style(words.say, words.called.written, palette.DARK if subject.picture["dark"] else palette.LIGHT),
    )


class Draughtsman:
    """Draws what letters show, in a studio."""

    def __init__(self, studio: Studio | Inline) -> None:
        self._studio = studio

    def draw(self, wanted: Sequence[Commission], until: datetime) -> Sequence[bytes | None]:
        """Return each as PNG; None for one that cannot be drawn, which is logged, or is not there in time."""
        grounds = {one.edition.digest: one.edition for one in wanted}
        subjects = [
            worker_pool.Wanted(Subject(one.picture, one.language, one.rules), one.edition.digest) for one in wanted
        ]
        return self._studio.draw(subjects, grounds, until)

    def close(self) -> None:
        """End the processes that draw, if there are any."""
        self._studio.close()


def artist(now: Callable[[], datetime], folder: Path | None = None, locale: Path | None = None) -> Draughtsman | None:
    """Return who draws; None where the libraries that make pictures are not installed."""
    # They are not imported to see whether they are there: that takes as long as many a command.
    if any(find_spec(name) is None for name in worker_pool.NEEDED):
        return None
    return Draughtsman(worker_pool.Studio(partial(painted, folder, locale=locale), now, _tell))


def _tell(fault: str) -> None:
    Logger(__name__).error("a picture cannot be drawn", why=fault)
