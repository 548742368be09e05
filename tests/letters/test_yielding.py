"""Games against a bot that players asked for by letter yield: bots' thoughts and pictures come behind all others."""

import asyncio

import pytest
from sqlmodel import select

from pbem.mail.smtp import SmtpReply
from pbem.play.commands.table.founding import NewGame, new_game, start_game
from pbem.play.seating import Invitation, invite_seat
from pbem.runtime.clock import Pace
from pbem.runtime.terms import Terms
from pbem.server import outbox_sender, scheduler
from pbem.server.drawing import needs_pictures
from pbem.store import queries, tables
from tests.harness.battle import PlayedBattle
from tests.letters.test_maps import ORDERS, drawing

GAMES = 20


@pytest.fixture
def table(tmp_path):
    made = PlayedBattle(tmp_path)
    yield made
    made.server.engine.dispose()


def against_bots(table, count, bot="forward"):
    """Games in which a bot has the first phase, as PLAY sets them up."""
    for number in range(1, count + 1):
        with table.server.work() as work:
            asked = work.session.exec(select(tables.Person)).all()[0].id
            pace, terms = Pace(grace_hours=336, undo_minutes=0), Terms(ladder=("close",))
            name = f"play-{number}"
            new_game(
                work,
                NewGame(name, "africa1860", "drill", pace=pace, terms=terms, bots=(f"spain={bot}",), asked_by=asked),
            )
            invite_seat(work, Invitation(game=name, seat="morocco", email="eva@somewhere.example"))
            start_game(work, name)


def written(table):
    """The games in which a bot has written, in the order in which they did."""
    with table.server.session() as session:
        rows = session.exec(select(tables.QueuedOrders).where(tables.QueuedOrders.origin == "bot")).all()
        phases = [session.get_one(tables.Phase, row.phase_id) for row in sorted(rows, key=lambda row: row.id or 0)]
        return [phase.game_id for phase in phases]


@pytest.mark.full
def test_bots_of_twenty_games_write_one_a_turn_and_what_others_wait_for_comes_first(table, monkeypatch):
    against_bots(table, GAMES)
    table.answer("spain", ORDERS)
    assert written(table) == []
    ran, run = [], scheduler._run

    def noted(work, number):
        row = work.session.get(tables.Due, number)
        ran.append((row.game_id, row.kind))
        return run(work, number)

    monkeypatch.setattr(scheduler, "_run", noted)
    table.wait(31)
    kinds = [kind for _, kind in ran]
    assert ran[0] == ("g1", "close")
    assert kinds.count("bot") == scheduler.MOST_BOT_TURNS == 1
    for count in range(2, GAMES + 1):
        scheduler.run_due_jobs(table.server)
        assert len(written(table)) == count
    assert sorted(written(table)) == sorted(f"play-{number}" for number in range(1, GAMES + 1))
    assert scheduler.run_due_jobs(table.server) == 0


@pytest.mark.full
def test_letters_of_others_and_their_pictures_go_out_first(table):
    drawing(table)
    against_bots(table, 8)
    for _ in range(8):
        scheduler.run_due_jobs(table.server)
    table.answer("spain", ORDERS)
    table.wait(31)
    batches = []

    async def send(envelopes, report):
        batches.append([envelope.recipient for envelope in envelopes])
        for _ in envelopes:
            await report(SmtpReply(250, "taken", "sent", "data"))

    with table.server.session() as session:
        rows = session.exec(select(tables.Outbox).where(tables.Outbox.state == "queued")).all()
        waiting = [row for row in rows if needs_pictures(table.server, row)]
        playing = queries.games.yielding_games(session, {row.game_id for row in rows if row.game_id})
    assert len(playing) == 8
    asyncio.run(outbox_sender.send_due_letters(table.server, send))
    everybody = [recipient for batch in batches for recipient in batch]
    assert len(everybody) == len(rows)
    pictured = [row.recipient for row in waiting]
    assert "eva@somewhere.example" in pictured
    others = {row.recipient for row in rows} - {"eva@somewhere.example"}
    assert others
    last_other = max(index for index, recipient in enumerate(everybody) if recipient in others)
    behind = [recipient for recipient in everybody[last_other + 1 :]]
    assert behind == ["eva@somewhere.example"] * sum(recipient == "eva@somewhere.example" for recipient in pictured)
