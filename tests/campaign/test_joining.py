"""LIST and JOIN, from those who have a seat and from those who have none."""

import re

import pytest

from pbem.play.commands.table import founding
from pbem.runtime.clock import Pace
from pbem.runtime.limits import LIMITS
from pbem.store import tables
from tests.harness.game import ANN, PlayedGame
from tests.harness.letters import mail, text_of
from tests.harness.server import changed

EVE = "eve@elsewhere.example"
SERVER = "pbem@games.example"


@pytest.fixture
def open_house(house):
    """The house with two more games: one open to all, one by invitation."""
    with house.server.work() as work:
        for name, open_seats in (("free", True), ("shut", False)):
            founding.new_game(
                work, founding.NewGame(name=name, game="toy", scenario="turns", pace=Pace(), open_seats=open_seats)
            )
    return house


def ask(house, text, sender=EVE, to=SERVER):
    """A letter to the server itself, and the text of its one answer."""
    house.receive(mail(sender, to, text))
    return house.answer()


def line_in(answer):
    """The line that confirms."""
    (line,) = re.findall(r"^(?:JOIN|UNIRSE) .*$", answer, re.MULTILINE)
    return line


def holders(house):
    return {(seat.game_id, seat.name): seat.person_id for seat in house.all(tables.Seat)}


def test_anybody_may_ask_which_games_there_are(open_house):
    assert ask(open_house, "LIST") == (
        "kind: answer (en)\nGames on this server:\n"
        "free: A toy, One after the other\n  Open to all. Free seats: north, south.\n"
        "g1: A toy, One after the other\n  Being played.\n"
        "shut: A toy, One after the other\n  Being set up by invitation. Free seats: north, south.\n"
    )


def test_the_answer_says_where_to_write_and_speaks_the_language_of_the_question(open_house):
    open_house.receive(mail(EVE, SERVER, "Hola:\n\nlista\n"))
    (answer,) = open_house.sent()
    assert (answer.language, answer.reply_to, answer.recipient) == ("es", SERVER, EVE)


def test_a_seat_is_given_only_when_it_is_confirmed_from_its_address(open_house):
    before = holders(open_house)
    asked = ask(open_house, "JOIN free AS south")
    assert asked.startswith(
        "kind: confirm (en)\n"
        "The seat south in free (A toy) was asked for with your address.\n"
        "Nothing has changed yet. If it was you, confirm by sending me this line within 7 days; if not, do nothing.\n"
        "The line that takes the seat:\nJOIN free AS south CODE "
    )
    assert holders(open_house) == before
    assert open_house.receive(mail(EVE, SERVER, line_in(asked))).outcome == "answered-code"
    invitation, done = open_house.sent()
    assert text_of(done) == (
        "kind: joined (en)\n"
        "The seat south in free is yours. Its own letter, with the address to write to, is on its way.\n"
    )
    assert (invitation.kind, invitation.recipient) == ("invitation", EVE)
    assert holders(open_house)[("free", "south")] is not None
    assert holders(open_house)[("free", "north")] is None
    address = invitation.reply_to
    assert open_house.receive(mail(EVE, address, "STATUS")).verdict == "seat"


def test_the_seat_of_a_spaniard_is_spanish(open_house):
    asked = ask(open_house, "Unirse a free como NORTH")
    assert "UNIRSE free COMO north CODIGO " in asked
    open_house.receive(mail(EVE, SERVER, line_in(asked)))
    (seat,) = [seat for seat in open_house.all(tables.Seat) if (seat.game_id, seat.name) == ("free", "north")]
    assert seat.language == "es"


