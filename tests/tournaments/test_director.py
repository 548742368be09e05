"""The director by letter: rulings by code, questions, one letter a day at most, and none that has to be answered."""

import json
from datetime import date, timedelta
from zoneinfo import ZoneInfo

import pytest
from sqlmodel import select

from pbem.engine.data.messages import plain_english
from pbem.letters import codes
from pbem.letters.catalogue import load_catalogue
from pbem.letters.text import TextLetters
from pbem.mail.html import SENTINEL
from pbem.play.commands.table import founding
from pbem.store import queries, tables
from pbem.tournaments.rulings import read
from tests.harness.tournament import CUP, DIRECTOR, PlayedTournament, names, subject

PEOPLE = names(6)


@pytest.fixture
def hall(tmp_path):
    made = PlayedTournament(tmp_path, CUP.replace("[unfinished]", '[left]\nask = "director"\n[unfinished]'))
    for who in PEOPLE:
        made.enter(who)
    made.sent()
    yield made
    made.server.engine.dispose()


def seconds_are_there(hall):
    """One of the two at each table says a word, so that the other alone is silent."""
    numbers = {board.second for board in hall.boards(1)}
    for who in PEOPLE:
        if hall.number(who) in numbers:
            hall.say(who, "HERE")


def says(hall, *lines):
    """A letter of the director, and what he is answered."""
    hall.sent(DIRECTOR)
    hall.write(DIRECTOR, "\n".join(lines), hall.opened.director_address(hall.event))
    return hall.told(DIRECTOR)


def offered(answer_text, *lines):
    """Those lines with the code that an answer offers."""
    code = next(line.strip() for line in answer_text.splitlines() if line.strip().startswith(("CODE ", "CODIGO ")))
    return (*lines, code)


def test_a_ruling_is_foretold_and_made_by_its_code_once(hall):
    hall.until("playing", 1)
    end = hall.rounds()[0].ends
    line = "EXTEND R1 48H BECAUSE a mail server was away"
    asked = says(hall, line)
    assert "Nothing is decided yet." in asked
    assert hall.rounds()[0].ends == end
    lines = offered(asked, line)
    assert "Done." in says(hall, *lines)
    assert hall.rounds()[0].ends == end + timedelta(hours=48)
    assert "Reason: a mail server was away" in hall.told(PEOPLE[0])
    for again in (says(hall, *lines), says(hall, lines[-1])):
        assert "This code was used, and made 1. A code is good once." in again
    assert hall.rounds()[0].ends == end + timedelta(hours=48)
    assert len(hall.leaves("verdict")) == 1


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("EXTEND R1 48H BECAUSE a mail server was away", "A letter may have at most 40 commands."),
        ("STANDINGS", "A letter may have at most 40 commands."),
        ("EXTEND R1 BECAUSE", "I stopped at 50 mistakes"),
    ],
)
def test_more_lines_than_a_letter_may_hold_are_not_read(hall, line, sentence):
    answer = says(hall, *[line] * 3_900)
    assert sentence in answer
    assert len(answer) < 20_000


def test_several_lines_are_made_together_or_not_at_all(hall):
    hall.until("playing", 1)
    lines = ("HOLD BECAUSE a storm", "EXTEND R1 24H BECAUSE a storm")
    answer = says(hall, *offered(says(hall, *lines), *lines))
    assert "Done." in answer
    assert hall.event.state == "held"
    answer = says(hall, "EXPEL 1 BECAUSE rude", "EXPEL e1 BECAUSE once more")
    assert "e1 is expelled already." in answer
    assert "EXPEL e1 BECAUSE once more" in answer
    lines = ("EXPEL 1 BECAUSE rude", "EXPEL 2 BECAUSE rude")
    code = offered(says(hall, *lines), *lines)[-1]
    with hall.server.work() as work:
        (row,) = (row for row in queries.tournaments.entrants(work.session, hall.name) if row.number == 2)
        row.state = "expelled"
        work.session.add(row)
    answer = says(hall, code)
    assert "It is not possible any more. This letter changed nothing." in answer
    assert "EXPEL 2 BECAUSE rude" in answer
    assert hall.entrant(PEOPLE[0]).state == "in"
    assert len(hall.leaves("verdict")) == 2


