"""Runners: a world taken to its end, stopped where somebody must be asked, and run again from its start."""

import pytest

from pbem.engine.data.canon import dumps, loads
from pbem.engine.data.events import Event, event
from pbem.engine.run.labels import Label
from pbem.engine.run.runners import Diverged, Done, Paused, TracedEvent, advance, play, resume, trace
from pbem.engine.run.steps import Ask, Choice, Did, Roll, Rolled, Task, Window, World
from tests.core.bridge import Answers, Dice, Rules, State, crossing

RULES = Rules()
NO = {f"near>far/blow up {name}": "NO" for name in ("Ann", "Bob", "Cid")}


def stored(events):
    """Events as they come back from a database: lists where there were tuples."""
    return [Event.from_json(loads(dumps(happened.to_json()))) for happened in events]


# One step


def test_a_step_that_rolls_waits_with_its_die():
    dice = Dice(crossing_Ann=[3])
    moment = advance(RULES, crossing("Ann", "Bob"), dice, Answers({}))
    rolled = Rolled("near>far/crossing Ann", 1, 6, (3,))
    assert moment.outcome == Roll("near>far", "crossing Ann", 1, 6)
    assert (moment.rolled, moment.choice) == (rolled, None)
    assert moment.world == World(
        State(),
        (Task("cross", ("Ann",), (rolled,)), Task("cross", ("Bob",))),
        (("near>far/crossing Ann", 1),),
    )
    assert dice.asked == [("near>far/crossing Ann", 1, 6)]


def test_a_step_that_asks_waits_with_the_answer():
    rolled = Rolled("near>far/crossing Ann", 1, 6, (3,))
    world = World(State(), (Task("cross", ("Ann",), (rolled,)),), (("near>far/crossing Ann", 1),))
    moment = advance(RULES, world, Dice(), Answers(NO))
    assert moment.choice == Choice(("NO",), "answer")
    assert moment.world.agenda == (Task("cross", ("Ann",), (rolled, Choice(("NO",), "answer"))),)
    assert moment.world.state == world.state


def test_a_step_that_nobody_answers_leaves_the_world_as_it_is():
    rolled = Rolled("near>far/crossing Ann", 1, 6, (3,))
    world = World(State(), (Task("cross", ("Ann",), (rolled,)),))
    moment = advance(RULES, world, Dice(), Answers({}))
    assert isinstance(moment.outcome, Ask)
    assert moment.world == world
    assert moment.choice is None


def test_a_step_that_is_over_changes_the_state_and_puts_its_tasks_first():
    got = (Rolled("near>far/crossing Ann", 1, 6, (1,)), Choice(("NO",)))
    world = World(State(), (Task("cross", ("Ann",), got), Task("toss")))
    moment = advance(RULES, world, Dice(), Answers({}))
    assert moment.outcome == Did((event("stumbles", "X2", unit="Ann"),), (Task("cross", ("Ann",)),))
    assert [task.name for task in moment.world.agenda] == ["cross", "toss"]


def test_advance_and_play_take_the_same_steps():
    world = crossing("Ann", "Bob")
    events: list[Event] = []
    while world.agenda:
        moment = advance(RULES, world, Dice(crossing_Ann=[4]), Answers(NO))
        if isinstance(moment.outcome, Did):
            events += moment.outcome.events
        world = moment.world
    done = play(RULES, crossing("Ann", "Bob"), Dice(crossing_Ann=[4]), Answers(NO))
    assert (tuple(events), world.state) == (done.events, done.state)


# Labels


def test_the_same_roll_again_in_one_phase_is_counted():
    dice = Dice()
    done = play(RULES, World(State(), (Task("twice"), Task("toss"), Task("twice"))), dice, Answers({}))
    labels = [label for label, _, _ in dice.asked]
    assert labels == ["near/again", "near/again#2", "near/toss coins", "near/again#3", "near/again#4"]
    assert [Label.parse(label).nth for label in labels] == [1, 2, 1, 3, 4]
    assert [rolled.label for rolled in done.rolls] == labels


