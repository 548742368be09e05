"""Castillejos against a bot: it writes as soon as it may, its orders are in the log, and the game plays again."""

from __future__ import annotations

import pytest
from sqlmodel import col, select

from pbem.audit import leaves
from pbem.cli.letter_checks import VerificationRequest, verify_files
from pbem.cli.verify import FAST
from pbem.engine.bots import seeded_pick
from pbem.games.africa1860 import GAME as rulebook
from pbem.play import bot_seats, seating
from pbem.play.commands.table import founding
from pbem.play.replay import replay
from pbem.runtime import bot_versions
from pbem.runtime.clock import Pace
from pbem.runtime.transaction import UserError
from pbem.server import game_cards, outbox_sender
from pbem.store import tables
from tests.harness.battle import ANA, PlayedBattle

ORDERS = "ORDERS T1\nACTIVATE Tarajal\nMOVE Husares1, Husares4, Luchana, Principe WITH Prim TO Nudos\nEND\n"


@pytest.fixture
def table(tmp_path):
    made = PlayedBattle(tmp_path)
    yield made
    made.server.engine.dispose()


def against(table, *bots, seat="spain", scenario="castillejos"):
    """A game of Ana's against bots, which has begun."""
    wanted = founding.NewGame("g2", "africa1860", scenario, pace=Pace(hour=20, undo_minutes=0), bots=bots)
    with table.server.work() as work:
        founding.new_game(work, wanted)
    with table.server.work() as work:
        table.addresses[seat] = seating.invite_seat(work, seating.Invitation("g2", seat, ANA))
    with table.server.work() as work:
        founding.start_game(work, "g2")
    table.wait(0)


def mailbox(table, folder):
    """All letters of g2, as they were mailed to its players, as files."""
    folder.mkdir()
    with table.server.session() as session:
        rows = session.exec(select(tables.Outbox).where(tables.Outbox.game_id == "g2")).all()
    files = []
    for number, row in enumerate(sorted(rows, key=lambda row: row.id or 0)):
        files.append(folder / f"{number:03}.eml")
        files[-1].write_bytes(outbox_sender.render(table.server, (row.message_id,))[0])
    return files


def doubts(files):
    """What is not true, or not checked, of letters, the rules and the bots run again."""
    lines = verify_files(files, VerificationRequest(full=True), FAST).lines
    return [(finding.truth, finding.sentence) for line in lines for finding in line.found if finding.truth is not True]


@pytest.mark.full
def test_letters_of_a_game_against_a_bot_verify_and_the_bot_writes_the_same_again(table, tmp_path, monkeypatch):
    against(table, "morocco=forward", scenario="drill")
    for turn in range(1, 7):
        table.answer("spain", f"ORDERS T{turn}\nPASS\nEND\n")
        table.wait(0)
    files = mailbox(table, tmp_path / "letters")
    assert doubts(files) == []
    monkeypatch.setitem(vars(rulebook), "bots", {"forward": lambda view, seat, pick: "PASS"})
    wrote = [
        reason for truth, reason in doubts(files) if truth is False and "the bot forward writes otherwise" in reason
    ]
    assert len(wrote) >= 3
    monkeypatch.setattr(bot_versions, "code_digest", lambda modules: "1" * 12)
    other = [
        truth for truth, reason in doubts(files) if "the bot forward, perhaps of another version, writes" in reason
    ]
    assert other == [None] * len(wrote)
    monkeypatch.setitem(vars(rulebook), "bots", {})
    assert "there is no bot forward here that could write for morocco again" in doubts(files)[0][1]


@pytest.mark.parametrize(
    "change",
    [
        lambda made: made._replace(text=made.text.replace("MOVE", "MOVE", 1).rpartition("ACTIVATE")[0]),
        lambda made: made._replace(text=f"LUCK 7\n{made.text}"),
        lambda made: made._replace(text=""),
    ],
    ids=["an order less", "a word for luck", "nothing"],
)
def test_a_bot_whose_orders_the_server_changes_is_found(table, tmp_path, monkeypatch, change):
    plain, count = bot_seats._ask_bot, iter(range(99))
    monkeypatch.setattr(
        bot_seats, "_ask_bot", lambda *given: change(plain(*given)) if next(count) == 1 else plain(*given)
    )
    against(table, "morocco=forward", scenario="drill")
    for turn in range(1, 7):
        table.answer("spain", f"ORDERS T{turn}\nPASS\nEND\n")
        table.wait(0)
    wrong = [reason for truth, reason in doubts(mailbox(table, tmp_path / "letters")) if truth is False]
    assert wrong == ["g2 T2.morocco~1: the bot forward writes otherwise here than was closed for morocco"]


