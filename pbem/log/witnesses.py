"""SET WITNESS: a friend's machine that watches the log, so that the dice of a game can have grade A.

One letter asks him, with the newest checkpoint; nothing else is sent to that mailbox until a cosignature of it has come
back to the address that only this letter tells. From then on he is shown the log whenever a list of the game is
closed, besides the players. He is shown no orders, and what he writes is read as nothing but a cosignature or a
refusal of one: it is never answered.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import NamedTuple

from sqlmodel import Session

from pbem.audit import checkpoint, note, sees, signing, submission, witness, witnessing
from pbem.audit.blocks import Malformed
from pbem.audit.note import Key, parse_key
from pbem.audit.submission import Submission
from pbem.audit.witness import FILE, LONGEST, Asked, Refused, Saw, ShownList
from pbem.engine.data.messages import Msg, msg
from pbem.lazy import Logger
from pbem.letters import content, outbox
from pbem.log import log_health, sequencer
from pbem.mail.address import SeatAddress, base_address, check_address
from pbem.mail.attached import attached
from pbem.runtime import tokens
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import Act, Broken, Work
from pbem.store import queries, tables
from pbem.store.queries.log import LeafRow
from pbem.store.tables import log as t
from pbem.store.tables.log import Cosignature, Statement, WebCosignature, Witness

OATH, ASKS = "oath", "witness"
"""The kinds of letters to a witness: the one that asks whether he will be one, and those that show him the log."""

KINDS = (OATH, ASKS)

MOST_A_DAY = 3
"""How many people the players of a game may ask in a day to be witnesses."""

SEVERAL = 3
"""Letters in a row after which it is worth asking why nothing comes back."""

PATIENCE = 10
"""Letters in a row that a witness leaves unanswered before he is given up."""


def objection(work: Work, game: tables.Game, email: str, seat: tables.Seat | None) -> Msg | None:
    """Why nobody at this address can be asked to be a witness of a game now."""
    if Terms.read(game.terms).beacon == "none":
        return msg("The dice of this game wait for no beacon: a witness could prove nothing about them.")
    if game.state not in ("running", "held"):
        return msg("A witness watches a game that is being played.")
    try:
        check_address(email)
    except ValueError:
        return msg("No mail can be sent to {address}.", address=email)
    if work.server.own.holds(email):
        return msg("That is an address of this server.")
    own = seat.id if seat is not None else None
    if any(row.email == email.casefold() and row.seat_id != own for row in queries.log.active(work.session, game.id)):
        return msg("Somebody else has asked that witness already.")
    if queries.outbox.written_after(work.session, game.id, OATH, work.now - timedelta(days=1)) >= MOST_A_DAY:
        return msg("Enough strangers were written to for this game today: {count}.", count=MOST_A_DAY)
    return None


def appoint(work: Work, game: tables.Game, email: str, seat: tables.Seat | None, language: str) -> Witness:
    """Ask somebody to be a witness: for the player of a seat, or without one for whoever moderates. Broken if not."""
    why = objection(work, game, email, seat)
    if why is not None:
        raise Broken(why)
    own = seat.id if seat is not None else None
    row = Witness(game_id=game.id, seat_id=own, email=email.casefold(), language=language, asked=work.now)
    row.base = queries.log.base(work.session, row.email)
    work.session.add(row)
    work.session.flush()
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
    write(work, game, row, opening, f"{row.id}")
    return row


def dismiss(work: Work, game: tables.Game, row: Witness) -> None:
    """Ask somebody no more; if he had sworn, all players are told. What still waits to be sent to him is dropped."""
    sworn, row.state = row.state == "sworn", "off"
    work.session.add(row)
    for letter in queries.outbox.queued_to(work.session, game.id, row.email, KINDS):
        letter.state, letter.last_text = "failed", "the witness is asked no more"
        work.session.add(letter)
    work.session.flush()
    if sworn:
        told = msg("The witness {name} watches this game no more.", name=parse_key(row.key).label)
        phase = queries.phases.played_phase(work.session, game.id)
        outbox.to_all(
            work, game, phase, outbox.Circular(lambda zone: (told,), cause=f"witness {row.id} off", may_wait=True)
        )


def ask(work: Work, act: Act) -> None:
    """A list was closed: show the log to all who have sworn; whoever has left too many letters unanswered is let go."""
    game = act.game
    told = msg("The orders of a phase of {game} are closed; the state of the log is attached.", game=game.id)
    _ask_all(work, game, told, act.cause)


def ask_later(work: Work, game: tables.Game, cause: str) -> None:
    """A phase closes later than was said: that stands in the log, and is to be seen before it could be of use."""
    told = msg("A phase of {game} closes later than was said; the state of the log is attached.", game=game.id)
    _ask_all(work, game, told, cause)


def _ask_all(work: Work, game: tables.Game, told: Msg, cause: str) -> None:
    opening = (
        told,
        msg("If you want no more of these letters, do not answer them: after {count} they end.", count=PATIENCE),
    )
    for row in queries.log.active(work.session, game.id):
        if row.state != "sworn":
            continue
        if row.unanswered >= PATIENCE:
            dismiss(work, game, row)
            continue
        write(work, game, row, opening, cause)


def write(work: Work, game: tables.Game, row: Witness, opening: tuple[Msg, ...], about: str) -> None:
    """Queue a letter to a witness, or to who was asked to be one; the log is attached when it is rendered."""
    kind = ASKS if row.state == "sworn" else OATH
    head = outbox.head_of(work.server, game, None, None)._replace(address=work.server.witness_address(row))
    letter = content.Letter(kind, head, opening=opening).to_json()
    cause = f"witness {row.id} {about}"
    outbox.queue(work, letter, outbox.Envelope(row.email, row.language, game=game), cause)


def silent_witnesses(work: Work) -> tuple[Witness, ...]:
    """Witnesses of games that go on who were asked two days ago and leave a letter unanswered, or leave several."""
    return tuple(queries.log.silent(work.session, work.now - timedelta(days=2), SEVERAL))


# Letters of witnesses taken in, and what is attached to those that they get.
#
# A letter is a witness's by the address that it came to. Nothing in it is carried out: a cosignature, and what he says
# of closed lists, are verified and kept; a refusal is told to whoever has to know. Neither is answered, but where the
# witness holds another tree than his letter's proof began at he is shown the log once more, from there, a few times at
# most.


log = Logger(__name__)

LETTERS_AN_HOUR = 120
"""Letters of one witness that are read within an hour; what others write to addresses like his is none of them."""

_READ = ("cosigned", "malformed", "gap", "asked-again", *(f"refused-{why}" for why in witness.REASONS))
"""What can come of a letter that is read."""

GAPS = 3
"""How often in a row a witness is shown the log once more because he holds another tree."""


LISTS = 64
"""Lists of other games of which one letter shows as many as have room."""


class Attached(NamedTuple):
    """What is attached to a letter, for the witness of a row, and the size of the tree that it shows."""

    text: str
    witness: int
    size: int


def attach_logs(work: Work, rows: Iterable[tables.Outbox]) -> dict[int, Attached]:
    """The attachments of letters to witnesses, by the rows of the letters."""
    mine = [row for row in rows if row.kind in KINDS]
    head = sequencer.head(work.session) if mine else None
    if head is None:
        return {}
    out = {}
    for row in mine:
        active = queries.log.active(work.session, row.game_id or "")
        who = next((one for one in active if one.email == row.recipient), None)
        if who is None:
            continue
        grown = sequencer.grown(work.session, who.base, head.size) if who.base else None
        log_key = _key(work, head.note)
        asked = Asked(log_key, grown.size if grown else 0, grown.path if grown else (), head.note)
        asked = _with_lists(work.session, asked, row.game_id or "", head.size)
        out[row.id or 0] = Attached(witness.write(asked).decode("ascii"), who.id or 0, head.size)
    return out


def _with_lists(session: Session, asked: Asked, game: str, size: int) -> Asked:
    """What is asked, with the lists that are closed: those whose dice the game waits for, then others that are new.

    As many as have room; the rest stand in the files that everybody may read, and none of them is this game's.
    """
    own = queries.log.unrolled(session, game, size)
    others = queries.log.closes(session, asked.old, size, LISTS)
    rows = {row.number: LeafRow(**row.model_dump(exclude={"written"})) for row in (*own, *others)}
    for placed in sequencer.place(session, rows.values(), size):
        more = asked._replace(closes=(*asked.closes, ShownList(placed.at, placed.data, placed.path)))
        if len(witness.write(more)) > LONGEST:
            break
        asked = more
    return asked


def _key(work: Work, signed: bytes) -> Key:
    """The log's key that signs under the name in a checkpoint: each name of the log has its own."""
    name = checkpoint.body(note.parse(signed)).origin
    told = (note.parse_key(leaf("log")) for _, leaf in sequencer.rotates(work.session))
    return next((key for key in told if key.name == name), work.server.keys.secrets.first.log)


