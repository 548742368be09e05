"""E6 Seats whose players are silent or gone: asked for a word, offered to the waiting list alone, then out of the game.

Before anything is done about a seat but that it is asked, the other one is looked at (`absence.decide`): where neither
is there the game counts 0:0, and both are out. Tournaments of version 1 look at one seat alone.

Where teams play, the reserves of his team are asked in the place of those who wait: a stranger plays for no team.

::

    missed twice, or never wrote   HERE is asked for
    no word in the hours given     the director is asked, where the rules say so; then those who wait, one by one
    nobody takes it                the game is lost once as many phases were missed in a row as the rules say
    resigned or withdrawn          offered without being asked; nobody takes it: the game is lost at once
    never came                     the same after being asked; nobody takes it: a bye or a forfeit at once
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from operator import itemgetter

from pbem.engine.data.messages import Msg, msg
from pbem.letters.content import when
from pbem.mail.address import base_address
from pbem.runtime.transaction import Work
from pbem.store import queries, tables
from pbem.tournaments import contenders, director_desk, entry, founding, post, record, substitution, teams
from pbem.tournaments.arithmetic import absence
from pbem.tournaments.arithmetic.rules.records import Rules
from pbem.tournaments.substitution import TablePlace

_OPEN = ("asked", "director", "open", "offered", "accepted")
_ASKED_AFTER = 2
"""Phases missed in a row after which who wrote before is asked for a word."""


_Seated = tuple[TablePlace, "tables.Silence | None"]
"""A seat, and what it was asked that is not closed."""


def look(work: Work, event: tables.Tournament, round_: tables.Round) -> bool:
    """Take the next step about the first seat of a round that one is due for; False if none is."""
    first = founding.at_tables(work, event).seat_of(0)
    rows = {row.number: row for row in queries.tournaments.entrants(work.session, event.id)}
    known = {(one.board_id, one.entrant): one for one in queries.tournaments.silences(work.session, event.id, *_OPEN)}
    games = queries.tournaments.table_games(work.session, round_.id)
    seats = queries.tournaments.at_tables(work.session, round_.id, ("running", "held", "over"))
    for board, some in groupby(seats, key=itemgetter(0)):
        pair: list[_Seated] = []
        for _, seat in some:
            number = board.first if seat.name == first else board.second
            place = TablePlace(event, round_, board, seat, rows[number])
            pair.append((place, known.get((board.id or 0, number))))
        game = games[str(board.game_id)]
        if event.version > 1 and _has_ended(work, round_, board, game) and _is_left_by_both(work, pair):
            if _forfeit_both(work, pair):
                return True
        elif game.state != "over" and (_next(work, pair[0], pair[1]) or _next(work, pair[1], pair[0])):
            return True
        if game.state != "over":
            for place, _ in pair:
                known.pop((board.id or 0, place.row.number), None)
    # What is left is of games that are over.
    for silence in known.values():
        _close(work, event, silence)
    return bool(known)


def _has_ended(work: Work, round_: tables.Round, board: tables.Board, game: tables.Game) -> bool:
    """Whether a game has come to its last turn, or to the end of its round."""
    if game.state == "over":
        return not board.ended
    return round_.ends is not None and round_.ends <= work.now


def _is_left_by_both(work: Work, pair: Sequence[_Seated]) -> bool:
    """E6.1 Whether neither of the two at a table was there until its end."""
    one, other = (_seen(work, *seated, ended=True) for seated in pair)
    return absence.decide(one, other, ended=True) == absence.BOTH


def _forfeit_both(work: Work, pair: Sequence[_Seated]) -> bool:
    (one, _), (other, _) = pair
    if not substitution.forfeit_both(work, one, other):
        return False
    for place, silence in pair:
        if silence is not None:
            _close(work, place.event, silence)
    return True


def _seen(work: Work, place: TablePlace, silence: tables.Silence | None, *, ended: bool = False) -> absence.SeatSeen:
    """What is known of a seat; his time is up with the hours to answer if he never wrote or if all has `ended`."""
    if silence is not None and silence.state == "accepted":
        return absence.SeatSeen(heard=True)
    gone = place.seat.is_free or contenders.is_out(place.row) or (silence is not None and silence.gave_up)
    if silence is None or (not gone and _is_there(work, place.seat, silence)):
        return absence.SeatSeen(heard=_has_written(work, place), gone=gone)
    left = record.rules_of(place.event).left
    up = place.seat.missed >= left.forfeit_after
    if silence.never or (ended and not up):
        up = silence.asked + timedelta(hours=left.here_hours) <= work.now
    pending = silence.state in ("director", "offered") and silence.until > work.now
    return absence.SeatSeen(not silence.never, asked=True, up=up, gone=gone, pending=pending)


def _has_written(work: Work, place: TablePlace) -> bool:
    """Whether a word of an entrant came since his table was founded; in tournaments of version 1 to that table alone,
    but ever."""
    if place.event.version == 1:
        return queries.tournaments.wrote_ever(work.session, place.seat.id)
    senders = [base_address(one.email) for one in queries.persons.addresses(work.session, place.row.person_id)]
    found = queries.tournaments.heard_in_round(work.session, place.board, place.row.person_id, senders)
    return bool(place.seat.bot) or found


def _next(work: Work, mine: _Seated, his: _Seated) -> bool:
    place, silence = mine
    seat, rules = place.seat, record.rules_of(place.event)
    gone = seat.is_free or contenders.is_out(place.row)
    if silence is None:
        never = seat.missed >= 1 and not _has_written(work, place)
        if gone:
            _notice(work, place, work.now, gave_up=True)
            return True
        if (never or seat.missed >= min(_ASKED_AFTER, rules.left.forfeit_after)) and not _has_answered(work, place):
            _ask(work, rules, place, never)
            return True
        return False
    if silence.state == "accepted":
        # Whoever took the seat was told that it is his: a word that comes after that is too late.
        return substitution.substitute(work, place, silence)
    if not gone and not silence.gave_up and _is_there(work, seat, silence):
        _close(work, place.event, silence)
        return True
    waits = place.event.version > 1 and (gone or _waits(work, place, silence)) and silence.state in ("asked", "open")
    if silence.until > work.now and not waits and not _has_missed_all(rules, place, silence):
        return False
    if place.event.version > 1:
        todo = absence.decide(_seen(work, *mine), _seen(work, *his))
        if todo == absence.BOTH:
            return _forfeit_both(work, (mine, his))
        if todo == absence.WAIT:
            _wait(work, place, silence, his[1])
            return False
    return _STEPS[silence.state](work, rules, place, silence)


def _waits(work: Work, place: TablePlace, silence: tables.Silence) -> bool:
    """Whether his time was up, and what follows waited for the other (`_wait`)."""
    if silence.state == "open":
        return silence.until != place.round.ends
    return silence.asked + timedelta(hours=record.rules_of(place.event).left.here_hours) <= work.now


def _wait(work: Work, place: TablePlace, silence: tables.Silence, his: tables.Silence | None) -> None:
    """E6.1 Nothing is done about a seat until it is known whether the other one is there."""
    phase = queries.phases.played_phase(work.session, str(place.board.game_id))
    known = [one for one in ([his.until] if his else []) + ([phase.deadline] if phase else []) if one > work.now]
    silence.until = min(known, default=work.now + timedelta(hours=1))
    if silence.state != "asked":
        silence.state = "open"
    work.session.add(silence)


def _has_answered(work: Work, place: TablePlace) -> bool:
    """Whether he was asked in this phase before and has said a word: he is asked again when he misses another."""
    asked = queries.tournaments.last_asked(work.session, place.board.id, place.row.number)
    phase = queries.phases.played_phase(work.session, str(place.board.game_id))
    return asked is not None and (phase is None or phase.opened <= asked)


def _is_there(work: Work, seat: tables.Seat, silence: tables.Silence) -> bool:
    return not seat.missed or queries.tournaments.heard_since(work.session, seat.id, silence.asked)


def _has_missed_all(rules: Rules, place: TablePlace, silence: tables.Silence) -> bool:
    """Whether it is time for the forfeit: nobody has the offer, and so many phases were missed."""
    return silence.state != "offered" and place.seat.missed >= rules.left.forfeit_after


def _notice(work: Work, place: TablePlace, until: datetime, *, gave_up: bool = False, never: bool = False) -> None:
    silence = tables.Silence(
        board_id=place.board.id or 0,
        entrant=place.row.number,
        state="open" if gave_up else "asked",
        asked=work.now,
        until=until,
        gave_up=gave_up,
        never=never,
    )
    work.session.add(silence)
    work.session.flush()


def _ask(work: Work, rules: Rules, place: TablePlace, never: bool) -> None:
    """Ask for a word, and say until when one keeps the seat."""
    until = work.now + timedelta(hours=rules.left.here_hours)
    _notice(work, place, until, never=never)
    told = (
        msg("No orders of yours have come at {game}: are you there?", game=place.board.game_id)
        if never
        else msg(
            "You have missed {count} phases in a row at {game}: are you there?",
            count=place.seat.missed,
            game=place.board.game_id,
        ),
        msg("HERE is enough, or any letter to the address of that game, by {when}.", when=when(until, place.row.zone)),
        *_without_a_word(rules, place, never),
        *([msg("If your opponent is silent as well, the game counts 0:0 [E6.1].")] if place.event.version > 1 else []),
        msg("Then you are out of the tournament until you write RETURN."),
    )
    said = post.Told(msg("are you there?"), told, kind="reminder", wanted=2)
    cause = f"here {place.board.id} {work.now.isoformat()}"
    post.to_entrant(work, place.event, place.row, said, cause)
    if place.team:
        teams.tell_of_seat(work, place.event, place.row, _of_a_comrade(place, until), f"{cause} captain")


def _of_a_comrade(place: TablePlace, until: datetime) -> Callable[[tables.Entrant], post.Told]:
    """What a captain is told of a comrade who is asked for a word."""
    who = record.shown_name(place.row)

    def told(captain: tables.Entrant) -> post.Told:
        lines = (
            msg("{who} sends no orders at {game}, and was asked for a word.", who=who, game=place.board.game_id),
            msg(
                "If none comes by {when}, the seat is offered to the reserves of your team.",
                when=when(until, captain.zone),
            ),
        )
        return post.Told(msg("{who} is silent", who=who), lines)

    return told


def _without_a_word(rules: Rules, place: TablePlace, never: bool) -> list[Msg]:
    """What follows if who is asked stays silent, told to himself."""
    stage = record.stage_of(place.event, place.round.stage)
    offered = record.offers_seat(rules, stage, never=never)
    first = [msg("Without a word your seat is offered to those who wait.")] if offered else []
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
    return [msg("Without a word the game is lost.")]


def _asked(work: Work, rules: Rules, place: TablePlace, silence: tables.Silence) -> bool:
    """No word came: the director, where he is asked first; else those who wait."""
    if rules.left.ask == "director":
        silence.state, silence.until = "director", work.now + timedelta(hours=rules.left.ask_hours)
        work.session.add(silence)
        work.session.flush()
        if director_desk.comes_too_late(work, place.event, silence.until):
            told = director_desk.silent(work, place.event, silence)
            post.to_director(work, place.event, post.Told(msg("somebody is silent"), told), f"silent {silence.id}")
        return True
    return _offer(work, rules, place, silence)


def _offer(work: Work, rules: Rules, place: TablePlace, silence: tables.Silence) -> bool:
    """Offer the seat to the first who waits and was not asked yet; if there is none, what the rules say."""
    find = _next_comrade if place.team else _next_waiting
    other = None if _has_missed_all(rules, place, silence) else find(work, rules, place, silence)
    if other is None:
        return _nobody(work, rules, place, silence)
    until = work.now + timedelta(hours=rules.left.offer_hours)
    silence.state, silence.until = "offered", until
    other.offered_until, other.offered_for = until, place.row.number
    if not place.team:
        other.state = "offered"
    work.session.add_all((silence, other))
    work.session.flush()
    told = (
        msg(
            "A seat needs somebody: {game}, in the place of {who}.",
            game=place.board.game_id,
            who=record.shown_name(place.row),
        ),
        msg(
            "ACCEPT takes it, DECLINE leaves it to the next of your team; by itself it passes on at {when}.",
            when=when(until, other.zone),
        )
        if place.team
        else msg(
            "ACCEPT takes it, DECLINE leaves it to the next who waits; by itself it passes on at {when}.",
            when=when(until, other.zone),
        ),
        *_what_is_offered(work, place, other.zone),
    )
    said = post.Told(msg("a seat is offered to you"), told, wanted=2)
    post.to_entrant(work, place.event, other, said, f"offer {silence.id} {other.number}")
    return True


def _what_is_offered(work: Work, place: TablePlace, zone: str) -> list[Msg]:
    """Which side it is, when its next orders are wanted, when the round ends, and what it counts."""
    side = founding.at_tables(work, place.event).rules.telling.side(place.seat.side)
    phase = queries.phases.played_phase(work.session, str(place.board.game_id))
    last = msg("What the game counts is yours, and you play the rounds to come.")
    if place.team:
        last = msg("What the game counts is your team's.")
    if phase is None or place.round.ends is None:
        return [msg("You would play {side}.", side=side), last]
    deadline, end = when(phase.deadline, zone), when(place.round.ends, zone)
    return [
        msg(
            "You would play {side}; orders are wanted next by {when}, and the round ends at {end} at the latest.",
            side=side,
            when=deadline,
            end=end,
        ),
        last,
    ]


def _next_waiting(work: Work, rules: Rules, place: TablePlace, silence: tables.Silence) -> tables.Entrant | None:
    stage = record.stage_of(place.event, place.round.stage)
    if not record.offers_seat(rules, stage, never=silence.never):
        return None
    rows = queries.tournaments.entrants(work.session, place.event.id)
    number = place.row.number
    met = {place.board.first, place.board.second}
    free = (row for row in rows if row.state == "waiting" and row.number not in met)
    return next((row for row in free if number not in record.numbers_in(row.declined)), None)


def _next_comrade(work: Work, rules: Rules, place: TablePlace, silence: tables.Silence) -> tables.Entrant | None:
    """The first of the team who sits at no board of the round, does not rest it, and was not asked yet."""
    boards = queries.tournaments.boards(work.session, place.round.id)
    sitting = {number for board in boards for number in (board.first, board.second)}
    team = contenders.team_of(work, place.row)
    free = contenders.members(work, team) if team is not None else []
    number = place.row.number
    return next(
        (
            row
            for row in free
            if row.number not in sitting
            and row.offered_until is None
            and not contenders.rests(row, place.round.number)
            and number not in record.numbers_in(row.declined)
        ),
        None,
    )


def _nobody(work: Work, rules: Rules, place: TablePlace, silence: tables.Silence) -> bool:
    """Nobody takes the seat: at once what the rules say of who never came or has gone; else a forfeit in the end."""
    if silence.never and record.gives_bye(place.event, record.stage_of(place.event, place.round.stage)):
        return substitution.give_bye(work, place, silence)
    if silence.never or silence.gave_up or _has_missed_all(rules, place, silence):
        return substitution.forfeit(work, place, silence)
    far = place.round.ends or work.now + timedelta(days=365)
    if silence.state == "open" and silence.until == far:
        return False
    silence.state, silence.until = "open", far
    work.session.add(silence)
    return True


def _offered(work: Work, rules: Rules, place: TablePlace, silence: tables.Silence) -> bool:
    """The offer has lapsed (`end_offers`): to the next."""
    silence.state = "open"
    return _offer(work, rules, place, silence)


_STEPS = {"asked": _asked, "director": _offer, "open": _offer, "offered": _offered}


def _close(work: Work, event: tables.Tournament, silence: tables.Silence) -> None:
    """The seat is his, or there is none any more: an offer of it is taken back."""
    silence.state = "closed"
    work.session.add(silence)
    for row in queries.tournaments.entrants(work.session, event.id):
        if contenders.has_offer(row, silence.entrant):
            _back_to_waiting(work, event, row, msg("The seat that was offered to you is not free any more."))
    work.session.flush()


def _back_to_waiting(work: Work, event: tables.Tournament, row: tables.Entrant, why: Msg) -> None:
    row.declined = record.words_of(record.numbers_in(row.declined) | {row.offered_for or 0})
    until = row.offered_until
    row.offered_until, row.offered_for = None, None
    said = post.Told(msg("you stay in reserve"), (why,))
    if row.state == "offered":
        row.state = "waiting"
        said = post.Told(msg("you are on the waiting list"), (why, msg("You wait on.")))
    work.session.add(row)
    post.to_entrant(work, event, row, said, f"offer over {until.isoformat() if until else ''}")


def end_offers(work: Work, event: tables.Tournament) -> bool:
    """Offers whose time is up go back to those who wait; whether there were any."""
    rows: Sequence[tables.Entrant] = queries.tournaments.entrants(work.session, event.id)
    over = [
        row
        for row in rows
        if row.offered_until is not None and row.offered_until <= work.now and not _has_accepted(work, event, row)
    ]
    for row in over:
        _back_to_waiting(work, event, row, msg("Your time to accept is up."))
    work.session.flush()
    return bool(over)


def _has_accepted(work: Work, event: tables.Tournament, row: tables.Entrant) -> bool:
    accepted = queries.tournaments.silences(work.session, event.id, "accepted")
    return any(one.entrant == row.offered_for for one in accepted)


def fill_places(work: Work, event: tables.Tournament) -> bool:
    """E1 A place is free, and somebody may still begin: it is offered to the first who waits and took none before.

    Return whether it was.
    """
    rules, rows = record.rules_of(event), queries.tournaments.entrants(work.session, event.id)
    taken = sum(row.state == "in" or (row.state == "offered" and row.offered_for is None) for row in rows)
    waiting = [row for row in rows if row.state == "waiting" and 0 not in record.numbers_in(row.declined)]
    if taken >= rules.entry.places or not waiting or not entry.may_begin(work, event):
        return False
    row, until = waiting[0], work.now + timedelta(hours=rules.left.offer_hours)
    row.state, row.offered_until, row.offered_for = "offered", until, None
    work.session.add(row)
    told = (
        msg("A place in {title} is free for you.", title=event.title),
        msg(
            "ACCEPT takes it, DECLINE leaves it to the next who waits; by itself it passes on at {when}.",
            when=when(until, row.zone),
        ),
    )
    said = post.Told(msg("a place is offered to you"), told, wanted=2)
    post.to_entrant(work, event, row, said, f"place {work.now.isoformat()}")
    return True


def moments(work: Work, event: tables.Tournament) -> list[datetime]:
    """The moments at which something about seats and offers is due."""
    found = [one.until for one in queries.tournaments.silences(work.session, event.id, *_OPEN)]
    rows = queries.tournaments.entrants(work.session, event.id)
    return [*found, *(row.offered_until for row in rows if row.offered_until is not None)]
