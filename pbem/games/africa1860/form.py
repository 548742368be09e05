"""Write the order form: the legal orders now, line by line.

A line is one order, or several that differ in destination, with `|` between the spaces.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pbem.engine.data.languages import pick_phrase
from pbem.engine.data.memory import IdentityKey, LruCache
from pbem.engine.data.messages import percent
from pbem.engine.orders import speech
from pbem.engine.orders.choices import Offer as Way
from pbem.engine.orders.choices import ways
from pbem.engine.orders.refusals import Refusal
from pbem.engine.parts import DEFAULT_FORM_TERMS, FormTerms
from pbem.engine.run.steps import Rules
from pbem.games.africa1860.doctrine import Doctrine
from pbem.games.africa1860.edition import SIDES
from pbem.games.africa1860.legality import retire_path
from pbem.games.africa1860.orders import VOCABULARY, Action, Activate, Assault, Caracole, Fire, Move, Retire, line_of
from pbem.games.africa1860.refusals import refuse_action
from pbem.games.africa1860.shock import Attack, chance_alone
from pbem.games.africa1860.state import CAVALRY, INFANTRY, State, Unit, best_leader
from pbem.games.africa1860.view import seen_spaces

# What could be ordered: each order, or several that are alike, as one offer.


class FormOffer(NamedTuple):
    """One order, and the spaces that may replace its destination."""

    action: Action
    spaces: tuple[str, ...]


def position_for_orders(view: State, side: str, begun: bool) -> State:
    """Return the position in which a side will give orders.

    O1, O5 At its start nobody has acted and no space is activated, unless it has `begun`: then earlier letters count.
    O6 Between phases the markers come off if the side's phase is next turn's.
    """
    if begun and view.phase == side:
        return view.change(stopped=False, fight=None)
    later = view.phase in SIDES and SIDES.index(side) < SIDES.index(view.phase)
    units = {
        ident: unit.with_markers(unit.activated and not later, unit.fired and not later, acted=False)
        for ident, unit in view.units.items()
    }
    return view.change(phase=side, turn=view.turn + later, units=units, used=(), bouts={}, stopped=False, fight=None)


def space_offers(state: State, space: str) -> tuple[tuple[FormOffer, ...], tuple[FormOffer, ...]]:
    """Return a space's possible orders after activation, and those without (R8)."""
    own_units = state.own(space, state.phase)
    retiring = tuple(offer for unit in own_units if (offer := _retiring(state, unit)) is not None)
    if refuse_action(state, Activate(0, space), space) is not None:
        return (), retiring
    targets = [there for there in spaces_near(state, space) if state.holder(there) not in ("", state.phase)]
    acting = _Acting(state, space, own_units, targets)
    return tuple(acting.offers()), retiring


def leaderless_spaces(state: State) -> tuple[str, ...]:
    """Return the spaces that need a leader to be activated (O5)."""
    shut = ((space, refuse_action(state, Activate(0, space), space)) for space in state.camping(state.phase))
    return tuple(space for space, refusal in shut if refusal is not None and refusal.rules[0] == "O5")


def spaces_near(state: State, space: str) -> list[str]:
    """Return the spaces one or two steps away, by id."""
    area = state.edition.map
    return sorted({other for first in area.neighbours(space) for other in (first, *area.neighbours(first))} - {space})


def _retiring(state: State, unit: Unit) -> FormOffer | None:
    """R8 Return the order to retire as far as allowed, or to a space on the way."""
    if not unit.demoralised:
        return None
    spaces = [
        destination
        for destination in retire_path(state, unit)
        if refuse_action(state, Retire(0, (unit.id,), destination), unit.at) is None
    ]
    return FormOffer(Retire(0, (unit.id,), spaces[0]), tuple(spaces)) if spaces else None


