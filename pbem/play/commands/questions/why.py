"""WHY: what is behind one happening of a report, down to the bytes of its dice.

The order or standing order is told to whoever gave it, and to nobody else. The key of a phase's dice is told once the
phase is resolved, unless the game hides something: with it the dice of what is hidden could be worked out. Once the
game is over all of it is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pbem.audit.dice import by_hand
from pbem.engine.data.canon import Json, dumps, loads
from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.map import printed
from pbem.engine.orders import speech
from pbem.engine.run.labels import in_words
from pbem.engine.run.runners import play, trace
from pbem.engine.terms import ONLOOKER, Because, Orders
from pbem.letters import content, outbox
from pbem.letters.commands import TURNS, Form, Line
from pbem.letters.content import Mistake
from pbem.log import grades
from pbem.play import adjudication, history, phases, war_progress
from pbem.play.adjudication import Run, Unsound
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.command_records import Command, Often
from pbem.play.commands.questions import dice_luck, forecast
from pbem.play.positions import Position
from pbem.runtime.terms import Terms
from pbem.store import queries, tables

# Earlier happenings like one that is asked about: by the same rule and chart, as the seat that asks saw them.
#
# They are looked for as HISTORY looks: in what `Game.see` let through to the seat, and in nothing else.


MOST = 3
"""Earlier happenings that are told."""


def like(answer: SeatAnswer, here: Position, phase: tables.Phase, number: int, because: Because) -> list[Msg]:
    """The happenings before `number` of the phase that are like it, a line each, the nearest first, `MOST` at most."""
    found = []
    for line in _before(answer, here, phase, number, because):
        found.append(line)
        if len(found) == MOST:
            break
    return found


def _before(answer: SeatAnswer, here: Position, phase: tables.Phase, number: int, because: Because) -> Iterator[Msg]:
    if not because.entry.rule:
        return
    rules, seat = here.rules, answer.seat.name
    view = rules.view(here.state, seat)
    done = queries.phases.resolved(answer.session, answer.game.id)
    for one in reversed([row for row in done if row.number <= phase.number]):
        entries, seen = history.entries(answer, answer.game, one, seat)
        last = number - 1 if one.number == phase.number else len(entries)
        for place in range(last, 0, -1):
            if entries[place - 1].rule != because.entry.rule:
                continue
            other = rules.telling.why(view, seat, seen, place, Orders())
            if other is not None and alike(because, other):
                yield msg(
                    "Turn {turn}, {phase}, #{number}: {text}",
                    turn=one.turn,
                    phase=one.name,
                    number=place,
                    text=other.entry.text,
                )


def alike(one: Because, other: Because) -> bool:
    """Whether two happenings of one rule are of one kind: neither read another chart than the other did first."""
    charts = {_first(one), _first(other)} - {""}
    return len(charts) < 2


def _first(because: Because) -> str:
    """The heading of the first chart that was read, which is the same whatever was read in it; empty if none was."""
    return because.charts[0].partition("\n")[0] if because.charts else ""


_WHICH = re.compile(r"(?P<number>\d{1,3})(?: t ?(?P<turn>\d{1,4})(?:[. ] ?(?P<phase>[a-z][a-z0-9]*))?)?\??")
"""What follows WHY, without the mark before the number: the number, perhaps the turn, perhaps the phase."""
_POR_QUE = r"p(?:o\u0301?|\u00f3)r\s*q(?:u\u0301?|\u00fa)(?:e\u0301?|\u00e9)"
_NUMBERED = re.compile(rf"\b(why|{_POR_QUE})\s*#\s*(?=\d)", re.IGNORECASE)
"""The number of a happening is written as in the report, where the mark begins no comment."""


class Past(NamedTuple):
    """A resolved phase as a seat saw it: `seen` with the places its events have among all."""

    phase: tables.Phase
    happened: list[tuple[Event, object]]
    seen: list[tuple[Event, object]]
    places: list[int]
    orders: dict[str, Orders]
    text: str


def why(answer: SeatAnswer, command: Line) -> None:
    """Tell what is behind the happening."""
    here = answer.here
    phase = _phase(answer, command)
    if here is None or phase is None:
        answer.say("answer", msg("There is no history yet: nothing has happened."))
        return
    what = look(answer, here, phase)
    number = _wanted(command)["number"]
    because = because_of(answer, here, what, int(number))
    if because is None:
        raise LookupError(f"the report on {phase.name} has no happening {number}")
    answer.say("answer")
    title = msg("#{number} of turn {turn}, {phase}", number=int(number), turn=phase.turn, phase=phase.name)
    answer.blocks.append(content.sentences(title, forecast.as_lines([because.entry], first=int(number))))
    answer.blocks.append(
        content.sentences(msg("What it came from"), [(0, line) for line in _origin(answer, here, what, because)])
    )
    rules = [line for cited in because.rules for line in here.rules.rulebook.rule(cited, answer.seat.language)[:1]]
    if rules:
        answer.blocks.append(content.block(msg("Its rules; RULES and a number tells one in full"), rules))
    for text in because.charts:
        answer.blocks.append(
            content.block(msg("The chart, with what was read in brackets"), printed.lines_of(text), spare=True)
        )
    if earlier := like(answer, here, phase, int(number), because):
        title = msg("Earlier ones by the same rule, the nearest first")
        answer.blocks.append(content.sentences(title, [(0, line) for line in earlier]))
    if because.labels:
        _tell_dice(answer, here, phase, because.labels)


def why_wrong(answer: SeatAnswer, command: Line) -> Mistake | None:
    """A phase that is not over, or a number that its report does not have."""
    done = queries.phases.resolved(answer.session, answer.game.id)
    if answer.here is None or not done:
        return None
    phase, wanted = _phase(answer, command), _wanted(command)
    if phase is None:
        last = done[-1]
        told = msg(
            "Nothing is over of that; the last that can be told is turn {turn}, {phase}.",
            turn=last.turn,
            phase=last.name,
        )
        right = f"{command.phrase} #{wanted['number']} T{last.turn}.{last.name}"
        return command.wrong(told, right, word=command.said.partition(" ")[2])
    if because_of(answer, answer.here, look(answer, answer.here, phase), int(wanted["number"])) is not None:
        return None
    told = msg(
        "The report on turn {turn}, {phase} has no #{number}.",
        turn=phase.turn,
        phase=phase.name,
        number=wanted["number"],
    )
    return command.wrong(told, word=wanted["number"])


def _wanted(command: Line) -> dict[str, str]:
    found = _WHICH.fullmatch(command.rest)
    if found is None:
        raise ValueError(f"not what follows WHY: {command.rest!r}")
    return found.groupdict("")


def _phase(answer: SeatAnswer, command: Line) -> tables.Phase | None:
    """The phase that is meant: the last one resolved, of the turn and the name that were given."""
    wanted = _wanted(command)
    found = [
        phase
        for phase in queries.phases.resolved(answer.session, answer.game.id)
        if wanted["turn"] in ("", str(phase.turn)) and wanted["phase"] in ("", phase.name)
    ]
    return found[-1] if found else None


def look(answer: SeatAnswer, here: Position, phase: tables.Phase) -> Past:
    """A resolved phase as the seat saw it."""
    rules, seat = here.rules, answer.seat.name
    happened = history.events_with_states(answer, answer.game, phase)
    seen, places = [], []
    for place, (one, before) in enumerate(happened):
        shown = rules.see(one, seat, before)
        if shown is not None:
            seen.append((shown, rules.view(before, seat)))
            places.append(place)
    start = history.state_after(answer, answer.game, phase.number - 1)
    texts = {name: orders.whole for name, orders in adjudication.read_closed(phase.orders).items()}
    orders = {name: adjudication.parse_closed(rules, start, name, text) for name, text in texts.items()}
    return Past(phase, happened, seen, places, orders, texts.get(seat, ""))


def because_of(answer: SeatAnswer, here: Position, what: Past, number: int) -> Because | None:
    """What is behind a happening of the seat's report on a phase, by its number; None if it has none."""
    seat = answer.seat.name
    view = here.rules.view(here.state, seat)
    found: Because | None = here.rules.telling.why(view, seat, what.seen, number, what.orders.get(seat, Orders()))
    return found


