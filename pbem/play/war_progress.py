"""Follow a war that a game belongs to: earlier and later games (K0)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pbem.audit import sealing
from pbem.engine.data.canon import dumps, loads
from pbem.engine.data.messages import Msg, msg
from pbem.engine.game import has_secrets, war_parts_of
from pbem.engine.war.chain import (
    CAMP,
    DRAW,
    CampData,
    Chain,
    End,
    Part,
    WarParts,
    blocks,
    chain_from_json,
    chain_to_json,
    finish_leg,
    sides_of,
)
from pbem.log import keyring
from pbem.play.positions import read_position
from pbem.runtime.transaction import Transaction, UserError
from pbem.store import queries, tables

FORSAKEN = "forsaken"
"""Ending word of a game abandoned by its players, which ends its war too."""
PEACE = "peace"
"""First part of the ending word of a camp with peace; the suing sides follow."""


VOID = "void"
"""Ending word of a void game, replaced by a resumed earlier one."""


class WarProgress(NamedTuple):
    """A game's war and its part in it, the chain before it, the rules of the legs."""

    war: tables.War
    place: tables.WarGame
    chain: Chain
    linked: WarParts[object, object]


def war_progress_of(tx: Transaction, game: str) -> WarProgress | None:
    """Return a game's war progress; None if it is in no war, or a void one."""
    war_and_place = queries.games.war_of(tx.session, game)
    if war_and_place is None or war_and_place[1].place < 0:
        return None
    war, place = war_and_place
    return WarProgress(
        war, place, chain_from_json(loads(war.record)), war_parts_of(tx.server.plugins.games(war.system))
    )


def store_chain(tx: Transaction, war: tables.War, chain: Chain) -> None:
    """Store the state of a war."""
    war.record = dumps(chain_to_json(chain))
    tx.session.add(war)
    tx.session.flush()


def chain_after(
    tx: Transaction, progress: WarProgress, game: tables.Game, state: object
) -> tuple[Chain, CampData | None]:
    """K1 Return the chain after a leg ended in `state`, and its camp's input.

    None if over.
    """
    rules = tx.server.rules_of(game)
    terms = {"fog": has_secrets(rules, state)}
    end = leg_end(progress.chain, state, progress.place.ended)
    # A war that 1.0.0 declared has a salt of the server's own from its beginning, and keeps it.
    chain = progress.chain if progress.chain.salt else progress.chain._replace(salt=salt_of(tx, progress.war))
    return finish_leg(progress.linked, chain, end, rules.seats(state), terms)


def salt_of(tx: Transaction, war: tables.War) -> str:
    """Return the salt of a war's editions, by the key of the dice."""
    first = tx.session.get_one(tables.Game, first_game_of(tx, war))
    return sealing.war_salt(keyring.secret_of(tx, first)(sealing.war_block(game=first.id)))


def first_game_of(tx: Transaction, war: tables.War) -> str:
    """Return the game that a war began with."""
    return queries.games.games_of_war(tx.session, war.id)[0].game_id


def is_salted(war: tables.War) -> bool:
    """Return whether the salt of a war follows from the key of the dice.

    In wars declared under 1.0.0 it does not.
    """
    return not chain_from_json(loads(war.opening)).salt


def leg_end(chain: Chain, state: object, ended: str) -> End:
    """K0.1 Return how a leg ended: ``concede SIDE``, ``claim SIDE``, ``draw``."""
    word, _, side = ended.partition(" ")
    if word == "concede":
        return End(state, next(other_side for other_side in sides_of(chain) if other_side != side))
    return End(state, side if word == "claim" else DRAW if word == "draw" else "")


def store_ending(tx: Transaction, game: tables.Game, how: str) -> None:
    """Store the word by which a game of a war ended early."""
    war_and_place = queries.games.war_of(tx.session, game.id)
    if war_and_place is not None:
        war_and_place[1].ended = how
        tx.session.add(war_and_place[1])
        tx.session.flush()


