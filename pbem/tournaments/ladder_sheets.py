"""The ladder in words, for letters: one's place, whom one may challenge, which challenges wait, until when."""

from __future__ import annotations

from pbem.engine.data.messages import Msg, msg
from pbem.store import tables
from pbem.tournaments import challenges
from pbem.tournaments.arithmetic.pairing import boards
from pbem.tournaments.challenges import Coming, Here


def absent(here: Here, number: int) -> Msg | None:
    """What somebody is told who is not in the round himself."""
    if number in boards.here(here.field):
        return None
    return msg("You are not in round {number}: RETURN R{number} puts you back.", number=here.at.number)


def whom_told(here: Here, number: int) -> Msg:
    """Whom somebody may challenge for the round that is coming."""
    if (why := absent(here, number)) is not None:
        return why
    whom = challenges.to_choose(here, number)
    if not whom:
        return msg("For round {number} there is nobody whom you may challenge.", number=here.at.number)
    who = tuple(here.names[one] for one in whom)
    return msg("For round {number} you may challenge: {who}.", number=here.at.number, who=who)


def two_named(here: Here, one: tables.Challenge) -> dict[str, str | int]:
    """What sentences about a challenge are filled with."""
    return {"who": here.names[one.challenger], "other": here.names[one.challenged], "number": one.number}


def with_places(here: Here, one: tables.Challenge) -> dict[str, str | int]:
    """The same with the places that it is about."""
    return {**two_named(here, one), **challenges.stakes(here, one.challenger, one.challenged)._asdict()}


def until(at: Coming, zone: str) -> list[Msg]:
    """Until when it can be answered, and that places may change meanwhile."""
    told = [challenges.moment(at, zone)]
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
    own = [
        one for one in here.rows if challenges.is_of(one, row.number) and one.state in ("open", "accepted", "fallen")
    ]
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
            why=challenges.fallen_told(here.field, one, here.names),
            **said,
        )
    if one.challenger == number:
        return msg("You challenge {other} for round {number}; no answer has come.", **said)
    return msg(
        "{who} challenges you for round {number}: ACCEPT {challenger} or DECLINE {challenger}.",
        challenger=one.challenger,
        **said,
    )
