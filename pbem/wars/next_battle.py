"""Open the next camp or leg at the end of a war's game (K0).

This is done in the same transaction. The new game names in its first leaf the last leaf of the game
before it, and is pinned to an edition that is stored whole: a camp to the ledgers before and after the
leg, a leg to its scenario as changed by camp and ledger.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from pbem.engine.data.canon import dumps, loads
from pbem.engine.data.messages import Msg, msg
from pbem.engine.game import PinnedEdition
from pbem.engine.war.chain import CAMP, Chain, chain_from_json, finish_camp, leg_of
from pbem.letters import content, outbox
from pbem.play import deadlines, history, log_entries, outcome, phase_states, revealed_orders, war_progress
from pbem.play.commands.table import founding
from pbem.play.commands.table.founding import NewGame
from pbem.play.positions import read_position
from pbem.play.war_progress import WarProgress
from pbem.runtime.terms import WAIT_FOR_ABSENT, Terms
from pbem.runtime.transaction import Act, ActKind, Transaction
from pbem.store import hot_statements, queries, tables
from pbem.wars import carry_over_seats
from pbem.wars.declaring import camp_name, leg_name


class _Next(NamedTuple):
    """The next game: place in the war, name, rules, scenario and edition."""

    place: int
    name: str
    system: str
    scenario: str
    edition: PinnedEdition


def open_next_part(tx: Transaction, act: Act) -> None:
    """Open the next camp or leg after a game of a war, or end the war."""
    course = war_progress.war_progress_of(tx, act.game.id)
    if course is None or course.war.state == "over":
        return
    state = act.state if act.state is not None else read_position(tx, act.game).state
    if course.place.camp:
        _after_camp(tx, course, act, state)
    else:
        _after_leg(tx, course, act, state)


def _after_leg(tx: Transaction, course: WarProgress, act: Act, state: object) -> None:
    chain, ledgers = war_progress.chain_after(tx, course, act.game, state)
    war_progress.store_chain(tx, course.war, chain)
    if ledgers is None or course.place.ended.startswith(war_progress.FORSAKEN):
        _end(tx, course, act, chain)
        return
    edition = tx.server.plugins.games(CAMP).made_of(ledgers)
    camp = course.place.leg
    name = camp_name(tx, course.war.id, camp)
    _open(tx, course, act.game, _Next(course.place.place + 1, name, CAMP, CAMP, edition))


def _after_camp(tx: Transaction, course: WarProgress, act: Act, state: Any) -> None:
    if course.place.ended:
        _end(tx, course, act, course.chain)
        return
    chain = finish_camp(course.chain, state.units, state.works)
    war_progress.store_chain(tx, course.war, chain)
    leg = chain.legs[chain.number - 1].scenario
    name = leg_name(tx, course.war.id, chain.number)
    edition = leg_of(course.linked, chain)
    _open(tx, course, act.game, _Next(course.place.place + 1, name, course.war.system, leg, edition))


def _open(tx: Transaction, course: WarProgress, before: tables.Game, next_part: _Next) -> None:
    """Create the next game with the players of the last, and open its first phase."""
    rules, model = tx.server.plugins.games(next_part.system), _model_game(tx, course, before, next_part)
    pace, terms = deadlines.pace_of(model), _terms(model, next_part)
    request = NewGame(next_part.name, next_part.system, next_part.scenario, pace=pace, terms=terms)
    game = founding.store_game(tx, request, rules, next_part.edition)
    course.war.sued = ""
    tx.session.add_all((course.war, tables.WarGame(game_id=game.id, war_id=course.war.id, place=next_part.place)))
    tx.session.flush()
    carry_over_seats.carry_over(tx, before, game, _bots(tx, before, model, next_part))
    log_entries.record_link_to_war(tx, game, course.war.id, before.id)
    seats = queries.games.seats(tx.session, game.id)
    has_shared_points = next_part.system == CAMP and len(seats) > len({seat.side for seat in seats})
    founding.begin_game(tx, game, (*_opening_lines(course, next_part), *((_SHARED,) if has_shared_points else ())))


def _model_game(tx: Transaction, course: WarProgress, before: tables.Game, next_part: _Next) -> tables.Game:
    """Return the game whose terms the next game takes over.

    The model of a leg is the leg before it; the model of a camp is the leg just ended.
    """
    if next_part.system == CAMP:
        return before
    before_it = queries.games.games_of_war(tx.session, course.war.id)[course.place.place - 2]
    return tx.session.get_one(tables.Game, before_it.game_id)


def _terms(model: tables.Game, next_part: _Next) -> Terms:
    """Return the terms: in a camp simultaneous orders, and its own bot for absentees."""
    terms = Terms.read(model.terms)
    if next_part.system != CAMP:
        return terms
    absent = WAIT_FOR_ABSENT if terms.absent == WAIT_FOR_ABSENT else THRIFTY
    return terms._replace(pace="phase", absent=absent, hints="off", reactions="standing")


THRIFTY = "thrifty"
"""The name of the bot that plays camps for absent players."""


def _bots(tx: Transaction, before: tables.Game, model: tables.Game, next_part: _Next) -> dict[str, str]:
    """Return the bots of the seats in the next game: in a leg as in the leg before."""
    seats = queries.games.seats(tx.session, before.id)
    if next_part.system == CAMP:
        return {seat.name: THRIFTY for seat in seats}
    leg_bots = {seat.name: seat.bot for seat in queries.games.seats(tx.session, model.id)}
    default_bot = min(tx.server.plugins.games(next_part.system).bots, default="")
    return {seat.name: leg_bots.get(seat.name) or default_bot for seat in seats}


_SHARED = msg(
    "Its commanders share the points of a side: their sets are carried out by rank, one after another, and only the "
    "form of the first in rank is filled in [K3, M2]."
)
"""Notice to several commanders of a side about a camp."""


def _opening_lines(course: WarProgress, next_part: _Next) -> Sequence[Msg]:
    """Return the first sentences of the next game's first letter."""
    if next_part.system == CAMP:
        return (
            msg(
                "The war {war} goes on with camp {number}: repair what the battle cost.",
                war=course.war.id,
                number=next_part.place // 2,
            ),
            msg("Letters about the camp go to the address of this letter."),
            msg(
                "Both sides write at once, and neither sees what the other orders. HELP orders explains the lines; "
                "points that are left over are lost. SUE FOR PEACE offers the enemy to end the war [K7.1]."
            ),
        )
    return (
        msg("The war {war} goes on with battle {number}.", war=course.war.id, number=(next_part.place + 1) // 2),
        msg("Letters about it go to the address of this letter. Standing orders of the last battle do not hold here."),
    )


def _end(tx: Transaction, course: WarProgress, act: Act, chain: Chain) -> None:
    """K7 End the war and open all sealed orders.

    Players without a last report get a letter.
    """
    course.war.state = "over"
    tx.session.add(course.war)
    tx.session.flush()
    rules = tx.server.plugins.games(course.war.system)
    if act.state is None or course.place.camp:
        block = outcome.verdict_block(chain, outcome.verdict_of(chain, course.place.ended), rules)
        sentence = msg("The war {war} is over.", war=course.war.id)
        verdict = content.sentence_block(block.title, block.lines, whole=True)
        about = msg("the war is over")
        letter = outbox.Announcement(lambda zone: (sentence,), cause="war", kind="over", blocks=(verdict,), what=about)
        outbox.announce_to_all(tx, act.game, None, letter)
    for place in (
        *queries.games.games_of_war(tx.session, course.war.id),
        *queries.games.void_games(tx.session, course.war.id),
    ):
        open_all(tx, act._replace(game=tx.session.get_one(tables.Game, place.game_id)))


def open_all(tx: Transaction, act: Act) -> None:
    """Open a finished game's sealed orders, once, unless its war keeps them."""
    if not queries.log.leaves(tx.session, act.game.id, "disclose"):
        log_entries.record_disclosure(tx, act.game)
        revealed_orders.send_disclosure(tx, act.game)


# K8 Resuming a finished battle or camp: the parts after its end are void, and their players are notified.
#
# The ruling is a REOPEN of a finished game (`moderator.reopen`). This part resets the war to its state
# before that game, restores the seats to their present players, and ends each later part for good.


VOIDED = "ADJUDICATE void"
"""The ruling that ends a void part of a war."""


def resume_part(tx: Transaction, act: Act) -> None:
    """Reset the war to before a game that is resumed, and void the later parts."""
    course = war_progress.war_progress_of(tx, act.game.id)
    if course is None or act.phase is None:
        raise LookupError(f"{act.game.id} is no part of a war that could be taken up at a phase")
    later_games = war_progress.later_parts(tx, act.game)
    if later_games:
        carry_over_seats.restore_seats(tx, later_games[-1], act.game)
    reason = msg("{game} is taken up again at {phase}.", game=act.game.id, phase=history.phase_label(act.phase))
    for game in reversed(later_games):
        _void_part(tx, course, game, (reason, act.cause))
    course.place.ended, course.war.sued = "", ""
    act.game.result = ""
    tx.session.add_all((course.place, course.war, act.game))
    war_progress.store_chain(tx, course.war, _chain_before(tx, course))


def _chain_before(tx: Transaction, course: WarProgress) -> Chain:
    """Return the war before one of its games, from the ends of the earlier ones."""
    chain = chain_from_json(loads(course.war.opening))
    for place in queries.games.games_of_war(tx.session, course.war.id):
        if place.place >= course.place.place:
            break
        chain = _chain_after(tx, WarProgress(course.war, place, chain, course.linked))
    return chain


def _chain_after(tx: Transaction, course: WarProgress) -> Chain:
    """Return the war after one of its finished games."""
    game = tx.session.get_one(tables.Game, course.place.game_id)
    state = read_position(tx, game).state
    if course.place.camp:
        return finish_camp(course.chain, state.units, state.works)
    return war_progress.chain_after(tx, course, game, state)[0]


def _void_part(tx: Transaction, course: WarProgress, game: tables.Game, reasons: tuple[Msg, str]) -> None:
    """Void a part of the war by a ruling of its own.

    It is logged and mailed to the players.
    """
    phase = queries.phases.present_phase(tx.session, game.id)
    last = phase or queries.phases.waiting_phase(tx.session, game.id)
    number = 1 + queries.rulings.last_ruling(tx.session, game.id)
    phase_text = str(outbox.phase_of(last)) if last is not None else ""
    row = tables.Ruling(game_id=game.id, number=number, at=tx.now, phase=phase_text, line=VOIDED, reason=reasons[1])
    hot_statements.insert_object(tx.session, row)
    log_entries.record_ruling(tx, game, row, row.line)
    sentences = (
        msg(
            "Ruling M{ruling}: this part of the war is void, and what was ordered in it counts for nothing [K8].",
            ruling=number,
        ),
        reasons[0],
        *((msg("Reason: {reason}", reason=reasons[1]),) if reasons[1] else ()),
    )

    def opening(zone: str) -> Sequence[Msg]:
        return sentences

    hot_statements.delete_jobs(tx.session, game.id)
    phase_states.end_game(tx.session, game, dumps(sentences[0].to_json()))
    place = tx.session.get_one(tables.WarGame, game.id)
    place.place, place.ended = -1 - len(queries.games.void_games(tx.session, course.war.id)), war_progress.VOID
    tx.session.add(place)
    if phase is not None and phase.state == "open":
        phase_states.break_off(tx, phase)
    tx.session.flush()
    outbox.announce_to_all(tx, game, last, outbox.Announcement(opening, kind="over", cause=f"void {number}"))
    open_all(tx, Act(ActKind.OVER, game))
