"""E6 Handle no-shows: ask for a word, offer the seat, then end the game.

After the question to a silent player, nothing is done about his seat before the other seat is checked
(`absence.decide_about_silent_seat`): if neither player is present the game counts 0:0, and both are out. Tournaments
of version 1 do not check the other seat.

In team tournaments the reserves of his team are asked instead of the waiting list: nobody else plays for a team.

::

    missed twice, or never wrote   HERE is asked for
    no word in the hours given     the director is asked, if the rules say so; then the waiting list, one by one
    nobody takes it                the game is lost after `forfeit_after` phases missed in a row
    resigned or withdrawn          offered without a question; nobody takes it: the game is lost at once
    never came                     the same after the question; nobody takes it: a bye or a forfeit at once
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from operator import itemgetter

from pbem.engine.data.messages import Msg, msg
from pbem.letters.content import moment_in_words
from pbem.mail.address import base_address
from pbem.runtime.transaction import Transaction
from pbem.store import queries, tables
from pbem.tournaments import clocks, contenders, director_desk, entry, founding, post, record, substitution, teams
from pbem.tournaments.arithmetic import absence
from pbem.tournaments.arithmetic.entering import needs_approval
from pbem.tournaments.arithmetic.rules.records import TournamentRules
from pbem.tournaments.substitution import TablePlace

_OPEN = ("asked", "director", "open", "offered", "accepted")
_ASKED_AFTER = 2
"""Phases missed in a row after which a player who wrote before is asked: one may be missed by accident."""


_SeatState = tuple[TablePlace, "tables.Silence | None"]
"""A seat with its open question, if any."""


def advance_no_shows(tx: Transaction, event: tables.Tournament, round_: tables.Round) -> bool:
    """Advance the first seat of a round that is due; return False if there is none."""
    first = founding.table_game(tx, event).seat_of(0)
    rows = {row.number: row for row in queries.tournaments.entrants(tx.session, event.id)}
    open_silences = {
        (silence.board_id, silence.entrant): silence
        for silence in queries.tournaments.silences(tx.session, event.id, *_OPEN)
    }
    games = queries.tournaments.table_games(tx.session, round_.id)
    seats = queries.tournaments.seats_at_boards(tx.session, round_.id, ("running", "held", "over"))
    for board, board_seats in groupby(seats, key=itemgetter(0)):
        pair: list[_SeatState] = []
        for _, seat in board_seats:
            number = board.first if seat.name == first else board.second
            place = TablePlace(event, round_, board, seat, rows[number])
            pair.append((place, open_silences.get((board.id or 0, number))))
        game = games[str(board.game_id)]
        if event.version > 1 and _has_ended(tx, round_, board, game) and _are_both_absent(tx, pair):
            if _forfeit_both(tx, pair):
                return True
        elif game.state != "over" and (_advance_seat(tx, pair[0], pair[1]) or _advance_seat(tx, pair[1], pair[0])):
            return True
        if game.state != "over":
            for place, _ in pair:
                open_silences.pop((board.id or 0, place.row.number), None)
    # The remaining silences are of finished games.
    for silence in open_silences.values():
        _close_silence(tx, event, silence)
    return bool(open_silences)


def _has_ended(tx: Transaction, round_: tables.Round, board: tables.Board, game: tables.Game) -> bool:
    """Return whether a game has come to its last turn, or to the end of its round."""
    if game.state == "over":
        return not board.ended
    return round_.ends is not None and round_.ends <= tx.now


def _are_both_absent(tx: Transaction, pair: Sequence[_SeatState]) -> bool:
    """E6.1 Return whether both players at a table were absent until its end."""
    first, second = (_presence_of(tx, *seat_state, ended=True) for seat_state in pair)
    return absence.decide_about_silent_seat(first, second, has_ended=True) == absence.BOTH


def _forfeit_both(tx: Transaction, pair: Sequence[_SeatState]) -> bool:
    (first, _), (second, _) = pair
    if not substitution.forfeit_both(tx, first, second):
        return False
    for place, silence in pair:
        if silence is not None:
            _close_silence(tx, place.event, silence)
    return True


def _presence_of(
    tx: Transaction, place: TablePlace, silence: tables.Silence | None, *, ended: bool = False
) -> absence.SeatPresence:
    """Return the known facts about the presence of a seat's player.

    If the player never wrote, or the game has `ended`, his time ends with the hours to answer.
    """
    if silence is not None and silence.state == "accepted":
        return absence.SeatPresence(heard=True)
    is_gone = place.seat.is_free or contenders.has_left(place.row) or (silence is not None and silence.gave_up)
    if silence is None or (not is_gone and _is_present(tx, place, silence)):
        return absence.SeatPresence(heard=_has_written(tx, place), gone=is_gone)
    no_show_rules = record.rules_of(place.event).left
    has_expired = place.seat.missed >= no_show_rules.forfeit_after
    if silence.never or (ended and not has_expired):
        has_expired = _end_of_question(tx, place, silence) <= tx.now
    pending = silence.state in ("director", "offered") and silence.until > tx.now
    return absence.SeatPresence(not silence.never, asked=True, up=has_expired, gone=is_gone, pending=pending)


def _has_written(tx: Transaction, place: TablePlace) -> bool:
    """Return whether an entrant has written since his table was founded.

    In tournaments of version 1 only letters to that table count, but also earlier ones.
    """
    if place.event.version == 1:
        return queries.tournaments.has_written(tx.session, place.seat.id)
    senders, own_address = _addresses_of(tx, place)
    has_heard = queries.tournaments.wrote_in_round(tx.session, place.board, place.row.person_id, senders, own_address)
    return bool(place.seat.bot) or has_heard


def _addresses_of(tx: Transaction, place: TablePlace) -> tuple[list[str], str]:
    """Return an entrant's addresses, and the beginning of the server's for him."""
    senders = [base_address(address.email) for address in queries.persons.addresses(tx.session, place.row.person_id)]
    # The code at the end changes with ROTATE.
    return senders, tx.server.entrant_address(place.row).partition("@")[0].rpartition("-")[0] + "-"


def _advance_seat(tx: Transaction, seat_state: _SeatState, other_state: _SeatState) -> bool:
    place, silence = seat_state
    seat, rules = place.seat, record.rules_of(place.event)
    is_gone = seat.is_free or contenders.has_left(place.row)
    if silence is None:
        never = seat.missed >= 1 and not _has_written(tx, place)
        if is_gone:
            _add_silence(tx, place, tx.now, gave_up=True)
            return True
        if (never or seat.missed >= min(_ASKED_AFTER, rules.left.forfeit_after)) and not _has_answered(tx, place):
            _ask_presence(tx, rules, place, never)
            return True
        return False
    if silence.state == "accepted":
        # The substitute was promised the seat: a later letter of the first player is too late.
        return substitution.give_seat_to_substitute(tx, place, silence)
    if not is_gone and not silence.gave_up and _is_present(tx, place, silence):
        _close_silence(tx, place.event, silence)
        return True
    waits = (
        place.event.version > 1 and (is_gone or _is_waiting(tx, place, silence)) and silence.state in ("asked", "open")
    )
    if silence.until > tx.now and not waits and not _has_missed_all(rules, place, silence):
        return False
    if place.event.version > 1:
        action = absence.decide_about_silent_seat(_presence_of(tx, *seat_state), _presence_of(tx, *other_state))
        if action == absence.BOTH:
            return _forfeit_both(tx, (seat_state, other_state))
        if action == absence.WAIT:
            _wait(tx, place, silence, other_state[1])
            return False
    return _STEPS[silence.state](tx, rules, place, silence)


def _is_waiting(tx: Transaction, place: TablePlace, silence: tables.Silence) -> bool:
    """Return whether a seat whose time is up waits for the other seat (`_wait`)."""
    if silence.state == "open":
        return silence.until != place.round.ends
    return _end_of_question(tx, place, silence) <= tx.now


def _end_of_question(tx: Transaction, place: TablePlace, silence: tables.Silence) -> datetime:
    """Return the moment until which an answer keeps the seat."""
    hours = record.rules_of(place.event).left.here_hours
    return clocks.later_on_board_clock(tx, place.event, place.board, hours, silence.asked)


def _wait(tx: Transaction, place: TablePlace, silence: tables.Silence, other: tables.Silence | None) -> None:
    """E6.1 Postpone any step about a seat until the other player's presence is known."""
    phase = queries.phases.present_phase(tx.session, str(place.board.game_id))
    deadlines = [
        deadline
        for deadline in ([other.until] if other else []) + ([phase.deadline] if phase else [])
        if deadline > tx.now
    ]
    silence.until = min(deadlines, default=tx.now + timedelta(hours=1))
    if silence.state != "asked":
        silence.state = "open"
    tx.session.add(silence)


