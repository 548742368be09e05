"""The game as the house knows it: every function of the protocol, each a line into its chapter."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from pbem.core import parts
from pbem.core.data import stakes_told
from pbem.core.data.called import Called
from pbem.core.data.canon import Json
from pbem.core.data.events import Event
from pbem.core.data.messages import Msg, msg
from pbem.core.data.report import Block, Entry, Line, Report
from pbem.core.data.situation import parts_of
from pbem.core.data.stakes import Stakes
from pbem.core.game import Because, Edited, Game, Orders, Reading, Rejected, Trial, Warned, Worth
from pbem.core.orders import wrapped
from pbem.core.orders.standing import unknown_space
from pbem.core.run.odds import Purse, apart
from pbem.core.run.questions import Asks, Question
from pbem.core.run.steps import Choice, Task, Window, World
from pbem.core.terms import Step
from pbem.games.peninsular import cases
from pbem.games.peninsular import view as gate
from pbem.games.peninsular.battle.doctrine import Doctrine
from pbem.games.peninsular.battle.forecast import as_if, attack, trial, worth
from pbem.games.peninsular.bots import BOTS
from pbem.games.peninsular.orders.canonical import canon
from pbem.games.peninsular.orders.check import check
from pbem.games.peninsular.orders.corrections import edit
from pbem.games.peninsular.orders.form import template
from pbem.games.peninsular.orders.options import moves, places
from pbem.games.peninsular.orders.presets import PRESETS
from pbem.games.peninsular.orders.reading import VERBS, lexicon, parse
from pbem.games.peninsular.orders.review import review
from pbem.games.peninsular.orders.vocabulary import CALLED, VOCABULARY, spoken
from pbem.games.peninsular.phase.invariants import invariants
from pbem.games.peninsular.phase.sequence import phase_world
from pbem.games.peninsular.phase.steps import PeninsularRules
from pbem.games.peninsular.phase.victory import awards, count, party
from pbem.games.peninsular.phase.victory import worth as points
from pbem.games.peninsular.setup import edition as editions
from pbem.games.peninsular.setup.edition import Edition
from pbem.games.peninsular.setup.scenario import read_edition, start
from pbem.games.peninsular.state import State
from pbem.games.peninsular.telling.help import HELP
from pbem.games.peninsular.telling.questions import question
from pbem.games.peninsular.telling.report import report
from pbem.games.peninsular.telling.stakes import account, stakes, wording
from pbem.games.peninsular.telling.tell import SIDE_NAMES, entries
from pbem.games.peninsular.telling.textmap import text_map
from pbem.games.peninsular.telling.why import order_line, why

__all__ = ["GAME", "Peninsular"]


RULES = PeninsularRules()


class Telling(parts.Telling):
    """What the game tells."""

    def report(self, view: State, seat: str, seen: Sequence[tuple[Event, Any]]) -> Report:
        """The report on events and on the position after them."""
        return report(view, seat, seen)

    def stakes(self, view: State, seat: str, seen: Sequence[tuple[Event, Any]]) -> Stakes:
        """How the game stands."""
        return stakes(view, seat, seen)

    def winning(self, view: State, seat: str) -> Block:
        """What counts, and how one wins."""
        return stakes_told.winning(stakes(view, seat, ()), wording(view))

    def account(self, steps: Sequence[Step]) -> Block:
        """Where the points came from."""
        return account(steps)

    def side(self, side: str) -> Msg:
        """The name of a side."""
        return SIDE_NAMES[side]

    def happenings(self, seen: Sequence[tuple[Event, Any]]) -> tuple[Entry, ...]:
        """What the report tells of events."""
        return entries(seen)

    def question(self, view: State, window: Window, silence: Choice) -> Question:
        """A window in words for its owner."""
        return question(view, window, silence)

    def why(
        self, view: State, seat: str, seen: Sequence[tuple[Event, Any]], number: int, orders: Orders
    ) -> Because | None:
        """What is behind a happening of the report."""
        return why(view.edition, seen, number, orders)

    def order_line(self, task: Task) -> str:
        """The order that a task carries out."""
        return order_line(task)

    @property
    def called(self) -> Mapping[str, Called]:
        """What seats, phases and units are called."""
        return CALLED

    def spoken(self, text: str, language: str) -> str:
        """Orders as their owner speaks."""
        return spoken(text, language)

    def points(self, view: State) -> tuple[int, ...]:
        """The points of each side as they stand, in the order of play."""
        return tuple(count(view).values())

    def text_map(self, view: State, seat: str) -> tuple[Line, ...]:
        """The map as text."""
        return text_map(view)


class Rulebook(parts.Rulebook):
    """What players look up."""

    def chart(self, name: str, edition: Edition | None = None) -> str | None:
        """A chart by its rule or file name."""
        wanted = name.casefold()
        for file, chart in (edition.charts if edition else editions.shipped_charts({})).items():
            if wanted in (file, chart.rule.casefold(), chart.name.casefold()):
                return chart.text
        return None

    def charts(self) -> tuple[str, ...]:
        """Rule and name of every chart."""
        return tuple(f"{chart.rule} {file}" for file, chart in editions.shipped_charts({}).items())

    def rule(self, number: str, language: str = "en") -> tuple[str, ...]:
        """Lines of rules.txt for a number and those below it."""
        return editions.rule_lines(number, language)

    def contents(self, language: str = "en") -> tuple[str, ...]:
        """The rules that stand below no other."""
        return editions.rule_contents(language)

    def brief(self, scenario: str, language: str = "en") -> Mapping[str, str]:
        """What is told before a battle."""
        return editions.shipped_brief(scenario, language)

    def help(self, topic: str) -> tuple[tuple[int, Msg], ...]:
        """The words of orders and standing orders."""
        return HELP.get(topic, ())

    def preset(self, name: str) -> str | None:
        """Ready-made standing orders."""
        return PRESETS.get(name.casefold())


class Aids(parts.Aids):
    """What helps to write orders."""

    def template(
        self, view: State, seat: str, language: str, terms: parts.FormTerms = parts.AS_IT_IS
    ) -> tuple[str, ...]:
        """Lines to be edited into orders."""
        return template(RULES, view, seat, language, terms)

    def begins(self, line: str, standing: bool) -> bool:
        """Whether a line begins an order, or a standing order."""
        return wrapped.begins(line, standing, VERBS, VOCABULARY)

    def moves(self, view: State, seat: str, place: str, begun: bool = False) -> tuple[Msg, ...]:
        """What the units of a space may do."""
        side = view.edition.seats[seat]
        found = lexicon(view, side).spaces.find(place)
        if found.id is None:
            return (unknown_space(place), *((msg("did you mean {names}?", names=found.ids),) if found.ids else ()))
        return moves(view, side, found.id)

    def places(self, view: State, seat: str) -> tuple[Msg, ...]:
        """Hexes with own counters."""
        return places(view, view.edition.seats[seat])

    def review(self, view: State, seat: str, orders: Orders) -> tuple[Warned, ...]:
        """Second thoughts on legal orders."""
        return review(RULES, view, view.edition.seats[seat], orders)


class Forecast(parts.Forecast):
    """What attacks are worth."""

    def odds(self, view: State, seat: str, orders: Orders, purse: Purse, begun: bool = False) -> Worth:
        """The odds of the assaults in the orders."""
        return worth(RULES, view, seat, orders, purse)

    def attack_odds(self, text: str, view: State, seat: str, by: parts.Scales) -> Worth:
        """The odds of an assault or charge that was asked about."""
        there, said = as_if(text, view, view.edition.seats[seat])
        actions = attack(RULES, said, there, view.edition.seats[seat]).orders.actions
        return worth(RULES, there, seat, Orders(actions, by.standing), by.purse)

    def attack(self, text: str, view: State, seat: str, begun: bool = False) -> Reading:
        """One assault or charge to be weighed."""
        return attack(RULES, text, view, view.edition.seats[seat])

    def trial(self, text: str, view: State, seat: str) -> Trial:
        """An attack to hold standing orders against."""
        return trial(text)


class Moderation(parts.Editing, parts.Awarding):
    """What a moderator may correct and give."""

    def edit(self, state: State, text: str) -> Edited:
        """A moderator's correction of the position."""
        return edit(state, text)

    def awards(self, state: State) -> Mapping[str, int]:
        """The points that each side was awarded."""
        return awards(state)


