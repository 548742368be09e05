"""A player's letter to the address of his seat: its commands, and the orders.

A letter is all or nothing: its effects are made only when no line of it is wrong. Commands write rows and gather
what the answer says; the one answer is made at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import NamedTuple

from pbem.engine.data.messages import Msg, by_number, msg
from pbem.engine.terms import Orders
from pbem.letters import command_lines, outbox, senders
from pbem.letters.command_lines import Block, Understood
from pbem.letters.commands import Line
from pbem.letters.content import Head, Mistake
from pbem.letters.reception import Claim, Incoming, Role, worth
from pbem.log import log_health
from pbem.mail import quoting
from pbem.mail.address import SeatAddress, base_address
from pbem.mail.authentication import Evidence
from pbem.mail.inbound import IncomingLetter, Ours
from pbem.play import deadlines, log_entries, war_progress
from pbem.play.commands import command_records
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.orders import cancel, later, order_block, prose, suggested_corrections
from pbem.play.commands.questions import help
from pbem.play.positions import read_position
from pbem.runtime import limits, tokens
from pbem.runtime.transaction import Transaction
from pbem.server import bounces, deduplicate
from pbem.server.catalogue import BY_NAME, COMMANDS, FORMS, QUESTIONS, is_question, offered_in
from pbem.store import queries, tables
from pbem.store.queries.phases import StoredState
from pbem.store.queries.seats import SeatStatus


@dataclass(frozen=True, kw_only=True)
class SeatRole(Role[SeatAnswer]):
    """The player of a seat: the game that his letter is about, its row locked, its last state, and who sits there."""

    NAME = "seat"
    READS_FORGED = True

    seat: tables.Seat
    table: tables.Game
    kept: StoredState | None
    sittings: tuple[SeatStatus, ...]

    def head(self, answer: SeatAnswer | None = None) -> Head:
        """What heads a letter about his seat and, if it was read, the phase that the game is in."""
        return outbox.head_of(self.work.server, self.table, self.seat, answer.current if answer is not None else None)

    def envelope(self, answer: SeatAnswer | None = None) -> outbox.Envelope:
        """His registered address, in the language of his seat."""
        return outbox.Envelope(self.email, self.seat.language, self.seat, self.table)

    def answer(self, incoming: Incoming) -> SeatAnswer:
        """Begin the answer, with the game as it stands. He was there: what came back before is behind him."""
        tx, game = self.work, self.table
        bounces.forget_bounces(tx.session, self.seat)
        deadlines.record_presence(tx, self.seat)
        log_health.note_shown_trees(tx, game, incoming.raw)
        answer = SeatAnswer(
            **tx.shared,
            game=game,
            seat=self.seat,
            letter=incoming.letter,
            inbox=incoming.row,
            here=read_position(tx, game, self.kept) if game.state != "forming" else None,
            phase=self.sittings[0].phase,
            sittings=self.sittings,
        )
        if answer.phase is None and game.state in ("running", "held"):
            answer.closed = queries.phases.closed_phase(tx.session, game.id)
        return answer

    def wants(self, text: str) -> bool:
        """Tell whether a text holds orders or commands."""
        said = self._read(text)
        return said.block is not None or bool(said.commands) or bool(said.later)

    def carry_out(self, answer: SeatAnswer, text: str) -> bool:
        """Do what a text says, and note in the log what it orders."""
        nothing = carry_out(answer, self._read(text))
        if answer.here is not None and answer.phase is not None:
            came = log_entries.CarriedOut(answer.inbox, answer.seat, answer.queued, answer.in_force, answer.going)
            log_entries.note_orders(answer, answer.here, answer.phase, came)
        return nothing

    def essence(self, text: str) -> object:
        """The orders and commands of a text."""
        return self._read(text).essence

    def own_words(self, head: IncomingLetter) -> Ours:
        """The form that his seat was sent, and the sentences of the letter that he answers."""
        templates = {self.seat.nonce: _fingerprint(self.seat.template)} if self.seat.template else {}
        return Ours(templates, partial(order_block.our_sentences, self.work, self.seat, head))

    def notes_on_sender(self, sender: str, evidence: Evidence) -> Sequence[Msg]:
        """What to tell of a From that is false or a fellow player's (each time), or new (the first time).

        The token alone decides whose a letter is, so such a letter is carried out; but the registered address hears of
        it.
        """
        false = msg(
            "Somebody else wrote this letter, in the name of {address}: its From is false. It came to your seat's "
            "address, and so it counts.",
            address=sender,
        )
        lies = (false,) if evidence == "fail" else ()
        vouched = _PROVEN if evidence == "pass" else _UNPROVEN
        came, way_out = senders.notes_on_other_address(self.email, sender) or (None, senders.ROTATE)
        if came is not None and self._is_new(sender):
            came = msg("This letter came from {address}, from where none of your seat came before.", address=sender)
        elif not self._is_fellow(sender):
            return (*lies, way_out) if lies else ()
        return (came, vouched, *lies, way_out) if came is not None else ()

    def is_enough(self, answer: SeatAnswer) -> bool:
        """Tell whether he has been answered the same often enough."""
        return deduplicate.is_enough(answer)

    def _read(self, text: str) -> Understood:
        return command_lines.read(text, FORMS, self.work.server.settings.limits)

    def _is_new(self, sender: str) -> bool:
        """Whether letters of the seat come from an address for the first time; from now on they do not."""
        email, people = base_address(sender), queries.persons
        person = people.person_by_email(self.work.session, sender) or people.person_by_email(self.work.session, email)
        if person is not None and person.id == self.seat.person_id:
            return False
        if people.wrote_from(self.work.session, self.seat, email):
            return False
        self.work.session.add(tables.Writer(seat_id=self.seat.id or 0, email=email, first=self.work.now))
        self.work.session.flush()
        return True

    def _is_fellow(self, sender: str) -> bool:
        """Whether an address is the registered one of somebody else at the same table."""
        others = (one.email for one in self.sittings if one.seat.person_id != self.seat.person_id)
        return any(email is not None and base_address(email) == base_address(sender) for email in others)


_PROVEN = msg("Its sender was verified.")
_UNPROVEN = msg("Its sender could not be verified.")
_fingerprint = lru_cache(maxsize=256)(quoting.fingerprint)
"""Of templates, each of which comes back with every letter of its phase."""


def claim(tx: Transaction, address: SeatAddress) -> Claim | None:
    """Find out which seat an address speaks for; None if it is that of no seat of a game.

    A player who gave a seat up speaks for it no more; the next one gets another token.
    """
    game = queries.games.game(tx.session, address.game)
    if game is None:
        return None
    sittings, kept = queries.seats.statuses(tx.session, game.id, tx.now - senders.HOUR)
    sitting = next((one for one in sittings if one.seat.name == address.seat), None)
    if sitting is None:
        return None
    seat = sitting.seat
    kind = worth(address.token, seat.generation, partial(tokens.token, tx.server.keys.key, game.id, seat.name))
    if kind != "token" or sitting.email is None:
        return Claim("rotated" if kind == "rotated" else "wrong")
    role = SeatRole(
        work=tx,
        about=game.id,
        email=sitting.email,
        zone=seat.zone,
        written=sitting.letters,
        game=game.id,
        seat=seat,
        table=game,
        kept=kept,
        sittings=sittings,
    )
    return Claim("token", role)


# What a letter does.


class _Meant(NamedTuple):
    """What a letter is taken to say, once what belongs together was gathered.

    `headless` if its orders have no ORDERS above them, `replaces` if they stand in the place of those sent before.
    """

    said: Understood
    headless: bool
    replaces: bool


def carry_out(answer: SeatAnswer, said: Understood) -> bool:
    """Do what the letter says, or nothing of it, and fill in the answer; return whether it says nothing.

    Commands above the block are carried out first, so that CANCEL and new orders in one letter leave the new ones;
    those below it come after it.
    """
    if said.excess is not None:
        answer.say("refusal", *limits.explain_excess(said.excess))
        return False
    _tell_of_heir(answer)
    meant = _gathered(answer, said)
    asked = _gather_mistakes(answer, meant.said)
    said = asked or meant.said
    answer.look()
    wanted, kept = None, []
    if said.block is not None:
        wanted = order_block.check_against_game(answer, said.block, replace=meant.replaces)
    if not answer.kind:
        kept = later.check_blocks(answer, said.later, replace=meant.replaces)
    if answer.kind:
        if said.block is not None and said.later:
            answer.opening.append(msg("What you wrote for later was not kept either: send it by itself."))
        return False
    if (answer.errors or meant.headless) and _is_refused(answer, said, asked, headless=meant.headless):
        return False
    if said.block is not None and wanted is not None and not meant.replaces:
        said, wanted = _without_older(answer, said, said.block, wanted)
    return _do_all(answer, said, wanted, kept)


def _tell_of_heir(answer: SeatAnswer) -> None:
    """Tell where a war goes on whose part is over."""
    if answer.game.state == "over" and (heir := war_progress.seat_in_newest_game(answer, answer.seat)) is not None:
        address = answer.server.seat_address(heir)
        answer.opening.append(
            msg("The war goes on in {game}; there you write to {address}.", game=heir.game_id, address=address)
        )


def _gathered(answer: SeatAnswer, said: Understood) -> _Meant:
    """Take together what a letter says in prose, in lines without a head, and for a phase that is open by now."""
    if answer.letter.quoted_block and cancel.has_cancel(said.commands):
        # Whoever takes orders back does not mean those that his letter merely quotes.
        said = said._replace(block=None)
    letter = prose.apply_confirmation(answer, said)
    by_code = letter is not said
    gathered = suggested_corrections.collect_orders(answer, letter, FORMS)
    headless = gathered.block is not None and letter.block is None
    gathered = suggested_corrections.cut_after_orders(answer, gathered, FORMS)
    said = suggested_corrections.join_broken_lines(answer, later.promote_due_block(answer, gathered))
    kept_commands, told = command_records.apply_letter_limits(said.commands, BY_NAME)
    said = said._replace(commands=kept_commands)
    answer.opening += told
    answer.has_block, answer.has_later = said.block is not None, bool(said.later)
    return _Meant(said, headless, by_code or cancel.has_replace(said.commands))


def _gather_mistakes(answer: SeatAnswer, said: Understood) -> Understood | None:
    """Note all that is wrong; return what is left of a letter of questions alone, None if it is another one."""
    answer.errors += [*said.wrong, *command_records.order_mistakes(answer, said)]
    objections = [(one, wrong) for one in said.commands if (wrong := _objection(answer, one)) is not None]
    answer.errors += [wrong for _, wrong in objections]
    return _without_wrong_questions(said, [command for command, _ in objections]) if answer.errors else None


def _is_refused(answer: SeatAnswer, said: Understood, asked: Understood | None, *, headless: bool) -> bool:
    """Offer what would mend a letter that has mistakes; return whether nothing of it is done."""
    if headless:
        answer.opening.append(msg("Your letter has orders, but ORDERS and the turn must stand above them, END below."))
    blocks = [*([said.block] if said.block is not None else []), *said.later]
    if not (blocks or said.commands) and prose.offer(answer):
        answer.errors.clear()
        return True
    command_records.mark_commands_in_blocks(answer, blocks, FORMS)
    if said.block is not None:
        prose.suggest(answer, said.block)
    else:
        prose.suggest_odds(answer)
    answer.errors.sort(key=lambda wrong: wrong.rejected.line)
    speak = answer.server.rules_of(answer.game).telling.spoken
    answer.errors = [offered_in(answer.seat.language, speak, wrong) for wrong in answer.errors]
    if headless or (answer.errors and asked is None):
        suggested_corrections.refuse(answer, blocks, said.commands)
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


def _do_all(answer: SeatAnswer, said: Understood, wanted: Orders | None, kept: Sequence[later.LaterOrders]) -> bool:
    """Carry the letter out from its first line to its last; return whether it says nothing."""
    # How letters are written holds for the whole of this one, wherever it stands.
    settings = tuple(one for one in said.commands if one.name in _SETTINGS)
    first, last = (
        tuple(one for one in some if one not in settings)
        for some in (command_records.commands_above(said), command_records.commands_below(said))
    )
    done = set[str]()
    if said.block is not None and not said.block.verify:
        last = (*(one for one in first if BY_NAME[one.name].after_orders), *last)
        first = tuple(one for one in first if not BY_NAME[one.name].after_orders)
    if not _do(answer, (*settings, *first), done, more=bool(last) or answer.has_block or answer.has_later):
        return False
    if said.block is not None and wanted is not None:
        put = order_block.verify if said.block.verify else order_block.queue
        put(answer, said.block, wanted)
    later.store_later_orders(answer, kept)
    if not _do(answer, last, done):
        return False
    answer.opening += command_records.unparsed_sentences(said.left)
    if said.empty and not answer.kind:
        return not prose.offer(answer) and help.answer_nothing_to_do(answer, COMMANDS)
    if said.block is None:
        order_block.report_quoted_orders(answer)
    return False


def _without_wrong_questions(said: Understood, refused: Sequence[Line]) -> Understood | None:
    """Return a letter of questions alone without its wrong lines; None if it does more, or if none is left.

    All or nothing is for what is done: a question that cannot be answered does not keep the others from it.
    """
    left = tuple(command for command in said.commands if command not in refused)
    asks = all(one.name in QUESTIONS for one in said.commands) and all(map(is_question, said.wrong))
    if said.block is not None or said.later or not left or not asks:
        return None
    return said._replace(commands=left, wrong=())


_SETTINGS = ("language", "zone", "format", "map shown")


def _without_older(
    answer: SeatAnswer, said: Understood, block: Block, wanted: Orders
) -> tuple[Understood, Orders | None]:
    """The letter without its block if that was sent before and is asked about; the answer says so."""
    if not order_block.was_sent(answer, block, wanted):
        return said, wanted
    said, answer.has_block = said._replace(block=None), answer.letter.quoted_block is False
    if said.empty and not answer.letter.quoted_block:
        answer.say("refusal")
        order_block.report_queued(answer)
    return said, None


def _objection(answer: SeatAnswer, command: Line) -> Mistake | None:
    answer.look()
    return command_records.objection(answer, BY_NAME[command.name], command)


def _do(answer: SeatAnswer, said: Sequence[Line], done: set[str], *, more: bool = False) -> bool:
    """Carry the commands out, in their order; False once one of them has ended the game or given the seat up.

    `done` are the names of those that were, `more` tells whether there is something to be done after the last.
    """
    over, holder = answer.game.state == "over", answer.seat.person_id
    for command in said:
        answer.look()
        record = BY_NAME[command.name]
        # What came before it may have used up what it needs; questions use nothing up.
        again = command.name in done and not record.costly
        if again and (wrong := command_records.objection(answer, record, command)) is not None:
            answer.say("answer", command_records.refusal_after(command, wrong))
            continue
        record.do(answer, command)
        command_records.count_command(answer, record, command)
        done.add(command.name)
        if (answer.game.state == "over") is not over or answer.seat.person_id != holder:
            if command is not said[-1] or more:
                line = command.line
                answer.opening.append(msg("What your letter says below line {line} was not carried out.", line=line))
            return False
    return True