def _origin(answer: SeatAnswer, here: Position, what: Past, because: Because) -> Sequence[Msg]:
    """The order behind it, and the standing orders, as far as they are the seat's own."""
    line, speak = _order(answer, here, what, because), here.rules.telling.spoken
    said = [msg("your standing order: {order}", order=speech.told(order, speak)) for order in because.standing]
    if line and line in (own.strip() for own in what.text.splitlines()):
        return [msg("your order: {order}", order=speech.told(line, speak)), *said]
    if line and _is_open(answer):
        return [msg("an order of another seat: {order}", order=speech.told(line, speak)), *said]
    if line:
        return [msg("an enemy order (secret until the game is over)"), *said]
    return said or [msg("no order: the rules bring it about")]


def _is_open(answer: SeatAnswer) -> bool:
    """Return whether everything was opened: the game is over, and no war goes on that keeps it sealed."""
    return answer.game.state == "over" and not war_progress.keeps_sealed(answer, answer.game)


def _order(answer: SeatAnswer, here: Position, what: Past, because: Because) -> str:
    """The line of the order that led to the first event of the happening, whoever gave it."""
    rules, run = here.rules, _run_again(answer, here, what.phase)
    traced = trace(rules.rules, run.world, run.dice, run.dice, rules.telling.order_line)
    if dumps([one.event.to_json() for one in traced]) != dumps([one.to_json() for one, _ in what.happened]):
        raise Unsound(f"phase {what.phase.name} of turn {what.phase.turn} comes out otherwise than it was told")
    return traced[what.places[because.events[0]]].origin


