"""List the functions to call for each kind of act, in order.

The kinds of act are in `runtime.transaction`.
"""

from __future__ import annotations

from collections.abc import Mapping

from pbem.log import witnesses
from pbem.play import revealed_orders
from pbem.play.commands.table import press
from pbem.runtime.transaction import Kind, Listener
from pbem.server import observe
from pbem.tournaments import scoring
from pbem.wars import next_battle

LISTENERS: Mapping[Kind, tuple[Listener, ...]] = {
    Kind.OPENED: (press.deliver_kept, observe.report, scoring.wake_for_act),
    Kind.CLOSED: (witnesses.show_log,),
    Kind.RESOLVED: (observe.report_letter,),
    Kind.RULED: (scoring.wake_for_act,),
    Kind.TAKEN_UP: (next_battle.resume_part,),
    Kind.VACANT: (scoring.wake_for_act,),
    Kind.OVER: (
        press.deliver_kept,
        observe.report,
        revealed_orders.send_disclosure,
        next_battle.open_next_part,
        scoring.wake_for_act,
    ),
}
