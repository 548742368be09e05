"""Pictures of a letter: what is asked of whoever draws, as it is kept with the letter, and what came of it.

A letter as it is kept may hold pictures: one of its own under ``picture``, and one in each of its blocks. A picture is
{scene: Scene.to_json, edition: str, alt: Msg, dark: bool}: the ground is that of the edition, the words are those of
the letter's language.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Msg
from pbem.engine.data.scene import Scene


class Placed(NamedTuple):
    """A picture that a letter brings: its Content-ID (RFC 2392) without brackets, and its size in pixels of a page."""

    cid: str
    wide: int
    high: int


def picture(scene: Scene, edition: str, alt: Msg, dark: bool = False) -> Json:
    """Return a picture as a letter keeps it; `alt` says what is on it to whoever does not see it."""
    return {"scene": scene.to_json(), "edition": edition, "alt": alt.to_json(), "dark": dark}


def pictures_of(letter: Json) -> Sequence[Json]:
    """Return the pictures of a letter, in the order in which they stand in it."""
    return [one["picture"] for one in (letter, *letter["blocks"]) if one.get("picture")]


def without(letter: Json, drawn: Sequence[Placed | None]) -> Json:
    """Return the letter with what became of its pictures in their place: those that were drawn, in their order."""
    left = iter(drawn)

    def placed(one: Json) -> Json:
        if not one.get("picture"):
            return one
        got, alt = next(left), one["picture"]["alt"]
        return {**one, "picture": None if got is None else {**got._asdict(), "alt": alt}}

    return {**placed(letter), "blocks": [placed(block) for block in letter["blocks"]]}
