"""`verify.pyz` made: engine, games and verifier in one file that bare Python runs, the same bytes each time.

Games that packages bring are in it as an installer leaves them, with what tells their package and version, so that the
file finds them as the program does.

    archive() -> b'#!/usr/bin/env python3\\nPK...'

Games read charts and maps from the folders they lie in, so the file unpacks itself into a folder of its own while it
runs. Nothing is compressed: how it is would depend on the machine.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePath

import pbem
from pbem.installed import GROUP, Brought, brought

_HEAD = b"#!/usr/bin/env python3\n"
_WHEN = (1980, 1, 1, 0, 0, 0)
_LIBRARIES = {"pbem/audit/beacon.py", "pbem/audit/signing.py", "pbem/audit/vrf.py"}
"""What needs libraries; plain Python does the same in `verifier`."""
_SINGLE = (
    "pbem/installed.py",
    "pbem/lazy.py",
    "pbem/names_of_1_0.py",
    "pbem/play/adjudication.py",
    "pbem/runtime/bot_versions.py",
    "pbem/play/corrected.py",
    "pbem/server/score_rerun.py",
    "pbem/server/rerun.py",
    "pbem/tournaments/rerun.py",
    "pbem/wars/rerun.py",
    "pbem/cli/exit_codes.py",
    "pbem/cli/rulebooks.py",
    "pbem/cli/terminal.py",
    "pbem/cli/letter_checks.py",
)
_WHOLE = ("pbem/audit", "pbem/engine", "pbem/games", "pbem/tournaments/arithmetic")
_VERIFIER = "pbem/verifier"

_METADATA = "Metadata-Version: 2.1\nName: {}\nVersion: {}\n"

_MAIN = b"""\
import sys
import tempfile
import zipfile

if sys.version_info < (3, 11):
    sys.stderr.write("verify.pyz needs Python 3.11 or newer; nothing was looked at: NOT CHECKED.\\n")
    sys.exit(2)
with tempfile.TemporaryDirectory() as folder:
    with zipfile.ZipFile(sys.path[0]) as own:
        own.extractall(folder)
    sys.path[0] = folder
    sys.dont_write_bytecode = True
    from pbem.cli.letter_checks import main

    main()
"""


def archive() -> bytes:
    """The bytes of verify.pyz."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as packed:
        for name, body in [("__main__.py", _MAIN), *sorted({**dict(_files()), **dict(_brought())}.items())]:
            entry = zipfile.ZipInfo(name, _WHEN)
            entry.external_attr = 0o644 << 16
            entry.create_system = 3
            packed.writestr(entry, body)
    return _HEAD + out.getvalue()


def _files() -> Iterator[tuple[str, bytes]]:
    """What goes in, by its path, in the order of the paths."""
    top = Path(pbem.__file__).parents[1]
    found = {path for folder in _WHOLE for path in (top / folder).rglob("*") if path.is_file()}
    found |= set((top / _VERIFIER).glob("*.py"))
    found |= {top / name for name in _SINGLE}
    packages = {
        folder / "__init__.py" for path in found for folder in path.parents if folder.is_relative_to(top / "pbem")
    }
    for path in sorted(found | {path for path in packages if path.is_file()}):
        name = path.relative_to(top)
        if name.as_posix() not in _LIBRARIES and _runs(name):
            yield name.as_posix(), path.read_bytes()


def _runs(name: PurePath) -> bool:
    """Whether a file is of use there: compiled code is of one Python, and catalogues are for letters."""
    return not {"__pycache__", "locale"} & set(name.parts)


def _brought() -> Iterator[tuple[str, bytes]]:
    """The games that packages bring, those that can be played as far as can be told, by their paths."""
    packages: dict[tuple[str, str], list[Brought]] = {}
    for one in brought().values():
        if not one.fault:
            packages.setdefault((one.package, one.version), []).append(one)
    for (package, version), games in packages.items():
        for game in games:
            yield from ((name, path.read_bytes()) for name, path in game.files() if _runs(PurePath(name)))
        told = f"{package.replace('-', '_')}-{version}.dist-info"
        yield f"{told}/METADATA", _METADATA.format(package, version).encode()
        lines = [f"[{GROUP}]", *(f"{game.name} = {game.value}" for game in games), ""]
        yield f"{told}/entry_points.txt", "\n".join(lines).encode()
