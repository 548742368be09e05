"""What each unit could be ordered to do now, and how: for a page to choose from, for MOVES and for the order form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pbem.engine.commanders.holding import anothers
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.choices import BOTH, DOER, JOINED, LED, OTHER, PLAIN, SERIES, SET, STACKS, Choices, Clause, Verb
from pbem.engine.orders.refusals import Refusal
from pbem.games.africa1860.edition import SIDES
from pbem.games.africa1860.grammar import GRAMMAR, Action, Activate, Assault, Caracole, Fire, Move, Retire
from pbem.games.africa1860.legality import fallbacks, retire_path, ways
from pbem.games.africa1860.sequence import problem
from pbem.games.africa1860.state import CAVALRY, COMBAT, INFANTRY, LIGHT, State, Unit, best_leader


class Offer(NamedTuple):
    """One order, and the spaces that may stand at its end in the place of its own."""

    action: Action
    spaces: tuple[str, ...]


def about_to_order(view: State, side: str, begun: bool) -> State:
    """Return the position as a side will give orders in it.

    O1, O5 Its phase begins with nobody having acted and no space activated, unless it has `begun`: then what letters
    before did in it counts. O6 Between, the markers come off if its phase is one of the next turn.
    """
    if begun and view.phase == side:
        return view.change(stopped=False, fight=None)
    later = view.phase in SIDES and SIDES.index(side) < SIDES.index(view.phase)
    units = {
        ident: unit.marked(unit.activated and not later, unit.fired and not later, acted=False)
        for ident, unit in view.units.items()
    }
    return view.change(phase=side, turn=view.turn + later, units=units, used=(), bouts={}, stopped=False, fight=None)


def of_space(state: State, space: str) -> tuple[tuple[Offer, ...], tuple[Offer, ...]]:
    """Return what the units of a space could do once it is activated, and R8 what needs no activation."""
    own = state.own(space, state.phase)
    retiring = tuple(offer for unit in own if (offer := _retire(state, unit)) is not None)
    if problem(state, Activate(0, space), space) is not None:
        return (), retiring
    targets = [there for there in near(state, space) if state.holder(there) not in ("", state.phase)]
    acting = _Acting(state, space, own, targets)
    return tuple(acting.offers()), retiring


def leaderless(state: State) -> tuple[str, ...]:
    """O5 Return the spaces with units of the side in its phase that wait for a leader to be activated at all."""
    shut = ((space, problem(state, Activate(0, space), space)) for space in state.camping(state.phase))
    return tuple(space for space, found in shut if found is not None and found.rules[0] == "O5")


def near(state: State, space: str) -> list[str]:
    """Return the spaces one or two off, by id: farther than that nobody goes in one order."""
    area = state.edition.map
    return sorted({other for first in area.neighbours(space) for other in (first, *area.neighbours(first))} - {space})


def _retire(state: State, unit: Unit) -> Offer | None:
    """R8 As far as it may, or to a space on the way."""
    if not unit.demoralised:
        return None
    spaces = [to for to in retire_path(state, unit) if problem(state, Retire(0, (unit.id,), to), unit.at) is None]
    return Offer(Retire(0, (unit.id,), spaces[0]), tuple(spaces)) if spaces else None


class _Acting(NamedTuple):
    """The units of a space that is activated, and where the enemy is within two spaces."""

    state: State
    space: str
    own: Sequence[Unit]
    targets: Sequence[str]

    def offers(self) -> Iterator[Offer]:
        guns = [unit for unit in self.own if unit.code == "ART"]
        riders = [unit for unit in self.own if unit.code == CAVALRY]
        yield from self.together([self.among(Fire(0, ((gun.id,),), "")) for gun in guns])
        for target in self.targets:
            yield from self.assaults(target)
        yield from self.together([self.among(Caracole(0, (rider.id,), "")) for rider in riders])
        yield from self.moves()

    def legal(self, action: Action) -> bool:
        return problem(self.state, action, self.space) is None

    def together(self, singles: Sequence[dict[str, Action]]) -> Iterator[Offer]:
        """Units that may do the same do it in one order, as far as that is legal."""
        groups: dict[tuple[str, ...], list[Action]] = {}
        for found in singles:
            if found:
                groups.setdefault(tuple(found), []).append(next(iter(found.values())))
        for spaces, actions in groups.items():
            whole = _joined(actions)
            if all(self.legal(_to(whole, space)) for space in spaces):
                yield Offer(whole, spaces)
            else:
                yield from (Offer(action, spaces) for action in actions)

    def among(self, action: Action) -> dict[str, Action]:
        """O7, O3.3 The spaces that guns may fire at, or horse may caracole at, each with its order."""
        orders = {target: _to(action, target) for target in self.targets}
        return {target: order for target, order in orders.items() if self.legal(order)}

    def assaults(self, target: str) -> Iterator[Offer]:
        """O8 All who can under the best leader, without guns and with all that bear on the target; O3.3 the horse."""
        riders = [unit.id for unit in self.own if unit.code == CAVALRY and self.legal(_charge(target, unit.id))]
        foot = Assault(0, "ASSAULT", target, ())
        leader = best_leader([unit for unit in self.own if self.leads(unit, target)])
        if leader is not None:
            foot = foot._replace(leader=leader.id)
            able = [u.id for u in self.own if u.is_combat and self.legal(foot._replace(units=(u.id,)))]
            yield from self.supported(foot._replace(units=tuple(able)))
        # R5 Riders that cannot go by one way together go alone.
        for group in [riders] if self.legal(_charge(target, *riders)) else [[rider] for rider in riders]:
            yield from self.supported(_charge(target, *group)) if group else ()

    def leads(self, leader: Unit, target: str) -> bool:
        """O8.1 Whether infantry of the space could assault under him."""
        foot = (unit for unit in self.own if unit.code in INFANTRY)
        return leader.is_leader and any(self.legal(Assault(0, "ASSAULT", target, (u.id,), leader.id)) for u in foot)

    def supported(self, order: Assault) -> Iterator[Offer]:
        """O8.7 The order as it is, and with the guns that may support it, if there are any."""
        if not self.legal(order):
            return
        yield Offer(order, (order.target,))
        area, groups = self.state.edition.map, dict[str, list[str]]()
        for _, unit in sorted(self.state.units.items()):
            bears = unit.code == "ART" and unit.side == self.state.phase and area.adjacent(unit.at, order.target)
            if bears and self.legal(order._replace(support=((unit.id,),))):
                groups.setdefault(unit.at, []).append(unit.id)
        with_guns = order._replace(support=tuple(tuple(guns) for _, guns in sorted(groups.items())))
        if groups and self.legal(with_guns):
            yield Offer(with_guns, (order.target,))

    def moves(self) -> Iterator[Offer]:
        """O3 Who may go to a space goes there together, as far as there is room (C5); to several in one order."""
        groups: dict[tuple[str, ...], list[str]] = {}
        for to in near(self.state, self.space):
            going = [unit for unit in self.own if self.legal(_move([unit], to))]
            while going:
                group = self.room_for(going, to)
                groups.setdefault(tuple(unit.id for unit in group), []).append(to)
                going = [unit for unit in going if unit not in group]
        for ids, spaces in groups.items():
            units = [self.state.units[ident] for ident in ids]
            yield Offer(_move(units, spaces[0]), tuple(spaces))

    def room_for(self, units: Sequence[Unit], to: str) -> list[Unit]:
        """All of them if they may go together, else those who may, one after another."""
        if self.legal(_move(units, to)):
            return list(units)
        group: list[Unit] = []
        for unit in units:
            if self.legal(_move([*group, unit], to)):
                group.append(unit)
        return group


def _charge(target: str, *riders: str) -> Assault:
    return Assault(0, "CHARGE", target, riders)


def _move(units: Sequence[Unit], to: str) -> Move:
    leaders = tuple(unit.id for unit in units if unit.is_leader)
    return Move(0, tuple(unit.id for unit in units if not unit.is_leader), leaders, to)


def _to(action: Action, space: str) -> Action:
    """The order with another space at its end."""
    if isinstance(action, Fire | Caracole):
        return action._replace(at=space)
    return action


def _joined(actions: Sequence[Action]) -> Action:
    """Orders of single units that are alike as one of all of them."""
    first = actions[0]
    if isinstance(first, Fire):
        return first._replace(shots=tuple(shot for one in actions if isinstance(one, Fire) for shot in one.shots))
    if isinstance(first, Caracole):
        return first._replace(units=tuple(unit for one in actions if isinstance(one, Caracole) for unit in one.units))
    return first


# Unit by unit, for a page on which a player chooses.


LEADING, SUPPORT, VIA, BACK = "LED BY", "SUPPORT", "VIA", "BACK TO"
_WAY = Clause(VIA, msg("by way of"))
_CLAUSES = (
    Clause("VANGUARD", msg("vanguard"), DOER),
    Clause("SCREEN", msg("screen"), DOER, words=("NONE",), besides=("VANGUARD",)),
    Clause(SUPPORT, msg("supporting guns"), OTHER, STACKS),
    Clause("DETACH", msg("detached cavalry"), DOER, SET, besides=("VANGUARD", "SCREEN")),
    Clause("LOSSES", msg("losses first by"), DOER, SERIES),
)
_ROLES = {
    "VANGUARD": COMBAT,
    "SCREEN": frozenset({LIGHT, CAVALRY}),
    "DETACH": frozenset({CAVALRY}),
    "LOSSES": COMBAT,
}
"""O8.2-O8.4, R17 Who can be what in an assault."""
VERBS = (
    Verb(
        "MOVE",
        msg("Move to"),
        {PLAIN: "MOVE {units} TO {to}", BOTH: "MOVE {units} WITH {leaders} TO {to}"},
        clauses=(_WAY,),
    ),
    Verb(
        "ASSAULT",
        msg("Assault"),
        {LED: "ASSAULT {to} WITH {units} LED BY {leader}"},
        attack=True,
        clauses=_CLAUSES,
    ),
    Verb(
        "CHARGE",
        msg("Charge"),
        {PLAIN: "CHARGE {units} AT {to}", LED: "CHARGE {units} AT {to} LED BY {leader}"},
        attack=True,
        clauses=(*_CLAUSES, _WAY),
    ),
    Verb(
        "FIRE",
        msg("Fire at"),
        {PLAIN: "FIRE {units} AT {to}", JOINED: "FIRE {joined} AT {to}"},
        attack=True,
        written=True,
    ),
    Verb(
        "CARACOLE",
        msg("Caracole at"),
        {PLAIN: "CARACOLE {units} AT {to}"},
        attack=True,
        written=True,
        clauses=(Clause(BACK, msg("back to")),),
    ),
    Verb("RETIRE", msg("Retire to"), {PLAIN: "RETIRE {units} TO {to}"}, alone=True),
)


def choices(view: State, seat: str, begun: bool = False) -> Choices:
    """O2, R8 Return what the units of spaces that can be activated may do, what the demoralised may, R22a and which
    guns may support an assault from where they are."""
    side = view.edition.seats[seat]
    state = about_to_order(view, side, begun)
    offers: dict[str, dict[str, tuple[str, ...]]] = {}
    found: dict[str, dict[str, dict[str, dict[str, tuple[str, ...]]]]] = {}
    for space in state.camping(side):
        own = state.own(space, side)
        leaders, closed = leading(own), shut(state, space) is not None
        for unit in own:
            may = able(state, unit, space, leaders, closed)
            if not may:
                continue
            offers[unit.id] = may | ({} if closed else _roles(state, unit, may))
            for verb, clause, named in _ways(state, unit, space, may):
                found.setdefault(verb, {}).setdefault(clause, {})[unit.id] = named
    chiefs = sorted(
        (u for u in state.units.values() if u.is_leader and u.side == side and not anothers(state, u.id)),
        key=lambda u: (-u.assault, -u.bonus, u.id),
    )
    leads = tuple(unit.id for unit in chiefs)
    return Choices(VERBS, offers, "ACTIVATE {place}", leads, GRAMMAR.idiom, found)


def shut(state: State, space: str) -> Refusal | None:
    """O2, O5 What stands against the activation of a space, None if nothing does."""
    return problem(state, Activate(0, space), space)


def leading(own: Iterable[Unit]) -> tuple[str, ...]:
    """O8.1 Return those of a space's units who may lead an assault."""
    return tuple(unit.id for unit in own if unit.is_leader and not (unit.activated or unit.acted))


