"""A moderator's letter: questions are answered at once, rulings made when the code mailed for them comes back.

A letter is all or nothing. Whatever comes of it goes to the registered address of the moderator alone, wherever it
came from; a letter whose From is known to be false is not read. Who plays in the game that he moderates is told no more
than its players know. PREDICT and EXPORT may be asked on the command line as well.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from sqlmodel import Session

from pbem.engine.data.canon import Json, loads
from pbem.engine.data.messages import Msg, msg
from pbem.engine.terms import ONLOOKER
from pbem.letters import content, moderators, outbox, senders
from pbem.letters.commands import NOTHING, TURNS, Form, Forms, Line, Surroundings, outside
from pbem.letters.content import Head
from pbem.letters.moderators import Moderator, seats_of
from pbem.letters.reception import Claim, Incoming, Role, worth
from pbem.letters.role_commands import RoleCommand
from pbem.letters.rulings import HELP, Ruled, RulingAnswer, RulingLine, Rulings
from pbem.mail.address import SeatAddress
from pbem.play import game_standing, history
from pbem.play.commands.questions import dice_luck, forecast
from pbem.play.game_standing import standing_of
from pbem.play.positions import game_named, position
from pbem.play.rulings import appointment, ruling_lines
from pbem.play.rulings.ruling_context import RulingContext, context_of, name_of
from pbem.runtime import tokens
from pbem.runtime.limits import LIMITS
from pbem.runtime.transaction import MODERATOR, Transaction, UserError
from pbem.store import queries, tables

LARGEST = 4_000_000
"""Characters of a game that still go into a letter."""

_TURNS = re.compile(r"(?:t ?(?P<first>\d{1,4})(?: ?- ?t? ?(?P<last>\d{1,4}))?)?")
_NO_HISTORY = msg("There is no history yet: nothing has happened.")


def asked_to_look(line: str) -> str:
    """The name of the question that only looks and that a line asks, ``predict`` or ``export``; empty if it is none."""
    said = outside([(1, line)], _LOOKS, LIMITS, Surroundings()).said
    return said[0].name if said else ""


def look(work: Transaction, name: str) -> tuple[Msg, ...]:
    """PREDICT: when the open phase closes as things stand, and who is awaited."""
    context = context_of(work, name)
    if context.phase is None:
        return (msg("No phase of {game} is open.", game=name),)
    standing = standing_of(work, context.game)
    known = msg("Orders are in from all who are asked.")
    if standing.missing:
        known = msg("Orders are still awaited from: {seats}.", seats=standing.missing)
    closes = msg("Nothing is planned: the game is {state}.", state=standing.state)
    if standing.closing is not None:
        when = content.when(standing.closing, context.game.zone)
        closes = msg("The phase {phase} closes on {when}.", phase=name_of(context.phase), when=when)
    return closes, known


def export(session: Session, name: str) -> Json:
    """EXPORT: all that a game is made of and that its players may know once it is over, as plain JSON.

    Edition, resolved phases with their closed orders, slates, rolls and events, void ones too, rulings. Nobody's
    address, no token and no key.
    """
    game = game_named(session, name)
    rows = queries.phases.every(session, name)
    return {
        "game": {"id": game.id, "system": game.system, "scenario": game.scenario, "scheme": game.scheme},
        "state": game.state,
        "terms": loads(game.terms),
        "result": loads(game.result) if game.result else None,
        "edition": loads(session.get_one(tables.Edition, game.edition_digest).text),
        "seats": {seat.name: seat.side for seat in queries.games.seats(session, name)},
        "phases": [_export_phase(session, row) for row in rows if row.events_digest is not None],
        "rulings": [
            {"number": r.number, "at": r.at.isoformat(), "phase": r.phase, "line": r.line, "reason": r.reason}
            for r in queries.rulings.rulings(session, game.id)
        ],
    }


def _export_phase(session: Session, row: tables.Phase) -> Json:
    return {
        "phase": str(outbox.phase_of(row)),
        "run": row.run,
        "void": f"M{row.void_by}" if row.void_by else None,
        "opened": row.opened.isoformat(),
        "closed": row.closed.isoformat() if row.closed else None,
        "orders": loads(row.orders or "{}"),
        "slate": row.slate,
        "rolls": loads(row.rolls or "[]"),
        "events": [happened.to_json() for happened in history.events_of(session, row)],
        "state": row.state_digest,
    }


def _predict(answer: ModeratorAnswer, asked: Line) -> None:
    answer.say("answer", *look(answer, answer.moderator.game.id))


def _export(answer: ModeratorAnswer, asked: Line) -> None:
    game = answer.moderator.game.id
    text = json.dumps(export(answer.session, game), indent=1) + "\n"
    if len(text) > LARGEST:
        answer.say("answer", msg("The game is too large for a letter; the command line shows it: pbem game rule."))
        return
    block = content.block(msg("All of the game"), [f"{game}.json"]) | {"file": f"{game}.json", "text": text}
    told = msg("It is attached, for your eyes alone: it holds the orders of all sides.")
    answer.say("answer", told, blocks=[block])


def _dice(answer: ModeratorAnswer, asked: Line) -> None:
    """Faces, luck and e-values, for whoever may know all; they are reckoned when the letter is put into words."""
    done = queries.phases.resolved(answer.session, answer.moderator.game.id)
    answer.say("answer", *(() if done else (_NO_HISTORY,)), blocks=[dice_luck.page(done)] if done else ())


def _all_may_be_known(answer: ModeratorAnswer, asked: Line) -> Msg | None:
    """What somebody who plays himself may not know."""
    game = answer.moderator.game
    if game.state == "over" or not seats_of(answer.session, game.id, answer.moderator.email):
        return None
    return msg("You have a seat in this game: all of it can be told to you when it is over.")


def _rotate(answer: ModeratorAnswer, asked: Line) -> None:
    address = appointment.replace_address(answer, answer.moderator.row)
    answer.say("settings", *appointment.rotation_notice(answer.moderator.game.id, address))


def _status(answer: ModeratorAnswer, asked: Line) -> None:
    """How the game stands, and what waits for a ruling."""
    moderator = answer.moderator
    game, zone = moderator.game, moderator.row.zone
    said = [_STATES[game.state]]
    if game.state in ("running", "held"):
        said += game_standing.told(standing_of(answer, game), answer.now, zone)
    seats = queries.games.seats(answer.session, game.id)
    names = {seat.id: seat.name for seat in seats}
    blocks = [content.sentences(msg("Seats"), [(0, _seat(seat)) for seat in seats])]
    if game.state == "running" and not seats_of(answer.session, game.id, moderator.email):
        blocks += _riding(answer, moderator)
    waiting = queries.rulings.open_appeals(answer.session, game.id)
    if waiting:
        lines = [f"A{row.number} {names[row.seat_id]}: {row.text}" for row in waiting]
        blocks.append(content.block(msg("Appeals that wait for a ruling"), lines))
    answer.say("status", *said, blocks=blocks)


def _riding(work: Transaction, moderator: Moderator) -> list[Json]:
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


def _history(answer: ModeratorAnswer, asked: Line) -> None:
    """What was ruled, and what everybody may know of the turns asked for, or of the last one that is over."""
    moderator = answer.moderator
    found = _TURNS.fullmatch(asked.rest)
    done = queries.phases.resolved(answer.session, moderator.game.id)
    first = int(found["first"]) if found and found["first"] else (done[-1].turn if done else 0)
    last = int(found["last"] or first) if found and found["first"] else ruling_lines.EVER
    blocks = [_events(answer, moderator, phase) for phase in done if first <= phase.turn <= last]
    ruled = ruling_lines.made(answer.session, moderator.game, 0 if not asked.rest else first, last)
    blocks += [content.sentences(msg("Rulings"), ruled)] if ruled else []
    answer.say("answer", *(() if blocks else (_NO_HISTORY,)), blocks=blocks)


def _events(work: Transaction, moderator: Moderator, phase: tables.Phase) -> Json:
    title = msg("Turn {turn}, {phase}", turn=phase.turn, phase=phase.name)
    rules = work.server.rules_of(moderator.game)
    state = history.state_after(work, moderator.game, phase.number)
    if rules.view(state, ONLOOKER) is None:
        return content.sentences(title, [(0, msg("What happened in it is not for everybody to know."))])
    entries, _ = history.entries(work, moderator.game, phase, ONLOOKER)
    return content.sentences(title, forecast.as_lines(entries, False) or [(0, msg("Nothing that you saw."))])


_PREDICT = Form("predict", ("PREDICT", "PREVER"), NOTHING, "PREDICT", "PREVER")
_EXPORT = Form("export", ("EXPORT", "EXPORTAR"), NOTHING, "EXPORT", "EXPORTAR")
_LOOKS = Forms((_PREDICT, _EXPORT))

QUESTIONS = (
    RoleCommand(Form("status", ("STATUS", "ESTADO"), NOTHING, "STATUS", "ESTADO"), _status),
    RoleCommand(Form("history", ("HISTORY", "HISTORIA"), TURNS, "HISTORY T1-T3", "HISTORIA T1-T3"), _history, often=3),
    RoleCommand(_PREDICT, _predict),
    RoleCommand(Form("dice", ("DICE", "DADOS"), NOTHING, "DICE", "DADOS"), _dice, _all_may_be_known),
    RoleCommand(_EXPORT, _export, _all_may_be_known),
    RoleCommand(Form("rotate", ("ROTATE", "ROTAR"), NOTHING, "ROTATE", "ROTAR"), _rotate),
    HELP,
)
"""What a moderator may ask."""

KNOWN: Rulings[RulingContext] = Rulings(ruling_lines.RULINGS, QUESTIONS)
"""All that a moderator may write."""

_NOT_HIS = msg("You have a seat in this game: whoever runs the server corrects what not everybody may know.")


@dataclass(kw_only=True)
class ModeratorAnswer(RulingAnswer):
    """A moderator's letter being worked on: what rulings do to his game."""

    KNOWN = KNOWN

    moderator: Moderator

    def context(self) -> RulingContext:
        """His game as it stands."""
        return context_of(self, self.moderator.game.id)

    def preview(self, context: RulingContext, order: RulingLine) -> Sequence[Msg]:
        """What a ruling would do; what not everybody may know is not told to one who plays."""
        if order.ruling.private and moderators.seats_of(self.session, context.game.id, self.moderator.email):
            raise UserError(_NOT_HIS)
        return super().preview(context, ruling_lines.by_ids(context, order))

    def audience(self) -> Sequence[Msg]:
        """The players of his game, and who watches it."""
        seats = queries.games.seats(self.session, self.moderator.game.id)
        players = tuple(seat.name for seat in seats if seat.person_id is not None)
        watching = len(queries.persons.observers(self.session, self.moderator.game.id))
        told = msg("Players of: {seats}.", seats=players or ("-",))
        return [told, msg("Observers: {count}.", count=watching)] if watching else [told]

    def draft(self) -> tables.Draft:
        """Begin a draft of his; his game stands by the phase going on and the last ruling."""
        phase = queries.phases.played_phase(self.session, self.about)
        return tables.Draft(
            game_id=self.about,
            generation=self.moderator.row.generation,
            lines="",
            asked=self.now,
            phase_id=phase.id if phase is not None else None,
            after=queries.rulings.last_ruling(self.session, self.about),
        )

    def rule(self, order: RulingLine) -> Ruled:
        """Make a ruling on his game."""
        return ruling_lines.rule(self, self.about, order)


