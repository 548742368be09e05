"""A game that an installed package brings is played like those of the house; one that is no good is in nobody's way."""

import importlib
import re
import shutil
import sys
from dataclasses import MISSING, fields
from typing import Any

import pytest
from beacon_game import GAME as BEACON

from pbem.cli.main import main
from pbem.cli.rulebooks import GameUnplayable, game_by_name, games, shipped_scenarios, unplayable_lines
from pbem.engine.classes_of_1_0 import OldGame, OldTelling, as_game, missing
from pbem.engine.game import Game
from pbem.server import rerun
from pbem.server.rerun import RerunResult
from tests.harness.toygame import Toy
from tests.outside.stranger import announce, change, install

ANN, BOB = "ann@players.test", "bob@players.test"


def scenarios(hand):
    """What `pbem scenarios` says."""
    with pytest.raises(SystemExit) as ended:
        main(["scenarios"])
    output = hand.capsys.readouterr()
    return ended.value.code, output.out, output.err


def begun(hand):
    """A game of the package, begun; where its first seat writes to."""
    hand.fine("game", "new", "one", "--scenario", "dusk", "--undo", "0")
    north = hand.fine("seat", "invite", "one", "north", ANN).strip()
    hand.fine("seat", "invite", "one", "south", BOB)
    hand.fine("game", "start", "one")
    return north


def test_it_is_listed_and_named_without_being_imported(site, hand):
    install(site)
    assert games() == ("africa1860", "peninsular", "lantern")
    assert shipped_scenarios("lantern") == ("dusk",)
    game_by_name("africa1860")
    assert "lantern_game" not in sys.modules
    assert re.search(r"^lantern +dusk +- +north, south +Four bands race for a hill$", scenarios(hand)[1], re.M)


def test_it_is_played_by_letter_in_both_languages_with_its_own_words_and_replayed(site, hand):
    install(site)
    hand.fine("game", "new", "one", "--scenario", "dusk", "--undo", "0")
    north = hand.fine("seat", "invite", "one", "north", ANN, "--language", "es").strip()
    south = hand.fine("seat", "invite", "one", "south", BOB).strip()
    hand.fine("game", "start", "one")
    code, out, err = hand.deliver(ANN, north, "ORDERS T1\nMARCHAR Owl A Hill\nFIN\n")
    assert (code, err) == (0, "")
    assert "MARCHAR Owl A Hill" in out
    report = hand.fine("mail", "read", BOB)
    assert "Owl marches to Hill. [B2]" in report
    assert "\nBands\n" in report
    assert hand.deliver(BOB, south, "ORDERS T1\nPASS\nEND\n")[0] == 0
    report = hand.fine("mail", "read", ANN)
    assert "\nBandas\n" in report
    assert "el Norte" in report
    assert "the same" in hand.fine("replay", "one")
    code, out, _ = hand.deliver(ANN, north, "RULES B2\n")
    assert code == 0
    assert "B2 Una banda" in out


def test_a_name_that_the_house_has_stays_the_house_s(site, hand):
    announce(site, "pbem-false", "africa1860 = false_game:GAME")
    assert unplayable_lines() == (
        "africa1860, a game that the package pbem-false brings, cannot be played: pbem has a game africa1860 itself",
    )
    assert game_by_name("africa1860") is importlib.import_module("pbem.games.africa1860").GAME
    code, out, err = scenarios(hand)
    assert (code, err) == (0, f"{unplayable_lines()[0]}\n")
    assert "castillejos" in out


def test_of_two_packages_with_one_name_neither_is_played(site):
    install(site)
    install(site, "lantern", "other_game", "pbem-other")
    with pytest.raises(GameUnplayable) as wrong:
        game_by_name("lantern")
    assert str(wrong.value) == (
        "lantern, a game that the package pbem-lantern and pbem-other brings, cannot be played: "
        "the name is taken twice, by pbem-lantern and by pbem-other"
    )
    assert "lantern" not in games()


BROKEN = [
    ("    start=start,\n", "    begin=start,\n", "lantern_game cannot be imported: TypeError: Game.__init__() got"),
    (
        "from __future__ import annotations",
        "import nowhere",
        "cannot be imported: ModuleNotFoundError: No module",
    ),
    ('name="lantern"', 'name="torch"', "it calls itself 'torch'"),
    ("    canon=GRAMMAR.canon,\n", "", "missing 1 required keyword-only argument: 'canon'"),
    ("    def step(self, state", "    def stride(self, state", "it lacks rules.step"),
    ("        question=question,\n", "", "missing 1 required keyword-only argument: 'question'"),
]