def _has_answered(tx: Transaction, place: TablePlace) -> bool:
    """Return whether he answered in this phase; he is asked again in a later phase."""
    last_asked = queries.tournaments.last_inquiry(tx.session, place.board.id, place.row.number)
    phase = queries.phases.present_phase(tx.session, str(place.board.game_id))
    return last_asked is not None and (phase is None or phase.opened <= last_asked)


def _is_present(tx: Transaction, place: TablePlace, silence: tables.Silence) -> bool:
    """Return whether a player answered by any letter, to his seat or as entrant."""
    if not place.seat.missed or queries.tournaments.has_letter_since(tx.session, place.seat.id, silence.asked):
        return True
    return place.event.version > 1 and queries.tournaments.wrote_as_entrant(
        tx.session, *_addresses_of(tx, place), silence.asked
    )


def _has_missed_all(rules: TournamentRules, place: TablePlace, silence: tables.Silence) -> bool:
    """Return whether the forfeit is due: no open offer, and enough phases missed."""
    return silence.state != "offered" and place.seat.missed >= rules.left.forfeit_after


def _add_silence(
    tx: Transaction, place: TablePlace, until: datetime, *, gave_up: bool = False, never: bool = False
) -> None:
    silence = tables.Silence(
        board_id=place.board.id or 0,
        entrant=place.row.number,
        state="open" if gave_up else "asked",
        asked=tx.now,
        until=until,
        gave_up=gave_up,
        never=never,
    )
    tx.session.add(silence)
    tx.session.flush()


