"""How a game stands, in words: who wins by which lead, what is lacking, what changed."""

import pytest

from pbem.engine.data.messages import msg, plain_english
from pbem.engine.data.score_sheet import (
    AccountStep,
    Gain,
    Goal,
    Score,
    ScoredPoints,
    ScoreSheet,
    ScoreWords,
    no_events_text,
    point_changes,
    points_account,
    scores,
    situation_block,
    sum_points,
    victory_block,
)

SIDES = {"red": msg("Red"), "blue": msg("Blue")}
WORDS = ScoreWords(
    SIDES,
    {"place": msg("ground"), "steps": msg("steps")},
    lambda gain: msg("{what}", what=gain.what or gain.kind),
    lambda arrivals: msg("turn {turn}", turn=arrivals[0].turn),
    lambda army: SIDES[army.side],
    lambda tally: msg("{kind}", kind=tally.kind),
    (),
)


def standing(red, blue, red_lead, blue_lead, leader="draw"):
    return ScoreSheet(
        3, 5, 3, leader=leader, scores=scores({"red": red, "blue": blue}, {"red": red_lead, "blue": blue_lead})
    )


def lines(block):
    return [plain_english(line) for _, line in block.lines]


@pytest.mark.parametrize(
    ("leads", "expected"),
    [
        (
            (2, 1),
            [
                "At the end of turn 5: victory for Red with 2 or more ahead of Blue; "
                "victory for Blue with 1 or more ahead of Red.",
                "A draw: both level, Red ahead by 1.",
            ],
        ),
        (
            (-17, 21),
            [
                "At the end of turn 5: victory for Blue with a lead of 21 or more; a draw: Blue ahead by 18 to 20; "
                "else victory for Red.",
            ],
        ),
        (
            (0, 5),
            [
                "At the end of turn 5: victory for Red if level with Blue or ahead; "
                "victory for Blue with 5 or more ahead of Red.",
                "A draw: Blue ahead by 1 to 4.",
            ],
        ),
        (
            (3, 3),
            [
                "At the end of turn 5: victory for Red with 3 or more ahead of Blue; "
                "victory for Blue with 3 or more ahead of Red.",
                "A draw: both level, Red ahead by 1 to 2, Blue ahead by 1 to 2.",
            ],
        ),
        (
            (1, 0),
            [
                "At the end of turn 5: victory for Red with 1 or more ahead of Blue; "
                "victory for Blue if level with Red or ahead."
            ],
        ),
    ],
)
def test_the_leads_that_win_are_said_and_those_that_do_not(leads, expected):
    win_lines = lines(victory_block(standing(0, 0, *leads), WORDS))
    assert win_lines[: len(expected)] == expected
    assert any(line.startswith("A draw") for line in win_lines) == (len(expected) > 1)


WHO_LACKS_THE_POINTS_THAT_HE_IS_TOLD_WINS_WITH_THEM = [(2, 1), (-17, 21), (0, 5), (3, 3), (1, 0)]


def test_who_lacks_the_points_that_he_is_told_wins_with_them(subtests):
    """Each side's lack is the least that makes it a winner; nobody lacks nothing but the one who would win."""
    for lead in range(-25, 26):
        for leads in WHO_LACKS_THE_POINTS_THAT_HE_IS_TOLD_WINS_WITH_THEM:
            with subtests.test(f"{lead!r} {leads!r}"):
                (red, blue), (high, low) = scores({"red": lead, "blue": 0}, {"red": leads[0], "blue": leads[1]}), leads
                assert (red.lacks == 0) == (lead >= high)
                assert (blue.lacks == 0) == (-lead >= low)
                assert red.lacks == next(n for n in range(100) if lead + n >= high)
                assert blue.lacks == next(n for n in range(100) if n - lead >= low)


def test_points_are_told_with_what_is_lacking():
    block = situation_block(standing(10, 10, 2, 1), WORDS)
    assert plain_english(block.title) == "Turn 3 of 5"
    assert lines(block) == [
        "Points: Red 10, Blue 10. "
        "If it ended now: a draw; 2 more points would win it for Red; 1 more point would win it for Blue.",
    ]


def test_where_not_all_is_seen_nobody_is_told_to_lead():
    seen = standing(1, 2, 2, 1, leader="")._replace(
        goals=(Goal("place", ("Hill",), 3, "?", manned=False), Goal("place", ("Ford",), 1, "")), hidden=3
    )
    assert lines(situation_block(seen, WORDS)) == [
        "Points, as far as you can see: Red 1, Blue 2; out of sight: 3.",
        "Goals held by nobody: Ford 1; unseen (?): Hill 3.",
    ]


