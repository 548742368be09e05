"""When a game is over the letter that opens it brings its page, unless that cannot be, or is too large."""

from __future__ import annotations

import email
import email.policy
from contextlib import closing
from functools import cache

import pytest
from sqlmodel import select
from structlog.testing import capture_logs

from pbem.cli.pages import ArchivePageMaker
from pbem.cli.simulate import QuestionMode, SimulatedMatch, Simulation
from pbem.server import archive_attachments, outbox_sender
from pbem.store import migrations, tables
from pbem.store.engine import open_engine
from tests.harness.server import changed
from tests.pages.archives import held


class Torn:
    """Whose binding goes wrong."""

    def bind(self, content, language):
        raise ValueError("the glue is dry")


@cache
def played(bound):
    """A game of bots that is over, on a server that binds pages or does not."""
    engine = open_engine("sqlite://")
    migrations.upgrade(engine)
    match = SimulatedMatch(
        engine, Simulation("africa1860", "drill", "forward", (), ()), QuestionMode("plain"), "story", None
    )
    match.server = changed(match.server, stories=ArchivePageMaker() if bound else None)
    match.play()
    return match


def opened(binder):
    """The letters that opened a game of bots: each as it is sent."""
    match, engine = played(binder is not None), open_engine("sqlite://")
    # What is made for a letter is kept with it.
    with closing(match.server.engine.raw_connection()) as once, closing(engine.raw_connection()) as now:
        once.driver_connection.backup(now.driver_connection)
    server = changed(match.server, engine=engine, stories=binder)
    with server.session() as session:
        for seat in session.exec(select(tables.Seat)).all():
            seat.language = "es" if seat.name == "morocco" else "en"
        # The last report to each.
        rows = {row.seat_id: row for row in session.exec(select(tables.Outbox).where(tables.Outbox.kind == "report"))}
        for row in rows.values():
            row.language = "es" if row.recipient.startswith("morocco") else "en"
        names = [row.message_id for row in rows.values()]
    made = outbox_sender.render(server, names)
    engine.dispose()
    assert len(made) == 2
    return [email.message_from_bytes(raw, policy=email.policy.default) for raw in made]


def text_of(letter):
    return " ".join(letter.get_body(("plain",)).get_content().split())


def files(letter):
    return {part.get_filename(): part.get_content() for part in letter.iter_attachments()}


def test_each_seat_gets_the_page_in_its_language():
    letters = opened(ArchivePageMaker())
    assert len(letters) == 2
    for letter, language in zip(letters, ("en", "es"), strict=True):
        assert set(files(letter)) == {"pbemdice.txt", "simulated.html"}
        data = held(files(letter)["simulated.html"])
        assert data["over"]
        assert data["sides"]
        assert data["language"] == language
        assert len(letter.as_bytes()) < 700_000
    assert "The game as a page" in text_of(letters[0])
    assert "La partida en una página" in text_of(letters[1])


def test_one_that_is_too_large_stays_behind_and_the_letter_says_so(monkeypatch):
    monkeypatch.setattr(archive_attachments, "MOST_PAGE_OCTETS", 1000)
    for letter in opened(ArchivePageMaker()):
        assert set(files(letter)) == {"pbemdice.txt"}
        assert "(pbem archive)" in text_of(letter)


def test_what_goes_wrong_costs_the_page_and_no_letter():
    with capture_logs() as logged:
        letters = opened(Torn())
    assert [set(files(letter)) for letter in letters] == [{"pbemdice.txt"}] * 2
    assert "It could not be made" in text_of(letters[0])
    assert {line["event"] for line in logged if line["log_level"] == "error"} == {"the page of a game cannot be made"}


@pytest.mark.full
@pytest.mark.parametrize("binder", [None])
def test_without_a_binder_there_is_none_and_nothing_is_said_of_it(binder):
    for letter in opened(binder):
        assert set(files(letter)) == {"pbemdice.txt"}
        assert "page" not in text_of(letter)
