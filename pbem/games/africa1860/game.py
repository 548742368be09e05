"""Assemble the game: one record of the functions and parts of its chapters."""

from __future__ import annotations

from functools import partial

from pbem.engine.data.messages import msg
from pbem.engine.game import Game
from pbem.engine.standard import make_rulebook, record_fields
from pbem.games.africa1860.advice import ADVICE
from pbem.games.africa1860.apply import edit
from pbem.games.africa1860.bots import BOT_STRENGTHS, BOTS
from pbem.games.africa1860.check import check_orders
from pbem.games.africa1860.choices import ORDER_HELP
from pbem.games.africa1860.doctrine import PRESETS, make_doctrine
from pbem.games.africa1860.edition import GAME_FILES, Edition
from pbem.games.africa1860.forecast import FORECAST
from pbem.games.africa1860.orders import canon, parse
from pbem.games.africa1860.picture import PICTURES
from pbem.games.africa1860.questions import HELP_TOPICS, REPORTING, option_texts
from pbem.games.africa1860.scenario import RULE_CASES, read_edition, starting_position
from pbem.games.africa1860.sequence import RULES, WRITING_SEATS, phase_world, waiting_phase
from pbem.games.africa1860.state import State, find_faults
from pbem.games.africa1860.victory import POSITION_VALUES, awards
from pbem.games.africa1860.view import courier_delay, seat_view, seen_event
from pbem.games.africa1860.war import WAR_PARTS

GAME: Game[State, Edition] = Game(
    name="africa1860",
    title=msg("Africa 1859-60"),
    easiest="castillejos",
    rules=RULES,
    by_letter=True,
    **record_fields(GAME_FILES, Edition, State),
    edition=read_edition,
    start=starting_position,
    invariants=find_faults,
    phase=waiting_phase,
    active=WRITING_SEATS.active,
    commanders=WRITING_SEATS.commanders,
    rides=courier_delay,
    parse=parse,
    check=partial(check_orders, RULES),
    canon=canon,
    world=phase_world,
    decisions=make_doctrine,
    view=seat_view,
    see=seen_event,
    telling=REPORTING,
    rulebook=make_rulebook(GAME_FILES, HELP_TOPICS, PRESETS, option_texts),
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
    linked=WAR_PARTS,
)