def able(state: State, unit: Unit, space: str, leaders: Sequence[str], closed: bool) -> dict[str, tuple[str, ...]]:
    """Return, by verb, the spaces near by that an order could name for a unit; what it cannot do is not there.

    Each unit is looked at by itself; an assault by infantry needs one of `leaders`. R8 Who is demoralised may retire.
    Where the space is `closed` to activation guns may still support an assault from it (R22a).
    """
    if unit.demoralised:
        retiring = tuple(to for to in retire_path(state, unit) if _legal(state, Retire(0, (unit.id,), to), space))
        return {"RETIRE": retiring} if retiring else {}
    # C12 A broken side has no assault to support.
    supports = (SUPPORT,) if state.edition.reread and not state.is_broken(unit.side) else ()
    verbs = (*(() if closed else ("MOVE", "FIRE")), *supports)
    verbs += () if closed else ("ASSAULT", "CHARGE", "CARACOLE", LEADING)
    found = {verb: tuple(_spaces(state, unit, space, verb, leaders)) for verb in verbs}
    return {verb: spaces for verb, spaces in found.items() if spaces}


def _spaces(state: State, unit: Unit, space: str, verb: str, leaders: Sequence[str]) -> Iterable[str]:
    for target in near(state, space):
        if verb == LEADING:
            if unit.id in leaders and any(_legal(state, led, space) for led in _led(state, unit, space, target)):
                yield target
            continue
        order = _order(unit, verb, target, leaders)
        if order is None or not _legal(state, order, space):
            continue
        if verb == "ASSAULT" and unit.code == CAVALRY and not _foot(state, unit, target, leaders):
            continue
        yield target


