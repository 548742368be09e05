"""E9 Ratings by the month, from results that are final: rows, leaves, what is counted again from the log, letters."""

import json
from datetime import UTC, datetime

import pytest
from sqlmodel import select

from pbem.runtime import tokens
from pbem.store import queries, tables
from pbem.tournaments import entry, ratings, record
from pbem.tournaments.arithmetic.ratings import display_points, pool_ratings_from_json
from pbem.tournaments.ratings import replay_ratings
from tests.harness.server import KEY
from tests.harness.tournament import CUP, PlayedTournament, names

PEOPLE = names(6)
RATED = CUP.replace("[prizes]", '[rating]\npool = "main"\n[prizes]')


@pytest.fixture
def hall(tmp_path):
    made = entered(tmp_path)
    yield made
    made.server.engine.dispose()


def entered(folder):
    made = PlayedTournament(folder, RATED)
    for who in PEOPLE:
        made.enter(who)
    made.sent()
    return made


def month_passes(hall):
    """The clock goes on to the first of the next month, and an hour more."""
    hall.until_moment(ratings.end_of_month(ratings.month_of(hall.clock.at)))


def rows(hall, kind=tables.Rating):
    with hall.opened.session() as session:
        return session.exec(select(kind)).all()


def rewrite_log(hall, statement):
    """Whoever has the database can take its guards away, and write what he likes."""
    with hall.server.engine.begin() as database:
        for (name,) in database.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            database.exec_driver_sql(f"DROP TRIGGER {name}")
        database.exec_driver_sql(statement)


def points_of(work, number):
    """Who an entrant is, and how he is rated."""
    entrant = queries.tournaments.entrant(work.session, "cup60", number)
    assert entrant is not None
    row = queries.tournaments.rating(work.session, entrant.person_id, "main")
    assert row is not None
    return entrant.person_id, display_points(ratings.rating_of_row(row))[0]


def recounted(hall):
    with hall.opened.reading() as work:
        return tuple(replay_ratings(work))


@pytest.mark.full
def test_a_month_is_rated_once_it_is_over_and_only_once(hall):
    hall.until("playing", 1)
    hall.play(1)
    hall.until("closed", 1)
    assert rows(hall) == []
    month = ratings.month_of(hall.clock.at)
    month_passes(hall)
    rated = rows(hall)
    assert {row.period for row in rated} == {month}
    assert len(rated) == 6
    (ground,) = rows(hall, tables.EditionRating)
    assert ground.edition == hall.event.edition
    hall.forward(days=3)
    assert len(hall.leaves("rated")) == 1
    assert {board.rated for board in hall.boards(1)} == {month}


def test_winners_rise_losers_fall_and_the_ground_takes_its_part(hall):
    hall.until("playing", 1)
    hall.play(1)
    hall.until("closed", 1)
    month_passes(hall)
    (ground,) = rows(hall, tables.EditionRating)
    moved = {}
    with hall.opened.reading() as work:
        for board in hall.boards(1):
            for number in (board.first, board.second):
                moved[number] = points_of(work, number)[1] - 1500
    won = {board.first if board.first_halves == 2 else board.second for board in hall.boards(1)}
    assert len(won) == 3
    assert all((moved[number] > 100) == (number in won) for number in moved)
    first_won = hall.boards(1)[0].first_halves == 2
    assert (float(ground.mu) > 0) == first_won


@pytest.mark.full
def test_the_leaf_opens_a_book_without_an_address_and_is_counted_again_to_the_digit(hall):
    for number in (1, 2, 3):
        hall.until("playing", number)
        hall.play(number, lost=("morocco", "spain")[number % 2])
    hall.until("closed", 3)
    month_passes(hall)
    assert hall.event.state == "over"
    assert hall.event.wake is None
    leaves = hall.leaves("rated")
    assert leaves
    for leaf in leaves:
        book = json.loads(leaf.opens)
        assert "@" not in leaf.opens
        assert set(pool_ratings_from_json(book).people) <= {
            tokens.rating_pseudonym(KEY, "main", number) for number in range(1, 20)
        }
    counted = recounted(hall)
    assert [recount.wrong for recount in counted] == [()] * len(counted)
    assert sum(recount.games for recount in counted) == 9
    assert [recount.period for recount in counted] == sorted({row.period for row in rows(hall)})