class Scored(parts.Scored):
    """What a position is worth."""

    def worth(self, state: State) -> Mapping[str, Fraction]:
        """Victory points, in fractions."""
        return points(state)

    def party(self, state: State, side: str) -> str:
        """Friends fight for the side that leads them."""
        return party(state, side)

    def apart(self, start: State) -> Callable[[State], Hashable]:
        """All of a position but its edition."""
        return apart(start, parts_of(State))

    def engaged(self, state: State) -> bool:
        """Each throw of this game stands for itself: fire and shock follow one another over the whole map."""
        return False

    def hindsight(self, view: State, happened: Sequence[Event]) -> State:
        """Orders of divisions show in the modifiers of their shocks and rallies."""
        return gate.hindsight(view, happened)


class Cased(parts.Cased):
    """Rules tried by cases."""

    def state(self, file: Mapping[str, Any], case: Mapping[str, Any]) -> State:
        """The position of a rule case."""
        return cases.case_state(file, case)

    def world(self, state: State, orders: Mapping[str, Orders], phase: str) -> World[State]:
        """The phase of a rule case."""
        return cases.case_world(state, orders, phase)

    def holds(self, phrase: str, state: State) -> bool:
        """Whether an expectation of a rule case is true."""
        return cases.case_holds(phrase, state)

    def lookup(self, phrase: str) -> bool:
        """Whether a chart look-up of a rule case is true."""
        return cases.case_lookup(phrase)

    def coins(self, what: str) -> bool:
        """No roll of this game throws coins."""
        return False


