"""What orders and answers are worth: the exact odds of each assault, from the first charge test to the advance."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from pbem.engine import advice, parts
from pbem.engine.advice import AttackOdds, Blow
from pbem.engine.commanders.sequence import alone, notes
from pbem.engine.data.messages import Msg, decimal, msg, percent
from pbem.engine.data.situation import parts_of
from pbem.engine.data.sums import in_order
from pbem.engine.deployment import DEPLOYMENT
from pbem.engine.map.hexes import direction, distance, is_hex, neighbours
from pbem.engine.orders.lex import fold
from pbem.engine.orders.standing import Rule, flat
from pbem.engine.parts import Forecast, Scales
from pbem.engine.run.odds import PLAYS, Course, Ending, Reckoning, StepBudget, apart, spread
from pbem.engine.run.questions import AskedQuestion, weigh_answers
from pbem.engine.run.runners import foresee
from pbem.engine.run.steps import Rules, Task, Window, World, procedure
from pbem.engine.terms import Orders, OrderWarning, Reading, RejectedLine, Trial, Worth
from pbem.games.peninsular.assault import (
    Odds,
    assault_odds,
    concerned,
    half_odds,
    is_worse,
    odds_in_words,
    only_assault,
)
from pbem.games.peninsular.check import check
from pbem.games.peninsular.doctrine import Doctrine
from pbem.games.peninsular.edition import camp
from pbem.games.peninsular.fire import fire_told
from pbem.games.peninsular.movement import tell_no_room
from pbem.games.peninsular.orders import VOCABULARY, Action, Assault, Fire, Move, line_of, parse
from pbem.games.peninsular.sequence import RULES, task_of
from pbem.games.peninsular.shock import sums
from pbem.games.peninsular.state import State
from pbem.games.peninsular.terrain import fits
from pbem.games.peninsular.units import NORMAL, Unit


def worth(half: Half, orders: Orders, asked: bool = False) -> Worth:
    """Return for each assault, charge and fire of the orders its line and what it is worth.

    The orders are carried out in the position the seat sees now up to the first die; an assault that is not legal
    then is told so. All of the half counts if the purse does for that; else an assault is weighed by what bears on its
    hex, and it is said what was not counted. What is `asked` about is played where even that is
    too much.
    """
    rules, purse = half.rules, half.purse
    said: list[tuple[int, Msg]] = []
    left: list[str] = []
    played = 0
    for order in (action for action in flat(orders.actions) if isinstance(action, Assault)):
        if order.target not in half.marked:
            said.append((order.line, msg("{target}: no odds as things stand", target=order.target)))
            continue
        how = [(order.line, line) for line in sums(rules, half.state, order.target, half.own)]
        odds, about = half.odds(order.target), False
        if odds is None and asked:
            odds, about = half.about(order.target), True
            played = PLAYS if odds is not None else played
        if odds is None:
            left.append(line_of(order))
            continue
        alone = () if half.whole else ((order.line, _ALONE),)
        said += [*((order.line, line) for line in odds_in_words(odds, half.state, order, about)), *how, *alone]
    for shot in (action for action in flat(orders.actions) if isinstance(action, Fire)):
        told = fire_told(rules, half.state, shot, half.own, purse)
        said += [(shot.line, line) for line in told]
        left += [] if told else [line_of(shot)]
    joint = notes(orders.actions)
    said += joint
    rough = bool(joint) or any(line is _ALONE for _, line in said)
    return Worth(tuple(said), tuple(left), rough=rough, played=played)


def _playing(view: State, seat: str) -> State:
    """Who deploys asks about attacks as they stand when his half comes."""
    return view.change(phase=view.edition.seats[seat]) if view.phase == DEPLOYMENT else view


def odds(rules: Rules[State], view: State, seat: str, orders: Orders, purse: StepBudget, begun: bool = False) -> Worth:
    """Return the odds of the assaults in the orders; where units are deployed there are none."""
    return Worth() if view.phase == DEPLOYMENT else worth(Half(rules, view, seat, orders, purse), orders)


def attack_odds(rules: Rules[State], text: str, view: State, seat: str, by: Scales) -> Worth:
    """Return the odds of an assault or charge that was asked about."""
    there, said = as_if(text, _playing(view, seat), seat)
    orders = Orders(attack(rules, said, there, seat).orders.actions, by.standing)
    return worth(Half(rules, there, seat, orders, by.purse), orders, asked=True)


class Half:
    """A half as its orders leave it up to the first die: its `state`, the hexes that stand `marked` for an assault.

    `own` are the standing orders of whoever ordered; `whole` says whether the purse did for all of the half together.
    """

    def __init__(self, rules: Rules[State], view: State, seat: str, orders: Orders, purse: StepBudget) -> None:
        side = view.edition.seats[seat]
        self.own = Doctrine({seat: orders.standing})
        start = view if camp(view.phase) == camp(side) else view.change(phase=side)
        tasks = (Task("half begins"), *(task_of(action) for action in alone(orders.actions)))
        seen = foresee(rules, World(start, tasks), self.own, start.edition.seats_of(side))
        self.state = seen.state
        self.marked = frozenset(target for target, _ in seen.state.assaults)
        self.rules, self.purse, self._standing = rules, purse, orders.standing
        self._found: dict[str, Odds] | None = {}
        wanted = {action.target for action in flat(orders.actions) if isinstance(action, Assault)}
        if wanted & self.marked:
            name = ("half", view.edition.digest, start.key(), orders.actions, orders.standing)
            half = World(seen.world.state, (*seen.world.agenda, *procedure(TO_THE_SHOCKS)))
            self._found = purse.pay(
                name, lambda step: half_odds(rules, half, seen.state, self.own, Reckoning(step=step))
            )

    @property
    def whole(self) -> bool:
        """Whether each assault is weighed with all others and all fire, or by itself."""
        return self._found is not None

    def odds(self, target: str) -> Odds | None:
        """Return what the assault on a marked hex is worth; None if the purse does not do for that."""
        if self._found is not None:
            return self._found[target]
        return self._by_itself(target, 0)

    def about(self, target: str) -> Odds | None:
        """Return what the assault on a marked hex is worth by itself, played so many times."""
        return self._by_itself(target, PLAYS)

    def _by_itself(self, target: str, plays: int) -> Odds | None:
        key = (self.state.edition.digest, self.state.key(), target, self._standing, *([plays] if plays else []))

        def weigh(step: Callable[[], None]) -> Odds:
            return assault_odds(self.rules, self.state, target, self.own, Reckoning(step=step, plays=plays))

        return self.purse.pay(key, weigh)


TO_THE_SHOCKS = ("lone", "charges", "defensive fire", "offensive fire", "shocks")
"""S1 What follows the orders of a half and may bear on its assaults."""
_ALONE = msg("by itself: not counted are other assaults and fire that is not at this hex or from it")


def as_if(text: str, view: State, seat: str) -> tuple[State, str]:
    """Read ``FROM hex`` before an attack: the position with its units there, facing the target, and the attack itself.

    The text keeps its columns. Without those words both are as they came.
    """
    words = text.split(maxsplit=2)
    if len(words) < 3 or fold(words[0]) not in ("from", "desde") or not is_hex(words[1]):
        return view, text
    rest = " " * (len(text) - len(words[2])) + words[2]
    there = words[1]
    units = dict(view.units)
    for order in parse(words[2], view, seat).orders.actions:
        if isinstance(order, Assault | Fire):
            target = _target(order)
            for unit in _going(view, order.units, view.edition.seats[seat]):
                faces = direction(there, target) if target in neighbours(there) else unit.facing
                units[unit.id] = unit._replace(at=there, facing=faces)
    return view.with_units(units), rest


def _target(order: Assault | Fire) -> str:
    return order.at if isinstance(order, Fire) else order.target


def _going(view: State, ids: Iterable[str], side: str) -> Iterator[Unit]:
    """One's own counters of these, each with the commander of its division if he stands with it."""
    for unit in (view.units[ident] for ident in ids if ident in view.units):
        if camp(unit.side) == camp(side):
            yield unit
            division = view.divisions.get(unit.division)
            chief = view.units.get(division.commander) if division is not None else None
            if chief is not None and chief.at == unit.at:
                yield chief


