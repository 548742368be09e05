"""Measure the luck of resolved phases as one seat, or everybody, sees it.

A resolved phase never changes, so its measurement is cached. What a player is shown follows from his own view and
orders, with the rules' defaults for all others. When the game is over, and for a moderator at any time, it follows
from all facts. Nothing is measured while a letter is received (see `promise` and `fulfil_luck_promises`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sqlmodel import Session

from pbem.engine import luck
from pbem.engine.data.canon import Json, loads
from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg, decimal, msg
from pbem.engine.game import AnyGame
from pbem.engine.luck import TOO_LONG, UNSEEN, Combat, EvaluatedPhase, EvaluatedRoll, ReaderKnowledge
from pbem.engine.parts import PositionValues
from pbem.engine.reasons import roll_labels
from pbem.engine.run.labels import Label, in_words, place_in_words, what_in_words
from pbem.engine.run.runners import Decisions
from pbem.engine.terms import Orders, Phase
from pbem.lazy import Logger
from pbem.letters import content, outbox
from pbem.play import adjudication, history, phases
from pbem.play.positions import Position
from pbem.runtime.terms import ACTIVATION_PACE, Terms
from pbem.runtime.transaction import TRANSIENT_ERRORS, Server, Transaction
from pbem.store import queries, tables

EVERYTHING = ""
"""Instead of a seat: the view of a moderator, or of anybody once the game is over."""


def scoring_of(rules: AnyGame) -> PositionValues[Any]:
    """Return how a game scores its positions; raise LookupError if it does not."""
    if rules.scored is None:
        raise LookupError(f"{rules.name} does not say what its dice are worth")
    return rules.scored


class PhaseLuck(NamedTuple):
    """The luck of a resolved phase from one view; None if the step limit was reached."""

    phase: Phase
    weighed: EvaluatedPhase | None


class _Seat:
    """A seat's view: only events that the game shows to it."""

    def __init__(self, rules: AnyGame, seat: str) -> None:
        self._rules, self._scored, self._seat = rules, scoring_of(rules), seat

    def know(self, state: object, events: Sequence[Event] = ()) -> object:
        return self._scored.hindsight(self._rules.view(state, self._seat), events)

    def see(self, events: Sequence[Event], state: object) -> list[Event]:
        visible = []
        for event in events:
            visible.append(self._rules.see(event, self._seat, state))
            state = self._rules.rules.apply(state, event)
        return [seen_event for seen_event in visible if seen_event is not None]


class _PhaseToWeigh(NamedTuple):
    """A phase to be measured: its run, the view, and the decisions for forecasts.

    `reckoned` decides in place of the players when the phase is forecast.
    """

    run: adjudication.PhaseRun
    eyes: ReaderKnowledge[object]
    reckoned: Decisions[object]


class PhasesToEvaluate(NamedTuple):
    """Phases to be measured, with cache keys, and inputs of those not cached.

    `sides` are those with points; `side` is that of the asking seat, empty if none asks.
    """

    game: AnyGame
    sides: tuple[str, ...]
    side: str
    phases: tuple[tuple[Phase, tuple[object, ...], _PhaseToWeigh | None], ...]


def gather_phases_to_evaluate(tx: Transaction, rows: Sequence[tables.Phase], seat: str) -> PhasesToEvaluate:
    """Return the inputs for measuring resolved phases of a game, at least one.

    `seat` is the seat whose view counts, or EVERYTHING.
    """
    game = tx.session.get_one(tables.Game, rows[0].game_id)
    rules = tx.server.rules_of(game)
    is_open = seat == EVERYTHING or game.state == "over"
    entries = []
    for row in rows:
        key = (row.id, row.events_digest, EVERYTHING if is_open else seat)
        inputs = None
        if tx.server.caches.luck.find(key) is None:
            inputs = _prepare(tx, game, row, EVERYTHING if is_open else seat)
        entries.append((outbox.phase_of(row), key, inputs))
    state = history.state_after(tx, game, rows[0].number - 1)
    side = scoring_of(rules).party(state, rules.seats(state)[seat]) if seat else ""
    return PhasesToEvaluate(rules, tuple(scoring_of(rules).worth(state)), side, tuple(entries))


