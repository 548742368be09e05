"""Carry out a player's letter to the address of his seat.

A letter is carried out whole or not at all: only if no line is wrong. Commands write rows and collect the content
of the answer; the one answer is made at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import NamedTuple

from pbem.engine.data.messages import Msg, by_number, msg
from pbem.engine.terms import Orders
from pbem.letters import command_lines, outbox, senders
from pbem.letters.command_lines import OrderBlock, ParsedLetter
from pbem.letters.commands import CommandLine
from pbem.letters.content import LetterHead, Mistake
from pbem.letters.reception import AddressState, IncomingFromRole, Role, token_state
from pbem.log import log_health
from pbem.mail import quoting
from pbem.mail.address import SeatAddress, base_address
from pbem.mail.authentication import Evidence
from pbem.mail.inbound import IncomingLetter, OwnWords
from pbem.play import deadlines, log_entries, war_progress
from pbem.play.commands import command_records
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.orders import cancel, later, order_block, prose, prose_words, suggested_corrections
from pbem.play.commands.questions import asked_in_prose, help
from pbem.play.positions import read_position
from pbem.runtime import limits, tokens
from pbem.runtime.transaction import Transaction
from pbem.server import bounces, deduplicate
from pbem.server.catalogue import (
    COMMAND_FORMS,
    COMMANDS,
    COMMANDS_BY_NAME,
    QUESTION_COMMANDS,
    is_misspelt_question,
    translate_suggestions,
)
from pbem.store import queries, tables
from pbem.store.queries.phases import StoredState
from pbem.store.queries.seats import SeatStatus


@dataclass(frozen=True, kw_only=True)
class SeatRole(Role[SeatAnswer]):
    """The player of a seat, with his game, locked row, last state and seats."""

    NAME = "seat"
    READS_FORGED = True

    seat: tables.Seat
    table: tables.Game
    kept: StoredState | None
    sittings: tuple[SeatStatus, ...]

    def head(self, answer: SeatAnswer | None = None) -> LetterHead:
        """Return the head of a letter about the seat and, if it was read, the phase."""
        return outbox.head_of(self.work.server, self.table, self.seat, answer.current if answer is not None else None)

    def envelope(self, answer: SeatAnswer | None = None) -> outbox.Recipient:
        """Return the player's registered address, in the seat's language."""
        return outbox.Recipient(self.email, self.seat.language, self.seat, self.table)

    def answer(self, incoming: IncomingFromRole) -> SeatAnswer:
        """Create the answer, with the state of the game; reset bounces and silence."""
        tx, game = self.work, self.table
        bounces.forget_bounces(tx.session, self.seat)
        deadlines.record_presence(tx, self.seat)
        log_health.note_shown_trees(tx, game, incoming.raw)
        answer = SeatAnswer(
            **tx.context_fields,
            game=game,
            seat=self.seat,
            letter=incoming.letter,
            inbox=incoming.row,
            here=read_position(tx, game, self.kept) if game.state != "forming" else None,
            phase=self.sittings[0].phase,
            sittings=self.sittings,
        )
        if answer.phase is None and game.state in ("running", "held"):
            answer.closed = queries.phases.waiting_phase(tx.session, game.id)
        return answer

    def wants(self, text: str) -> bool:
        """Return whether a text holds orders or commands."""
        parsed = self._read(text)
        return parsed.block is not None or bool(parsed.commands) or bool(parsed.later)

    def carry_out(self, answer: SeatAnswer, text: str) -> bool:
        """Carry out a text, and log its orders."""
        was_empty = carry_out(answer, self._read(text))
        if answer.here is not None and answer.phase is not None:
            carried_out = log_entries.ExecutedLetter(
                answer.inbox, answer.seat, answer.queued_orders, answer.in_force, answer.going
            )
            log_entries.record_orders(answer, answer.here, answer.phase, carried_out)
        return was_empty

    def essence(self, text: str) -> object:
        """Return the orders and commands of a text."""
        return self._read(text).essence

    def own_words(self, header: IncomingLetter) -> OwnWords:
        """Return the seat's order form, and the sentences of the answered letter."""
        templates = {self.seat.nonce: _fingerprint(self.seat.template)} if self.seat.template else {}
        return OwnWords(templates, partial(order_block.sentences_we_mailed, self.work, self.seat, header))

    def notes_on_sender(self, sender: str, evidence: Evidence) -> Sequence[Msg]:
        """Return notes on a From that is forged, a fellow player's, or new.

        A note on a new From comes once, the others each time. Such a letter is carried out, because only the token
        identifies the author; the notes go to the registered address.
        """
        sentence = msg(
            "Somebody else wrote this letter, in the name of {address}: its From is false. It came to your seat's "
            "address, and so it counts.",
            address=sender,
        )
        forgery = (sentence,) if evidence == "fail" else ()
        evidence_sentence = _PROVEN if evidence == "pass" else _UNPROVEN
        origin, way_out = senders.notes_on_other_address(self.email, sender) or (None, senders.ROTATE_ADVICE)
        if origin is not None and self._is_new(sender):
            origin = msg("This letter came from {address}, from where none of your seat came before.", address=sender)
        elif not self._is_fellow(sender):
            return (*forgery, way_out) if forgery else ()
        return (origin, evidence_sentence, *forgery, way_out) if origin is not None else ()

    def is_enough(self, answer: SeatAnswer) -> bool:
        """Return whether the player has had the same answer often enough."""
        return deduplicate.has_enough_answers(answer)

    def _read(self, text: str) -> ParsedLetter:
        return command_lines.parse_letter(text, COMMAND_FORMS, self.work.server.settings.limits)

    def _is_new(self, sender: str) -> bool:
        """Return whether an address writes for the seat for the first time; record it."""
        email, persons = base_address(sender), queries.persons
        person = persons.person_by_email(self.work.session, sender) or persons.person_by_email(self.work.session, email)
        if person is not None and person.id == self.seat.person_id:
            return False
        if persons.has_written_from(self.work.session, self.seat, email):
            return False
        self.work.session.add(tables.UnknownWriter(seat_id=self.seat.id or 0, email=email, first=self.work.now))
        self.work.session.flush()
        return True

    def _is_fellow(self, sender: str) -> bool:
        """Return whether an address belongs to another player of the game."""
        others = (status.email for status in self.sittings if status.seat.person_id != self.seat.person_id)
        return any(email is not None and base_address(email) == base_address(sender) for email in others)


