"""Full mode: the rules run again over what letters open, by who has nothing but the letters."""

import pytest

from pbem.audit import bundle
from pbem.cli.letter_checks import Rulebooks, verify_items
from pbem.engine.data.events import event
from pbem.engine.run.steps import Ask, Did, Window
from pbem.play.rulings import ruling_lines
from pbem.runtime.terms import ACTIVATION_PACE, Terms
from pbem.verifier.mailbox import LetterToCheck as Item
from pbem.verifier.record import FALSE, NOT_CHECKED, OK
from tests.audit.checked import QUICK, items, reader, verify
from tests.campaign.test_beacons import Waiting, out, shut
from tests.campaign.test_disclosing import asked, conceded, disclosure
from tests.campaign.test_recorded import ASK, Recorded, acts, both_ways
from tests.harness import toygame
from tests.harness.game import ANN, BOB
from tests.harness.server import SECRETS, make_once


@pytest.fixture
def house(tmp_path):
    house = make_once(tmp_path, Recorded)
    yield house
    house.server.engine.dispose()


def kept(house, *who):
    """Everything that these players have in their mailboxes."""
    return [
        item
        for who_got in who
        for index, raw in enumerate(house.kept[who_got])
        for item in items(f"{who_got}{index}", raw)
    ]


def full(items_given):
    """What full mode says of letters of the toy."""
    return verify_items(items_given, reader(), QUICK, Rulebooks(toygame.registry, ("toy",))).lines[-1]


def test_a_game_that_is_over_is_run_again_from_one_letter(house):
    both_ways(house, ["CREEP Bee TO s3"], ["MOVE Dog TO s7"])
    conceded(house)
    line = full([Item("alone", None, bundle.write(disclosure(house)))])
    assert (line.status, line.why) == (OK, ())
    # Two phases: the rolls, what happened and the position after each; and where they and the third begin.
    assert line.held == 2 * 3 + 3


def test_the_letters_of_one_seat_are_enough_when_it_is_over(house):
    asked(house)
    conceded(house)
    for who in (ANN, BOB):
        assert full(kept(house, who)).status == OK


def test_what_is_hidden_is_run_again_when_it_is_disclosed(tmp_path):
    house = Recorded(tmp_path, options={"secret": ""})
    both_ways(house, ["CREEP Bee TO s3"], ["MOVE Dog TO s7"])
    early = full(kept(house, ANN, BOB))
    assert (early.status, early.held) == (NOT_CHECKED, 0)
    assert early.why == ("g1: the rules and charts it is played by are in no letter here, and none of ours",)
    conceded(house)
    assert full(kept(house, BOB)).status == OK
    house.server.engine.dispose()


def test_a_game_of_single_letters_is_run_again(tmp_path):
    house = Recorded(tmp_path, terms=Terms(reminder_hours=0, pace=ACTIVATION_PACE))
    for where in ("s3", "s4"):
        house.orders("north", 1, f"CREEP Bee TO {where}")
        house.tick()
    house.write("north", "DONE\n")
    house.sent()
    house.tick()
    conceded(house)
    line = full([Item("alone", None, bundle.write(disclosure(house)))])
    assert (line.status, line.why) == (OK, ())
    house.server.engine.dispose()


def test_while_it_goes_on_ones_own_dice_can_be_compared(house):
    both_ways(house, ["MOVE Ant TO s2"], ["MOVE Dog TO s7"])
    line = full(kept(house, ANN))
    assert line.status == NOT_CHECKED
    assert line.held == 2  # the dice of both phases: by now the report opens what the other was played by


def test_both_players_together_can_compare_all_dice(house):
    both_ways(house, ["MOVE Ant TO s2"], ["MOVE Dog TO s7"])
    line = full(kept(house, ANN, BOB))
    assert (line.status, line.held) == (NOT_CHECKED, 2)
    assert all("is sealed until the game is over" in why for why in line.why)


def test_what_is_only_supposed_proves_nothing(house):
    """South's standing orders are in force, and north does not know of them."""
    house.write("south", "STANDING FOR Cat\nFLEE\nENDSTANDING\n")
    house.sent()
    both_ways(house, ["CREEP Bee TO s3", "CREEP Bee TO s4", "CREEP Bee TO s5"], ["MOVE Dog TO s7"])
    line = full(kept(house, ANN))
    # Of north's own phase nothing; of south's the one die, of an order that its report opens.
    assert (line.status, line.held) == (NOT_CHECKED, 1)
    assert full(kept(house, ANN)[:-1]).held == 0
    assert full(kept(house, ANN, BOB)).held == 2
    conceded(house)
    assert full(kept(house, ANN)).status == OK


