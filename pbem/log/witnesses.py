"""Ask witnesses, show them the log, and take in their letters (SET WITNESS).

One letter asks a friend, with the newest checkpoint; nothing else is sent to that mailbox until a cosignature of it
has come back to the address that only this letter names. From then on he is shown the log whenever orders of the
game are closed. He is shown no orders. His letters can only be a cosignature or a refusal, and are never answered.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import NamedTuple

from sqlmodel import Session

from pbem.audit import checkpoint, note, signing, submission, witness, witness_statement, witnessing
from pbem.audit.blocks import Malformed
from pbem.audit.note import Key, parse_key
from pbem.audit.submission import Submission
from pbem.audit.witness import LONGEST_TEXT, WITNESS_FILE, ShownList, WitnessAnswer, WitnessRefusal, WitnessRequest
from pbem.engine.data.messages import Msg, msg
from pbem.lazy import Logger
from pbem.letters import content, outbox
from pbem.log import log_health, sequencer
from pbem.mail.address import SeatAddress, base_address, check_address
from pbem.mail.attached import read_attachment
from pbem.runtime import tokens
from pbem.runtime.clock import DAY
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import Act, Transaction, UserError
from pbem.store import queries, tables
from pbem.store.queries.log import LeafRow
from pbem.store.tables import log as t
from pbem.store.tables.log import Cosignature, Statement, WebCosignature, Witness

OATH, ASKS = "oath", "witness"
"""The kinds of letters to a witness: the one that asks whether he will be one, and those that show him the log."""

KINDS = (OATH, ASKS)

MOST_A_DAY = 3
"""People whom the players of a game may ask in a day to be witnesses: each gets an unrequested letter."""

SEVERAL = 3
"""Unanswered letters in a row after which a witness counts as silent: one or two may be late or lost."""

MOST_UNANSWERED = 10
"""Unanswered letters in a row after which a witness is dismissed: he does not want them, or is away for weeks."""


def witness_refusal(tx: Transaction, game: tables.Game, email: str, seat: tables.Seat | None) -> Msg | None:
    """Return why nobody at this address can be a witness now, or None."""
    if Terms.read(game.terms).beacon == "none":
        return msg("The dice of this game wait for no beacon: a witness could prove nothing about them.")
    if game.state not in ("running", "held"):
        return msg("A witness watches a game that is being played.")
    try:
        check_address(email)
    except ValueError:
        return msg("No mail can be sent to {address}.", address=email)
    if tx.server.own.holds(email):
        return msg("That is an address of this server.")
    own = seat.id if seat is not None else None
    if any(
        row.email == email.casefold() and row.seat_id != own
        for row in queries.log.active_witnesses(tx.session, game.id)
    ):
        return msg("Somebody else has asked that witness already.")
    if queries.outbox.count_written_after(tx.session, game.id, OATH, tx.now - DAY) >= MOST_A_DAY:
        return msg("Enough strangers were written to for this game today: {count}.", count=MOST_A_DAY)
    return None


def appoint(tx: Transaction, game: tables.Game, email: str, seat: tables.Seat | None, language: str) -> Witness:
    """Ask somebody to be a witness, for a player or the moderator.

    Raise UserError if that is impossible.
    """
    why = witness_refusal(tx, game, email, seat)
    if why is not None:
        raise UserError(why)
    own = seat.id if seat is not None else None
    row = Witness(game_id=game.id, seat_id=own, email=email.casefold(), language=language, asked=tx.now)
    row.base = queries.log.largest_shown_size(tx.session, row.email)
    tx.session.add(row)
    tx.session.flush()
    opening = (
        msg("Somebody who plays {game} here by mail asks you to be a witness of its dice.", game=game.id),
        msg(
            "You would need no more than the program pbem and a mailbox: whenever orders are closed it gets the state "
            "of this server's log, holds it against what it saw before, and signs it. You are shown no orders."
        ),
        msg(
            "If `pbem witness` runs for this mailbox, it answers by itself. If not, or if you do not want it, do "
            "nothing: this is the only letter."
        ),
    )
    queue_letter(tx, game, row, opening, f"{row.id}")
    return row


def dismiss(tx: Transaction, game: tables.Game, row: Witness) -> None:
    """Stop asking a witness; notify all players if he had sworn.

    Letters that still wait to be sent to him are dropped.
    """
    sworn, row.state = row.state == "sworn", "off"
    tx.session.add(row)
    for letter in queries.outbox.queued_to(tx.session, game.id, row.email, KINDS):
        letter.state, letter.last_text = "failed", "the witness is asked no more"
        tx.session.add(letter)
    tx.session.flush()
    if sworn:
        sentence = msg("The witness {name} watches this game no more.", name=parse_key(row.key).label)
        phase = queries.phases.present_phase(tx.session, game.id)
        outbox.announce_to_all(
            tx, game, phase, outbox.Announcement(lambda zone: (sentence,), cause=f"witness {row.id} off", may_wait=True)
        )


def show_log(tx: Transaction, act: Act) -> None:
    """Show the log to all sworn witnesses after orders closed; dismiss silent ones."""
    game = act.game
    sentence = msg("The orders of a phase of {game} are closed; the state of the log is attached.", game=game.id)
    _show_all(tx, game, sentence, act.cause)


def show_later_closing(tx: Transaction, game: tables.Game, cause: str) -> None:
    """Show the log after a phase's closing was delayed, while that can help."""
    sentence = msg("A phase of {game} closes later than was said; the state of the log is attached.", game=game.id)
    _show_all(tx, game, sentence, cause)


