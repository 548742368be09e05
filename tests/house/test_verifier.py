"""The file that players get to check the server with: of its own making, readable, and bare Python."""

import ast
import io
import re
import sys
import zipfile
from collections import Counter
from collections.abc import Iterator
from functools import cache

import pytest

from pbem.cli.verify import verifier_archive
from pbem.pages.dice import SCRIPTS
from pbem.verifier import build
from pbem.verifier.build import MODULES, build_script
from pbem.verifier.more_words import REFUSALS
from pbem.verifier.verdict import GRADE_B, STATEMENTS
from pbem.verifier.words import SPANISH
from tests.house.sources import PBEM, ROOT, Source, below

FOLDER = PBEM / "verifier"
IMPORT = re.compile(r"(import|from) [a-z_]")
WIDTH = 120
DECLARED = re.compile(r"^(?:async )?(?:const|let|class|function\*?) (\w+)", re.MULTILINE)
SAME = 5
"""So many lines in a row are no accident."""


@cache
def joined() -> Source:
    """The verifier as players get it: one file."""
    return Source("verify.py", build_script())


def runs(text: str) -> set[tuple[str, ...]]:
    """All runs of SAME lines, without indentation, empty lines, and what is imported from the standard library."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and not IMPORT.match(line)]
    return {tuple(lines[index : index + SAME]) for index in range(len(lines) - SAME + 1)}


def test_it_shares_no_five_lines_with_the_program():
    own = runs(joined().text)
    assert [source.name for source in below(without=("verifier",)) if own & runs(source.text)] == []


def test_a_shared_run_would_be_seen():
    text = joined().text
    assert runs(text) & runs("x = 1\n" + "\n".join(text.splitlines()[100:110]))


def test_no_name_of_the_page_is_declared_twice():
    """All scripts of the page share one scope, in which a second declaration stops every one."""
    texts = [(FOLDER / "page" / f"{name}.js").read_text("utf-8") for name in (*SCRIPTS, "page")]
    names = Counter(name for text in texts for name in DECLARED.findall(text))
    assert names.total() > 300
    assert [name for name, count in names.items() if count > 1] == []


def test_it_imports_the_standard_library_only():
    names = {statement.module for statement in joined().imports}
    assert {name.split(".")[0] for name in names} <= set(sys.stdlib_module_names)
    assert not {name.split(".")[0] for name in names} & {"socket", "urllib", "http", "subprocess", "os", "importlib"}


def test_a_function_fits_on_a_screen():
    long = {
        node.name: node.end_lineno - node.lineno + 1
        for node in joined().functions
        if node.end_lineno and node.end_lineno - node.lineno >= 60
    }
    assert long == {}


def test_it_runs_nothing_that_it_reads():
    called = {node.func.id for node in joined().nodes(ast.Call) if isinstance(node.func, ast.Name)}
    assert called & {"eval", "exec", "compile", "__import__", "open"} == set()


def test_it_is_joined_of_all_modules_the_same_each_time():
    assert {path.stem for path in FOLDER.glob("*.py")} == {*MODULES, "__init__", "build"}
    assert build_script() == joined().text
    for name in MODULES:
        assert f"\n# {name}\n" in joined().text


def test_no_name_is_given_twice(tmp_path, monkeypatch):
    for path in FOLDER.glob("*.py"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "main.py").write_text((FOLDER / "main.py").read_text("utf-8") + "\n\nCHECKS = ()\n", "utf-8")
    monkeypatch.setattr(build, "FOLDER", tmp_path)
    with pytest.raises(ValueError, match="CHECKS is a name of record and of main"):
        build_script()


def sentences() -> set[str]:
    """What the verifier tells, as far as it stands in calls of `say` and `lacks`, or is called why."""
    texts: set[str] = set()
    for node in (*joined().nodes(ast.Call), *joined().nodes(ast.Assign)):
        nodes: list[ast.expr] = []
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            nodes = {"lacks": node.args[:1], "say": node.args[:1] if len(node.args) < 4 else node.args[3:4]}.get(
                node.func.attr, []
            )
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("Bad", "TooMuch", "TooMuchMail"):
            nodes = node.args[:1]
        if isinstance(node, ast.Assign) and {getattr(target, "id", "") for target in node.targets} & {
            "why",
            "NOT_SIGNED",
        }:
            nodes = [node.value]
        constants = (node for each in nodes for node in ast.walk(each) if isinstance(node, ast.Constant))
        texts |= {constant.value for constant in constants if isinstance(constant.value, str)}
    return {text for text in texts if len(text) > 5}


def test_every_sentence_is_there_in_spanish():
    missing = {sentence for sentence in {*sentences(), *STATEMENTS.values(), GRADE_B} if sentence not in SPANISH}
    assert missing == set()
    wrong = {sentence for sentence, other in SPANISH.items() if sentence.count("{}") != other.count("{}")}
    assert wrong == set()


def test_every_refusal_is_told_by_one_of_the_verifiers():
    scripts = joined().text + "".join(path.read_text("utf-8") for path in (FOLDER / "page").glob("*.js"))
    assert {refusal for refusal in REFUSALS if scripts.count(f'"{refusal}"') < 2} == set()


def test_no_line_of_the_page_is_longer_than_those_of_the_program():
    pages = FOLDER.parent / "pages"
    own = [path for folder in (FOLDER / "page", *pages.iterdir()) for path in folder.glob("*.js")]
    own = [path for path in own if not path.name.startswith("noble-")]
    assert len(own) >= 20
    long = [
        f"{path.name}:{index}"
        for path in own
        for index, line in enumerate(path.read_text("utf-8").split("\n"), 1)
        if len(line) > WIDTH
    ]
    assert long == []


def test_the_file_for_bare_python_holds_all_that_it_imports():
    with zipfile.ZipFile(io.BytesIO(verifier_archive())) as packed:
        names = [name for name in packed.namelist() if name.endswith(".py") and name != "__main__.py"]
        sources = [Source(name, packed.read(name).decode()) for name in names]
    there = {source.module for source in sources}
    assert len(sources) > 150
    assert [(source.name, module) for source in sources for module in at_once(source) if module not in there] == []


def at_once(source: Source) -> Iterator[str]:
    """The modules beside those of the standard library that are imported as soon as a file is."""
    tops = {node.lineno for node in source.tree.body if isinstance(node, ast.Import | ast.ImportFrom)}
    for statement in source.imports:
        if statement.line in tops and statement.module.split(".")[0] not in sys.stdlib_module_names:
            yield statement.module
            inner = (f"{statement.module}.{name}" for name in statement.names)
            yield from (name for name in inner if (ROOT / f"{name.replace('.', '/')}.py").is_file())
