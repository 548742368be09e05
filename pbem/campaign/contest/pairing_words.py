"""Why two meet and on which sides, in words: from the reasons that are kept with a round that was drawn (E4, E5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pbem.campaign.contest.tables import in_points, points
from pbem.core.data.canon import loads
from pbem.core.data.messages import Msg, msg
from pbem.store import tables

__all__ = ["why_board"]

Values = Mapping[str, int | str]
Names = Mapping[int, str]


def why_board(round_: tables.Round, board: int, names: Names) -> tuple[tuple[int, Msg], ...]:
    """Why a board was drawn as it was, a line a reason with its rule; nothing for who rests of his own will."""
    pairs = loads(round_.drawn)["pairs"] if round_.drawn else []
    found = next((pair for pair in pairs if pair["board"] == board), None)
    return tuple((1, _line(one, names)) for one in found["why"]) if found is not None else ()


def _line(reason: Mapping[str, Any], names: Names) -> Msg:
    say = _SAID.get((reason["rule"], reason["what"])) or _SAID.get((reason["rule"], ""), _plainly)
    return msg("{why} [{rule}]", why=say(reason["values"], names), rule=reason["rule"])


def _who(label: str, names: Names) -> str:
    """What an entrant is called by his label, ``e3``."""
    return names.get(int(label[1:]), label) if label[1:].isdigit() else label


def _each(values: Values, names: Names, say: Callable[[int], Msg | int]) -> tuple[Msg, ...]:
    return tuple(msg("{who} {value}", who=_who(label, names), value=say(int(value))) for label, value in values.items())


def _points(values: Values, names: Names) -> Msg:
    counts = set(values.values())
    if len(counts) == 1:
        return msg("Both have {points}", points=in_points(int(counts.pop())))
    return msg("Points: {each}", each=_each(values, names, points))


def _owed(values: Values, names: Names) -> Msg:
    return msg("How often the first side is owed: {each}", each=_each(values, names, lambda value: value))


def _lots(values: Values, names: Names) -> Msg:
    lots = tuple(msg("{label} {lot}", label=label.removeprefix("lot/"), lot=str(lot)) for label, lot in values.items())
    return msg("Lots {lots}: the lowest sum of all decided", lots=lots)


def _side_lot(values: Values, names: Names) -> Msg:
    lots = tuple(msg("{label} {lot}", label=label, lot=str(lot)) for label, lot in values.items())
    return msg("Sides by lot: {lots}; even, and the lower number has the first", lots=lots)


def _alternate(values: Values, names: Names) -> Msg:
    return msg("As much is owed to both: each has the side other than when they last differed")


def _bye(values: Values, names: Names) -> Msg:
    lots = tuple(str(value) for label, value in values.items() if label.startswith("bye/"))
    return msg("One was over: fewest byes ({before}), fewest points ({points}), lot {lot}", before=values["before"],
               points=points(int(values["points"])), lot=lots)  # fmt: skip


def _plainly(values: Values, names: Names) -> Msg:
    return msg("by {values}", values=tuple(f"{label} {value}" for label, value in values.items()) or ("-",))


_SAID: Mapping[tuple[str, str], Callable[[Values, Names], Msg]] = {
    ("E4.1", ""): lambda values, names: msg("No pairing without such a pair was possible"),
    ("E4.2", ""): _owed,
    ("E4.3", ""): _points,
    ("E4.4", ""): lambda values, names: msg("One of the two meets somebody with more points, the other with fewer"),
    ("E4.5", ""): lambda values, names: msg("Both are of one half of those with as many points"),
    ("E4.6", ""): lambda values, names: msg("Pace and hour are apart"),
    ("E4.7", ""): _lots,
    ("E4.8", ""): _bye,
    ("E5.1", ""): _owed,
    ("E5.2", ""): _alternate,
    ("E5.3", "mirror"): lambda values, names: msg("Each has both sides, at two tables"),
    ("E5.3", ""): _side_lot,
}
"""What is said of a reason, by its rule and perhaps its word."""
