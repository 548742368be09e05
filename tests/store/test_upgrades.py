"""Databases that releases left behind are brought up to date, and go on."""

import email
import email.policy
import hashlib
import re
import sqlite3
from io import StringIO

import pytest
from alembic import command
from sqlmodel import Session, col, select

from pbem.engine.data.canon import Json, loads
from pbem.engine.data.messages import Msg
from pbem.letters.catalogue import load_catalogue
from pbem.letters.text import TextLetters
from pbem.log import log_check
from pbem.mail.html import SENTINEL
from pbem.play.replay import replay
from pbem.server import outbox_sender
from pbem.store import migrations, tables
from pbem.store.engine import open_engine
from pbem.store.migrations import runner
from pbem.verifier.record import NOT_CHECKED
from pbem.wars.replay import replay_war
from tests.audit import standalone
from tests.audit.checked import items, verify
from tests.harness.server import changed
from tests.harness.tournament import START, PlayedTournament
from tests.store.played import BATTLE, CUP, IDRIS, KEPT, WAR, moment, play

AFRICA = "africa1860"
GAP = re.compile(r"\{[^}]*\}")
RELEASED = sorted(KEPT.glob("*.sql"))
FIRST_RELEASE = [path for path in RELEASED if path.stem == "1.0.0"]
"""The release whose wars, drafts and queued letters are not as today's."""


def replayed(hall):
    """How many phases of each game come out by its letters as they did; a game that does not is a fault."""
    with hall.server.reading() as work:
        played = set(work.session.exec(select(tables.Phase.game_id).where(col(tables.Phase.state) == "resolved")))
        replays = {game: replay(work, game) for game in sorted(played)}
    assert {game: replayed.difference for game, replayed in replays.items() if replayed.difference is not None} == {}
    return {game: replayed.phases for game, replayed in replays.items()}


def states(hall):
    with hall.server.session() as session:
        return {row.id: row.state for row in session.exec(select(tables.Game))}


@pytest.fixture(params=RELEASED, ids=lambda path: path.stem)
def hall(tmp_path, request):
    """The server of a release, opened by this version at the moment at which that one was shut down."""
    database = tmp_path / "pbem.db"
    with sqlite3.connect(database) as opened:
        opened.executescript(request.param.read_text("utf-8"))
    opened.close()
    engine = open_engine(f"sqlite:///{database}")
    migrations.upgrade(engine)
    runner.check_migrations(engine)
    made = PlayedTournament.over(engine, START, CUP)
    with made.server.session() as session:
        made.clock.at = moment(session)
    yield made
    engine.dispose()


def test_every_release_left_a_database():
    assert [path.stem for path in RELEASED][:2] == ["1.0.0", "1.1.0"]


def tables_of(path):
    """The revision of a database, and every table and index as SQL, with its constraints in one order.

    A table of SQLite that is made anew to change it has them in any.
    """
    with sqlite3.connect(path) as opened:
        rows = opened.execute("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL")
        made = sorted((kind, name, sorted(line.strip(" ,\t") for line in sql.split("\n"))) for kind, name, sql in rows)
        (revision,) = opened.execute("SELECT version_num FROM alembic_version").fetchone()
    opened.close()
    return revision, made


@pytest.mark.parametrize("kept", RELEASED, ids=lambda path: path.stem)
def test_the_migrations_of_a_release_make_what_they_made_when_it_came_out(tmp_path, kept):
    """Whoever touches one of them changes databases that there are: a new one is added instead."""
    with sqlite3.connect(tmp_path / "kept.db") as opened:
        opened.executescript(kept.read_text("utf-8"))
    opened.close()
    revision, made = tables_of(tmp_path / "kept.db")
    engine = open_engine(f"sqlite:///{tmp_path}/new.db")
    migrations.upgrade(engine, revision)
    engine.dispose()
    assert tables_of(tmp_path / "new.db") == (revision, made)


def test_a_release_is_brought_up_and_its_log_and_games_are_as_they_were(hall):
    assert log_check.check(hall.server).wrong == ()
    assert replayed(hall)[BATTLE] == 4
    assert hall.event.state == "playing"


@pytest.mark.parametrize("kept", FIRST_RELEASE, ids=lambda path: path.stem)
def test_a_draft_that_a_moderator_had_a_code_for_is_kept(tmp_path, kept):
    with sqlite3.connect(tmp_path / "kept.db") as opened:
        opened.executescript(kept.read_text("utf-8"))
        opened.execute(
            "INSERT INTO draft VALUES (7, ?, 1, 'HOLD BECAUSE x', '2026-05-04 12:00:00.000000', NULL, 0, NULL, '')",
            (BATTLE,),
        )
    opened.close()
    engine = open_engine(f"sqlite:///{tmp_path}/kept.db")
    migrations.upgrade(engine)
    with Session(engine) as session:
        (draft,) = session.exec(select(tables.Draft))
        assert (draft.id, draft.game_id, draft.tournament_id) == (7, BATTLE, None)
        assert (draft.lines, draft.after) == ("HOLD BECAUSE x", 0)
    engine.dispose()


@pytest.mark.full
def test_a_release_goes_on(hall):
    before = replayed(hall)
    with hall.server.session() as session:
        seat = session.exec(
            select(tables.Seat).where(tables.Seat.game_id == BATTLE, tables.Seat.name == "morocco")
        ).one()
        address = hall.server.seat_address(seat)
    hall.sent()
    hall.write(IDRIS, "STATUS", to=address)
    assert "Turn 3" in hall.told(IDRIS)
    hall.play(2)
    hall.forward(days=60)
    assert hall.event.state == "over"
    after = replayed(hall)
    assert after[BATTLE] > before[BATTLE]
    assert f"{WAR}-2" in states(hall), "the camp came to its end, and the next battle began"
    assert log_check.check(hall.server).wrong == ()