_PROVEN = msg("Its sender was verified.")
_UNPROVEN = msg("Its sender could not be verified.")
_fingerprint = lru_cache(maxsize=256)(quoting.block_fingerprint)
"""Cached for order templates, each of which comes back with every letter of its phase. The size is a choice: a
dropped one is only computed again."""


def find_seat_of_address(tx: Transaction, address: SeatAddress) -> AddressState | None:
    """Return the seat to which an address belongs, and whether it is valid.

    None if there is no such seat. After RESIGN a player's address is no longer valid; the next player gets another
    token.
    """
    game = queries.games.game(tx.session, address.game)
    if game is None:
        return None
    sittings, stored = queries.seats.statuses(tx.session, game.id, tx.now - senders.COUNTED_TIME)
    sitting = next((status for status in sittings if status.seat.name == address.seat), None)
    if sitting is None:
        return None
    seat = sitting.seat
    kind = token_state(
        address.token, seat.generation, partial(tokens.seat_token, tx.server.keys.key, game.id, seat.name)
    )
    if kind != "token" or sitting.email is None:
        return AddressState("rotated" if kind == "rotated" else "wrong")
    role = SeatRole(
        work=tx,
        about=game.id,
        email=sitting.email,
        zone=seat.zone,
        written=sitting.letters,
        game=game.id,
        seat=seat,
        table=game,
        kept=stored,
        sittings=sittings,
    )
    return AddressState("token", role)


# The effects of a letter.


class _CollectedLetter(NamedTuple):
    """A parsed letter together with orders found outside of blocks.

    `headless` is True if its orders have no ORDERS line above them, `replaces` if they replace earlier ones.
    """

    said: ParsedLetter
    headless: bool
    replaces: bool


def carry_out(answer: SeatAnswer, parsed: ParsedLetter) -> bool:
    """Carry out the whole letter or nothing, and fill in the answer.

    Return whether it is empty. Commands above the block are carried out first, so that CANCEL and new orders
    in one letter leave the new ones; commands below it come after it.
    """
    if parsed.excess is not None:
        answer.say("refusal", *limits.explain_excess(parsed.excess))
        return False
    _name_next_game(answer)
    collected = _collect(answer, parsed)
    questions = _gather_mistakes(answer, collected.said)
    parsed = questions or collected.said
    answer.look()
    orders, later_orders = None, []
    if parsed.block is not None:
        orders = order_block.check_against_game(answer, parsed.block, replace=collected.replaces)
    if not answer.kind:
        later_orders = later.check_blocks(answer, parsed.later, replace=collected.replaces)
    if answer.kind:
        if parsed.block is not None and parsed.later:
            answer.opening.append(msg("What you wrote for later was not kept either: send it by itself."))
        return False
    if (answer.errors or collected.headless) and _is_refused(answer, parsed, questions, headless=collected.headless):
        return False
    if parsed.block is not None and orders is not None and not collected.replaces:
        parsed, orders = _without_sent_block(answer, parsed, parsed.block, orders)
    return _do_all(answer, parsed, orders, later_orders)


