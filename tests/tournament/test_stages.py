"""E3 Stages: ranks of each format, who goes on, matches of teams, tables of a board."""

import pytest

from pbem.tournaments.arithmetic.entrants import NOBODY, PENDING, TableResult
from pbem.tournaments.arithmetic.pairing.drawn import Pair, PairingManner, RoundInput
from pbem.tournaments.arithmetic.rules.records import StageRules
from pbem.tournaments.arithmetic.rules.tables import TABLES
from pbem.tournaments.arithmetic.stages import (
    SideBid,
    TeamBoard,
    adjust_for_luck,
    award_sides,
    board_number,
    boards_of_match,
    line_up_faults,
    qualifiers_for_next_stage,
    result_of_match,
    stage_table,
    tables_of_board,
)
from pbem.tournaments.arithmetic.standings import explain_rank
from tests.tournament.build import entrants, play, results
from tests.tournament.lots import lots

ORDER = ("points", "margin", "lot")
KNOCKOUT = results(["1 1-4 0-1 -1", "1 2-3 1-0 +3", "2 4-2 0-1 -2"])


def table(name, played, count, **more):
    return stage_table(RoundInput(1, entrants(count), played, manner=PairingManner(name, **more)), ORDER, lots())


def numbers(table_found):
    return [row.number for row in table_found.rows]


def stage(name, **more):
    return StageRules(**({key.name: key.default for key in TABLES["stage"]} | {"format": name} | more))


def test_a_knockout_ranks_by_rounds():
    table_found = table("knockout", KNOCKOUT, 4)
    assert numbers(table_found) == [2, 4, 1, 3]
    assert [row.values["reached"] for row in table_found.rows] == [2, 1, 0, 0]
    why = explain_rank(table_found, 4)
    assert why.behind is not None
    assert (why.behind.rule, why.behind.mine, why.behind.his) == ("E3.3", 1, 2)


def test_double_elimination_ranks_by_the_round_one_went_out_in():
    _, played = play(8, PairingManner("double"), 4)
    table_found = table("double", played, 8)
    values = [row.values["survived"] for row in table_found.rows]
    assert values == sorted(values, reverse=True)
    assert values[0] > values[1] > values[2]


def test_a_ladder_ranks_by_place_and_a_league_by_division():
    table_found = table("ladder", results(["1 2-1 1-0", "1 3-4 ="]), 4, rounds=3)
    assert numbers(table_found) == [2, 1, 3, 4]
    league = table("league", results(["1 1-2 0-1", "1 3-4 0-1", "2 2-1 1-0", "2 4-3 1-0"]), 4, divisions=2)
    assert numbers(league) == [2, 1, 4, 3]
    assert [row.values["division"] for row in league.rows] == [-1, -1, -2, -2]


def test_the_best_go_on_with_their_points_half_of_them_or_none():
    played = results(["1 1-2 1-0 +1", "1 3-4 =", "2 1-3 =", "2 2-4 0-1"])
    table_found = table("swiss", played, 4, rounds=2)
    assert [(row.number, row.tally.halves) for row in table_found.rows] == [(1, 3), (4, 3), (3, 2), (2, 0)]
    assert qualifiers_for_next_stage(table_found, PairingManner(), stage("knockout", take=2)) == ((1, 4), {})
    assert qualifiers_for_next_stage(table_found, PairingManner(), stage("robin", take=3, carry="half")).start == {
        1: 2,
        4: 2,
        3: 1,
    }
    assert qualifiers_for_next_stage(table_found, PairingManner(), stage("robin", carry="all")) == (
        (1, 4, 3, 2),
        {1: 3, 4: 3, 3: 2},
    )
    assert qualifiers_for_next_stage(table_found, PairingManner(), stage("robin", take=3), frozenset({1})).seeds == (
        4,
        3,
        2,
    )


def test_a_league_goes_on_as_its_divisions_have_moved():
    table_found = table("league", results(["1 1-2 0-1", "1 3-4 0-1"]), 4, divisions=2)
    before = PairingManner("league", divisions=2, moving=1)
    assert qualifiers_for_next_stage(table_found, before, stage("league", divisions=2)).seeds == (2, 4, 1, 3)
    assert qualifiers_for_next_stage(table_found, before, stage("knockout", take=2)).seeds == (2, 1)


def test_luck_is_taken_off_margins_by_its_share():
    assert adjust_for_luck({1: 4, 2: 3}, {1: 6}, 35) == {1: 400 - 210, 2: 300}
    field = RoundInput(1, entrants(2), results(["1 1-2 = +2"]), manner=PairingManner("swiss", 1))
    order = ("points", "luck")
    assert numbers(stage_table(field, order, lots(), adjust_for_luck({1: 2, 2: -2}, {1: 6, 2: -6}, 35))) == [2, 1]
    assert numbers(stage_table(field, order, lots(), adjust_for_luck({1: 2, 2: -2}, {1: 6, 2: -6}, 33))) == [1, 2]