def test_the_same_question_again_in_one_phase_is_counted():
    stumble_once = Dice(crossing_Ann=[1])
    paused = play(RULES, crossing("Ann"), stumble_once, Answers({"near>far/blow up Ann": "NO"}))
    assert isinstance(paused, Paused)
    assert [window.id for window in paused.windows] == ["near>far/blow up Ann#2"]
    given = {"near>far/blow up Ann": "NO", "near>far/blow up Ann#2": "YES"}
    done = play(RULES, crossing("Ann"), stumble_once, Answers(given))
    assert [happened.kind for happened in done.events] == ["stumbles", "blows up"]


def test_the_count_is_part_of_the_world():
    again = World(State(), (Task("twice"),), (("near/again", 7),))
    dice = Dice()
    play(RULES, again, dice, Answers({}))
    assert [label for label, _, _ in dice.asked] == ["near/again#8", "near/again#9"]
    assert again.used == (("near/again", 7),)


def test_a_roll_more_moves_no_other_die():
    few, many = Dice(), Dice()
    play(RULES, World(State(), (Task("toss"),)), few, Answers({}))
    play(RULES, World(State(), (Task("twice"), Task("toss"))), many, Answers({}))
    assert few.asked[0] in many.asked


# To the end


def test_play_gives_events_rolls_and_state():
    done = play(RULES, crossing("Ann", "Bob"), Dice(crossing_Ann=[2]), Answers(NO))
    assert done == Done(
        (event("crosses", "X1", unit="Ann", dice=(2,)), event("crosses", "X1", unit="Bob", dice=(6,))),
        State(("Ann", "Bob")),
        (Rolled("near>far/crossing Ann", 1, 6, (2,)), Rolled("near>far/crossing Bob", 1, 6, (6,))),
    )


def test_the_state_is_the_fold_of_the_events():
    done = play(RULES, crossing("Ann", "Bob"), Dice(), Answers({**NO, "near>far/blow up Bob": "YES"}))
    state = State()
    for happened in done.events:
        state = RULES.apply(state, happened)
    assert state == done.state == State(("Ann",), bridge=False)


def test_rules_that_take_events_together_are_given_those_of_a_step():
    class Folding(Rules):
        def __init__(self):
            self.given = []

        def fold(self, state, events):
            self.given.append([happened.kind for happened in events])
            for happened in events:
                state = self.apply(state, happened)
            return state

    rules, world = Folding(), crossing("Ann", "Bob")
    assert play(rules, world, Dice(), Answers(NO)) == play(RULES, world, Dice(), Answers(NO))
    assert rules.given == [["crosses"], ["crosses"]]


def test_nothing_to_do_is_done_at_once():
    assert play(RULES, World(State(("Ann",)), ()), Dice(), Answers({})) == Done((), State(("Ann",)), ())


def test_what_is_told_alone_changes_nothing():
    done = play(RULES, World(State(), (Task("toss"),)), Dice(toss_coins=[1, 2, 2]), Answers({}))
    assert done.events == (event("toss", "X3", heads=2),)
    assert done.state == State()


# Pause and resume


def test_an_unanswered_window_pauses_before_the_next_die():
    dice = Dice(crossing_Ann=[2])
    paused = play(RULES, crossing("Ann", "Bob", "Cid"), dice, Answers({"near>far/blow up Ann": "NO"}))
    assert isinstance(paused, Paused)
    assert paused.events == (event("crosses", "X1", unit="Ann", dice=(2,)),)
    assert paused.state == State(("Ann",))
    assert [rolled.label for rolled in paused.rolls] == ["near>far/crossing Ann", "near>far/crossing Bob"]
    assert paused.windows == (Window("near>far", "blow up", "far", "Bob", ("YES", "NO")),)
    assert paused.windows[0].id == "near>far/blow up Bob"
    assert "near>far/crossing Cid" not in [label for label, _, _ in dice.asked]


