"""Codes that confirm what cannot be taken back: mailed to the registered address, good for some days.

Nothing is stored in between; a code follows from the server's key, the request and the day.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, time, timedelta
from typing import NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.languages import chosen
from pbem.engine.data.messages import Msg, msg
from pbem.letters import content
from pbem.runtime import tokens
from pbem.runtime.transaction import Server

DAYS = 7
"""How long a code is good."""


class Asker(NamedTuple):
    """Who asks: the address that is answered, and the language and time zone with which a seat of his would begin.

    `vouched` if the letter proved that it is his.
    """

    email: str
    language: str = "en"
    zone: str = "UTC"
    vouched: bool = False

    @property
    def code_word(self) -> str:
        """The word before a code in the line that he is to send back, in his language."""
        return chosen(self.language, "CODE", "CODIGO")


class Said(NamedTuple):
    """What a command says: the kind of answer that it makes, sentences, and blocks as in `letters`."""

    kind: str
    sentences: tuple[Msg, ...] = ()
    blocks: tuple[Json, ...] = ()


def codes(server: Server, *what: str) -> list[str]:
    """The codes that confirm a request now, today's first."""
    today = server.clock.now().toordinal()
    return [tokens.code(server.keys.key, today - ago, *what) for ago in range(DAYS)]


def good_until(now: datetime) -> datetime:
    """The moment from which a code that is given now is good no more."""
    return datetime.combine(now.astimezone(UTC).date() + timedelta(days=DAYS), time(), UTC)


def good(server: Server, code: str, *what: str) -> bool:
    """True if the code confirms that request."""
    return any(tokens.is_same(one, code) for one in codes(server, *what))


def please(asked: Sequence[Msg], title: Msg, line: str) -> Said:
    """Ask for the confirmation of what `asked` tells of, by sending `line` back; `title` stands above it."""
    how = msg(
        "Nothing has changed yet. If it was you, confirm by sending me this line within {days} days; if not, "
        "do nothing.",
        days=DAYS,
    )
    block = content.with_buttons(content.block(title, [line]), [(msg("Send this line"), line)])
    return Said("confirm", (*asked, how), (block,))


def stale(command: str) -> Msg:
    """The code is wrong or too old; `command` without one gets another."""
    return msg(
        "This code is not valid for that, or has expired. {command} without a code gets a new one.", command=command
    )
