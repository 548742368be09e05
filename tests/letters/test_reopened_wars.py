"""K8 A part of a war that is over is taken up again before turn 1 of the next battle has closed; the rest is void."""

import re

import pytest
from sqlmodel import select

from pbem.audit.leaves import parse
from pbem.play import seating
from pbem.play.rulings import appointment, ruling_lines
from pbem.runtime.transaction import UserError
from pbem.store import tables
from pbem.verifier.record import FALSE, NOT_CHECKED
from pbem.wars.cards import show_war
from pbem.wars.replay import replay_war
from tests.harness.war import PlayedWar, skip
from tests.letters.test_true_wars import mailbox, reasons_of
from tests.letters.test_war import camped, disclosures, marched

DAY = 24 * 60
MO = "mo@players.example"


@pytest.fixture
def table(tmp_path):
    made = PlayedWar(tmp_path)
    yield made
    made.server.engine.dispose()


def ruled(table, game, line):
    """A ruling is made on a game; what everybody is told of it."""
    with table.server.work() as work:
        made = ruling_lines.make_ruling(work, game, ruling_lines.read_line(f"{line} BECAUSE a letter was lost"))
    table.wait(1)
    table.sit()
    return made


def replayed(table):
    with table.server.reading() as work:
        return [(game, done.difference) for game, done in replay_war(work, "w60")]


def test_a_conceded_battle_is_taken_up_again_and_its_camp_is_void(table):
    skip(table, camped)
    ruled(table, "w60-1", "REOPEN T1.spain")
    assert table.games() == {"w60-c1": "over", "w60-1": "running"}
    (void,) = [text for text in table.letters_to("morocco", "w60-c1") if "is void" in text]
    assert re.search(r"w60-1 is taken up again at .*Spanish phase\.", " ".join(void.split()))
    assert "counts for nothing [K8]" in " ".join(void.split())
    again = table.letters_to("spain", "w60-1")[-1]
    assert "fase española, intento 2" in again
    assert "ORDENES T1" in again


def test_it_ends_again_and_goes_on_with_a_camp_of_another_name(table):
    skip(table, camped)
    ruled(table, "w60-1", "REOPEN T1.spain")
    table.confirmed("spain", "RENDIRSE")
    assert table.games() == {"w60-c1": "over", "w60-1": "over", "w60-c1b": "running"}
    table.answer("morocco", "ORDERS T1\nPASS\nEND")
    table.wait(2 * DAY)
    assert table.sit() == "w60-2"
    with table.server.reading() as work:
        card = show_war(work, "w60")
    assert [(game.game, game.ended) for game in card.games] == [
        ("w60-1", "concede spain"),
        ("w60-c1b", None),
        ("w60-2", None),
        ("w60-c1", "void"),
    ]
    assert card.played == "w60-2"
    assert any("Morocco wins" in line for line in card.standing)
    assert replayed(table) == [("w60-1", None), ("w60-c1b", None), ("w60-2", None)]


def test_the_camp_and_the_next_battle_are_void_while_turn_1_of_that_is_open(table):
    skip(table, marched)
    ruled(table, "w60-1", "REOPEN T1.spain")
    assert table.games() == {"w60-2": "over", "w60-c1": "over", "w60-1": "running"}
    for game in ("w60-c1", "w60-2"):
        assert any("is void" in text for text in table.letters_to("morocco", game)), game
    table.answer("spain", "ORDENES T1\nPASAR\nFIN\nYA")
    table.wait(2 * DAY)
    assert "T1 " in table.last_to("morocco") or "Turn 1" in table.last_to("morocco")
    assert replayed(table) == [("w60-1", None)]


def test_a_camp_that_has_closed_is_taken_up_again(table):
    skip(table, marched)
    ruled(table, "w60-c1", "REOPEN T1.camp")
    assert table.games() == {"w60-2": "over", "w60-1": "over", "w60-c1": "running"}
    table.answer("spain", "ORDENES T1\nTRAER Refuerzo\nFIN\nYA")
    table.answer("morocco", "ORDERS T1\nPASS\nEND\nGO")
    table.wait(1)
    assert table.sit() == "w60-2b"
    assert replayed(table) == [("w60-1", None), ("w60-c1", None), ("w60-2b", None)]


def test_once_turn_1_of_the_next_battle_has_closed_nothing_before_it_is_taken_up(table):
    skip(table, marched)
    for _ in range(2):
        table.wait(3 * DAY)
    for game, phase in (("w60-1", "T1.spain"), ("w60-c1", "T1.camp")):
        with pytest.raises(UserError, match=r"w60-2 is past its turn 1.* \[K8\]"):
            ruled(table, game, f"REOPEN {phase}")
    ruled(table, "w60-2", "REOPEN T1.spain")
    assert table.games() == {"w60-1": "over", "w60-c1": "over", "w60-2": "running"}


def test_a_war_that_is_over_is_over(table):
    skip(table, marched)
    table.confirmed("spain", "RENDIRSE")
    for game in ("w60-1", "w60-c1", "w60-2"):
        with pytest.raises(UserError, match="The war w60 is over"):
            ruled(table, game, "REOPEN T1.spain")


