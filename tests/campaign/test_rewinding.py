"""Rulings that change what has happened: the position corrected, a phase resolved once more, a phase played again."""

import json
from unittest.mock import Mock

import pytest
from sqlmodel import select

from pbem.engine.data.messages import plain_english
from pbem.engine.run.steps import Did
from pbem.engine.terms import Phase
from pbem.play import adjudication, history
from pbem.play.replay import all_differences, replay
from pbem.play.rulings import moderator_letter, ruling_lines
from pbem.runtime.terms import ACTIVATION_PACE
from pbem.runtime.transaction import UserError
from pbem.store import queries, tables
from tests.harness import toygame
from tests.harness.game import ANN, BOB, CALM, PlayedGame
from tests.harness.letters import text_of

WHY = " BECAUSE it was read wrongly"


@pytest.fixture
def house(tmp_path):
    house = PlayedGame(tmp_path, undo_minutes=0, scenario="turns")
    yield house
    house.server.engine.dispose()


def rule(house, line):
    with house.server.work() as work:
        ruled = ruling_lines.make_ruling(work, "g1", ruling_lines.read_line(line + WHY))
    return [plain_english(sentence) for sentence in ruled.sentences]


def orders(house, seat, turn, *lines):
    outcome = house.write(seat, "\n".join([f"ORDERS T{turn}", *lines, "END", ""])).outcome
    house.tick()
    return outcome


def phases(house):
    return [
        (f"T{row.turn}.{row.name}~{row.attempt}", row.run, row.state, row.void_by)
        for row in sorted(house.all(tables.Phase), key=lambda row: row.number)
    ]


def units(house):
    with house.server.work() as work:
        (game,) = work.session.exec(select(tables.Game)).all()
        kept = queries.phases.latest_snapshot(work.session, "g1")
        assert kept is not None
        return {name: space for name, _, space in history.state_after(work, game, kept.number).units}


def reports(house):
    return {(row.recipient, row.kind): text_of(row) for row in house.sent()}


def replayed(house):
    with house.server.work() as work:
        return replay(work, "g1")


def a_turn(house):
    """North and south have moved; it is turn 2, north."""
    orders(house, "north", 1, "CREEP Ant TO s2")
    orders(house, "south", 1, "CREEP Dog TO s7")
    house.sent()


def otherwise(monkeypatch):
    """From now on who creeps goes a space farther."""
    step = toygame.Rules.step

    def farther(self, state, task):
        done = step(self, state, task)
        if task.name == "creep" and isinstance(done, Did):
            moved = [e._replace(data={**e.data, "to": e.data["to"] + 1}) if "to" in e.data else e for e in done.events]
            return Did(tuple(moved), done.then)
        return done

    monkeypatch.setattr(toygame.Rules, "step", farther)


# EDIT


DICE_OF_ITS_OWN = (
    "Nothing of the phase had been rolled. It is opened anew as attempt {attempt}, and each attempt has dice of its "
    "own: orders that still stand are rolled for with other dice than they would have had."
)


def test_a_correction_opens_the_phase_anew_and_is_replayed(house):
    a_turn(house)
    answer = rule(house, "EDIT UNIT Ant AT s4")
    assert answer[:3] == [
        "Ruling M1 of the moderator: EDIT",
        "The position that T2.north begins from is corrected; each of you is told what he can see of it.",
        DICE_OF_ITS_OWN.format(attempt=2),
    ]
    assert phases(house)[2:] == [("T2.north~1", 1, "void", 1), ("T2.north~2", 1, "open", None)]
    assert units(house)["Ant"] == 4
    report = reports(house)[ANN, "report"]
    assert "By ruling M1: EDIT." in report
    assert "#1 A counter was put elsewhere. [M1]" in report
    assert "T2.north is at attempt 2; what was before is void by ruling: M1." in report
    orders(house, "north", 2, "CREEP Ant TO s5")
    assert replayed(house) == (3, None)
    (ruling,) = house.all(tables.Ruling)
    assert ruling.line == "EDIT UNIT Ant AT s4"


