"""Assemble the game: one record of the functions and parts of its chapters."""

from __future__ import annotations

from functools import partial

from pbem.engine.data.messages import msg
from pbem.engine.game import Game
from pbem.engine.standard import make_rulebook, record_fields
from pbem.games.africa1860.advice import ADVICE
from pbem.games.africa1860.apply import edit
from pbem.games.africa1860.bots import BOTS, LEVELS
from pbem.games.africa1860.check import check
from pbem.games.africa1860.choices import ORDER_HELP
from pbem.games.africa1860.doctrine import PRESETS, decide
from pbem.games.africa1860.edition import SHELF, Edition
from pbem.games.africa1860.forecast import FORECAST
from pbem.games.africa1860.orders import canon, parse
from pbem.games.africa1860.picture import PICTURED
from pbem.games.africa1860.questions import HELP, REPORTING, option_texts
from pbem.games.africa1860.scenario import CASED, read_edition, start
from pbem.games.africa1860.sequence import RULES, TURNS, phase_of, phase_world
from pbem.games.africa1860.state import State, invariants
from pbem.games.africa1860.victory import SCORED, awards
from pbem.games.africa1860.view import courier_delay, see, view
from pbem.games.africa1860.war import LINKED

GAME: Game[State, Edition] = Game(
    name="africa1860",
    title=msg("Africa 1859-60"),
    easiest="castillejos",
    rules=RULES,
    by_letter=True,
    **record_fields(SHELF, Edition, State),
    edition=read_edition,
    start=start,
    invariants=invariants,
    phase=phase_of,
    active=TURNS.active,
    commanders=TURNS.commanders,
    rides=courier_delay,
    parse=parse,
    check=partial(check, RULES),
    canon=canon,
    world=phase_world,
    decisions=decide,
    view=view,
    see=see,
    telling=REPORTING,
    rulebook=make_rulebook(SHELF, HELP, PRESETS, option_texts),
    aids=ORDER_HELP,
    forecast=FORECAST,
    advice=ADVICE,
    scored=SCORED,
    edit=edit,
    awards=awards,
    cased=CASED,
    pictured=PICTURED,
    bots=BOTS,
    levels=LEVELS,
    linked=LINKED,
)
