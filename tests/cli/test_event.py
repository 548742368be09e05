"""`pbem event`: a tournament founded by a file, listed, shown, ruled; every fault of a file with its line."""

import json

import pytest

RULES = """title = "Cup"
[entry]
closes = "2090-02-01"
[table]
scenario = "drill"
[round]
days = 40
[[stage]]
format = "swiss"
rounds = 2
"""


def new(hand, rules=RULES, conduct="Be kind.\n", name="cup60"):
    (hand.folder / "cup60.toml").write_text(rules)
    if conduct is not None:
        (hand.folder / "conduct.txt").write_text(conduct)
    return hand("event", "new", name, "--file", hand.folder / "cup60.toml", "--director", "rosa@players.test")


def test_a_tournament_is_founded_with_its_certain_end_told(hand):
    code, out, err = new(hand)
    assert (code, err) == (0, "")
    assert "a game of 6 phases a side is over after 32 days for certain" in out
    assert "cup60: Cup, drill, open" in out
    assert "director rosa@players.test, who writes to" in out
    assert "Cup" in hand.fine("event", "list")


def test_founding_says_where_no_seat_is_offered_to_those_who_wait(hand):
    _, out, _ = new(hand, RULES.replace('"swiss"', '"robin"').replace("rounds = 2\n", ""))
    assert "no seat is offered to those who wait: who leaves or falls silent loses his games" in out


@pytest.mark.parametrize(
    ("stage", "sentence"),
    [
        ('"robin"', "Stage 1: where the number is odd somebody has a bye each round, and it counts as won [E7.1]."),
        ('"league"', "Stage 1: where the number is odd somebody has a bye each round, and it counts as won [E7.1]."),
        (
            '"knockout"',
            "Stage 1: of a drawn game the player with the greater margin goes on, else the better seed [E3.10].",
        ),
    ],
)
def test_founding_says_what_byes_and_drawn_games_count(hand, stage, sentence):
    _, out, _ = new(hand, RULES.replace('"swiss"', stage).replace("rounds = 2\n", ""))
    assert sentence in out


def test_founding_does_not_speak_of_a_waiting_list_that_is_not_there(hand):
    _, out, _ = new(hand, RULES.replace("[table]", "waiting = 0\n[table]"))
    assert "There is no waiting list: who leaves or falls silent loses his games." in out
    assert "those who wait" not in out


def test_entrants_come_by_letter_and_a_ruling_shuts_their_list(hand):
    new(hand)
    for who in ("ana@players.test", "idris@players.test"):
        _, out, _ = hand.deliver(who, "pbem@example.org", "JOIN cup60\n")
        line = next(line for line in out.splitlines() if line.startswith("JOIN cup60 ZONE"))
        hand.deliver(who, "pbem@example.org", f"{line}\n")
    shown = json.loads(hand.fine("event", "show", "cup60", "--json"))
    assert [entrant["entrant"] for entrant in shown["entrants"]] == ["e1", "e2"]
    assert "The list of entrants is shut now." in hand.fine("event", "rule", "cup60", "SHUT BECAUSE it is time")
    shown = json.loads(hand.fine("event", "show", "cup60", "--json"))
    assert (shown["state"], shown["rounds"][0]["state"]) == ("playing", "shut")
    ranks = json.loads(hand.fine("event", "standings", "cup60", "--json"))["table"]
    assert [(row["rank"], row["points"]) for row in ranks] == [(1, "0"), (1, "0")]
    assert "cup60  Cup    playing" in hand.fine("event", "list")
    assert "r1: shut" in hand.fine("event", "show", "cup60")


@pytest.mark.parametrize(
    ("old", "new_", "why"),
    [
        ('scenario = "drill"', 'scenario = "waterloo"', "cup60.toml:5: table.scenario"),
        ('title = "Cup"', 'title = "Cup"\nzone = "Europe/Nowhere"', "cup60.toml:2: zone"),
        ("days = 40", "days = 3", "cup60.toml:7: round.days"),
        ("rounds = 2", "rounds = 2\n[teams]\nboards = 4", "cup60.toml:2: entry.waiting"),
        ("rounds = 2", 'rounds = 2\nsides = "mirror"\n[teams]\nboards = 4', "cup60.toml:11: stage 1.sides"),
        (
            'format = "swiss"\nrounds = 2',
            'format = "ladder"\nrounds = 2\n[teams]\nboards = 4',
            "cup60.toml:9: stage 1.format",
        ),
        ('closes = "2090-02-01"', 'closes = "2001-02-01"', "would have shut already"),
        (
            'closes = "2090-02-01"',
            'closes = "2090-02-01"\nplaces = 1001',
            "cup60.toml:4: entry.places: a stage of the format swiss has at most 1000; write 1000 or less, or take a",
        ),
    ],
)
def test_rules_that_cannot_be_are_refused_with_their_line(hand, old, new_, why):
    code, _, err = new(hand, RULES.replace(old, new_))
    assert code != 0
    assert why in err


