"""The game that the tests of the campaign layer play: two seats push counters along a row of spaces.

    MOVE Ant TO s3 (MOVER Ant A s3)   one space, unless a d6 shows 1 (then it is stuck, and only its owner sees it)
    CREEP Ant TO s3                   the same without a die
    PASS (PASAR)                      nothing
    STANDING FOR Ant                  what Ant does when somebody moves in on it
      STAND or FLEE, or ASK and what holds if nothing is answered
    ENDSTANDING

In the scenario `turns` the seats move one after the other, in `both` together. The edition option `turns` says how
many turns there are; with the option `secret` nothing is public. A counter that moves to s0 raises an exception: there
is no such space, and no check for it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from pbem.engine import classes_of_1_0 as parts
from pbem.engine.data.canon import Json, digest
from pbem.engine.data.events import Event, event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.report import DRAWING_DEPTH, Block, Entry, Line, Report
from pbem.engine.edits import CORRECTED_EVENT, CorrectableFact, CorrectableKind, read_correction
from pbem.engine.game import AnyGame
from pbem.engine.orders import doctrine
from pbem.engine.orders.lex import fold, statements
from pbem.engine.orders.names import Names
from pbem.engine.orders.standing import Reaction, Rule, Scope
from pbem.engine.parts import DEFAULT_FORM_TERMS, FormTerms, OddsLimits
from pbem.engine.run import steps
from pbem.engine.run.odds import StepBudget
from pbem.engine.run.questions import Asks, Option, Question
from pbem.engine.run.steps import Ask, Choice, Did, Outcome, Roll, Rolled, Task, Window, World
from pbem.engine.terms import (
    ONLOOKER,
    AttackSetup,
    Correction,
    Explanation,
    OrderOdds,
    Orders,
    OrderWarning,
    ParsedBlock,
    RejectedLine,
)

SIDES = {"north": "red", "south": "blue"}
VERBS = ("move", "mover", "creep")
CHART = "T1  Stuck\n\n  T1.1  0  on a 1\n"
START = (("Ant", "north", 1), ("Bee", "north", 2), ("Cat", "south", 5), ("Dog", "south", 6))


class State(NamedTuple):
    scenario: str
    turns: int
    turn: int
    moving: str
    units: tuple[tuple[str, str, int], ...]
    secret: bool = False

    def at(self, unit: str) -> int:
        return next(space for name, _, space in self.units if name == unit)

    def owner(self, unit: str) -> str:
        return next(owner for name, owner, _ in self.units if name == unit)


class Move(NamedTuple):
    line: int
    unit: str
    to: int


class Creep(NamedTuple):
    line: int
    unit: str
    to: int


class Standing(NamedTuple):
    line: int
    unit: str
    what: str


@dataclass(frozen=True)
class Edition:
    scenario: str
    turns: int
    secret: bool = False

    @property
    def digest(self) -> str:
        return digest(self.to_json())

    def to_json(self) -> Json:
        secret = {"secret": True} if self.secret else {}
        return {"scenario": self.scenario, "turns": self.turns, "rules": "toy 1", **secret}


class Rules:
    def step(self, state: State, task: Task) -> Outcome:
        if task.name == "end":
            return Did((event("ended", "T9", turn=state.turn, moving=state.moving),))
        if task.name == "letter":
            seat, *letters = task.args
            if not task.got:
                return Ask(Window("phase", steps.LETTER, seat, "", (steps.MORE, steps.DONE)))
            if task.got[0].value[0] == steps.DONE:  # type: ignore[union-attr]
                return Did((), (Task("end"),))
            return Did((), (*letters[0], Task("letter", (seat, *letters[1:]))))
        unit, to = task.args
        if to == 0:
            raise RuntimeError(f"{unit} fell off the board")
        where = f"{unit}>s{to}"
        pushes = task.name == "move"
        if pushes and not task.got:
            return Roll(where, "push", 1, 6)
        die = 0
        if pushes:
            rolled = task.got[0]
            assert isinstance(rolled, Rolled)
            die = rolled.values[0]
        if die == 1:
            stuck = event("stuck", "T2", unit=unit, die=1)
            return Did((stuck._replace(seen_by=(state.owner(unit),)),))
        there = [name for name, owner, space in state.units if space == to and owner != state.owner(unit)]
        if there and len(task.got) == pushes:
            return Ask(Window(where, "meet", state.owner(there[0]), there[0], ("STAND", "FLEE")))
        moved = event("moved", "T1", unit=unit, to=to, die=die)
        if not there:
            return Did((moved,))
        choice = task.got[-1]
        assert isinstance(choice, Choice)
        met = event("met", "T3", unit=there[0], did=choice.value[0], by=choice.by)
        return Did((met, moved) if choice.value[0] == "FLEE" else (met,))

    def apply(self, state: State, happened: Event) -> State:
        data = happened.data
        if happened.kind == "moved":
            return self._put(state, data["unit"], data["to"])
        if happened.kind == "met" and data["did"] == "FLEE":
            return self._put(state, data["unit"], state.at(data["unit"]) + 1)
        if happened.kind == CORRECTED_EVENT:
            return self._put(state, data["id"], data["new"]["at"])
        if happened.kind == "ended":
            after = {"north": "south", "south": "north", "both": "both"}[state.moving]
            return state._replace(moving=after, turn=state.turn + (state.moving != "north"))
        return state

    def _put(self, state: State, unit: str, space: int) -> State:
        return state._replace(
            units=tuple((name, owner, space if name == unit else old) for name, owner, old in state.units)
        )


class Doctrine(doctrine.Doctrine[State, None]):
    """ASK and the words after it, as standing orders of the house: each unit's lines are rules of its own."""

    def rules(self, window: Window) -> Sequence[Rule]:
        return [rule for rule in self.standing.get(window.seat, ()) if rule.scope.id == window.subject]

    def scene(self, state: State, window: Window) -> None:
        return None

    def reactions(self, state: State, window: Window, rule: Rule, scene: None) -> Sequence[Reaction]:
        return rule.reactions

    def value(self, state: State, window: Window, reaction: Reaction) -> tuple[str, ...]:
        return (reaction.keyword,)

    def default(self, state: State, window: Window) -> tuple[str, ...]:
        return ("STAND",)


