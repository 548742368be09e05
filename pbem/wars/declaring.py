"""Declare a war: pin it to its file and legs, and create its first game."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from string import ascii_lowercase
from types import MappingProxyType
from typing import NamedTuple

from pbem.engine.data.canon import dumps
from pbem.engine.data.messages import msg
from pbem.engine.war.chain import chain_to_json, leg_of, open_war
from pbem.play.commands.table.founding import NewGame, new_game
from pbem.runtime.clock import Pace
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import Transaction, UserError
from pbem.store import queries, tables

_MARKS = ("", *ascii_lowercase[1:])
# A war's name: at most 16 characters, since the names of its games, of at most 20, begin with it.
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,14}[a-z0-9])?")


class NewWar(NamedTuple):
    """A request to create a war: its name, its rules, its file, and its terms.

    The name is 1 to 16 of a-z, 0-9 and hyphens, with no hyphen at either end. The other fields are as in `NewGame`
    and hold for every leg.
    """

    name: str
    game: str
    war: str
    options: Mapping[str, str] = MappingProxyType({})
    pace: Pace = Pace()
    terms: Terms = Terms()
    open_seats: bool = False
    bots: Sequence[str] = ()


def leg_name(tx: Transaction, war: str, number: int) -> str:
    """Return the name of a leg's game: ``war-2``, or ``war-2b`` if taken (K8)."""
    return _free_name(tx, f"{war}-{number}")


def camp_name(tx: Transaction, war: str, number: int) -> str:
    """Return the name of a camp's game: ``war-c1``, or ``war-c1b`` if taken (K8)."""
    return _free_name(tx, f"{war}-c{number}")


def _free_name(tx: Transaction, name: str) -> str:
    names = (f"{name}{mark}" for mark in _MARKS)
    return next(candidate for candidate in names if queries.games.game(tx.session, candidate) is None)


def new_war(tx: Transaction, request: NewWar) -> str:
    """Create a war and its first leg with empty seats; return that game's name.

    Raise UserError if it is impossible.
    """
    if _NAME.fullmatch(request.name) is None:
        raise UserError(msg("A war's name is 1 to 16 of a-z, 0-9 and hyphens, got {name}.", name=repr(request.name)))
    if queries.games.war(tx.session, request.name) is not None:
        raise UserError(msg("There is a war {war} already.", war=request.name))
    try:
        linked = tx.server.plugins.games(request.game).linked
    except KeyError as unknown:
        raise UserError(msg("There are no rules {game} on this server.", game=request.game)) from unknown
    try:
        if linked is None:
            # Rules without any wars get the same answer as an unknown war.
            raise KeyError(request.war)
        chain = open_war(linked, request.war, request.options)
        edition = leg_of(linked, chain)
    except KeyError as unknown:
        raise UserError(msg("The rules {game} have no war {war}.", game=request.game, war=request.war)) from unknown
    except ValueError as broken:
        # A fault of the war's file or of an option: whoever declares the war can mend it.
        raise UserError(msg("This cannot be played: {why}", why=str(broken))) from broken
    first = f"{request.name}-1"
    new_game(tx, _first_leg(request, first, chain.legs[0].scenario)._replace(edition=edition))
    record = dumps(chain_to_json(chain))
    tx.session.add(tables.War(id=request.name, system=request.game, name=request.war, opening=record, record=record))
    tx.session.flush()
    tx.session.add(tables.WarGame(game_id=first, war_id=request.name, place=1))
    tx.session.flush()
    return first


def _first_leg(request: NewWar, name: str, scenario: str) -> NewGame:
    return NewGame(
        name=name,
        game=request.game,
        scenario=scenario,
        options=request.options,
        pace=request.pace,
        terms=request.terms,
        open_seats=request.open_seats,
        bots=request.bots,
    )