def test_a_tournament_of_teams_is_shown_with_its_teams(hand):
    rules = RULES.replace("[table]", "waiting = 0\n[teams]\nboards = 2\n[table]")
    code, _, err = new(hand, rules)
    assert (code, err) == (0, "")
    who = "ana@players.test"
    _, out, _ = hand.deliver(who, "pbem@example.org", 'JOIN cup60 TEAM "Los Tercios" NAME Ana\n')
    line = next(line for line in out.splitlines() if line.startswith("JOIN cup60 TEAM"))
    hand.deliver(who, "pbem@example.org", f"{line}\n")
    shown = json.loads(hand.fine("event", "show", "cup60", "--json"))
    assert shown["teams"] == [
        {"team": "e2", "name": "Los Tercios", "state": "in", "captain": "e1", "members": ["e1"], "strength": 1500}
    ]
    assert json.loads(hand.fine("event", "standings", "cup60", "--json"))["members"] == []
    assert "Los Tercios" in hand.fine("event", "show", "cup60")


def test_a_list_of_ratings_seeds_and_who_has_not_entered_is_left_out(hand, tmp_path):
    new(hand)
    who = "ana@players.test"
    _, out, _ = hand.deliver(who, "pbem@example.org", "JOIN cup60 NAME Ana\n")
    hand.deliver(
        who, "pbem@example.org", next(line for line in out.splitlines() if line.startswith("JOIN cup60 ")) + "\n"
    )
    ratings = tmp_path / "ratings.csv"
    ratings.write_text(f"email,rating\n{who},1850\nbea@players.test,1700\n", "utf-8")
    output = hand.fine("event", "seed", "cup60", str(ratings), "--because", "the list of the club")
    assert "Strengths for seeds and pairings: Ana (e1) 1850." in output
    assert "Not entered, and left out: 1." in output
    assert json.loads(hand.fine("event", "show", "cup60", "--json"))["entrants"][0]["strength"] == 1850
    for text, why in (
        ("player,rating\n", "The first line of the list names its columns"),
        ("entrant,rating\ne1,<b>\n", "Line 2 of the list is no entrant with a rating: e1,<b>"),
        ("email,rating\nbea@players.test,1700\n", "Nobody of the list has entered cup60"),
        ("entrant,rating\ne1,1700\n1,1800\n", "e1 is named twice"),
    ):
        ratings.write_text(text, "utf-8")
        code, _, err = hand("event", "seed", "cup60", str(ratings), "--because", "x")
        assert code
        assert why in err


def test_results_standings_dates_and_times_are_printed_for_other_programs(hand):
    new(hand)
    assert "012 Cup" in hand.fine("event", "export", "cup60", "--format", "trf16")
    assert hand.fine("event", "export", "cup60", "--format", "csv").startswith("round,board,table,first,second,")
    assert hand.fine("event", "export", "cup60", "--format", "csv", "--standings").startswith(
        "rank,entrant,name,points"
    )
    whole = json.loads(hand.fine("event", "export", "cup60"))
    assert (whole["schema"], whole["results"], whole["table"]) == ("results/1", [], [])
    assert "SUMMARY:cup60: the list of entrants shuts" in hand.fine("calendar", "cup60")
    assert json.loads(hand.fine("event", "times", "cup60", "--json"))["players"] == []
    for wrong, why in (("e9", "cup60 has no entrant e9"), ("nine", "'nine' is no entrant; write one as e7")):
        code, _, err = hand("calendar", "cup60", "--entrant", wrong)
        assert code != 0
        assert why in err


def test_the_code_of_conduct_lies_beside_the_rules(hand):
    code, _, err = new(hand, conduct=None)
    assert code != 0
    assert "conduct.txt cannot be read" in err


@pytest.mark.parametrize("name", ["", "Cup", "a-name-too-long", "-cup"])
def test_a_name_that_no_address_can_bear_is_refused(hand, name):
    code, _, err = new(hand, name=name)
    assert code != 0
    assert err


def test_a_game_and_a_tournament_do_not_share_a_name(hand):
    new(hand)
    code, _, err = hand("game", "new", "cup60", "--scenario", "drill")
    assert code != 0
    assert "There is a tournament cup60 of that name." in err


def test_a_line_that_is_no_ruling_is_refused(hand):
    new(hand)
    code, _, err = hand("event", "rule", "cup60", "DANCE BECAUSE I like it")
    assert code != 0
    assert "A ruling begins with one of" in err


def test_a_letter_handed_in_after_a_moment_finds_done_what_had_fallen_due_by_then(hand):
    clock, settings = hand.folder / "clock", hand.folder / "pbem.toml"
    clock.write_text("2030-01-07T12:00:00Z")
    settings.write_text(settings.read_text().replace('source = "system"', f'source = "file:{clock}"'))
    assert new(hand, RULES.replace("2090-02-01", "2030-01-08"))[0] == 0
    _, out, _ = hand.deliver("ana@players.test", "pbem@example.org", "JOIN cup60\n")
    line = next(line for line in out.splitlines() if line.startswith("JOIN cup60 ZONE"))
    clock.write_text("2030-01-10T12:00:00Z")
    _, out, _ = hand.deliver("ana@players.test", "pbem@example.org", f"{line}\n")
    assert "Nobody can enter cup60 now." in out
    assert json.loads(hand.fine("event", "show", "cup60", "--json"))["entrants"] == []
