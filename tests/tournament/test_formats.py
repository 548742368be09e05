"""E3 Formats: laws that hold in every field, and small ones looked at board by board."""

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.tournaments.arithmetic.entrants import BYE, NOBODY, PENDING, Entrant, TableResult, entrant_records
from pbem.tournaments.arithmetic.pairing.draw import FORMATS, draw
from pbem.tournaments.arithmetic.pairing.drawn import PairingManner, RoundInput
from pbem.tournaments.arithmetic.pairing.knockout import UndecidedRound, bracket_seed_order, levels_after, winner_of
from pbem.tournaments.arithmetic.pairing.ladder import (
    challenge_fault,
    challengeable_opponents,
    ladder_after_win,
    ladder_before,
    valid_challenges,
    without_pending_boards,
)
from pbem.tournaments.arithmetic.pairing.robin import circle_method_pairs, divisions_of, promote_and_relegate
from pbem.tournaments.arithmetic.rules.records import StageRules, most_rounds_of
from pbem.tournaments.arithmetic.rules.tables import FORMAT_KEYS, TABLES
from tests.tournament.build import entrants, play, results
from tests.tournament.lots import lots

COUNTS = st.integers(2, 20)
SEEDS = st.integers(0, 10**6)
GONE = st.dictionaries(st.integers(1, 9), st.sets(st.integers(1, 20), max_size=5), max_size=6)


def boards(drawn):
    return [(pair.first, pair.second) for pair in drawn.pairs]


def people(drawn):
    return sorted(number for pair in drawn.pairs for number in (pair.first, pair.second) if number != NOBODY)


def test_every_format_of_the_rules_is_drawn():
    assert set(FORMATS) == set(TABLES["stage"][0].kind.says.split("/"))
    assert {key for some in FORMAT_KEYS.values() for key in some} <= set(FORMATS)