def test_where_no_goal_is_out_of_sight_none_is_spoken_of():
    seen = standing(1, 2, 2, 1, leader="")._replace(goals=(Goal("place", ("Ford",), 1, ""),))
    assert lines(situation_block(seen, WORDS)) == [
        "Points, as far as you can see: Red 1, Blue 2.",
        "Goals held by nobody: Ford 1.",
    ]


def test_the_end_names_winner_margin_and_terms():
    over = standing(10, 4, 2, 1, leader="red")._replace(over=True, cite="O6")
    assert lines(situation_block(over, WORDS))[:4] == [
        "The game is over: victory for Red [O6]: Red 10, Blue 4.",
        "Margin: 6 for Red.",
        "At the end of turn 5: victory for Red with 2 or more ahead of Blue; "
        "victory for Blue with 1 or more ahead of Red.",
        "A draw: both level, Red ahead by 1.",
    ]
    level = standing(4, 4, 2, 1)._replace(over=True, cite="O6")
    assert lines(situation_block(level, WORDS))[:2] == [
        "The game is over: a draw [O6]: Red 4, Blue 4.",
        "Margin: none, both have the same points.",
    ]


def test_what_changed_is_the_difference_of_two_counts():
    before = [ScoredPoints("blue", "place", "Hill", 3), ScoredPoints("red", "steps", "blue", 1, 7)]
    after = [ScoredPoints("red", "place", "Hill", 3), ScoredPoints("red", "steps", "blue", 2, 8)]
    gain_list = point_changes(before, after)
    assert gain_list == (
        Gain("place", "Hill", (("red", 3), ("blue", -3)), "blue", "red"),
        Gain("steps", "blue", (("red", 1),), "red", "red", 1, 8),
    )
    earlier, two = (sum_points(count, SIDES) for count in (before, after))
    for side in SIDES:
        assert sum(dict(gain.points).get(side, 0) for gain in gain_list) == two[side] - earlier[side]
    assert point_changes(after, after) == ()


def test_only_changes_that_gave_points_are_told_with_the_points():
    quiet = point_changes([ScoredPoints("red", "steps", "blue", 1, 4)], [ScoredPoints("red", "steps", "blue", 1, 6)])
    gained = point_changes([ScoredPoints("red", "steps", "blue", 1, 4)], [ScoredPoints("red", "steps", "blue", 2, 8)])
    assert not any(
        "Changed" in line for line in lines(situation_block(standing(0, 0, 1, 1)._replace(gains=quiet), WORDS))
    )
    stakes = standing(0, 0, 1, 1)._replace(gains=(*quiet, *gained))
    assert "Changed in this phase: blue: Red +1." in lines(situation_block(stakes, WORDS))
    # Reports of games tell losses by themselves.
    assert not any("Changed" in line for line in lines(situation_block(stakes, WORDS._replace(losses=("steps",)))))


def test_what_came_to_a_count_is_named_and_so_is_what_left_it():
    some, more = (ScoredPoints("red", "steps", "blue", n, n, units) for n, units in ((1, ("A",)), (2, ("A", "B"))))
    assert point_changes([some], [more])[0].units == ("B",)
    assert point_changes([more], [some])[0].units == ("B",)


def test_an_account_leaves_out_phases_without_points():
    gain = Gain("place", "Hill", (("red", 3), ("blue", -3)), "blue", "red")
    quiet = Gain("steps", "blue", (), more=1, total=1)
    start = (Score("red", 0), Score("blue", 11))
    phases = [
        AccountStep(1, SIDES["red"], (quiet,)),
        AccountStep(2, SIDES["blue"], (gain, quiet)),
        AccountStep(3, None, (gain,)),
    ]
    assert lines(points_account(start, phases, WORDS)) == [
        "At the beginning: Red 0, Blue 11.",
        "Turn 2, Blue:",
        "Hill: Red +3, Blue -3",
        "Before turn 3, by the moderator's ruling:",
        "Hill: Red +3, Blue -3",
    ]


def test_nothing_has_happened_yet_only_when_it_is_so():
    assert [plain_english(sentence) for sentence in no_events_text((), first=True)] == ["No phase has been played yet."]
    assert no_events_text((), first=False) == ()
    assert [plain_english(sentence) for sentence in no_events_text(("a phase",), first=True)] == [
        "Nothing happened in this phase that you could see."
    ]


def test_as_data_every_record_names_its_fields():
    value = (
        standing(1, 2, 2, 1)
        ._replace(goals=(Goal("place", ("Hill",), 3, "?"),), gains=(Gain("place", "Hill", (("red", 3),), "", "red"),))
        .to_json()
    )
    assert value["goals"] == [{"kind": "place", "places": ["Hill"], "worth": 3, "holder": "?", "manned": True}]
    assert value["scores"][0] == {"side": "red", "points": 1, "lead": 2, "lacks": 3}
    assert value["gains"][0]["points"] == {"red": 3}
    assert (value["turn"], value["turns"], value["left"]) == (3, 5, 3)
