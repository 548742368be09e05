"""OBSERVE: watching a game without a seat, by the reports of what everybody may know.

Confirmed as JOIN is, by a code that goes to the address it is asked for. A game that hides anything from a seat is not
shown to anybody else: an onlooker may be a player's friend.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from pbem.engine.data.languages import chosen
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.report import Report
from pbem.engine.terms import ONLOOKER
from pbem.letters import codes, content, outbox
from pbem.letters.codes import Asker, Said
from pbem.letters.commands import Form, Line
from pbem.play import history, pauses, seating
from pbem.play.commands.command_records import Command, for_seat
from pbem.play.positions import titles
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import Act, Kind, Server, Transaction
from pbem.store import queries, tables
from pbem.tournaments.commands import joining

MOST = 20
"""Observers of one game: each costs a letter a phase."""

STOP = "OBSERVE STOP"
"""The line that ends the reports of all games, or of the one named after it, as mail programs are told it."""

_WHICH = re.compile(
    r"(?P<stop>stop|fin)(?: (?P<left>[a-z0-9-]{1,20}))?"
    r"|(?P<game>[a-z0-9-]{1,20})(?: (?P<end>stop|fin)| (?:code|codigo) (?P<code>[a-z2-7]{8}))?"
)
"""What follows OBSERVE: the game, perhaps the code that was mailed back; or STOP, perhaps with the game."""


def observe(tx: Transaction, asker: Asker, command: Line) -> Said:
    """Ask to watch a game, confirm that with the code, or end it."""
    wanted = _WHICH.fullmatch(command.rest)
    if wanted is None:
        raise ValueError(f"not what follows OBSERVE: {command.rest!r}")
    if wanted["stop"] or wanted["end"]:
        return _stop(tx, asker, wanted["left"] or wanted["game"])
    if joining.is_tournament(tx, wanted["game"]):
        return joining.follow(tx, asker, wanted["game"], wanted["code"])
    game = queries.games.game(tx.session, wanted["game"])
    if game is None:
        return _no(msg("There is no game {game}; LIST tells which there are.", game=wanted["game"]))
    if refused := _objection(tx, game, asker):
        return _no(refused)
    request = ("observe", game.id, asker.email.casefold())
    if wanted["code"] is None:
        return _ask(tx.server, asker, game, codes.codes(tx.server, *request)[0])
    if not codes.good(tx.server, wanted["code"], *request):
        return _no(msg("This code is not valid for that game, or has expired. OBSERVE without a code gets a new one."))
    return _begin(tx, asker, game)


def report(tx: Transaction, act: Act) -> None:
    """Report an act to all who watch the game; nothing if it left nothing to report."""
    if act.state is not None and (watching := queries.persons.observers(tx.session, act.game.id)):
        _report(tx, act, watching)


def report_letter(tx: Transaction, act: Act) -> None:
    """Report a letter that was carried out in a phase that goes on; what ends a phase is told with what follows it."""
    if act.phase is not None and act.phase.state == "open":
        report(tx, act)


def _no(why: Msg) -> Said:
    return Said("answer", (why,))


def _objection(tx: Transaction, game: tables.Game, asker: Asker) -> Msg | None:
    """Why nobody, or not this one, can watch the game."""
    if game.state == "over":
        return msg("The game {game} is over.", game=game.id)
    if not _public(tx, game):
        return msg("The game {game} cannot be watched: not all of it may be known to everybody.", game=game.id)
    if Terms.read(game.terms).board:
        return msg("The game {game} cannot be watched before it is over: other tables have its dice.", game=game.id)
    person, watching = (
        queries.persons.person_by_email(tx.session, asker.email),
        queries.persons.observers(tx.session, game.id),
    )
    own = [seat.name for seat in queries.games.seats(tx.session, game.id) if person and seat.person_id == person.id]
    if own:
        return msg("You have the seat {seat} in {game}: its reports tell you more.", seat=own[0], game=game.id)
    if person is not None and any(one.person_id == person.id for one in watching):
        return msg("You watch {game} already; OBSERVE STOP ends it.", game=game.id)
    if len(watching) >= MOST:
        return msg("The game {game} has as many observers as it can have: {count}.", game=game.id, count=MOST)
    return None


def _public(tx: Transaction, game: tables.Game) -> bool:
    rules, kept = tx.server.rules_of(game), queries.phases.latest_snapshot(tx.session, game.id)
    if kept is None:
        state = rules.start(tx.server.edition_of(tx.session, game))
    else:
        state = history.state_after(tx, game, kept.number)
    return rules.view(state, ONLOOKER) is not None


def _ask(server: Server, asker: Asker, game: tables.Game, code: str) -> Said:
    line = chosen(asker.language, f"OBSERVE {game.id} CODE {code}", f"OBSERVAR {game.id} CODIGO {code}")
    title, _ = titles(server, game)
    asked = msg("Your address was given to watch {game} ({title}).", game=game.id, title=title)
    return codes.please([asked], msg("The line that lets you watch"), line)


def _begin(tx: Transaction, asker: Asker, game: tables.Game) -> Said:
    """Let somebody watch from now on, and send him what the others were told last."""
    person = seating.person_of(tx.session, asker.email, language=asker.language, zone=asker.zone)
    row = tables.Observer(game_id=game.id, person_id=person.id or 0, language=asker.language)
    tx.session.add(row)
    tx.session.flush()
    done = msg("From now on you get a report of every phase of {game}. OBSERVE STOP ends it.", game=game.id)
    kept, phase = (
        queries.phases.latest_snapshot(tx.session, game.id),
        queries.phases.open_phase(tx.session, game.id),
    )
    phase = phase or queries.phases.closed_phase(tx.session, game.id)
    if kept is None:
        return Said("answer", (done, msg("The game has not begun.")))
    resolved = queries.phases.resolved(tx.session, game.id)
    happened = history.events_with_states(tx, game, resolved[-1]) if resolved else ()
    state = history.state_after(tx, game, kept.number)
    _report(tx, Act(Kind.OPENED, game, phase, state, tuple(happened), kept.number), [row])
    return Said("answer", (done, msg("The last one is on its way.")))


def _stop(tx: Transaction, asker: Asker, name: str | None) -> Said:
    """End what somebody watches: one game or tournament, or all of them."""
    session = tx.session
    person = queries.persons.person_by_email(session, asker.email)
    mine = queries.persons.watched_by(session, person.id if person else None)
    rows = [row for row in mine if name in (None, row.game_id)]
    for row in rows:
        session.delete(row)
    session.flush()
    left = (*sorted(row.game_id for row in rows), *joining.unfollow(tx, person.id if person else None, name))
    if not left:
        return _no(msg("You were not watching; nothing was changed."))
    return _no(msg("You get no more reports of: {games}.", games=left))


def _report(tx: Transaction, act: Act, watching: Iterable[tables.Observer]) -> None:
    rules = tx.server.rules_of(act.game)
    after = rules.view(act.state, ONLOOKER)
    if after is None:
        return
    report = rules.telling.report(after, ONLOOKER, history.view_events(rules, ONLOOKER, act.happened))
    for one in watching:
        _write(tx, act, report, one)


def _write(tx: Transaction, act: Act, report: Report, observer: tables.Observer) -> None:
    person = tx.session.get_one(tables.Person, observer.person_id)
    recipient = queries.persons.email_of(tx.session, person.id)
    if recipient is None:
        return
    head = outbox.head_of(tx.server, act.game, None, act.phase)._replace(address=tx.server.address)
    again = history.voided_by(tx.session, act.phase) if act.phase is not None else []
    opening = (*_opening(tx, act, person), *again)
    letter = content.Letter("report", head, opening=opening, report=report, closing=_END).to_json()
    to = outbox.Envelope(recipient, observer.language, game=act.game)
    outbox.queue(tx, letter, to, f"{act.cause or f'phase {act.number}'} observer {observer.id}")


def _opening(tx: Transaction, act: Act, person: tables.Person) -> tuple[Msg, ...]:
    if act.phase is None:
        return (msg("The game is over. Thank you for watching."),)
    if act.phase.state == "closed":
        return msg("You are watching this game."), pauses.waiting_for(tx.session, act.phase)
    awaited = tx.server.rules_of(act.game).active(act.state)
    when = content.when(act.phase.deadline, person.zone)
    asked = msg("{seats} must send orders by {when}.", seats=awaited, when=when)
    return (msg("You are watching this game."), *((asked,) if awaited else ()))


_END = (msg("If you want no more of these reports, write OBSERVE STOP to me."),)


COMMANDS = (
    Command(
        Form("observe", ("OBSERVE", "OBSERVAR"), _WHICH, "OBSERVE game", "OBSERVAR partida"),
        for_seat(observe),
        visit=observe,
        help=(
            msg(
                "OBSERVE game, OBSERVE STOP: watch it by a report a phase. PUBLISH ON, PRESS, OFF: whether all may see "
                "yours."
            ),
        ),
    ),
)
