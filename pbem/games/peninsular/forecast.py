"""Compute the odds of orders and answers, from the charge tests to the advance."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from pbem.engine import advice, parts
from pbem.engine.advice import AttackOdds, PlannedAttack
from pbem.engine.commanders.sequence import joint_line_notes, split_joint_lines
from pbem.engine.data.messages import Msg, decimal, msg, percent
from pbem.engine.data.situation import field_names
from pbem.engine.data.sums import sum_in_order
from pbem.engine.deployment import DEPLOYMENT_PHASE
from pbem.engine.map.hexes import direction, distance, is_hex, neighbours
from pbem.engine.orders.lex import fold
from pbem.engine.orders.standing import Rule, flat
from pbem.engine.parts import Forecast, OddsLimits
from pbem.engine.run.odds import PLAYS, Ending, Experiment, Reckoning, StepBudget, apart, spread
from pbem.engine.run.questions import AskedQuestion, weigh_answers
from pbem.engine.run.runners import foresee
from pbem.engine.run.steps import Rules, Task, Window, World, procedure
from pbem.engine.terms import OrderOdds, Orders, OrderWarning, ParsedBlock, RejectedLine
from pbem.games.peninsular.assault import (
    Odds,
    assault_odds,
    is_worse,
    odds_in_words,
    odds_of_half,
    units_at_stake,
    with_only_assault,
)
from pbem.games.peninsular.check import check_orders, way_next_to
from pbem.games.peninsular.doctrine import Doctrine
from pbem.games.peninsular.edition import alliance_of
from pbem.games.peninsular.fire import fire_lines
from pbem.games.peninsular.movement import no_room_text
from pbem.games.peninsular.orders import VOCABULARY, Action, Assault, Fire, Move, line_of, parse
from pbem.games.peninsular.sequence import RULES, task_of
from pbem.games.peninsular.shock import calculation_lines
from pbem.games.peninsular.state import State
from pbem.games.peninsular.terrain import has_room
from pbem.games.peninsular.units import NORMAL, Unit


def order_odds(half: HalfForecast, orders: Orders, asked: bool = False) -> OrderOdds:
    """Return each assault, charge and fire with its line and odds.

    The orders are carried out in the seat's view up to the first die; an assault that is illegal then is reported.
    With enough budget the whole half counts; otherwise an assault is computed with what affects its hex, and the
    omissions are named. If `asked`, it is simulated if even that is too costly.
    """
    rules, purse = half.rules, half.purse
    sentences: list[tuple[int, Msg]] = []
    remaining: list[str] = []
    played = 0
    for order in (action for action in flat(orders.actions) if isinstance(action, Assault)):
        if order.target not in half.marked:
            sentences.append((order.line, msg("{target}: no odds as things stand", target=order.target)))
            continue
        how = [(order.line, line) for line in calculation_lines(rules, half.state, order.target, half.own)]
        odds, about = half.odds(order.target), False
        if odds is None and asked:
            odds, about = half.about(order.target), True
            played = PLAYS if odds is not None else played
        if odds is None:
            remaining.append(line_of(order))
            continue
        alone = () if half.whole else ((order.line, _ALONE),)
        sentences += [*((order.line, line) for line in odds_in_words(odds, half.state, order, about)), *how, *alone]
    for shot in (action for action in flat(orders.actions) if isinstance(action, Fire)):
        lines = fire_lines(rules, half.state, shot, half.own, purse)
        sentences += [(shot.line, line) for line in lines]
        remaining += [] if lines else [line_of(shot)]
    joint = joint_line_notes(orders.actions)
    sentences += joint
    rough = bool(joint) or any(line is _ALONE for _, line in sentences)
    return OrderOdds(tuple(sentences), tuple(remaining), rough=rough, played=played)


def _position_to_weigh(view: State, seat: str) -> State:
    """Return the view; while deploying, the position when the seat's half comes."""
    return view.change(phase=view.edition.seats[seat]) if view.phase == DEPLOYMENT_PHASE else view


def odds(
    rules: Rules[State], view: State, seat: str, orders: Orders, purse: StepBudget, begun: bool = False
) -> OrderOdds:
    """Return the odds of the assaults in the orders; none while deploying."""
    return (
        OrderOdds()
        if view.phase == DEPLOYMENT_PHASE
        else order_odds(HalfForecast(rules, view, seat, orders, purse), orders)
    )


