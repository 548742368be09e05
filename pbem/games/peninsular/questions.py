"""Word the questions to a seat, and answer HELP and WHY."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from pbem.engine.commanders.report import option_text as commanders
from pbem.engine.commanders.report import sort_own_first
from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.deployment import option_text as deployment
from pbem.engine.parts import Reporting
from pbem.engine.reasons import ChartRead, build_explanation, marked_charts
from pbem.engine.run.questions import Option, Question
from pbem.engine.run.steps import Choice, Task, Window
from pbem.engine.terms import Explanation, Orders
from pbem.games.peninsular import assault, cavalry, end_phase, fire, morale, shock
from pbem.games.peninsular.edition import SIDE_NAMES, Edition
from pbem.games.peninsular.fire import with_targets
from pbem.games.peninsular.forces import units_in_hex
from pbem.games.peninsular.movement import move_lines
from pbem.games.peninsular.orders import DISPLAY_NAMES, Fire, line_of, translate_orders
from pbem.games.peninsular.picture import text_map
from pbem.games.peninsular.report import indexed_entries, write_report
from pbem.games.peninsular.sequence import ORDER_TASKS
from pbem.games.peninsular.shock import remaining_attackers, with_shock_strengths
from pbem.games.peninsular.state import State
from pbem.games.peninsular.units import Unit
from pbem.games.peninsular.victory import points_account, score_sheet, victory_terms

# Windows put into words for their owner, who is asked by letter: what happens, and what he can answer.
#
# Of a shock he is told all who attack, from where, and for each who could lead the defence the strengths and the
# column; of fire what each answer comes to.


_ASKED: Mapping[str, Msg] = {
    **assault.QUESTION_SENTENCES,
    **fire.QUESTION_SENTENCES,
    **shock.QUESTION_SENTENCES,
    **cavalry.QUESTION_SENTENCES,
    **end_phase.QUESTION_SENTENCES,
}
_WORDS: Mapping[str, Msg] = {
    "SQUARE": msg("it forms square"),
    "STAND": msg("it stands as it is"),
    "ASSAULTERS": msg("at those who assault it, else at nobody"),
    "NEAREST": msg("at the nearest"),
    "AT WILL": msg("at those who assault it, else at the nearest"),
    "HOLD": msg("at nobody"),
    "YES": msg("yes"),
    "NO": msg("no"),
}


def word_question(view: State, window: Window, silence: Choice) -> Question:
    """Return the window in words, with the default answer among the options."""
    origin, _, target = window.where.partition(">")
    values = tuple(dict.fromkeys((*((word,) for word in window.options), silence.value)))
    options = tuple(Option(value, _WORDS.get(value[0]) or msg("{name}", name=value[0])) for value in values)
    if window.what == "fire":
        origin, target = target, origin
    bold = _assailants(view, window, target)
    ask = fire.QUESTION_IF_ASSAULTED if window.what == "fire" and bold else _ASKED[window.what]
    coming = tuple(msg("{unit} from {origin}", unit=unit.id, origin=unit.at) for unit in bold)
    gaps = {"origin": origin, "hex": target, "unit": window.subject, "units": coming}
    text = msg(ask.text, **{name: value for name, value in gaps.items() if f"{{{name}}}" in ask.text})
    if window.what == "fire":
        text, options = with_targets(view, window, text, options)
    elif window.what == "defence":
        text = msg("{asked} An Attack order of theirs, which you do not see, adds 1 to the die.", asked=text)
        options = tuple(with_shock_strengths(view, target, bold, option) for option in options)
    places = dict.fromkeys((*sorted({unit.at for unit in bold}), origin, target))
    scene = tuple(line for place in places if place for line in units_in_hex(view, place))
    return Question(text, options, scene)


def _assailants(view: State, window: Window, target: str) -> tuple[Unit, ...]:
    """Return the units that assault or charge the hex of a question."""
    if window.what == "defence":
        # Cavalry that rides on attacks without a marker.
        return remaining_attackers(view, target, ()) or tuple(view.fighting(window.where.partition(">")[0], view.phase))
    if window.what in ("fire", "square"):
        return tuple(unit for unit in view.assaulters(target) if unit.charge or window.what == "fire")
    return ()


# What HELP tells of this game: its orders and standing orders, each with an example.


HELP_TOPICS: Mapping[str, tuple[tuple[int, Msg], ...]] = {
    "orders": (
        (0, msg("The orders of this game; a letter holds everything for its half:")),
        (1, msg("ORDER Leval ATTACK | MANOEUVRE | HOLD | REORGANISE")),
        (1, msg("MOVE 1/54 1907 1807 1708 FACE SW")),
        (1, msg("MOVE 1/54, 2/54 TO 1708 FORM SKIRMISH")),
        (2, msg("TO finds the cheapest way that all of them can pay; the receipt writes it out (S4a)")),
        (2, msg("a commander or skirmisher who joins others does not turn them (S3a)")),
        (2, msg("beside the one battalion of a wood or a city skirmishers and horse may stand (S4b, CHART T3)")),
        (1, msg("FORM 1/54 SQUARE; FACE 1/54 NW; LIMBER LevalArt; UNLIMBER LevalArt")),
        (1, msg("FIRE LevalArt AT 1507")),
        (2, msg("guns that a P has halted may fire in this turn still, not in the next (S7a)")),
        (1, msg("ASSAULT 1508 WITH 1/8, 2/8 LED BY 1/8")),
        (1, msg("CHARGE 1Drag AT 1508")),
        (1, msg("DEPLOY 1/54, 2/54 TO 1908 FACE SW")),
        (2, msg("before turn 1, in games with deployment [K6]")),
        (1, msg("IF HEX 1508 MINE ... ELSE ... ENDIF; STOP IF MY PF LESS THAN 20; PASS")),
    ),
    "standing": (
        (0, msg("In this game, for ALL, a HEX, a LEADER or a UNIT:")),
        (1, msg("STANDING FOR UNIT 1/54")),
        (1, msg("WHEN CHARGED THEN SQUARE (or STAND)")),
        (1, msg("WHEN ASSAULTED THEN FIRE ASSAULTERS (or NEAREST)")),
        (1, msg("FIRE AT WILL (or HOLD); RETREAT 1 (or 2); ADVANCE YES (or NO); RALLY YES (or NO)")),
        (1, msg("WHEN ASSAULTED THEN LED BY 1/54 / INF.STRONGEST")),
        (1, msg("ENDSTANDING")),
    ),
    "roles": (
        (0, msg("ORDER Leval ATTACK: what a division is to do; ATTACK, MANOEUVRE, HOLD or REORGANISE.")),
        (0, msg("FACE SW: the front after a move, one of N, NE, SE, S, SW, NW.")),
        (0, msg("FORM SKIRMISH: a formation, SKIRMISH, FORMED or SQUARE.")),
        (0, msg("LED BY 1/8: the unit in front in an assault.")),
        (0, msg("STANDING ... ENDSTANDING: what yours do by themselves when the enemy acts.")),
    ),
    "sequence": (
        (0, msg("1. One side orders its half: orders of divisions, moves, assaults.")),
        (0, msg("2. It moves; then charges are tested.")),
        (0, msg("3. The other side fires, then the side that moved.")),
        (0, msg("4. Assaults: shock, retreats, advances.")),
        (0, msg("5. The routed and disordered rally.")),
        (0, msg("6. The other side has its half; then the turn ends, and points are counted.")),
    ),
    "signs": (
        (
            0,
            msg(
                "inf battalion, cav regiment, art battery, cmd commander. PF: strength, of about 100 foot or 50 horse."
            ),
        ),
        (
            0,
            msg(
                "0408 (N): 2/87 inf 5/7 B: hex (column 04, row 08), front, PF left of how many, will from A (best)"
                " to F."
            ),
        ),
        (0, msg("art factor 6: fire points before range. cmd 2/1 range 3: morale, shock, command range in hexes.")),
        (
            0,
            msg(
                "D disordered, DE routed, SE no effect. CHART T5 tells what P, M, R, 1M are, CHART T6 AR1, DR2 and BM."
            ),
        ),
        (0, msg("6 1/2 to 5: strengths in fractions, as terrain divides them by 2 or 1.5 [T1].")),
        (0, msg("In the form: # is no order yet, ## explains the line above, | marks places of which one is meant.")),
        (
            0,
            msg(
                "# 1210 behind a move: where the counters are now; MANOEUVRE behind it: only under that order are "
                "they in reach, or those hexes that follow. # SEEN tells the server which form came back."
            ),
        ),
        (0, msg("effect 83 %: how often the fire does anything. morale 5 of a division: its column of T4.")),
    ),
}
"""Lines by topic, with their depth."""


def option_text(edition: Edition) -> tuple[Msg, ...]:
    """Return the meaning of the edition's options, except those without effect."""
    texts = [deployment("K6")] if edition.zones else []
    return (*texts, commanders(edition.ON_COMMANDERS.own)) if edition.commands else (*texts,)


