"""STANDINGS, CROSSTABLE, ROUND, RATING with the name of a tournament: how it goes, for anybody; nothing is changed.

Written to the server or from a seat: ``STANDINGS cup60``. What entrants ask is in `questions`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from pbem.engine.data.messages import Msg, msg
from pbem.letters.codes import Asker, Said
from pbem.letters.commands import Form, Line
from pbem.play.commands import command_records
from pbem.play.commands.command_records import Command, Often, for_seat
from pbem.runtime.transaction import Work
from pbem.store import queries, tables
from pbem.tournaments import record
from pbem.tournaments.commands import questions
from pbem.tournaments.commands.levels import public_block

_NAMED = re.compile(r"(?P<event>[a-z0-9-]{1,11})")
_NAMED_ROUND = re.compile(r"(?:r ?(?P<round>\d{1,3}) )?(?P<event>[a-z0-9-]{1,11})")


def _visited(tell: Callable[[Work, tables.Tournament, Asker, Line], Said]) -> Callable[[Work, Asker, Line], Said]:
    """What anybody is told of a tournament that he names."""

    def visit(work: Work, asker: Asker, command: Line) -> Said:
        name = command.rest.split()[-1] if command.rest else ""
        event = queries.tournaments.tournament(work.session, name)
        if event is None or event.state == "draft":
            there = tuple(one.id for one in queries.tournaments.every(work.session) if one.state != "draft")
            return Said(
                "answer",
                (msg("There is no tournament {event}; there are: {events}.", event=name, events=there or ("-",)),),
            )
        return tell(work, event, asker, command)

    return visit


def _standings_visited(work: Work, event: tables.Tournament, asker: Asker, command: Line) -> Said:
    return Said("answer", (), tuple(questions.standing_blocks(work, event, asker.language)))


def _crosstable_visited(work: Work, event: tables.Tournament, asker: Asker, command: Line) -> Said:
    return Said("answer", (), tuple(questions.cross_blocks(work, event, asker.language)))


def _round_visited(work: Work, event: tables.Tournament, asker: Asker, command: Line) -> Said:
    found = questions.round_blocks(work, event, questions.round_of(command.rest), asker.language)
    return Said("answer", (found,)) if isinstance(found, Msg) else Said("answer", (), tuple(found))


def _rating_visited(work: Work, event: tables.Tournament, asker: Asker, command: Line) -> Said:
    pool = record.rules_of(event).rating.pool
    if not pool:
        return Said("answer", (msg("{event} is not rated: its rules name no pool.", event=event.id),))
    found = public_block(work, event, pool)
    if found is None:
        return Said("answer", (msg("Nobody in {event} lets his rating be seen.", event=event.id),))
    return Said("answer", (), (found,))


def _visit(form: Form, tell: Callable[[Work, tables.Tournament, Asker, Line], Said]) -> Command:
    visit = _visited(tell)
    return Command(form, for_seat(visit), visit=visit, often=Often(day=20), served=command_records.has_tournament)


COMMANDS = (
    _visit(
        Form(
            "standings",
            ("STANDINGS", "CLASIFICACION DE", "CLASIFICACION"),
            _NAMED,
            "STANDINGS event",
            "CLASIFICACION torneo",
        ),
        _standings_visited,
    ),
    _visit(
        Form("crosstable", ("CROSSTABLE", "CUADRO DE", "CUADRO"), _NAMED, "CROSSTABLE event", "CUADRO torneo"),
        _crosstable_visited,
    ),
    _visit(Form("round", ("ROUND", "RONDA"), _NAMED_ROUND, "ROUND R2 event", "RONDA R2 torneo"), _round_visited),
    _visit(Form("rating", ("RATING", "NIVEL"), _NAMED, "RATING event", "NIVEL torneo"), _rating_visited),
)