def _show_all(tx: Transaction, game: tables.Game, sentence: Msg, cause: str) -> None:
    opening = (
        sentence,
        msg("If you want no more of these letters, do not answer them: after {count} they end.", count=MOST_UNANSWERED),
    )
    for row in queries.log.active_witnesses(tx.session, game.id):
        if row.state != "sworn":
            continue
        if row.unanswered >= MOST_UNANSWERED:
            dismiss(tx, game, row)
            continue
        queue_letter(tx, game, row, opening, cause)


def queue_letter(tx: Transaction, game: tables.Game, row: Witness, opening: tuple[Msg, ...], about: str) -> None:
    """Queue a letter to a witness; the log is attached when it is rendered."""
    kind = ASKS if row.state == "sworn" else OATH
    head = outbox.head_of(tx.server, game, None, None)._replace(address=tx.server.witness_address(row))
    letter = content.Letter(kind, head, opening=opening).to_json()
    cause = f"witness {row.id} {about}"
    outbox.queue_letter(tx, letter, outbox.Recipient(row.email, row.language, game=game), cause)


def silent_witnesses(tx: Transaction) -> tuple[Witness, ...]:
    """Return witnesses asked two days ago who leave letters unanswered."""
    return tuple(queries.log.silent_witnesses(tx.session, tx.now - timedelta(days=2), SEVERAL))


# Letters of witnesses taken in, and what is attached to those that they get.
#
# A letter is a witness's by the address that it came to. Nothing in it is carried out: a cosignature, and what he says
# of closed lists, are verified and kept; a refusal is told to whoever has to know. Neither is answered, but where the
# witness holds another tree than his letter's proof began at he is shown the log once more, from there, a few times at
# most.


log = Logger(__name__)

LETTERS_AN_HOUR = 120
"""Letters of one witness that are read within an hour: he is sent fewer, and reading costs time. Letters of other
senders to addresses like his do not count."""

_READ = ("cosigned", "malformed", "gap", "asked-again", *(f"refused-{why}" for why in witness.REFUSAL_REASONS))
"""The outcomes of letters of witnesses that are read."""

GAPS = 3
"""How often in a row a witness with another tree is shown the log again: letters that crossed are settled by the
first; after three he has another log."""


LISTS = 64
"""Closed lists of other games that are read for one letter, which shows as many as have room (`LONGEST_TEXT`): a large
server has more."""


class Attached(NamedTuple):
    """An attachment for a witness, and the size of the tree that it shows."""

    text: str
    witness: int
    size: int


