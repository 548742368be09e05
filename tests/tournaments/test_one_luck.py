"""Duplicate dice: tables of a round have one luck, which none of them knows before all have closed."""

import json
from typing import Any

import pytest
from sqlmodel import select

from pbem.audit import leaves, rolls
from pbem.cli.rulebooks import game_by_name, games
from pbem.play import beacons, holds, phase_states
from pbem.play.rulings import ruling_lines
from pbem.runtime.transaction import UserError
from pbem.server.rerun import rerun_games
from pbem.store import tables
from pbem.tournaments.arithmetic.rules.reading import RulesRefused
from pbem.verifier.record import Findings
from pbem.verifier.verification import status_by_check, verdict_of, verify_epochs
from tests.audit.checked import QUICK, items, reader
from tests.harness.tournament import CUP, PlayedTournament, done_whole, names
from tests.tournaments.test_event_letters import render

ONE_LUCK = CUP.replace("rounds = 3", 'rounds = 1\nsides = "duplicate"')
BOTS = ("forward", "recruit")
TABLES = ("cup60-r1-01", "cup60-r1-02")


@pytest.fixture
def hall(tmp_path):
    made = PlayedTournament(tmp_path, ONE_LUCK)
    for who in names(4):
        assert made.enter(who) is not None
        render(made)
    made.until("playing", 1)
    programs_write(made)
    render(made)
    yield made
    made.server.engine.dispose()


@done_whole
def programs_write(hall):
    """Let programs write, so that there is something to roll for; each table by others."""
    with hall.opened.session() as session:
        for seat in session.exec(select(tables.Seat)).all():
            seat.bot = BOTS[seat.game_id == TABLES[1]]


def of(hall, game, *kinds):
    with hall.opened.session() as session:
        query = select(tables.Leaf).where(tables.Leaf.game == game).order_by(tables.Leaf.seq)  # type: ignore[arg-type]
        rows = session.exec(query).all()
        return [leaves.parse(row.body, row.says) for row in rows if not kinds or row.kind in kinds]


def rolled(hall, game):
    """What a table rolled, by phase and label."""
    with hall.opened.session() as session:
        rows = session.exec(select(tables.Leaf).where(tables.Leaf.game == game, tables.Leaf.kind == "roll")).all()
    values_by_roll = {}
    for row in rows:
        for roll in rolls.parse_manifest(row.opens.encode()).rolls:
            values_by_roll[row.phase, roll.label, roll.n, roll.sides] = roll.values
    return values_by_roll


@done_whole
def pass_phases(hall, count):
    """The clock goes on until the first table has so many results."""
    for _ in hall.meanwhile(days=60):
        render(hall)
        if len(of(hall, TABLES[0], "result")) >= count:
            return
    raise AssertionError("no phase ever ends")


@pytest.mark.full
def test_tables_of_a_round_wait_for_one_another_and_roll_alike(hall):
    pass_phases(hall, 3)
    binds, deals = (of(hall, "event/cup60", kind) for kind in ("bind", "deal"))
    assert len(binds) >= len(deals) >= 3
    for bind in binds:
        assert bind("board").startswith("cup60-r1/T")
    with hall.opened.session() as session:
        rows = session.exec(select(tables.Leaf)).all()
        placed = {(row.game, row.kind, row.phase): row.id for row in rows if row.kind in ("close", "roll")}
        named = {row.opens.split("\nboard ")[1].split("/")[1]: row.id for row in rows if row.kind == "bind"}
    assert len(named) == len(binds)
    for (game, kind, phase), index in placed.items():
        # Every list was closed before its board was bound, and nothing was rolled before that.
        if kind == "roll" or phase in named:
            assert (index < named[phase]) is (kind == "close"), (game, kind, phase)
    first, second = (rolled(hall, game) for game in TABLES)
    assert first.keys() & second.keys()
    assert all(first[label] == second[label] for label in first.keys() & second.keys())


