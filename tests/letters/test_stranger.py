"""Somebody who found the server's address in a forum: the welcome, the code that is quoted, SEEK."""

import re
from datetime import timedelta

import pytest
from sqlmodel import select

from pbem.play import privacy
from pbem.runtime.transaction import BotGamePolicy
from pbem.store import queries, tables
from tests.harness.battle import PlayedBattle, readable
from tests.harness.server import changed

EVA, LUIS, MAX = "eva@forum.example", "luis@foro.example", "max@club.example"
RULES = ("africa1860", "peninsular")


@pytest.fixture
def table(tmp_path):
    made = PlayedBattle(tmp_path)
    made.server = changed(made.server, play=BotGamePolicy("any", RULES))
    yield made
    made.server.engine.dispose()


def write(table, text, sender=EVA):
    """The answer to a letter to the server's own address; empty if there is none."""
    answers = table.deliver(table.letter("nobody", text, sender=sender, to="pbem@games.example")).answers
    return readable(answers[0]) if answers else ""


def flat(text):
    return " ".join(text.split())


def match_text(what, text):
    match = re.search(what, text)
    assert match is not None, text
    return match[0]


def line_with_code(answer):
    return match_text(r"(?m)^\S.* (?:CODE|CODIGO) [a-z2-7]{8}$", answer)


def quoted(answer, above=""):
    body = answer.split("\n\n", 1)[1]
    return f"{above}\n\nOn Mon, 7 Jan 2030 at 12:00, pbem wrote:\n" + "".join(
        f"> {line}\n" for line in body.splitlines()
    )


def confirmed(table, text, sender):
    return flat(write(table, line_with_code(write(table, text, sender)), sender))


def games(table):
    with table.server.session() as session:
        return [game.id for game in queries.games.all_games(session)]


WELCOME = {
    "en": (
        "Hello,\n\nI found you in a forum. How can I play?\n\nRegards, Eva\n",
        "This is a server for wargames",
        "weak:",
    ),
    "es": ("Hola, he visto esta dirección. ¿Cómo se juega?\nGracias\n", "Este es un servidor de wargames", "flojo:"),
}


@pytest.mark.parametrize("language", ["en", "es"])
def test_prose_is_answered_with_what_this_is_and_lines_that_work_as_they_stand(table, language):
    text, what, weak = WELCOME[language]
    answer = write(table, text)
    assert what in flat(answer)
    for name in ("castillejos", "tetuan", "barrosa", "recruit", "marshal", weak, "pbem@games.example"):
        assert name in answer
    assert ("docs/players.en.md" if language == "en" else "docs/jugadores.es.md") in flat(answer)
    play = match_text(r"(?:PLAY|JUGAR) castillejos \S+ \S+ \S+ recruit", answer)
    assert play.startswith("PLAY" if language == "en" else "JUGAR")
    assert line_with_code(write(table, play)).startswith(play)
    assert write(table, "And now?") == "", "once a day"


def test_where_no_games_are_set_up_by_letter_the_welcome_offers_none(table):
    table.server = changed(table.server, play=BotGamePolicy())
    answer = write(table, WELCOME["en"][0])
    assert "LIST" in answer
    assert "PLAY" not in answer
    assert "castillejos" not in answer


@pytest.mark.parametrize("command", ["HELP", "LIST", "AYUDA", "LISTA"])
def test_help_and_list_name_battles_and_bots_that_play_takes(table, command):
    answer = write(table, command)
    named = re.findall(r"^ +(\w+): ", answer, re.MULTILINE)
    assert {"castillejos", "barrosa", "training", "forward", "veteran"} <= {*named}
    assert "Nothing has changed yet" in flat(write(table, "PLAY barrosa AGAINST forward"))


@pytest.mark.parametrize("word", ["british", "french", "Gran", "franceses", "aliados", "británicos"])
def test_a_line_with_a_code_is_always_one_that_can_be_sent(table, word):
    """The seat may be called by two words in the reader's language."""
    for text in (f"JUGAR barrosa COMO {word}", f"BUSCO barrosa {word}"):
        answer = write(table, text, LUIS)
        if "CODIGO" in answer:
            assert "no entiendo" not in flat(write(table, line_with_code(answer), LUIS))
        table.clock.at += timedelta(days=1)


@pytest.mark.parametrize("above", ["", "Yes please!", "Sí, gracias", "ok"])
def test_a_yes_above_the_quoted_code_confirms(table, above):
    asked = write(table, "PLAY castillejos AGAINST recruit")
    assert "has begun" in flat(write(table, quoted(asked, above)))
    assert games(table) == ["g1", "play-1"]
    write(table, quoted(asked, "Thanks!"))
    assert games(table) == ["g1", "play-1"], "a code that was used is not used again by a quote"


def test_the_code_alone_confirms(table):
    code = line_with_code(write(table, "PLAY castillejos AGAINST recruit")).split()[-1]
    write(table, "CODE aaaaaaaa")
    assert games(table) == ["g1"]
    table.clock.at += timedelta(days=1)
    assert "has begun" in flat(write(table, f"Code {code}."))


