"""Check the battles of rounds: in turn or by lot, and in one edition each."""

from __future__ import annotations

from typing import Any

from .bundles import Leaf
from .fields import throw
from .list_checks import rule
from .record import Place
from .tournament_lists import DrawList


def check_battles(checks: Any, place: Place, closed: DrawList, drawn: tuple[list[Leaf], bytes | None]) -> None:
    """Check the battles that the pairs of a draw name.

    `drawn` are the pairs and the secret of the lots, None if it is not proven.
    """
    pairs, beta = drawn
    stage = checks.stage(closed)
    if stage is None:
        if any(pair.get("battle") for pair in pairs):
            checks.say(None, place, "the rules are in no letter: of which battle it is to be is not known")
        return
    ways, names = texts_of(stage, "battle"), texts_of(stage, "scenarios")
    within = round_in_stage(checks, closed)
    if ways and within is None:
        checks.say(None, place, "how many rounds of its stage were before is in no letter: its battle is not checked")
        return
    wanted = ""
    if ways and within is not None:
        way = ways[(within - 1) % len(ways)]
        if way not in ("turn", "lot") or (way == "lot" and beta is None):
            checks.say(None, place, "that its battle follows from the rules and lots is not checked")
            return
        own = names or [rule(checks.rules, "table", "scenario")]
        wanted = battle_by_lot(own, beta or b"") if way == "lot" else own[(within - 1) % len(own)]
    for pair in pairs:
        due = wanted if pair["table"] != "-" else ""
        why = "board {} is of battle {}, and by rules and lots of {}"
        checks.say(pair.get("battle") == due, place, why, pair["board"], pair.get("battle") or "-", due or "-")


def texts_of(stage: dict[str, Any], key: str) -> list[str]:
    """Return a list of texts in rules; empty for anything else."""
    values = stage.get(key)
    return values if isinstance(values, list) and all(isinstance(value, str) for value in values) else []


def battle_by_lot(names: list[str], beta: bytes) -> str:
    """E2.3 Return the battle of the lowest lot; of equal ones the first named."""
    return min(dict.fromkeys(names), key=lambda name: throw(beta, f"battle/{name}", 1, 2**32))


def round_in_stage(checks: Any, closed: DrawList) -> int | None:
    """Return the number of a round in its stage, from 1.

    None if no letter shows where the stage began.
    """
    stage = int(closed.block["stage"])
    if stage == 1:
        return closed.round
    lists = [listed for listed in checks.course.draws.values() if listed.block["game"] == checks.game]
    first = min(listed.round for listed in lists if int(listed.block["stage"]) == stage)
    before = [listed for listed in lists if listed.round == first - 1 and int(listed.block["stage"]) < stage]
    return closed.round - first + 1 if before else None


def check_editions(checks: Any, place: Place) -> None:
    """Check that each battle has one edition, and no other battle has the same."""
    battles: dict[str, set[str]] = {}
    editions: dict[str, set[str]] = {}
    pairs = [leaf for leaf in checks.known if leaf.kind == "pair" and leaf.get("battle")]
    for battle, table in sorted({(pair["battle"], table) for pair in pairs for table in pair["table"].split(" ")}):
        opening = next((leaf for leaf in checks.course.history(table) if leaf.kind == "open" and leaf.known), None)
        if opening is not None:
            battles.setdefault(battle, set()).add(opening["edition"])
            editions.setdefault(opening["edition"], set()).add(battle)
    for battle, several in sorted(battles.items()):
        checks.say(len(several) == 1, place, "the tables of battle {} are of several editions", battle)
    for _, named in sorted(editions.items()):
        checks.say(len(named) == 1, place, "tables of several battles are of one edition: {}", " ".join(sorted(named)))