def _ask_presence(tx: Transaction, rules: TournamentRules, place: TablePlace, never: bool) -> None:
    """Ask a player for a sign of presence, naming the deadline to keep the seat."""
    until = clocks.later_on_board_clock(tx, place.event, place.board, rules.left.here_hours)
    _add_silence(tx, place, until, never=never)
    sentences = (
        msg("No orders of yours have come at {game}: are you there?", game=place.board.game_id)
        if never
        else msg(
            "You have missed {count} phases in a row at {game}: are you there?",
            count=place.seat.missed,
            game=place.board.game_id,
        ),
        msg(
            "HERE is enough, or any letter to this address or to that of the game, by {when}.",
            when=moment_in_words(until, place.row.zone),
        ),
        *_consequence_lines(tx, rules, place, never),
        *([msg("If your opponent is silent as well, the game counts 0:0 [E6.1].")] if place.event.version > 1 else []),
        msg("Then you are out of the tournament until you write RETURN."),
    )
    letter = post.LetterContent(msg("are you there?"), sentences, kind="reminder", wanted=2)
    cause = f"here {place.board.id} {tx.now.isoformat()}"
    post.mail_entrant(tx, place.event, place.row, letter, cause)
    if place.team:
        teams.notify_captain_of_seat(tx, place.event, place.row, _captain_letter(place, until), f"{cause} captain")


def _captain_letter(place: TablePlace, until: datetime) -> Callable[[tables.Entrant], post.LetterContent]:
    """Return the letter to a captain about a member who was asked to write."""
    name = record.public_entrant_name(place.row)

    def letter_to(captain: tables.Entrant) -> post.LetterContent:
        lines = (
            msg("{who} sends no orders at {game}, and was asked for a word.", who=name, game=place.board.game_id),
            msg(
                "If none comes by {when}, the seat is offered to the reserves of your team.",
                when=moment_in_words(until, captain.zone),
            ),
        )
        return post.LetterContent(msg("{who} is silent", who=name), lines)

    return letter_to


def _consequence_lines(tx: Transaction, rules: TournamentRules, place: TablePlace, never: bool) -> list[Msg]:
    """Return the consequences of silence, worded for the player himself."""
    stage = record.stage_of(place.event, place.round.stage)
    offered = record.can_offer_seat(tx.session, place.event, stage, never=never)
    first = [msg("If you do not answer, your seat is offered to the waiting list.")] if offered else []
    if place.team:
        first = [msg("Without a word your seat is offered to the reserves of your team.")]
    if not never:
        return [*first, msg("After {count} phases missed in a row the game is lost.", count=rules.left.forfeit_after)]
    bye = record.gives_bye(place.event, stage)
    if offered and bye:
        return [*first, msg("If nobody takes it, the game counts nothing and your opponent has a bye.")]
    if offered:
        return [*first, msg("If nobody takes it, the game is lost.")]
    if bye:
        return [msg("Without a word the game counts nothing and your opponent has a bye.")]
    return [msg("If you do not answer, the game is lost.")]


