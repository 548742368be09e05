"""Locate the files beside the code: `data("config", "policy.toml")`.

In a checkout `templates/` and `config/` are at the top, next to the package; in an installed wheel they are
in `pbem/_data`. Code that reads them asks here and works in both. The files of one game are in that game's
folder and are not found from here.
"""

from pathlib import Path

FOLDERS = ("templates", "config")

_PACKAGE = Path(__file__).resolve().parent


def data(*parts: str, package: Path = _PACKAGE) -> Path:
    """Return the path of a file or folder under `templates/` or `config/`.

    The first part names the folder, the others the path below it; `package` is the folder of the installed
    `pbem`. Raise ValueError for a path outside these folders, FileNotFoundError for a missing one.
    """
    if not parts or parts[0] not in FOLDERS:
        raise ValueError(f"data is in one of {', '.join(FOLDERS)}, not in {'/'.join(parts) or 'nothing'}")
    # The wheel's own folder comes first: files beside an installed package belong to others.
    root = package / "_data" if (package / "_data").is_dir() else package.parent
    path = root.joinpath(*parts)
    if not path.resolve().is_relative_to((root / parts[0]).resolve()):
        raise ValueError(f"{'/'.join(parts)} leads out of {parts[0]}")
    if not path.exists():
        raise FileNotFoundError(f"no {'/'.join(parts)} in {root}")
    return path
