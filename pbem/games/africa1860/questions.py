"""Word the C10 windows with the odds of each answer, HELP and WHY."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import takewhile

from pbem.engine.commanders.report import option_text as commanders
from pbem.engine.commanders.report import sort_own_first
from pbem.engine.couriers import in_transit, old_report_warning
from pbem.engine.couriers import option_text as couriers
from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg, decimal, msg, percent
from pbem.engine.data.situation import field_names
from pbem.engine.data.sums import sum_in_order
from pbem.engine.deployment import option_text as deployment
from pbem.engine.orders.standing import Rule
from pbem.engine.parts import Reporting
from pbem.engine.reasons import Reads, build_explanation, marked_charts
from pbem.engine.run.odds import Ending, Experiment, Reckoning, StepBudget, apart, spread
from pbem.engine.run.questions import AskedQuestion, Option, Question, weigh_answers
from pbem.engine.run.steps import Choice, Rules, Task, Window, World
from pbem.engine.terms import Explanation, Orders
from pbem.games.africa1860 import cavalry, end_phase, fire, morale, shock
from pbem.games.africa1860.doctrine import WINDOWS, Doctrine, default_screen, default_vanguard
from pbem.games.africa1860.edition import Edition
from pbem.games.africa1860.legality import fallback_spaces
from pbem.games.africa1860.orders import DISPLAY_NAMES, line_of, translate_orders
from pbem.games.africa1860.picture import text_map
from pbem.games.africa1860.report import indexed_entries, units_in_space, write_report
from pbem.games.africa1860.sequence import ORDER_TASKS, TASKS_AFTER_ORDERS
from pbem.games.africa1860.state import CAVALRY, LIGHT, SIDE_NAMES, Fight, State, enemy_of
from pbem.games.africa1860.victory import how_to_win, points_account, score_sheet
from pbem.games.africa1860.view import UNSEEN_MARK, seen_spaces, sightings_by_space

# C10 Windows put into words for their owner, who is asked by letter: what happens, and what he can answer.


_WORDS: Mapping[str, Msg] = {
    "NONE": msg("none"),
    "YES": msg("yes"),
    "NO": msg("no"),
    "FIRE": msg("they fire"),
    "KEEP": msg("they keep silent"),
    "IGNORE": msg("it lets them pass"),
    "CHARGE": msg("it charges"),
    "STAY": msg("it stays with the infantry"),
    "CARACOLE": msg("it caracoles"),
    "COUNTERCHARGE": msg("it counter-charges"),
}


def word_question(view: State, window: Window, silence: Choice) -> Question:
    """Return the window in words; the default in silence is one of the answers."""
    origin, _, target = window.where.partition(".")[0].partition(">")
    ask = WINDOWS[window.what].question
    gaps = {"origin": origin, "space": target, "unit": window.subject}
    text = msg(ask.text, **{name: value for name, value in gaps.items() if f"{{{name}}}" in ask.text})
    attackers = _attackers(view, window)
    if attackers is not None:
        text = msg("{attackers} {asked}", attackers=attackers, asked=text)
    values = dict.fromkeys((*_answers(view, window), silence.value))
    ways = (value[0] for value in values if value and value[0] in view.edition.map.spaces)
    between = view.fight.between if view.fight is not None else ""
    places = dict.fromkeys((origin, between, target, *ways))
    scene = tuple(line for place in places if place for line in units_in_space(view, place))
    return Question(text, tuple(Option(value, _answer_text(value)) for value in values), scene, _also(view, window))


def _attackers(view: State, window: Window) -> Msg | None:
    """O8 Return the attackers and their way, as the seat asked sees them.

    None if it is not attacked.
    """
    fight = view.fight
    if fight is None or fight.side == view.edition.seats[window.seat] or window.what in ("fallback", "detach"):
        return None
    units = tuple(ident for ident in fight.stack if ident in view.units)
    if not units:
        return None
    if fight.kind == "assault":
        return msg("{units} {units:|attacks|attack}.", units=units)
    if fight.between:
        return msg("{units} {units:|charges|charge} through {between}.", units=units, between=fight.between)
    return msg("{units} {units:|charges|charge}.", units=units)


def _also(view: State, window: Window) -> tuple[Window, ...]:
    """O8.3, O8.8.2 Return the choices that can be ordered with the vanguard.

    They include screen and losses once the units are known.
    """
    if window.what != "vanguard" or view.fight is None:
        return ()
    side = view.edition.seats[window.seat]
    units = [unit for unit in view.own(view.fight.target, side) if unit.is_combat]
    able = [unit.id for unit in units if unit.code in (LIGHT, CAVALRY) and not unit.demoralised]
    screen = Window(window.where, "screen", window.seat, "", (*able, "NONE"))
    losses = Window(window.where, "losses", window.seat, "", tuple(unit.id for unit in units))
    return (*((screen,) if able else ()), *((losses,) if len(units) > 1 else ()))


def _answer_text(value: tuple[str, ...]) -> Msg:
    """Return an answer in words; an empty one leaves it to the rules."""
    if not value:
        return msg("as the rules have it")
    if value[0] == "CARACOLE" and len(value) == 2:
        if value[1] == "SHELTER":
            return msg("it caracoles and takes shelter")
        return msg("it caracoles and falls back to {space}", space=value[1])
    if len(value) > 1:
        return msg("{units}, in this order", units=value)
    return _WORDS.get(value[0]) or msg("{name}", name=value[0])


def _answers(view: State, window: Window) -> Iterator[tuple[str, ...]]:
    """Return a window's answers; O8.4 a caracole ends in shelter or with friends."""
    target = window.where.partition(".")[0].partition(">")[2]
    for word in window.options:
        if window.what == "cavalry" and word == "CARACOLE":
            yield from (
                ("CARACOLE", destination)
                for destination in ("SHELTER", *fallback_spaces(view, view.units[window.subject], target))
            )
        else:
            yield (word,)
    if window.what == "detach":
        yield ("NONE",)
    elif window.what == "losses":
        yield ()


