"""M, K8 A war with several commanders a side: their camp, their peace, and who has which command in the next battle."""

import pytest
from sqlmodel import select

from pbem.store import tables
from pbem.verifier.record import FALSE
from pbem.wars.replay import replay_war
from tests.harness.war import PlayedWar
from tests.letters.test_true_wars import mailbox, reasons_of

DAY = 24 * 60
TETUAN = ("odonnell", "prim", "ros", "abbas", "ahmed", "caid")


@pytest.fixture
def table(tmp_path):
    made = PlayedWar(tmp_path, "commands=split", seats=TETUAN)
    yield made
    made.server.engine.dispose()


def camped(table):
    """The first camp: the three of Morocco have conceded the first battle."""
    for seat in ("abbas", "ahmed", "caid"):
        table.confirmed(seat, "CONCEDE")
    return table


def players(table, game):
    with table.server.session() as session:
        seats = session.exec(select(tables.Seat).where(tables.Seat.game_id == game)).all()
        names = {seat.name: session.get_one(tables.Person, seat.person_id).name for seat in seats if seat.person_id}
    return names


def test_a_battle_is_conceded_by_all_commanders_of_a_side(table):
    for seat in ("abbas", "ahmed"):
        assert "once all its players have said so" in table.confirmed(seat, "CONCEDE")
    assert table.games() == {"w60-1": "running"}
    table.confirmed("caid", "CONCEDE")
    assert table.games() == {"w60-1": "over", "w60-c1": "running"}


def test_the_commanders_of_a_side_share_its_points_and_order_by_rank(table):
    camped(table)
    (chief,), (junior,) = (table.letters_to(seat, "w60-c1") for seat in ("abbas", "caid"))
    assert "Its commanders share the points of a side" in " ".join(junior.split())
    assert "ORDERS T1" in chief
    table.answer("caid", "ORDERS T1\nENTRENCH Amsal\nEND\nGO")
    table.answer("abbas", "ORDERS T1\nENTRENCH Lomas\nHOSPITAL Beni\nEND\nGO")
    for seat in ("ahmed", "odonnell", "prim", "ros"):
        table.answer(seat, "ORDERS T1\nPASS\nEND\nGO" if seat != "odonnell" else "ORDENES T1\nPASAR\nFIN\nYA")
    table.wait(1)
    table.sit()
    assert table.sit() == "w60-2"
    (text,) = [text for text in table.letters_to("caid", "w60-c1") if "is entrenched" in text]
    assert "Lomas is entrenched" in text
    assert "(ENTRENCH Amsal) [K3]" in " ".join(text.split())
    (other,) = [text for text in table.letters_to("abbas", "w60-c1") if "is entrenched" in text]
    assert "Amsal" not in other


def test_the_next_battle_is_commanded_by_those_who_are_there(table):
    camped(table)
    table.wait(2 * DAY)
    assert table.sit() == "w60-2"
    assert set(players(table, "w60-2")) == {"prim", "echague", "ros", "morocco"}
    before, after = players(table, "w60-1"), players(table, "w60-2")
    assert (after["prim"], after["ros"], after["echague"]) == (before["prim"], before["ros"], before["odonnell"])
    assert after["morocco"] == before["abbas"]
    with table.server.reading() as work:
        assert [done.difference for _, done in replay_war(work, "w60")] == [None, None, None]


def test_who_has_no_command_in_the_next_battle_is_told_and_may_watch(table):
    camped(table)
    table.wait(2 * DAY)
    (text,) = [text for text in table.letters_to("caid", "w60-c1") if "has no command" in text]
    assert "w60-2" in text
    with table.server.session() as session:
        watching = {row.person_id for row in session.exec(select(tables.Observer)) if row.game_id == "w60-2"}
        seats = session.exec(select(tables.Seat).where(tables.Seat.game_id == "w60-c1")).all()
    assert watching == {seat.person_id for seat in seats if seat.name in ("ahmed", "caid")}


def test_who_goes_on_in_another_seat_is_told_its_address(table):
    old = table.addresses["odonnell"]
    camped(table)
    table.wait(2 * DAY)
    table.sit()
    answer = table.answer("odonnell", "ESTADO", to=old)
    assert f"se escribe a {table.addresses['echague']}" in " ".join(answer.split())


def test_peace_is_sued_for_and_accepted_by_all_commanders_of_a_side(table):
    camped(table)
    for seat, command in (("odonnell", "PEDIR LA PAZ"), ("prim", "SUE FOR PEACE")):
        assert "commanders" in table.confirmed(seat, command) or "mandos" in table.last_to("odonnell")
    assert "has not sued" in table.answer("abbas", "ACCEPT")
    assert "Your offer is passed on." in table.confirmed("ros", "SUE FOR PEACE")
    for seat in ("abbas", "ahmed"):
        table.confirmed(seat, "ACCEPT")
        assert table.games()["w60-c1"] == "running"
    assert "has accepted the peace" in table.confirmed("caid", "ACCEPT")
    assert table.games() == {"w60-1": "over", "w60-c1": "over"}


def test_a_silent_commander_holds_up_neither_camp_nor_battle(table):
    camped(table)
    table.answer("abbas", "ORDERS T1\nENTRENCH Lomas\nEND\nGO")
    table.wait(2 * DAY)
    assert table.sit() == "w60-2"
    assert reasons_of(mailbox(table, "abbas"), FALSE) == []