def test_without_a_seat_named_the_first_free_one_is_meant(open_house):
    assert "JOIN free AS north CODE" in ask(open_house, "JOIN free")
    assert "JOIN free AS south CODE" in ask(open_house, "JOIN free AS blue", sender="f@x.example")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("JOIN none", "There is no game and no tournament none; LIST tells which there are."),
        ("JOIN g1", "The game g1 has begun; its seats cannot be taken any more."),
        ("JOIN shut AS north", "The game shut is not open to all: whoever runs it gives its seats away."),
        ("JOIN free AS east", "No seat east is free in free; free are: north, south."),
        (
            "JOIN free AS north CODE aaaaaaaa",
            "This code is not valid for that seat, or has expired. JOIN without a code gets a new one.",
        ),
    ],
)
def test_what_cannot_be_joined(open_house, text, why):
    before = holders(open_house)
    assert ask(open_house, text) == f"kind: answer (en)\n{why}\n"
    assert holders(open_house) == before


def test_a_code_is_good_for_one_seat_one_address_and_seven_days(open_house):
    line = line_in(ask(open_house, "JOIN free AS south"))
    old = "This code is not valid for that seat, or has expired."
    assert old in ask(open_house, line, sender="other@elsewhere.example")
    assert old in ask(open_house, line.replace("south", "north"))
    open_house.clock.forward(days=7)
    assert old in ask(open_house, line)
    open_house.clock.forward(days=-1)
    open_house.receive(mail(EVE, SERVER, line))
    assert open_house.sent()[-1].kind == "joined"


def test_who_has_a_seat_gets_no_second_one_and_a_taken_one_is_taken(open_house):
    line = line_in(ask(open_house, "JOIN free AS south"))
    other = line_in(ask(open_house, "JOIN free AS south", sender="f@x.example"))
    open_house.receive(mail(EVE, SERVER, line))
    open_house.sent()
    assert "You have the seat south in free already." in ask(open_house, "JOIN free AS north")
    assert "No seat south is free in free; free are: north." in ask(open_house, other, sender="f@x.example")
    third = line_in(ask(open_house, "JOIN free", sender="f@x.example"))
    open_house.receive(mail("f@x.example", SERVER, third))
    open_house.sent()
    assert "All seats of free are taken." in ask(open_house, "JOIN free", sender="g@x.example")


def test_a_player_joins_another_game_from_his_seat_and_the_code_goes_to_his_registered_address(open_house):
    address = open_house.addresses["north"]
    open_house.receive(mail("ann@work.example", address, "JOIN free AS north"))
    (asked,) = open_house.sent()
    assert (asked.kind, asked.recipient) == ("confirm", ANN)
    open_house.receive(mail("ann@work.example", address, line_in(text_of(asked))))
    assert [(row.kind, row.recipient) for row in open_house.sent()] == [("invitation", ANN), ("joined", ANN)]
    seats = holders(open_house)
    assert seats[("free", "north")] == seats[("g1", "north")]


def test_a_known_person_keeps_language_and_zone(open_house):
    with open_house.server.session() as session:
        person = session.get_one(tables.Person, 1)
        person.language, person.zone = "es", "Europe/Madrid"
    line = line_in(ask(open_house, "JOIN free AS south", sender=ANN))
    open_house.receive(mail(ANN, SERVER, line))
    (seat,) = [seat for seat in open_house.all(tables.Seat) if (seat.game_id, seat.name) == ("free", "south")]
    assert (seat.language, seat.zone) == ("es", "Europe/Madrid")


def test_requests_have_a_budget_of_their_own(open_house):
    for _ in range(LIMITS.requests):
        ask(open_house, "LIST")
    assert open_house.receive(mail(EVE, SERVER, "LIST")).outcome == "over-budget"
    assert open_house.receive(mail(EVE, SERVER, "Who are you?")).outcome == "answered-stranger"
    open_house.sent()
    open_house.clock.forward(days=1)
    assert open_house.receive(mail(EVE, SERVER, "LIST")).outcome == "answered-request"