class Peninsular(Game):
    """The rules and data of the game behind the house's protocol."""

    name = "peninsular"
    title = msg("Peninsular")
    hides_orders = True
    rules = RULES
    telling = Telling()
    rulebook = Rulebook()
    aids = Aids()
    forecast = Forecast()
    scored = Scored()
    editing = awarding = Moderation()
    cased = Cased()
    bots = BOTS

    def editions(self) -> Mapping[str, Msg]:
        """Shipped scenarios and their titles."""
        return {name: Msg(editions.shipped_scenario(name)[0]["title"]) for name in editions.shipped_scenarios()}

    def edition(self, scenario: str, options: Mapping[str, str], overlay: Mapping[str, str]) -> Edition:
        """A shipped scenario under the options and chart texts given."""
        return read_edition(scenario, options, overlay)

    def edition_from_json(self, value: Json) -> Edition:
        """A stored edition."""
        return Edition.from_json(value)

    def start(self, edition: Edition) -> State:
        """The position before the first phase."""
        return start(edition)

    def seats(self, state: State) -> Mapping[str, str]:
        """Seats and sides."""
        return state.edition.seats

    def phase(self, state: State) -> tuple[str, int] | None:
        """The phase that waits for orders."""
        return None if state.phase == "over" else (state.phase, state.turn)

    def active(self, state: State) -> tuple[str, ...]:
        """The seats of the camp whose half it is."""
        return () if state.phase == "over" else state.edition.seats_of(state.phase)

    def parse(self, text: str, view: State, seat: str) -> Reading:
        """Orders of a letter by their fixed checks."""
        return parse(text, view, view.edition.seats[seat])

    def check(self, view: State, seat: str, orders: Orders, begun: bool = False) -> tuple[Rejected, ...]:
        """Orders against the position."""
        return check(RULES, view, view.edition.seats[seat], orders)

    def canon(self, orders: Orders) -> str:
        """Canonical order text v1."""
        return canon(orders)

    def world(
        self, state: State, orders: Mapping[str, Orders], letters: Sequence[Sequence[Any]] | None = None
    ) -> World[State]:
        """The phase with everybody's orders, which is always one: fire and shock come after all movement (S1)."""
        return phase_world(state, orders)

    def decisions(
        self,
        state: State,
        orders: Mapping[str, Orders],
        answers: Mapping[str, Sequence[str]],
        asks: Asks | None = None,
    ) -> Doctrine:
        """Answers, standing orders, the defaults of the rules."""
        return Doctrine({seat: given.standing for seat, given in orders.items()}, answers, asks)

    def view(self, state: State, seat: str) -> State:
        """What the seat may know of the position."""
        return gate.view(state, seat)

    def see(self, happened: Event, seat: str, before: State) -> Event | None:
        """What the seat may know of an event."""
        return gate.see(happened, seat, before)

    def encode(self, state: State) -> Json:
        """The position as JSON."""
        return state.encode()

    def decode(self, value: Json, edition: Edition) -> State:
        """The position from JSON."""
        return State.decode(value, edition)

    def invariants(self, state: State) -> tuple[str, ...]:
        """What is wrong with the position."""
        return invariants(state)


GAME = Peninsular()
