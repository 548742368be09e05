"""Run HERE, ROTATE, REST, RETURN and WITHDRAW: in which rounds an entrant plays.

His games are handled later: the tournament is advanced as soon as the letter is taken in.
"""

from __future__ import annotations

import re

from pbem.engine.data.languages import pick_phrase
from pbem.engine.data.messages import Msg, msg
from pbem.letters.commands import NO_ARGUMENT, CommandForm, CommandLine
from pbem.mail import CODE_PATTERN
from pbem.play.seating import REPLACED
from pbem.store import queries
from pbem.tournaments import contenders, director_desk, entry, leaves, record, round_states, teams
from pbem.tournaments.arithmetic.entering import WAITING, needs_approval
from pbem.tournaments.arithmetic.rules.ends import most_rounds
from pbem.tournaments.commands import challenging
from pbem.tournaments.commands.entrant_answer import EntrantAnswer, EntrantCommand, is_confirmed, not_playing_text

ANYWORD = re.compile(r"(?:\S+ ?){0,3}")
"""The argument of HELP: at most three words, as the longest command has."""
# The round, or the code, that a command about presence names.
# Up to three digits: a stage has at most 99 rounds, and a tournament may have several.
_ROUND = re.compile(r"r ?(?P<round>\d{1,3})")
_RETURN = re.compile(r"(?:r ?(?P<round>\d{1,3}))?")
_OUT = re.compile(rf"(?:(?:after|tras) r ?(?P<round>\d{{1,3}}))? ?(?:(?:code|codigo) (?P<code>{CODE_PATTERN}))?")


def confirm_presence(answer: EntrantAnswer, command: CommandLine) -> None:
    """Confirm an entrant's presence, and withdraw offers of his seats."""
    silences = queries.tournaments.silences(answer.session, answer.event.id, "asked", "director", "open", "offered")
    own_silences = [
        silence_row for silence_row in silences if silence_row.entrant == answer.row.number and not silence_row.gave_up
    ]
    for silence in own_silences:
        silence.state = "closed"
        answer.session.add(silence)
    for row in queries.tournaments.entrants(answer.session, answer.event.id):
        if own_silences and contenders.has_seat_offer(row, answer.row.number):
            row.offered_until = answer.now
            answer.session.add(row)
    answer.session.flush()
    answer.wake()
    accepted = queries.tournaments.silences(answer.session, answer.event.id, "accepted")
    if any(silence_row.entrant == answer.row.number for silence_row in accepted):
        answer.say(
            "settings",
            msg("Your answer came too late for one of your seats: somebody has taken it. Your other seats are kept."),
        )
        return
    if answer.row.state in record.OUT:
        answer.say("answer", not_playing_text(answer))
        return
    answer.say("settings", msg("You are there: your seats are kept. Orders go to the addresses of your games."))


def rotate_address(answer: EntrantAnswer, command: CommandLine) -> None:
    """Give him another address.

    This answer, which goes to his registered address alone, is the first to name it.
    """
    answer.row.generation += 1
    answer.session.add(answer.row)
    answer.session.flush()
    address = answer.server.entrant_address(answer.row)
    sentence = msg("You play in {event} from another address now: {address}.", event=answer.event.id, address=address)
    answer.say("settings", sentence, REPLACED)


def rest_round(answer: EntrantAnswer, command: CommandLine) -> None:
    """Rest a coming round."""
    number = _number(command)
    row = answer.row
    row.resting = record.numbers_to_column(record.numbers_from_column(row.resting) | {number})
    answer.session.add(row)
    answer.session.flush()
    leaves.record_departure(answer, answer.event, row.number, number, "rest")
    limit = record.rules_of(answer.event).limits.half_byes
    if row.team_id is not None:
        answer.say("settings", msg("You rest round {number}: your team plays without you.", number=number))
        sentence = msg("{who} rests round {number}.", who=record.public_entrant_name(row), number=number)
        teams.notify_captain(answer, answer.event, row, number, sentence)
        return
    answer.say(
        "settings",
        msg("You rest round {number}.", number=number),
        msg("Rounds rested that are worth half a point: {count}; more are worth nothing [E1.2].", count=limit),
    )
    challenging.notify_absence(answer)


def rest_error(answer: EntrantAnswer, command: CommandLine) -> Msg | None:
    """Return why the entrant cannot rest: not playing, or entries are closed."""
    if answer.row.state != "in":
        return not_playing_text(answer)
    last = most_rounds(record.rules_of(answer.event))
    if _number(command) > last:
        return msg("{event} has no round after {last}.", event=answer.event.id, last=f"R{last}")
    return _closed_list_text(answer, _number(command))


