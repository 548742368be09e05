"""Write the answers of stories anew: of those named, or of all."""

import sys
from pathlib import Path

from tests.harness.session import play, read, written

for story in [Path(name) for name in sys.argv[1:]] or sorted(Path(__file__).parent.glob("*.txt")):
    point, parts = read(story)
    story.write_text(written(point, play(parts)), "utf-8")
