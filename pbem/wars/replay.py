"""Replay a whole war: every game, and each edition from the game before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pbem.engine.data.canon import dumps, loads
from pbem.engine.data.messages import msg
from pbem.engine.game import war_parts_of
from pbem.engine.war.chain import (
    CAMP,
    Chain,
    chain_from_json,
    chain_to_json,
    finish_camp,
    leg_of,
)
from pbem.play import war_progress
from pbem.play.positions import read_position
from pbem.play.replay import ReplayDifference, ReplayResult, replay
from pbem.runtime.transaction import Transaction, UserError
from pbem.store import queries, tables


class _Expected(NamedTuple):
    """The expected chain before a game, and the digest of its edition."""

    chain: Chain
    edition: str


def is_war(tx: Transaction, name: str) -> bool:
    """Return whether there is a war of that name."""
    return queries.games.war(tx.session, name) is not None


def replay_war(tx: Transaction, name: str) -> Iterator[tuple[str, ReplayResult]]:
    """Yield the games of a war with their replays, up to the first difference.

    The edition of each game must be the one that follows from the game before it; at the end the record of the war
    is compared. Raise UserError if there is no such war. Nothing is written.
    """
    war = queries.games.war(tx.session, name)
    if war is None:
        raise UserError(msg("There is no war {war}.", war=name))
    chain = chain_from_json(loads(war.opening))
    linked = war_parts_of(tx.server.plugins.games(war.system))
    expected = _Expected(chain, leg_of(linked, chain).digest)
    for place in queries.games.games_of_war(tx.session, name):
        game = tx.session.get_one(tables.Game, place.game_id)
        if game.edition_digest != expected.edition:
            yield game.id, ReplayResult(0, ReplayDifference(game.id, "edition", game.edition_digest, expected.edition))
            return
        result = replay(tx, game.id)
        yield game.id, result
        if result.difference is not None:
            return
        if game.state == "over":
            expected = _expected_after(tx, war_progress.WarProgress(war, place, expected.chain, linked), game)
    record = dumps(chain_to_json(expected.chain))
    if record != war.record:
        yield name, ReplayResult(0, ReplayDifference(name, "record", war.record, record))


def _expected_after(tx: Transaction, course: war_progress.WarProgress, game: tables.Game) -> _Expected:
    """Return the war after a game, and the digest of the next edition (or empty)."""
    chain, state = course.chain, read_position(tx, game).state
    if course.place.camp:
        if course.place.ended:
            return _Expected(chain, "")
        chain = finish_camp(chain, state.units, state.works)
        return _Expected(chain, leg_of(course.linked, chain).digest)
    chain, ledgers = war_progress.chain_after(tx, course, game, state)
    if ledgers is None:
        return _Expected(chain, "")
    return _Expected(chain, tx.server.plugins.games(CAMP).made_of(ledgers).digest)
