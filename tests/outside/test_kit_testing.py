"""A stranger's game is run through the kit's checks by a test file of his own, and each kind of fault is found."""

import importlib.util
import subprocess
import sys
from dataclasses import replace

import pytest

from pbem.engine.testing import LawViolation, cases_in
from pbem.engine.testing import checks as kit_checks
from pbem.engine.testing.games import Crashed
from pbem.engine.testing.mutants import Rewrite, Workshop, hunt, swap
from tests.outside.foggy import VIEW, hide
from tests.outside.stranger import change, install


@pytest.fixture
def lantern(site, monkeypatch):
    """The stranger's game in its folder, not imported yet."""
    folder = install(site)
    hide(folder)
    monkeypatch.chdir(site)
    return folder


def checks(folder):
    """What the stranger's test file would run, by name."""
    spec = importlib.util.spec_from_file_location("test_lantern", folder.parent / "test_lantern.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {str(check): check for check in module.checks(module.PROOF)}


@pytest.mark.full
def test_a_sound_game_passes_every_check_by_a_test_file_of_its_own(lantern):
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", ".", "test_lantern.py"],
        cwd=lantern.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "6 passed" in done.stdout


FAULTS = {
    "a view that hides nothing": (
        "    view=view,\n",
        VIEW,
        "fog",
        "the view of north changes with what north cannot",
    ),
    "a map that shows what is hidden": (
        "places={band: at if at in seen",
        "turn=state.turn + len(state.holder('Cove')), places={band: at if at in seen",
        "fog",
        "the view of (north|south) changes",
    ),
    "an event that tells what is hidden": (
        'if happened.data["to"] not in sight(before, seat):',
        'if not happened.data["to"]:',
        "fog",
        "(north|south) is told of what it does not see",
    ),
    "canonical text that is read as something else": (
        "canon=GRAMMAR.canon",
        "canon=lambda orders: 2 * GRAMMAR.canon(orders)",
        "laws",
        "canonical text is read as something else",
    ),
    "canonical text that is refused": (
        "canon=GRAMMAR.canon",
        'canon=lambda orders: GRAMMAR.canon(orders).replace("MARCH", "MARSH")',
        "laws",
        "a canonical line is refused",
    ),
    "a phase that hangs on how a set lies": (
        'for near in state.edition.map.neighbours(to) if not state.holder(near)), "")',
        'for near in {*state.edition.map.neighbours(to)} if not state.holder(near)), "")',
        "replay",
        "comes out otherwise where sets lie otherwise",
    ),
    "a case that does not hold": (
        'if chosen.value[0] == "YIELD":',
        'if chosen.value[0] == "HOLD":',
        "cases",
        "B4 who yields goes to the first free place: ",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found(lantern, fault):
    was, now, check, expected = FAULTS[fault]
    change(lantern, was, now)
    with pytest.raises((LawViolation, Crashed), match=expected):
        checks(lantern)[check]()


def test_a_rule_without_a_case_and_a_number_without_a_rule_are_found(lantern):
    rules = lantern / "rules.txt"
    rules.write_text(rules.read_text("utf-8") + "B7  Nobody has ever tried this\n", "utf-8")
    with pytest.raises(LawViolation, match="rules without a case: B7"):
        checks(lantern)["numbers"]()
    rules.write_text(rules.read_text("utf-8").replace("B7 ", "B1.1 ").replace("B4  Who", "B3  Who"), "utf-8")
    with pytest.raises(LawViolation, match=r"rules without a case: B1\.1; B3"):
        checks(lantern)["numbers"]()
    rules.write_text("\n".join(f"{n}  Words" for n in ("B1", "B2", "B5")), "utf-8")
    with pytest.raises(LawViolation, match=r"numbers that rules\.txt does not have: B4"):
        checks(lantern)["numbers"]()


def test_a_twin_that_never_hides_anything_proves_nothing(lantern):
    text = (lantern.parent / "test_lantern.py").read_text("utf-8")
    (lantern.parent / "test_lantern.py").write_text(text.replace("if moved else None", "if 0 else None"), "utf-8")
    with pytest.raises(LawViolation, match="nothing was ever hidden"):
        checks(lantern)["fog"]()


def workshop(lantern):
    """The stranger's rules, one of them turned round."""
    game = checks(lantern)["members"].proof
    shelf, charts = game.shelf, game.shelf.charts({})
    yields = Rewrite("B4", "game.BeaconRules.step", '== "YIELD"', '!= "YIELD"', "who yields holds")
    return game, Workshop(
        "lantern_game", game.game, charts, lambda laid: swap(shelf, "charts", lambda _: laid), (yields,), (), {}
    )


def test_the_stranger_s_rules_are_changed_by_one_and_what_no_case_notices_is_named(lantern):
    proof, made = workshop(lantern)
    caught = {result.mutant: result.caught_by for result in hunt(made, cases_in(proof.cases))}
    assert caught["B5 3 fate: stays -> leaves"] == "B5 die 3 column fate = stays"
    assert caught["B4 game.BeaconRules.step: who yields holds"] == "B4 who yields goes to the first free place"
    with pytest.raises(LawViolation, match="no case notices: B5 1 fate: stays -> leaves"):
        {str(check): check for check in kit_checks(replace(proof, workshop=made))}["mutants"]()
