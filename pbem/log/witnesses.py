"""SET WITNESS: a friend's machine that watches the log, so that the dice of a game can have grade A.

One letter asks him, with the newest checkpoint; nothing else is sent to that mailbox until a cosignature of it has come
back to the address that only this letter tells. From then on he is shown the log whenever a list of the game is
closed, besides the players. He is shown no orders, and what he writes is read as nothing but a cosignature or a
refusal of one: it is never answered.
"""

from __future__ import annotations

from datetime import timedelta

from pbem.audit.note import parse_key
from pbem.engine.data.messages import Msg, msg
from pbem.letters import content, outbox
from pbem.mail.address import check_address
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import Act, Broken, Work
from pbem.store import queries, tables
from pbem.store.tables.log import Witness

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


def silent(work: Work) -> tuple[Witness, ...]:
    """Witnesses of games that go on who were asked two days ago and leave a letter unanswered, or leave several."""
    return tuple(queries.log.silent(work.session, work.now - timedelta(days=2), SEVERAL))
