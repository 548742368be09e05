"""List the functions to call for each kind of act, in order.

The kinds of act are in `runtime.transaction`.
"""

from __future__ import annotations

from collections.abc import Mapping

from pbem.log import witnesses
from pbem.play.commands.table import press
from pbem.runtime.transaction import ActKind, Listener
from pbem.server import observe
from pbem.tournaments import scoring
from pbem.wars import next_battle

LISTENERS: Mapping[ActKind, tuple[Listener, ...]] = {
    ActKind.OPENED: (press.deliver_kept_press, observe.report_to_observers, scoring.wake_for_act),
    ActKind.CLOSED: (witnesses.show_log,),
    ActKind.RESOLVED: (observe.report_letter_to_observers,),
    ActKind.RULED: (scoring.wake_for_act,),
    ActKind.TAKEN_UP: (next_battle.resume_part,),
    ActKind.VACANT: (scoring.wake_for_act,),
    ActKind.OVER: (
        press.deliver_kept_press,
        observe.report_to_observers,
        next_battle.open_next_part,
        scoring.wake_for_act,
    ),
}