def messages(value: Json):
    """Every message of a stored letter, those in gaps of others too."""
    if isinstance(value, list):
        for item in value:
            yield from messages(item)
    elif isinstance(value, dict):
        if value.keys() == {"text", "args"} and isinstance(value["text"], str):
            yield Msg.from_json(value)
        for item in value.values():
            yield from messages(item)


@pytest.mark.parametrize("hall", FIRST_RELEASE, ids=lambda path: path.stem, indirect=True)
@pytest.mark.parametrize("language", ["en", "es"])
def test_letters_that_a_release_queued_go_out_in_the_words_of_today(hall, language):
    """Sentences that are said otherwise now are known by what they were."""
    words = load_catalogue(language, AFRICA)
    renamed = {text for text in load_catalogue("en", AFRICA)._words if load_catalogue("en", AFRICA).word(text) != text}
    letters: dict[str, set[str]] = {}
    with hall.server.session() as session:
        queued = select(tables.Outbox, tables.Content).join(tables.Content).where(tables.Outbox.state == "queued")
        for row, content in session.exec(queued):
            texts = {message.text for message in messages(loads(content.model))} & renamed
            if texts and loads(content.model)["rules"] == AFRICA and len(letters) < 4:
                row.language = language
                letters[row.message_id] = texts
        session.commit()
    assert letters
    made = outbox_sender.render(changed(hall.server, renderer=TextLetters(SENTINEL)), tuple(letters))
    for texts, letter in zip(letters.values(), made, strict=True):
        read = email.message_from_bytes(letter, policy=email.policy.default)
        body = read.get_body(("plain",))
        assert body is not None
        text = " ".join(body.get_content().split())
        assert [
            text_said for text_said in texts if words.word(text_said).split("{")[0] not in text or text_said in text
        ] == []


def test_every_sentence_of_letters_that_a_release_queued_is_there_in_spanish(hall):
    with hall.server.session() as session:
        models = [loads(content.model) for content in session.exec(select(tables.Content))]
    lacking = set()
    for model in models:
        words = load_catalogue("es", model["rules"])
        texts = {message.text for message in messages(model)}
        lacking |= {text for text in texts if words.word(text) == text and re.search("[a-z]{3}", GAP.sub("", text))}
    assert lacking == {"Buchholz", "Sonneborn", "That is it."}, "two names, and what a director wrote"


@pytest.mark.parametrize("hall", FIRST_RELEASE, ids=lambda path: path.stem, indirect=True)
def test_a_war_of_1_0_0_goes_on_as_it_was_founded(hall):
    """Its second battle has the salt that the war was declared with; letters say that the server could choose it."""
    hall.forward(days=20)
    with hall.server.reading() as work:
        salt = loads(work.session.get_one(tables.War, WAR).opening)["salt"]
        for game in (f"{WAR}-c1", f"{WAR}-2"):
            edition = work.session.get_one(tables.Edition, work.session.get_one(tables.Game, game).edition_digest)
            assert f'"salt":"{salt}"' in edition.text
        assert [done.difference for _, done in replay_war(work, WAR)] == [None, None, None]
        rows = work.session.exec(select(tables.Outbox).where(col(tables.Outbox.game_id).startswith(WAR))).all()
        idents = [row.message_id for row in sorted(rows, key=lambda row: row.id or 0) if row.recipient == IDRIS]
    items_read = [item for ident in idents for item in items(ident, outbox_sender.render(hall.server, (ident,))[0])]
    why = "its war was begun under version 1.0.0: the server could have chosen the salt of its edition"
    (line,) = [line for line in verify(items_read).lines if line.check == "opened"]
    assert line.status == NOT_CHECKED
    assert {finding.why for finding in line.found} == {why}
    assert standalone.statuses(items_read)["opened"] == NOT_CHECKED


@pytest.mark.full
def test_what_is_kept_is_what_is_said_of_it(tmp_path):
    """As this version plays it; releases are told apart by their files alone."""
    hall = play(tmp_path)
    assert replayed(hall)[BATTLE] == 4
    games = states(hall)
    assert (games[f"{WAR}-1"], games[f"{WAR}-c1"]) == ("over", "running")
    assert [row.state for row in hall.rounds()] == ["closed", "playing"]
    assert log_check.check(hall.server).wrong == ()
    hall.server.engine.dispose()


FIRST = {
    "sqlite": "9aa51bd4f4de1d151e4ddfd19c94aac9e28ed725c357930b31c298ee3875ce79",
    "postgresql": "d13257f19217692a5e59bd94b9586ac131112ff1f2b994bc619667967a1743ce",
}
"""SHA-256 of all statements of the first migration as 1.0.0 made them by Alembic, without quotes, blanks as one."""


@pytest.mark.parametrize("dialect", FIRST)
def test_the_first_migration_says_what_it_said_at_1_0_0(dialect):
    settings, made = runner.alembic_config(), StringIO()
    settings.attributes["dialect"], settings.output_buffer = dialect, made
    command.upgrade(settings, "0001", sql=True)
    words_said = " ".join(made.getvalue().replace('"', "").split())
    assert hashlib.sha256(words_said.encode()).hexdigest() == FIRST[dialect]
