"""A tournament from its founding to its prizes."""

import pytest

from pbem.audit import beacon, blocks, draws, vrf
from pbem.log import log_check, log_health
from pbem.log.sequencer import read_leaf
from pbem.play import beacons
from pbem.tournaments import lots, record
from pbem.tournaments.arithmetic.entrants import TableResult
from pbem.tournaments.arithmetic.pairing.draw import draw
from pbem.tournaments.arithmetic.rules.records import manner_of
from tests.harness.tournament import CUP, DIRECTOR, names


def test_the_director_is_told_that_it_is_founded(hall):
    mail_text = hall.told(DIRECTOR)
    assert "[[cup60] you direct it]" in mail_text
    assert "Entrants write JOIN cup60 to pbem@games.example." in mail_text
    assert [leaf.kind for leaf in hall.leaves()] == ["found"]


def test_whoever_joins_is_shown_the_code_of_conduct_and_let_in_by_its_digest(hall):
    who = "ana@players.example"
    hall.write(who, "JOIN cup60 NAME Ana ZONE Europe/Madrid PACE 24h TABLES 2 LANG es,en")
    asked = hall.told(who)
    assert "Be kind." in asked
    line = next(line for line in asked.splitlines() if line.startswith("UNIRSE"))
    assert line.startswith("UNIRSE A cup60 NOMBRE Ana ZONA Europe/Madrid RITMO 24h MESAS 2 IDIOMA es,en CODIGO ")
    hall.write(who, line)
    row = hall.entrant(who)
    assert (row.number, row.state, row.name, row.zone, row.language) == (1, "in", "Ana", "Europe/Madrid", "es")
    assert "pbem+cup60-e1-" in hall.told(who)
    assert [leaf.kind for leaf in hall.leaves()] == ["found", "enter"]


@pytest.mark.full
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
    mail_text = hall.told(people[0])
    assert "Castillejos Cup is over" in mail_text
    assert "Book:" in mail_text
    kinds = [leaf.kind for leaf in hall.leaves()]
    assert kinds.count("standing") == 3
    assert kinds.count("score") == 9


def test_a_draw_waits_for_the_round_of_the_beacon_that_its_list_names(halls):
    hall = halls(CUP.replace('scenario = "drill"', 'scenario = "drill"\nbeacon = "quicknet"'))
    hall.fill(2)
    hall.until("shut", 1)
    round_ = hall.rounds()[0]
    assert round_.beacon.startswith(f"{beacon.QUICKNET.hash} ")
    hall.until_moment(hall.rounds()[0].draws)
    assert hall.rounds()[0].state == "shut"
    ((chain, number),) = beacons.missing_rounds(hall.server)
    assert f"{chain.hash} {number}" == round_.beacon
    beacons.store_beacon_round(hall.server, chain, number, bytes(48), lambda *_: True)
    hall.forward(minutes=2)
    drawn = hall.rounds()[0]
    assert (drawn.state, drawn.sig) == ("drawn", bytes(48).hex())


def test_the_log_of_a_tournament_stands_up_to_every_check(hall):
    hall.fill(5, rounds=2)
    log_health.sign(hall.server)
    assert log_check.check(hall.server).wrong == ()


def test_anybody_draws_each_round_again_from_its_list_and_its_lot(hall):
    hall.fill(6, rounds=3)
    leaves = hall.leaves()
    rules = record.rules_of(hall.event)
    results: list[TableResult] = []
    pairs: dict[int, tuple[int, int]] = {}
    for leaf in map(read_leaf, leaves):
        if leaf.kind == "shut":
            opened = next(row.opens for row in leaves if row.seq == leaf.seq)
            listed = draws.parse_draw(opened.encode())
            assert blocks.sha256_hex(opened.encode()) == leaf("slate")
        elif leaf.kind == "lot":
            beta = vrf.output_of(bytes.fromhex(leaf("group").partition(" ")[2]))
            field = lots.round_input_of(listed, listed.round, tuple(results), manner_of(rules.stage[0]))
            drawn = draw(field, lots.lots_from_secret(beta))
            pairs = {pair.board: (pair.first, pair.second) for pair in drawn.pairs}
        elif leaf.kind == "pair":
            second = leaf("second").removeprefix("e")
            named = int(leaf("first")[1:]), int(second) if second != "-" else 0
            assert pairs[leaf.number("board")] == named
        elif leaf.kind == "score":
            one_, other_ = pairs[leaf.number("board")]
            points, other_points = (int(part) for part in leaf("halves").split())
            results.append(
                TableResult(
                    listed.round,
                    leaf.number("board"),
                    one_,
                    other_,
                    (points, other_points),
                    int(leaf("margin")),
                    leaf("how"),
                )
            )
    assert len(results) == 9
