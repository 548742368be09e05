"""LATER T5 ... END and lines with @: kept, secret, the orders of their turn when it opens, nothing of them lost."""

from datetime import timedelta

import pytest
from sqlmodel import select

from pbem.play.adjudication import closed_orders_from_json
from pbem.play.commands.orders import later
from pbem.play.replay import replay
from pbem.play.rulings import ruling_lines
from pbem.runtime.terms import ACTIVATION_PACE, Terms
from pbem.store import tables
from tests.harness.game import CALM, PlayedGame
from tests.harness.letters import text_of

pytestmark = pytest.mark.usefixtures("stuck")

PASS = "ORDERS T{}\nPASS\nEND\n"


@pytest.fixture
def house(tmp_path):
    house = PlayedGame(tmp_path, terms=CALM)
    yield house
    house.server.engine.dispose()


def closed(house):
    """What each seat's orders were in the phases that are behind us: the revision and the text."""
    rows = sorted(house.all(tables.Phase), key=lambda row: row.number)
    return [
        {seat: closed_orders[:2] for seat, closed_orders in closed_orders_from_json(row.orders).items()}
        for row in rows
        if row.orders
    ]


def sets(house):
    return [(row.origin, row.revision, row.state, row.waits, row.text) for row in house.all(tables.QueuedOrders)]


def new_letters(house):
    """Who was written to since the last call, and what."""
    with house.server.session() as session:
        names = {row.id: row.name for row in session.exec(select(tables.Seat))}
    return {(names.get(row.seat_id, ""), row.kind): text_of(row) for row in house.sent()}


def seat(house, name):
    (row,) = [row for row in house.all(tables.Seat) if row.name == name]
    return row


def repeats(house):
    return [row.repeats for row in house.all(tables.Seat) if row.repeats]


def send(house, who, text):
    house.write(who, text)
    return house.answer()


def go_on(house, **much):
    house.clock.forward(**(much or {"minutes": 30}))
    house.tick()
    return new_letters(house)


def replays(house):
    with house.server.work() as work:
        return replay(work, "g1").difference


def test_orders_kept_for_a_turn_are_its_orders_when_it_opens_and_count_as_sent(house):
    mail_text = send(house, "north", PASS.format(1) + "LATER T2\nMOVE Ant TO s2\nEND\n")
    assert "Your orders for turn 2 are kept; nobody else hears of them." in mail_text
    assert "LATER T2\nMOVE Ant TO s2\nEND" in mail_text
    go_on(house)
    send(house, "south", PASS.format(1))
    letters = go_on(house)
    report = letters["north", "report"]
    assert "those that you kept for it with LATER (revision 1)." in report
    assert "Send your orders by" not in report
    assert "You may change yours until" in report
    assert "\nMOVE Ant TO s2\n# MOVE Ant TO s2" in report, "the form is filled in with them"
    assert "All orders are in and will be carried out on" in letters["south", "report"]
    assert "MOVE Ant" not in letters["south", "report"]
    assert house.all(tables.Later) == []
    go_on(house)
    assert closed(house)[2]["north"] == (1, "MOVE Ant TO s2\n")
    assert (seat(house, "north").strikes, seat(house, "north").spent) == (0, 0)
    assert replays(house) is None


def test_nobody_else_learns_of_what_is_kept(tmp_path):
    seen: list[list[str]] = []
    for text in (PASS.format(1), PASS.format(1) + "LATER T2\nMOVE Ant TO s2\nEND\n"):
        folder = tmp_path / str(len(seen))
        folder.mkdir()
        house = PlayedGame(folder, terms=CALM)
        send(house, "north", text)
        letters = [text_of(row) for row in _until_turn_two(house) if row.recipient.startswith("bob")]
        seen.append(letters)
        house.server.engine.dispose()
    assert seen[0]
    assert seen[0] == seen[1]


def _until_turn_two(house):
    """All letters until the first phase of turn 2 is about to open, questions of the other side among them."""
    house.clock.forward(minutes=30)
    house.tick()
    house.write("south", "STATUS")
    house.write("south", "HISTORY T1")
    house.write("south", PASS.format(1))
    return house.sent()


def test_a_later_letter_replaces_an_earlier_one_and_not_the_reverse(house):
    written = house.clock.now()
    send(house, "north", "LATER T2\nMOVE Ant TO s2\nEND\n")
    house.clock.forward(minutes=5)
    assert "They replace those" in send(house, "north", "LATER T2\nMOVE Bee TO s3\nEND\n")
    old = "LATER T2\nCREEP Bee TO s3\nEND\n"
    house.write("north", old, Date=written + timedelta(minutes=1))
    assert "This letter was written before the orders that I keep for turn 2" in house.answer()
    assert [row.text for row in house.all(tables.Later)] == ["MOVE Bee TO s3\n"]
    house.write("north", "REPLACE\n" + old, Date=written + timedelta(minutes=1))
    assert [row.text for row in house.all(tables.Later)] == ["CREEP Bee TO s3\n"]


