"""List the bots of the game: ``forward`` plays to win.

``random`` gives any legal order.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from pbem.engine.bots import Bots, OrderFunctions, drop_refused_lines
from pbem.engine.data.messages import Msg, msg
from pbem.games.peninsular.bots.at_random import random_orders
from pbem.games.peninsular.bots.forward import forward_orders
from pbem.games.peninsular.bots.marshal import marshal_orders
from pbem.games.peninsular.check import check_orders
from pbem.games.peninsular.orders import canon, in_play_order, parse
from pbem.games.peninsular.sequence import RULES

_DESK = OrderFunctions(parse, in_play_order, partial(check_orders, RULES), canon)

BOT_STRENGTHS: Mapping[str, Msg] = {
    "random": msg("orders at random, to try things out"),
    "forward": msg("it plays to win"),
    "marshal": msg("the strongest: it thinks ahead"),
}
"""The strength of each bot, the weakest first (docs/balance.md)."""

_WRITERS: Bots = {"forward": forward_orders, "random": random_orders, "marshal": marshal_orders}

BOTS: Bots = {name: drop_refused_lines(bot, _DESK) for name, bot in _WRITERS.items()}