def test_orders_that_stand_after_a_correction_are_rolled_for_with_other_dice(tmp_path):
    replays = []
    for name, corrected in (("plain", False), ("corrected", True)):
        (tmp_path / name).mkdir()
        house = PlayedGame(tmp_path / name)
        house.write("north", "\n".join(["ORDERS T1", *(f"MOVE Ant TO s{to}" for to in (2, 3, 4, 5, 6)), "END", ""]))
        if corrected:
            rule(house, "EDIT UNIT Dog AT s8")
            rule(house, "EDIT UNIT Dog AT s6")
        house.clock.forward(hours=2)
        house.tick()
        (row,) = (row for row in house.all(tables.Phase) if row.rolls)
        replays.append((json.loads(row.orders), [roll[0] for roll in json.loads(row.rolls)], row.rolls))
        house.server.engine.dispose()
    plain_dice, other = replays
    assert plain_dice[:2] == other[:2]
    assert plain_dice[2] != other[2]


def test_a_correction_keeps_the_deadline_and_orders_that_still_can_be(house):
    was = next(row for row in house.all(tables.Phase) if row.state == "open")
    house.write("north", "WAIT\nORDERS T1\nCREEP Bee TO s3\nEND\n")
    house.sent()
    rule(house, "EDIT UNIT Ant AT s9")
    now = next(row for row in house.all(tables.Phase) if row.state == "open")
    assert now.deadline == was.deadline
    assert "Your orders (revision 1) still stand; you may change them." in reports(house)[ANN, "report"]
    held = [row for row in house.all(tables.QueuedOrders) if row.phase_id == now.id]
    assert [(row.revision, row.text, row.state) for row in held] == [(1, "CREEP Bee TO s3\n", "queued")]
    assert [row.word for row in house.all(tables.Wish) if row.phase_id == now.id] == ["wait"]
    assert orders(house, "north", 1, "CREEP Bee TO s1") == "receipt"
    assert max(row.revision for row in house.all(tables.QueuedOrders)) == 2


def test_orders_kept_for_the_turn_still_stand_when_its_phase_is_opened_anew(tmp_path):
    house = PlayedGame(tmp_path, undo_minutes=30)
    house.write("north", "LATER T2\nCREEP Ant TO s3\nEND\n")
    house.write("north", "GO\nORDERS T1\nCREEP Ant TO s2\nEND\n")
    house.tick()
    house.write("south", "GO\nORDERS T1\nCREEP Dog TO s7\nEND\n")
    house.tick()
    house.sent()
    rule(house, "EDIT UNIT Cat AT s9")
    report = reports(house)[ANN, "report"]
    assert "Your orders (revision 1) still stand; you may change them." in report
    now = next(row for row in house.all(tables.Phase) if row.state == "open")
    held = [row for row in house.all(tables.QueuedOrders) if row.phase_id == now.id]
    assert [(row.text, row.origin) for row in held] == [("CREEP Ant TO s3\n", "later")]
    house.clock.forward(hours=1)
    house.tick()
    assert (units(house)["Ant"], replayed(house)) == (3, (3, None))
    house.server.engine.dispose()


def test_orders_that_cannot_be_any_more_come_back_with_the_reason(house):
    house.write("north", "WAIT\nORDERS T1\nCREEP Ant TO s2\nEND\n")
    house.sent()
    rule(house, "EDIT UNIT Ant AT s9")
    report = reports(house)[ANN, "report"]
    assert "Your orders (revision 1) cannot be any more and are void; you find them below." in report
    assert "Your orders for T1.north, which are void:\nCREEP Ant TO s2" in report
    assert "CREEP Ant TO s2: Ant moves one space at a time. [T1]" in report
    house.clock.set(next(row for row in house.all(tables.Phase) if row.state == "open").deadline)
    house.tick()
    assert units(house)["Ant"] == 9


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("EDIT UNIT Ant AT nowhere", "nowhere: AT of Ant: that is no space"),
        ("EDIT UNIT Eel AT s3", "Eel: There is no such UNIT in play."),
        ("EDIT UNIT Ant", "Ant: Say what is to be corrected: AT"),
        ("EDIT UNIT Ant SIZE 3", "SIZE: SIZE cannot be corrected; of a UNIT there are: AT."),
        ("EDIT UNIT Ant AT s1", "Ant: Ant is so already; nothing would change."),
        ("EDIT UNIT Ant AT s0", "The position would be wrong after it: Ant is at s0"),
        ("EDIT", "A correction reads EDIT UNIT NAME AT VALUE ...; several are parted by semicolons."),
    ],
)
def test_what_cannot_be_corrected_is_refused_and_changes_nothing(house, line, why):
    with pytest.raises(UserError) as wrong:
        rule(house, line)
    assert why in str(wrong.value)
    assert house.all(tables.Basis) == house.all(tables.Ruling) == []
    assert phases(house) == [("T1.north~1", 1, "open", None)]


