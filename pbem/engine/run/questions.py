"""Questions by letter: lettered answers, and questions that can be asked at once.

An owner is asked before a die is thrown whose result could influence his answer. One letter has all questions that
come up before that die regardless of his answers to the others.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from string import ascii_uppercase
from typing import Generic, NamedTuple, Protocol, TypeVar

from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg
from pbem.engine.data.report import Line
from pbem.engine.run.runners import Decisions, answer, count, foresee
from pbem.engine.run.steps import LETTER, Ask, Choice, Did, Rules, Task, Window, World

S = TypeVar("S")
T = TypeVar("T", contravariant=True)
Value = tuple[str, ...]
"""The words of an answer."""

MOST_QUESTIONS = 9
"""Questions in one letter; further ones are asked in the next. A choice: one digit numbers them."""
MOST_WORLDS = 256
"""Combinations of answers to earlier questions: each is played on, and their number multiplies. Beyond it no further
question is searched, and later questions come in another letter."""


class Asks(NamedTuple):
    """The seats that may be asked by letter.

    `always` are asked at every window, `mute` are no longer asked. With `together`, the known questions of one
    fight are in one letter, and the windows in `idle`, where no answer changes anything, are skipped.
    """

    always: frozenset[str] = frozenset()
    mute: frozenset[str] = frozenset()
    together: bool = False
    idle: frozenset[str] = frozenset()


class Option(NamedTuple):
    """An offered answer: the words that the rules use for it, and their meaning."""

    value: Value
    text: Msg


class Question(NamedTuple):
    """A window in words for its owner; the options include the default in silence.

    `scene` are the units there, as the owner sees them. `also` are later windows of the same matter, which this
    answer may answer too.
    """

    text: Msg
    options: tuple[Option, ...]
    scene: tuple[Line, ...] = ()
    also: tuple[Window, ...] = ()


class AskedQuestion(NamedTuple):
    """A letter's question: window, words, choice in silence, hours to answer.

    `clashes` are answers to the letter's first question, each with an answer to this one that is not open then.
    """

    window: Window
    question: Question
    silence: Choice
    hours: int
    clashes: tuple[tuple[Value, Value], ...] = ()


class Asking(Decisions[T], Protocol[T]):
    """Decisions that may ask by letter."""

    def silence(self, state: T, window: Window) -> Choice:
        """Return the choice if the owner does not answer."""
        ...

    def hours(self, state: T, window: Window) -> int:
        """Return the hours to answer."""
        ...

    @property
    def unasked(self) -> dict[str, set[str]]:
        """Return, by seat, the windows not asked because the seat's limit was used up."""
        ...


Wording = Callable[[S, Window, Choice], Question]
"""Words a window for its owner, from what the owner sees in the state; the choice is the default in silence."""


def sign_of(place: int) -> str:
    """Return the sign of an option, A to Z, by its place from 0."""
    return ascii_uppercase[place]


def matters(rules: Rules[S], world: World[S], asked: AskedQuestion) -> bool:
    """Return whether the options of an open question lead to different results."""
    task = world.agenda[0]
    outcomes = [
        rules.step(world.state, task._replace(got=(*task.got, Choice(option.value, "default"))))
        for option in asked.question.options
    ]
    results = [_without_reasons(outcome) if isinstance(outcome, Did) else None for outcome in outcomes]
    return any(result is None or result != results[0] for result in results)


def _without_reasons(did: Did) -> tuple[tuple[Event, ...], tuple[Task, ...]]:
    """Return the events and tasks of a choice without the seat that made it."""
    events = (happened._replace(data={k: v for k, v in happened.data.items() if k != "by"}) for happened in did.events)
    return tuple(events), did.then


def knowable(
    rules: Rules[S],
    world: World[S],
    decisions: Asking[S],
    wording: Wording[S],
    seats: Collection[str],
    *,
    together: bool = False,
) -> tuple[AskedQuestion, ...]:
    """Return the questions that come up before the next roll.

    They are those that come up regardless of the answers to the others, in order. `world` waits at an unanswered
    window; `seats` are all of the game. If a question has other options after other answers, all are offered. For
    `together` see `Asks`.
    """
    questions: list[AskedQuestion] = []
    later: list[AskedQuestion] = []
    worlds = [world]
    first_world = world
    while len(questions) < MOST_QUESTIONS and len(worlds) <= MOST_WORLDS:
        fronts = [_next(rules, start, decisions, seats) for start in worlds]
        waiting = [(start, window) for start, window in fronts if window is not None and window.what != LETTER]
        if len(waiting) < len(fronts) or len({(window.id, window.seat) for _, window in waiting}) > 1:
            break
        asked = [_ask(start, window, decisions, wording) for start, window in waiting]
        if together and not any(
            matters(rules, start, question) for (start, _), question in zip(waiting, asked, strict=True)
        ):
            worlds = [
                answer(start, window, question.silence)
                for (start, window), question in zip(waiting, asked, strict=True)
            ]
            continue
        first_world = first_world if questions else waiting[0][0]
        questions.append(_merge_options(asked))
        if together:
            later += _later(waiting[0][0], asked[0], decisions, wording)
        worlds = [
            answer(start, window, choice)
            for (start, window), question in zip(waiting, asked, strict=True)
            for choice in _choices(question)
        ]
    known = {question.window.id for question in questions}
    more = (question for question in later if question.window.id not in known)
    asked_together = [*dict.fromkeys((*questions, *more))][:MOST_QUESTIONS]
    if len(asked_together) < 2:
        return tuple(asked_together)
    first, *others = asked_together
    open_values = _open_after(rules, first_world, first, decisions, wording, seats)
    return (first, *(question._replace(clashes=_clashes(question, open_values)) for question in others))


