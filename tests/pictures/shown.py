"""Pictures kept for eyes: each scenario on its map, one position under fog, some for a dark page, some for a phone.

``shown/`` holds them as PNG, and for each what its SVG and its size hash to. PNG of another library or release may
differ in its bytes, so those are made anew by ``python -m tests.pictures.shown`` (``make golden``) only where the SVG
or the size is another.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from pbem.cli.rulebooks import game_by_name
from pbem.engine.data.scene import Scene
from pbem.letters.catalogue import load_catalogue
from pbem.maps import png
from pbem.maps.drawing import draw
from pbem.maps.drawn_on import Ground, Style
from pbem.maps.grounds import prepare_ground
from pbem.maps.palette import DARK, LIGHT, Palette
from tests.pictures.drawn import turns

FOLDER = Path(__file__).resolve().parent / "shown"
DIGESTS = "svg.sha256"


class Position(NamedTuple):
    """A position of a game between bots after so many phases, and for whom it is drawn."""

    game: str
    scenario: str
    phases: int
    language: str = "en"
    fog: bool = False
    palette: Palette = LIGHT
    narrow: bool = False


POSITIONS: Mapping[str, Position] = {
    "castillejos": Position("africa1860", "castillejos", 5),
    "castillejos-fog-es": Position("africa1860", "castillejos", 4, "es", fog=True),
    "castillejos-dark": Position("africa1860", "castillejos", 7, palette=DARK),
    "tetuan-es": Position("africa1860", "tetuan", 5, "es"),
    "wadras": Position("africa1860", "wadras", 7),
    "drill-es": Position("africa1860", "drill", 3, "es"),
    "brigades": Position("africa1860", "brigades", 3),
    "barrosa": Position("peninsular", "barrosa", 2),
    "barrosa-es": Position("peninsular", "barrosa", 5, "es"),
    "barrosa-dark": Position("peninsular", "barrosa", 7, palette=DARK),
    "rolica": Position("peninsular", "rolica", 7),
    "castillejos-phone": Position("africa1860", "castillejos", 5, narrow=True),
    "barrosa-phone": Position("peninsular", "barrosa", 5, narrow=True),
    "training": Position("peninsular", "training", 4),
    "usagre": Position("peninsular", "usagre", 3),
}


def painted(position: Position) -> tuple[Scene, Ground, Style]:
    """What a picture is made of."""
    rules = game_by_name(position.game)
    assert rules.pictured is not None
    options = {"fog": "on"} if position.fog else {}
    *_, (state, seat, seen) = turns(rules, position.scenario, options, position.phases)
    scene = rules.pictured.picture(rules.view(state, seat), seat, seen)
    words = load_catalogue(position.language, position.game)
    ground = prepare_ground(rules.pictured.ground(state.edition), scene, state.edition.digest, position.narrow)
    return scene, ground, Style(words.say, words.called.with_names, position.palette)


def digest(position: Position) -> str:
    """What its SVG hashes to, with how large its PNG is made."""
    sizes = (png.PHONE, png.TALL) if position.narrow else (png.AREAS, png.PILES, png.LARGEST)
    return hashlib.sha256(f"{draw(*painted(position))}{sizes}".encode()).hexdigest()


def kept() -> dict[str, str]:
    """What the SVG hashed to that each PNG was made of."""
    file = FOLDER / DIGESTS
    rows = file.read_text("utf-8").splitlines() if file.exists() else []
    return {name: digest_kept for digest_kept, name in (row.split() for row in rows)}


def main() -> None:
    """Make those anew that look otherwise now, and say which."""
    FOLDER.mkdir(exist_ok=True)
    digests, old = {name: digest(position) for name, position in POSITIONS.items()}, kept()
    for name, position in POSITIONS.items():
        path = FOLDER / f"{name}.png"
        if old.get(name) != digests[name] or not path.exists():
            path.write_bytes(png.encode_png(*painted(position)))
            print(f"written: {path.relative_to(FOLDER.parents[2])}")
    for path in FOLDER.glob("*.png"):
        if path.stem not in POSITIONS:
            path.unlink()
    (FOLDER / DIGESTS).write_text("".join(f"{digests[name]} {name}\n" for name in sorted(digests)), "utf-8")


if __name__ == "__main__":
    main()
