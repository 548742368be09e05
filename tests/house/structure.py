"""Print how the package is built, as the table in docs/architecture.md: ``python -m tests.house.structure``.

Each row is a function below, whose docstring defines what it counts. All but three rows read the source alone; one
delivers a letter, and one starts a command in a process of its own. With ``--quick`` those are left out.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType, FrameType
from typing import NamedTuple

from tests.house.sources import PBEM, ROOT, Source, importers, package

Sources = Mapping[str, Source]

ORDERS = """ORDENES T1
ACTIVAR Nudos
FUEGO Montana1 A Cresta
ASALTAR Cresta CON Cuenca, Vergara AL MANDO DE Orozco VANGUARDIA Cuenca CORTINA Vergara
ACTIVAR Tarajal
MOVER Príncipe CON Prim A Nudos
MOVER Luchana A Playa
MOVER Husares1, Husares4 A Playa
FIN
"""
"""The one order letter: fire, an assault, an officer and cavalry."""


class Lines(NamedTuple):
    """Lines of the package by what they are; each line counts once."""

    code: int
    docstrings: int
    imports: int
    listed: int
    blank: int


def kinds_of_lines(sources: Sources) -> Lines:
    """Count the lines of all Python files below pbem.

    A line belongs to a docstring of a module, class or function, to an import, to `__all__`, else it is blank, else
    code; comments are code. Blank lines within a docstring belong to it.
    """
    counts: Counter[str] = Counter()
    for source in sources.values():
        kinds: dict[int, str] = {}
        for kind, node in _marked(source):
            kinds |= dict.fromkeys(range(node.lineno, (node.end_lineno or node.lineno) + 1), kind)
        for number, line in enumerate(source.text.splitlines(), 1):
            counts[kinds.get(number) or ("code" if line.strip() else "blank")] += 1
    return Lines(counts["code"], counts["docstring"], counts["import"], counts["listed"], counts["blank"])


def _marked(source: Source) -> Iterator[tuple[str, ast.stmt]]:
    """List the statements of a file that do not count as code."""
    bodies = [source.tree.body, *(node.body for node in (*source.nodes(ast.ClassDef), *source.functions))]
    for body in bodies:
        if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
            yield ("docstring" if isinstance(body[0].value.value, str) else "code"), body[0]
    yield from (("import", node) for node in (*source.nodes(ast.Import), *source.nodes(ast.ImportFrom)))
    for assigned in source.nodes(ast.Assign):
        if any(isinstance(target, ast.Name) and target.id == "__all__" for target in assigned.targets):
            yield "listed", assigned


def private_functions(sources: Sources) -> tuple[int, int]:
    """Count the functions of modules whose names begin with an underscore: those named once elsewhere, and all.

    A use is any place in the same file that names the function, a call or not; methods are left out.
    """
    once = every = 0
    for source in sources.values():
        used = Counter(node.id for node in source.nodes(ast.Name) if isinstance(node.ctx, ast.Load))
        for node in source.tree.body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("_"):
                every += 1
                once += used[node.name] == 1
    return once, every


def modules_with_one_importer(sources: Sources) -> int:
    """Count the modules and packages that exactly one other module of pbem imports, anywhere in it."""
    return sum(len(importers_found) == 1 for importers_found in importers(sources).values())


def files_with_word(sources: Sources, word: str) -> int:
    """Count the Python files that name a word anywhere, alone or within a name: `ladder_before`, `TeamSheet`.

    `ladder` also counts the dozen files on what follows when a player misses deadlines.
    """
    return sum(word in source.text.lower() for source in sources.values())


def late_imports(sources: Sources) -> int:
    """Count the import statements inside functions."""
    return sum(
        isinstance(node, ast.Import | ast.ImportFrom)
        for source in sources.values()
        for function in source.functions
        for node in ast.walk(function)
    )


def formatter_comments(sources: Sources) -> int:
    """Count the comments that keep the formatter away from a line."""
    skipping = (source for source in sources.values() if "fmt: skip" in source.text)
    return sum("fmt: skip" in comment for source in skipping for comment in source.comments)


def lines_with_any(sources: Sources) -> int:
    """Count the lines that name `Any`, imports among them."""
    wanted = re.compile(r"\bAny\b")
    return sum(bool(wanted.search(line)) for source in sources.values() for line in source.text.splitlines())


def crossed_by_a_letter() -> tuple[int, int]:
    """Count the files and the functions of the package that one order letter runs through.

    A letter of orders of Castillejos lies in a mailbox; it is fetched, taken in and answered, its phase is closed and
    resolved when its moment comes, and the answer and both reports are rendered. Comprehensions and lambdas count as
    parts of their functions, and what runs by being imported does not count.
    """
    # Imported here, since the rows that read the source need nothing of the program.
    from benchmarks.letters import quiet
    from pbem.runtime.terms import Terms
    from pbem.server.mailbox_poller import MailboxPoller
    from pbem.server.scheduler import run_due_jobs
    from tests.harness.letters import mail
    from tests.harness.mailbox import FolderMailbox
    from tests.harness.session import SEATS, PlayedSession

    ran: set[CodeType] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            ran.add(frame.f_code)

    with quiet(), TemporaryDirectory() as folder:
        scene = PlayedSession(Path(folder), Terms(), "UTC", {"fog": "off"}, killed=False)
        (Path(folder) / "clock").write_text(scene.clock.at.isoformat())
        mailbox = FolderMailbox(Path(folder) / "mail")
        mailbox.put(mail(SEATS["spain"][0], scene.addresses["spain"], ORDERS, Date=scene.clock.at))
        pump = MailboxPoller(scene.server, mailbox)
        sys.setprofile(note)
        try:
            pump.step()
            scene.clock.at += timedelta(hours=1)
            pump.step()
            run_due_jobs(scene.server)
            letters = scene.sent(whole=True)
        finally:
            sys.setprofile(None)
        scene.server.engine.dispose()
    if [letter.head for letter in letters] != ["out morocco", "out spain"]:
        raise ValueError(f"the letter was not resolved: {letters}")
    ours = {code for code in ran if code.co_filename.startswith(f"{PBEM}/") and not code.co_name.startswith("<")}
    return len({code.co_filename for code in ours}), len(ours)


def imported_by_a_command() -> tuple[int, int]:
    """Count the modules that `pbem game list` has read when it ends: those of pbem, and all.

    What it imports lazily and does not use (`pbem.lazy`) was not read.
    """
    code = (
        "import sys\nfrom pbem.cli.main import main\n"
        "try:\n    main(sys.argv[1:])\n"
        "finally:\n    print(*(name for name, one in sys.modules.items() if type(one).__name__ != '_LazyModule'), "
        "file=sys.stderr)"
    )
    with TemporaryDirectory() as folder:
        # The second of two: the first makes the tables.
        for words in (["init", folder], *2 * [["game", "list", "--config", f"{folder}/pbem.toml"]]):
            command = [sys.executable, "-c", code, *words]
            ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    names = ran.stderr.splitlines()[-1].split()
    return sum(name.split(".")[0] == "pbem" for name in names), len(names)


def _lines(sources: Sources) -> str:
    counts = kinds_of_lines(sources)
    parts = (counts.code, counts.docstrings, counts.imports, counts.listed, counts.blank)
    code, docstrings, imports, listed, blank = (f"{part / 1000:.1f}k" for part in parts)
    return (
        f"{sum(parts):,} in {len(sources):,} files: {code} code, {docstrings} docstrings, {imports} imports, "
        f"{listed} `__all__`, {blank} blank"
    )


def _private(sources: Sources) -> str:
    once, every = private_functions(sources)
    return f"{once:,} of {every:,}"


def _crossed(sources: Sources) -> str:
    files, functions = crossed_by_a_letter()
    return f"{files:,} ({functions:,} functions)"


def _features(sources: Sources) -> str:
    return f"{files_with_word(sources, 'ladder')} and {files_with_word(sources, 'team')}"


def _imported(sources: Sources) -> str:
    ours, every = imported_by_a_command()
    return f"{ours:,} of ours, {every:,} in all"


def _marks(sources: Sources) -> str:
    return " / ".join(f"{count(sources):,}" for count in (late_imports, formatter_comments, lines_with_any))


ROWS: Mapping[str, Callable[[Sources], str]] = {
    "lines under `pbem/` (Python)": _lines,
    "module-private functions called once": _private,
    "modules with one importer": lambda sources: f"{modules_with_one_importer(sources):,}",
    "files that one order letter crosses, from the mailbox to the rendered report": _crossed,
    'files a tournament feature touches ("ladder", "team")': _features,
    "modules that `pbem game list` imports": _imported,
    "imports inside functions / `fmt: skip` / lines with `Any`": _marks,
}
"""The rows of the table: what each is called, and how its figure is made."""

RUNNING = (_crossed, _imported)
"""What runs the program."""


def table(sources: Sources, quick: bool = False) -> Iterator[str]:
    """Write the table, a row a line."""
    yield "| figure | today |"
    yield "|---|---|"
    for name, figure in ROWS.items():
        if not (quick and figure in RUNNING):
            yield f"| {name} | {figure(sources)} |"


if __name__ == "__main__":
    for line in table(package(), quick="--quick" in sys.argv[1:]):
        print(line)
