"""The treasurer of a club, who may only read: a role in one file, as somebody would add one.

He writes LIST to ``pbem+club-treasurer-<token>@...`` and is told how many seats are taken in each game.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlmodel import select

from pbem.engine.data.messages import msg
from pbem.letters import content, outbox, senders
from pbem.letters.commands import NO_ARGUMENT, CommandForm, CommandLine
from pbem.letters.content import LetterHead
from pbem.letters.reception import AddressState, Answer, IncomingFromRole, Role
from pbem.letters.role_commands import RoleCommand, RoleCommands
from pbem.mail.address import SeatAddress, format_address
from pbem.runtime import tokens
from pbem.runtime.transaction import Server, Transaction
from pbem.store import tables

EMAIL = "tre@club.example"


@dataclass
class TreasurerAnswer(Answer):
    """A treasurer's letter, and what the one answer will say."""

    RANKS = ("refusal", "status", "answer", "help")


def list_(answer: TreasurerAnswer, asked: CommandLine) -> None:
    """How many play in each game."""
    taken = answer.session.exec(select(tables.Seat.game_id, tables.Seat.person_id)).all()
    games = sorted({game for game, _ in taken})
    lines = [f"{game}: {sum(person is not None for of, person in taken if of == game)}" for game in games]
    answer.say("status", blocks=[content.titled_block(msg("Seats that are taken"), lines)])


def help_(answer: TreasurerAnswer, asked: CommandLine) -> None:
    """What he can write."""
    answer.say("help", msg("LIST, HELP"))


HELP = RoleCommand(CommandForm("help", ("HELP", "AYUDA"), NO_ARGUMENT, "HELP", "AYUDA"), help_)
LIST = RoleCommand(CommandForm("list", ("LIST", "LISTA"), NO_ARGUMENT, "LIST", "LISTA"), list_)
KNOWN: RoleCommands[TreasurerAnswer] = RoleCommands((LIST, HELP), HELP)


@dataclass(frozen=True, kw_only=True)
class TreasurerRole(Role[TreasurerAnswer]):
    """The treasurer of the club."""

    NAME = "treasurer"
    READER = KNOWN
    FALSE = msg("A letter to the treasurer's address of {game} was not read: its From is false.")

    def head(self, answer: TreasurerAnswer | None = None) -> LetterHead:
        """What heads a letter to him."""
        return LetterHead(address=address(self.work.server))

    def envelope(self, answer: TreasurerAnswer | None = None) -> outbox.Recipient:
        """His registered address."""
        return outbox.Recipient(self.email, "en")

    def answer(self, incoming: IncomingFromRole) -> TreasurerAnswer:
        """Begin the answer."""
        return TreasurerAnswer(**self.work.context_fields)


def address(server: Server) -> str:
    """Where he writes to."""
    token = tokens.seat_token(server.keys.key, "club", "treasurer", 1)
    return format_address(SeatAddress(server.settings.local, "club", "treasurer", token, server.settings.domain))


def claim(work: Transaction, to: SeatAddress) -> AddressState | None:
    """Find out whether an address speaks for him."""
    if (to.game, to.seat) != ("club", "treasurer"):
        return None
    if not tokens.is_same_secret(tokens.seat_token(work.server.keys.key, "club", "treasurer", 1), to.token):
        return AddressState("wrong")
    written = senders.count_letters_by(work, TreasurerRole.NAME, EMAIL)
    return AddressState("token", TreasurerRole(work=work, about="the club", email=EMAIL, written=written))
