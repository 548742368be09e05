"""What a moderator may ask by letter and is told at once: how the game stands, what was ruled, its forecast, all of it.

Who plays in the game that he moderates is told no more than its players know.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping

from sqlmodel import Session

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Msg, msg
from pbem.engine.terms import ONLOOKER
from pbem.letters import content
from pbem.letters.codes import Said
from pbem.letters.content import Mistake
from pbem.letters.moderators import Moderator, seats_of
from pbem.play import deadlines, history
from pbem.play.commands.questions import dice_luck, forecast
from pbem.play.positions import position
from pbem.play.rulings import appointment
from pbem.play.rulings.ruling_context import SPANISH, in_spanish
from pbem.play.rulings.ruling_lines import QUESTIONS, Question
from pbem.play.rulings.rulings import RULINGS
from pbem.runtime.transaction import Work
from pbem.store import queries, tables

LARGEST = 4_000_000
"""Characters of a game that still go into a letter."""

_TURNS = re.compile(r"(?:t ?(?P<first>\d{1,4})(?: ?- ?t? ?(?P<last>\d{1,4}))?)?")


def objection(session: Session, moderator: Moderator, asked: Question) -> Mistake | None:
    """What is wrong with a question: turns that are none, or what somebody who plays himself may not know."""
    why: Msg | None = None
    if asked.word == "HISTORY" and _TURNS.fullmatch(asked.rest) is None:
        why = msg("Turns are written HISTORY T2 or HISTORY T1-T3.")
    elif (
        asked.word in ("EXPORT", "DICE")
        and moderator.game.state != "over"
        and seats_of(session, moderator.game.id, moderator.email)
    ):
        why = msg("You have a seat in this game: all of it can be told to you when it is over.")
    return None if why is None else content.mistake(asked.line, asked.text, asked.text, why)


def answer(work: Work, moderator: Moderator, asked: Question) -> Said:
    """What a question is answered, for the eyes of the moderator alone."""
    return _ANSWERS[asked.word](work, moderator, asked)


def help_() -> Json:
    """All that a moderator can write, in both languages."""
    pairs = [
        (
            _example(word, one.form, "" if one.bare else "BECAUSE ..."),
            _example(SPANISH[word], in_spanish(word, one.form), "" if one.bare else "PORQUE ..."),
        )
        for word, one in RULINGS.items()
    ]
    pairs += [(_example(word, form), _example(spanish, form)) for word, (spanish, form) in QUESTIONS.items()]
    lines = [line for one, other in pairs for line in _beside(one, other)]
    return content.block(msg("What you can write"), lines)


def _example(*words: str) -> str:
    return " ".join(word for word in words if word)


def _beside(one: str, other: str) -> list[str]:
    return [f"{one:<35} {other}"] if len(one) < 35 else [one, f"{'':<35} {other}"]


def _help(work: Work, moderator: Moderator, asked: Question) -> Said:
    lead = msg(
        "One line a ruling, with its reason. I mail you what it would do and a code, and only the code makes it so."
    )
    return Said("help", (lead,), (help_(),))


def _predict(work: Work, moderator: Moderator, asked: Question) -> Said:
    return Said("answer", forecast.look(work, moderator.game.id))


def _export(work: Work, moderator: Moderator, asked: Question) -> Said:
    text = json.dumps(forecast.export(work.session, moderator.game.id), indent=1) + "\n"
    if len(text) > LARGEST:
        return Said("answer", (msg("The game is too large for a letter; the command line shows it: pbem game rule."),))
    file = f"{moderator.game.id}.json"
    block = content.block(msg("All of the game"), [file]) | {"file": file, "text": text}
    return Said("answer", (msg("It is attached, for your eyes alone: it holds the orders of all sides."),), (block,))


def _dice(work: Work, moderator: Moderator, asked: Question) -> Said:
    """Faces, luck and e-values, for whoever may know all; they are reckoned when the letter is put into words."""
    done = queries.phases.resolved(work.session, moderator.game.id)
    if not done:
        return Said("answer", (msg("There is no history yet: nothing has happened."),))
    return Said("answer", (), (dice_luck.page(done),))


def _rotate(work: Work, moderator: Moderator, asked: Question) -> Said:
    address = appointment.replace_address(work, moderator.row)
    return Said("settings", tuple(appointment.rotation_notice(moderator.game.id, address)))


def _status(work: Work, moderator: Moderator, asked: Question) -> Said:
    game, zone = moderator.game, moderator.row.zone
    said = [_STATES[game.state]]
    phase = queries.phases.open_phase(work.session, game.id)
    if game.state in ("running", "held") and phase is not None:
        when = content.when(phase.deadline, zone)
        missing = deadlines.waiting(work.session, position(work, game), phase)
        said.append(
            msg(
                "Turn {turn}. Orders are awaited from: {seats}. Deadline: {when}.",
                turn=phase.turn,
                seats=missing,
                when=when,
            )
            if missing
            else msg("Turn {turn}. All orders are in. Deadline: {when}.", turn=phase.turn, when=when)
        )
    elif queries.phases.closed_phase(work.session, game.id) is not None and game.state != "over":
        said.append(content.WAITS)
    seats = [(0, _seat(seat)) for seat in queries.games.seats(work.session, game.id)]
    blocks = [content.sentences(msg("Seats"), seats)]
    if game.state == "running" and not seats_of(work.session, game.id, moderator.email):
        blocks += _riding(work, moderator)
    waiting = queries.rulings.open_appeals(work.session, game.id)
    if waiting:
        lines = [f"A{row.number} {work.session.get_one(tables.Seat, row.seat_id).name}: {row.text}" for row in waiting]
        blocks.append(content.block(msg("Appeals that wait for a ruling"), lines))
    return Said("status", tuple(said), tuple(blocks))


def _riding(work: Work, moderator: Moderator) -> list[Json]:
    """What is on its way between players who are not to know how far it is; nothing where no couriers ride."""
    here = position(work, moderator.game)
    lines = [(0, line) for line in here.rules.telling.riding(here.state)]
    for row in queries.outbox.press_kept(work.session, moderator.game.id):
        if row.rides:
            writer = work.session.get_one(tables.Seat, row.seat_id).name
            told = msg("{seat} to {readers}: a letter of turn {turn}", seat=writer, readers=row.to, turn=row.turn)
            lines.append((0, told))
    return [content.sentences(msg("On the way between commanders"), lines)] if lines else []


_STATES = {
    "forming": msg("The game has not begun."),
    "running": msg("The game is being played."),
    "held": msg("The game is held: no deadline runs until RESUME."),
    "over": msg("The game is over."),
}


def _seat(seat: tables.Seat) -> Msg:
    if seat.person_id is None:
        return msg("{seat}: nobody sits there.", seat=seat.name)
    if seat.unreachable is not None:
        return msg("{seat}: out of reach, letters come back.", seat=seat.name)
    return msg(
        "{seat}: deadlines missed, {count} in all and {row} in a row.",
        seat=seat.name,
        count=seat.strikes,
        row=seat.missed,
    )


def _history(work: Work, moderator: Moderator, asked: Question) -> Said:
    """What was ruled, and what everybody may know of the turns asked for, or of the last one that is over."""
    found = _TURNS.fullmatch(asked.rest)
    done = queries.phases.resolved(work.session, moderator.game.id)
    first = int(found["first"]) if found and found["first"] else (done[-1].turn if done else 0)
    last = int(found["last"] or first) if found and found["first"] else forecast.EVER
    blocks = [_events(work, moderator, phase) for phase in done if first <= phase.turn <= last]
    ruled = forecast.rulings(work.session, moderator.game, 0 if not asked.rest else first, last)
    blocks += [content.sentences(msg("Rulings"), ruled)] if ruled else []
    if not blocks:
        return Said("answer", (msg("There is no history yet: nothing has happened."),))
    return Said("answer", (), tuple(blocks))


def _events(work: Work, moderator: Moderator, phase: tables.Phase) -> Json:
    title = msg("Turn {turn}, {phase}", turn=phase.turn, phase=phase.name)
    rules = work.server.rules_of(moderator.game)
    state = history.state_after(work, moderator.game, phase.number)
    if rules.view(state, ONLOOKER) is None:
        return content.sentences(title, [(0, msg("What happened in it is not for everybody to know."))])
    entries, _ = history.entries(work, moderator.game, phase, ONLOOKER)
    return content.sentences(title, forecast.as_lines(entries, False) or [(0, msg("Nothing that you saw."))])


_ANSWERS: Mapping[str, Callable[[Work, Moderator, Question], Said]] = {
    "HELP": _help,
    "STATUS": _status,
    "HISTORY": _history,
    "PREDICT": _predict,
    "EXPORT": _export,
    "DICE": _dice,
    "ROTATE": _rotate,
}
