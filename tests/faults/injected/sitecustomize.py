"""Load changed modules in place of those on disk; Python runs this file as it starts when PYTHONPATH holds its folder.

The folder named by FAULTS_CODE holds the code of a changed module as ``pbem.engine.game.code``, and as
``pbem.verifier.note.txt`` the source of one that is read as text. Nothing on disk is changed, and processes that tests
start load the same.
"""

import builtins
import marshal
import os
from importlib.machinery import SourceFileLoader
from types import CodeType


class Reached:
    """Adds each fault that is reached to the file named by FAULTS_REACHED, once until ``seen`` is cleared."""

    def __init__(self) -> None:
        self.seen: set[int] = set()

    def __call__(self, *faults: int) -> None:
        new = [fault for fault in faults if fault not in self.seen]
        path = os.environ.get("FAULTS_REACHED")
        if not new or path is None:
            return
        self.seen.update(new)
        file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(file, "".join(f"{fault}\n" for fault in new).encode())
        os.close(file)


def change_imports(folder: str) -> None:
    """Load the code in the folder for the modules it names."""
    changed, load = set(os.listdir(folder)), SourceFileLoader.get_code

    def get_code(loader: SourceFileLoader, module: str) -> CodeType | None:
        if f"{module}.code" not in changed:
            return load(loader, module)
        with open(os.path.join(folder, f"{module}.code"), "rb") as file:
            code: CodeType = marshal.load(file)  # noqa: S302
        return code

    vars(builtins)["__reached__"] = Reached()
    setattr(SourceFileLoader, "get_code", get_code)  # noqa: B010
    for name in changed:
        if name.endswith(".txt"):
            change_text(os.path.join(folder, name), name.removesuffix(".txt").replace(".", os.sep) + ".py")


def change_text(changed: str, ending: str) -> None:
    """Read the changed source wherever a path with this ending is read as text."""
    from pathlib import Path

    read = Path.read_text

    def read_text(path: Path, encoding: str | None = None, errors: str | None = None) -> str:
        return read(Path(changed) if str(path).endswith(ending) else path, encoding, errors)

    setattr(Path, "read_text", read_text)  # noqa: B010


if "FAULTS_CODE" in os.environ:
    change_imports(os.environ["FAULTS_CODE"])
