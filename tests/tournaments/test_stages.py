"""Stages in a row, every format, mirrored sides: who goes on, with what, on which side."""

import json
import re
from dataclasses import replace

import pytest

from pbem.cli.rulebooks import game_by_name
from pbem.letters.text import TextLetters
from pbem.store import tables
from pbem.tournaments import draw, founding, record
from pbem.tournaments.arithmetic.pairing.draw import draw as draw_round
from pbem.tournaments.arithmetic.rules.reading import RulesRefused, read_rules
from tests.harness.server import changed
from tests.harness.tournament import CUP, DIRECTOR, names, with_values
from tests.tournaments.test_event_letters import MIRROR, play_on, render, verdict
from tests.tournaments.test_event_rulings import rule

TWO = CUP.replace("[unfinished]", '[[stage]]\nformat = "knockout"\ntake = 4\nsides = "mirror"\n[unfinished]')


def rounds_played(hall, most=12):
    """Play rounds until the tournament is over; return how many boards each had."""
    counts: list[int] = []
    for number in range(1, most + 1):
        for _ in range(400):
            if hall.event.state != "playing" and hall.event.state != "open":
                return counts
            if any(round_.number == number and round_.state == "playing" for round_ in hall.rounds()):
                break
            hall.forward(hours=12)
        counts.append(len([board for board in hall.boards(number) if board.second]))
        hall.play(number)
        hall.run()
    return counts


def test_a_prize_of_the_best_below_a_strength_is_won_by_who_did_not_go_on(halls):
    rules = CUP.replace("[unfinished]", '[[stage]]\nformat = "knockout"\ntake = 2\n[unfinished]')
    rules = with_values(rules, rounds="1").replace("[prizes]", '[prizes]\n3 = "Medal"\n"best:<1300" = "Cup"')
    hall = halls(rules)
    hall.fill(4)
    rule(hall, "SEED 1 1900, 2 1800, 3 1700, 4 1400 BECAUSE of the list of the club")
    hall.until("playing", 1)
    for board in hall.boards(1):
        # Whoever has the lower number, and so the greater strength, wins.
        hall.end(board.game_id, f"concede {'morocco' if board.first < board.second else 'spain'}")
    hall.run()
    hall.until("playing", 2)
    assert 4 not in {number for board in hall.boards(2) for number in (board.first, board.second)}
    hall.play(2)
    hall.run()
    hall.forward(days=3)
    assert hall.event.state == "over"
    letters = hall.told("p1@players.example")
    assert "Print: e4" in letters
    assert "Medal: nobody; nobody who came to a table has place 3." in letters
    assert "Cup: nobody; nobody else who came to a table has such a strength." in letters


@pytest.mark.full
def test_the_best_four_of_a_swiss_play_a_knockout_on_both_sides(halls):
    hall = halls(with_values(TWO, rounds="1"))
    people = hall.fill(6, rounds=1)
    hall.until("playing", 2)
    stages = [round_.stage for round_ in hall.rounds()]
    assert stages == [1, 2]
    boards = hall.boards(2)
    assert [(board.board, board.leg) for board in boards] == [(1, "a"), (1, "b"), (2, "a"), (2, "b")]
    assert (boards[0].first, boards[0].second) == (boards[1].second, boards[1].first)
    assert boards[0].game_id == "cup60-r2-01a"
    for board in boards:
        side = "spain" if board.leg == "b" else "morocco"
        hall.end(board.game_id, f"concede {side}")
    hall.run()
    hall.until("playing", 3)
    assert len({number for board in hall.boards(3) for number in (board.first, board.second)}) == 2
    for board in hall.boards(3):
        hall.end(board.game_id, f"concede {'spain' if board.leg == 'b' else 'morocco'}")
    hall.run()
    hall.forward(days=3)
    assert hall.event.state == "over"
    assert "Book:" in hall.told(people[0])
    assert {leaf.kind for leaf in hall.leaves()} == {
        *("found", "enter", "shut", "lot", "pair", "score", "standing"),
        *("lot-needed", "lot-drawn"),
    }


@pytest.mark.parametrize(
    ("stage", "boards"),
    [
        ('format = "robin"', [2, 2, 2]),
        pytest.param('format = "robin"\ndouble = true', [2] * 6, marks=pytest.mark.full),
        ('format = "knockout"', [2, 1]),
        ('format = "ladder"\nrounds = 2', [2, 2]),
        ('format = "league"\ndivisions = 2', [2]),
    ],
)
def test_every_format_is_played_to_its_end(halls, stage, boards):
    hall = halls(CUP.replace('format = "swiss"\nrounds = 3', stage))
    hall.fill(4)
    assert rounds_played(hall) == boards
    assert hall.event.state == "over"