def _name_next_game(answer: SeatAnswer) -> None:
    """Name the game in which a war goes on after this part."""
    if answer.game.state == "over" and (next_seat := war_progress.seat_in_newest_game(answer, answer.seat)) is not None:
        address = answer.server.seat_address(next_seat)
        answer.opening.append(
            msg("The war goes on in {game}; there you write to {address}.", game=next_seat.game_id, address=address)
        )


def _collect(answer: SeatAnswer, parsed: ParsedLetter) -> _CollectedLetter:
    """Collect prose, lines without a head, and orders sent early for the open phase."""
    if answer.letter.quoted_block and cancel.has_cancel(parsed.commands):
        # A letter that cancels orders does not mean those that it merely quotes.
        parsed = parsed._replace(block=None)
    letter = prose.apply_confirmation(answer, parsed)
    is_confirmed = letter is not parsed
    gathered = suggested_corrections.collect_orders(answer, letter, COMMAND_FORMS)
    headless = gathered.block is not None and letter.block is None
    gathered = suggested_corrections.cut_after_orders(answer, gathered, COMMAND_FORMS)
    parsed = suggested_corrections.join_broken_lines(answer, later.promote_due_block(answer, gathered))
    kept_commands, sentences = command_records.apply_letter_limits(parsed.commands, COMMANDS_BY_NAME)
    parsed = parsed._replace(commands=kept_commands)
    answer.opening += sentences
    answer.has_block, answer.has_later = parsed.block is not None, bool(parsed.later)
    return _CollectedLetter(parsed, headless, is_confirmed or cancel.has_replace(parsed.commands))


def _gather_mistakes(answer: SeatAnswer, parsed: ParsedLetter) -> ParsedLetter | None:
    """Collect all mistakes; return the valid questions of a letter of questions."""
    answer.errors += [*parsed.wrong, *command_records.mistakes_outside_blocks(answer, parsed)]
    objections = [(command, wrong) for command in parsed.commands if (wrong := _objection(answer, command)) is not None]
    answer.errors += [wrong for _, wrong in objections]
    return _without_wrong_questions(parsed, [command for command, _ in objections]) if answer.errors else None


def _is_refused(answer: SeatAnswer, parsed: ParsedLetter, questions: ParsedLetter | None, *, headless: bool) -> bool:
    """Suggest corrections of a letter with mistakes; return whether it is refused."""
    if headless:
        answer.opening.append(msg("Your letter has orders, but ORDERS and the turn must stand above them, END below."))
    blocks = [*([parsed.block] if parsed.block is not None else []), *parsed.later]
    if not (blocks or parsed.commands) and prose.offer_orders_from_prose(answer):
        answer.errors.clear()
        return True
    command_records.mark_commands_in_blocks(answer, blocks, COMMAND_FORMS)
    if parsed.block is not None:
        prose.suggest_orders_for_refused_lines(answer, parsed.block)
    else:
        asked_in_prose.suggest_odds(answer)
    # They come from several checks; a player reads his letter from top to bottom.
    answer.errors.sort(key=lambda wrong: wrong.rejected.line)
    speak = answer.server.rules_of(answer.game).telling.spoken
    answer.errors = [translate_suggestions(answer.seat.language, speak, wrong) for wrong in answer.errors]
    if rule := next((wrong.rejected.rule for wrong in answer.errors if wrong.rejected.rule), ""):
        answer.closing.append(msg("Numbers in brackets are rules: RULES {rule} sends one in full.", rule=rule))
    if headless or (answer.errors and questions is None):
        suggested_corrections.refuse_blocks(answer, blocks, parsed.commands)
        refused = {wrong.rejected.line for wrong in answer.errors}
        left = [unparsed for unparsed in parsed.left if unparsed.line not in refused]
        answer.opening += command_records.unparsed_sentences(answer, left)
        return True
    if answer.errors:
        count = len(answer.errors)
        answer.opening.append(
            by_number(
                count,
                msg("I could not answer one line of your letter; it stands below with the reason."),
                msg("I could not answer {count} lines of your letter; they stand below with the reasons.", count=count),
            )
        )
    return False


