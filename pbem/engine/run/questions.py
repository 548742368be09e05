"""What is asked by letter: questions with lettered answers, and which of them can be asked at once.

An owner is asked before a die is thrown that his answer could look back on. All questions that come up before that die
whatever he answers to the others stand in one letter.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
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
"""Questions in one letter; what is more is asked in the next."""
MOST_WORLDS = 256
"""Ways in which the questions before can be answered; with more of them nothing further is looked for."""


class Asks(NamedTuple):
    """Who may be asked by letter: the seats asked at every window, and those that are not asked any more.

    Where questions are put `together`, those of one fight stand in one letter as far as they are known, and the
    windows in `idle`, where no answer changes anything, are not asked about.
    """

    always: frozenset[str] = frozenset()
    mute: frozenset[str] = frozenset()
    together: bool = False
    idle: frozenset[str] = frozenset()


class Option(NamedTuple):
    """An answer that is offered: the words a rule takes, and what they mean."""

    value: Value
    text: Msg


class Question(NamedTuple):
    """A window put into words for its owner; what holds in silence is among the options.

    `scene` is who stands where it happens, as he sees it. `also` are windows of the same matter that come up later, and
    can be answered with this one.
    """

    text: Msg
    options: tuple[Option, ...]
    scene: tuple[Line, ...] = ()
    also: tuple[Window, ...] = ()


class Asked(NamedTuple):
    """A question of a letter: its window, its words, what holds in silence, and the hours its owner was promised."""

    window: Window
    question: Question
    silence: Choice
    hours: int


class Asking(Decisions[T], Protocol[T]):
    """Decisions that know of letters."""

    def silence(self, state: T, window: Window) -> Choice:
        """What holds if the owner does not answer."""
        ...

    def hours(self, state: T, window: Window) -> int:
        """How long the owner has."""
        ...

    @property
    def unasked(self) -> dict[str, set[str]]:
        """By seat, the windows it would have been asked at, had its questions not been used up."""
        ...


Wording = Callable[[S, Window, Choice], Question]
"""How a game words a window for its owner, from what he sees in the state; the choice is what holds in silence."""


def letter_of(place: int) -> str:
    """The letter of an option by its place from 0."""
    return ascii_uppercase[place]


def matters(rules: Rules[S], world: World[S], asked: Asked) -> bool:
    """Return whether the answers offered at the window that `world` waits at lead to more than one outcome."""
    task = world.agenda[0]
    outcomes = [
        rules.step(world.state, task._replace(got=(*task.got, Choice(option.value, "default"))))
        for option in asked.question.options
    ]
    came = [_without_reasons(one) if isinstance(one, Did) else None for one in outcomes]
    return any(one is None or one != came[0] for one in came)


def _without_reasons(did: Did) -> tuple[tuple[Event, ...], tuple[Task, ...]]:
    """Return the events and tasks of a choice without the seat that made it."""
    events = (one._replace(data={k: v for k, v in one.data.items() if k != "by"}) for one in did.events)
    return tuple(events), did.then


def knowable(
    rules: Rules[S],
    world: World[S],
    decisions: Asking[S],
    wording: Wording[S],
    seats: Collection[str],
    *,
    together: bool = False,
) -> tuple[Asked, ...]:
    """The questions that come up before the next roll whatever is answered to those before them, in order.

    `world` waits at an unanswered window; `seats` are all of the game. Of a question that offers other answers after
    other answers to those before, all are offered. For `together` see `Asks`.
    """
    found: list[Asked] = []
    later: list[Asked] = []
    worlds = [world]
    while len(found) < MOST_QUESTIONS and len(worlds) <= MOST_WORLDS:
        fronts = [_next(rules, one, decisions, seats) for one in worlds]
        met = [(one, window) for one, window in fronts if window is not None and window.what != LETTER]
        if len(met) < len(fronts) or len({(window.id, window.seat) for _, window in met}) > 1:
            break
        asked = [_ask(one, window, decisions, wording) for one, window in met]
        if together and not any(matters(rules, one, each) for (one, _), each in zip(met, asked, strict=True)):
            worlds = [answer(one, window, each.silence) for (one, window), each in zip(met, asked, strict=True)]
            continue
        found.append(_together(asked))
        if together:
            later += _later(met[0][0], asked[0], decisions, wording)
        worlds = [
            answer(one, window, choice)
            for (one, window), said in zip(met, asked, strict=True)
            for choice in _choices(said)
        ]
    known = {one.window.id for one in found}
    return tuple(dict.fromkeys((*found, *(one for one in later if one.window.id not in known))))[:MOST_QUESTIONS]


def _later(world: World[S], asked: Asked, decisions: Asking[S], wording: Wording[S]) -> list[Asked]:
    """Return the questions that can be answered with another, as far as their owner would be asked them.

    What holds in silence is what does so after silence to the other: whom that chooses is not chosen again.
    """
    state, found = world.state, list[Asked]()
    for window in (count(one, dict(world.used)) for one in asked.question.also):
        if window.seat == asked.window.seat and decisions.answer(state, window) is None:
            left = tuple(word for word in window.options if word not in asked.silence.value)
            silence = decisions.silence(state, window._replace(options=left or window.options))
            found.append(Asked(window, wording(state, window, silence), silence, decisions.hours(state, window)))
    return found


def _next(
    rules: Rules[S], world: World[S], decisions: Asking[S], seats: Collection[str]
) -> tuple[World[S], Window | None]:
    """The world at the next unanswered window; None if a roll or the end comes first."""
    ahead = foresee(rules, world, decisions, seats)
    if not isinstance(ahead.stop, Ask):
        return ahead.world, None
    return ahead.world, count(ahead.stop.window, dict(ahead.world.used))


def _ask(world: World[S], window: Window, decisions: Asking[S], wording: Wording[S]) -> Asked:
    silence = decisions.silence(world.state, window)
    return Asked(window, wording(world.state, window, silence), silence, decisions.hours(world.state, window))


def _together(asked: Sequence[Asked]) -> Asked:
    """The first, whose questions before are all left to silence, with the options of all."""
    first = asked[0]
    options = {option.value: option for one in asked for option in one.question.options}
    kept = tuple(options.values())[: len(ascii_uppercase)]
    return first._replace(question=first.question._replace(options=kept))


def _choices(asked: Asked) -> tuple[Choice, ...]:
    """What can come of a question, silence first."""
    values = (option.value for option in asked.question.options if option.value != asked.silence.value)
    return (asked.silence, *(Choice(value, "answer") for value in values))


# What hangs on an answer: a question that stops a phase, its answers tried one by one over all dice.
#
# Nothing is played that comes after the matter at hand, and whoever is not asked keeps to what `decisions` say.


V = TypeVar("V")


class _But(NamedTuple, Generic[S]):
    """Decisions that leave some windows open."""

    decisions: Decisions[S]
    left: frozenset[str]

    def answer(self, state: S, window: Window) -> Choice | None:
        """What is decided, None at the windows left open."""
        return None if window.id in self.left else self.decisions.answer(state, window)


def weigh_answers(
    rules: Rules[S],
    world: World[S],
    asked: Sequence[Asked],
    decisions: Decisions[S],
    weigh: Callable[[World[S]], V | None],
) -> list[list[V | None]]:
    """Return, question by question, what `weigh` makes of the world after each answer offered.

    `world` waits at the first question; at the later ones it is weighed what holds if those before are left to
    silence. A question that does not come up then has no list.
    """
    found: list[list[V | None]] = []
    open_ = _But(decisions, frozenset(one.window.id for one in asked))
    for one in asked:
        world = foresee(rules, world, open_, (one.window.seat,)).world
        outcome = rules.step(world.state, world.agenda[0]) if world.agenda else None
        if not isinstance(outcome, Ask) or (outcome.window.what, outcome.window.where) != (
            one.window.what,
            one.window.where,
        ):
            break
        found.append(
            [weigh(answer(world, one.window, Choice(option.value, "answer"))) for option in one.question.options]
        )
        world = answer(world, one.window, one.silence)
    return found
