"""The pictures in the guides of the order desk and of the page of a game, as the pages themselves show them.

python -m tests.pages.pictures [FOLDER]
"""

from __future__ import annotations

import sys
import tempfile
from io import BytesIO
from pathlib import Path

from PIL import Image

from pbem.cli.pages import archive_page_of
from pbem.maps.palette import LIGHT
from pbem.maps.png import encode_few_colours
from tests.pages import archives
from tests.pages.archives import chronicled
from tests.pages.desks import Reader, begun, desk_of, written
from tests.verifier.browser import chromium

ODDS = 300_000
"""Steps of the rules for what the attacks of the form are worth."""
CHOSEN = ("[data-unit=Vergara]", "[data-unit=Cuenca]", "[data-unit=AngheraUno]")
NAMED = (("VANGUARD", "Cuenca"), ("SCREEN", "Vergara"))


def main(folder: Path) -> None:
    """Draw all of them."""
    with chromium() as browser, tempfile.TemporaryDirectory() as there:
        for name, language in (("desk", "en"), ("escritorio", "es")):
            data = desk_of("africa1860", begun("africa1860", "castillejos"), "spain", language, odds=ODDS)
            size = {"width": 1180, "height": 980}
            reader = Reader(
                browser, written(Path(there), data), viewport=size, color_scheme="light", reduced_motion="reduce"
            )
            for selector in CHOSEN:
                reader.tab.locator(selector).first.click()
            _keep(reader, folder / f"{name}.png")
        for name, language in (("replay", "en"), ("partida", "es")):
            text = archive_page_of(chronicled("africa1860", "castillejos"), language)
            size = {"width": 1180, "height": 860}
            reader = Reader(
                browser,
                archives.written(Path(there), text),
                viewport=size,
                color_scheme="light",
                reduced_motion="reduce",
            )
            reader.tab.wait_for_selector("#replay:not([hidden])")
            reader.tab.evaluate(FIGHT)
            _keep(reader, folder / f"{name}.png")


FIGHT = """() => {
  const late = replay.steps.findIndex((step) => step.at.startsWith("T3."));
  go(replay.steps.findIndex((step, at) => at > late && step.throws?.length > 1 && step.charts.length), true);
}"""
"""To the first fight of the third turn."""


def _keep(reader: Reader, path: Path) -> None:
    """Write what is seen, in few colours; those of sides, losses and fire stay as they are."""
    reader.tab.evaluate("window.scrollTo(0, 0)")
    reader.tab.mouse.move(5, 5)
    shown = Image.open(BytesIO(reader.tab.screenshot()))
    path.write_bytes(encode_few_colours(shown.convert("RGB"), LIGHT.signals()))
    reader.close()


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs"))
