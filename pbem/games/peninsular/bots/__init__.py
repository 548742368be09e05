"""The bots of the game by name: ``forward`` plays to win, ``random`` does anything legal."""

from __future__ import annotations

from functools import partial

from pbem.core.bots import Bots
from pbem.games.peninsular.bots.at_random import random_orders
from pbem.games.peninsular.bots.forward import forward_orders
from pbem.games.peninsular.orders.check import check
from pbem.games.peninsular.orders.grammar import canon
from pbem.games.peninsular.orders.reading import in_order, parse
from pbem.games.peninsular.phase.steps import RULES
from pbem.kit.bots import Desk, checked

_DESK = Desk(parse, in_order, partial(check, RULES), canon)

BOTS: Bots = {name: checked(bot, _DESK) for name, bot in {"forward": forward_orders, "random": random_orders}.items()}
