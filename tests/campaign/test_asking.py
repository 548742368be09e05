"""A phase that waits for answers: asked, answered in whole or half, silent, late, wrong; and the same again on replay.

Bee of the north moves in on Cat of the south, or the other way round; CREEP needs no die, so what follows it is asked
in the same letter.
"""

import json
import os

import pytest

from pbem.audit.blocks import sha256_hex
from pbem.engine.run.steps import Did
from pbem.play import holds
from pbem.play.replay import replay
from pbem.runtime.terms import Terms
from pbem.server.scheduler import run_due_jobs
from pbem.store import tables
from tests.harness.game import BOB, PlayedGame
from tests.harness.letters import mail, text_of
from tests.harness.server import make_once
from tests.harness.toygame import Rules, Telling

ASK = "STANDING FOR {unit}\nASK\n{then}ENDSTANDING\n"


def orders(turn, *lines):
    return "\n".join([f"ORDERS T{turn}", *lines, "END", ""])


def asks(unit, *then):
    return ASK.format(unit=unit, then="".join(f"{word}\n" for word in then))


@pytest.fixture
def made(tmp_path):
    """A house in which counters stand next to each other, made with what a test wants."""
    houses = []

    def make(scenario="turns", terms=Terms(reminder_hours=0), **pace):  # noqa: B008 - a value
        house = PlayedGame(tmp_path, scenario=scenario, terms=terms, **{"undo_minutes": 0} | pace)
        houses.append(house)
        return house

    yield make
    for house in houses:
        house.server.engine.dispose()


@pytest.fixture
def house(tmp_path):
    house = make_once(tmp_path, moved_in)
    yield house
    house.server.engine.dispose()


def moved_in(folder):
    """South has Cat and Dog ask; north has crept up to Cat and moves in on both."""
    house = PlayedGame(folder, terms=Terms(reminder_hours=0), undo_minutes=0)
    house.write("south", asks("Cat", "FLEE"))
    house.write("south", asks("Dog"))
    paused(house, "CREEP Bee TO s3", "CREEP Bee TO s4", "CREEP Bee TO s5", "MOVE Ant TO s2")
    return house


def paused(house, *lines):
    house.sent()
    house.write("north", orders(1, *lines))
    house.sent()
    assert house.tick() == 1


def game(house):
    return [(row.turn, row.name, row.state) for row in house.all(tables.Phase)]


def events(house):
    return [json.loads(row.body) for row in house.all(tables.Event)]


def met(house):
    return [event["data"] for event in events(house) if event["kind"] == "met"]


def causes(house):
    return [(row.kind, row.cause) for row in house.all(tables.Due)]


def letters(house):
    """Recipient's seat and text of the letters since the last look."""
    return [("north" if row.recipient.startswith("ann") else "south", text_of(row)) for row in house.sent()]


def same_again(house):
    with house.server.work() as work:
        replayed = replay(work, "g1")
    assert replayed.difference is None
    return replayed.phases


# Asked


def test_the_owner_is_asked_and_the_other_is_told_that_it_waits(house):
    (north, waits), (south, asked) = letters(house)
    assert (north, south) == ("north", "south")
    assert waits == (
        "kind: waiting (en)\n"
        "Orders are closed, and the dice have begun to roll. The phase now waits for the reaction of a player.\n"
        "You need do nothing: it goes on when the answer is in or its time is up, and then you get the report.\n"
    )
    assert asked == (
        "kind: question (en)\n"
        "The phase has stopped before its next die and waits for your answer. "
        "Send it by Tuesday 5 May 2026, 12:00 UTC.\n"
        "Answer with one line, the number of each question and the letter of your answer: 1A\n"
        "#1 A counter moved. [T1]\n"
        "#2 A counter moved. [T1]\n"
        "1. Somebody comes to Cat. What does it do?:\n"
        "A  it stands\n"
        "B  it flees <- if you say nothing\n"
        "No figures: such a question is not weighed\n"
        "Until then you may answer again: for each question your last letter counts.\n"
    )
    assert game(house) == [(1, "north", "closed")]
    assert (events(house), causes(house)) == ([], [("answers", "deadline")])