def attack(rules: Rules[State], text: str, view: State, seat: str, begun: bool = False) -> Reading:
    """Read an assault, a charge or fire that is only to be weighed, and hold it against the position.

    Units that stand elsewhere than it says are taken to have come there, and it warns of that; they must have room.
    """
    view = _playing(view, seat)
    there, text = as_if(text, view, seat)
    moved = tuple(ident for ident, unit in sorted(there.units.items()) if unit.at != view.units[ident].at)
    reading = _read(rules, text, there, seat)
    if not moved:
        return reading
    where = there.units[moved[0]].at
    if reading.rejected:
        return reading._replace(rejected=tuple(_elsewhere(bad, where) for bad in reading.rejected))
    if not fits(there, where, [there.units[ident] for ident in moved]):
        why = tell_no_room(there, [there.units[ident] for ident in moved], where)
        return reading._replace(rejected=(RejectedLine(1, text.find(moved[0]), moved[0], why, "T3"),))
    return reading._replace(
        warned=(
            *reading.warned,
            OrderWarning(1, msg("as if {units} {units:|was|were} in {hex}", units=moved, hex=where), "S5"),
        )
    )


def _elsewhere(bad: RejectedLine, where: str) -> RejectedLine:
    """A refusal of what is weighed as if from a hex: that hex is too far away, not the unit."""
    if bad.why.text == "{unit} is not next to {hex}":
        return bad._replace(why=msg("{hex} is not next to {start}", hex=where, start=str(dict(bad.why.args)["hex"])))
    return bad


