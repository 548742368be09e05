"""A phase that waits for answers: whom it asks, what the letters say, and what came of it.

The owner of a question gets what happened so far, as far as he may see it, and all questions that can be asked at
once. The others hear once a phase that it waits, and nothing of whom, what or until when. Nothing of the run that was
paused is kept but what was mailed and what was answered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlmodel import Session

from pbem.engine.data.canon import Json, dumps, loads
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.report import Entry, Line, Report
from pbem.engine.run.odds import Purse
from pbem.engine.run.questions import Asked, Asks, Value, letter_of
from pbem.lazy import Logger
from pbem.letters import content, outbox
from pbem.log import closing_times
from pbem.play import deadlines, history, phase_states, positions
from pbem.play.adjudication import ClosedOrders, Waiting, read_closed
from pbem.play.positions import Position
from pbem.runtime.terms import INTERRUPT, TOGETHER, Terms
from pbem.runtime.transaction import Transaction
from pbem.store import hot_statements, queries, tables

log = Logger(__name__)


class Put(NamedTuple):
    """A question as it was put to a seat: row, words, options with theirs, what holds in silence, who stands there.

    `stakes` is what each answer is worth; without any, `reason` says why.
    """

    row: tables.Question
    text: Msg
    options: tuple[tuple[Value, Msg], ...]
    silence: Value
    scene: tuple[Line, ...] = ()
    stakes: tuple[Msg | None, ...] = ()
    reason: Msg | None = None

    @property
    def answer(self) -> Value | None:
        """The answer that came, None as long as none did."""
        return None if self.row.answer is None else tuple(loads(self.row.answer))

    @property
    def letters(self) -> str:
        """The letters of the answers offered: ABC."""
        return "".join(letter_of(place) for place in range(len(self.options)))


def asks_of(work: Transaction, game: tables.Game, phase: tables.Phase) -> Asks:
    """Who may be asked in the phase: a seat that was sent all its letters of questions of the turn is not.

    Nor is one whose player is away where a bot may write for him: nobody waits for that.
    """
    used, terms = queries.phases.letters_by_seat(work.session, game.id, phase.turn), Terms.read(game.terms)
    seats = queries.games.seats(work.session, game.id)
    mute = frozenset(seat.name for seat in seats if used.get(seat.id or 0, 0) >= terms.asks)
    mute |= not_waited_for(work, game)
    always = frozenset(seat.name for seat in seats) if terms.reactions == INTERRUPT else frozenset()
    return Asks(always, mute, terms.questions == TOGETHER)


def not_waited_for(work: Transaction, game: tables.Game) -> frozenset[str]:
    """The seats whose players are away now, in a game that has agreed on a bot for that."""
    names = [seat.name for seat in queries.games.seats(work.session, game.id)]
    return frozenset(deadlines.stood_in(work.session, game, names, work.now))


def waiting_for(session: Session, phase: tables.Phase) -> Msg:
    """What everybody may know of a phase that is closed and not resolved."""
    return content.WAITS if queries.phases.asking(session, phase) is not None else content.SHUT


def put_to(session: Session, segment: tables.Segment, seat: tables.Seat | None = None) -> list[Put]:
    """The questions of a pause, those to one seat or all, in order."""
    return [_read(row) for row in queries.phases.questions_to(session, segment, seat)]


def pause(
    work: Transaction, here: Position, phase: tables.Phase, found: Waiting, notes: Mapping[str, Sequence[Msg]]
) -> None:
    """Store what is asked, write to all seats, and plan when silence sets in."""
    told = dumps([happened.to_json() for happened in found.events])
    columns = {
        "number": len(found.slates),
        "slate": found.slates[-1].decode("utf-8"),
        "events": told,
        "opened": work.now,
        "deadline": work.now + timedelta(hours=max(asked.hours for asked in found.asked)),
    }
    segment = phase_states.ask(work.session, phase, columns)
    for seat in queries.games.seats(work.session, here.game.id):
        mine = [asked for asked in found.asked if asked.window.seat == seat.name]
        said = notes.get(seat.name, ())
        if mine:
            _ask(work, here, seat, _Pause(segment, phase, found), mine)
            _write_to_owner(work, here, segment, _Reader(phase, seat, said), found)
        elif not _wrote(work.session, phase, seat):
            _write_to_other(work, here, _Reader(phase, seat, said))
    await_answers(work, here.game, segment)


def await_answers(work: Transaction, game: tables.Game, segment: tables.Segment, why: str = "extend") -> datetime:
    """Plan the end of a pause anew and return it: once all is answered after the undo window, else at its deadline.

    `why` is what made the deadline what it is, where that is said in the log.
    """
    end = segment.deadline
    if end is None:
        raise ValueError(f"segment {segment.number} asks nothing")
    deadlines.forget(work.session, game)
    at = work.now + timedelta(minutes=game.undo_minutes)
    whole = all(put.row.answer is not None for put in put_to(work.session, segment))
    early = whole and at < end
    if Terms.read(game.terms).beacon != "none":
        # The round of the dice that follow from the answers is fixed before they come.
        phase = work.session.get_one(tables.Phase, segment.phase_id)
        closing_times.note(work, game, phase, at if early else end, "all-in" if early else why)
    cause = deadlines.ALL_IN if early else deadlines.DEADLINE
    hot_statements.plan(work.session, game.id, "answers", cause, at if early else end)
    return at if early else end


def finish(work: Transaction, phase: tables.Phase, slates: Sequence[bytes]) -> None:
    """The phase is resolved: its last segment is noted, if it was ever paused."""
    if len(slates) > 1:
        columns = {"number": len(slates), "slate": slates[-1].decode("utf-8"), "opened": work.now}
        phase_states.end_segment(work.session, phase, columns)


def question_block(put: Put, *, answers: bool = False) -> Json:
    """A question as a block of a letter, with what holds in silence marked, or with `answers` what was answered.

    Each answer is a button of its page besides.
    """
    lines: list[tuple[int, Msg]] = []
    for place, (value, text) in enumerate(put.options):
        letter = letter_of(place)
        if answers and value == put.answer:
            lines.append((0, msg("{letter}  {text} <- your answer", letter=letter, text=text)))
        elif value == put.silence and not (answers and put.answer is not None):
            lines.append((0, msg("{letter}  {text} <- if you say nothing", letter=letter, text=text)))
        else:
            lines.append((0, msg("{letter}  {text}", letter=letter, text=text)))
        if answers:
            continue
        if any(stake is not None for stake in put.stakes):
            lines.append((1, put.stakes[place] or _TOO_MUCH))
    if put.reason is not None and not answers and all(stake is None for stake in put.stakes):
        lines.append((0, msg("No figures: {why}", why=put.reason)))
    block = content.sentences(msg("{number}. {text}", number=put.row.number, text=put.text), lines)
    return content.with_buttons(
        block,
        [
            (msg("{letter}  {text}", letter=f"{put.row.number}{letter}", text=text), f"{put.row.number}{letter}")
            for letter, (_, text) in zip(put.letters, put.options, strict=True)
        ],
    )


def _read(row: tables.Question) -> Put:
    value = loads(row.text)
    options = tuple((tuple(words), Msg.from_json(text)) for words, text in value["options"])
    scene = tuple((depth, Msg.from_json(line)) for depth, line in value.get("scene", ()))
    stakes = tuple(None if told is None else Msg.from_json(told) for told in value.get("stakes", ()))
    reason = Msg.from_json(value["reason"]) if "reason" in value else None
    return Put(row, Msg.from_json(value["text"]), options, tuple(value["silence"]), scene, stakes, reason)


class _Pause(NamedTuple):
    """A pause of a phase: its segment, and what it found."""

    segment: tables.Segment
    phase: tables.Phase
    found: Waiting


_TOO_MUCH = msg("too many possibilities to weigh in one letter")
_OTHERS_FIRST = msg("the other side is asked first")
_NO_ODDS = msg("this game reckons no odds")
_NOT_WEIGHED = msg("such a question is not weighed")
_LATER = msg("other dice come before it")

STEPS = 12_000
"""Steps of the rules for all that is weighed in a letter of questions."""


def _stakes(
    work: Transaction, here: Position, seat: tables.Seat, pause: _Pause, mine: Sequence[Asked]
) -> dict[str, tuple[Msg | None, ...]]:
    """What each answer is worth by what the seat sees, for the questions that are weighed, by their windows."""
    found, forecast = pause.found, here.rules.forecast
    first = found.asked[0].window
    if forecast is None or first.seat != seat.name:
        # What the other side answers first nobody can tell this one.
        return {}
    view = here.rules.view(found.world.state, seat.name)
    closed = read_closed(pause.phase.orders).get(seat.name, ClosedOrders())
    try:
        rules = [here.rules.parse(text, view, seat.name).orders.standing for text in closed.standing]
        standing = tuple(rule for some in rules for rule in some)
        told = forecast.answer_stakes(
            found.world._replace(state=view), mine, standing, Purse(STEPS, work.server.caches.weighed)
        )
    except Exception:
        # Whatever is wrong with the odds, the question that they stand by must not be lost.
        log.exception("what answers are worth cannot be reckoned", game=here.game.id, seat=seat.name)
        return {}
    return {one.window.id: row for one, row in zip(mine, told, strict=False)}


def _ask(work: Transaction, here: Position, seat: tables.Seat, pause: _Pause, mine: Sequence[Asked]) -> None:
    """Store the questions of a seat; numbers go on over the phase, so that a late answer meets no other question."""
    session, segment, phase = work.session, pause.segment, pause.phase
    first = queries.phases.asked(session, phase, seat) + 1
    stakes = _stakes(work, here, seat, pause, mine)
    reason = _LATER if stakes else _NOT_WEIGHED
    if here.rules.forecast is None:
        reason = _NO_ODDS
    elif pause.found.asked[0].window.seat != seat.name:
        reason = _OTHERS_FIRST
    for number, asked in enumerate(mine, first):
        text = {
            "text": asked.question.text.to_json(),
            "options": [[list(option.value), option.text.to_json()] for option in asked.question.options],
            "silence": list(asked.silence.value),
            "scene": [[depth, line.to_json()] for depth, line in asked.question.scene],
            "reason": (_TOO_MUCH if asked.window.id in stakes else reason).to_json(),
            "stakes": [None if told is None else told.to_json() for told in stakes.get(asked.window.id, ())],
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
    """Whom a letter about a pause is for: the phase that waits, the seat, and what it is told besides."""

    phase: tables.Phase
    seat: tables.Seat
    notes: Sequence[Msg]


def _write_to_owner(
    work: Transaction, here: Position, segment: tables.Segment, reader: _Reader, found: Waiting
) -> None:
    """What happened so far as the seat may see it, and what it is asked."""
    phase, seat, notes = reader
    rules, asked = here.rules, put_to(work.session, segment, seat)
    seen = history.view_events(rules, seat.name, found.happened)
    view = rules.view(found.states[-1], seat.name)
    report: Report = rules.telling.report(view, seat.name, seen)
    # How the game stands is told when the phase is over: here it would be the half of it.
    report = report._replace(head=())
    before = queries.phases.asked_before(work.session, segment, seat)
    if before is not None:
        told = history.view_events(rules, seat.name, found.happened[: len(loads(before.events))])
        report = _what_is_new(report, rules.telling.happenings(told))
    by = content.when(segment.deadline or work.now, seat.zone)
    example = " ".join(f"{put.row.number}{put.letters[0]}" for put in asked)
    opening = (
        msg("The phase has stopped before its next die: you are asked. Answer by {when}.", when=by),
        msg("Answer with one line, the number of each question and the letter of your answer: {line}", line=example),
        *notes,
    )
    weighed = rules.forecast is not None and any(told is not None for put in asked for told in put.stakes)
    below = [rules.forecast.answers_note] if rules.forecast is not None and weighed else []
    below += [msg("Until then you may answer again: for each question your last letter counts.")]
    if len(asked) > 1:
        below.append(msg("What is marked holds if you answer none of them; one answer may change what another leaves."))
    head = outbox.head_of(work.server, here.game, seat, phase)
    shown: set[Msg] = set()
    blocks = [block for put in asked for block in (*_scene(put, shown), question_block(put))]
    # Who stands elsewhere does not bear on the answer; MAP and STATUS tell of it.
    report = report._replace(blocks=())
    letter = content.Letter(
        "question",
        head,
        opening=opening,
        wanted=2,
        report=report,
        blocks=blocks,
        closing=below,
        picture=positions.scene_for_letter(work, here, seat, view, seen),
    )
    outbox.to_seat(work, letter.to_json(), seat, here.game, cause=f"segment {segment.number}")


def _what_is_new(report: Report, told: Sequence[Entry]) -> Report:
    """A report without the entries that the letter of questions before it told already, as they stood there."""
    pairs = zip(report.entries, told, strict=False)
    same = next((at for at, (now, then) in enumerate(pairs) if now != then), min(len(told), len(report.entries)))
    return report._replace(entries=report.entries[same:], first=same + 1)


def _scene(put: Put, shown: set[Msg]) -> list[Json]:
    """Who stands where a question is about, but for the places `shown` with a question before it, which grow."""
    lines: list[Line] = []
    new = False
    for depth, said in put.scene:
        if depth == 0:
            new = said not in shown
            shown.add(said)
        if new:
            lines.append((depth, said))
    return [content.sentences(msg("Where it happens"), lines)] if lines else []


def _wrote(session: Session, phase: tables.Phase, seat: tables.Seat) -> bool:
    """Whether the seat has already been told that the phase waits, or was asked a question in it."""
    since = phase.closed or phase.opened
    if queries.outbox.was_written(session, seat, ("waiting", "question"), since):
        return True
    return any(row.kind == "waiting" and row.at >= since for row in queries.outbox.gathered(session, seat))


def _write_to_other(work: Transaction, here: Position, reader: _Reader) -> None:
    phase, seat, notes = reader
    opening = (
        content.WAITS,
        msg("You need do nothing: it goes on when the answer is in or its time is up, and then you get the report."),
        *notes,
    )
    head = outbox.head_of(work.server, here.game, seat, phase)
    letter = content.Letter("waiting", head, opening=opening).to_json()
    outbox.news_to_seat(work, letter, seat, here.game, cause=f"phase {phase.number}")
