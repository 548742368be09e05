"""Record verdicts in a tournament's docket, numbered, with reasons and leaves.

A docket has the director's rulings, the verdicts of juries, and the decisions that the rules make in their place.
For letters this module words the effect of a vote, and the next step of a dispute.
"""

from __future__ import annotations

from functools import partial

from pbem.engine.data.languages import in_each_language, pick_phrase
from pbem.engine.data.messages import Msg, msg
from pbem.letters import content
from pbem.letters.content import moment_in_words
from pbem.runtime.transaction import Transaction
from pbem.store import queries, tables
from pbem.tournaments import leaves

UPHOLD, DENY, DRAW = VOTES = ("UPHOLD", "DENY", "DRAW")
"""The disputing entrant wins; the result stands; the game is drawn. In an unfinished game UPHOLD gives it to the
first side, and DENY to the second."""
FORFEIT, WARN, HOURS = "FORFEIT", "WARN", "HOURS"
"""The other side has lost by forfeit, is warned, or loses hours of its clock."""
DISPUTED = (*VOTES, FORFEIT, WARN)
"""The votes on a dispute about a game that somebody raised."""
_SPANISH = {
    UPHOLD: "ESTIMAR",
    DENY: "DESESTIMAR",
    DRAW: "TABLAS",
    FORFEIT: "PERDER",
    WARN: "ADVERTIR",
    HOURS: "HORAS",
}
WORDS = {word.lower(): vote for vote in DISPUTED for word in (vote, _SPANISH[vote])} | {
    "game": UPHOLD,
    "partida": UPHOLD,
    "nothing": DENY,
    "nada": DENY,
}
"""Votes in both languages, folded."""


def record_verdict(tx: Transaction, event: tables.Tournament, line: str, reason: str) -> tables.Docket:
    """Add the next line of the docket, and its leaf, and return the line.

    What is no ASCII is escaped in the leaf's text (``\\xf1``), since the attachments that show it are plain ASCII.
    """
    number = 1 + max((row.number for row in queries.tournaments.docket(tx.session, event.id)), default=0)
    row = tables.Docket(tournament_id=event.id, number=number, at=tx.now, line=line, reason=reason)
    tx.session.add(row)
    tx.session.flush()
    text = f"{number}. {line} BECAUSE {reason}".encode("ascii", "backslashreplace").decode("ascii")
    says = (("number", str(number)), ("text", leaves.sha256_of(text)))
    leaves.record_leaf(tx, event, "verdict", says, text)
    return row


def vote_in_language(vote: str, language: str) -> str:
    """Return a word of `VOTES` in a language."""
    return pick_phrase(language, vote, _SPANISH[vote])


def votes_on(dispute: tables.Dispute) -> tuple[str, ...]:
    """Return the words that decide a dispute.

    A claim, and a game cut off by the end of its round, accuse nobody: they have no word for a penalty.
    """
    if dispute.board_id is None:
        return (UPHOLD, DENY)
    return DISPUTED if dispute.by and not dispute.claim else VOTES


def vote_words(dispute: tables.Dispute) -> tuple[Msg, ...]:
    """Return the words that decide a dispute, in the reader's language."""
    return tuple(in_each_language(partial(vote_in_language, vote)) for vote in votes_on(dispute))


def wrong_vote_text(dispute: tables.Dispute) -> Msg:
    """Return the error for a word that cannot decide a dispute."""
    return msg("D{number} is decided by one of these: {words}.", number=dispute.number, words=vote_words(dispute))


def outcome_word(word: str, hours: str = "") -> str:
    """Return the outcome of a dispute as it is stored: ``UPHOLD``, ``HOURS 24``."""
    return f"{HOURS} {int(hours)}" if hours else WORDS[word]


def verdict_text(dispute: tables.Dispute, word: str, disputing: str, accused: str = "") -> Msg:
    """Return the effect of an outcome of a dispute.

    `disputing` is empty if the dispute has no disputant.
    """
    if dispute.board_id is None:
        upheld = msg("Ruling {number} is taken back.", number=dispute.docket or 0)
        return upheld if word == UPHOLD else msg("Ruling {number} stands.", number=dispute.docket or 0)
    if dispute.claim and word == DENY:
        return msg("The claim is denied.")
    if dispute.claim == DRAW.lower() and word == UPHOLD:
        word = DRAW
    if word == DRAW:
        return msg("The game is drawn.")
    if word == DENY:
        return msg("The result stands.") if disputing else msg("The game is given to the second side.")
    if word == FORFEIT:
        return msg("{who} has lost the game by forfeit.", who=accused)
    if word == WARN:
        return msg("{who} is warned. The result stands.", who=accused)
    if word.startswith(HOURS):
        return msg("The clock of {who} is charged with {hours}. The result stands.", who=accused, hours=_hours(word))
    return (
        msg("The game is given to {who}.", who=disputing) if disputing else msg("The game is given to the first side.")
    )


def _hours(word: str) -> Msg:
    return content.hours_in_words(penalty_hours(word))


def penalty_hours(word: str) -> int:
    """Return the hours of an outcome ``HOURS 24``."""
    return int(word.split(" ")[1])


def has_jury(tx: Transaction, dispute: tables.Dispute) -> bool:
    """Return whether the present jury was drawn; an appeal has another jury."""
    return any(vote.appeal == dispute.appealed for vote in queries.tournaments.votes(tx.session, dispute.id))


def next_step_of_dispute(tx: Transaction, event: tables.Tournament, dispute: tables.Dispute, zone: str) -> Msg:
    """Return an open dispute's next step, deadline, and the parties' options."""
    deadline, number = moment_in_words(dispute.until, zone), dispute.number
    if dispute.state == "director":
        return msg(
            "D{number} lies with the director; if he has not ruled by {when}, a jury by lot decides.",
            number=number,
            when=deadline,
        )
    if dispute.state == "jury" and dispute.until <= tx.now:
        return msg("The jurors of D{number} are drawn by lot now.", number=number)
    if dispute.state == "jury" and not has_jury(tx, dispute):
        return msg("The jurors of D{number} are drawn by lot at {when}.", number=number, when=deadline)
    if dispute.state == "jury":
        return msg(
            "D{number} lies with a jury. Who of it has not voted by {when} is replaced; where nobody is left to "
            "vote {otherwise}",
            number=number,
            when=deadline,
            otherwise=_without_votes(dispute),
        )
    if dispute.appealed or not dispute.by:
        return msg("D{number} is decided, and final.", number=number)
    return msg(
        "Either side may write APPEAL D{number} by {when}, once: then a jury of others decides. If neither "
        "does, it is final.",
        number=number,
        when=deadline,
    )


def _without_votes(dispute: tables.Dispute) -> Msg:
    if dispute.appealed:
        return msg("what was decided stands.")
    if dispute.board_id is None:
        return msg("the ruling stands.")
    return msg("the result stands.") if dispute.by else msg("the game is drawn.")


def private_reason_lines(row: tables.Docket) -> tuple[Msg, ...]:
    """Return the private part of a ruling's reason as a line for those it names."""
    return (msg("Only those whom this ruling names are told: {reason}", reason=row.private),) if row.private else ()