def _read(rules: Rules[State], text: str, view: State, seat: str) -> Reading:
    reading = parse(text, view, seat)
    if reading.rejected:
        return reading
    if not (reading.orders.actions and all(isinstance(action, Assault | Fire) for action in reading.orders.actions)):
        word = (text.split() or [""])[0]
        why = VOCABULARY.one_of(("ASSAULT", "CHARGE", "FIRE"))
        return reading._replace(rejected=(RejectedLine(1, max(text.find(word), 0), word, why, "S5"),))
    return reading._replace(rejected=tuple(map(_by_verify, check(rules, view, seat, reading.orders))))


def _by_verify(bad: RejectedLine) -> RejectedLine:
    """A refusal of what is asked about, with the way to weigh it under another order of the division."""
    if bad.rule == "S2" and bad.word:
        return bad._replace(why=msg("{why}; VERIFY weighs it below a line with another order", why=bad.why))
    return bad


def trial(text: str, view: State, seat: str) -> Trial:
    """S5 What comes at a hex depends on arcs, squares and charges of the moment: no attack can be made up for it."""
    why = msg("in this game standing orders cannot be put to the test; WHY tells after a fight which line answered")
    return Trial(None, rejected=(RejectedLine(1, 0, text.split()[0], why, "S5"),))


# S6, S7, S5 What each answer to a question is worth: the assault that it belongs to, run to its end over all dice.


NOTE = msg(
    "Behind each answer: how often the hex is yours after the assault, PF lost on average, and how many of yours who "
    "are there are disordered, routed or lost. Not counted are other assaults, fire from or at other hexes, and what "
    "you do not see of the other side: the orders of its divisions, and the fire that it has ordered."
)

_AFTER = ("rallies", "half over")
"""S1 With what the assaults of a half are over."""
_OF_A_HEX = ("charged", "charging", "shock", "advance")
"""Tasks whose first argument is the hex that they are about."""


