"""Rulings: one line each, with a reason, numbered and told to everybody; and appeals that ask for one."""

from datetime import datetime

import pytest

from pbem.engine.data.messages import plain_english
from pbem.play.replay import replay
from pbem.play.rulings import moderator_letter, ruling_lines
from pbem.runtime.transaction import UserError
from pbem.store import tables
from tests.harness.game import ANN, BOB, CALM, PlayedGame
from tests.harness.letters import mail, text_of

PASS = "ORDERS T1\nPASS\nEND\n"
CARL = "carl@players.example"


@pytest.fixture
def house(tmp_path):
    return PlayedGame(tmp_path)


def rule(house, line):
    """What everybody is told, one sentence a line."""
    with house.server.work() as work:
        ruled = ruling_lines.make_ruling(work, "g1", ruling_lines.read_line(line))
    return [plain_english(sentence) for sentence in ruled.sentences]


def new_letters(house):
    return {(row.recipient, row.kind): text_of(row) for row in house.sent()}


def open_phase(house):
    (phase,) = [row for row in house.all(tables.Phase) if row.state == "open"]
    return phase


def test_a_phase_is_closed_at_once_and_everybody_hears_why(house):
    house.write("north", "WAIT\n" + PASS)
    house.sent()
    assert rule(house, "PROCESS T1.north BECAUSE both asked for it") == [
        "Ruling M1 of the moderator: PROCESS T1.north",
        "The phase T1.north is closed now, with the orders that are in.",
        "Reason: both asked for it",
    ]
    assert open_phase(house).name == "south"
    letters = new_letters(house)
    for who in (ANN, BOB):
        assert "Reason: both asked for it" in letters[who, "announcement"]
    with house.server.work() as work:
        assert replay(work, "g1").difference is None


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("PROCESS T1.north", "A ruling says why: PROCESS T1.north BECAUSE ...."),
        ("PROCESS T1.south BECAUSE x", "The open phase is T1.north; name it: PROCESS T1.north."),
        ("PROCESS BECAUSE x", "The open phase is T1.north; name it: PROCESS T1.north."),
        ("BANISH north BECAUSE x", "A ruling begins with one of: PROCESS, HOLD"),
        ("", "A ruling begins with one of: "),
        ("DEADLINE tomorrow BECAUSE x", "A deadline reads DEADLINE 2031-05-04 20:00, in the zone UTC."),
        ("DEADLINE 2026-05-04 11:00 BECAUSE x", "That moment is past; PROCESS closes a phase at once."),
        ("EXTEND a while BECAUSE x", "Say by how much: EXTEND 48h, or EXTEND 3 days."),
        ("RESUME BECAUSE x", "The game g1 is not held."),
        ("WARN west BECAUSE x", "There is no seat west in g1; there are: north, south."),
        ("SUBSTITUTE north BECAUSE x", "It is written as SUBSTITUTE spain BY a@b.org BECAUSE ...."),
        ("SUBSTITUTE north BY nobody BECAUSE x", "The seat cannot be given away:"),
        ("ADJUDICATE BECAUSE x", "It is written as ADJUDICATE ... BECAUSE ...."),
        ("ANNOUNCE", "It is written as ANNOUNCE ...."),
        ("RULING", "It is written as RULING A2 ...."),
        ("RULING A7 no", "No appeal A7 waits; there are: -."),
    ],
)
def test_what_cannot_be_ruled_changes_nothing(house, line, why):
    before = [row.model_dump() for table in (tables.Game, tables.Phase, tables.Due) for row in house.all(table)]
    with pytest.raises(UserError) as refused:
        rule(house, line)
    assert why in plain_english(refused.value.why)
    assert [row.model_dump() for t in (tables.Game, tables.Phase, tables.Due) for row in house.all(t)] == before
    assert house.all(tables.Ruling) == []
    assert house.sent() == []


def test_everybody_is_told_before_what_follows_from_it(house):
    rule(house, "PROCESS T1.north BECAUSE both asked for it")
    order = [(row.recipient, row.kind) for row in house.sent()]
    for who in (ANN, BOB):
        assert order.index((who, "announcement")) < order.index((who, "report"))


@pytest.mark.parametrize(
    ("line", "text", "because"),
    [
        ("procesar T1.north porque ambos lo piden", "PROCESS T1.north", "ambos lo piden"),
        ("Decisión A1 no, porque el mar no se cruza", "RULING A1 no, porque el mar no se cruza", ""),
        ("SUSTITUIR north POR a@b.example PORQUE se fue", "SUBSTITUTE north POR a@b.example", "se fue"),
    ],
)
def test_lines_are_read_in_spanish_too(line, text, because):
    order = ruling_lines.read_line(line)
    assert (order.text, order.because) == (text, because)


def test_a_held_game_is_resumed_or_processed(house):
    rule(house, "HOLD BECAUSE the map is being mended")
    assert house.game().state == "held"
    house.clock.forward(days=9)
    assert house.tick() == 0
    answer = rule(house, "RESUME BECAUSE it is mended")
    assert "The game goes on. The deadline of turn 1 is Thursday 14 May 2026, 20:00 UTC." in answer
    rule(house, "HOLD BECAUSE of a doubt")
    rule(house, "PROCESS T1.north BECAUSE the doubt is gone")
    assert (house.game().state, open_phase(house).name) == ("running", "south")
    assert [(row.number, row.line) for row in house.all(tables.Ruling)] == [
        (1, "HOLD"),
        (2, "RESUME"),
        (3, "HOLD"),
        (4, "PROCESS T1.north"),
    ]


