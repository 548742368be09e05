"""What is asked by letter: which questions can be asked at once, who answers when nobody does, who is asked no more."""

from typing import NamedTuple

import pytest

from pbem.engine.data.events import event
from pbem.engine.data.messages import msg
from pbem.engine.orders.doctrine import Doctrine
from pbem.engine.orders.standing import Reaction, Rule, Scope
from pbem.engine.run.questions import MOST_QUESTIONS, Asks, Option, Question, knowable
from pbem.engine.run.runners import Done, Paused, answer, count, play, resume
from pbem.engine.run.steps import Ask, Choice, Did, Roll, Task, Window, World
from tests.core.bridge import Dice

SEATS = ("near", "far")


class Gate(NamedTuple):
    """Gates that are open."""

    open: tuple[str, ...] = ()


class Gates:
    """``gate a far``: its keeper is asked; ``die``: a roll; ``if a b far``: a gate b, if a is open."""

    def step(self, state, task):
        if task.name == "die":
            return Did((event("rolled", "G1"),)) if task.got else Roll("gates", "die", 1, 6)
        *before, name, keeper = task.args
        if before and before[0] not in state.open:
            return Did()
        if not task.got:
            words = ("OPEN", "SHUT", "BAR") if name == "c" and "a" in state.open else ("OPEN", "SHUT")
            return Ask(Window("gates", "gate", keeper, name, words))
        return Did((event("gate", "G2", gate=name, how=task.got[0].value[0], by=task.got[0].by),))

    def apply(self, state, happened):
        opened = happened.kind == "gate" and happened.data["how"] == "OPEN"
        return state._replace(open=(*state.open, happened.data["gate"])) if opened else state


class Keepers(Doctrine[Gate, None]):
    def scene(self, state, window):
        return None

    def reactions(self, state, window, rule, scene):
        return rule.reactions

    def value(self, state, window, reaction):
        return (reaction.keyword,) if reaction.keyword in window.options else ()

    def default(self, state, window):
        return ("SHUT",)


RULES = Gates()


def wording(state, window, silence):
    options = tuple(Option((word,), msg(word)) for word in window.options)
    return Question(msg("Gate {name}?", name=window.subject), options)


def agenda(*texts):
    return World(Gate(), tuple(Task("gate" if t != "die" else "die", tuple(t.split())) for t in texts))


def rule(*reactions, number=1):
    return Rule(Scope(), number, "GATE", (), tuple(Reaction(*reaction) for reaction in reactions))


ASK = ("ASK", ("12",))
EVERYTHING = Asks(frozenset(SEATS))


def asked(*texts, standing=None, asks=EVERYTHING, answers=None):
    keepers = Keepers(standing or {}, answers, asks)
    paused = play(RULES, agenda(*texts), Dice(), keepers)
    assert isinstance(paused, Paused)
    return knowable(RULES, paused.world, keepers, wording, SEATS)


def subjects(questions):
    return [question.window.subject for question in questions]


# At once


def test_every_question_before_the_next_die_is_asked_at_once():
    assert subjects(asked("a far", "b near", "die", "c far")) == ["a", "b"]


def test_a_die_that_comes_first_is_rolled_first():
    assert subjects(asked("die", "a far", "die", "b far")) == ["a"]


def test_what_hangs_on_an_answer_is_asked_after_it():
    assert subjects(asked("a far", "a b far", "c far")) == ["a"]


def test_what_comes_up_after_every_answer_is_asked_with_the_options_of_all():
    first, second = asked("a far", "c far", "die")
    assert [option.value for option in second.question.options] == [("OPEN",), ("SHUT",), ("BAR",)]
    assert (first.silence, second.silence) == (Choice(("SHUT",)), Choice(("SHUT",)))


def test_the_same_question_again_counts():
    questions = asked("a far", "a far")
    assert [question.window.id for question in questions] == ["gates/gate a", "gates/gate a#2"]


def test_a_letter_holds_so_many_questions():
    assert len(asked(*(f"g{number} far" for number in range(20)))) <= MOST_QUESTIONS