def test_a_game_without_corrections_says_so(tmp_path):
    house = PlayedGame(tmp_path, game="beacon", scenario="dusk")
    with pytest.raises(UserError, match="cannot be corrected; READJUDICATE and REOPEN can be"):
        rule(house, "EDIT UNIT Owl AT Hill")
    house.server.engine.dispose()


def asking(house):
    """South is asked in the middle of north's phase."""
    house.write("south", "STANDING FOR Cat\nASK\nFLEE\nENDSTANDING\n")
    orders(house, "north", 1, "CREEP Bee TO s3", "CREEP Bee TO s4", "CREEP Bee TO s5")
    assert phases(house) == [("T1.north~1", 1, "closed", None)]
    house.sent()


def test_nothing_is_corrected_while_a_phase_waits_for_answers(house):
    asking(house)
    with pytest.raises(
        UserError, match=r"T1.north is closed and goes on: correct the position after it, or REOPEN T1.north"
    ):
        rule(house, "EDIT UNIT Ant AT s4")


# READJUDICATE


def test_a_phase_is_resolved_once_more_by_other_rules_and_play_goes_on_behind_it(house, monkeypatch):
    a_turn(house)
    otherwise(monkeypatch)
    resolve = Mock(wraps=adjudication.resolve)
    monkeypatch.setattr(adjudication, "resolve", resolve)
    answer = rule(house, "READJUDICATE T1.north")
    assert [call.args[0].phase for call in resolve.call_args_list] == [Phase(1, "north")]
    assert answer[1:4] == [
        "T1.north is resolved once more, from the same closed orders and with the same dice.",
        "Void, and kept: T1.south, T2.north.",
        "Each of you gets a report, and is told in it what becomes of his orders.",
    ]
    assert phases(house) == [
        ("T1.north~1", 1, "void", 1),
        ("T1.south~1", 1, "void", 1),
        ("T2.north~1", 1, "void", 1),
        ("T1.north~1", 2, "resolved", None),
        ("T1.south~2", 1, "open", None),
    ]
    assert (units(house)["Ant"], units(house)["Dog"]) == (3, 6)
    letters = reports(house)
    assert "What comes out otherwise in T1.north:\nIt was:\n  #1 A counter moved. [T1]" in letters[BOB, "report"]
    assert "Your orders for T1.south, which are void:\nCREEP Dog TO s7" in letters[BOB, "report"]
    assert "which are void" not in letters[ANN, "report"]
    assert "T1.south is at attempt 2; what was before is void by ruling: M1." in letters[ANN, "report"]
    orders(house, "south", 1, "CREEP Dog TO s7")
    assert replayed(house) == (2, None)


def test_the_dice_of_a_phase_resolved_once_more_are_the_same(house):
    orders(house, "north", 1, "MOVE Ant TO s2", "MOVE Bee TO s3")
    before = [row for row in house.all(tables.Phase) if row.state == "resolved"]
    rule(house, "EDIT UNIT Dog AT s9")
    rule(house, "READJUDICATE T1.north")
    (after,) = [row for row in house.all(tables.Phase) if row.state == "resolved"]
    assert (after.slate, after.rolls, after.orders) == (before[0].slate, before[0].rolls, before[0].orders)
    assert units(house)["Dog"] == 9
    assert replayed(house) == (1, None)


def test_corrections_since_hold_from_before_the_phase_unless_left_out(house):
    a_turn(house)
    rule(house, "EDIT UNIT Dog AT s9")
    rule(house, "EDIT UNIT Bee AT s7")
    answer = rule(house, "READJUDICATE T1.north WITHOUT M1")
    assert "Corrections hold from before it on: M2." in answer
    assert "Corrections that hold no longer: M1." in answer
    assert (units(house)["Dog"], units(house)["Bee"]) == (6, 7)
    (basis,) = [row for row in house.all(tables.Basis) if row.ruling == 3]
    assert [happened["cite"] for happened in json.loads(basis.events)] == ["M2"]
    assert replayed(house) == (1, None)