def test_a_table_that_is_over_is_no_longer_waited_for(hall):
    pass_phases(hall, 1)
    hall.end(TABLES[1], "concede morocco")
    pass_phases(hall, 3)
    last = of(hall, "event/cup60", "bind")[-1]
    with hall.opened.session() as session:
        blocks = [row.opens for row in session.exec(select(tables.Leaf).where(tables.Leaf.kind == "bind")).all()]
    assert f"table {TABLES[1]} -\n" in blocks[-1]
    assert last("board").startswith("cup60-r1/")
    assert rolled(hall, TABLES[0])


def letters(hall, game, seat):
    """What lies in the mailbox of a seat: the letters of its table."""
    with hall.opened.session() as session:
        rows = session.exec(select(tables.Outbox).order_by(tables.Outbox.id)).all()  # type: ignore[arg-type]
        mine = [row for row in rows if row.game_id == game and row.seat_id and row.body]
        mine = [row for row in mine if session.get_one(tables.Seat, row.seat_id).name == seat]
        return [item for row in mine for item in items(str(row.id), row.body)]


def test_the_letters_of_a_table_prove_that_all_had_closed(hall):
    pass_phases(hall, 3)
    received = [letter for letter in letters(hall, TABLES[0], "spain") if not letter.trouble]
    board, came = Findings(), list[Any]()

    def rules(course, keys):
        came.extend(rerun_games(course, keys, game_by_name, games()))
        return frozenset(finding.rolls for finding in came if finding.rolls[1])

    verdict = verdict_of(board, *verify_epochs(board, received, reader(), QUICK, rules))
    assert {line.check: line.why for line in verdict.lines if line.status == "FALSE"} == {}
    assert [finding.why for finding in came if finding.truth is False] == []
    assert (
        status_by_check(verdict)["vrf"] == status_by_check(verdict)["dice"] == status_by_check(verdict)["close"] == "ok"
    )
    assert sum(line.held for line in verdict.lines if line.check == "dice") > 0
    assert any(finding.rolls[1].startswith("T") for finding in came)


@pytest.mark.parametrize("term", ['reactions = "interrupt"', 'pace = "activation"'])
def test_terms_that_would_show_dice_to_some_before_others_are_refused(tmp_path, term):
    with pytest.raises((RulesRefused, UserError), match="duplicate dice"):
        PlayedTournament(tmp_path, ONE_LUCK.replace("[round]", f"[table.terms]\n{term}\n[round]"))


def test_nobody_is_asked_by_letter(hall):
    with hall.opened.session() as session:
        rows = session.exec(select(tables.Game)).all()
    assert {json.loads(row.terms)["asks"] for row in rows} == {0}
    assert {json.loads(row.terms)["board"] for row in rows} == {"cup60-r1"}


@pytest.mark.full
def test_with_a_beacon_a_board_waits_for_the_round_that_it_was_bound_to(tmp_path):
    hall = PlayedTournament(tmp_path, ONE_LUCK.replace('scenario = "drill"', 'scenario = "drill"\nbeacon = "quicknet"'))
    for who in names(4):
        assert hall.enter(who) is not None
    for _ in range(24 * 60):
        if len(of(hall, TABLES[0], "result")) >= 2:
            break
        # Whatever the tournament and its tables wait for comes; that it is the beacon's is not asked here.
        for chain, number in beacons.missing_rounds(hall.server):
            beacons.store_beacon_round(hall.server, chain, number, b"%048d" % number, lambda *_: True)
        for row in hall.rounds():
            if row.state == "shut" and row.beacon != "none":
                number = int(row.beacon.partition(" ")[2])
                hall.server.caches.rounds[row.beacon.partition(" ")[0], number] = b"%048d" % number
        hall.forward(hours=1)
        render(hall)
    binds, deals = (of(hall, "event/cup60", kind) for kind in ("bind", "deal"))
    assert len(deals) >= 2
    waited = {bind("board"): bind.number("beacon") for bind in binds}
    assert all(deal("sig") == (b"%048d" % waited[deal("board")]).hex() for deal in deals)
    phases: dict[str, set[Any]] = {}
    for game in TABLES:
        for roll in of(hall, game, "roll"):
            phases.setdefault(roll("phase"), set()).add((roll("sig"), roll.groups))
    assert len(phases) >= 2
    assert all(len(proofs) == 1 for proofs in phases.values())
    # Each seat was told that the list is closed, once, by a letter that shows the bound board.
    with hall.opened.session() as session:
        sealed = session.exec(select(tables.Outbox).where(tables.Outbox.kind == "sealed")).all()
    assert sealed
    bundles = [item.data for row in sealed if row.body for item in items(str(row.id), row.body)]
    assert all(b"\npbemdice/v1/bind\n" in data and b"\npbemdice/v1/board\n" in data for data in bundles)
    hall.server.engine.dispose()


