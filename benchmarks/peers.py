"""Install the peers from the registry, in an environment of their own (`.peers`)."""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE / ".peers"
LOCK = HERE / "requirements-peers.txt"
STAMP = ROOT / ".installed"


def environment() -> Path | None:
    """Return the interpreter of the peers' environment, renewed if it is outdated.

    None, with the reason on stderr, where they cannot be installed: ours is measured alone then.
    """
    python = ROOT / "bin" / "python"
    if STAMP.is_file() and STAMP.read_text("utf-8") == LOCK.read_text("utf-8"):
        return python
    venv.create(ROOT, clear=True, symlinks=True)
    uv = Path(sys.executable).with_name("uv")
    command: list[str | Path] = [uv, "pip", "sync", "--quiet", "--require-hashes", "--python", python, LOCK]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, timeout=300)
    except (OSError, subprocess.SubprocessError) as failed:
        print(f"no peers: {getattr(failed, 'stderr', '') or failed}", file=sys.stderr)
        return None
    STAMP.write_text(LOCK.read_text("utf-8"), "utf-8")
    return python