def test_a_correction_that_cannot_be_made_there_is_named(house, monkeypatch):
    a_turn(house)
    rule(house, "EDIT UNIT Dog AT s6")
    with pytest.raises(UserError, match=r"M1 cannot be made before the phase: .* Leave it out: WITHOUT M1"):
        rule(house, "READJUDICATE T1.north")
    with pytest.raises(UserError, match=r"M7 corrected nothing since T1.north; that did: M1"):
        rule(house, "READJUDICATE T1.north WITHOUT M7")


def test_what_comes_out_as_it_did_is_left_alone(house):
    a_turn(house)
    with pytest.raises(UserError, match=r"T1.north comes out as it did; nothing is changed"):
        rule(house, "READJUDICATE T1.north")
    assert house.all(tables.Ruling) == []


def test_answers_by_letter_are_not_asked_for_again(house, monkeypatch):
    asking(house)
    house.write("south", "1B\n")
    house.tick()
    fled = units(house)
    house.sent()
    rule(house, "EDIT UNIT Ant AT s9")
    rule(house, "READJUDICATE T1.north")
    assert units(house) == {**fled, "Ant": 9}
    assert replayed(house) == (1, None)
    otherwise(monkeypatch)
    with house.server.work() as work:
        assert [difference.phase for difference in all_differences(work, "g1")] == ["T1.north~1"]
    rule(house, "READJUDICATE T1.north")
    assert replayed(house) == (1, None)


def test_letters_carried_out_one_by_one_are_resolved_once_more(tmp_path):
    house = PlayedGame(tmp_path, terms=CALM._replace(pace=ACTIVATION_PACE), undo_minutes=0)
    orders(house, "north", 1, "MOVE Ant TO s2")
    with pytest.raises(UserError, match=r"Letters of T1.north are carried out already"):
        rule(house, "EDIT UNIT Dog AT s9")
    orders(house, "north", 1, "MOVE Bee TO s3")
    house.write("north", "DONE\n")
    house.tick()
    rule(house, "EDIT UNIT Dog AT s9")
    rule(house, "READJUDICATE T1.north")
    assert (units(house)["Dog"], replayed(house)) == (9, (1, None))
    orders(house, "south", 1, "MOVE Cat TO s6")
    rule(house, "REOPEN T1.south")
    assert phases(house)[-2:] == [("T1.south~3", 1, "void", 3), ("T1.south~4", 1, "open", None)]
    assert units(house)["Cat"] == 5
    orders(house, "south", 1, "MOVE Cat TO s6")
    house.write("south", "DONE\n")
    house.tick()
    assert replayed(house) == (2, None)
    house.server.engine.dispose()


# REOPEN


def test_players_write_again_and_the_dice_are_others(house):
    lines = [f"MOVE Ant TO s{to}" for to in (2, 3, 4, 5, 6)]
    orders(house, "north", 1, *lines)
    orders(house, "south", 1, "PASS")
    house.sent()
    answer = rule(house, "REOPEN T1.north")
    assert answer[1] == "T1.north is played again, attempt 2: with new orders, a new deadline and new dice."
    report = reports(house)[ANN, "report"]
    assert "Your orders for T1.north, which are void:\nMOVE Ant TO s2" in report
    assert "T1.north is at attempt 2; what was before is void by ruling: M1." in report
    orders(house, "north", 1, *lines)
    first, again = (row for row in house.all(tables.Phase) if row.rolls and row.name == "north")
    assert json.loads(first.orders) == json.loads(again.orders)
    assert first.slate.replace("~1", "~2").split("\nstate")[0] == again.slate.split("\nstate")[0]
    assert [roll[0] for roll in json.loads(first.rolls)] == [roll[0] for roll in json.loads(again.rolls)]
    assert first.rolls != again.rolls
    assert house.game().scheme == "pbemdice/v1"
    assert replayed(house) == (1, None)
    assert "T1.north is at attempt 2" in reports(house)[BOB, "report"]