@pytest.mark.parametrize(
    "stage",
    [
        "swiss",
        "double",
        "ladder",
        *(pytest.param(format_, marks=pytest.mark.full) for format_ in ("robin", "knockout", "league")),
    ],
)
def test_how_all_stand_is_told_while_a_round_is_played(halls, stage):
    rounds = "\nrounds = 2" if stage in ("swiss", "ladder") else ""
    hall = halls(CUP.replace('format = "swiss"\nrounds = 3', f'format = "{stage}"{rounds}'))
    people = hall.fill(4)
    hall.until("playing", 1)
    answer = hall.say(people[0], "STANDINGS\nCROSSTABLE\nWHY RANK")
    assert "Standings of cup60:" in answer
    assert "Crosstable of cup60:" in answer
    assert "Why this rank:" in answer


@pytest.mark.full
def test_double_elimination_ends_with_one_who_lost_less_than_twice(halls):
    hall = halls(CUP.replace('format = "swiss"\nrounds = 3', 'format = "double"'))
    hall.fill(4)
    played = rounds_played(hall)
    assert hall.event.state == "over"
    assert sum(played) in (6, 7)


@pytest.mark.full
def test_a_bye_is_a_win_and_a_rest_a_draw_at_both_tables(halls):
    """E7.1, E1.2 By letters to the table, and what the entrants keep proves it."""
    hall = halls(MIRROR)
    people = hall.fill(5)
    hall.say(people[4], "REST R2")
    play_on(hall, 2)
    passed = {(board.first, board.how, board.first_halves) for board in hall.boards() if not board.second}
    bye = next(number for number, how, _ in passed if how == "bye")
    assert passed == {(bye, "bye", 4), (hall.number(people[4]), "half-bye", 2)}
    answer = hall.say(people[0], "STANDINGS")
    assert re.search(rf"^1\. +e{bye} +3\b", answer, re.MULTILINE)
    assert re.search(rf"^\d\. +e{hall.number(people[4])} +2\b", answer, re.MULTILINE)
    result, came = verdict(hall, people[0])
    assert {line.check for line in result.lines if line.status == "FALSE"} == set()
    assert [finding.why for finding in came if finding.truth is not True] == []


def test_whoever_verifies_sees_that_a_bye_counts_otherwise_than_the_rules_say(halls, monkeypatch):
    monkeypatch.setattr(draw, "half_points_for_bye", lambda rules, stage: 2)
    hall = halls(MIRROR)
    people = hall.fill(3)
    hall.until("playing", 1)
    render(hall)
    hall.play(1)
    render(hall)
    _, came = verdict(hall, people[0])
    assert [finding.why for finding in came if finding.truth is False] == [
        "event/cup60 r1: by these rules a round passed counts otherwise"
    ]


def read_by(hall, who):
    """What somebody reads in all his letters, in his language."""
    letters = TextLetters("-----")
    return " ".join(" ".join(letters.letter(json.loads(row.model), row.language).split()) for row in hall.sent(who))


# E3.15 Groups, of which two each go on.

GROUPS = CUP.replace(
    'format = "swiss"\nrounds = 3',
    'format = "league"\ndivisions = 2\ndeal = "snake"\n[[stage]]\nformat = "knockout"\neach = 2',
)


def test_of_two_groups_two_each_go_on(halls):
    """From the founding to the end, in both languages, and the letters of an entrant prove it."""
    hall = halls(GROUPS)
    assert "Stage 2: the best 2 of each division of the stage before go on [E3.15]." in hall.told(DIRECTOR)
    people = names(5)
    for who in people:
        hall.enter(who, spanish=who == people[4])
        render(hall)
    play_on(hall, 5)
    hall.forward(days=3)
    render(hall)
    assert hall.event.state == "over"
    order = [seed.number for seed in record.stage_seeds(hall.event, 1)]
    group = {order[0], order[3], order[4]}
    for board in hall.boards(1):
        assert not board.second or (board.first in group) == (board.second in group)
    seeds = [seed.number for seed in record.stage_seeds(hall.event, 2)]
    assert [number in group for number in seeds] in ([True, False, True, False], [False, True, False, True])
    for board in hall.boards(4):
        assert (board.first in group) != (board.second in group)
    assert "Stage 2 begins with: " in read_by(hall, people[0])
    assert "La etapa 2 empieza con: " in read_by(hall, people[4])
    result, came = verdict(hall, people[0])
    assert {line.check for line in result.lines if line.status == "FALSE"} == set()
    assert [finding.why for finding in came if finding.truth is not True] == []