def _open_after(
    rules: Rules[S],
    world: World[S],
    first: AskedQuestion,
    decisions: Asking[S],
    wording: Wording[S],
    seats: Collection[str],
) -> dict[Value, tuple[str, frozenset[Value]]]:
    """Return the next window and its answers, by answer to the first question."""
    open_values: dict[Value, tuple[str, frozenset[Value]]] = {}
    for choice in _choices(first):
        reached, window = _next(rules, answer(world, first.window, choice), decisions, seats)
        if window is not None and window.what != LETTER:
            options = _ask(reached, window, decisions, wording).question.options
            open_values[choice.value] = (window.id, frozenset(option.value for option in options))
    return open_values


def _clashes(
    asked: AskedQuestion, open_values: Mapping[Value, tuple[str, frozenset[Value]]]
) -> tuple[tuple[Value, Value], ...]:
    """Return answers to the first question, each with one that it shuts out."""
    return tuple(
        (given, option.value)
        for given, (window, values) in open_values.items()
        if window == asked.window.id
        for option in asked.question.options
        if option.value not in values
    )


def _later(world: World[S], asked: AskedQuestion, decisions: Asking[S], wording: Wording[S]) -> list[AskedQuestion]:
    """Return the questions that can be answered with another.

    Windows that are not asked by letter are left out. The default of a later window is the one after silence to
    this one: what that uses up cannot be chosen again.
    """
    state, questions = world.state, list[AskedQuestion]()
    for window in (count(uncounted, dict(world.used)) for uncounted in asked.question.also):
        if window.seat == asked.window.seat and decisions.answer(state, window) is None:
            options_left = tuple(word for word in window.options if word not in asked.silence.value)
            silence = decisions.silence(state, window._replace(options=options_left or window.options))
            questions.append(
                AskedQuestion(window, wording(state, window, silence), silence, decisions.hours(state, window))
            )
    return questions


def _next(
    rules: Rules[S], world: World[S], decisions: Asking[S], seats: Collection[str]
) -> tuple[World[S], Window | None]:
    """Return the world at the next unanswered window, and the window.

    It is None if a roll or the end comes first.
    """
    ahead = foresee(rules, world, decisions, seats)
    if not isinstance(ahead.stop, Ask):
        return ahead.world, None
    return ahead.world, count(ahead.stop.window, dict(ahead.world.used))


def _ask(world: World[S], window: Window, decisions: Asking[S], wording: Wording[S]) -> AskedQuestion:
    silence = decisions.silence(world.state, window)
    return AskedQuestion(window, wording(world.state, window, silence), silence, decisions.hours(world.state, window))


def _merge_options(asked: Sequence[AskedQuestion]) -> AskedQuestion:
    """Return a question as it comes up after silence, with all its options.

    Options that it has only after other answers are added.
    """
    first = asked[0]
    options = {option.value: option for question in asked for option in question.question.options}
    merged = tuple(options.values())[: len(ascii_uppercase)]
    return first._replace(question=first.question._replace(options=merged))


def _choices(asked: AskedQuestion) -> tuple[Choice, ...]:
    """Return the possible choices of a question, silence first."""
    values = (option.value for option in asked.question.options if option.value != asked.silence.value)
    return (asked.silence, *(Choice(value, "answer") for value in values))


# The value of an answer: the answers to a waiting question, tried one by one over all dice.
#
# Later matters are not played, and other seats follow `decisions`.


V = TypeVar("V")


class _LeaveOpen(NamedTuple, Generic[S]):
    """Decisions that leave some windows open."""

    decisions: Decisions[S]
    left: frozenset[str]

    def answer(self, state: S, window: Window) -> Choice | None:
        """Return the choice, None at the windows left open."""
        return None if window.id in self.left else self.decisions.answer(state, window)


def weigh_answers(
    rules: Rules[S],
    world: World[S],
    asked: Sequence[AskedQuestion],
    decisions: Decisions[S],
    weigh: Callable[[World[S]], V | None],
) -> list[list[V | None]]:
    """Return, by question, the result of `weigh` after each answer offered.

    `world` waits at the first question; later ones are evaluated after silence to those before. A question that
    does not come up then has no list.
    """
    results: list[list[V | None]] = []
    open_decisions = _LeaveOpen(decisions, frozenset(question.window.id for question in asked))
    for question in asked:
        world = foresee(rules, world, open_decisions, (question.window.seat,)).world
        outcome = rules.step(world.state, world.agenda[0]) if world.agenda else None
        if not isinstance(outcome, Ask) or (outcome.window.what, outcome.window.where) != (
            question.window.what,
            question.window.where,
        ):
            break
        results.append(
            [
                weigh(answer(world, question.window, Choice(option.value, "answer")))
                for option in question.question.options
            ]
        )
        world = answer(world, question.window, question.silence)
    return results