def test_a_mistake_in_one_block_keeps_the_whole_letter_out(house):
    mail_text = send(house, "north", PASS.format(1) + "LATER T2\nMOVE Xyz TO s2\nEND\n")
    assert "line 5: MOVE Xyz TO s2" in mail_text
    assert mail_text.count("with what I could fix") == 2
    assert (house.all(tables.QueuedOrders), house.all(tables.Later)) == ([], [])


def test_lines_that_have_become_impossible_are_told_and_tried_and_cost_no_deadline(house):
    send(house, "north", PASS.format(1) + "LATER T2\nMOVE Ant TO s4\nMOVE Bee TO s3\nEND\n")
    go_on(house)
    send(house, "south", PASS.format(1))
    report = go_on(house)["north", "report"]
    assert "Send your orders by" in report
    assert "Line 1, MOVE Ant TO s4: as things stand it cannot be carried out: Ant moves one space" in report
    assert "The phase waits for you until" in report
    go_on(house)
    assert len(closed(house)) == 2, "it does not close before its deadline"
    mail_text = send(house, "north", "STATUS")
    assert "Waiting for orders from: north" in mail_text
    assert "GO leaves it at them." in mail_text
    letters = go_on(house, days=3)
    assert "deadline" not in letters["north", "report"]
    assert closed(house)[2]["north"] == (1, "MOVE Ant TO s4\nMOVE Bee TO s3\n")
    assert (seat(house, "north").strikes, seat(house, "north").missed) == (0, 0)
    assert replays(house) is None


def test_go_takes_them_as_they_are(house):
    send(house, "north", PASS.format(1) + "LATER T2\nMOVE Ant TO s4\nEND\n")
    go_on(house)
    send(house, "south", PASS.format(1))
    go_on(house)
    assert "The orders that I hold are yours for this turn (revision 1)." in send(house, "north", "GO")
    house.tick()
    assert len(closed(house)) == 3


def test_orders_that_cannot_be_read_any_more_are_shown_and_do_not_count(house):
    send(house, "north", PASS.format(1) + "LATER T2\nMOVE Ant TO s2\nEND\n")
    go_on(house)
    with house.server.session() as session:
        session.exec(select(tables.Later)).one().text = "MOVE Ant TO s2\nMOVE Gone TO s3\n"
    send(house, "south", PASS.format(1))
    report = go_on(house)["north", "report"]
    assert "cannot be read any more, and none of them count." in report
    assert "Line 2, MOVE Gone TO s3: as things stand it cannot be carried out: There is no counter Gone." in report
    assert "ORDERS T2\nMOVE Ant TO s2\nMOVE Gone TO s3\nEND" in report
    assert [row for row in sets(house) if row[0] == "later"] == []
    letters = go_on(house, days=3)
    assert "You sent no orders by the deadline" in letters["north", "report"]


def test_a_letter_of_the_turn_replaces_them_and_cancel_takes_them_back(house):
    send(house, "north", PASS.format(1) + "LATER T2\nMOVE Ant TO s2\nEND\n")
    go_on(house)
    send(house, "south", PASS.format(1))
    go_on(house)
    assert "They replace revision 1." in send(house, "north", "ORDERS T2\nMOVE Bee TO s3\nEND\n")
    assert "(revision 2) are cancelled" in send(house, "north", "CANCEL")
    assert [row[1:3] for row in sets(house)[-2:]] == [(1, "replaced"), (2, "cancelled")]


def test_a_block_for_a_turn_that_has_opened_by_now_is_one_of_orders(house):
    assert "Turn 1 is open by now" in send(house, "north", "LATER T1\nMOVE Ant TO s2\nEND\n")
    assert sets(house) == [("letter", 1, "queued", False, "MOVE Ant TO s2\n")]
    both = PASS.format(1) + "LATER T1\nMOVE Bee TO s3\nEND\n"
    assert "Turn 1 is open: the letter holds other orders for it too." in send(house, "north", both)


def test_a_turn_in_which_the_seat_is_still_to_move_can_be_written_for(house):
    assert "orders for turn 1 are kept" in send(house, "south", "LATER T1\nMOVE Dog TO s7\nEND\n")
    send(house, "north", PASS.format(1))
    go_on(house)
    go_on(house)
    assert closed(house)[1]["south"] == (1, "MOVE Dog TO s7\n")
    mail_text = send(house, "south", "LATER T1\nMOVE Dog TO s7\nEND\n")
    assert "Your phase of turn 1 is over; orders can be kept from turn" in mail_text