@pytest.mark.full
def test_a_digit_that_was_changed_in_the_rows_or_in_the_log_is_found(hall):
    hall.until("playing", 1)
    hall.play(1)
    hall.until("closed", 1)
    month_passes(hall)
    with hall.server.session() as session:
        row = session.get_one(tables.Rating, 1)
        row.mu = f"{float(row.mu) + 1e-9:.9f}"
    assert [recount.wrong for recount in recounted(hall)] == [("the rows of this server are not what the log says",)]
    rewrite_log(hall, """UPDATE leaf SET opens = replace(opens, '"halves":2', '"halves":1') WHERE kind = 'rated'""")
    (recount,) = recounted(hall)
    assert recount.same is False
    assert "opens another text than it names" in recount.wrong[0]
    rewrite_log(hall, "UPDATE leaf SET opens = '' WHERE kind = 'rated'")
    (recount,) = recounted(hall)
    assert recount.same is None


@pytest.mark.full
def test_a_board_that_is_disputed_at_the_end_of_its_month_comes_into_the_next(hall):
    hall.until("playing", 1)
    hall.play(1)
    hall.until("closed", 1)
    board = hall.boards(1)[0]
    with hall.server.session() as session:
        session.get_one(tables.Board, board.id).state = "disputed"
    first = ratings.month_of(hall.clock.at)
    month_passes(hall)
    assert [board.rated for board in hall.boards(1)] == ["", first, first]
    with hall.server.session() as session:
        session.get_one(tables.Board, board.id).state = "final"
        session.get_one(tables.Tournament, "cup60").wake = hall.clock.at
    month_passes(hall)
    assert hall.boards(1)[0].rated == ratings.months_between(first, "2030-12")[0]
    assert all(recount.wrong == () for recount in recounted(hall))


@pytest.mark.full
def test_whoever_is_rated_enters_the_next_with_that_strength(hall):
    hall.until("playing", 1)
    hall.play(1, lost="spain")
    hall.until("closed", 1)
    month_passes(hall)
    with hall.opened.reading() as work:
        person, points = points_of(work, 1)
        again = work.session.get_one(tables.Person, person)
        assert entry._strength(work, record.rules_of(hall.event), again) == points != 1500


@pytest.mark.full
def test_two_tournaments_of_a_pool_are_rated_together_and_both_tell_it(hall):
    other = PlayedTournament.beside(hall, RATED, "cup61")
    for who in PEOPLE:
        other.enter(who)
    for tournament in (hall, other):
        tournament.until("playing", 1)
    for tournament in (hall, other):
        tournament.play(1)
    for tournament in (hall, other):
        tournament.until("closed", 1)
    month_passes(hall)
    mine, his = hall.leaves("rated"), other.leaves("rated")
    assert len(mine) == len(his) == 1
    assert mine[0].opens == his[0].opens
    (counted,) = recounted(hall)
    assert (counted.wrong, counted.games, counted.people) == ((), 6, 6)


@pytest.mark.full
def test_an_entrant_is_told_his_own_rating_and_that_of_who_lets_it_be_seen(hall):
    ana, luis = PEOPLE[:2]
    assert "You are not rated in the pool main yet" in hall.say(ana, "RATING")
    hall.until("playing", 1)
    hall.play(1)
    hall.until("closed", 1)
    month_passes(hall)
    answer = hall.say(ana, "RATING")
    assert "you are rated" in answer
    assert "the log calls you p" in answer
    assert "The first side of what is played here is worth" in answer
    assert "Nobody but you is told" in answer
    assert "Ratings that may be seen" not in answer
    hall.sent()
    hall.write("nobody@else.example", "RATING cup60")
    assert "Nobody in cup60 lets his rating be seen." in hall.told("nobody@else.example")
    assert "others may see how you are rated" in hall.say(luis, "FIJAR NIVEL PUBLICO")
    assert "Ratings that may be seen" in hall.say(ana, "NIVEL")
    hall.write("nobody@else.example", "NIVEL cup60")
    seen = hall.told("nobody@else.example")
    assert f"e{hall.number(luis)}" in seen
    assert f"e{hall.number(ana)}" not in seen
    assert "nobody but you is told" in hall.say(luis, "SET RATING PRIVATE")
    assert "Ratings that may be seen" not in hall.say(ana, "RATING")


def test_months_run_on_over_the_year():
    assert ratings.months_between("2029-11", "2030-02") == ("2029-12", "2030-01", "2030-02")
    assert ratings.months_between("", "2030-02") == ("2030-02",)
    assert ratings.end_of_month("2029-12") == datetime(2030, 1, 1, tzinfo=UTC)
