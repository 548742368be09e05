"""Word how a tournament is played, and the next steps for an entrant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Msg, msg
from pbem.letters import content
from pbem.letters.content import days_in_words, hours_in_words, moment_in_words
from pbem.runtime.transaction import Server, Transaction
from pbem.store import queries, tables
from pbem.tournaments import challenges, contenders, entry, post, record, sheets, teams
from pbem.tournaments.arithmetic.entering import needs_approval
from pbem.tournaments.arithmetic.rules import ends
from pbem.tournaments.arithmetic.rules.records import StageRules, TournamentRules, scenarios_of

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
    return post.LetterContent(about, opening, [how_it_is_played(tx.server, event)], kind="invitation")


_FORMATS: Mapping[str, Msg] = MappingProxyType(
    {
        "swiss": msg("Swiss, {rounds} {rounds:|round|rounds} [E3.1]"),
        "robin": msg("round robin, everybody meets everybody [E3.2]"),
        "knockout": msg("knockout [E3.3]"),
        "double": msg("double elimination [E3.4]"),
        "ladder": msg("ladder, {rounds} {rounds:|round|rounds} [E3.5]"),
        "league": msg("league in divisions, everybody of one meets everybody [E3.7]"),
    }
)


def how_it_is_played(server: Server, event: tables.Tournament) -> Json:
    """Return the block of what the rules decide: battles, clock, stages, prizes."""
    rules = record.rules_of(event)
    titles = server.plugins.games(event.system).editions()
    battles = tuple(titles.get(name, name) for name in scenarios_of(rules))
    half, places = rules.table.bank_hours // 2, [prize for prize in rules.prizes if prize.place]
    lines = [
        msg("Battle: {battles}.", battles=battles)
        if len(battles) == 1
        else msg("Battles: {battles}.", battles=battles),
        msg(
            "Time: {step} for a turn; beyond that EXTEND gives {extra} in all, and VACATION as many.",
            step=hours_in_words(rules.table.step_hours),
            extra=hours_in_words(half),
        )
        if half
        else msg("Time: {step} for a turn.", step=hours_in_words(rules.table.step_hours)),
        *(
            line
            for number, stage in enumerate(rules.stage, 1)
            for line in _stage_lines(number, stage, rules.ties.order)
        ),
        *(msg("Prize of place {place}: {prize}.", place=prize.place, prize=prize.text) for prize in places),
        msg("RULES E3.1 sends the rule of that number."),
    ]
    return content.sentence_block(msg("How it is played"), [(0, line) for line in lines], whole=True)


def _stage_lines(number: int, stage: StageRules, order: Sequence[str]) -> list[Msg]:
    """Return what a stage is, who plays it, and how they are ranked or go on."""
    manner = msg(_FORMATS[stage.format].text, rounds=stage.rounds)
    line = msg("Stage {number}: {manner}.", number=number, manner=manner)
    if stage.each:
        line = msg(
            "Stage {number}: {manner}, for the best {count} of each division.",
            number=number,
            manner=manner,
            count=stage.each,
        )
    elif stage.take:
        line = msg("Stage {number}: {manner}, for the best {count}.", number=number, manner=manner, count=stage.take)
    onward = msg("Of two the one with more points goes on, then with the greater margin, then the better seed [E3.10].")
    first = {"ladder": ("place",), "league": ("division",)}.get(stage.format, ())
    ranked_by = tuple(sheets.CRITERIA[word] for word in (*first, *(() if stage.format == "ladder" else order)))
    further = (
        (stage.format not in record.BRACKETS, msg("Ranked by {criteria} [E7].", criteria=ranked_by)),
        (stage.format == "knockout", onward),
        (stage.third, msg("Third place is played for too [E3.14].")),
        (stage.sides == "mirror", msg("Each table is two games at once, one on each side [E5.4].")),
        (stage.sides == "duplicate", msg("All tables of a round have the same luck [E8].")),
    )
    return [line, *(sentence for is_so, sentence in further if is_so)]


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
        seat_line = msg("The seat of who leaves or falls silent at a table is offered to the first of you.")
        lines.append(
            msg("The seat of who leaves or falls silent at a table is offered likewise.") if has_places else seat_line
        )
    elif not has_places:
        lines.append(msg("No place and no seat gets free any more: who leaves loses his games."))
    return lines
