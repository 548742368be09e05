# Small because it only fills the record; the rules stand in the chapters that it names.
"""Assemble the game's record from the functions and parts of its chapters."""

from __future__ import annotations

from functools import partial

from pbem.engine.data.messages import msg
from pbem.engine.game import Game
from pbem.engine.standard import make_rulebook, record_fields, standard_decisions
from pbem.games.peninsular.apply import edit
from pbem.games.peninsular.bots import BOT_STRENGTHS, BOTS
from pbem.games.peninsular.check import check_orders
from pbem.games.peninsular.doctrine import PRESETS, Doctrine
from pbem.games.peninsular.edition import GAME_FILES, Edition
from pbem.games.peninsular.forecast import ADVICE, FORECAST
from pbem.games.peninsular.form import ORDER_HELP
from pbem.games.peninsular.orders import canon, parse
from pbem.games.peninsular.picture import PICTURES
from pbem.games.peninsular.questions import HELP_TOPICS, REPORTING, option_text
from pbem.games.peninsular.scenario import RULE_CASES, find_faults, read_edition, starting_position
from pbem.games.peninsular.sequence import RULES, WRITING_SEATS, phase_world
from pbem.games.peninsular.state import State, seat_view, seen_event
from pbem.games.peninsular.victory import POSITION_VALUES, awards

GAME: Game[State, Edition] = Game(
    name="peninsular",
    title=msg("Peninsular"),
    easiest="usagre",
    rules=RULES,
    hides_orders=True,
    **record_fields(GAME_FILES, Edition, State),
    edition=read_edition,
    start=starting_position,
    invariants=find_faults,
    active=WRITING_SEATS.active,
    commanders=WRITING_SEATS.commanders,
    parse=parse,
    check=partial(check_orders, RULES),
    canon=canon,
    world=phase_world,
    decisions=partial(standard_decisions, Doctrine),
    view=seat_view,
    see=seen_event,
    telling=REPORTING,
    rulebook=make_rulebook(GAME_FILES, HELP_TOPICS, PRESETS, option_text),
    aids=ORDER_HELP,
    forecast=FORECAST,
    advice=ADVICE,
    scored=POSITION_VALUES,
    edit=edit,
    awards=awards,
    cased=RULE_CASES,
    pictured=PICTURES,
    bots=BOTS,
    levels=BOT_STRENGTHS,
)