def test_who_has_used_up_his_requests_still_confirms_with_his_code(open_house):
    line = line_in(ask(open_house, "JOIN free AS south"))
    for _ in range(LIMITS.requests - 1):
        ask(open_house, "LIST")
    assert open_house.receive(mail(EVE, SERVER, "LIST")).outcome == "over-budget"
    outcomes = [
        open_house.receive(mail(EVE, SERVER, text)).outcome
        for text in (line, *["JOIN free AS north CODE aaaaaaaa"] * LIMITS.requests)
    ]
    assert "joined" in [row.kind for row in open_house.sent()]
    assert outcomes == ["answered-code"] * LIMITS.requests + ["over-budget"]


def test_requests_count_among_the_answers_to_all_strangers(open_house):
    open_house.server = changed(open_house.server, limits=LIMITS._replace(strangers=6))
    outcomes = [open_house.receive(mail(f"e{n}@x.example", SERVER, "LIST")).outcome for n in range(5)]
    assert outcomes == ["answered-request"] * 3 + ["over-budget"] * 2


@pytest.mark.parametrize("text", ["LIST\nMAP", "LIST\nORDERS T1\nPASS\nEND", "LIST\ndance", "STATUS"])
def test_who_asks_for_more_is_told_that_nothing_was_read(open_house, text):
    assert open_house.receive(mail(EVE, SERVER, text)).outcome == "answered-stranger"
    assert "I did not understand your letter." in open_house.answer()


def test_a_wrong_token_is_no_request(open_house):
    bad = open_house.addresses["north"].replace("+g1-", "+g9-")
    assert open_house.receive(mail(EVE, bad, "LIST")).outcome == "answered-stranger"


def test_help_without_a_seat_lists_what_can_be_asked(open_house):
    assert ask(open_house, "HELP") == (
        "kind: help (en)\nOne command a line; case and accents do not matter.\nWhat you can write:\n"
        "HELP orders        AYUDA ordenes\n"
        "LIST               LISTA\n"
        "JOIN game AS seat  UNIRSE partida COMO puesto\n"
        "OBSERVE game       OBSERVAR partida\n"
        "STANDBY            RESERVA\n"
        "TAKEOVER game      RELEVAR partida\n"
    )
    assert ask(open_house, "HELP dice").startswith("kind: help (en)\nHelp: dice:\n")


def test_an_empty_server_has_no_games(tmp_path):
    house = PlayedGame(tmp_path, started=False)
    rows = [*house.all(tables.Seat), *house.all(tables.Game)]
    with house.server.session() as session:
        for row in rows:
            session.delete(row)
            session.flush()
    assert ask(house, "LIST") == "kind: answer (en)\nThere are no games on this server yet.\n"
    house.server.engine.dispose()


def test_however_many_forge_addresses_players_and_whoever_has_a_good_code_are_answered(open_house):
    """Nothing is known of senders here, and a hundred domains have had all answers that unknown ones get."""
    house = open_house
    line = line_in(ask(house, "JOIN free AS south"))
    for index in range(130):
        house.receive(mail(f"x@d{index}.example", SERVER, ("LIST", "hello", "JOIN free CODE aaaaaaaa")[index % 3]))
    assert house.receive(mail("new@honest.example", SERVER, "LIST")).outcome == "over-budget"
    assert house.receive(mail("new@honest.example", SERVER, f"{line[:-8]}aaaaaaaa")).outcome == "over-budget"
    before = len([row for row in house.all(tables.Inbox) if row.outcome.startswith("answered")])
    assert before == LIMITS.strangers // 2
    house.sent()
    assert house.receive(mail(EVE, SERVER, line)).outcome == "answered-code"
    assert holders(house)["free", "south"] is not None
    assert EVE in [row.recipient for row in house.sent()]
    assert house.receive(mail(ANN, SERVER, "LIST")).outcome == "answered-request"
    assert house.write("north", "STATUS").outcome == "status"
    assert house.receive(mail(EVE, house.invite("north", "new@honest.example"), "STATUS")).verdict == "seat"