def answer_stakes(
    rules: Rules[State],
    world: World[State],
    asked: Sequence[AskedQuestion],
    standing: Sequence[Rule],
    purse: StepBudget,
) -> tuple[tuple[Msg | None, ...], ...]:
    """Return a sentence for each answer to each question of a defender about one assaulted hex, the first one's.

    `world` is what the seat that is asked sees. The fire that the other side has ordered and not yet given is sealed:
    it is left out, and so is whatever comes after the assaults.
    """
    if not asked or not world.agenda:
        return ()
    seat = asked[0].window.seat
    side, own = world.state.edition.seats[seat], Doctrine({seat: standing})
    target = _assaulted(world.state, asked[0].window)
    if not target or camp(side) == camp(world.state.phase):
        return ()
    ours = tuple(world.state.foes(target, world.state.phase))

    def weigh(there: World[State]) -> Msg | None:
        name = ("answer", there.state.edition.digest, there.state.key(), there.agenda, own, target)
        course = Course(there, apart(there.state, parts_of(State)))
        ends = purse.pay(name, lambda step: spread(rules, course, own, Reckoning(step=step)))
        return None if ends is None else _told(world.state, target, ours, ends)

    return tuple(tuple(row) for row in weigh_answers(rules, _alone(world, target, side), asked, own, weigh))


def _assaulted(state: State, window: Window) -> str:
    """The assaulted hex that a question is about; empty if it is about none."""
    unit = state.units.get(window.subject)
    at = unit.at if unit is not None else window.where.partition(">")[2]
    return at if any(target == at for target, _ in state.assaults) else ""


def _alone(world: World[State], target: str, side: str) -> World[State]:
    """The world as if the assault on the hex were the only one of the half, without what is sealed."""
    start = only_assault(world.state, target, ())
    first, *rest = world.agenda
    return World(start, (first, *_kept(start, rest, target, side)), world.used)


def _kept(state: State, agenda: Sequence[Task], target: str, side: str) -> Iterator[Task]:
    """Of what is still to be done that of this hex; of the fire to come that of its defenders."""
    for task in agenda:
        if task.name in _AFTER:
            return
        if task.name == "defensive fire":
            yield from (Task("defend", (unit.id,)) for unit in state.foes(target, state.phase) if unit.is_combat)
        elif task.name in _OF_A_HEX:
            if task.args[0] == target:
                yield task
        elif task.name in ("defend", "fire at"):
            unit = state.units.get(task.args[0])
            if unit is not None and unit.at == target and unit.camp == camp(side):
                yield task
        elif task.name != "fire order":
            yield task


def _told(before: State, target: str, ours: Sequence[Unit], ends: Sequence[Ending]) -> Msg:
    """Who has the hex at the end, and what it costs those who fight for it; guns are lost with their stack (T6)."""
    theirs = [unit for unit in concerned(before, target)[camp(before.phase)] if unit.is_combat]
    share = in_order(weight for world, weight in ends if world.state.foes(target, before.phase))
    shaken = in_order(weight * sum(is_worse(unit, world.state) for unit in ours) for world, weight in ends)
    lost = [in_order(weight * _lost(units, world.state) for world, weight in ends) for units in (ours, theirs)]
    return msg(
        "{hex} yours {share} %; PF lost: you {own}, the enemy {enemy}; disordered, routed or lost: {shaken}",
        hex=target,
        share=percent(share),
        own=decimal(lost[0]),
        enemy=decimal(lost[1]),
        shaken=decimal(shaken),
    )


def _lost(units: Sequence[Unit], after: State) -> int:
    return sum(unit.pf - (after.units[unit.id].pf if unit.id in after.units else 0) for unit in units)


FORECAST = Forecast(
    odds=partial(odds, RULES),
    attack_odds=partial(attack_odds, RULES),
    attack=partial(attack, RULES),
    trial=trial,
    answer_stakes=partial(answer_stakes, RULES),
    answers_note=NOTE,
)

NEAR = 2
"""Hexes from the enemy within which who stands still is a guard."""