@pytest.mark.parametrize(("was", "now", "why"), BROKEN)
def test_one_that_cannot_be_played_is_told_with_its_package_and_the_others_are_served(site, hand, was, now, why):
    change(install(site), was, now)
    code, out, err = scenarios(hand)
    assert (code, err.count("\n")) == (0, 1)
    assert err.startswith("lantern, a game that the package pbem-lantern brings, cannot be played: ")
    assert why in err
    assert "castillejos" in out
    assert "lantern" not in out
    code, out, output = hand("game", "new", "one", "--game", "lantern", "--scenario", "dusk")
    assert (code, out, output) == (2, "", f"pbem: {err}")
    assert hand("game", "new", "one", "--scenario", "drill")[0] == 0


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("lantern = no_such_game:GAME", "there is no module no_such_game"),
        ("lantern = pbem.engine.game.inside:GAME", "there is no module pbem.engine.game.inside"),
        ("Lantern! = json:loads", "a game's name is of a-z, 0-9 and _, and begins with a letter"),
        ("lantern = not a module", "'not a module' is no entry point: it reads MODULE:GAME"),
        ("lantern = json:loads", "it lacks name, title, rules, telling, edition"),
        ("lantern = json:nothing", "json cannot be imported: AttributeError"),
    ],
)
def test_entry_points_that_lead_nowhere_are_told(site, hand, line, why):
    announce(site, "pbem-lantern", line)
    code, out, err = scenarios(hand)
    assert code == 0
    assert re.fullmatch(
        rf"\S+, a game that the package pbem-lantern brings, cannot be played: .*{re.escape(why)}.*\n", err
    )
    assert "castillejos" in out


@pytest.mark.full
def test_a_game_whose_package_went_is_held_alone_and_waits_for_its_package(site, hand):
    folder = install(site)
    north = begun(hand)
    kept = (folder / "game.py").read_text("utf-8")
    change(folder, "GAME: Game[State, Edition] = Game(", "GAME = 1 / 0 or Game(")
    leave(site)
    assert hand("game", "new", "two", "--scenario", "drill", "--undo", "0")[0] == 0
    spain = hand.fine("seat", "invite", "two", "spain", ANN).strip()
    hand.fine("seat", "invite", "two", "morocco", BOB)
    hand.fine("game", "start", "two")
    code, _, err = hand.deliver(ANN, north, "ORDERS T1\nMARCH Owl TO Hill\nEND\n")
    assert code != 0
    assert "a letter is set aside" in err
    assert "lantern, a game that the package pbem-lantern brings, cannot be played: lantern_game cannot be" in err
    assert hand.deliver(ANN, spain, "ORDERS T1\nPASS\nEND\n")[0] == 0
    (folder / "game.py").write_text(kept, "utf-8")
    leave(site)
    assert hand.deliver(ANN, north, "ORDERS T1\nMARCH Owl TO Hill\nEND\n")[0] == 0


@pytest.mark.full
def test_a_game_whose_package_is_not_installed_any_more_is_told_of_and_stands_in_no_other_s_way(site, hand):
    install(site)
    north = begun(hand)
    assert hand.deliver(ANN, north, "ORDERS T1\nMARCH Owl TO Hill\nEND\n")[0] == 0
    shutil.rmtree(site / "pbem_lantern-1.0.dist-info")
    leave(site)
    for command in (("replay", "one"), ("game", "show", "one"), ("patch",), ("game", "rule", "one", "PREDICT")):
        code, _, err = hand(*command)
        assert (code, err) == (
            2,
            "pbem: no game lantern is installed here: if a package brought it, install that again\n",
        )
    _, output, _ = hand("doctor")
    assert re.search(r"^WRONG +games +no game lantern is installed here: .* It is played in one$", output, re.M), output
    hand.fine("game", "new", "two", "--scenario", "drill")
    hand.fine("seat", "invite", "two", "spain", ANN)
    hand.fine("seat", "invite", "two", "morocco", BOB)
    hand.fine("game", "start", "two")
    assert "\n# ACTIVATE " in hand.fine("mail", "read", ANN)


def test_a_game_is_pinned_to_package_and_version_and_goes_on_under_the_same_first_number(site, hand):
    install(site)
    north = begun(hand)
    upgrade(site, "1.0", "1.9.2")
    game: Any = game_by_name("lantern")
    assert game.edition("dusk", {}, {}).release == "pbem-lantern 1.9.2"
    assert hand.deliver(ANN, north, "ORDERS T1\nMARCH Owl TO Hill\nEND\n")[0] == 0
    assert "the same" in hand.fine("replay", "one")
    change(site / "lantern_game", '"moved", "B2", band=band, to=to', '"moved", "B2", band=band, to=to, slow=1')
    upgrade(site, "1.9.2", "1.10")
    code, _, err = hand("replay", "one")
    assert code == 1
    assert "T1.north~1 of one comes out otherwise (begun under pbem-lantern 1.0, here is pbem-lantern 1.10): " in err