def test_a_question_of_few_ways_does_not_run_away():
    # Eight gates of two answers are as many ways as are looked at.
    assert len(asked(*(f"g{number} far" for number in range(20)))) == 9


def test_asking_rolls_and_changes_nothing():
    keepers, dice = Keepers({}, None, EVERYTHING), Dice()
    paused = play(RULES, agenda("a far", "b far", "die"), dice, keepers)
    assert isinstance(paused, Paused)
    before = paused.world
    knowable(RULES, paused.world, keepers, wording, SEATS)
    assert (paused.world, dice.asked) == (before, [])


# Who is asked


def test_a_rule_that_asks_gives_its_hours_and_the_next_rule_holds_in_silence():
    standing = {"far": [rule(ASK), rule(("OPEN",), number=2)]}
    (question,) = asked("a far", standing=standing, asks=Asks())
    assert (question.hours, question.silence) == (12, Choice(("OPEN",), "standing ALL 2"))


def test_what_stands_behind_the_question_in_its_own_rule_holds_too():
    (question,) = asked("a far", standing={"far": [rule(ASK, ("OPEN",))]}, asks=Asks())
    assert question.silence == Choice(("OPEN",), "standing ALL 1")


def test_what_stands_before_the_question_forestalls_it():
    done = play(RULES, agenda("a far"), Dice(), Keepers({"far": [rule(("OPEN",), ASK)]}, None, Asks()))
    assert isinstance(done, Done)
    assert done.state.open == ("a",)


def test_a_window_without_a_choice_is_not_asked():
    keepers = Keepers({}, None, EVERYTHING)
    assert keepers.answer(Gate(), Window("gates", "gate", "far", "a", ("SHUT",))) == Choice(("SHUT",))


@pytest.mark.parametrize("asks", [None, Asks(), Asks(mute=frozenset({"far"}))])
def test_nobody_is_asked_who_may_not_be(asks):
    assert isinstance(play(RULES, agenda("a far"), Dice(), Keepers({}, None, asks)), Done)


def test_whoever_was_asked_enough_is_told_how_often_he_was_not():
    keepers = Keepers({"far": [rule(ASK)]}, None, Asks(frozenset({"near"}), frozenset(SEATS)))
    done = play(RULES, agenda("a far", "b far", "c near"), Dice(), keepers)
    assert isinstance(done, Done)
    assert {seat: len(windows) for seat, windows in keepers.unasked.items()} == {"far": 2, "near": 1}


# Answers


def test_an_answer_is_taken_and_silence_is_an_answer_too():
    keepers = Keepers({"far": [rule(ASK), rule(("OPEN",))]}, {"gates/gate a": ("SHUT",), "gates/gate b": ()}, Asks())
    done = play(RULES, agenda("a far", "b far"), Dice(), keepers)
    assert isinstance(done, Done)
    assert [(e.data["how"], e.data["by"]) for e in done.events] == [("SHUT", "answer"), ("OPEN", "standing ALL 1")]


def test_an_answer_that_does_not_fit_any_more_is_silence():
    keepers = Keepers({}, {"gates/gate c": ("BAR",)}, EVERYTHING)
    done = play(RULES, agenda("c far"), Dice(), keepers)
    assert isinstance(done, Done)
    assert done.events[0].data["by"] == "default"


def test_the_run_goes_on_where_it_paused():
    keepers = Keepers({}, {}, EVERYTHING)
    paused = play(RULES, agenda("die", "a far", "b far"), Dice(), keepers)
    assert isinstance(paused, Paused)
    first = paused.world.agenda[0]
    window = count(Window("gates", "gate", "far", "a", ("OPEN", "SHUT")), dict(paused.world.used))
    after = answer(paused.world, window, Choice(("OPEN",), "answer"))
    assert after.agenda[0] == first._replace(got=(Choice(("OPEN",), "answer"),))
    again = resume(
        RULES, agenda("die", "a far", "b far"), Dice(), Keepers({}, {window.id: ("OPEN",)}, EVERYTHING), paused.events
    )
    assert isinstance(again, Paused)
    assert again.windows[0].subject == "b"
