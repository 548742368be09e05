"""What letters say lies in a table beside their rows, and came there from where it lay before."""

import pytest
from alembic import command
from sqlalchemy import text
from sqlalchemy.exc import InvalidRequestError
from sqlmodel import Session, select

from pbem.store import migrations, queries, tables

LETTERS = {"<1@x>": ('{"said":"ñ"}', b"\x00bytes\xff"), "<2@x>": ("{}", None), "<3@x>": ("", None)}
WRITTEN = """
    INSERT INTO outbox (message_id, kind, recipient, envelope_sender, reply_to, in_reply_to, "references", language,
    format, model, body, state, attempts, created, next_try, last_text, bounced, owner) VALUES (:name, 'report',
    'a@x.y', :name, '', '', '', 'en', 'text', :model, :body, 'queued', 0, '2026-05-01 12:00:00', '2026-05-01 12:00:00',
    '', '', '')"""


@pytest.fixture
def old(either):
    """A database as it was before, with three letters."""
    migrations.upgrade(either, "0032")
    with either.begin() as connection:
        for name, (model, body) in LETTERS.items():
            connection.execute(text(WRITTEN), {"name": name, "model": model, "body": body})
    return either


def said(engine):
    with Session(engine) as session:
        return {row.message_id: (row.model, row.body) for row in session.exec(select(tables.Outbox))}


def test_letters_written_before_say_what_they_said(old):
    migrations.upgrade(old)
    migrations.check(old)
    assert said(old) == LETTERS


def test_back_and_again(old):
    migrations.upgrade(old)
    settings = migrations.config()
    with old.begin() as connection:
        settings.attributes["connection"] = connection
        command.downgrade(settings, "0032")
        found = connection.execute(text("SELECT message_id, model, body FROM outbox")).all()
    assert {name: (model, body and bytes(body)) for name, model, body in found} == LETTERS
    migrations.upgrade(old)
    assert said(old) == LETTERS


def test_who_asks_for_rows_alone_reads_no_more(old):
    migrations.upgrade(old)
    with Session(old) as session:
        row = queries.outbox.by_envelope(session, "<1@x>")
        assert row is not None
        assert row.recipient == "a@x.y"
        with pytest.raises(InvalidRequestError, match="raise"):
            assert row.body
