"""E3.5 CHALLENGE and WITHDRAW CHALLENGE: an entrant of a ladder asks one above him to meet him in the next round.

Who is challenged has a letter at once, and answers it (below); what nobody answers lapses when the list
of the round shuts (`tournaments.challenges.settle`).
"""

from __future__ import annotations

import re
from collections.abc import Callable

from pbem.engine.data.messages import Msg, msg
from pbem.letters.commands import NOTHING, Form, Line
from pbem.store import queries, tables
from pbem.tournaments import challenges, post, record
from pbem.tournaments.arithmetic.pairing import boards
from pbem.tournaments.challenges import Here, absent, takes_back, two_named, until, whom_told, with_places
from pbem.tournaments.commands.entrant_answer import EntrantAnswer, EntrantCommand, not_playing

_WHOM = re.compile(r"e?(?P<number>[1-9]\d{0,3})")
NUMBER = re.compile(r"(?:e?(?P<number>[1-9]\d{0,3}))?")
"""What may follow ACCEPT and DECLINE: whose challenge is meant."""


def number_of(command: Line) -> int:
    """The number of the one who is named behind a command; 0 if nobody is."""
    found = NUMBER.fullmatch(command.rest)
    return int(found["number"] or 0) if found is not None else 0


def challenge_wrong(answer: EntrantAnswer, command: Line) -> Msg | None:
    """One at a time, upwards, as near as the rules say, somebody who is there and has not accepted another."""
    if answer.row.state != "in":
        return not_playing(answer)
    here = challenges.here_of(answer, answer.event)
    if isinstance(here, Msg):
        return here
    why, mine = _against(answer, here, number_of(command)), answer.row.number
    own = [one for one in here.rows if one.challenger == mine and one.state == "open"]
    way = _next_whom(here, mine) if own else whom_told(here, mine)
    if why is None or way in (None, why) or any(challenges.is_of(one, mine) for one in here.stand):
        return why
    return msg("{why} {way}", why=why, way=way)


def _next_whom(here: Here, number: int) -> Msg | None:
    """Whom he may challenge once he has taken back what waits for an answer."""
    whom = tuple(here.names[one] for one in challenges.to_choose(here, number))
    return msg("After that you may challenge: {who}.", who=whom) if whom else None


def _against(answer: EntrantAnswer, here: Here, other: int) -> Msg | None:
    """What is against a challenge of his."""
    mine, number = answer.row.number, here.at.number
    if other == mine:
        return msg("You are e{number} yourself.", number=mine)
    if other not in here.names:
        return msg("There is no e{number} in {event}.", number=other, event=answer.event.id)
    before = [one for one in here.rows if one.challenger == mine]
    pending = next((one for one in before if one.state == "open"), None)
    if pending is not None:
        return msg(
            "You challenge {who} for round {number} already: WITHDRAW CHALLENGE takes that back.",
            who=here.names[pending.challenged],
            number=number,
        )
    if (why := busy(here, mine, (mine, other))) is not None:
        return why
    if any(one.challenged == other for one in before):
        return msg("You challenged {who} for round {number} before.", who=here.names[other], number=number)
    return absent(here, mine) or challenges.fault_told(here.field, (mine, other), here.names, number)


def busy(here: Here, mine: int, two: tuple[int, int]) -> Msg | None:
    """Which of two meets somebody by a challenge already, told to one of them."""
    for one in here.stand:
        for number in two:
            if number == mine and challenges.is_of(one, number):
                return msg(
                    "You meet {other} in round {number} by a challenge that was accepted: it binds both, unless "
                    "one rests (REST R{number}).",
                    other=here.names[challenges.other_of(one, number)],
                    number=here.at.number,
                )
            if challenges.is_of(one, number):
                return msg(
                    "{who} meets {other} in round {number} by a challenge that was accepted.",
                    who=here.names[number],
                    other=here.names[challenges.other_of(one, number)],
                    number=here.at.number,
                )
    return None


def challenge(answer: EntrantAnswer, command: Line) -> None:
    """Challenge somebody, who is told at once."""
    why, here = challenge_wrong(answer, command), challenges.here_of(answer, answer.event)
    if why is not None or isinstance(here, Msg):
        # What stands before it in the letter may have changed that.
        answer.say("answer", *([why] if why is not None else []))
        return
    one = tables.Challenge(
        tournament_id=answer.event.id,
        number=here.at.number,
        challenger=answer.row.number,
        challenged=number_of(command),
    )
    answer.session.add(one)
    answer.session.flush()
    said = with_places(here, one)
    answer.say(
        "settings",
        msg("You challenge {other} for round {number}: from your place {mine} of the ladder to place {his}.", **said),
        msg(
            "If you win you go up to place {won}, and those whom you pass move down by one; else all stay where they "
            "are [E3.6].",
            **said,
        ),
        msg(
            "{other} is told now. Without an answer before the list shuts the challenge lapses, and you are drawn as "
            "everybody else is; until it is answered WITHDRAW CHALLENGE takes it back.",
            **said,
        ),
        *until(here.at, answer.row.zone),
    )
    tell(answer, one.challenged, _challenged(here, one), one)


