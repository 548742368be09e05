"""The end of a game or a war in words: who won and by how much, where the points came from, how to play again."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Msg, by_number, msg
from pbem.engine.data.report import Block, Line
from pbem.engine.game import AnyGame
from pbem.engine.terms import ONLOOKER
from pbem.engine.war.chain import CAMP, DRAW, Chain, Verdict, peace, standing
from pbem.play import history, war_progress
from pbem.play.positions import Position, position
from pbem.runtime.transaction import Transaction
from pbem.store import queries, tables

# K9 What the last report of a battle says of the war that it belongs to: the ledger, or how the war has ended.


def war_account(work: Transaction, here: Position, seat: tables.Seat) -> tuple[Block, ...]:
    """Return the ledger as a leg leaves it, with points and prices of the camp that follows; K7 how the war ended."""
    course = war_progress.course_of(work, here.game.id)
    if course is None or here.game.system == CAMP:
        return ()
    chain, between = war_progress.left_by(work, course, here.game, here.state)
    if between is None:
        return (verdict_block(chain, verdict_of(chain, ""), here.rules),)
    camps = work.server.plugins.games(CAMP)
    camp = camps.start(camps.made_of(between))
    told = camps.telling.report(camps.view(camp, seat.name), seat.name, ())
    return (standing_block(chain, "", here.rules), *told.blocks)


def verdict_of(chain: Chain, ended: str) -> Verdict:
    """K7, K7.1 Return how a war ended: by its legs, or by the peace that the word of its last camp tells of."""
    word, *sued = ended.split(" ")
    if word == war_progress.PEACE:
        return peace(tuple(standing(chain).legs), chain.outcomes, sued)
    return standing(chain)


def verdict_block(chain: Chain, found: Verdict, rules: AnyGame) -> Block:
    """K7 Return who won the war, and by what sums."""
    return Block(msg("The war is over"), (*_lines(_won(found, rules)), *_war_sums(chain, found, rules)), whole=True)


def standing_block(chain: Chain, ended: str, rules: AnyGame) -> Block:
    """Return how the war stands, after a last game that ended by some word."""
    return Block(msg("How the war stands"), _war_sums(chain, verdict_of(chain, ended), rules), whole=True)


def _won(found: Verdict, rules: AnyGame) -> Msg:
    if found.winner == DRAW:
        return msg("Nobody has won the war.")
    side = rules.telling.side(found.winner)
    if found.decisive:
        return msg("{side} has won the war decisively.", side=side)
    return msg("{side} has won the war.", side=side)


def _war_sums(chain: Chain, found: Verdict, rules: AnyGame) -> tuple[Line, ...]:
    """The battles one by one, then each side's sums."""
    lines: list[Msg] = []
    titles = {name: rules.editions().get(name, name) for name in chain.war.legs}
    for place, one in enumerate(chain.outcomes, 1):
        battle = titles[chain.war.legs[place - 1]]
        if one.winner == DRAW:
            lines.append(msg("Battle {number}, {battle}: a draw.", number=place, battle=battle))
        else:
            won = msg(
                "Battle {number}, {battle}: {side} wins",
                number=place,
                battle=battle,
                side=rules.telling.side(one.winner),
            )
            lines.append(msg("{won}, worth {worth}; margin {margin}.", won=won, worth=place, margin=one.margin))
    for side, worth in found.legs.items():
        told = by_number(worth, msg("a point of war"), msg("{worth} points of war", worth=worth))
        lines.append(
            msg(
                "{side}: {worth}, margins {margin} [K7].",
                side=rules.telling.side(side),
                worth=told,
                margin=found.margins[side],
            )
        )
    return _lines(*lines)


def _lines(*said: Msg) -> tuple[Line, ...]:
    return tuple((0, one) for one in said)


_GIVEN_TO_OTHER = ("concede", "forfeit")
"""The words by which a game ends that the side behind them has lost."""


