"""E3.5 Manage the challenges of a ladder: round, limits and results.

A challenge is for the next round whose list is open. An open challenge has no effect; an accepted one is logged,
and is in the list of its round if the ladder allows it when the list closes. Nobody is in two valid challenges of a
round: if two were accepted, the first is valid.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from pbem.engine.data.messages import Msg, msg
from pbem.letters.content import moment_in_words
from pbem.runtime.transaction import Transaction
from pbem.store import queries, tables
from pbem.tournaments import contenders, leaves, record, round_states
from pbem.tournaments.arithmetic.entrants import Entrant
from pbem.tournaments.arithmetic.pairing import boards, ladder
from pbem.tournaments.arithmetic.pairing.drawn import RoundInput
from pbem.tournaments.arithmetic.rules.records import manner_of

Names = Mapping[int, str]
LADDER = "ladder"
"""The format that has challenges."""


class UpcomingRound(NamedTuple):
    """The round that challenges are for now, by its numbers overall and in its stage.

    `shuts` is the closing time of its list, None until the round before it is over. The round before ends at `ends`
    at the latest (None if unknown), and `gap` hours follow.
    """

    number: int
    stage: int
    within: int
    shuts: datetime | None
    ends: datetime | None
    gap: int


def has_ladder(event: tables.Tournament) -> bool:
    """Return whether a stage of the tournament is a ladder."""
    return any(stage.format == LADDER for stage in record.rules_of(event).stage)


def upcoming_round(tx: Transaction, event: tables.Tournament) -> UpcomingRound | Msg:
    """Return the round that challenges are for now, or the reason why there is none."""
    if event.state in round_states.ENDED:
        return msg("{event} is over.", event=event.id)
    stage = record.stage_of(event)
    if stage.format != LADDER:
        return msg("Nobody can be challenged in {event} now: that is for ladders.", event=event.id)
    rounds = queries.tournaments.rounds(tx.session, event.id)
    if not rounds or not record.stage_seeds(event, rounds[-1].stage):
        return msg(
            "The ladder of {event} begins with the list of round 1: challenges are for those after it.", event=event.id
        )
    last, gap = rounds[-1], record.rules_of(event).round.gap_hours
    if last.state == "planned":
        return UpcomingRound(last.number, last.stage, last.within, last.opens, None, gap)
    if last.within >= stage.rounds:
        return msg("The list of the last round of the ladder is shut: nobody can be challenged any more.")
    if last.closed is not None:
        shuts = record.next_closing(event, last, last.closed)
        return UpcomingRound(last.number + 1, last.stage, last.within + 1, shuts, None, gap)
    return UpcomingRound(last.number + 1, last.stage, last.within + 1, None, last.ends, gap)


def closing_text(upcoming: UpcomingRound, zone: str) -> Msg:
    """Return the deadline for an answer, as far as it is known."""
    values = {"number": upcoming.number, "before": upcoming.number - 1, "hours": upcoming.gap}
    if upcoming.shuts is not None:
        return msg(
            "The list of round {number} shuts on {when}.",
            number=upcoming.number,
            when=moment_in_words(upcoming.shuts, zone),
        )
    if upcoming.ends is not None:
        return msg(
            "The list of round {number} shuts {hours} hours after round {before} is over, which ends at {when} "
            "at the latest.",
            when=moment_in_words(upcoming.ends, zone),
            **values,
        )
    return msg("The list of round {number} shuts {hours} hours after round {before} is over.", **values)


def ladder_input(tx: Transaction, event: tables.Tournament, upcoming: UpcomingRound) -> RoundInput:
    """Return the ladder as drawn now; unfinished boards have changed no place yet."""
    rows = {row.number: row for row in queries.tournaments.entrants(tx.session, event.id)}
    order = [seed.number for seed in record.stage_seeds(event, upcoming.stage)]
    if upcoming.stage == 1:
        order += [row.number for row in rows.values() if row.state == "in" and row.number not in order]
    earlier_rounds = upcoming.number - upcoming.within
    entrants = tuple(
        Entrant(
            number,
            rows[number].strength,
            barred=record.numbers_from_column(rows[number].barred),
            # Counted within the stage: who entered before it is there from its first round on.
            since=max(1, rows[number].since - earlier_rounds),
        )
        for number in order
    )
    away = frozenset(number for number in order if _is_away(rows[number], upcoming.number))
    results = record.results_of(tx.session, event, upcoming.stage)
    manner = manner_of(record.stage_of(event, upcoming.stage))
    return ladder.without_pending_boards(RoundInput(upcoming.within, entrants, results, away, manner=manner))


def _is_away(row: tables.Entrant, number: int) -> bool:
    is_leaving = contenders.leaves_before_round(row, number)
    return row.state in record.OUT or is_leaving or contenders.is_resting(row, number)


def is_party_to_challenge(row: tables.Challenge, number: int) -> bool:
    """Return whether an entrant is a party to a challenge."""
    return number in (row.challenger, row.challenged)


def opponent_of(row: tables.Challenge, number: int) -> int:
    """Return the other party to a challenge."""
    return row.challenged if number == row.challenger else row.challenger


class ChallengeState(NamedTuple):
    """The state for judging challenges: their round, the present ladder and its rows.

    `stand` are the accepted challenges among `rows` that the ladder would allow now.
    """

    at: UpcomingRound
    field: RoundInput
    names: Names
    places: Sequence[int]
    rows: Sequence[tables.Challenge]
    stand: Sequence[tables.Challenge]


def challenge_state(tx: Transaction, event: tables.Tournament) -> ChallengeState | Msg:
    """Return the coming round's ladder and challenges, or why there is none."""
    upcoming = upcoming_round(tx, event)
    if isinstance(upcoming, Msg):
        return upcoming
    names = record.names_by_number(tx.session, event)
    round_input, rows = (
        ladder_input(tx, event, upcoming),
        queries.tournaments.challenges(tx.session, event.id, upcoming.number),
    )
    accepted = [row for row in rows if row.accepted]
    pairs = tuple((row.challenger, row.challenged) for row in accepted)
    valid_pairs = ladder.valid_challenges(round_input._replace(challenges=pairs))
    valid = [row for row in accepted if (row.challenger, row.challenged) in valid_pairs]
    return ChallengeState(
        upcoming, round_input, names, ladder.ladder_before(round_input, round_input.round), rows, valid
    )