def test_several_rulings_of_a_letter_are_one_letter_to_each(hall):
    spaniard = "p9@players.example"
    hall.enter(spaniard, spanish=True)
    lines = ("EXPEL 2 BECAUSE rude PRIVATELY see mine", "BAR 3 4 BECAUSE they are brothers", "WARN 1 BECAUSE late")
    *_, code = offered(preview := says(hall, *lines), *lines)
    assert "One letter, with the number and the reason of each ruling." in preview
    hall.sent()
    assert "Done." in says(hall, code)
    (row,) = hall.sent(spaniard)
    own = TextLetters(SENTINEL).letter(json.loads(row.model), row.language)
    warned, expelled = (" ".join(hall.told(who).split()) for who in PEOPLE[:2])
    assert warned.startswith("[[cup60] 3 rulings]")
    assert warned.count("[[cup60]") == 1
    assert "Ruling 1 of the director: EXPEL 2" in warned
    assert "Ruling 2 of the director: BAR 3 4" in warned
    assert "Reason: they are brothers" in warned
    assert "Ruling 3 of the director: WARN 1" in warned
    assert "see mine" in expelled
    assert "see mine" not in warned
    assert "Decisión 2 del director: SEPARAR 3 4" in own
    assert TextLetters(SENTINEL).subject(json.loads(row.model), "es") == "[cup60] 3 decisiones"


def test_what_moves_the_tournament_stands_last_and_once(hall):
    answer = says(hall, "SHUT BECAUSE all came", "SHUT BECAUSE x", "CANCEL BECAUSE x", "EXPEL 1 BECAUSE x")
    assert "3 lines are wrong." in answer
    assert "After SHUT nothing is as it was: put this line last, or into a letter of its own." in answer
    assert "SHUT: at most 1 in one letter." in answer
    assert hall.leaves("verdict") == []


def test_a_code_of_before_rulings_were_read_alike_is_good(hall):
    """The server gave it for these lines by its key, the generation of the address and the length of the docket."""
    line = "EXPEL 2 BECAUSE he asked for it"
    code = codes.valid_codes(hall.opened, "director", "cup60", str(hall.event.director_generation), "0", line)[0]
    assert "Done. All who play were told:" in says(hall, line, f"CODE {code}")
    assert hall.entrant(PEOPLE[1]).state == "expelled"


def test_a_code_is_good_to_the_moment_that_its_letter_names(hall):
    line = "EXPEL 2 BECAUSE he asked for it"
    lines = offered(says(hall, line), line)
    until = codes.code_expiry(hall.clock.now())
    for seconds, outcome_text in ((0, "This code is too old: a code is good for 7 days."), (-1, "Done.")):
        hall.clock.set(until + timedelta(seconds=seconds))
        assert outcome_text in says(hall, lines[-1])


@pytest.mark.parametrize("above", [(), ("EXPEL 2 BECAUSE he asked for it", "EXPEL 3 BECAUSE she did too")])
def test_a_code_makes_its_lines_alone_as_well_as_below_them(hall, above):
    lines = ("EXPEL 2 BECAUSE he asked for it", "EXPEL 3 BECAUSE she did too")
    *_, code = offered(says(hall, *lines), *lines)
    assert "Done. All who play were told:" in says(hall, *above, code)
    assert [hall.entrant(who).state for who in PEOPLE[:3]] == ["in", "expelled", "expelled"]


def test_a_code_below_other_lines_makes_neither(hall):
    line = "EXPEL 2 BECAUSE he asked for it"
    *_, code = offered(says(hall, line), line)
    assert "This code was given for other lines than those above it." in says(hall, "EXPEL 3 BECAUSE rude", code)
    assert "Done." in says(hall, code)
    assert [hall.entrant(who).state for who in PEOPLE[:3]] == ["in", "expelled", "in"]


def test_what_was_ruled_since_takes_a_code_away_and_gives_another(hall):
    hall.until("playing", 1)
    *_, line_offered = offered(says(hall, "EXTEND R1 24H BECAUSE a storm"))
    *_, other = offered(says(hall, "EXPEL 2 BECAUSE he asked for it"))
    assert "Done." in says(hall, line_offered)
    answer = says(hall, other)
    assert "Since you were sent this code another phase was opened, or something was ruled." in answer
    assert hall.entrant(PEOPLE[1]).state == "in"
    assert "Done." in says(hall, offered(answer)[-1])
    assert hall.entrant(PEOPLE[1]).state == "expelled"