def _foot(state: State, rider: Unit, target: str, leaders: Sequence[str]) -> bool:
    """O8.1 Whether infantry of a rider's space could assault: he goes along with it, alone he charges."""
    foot = (unit for unit in state.own(rider.at, rider.side) if unit.code in INFANTRY)
    orders = (_order(unit, "ASSAULT", target, leaders) for unit in foot)
    return any(order is not None and _legal(state, order, rider.at) for order in orders)


def _led(state: State, leader: Unit, space: str, target: str) -> Iterable[Action]:
    """O8.1, O3.3 Assaults and charges of single units that a leader could lead."""
    for unit in state.own(space, leader.side):
        if unit.code in COMBAT:
            yield Assault(0, "ASSAULT", target, (unit.id,), leader.id)
        if unit.code == CAVALRY:
            yield Assault(0, "CHARGE", target, (unit.id,), leader.id)


def _order(unit: Unit, verb: str, target: str, leaders: Sequence[str], by: str = "") -> Action | None:
    """The plainest order of that kind for one unit, None if its type has none; `by` names the way there or back."""
    if verb == "MOVE":
        return Move(0, () if unit.is_leader else (unit.id,), (unit.id,) if unit.is_leader else (), target, by)
    if verb in ("FIRE", SUPPORT) and unit.code == "ART":
        return Fire(0, ((unit.id,),), target)
    if verb == "ASSAULT" and unit.code in COMBAT and leaders:
        return Assault(0, "ASSAULT", target, (unit.id,), leaders[0])
    if verb == "CHARGE" and unit.code == CAVALRY:
        return Assault(0, "CHARGE", target, (unit.id,), via=by)
    if verb == "CARACOLE" and unit.code == CAVALRY:
        return Caracole(0, (unit.id,), target, by)
    return None


