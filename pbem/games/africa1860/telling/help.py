"""What HELP tells of this game: its orders and standing orders, each with an example."""

from __future__ import annotations

from collections.abc import Mapping

from pbem.core.data.messages import Msg, msg

__all__ = ["HELP"]

HELP: Mapping[str, tuple[tuple[int, Msg], ...]] = {
    "orders": (
        (0, msg("The orders of this game; first a space is activated, then its units are ordered:")),
        (1, msg("ACTIVATE Ceuta")),
        (1, msg("MOVE Saboya, Leon WITH Prim TO Serrallo")),
        (1, msg("FIRE Art1+Art2 AT Sierra")),
        (1, msg("ASSAULT Sierra WITH Cordoba, Vergara LED BY Prim VANGUARD Cordoba SCREEN Vergara SUPPORT Art3")),
        (2, msg("SUPPORT: guns of the same space or of any of yours next to the target, a group in one space [R22a]")),
        (1, msg("CHARGE Husares AT Campamento")),
        (2, msg("over two spaces not behind a ford or bridge [C11.1]")),
        (1, msg("CARACOLE Husares AT Valle BACK TO Playa")),
        (1, msg("RETIRE Nizam2 TO Tetuan")),
        (2, msg("towards that rear town, as far as it may [R8a]")),
        (1, msg("IF SPACE Sierra MINE ... ELSE ... ENDIF; STOP IF MY STEPS LESS THAN 6; PASS")),
    ),
    "standing": (
        (0, msg("In this game, for ALL, a SPACE, a LEADER or a UNIT:")),
        (1, msg("STANDING FOR SPACE Sierra")),
        (1, msg("WHEN ASSAULTED IF ODDS AT LEAST 2:1 THEN VANGUARD Saboya / INF.STRONGEST ; SCREEN NONE")),
        (1, msg("WHEN APPROACHED IF ENEMY INF 0 THEN APPROACH CHARGE ELSE APPROACH IGNORE")),
        (1, msg("WHEN SHELLED THEN COUNTERBATTERY YES LIMIT 1")),
        (1, msg("WHEN CHARGED THEN VANGUARD Leon")),
        (2, msg("where cavalry charges or caracoles, and where it intercepts a move by a charge [O4a]")),
        (1, msg("ENDSTANDING")),
    ),
}
"""Lines by topic, with their depth."""