def _run_again(answer: SeatAnswer, here: Position, phase: tables.Phase) -> Run:
    start = history.state_after(answer, answer.game, phase.number - 1)
    before = here._replace(state=start, number=phase.number - 1)
    return adjudication.run_of(phases.input_of(answer, before, phase))


def _betas(answer: SeatAnswer, here: Position, phase: tables.Phase) -> dict[str, bytes]:
    """The key of each label of a phase: that of the segment which rolled it."""
    run = _run_again(answer, here, phase)
    play(here.rules.rules, run.world, run.dice, run.dice)
    return {label: run.betas[number] for label, number in run.dice.segment_of.items()}


def _tell_dice(answer: SeatAnswer, here: Position, phase: tables.Phase, labels: Sequence[str]) -> None:
    """Each roll with its name and values, and how to throw it again."""
    rolls = {label: (n, sides, tuple(values)) for label, n, sides, values in loads(phase.rolls or "[]")}
    open_ = _is_open(answer) or here.rules.view(here.state, ONLOOKER) is not None
    betas = _betas(answer, here, phase) if open_ else {}
    lines: list[Json] = []
    for label in labels:
        n, sides, values = rolls[label]
        shown = " ".join(map(str, values))
        told = msg("{roll}: {n}d{sides} = {values}", roll=in_words(label), n=n, sides=sides, values=shown)
        lines.append([0, told.to_json()])
        if open_:
            lines += _again(betas[label], label, n, sides, values)
    answer.blocks.append({"title": msg("Its dice").to_json(), "lines": lines})
    if any(sides == 2 for _, sides, _ in map(rolls.__getitem__, labels)):
        answer.closing.append(msg("A coin is a die of two sides: 2 is heads, 1 is tails."))
    if open_:
        answer.closing += [_EXPLAINED, _BEACON if Terms.read(answer.game.terms).beacon != "none" else _NO_BEACON]
    else:
        answer.closing.append(msg("The key of these dice is not told while the game hides anything from anybody."))


def _again(beta: bytes, label: str, n: int, sides: int, values: tuple[int, ...]) -> list[Json]:
    thrown = by_hand(beta, label, n, sides)
    if thrown.values != values:
        raise Unsound(f"{label} was {values} and comes out as {thrown.values}")
    words = " ".join(word.text if word.face is not None else f"({word.text})" for word in thrown.words)
    return [*thrown.commands, [1, msg("bytes {words}", words=words).to_json()]]


_EXPLAINED = msg(
    "To throw a die again, run its line: it prints 32 bytes in hex. Each byte from the left, divided by the number "
    "of sides, leaves the value less one; bytes in parentheses are passed over, so that all sides are alike."
)
_NO_BEACON = msg(
    "The key in these lines is that of this one phase, and it is told because the phase is over. Without a "
    "beacon, as here, whoever runs the server could have known it before."
)
_BEACON = msg(
    "The key in these lines is that of this one phase, and it is told because the phase is over. It follows from the "
    "round of the beacon that its dice waited for: before that was out nobody could know it."
)


# DICE: every roll of a turn that a seat saw, under the happening that it was thrown for, and what hung on it.
#
# Of several turns together only what hung on their dice is told.


def dice(answer: SeatAnswer, command: Line) -> None:
    """Tell the rolls of a turn, phase by phase; without one those of the last in which something is over."""
    done = queries.phases.resolved(answer.session, answer.game.id)
    if answer.here is None or not done:
        answer.say("answer", msg("There is no history yet: nothing has happened."))
        return
    first, last = _turns(command, done)
    rows = [phase for phase in done if first <= phase.turn <= last]
    answer.say("answer")
    if first == last:
        _tell(answer, answer.here, rows)
    if answer.here.rules.scored is not None:
        _tell_luck(answer, answer.here, rows, first, last)
    if first == last:
        answer.closing.append(msg("WHY and the number of a happening takes its dice apart."))


