"""PLAY: a game against a bot by letter, from the first word to the end that nobody writes."""

import re
from datetime import timedelta

import pytest
from sqlmodel import select

from pbem.runtime.transaction import BotGamePolicy
from pbem.server import outbox_sender
from pbem.store import queries, tables
from tests.harness.battle import PlayedBattle, readable
from tests.harness.server import changed

EVA = "eva@somewhere.example"
ASK = "PLAY castillejos AS spain AGAINST forward"
RULES = ("africa1860", "peninsular")
PASS = "games.example; dkim=pass header.d=somewhere.example"


@pytest.fixture
def table(tmp_path):
    made = PlayedBattle(tmp_path)
    made.server = changed(made.server, play=BotGamePolicy("any", RULES), authserv_id="games.example")
    yield made
    made.server.engine.dispose()


def ask(table, text=ASK, sender=EVA, **headers):
    """The answer to a letter without a seat; empty if there is none."""
    raw = table.letter("nobody", text, sender=sender, to="pbem@games.example")
    for name, value in headers.items():
        raw = f"{name.replace('_', '-')}: {value}\r\n".encode() + raw
    answers = table.deliver(raw).answers
    return " ".join(readable(answers[0]).split()) if answers else ""


def line_of(answer):
    match = re.search(r"PLAY \S+ AS \S+ AGAINST \S+ CODE \S+|JUGAR \S+ COMO \S+ CONTRA \S+ CODIGO \S+", answer)
    assert match
    return match[0]


def begin(table, text=ASK, sender=EVA):
    return ask(table, line_of(ask(table, text, sender)), sender)


def games(table):
    with table.server.session() as session:
        return {game.id: game for game in queries.games.all_games(session) if game.asked_by is not None}


def letters(table, name):
    """What was sent about a game, by kind, in order."""
    with table.server.session() as session:
        rows = session.exec(select(tables.Outbox).where(tables.Outbox.game_id == name)).all()
    rows = sorted(rows, key=lambda row: row.id or 0)
    return [(row.kind, readable(outbox_sender.render(table.server, (row.message_id,))[0])) for row in rows]


def answer_to(table, name, text):
    """Write to the seat's own address, and return what is sent about the game from then on."""
    with table.server.session() as session:
        seat = queries.games.seat(session, name, "spain")
    raw = table.letter("nobody", text, sender=EVA, to=table.server.seat_address(seat))
    before = len(letters(table, name))
    table.deliver(raw)
    table.wait(1)
    return letters(table, name)[before:]


def test_a_game_begins_with_a_code_and_the_bot_answers_with_the_next_letter(table):
    answer = ask(table)
    assert "Castillejos" in answer
    assert "Nothing has changed yet" in answer
    assert games(table) == {}
    assert "The game play-1 has begun." in ask(table, line_of(answer))
    (game,) = games(table).values()
    assert (game.state, game.undo_minutes, game.grace_hours) == ("running", 0, 14 * 24)
    kinds = dict(letters(table, "play-1"))
    assert {"invitation", "report"} <= kinds.keys()
    report = " ".join(kinds["report"].split())
    assert "You play against the bot forward" in report
    assert "Dice: grade C, thrown by this server alone" in report
    assert "After 14 days without orders of yours the game is closed." in report
    came = answer_to(table, "play-1", "ORDERS T1\nACTIVATE Tarajal\nMOVE Luchana, Principe WITH Prim TO Nudos\nEND\n")
    table.wait(1)
    assert came
    turns = [head for kind, text in letters(table, "play-1") if kind == "report" for head in text.split("\n")[3:4]]
    assert len(turns) >= 3
    assert any("Turn 2, Spanish phase" in head for head in turns)


