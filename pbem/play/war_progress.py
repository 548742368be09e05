"""The course of a war that a game belongs to: what led to the game, and what follows from its end (K0)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pbem.audit import sealing
from pbem.engine.data.canon import dumps, loads
from pbem.engine.data.messages import Msg, msg
from pbem.engine.game import hides, legs_of
from pbem.engine.war.chain import (
    CAMP,
    DRAW,
    Between,
    Chain,
    End,
    Linked,
    Part,
    blocks,
    chain_in,
    fought_out,
    sides_of,
    written,
)
from pbem.log import keyring
from pbem.play.positions import position
from pbem.runtime.transaction import Transaction, UserError
from pbem.store import queries, tables

FORSAKEN = "forsaken"
"""The word by which a game ended that nobody wrote to any more: so does its war."""
PEACE = "peace"
"""How the word begins by which a camp ended that brought peace; the sides that sued for it follow."""


VOID = "void"
"""The word by which a game ended that led to nothing: one before it was taken up again."""


class Course(NamedTuple):
    """A war and the place of a game in it, the chain as it was before the game, and what the legs' rules bring."""

    war: tables.War
    place: tables.WarGame
    chain: Chain
    linked: Linked[object, object]


def course_of(work: Transaction, game: str) -> Course | None:
    """Return the course that a game belongs to; None if it is no part of a war, or a void one."""
    found = queries.games.war_of(work.session, game)
    if found is None or found[1].place < 0:
        return None
    war, place = found
    return Course(war, place, chain_in(loads(war.record)), legs_of(work.server.plugins.games(war.system)))


def keep(work: Transaction, war: tables.War, chain: Chain) -> None:
    """Keep how a war stands."""
    war.record = dumps(written(chain))
    work.session.add(war)
    work.session.flush()


def left_by(work: Transaction, course: Course, game: tables.Game, state: object) -> tuple[Chain, Between | None]:
    """K1 Return the war after a leg that ended in `state`, and of what its camp is made; None if the war is over."""
    rules = work.server.rules_of(game)
    terms = {"fog": hides(rules, state)}
    end = end_of(course.chain, state, course.place.ended)
    # A war that 1.0.0 declared has a salt of the server's own from its beginning, and keeps it.
    chain = course.chain if course.chain.salt else course.chain._replace(salt=salt_of(work, course.war))
    return fought_out(course.linked, chain, end, rules.seats(state), terms)


def salt_of(work: Transaction, war: tables.War) -> str:
    """Return the salt of the editions of a war, by the key of the dice."""
    first = work.session.get_one(tables.Game, first_of(work, war))
    return sealing.war_salt(keyring.secret_of(work, first)(sealing.war(game=first.id)))


def first_of(work: Transaction, war: tables.War) -> str:
    """Return the game that a war began with."""
    return queries.games.games_of_war(work.session, war.id)[0].game_id


def is_salted(war: tables.War) -> bool:
    """Whether the salt of a war follows from the key of the dice; in wars declared under 1.0.0 it does not."""
    return not chain_in(loads(war.opening)).salt


def end_of(chain: Chain, state: object, ended: str) -> End:
    """K0.1 Return how a leg ended, by the word that is kept with it: ``concede SIDE``, ``claim SIDE``, ``draw``."""
    word, _, side = ended.partition(" ")
    if word == "concede":
        return End(state, next(one for one in sides_of(chain) if one != side))
    return End(state, side if word == "claim" else DRAW if word == "draw" else "")


def ended(work: Transaction, game: tables.Game, how: str) -> None:
    """Keep with a game of a war by which word it ended before its time."""
    found = queries.games.war_of(work.session, game.id)
    if found is not None:
        found[1].ended = how
        work.session.add(found[1])
        work.session.flush()


def goes_on(work: Transaction, game: tables.Game) -> bool:
    """Whether anything follows a game that is over: its war has another camp or leg."""
    course = course_of(work, game.id)
    if course is None or course.war.state == "over" or course.place.ended.startswith(FORSAKEN):
        return False
    if course.place.camp:
        return not course.place.ended
    return left_by(work, course, game, position(work, game).state)[1] is not None


def heir_of(work: Transaction, seat: tables.Seat) -> tables.Seat | None:
    """Return the seat that a player has now in the game that his war has come to; None if it has come to none since.

    M1 It may be called otherwise there.
    """
    found = queries.games.war_of(work.session, seat.game_id)
    if found is None:
        return None
    game = queries.games.games_of_war(work.session, found[0].id)[-1].game_id
    if game == seat.game_id or seat.person_id is None:
        return None
    mine = [one for one in queries.games.seats(work.session, game) if one.person_id == seat.person_id]
    return min(mine, key=lambda one: one.name != seat.name, default=None)


def behind(work: Transaction, game: tables.Game) -> Sequence[str]:
    """Return the parts of a war before a game of it."""
    course = course_of(work, game.id)
    if course is None:
        return ()
    line = queries.games.games_of_war(work.session, course.war.id)
    return [one.game_id for one in line if one.place < course.place.place]


def followers(work: Transaction, game: tables.Game) -> Sequence[tables.Game]:
    """K8 Return what has followed from the end of a part of a war, and is void if that is taken up again.

    Broken if it cannot be: it is no part of a war, or the war is over, or turn 1 of the next battle has closed.
    """
    course = course_of(work, game.id)
    if course is None:
        raise UserError(msg("The game {game} is not being played.", game=game.id))
    if course.war.state == "over":
        raise UserError(msg("The war {war} is over.", war=course.war.id))
    later = [one for one in queries.games.games_of_war(work.session, course.war.id) if one.place > course.place.place]
    rows = [work.session.get_one(tables.Game, one.game_id) for one in later]
    parts = [Part(row.system == CAMP, row.state == "over", _past_turn_1(work, row)) for row in rows]
    if at := blocks(parts):
        raise UserError(
            msg("{game} is past its turn 1: nothing before it is taken up again [K8].", game=rows[at - 1].id)
        )
    return rows


def _past_turn_1(work: Transaction, game: tables.Game) -> bool:
    return any(row.turn > 1 and row.state != "void" for row in queries.phases.every(work.session, game.id))


def last_word(work: Transaction, game: tables.Game) -> Msg:
    """Return what is said last of a game that is over: thanks, or that its war goes on."""
    if goes_on(work, game):
        return msg("This part of the war is over. What follows comes in a letter of its own.")
    return msg("The game is over. Thank you for playing.")


def keeps_sealed(work: Transaction, game: tables.Game) -> bool:
    """Whether what was sealed in a game stays so: it hides something, and its war goes on."""
    found = queries.games.war_of(work.session, game.id)
    kept = queries.phases.latest_snapshot(work.session, game.id) if found is not None else None
    if found is None or found[0].state == "over" or kept is None:
        return False
    return hides(work.server.rules_of(game), work.server.state_of(work.session, game, kept.body))
