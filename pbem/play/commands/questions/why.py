"""Explain an event of a report, down to the bytes of its dice (WHY, DICE).

An order or standing order is shown only to its owner. The key of a phase's dice is shown once the phase is
resolved, unless the game hides something, since the key would reveal hidden dice too. Once the game is over
everything is shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pbem.audit.dice import steps_by_hand
from pbem.engine.data.canon import Json, dumps, loads
from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.map import printed
from pbem.engine.orders import speech
from pbem.engine.run.labels import in_words
from pbem.engine.run.runners import play, trace
from pbem.engine.terms import ONLOOKER, Explanation, Orders
from pbem.letters import content, outbox
from pbem.letters.commands import TURNS_ARGUMENT, CommandForm, CommandLine
from pbem.letters.content import Mistake
from pbem.log import grades
from pbem.play import adjudication, history, pauses, phases, revealed_orders, war_progress
from pbem.play.adjudication import InvalidResult, PhaseRun
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.command_records import LetterCommand, RateLimit
from pbem.play.commands.questions import dice_luck, forecast
from pbem.play.positions import Position
from pbem.runtime.terms import Terms
from pbem.store import queries, tables

# Earlier happenings like one that is asked about: by the same rule and chart, as the seat that asks saw them.
#
# They are looked for as HISTORY looks: in what `Game.see` let through to the seat, and in nothing else.


MOST_EARLIER_EVENTS = 3
"""Earlier events shown, the nearest: an older one seldom explains anything."""


def earlier_similar_events(
    answer: SeatAnswer, position: Position, phase: tables.Phase, number: int, because: Explanation
) -> list[Msg]:
    """Return earlier events like one that is explained, the nearest first.

    That one is entry `number` of the phase's report. At most `MOST_EARLIER_EVENTS`.
    """
    lines = []
    for line in _similar_before(answer, position, phase, number, because):
        lines.append(line)
        if len(lines) == MOST_EARLIER_EVENTS:
            break
    return lines


def _similar_before(
    answer: SeatAnswer, position: Position, phase: tables.Phase, number: int, because: Explanation
) -> Iterator[Msg]:
    if not because.entry.rule:
        return
    rules, seat = position.rules, answer.seat.name
    view = rules.view(position.state, seat)
    resolved = queries.phases.resolved_phases(answer.session, answer.game.id)
    for resolved_row in reversed([row for row in resolved if row.number <= phase.number]):
        entries, seen_events = history.report_entries(answer, answer.game, resolved_row, seat)
        last = number - 1 if resolved_row.number == phase.number else len(entries)
        for index in range(last, 0, -1):
            if entries[index - 1].rule != because.entry.rule:
                continue
            other = rules.telling.why(view, seat, seen_events, index, Orders())
            if other is not None and has_same_first_chart(because, other):
                yield msg(
                    "Turn {turn}, {phase}, #{number}: {text}",
                    turn=resolved_row.turn,
                    phase=resolved_row.name,
                    number=index,
                    text=other.entry.text,
                )


def has_same_first_chart(first: Explanation, other: Explanation) -> bool:
    """Return whether two events are of one rule, and of the same first chart, if any."""
    charts = {_first_chart_title(first), _first_chart_title(other)} - {""}
    return len(charts) < 2


def _first_chart_title(because: Explanation) -> str:
    """Return the heading of the first chart used; empty without a chart."""
    return because.charts[0].partition("\n")[0] if because.charts else ""


_WHICH = re.compile(r"(?P<number>\d{1,3})(?: t ?(?P<turn>\d{1,4})(?:[. ] ?(?P<phase>[a-z][a-z0-9]*))?)?\??")
"""Argument of WHY without the # before the number: the number, optionally turn and phase."""
_POR_QUE = r"p(?:o\u0301?|\u00f3)r\s*q(?:u\u0301?|\u00fa)(?:e\u0301?|\u00e9)"
_NUMBERED = re.compile(rf"\b(why|{_POR_QUE})\s*#\s*(?=\d)", re.IGNORECASE)
"""The number of an event with the # of the report, which begins no comment here."""


class PastPhase(NamedTuple):
    """A resolved phase in a seat's view: `seen` with each event's index."""

    phase: tables.Phase
    happened: list[tuple[Event, object]]
    seen: list[tuple[Event, object]]
    places: list[int]
    orders: dict[str, Orders]
    text: str