def plan(rules: Rules[State], view: State, seat: str, orders: Orders, purse: StepBudget) -> tuple[Msg, ...]:
    """Return what a seat's orders come to."""
    actions = tuple(flat(orders.actions))
    half = Half(rules, view, seat, orders, purse)
    going: dict[str, list[str]] = {}
    for action in actions:
        if isinstance(action, Assault):
            going.setdefault(action.target, []).extend(action.units)
    blows = [_blow(view, half, target, tuple(ids)) for target, ids in going.items()]
    attacking = {ident for ids in going.values() for ident in ids}
    moves = _moves(view, [one for one in actions if isinstance(one, Move)], attacking)
    return advice.plan_sentences(
        blows, _fire_in_words(actions), moves, _posts(half.state, camp(view.edition.seats[seat]), attacking)
    )


def _blow(view: State, half: Half, target: str, ids: tuple[str, ...]) -> Blow:
    odds, about = (half.odds(target), False) if target in half.marked else (None, False)
    if odds is None and target in half.marked:
        odds, about = half.about(target), True
    weighed = None
    if odds is not None:
        ours = camp(view.phase)
        own, enemy = (_in_pf(odds.losses[side]) for side in (ours, "allied" if ours == "french" else "french"))
        weighed = AttackOdds(odds.win, own, enemy, about=about)
    return Blow(target, msg("{units}", units=ids), _pf(view.units[ident] for ident in ids), weighed)


def _in_pf(number: float) -> Msg:
    return msg("{number} PF", number=decimal(number))


def _pf(units: Iterable[Unit]) -> int:
    return sum(unit.pf for unit in units if unit.is_combat)


def _fire_in_words(actions: Sequence[Action]) -> Msg | None:
    shots = [one for one in actions if isinstance(one, Fire)]
    if not shots:
        return None
    guns = tuple(ident for shot in shots for ident in shot.units)
    targets = tuple(dict.fromkeys(shot.at for shot in shots))
    return msg("{guns} {guns:|fires|fire} at {targets}", guns=guns, targets=targets)


def _moves(view: State, moves: Sequence[Move], attacking: set[str]) -> list[Msg]:
    """Where those go who attack nobody, division by division, the strongest first: to the hex of most of each."""
    to = {ident: one.to or one.path[-1] for one in moves for ident in one.units if ident not in attacking}
    divisions: dict[str, list[Unit]] = {}
    for ident in to:
        unit = view.units[ident]
        if unit.is_combat:
            divisions.setdefault(unit.division or ident, []).append(unit)
    ranked = sorted(divisions.items(), key=lambda each: (-_pf(each[1]), each[0]))
    return [_towards(name, units, to) for name, units in ranked]


def _towards(name: str, units: Sequence[Unit], to: Mapping[str, str]) -> Msg:
    hexes = {to[unit.id] for unit in units}
    most = min(hexes, key=lambda at: (-_pf(unit for unit in units if to[unit.id] == at), at))
    ids = tuple(unit.id for unit in units)
    if len(units) == 1:
        return msg("{hex} ({units})", units=ids, hex=most)
    return msg("{hex} or near ({count} of {division})", count=len(units), division=name, hex=most)


def _posts(after: State, ours: str, attacking: set[str]) -> list[Msg]:
    """Where those stand after the marches who attack nobody: in what counts, the most points first, and near the
    enemy."""
    points: Mapping[str, int] = after.edition.scenario.get("victory", {}).get("hexes", {})
    foes = [unit.at for unit in after.units.values() if unit.camp != ours and unit.is_combat]
    there: dict[str, list[Unit]] = {}
    for ident, unit in sorted(after.units.items()):
        if unit.camp == ours and unit.is_combat and unit.state == NORMAL and ident not in attacking:
            there.setdefault(unit.at, []).append(unit)
    held = [at for at in there if at in points or any(distance(at, foe) <= NEAR for foe in foes)]
    held.sort(key=lambda at: (-points.get(at, 0), -_pf(there[at]), at))
    return [msg("{hex} ({units})", hex=at, units=advice.unit_list([unit.id for unit in there[at]])) for at in held]


ADVICE = parts.Advice(bot="forward", plan=partial(plan, RULES))
"""Advised by that bot which plays best of those that think no longer than a letter may cost."""
