# Small because it only fills the record; what a camp is stands in the files that it names.
"""Assemble the camp's record.

It has no scenarios, since a war makes its editions.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from pbem.engine.data.messages import msg
from pbem.engine.game import Game
from pbem.engine.game_files import GameFiles
from pbem.engine.orders.doctrine import Plain
from pbem.engine.standard import make_rulebook, record_fields, standard_decisions
from pbem.games.camp.cases import RULE_CASES
from pbem.games.camp.order_help import ORDER_HELP, bot_orders, check_orders
from pbem.games.camp.orders import GRAMMAR, parse
from pbem.games.camp.report import HELP_TOPICS, REPORTING
from pbem.games.camp.state import Edition, State, camp_edition, find_faults, seat_view, seen_event, starting_position
from pbem.games.camp.steps import RULES, camp_world

GAME_FILES = GameFiles("pbem.games.camp", (), {})


def read_edition(scenario: str, options: Mapping[str, str], overlay: Mapping[str, str]) -> Edition:
    """Raise ValueError: a camp needs a war."""
    raise ValueError(f"there is no camp {scenario!r}: camps are made between the legs of a war")


GAME: Game[State, Edition] = Game(
    name="camp",
    title=msg("A camp"),
    rules=RULES,
    **record_fields(GAME_FILES, Edition, State),
    edition=read_edition,
    made_of=camp_edition,
    start=starting_position,
    invariants=find_faults,
    # K3 Both sides order at once.
    active=lambda state: () if state.phase == "over" else tuple(state.edition.seats),
    parse=parse,
    check=check_orders,
    canon=GRAMMAR.canon,
    world=camp_world,
    decisions=partial(standard_decisions, Plain),
    view=seat_view,
    see=seen_event,
    telling=REPORTING,
    rulebook=make_rulebook(GAME_FILES, HELP_TOPICS, {}),
    aids=ORDER_HELP,
    cased=RULE_CASES,
    bots={"thrifty": bot_orders},
)