def explain(answer: SeatAnswer, command: CommandLine) -> None:
    """Show the order, rules, charts and dice of an event."""
    position = answer.here
    phase = _phase(answer, command)
    if position is None or phase is None:
        answer.say("answer", msg("There is no history yet: nothing has happened."))
        return
    past = past_phase_of(answer, position, phase)
    number = _parse_event(command)["number"]
    because = explanation_of_entry(answer, position, past, int(number))
    if because is None:
        raise LookupError(f"the report on {phase.name} has no happening {number}")
    answer.say("answer")
    title = msg("#{number} of turn {turn}, {phase}", number=int(number), turn=phase.turn, phase=phase.name)
    answer.blocks.append(content.sentence_block(title, forecast.entries_to_lines([because.entry], first=int(number))))
    answer.blocks.append(
        content.sentence_block(msg("Cause"), [(0, line) for line in _origin_lines(answer, position, past, because)])
    )
    rules = [
        (0, line)
        for rule_number in because.rules
        for line in position.rules.rulebook.rule(rule_number, answer.seat.language)[:1]
    ]
    if rules:
        answer.blocks.append(content.texts(msg("Its rules; RULES and a number tells one in full"), rules))
    for text in because.charts:
        answer.blocks.append(
            content.titled_block(
                msg("The chart, with the result in brackets"),
                printed.lines_of(text),
                spare=True,
                kept=printed.result_lines(text),
            )
        )
    if earlier := earlier_similar_events(answer, position, phase, int(number), because):
        title = msg("Earlier events under the same rule, the latest first")
        answer.blocks.append(content.sentence_block(title, [(0, line) for line in earlier]))
    if because.labels:
        _show_dice(answer, position, phase, because.labels)


def check_why(answer: SeatAnswer, command: CommandLine) -> Mistake | None:
    """Refuse a phase that is not over, or a number that its report does not have."""
    resolved = queries.phases.resolved_phases(answer.session, answer.game.id)
    if answer.here is None or not resolved:
        return None
    phase, wanted = _phase(answer, command), _parse_event(command)
    if phase is not None and not wanted["turn"] and pauses.is_asked(answer.session, answer.closed, answer.seat):
        # The last letter that numbers events is that of the question; those have no end yet.
        reason = msg(
            "The phase of your question is not over, and its events cannot be explained yet; the last that can be told "
            "is turn {turn}, {phase}.",
            turn=phase.turn,
            phase=phase.name,
        )
        return command.wrong(reason, *_name_phase(answer, command, (phase,)))
    if phase is None:
        latest = resolved[-1]
        reason = msg(
            "Nothing is over of that; the last that can be told is turn {turn}, {phase}.",
            turn=latest.turn,
            phase=latest.name,
        )
        return command.wrong(reason, *_name_phase(answer, command, (latest,)), word=command.said.partition(" ")[2])
    if (
        explanation_of_entry(answer, answer.here, past_phase_of(answer, answer.here, phase), int(wanted["number"]))
        is not None
    ):
        return None
    reason = msg(
        "The report on turn {turn}, {phase} has no #{number}.",
        turn=phase.turn,
        phase=phase.name,
        number=wanted["number"],
    )
    earlier = [other for other in reversed(resolved) if other.number < phase.number][:_REPORTS_AT_ONCE]
    return command.wrong(reason, *_name_phase(answer, command, earlier), word=wanted["number"])


_REPORTS_AT_ONCE = 2
"""Phases before the last one whose events a number may mean: their reports often come on the same day."""


def _name_phase(answer: SeatAnswer, command: CommandLine, phases_tried: Sequence[tables.Phase]) -> tuple[str, ...]:
    """Return the question about the first of some phases that has the event."""
    number = _parse_event(command)["number"]
    for phase in phases_tried:
        if answer.here is not None and explanation_of_entry(
            answer, answer.here, past_phase_of(answer, answer.here, phase), int(number)
        ):
            return (f"{command.phrase} #{number} T{phase.turn}.{phase.name}",)
    return ()


def _parse_event(command: CommandLine) -> dict[str, str]:
    match = _WHICH.fullmatch(command.rest)
    if match is None:
        raise ValueError(f"not what follows WHY: {command.rest!r}")
    return match.groupdict("")


def _phase(answer: SeatAnswer, command: CommandLine) -> tables.Phase | None:
    """Return the last resolved phase of the wanted turn and name."""
    wanted = _parse_event(command)
    matching = [
        phase
        for phase in queries.phases.resolved_phases(answer.session, answer.game.id)
        if wanted["turn"] in ("", str(phase.turn)) and wanted["phase"] in ("", phase.name)
    ]
    return matching[-1] if matching else None


