"""Compute the odds of every assault in the orders.

The odds are those at the assault's turn, and those in the present position. The enemy is assumed to have no
standing orders, only the default doctrine (C10).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from pbem.engine.commanders.sequence import joint_line_notes, split_joint_lines
from pbem.engine.couriers import old_report_warning
from pbem.engine.data.messages import Msg, msg, percent
from pbem.engine.data.situation import field_names
from pbem.engine.data.sums import sum_in_order
from pbem.engine.deployment import DEPLOYMENT_PHASE
from pbem.engine.orders.cursor import Reader, Wrong
from pbem.engine.orders.lex import Statement, tokens
from pbem.engine.orders.refusals import Refusal
from pbem.engine.orders.standing import If, Stop, unknown_space, unknown_unit
from pbem.engine.parts import Forecast, OddsLimits
from pbem.engine.run.odds import PLAYS, Ending, Experiment, Reckoning, StepBudget, apart, onward
from pbem.engine.run.steps import Rules, Task, World
from pbem.engine.terms import AttackSetup, OrderOdds, Orders, OrderWarning, ParsedBlock, RejectedLine
from pbem.games.africa1860.check import refuse_units
from pbem.games.africa1860.doctrine import Doctrine, default_screen, default_vanguard
from pbem.games.africa1860.form import position_for_orders
from pbem.games.africa1860.legality import explain_absence, no_enemy_text
from pbem.games.africa1860.orders import (
    VOCABULARY,
    Action,
    Activate,
    Assault,
    Caracole,
    Fire,
    Move,
    lexicon,
    line_of,
    orders_by_space,
    parse_attack,
)
from pbem.games.africa1860.questions import answer_values
from pbem.games.africa1860.refusals import RefusedAction, refuse_action, why_in_full
from pbem.games.africa1860.sequence import ORDER_SETS, RULES
from pbem.games.africa1860.shock import Attack, Odds, assault_odds, gather_odds, is_over, odds_texts, position_key
from pbem.games.africa1860.state import CAVALRY, Fight, State, Unit, enemy_of
from pbem.games.africa1860.view import sightings_by_space


class PhaseOrders(NamedTuple):
    """A phase's orders and its side's view, after earlier letters if `begun`.

    The position is that before the phase, or after those letters.
    """

    view: State
    orders: Orders
    begun: bool = False


class AssaultInTurn(NamedTuple):
    """An assault's line, space, chance to begin, and odds.

    `odds` is None if it never begins, for the reason `why`.
    """

    line: int
    attack: Attack
    share: Any
    odds: Odds | None
    why: Msg | None = None


def assaults(actions: Iterable[Action]) -> Iterator[tuple[str, Assault]]:
    """Yield assaults and charges with their spaces, in written order."""
    for space, action in orders_by_space(actions):
        if isinstance(action, Assault):
            yield space, action


# The assaults of a set of orders, each weighed when its turn comes: over all dice of what is ordered before it.
#
# The orders are run as the phase will run them, on what their seat sees; the other side keeps to the default doctrine.


_MARK = Task("assault is over")
"""Put behind an assault in the agenda of a world, to find its end; no rule knows this task."""


class _Phase(NamedTuple):
    """The constants of a run: rules, position, decisions, differences.

    With `plays` the orders are played so many times, instead of over all dice.
    """

    rules: Rules[State]
    start: State
    own: Doctrine
    key: Callable[[State], Hashable]
    plays: int = 0

    def run(self, starts: Sequence[Ending], until: Callable[[World[State]], bool], step: Callable[[], None]) -> Any:
        """Run worlds over all dice until each is at its end."""
        course = Experiment(starts[0].world, self.key, until)
        return onward(self.rules, starts, course, self.own, Reckoning(step=step, plays=self.plays))


def odds_in_turn(
    rules: Rules[State], ordered: PhaseOrders, doctrine: Doctrine, purse: StepBudget, plays: int = 0
) -> tuple[list[AssaultInTurn], bool]:
    """Return the assaults in order, and whether all are included within the budget.

    `plays`: the orders are simulated that often, which is cheaper and approximate.
    """
    view, orders, begun = ordered
    tasks = ORDER_SETS.own(split_joint_lines(orders.actions))
    world = World(view.change(stopped=False), tasks) if begun else World(view, (Task("begin phase"), *tasks))
    phase = _Phase(rules, world.state, doctrine, apart(world.state, field_names(State)), plays)
    name = (view.edition.digest, view.key(), orders.actions, orders.standing, begun, plays)
    results: list[AssaultInTurn] = []
    waiting: tuple[Ending, ...] = (Ending(world, 1.0),)
    passed_lines: frozenset[int] = frozenset()
    assault_lines = {order.line for _, order in assaults(orders.actions)}
    while waiting and not assault_lines <= passed_lines:
        reached = purse.pay((*name, "reach", passed_lines), partial(_reach, phase, waiting, passed_lines))
        if reached is None:
            return results, False
        lines = sorted({world.agenda[0].args[0].line for world, _ in reached})
        if not lines:
            break
        weighed = purse.pay((*name, "weigh", passed_lines), partial(_weigh_next, phase, reached, lines[0]))
        if weighed is None:
            return results, False
        result, waiting = weighed
        results.append(result)
        passed_lines |= {lines[0]}
    return results, True


def _reach(
    phase: _Phase, starts: Sequence[Ending], passed: frozenset[int], step: Callable[[], None]
) -> tuple[Ending, ...]:
    """Return the worlds before the next assault; none after STOP IF."""

    def at_one(world: World[State]) -> bool:
        return (
            not world.state.stopped
            and world.agenda[0].name == "assault order"
            and world.agenda[0].args[0].line not in passed
        )

    return tuple(end for end in phase.run(starts, at_one, step) if end.world.agenda)


def _weigh_next(
    phase: _Phase, there: Sequence[Ending], line: int, step: Callable[[], None]
) -> tuple[AssaultInTurn, tuple[Ending, ...]]:
    """Return a line's assault odds and all worlds after it."""
    begins: list[Ending] = []
    others: list[Ending] = []
    why: Msg | None = None
    (attack,) = {Attack(*end.world.agenda[0].args) for end in there if end.world.agenda[0].args[0].line == line}
    for end in there:
        task = end.world.agenda[0]
        is_next = task.args[0].line == line
        refusal = refuse_action(end.world.state, *task.args) if is_next else None
        why = why or (refusal.why if refusal is not None else None)
        (begins if is_next and refusal is None else others).append(end)
    if not begins:
        return AssaultInTurn(line, attack, 0.0, None, why), tuple(others)
    share = sum_in_order(end.weight for end in begins)
    ends = [after for some in _group_worlds(begins, attack) for after in _play_assault(phase, some, attack, step)]
    odds = gather_odds(
        phase.rules, [Ending(w, p / share) for w, p in begins], [Ending(w, p / share) for w, p in ends], attack
    )
    after = (
        Ending(World(world.state, tuple(t for t in world.agenda if t != _MARK), world.used), weight)
        for world, weight in ends
    )
    return AssaultInTurn(line, attack, share, odds), (*others, *after)


