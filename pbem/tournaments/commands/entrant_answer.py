"""Hold an entrant's letter while it is processed.

Commands have the meaning that they have for an entrant: WITHDRAW leaves the tournament, ACCEPT takes an offer.
Letters about a game go to the address of its seat, and are read by `pbem.server.catalogue`.
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
    """An entrant's letter: his tournament (locked), his row, and the answer so far."""

    RANKS = ("refusal", "confirm", "joined", "settings", "status", "answer", "help")
    CALLED = MappingProxyType(
        {"refusal": content.NOT_CARRIED_OUT, "settings": msg("carried out"), "status": msg("how the tournament stands")}
    )

    event: tables.Tournament
    row: tables.Entrant
    inbox: tables.Inbox

    def wake(self) -> None:
        """Have the tournament act on this letter's changes when the letter is stored."""
        if self.event.state in round_states.LIVE:
            self.event.wake = self.now
            self.session.add(self.event)
            self.session.flush()


EntrantCommand = RoleCommand[EntrantAnswer]
"""One command of an entrant's letter."""


def not_playing_text(answer: EntrantAnswer) -> Msg:
    """Return the answer to a command that only players may use."""
    event = answer.event.id
    if answer.event.state in round_states.ENDED:
        return msg("{event} is over.", event=event)
    if answer.row.state in ("waiting", "offered"):
        return msg("You are on the waiting list of {event}: who plays may do that.", event=event)
    if answer.row.state == "expelled":
        return msg("You were expelled from {event}: its director decides.", event=event)
    return msg("You do not play in {event} now: RETURN brings you back, while the rules let you in.", event=event)


def is_confirmed(answer: EntrantAnswer, code: str | None, question: Msg, title: Msg, phrase: str) -> bool:
    """Return whether an irrevocable command has its code; else ask for it.

    The request repeats the whole `phrase`. An invalid code is answered as such.
    """
    email = queries.persons.email_of(answer.session, answer.row.person_id) or ""
    request = ("entrant", answer.event.id, str(answer.row.number), str(answer.row.generation), phrase.casefold(), email)
    if code is None:
        word = Asker("", answer.row.language).code_word
        reply = codes.ask_to_confirm(
            [question], title, f"{phrase} {word} {codes.valid_codes(answer.server, *request)[0]}"
        )
        answer.say(reply.kind, *reply.sentences, blocks=reply.blocks)
        return False
    if not codes.is_valid_code(answer.server, code, *request):
        answer.say("answer", codes.invalid_code(phrase))
        return False
    return True