def _after_question(tx: Transaction, rules: TournamentRules, place: TablePlace, silence: tables.Silence) -> bool:
    """Ask the director about a silent player, or offer his seat, by the rules."""
    if rules.left.ask == "director":
        silence.state = "director"
        silence.until = clocks.later_on_board_clock(tx, place.event, place.board, rules.left.ask_hours)
        tx.session.add(silence)
        tx.session.flush()
        if director_desk.is_letter_too_late(tx, place.event, silence.until):
            sentences = director_desk.silence_lines(tx, place.event, silence)
            post.mail_director(
                tx, place.event, post.LetterContent(msg("somebody is silent"), sentences), f"silent {silence.id}"
            )
        return True
    return _offer(tx, rules, place, silence)


def _offer(tx: Transaction, rules: TournamentRules, place: TablePlace, silence: tables.Silence) -> bool:
    """Offer the seat to the next candidate; without one apply the rules."""
    find_substitute = _next_comrade if place.team else _next_waiting
    substitute = None if _has_missed_all(rules, place, silence) else find_substitute(tx, rules, place, silence)
    if substitute is None:
        return _apply_no_substitute(tx, rules, place, silence)
    until = clocks.later_on_board_clock(tx, place.event, place.board, rules.left.offer_hours)
    silence.state, silence.until = "offered", until
    substitute.offered_until, substitute.offered_for = until, place.row.number
    if not place.team:
        substitute.state = "offered"
    tx.session.add_all((silence, substitute))
    tx.session.flush()
    sentences = (
        msg(
            "A seat needs somebody: {game}, in the place of {who}.",
            game=place.board.game_id,
            who=record.public_entrant_name(place.row),
        ),
        msg(
            "ACCEPT takes it, DECLINE leaves it to the next of your team; by itself it passes on at {when}.",
            when=moment_in_words(until, substitute.zone),
        )
        if place.team
        else msg(
            "ACCEPT takes it, DECLINE leaves it to the next who waits; by itself it passes on at {when}.",
            when=moment_in_words(until, substitute.zone),
        ),
        *_offer_lines(tx, place, substitute.zone),
    )
    letter = post.LetterContent(msg("a seat is offered to you"), sentences, wanted=2)
    post.mail_entrant(tx, place.event, substitute, letter, f"offer {silence.id} {substitute.number}")
    return True


def _offer_lines(tx: Transaction, place: TablePlace, zone: str) -> list[Msg]:
    """Return an offered seat's side, next deadline, end of round and scoring."""
    side = founding.table_game(tx, place.event).rules.telling.side(place.seat.side)
    phase = queries.phases.present_phase(tx.session, str(place.board.game_id))
    last = msg("What the game counts is yours, and you play the rounds to come.")
    if place.team:
        last = msg("What the game counts is your team's.")
    if phase is None or place.round.ends is None:
        return [msg("You would play {side}.", side=side), last]
    deadline, end = moment_in_words(phase.deadline, zone), moment_in_words(place.round.ends, zone)
    return [
        msg(
            "You would play {side}; orders are wanted next by {when}, and the round ends at {end} at the latest.",
            side=side,
            when=deadline,
            end=end,
        ),
        last,
    ]


def _next_waiting(
    tx: Transaction, rules: TournamentRules, place: TablePlace, silence: tables.Silence
) -> tables.Entrant | None:
    stage = record.stage_of(place.event, place.round.stage)
    if not record.rules_offer_seat(rules, stage, never=silence.never):
        return None
    rows = queries.tournaments.entrants(tx.session, place.event.id)
    number = place.row.number
    at_board = {place.board.first, place.board.second}
    free = (row for row in rows if row.state == "waiting" and row.number not in at_board)
    return next((row for row in free if number not in record.numbers_from_column(row.declined)), None)


def _next_comrade(
    tx: Transaction, rules: TournamentRules, place: TablePlace, silence: tables.Silence
) -> tables.Entrant | None:
    """Return the first member without a board, not resting and not asked yet."""
    boards = queries.tournaments.boards(tx.session, place.round.id)
    sitting = {number for board in boards for number in (board.first, board.second)}
    team = contenders.team_of(tx, place.row)
    free = contenders.members(tx, team) if team is not None else []
    number = place.row.number
    return next(
        (
            row
            for row in free
            if row.number not in sitting
            and row.offered_until is None
            and not contenders.is_resting(row, place.round.number)
            and number not in record.numbers_from_column(row.declined)
        ),
        None,
    )


