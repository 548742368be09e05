"""OBSERVE of a tournament: by code, a letter a week in one's language, and an end of it."""

from datetime import timedelta
from itertools import pairwise

import pytest

from tests.harness.letters import text_of
from tests.harness.tournament import CUP, PlayedTournament, names, subject, with_values

PEOPLE = names(4)
WATCHER, OTHER = "vera@else.example", "luz@else.example"


@pytest.fixture
def hall(tmp_path):
    # Weeks pass before the list of entrants shuts.
    made = PlayedTournament(tmp_path, with_values(CUP, closes='"2030-02-22"'))
    for who in PEOPLE:
        made.enter(who)
    made.sent()
    yield made
    made.server.engine.dispose()


def watch(hall, who, word="OBSERVE"):
    hall.write(who, f"{word} cup60")
    (line,) = [line.strip() for line in hall.told(who).splitlines() if line.strip().startswith(f"{word} cup60 CO")]
    hall.write(who, line)
    return hall.told(who)


def test_nobody_watches_without_the_code_that_was_mailed_to_him(hall):
    hall.write(WATCHER, "OBSERVE cup60")
    assert "Nothing has changed yet" in hall.told(WATCHER)
    hall.write(WATCHER, "OBSERVE cup60 CODE aaaaaaaa")
    assert "This code is not valid for that" in hall.told(WATCHER)
    hall.forward(days=8)
    assert hall.sent(WATCHER) == []
    assert "a letter a week of cup60" in watch(hall, WATCHER)
    hall.write(WATCHER, "OBSERVE cup60")
    assert "You watch cup60 already" in hall.told(WATCHER)


@pytest.mark.full
def test_a_letter_a_week_on_sunday_in_both_languages_until_it_is_over(hall):
    watch(hall, WATCHER)
    assert "kind: answer (es)" in watch(hall, OTHER, "OBSERVAR")
    hall.sent()
    moments, rows = [], []
    for _ in hall.meanwhile(days=27):
        for row in hall.sent(WATCHER):
            moments.append(hall.clock.at)
            rows.append(row)
    assert len(moments) == 3
    assert {(moment.weekday(), moment.hour) for moment in moments} == {(6, 17)}
    assert {b - a for a, b in pairwise(moments)} == {timedelta(days=7)}
    assert "the week" in subject(rows[0])
    assert "takes entries until" in text_of(rows[0])
    hall.until("playing", 1)
    hall.play(1)
    hall.until("closed", 1)
    hall.sent()
    hall.forward(days=7)
    (row,) = hall.sent(OTHER)
    letter_text = text_of(row)
    assert "kind: digest (es)" in letter_text
    assert "Results of round 1" in letter_text
    assert "Standing" in letter_text


@pytest.mark.full
def test_who_watches_hears_of_the_end_at_once_and_never_again(hall):
    watch(hall, WATCHER)
    for number in (1, 2, 3):
        hall.until("playing", number)
        hall.sent()
        hall.play(number)
    hall.until("closed", 3)
    hall.forward(days=3)
    assert hall.event.state == "over"
    texts = [text_of(row) for row in hall.sent(WATCHER)]
    assert "Thank you for watching" in texts[-1]
    hall.forward(days=8)
    assert hall.sent(WATCHER) == []
    hall.write(WATCHER, "OBSERVE cup60")
    assert "Nobody can watch cup60 now." in hall.told(WATCHER)


@pytest.mark.parametrize("line", ["OBSERVE STOP cup60", "OBSERVAR FIN", "OBSERVE cup60 STOP"])
def test_watching_ends_by_a_letter(hall, line):
    watch(hall, WATCHER)
    hall.write(WATCHER, line)
    assert "You get no more reports of: cup60." in hall.told(WATCHER)
    hall.forward(days=8)
    assert hall.sent(WATCHER) == []