def note_shown(session: Session, shown: Iterable[Attached]) -> None:
    """Note, once the letters are stored, that the next proofs for these mailboxes begin where theirs end."""
    for one in shown:
        row = session.get_one(Witness, one.witness)
        row.unanswered += 1
        session.add(row)
        _set_base(session, row.email, one.size)


def _set_base(session: Session, email: str, size: int) -> None:
    for row in queries.log.by_email(session, email):
        row.base = size
        session.add(row)
    session.flush()


def receive_statement(work: Work, to: SeatAddress, raw: bytes, row: tables.Inbox) -> str:
    """Take in a letter to a witness's address; what came of it. It is not answered, whatever it says.

    `row.sender` becomes the witness whose address it is, whoever it says it is from: it is counted for him.
    """
    game = queries.games.game(work.session, to.game)
    asked = queries.log.active(work.session, to.game) if game is not None else ()
    mine = [
        row for row in asked if tokens.same(tokens.witness(work.server.keys.key, row.game_id, row.id or 0), to.token)
    ]
    if game is None or not mine:
        return "unknown"
    row.sender, since = base_address(mine[0].email), work.now - timedelta(hours=1)
    if queries.inbox.taken_since(work.session, "witness", since, _READ, row.sender) > LETTERS_AN_HOUR:
        return "over-budget"
    text = attached(raw, FILE, LONGEST)
    try:
        told = witness.parse(text) if text is not None else None
        if isinstance(told, Saw | Refused) and mine[0].key not in ("", told.key.text):
            raise Malformed(f"the key is {told.key.text}, not the one that swore")
        if isinstance(told, Saw):
            return _saw(work, game, mine[0], told)
        if isinstance(told, Refused):
            return _refused(work, game, mine[0], told)
    except Malformed as wrong:
        log.warning("a letter of a witness is worth nothing", witness=mine[0].id, why=str(wrong))
        return "malformed"
    return "malformed"


