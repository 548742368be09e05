"""Games are counted by the database as they come, move and go: nobody has to count them all."""

from sqlmodel import Session

from pbem.store import migrations, queries, tables
from pbem.store.erasure import remove_game
from tests.store.test_store import NOON, add_game


def states(engine):
    with Session(engine) as session:
        return dict(queries.counts.games_by_state(session))


def move(engine, name, state):
    with Session(engine) as session, session.begin():
        session.get_one(tables.Game, name).state = state


def test_all_that_becomes_of_games_is_counted(either):
    migrations.upgrade(either)
    with Session(either) as session, session.begin():
        for name in ("g1", "g2", "g3"):
            add_game(session, name)
    move(either, "g2", "running")
    assert states(either) == {"forming": 2, "running": 1}

    move(either, "g1", "running")
    move(either, "g2", "over")
    with Session(either) as session, session.begin():
        session.get_one(tables.Game, "g1").hour = 7
        add_game(session, "g4")
    assert states(either) == {"forming": 2, "running": 1, "over": 1}

    move(either, "g2", "running")
    with Session(either) as session, session.begin():
        remove_game(session, "g1")
    assert states(either) == {"forming": 2, "running": 1}


def test_what_is_rolled_back_is_not_counted(either):
    migrations.upgrade(either)
    with Session(either) as session:
        session.begin()
        add_game(session)
        assert queries.counts.games_by_state(session) == {"forming": 1}
        session.rollback()
    assert states(either) == {}


def test_letters_that_were_overtaken_are_not_given_up(either):
    migrations.upgrade(either)
    reasons = {"<1@x>": "overtaken by <2@x>", "<2@x>": "550 no such user", "<3@x>": "451 later", "<4@x>": "gone"}
    with Session(either) as session, session.begin():
        for name, text in reasons.items():
            session.add(
                tables.Outbox(
                    message_id=name,
                    kind="status",
                    recipient="a@x.y",
                    envelope_sender=name,
                    language="en",
                    created=NOON,
                    next_try=NOON,
                    state="queued" if name == "<3@x>" else "failed",
                    last_text=text,
                    content=tables.Content(model="{}"),
                )
            )
            session.flush()
    with Session(either) as session:
        assert queries.counts.count_failed(session) == 2
        assert queries.outbox.last_failure_text(session) == "gone"
        assert [row.message_id for row in queries.outbox.undelivered_letters(session)] == ["<2@x>", "<3@x>", "<4@x>"]