def test_so_it_is_while_the_other_side_moves_again(house):
    send(house, "north", PASS.format(1))
    go_on(house)
    assert "Your phase of turn 1 is over" in send(house, "north", "LATER T1\nMOVE Ant TO s2\nEND\n")
    assert "orders for turn 2 are kept" in send(house, "north", "LATER T2\nMOVE Ant TO s2\nEND\n")


def test_there_is_an_end_to_what_is_kept(house):
    blocks = "".join(f"LATER T{turn}\nMOVE Ant TO s2\nEND\n" for turn in range(2, later.MOST_LATER_TURNS + 2))
    house.write("north", blocks)
    house.sent()
    assert len(house.all(tables.Later)) == later.MOST_LATER_TURNS
    mail_text = send(house, "north", "LATER T99\nMOVE Ant TO s2\nEND\n")
    assert f"I keep orders for {later.MOST_LATER_TURNS} turns to come at most." in mail_text


def test_what_no_turn_came_for_is_told_when_the_game_ends(house):
    send(house, "north", "LATER T7\nMOVE Ant TO s2\nEND\n")
    for turn in (1, 2):
        send(house, "north", PASS.format(turn))
        go_on(house)
        send(house, "south", PASS.format(turn))
        letters = go_on(house)
    assert house.game().state == "over"
    assert "The orders that you kept for turn 7 were not needed" in letters["north", "report"]
    assert "LATER T7\nMOVE Ant TO s2\nEND" in letters["north", "report"]
    assert house.all(tables.Later) == []


def test_cancel_drops_one_turn_or_all(house):
    house.write("north", "".join(f"LATER T{turn}\nMOVE Ant TO s2\nEND\n" for turn in (2, 3, 4)))
    house.sent()
    assert "kept for turn 3 are cancelled" in send(house, "north", "CANCEL LATER T3")
    assert [row.turn for row in house.all(tables.Later)] == [2, 4]
    mail_text = send(house, "north", "cancelar después")
    assert "kept for turn 2 are cancelled" in mail_text
    assert "kept for turn 4 are cancelled" in mail_text
    assert "there was nothing to cancel" in send(house, "north", "CANCEL LATER")


def test_a_seat_that_was_given_up_is_not_played_by_what_was_kept(house):
    send(house, "north", PASS.format(1) + "LATER T2\nMOVE Ant TO s2\nEND\n")
    go_on(house)
    with house.server.session() as session:
        row = session.exec(select(tables.Seat).where(tables.Seat.name == "north")).one()
        row.person_id = None
    send(house, "south", PASS.format(1))
    go_on(house)
    assert [row for row in sets(house) if row[0] != "letter"] == []
    assert len(house.all(tables.Later)) == 1, "whoever takes the seat over has them"


def test_a_copy_of_the_letter_changes_nothing(house):
    name = {"Message_ID": "<one@players.example>"}
    house.write("north", "LATER T2\nMOVE Ant TO s2\nEND\n", **name)
    house.sent()
    send(house, "north", "CANCEL LATER")
    house.write("north", "LATER T2\nMOVE Ant TO s2\nEND\n", Date=house.clock.now(), **name)
    house.sent()
    assert house.all(tables.Later) == []


def test_nothing_of_it_is_known_where_letters_are_carried_out_at_once(tmp_path):
    house = PlayedGame(tmp_path, terms=Terms(reminder_hours=0, pace=ACTIVATION_PACE))
    assert "no orders are kept for later" in send(house, "north", "LATER T2\nMOVE Ant TO s2\nEND\n")
    assert "no line is repeated" in send(house, "north", "ORDERS T1\n@MOVE Ant TO s2\nEND\n")
    house.server.engine.dispose()


# Lines that are repeated


def _turn_two_with(house, *lines):
    """North's first orders hold these lines; turn 2 has opened, and this is what north was told."""
    send(house, "north", "\n".join(["ORDERS T1", *lines, "END", ""]))
    go_on(house)
    send(house, "south", PASS.format(1))
    return go_on(house)["north", "report"]


def test_a_marked_line_comes_again_and_stands_in_the_form(house):
    report = _turn_two_with(house, "@ MOVE Ant TO s2", "MOVE Bee TO s3")
    assert "are the lines that you repeat (revision 1)." in report
    assert "\n@ MOVE Ant TO s2\n# MOVE" in report
    assert "\n@ MOVE Bee" not in report
    assert closed(house)[0]["north"] == (1, "MOVE Ant TO s2\nMOVE Bee TO s3\n")


