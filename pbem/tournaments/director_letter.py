"""A director's letter: rulings that a code makes so, and questions; answered at his registered address alone.

::

    EXTEND R2 48h BECAUSE a mail server was away       shown beforehand, with a code
    CODE abcdefgh                                      made
    STATUS, STANDINGS, DOCKET, ROTATE, HELP            answered at once

All of a letter is done, or nothing of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from pbem.engine.data.messages import Msg, msg
from pbem.letters import codes, content, outbox, senders
from pbem.letters.commands import NOTHING, Form, Line
from pbem.letters.content import Head
from pbem.letters.reception import Claim, Incoming, Role, worth
from pbem.letters.role_commands import RoleCommand
from pbem.letters.rulings import HELP, Ruled, RulingAnswer, RulingLine, Rulings
from pbem.mail.address import SeatAddress
from pbem.play.seating import REPLACED
from pbem.runtime import tokens
from pbem.runtime.transaction import DIRECTOR, Work
from pbem.store import queries, tables
from pbem.tournaments import director_desk, post, rulings
from pbem.tournaments.commands.entrant_answer import EntrantAnswer
from pbem.tournaments.commands.questions import round_blocks, standing_blocks
from pbem.tournaments.entrant_rulings import Directed

_LAST = 20
"""Lines of the docket that are told."""


def _status(answer: DirectorAnswer, asked: Line) -> None:
    event = answer.event
    boards = round_blocks(answer, event, 0, event.director_language)
    shown = [*director_desk.blocks(answer, event), director_desk.entered(answer, event)]
    shown += [] if isinstance(boards, Msg) else boards
    answer.say("status", *director_desk.how_it_stands(answer, event), blocks=shown)


def _standings(answer: DirectorAnswer, asked: Line) -> None:
    answer.say("answer", blocks=standing_blocks(answer, answer.event, answer.event.director_language))


def _docket(answer: DirectorAnswer, asked: Line) -> None:
    rows = queries.tournaments.docket(answer.session, answer.event.id)[-_LAST:]
    lines = [f"{row.number}. {row.line} BECAUSE {row.reason}" for row in rows]
    nothing = () if lines else (msg("Nothing has been ruled yet."),)
    answer.say("answer", *nothing, blocks=[content.block(msg("The docket"), lines)] if lines else ())


def _rotate(answer: DirectorAnswer, asked: Line) -> None:
    event = answer.event
    event.director_generation += 1
    answer.session.add(event)
    answer.session.flush()
    address = answer.server.director_address(event)
    told = msg("You direct {event} from another address now: {address}.", event=event.id, address=address)
    answer.say("settings", told, REPLACED)


QUESTIONS = (
    RoleCommand(Form("status", ("STATUS", "ESTADO"), NOTHING, "STATUS", "ESTADO"), _status),
    RoleCommand(Form("standings", ("STANDINGS", "CLASIFICACION"), NOTHING, "STANDINGS", "CLASIFICACION"), _standings),
    RoleCommand(Form("docket", ("DOCKET", "REGISTRO"), NOTHING, "DOCKET", "REGISTRO"), _docket),
    RoleCommand(Form("rotate", ("ROTATE", "ROTAR"), NOTHING, "ROTATE", "ROTAR"), _rotate),
    HELP,
)
"""What a director may ask."""

KNOWN: Rulings[Directed] = Rulings(rulings.RULINGS, QUESTIONS)
"""All that a director may write."""


@dataclass(kw_only=True)
class DirectorAnswer(RulingAnswer, Directed):
    """A director's letter being worked on, his tournament, its row locked, and what the one answer will say."""

    KNOWN = KNOWN
    CALLED = EntrantAnswer.CALLED

    def context(self) -> Directed:
        return self

    def audience(self) -> Sequence[Msg]:
        rows = queries.tournaments.entrants(self.session, self.event.id)
        count = sum(row.state in post.THERE for row in rows)
        return [msg("All who play or wait to play: {count}.", count=count)]

    def draft(self) -> tables.Draft:
        """Begin a draft of his; his tournament stands by its docket."""
        return tables.Draft(
            tournament_id=self.about,
            generation=self.event.director_generation,
            lines="",
            asked=self.now,
            after=len(queries.tournaments.docket(self.session, self.about)),
        )

    def is_older_code(self, code: str, lines: Sequence[str]) -> bool:
        """Tell whether a code follows from these lines and the docket as it stands."""
        now = self.draft()
        return bool(lines) and codes.good(
            self.server, code, "director", self.about, str(now.generation), str(now.after), *lines
        )

    def rule(self, order: RulingLine) -> Ruled:
        """Make a ruling on his tournament."""
        return rulings.make(self, self.event, order)


@dataclass(frozen=True, kw_only=True)
class DirectorRole(Role[DirectorAnswer]):
    """The director of a tournament, its row locked."""

    NAME = "director"
    READER = KNOWN
    FALSE = msg("A letter to the director's address of {game} was not read: its From is false.")

    event: tables.Tournament

    def head(self, answer: DirectorAnswer | None = None) -> Head:
        """What heads a letter about his tournament."""
        return post.head_for(self.work, self.event)

    def envelope(self, answer: DirectorAnswer | None = None) -> outbox.Envelope:
        """His registered address."""
        return outbox.Envelope(self.email, self.event.director_language)

    def answer(self, incoming: Incoming) -> DirectorAnswer:
        """Begin the answer."""
        work, language = self.work, self.event.director_language
        return DirectorAnswer(
            **work.shared,
            about=self.about,
            language=language,
            zone=self.zone,
            event=self.event,
        )


def claim(work: Work, address: SeatAddress) -> Claim | None:
    """Find out whether an address speaks for a tournament's director; None if it is none of his."""
    event = queries.tournaments.tournament(work.session, address.game) if address.seat == DIRECTOR else None
    if event is None:
        return None
    kind = worth(address.token, event.director_generation, partial(tokens.director, work.server.keys.key, event.id))
    email = queries.persons.email_of(work.session, event.director_id) if kind == "token" else None
    if email is None:
        return Claim("rotated" if kind == "rotated" else "wrong")
    written = senders.written_by(work, DirectorRole.NAME, email)
    return Claim(
        "token", DirectorRole(work=work, about=event.id, email=email, zone=event.zone, written=written, event=event)
    )