@pytest.mark.parametrize(
    ("words", "grade"),
    [
        ("PLAY castillejos AS morocco AGAINST forward", "Dice: grade C"),
        ("JUGAR castillejos COMO spain CONTRA forward", "(grado C)"),
        ("PLAY barrosa AS british AGAINST forward", "Dice: grade C"),
        ("JUGAR barrosa COMO french CONTRA forward", "(grado C)"),
    ],
)
def test_the_grade_of_dice_is_one_line_and_stands_once_in_a_letter(table, words, grade):
    begin(table, words)
    table.wait(1)
    reports = [text for kind, text in letters(table, "play-1") if kind == "report"]
    assert reports
    for text in reports:
        (line,) = [line for line in text.splitlines() if grade in line]
        assert line.endswith(("(HELP DICE).", "(AYUDA DADOS)."))


def spanish(table):
    """Eva reads Spanish."""
    with table.server.work() as work:
        person = tables.Person(name="Eva", language="es", zone="Europe/Madrid")
        work.session.add(person)
        work.session.flush()
        work.session.add(tables.Address(person_id=person.id or 0, email=EVA))


def test_a_battle_is_called_as_the_reader_calls_it_before_there_is_a_game(table):
    spanish(table)
    answer = ask(table, "JUGAR tetuan COMO Marruecos CONTRA forward")
    assert "una partida de Tetuán, 4 de febrero de 1860:" in answer
    begin(table, "JUGAR tetuan COMO Marruecos CONTRA forward")
    assert "play-1: África 1859-60, Tetuán, 4 de febrero de 1860" in ask(table, "LISTA")


def test_in_spanish_too(table):
    spanish(table)
    answer = ask(table, "JUGAR castillejos COMO Marruecos CONTRA forward")
    assert "La línea que empieza la partida" in answer
    assert "La partida play-1 ha empezado." in ask(table, line_of(answer))
    with table.server.session() as session:
        seats = {seat.name: (seat.bot, seat.zone) for seat in queries.games.seats(session, "play-1")}
    assert seats["spain"][0] == "forward"
    assert seats["morocco"] == ("", "Europe/Madrid")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("PLAY waterloo", "There is no battle waterloo here; there are: brigades, castillejos, drill"),
        ("PLAY castillejos AS france", "There is no seat france in it; there are: Spain, Morocco."),
        ("PLAY castillejos AGAINST kasparov", "There is no bot kasparov for this game"),
        ("PLAY castillejos AS spain AGAINST forward CODE aaaaaaaa", "This code is not valid for that"),
    ],
)
def test_what_cannot_be_had_is_told(table, text, why):
    assert why in ask(table, text)
    assert games(table) == {}


def test_it_is_off_unless_the_server_says_so(table):
    table.server = changed(table.server, play=BotGamePolicy())
    assert "No games are set up by letter here." in ask(table)


def test_it_may_be_for_those_whose_mail_proves_its_sender(table):
    table.server = changed(table.server, play=BotGamePolicy("authenticated", RULES))
    assert "mail proves where it comes from" in ask(table)
    assert "Nothing has changed yet" in ask(table, Authentication_Results=PASS)


def test_two_games_a_player_and_twenty_a_server(table):
    for number in (1, 2):
        assert f"The game play-{number} has begun." in begin(table)
    assert "You play as many games against bots as one may at once: play-1, play-2." in ask(table)
    table.server = changed(table.server, limits=table.server.settings.limits.with_changes({"playing": 2}))
    assert "As many games against bots go on as there may be at once: 2." in ask(table, sender="ivo@elsewhere.example")


def test_it_has_a_budget_of_its_own(table):
    table.server = changed(
        table.server, limits=table.server.settings.limits.with_changes({"plays": 3, "plays_at_domain": 2})
    )
    assert [bool(ask(table, sender=f"{name}@junk.example")) for name in "abc"] == [True, True, False]
    assert ask(table, sender="d@other.example")
    # All of the day are used up; whoever joins another game does not notice, and a good code is still good.
    assert ask(table, sender="e@third.example") == ""
    assert ask(table, "LIST", sender="e@third.example")


def test_a_code_is_good_when_the_budget_is_used_up(table):
    line = line_of(ask(table))
    table.server = changed(table.server, limits=table.server.settings.limits.with_changes({"plays": 1}))
    assert ask(table, sender="e@third.example") == ""
    assert "The game play-1 has begun." in ask(table, line)


