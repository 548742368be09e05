"""What letters say lies in a table beside their rows."""

import pytest
from sqlalchemy import text
from sqlalchemy.exc import InvalidRequestError
from sqlmodel import Session, select

from pbem.store import migrations, queries, tables

LETTERS = {"<1@x>": ('{"said":"ñ"}', b"\x00bytes\xff"), "<2@x>": ("{}", None), "<3@x>": ("", None)}
WRITTEN = """
    INSERT INTO outbox (id, message_id, kind, recipient, envelope_sender, reply_to, in_reply_to, "references", language,
    format, state, attempts, created, next_try, last_text, bounced, owner) VALUES (:id, :name, 'report',
    'a@x.y', :name, '', '', '', 'en', 'text', 'queued', 0, '2026-05-01 12:00:00', '2026-05-01 12:00:00',
    '', '', '')"""
SAID = "INSERT INTO content (outbox_id, model, body) VALUES (:id, :model, :body)"


@pytest.fixture
def written(either):
    """A database with three letters."""
    migrations.upgrade(either)
    with either.begin() as connection:
        for number, (name, (model, body)) in enumerate(LETTERS.items(), 1):
            connection.execute(text(WRITTEN), {"id": number, "name": name})
            connection.execute(text(SAID), {"id": number, "model": model, "body": body})
    return either


def test_letters_say_what_lies_beside_them(written):
    with Session(written) as session:
        assert {row.message_id: (row.model, row.body) for row in session.exec(select(tables.Outbox))} == LETTERS


def test_who_asks_for_rows_alone_reads_no_more(written):
    with Session(written) as session:
        row = queries.outbox.letter_by_envelope(session, "<1@x>")
        assert row is not None
        assert row.recipient == "a@x.y"
        with pytest.raises(InvalidRequestError, match="raise"):
            assert row.body
