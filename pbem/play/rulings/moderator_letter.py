"""Answer a moderator's letter: questions at once, rulings after their code.

A letter is executed as a whole or not at all. The answer goes only to the moderator's registered address,
wherever the letter came from; a letter with a forged From is not read. A moderator who plays in his game sees
no more than its players. PREDICT and EXPORT are also available on the command line.
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
from pbem.letters.commands import (
    NO_ARGUMENT,
    TURNS_ARGUMENT,
    CommandForm,
    CommandForms,
    CommandLine,
    LinePlace,
    read_outside_lines,
)
from pbem.letters.content import LetterHead
from pbem.letters.moderators import Moderator, seats_of
from pbem.letters.reception import AddressState, IncomingFromRole, Role, token_state
from pbem.letters.role_commands import RoleCommand
from pbem.letters.ruling_records import RulingLine
from pbem.letters.rulings import HELP_QUESTION, MadeRuling, RulingAnswer, Rulings
from pbem.mail.address import SeatAddress
from pbem.play import game_standing, history
from pbem.play.commands.questions import dice_luck, forecast
from pbem.play.game_standing import standing_of
from pbem.play.positions import lock_game, read_position
from pbem.play.rulings import appointment, ruling_lines
from pbem.play.rulings.ruling_context import RulingContext, context_of, phase_name
from pbem.runtime import tokens
from pbem.runtime.limits import LIMITS
from pbem.runtime.transaction import MODERATOR, Transaction, UserError
from pbem.store import queries, tables

LARGEST = 4_000_000
"""Characters of a game export in a letter: with base64 some 5 MB, which common providers still take."""

# A turn or a range of turns; nothing for all of them.
_TURNS = re.compile(r"(?:t ?(?P<first>\d{1,4})(?: ?- ?t? ?(?P<last>\d{1,4}))?)?")
_NO_HISTORY = msg("There is no history yet: nothing has happened.")


def read_only_question(line: str) -> str:
    """Return a line's read-only question: ``predict``, ``export_game`` or empty."""
    lines = read_outside_lines([(1, line)], _LOOKS, LIMITS, LinePlace()).said
    return lines[0].name if lines else ""


def predict_closing(tx: Transaction, name: str) -> tuple[Msg, ...]:
    """Return when the open phase closes as things stand, and the awaited seats.

    It is for PREDICT.
    """
    context = context_of(tx, name)
    if context.phase is None:
        return (msg("No phase of {game} is open.", game=name),)
    standing = standing_of(tx, context.game)
    awaited_text = msg("Orders are in from all who are asked.")
    if standing.missing:
        awaited_text = msg("Orders are still awaited from: {seats}.", seats=standing.missing)
    closing_text = msg("Nothing is planned: the game is {state}.", state=standing.state)
    if standing.closing is not None:
        when = content.moment_in_words(standing.closing, context.game.zone)
        closing_text = msg("The phase {phase} closes on {when}.", phase=phase_name(context.phase), when=when)
    return closing_text, awaited_text


