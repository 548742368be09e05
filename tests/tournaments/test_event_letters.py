"""What entrants keep of a whole tournament proves it: plain and in full mode, and nothing is false."""

from typing import Any

import pytest
from sqlmodel import select

from pbem.server import rendering
from pbem.server.drawing import PictureCollector
from pbem.store import tables
from pbem.tournaments.rerun import redraw_all
from pbem.verifier.record import Findings
from pbem.verifier.verification import status_by_check, verdict_of, verify_epochs
from tests.audit.checked import QUICK, items, reader
from tests.harness.tournament import CUP, PlayedTournament, done_whole, names, with_values
from tests.tournaments.test_event_rulings import rule

MIRROR = CUP.replace('format = "swiss"\nrounds = 3', 'format = "swiss"\nrounds = 2\nsides = "mirror"')
TWO = CUP.replace("rounds = 3", 'rounds = 2\n[[stage]]\nformat = "knockout"\ntake = 4')


def letters(hall: PlayedTournament, who: str):
    """All letters to somebody, as they lie in his mailbox, for the verifier."""
    with hall.opened.session() as session:
        rows = session.exec(select(tables.Outbox).order_by(tables.Outbox.id)).all()  # type: ignore[arg-type]
        return [item for row in rows if row.recipient == who and row.body for item in items(str(row.id), row.body)]


@done_whole
def render(hall: PlayedTournament) -> None:
    with hall.opened.session() as session:
        rows = session.exec(select(tables.Outbox).order_by(tables.Outbox.id)).all()  # type: ignore[arg-type]
    fresh = [row for row in rows if row.body is None]
    rendering.render(
        hall.opened, rendering.RenderBatch(fresh, PictureCollector(hall.opened, hall.clock.at)), lambda _: None
    )


def play_on(hall: PlayedTournament, rounds: int) -> None:
    """Play so many rounds from the first on, every letter rendered when it would be sent."""
    for number in range(1, rounds + 1):
        hall.until("playing", number)
        render(hall)
        hall.play(number)
        render(hall)
    hall.run()
    render(hall)


def verdict(hall: PlayedTournament, who: str):
    board, came = Findings(), list[Any]()

    def rules(course, keys):
        came.extend(redraw_all(course, keys))
        return frozenset(letter_read.draw for letter_read in came if letter_read.draw[1])

    letters_read = [letter for letter in letters(hall, who) if not letter.trouble and b"\ngame event/" in letter.data]
    assert letters_read
    return verdict_of(board, *verify_epochs(board, letters_read, reader(), QUICK, rules)), came


LOT = with_values(CUP, rounds="2", late_rounds='2\nseeds = "lot"')


@pytest.mark.full
@pytest.mark.parametrize(
    ("rules", "rounds"),
    [
        pytest.param(CUP, 3, marks=pytest.mark.full, id="swiss"),
        pytest.param(MIRROR, 2, marks=pytest.mark.full, id="mirror"),
        pytest.param(TWO, 4, marks=pytest.mark.full, id="stages"),
        pytest.param(LOT, 2, id="lot"),
    ],
)
def test_a_whole_tournament_is_proven_by_the_letters_of_an_entrant(tmp_path, rules, rounds):
    hall = PlayedTournament(tmp_path, rules)
    people = names(5)
    for who in people:
        assert hall.enter(who) is not None
        render(hall)
    hall.say(people[4], "REST R2")
    render(hall)
    play_on(hall, rounds)
    assert hall.event.state == "over"
    letter_verdict, came = verdict(hall, people[0])
    assert {line.check: line.why for line in letter_verdict.lines if line.status == "FALSE"} == {}
    assert [finding.why for finding in came if finding.truth is not True] == []
    assert {finding.draw[1] for finding in came} >= {f"r{number}~1" for number in range(1, rounds + 1)}
    # The tables' own letters were left out, and no beacon was waited for.
    assert {check for check, status in status_by_check(letter_verdict).items() if status != "ok"} <= {
        "draws",
        "timing",
        "keys",
    }
    hall.server.engine.dispose()


@pytest.mark.full
def test_corrections_awards_and_hearings_are_proven_by_the_letters_of_an_entrant(tmp_path):
    """Results turned round and back, points given and taken back, an answer, an expulsion that is taken back."""
    hall = PlayedTournament(tmp_path, TWO)
    people = names(6)
    for who in people:
        assert hall.enter(who) is not None
        render(hall)
    hall.until("playing", 1)
    render(hall)
    first, second, third = (board.game_id for board in hall.boards(1))
    accused = next(who for who in people if hall.number(who) == hall.boards(1)[2].second)
    accuser = next(who for who in people if hall.number(who) == hall.boards(1)[2].first)
    hall.play(1)
    hall.say(accuser, f"DISPUTE {third} He wrote outside.")
    hall.say(accused, "ANSWER D1 I did not.")
    # The answer to the dispute is number 1 of the docket.
    ruled = ("RULING D1 FORFEIT", f"CORRECT {first} morocco", f"CORRECT {second} draw", "EXPEL 2", "BAR 1 3")
    for line in (*ruled, "UNDO 4", "UNDO 5", "AWARD 3 0.5", "AWARD 1 -1", "UNDO 10", "BAR 3 1", "UNDO 6"):
        rule(hall, f"{line} BECAUSE it is so")
        render(hall)
    for number in (2, 3, 4):
        hall.until("playing", number)
        render(hall)
        hall.play(number)
        render(hall)
    hall.run()
    render(hall)
    assert hall.event.state == "over"
    result, came = verdict(hall, people[5])
    assert {line.check: line.why for line in result.lines if line.status == "FALSE"} == {}
    assert [finding.why for finding in came if finding.truth is not True] == []
    hall.server.engine.dispose()
