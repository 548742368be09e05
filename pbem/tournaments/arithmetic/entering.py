"""E1 Decide entries: admission, points for missed and rested rounds, and seeds."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.tournaments.arithmetic.entrants import Entrant, Lots, entrant_label
from pbem.tournaments.arithmetic.rules.records import TournamentRules

IN, WAITING, FULL = "in", "waiting", "full"


def admission_of_next_entry(rules: TournamentRules, playing: int, waiting: int) -> str:
    """E1 Return the result of the next entry: ``in``, ``waiting`` or ``full``.

    An entry is ``waiting`` while others wait, even if a place is free, and until the director approves it.
    """
    if playing < rules.entry.places and not waiting and not needs_approval(rules):
        return IN
    return WAITING if waiting < rules.entry.waiting else FULL


def needs_approval(rules: TournamentRules) -> bool:
    """E1 Return whether nobody plays before the director has admitted him."""
    return rules.entry.by == "approval"


def may_enter(rules: TournamentRules, round_: int) -> bool:
    """E1.1 Return whether entries before a round of the first stage are allowed."""
    return round_ <= 1 or round_ <= rules.late_rounds


def _tables_per_round(rules: TournamentRules, stage: int) -> int:
    """E5.4 Return how many tables of a round count for one entrant."""
    return 2 if rules.stage[stage].sides == "mirror" and not rules.teams.boards else 1


def half_points_for_bye(rules: TournamentRules, stage: int = 0) -> int:
    """E7.1 Return the half points of a bye: a win at every table.

    `stage` counts from 0.
    """
    return 2 * _tables_per_round(rules, stage)


def half_points_for_missed_rounds(rules: TournamentRules, round_: int, came_back: bool = False) -> int:
    """E1.1 Return the half points given for the rounds before an entrant's first one.

    They are none for a player who had left and `came_back`.
    """
    # Nothing is missed before the first round.
    return 0 if came_back else rules.entry.late_points * _tables_per_round(rules, 0) * max(0, round_ - 1)


def half_points_for_rest(rules: TournamentRules, rested: int, stage: int = 0) -> int:
    """E1.2 Return the half points of a rest after `rested` earlier ones."""
    return _tables_per_round(rules, stage) if rested < rules.limits.half_byes else 0


def seed_lot_label(number: int) -> str:
    """Return the label of the lot for a seed; the lower lot comes first."""
    return f"seed/{entrant_label(number)}"


def seed_entrants(rules: TournamentRules, entrants: Sequence[Entrant], lots: Lots) -> tuple[Entrant, ...]:
    """E1.3 Return the entrants of the first stage by seed.

    The rules seed by strength, by entry or by lot. Among equals the earlier entry comes first.
    """
    by_entry = sorted(entrants, key=lambda entrant: entrant.number)
    if rules.entry.seeds == "rating":
        return tuple(sorted(by_entry, key=lambda entrant: -entrant.strength))
    return (
        tuple(sorted(by_entry, key=lambda entrant: lots(seed_lot_label(entrant.number))))
        if rules.entry.seeds == "lot"
        else tuple(by_entry)
    )