def past_phase_of(answer: SeatAnswer, position: Position, phase: tables.Phase) -> PastPhase:
    """Return a resolved phase in the seat's view."""
    rules, seat = position.rules, answer.seat.name
    events = history.events_with_states(answer, answer.game, phase)
    seen_events, places = [], []
    for index, (event, before) in enumerate(events):
        seen_event = rules.see(event, seat, before)
        if seen_event is not None:
            seen_events.append((seen_event, rules.view(before, seat)))
            places.append(index)
    start = history.state_after(answer, answer.game, phase.number - 1)
    texts = {name: orders.whole for name, orders in adjudication.closed_orders_from_json(phase.orders).items()}
    orders = {name: adjudication.parse_closed_orders(rules, start, name, text) for name, text in texts.items()}
    return PastPhase(phase, events, seen_events, places, orders, texts.get(seat, ""))


def explanation_of_entry(answer: SeatAnswer, position: Position, past: PastPhase, number: int) -> Explanation | None:
    """Return the explanation of an event by its number in the seat's report, or None."""
    seat = answer.seat.name
    view = position.rules.view(position.state, seat)
    explanation: Explanation | None = position.rules.telling.why(
        view, seat, past.seen, number, past.orders.get(seat, Orders())
    )
    return explanation


def _origin_lines(answer: SeatAnswer, position: Position, past: PastPhase, because: Explanation) -> Sequence[Msg]:
    """Return an event's order and standing orders, as far as they are the seat's."""
    line, speak = _order(answer, position, past, because), position.rules.telling.spoken
    sentences = [
        msg("your standing order: {order}", order=speech.order_text(order, speak)) for order in because.standing
    ]
    if line and line in (own_line.strip() for own_line in past.text.splitlines()):
        return [msg("your order: {order}", order=speech.order_text(line, speak)), *sentences]
    if line and (_is_open(answer) or line in revealed_orders.publicly_shown_orders(answer.session, past.phase)):
        return [msg("an order of another player: {order}", order=speech.order_text(line, speak)), *sentences]
    if line:
        return [msg("an order of another player, secret until the game is over"), *sentences]
    if sentences or not because.follows:
        return sentences or [msg("no order: it follows from the rules")]
    earlier = explanation_of_entry(answer, position, past, because.follows)
    origin = _origin_lines(answer, position, past, earlier) if earlier is not None else ()
    return [msg("it follows from #{number}", number=because.follows), *origin]


def _is_open(answer: SeatAnswer) -> bool:
    """Return whether everything is opened: game over, and no war keeps it sealed."""
    return answer.game.state == "over" and not war_progress.keeps_sealed(answer, answer.game)


def _order(answer: SeatAnswer, position: Position, past: PastPhase, because: Explanation) -> str:
    """Return the line of the order that led to the event, of any seat."""
    rules, run = position.rules, _rerun(answer, position, past.phase)
    traced = trace(rules.rules, run.world, run.dice, run.dice, rules.telling.order_line)
    if dumps([step.event.to_json() for step in traced]) != dumps([event.to_json() for event, _ in past.happened]):
        raise InvalidResult(f"phase {past.phase.name} of turn {past.phase.turn} comes out otherwise than it was told")
    return traced[past.places[because.events[0]]].origin


def _rerun(answer: SeatAnswer, position: Position, phase: tables.Phase) -> PhaseRun:
    start = history.state_after(answer, answer.game, phase.number - 1)
    position_before = position._replace(state=start, number=phase.number - 1)
    return adjudication.prepare_run(phases.phase_input_of(answer, position_before, phase))


def _betas(answer: SeatAnswer, position: Position, phase: tables.Phase) -> dict[str, bytes]:
    """Return the dice key for each label of a phase.

    It is the key of the segment that rolled the label.
    """
    run = _rerun(answer, position, phase)
    play(position.rules.rules, run.world, run.dice, run.dice)
    return {label: run.betas[number] for label, number in run.dice.segment_of.items()}