def _challenged(here: Here, one: tables.Challenge) -> Callable[[tables.Entrant], post.Told]:
    """What is told to who is challenged."""
    said = with_places(here, one)
    worth = msg(
        "If {who} wins, {who} goes up to place {won}, and you move down to place {lost}; else all stay where "
        "they are [E3.6].",
        **said,
    )
    if said["lost"] == said["his"]:
        worth = msg(
            "If {who} wins, {who} goes up to place {won}, and you keep place {his}; else all stay where they "
            "are [E3.6].",
            **said,
        )
    told = (
        msg("{who} challenges you for round {number}: from place {mine} of the ladder to your place {his}.", **said),
        msg(
            "ACCEPT {challenger} takes it: you two meet in that round. DECLINE {challenger} leaves it, which costs "
            "nothing. Without an answer before the list shuts the challenge lapses, and you are drawn as everybody "
            "else is.",
            challenger=one.challenger,
        ),
        worth,
        *takes_back(here, one.challenged),
    )
    about = msg("{who} challenges you", **said)
    return lambda row: post.Told(about, (*told, *until(here.at, row.zone)), wanted=2)


def tell(
    answer: EntrantAnswer, number: int, said: Callable[[tables.Entrant], post.Told], one: tables.Challenge
) -> None:
    """Write to one of the two of a challenge what has become of it."""
    row = queries.tournaments.entrant(answer.session, answer.event.id, number)
    if row is not None:
        post.to_entrant(answer, answer.event, row, said(row), f"challenge {one.id} {number} {answer.inbox.id}")


def _own(answer: EntrantAnswer) -> tuple[Here, tables.Challenge] | Msg:
    """The challenge of his that waits for an answer, or why there is none."""
    here = challenges.here_of(answer, answer.event)
    if isinstance(here, Msg):
        return here
    own = [one for one in here.rows if one.challenger == answer.row.number]
    if waiting := [one for one in own if one.state == "open"]:
        return here, waiting[0]
    if any(one in here.stand for one in own):
        return msg(
            "Your challenge was accepted and binds both of you: you meet in round {number}.", number=here.at.number
        )
    return msg("There is no challenge of yours for round {number}.", number=here.at.number)


def withdraw_wrong(answer: EntrantAnswer, command: Line) -> Msg | None:
    """What was accepted binds both."""
    own = _own(answer)
    return own if isinstance(own, Msg) else None


def withdraw_challenge(answer: EntrantAnswer, command: Line) -> None:
    """Take back a challenge that was not answered."""
    own = _own(answer)
    if isinstance(own, Msg):
        answer.say("answer", own)
        return
    here, one = own
    one.state = "withdrawn"
    answer.session.add(one)
    answer.session.flush()
    said = two_named(here, one)
    answer.say("settings", msg("Your challenge of {other} is taken back.", **said), whom_told(here, one.challenger))
    told = msg("{who} does not challenge you for round {number} any more: nothing is wanted of you.", **said)
    tell(answer, one.challenged, lambda row: post.Told(msg("{who} takes the challenge back", **said), (told,)), one)


def tell_absent(answer: EntrantAnswer) -> None:
    """He is not in the round that is coming: those whom he was to meet by a challenge, or was asked by, are told."""
    here, mine = challenges.here_of(answer, answer.event), answer.row.number
    if isinstance(here, Msg) or mine in boards.here(here.field):
        return
    for one in here.rows:
        if one.state in ("open", "accepted") and challenges.is_of(one, mine):
            other = challenges.other_of(one, mine)
            said = {"who": here.names[mine], "other": here.names[other], "number": here.at.number}
            told = [
                msg(
                    "{who} is not in round {number}: nothing comes of the challenge between you two, unless {who} "
                    "comes back before the list shuts.",
                    **said,
                )
            ]
            told += [whom_told(here, other)] if other == one.challenger else []
            tell(answer, other, _same(post.Told(msg("{who} is not in round {number}", **said), told)), one)
            answer.say(
                "settings",
                msg(
                    "{other} is told that nothing comes of the challenge between you two, unless "
                    "you come back before the list shuts.",
                    **said,
                ),
            )


def _same(told: post.Told) -> Callable[[tables.Entrant], post.Told]:
    return lambda row: told


COMMANDS = (
    EntrantCommand(
        Form("challenge", ("CHALLENGE", "RETAR A", "RETAR"), _WHOM, "CHALLENGE 4", "RETAR 4"),
        challenge,
        challenge_wrong,
        (
            msg(
                "CHALLENGE 4: on a ladder, to meet e4 in the next round whose list is not shut. STATUS lists whom you "
                "may challenge, and who challenges you: ACCEPT 7, DECLINE 7."
            ),
        ),
        lambda answer: challenges.has_ladder(answer.event),
    ),
    EntrantCommand(
        Form(
            "withdraw challenge", ("WITHDRAW CHALLENGE", "RETIRAR RETO"), NOTHING, "WITHDRAW CHALLENGE", "RETIRAR RETO"
        ),
        withdraw_challenge,
        withdraw_wrong,
        (msg("WITHDRAW CHALLENGE: takes it back as long as it is not answered."),),
        lambda answer: challenges.has_ladder(answer.event),
    ),
)


# E3.5 ACCEPT and DECLINE of a challenge: offers.py reads the words, and hands those of who plays over.


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
