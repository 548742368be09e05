"""The page says of the letters of a tournament, and of a table that has one luck with others, what the other says."""

import pytest
from sqlmodel import select

from pbem.store import tables
from pbem.verifier.verification import status_by_check, verify_letters
from tests.audit.checked import QUICK, items, judge, reader
from tests.audit.test_event_rerun import (
    BATTLES_BENT,
    BENT,
    CHOICES_BENT,
    CUTS,
    SEEDS,
    TIES_BENT,
    cut_short,
    fought,
    grouped,
    knocked,
    selected,
    tied,
)
from tests.audit.tournament_server import OUT
from tests.harness.teams import TEAMS, form
from tests.harness.tournament import PlayedTournament, names
from tests.tournaments.test_closed_entry import APPROVAL, admit_four
from tests.tournaments.test_event_letters import TWO, play_on, render
from tests.tournaments.test_one_luck import BOTS, ONE_LUCK, TABLES, pass_phases
from tests.verifier.browser import other_says, page_says, page_says_of_files

pytestmark = pytest.mark.full


def mails(hall, wanted):
    """The letters whose rows are wanted, as files."""
    with hall.server.session() as session:
        rows = session.exec(select(tables.Outbox).order_by(tables.Outbox.id)).all()  # type: ignore[arg-type]
        return [(f"{row.id}.eml", bytes(row.body)) for row in rows if row.body and wanted(session, row)]


def both(tab, files):
    verdict = verify_letters([item for file in files for item in items(*file)], reader(), QUICK)
    assert page_says_of_files(tab, files) == other_says(verdict)
    assert "FALSE" not in status_by_check(verdict).values()
    return verdict


def one_luck(folder):
    hall = PlayedTournament(folder, ONE_LUCK)
    for who in names(4):
        hall.enter(who)
    hall.until("playing", 1)
    with hall.server.session() as session:
        for seat in session.exec(select(tables.Seat)).all():
            seat.bot = BOTS[seat.game_id == TABLES[1]]
    render(hall)
    pass_phases(hall, 3)

    def of_spain(session, row):
        seat = session.get(tables.Seat, row.seat_id) if row.seat_id else None
        return row.game_id == TABLES[0] and seat is not None and seat.name == "spain"

    return mails(hall, of_spain)


def whole(folder):
    hall = PlayedTournament(folder, TWO)
    for who in names(5):
        hall.enter(who)
        render(hall)
    play_on(hall, 4)
    return mails(hall, lambda session, row: row.recipient == names(1)[0])


def of_teams(folder):
    hall = PlayedTournament(folder, TEAMS)
    teams = form(hall, "Lions", "Bears", Foxes=3)
    for number in (1, 2, 3):
        hall.until("playing", number)
        render(hall)
        if number == 2:
            hall.confirm(teams["Foxes"][0], "WITHDRAW")
            hall.say(teams["Foxes"][2], "ACCEPT")
        hall.play(number)
        render(hall)
    hall.run()
    render(hall)
    return mails(hall, lambda session, row: row.recipient == teams["Lions"][1])


def test_a_tournament_of_teams(plain, tmp_path):
    event = both(plain, of_teams(tmp_path))
    assert {check for check, status in status_by_check(event).items() if status != "ok"} <= {"draws", "timing"}


def test_a_tournament_and_a_table_of_one_luck(plain, tmp_path):
    for name in ("table", "event"):
        (tmp_path / name).mkdir()
    table = both(plain, one_luck(tmp_path / "table"))
    assert [phase.grade for phase in table.phases] == ["C"] * len(table.phases)
    # The draw in the first report is proven by the tournament's tree, which the tournament's next letter links.
    assert {check for check, status in status_by_check(table).items() if status != "ok"} == TABLE | {"consistency"}
    event = both(plain, whole(tmp_path / "event"))
    assert {check for check, status in status_by_check(event).items() if status != "ok"} <= {"draws", "timing"}


@pytest.mark.parametrize("past", [0, 1], ids=["admitted", "past the director"])
def test_a_tournament_into_which_the_director_admits(plain, tmp_path, past):
    hall = PlayedTournament(tmp_path, APPROVAL)
    admit_four(hall, past)
    files = mails(hall, lambda session, row: row.recipient == names(1)[0])
    verdict = verify_letters([item for file in files for item in items(*file)], reader(), QUICK)
    assert page_says_of_files(plain, files) == other_says(verdict)
    assert status_by_check(verdict)["draws"] == ("FALSE" if past else "NOT CHECKED")


@pytest.mark.parametrize(("change", "last"), BENT)
@pytest.mark.parametrize("seeds", ["rating", "lot"])
def test_brackets_whose_pairs_are_bent(plain, change, last, seeds):
    letters = [knocked(change, last, seeds).post(OUT, letter="welcome")]
    verdict = judge(letters)
    assert page_says(plain, letters) == other_says(verdict)
    assert ("FALSE" in status_by_check(verdict).values()) == bool(change)


@pytest.mark.parametrize(("seeds", "is_wrong"), SEEDS)
def test_seeds_from_groups_that_are_bent(plain, seeds, is_wrong):
    letters = [grouped(seeds).post(OUT, letter="welcome")]
    verdict = judge(letters)
    assert page_says(plain, letters) == other_says(verdict)
    assert ("FALSE" in status_by_check(verdict).values()) == is_wrong


@pytest.mark.parametrize(("change", "last", "why"), TIES_BENT)
def test_ties_that_are_bent(plain, change, last, why):
    letters = [tied(change, last).post(OUT, letter="welcome")]
    verdict = judge(letters)
    assert page_says(plain, letters) == other_says(verdict)
    assert ("FALSE" in status_by_check(verdict).values()) == bool(change)


@pytest.mark.parametrize(("rounds", "is_wrong"), CUTS)
def test_stages_cut_short_while_a_tie_is_open(plain, rounds, is_wrong):
    letters = [cut_short(rounds).post(OUT, letter="welcome")]
    verdict = judge(letters)
    assert page_says(plain, letters) == other_says(verdict)
    assert ("FALSE" in status_by_check(verdict).values()) == is_wrong


@pytest.mark.parametrize("change", BATTLES_BENT)
def test_battles_that_are_bent(plain, change):
    letters = [fought(change).post(OUT, letter="welcome")]
    verdict = judge(letters)
    assert page_says(plain, letters) == other_says(verdict)
    assert ("FALSE" in status_by_check(verdict).values()) == bool(change)


@pytest.mark.parametrize("change", CHOICES_BENT)
def test_choices_that_are_bent(plain, change):
    letters = [selected(change).post(OUT, letter="welcome")]
    verdict = judge(letters)
    assert page_says(plain, letters) == other_says(verdict)
    assert ("FALSE" in status_by_check(verdict).values()) == bool(change)


TABLE = {"own", "others", "labels", "draws", "timing"}
"""What cannot be checked of a table of bots while it goes on, and of draws without a beacon and full mode."""