def _show_dice(answer: SeatAnswer, position: Position, phase: tables.Phase, labels: Sequence[str]) -> None:
    """Show each roll with its name and values, and how to repeat it."""
    rolls = {label: (n, sides, tuple(values)) for label, n, sides, values in loads(phase.rolls or "[]")}
    is_public = _is_open(answer) or position.rules.view(position.state, ONLOOKER) is not None
    betas = _betas(answer, position, phase) if is_public else {}
    lines: list[Json] = []
    for label in labels:
        n, sides, values = rolls[label]
        values_text = " ".join(map(str, values))
        sentence = msg("{roll}: {n}d{sides} = {values}", roll=in_words(label), n=n, sides=sides, values=values_text)
        lines.append([0, sentence.to_json()])
        if is_public:
            lines += _repeat_lines(betas[label], label, n, sides, values)
    answer.blocks.append({"title": msg("Its dice").to_json(), "lines": lines})
    if any(sides == 2 for _, sides, _ in map(rolls.__getitem__, labels)):
        _close_once(answer, _COIN)
    if is_public:
        explained = [_EXPLAINED, _BEACON if Terms.read(answer.game.terms).beacon != "none" else _NO_BEACON]
    else:
        explained = [msg("The key of these dice is not published while the game hides anything from anybody.")]
    _close_once(answer, *explained)


_COIN = msg("A coin is a die of two sides: 2 is heads, 1 is tails.")


def _close_once(answer: SeatAnswer, *sentences: Msg) -> None:
    """Add closing sentences to the answer, each at most once in a letter."""
    answer.closing += [sentence for sentence in sentences if sentence not in answer.closing]


def _repeat_lines(beta: bytes, label: str, n: int, sides: int, values: tuple[int, ...]) -> list[Json]:
    repeated = steps_by_hand(beta, label, n, sides)
    if repeated.values != values:
        raise InvalidResult(f"{label} was {values} and comes out as {repeated.values}")
    words = " ".join(word.text if word.face is not None else f"({word.text})" for word in repeated.words)
    lines = [line for command in repeated.commands for line in _short_lines(command)]
    return [*lines, [1, msg("bytes {words}", words=words).to_json()]]


def _short_lines(command: str) -> list[str]:
    """Return a shell command on lines that no mail program breaks."""
    text, _, key = command.rpartition(":")
    text = text.replace(" 'label ", " \\\n'label ", 1).replace(" | ", " | \\\n")
    return [*f"{text}:\\".split("\n"), f"{key[:_KEY_PART]}\\", key[_KEY_PART:]]


_KEY_PART = 64
"""Digits of the key on a line: half of them."""
_EXPLAINED = msg(
    "To throw a die again, run its lines: they print 32 bytes in hex. For each byte from the left, the "
    "remainder after division by the number of sides, plus one, is the value. Bytes in parentheses are "
    "skipped, so that all sides are equally likely."
)
_NO_BEACON = msg(
    "The key in these lines belongs to this phase alone and is published because the phase is over. This "
    "game waits for no public beacon, so whoever runs the server could have known the key before."
)
_BEACON = msg(
    "The key in these lines belongs to this phase alone and is published because the phase is over. It "
    "follows from the beacon's round that the dice waited for: before that round nobody could know it."
)


# DICE: every roll of a turn that a seat saw, under the happening that it was thrown for, and what hung on it.
#
# Of several turns together only what hung on their dice is told.


def show_dice(answer: SeatAnswer, command: CommandLine) -> None:
    """Show the rolls of a turn, phase by phase; by default of the last resolved turn."""
    resolved = queries.phases.resolved_phases(answer.session, answer.game.id)
    if answer.here is None or not resolved:
        answer.say("answer", msg("There is no history yet: nothing has happened."))
        return
    first, last = _turns(command, resolved)
    rows = [phase for phase in resolved if first <= phase.turn <= last]
    answer.say("answer")
    if first == last:
        _show_rolls(answer, answer.here, rows)
    if answer.here.rules.scored is not None:
        _show_luck(answer, answer.here, rows, first, last)
    if first == last:
        _close_once(answer, msg("WHY and an event's number explains its dice."))


def check_dice(answer: SeatAnswer, command: CommandLine) -> Mistake | None:
    """Refuse turns without a resolved phase, or several in a game without scores."""
    resolved = queries.phases.resolved_phases(answer.session, answer.game.id)
    if not command.rest or not resolved or answer.here is None:
        return None
    first, last = _turns(command, resolved)
    if not any(first <= phase.turn <= last for phase in resolved):
        reason = msg(
            "Nothing is over of those turns; the last that can be told is turn {turn}.", turn=resolved[-1].turn
        )
        return command.wrong(reason, f"{command.phrase} T{resolved[-1].turn}", word=command.said)
    if first < last and answer.here.rules.scored is None:
        reason = msg("This game does not say what its dice are worth: their rolls are told turn by turn.")
        return command.wrong(reason, f"{command.phrase} T{last}", word=command.said)
    return None