def attack_odds(rules: Rules[State], text: str, view: State, seat: str, by: OddsLimits) -> OrderOdds:
    """Return the odds of the assault or charge in a question."""
    imagined, attack_text = read_start_hex(text, _position_to_weigh(view, seat), seat)
    orders = Orders(read_attack(rules, attack_text, imagined, seat).orders.actions, by.standing)
    return order_odds(HalfForecast(rules, imagined, seat, orders, by.purse), orders, asked=True)


class HalfForecast:
    """A half after its orders up to the first die: `state` and the `marked` hexes.

    `own` are the standing orders of the seat; `whole` is whether the budget was enough for the whole half.
    """

    def __init__(self, rules: Rules[State], view: State, seat: str, orders: Orders, purse: StepBudget) -> None:
        side = view.edition.seats[seat]
        self.own = Doctrine({seat: orders.standing})
        start = view if alliance_of(view.phase) == alliance_of(side) else view.change(phase=side)
        tasks = (Task("half begins"), *(task_of(action) for action in split_joint_lines(orders.actions)))
        foresight = foresee(rules, World(start, tasks), self.own, start.edition.seats_of(side))
        self.state = foresight.state
        self.marked = frozenset(target for target, _ in foresight.state.assaults)
        self.rules, self.purse, self._standing = rules, purse, orders.standing
        self._found: dict[str, Odds] | None = {}
        target_hexes = {action.target for action in flat(orders.actions) if isinstance(action, Assault)}
        if target_hexes & self.marked:
            name = ("half", view.edition.digest, start.key(), orders.actions, orders.standing)
            half = World(foresight.world.state, (*foresight.world.agenda, *procedure(TASKS_TO_SHOCKS)))
            self._found = purse.pay(
                name, lambda step: odds_of_half(rules, half, foresight.state, self.own, Reckoning(step=step))
            )

    @property
    def whole(self) -> bool:
        """Return whether assaults are computed with all others and all fire."""
        return self._found is not None

    def odds(self, target: str) -> Odds | None:
        """Return the odds of the assault on a marked hex.

        None if the budget is too small.
        """
        if self._found is not None:
            return self._found[target]
        return self._single_odds(target, 0)

    def about(self, target: str) -> Odds | None:
        """Return an assault's odds by itself, from a fixed number of simulations.

        They are approximate; other assaults are left out.
        """
        return self._single_odds(target, PLAYS)

    def _single_odds(self, target: str, plays: int) -> Odds | None:
        key = (self.state.edition.digest, self.state.key(), target, self._standing, *([plays] if plays else []))

        def weigh(step: Callable[[], None]) -> Odds:
            return assault_odds(self.rules, self.state, target, self.own, Reckoning(step=step, plays=plays))

        return self.purse.pay(key, weigh)


TASKS_TO_SHOCKS = ("lone", "charges", "defensive fire", "offensive fire", "shocks")
"""S1 The tasks that follow the orders of a half and may affect its assaults."""
_ALONE = msg("by itself: not counted are other assaults and fire that is not at this hex or from it")


def read_start_hex(text: str, view: State, seat: str) -> tuple[State, str]:
    """Read ``FROM hex`` before an attack; return the position and the attack itself.

    In the position the units stand at that start, facing the target. The attack's text keeps its columns, for the
    caret under mistakes. Without FROM both are unchanged.
    """
    words = text.split(maxsplit=2)
    if len(words) < 3 or fold(words[0]) not in ("from", "desde") or not is_hex(words[1]):
        return view, text
    rest = " " * (len(text) - len(words[2])) + words[2]
    start_hex = words[1]
    units = dict(view.units)
    for order in parse(words[2], view, seat).orders.actions:
        if isinstance(order, Assault | Fire):
            target = _target(order)
            for unit in _with_commanders(view, order.units, view.edition.seats[seat]):
                faces = direction(start_hex, target) if target in neighbours(start_hex) else unit.facing
                units[unit.id] = unit._replace(at=start_hex, facing=faces)
    return view.with_units(units), rest


def _target(order: Assault | Fire) -> str:
    return order.at if isinstance(order, Fire) else order.target


def _with_commanders(view: State, ids: Iterable[str], side: str) -> Iterator[Unit]:
    """Yield the side's counters, each with its division's commander if in its hex."""
    for unit in (view.units[ident] for ident in ids if ident in view.units):
        if alliance_of(unit.side) == alliance_of(side):
            yield unit
            division = view.divisions.get(unit.division)
            chief = view.units.get(division.commander) if division is not None else None
            if chief is not None and chief.at == unit.at:
                yield chief


