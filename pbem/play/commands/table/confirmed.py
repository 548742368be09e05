"""Commands that cannot be taken back: each is answered with a code first, and done when it comes with the code.

`phrase` is the command in the words of its reader.
"""

from __future__ import annotations

import re

from pbem.engine.data.messages import Msg
from pbem.letters import codes
from pbem.letters.codes import Asker
from pbem.letters.content import Mistake
from pbem.letters.unparsed_lines import Line
from pbem.play.commands.answer import Answer
from pbem.store import queries

CODE = re.compile(r"(?:(?:code|codigo) (?P<code>[a-z2-7]{8}))?")
"""What follows each of them: nothing, or the code that was mailed back."""


def is_so(answer: Answer, command: Line, phrase: str, asked: Msg, title: Msg) -> bool:
    """Return True if the command bears its code; else the answer asks for it."""
    found = CODE.fullmatch(command.rest)
    if found is not None and found["code"]:
        return True
    code = codes.codes(answer.server, *_request(answer, command))[0]
    word = Asker("", answer.seat.language).code_word
    said = codes.please([asked], title, f"{phrase} {word} {code}")
    answer.say(said.kind, *said.sentences)
    answer.blocks += said.blocks
    return False


def wrong(answer: Answer, command: Line, phrase: str) -> Mistake | None:
    """Return the mistake of a code that is not good any more, if there is one."""
    found = CODE.fullmatch(command.rest)
    if found and found["code"] and not codes.good(answer.server, found["code"], *_request(answer, command)):
        return command.wrong(codes.stale(phrase))
    return None


def _request(answer: Answer, command: Line) -> tuple[str, ...]:
    email = queries.people.email_of(answer.session, answer.seat.person_id) or ""
    return (command.name, answer.game.id, answer.seat.name, str(answer.seat.generation), email)