def test_a_deadline_is_set_in_the_zone_of_the_game(tmp_path):
    house = PlayedGame(tmp_path, zone="Europe/Madrid")
    answer = rule(house, "DEADLINE 2026-05-09 18:30 BECAUSE of the holiday")
    assert "The deadline of turn 1 is now Saturday 9 May 2026, 18:30 Europe/Madrid (16:30 UTC)." in answer
    assert open_phase(house).deadline == datetime.fromisoformat("2026-05-09T16:30+00:00")


@pytest.mark.parametrize("line", ["EXTEND 48h BECAUSE of it", "prorrogar 2 días porque sí"])
def test_a_deadline_is_put_off(house, line):
    assert "The deadline of turn 1 is now Thursday 7 May 2026, 20:00 UTC." in rule(house, line)
    assert open_phase(house).deadline == datetime.fromisoformat("2026-05-07T20:00+00:00")


def test_a_substitute_gets_the_seat_and_an_address_of_his_own(house):
    old = house.addresses["north"]
    rule(house, f"SUBSTITUTE north BY {CARL} BECAUSE Ann asked for it")
    letters = new_letters(house)
    assert "Your seat north in g1 was taken over by somebody else." in letters[ANN, "announcement"]
    assert "You take this seat over." in letters[CARL, "report"]
    assert house.receive(mail(ANN, old, PASS)).verdict == "stranger"


def test_the_address_of_a_substitute_is_not_told_to_the_table(house):
    rule(house, f"SUBSTITUTE north BY {CARL} BECAUSE Ann asked for it")
    assert all(CARL not in letter for (who, _), letter in new_letters(house).items() if who != CARL)


def test_a_result_ends_the_game(house):
    rule(house, "ADJUDICATE Red wins by its lead BECAUSE both agreed to stop")
    letters = new_letters(house)
    assert "The moderator has ended the game: Red wins by its lead" in letters[BOB, "over"]
    assert house.game().state == "over"


def test_a_warning_is_seen_by_all(house):
    rule(house, "WARN south to keep to the tone of the table BECAUSE of the last letter")
    assert "Ruling M1 of the moderator: WARN south to keep to the tone" in new_letters(house)[ANN, "announcement"]


def test_an_announcement_needs_no_reason(house):
    assert rule(house, "ANNOUNCE The server moves on Sunday.") == [
        "Ruling M1 of the moderator: ANNOUNCE The server moves on Sunday."
    ]


def test_an_appeal_is_ruled_on_and_becomes_a_precedent(house):
    assert house.write("south", "APPEAL #12 Ant was stuck; it could not move").outcome == "answer"
    letters = new_letters(house)
    assert "Your appeal A1 is passed on to the moderator." in letters[BOB, "answer"]
    passed = letters["op@games.example", "fault"]
    assert "south of g1 appeals (A1)." in passed
    assert "| #12 Ant was stuck; it could not move" in passed
    assert "To answer: RULING A1 and the answer." in passed
    answer = rule(house, "RULING A1 It moved in the turn before; the event stands.")
    assert "That answers appeal A1 of south: #12 Ant was stuck; it could not move" in answer
    with pytest.raises(UserError, match="No appeal A1 waits"):
        rule(house, "RULING A1 again")
    house.sent()
    house.write("north", "RECURSO lo mismo otra vez")
    again = new_letters(house)["op@games.example", "fault"]
    assert "A1: #12 Ant was stuck; it could not move -> It moved in the turn before; the event stands." in again


def test_appeals_have_a_limit_and_say_something(house):
    house.write("south", "APPEAL #12")
    assert "An appeal says what is wrong: APPEAL #12 the unit was demoralised already." in house.answer()
    for _ in range(5):
        house.write("south", "APPEAL I doubt it")
    house.sent()
    house.write("south", "APPEAL I doubt it")
    assert "5 appeals of yours wait for a ruling already." in house.answer()


def test_an_appeal_strikes_addresses_out(house):
    house.write("south", f"APPEAL my address is {house.addresses['south']}")
    assert house.addresses["south"] not in new_letters(house)["op@games.example", "fault"]


def test_predict_looks_and_tells_nobody(house):
    with house.server.work() as work:
        sentences = [plain_english(sentence) for sentence in moderator_letter.predict_closing(work, "g1")]
    assert sentences == [
        "The phase T1.north closes on Tuesday 5 May 2026, 20:00 UTC.",
        "Orders are still awaited from: north.",
    ]
    assert house.sent() == []


def test_an_export_holds_the_game_and_no_secret(house):
    house.write("north", "GO\nORDERS T1\nMOVE Ant TO s2\nEND\n")
    house.tick()
    rule(house, "ANNOUNCE hello")
    with house.server.session() as session:
        export = moderator_letter.export_game(session, "g1")
    (phase,) = export["phases"]
    assert phase["phase"] == "T1.north~1"
    assert phase["orders"]["north"] == [1, "MOVE Ant TO s2\n", []]
    assert [event["cite"] for event in phase["events"]][-1] == "T9"
    assert export["rulings"][0]["line"] == "ANNOUNCE hello"
    text = str(export)
    for secret in (ANN, BOB, *house.addresses.values()):
        assert secret not in text


def test_a_hold_by_the_ladder_is_solved_by_a_ruling(tmp_path):
    house = PlayedGame(tmp_path, terms=CALM._replace(ladder=("moderator",)))
    house.clock.set(open_phase(house).deadline)
    house.tick()
    assert house.game().state == "held"
    rule(house, "PROCESS T1.north BECAUSE they may go on without him")
    assert open_phase(house).name == "south"
