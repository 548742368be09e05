"""Cases of the tournament's rules: what is given and what must come out, as data.

::

    [[case]]
    title   = "E4.3 ..."                       # the rule first
    draw    = "swiss rounds=4"                 # format and whatever differs from the usual manner
    entrants = ["1 2000", "2 1900 team=red barred=3"]   # or a number: so many, the first the strongest
    results = ["1 1-2 1-0 +3", "1 3 bye"]      # round, who, halves of both, margin
    lots    = { "lot/e1-e2" = 5 }              # all others are 1000
    expect  = ["2-1", "3 bye"]                 # boards in order, the first side first
    cites   = ["E4.1 opened"]                  # reasons that stand in it

Others begin with `table` (ranks), `forced`, `goes_on`,
 `rules` (of a file), `match`, `lined_up`, `strengths`, `bids`, `battles_by`, `rate`, `cut`, `absent`, `came`, `facts`,
 `entry`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from pbem.tournaments.arithmetic import absence, battles, entering, stages, unfinished
from pbem.tournaments.arithmetic.entrants import NOBODY, Entrant, Lots
from pbem.tournaments.arithmetic.facts import LetterTrace, ObservedPlay, PhaseOrders, Resignation, notable_facts
from pbem.tournaments.arithmetic.pairing import draw, swiss
from pbem.tournaments.arithmetic.pairing.costs import pairing_states
from pbem.tournaments.arithmetic.pairing.drawn import Pair, PairingManner, RoundInput
from pbem.tournaments.arithmetic.ratings import (
    FirstSideAdvantage,
    PoolRatings,
    RatedGame,
    empty_pool_ratings,
    rate_month,
    rating_of,
)
from pbem.tournaments.arithmetic.rules import ends, records
from pbem.tournaments.arithmetic.rules.reading import RulesRefused, digest_of_rules, read_rules
from pbem.tournaments.arithmetic.rules.records import StageRules, TournamentRules, UnfinishedGameMethod
from pbem.tournaments.arithmetic.rules.tables import TABLES
from tests.tournament import build

CASES = Path(__file__).with_name("cases")
RULES = Path(__file__).resolve().parents[2] / "pbem" / "tournaments" / "arithmetic" / "rules.txt"
GIVEN = frozenset(
    {
        "title",
        "entrants",
        "results",
        "lots",
        "round",
        "start",
        "challenges",
        "away",
        "luck",
        "weight",
        "order",
        "gone",
        "phases",
        "boards",
        "people",
        "grounds",
        "continued",
        "votes",
        "chosen",
        "letters",
        "orders",
        "resigned",
        "asked",
        "given",
        "ways",
        "there",
    }
)
"""Keys of what is given; all others say what must come out."""
Case = Mapping[str, Any]


def cases(files: Iterable[Path] = ()) -> dict[str, Case]:
    """All cases by their titles, or those of some files."""
    read = [tomllib.loads(path.read_text("utf-8")) for path in files or sorted(CASES.glob("*.toml"))]
    return {case["title"]: case for file in read for case in file["case"]}


def read_titles(files: Iterable[Path]) -> list[str]:
    """The titles of the cases in some files."""
    return list(cases(files))


def wrong(case: Case) -> list[str]:
    """What comes out otherwise than the case says; empty if nothing does."""
    kind = next(name for name in KINDS if name in case)
    outcome = KINDS[kind](case)
    unread = case.keys() - outcome.keys() - GIVEN - {kind}
    return [f"{key} is no key of a case" for key in sorted(unread)] + [
        f"{key}: {outcome[key]!r}, not {wanted!r}"
        for key, wanted in case.items()
        if key in outcome and outcome[key] != wanted
    ]


def _value(word: str) -> Any:
    return int(word) if word.lstrip("-").isdigit() else {"true": True, "false": False}.get(word, word)


def _manner(text: str) -> PairingManner:
    name, *more = text.split()
    return PairingManner(name, **{key: _value(value) for key, value in (option.split("=") for option in more)})


def _entrants(given: Any) -> tuple[Entrant, ...]:
    if isinstance(given, int):
        return build.entrants(given)
    results_read = []
    for line in given:
        number, strength, *more = line.split()
        keys: dict[str, Any] = {key: value for key, value in (option.split("=") for option in more)}
        if "barred" in keys:
            keys["barred"] = frozenset(map(int, keys["barred"].split(",")))
        for key in keys.keys() & {"pace", "zone", "since"}:
            keys[key] = int(keys[key])
        results_read.append(Entrant(int(number), int(strength), **keys))
    return tuple(results_read)


def _lots(case: Case) -> Lots:
    given = case.get("lots", {})
    return lambda label: given.get(label, 1000)


def _field(case: Case, manner: str) -> RoundInput:
    results = build.results(case.get("results", ()))
    start = {int(number): halves for number, halves in case.get("start", {}).items()}
    round_ = case.get("round", max((result.round for result in results), default=0) + 1)
    challenges = tuple((a, b) for a, b in case.get("challenges", ()))
    away = frozenset(case.get("away", ()))
    return RoundInput(round_, _entrants(case["entrants"]), results, away, start, _manner(manner), challenges)


def _shown(pair: Pair) -> str:
    return f"{pair.first} bye" if pair.second == NOBODY else f"{pair.first}-{pair.second}"


def _draw(case: Case) -> Mapping[str, Any]:
    drawn = draw.draw(_field(case, case["draw"]), _lots(case))
    cited = {f"{why.rule} {why.what}" for pair in drawn.pairs for why in pair.why}
    opened = [f"{a}-{b}" for a, b in drawn.opened]
    cites = [cite for cite in case.get("cites", ()) if cite in cited]
    return {
        "expect": [_shown(pair) for pair in drawn.pairs],
        "cites": cites,
        "opened": opened,
        "over": drawn.over,
        "has": [pair_text for pair_text in case.get("has", ()) if pair_text in map(_shown, drawn.pairs)],
        "lacks": [pair_text for pair_text in case.get("lacks", ()) if pair_text not in map(_shown, drawn.pairs)],
        "not_cited": [cite for cite in case.get("not_cited", ()) if cite not in cited],
    }


def _forced(case: Case) -> Mapping[str, Any]:
    plain = pairing_states(RoundInput(1, build.entrants(len(case["forced"]))))
    return {
        "expect": swiss.least_same_side_pairs(
            [state._replace(owed=owed) for state, owed in zip(plain, case["forced"], strict=True)]
        )
    }


def _table(case: Case) -> Mapping[str, Any]:
    field = _field(case, case["table"])
    luck = {int(number): value for number, value in case.get("luck", {}).items()}
    margins = {row.number: row.tally.margin for row in stages.stage_table(field, (), _lots(case)).rows}
    adjusted = stages.adjust_for_luck(margins, luck, case.get("weight", 0)) if "luck" in case else None
    table = stages.stage_table(field, case["order"], _lots(case), adjusted)
    values = {name: [row.values.get(name, "") for row in table.rows] for name in case.get("values", {})}
    return {"expect": [f"{row.rank} e{row.number}" for row in table.rows], "values": values}


def _goes_on(case: Case) -> Mapping[str, Any]:
    before, _, after = case["goes_on"].partition(" -> ")
    name, *more = after.split()
    usual = {key.name: key.default for key in TABLES["stage"]}
    stage = StageRules(
        **{**usual, "format": name, **{key: _value(value) for key, value in (option.split("=") for option in more)}}
    )
    table = stages.stage_table(_field(case, before), case["order"], _lots(case))
    taken = stages.qualifiers_for_next_stage(table, _manner(before), stage, frozenset(case.get("gone", ())))
    return {"expect": list(taken.seeds), "brought": {str(number): halves for number, halves in taken.start.items()}}


def rules_of(changes: Mapping[str, Any]) -> str:
    """The text of a file of rules with what a case changes: ``{"entry.places" = "8"}``, values as they are written."""
    tables: dict[str, dict[str, str]] = {
        "": {"title": '"T"'},
        "table": {"scenario": '"x"'},
        "stage": {"format": '"swiss"', "rounds": "4"},
    }
    for key, value in changes.items():
        table, _, name = key.rpartition(".")
        tables.setdefault(table, {})[name] = value
    heads = {"": "", "stage": "[[stage]]\n", "[[stage]]": "[[stage]]\n"}
    return "\n".join(
        heads.get(table, f"[{table}]\n") + "".join(f"{name} = {value}\n" for name, value in keys.items() if value)
        for table, keys in tables.items()
    )


def _rules(case: Case) -> Mapping[str, Any]:
    try:
        rules = read_rules(rules_of(case["rules"]), "t.toml")
    except RulesRefused as refused:
        return {"expect": [fault.key for fault in refused.faults]}
    phases = case.get("phases", 14)
    changed = digest_of_rules(rules) != digest_of_rules(read_rules(rules_of({}), "t.toml"))
    against = [key for key, _, _ in ends.short_round_objections(rules, phases)]
    return {
        "expect": against,
        "hours": ends.latest_round_end(rules, phases).hours,
        "changed": changed,
        "price": list(ends.duration_cost(rules, phases)),
        "days": ends.longest_duration_in_days(rules, phases),
        "rounds": ends.most_rounds(rules),
        "ways": [records.battle_word(rules.stage[0], within) for within in range(1, 5)],
        "battles": [records.scenario_of(rules, 1, within) for within in range(1, 5)],
        "of_all": list(records.scenarios_of(rules)),
    }


def _match(case: Case) -> Mapping[str, Any]:
    pair = Pair(1, 1, 2)
    line_ups = {int(team): tuple(members) for team, members in case["match"].items()}
    boards = stages.boards_of_match(pair, line_ups, case["boards"])
    members = {member: team for team, some in line_ups.items() for member in some}
    result = stages.result_of_match(pair, 1, build.results(case.get("results", ())), members)
    return {
        "expect": [f"{board.first}-{board.second}" for board in boards],
        "halves": list(result.halves),
        "margin": result.margin,
        "how": result.how,
    }


def _lined_up(case: Case) -> Mapping[str, Any]:
    """Who was wanted at the boards, and who is there."""
    return {"expect": list(stages.fill_line_up(case["lined_up"], case["there"], case["boards"]))}


def _strengths(case: Case) -> Mapping[str, Any]:
    return {"expect": stages.team_strength(case["strengths"])}


def _bids(case: Case) -> Mapping[str, Any]:
    award = stages.award_sides(Pair(1, 3, 7), [stages.SideBid(*bid) for bid in case["bids"]])
    return {"expect": [award.first, award.second, award.payer, award.amount], "why": award.why.what}


def _battles(case: Case) -> Mapping[str, Any]:
    """The battles in the order of their lots."""
    if "chosen" in case:
        choices = [text.split() for text in case["chosen"]]
        return {"expect": battles.choose_battle(sorted(case["battles_by"], key=case["battles_by"].get), choices)}
    drawn = {f"battle/{name}": lot for name, lot in case["battles_by"].items()}
    return {"expect": [*battles.battle_lots(case["battles_by"], drawn.__getitem__)]}


def _tables(case: Case) -> Mapping[str, Any]:
    seats_found = stages.tables_of_board(Pair(1, 3, 7), case["seats"])
    return {"expect": [f"{board.letter} {board.first}-{board.second}".strip() for board in seats_found]}


def _rate(case: Case) -> Mapping[str, Any]:
    people = {name: rating_of(*values) for name, values in case.get("people", {}).items()}
    grounds = {name: FirstSideAdvantage(*rating_of(*values)[:2]) for name, values in case.get("grounds", {}).items()}
    book = PoolRatings("p", "", people, grounds) if people or grounds else empty_pool_ratings("p")
    games = []
    for line in case["rate"]:
        first, second, halves, *more = line.split()
        keys = {key: _value(value) for key, value in (option.split("=") for option in more)}
        games.append(RatedGame(first, second, int(halves), **keys))
    rated = rate_month(book, "2030-01", games)
    every = {**rated.people, **rated.grounds}
    return {"expect": {name: [str(value) for value in every[name]] for name in case["expect"]}}


def _cut(case: Case) -> Mapping[str, Any]:
    ways = [
        UnfinishedGameMethod(word, *map(int, numbers))
        for word, *numbers in (way_text.split(":") for way_text in case["ways"])
    ]
    continued = tuple(case["continued"]) if "continued" in case else None
    decision = unfinished.decide_by_rules(ways, unfinished.CutOffTable(case["cut"], continued, case.get("votes")))
    asks = decision.asks.word if decision.asks else ""
    return {"expect": list(decision.halves or ()), "asks": asks, "by": decision.way.word if decision.way else ""}


def _absent(case: Case) -> Mapping[str, Any]:
    """Two seats in words: ``heard asked``, ``gone``."""
    mine, his = (absence.SeatPresence(**dict.fromkeys(words.split(), True)) for words in case["absent"])
    return {
        "expect": absence.decide_about_silent_seat(mine, his),
        "his": absence.decide_about_silent_seat(his, mine),
        "ended": absence.decide_about_silent_seat(mine, his, has_ended=True),
    }


def _came(case: Case) -> Mapping[str, Any]:
    results = build.results(case["results"])
    return {
        "expect": sorted(absence.entrants_present(case["came"], results)),
        "undecided": sorted(absence.entrants_without_last_table(results)),
    }


def _facts(case: Case) -> Mapping[str, Any]:
    letters = [LetterTrace(*trace) for trace in case.get("letters", ())]
    orders = [PhaseOrders(number, position, frozenset(lines)) for number, position, lines in case.get("orders", ())]
    resigned = [Resignation(*resignation) for resignation in case.get("resigned", ())]
    facts_found = notable_facts(ObservedPlay(letters, orders, resigned, build.results(case.get("results", ()))))
    return {
        "expect": [f"{fact.what} {fact.entrants[0]} {fact.entrants[1]}" for fact in facts_found],
        "values": [dict(fact.values) for fact in facts_found],
    }


_ASKED = {
    "admitted": "admission_of_next_entry",
    "halves_for_bye": "half_points_for_bye",
    "halves_for_missed": "half_points_for_missed_rounds",
    "halves_for_rest": "half_points_for_rest",
    "seeded": "seed_entrants",
}
"""Functions that cases ask for by other words."""


def _entry(case: Case) -> Mapping[str, Any]:
    rules: TournamentRules = read_rules(rules_of(case["entry"]), "t.toml")
    asked: str = case["asked"]
    ask: Callable[..., Any] = getattr(entering, _ASKED.get(asked, asked))
    if asked == "seeded":
        return {"expect": [entrant.number for entrant in ask(rules, _entrants(case["entrants"]), _lots(case))]}
    return {"expect": [ask(rules, *arguments) for arguments in case["given"]]}


KINDS: Mapping[str, Callable[[Case], Mapping[str, Any]]] = {
    "draw": _draw,
    "table": _table,
    "goes_on": _goes_on,
    "rules": _rules,
    "match": _match,
    "bids": _bids,
    "battles_by": _battles,
    "lined_up": _lined_up,
    "strengths": _strengths,
    "seats": _tables,
    "rate": _rate,
    "cut": _cut,
    "absent": _absent,
    "came": _came,
    "facts": _facts,
    "forced": _forced,
    "entry": _entry,
}