def read_attack(rules: Rules[State], text: str, view: State, seat: str, begun: bool = False) -> ParsedBlock:
    """Read an attack to evaluate and check it against the position.

    Units that stand elsewhere are assumed to have come there, with a warning; they must have room.
    """
    view = _position_to_weigh(view, seat)
    imagined, text = read_start_hex(text, view, seat)
    moved_ids = tuple(ident for ident, unit in sorted(imagined.units.items()) if unit.at != view.units[ident].at)
    reading = _read(rules, text, imagined, seat)
    if not moved_ids:
        return reading._replace(rejected=tuple(_with_from_hint(imagined, line) for line in reading.rejected))
    where = imagined.units[moved_ids[0]].at
    if reading.rejected:
        return reading._replace(
            rejected=tuple(_refusal_from_hex(refused_line, where) for refused_line in reading.rejected)
        )
    if not has_room(imagined, where, [imagined.units[ident] for ident in moved_ids]):
        why = no_room_text(imagined, [imagined.units[ident] for ident in moved_ids], where)
        return reading._replace(rejected=(RejectedLine(1, text.find(moved_ids[0]), moved_ids[0], why, "T3"),))
    return reading._replace(
        warned=(
            *reading.warned,
            OrderWarning(1, msg("as if {units} {units:|was|were} in {hex}", units=moved_ids, hex=where), "S5"),
        )
    )


def _with_from_hint(state: State, refused_line: RejectedLine) -> RejectedLine:
    """Add to a refusal for distance how ODDS asks as if the attackers stood nearer."""
    cause = _without_order(refused_line.why)
    unit, target = state.units.get(str(dict(cause.args).get("unit"))), str(dict(cause.args).get("hex"))
    near = way_next_to(state, (unit,), target).hex if unit and cause.text == "{unit} is not next to {hex}" else ""
    why = msg("{why}; ODDS FROM {hex} asks as if it stood there", why=cause, hex=near)
    return refused_line._replace(why=why) if near else refused_line


def _refusal_from_hex(refused_line: RejectedLine, address: str) -> RejectedLine:
    """Return a refusal that names the hex, not the unit, as too far away."""
    cause = _without_order(refused_line.why)
    if cause.text == "{unit} is not next to {hex}":
        return refused_line._replace(
            why=msg("{hex} is not next to {start}", hex=address, start=str(dict(cause.args)["hex"]))
        )
    return refused_line


def _without_order(why: Msg) -> Msg:
    """Return the reason of a refusal without the order that would mend it."""
    inner = dict(why.args).get("why")
    return inner if why.text in _WITH_ORDER and isinstance(inner, Msg) else why


_WITH_ORDER = ("{why}: it takes {order}", "{why}: to occupy it, {order}")


def _read(rules: Rules[State], text: str, view: State, seat: str) -> ParsedBlock:
    reading = parse(text, view, seat)
    if reading.rejected:
        return reading
    if not (reading.orders.actions and all(isinstance(action, Assault | Fire) for action in reading.orders.actions)):
        word = (text.split() or [""])[0]
        why = VOCABULARY.one_of(("ASSAULT", "CHARGE", "FIRE"))
        return reading._replace(rejected=(RejectedLine(1, text.find(word), word, why, "S5"),))
    return reading._replace(rejected=tuple(map(_with_verify_hint, check_orders(rules, view, seat, reading.orders))))


_CHANGED_BY_ORDERS = ("{unit} is limbered", "{unit} is in square", "{hex} is not in front of {unit}")
"""Reasons against an attack that orders of the same letter may remove, beside the orders of a division (S2)."""


def _with_verify_hint(refused_line: RejectedLine) -> RejectedLine:
    """Add to a refusal how to evaluate the attack after the orders that allow it."""
    if (refused_line.rule == "S2" and refused_line.word) or _without_order(refused_line.why).text in _CHANGED_BY_ORDERS:
        return refused_line._replace(
            why=msg("{why}. Send VERIFY with the orders that change this above the attack", why=refused_line.why)
        )
    return refused_line._replace(why=_without_order(refused_line.why))


# S6, S7, S5 What each answer to a question is worth: the assault that it belongs to, run to its end over all dice.


ANSWER_VALUES_NOTE = msg(
    "Behind each answer: how often the hex is yours after the assault, PF lost on average, and how many of yours who "
    "are there are disordered, routed or lost. Not counted are other assaults, fire from or at other hexes, and what "
    "you do not see of the other side: the orders of its divisions, and the fire that it has ordered."
)