def test_the_answer_decides_and_the_report_tells_all_of_it(house):
    house.sent()
    house.write("south", "1A")
    assert house.answer() == (
        "kind: answered (en)\nYour answers are in.\n"
        "1. Somebody comes to Cat. What does it do?:\nA  it stands <- your answer\nB  it flees\n"
    )
    assert house.tick() == 1
    assert met(house) == [{"unit": "Cat", "did": "STAND", "by": "answer"}]
    (_, north), (_, south) = letters(house)
    assert [text.count("A counter moved.") + text.count("A counter is stuck.") for text in (north, south)] == [3, 3]
    assert game(house) == [(1, "north", "resolved"), (1, "south", "open")]
    assert same_again(house) == 1


@pytest.mark.parametrize("line", ["RESPOND 1b", "RESPONDER 1B", "1B.", "1: b", "1)B", " 1 - B ", "respond 1A 1A\n1B"])
def test_answers_are_read_in_many_ways(house, line):
    house.sent()
    house.write("south", line)
    assert "B  it flees <- your answer" in house.answer()


def test_silence_is_the_next_standing_order(house):
    house.sent()
    house.clock.forward(hours=24)
    assert house.tick() == 1
    assert met(house)[0] == {"unit": "Cat", "did": "FLEE", "by": "standing UNIT Cat 1"}
    assert same_again(house) == 1


def test_silence_without_another_order_is_the_default(made):
    house = made()
    house.write("south", asks("Cat"))
    paused(house, "CREEP Bee TO s3", "CREEP Bee TO s4", "CREEP Bee TO s5")
    house.clock.forward(hours=24)
    house.tick()
    assert met(house)[0] == {"unit": "Cat", "did": "STAND", "by": "default"}


def test_a_pause_ends_only_after_a_poll_at_its_deadline(house):
    house.clock.forward(hours=23, minutes=59)
    assert house.tick() == 0
    house.clock.forward(hours=1)
    assert run_due_jobs(house.server) == 0
    assert house.tick() == 1


# All questions that can be asked at once


def test_what_can_be_asked_before_the_next_die_stands_in_one_letter(made):
    house = made()
    house.write("south", asks("Cat"))
    house.write("south", asks("Dog"))
    paused(house, "CREEP Bee TO s3", "CREEP Ant TO s6", "CREEP Bee TO s5", "MOVE Ant TO s2")
    _, (_, asked) = letters(house)
    assert "1. Somebody comes to Dog. What does it do?:" in asked
    assert "2. Somebody comes to Cat. What does it do?:" in asked
    assert asked.endswith(
        "The marked answers apply if you answer none; one answer may change the choices of another.\n"
    )
    house.write("south", "2B")
    unanswered = "Not answered yet: 1. If no answer comes by Tuesday 5 May 2026, 12:00 UTC, the marked one applies."
    assert unanswered in house.answer()
    assert house.tick() == 0
    house.clock.forward(hours=24)
    assert house.tick() == 1
    assert [(meeting["unit"], meeting["did"], meeting["by"]) for meeting in met(house)] == [
        ("Dog", "STAND", "default"),
        ("Cat", "FLEE", "answer"),
    ]
    assert same_again(house) == 1


def test_what_hangs_on_the_answer_or_on_a_die_is_asked_later(made):
    house = made()
    house.write("south", asks("Cat"))
    house.write("south", asks("Dog"))
    # If Cat flees to Dog, it is Cat that Ant meets there.
    paused(house, "CREEP Bee TO s3", "CREEP Bee TO s5", "CREEP Ant TO s6", "MOVE Ant TO s7")
    _, (_, asked) = letters(house)
    assert "1. Somebody comes to Cat." in asked
    assert "2. " not in asked
    house.write("south", "1A")
    house.sent()
    house.tick()
    # The other side was told once.
    ((seat, asked),) = letters(house)
    assert seat == "south"
    assert "2. Somebody comes to Dog. What does it do?:" in asked
    house.write("south", "1A")
    assert "There is no question 1 now; there are: 2." in house.answer()
    house.write("south", "2A")
    house.tick()
    assert [meeting["by"] for meeting in met(house)] == ["answer", "answer"]
    assert [row.number for row in house.all(tables.Segment)] == [1, 2, 3]
    assert same_again(house) == 1