def _prepare(tx: Transaction, game: tables.Game, row: tables.Phase, seat: str) -> _PhaseToWeigh:
    rules = tx.server.rules_of(game)
    state = history.state_after(tx, game, row.number - 1)
    letters = Terms.read(game.terms).pace == ACTIVATION_PACE
    position = Position(game, rules, tx.server.edition_of(tx.session, game), state, row.number - 1, letters)
    inputs = phases.phase_input_of(tx, position, row)
    run = adjudication.prepare_run(inputs)
    if seat == EVERYTHING:
        return _PhaseToWeigh(run, luck.FULL_KNOWLEDGE, run.decisions)
    view, own_text = rules.view(state, seat), inputs.closed[seat].whole if seat in inputs.closed else ""
    own_orders = adjudication.parse_closed_orders(rules, state, seat, own_text)
    everybody = {name: own_orders if name == seat else Orders() for name in rules.seats(state)}
    answers = adjudication.answers_of([{seat: pause[seat]} for pause in inputs.pauses if seat in pause])
    return _PhaseToWeigh(run, _Seat(rules, seat), rules.decisions(view, everybody, answers))


def evaluate_luck(server: Server, to_weigh: PhasesToEvaluate, most: int) -> tuple[PhaseLuck, ...]:
    """Measure the luck of phases, and return it in their order.

    If `most` steps do not suffice for all, the latest phases come first.
    """
    measured: list[PhaseLuck] = []
    for phase, key, inputs in reversed(to_weigh.phases):
        cached = server.caches.luck.find(key)
        if cached is None and inputs is not None and most > 0:
            run = inputs.run
            played = luck.PlayedPhase(to_weigh.game.rules, run.world, run.dice, run.dice)
            weighed = luck.evaluate_phase(
                scoring_of(to_weigh.game), played, luck.LuckOptions(inputs.eyes, inputs.reckoned)
            )
            cached = weighed, weighed.steps
            server.caches.luck.keep(key, *cached)
        # Cached results count with their original cost, so that answers do not depend on earlier questions.
        is_affordable = cached is not None and cached[1] <= most
        most = most - cached[1] if cached is not None and is_affordable else 0
        measured.append(PhaseLuck(phase, cached[0] if cached is not None and is_affordable else None))
    return tuple(reversed(measured))


def evaluated_rolls(phases: Sequence[PhaseLuck]) -> list[EvaluatedRoll]:
    """Return all measured rolls of these phases."""
    combat_lists = [phase_luck.weighed.combats for phase_luck in phases if phase_luck.weighed is not None]
    return [roll for combats in combat_lists for combat in combats for roll in combat.rolls]


def total_luck(phases: Sequence[PhaseLuck], place: int) -> tuple[float, float]:
    """Return a side's luck and deviation over all phases, by its index `place`."""
    return luck.luck_and_deviation(evaluated_rolls(phases), place)


# The moderator's page on dice: faces by who rolled them, how lucky each side was, and e-values against fair dice.
#
# Every die that was ever rolled counts among the faces, once: what a ruling took back has shown its faces all the same,
# and to leave it out would let whoever rules choose what is counted. Luck is told of the game as it stands.


EVERYBODY = ""
"""The key, besides those of sides, for the faces of all dice of a game."""
WORTH_A_LOOK, GRAVE = 20, 100
"""E-values above which dice are called unusual, and gravely so: fair dice reach them in at most one game of 20, or of
100."""
LARGEST = 1_000_000
"""Larger e-values are shown as more than this: nobody doubts beyond one in a million."""

Faces = Mapping[int, Sequence[int]]
"""How often each face came up, by the number of sides."""


class DicePage(NamedTuple):
    """The dice of a game.

    `faces` are the counts by side, all sides first. `asked` is what luck is computed from; None in a game that does not
    score positions, and before a phase is over.
    """

    faces: Mapping[str, Faces]
    asked: PhasesToEvaluate | None


def gather_dice_page(tx: Transaction, game: tables.Game) -> DicePage:
    """Return all dice of a game, and its resolved phases."""
    scored = tx.server.rules_of(game).scored
    resolved = queries.phases.resolved_phases(tx.session, game.id)
    asked = gather_phases_to_evaluate(tx, resolved, EVERYTHING) if resolved and scored is not None else None
    state = history.state_after(tx, game, 0) if scored is not None else None
    counts: dict[str, dict[int, list[int]]] = {}
    for side_name in (EVERYBODY, *(asked.sides if asked else ())):
        counts[side_name] = {}
    counted: set[tuple[str, str]] = set()
    for row in queries.phases.phases_with_rolls(tx.session, game.id):
        sides_of_labels = _rollers(tx.session, row)
        for label, _, sides, values in loads(row.rolls or "[]"):
            # A phase resolved again from the same orders has the same dice under the same names.
            if sides < 2 or (name := (str(outbox.phase_of(row)), label)) in counted:
                continue
            counted.add(name)
            side = scored.party(state, sides_of_labels.get(label, "")) if scored is not None else ""
            for side_name in (EVERYBODY, side) if side in counts and side != EVERYBODY else (EVERYBODY,):
                faces = counts[side_name].setdefault(sides, [0] * sides)
                for value in values:
                    faces[value - 1] += 1
    return DicePage(counts, asked)