_AFTER = ("rallies", "half over")
"""S1 The tasks before which the assaults of a half are over."""
_OF_A_HEX = ("charged", "charging", "shock", "advance")
"""Tasks whose first argument is their hex."""


def answer_values(
    rules: Rules[State],
    world: World[State],
    asked: Sequence[AskedQuestion],
    standing: Sequence[Rule],
    purse: StepBudget,
) -> tuple[tuple[Msg | None, ...], ...]:
    """Return a sentence for each answer of a defender about one assaulted hex.

    `world` is the asked seat's view. Enemy fire that is ordered but not yet resolved is secret, so that it is left
    out; so are the events after the assaults.
    """
    if not asked or not world.agenda:
        return ()
    seat = asked[0].window.seat
    side, doctrine = world.state.edition.seats[seat], Doctrine({seat: standing})
    target = _assaulted_hex(world.state, asked[0].window)
    if not target or alliance_of(side) == alliance_of(world.state.phase):
        return ()
    ours = tuple(world.state.foes(target, world.state.phase))

    def weigh(begin_world: World[State]) -> Msg | None:
        name = (
            "answer",
            begin_world.state.edition.digest,
            begin_world.state.key(),
            begin_world.agenda,
            doctrine,
            target,
        )
        course = Experiment(begin_world, apart(begin_world.state, field_names(State)))
        ends = purse.pay(name, lambda step: spread(rules, course, doctrine, Reckoning(step=step)))
        return None if ends is None else _outcome_sentence(world.state, target, ours, ends)

    return tuple(
        tuple(row) for row in weigh_answers(rules, _only_this_assault(world, target, side), asked, doctrine, weigh)
    )


def _assaulted_hex(state: State, window: Window) -> str:
    """Return the assaulted hex of a question; empty if there is none."""
    unit = state.units.get(window.subject)
    hex_id = unit.at if unit is not None else window.where.partition(">")[2]
    return hex_id if any(target == hex_id for target, _ in state.assaults) else ""


def _only_this_assault(world: World[State], target: str, side: str) -> World[State]:
    """Return the world with only the assault on the hex, without secrets."""
    start = with_only_assault(world.state, target, ())
    first, *rest = world.agenda
    return World(start, (first, *_tasks_of_hex(start, rest, target, side)), world.used)


def _tasks_of_hex(state: State, agenda: Sequence[Task], target: str, side: str) -> Iterator[Task]:
    """Yield the tasks of this hex; of later fire only its defenders'."""
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
            if unit is not None and unit.at == target and unit.camp == alliance_of(side):
                yield task
        elif task.name != "fire order":
            yield task


def _outcome_sentence(before: State, target: str, ours: Sequence[Unit], ends: Sequence[Ending]) -> Msg:
    """Return who holds the hex and the PF lost by its fighters.

    Guns are lost with their stack. Rule: T6.
    """
    theirs = [unit for unit in units_at_stake(before, target)[alliance_of(before.phase)] if unit.is_combat]
    share = sum_in_order(weight for world, weight in ends if world.state.foes(target, before.phase))
    shaken = sum_in_order(weight * sum(is_worse(unit, world.state) for unit in ours) for world, weight in ends)
    lost = [sum_in_order(weight * _lost_pf(units, world.state) for world, weight in ends) for units in (ours, theirs)]
    return msg(
        "{hex} yours {share} %; PF lost: you {own}, the enemy {enemy}; disordered, routed or lost: {shaken}",
        hex=target,
        share=percent(share),
        own=decimal(lost[0]),
        enemy=decimal(lost[1]),
        shaken=decimal(shaken),
    )


def _lost_pf(units: Sequence[Unit], after: State) -> int:
    return sum(unit.pf - (after.units[unit.id].pf if unit.id in after.units else 0) for unit in units)


FORECAST = Forecast(
    odds=partial(odds, RULES),
    attack_odds=partial(attack_odds, RULES),
    attack=partial(read_attack, RULES),
    answer_stakes=partial(answer_values, RULES),
    answers_note=ANSWER_VALUES_NOTE,
)

GUARD_RANGE = 2
"""Hexes from the enemy within which a counter that does not move is a guard. A choice: farther
off it guards nothing."""