@dataclass(frozen=True, kw_only=True)
class ModeratorRole(Role[ModeratorAnswer]):
    """The moderator of a game, its row locked."""

    NAME = "moderator"
    READER = KNOWN
    FALSE = msg("A letter to the moderator's address of {game} was not read: its From is false.")

    moderator: Moderator

    def head(self, answer: ModeratorAnswer | None = None) -> Head:
        """What heads a letter about his game."""
        return moderators.head_for(self.work, self.moderator)

    def envelope(self, answer: ModeratorAnswer | None = None) -> outbox.Envelope:
        """His registered address."""
        return outbox.Envelope(self.email, self.moderator.row.language, game=self.moderator.game)

    def answer(self, incoming: Incoming) -> ModeratorAnswer:
        """Begin the answer."""
        work, language = self.work, self.moderator.row.language
        return ModeratorAnswer(
            **work.shared,
            about=self.about,
            language=language,
            zone=self.zone,
            moderator=self.moderator,
        )


def claim(work: Transaction, address: SeatAddress) -> Claim | None:
    """Find out whether an address speaks for a game's moderator; None if it is none of his."""
    game = queries.games.game(work.session, address.game) if address.seat == MODERATOR else None
    if game is None:
        return None
    moderator = moderators.moderator_of(work.session, game)
    if moderator is None:
        return Claim("wrong")
    kind = worth(address.token, moderator.row.generation, partial(tokens.moderator, work.server.keys.key, game.id))
    if kind != "token":
        return Claim(kind)
    written = senders.written_by(work, ModeratorRole.NAME, moderator.email)
    role = ModeratorRole(
        work=work,
        about=game.id,
        email=moderator.email,
        zone=moderator.row.zone,
        written=written,
        game=game.id,
        moderator=moderator,
    )
    return Claim("token", role)