def _group_worlds(begins: Sequence[Ending], attack: Attack) -> list[list[Ending]]:
    """Group the worlds before an assault by the number of fights between its spaces."""
    groups: dict[int, list[Ending]] = {}
    for end in begins:
        groups.setdefault(end.world.state.bouts.get(attack.pair, 0), []).append(end)
    return list(groups.values())


def _play_assault(
    phase: _Phase, begins: Sequence[Ending], attack: Attack, step: Callable[[], None]
) -> tuple[Ending, ...]:
    """Return the worlds after the shock, before the throws that follow it."""
    fought = is_over(begins[0].world.state, attack.pair)
    marked = [
        Ending(World(world.state, (world.agenda[0], _MARK, *world.agenda[1:]), world.used), weight)
        for world, weight in begins
    ]
    ends: tuple[Ending, ...] = phase.run(marked, lambda world: world.agenda[0] == _MARK or fought(world), step)
    return ends


# What orders are worth, in words.


def orders_odds(
    rules: Rules[State], view: State, seat: str, orders: Orders, purse: StepBudget, begun: bool = False
) -> OrderOdds:
    """Return each assault with its line and odds at its turn.

    Earlier orders count over all dice; the enemy follows the defaults. Beyond the budget an assault is computed in
    the present position, and the omissions are named. During deployment there are no odds.
    """
    if view.phase == DEPLOYMENT_PHASE:
        return OrderOdds()
    ordered = PhaseOrders(view, orders, begun)
    if view.phase != view.edition.seats[seat]:
        return _with_fog_note(_odds_now(rules, ordered, seat, purse, None), view)
    results, whole = odds_in_turn(rules, ordered, Doctrine({seat: orders.standing}), purse)
    sentences: list[tuple[int, Msg]] = []
    for result in results:
        sentences += [(result.line, line) for line in _odds_sentences(result, view)]
    known = {result.line for result in results}
    rest = OrderOdds() if whole else _odds_now(rules, ordered, seat, purse, known)
    never = [(o, space) for space, o in assaults(orders.actions) if o.line not in known] if whole else []
    sentences += [(order.line, _no_odds(order, space)) for order, space in never]
    joint = joint_line_notes(orders.actions)
    return _with_fog_note(OrderOdds((*sentences, *rest.said, *joint), rest.left, (), rest.rough or bool(joint)), view)


