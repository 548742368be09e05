"""Phases close when they should, with the orders that were in time, and never leave a game without a next step."""

import json
from datetime import timedelta

import pytest

from pbem.play import holds, seating
from pbem.play.commands.table import founding
from pbem.play.positions import read_position
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import UserError
from pbem.server.scheduler import run_due_jobs
from pbem.store import tables
from tests.harness.game import ANN, BOB, CALM, PlayedGame
from tests.harness.letters import text_of
from tests.harness.toygame import Rules

MINUTE = timedelta(minutes=1)


def orders(turn, *lines):
    return "\n".join([f"ORDERS T{turn}", *lines, "END", ""])


def open_phase(house):
    (phase,) = [row for row in house.all(tables.Phase) if row.state == "open"]
    return phase


def states(house):
    return [(row.turn, row.name, row.state) for row in house.all(tables.Phase)]


def something_will_happen(house):
    """A live game always has a due row, or the operator was written to."""
    game = house.game()
    if game.state == "running":
        return len(house.all(tables.Due)) > 0
    return game.state == "over" or any(row.recipient == "op@games.example" for row in house.all(tables.Outbox))


def test_start_writes_to_everybody(tmp_path):
    house = PlayedGame(tmp_path, started=False, zone="Europe/Madrid")
    house.invite("north", ANN)
    house.invite("south", BOB, language="es", zone="Europe/Madrid")
    house.sent()
    with house.server.work() as work:
        founding.start_game(work, "g1")
    north, south = house.sent()
    nonces = [row.nonce for row in house.all(tables.Seat)]
    assert (north.recipient, south.recipient) == (ANN, BOB)
    assert text_of(north) == (
        "kind: report (en)\n"
        "Send your orders by Tuesday 5 May 2026, 18:00 UTC.\n"
        f"ORDERS T1 #{nonces[0]}\n# MOVE Ant TO s2\n# MOVE Bee TO s3\nEND\n"
    )
    assert text_of(south) == (
        "kind: report (es)\nYou need do nothing now. "
        "north must send orders by Tuesday 5 May 2026, 20:00 Europe/Madrid (18:00 UTC).\n"
    )
    assert nonces[1] == ""
    assert something_will_happen(house)
    house.server.engine.dispose()


def test_the_template_is_in_the_reader_s_words_and_is_new_each_time(house):
    house.write("south", "FIJAR IDIOMA es")
    house.write("north", orders(1, "PASS"))
    house.sent()
    first = house.all(tables.Seat)[0].nonce
    house.clock.forward(minutes=30)
    house.tick()
    _, south = house.sent()
    north_seat, south_seat = house.all(tables.Seat)
    assert (north_seat.nonce, north_seat.template) == ("", "")
    assert south_seat.nonce not in ("", first)
    assert text_of(south).endswith(f"ORDENES T1 #{south_seat.nonce}\n# MOVER Cat A s6\n# MOVER Dog A s7\nFIN\n")


def test_a_block_of_the_template_before_is_refused(house):
    template = house.all(tables.Seat)[0].template.replace("# MOVE Ant", "MOVE Ant")
    house.write("north", template)
    house.clock.forward(minutes=30)
    house.tick()
    house.sent()
    house.write("north", template)
    assert "This block is from an earlier letter of this turn; use the one in the last report." in house.answer()


def test_the_undo_window_begins_anew_with_each_change(house):
    house.write("north", orders(1, "MOVE Ant TO s2"))
    house.clock.forward(minutes=20)
    house.write("north", orders(1, "MOVE Bee TO s3"))
    house.clock.forward(minutes=29)
    assert house.tick() == 0
    house.clock.forward(minutes=1)
    assert house.tick() == 1
    assert states(house) == [(1, "north", "resolved"), (1, "south", "open")]
    closed = json.loads(house.all(tables.Phase)[0].orders)
    assert closed == {"north": [2, "MOVE Bee TO s3\n", []], "south": [0, "", []]}


def test_the_undo_window_never_passes_the_deadline(house):
    house.clock.set(open_phase(house).deadline - 10 * MINUTE)
    house.write("north", orders(1, "MOVE Ant TO s2"))
    assert "You may change yours until Tuesday 5 May 2026, 20:00 UTC;" in house.answer()
    house.clock.forward(minutes=10)
    assert house.tick() == 1


def test_without_an_undo_window_the_last_letter_closes_the_phase(tmp_path):
    house = PlayedGame(tmp_path, scenario="both", undo_minutes=0)
    house.write("north", orders(1, "MOVE Ant TO s2"))
    assert "Still waiting for orders from: south." in house.answer()
    assert run_due_jobs(house.server) == 0
    house.write("south", orders(1, "PASS"))
    assert run_due_jobs(house.server) == 1
    assert states(house) == [(1, "both", "resolved"), (2, "both", "open")]
    house.server.engine.dispose()


