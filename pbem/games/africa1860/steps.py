"""The table of steps: every task of a phase and the function that carries it out, chapter by chapter."""

from __future__ import annotations

from pbem.engine.run.steps import Chapters, Table
from pbem.games.africa1860 import assault, cavalry, end_phase, fire, morale, movement, sequence, shock, victory
from pbem.games.africa1860.apply import HANDLERS
from pbem.games.africa1860.sequence import DEPLOYING
from pbem.games.africa1860.state import State
from pbem.games.africa1860.view import COURIERS

STEPS: Table[State] = {
    # K6 deployment
    "deploy order": DEPLOYING.order,
    "not deployed": DEPLOYING.rest,
    "deployment over": DEPLOYING.close,
    # O1-O6 sequence
    "begin phase": sequence.begin,
    "close phase": sequence.close,
    "activate": sequence.activate,
    "next letter": sequence.next_letter,
    "pass": sequence.do_nothing,
    "if": sequence.branch,
    "stop": sequence.stop,
    # M2, M4 several commanders
    "order of march": sequence.SETS.march,
    "head of a set": sequence.SETS.head,
    "begin set": sequence.SETS.begin,
    "sets over": sequence.SETS.over,
    "assign order": sequence.SETS.assign,
    "show set": sequence.SETS.show,
    # M6 couriers
    "couriers": COURIERS.step,
    "cover order": sequence.SETS.cover,
    # O3, O4 movement and interception
    "move order": movement.move_order,
    "retire order": movement.retire_order,
    "enter": movement.enter,
    "intercept": movement.intercept,
    "fall back": movement.fall_back,
    # C4, C6, O7 morale and fire
    "check": morale.check,
    "volley": fire.volley,
    "fire order": fire.fire_order,
    "shot": fire.shot,
    "counterbattery": fire.counterbattery,
    # O8 assault
    "assault order": assault.assault_order,
    "begin": assault.begin_assault,
    "name roles": assault.name_roles,
    "cavalry": cavalry.cavalry,
    "sally": cavalry.sally,
    "screen hit": cavalry.screen_hit,
    "countercharge": cavalry.countercharge,
    "caracole order": cavalry.caracole_order,
    "caracole": cavalry.caracole,
    "screens": assault.screens,
    "compare screens": assault.compare_screens,
    "rejoin": assault.rejoin,
    "support": assault.support,
    "support fire": assault.support_fire,
    "defending guns": assault.defending_guns,
    "defending vanguard": assault.defending_vanguard,
    "settle": assault.settle,
    "shock": shock.shock,
    "losses": shock.losses,
    "give way": morale.give_way,
    "victorious leader": morale.victorious_leader,
    # O6, O9, C12 end phase
    "breaking": victory.breaking,
    "recovery": end_phase.recovery,
    "recover": end_phase.recover,
    "reinforcements": end_phase.reinforcements,
    "replacements": end_phase.replacements,
    "markers off": end_phase.markers_off,
    "victory": victory.victory,
}

RULES = Chapters(STEPS, HANDLERS, sequence.ORDER_TASKS)