def attack_odds(rules: Rules[State], text: str, view: State, seat: str, by: OddsLimits) -> OrderOdds:
    """Return the odds of an attack in a question, now and alone.

    Beyond the budget it is simulated and approximate.
    """
    orders = Orders(read_attack_order(text, view, seat, by.begun).orders.actions, by.standing)
    return _with_fog_note(_odds_now(rules, PhaseOrders(view, orders, by.begun), seat, by.purse, None), view)


def _with_fog_note(result: OrderOdds, view: State) -> OrderOdds:
    """Return the odds; under fog with a note that unseen enemies do not count."""
    if view.edition.options["fog"] == "off":
        return result
    return result._replace(
        notes=(FOG_NOTICE, *old_report_warning(sightings_by_space(view, view.commanding))), rough=True
    )


def _odds_now(
    rules: Rules[State], ordered: PhaseOrders, seat: str, purse: StepBudget, known: Collection[int] | None
) -> OrderOdds:
    """Return the odds of assaults, each as if it came first.

    The units count as if they stood where they are to act. Lines in `known` are left out. Without `known`, as for a
    question, an assault that is too costly is simulated.
    """
    orders = ordered.orders
    side, doctrine = ordered.view.edition.seats[seat], Doctrine({seat: orders.standing})
    view = position_for_orders(ordered.view, side, ordered.begun)
    sentences: list[tuple[int, Msg]] = []
    remaining: list[str] = []
    rough, played = False, 0
    for space, order in [
        (space, order) for space, order in assaults(orders.actions) if order.line not in (known or ())
    ]:
        state = _as_ordered(view, side, order, space).change(used=(space,))
        if (refusal := refuse_action(state, order, space)) is not None:
            sentences.append((order.line, _no_odds(order, space, refusal.why)))
            continue
        key = (view.edition.digest, state.key(), order._replace(line=0), space, orders.standing)
        odds, about = purse.pay(key, partial(_weigh, rules, state, Attack(order, space), doctrine, 0)), False
        if odds is None and known is None:
            odds = purse.pay((*key, PLAYS), partial(_weigh, rules, state, Attack(order, space), doctrine, PLAYS))
            about, played = True, PLAYS if odds is not None else played
        if odds is None:
            remaining.append(f"FROM {space} {line_of(order)}")
            continue
        sentences += [(order.line, line) for line in odds_texts(odds, state, Attack(order, space), about)]
        before = _lines_before(orders.actions, order.line)
        if before:
            rough = True
            sentences.append((order.line, _omission_text(before)))
    return OrderOdds(tuple(sentences), tuple(remaining), rough=rough, played=played)


def _lines_before(actions: Iterable[Action], line: int) -> tuple[int, ...]:
    """Return the earlier lines that may change the position at a line."""
    lines: list[int] = []
    for action in actions:
        if isinstance(action, Activate):
            lines += _lines_before(action.actions, line)
        elif isinstance(action, If):
            lines += [action.line] if action.line < line else []
            lines += _lines_before((*action.then, *action.otherwise), line)
        elif action.line < line and isinstance(action, Assault | Caracole | Fire | Move | Stop):
            lines.append(action.line)
    return tuple(lines)


def _omission_text(lines: Sequence[int]) -> Msg:
    """Return the sentence on omitted attacks, by line of the block.

    Line 1 is ORDERS.
    """
    return msg(
        "as things stand now: not counted is what comes of {lines:|line|lines} {lines} of your orders",
        lines=tuple(line + 1 for line in lines),
    )


def _no_odds(order: Assault, space: str, why: Msg | None = None) -> Msg:
    where = f"{space}>{order.target}"
    if why is not None and not order.jointly:
        return msg("{where}: is not carried out as things stand: {why}", where=where, why=why)
    return msg("{where}: no odds as things stand", where=where)