def test_a_phase_closes_only_after_a_poll_that_began_at_the_deadline(house):
    deadline = open_phase(house).deadline
    house.clock.set(deadline - MINUTE)
    house.poll()
    house.clock.set(deadline + MINUTE)
    assert run_due_jobs(house.server) == 0
    house.write("north", orders(1, "MOVE Ant TO s2"))
    assert [row.state for row in house.all(tables.QueuedOrders)] == []
    house.poll()
    assert run_due_jobs(house.server) == 1


def test_no_orders_are_no_actions_and_a_strike(house):
    house.write("south", "STANDING FOR Cat\nFLEE\nENDSTANDING\n")
    house.sent()
    house.clock.set(open_phase(house).deadline)
    assert house.tick() == 1
    north, south = house.sent()
    assert text_of(north).split("\n")[1:3] == [
        "You need do nothing now. south must send orders by Thursday 7 May 2026, 20:00 UTC.",
        "You sent no orders by the deadline, so your forces only followed standing orders. Deadlines missed so far: 1.",
    ]
    assert "Missed" not in text_of(south)
    assert [row.strikes for row in house.all(tables.Seat)] == [1, 0]
    closed = json.loads(house.all(tables.Phase)[0].orders)
    assert closed == {"north": [0, "", []], "south": [0, "", ["STANDING FOR Cat\n  FLEE\nENDSTANDING\n"]]}
    assert [row.kind for row in house.all(tables.Event)] == ["ended"]


def test_cancelled_orders_are_no_orders(house):
    house.write("north", orders(1, "MOVE Ant TO s2"))
    house.write("north", "CANCEL")
    house.clock.forward(minutes=31)
    assert house.tick() == 0
    house.clock.set(open_phase(house).deadline)
    assert house.tick() == 1
    assert json.loads(house.all(tables.Phase)[0].orders)["north"] == [0, "", []]


def test_a_resolved_phase_is_written_down(house):
    house.write("north", orders(1, "MOVE Bee TO s3"))
    house.clock.forward(minutes=30)
    house.tick()
    done = house.all(tables.Phase)[0]
    assert done.slate.startswith("pbemdice/v1/slate\ngame g1\nphase T1.north~1\nsegment 1\nprevious -\nedition sha256:")
    assert "\nseat north 1 " in done.slate
    (roll,) = json.loads(done.rolls)
    assert roll[:3] == ["Bee>s3/push", 1, 6]
    events = house.all(tables.Event)
    assert [row.number for row in events] == list(range(1, len(events) + 1))
    assert events[-1].kind == "ended"
    assert [row.number for row in house.all(tables.Snapshot)] == [0, 1]
    assert done.events_digest.startswith("sha256:")


def test_a_seat_sees_what_it_may(tmp_path):
    """North's counter is stuck in one of these games, and South's report does not say so."""
    for number in range(40):
        (tmp_path / str(number)).mkdir()
        house = PlayedGame(tmp_path / str(number), undo_minutes=0, hour=number % 24)
        house.write("north", orders(1, "MOVE Bee TO s3", f"MOVE Bee TO s{number + 4}"))
        house.sent()
        run_due_jobs(house.server)
        stuck = [row for row in house.all(tables.Event) if row.kind == "stuck"]
        north, south = map(text_of, house.sent())
        assert north.count("is stuck") == len(stuck)
        assert "is stuck" not in south
        house.server.engine.dispose()
        if stuck:
            return
    pytest.fail("no die showed 1 in eighty rolls")


def test_standing_orders_answer_for_the_other_seat(tmp_path):
    house = PlayedGame(tmp_path, undo_minutes=0)
    house.write("south", "STANDING FOR Cat\nFLEE\nENDSTANDING\n")
    house.write("north", orders(1, "CREEP Bee TO s3", "CREEP Bee TO s4", "CREEP Bee TO s5"))
    run_due_jobs(house.server)
    met = [json.loads(row.body)["data"] for row in house.all(tables.Event) if row.kind == "met"]
    house.server.engine.dispose()
    assert met == [{"unit": "Cat", "did": "FLEE", "by": "standing UNIT Cat 1"}]


def test_a_standing_order_that_can_no_longer_be_read_is_left_out_and_told(house):
    house.write("south", "STANDING FOR Cat\nFLEE\nENDSTANDING\n")
    house.sent()
    with house.server.session() as session:
        session.get_one(tables.StandingOrders, 1).text = "STANDING FOR Owl\n  FLEE\nENDSTANDING\n"
    house.clock.set(open_phase(house).deadline)
    house.tick()
    _, south = house.sent()
    assert "This standing order could not be read any more and was left out: STANDING FOR Owl\n" in text_of(south)


def test_a_whole_game(house):
    """Two turns of two phases, then it is over and everybody is told."""
    for turn, seat, move in ((1, "north", "Bee TO s3"), (1, "south", "Dog TO s7"), (2, "north", "Bee TO s4")):
        assert something_will_happen(house)
        house.write(seat, orders(turn, f"MOVE {move}" if turn == 1 else "PASS"))
        house.clock.forward(minutes=30)
        assert house.tick() == 1
    house.sent()
    house.write("south", orders(2, "PASS"))
    house.sent()
    house.clock.forward(minutes=30)
    assert house.tick() == 1
    assert house.game().state == "over"
    assert house.all(tables.Due) == []
    letters = [text_of(row) for row in house.sent()]
    assert [text.split("\n")[:2] for text in letters] == [
        ["kind: report (en)", "The game is over. Thank you for playing."]
    ] * 2
    assert all("The attachment pbemdice.txt opens what was sealed" in text for text in letters)
    assert not any("ORDERS" in text for text in letters)
    house.write("north", orders(2, "PASS"))
    assert house.answer() == "kind: closed (en)\nThe game is over; no more orders are taken.\n"
    house.write("north", "STATUS")
    assert house.answer() == "kind: status (en)\nThe game is over.\n"
    assert house.tick() == 0


