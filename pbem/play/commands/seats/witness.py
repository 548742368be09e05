"""SET WITNESS: whose machine watches the log."""

from __future__ import annotations

import re

from pbem.audit.note import parse_key
from pbem.engine.data.messages import Msg, msg
from pbem.letters.commands import Form, Line
from pbem.letters.content import Mistake
from pbem.log import witnesses
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.command_records import Command, Often
from pbem.store import queries, tables
from pbem.store.tables.log import Witness

_WHOM = re.compile(r"(?P<off>off|stop|no|fin)|(?P<email>[^\s@]{1,64}@[^\s@]{1,190})|")
"""What follows SET WITNESS: an address, or OFF, or nothing."""


def set_(answer: SeatAnswer, command: Line) -> None:
    """Ask somebody to be a witness, in the place of whom this seat asked before; or dismiss him; or tell who is one."""
    wanted = _WHOM.fullmatch(command.rest)
    if wanted is None:
        raise ValueError(f"not what follows SET WITNESS: {command.rest!r}")
    session, game = answer.session, answer.game
    mine = [row for row in queries.log.active(session, game.id) if row.seat_id == answer.seat.id]
    for row in mine if command.rest else ():
        witnesses.dismiss(answer, game, row)
    if wanted["off"]:
        none = msg("You had asked nobody to be a witness.")
        answer.say("settings", msg("Your witness is asked no more.") if mine else none)
    elif wanted["email"]:
        witnesses.appoint(answer, game, wanted["email"], answer.seat, answer.seat.language)
        answer.say(
            "settings",
            msg("I have written to {address}, once, and asked for a first signature.", address=wanted["email"]),
            msg("When it comes all players are told, with the key of the witness. Until then nothing is changed."),
        )
    else:
        told = [_sentences(row, answer.seat) for row in queries.log.active(session, game.id)]
        answer.say("settings", *(told or [msg("This game has no witness.")]))


def set_wrong(answer: SeatAnswer, command: Line) -> Mistake | None:
    """A game that a witness is no use to, an address that cannot be his, or too many of them."""
    wanted = _WHOM.fullmatch(command.rest)
    if wanted is None or wanted["email"] is None:
        return None
    why = witnesses.objection(answer, answer.game, wanted["email"], answer.seat)
    return command.wrong(why, word=wanted["email"]) if why is not None else None


def _sentences(row: Witness, seat: tables.Seat) -> Msg:
    """What a player is told of a witness; the address only if he named it himself."""
    if row.state == "asked" and row.seat_id == seat.id:
        return msg("{address} was asked to be a witness, and has not answered.", address=row.email)
    if row.state == "asked":
        return msg("Somebody was asked to be a witness, and has not answered.")
    name = parse_key(row.key).label
    if row.seat_id == seat.id:
        return msg("Your witness is {name}, at {address}.", name=name, address=row.email)
    return msg("A witness of this game is {name}.", name=name)


def _named(command: Line) -> str:
    """The address of who is to be asked."""
    wanted = _WHOM.fullmatch(command.rest)
    return (wanted["email"] or "") if wanted is not None else ""


COMMANDS = (
    Command(
        Form(
            "witness",
            ("SET WITNESS", "WITNESS", "FIJAR TESTIGO", "TESTIGO"),
            _WHOM,
            "SET WITNESS friend@address",
            "FIJAR TESTIGO amigo@direccion",
        ),
        set_,
        check=set_wrong,
        help=(
            msg(
                "SET WITNESS friend@example.org, SET WITNESS OFF: whose machine watches the log. HELP dice tells of it."
            ),
        ),
        often=Often(phase=6),
        names=_named,
    ),
)
