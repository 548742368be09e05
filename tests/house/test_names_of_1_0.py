"""Modules and names that games from outside imported at 1.0.0 are found by them, with a warning."""

import ast
import re
import sys
from importlib import import_module

import pytest

from pbem.engine.classes_of_1_0 import as_game
from pbem.engine.game import Game
from pbem.names_of_1_0 import name_today
from tests.house.sources import ROOT

MODULES = {
    "pbem.core": (
        "autoplay bots cases data edits game luck map orders parts playout position reasons rehearsal review run terms"
    ),
    "pbem.core.data": (
        "called canon chronicle event_sheet events fairness folds languages memory messages picture report "
        "scene scene_told situation sources stakes stakes_told sums"
    ),
    "pbem.core.map": "areas charts fitting grounds hexes hexplane overlays plane printed sheets ways",
    "pbem.core.orders": (
        "block canonical choices doctrine grammar lex luck measured names offered press speech standing wrapped"
    ),
    "pbem.core.run": "followed foresight labels odds questions rolls runners stakes steps",
    "pbem.kit": (
        "advice answers bots cases commands couriers deployment dice edition fallen lookahead members moments "
        "orders position rules shelf standard telling testing war"
    ),
    "pbem.kit.commands": "gate holding joint orders sequence table telling",
    "pbem.kit.couriers": "errands known riding routes telling",
    "pbem.kit.deployment": "aids bots rules telling zones",
    "pbem.kit.orders": "actions conditions forms grammar languages parser refusals slots words",
    "pbem.kit.testing": "checks dice fog forms games laws mutants numbers replayed turned",
    "pbem.kit.war": "chain file ledger legs linked record source verdict",
}
"""The modules of `pbem.core` and `pbem.kit` at 1.0.0, by their package."""

DOCUMENTED = {
    "pbem.core.data.events": "event",
    "pbem.core.data.messages": "msg",
    "pbem.core.data.situation": "nothing",
    "pbem.core.data.stakes_told": "Wording winning",
    "pbem.core.game": "Edition Game",
    "pbem.core.map.areas": "AreaMap",
    "pbem.core.orders.doctrine": "Doctrine",
    "pbem.core.orders.speech": "spoken",
    "pbem.core.parts": "Pictured Scored",
    "pbem.core.run.questions": "Option Question",
    "pbem.core.run.steps": "Ask Did Roll Window",
    "pbem.kit.dice": "choice die",
    "pbem.kit.edition": "Edition Printing",
    "pbem.kit.orders.forms": "form",
    "pbem.kit.orders.slots": "Slot place unit units",
    "pbem.kit.position": "Position",
    "pbem.kit.standard": "Standard",
    "pbem.kit.testing": "Proof checks laws",
}
"""What docs/new-game.md named at 1.0.0, by the modules that it was in."""

NAMES = [f"{package}.{word}" for package, words in MODULES.items() for word in words.split()]


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
                yield from ((node.module, one.name) for one in node.names)


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
def test_what_games_imported_at_1_0_is_found_by_its_old_name():
    named = [(module, word) for module, words in DOCUMENTED.items() for word in words.split()]
    named += imported_by_template()
    assert len(named) > 60
    for module, word in named:
        assert import_from(module, word) is not None


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