class _Acting(NamedTuple):
    """The units of an activated space, and whether the enemy is within two spaces."""

    state: State
    space: str
    own: Sequence[Unit]
    targets: Sequence[str]

    def offers(self) -> Iterator[FormOffer]:
        guns = [unit for unit in self.own if unit.code == "ART"]
        riders = [unit for unit in self.own if unit.code == CAVALRY]
        yield from self.together([self.among(Fire(0, ((gun.id,),), "")) for gun in guns])
        for target in self.targets:
            yield from self.assaults(target)
        yield from self.together([self.among(Caracole(0, (rider.id,), "")) for rider in riders])
        yield from self.moves()

    def legal(self, action: Action) -> bool:
        return refuse_action(self.state, action, self.space) is None

    def together(self, singles: Sequence[dict[str, Action]]) -> Iterator[FormOffer]:
        """Join units that may do the same in one order, as far as that is legal."""
        groups: dict[tuple[str, ...], list[Action]] = {}
        for single in singles:
            if single:
                groups.setdefault(tuple(single), []).append(next(iter(single.values())))
        for spaces, actions in groups.items():
            whole = _join_orders(actions)
            if all(self.legal(_with_destination(whole, space)) for space in spaces):
                yield FormOffer(whole, spaces)
            else:
                yield from (FormOffer(action, spaces) for action in actions)

    def among(self, action: Action) -> dict[str, Action]:
        """O7, O3.3 Return orders to fire or caracole, by target space."""
        orders = {target: _with_destination(action, target) for target in self.targets}
        return {target: order for target, order in orders.items() if self.legal(order)}

    def assaults(self, target: str) -> Iterator[FormOffer]:
        """O8 Yield assaults by all able units under the best leader; O3.3 charges.

        Guns do not assault; those that bear on the target support.
        """
        riders = [unit.id for unit in self.own if unit.code == CAVALRY and self.legal(_charge(target, unit.id))]
        foot = Assault(0, "ASSAULT", target, ())
        leader = best_leader([unit for unit in self.own if self.leads(unit, target)])
        if leader is not None:
            foot = foot._replace(leader=leader.id)
            able = [u.id for u in self.own if u.is_combat and self.legal(foot._replace(units=(u.id,)))]
            yield from self.with_support(foot._replace(units=tuple(able)))
        # R5 Riders that cannot go by one way together go alone.
        for group in [riders] if self.legal(_charge(target, *riders)) else [[rider] for rider in riders]:
            yield from self.with_support(_charge(target, *group)) if group else ()

    def leads(self, leader: Unit, target: str) -> bool:
        """O8.1 Return whether infantry of the space could assault under him."""
        foot = (unit for unit in self.own if unit.code in INFANTRY)
        return leader.is_leader and any(self.legal(Assault(0, "ASSAULT", target, (u.id,), leader.id)) for u in foot)

    def with_support(self, order: Assault) -> Iterator[FormOffer]:
        """O8.7 Yield an order, and again with the guns that may support it."""
        if not self.legal(order):
            return
        yield FormOffer(order, (order.target,))
        area, groups = self.state.edition.map, dict[str, list[str]]()
        for _, unit in sorted(self.state.units.items()):
            bears = unit.code == "ART" and unit.side == self.state.phase and area.adjacent(unit.at, order.target)
            if bears and self.legal(order._replace(support=((unit.id,),))):
                groups.setdefault(unit.at, []).append(unit.id)
        with_guns = order._replace(support=tuple(tuple(guns) for _, guns in sorted(groups.items())))
        if groups and self.legal(with_guns):
            yield FormOffer(with_guns, (order.target,))

    def moves(self) -> Iterator[FormOffer]:
        """O3 Yield moves of all units that may go to a space, as far as room goes (C5).

        Units that go to several spaces are in one order.
        """
        groups: dict[tuple[str, ...], list[str]] = {}
        for destination in spaces_near(self.state, self.space):
            going = [unit for unit in self.own if self.legal(_move([unit], destination))]
            while going:
                group = self.room_for(going, destination)
                groups.setdefault(tuple(unit.id for unit in group), []).append(destination)
                going = [unit for unit in going if unit not in group]
        for ids, spaces in groups.items():
            units = [self.state.units[ident] for ident in ids]
            yield FormOffer(_move(units, spaces[0]), tuple(spaces))

    def room_for(self, units: Sequence[Unit], destination: str) -> list[Unit]:
        """Return all units if they may go together, else as many as fit, in order."""
        if self.legal(_move(units, destination)):
            return list(units)
        group: list[Unit] = []
        for unit in units:
            if self.legal(_move([*group, unit], destination)):
                group.append(unit)
        return group


