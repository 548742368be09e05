"""SCOUT by letters (K4, K6): whose scouts saw anything deploys in the next battle after the other, in sight of that."""

import pytest

from pbem.games.camp import steps
from pbem.wars.replay import replay_war
from tests.harness.war import PlayedWar

DAY = 24 * 60


@pytest.fixture
def table(tmp_path):
    made = PlayedWar(tmp_path, "deploy=on")
    yield made
    made.server.engine.dispose()


def scouted(table):
    """The war in its second battle, before turn 1; Morocco's scouts went out in the camp."""
    table.answer("spain", "ORDENES T0\nPASAR\nFIN\nYA")
    table.answer("morocco", "ORDERS T0\nPASS\nEND\nGO")
    table.wait(1)
    table.confirmed("morocco", "CONCEDE")
    table.answer("spain", "ORDENES T1\nPASAR\nFIN\nYA")
    table.answer("morocco", "ORDERS T1\nSCOUT\nEND\nGO")
    table.wait(1)
    table.sit()
    return "".join(table.letters_to("morocco", "w60-c1"))


def test_the_camp_offers_scouts_where_the_next_battle_begins_with_a_deployment(table):
    table.confirmed("morocco", "CONCEDE")
    assert "SCOUT: 2" in table.letters_to("morocco", "w60-c1")[0]
    assert "EXPLORAR: 2" in table.letters_to("spain", "w60-c1")[0]


def test_who_saw_deploys_after_the_other_and_is_told_how_that_did(table, monkeypatch):
    monkeypatch.setattr(steps, "SEEN_LEAST", 1)
    assert "Your scouts see how the enemy deploys. [K4]" in scouted(table)
    assert "DESPLEGAR" in table.letters_to("spain", "w60-2")[0]
    assert "# DEPLOY" not in "".join(table.letters_to("morocco", "w60-2"))
    table.answer("spain", "ORDENES T0\nDESPLEGAR Lanceros A Camino\nFIN\nYA")
    table.wait(1)
    asked = table.letters_to("morocco", "w60-2")[-1]
    assert "Deployment of Spain in Camino: Lanceros. [K6]" in asked
    assert "The scouts of Morocco have seen this: it deploys now. [K6]" in asked
    assert "# DEPLOY" in asked
    table.answer("morocco", "ORDERS T0\nDEPLOY AngheraDos TO Izquierda\nEND\nGO")
    table.wait(1)
    assert "Despliegue de Marruecos en Izquierda: AngheraDos. [K6]" in table.letters_to("spain", "w60-2")[-1]


def test_whose_scouts_saw_nothing_deploys_with_the_other(table, monkeypatch):
    monkeypatch.setattr(steps, "SEEN_LEAST", 7)
    assert "Your scouts see nothing. [K4]" in scouted(table)
    assert "# DEPLOY" in table.letters_to("morocco", "w60-2")[0]


def test_the_war_is_replayed_with_what_the_scouts_saw(table, monkeypatch):
    monkeypatch.setattr(steps, "SEEN_LEAST", 1)
    scouted(table)
    table.answer("spain", "ORDENES T0\nPASAR\nFIN\nYA")
    table.wait(1)
    table.answer("morocco", "ORDERS T0\nDEPLOY AngheraDos TO Izquierda\nEND\nGO")
    table.wait(1)
    with table.server.reading() as work:
        differences = {game: done.difference for game, done in replay_war(work, "w60")}
    assert differences == {"w60-1": None, "w60-c1": None, "w60-2": None}
