"""The game as the house knows it: every function of the protocol, each a line into its chapter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pbem.engine import parts, standard
from pbem.engine.commanders.holding import closed_to
from pbem.engine.commanders.telling import own_first
from pbem.engine.couriers import delay, riding
from pbem.engine.data.languages import Called
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.report import Block, Line
from pbem.engine.data.stakes import winning
from pbem.engine.deployment import DEPLOYMENT, on_map
from pbem.engine.deployment_aids import DeploymentAids
from pbem.engine.orders import wrapped
from pbem.engine.orders.choices import Choices, Offer
from pbem.engine.orders.standing import place_meant
from pbem.engine.run.odds import Purse
from pbem.engine.run.questions import Asked, Asks
from pbem.engine.run.steps import World
from pbem.engine.standard import Book, Standard
from pbem.engine.terms import Orders, Reading, Rejected, Trial, Warned, Worth
from pbem.games.africa1860 import cases
from pbem.games.africa1860 import view as gate
from pbem.games.africa1860.advice import plan, prudent
from pbem.games.africa1860.apply import edit
from pbem.games.africa1860.bots import BOTS, LEVELS
from pbem.games.africa1860.check import check, fallen, review
from pbem.games.africa1860.choices import choices, moves, places
from pbem.games.africa1860.doctrine import Doctrine
from pbem.games.africa1860.edition import SHELF, SIDES, Edition
from pbem.games.africa1860.forecast import attack, attack_worth, trial, worth
from pbem.games.africa1860.form import PRESETS, offered, template
from pbem.games.africa1860.grammar import CALLED, GRAMMAR, VOCABULARY, canon, lexicon, parse, spoken
from pbem.games.africa1860.odds import Ordered, answer_stakes
from pbem.games.africa1860.picture import ground, picture
from pbem.games.africa1860.questions import HELP, agreed, order_line, provided, question, why
from pbem.games.africa1860.report import report, text_map
from pbem.games.africa1860.scenario import read_edition, start
from pbem.games.africa1860.sequence import DEPLOYING, phase_world
from pbem.games.africa1860.stakes import account, held, stakes, wording
from pbem.games.africa1860.state import State, invariants
from pbem.games.africa1860.steps import RULES
from pbem.games.africa1860.tell import SIDE_NAMES, entries, happenings
from pbem.games.africa1860.victory import awards
from pbem.games.africa1860.victory import worth as points
from pbem.games.africa1860.view import by_couriers
from pbem.games.africa1860.war import Linked

DEPLOYED = DeploymentAids(DEPLOYING, RULES, VOCABULARY, GRAMMAR.idiom)


class Telling(parts.Telling):
    """What the game tells."""

    report = staticmethod(report)
    stakes = staticmethod(stakes)
    provided = staticmethod(provided)
    account = staticmethod(account)
    grouped = staticmethod(happenings)
    happenings = staticmethod(entries)
    question = staticmethod(question)
    why = staticmethod(why)
    order_line = staticmethod(order_line)
    in_order = staticmethod(own_first)
    spoken = staticmethod(spoken)

    def text_map(self, view: State, seat: str) -> tuple[Line, ...]:
        """The map, with the zones while units are deployed."""
        return (*text_map(view, seat), *on_map(view, SIDE_NAMES, DEPLOYING.rule))

    def riding(self, state: State) -> tuple[Msg, ...]:
        """M6 The letters and orders that couriers carry."""
        return () if state.known is None else riding(state.known)

    def winning(self, view: State, seat: str) -> Block:
        """What counts, and how one wins."""
        told = winning(stakes(view, seat, ()), wording(view))
        return told._replace(lines=(*((0, line) for line in held(view)), *told.lines))

    def side(self, side: str) -> Msg:
        """The name of a side."""
        return SIDE_NAMES[side]

    @property
    def called(self) -> Mapping[str, Called]:
        """What seats, phases and units are called."""
        return CALLED


class Rulebook(Book):
    """What players look up, with the options of an edition."""

    agreed = staticmethod(agreed)


class Aids(parts.Aids):
    """What helps to write orders."""

    def template(
        self, view: State, seat: str, language: str, terms: parts.FormTerms = parts.AS_IT_IS
    ) -> tuple[str, ...]:
        """Lines to be edited into orders."""
        if view.phase == DEPLOYMENT:
            return DEPLOYED.template(view, view.edition.seats[seat], language)
        return template(RULES, view, seat, language, terms)

    def offers(self, view: State, seat: str, terms: parts.FormTerms = parts.AS_IT_IS) -> tuple[Offer, ...]:
        """What the form offers, way by way."""
        if view.phase == DEPLOYMENT:
            return DEPLOYED.offers(view, view.edition.seats[seat])
        return offered(RULES, view, seat, terms)

    def begins(self, line: str, standing: bool) -> bool:
        """Whether a line begins an order, or a standing order."""
        return wrapped.begins(line, standing, GRAMMAR.verbs, VOCABULARY)

    fallen = staticmethod(fallen)

    def choices(self, view: State, seat: str, begun: bool = False) -> Choices:
        """What the seat's units may do, one by one."""
        if view.phase == DEPLOYMENT:
            return DEPLOYED.choices(view, view.edition.seats[seat])
        return choices(view, view.edition.seats[seat], begun)

    def moves(self, view: State, seat: str, place: str, begun: bool = False) -> tuple[Msg, ...]:
        """What the units of a space may do."""
        side = view.edition.seats[seat]
        at, read = place_meant(lexicon(view, side), place, {ident: unit.at for ident, unit in view.units.items()})
        may = DEPLOYED.moves(view, side, at) if view.phase == DEPLOYMENT else moves(view, side, at, begun) if at else ()
        return (*read, *may)

    def place(self, view: State, seat: str, said: str) -> str:
        """The space that is meant."""
        stands = {ident: unit.at for ident, unit in view.units.items()}
        return place_meant(lexicon(view, view.edition.seats[seat]), said, stands)[0]

    def places(self, view: State, seat: str) -> tuple[Msg, ...]:
        """Spaces with own units."""
        return places(view, view.edition.seats[seat])

    def review(self, view: State, seat: str, orders: Orders, begun: bool = False) -> tuple[Warned, ...]:
        """Second thoughts on legal orders."""
        if view.phase == DEPLOYMENT:
            return DEPLOYED.review(view, view.edition.seats[seat], orders)
        return review(RULES, view, view.edition.seats[seat], orders, begun)


