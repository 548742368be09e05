"""Describe the end of a game or war: winner, margin, points, playing again."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Msg, by_number, msg
from pbem.engine.data.report import Block, Line
from pbem.engine.game import AnyGame, has_secrets
from pbem.engine.terms import ONLOOKER
from pbem.engine.war.chain import CAMP, DRAW, Chain, Verdict, peace, present_verdict
from pbem.play import history, war_progress
from pbem.play.positions import Position, read_position
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import Transaction
from pbem.store import queries, tables

# K9 What the last report of a battle says of the war that it belongs to: the ledger, or how the war has ended.


def war_blocks(tx: Transaction, position: Position, seat: tables.Seat) -> tuple[Block, ...]:
    """Return the war's state after a leg, with points and prices of the next camp.

    K7 After the last leg, return how the war ended.
    """
    progress = war_progress.war_progress_of(tx, position.game.id)
    if progress is None or position.game.system == CAMP:
        return ()
    chain, between = war_progress.chain_after(tx, progress, position.game, position.state)
    if between is None:
        return (verdict_block(chain, verdict_of(chain, ""), position.rules),)
    camps = tx.server.plugins.games(CAMP)
    camp = camps.start(camps.made_of(between))
    report = camps.telling.report(camps.view(camp, seat.name), seat.name, ())
    return (standing_block(chain, "", position.rules), *report.blocks)


def verdict_of(chain: Chain, ended: str) -> Verdict:
    """K7, K7.1 Return how a war ended: by its legs, or by the peace of its last camp."""
    word, *suing_sides = ended.split(" ")
    if word == war_progress.PEACE:
        return peace(tuple(present_verdict(chain).legs), chain.outcomes, suing_sides)
    return present_verdict(chain)


def verdict_block(chain: Chain, verdict: Verdict, rules: AnyGame) -> Block:
    """K7 Return the block with the war's winner and the sums."""
    return Block(
        msg("The war is over"), (*_lines(_war_winner(verdict, rules)), *_war_sums(chain, verdict, rules)), whole=True
    )


def standing_block(chain: Chain, ended: str, rules: AnyGame) -> Block:
    """Return the block with the war's standing after its last game, which ended so."""
    return Block(msg("How the war stands"), _war_sums(chain, verdict_of(chain, ended), rules), whole=True)


def _war_winner(verdict: Verdict, rules: AnyGame) -> Msg:
    if verdict.winner == DRAW:
        return msg("Nobody has won the war.")
    side = rules.telling.side(verdict.winner)
    if verdict.decisive:
        return msg("{side} has won the war decisively.", side=side)
    return msg("{side} has won the war.", side=side)


def _war_sums(chain: Chain, verdict: Verdict, rules: AnyGame) -> tuple[Line, ...]:
    """Return the battles one by one, then each side's sums."""
    lines: list[Msg] = []
    titles = {name: rules.editions().get(name, name) for name in chain.war.legs}
    for place, battle_outcome in enumerate(chain.outcomes, 1):
        battle = titles[chain.war.legs[place - 1]]
        if battle_outcome.winner == DRAW:
            lines.append(msg("Battle {number}, {battle}: a draw.", number=place, battle=battle))
        else:
            battle_text = msg(
                "Battle {number}, {battle}: {side} wins",
                number=place,
                battle=battle,
                side=rules.telling.side(battle_outcome.winner),
            )
            lines.append(
                msg(
                    "{won}, worth {worth}; margin {margin}.", won=battle_text, worth=place, margin=battle_outcome.margin
                )
            )
    for side, worth in verdict.legs.items():
        worth_text = by_number(worth, msg("a point of war"), msg("{worth} points of war", worth=worth))
        lines.append(
            msg(
                "{side}: {worth}, margins {margin} [K7].",
                side=rules.telling.side(side),
                worth=worth_text,
                margin=verdict.margins[side],
            )
        )
    return _lines(*lines)


def _lines(*sentences: Msg) -> tuple[Line, ...]:
    return tuple((0, sentence) for sentence in sentences)


_GIVEN_TO_OTHER = ("concede", "forfeit")
"""Words for an early end whose side has lost."""


def result_sentences(tx: Transaction, game: tables.Game, how: str = "") -> tuple[Msg, ...]:
    """Return the winner of an ended game, and the points.

    `how` is the word by which it ended early. A camp has no winner. The points of a battle are left out as
    long as its war keeps them sealed.
    """
    position = _last_position(tx, game)
    if position is None:
        return ()
    sealed = how and war_progress.keeps_sealed(tx, game)
    return (*_winner_sentences(position, how), *(() if sealed else _points_sentences(position)))


def certain_winner(position: Position) -> str:
    """Return the side that is certain to win; empty if none.

    It is empty, too, if the answer would reveal what is hidden.
    """
    scored = position.rules.scored
    if scored is None or has_secrets(position.rules, position.state):
        return ""
    return scored.safe(position.state)