def as_tasks(moves: Sequence[Any]) -> tuple[Task, ...]:
    return tuple(Task(type(move).__name__.lower(), (move.unit, move.to)) for move in moves)


def as_rules(standing: Sequence[Standing]) -> list[Rule]:
    return [
        Rule(Scope("UNIT", item.unit), 1, "MEET", (), (Reaction(item.what, ("24",) if item.what == "ASK" else ()),))
        for item in standing
    ]


class Telling(parts.OldTelling):
    def happenings(self, seen: Sequence[tuple[Event, Any]]) -> tuple[Entry, ...]:
        sentences = {
            CORRECTED_EVENT: msg("A counter was put elsewhere."),
            "moved": msg("A counter moved."),
            "stuck": msg("A counter is stuck."),
            "met": msg("They met."),
        }
        return tuple(
            Entry(
                happened.cite, sentences[happened.kind], (msg("{data}", data=str(dict(sorted(happened.data.items())))),)
            )
            for happened, _ in seen
            if happened.kind in sentences
        )

    def report(self, view: State, seat: str, seen: Sequence[tuple[Event, Any]]) -> Report:
        lines = tuple((0, msg("{unit} at s{space}", unit=name, space=space)) for name, _, space in view.units)
        return Report(msg("Turn {turn}", turn=view.turn), (), self.happenings(seen), (Block(msg("Counters"), lines),))

    def question(self, view: State, window: Window, silence: Choice) -> Question:
        words = {"STAND": msg("it stands"), "FLEE": msg("it flees")}
        options = tuple(Option((word,), words[word]) for word in window.options)
        return Question(msg("Somebody comes to {unit}. What does it do?", unit=window.subject), options)

    def why(
        self, view: State, seat: str, seen: Sequence[tuple[Event, Any]], number: int, orders: Orders
    ) -> Explanation | None:
        places = [place for place, (happened, _) in enumerate(seen) if happened.kind in ("moved", "stuck", "met")]
        if not 1 <= number <= len(places):
            return None
        place = places[number - 1]
        happened = seen[place][0]
        entry = self.happenings(seen)[number - 1]
        standing = [f"{item.unit}: {item.what}" for item in orders.standing if happened.data.get("by")]
        to = happened.data.get("to")
        labels = (f"{happened.data['unit']}>s{to}/push",) if to else ()
        return Explanation(entry, (place,), (happened.cite,), tuple(standing), labels, (CHART,) if labels else ())

    def order_line(self, task: Task) -> str:
        return f"MOVE {task.args[0]} TO s{task.args[1]}" if task.name == "move" else ""

    def text_map(self, view: State, seat: str) -> tuple[Line, ...]:
        return tuple((DRAWING_DEPTH, msg("{line}", line=f"s{space} {name}")) for name, _, space in view.units)


