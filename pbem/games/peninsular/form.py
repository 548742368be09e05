"""Write the order form: each division's orders and its counters' actions.

A line is one order, or several that differ in one word, with `|` between the options.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeVar

from pbem.engine.commanders.holding import other_owner
from pbem.engine.data.languages import pick_phrase
from pbem.engine.data.memory import IdentityKey, LruCache
from pbem.engine.data.messages import percent
from pbem.engine.deployment_help import DeploymentHelp
from pbem.engine.orders.choices import Offer, ways
from pbem.engine.orders.speech import translate
from pbem.engine.parts import DEFAULT_FORM_TERMS, FormTerms, OrderHelp
from pbem.engine.run.odds import Reckoning
from pbem.engine.run.runners import foresee
from pbem.engine.run.steps import Rules, Task, World
from pbem.games.peninsular.assault import assault_odds
from pbem.games.peninsular.check import refuse_action, review_orders
from pbem.games.peninsular.choices import (
    HexGoal,
    hexes_in_reach,
    important_goals,
    list_choices,
    movable_units,
    possible_attacks,
    possible_hexes,
    possible_moves,
    start_of_half,
    unit_places,
)
from pbem.games.peninsular.doctrine import Doctrine
from pbem.games.peninsular.edition import alliance_of
from pbem.games.peninsular.fire import fire_odds_within
from pbem.games.peninsular.movement import LegalMove, find_move
from pbem.games.peninsular.orders import (
    GRAMMAR,
    VOCABULARY,
    Assault,
    Fire,
    Form,
    Limber,
    Move,
    Order,
    in_play_order,
    lexicon,
    line_of,
)
from pbem.games.peninsular.sequence import DEPLOYMENT, RULES, task_of
from pbem.games.peninsular.state import State
from pbem.games.peninsular.units import DIVISION_ORDERS, NORMAL, Unit, best_unit

T = TypeVar("T")

_SPANISH = {
    "now": "ahora",
    "back": "atrás",
    "effect": "efecto",
}


def write_form(
    rules: Rules[State], view: State, seat: str, language: str, terms: FormTerms = DEFAULT_FORM_TERMS
) -> tuple[str, ...]:
    """Return a seat's form, all in comments: an unchanged form orders nothing.

    By division: the order it may get, then where its counters could go among the reachable hexes that count; a
    commander goes with a counter of his hex. Then the arms of a hex that could go together (S4a). Last the
    likeliest fire of each counter, and the assaults and charges possible before any move, with their odds. Attacks
    without a chance are left out, and so is the worse of an assault and a charge by the same counters.
    """
    if view.phase == "over":
        return ()
    side = view.edition.seats[seat]
    form = _Form(rules, _start_of(rules, view, side), seat, language, terms, short=True)
    return tuple(form.lines()) or (f"# {VOCABULARY.word('PASS', language)}",)


def form_offers(
    rules: Rules[State], view: State, seat: str, terms: FormTerms = DEFAULT_FORM_TERMS
) -> tuple[Offer, ...]:
    """Return each option of a seat's form by itself.

    PASS is the only one where there is no other; once the game is over there is none.
    """
    if view.phase == "over":
        return ()
    form = _Form(rules, _start_of(rules, view, view.edition.seats[seat]), seat, "en", terms)
    return tuple(form.ways()) or (Offer("PASS"),)


class _Start:
    """The start of a side's half of a view, and what is possible from there.

    A letter's form is written without odds, with them, and as offers, all of one view: what takes longest is found
    once for all of them.
    """

    def __init__(self, rules: Rules[State], view: State, side: str) -> None:
        self.rules, self.state = rules, start_of_half(view, side)
        mine = (unit for _, unit in sorted(self.state.units.items()) if unit.camp == alliance_of(side))
        self.own = [unit for unit in mine if not other_owner(self.state, unit.id)]
        divisions = {name: division._replace(order="ATTACK") for name, division in self.state.divisions.items()}
        self._attacking = self.state.change(divisions=divisions)
        self._known: dict[tuple[object, ...], Any] = {}

    def find(self, find: Callable[..., T], *asked: Hashable) -> T:
        """Return ``find(*asked)``, found once."""
        if (find, *asked) not in self._known:
            self._known[find, *asked] = find(*asked)
        answer: T = self._known[find, *asked]
        return answer

    def reach(self, units: tuple[Unit, ...], attacking: bool = False) -> frozenset[str]:
        """Return the hexes in reach of counters, or if all divisions had an Attack order."""
        return hexes_in_reach(self._attacking if attacking else self.state, units)

    def goals(self, units: tuple[Unit, ...], unlimber: bool) -> tuple[tuple[HexGoal, ...], bool]:
        """Return the important hexes in reach of counters that may move together.

        Guns that unlimber go where they can, if there is such a hex, as the second value says.
        """
        if len(movable_units(self.state, units)) < len(units):
            return (), False
        hexes = self.find(self.reach, units)
        ready = [hex_id for hex_id in hexes if self._is_ready(units, hex_id)] if unlimber else []
        return important_goals(self.state, units, ready or hexes), bool(ready)

    def _is_ready(self, units: Sequence[Unit], hex_id: str) -> bool:
        """Return whether a battery could unlimber on arrival (T8)."""
        outcome = find_move(self.state, Move(0, tuple(sorted(unit.id for unit in units)), to=hex_id))
        if not isinstance(outcome, LegalMove):
            return False
        gun = units[0]
        there = gun.but(at=hex_id, used=gun.used + outcome.walked.costs[gun.id])
        later = self.state.with_units({gun.id: there})
        return refuse_action(later, Limber(0, (gun.id,), "UNLIMBER")) is None

    def targets(self, unit: Unit) -> tuple[str, ...]:
        """Return the hexes that a counter may fire at."""
        return possible_hexes(self.state, unit, "FIRE") if unit.is_combat else ()

    def assaults(self) -> list[tuple[Assault, Order | None]]:
        """Return the assault on each hex by all able units, the strongest leading.

        Cavalry is apart. S2 Units that need an Attack order, which would be in force at once, come with that order.
        """
        now = possible_attacks(self.state, self.own)
        assaults: list[tuple[Assault, Order | None]] = [(order, None) for order in now]
        for name, division in sorted(self.state.divisions.items()):
            if alliance_of(division.side) != alliance_of(self.state.phase) or division.order == "ATTACK":
                continue
            first = Order(0, name, "ATTACK")
            foresight = foresee(self.rules, World(self.state, (task_of(first),)), Doctrine({}), ())
            for order in possible_attacks(foresight.state, self.own):
                if all(self.state.units[ident].division == name for ident in order.units) and order not in now:
                    assaults.append((order, first))
        return assaults


_STARTS = LruCache[tuple[IdentityKey, str], _Start](4)


def _start_of(rules: Rules[State], view: State, side: str) -> _Start:
    return _STARTS.get((IdentityKey(view), side), lambda: _Start(rules, view, side))


_HOPEFUL = 0.2
"""Chance from which a form offers an assault; ODDS gives that of any other. A choice: the form stays short."""

_PLACES, _TARGETS = 3, 2
"""Hexes that a stack is offered as destinations, and a counter as targets; MOVES lists all."""


class _Going(NamedTuple):
    """Counters that move together, and the parts of their line.

    These are the companions, and the actions at the end.
    """

    units: Sequence[Unit]
    names: str
    note: str
    unlimber: bool = False


class _Form:
    """The lines of an order form.

    A `short` form has one line for each stack, and a retreat only for counters without any other move.
    """

    def __init__(
        self, rules: Rules[State], start: _Start, seat: str, language: str, terms: FormTerms, short: bool = False
    ) -> None:
        self.rules, self.language, self.terms, self.short = rules, language, terms, short
        self.half, self.state, self.own = start, start.state, start.own
        self.side = self.state.edition.seats[seat]
        self.doctrine = Doctrine({seat: terms.standing})
        self.said = {english: pick_phrase(language, english, other) for english, other in _SPANISH.items()}

    def say(self, keyword: str) -> str:
        return VOCABULARY.word(keyword, self.language)

    @property
    def at(self) -> str:
        return "AT" if self.say("TO") == "TO" else self.say("TO")

    def lines(self) -> Iterator[str]:
        yield from self.peaceful()
        best: dict[tuple[str, tuple[str, ...]], float] = {}
        assaults = [*self.assaults()]
        for order, _, chance in assaults:
            key = (order.target, order.units)
            best[key] = max(best.get(key, 0), 2 if chance is None else chance)
        for order, text, chance in assaults:
            if chance is None:
                yield f"# {text}"
            elif chance >= _HOPEFUL and chance == best.pop((order.target, order.units), None):
                yield f"# {text}  # {percent(chance)} %"

    def peaceful(self) -> Iterator[str]:
        """Yield all lines except assaults, charges and the exit."""
        chiefs = {division.commander: name for name, division in self.state.divisions.items()}
        names = {unit.id: unit.division or chiefs.get(unit.id, "") for unit in self.own}
        stacks = self.stacks()
        in_stacks = {unit.id for units, _ in stacks if self.short for unit in units}
        # Counters without a division come last.
        ordered = sorted(set(names.values()), key=lambda name: (not name, name))
        divisions = [name for name in ordered if name in self.state.divisions]
        if self.short and divisions:
            yield self.orders(divisions)
        for name in ordered:
            if name in divisions and not self.short:
                yield self.order(name)
            yield from (line for units, line in stacks if self.short and names[units[0].id] == name)
            yield from self.going([unit for unit in self.own if names[unit.id] == name and unit.id not in in_stacks])
        if not self.short:
            yield from (line for units, line in stacks if len({unit.kind for unit in units if unit.is_combat}) > 1)
        yield from self.fire()

    def ways(self) -> Iterator[Offer]:
        """Yield each order of `lines` by itself, without explanations."""
        for line in self.peaceful():
            order = line.removeprefix("# ").partition("  # ")[0]
            yield from (Offer(line) for line in ways(order))
        yield from (Offer(line, chance) for _, line, chance in self.assaults())

    def order(self, name: str) -> str:
        """Return the line of a division's orders: possible ones and the present (S2)."""
        division = self.state.divisions[name]
        now = division.pending or division.order
        others = " | ".join(self.say(order) for order in DIVISION_ORDERS if order != now)
        note = f"  # {self.said['now']} {self.say(now)}" if now else ""
        return f"# {self.say('ORDER')} {name} {others}{note}"

    def orders(self, names: Sequence[str]) -> str:
        """Return one line for the orders of all divisions, with those that they have.

        HOLD, which only forbids, is left out, and REORGANISE where nobody has to rally.
        """
        calm = all(unit.state == NORMAL for unit in self.own if unit.division in names)
        useless = ("HOLD", "REORGANISE") if calm else ("HOLD",)
        words = " | ".join(self.say(order) for order in DIVISION_ORDERS if order not in useless)
        now = {name: self.state.divisions[name].pending or self.state.divisions[name].order for name in names}
        given = ", ".join(f"{name} {self.say(order)}" for name, order in now.items() if order)
        note = f"  # {self.said['now']} {given}" if given else ""
        return f"# {self.say('ORDER')} {' | '.join(names)} {words}{note}"

    def going(self, units: Sequence[Unit]) -> Iterator[str]:
        """Yield a line for each counter; a commander goes with the strongest of his hex."""
        led: dict[str, list[Unit]] = {}
        for chief in (unit for unit in units if unit.kind == "cmd"):
            mate = best_unit([unit for unit in units if unit.at == chief.at and unit.is_combat])
            if mate is not None and movable_units(self.state, [mate, chief]) == [mate, chief]:
                led.setdefault(mate.id, []).append(chief)
        along = {chief.id for chiefs in led.values() for chief in chiefs}
        for unit in units:
            if unit.id not in along:
                yield from self.start(unit, led.get(unit.id, []))

    def start(self, unit: Unit, chiefs: Sequence[Unit]) -> Iterator[str]:
        """Yield a first order: limber guns, break up squares (T8), or go."""
        note = unit.at
        if unit.is_unlimbered or unit.square:
            order = Limber(0, (unit.id,), "LIMBER") if unit.is_unlimbered else Form(0, (unit.id,), "FORMED")
            first_order = self.say("LIMBER") if unit.is_unlimbered else self.say("FORM")
            how = "" if unit.is_unlimbered else f" {self.say('FORMED')}"
            if refuse_action(self.state, order) is None:
                yield f"# {first_order} {unit.id}{how}  # {note}"
            return
        along = f" {self.say('WITH')} {', '.join(chief.id for chief in chiefs)}" if chiefs else ""
        lines = [*self.move(_Going([unit, *chiefs], f"{unit.id}{along}", note, unit.kind == "art"))]
        yield from lines
        if chiefs and not lines:
            for counter in (unit, *chiefs):
                yield from self.start(counter, [])

    def move(self, going: _Going) -> Iterator[str]:
        """Write a move to important hexes; guns unlimber there if MP allow (S4, T8)."""
        reached_goals, ready = self.half.find(self.half.goals, tuple(going.units), going.unlimber)
        if self.short:
            reached_goals = (tuple(goal for goal in reached_goals if goal.why != "back") or reached_goals)[:_PLACES]
        if not reached_goals:
            return
        unlimber_clause = f"; {self.say('UNLIMBER')} {going.units[0].id}" if ready else ""
        destination = " | ".join(goal.at for goal in reached_goals)
        back = f": {self.said['back']}" if reached_goals[0].why == "back" else ""
        only = self.only([goal.at for goal in reached_goals], going.units)
        line = f"# {self.say('MOVE')} {going.names} {self.say('TO')} {destination}{unlimber_clause}"
        yield f"{line}  # {going.note}{back}{only}"

    def only(self, hexes: Sequence[str], units: Sequence[Unit]) -> str:
        """Return the note on hexes that only a Manoeuvre order reaches (S2)."""
        if not any(self.state.order_of(unit) == "MANOEUVRE" for unit in units):
            return ""
        reach = self.half.find(self.half.reach, tuple(units), True)
        far = [hex_id for hex_id in hexes if hex_id not in reach]
        which = f": {', '.join(far)}" if len(far) < len(hexes) else ""
        return f"; {self.say('MANOEUVRE')}{which}" if far else ""

    def stacks(self) -> list[tuple[list[Unit], str]]:
        """S4a Return counters of a hex that can move together, each group with its line.

        Their commanders move with them.
        """
        stacks = []
        for hex_id in sorted({unit.at for unit in self.own}) if self.state.edition.reread else ():
            units = movable_units(self.state, [unit for unit in self.own if unit.at == hex_id])
            if sum(unit.is_combat for unit in units) > 1:
                going = _Going(units, ", ".join(unit.id for unit in units), hex_id)
                stacks += [(units, line) for line in self.move(going)]
        return stacks

    def fire(self) -> Iterator[str]:
        """Yield the fire of each counter.

        In a short form counters with the same targets share a line.
        """
        alike: dict[tuple[str, ...], list[tuple[str, list[float | None]]]] = {}
        for unit in self.own:
            hexes = self.half.find(self.half.targets, unit)
            effects = [(self.effect(Fire(0, (unit.id,), hex_id)), hex_id) for hex_id in hexes]
            if self.short and all(chance is not None for chance, _ in effects):
                likely = sorted((-(chance or 0), hex_id) for chance, hex_id in effects if percent(chance) != "0")
                # The likeliest, then again in the order of hexes: a line looks alike from turn to turn.
                effects = sorted(((-chance, hex_id) for chance, hex_id in likely[:_TARGETS]), key=lambda aim: aim[1])
            targets, chances = tuple(target for _, target in effects), [chance for chance, _ in effects]
            if self.short and targets:
                alike.setdefault(targets, []).append((unit.id, chances))
            elif targets:
                yield self.fire_line(targets, [(unit.id, chances)])
        for targets, firing in sorted(alike.items()):
            yield self.fire_line(targets, firing)

    def fire_line(self, targets: Sequence[str], firing: Sequence[tuple[str, Sequence[float | None]]]) -> str:
        """Return an order to fire, with each counter's chance at each target."""
        line = f"# {self.say('FIRE')} {', '.join(ident for ident, _ in firing)} {self.at} {' | '.join(targets)}"
        if any(chance is None for _, chances in firing for chance in chances):
            return line
        known = [" | ".join(f"{percent(chance or 0)} %" for chance in chances) for _, chances in firing]
        return f"{line}  # {self.said['effect']} {', '.join(known)}"

    def effect(self, order: Fire) -> float | None:
        """Return how often a FIRE has an effect; None if hidden or too slow."""
        purse = self.terms.purse
        effect = None if purse is None else fire_odds_within(self.rules, self.state, order, self.doctrine, purse)
        return None if effect is None else float(1 - effect.nothing)

    def assaults(self) -> Iterator[tuple[Assault, str, float | None]]:
        """Yield the possible assaults, each with its line and chance."""
        for order, first in self.half.find(self.half.assaults):
            yield self.assault(order, first)

    def assault(self, order: Assault, first: Order | None = None) -> tuple[Assault, str, float | None]:
        lines = [line_of(action) for action in (first, order) if action is not None]
        text = "; ".join(translate(line, VOCABULARY, self.language, {}) for line in lines)
        return order, text, self.chance(order, first)

    def chance(self, order: Assault, first: Order | None) -> float | None:
        """Return how often an assault alone takes its hex; None if that takes too long."""
        if self.terms.purse is None:
            return None
        tasks = (Task("half begins"), *([task_of(first)] if first else []), task_of(order))
        seats = self.state.edition.seats_of(self.side)
        state = foresee(self.rules, World(self.state, tasks), self.doctrine, seats).state
        key = ("form", state.edition.digest, state.key(), order.target, self.terms.standing)

        def weigh(step: Callable[[], None]) -> float:
            return float(assault_odds(self.rules, state, order.target, self.doctrine, Reckoning(step=step)).win)

        return self.terms.purse.pay(key, weigh)


ORDER_HELP = DeploymentHelp(DEPLOYMENT, RULES, GRAMMAR).around(
    OrderHelp(
        template=partial(write_form, RULES),
        offers=partial(form_offers, RULES),
        choices=partial(list_choices, RULES),
        in_order=in_play_order,
        moves=possible_moves,
        places=unit_places,
        review=partial(review_orders, RULES),
    ),
    lexicon,
)
