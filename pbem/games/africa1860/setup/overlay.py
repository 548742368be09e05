"""C0 What is looked up in each chart, and what the rules can read there: a chart laid over it must answer that."""

from __future__ import annotations

from collections.abc import Mapping

from pbem.engine.map.overlays import Codes, Wanted

MOST_HEADS = 32
"""More coins than any group of guns can throw; past it an open end is wanted."""
WIDEST = 20
"""More than two totals of a charge can differ by."""
_DIE = tuple(range(1, 7))
_TYPES = ("IR", "NZ", "IL", "CAB", "ART", "CNV", "OF")
_EDGES = ("open", "road", "path", "ford", "bridge", "slope", "parapet")
_NUMBER = Codes(r"\d{1,2}", "a number")

WANTED: Mapping[str, Wanted] = {
    "moves": Wanted(_TYPES, ("spaces",), Codes("[012]", "0, 1 or 2")),
    "edges": Wanted(_EDGES, _TYPES, Codes("yes|no", "yes or no")),
    "stacking": Wanted(("limit",), ("combat", "ART"), _NUMBER),
    "morale": Wanted(_DIE, ("check",), Codes("pass|test|fail", "pass, test or fail")),
    "recovery": Wanted(_DIE, ("try",), Codes("test|fail", "test or fail")),
    "leader": Wanted(_DIE, ("fate",), Codes("safe|lost", "safe or lost")),
    "charge": Wanted(tuple(range(WIDEST + 1)), ("loser", "winner"), _NUMBER),
    "fire": Wanted(
        ("effect",),
        tuple(range(MOST_HEADS + 1)),
        Codes(r"none|M|\dM?", "none, M, or steps with or without M"),
    ),
}
"""By the name of the chart; those left out have modifiers and no grid."""