class Book(parts.Rulebook):  # type: ignore[misc]
    def chart(self, name: str, edition: object = None) -> str | None:
        return CHART if name.casefold() in ("t1", "stuck") else None

    def charts(self) -> tuple[str, ...]:
        return ("T1 Stuck",)

    def rule(self, number: str, language: str = "en") -> tuple[str, ...]:
        return ("T1  A counter is stuck on a 1.",) if number == "T1" else ()

    def help(self, topic: str) -> tuple[tuple[int, Msg], ...]:
        return ((0, msg("MOVE counter TO space.")),) if topic == "orders" else ()

    def preset(self, name: str) -> str | None:
        return "STANDING FOR Cat\nFLEE\nENDSTANDING\n" if name == "cautious" else None


class Aids(parts.Aids):  # type: ignore[misc]
    def template(self, view: State, seat: str, language: str, terms: FormTerms = DEFAULT_FORM_TERMS) -> tuple[str, ...]:
        move, to = ("MOVER", "A") if language == "es" else ("MOVE", "TO")
        return tuple(f"# {move} {name} {to} s{space + 1}" for name, owner, space in view.units if owner == seat)

    def begins(self, line: str, standing: bool) -> bool:
        words = fold(line).split()
        return bool(words) and words[0] in (*VERBS, "pass", "pasar", "standing", "stand", "flee", "ask", "endstanding")

    def moves(self, view: State, seat: str, place: str, begun: bool = False) -> tuple[Msg, ...]:
        own_units = [name for name, owner, space in view.units if owner == seat and place == f"s{space}"]
        return tuple(msg("{unit}: MOVE to {spaces}", unit=name, spaces=f"s{view.at(name) + 1}") for name in own_units)


class Forecast(parts.Forecast):  # type: ignore[misc]
    def __init__(self, game: AnyGame) -> None:
        self.game = game

    def attack_odds(self, text: str, view: State, seat: str, by: OddsLimits) -> OrderOdds:
        return self.odds(view, seat, self.attack(text, view, seat).orders, by.purse)

    def odds(self, view: State, seat: str, orders: Orders, purse: StepBudget, begun: bool = False) -> OrderOdds:
        lines: list[tuple[int, Msg]] = []
        left: list[str] = []
        for move in orders.actions:
            if isinstance(move, Move):
                win = purse.pay((seat, move.unit, move.to), partial(_weighed, STEPS.get(move.unit, 1)))
                if win is None:
                    left.append(f"MOVE {move.unit} TO s{move.to}")
                else:
                    lines.append((move.line, msg("{unit}: wins {win} %", unit=move.unit, win=win)))
        return OrderOdds(tuple(lines), tuple(left))

    def attack(self, text: str, view: State, seat: str, begun: bool = False) -> ParsedBlock:
        reading = self.game.parse(text, view, seat)
        return reading._replace(rejected=(*reading.rejected, *self.game.check(view, seat, reading.orders)))

    def trial(self, text: str, view: State, seat: str) -> AttackSetup:
        """``Ant BY Cat``: Cat moves to where Ant stands."""
        unit, _, other = text.partition(" BY ")
        if unit not in [name for name, _, _ in view.units]:
            return AttackSetup(None, rejected=(RejectedLine(1, 0, unit, msg("no such counter"), "T1"),))
        return AttackSetup(World(view, (Task("move", (other, view.at(unit))),)))