def test_who_repeats_and_says_nothing_has_missed_the_deadline_and_is_played_all_the_same(house):
    _turn_two_with(house, "@ MOVE Ant TO s2")
    go_on(house)
    assert len(closed(house)) == 2, "the phase waits for its deadline"
    letters = go_on(house, days=3)
    assert "Your repeated lines and your standing orders were carried out" in letters["north", "report"]
    assert closed(house)[2]["north"] == (1, "MOVE Ant TO s2\n")
    assert (seat(house, "north").strikes, seat(house, "north").missed) == (1, 1)
    assert seat(house, "north").spent > 0
    assert replays(house) is None


def test_go_is_word_enough(house):
    _turn_two_with(house, "@ MOVE Ant TO s2")
    send(house, "north", "GO")
    house.tick()
    assert closed(house)[2]["north"] == (1, "MOVE Ant TO s2\n")
    assert seat(house, "north").strikes == 0


def test_a_block_without_marks_ends_the_repeating_when_it_is_carried_out(house):
    _turn_two_with(house, "@ MOVE Ant TO s2")
    mail_text = send(house, "north", PASS.format(2))
    assert "Not repeated any more" in mail_text
    assert repeats(house) == ["MOVE Ant TO s2\n"]
    go_on(house)
    assert repeats(house) == []


def test_cancelled_orders_leave_it_as_it_was(house):
    send(house, "north", "ORDERS T1\n@ MOVE Ant TO s2\nEND\n")
    assert "CANCEL @" not in send(house, "north", "CANCEL")
    go_on(house, days=3)
    assert repeats(house) == []


def test_cancel_of_repeated_lines_is_for_this_turn_and_cancel_at_for_good(house):
    _turn_two_with(house, "@ MOVE Ant TO s2")
    assert "CANCEL @ ends the repeating" in send(house, "north", "CANCEL")
    assert len(repeats(house)) == 1
    assert "not repeated any more" in send(house, "north", "CANCEL @")
    assert repeats(house) == []


def test_cancel_at_takes_back_what_is_queued_of_it(house):
    _turn_two_with(house, "@ MOVE Ant TO s2")
    assert "You have no orders in for this turn now." in send(house, "north", "CANCELAR @")
    assert sets(house)[-1][:3] == ("repeated", 1, "cancelled")


def test_kept_orders_come_before_repeated_ones_and_change_them_only_with_marks_of_their_own(house):
    send(house, "north", "LATER T2\nMOVE Bee TO s3\nEND\n")
    _turn_two_with(house, "@ MOVE Ant TO s2")
    assert sets(house)[-1] == ("later", 1, "queued", False, "MOVE Bee TO s3\n")
    go_on(house)
    assert repeats(house) == ["MOVE Ant TO s2\n"]


def test_marks_in_kept_orders_replace_what_is_repeated(house):
    send(house, "north", "LATER T2\n@ MOVE Bee TO s3\nEND\n")
    _turn_two_with(house, "@ MOVE Ant TO s2")
    go_on(house)
    assert repeats(house) == ["MOVE Bee TO s3\n"]


def test_the_form_sent_back_with_another_line_keeps_the_mark(house):
    report = _turn_two_with(house, "@ MOVE Ant TO s2")
    form = report[report.index("ORDERS T2 #") :].replace("# MOVE Bee TO s3", "MOVE Bee TO s3")
    mail_text = send(house, "north", form)
    assert "MOVE Ant TO s2\nMOVE Bee TO s3\nEND" in mail_text
    assert "@ MOVE Ant TO s2" in mail_text


def rule(house, line):
    with house.server.work() as work:
        ruling_lines.make_ruling(work, "g1", ruling_lines.read_line(line))
    return new_letters(house)


def test_where_the_position_is_edited_repeated_lines_stay_the_orders_once(house):
    _turn_two_with(house, "@ MOVE Ant TO s2")
    letters = rule(house, "EDIT UNIT Dog AT s8 BECAUSE it stood there")
    assert "\n@ MOVE Ant TO s2\n" in letters["north", "report"]
    queued = [row for row in house.all(tables.QueuedOrders) if row.state == "queued"]
    (phase,) = [row for row in house.all(tables.Phase) if row.state == "open"]
    assert [(row.origin, row.waits, row.text) for row in queued if row.phase_id == phase.id] == [
        ("repeated", True, "MOVE Ant TO s2\n")
    ]


def test_kept_orders_of_a_turn_that_is_opened_again_come_back_to_their_writer(house):
    send(house, "north", PASS.format(1) + "LATER T2\nMOVE Ant TO s2\nEND\n")
    go_on(house)
    send(house, "south", PASS.format(1))
    go_on(house)
    go_on(house)
    letters = rule(house, "REOPEN T2.north BECAUSE of a fault")
    assert "MOVE Ant TO s2" in letters["north", "report"]
    assert "Send your orders by" in letters["north", "report"]