def _apply_no_substitute(tx: Transaction, rules: TournamentRules, place: TablePlace, silence: tables.Silence) -> bool:
    """Apply the rules if nobody takes the seat.

    They apply at once if the player never came or has left; otherwise the game is forfeited in the end.
    """
    if silence.never and record.gives_bye(place.event, record.stage_of(place.event, place.round.stage)):
        return substitution.give_bye_to_opponent(tx, place, silence)
    if silence.never or silence.gave_up or _has_missed_all(rules, place, silence):
        return substitution.forfeit_game(tx, place, silence)
    far_end = place.round.ends or tx.now + timedelta(days=365)
    if silence.state == "open" and silence.until == far_end:
        return False
    silence.state, silence.until = "open", far_end
    tx.session.add(silence)
    return True


def _after_offer(tx: Transaction, rules: TournamentRules, place: TablePlace, silence: tables.Silence) -> bool:
    """Offer the seat to the next candidate after an offer lapsed."""
    silence.state = "open"
    return _offer(tx, rules, place, silence)


_STEPS = {"asked": _after_question, "director": _offer, "open": _offer, "offered": _after_offer}


def _close_silence(tx: Transaction, event: tables.Tournament, silence: tables.Silence) -> None:
    """Close the question to a seat that was kept or given away; withdraw its offer."""
    silence.state = "closed"
    tx.session.add(silence)
    for row in queries.tournaments.entrants(tx.session, event.id):
        if contenders.has_seat_offer(row, silence.entrant):
            _withdraw_offer(tx, event, row, msg("The seat that was offered to you is not free any more."))
    tx.session.flush()


def _withdraw_offer(tx: Transaction, event: tables.Tournament, row: tables.Entrant, reason: Msg) -> None:
    row.declined = record.numbers_to_column(record.numbers_from_column(row.declined) | {row.offered_for or 0})
    until = row.offered_until
    row.offered_until, row.offered_for = None, None
    letter = post.LetterContent(msg("you stay in reserve"), (reason,))
    if row.state == "offered":
        row.state = "waiting"
        letter = post.LetterContent(msg("you are on the waiting list"), (reason, msg("You wait on.")))
    tx.session.add(row)
    post.mail_entrant(tx, event, row, letter, f"offer over {until.isoformat() if until else ''}")


def withdraw_expired_offers(tx: Transaction, event: tables.Tournament) -> bool:
    """Withdraw expired offers; return whether there were any."""
    rows: Sequence[tables.Entrant] = queries.tournaments.entrants(tx.session, event.id)
    expired = [
        row
        for row in rows
        if row.offered_until is not None and row.offered_until <= tx.now and not _has_accepted(tx, event, row)
    ]
    for row in expired:
        _withdraw_offer(tx, event, row, msg("Your time to accept is up."))
    tx.session.flush()
    return bool(expired)


def _has_accepted(tx: Transaction, event: tables.Tournament, row: tables.Entrant) -> bool:
    accepted = queries.tournaments.silences(tx.session, event.id, "accepted")
    return any(silence.entrant == row.offered_for for silence in accepted)


def offer_free_places(tx: Transaction, event: tables.Tournament) -> bool:
    """E1 Offer a free place to the first on the waiting list who has declined none.

    Return whether a place was offered.
    """
    rules, rows = record.rules_of(event), queries.tournaments.entrants(tx.session, event.id)
    taken_count = sum(row.state == "in" or (row.state == "offered" and row.offered_for is None) for row in rows)
    waiting = [row for row in rows if row.state == "waiting" and 0 not in record.numbers_from_column(row.declined)]
    has_room = taken_count < rules.entry.places and not needs_approval(rules)
    if not has_room or not waiting or not entry.may_begin(tx, event):
        return False
    row, until = waiting[0], record.later_on_tournament_clock(event, tx.now, rules.left.offer_hours)
    row.state, row.offered_until, row.offered_for = "offered", until, None
    tx.session.add(row)
    sentences = (
        msg("A place in {title} is free for you.", title=event.title),
        msg(
            "ACCEPT takes it, DECLINE leaves it to the next who waits; by itself it passes on at {when}.",
            when=moment_in_words(until, row.zone),
        ),
    )
    letter = post.LetterContent(msg("a place is offered to you"), sentences, wanted=2)
    post.mail_entrant(tx, event, row, letter, f"place {tx.now.isoformat()}")
    return True


def no_show_times(tx: Transaction, event: tables.Tournament) -> list[datetime]:
    """Return the times of the next steps about silent seats and offers."""
    times = [silence.until for silence in queries.tournaments.silences(tx.session, event.id, *_OPEN)]
    rows = queries.tournaments.entrants(tx.session, event.id)
    return [*times, *(row.offered_until for row in rows if row.offered_until is not None)]