@pytest.mark.parametrize("line", ["HOLD", "AWARD spain 2", "READJUDICATE T1.spain", "PROCESS T1.spain"])
def test_nothing_else_is_ruled_on_a_battle_that_has_ended(table, line):
    skip(table, camped)
    with pytest.raises(UserError):
        ruled(table, "w60-1", line)


def test_who_moderates_is_shown_what_will_be_void_before_he_decides(table):
    with table.server.work() as work:
        address = appointment.appoint(work, appointment.Appointment("w60-1", MO))
    camped(table)
    asked = table.answer("", "REOPEN T1.spain BECAUSE a letter was lost", to=address, sender=MO)
    assert "Void, and kept: w60-c1." in asked
    (code,) = re.findall(r"^CODE [a-z2-7]{8}$", asked, re.MULTILINE)
    assert "Done." in table.answer("", code, to=address, sender=MO)
    assert table.games() == {"w60-c1": "over", "w60-1": "running"}


def test_whose_seat_it_is_by_now_plays_the_battle_that_is_taken_up(table):
    old = table.addresses["spain"]
    camped(table)
    with table.server.work() as work:
        seating.invite_seat(work, seating.Invitation("w60-c1", "spain", "zoe@players.example", "Zoe", "en"))
    ruled(table, "w60-1", "REOPEN T1.spain")
    with table.server.session() as session:
        (seat,) = [row for row in session.exec(select(tables.Seat)) if (row.game_id, row.name) == ("w60-1", "spain")]
        assert session.get_one(tables.Person, seat.person_id).name == "Zoe"
    assert table.addresses["spain"] != old
    assert "revision 1" in table.answer("spain", "ORDERS T1\nPASS\nEND", sender="zoe@players.example")
    assert "revisión" not in table.answer("spain", "ORDENES T1\nPASAR\nFIN", to=old)


def test_who_writes_to_a_void_part_is_told_where_the_war_goes_on(table):
    skip(table, camped)
    old = table.addresses["spain"]
    ruled(table, "w60-1", "REOPEN T1.spain")
    answer = table.answer("spain", "ORDENES T1\nPASAR\nFIN", to=old)
    assert f"La guerra sigue en w60-1; allí se escribe a {table.addresses['spain']}." in " ".join(answer.split())


def test_an_offer_of_peace_is_void_with_its_camp(table):
    skip(table, camped)
    table.confirmed("spain", "PEDIR LA PAZ")
    ruled(table, "w60-1", "REOPEN T1.spain")
    table.confirmed("spain", "RENDIRSE")
    assert "has not sued for peace" in table.answer("morocco", "ACCEPT")


def test_the_log_says_of_each_void_part_that_it_is(table):
    skip(table, camped)
    ruled(table, "w60-1", "REOPEN T1.spain")
    with table.server.session() as session:
        rows = [row for row in session.exec(select(tables.Leaf)) if row.kind == "ruling"]
    numbers = [(row.game, parse(row.body, row.says)("number")) for row in rows]
    assert numbers == [("w60-1", "1"), ("w60-c1", "1")]


def test_letters_prove_a_war_that_was_taken_back(table):
    skip(table, marched)
    ruled(table, "w60-1", "REOPEN T1.spain")
    table.confirmed("spain", "RENDIRSE")
    table.answer("morocco", "ORDERS T1\nPASS\nEND")
    table.wait(2 * DAY)
    table.sit()
    table.confirmed("spain", "RENDIRSE")
    assert reasons_of(mailbox(table), FALSE) == []


@pytest.mark.full
def test_letters_prove_a_war_whose_void_camp_followed_from_another_end(table):
    ruled(table, "w60-1", "EDIT UNIT Cordoba STEPS 1")
    camped(table)
    ruled(table, "w60-1", "REOPEN T1.spain")
    ruled(table, "w60-1", "EDIT UNIT Cordoba STEPS 4")
    table.confirmed("spain", "RENDIRSE")
    table.answer("morocco", "ORDERS T1\nPASS\nEND")
    table.wait(2 * DAY)
    table.sit()
    table.confirmed("spain", "RENDIRSE")
    letters = mailbox(table)
    assert reasons_of(letters, FALSE) == []
    assert any("w60-c1: it is void since w60-1 was taken up again" in why for why in reasons_of(letters, NOT_CHECKED))


def test_in_fog_what_is_void_stays_sealed_until_the_war_is_over(tmp_path):
    table = PlayedWar(tmp_path, "fog=on", war="drill")
    camped(table)
    ruled(table, "w60-1", "REOPEN T1.spain")
    assert disclosures(table) == set()
    table.confirmed("spain", "RENDIRSE")
    table.answer("morocco", "ORDERS T1\nPASS\nEND")
    table.wait(2 * DAY)
    table.sit()
    table.confirmed("spain", "RENDIRSE")
    assert disclosures(table) == {"w60-1", "w60-c1", "w60-c1b", "w60-2"}
    assert reasons_of(mailbox(table), FALSE) == []
    table.server.engine.dispose()


def test_a_battle_that_is_adjudicated_counts_by_its_points_and_all_are_told(table):
    ruled(table, "w60-1", "ADJUDICATE Spain wins")
    table.sit()
    for seat, counts in (("morocco", "counts as its points stand"), ("spain", "cuenta según sus puntos")):
        texts = [" ".join(text.split()) for text in table.letters_to(seat, "w60-1")]
        assert any(counts in text for text in texts)
