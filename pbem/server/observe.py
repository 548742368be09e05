"""Answer OBSERVE: watch a game without a seat by reports of public events.

The request is confirmed like JOIN, by a code mailed to its address. A game with secrets between its seats cannot be
watched, because an observer may be a player's friend.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from pbem.engine.data.languages import pick_phrase
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.report import Report
from pbem.engine.game import view_events
from pbem.engine.terms import ONLOOKER
from pbem.letters import codes, content, outbox
from pbem.letters.codes import Asker, CommandReply
from pbem.letters.commands import CommandForm, CommandLine
from pbem.mail import CODE_PATTERN
from pbem.mail.address import GAME_ID
from pbem.play import history, pauses, seating
from pbem.play.commands.command_records import LetterCommand, visit_as_seat_command
from pbem.play.positions import game_titles
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import Act, ActKind, Server, Transaction
from pbem.store import queries, tables
from pbem.tournaments.commands import joining

MOST_OBSERVERS = 20
"""Observers of one game: each costs a letter a phase. Beyond them, the site shows a game to everybody."""

_WHICH = re.compile(
    rf"(?P<stop>stop|fin)(?: (?P<left>{GAME_ID}))?"
    rf"|(?P<game>{GAME_ID})(?: (?P<end>stop|fin)| (?:code|codigo) (?P<code>{CODE_PATTERN}))?"
)
"""The text after OBSERVE: the game, perhaps the mailed code; or STOP, perhaps with the game."""


def answer_observe(tx: Transaction, asker: Asker, command: CommandLine) -> CommandReply:
    """Ask to watch a game, confirm that with the code, or end it."""
    wanted = _WHICH.fullmatch(command.rest)
    if wanted is None:
        raise ValueError(f"not what follows OBSERVE: {command.rest!r}")
    if wanted["stop"] or wanted["end"]:
        return _stop(tx, asker, wanted["left"] or wanted["game"])
    if joining.is_tournament(tx, wanted["game"]):
        return joining.follow_tournament(tx, asker, wanted["game"], wanted["code"])
    game = queries.games.game(tx.session, wanted["game"])
    if game is None:
        return _reply(msg("There is no game {game}; LIST tells which there are.", game=wanted["game"]))
    if objection := _objection(tx, game, asker):
        return _reply(objection)
    request = ("observe", game.id, asker.email.casefold())
    if wanted["code"] is None:
        return _ask_for_code(tx.server, asker, game, codes.valid_codes(tx.server, *request)[0])
    if not codes.is_valid_code(tx.server, wanted["code"], *request):
        return _reply(
            msg("This code is not valid for that game, or has expired. OBSERVE without a code gets a new one.")
        )
    return _begin(tx, asker, game)


def report_to_observers(tx: Transaction, act: Act) -> None:
    """Report an act to all observers of the game, if there is anything to report."""
    if act.state is not None and (observers := queries.persons.observers(tx.session, act.game.id)):
        _report(tx, act, observers)


def report_letter_to_observers(tx: Transaction, act: Act) -> None:
    """Report an executed letter to observers while its phase is open.

    A letter that closes the phase is reported with the act that follows.
    """
    if act.phase is not None and act.phase.state == "open":
        report_to_observers(tx, act)


def _reply(sentence: Msg) -> CommandReply:
    return CommandReply("answer", (sentence,))


def _objection(tx: Transaction, game: tables.Game, asker: Asker) -> Msg | None:
    """Return why this sender cannot watch the game; None if he can."""
    if game.state == "over":
        return msg("The game {game} is over.", game=game.id)
    if not _is_public(tx, game):
        return msg("The game {game} cannot be watched: not all of it may be known to everybody.", game=game.id)
    if Terms.read(game.terms).board:
        return msg("The game {game} cannot be watched before it is over: other tables have its dice.", game=game.id)
    person, observers = (
        queries.persons.person_by_email(tx.session, asker.email),
        queries.persons.observers(tx.session, game.id),
    )
    own_seats = [
        seat.name for seat in queries.games.seats(tx.session, game.id) if person and seat.person_id == person.id
    ]
    if own_seats:
        return msg("You have the seat {seat} in {game}: its reports tell you more.", seat=own_seats[0], game=game.id)
    if person is not None and any(observer.person_id == person.id for observer in observers):
        return msg("You watch {game} already; OBSERVE STOP ends it.", game=game.id)
    if len(observers) >= MOST_OBSERVERS:
        return msg("The game {game} has as many observers as it can have: {count}.", game=game.id, count=MOST_OBSERVERS)
    return None


def _is_public(tx: Transaction, game: tables.Game) -> bool:
    rules, snapshot = tx.server.rules_of(game), queries.phases.latest_snapshot(tx.session, game.id)
    if snapshot is None:
        state = rules.start(tx.server.edition_of(tx.session, game))
    else:
        state = history.state_after(tx, game, snapshot.number)
    return rules.view(state, ONLOOKER) is not None


def _ask_for_code(server: Server, asker: Asker, game: tables.Game, code: str) -> CommandReply:
    line = pick_phrase(asker.language, f"OBSERVE {game.id} CODE {code}", f"OBSERVAR {game.id} CODIGO {code}")
    title, _ = game_titles(server, game)
    sentence = msg("Your address was given to watch {game} ({title}).", game=game.id, title=title)
    return codes.ask_to_confirm([sentence], msg("The line that lets you watch"), line)


def _begin(tx: Transaction, asker: Asker, game: tables.Game) -> CommandReply:
    """Add an observer, and mail the last report that the others got."""
    person = seating.find_or_create_person(tx.session, asker.email, language=asker.language, zone=asker.zone)
    row = tables.Observer(game_id=game.id, person_id=person.id or 0, language=asker.language)
    tx.session.add(row)
    tx.session.flush()
    sentence = msg("From now on you get a report of every phase of {game}. OBSERVE STOP ends it.", game=game.id)
    snapshot, phase = (
        queries.phases.latest_snapshot(tx.session, game.id),
        queries.phases.open_phase(tx.session, game.id),
    )
    phase = phase or queries.phases.waiting_phase(tx.session, game.id)
    if snapshot is None:
        return CommandReply("answer", (sentence, msg("The game has not begun.")))
    resolved = queries.phases.resolved_phases(tx.session, game.id)
    events = history.events_with_states(tx, game, resolved[-1]) if resolved else ()
    state = history.state_after(tx, game, snapshot.number)
    _report(tx, Act(ActKind.OPENED, game, phase, state, tuple(events), snapshot.number), [row])
    return CommandReply("answer", (sentence, msg("The last one is on its way.")))


def _stop(tx: Transaction, asker: Asker, name: str | None) -> CommandReply:
    """End a person's observation of one game or tournament, or of all."""
    session = tx.session
    person = queries.persons.person_by_email(session, asker.email)
    watched = queries.persons.watched_by(session, person.id if person else None)
    rows = [row for row in watched if name in (None, row.game_id)]
    for row in rows:
        session.delete(row)
    session.flush()
    ended = (
        *sorted(row.game_id for row in rows),
        *joining.unfollow_tournaments(tx, person.id if person else None, name),
    )
    if not ended:
        return _reply(msg("You were not watching; nothing was changed."))
    return _reply(msg("You get no more reports of: {games}.", games=ended))


