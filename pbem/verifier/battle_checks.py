"""Check the battles of rounds: in turn, by lot or chosen, in one edition each."""

from __future__ import annotations

from typing import Any

from .bundles import Leaf
from .fields import throw_dice
from .list_checks import rule_as_text
from .record import LogPlace
from .tournament_lists import DrawList


def check_battles(checks: Any, place: LogPlace, closed: DrawList, drawn: tuple[list[Leaf], bytes | None]) -> None:
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
    way = ways[(within - 1) % len(ways)] if ways and within is not None else ""
    if way not in ("", "turn", "lot", "choice") or (way in ("lot", "choice") and beta is None):
        checks.say(None, place, "that its battle follows from the rules and lots is not checked")
        return
    own = list(dict.fromkeys(names)) if way in ("lot", "choice") and names else names
    own = own or [rule_as_text(checks.rules, "table", "scenario")]
    if way == "choice":
        check_choices(checks, place, pairs, (own, beta or b""))
        return
    wanted = order_by_lot(own, beta or b"")[0] if way == "lot" else own[((within or 1) - 1) % len(own)] if way else ""
    for pair in pairs:
        due = wanted if pair["table"] != "-" else ""
        say_battle(checks, place, pair, due)


def say_battle(checks: Any, place: LogPlace, pair: Leaf, due: str) -> None:
    """Check that a pair names the battle that is due, and nothing else."""
    why = "board {} is of battle {}, and by rules, lots and choices of {}"
    checks.say(pair.get("battle") == due, place, why, pair["board"], pair.get("battle") or "-", due or "-")


def check_choices(checks: Any, place: LogPlace, pairs: list[Leaf], drawn: tuple[list[str], bytes]) -> None:
    """E2.4 Check that each board is of the battle that its two players' choices give.

    `drawn` are the battles and the secret of the lots.
    """
    names, beta = drawn
    chosen: dict[str, str] = {}
    for pair in pairs:
        board, named = pair["board"], pair.get("battle")
        battle, *choices = named.split(" ") if named else [""]
        if not choices:
            # Until the choice nothing is named, and what was chosen stands for who comes after.
            say_battle(checks, place, pair, chosen.get(board, "") if pair["table"] != "-" else "")
            continue
        checks.say(board not in chosen, place, "the battle of board {} was chosen twice", board)
        lists = [[] if text == "-" else text.split(",") for _, _, text in (word.partition(":") for word in choices)]
        good = [word.partition(":")[0] for word in choices] == [pair["first"], pair["second"]]
        good &= all({*listed} <= {*names} and len({*listed}) == len(listed) for listed in lists)
        checks.say(good, place, "the choices of board {} are of others, or of battles that are not there", board)
        due = choose_battle(order_by_lot(names, beta, f"{board}/"), lists)
        say_battle(checks, place, pair, " ".join([due, *choices]))
        chosen[board] = battle
    for pair in pairs:
        if pair["board"] not in chosen and pair["table"] != "-":
            check_unchosen(checks, place, pair)


def check_unchosen(checks: Any, place: LogPlace, pair: Leaf) -> None:
    """Check that a board without a chosen battle was not played."""
    tables = pair["table"].split(" ")
    played = [leaf for leaf in checks.known if leaf.kind == "score" and leaf["table"] in tables and leaf["leaf"] != "-"]
    if played:
        why = "board {} was played, and no leaf says that its battle was chosen"
        checks.say(checks.false_if_gapless(played[0].seq), place, why, pair["board"])


def choose_battle(by_lot: list[str], choices: list[list[str]]) -> str:
    """E2.4 Return the battle that two choices give, of those in the order of lots.

    Its worse place in them is the best, then the sum of both.
    """

    def worse_and_sum(name: str) -> tuple[int, int]:
        places = [choice.index(name) if name in choice else len(choice) for choice in choices]
        return max(places), sum(places)

    return min(by_lot, key=worse_and_sum)


def texts_of(stage: dict[str, Any], key: str) -> list[str]:
    """Return a list of texts in rules; empty for anything else."""
    values = stage.get(key)
    return values if isinstance(values, list) and all(isinstance(value, str) for value in values) else []


def order_by_lot(names: list[str], beta: bytes, board: str = "") -> list[str]:
    """E2.3 Return battles by rising lots; of equal ones the first named is first."""
    return sorted(names, key=lambda name: throw_dice(beta, f"battle/{board}{name}", 1, 2**32))


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


def check_editions(checks: Any, place: LogPlace) -> None:
    """Check that each battle has one edition, and no other battle has the same."""
    battles: dict[str, set[str]] = {}
    editions: dict[str, set[str]] = {}
    pairs = [leaf for leaf in checks.known if leaf.kind == "pair" and leaf.get("battle")]
    for battle, table in sorted(
        {(pair["battle"].split(" ")[0], table) for pair in pairs for table in pair["table"].split(" ")}
    ):
        opening = next((leaf for leaf in checks.course.history(table) if leaf.kind == "open" and leaf.known), None)
        if opening is not None:
            battles.setdefault(battle, set()).add(opening["edition"])
            editions.setdefault(opening["edition"], set()).add(battle)
    for battle, several in sorted(battles.items()):
        checks.say(len(several) == 1, place, "the tables of battle {} are of several editions", battle)
    for _, named in sorted(editions.items()):
        checks.say(len(named) == 1, place, "tables of several battles are of one edition: {}", " ".join(sorted(named)))