def _saw(work: Work, game: tables.Game, row: Witness, told: Saw) -> str:
    """Verify a cosignature and keep it; the first one is the oath, and tells the key."""
    secrets = work.server.keys.secrets
    if told.key.public in {key for one in (*secrets.former, secrets) for key in (one.log.public, one.dice.public)}:
        raise Malformed("the key is the server's own")
    kept = _note_of(work.session, told.size, told.root)
    if kept is None:
        raise Malformed(f"there was no such checkpoint of {told.size} leaves")
    signed = note.signed_by(kept, told.line)
    if told.key.name not in checkpoint.witnessed(signed, [told.key], signing.verify):
        raise Malformed("the cosignature is of another key")
    _keep_statement(work, row, told, checkpoint.body(note.parse(kept)).origin)
    first, row.state, row.key = row.state == "asked", "sworn", told.key.text
    row.unanswered = row.gaps = 0
    work.session.add(row)
    if not queries.log.has_cosigned(work.session, row, told.size):
        work.session.add(
            Cosignature(witness_id=row.id or 0, size=told.size, by=told.line.text, at=told.at, came=work.now)
        )
    work.session.flush()
    if first:
        _announce(work, game, row)
    return "cosigned"


def _keep_statement(work: Work, row: Witness, told: Saw, log: str) -> None:
    """Verify and keep what is said of closed lists, if anything is."""
    if not told.sees or queries.log.has_said(work.session, row, told.sees):
        return
    read = sees.read(told.sees)
    if read.said.tree.origin != log or not read.holds(told.key, signing.verify):
        raise Malformed("what is said of the lists is not signed by the key, or is about another log")
    work.session.add(Statement(witness_id=row.id or 0, size=told.size, said=told.sees, at=read.said.at, came=work.now))


def _note_of(session: Session, size: int, root: bytes) -> bytes | None:
    """The note of a tree that this log has signed; None if it has signed none of that size and root."""
    row = session.get(t.Checkpoint, size)
    return row.note if row is not None and checkpoint.body(note.parse(row.note)).root == root else None


def _announce(work: Work, game: tables.Game, row: Witness) -> None:
    def told(zone: str) -> tuple[Msg, ...]:
        return (
            msg("This game has a witness, {name}.", name=note.parse_key(row.key).label),
            msg(
                "When orders are closed he signs the log that holds them. If he does so before the beacon's round "
                "comes out, the dice have grade A, for whoever trusts that he is not this server: ask who he is, and "
                "let him tell you his key himself. The verifiers take it as --witness KEY."
            ),
        )

    key = content.block(msg("The key that his letter names"), [row.key])
    phase = queries.phases.played_phase(work.session, game.id)
    outbox.to_all(work, game, phase, outbox.Circular(told, cause=f"witness {row.id} sworn", blocks=(key,)))