# C10 What each answer to a question is worth: the fight that it belongs to, run to its end over all dice.


def answer_values(
    rules: Rules[State],
    world: World[State],
    asked: Sequence[AskedQuestion],
    standing: Sequence[Rule],
    purse: StepBudget,
) -> tuple[tuple[Msg | None, ...], ...]:
    """Return a sentence for each answer to each question, None without budget.

    `world` is what the asked seat sees. Orders still to be carried out are left out, and the enemy's sealed choices
    are assumed to be the default (C10a).
    """
    if not asked or not world.agenda:
        return ()
    seat = asked[0].window.seat
    side, own = world.state.edition.seats[seat], Doctrine({seat: standing})
    later = (*ORDER_TASKS, *TASKS_AFTER_ORDERS)
    fight = tuple(takewhile(lambda task: task.name not in later, world.agenda))
    if not fight:
        return ()

    def weigh(there: World[State], doctrine: Doctrine = own) -> Msg | None:
        name = (there.state.edition.digest, there.state.key(), there.agenda, doctrine, side)
        ends = purse.pay(name, partial(_run_fight, rules, there, doctrine))
        return None if ends is None else _come_to(world.state, ends, side)

    begin = _with_default_orders(World(world.state, fight, world.used), side)
    rows = weigh_answers(rules, begin, asked, own, weigh)
    for question in asked[len(rows) :]:
        # It comes up after dice, so that the answer is given beforehand.
        answers = ({question.window.id: option.value} for option in question.question.options)
        rows.append([weigh(begin, Doctrine(own.standing, given)) for given in answers])
    return tuple(tuple(row) for row in rows)


def _with_default_orders(world: World[State], side: str) -> World[State]:
    """Return the world with the enemy's assault order set by the default.

    O8.2, O8.3, R17, O8.4.4
    """
    state = world.state
    if state.fight is not None:
        state = state.change(fight=_by_default(state, state.fight, side))
    agenda = tuple(
        task._replace(args=(_by_default(state, Fight(*task.args[0]), side),)) if task.name == "begin" else task
        for task in world.agenda
    )
    return World(state, agenda, world.used)


def _by_default(state: State, fight: Fight, side: str) -> Fight:
    """Return an enemy fight as the other side knows it, the rest by default.

    Vanguards are known once the defender has named his.
    """
    if fight.side == side:
        return fight
    fight = fight._replace(losses=(), detach=())
    if fight.enemy_vanguard:
        return fight
    units = [state.units[ident] for ident in fight.stack if ident in state.units]
    vanguard = default_vanguard([unit for unit in units if unit.is_combat], frozenset())
    screen = default_screen(units, vanguard)
    return fight._replace(vanguard=vanguard, screen="" if screen == "NONE" else screen)


def _run_fight(
    rules: Rules[State], there: World[State], doctrine: Doctrine, step: Callable[[], None]
) -> tuple[Ending, ...]:
    course = Experiment(there, apart(there.state, field_names(State)))
    return spread(rules, course, doctrine, Reckoning(step=step))