def return_to_play(answer: EntrantAnswer, command: CommandLine) -> None:
    """Play again, from the named round or the next one."""
    row = answer.row
    number = _number(command) or entry.next_open_round(answer, answer.event)
    if teams.was_never_admitted(row):
        row.state = teams.ASKS
        answer.session.add(row)
        answer.session.flush()
        teams.ask_captain(answer, answer.event, row)
        answer.say("settings", msg("Your captain is asked again."))
        return
    if _is_to_wait(answer):
        row.state = "waiting"
        answer.session.add(row)
        answer.session.flush()
        if needs_approval(record.rules_of(answer.event)):
            director_desk.notify_of_applicant(answer, answer.event, row)
            answer.say("settings", msg("The director is asked again."))
        else:
            answer.say("settings", msg("You are on the waiting list of {event}.", event=answer.event.id))
        return
    if row.state in record.OUT:
        row.out_after = None
        entry.admit_entrant(answer, answer.event, row, number)
    row.resting = record.numbers_to_column(
        {rested for rested in record.numbers_from_column(row.resting) if rested < number}
    )
    row.out_after = None
    answer.session.add(row)
    answer.session.flush()
    leaves.record_departure(answer, answer.event, row.number, number, "return")
    answer.wake()
    answer.say("settings", msg("You play again from round {number} on.", number=number))
    sentence = msg("{who} plays again from round {number} on.", who=record.public_entrant_name(row), number=number)
    teams.notify_captain(answer, answer.event, row, number, sentence)


def _is_to_wait(answer: EntrantAnswer) -> bool:
    """E1 Return whether somebody who never played waits again: he goes before nobody."""
    row = answer.row
    is_newcomer = row.state in record.OUT and not row.left_once and row.team_id is None
    return is_newcomer and entry.admission_by_places(answer, answer.event) == WAITING


def return_error(answer: EntrantAnswer, command: CommandLine) -> Msg | None:
    """E1.1 Return why the entrant cannot come back; None if he can.

    Coming back is possible while a place is free, during the first stage, and without points for missed rounds.
    """
    row, event = answer.row, answer.event
    if event.state not in round_states.LIVE:
        return msg("Nobody can enter {event} now.", event=event.id)
    if row.state == "expelled" and not row.left_once:
        return msg("The director of {event} does not let you in.", event=event.id)
    if row.state == "expelled":
        return msg("You were expelled from {event}: its director decides.", event=event.id)
    if row.state in ("waiting", "offered"):
        return msg("You are on the waiting list of {event}.", event=event.id)
    if row.state == teams.ASKS:
        return msg("Your captain is asked already.")
    if row.state in record.OUT and not _is_to_wait(answer):
        if (objection := _room_objection(answer)) is not None:
            return objection
        if event.stage > 1 and contenders.pairing_number(answer, row) not in {
            seed.number for seed in record.stage_seeds(event, event.stage)
        }:
            return msg("The stage of {event} that is played has begun without you.", event=event.id)
    number = _number(command) or entry.next_open_round(answer, event)
    has_rests = any(rested >= number for rested in record.numbers_from_column(row.resting))
    if row.state == "in" and row.out_after is None and not has_rests:
        return msg("You play in {event} already, and rest no round to come.", event=event.id)
    return _closed_list_text(answer, number)


def _room_objection(answer: EntrantAnswer) -> Msg | None:
    """Return why there is no room: no place for him or his team, or none in it."""
    event, team = answer.event, contenders.team_of(answer, answer.row)
    if team is not None and team.state == "expelled":
        return msg("Your team was expelled from {event}: its director decides.", event=event.id)
    if team is not None and team.state == "in":
        if teams.free_team_places(answer, event, team) < 1:
            return msg("{team} have as many members as they may have.", team=record.public_team_name(team))
        if teams.was_never_admitted(answer.row) and not entry.may_begin(answer, event):
            return msg("Nobody can enter {event} now.", event=event.id)
        return None
    if team is not None and teams.was_never_admitted(answer.row):
        return msg("{team} play no more: name another team.", team=record.public_team_name(team))
    if entry.taken_places(answer, event) >= record.rules_of(event).entry.places:
        return msg("No place in {event} is free.", event=event.id)
    return None


