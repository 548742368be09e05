"""From leg to camp and from camp to leg: what follows from the end of a game of a war, in the same transaction (K0).

Whoever follows names in its first leaf the last leaf of the game before it, and is pinned to an edition that is stored
whole: a camp to the ledgers before and after the leg, a leg to its scenario as camp and ledger have changed it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from pbem.engine.data.canon import dumps, loads
from pbem.engine.data.messages import Msg, msg
from pbem.engine.game import PinnedEdition
from pbem.engine.war.chain import CAMP, Chain, broken_up, chain_in, leg_of
from pbem.letters import content, outbox
from pbem.play import deadlines, history, log_entries, outcome, phase_states, revealed_orders, war_progress
from pbem.play.commands.table import founding
from pbem.play.commands.table.founding import NewGame
from pbem.play.positions import position
from pbem.play.war_progress import Course
from pbem.runtime.terms import WAIT, Terms
from pbem.runtime.transaction import Act, Kind, Work
from pbem.store import hot_statements, queries, tables
from pbem.wars import carry_over_seats
from pbem.wars.declaring import camp_named, leg_named


class _Next(NamedTuple):
    """The game that follows: its place in the war, its name, whose rules, its scenario, its edition."""

    place: int
    name: str
    system: str
    scenario: str
    edition: PinnedEdition


def follow(work: Work, act: Act) -> None:
    """A game is over: open the camp or the leg that follows in its war, or end that; nothing for any other game."""
    course = war_progress.course_of(work, act.game.id)
    if course is None or course.war.state == "over":
        return
    state = act.state if act.state is not None else position(work, act.game).state
    if course.place.camp:
        _after_camp(work, course, act, state)
    else:
        _after_leg(work, course, act, state)


def _after_leg(work: Work, course: Course, act: Act, state: object) -> None:
    chain, between = war_progress.left_by(work, course, act.game, state)
    war_progress.keep(work, course.war, chain)
    if between is None or course.place.ended.startswith(war_progress.FORSAKEN):
        _end(work, course, act, chain)
        return
    edition = work.server.plugins.games(CAMP).made_of(between)
    camp = course.place.leg
    name = camp_named(work, course.war.id, camp)
    _open(work, course, act.game, _Next(course.place.place + 1, name, CAMP, CAMP, edition))


def _after_camp(work: Work, course: Course, act: Act, state: Any) -> None:
    if course.place.ended:
        _end(work, course, act, course.chain)
        return
    chain = broken_up(course.chain, state.units, state.works)
    war_progress.keep(work, course.war, chain)
    leg = chain.legs[chain.number - 1].scenario
    name = leg_named(work, course.war.id, chain.number)
    edition = leg_of(course.linked, chain)
    _open(work, course, act.game, _Next(course.place.place + 1, name, course.war.system, leg, edition))


def _open(work: Work, course: Course, before: tables.Game, wanted: _Next) -> None:
    """Make the game that follows, with the people of the one before it, and open its first phase."""
    rules, model = work.server.plugins.games(wanted.system), _like(work, course, before, wanted)
    pace, terms = deadlines.pace_of(model), _terms(model, wanted)
    made = NewGame(wanted.name, wanted.system, wanted.scenario, pace=pace, terms=terms)
    game = founding.make(work, made, rules, wanted.edition)
    course.war.sued = ""
    work.session.add_all((course.war, tables.WarGame(game_id=game.id, war_id=course.war.id, place=wanted.place)))
    work.session.flush()
    carry_over_seats.take_over(work, before, game, _bots(work, before, model, wanted))
    log_entries.note_link(work, game, course.war.id, before.id)
    seats = queries.games.seats(work.session, game.id)
    several = wanted.system == CAMP and len(seats) > len({seat.side for seat in seats})
    founding.begin(work, game, (*_told(course, wanted), *((_SHARED,) if several else ())))


def _like(work: Work, course: Course, before: tables.Game, wanted: _Next) -> tables.Game:
    """The game whose terms hold: for a leg those of the leg before, for a camp those of the leg that is behind it."""
    if wanted.system == CAMP:
        return before
    before_it = queries.games.games_of_war(work.session, course.war.id)[course.place.place - 2]
    return work.session.get_one(tables.Game, before_it.game_id)


def _terms(model: tables.Game, wanted: _Next) -> Terms:
    """In a camp all orders are carried out together, and its own bot writes for who is away."""
    terms = Terms.read(model.terms)
    if wanted.system != CAMP:
        return terms
    absent = WAIT if terms.absent == WAIT else THRIFTY
    return terms._replace(pace="phase", absent=absent, hints="off", reactions="standing")


THRIFTY = "thrifty"
"""The bot of camps."""


def _bots(work: Work, before: tables.Game, model: tables.Game, wanted: _Next) -> dict[str, str]:
    """What the bots of the seats are called in the game that follows: in a leg as in the leg before."""
    seats = queries.games.seats(work.session, before.id)
    if wanted.system == CAMP:
        return {seat.name: THRIFTY for seat in seats}
    known = {seat.name: seat.bot for seat in queries.games.seats(work.session, model.id)}
    usual = min(work.server.plugins.games(wanted.system).bots, default="")
    return {seat.name: known.get(seat.name) or usual for seat in seats}


_SHARED = msg(
    "Its commanders share the points of a side: their sets are carried out by rank, one after another, and only the "
    "form of the first in rank is filled in [K3, M2]."
)
"""What several commanders of a side are told of a camp."""


def _told(course: Course, wanted: _Next) -> Sequence[Msg]:
    """What heads the first letter of the game that follows."""
    if wanted.system == CAMP:
        return (
            msg(
                "The war {war} goes on with camp {number}: repair what the battle cost.",
                war=course.war.id,
                number=wanted.place // 2,
            ),
            msg("Letters about the camp go to the address of this letter."),
            msg(
                "Both sides write at once, and neither sees what the other orders. HELP orders explains the lines; "
                "points that are left over are lost. SUE FOR PEACE offers the enemy to end the war [K7.1]."
            ),
        )
    return (
        msg("The war {war} goes on with battle {number}.", war=course.war.id, number=(wanted.place + 1) // 2),
        msg("Letters about it go to the address of this letter. Standing orders of the last battle do not hold here."),
    )


def _end(work: Work, course: Course, act: Act, chain: Chain) -> None:
    """K7 The war is over: whoever is not told by a last report gets a letter; what was kept sealed is opened."""
    course.war.state = "over"
    work.session.add(course.war)
    work.session.flush()
    rules = work.server.plugins.games(course.war.system)
    if act.state is None or course.place.camp:
        block = outcome.verdict_block(chain, outcome.verdict_of(chain, course.place.ended), rules)
        told = msg("The war {war} is over.", war=course.war.id)
        shown = content.sentences(block.title, block.lines, whole=True)
        letter = outbox.Circular(lambda zone: (told,), cause="war", kind="over", blocks=(shown,))
        outbox.to_all(work, act.game, None, letter)
    for place in (
        *queries.games.games_of_war(work.session, course.war.id),
        *queries.games.void_games(work.session, course.war.id),
    ):
        open_all(work, act._replace(game=work.session.get_one(tables.Game, place.game_id)))


def open_all(work: Work, act: Act) -> None:
    """Open what was sealed in a game that is over, unless that was done, or its war keeps it sealed."""
    if not queries.log.leaves(work.session, act.game.id, "disclose"):
        log_entries.note_disclosure(work, act.game)
        revealed_orders.disclose(work, act)


# K8 A battle or a camp that was over is taken up again: what had followed from its end is void, and told so.
#
# The ruling that does so is a REOPEN of a game that is over (`moderator.reopen`). Here the war is set back to how it
# was before that game, its seats are given to who has them by now, and each part that had followed ends, for good.


VOIDED = "ADJUDICATE void"
"""The ruling by which a part of a war ends that leads to nothing."""


def take_up(work: Work, act: Act) -> None:
    """Set the war back to before a game that is to be played on, and make void what had followed from its end."""
    course = war_progress.course_of(work, act.game.id)
    if course is None or act.phase is None:
        raise LookupError(f"{act.game.id} is no part of a war that could be taken up at a phase")
    later = war_progress.followers(work, act.game)
    if later:
        carry_over_seats.give_back(work, later[-1], act.game)
    why = msg("{game} is taken up again at {phase}.", game=act.game.id, phase=history.name_of(act.phase))
    for game in reversed(later):
        _make_void(work, course, game, (why, act.cause))
    course.place.ended, course.war.sued = "", ""
    act.game.result = ""
    work.session.add_all((course.place, course.war, act.game))
    war_progress.keep(work, course.war, _chain_before(work, course))


def _chain_before(work: Work, course: Course) -> Chain:
    """Return the war as it was before a game of it, by how the games before that one ended."""
    chain = chain_in(loads(course.war.opening))
    for place in queries.games.games_of_war(work.session, course.war.id):
        if place.place >= course.place.place:
            break
        chain = _chain_after(work, Course(course.war, place, chain, course.linked))
    return chain


def _chain_after(work: Work, course: Course) -> Chain:
    """Return the war as it is after a game of it that is over."""
    game = work.session.get_one(tables.Game, course.place.game_id)
    state = position(work, game).state
    if course.place.camp:
        return broken_up(course.chain, state.units, state.works)
    return war_progress.left_by(work, course, game, state)[0]


def _make_void(work: Work, course: Course, game: tables.Game, why: tuple[Msg, str]) -> None:
    """End a part of the war that leads to nothing by a ruling of its own, which its log and its players are told of."""
    phase = queries.phases.played_phase(work.session, game.id)
    last = phase or queries.phases.closed_phase(work.session, game.id)
    number = 1 + queries.rulings.last_ruling(work.session, game.id)
    at = str(outbox.phase_of(last)) if last is not None else ""
    row = tables.Ruling(game_id=game.id, number=number, at=work.now, phase=at, line=VOIDED, reason=why[1])
    hot_statements.add_row(work.session, row)
    log_entries.note_ruling(work, game, row, row.line)
    told = (
        msg(
            "Ruling M{ruling}: this part of the war is void, and what was ordered in it counts for nothing [K8].",
            ruling=number,
        ),
        why[0],
        *((msg("Reason: {reason}", reason=why[1]),) if why[1] else ()),
    )

    def opening(zone: str) -> Sequence[Msg]:
        return told

    hot_statements.forget_due(work.session, game.id)
    phase_states.end_game(work.session, game, dumps(told[0].to_json()))
    place = work.session.get_one(tables.WarGame, game.id)
    place.place, place.ended = -1 - len(queries.games.void_games(work.session, course.war.id)), war_progress.VOID
    work.session.add(place)
    if phase is not None and phase.state == "open":
        phase_states.break_off(work, phase)
    work.session.flush()
    outbox.to_all(work, game, last, outbox.Circular(opening, kind="over", cause=f"void {number}"))
    open_all(work, Act(Kind.OVER, game))