@pytest.mark.parametrize("fails", ["apply", "decode"])
def test_a_fault_of_the_checking_program_is_no_finding(house, monkeypatch, fails):
    both_ways(house, ["CREEP Bee TO s3"], ["MOVE Dog TO s7"])
    conceded(house)
    letters = [Item("alone", None, bundle.write(disclosure(house)))]

    def broken(*given):
        raise IndexError("a bug of this machine")

    monkeypatch.setattr(toygame.Rules if fails == "apply" else toygame.Toy, fails, broken)
    line = full(letters)
    assert line.status == NOT_CHECKED
    assert any("IndexError: a bug of this machine" in why for why in line.why)


@pytest.fixture
def crooked(monkeypatch):
    """A server that plays by other rules than it says: who moves goes one space further than he was told to."""
    honest = toygame.Rules.apply

    def apply(self, state, happened):
        after = honest(self, state, happened)
        if happened.kind != "moved":
            return after
        return self._put(after, happened.data["unit"], happened.data["to"] + 1)

    monkeypatch.setattr(toygame.Rules, "apply", apply)
    return monkeypatch.undo


def test_a_position_that_does_not_follow_is_found(crooked, house):
    both_ways(house, ["CREEP Bee TO s3"], ["CREEP Dog TO s7"])
    conceded(house)
    crooked()
    line = full([Item("alone", None, bundle.write(disclosure(house)))])
    assert line.status == FALSE
    assert "g1 T1.north~1: its end is not as logged" in line.why
    assert "g1 T1.south~1: it does not begin where it must" in line.why


def test_a_happening_that_does_not_follow_is_found(monkeypatch, house):
    """Every die is as it must be, and what it did is not."""
    honest = toygame.Rules.step

    def step(self, state, task):
        out = honest(self, state, task)
        if isinstance(out, Did) and any(event.kind == "moved" for event in out.events):
            return Did((event("stuck", "T2", unit=task.args[0], die=1),))
        return out

    with monkeypatch.context() as lying:
        lying.setattr(toygame.Rules, "step", step)
        both_ways(house, ["MOVE Bee TO s3"], ["MOVE Dog TO s7"])
        conceded(house)
    line = full([Item("alone", None, bundle.write(disclosure(house)))])
    assert line.status == FALSE
    assert any(why.endswith("what happened is not as logged") for why in line.why)


def test_a_roll_too_many_is_found(monkeypatch, house):
    honest = toygame.Rules.step

    def step(self, state, task):
        return honest(self, state, task._replace(name="move") if task.name == "creep" else task)

    with monkeypatch.context() as lying:
        lying.setattr(toygame.Rules, "step", step)
        both_ways(house, ["CREEP Bee TO s3"], ["CREEP Dog TO s7"])
        conceded(house)
    line = full([Item("alone", None, bundle.write(disclosure(house)))])
    assert line.status == FALSE
    assert "g1 T1.north~1: the rules roll otherwise than was listed" in line.why


def test_a_phase_left_off_where_the_rules_ask_nothing_is_found(monkeypatch, tmp_path):
    """Who does not like a die asks a friend something before it: the rest is rolled by what comes out later."""
    house, honest = Recorded(tmp_path), toygame.Rules.step
    house.write("south", ASK.format(unit="Dog"))
    house.sent()

    def step(self, state, task):
        if task.name == "move" and not task.got:
            return Ask(Window("Bee>s3", "meet", "south", "Dog", ("STAND", "FLEE")))
        return honest(self, state, task._replace(got=task.got[1:]) if task.name == "move" else task)

    with monkeypatch.context() as lying:
        lying.setattr(toygame.Rules, "step", step)
        house.orders("north", 1, "MOVE Bee TO s3")
        house.tick()
        house.write("south", "1A\n")
        house.sent()
        house.tick()
        assert acts(house).count("close") == 2
        conceded(house)
    outcome = verify_items([Item("alone", None, bundle.write(disclosure(house)))], reader(), QUICK)
    (phase,) = outcome.phases
    assert phase.grade == "C"
    assert ("it was left off when its first dice were known: that the rules ask there, full mode says", ()) in (
        phase.worth.why
    )
    line = full([Item("alone", None, bundle.write(disclosure(house)))])
    assert line.status == FALSE
    assert "g1 T1.north~1: the rules roll otherwise than was listed" in line.why
    house.server.engine.dispose()