def _refused(work: Work, game: tables.Game, row: Witness, told: Refused) -> str:
    """Show the log once more, or tell of a refusal: all players if the witness holds what this log has signed."""
    held = checkpoint.read(told.note, _key(work, told.note), signing.verify)
    if told.why == "doubled":
        return _doubled(work, game, row, told)
    same = _note_of(work.session, held.size, held.root) is not None
    if same and told.why == "gap":
        if row.gaps >= GAPS:
            return "gap"
        row.gaps += 1
        work.session.add(row)
        _set_base(work.session, row.email, held.size)
        again = (msg("The log once more, from the tree that you hold."),)
        about = f"gap {held.size} {row.gaps} {work.now.isoformat()}"
        write(work, game, row, again, about)
        return "asked-again"
    what = msg(
        "The witness {name} of {game} does not sign: {why}.", name=told.key.label, game=game.id, why=_WHY[told.why]
    )
    detail, cause = told.note.decode("utf-8"), f"witness {row.id} {told.why} {held.size}"
    outbox.to_operator(work, outbox.Notice(what, detail, cause=cause, game=game.id))
    if not same:
        phase = queries.phases.played_phase(work.session, game.id)
        ask = msg("Ask whoever runs this server why, and your witness what he has seen.")
        outbox.to_all(work, game, phase, outbox.Circular(lambda zone: (what, ask), cause=cause))
    return f"refused-{told.why}"


def _doubled(work: Work, game: tables.Game, row: Witness, told: Refused) -> str:
    """Tell everybody that one segment was closed twice, if the letter proves it."""
    log_key = _key(work, told.note)
    if not witnessing.is_doubled(told, log_key, signing.verify):
        raise Malformed("two leaves are shown, and they do not close one segment twice")
    what = msg(
        "The witness {name} of {game} does not sign: {why}.", name=told.key.label, game=game.id, why=_WHY[told.why]
    )
    where = sees.list_of(told.doubled[0].shown.data)
    detail, cause = witness.write(told).decode("ascii"), f"witness {row.id} doubled {where.leaf}"
    outbox.to_operator(work, outbox.Notice(what, detail, cause=cause, game=game.id))
    phase = queries.phases.played_phase(work.session, game.id)
    then = (what, msg("It was segment {segment} of {phase} in {game}.", **_place(where)))
    proof = content.block(msg("Both leaves, and the trees that hold them"), detail.splitlines())
    outbox.to_all(work, game, phase, outbox.Circular(lambda zone: then, cause=cause, blocks=(proof,)))
    return "refused-doubled"


def _place(where: sees.SeenList) -> dict[str, str | int]:
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
    """What is submitted: the size of the tree, the body of the request."""

    size: int
    body: bytes


def size_held(session: Session, key: Key) -> int:
    """The size of the largest tree that a witness is known to hold."""
    return queries.log.web_size(session, key.text)


def what_to_submit(work: Work, old: int) -> TreeToSubmit | None:
    """What to submit to a witness who holds the tree of `old` leaves; None if there is nothing that he has to see.

    Malformed if he holds more than there is: then this log was made smaller.
    """
    head = sequencer.head(work.session)
    size = head.size if head else 0
    if old > size:
        raise Malformed(f"a witness holds {old} leaves of the log, and there are {size}")
    if head is None or old == size or not queries.log.says_since(work.session, old, "close", "deadline"):
        return None
    if log_health.trouble(work) is not None:
        return None
    grown = sequencer.grown(work.session, old, size)
    return TreeToSubmit(size, submission.write(Submission(old, grown.path if grown else (), head.note)))


def take_cosignature(work: Work, key: Key, size: int, body: bytes) -> None:
    """Verify and keep what a witness has answered with 200; Malformed if it is not his cosignature of that tree."""
    line = submission.cosignature(body, key)
    signed = note.signed_by(work.session.get_one(t.Checkpoint, size).note, line)
    at = checkpoint.witnessed(signed, [key], signing.verify).get(key.name)
    if at is None or key.public in (work.server.keys.secrets.log.public, work.server.keys.secrets.dice.public):
        raise Malformed("the cosignature is of another key, or of the server's own")
    if size_held(work.session, key) < size:
        work.session.add(WebCosignature(key=key.text, size=size, by=line.text, at=at, came=work.now))
        work.session.flush()