def _come_to(before: State, ends: Sequence[Ending], side: str) -> Msg:
    """Return how often a side holds the space at the end, and both sides' losses."""
    lost = {
        each: decimal(
            _count_steps(before, each)
            - sum_in_order(weight * _count_steps(world.state, each) for world, weight in ends)
        )
        for each in (side, enemy_of(side))
    }
    shaken = sum_in_order(weight * _count_shaken(before, world.state, side) for world, weight in ends)
    gaps = {"own": lost[side], "enemy": lost[enemy_of(side)], "shaken": decimal(shaken)}
    if before.fight is None:
        return msg("steps lost: you {own}, the enemy {enemy}; shaken or lost: {shaken}", **gaps)
    target = before.fight.target
    ours = sum_in_order(weight for world, weight in ends if world.state.holder(target) == side)
    return msg(
        "{space} yours {share} %; steps lost: you {own}, the enemy {enemy}; shaken or lost: {shaken}",
        space=target,
        share=percent(ours),
        **gaps,
    )


def _count_shaken(before: State, after: State, side: str) -> int:
    """Count a side's units that become demoralised or are lost."""
    mine = [unit for unit in before.units.values() if unit.side == side and not unit.demoralised]
    return sum((now := after.units.get(unit.id)) is None or now.demoralised for unit in mine)


def _count_steps(state: State, side: str) -> int:
    return sum(unit.steps for unit in state.units.values() if unit.side == side)


# What HELP tells of this game: its orders and standing orders, each with an example.


HELP_TOPICS: Mapping[str, tuple[tuple[int, Msg], ...]] = {
    "orders": (
        (0, msg("The orders of this game; first a space is activated, then its units are ordered:")),
        (1, msg("ACTIVATE Tarajal")),
        (1, msg("MOVE Saboya, Leon WITH Prim TO Nudos")),
        (1, msg("FIRE Montana1+Rodada5 AT Cresta")),
        (1, msg("ASSAULT Cresta WITH Cordoba, Vergara LED BY Prim VANGUARD Cordoba SCREEN Vergara SUPPORT Montana1")),
        (2, msg("SUPPORT: guns of the same space or of any of yours next to the target, a group in one space [R22a]")),
        (1, msg("CHARGE Husares1 AT Valle")),
        (2, msg("over two spaces not behind a ford or bridge [C11.1]")),
        (1, msg("CARACOLE Husares1 AT Valle BACK TO Playa")),
        (1, msg("RETIRE Nizam TO Condesa")),
        (2, msg("towards that rear town, as far as it may [R8a]")),
        (1, msg("DEPLOY Saboya, Leon TO Nudos")),
        (2, msg("before turn 1, in games with deployment [K6]")),
        (1, msg("IF SPACE Cresta MINE ... ELSE ... ENDIF; STOP IF MY STEPS LESS THAN 6; PASS")),
    ),
    "standing": (
        (0, msg("In this game, for ALL, a SPACE, a LEADER or a UNIT:")),
        (1, msg("STANDING FOR SPACE Cresta")),
        (1, msg("WHEN ASSAULTED IF ODDS AT LEAST 2:1 THEN VANGUARD Saboya / INF.STRONGEST ; SCREEN NONE")),
        (1, msg("WHEN APPROACHED IF ENEMY INF 0 THEN APPROACH CHARGE ELSE APPROACH IGNORE")),
        (1, msg("WHEN SHELLED THEN COUNTERBATTERY YES LIMIT 1")),
        (1, msg("WHEN CHARGED THEN VANGUARD Leon")),
        (2, msg("where cavalry charges or caracoles, and where it intercepts a move by a charge [O4a]")),
        (1, msg("ENDSTANDING")),
    ),
    "roles": (
        (0, msg("ACTIVATE Nudos: a space comes first; the orders below it are for its units.")),
        (0, msg("WITH Prim, LED BY Prim: the leader goes along, or leads and adds his factor to the shock.")),
        (0, msg("VANGUARD Cuenca: it fights for all of them, and bears the first losses.")),
        (0, msg("SCREEN Vergara: light infantry or cavalry before the vanguard.")),
        (0, msg("SUPPORT Montana1: guns that open the fire of the assault.")),
        (0, msg("STANDING ... ENDSTANDING: what yours do by themselves when the enemy acts.")),
    ),
    "sequence": (
        (0, msg("1. Spain orders its phase: one space after the other is activated.")),
        (0, msg("2. Orders are carried out as they stand; fights are rolled at once.")),
        (0, msg("3. Morocco answers by its standing orders, or is asked.")),
        (0, msg("4. Morocco orders its phase in the same way.")),
        (0, msg("5. The shaken recover, reinforcements come.")),
        (0, msg("6. Goals are counted; the next turn begins.")),
    ),
    "signs": (
        (0, msg("IR line, NZ Nizam, IL light, CAB cavalry, ART guns, CNV convoys.")),
        (0, msg("3-2-4 3/4: fire 3, assault 2, morale 4; three steps of four left.")),
        (0, msg("[S 4/12 a1 v1 o2]: Spain, 4 units, 12 steps, gun, convoy, 2 leaders.")),
        (0, msg("NZ are Moroccan regulars, IL light infantry and levies; OF is a leader.")),
        (0, msg("Fire is thrown in coins, at most one a step [C6]; the assault factor is added in the shock.")),
        (0, msg("On the map M is Morocco; guns (a), convoys (v) and leaders (o) are not among the units.")),
        (0, msg("leader 3/1: +3 in the shock that he leads, +1 to the morale in his space.")),
        (0, msg("4 against 5+0: the die, against morale and the leader's bonus. More fails, and so does any 6.")),
        (0, msg("In the form: # is no order yet, ## explains the line above, | marks places of which one is meant.")),
    ),
}
"""Lines by topic, with their depth."""


