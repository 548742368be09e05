"""The game as the house knows it: every function of the protocol, each a line into its chapter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pbem.engine import parts, standard
from pbem.engine.commanders.holding import closed_to
from pbem.engine.commanders.telling import own_first
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
from pbem.engine.run.questions import Asked
from pbem.engine.run.steps import World
from pbem.engine.standard import Book, Standard
from pbem.engine.terms import Orders, Reading, Rejected, Trial, Warned, Worth
from pbem.games.peninsular import cases
from pbem.games.peninsular import state as gate
from pbem.games.peninsular.advice import plan
from pbem.games.peninsular.apply import edit
from pbem.games.peninsular.bots import BOTS, LEVELS
from pbem.games.peninsular.check import check, review
from pbem.games.peninsular.choices import choices, moves, places
from pbem.games.peninsular.doctrine import Doctrine
from pbem.games.peninsular.edition import SHELF, Edition
from pbem.games.peninsular.forecast import NOTE, Half, answer_stakes, as_if, attack, trial, worth
from pbem.games.peninsular.form import PRESETS, offered, template
from pbem.games.peninsular.grammar import CALLED, GRAMMAR, VOCABULARY, canon, in_order, lexicon, parse, spoken
from pbem.games.peninsular.picture import ground, picture
from pbem.games.peninsular.questions import HELP, agreed, order_line, question, why
from pbem.games.peninsular.report import report, text_map
from pbem.games.peninsular.scenario import read_edition, start
from pbem.games.peninsular.sequence import DEPLOYING, phase_world
from pbem.games.peninsular.stakes import SIDE_NAMES, account, stakes, wording
from pbem.games.peninsular.state import State
from pbem.games.peninsular.steps import RULES
from pbem.games.peninsular.tell import entries, happenings
from pbem.games.peninsular.terrain import stands
from pbem.games.peninsular.units import encamped
from pbem.games.peninsular.victory import awards, party
from pbem.games.peninsular.victory import worth as points


def invariants(state: State) -> tuple[str, ...]:
    """Return what is wrong with the position, in plain words.

    T3 is not held in the middle of a half: a square formed against a charge or a retreat may crowd a hex for a while,
    and so may those who are deployed until all are (K6).
    """
    wrong: list[str] = []
    for ident, unit in state.units.items():
        if ident != unit.id or ident in state.gone:
            wrong.append(f"{ident} is misfiled")
        if unit.at not in state.edition.map:
            wrong.append(f"{ident} is in {unit.at!r}, which is no hex of the map")
        if not 0 < unit.pf <= unit.full:
            wrong.append(f"{ident} has {unit.pf} of {unit.full} PF")
        if not 0 <= unit.fatigue <= 3:
            wrong.append(f"{ident} has {unit.fatigue} levels of fatigue")
    if state.camps != encamped(state.units):
        wrong.append("what is known of who stands where, and of the zones, is not so")
    for at in sorted({unit.at for unit in state.units.values()}):
        here = state.at(at)
        if len({unit.camp for unit in here}) > 1:
            wrong.append(f"both sides stand in {at}")
        for ours in sorted({unit.camp for unit in here}):
            own = [unit for unit in here if unit.camp == ours and unit.is_combat]
            if own and state.phase != DEPLOYMENT and not stands(state.edition, at, own):
                wrong.append(f"{ours} counters are overstacked in {at}")
    return tuple(wrong)


DEPLOYED = DeploymentAids(DEPLOYING, RULES, VOCABULARY, GRAMMAR.idiom)


class Telling(parts.Telling):
    """What the game tells."""

    report = staticmethod(report)
    stakes = staticmethod(stakes)
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

    def winning(self, view: State, seat: str) -> Block:
        """What counts, and how one wins."""
        return winning(stakes(view, seat, ()), wording(view))

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

    in_order = staticmethod(in_order)

    def choices(self, view: State, seat: str, begun: bool = False) -> Choices:
        """What the seat's units may do, one by one."""
        if view.phase == DEPLOYMENT:
            return DEPLOYED.choices(view, view.edition.seats[seat])
        return choices(RULES, view, view.edition.seats[seat])

    def begins(self, line: str, standing: bool) -> bool:
        """Whether a line begins an order, or a standing order."""
        return wrapped.begins(line, standing, GRAMMAR.verbs, VOCABULARY)

    def moves(self, view: State, seat: str, place: str, begun: bool = False) -> tuple[Msg, ...]:
        """What the units of a space may do."""
        side = view.edition.seats[seat]
        at, read = place_meant(lexicon(view, side), place, {ident: unit.at for ident, unit in view.units.items()})
        may = DEPLOYED.moves(view, side, at) if view.phase == DEPLOYMENT else moves(view, side, at) if at else ()
        return (*read, *may)

    def place(self, view: State, seat: str, said: str) -> str:
        """The hex that is meant."""
        stands = {ident: unit.at for ident, unit in view.units.items()}
        return place_meant(lexicon(view, view.edition.seats[seat]), said, stands)[0]

    def places(self, view: State, seat: str) -> tuple[Msg, ...]:
        """Hexes with own counters."""
        return places(view, view.edition.seats[seat])

    def review(self, view: State, seat: str, orders: Orders, begun: bool = False) -> tuple[Warned, ...]:
        """Second thoughts on legal orders."""
        if view.phase == DEPLOYMENT:
            return DEPLOYED.review(view, view.edition.seats[seat], orders)
        return review(RULES, view, view.edition.seats[seat], orders)