def test_nobody_watches_a_table_whose_dice_others_have(hall):
    hall.sent()
    hall.write("curious@players.example", f"OBSERVE {TABLES[0]}")
    assert "cannot be watched before it is over" in hall.told("curious@players.example")


@pytest.mark.full
def test_the_two_tables_of_a_mirrored_board_may_have_one_luck(tmp_path):
    rules = ONE_LUCK.replace('sides = "duplicate"', 'sides = "mirror"\nluck = "one"')
    hall = PlayedTournament(tmp_path, rules)
    for who in names(4):
        assert hall.enter(who) is not None
    hall.until("playing", 1)
    with hall.opened.session() as session:
        boards = {row.id: json.loads(row.terms)["board"] for row in session.exec(select(tables.Game)).all()}
    assert boards == {f"cup60-r1-0{number}{leg}": f"cup60-r1-0{number}" for number in (1, 2) for leg in "ab"}
    hall.forward(hours=24 * 6)
    bound = [leaf("board") for leaf in of(hall, "event/cup60", "bind")]
    assert {name.split("/")[0] for name in bound} == {"cup60-r1-01", "cup60-r1-02"}
    assert len(set(bound)) == len(bound)
    hall.server.engine.dispose()


def test_a_table_that_is_held_while_it_waits_keeps_the_dice_that_its_list_is_bound_to(tmp_path):
    hall = PlayedTournament(tmp_path, ONE_LUCK)
    for who in names(4):
        assert hall.enter(who) is not None
    hall.until("playing", 1)
    with hall.server.work() as work:
        ruling_lines.make_ruling(work, TABLES[0], ruling_lines.read_line("EXTEND 24h BECAUSE of a test"))
    for _ in hall.meanwhile(days=10):
        if of(hall, TABLES[1], "close"):
            break
    hall.forward(hours=2)
    # It waits for the first, to its deadline and no longer.
    assert [len(of(hall, game, "close")) for game in TABLES] == [0, 1]
    assert not of(hall, TABLES[1], "roll")
    with hall.server.work() as work:
        phase_states.hold_game(work.session, work.session.get_one(tables.Game, TABLES[1]), "a test")
    for _ in hall.meanwhile(days=3):
        if of(hall, TABLES[0], "roll"):
            break
    assert [len(of(hall, game, "roll")) for game in TABLES] == [1, 0]
    with hall.server.work() as work:
        holds.resume_game(work, TABLES[1])
    hall.forward(hours=1)
    mine, held = (of(hall, game, "roll")[0] for game in TABLES)
    assert (mine.groups, mine("sig")) == (held.groups, held("sig"))
    assert len(of(hall, TABLES[1], "result")) == 1
    hall.server.engine.dispose()


@pytest.mark.full
def test_a_phase_that_is_played_again_has_dice_of_its_own(hall):
    pass_phases(hall, 2)
    name = of(hall, TABLES[0], "result")[-1]("phase")
    with hall.server.work() as work:
        stem = name.partition("~")[0]
        ruling_lines.make_ruling(work, TABLES[0], ruling_lines.read_line(f"REOPEN {stem} BECAUSE it was read wrongly"))
    pass_phases(hall, 4)
    with hall.opened.session() as session:
        rows = session.exec(select(tables.Leaf).where(tables.Leaf.game == TABLES[0], tables.Leaf.kind == "close")).all()
    later = [rolls.parse_closed_orders(row.opens.encode()).dice for row in rows if row.phase.endswith("~2")]
    assert set(later) == {"own"}
