"""Modules and names that games from outside imported at 1.0.0 are found by them, with a warning."""

import ast
import re
import sys
from importlib import import_module

import pytest

from pbem.engine.classes_of_1_0 import as_game
from pbem.engine.game import Game
from pbem.names_of_1_0 import PACKAGES, name_today
from tests.house.sources import ROOT


def read_names():
    """Read the public names of each module: those of `__all__`, or all that it defined without an underscore."""
    text = (ROOT / "tests" / "fixtures" / "names_of_1_0.txt").read_text("utf-8")
    rows = (row.partition(":") for row in text.replace("\n  ", " ").splitlines())
    return {module: names.split() for module, _, names in rows}


PUBLIC = read_names()
"""The public names of `pbem.core` and `pbem.kit` at 1.0.0 (commit d06851b7), by module."""

NAMES = [module for module in PUBLIC if module not in PACKAGES]


@pytest.fixture(autouse=True)
def fresh():
    """Let nothing be found by an old name before the test asks for it, nor after it."""

    def forget():
        for name in [name for name in sys.modules if name.startswith(("pbem.core", "pbem.kit"))]:
            del sys.modules[name]

    forget()
    yield
    forget()


def imported_by_template():
    """Yield each import from `pbem.core` and `pbem.kit` in the template as 1.0.0 had it."""
    for path in sorted((ROOT / "tests" / "fixtures" / "template_1_0").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(("pbem.core", "pbem.kit")):
                yield from ((node.module, alias.name) for alias in node.names)


def test_every_module_of_1_0_is_found_by_its_old_name_and_warns():
    for name in NAMES:
        with pytest.warns(DeprecationWarning, match=re.escape(f"{name} is pbem.engine")):
            import_module(name)


def import_from(module, name):
    """Return what `from module import name` gives."""
    return getattr(__import__(module, fromlist=[name]), name)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_package_of_1_0_gives_the_module_of_that_name_whatever_else_has_it_today():
    for name in NAMES:
        if name not in ("pbem.kit.testing.checks", "pbem.kit.testing.laws"):  # functions of the package had these names
            assert import_from(*name.rsplit(".", 1)).__name__ in {name, name_today(name)}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_every_public_name_of_1_0_is_found_in_its_old_place():
    imports = [(module, name) for module, names in PUBLIC.items() for name in names]
    assert len(imports) > 700
    missing = []
    for module, name in (*imports, *imported_by_template()):
        try:
            import_from(module, name)
        except (AttributeError, ImportError):
            missing.append(f"{module}.{name}")
    assert missing == []


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_template_of_1_0_is_declared_in_classes_and_played_as_the_record(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "tests" / "fixtures" / "template_1_0")
    for name in [name for name in sys.modules if name.partition(".")[0] == "beacon_game"]:
        monkeypatch.delitem(sys.modules, name)
    older = as_game(import_module("beacon_game").GAME)
    for name in [name for name in sys.modules if name.partition(".")[0] == "beacon_game"]:
        monkeypatch.delitem(sys.modules, name)
    assert isinstance(older, Game)
    start = older.start(older.edition("dusk", {}, {}))
    assert (older.phase(start), older.active(start)) == (("north", 1), ("north",))
    read = older.parse("MARCH Owl TO Hill", start, "north")
    assert older.canon(read.orders) == "MARCH Owl TO Hill\n"
    assert older.telling.happenings(()) == ()
    assert older.telling.report(start, "north", ()).blocks
    assert older.rulebook.preset("cautious") is not None


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_module_that_1_0_did_not_have_is_not_found():
    with pytest.raises(ModuleNotFoundError):
        import_module("pbem.kit.orders.no_such_module")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_methods_with_new_names_are_those_of_the_guide(subtests):
    """Each old class has the new method, under the class's name of today, and not the old one."""
    guide = (ROOT / "docs" / "new-game.md").read_text("utf-8")
    pairs = re.findall(r"`(\w+)\.(\w+)` \| `(\w+)\.(\w+)`", guide)
    assert len(pairs) == 19
    for old_class, old_method, new_class, new_method in pairs:
        with subtests.test(old_class, method=old_method):
            classes = [import_from(module, old_class) for module, names in PUBLIC.items() if old_class in names]
            moved = [class_ for class_ in classes if hasattr(class_, new_method)]
            assert {class_.__name__ for class_ in moved} == {new_class}
            assert not any(hasattr(class_, old_method) for class_ in moved)
