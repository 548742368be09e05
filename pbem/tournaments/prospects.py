"""Word the next steps for an entrant: welcome, entry list, waiting list."""

from __future__ import annotations

from pbem.engine.data.messages import Msg, msg
from pbem.letters.content import days_in_words, hours_in_words, moment_in_words
from pbem.runtime.transaction import Transaction
from pbem.store import queries, tables
from pbem.tournaments import challenges, contenders, entry, post, record, teams
from pbem.tournaments.arithmetic.entering import needs_approval
from pbem.tournaments.arithmetic.rules import ends
from pbem.tournaments.arithmetic.rules.records import TournamentRules

_WAITS = ("waiting", "offered")
_DIRECTOR_ASKED = msg("the director is asked")


def welcome_entrant(tx: Transaction, event: tables.Tournament, row: tables.Entrant) -> post.LetterContent:
    """Return the first letter to an entrant: number, address and next steps."""
    address = tx.server.entrant_address(row)
    values = {"title": event.title, "event": event.id, "number": row.number}
    team = contenders.team_of(tx, row)
    opening = [
        *(teams.welcome_to_team(tx, event, team, row) if team is not None else ()),
        msg("You are in {title} ({event}), as e{number}.", **values)
        if row.state == "in"
        else msg("Your number in {title} ({event}) is e{number}.", **values)
        if row.state == teams.ASKS
        else msg("You ask to play in {title} ({event}), as e{number}.", **values)
        if needs_approval(record.rules_of(event))
        else msg("You wait for a place in {title} ({event}), as e{number}.", **values),
        msg(
            "Whatever you write about it goes to {address}: answering this letter is enough. Your games have addresses "
            "of their own.",
            address=address,
        ),
        msg("Whoever knows this address can write for you: keep it to yourself. HELP lists what you can write."),
        *([] if row.state in ("in", teams.ASKS) else waiting_list_lines(tx, event, row)),
        *(open_entry_lines(tx, event, row) if event.state == "open" else _first_round_lines(tx, event, row)),
    ]
    about = _ABOUT[row.state if row.state in _ABOUT else "waiting"]
    about = _DIRECTOR_ASKED if row.state == "waiting" and needs_approval(record.rules_of(event)) else about
    return post.LetterContent(about, opening, kind="invitation")


_ABOUT = {
    "in": msg("you are in"),
    "asks": msg("your captain is asked"),
    "waiting": msg("you are on the waiting list"),
}


def open_entry_lines(tx: Transaction, event: tables.Tournament, row: tables.Entrant) -> list[Msg]:
    """Return the state of the entry list, its closing, and the next steps."""
    rules = record.rules_of(event)
    closes = record.closing_time(event)
    closing_line = msg("The list of entrants shuts when its director says so.")
    if closes is not None:
        closing_line = msg("The list of entrants shuts on {when}, by itself.", when=moment_in_words(closes, row.zone))
    longest = max(_longest_days(event, stage) for stage in range(len(rules.stage)))
    return [
        msg("{taken} of {places} places are taken.", taken=entry.taken_places(tx, event), places=rules.entry.places),
        closing_line,
        msg(
            "Line-ups for round 1 are wanted within {gap} from then on; then all are mailed its list, which is drawn "
            "{hours} later.",
            gap=hours_in_words(rules.round.gap_hours),
            hours=hours_in_words(rules.round.list_hours),
        )
        if rules.teams.boards
        else msg(
            "Then all are mailed the list of round 1, which is drawn {hours} later.",
            hours=hours_in_words(rules.round.list_hours),
        ),
        msg(
            "Rounds: {count} at most; each is over after {days} at the latest.",
            count=ends.most_rounds(rules),
            days=days_in_words(longest),
        ),
        *record.holiday_lines(rules),
        *_ladder_lines(rules),
    ]


def _ladder_lines(rules: TournamentRules) -> list[Msg]:
    """E3.5 Return how and when challenges are possible on a ladder."""
    first = rules.stage[0]
    if first.format != challenges.LADDER:
        return []
    return [
        msg(
            "It is a ladder: from the list of round 1 on you may ask somebody at most {reach} {reach:|place|places} "
            "above you to meet you in the round after (CHALLENGE).",
            reach=first.reach,
        ),
    ]


def _longest_days(event: tables.Tournament, stage: int) -> int:
    """Return the longest duration of a round of a stage, in days.

    `stage` counts from 0.
    """
    rules = record.rules_of(event)
    return rules.stage[stage].days or rules.round.days or ends.latest_round_end(rules, event.phases, stage).days


def _first_round_lines(tx: Transaction, event: tables.Tournament, row: tables.Entrant) -> list[Msg]:
    """Return the first round of a late entrant."""
    if row.state != "in":
        return []
    return [msg("You play from round {number} on: its list is mailed to you when it shuts.", number=row.since)]


def waiting_list_lines(tx: Transaction, event: tables.Tournament, row: tables.Entrant) -> list[Msg]:
    """E1 Return an entrant's place on the waiting list, and what may be offered."""
    rules, rows = record.rules_of(event), queries.tournaments.entrants(tx.session, event.id)
    if needs_approval(rules):
        return [msg("The director decides whether you play, and you are told. Until then you do not.")]
    queue = [
        waiting.number
        for waiting in rows
        if waiting.state in _WAITS and 0 not in record.numbers_from_column(waiting.declined)
    ]
    has_places = entry.may_begin(tx, event)
    lines = [msg("You are on the waiting list.")]
    if row.number in queue:
        lines = [
            msg(
                "You are on the waiting list, in place {place} of {count}.",
                place=queue.index(row.number) + 1,
                count=len(queue),
            )
        ]
    elif has_places:
        lines.append(msg("A place was offered to you before, and passed on: none is offered again."))
    if has_places:
        lines.append(
            msg(
                "A place that gets free is offered to the first of you, until the list of round {number} "
                "shuts: ACCEPT within {hours} takes it, DECLINE or silence leaves it to the next.",
                # Without late rounds it is the list of the first.
                number=max(1, rules.late_rounds),
                hours=hours_in_words(rules.left.offer_hours),
            )
        )
    # Stages count from 1, and 0 is before the first: all are to come then.
    stages = rules.stage[max(0, event.stage - 1) :]
    if any(record.rules_offer_seat(rules, stage, never=never) for stage in stages for never in (False, True)):
        lines.append(msg("The seat of who leaves or falls silent at a table is offered likewise."))
    elif not has_places:
        lines.append(msg("No place and no seat gets free any more: who leaves loses his games."))
    return lines
