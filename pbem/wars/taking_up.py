"""K8 A battle or a camp that was over is taken up again: what had followed from its end is void, and told so.

The ruling that does so is a REOPEN of a game that is over (`moderator.reopen`). Here the war is set back to how it was
before that game, its seats are given to who has them by now, and each part that had followed ends, for good.
"""

from __future__ import annotations

from collections.abc import Sequence

from pbem.engine.data.canon import dumps, loads
from pbem.engine.data.messages import Msg, msg
from pbem.engine.war.chain import Chain, broken_up, chain_in
from pbem.letters import outbox
from pbem.play import log_entries, reruns, war_progress
from pbem.play.positions import position
from pbem.play.war_progress import Course
from pbem.runtime.acts import Act, Kind
from pbem.runtime.transaction import Work
from pbem.store import queries, tables, writes
from pbem.wars import carry_over_seats
from pbem.wars.next_battle import open_all

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
    why = msg("{game} is taken up again at {phase}.", game=act.game.id, phase=reruns.name_of(act.phase))
    for game in reversed(later):
        _make_void(work, course, game, (why, act.cause))
    course.place.ended, course.war.sued = "", ""
    act.game.result = ""
    work.session.add_all((course.place, course.war, act.game))
    war_progress.keep(work, course.war, _chain_before(work, course))


def _chain_before(work: Work, course: Course) -> Chain:
    """Return the war as it was before a game of it, by how the games before that one ended."""
    chain = chain_in(loads(course.war.opening))
    for place in queries.wars.games(work.session, course.war.id):
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
    writes.add_row(work.session, row)
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

    writes.forget_due(work.session, game.id)
    game.state, game.held_why, game.result = "over", "", dumps(told[0].to_json())
    place = work.session.get_one(tables.WarGame, game.id)
    place.place, place.ended = -1 - len(queries.wars.void(work.session, course.war.id)), war_progress.VOID
    work.session.add_all((game, place))
    if phase is not None and phase.state == "open":
        phase.state, phase.closed = "closed", work.now
        work.session.add(phase)
    work.session.flush()
    outbox.to_all(work, game, last, outbox.Circular(opening, kind="over", cause=f"void {number}"))
    open_all(work, Act(Kind.OVER, game))
