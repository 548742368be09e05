"""E3.5 Challenges of a ladder, from rows: for which round they are, who may challenge whom, what becomes of them.

A challenge is for the next round whose list is not shut. As long as it is open nothing follows from it; once it is
accepted the log says so, and it stands in the list of its round if the ladder allows it when that shuts. Nobody is
in two challenges of a round that stand: of two that were accepted the first holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from pbem.engine.data.messages import Msg, msg
from pbem.letters.content import when
from pbem.runtime.transaction import Work
from pbem.store import queries, tables
from pbem.tournaments import contenders, leaves, record, round_states
from pbem.tournaments.arithmetic.entrants import Entrant
from pbem.tournaments.arithmetic.pairing import boards, ladder
from pbem.tournaments.arithmetic.pairing.drawn import Field
from pbem.tournaments.arithmetic.rules.records import manner_of

Names = Mapping[int, str]
LADDER = "ladder"
"""The format that has challenges."""


class Coming(NamedTuple):
    """The round that challenges are for now, by its number through all stages and within its stage.

    `shuts` is when its list does, None as long as the round before it is not over, which ends at `ends` at the latest
    (None where even that is not known), and after which `gap` hours pass.
    """

    number: int
    stage: int
    within: int
    shuts: datetime | None
    ends: datetime | None
    gap: int


def has_ladder(event: tables.Tournament) -> bool:
    """Whether a stage of a tournament is one."""
    return any(stage.format == LADDER for stage in record.rules_of(event).stage)


def coming(work: Work, event: tables.Tournament) -> Coming | Msg:
    """The round that somebody can be challenged for now, or why there is none."""
    if event.state in round_states.ENDED:
        return msg("{event} is over.", event=event.id)
    stage = record.stage_of(event)
    if stage.format != LADDER:
        return msg("Nobody can be challenged in {event} now: that is for ladders.", event=event.id)
    rounds = queries.tournaments.rounds(work.session, event.id)
    if not rounds or not record.order_of(event, rounds[-1].stage):
        return msg(
            "The ladder of {event} begins with the list of round 1: challenges are for those after it.", event=event.id
        )
    last, gap = rounds[-1], record.rules_of(event).round.gap_hours
    if last.state == "planned":
        return Coming(last.number, last.stage, last.within, last.opens, None, gap)
    if last.within >= stage.rounds:
        return msg("The list of the last round of the ladder is shut: nobody can be challenged any more.")
    if last.closed is not None:
        return Coming(last.number + 1, last.stage, last.within + 1, last.closed + timedelta(hours=gap), None, gap)
    return Coming(last.number + 1, last.stage, last.within + 1, None, last.ends, gap)


def moment(at: Coming, zone: str) -> Msg:
    """Until when a challenge can be answered, as far as that is known."""
    said = {"number": at.number, "before": at.number - 1, "hours": at.gap}
    if at.shuts is not None:
        return msg("The list of round {number} shuts on {when}.", number=at.number, when=when(at.shuts, zone))
    if at.ends is not None:
        return msg(
            "The list of round {number} shuts {hours} hours after round {before} is over, which ends at {when} "
            "at the latest.",
            when=when(at.ends, zone),
            **said,
        )
    return msg("The list of round {number} shuts {hours} hours after round {before} is over.", **said)


def field_of(work: Work, event: tables.Tournament, at: Coming) -> Field:
    """The ladder as it would be drawn by now: a board that is still played has changed no place yet."""
    rows = {row.number: row for row in queries.tournaments.entrants(work.session, event.id)}
    order = [seed.number for seed in record.order_of(event, at.stage)]
    if at.stage == 1:
        order += [row.number for row in rows.values() if row.state == "in" and row.number not in order]
    before = at.number - at.within
    entrants = tuple(
        Entrant(
            number,
            rows[number].strength,
            barred=record.numbers_in(rows[number].barred),
            since=max(1, rows[number].since - before),
        )
        for number in order
    )
    away = frozenset(number for number in order if _is_away(rows[number], at.number))
    results = record.results_of(work.session, event, at.stage)
    manner = manner_of(record.stage_of(event, at.stage))
    return ladder.decided(Field(at.within, entrants, results, away, manner=manner))


def _is_away(row: tables.Entrant, number: int) -> bool:
    leaves = contenders.leaves_before(row, number)
    return row.state in record.OUT or leaves or contenders.rests(row, number)


def is_of(one: tables.Challenge, number: int) -> bool:
    """Whether somebody is one of the two of a challenge."""
    return number in (one.challenger, one.challenged)


def other_of(one: tables.Challenge, number: int) -> int:
    """The other of the two of a challenge."""
    return one.challenged if number == one.challenger else one.challenger


class Here(NamedTuple):
    """What challenges are looked at by: the round they are for, the ladder as it stands by now, those for this round.

    `stand` are those of `rows` that were accepted and that the ladder would allow by now.
    """

    at: Coming
    field: Field
    names: Names
    places: Sequence[int]
    rows: Sequence[tables.Challenge]
    stand: Sequence[tables.Challenge]


def here_of(work: Work, event: tables.Tournament) -> Here | Msg:
    """How the ladder stands, and what was asked and accepted for the round that is coming; or why there is none."""
    at = coming(work, event)
    if isinstance(at, Msg):
        return at
    names = record.names_of(work.session, event)
    field, rows = field_of(work, event, at), queries.tournaments.challenges(work.session, event.id, at.number)
    accepted = [one for one in rows if one.accepted]
    twos = tuple((one.challenger, one.challenged) for one in accepted)
    found = ladder.standing_challenges(field._replace(challenges=twos))
    stand = [one for one in accepted if (one.challenger, one.challenged) in found]
    return Here(at, field, names, ladder.ladder_before(field, field.round), rows, stand)


def to_choose(here: Here, number: int) -> list[int]:
    """Whom somebody may challenge for a round, from the top, but for those who have accepted and whom he asked."""
    taken = {who for one in here.stand for who in (one.challenger, one.challenged)}
    asked = {one.challenged for one in here.rows if one.challenger == number}
    if number in taken:
        return []
    return [one for one in ladder.challengeable(here.field, here.places, number) if one not in taken | asked]


def fault_told(field: Field, two: tuple[int, int], names: Names, number: int) -> Msg | None:
    """E3.5 What is against a challenge for a round, in words that say the same to anybody; None if nothing is."""
    fault = ladder.challenge_fault(field, *two)
    challenger, challenged = (names[one] for one in two)
    if not fault:
        return None
    if fault == "away":
        gone = tuple(names[one] for one in two if one in field.away or one not in _numbers(field))
        return msg("{who} {who:|is|are} not in round {number}.", who=gone, number=number)
    if fault == "barred":
        return msg("{who} and {other} are not to be paired.", who=challenger, other=challenged)
    places = ladder.ladder_before(field, field.round)
    return msg(
        "{who} stands at place {mine} of the ladder, {other} at place {his}: a challenge goes up, by {reach} "
        "{reach:|place|places} at most [E3.5].",
        who=challenger,
        other=challenged,
        mine=places.index(two[0]) + 1,
        his=places.index(two[1]) + 1,
        reach=field.manner.reach,
    )


def fallen_told(field: Field, one: tables.Challenge, names: Names) -> Msg:
    """Why a challenge that was accepted does not stand."""
    why = fault_told(field, (one.challenger, one.challenged), names, one.number)
    return why or msg("One of the two had accepted another before.")


def _numbers(field: Field) -> set[int]:
    return {one.number for one in field.entrants if one.since <= field.round}


class Stakes(NamedTuple):
    """E3.6 The places of both before a challenge, and after the challenger has won."""

    mine: int
    his: int
    won: int
    lost: int


def stakes(here: Here, challenger: int, challenged: int) -> Stakes:
    """E3.6 What a challenge is about, by the ladder as it stands."""
    after = ladder.climbed(here.places, challenger, challenged, here.field.manner.challenge)
    places = (1 + some.index(one) for some in (here.places, after) for one in (challenger, challenged))
    return Stakes(*places)


def accept(work: Work, event: tables.Tournament, one: tables.Challenge) -> list[tables.Challenge]:
    """The challenged has accepted: the log says so. Return the open ones that came to nothing by it.

    They are those that either of the two was in: what was asked of them is declined, what they asked is taken back.
    """
    rows = queries.tournaments.challenges(work.session, event.id, one.number)
    one.state, one.accepted = "accepted", 1 + max(row.accepted for row in rows)
    both = {one.challenger, one.challenged}
    ended = [row for row in rows if row.state == "open" and both & {row.challenger, row.challenged}]
    for row in ended:
        row.state = "declined" if row.challenged in both else "withdrawn"
    work.session.add_all((one, *ended))
    work.session.flush()
    says = (
        ("round", f"r{one.number}"),
        ("challenger", f"e{one.challenger}"),
        ("challenged", f"e{one.challenged}"),
    )
    leaves.note(work, event, "challenge", says)
    return ended


class Settled(NamedTuple):
    """The challenges of a list that is shut: those that stand, by challenger, and what each of the others is told."""

    stand: tuple[tuple[int, int], ...]
    told: Mapping[int, Sequence[Msg]]


def settle(work: Work, event: tables.Tournament, round_: tables.Round, field: Field) -> Settled:
    """E3.5 Shut the challenges of a round: those that nobody answered lapse, those that the ladder forbids fall.

    `field` is what the list asks to be drawn, with no challenges in it.
    """
    if field.manner.format != LADDER:
        return Settled((), {})
    names = record.names_of(work.session, event)
    rows = queries.tournaments.challenges(work.session, event.id, round_.number)
    accepted = [one for one in rows if one.accepted]
    twos = tuple((one.challenger, one.challenged) for one in accepted)
    stand = ladder.standing_challenges(field._replace(challenges=twos))
    told: dict[int, list[Msg]] = {}
    for one in (*accepted, *(one for one in rows if one.state == "open")):
        two = (one.challenger, one.challenged)
        one.state = "lapsed" if one.state == "open" else "accepted" if two in stand else "fallen"
        work.session.add(one)
        if one.state != "accepted":
            line = _ended(field, one, names)
            for number in two:
                told.setdefault(number, []).append(line)
    work.session.flush()
    return Settled(tuple(sorted(stand)), told)


def _ended(field: Field, one: tables.Challenge, names: Names) -> Msg:
    """Why a challenge is not in a list."""
    two = {"who": names[one.challenger], "other": names[one.challenged]}
    if one.state == "lapsed":
        return msg("That {who} challenged {other} was not answered, and has lapsed.", **two)
    return msg("That {who} challenged {other} does not hold. {why}", why=fallen_told(field, one, names), **two)


# The ladder in words, for letters: one's place, whom one may challenge, which challenges wait, until when.


def absent(here: Here, number: int) -> Msg | None:
    """What somebody is told who is not in the round himself."""
    if number in boards.here(here.field):
        return None
    return msg("You are not in round {number}: RETURN R{number} puts you back.", number=here.at.number)


def whom_told(here: Here, number: int) -> Msg:
    """Whom somebody may challenge for the round that is coming."""
    if (why := absent(here, number)) is not None:
        return why
    whom = to_choose(here, number)
    if not whom:
        return msg("For round {number} there is nobody whom you may challenge.", number=here.at.number)
    who = tuple(here.names[one] for one in whom)
    return msg("For round {number} you may challenge: {who}.", number=here.at.number, who=who)


def two_named(here: Here, one: tables.Challenge) -> dict[str, str | int]:
    """What sentences about a challenge are filled with."""
    return {"who": here.names[one.challenger], "other": here.names[one.challenged], "number": one.number}


def with_places(here: Here, one: tables.Challenge) -> dict[str, str | int]:
    """The same with the places that it is about."""
    return {**two_named(here, one), **stakes(here, one.challenger, one.challenged)._asdict()}


def until(at: Coming, zone: str) -> list[Msg]:
    """Until when it can be answered, and that places may change meanwhile."""
    told = [moment(at, zone)]
    if at.shuts is None:
        told.append(
            msg("Boards that are still played may change places: what counts is the ladder when the list shuts.")
        )
    return told


def takes_back(here: Here, number: int) -> list[Msg]:
    """What who is challenged has to know if he challenges another himself."""
    if any(one.state == "open" and one.challenger == number for one in here.rows):
        return [msg("To accept a challenge takes back your own, and declines all others.")]
    return []


def ladder_told(here: Here, row: tables.Entrant) -> list[Msg]:
    """An entrant's place, his challenges, and whom he may challenge; nothing where he is not on the ladder."""
    if row.state != "in" or row.number not in here.places:
        return []
    place = here.places.index(row.number) + 1
    told = [msg("You stand at place {place} of {count}.", place=place, count=len(here.places))]
    own = [one for one in here.rows if is_of(one, row.number) and one.state in ("open", "accepted", "fallen")]
    told += [_waiting(here, one, row.number) for one in own]
    if any(one.state == "open" and one.challenged == row.number for one in own):
        told += takes_back(here, row.number)
    if not any(one in here.stand or (one.state == "open" and one.challenger == row.number) for one in own):
        told.append(whom_told(here, row.number))
    return told


def _waiting(here: Here, one: tables.Challenge, number: int) -> Msg:
    """What has come of a challenge by now, told to one of the two."""
    said = two_named(here, one)
    if one in here.stand:
        return msg("{who} has challenged {other} for round {number}: accepted.", **said)
    if one.accepted:
        return msg(
            "{who} has challenged {other} for round {number}: accepted, but by now it does not hold. {why}",
            why=fallen_told(here.field, one, here.names),
            **said,
        )
    if one.challenger == number:
        return msg("You challenge {other} for round {number}; no answer has come.", **said)
    return msg(
        "{who} challenges you for round {number}: ACCEPT {challenger} or DECLINE {challenger}.",
        challenger=one.challenger,
        **said,
    )
