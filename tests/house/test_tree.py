"""Check the tree as a whole: nothing half done, no host of a package registry, data found where it is shipped."""

import ast
import re
from collections.abc import Iterator

import pytest

import pbem
from pbem.data import data
from tests.house.sources import ROOT, Source, below, texts

# Put together from parts, so that this file does not hold what it looks for.
REGISTRIES = ["py" + "pi.org", "python" + "hosted", "npm" + "js.org", "npm" + "js.com", "yarn" + "pkg.com"]
HALF_DONE = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|NotImplemented" + r"Error)\b")
FOREIGN_FOLDER = "shar" + "ed/"
LOCKS_WITH_HOSTS = {"uv.lock", "poetry.lock", "package-" + "lock.json", "pnpm-" + "lock.yaml"}


def lines_with(pattern: str | re.Pattern[str], folder: str = "") -> list[str]:
    wanted = re.compile(re.escape(pattern)) if isinstance(pattern, str) else pattern
    return [
        f"{name}:{number}: {line.strip()[:100]}"
        for name, text in texts().items()
        if name.startswith(folder) and wanted.search(text)
        for number, line in enumerate(text.splitlines(), 1)
        if wanted.search(line)
    ]


def test_the_tree_is_read():
    assert {"pbem/__init__.py", "pbem/data.py", "tests/house/test_tree.py"} <= texts().keys()


def test_nothing_in_the_package_is_left_half_done():
    assert lines_with(HALF_DONE, "pbem/") == []


def test_no_host_of_a_package_registry():
    assert lines_with(re.compile("|".join(map(re.escape, REGISTRIES)))) == []


def test_no_lock_that_writes_hosts():
    assert [name for name in texts() if name.rpartition("/")[2] in LOCKS_WITH_HOSTS] == []


def test_requirements_are_pinned_hashed_and_name_no_index():
    for name in ("bootstrap", "dev", "runtime"):
        text = (ROOT / "requirements" / f"{name}.txt").read_text("utf-8")
        assert "--hash=sha256:" in text
        assert not re.search(r"https?:|index-url|find-links", text)
        # One requirement is one line once the continuations are joined: each is pinned and has a hash.
        for line in text.replace("\\\n", " ").splitlines():
            if line and not line.lstrip().startswith("#"):
                assert re.match(r"[\w.-]+==\S+ .*--hash=sha256:[0-9a-f]{64}", line), line


def test_no_path_outside_the_project():
    assert lines_with(FOREIGN_FOLDER) == []


def test_version_stands_once_in_the_package_and_once_in_pyproject():
    pyproject = (ROOT / "pyproject.toml").read_text("utf-8")
    assert f'\nversion = "{pbem.__version__}"\n' in pyproject


def test_data_is_found_beside_a_checkout_and_inside_a_wheel(tmp_path):
    package = tmp_path / "pbem"
    package.mkdir()
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "a.toml").touch()
    assert data("config", "a.toml", package=package) == tmp_path / "config" / "a.toml"

    wheel = package / "_data" / "config"
    wheel.mkdir(parents=True)
    (wheel / "b.toml").touch()
    assert data("config", "b.toml", package=package) == wheel / "b.toml"
    with pytest.raises(FileNotFoundError, match=r"config/a\.toml"):
        data("config", "a.toml", package=package)


@pytest.mark.parametrize("parts", [(), ("tests",), ("config", "..", "pyproject.toml"), ("config", "/etc/passwd")])
def test_data_leads_nowhere_else(parts):
    with pytest.raises(ValueError, match=r"data is in|leads out"):
        data(*parts)


MENTIONED = re.compile(r"(?<![\w./*-])[a-z_0-9]+\.py\b")
OF_OTHERS = {"verify.py", "mine.py"}
"""A file that is made of several, and one of an example."""


def test_each_file_that_a_docstring_or_a_comment_names_is_there():
    there = {name.rpartition("/")[2] for name in texts() if name.endswith(".py")} | OF_OTHERS
    named = [
        f"{source.name}: {name}"
        for source in below(without=("verifier",))
        for text in said_in(source)
        for name in MENTIONED.findall(text)
        if name not in there
    ]
    assert named == []
    assert {*said_in(Source("a.py", '"""Text (one.py)."""\nx = 1\n# two.py\n'))} == {"Text (one.py).", "# two.py"}


def said_in(source: Source) -> Iterator[str]:
    """The docstrings of a file that name one, those below names too, and its lines of comment."""
    if ".py" in source.text:
        yield from (line for line in source.text.splitlines() if line.lstrip().startswith("#"))
        for node in source.nodes(ast.Expr):
            if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
                yield node.value.value