# What is behind a happening of a report: rolls, charts with the cells that were read, own standing orders.


def order_line(task: Task) -> str:
    """Return the first canonical line of a task's order."""
    if task.name == "fire order":
        units, hex_id, line = task.args
        return line_of(Fire(line, units, hex_id))
    return line_of(task.args[0]) if task.name in ORDER_TASKS else ""


def explain_entry(
    view: State, seat: str, seen: Sequence[tuple[Event, State]], number: int, orders: Orders
) -> Explanation | None:
    """Return the causes of entry `number` of a report.

    `orders` are those of the seat that saw it.
    """
    reason = build_explanation(indexed_entries(seen), seen, number, orders, partial(_charts, view.edition))
    if reason is None:
        return None
    march_lines = move_lines([seen[place][0] for place in reason.events])
    entry = reason.entry._replace(details=(*reason.entry.details, *march_lines))
    return reason._replace(entry=entry, follows=_assault_before(seen, reason.events[0]))


def _assault_before(seen: Sequence[tuple[Event, State]], place: int) -> int:
    """Return the entry number of the assault before a shock; 0 for anything else."""
    event, number = seen[place][0], 0
    if event.kind not in ("shock", "no shock"):
        return 0
    for index, (_, places) in enumerate(indexed_entries(seen), 1):
        head = seen[places[0]][0]
        if places[0] < place and head.kind in ("assault", "charge") and head.data["at"] == event.data["at"]:
            number = index
    return number


def _charts(edition: Edition, events: Sequence[Event]) -> tuple[str, ...]:
    """Return the charts that events used, with the cells read."""
    return marked_charts(
        edition, (_chart_read(edition, event) for event in events if event.kind in _READ and "cell" in event.data)
    )


def _chart_read(edition: Edition, event: Event) -> ChartRead:
    """Return the chart lookup of an event; its row is in ``total``."""
    data, name = event.data, _READ[event.kind]
    chart = edition.chart(name)
    return ChartRead(name, ((chart.row(data["total"]), chart.column(data["column"])),), data["modifiers"])


_READ: Mapping[str, str] = {
    **fire.CHART_READS,
    **shock.CHART_READS,
    **cavalry.CHART_READS,
    **morale.CHART_READS,
    **end_phase.CHART_READS,
}
"""The chart that each kind of event reads."""


REPORTING = Reporting(
    report=write_report,
    grouped=indexed_entries,
    question=word_question,
    stakes=score_sheet,
    winning=victory_terms,
    account=points_account,
    side=SIDE_NAMES.__getitem__,
    in_order=sort_own_first,
    why=explain_entry,
    order_line=order_line,
    called=DISPLAY_NAMES,
    spoken=translate_orders,
    text_map=text_map,
)