def _rollers(session: Session, row: tables.Phase) -> dict[str, str]:
    """Return the side that rolled, by label, as far as an event says."""
    return {
        label: event.data.get("side", "")
        for event in history.events_of(session, row)
        for label in roll_labels(event.data)
    }


def dice_page_lines(server: Server, page: DicePage, most: int) -> list[tuple[int, Msg]]:
    """Return the lines of the dice page, with luck as far as `most` steps suffice."""
    if not any(page.faces[EVERYBODY].values()):
        return [(0, msg("No dice have been thrown yet."))]
    lines: list[tuple[int, Msg]] = []
    for side, faces in page.faces.items():
        lines += _face_lines(side, faces)
    if page.asked is not None:
        lines += _luck_lines(page.asked, evaluate_luck(server, page.asked, most))
    return [*lines, *((0, sentence) for sentence in _EXPLAINED)]


def _face_lines(side: str, faces: Faces) -> list[tuple[int, Msg]]:
    number, value = sum(map(sum, faces.values())), _e_value(luck.log_e_of_faces(faces))
    heading = msg("Dice of {side}: {count}, e-value {value}", count=number, side=side, value=value)
    if side == EVERYBODY:
        heading = msg("Dice in all: {count}, e-value {value}", count=number, value=value)
    lines = []
    # Dice with more sides first, so that coins, which have two, come last.
    for sides, counts in sorted(faces.items(), reverse=True):
        if sides == 2:
            lines.append((1, msg("coins: heads {heads}, tails {tails}", heads=counts[1], tails=counts[0])))
        else:
            counts_text = " ".join(map(str, counts))
            lines.append((1, msg("d{sides}, faces from 1 on: {counts}", sides=sides, counts=counts_text)))
    return [(0, heading), *lines]


def _luck_lines(to_weigh: PhasesToEvaluate, phases: Sequence[PhaseLuck]) -> list[tuple[int, Msg]]:
    lines = [(0, msg("Luck in victory points, each side's less the other's, in the game as it stands"))]
    rolls = [roll for roll in evaluated_rolls(phases) if not roll.left]
    for place, side in enumerate(to_weigh.sides):
        value, deviation = total_luck(phases, place)
        bets = luck.log_e_of_luck((weighed.luck[place], weighed.least[place], weighed.most[place]) for weighed in rolls)
        sentence = msg(
            "{side}: {luck}, {times} standard deviations of {deviation}; e-value that it is favoured {value}",
            side=side,
            luck=signed_points(value),
            times=decimal(value / deviation if deviation else 0.0, 1, signed=True),
            deviation=decimal(deviation, 2),
            value=_e_value(bets),
        )
        lines.append((1, sentence))
    skipped = sum(bool(roll.left) for roll in evaluated_rolls(phases))
    if skipped:
        lines.append((1, msg("Throws that took too long to be weighed: {count}", count=skipped)))
    turns = tuple(dict.fromkeys(f"T{phase_luck.phase.turn}" for phase_luck in phases if phase_luck.weighed is None))
    if turns:
        lines.append(
            (1, msg("Not weighed here, for it would take too long; pbem game dice does: {turns}", turns=turns))
        )
    return lines


def signed_points(value: float) -> Msg:
    """Return points with a sign and two decimals."""
    return decimal(value, 2, signed=True)


def _e_value(logarithm: float) -> Msg:
    value = luck.e_value(logarithm)
    return msg("more than {number}", number=LARGEST) if value > LARGEST else decimal(value, 2)