def _charge(target: str, *riders: str) -> Assault:
    return Assault(0, "CHARGE", target, riders)


def _move(units: Sequence[Unit], destination: str) -> Move:
    leaders = tuple(unit.id for unit in units if unit.is_leader)
    return Move(0, tuple(unit.id for unit in units if not unit.is_leader), leaders, destination)


def _with_destination(action: Action, space: str) -> Action:
    """Return the order with another space at its end."""
    if isinstance(action, Fire | Caracole):
        return action._replace(at=space)
    return action


def _join_orders(actions: Sequence[Action]) -> Action:
    """Join alike orders of single units in one order of all."""
    first = actions[0]
    if isinstance(first, Fire):
        return first._replace(
            shots=tuple(shot for action in actions if isinstance(action, Fire) for shot in action.shots)
        )
    if isinstance(first, Caracole):
        return first._replace(
            units=tuple(unit for action in actions if isinstance(action, Caracole) for unit in action.units)
        )
    return first


def refuse_activation(state: State, space: str) -> Refusal | None:
    """Return why a space cannot be activated, None if it can (O2, O5)."""
    return refuse_action(state, Activate(0, space), space)


# The form: the offers of all spaces, in the words of a language.

_ALONE = ("without support", "sin apoyo")
_AS_SEEN = (", as far as you see", ", según lo que ve")
"""A note under fog, where nobody knows which other units are near."""


def write_form(
    rules: Rules[State], view: State, seat: str, language: str, terms: FormTerms = DEFAULT_FORM_TERMS
) -> tuple[str, ...]:
    """Return a seat's order form, all of it comments.

    A form that comes back unchanged orders nothing. For each space there are its activation, fire, assaults and
    charges with their chances, caracoles, and moves; R8 then retreats of demoralised units, which need no
    activation. An assault that guns can support has one line, with them; one that hardly ever wins has none. A seat
    that can do nothing may pass. The form is empty when the game is over.
    """
    if view.phase == "over":
        return ()
    form = _Form(rules, _start_of(view, view.edition.seats[seat], terms.begun), seat, language, terms)
    return (*(tuple(form.lines()) or (f"# {VOCABULARY.word('PASS', language)}",)), *form.poor(), *form.shut())


def form_offers(rules: Rules[State], view: State, seat: str, terms: FormTerms = DEFAULT_FORM_TERMS) -> tuple[Way, ...]:
    """Return a seat's options with the ACTIVATE each needs.

    A seat without any may pass.
    """
    if view.phase == "over":
        return ()
    start = _start_of(view, view.edition.seats[seat], terms.begun)
    return tuple(_Form(rules, start, seat, "en", terms).ways()) or (Way("PASS"),)


class _Start(NamedTuple):
    """The position in which a side gives orders, with all that it may order.

    `offers` are those of each space, after activation and without; `shut` are the spaces that lack a leader (O5).
    """

    state: State
    offers: Sequence[tuple[str, Sequence[FormOffer], Sequence[FormOffer]]]
    shut: Sequence[str]


# A letter's form is written without odds, with them, and as offers, all of one view.
_STARTS = LruCache[tuple[IdentityKey, str, bool], _Start](4)


def _start_of(view: State, side: str, begun: bool) -> _Start:
    def find() -> _Start:
        state = position_for_orders(view, side, begun)
        offers = [(space, *space_offers(state, space)) for space in state.camping(state.phase)]
        return _Start(state, offers, leaderless_spaces(state))

    return _STARTS.get((IdentityKey(view), side, begun), find)


_UNLED = (
    "cannot be activated: no leader, locality or camp there; move a leader in first [O5]",
    "sin líder, localidad ni campamento no hay activación; lleve antes un líder [O5]",
)
"""A sentence about all spaces without a leader, for which the form has no lines."""
_POOR = 0.1
"""Chance below which an attack has no line: MOVES and ODDS know it too. A choice: the form stays short."""
_POOR_NOTE = (
    "attacks that win less than 10 % are left out; MOVES lists them",
    "sin ataques que ganan menos del 10 %; MOVIMIENTOS los da",
)
_UNSEEN = ("out of sight:", "sin ver:")
"""Under fog, a move may be offered to a space where nobody knows whether an enemy is there."""