def test_a_phase_that_waits_for_answers_is_reopened_and_the_question_dropped(house):
    asking(house)
    answer = rule(house, "REOPEN T1.north")
    assert "What was asked by letter is dropped." in answer
    assert [row.state for row in house.all(tables.Segment)] == ["closed"]
    house.sent()
    house.write("south", "1A\n")
    assert "You are not asked anything now." in house.answer()
    asking_again = orders(house, "north", 1, "CREEP Bee TO s3", "CREEP Bee TO s4", "CREEP Bee TO s5")
    assert asking_again == "receipt"
    house.write("south", "1A\n")
    house.tick()
    assert replayed(house) == (1, None)


def test_who_was_asked_in_a_void_attempt_can_be_asked_as_often_again(tmp_path):
    house = PlayedGame(tmp_path, terms=CALM._replace(asks=1), undo_minutes=0)
    asking(house)
    rule(house, "REOPEN T1.north")
    orders(house, "north", 1, "CREEP Bee TO s3", "CREEP Bee TO s4", "CREEP Bee TO s5")
    assert phases(house)[-1] == ("T1.north~2", 1, "closed", None)
    house.server.engine.dispose()


def test_an_open_phase_is_open(house):
    with pytest.raises(UserError, match=r"T1.north is open: its players may write until its deadline"):
        rule(house, "REOPEN T1.north")
    with pytest.raises(UserError, match=r"Name the phase, as in REOPEN T3.spain; there are: T1.north"):
        rule(house, "REOPEN T9.south")


def test_a_void_attempt_is_not_reopened_and_a_held_game_goes_on(house):
    a_turn(house)
    rule(house, "HOLD")
    rule(house, "REOPEN T1.south")
    assert house.game().state == "running"
    assert any(due.kind == "close" for due in house.all(tables.Due))
    with pytest.raises(UserError, match=r"T1.south~1 is void already; there are: T1.north, T1.south~2"):
        rule(house, "READJUDICATE T1.south~1")


def test_a_game_that_is_over_stays_over(house):
    a_turn(house)
    rule(house, "ADJUDICATE Red wins")
    for word in ("READJUDICATE", "REOPEN"):
        with pytest.raises(UserError, match="is not being played"):
            rule(house, f"{word} T1.north")


# What is kept and told


def test_reports_events_and_orders_of_void_attempts_are_kept_and_listed(house):
    a_turn(house)
    with house.server.session() as session:
        events = {row.id: row.body for row in session.exec(select(tables.Event)).all()}
    rule(house, "REOPEN T1.north")
    orders(house, "north", 1, "CREEP Bee TO s3")
    house.sent()
    with house.server.session() as session:
        assert events.items() <= {row.id: row.body for row in session.exec(select(tables.Event)).all()}.items()
        text = moderator_letter.export_game(session, "g1")
    assert [(phase["phase"], phase["void"]) for phase in text["phases"]] == [
        ("T1.north~1", "M1"),
        ("T1.south~1", "M1"),
        ("T1.north~2", None),
    ]
    house.write("south", "STATUS; HISTORY T1; RESEND T1")
    again = {row.kind for row in house.sent()}
    assert again == {"status", "report"}
    house.write("south", "STATUS; HISTORY T1")
    answer = house.answer()
    assert "T1.south is at attempt 2; what was before is void by ruling: M1." in answer
    assert "T1.north~1: void by ruling M1" in answer


def test_a_map_and_a_history_of_before_show_what_holds(house):
    a_turn(house)
    rule(house, "EDIT UNIT Ant AT s4")
    house.sent()
    house.write("north", "MAP T2; HISTORY T1-T2")
    answer = house.answer()
    assert "s4 Ant" in answer
    assert "What is corrected by ruling M1:\n#1 A counter was put elsewhere. [M1]" in answer


def test_states_between_are_found_without_their_snapshots(house):
    a_turn(house)
    rule(house, "EDIT UNIT Ant AT s4")
    orders(house, "north", 2, "CREEP Ant TO s5")
    rule(house, "REOPEN T2.north")
    orders(house, "north", 2, "CREEP Ant TO s3")
    now = units(house)
    with house.server.work() as work:
        kept = queries.phases.latest_snapshot(work.session, "g1")
        assert kept is not None
        for row in work.session.exec(select(tables.Snapshot).where(tables.Snapshot.number > 0)).all():
            work.session.delete(row)
        work.session.flush()
        state = history.state_after(work, work.session.get_one(tables.Game, "g1"), kept.number)
        assert {name: space for name, _, space in state.units} == now
        work.session.rollback()
