"""Join the modules of this folder into the file that players get, `verify.py`.

    script() -> '#!/usr/bin/env python3...'

The bytes are the same each time. Each module has a heading of its own, and all imports come first. This module is
not in the file.
"""

from __future__ import annotations

import ast
from pathlib import Path

FOLDER = Path(__file__).parent

MODULES = (
    "fields",
    "curve",
    "bls",
    "notes",
    "mailbox",
    "tournament_lists",
    "bundles",
    "record",
    "log_checks",
    "war_checks",
    "team_checks",
    "list_checks",
    "later_checks",
    "bracket_checks",
    "battle_checks",
    "tournament_checks",
    "board_checks",
    "labels",
    "phase_checks",
    "order_checks",
    "roll_checks",
    "timing_checks",
    "recovery",
    "verification",
    "more_words",
    "words",
    "verdict",
    "main",
)
"""The modules in the order in which they need each other."""

HEAD = '''\
#!/usr/bin/env python3
"""Check the letters of a play-by-mail server: python3 verify.py FILE|MBOX|FOLDER... [--log-key KEY] [--witness KEY]

One file, nothing but Python 3.11, and no line of the server's own program: read it, then believe it. Keep all letters
of your game; each has an attachment `pbemdice.txt`. A sentence is printed for each phase, then a line for each check.
It ends with 0 if all is true, 1 if something is false, 2 if something cannot be checked.

The server keeps one log, a Merkle tree (RFC 9162), and signs its root in every letter. Closed orders are a leaf before
the beacon's round comes out that was fixed for them; the dice are HMACs under the output of a VRF (RFC 9381) of closed
orders and beacon. So whoever has a public beacon and a proof of time knows that nobody, the server included, could
know or choose them. Whether the rules were applied rightly to the dice is not checked here: `verify.pyz --full` does.
"""
'''

OLDER = """\
import sys

if sys.version_info < (3, 11):
    sys.stderr.write("verify.py needs Python 3.11 or newer; nothing was looked at: NOT CHECKED.\\n")
    sys.exit(2)
"""

TAIL = """

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
"""


def build_script() -> str:
    """Return the text of verify.py; raise ValueError if two modules share a name."""
    imports: set[str] = set()
    bodies, owners = [], dict[str, str]()
    for name in MODULES:
        text = (FOLDER / f"{name}.py").read_text("utf-8")
        tree = ast.parse(text)
        for global_name in top_level_names(tree):
            if owners.setdefault(global_name, name) != name:
                raise ValueError(f"{global_name} is a name of {owners[global_name]} and of {name}")
        bodies.append(module_body(name, text, tree, imports))
    future = "from __future__ import annotations"
    # As ruff sorts imports: `import` comes before `from`.
    top = "\n".join([HEAD + "\n" + future, "", OLDER, *sorted(imports - {"import sys"}, key=import_sort_key)])
    return top + "\n" + "".join(bodies) + TAIL


def import_sort_key(line: str) -> tuple[bool, str]:
    return line.startswith("from"), line


def top_level_names(tree: ast.Module) -> set[str]:
    """Return the top-level names of a module, without its imports."""
    names: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        for target in targets:
            names |= (
                {name_node.id for name_node in ast.walk(target) if isinstance(name_node, ast.Name)}
                if target is not None
                else set()
            )
    return names


def module_body(name: str, text: str, tree: ast.Module, imports: set[str]) -> str:
    """Return a module under a heading, without its docstring and imports.

    Imports of the standard library are added to `imports`.
    """
    lines = text.splitlines()
    cut: set[int] = set()
    doc = ast.get_docstring(tree) or ""
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom) or (node is tree.body[0] and doc):
            cut |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        if isinstance(node, ast.Import):
            imports |= {f"import {alias.name}" for alias in node.names}
        if isinstance(node, ast.ImportFrom) and not node.level and node.module != "__future__":
            imports |= {f"from {node.module} import {alias.name}" for alias in node.names}
    heading = "".join(f"# {line}".rstrip() + "\n" for line in doc.splitlines())
    rule = "# " + "-" * 118
    body = "\n".join(line for number, line in enumerate(lines, 1) if number not in cut).strip("\n")
    return f"\n\n{rule}\n# {name}\n#\n{heading}\n\n{body}\n"