def challengeable_numbers(state: ChallengeState, number: int) -> list[int]:
    """Return the entrants that an entrant may challenge, from the top.

    Entrants with an accepted challenge are left out, and those challenged by him before.
    """
    engaged = {party for row in state.stand for party in (row.challenger, row.challenged)}
    asked_numbers = {row.challenged for row in state.rows if row.challenger == number}
    if number in engaged:
        return []
    return [
        choice
        for choice in ladder.challengeable_opponents(state.field, state.places, number)
        if choice not in engaged | asked_numbers
    ]


def challenge_fault_text(round_input: RoundInput, pair: tuple[int, int], names: Names, number: int) -> Msg | None:
    """E3.5 Return the objection to a challenge, worded for any reader, or None."""
    fault = ladder.challenge_fault(round_input, *pair)
    challenger, challenged = (names[party] for party in pair)
    if not fault:
        return None
    if fault == "away":
        absent_names = tuple(
            names[party] for party in pair if party in round_input.away or party not in _present_numbers(round_input)
        )
        return msg("{who} {who:|is|are} not in round {number}.", who=absent_names, number=number)
    if fault == "barred":
        return msg("{who} and {other} are not to be paired.", who=challenger, other=challenged)
    places = ladder.ladder_before(round_input, round_input.round)
    return msg(
        "{who} stands at place {mine} of the ladder, {other} at place {his}: a challenge goes up, by {reach} "
        "{reach:|place|places} at most [E3.5].",
        who=challenger,
        other=challenged,
        mine=places.index(pair[0]) + 1,
        his=places.index(pair[1]) + 1,
        reach=round_input.manner.reach,
    )


