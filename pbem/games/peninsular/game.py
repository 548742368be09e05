# Small because it only fills the record; the rules stand in the chapters that it names.
"""Assemble the game's record from the functions and parts of its chapters."""

from __future__ import annotations

from functools import partial

from pbem.engine.data.messages import msg
from pbem.engine.game import Game
from pbem.engine.standard import make_rulebook, record_fields, standard_decisions
from pbem.games.peninsular.apply import edit
from pbem.games.peninsular.bots import BOTS, LEVELS
from pbem.games.peninsular.check import check
from pbem.games.peninsular.doctrine import PRESETS, Doctrine
from pbem.games.peninsular.edition import SHELF, Edition
from pbem.games.peninsular.forecast import ADVICE, FORECAST
from pbem.games.peninsular.form import ORDER_HELP
from pbem.games.peninsular.orders import canon, parse
from pbem.games.peninsular.picture import PICTURED
from pbem.games.peninsular.questions import HELP, REPORTING, option_text
from pbem.games.peninsular.scenario import CASED, invariants, read_edition, start
from pbem.games.peninsular.sequence import RULES, TURNS, phase_world
from pbem.games.peninsular.state import State, see, view
from pbem.games.peninsular.victory import SCORED, awards

GAME: Game[State, Edition] = Game(
    name="peninsular",
    title=msg("Peninsular"),
    easiest="usagre",
    rules=RULES,
    hides_orders=True,
    **record_fields(SHELF, Edition, State),
    edition=read_edition,
    start=start,
    invariants=invariants,
    active=TURNS.active,
    commanders=TURNS.commanders,
    parse=parse,
    check=partial(check, RULES),
    canon=canon,
    world=phase_world,
    decisions=partial(standard_decisions, Doctrine),
    view=view,
    see=see,
    telling=REPORTING,
    rulebook=make_rulebook(SHELF, HELP, PRESETS, option_text),
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
)
