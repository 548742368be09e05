"""A war declared: pinned to its file and to what its legs list today, with its first leg set up as any game."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from string import ascii_lowercase
from types import MappingProxyType
from typing import NamedTuple

from pbem.engine.data.canon import dumps
from pbem.engine.data.messages import msg
from pbem.engine.war.chain import leg_of, opened, written
from pbem.play.commands.table.founding import NewGame, new_game
from pbem.runtime.clock import Pace
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import Broken, Work
from pbem.store import queries, tables

_MARKS = ("", *ascii_lowercase[1:])
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,14}[a-z0-9])?")


class NewWar(NamedTuple):
    """A war that is asked for: its name, whose rules, which of their wars; the rest is that of every leg (`NewGame`).

    The name is 1 to 16 of a-z, 0-9 and hyphens, a hyphen neither first nor last.
    """

    name: str
    game: str
    war: str
    options: Mapping[str, str] = MappingProxyType({})
    pace: Pace = Pace()
    terms: Terms = Terms()
    open_seats: bool = False
    bots: Sequence[str] = ()


def leg_named(work: Work, war: str, number: int) -> str:
    """What the game of a leg is to be called: ``war-2``, and ``war-2b`` where there was one already (K8)."""
    return _free(work, f"{war}-{number}")


def camp_named(work: Work, war: str, number: int) -> str:
    """What the game of a camp is to be called: ``war-c1``, and ``war-c1b`` where there was one already (K8)."""
    return _free(work, f"{war}-c{number}")


def _free(work: Work, name: str) -> str:
    names = (f"{name}{mark}" for mark in _MARKS)
    return next(one for one in names if queries.games.game(work.session, one) is None)


def new_war(work: Work, wanted: NewWar) -> str:
    """Make a war and its first leg with empty seats, and return the name of that game; Broken if it cannot be."""
    if _NAME.fullmatch(wanted.name) is None:
        raise Broken(msg("A war's name is 1 to 16 of a-z, 0-9 and hyphens, got {name}.", name=repr(wanted.name)))
    if queries.games.war(work.session, wanted.name) is not None:
        raise Broken(msg("There is a war {war} already.", war=wanted.name))
    try:
        linked = work.server.plugins.games(wanted.game).linked
    except KeyError as unknown:
        raise Broken(msg("There are no rules {game} on this server.", game=wanted.game)) from unknown
    try:
        if linked is None:
            raise KeyError(wanted.war)
        chain = opened(linked, wanted.war, wanted.options)
        edition = leg_of(linked, chain)
    except KeyError as unknown:
        raise Broken(msg("The rules {game} have no war {war}.", game=wanted.game, war=wanted.war)) from unknown
    except ValueError as broken:
        raise Broken(msg("This cannot be played: {why}", why=str(broken))) from broken
    first = f"{wanted.name}-1"
    new_game(work, _first_leg(wanted, first, chain.legs[0].scenario)._replace(edition=edition))
    record = dumps(written(chain))
    work.session.add(tables.War(id=wanted.name, system=wanted.game, name=wanted.war, opening=record, record=record))
    work.session.flush()
    work.session.add(tables.WarGame(game_id=first, war_id=wanted.name, place=1))
    work.session.flush()
    return first


def _first_leg(wanted: NewWar, name: str, scenario: str) -> NewGame:
    return NewGame(
        name=name,
        game=wanted.game,
        scenario=scenario,
        options=wanted.options,
        pace=wanted.pace,
        terms=wanted.terms,
        open_seats=wanted.open_seats,
        bots=wanted.bots,
    )