def dice_wrong(answer: SeatAnswer, command: Line) -> Mistake | None:
    """Turns of which nothing is over yet; several, in a game whose dice cannot be weighed."""
    done = queries.phases.resolved(answer.session, answer.game.id)
    if not command.rest or not done or answer.here is None:
        return None
    first, last = _turns(command, done)
    if not any(first <= phase.turn <= last for phase in done):
        told = msg("Nothing is over of those turns; the last that can be told is turn {turn}.", turn=done[-1].turn)
        return command.wrong(told, f"{command.phrase} T{done[-1].turn}", word=command.said)
    if first < last and answer.here.rules.scored is None:
        told = msg("This game does not say what its dice are worth: their rolls are told turn by turn.")
        return command.wrong(told, f"{command.phrase} T{last}", word=command.said)
    return None


def _turns(command: Line, done: Sequence[tables.Phase]) -> tuple[int, int]:
    turns = sorted(int(number) for number in re.findall(r"\d+", command.rest)) or [done[-1].turn]
    return turns[0], turns[-1]


def _tell(answer: SeatAnswer, here: Position, rows: Sequence[tables.Phase]) -> None:
    """The rolls of a turn."""
    sides: set[int] = set()
    for phase in rows:
        title = msg("Dice of turn {turn}, {phase}", turn=phase.turn, phase=phase.name)
        lines = _happenings(answer, here, phase, sides)
        lines = lines or [(0, msg("No dice that you saw."))]
        answer.blocks.append(content.sentences(title, [*lines, *_grade(answer, phase)]))
    if 2 in sides:
        answer.closing.append(msg("A coin is a die of two sides: 2 is heads, 1 is tails."))


def _tell_luck(answer: SeatAnswer, here: Position, rows: Sequence[tables.Phase], first: int, last: int) -> None:
    """What hung on the dice, which is reckoned later, and what it is reckoned from."""
    title = msg("What hung on the dice of turn {turn}", turn=first)
    if first < last:
        title = msg("What hung on the dice of turns {first} to {last}", first=first, last=last)
    answer.blocks.append(dice_luck.promise(title, rows, answer.seat.name))
    answer.closing.append(_LUCK_EXPLAINED)
    if answer.game.state != "over":
        answer.closing.append(_FROM_WHAT_YOU_SAW)


_LUCK_EXPLAINED = msg(
    "Luck is what a throw brought less what it was to bring on the average, in victory points, yours less the enemy's; "
    "losses count in fractions of a point. The deviation says how much hung on it. HELP dice tells more."
)
_FROM_WHAT_YOU_SAW = msg(
    "It is reckoned from what you saw and ordered, as if the others kept to the default of the rules."
)


def _happenings(answer: SeatAnswer, here: Position, phase: tables.Phase, sides: set[int]) -> list[tuple[int, Msg]]:
    """Each happening that the seat saw dice of, as its report numbers it, and the dice; what `sides` they had."""
    rolls = {label: (n, sides, values) for label, n, sides, values in loads(phase.rolls or "[]")}
    what, number, lines = look(answer, here, phase), 1, list[tuple[int, Msg]]()
    while (because := because_of(answer, here, what, number)) is not None:
        if because.labels:
            lines += forecast.as_lines([because.entry], details=False, first=number)
            lines += [(1, _roll(label, rolls)) for label in because.labels]
            sides.update(rolls[label][1] for label in because.labels)
        number += 1
    return lines


def _grade(answer: SeatAnswer, phase: tables.Phase) -> list[tuple[int, Msg]]:
    """How well it is proven that nobody chose or foresaw the dice of a phase."""
    grade = grades.grade(answer.session, answer.game, str(outbox.phase_of(phase))).claim
    return [(0, msg("Grade {grade}, as HELP dice has it.", grade=grade))]


def _roll(label: str, rolls: Mapping[str, tuple[int, int, list[int]]]) -> Msg:
    n, sides, values = rolls[label]
    shown = " ".join(map(str, values))
    return msg("{roll}: {n}d{sides} = {values}", roll=in_words(label), n=n, sides=sides, values=shown)


COMMANDS = (
    Command(
        Form("dice", ("DICE", "DADOS"), TURNS, "DICE T1", "DADOS T1"),
        dice,
        check=dice_wrong,
        costly=True,
        help=(
            msg(
                "DICE, DICE T3: every roll that you saw in that turn, what hung on it. DICE T1-T5: how lucky you were."
            ),
        ),
        often=Often(letter=3),
    ),
    Command(
        Form("why", ("WHY", "PORQUE", "POR QUE"), _WHICH, "WHY #12 T3", "PORQUE #12 T3", numbered=_NUMBERED),
        why,
        check=why_wrong,
        costly=True,
        help=(msg("WHY #12, WHY #12 T3: what was behind happening 12 of your last report, or of that on turn 3."),),
        often=Often(letter=3),
    ),
)