# E3.14 The game for third place.

THIRD = CUP.replace('format = "swiss"\nrounds = 3', 'format = "knockout"\nthird = true').replace(
    '1 = "Book"', '3 = "Sash"\n4 = "Bone"'
)


def test_the_losers_of_the_semi_finals_play_for_third_place(halls):
    """From the founding to the prizes, in both languages, and the letters of an entrant prove it."""
    hall = halls(THIRD)
    assert "Stage 1: the losers of the semi-finals play for third place [E3.14]." in hall.told(DIRECTOR)
    people = names(5)
    for who in people:
        hall.enter(who, spanish=who == people[4])
        render(hall)
    for number in (1, 2):
        hall.until("playing", number)
        render(hall)
        hall.play(number)
        render(hall)
    hall.until("playing", 3)
    final, third = ({board.first, board.second} for board in hall.boards(3))
    assert final | third == {board_number for board in hall.boards(2) for board_number in (board.first, board.second)}
    render(hall)
    sentences = ("The losers of the semi-finals play for", "Los perdedores de las semifinales se juegan")
    texts = [read_by(hall, who) for who in people]
    assert sum(any(sentence in text for sentence in sentences) for text in texts) == 2
    hall.play(3)
    hall.run()
    render(hall)
    hall.forward(days=3)
    render(hall)
    assert hall.event.state == "over"
    third_board = hall.boards(3)[1]
    winner, loser = third_board.first, third_board.second
    if third_board.second_halves > third_board.first_halves:
        winner, loser = loser, winner
    letter = hall.told(DIRECTOR)
    assert re.search(rf"Sash: .*\be{winner}\b", letter)
    assert re.search(rf"Bone: .*\be{loser}\b", letter)
    result, came = verdict(hall, people[0])
    assert {line.check for line in result.lines if line.status == "FALSE"} == set()
    assert [finding.why for finding in came if finding.truth is not True] == []


def test_a_server_that_lets_a_loser_play_the_final_is_found_out(halls, monkeypatch):
    hall = halls(THIRD)
    people = hall.fill(4)
    hall.until("playing", 1)
    render(hall)
    hall.play(1)

    def crooked(round_input, lots):
        drawn = draw_round(round_input, lots)
        final, third = drawn.pairs
        pairs = final._replace(second=third.second), third._replace(second=final.second)
        return drawn._replace(pairs=pairs)

    with monkeypatch.context() as patch:
        patch.setattr(draw, "draw_round", crooked)
        hall.until("playing", 2)
    render(hall)
    result, came = verdict(hall, people[0])
    assert [line.check for line in result.lines if line.status == "FALSE"] == ["draws"]
    assert any("r2~1: by its bracket and the scores before it others meet" in why for why in reasons_of(result))
    assert any(finding.truth is False and "paired otherwise" in finding.why for finding in came)


@pytest.mark.full
def test_who_is_drawn_in_a_knockout_and_stays_away_makes_no_false_bracket(halls):
    """He has a board of his own afterwards, beside the bye of his opponent."""
    hall = halls(THIRD)
    people = hall.fill(4)
    hall.until("playing", 1)
    first, second = hall.boards(1)
    heard = [who for who in people if hall.number(who) != second.second]
    for _ in range(40):
        if len(hall.boards(1)) > 2:
            break
        hall.forward(hours=12)
        for who in heard:
            hall.say(who, "HERE")
    assert [(board.how, board.first, board.second) for board in hall.boards(1)[1:]] == [
        ("bye", second.first, 0),
        ("absent", second.second, 0),
    ]
    hall.end(first.game_id, "morocco")
    hall.until("playing", 2)
    render(hall)
    result, came = verdict(hall, people[0])
    assert [line.check for line in result.lines if line.status == "FALSE"] == []
    assert all(finding.truth is not False for finding in came)


def reasons_of(result):
    return [why for line in result.lines for why in line.why]


# E2.2 Battles of a stage, round by round.


BATTLES = CUP.replace("rounds = 3", 'rounds = 3\nscenarios = ["brigades", "drill"]')