def _playing(view: State, seat: str) -> State:
    """Who deploys asks about attacks as they stand when his half comes."""
    return view.change(phase=view.edition.seats[seat]) if view.phase == DEPLOYMENT else view


class Forecast(parts.Forecast):
    """What attacks are worth."""

    def odds(self, view: State, seat: str, orders: Orders, purse: Purse, begun: bool = False) -> Worth:
        """The odds of the assaults in the orders; where units are deployed there are none."""
        if view.phase == DEPLOYMENT:
            return Worth()
        return worth(Half(RULES, view, seat, orders, purse), orders)

    def attack_odds(self, text: str, view: State, seat: str, by: parts.Scales) -> Worth:
        """The odds of an assault or charge that was asked about."""
        there, said = as_if(text, _playing(view, seat), view.edition.seats[seat])
        actions = attack(RULES, said, there, view.edition.seats[seat]).orders.actions
        orders = Orders(actions, by.standing)
        return worth(Half(RULES, there, seat, orders, by.purse), orders, asked=True)

    def attack(self, text: str, view: State, seat: str, begun: bool = False) -> Reading:
        """One assault or charge to be weighed."""
        return attack(RULES, text, _playing(view, seat), view.edition.seats[seat])

    def answer_stakes(
        self, world: World[State], asked: Sequence[Asked], standing: tuple[Any, ...], purse: Purse
    ) -> tuple[tuple[Msg | None, ...], ...]:
        """What each answer of a defender is worth."""
        return answer_stakes(RULES, world, asked, Doctrine({asked[0].window.seat: standing}), purse)

    @property
    def answers_note(self) -> Msg:
        """What stands behind the answers."""
        return NOTE

    def trial(self, text: str, view: State, seat: str) -> Trial:
        """An attack to hold standing orders against."""
        return trial(text)


class Advice(parts.Advice):
    """What the bot of the game advises that plays best of those that think no longer than a letter may cost."""

    bot = "forward"

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
    party = staticmethod(party)
    hindsight = staticmethod(gate.hindsight)


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
        """No roll of this game throws coins."""
        return False


class Peninsular(Standard):
    """The rules and data of the game behind the house's protocol."""

    name = "peninsular"
    title = msg("Peninsular")
    hides_orders = True
    rules = RULES
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
    easiest = "training"

    shelf, pinned, position, doctrine = SHELF, Edition, State, Doctrine

    edition = staticmethod(read_edition)
    start = staticmethod(start)
    canon = staticmethod(canon)
    view = staticmethod(gate.view)
    see = staticmethod(gate.see)
    invariants = staticmethod(invariants)

    def moving(self, state: State) -> tuple[str, ...]:
        """The seats of the camp whose half it is."""
        return () if state.phase == "over" else state.edition.seats_of(state.phase)

    def parse(self, text: str, view: State, seat: str) -> Reading:
        """Orders of a letter by their fixed checks."""
        return parse(text, view, view.edition.seats[seat])

    def check(self, view: State, seat: str, orders: Orders, begun: bool = False) -> tuple[Rejected, ...]:
        """Orders against the position."""
        return check(RULES, view, view.edition.seats[seat], orders)

    def world(
        self, state: State, orders: Mapping[str, Orders], letters: Sequence[Sequence[Any]] | None = None
    ) -> World[State]:
        """The phase with everybody's orders, which is always one: fire and shock come after all movement (S1)."""
        return phase_world(state, orders)


GAME = Peninsular()