FOG_NOTICE = msg("There is fog: enemies whom you do not see are not counted.")


def _odds_sentences(result: AssaultInTurn, view: State) -> Iterator[Msg]:
    """Yield an assault's odds at its turn, and how often it is carried out."""
    if result.odds is None:
        yield _no_odds(result.attack.order, result.attack.space, result.why)
        return
    yield from odds_texts(result.odds, view, result.attack)
    if result.share < 0.995:
        yield msg("it comes to this in {share} % of cases, of which these are the odds", share=percent(result.share))


def read_attack_order(text: str, view: State, seat: str, begun: bool = False) -> ParsedBlock:
    """Read an attack to evaluate and check it against the position.

    Units elsewhere are assumed to have come, with a warning; those that have acted or reacted are refused as usual.
    """
    side = view.edition.seats[seat]
    reading = parse_attack(text, view, side)
    refused_lines: list[RejectedLine] = []
    warnings: list[OrderWarning] = []
    for space, order in assaults(reading.orders.actions):
        now = position_for_orders(view, side, begun)
        placed = _as_ordered(now, side, order, space) if space else now
        refusal = _refuse_attack(now, placed, order, space)
        if refusal is not None:
            why = why_in_full(RefusedAction(placed, order, space), explain_absence(now, refusal.why))
            refused_lines.append(RejectedLine(order.line, -1, refusal.word, why, refusal.rules[0]))
        places = _places(view, order, space)
        away = tuple(ident for ident in sorted(places) if ident in view.units and view.units[ident].at != places[ident])
        if away and not refused_lines:
            warnings.append(
                OrderWarning(
                    order.line, msg("as if {units} {units:|was|were} in {space}", units=away, space=space), "O8"
                )
            )
    return ParsedBlock(reading.orders, (*reading.rejected, *refused_lines), (*reading.warned, *warnings))


def _refuse_attack(now: State, state: State, order: Assault, space: str) -> Refusal | None:
    """Return why an attack is refused with its units in place in `state`.

    `now` is the real position.

    Under fog the answer must reveal nothing that is hidden.
    """
    if not space:
        # None of its units is in play, so that they are nowhere.
        return refuse_units(now, order, space)
    refusal = refuse_action(state, Activate(order.line, space), space)
    refusal = refusal or refuse_action(state.change(used=(*state.used, space)), order, space)
    if refusal is not None and refusal.why == no_enemy_text(state, order.target):
        return refusal._replace(why=no_enemy_text(now, order.target))
    return refusal


def _weigh(
    rules: Rules[State], state: State, attack: Attack, doctrine: Doctrine, plays: int, step: Callable[[], None]
) -> Odds:
    return assault_odds(rules, state, attack, doctrine, Reckoning(step=step, plays=plays))


def _as_ordered(view: State, side: str, order: Assault, space: str) -> State:
    """Return the position with the order's units in their places for their turn."""
    places = _places(view, order, space)
    units = {ident: unit for ident, unit in view.units.items() if ident in places and unit.side == side}
    return view.with_units({ident: unit.gone_to(places[ident]) for ident, unit in units.items()})


def _places(view: State, order: Assault, space: str) -> dict[str, str]:
    """Return where the units of an order act.

    They act in its space, but guns that bear on the target act where they stand (R22a).
    """
    places = dict.fromkeys((*order.units, order.leader), space)
    for gun in (gun for group in order.support for gun in group):
        unit = view.units.get(gun)
        bears = unit is not None and view.edition.reread and view.edition.map.adjacent(unit.at, order.target)
        places[gun] = unit.at if unit is not None and bears else space
    return places


# TEST STANDING: an attack that nobody has ordered, made up from units the seat sees or from numbers.


MOST_INVENTED_UNITS = 8
"""Invented units of one kind in a question about odds: more than any space holds."""
_MADE_UP: Mapping[str, Mapping[str, str]] = {
    "INF": {"spain": "IR", "morocco": "NZ"},
    "LIGHT": {"spain": "IL", "morocco": "IL"},
    "CAV": {"spain": "CAB", "morocco": "CAB"},
    "ART": {"spain": "ART", "morocco": "ART"},
}


