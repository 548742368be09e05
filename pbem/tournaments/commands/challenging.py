"""E3.5 Run CHALLENGE and WITHDRAW CHALLENGE, and the answers to a challenge.

An entrant of a ladder asks one above him to meet in the next round. The challenged entrant gets a letter
at once and answers it (below); unanswered challenges lapse when the list of the round closes
(`tournaments.challenges.settle_challenges`).
"""

from __future__ import annotations

import re
from collections.abc import Callable

from pbem.engine.data.messages import Msg, msg
from pbem.letters.commands import NO_ARGUMENT, CommandForm, CommandLine
from pbem.store import queries, tables
from pbem.tournaments import challenges, post, record
from pbem.tournaments.arithmetic.pairing import boards
from pbem.tournaments.challenges import (
    ChallengeState,
    absence_text,
    accept_warning,
    choices_text,
    deadline_lines,
    party_and_place_values,
    party_values,
)
from pbem.tournaments.commands.entrant_answer import EntrantAnswer, EntrantCommand, not_playing_text

_WHOM = re.compile(r"e?(?P<number>[1-9]\d{0,3})")
NUMBER = re.compile(r"(?:e?(?P<number>[1-9]\d{0,3}))?")
"""The argument of ACCEPT and DECLINE: the challenger's number, of at most the four digits that `places` can have."""


def number_in_command(command: CommandLine) -> int:
    """Return the number named in a command, or 0."""
    match = NUMBER.fullmatch(command.rest)
    return int(match["number"] or 0) if match is not None else 0


def challenge_error(answer: EntrantAnswer, command: CommandLine) -> Msg | None:
    """Return the objection to a challenge, or None.

    An entrant may have one challenge at a time. The opponent must be above him, within the reach of the rules,
    present, and in no other accepted challenge.
    """
    if answer.row.state != "in":
        return not_playing_text(answer)
    state = challenges.challenge_state(answer, answer.event)
    if isinstance(state, Msg):
        return state
    objection, own_number = _challenge_objection(answer, state, number_in_command(command)), answer.row.number
    pending = [row for row in state.rows if row.challenger == own_number and row.state == "open"]
    advice = _later_choices(state, own_number) if pending else choices_text(state, own_number)
    if (
        objection is None
        or advice in (None, objection)
        or any(challenges.is_party_to_challenge(row, own_number) for row in state.stand)
    ):
        return objection
    return msg("{why} {way}", why=objection, way=advice)


def _later_choices(state: ChallengeState, number: int) -> Msg | None:
    """Return the entrants he may challenge after taking back his open challenge."""
    names = tuple(state.names[choice] for choice in challenges.challengeable_numbers(state, number))
    return msg("After that you may challenge: {who}.", who=names) if names else None


def _challenge_objection(answer: EntrantAnswer, state: ChallengeState, opponent: int) -> Msg | None:
    """Return the objection to his challenge, or None."""
    own_number, number = answer.row.number, state.at.number
    if opponent == own_number:
        return msg("You are e{number} yourself.", number=own_number)
    if opponent not in state.names:
        return msg("There is no e{number} in {event}.", number=opponent, event=answer.event.id)
    earlier = [row for row in state.rows if row.challenger == own_number]
    pending = next((row for row in earlier if row.state == "open"), None)
    if pending is not None:
        return msg(
            "You challenge {who} for round {number} already: WITHDRAW CHALLENGE takes that back.",
            who=state.names[pending.challenged],
            number=number,
        )
    if (conflict := conflict_text(state, own_number, (own_number, opponent))) is not None:
        return conflict
    if any(row.challenged == opponent for row in earlier):
        return msg("You challenged {who} for round {number} before.", who=state.names[opponent], number=number)
    return absence_text(state, own_number) or challenges.challenge_fault_text(
        state.field, (own_number, opponent), state.names, number
    )


def conflict_text(state: ChallengeState, own_number: int, parties: tuple[int, int]) -> Msg | None:
    """Return which of two parties already has an accepted challenge.

    It is worded for one of them.
    """
    for row in state.stand:
        for number in parties:
            if number == own_number and challenges.is_party_to_challenge(row, number):
                return msg(
                    "You meet {other} in round {number} by a challenge that was accepted: it binds both, unless "
                    "one rests (REST R{number}).",
                    other=state.names[challenges.opponent_of(row, number)],
                    number=state.at.number,
                )
            if challenges.is_party_to_challenge(row, number):
                return msg(
                    "{who} meets {other} in round {number} by a challenge that was accepted.",
                    who=state.names[number],
                    other=state.names[challenges.opponent_of(row, number)],
                    number=state.at.number,
                )
    return None


