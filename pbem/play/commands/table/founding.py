"""Create and start games: edition pinned, seats given, first phase opened."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from pbem.audit import beacon, sealing
from pbem.engine.data.canon import dumps
from pbem.engine.data.messages import Msg, msg
from pbem.engine.game import AnyGame, PinnedEdition
from pbem.engine.war.chain import terms_digest
from pbem.letters import moderators, outbox
from pbem.play import beacons, bot_seats, log_entries, phase_states, phases, war_progress
from pbem.play.positions import lock_game, read_position
from pbem.runtime.clock import Pace
from pbem.runtime.terms import ACTIVATION_PACE, QUESTIONS_TOGETHER, WAIT_FOR_ABSENT, Terms
from pbem.runtime.transaction import DIRECTOR, MODERATOR, WITNESS, Transaction, UserError
from pbem.store import queries, tables

# A game's name: at most 20 characters, with no hyphen at either end.
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,18}[a-z0-9])?")


class NewGame(NamedTuple):
    """A game to be created.

    `name` is 1 to 20 of a-z, 0-9 and hyphens, a hyphen neither first nor last. `game` names the rules.
    `overlay` are chart texts by name, replacing those shipped. `terms` are the players' agreements on time
    and absence. With `open_seats` anybody who asks by letter gets a free seat. `bots` are seats of bots, as
    ``morocco=forward``. `asked_by` is the person who requested it by letter. An `edition` replaces the
    scenario's own.
    """

    name: str
    game: str
    scenario: str
    options: Mapping[str, str] = MappingProxyType({})
    overlay: Mapping[str, str] = MappingProxyType({})
    pace: Pace = Pace()
    terms: Terms = Terms()
    open_seats: bool = False
    bots: Sequence[str] = ()
    asked_by: int | None = None
    edition: PinnedEdition | None = None


def new_game(tx: Transaction, wanted: NewGame) -> None:
    """Create a game with empty seats and today's edition.

    Raise UserError if impossible.
    """
    name, game, terms = wanted.name, wanted.game, wanted.terms
    if _NAME.fullmatch(name) is None:
        raise UserError(msg("A game's name is 1 to 20 of a-z, 0-9 and hyphens, got {name}.", name=repr(name)))
    if tx.session.get(tables.Game, name) is not None:
        raise UserError(msg("There is a game {game} already.", game=name))
    if queries.tournaments.exists(tx.session, name):
        raise UserError(msg("There is a tournament {event} of that name.", event=name))
    if queries.log.first_leaf(tx.session, name) is not None:
        raise UserError(msg("A game {game} was played here and deleted; its leaves are in the log.", game=name))
    try:
        rules = tx.server.plugins.games(game)
    except KeyError as fault:
        raise UserError(msg("There are no rules {game} on this server.", game=game)) from fault
    try:
        edition = wanted.edition or rules.edition(wanted.scenario, wanted.options, wanted.overlay)
    except ValueError as fault:
        raise UserError(msg("This cannot be played: {why}", why=str(fault))) from fault
    if terms.pace == ACTIVATION_PACE and not rules.by_letter:
        raise UserError(
            msg("The rules {game} carry all orders of a phase out together; pace=activation cannot be.", game=game)
        )
    seats = rules.seats(rules.start(edition))
    if terms.pace == ACTIVATION_PACE and len({*seats.values()}) < len(seats):
        raise UserError(
            msg("At pace=activation a side is ordered letter by letter, by one seat; here several seats have one side.")
        )
    _check_beacon(terms)
    if terms.absent != WAIT_FOR_ABSENT:
        bot_seats.check_bot(rules, terms.absent)
    store_game(tx, wanted, rules, edition)


def store_game(tx: Transaction, wanted: NewGame, rules: AnyGame, edition: PinnedEdition) -> tables.Game:
    """Store a game with empty seats but for bots.

    Raise UserError if a seat name is invalid.
    """
    name, game, pace = wanted.name, wanted.game, wanted.pace
    if tx.session.get(tables.Edition, edition.digest) is None:
        tx.session.add(tables.Edition(digest=edition.digest, system=game, text=dumps(edition.to_json())))
        tx.session.flush()
    row = tables.Game(
        id=name,
        system=game,
        scenario=wanted.scenario,
        edition_digest=edition.digest,
        scheme=sealing.SCHEME,
        zone=pace.zone,
        weekdays="".join(map(str, pace.weekdays)),
        hour=pace.hour,
        grace_hours=pace.grace_hours,
        undo_minutes=pace.undo_minutes,
        root="",
        created=tx.now,
        open_seats=wanted.open_seats,
        terms=wanted.terms._replace(questions=QUESTIONS_TOGETHER).text(),
        asked_by=wanted.asked_by,
    )
    tx.session.add(row)
    tx.session.flush()
    for seat, side in rules.seats(rules.start(edition)).items():
        if seat in (DIRECTOR, MODERATOR, WITNESS):
            raise UserError(
                msg("The rules {game} call a seat {seat}, which stands for something else here.", game=game, seat=seat)
            )
        new_seat = tables.Seat(game_id=name, name=seat, side=side)
        try:
            tx.server.seat_address(new_seat)
        except ValueError as too_long:
            raise UserError(msg("The seats would have no valid addresses: {why}", why=str(too_long))) from too_long
        tx.session.add(new_seat)
        tx.session.flush()
    for bot_text in wanted.bots:
        bot_seats.give_seat_to_bot_by_text(tx, row, bot_text)
    tx.session.flush()
    return row


def _check_beacon(terms: Terms) -> None:
    """Raise UserError if dice of these terms cannot wait for their beacon."""
    if terms.beacon == "none":
        return
    if not beacon.is_library_installed():
        raise UserError(
            msg(
                "A game with the beacon {beacon} needs a library that checks its rounds, and it is not installed here: "
                'install "pbem[beacon]", or make the game without one.',
                beacon=terms.beacon,
            )
        )
    if terms.pace == ACTIVATION_PACE:
        raise UserError(
            msg("At pace=activation every letter has dice of its own at once: they cannot wait for a beacon.")
        )


def start_game(tx: Transaction, name: str, *, dark: bool = False, sentences: Sequence[Msg] = ()) -> None:
    """Open the first phase and write to all seats, with the sentences `sentences`.

    Raise UserError if it runs already or a seat is empty. If its beacon is `dark` (no relay answers), the game
    begins without a beacon, and all are notified.
    """
    game = lock_game(tx.session, name)
    if game.state != "forming":
        raise UserError(msg("The game {game} has begun already.", game=name))
    free_seats = tuple(seat.name for seat in queries.games.seats(tx.session, name) if seat.is_free)
    if free_seats:
        raise UserError(msg("Nobody sits at: {seats}.", seats=free_seats))
    beacon_notice = _drop_beacon(tx, game) if dark and beacons.uses_beacon(game) else ()
    begin_game(tx, game, (*sentences, *_begin_war(tx, game), *beacon_notice))


def _begin_war(tx: Transaction, game: tables.Game) -> Sequence[Msg]:
    """K0, K7 Log that a game begins a war, if it does.

    Return the sentences about the war for its players.
    """
    progress = war_progress.war_progress_of(tx, game.id)
    if progress is None:
        return ()
    if war_progress.is_salted(progress.war):
        log_entries.record_war(tx, game, progress.war.id, terms_digest(progress.chain))
    count = len(progress.chain.legs)
    return (
        msg(
            "This is the first of {count} battles of the war {war}. It counts 1, each later one 1 more, and the sum "
            "decides [K7].",
            count=count,
            war=progress.war.id,
        ),
        msg(
            "What is lost here is lost for what follows, but for what comes back; behind each battle lies a camp "
            "[K2, K3]."
        ),
    )


def begin_game(tx: Transaction, game: tables.Game, sentences: Sequence[Msg]) -> None:
    """Open the first phase of a game, and write `sentences` to all seats."""
    rules, edition = tx.server.rules_of(game), tx.server.edition_of(tx.session, game)
    tx.session.add(tables.Snapshot(game_id=game.id, number=0, body=dumps(rules.encode(rules.start(edition)))))
    phase_states.start_game(tx.session, game)
    notes = {seat.name: sentences for seat in queries.games.seats(tx.session, game.id)}
    phases.open_next_phase(tx, read_position(tx, game), start=phases.PhaseStart(notes))


def _drop_beacon(tx: Transaction, game: tables.Game) -> Sequence[Msg]:
    """Let a new game wait for no beacon, and return the notice for everybody."""
    game.terms = Terms.read(game.terms)._replace(beacon="none").text()
    notice = (msg("Dice: grade C. No beacon answered, so this server throws alone (HELP DICE)."),)
    moderators.notify(tx, game, moderators.ModeratorNotice(notice, cause="no beacon"))
    summary = msg("The game {game} began without the beacon that it was to wait for: no relay answered.", game=game.id)
    detail = "pbem doctor tries each relay; name others under [beacon]"
    outbox.write_to_operator(
        tx, outbox.OperatorNotice(summary, detail, cause=f"{game.id} without beacon", game=game.id)
    )
    return notice
