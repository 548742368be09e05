"""E3.5 ACCEPT and DECLINE of a challenge: offers.py reads the words, and hands those of who plays over."""

from __future__ import annotations

from pbem.engine.data.messages import Msg, msg
from pbem.letters.unparsed_lines import Line
from pbem.store import queries, tables
from pbem.tournaments import challenges, post, record
from pbem.tournaments.challenges import Here
from pbem.tournaments.commands.challenging import busy, number_of, tell
from pbem.tournaments.commands.entrant_answer import EntrantAnswer
from pbem.tournaments.ladder_sheets import absent, two_named, until, whom_told

_WENT = {
    "open": msg("The challenge of {who} for round {number} was not answered."),
    "lapsed": msg("The challenge of {who} for round {number} has lapsed: the list is shut."),
    "accepted": msg("You have accepted the challenge of {who} for round {number}."),
    "fallen": msg("The challenge of {who} for round {number} did not hold when the list shut."),
    "declined": msg("The challenge of {who} for round {number} is declined."),
    "withdrawn": msg("{who} has taken back the challenge for round {number}."),
}
"""What has become of a challenge that cannot be answered any more."""


def asked_of(answer: EntrantAnswer, command: Line) -> tuple[Here, tables.Challenge] | Msg:
    """The challenge that ACCEPT or DECLINE answers, or why there is none."""
    here = challenges.here_of(answer, answer.event)
    mine, number = answer.row.number, number_of(command)
    if isinstance(here, Msg):
        return _gone(answer, number) or here
    waiting = [one for one in here.rows if one.challenged == mine and one.state == "open"]
    meant = [one for one in waiting if number in (0, one.challenger)]
    if len(meant) == 1:
        return here, meant[0]
    who = tuple(here.names[one.challenger] for one in waiting)
    if meant:
        return msg(
            "Several challenge you: {who}. Write whom you mean, as in ACCEPT {number} or DECLINE {number}.",
            who=who,
            number=meant[0].challenger,
        )
    if waiting:
        return msg(
            "e{number} does not challenge you for round {round}; there is: {who}.",
            number=number,
            round=here.at.number,
            who=who,
        )
    return _gone(answer, number) or msg("Nobody challenges you in {event} now.", event=answer.event.id)


def _gone(answer: EntrantAnswer, number: int) -> Msg | None:
    """What has become of the newest challenge that he could mean; None if there never was any."""
    every = queries.tournaments.all_challenges(answer.session, answer.event.id)
    meant = [one for one in every if one.challenged == answer.row.number and number in (0, one.challenger)]
    if not meant:
        return None
    names = record.names_of(answer.session, answer.event)
    return msg(_WENT[meant[-1].state].text, who=names[meant[-1].challenger], number=meant[-1].number)


def unanswerable(answer: EntrantAnswer, command: Line) -> Msg | None:
    """What is against accepting: another was accepted, or the ladder does not allow it any more."""
    asked = asked_of(answer, command)
    if isinstance(asked, Msg):
        return asked
    here, one = asked
    two = (one.challenger, one.challenged)
    return (
        absent(here, one.challenged)
        or busy(here, one.challenged, two)
        or challenges.fault_told(here.field, two, here.names, one.number)
    )


def accept_challenge(answer: EntrantAnswer, command: Line) -> None:
    """Take a challenge: the log says so, both are told, and what else either was asked comes to nothing."""
    asked = asked_of(answer, command)
    if isinstance(asked, Msg):
        raise LookupError(f"nothing to accept in {answer.event.id}")
    here, one = asked
    ended = challenges.accept(answer, answer.event, one)
    said = two_named(here, one)
    answer.say(
        "settings",
        msg(
            "You have accepted: you meet {who} in round {number}, if the ladder allows it when the list shuts, which "
            "says so to all.",
            **said,
        ),
        *until(here.at, answer.row.zone),
    )
    told = msg(
        "{other} accepts: you two meet in round {number}, if the ladder allows it when the list shuts, which "
        "says so to all.",
        **said,
    )
    about = msg("{other} accepts your challenge", **said)
    tell(answer, one.challenger, lambda row: post.Told(about, (told, *until(here.at, row.zone))), one)
    for other in ended:
        _tell_ended(answer, one, other)


def _tell_ended(answer: EntrantAnswer, taken: tables.Challenge, one: tables.Challenge) -> None:
    """Write to who asked one of the two, or was asked by him, that he meets another."""
    here, both = challenges.here_of(answer, answer.event), {taken.challenger, taken.challenged}
    if isinstance(here, Msg):
        raise LookupError(f"no round of {answer.event.id} to challenge for")
    if one.challenger == answer.row.number:
        answer.say("settings", msg("Your own challenge of {other} is taken back.", **two_named(here, one)))
    meets = one.challenger if one.challenger in both else one.challenged
    to, said = challenges.other_of(one, meets), {"who": here.names[meets], "number": one.number}
    told = [msg("{who} meets another in round {number}: nothing comes of the challenge between you two.", **said)]
    told += [whom_told(here, to)] if to == one.challenger else []
    tell(answer, to, lambda row: post.Told(msg("{who} meets another in round {number}", **said), told), one)


def decline_challenge(answer: EntrantAnswer, command: Line) -> None:
    """Leave a challenge; the challenger is told at once, and whom else he may challenge."""
    asked = asked_of(answer, command)
    if isinstance(asked, Msg):
        raise LookupError(f"nothing to decline in {answer.event.id}")
    here, one = asked
    one.state = "declined"
    answer.session.add(one)
    answer.session.flush()
    said = two_named(here, one)
    answer.say("settings", msg("You have declined: {who} is told.", **said))
    told = (msg("{other} declines to be challenged for round {number}.", **said), whom_told(here, one.challenger))
    about = msg("{other} declines your challenge", **said)
    tell(answer, one.challenger, lambda row: post.Told(about, (*told, *until(here.at, row.zone))), one)
