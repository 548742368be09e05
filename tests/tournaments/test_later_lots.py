"""Lots after a draw: nobody can reckon them before they are needed, and before the log opens them.

Each kind is predicted from all that all entrants have: every proof in every letter. In a tournament of version 1, whose
lots are those of its draws, that succeeds.
"""

import re

import pytest
from sqlmodel import select

from pbem.audit import vrf
from pbem.audit.dice import DiceStream
from pbem.engine.data.canon import loads
from pbem.play import beacons
from pbem.store import queries, tables
from pbem.tournaments import founding, lots, standings, unfinished_tables
from pbem.verifier.later_checks import are_asked_by_lot
from tests.audit.checked import items
from tests.harness.tournament import CUP, PlayedTournament, names, with_values
from tests.tournaments.test_disputes import disputes
from tests.tournaments.test_event_letters import render, verdict
from tests.tournaments.test_event_rulings import rule

JURY = with_values(CUP, order='["jury"]')
BEACON = CUP.replace('scenario = "drill"', 'scenario = "drill"\nbeacon = "quicknet"')
VERSIONS = pytest.mark.parametrize("version", [1, 2])


@pytest.fixture
def make_cup(tmp_path, monkeypatch):
    """Founds a tournament of a version, of twelve entrants unless told, whose first round is played."""
    made = []

    def make(rules, version=2, count=12):
        with monkeypatch.context() as patch:
            patch.setattr(founding, "VERSION", version)
            hall = PlayedTournament(tmp_path, rules)
        made.append(hall)
        for who in names(count):
            hall.enter(who)
        return hall

    yield make
    for hall in made:
        hall.server.engine.dispose()


def secrets(hall):
    """All secrets of which a letter to anybody shows the proof."""
    render(hall)
    with hall.opened.session() as session:
        rows = session.exec(select(tables.Outbox)).all()
        parts = [item.data for row in rows if row.body for item in items(str(row.id), row.body) if not item.trouble]
    proofs = {proof for data in parts for proof in re.findall(rb" ([0-9a-f]{160})\n", data)}
    return [vrf.output_of(bytes.fromhex(proof.decode())) for proof in sorted(proofs)]


def lot(beta, label):
    return DiceStream(beta).roll(label, 1, 2**32)[0] - 1


@pytest.fixture
def drawn(monkeypatch):
    """The secrets that jurors were drawn from since it was emptied: two secrets may well draw the same few jurors."""
    real = lots.lots_from_secret
    used: set[bytes] = set()

    def noting(beta):
        def of(label):
            used.update([beta] if label.startswith("jury/") else ())
            return real(beta)(label)

        return of

    monkeypatch.setattr(lots, "lots_from_secret", noting)
    return used


def votes(hall):
    with hall.opened.session() as session:
        return [vote.entrant for vote in queries.tournaments.votes(session, disputes(hall)[-1].id)]


def disputed(hall):
    """The first game is over and disputed, the others are over; who disputes."""
    hall.until("playing", 1)
    first, *others = [board for board in hall.boards(1) if board.game_id]
    for board in (first, *others):
        hall.end(board.game_id, "concede morocco")
    hall.run()
    loser = next(who for who in names(12) if hall.number(who) == first.second)
    hall.say(loser, f"DISPUTE {first.game_id} He agreed to a draw.")
    return loser


@pytest.mark.parametrize("version", [pytest.param(1, marks=pytest.mark.full), 2])
def test_juries_and_who_replaces_the_silent_and_juries_of_appeals(make_cup, drawn, version):
    hall = make_cup(JURY, version)
    loser = disputed(hall)
    hall.forward(hours=71)
    assert votes(hall) == []
    known = secrets(hall)
    hall.forward(hours=2)
    assert len(votes(hall)) == 3
    (first,) = drawn
    # The secret of a draw comes with the first report of its games, which here is still to be sent.
    assert first not in known
    hall.forward(hours=70)
    known = secrets(hall)
    hall.forward(hours=3)
    replaced = votes(hall)[3:]
    assert len(replaced) == 3
    assert drawn == {first}
    assert (first in known) == (version == 1)
    for number in replaced[:2]:
        who = next(name for name in names(12) if hall.number(name) == number)
        hall.say(who, "VOTE D1 DENY BECAUSE it is plain")
    hall.run()
    known = secrets(hall)
    assert first in known, "the log opens what has decided"
    drawn.clear()
    hall.say(loser, "APPEAL D1")
    hall.run()
    assert len(votes(hall)[6:]) == 3
    (appeal,) = drawn
    assert (appeal in known) == (version == 1)


