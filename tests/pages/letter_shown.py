"""The picture of a letter in the README: a report of the demo as a mail program shows it.

python -m tests.pages.letter_shown [FILE]
"""

from __future__ import annotations

import base64
import email
import email.policy
import re
import subprocess
import sys
import tempfile
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image

from pbem.maps.palette import LIGHT
from pbem.maps.png import encode_few_colours
from tests.verifier.browser import chromium

LETTER = Path(__file__).resolve().parents[2] / "docs" / "letter.png"
WIDE, TALL = 720, 1240


def main(file: Path) -> None:
    """Play three turns of the demo, and keep what its last report looks like."""
    with tempfile.TemporaryDirectory() as folder:
        demo = [sys.executable, "-m", "pbem.cli", "demo", "--turns", "3", "--out", folder]
        subprocess.run(demo, check=True, capture_output=True)
        letters = sorted(Path(folder, "letters").glob("idris*/*.eml"))
        shown = [data for data in (path.read_bytes() for path in letters) if b"Content-Type: image/png" in data]
        page = page_of(next(data for data in reversed(shown) if b"Subject: [demo-1] T3" in data))
    with chromium() as browser:
        tab = browser.new_page(viewport={"width": WIDE, "height": TALL}, color_scheme="light")
        tab.set_content(page)
        picture = Image.open(BytesIO(tab.screenshot()))
    file.write_bytes(encode_few_colours(picture.convert("RGB"), LIGHT.signals()))


def page_of(letter: bytes) -> str:
    """Return a letter's page with its pictures in it."""
    read: Any = email.message_from_bytes(letter, policy=email.policy.default)
    parts = [*read.walk()]
    (page,) = [part for part in parts if part.get_content_type() == "text/html"]
    pictures = {str(part["Content-ID"]).strip("<>"): part for part in parts if part["Content-ID"]}

    def drawn(match: re.Match[str]) -> str:
        data = pictures[match[1]].get_payload(decode=True)
        assert isinstance(data, bytes)
        return f"data:image/png;base64,{base64.b64encode(data).decode()}"

    return re.sub(r"cid:([^\"']+)", drawn, str(page.get_content()))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else LETTER)