def challenge(answer: EntrantAnswer, command: CommandLine) -> None:
    """Challenge an entrant, and notify him at once."""
    objection, state = challenge_error(answer, command), challenges.challenge_state(answer, answer.event)
    if objection is not None or isinstance(state, Msg):
        # Earlier lines of the letter may have changed that.
        answer.say("answer", *([objection] if objection is not None else []))
        return
    row = tables.Challenge(
        tournament_id=answer.event.id,
        number=state.at.number,
        challenger=answer.row.number,
        challenged=number_in_command(command),
    )
    answer.session.add(row)
    answer.session.flush()
    values = party_and_place_values(state, row)
    answer.say(
        "settings",
        msg("You challenge {other} for round {number}: from your place {mine} of the ladder to place {his}.", **values),
        msg(
            "If you win you go up to place {won}, and those whom you pass move down by one; else all stay where they "
            "are [E3.6].",
            **values,
        ),
        msg(
            "{other} is told now. Without an answer before the list shuts the challenge lapses, and you are drawn as "
            "everybody else is; until it is answered WITHDRAW CHALLENGE takes it back.",
            **values,
        ),
        *deadline_lines(state.at, answer.row.zone),
    )
    notify_party(answer, row.challenged, _challenge_letter(state, row), row)


def _challenge_letter(
    state: ChallengeState, challenge_row: tables.Challenge
) -> Callable[[tables.Entrant], post.LetterContent]:
    """Return the letter to the challenged entrant."""
    values = party_and_place_values(state, challenge_row)
    stake = msg(
        "If {who} wins, {who} goes up to place {won}, and you move down to place {lost}; else all stay where "
        "they are [E3.6].",
        **values,
    )
    if values["lost"] == values["his"]:
        stake = msg(
            "If {who} wins, {who} goes up to place {won}, and you keep place {his}; else all stay where they "
            "are [E3.6].",
            **values,
        )
    sentences = (
        msg("{who} challenges you for round {number}: from place {mine} of the ladder to your place {his}.", **values),
        msg(
            "ACCEPT {challenger} takes it: you two meet in that round. DECLINE {challenger} leaves it, which costs "
            "nothing. Without an answer before the list shuts the challenge lapses, and you are drawn as everybody "
            "else is.",
            challenger=challenge_row.challenger,
        ),
        stake,
        *accept_warning(state, challenge_row.challenged),
    )
    about = msg("{who} challenges you", **values)
    return lambda row: post.LetterContent(about, (*sentences, *deadline_lines(state.at, row.zone)), wanted=2)


def notify_party(
    answer: EntrantAnswer,
    number: int,
    letter_to: Callable[[tables.Entrant], post.LetterContent],
    challenge_row: tables.Challenge,
) -> None:
    """Notify one party of a challenge of its new state."""
    row = queries.tournaments.entrant(answer.session, answer.event.id, number)
    if row is not None:
        post.mail_entrant(
            answer, answer.event, row, letter_to(row), f"challenge {challenge_row.id} {number} {answer.inbox.id}"
        )


def _own_challenge(answer: EntrantAnswer) -> tuple[ChallengeState, tables.Challenge] | Msg:
    """Return his unanswered challenge, or the reason why there is none."""
    state = challenges.challenge_state(answer, answer.event)
    if isinstance(state, Msg):
        return state
    rows = [row for row in state.rows if row.challenger == answer.row.number]
    if waiting := [row for row in rows if row.state == "open"]:
        return state, waiting[0]
    if any(row in state.stand for row in rows):
        return msg(
            "Your challenge was accepted and binds both of you: you meet in round {number}.", number=state.at.number
        )
    return msg("There is no challenge of yours for round {number}.", number=state.at.number)


def withdraw_challenge_error(answer: EntrantAnswer, command: CommandLine) -> Msg | None:
    """Return why no challenge can be taken back; an accepted one binds both."""
    pending = _own_challenge(answer)
    return pending if isinstance(pending, Msg) else None