def test_a_question_without_effect_may_stand_before_what_is_mailed_meanwhile(made, monkeypatch):
    """Dog stands whatever is answered, so nobody is asked about it; what it met is mailed while Cat is asked about."""
    step = Rules.step

    def dog_stands(rules, state, task):
        outcome = step(rules, state, task)
        if isinstance(outcome, Did) and [happened.data.get("unit") for happened in outcome.events[:1]] == ["Dog"]:
            return Did((outcome.events[0]._replace(data={"unit": "Dog", "did": "STAND", "by": ""}),))
        return outcome

    monkeypatch.setattr(Rules, "step", dog_stands)
    house = made()
    house.write("south", asks("Cat"))
    house.write("south", asks("Dog"))
    paused(house, "CREEP Bee TO s3", "CREEP Ant TO s6", "MOVE Bee TO s4", "CREEP Bee TO s5")
    _, (_, asked) = letters(house)
    assert "1. Somebody comes to Cat." in asked
    assert "Somebody comes to Dog." not in asked
    house.write("south", "1A")
    house.tick()
    assert game(house)[0] == (1, "north", "resolved")
    assert [meeting["unit"] for meeting in met(house)] == ["Dog", "Cat"]
    assert same_again(house) == 1


def test_two_seats_are_asked_at_once_and_neither_hears_of_the_other(made):
    house = made(scenario="both")
    house.write("south", asks("Cat"))
    house.write("south", orders(1, "CREEP Dog TO s7", "CREEP Dog TO s3"))
    house.write("north", asks("Bee"))
    paused(house, "CREEP Bee TO s3", "CREEP Ant TO s5")
    (_, north), (_, south) = letters(house)
    assert [text.split("\n")[0] for text in (north, south)] == ["kind: question (en)", "kind: question (en)"]
    assert ("comes to Bee" in north, "comes to Cat" in north) == (True, False)
    assert ("comes to Bee" in south, "comes to Cat" in south) == (False, True)
    house.write("north", "1B")
    assert house.tick() == 0
    house.sent()
    house.write("south", "1B")
    assert house.tick() == 1
    assert sorted((meeting["unit"], meeting["did"]) for meeting in met(house)) == [("Bee", "FLEE"), ("Cat", "FLEE")]
    assert same_again(house) == 1


# Wrong and late


def test_all_that_is_wrong_with_answers_is_told_at_once(house):
    house.sent()
    house.write("south", "RESPOND 1C 2A")
    answer = " ".join(house.answer().split())
    assert "Question 1 offers A, B, not C. There is no question 2 now; there are: 1." in answer
    assert [row.answer for row in house.all(tables.Question)] == [None]


@pytest.mark.parametrize(
    ("seat", "line", "why"),
    [
        ("south", "1C", "Question 1 offers A, B, not C."),
        ("south", "RESPOND 2A", "There is no question 2 now; there are: 1."),
        ("south", "1A 1B", "Question 1 is answered twice."),
        (
            "south",
            "RESPOND yes",
            "Answers read like 1A 2D: the number of each question, and the letter of what you choose.",
        ),
        ("north", "1A", "You are not asked anything now."),
    ],
)
def test_a_wrong_answer_is_refused_and_changes_nothing(house, seat, line, why):
    house.sent()
    house.write(seat, line)
    answer = house.answer()
    assert answer.startswith("kind: refusal (en)\nI did nothing with your letter: one line is wrong.\n")
    assert why in answer
    assert [row.answer for row in house.all(tables.Question)] == [None]


def test_nobody_is_asked_in_a_phase_that_takes_orders(made):
    house = made()
    house.write("north", "RESPOND 1A")
    assert "You are not asked anything now." in house.answer()


