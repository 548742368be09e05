"""Check that every value of a draw's list follows from earlier leaves.

This is checked from version 2 on, so that nobody can vary the list to vary the lots.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from .bundles import Leaf
from .fields import read_json
from .record import LogPlace
from .team_checks import Say, members_for_strength, rulings_not_undone, team_of_members
from .tournament_lists import DrawList, number_of

# The numbered line of a ruling as the log has it; only its fixed English form counts.
_BAR = re.compile("[1-9][0-9]{0,8}[.] BAR [Ee]?0*([1-9][0-9]{0,8}) [Ee]?0*([1-9][0-9]{0,8}) BECAUSE ")


class ListSources(NamedTuple):
    """The facts known before a list was shut.

    `lists` are earlier lists, `gone` and `resting` are entrants, `texts` are the texts of leaves by digest.
    `entered` has the last leaf by which each entrant entered, `rules` are the rules of the leaf `found`, None if no
    letter shows them.
    """

    leaves: list[Leaf]
    lists: Sequence[DrawList]
    gone: set[str]
    resting: set[str]
    texts: dict[str, str]
    entered: dict[str, Leaf]
    rules: Any


def rules_in(text: str | None) -> Any:
    """Parse the rules of a tournament, if it has any."""
    try:
        return read_json(text) if text is not None else None
    # Rules that are no JSON fix nothing that could be checked.
    except ValueError:
        return None


def rule_as_text(rules: object, table: str, key: str) -> str:
    """Return a rule as text, or ""."""
    section = rules.get(table) if isinstance(rules, dict) else None
    value = section.get(key) if isinstance(section, dict) else None
    if isinstance(value, str) or not isinstance(value, int | float) or isinstance(value, bool):
        return value if isinstance(value, str) else ""
    # A number in JSON is exact for every reader only below 2^53 (RFC 8259, section 6).
    return str(int(value)) if abs(value) < 2**53 and value == int(value) else ""


def pattern_of_admitting_rulings(rules: object, name: str) -> str:
    """Return the rulings that let an entrant in; "" where nobody has to."""
    number = f"E?0*{name[1:]}"
    return (
        f"ADMIT {number}|SUBSTITUTE E?0*[0-9]+ BY {number}" if rule_as_text(rules, "entry", "by") == "approval" else ""
    )


def check_list_values(say: Say, place: LogPlace, closed: DrawList, sources: ListSources) -> None:
    """Check that earlier leaves give every value of a list."""
    for words in closed.entrants:
        if (leaf := sources.entered.get(words[0])) is not None:
            for listed, wanted in zip(values_in_list_line(words), values_by_leaves(leaf, closed, sources), strict=True):
                why = "{} is listed with {}, and the leaves before say {}"
                say(listed == wanted or wanted == "", place, why, words[0], listed, wanted)
    stage, before = int(closed.block["stage"]), int(sources.lists[-1].block["stage"]) if sources.lists else 0
    redrawn = bool(sources.lists) and sources.lists[-1].round == closed.round
    say(
        stage == before or (stage == before + 1 and not redrawn),
        place,
        "stage {} does not follow stage {}",
        stage,
        before,
    )
    if sources.rules is None:
        say(None, place, "the rules of the tournament are in no letter")
    else:
        boards = rule_as_text(sources.rules, "teams", "boards")
        why = "a match has {} boards in the list, and {} by the rules"
        say(str(closed.boards) == boards, place, why, closed.boards, boards or "-")
    check_barred(say, place, closed, sources)
    check_captains(say, place, closed, sources)


def values_in_list_line(words: list[str]) -> list[str]:
    _, _, pace, zone, halves, team, since = words
    return [f"pace {pace}", f"zone {zone}", f"halves {halves}", f"team {team}", f"round {since}"]


def values_by_leaves(leaf: Leaf, closed: DrawList, sources: ListSources) -> list[str]:
    """Return the values that leaves give for an entrant's line; "" if they give none.

    Full mode checks the half points with which an entrant begins a later stage.
    """
    name, stage = leaf["entrant"], closed.block["stage"]
    pace, zone = leaf.get("pace"), leaf.get("zone")
    if leaf.kind == "team":
        enters = {entry["entrant"]: entry for entry in sources.leaves if entry.kind == "enter"}
        member_entries = [enters[member] for member in members_for_strength(name, sources.leaves, sources.gone)]
        pace = str(max((int(entry.get("pace") or 0) for entry in member_entries), default=24))
        zone = member_entries[0].get("zone") if member_entries else "0"
    halves = f"halves {leaf.get('halves')}"
    stage_lists = [listed for listed in sources.lists if listed.block["stage"] == stage]
    if stage != "1":
        earlier = [f"halves {words[4]}" for listed in stage_lists for words in listed.entrants if words[0] == name]
        halves = earlier[-1] if earlier else halves if stage_lists else ""
    return [f"pace {pace}", f"zone {zone}", halves, "team -", f"round {leaf['round']}"]


def check_barred(say: Say, place: LogPlace, closed: DrawList, sources: ListSources) -> None:
    """Check that the barred pairs are those barred by rulings."""
    texts = rulings_not_undone(sources.leaves, sources.texts)
    if texts is None:
        say(None, place, "a ruling is in no letter: who is barred from whom is not known")
        return
    matches = [match for text in texts if (match := _BAR.match(text))]
    numbers = {(min(int(match_[1]), int(match_[2])), max(int(match_[1]), int(match_[2]))) for match_ in matches}
    wanted = [(f"e{low}", f"e{high}") for low, high in sorted(numbers) if low != high]
    listed = [pair for pair in wanted if {*pair} <= {*closed.names}]
    shown = " ".join("-".join(pair) for pair in listed) or "-"
    say(closed.barred == listed, place, "the list bars {}, and rulings {}", closed.block["barred"], shown)


def check_captains(say: Say, place: LogPlace, closed: DrawList, sources: ListSources) -> None:
    """Check each line-up against its captain's last letter.

    That is for this round or an earlier one. Missing places are filled up in the order of entry.
    """
    team_of, away = team_of_members(sources.leaves), sources.gone | sources.resting
    for team, members in closed.lineups.items():
        line_ups = (leaf for leaf in sources.leaves if leaf.kind == "lineup" and leaf["team"] == team)
        by_now = (leaf for leaf in line_ups if leaf.num("round") <= closed.round)
        # By round: the last line-up so far counts.
        latest = sorted(by_now, key=lambda leaf: leaf.num("round"))
        chosen = [] if not latest or latest[-1]["boards"] == "-" else latest[-1]["boards"].split(" ")
        available = sorted(
            (name for name, team_name in team_of.items() if team_name == team and name not in away),
            key=number_of,
        )
        first = [name for name in chosen if name in available]
        wanted = [*first, *(name for name in available if name not in first)][: closed.boards]
        why = "{} lines up {}, and by its captain {}"
        say(members == wanted, place, why, team, " ".join(members) or "-", " ".join(wanted) or "-")