def _report(tx: Transaction, act: Act, observers: Iterable[tables.Observer]) -> None:
    rules = tx.server.rules_of(act.game)
    view = rules.view(act.state, ONLOOKER)
    if view is None:
        return
    report = rules.telling.report(view, ONLOOKER, view_events(rules, ONLOOKER, act.happened))
    for observer in observers:
        _write(tx, act, report, observer)


def _write(tx: Transaction, act: Act, report: Report, observer: tables.Observer) -> None:
    person = tx.session.get_one(tables.Person, observer.person_id)
    recipient = queries.persons.email_of(tx.session, person.id)
    if recipient is None:
        return
    head = outbox.head_of(tx.server, act.game, None, act.phase)._replace(address=tx.server.address)
    voided = history.voiding_sentences(tx.session, act.phase) if act.phase is not None else []
    opening = (*_opening(tx, act, person), *voided)
    letter = content.Letter("report", head, opening=opening, report=report, closing=_END).to_json()
    envelope = outbox.Recipient(recipient, observer.language, game=act.game)
    outbox.queue_letter(tx, letter, envelope, f"{act.cause or f'phase {act.number}'} observer {observer.id}")


def _opening(tx: Transaction, act: Act, person: tables.Person) -> tuple[Msg, ...]:
    if act.phase is None:
        return (msg("The game is over. Thank you for watching."),)
    if act.phase.state == "closed":
        return msg("You are watching this game."), pauses.waiting_sentence(tx.session, act.phase)
    awaited = tx.server.rules_of(act.game).active(act.state)
    when = content.moment_in_words(act.phase.deadline, person.zone)
    awaited_sentence = msg("{seats} must send orders by {when}.", seats=awaited, when=when)
    return (msg("You are watching this game."), *((awaited_sentence,) if awaited else ()))


_END = (msg("If you want no more of these reports, write OBSERVE STOP to me."),)


COMMANDS = (
    LetterCommand(
        CommandForm("observe", ("OBSERVE", "OBSERVAR"), _WHICH, "OBSERVE game", "OBSERVAR partida"),
        visit_as_seat_command(answer_observe),
        visit=answer_observe,
        help=(
            msg(
                "OBSERVE game, OBSERVE STOP: watch it by a report a phase. PUBLISH ON, PRESS, OFF: whether all may see "
                "yours."
            ),
        ),
    ),
)
