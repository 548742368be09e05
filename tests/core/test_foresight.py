"""What is certain before the first die or the first word of somebody else."""

from pbem.engine.data.events import event
from pbem.engine.run.runners import Foresight, foresee
from pbem.engine.run.steps import Ask, Did, Roll, Rolled, Task, Window, World
from tests.core.bridge import Answers, Rules, State, crossing

RULES = Rules()
BROKEN = State(bridge=False)


def test_a_roll_ends_it_before_it_is_made():
    foresight = foresee(RULES, crossing("Ann"), Answers({}), ("near",))
    roll = Roll("near>far", "crossing Ann", 1, 6)
    assert foresight == Foresight((), State(), roll, crossing("Ann"))


def test_what_happens_before_it_is_told_with_the_states_between():
    class Walk(Rules):
        def step(self, state, task):
            if task.name == "walk":
                return Did((event("crosses", "X1", unit="Dan"), event("crosses", "X1", unit="Eve")))
            return super().step(state, task)

    foresight = foresee(Walk(), World(State(), (Task("walk"), Task("toss"))), Answers({}), ())
    assert [(happened.data["unit"], before.across) for happened, before in foresight.events] == [
        ("Dan", ()),
        ("Eve", ("Dan",)),
    ]
    assert foresight.state == State(("Dan", "Eve"))
    assert foresight.stop == Roll("near", "toss coins", 3, 2)
    assert [task.name for task in foresight.done] == ["walk"]


def half_way():
    got = (Rolled("near>far/crossing Ann", 1, 6, (3,)),)
    return World(State(), (Task("cross", ("Ann",), got), Task("toss")))


def test_a_question_to_somebody_else_ends_it_though_there_is_an_answer():
    foresight = foresee(RULES, half_way(), Answers({"near>far/blow up Ann": "NO"}), ("near",))
    assert foresight.stop == Ask(Window("near>far", "blow up", "far", "Ann", ("YES", "NO")))
    assert foresight.events == ()


def test_a_question_of_ones_own_is_answered_and_it_goes_on():
    foresight = foresee(RULES, half_way(), Answers({"near>far/blow up Ann": "YES"}), ("far",))
    assert [happened.kind for happened, _ in foresight.events] == ["blows up"]
    assert foresight.stop == Roll("near", "toss coins", 3, 2)


def test_a_question_of_ones_own_that_a_letter_must_answer_ends_it():
    foresight = foresee(RULES, half_way(), Answers({}), ("far",))
    assert isinstance(foresight.stop, Ask)


def test_without_dice_it_goes_to_the_end():
    foresight = foresee(RULES, crossing("Ann1", "Bob2", state=BROKEN), Answers({}), ("near",))
    assert [happened.kind for happened, _ in foresight.events] == ["not carried out", "not carried out"]
    assert (foresight.state, foresight.stop) == (BROKEN, None)
