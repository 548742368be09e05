"""Choose a witness of the log for a seat (SET WITNESS)."""

from __future__ import annotations

import re

from pbem.audit.note import parse_key
from pbem.engine.data.messages import Msg, msg
from pbem.letters.commands import CommandForm, CommandLine
from pbem.letters.content import Mistake
from pbem.log import witnesses
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.command_records import LetterCommand, RateLimit
from pbem.store import queries, tables
from pbem.store.tables.log import Witness

# About as long as an address may be, as in ADDRESS.
_WHOM = re.compile(r"(?P<off>off|stop|no|fin)|(?P<email>[^\s@]{1,64}@[^\s@]{1,190})|")
"""Argument of SET WITNESS: an address, OFF, or nothing."""


def set_witness(answer: SeatAnswer, command: CommandLine) -> None:
    """Ask somebody to witness for this seat, dismiss a witness, or list all."""
    match = _WHOM.fullmatch(command.rest)
    if match is None:
        raise ValueError(f"not what follows SET WITNESS: {command.rest!r}")
    session, game = answer.session, answer.game
    own_rows = [row for row in queries.log.active_witnesses(session, game.id) if row.seat_id == answer.seat.id]
    for row in own_rows if command.rest else ():
        witnesses.dismiss(answer, game, row)
    if match["off"]:
        no_witness = msg("You had asked nobody to be a witness.")
        answer.say("settings", msg("Your witness is asked no more.") if own_rows else no_witness)
    elif match["email"]:
        witnesses.appoint(answer, game, match["email"], answer.seat, answer.seat.language)
        answer.say(
            "settings",
            msg("I have written to {address}, once, and asked for a first signature.", address=match["email"]),
            msg("When it comes all players are told, with the key of the witness. Until then nothing is changed."),
        )
    else:
        sentences = [_witness_sentence(row, answer.seat) for row in queries.log.active_witnesses(session, game.id)]
        answer.say("settings", *(sentences or [msg("This game has no witness.")]))


def check_witness(answer: SeatAnswer, command: CommandLine) -> Mistake | None:
    """Refuse a game without witnesses, an invalid address, or too many witnesses."""
    match = _WHOM.fullmatch(command.rest)
    if match is None or match["email"] is None:
        return None
    reason = witnesses.witness_refusal(answer, answer.game, match["email"], answer.seat)
    return command.wrong(reason, word=match["email"]) if reason is not None else None


def _witness_sentence(row: Witness, seat: tables.Seat) -> Msg:
    """Return a player's sentence on a witness; the address only if he named it."""
    if row.state == "asked" and row.seat_id == seat.id:
        return msg("{address} was asked to be a witness, and has not answered.", address=row.email)
    if row.state == "asked":
        return msg("Somebody was asked to be a witness, and has not answered.")
    name = parse_key(row.key).label
    if row.seat_id == seat.id:
        return msg("Your witness is {name}, at {address}.", name=name, address=row.email)
    return msg("A witness of this game is {name}.", name=name)


def _address_to_write_to(command: CommandLine) -> str:
    """Return the address of the person to be asked."""
    match = _WHOM.fullmatch(command.rest)
    return (match["email"] or "") if match is not None else ""


COMMANDS = (
    LetterCommand(
        CommandForm(
            "witness",
            ("SET WITNESS", "WITNESS", "FIJAR TESTIGO", "TESTIGO"),
            _WHOM,
            "SET WITNESS friend@address",
            "FIJAR TESTIGO amigo@direccion",
        ),
        set_witness,
        check=check_witness,
        help=(
            msg(
                "SET WITNESS friend@example.org, SET WITNESS OFF: whose machine watches the log. HELP dice tells of it."
            ),
        ),
        often=RateLimit(phase=6),
        names=_address_to_write_to,
    ),
)
