"""The workloads are what they say they are. How fast they run is no matter of tests."""

import platform

import pytest

from benchmarks import __main__ as table
from benchmarks import audited, evening, hexes, ours, post, replays
from pbem.audit.dice import DiceStream
from pbem.audit.merkle import Tree
from pbem.engine.run.runners import Done, play
from pbem.games.africa1860 import GAME
from pbem.games.peninsular import GAME as PENINSULAR
from tests.harness.leaf_chain import LeafChain
from tests.servers.real import missing


@pytest.mark.parametrize(("name", "lines", "units"), [("battle", 21, 34), ("march", 22, 34)])
@pytest.mark.parametrize("beta", [b"a" * 64, b"b" * 64])
def test_every_order_of_a_letter_is_carried_out(name, lines, units, beta):
    state, _, orders, counted = ours.letter(name)
    given = {"spain": orders}
    done = play(GAME.rules, GAME.world(state, given), DiceStream(beta), GAME.decisions(state, given, {}))
    assert isinstance(done, Done)
    assert [e.data["order"] for e in done.events if e.kind == "not carried out"] == []
    assert [e.kind for e in done.events][-1] == "phase over"
    assert (counted, len(state.units)) == (lines, units)
    assert not GAME.invariants(done.state)
    assert (len(done.rolls) > 20) is (name == "battle")


@pytest.mark.full
def test_a_replay_notices_a_changed_event():
    edition = GAME.edition(ours.SCENARIO, {}, {})
    game = ours.play_game(0)
    assert len(game) == 28
    assert sum(phase.events.count('"kind":') for phase in game) > 400
    replays.replay(GAME, edition, game)
    other = game[5]._replace(events=game[5].events.replace('"phase over"', '"phase done"'))
    with pytest.raises(Exception, match="phase 6 came out otherwise"):
        replays.replay(GAME, edition, [*game[:5], other, *game[6:]])


def test_a_phase_that_is_proven_is_verified_and_a_changed_one_is_not():
    shown = audited.prove_phase(LeafChain("wt-042"), Tree(), 7)
    audited.check(shown)
    with pytest.raises(audited.Unfit):
        audited.check(shown._replace(manifest=shown.manifest.replace(b"roll 30 ", b"roll 31 ")))
    with pytest.raises(audited.Unfit):
        audited.check(shown._replace(slate=shown.slate.replace(b"spain 1 ", b"spain 2 ")))
    with pytest.raises(audited.Unfit):
        audited.check(shown._replace(at=0))


def test_the_table_judges_targets():
    row = table.Row("W0 nothing", "lines", "lines", ("peer", "lines"), 3, "nothing is alike")
    reached = table.Result(row, 100.0, 30.0, 3.0)
    assert not reached.is_missed
    assert table.Result(row, 100.0, 40.0, 2.5).is_missed
    assert not table.Result(row, 100.0, None, None).is_missed
    lines = list(table.lines([reached, table.Result(row, 75.0, 30.0, 2.5), table.Result(row, 50.0, None, None)]))
    assert lines[:5] == [
        "workload    ours       peer      ratio  target",
        "W0 nothing  100 lines  30 peer   3      3       reached",
        "W0 nothing  75 lines   30 peer   2.5    3       missed",
        "W0 nothing  50 lines   not here         3",
        "",
    ]
    assert lines[5].startswith(f"Python {platform.python_version()}, ")
    assert lines[6].startswith("Built with: ")
    assert lines[7:] == ["Per second of CPU. What is not alike:", *["  W0 nothing: nothing is alike."] * 3]


def test_a_target_that_was_never_reached_is_told_with_its_reason_and_surprises_nobody():
    row = table.Row("W0 nothing", "lines", "lines", table.MACHINE, 1, "nothing is alike", "it costs what it costs")
    short, reached = table.Result(row, 99.0, 100.0, 0.99), table.Result(row, 100.0, 100.0, 1.0)
    assert (short.is_missed, short.surprises, reached.surprises) == (True, False, False)
    assert table.Result(row._replace(short=""), 99.0, 100.0, 0.99).surprises
    shown_lines = list(table.lines([short, reached]))
    assert [line.split()[-1] for line in shown_lines[1:3]] == ["short", "reached"]
    assert shown_lines[-2:] == [
        "  W0 nothing is short: it costs what it costs.",
        "  W0 nothing is reached: it costs what it costs.",
    ]


def test_what_cannot_be_run_here_is_not_judged(monkeypatch):
    row = table.Row("W0 nothing", "lines", "lines", table.MACHINE, 1, "nothing is alike")
    assert not table.Result(row, None, None, None).is_missed
    assert list(table.lines([table.Result(row, None, None, None)]))[1] == (
        "W0 nothing  not run               1       what it needs is not installed here"
    )
    monkeypatch.setattr(post, "missing", lambda: ("exim",))
    assert post.measure_answers(0.1) is post.handed_in(0.1) is post.measure_fetching(0.1) is None
    assert post.measure_round_trips(1) is None


def test_every_row_has_a_workload_and_a_peer():
    assert {row.ours for row in table.ROWS} <= set(ours.WORKLOADS)
    known = {"diplomacy", "pydip"}
    assert {row.peer[1] for row in table.ROWS if row.peer[0] not in known} <= set(ours.WORKLOADS)
    assert all(row.times for row in table.ROWS)


def test_an_evening_ends_when_the_last_report_is_out():
    assert evening.fallen_due(2, 0).cpu > 0


@pytest.mark.long
@pytest.mark.full
def test_letters_by_real_mail_are_all_answered():
    if missing():
        pytest.skip(f"not installed here: {', '.join(missing())}")
    measured = post.measure_answers(0.1)
    assert measured is not None
    assert measured.units == 40
    assert measured.seconds > 0


@pytest.mark.parametrize("beta", [b"a" * 64, b"b" * 64])
def test_the_half_on_hexes_is_a_battle(beta):
    state, orders, lines = hexes.half()
    done = play(
        PENINSULAR.rules, PENINSULAR.world(state, orders), DiceStream(beta), PENINSULAR.decisions(state, orders, {})
    )
    assert isinstance(done, Done)
    assert (lines, len(state.units)) == (20, 36)
    assert {"moves", "volley", "test", "assault", "charge"} <= {happened.kind for happened in done.events}
    assert len(done.rolls) > 10
    assert not PENINSULAR.invariants(done.state)


@pytest.mark.full
def test_a_replay_on_hexes_notices_a_changed_event():
    edition = PENINSULAR.edition(hexes.SCENARIO, {}, {})
    game = hexes.played_battle(0)
    assert 10 < len(game) <= 18
    replays.replay(PENINSULAR, edition, game)
    other = game[5]._replace(events=game[5].events.replace('"phase over"', '"phase done"'))
    with pytest.raises(Exception, match="phase 6 came out otherwise"):
        replays.replay(PENINSULAR, edition, [*game[:5], other, *game[6:]])