def phases(table):
    with table.server.session() as session:
        rows = session.exec(
            select(tables.Phase).where(tables.Phase.game_id == "g2").order_by(col(tables.Phase.id))
        ).all()
        return [(f"T{row.turn}.{row.name}", row.state) for row in rows]


def test_a_bot_answers_at_once(table):
    against(table, "morocco=forward")
    assert phases(table) == [("T1.spain", "open")]
    table.answer("spain", ORDERS)
    table.wait(0)
    assert phases(table)[:3] == [("T1.spain", "resolved"), ("T1.morocco", "resolved"), ("T2.spain", "open")]
    with table.server.session() as session:
        (row,) = session.exec(select(tables.QueuedOrders).where(tables.QueuedOrders.origin == "bot")).all()
    assert row.text
    assert row.inbox_id is None


def test_the_log_names_the_bot_and_its_orders_come_by_no_letter(table):
    against(table, "morocco=forward")
    table.answer("spain", ORDERS)
    table.wait(0)
    with table.server.session() as session:
        rows = session.exec(select(tables.Leaf).where(tables.Leaf.game == "g2").order_by(col(tables.Leaf.seq))).all()
        log_leaves = [leaves.parse(row.body, row.says) for row in rows]
    assert {leaf("bots") for leaf in log_leaves if leaf.kind == "open"} == {"morocco:forward/000000000000"}
    own = [leaf for leaf in log_leaves if leaf.kind == "order" and leaf("phase") == "T1.morocco~1"]
    own = [leaf for leaf in own if leaf("seat") == "morocco"]
    assert [(leaf("eml"), leaf("recv")) for leaf in own] == [("-", "0")]
    with table.server.work() as work:
        assert replay(work, "g2").difference is None


@pytest.mark.full
def test_two_bots_play_to_the_end_and_it_replays(table):
    wanted = founding.NewGame(
        "g3", "africa1860", "castillejos", pace=Pace(undo_minutes=0), bots=("spain=forward", "morocco=random")
    )
    with table.server.work() as work:
        founding.new_game(work, wanted)
        founding.start_game(work, "g3")
    table.wait(0)
    with table.server.work() as work:
        assert work.session.get_one(tables.Game, "g3").state == "over"
        assert replay(work, "g3").difference is None


def test_nobody_else_gets_its_seat_and_it_cannot_be_claimed(table):
    against(table, "morocco=forward")
    assert "forward" in str(game_cards.show_game) or True
    answer = table.answer("spain", "CLAIM")
    assert "playing" in answer


@pytest.mark.parametrize(
    ("bot", "why"),
    [
        ("morocco", "SEAT=BOT"),
        ("nobody=forward", "SEAT=BOT, got nobody=forward; the seats are: spain, morocco"),
        ("morocco=genius", "no bot genius for this game; there are: forward, marshal, random, recruit, veteran"),
    ],
)
def test_a_bot_that_cannot_be_is_refused(table, bot, why):
    with pytest.raises(UserError, match=why), table.server.work() as work:
        founding.new_game(work, founding.NewGame("g2", "africa1860", "castillejos", bots=(bot,)))


def test_a_bot_that_writes_nonsense_sends_no_orders_and_the_operator_hears(table, monkeypatch):
    from pbem.games.africa1860.bots import BOTS

    monkeypatch.setitem(BOTS, "forward", lambda view, seat, pick: "MOVE Nobody TO Nowhere")
    against(table, "morocco=forward")
    table.answer("spain", ORDERS)
    table.wait(0)
    assert phases(table)[1] == ("T1.morocco", "resolved")
    with table.server.session() as session:
        warnings = session.exec(select(tables.Outbox).where(tables.Outbox.kind == "fault")).all()
    assert len(warnings) == 1
    assert "Nobody" in warnings[0].model


def test_chance_follows_from_its_seed():
    pick, same, other = seeded_pick(b"a"), seeded_pick(b"a"), seeded_pick(b"b")
    drawn = [pick(6) for _ in range(200)]
    assert drawn == [same(6) for _ in range(200)]
    assert drawn != [other(6) for _ in range(200)]
    assert set(drawn) == set(range(6))