def invalid_challenge_text(round_input: RoundInput, row: tables.Challenge, names: Names) -> Msg:
    """Return why an accepted challenge is not valid any more."""
    fault = challenge_fault_text(round_input, (row.challenger, row.challenged), names, row.number)
    return fault or msg("One of the two had accepted another before.")


def _present_numbers(round_input: RoundInput) -> set[int]:
    return {entrant.number for entrant in round_input.entrants if entrant.since <= round_input.round}


class PlaceChange(NamedTuple):
    """E3.6 The places of two before a challenge and after the challenger wins."""

    mine: int
    his: int
    won: int
    lost: int


def place_change(state: ChallengeState, challenger: int, challenged: int) -> PlaceChange:
    """E3.6 Return the places at stake in a challenge by the present ladder."""
    places_after = ladder.ladder_after_win(state.places, challenger, challenged, state.field.manner.challenge)
    places = (1 + order.index(party) for order in (state.places, places_after) for party in (challenger, challenged))
    return PlaceChange(*places)


def accept_challenge(tx: Transaction, event: tables.Tournament, accepted: tables.Challenge) -> list[tables.Challenge]:
    """Accept a challenge and log it; return the open ones that it ends.

    The challenges that end involve one of the two: those to them are declined, those by them are taken back.
    """
    rows = queries.tournaments.challenges(tx.session, event.id, accepted.number)
    accepted.state, accepted.accepted = "accepted", 1 + max(row.accepted for row in rows)
    parties = {accepted.challenger, accepted.challenged}
    ended = [row for row in rows if row.state == "open" and parties & {row.challenger, row.challenged}]
    for row in ended:
        row.state = "declined" if row.challenged in parties else "withdrawn"
    tx.session.add_all((accepted, *ended))
    tx.session.flush()
    says = (
        ("round", f"r{accepted.number}"),
        ("challenger", f"e{accepted.challenger}"),
        ("challenged", f"e{accepted.challenged}"),
    )
    leaves.record_leaf(tx, event, "challenge", says)
    return ended


class SettledChallenges(NamedTuple):
    """The challenges of a closed list: valid pairs, and notices for the others."""

    stand: tuple[tuple[int, int], ...]
    told: Mapping[int, Sequence[Msg]]


def settle_challenges(
    tx: Transaction, event: tables.Tournament, round_: tables.Round, round_input: RoundInput
) -> SettledChallenges:
    """E3.5 Close a round's challenges.

    Unanswered challenges lapse, forbidden ones fall. `round_input` is the input of the list, without challenges.
    """
    if round_input.manner.format != LADDER:
        return SettledChallenges((), {})
    names = record.names_by_number(tx.session, event)
    rows = queries.tournaments.challenges(tx.session, event.id, round_.number)
    accepted = [row for row in rows if row.accepted]
    pairs = tuple((row.challenger, row.challenged) for row in accepted)
    valid = ladder.valid_challenges(round_input._replace(challenges=pairs))
    notices: dict[int, list[Msg]] = {}
    for row in (*accepted, *(open_row for open_row in rows if open_row.state == "open")):
        pair = (row.challenger, row.challenged)
        row.state = "lapsed" if row.state == "open" else "accepted" if pair in valid else "fallen"
        tx.session.add(row)
        if row.state != "accepted":
            line = _ended_text(round_input, row, names)
            for number in pair:
                notices.setdefault(number, []).append(line)
    tx.session.flush()
    return SettledChallenges(tuple(sorted(valid)), notices)


