"""Full mode of tournaments: draws, tables and stages made again from letters, and those that do not come out."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from pbem.audit import blocks, bundle_parts, draws, vrf
from pbem.audit.blocks import sha256_hex
from pbem.audit.dice import DiceStream
from pbem.audit.draws import ListedEntrant
from pbem.engine.data.canon import dumps
from pbem.tournaments import rerun
from pbem.tournaments.arithmetic.entrants import NOBODY, Entrant, TableResult
from pbem.tournaments.arithmetic.pairing import matching
from pbem.tournaments.arithmetic.pairing.draw import draw
from pbem.tournaments.arithmetic.pairing.drawn import Pair, RoundDraw, RoundInput
from pbem.tournaments.arithmetic.rules.reading import digest_of_rules, read_rules, rules_to_json
from pbem.tournaments.arithmetic.rules.records import battle_word, manner_of, scenario_of
from pbem.tournaments.arithmetic.stages import qualifiers_for_next_stage, stage_table
from pbem.tournaments.arithmetic.standings import StandingsTable
from pbem.verifier.mailbox import LetterToCheck as Letter
from pbem.verifier.record import Findings
from pbem.verifier.verification import status_by_check, verdict_of, verify_epochs
from tests.audit.checked import QUICK, judge, reader
from tests.audit.tournament_server import EVENT, OUT, TournamentServer

CUP = """\
title = "Castillejos Cup"
[entry]
seeds = "{seeds}"
[table]
scenario = "castillejos"
[[stage]]
format = "swiss"
rounds = 2
[[stage]]
format = "knockout"
take = 2
sides = "mirror"
[ties]
order = ["points", "buchholz", "lot"]
"""
Change = Callable[[RoundDraw], RoundDraw]


def max_and_sum(places: Sequence[int]) -> tuple[int, int]:
    return max(places), sum(places)


class Cup(TournamentServer):
    """A tournament of five by real rules, drawn and scored as it must be unless it is told otherwise."""

    challenges: tuple[tuple[int, int], ...] = ()
    """Those in the list of the round that is drawn next."""
    battle, way, lots = "", "", staticmethod(lambda label: 0)
    choices: Mapping[int, tuple[str, str]] = {1: ("tetuan,drill", "-"), 2: ("drill", "castillejos,drill")}
    """What the first and second player of a board choose, where battles are chosen."""
    draws_battle: Callable[[str, int], str] = staticmethod(lambda battle, number: battle)
    """The battle of the newest draw, and what the server says instead in a round."""
    ends: Mapping[tuple[int, int, int], int] = {}
    """Half points of the lower of two numbers, by round and both; without them he wins."""

    def __init__(
        self, seeds: str = "rating", change: Change | None = None, table: Change | None = None, text: str = CUP
    ) -> None:
        super().__init__()
        self.rules = read_rules(text.format(seeds=seeds), "cup.toml")
        self.change = change or (lambda drawn: drawn)
        self.results: list[TableResult] = []
        self.bent = table is not None
        text = dumps(rules_to_json(self.rules))
        self.digest = digest_of_rules(self.rules)
        assert self.digest == f"sha256:{sha256_hex(text.encode())}"
        self.texts.append(bundle_parts.OpenedText(EVENT, 0, text))
        self.tell("found", rules=self.digest, name="cup60")
        self.entrants: tuple[ListedEntrant, ...] = tuple(ListedEntrant(n, 1600 - 10 * n) for n in range(1, 6))
        for entrant in self.entrants:
            self.enter(entrant.number, entrant.strength)

    def round(self, number: int, stage: int, within: int) -> StandingsTable:  # type: ignore[override]
        """A round from its list to its table."""
        listed = self.challenges
        closed = draws.DrawList(EVENT, number, 1, stage, self.digest, "none", self.entrants, challenges=listed)
        slate = self.shut(closed)
        self.lot(slate)
        beta = vrf.output_of(vrf.prove(self.vrf, blocks.vrf_input(slate, None, "draw")))
        stream = DiceStream(beta)

        def lots(label: str) -> int:
            return stream.roll(label, 1, 2**32)[0] - 1

        if self.rules.entry.seeds == "lot" and number == 1:
            ordered = sorted(self.entrants, key=lambda entrant: (lots(f"seed/e{entrant.number}"), entrant.number))
            self.entrants = tuple(ordered)
        manner = manner_of(self.rules.stage[stage - 1])
        there = tuple(Entrant(entrant.number, entrant.strength) for entrant in self.entrants)
        start = {entrant.number: entrant.halves for entrant in self.entrants}
        before = RoundInput(within, there, tuple(self.results), start=start, manner=manner, challenges=listed)
        drawn = self.change(draw(before, lots))
        rules = self.rules.stage[stage - 1]
        if rules.battle:
            by_lot = min(rules.scenarios, key=lambda name: lots(f"battle/{name}"))
            self.way, self.lots = battle_word(rules, within), staticmethod(lots)
            battle = by_lot if self.way == "lot" else scenario_of(self.rules, stage, within)
            self.battle = self.draws_battle(battle, number) if self.way != "choice" else ""
        for pair in drawn.pairs:
            self.seat(number, within, pair, mirrored=manner.sides == "mirror")
        field = RoundInput(within + 1, there, tuple(self.results), start=start, manner=manner)
        table = stage_table(field, self.rules.ties.order, lots)
        rows = [
            {"rank": row.rank, "entrant": f"e{row.number}", "halves": row.tally.halves, "values": dict(row.values)}
            for row in table.rows
        ]
        text = dumps(rows[1:] + rows[:1] if self.bent else rows)
        self.texts.append(bundle_parts.OpenedText(EVENT, len(self.chains[EVENT].leaves), text))
        self.tell("standing", round=f"r{number}", table=f"sha256:{sha256_hex(text.encode())}")
        return table

    def seat(self, number: int, within: int, pair: Pair, *, mirrored: bool) -> None:
        where = {"round": f"r{number}", "attempt": 1, "board": pair.board}
        if pair.second == NOBODY:
            self.tell("pair", **where, first=f"e{pair.first}", second="-", table="-")
            del where["attempt"]
            self.tell("score", **where, table="-", halves="2 0", margin=0, how="bye", leaf="-")
            self.results.append(TableResult(within, pair.board, pair.first, NOBODY, (2, 0), 0, "bye"))
            return
        seats = [("a", pair.first, pair.second), ("b", pair.second, pair.first)] if mirrored else [("", *pair[1:3])]
        tables = " ".join(f"cup60-r{number}-{pair.board:02}{leg}" for leg, *_ in seats)
        if self.way == "choice":
            self.tell("pair", **where, first=f"e{pair.first}", second=f"e{pair.second}", table=tables)
            self.battle = self.draws_battle(self.chosen(pair), number)
        more = {"battle": self.battle} if self.battle else {}
        self.tell("pair", **where, first=f"e{pair.first}", second=f"e{pair.second}", table=tables, **more)
        for leg, first, second in seats:
            table, ahead = f"cup60-r{number}-{pair.board:02}{leg}", first < second
            low = self.ends.get((number, min(first, second), max(first, second)), 2)
            halves = (low, 2 - low) if ahead else (2 - low, low)
            fields = {key: value for key, value in where.items() if key != "attempt"}
            halves_text = f"{halves[0]} {halves[1]}"
            margin = (3 if ahead else -3) if low else (-3 if ahead else 3)
            self.tell("score", **fields, table=table, halves=halves_text, margin=margin, how="played", leaf="1" * 64)
            self.results.append(TableResult(within, pair.board, first, second, halves, margin))

    def chosen(self, pair: Pair) -> str:
        """What the log says of a choice: the battle, and what each wrote."""
        texts = self.choices[pair.board]
        lists = [[] if text == "-" else text.split(",") for text in texts]
        best = min(
            self.rules.stage[0].scenarios,
            key=lambda name: (
                *max_and_sum([wanted.index(name) if name in wanted else len(wanted) for wanted in lists]),
                self.lots(f"battle/{pair.board}/{name}"),
            ),
        )
        return f"{best} e{pair.first}:{texts[0]} e{pair.second}:{texts[1]}"

    def stage(self, table: StandingsTable) -> None:
        """The best two go on."""
        before, after = self.rules.stage
        taken = qualifiers_for_next_stage(table, manner_of(before), after)
        known = {entrant.number: entrant for entrant in self.entrants}
        self.entrants = tuple(known[seed]._replace(halves=taken.start.get(seed, 0), since=1) for seed in taken.seeds)
        self.results = []


def played(cup: Cup) -> Cup:
    cup.round(1, 1, 1)
    cup.stage(cup.round(2, 1, 2))
    cup.round(3, 2, 1)
    return cup


def verify_cup(cup: Cup, **more: Any) -> tuple[dict[str, str], Sequence[rerun.RedrawResult]]:
    """What both modes say of its letters."""
    items, board, came = [cup.post(OUT, letter="welcome", **more)], Findings(), list[rerun.RedrawResult]()

    def rules(course: Any, keys: Any) -> frozenset[tuple[str, str]]:
        came.extend(rerun.redraw_all(course, keys))
        wrong = any(finding.truth is False for finding in came)
        return frozenset() if wrong else frozenset(finding.draw for finding in came if finding.draw[1])

    letters = [Letter(*item) for item in items]
    verdict = verdict_of(board, *verify_epochs(board, letters, reader(), QUICK, rules))
    return status_by_check(verdict), came


@pytest.mark.parametrize("seeds", ["rating", "lot"])
def test_draws_tables_and_stages_come_out_again(seeds):
    checks, came = verify_cup(played(Cup(seeds)))
    assert [finding.why for finding in came if finding.truth is not True] == []
    assert {finding.draw[1] for finding in came} == {"r1~1", "r2~1", "r3~1", ""}
    # Of the scores' tables there are no letters; else nothing is left to be checked but the beacon that there is none.
    assert {check: status for check, status in checks.items() if status != "ok"} == {
        "draws": "NOT CHECKED",
        "timing": "NOT CHECKED",
    }


def exchanged(drawn: RoundDraw) -> RoundDraw:
    """The first of two boards exchange their opponents."""
    if len(drawn.pairs) < 3:
        return drawn
    first, second, *rest = drawn.pairs
    return drawn._replace(pairs=(first._replace(second=second.second), second._replace(second=first.second), *rest))


def turned(drawn: RoundDraw) -> RoundDraw:
    pair, *rest = drawn.pairs
    return drawn._replace(pairs=(pair._replace(first=pair.second, second=pair.first), *rest))


@pytest.mark.parametrize("change", [exchanged, turned])
def test_a_pair_that_is_not_the_cheapest_or_has_other_sides(change):
    checks, came = verify_cup(played(Cup(change=change)))
    assert "FALSE" not in checks.values()
    assert any(finding.truth is False and "paired otherwise" in finding.why for finding in came)


def test_a_table_that_does_not_add_up():
    _, came = verify_cup(played(Cup(table=lambda drawn: drawn)))
    assert {finding.why for finding in came if finding.truth is False} == {
        f"{EVENT} r{number}: the scores add up to another table" for number in (1, 2, 3)
    }


def test_a_table_that_is_counted_again_after_the_next_draw_has_the_lots_of_that():
    """A dispute of the first round is decided when the second is drawn: the table of the first is written once more."""
    cup = Cup(text=CUP.replace('"points", "buchholz", "lot"', '"points", "lot"'))
    cup.round(1, 1, 1)
    cup.round(2, 1, 2)
    cup.tell("standing", round="r1", table=f"sha256:{sha256_hex(cup.texts[-1].text.encode())}")
    _, came = verify_cup(cup)
    assert [finding.why for finding in came if finding.truth is not True] == []


def test_others_who_go_on():
    cup = Cup()
    cup.round(1, 1, 1)
    cup.stage(cup.round(2, 1, 2))
    cup.entrants = tuple(reversed(cup.entrants))
    cup.round(3, 2, 1)
    _, came = verify_cup(cup)
    wrong = [finding.why for finding in came if finding.truth is False]
    assert wrong == [f"{EVENT} r3~1: others go on into stage 2, or with other points"]


def test_a_stage_that_is_cut_short():
    cup = Cup()
    cup.stage(cup.round(1, 1, 1))
    cup.round(2, 2, 1)
    _, came = verify_cup(cup)
    assert [finding.why for finding in came if finding.truth is False] == [
        f"{EVENT} r2~1: by the rules stage 1 was not over"
    ]


def test_more_rounds_rested_for_half_a_point_than_the_rules_give():
    rules = read_rules(CUP.format(seeds="rating"), "cup.toml")
    most = rules.limits.half_byes
    passed = [TableResult(number, 1, 1, NOBODY, (1, 0), 0, "half-bye") for number in range(1, most + 2)]
    assert rerun._has_fair_byes(rules, 1, passed[:most])
    assert not rerun._has_fair_byes(rules, 1, passed)


def test_of_a_tournament_of_the_first_version_it_is_said_what_could_be_chosen():
    items = [played(Cup()).post(OUT, letter="welcome")]
    reasons = [why for line in judge(items).lines for why in line.why]
    assert len([why for why in reasons if "it was founded under version 1.0.0" in why]) == 3


def test_what_is_in_no_letter_is_not_checked():
    _, came = verify_cup(played(Cup()), opens=())
    assert [(finding.truth, finding.why) for finding in came] == [(None, f"{EVENT}: its rules are in no letter here")]
    _, came = verify_cup(played(Cup()), draws=())
    assert all(finding.truth is None for finding in came)


def test_without_the_library_nothing_is_said(monkeypatch):
    def missing(*args: Any) -> None:
        raise ImportError

    cup = played(Cup())
    monkeypatch.setattr(matching, "_maximum_weight_matching", missing)
    _, came = verify_cup(cup)
    assert [(finding.truth, "networkx" in finding.why) for finding in came if finding.truth is not True] == [
        (None, True)
    ]


LADDER = """\
title = "Castillejos Ladder"
[entry]
seeds = "{seeds}"
[table]
scenario = "castillejos"
[[stage]]
format = "ladder"
rounds = 3
reach = 2
"""
Two = tuple[int, int]


def climbed(accepted: Sequence[Two], listed: Sequence[Two], change: Change | None = None, text: str = LADDER) -> Cup:
    """A ladder of five, drawn twice; for the second round challenges are accepted, and these stand in its list.

    The lower number wins, so that after the first round places are as they were.
    """
    cup = Cup(text=text)
    cup.round(1, 1, 1)
    cup.change = change or cup.change
    for challenger, challenged in accepted:
        cup.tell("challenge", round="r2", challenger=f"e{challenger}", challenged=f"e{challenged}")
    cup.challenges = tuple(sorted(listed))
    cup.round(2, 1, 2)
    return cup


def wrongs(cup: Cup) -> tuple[str, list[str]]:
    """What the plain mode says of draws, and what full mode finds wrong."""
    checks, came = verify_cup(cup)
    return checks["draws"], [finding.why.removeprefix(f"{EVENT} r2~1: ") for finding in came if finding.truth is False]


def test_a_ladder_with_challenges_comes_out_again():
    cup = climbed([(3, 1), (5, 4)], [(3, 1), (5, 4)])
    assert {result.first * result.second for result in cup.results if result.round == 2 and result.second} == {3, 20}
    checks, came = verify_cup(cup)
    assert [finding.why for finding in came if finding.truth is not True] == []
    assert checks["draws"] == "NOT CHECKED"
    assert wrongs(climbed([(5, 4), (4, 2)], [(5, 4)])) == ("NOT CHECKED", [])
    assert wrongs(climbed([(5, 1), (1, 2), (3, 2)], [(3, 2)])) == ("NOT CHECKED", [])


OTHERS = "by what was accepted and by the ladder other challenges stand: {}"


@pytest.mark.parametrize(
    ("accepted", "listed", "plain", "stand"),
    [
        ([], [(3, 1)], "FALSE", "-"),
        ([(3, 1)], [(4, 2)], "FALSE", "e3-e1"),
        ([(3, 1)], [(1, 3)], "FALSE", "e3-e1"),
        ([(3, 1)], [], "NOT CHECKED", "e3-e1"),
        ([(5, 1)], [(5, 1)], "NOT CHECKED", "-"),
        ([(2, 4)], [(2, 4)], "NOT CHECKED", "-"),
        ([(3, 2), (4, 3)], [(4, 3)], "NOT CHECKED", "e3-e2"),
    ],
    ids=["invented", "of others", "reversed", "dropped", "beyond reach", "downwards", "accepted later"],
)
def test_challenges_that_were_not_accepted_so_or_that_the_ladder_does_not_allow(accepted, listed, plain, stand):
    assert wrongs(climbed(accepted, listed)) == (plain, [OTHERS.format(stand)])


def test_a_challenge_that_stands_in_the_list_and_is_not_played():
    plain, wrong = wrongs(climbed([(3, 1)], [(3, 1)], exchanged))
    assert plain == "NOT CHECKED"
    assert [why.partition(":")[0] for why in wrong] == ["by these rules, lots and scores it is paired otherwise"]


def test_a_challenge_where_there_is_no_ladder():
    text = LADDER.replace("ladder", "swiss").replace("reach = 2\n", "")
    assert wrongs(climbed([(3, 1)], [(3, 1)], text=text)) == ("NOT CHECKED", [OTHERS.format("-")])


def test_a_challenge_of_which_the_leaf_is_withheld_is_not_judged(monkeypatch):
    cup = climbed([(3, 1)], [(3, 1)])
    monkeypatch.setattr(cup, "hides", lambda seat, leaf: leaf.kind == "challenge")
    checks, came = verify_cup(cup)
    assert checks["draws"] == "NOT CHECKED"
    assert [(finding.truth, finding.why) for finding in came if finding.truth is not True] == [
        (None, f"{EVENT} r2~1: {OTHERS.format('-')}")
    ]


KNOCKOUT = """\
title = "Castillejos Knockout"
[entry]
seeds = "{seeds}"
[table]
scenario = "castillejos"
[[stage]]
format = "knockout"
third = true
"""


def knocked(change: Change | None = None, last: int = 3, seeds: str = "rating", text: str = KNOCKOUT) -> Cup:
    """A knockout of five up to a round, whose pairs `change` bends; the lower number wins."""
    cup = Cup(seeds, text=text)
    for number in range(1, last + 1):
        cup.change = change if change is not None and number == last else cup.change
        cup.round(number, 1, number)
    return cup


def moved(drawn: RoundDraw) -> RoundDraw:
    """Somebody who lost sits in the place of a winner."""
    first, *rest = drawn.pairs
    out = next(number for number in range(5, 0, -1) if all(number not in pair[1:3] for pair in drawn.pairs))
    return drawn._replace(pairs=(first._replace(second=out), *rest))


def crossed(drawn: RoundDraw) -> RoundDraw:
    """Two boards exchange their second players."""
    first, second = drawn.pairs
    return drawn._replace(pairs=(first._replace(second=second.second), second._replace(second=first.second)))


def without_third(drawn: RoundDraw) -> RoundDraw:
    return drawn._replace(pairs=drawn.pairs[:1])


TIES = f"{KNOCKOUT}best = 3\nreplays = 1\n"
ENDS = {(1, 4, 5): 1, (2, 4, 5): 2, (3, 4, 5): 0, (4, 4, 5): 0, (5, 1, 5): 0, (5, 2, 3): 1, (6, 2, 3): 1, (7, 1, 5): 1}
"""After three games e4 and e5 are level, and e5 wins the replay; then e1 and e5, e2 and e3 meet."""


def paired(*pairs: Two) -> Change:
    """A round with these boards instead of those that follow."""
    boards = tuple(Pair(number, *pair) for number, pair in enumerate(pairs, start=1))
    return lambda drawn: drawn._replace(pairs=boards)


TIES_BENT: Sequence[tuple[Change | None, int, str]] = [
    (None, 7, ""),
    (turned, 2, "do not exchange the sides of their last game"),
    (turned, 4, "do not exchange the sides of their last game"),
    (paired((1, 4), (2, 3)), 2, "others meet: e4-e5"),
    (paired((1, 5), (2, 3)), 3, "others meet: e4-e5"),
    (paired((4, 5), (1, NOBODY)), 3, "others meet: e4-e5"),
    (paired((1, 5), (2, 3)), 4, "others meet: e4-e5"),
    (paired((4, 5)), 5, "others meet: e1-e5, e2-e3"),
    (paired((1, 4), (2, 3)), 5, "others meet: e1-e5, e2-e3"),
    (paired((1, 2), (5, 3)), 7, "others meet: e1-e5, e2-e3"),
    (paired((3, 2)), 7, "others meet: e1-e5, e2-e3"),
]
"""What is bent in a round of ties, and what is said of it: sides, a game left out, an end too early, one who is through
and rests, a replay left out, a game too many, the loser who goes on, a level that ends too early, a tie left out."""


def tied(change: Change | None = None, last: int = 7) -> Cup:
    """A knockout of five in ties up to a round, whose pairs `change` bends."""
    cup = Cup(text=TIES)
    cup.ends = ENDS
    for number in range(1, last + 1):
        cup.change = change if change is not None and number == last else cup.change
        cup.round(number, 1, number)
    return cup


@pytest.mark.parametrize(("change", "last", "why"), TIES_BENT)
def test_plain_mode_sees_how_a_tie_goes_on(change, last, why):
    lines = judge([tied(change, last).post(OUT, letter="welcome")]).lines
    _, came = verify_cup(tied(change, last))
    assert {line.check for line in lines if line.status == "FALSE"} == ({"draws"} if change else set())
    assert any(why in reason for line in lines for reason in line.why)
    assert {finding.why.split(":")[0] for finding in came if finding.truth is False} == (
        {f"{EVENT} r{last}~1"} if change else set()
    )


CUT = TIES.replace("third = true\n", "") + '[[stage]]\nformat = "knockout"\ntake = 2\n'


def cut_short(rounds: int) -> Cup:
    """A knockout of ties, after so many rounds of which the next stage begins; all its ties need two games."""
    cup = Cup(text=CUT)
    for number in range(1, rounds + 1):
        table = cup.round(number, 1, number)
    cup.stage(table)
    cup.round(rounds + 1, 2, 1)
    return cup


CUTS = [(6, False), (5, True), (4, True), (1, True)]
"""Rounds of the first stage, and whether a tie of it was open after them."""


@pytest.mark.parametrize(("rounds", "is_wrong"), CUTS)
def test_plain_mode_sees_that_a_tie_was_open_when_the_next_stage_began(rounds, is_wrong):
    lines = judge([cut_short(rounds).post(OUT, letter="welcome")]).lines
    why = f"{EVENT} r{rounds + 1}~1: by its ties stage 1 was not over"
    assert [why in line.why for line in lines if line.status == "FALSE"] == ([True] if is_wrong else [])
    _, came = verify_cup(cut_short(rounds))
    assert any(finding.truth is False and "stage 1 was not over" in finding.why for finding in came) == is_wrong


def test_a_level_that_was_drawn_stands_when_a_correction_opens_a_tie_before_it():
    cup = Cup(text=f"{KNOCKOUT}replays = 1\n")
    cup.round(1, 1, 1)
    cup.round(2, 1, 2)
    cup.results = [
        result._replace(halves=(1, 1)) if (result.round, result.first * result.second) == (1, 20) else result
        for result in cup.results
    ]
    first, second = next((r.first, r.second) for r in cup.results if (r.round, r.first * r.second) == (1, 20))
    where = {"round": "r1", "board": next(r.board for r in cup.results if r.first * r.second == 20)}
    table = f"cup60-r1-{where['board']:02}"
    cup.tell(
        "score", **where, table=table, halves="1 1", margin=-9 if first < second else 9, how="played", leaf="2" * 64
    )
    cup.round(3, 1, 3)
    assert {r.first * r.second for r in cup.results if r.round == 3} == {2, 12}
    lines = judge([cup.post(OUT, letter="welcome")]).lines
    assert [why for line in lines if line.status == "FALSE" for why in line.why] == []


GROUPS = """\
title = "Castillejos Groups"
[entry]
seeds = "{seeds}"
[table]
scenario = "castillejos"
[[stage]]
format = "league"
divisions = 2
deal = "snake"
[[stage]]
format = "knockout"
each = 2
"""
SEEDS = [(None, False), ([2, 1, 4, 3], True), ([1, 2, 3, 4], True), ([1, 2, 4, 5], True), ([1, 2, 4], True)]
"""Seeds of the second stage instead of the right ones, and whether that is wrong."""


BATTLES = CUP.replace(
    "rounds = 2", 'rounds = 3\nscenarios = ["drill", "castillejos", "tetuan"]\nbattle = ["lot", "turn"]'
)
Battle = Callable[[str, int], str]


def fought(change: Battle | None = None) -> Cup:
    """A Swiss whose first and third battles are drawn, and whose second comes in turn; bent in a round."""
    cup = Cup(text=BATTLES)
    cup.draws_battle = change or cup.draws_battle
    cup.round(1, 1, 1)
    cup.round(2, 1, 2)
    cup.round(3, 1, 3)
    return cup


def instead(number: int, other: str = "") -> Battle:
    """Another battle in a round than the one that is due; by default the next of the three."""
    names = ["drill", "castillejos", "tetuan"]
    return lambda due, round_: due if round_ != number else other or names[names.index(due) - 1]


BATTLES_BENT = [
    pytest.param(None, id="as drawn"),
    pytest.param(instead(1), id="another than drawn"),
    pytest.param(instead(3), id="another than drawn later"),
    pytest.param(instead(2), id="another than in turn"),
    pytest.param(instead(1, "brigades"), id="one that the rules do not name"),
    pytest.param(lambda due, round_: "", id="none is said"),
]


@pytest.mark.parametrize("change", BATTLES_BENT)
def test_plain_and_full_mode_see_of_which_battle_a_round_is(change):
    cup = fought(change)
    status = "FALSE" if change else "NOT CHECKED"
    assert status_by_check(judge([cup.post(OUT, letter="welcome")]))["draws"] == status
    _, came = verify_cup(fought(change))
    wrong = [finding.why for finding in came if finding.truth is False]
    assert bool(wrong) == bool(change)
    assert all("it is of battle" in why for why in wrong)


CHOSEN = BATTLES.replace('["lot", "turn"]', '"choice"').replace("rounds = 3", "rounds = 1")


def selected(change: Battle | None = None) -> Cup:
    """A round whose two tables choose their battles; bent in the log."""
    cup = Cup(text=CHOSEN)
    cup.draws_battle = change or cup.draws_battle
    cup.round(1, 1, 1)
    return cup


def swapped(old: str, new: str) -> Battle:
    return lambda battle, _: battle.replace(old, new, 1)


CHOICES_BENT = [
    pytest.param(None, id="as chosen"),
    pytest.param(swapped("tetuan e", "castillejos e"), id="another than chosen"),
    pytest.param(lambda battle, _: battle.split(" ")[0], id="by nobody"),
    pytest.param(lambda battle, _: "", id="never"),
    pytest.param(swapped(":tetuan,drill", ":tetuan,tetuan"), id="one twice"),
    pytest.param(swapped(":tetuan,drill", ":tetuan,brigades"), id="one that is not there"),
    pytest.param(lambda battle, _: " ".join(battle.split(" ")[i] for i in (0, 2, 1)), id="by the two exchanged"),
]


@pytest.mark.parametrize("change", CHOICES_BENT)
def test_plain_and_full_mode_see_of_which_battle_a_table_is(change):
    assert status_by_check(judge([selected(change).post(OUT, letter="welcome")]))["draws"] == (
        "FALSE" if change else "NOT CHECKED"
    )
    _, came = verify_cup(selected(change))
    assert any(finding.truth is False for finding in came) == (change is CHOICES_BENT[1].values[0])


def test_who_takes_a_place_later_plays_the_chosen_battle():
    for battle, is_wrong in (("tetuan", False), ("drill", True)):
        cup = selected()
        first = next(leaf.leaf for leaf in cup.leaves if leaf.leaf.kind == "pair")("first")
        cup.tell("leave", entrant="e5", round=1, why="silent")
        where = {"round": "r1", "attempt": 1, "board": 1, "first": first, "second": "e5", "table": "cup60-r1-01"}
        cup.tell("pair", **where, battle=battle)
        why = [line.why for line in judge([cup.post(OUT, letter="welcome")]).lines if line.check == "draws"]
        assert ("is of battle" in str(why)) == is_wrong


def test_a_battle_where_the_rules_let_none_be_found_is_false():
    cup = Cup()
    cup.battle = "tetuan"
    cup.round(1, 1, 1)
    assert status_by_check(judge([cup.post(OUT, letter="welcome")]))["draws"] == "FALSE"


def grouped(seeds: Sequence[int] | None = None) -> Cup:
    """Groups 1 4 5 and 2 3, of which two each go on; the lower number wins."""
    cup = Cup(text=GROUPS)
    for number in (1, 2, 3):
        table = cup.round(number, 1, number)
    known = {entrant.number: entrant for entrant in cup.entrants}
    cup.stage(table)
    cup.entrants = tuple(known[seed] for seed in seeds) if seeds else cup.entrants
    cup.round(4, 2, 1)
    return cup


@pytest.mark.parametrize(("seeds", "is_wrong"), SEEDS)
def test_plain_mode_sees_who_goes_on_from_groups_and_as_which_seed(seeds, is_wrong):
    cup = grouped(seeds)
    assert [entrant.number for entrant in cup.entrants] == (seeds or [1, 2, 4, 3])
    lines = judge([cup.post(OUT, letter="welcome")]).lines
    why = f"{EVENT} r4~1: by the table before it others go on, or as other seeds: e1 e2 e4 e3"
    assert {line.check for line in lines if line.status == "FALSE"} == ({"draws"} if is_wrong else set())
    assert any(why in line.why for line in lines) == is_wrong
    _, came = verify_cup(grouped(seeds))
    assert any(finding.truth is False and "others go on" in finding.why for finding in came) == is_wrong


BENT = [(None, 3), (moved, 2), (moved, 3), (crossed, 2), (without_third, 3)]
"""Pairs that are not those of the bracket, and the round in which they are drawn."""


@pytest.mark.parametrize(("change", "last"), BENT)
@pytest.mark.parametrize("seeds", ["rating", "lot"])
def test_plain_mode_sees_by_itself_who_goes_on_in_a_bracket(change, last, seeds):
    lines = judge([knocked(change, last, seeds).post(OUT, letter="welcome")]).lines
    _, came = verify_cup(knocked(change, last, seeds))
    others = f"{EVENT} r{last}~1: by its bracket and the scores before it others meet: e"
    assert {line.check for line in lines if line.status == "FALSE"} == ({"draws"} if change else set())
    assert any(why.startswith(others) for line in lines for why in line.why) == bool(change)
    assert any(finding.truth is False and f"r{last}~1" in finding.why for finding in came) == bool(change)