@settings(max_examples=60, deadline=None)
@given(
    name=st.sampled_from(sorted(FORMATS)),
    count=COUNTS,
    seed=SEEDS,
    gone=GONE,
    sides=st.sampled_from(["balanced", "lot"]),
)
def test_nobody_has_two_pairings_and_who_is_there_and_still_in_has_one(name, count, seed, gone, sides):
    manner = PairingManner(name, 6 if name in ("swiss", "ladder") else 0, sides, divisions=min(3, count // 2))
    drawn, played = play(count, manner, seed, lambda number: gone.get(number, ()))
    assert len(drawn) <= {"robin": 20, "league": 20, "knockout": 5, "double": 11}.get(name, 6)
    for number, round_ in enumerate(drawn, start=1):
        seen = people(round_)
        assert len(seen) == len(set(seen))
        assert not set(seen) & gone.get(number, set())
        assert [pair.board for pair in round_.pairs] == [*range(1, len(round_.pairs) + 1)]
        byes = [pair.second == NOBODY for pair in round_.pairs]
        assert byes == sorted(byes)
        assert all(pair.why for pair in round_.pairs)
        if name in ("swiss", "robin", "ladder"):
            assert seen == sorted(set(range(1, count + 1)) - gone.get(number, set()))
        again = draw(
            RoundInput(
                number,
                entrants(count),
                tuple(result for result in reversed(played) if result.round < number),
                frozenset(gone.get(number, ())),
                manner=manner,
            ),
            lots(seed * 1000 + number),
        )
        assert again == round_


@given(count=COUNTS, double=st.booleans())
def test_in_a_robin_all_meet_all_on_either_side_as_often(count, double):
    drawn, played = play(count, PairingManner("robin", double=double), 1)
    met = sorted(tuple(sorted(pair)) for round_ in drawn for pair in boards(round_) if pair[1] != NOBODY)
    assert met == sorted([*combinations(range(1, count + 1), 2)] * (2 if double else 1))
    owed = [abs(tally.side_due) for tally in entrant_records(entrants(count), played).values()]
    assert max(owed) == (0 if double or count % 2 else 1)
    if double:
        half = len(drawn) // 2
        turned = [[(b, a) if b else (a, b) for a, b in boards(drawn_round)] for drawn_round in drawn[:half]]
        assert [boards(drawn_round) for drawn_round in drawn[half:]] == turned


def test_a_circle_of_six_and_one_of_five():
    assert [circle_method_pairs([1, 2, 3, 4, 5, 6], number) for number in (1, 2)] == [
        [(1, 6), (2, 5), (4, 3)],
        [(6, 2), (3, 1), (5, 4)],
    ]
    assert circle_method_pairs([1, 2, 3, 4, 5], 1) == [(1, NOBODY), (2, 5), (4, 3)]


def test_a_second_meeting_by_lot_is_the_other_way_round():
    drawn, _ = play(5, PairingManner("robin", sides="lot", double=True), 3)
    first = {pair for drawn_round in drawn[:5] for pair in boards(drawn_round) if pair[1]}
    assert {(b, a) for drawn_round in drawn[5:] for a, b in boards(drawn_round) if b} == first
    assert drawn[0].pairs[0].why[-1].rule == "E5.3"


def test_whose_opponent_is_away_has_a_bye_and_why():
    drawn = draw(RoundInput(1, entrants(6), away=frozenset({6}), manner=PairingManner("robin")), lots())
    assert boards(drawn) == [(2, 5), (4, 3), (1, NOBODY)]
    assert drawn.pairs[-1].why[0] == ("E3.2", "away", {"with": "e6"})


def test_those_barred_from_each_other_are_said_where_a_format_brings_them_together():
    field = (Entrant(1, barred=frozenset({2})), Entrant(2))
    for name in ("robin", "knockout", "double", "ladder"):
        drawn = draw(RoundInput(1, field, manner=PairingManner(name, 3)), lots())
        assert list(drawn.opened) == boards(drawn)


def test_a_bracket_brings_the_best_together_last():
    assert bracket_seed_order(8) == [1, 8, 4, 5, 2, 7, 3, 6]
    assert [len(bracket_seed_order(count)) for count in (1, 2, 3, 5, 16)] == [1, 2, 4, 8, 16]


def test_byes_of_a_bracket_are_of_the_best_seeds():
    drawn = draw(RoundInput(1, entrants(6), manner=PairingManner("knockout")), lots())
    assert sorted(map(sorted, boards(drawn))) == [[0, 1], [0, 2], [3, 6], [4, 5]]
    assert [pair.why[0][:2] for pair in drawn.pairs] == [("E3.3", "bracket")] * 2 + [("E3.3", "bye")] * 2


@given(count=COUNTS, seed=SEEDS)
def test_a_knockout_leaves_one_in_as_many_rounds_as_a_bracket_has(count, seed):
    drawn, played = play(count, PairingManner("knockout"), seed)
    assert len(drawn) == (count - 1).bit_length() == most_rounds_of(_stage("knockout"), count)
    assert sum(result.second != NOBODY for result in played) == count - 1
    left = levels_after(RoundInput(9, entrants(count), played), len(drawn))[-1].slots
    assert len(left) == 1
    assert left[0] not in [board.second if board.halves[0] else board.first for board in played if board.second]


def _stage(name, **more):
    values = {key.name: key.default for key in TABLES["stage"]} | {"format": name} | more
    return StageRules(**values)


def test_who_is_away_is_out_and_two_who_forfeit_both():
    field = RoundInput(2, entrants(4), results(["1 1-4 - forfeit", "1 3 bye"]), manner=PairingManner("knockout"))
    assert levels_after(field, 1)[-1].slots == (NOBODY, 3)
    assert draw(field, lots()).over
    away = RoundInput(
        2, entrants(4), results(["1 1-4 1-0", "1 3-2 1-0"]), frozenset({1}), manner=PairingManner("knockout")
    )
    assert boards(draw(away, lots())) == [(3, NOBODY)]


@pytest.mark.parametrize(
    ("lines", "winner"),
    [
        (["1 1-2 1-0"], 1),
        (["1 1-2 0-1"], 2),
        (["1 2-1 = +1"], 2),
        (["1 2-1 = -1"], 1),
        (["1 2-1 = +0"], 1),
        (["1 1-2 1-0 +1", "1 2-1 1-0 +2"], 2),
        (["1 1-2 1-0 +2", "1 2-1 1-0 +1"], 1),
        (["1 1-2 0-1 forfeit"], 2),
        (["1 1-2 - forfeit"], NOBODY),
        (["1 1-2 - adjudicated"], 1),
    ],
)
def test_one_of_two_goes_on(lines, winner):
    assert winner_of(results(lines), {1: 1, 2: 2}) == winner


@pytest.mark.parametrize("name", ["knockout", "double", "ladder"])
def test_what_is_pending_decides_nothing(name):
    pending = (TableResult(1, 1, 1, 4, how=PENDING), TableResult(1, 2, 2, 3, (2, 0)))
    with pytest.raises(UndecidedRound, match="round 1: e1 and e4"):
        draw(RoundInput(2, entrants(4), pending, manner=PairingManner(name, 4)), lots())


@given(count=COUNTS, seed=SEEDS)
def test_in_double_elimination_all_but_one_lose_twice(count, seed):
    drawn, played = play(count, PairingManner("double"), seed)
    lost = [board.second if board.halves[0] else board.first for board in played if board.second]
    times = sorted(lost.count(number) for number in range(1, count + 1))
    assert times[1:] == [2] * (count - 1)
    assert times[0] in (0, 1)
    assert len(drawn) <= most_rounds_of(_stage("double"), count)
    # The last two meet again if the upper lost.
    assert len(lost) == 2 * count - 2 + times[0]


def test_the_lower_bracket_avoids_those_who_have_met():
    before = results(["1 1-4 1-0", "1 2-3 1-0", "2 1-2 1-0", "2 3-4 1-0"])
    third = draw(RoundInput(3, entrants(4), before, manner=PairingManner("double")), lots())
    assert sorted(map(sorted, boards(third))) == [[0, 1], [2, 3]]
    assert [reason.what for reason in third.pairs[0].why if reason.rule == "E3.4"] == ["lower"]
    six = results(["1 4-5 1-0", "1 3-6 1-0", "1 1 bye", "1 2 bye", "2 1-4 1-0", "2 2-3 1-0", "2 5-6 1-0"])
    lower = draw(RoundInput(3, entrants(6), six, manner=PairingManner("double")), lots())
    # e3 would rest, but e4 and e5 have met.
    assert sorted(map(sorted, boards(lower))) == [[0, 4], [1, 2], [3, 5]]


@pytest.mark.parametrize(
    ("winner", "loser", "challenge", "after"),
    [
        (4, 1, "swap", [4, 1, 2, 3, 5]),
        (4, 1, "half", [1, 4, 2, 3, 5]),
        (3, 1, "half", [1, 3, 2, 4, 5]),
        (5, 1, "half", [1, 2, 5, 3, 4]),
        (2, 1, "half", [2, 1, 3, 4, 5]),
        (1, 4, "swap", [1, 2, 3, 4, 5]),
    ],
)
def test_who_wins_from_below_climbs(winner, loser, challenge, after):
    assert ladder_after_win([1, 2, 3, 4, 5], winner, loser, challenge) == after


def test_a_ladder_pairs_neighbours_and_next_time_others():
    first = draw(RoundInput(1, entrants(6), manner=PairingManner("ladder", 5)), lots())
    assert sorted(map(sorted, boards(first))) == [[1, 2], [3, 4], [5, 6]]
    played = tuple(TableResult(1, pair.board, pair.first, pair.second, (1, 1)) for pair in first.pairs)
    second = draw(RoundInput(2, entrants(6), played, manner=PairingManner("ladder", 5)), lots())
    assert not set(map(frozenset, boards(first))) & set(map(frozenset, boards(second)))
    assert draw(RoundInput(6, entrants(6), manner=PairingManner("ladder", 5)), lots()).over


def test_challenges_come_first_and_reach_so_far():
    field = RoundInput(
        1, entrants(7), manner=PairingManner("ladder", 5, reach=3), challenges=((4, 1), (5, 1), (7, 3), (2, 6))
    )
    drawn = draw(field, lots())
    assert [sorted(pair) for pair in boards(drawn)] == [[1, 4], [2, 3], [5, 6], [0, 7]]
    assert [pair.why[0].what for pair in drawn.pairs] == ["challenge", "neighbours", "neighbours", "bye"]
    assert drawn.pairs[0].why[0].values == {"by": "e4", "e4": 4, "e1": 1}
    assert valid_challenges(field) == ((4, 1),)
    assert [challenge_fault(field, 4, other) for other in (1, 2, 5, 4, 9)] == ["", "", "below", "below", "away"]
    assert challenge_fault(field, 5, 1) == "far"
    assert challenge_fault(field._replace(away=frozenset({1})), 4, 1) == "away"
    places = ladder_before(field, 1)
    assert [challengeable_opponents(field, places, number) for number in (1, 3, 7)] == [[], [1, 2], [4, 5, 6]]
    few = field._replace(away=frozenset({5, 2}))
    assert [challengeable_opponents(few, places, number) for number in (3, 2, 7)] == [[1], [], [4, 6]]


def test_nobody_challenges_one_barred_or_a_comrade():
    field = (Entrant(1, barred=frozenset({3})), Entrant(2, team="lions"), Entrant(3), Entrant(4, team="lions"))
    asked = RoundInput(1, field, manner=PairingManner("ladder", 5))
    assert [challenge_fault(asked, *two) for two in ((3, 1), (3, 2), (4, 2), (4, 1))] == ["barred", "", "barred", ""]
    assert [challengeable_opponents(asked, [1, 2, 3, 4], number) for number in (3, 4)] == [[2], [1, 3]]


def test_a_ladder_while_a_round_is_played_stands_as_far_as_it_is_over():
    played = results(["1 2-1 - pending", "1 4-3 1-0"])
    field = RoundInput(2, entrants(4), played, manner=PairingManner("ladder", 5))
    with pytest.raises(UndecidedRound):
        ladder_before(field, 2)
    assert ladder_before(without_pending_boards(field), 2) == [1, 2, 4, 3]


def test_a_ladder_has_late_entrants_below_and_counts_from_the_top():
    field = (*entrants(3), Entrant(4, 2500, since=2))
    played = results(["1 2-1 1-0", "2 4-3 1-0", "2 1-2 ="])
    assert ladder_before(RoundInput(2, field, played, manner=PairingManner("ladder", 5)), 2) == [2, 1, 3, 4]
    assert ladder_before(RoundInput(3, field, played, manner=PairingManner("ladder", 5)), 3) == [2, 1, 4, 3]


def test_a_league_plays_in_divisions():
    manner = PairingManner("league", divisions=3)
    field = RoundInput(1, entrants(11), manner=manner)
    assert [[entrant.number for entrant in some] for some in divisions_of(field)] == [
        [1, 2, 3, 4],
        [5, 6, 7, 8],
        [9, 10, 11],
    ]
    drawn, _ = play(11, manner, 5)
    assert len(drawn) == 3
    division_of = {number: (number - 1) // 4 for number in range(1, 12)}
    assert all(division_of[a] == division_of[b] for drawn_round in drawn for a, b in boards(drawn_round) if b)


def test_a_league_moves_up_and_down():
    assert promote_and_relegate([[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11]], 1) == [
        [1, 2, 3, 5],
        [4, 6, 7, 9],
        [8, 10, 11],
    ]
    assert promote_and_relegate([[1, 2, 3, 4], [5, 6, 7, 8]], 2) == [[1, 2, 5, 6], [3, 4, 7, 8]]
    assert promote_and_relegate([[1, 2], [3, 4]], 0) == [[1, 2], [3, 4]]


def test_byes_count_as_such():
    _, played = play(5, PairingManner("robin"), 2)
    assert sorted(tally.byes for tally in entrant_records(entrants(5), played).values()) == [1] * 5
    assert sum(board.how == BYE for board in played) == 5