def _roles(state: State, unit: Unit, may: Mapping[str, object]) -> dict[str, tuple[str, ...]]:
    """What a unit that assaults or charges can be in it."""
    attacks = {"ASSAULT", "CHARGE"} & {*may}
    return {clause: ("",) for clause, codes in _ROLES.items() if attacks and unit.code in codes}


def _ways(
    state: State, unit: Unit, space: str, may: Mapping[str, Sequence[str]]
) -> Iterable[tuple[str, str, dict[str, tuple[str, ...]]]]:
    """The ways that VIA may name where there are several, and the spaces behind BACK TO."""
    area = state.edition.map
    for verb, clause in (("MOVE", VIA), ("CHARGE", VIA), ("CARACOLE", BACK)):
        found: dict[str, tuple[str, ...]] = {}
        for to in may.get(verb, ()):
            if clause == BACK:
                named: Sequence[str] = fallbacks(state, unit, to)
            else:
                named = () if area.adjacent(space, to) else ways(state, space, to, "")
            orders = {by: _order(unit, verb, to, (), by) for by in named}
            legal = tuple(by for by, order in orders.items() if order is not None and _legal(state, order, space))
            if len(legal) > 1:
                found[to] = legal
        if found:
            yield verb, clause, found


def _legal(state: State, action: Action, space: str) -> bool:
    return problem(state, action, space) is None


