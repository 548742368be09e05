"""What HELP tells of this game: its orders and standing orders, each with an example."""

from __future__ import annotations

from collections.abc import Mapping

from pbem.engine.commanders.telling import agreed as commanders
from pbem.engine.couriers.telling import agreed as couriers
from pbem.engine.data.messages import Msg, msg
from pbem.engine.deployment.telling import agreed as deployment
from pbem.games.africa1860.setup.edition import Edition

HELP: Mapping[str, tuple[tuple[int, Msg], ...]] = {
    "orders": (
        (0, msg("The orders of this game; first a space is activated, then its units are ordered:")),
        (1, msg("ACTIVATE Tarajal")),
        (1, msg("MOVE Saboya, Leon WITH Prim TO Nudos")),
        (1, msg("FIRE Montana1+Rodada5 AT Cresta")),
        (1, msg("ASSAULT Cresta WITH Cordoba, Vergara LED BY Prim VANGUARD Cordoba SCREEN Vergara SUPPORT Montana1")),
        (2, msg("SUPPORT: guns of the same space or of any of yours next to the target, a group in one space [R22a]")),
        (1, msg("CHARGE Husares1 AT Valle")),
        (2, msg("over two spaces not behind a ford or bridge [C11.1]")),
        (1, msg("CARACOLE Husares1 AT Valle BACK TO Playa")),
        (1, msg("RETIRE Nizam TO Condesa")),
        (2, msg("towards that rear town, as far as it may [R8a]")),
        (1, msg("DEPLOY Saboya, Leon TO Nudos")),
        (2, msg("before turn 1, in games with deployment [K6]")),
        (1, msg("IF SPACE Cresta MINE ... ELSE ... ENDIF; STOP IF MY STEPS LESS THAN 6; PASS")),
    ),
    "standing": (
        (0, msg("In this game, for ALL, a SPACE, a LEADER or a UNIT:")),
        (1, msg("STANDING FOR SPACE Cresta")),
        (1, msg("WHEN ASSAULTED IF ODDS AT LEAST 2:1 THEN VANGUARD Saboya / INF.STRONGEST ; SCREEN NONE")),
        (1, msg("WHEN APPROACHED IF ENEMY INF 0 THEN APPROACH CHARGE ELSE APPROACH IGNORE")),
        (1, msg("WHEN SHELLED THEN COUNTERBATTERY YES LIMIT 1")),
        (1, msg("WHEN CHARGED THEN VANGUARD Leon")),
        (2, msg("where cavalry charges or caracoles, and where it intercepts a move by a charge [O4a]")),
        (1, msg("ENDSTANDING")),
    ),
    "signs": (
        (
            0,
            msg(
                "IR regular infantry, NZ Nizam (Moroccan regulars), IL light infantry and levies, CAB cavalry,"
                " ART guns, CNV convoy, OF leader."
            ),
        ),
        (
            0,
            msg(
                "fire 3 assault 2 morale 4, 3/4: up to three coins when it fires, never more than its steps [C6],"
                " +2 in the shock, morale 4, three steps of four left."
            ),
        ),
        (0, msg("leader 3/1: +3 in the shock that he leads, +1 to the morale of those in his space.")),
        (
            0,
            msg(
                "4 against 5+0: the die, against morale and the leader's bonus. It passes if it is not higher; a 6"
                " never does."
            ),
        ),
        (
            0,
            msg(
                "On the map [S 4/12 a1 v1 o2]: Spain (M: Morocco), 4 combat units with 12 steps, a guns, v convoys,"
                " o leaders."
            ),
        ),
        (0, msg("In the form: # is no order yet, ## explains the line above, | marks places of which one is meant.")),
    ),
}
"""Lines by topic, with their depth."""


def agreed(edition: Edition) -> tuple[Msg, ...]:
    """Return what the options of an edition mean, but for those that change nothing."""
    found = [_FOG] if edition.options["fog"] == "on" else [_CLEAR]
    if edition.breaking:
        found.append(
            msg("Breaking: a side that has lost {n} in 100 of its steps attacks no more [C12].", n=edition.breaking)
        )
    if edition.zones:
        found.append(deployment("K6"))
    if edition.commands:
        found.append(commanders(edition.ON_COMMANDERS.own))
    if edition.couriers:
        found.append(couriers(edition.ON_COMMANDERS.couriers))
    return (*found, _LOSSES[edition.options["loss_basis"]])


_FOG = msg("Fog is on: of the enemy you see what stands next to your units, and what fights; the rest is hidden.")
_CLEAR = msg("Fog is off: both sides see all units.")
_LOSSES: Mapping[str, Msg] = {
    "defender-stack": msg("Losses in the shock start from half the steps of all defenders [C0, R24]."),
    "defender-vanguard": msg("Losses in the shock start from half the steps of the vanguard in defence [C0, R24]."),
    "opponent-stack": msg("Losses in the shock: each side's from half the steps of its enemy [C0, R24]."),
}