def test_under_another_first_number_it_waits_for_its_own(site, hand):
    install(site)
    north = begun(hand)
    upgrade(site, "1.0", "2.0")
    code, _, err = hand.deliver(ANN, north, "ORDERS T1\nMARCH Owl TO Hill\nEND\n")
    assert code != 0
    assert "a game begun under pbem-lantern 1.0 cannot be played by pbem-lantern 2.0: install the former" in err
    upgrade(site, "2.0", "1.0")
    assert hand.deliver(ANN, north, "ORDERS T1\nMARCH Owl TO Hill\nEND\n")[0] == 0


@pytest.mark.parametrize(
    ("begun", "release", "goes_on"),
    [
        ("pbem-a 0.3.1", "pbem-a 0.3.9", True),
        ("pbem-a 0.3", "pbem-a 0.4", False),
        ("pbem-a 0.9", "pbem-a 1.0", False),
        ("pbem-a 3.1", "pbem-b 3.1", False),
        ("pbem-a 3.1", "", False),
        ("", "pbem-a 3.1", True),
    ],
)
def test_which_releases_go_on_with_a_game(site, begun, release, goes_on):
    install(site)
    game: Any = game_by_name("lantern")
    stored = game.edition("dusk", {}, {}).to_json()
    stored.pop("release")
    pinned = game.edition_from_json.__self__
    pinned.PRINTING = pinned.PRINTING._replace(release=release)
    edition = {**stored, **({"release": begun} if begun else {})}
    if goes_on:
        assert game.edition_from_json(edition).to_json() == edition
    else:
        with pytest.raises(ValueError, match="install the former"):
            game.edition_from_json(edition)


def test_what_another_release_finds_otherwise_is_not_checked_and_never_false(site):
    install(site)
    game: Any = game_by_name("lantern")
    edition = game.edition("dusk", {}, {})
    results = [RerunResult(True), RerunResult(False, "one T1: it rolls otherwise"), RerunResult(None, "sealed")]
    assert [*rerun.excuse_other_release(edition, iter(results))] == results
    game.brought_by("pbem-lantern", "1.1")
    true, other, unknown = rerun.excuse_other_release(edition, iter(results))
    assert (true, unknown) == (results[0], results[2])
    assert other.truth is None
    assert other.why == "one T1: it rolls otherwise: begun under pbem-lantern 1.0, here is pbem-lantern 1.1"


def test_the_doctor_names_what_packages_bring_and_what_of_it_cannot_be_played(site, hand):
    install(site)
    announce(site, "pbem-false", "africa1860 = false_game:GAME")
    _, output, _ = hand("doctor")
    assert re.search(r"^ok +games +lantern, by pbem-lantern 1.0$", output, re.M), output
    assert re.search(r"^mind +games +africa1860, a game that the package pbem-false brings, cannot be", output, re.M), (
        output
    )


def upgrade(site, was, now):
    """As an installer puts another version in the place of one."""
    (site / f"pbem_lantern-{was}.dist-info").rename(site / f"pbem_lantern-{now}.dist-info")
    metadata_file = site / f"pbem_lantern-{now}.dist-info" / "METADATA"
    metadata_file.write_text(metadata_file.read_text().replace(f"Version: {was}", f"Version: {now}"))
    leave(site)


def leave(site):
    """As if the program had ended and been begun again."""
    from tests.outside.stranger import forget

    for name in [name for name in sys.modules if name.partition(".")[0] == "lantern_game"]:
        del sys.modules[name]
    forget()


def test_a_whole_game_lacks_nothing_and_what_it_only_words_is_missing():
    assert missing(BEACON) == ()
    assert missing(game_by_name("africa1860")) == missing(game_by_name("peninsular")) == ()
    asked = {field.name for field in fields(Game) if field.default is field.default_factory is MISSING}
    assert {"name", "title", "rules", "telling", "parse", "check"} <= asked
    assert set(missing(OldGame())) == asked


def test_a_game_in_classes_as_1_0_had_it_is_made_into_the_record_with_a_warning():
    with pytest.warns(DeprecationWarning, match="toy is declared in classes: fill Game by keyword"):
        game = as_game(Toy())
    assert isinstance(game, Game)
    assert missing(game) == ()
    assert as_game(game) is game


@pytest.mark.parametrize("part", ["report", "question", "happenings"])
def test_of_a_game_in_classes_it_is_told_what_its_telling_lacks(part):
    toy: Any = Toy()
    members = {
        member: getattr(toy.telling, member) for member in ("report", "question", "happenings") if member != part
    }
    toy.telling = type("Silent", (OldTelling,), {name: staticmethod(value) for name, value in members.items()})()
    assert missing(toy) == (f"telling.{part}",)