@VERSIONS
def test_games_that_bots_play_on(make_cup, version, monkeypatch):
    hall = make_cup(with_values(CUP, days="3", order='["continue:10:60%", "draw"]'), version, 2)
    hall.until("playing", 1)
    known, used = secrets(hall), []

    def played_on(rules, state, beta, *_):
        used.append(beta)
        return 10, 0, 0

    monkeypatch.setattr(unfinished_tables, "playout_wins", played_on)
    for who in names(2):
        hall.say(who, "HERE")
    hall.until("closed", 1)
    assert len(used) == 1
    assert (used[0] in known) == (version == 1)
    assert used[0] in secrets(hall), "the log opens what has decided"


def ties(hall):
    """The lots in the newest table."""
    rows = loads(hall.leaves("standing")[-1].opens)
    return {row["entrant"]: row["values"]["lot"] for row in rows if "lot" in row["values"]}


@VERSIONS
def test_lots_for_ties(make_cup, version):
    hall = make_cup(CUP, version, 4)
    hall.until("playing", 1)
    known = secrets(hall)
    hall.play(1)
    assert ties(hall)

    def of(some):
        return [{name: lot(beta, f"tie/{name}") for name in ties(hall)} for beta in some]

    assert (ties(hall) in of(known)) == (version == 1)
    assert ties(hall) in of(secrets(hall))


def test_full_mode_finds_a_table_that_other_lots_part_or_none(make_cup, monkeypatch):
    hall = make_cup(CUP, 2, 4)
    real = lots.lots_by_label
    monkeypatch.setattr(lots, "lots_by_label", lambda drawn: lambda label: real(drawn)(label) ^ 1)
    hall.until("playing", 1)
    render(hall)
    hall.play(1)
    monkeypatch.setattr(standings, "are_ties_broken", lambda *_: True)
    monkeypatch.setattr(standings, "current_lots", lambda *_: lambda label: 7)
    hall.until("playing", 2)
    render(hall)
    hall.play(2)
    render(hall)
    result, came = verdict(hall, names(1)[0])
    assert {line.check: line.status for line in result.lines}["draws"] != "FALSE"
    assert [finding.why for finding in came if finding.truth is False] == [
        "event/cup60 r1: the scores add up to another table",
        "event/cup60 r2: those level were parted by lots that nobody drew for it",
    ]


def test_the_table_says_how_lots_part_those_level(make_cup):
    hall = make_cup(CUP, 2, 4)
    hall.until("playing", 1)
    hall.sent()
    hall.play(1)
    for who in names(4):
        letter = hall.told(who)
        assert "Lots part those who are level. This server alone drew them" in letter
        assert "whoever runs it could know and choose them" in letter


def test_a_tournament_under_way_goes_on_as_it_was_founded(make_cup):
    hall = make_cup(CUP, 1, 4)
    people = names(4)
    for number in (1, 2, 3):
        hall.until("playing", number)
        render(hall)
        hall.play(number)
        render(hall)
    hall.run()
    assert hall.event.state == "over"
    assert {leaf.kind for leaf in hall.leaves()} == {"found", "enter", "shut", "lot", "pair", "score", "standing"}
    assert b"version" not in hall.leaves("found")[0].says
    assert b"zone" not in hall.leaves("enter")[0].says
    render(hall)
    result, came = verdict(hall, people[0])
    assert {line.check: line.why for line in result.lines if line.status == "FALSE"} == {}
    assert {finding.truth for finding in came} == {True}
    beside = PlayedTournament.beside(hall, CUP.replace("2030-02-01", "2031-02-01"), "cup61")
    assert b"version 2\n" in beside.leaves("found")[0].says


def arrive(hall):
    """Whatever is waited for comes; that it is the beacon's is not asked here."""
    for chain, number in beacons.missing_rounds(hall.server):
        beacons.store_beacon_round(hall.server, chain, number, b"%048d" % number, lambda *_: True)


def waiting(hall, state):
    """The clock goes on until a round has come to a state, and the beacon is there as long as its list waits."""
    for _ in range(400):
        if hall.rounds() and hall.rounds()[-1].state == state:
            return
        if hall.rounds() and hall.rounds()[-1].state == "shut":
            arrive(hall)
        hall.forward(hours=1)
    raise AssertionError(hall.rounds()[-1])