def _turns(command: CommandLine, resolved: Sequence[tables.Phase]) -> tuple[int, int]:
    turns = sorted(int(number) for number in re.findall(r"\d+", command.rest)) or [resolved[-1].turn]
    return turns[0], turns[-1]


def _show_rolls(answer: SeatAnswer, position: Position, rows: Sequence[tables.Phase]) -> None:
    """Show the rolls of a turn."""
    sides: set[int] = set()
    for phase in rows:
        title = msg("Dice of turn {turn}, {phase}", turn=phase.turn, phase=phase.name)
        lines = _roll_lines(answer, position, phase, sides)
        lines = lines or [(0, msg("No dice that you saw."))]
        answer.blocks.append(content.sentence_block(title, [*lines, *_grade(answer, phase)]))
    if 2 in sides:
        _close_once(answer, _COIN)


def _show_luck(answer: SeatAnswer, position: Position, rows: Sequence[tables.Phase], first: int, last: int) -> None:
    """Show the luck, which is computed later, and the facts it is computed from."""
    title = msg("What depended on the dice of turn {turn}", turn=first)
    if first < last:
        title = msg("What depended on the dice of turns {first} to {last}", first=first, last=last)
    answer.blocks.append(dice_luck.luck_block(title, rows, answer.seat.name))
    _close_once(answer, _LUCK_EXPLAINED, *([_FROM_WHAT_YOU_SAW] if answer.game.state != "over" else []))


_LUCK_EXPLAINED = msg(
    "Luck is by how many victory points, yours less the enemy's, a throw raised what was to be expected; "
    "losses count in fractions of a point. The deviation says how much hung on it. HELP dice tells more."
)
_FROM_WHAT_YOU_SAW = msg(
    "It is reckoned from what you saw and ordered, as if the others kept to the default of the rules."
)


def _roll_lines(answer: SeatAnswer, position: Position, phase: tables.Phase, sides: set[int]) -> list[tuple[int, Msg]]:
    """Return each event with dice that the seat saw, as its report numbers it.

    Adds the sides of the dice to `sides`.
    """
    rolls = {label: (n, sides, values) for label, n, sides, values in loads(phase.rolls or "[]")}
    past, number, lines = past_phase_of(answer, position, phase), 1, list[tuple[int, Msg]]()
    while (because := explanation_of_entry(answer, position, past, number)) is not None:
        if because.labels:
            lines += forecast.entries_to_lines([because.entry], details=False, first=number)
            lines += [(1, _roll_text(label, rolls)) for label in because.labels]
            sides.update(rolls[label][1] for label in because.labels)
        number += 1
    return lines


def _grade(answer: SeatAnswer, phase: tables.Phase) -> list[tuple[int, Msg]]:
    """Return the grade of a phase's dice."""
    grade = grades.grade(answer.session, answer.game, str(outbox.phase_of(phase))).claim
    return [(0, msg("Grade {grade}, as HELP dice has it.", grade=grade))]


def _roll_text(label: str, rolls: Mapping[str, tuple[int, int, list[int]]]) -> Msg:
    n, sides, values = rolls[label]
    values_text = " ".join(map(str, values))
    return msg("{roll}: {n}d{sides} = {values}", roll=in_words(label), n=n, sides=sides, values=values_text)


COMMANDS = (
    LetterCommand(
        CommandForm("dice", ("DICE", "DADOS"), TURNS_ARGUMENT, "DICE T1", "DADOS T1"),
        show_dice,
        check=check_dice,
        costly=True,
        help=(
            msg(
                "DICE, DICE T3: every roll that you saw in that turn, what hung on it. DICE T1-T5: how lucky you were."
            ),
        ),
        often=RateLimit(letter=3),
    ),
    LetterCommand(
        CommandForm("why", ("WHY", "PORQUE", "POR QUE"), _WHICH, "WHY #12 T3", "PORQUE #12 T3", numbered=_NUMBERED),
        explain,
        check=check_why,
        costly=True,
        help=(msg("WHY #12, WHY #12 T3: what was behind event 12 of your last report, or of the report on turn 3."),),
        often=RateLimit(letter=3),
    ),
)
