"""E1 Entry as arithmetic: who is in and who waits, what rounds missed and rested are worth, and the order of seeds."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.tournaments.arithmetic.entrants import Entrant, Lots, name_of
from pbem.tournaments.arithmetic.rules.records import Rules

IN, WAITING, FULL = "in", "waiting", "full"


def admitted(rules: Rules, playing: int, waiting: int) -> str:
    """E1 Return what becomes of the next whose code comes: ``in``, ``waiting`` behind others, or ``full``.

    Nobody passes those who wait.
    """
    if playing < rules.entry.places and not waiting:
        return IN
    return WAITING if waiting < rules.entry.waiting else FULL


def may_enter(rules: Rules, round_: int) -> bool:
    """E1.1 Return whether somebody may still enter before a round of the first stage."""
    return round_ <= 1 or round_ <= rules.late_rounds


def _tables(rules: Rules, stage: int) -> int:
    """E5.4 How many tables of a round count for one who plays: two where they are mirrored; a team's match is one."""
    return 2 if rules.stage[stage].sides == "mirror" and not rules.teams.boards else 1


def halves_for_bye(rules: Rules, stage: int = 0) -> int:
    """E7.1 Return the halves of a bye in a stage, from 0: those of a win at every table of a board."""
    return 2 * _tables(rules, stage)


def halves_for_missed(rules: Rules, round_: int, came_back: bool = False) -> int:
    """E1.1 Return the halves with which one begins whose first round this is; none for one who had left."""
    return 0 if came_back else rules.entry.late_points * _tables(rules, 0) * max(0, round_ - 1)


def halves_for_rest(rules: Rules, rested: int, stage: int = 0) -> int:
    """E1.2 Return the halves of a round rested in a stage by one who had rested as often before."""
    return _tables(rules, stage) if rested < rules.limits.half_byes else 0


def seed_label(number: int) -> str:
    """Return the label of the lot by which seeds are drawn; the lower comes first."""
    return f"seed/{name_of(number)}"


def seeded(rules: Rules, entrants: Sequence[Entrant], lots: Lots) -> tuple[Entrant, ...]:
    """E1.3 Return the entrants of the first stage in the order of their seeds: by strength, by entry, or by lot.

    Those who came earlier stand first among those alike.
    """
    by_entry = sorted(entrants, key=lambda one: one.number)
    if rules.entry.seeds == "rating":
        return tuple(sorted(by_entry, key=lambda one: -one.strength))
    return (
        tuple(sorted(by_entry, key=lambda one: lots(seed_label(one.number))))
        if rules.entry.seeds == "lot"
        else tuple(by_entry)
    )