def broken(house):
    house.write("north", orders(1, "MOVE Ant TO s0"))
    house.clock.forward(minutes=30)


def test_a_bug_holds_the_game_and_nothing_of_the_phase_is_kept(house):
    broken(house)
    house.sent()
    assert house.tick() == 1
    game = house.game()
    assert (game.state, game.held_why) == ("held", "RuntimeError: Ant fell off the board")
    assert states(house) == [(1, "north", "open")]
    assert house.all(tables.Event) == []
    assert [row.strikes for row in house.all(tables.Seat)] == [0, 0]
    (letter,) = house.sent()
    assert letter.recipient == "op@games.example"
    assert text_of(letter).startswith(
        "kind: fault (en)\nThe game g1 is held: its phase could not be resolved, and nothing of it was kept.\n"
    )
    assert "RuntimeError: Ant fell off the board" in text_of(letter)
    assert house.tick() == 0
    assert something_will_happen(house)


def test_a_held_game_takes_orders_and_says_so(house):
    broken(house)
    house.tick()
    house.sent()
    house.write("north", orders(1, "PASS"))
    held = "The game is held; the moderator has been told and you will hear when it goes on.\n"
    assert held in house.answer()
    house.write("south", "STATUS")
    assert held in house.answer()
    assert house.all(tables.Due) == []
    with house.server.work() as work:
        holds.resume_game(work, "g1")
    house.clock.forward(minutes=30)
    assert house.tick() == 1
    assert (house.game().state, states(house)[0]) == ("running", (1, "north", "resolved"))


def test_one_broken_game_does_not_stop_the_others(house):
    with house.server.work() as work:
        founding.new_game(work, founding.NewGame(name="a-first", game="toy", scenario="turns", terms=CALM))
        for seat in ("north", "south"):
            seating.invite_seat(work, seating.Invitation(game="a-first", seat=seat, email=ANN))
        founding.start_game(work, "a-first")
    broken(house)
    house.clock.set(max(row.deadline for row in house.all(tables.Phase)))
    assert house.tick() == 2
    assert sorted((row.id, row.state) for row in house.all(tables.Game)) == [("a-first", "running"), ("g1", "held")]


@pytest.mark.parametrize("fault", ["wrong state", "wrong sum", "unanswered"])
def test_rules_that_contradict_themselves_hold_the_game(house, monkeypatch, fault):
    apply = Rules.apply
    if fault == "wrong state":
        monkeypatch.setattr("tests.harness.toygame.Toy.invariants", lambda self, state: ("Ant is nowhere",))
    elif fault == "wrong sum":
        count = iter(range(100))
        monkeypatch.setattr(Rules, "apply", lambda self, s, e: apply(self, s, e)._replace(turn=next(count)))
    else:
        with house.server.session() as session:
            session.get_one(tables.Game, "g1").terms = Terms(asks=0).text()
        monkeypatch.setattr("tests.harness.toygame.Doctrine.answer", lambda self, state, window: None)
    house.write("north", orders(1, "CREEP Bee TO s3", "CREEP Bee TO s4", "CREEP Bee TO s5"))
    house.clock.forward(minutes=30)
    house.tick()
    why = {
        "wrong state": "InvalidResult: after T1.north~1: Ant is nowhere",
        "wrong sum": "InvalidResult: the events of T1.north~1 do not add up to the state after it",
        "unanswered": "InvalidResult: T1.north~1 waits for Bee>s5/meet Cat",
    }[fault]
    assert (house.game().state, house.game().held_why) == ("held", why)


def test_a_phase_in_which_nobody_is_asked_passes_at_once(house, monkeypatch):
    active = house.server.plugins.games("toy").active
    monkeypatch.setattr(
        "tests.harness.toygame.Toy.active", lambda self, state: () if state.moving == "south" else active(state)
    )
    house.write("north", orders(1, "PASS"))
    house.clock.forward(minutes=30)
    assert house.tick() == 2
    assert states(house) == [(1, "north", "resolved"), (1, "south", "resolved"), (2, "north", "open")]


def test_a_position_before_the_start_is_an_error(tmp_path):
    house = PlayedGame(tmp_path, started=False)
    with house.server.work() as work, pytest.raises(LookupError, match="has not begun"):
        read_position(work, work.session.get_one(tables.Game, "g1"))
    with house.server.work() as work, pytest.raises(UserError, match="Nobody sits at: north, south"):
        founding.start_game(work, "g1")
    house.server.engine.dispose()
