"""`verify.pyz` made: the core, the games and the verifier in one file that bare Python runs, the same bytes each time.

    archive() -> b'#!/usr/bin/env python3\\nPK...'

Games read charts and maps from the folders they lie in, so the file unpacks itself into a folder of its own while it
runs. Nothing is compressed: how it is would depend on the machine.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pbem

__all__ = ["archive"]

_HEAD = b"#!/usr/bin/env python3\n"
_WHEN = (1980, 1, 1, 0, 0, 0)
_LIBRARIES = {"audit/bls.py", "audit/signing.py", "audit/vrf.py"}
"""What needs libraries; plain Python does the same in `verifier`."""
_SINGLE = (
    "__init__.py",
    "installed.py",
    *(f"campaign/base/{name}.py" for name in ("__init__", "adjudication", "corrected", "segments")),
    "campaign/__init__.py",
    *(f"campaign/proofs/{name}.py" for name in ("__init__", "opened", "rerun", "war_rerun")),
    *(f"cli/{name}.py" for name in ("__init__", "exit_codes", "rulebooks", "terminal")),
    *(f"cli/verify/{name}.py" for name in ("__init__", "letter_checks", "pyz_main")),
)
_WHOLE = ("audit", "core", "kit", "games")
_VERIFIER = "verifier"

_MAIN = b"""\
import sys
import tempfile
import zipfile

with tempfile.TemporaryDirectory() as folder:
    with zipfile.ZipFile(sys.path[0]) as own:
        own.extractall(folder)
    sys.path[0] = folder
    sys.dont_write_bytecode = True
    from pbem.cli.verify.pyz_main import main

    main()
"""


def archive() -> bytes:
    """The bytes of verify.pyz."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as packed:
        for name, body in [("__main__.py", _MAIN), *_files()]:
            entry = zipfile.ZipInfo(name, _WHEN)
            entry.external_attr = 0o644 << 16
            entry.create_system = 3
            packed.writestr(entry, body)
    return _HEAD + out.getvalue()


def _files() -> Iterator[tuple[str, bytes]]:
    """What goes in, by its path, in the order of the paths."""
    top = Path(pbem.__file__).parent
    found = {path for folder in _WHOLE for path in (top / folder).rglob("*") if path.is_file()}
    found |= set((top / _VERIFIER).glob("*.py"))
    for path in sorted(found | {top / name for name in _SINGLE}):
        name = path.relative_to(top)
        # Compiled code is of one Python, and catalogues are for letters.
        if name.as_posix() in _LIBRARIES or {"__pycache__", "locale"} & set(name.parts):
            continue
        yield f"pbem/{name.as_posix()}", path.read_bytes()