def test_the_rounds_of_a_stage_are_of_its_battles_in_turn(halls):
    hall = halls(BATTLES)
    assert "Stage 1 plays in turn: brigades, drill [E2.2]." in hall.told(DIRECTOR)
    people = hall.fill(2)
    hall.until("playing", 1)
    (board,) = hall.boards(1)
    with hall.server.reading() as tx:
        game = tx.session.get_one(tables.Game, board.game_id)
        assert game.scenario == "brigades"
        assert game.edition_digest == record.editions_of(hall.event)["brigades"] != hall.event.edition
    assert "This round is of brigades [E2.2]." in hall.told(people[0])
    hall.play(1)
    hall.run()
    hall.until("playing", 2)
    (board,) = hall.boards(2)
    with hall.server.reading() as tx:
        game = tx.session.get_one(tables.Game, board.game_id)
        assert (game.scenario, game.edition_digest) == ("drill", hall.event.edition)


def test_each_battle_is_played_through_once_for_check_and_founding(halls, monkeypatch):
    played, play_through = [], founding._play_through

    def counted(rules, edition):
        played.append(edition.digest)
        return play_through(rules, edition)

    monkeypatch.setattr(founding, "_PHASES", {})
    monkeypatch.setattr(founding, "_play_through", counted)
    halls(BATTLES)
    assert len(played) == 2


def test_battles_are_of_the_edition_of_the_founding(halls):
    """A release in the middle of a tournament changes a scenario that is yet to be played."""
    hall = halls(BATTLES.replace('"brigades", "drill"', '"drill", "brigades"'))
    hall.fill(2, rounds=1)
    wanted = record.editions_of(hall.event)["brigades"]
    newer = replace(game_by_name(hall.event.system), edition=lambda *_: pytest.fail("a new edition is taken"))
    hall.server = changed(hall.server, games=lambda _: newer)
    hall.play(1)
    hall.run()
    hall.until("playing", 2)
    (board,) = hall.boards(2)
    with hall.server.reading() as tx:
        assert tx.session.get_one(tables.Game, board.game_id).edition_digest == wanted


@pytest.mark.parametrize(
    ("battles", "refusal"),
    [
        ('["nowhere"]', "t.toml:16: stage 1.scenarios: africa1860 has no scenario nowhere; pbem scenarios lists"),
        ('["barrosa"]', "t.toml:16: stage 1.scenarios: africa1860 has no scenario barrosa; pbem scenarios lists"),
        ('"tetuan"', 't.toml:16: stage 1.scenarios: this is no list; write ["name", "name"]'),
        ("[1860]", "t.toml:16: stage 1.scenarios: this is no text; put it in quotation marks"),
    ],
)
def test_battles_that_cannot_be_played_are_refused_with_their_line(halls, battles, refusal):
    server, text = halls(CUP).server, CUP.replace("rounds = 3", f"rounds = 3\nscenarios = {battles}")
    with pytest.raises(RulesRefused) as refused:
        read_rules(text, "t.toml", founding.server_check(server, ("africa1860", "peninsular")))
    assert refusal in str(refused.value)


def test_luck_does_not_break_ties_where_nobody_counts_it(halls):
    ties = '[ties]\norder = ["points", "luck"]\nluck_weight = "35%"\n'
    server, rules = halls(CUP).server, CUP.replace("[unfinished]", f"{ties}[unfinished]")
    with pytest.raises(RulesRefused, match=r"ties\.order: luck is not counted .*; leave luck out"):
        read_rules(rules, "t.toml", founding.server_check(server, ("africa1860", "peninsular")))


LARGE = CUP.replace("places = 16", "places = 4096")


@pytest.mark.parametrize(
    ("stages", "refused_key"),
    [
        ('format = "swiss"\nrounds = 9', "entry.places"),
        ('format = "ladder"\nrounds = 9', "entry.places"),
        ('format = "knockout"', None),
        ('format = "double"', None),
        ('format = "knockout"\n[[stage]]\nformat = "swiss"\nrounds = 9\ntake = 1000', None),
        ('format = "knockout"\n[[stage]]\nformat = "swiss"\nrounds = 9\ntake = 1001', "stage 2.take"),
    ],
)
def test_a_stage_that_weighs_pairs_is_founded_for_so_many_as_are_drawn_while_letters_wait(halls, stages, refused_key):
    server, text = halls(CUP).server, LARGE.partition("[[stage]]")[0] + f"[[stage]]\n{stages}\n"
    keys = [key for key, _, _ in founding.size_objections(read_rules(text, "t.toml"))]
    assert keys == ([refused_key] if refused_key else [])
    if refused_key:
        with pytest.raises(RulesRefused, match="has at most 1000; write 1000 or less, or take a format of: robin"):
            read_rules(text, "t.toml", founding.server_check(server, ("africa1860", "peninsular")))