class Forecast(parts.Forecast):
    """What attacks are worth."""

    def odds(self, view: State, seat: str, orders: Orders, purse: Purse, begun: bool = False) -> Worth:
        """The odds of the assaults in the orders, each when its turn comes; where units are deployed there are none."""
        if view.phase == DEPLOYMENT:
            return Worth()
        return worth(RULES, Ordered(view, orders, begun), seat, purse)

    def attack_odds(self, text: str, view: State, seat: str, by: parts.Scales) -> Worth:
        """The odds of an attack that was asked about."""
        orders = Orders(attack(text, view, view.edition.seats[seat], by.begun).orders.actions, by.standing)
        return attack_worth(RULES, Ordered(view, orders, by.begun), seat, by.purse)

    def attack(self, text: str, view: State, seat: str, begun: bool = False) -> Reading:
        """One assault or charge to be weighed."""
        return attack(text, view, view.edition.seats[seat], begun)

    def answer_stakes(
        self, world: World[State], asked: Sequence[Asked], standing: tuple[Any, ...], purse: Purse
    ) -> tuple[tuple[Msg | None, ...], ...]:
        """C10 What each answer to a question is worth."""
        return answer_stakes(RULES, world, asked, Doctrine({asked[0].window.seat: standing}), purse)

    def trial(self, text: str, view: State, seat: str) -> Trial:
        """An attack to hold standing orders against."""
        return trial(text, view, view.edition.seats[seat])