_EXPLAINED = (
    msg(
        "An e-value is what 1 would have become by now, bet against fair dice at fair odds: about 1 or less means "
        "nothing. Fair dice come to {look} at any time in one game of {look} at most, to {grave} in one of {grave}. "
        "{look} is worth a look, {grave} a question to whoever runs the server.",
        look=WORTH_A_LOOK,
        grave=GRAVE,
    ),
    msg(
        "Of the several e-values of a game take the mean, not the largest; those of several games may be multiplied, "
        "or averaged. It may be looked at as often as one likes."
    ),
    msg(
        "None of it proves dice fair or false: it is a by-product. The proof are the log and the letters of the "
        "players, which anybody can check with pbem verify."
    ),
)


# Dice luck in letters: promised where DICE is answered, computed when the letter is rendered.
#
# As with odds (`odds`) no transaction waits for it: a block of the letter says of which phases it is to be told, and to
# whom.


log = Logger(__name__)

PER_LETTER = 40_000
"""Step budget for all phases of one answer, the latest first. A phase takes about five hundred."""
COMBATS = 8
"""Combats shown one by one, those with the highest deviation: a screen; the sum has all."""
ROLLS = 4
"""Rolls shown of each combat, so that one with many guns does not hide the others."""
NOTHING = 0.005
"""Values below this would be shown as 0.00, and are left out."""


def luck_block(title: Msg, rows: Sequence[tables.Phase], seat: str) -> Json:
    """Return a block to be filled with a seat's luck in resolved phases."""
    return content.titled_block(title, ()) | {"luck": {"phases": [row.id for row in rows], "seat": seat}}


def dice_page_block(rows: Sequence[tables.Phase]) -> Json:
    """Return a block to be filled with a moderator's page on all dice of a game."""
    return content.titled_block(msg("The dice of the game"), ()) | {
        "luck": {"phases": [row.id for row in rows[:1]], "seat": ""}
    }


def fulfil_luck_promises(server: Server, promising: Sequence[Json]) -> list[Json]:
    """Return the letters, in order, with their promised luck blocks filled.

    Raises one of TRANSIENT_ERRORS if the database is not available.
    """
    promised = [block["luck"] for letter in promising for block in letter["blocks"] if _promises(block)]
    if not promised:
        return list(promising)
    with server.reading() as tx:
        inputs = iter([_gather(tx, request) for request in promised])
    filled = []
    for letter in promising:
        blocks = [_fulfil(server, block, next(inputs)) if _promises(block) else block for block in letter["blocks"]]
        filled.append({**letter, "blocks": blocks})
    return filled


def _promises(block: Json) -> bool:
    return not isinstance(block, str) and "luck" in block


def _gather(tx: Transaction, request: Json) -> PhasesToEvaluate | DicePage | None:
    try:
        rows = [tx.session.get_one(tables.Phase, number) for number in request["phases"]]
        if request["seat"] == EVERYTHING:
            return gather_dice_page(tx, tx.session.get_one(tables.Game, rows[0].game_id))
        return gather_phases_to_evaluate(tx, rows, request["seat"])
    except TRANSIENT_ERRORS:
        # The database is away or busy: all of it is tried again later.
        raise
    except Exception:
        # An error in the luck must not lose the letter.
        log.exception("luck cannot be reckoned", wanted=request)
        return None


def _fulfil(server: Server, block: Json, inputs: PhasesToEvaluate | DicePage | None) -> Json:
    lines = [(0, msg("The luck could not be reckoned; the operator can read why in the log."))]
    try:
        if isinstance(inputs, PhasesToEvaluate):
            lines = _lines(inputs, evaluate_luck(server, inputs, PER_LETTER))
        elif inputs is not None:
            lines = dice_page_lines(server, inputs, PER_LETTER)
    except Exception:
        # As in `_gather`: the letter goes without it.
        log.exception("luck cannot be reckoned", wanted=block["luck"])
    return {"title": block["title"], "lines": [[depth, sentence.to_json()] for depth, sentence in lines]}


def _lines(to_weigh: PhasesToEvaluate, phases: Sequence[PhaseLuck]) -> list[tuple[int, Msg]]:
    """Return a seat's lines: the combats with the highest deviation, and the total."""
    place = to_weigh.sides.index(to_weigh.side)
    combats = [
        (phase_luck.phase, combat)
        for phase_luck in phases
        if phase_luck.weighed is not None
        for combat in phase_luck.weighed.combats
    ]
    relevant = [pair for pair in combats if _deviation(pair[1].rolls, place) >= NOTHING]
    # The highest deviations first: only `COMBATS` of them are shown one by one.
    relevant.sort(key=lambda pair: -_deviation(pair[1].rolls, place))
    lines: list[tuple[int, Msg]] = []
    for phase, combat in relevant[:COMBATS]:
        lines += _combat_lines(phase, combat, to_weigh.sides, place)
    lines += _summary_of_others([combat for _, combat in relevant[COMBATS:]], place)
    lines += _unevaluated_lines(phases, combats)
    if relevant:
        lines.append((0, _total_text(*total_luck(phases, place))))
    elif not lines:
        lines.append((0, msg("No points depended on dice that you saw.")))
    return lines