def test_a_first_position_that_was_tried_is_found(monkeypatch, tmp_path):
    """What a position is sealed into goes into the dice: another one is another roll."""
    with monkeypatch.context() as lying:
        lying.setattr(toygame, "START", toygame.START[::-1])
        house = Recorded(tmp_path, options={"turns": "7"})  # no other test begins this game, and is given it begun
        both_ways(house, ["CREEP Bee TO s3"], ["MOVE Dog TO s7"])
        conceded(house)
    line = full([Item("alone", None, bundle.write(disclosure(house)))])
    assert line.status == FALSE
    assert any(why.endswith("it does not begin where it must") for why in line.why)
    house.server.engine.dispose()


def ruled(house, line):
    with house.server.work() as work:
        order = ruling_lines.read_line(f"{line} BECAUSE it was read wrongly")
        ruling_lines.make_ruling(work, "g1", order)
    house.sent()


def over(house):
    """What full mode and the other checks say when the game has been given up."""
    conceded(house)
    items_alone = [Item("alone", None, bundle.write(disclosure(house)))]
    assert {line.check for line in verify(items_alone, pin=SECRETS.log).lines if line.status != OK} <= {
        "labels",
        "attempts",
    }
    return full(items_alone)


def test_a_correction_is_made_again_when_its_words_are_opened(house):
    """Before that it is not, since nobody is told where the phase begins."""
    both_ways(house, ["MOVE Ant TO s2"], ["MOVE Dog TO s7"])
    ruled(house, "EDIT UNIT Ant AT s4")
    house.orders("north", 2, "MOVE Ant TO s5")
    house.tick()
    early = full(kept(house, ANN, BOB))
    assert early.status == NOT_CHECKED
    unknown = "where it began, or what was closed, is in no letter here or still sealed"
    assert f"g1 T2.north~2: {unknown}" in early.why
    line = over(house)
    assert (line.status, line.why) == (OK, ())


def test_another_correction_than_was_ruled_is_found(monkeypatch, house):
    both_ways(house, ["MOVE Ant TO s2"], ["MOVE Dog TO s7"])
    honest = toygame.Editing.edit
    with monkeypatch.context() as lying:
        lying.setattr(toygame.Editing, "edit", lambda self, state, text: honest(self, state, text.replace("s4", "s3")))
        ruled(house, "EDIT UNIT Ant AT s4")
    line = over(house)
    assert (line.status, line.why) == (FALSE, ("g1 T2.north~2: it does not begin where it must",))


def test_a_phase_that_was_played_again(house):
    both_ways(house, ["MOVE Ant TO s2"], ["MOVE Dog TO s7"])
    ruled(house, "REOPEN T1.north")
    both_ways(house, ["MOVE Bee TO s3"], ["MOVE Dog TO s8"])
    line = over(house)
    assert (line.status, line.why) == (OK, ())


def farther(self, state, task):
    """Other rules: who creeps goes a space farther."""
    done = STEP(self, state, task)
    if task.name != "creep" or not isinstance(done, Did):
        return done
    return Did(tuple(event._replace(data={**event.data, "to": event.data["to"] + 1}) for event in done.events))


STEP = toygame.Rules.step


def test_a_phase_that_was_resolved_once_more_accuses_nobody(monkeypatch, house):
    """The rules were wrong, and were mended: what they gave at first is what was logged."""
    with monkeypatch.context() as wrong:
        wrong.setattr(toygame.Rules, "step", farther)
        both_ways(house, ["CREEP Bee TO s3"], ["MOVE Dog TO s7"])
    ruled(house, "READJUDICATE T1.north")
    house.orders("south", 1, "MOVE Dog TO s8")
    house.tick()
    line = over(house)
    assert line.status == NOT_CHECKED
    assert line.why == tuple(
        f"g1 T1.north~1: ruling M1 had it resolved once more; before that {what} is not as logged"
        for what in ("what happened", "its end")
    )


def test_a_correction_held_from_before_a_phase(house):
    both_ways(house, ["CREEP Bee TO s3"], ["MOVE Dog TO s7"])
    ruled(house, "EDIT UNIT Ant AT s4")
    ruled(house, "READJUDICATE T1.south")
    line = over(house)
    assert (line.status, line.why) == (OK, ())


def test_dice_of_a_beacon_are_run_again(tmp_path):
    house = make_once(tmp_path, Waiting)
    shut(house, "north", 1, 123, "MOVE Bee TO s3")
    out(house, 123)
    conceded(house)
    assert full(kept(house, ANN)).status == OK
    house.server.engine.dispose()


def test_without_the_keys_nothing_can_be_run(house):
    both_ways(house, ["MOVE Ant TO s2"], ["MOVE Dog TO s7"])
    line = full(kept(house, ANN)[1:2])
    assert (line.status, line.held) == (NOT_CHECKED, 0)
    assert full([]).status == NOT_CHECKED
