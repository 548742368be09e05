"""What is decided about a tournament by somebody: lines of its docket, numbered, with reasons, each with its leaf.

A docket has the director's rulings, the verdicts of juries, and what the rules decided in the place of either. Of a
dispute it is told here what the words of votes make of it, and what comes next.
"""

from __future__ import annotations

from pbem.engine.data.languages import chosen
from pbem.engine.data.messages import Msg, msg
from pbem.letters.content import when
from pbem.runtime.transaction import Work
from pbem.store import queries, tables
from pbem.tournaments import leaves

UPHOLD, DENY, DRAW = VOTES = ("UPHOLD", "DENY", "DRAW")
"""Who disputes is given the game; the result stands; the game is drawn. Of an unfinished game UPHOLD gives it to the
first side, and DENY to the second."""
_SPANISH = dict(zip(VOTES, ("ESTIMAR", "DESESTIMAR", "TABLAS"), strict=True))
WORDS = {word.lower(): vote for vote in VOTES for word in (vote, _SPANISH[vote])}
"""Votes in both languages, folded."""


def note_verdict(work: Work, event: tables.Tournament, line: str, reason: str) -> int:
    """Write the next line of the docket, and its leaf, and return its number."""
    number = 1 + max((row.number for row in queries.tournaments.docket(work.session, event.id)), default=0)
    row = tables.Docket(tournament_id=event.id, number=number, at=work.now, line=line, reason=reason)
    work.session.add(row)
    work.session.flush()
    text = f"{number}. {line} BECAUSE {reason}"
    says = (("number", str(number)), ("text", leaves.sha256_of(text)))
    leaves.note(work, event, "verdict", says, text)
    return number


def vote_word(vote: str, language: str) -> str:
    """A word of `VOTES` as a reader writes it."""
    return chosen(language, vote, _SPANISH[vote])


def would_be(word: str, who: str) -> Msg:
    """What a word of `VOTES` makes of a dispute that `who` raised, or nobody."""
    if word == DRAW:
        return msg("The game is drawn.")
    if word == DENY:
        return msg("The result stands.") if who else msg("The game is given to the second side.")
    return msg("The game is given to {who}.", who=who) if who else msg("The game is given to the first side.")


def is_asked(work: Work, dispute: tables.Dispute) -> bool:
    """Whether jurors were drawn: an appeal goes to others."""
    return any(vote.appeal == dispute.appealed for vote in queries.tournaments.votes(work.session, dispute.id))


def next_step(work: Work, event: tables.Tournament, dispute: tables.Dispute, zone: str) -> Msg:
    """What happens next to a dispute that is not final, by itself and until when, and what its parties may do."""
    at, number = when(dispute.until, zone), dispute.number
    if dispute.state == "director":
        return msg(
            "D{number} lies with the director; if he has not ruled by {when}, a jury by lot decides.",
            number=number,
            when=at,
        )
    if dispute.state == "jury" and dispute.until <= work.now:
        return msg("The jurors of D{number} are drawn by lot now.", number=number)
    if dispute.state == "jury" and not is_asked(work, dispute):
        return msg("The jurors of D{number} are drawn by lot at {when}.", number=number, when=at)
    if dispute.state == "jury":
        return msg(
            "D{number} lies with a jury. Who of it has not voted by {when} is replaced; where nobody is left to "
            "vote {otherwise}",
            number=number,
            when=at,
            otherwise=_without_votes(dispute),
        )
    if dispute.appealed or not dispute.by:
        return msg("D{number} is decided, and final.", number=number)
    return msg(
        "Either side may write APPEAL D{number} by {when}, once: then a jury of others decides. If neither "
        "does, it is final.",
        number=number,
        when=at,
    )


def _without_votes(dispute: tables.Dispute) -> Msg:
    if dispute.appealed:
        return msg("what was decided stands.")
    return msg("the result stands.") if dispute.by else msg("the game is drawn.")