@pytest.mark.parametrize("whose", ["nobody's", "another tournament's", "the director's before him", "a moderator's"])
def test_a_code_that_was_not_given_to_him_makes_nothing(hall, whose):
    line = "EXPEL 2 BECAUSE he asked for it"
    *_, word = offered(says(hall, line), line)
    with hall.server.work() as work:
        (draft,) = work.session.exec(select(tables.Draft))
        if whose == "another tournament's":
            event = work.session.get_one(tables.Tournament, "cup60")
            work.session.add(tables.Tournament(**event.model_dump() | {"id": "cup61"}))
            work.session.flush()
            draft.tournament_id = "cup61"
        elif whose == "the director's before him":
            event = work.session.get_one(tables.Tournament, "cup60")
            event.director_generation += 1
        elif whose == "a moderator's":
            founding.new_game(work, founding.NewGame(name="g1", game="africa1860", scenario="castillejos"))
            draft.tournament_id, draft.game_id = None, "g1"
        else:
            word = "CODE aaaaaaaa"
    for above in ((), (line,)):
        answer = says(hall, *above, word)
        assert "This code is not one that I gave you for cup60." in answer
        assert "Send your lines without a code" in answer
    assert hall.leaves("verdict") == []
    assert hall.entrant(PEOPLE[1]).state == "in"


def test_questions_beside_rulings_are_answered_too(hall):
    answer = says(hall, "EXPEL 2 BECAUSE he asked for it", "DOCKET")
    assert "Nothing is decided yet." in answer
    assert "DOCKET:" in answer
    assert "Nothing has been ruled yet." in answer


def test_a_spanish_director_sends_his_lines_in_spanish_and_their_code_below_them(hall):
    hall.until("playing", 1)
    with hall.server.work() as work:
        event = work.session.get_one(tables.Tournament, "cup60")
        event.director_language = "es"
        work.session.add(event)
    answer = says(hall, "SUSPENDER BECAUSE hay tormenta\nEXTEND R1 48h PORQUE hubo un apagón")
    wanted = ("SUSPENDER PORQUE hay tormenta", "PRORROGAR R1 48H PORQUE hubo un apagón")
    assert says(hall, *offered(answer, *wanted)).startswith("[[cup60] ")
    assert hall.event.state == "held"


def test_a_long_reason_may_be_broken_by_a_mail_program(hall):
    first, rest = "EXPEL 2 BECAUSE he asked for it in a long letter to all of", "the others, who agreed"
    lines = offered(says(hall, first, rest), first, rest)
    assert "Done." in says(hall, *lines)
    assert f"Reason: {first.partition('BECAUSE ')[2]} {rest}" in hall.told(PEOPLE[0])


def test_players_read_a_ruling_in_their_own_words_and_the_docket_keeps_the_english(hall):
    hall.until("playing", 1)
    rule = "FALLO D1 ESTIMAR PORQUE x"
    assert plain_english(read(rule).message()) == "RULING D1 UPHOLD BECAUSE x"
    assert load_catalogue("es").say(read(rule).message()) == "FALLO D1 ESTIMAR PORQUE x"
    says(hall, *offered(says(hall, "PRORROGAR R1 48h PORQUE hubo un apagón"), "EXTEND R1 48H BECAUSE hubo un apagón"))
    with hall.opened.session() as session:
        assert [row.line for row in queries.tournaments.docket(session, "cup60")] == ["EXTEND R1 48H"]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("EXTEND R1 48H", "A ruling says why"),
        ("EXTEND R1 BECAUSE x", "EXTEND R2 48h BECAUSE ..."),
        ("FROBNICATE 7 BECAUSE x", "A ruling begins with one of"),
        ("EXPEL 99 BECAUSE x", "There is no entrant e99 in cup60; the last is e6, and STATUS lists them."),
        ("EXTEND R9 24h BECAUSE x", "There is no round 9 in cup60; the newest is R1."),
        ("EXTEND R1 24h BECAUSE x", "Round 1 is not played now, and no other is."),
        ("RULING D7 DENY BECAUSE x", "There is no dispute D7 to be ruled on now; there are: -."),
        ("ADJUDICATE cup60-r9-01 spain BECAUSE x", "no table of cup60; STATUS lists those of the newest round."),
        ("SUBSTITUTE 1 BY 2 BECAUSE x", "is not on the waiting list; on it: -."),
        ("RESUME BECAUSE x", "The deadlines of cup60 run: there is nothing to resume."),
        ("CODE abcdefgh", "This code is not one that I gave you for cup60."),
    ],
)
def test_what_cannot_be_is_told_with_the_way_out(hall, line, why):
    hall.until("shut", 1)
    answer = says(hall, "Dear server,", line)
    assert why in answer
    assert (f"line 2: {line}" in answer) != line.startswith("CODE")
    assert hall.leaves("verdict") == []


