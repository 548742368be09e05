"""What a command is: how it is written, what it does, what can be wrong with it, what HELP tells of it.

Each stands below its functions, in the tuple at the end of their file; `catalogue` has all of them in order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from pbem.engine.data.messages import Msg
from pbem.letters.codes import Asker, Said
from pbem.letters.command_words import Form
from pbem.letters.content import Mistake
from pbem.letters.unparsed_lines import Line
from pbem.play.commands.answer import Answer
from pbem.runtime.transaction import Work
from pbem.store import queries

Visit = Callable[[Work, Asker, Line], Said]
"""What a command does for somebody without a seat, and says of it."""


class Often(NamedTuple):
    """How often a command may be used: in a letter; by one seat in a phase, in the game, in a day. 0 is no limit."""

    letter: int = 1
    phase: int = 0
    seat: int = 0
    day: int = 0


ONCE = Often()
"""The default: once in a letter, and as many letters as one likes."""


@dataclass(frozen=True)
class Command:
    """One command of a player's letter.

    `check` says what is wrong with it that only the game or the world knows, and is asked before anything is done.
    `visit` is what it does for somebody without a seat; one without it needs a seat. `help` is what HELP commands
    tells of it. `costly` marks a question that runs the rules. `often` says how often it may be used. HELP lists it
    where the game at hand `fits` it and it is `served` here. One `after_orders` is carried out when the orders of its
    letter are in, wherever it stands. `names` gives the
    address in a line of it that is written to because it stands there, or nothing.
    """

    form: Form
    do: Callable[[Answer, Line], None]
    check: Callable[[Answer, Line], Mistake | None] | None = None
    visit: Visit | None = None
    help: tuple[Msg, ...] = ()
    costly: bool = False
    often: Often = ONCE
    fits: Callable[[Answer], bool] | None = None
    served: Callable[[Work], bool] | None = None
    after_orders: bool = False
    names: Callable[[Line], str] | None = None


def for_seat(visit: Visit) -> Callable[[Answer, Line], None]:
    """Make of what a command does for visitors what it does for a seat: the asker is the seat's registered address."""

    def do(answer: Answer, line: Line) -> None:
        said = visit(answer, _asker(answer), line)
        answer.say(said.kind, *said.sentences)
        answer.blocks += said.blocks

    return do


def _asker(answer: Answer) -> Asker:
    """The player of the seat that wrote; LookupError if the seat has none."""
    email = queries.people.email_of(answer.session, answer.seat.person_id)
    if email is None:
        raise LookupError(f"nobody has the seat {answer.seat.name} of {answer.game.id}")
    return Asker(email, answer.seat.language, answer.seat.zone, vouched=True)
