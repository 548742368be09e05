"""The table of steps: every task of a half and the function that carries it out, chapter by chapter."""

from __future__ import annotations

from pbem.engine.run.steps import Chapters, Table
from pbem.games.peninsular import (
    arrivals,
    assault,
    cavalry,
    end_phase,
    fire,
    morale,
    movement,
    retreat,
    sequence,
    shock,
    victory,
)
from pbem.games.peninsular.apply import HANDLERS
from pbem.games.peninsular.sequence import DEPLOYING
from pbem.games.peninsular.state import State

STEPS: Table[State] = {
    # K6 deployment
    "deploy order": DEPLOYING.order,
    "not deployed": DEPLOYING.rest,
    "deployment over": DEPLOYING.close,
    # S1 sequence
    "half begins": sequence.begin,
    "half over": sequence.half_over,
    "close phase": sequence.close,
    "pass": sequence.do_nothing,
    "if": sequence.branch,
    "stop": sequence.stop,
    # M2, M4 several commanders
    "order of march": sequence.SETS.march,
    "head of a set": sequence.SETS.head,
    "begin set": sequence.SETS.begin,
    "sets over": sequence.SETS.over,
    "assign order": sequence.SETS.assign,
    "cover order": sequence.SETS.cover,
    # S2-S5 orders, movement, markers
    "division order": movement.division_order,
    "move order": movement.move_order,
    "form order": movement.form_order,
    "limber order": movement.limber_order,
    "face order": movement.face_order,
    "hold fire": movement.hold_fire,
    "assault order": movement.assault_order,
    # T2, S12, S13 morale, retreats, commanders
    "test": morale.try_will,
    "commander": morale.commander,
    "retreat": retreat.retreat,
    "withdraw": retreat.withdraw,
    "bereft": retreat.bereft,
    "lone": retreat.lone,
    # S6, S7 charges and fire
    "charges": assault.charges,
    "charged": assault.charged,
    "charging": assault.charging,
    "defensive fire": assault.defensive_fire,
    "defend": assault.defend,
    "offensive fire": assault.offensive_fire,
    "fire order": assault.fire_order,
    "fire at": fire.fire_at,
    "shot": fire.shot,
    "struck": fire.struck,
    # T6, S8, S9 shock, advance, control
    "shocks": shock.shocks,
    "shock": shock.shock,
    "bleed": shock.bleed,
    "advance": shock.advance,
    "control": cavalry.control,
    "pursue": cavalry.pursue,
    "spent": cavalry.spent,
    # S10-S14 rally and the end of the turn
    "rallies": end_phase.rallies,
    "rally": end_phase.rally,
    "division morale": end_phase.division_morale,
    "division": end_phase.try_division,
    "turn end": end_phase.turn_end,
    "arrivals": arrivals.arrivals,
    "arrival": arrivals.arrival,
    "victory": victory.victory,
}

RULES = Chapters(STEPS, HANDLERS, sequence.ORDER_TASKS)