def test_all_lines_that_cannot_be_are_told_at_once(hall):
    answer = says(hall, "EXPEL 98 BECAUSE rude", "EXPEL 1 BECAUSE rude", "EXPEL 99 BECAUSE rude")
    assert "2 lines are wrong." in answer
    assert "line 1: EXPEL 98" in answer
    assert "line 3: EXPEL 99" in answer


def test_status_lists_who_plays_and_who_waits_by_their_numbers(hall):
    answer = says(hall, "ESTADO")
    assert "They play: e1, e2, e3, e4, e5, e6." in answer


def test_a_letter_with_one_wrong_line_changes_nothing(hall):
    answer = says(hall, "EXPEL 1 BECAUSE rude", "EXPEL BECAUSE rude")
    assert "I did nothing with your letter: one line is wrong." in answer
    assert hall.entrant(PEOPLE[0]).state == "in"


def test_questions_are_answered_in_his_language(hall):
    hall.until("playing", 1)
    assert "6 play, 0 wait" in says(hall, "STATUS")
    assert "Standings of cup60" in says(hall, "CLASIFICACION")
    assert "E6.2 A prize goes to a player who came to a table." in " ".join(says(hall, "RULES E6").split())
    answer = says(hall, "HELP")
    assert "SUSTITUIR 5 POR 17" in answer
    assert "FALLO D4 ESTIMAR" in answer


def test_a_docket_without_rulings_says_so(hall):
    assert "Nothing has been ruled yet." in says(hall, "DOCKET")


@pytest.mark.parametrize(
    ("written", "stands"),
    [
        ("FALLO D1 ESTIMAR PORQUE x", "RULING D1 UPHOLD"),
        ("FALLO D1 DESESTIMAR PORQUE x", "RULING D1 DENY"),
        ("RULING D1 TABLAS BECAUSE x", "RULING D1 DRAW"),
        ("SUSTITUIR 5 POR 17 PORQUE x", "SUBSTITUTE 5 BY 17"),
        ("ADJUDICAR cup60-r1-01 draw PORQUE x", "ADJUDICATE cup60-r1-01 draw"),
    ],
)
def test_the_docket_has_english_words_whatever_was_written(written, stands):
    assert read(written).text == stands


def test_a_forged_address_and_a_forged_sender_rule_nothing(hall):
    address = hall.opened.director_address(hall.event)
    wrong = address.replace("-director-", "-director-a")[: len(address)]
    hall.write("mallory@evil.example", "CANCEL BECAUSE I can", wrong.replace("@", "a@")[-60:])
    hall.sent()
    hall.write("mallory@evil.example", "CANCEL BECAUSE I can", address)
    assert hall.sent("mallory@evil.example") == []
    assert hall.event.state != "cancelled"


def test_his_letter_comes_each_morning_with_a_decision_and_else_on_mondays(hall):
    hall.until("playing", 1)
    hall.sent()
    letters: dict[date, str] = {}
    for _ in hall.meanwhile(days=15):
        for row in hall.sent(DIRECTOR):
            if "February 2030: " not in subject(row):
                continue
            local = row.created.astimezone(ZoneInfo("Europe/Madrid"))
            assert local.hour == 8
            assert local.date() not in letters
            letters[local.date()] = subject(row)
        if hall.clock.at.day < 8:
            seconds_are_there(hall)
            hall.run()
    quiet = {day for day, about in letters.items() if about.endswith("nothing to decide")}
    assert quiet
    assert all(day.weekday() == 0 for day in quiet)
    assert {day.weekday() for day in letters.keys() - quiet} - {0}
    assert {about.partition(": ")[2] for day, about in letters.items() if day not in quiet} <= {
        "1 decision",
        "2 decisions",
        "3 decisions",
    }