def test_boards_of_teams_go_to_and_fro():
    line_ups = {1: (11, 12, 13), 2: (21, 22)}
    assert boards_of_match(Pair(1, 1, 2), line_ups, 4) == (
        TeamBoard(1, 11, 21),
        TeamBoard(2, 22, 12),
        TeamBoard(3, 13, NOBODY),
    )
    assert boards_of_match(Pair(1, 1), line_ups, 4) == ()
    assert board_number(2, 1, 4) == 5


def test_a_line_up_is_of_members_none_twice():
    assert line_up_faults((11, 12), (11, 12, 13), 2) == ()
    assert line_up_faults((11, 9, 11), (11, 12), 2) == (("stranger", 9), ("twice", 11), ("many", 3))


MEMBERS = {11: 1, 12: 1, 21: 2, 22: 2}


@pytest.mark.parametrize(
    ("tables", "halves", "margin", "how"),
    [
        ([TableResult(1, 1, 11, 21, (2, 0)), TableResult(1, 2, 22, 12, (1, 1))], (2, 0), 2, "played"),
        ([TableResult(1, 1, 11, 21, (2, 0)), TableResult(1, 2, 22, 12, (2, 0))], (1, 1), 0, "played"),
        ([TableResult(1, 1, 11, 21, (0, 2)), TableResult(1, 2, 12, NOBODY, (2, 0), 0, "forfeit")], (1, 1), 0, "played"),
        ([TableResult(1, 1, 11, 21, (0, 2)), TableResult(1, 2, 22, 12, how=PENDING)], (0, 0), 0, PENDING),
        ([TableResult(1, 1, 11, 21, (0, 0), 0, "forfeit")], (0, 0), 0, "forfeit"),
        ([], (0, 0), 0, PENDING),
    ],
)
def test_a_match_is_won_by_boards(tables, halves, margin, how):
    result = result_of_match(Pair(3, 1, 2), 1, tables, MEMBERS)
    assert result == TableResult(1, 3, 1, 2, halves, margin, how)


def test_a_mirrored_board_has_two_tables():
    assert tables_of_board(Pair(1, 3, 7), "mirror") == (("a", 3, 7), ("b", 7, 3))
    assert tables_of_board(Pair(1, 3, 7), "duplicate") == (("", 3, 7),)
    assert tables_of_board(Pair(1, 3), "mirror") == ()


@pytest.mark.parametrize(
    ("bids", "award", "what"),
    [
        ([], (3, 7, 0, 0), "no bid"),
        ([(3, 1, 4)], (7, 3, 0, 0), "one bid"),
        ([(7, 0, 4)], (7, 3, 0, 0), "one bid"),
        ([(3, 0, 4), (7, 0, 5)], (7, 3, 7, 5), "bid"),
        ([(3, 0, 5), (7, 0, 4)], (3, 7, 3, 5), "bid"),
        ([(3, 1, 5), (7, 1, 5)], (7, 3, 3, 5), "alike"),
        ([(3, 1, 5), (7, 0, 2)], (7, 3, 0, 0), "other sides"),
        ([(3, 0, 5), (9, 0, 8), (7, 0, 6), (7, 0, 4)], (3, 7, 3, 5), "bid"),
    ],
)
def test_sides_go_to_him_who_bids_more(bids, award, what):
    sides_awarded = award_sides(Pair(1, 3, 7), [SideBid(*bid) for bid in bids])
    assert sides_awarded[:4] == award
    assert (sides_awarded.why.rule, sides_awarded.why.what) == ("E5.5", what)


@pytest.mark.parametrize(
    ("name", "pending"),
    [
        ("knockout", ["1 1-4 0-1 -1", "1 2-3 pending"]),
        ("knockout", ["1 1-4 0-1 -1", "1 2-3 1-0 +3", "2 4-2 pending"]),
        ("double", ["1 1-4 0-1", "1 2-3 1-0", "2 4-2 pending", "2 1-3 0-1"]),
        ("ladder", ["1 2-1 1-0", "1 3-4 =", "2 2-1 pending", "2 3-4 ="]),
    ],
)
def test_the_table_of_a_round_that_is_played_is_that_of_the_rounds_before_it(name, pending):
    decided = results([line.replace("pending", "=") for line in pending])
    played = [
        pair_drawn._replace(how=PENDING, halves=(0, 0)) if "pending" in line else pair_drawn
        for pair_drawn, line in zip(decided, pending, strict=True)
    ]
    first = {"knockout": "reached", "double": "survived", "ladder": "place"}[name]
    last = max(result.round for result in played)
    before = table(name, [result for result in played if result.round < last], 4, rounds=3)
    values = {row.number: row.values[first] for row in table(name, played, 4, rounds=3).rows}
    assert values == {row.number: row.values[first] for row in before.rows}
