"""Codes that confirm irreversible actions.

They are mailed to the registered address, and valid for some days. Nothing is stored until the code comes back: a
code is computed from the server's key, the request and the day.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, time, timedelta
from typing import NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.languages import pick_phrase
from pbem.engine.data.messages import Msg, msg
from pbem.letters import content
from pbem.runtime import tokens
from pbem.runtime.transaction import Server

CODE_DAYS = 7
"""Days that a code is good: who reads mail once a week can still use it, and an old letter found by others opens
nothing."""


class Asker(NamedTuple):
    """An author who asks: his address, and language and time zone for a seat of his.

    `vouched` is whether the letter proved that the address is his.
    """

    email: str
    language: str = "en"
    zone: str = "UTC"
    vouched: bool = False

    @property
    def code_word(self) -> str:
        """Return the word before a code in the line to send back, translated."""
        return pick_phrase(self.language, "CODE", "CODIGO")


class CommandReply(NamedTuple):
    """The reply of a command: kind of answer, sentences, and blocks as in `letters`.

    `language` is the language of the answer, if the command asked for one.
    """

    kind: str
    sentences: tuple[Msg, ...] = ()
    blocks: tuple[Json, ...] = ()
    language: str = ""


def valid_codes(server: Server, *request: str) -> list[str]:
    """Return the codes that confirm a request now, today's first."""
    today = server.clock.now().toordinal()
    return [tokens.confirmation_code(server.keys.key, today - ago, *request) for ago in range(CODE_DAYS)]


def code_expiry(now: datetime) -> datetime:
    """Return the moment at which a code that is given now expires."""
    return datetime.combine(now.astimezone(UTC).date() + timedelta(days=CODE_DAYS), time(), UTC)


def is_valid_code(server: Server, code: str, *request: str) -> bool:
    """Return whether the code confirms that request."""
    return any(tokens.is_same_secret(valid_code, code) for valid_code in valid_codes(server, *request))


def ask_to_confirm(action: Sequence[Msg], title: Msg, line: str) -> CommandReply:
    """Ask to confirm an action by sending `line` back; it stands below `title`."""
    instructions = msg(
        "Nothing has changed yet. If it was you, confirm by sending me this line within {days} days; if not, "
        "do nothing.",
        days=CODE_DAYS,
    )
    block = content.with_buttons(content.titled_block(title, [line]), [(msg("Send this line"), line)])
    return CommandReply("confirm", (*action, instructions), (block,))


def invalid_code(command: str) -> Msg:
    """Return the message that a code is wrong or expired.

    `command` is what gets another code.
    """
    return msg(
        "This code is not valid for that, or has expired. {command} without a code gets a new one.", command=command
    )
