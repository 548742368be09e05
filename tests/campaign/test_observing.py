"""OBSERVE: who may watch a game, what he gets, and what he never gets."""

import json
import re

import pytest

from pbem.play import seating
from pbem.play.commands.table import founding
from pbem.runtime.clock import Pace
from pbem.server import observe
from pbem.store import tables
from tests.harness.game import ANN, PlayedGame
from tests.harness.letters import mail, text_of

pytestmark = pytest.mark.usefixtures("stuck")

EVE = "eve@elsewhere.example"
SERVER = "pbem@games.example"
BY = "If you want no more of these reports, write OBSERVE STOP to me.\n"


def ask(house, text, sender=EVE, to=SERVER):
    """A letter to the server itself, and the text of its one answer."""
    house.receive(mail(sender, to, text))
    return house.answer()


def watch(house, game="g1", sender=EVE):
    """Ask and confirm; what came of it."""
    asked = ask(house, f"OBSERVE {game}", sender)
    (line,) = re.findall(r"^(?:OBSERVE|OBSERVAR) .*$", asked, re.MULTILINE)
    house.receive(mail(sender, SERVER, line))
    return house.sent()


def play(house, seat, text):
    """A seat's phase; the letters that its end led to, by recipient."""
    house.write(seat, f"ORDERS T{house.all(tables.Phase)[-1].turn}\n{text}\nEND")
    house.clock.forward(minutes=31)
    house.sent()
    house.tick()
    return {row.recipient: row for row in house.sent()}


def test_a_game_is_watched_only_when_that_is_confirmed_from_the_address(house):
    asked = ask(house, "OBSERVE g1")
    assert asked.startswith(
        "kind: confirm (en)\nYour address was given to watch g1 (A toy).\n"
        "Nothing has changed yet. If it was you, confirm by sending me this line within 7 days; if not, do nothing.\n"
        "The line that lets you watch:\nOBSERVE g1 CODE "
    )
    assert house.all(tables.Observer) == []
    line = asked.splitlines()[-1]
    assert "This code is not valid for that game, or has expired." in ask(house, line, sender="other@x.example")
    assert "This code is not valid for that game, or has expired." in ask(house, "OBSERVE g1 CODE aaaaaaaa")
    house.clock.forward(days=7)
    assert "This code is not valid for that game, or has expired." in ask(house, line)
    house.clock.forward(days=-1)
    house.receive(mail(EVE, SERVER, line))
    report, done = house.sent()
    assert text_of(done) == (
        "kind: answer (en)\nFrom now on you get a report of every phase of g1. OBSERVE STOP ends it.\n"
        "The last one is on its way.\n"
    )
    assert text_of(report) == (
        f"kind: report (en)\nYou are watching this game.\n"
        f"north must send orders by Tuesday 5 May 2026, 20:00 UTC.\n{BY}"
    )


def test_the_report_is_the_public_one_and_has_nothing_of_a_seat(house):
    watch(house)
    house.write("south", "STANDING FOR Cat\nFLEE\nENDSTANDING")
    letters = play(house, "north", "MOVE Bee TO s3\nMOVE Bee TO s4\nMOVE Bee TO s5")
    row = letters[EVE]
    model = json.loads(row.model)
    assert (row.kind, row.seat_id, row.reply_to, model["address"]) == ("report", None, SERVER, SERVER)
    assert (model["seat"], model["template"], model["phase"]) == ("", [], "T1.south~1")
    events = [entry["details"][0]["args"]["data"] for entry in model["report"]["entries"]]
    assert "{'did': 'FLEE', 'unit': 'Cat'}" in events
    assert "standing" not in row.model
    south = json.loads(letters["bob@players.example"].model)
    assert "standing UNIT Cat 1" in json.dumps(south["report"])
    assert not set(re.findall(r"pbem\+[^ \"]*", row.model))
    assert {row.message_id for row in letters.values()} == {row.message_id for row in house.all(tables.Outbox)[-3:]}


def test_what_only_one_side_sees_the_observer_does_not(house):
    """Ant is stuck, which only its owner sees."""
    watch(house)
    letters = play(house, "north", "MOVE Ant TO s2")
    own, public = (
        [entry["text"]["text"] for entry in json.loads(letters[who].model)["report"]["entries"]] for who in (ANN, EVE)
    )
    assert (own, public) == (["A counter is stuck."], [])


def test_who_begins_later_gets_the_last_report_as_the_others_got_it(house):
    watch(house)
    early = play(house, "north", "MOVE Bee TO s3")[EVE]
    late, _ = watch(house, sender="late@x.example")
    assert (late.recipient, late.kind) == ("late@x.example", "report")
    assert late.model == early.model
    assert late.message_id != early.message_id