@pytest.mark.full
def test_his_letter_says_what_is_decided_without_him_and_when(hall):
    hall.until("playing", 1)
    seconds_are_there(hall)
    hall.forward(days=4)
    hall.sent()
    seconds_are_there(hall)
    hall.forward(days=3)
    mail_text = hall.told(DIRECTOR)
    assert "is silent at cup60-r1-0" in mail_text
    # Nobody waits for a place.
    assert "those who wait" not in mail_text
    assert "the game counts nothing, and his opponent has a bye" in " ".join(mail_text.split())


@pytest.mark.full
def test_a_director_who_never_answers_holds_nothing_up(hall):
    hall.until("playing", 1)
    while hall.rounds()[0].state == "playing":
        seconds_are_there(hall)
        hall.forward(days=1)
    hall.until("closed", 1)
    hall.until("playing", 2)
    assert hall.event.state == "playing"


def test_past_the_hourly_limit_his_letters_are_not_read_as_an_entrants_are_not(hall):
    for _ in range(hall.opened.settings.letters_an_hour):
        hall.write(DIRECTOR, "STATUS", hall.opened.director_address(hall.event))
    answer = says(hall, "STATUS")
    assert "letters came from you within an hour" in answer
    assert "They play" not in answer
    assert says(hall, "STATUS") == ""


def test_rotate_gives_the_director_an_address_that_nobody_else_knows(hall):
    old = hall.opened.director_address(hall.event)
    answer = says(hall, "ROTATE")
    new = hall.opened.director_address(hall.event)
    assert new != old
    assert f"You direct cup60 from another address now: {new}." in answer
    assert hall.write(DIRECTOR, "STATUS", old).verdict == "stranger"
    assert "it has been replaced by another one." in " ".join(hall.told(DIRECTOR).split())
    assert "Nothing has been ruled yet." in says(hall, "DOCKET")


def test_a_mistyped_ruling_is_told_the_nearest_word(hall):
    assert "EXTND is no ruling. Did you mean EXTEND? HELP lists all." in says(hall, "EXTND R1 48h BECAUSE x")


def test_who_gives_up_a_seat_is_told_first_that_he_leaves_the_tournament(hall):
    people = hall.fill(4)
    hall.until("playing", 1)
    game, address = hall.seat(people[0], 1)
    hall.sent()
    hall.write(people[0], "RESIGN", address)
    asked = " ".join(hall.told(people[0]).split())
    assert f"of {game}. It is a game of cup60: you leave that too, until RETURN." in asked


def test_rulings_name_a_player_by_name_or_number(hall):
    for who, name in (("a@x.example", "Ana"), ("b@x.example", "Ana"), ("c@x.example", "Íñigo"), ("d@x.example", "Bea")):
        hall.enter(who, f"NAME {name}")
    ana, other, inigo, bea = (hall.number(f"{letter}@x.example") for letter in "abcd")
    asked = " ".join(
        says(hall, "WARN inigo BECAUSE late", "BAR Bea Íñigo BECAUSE brothers", "EXPEL BEA BECAUSE x").split()
    )
    assert f"1. WARN {inigo} BECAUSE late: Íñigo (e{inigo}) is warned." in asked
    assert f"2. BAR {bea} {inigo} BECAUSE brothers" in asked
    assert f"3. EXPEL {bea} BECAUSE x" in asked
    refused = " ".join(says(hall, "ADVERTIR ana PORQUE tarde").split())
    assert f"Several have that name: Ana (e{ana}), Ana (e{other}). Write the number." in refused
    assert f"1. WARN {other} BECAUSE x" in says(hall, f"WARN Ana (e{other}) BECAUSE x")
    refused = " ".join(says(hall, "WARN Zoe BECAUSE late").split())
    assert "Nobody in cup60 has a name of Zoe. STATUS lists names and numbers; it is written as WARN 9" in refused
    assert "It is written as BAR 3 7" in says(hall, "BAR Bea BECAUSE late")


@pytest.mark.parametrize("reason", ["....", "...", "…", "-", "<why>", " ... "])
def test_a_reason_of_dots_is_refused_with_the_way_out(hall, reason):
    refused = " ".join(says(hall, f"EXPULSAR 2 PORQUE {reason}").split())
    assert "A ruling says why: write your reason in place of the dots of EXPEL 2 BECAUSE ..." in refused