def attach_logs(tx: Transaction, rows: Iterable[tables.Outbox]) -> dict[int, Attached]:
    """Return the attachments of letters to witnesses, by the letters' rows."""
    letters = [row for row in rows if row.kind in KINDS]
    head = sequencer.head(tx.session) if letters else None
    if head is None:
        return {}
    attachments = {}
    for row in letters:
        active = queries.log.active_witnesses(tx.session, row.game_id or "")
        addressee = next((candidate for candidate in active if candidate.email == row.recipient), None)
        if addressee is None:
            continue
        grown = sequencer.consistency_with(tx.session, addressee.base, head.size) if addressee.base else None
        log_key = _key(tx, head.note)
        asked = WitnessRequest(log_key, grown.size if grown else 0, grown.path if grown else (), head.note)
        asked = _with_lists(tx.session, asked, row.game_id or "", head.size)
        attachments[row.id or 0] = Attached(witness.write(asked).decode("ascii"), addressee.id or 0, head.size)
    return attachments


def _with_lists(session: Session, asked: WitnessRequest, game: str, size: int) -> WitnessRequest:
    """Add closed lists to a request, as many as have room.

    Lists for which the game's dice wait come first, then other new ones. Lists without room are in the public
    files, and none of them is this game's.
    """
    own = queries.log.closings_without_rolls(session, game, size)
    others = queries.log.closing_leaves(session, asked.old, size, LISTS)
    rows = {row.number: LeafRow(**row.model_dump(exclude={"written"})) for row in (*own, *others)}
    for placed in sequencer.place(session, rows.values(), size):
        more = asked._replace(closes=(*asked.closes, ShownList(placed.at, placed.data, placed.path)))
        if len(witness.write(more)) > LONGEST_TEXT:
            break
        asked = more
    return asked


def _key(tx: Transaction, signed: bytes) -> Key:
    """Return the log's key of the name in a checkpoint.

    Each name of the log has its own.
    """
    name = checkpoint.parse_checkpoint(note.parse(signed)).origin
    keys = (note.parse_key(leaf("log")) for _, leaf in sequencer.rotates(tx.session))
    return next((key for key in keys if key.name == name), tx.server.keys.secrets.first.log)


def note_shown(session: Session, shown: Iterable[Attached]) -> None:
    """Record, after storing, where the next proofs for some mailboxes begin."""
    for attachment in shown:
        row = session.get_one(Witness, attachment.witness)
        row.unanswered += 1
        session.add(row)
        _set_base(session, row.email, attachment.size)


def _set_base(session: Session, email: str, size: int) -> None:
    for row in queries.log.witnesses_by_email(session, email):
        row.base = size
        session.add(row)
    session.flush()


def receive_statement(tx: Transaction, to: SeatAddress, raw: bytes, row: tables.Inbox) -> str:
    """Receive a letter to a witness's address; return the verdict, never answer.

    `row.sender` becomes the witness whose address it went to, whatever its From: the letter counts as his.
    """
    game = queries.games.game(tx.session, to.game)
    asked = queries.log.active_witnesses(tx.session, to.game) if game is not None else ()
    witnesses = [
        row
        for row in asked
        if tokens.is_same_secret(tokens.witness_token(tx.server.keys.key, row.game_id, row.id or 0), to.token)
    ]
    if game is None or not witnesses:
        return "unknown"
    row.sender, since = base_address(witnesses[0].email), tx.now - timedelta(hours=1)
    if queries.inbox.count_taken(tx.session, "witness", since, _READ, row.sender) > LETTERS_AN_HOUR:
        return "over-budget"
    text = read_attachment(raw, WITNESS_FILE, LONGEST_TEXT)
    try:
        message = witness.parse(text) if text is not None else None
        if isinstance(message, WitnessAnswer | WitnessRefusal) and witnesses[0].key not in ("", message.key.text):
            raise Malformed(f"the key is {message.key.text}, not the one that swore")
        if isinstance(message, WitnessAnswer):
            return _take_cosignature(tx, game, witnesses[0], message)
        if isinstance(message, WitnessRefusal):
            return _take_refusal(tx, game, witnesses[0], message)
    except Malformed as wrong:
        log.warning("a letter of a witness is worth nothing", witness=witnesses[0].id, why=str(wrong))
        return "malformed"
    return "malformed"


