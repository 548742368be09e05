"""What a list of a draw says of version 2 on: nothing that no leaf before it says, so that nobody varies it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from .bundles import Leaf
from .contest_lists import DrawList, number_of
from .fields import read_json
from .record import Place
from .team_checks import Say, counted_members, team_of_members

_BAR = re.compile("[1-9][0-9]{0,8}[.] BAR e?0*([1-9][0-9]{0,8}) e?0*([1-9][0-9]{0,8}) BECAUSE ")


class Stated(NamedTuple):
    """What was said before a list was shut: leaves, earlier lists, who is gone or rests, texts of leaves by digest.

    `entered` has the last leaf by which each entered, `rules` what `found` opens, None if no letter shows it.
    """

    leaves: list[Leaf]
    lists: Sequence[DrawList]
    gone: set[str]
    resting: set[str]
    texts: dict[str, str]
    entered: dict[str, Leaf]
    rules: Any


def rules_in(text: str | None) -> Any:
    """The rules of a tournament by their text; None if it is none."""
    try:
        return read_json(text) if text is not None else None
    except ValueError:
        return None


def rule(rules: object, table: str, key: str) -> str:
    """A rule as text; "" if there is none."""
    found = rules.get(table) if isinstance(rules, dict) else None
    value = found.get(key) if isinstance(found, dict) else None
    if isinstance(value, str) or not isinstance(value, int | float) or isinstance(value, bool):
        return value if isinstance(value, str) else ""
    return str(int(value)) if abs(value) < 2**53 and value == int(value) else ""


def check_stated(say: Say, place: Place, closed: DrawList, told: Stated) -> None:
    """Every value of a list is one that the leaves before it give."""
    for words in closed.entrants:
        if (leaf := told.entered.get(words[0])) is not None:
            for listed, wanted in zip(listed_values(words), wanted_values(leaf, closed, told), strict=True):
                why = "{} is listed with {}, and the leaves before say {}"
                say(listed == wanted or wanted == "", place, why, words[0], listed, wanted)
    stage, before = int(closed.block["stage"]), int(told.lists[-1].block["stage"]) if told.lists else 0
    again = bool(told.lists) and told.lists[-1].round == closed.round
    say(
        stage == before or (stage == before + 1 and not again),
        place,
        "stage {} does not follow stage {}",
        stage,
        before,
    )
    if told.rules is None:
        say(None, place, "the rules of the tournament are in no letter")
    else:
        boards = rule(told.rules, "teams", "boards")
        why = "a match has {} boards in the list, and {} by the rules"
        say(str(closed.boards) == boards, place, why, closed.boards, boards or "-")
    check_barred(say, place, closed, told)
    check_captains(say, place, closed, told)


def listed_values(words: list[str]) -> list[str]:
    _, _, pace, zone, halves, team, since = words
    return [f"pace {pace}", f"zone {zone}", f"halves {halves}", f"team {team}", f"round {since}"]


def wanted_values(leaf: Leaf, closed: DrawList, told: Stated) -> list[str]:
    """The same as leaves say it; "" where they do not: with what halves one begins a later stage, full mode says."""
    name, stage = leaf["entrant"], closed.block["stage"]
    pace, zone = leaf.get("pace"), leaf.get("zone")
    if leaf.kind == "team":
        enters = {one["entrant"]: one for one in told.leaves if one.kind == "enter"}
        some = [enters[member] for member in counted_members(name, told.leaves, told.gone)]
        pace = str(max((int(one.get("pace") or 0) for one in some), default=24))
        zone = some[0].get("zone") if some else "0"
    halves = f"halves {leaf.get('halves')}"
    same = [one for one in told.lists if one.block["stage"] == stage]
    if stage != "1":
        earlier = [f"halves {words[4]}" for one in same for words in one.entrants if words[0] == name]
        halves = earlier[-1] if earlier else halves if same else ""
    return [f"pace {pace}", f"zone {zone}", halves, "team -", f"round {leaf['round']}"]


def check_barred(say: Say, place: Place, closed: DrawList, told: Stated) -> None:
    """Check that the barred pairs are those that rulings bar."""
    texts = [told.texts.get(leaf["text"].removeprefix("sha256:")) for leaf in told.leaves if leaf.kind == "verdict"]
    if None in texts:
        say(None, place, "a ruling is in no letter: who is barred from whom is not known")
        return
    found = [match for text in texts if (match := _BAR.match(text or ""))]
    numbers = {(min(int(one[1]), int(one[2])), max(int(one[1]), int(one[2]))) for one in found}
    wanted = [(f"e{low}", f"e{high}") for low, high in sorted(numbers) if low != high]
    listed = [pair for pair in wanted if {*pair} <= {*closed.names}]
    shown = " ".join("-".join(pair) for pair in listed) or "-"
    say(closed.barred == listed, place, "the list bars {}, and rulings {}", closed.block["barred"], shown)


def check_captains(say: Say, place: Place, closed: DrawList, told: Stated) -> None:
    """A line-up is what its captain said last for this round or one before, filled up in the order of entry."""
    team_of, away = team_of_members(told.leaves), told.gone | told.resting
    for team, some in closed.lineups.items():
        mine = (leaf for leaf in told.leaves if leaf.kind == "lineup" and leaf["team"] == team)
        by_now = (leaf for leaf in mine if leaf.num("round") <= closed.round)
        said = sorted(by_now, key=lambda leaf: leaf.num("round"))
        named = [] if not said or said[-1]["boards"] == "-" else said[-1]["boards"].split(" ")
        there = sorted((name for name, its in team_of.items() if its == team and name not in away), key=number_of)
        first = [name for name in named if name in there]
        wanted = [*first, *(name for name in there if name not in first)][: closed.boards]
        why = "{} lines up {}, and by its captain {}"
        say(some == wanted, place, why, team, " ".join(some) or "-", " ".join(wanted) or "-")