def withdraw_challenge(answer: EntrantAnswer, command: CommandLine) -> None:
    """Take back an unanswered challenge."""
    pending = _own_challenge(answer)
    if isinstance(pending, Msg):
        answer.say("answer", pending)
        return
    state, challenge_row = pending
    challenge_row.state = "withdrawn"
    answer.session.add(challenge_row)
    answer.session.flush()
    values = party_values(state, challenge_row)
    answer.say(
        "settings",
        msg("Your challenge of {other} is taken back.", **values),
        choices_text(state, challenge_row.challenger),
    )
    sentence = msg("{who} does not challenge you for round {number} any more: nothing is wanted of you.", **values)
    notify_party(
        answer,
        challenge_row.challenged,
        lambda row: post.LetterContent(msg("{who} takes the challenge back", **values), (sentence,)),
        challenge_row,
    )


def notify_absence(answer: EntrantAnswer) -> None:
    """Notify his opponents by challenge that he misses the coming round."""
    state, own_number = challenges.challenge_state(answer, answer.event), answer.row.number
    if isinstance(state, Msg) or own_number in boards.present_numbers(state.field):
        return
    for row in state.rows:
        if row.state in ("open", "accepted") and challenges.is_party_to_challenge(row, own_number):
            opponent = challenges.opponent_of(row, own_number)
            values = {"who": state.names[own_number], "other": state.names[opponent], "number": state.at.number}
            sentences = [
                msg(
                    "{who} is not in round {number}: nothing comes of the challenge between you two, unless {who} "
                    "comes back before the list shuts.",
                    **values,
                )
            ]
            sentences += [choices_text(state, opponent)] if opponent == row.challenger else []
            notify_party(
                answer,
                opponent,
                _constant_letter(post.LetterContent(msg("{who} is not in round {number}", **values), sentences)),
                row,
            )
            answer.say(
                "settings",
                msg(
                    "{other} is told that nothing comes of the challenge between you two, unless "
                    "you come back before the list shuts.",
                    **values,
                ),
            )


def _constant_letter(letter: post.LetterContent) -> Callable[[tables.Entrant], post.LetterContent]:
    return lambda row: letter


COMMANDS = (
    EntrantCommand(
        CommandForm("challenge", ("CHALLENGE", "RETAR A", "RETAR"), _WHOM, "CHALLENGE 4", "RETAR 4"),
        challenge,
        challenge_error,
        (
            msg(
                "CHALLENGE 4: on a ladder, to meet e4 in the next round whose list is not shut. STATUS lists whom you "
                "may challenge, and who challenges you: ACCEPT 7, DECLINE 7."
            ),
        ),
        lambda answer: challenges.has_ladder(answer.event),
    ),
    EntrantCommand(
        CommandForm(
            "withdraw challenge",
            ("WITHDRAW CHALLENGE", "RETIRAR RETO"),
            NO_ARGUMENT,
            "WITHDRAW CHALLENGE",
            "RETIRAR RETO",
        ),
        withdraw_challenge,
        withdraw_challenge_error,
        (msg("WITHDRAW CHALLENGE: takes it back as long as it is not answered."),),
        lambda answer: challenges.has_ladder(answer.event),
    ),
)


# E3.5 ACCEPT and DECLINE of a challenge: offers.py passes on the commands of players.


_WENT = {
    "open": msg("The challenge of {who} for round {number} was not answered."),
    "lapsed": msg("The challenge of {who} for round {number} has lapsed: the list is shut."),
    "accepted": msg("You have accepted the challenge of {who} for round {number}."),
    "fallen": msg("The challenge of {who} for round {number} did not hold when the list shut."),
    "declined": msg("The challenge of {who} for round {number} is declined."),
    "withdrawn": msg("{who} has taken back the challenge for round {number}."),
}
"""What became of a challenge that cannot be answered any more, by its state."""


def challenge_to_answer(answer: EntrantAnswer, command: CommandLine) -> tuple[ChallengeState, tables.Challenge] | Msg:
    """Return the challenge that ACCEPT or DECLINE answers, or why there is none."""
    state = challenges.challenge_state(answer, answer.event)
    own_number, number = answer.row.number, number_in_command(command)
    if isinstance(state, Msg):
        return _past_challenge_text(answer, number) or state
    waiting = [row for row in state.rows if row.challenged == own_number and row.state == "open"]
    matching = [row for row in waiting if number in (0, row.challenger)]
    if len(matching) == 1:
        return state, matching[0]
    challengers = tuple(state.names[row.challenger] for row in waiting)
    if matching:
        return msg(
            "Several challenge you: {who}. Write whom you mean, as in ACCEPT {number} or DECLINE {number}.",
            who=challengers,
            number=matching[0].challenger,
        )
    if waiting:
        return msg(
            "e{number} does not challenge you for round {round}; there is: {who}.",
            number=number,
            round=state.at.number,
            who=challengers,
        )
    return _past_challenge_text(answer, number) or msg("Nobody challenges you in {event} now.", event=answer.event.id)