def _without_support(action: Action) -> Assault | None:
    """Return an assault without the guns that support it; None if it has none."""
    return action._replace(support=()) if isinstance(action, Assault) and action.support else None


class _Form:
    def __init__(self, rules: Rules[State], start: _Start, seat: str, language: str, terms: FormTerms) -> None:
        self.rules, self.language, self.purse = rules, language, terms.purse
        self.state, self.offers, self.leaderless = start
        self.own = Doctrine({seat: terms.standing})
        self.left_out = False

    def say(self, keyword: str) -> str:
        return VOCABULARY.word(keyword, self.language)

    def lines(self) -> Iterator[str]:
        for space, acting, retiring in self.offers:
            if acting:
                yield f"# {self.say('ACTIVATE')} {space}"
            supported = {alone for offer in acting if (alone := _without_support(offer.action)) is not None}
            for offer in (*acting, *retiring):
                if offer.action not in supported:
                    yield from self.line(offer, space)

    def line(self, offer: FormOffer, space: str) -> Iterator[str]:
        """Return an offer as a line; an assault that hardly ever wins has none.

        The line of an assault with support also says how often it wins without.
        """
        chance, note = self.chance(offer.action, space), ""
        if chance is not None:
            if chance < _POOR:
                self.left_out |= percent(chance) != "0"
                return
            note = f"  # {percent(chance)} %"
            alone = _without_support(offer.action)
            without = None if alone is None else self.chance(alone, space)
            note += "" if without is None else f"; {pick_phrase(self.language, *_ALONE)} {percent(without)} %"
            if self.state.edition.options["fog"] == "on":
                note += pick_phrase(self.language, *_AS_SEEN)
        yield f"# {self.order_text(offer)}{note}{self.unseen(offer)}"

    def poor(self) -> tuple[str, ...]:
        """Return the note on attacks left out for their small chance."""
        return (f"## {pick_phrase(self.language, *_POOR_NOTE)}",) if self.left_out else ()

    def shut(self) -> tuple[str, ...]:
        """O5 Return the note on spaces that lack a leader; empty without any."""
        spaces = ", ".join(self.leaderless)
        return (f"## {spaces}: {pick_phrase(self.language, *_UNLED)}",) if spaces else ()

    def ways(self) -> Iterator[Way]:
        """Yield the orders of `lines`, each alternative by itself."""
        for space, acting, retiring in self.offers:
            head = f"{self.say('ACTIVATE')} {space}"
            if acting:
                yield Way(head)
            for offer in acting:
                chance = self.chance(offer.action, space)
                yield from (Way(f"{head}\n{line}", chance) for line in ways(self.order_text(offer)))
            yield from (Way(line) for offer in retiring for line in ways(self.order_text(offer)))

    def unseen(self, offer: FormOffer) -> str:
        """C0 Name the spaces out of sight where a hidden enemy may bar a move."""
        if not isinstance(offer.action, Move) or self.state.edition.options["fog"] == "off":
            return ""
        spaces = [
            space
            for space in offer.spaces
            if space not in seen_spaces(self.state, self.state.commanding or self.state.phase)
        ]
        return f"  # {pick_phrase(self.language, *_UNSEEN)} {', '.join(spaces)}" if spaces else ""

    def chance(self, action: Action, space: str) -> float | None:
        """Return how often an assault wins alone; None if computing takes too long."""
        if not isinstance(action, Assault) or self.purse is None:
            return None
        return chance_alone(self.rules, self.state, Attack(action, space), self.own, self.purse)

    def order_text(self, offer: FormOffer) -> str:
        """Return the order in the words of the reader's language."""
        text, spaces = speech.translate(line_of(offer.action), VOCABULARY, self.language, {}), offer.spaces
        return text.removesuffix(spaces[0]) + " | ".join(spaces) if len(spaces) > 1 else text