def export_game(session: Session, name: str) -> Json:
    """Return a game as plain JSON, as players may know it at its end, for EXPORT.

    It has edition, resolved phases with their closed orders, rolls and events, also void ones, and rulings. It
    has no address, no token and no key.
    """
    game = lock_game(session, name)
    rows = queries.phases.all_phases(session, name)
    return {
        "game": {"id": game.id, "system": game.system, "scenario": game.scenario, "scheme": game.scheme},
        "state": game.state,
        "terms": loads(game.terms),
        "result": loads(game.result) if game.result else None,
        "edition": loads(session.get_one(tables.Edition, game.edition_digest).text),
        "seats": {seat.name: seat.side for seat in queries.games.seats(session, name)},
        "phases": [_export_phase(session, row) for row in rows if row.events_digest is not None],
        "rulings": [
            {
                "number": ruling.number,
                "at": ruling.at.isoformat(),
                "phase": ruling.phase,
                "line": ruling.line,
                "reason": ruling.reason,
            }
            for ruling in queries.rulings.rulings(session, game.id)
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
        "events": [event.to_json() for event in history.events_of(session, row)],
        "state": row.state_digest,
    }


def _predict(answer: ModeratorAnswer, asked: CommandLine) -> None:
    answer.say("answer", *predict_closing(answer, answer.moderator.game.id))


def _export(answer: ModeratorAnswer, asked: CommandLine) -> None:
    game = answer.moderator.game.id
    text = json.dumps(export_game(answer.session, game), indent=1) + "\n"
    if len(text) > LARGEST:
        answer.say("answer", msg("The game is too large for a letter; the command line shows it: pbem game rule."))
        return
    block = content.titled_block(msg("All of the game"), [f"{game}.json"]) | {"file": f"{game}.json", "text": text}
    notice = msg("It is attached, for your eyes alone: it holds the orders of all sides.")
    answer.say("answer", notice, blocks=[block])


def _dice(answer: ModeratorAnswer, asked: CommandLine) -> None:
    """Promise faces, luck and e-values, computed when the letter is rendered."""
    resolved = queries.phases.resolved_phases(answer.session, answer.moderator.game.id)
    answer.say(
        "answer",
        *(() if resolved else (_NO_HISTORY,)),
        blocks=[dice_luck.dice_page_block(resolved)] if resolved else (),
    )


def _check_not_playing(answer: ModeratorAnswer, asked: CommandLine) -> Msg | None:
    """Refuse questions that a moderator who plays himself may not ask."""
    game = answer.moderator.game
    if game.state == "over" or not seats_of(answer.session, game.id, answer.moderator.email):
        return None
    return msg("You have a seat in this game: all of it can be told to you when it is over.")


def _rotate(answer: ModeratorAnswer, asked: CommandLine) -> None:
    address = appointment.replace_address(answer, answer.moderator.row)
    answer.say("settings", *appointment.rotation_notice(answer.moderator.game.id, address))


def _status(answer: ModeratorAnswer, asked: CommandLine) -> None:
    """Show the state of the game, and appeals that wait for a ruling."""
    moderator = answer.moderator
    game, zone = moderator.game, moderator.row.zone
    sentences = [_STATES[game.state]]
    if game.state in ("running", "held"):
        sentences += game_standing.standing_sentences(standing_of(answer, game), answer.now, zone)
    seats = queries.games.seats(answer.session, game.id)
    names = {seat.id: seat.name for seat in seats}
    blocks = [content.sentence_block(msg("Seats"), [(0, _seat_line(seat)) for seat in seats])]
    if game.state == "running" and not seats_of(answer.session, game.id, moderator.email):
        blocks += _letters_by_courier(answer, moderator)
    waiting = queries.rulings.open_appeals(answer.session, game.id)
    if waiting:
        lines = [f"A{row.number} {names[row.seat_id]}: {row.text}" for row in waiting]
        blocks.append(content.titled_block(msg("Appeals that wait for a ruling"), lines))
    answer.say("status", *sentences, blocks=blocks)


def _letters_by_courier(tx: Transaction, moderator: Moderator) -> list[Json]:
    """Return the messages on their way by courier; empty where none ride."""
    current = read_position(tx, moderator.game)
    lines = [(0, line) for line in current.rules.telling.riding(current.state)]
    for row in queries.outbox.waiting_press(tx.session, moderator.game.id):
        if row.rides:
            writer = tx.session.get_one(tables.Seat, row.seat_id).name
            sentence = msg("{seat} to {readers}: a letter of turn {turn}", seat=writer, readers=row.to, turn=row.turn)
            lines.append((0, sentence))
    return [content.sentence_block(msg("On the way between commanders"), lines)] if lines else []


_STATES = {
    "forming": msg("The game has not begun."),
    "running": msg("The game is being played."),
    "held": msg("The game is held: no deadline runs until RESUME."),
    "over": msg("The game is over."),
}


def _seat_line(seat: tables.Seat) -> Msg:
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


def _history(answer: ModeratorAnswer, asked: CommandLine) -> None:
    """Show rulings, and public events of given turns, or of the last resolved."""
    moderator = answer.moderator
    match = _TURNS.fullmatch(asked.rest)
    resolved = queries.phases.resolved_phases(answer.session, moderator.game.id)
    first = int(match["first"]) if match and match["first"] else (resolved[-1].turn if resolved else 0)
    last = int(match["last"] or first) if match and match["first"] else ruling_lines.EVER
    blocks = [_events(answer, moderator, phase) for phase in resolved if first <= phase.turn <= last]
    rulings = ruling_lines.ruling_history(answer.session, moderator.game, 0 if not asked.rest else first, last)
    blocks += [content.sentence_block(msg("Rulings"), rulings)] if rulings else []
    answer.say("answer", *(() if blocks else (_NO_HISTORY,)), blocks=blocks)


def _events(tx: Transaction, moderator: Moderator, phase: tables.Phase) -> Json:
    title = msg("Turn {turn}, {phase}", turn=phase.turn, phase=phase.name)
    rules = tx.server.rules_of(moderator.game)
    state = history.state_after(tx, moderator.game, phase.number)
    if rules.view(state, ONLOOKER) is None:
        return content.sentence_block(title, [(0, msg("What happened in it is not for everybody to know."))])
    entries, _ = history.report_entries(tx, moderator.game, phase, ONLOOKER)
    return content.sentence_block(
        title, forecast.entries_to_lines(entries, False) or [(0, msg("Nothing that you saw."))]
    )


_PREDICT = CommandForm("predict", ("PREDICT", "PREVER"), NO_ARGUMENT, "PREDICT", "PREVER")
_EXPORT = CommandForm("export", ("EXPORT", "EXPORTAR"), NO_ARGUMENT, "EXPORT", "EXPORTAR")
_LOOKS = CommandForms((_PREDICT, _EXPORT))

QUESTIONS = (
    RoleCommand(CommandForm("status", ("STATUS", "ESTADO"), NO_ARGUMENT, "STATUS", "ESTADO"), _status),
    RoleCommand(
        CommandForm("history", ("HISTORY", "HISTORIA"), TURNS_ARGUMENT, "HISTORY T1-T3", "HISTORIA T1-T3"),
        _history,
        often=3,
    ),
    RoleCommand(_PREDICT, _predict),
    RoleCommand(CommandForm("dice", ("DICE", "DADOS"), NO_ARGUMENT, "DICE", "DADOS"), _dice, _check_not_playing),
    RoleCommand(_EXPORT, _export, _check_not_playing),
    RoleCommand(CommandForm("rotate", ("ROTATE", "ROTAR"), NO_ARGUMENT, "ROTATE", "ROTAR"), _rotate),
    HELP_QUESTION,
)
"""A moderator's questions."""

KNOWN: Rulings[RulingContext] = Rulings(ruling_lines.RULINGS, QUESTIONS)
"""All lines that a moderator may write."""

_NOT_HIS = msg("You have a seat in this game: whoever runs the server corrects what not everybody may know.")


@dataclass(kw_only=True)
class ModeratorAnswer(RulingAnswer):
    """The answer to a moderator's letter: rulings on his game."""

    KNOWN = KNOWN

    moderator: Moderator
    first: str = ""

    def context(self) -> RulingContext:
        """Return the moderator's game as it stands."""
        return context_of(self, self.moderator.game.id)

    def preview(self, context: RulingContext, order: RulingLine) -> Sequence[Msg]:
        """Return a ruling's effect; raise UserError if it is secret and he plays."""
        if order.ruling.private and moderators.seats_of(self.session, context.game.id, self.moderator.email):
            raise UserError(_NOT_HIS)
        return super().preview(context, ruling_lines.with_seat_ids(context, order))

    def audience(self) -> Sequence[Msg]:
        """Return the players of the game, and the number of observers."""
        seats = queries.games.seats(self.session, self.moderator.game.id)
        players = tuple(seat.name for seat in seats if seat.person_id is not None)
        watching = len(queries.persons.observers(self.session, self.moderator.game.id))
        lines = [
            msg("One letter, with the number and the reason of each ruling."),
            msg("Players of: {seats}.", seats=players or ("-",)),
        ]
        return [*lines, msg("Observers: {count}.", count=watching)] if watching else lines

    def draft(self) -> tables.Draft:
        """Begin a draft by the moderator.

        The state of his game is the present phase and the last ruling.
        """
        phase = queries.phases.present_phase(self.session, self.about)
        return tables.Draft(
            game_id=self.about,
            generation=self.moderator.row.generation,
            lines="",
            asked=self.now,
            phase_id=phase.id if phase is not None else None,
            after=queries.rulings.last_ruling(self.session, self.about),
        )

    def rule(self, order: RulingLine, *, is_last: bool = True) -> MadeRuling:
        """Make a ruling on the game, told in one letter with those before it."""
        made = ruling_lines.make_ruling(self, self.about, order, self.first)
        self.first = self.first or made.name
        return made


@dataclass(frozen=True, kw_only=True)
class ModeratorRole(Role[ModeratorAnswer]):
    """The moderator of a game, its row locked."""

    NAME = "moderator"
    READER = KNOWN
    FALSE = msg("A letter to the moderator's address of {game} was not read: its From is false.")

    moderator: Moderator

    def head(self, answer: ModeratorAnswer | None = None) -> LetterHead:
        """Return the head of a letter about the moderator's game."""
        return moderators.head_for(self.work, self.moderator)

    def envelope(self, answer: ModeratorAnswer | None = None) -> outbox.Recipient:
        """Return the moderator's registered address."""
        return outbox.Recipient(self.email, self.moderator.row.language, game=self.moderator.game)

    def answer(self, incoming: IncomingFromRole) -> ModeratorAnswer:
        """Begin the answer."""
        tx, language = self.work, self.moderator.row.language
        return ModeratorAnswer(
            **tx.context_fields,
            about=self.about,
            language=language,
            zone=self.zone,
            moderator=self.moderator,
        )


def find_role_of_address(tx: Transaction, address: SeatAddress) -> AddressState | None:
    """Return whether a valid, replaced or wrong token names a game's moderator.

    None if the address is not a moderator's.
    """
    game = queries.games.game(tx.session, address.game) if address.seat == MODERATOR else None
    if game is None:
        return None
    moderator = moderators.moderator_of(tx.session, game)
    if moderator is None:
        return AddressState("wrong")
    kind = token_state(
        address.token, moderator.row.generation, partial(tokens.moderator_token, tx.server.keys.key, game.id)
    )
    if kind != "token":
        return AddressState(kind)
    was_written = senders.count_letters_by(tx, ModeratorRole.NAME, moderator.email)
    role = ModeratorRole(
        work=tx,
        about=game.id,
        email=moderator.email,
        zone=moderator.row.zone,
        written=was_written,
        game=game.id,
        moderator=moderator,
    )
    return AddressState("token", role)
