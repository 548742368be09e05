"""E10 What decides a table that the end of its round cuts off; E11 what is told to the director."""

import random

import pytest

from pbem.tournaments.arithmetic.entrants import FIRST, SECOND
from pbem.tournaments.arithmetic.facts import (
    FactThresholds,
    LetterTrace,
    ObservedFact,
    ObservedPlay,
    PhaseOrders,
    Resignation,
    notable_facts,
)
from pbem.tournaments.arithmetic.rules.records import UnfinishedGameMethod
from pbem.tournaments.arithmetic.unfinished import (
    DRAWN,
    CutOffTable,
    decide_by_continuations,
    decide_by_points,
    decide_by_rules,
    decide_by_votes,
)
from tests.tournament.build import results

WAYS = (UnfinishedGameMethod("points", 4), UnfinishedGameMethod("continue", 200, 75), UnfinishedGameMethod("jury"))


@pytest.mark.parametrize(("margin", "winner"), [(4, FIRST), (3, None), (0, None), (-3, None), (-4, SECOND), (9, FIRST)])
def test_points_decide_from_a_lead_on(margin, winner):
    assert decide_by_points(margin, 4) == winner


@pytest.mark.parametrize(
    ("counts", "outcome"),
    [((150, 0, 50), FIRST), ((149, 1, 50), None), ((40, 8, 152), SECOND), ((0, 150, 50), DRAWN), ((0, 0, 0), None)],
)
def test_continuations_decide_where_enough_agree(counts, outcome):
    assert decide_by_continuations(counts, 75) == outcome


@pytest.mark.parametrize(
    ("votes", "outcome"),
    [([0, 0, 1], FIRST), ([1, 0, 1], SECOND), ([2, 2, 0], DRAWN), ([0, 1, 2], None), ([0, 1], None), ([], None)],
)
def test_a_jury_decides_by_more_than_half(votes, outcome):
    assert decide_by_votes(votes) == outcome


@pytest.mark.parametrize(
    ("cut", "halves", "way", "asks"),
    [
        (CutOffTable(4), (2, 0), "points", ""),
        (CutOffTable(3), None, "", "continue"),
        (CutOffTable(3, (150, 0, 50)), (2, 0), "continue", ""),
        (CutOffTable(3, (50, 0, 150)), (0, 2), "continue", ""),
        (CutOffTable(3, (100, 0, 100)), None, "", "jury"),
        (CutOffTable(3, (100, 0, 100), (2, 2, 1)), (1, 1), "jury", ""),
        (CutOffTable(3, (100, 0, 100), (0, 1, 2)), (1, 1), "draw", ""),
    ],
)
def test_the_ways_are_gone_in_order(cut, halves, way, asks):
    decision = decide_by_rules(WAYS, cut)
    assert (
        decision.halves,
        decision.way.word if decision.way else "",
        decision.asks.word if decision.asks else "",
    ) == (
        halves,
        way,
        asks,
    )
    assert (decision.why is None) == (halves is None)


def test_a_draw_ends_the_ways_and_so_does_their_end():
    assert decide_by_rules((UnfinishedGameMethod("draw"), UnfinishedGameMethod("jury")), CutOffTable(9)).halves == (
        1,
        1,
    )
    assert decide_by_rules((), CutOffTable(9)).halves == (1, 1)


def test_hosts_that_few_use_are_told():
    letters = [
        LetterTrace(3, 0, "mail.example.org"),
        LetterTrace(7, 9000, "MAIL.example.org"),
        LetterTrace(3, 99000, "mail.example.org"),
    ]
    letters += [LetterTrace(number, 10**6 * number, "big.example.com") for number in range(1, 8)]
    letters += [LetterTrace(8, 0), LetterTrace(9, 5000)]
    assert notable_facts(ObservedPlay(letters)) == (ObservedFact("host", (3, 7), {"letters": 3, "others": 0}),)


def test_letters_within_a_minute_are_told_where_they_are_many():
    mine = [LetterTrace(3, 10_000 * n) for n in range(8)]
    his = [LetterTrace(7, 10_000 * n + (60 if n < 2 else 61)) for n in range(5)]
    assert notable_facts(ObservedPlay([*mine, *his])) == ()
    third = LetterTrace(7, 10_000 * 7 - 60)
    assert notable_facts(ObservedPlay([*mine, *his, third])) == (
        ObservedFact("minute", (3, 7), {"times": 3, "letters": 6}),
    )


def test_orders_alike_more_than_those_of_strangers_are_told():
    luck = random.Random(4)
    orders = []
    for phase in range(6):
        plan = {number: frozenset(luck.sample("ABCDEFGHIJ", 4)) for number in range(1, 9)}
        plan[7] = plan[3]
        orders += [PhaseOrders(number, f"T{phase}", lines) for number, lines in plan.items()]
    (fact,) = notable_facts(ObservedPlay(orders=orders))
    assert (fact.what, fact.entrants, fact.values["percent"], fact.values["phases"]) == ("alike", (3, 7), 100, 6)
    assert fact.values["strangers"] < 50
    assert notable_facts(ObservedPlay(orders=orders), FactThresholds(phases=7)) == ()


def test_orders_that_all_give_tell_nothing():
    orders = [PhaseOrders(number, f"T{phase}", frozenset("AB")) for number in range(1, 6) for phase in range(9)]
    assert notable_facts(ObservedPlay(orders=orders)) == ()


def test_who_resigns_ahead_is_told_and_who_resigns_behind_is_not():
    resigned = [Resignation(3, 7, 1, 2, 9), Resignation(4, 7, 0, 2, 9)]
    assert notable_facts(ObservedPlay(resigned=resigned)) == (
        ObservedFact("resigned ahead", (3, 7), {"margin": 1, "round": 2, "turn": 9}),
    )


def test_points_that_flow_one_way_are_told():
    lines = ["1 3-7 0-1", "2 7-3 1-0", "3 3-7 0-1"]
    assert notable_facts(ObservedPlay(results=results(lines))) == (
        ObservedFact("one way", (7, 3), {"tables": 3, "halves": 6}),
    )
    assert notable_facts(ObservedPlay(results=results([*lines, "4 3-7 ="]))) == ()
    assert notable_facts(ObservedPlay(results=results(lines[1:]))) == ()


def test_the_order_of_evidence_does_not_matter():
    evidence = ObservedPlay(
        [LetterTrace(number, number * 7, "h") for number in (3, 7, 9)] * 4,
        resigned=[Resignation(9, 3, 2, 1, 1), Resignation(3, 9, 2, 1, 1)],
        results=results(["1 3-7 0-1", "2 7-3 1-0", "3 3-7 0-1"]),
    )
    facts_found = notable_facts(evidence)
    assert len(facts_found) == 3 + 3 + 2 + 1
    turned = ObservedPlay(evidence.letters[::-1], (), evidence.resigned[::-1], evidence.results[::-1])
    assert notable_facts(turned) == facts_found
