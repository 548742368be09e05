"""W10 Measure a command's start: ``python -m benchmarks.start_up [ROUNDS]``.

Each row is the CPU of whole processes beside that of ``python -c 'import sqlmodel'``: both in turns, and the median of
the ratios of the rounds, so that a busy machine slows both. Bytecode is written before. The second figure is the
modules of ours that were read.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple

# A choice: the median of so many is steady. Odd, so that it is one of them.
ROUNDS = 15
PBEM = (sys.executable, "-m", "pbem.cli")
BESIDE = (sys.executable, "-c", "import sqlmodel")
COUNTED = """import sys
from pbem.cli.main import main
try:
    main(sys.argv[1:])
finally:
    names = [name for name, module in sys.modules.items() if type(module).__name__ != "_LazyModule"]
    print(sum(name.partition(".")[0] == "pbem" for name in names), file=sys.stderr)
"""


class Row(NamedTuple):
    """A command, and the greatest allowed ratio to the other process."""

    words: tuple[str, ...]
    most: float


ROWS = (Row(("--help",), 1.0), Row(("game", "list"), 1.3), Row(("mail", "deliver", "empty.eml"), 2.0))


def environment() -> dict[str, str]:
    """Return the environment of a process that writes its bytecode."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def cpu(command: Sequence[str], folder: Path) -> float:
    """Run a process to its end and return its processor time in seconds."""
    before = os.times()
    subprocess.run(command, cwd=folder, env=environment(), capture_output=True, check=False)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def read_number(script: str, words: Sequence[str], folder: Path) -> int:
    """Run a command by a script; return the number that it prints last as an error."""
    command, seeded = (sys.executable, "-c", script, *words), {**environment(), "PYTHONHASHSEED": "0"}
    ran = subprocess.run(command, cwd=folder, env=seeded, capture_output=True, text=True, check=False)
    return int(ran.stderr.split()[-1])


def modules(words: Sequence[str], folder: Path) -> int:
    """Count the modules of ours that a command reads."""
    return read_number(COUNTED, words, folder)


def prepare(folder: Path) -> None:
    """Make a folder in which each of ROWS can be run."""
    (folder / "empty.eml").write_bytes(b"")
    subprocess.run((*PBEM, "init", "."), cwd=folder, capture_output=True, check=True)


def main() -> int:
    """Measure each row, print it, and end with 1 if one costs more than is wanted."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    too_slow = False
    with TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder)
        for row in ROWS:
            cpu([*PBEM, *row.words], folder)
            pairs = [(cpu([*PBEM, *row.words], folder), cpu(BESIDE, folder)) for _ in range(rounds)]
            ratio = median(ours / other for ours, other in pairs)
            too_slow = too_slow or ratio > row.most
            print(
                f"pbem {' '.join(row.words)}: {median(ours for ours, _ in pairs):.2f} s of CPU, {ratio:.2f} x, wanted "
                f"{row.most} x; {modules(row.words, folder)} modules"
            )
    return int(too_slow)


if __name__ == "__main__":
    sys.exit(main())