def test_a_code_begins_one_game_a_time_and_is_of_one_address(table):
    line = line_of(ask(table))
    assert "not valid" in ask(table, line, sender="ivo@elsewhere.example")
    ask(table, line)
    ask(table, line)
    assert len(games(table)) == 2
    ask(table, line)
    assert len(games(table)) == 2


def test_who_does_not_write_for_a_fortnight_has_it_closed(table):
    begin(table)
    table.wait(60 * 24 * 12)
    assert games(table)["play-1"].state == "running"
    assert [kind for kind, _ in letters(table, "play-1")].count("reminder") == 1
    table.wait(60 * 24 * 4)
    game = games(table)["play-1"]
    assert game.state == "over"
    (text,) = (text for kind, text in letters(table, "play-1") if kind == "over")
    assert "No orders came for so long that the game was closed." in " ".join(text.split())
    # Another may be had.
    table.clock.at += timedelta(days=1)
    begin(table)
    begin(table)
    assert [game.state for game in games(table).values()] == ["over", "running", "running"]


def test_a_word_too_many_is_answered_in_the_language_of_the_word_that_was_used(table):
    answer = ask(table, "JUGAR castillejos COMO España CONTRA forward ahora")
    assert "Línea 1, JUGAR castillejos COMO España CONTRA forward ahora: «ahora» no se entiende aquí." in answer
    assert "Puede seguir: JUGAR batalla COMO puesto CONTRA bot DESPLEGAR." in answer
    answer = ask(table, "PLAY castillejos AS spain please")
    assert "Line 1, PLAY castillejos AS spain please: I do not understand please here." in answer
    assert "What may follow: PLAY battle AS seat AGAINST bot DEPLOY." in answer
    assert games(table) == {}


def test_a_line_that_is_no_command_names_the_one_that_was_meant(table):
    answer = ask(table, "JUGAR castillejos ya mismo")
    assert "Línea 1: JUGAR castillejos ya mismo" in answer
    assert "Quizá quiso decir: JUGAR batalla COMO puesto" in answer
    assert "escriba" not in answer.partition("Línea")[2]
    assert "Perhaps you mean: JOIN game AS seat" in ask(table, "JOIN the game please", sender="ivo@else.example")


def test_strangers_are_told_of_it_where_it_is_open(table):
    assert "With PLAY you begin a game against a bot" in ask(table, "Hello there.")
    table.server = changed(table.server, play=BotGamePolicy())
    assert "PLAY" not in ask(table, "Hello there.", sender="ivo@else.example")


@pytest.mark.parametrize(("name", "bot"), [("veterano", "veteran"), ("recluta", "recruit"), ("mariscal", "marshal")])
def test_a_bot_is_known_by_a_name_that_is_like_its_own(table, name, bot):
    answer = ask(table, f"JUGAR castillejos COMO Marruecos CONTRA {name}")
    assert f"usted como Marruecos contra el bot {bot}." in answer
    assert f"JUGAR castillejos COMO Marruecos CONTRA {bot} CODIGO" in answer


@pytest.mark.parametrize(
    "text",
    ["PLAY castillejos AS spain AGAINST veteran DEPLOY", "JUGAR castillejos COMO España CONTRA veteran DESPLEGAR"],
)
def test_it_may_begin_with_deployment(table, text):
    answer = ask(table, text)
    assert "K6" in answer
    (line,) = re.findall(
        r"(?:PLAY|JUGAR) \S+ (?:AS|COMO) \S+ (?:AGAINST|CONTRA) veteran (?:DEPLOY|DESPLEGAR) \S+ \S+", answer
    )
    without = line.replace(" DEPLOY", "").replace(" DESPLEGAR", "")
    assert games(table) == {}
    ask(table, without)
    assert games(table) == {}, "the code is good for what was asked for"
    ask(table, line)
    assert list(games(table)) == ["play-1"]
    report = dict(letters(table, "play-1"))["report"]
    assert "DEPLOY" in report or "DESPLEGAR" in report


def test_there_is_no_deployment_where_the_scenario_names_no_zones(table):
    assert "Nothing is deployed in drill: it names no zones." in ask(table, "PLAY drill DEPLOY")
