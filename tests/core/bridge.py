"""A game of one bridge, for runners and cases: whoever crosses rolls a die, the other side may blow it up.

The state counts who is across, in order; orders are ``CROSS name``; an address is ``near>far`` and, on the second
crossing of the phase, ``near>far.2``. Events: ``crosses`` (X1), ``stumbles`` (X2: a 1), ``toss`` (X3: three coins),
``blows up`` (X4).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pbem.engine.data.events import Event, event
from pbem.engine.data.messages import msg
from pbem.engine.orders.lex import statements
from pbem.engine.parts import RuleCases
from pbem.engine.run import steps
from pbem.engine.run.steps import Ask, Choice, Did, Outcome, Roll, Rolled, Task, Window, World
from pbem.engine.terms import Orders, ParsedBlock, RejectedLine


class State(NamedTuple):
    across: tuple[str, ...] = ()
    bridge: bool = True


class Rules:
    """``cross name``: a die, then the other side is asked; ``toss``: three coins; ``twice``: two rolls of one label."""

    def step(self, state: State, task: Task) -> Outcome:
        if task.name == "toss":
            if not task.got:
                return Roll("near", "toss coins", 3, 2)
            coins = task.got[0]
            assert isinstance(coins, Rolled)
            return Did((event("toss", "X3", heads=sum(face - 1 for face in coins.values)),))
        if task.name == "twice":
            return Roll("near", "again", 1, 6) if len(task.got) < 2 else Did()
        (who,) = task.args
        if not state.bridge:
            return Did((Event("not carried out", "X4", {"line": int(who[-1]), "rules": ["X4", "X1"]}, ("near",)),))
        if not task.got:
            return Roll("near>far", f"crossing {who}", 1, 6)
        if len(task.got) == 1:
            return Ask(Window("near>far", "blow up", "far", who, ("YES", "NO")))
        rolled, choice = task.got
        assert isinstance(rolled, Rolled)
        assert isinstance(choice, Choice)
        if choice.value == ("YES",):
            return Did((event("blows up", "X4", by=choice.by),))
        if rolled.values == (1,):
            return Did((event("stumbles", "X2", unit=who),), (Task("cross", (who,)),))
        return Did((event("crosses", "X1", unit=who, dice=rolled.values),))

    def apply(self, state: State, happened: Event) -> State:
        if happened.kind == "crosses":
            return state._replace(across=(*state.across, happened.data["unit"]))
        return state._replace(bridge=False) if happened.kind == "blows up" else state


class Answers:
    """Answers by window id; the rest must be asked for."""

    def __init__(self, given: Mapping[str, str], seen: list[str] | None = None) -> None:
        self.given = given
        self.seen = [] if seen is None else seen

    def answer(self, state: State, window: Window) -> Choice | None:
        self.seen.append(window.id)
        word = self.given.get(window.id)
        return None if word is None else Choice((word,), "answer")


class Dice:
    """Values by label; the labels asked for are kept."""

    def __init__(self, **values: Sequence[int]) -> None:
        self.values = {label.replace("_", " "): tuple(faces) for label, faces in values.items()}
        self.asked: list[tuple[str, int, int]] = []

    def roll(self, label: str, n: int, sides: int) -> tuple[int, ...]:
        self.asked.append((label, n, sides))
        return self.values.get(label.partition("/")[2], (6,) * n)


def crossing(*names: str, state: State = State()) -> World[State]:  # noqa: B008 - a value
    return World(state, tuple(Task("cross", (name,)) for name in names))


def case_state(file: Mapping[str, Any], case: Mapping[str, Any]) -> State:
    if case.get("bridge") == "missing":
        raise ValueError("there is no bridge")
    return State(tuple(case.get("across", ())))


def case_world(state: State, orders: Mapping[str, Orders], phase: str) -> World[State]:
    tasks = [Task(*action) for seat in sorted(orders) for action in orders[seat].actions]
    return World(state, (*tasks, Task("toss")) if phase == "end" else tuple(tasks))


def phrase_holds(phrase: str, state: State) -> bool:
    match phrase.split():
        case [who, "across"]:
            return who in state.across
        case ["no", "bridge"]:
            return not state.bridge
    raise ValueError(f"{phrase!r} is no expectation")


def case_lookup(phrase: str) -> bool:
    table = {"X5 die 1": "splash"}
    cell, _, code = phrase.partition(" = ")
    if not code:
        raise ValueError(f"{phrase!r} is no look-up")
    return table[cell] == code


CASED = RuleCases(
    keys=frozenset(("bridge", "across", "answer")),
    state=case_state,
    world=case_world,
    holds=phrase_holds,
    lookup=case_lookup,
    coins=lambda what: what.startswith("toss"),
)
"""What rule cases ask of it."""


class Bridge:
    """The game as rule cases want it. The far side answers NO unless the case says ``answer``."""

    rules: steps.Rules[Any] = Rules()
    cased = CASED

    def parse(self, text: str, view: State, seat: str) -> ParsedBlock:
        actions, rejected, standing = [], [], []
        for statement in statements(text):
            words = [token.text for token in statement.tokens]
            if words[0] == "BLOW":
                standing.append("BLOW")
            elif words[0] == "CROSS" and len(words) == 2:
                actions.append(("cross", (f"{words[1]}{statement.line}",)))
            else:
                rejected.append(RejectedLine(statement.line, 0, words[0], msg("no order"), "X0"))
        return ParsedBlock(Orders(tuple(actions), tuple(standing)), tuple(rejected))

    def decisions(self, state: State, orders: Mapping[str, Orders], answers: Mapping[str, Sequence[str]]) -> Answers:
        asks = orders.get("far", Orders()).standing
        return Answers({f"near>far/blow up Ann{n}": "YES" if "BLOW" in asks else "NO" for n in range(1, 9)})
