"""K9 What the last report of a battle says of the war that it belongs to: the ledger, or how the war has ended."""

from __future__ import annotations

from pbem.engine.data.messages import Msg, by_number, msg
from pbem.engine.data.report import Block, Line
from pbem.engine.game import Game
from pbem.engine.war.chain import CAMP, DRAW, Chain, Verdict, peace, standing
from pbem.play import war_progress
from pbem.play.positions import Position
from pbem.runtime.transaction import Work
from pbem.store import tables


def of(work: Work, here: Position, seat: tables.Seat) -> tuple[Block, ...]:
    """Return the ledger as a leg leaves it, with points and prices of the camp that follows; K7 how the war ended."""
    course = war_progress.course_of(work, here.game.id)
    if course is None or here.game.system == CAMP:
        return ()
    chain, between = war_progress.left_by(work, course, here.game, here.state)
    if between is None:
        return (verdict_block(chain, verdict_of(chain, ""), here.rules),)
    camps = work.server.games(CAMP)
    camp = camps.start(camps.made_of(between))  # type: ignore[attr-defined]  # what a camp alone has
    told = camps.telling.report(camps.view(camp, seat.name), seat.name, ())
    return (standing_block(chain, "", here.rules), *told.blocks)


def verdict_of(chain: Chain, ended: str) -> Verdict:
    """K7, K7.1 Return how a war ended: by its legs, or by the peace that the word of its last camp tells of."""
    word, *sued = ended.split(" ")
    if word == war_progress.PEACE:
        return peace(tuple(standing(chain).legs), chain.outcomes, sued)
    return standing(chain)


def verdict_block(chain: Chain, found: Verdict, rules: Game) -> Block:
    """K7 Return who won the war, and by what sums."""
    return Block(msg("The war is over"), (*_lines(_won(found, rules)), *_sums(chain, found, rules)), whole=True)


def standing_block(chain: Chain, ended: str, rules: Game) -> Block:
    """Return how the war stands, after a last game that ended by some word."""
    return Block(msg("How the war stands"), _sums(chain, verdict_of(chain, ended), rules), whole=True)


def _won(found: Verdict, rules: Game) -> Msg:
    if found.winner == DRAW:
        return msg("Nobody has won the war.")
    side = rules.telling.side(found.winner)
    if found.decisive:
        return msg("{side} has won the war decisively.", side=side)
    return msg("{side} has won the war.", side=side)


def _sums(chain: Chain, found: Verdict, rules: Game) -> tuple[Line, ...]:
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