@pytest.mark.parametrize(
    "above", ["That was not me.", "No, sorry, it was my brother.", "I am on holiday until Monday; I answer then."]
)
def test_anything_else_above_the_quoted_code_does_nothing_and_says_how(table, above):
    asked = write(table, "PLAY castillejos AGAINST recruit")
    answer = write(table, quoted(asked, above))
    assert "I do not read what is quoted" in flat(answer)
    assert line_with_code(asked) in answer
    assert games(table) == ["g1"]


def test_the_welcome_repeats_the_code_that_waits(table):
    asked = write(table, "SEEK barrosa")
    answer = write(table, "I have lost your letter, what do I do?")
    assert line_with_code(asked) in answer
    table.clock.at += timedelta(days=8)
    assert "CODE" not in write(table, "I have lost your letter, what do I do?")


def test_a_code_of_somebody_else_is_neither_read_nor_shown(table):
    asked = write(table, "PLAY castillejos AGAINST recruit")
    answer = write(table, quoted(asked, "Yes"), MAX)
    assert games(table) == ["g1"]
    assert line_with_code(asked) not in answer


@pytest.mark.parametrize(
    ("battle", "offer", "other", "seats"),
    [
        ("castillejos", "SEEK {}", "BUSCO {}", ("spain", "morocco")),
        ("castillejos", "BUSCO {} Marruecos", "SEEK {} spain", ("morocco", "spain")),
        ("barrosa", "SEEK {} french", "BUSCO {}", ("french", "british")),
        ("barrosa", "BUSCO {}", "SEEK {} AS british", ("french", "british")),
    ],
)
def test_two_who_seek_one_another_get_a_game(table, battle, offer, other, seats):
    answer = confirmed(table, offer.format(battle), LUIS)
    assert "wait" in answer or "Espera" in answer
    assert games(table) == ["g1"]
    listed = flat(write(table, "LIST"))
    assert "since 7 January 2030" in listed
    assert "luis" not in listed
    table.clock.at += timedelta(days=2)
    asked = flat(write(table, other.format(battle), MAX))
    assert "has waited since 7 January 2030" in asked or "espera desde el 7 de enero de 2030" in asked
    done = confirmed(table, other.format(battle), MAX)
    assert "match-1" in done
    with table.server.session() as session:
        seats_now = queries.games.seats(session, "match-1")
        held = {seat.name: queries.persons.email_of(session, seat.person_id) for seat in seats_now}
        game = queries.games.game(session, "match-1")
        assert game is not None
        assert game.state == "running"
        assert len(queries.outbox.last_letters(session, "", "report", "match-1", 5)) == 2
    assert [held[seat] for seat in seats] == [LUIS, MAX]
    assert "Waiting for an opponent" not in write(table, "LIST")


def test_two_for_one_side_do_not_meet_nor_does_one_meet_himself(table):
    confirmed(table, "SEEK castillejos spain", LUIS)
    confirmed(table, "SEEK castillejos spain", MAX)
    confirmed(table, "SEEK castillejos morocco", LUIS)
    # Luis seeks the other side now, and Max waits.
    assert "match-1" in games(table)


def test_a_seat_may_seek_too(table):
    confirmed(table, "SEEK tetuan", LUIS)
    line = match_text(r"SEEK tetuan CODE \S+", table.answer("morocco", "SEEK tetuan"))
    assert "match-1" in flat(table.answer("morocco", line))


def test_it_is_taken_back_and_forgotten(table):
    confirmed(table, "SEEK castillejos", LUIS)
    assert "You wait for no opponent any more: castillejos." in flat(write(table, "SEEK STOP", LUIS))
    assert "You were not waiting" in flat(write(table, "BUSCO NADA", LUIS)) or "No esperaba" in flat(
        write(table, "BUSCO NADA", LUIS)
    )
    table.clock.at += timedelta(days=1)
    confirmed(table, "SEEK castillejos", LUIS)
    table.clock.at += timedelta(days=31)
    assert "since" not in write(table, "LIST", EVA)
    with table.server.session() as session:
        assert session.exec(select(tables.Seek)).all() == []
    confirmed(table, "SEEK castillejos", MAX)
    assert games(table) == ["g1"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("SEEK waterloo", "There is no battle waterloo here"),
        ("SEEK castillejos france", "There is no seat france in it"),
        ("SEEK castillejos CODE aaaaaaaa", "This code is not valid for that"),
    ],
)
def test_what_cannot_be_sought_is_told(table, text, why):
    assert why in flat(write(table, text))


def test_nobody_seeks_more_than_three_battles_and_a_server_without_play_has_no_seek(table):
    for battle in ("castillejos", "tetuan", "wadras"):
        confirmed(table, f"SEEK {battle}", LUIS)
        table.clock.at += timedelta(days=1)
    assert "You seek opponents for as many battles as one may" in flat(write(table, "SEEK barrosa", LUIS))
    table.server = changed(table.server, play=BotGamePolicy())
    assert "No games are set up by letter here." in flat(write(table, "SEEK castillejos", MAX))
    assert "SEEK" not in write(table, "HELP", EVA)


def test_who_is_erased_seeks_nobody(table):
    confirmed(table, "SEEK castillejos", LUIS)
    with table.server.work() as work:
        person = privacy.find_person(work, LUIS)
        assert "castillejos" in privacy.export_person(work, person)
        privacy.blank_person(work, person)
    with table.server.session() as session:
        assert session.exec(select(tables.Seek)).all() == []