def read_attack(text: str, view: State, seat: str) -> AttackSetup:
    """Read an attack in words and set it up.

    ``Cresta BY Bujari, Nizam FROM Nudos`` or ``Cresta BY 3 INF, 1 CAV``.

    Invented units have fire 2, assault 2, morale 4 and 4 steps. All cavalry charges, anything else assaults;
    artillery supports, a gun a group. Without FROM they come from where the first of them stands, if that is next
    to the space, else from the first space beside it that is not the defender's.
    """
    side = view.edition.seats[seat]
    reader = Reader(Statement(1, tokens(text)), VOCABULARY, "C10")
    try:
        names = lexicon(view, side)
        target = reader.name(names.spaces, unknown_space, "O2")
        reader.expect("BY")
        force = [*_force(reader, view, side)]
        while reader.mark(",") or reader.accept("AND"):
            force += _force(reader, view, side)
        origin = reader.name(names.spaces, unknown_space, "O2") if reader.accept("FROM") else ""
        reader.finish()
        return _attack(reader, view, side, _Wanted(target, {unit.id: unit for unit in force}, origin))
    # A mistake in the question is shown to its sender, as one in orders is.
    except Wrong as wrong:
        return AttackSetup(None, rejected=(wrong.rejected,))


def _force(reader: Reader, view: State, side: str) -> list[Unit]:
    """Read a visible enemy unit, or a number of a kind."""
    enemy, token = enemy_of(side), reader.token
    if token is not None and token.text.isdigit():
        count = reader.number()
        if not 1 <= count <= MOST_INVENTED_UNITS:
            reader.at -= 1
            raise reader.wrong(msg("a number from 1 to {most} stands here", most=MOST_INVENTED_UNITS))
        kind = reader.expect(*_MADE_UP)
        code = _MADE_UP[kind][enemy]
        return [Unit(f"{kind}-{n}", enemy, code, "", 2, 2, 4, 4, 4) for n in range(1, count + 1)]
    space = reader.at
    unit = view.units.get(reader.name(lexicon(view, side).units, unknown_unit, "R2"))
    if unit is None or unit.side == side:
        reader.at = space
        raise reader.wrong(msg("this is no unit of the enemy that you see"), "R2")
    return [unit.with_markers(activated=False, fired=False, acted=False)]


class _Wanted(NamedTuple):
    """An attack in a player's words: target, units, and origin if named."""

    target: str
    force: Mapping[str, Unit]
    origin: str


def _attack(reader: Reader, view: State, side: str, wanted: _Wanted) -> AttackSetup:
    enemy, area, (target, force, origin) = enemy_of(side), view.edition.map, wanted

    def refuse(word: str, why: Msg, rule: str) -> AttackSetup:
        column = next((token.column for token in reader.words if token.text == word), 0)
        return AttackSetup(None, rejected=(RejectedLine(1, column, word, why, rule),))

    first = reader.words[0].text
    if not view.own(target, side):
        return refuse(first, msg("none of your units stands in {space}", space=target), "O8")
    free = [near for near in area.neighbours(target) if view.holder(near) != side]
    stands = next((unit.at for unit in force.values() if unit.at in free), free[0] if free else "")
    start = origin or stands
    if start not in free:
        word = reader.words[-1].text if origin else first
        return refuse(word, msg("no enemy can come at {space} from there", space=target), "O8")
    units = {ident: unit._replace(at=start) for ident, unit in force.items()}
    combat = [unit for unit in units.values() if unit.is_combat]
    if not combat:
        return refuse(first, msg("an attack needs infantry or cavalry"), "O8")
    leaders = [unit.id for unit in units.values() if unit.is_leader]
    guns = tuple((unit.id,) for unit in units.values() if unit.code == "ART")
    vanguard = default_vanguard(combat, frozenset())
    screen = default_screen(combat, vanguard)
    rides = all(unit.code == CAVALRY for unit in combat)
    fight = Fight(
        "",
        "charge" if rides else "assault",
        enemy,
        start,
        target,
        tuple(sorted([*(unit.id for unit in combat), *leaders])),
        leaders[0] if leaders else "",
        support=guns,
        vanguard=vanguard,
        screen="" if screen == "NONE" else screen,
    )
    state = view.change(phase=enemy, units={**view.units, **units}, used=(start,), fight=None)
    return AttackSetup(
        World(state, (Task("begin", (fight,)),)), position_key(state), is_over(state, f"{start}>{target}")
    )


FORECAST = Forecast(
    odds=partial(orders_odds, RULES),
    attack_odds=partial(attack_odds, RULES),
    attack=read_attack_order,
    trial=read_attack,
    answer_stakes=partial(answer_values, RULES),
)
