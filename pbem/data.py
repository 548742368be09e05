"""Where the files beside the code are: `data("config", "policy.toml")`.

In a checkout `templates/` and `config/` lie at the top, next to the package; in an installed wheel they lie in
`pbem/_data`. Whoever reads them asks here and works in both. What belongs to one game lies in that game's folder
and is not found from here.
"""

from pathlib import Path

FOLDERS = ("templates", "config")

_PACKAGE = Path(__file__).resolve().parent


def data(*parts: str, package: Path = _PACKAGE) -> Path:
    """The path of a file or folder under `templates/` or `config/`.

    The first part names the folder, the others lead down from it; `package` is the folder of the installed `pbem`.
    Raises ValueError for a path that would lead elsewhere, FileNotFoundError for one that is not there.
    """
    if not parts or parts[0] not in FOLDERS:
        raise ValueError(f"data is in one of {', '.join(FOLDERS)}, not in {'/'.join(parts) or 'nothing'}")
    # The wheel's own folder goes first: what lies beside an installed package is somebody else's.
    root = package / "_data" if (package / "_data").is_dir() else package.parent
    path = root.joinpath(*parts)
    if not path.resolve().is_relative_to((root / parts[0]).resolve()):
        raise ValueError(f"{'/'.join(parts)} leads out of {parts[0]}")
    if not path.exists():
        raise FileNotFoundError(f"no {'/'.join(parts)} in {root}")
    return path
