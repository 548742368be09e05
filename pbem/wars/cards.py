"""Show wars to the operator: their games and their state."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from pbem.engine.data.canon import loads
from pbem.engine.data.messages import msg, plain_english
from pbem.engine.war.chain import CAMP, chain_from_json
from pbem.play import outcome
from pbem.runtime.transaction import Transaction, UserError
from pbem.store import queries, tables


class WarGameLine(NamedTuple):
    """A game of a war: name, battle or camp, state, and cause of an early end."""

    game: Annotated[str, "GAME"]
    what: Annotated[str, "WHAT"]
    state: Annotated[str, "STATE"]
    ended: Annotated[str | None, "HOW IT ENDED"]


class WarLine(NamedTuple):
    """A war in a list; `played` is the present game, or the last one."""

    name: Annotated[str, "NAME"]
    game: Annotated[str, "GAME"]
    war: Annotated[str, "WAR"]
    state: Annotated[str, "STATE"]
    played: Annotated[str, "PLAYED NOW"]


class WarCard(NamedTuple):
    """A war in full: its line, its games, and its state in lines of English.

    Void games come last.
    """

    name: str
    game: str
    war: str
    state: str
    played: str
    games: tuple[WarGameLine, ...]
    standing: tuple[str, ...]


def show_war(tx: Transaction, name: str) -> WarCard:
    """Return a war with its games; raise UserError if unknown."""
    war = queries.games.war(tx.session, name)
    if war is None:
        names = tuple(row.id for row in queries.games.wars(tx.session))
        raise UserError(msg("There is no war {war}; there are: {wars}.", war=name, wars=names or ("-",)))
    return _card(tx, war)


def list_wars(tx: Transaction) -> tuple[WarLine, ...]:
    """Return all wars by name."""
    # The first five fields of a card are those of a line.
    return tuple(WarLine(*_card(tx, war)[:5]) for war in queries.games.wars(tx.session))


def _card(tx: Transaction, war: tables.War) -> WarCard:
    places = queries.games.games_of_war(tx.session, war.id)
    chain, rules = chain_from_json(loads(war.record)), tx.server.plugins.games(war.system)
    block = outcome.standing_block(chain, places[-1].ended if places else "", rules)
    return WarCard(
        war.id,
        war.system,
        war.name,
        war.state,
        places[-1].game_id if places else "-",
        tuple(_line(tx, place) for place in (*places, *queries.games.void_games(tx.session, war.id))),
        tuple(plain_english(line) for _, line in block.lines),
    )


def _line(tx: Transaction, place: tables.WarGame) -> WarGameLine:
    game = tx.session.get_one(tables.Game, place.game_id)
    kind = f"camp {place.camp}" if place.camp else f"battle {place.leg}, {game.scenario}"
    if place.place < 0:
        kind = "camp" if game.system == CAMP else game.scenario
    return WarGameLine(game.id, kind, game.state, place.ended or None)