def test_with_a_beacon_a_table_waits_for_the_round_that_the_end_of_its_own_fixes(make_cup):
    hall = make_cup(BEACON, 2, 4)
    waiting(hall, "playing")
    hall.play(1)
    assert [hall.leaves(kind) != [] for kind in ("lot-needed", "lot-drawn", "standing")] == [True, False, False]
    hall.forward(minutes=5)
    assert not beacons.missing_rounds(hall.server)
    hall.forward(minutes=10)
    arrive(hall)
    hall.forward(minutes=2)
    assert hall.rounds()[0].state == "closed"
    assert len(hall.leaves("lot-drawn")) == len(hall.leaves("standing")) == 1


@pytest.mark.full
def test_a_stage_waits_for_the_lots_of_a_result_that_is_corrected_just_before_its_list(make_cup):
    hall = make_cup(BEACON.replace("rounds = 3", 'rounds = 1\n[[stage]]\nformat = "knockout"\ntake = 2'), 2, 4)
    waiting(hall, "playing")
    hall.play(1)
    hall.forward(minutes=15)
    arrive(hall)
    hall.forward(minutes=2)
    planned = hall.rounds()[1]
    hall.forward(seconds=(planned.opens - hall.clock.at).total_seconds() - 60)
    winners = {board.first for board in hall.boards(1)}
    for board in hall.boards(1):
        rule(hall, f"CORRECT {board.game_id} morocco BECAUSE the letters were misread")
    hall.forward(minutes=14)
    assert hall.rounds()[1].state == "planned"
    arrive(hall)
    hall.forward(minutes=2)
    assert hall.rounds()[1].state == "shut"
    assert {
        int(line.split()[1][1:]) for line in hall.rounds()[1].slate.splitlines() if line.startswith("entrant ")
    } == ({1, 2, 3, 4} - winners)


@pytest.mark.full
def test_a_beacon_that_stays_silent_is_waited_for_some_hours_and_then_all_are_told(make_cup):
    hall = make_cup(BEACON, 2, 4)
    waiting(hall, "playing")
    hall.sent()
    hall.play(1)
    hall.forward(hours=1)
    assert hall.rounds()[0].state == "playing"
    hall.forward(hours=2)
    assert hall.rounds()[0].state == "closed"
    assert [b"chain none" in leaf.says for leaf in hall.leaves("lot-needed")] == [False, True]
    with hall.opened.session() as session:
        assert [row.line for row in queries.tournaments.docket(session, hall.name)] == ["LOTS ties/r1"]
    for who in names(4):
        letter = hall.told(who)
        assert "drawn by this server alone" in letter
        assert "Round 1 is over" in letter


def test_with_a_beacon_a_jury_waits_and_both_sides_are_told_until_when(make_cup):
    hall = make_cup(BEACON, 2, 8)
    waiting(hall, "playing")
    first = hall.boards(1)[0]
    hall.end(first.game_id, "concede morocco")
    hall.run()
    loser = next(who for who in names(8) if hall.number(who) == first.second)
    hall.say(loser, f"DISPUTE {first.game_id} He agreed to a draw.")
    (dispute,) = disputes(hall)
    hall.forward(seconds=(dispute.until - hall.clock.at).total_seconds() + 1)
    assert votes(hall) == []
    assert "before that nobody can know them" in hall.told(loser)
    hall.forward(minutes=15)
    assert votes(hall) == []
    arrive(hall)
    hall.forward(minutes=2)
    assert len(votes(hall)) == 3


def test_lots_that_are_needed_are_not_needed_again_by_a_process_that_begins_anew(make_cup):
    hall = make_cup(BEACON, 2, 4)
    waiting(hall, "playing")
    hall.play(1)
    hall.server = PlayedTournament.over(hall.server.engine, hall.clock.at).server
    hall.forward(minutes=12)
    hall.run()
    assert len(hall.leaves("lot-needed")) == 1


JURIES = (
    # Order of the lots, those asked, those away meanwhile, and whether it was by lot.
    ("a b c d", "a b c", "", True),
    ("a b c d", "", "", True),
    ("a b c d", "a c", "", False),
    ("a b c d", "b a", "", False),
    ("a b c d", "a a", "", False),
    ("a b c d", "a e", "", False),
    ("a b c d", "a c d", "b", True),
    ("a b c d", "a c b d", "b", True),
    ("a b c d", "a c d b", "b", True),
    ("a b c d", "b a c", "b", False),
    ("a b c d", "a d", "b", False),
)


@pytest.mark.parametrize(("order", "asked", "away", "truth"), JURIES)
def test_who_was_away_for_a_while_may_be_asked_later_and_nobody_sooner(order, asked, away, truth):
    assert are_asked_by_lot(order.split(), asked.split(), {*away.split()}) is truth
