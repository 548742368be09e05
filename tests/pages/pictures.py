"""The pictures of the order desk in the guides, as the page itself shows it: python -m tests.pages.pictures [FOLDER]"""

from __future__ import annotations

import sys
import tempfile
from io import BytesIO
from pathlib import Path

from PIL import Image

from tests.pages.desks import Reader, begun, desk_of, written
from tests.verifier.browser import chromium

ODDS = 300_000
"""Steps of the rules for what the attacks of the form are worth."""
CHOSEN = ("[data-unit=Vergara]", "[data-unit=Cuenca]", "[data-unit=AngheraUno]")
NAMED = (("VANGUARD", "Cuenca"), ("SCREEN", "Vergara"))


def main(folder: Path) -> None:
    """Draw both."""
    with chromium() as browser, tempfile.TemporaryDirectory() as there:
        for name, language in (("desk", "en"), ("escritorio", "es")):
            data = desk_of("africa1860", begun("africa1860", "castillejos"), "spain", language, odds=ODDS)
            size = {"width": 1180, "height": 980}
            reader = Reader(browser, written(Path(there), data), viewport=size, color_scheme="light")
            for one in CHOSEN:
                reader.tab.locator(one).first.click()
            for clause, unit in NAMED:
                reader.tab.locator(f"select[id$={clause}]").select_option(unit)
            reader.tab.locator("#places").click()
            reader.tab.evaluate("window.scrollTo(0, 0)")
            reader.tab.mouse.move(5, 5)
            shown = Image.open(BytesIO(reader.tab.screenshot()))
            shown.convert("RGB").quantize(192, dither=Image.Dither.NONE).save(folder / f"{name}.png", optimize=True)
            reader.close()


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs"))