def option_texts(edition: Edition) -> tuple[Msg, ...]:
    """Return the meaning of the edition's options, except those without effect."""
    texts = [_FOG] if edition.options["fog"] == "on" else [_CLEAR]
    if edition.breaking:
        texts.append(
            msg("Breaking: a side that has lost {n} in 100 of its steps attacks no more [C12].", n=edition.breaking)
        )
    if edition.zones:
        texts.append(deployment("K6"))
    if edition.commands:
        texts.append(commanders(edition.ON_COMMANDERS.own))
    if edition.couriers:
        texts.append(couriers(edition.ON_COMMANDERS.couriers))
    return tuple(texts)


_FOG = msg("Fog is on: of the enemy you see what stands next to your units, and what fights; the rest is hidden.")
_CLEAR = msg("No fog: both sides see all units.")


# What is behind a happening of a report: rolls, charts with the cells that were read, own standing orders.


def order_line(task: Task) -> str:
    """Return the first canonical line of the order that a task carries out."""
    return line_of(task.args[0]) if task.name in ORDER_TASKS else ""


def explain_entry(
    view: State, seat: str, seen: Sequence[tuple[Event, State]], number: int, orders: Orders
) -> Explanation | None:
    """Explain entry `number` of a report; `orders` are those of its reader."""
    return build_explanation(indexed_entries(seen), seen, number, orders, partial(_charts, view.edition))


def _charts(edition: Edition, events: Sequence[Event]) -> tuple[str, ...]:
    """Return the charts that events used, with the cells read."""
    return marked_charts(edition, (_READ[event.kind](edition, event.data) for event in events if event.kind in _READ))


_READ: Mapping[str, Reads] = {
    **fire.CHART_READS,
    **morale.CHART_READS,
    **cavalry.CHART_READS,
    **shock.CHART_READS,
    **end_phase.CHART_READS,
}
"""The reading of a chart for each kind of event that reads one."""


# C0 What a forecast rests on under fog: that nobody unseen stands where a move goes or intercepts it (O4).


def forecast_assumptions(seat: str, seen: Sequence[tuple[Event, State]]) -> tuple[Msg, ...]:
    """Return what must hold out of sight for a forecast of moves to come true.

    M6 Under couriers the sentences also name the places known only by older reports.
    """
    older = old_report_warning(sightings_by_space(seen[0][1], seat)) if seen else ()
    return (*_moves(seat, seen), *older)


def _moves(seat: str, seen: Sequence[tuple[Event, State]]) -> tuple[Msg, ...]:
    moves = [(event, before) for event, before in seen if event.kind == "moves"]
    if not moves or moves[0][1].edition.options["fog"] == "off":
        return ()
    known = seen_spaces(seen[0][1], seat)
    hidden = sorted({event.data["to"] for event, _ in moves} - known - {UNSEEN_MARK})
    if hidden:
        return (msg("All this only if no enemy stands out of sight in {spaces}.", spaces=tuple(hidden)),)
    return (msg("An enemy out of sight may still come in the way of this."),)


REPORTING = Reporting(
    report=write_report,
    grouped=indexed_entries,
    question=word_question,
    stakes=score_sheet,
    provided=forecast_assumptions,
    winning=how_to_win,
    account=points_account,
    side=SIDE_NAMES.__getitem__,
    riding=lambda state: () if state.known is None else in_transit(state.known),
    in_order=sort_own_first,
    why=explain_entry,
    order_line=order_line,
    called=DISPLAY_NAMES,
    spoken=translate_orders,
    text_map=text_map,
)
