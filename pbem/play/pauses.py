"""Pause a phase for answers: its questions, letters about them, and answers.

The owner of a question gets the events so far, as far as he may see them, and all questions that can be asked at
once. The others are notified once per phase that it waits, without owner, subject or time. Only the mailed events
and the answers of a paused run are stored.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlmodel import Session

from pbem.engine.data.canon import Json, dumps, loads
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.report import Entry, Line, Report
from pbem.engine.game import view_events
from pbem.engine.run.odds import StepBudget
from pbem.engine.run.questions import AskedQuestion, Asks, Value, sign_of
from pbem.lazy import Logger
from pbem.letters import content, outbox
from pbem.log import closing_times
from pbem.play import deadlines, phase_states, positions
from pbem.play.adjudication import ClosedOrders, PausedPhase, closed_orders_from_json
from pbem.play.positions import Position
from pbem.runtime.terms import INTERRUPT_REACTIONS, QUESTIONS_TOGETHER, Terms
from pbem.runtime.transaction import Transaction
from pbem.store import hot_statements, queries, tables

log = Logger(__name__)


class StoredQuestion(NamedTuple):
    """A question as put to a seat: row, text, options, default, units nearby.

    `stakes` has the value of each answer; if it is empty, `reason` says why. `clashes` are as in `AskedQuestion`.
    """

    row: tables.Question
    text: Msg
    options: tuple[tuple[Value, Msg], ...]
    silence: Value
    scene: tuple[Line, ...] = ()
    stakes: tuple[Msg | None, ...] = ()
    reason: Msg | None = None
    clashes: tuple[tuple[Value, Value], ...] = ()

    @property
    def answer(self) -> Value | None:
        """Return the answer received; None before one comes."""
        return None if self.row.answer is None else tuple(loads(self.row.answer))

    @property
    def chosen_sign(self) -> str:
        """Return the sign of the option chosen, such as B; empty before an answer comes."""
        return next((sign_of(place) for place, (value, _) in enumerate(self.options) if value == self.answer), "")

    @property
    def option_signs(self) -> str:
        """Return the signs of the options offered: ABC."""
        return "".join(sign_of(place) for place in range(len(self.options)))


def asks_by_letter(tx: Transaction, game: tables.Game, phase: tables.Phase) -> Asks:
    """Return which seats may be asked in the phase.

    A seat that has had its limit of letters with questions in the turn is not asked, nor a seat whose player is
    away while a bot may write for him.
    """
    used, terms = queries.phases.question_letters_by_seat(tx.session, game.id, phase.turn), Terms.read(game.terms)
    seats = queries.games.seats(tx.session, game.id)
    mute = frozenset(seat.name for seat in seats if used.get(seat.id or 0, 0) >= terms.asks)
    mute |= seats_with_stand_in(tx, game)
    always = frozenset(seat.name for seat in seats) if terms.reactions == INTERRUPT_REACTIONS else frozenset()
    return Asks(always, mute, terms.questions == QUESTIONS_TOGETHER)


def seats_with_stand_in(tx: Transaction, game: tables.Game) -> frozenset[str]:
    """Return the seats whose players are away now, in a game with a bot for that."""
    names = [seat.name for seat in queries.games.seats(tx.session, game.id)]
    return frozenset(deadlines.seats_played_by_stand_in(tx.session, game, names, tx.now))


def waiting_sentence(session: Session, phase: tables.Phase) -> Msg:
    """Return the public sentence on a phase that is closed and not resolved."""
    return (
        content.WAITS_FOR_ANSWERS if queries.phases.open_pause(session, phase) is not None else content.WAITS_FOR_BEACON
    )


def questions_of_pause(
    session: Session, segment: tables.Segment, seat: tables.Seat | None = None
) -> list[StoredQuestion]:
    """Return the questions of a pause, those to one seat or all, in order."""
    return [_read(row) for row in queries.phases.questions_to(session, segment, seat)]


def pause_phase(
    tx: Transaction, position: Position, phase: tables.Phase, waiting: PausedPhase, notes: Mapping[str, Sequence[Msg]]
) -> None:
    """Store the questions, write to all seats, and plan the end of the pause."""
    events_text = dumps([event.to_json() for event in waiting.events])
    columns = {
        "number": len(waiting.slates),
        "slate": waiting.slates[-1].decode("utf-8"),
        "events": events_text,
        "opened": tx.now,
        "deadline": tx.now + timedelta(hours=max(question.hours for question in waiting.asked)),
    }
    segment = phase_states.ask(tx.session, phase, columns)
    for seat in queries.games.seats(tx.session, position.game.id):
        own_questions = [question for question in waiting.asked if question.window.seat == seat.name]
        seat_notes = notes.get(seat.name, ())
        if own_questions:
            _ask(tx, position, seat, _Pause(segment, phase, waiting), own_questions)
            _write_to_owner(tx, position, segment, _Reader(phase, seat, seat_notes), waiting)
        elif not _was_written_to(tx.session, phase, seat):
            _write_to_other(tx, position, _Reader(phase, seat, seat_notes))
    await_answers(tx, position.game, segment)


def await_answers(tx: Transaction, game: tables.Game, segment: tables.Segment, why: str = "extend") -> datetime:
    """Plan the end of a pause anew and return it.

    It is after the undo window once all is answered, else at its deadline. `why` is the cause of that
    deadline in the log.
    """
    end = segment.deadline
    if end is None:
        raise ValueError(f"segment {segment.number} asks nothing")
    deadlines.cancel_scheduled_jobs(tx.session, game)
    early_end = tx.now + timedelta(minutes=game.undo_minutes)
    is_complete = all(question.row.answer is not None for question in questions_of_pause(tx.session, segment))
    is_early = is_complete and early_end < end
    if Terms.read(game.terms).beacon != "none":
        # The round of the dice that follow from the answers is fixed before they come.
        phase = tx.session.get_one(tables.Phase, segment.phase_id)
        closing_times.note(tx, game, phase, early_end if is_early else end, "all-in" if is_early else why)
    cause = deadlines.ALL_IN if is_early else deadlines.DEADLINE
    hot_statements.schedule_job(tx.session, game.id, "answers", cause, early_end if is_early else end)
    return early_end if is_early else end


class AnswerPostponement(NamedTuple):
    """A new deadline for answers, its cause, and the sentences to the seats asked."""

    until: datetime
    cause: str
    opening: outbox.Opening


def postpone_answers(tx: Transaction, game: tables.Game, segment: tables.Segment, later: AnswerPostponement) -> None:
    """Give the seats asked more time or less; nobody else is notified."""
    phase = tx.session.get_one(tables.Phase, segment.phase_id)
    segment.deadline = later.until
    tx.session.add(segment)
    hot_statements.insert_numbered(
        tx.session, tables.Delay, phase_id=phase.id, seat_id=None, cause=later.cause, seconds=0, at=tx.now
    )
    await_answers(tx, game, segment, later.cause)
    for seat in queries.games.seats(tx.session, game.id):
        if questions_of_pause(tx.session, segment, seat):
            head = outbox.head_of(tx.server, game, seat, phase)
            letter = content.Letter("announcement", head, opening=later.opening(seat.zone)).to_json()
            outbox.write_to_seat(tx, letter, seat, game, cause=f"more time {segment.id} {tx.now.isoformat()}")


def store_last_segment(tx: Transaction, phase: tables.Phase, slates: Sequence[bytes]) -> None:
    """Store the last segment of a resolved phase, if it was ever paused."""
    if len(slates) > 1:
        columns = {"number": len(slates), "slate": slates[-1].decode("utf-8"), "opened": tx.now}
        phase_states.end_segment(tx.session, phase, columns)


def question_block(put: StoredQuestion, *, answers: bool = False) -> Json:
    """Return a question as a block, with its default or its answer marked.

    Each answer also has a button on the letter's page.
    """
    lines: list[tuple[int, Msg]] = []
    for place, (value, text) in enumerate(put.options):
        letter = sign_of(place)
        if answers and value == put.answer:
            lines.append((0, msg("{letter}  {text} <- your answer", letter=letter, text=text)))
        elif value == put.silence and not (answers and put.answer is not None):
            lines.append((0, msg("{letter}  {text} <- if you say nothing", letter=letter, text=text)))
        else:
            lines.append((0, msg("{letter}  {text}", letter=letter, text=text)))
        if not answers and put.stakes and (stake := put.stakes[place]) is not None:
            lines.append((1, stake))
    if not answers:
        lines += [(0, line) for line in _without_figures(put)]
    block = content.sentence_block(msg("{number}. {text}", number=put.row.number, text=put.text), lines)
    return content.with_buttons(
        block,
        [
            (msg("{letter}  {text}", letter=f"{put.row.number}{letter}", text=text), f"{put.row.number}{letter}")
            for letter, (_, text) in zip(put.option_signs, put.options, strict=True)
        ],
    )


def _without_figures(put: StoredQuestion) -> Iterator[Msg]:
    """Yield which answers have no figures, and why."""
    if all(stake is None for stake in put.stakes):
        if put.reason is not None:
            yield msg("No figures: {why}", why=put.reason)
        return
    letters = tuple(letter for letter, stake in zip(put.option_signs, put.stakes, strict=True) if stake is None)
    if letters:
        yield msg("No figures for {answers}: {why}", answers=letters, why=_TOO_MUCH)


def _read(row: tables.Question) -> StoredQuestion:
    value = loads(row.text)
    options = tuple((tuple(words), Msg.from_json(text)) for words, text in value["options"])
    scene = tuple((depth, Msg.from_json(line)) for depth, line in value.get("scene", ()))
    stakes = tuple(None if stake is None else Msg.from_json(stake) for stake in value.get("stakes", ()))
    reason = Msg.from_json(value["reason"]) if "reason" in value else None
    clashes = tuple((tuple(given), tuple(other)) for given, other in value.get("clashes", ()))
    text, silence = Msg.from_json(value["text"]), tuple(value["silence"])
    return StoredQuestion(row, text, options, silence, scene, stakes, reason, clashes)


class _Pause(NamedTuple):
    """A pause of a phase: its segment, and the waiting run."""

    segment: tables.Segment
    phase: tables.Phase
    found: PausedPhase


_TOO_MUCH = msg("too many possibilities to weigh in one letter")
_OTHERS_FIRST = msg("the other side is asked first")
_NO_ODDS = msg("this game reckons no odds")
_NOT_WEIGHED = msg("such a question is not weighed")
_LATER = msg("other dice come before it")

STEPS = 12_000
"""Step budget for all odds in a letter of questions: about what an answer to orders has (`odds.PER_LETTER`), so that
a phase does not stop long for them."""


def _answer_values(
    tx: Transaction, position: Position, seat: tables.Seat, pause: _Pause, own_questions: Sequence[AskedQuestion]
) -> dict[str, tuple[Msg | None, ...]]:
    """Return each answer's value in the seat's view, for weighed windows."""
    waiting, forecast = pause.found, position.rules.forecast
    first_window = waiting.asked[0].window
    if forecast is None or first_window.seat != seat.name:
        # The other side answers first, and its answer is unknown.
        return {}
    view = position.rules.view(waiting.world.state, seat.name)
    closed = closed_orders_from_json(pause.phase.orders).get(seat.name, ClosedOrders())
    try:
        rules = [position.rules.parse(text, view, seat.name).orders.standing for text in closed.standing]
        standing = tuple(rule for rule_list in rules for rule in rule_list)
        values = forecast.answer_stakes(
            waiting.world._replace(state=view), own_questions, standing, StepBudget(STEPS, tx.server.caches.weighed)
        )
    except Exception:
        # An error in the odds must not lose the question.
        log.exception("what answers are worth cannot be reckoned", game=position.game.id, seat=seat.name)
        return {}
    return {asked.window.id: row for asked, row in zip(own_questions, values, strict=False)}


def _ask(
    tx: Transaction, position: Position, seat: tables.Seat, pause: _Pause, own_questions: Sequence[AskedQuestion]
) -> None:
    """Store the questions of a seat.

    Numbers continue over the phase, so that a late answer matches no other question.
    """
    session, segment, phase = tx.session, pause.segment, pause.phase
    first = queries.phases.count_questions(session, phase, seat) + 1
    stakes = _answer_values(tx, position, seat, pause, own_questions)
    reason = _LATER if stakes else _NOT_WEIGHED
    is_first = pause.found.asked[0].window.seat == seat.name
    if position.rules.forecast is None:
        reason = _NO_ODDS
    elif not is_first:
        reason = _OTHERS_FIRST
    for number, asked in enumerate(own_questions, first):
        text = {
            "text": asked.question.text.to_json(),
            "options": [[list(option.value), option.text.to_json()] for option in asked.question.options],
            "silence": list(asked.silence.value),
            "scene": [[depth, line.to_json()] for depth, line in asked.question.scene],
            "reason": (_TOO_MUCH if asked.window.id in stakes else reason).to_json(),
            "clashes": [[list(given), list(value)] for given, value in asked.clashes if is_first],
            "stakes": [None if stake is None else stake.to_json() for stake in stakes.get(asked.window.id, ())],
        }
        session.add(
            tables.Question(
                segment_id=segment.id or 0,
                seat_id=seat.id or 0,
                number=number,
                window=asked.window.id,
                text=dumps(text),
            )
        )
    session.flush()


class _Reader(NamedTuple):
    """The reader of a letter about a pause: phase, seat, and further notes."""

    phase: tables.Phase
    seat: tables.Seat
    notes: Sequence[Msg]


def _write_to_owner(
    tx: Transaction, position: Position, segment: tables.Segment, reader: _Reader, waiting: PausedPhase
) -> None:
    """Write to the owner of questions: the questions, and the events seen so far."""
    phase, seat, notes = reader
    rules, questions = position.rules, questions_of_pause(tx.session, segment, seat)
    seen_events = view_events(rules, seat.name, waiting.events_and_states)
    view = rules.view(waiting.states[-1], seat.name)
    report: Report = rules.telling.report(view, seat.name, seen_events)
    # The score is reported when the phase is over: here it would be incomplete.
    report = report._replace(head=())
    segment_before = queries.phases.previous_pause(tx.session, segment, seat)
    if segment_before is not None:
        told_before = view_events(rules, seat.name, waiting.events_and_states[: len(loads(segment_before.events))])
        report = _without_known_entries(report, rules.telling.happenings(told_before))
    limit = content.moment_in_words(segment.deadline or tx.now, seat.zone)
    opening = (
        msg("The phase has stopped before its next die and waits for your answer. Send it by {when}.", when=limit),
        how_to_answer(questions),
        *notes,
    )
    has_stakes = rules.forecast is not None and any(stake is not None for put in questions for stake in put.stakes)
    closing = [rules.forecast.answers_note] if rules.forecast is not None and has_stakes else []
    closing += [msg("Until then you may answer again: for each question your last letter counts.")]
    if len(questions) > 1:
        closing.append(
            msg("The marked answers apply if you answer none; one answer may change the choices of another.")
        )
    head = outbox.head_of(tx.server, position.game, seat, phase)
    shown_places: set[Msg] = set()
    blocks = [block for put in questions for block in (*_scene(put, shown_places), question_block(put))]
    # Units elsewhere do not affect the answer; MAP and STATUS show them. Without blocks only the events tell marches.
    report = report._replace(blocks=(), entries=tuple(entry.told_here() for entry in report.entries))
    letter = content.Letter(
        "question",
        head,
        opening=opening,
        wanted=2,
        report=report,
        blocks=blocks,
        closing=closing,
        picture=positions.scene_for_letter(tx, position, seat, view, seen_events),
    )
    outbox.write_to_seat(tx, letter.to_json(), seat, position.game, cause=f"segment {segment.number}")


def is_asked(session: Session, phase: tables.Phase | None, seat: tables.Seat) -> bool:
    """Return whether a waiting phase has questions to a seat."""
    segment = None if phase is None else queries.phases.open_pause(session, phase)
    return segment is not None and bool(questions_of_pause(session, segment, seat))


def how_to_answer(questions: Sequence[StoredQuestion]) -> Msg:
    """Return the sentence with a line that answers some questions."""
    example = " ".join(f"{put.row.number}{put.option_signs[0]}" for put in questions)
    return msg("Answer with one line, the number of each question and the letter of your answer: {line}", line=example)


def _without_known_entries(report: Report, entries_before: Sequence[Entry]) -> Report:
    """Return a report without entries already in the letter of questions before it."""
    pairs = zip(report.entries, entries_before, strict=False)
    equal_count = next(
        (index for index, (entry, entry_before) in enumerate(pairs) if entry != entry_before),
        min(len(entries_before), len(report.entries)),
    )
    return report._replace(entries=report.entries[equal_count:], first=equal_count + 1)


def _scene(put: StoredQuestion, shown: set[Msg]) -> list[Json]:
    """Return the units near a question, except for places in `shown`.

    `shown` has the places of earlier questions, and grows.
    """
    lines: list[Line] = []
    is_new = False
    for depth, line in put.scene:
        if depth == 0:
            is_new = line not in shown
            shown.add(line)
        if is_new:
            lines.append((depth, line))
    return [content.sentence_block(msg("Where it happens"), lines)] if lines else []


def _was_written_to(session: Session, phase: tables.Phase, seat: tables.Seat) -> bool:
    """Return whether the seat was notified of the pause, or asked in this phase."""
    since = phase.closed or phase.opened
    if queries.outbox.has_letter_of_kinds(session, seat, ("waiting", "question"), since):
        return True
    return any(row.kind == "waiting" and row.at >= since for row in queries.outbox.collected_news(session, seat))


def _write_to_other(tx: Transaction, position: Position, reader: _Reader) -> None:
    phase, seat, notes = reader
    opening = (
        content.WAITS_FOR_ANSWERS,
        msg("You need do nothing: it goes on when the answer is in or its time is up, and then you get the report."),
        *notes,
    )
    head = outbox.head_of(tx.server, position.game, seat, phase)
    letter = content.Letter("waiting", head, opening=opening).to_json()
    outbox.send_news(tx, letter, seat, position.game, cause=f"phase {phase.number}")
