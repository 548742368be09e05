"""An entrant's letter being worked on.

Words mean here what they mean to an entrant: WITHDRAW leaves the tournament, ACCEPT takes what was offered. What a seat
of a game writes goes to the address of that seat, and is read by `pbem.server.catalogue`.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from pbem.engine.data.messages import Msg, msg
from pbem.letters import codes, content
from pbem.letters.codes import Asker
from pbem.letters.reception import Answer
from pbem.letters.role_commands import RoleCommand
from pbem.store import queries, tables
from pbem.tournaments import round_states


@dataclass(kw_only=True)
class EntrantAnswer(Answer):
    """An entrant's letter: his tournament, its row locked, himself, and what the one answer will say."""

    RANKS = ("refusal", "confirm", "joined", "settings", "status", "answer", "help")
    CALLED = MappingProxyType(
        {"refusal": content.NOT_DONE, "settings": msg("carried out"), "status": msg("how the tournament stands")}
    )

    event: tables.Tournament
    row: tables.Entrant
    inbox: tables.Inbox

    def wake(self) -> None:
        """Have the tournament look at what this letter changed, as soon as it is taken in."""
        if self.event.state in round_states.LIVE:
            self.event.wake = self.now
            self.session.add(self.event)
            self.session.flush()


EntrantCommand = RoleCommand[EntrantAnswer]
"""One command of an entrant's letter."""


def not_playing(answer: EntrantAnswer) -> Msg:
    """What somebody is told who does not play, and would have to."""
    event = answer.event.id
    if answer.row.state in ("waiting", "offered"):
        return msg("You are on the waiting list of {event}: who plays may do that.", event=event)
    if answer.row.state == "expelled":
        return msg("You were expelled from {event}: its director decides.", event=event)
    return msg("You do not play in {event} now: RETURN brings you back, while the rules let you in.", event=event)


def is_confirmed(answer: EntrantAnswer, code: str | None, asked: Msg, title: Msg, phrase: str) -> bool:
    """Whether a command that cannot be taken back bears its code; else the answer asks for it, by the whole `phrase`.

    Of a code that is not good the answer says so.
    """
    email = queries.persons.email_of(answer.session, answer.row.person_id) or ""
    request = ("entrant", answer.event.id, str(answer.row.number), str(answer.row.generation), phrase.casefold(), email)
    if code is None:
        word = Asker("", answer.row.language).code_word
        said = codes.please([asked], title, f"{phrase} {word} {codes.codes(answer.server, *request)[0]}")
        answer.say(said.kind, *said.sentences, blocks=said.blocks)
        return False
    if not codes.good(answer.server, code, *request):
        answer.say("answer", codes.stale(phrase))
        return False
    return True