def _ended_text(round_input: RoundInput, row: tables.Challenge, names: Names) -> Msg:
    """Return why a challenge is not in a list."""
    values = {"who": names[row.challenger], "other": names[row.challenged]}
    if row.state == "lapsed":
        return msg("That {who} challenged {other} was not answered, and has lapsed.", **values)
    return msg(
        "That {who} challenged {other} does not hold. {why}",
        why=invalid_challenge_text(round_input, row, names),
        **values,
    )


# The ladder in words, for letters: place, possible challenges, open challenges, deadline.


def absence_text(state: ChallengeState, number: int) -> Msg | None:
    """Return the notice to an entrant who is not in the round himself, or None."""
    if number in boards.present_numbers(state.field):
        return None
    return msg("You are not in round {number}: RETURN R{number} puts you back.", number=state.at.number)


def choices_text(state: ChallengeState, number: int) -> Msg:
    """Return a sentence naming whom one entrant may challenge for the coming round."""
    if (absence := absence_text(state, number)) is not None:
        return absence
    choices = challengeable_numbers(state, number)
    if not choices:
        return msg("For round {number} there is nobody whom you may challenge.", number=state.at.number)
    names = tuple(state.names[choice] for choice in choices)
    return msg("For round {number} you may challenge: {who}.", number=state.at.number, who=names)


def party_values(state: ChallengeState, row: tables.Challenge) -> dict[str, str | int]:
    """Return the values that fill sentences about a challenge."""
    return {"who": state.names[row.challenger], "other": state.names[row.challenged], "number": row.number}


def party_and_place_values(state: ChallengeState, row: tables.Challenge) -> dict[str, str | int]:
    """Return `party_values`, together with the places at stake."""
    return {**party_values(state, row), **place_change(state, row.challenger, row.challenged)._asdict()}


def deadline_lines(upcoming: UpcomingRound, zone: str) -> list[Msg]:
    """Return the deadline for an answer, with a warning of changing places."""
    lines = [closing_text(upcoming, zone)]
    if upcoming.shuts is None:
        lines.append(
            msg("Boards that are still played may change places: what counts is the ladder when the list shuts.")
        )
    return lines


def accept_warning(state: ChallengeState, number: int) -> list[Msg]:
    """Return the warning that accepting takes back his own open challenge."""
    if any(row.state == "open" and row.challenger == number for row in state.rows):
        return [msg("To accept a challenge takes back your own, and declines all others.")]
    return []


def ladder_lines(state: ChallengeState, row: tables.Entrant) -> list[Msg]:
    """Return an entrant's place, challenges and choices; empty if not on the ladder."""
    if row.state != "in" or row.number not in state.places:
        return []
    place = state.places.index(row.number) + 1
    lines = [msg("You stand at place {place} of {count}.", place=place, count=len(state.places))]
    own_rows = [
        challenge
        for challenge in state.rows
        if is_party_to_challenge(challenge, row.number) and challenge.state in ("open", "accepted", "fallen")
    ]
    lines += [_challenge_text(state, challenge, row.number) for challenge in own_rows]
    if any(challenge.state == "open" and challenge.challenged == row.number for challenge in own_rows):
        lines += accept_warning(state, row.number)
    if not any(
        challenge in state.stand or (challenge.state == "open" and challenge.challenger == row.number)
        for challenge in own_rows
    ):
        lines.append(choices_text(state, row.number))
    return lines


def _challenge_text(state: ChallengeState, row: tables.Challenge, number: int) -> Msg:
    """Return the present state of a challenge, worded for one party."""
    values = party_values(state, row)
    if row in state.stand:
        return msg("{who} has challenged {other} for round {number}: accepted.", **values)
    if row.accepted:
        return msg(
            "{who} has challenged {other} for round {number}: accepted, but by now it does not hold. {why}",
            why=invalid_challenge_text(state.field, row, state.names),
            **values,
        )
    if row.challenger == number:
        return msg("You challenge {other} for round {number}; no answer has come.", **values)
    return msg(
        "{who} challenges you for round {number}: ACCEPT {challenger} or DECLINE {challenger}.",
        challenger=row.challenger,
        **values,
    )