def safe_lead_sentences(tx: Transaction, position: Position, seat: tables.Seat) -> tuple[Msg, ...]:
    """Return the offer to a certain winner to end the game, for one seat."""
    leader = certain_winner(position)
    if not leader or position.rules.scored is None:
        return ()
    if position.rules.scored.party(position.state, seat.side) != leader:
        return (msg("Your side cannot win any more, whatever happens. CONCEDE ends the game now."),)
    rivals = [other for other in queries.games.seats(tx.session, position.game.id) if other.side != seat.side]
    if not Terms.read(position.game.terms).claim_after or all(other.bot for other in rivals):
        return (msg("Your side cannot lose any more, whatever happens."),)
    return (msg("Your side cannot lose any more, whatever happens. CLAIM ends the game now."),)


def farewell_sentences(tx: Transaction, game: tables.Game) -> tuple[Msg, ...]:
    """Return how to see an ended game again and play again, and thanks.

    If a war goes on, return that.
    """
    last_sentence = war_progress.closing_sentence(tx, game)
    if war_progress.has_next_part(tx, game) or not _has_score(tx, game):
        return (last_sentence,)
    return (*_replay_sentences(tx, game), last_sentence)


def points_account(tx: Transaction, game: tables.Game) -> Block | None:
    """Return where a game's points came from.

    None for a camp, and before the game has begun.
    """
    if not _was_played(tx, game):
        return None
    steps = [step for _, step in history.position_changes(tx, game)]
    if not steps:
        return None
    return tx.server.rules_of(game).telling.account(steps)


def points_account_block(tx: Transaction, game: tables.Game) -> tuple[Json, ...]:
    """Return `points_account` as a block of a letter, unless a war keeps it sealed."""
    points_block = None if war_progress.keeps_sealed(tx, game) else points_account(tx, game)
    return () if points_block is None else (points_block.to_json(),)


def _last_position(tx: Transaction, game: tables.Game) -> Position | None:
    """Return the last position of a game; None for a camp and before the beginning."""
    return read_position(tx, game) if _has_score(tx, game) else None


def _has_score(tx: Transaction, game: tables.Game) -> bool:
    return _was_played(tx, game) and tx.server.rules_of(game).scored is not None


def _was_played(tx: Transaction, game: tables.Game) -> bool:
    """Return whether a game is no camp and has a position."""
    return game.system != CAMP and queries.phases.latest_snapshot(tx.session, game.id) is not None


def _winner_sentences(position: Position, how: str) -> Iterator[Msg]:
    """Yield the winner; nothing if the moderator named it, or the game is void."""
    scored, telling = position.rules.scored, position.rules.telling
    word, _, side = how.partition(" ")
    if scored is None or word in ("adjudicate", "adjudicated", war_progress.VOID):
        return
    if side and word in _GIVEN_TO_OTHER:
        losing_party = scored.party(position.state, side)
        winning_party = next((party for party in scored.worth(position.state) if party != losing_party), "")
    elif word == "claim":
        winning_party = scored.party(position.state, side)
    else:
        winning_party = "" if word else scored.winner(position.state)
    if winning_party in scored.worth(position.state):
        yield msg("Winner: {side}.", side=telling.side(winning_party))
    elif word in (war_progress.FORSAKEN, "forfeit"):
        yield msg("Nobody has won.")
    else:
        yield msg("Nobody has won: a draw.")


def _points_sentences(position: Position) -> Iterator[Msg]:
    """Yield the points of both sides and the margin."""
    scores = position.rules.telling.stakes(position.state, ONLOOKER, ()).scores
    if len(scores) == 2:
        first_score, second_score = scores
        yield msg(
            "Victory points: {first} {a}, {second} {b}; margin {n}.",
            first=position.rules.telling.side(first_score.side),
            a=first_score.points,
            second=position.rules.telling.side(second_score.side),
            b=second_score.points,
            n=abs(first_score.points - second_score.points),
        )


def _replay_sentences(tx: Transaction, game: tables.Game) -> Iterator[Msg]:
    """Yield how to see the game again, and how to play on."""
    server, rules = tx.server, tx.server.rules_of(game)
    # Any other game brings its page with this letter.
    if war_progress.keeps_sealed(tx, game) and server.plugins.stories is not None and rules.pictured is not None:
        yield msg("Another letter brings the game as a page: you can step through it.")
    if server.plugins.reviewer is not None:
        yield msg("REVIEW tells what turned the game; HISTORY, DICE and WHY tell everything now.")
    else:
        yield msg("HISTORY, DICE and WHY tell everything now.")
    if (table := queries.tournaments.board_of(tx.session, game.id)) is not None:
        yield msg("How {event} stands, and whom you meet next, comes when its round is over.", event=table[0].id)
    elif server.settings.play.who != "off" and game.system in server.settings.play.games:
        yield msg("To play again, write PLAY {scenario} to {address}.", scenario=game.scenario, address=server.address)
    else:
        yield msg("To play again, write LIST to {address}: it names open seats.", address=server.address)