def _do_all(
    answer: SeatAnswer, parsed: ParsedLetter, orders: Orders | None, later_orders: Sequence[later.LaterOrders]
) -> bool:
    """Carry out a letter from its first line to its last.

    Return whether it is empty.
    """
    # Settings of letters apply to the whole of this answer, wherever they are.
    settings = tuple(command for command in parsed.commands if command.name in _SETTINGS)
    first, last = (
        tuple(command for command in group if command not in settings)
        for group in (command_records.commands_above(parsed), command_records.commands_below(parsed))
    )
    done = set[str]()
    if parsed.block is not None and not parsed.block.is_check_only:
        last = (*(command for command in first if COMMANDS_BY_NAME[command.name].after_orders), *last)
        first = tuple(command for command in first if not COMMANDS_BY_NAME[command.name].after_orders)
    if not _do_commands(answer, (*settings, *first), done, more=bool(last) or answer.has_block or answer.has_later):
        return False
    if parsed.block is not None and orders is not None:
        enter = order_block.report_meaning_of_orders if parsed.block.is_check_only else order_block.queue_orders
        enter(answer, parsed.block, orders)
    later.store_later_orders(answer, later_orders)
    if not _do_commands(answer, last, done):
        return False
    answer.opening += command_records.unparsed_sentences(answer, parsed.left)
    if parsed.empty and not answer.kind:
        return not prose.offer_orders_from_prose(answer) and help.answer_nothing_to_do(answer, COMMANDS)
    if parsed.block is None:
        order_block.report_quoted_orders(answer)
    return False


def _without_wrong_questions(parsed: ParsedLetter, refused: Sequence[CommandLine]) -> ParsedLetter | None:
    """Return a letter of questions without its wrong lines; None if none is left.

    None also if it holds more than questions: only effects are all or nothing, a wrong question does not stop
    the others.
    """
    valid = tuple(command for command in parsed.commands if command not in refused)
    only_questions = all(command.name in QUESTION_COMMANDS for command in parsed.commands) and all(
        is_misspelt_question(wrong) or prose_words.is_question(wrong.text) for wrong in parsed.wrong
    )
    if parsed.block is not None or parsed.later or not valid or not only_questions:
        return None
    return parsed._replace(commands=valid, wrong=())


_SETTINGS = ("language", "zone", "format", "map shown")


def _without_sent_block(
    answer: SeatAnswer, parsed: ParsedLetter, block: OrderBlock, orders: Orders
) -> tuple[ParsedLetter, Orders | None]:
    """Return the letter without a block that was sent before and is only quoted."""
    if not order_block.answer_if_resent(answer, block, orders):
        return parsed, orders
    parsed, answer.has_block = parsed._replace(block=None), answer.letter.quoted_block is False
    if parsed.empty and not answer.letter.quoted_block:
        answer.say("refusal")
        order_block.report_queued(answer)
    return parsed, None


def _objection(answer: SeatAnswer, command: CommandLine) -> Mistake | None:
    answer.look()
    return command_records.command_mistake(answer, COMMANDS_BY_NAME[command.name], command)


def _do_commands(answer: SeatAnswer, commands: Sequence[CommandLine], done: set[str], *, more: bool = False) -> bool:
    """Do commands in order; return False if one ended the game or gave up the seat.

    `done` are the names of earlier commands, `more` is True if something follows the last one.
    """
    was_over, holder = answer.game.state == "over", answer.seat.person_id
    for command in commands:
        answer.look()
        record = COMMANDS_BY_NAME[command.name]
        # Earlier commands may have used up what this one needs; questions use up nothing.
        is_repeated = command.name in done and not record.costly
        if is_repeated and (wrong := command_records.command_mistake(answer, record, command)) is not None:
            answer.say("answer", command_records.refusal_after(command, wrong))
            continue
        record.do(answer, command)
        command_records.count_command(answer, record, command)
        done.add(command.name)
        if (answer.game.state == "over") is not was_over or answer.seat.person_id != holder:
            if command is not commands[-1] or more:
                line = command.line
                answer.opening.append(msg("What your letter says below line {line} was not carried out.", line=line))
            return False
    return True