def _past_challenge_text(answer: EntrantAnswer, number: int) -> Msg | None:
    """Return what became of the newest challenge that matches; None without one."""
    rows = queries.tournaments.all_challenges(answer.session, answer.event.id)
    matching = [row for row in rows if row.challenged == answer.row.number and number in (0, row.challenger)]
    if not matching:
        return None
    names = record.names_by_number(answer.session, answer.event)
    return msg(_WENT[matching[-1].state].text, who=names[matching[-1].challenger], number=matching[-1].number)


def accept_error(answer: EntrantAnswer, command: CommandLine) -> Msg | None:
    """Return the objection to accepting: another accepted one, or the ladder."""
    to_answer = challenge_to_answer(answer, command)
    if isinstance(to_answer, Msg):
        return to_answer
    state, row = to_answer
    parties = (row.challenger, row.challenged)
    return (
        absence_text(state, row.challenged)
        or conflict_text(state, row.challenged, parties)
        or challenges.challenge_fault_text(state.field, parties, state.names, row.number)
    )


def accept_challenge(answer: EntrantAnswer, command: CommandLine) -> None:
    """Accept a challenge, log it, notify both, and end their other open challenges."""
    to_answer = challenge_to_answer(answer, command)
    if isinstance(to_answer, Msg):
        raise LookupError(f"nothing to accept in {answer.event.id}")
    state, challenge_row = to_answer
    ended = challenges.accept_challenge(answer, answer.event, challenge_row)
    values = party_values(state, challenge_row)
    answer.say(
        "settings",
        msg(
            "You have accepted: you meet {who} in round {number}, if the ladder allows it when the list shuts, which "
            "says so to all.",
            **values,
        ),
        *deadline_lines(state.at, answer.row.zone),
    )
    sentence = msg(
        "{other} accepts: you two meet in round {number}, if the ladder allows it when the list shuts, which "
        "says so to all.",
        **values,
    )
    about = msg("{other} accepts your challenge", **values)
    notify_party(
        answer,
        challenge_row.challenger,
        lambda row: post.LetterContent(about, (sentence, *deadline_lines(state.at, row.zone))),
        challenge_row,
    )
    for ended_row in ended:
        _notify_ended(answer, challenge_row, ended_row)


def _notify_ended(answer: EntrantAnswer, accepted: tables.Challenge, ended: tables.Challenge) -> None:
    """Notify the other party of an ended challenge that its opponent meets another."""
    state, parties = challenges.challenge_state(answer, answer.event), {accepted.challenger, accepted.challenged}
    if isinstance(state, Msg):
        raise LookupError(f"no round of {answer.event.id} to challenge for")
    if ended.challenger == answer.row.number:
        answer.say("settings", msg("Your own challenge of {other} is taken back.", **party_values(state, ended)))
    party = ended.challenger if ended.challenger in parties else ended.challenged
    recipient, values = challenges.opponent_of(ended, party), {"who": state.names[party], "number": ended.number}
    sentences = [
        msg("{who} meets another in round {number}: nothing comes of the challenge between you two.", **values)
    ]
    sentences += [choices_text(state, recipient)] if recipient == ended.challenger else []
    notify_party(
        answer,
        recipient,
        lambda row: post.LetterContent(msg("{who} meets another in round {number}", **values), sentences),
        ended,
    )


def decline_challenge(answer: EntrantAnswer, command: CommandLine) -> None:
    """Decline a challenge; notify the challenger, with his other choices."""
    to_answer = challenge_to_answer(answer, command)
    if isinstance(to_answer, Msg):
        raise LookupError(f"nothing to decline in {answer.event.id}")
    state, challenge_row = to_answer
    challenge_row.state = "declined"
    answer.session.add(challenge_row)
    answer.session.flush()
    values = party_values(state, challenge_row)
    answer.say("settings", msg("You have declined: {who} is told.", **values))
    sentences = (
        msg("{other} declines to be challenged for round {number}.", **values),
        choices_text(state, challenge_row.challenger),
    )
    about = msg("{other} declines your challenge", **values)
    notify_party(
        answer,
        challenge_row.challenger,
        lambda row: post.LetterContent(about, (*sentences, *deadline_lines(state.at, row.zone))),
        challenge_row,
    )