def result(work: Transaction, game: tables.Game, how: str = "") -> tuple[Msg, ...]:
    """Return who has won a game that is over, and the points; `how` is the word by which it ended before its time.

    A camp has no winner. The points of a battle stay unsaid as long as its war keeps it sealed.
    """
    here = _last(work, game)
    if here is None:
        return ()
    sealed = how and war_progress.keeps_sealed(work, game)
    return (*_winner(here, how), *(() if sealed else _points(here)))


def farewell(work: Transaction, game: tables.Game) -> tuple[Msg, ...]:
    """Return how a game that is over can be seen once more and played again, and thanks; of a war that it goes on."""
    last = war_progress.last_word(work, game)
    if war_progress.goes_on(work, game) or not _has_score(work, game):
        return (last,)
    return (*_again(work, game), last)


def account(work: Transaction, game: tables.Game) -> Block | None:
    """Return where the points of a game came from; None for a camp, and for a game that has not begun."""
    if not _was_played(work, game):
        return None
    steps = [step for _, step in history.steps(work, game)]
    if not steps:
        return None
    return work.server.rules_of(game).telling.account(steps)


def account_block(work: Transaction, game: tables.Game) -> tuple[Json, ...]:
    """Return the same as a block of a letter, unless a war keeps it sealed."""
    told = None if war_progress.keeps_sealed(work, game) else account(work, game)
    return () if told is None else (told.to_json(),)


def _last(work: Transaction, game: tables.Game) -> Position | None:
    """Return the last position of a game; None for a camp and for a game that has not begun."""
    return position(work, game) if _has_score(work, game) else None


def _has_score(work: Transaction, game: tables.Game) -> bool:
    return _was_played(work, game) and work.server.rules_of(game).scored is not None


def _was_played(work: Transaction, game: tables.Game) -> bool:
    """Return whether a game is no camp and has a position."""
    return game.system != CAMP and queries.phases.latest_snapshot(work.session, game.id) is not None


def _winner(here: Position, how: str) -> Iterator[Msg]:
    """Say who has won; nothing where the moderator's words say it, or where a game led to nothing."""
    scored, telling = here.rules.scored, here.rules.telling
    word, _, side = how.partition(" ")
    if scored is None or word in ("adjudicate", "adjudicated", war_progress.VOID):
        return
    if side and word in _GIVEN_TO_OTHER:
        lost = scored.party(here.state, side)
        won = next((party for party in scored.worth(here.state) if party != lost), "")
    elif word == "claim":
        won = scored.party(here.state, side)
    else:
        won = "" if word else scored.winner(here.state)
    if won in scored.worth(here.state):
        yield msg("Winner: {side}.", side=telling.side(won))
    elif word in (war_progress.FORSAKEN, "forfeit"):
        yield msg("Nobody has won.")
    else:
        yield msg("Nobody has won: a draw.")


def _points(here: Position) -> Iterator[Msg]:
    """Say the points of both sides and the margin."""
    scores = here.rules.telling.stakes(here.state, ONLOOKER, ()).scores
    if len(scores) == 2:
        one, other = scores
        yield msg(
            "Victory points: {first} {a}, {second} {b}; margin {n}.",
            first=here.rules.telling.side(one.side),
            a=one.points,
            second=here.rules.telling.side(other.side),
            b=other.points,
            n=abs(one.points - other.points),
        )


def _again(work: Transaction, game: tables.Game) -> Iterator[Msg]:
    """Say how to see the game once more, and how to play again."""
    server, rules = work.server, work.server.rules_of(game)
    if server.plugins.stories is not None and rules.pictured is not None:
        yield msg("Another letter brings the game as a page: you can step through it.")
    if server.plugins.reviewer is not None:
        yield msg("REVIEW tells what turned the game; HISTORY, DICE and WHY tell everything now.")
    else:
        yield msg("HISTORY, DICE and WHY tell everything now.")
    if server.settings.play.who != "off" and game.system in server.settings.play.games:
        yield msg("To play again, write PLAY {scenario} to {address}.", scenario=game.scenario, address=server.address)
    else:
        yield msg("To play again, write LIST to {address}: it names open seats.", address=server.address)