def _take_cosignature(tx: Transaction, game: tables.Game, row: Witness, answer: WitnessAnswer) -> str:
    """Verify and store a cosignature; the first one is the oath, and states the key."""
    secrets = tx.server.keys.secrets
    if answer.key.public in {key for pair in (*secrets.former, secrets) for key in (pair.log.public, pair.dice.public)}:
        raise Malformed("the key is the server's own")
    known_note = _note_of(tx.session, answer.size, answer.root)
    if known_note is None:
        raise Malformed(f"there was no such checkpoint of {answer.size} leaves")
    signed = note.add_signatures(known_note, answer.line)
    if answer.key.name not in checkpoint.cosigning_times(signed, [answer.key], signing.verify):
        raise Malformed("the cosignature is of another key")
    _keep_statement(tx, row, answer, checkpoint.parse_checkpoint(note.parse(known_note)).origin)
    first, row.state, row.key = row.state == "asked", "sworn", answer.key.text
    row.unanswered = row.gaps = 0
    tx.session.add(row)
    if not queries.log.has_cosigned(tx.session, row, answer.size):
        tx.session.add(
            Cosignature(witness_id=row.id or 0, size=answer.size, by=answer.line.text, at=answer.at, came=tx.now)
        )
    tx.session.flush()
    if first:
        _announce(tx, game, row)
    return "cosigned"


def _keep_statement(tx: Transaction, row: Witness, answer: WitnessAnswer, log: str) -> None:
    """Verify and store a statement about closed lists, if there is one."""
    if not answer.sees or queries.log.has_statement(tx.session, row, answer.sees):
        return
    statement = witness_statement.read(answer.sees)
    if statement.said.tree.origin != log or not statement.holds(answer.key, signing.verify):
        raise Malformed("what is said of the lists is not signed by the key, or is about another log")
    tx.session.add(
        Statement(witness_id=row.id or 0, size=answer.size, said=answer.sees, at=statement.said.at, came=tx.now)
    )


def _note_of(session: Session, size: int, root: bytes) -> bytes | None:
    """Return the note of the signed tree of this size and root, or None."""
    row = session.get(t.Checkpoint, size)
    return row.note if row is not None and checkpoint.parse_checkpoint(note.parse(row.note)).root == root else None


def _announce(tx: Transaction, game: tables.Game, row: Witness) -> None:
    def sentences(zone: str) -> tuple[Msg, ...]:
        return (
            msg("This game has a witness, {name}.", name=note.parse_key(row.key).label),
            msg(
                "When orders are closed he signs the log that holds them. If he does so before the beacon's round "
                "comes out, the dice have grade A, for whoever trusts that he is not this server: ask who he is, and "
                "let him tell you his key himself. The verifiers take it as --witness KEY."
            ),
        )

    key = content.titled_block(msg("The key that his letter names"), [row.key])
    phase = queries.phases.present_phase(tx.session, game.id)
    outbox.announce_to_all(
        tx, game, phase, outbox.Announcement(sentences, cause=f"witness {row.id} sworn", blocks=(key,))
    )


def _take_refusal(tx: Transaction, game: tables.Game, row: Witness, refusal: WitnessRefusal) -> str:
    """Show the log again, or report a refusal to all players if it shows a fork."""
    held = checkpoint.read_signed(refusal.note, _key(tx, refusal.note), signing.verify)
    if refusal.why == "doubled":
        return _report_doubled(tx, game, row, refusal)
    same = _note_of(tx.session, held.size, held.root) is not None
    if same and refusal.why == "gap":
        if row.gaps >= GAPS:
            return "gap"
        row.gaps += 1
        tx.session.add(row)
        _set_base(tx.session, row.email, held.size)
        again = (msg("The log once more, from the tree that you hold."),)
        about = f"gap {held.size} {row.gaps} {tx.now.isoformat()}"
        queue_letter(tx, game, row, again, about)
        return "asked-again"
    sentence = msg(
        "The witness {name} of {game} does not sign: {why}.",
        name=refusal.key.label,
        game=game.id,
        why=_WHY[refusal.why],
    )
    detail, cause = refusal.note.decode("utf-8"), f"witness {row.id} {refusal.why} {held.size}"
    outbox.write_to_operator(tx, outbox.OperatorNotice(sentence, detail, cause=cause, game=game.id))
    if not same:
        phase = queries.phases.present_phase(tx.session, game.id)
        advice = msg("Ask whoever runs this server why, and your witness what he has seen.")
        outbox.announce_to_all(tx, game, phase, outbox.Announcement(lambda zone: (sentence, advice), cause=cause))
    return f"refused-{refusal.why}"


