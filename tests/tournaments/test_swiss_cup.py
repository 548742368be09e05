"""A tournament from its founding to its prizes."""

from tests.tournaments.hall import DIRECTOR, names


def test_the_director_is_told_that_it_is_founded(hall):
    told = hall.told(DIRECTOR)
    assert "[[cup60] you direct it]" in told
    assert "Entrants write JOIN cup60 to pbem@games.example." in told
    assert [leaf.kind for leaf in hall.leaves()] == ["found"]


def test_whoever_joins_is_shown_the_code_of_conduct_and_let_in_by_its_digest(hall):
    who = "ana@players.example"
    hall.write(who, "JOIN cup60 NAME Ana ZONE Europe/Madrid PACE 24h TABLES 2 LANG es,en")
    asked = hall.told(who)
    assert "Be kind." in asked
    line = next(line for line in asked.splitlines() if line.startswith("JOIN"))
    assert line.startswith("JOIN cup60 NAME Ana ZONE Europe/Madrid PACE 24h TABLES 2 LANG es,en CODE ")
    hall.write(who, line)
    row = hall.entrant(who)
    assert (row.number, row.state, row.name, row.zone, row.language) == (1, "in", "Ana", "Europe/Madrid", "es")
    assert "pbem+cup60-e1-" in hall.told(who)
    assert [leaf.kind for leaf in hall.leaves()] == ["found", "enter"]


def test_three_rounds_are_drawn_played_and_closed_and_the_prizes_given(hall):
    people = names(5)
    for who in people:
        assert hall.enter(who).state == "in"
    for number in (1, 2, 3):
        hall.until("playing", number)
        assert len(hall.boards(number)) == 3
        hall.sent()
        hall.play(number)
    hall.run()
    assert hall.event.state == "over"
    told = hall.told(people[0])
    assert "Castillejos Cup is over" in told
    assert "Book:" in told
    kinds = [leaf.kind for leaf in hall.leaves()]
    assert kinds.count("standing") == 3
    assert kinds.count("score") == 9