def has_next_part(tx: Transaction, game: tables.Game) -> bool:
    """Return whether an ended game is followed by another camp or leg of its war."""
    progress = war_progress_of(tx, game.id)
    if progress is None or progress.war.state == "over" or progress.place.ended.startswith(FORSAKEN):
        return False
    if progress.place.camp:
        return not progress.place.ended
    return chain_after(tx, progress, game, read_position(tx, game).state)[1] is not None


def ended_part_text(tx: Transaction, game: tables.Game) -> Msg | None:
    """Return how subjects say that a battle or camp ended; None outside a war."""
    if not has_next_part(tx, game):
        return None
    return msg("this camp is over") if game.system == CAMP else msg("this battle is over")


def seat_in_newest_game(tx: Transaction, seat: tables.Seat) -> tables.Seat | None:
    """Return a player's seat in the newest game of a war, if it is newer.

    M1 Its name may differ there.
    """
    war_and_place = queries.games.war_of(tx.session, seat.game_id)
    if war_and_place is None:
        return None
    game = queries.games.games_of_war(tx.session, war_and_place[0].id)[-1].game_id
    if game == seat.game_id or seat.person_id is None:
        return None
    own_seats = [
        candidate for candidate in queries.games.seats(tx.session, game) if candidate.person_id == seat.person_id
    ]
    return min(own_seats, key=lambda candidate: candidate.name != seat.name, default=None)


def earlier_parts(tx: Transaction, game: tables.Game) -> Sequence[str]:
    """Return the parts of a war before a game of it."""
    progress = war_progress_of(tx, game.id)
    if progress is None:
        return ()
    war_games = queries.games.games_of_war(tx.session, progress.war.id)
    return [war_game.game_id for war_game in war_games if war_game.place < progress.place.place]


def later_parts(tx: Transaction, game: tables.Game) -> Sequence[tables.Game]:
    """K8 Return the parts of a war after one, which become void if that is resumed.

    Raise UserError if resuming is impossible: the game is no part of a war, the war is over, or turn 1 of the next
    battle has closed.
    """
    progress = war_progress_of(tx, game.id)
    if progress is None:
        raise UserError(msg("The game {game} is not being played.", game=game.id))
    if progress.war.state == "over":
        raise UserError(msg("The war {war} is over.", war=progress.war.id))
    later = [
        war_game
        for war_game in queries.games.games_of_war(tx.session, progress.war.id)
        if war_game.place > progress.place.place
    ]
    rows = [tx.session.get_one(tables.Game, war_game.game_id) for war_game in later]
    parts = [Part(row.system == CAMP, row.state == "over", _past_turn_1(tx, row)) for row in rows]
    if blocking := blocks(parts):
        raise UserError(
            msg("{game} is past its turn 1: nothing before it is taken up again [K8].", game=rows[blocking - 1].id)
        )
    return rows


def _past_turn_1(tx: Transaction, game: tables.Game) -> bool:
    return any(row.turn > 1 and row.state != "void" for row in queries.phases.all_phases(tx.session, game.id))


def closing_sentence(tx: Transaction, game: tables.Game) -> Msg:
    """Return the closing sentence to an ended game: thanks, or that its war goes on."""
    if has_next_part(tx, game):
        return msg("This part of the war is over. What follows comes in a letter of its own.")
    return msg("The game is over. Thank you for playing.")


def keeps_sealed(tx: Transaction, game: tables.Game) -> bool:
    """Return whether a game stays sealed: it hides something, and its war goes on."""
    war_and_place = queries.games.war_of(tx.session, game.id)
    snapshot = queries.phases.latest_snapshot(tx.session, game.id) if war_and_place is not None else None
    if war_and_place is None or war_and_place[0].state == "over" or snapshot is None:
        return False
    return has_secrets(tx.server.rules_of(game), tx.server.state_of(tx.session, game, snapshot.body))
