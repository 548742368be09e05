"""Replay through the chain: every game of a war again, and each edition made again from the end of the game before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pbem.engine.data.canon import dumps, loads
from pbem.engine.data.messages import msg
from pbem.engine.game import legs_of
from pbem.engine.war.chain import (
    CAMP,
    Chain,
    broken_up,
    chain_in,
    leg_of,
    written,
)
from pbem.play import war_progress
from pbem.play.positions import position
from pbem.play.replay import Difference, Replayed, replay
from pbem.runtime.transaction import Broken, Work
from pbem.store import queries, tables


class _Before(NamedTuple):
    """What a game of a war is held against: the chain before it, and the digest that its edition must have."""

    chain: Chain
    edition: str


def is_war(work: Work, name: str) -> bool:
    """Whether there is a war of that name."""
    return queries.games.war(work.session, name) is not None


def replay_war(work: Work, name: str) -> Iterator[tuple[str, Replayed]]:
    """Yield the games of a war in order, each with how its replay came out, to the first that differs.

    Its edition must be the one that follows from the game before it; at the end the record of the war is compared.
    Broken if there is no such war. Nothing is written.
    """
    war = queries.games.war(work.session, name)
    if war is None:
        raise Broken(msg("There is no war {war}.", war=name))
    chain = chain_in(loads(war.opening))
    linked = legs_of(work.server.plugins.games(war.system))
    before = _Before(chain, leg_of(linked, chain).digest)
    for place in queries.games.games_of_war(work.session, name):
        game = work.session.get_one(tables.Game, place.game_id)
        if game.edition_digest != before.edition:
            yield game.id, Replayed(0, Difference(game.id, "edition", game.edition_digest, before.edition))
            return
        done = replay(work, game.id)
        yield game.id, done
        if done.difference is not None:
            return
        if game.state == "over":
            before = _after(work, war_progress.Course(war, place, before.chain, linked), game)
    now = dumps(written(before.chain))
    if now != war.record:
        yield name, Replayed(0, Difference(name, "record", war.record, now))


def _after(work: Work, course: war_progress.Course, game: tables.Game) -> _Before:
    """The war after a game, and the digest of what must follow it; empty where nothing does."""
    chain, state = course.chain, position(work, game).state
    if course.place.camp:
        if course.place.ended:
            return _Before(chain, "")
        chain = broken_up(chain, state.units, state.works)
        return _Before(chain, leg_of(course.linked, chain).digest)
    chain, between = war_progress.left_by(work, course, game, state)
    if between is None:
        return _Before(chain, "")
    return _Before(chain, work.server.plugins.games(CAMP).made_of(between).digest)