# MOVES: what the units of a space could be ordered to do now, in words; and where a side has units.


def moves(view: State, seat: str, space: str, begun: bool = False) -> tuple[Msg, ...]:
    """Return, for each unit of the side in the space, where it may move, what it may attack and fire at.

    Each unit is looked at by itself; an assault by infantry is shown where a leader of the space could lead it. What is
    asked between one's own phases is about the next of them (C12).
    """
    side = view.edition.seats[seat]
    state = about_to_order(view, side, begun)
    own, refused = state.own(space, side), shut(state, space)
    lines = [msg("{space} cannot be activated: {why}", space=space, why=refused.why)] if refused else []
    leaders = leading(own)
    for unit in own:
        may = able(state, unit, space, leaders, refused is not None)
        lines += [msg(said.text, unit=unit.id, spaces=may[verb]) for verb, said in _SAID.items() if verb in may]
        if unit.demoralised and not may:
            lines.append(msg("{unit} is demoralised and finds no way to retire", unit=unit.id))
    return tuple(lines) or (msg("you have no unit in {space}", space=space),)


def places(view: State, seat: str) -> tuple[Msg, ...]:
    """Return, for each space where a side has units, which they are."""
    side = view.edition.seats[seat]
    return tuple(
        msg("{space}: {units}", space=space, units=view.camp(space, side))
        for space in sorted(view.edition.map.spaces)
        if view.camp(space, side)
    )


_SAID = {
    "RETIRE": msg("{unit}: RETIRE to {spaces}"),
    "MOVE": msg("{unit}: MOVE to {spaces}"),
    "FIRE": msg("{unit}: FIRE at {spaces}"),
    "SUPPORT": msg("{unit}: SUPPORT an assault on {spaces}"),
    "ASSAULT": msg("{unit}: ASSAULT {spaces}"),
    "CHARGE": msg("{unit}: CHARGE {spaces}"),
    "CARACOLE": msg("{unit}: CARACOLE at {spaces}"),
}