class Editing(parts.Editing):
    def edit(self, state: State, text: str) -> Correction:
        places = CorrectableFact(
            "at", lambda unit, word: int(word[1:]) if word[1:].isdigit() else msg("that is no space")
        )
        units = {name: {"id": name, "at": space, "side": SIDES[owner]} for name, owner, space in state.units}
        return read_correction(text, {"UNIT": CorrectableKind(units, lambda unit: unit["side"], {"AT": places})})


class Toy(parts.OldGame):
    name = "toy"
    title = msg("A toy")
    rules: steps.Rules[Any] = Rules()
    telling = Telling()
    rulebook = Book()
    aids = Aids()
    editing: Any = Editing()
    by_letter = True

    def __init__(self) -> None:
        self.forecast = Forecast(self)

    def editions(self) -> Mapping[str, Msg]:
        return {"turns": msg("One after the other"), "both": msg("Both at once")}

    def edition(self, scenario: str, options: Mapping[str, str], overlay: Mapping[str, str]) -> Edition:
        if overlay:
            raise ValueError(f"no chart {', '.join(sorted(overlay))}")
        if scenario not in self.editions():
            raise ValueError(f"no scenario {scenario}")
        if unknown := set(options) - {"turns", "secret"}:
            raise ValueError(f"no option {', '.join(sorted(unknown))}")
        return Edition(scenario, int(options.get("turns", "2")), "secret" in options)

    def edition_from_json(self, value: Json) -> Edition:
        return Edition(value["scenario"], value["turns"], value.get("secret", False))

    def start(self, edition: Any) -> State:
        moving = "both" if edition.scenario == "both" else "north"
        return State(edition.scenario, edition.turns, 1, moving, START, edition.secret)

    def seats(self, state: State) -> Mapping[str, str]:
        return SIDES

    def phase(self, state: State) -> tuple[str, int] | None:
        return None if state.turn > state.turns else (state.moving, state.turn)

    def active(self, state: State) -> tuple[str, ...]:
        return tuple(SIDES) if state.moving == "both" else (state.moving,)

    def parse(self, text: str, view: State, seat: str) -> ParsedBlock:
        names = Names({name: () for name, _, _ in view.units})
        actions: list[Move | Creep] = []
        standing: list[Standing] = []
        wrong: list[RejectedLine] = []
        warned: list[OrderWarning] = []
        inside = ""
        for line, words in statements(text):
            keys = [word.key for word in words]
            unit = words[1] if len(words) > 1 and keys[0] in VERBS else words[2] if len(words) > 2 else None
            if keys in (["pass"], ["pasar"]):
                continue
            if inside and keys in (["stand"], ["flee"], ["ask"]):
                standing.append(Standing(line, inside, words[0].text.upper()))
            elif inside and keys == ["endstanding"]:
                inside = ""
            elif unit is None or (keys[0] not in VERBS and keys[:2] != ["standing", "for"]):
                why = msg("There is not an order {word}.", word=words[0].text)
                wrong.append(RejectedLine(line, words[0].column, words[0].text, why, "T0"))
            elif (match := names.find(unit.text)).id is None:
                why = msg("There is no counter {word}.", word=unit.text)
                near = tuple(name for name in match.ids if name[:2].lower() == unit.key[:2])
                wrong.append(RejectedLine(line, unit.column, unit.text, why, "T1", near))
            elif view.owner(match.id) != seat:
                why = msg("{unit} is not yours.", unit=match.id)
                wrong.append(RejectedLine(line, unit.column, unit.text, why, "T1"))
            elif keys[0] == "standing":
                inside = match.id
            elif len(words) != 4 or keys[2] not in ("to", "a") or not keys[3][1:].isdigit():
                wrong.append(RejectedLine(line, words[0].column, words[0].text, msg("Say MOVE unit TO space."), "T1"))
            else:
                made = Creep if keys[0] == "creep" else Move
                actions.append(made(line, match.id, int(keys[3][1:])))
                if len(actions) > 3:
                    warned.append(OrderWarning(line, msg("That is a lot of pushing."), "T1"))
        return ParsedBlock(Orders(tuple(actions), tuple(standing)), tuple(wrong), tuple(warned))

    def check(self, view: State, seat: str, orders: Orders, begun: bool = False) -> tuple[RejectedLine, ...]:
        first = orders.actions[:1]
        return tuple(
            RejectedLine(move.line, 0, "MOVE", msg("{unit} moves one space at a time.", unit=move.unit), "T1")
            for move in first
            if move.to and abs(move.to - view.at(move.unit)) != 1
        )

    def canon(self, orders: Orders) -> str:
        moves = [f"{type(move).__name__.upper()} {move.unit} TO s{move.to}\n" for move in orders.actions]
        scopes: dict[str, str] = {}
        for item in orders.standing:
            scopes[item.unit] = scopes.get(item.unit, "") + f"  {item.what}\n"
        standing = [f"STANDING FOR {unit}\n{rules}ENDSTANDING\n" for unit, rules in scopes.items()]
        return "".join(moves + standing)

    def world(
        self, state: State, orders: Mapping[str, Orders], letters: Sequence[Sequence[Any]] | None = None
    ) -> World[Any]:
        moves = as_tasks([move for seat in self.active(state) for move in orders[seat].actions])
        if letters is None:
            return World(state, (*moves, Task("end")))
        return World(state, (*moves, Task("letter", (self.active(state)[0], *map(as_tasks, letters)))))

    def decisions(
        self,
        state: State,
        orders: Mapping[str, Orders],
        answers: Mapping[str, Sequence[str]],
        asks: Asks | None = None,
    ) -> Doctrine:
        return Doctrine({seat: as_rules(order.standing) for seat, order in orders.items()}, answers, asks)

    def view(self, state: State, seat: str) -> Any:
        return None if seat == ONLOOKER and state.secret else state

    def see(self, happened: Event, seat: str, before: State) -> Event | None:
        if happened.kind == "met" and (seat == ONLOOKER or before.owner(happened.data["unit"]) != seat):
            happened = happened._replace(data={key: data for key, data in happened.data.items() if key != "by"})
        return happened if happened.seen_by is None or seat in happened.seen_by else None

    def encode(self, state: State) -> Json:
        return {"turn": state.turn, "moving": state.moving, "units": [list(unit) for unit in state.units]}

    def decode(self, value: Json, edition: Any) -> State:
        units = tuple((name, owner, space) for name, owner, space in value["units"])
        return State(edition.scenario, edition.turns, value["turn"], value["moving"], units, edition.secret)

    def invariants(self, state: State) -> tuple[str, ...]:
        return tuple(f"{name} is at s{space}" for name, _, space in state.units if space < 1)


STEPS = {"Bee": 9_000, "Cow": 10**9}
"""Counters that take long to weigh; the others take a step."""


def _weighed(steps: int, step: Callable[[], None]) -> str:
    for _ in range(steps):
        step()
    return "83"


def registry(name: str) -> AnyGame:
    if name != "toy":
        raise KeyError(name)
    return as_record(Toy())


def as_record(game: Any) -> AnyGame:
    """Make a game of these classes, which are declared as those of 1.0.0 are, into the record of today."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return parts.as_game(game)