def test_the_end_of_the_game_is_told_and_then_nothing(house):
    watch(house)
    for _ in range(2):
        for seat in ("north", "south"):
            letters = play(house, seat, "PASS")
    assert text_of(letters[EVE]).startswith("kind: report (en)\nThe game is over. Thank you for watching.\n")
    assert ask(house, "OBSERVE g1", sender="f@x.example") == "kind: answer (en)\nThe game g1 is over.\n"


def test_a_game_that_has_not_begun_is_watched_from_its_start(tmp_path):
    house = PlayedGame(tmp_path, started=False)
    (done,) = watch(house)
    assert text_of(done).endswith("OBSERVE STOP ends it.\nThe game has not begun.\n")
    house.invite("north", ANN)
    house.invite("south", "bob@players.example")
    house.sent()
    with house.server.work() as work:
        founding.start_game(work, "g1")
    assert [(row.kind, row.recipient) for row in house.sent()][-1] == ("report", EVE)
    house.server.engine.dispose()


def test_it_ends_when_asked_for_and_from_the_seat_of_another_game_too(house):
    assert "You were not watching; nothing was changed." in ask(house, "OBSERVE STOP")
    with house.server.work() as work:
        founding.new_game(work, founding.NewGame(name="g2", game="toy", scenario="turns", pace=Pace()))
    watch(house)
    watch(house, "g2")
    house.clock.forward(hours=25)
    assert ask(house, "OBSERVE g1") == "kind: answer (en)\nYou watch g1 already; OBSERVE STOP ends it.\n"
    assert ask(house, "OBSERVE STOP g2") == "kind: answer (en)\nYou get no more reports of: g2.\n"
    assert ask(house, "observar g2 fin") == "kind: answer (en)\nYou were not watching; nothing was changed.\n"
    assert EVE in play(house, "north", "PASS")
    house.clock.forward(hours=25)
    assert ask(house, "OBSERVE STOP") == "kind: answer (en)\nYou get no more reports of: g1.\n"
    assert EVE not in play(house, "south", "PASS")


def test_a_player_watches_another_game_from_his_seat(house):
    with house.server.work() as work:
        founding.new_game(work, founding.NewGame(name="g2", game="toy", scenario="turns", pace=Pace()))
    house.write("north", "OBSERVE g2")
    line = house.answer().splitlines()[-1]
    house.write("north", line)
    assert "From now on you get a report of every phase of g2." in house.answer()
    (row,) = house.all(tables.Observer)
    assert (row.game_id, row.person_id, row.language) == ("g2", 1, "en")
    with house.server.work() as work:
        seating.invite_seat(work, seating.Invitation(game="g2", seat="south", email=ANN))
    assert house.all(tables.Observer) == []


def test_the_observer_is_written_to_in_the_language_he_asked_in(house):
    asked = ask(house, "OBSERVAR g1")
    assert "OBSERVAR g1 CODIGO " in asked
    house.receive(mail(EVE, SERVER, asked.splitlines()[-1]))
    assert {row.language for row in house.sent()} == {"es"}
    assert play(house, "north", "PASS")[EVE].language == "es"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("OBSERVE none", "There is no game none; LIST tells which there are."),
        ("OBSERVE hidden", "The game hidden cannot be watched: not all of it may be known to everybody."),
    ],
)
def test_what_cannot_be_watched(house, text, why):
    with house.server.work() as work:
        founding.new_game(
            work, founding.NewGame(name="hidden", game="toy", scenario="turns", options={"secret": "yes"}, pace=Pace())
        )
    assert ask(house, text) == f"kind: answer (en)\n{why}\n"
    assert house.all(tables.Observer) == []


def test_a_player_does_not_watch_his_own_game(house):
    assert "You have the seat north in g1: its reports tell you more." in ask(house, "OBSERVE g1", sender=ANN)


def test_a_game_has_so_many_observers_and_no_more(house, monkeypatch):
    monkeypatch.setattr(observe, "MOST_OBSERVERS", 2)
    asked = ask(house, "OBSERVE g1", sender="e3@x.example")
    watch(house, sender="e1@x.example")
    watch(house, sender="e2@x.example")
    full = "The game g1 has as many observers as it can have: 2."
    assert full in ask(house, "OBSERVE g1", sender="e4@x.example")
    assert full in ask(house, asked.splitlines()[-1], sender="e3@x.example")
    assert len(house.all(tables.Observer)) == 2


def test_observe_alone_is_shown_how_it_is_written(house):
    house.write("north", "STATUS\nOBSERVE")
    assert "['OBSERVE game']" in house.answer()