class Advice(parts.Advice):
    """What the bot of the game advises that plays best of those that think no longer than a letter may cost."""

    bot = "marshal"

    def advised(self, view: State, seat: str, orders: Orders) -> Orders:
        """Trains and guns that would be lost stay back."""
        return prudent(view, view.edition.seats[seat], orders)

    def plan(self, view: State, seat: str, orders: Orders, purse: Purse) -> tuple[Msg, ...]:
        """The main assault, the reserve, what is guarded."""
        return plan(RULES, view, seat, orders, purse)


class Moderation(parts.Editing, parts.Awarding):
    """What a moderator may correct and give."""

    edit = staticmethod(edit)
    awards = staticmethod(awards)


class Scored(standard.Scored):
    """What a position is worth: victory points, in fractions."""

    worth = staticmethod(points)

    def party(self, state: State, side: str) -> str:
        """Each for itself."""
        return side if side in SIDES else ""

    def engaged(self, state: State) -> bool:
        """An assault, to the end of its shock."""
        return state.fight is not None


class Pictured(parts.Pictured):
    """What the map shows."""

    ground = staticmethod(ground)
    picture = staticmethod(picture)


class Cased(parts.Cased):
    """Rules tried by cases."""

    keys = cases.KEYS
    state = staticmethod(cases.case_state)
    world = staticmethod(cases.case_world)
    holds = staticmethod(cases.case_holds)
    lookup = staticmethod(cases.case_lookup)
    eyes = staticmethod(closed_to)

    def coins(self, what: str) -> bool:
        """C6 Fire throws coins; everything else is a die, even one of two sides (O7.1.6)."""
        return what.startswith("fire ")


class Africa1860(Standard):
    """The rules and data of the game behind the house's protocol."""

    name = "africa1860"
    title = msg("Africa 1859-60")
    rules = RULES
    by_letter = True
    telling = Telling()
    rulebook = Rulebook(SHELF, HELP, PRESETS)
    aids = Aids()
    forecast = Forecast()
    advice = Advice()
    scored = Scored()
    editing = awarding = Moderation()
    cased = Cased()
    pictured = Pictured()
    bots = BOTS
    levels = LEVELS
    easiest = "castillejos"
    linked = Linked()

    shelf, pinned, position, doctrine = SHELF, Edition, State, Doctrine

    edition = staticmethod(read_edition)
    start = staticmethod(start)
    canon = staticmethod(canon)
    see = staticmethod(gate.see)
    invariants = staticmethod(invariants)
    world = staticmethod(phase_world)

    def parse(self, text: str, view: State, seat: str) -> Reading:
        """Orders of a letter by their fixed checks."""
        return parse(text, view, view.edition.seats[seat])

    def phase(self, state: State) -> tuple[str, int] | None:
        """The phase that waits for orders; K6 those who saw how the enemy deploys do so in a phase of their own."""
        found = super().phase(state)
        return (f"{DEPLOYMENT}2", state.turn) if found and state.second else found

    def at_once(self, state: State) -> tuple[str, ...]:
        """K6 All seats deploy, but where one side's scouts saw how the other does."""
        return DEPLOYING.seats(state)

    def decisions(
        self,
        state: State,
        orders: Mapping[str, Orders],
        answers: Mapping[str, Sequence[str]],
        asks: Asks | None = None,
    ) -> Any:
        """Answers, standing orders, the defaults; M6 under couriers nobody is asked by letter: all would hear of it."""
        return super().decisions(state, orders, answers, None if state.known is not None else asks)

    def rides(self, state: State, seat: str, other: str) -> int | None:
        """M6 How late letters between the commanders of a side are there."""
        sides = state.edition.seats
        if state.phase == "over" or not by_couriers(state, seat) or sides[seat] != sides[other]:
            return None
        return delay(state, seat, other)

    def view(self, state: State, seat: str) -> Any:
        """What the seat may know of the position."""
        return gate.view(state, seat)

    def check(self, view: State, seat: str, orders: Orders, begun: bool = False) -> tuple[Rejected, ...]:
        """Orders against the position."""
        return check(RULES, view, view.edition.seats[seat], orders, begun)


GAME = Africa1860()