def test_an_answer_after_its_deadline_is_late(house):
    house.sent()
    house.clock.forward(hours=25)
    house.write("south", "1A")
    assert house.answer() == (
        "kind: closed (en)\n"
        "Your answer came too late. The questions are closed, and open ones count as not answered.\n"
        "They were to be answered by Tuesday 5 May 2026, 12:00 UTC.\n"
    )
    house.tick()
    assert met(house)[0]["by"] == "standing UNIT Cat 1"
    house.sent()
    house.write("south", "1A")
    assert house.answer().startswith("kind: closed (en)\nYour answer came too late")


def test_an_answer_in_time_that_is_fetched_late_counts(house):
    deadline = house.all(tables.Segment)[0].deadline
    house.clock.forward(hours=25)
    house.receive(mail(BOB, house.addresses["south"], "1A", Date=deadline), moment=deadline)
    house.tick()
    assert met(house)[0] == {"unit": "Cat", "did": "STAND", "by": "answer"}


def test_the_last_letter_counts_until_the_pause_is_over(made):
    house = made(undo_minutes=30)
    house.write("south", asks("Cat", "FLEE"))
    house.write("north", orders(1, "CREEP Bee TO s3", "CREEP Bee TO s5"))
    house.clock.forward(minutes=30)
    house.tick()
    house.sent()
    house.write("south", "1B")
    assert "All of them are answered. For 30 minutes you may change that." in house.answer()
    house.clock.forward(minutes=20)
    house.write("south", "1A")
    house.clock.forward(minutes=20)
    assert house.tick() == 0
    house.clock.forward(minutes=10)
    assert house.tick() == 1
    assert met(house)[0] == {"unit": "Cat", "did": "STAND", "by": "answer"}
    (first, second) = house.all(tables.Segment)
    assert (first.number, second.number) == (1, 2)
    assert "\nseat south 2 " in second.slate


# While it waits


def test_orders_are_refused_and_standing_orders_count_from_the_next_phase(house):
    house.sent()
    house.write("north", orders(1, "PASS"))
    assert house.answer().startswith(
        "kind: closed (en)\nOrders for turn 1 are closed, and the phase waits for answers.\n"
    )
    house.write("north", "CANCEL")
    assert house.answer().startswith("kind: closed (en)")
    house.write("south", "STANDING FOR Cat\nSTAND\nENDSTANDING\n")
    assert house.answer().startswith(
        "kind: receipt (en)\nYour standing orders are in; they count from the next phase on.\n"
    )
    house.clock.forward(hours=24)
    house.tick()
    assert met(house)[0]["did"] == "FLEE"


def test_status_tells_each_what_he_may_know(house):
    house.sent()
    house.write("north", "STATUS")
    assert house.answer() == (
        "kind: status (en)\n"
        "Turn 1. Orders are closed, and the dice have begun to roll.\n"
        "The phase waits for another player's answer. You need not answer now; a question to you may still come.\n"
        "Deadlines missed so far: 0.\n"
    )
    house.write("south", "STATUS")
    answer = house.answer()
    assert "The phase waits for your answer. Send it by Tuesday 5 May 2026, 12:00 UTC." in answer
    assert "B  it flees <- if you say nothing" in answer


def test_a_live_game_always_has_something_due(house):
    for _ in range(3):
        assert causes(house) == [("answers", "deadline")]
        house.tick()
    house.clock.forward(hours=24)
    house.tick()
    assert causes(house) == [("close", "deadline")]
    assert house.tick() == 0


# Limits


def test_when_the_questions_of_a_turn_are_used_up_asking_is_silence(made):
    house = made(terms=Terms(reminder_hours=0, asks=1))
    house.write("south", asks("Cat", "FLEE"))
    house.write("south", asks("Dog", "FLEE"))
    paused(house, "CREEP Bee TO s3", "CREEP Bee TO s5", "MOVE Ant TO s2", "CREEP Ant TO s6")
    letters(house)
    house.write("south", "1A")
    house.sent()
    assert house.tick() == 1
    reports = dict(letters(house))
    notice = "You have had all the questions of this turn (letters: 1); 1 more were not asked."
    assert (notice in reports["south"], notice in reports["north"]) == (True, False)
    assert [(meeting["unit"], meeting["by"]) for meeting in met(house)] == [
        ("Cat", "answer"),
        ("Dog", "standing UNIT Dog 1"),
    ]
    assert same_again(house) == 1


