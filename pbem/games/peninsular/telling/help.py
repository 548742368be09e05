"""What HELP tells of this game: its orders and standing orders, each with an example."""

from __future__ import annotations

from collections.abc import Mapping

from pbem.engine.commanders.telling import agreed as commanders
from pbem.engine.data.messages import Msg, msg
from pbem.engine.deployment.telling import agreed as deployment
from pbem.games.peninsular.setup.edition import Edition

HELP: Mapping[str, tuple[tuple[int, Msg], ...]] = {
    "orders": (
        (0, msg("The orders of this game; a letter holds everything for its half:")),
        (1, msg("ORDER Leval ATTACK | MANOEUVRE | HOLD | REORGANISE")),
        (1, msg("MOVE 1/54 1907 1807 1708 FACE SW")),
        (1, msg("MOVE 1/54, 2/54 TO 1708 FORM SKIRMISH")),
        (2, msg("TO finds the cheapest way that all of them can pay; the receipt writes it out (S4a)")),
        (2, msg("a commander or skirmisher who joins others does not turn them (S3a)")),
        (2, msg("beside the one battalion of a wood or a city skirmishers and horse may stand (S4b, CHART T3)")),
        (1, msg("FORM 1/54 SQUARE; FACE 1/54 NW; LIMBER LevalArt; UNLIMBER LevalArt")),
        (1, msg("FIRE LevalArt AT 1507")),
        (2, msg("guns that a P has halted may fire in this turn still, not in the next (S7a)")),
        (1, msg("ASSAULT 1508 WITH 1/8, 2/8 LED BY 1/8")),
        (1, msg("CHARGE 1Drag AT 1508")),
        (1, msg("DEPLOY 1/54, 2/54 TO 1908 FACE SW")),
        (2, msg("before turn 1, in games with deployment [K6]")),
        (1, msg("IF HEX 1508 MINE ... ELSE ... ENDIF; STOP IF MY PF LESS THAN 20; PASS")),
    ),
    "standing": (
        (0, msg("In this game, for ALL, a HEX, a LEADER or a UNIT:")),
        (1, msg("STANDING FOR UNIT 1/54")),
        (1, msg("WHEN CHARGED THEN SQUARE (or STAND)")),
        (1, msg("WHEN ASSAULTED THEN FIRE ASSAULTERS (or NEAREST)")),
        (1, msg("FIRE AT WILL (or HOLD); RETREAT 1 (or 2); ADVANCE YES (or NO); RALLY YES (or NO)")),
        (1, msg("WHEN ASSAULTED THEN LED BY 1/54 / INF.STRONGEST")),
        (1, msg("ENDSTANDING")),
    ),
    "signs": (
        (
            0,
            msg(
                "inf battalion, cav regiment, art battery, cmd commander. PF: strength, of about 100 foot or 50 horse."
            ),
        ),
        (0, msg("5/7 B 0408 facing N: PF left of how many, will from A (best) to F, hex (column 04, row 08), front.")),
        (0, msg("art factor 6: fire points before range. cmd 2/1 range 3: morale, shock, command range in hexes.")),
        (
            0,
            msg(
                "D disordered, DE routed, SE no effect. CHART T5 tells what P, M, R, 1M are, CHART T6 AR1, DR2 and BM."
            ),
        ),
        (0, msg("11/2 to 5: strengths in fractions, as terrain divides them by 2 or 1.5 [T1].")),
        (0, msg("In the form: # is no order yet, | marks places of which one is meant.")),
    ),
}
"""Lines by topic, with their depth."""


def agreed(edition: Edition) -> tuple[Msg, ...]:
    """Return what the options of an edition mean, but for those that change nothing."""
    found = [deployment("K6")] if edition.zones else []
    return (*found, commanders(edition.ON_COMMANDERS.own)) if edition.commands else (*found,)