def test_a_window_about_nobody_is_named_after_its_seat():
    assert Window("B>C", "vanguard", "morocco").id == "B>C/vanguard morocco"
    assert Window("B>C", "cavalry", "morocco", "Bujari").id == "B>C/cavalry Bujari"


def test_resume_goes_on_from_the_start_with_the_answer():
    paused = play(RULES, crossing("Ann", "Bob"), Dice(), Answers({"near>far/blow up Ann": "NO"}))
    done = resume(RULES, crossing("Ann", "Bob"), Dice(), Answers(NO), stored(paused.events))
    assert isinstance(done, Done)
    assert done == play(RULES, crossing("Ann", "Bob"), Dice(), Answers(NO))
    assert done.events[: len(paused.events)] == paused.events


def test_resume_may_pause_again():
    sent = play(RULES, crossing("Ann", "Bob", "Cid"), Dice(), Answers({"near>far/blow up Ann": "NO"})).events
    given = {"near>far/blow up Ann": "NO", "near>far/blow up Bob": "NO"}
    paused = resume(RULES, crossing("Ann", "Bob", "Cid"), Dice(), Answers(given), stored(sent))
    assert isinstance(paused, Paused)
    assert paused.windows[0].subject == "Cid"
    assert len(paused.events) == 2


def test_what_was_sent_must_come_out_again():
    sent = play(RULES, crossing("Ann", "Bob"), Dice(), Answers(NO)).events
    with pytest.raises(Diverged, match=r"event 2 was sent as .* and came out as") as error:
        resume(RULES, crossing("Ann", "Bob"), Dice(crossing_Bob=[5]), Answers(NO), stored(sent))
    assert error.value.index == 1
    assert error.value.sent.data["dice"] == [6]
    assert error.value.now == event("crosses", "X1", unit="Bob", dice=(5,))


def test_an_event_that_was_sent_must_not_be_missing():
    sent = [*play(RULES, crossing("Ann"), Dice(), Answers(NO)).events, event("crosses", "X1", unit="Zoe")]
    with pytest.raises(Diverged, match="came out as None") as error:
        resume(RULES, crossing("Ann"), Dice(), Answers(NO), sent)
    assert (error.value.index, error.value.now) == (1, None)


def test_nothing_sent_is_always_repeated():
    assert resume(RULES, crossing("Ann"), Dice(), Answers(NO), []).events[0].kind == "crosses"


# Where events come from


def test_every_event_is_traced_to_the_nearest_task_that_has_a_name():
    world = World(State(), (Task("cross", ("Ann",)), Task("toss"), Task("cross", ("Bob",))))
    answers = Answers(NO | {"near>far/blow up Ann#2": "NO"})

    def name(task):
        # What a stumble leads to has no name of its own.
        return task.args[0] if task.args and len(answers.seen) != 1 else ""

    traced = trace(RULES, world, Dice(crossing_Ann=[1], crossing_Ann2=[2]), Answers(NO), lambda task: "")
    assert [traced_event.event.kind for traced_event in traced] == ["stumbles"]
    traced = trace(RULES, world, Loaded(), answers, name)
    assert [(traced_event.event.kind, traced_event.origin) for traced_event in traced] == [
        ("stumbles", "Ann"),
        ("crosses", "Ann"),
        ("toss", ""),
        ("crosses", "Bob"),
    ]
    done = play(RULES, world, Loaded(), Answers(answers.given))
    assert tuple(traced_event.event for traced_event in traced) == done.events
    assert traced[0] == TracedEvent(done.events[0], "Ann")


class Loaded:
    """Dice that show a 1 at the first throw of a label, sixes after it."""

    def roll(self, label, n, sides):
        return (1,) * n if label == "near>far/crossing Ann" else (sides,) * n