def test_the_questions_of_the_next_turn_are_new_ones(made):
    house = made(terms=Terms(reminder_hours=0, asks=1))
    house.write("south", asks("Cat"))
    paused(house, "CREEP Bee TO s3", "CREEP Bee TO s5")
    house.write("south", "1A")
    house.tick()
    house.write("south", orders(1, "PASS"))
    house.tick()
    house.write("north", orders(2, "CREEP Bee TO s4", "CREEP Bee TO s5"))
    house.tick()
    assert game(house)[-1] == (2, "north", "closed")


def test_a_game_may_ask_every_seat_at_every_window(made):
    house = made(terms=Terms(reminder_hours=0, reactions="interrupt"))
    paused(house, "CREEP Bee TO s3", "CREEP Bee TO s5")
    (_, waits), (_, asked) = letters(house)
    assert waits.startswith("kind: waiting")
    assert "A  it stands <- if you say nothing" in asked


def test_a_game_without_questions_asks_nobody(made):
    house = made(terms=Terms(reminder_hours=0, asks=0, reactions="interrupt"))
    paused(house, "CREEP Bee TO s3", "CREEP Bee TO s5")
    assert game(house)[0] == (1, "north", "resolved")


# Dice


def rolls(house):
    return {label: values for label, _, _, values in json.loads(house.all(tables.Phase)[0].rolls)}


@pytest.mark.parametrize("answer", ["1A", "1B", ""])
def test_what_happened_before_the_question_stays(made, answer):
    house = made()
    house.write("south", asks("Cat"))
    paused(house, "MOVE Ant TO s2", "CREEP Bee TO s5", "MOVE Ant TO s3")
    before = json.loads(house.all(tables.Segment)[0].events)
    if answer:
        house.write("south", answer)
    else:
        house.clock.forward(hours=24)
    house.tick()
    assert events(house)[: len(before)] == before != []
    first, second = house.all(tables.Segment)
    assert first.slate == house.all(tables.Phase)[0].slate
    previous = sha256_hex(first.slate.encode())
    assert second.slate.startswith(
        f"pbemdice/v1/slate\ngame g1\nphase T1.north~1\nsegment 2\nprevious {previous}\nedition sha256:"
    )
    assert same_again(house) == 1


def rolled(folder, answer):
    """Slates and rolls of a phase with a die before the question and many after it."""
    folder.mkdir()
    house = PlayedGame(folder, terms=Terms(reminder_hours=0), undo_minutes=0)
    house.write("south", asks("Cat"))
    paused(house, "MOVE Ant TO s2", "CREEP Bee TO s5", *(f"MOVE Ant TO s{n}" for n in range(20, 30)))
    house.write("south", answer)
    house.tick()
    slates, dice = [row.slate for row in house.all(tables.Segment)], rolls(house)
    house.server.engine.dispose()
    return slates, dice


def test_a_label_stays_in_its_segment_and_later_dice_follow_from_the_answer(tmp_path):
    (first, first_roll), (second, other) = (rolled(tmp_path / answer, answer) for answer in ("1A", "1B"))
    assert first[0] == second[0]
    assert first[1] != second[1]
    assert first_roll.keys() == other.keys()
    assert first_roll["Ant>s2/push"] == other["Ant>s2/push"]
    assert first_roll != other


# Held