def _report_doubled(tx: Transaction, game: tables.Game, row: Witness, refusal: WitnessRefusal) -> str:
    """Notify everybody that a segment was closed twice, if the letter proves it."""
    log_key = _key(tx, refusal.note)
    if not witnessing.proves_double_list(refusal, log_key, signing.verify):
        raise Malformed("two leaves are shown, and they do not close one segment twice")
    sentence = msg(
        "The witness {name} of {game} does not sign: {why}.",
        name=refusal.key.label,
        game=game.id,
        why=_WHY[refusal.why],
    )
    closed = witness_statement.closed_list_of(refusal.doubled[0].shown.data)
    detail, cause = witness.write(refusal).decode("ascii"), f"witness {row.id} doubled {closed.leaf}"
    outbox.write_to_operator(tx, outbox.OperatorNotice(sentence, detail, cause=cause, game=game.id))
    phase = queries.phases.present_phase(tx.session, game.id)
    sentences = (sentence, msg("It was segment {segment} of {phase} in {game}.", **_place(closed)))
    proof = content.titled_block(msg("Both leaves, and the trees that hold them"), detail.splitlines())
    outbox.announce_to_all(tx, game, phase, outbox.Announcement(lambda zone: sentences, cause=cause, blocks=(proof,)))
    return "refused-doubled"


def _place(where: witness_statement.SeenList) -> dict[str, str | int]:
    return {"segment": where.segment, "phase": where.phase, "game": where.game}


_WHY: Mapping[str, Msg] = {
    "fork": msg("the log is not the one that he saw before"),
    "smaller": msg("the log has become smaller"),
    "gap": msg("the log does not begin with what he holds"),
    "doubled": msg("the log closed one segment of a phase with two lists"),
}


# Trees submitted to witnesses who are asked by HTTP (`audit.submission`), and what they have cosigned of them.
#
# Such a witness belongs to no game. He is asked when something stands in the log that has to be seen in time: a closed
# list, or a closing that was moved. His line says that the tree holds it, and nothing of what else the tree may hold.


class TreeToSubmit(NamedTuple):
    """The tree to submit: its size, and the body of the request."""

    size: int
    body: bytes


def size_at_witness(session: Session, key: Key) -> int:
    """Return the size of the largest tree that a witness is known to hold."""
    return queries.log.largest_web_size(session, key.text)


def what_to_submit(tx: Transaction, old: int) -> TreeToSubmit | None:
    """Return the submission for a witness with the tree of `old` leaves, or None.

    None if he has to see nothing new. Raise Malformed if he holds a larger tree than there is: then this log was
    made smaller.
    """
    head = sequencer.head(tx.session)
    size = head.size if head else 0
    if old > size:
        raise Malformed(f"a witness holds {old} leaves of the log, and there are {size}")
    if head is None or old == size or not queries.log.has_kind_since(tx.session, old, "close", "deadline"):
        return None
    if log_health.trouble(tx) is not None:
        return None
    grown = sequencer.consistency_with(tx.session, old, size)
    return TreeToSubmit(size, submission.write(Submission(old, grown.path if grown else (), head.note)))


def take_cosignature(tx: Transaction, key: Key, size: int, body: bytes) -> None:
    """Verify and store a witness's answer with status 200.

    Raise Malformed if it is not his cosignature of that tree.
    """
    line = submission.parse_cosignature(body, key)
    signed = note.add_signatures(tx.session.get_one(t.Checkpoint, size).note, line)
    time = checkpoint.cosigning_times(signed, [key], signing.verify).get(key.name)
    if time is None or key.public in (tx.server.keys.secrets.log.public, tx.server.keys.secrets.dice.public):
        raise Malformed("the cosignature is of another key, or of the server's own")
    if size_at_witness(tx.session, key) < size:
        tx.session.add(WebCosignature(key=key.text, size=size, by=line.text, at=time, came=tx.now))
        tx.session.flush()