def summarize_orders(rules: Rules[State], view: State, seat: str, orders: Orders, purse: StepBudget) -> tuple[Msg, ...]:
    """Return the summary of a seat's orders."""
    actions = tuple(flat(orders.actions))
    half = HalfForecast(rules, view, seat, orders, purse)
    going: dict[str, list[str]] = {}
    for action in actions:
        if isinstance(action, Assault):
            going.setdefault(action.target, []).extend(action.units)
    blows = [_blow(view, half, target, tuple(ids)) for target, ids in going.items()]
    attacking = {ident for ids in going.values() for ident in ids}
    moves = _moves(view, [action for action in actions if isinstance(action, Move)], attacking)
    return advice.plan_sentences(
        blows, _fire_in_words(actions), moves, _posts(half.state, alliance_of(view.edition.seats[seat]), attacking)
    )


def _blow(view: State, half: HalfForecast, target: str, ids: tuple[str, ...]) -> PlannedAttack:
    odds, about = (half.odds(target), False) if target in half.marked else (None, False)
    if odds is None and target in half.marked:
        odds, about = half.about(target), True
    attack_odds_shown = None
    if odds is not None:
        ours = alliance_of(view.phase)
        own, enemy = (_in_pf(odds.losses[side]) for side in (ours, "allied" if ours == "french" else "french"))
        attack_odds_shown = AttackOdds(odds.win, own, enemy, about=about)
    return PlannedAttack(target, msg("{units}", units=ids), _pf(view.units[ident] for ident in ids), attack_odds_shown)


def _in_pf(number: float) -> Msg:
    return msg("{number} PF", number=decimal(number))


def _pf(units: Iterable[Unit]) -> int:
    return sum(unit.pf for unit in units if unit.is_combat)


def _fire_in_words(actions: Sequence[Action]) -> Msg | None:
    shots = [action for action in actions if isinstance(action, Fire)]
    if not shots:
        return None
    guns = tuple(ident for shot in shots for ident in shot.units)
    targets = tuple(dict.fromkeys(shot.at for shot in shots))
    return msg("{guns} {guns:|fires|fire} at {targets}", guns=guns, targets=targets)


def _moves(view: State, moves: Sequence[Move], attacking: set[str]) -> list[Msg]:
    """Return where the non-attackers of each division go, strongest first."""
    destination = {ident: move.to or move.path[-1] for move in moves for ident in move.units if ident not in attacking}
    divisions: dict[str, list[Unit]] = {}
    for ident in destination:
        unit = view.units[ident]
        if unit.is_combat:
            divisions.setdefault(unit.division or ident, []).append(unit)
    ranked = sorted(divisions.items(), key=lambda each: (-_pf(each[1]), each[0]))
    return [_march_sentence(name, units, destination) for name, units in ranked]


def _march_sentence(name: str, units: Sequence[Unit], to: Mapping[str, str]) -> Msg:
    hexes = {to[unit.id] for unit in units}
    main_hex = min(hexes, key=lambda hex_id: (-_pf(unit for unit in units if to[unit.id] == hex_id), hex_id))
    ids = tuple(unit.id for unit in units)
    if len(units) == 1:
        return msg("{hex} ({units})", units=ids, hex=main_hex)
    return msg("{hex} or near ({count} of {division})", count=len(units), division=name, hex=main_hex)


def _posts(after: State, ours: str, attacking: set[str]) -> list[Msg]:
    """Return where non-attackers stand after the marches.

    Hexes that count come first, by points, and those near the enemy.
    """
    points: Mapping[str, int] = after.edition.scenario.get("victory", {}).get("hexes", {})
    foes = [unit.at for unit in after.units.values() if unit.camp != ours and unit.is_combat]
    units_by_hex: dict[str, list[Unit]] = {}
    for ident, unit in sorted(after.units.items()):
        if unit.camp == ours and unit.is_combat and unit.state == NORMAL and ident not in attacking:
            units_by_hex.setdefault(unit.at, []).append(unit)
    held_hexes = [
        hex_id
        for hex_id in units_by_hex
        if hex_id in points or any(distance(hex_id, foe) <= GUARD_RANGE for foe in foes)
    ]
    held_hexes.sort(key=lambda hex_id: (-points.get(hex_id, 0), -_pf(units_by_hex[hex_id]), hex_id))
    return [
        msg("{hex} ({units})", hex=hex_id, units=advice.unit_list([unit.id for unit in units_by_hex[hex_id]]))
        for hex_id in held_hexes
    ]


ADVICE = parts.Advice(bot="forward", plan=partial(summarize_orders, RULES))
"""Plans of the best bot among those that are fast enough for a letter."""