def test_what_was_mailed_must_come_out_again_or_the_game_is_held(house, monkeypatch):
    house.sent()
    step = Rules.step

    def otherwise(self, state, task):
        outcome = step(self, state, task)
        if task.args == ("Bee", 3):
            assert isinstance(outcome, Did)
            return Did((outcome.events[0]._replace(cite="T8"),), outcome.then)
        return outcome

    monkeypatch.setattr(Rules, "step", otherwise)
    house.write("south", "1A")
    house.sent()
    house.tick()
    assert house.game().state == "held"
    assert house.game().held_why.startswith("Diverged: event 1 was sent as ")
    assert any(row.recipient == "op@games.example" for row in house.all(tables.Outbox))
    assert (events(house), [row.state for row in house.all(tables.Segment)]) == ([], ["asking"])
    monkeypatch.undo()
    with house.server.work() as work:
        holds.resume_game(work, "g1")
    house.tick()
    assert met(house)[0] == {"unit": "Cat", "did": "STAND", "by": "answer"}
    assert same_again(house) == 1


def test_a_replay_finds_an_answer_that_was_changed(house):
    house.write("south", "1A")
    house.tick()
    with house.server.session() as session:
        row = session.get_one(tables.Question, 1)
        row.answer = '["FLEE"]'
    with house.server.work() as work:
        difference = replay(work, "g1").difference
    assert difference is not None
    assert difference.what == "slate 2"


def test_a_replay_finds_what_was_mailed_otherwise(house):
    house.write("south", "1A")
    house.tick()
    with house.server.session() as session:
        session.get_one(tables.Segment, 1).events = "[]"
    with house.server.work() as work:
        difference = replay(work, "g1").difference
    # Nothing was mailed is a beginning of everything; something else is not.
    assert difference is None
    with house.server.session() as session:
        session.get_one(tables.Segment, 1).events = '[{"cite":"T1","data":{},"kind":"moved"}]'
    with house.server.work() as work:
        difference = replay(work, "g1").difference
    assert difference is not None
    assert difference.what == "pause 1"


# What the other side can tell


def others_view(folder, unit, then):
    """All that north gets while south is asked about one counter or another."""
    folder.mkdir()
    house = PlayedGame(folder, terms=Terms(reminder_hours=0), undo_minutes=0)
    house.write("south", asks(unit, *then))
    paused(house, "CREEP Bee TO s3", "CREEP Ant TO s6", "CREEP Bee TO s5", "MOVE Ant TO s2")
    got = [text for seat, text in letters(house) if seat == "north"]
    for line in ("STATUS", "1A", "MAP", "HISTORY", orders(1, "PASS")):
        house.write("north", line)
        got.append(house.answer())
    house.server.engine.dispose()
    return got


def test_the_other_side_cannot_tell_what_is_asked(tmp_path):
    cat = others_view(tmp_path / "cat", "Cat", ())
    dog = others_view(tmp_path / "dog", "Dog", ("FLEE",))
    assert cat == dog
    assert len(cat) == 6


# Killed


def child(work):
    """Run in a process of its own; its exit code."""
    pid = os.fork()
    if pid == 0:
        code = 70
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


@pytest.mark.parametrize("when", ["question", "report"])
def test_killed_while_it_asks_or_goes_on_nothing_is_lost_or_doubled(made, monkeypatch, when):
    house = made()
    house.write("south", asks("Cat", "FLEE"))
    house.write("north", orders(1, "CREEP Bee TO s3", "CREEP Bee TO s5"))
    house.sent()
    if when == "report":
        house.tick()
        house.write("south", "1A")
        house.sent()
    before = [len(house.all(table)) for table in (tables.Segment, tables.Question, tables.Event, tables.Outbox)]

    def deadly(*args):
        os._exit(9)

    with monkeypatch.context() as patched:
        patched.setattr(Telling, when, deadly)
        house.server.engine.dispose()
        assert child(house.tick) == 9
    after = [len(house.all(table)) for table in (tables.Segment, tables.Question, tables.Event, tables.Outbox)]
    assert after == before
    house.tick()
    if when == "question":
        assert [row.state for row in house.all(tables.Segment)] == ["asking"]
        house.write("south", "1A")
        house.tick()
    assert met(house) == [{"unit": "Cat", "did": "STAND", "by": "answer"}]
    assert house.tick() == 0
    kinds = [row.kind for row in house.all(tables.Outbox)]
    assert (kinds.count("question"), kinds.count("waiting")) == (1, 1)
    assert same_again(house) == 1