def _deviation(rolls: Sequence[EvaluatedRoll], place: int) -> float:
    return luck.luck_and_deviation(rolls, place)[1]


def _combat_lines(phase: Phase, combat: Combat, sides: Sequence[str], place: int) -> list[tuple[int, Msg]]:
    value, deviation = luck.luck_and_deviation(combat.rolls, place)
    heading = msg(
        "Turn {turn}, {phase}, {where}", turn=phase.turn, phase=phase.name, where=place_in_words(combat.where)
    )
    lines = [
        (
            0,
            msg(
                "{where}: your luck {luck}, deviation {deviation}",
                where=heading,
                luck=signed_points(value),
                deviation=decimal(deviation, 2),
            ),
        )
    ]
    if combat.came:
        points = tuple(
            msg(
                "{side} {came} ({expected} expected)",
                side=side,
                came=signed_points(value_of_side),
                expected=signed_points(expected),
            )
            for side, value_of_side, expected in zip(sides, combat.came, combat.expected, strict=True)
        )
        lines.append((1, msg("points: {points}", points=points)))
        if abs(_lead(combat.came, place) - _lead(combat.expected, place) - value) >= NOTHING:
            lines.append((1, msg("the rest is no luck: it comes of what was chosen, or of what you did not see")))
    # The most uncertain first: only `ROLLS` of them are shown.
    rolls = sorted(combat.rolls, key=lambda roll: -roll.variance[place])
    return lines + [
        (1, _roll_text(weighed, place)) for weighed in rolls[:ROLLS] if weighed.variance[place] ** 0.5 >= NOTHING
    ]


def _lead(points: Sequence[Any], place: int) -> float:
    return float(2 * points[place] - sum(points))


def _roll_text(roll: EvaluatedRoll, place: int) -> Msg:
    return msg(
        "{what} = {values}: {luck}, deviation {deviation}",
        what=what_in_words(Label.parse(roll.label).what) or roll.label.partition("/")[2],
        values=" ".join(map(str, roll.values)),
        luck=signed_points(roll.luck[place]),
        deviation=decimal(roll.variance[place] ** 0.5, 2),
    )


def _summary_of_others(combats: Sequence[Combat], place: int) -> list[tuple[int, Msg]]:
    if not combats:
        return []
    value, deviation = luck.luck_and_deviation([roll for combat in combats for roll in combat.rolls], place)
    return [
        (
            0,
            msg(
                "Others, less important: {count}; your luck {luck}, deviation {deviation}",
                count=len(combats),
                luck=signed_points(value),
                deviation=decimal(deviation, 2),
            ),
        )
    ]


def _unevaluated_lines(phases: Sequence[PhaseLuck], combats: Sequence[tuple[Phase, Combat]]) -> list[tuple[int, Msg]]:
    """Return the unmeasured: single rolls, and whole turns of a long span."""
    lines: list[tuple[int, Msg]] = []
    for reason, template in (
        (TOO_LONG, msg("Not weighed, for it would take too long: {labels}")),
        (UNSEEN, msg("Not weighed, for it rested on what you could not see: {labels}")),
    ):
        labels = tuple(in_words(roll.label) for _, combat in combats for roll in combat.rolls if roll.left == reason)
        if labels:
            lines.append((0, msg(template.text, labels=labels)))
    turns = tuple(dict.fromkeys(f"T{phase_luck.phase.turn}" for phase_luck in phases if phase_luck.weighed is None))
    if turns:
        lines.append(
            (0, msg("Not weighed in this letter, for it would take too long; ask for them apart: {turns}", turns=turns))
        )
    return lines


def _total_text(value: float, deviation: float) -> Msg:
    return msg(
        "Your luck in these turns: {luck} points ({times} standard deviations of {deviation}).",
        luck=signed_points(value),
        times=decimal(value / deviation if deviation else 0.0, 1, signed=True),
        deviation=decimal(deviation, 2),
    )