def withdraw_entrant(answer: EntrantAnswer, command: CommandLine) -> None:
    """Withdraw an entrant after a round, or now with his games."""
    row, event = answer.row, answer.event
    match = _OUT.fullmatch(command.rest)
    after = _after_round(command)
    suffixes = after and (f" AFTER R{after}", f" TRAS R{after}")
    english, spanish = suffixes or ("", "")
    phrase = pick_phrase(answer.row.language, f"WITHDRAW{english}", f"RETIRARSE{spanish}")
    question = msg("You want to leave {event} after round {number}.", event=event.id, number=after)
    if not after:
        question = msg("You want to leave {event} now: games of yours that are played are lost.", event=event.id)
        if row.team_id is not None:
            question = msg(
                "You want to leave {event} now: your seats are offered to the reserves of your team, and games "
                "that nobody takes are lost.",
                event=event.id,
            )
        elif record.can_offer_seat(answer.session, event, record.stage_of(event), never=False):
            question = msg(
                "You want to leave {event} now: your seats are offered to those who wait, and games that "
                "nobody takes are lost.",
                event=event.id,
            )
    if not is_confirmed(answer, match["code"] if match else None, question, msg("The line that takes you out"), phrase):
        return
    if after and not _is_over(answer, after):
        row.out_after = after
        answer.session.add(row)
        answer.session.flush()
        leaves.record_departure(answer, event, row.number, after + 1, "withdrew")
        answer.say("settings", msg("You leave {event} after round {number}.", event=event.id, number=after))
        departure = msg("{who} leaves after round {number}.", who=record.public_entrant_name(row), number=after)
        teams.notify_captain(answer, event, row, after + 1, departure)
        challenging.notify_absence(answer)
        return
    entry.remove_entrant(answer, event, row, "withdrawn", "withdrew")
    answer.wake()
    answer.say("settings", msg("You have left {event}. Thank you for playing.", event=event.id))
    challenging.notify_absence(answer)


def withdraw_error(answer: EntrantAnswer, command: CommandLine) -> Msg | None:
    """Return why he cannot leave: out already, tournament over, or no such round."""
    if answer.row.state in record.OUT or answer.event.state not in ("open", "playing", "held"):
        return msg("You do not play in {event} now.", event=answer.event.id)
    after, next_ = _after_round(command), entry.next_open_round(answer, answer.event)
    last = most_rounds(record.rules_of(answer.event))
    if after and after < next_ - 1:
        return msg(
            "Round {number} is over already: WITHDRAW alone leaves now, WITHDRAW AFTER {current} after the "
            "newest round.",
            number=after,
            current=f"R{next_ - 1}",
        )
    if after > last:
        return msg("{event} has no round after {last}.", event=answer.event.id, last=f"R{last}")
    return None


def _is_over(answer: EntrantAnswer, number: int) -> bool:
    """Return whether a round is closed; leaving after it then means leaving now."""
    round_row = queries.tournaments.round_numbered(answer.session, answer.event.id, number)
    return round_row is not None and round_row.state == "closed"


def _after_round(command: CommandLine) -> int:
    """Return the round named by AFTER, or 0.

    A code may contain an r followed by a figure as well.
    """
    match = _OUT.fullmatch(command.rest)
    return int(match["round"]) if match and match["round"] else 0


def _number(command: CommandLine) -> int:
    match = re.search(r"r ?(\d{1,3})", command.rest)
    return int(match[1]) if match else 0


def _closed_list_text(answer: EntrantAnswer, number: int) -> Msg | None:
    """Return the notice that the list of a round, from 1, is closed; else None."""
    first = entry.next_open_round(answer, answer.event)
    if number < first:
        return msg("The list of round {number} is shut: the next one is {next}.", number=number, next=f"R{first}")
    return None


COMMANDS = (
    EntrantCommand(
        CommandForm("here", ("HERE", "PRESENTE"), NO_ARGUMENT, "HERE", "PRESENTE"),
        confirm_presence,
        help=(msg("HERE: you are there, and your seats are kept."),),
    ),
    EntrantCommand(
        CommandForm("rest", ("REST", "DESCANSAR"), _ROUND, "REST R3", "DESCANSAR R3"),
        rest_round,
        rest_error,
        (msg("REST R3: you are not paired in that round. RETURN R4: you play again from there on."),),
    ),
    EntrantCommand(
        CommandForm("return", ("RETURN", "VOLVER"), _RETURN, "RETURN R4", "VOLVER R4"), return_to_play, return_error
    ),
    EntrantCommand(
        CommandForm("withdraw", ("WITHDRAW", "RETIRARSE"), _OUT, "WITHDRAW AFTER R2", "RETIRARSE TRAS R2"),
        withdraw_entrant,
        withdraw_error,
        (msg("WITHDRAW AFTER R2: you leave after that round; WITHDRAW alone: now, with your games."),),
    ),
    EntrantCommand(
        CommandForm("rotate", ("ROTATE", "ROTAR"), NO_ARGUMENT, "ROTATE", "ROTAR"),
        rotate_address,
        help=(msg("ROTATE: another address to write to, if somebody else knows this one."),),
    ),
)
