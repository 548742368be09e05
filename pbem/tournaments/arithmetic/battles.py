"""E2.3 E2.4 Find a battle by lot, or by the choices of the two at a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pbem.tournaments.arithmetic.entrants import Lots


def battle_lots(names: Iterable[str], lots: Lots, board: int = 0) -> dict[str, int]:
    """Return the lots of battles, the lowest first; of equal ones the first named.

    They are those of a round, or of one board.
    """
    place = f"{board}/" if board else ""
    drawn = {name: lots(f"battle/{place}{name}") for name in names}
    return dict(sorted(drawn.items(), key=lambda pair: pair[1]))


def choose_battle(by_lot: Iterable[str], choices: Sequence[Sequence[str]]) -> str:
    """E2.4 Return the battle of a table, of those in the order of their lots.

    A choice names battles, the best first; all that it does not name share the place after the last.
    """

    def places(name: str) -> list[int]:
        return [[*choice, name].index(name) for choice in choices]

    return min(by_lot, key=lambda name: (max(places(name)), sum(places(name))))
