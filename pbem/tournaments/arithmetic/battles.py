"""E2.3 Find the battle of a round by lot."""

from __future__ import annotations

from collections.abc import Iterable

from pbem.tournaments.arithmetic.entrants import Lots


def battle_lots(names: Iterable[str], lots: Lots) -> dict[str, int]:
    """Return the lots of battles, the lowest first; of equal ones the first named."""
    drawn = {name: lots(f"battle/{name}") for name in names}
    return dict(sorted(drawn.items(), key=lambda pair: pair[1]))
